// SPDX-License-Identifier: MIT
// command_line.c: parses the command line and prints help, manual page and bash completion.
#include "command_line.h"

#include <fathom/fathom.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// Prints "fathom: " and the message to stderr.
void print_error(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fprintf(stderr, "fathom: ");
    vfprintf(stderr, format, values);
    fprintf(stderr, "\n");
    va_end(values);
}

// Prints err and returns the exit code for its status, which is the same number except when memory
// is out.
int report_error(const fm_error *err)
{
    print_error("%s", err->text);
    return err->status == FM_NO_MEMORY ? EXIT_INPUT_OUTPUT : (int)err->status;
}

// Flushes stdout. Returns the exit code: a failed write to stdout is an input/output error.
int finish_output(void)
{
    return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_GOOD : EXIT_INPUT_OUTPUT;
}

// Number of options of a subcommand.
static int count_options(const command *c)
{
    int count = 0;
    while (count < OPTIONS_MAX && c->options[count].flag)
        count++;
    return count;
}

// Index of the option whose long flag ("--frames") or letter ("-o") is `flag`; -1: none.
int option_index(const command *c, const char *flag)
{
    for (int i = 0; i < count_options(c); i++) {
        const option *o = &c->options[i];
        if (strcmp(flag, o->flag) == 0 || (o->letter && strcmp(flag, o->letter) == 0))
            return i;
    }
    return -1;
}

// The value of the last occurrence of the option on the command line; NULL: not given.
const char *option_value(const command *c, const arguments *args, const char *flag)
{
    int i = option_index(c, flag);
    return args->given[i] ? args->values[i][args->given[i] - 1] : NULL;
}

// True if the option occurs on the command line.
bool option_given(const command *c, const arguments *args, const char *flag)
{
    return args->given[option_index(c, flag)] > 0;
}

// Reads the value of an option, a whole number from low to high; default_value when the option was
// not given. Prints an error and returns false for any other value.
bool option_integer(const command *c, const arguments *args, const char *flag, int low, int high,
                    int default_value, int *value)
{
    const char *text = option_value(c, args, flag);
    *value = default_value;
    if (!text)
        return true;
    char *end;
    long number = strtol(text, &end, 10);
    if (end == text || *end || number < low || number > high) {
        print_error("%s: %s is \"%s\", allowed is a whole number from %d to %d", c->name, flag,
                    text, low, high);
        return false;
    }
    *value = (int)number;
    return true;
}

// Prints that a subcommand has no such option, and which it has.
static void print_unknown_option(const command *c, const char *text)
{
    fprintf(stderr, "fathom: %s: unknown option \"%s\"; allowed are:", c->name, text);
    for (int i = 0; i < count_options(c); i++)
        fprintf(stderr, " %s", c->options[i].flag);
    fprintf(stderr, " --help\n");
}

// Parses the option at argv[*i], "--flag value" or "--flag=value".
static bool parse_option(const command *c, int argc, char **argv, int *i, arguments *args)
{
    char flag[64];
    const char *equals = strchr(argv[*i], '=');
    size_t length = equals ? (size_t)(equals - argv[*i]) : strlen(argv[*i]);
    snprintf(flag, sizeof flag, "%.*s", (int)(length < 63 ? length : 63), argv[*i]);
    int index = option_index(c, flag);
    if (index < 0) {
        print_unknown_option(c, argv[*i]);
        return false;
    }
    const option *o = &c->options[index];
    const char *value = equals ? equals + 1 : NULL;
    if (o->argument && !value && *i + 1 < argc)
        value = argv[++*i];
    if (o->argument && !value) {
        print_error("%s: %s needs a value: %s (%s)", c->name, o->flag, o->argument, o->about);
        return false;
    }
    if (!o->argument && value) {
        print_error("%s: %s takes no value, \"%s\" was given", c->name, o->flag, value);
        return false;
    }
    if (args->given[index] == REPEATS_MAX) {
        print_error("%s: %s is given more than %d times", c->name, o->flag, REPEATS_MAX);
        return false;
    }
    args->values[index][args->given[index]++] = value;
    return true;
}

