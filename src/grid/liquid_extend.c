// SPDX-License-Identifier: MIT
// liquid_extend.c: velocities outside the liquid, for particles and surface that move there.
//
// Faces whose velocity is known are those with particles around, or those of liquid cells after the
// pressure has acted. Layer by layer, every other face with a known face among its six neighbours
// of the same component gets the mean of these. Across the surface, the first face beyond it is
// extrapolated linearly from the two faces before it, along its axis or where the shear is small
// along the others, unless a collider closes it: the surface then moves with the velocity at its
// place, and not with that half a cell below.
// Faces inside a collider with the normal n and the velocity s get
//
//     u_a = (1 - n_a^2) u_a + n_a^2 s_a
//
// so that particles slide along it.
#include "grid/liquid.h"

#include <stdint.h>
#include <string.h>

enum { FIRST = 2 }; // mark of the first layer; known faces have 1
// Largest shear of a substep up to which velocities are extrapolated across their axis.
static const double SHEAR = 0.1;

// The extension of one component of the velocity by one layer.
typedef struct extension {
    fm_liquid *l;
    int a; // axis of the component
    fm_liquid_extent from;
    unsigned char layer; // mark of the layer
} extension;

// Whether the face at index q of component a has a velocity of its own. at: indices of the cell
// whose low face along axis a it is; at[a] = n[a]: the face is on the high side of the grid.
static bool is_known(const fm_liquid *l, int a, ptrdiff_t q, const int at[3], fm_liquid_extent from)
{
    const fm_grid *g = l->grid;
    ptrdiff_t s = g->stride[a];
    bool low = at[a] > 0, high = at[a] < g->n[a];
    if (from == FM_LIQUID_FROM_PARTICLES)
        return low && high && g->rate[a][q] > 1e-6;
    bool wet = (high && fm_liquid_is_wet(l, q)) || (low && fm_liquid_is_wet(l, q - s));
    if (!wet || g->open[a][q] == 0)
        return false;
    return (low && high) || fm_grid_find_condition(g, 2 * a + !high, at)->kind == FM_GRID_OPEN;
}

// Marks the faces of a row whose velocity is known.
static void start_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const extension *job = context;
    ptrdiff_t from = q - g->start, k = from / g->stride[2],
              j = (from - k * g->stride[2]) / g->stride[1];
    for (int i = 0; i < length; i++) {
        int at[3] = {i, (int)j, (int)k};
        bool known = is_known(job->l, job->a, q + i, at, job->from);
        job->l->known[job->a][q + i] = known;
        if (!known)
            g->u[job->a][q + i] = 0;
    }
}

// Extrapolates linearly along the axis with the stride s. False if that is not possible from one
// side only.
static bool extrapolate(const double *u, const unsigned char *known, ptrdiff_t i, ptrdiff_t s,
                        double *value)
{
    bool low = known[i - s] == 1 && known[i - 2 * s] == 1;
    bool high = known[i + s] == 1 && known[i + 2 * s] == 1;
    *value = low ? 2 * u[i - s] - u[i - 2 * s] : high ? 2 * u[i + s] - u[i + 2 * s] : 0;
    return low != high && !(known[i - s] == 1 && known[i + s] == 1);
}

// Whether the velocity of face i, extrapolated along axis b, differs so little from that of the
// next face that the shear in the substep is small: true in waves, not in splashes.
static bool is_gentle(const fm_grid *g, const extension *job, ptrdiff_t i, int b, double value)
{
    const unsigned char *known = job->l->known[job->a];
    ptrdiff_t s = g->stride[b], next = known[i - s] == 1 ? i - s : i + s;
    return job->l->dt * fabs(value - g->u[job->a][next]) < SHEAR * g->h;
}

// Extrapolates the velocity of a face, m/s, along the axis of its component, or else along the
// others: the mean of those where that is possible. False if it is along none.
static bool extrapolate_face(const fm_grid *g, const extension *job, ptrdiff_t i, double *value)
{
    const unsigned char *known = job->l->known[job->a];
    const double *u = g->u[job->a];
    double sum = 0, found;
    int count = 0;
    bool across = job->l->def.method != FM_LIQUID_PUBLISHED &&
                  !fm_liquid_has_bodies(job->l); // other axes too
    if (extrapolate(u, known, i, g->stride[job->a], value))
        return true;
    for (int b = 0; b < 3 && across; b++)
        if (b != job->a && g->active[b] && extrapolate(u, known, i, g->stride[b], &found) &&
            is_gentle(g, job, i, b, found))
            sum += found, count++;
    *value = count > 0 ? sum / count : *value;
    return count > 0;
}

