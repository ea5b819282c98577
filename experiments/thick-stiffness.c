// SPDX-License-Identifier: MIT
// thick-stiffness.c: the memory M of a spring of a thickening fluid, to which its history stiffness
// is proportional ([OZG13] figures 5.5 and 5.6), for two motions of the published kind, and for the
// motion in a file:
//
//     M(t) = 1/Gamma(1-q) integral_0^t w(t-s) (t-s)^-q v(s) ds
//
// with w = 1 (full), w = 1 for ages below S and 0 beyond (seconds:S), or e^(-age/tau) (fading:tau).
//
//     thick-stiffness --input FILE --order Q --memory full|seconds:S|fading:TAU -o DIR
//
// reads rows `time,speed` (s, m/s; times increase) and writes DIR/stiffness.csv with the rows
// `time,memory` (s, m s^-q). The speed is linear between rows. Full and fading memory are computed
// by the operator of the library with a tolerance of 1e-6, windows by exact quadrature.
#include "experiment.h"

#include <fathom/fathom.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How far back M looks.
typedef struct recall {
    fm_recall_kind kind; // FULL, SECONDS or FADING
    double time;         // s, of SECONDS and FADING
} recall;

// A motion: speeds at increasing times.
typedef struct motion {
    double *time, *speed; // s, m/s
    int count, capacity;
} motion;

// The options of this experiment besides those that all have.
typedef struct options {
    const char *input;
    double order;
    recall memory;
} options;

// Adds a row: s, m/s. False: no memory.
static bool add_row(motion *m, double time, double speed)
{
    if (m->count == m->capacity) {
        int more = m->capacity > 0 ? 2 * m->capacity : 1024;
        double *t = realloc(m->time, (size_t)more * sizeof *t);
        m->time = t ? t : m->time;
        double *v = realloc(m->speed, (size_t)more * sizeof *v);
        m->speed = v ? v : m->speed;
        if (!t || !v)
            return false;
        m->capacity = more;
    }
    m->time[m->count] = time;
    m->speed[m->count++] = speed;
    return true;
}

// Frees the rows of a motion.
static void destroy_motion(motion *m)
{
    free(m->time);
    free(m->speed);
}

// Reads a motion. The first line may name the columns; lines with # are skipped.
static bool read_motion(const char *path, motion *m)
{
    FILE *file = fopen(path, "r");
    char line[256];
    if (!file) {
        fprintf(stderr, "thick-stiffness: %s: cannot be read\n", path);
        return false;
    }
    bool good = true;
    for (int number = 1; good && fgets(line, sizeof line, file); number++) {
        double t, v;
        char rest;
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] == '#' || line[0] == '\0' || strcmp(line, "time,speed") == 0)
            continue;
        if (sscanf(line, "%lf ,%lf %c", &t, &v, &rest) != 2 || !isfinite(t) || !isfinite(v)) {
            fprintf(stderr, "thick-stiffness: %s:%d: \"%s\", allowed is time,speed\n", path, number,
                    line);
            good = false;
        } else if (m->count > 0 && !(t > m->time[m->count - 1])) {
            fprintf(stderr, "thick-stiffness: %s:%d: time is %g, allowed is above %g\n", path,
                    number, t, m->time[m->count - 1]);
            good = false;
        } else if (v < 0) {
            fprintf(stderr, "thick-stiffness: %s:%d: speed is %g, allowed is 0 and more\n", path,
                    number, v);
            good = false;
        } else {
            good = add_row(m, t, v);
        }
    }
    fclose(file);
    if (good && m->count < 2) {
        fprintf(stderr, "thick-stiffness: %s: %d rows, allowed is 2 and more\n", path, m->count);
        good = false;
    }
    return good;
}