// Sorts the words after the subcommand into options and other arguments (args->rest). Prints an
// error and returns false when a word is not allowed or one is missing.
bool parse_arguments(const command *c, int argc, char **argv, arguments *args)
{
    memset(args, 0, sizeof *args);
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-' && argv[i][1]) {
            if (!parse_option(c, argc, argv, &i, args))
                return false;
        } else if (args->rest_count == ARGUMENTS_MAX || args->rest_count == c->rest_max) {
            print_error("%s: unexpected argument \"%s\"; usage: fathom %s %s", c->name, argv[i],
                        c->name, c->usage);
            return false;
        } else {
            args->rest[args->rest_count++] = argv[i];
        }
    }
    if (args->rest_count < c->rest_min) {
        print_error("%s: an argument is missing; usage: fathom %s %s", c->name, c->name, c->usage);
        return false;
    }
    return true;
}

// Prints usage, description and options of a subcommand.
void print_command_help(FILE *out, const command *c)
{
    fprintf(out, "fathom %s %s\n\n%s.\n", c->name, c->usage, c->about);
    if (c->more)
        fprintf(out, "\n%s\n", c->more);
    if (c->print_names)
        c->print_names(out);
    if (count_options(c) > 0)
        fprintf(out, "\n");
    for (int i = 0; i < count_options(c); i++) {
        const option *o = &c->options[i];
        char left[64];
        snprintf(left, sizeof left, "%s%s%s%s%s", o->letter ? o->letter : "", o->letter ? ", " : "",
                 o->flag, o->argument ? " " : "", o->argument ? o->argument : "");
        fprintf(out, "  %-24s %s\n", left, o->about);
    }
}

// Prints the manual page in troff format, from the table of subcommands.
static int run_man(const command *self, const arguments *args)
{
    (void)self, (void)args;
    printf(".TH FATHOM 1 \"\" \"fathom %s\"\n.SH NAME\nfathom \\- simulate cloth under water and "
           "particle fluids\n",
           fm_version());
    printf(".SH SYNOPSIS\n");
    for (const command *c, *const *p = commands; (c = *p); p++)
        printf(".B fathom %s\n%s\n.br\n", c->name, c->usage);
    printf(".SH COMMANDS\n");
    for (const command *c, *const *p = commands; (c = *p); p++) {
        printf(".SS %s\n%s.\n", c->name, c->about);
        if (c->more)
            printf(".PP\n%s\n", c->more);
        if (c->print_names) {
            printf(".PP\n.nf\n");
            c->print_names(stdout);
            printf(".fi\n");
        }
        for (int i = 0; i < count_options(c); i++) {
            const option *o = &c->options[i];
            printf(".TP\n.B %s%s%s %s\n%s\n", o->letter ? o->letter : "", o->letter ? ", " : "",
                   o->flag, o->argument ? o->argument : "", o->about);
        }
    }
    printf(".SH EXIT STATUS\n0 success, 1 bad input or usage, 2 the simulation diverged (the last "
           "good frame is kept), 3 input/output error.\n");
    return finish_output();
}

// Prints the bash completion script, from the table of subcommands.
static int run_completion(const command *self, const arguments *args)
{
    (void)self, (void)args;
    printf("# bash completion for fathom: . <(fathom completion)\n_fathom()\n{\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words=\n"
           "    if [ \"$COMP_CWORD\" = 1 ]; then\n        words=\"--help --version");
    for (const command *c, *const *p = commands; (c = *p); p++)
        printf(" %s", c->name);
    printf("\"\n    else\n        case $command in\n");
    for (const command *c, *const *p = commands; (c = *p); p++) {
        printf("        %s) words=\"--help", c->name);
        for (int i = 0; i < count_options(c); i++)
            printf(" %s", c->options[i].flag);
        printf("\" ;;\n");
    }
    printf("        esac\n    fi\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\") "
           "$(compgen -f -- \"$word\"))\n}\ncomplete -o filenames -F _fathom fathom\n");
    return finish_output();
}

const command command_man = {
    .name = "man",
    .usage = "",
    .about = "print the manual page",
    .more = "For example: fathom man > fathom.1 && man ./fathom.1",
    .run = run_man,
};

const command command_completion = {
    .name = "completion",
    .usage = "",
    .about = "print the completion script for bash",
    .more = "For example: . <(fathom completion)",
    .run = run_completion,
};
