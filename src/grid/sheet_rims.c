// SPDX-License-Identifier: MIT
// sheet_rims.c: faces that a sheet covers in part, along its edges.
//
// A line between two cell centres crosses a sheet or not. With all crossed faces closed, a plate
// in an ideal fluid is by 1/3 of a spacing larger, at each edge, than the faces that it closes:
// this is the solution of the pressure equation beside the end of a half plane. The size of the
// plate would then be wrong by -1/6 to 5/6 of a spacing at each edge, and the added mass of a
// disc 8 spacings wide by 12 to 32 %.
//
// Let e be the distance from the crossing to the edge, in spacings. For a sheet across the axis of
// the face the pressure equation gives the edge its place if the conductance of the face is
//
//     c = (1 - d) / (1 + 4 d / pi),     d = e + 1/2 - 1/3
//
// (fitted to solutions of that equation; within 0.002 for all d from 0 to 1). Sheets at any angle
// to the axis have the same c. e is measured in space: a line along the axis can cross a steep
// sheet close to its edge in projection and far behind it. c < 1 is an inertia: of the fluid that
// has to pass beside the edge, beyond the mass M of the face. With the velocity r = u - v of the
// fluid relative to the sheet, and its value r_0 before the substep,
//
//     J = K (r - r_0) + dt h^2 (rho/2) z |r_0| r - P
//     K = M (1/c - 1) = M (1 + 4/pi) d / (1 - d)
//
// Without the second term the fluid, once in motion, would pass the face freely. It is the loss
// of the jet from a slit that is the open part o = 1/2 - e of the face:
//
//     z = (1 / (C o) - 1)^2,     C = 0.61, contraction of the jet
//
// It closes the face when the fluid has moved by a part of a spacing, which is when the flow
// separates from the edge. Where d > FULL the face is closed. Lines that miss the edge by up to
// 1/6 of a spacing should have a face with d < 1/6, which is left open: 1/72 of a spacing in the
// mean.
//
// An edge beside which another sheet, the same sheet or a wall goes on is none. Permeable sheets
// and liquids have all crossed faces covered.
//
//   u, v  m/s, velocities along the axis, of fluid and sheet    h  m, spacing    dt  s, substep
//   M  kg, rho h^3    rho  kg/m^3    J, P, k, g, w  as in sheets.c
#include "grid/sheets.h"

static const double SHRINK = 1.0 / 3;            // spacings
static const double FULL = 0.8;                  // d of a face that counts as closed
static const double SPREAD = 1.2732395447351628; // 4/pi
static const double CONTRACTION = 0.61;          // C
static const double LEAST_GAP = 0.05;            // o

bool fm_sheet_linearise_rim(const fm_grid *g, crossing *c, double *const old[3], double dt)
{
    const fm_samples *s = g->sheets->sheets[c->sheet].samples;
    double d = c->rim + 0.5 - SHRINK, mass = g->def.density * g->h * g->h * g->h;
    if (!isinf(s->resistance) || !(d < FULL))
        return false;
    bool first =
        g->time - 1.5 * dt < s->start; // substep of the interval: the sheet has moved in it
    double was = fm_sheet_component(first ? c->before : c->velocity, c->axis);
    double slip = old[c->axis][c->q] - was, inertia = (1 + SPREAD) * d / (1 - d) * mass;
    double gap = CONTRACTION * fm_double_max(LEAST_GAP, 0.5 - c->rim), loss = 1 / gap - 1;
    double k = inertia + 0.5 * dt * mass / g->h * loss * loss * fabs(slip);
    c->k = k / (1 + c->response * k);
    c->g = -(inertia * slip + c->given) / (1 + c->response * k);
    return true;
}

// An edge of a sheet, across axis a of the faces: the axes b = across[0], and across[1].
typedef struct rim {
    int a, across[2], sheet;
    double from[3], to[3]; // spacings
    double out[2];         // direction across the edge, out of the sheet
} rim;

// Whether the sheet, another one or a wall continues beyond the edge.
static bool is_continued(const fm_grid *g, const rim *r, const double place[3])
{
    int side = fabs(r->out[1]) > fabs(r->out[0]), axis = r->across[side], at[3];
    double next[3] = {place[0], place[1], place[2]};
    ptrdiff_t q;
    next[axis] += r->out[side] > 0 ? 1 : -1;
    for (int b = 0; b < 3; b++)
        at[b] = (int)floor(b == r->a ? next[b] + 0.5 : next[b]);
    return !fm_grid_find_face(g, r->a, at, &q) || g->open[r->a][q] < 1 ||
           fm_grid_find_crossing(g, r->a, next, -1) >= 0;
}