// M of the last `S` seconds at row n, by exact quadrature of the piecewise linear speed.
static double integrate_window(const motion *m, int n, double q, double S)
{
    double sum = 0;
    for (int i = n; i > 0; i--) {
        const double a = m->time[n] - m->time[i], end = m->time[n] - m->time[i - 1],
                     b = fmin(end, S);
        if (a >= S)
            break;
        const double slope = (m->speed[i - 1] - m->speed[i]) / (end - a); // over the age
        const double I0 = (pow(b, 1 - q) - pow(a, 1 - q)) / (1 - q);
        const double I1 = (pow(b, 2 - q) - pow(a, 2 - q)) / (2 - q);
        sum += (m->speed[i] - slope * a) * I0 + slope * I1;
    }
    return sum / tgamma(1 - q);
}

// Computes memory[count], m s^-q, of a motion.
static bool compute_memory(const motion *m, double q, recall r, double *memory, fm_error *err)
{
    memory[0] = 0;
    for (int n = 1; n < m->count && r.kind == FM_RECALL_SECONDS; n++)
        memory[n] = integrate_window(m, n, q, r.time);
    if (r.kind == FM_RECALL_SECONDS)
        return true;
    fm_memory_def def = fm_default_memory_def();
    def.method = r.kind == FM_RECALL_FULL ? FM_MEMORY_FULL : FM_MEMORY_FADING;
    def.order = q;
    def.tolerance = 1e-6;
    def.time_step = m->time[1] - m->time[0];
    for (int n = 1; n < m->count; n++)
        def.time_step = fmin(def.time_step, m->time[n] - m->time[n - 1]);
    def.horizon = fmax(def.time_step, m->time[m->count - 1] - m->time[0]);
    def.fading_time = r.kind == FM_RECALL_FADING ? r.time : def.fading_time;
    fm_memory *past = fm_memory_create(&def, 1, err);
    for (int n = 0; past && n < m->count; n++) {
        fm_memory_push(past, &m->speed[n], n > 0 ? m->time[n] - m->time[n - 1] : 0);
        fm_memory_value(past, &memory[n]);
    }
    fm_memory_destroy(past);
    return err->status == FM_OK;
}

// Reads the kind of memory from an option: full, seconds:S (window of S seconds) or fading:TAU
// (time constant in s). False for other text.
static bool parse_memory(const char *text, recall *r)
{
    char *end = NULL;
    *r = (recall){FM_RECALL_FULL, 1};
    if (strcmp(text, "full") == 0)
        return true;
    r->kind = strncmp(text, "seconds:", 8) == 0 ? FM_RECALL_SECONDS : FM_RECALL_FADING;
    if (r->kind == FM_RECALL_FADING && strncmp(text, "fading:", 7) != 0)
        return false;
    r->time = strtod(strchr(text, ':') + 1, &end);
    return *end == '\0' && r->time > 0 && isfinite(r->time);
}

// Takes the options of this experiment out of argv. Returns the new argc, or 0 after an error.
static int take_options(int argc, char **argv, options *o)
{
    int kept = 0;
    for (int i = 0; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        char *end = "";
        bool good = true;
        if (i > 0 && strcmp(argv[i], "--input") == 0) {
            o->input = value;
            good = *value != '\0';
        } else if (i > 0 && strcmp(argv[i], "--order") == 0) {
            o->order = strtod(value, &end);
            good = *value != '\0' && *end == '\0' && o->order > 0 && o->order < 1;
        } else if (i > 0 && strcmp(argv[i], "--memory") == 0) {
            good = parse_memory(value, &o->memory);
        } else {
            argv[kept++] = argv[i];
            continue;
        }
        if (!good) {
            fprintf(
                stderr,
                "thick-stiffness: %s is \"%s\", allowed is a file for --input, a number between "
                "0 and 1 for --order, and full, seconds:S or fading:TAU for --memory\n",
                argv[i], value);
            return 0;
        }
        i++;
    }
    return kept;
}

// Writes the memory of the motion in a file.
static void run_input(experiment *e, const motion *m, const options *o)
{
    double *memory = experiment_alloc(e, (size_t)m->count, sizeof *memory);
    if (!memory || !compute_memory(m, o->order, o->memory, memory, experiment_error(e)))
        return;
    double largest = 0;
    experiment_table *table = experiment_table_open(e, "stiffness.csv", "time,memory");
    for (int n = 0; n < m->count; n++) {
        experiment_write_row(table, "%.12g,%.12g", m->time[n], memory[n]);
        largest = fmax(largest, memory[n]);
    }
    experiment_add_result(e, "largest memory M", NAN, largest, "m s^-q");
}

