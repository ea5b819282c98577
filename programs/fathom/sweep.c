// SPDX-License-Identifier: MIT
// sweep.c: runs a scene with every combination of some values, each in a directory of its own, and
// writes a summary.
//
// The runs are in DIR/0000, DIR/0001, ...; the values of the last --sweep change fastest.
// DIR/summary.csv is written when all runs have ended. It has a row for each run: number, values,
// status, and the last row of its stats.csv. With --resume, finished runs are kept and stopped runs
// continue.
#include "command_line.h"
#include "interrupt.h"
#include "load_scene.h"
#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    VALUES_MAX = 256,   // values of one --sweep
    SETTING_SIZE = 512, // bytes of "PATH=VALUE"
    ROW_SIZE = 4096,    // bytes of a row of stats.csv
};

// One option --sweep PATH=A,B,...: an axis of the grid of combinations.
typedef struct axis {
    char *text;               // a copy of the option, split into path and values
    const char *path;         // key that is changed
    char *values[VALUES_MAX]; // values that the key takes, one per run
    int count;                // number of values
} axis;

// Splits an option into path and values. Commas inside brackets belong to a value: [0, 0, 1].
static bool split_option(axis *a, const char *spec)
{
    a->text = strdup(spec);
    char *equals = a->text ? strchr(a->text, '=') : NULL;
    if (!equals || equals == a->text || !equals[1]) {
        print_error("run: --sweep is \"%s\", allowed is PATH=A,B,...", spec);
        return false;
    }
    *equals = 0;
    a->path = a->text;
    a->values[a->count++] = equals + 1;
    int depth = 0;
    for (char *c = equals + 1; *c; c++) {
        depth += (*c == '[' || *c == '{') - (*c == ']' || *c == '}');
        if (*c != ',' || depth > 0)
            continue;
        if (a->count == VALUES_MAX) {
            print_error("run: --sweep %s has more than %d values", a->path, VALUES_MAX);
            return false;
        }
        *c = 0;
        a->values[a->count++] = c + 1;
    }
    return true;
}

// Word for the outcome of a run in summary.csv.
static const char *get_status_name(const run_result *result)
{
    static const char *const names[] = {"failed", "done", "diverged", "interrupted"};
    return result->code != EXIT_GOOD && result->status != FM_RUN_DIVERGED ? "failed"
                                                                          : names[result->status];
}

// Reads the header and the last row of stats.csv; false when the file cannot be read.
static bool read_stats(const char *directory, char header[ROW_SIZE], char row[ROW_SIZE])
{
    char path[PATH_SIZE + 32], line[ROW_SIZE];
    snprintf(path, sizeof path, "%s/stats.csv", directory);
    header[0] = row[0] = 0;
    FILE *in = fopen(path, "r");
    for (int i = 0; in && fgets(line, sizeof line, in); i++)
        snprintf(i == 0 ? header : row, ROW_SIZE, "%.*s", (int)strcspn(line, "\n"), line);
    bool good = in && !ferror(in);
    if (in)
        fclose(in);
    return good;
}

// Appends the row of run `number` to the summary, and before the first row the header. axes: the
// --sweep options; index: which value of each this run has. False: stats.csv cannot be read.
static bool write_row(FILE *out, const run_request *request, const axis *axes, int count,
                      const int *index, int number, const run_result *result)
{
    char header[ROW_SIZE], row[ROW_SIZE];
    bool good = read_stats(request->directory, header, row);
    if (number == 0) {
        fprintf(out, "run");
        for (int i = 0; i < count; i++)
            fprintf(out, ",%s", axes[i].path);
        fprintf(out, ",status,%s\n", header);
    }
    fprintf(out, "%04d", number);
    for (int i = 0; i < count; i++) {
        const char *value = axes[i].values[index[i]];
        fprintf(out, strchr(value, ',') ? ",\"%s\"" : ",%s", value); // NOLINT: index < count
    }
    fprintf(out, ",%s,%s\n", get_status_name(result), row);
    return good;
}

// Appends the settings of one combination to those that all runs share. index: which value of each
// axis is taken. settings: memory for the texts.
static void add_settings(run_request *request, const axis *axes, int count, const int *index,
                         char settings[][SETTING_SIZE])
{
    for (int i = 0; i < count; i++) {
        snprintf(settings[i], SETTING_SIZE, "%s=%s", axes[i].path, axes[i].values[index[i]]);
        request->settings[request->setting_count++] = settings[i];
    }
}

// Advances `index`, one value number per axis, to the next combination, the last axis fastest.
// False after the last combination.
static bool next_combination(const axis *axes, int count, int *index)
{
    for (int i = count - 1; i >= 0; i--) {
        if (++index[i] < axes[i].count)
            return true;
        index[i] = 0;
    }
    return false;
}

