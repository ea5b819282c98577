// SPDX-License-Identifier: MIT
// sheets.c: thin sheets in the fluid with two-way coupling: cloth, permeable or not.
//
// A sheet is thinner than a cell. It acts on the faces whose dual edge, from the centre of one cell
// to that of the next, crosses it. The pressures of the two cells stay apart: the jump between them
// is the resistance of the sheet to the fluid that passes,
//
//     jump = R u_n + Q |u_n| u_n,      u_n = n . (u - v)
//
// With M = rho h^3, the mass of fluid at the face, and J the impulse of the fluid on the sheet
// along the axis a of the face, both the fluid and the sheet are implicit in J:
//
//     M (u - u*) = -M grad psi - J,    v = v* + w J,    J = dt h^2 sign(n_a) jump - P
//
// P is the part of J that both have received before: the load that the fluid predicted, less what
// the sheet returned (cloth/fluid_coupling.c). The tangent of the jump at the last velocity, with
// the components across the axis taken from there, makes J linear in u:
//
//     J = g + k (u - v*)      =>      u = u0 - c grad psi
//     u0 = (M u* + k v* - g) / (M + k),    c = M / (M + k)
//
// In a liquid the face has the mass m of its particles: m takes the place of M but for grad psi, so
// that the particles take over J to rounding, and c = M / (m + k).
//
// c is the conductance of the face in the pressure equation. A sheet that blocks (R infinite) has
// k = 1/w and g = 0: u = v. If it is also held, w = 0, it is a wall, with c = HELD. A light sheet
// has c close to 1: it moves with the fluid, and its forces act on the fluid. So no ratio of
// densities is unstable.
//
// The components of u_n across the axis are explicit. R is multiplied by |n_x| + |n_y| + |n_z| in
// k, and g subtracts the excess at the last velocity; this is stable for all R, and the steady
// state has the exact jump.
//
// The load F of the next interval of the sheet (cloth/fluid_coupling.c) is chosen so that the same
// acceleration of the sheet needs the same impulse: with the layer of fluid M_l that moves with the
// sheet and the change of its velocity from the start of the last interval, v_0,
//
//     F dt = P + J + M_l (v - v_0) = F_last dt + (1 + M_l w) J
//
// The velocity v at a face is the mean over the samples of the sheet that are next to the crossing,
// weighted by their areas across the axis. J is distributed with the same weights, so that
// impulses on fluid and sheet are equal and opposite, and w is the response to it.
//
// Faces at the edge of a sheet, which it covers in part, have their k and g from sheet_rims.c.
//
//   u*  m/s, velocity of the fluid before the projection    v, v*  m/s, of the sheet after and
//   before J    w  1/kg, inverse mass of the sheet there    n  unit normal    dt  s, substep
//   R  Pa s/m, resistance    Q  Pa s^2/m^2, quadratic resistance    psi  as in step.c
#include "grid/sheets.h"

#include <string.h>

static const double HELD = 1e-6; // conductance of a face across which a sheet is held
// Thickness of the layer of fluid that moves with a sheet during its own steps, spacings. One wave
// of any stiffness on a sheet of any mass and resistance, integrated exactly between the exchanges,
// does not grow if the layer is at most as heavy as the fluid that moves with the wave: 1.2
// spacings for the shortest wave in bulk, less where several layers of cloth share a face. Of a
// permeable sheet much less fluid than R dt per area moves along.
static const double LAYER = 0.25;
// A sample belongs to a crossing in its column that is nearer than this, spacings.
static const double NEAR = 1.5;
// Two crossings of a sheet with a dual edge closer than this are one, on the seam of two patches.
static const double SAME = 1e-4;
static const double LEAST = 0.1; // smallest mass of liquid at a face, of that of a full one
static const double HALF = 0.5;  // spacings from a sheet to the surface that is put onto it
static const double FIRST_INTERVAL = 1.0 / 240; // s, assumed before the first one
static const double SEAM = 1e-7;                // margin of the barycentric coordinates of a patch

