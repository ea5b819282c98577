// SPDX-License-Identifier: MIT
// sweep.c: every combination of some values, each in a directory of its own, and a table of how
// they ended.
//
// DIR/0000, DIR/0001, ... count the last sweep fastest. DIR/summary.csv has a row for each: number,
// values, status, and the last row of its statistics; it is written when all have run. With
// --resume what is done stays, what was stopped goes on.
#include "fathom.h"
#include "interrupt.h"
#include "run.h"
#include "scene.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VALUES_MAX = 256 };

typedef struct axis {
    char *text;               // a copy, cut into pieces
    const char *path;         // of the setting
    char *values[VALUES_MAX]; // of the setting
    int count;
} axis;

// Commas inside brackets belong to a value: [0, 0, 1].
static bool cut(axis *a, const char *spec)
{
    a->text = strdup(spec);
    char *equals = a->text ? strchr(a->text, '=') : NULL;
    if (!equals || equals == a->text || !equals[1]) {
        complain("run: --sweep is \"%s\", allowed is PATH=A,B,...", spec);
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
            complain("run: --sweep %s has more than %d values", a->path, VALUES_MAX);
            return false;
        }
        *c = 0;
        a->values[a->count++] = c + 1;
    }
    return true;
}

static const char *status_name(const outcome *o)
{
    static const char *const names[] = {"failed", "done", "diverged", "interrupted"};
    return o->code != EXIT_GOOD && o->status != FM_RUN_DIVERGED ? "failed" : names[o->status];
}

// The header of stats.csv and its last row; false when they cannot be read.
static bool read_stats(const char *directory, char header[4096], char row[4096])
{
    char path[PATH_SIZE + 32], line[4096];
    snprintf(path, sizeof path, "%s/stats.csv", directory);
    header[0] = row[0] = 0;
    FILE *in = fopen(path, "r");
    for (int i = 0; in && fgets(line, sizeof line, in); i++)
        snprintf(i == 0 ? header : row, 4096, "%.*s", (int)strcspn(line, "\n"), line);
    bool good = in && !ferror(in);
    if (in)
        fclose(in);
    return good;
}

static bool write_row(FILE *out, const task *t, const axis *axes, int count, const int *index,
                      int number, const outcome *result)
{
    char header[4096], row[4096];
    bool good = read_stats(t->directory, header, row);
    if (number == 0) {
        fprintf(out, "run");
        for (int i = 0; i < count; i++)
            fprintf(out, ",%s", axes[i].path);
        fprintf(out, ",status,%s\n", header);
    }
    fprintf(out, "%04d", number);
    for (int i = 0; i < count; i++) {
        const char *value = axes[i].values[index[i]];
        fprintf(out, strchr(value, ',') ? ",\"%s\"" : ",%s", value); // NOLINT: it is below count
    }
    fprintf(out, ",%s,%s\n", status_name(result), row);
    return good;
}

// The settings of a combination, behind those of every run.
static void add_settings(task *t, const axis *axes, int count, const int *index,
                         char settings[][512])
{
    for (int i = 0; i < count; i++) {
        snprintf(settings[i], 512, "%s=%s", axes[i].path, axes[i].values[index[i]]);
        t->settings[t->setting_count++] = settings[i];
    }
}

static bool next_combination(const axis *axes, int count, int *index)
{
    for (int i = count - 1; i >= 0; i--) {
        if (++index[i] < axes[i].count)
            return true;
        index[i] = 0;
    }
    return false;
}

// Runs the combination `index` and gives the next; false after the last.
static bool run_one(const task *base, const axis *axes, int count, int *index, int number,
                    FILE *out, int *worst)
{
    task t = *base;
    char settings[REPEATS_MAX][512];
    add_settings(&t, axes, count, index, settings);
    snprintf(t.directory, sizeof t.directory, "%.*s/%04d", PATH_SIZE - 20, base->directory, number);
    if (!t.quiet) {
        printf("%s:", t.directory);
        for (int i = 0; i < count; i++)
            printf(" %s", settings[i]);
        printf("\n");
        fflush(stdout);
    }
    outcome result;
    execute(&t, &result);
    if (!write_row(out, &t, axes, count, index, number, &result) && result.code == EXIT_GOOD) {
        complain("%s/stats.csv: cannot read", t.directory);
        result.code = EXIT_INPUT_OUTPUT;
    }
    *worst = result.code > *worst ? result.code : *worst;
    return next_combination(axes, count, index);
}