// Runs the combination `index`, appends its row to the summary `out` and advances `index` to the
// next one; false after the last. number: of the run. worst: largest exit code so far, updated.
static bool run_combination(const run_request *base, const axis *axes, int count, int *index,
                            int number, FILE *out, int *worst)
{
    run_request request = *base;
    char settings[REPEATS_MAX][SETTING_SIZE];
    add_settings(&request, axes, count, index, settings);
    snprintf(request.directory, sizeof request.directory, "%.*s/%04d", PATH_SIZE - 20,
             base->directory, number);
    if (!request.quiet) {
        printf("%s:", request.directory);
        for (int i = 0; i < count; i++)
            printf(" %s", settings[i]);
        printf("\n");
        fflush(stdout);
    }
    run_result result;
    run_scene(&request, &result);
    if (!write_row(out, &request, axes, count, index, number, &result) &&
        result.code == EXIT_GOOD) {
        print_error("%s/stats.csv: cannot read", request.directory);
        result.code = EXIT_INPUT_OUTPUT;
    }
    *worst = result.code > *worst ? result.code : *worst;
    return next_combination(axes, count, index);
}

// Writes the path of summary.csv in the directory of a sweep.
static void get_summary_path(const run_request *base, char path[PATH_SIZE + 32])
{
    snprintf(path, PATH_SIZE + 32, "%s/summary.csv", base->directory);
}

// Checks that the directory of a sweep is missing, empty, or contains a sweep, which may have been
// killed before its first run was created. Returns the exit code.
static int check_directory(const run_request *base)
{
    char first[PATH_SIZE + 32], summary[PATH_SIZE + 32];
    fm_run_info found;
    fm_error directory_err = {0}, err = {0};
    bool empty = fm_run_inspect(base->directory, &found, &directory_err);
    if (empty && found.exists) {
        print_error("%s contains a single run; give the sweep another directory with -o",
                    base->directory);
        return EXIT_BAD_INPUT;
    }
    if (empty)
        return EXIT_GOOD;
    snprintf(first, sizeof first, "%s/0000", base->directory);
    get_summary_path(base, summary);
    bool started = access(first, F_OK) == 0 && fm_run_inspect(first, &found, &err);
    if (err.status == FM_INPUT_OUTPUT)
        return report_error(&err);
    if (!started || (!found.exists && access(summary, F_OK) == 0))
        return report_error(&directory_err);
    if (found.exists && !base->resume && !base->force) {
        print_error("%s contains a sweep; --resume continues it, --force replaces it",
                    base->directory);
        return EXIT_BAD_INPUT;
    }
    return EXIT_GOOD;
}

// Checks the directory, and the scene with every combination of values, before the first one runs.
// Returns the exit code.
static int check_all(const run_request *base, const axis *axes, int count)
{
    int index[REPEATS_MAX] = {0}, code = check_directory(base);
    if (code != EXIT_GOOD)
        return code;
    do {
        run_request request = *base;
        char settings[REPEATS_MAX][SETTING_SIZE];
        add_settings(&request, axes, count, index, settings);
        fm_scene *scene =
            load_scene(request.scene_path, request.settings, request.setting_count, &code);
        fm_scene_destroy(scene);
    } while (code == EXIT_GOOD && next_combination(axes, count, index));
    return code;
}

// Removes the summary of an earlier sweep, because its runs are about to change.
static bool remove_summary(const char *path)
{
    if (unlink(path) == 0 || errno == ENOENT)
        return true;
    print_error("%s: cannot remove: %s", path, strerror(errno));
    return false;
}

// Runs all combinations and writes summary.csv. Returns the largest exit code of the runs.
static int run_all(const run_request *base, const axis *axes)
{
    int index[REPEATS_MAX] = {0}, number = 0, worst = EXIT_GOOD;
    char path[PATH_SIZE + 32], *text = NULL;
    size_t size = 0;
    fm_error err = {0};
    get_summary_path(base, path);
    FILE *out = remove_summary(path) ? open_memstream(&text, &size) : NULL;
    if (!out)
        return EXIT_INPUT_OUTPUT;
    // after an input/output error the other runs would fail, too
    while (!stop_requested() && worst != EXIT_INPUT_OUTPUT &&
           run_combination(base, axes, base->sweep_count, index, number, out, &worst))
        number++;
    bool complete = fclose(out) == 0;
    if (stop_requested() || worst == EXIT_INPUT_OUTPUT) {
        fprintf(stderr, "fathom: the sweep was stopped; go on with:");
        print_resume_command(stderr, base);
    } else if (!complete || !fm_file_replace(path, text, size, &err)) {
        print_error("%s", complete ? err.text : "out of memory");
        worst = EXIT_INPUT_OUTPUT;
    } else if (!base->quiet) {
        printf("%d runs; their results are in %s.\n", number + 1, path);
    }
    free(text);
    return worst;
}

// Runs every combination of the values in base->sweeps. Returns the exit code.
int run_sweep(const run_request *base)
{
    int count = base->sweep_count, code = EXIT_GOOD;
    axis *axes = calloc((size_t)count, sizeof *axes);
    bool good = axes != NULL;
    for (int i = 0; i < count && good; i++)
        good = split_option(&axes[i], base->sweeps[i]);
    if (!good)
        code = EXIT_BAD_INPUT;
    if (code == EXIT_GOOD)
        code = check_all(base, axes, count);
    if (code == EXIT_GOOD)
        code = run_all(base, axes);
    for (int i = 0; i < count && axes; i++)
        free(axes[i].text);
    free(axes);
    return code;
}