static void add_component(fm_vec3 *v, int a, double x)
{
    *(a == 0 ? &v->x : a == 1 ? &v->y : &v->z) += x;
}

// Adds the samples of a body that pushes the fluid.
bool fm_grid_add_sheet(fm_grid *g, fm_samples *samples, fm_error *err)
{
    const char *name = g->object.name;
    if (!g->sheets) {
        fm_sheets *s = fm_arena_alloc(&g->arena, 1, sizeof *s, name, err);
        for (int a = 0; a < 3 && s; a++) {
            s->first[a] = fm_arena_alloc(&g->arena, g->count, sizeof(int), name, err);
            if (s->first[a])
                memset(s->first[a], -1, g->count * sizeof(int));
        }
        g->sheets = s;
    }
    fm_sheets *s = g->sheets;
    if (err->status != FM_OK || !s)
        return false;
    sheet *added = &s->sheets[s->count];
    size_t n = (size_t)samples->count;
    added->samples = samples;
    added->link = fm_arena_alloc(&g->arena, 3 * n, sizeof *added->link, name, err);
    added->face = fm_arena_alloc(&g->arena, 3 * n, sizeof *added->face, name, err);
    added->given = fm_arena_alloc(&g->arena, n, sizeof *added->given, name, err);
    // A patch has less than half the area of a face of the grid, so one crossing in three samples
    // is usual. The rest is for cloth that stretches to several times its area.
    s->room += 4 * samples->count + 64;
    s->crossings = fm_arena_alloc(&g->arena, (size_t)s->room, sizeof *s->crossings, name, err);
    s->faces = fm_arena_alloc(&g->arena, (size_t)s->room, sizeof *s->faces, name, err);
    s->count++;
    samples->implicit = true;
    return err->status == FM_OK;
}

int fm_grid_sheet_count(const fm_grid *g)
{
    return g->sheets ? g->sheets->count : 0;
}

// Position in spacings from the low corner of the grid. Along inactive axes the middle of the cell.
static void find_place(const fm_grid *g, fm_vec3 at, double place[3])
{
    fm_vec3 from = fm_scale(fm_sub(at, g->def.low), 1 / g->h);
    for (int a = 0; a < 3; a++)
        place[a] = g->active[a] ? fm_sheet_component(from, a) : 0.5;
}

static bool is_periodic(const fm_grid *g, int a)
{
    return g->def.sides[2 * a].kind == FM_GRID_PERIODIC;
}

// Brings the number of a cell along axis a into the grid, if the axis is periodic. False: outside.
static bool wrap(const fm_grid *g, int a, int *cell)
{
    if (is_periodic(g, a))
        *cell = (*cell % g->n[a] + g->n[a]) % g->n[a];
    return *cell >= 0 && *cell < g->n[a];
}

// kg, mass of fluid at a face: in a liquid, that of its particles.
static double find_mass(const fm_grid *g, int a, ptrdiff_t q)
{
    double mass = g->def.density * g->h * g->h * g->h;
    return g->filled[a] ? fm_double_max(LEAST, g->filled[a][q]) * mass : mass;
}

// Index of face number `at` along its axis a. False: outside the grid, or on a side of it.
bool fm_grid_find_face(const fm_grid *g, int a, const int at[3], ptrdiff_t *q)
{
    int cell[3] = {at[0], at[1], at[2]};
    for (int b = 0; b < 3; b++)
        if (!wrap(g, b, &cell[b]))
            return false;
    *q = fm_grid_index(g, cell[0], cell[1], cell[2]);
    return is_periodic(g, a) || cell[a] > 0;
}

