// SPDX-License-Identifier: MIT
// constraint-orders.c: in which order the three classes of springs are corrected.
//
// [OZG13] §6.4, figure 6.2: the list of corrections goes outwards from what is fixed; at each
// particle it takes horizontal stretch springs, vertical ones downwards, and shear springs
// downwards in one of six orders. Two of the six are said to produce correction orders similar to
// others, so that four are left; horizontal, vertical, shear is said to give the best-looking
// deformations.
//
// A sheet of 41 x 41 held at two corners, and at one, visits 3. For each of the six orders the list
// is made a second time here, and its places must be those the library reports. Compared are
//
//   lists      the springs in their order
//   springs    which of them the list has, in whatever order
//   patterns   which spring corrects a particle last: from the left, the right, above, or above to
//              the left or right. That one has its way, so this is what is drawn, beside the place
//              in the list at which a particle is first come to
//
// The deformations are what the method as published makes of the sheet in four seconds, Verlet with
// 1/240 s and velocities kept to 0.9 a substep: with less damping it does not come to rest
// (constraint-cost). They are compared by the RMS distance of the particles, in cells.
//
// [OZG13] Özgen: Physics-based animation models using fractional calculus. PhD thesis, UC Merced,
//         2013.
#include "hanging.h"
#include "tiles.h"

#include <stdio.h>

enum { ORDERS = 6, SIDE = 41, QUICK_SIDE = 15, VISITS = 3 }; // sides in particles
static const char *const names[ORDERS] = {
    "horizontal, vertical, shear", "horizontal, shear, vertical", "vertical, horizontal, shear",
    "vertical, shear, horizontal", "shear, horizontal, vertical", "shear, vertical, horizontal"};
static const char *const letters[ORDERS] = {"HVS", "HSV", "VHS", "VSH", "SHV", "SVH"};

// A list of springs, from one particle to another, which it corrects.
typedef struct list {
    int from[VISITS * SIDE * SIDE], to[VISITS * SIDE * SIDE];
    int count;
    double last[SIDE * SIDE]; // per particle, the step that corrects it last, from 1 on; 0: none
} list;

typedef struct study {
    hanging_scene scene;
    int n; // particles along a side
    hanging *run[ORDERS];
    double place[ORDERS][SIDE * SIDE];
    list list[ORDERS];
} study;

// The steps to other particles, by class: row, column.
enum { HORIZONTAL, VERTICAL, SHEAR, STEPS = 5 };
static const int steps[STEPS][3] = {
    {0, -1, HORIZONTAL}, {0, 1, HORIZONTAL}, {1, 0, VERTICAL}, {1, -1, SHEAR}, {1, 1, SHEAR}};
static const int classes[ORDERS][3] = {
    {HORIZONTAL, VERTICAL, SHEAR}, {HORIZONTAL, SHEAR, VERTICAL}, {VERTICAL, HORIZONTAL, SHEAR},
    {VERTICAL, SHEAR, HORIZONTAL}, {SHEAR, HORIZONTAL, VERTICAL}, {SHEAR, VERTICAL, HORIZONTAL}};

typedef struct front {
    int n, tail;
    int queue[(VISITS + 1) * SIDE * SIDE], visits[SIDE * SIDE];
    const double *pinned;
} front;

static void expand(front *f, list *l, int from, int step)
{
    int row = from / f->n + steps[step][0], column = from % f->n + steps[step][1];
    int to = row * f->n + column;
    if (row >= f->n || column < 0 || column >= f->n || f->pinned[to] > 0 || f->visits[to] >= VISITS)
        return;
    f->visits[to]++;
    f->queue[f->tail++] = to;
    l->from[l->count] = from;
    l->to[l->count++] = to;
    l->last[to] = step + 1;
}

// Algorithm 3 of the thesis.
static void make_list(list *l, int n, const double *pinned, int order)
{
    front f = {.n = n, .pinned = pinned};
    for (int i = 0; i < n * n; i++) {
        if (pinned[i] > 0)
            f.queue[f.tail++] = i;
    }
    for (int head = 0; head < f.tail; head++) {
        for (int k = 0; k < 3 * STEPS; k++) {
            if (steps[k % STEPS][2] == classes[order][k / STEPS])
                expand(&f, l, f.queue[head], k % STEPS);
        }
    }
}

