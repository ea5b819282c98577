// SPDX-License-Identifier: MIT
// constraint-orders.c: the order in which strain limiting corrects three classes of springs.
//
// [OZG13] §6.4, figure 6.2: the list of springs to be corrected proceeds outwards from the fixed
// particles. At each particle it takes the horizontal stretch springs, the vertical ones downwards,
// and the shear springs downwards, in one of six orders. Two of the six are said to produce
// correction orders similar to others, which leaves four; horizontal, vertical, shear is said to
// give the best-looking deformations.
//
// A sheet of 41 x 41 particles is held at two corners, and at one; the list may move a particle
// three times (visits). For each of the six orders the list is computed independently here and must
// agree with the one the library reports. The orders are compared by
//
//   lists      their springs in sequence
//   springs    their sets of springs, regardless of sequence
//   patterns   the spring that corrects a particle last: from the left, the right, above, or above
//              to the left or right. The last correction prevails, so this is drawn, next to the
//              position in the list at which a particle is first corrected
//
// The deformations result from the published method in four seconds, Verlet with 1/240 s and a
// velocity factor of 0.9 per substep: with less damping the sheet does not come to rest
// (constraint-cost). They are compared by the RMS distance of the particles, in cells.
//
// Section 6.3.2 says that equation (6.2), x_new = c x - x_old + h^2 a with c = 2, is damped by a
// smaller c and stays stable with large steps; a larger c is said to damp less. All is tested
// literally on one number: the path of a free particle at rest 1 m from the origin with c = 1.999
// and 2.001, and the largest omega h for which an oscillator a = -omega^2 x with c = 2 stays
// bounded.
#include "hanging.h"
#include "tiles.h"

#include <stdio.h>

// ORDERS: of three classes of springs; SIDE: particles along a side; VISITS: how often the list may
// move one particle
enum { ORDERS = 6, SIDE = 41, QUICK_SIDE = 15, VISITS = 3 };
static const char *const names[ORDERS] = {
    "horizontal, vertical, shear", "horizontal, shear, vertical", "vertical, horizontal, shear",
    "vertical, shear, horizontal", "shear, horizontal, vertical", "shear, vertical, horizontal"};
// initials of the classes, for file columns: horizontal, vertical, shear
static const char *const letters[ORDERS] = {"HVS", "HSV", "VHS", "VSH", "SHV", "SVH"};

// A list of corrections: each spring runs from one particle to another, which it moves.
typedef struct correction_list {
    int from[VISITS * SIDE * SIDE], to[VISITS * SIDE * SIDE]; // particles, in order of correction
    int count;
    // per particle, 1 + index of the direction from which it is corrected last; 0: none
    double last[SIDE * SIDE];
} correction_list;

// One scene, simulated with each of the six orders.
typedef struct study {
    hanging_scene scene;
    int n; // particles along a side
    hanging *run[ORDERS];
    double position[ORDERS][SIDE * SIDE]; // 0 to 1, when a particle is first corrected
    correction_list lists[ORDERS];
} study;

// Springs from a particle to its neighbours: offset in rows and columns, class of spring.
enum { HORIZONTAL, VERTICAL, SHEAR, DIRECTIONS = 5 };
static const int directions[DIRECTIONS][3] = {
    {0, -1, HORIZONTAL}, {0, 1, HORIZONTAL}, {1, 0, VERTICAL}, {1, -1, SHEAR}, {1, 1, SHEAR}};
static const int classes[ORDERS][3] = {
    {HORIZONTAL, VERTICAL, SHEAR}, {HORIZONTAL, SHEAR, VERTICAL}, {VERTICAL, HORIZONTAL, SHEAR},
    {VERTICAL, SHEAR, HORIZONTAL}, {SHEAR, HORIZONTAL, VERTICAL}, {SHEAR, VERTICAL, HORIZONTAL}};

// Breadth-first traversal of the springs from the pinned particles.
typedef struct traversal {
    int n, tail;                           // particles along a side; length of the queue
    int queue[(VISITS + 1) * SIDE * SIDE]; // particles whose springs are appended next
    int visits[SIDE * SIDE];               // how often each particle is moved by the list
    const double *pinned;                  // per particle, > 0: pinned
} traversal;

// Appends the spring from a particle in one of the directions[] to the list, unless its end is
// outside, pinned, or has been moved VISITS times.
static void add_correction(traversal *walk, correction_list *l, int from, int direction)
{
    int row = from / walk->n + directions[direction][0],
        column = from % walk->n + directions[direction][1];
    int to = row * walk->n + column;
    if (row >= walk->n || column < 0 || column >= walk->n || walk->pinned[to] > 0 ||
        walk->visits[to] >= VISITS)
        return;
    walk->visits[to]++;
    walk->queue[walk->tail++] = to;
    l->from[l->count] = from;
    l->to[l->count++] = to;
    l->last[to] = direction + 1;
}