// Sets the value of a face, and that of its copy on the other side of a periodic grid.
void fm_grid_set_face(const fm_grid *g, double *values, int a, ptrdiff_t q, double value)
{
    values[q] = value;
    ptrdiff_t from = q - g->start, k = from / g->stride[2],
              j = (from - k * g->stride[2]) / g->stride[1],
              i = from - k * g->stride[2] - j * g->stride[1];
    if (is_periodic(g, a) && (a == 0 ? i : a == 1 ? j : k) == 0)
        values[q + g->n[a] * g->stride[a]] = value;
}

// Adds a crossing at `place`, unless the same sheet crosses there already.
static bool add_crossing(fm_grid *g, int a, const double place[3], int number, int sample,
                         fm_error *err)
{
    fm_sheets *s = g->sheets;
    int at[3];
    ptrdiff_t q;
    for (int b = 0; b < 3; b++)
        at[b] = (int)floor(b == a ? place[b] + 0.5 : place[b]);
    if (!fm_grid_find_face(g, a, at, &q) || g->open[a][q] < 1)
        return true;
    for (int i = s->first[a][q]; i >= 0; i = s->crossings[i].next)
        if (s->crossings[i].sheet == number && fabs(s->crossings[i].at - place[a]) < SAME)
            return true;
    if (s->crossing_count == s->room)
        return fm_fail_number(err, g->object.name, "cells that a body crosses", s->room + 1,
                              "fewer: the body stretches too far");
    if (s->first[a][q] < 0)
        s->faces[s->face_count++] = (crossed_face){.q = q, .axis = a};
    s->crossings[s->crossing_count] = (crossing){.q = q,
                                                 .axis = a,
                                                 .sheet = number,
                                                 .sample = sample,
                                                 .next = s->first[a][q],
                                                 .at = place[a],
                                                 .rim = INFINITY};
    s->first[a][q] = s->crossing_count++;
    return true;
}

// Finds where lines along axis a through the centres of cells cross the patch of a sample.
static bool cross_patch(fm_grid *g, int a, int number, int i, fm_error *err)
{
    const fm_samples *s = g->sheets->sheets[number].samples;
    int b = (a + 1) % 3, c = (a + 2) % 3, low[2], high[2], across[2] = {b, c};
    fm_vec3 n = s->normal[i];
    double place[3], slope = fm_sheet_component(n, a), reach = s->reach[i] / g->h;
    if (fabs(slope) < 1e-6)
        return true;
    find_place(g, s->end_position[i], place);
    if (!(fabs(place[0]) + fabs(place[1]) + fabs(place[2]) < 1e8)) // far away, or a NaN
        return true;
    for (int k = 0; k < 2; k++) {
        low[k] = g->active[across[k]] ? (int)ceil(place[across[k]] - reach - 0.5) : 0;
        high[k] = g->active[across[k]] ? (int)floor(place[across[k]] + reach - 0.5) : 0;
    }
    // along inactive axes the fluid is one line of cells, at its middle
    double inside =
        fm_sheet_component(fm_scale(fm_sub(s->end_position[i], g->def.low), 1 / g->h), c);
    double offset = g->active[c] ? 0 : inside - 0.5;
    for (int j = low[0]; j <= high[0]; j++)
        for (int k = low[1]; k <= high[1]; k++) {
            double r[3] = {0};
            r[b] = j + 0.5 - place[b];
            r[c] = g->active[c] ? k + 0.5 - place[c] : -offset;
            r[a] = -(fm_sheet_component(n, b) * r[b] + fm_sheet_component(n, c) * r[c]) / slope;
            fm_vec3 away = {r[0] * g->h, r[1] * g->h, r[2] * g->h};
            double x = fm_dot(away, s->along[i]) + 1.0 / 3;
            double y = fm_dot(away, s->across[i]) + 1.0 / 3;
            if (x < -SEAM || y < -SEAM || x + y > 1 + SEAM)
                continue;
            double hit[3];
            hit[a] = place[a] + r[a], hit[b] = j + 0.5, hit[c] = k + 0.5;
            if (!add_crossing(g, a, hit, number, i, err))
                return false;
        }
    return true;
}