// Fails when a list is not the one the library used.
static void check_list(experiment *e, const study *s, int order)
{
    const list *l = &s->list[order];
    double first[SIDE * SIDE] = {0};
    for (int i = l->count - 1; i >= 0; i--)
        first[l->to[i]] = (i + 1.0) / l->count;
    bool same = l->count == fm_cloth_correction_count(s->run[order]->cloth);
    for (int i = 0; i < s->n * s->n && same; i++)
        same = l->last[i] == 0 || fabs(first[i] - s->place[order][i]) < 1e-9;
    if (!same)
        experiment_fail(e, FM_BAD_VALUE, "%s: the library's list is another one", names[order]);
}

static void open_study(experiment *e, study *s)
{
    for (int o = 0; o < ORDERS && !experiment_failed(e); o++) {
        fm_cloth_def def = hanging_published(3, 0.9, 1 / 240.0);
        def.enforcement.order = (fm_spring_order)o;
        hanging_run run = {s->scene, def, s->n, s->n, 1, experiment_quick(e) ? 0.5 : 4, 0.3};
        s->run[o] = hanging_open(e, &run);
    }
    if (experiment_failed(e))
        return;
    hanging_simulate(e, s->run, ORDERS);
    double pinned[SIDE * SIDE] = {0};
    for (int o = 0; o < ORDERS && !experiment_failed(e); o++) {
        fm_cloth_read_field(s->run[o]->cloth, "correction", s->place[o], experiment_error(e));
        fm_cloth_read_field(s->run[o]->cloth, "pinned", pinned, experiment_error(e));
        make_list(&s->list[o], s->n, pinned, o);
        check_list(e, s, o);
    }
}

// Column, row, then for each order the place and the step that corrects last.
static void write_maps(experiment *e, const study *s)
{
    char file[64];
    snprintf(file, sizeof file, "map-%s.csv", hanging_scene_name(s->scene));
    experiment_table *table = experiment_table_open(
        e, file,
        "column,row,hvs,hsv,vhs,vsh,shv,svh,hvs_last,hsv_last,vhs_last,vsh_last,shv_last,svh_last");
    for (int i = 0; i < s->n * s->n; i++) {
        double row[2 + 2 * ORDERS] = {i % s->n, i / s->n};
        for (int o = 0; o < ORDERS; o++) {
            row[2 + o] = s->place[o][i];
            row[2 + ORDERS + o] = s->list[o].last[i];
        }
        experiment_numbers(table, row);
    }
}

typedef struct difference {
    bool list;      // the springs or their order differ
    double springs; // share of the first list's entries that the other does not have
    double pattern; // share of the particles that another spring corrects last
    double cells;   // RMS distance of the deformed sheets
} difference;

// Share of one list's entries that are not in the other. A list may have a spring several times.
static double count_missing(const study *s, int a, int b)
{
    const list *one = &s->list[a], *other = &s->list[b];
    int missing = 0;
    for (int i = 0; i < one->count; i++) {
        bool found = false;
        for (int k = 0; k < other->count && !found; k++)
            found = one->from[i] == other->from[k] && one->to[i] == other->to[k];
        missing += !found;
    }
    return (double)missing / one->count;
}

static difference compare(const study *s, int a, int b)
{
    difference d = {.springs = count_missing(s, a, b),
                    .list = s->list[a].count != s->list[b].count};
    int count = s->n * s->n;
    for (int i = 0; i < s->list[a].count && !d.list; i++)
        d.list = s->list[a].from[i] != s->list[b].from[i] || s->list[a].to[i] != s->list[b].to[i];
    const fm_vec3 *x = fm_cloth_positions(s->run[a]->cloth, NULL);
    const fm_vec3 *y = fm_cloth_positions(s->run[b]->cloth, NULL);
    for (int i = 0; i < count; i++) {
        double dx = x[i].x - y[i].x, dy = x[i].y - y[i].y, dz = x[i].z - y[i].z;
        d.pattern += s->list[a].last[i] != s->list[b].last[i] ? 1.0 / count : 0;
        d.cells += (dx * dx + dy * dy + dz * dz) / count;
    }
    d.cells = sqrt(d.cells) * (s->n - 1) / s->run[a]->run.width;
    return d;
}

// How many of the six differ from all before them: in their lists, or in their patterns at more
// than a share of the particles.
static int count_distinct(difference all[ORDERS][ORDERS], bool lists, double limit)
{
    int distinct = 0;
    for (int b = 0; b < ORDERS; b++) {
        bool seen = false;
        for (int a = 0; a < b; a++)
            seen = seen || (lists ? !all[a][b].list : all[a][b].pattern <= limit);
        distinct += !seen;
    }
    return distinct;
}

