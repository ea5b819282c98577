// SPDX-License-Identifier: MIT
// constraint-expansion.c: corrections that expand from all fixed particles at once, or one by one.
//
// [OZG13] 6.4: corrections that start at several fixed particles must expand in step; "failing to
// synchronize the expansions" is said to cause serious artifacts. Nothing is shown.
//
// The library makes its list in step only, so this file has the method of its own: Verlet's scheme
// with springs and gravity, and after every step one pass over a list of springs, of which only the
// second end moves (algorithm 3: breadth first from the fixed particles, horizontal, vertical and
// shear springs, downwards or sideways, at most three visits of a particle). The list is made in
// two ways:
//
//   at once     all fixed particles are in the queue at the start
//   one by one  the traversal from the first fixed particle runs to its end before the second
//
// A sheet of 1 m with 41 x 41 particles hangs for four seconds from two corners that were moved
// together by 16 %, from five points of its upper edge, or from the whole edge. Springs over 10 %
// longer than at rest are shortened to that. All three are symmetric about the middle. Measured
// over the last second:
//
//   asymmetry   RMS distance of the particles from the mirror image of their partners, in cells:
//               an artifact by definition
//   stretch     largest l/l0 - 1 of a horizontal or vertical spring
//   motion      RMS velocity, m/s: the sheet should rest
//
// [OZG13] in docs/references.md
#include "experiment.h"

#include <fathom/fathom.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 41, QUICK_SIDE = 11, VISITS = 3, LINKS = 5, HOLDS = 3 };
static const char *const hold_names[HOLDS] = {"two corners", "five points", "edge"};
static const double LIMIT = 0.1; // l/l0 - 1, to which longer springs are shortened

// Rows down, columns to the right, in the order of correction: horizontal, vertical, shear.
static const int links[LINKS][2] = {{0, 1}, {0, -1}, {1, 0}, {1, 1}, {1, -1}};

typedef struct sheet {
    int n, count;                // particles along a side; springs in the list
    fm_vec3 x[SIDE * SIDE];      // m
    fm_vec3 before[SIDE * SIDE]; // m, one step ago
    bool fixed[SIDE * SIDE];
    int visits[SIDE * SIDE];
    int from[VISITS * SIDE * SIDE], to[VISITS * SIDE * SIDE];
    int queue[(VISITS + 1) * SIDE * SIDE];
} sheet;

// The particle at the other end of a link, or -1 outside the sheet.
static int linked(const sheet *s, int i, int link)
{
    int row = i / s->n + links[link][0], column = i % s->n + links[link][1];
    return row < s->n && column >= 0 && column < s->n ? row * s->n + column : -1;
}

// Appends the springs that the traversal reaches from the first `tail` particles of the queue.
static void expand(sheet *s, int tail)
{
    for (int head = 0; head < tail; head++)
        for (int k = 0; k < LINKS; k++) {
            int to = linked(s, s->queue[head], k);
            if (to < 0 || s->fixed[to] || s->visits[to] >= VISITS)
                continue;
            s->visits[to]++;
            s->queue[tail++] = to;
            s->from[s->count] = s->queue[head];
            s->to[s->count++] = to;
        }
}

// Makes the list of corrections, from all fixed particles at once or from one after another.
static void make_list(sheet *s, bool at_once)
{
    int tail = 0;
    for (int i = 0; i < s->n * s->n; i++) {
        if (!s->fixed[i])
            continue;
        s->queue[tail++] = i;
        if (!at_once) {
            expand(s, tail);
            tail = 0;
        }
    }
    if (at_once)
        expand(s, tail);
}

// A sheet that is vertical at first, with its fixed particles.
static void create_sheet(sheet *s, int n, int hold)
{
    memset(s, 0, sizeof *s);
    s->n = n;
    for (int i = 0; i < n * n; i++) {
        int column = i % n, row = i / n;
        double across = (double)column / (n - 1) - 0.5;
        if (hold == 0)
            across *= 0.84;
        s->x[i] = s->before[i] =
            (fm_vec3){across, -(double)row / (n - 1), 0.01 * sin(9.0 * row / n)};
        int every = hold == 0 ? n - 1 : hold == 1 ? (n - 1) / 4 : 1;
        s->fixed[i] = row == 0 && column % every == 0;
    }
}

// Vector from a to b, and its length in l.
static fm_vec3 between(fm_vec3 a, fm_vec3 b, double *l)
{
    fm_vec3 d = {b.x - a.x, b.y - a.y, b.z - a.z};
    *l = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    return d;
}

// Rest length of a link, m.
static double rest_length(const sheet *s, int i, int j)
{
    return (i / s->n != j / s->n && i % s->n != j % s->n ? sqrt(2) : 1) / (s->n - 1);
}

