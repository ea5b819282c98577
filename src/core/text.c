// SPDX-License-Identifier: MIT
// text.c: converts numbers to text and back in the C locale, whatever locale the host has set.
//
// A host that calls setlocale() may have a comma for a decimal point. These functions switch the
// calling thread to the C locale with uselocale() and switch back before they return. Other threads
// are not affected.
#include "core/core.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

// Switches the calling thread to the C locale; returns the host's locale. The C locale is a
// constant of the C library, so newlocale allocates nothing.
static locale_t enter_c_locale(locale_t *c)
{
    *c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return uselocale(*c);
}

// Switches the calling thread back to the host's locale.
static void leave_c_locale(locale_t c, locale_t hosts)
{
    uselocale(hosts);
    if (c)
        freelocale(c);
}

// vsnprintf with a decimal point in any locale.
int fm_text_format_args(char *text, size_t size, const char *format, va_list values)
{
    locale_t c, hosts = enter_c_locale(&c);
    int length = vsnprintf(text, size, format, values);
    leave_c_locale(c, hosts);
    return length;
}

// snprintf with a decimal point in any locale.
int fm_text_format(char *text, size_t size, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = fm_text_format_args(text, size, format, values);
    va_end(values);
    return length;
}

// As strtod, with a decimal point in any locale. rest: receives the first character after the
// number.
double fm_text_to_number(const char *text, char **rest)
{
    locale_t c, hosts = enter_c_locale(&c);
    double number = strtod(text, rest);
    leave_c_locale(c, hosts);
    return number;
}