// Speed of the two motions: an impact at 0.1 to 0.2 s, and a speed held from 0.2 to 1.2 s.
static double find_speed(bool held, double t)
{
    if (!held)
        return fmax(0, 1 - fabs(t - 0.15) / 0.05);
    return fmax(0, fmin(fmin(1, (t - 0.1) / 0.1), (1.3 - t) / 0.1));
}

// Figures 5.5 and 5.6: M for three orders and four memories.
static void run_figures(experiment *e)
{
    static const recall memories[] = {{FM_RECALL_SECONDS, 0.25},
                                      {FM_RECALL_SECONDS, 1},
                                      {FM_RECALL_FADING, 1},
                                      {FM_RECALL_FULL, 1}};
    static const char *const names[] = {"window of 0.25 s", "window of 1 s", "fading 1 s", "full"};
    static const double orders[] = {0.2, 0.5, 0.8};
    static const char script[] =
        "set xlabel 'time [s]'\nset ylabel 'M [m s^{-q}]'\nset key top right\n"
        "plot for [k=3:6] name.'.csv' using 2:($1==0.5?column(k):1/0) with lines ls k-2 "
        "title word('window-0.25-s window-1-s fading-1-s full', k-2)\n";
    for (int held = 0; held < 2; held++) {
        motion m = {0};
        const double h = experiment_quick(e) ? 0.01 : 0.0025;
        for (int n = 0; n * h <= 3 + h / 2; n++)
            if (!add_row(&m, n * h, find_speed(held, n * h)))
                experiment_fail(e, FM_NO_MEMORY, "out of memory");
        const char *file = held ? "steady.csv" : "impact.csv";
        experiment_table *table =
            experiment_table_open(e, file, "order,time_s,window_0.25,window_1,fading_1,full");
        double *memory[4];
        for (int k = 0; k < 4; k++)
            memory[k] = experiment_alloc(e, (size_t)m.count, sizeof **memory);
        for (int i = 0; i < 3 && !experiment_failed(e); i++) {
            for (int k = 0; k < 4; k++) {
                double largest = 0;
                compute_memory(&m, orders[i], memories[k], memory[k], experiment_error(e));
                for (int n = 0; n < m.count; n++)
                    largest = fmax(largest, memory[k][n]);
                experiment_add_named_result(e, NAN, largest, "m s^-q", "largest M, %s, q = %g, %s",
                                            held ? "steady" : "impact", orders[i], names[k]);
            }
            for (int n = 0; n < m.count; n++)
                experiment_write_row(table, "%g,%g,%.9g,%.9g,%.9g,%.9g", orders[i], m.time[n],
                                     memory[0][n], memory[1][n], memory[2][n], memory[3][n]);
        }
        destroy_motion(&m);
        experiment_plot(e, held ? "steady" : "impact",
                        held ? "Memory of a spring that is moved for a second, q = 0.5"
                             : "Memory of a spring after an impact, q = 0.5",
                        script);
    }
}

int main(int argc, char **argv)
{
    int status;
    motion m = {0};
    options o = {.order = 0.5, .memory = {FM_RECALL_FULL, 1}};
    argc = take_options(argc, argv, &o);
    if (argc == 0 || (o.input && !read_motion(o.input, &m))) {
        destroy_motion(&m);
        return FM_BAD_VALUE;
    }
    experiment *e =
        experiment_open(argc, argv, "thick-stiffness",
                        "Memory of a spring of a thickening fluid, [OZG13] figures 5.5 and 5.6. "
                        "Further options: --input FILE (rows time,speed), --order Q, --memory "
                        "full|seconds:S|fading:TAU.",
                        &status);
    if (e && o.input)
        run_input(e, &m, &o);
    else if (e)
        run_figures(e);
    destroy_motion(&m);
    return e ? experiment_close(e) : status;
}