int fm_grid_find_crossing(const fm_grid *g, int a, const double place[3], int number)
{
    const fm_sheets *s = g->sheets;
    double nearest = NEAR;
    int found = -1;
    for (int step = -1; step <= 1; step++) {
        int at[3];
        ptrdiff_t q;
        for (int b = 0; b < 3; b++)
            at[b] = (int)floor(b == a ? place[b] + 0.5 : place[b]);
        at[a] += step;
        if (!fm_grid_find_face(g, a, at, &q))
            continue;
        for (int i = s->first[a][q]; i >= 0; i = s->crossings[i].next) {
            double distance = fabs(s->crossings[i].at - place[a]);
            if ((number < 0 || s->crossings[i].sheet == number) && distance < nearest) {
                nearest = distance;
                found = i;
            }
        }
    }
    return found;
}

// The face whose dual cell contains a place, or the nearest inside the grid; -1: a collider.
static ptrdiff_t find_nearest_face(const fm_grid *g, int a, const double place[3])
{
    int at[3];
    ptrdiff_t q;
    for (int b = 0; b < 3; b++) {
        int lowest = b == a && !is_periodic(g, a), highest = g->n[b] - 1;
        double x = floor(b == a ? place[b] + 0.5 : place[b]);
        if (!is_periodic(g, b))
            x = fm_double_max(lowest, fm_double_min(highest, x));
        at[b] = (int)x;
    }
    return fm_grid_find_face(g, a, at, &q) && g->open[a][q] >= 1 ? q : -1;
}

// Links a sample to a crossing, with its weight, velocity and response.
static void link_sample(fm_sheets *all, sheet *sh, int i, int a, int k)
{
    const fm_samples *s = sh->samples;
    crossing *c = &all->crossings[k];
    double weight = s->area[i] * fabs(fm_sheet_component(s->normal[i], a));
    sh->link[3 * i + a] = k;
    sh->face[3 * i + a] = c->q;
    c->weight += weight;
    // with the impulses of earlier substeps of the interval
    fm_vec3 v = fm_add_scaled(s->body_velocity[i], s->impulse_to_body[i], s->inverse_mass[i]);
    c->velocity = fm_add_scaled(c->velocity, v, weight);
    c->before = fm_add_scaled(c->before, s->start_velocity[i], weight);
    c->response += weight * weight * s->inverse_mass[i];
}

// Links the samples of a sheet to the crossings next to them.
static void link_samples(fm_grid *g, int number)
{
    sheet *sh = &g->sheets->sheets[number];
    const fm_samples *s = sh->samples;
    for (int i = 0; i < s->count; i++) {
        double place[3];
        find_place(g, s->end_position[i], place);
        sh->given[i] = fm_scale(s->impulse_to_fluid[i], -1);
        for (int a = 0; a < 3; a++) {
            // a sample along the axis has no area across it: as the only one of a crossing, 0/0
            bool across = s->area[i] * fabs(fm_sheet_component(s->normal[i], a)) > 0;
            int k = g->active[a] && across ? fm_grid_find_crossing(g, a, place, number) : -1;
            sh->link[3 * i + a] = -1;
            sh->face[3 * i + a] = k < 0 && g->active[a] ? find_nearest_face(g, a, place) : -1;
            if (k >= 0)
                link_sample(g->sheets, sh, i, a, k);
        }
    }
}

// Completes the means over the samples of a crossing. One without samples in its column takes the
// sample that it crosses, or if that has another crossing, only its velocity.
static void finish_crossing(fm_sheets *all, int k)
{
    crossing *c = &all->crossings[k];
    sheet *sh = &all->sheets[c->sheet];
    if (c->weight <= 0 && sh->link[3 * c->sample + c->axis] < 0)
        link_sample(all, sh, c->sample, c->axis, k);
    if (c->weight > 0) {
        c->velocity = fm_scale(c->velocity, 1 / c->weight);
        c->before = fm_scale(c->before, 1 / c->weight);
        c->response /= c->weight * c->weight;
    } else {
        c->velocity = sh->samples->body_velocity[c->sample];
        c->before = sh->samples->start_velocity[c->sample];
        c->response = sh->samples->inverse_mass[c->sample];
    }
}