// Computes the list of corrections by algorithm 3 of [OZG13]. order: index of classes[].
static void compute_list(correction_list *l, int n, const double *pinned, int order)
{
    traversal walk = {.n = n, .pinned = pinned};
    for (int i = 0; i < n * n; i++) {
        if (pinned[i] > 0)
            walk.queue[walk.tail++] = i;
    }
    for (int head = 0; head < walk.tail; head++) {
        for (int k = 0; k < 3 * DIRECTIONS; k++) {
            if (directions[k % DIRECTIONS][2] == classes[order][k / DIRECTIONS])
                add_correction(&walk, l, walk.queue[head], k % DIRECTIONS);
        }
    }
}

// Fails the experiment if the list of corrections differs from the one the library used.
static void check_list(experiment *e, const study *s, int order)
{
    const correction_list *l = &s->lists[order];
    double first[SIDE * SIDE] = {0};
    for (int i = l->count - 1; i >= 0; i--)
        first[l->to[i]] = (i + 1.0) / l->count;
    bool same = l->count == fm_cloth_correction_count(s->run[order]->cloth);
    for (int i = 0; i < s->n * s->n && same; i++)
        same = l->last[i] == 0 || fabs(first[i] - s->position[order][i]) < 1e-9;
    if (!same)
        experiment_fail(e, FM_BAD_VALUE, "%s: the library's list is another one", names[order]);
}

// Simulates the scene with all orders, and computes and checks their lists of corrections.
static void simulate_orders(experiment *e, study *s)
{
    for (int o = 0; o < ORDERS && !experiment_failed(e); o++) {
        fm_cloth_def def = hanging_published_cloth_def(VISITS, 0.9, 1 / 240.0);
        def.enforcement.order = (fm_spring_order)o;
        hanging_run run = {s->scene, def, s->n, s->n, 1, experiment_quick(e) ? 0.5 : 4, 0.3};
        s->run[o] = hanging_create(e, &run);
    }
    if (experiment_failed(e))
        return;
    hanging_simulate(e, s->run, ORDERS);
    double pinned[SIDE * SIDE] = {0};
    for (int o = 0; o < ORDERS && !experiment_failed(e); o++) {
        fm_cloth_read_field(s->run[o]->cloth, "correction", s->position[o], experiment_error(e));
        fm_cloth_read_field(s->run[o]->cloth, "pinned", pinned, experiment_error(e));
        compute_list(&s->lists[o], s->n, pinned, o);
        check_list(e, s, o);
    }
}

// Writes column, row, and for each order the position in the list at which a particle is first
// corrected and the direction of its last correction.
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
            row[2 + o] = s->position[o][i];
            row[2 + ORDERS + o] = s->lists[o].last[i];
        }
        experiment_write_numbers(table, row);
    }
}

// The difference of two orders of correction.
typedef struct difference {
    bool lists;     // the lists of springs differ, also if only by their order
    double springs; // share of the entries of the first list that are missing in the second
    double pattern; // share of the particles whose last correcting spring differs
    double cells;   // RMS distance of the particles of the deformed sheets, in cells
} difference;

// The share of list a's entries that are missing in list b. A list may contain a spring several
// times.
static double share_missing(const study *s, int a, int b)
{
    const correction_list *one = &s->lists[a], *other = &s->lists[b];
    int missing = 0;
    for (int i = 0; i < one->count; i++) {
        bool found = false;
        for (int k = 0; k < other->count && !found; k++)
            found = one->from[i] == other->from[k] && one->to[i] == other->to[k];
        missing += !found;
    }
    return (double)missing / one->count;
}

// Compares the orders with indices a and b.
static difference compare_orders(const study *s, int a, int b)
{
    difference d = {.springs = share_missing(s, a, b),
                    .lists = s->lists[a].count != s->lists[b].count};
    int count = s->n * s->n;
    for (int i = 0; i < s->lists[a].count && !d.lists; i++)
        d.lists =
            s->lists[a].from[i] != s->lists[b].from[i] || s->lists[a].to[i] != s->lists[b].to[i];
    const fm_vec3 *x = fm_cloth_positions(s->run[a]->cloth, NULL);
    const fm_vec3 *y = fm_cloth_positions(s->run[b]->cloth, NULL);
    for (int i = 0; i < count; i++) {
        double dx = x[i].x - y[i].x, dy = x[i].y - y[i].y, dz = x[i].z - y[i].z;
        d.pattern += s->lists[a].last[i] != s->lists[b].last[i] ? 1.0 / count : 0;
        d.cells += (dx * dx + dy * dy + dz * dz) / count;
    }
    d.cells = sqrt(d.cells) * (s->n - 1) / s->run[a]->run.width;
    return d;
}

