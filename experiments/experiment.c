// SPDX-License-Identifier: MIT
// experiment.c: arguments, directory, tables, results and plots of an experiment.
#include "experiment.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    PATH_SIZE = 4096,      // bytes of a path
    NO_SUCH_PROGRAM = 127, // exit code by which shells report a missing program
    MEDIAN_MAX = 64,       // largest number of values of a median
};

// A CSV file in the output directory.
struct experiment_table {
    experiment_table *next;
    experiment *owner;
    FILE *file;  // NULL if the file could not be created
    int columns; // number of columns
};

// One measured number next to the published one, for result.json.
typedef struct result {
    struct result *next;
    char quantity[160];
    double paper, measured; // paper: the published value, NAN if there is none
    char unit[32];
} result;

// Header of memory returned by experiment_alloc.
typedef struct allocation {
    struct allocation *next;
    max_align_t data[];
} allocation;

struct experiment {
    const char *name;      // of the experiment
    const char *directory; // output directory
    bool quick;            // a reduced run
    bool no_gnuplot;       // gnuplot is not installed; a message has been printed
    fm_error err;
    experiment_table *tables;
    result *first_result, *last_result;
    allocation *allocations;
};

// Stores a failure of the experiment itself, unless there was one before.
void experiment_fail(experiment *e, fm_status status, const char *format, ...)
{
    if (e->err.status != FM_OK)
        return;
    va_list arguments;
    va_start(arguments, format);
    e->err.status = status;
    vsnprintf(e->err.text, sizeof e->err.text, format, arguments);
    va_end(arguments);
}

// Stores a failure of a file operation with the text of errno.
static void fail_file(experiment *e, const char *path)
{
    experiment_fail(e, FM_INPUT_OUTPUT, "%s: %s", path, strerror(errno));
}

// Writes the path of a file in the output directory. False, with the failure stored, if it is too
// long.
static bool join_path(experiment *e, char path[PATH_SIZE], const char *file)
{
    int length = snprintf(path, PATH_SIZE, "%s/%s", e->directory, file);
    if (length >= 0 && length < PATH_SIZE)
        return true;
    experiment_fail(e, FM_INPUT_OUTPUT, "%s/%s: name too long", e->directory, file);
    return false;
}

// Creates the output directory and its parents.
static bool create_directories(experiment *e)
{
    char path[PATH_SIZE];
    if (!join_path(e, path, "")) // ends with a slash, so that the loop creates the last folder, too
        return false;
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST) {
            fail_file(e, path);
            return false;
        }
        *slash = '/';
    }
    struct stat found;
    if (stat(path, &found) != 0) { // the slash makes stat fail for a regular file
        fail_file(e, path);
        return false;
    }
    return true;
}

// Prints what the experiment is about and its options.
static void print_usage(FILE *out, const char *name, const char *about)
{
    fprintf(out,
            "%s\n\nusage: %s [--quick] [-o DIR]\n"
            "  --quick   a reduced run of a second or two\n"
            "  -o DIR    where tables, plots and result.json go (default results/%s)\n",
            about, name, name);
}

// Reads the command line into e. False if the program should exit with `status`.
static bool parse_arguments(experiment *e, int argc, char **argv, const char *about, int *status)
{
    *status = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0) {
            e->quick = true;
        } else if (strcmp(argv[i], "-o") == 0 && i + 1 < argc && argv[i + 1][0] != '\0') {
            e->directory = argv[++i];
        } else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            print_usage(stdout, e->name, about);
            return false;
        } else {
            const char *problem = strcmp(argv[i], "-o") == 0 ? "-o needs a directory" : argv[i];
            fprintf(stderr, "%s: wrong argument: %s\n", e->name, problem);
            print_usage(stderr, e->name, about);
            *status = FM_BAD_VALUE;
            return false;
        }
    }
    return true;
}