static void report(experiment *e, const study *s, experiment_table *runs, experiment_table *pairs)
{
    const char *scene = hanging_scene_name(s->scene);
    bool paper = s->scene == HANGING_CORNERS; // what figure 6.2 shows
    for (int o = 0; o < ORDERS; o++) {
        const hanging *h = s->run[o];
        int count = fm_cloth_correction_count(h->cloth);
        experiment_row(runs, "%s,%s,%d,%.4g,%.4g,%.4g,%.4g", scene, letters[o], count, h->stretch,
                       h->mean, h->jitter, h->motion);
        experiment_result_of(e, NAN, h->mean, "", "%s, %s: mean |l/l0 - 1|", scene, names[o]);
        experiment_result_of(e, NAN, h->stretch, "", "%s, %s: largest stretch", scene, names[o]);
    }
    difference all[ORDERS][ORDERS];
    for (int a = 0; a < ORDERS; a++)
        for (int b = a + 1; b < ORDERS; b++) {
            difference d = all[a][b] = compare(s, a, b);
            experiment_row(pairs, "%s,%s,%s,%d,%.4g,%.4g,%.4g", scene, letters[a], letters[b],
                           d.list, d.springs, d.pattern, d.cells);
        }
    experiment_result_of(e, paper ? 4 : NAN, count_distinct(all, true, 0), "",
                         "%s: different lists", scene);
    experiment_result_of(e, paper ? 4 : NAN, count_distinct(all, false, 0.05), "",
                         "%s: patterns that differ at more than 5 %% of the particles", scene);
}

static const char map_script[] =
    "set terminal pngcairo size 1500,560 font 'DejaVu Sans,13' enhanced\n"
    "set output name.'.png'\n"
    "set multiplot layout 2,6 title heading font ',16'\n"
    "unset grid\n"
    "unset key\n"
    "unset tics\n"
    "unset colorbox\n"
    "set size ratio -1\n"
    "set yrange [*:*] reverse\n"
    "set palette defined (0 '#1b1d5c', 0.25 '#27608e', 0.5 '#2c9a8c', 0.75 '#8cc95c', 1 "
    "'#f7e225')\n"
    "set cbrange [0:1]\n"
    "do for [k = 1:6] {\n"
    "  set title word('HVS HSV VHS VSH SHV SVH', k)\n"
    "  plot name.'.csv' using 1:2:(column(2 + k)) with image\n"
    "}\n"
    "set palette maxcolors 6 defined (0 '#ffffff', 1 '#0072b2', 2 '#56b4e9', 3 '#d55e00', 4 "
    "'#009e73', 5 '#f0e442')\n"
    "set cbrange [-0.5:5.5]\n"
    "unset title\n"
    "do for [k = 7:12] {\n"
    "  plot name.'.csv' using 1:2:(column(2 + k)) with image\n"
    "}\n"
    "unset multiplot\n";

static void draw(experiment *e, const study *s)
{
    char name[64], heading[128];
    const char *scene = hanging_scene_name(s->scene);
    tile tiles[ORDERS];
    for (int o = 0; o < ORDERS; o++)
        tiles[o] = (tile){s->run[o]->cloth, s->place[o], names[o]};
    snprintf(name, sizeof name, "deformed-%s.png", scene);
    tiles_draw(e, name, tiles, ORDERS, 3, 1, 20, 8);
    snprintf(name, sizeof name, "map-%s", scene);
    snprintf(heading, sizeof heading,
             "%s: order of correction (above), and by which spring last (below)", scene);
    experiment_plot(e, name, heading, map_script);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "constraint-orders",
                                    "Six orders of correcting three classes of springs.", &status);
    if (!e)
        return status;
    experiment_table *runs = experiment_table_open(
        e, "orders.csv", "scene,order,edges,stretch,mean_strain,jitter,motion");
    experiment_table *pairs = experiment_table_open(
        e, "pairs.csv", "scene,one,other,lists_differ,springs_missing,pattern,deformed_cells");
    static study studies[2];
    static const hanging_scene scenes[] = {HANGING_CORNERS, HANGING_CORNER};
    for (int i = 0; i < 2 && !experiment_failed(e); i++) {
        study *s = &studies[i];
        s->scene = scenes[i];
        s->n = experiment_quick(e) ? QUICK_SIDE : SIDE;
        open_study(e, s);
        if (!experiment_failed(e)) {
            write_maps(e, s);
            report(e, s, runs, pairs);
            draw(e, s);
        }
        for (int o = 0; o < ORDERS; o++)
            hanging_close(s->run[o]);
    }
    return experiment_close(e);
}