// Removes all crossings.
static void clear_crossings(fm_sheets *s)
{
    for (int i = 0; i < s->face_count; i++)
        s->first[s->faces[i].axis][s->faces[i].q] = -1;
    s->face_count = s->crossing_count = 0;
}

// Finds all crossings with the bodies at the end of the coupling interval, and the velocities
// there.
bool fm_grid_place_sheets(fm_grid *g, fm_error *err)
{
    fm_sheets *s = g->sheets;
    if (!s)
        return true;
    clear_crossings(s);
    for (int k = 0; k < s->count; k++)
        for (int i = 0; i < s->sheets[k].samples->count; i++)
            for (int a = 0; a < 3; a++)
                if (g->active[a] && !cross_patch(g, a, k, i, err))
                    return false;
    for (int k = 0; k < s->count; k++)
        link_samples(g, k);
    for (int i = 0; i < s->crossing_count; i++)
        finish_crossing(s, i);
    for (int i = 0; i < s->face_count; i++)
        s->faces[i].first = s->first[s->faces[i].axis][s->faces[i].q];
    if (!g->level)
        fm_grid_find_rims(g);
    return true;
}

// Share of a crossing's impulse that sample i of its sheet gets.
static double find_share(const sheet *sh, const crossing *c, int i)
{
    const fm_samples *s = sh->samples;
    return s->area[i] * fabs(fm_sheet_component(s->normal[i], c->axis)) / c->weight;
}

// Adds `factor` times the accelerations by the impulses that bodies gave, as forces during their
// interval, to `rate`.
void fm_grid_add_sheet_rates(fm_grid *g, double *const rate[3], double factor)
{
    for (int k = 0; g->sheets && k < g->sheets->count; k++) {
        const sheet *sh = &g->sheets->sheets[k];
        double span = sh->samples->end - sh->samples->start;
        double scale = span > 0 ? -factor / span : 0;
        for (int i = 0; i < 3 * sh->samples->count; i++) {
            ptrdiff_t q = sh->face[i];
            double given = fm_sheet_component(sh->given[i / 3], i % 3);
            if (q >= 0 && given != 0)
                fm_grid_set_face(g, rate[i % 3], i % 3, q,
                                 rate[i % 3][q] + scale * given / find_mass(g, i % 3, q));
        }
    }
}

// m/s, largest sum of the components of a body's velocity.
double fm_grid_sheet_speed(const fm_grid *g)
{
    double fastest = 0;
    for (int k = 0; g->sheets && k < g->sheets->count; k++) {
        const fm_samples *s = g->sheets->sheets[k].samples;
        for (int i = 0; i < s->count; i++) {
            fm_vec3 v = s->body_velocity[i];
            fastest = fm_double_max(fastest, s->wet[i] * (fabs(v.x) + fabs(v.y) + fabs(v.z)));
        }
    }
    return fastest;
}

// The velocity of the fluid on a face, all components, from the velocities `u`, m/s.
static fm_vec3 find_face_velocity(const fm_grid *g, double *const u[3], int a, ptrdiff_t q)
{
    double v[3];
    for (int b = 0; b < 3; b++) {
        ptrdiff_t sa = g->stride[a], sb = g->stride[b];
        const double *w = u[b] + q;
        v[b] = b == a ? w[0] : !g->active[b] ? 0 : 0.25 * (w[0] + w[sb] + w[-sa] + w[sb - sa]);
    }
    return (fm_vec3){v[0], v[1], v[2]};
}

