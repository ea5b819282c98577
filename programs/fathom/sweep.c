// SPDX-License-Identifier: MIT
// sweep.c: every combination of some values, each in a directory of its own, and a table of how
// they ended.
//
// DIR/0000, DIR/0001, ... count the last sweep fastest. DIR/summary.csv has a row for each: number,
// values, status, and the last row of its statistics. With --resume what is done stays, what was
// stopped goes on.
#include "fathom.h"
#include "interrupt.h"
#include "run.h"
#include "scene.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

// The header of stats.csv, or its last row.
static void copy_line(FILE *out, const char *directory, bool last)
{
    char path[PATH_SIZE + 32], line[4096], kept[4096] = "";
    snprintf(path, sizeof path, "%s/stats.csv", directory);
    FILE *in = fopen(path, "r");
    while (in && fgets(line, sizeof line, in)) {
        snprintf(kept, sizeof kept, "%.*s", (int)strcspn(line, "\n"), line);
        if (!last)
            break;
    }
    if (in)
        fclose(in);
    fprintf(out, "%s\n", kept);
}

static void write_row(FILE *out, const task *t, const axis *axes, int count, const int *index,
                      int number, const outcome *result)
{
    if (number == 0) {
        fprintf(out, "run");
        for (int i = 0; i < count; i++)
            fprintf(out, ",%s", axes[i].path);
        fprintf(out, ",status,");
        copy_line(out, t->directory, false);
    }
    fprintf(out, "%04d", number);
    for (int i = 0; i < count; i++)
        fprintf(out, strchr(axes[i].values[index[i]], ',') ? ",\"%s\"" : ",%s",
                axes[i].values[index[i]]);
    fprintf(out, ",%s,", status_name(result));
    copy_line(out, t->directory, true);
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
    *worst = result.code > *worst ? result.code : *worst;
    write_row(out, &t, axes, count, index, number, &result);
    return next_combination(axes, count, index);
}

// Every combination is a good scene, and the directory is free, before the first one runs.
static int check_all(const task *base, const axis *axes, int count)
{
    int index[REPEATS_MAX] = {0}, code = EXIT_GOOD;
    char path[PATH_SIZE + 32];
    snprintf(path, sizeof path, "%s/run.json", base->directory);
    if (access(path, F_OK) == 0) {
        complain("%s: it holds a run; give the sweep a directory of its own with -o",
                 base->directory);
        return EXIT_BAD_INPUT;
    }
    snprintf(path, sizeof path, "%s/0000", base->directory);
    if (access(path, F_OK) == 0 && !base->resume && !base->force) {
        complain("%s: it holds a sweep; --resume goes on, --force begins anew", base->directory);
        return EXIT_BAD_INPUT;
    }
    do {
        task t = *base;
        char settings[REPEATS_MAX][512];
        add_settings(&t, axes, count, index, settings);
        fm_scene *scene = load_scene(t.scene_path, t.settings, t.setting_count, &code);
        fm_scene_destroy(scene);
    } while (code == EXIT_GOOD && next_combination(axes, count, index));
    return code;
}

int sweep(const task *base, const char *const *specs, int count)
{
    axis *axes = calloc((size_t)count, sizeof *axes);
    int index[REPEATS_MAX] = {0}, worst = EXIT_GOOD;
    bool good = axes != NULL;
    for (int i = 0; i < count && good; i++)
        good = cut(&axes[i], specs[i]);
    char path[PATH_SIZE + 32], unfinished[PATH_SIZE + 48];
    snprintf(path, sizeof path, "%s/summary.csv", base->directory);
    snprintf(unfinished, sizeof unfinished, "%s.tmp", path);
    FILE *out = NULL;
    if (good)
        worst = check_all(base, axes, count);
    if (good && worst == EXIT_GOOD) {
        mkdir("runs", 0777);
        mkdir(base->directory, 0777);
        out = fopen(unfinished, "w");
        if (!out) {
            complain("%s: cannot write", unfinished);
            worst = EXIT_INPUT_OUTPUT;
        }
    } else if (!good) {
        worst = EXIT_BAD_INPUT;
    }
    int number = 0;
    while (out && !stopped() && run_one(base, axes, count, index, number, out, &worst))
        number++;
    if (out && (fclose(out) != 0 || rename(unfinished, path) != 0)) {
        complain("%s: cannot write", path);
        worst = EXIT_INPUT_OUTPUT;
    } else if (out && !base->quiet) {
        printf("%d runs; %s says how they ended.\n", number + 1, path);
    }
    for (int i = 0; i < count && axes; i++)
        free(axes[i].text);
    free(axes);
    return worst;
}