// Counts the orders that differ from all previous ones: in their lists of springs, or in the spring
// that corrects a particle last (pattern), at more than a share `limit` of the particles.
static int count_distinct(difference all[ORDERS][ORDERS], bool lists, double limit)
{
    int distinct = 0;
    for (int b = 0; b < ORDERS; b++) {
        bool seen = false;
        for (int a = 0; a < b; a++)
            seen = seen || (lists ? !all[a][b].lists : all[a][b].pattern <= limit);
        distinct += !seen;
    }
    return distinct;
}

// Reports stretch and jitter with every order, and the differences of each pair of orders.
static void report_orders(experiment *e, const study *s, experiment_table *runs,
                          experiment_table *pairs)
{
    const char *scene = hanging_scene_name(s->scene);
    bool is_published = s->scene == HANGING_CORNERS; // the scene of figure 6.2
    for (int o = 0; o < ORDERS; o++) {
        const hanging *h = s->run[o];
        int count = fm_cloth_correction_count(h->cloth);
        experiment_write_row(runs, "%s,%s,%d,%.4g,%.4g,%.4g,%.4g", scene, letters[o], count,
                             h->stretch, h->mean, h->jitter, h->motion);
        experiment_add_named_result(e, NAN, h->mean, "", "%s, %s: mean |l/l0 - 1|", scene,
                                    names[o]);
        experiment_add_named_result(e, NAN, h->stretch, "", "%s, %s: largest stretch", scene,
                                    names[o]);
    }
    difference all[ORDERS][ORDERS];
    for (int a = 0; a < ORDERS; a++)
        for (int b = a + 1; b < ORDERS; b++) {
            difference d = all[a][b] = compare_orders(s, a, b);
            experiment_write_row(pairs, "%s,%s,%s,%d,%.4g,%.4g,%.4g", scene, letters[a], letters[b],
                                 d.lists, d.springs, d.pattern, d.cells);
        }
    experiment_add_named_result(e, is_published ? 4 : NAN, count_distinct(all, true, 0), "",
                                "%s: different lists", scene);
    experiment_add_named_result(e, is_published ? 4 : NAN, count_distinct(all, false, 0.05), "",
                                "%s: patterns that differ at more than 5 %% of the particles",
                                scene);
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

// Draws the deformed sheets, coloured by the position at which a particle is first corrected.
static void draw_maps(experiment *e, const study *s)
{
    char name[64], heading[128];
    const char *scene = hanging_scene_name(s->scene);
    tile tiles[ORDERS];
    for (int o = 0; o < ORDERS; o++)
        tiles[o] = (tile){s->run[o]->cloth, s->position[o], names[o]};
    snprintf(name, sizeof name, "deformed-%s.png", scene);
    const int columns = 3;
    const double high = 1, azimuth = 20, elevation = 8; // largest value; degrees
    tiles_draw(e, name, tiles, ORDERS, columns, high, azimuth, elevation);
    snprintf(name, sizeof name, "map-%s", scene);
    snprintf(heading, sizeof heading,
             "%s: order of correction (above), and by which spring last (below)", scene);
    experiment_plot(e, name, heading, map_script);
}

// The largest |x| of `steps` steps of equation (6.2) from rest at x = 1, with a = -stiffness x /
// h^2. *least: the smallest x.
static double march(double factor, double stiffness, int steps, double *least)
{
    double before = 1, x = 1, largest = 1;
    *least = 1;
    for (int k = 0; k < steps && largest < 1e6; k++) {
        double next = factor * x - before - stiffness * x;
        before = x, x = next;
        *least = fmin(*least, x);
        largest = fmax(largest, fabs(x));
    }
    return largest;
}

// Tests the two statements about Verlet's scheme.
static void test_verlet(experiment *e)
{
    double least;
    march(1.999, 0, 1000, &least);
    experiment_add_result(e, "equation 6.2, factor 1.999: a free particle at 1 m moves to", NAN,
                          least, "m");
    double largest = march(2.001, 0, 240, &least);
    experiment_add_result(
        e, "equation 6.2, factor 2.001: a free particle at 1 m is after 240 steps at", NAN, largest,
        "m");
    double low = 0, high = 10; // omega h
    for (int k = 0; k < 40; k++) {
        double middle = (low + high) / 2;
        if (march(2, middle * middle, 100000, &least) < 1e4)
            low = middle;
        else
            high = middle;
    }
    experiment_add_result(e, "equation 6.2: largest stable omega h", NAN, low, "");
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
        simulate_orders(e, s);
        if (!experiment_failed(e)) {
            write_maps(e, s);
            report_orders(e, s, runs, pairs);
            draw_maps(e, s);
        }
        for (int o = 0; o < ORDERS; o++)
            hanging_destroy_world(s->run[o]);
    }
    test_verlet(e);
    return experiment_close(e);
}