// Computes k and g of a crossing for a substep of dt seconds; `old`: velocities before it, m/s.
static void linearise(const fm_grid *g, crossing *c, double *const old[3], double dt, double mass)
{
    const fm_samples *s = g->sheets->sheets[c->sheet].samples;
    double w = c->response;
    if (fm_sheet_linearise_rim(g, c, old, dt))
        return;
    if (isinf(s->resistance)) {
        c->k = fm_double_min(1 / fm_double_max(w, 1e-300), mass / HELD);
        c->g = 0;
        return;
    }
    fm_vec3 n = s->normal[c->sample];
    fm_vec3 slip = fm_sub(find_face_velocity(g, old, c->axis, c->q), c->velocity);
    double un = fm_dot(n, slip), sign = fm_sheet_component(n, c->axis) > 0 ? 1 : -1;
    double area = dt * g->h * g->h, tangent = s->resistance + 2 * s->quadratic * fabs(un);
    double k = area * tangent * (fabs(n.x) + fabs(n.y) + fabs(n.z));
    double constant = area * sign * (tangent * un - s->quadratic * fabs(un) * un) -
                      k * fm_sheet_component(slip, c->axis) - c->given;
    c->k = k / (1 + w * k);
    c->g = constant / (1 + w * k);
}

ptrdiff_t fm_grid_find_solver_cell(const fm_grid *g, ptrdiff_t q)
{
    const fm_cell_layout *l = fm_poisson_layout(g->solver);
    ptrdiff_t from = q - g->start, k = from / g->stride[2],
              j = (from - k * g->stride[2]) / g->stride[1],
              i = from - k * g->stride[2] - j * g->stride[1];
    return l->start + i + j * l->stride[1] + k * l->stride[2];
}

// Adds what sample i has received along axis a, in a substep that is the given part of its
// interval, to crossing c, without buoyancy.
static void add_given(crossing *c, const sheet *sh, int i, int a, double weight, double part,
                      double dt)
{
    const fm_samples *s = sh->samples;
    c->given += part * fm_sheet_component(sh->given[i], a) + dt * weight;
    c->load += fm_sheet_component(s->load[i], a) + weight;
    c->layer += find_share(sh, c, i) * s->added_mass[i] * s->inverse_mass[i];
}

// Sums the impulses and loads that the bodies have received before, at each crossing.
static void sum_given(fm_grid *g, fm_vec3 gravity, double dt)
{
    fm_sheets *all = g->sheets;
    for (int i = 0; i < all->crossing_count; i++)
        all->crossings[i].given = all->crossings[i].load = all->crossings[i].layer = 0;
    for (int k = 0; k < all->count; k++) {
        const sheet *sh = &all->sheets[k];
        const fm_samples *s = sh->samples;
        double part = s->end > s->start ? dt / (s->end - s->start) : 0;
        for (int i = 0; i < 3 * s->count; i++)
            if (sh->link[i] >= 0)
                add_given(&all->crossings[sh->link[i]], sh, i / 3, i % 3,
                          s->displaced[i / 3] * fm_sheet_component(gravity, i % 3), part, dt);
    }
}

bool fm_grid_is_crossed(const fm_grid *g, int a, ptrdiff_t q)
{
    return g->sheets && g->sheets->first[a][q] >= 0;
}

// Part of the way from the low to the high cell of a face at which the first sheet that nothing
// passes is, from the cell `low` or from the other; slope: component of its normal along the axis.
// 2: there is none.
static double find_tight_crossing(const fm_sheets *s, const crossed_face *f, bool low,
                                  double *slope)
{
    double found = 2;
    for (int k = f->first; k >= 0; k = s->crossings[k].next) {
        const crossing *c = &s->crossings[k];
        const fm_samples *samples = s->sheets[c->sheet].samples;
        double part = c->at + 0.5 - floor(c->at + 0.5);
        if (!isinf(samples->resistance) || (found < 2 && (part < found) != low))
            continue;
        found = part;
        *slope = fabs(fm_sheet_component(samples->normal[c->sample], c->axis));
    }
    return found;
}

