// SPDX-License-Identifier: MIT
// comma_locale.h: switches to a locale whose decimal separator is a comma. The locale is compiled
// with `localedef`, which is part of the C library, because no such locale may be installed.
#ifndef FATHOM_TESTS_UNIT_COMMA_LOCALE_H
#define FATHOM_TESTS_UNIT_COMMA_LOCALE_H

#include "check.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

// Writes a text file into a folder.
static inline void write_file(const char *folder, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

// Switches to a locale in which numbers have a decimal comma, until setlocale(LC_ALL, "C").
static inline void use_comma_locale(void)
{
    char folder[] = "/tmp/fathom-locale-XXXXXX", command[256], text[8];
    assert_non_null(mkdtemp(folder));
    write_file(folder, "map",
               "<code_set_name> plain\n<comment_char> %\n<escape_char> /\nCHARMAP\n"
               "<U0000> /x00 NULL\n<U002C> /x2c COMMA\n<U002E> /x2e POINT\n"
               "<U0030>..<U0039> /x30 DIGIT\nEND CHARMAP\n");
    write_file(folder, "source",
               "comment_char %\nescape_char /\nLC_NUMERIC\ndecimal_point \"<U002C>\"\n"
               "thousands_sep \"\"\ngrouping -1\nEND LC_NUMERIC\n");
    // localedef warns about missing categories; only LC_NUMERIC is used
    snprintf(command, sizeof command,
             "cd '%s' && { localedef -c -f ./map -i ./source ./comma 2> /dev/null;"
             " [ -e comma/LC_NUMERIC ]; }",
             folder);
    assert_int_equal(system(command), 0);
    setenv("LOCPATH", folder, 1);
    assert_non_null(setlocale(LC_NUMERIC, "comma"));
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5");
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

#endif