// Part of the edge, from 0 to 1, that is nearest to a place; used: which axes count.
static double find_nearest_part(const rim *r, const double place[3], const bool used[3])
{
    double square = 0, product = 0;
    for (int b = 0; b < 3; b++) {
        double way = used[b] ? r->to[b] - r->from[b] : 0;
        square += way * way;
        product += way * (place[b] - r->from[b]);
    }
    return square > 0 ? fm_double_max(0, fm_double_min(1, product / square)) : 0.5;
}

// Distance of a place to the edge, spacings.
static double find_distance(const rim *r, const double place[3], const bool used[3])
{
    double part = find_nearest_part(r, place, used), square = 0;
    for (int b = 0; b < 3; b++) {
        double away = place[b] - r->from[b] - part * (r->to[b] - r->from[b]);
        square += used[b] ? away * away : 0;
    }
    return sqrt(square);
}

// Gives the distance of the edge to the crossing in the column of cells (j, k) across the axis.
static void measure_column(fm_grid *g, const rim *r, int j, int k)
{
    double place[3];
    bool across[3] = {g->active[0], g->active[1], g->active[2]};
    across[r->a] = false;
    place[r->across[0]] = j + 0.5, place[r->across[1]] = k + 0.5;
    double part = find_nearest_part(r, place, across);
    place[r->a] = r->from[r->a] + part * (r->to[r->a] - r->from[r->a]);
    bool near = find_distance(r, place, across) < FULL;
    int found = near ? fm_grid_find_crossing(g, r->a, place, r->sheet) : -1;
    if (found < 0 || is_continued(g, r, place))
        return;
    crossing *c = &g->sheets->crossings[found];
    place[r->a] = c->at;
    c->rim = fm_double_min(c->rim, find_distance(r, place, g->active));
}

// Measures the distances of an edge along axis a.
static void measure_rim(fm_grid *g, const rim *r)
{
    int low[2], high[2];
    for (int n = 0; n < 2; n++) {
        int b = r->across[n];
        double least = fm_double_min(r->from[b], r->to[b]),
               most = fm_double_max(r->from[b], r->to[b]);
        // an edge that has left the grid must not cost time
        least = fm_double_max(least - FULL - 0.5, -g->n[b]);
        most = fm_double_min(most + FULL - 0.5, 2 * g->n[b]);
        low[n] = g->active[b] ? (int)ceil(least) : 0;
        high[n] = g->active[b] ? (int)floor(most) : 0;
    }
    for (int j = low[0]; j <= high[0]; j++)
        for (int k = low[1]; k <= high[1]; k++)
            measure_column(g, r, j, k);
}

// The edge of the patch of sample i that is opposite of its corner m, as seen along axis a. False:
// it runs along the border of a plane flow.
static bool find_rim(const fm_grid *g, int number, int i, int m, int a, rim *r)
{
    const fm_samples *s = g->sheets->sheets[number].samples;
    const fm_vec3 *corner = s->end_corner + 3 * i;
    fm_vec3 from = fm_scale(fm_sub(corner[(m + 1) % 3], g->def.low), 1 / g->h);
    fm_vec3 to = fm_scale(fm_sub(corner[(m + 2) % 3], g->def.low), 1 / g->h);
    fm_vec3 apex = fm_scale(fm_sub(corner[m], g->def.low), 1 / g->h);
    *r = (rim){.a = a, .across = {(a + 1) % 3, (a + 2) % 3}, .sheet = number};
    if (!g->active[r->across[0]])
        r->across[0] = (a + 2) % 3, r->across[1] = (a + 1) % 3;
    for (int b = 0; b < 3; b++) {
        r->from[b] = fm_sheet_component(from, b);
        r->to[b] = fm_sheet_component(to, b);
        if (!(fabs(r->from[b]) + fabs(r->to[b]) < 1e8)) // far away, or a NaN
            return false;
    }
    int b = r->across[0], c = r->across[1];
    double way[2] = {r->to[b] - r->from[b], r->to[c] - r->from[c]};
    double in[2] = {fm_sheet_component(apex, b) - r->from[b],
                    fm_sheet_component(apex, c) - r->from[c]};
    double side = way[0] * in[1] - way[1] * in[0] > 0 ? 1 : -1;
    r->out[0] = side * way[1], r->out[1] = -side * way[0];
    if (g->active[c])
        return true;
    r->out[1] = 0;
    return fabs(way[1]) > fabs(way[0]);
}

void fm_grid_find_rims(fm_grid *g)
{
    for (int n = 0; n < g->sheets->count; n++) {
        const fm_samples *s = g->sheets->sheets[n].samples;
        for (int i = 0; i < s->count && isinf(s->resistance); i++)
            for (int m = 0; m < 3 && s->border[i]; m++)
                for (int a = 0; a < 3; a++) {
                    rim r;
                    if (s->border[i] >> m & 1 && g->active[a] && find_rim(g, n, i, m, a, &r))
                        measure_rim(g, &r);
                }
    }
}