// One step of Verlet's scheme with springs (rate/s^2 over mass) and damping, without corrections.
static void step(sheet *s, double h, double rate, fm_vec3 *a)
{
    for (int i = 0; i < s->n * s->n; i++)
        a[i] = (fm_vec3){0, -9.81, 0};
    for (int i = 0; i < s->n * s->n; i++)
        for (int k = 0; k < LINKS; k++) {
            int j = linked(s, i, k);
            if (j < 0 || k == 1) // to the left: the spring of its other end
                continue;
            double l, rest = rest_length(s, i, j);
            fm_vec3 d = between(s->x[i], s->x[j], &l);
            double f = rate * (l - rest) / l;
            a[i].x += f * d.x, a[i].y += f * d.y, a[i].z += f * d.z;
            a[j].x -= f * d.x, a[j].y -= f * d.y, a[j].z -= f * d.z;
        }
    const double kept = 1 - 20 * h; // of the velocity: it decays with 20/s
    for (int i = 0; i < s->n * s->n; i++) {
        fm_vec3 x = s->x[i], v = s->before[i];
        s->before[i] = x;
        if (s->fixed[i])
            continue;
        s->x[i] = (fm_vec3){x.x + kept * (x.x - v.x) + h * h * a[i].x,
                            x.y + kept * (x.y - v.y) + h * h * a[i].y,
                            x.z + kept * (x.z - v.z) + h * h * a[i].z};
    }
}

// One pass of corrections in the order of the list.
static void correct(sheet *s)
{
    for (int i = 0; i < s->count; i++) {
        double l, longest = (1 + LIMIT) * rest_length(s, s->from[i], s->to[i]);
        fm_vec3 a = s->x[s->from[i]], d = between(a, s->x[s->to[i]], &l);
        if (l > longest)
            s->x[s->to[i]] = (fm_vec3){a.x + d.x * longest / l, a.y + d.y * longest / l,
                                       a.z + d.z * longest / l};
    }
}

// What is measured, as at the head of this file.
typedef struct measures {
    double asymmetry, stretch, motion; // the first and the last as sums of squares
} measures;

static void measure(const sheet *s, double h, measures *m)
{
    int n = s->n;
    for (int i = 0; i < n * n; i++) {
        fm_vec3 partner = s->x[i / n * n + n - 1 - i % n];
        double l, u;
        partner.x = -partner.x;
        between(s->x[i], partner, &l);
        between(s->before[i], s->x[i], &u);
        m->asymmetry += pow(l * (n - 1), 2) / (n * n);
        m->motion += pow(u / h, 2) / (n * n);
        for (int k = 0; k < 3; k++) {
            int j = linked(s, i, k);
            if (j >= 0) {
                between(s->x[i], s->x[j], &l);
                m->stretch = fmax(m->stretch, l / rest_length(s, i, j) - 1);
            }
        }
    }
}

// Simulates one way to hold the sheet with one of the two lists and reports it.
static void simulate(experiment *e, int hold, bool at_once, experiment_table *table)
{
    bool quick = experiment_quick(e);
    sheet *s = experiment_alloc(e, 1, sizeof *s);
    fm_vec3 *a = experiment_alloc(e, (size_t)SIDE * SIDE, sizeof *a);
    if (!s || !a)
        return;
    const double h = 1 / 2000.0, rate = 3e5; // s; stiffness over mass, 1/s^2
    create_sheet(s, quick ? QUICK_SIDE : SIDE, hold);
    make_list(s, at_once);
    int steps = quick ? 200 : 8000, samples = 0;
    measures m = {0};
    for (int k = 0; k < steps; k++) {
        step(s, h, rate, a);
        correct(s);
        if (k < steps * 3 / 4)
            continue;
        measure(s, h, &m);
        samples++;
    }
    const char *way = at_once ? "at once" : "one by one";
    double asymmetry = sqrt(m.asymmetry / samples), motion = sqrt(m.motion / samples);
    experiment_write_row(table, "%s,%s,%d,%.4g,%.4g,%.4g", hold_names[hold], way, s->count,
                         asymmetry, m.stretch, motion);
    experiment_add_named_result(e, NAN, s->count, "", "%s, %s: springs", hold_names[hold], way);
    experiment_add_named_result(e, NAN, asymmetry, "cells", "%s, %s: asymmetry", hold_names[hold],
                                way);
    experiment_add_named_result(e, NAN, 100 * m.stretch, "%", "%s, %s: largest stretch",
                                hold_names[hold], way);
    experiment_add_named_result(e, NAN, motion, "m/s", "%s, %s: motion", hold_names[hold], way);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(
        argc, argv, "constraint-expansion",
        "Corrections that expand from all fixed particles at once, or one by one.", &status);
    if (!e)
        return status;
    experiment_table *table = experiment_table_open(
        e, "expansion.csv", "held,list,springs,asymmetry_cells,stretch,motion_m_per_s");
    for (int hold = 0; hold < HOLDS && !experiment_failed(e); hold++) {
        simulate(e, hold, true, table);
        simulate(e, hold, false, table);
    }
    return experiment_close(e);
}