static void summary_path(const task *base, char path[PATH_SIZE + 32])
{
    snprintf(path, PATH_SIZE + 32, "%s/summary.csv", base->directory);
}

// A sweep goes into a directory that is empty or missing, or that has the first run of a sweep, or
// what a kill left of its beginning.
static int check_directory(const task *base)
{
    char first[PATH_SIZE + 32], summary[PATH_SIZE + 32];
    fm_run_found found;
    fm_error whole = {0}, err = {0};
    bool empty = fm_run_look(base->directory, &found, &whole);
    if (empty && found.exists) {
        complain("%s: it holds a run; give the sweep a directory of its own with -o",
                 base->directory);
        return EXIT_BAD_INPUT;
    }
    if (empty)
        return EXIT_GOOD;
    snprintf(first, sizeof first, "%s/0000", base->directory);
    summary_path(base, summary);
    bool begun = access(first, F_OK) == 0 && fm_run_look(first, &found, &err);
    if (err.status == FM_INPUT_OUTPUT)
        return complain_error(&err);
    if (!begun || (!found.exists && access(summary, F_OK) == 0))
        return complain_error(&whole);
    if (found.exists && !base->resume && !base->force) {
        complain("%s: it holds a sweep; --resume goes on, --force begins anew", base->directory);
        return EXIT_BAD_INPUT;
    }
    return EXIT_GOOD;
}

// Every combination is a good scene, and the directory is free, before the first one runs.
static int check_all(const task *base, const axis *axes, int count)
{
    int index[REPEATS_MAX] = {0}, code = check_directory(base);
    if (code != EXIT_GOOD)
        return code;
    do {
        task t = *base;
        char settings[REPEATS_MAX][512];
        add_settings(&t, axes, count, index, settings);
        fm_scene *scene = load_scene(t.scene_path, t.settings, t.setting_count, &code);
        fm_scene_destroy(scene);
    } while (code == EXIT_GOOD && next_combination(axes, count, index));
    return code;
}

// An older summary tells of runs that are about to change.
static bool remove_summary(const char *path)
{
    if (unlink(path) == 0 || errno == ENOENT)
        return true;
    complain("%s: cannot remove: %s", path, strerror(errno));
    return false;
}

// All of them, then the summary.
static int run_all(const task *base, const axis *axes)
{
    int index[REPEATS_MAX] = {0}, number = 0, worst = EXIT_GOOD;
    char path[PATH_SIZE + 32], *text = NULL;
    size_t size = 0;
    fm_error err = {0};
    summary_path(base, path);
    FILE *out = remove_summary(path) ? open_memstream(&text, &size) : NULL;
    if (!out)
        return EXIT_INPUT_OUTPUT;
    // a disk that fails one run would fail the others
    while (!stopped() && worst != EXIT_INPUT_OUTPUT &&
           run_one(base, axes, base->sweep_count, index, number, out, &worst))
        number++;
    bool whole = fclose(out) == 0;
    if (stopped() || worst == EXIT_INPUT_OUTPUT) {
        fprintf(stderr, "fathom: the sweep was stopped; go on with: ");
        print_resume(stderr, base);
    } else if (!whole || !fm_file_replace(path, text, size, &err)) {
        complain("%s", whole ? err.text : "out of memory");
        worst = EXIT_INPUT_OUTPUT;
    } else if (!base->quiet) {
        printf("%d runs; %s says how they ended.\n", number + 1, path);
    }
    free(text);
    return worst;
}

int sweep(const task *base)
{
    int count = base->sweep_count, code = EXIT_GOOD;
    axis *axes = calloc((size_t)count, sizeof *axes);
    bool good = axes != NULL;
    for (int i = 0; i < count && good; i++)
        good = cut(&axes[i], base->sweeps[i]);
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
