// SPDX-License-Identifier: MIT
// number.c: numbers to text and back in the C locale, whatever locale the host has set.
//
// A host that calls setlocale() may have a comma for a decimal point. uselocale() changes the
// calling thread alone, and its locale is put back before these return.
#include "core/core.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

// The C locale is a constant of the C library: taking it allocates nothing.
static locale_t enter_c(locale_t *c)
{
    *c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return uselocale(*c);
}

static void leave_c(locale_t c, locale_t hosts)
{
    uselocale(hosts);
    if (c)
        freelocale(c);
}

int fm_format_list(char *text, size_t size, const char *format, va_list values)
{
    locale_t c, hosts = enter_c(&c);
    int length = vsnprintf(text, size, format, values);
    leave_c(c, hosts);
    return length;
}

int fm_format(char *text, size_t size, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = fm_format_list(text, size, format, values);
    va_end(values);
    return length;
}

double fm_parse_number(const char *text, char **rest)
{
    locale_t c, hosts = enter_c(&c);
    double number = strtod(text, rest);
    leave_c(c, hosts);
    return number;
}