// Reads the arguments and creates the output directory. NULL if there is nothing to run; main then
// returns *status.
experiment *experiment_open(int argc, char **argv, const char *name, const char *about, int *status)
{
    experiment *e = calloc(1, sizeof *e);
    if (!e) {
        *status = FM_INPUT_OUTPUT;
        return NULL;
    }
    e->name = name;
    if (!parse_arguments(e, argc, argv, about, status)) {
        free(e);
        return NULL;
    }
    if (!e->directory) {
        size_t size = strlen(name) + sizeof "results/";
        char *directory = experiment_alloc(e, size, 1);
        if (directory)
            snprintf(directory, size, "results/%s", name);
        e->directory = directory;
    }
    char path[PATH_SIZE];
    if (e->directory && create_directories(e) && join_path(e, path, "result.json")) {
        if (remove(path) != 0 && errno != ENOENT) // the result of an earlier run
            fail_file(e, path);
    }
    if (experiment_failed(e)) {
        *status = experiment_close(e);
        return NULL;
    }
    printf("%s%s\n", about, e->quick ? " (quick)" : "");
    return e;
}

bool experiment_quick(const experiment *e)
{
    return e->quick;
}

const char *experiment_directory(const experiment *e)
{
    return e->directory;
}

fm_error *experiment_error(experiment *e)
{
    return &e->err;
}

bool experiment_failed(const experiment *e)
{
    return e->err.status != FM_OK;
}

// Returns zeroed memory that is freed by experiment_close.
void *experiment_alloc(experiment *e, size_t count, size_t size)
{
    size_t limit = (SIZE_MAX - sizeof(allocation)) / (size ? size : 1);
    allocation *p = count <= limit ? calloc(1, sizeof *p + count * size) : NULL;
    if (!p) {
        experiment_fail(e, FM_NO_MEMORY, "no memory for %zu times %zu bytes", count, size);
        return NULL;
    }
    p->next = e->allocations;
    e->allocations = p;
    return p->data;
}

// Opens a CSV file in the output directory. columns: their names, separated by commas.
experiment_table *experiment_table_open(experiment *e, const char *file, const char *columns)
{
    experiment_table *table = experiment_alloc(e, 1, sizeof *table);
    if (!table)
        return NULL;
    table->owner = e;
    table->columns = 1;
    for (const char *c = columns; *c; c++)
        table->columns += *c == ',';
    table->next = e->tables;
    e->tables = table;
    char path[PATH_SIZE];
    if (experiment_failed(e) || !join_path(e, path, file))
        return table;
    table->file = fopen(path, "w");
    if (!table->file)
        fail_file(e, path);
    else
        fprintf(table->file, "%s\n", columns);
    return table;
}

// Writes one row of a table, formatted as by printf.
void experiment_write_row(experiment_table *table, const char *format, ...)
{
    if (!table || !table->file)
        return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(table->file, format, arguments);
    va_end(arguments);
    fputc('\n', table->file);
    fflush(table->file); // a long experiment that is stopped keeps its rows
}

// Writes one row of numbers, one per column. NAN leaves the cell empty.
void experiment_write_numbers(experiment_table *table, const double *values)
{
    if (!table || !table->file)
        return;
    for (int i = 0; i < table->columns; i++) {
        if (i > 0)
            fputc(',', table->file);
        if (!isnan(values[i]))
            fprintf(table->file, "%.9g", values[i]);
    }
    fputc('\n', table->file);
}

// Flushes all tables and reports write errors, such as a full disk.
static void flush_tables(experiment *e)
{
    for (experiment_table *t = e->tables; t; t = t->next) {
        if (t->file && (fflush(t->file) != 0 || ferror(t->file)))
            fail_file(e, e->directory);
    }
}