// Computes the velocity of a face, m/s, from those that are known. Returns its mark; 0: none is.
static unsigned char extend_face(fm_grid *g, const extension *job, ptrdiff_t i)
{
    const unsigned char *known = job->l->known[job->a];
    double *u = g->u[job->a], sum = 0;
    int count = 0;
    if (job->layer == FIRST && job->from == FM_LIQUID_FROM_LIQUID && g->open[job->a][i] > 0 &&
        extrapolate_face(g, job, i, &u[i]))
        return job->layer;
    for (int b = 0; b < 3; b++) {
        ptrdiff_t s = g->stride[b];
        if (!g->active[b])
            continue;
        if (known[i - s])
            sum += u[i - s], count++;
        if (known[i + s])
            sum += u[i + s], count++;
    }
    if (count == 0)
        return 0;
    u[i] = sum / count;
    return job->layer;
}

// The marks of eight faces in a row.
static uint64_t load_marks(const unsigned char *known)
{
    uint64_t marks;
    memcpy(&marks, known, sizeof marks);
    return marks;
}

// Whether any neighbour of the eight faces from i on is known. The loop skips the faces in air and
// deep inside the liquid, which are most.
static bool is_near_known(const fm_grid *g, const unsigned char *known, ptrdiff_t i)
{
    uint64_t any = load_marks(known + i - 1) | load_marks(known + i + 1);
    for (int b = 1; b < 3; b++)
        if (g->active[b])
            any |= load_marks(known + i - g->stride[b]) | load_marks(known + i + g->stride[b]);
    return any != 0;
}

// Computes the velocities of one layer, m/s: faces of a row beside faces that are known.
static void extend_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const extension *job = context;
    const unsigned char *known = job->l->known[job->a];
    unsigned char *next = job->l->next_known[job->a];
    memcpy(next + q, known + q, (size_t)length);
    for (ptrdiff_t i = q; i < q + length; i += 8) {
        ptrdiff_t last = i + 8 < q + length ? i + 8 : q + length;
        if (last - i == 8 && !is_near_known(g, known, i))
            continue;
        for (ptrdiff_t n = i; n < last; n++)
            if (!known[n])
                next[n] = extend_face(g, job, n);
    }
}

// Velocities of faces inside colliders.
static void slide_along_solids(fm_liquid *l)
{
    fm_grid *g = l->grid;
    for (int i = 0; i < g->solids.face_count; i++) {
        const fm_solid_face *f = &g->solids.faces[i];
        if (f->open > 0)
            continue;
        const double *d = g->distance + f->q;
        double slope[3] = {0}, square = 0;
        for (int b = 0; b < 3; b++) { // the corners of the two cells of the face
            ptrdiff_t sa = g->stride[f->axis], s = g->stride[b];
            if (!g->active[b])
                continue;
            slope[b] = b == f->axis ? d[sa] - d[-sa] : 2 * (d[s] - d[0]);
            square += slope[b] * slope[b];
        }
        double share = square > 0 ? slope[f->axis] * slope[f->axis] / square : 1;
        double *u = &g->u[f->axis][f->q];
        *u += share * (f->solid - *u);
    }
}

// Extends the velocities by `layers` layers of faces beyond those that are known.
void fm_liquid_extend(fm_liquid *l, fm_liquid_extent from, int layers, fm_pool *pool)
{
    fm_grid *g = l->grid;
    for (int a = 0; a < 3; a++) {
        extension job = {l, a, from, 0};
        if (!g->active[a])
            continue;
        fm_grid_for_rows(g, pool, a, 4, start_row, &job);
        for (int layer = 0; layer < layers; layer++) {
            job.layer = (unsigned char)(layer + FIRST);
            fm_grid_for_rows(g, pool, a, 4, extend_row, &job);
            unsigned char *known = l->known[a];
            l->known[a] = l->next_known[a];
            l->next_known[a] = known;
        }
    }
    if (from == FM_LIQUID_FROM_LIQUID)
        slide_along_solids(l);
}