// Puts the surface of a liquid that is nearer than HALF to a sheet that nothing passes onto the
// sheet. phi: spacings, of cells.
void fm_grid_anchor_surface(const fm_grid *g, double *phi)
{
    const fm_sheets *s = g->sheets;
    for (int i = 0; s && i < s->face_count; i++) {
        const crossed_face *f = &s->faces[i];
        double *below = phi + f->q - g->stride[f->axis], *above = phi + f->q, slope = 0;
        bool low = *below < 0;
        if (low == (*above < 0))
            continue;
        double part = find_tight_crossing(s, f, low, &slope);
        if (fabs(*below / (*below - *above) - part) > HALF)
            continue;
        *(low ? above : below) = slope * (low ? 1 - part : part);
        double *wet = low ? below : above;
        *wet = fm_double_max(*wet, -slope * (low ? part : 1 - part));
    }
}

// Multiplies the conductance of a crossed face by its ratio. A face of a liquid with air on one
// side has its conductance in that of the cell to the surface.
static void scale_conductance(const fm_grid *g, crossed_face *f)
{
    ptrdiff_t stride = fm_poisson_layout(g->solver)->stride[f->axis];
    f->conductance = fm_poisson_conductances(g->solver, f->axis)[f->cell];
    if (f->low && f->high)
        fm_poisson_set_conductance(g->solver, f->axis, f->cell, (float)(f->conductance * f->ratio));
    else
        fm_poisson_given_conductances(g->solver)[f->high ? f->cell : f->cell - stride] -=
            (float)(1 - f->ratio);
}

// A face without fluid exchanges nothing. The impulses that the sheet gave there are lost: to take
// them back would be unstable, because they contain the momentum of a layer that is not there.
static void forget_given(fm_sheets *s, crossed_face *f)
{
    f->ratio = 1;
    for (int k = f->first; k >= 0; k = s->crossings[k].next)
        s->crossings[k].impulse = s->crossings[k].given = 0;
}

// Before the projection: exchanges momentum on all crossed faces, and gives their conductances to
// the pressure solver, which must then be updated. g->u holds u*; `old`: velocities before the
// substep of dt seconds.
void fm_grid_exchange_with_sheets(fm_grid *g, double *const old[3], fm_vec3 gravity, double dt)
{
    fm_sheets *s = g->sheets;
    double mass = g->def.density * g->h * g->h * g->h;
    if (!s)
        return;
    sum_given(g, gravity, dt);
    for (int i = 0; i < s->face_count; i++) {
        crossed_face *f = &s->faces[i];
        double total, momentum, *u = &g->u[f->axis][f->q];
        f->cell = fm_grid_find_solver_cell(g, f->q);
        f->start = *u;
        f->low = !g->level || g->level[f->q - g->stride[f->axis]] < 0;
        f->high = !g->level || g->level[f->q] < 0;
        if (!f->low && !f->high) {
            forget_given(s, f);
            continue;
        }
        total = f->mass = find_mass(g, f->axis, f->q);
        momentum = f->mass * *u;
        for (int k = f->first; k >= 0; k = s->crossings[k].next) {
            crossing *c = &s->crossings[k];
            linearise(g, c, old, dt, mass);
            total += c->k;
            momentum += c->k * fm_sheet_component(c->velocity, c->axis) - c->g;
        }
        f->ratio = mass / total;
        fm_grid_set_face(g, g->u[f->axis], f->axis, f->q, momentum / total);
        scale_conductance(g, f);
    }
}

// Distributes the impulse of a face, N s, to its crossings: the sum is exact.
static void distribute_impulse(fm_sheets *s, const crossed_face *f, double u, double total)
{
    int last = f->first;
    for (int k = f->first; k >= 0; k = s->crossings[k].next)
        last = s->crossings[k].k > s->crossings[last].k ? k : last;
    double rest = total;
    for (int k = f->first; k >= 0; k = s->crossings[k].next) {
        crossing *c = &s->crossings[k];
        c->impulse = c->g + c->k * (u - fm_sheet_component(c->velocity, c->axis));
        rest -= k == last ? 0 : c->impulse;
    }
    s->crossings[last].impulse = rest;
}