// Stores one measured number for result.json and prints it. paper: the published value, or NAN.
void experiment_add_result(experiment *e, const char *quantity, double paper, double measured,
                           const char *unit)
{
    if (experiment_failed(e))
        return;
    result *r = experiment_alloc(e, 1, sizeof *r);
    if (!r)
        return;
    snprintf(r->quantity, sizeof r->quantity, "%s", quantity);
    snprintf(r->unit, sizeof r->unit, "%s", unit);
    r->paper = paper;
    r->measured = measured;
    if (e->last_result)
        e->last_result->next = r;
    else
        e->first_result = r;
    e->last_result = r;
    printf("  %-72s %10.5g %s", quantity, measured, unit);
    if (!isnan(paper))
        printf("   (paper: %.5g)", paper);
    putchar('\n');
    fflush(stdout);
}

// As experiment_add_result, with the name of the quantity formatted as by printf.
void experiment_add_named_result(experiment *e, double paper, double measured, const char *unit,
                                 const char *format, ...)
{
    char quantity[sizeof((result *)0)->quantity];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(quantity, sizeof quantity, format, arguments);
    va_end(arguments);
    experiment_add_result(e, quantity, paper, measured, unit);
}

// Writes a string with the escapes that JSON needs.
static void write_json_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(out, "\\u%04x", *c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

// Writes a number; null if it is not finite, which JSON cannot express.
static void write_json_number(FILE *out, double number)
{
    if (isfinite(number))
        fprintf(out, "%.10g", number);
    else
        fputs("null", out);
}

// Writes the list of results as JSON.
static void write_json_results(FILE *out, const result *first)
{
    fputs("[", out);
    for (const result *r = first; r; r = r->next) {
        fputs(r == first ? "\n  {\"quantity\": " : ",\n  {\"quantity\": ", out);
        write_json_text(out, r->quantity);
        fputs(", \"paper\": ", out);
        write_json_number(out, r->paper);
        fputs(", \"measured\": ", out);
        write_json_number(out, r->measured);
        fputs(", \"unit\": ", out);
        write_json_text(out, r->unit);
        fputs("}", out);
    }
    fputs("\n]\n", out);
}

// Writes result.json. It is written to a temporary file and renamed, so that an existing
// result.json is complete.
static void write_results(experiment *e)
{
    char path[PATH_SIZE], temporary[PATH_SIZE];
    if (!join_path(e, path, "result.json") || !join_path(e, temporary, "result.json.part"))
        return;
    FILE *out = fopen(temporary, "w");
    if (!out) {
        fail_file(e, temporary);
        return;
    }
    write_json_results(out, e->first_result);
    bool written = !ferror(out);
    written = fclose(out) == 0 && written;
    if (!written || rename(temporary, path) != 0)
        fail_file(e, path);
}

// First lines of every gnuplot script. Line styles 1 to 8: the palette of Okabe and Ito without
// yellow, which is too pale for lines.
static const char plot_preamble[] =
    "set terminal pngcairo size 1200,800 font 'DejaVu Sans,15' linewidth 1.5 enhanced\n"
    "name = '%s'\n"
    "heading = \"%s\"\n"
    "set output name.'.png'\n"
    "set title heading font ',18'\n"
    "set datafile separator ','\n"
    "set grid linecolor '#cccccc' linewidth 0.7 dashtype 1\n"
    "set border linecolor '#444444'\n"
    "set tics nomirror textcolor '#222222'\n"
    "set key Left reverse samplen 3 spacing 1.15\n"
    "set style line 1 linecolor '#0072b2' linewidth 2 pointtype 7\n"
    "set style line 2 linecolor '#d55e00' linewidth 2 pointtype 5\n"
    "set style line 3 linecolor '#009e73' linewidth 2 pointtype 9\n"
    "set style line 4 linecolor '#cc79a7' linewidth 2 pointtype 13\n"
    "set style line 5 linecolor '#e69f00' linewidth 2 pointtype 11\n"
    "set style line 6 linecolor '#56b4e9' linewidth 2 pointtype 6\n"
    "set style line 7 linecolor '#7f7f7f' linewidth 2 pointtype 4\n"
    "set style line 8 linecolor '#000000' linewidth 1.6 dashtype (5,4) pointtype 2\n";

// Writes the gnuplot script NAME.gp.
static bool write_script(experiment *e, const char *name, const char *heading, const char *script)
{
    char file[256], path[PATH_SIZE];
    snprintf(file, sizeof file, "%s.gp", name);
    if (!join_path(e, path, file))
        return false;
    FILE *out = fopen(path, "w");
    if (!out) {
        fail_file(e, path);
        return false;
    }
    fprintf(out, plot_preamble, name, heading);
    fputs(script, out);
    bool written = !ferror(out);
    written = fclose(out) == 0 && written;
    if (!written)
        fail_file(e, path);
    return written;
}

// Runs `gnuplot NAME.gp` in the output directory. Returns its exit code, NO_SUCH_PROGRAM if gnuplot
// is not installed, -1 if it could not be started or was killed.
static int run_gnuplot(const experiment *e, const char *name)
{
    char script[256];
    snprintf(script, sizeof script, "%s.gp", name);
    pid_t child = fork();
    if (child < 0)
        return -1;
    if (child == 0) {
        if (chdir(e->directory) != 0)
            _exit(1);
        execlp("gnuplot", "gnuplot", script, (char *)NULL);
        _exit(errno == ENOENT ? NO_SUCH_PROGRAM : 1);
    }
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Writes the gnuplot script NAME.gp and draws NAME.png. Without gnuplot only the script is written.
void experiment_plot(experiment *e, const char *name, const char *heading, const char *script)
{
    flush_tables(e);
    if (experiment_failed(e) || !write_script(e, name, heading, script) || e->no_gnuplot)
        return;
    int code = run_gnuplot(e, name);
    if (code == NO_SUCH_PROGRAM) {
        e->no_gnuplot = true;
        fprintf(
            stderr,
            "%s: gnuplot not found, so no pictures; the scripts are in %s (package: gnuplot-nox)\n",
            e->name, e->directory);
    } else if (code != 0) {
        experiment_fail(e, FM_INPUT_OUTPUT, "gnuplot failed on %s/%s.gp", e->directory, name);
    }
}

// Writes result.json, prints the first failure and frees everything. Returns the exit code.
int experiment_close(experiment *e)
{
    flush_tables(e);
    for (experiment_table *t = e->tables; t; t = t->next) {
        if (t->file && fclose(t->file) != 0)
            fail_file(e, e->directory);
    }
    if (!experiment_failed(e))
        write_results(e);
    int status = e->err.status == FM_NO_MEMORY ? FM_INPUT_OUTPUT : (int)e->err.status;
    if (status != 0)
        fprintf(stderr, "%s: %s\n", e->name, e->err.text);
    else
        printf("%s: results in %s\n", e->name, e->directory);
    for (allocation *p = e->allocations, *next; p; p = next) {
        next = p->next;
        free(p);
    }
    free(e);
    return status;
}

// Reads a clock, s: the CPU time of this process, or wall time.
double experiment_read_clock(bool cpu_time)
{
    struct timespec t;
    clock_gettime(cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Order of two doubles, for qsort.
static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The value of a quantity of an object by its name; NAN, with the failure stored, if it has none.
double experiment_find_quantity(experiment *e, fm_object *object, const char *name)
{
    int count = 0;
    const fm_field *list = fm_object_quantities(object, &count);
    double values[64] = {0};
    if (experiment_failed(e) || count > 64 ||
        !fm_object_measure(object, values, experiment_error(e)))
        return NAN;
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return values[i];
    experiment_fail(e, FM_BAD_VALUE, "no quantity %s", name);
    return NAN;
}

// The median of at most MEDIAN_MAX values; the upper one of two if count is even.
double experiment_median(const double *values, int count)
{
    double sorted[MEDIAN_MAX];
    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_numbers);
    return sorted[count / 2];
}