// Adds the impulses of the crossings to the samples. last: also sets the load of the next interval,
// of a permeable sheet only along its normal: single crossings along an axis that is nearly tangent
// to a sheet would make it vibrate in its plane.
static void give_impulses(fm_grid *g, int number, double dt, bool last)
{
    fm_sheets *all = g->sheets;
    sheet *sh = &all->sheets[number];
    fm_samples *s = sh->samples;
    for (int i = 0; i < s->count; i++) {
        fm_vec3 load = {0};
        for (int a = 0; a < 3; a++) {
            int k = sh->link[3 * i + a];
            if (k < 0)
                continue;
            const crossing *c = &all->crossings[k];
            double share = find_share(sh, c, i);
            add_component(&s->impulse_to_body[i], a, share * c->impulse);
            add_component(&load, a, share * (c->load + (1 + c->layer) * c->impulse / dt));
        }
        if (last && isfinite(s->resistance) && s->inverse_mass[i] > 0)
            load = fm_scale(s->normal[i], fm_dot(s->normal[i], load));
        if (last)
            s->load[i] = load;
    }
    for (int k = 0; k < all->crossing_count; k++) {
        const crossing *c = &all->crossings[k];
        if (c->sheet == number && c->weight <= 0)
            add_component(&s->impulse_to_body[c->sample], c->axis, c->impulse);
    }
}

// After the projection, which took the crossed faces for open ones: corrects the velocities there,
// and gives the bodies their impulses. last: the substep ends the coupling interval.
void fm_grid_finish_sheets(fm_grid *g, double dt, bool last)
{
    fm_sheets *s = g->sheets;
    const double *psi = fm_poisson_solution(g->solver);
    double mass = g->def.density * g->h * g->h * g->h;
    for (int i = 0; s && i < s->face_count; i++) {
        crossed_face *f = &s->faces[i];
        ptrdiff_t stride = fm_poisson_layout(g->solver)->stride[f->axis];
        if (!f->low && !f->high)
            continue;
        double above = f->high ? psi[f->cell] : 0, below = f->low ? psi[f->cell - stride] : 0;
        double gradient = above - below, u = g->u[f->axis][f->q];
        u += (1 - f->ratio) * gradient;
        fm_grid_set_face(g, g->u[f->axis], f->axis, f->q, u);
        if (f->low && f->high)
            fm_poisson_set_conductance(g->solver, f->axis, f->cell, f->conductance);
        distribute_impulse(s, f, u, f->mass * (f->start - u) - mass * gradient);
    }
    for (int k = 0; s && k < s->count; k++)
        give_impulses(g, k, dt, last);
}

// Before the first coupling interval, and at the end of each: gives added mass, kg, and buoyancy,
// N, to the bodies from number `first` on.
void fm_grid_release_sheets(fm_grid *g, int first, fm_vec3 gravity)
{
    for (int k = first; g->sheets && k < g->sheets->count; k++) {
        fm_samples *s = g->sheets->sheets[k].samples;
        double dt = s->end > s->start ? s->end - s->start : FIRST_INTERVAL;
        double layer = g->def.density * g->h, drag = s->resistance * dt;
        double held = isinf(drag) ? 1 : drag / (layer + drag), part = LAYER * held * held;
        for (int i = 0; i < s->count; i++) {
            s->added_mass[i] = s->wet[i] * part * layer * s->area[i];
            s->impulse_to_fluid[i] = (fm_vec3){0};
            s->displaced[i] = s->wet[i] * g->def.density * s->area[i] * s->thickness;
            s->load[i] = fm_add_scaled(s->load[i], gravity, -s->displaced[i]);
        }
    }
}
