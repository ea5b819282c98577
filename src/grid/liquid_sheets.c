// SPDX-License-Identifier: MIT
// liquid_sheets.c: bodies in a liquid with a free surface: cloth that is wet in part, and bags.
//
// Forces are those of sheets.c, on the faces with liquid on at least one side. Where there is air
// on the other side, the pressure of the liquid cell acts on the sheet as a whole: the surface is
// at the sheet. Particles do not pass through a sheet without `resistance`. A particle that moves
// from x0 to x1 while the patch of a sample moves from s0 to s1, and its normal from n0 to n1, has
// crossed it if
//
//     n0 . (x0 - s0)  and  n1 . (x1 - s1)
//
// have different signs and the path meets the patch. It is put back beside the sheet, CLEARANCE
// away from its plane, without the velocity into it.
#include "grid/liquid.h"

#include <string.h>

// Spacings; where a patch turns by 0.1 in a substep, its ends do not reach farther.
static const double CLEARANCE = 0.1;
// Margin of the barycentric coordinates of a patch: neighbouring patches move differently, and with
// 0.05 particles slip between them.
static const double SEAM = 0.3;
enum { ROUNDS = 4 }; // crossings that are corrected one after the other

// Whether particles stop at the body.
static bool is_tight(const fm_samples *s)
{
    return !s->passive && !s->by_drag && isinf(s->resistance);
}

// Puts the samples of a body into the liquid.
bool fm_liquid_attach_samples(fm_liquid *l, fm_samples *samples, fm_vec3 gravity, fm_error *err)
{
    fm_grid *g = l->grid;
    fm_sample_list *list = &l->samples;
    size_t cells = (size_t)g->n[0] * (size_t)g->n[1] * (size_t)g->n[2];
    g->level = l->phi;
    if (!fm_grid_attach_samples(g, samples, gravity, err))
        return false;
    if (!is_tight(samples))
        return true;
    list->room += samples->count;
    list->item =
        fm_arena_alloc(&l->arena, (size_t)list->room, sizeof *list->item, l->object.name, err);
    if (!list->near) {
        list->near = fm_arena_alloc(&l->arena, cells, 1, l->object.name, err);
        list->start =
            fm_arena_alloc(&l->arena, cells + 1, sizeof *list->start, l->object.name, err);
    }
    return err->status == FM_OK;
}

// Position in spacings from the low corner of the grid.
static fm_vec3 find_place(const fm_grid *g, fm_vec3 at)
{
    return fm_scale(fm_sub(at, g->def.low), 1 / g->h);
}

// The cell of a place; the nearest one if it is outside the grid.
static void find_cell(const fm_grid *g, fm_vec3 place, int cell[3])
{
    const double x[3] = {place.x, place.y, place.z};
    for (int a = 0; a < 3; a++)
        cell[a] = (int)fm_double_max(0, fm_double_min(g->n[a] - 1, floor(x[a])));
}

static int find_number(const fm_grid *g, const int cell[3])
{
    return cell[0] + g->n[0] * (cell[1] + g->n[1] * cell[2]);
}

// Marks the cells around a sample.
static void mark_near(const fm_grid *g, fm_sample_list *list, const int cell[3])
{
    int low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = cell[a] > 2 ? cell[a] - 2 : 0;
        high[a] = cell[a] + 2 < g->n[a] ? cell[a] + 2 : g->n[a] - 1;
    }
    for (int k = low[2]; k <= high[2]; k++)
        for (int j = low[1]; j <= high[1]; j++)
            memset(list->near + find_number(g, (int[]){low[0], j, k}), 1,
                   (size_t)high[0] - (size_t)low[0] + 1);
}

// Sorts the samples of all tight bodies by cell (counting sort), at the end of their interval, for
// a substep of dt seconds.
void fm_liquid_list_samples(fm_liquid *l, double dt)
{
    const fm_grid *g = l->grid;
    fm_sample_list *list = &l->samples;
    list->start_time = g->time;
    list->end = g->time + dt;
    int cells = g->n[0] * g->n[1] * g->n[2], cell[3];
    if (!list->near)
        return;
    memset(list->near, 0, (size_t)cells);
    memset(list->start, 0, ((size_t)cells + 1) * sizeof *list->start);
    for (int pass = 0; pass < 2; pass++) {
        for (int b = 0; b < g->samples_count; b++) {
            const fm_samples *s = g->samples[b];
            for (int i = 0; i < s->count && is_tight(s); i++) {
                find_cell(g, find_place(g, s->end_position[i]), cell);
                int number = find_number(g, cell);
                if (pass == 0) {
                    list->start[number + 1]++;
                    mark_near(g, list, cell);
                } else {
                    list->item[list->start[number]++] = (fm_sample_number){b, i};
                }
            }
        }
        for (int i = 0; i < cells && pass == 0; i++)
            list->start[i + 1] += list->start[i];
    }
    for (int i = cells; i > 0; i--) // start[c] has become the end of cell c
        list->start[i] = list->start[i - 1];
    list->start[0] = 0;
}

// A path of a particle relative to the patch of a sample.
typedef struct path {
    double part;   // of the path at which it crosses; 2: it does not cross
    double before; // spacings from the plane of the patch at the start, with sign
    double after;  // at the end
} path;

static path find_path(const fm_liquid *l, const fm_samples *s, int i, fm_vec3 from, fm_vec3 to,
                      bool moving)
{
    const fm_grid *g = l->grid;
    const fm_sample_list *list = &l->samples;
    fm_vec3 end = find_place(g, fm_sample_position(s, i, list->end));
    fm_vec3 start = moving ? find_place(g, fm_sample_position(s, i, list->start_time)) : end;
    fm_vec3 a = fm_sub(from, start), b = fm_sub(to, end), n = s->normal[i];
    path p = {2, fm_dot(a, moving ? s->start_normal[i] : n), fm_dot(b, n)};
    if ((p.before > 0) == (p.after > 0))
        return p;
    double part = p.before / (p.before - p.after);
    fm_vec3 hit = fm_scale(fm_add_scaled(a, fm_sub(b, a), part), g->h);
    double x = fm_dot(hit, s->along[i]), y = fm_dot(hit, s->across[i]);
    double least = -1.0 / 3 - SEAM;
    if (x > least && y > least && x + y < 1.0 / 3 + SEAM)
        p.part = part;
    return p;
}

// The first sample that a path crosses. False: none.
static bool find_crossed(const fm_liquid *l, fm_vec3 from, fm_vec3 to, bool moving,
                         fm_sample_number *found, path *first)
{
    const fm_grid *g = l->grid;
    const fm_sample_list *list = &l->samples;
    fm_vec3 reach = {1.2, 1.2, 1.2};
    int low[3], high[3];
    fm_vec3 least = {fm_double_min(from.x, to.x), fm_double_min(from.y, to.y),
                     fm_double_min(from.z, to.z)};
    fm_vec3 most = {fm_double_max(from.x, to.x), fm_double_max(from.y, to.y),
                    fm_double_max(from.z, to.z)};
    find_cell(g, fm_sub(least, reach), low);
    find_cell(g, fm_add(most, reach), high);
    first->part = 2;
    for (int k = low[2]; k <= high[2]; k++)
        for (int j = low[1]; j <= high[1]; j++) {
            int row = find_number(g, (int[]){0, j, k});
            for (int n = list->start[row + low[0]]; n < list->start[row + high[0] + 1]; n++) {
                fm_sample_number at = list->item[n];
                path p = find_path(l, g->samples[at.body], at.sample, from, to, moving);
                if (p.part < first->part)
                    *first = p, *found = at;
            }
        }
    return first->part < 2;
}

// Puts a particle back before the sheets that it crossed.
void fm_liquid_stop_at_sheets(const fm_liquid *l, const double from[3], double x[3], double v[3],
                              bool moving)
{
    const fm_grid *g = l->grid;
    fm_vec3 start = {from[0], from[1], from[2]}, end = {x[0], x[1], x[2]};
    int cell[3];
    find_cell(g, end, cell);
    if (!fm_is_finite(end) || !l->samples.near[find_number(g, cell)])
        return;
    for (int round = 0; round <= ROUNDS; round++) {
        fm_sample_number at = {0};
        path p = {0};
        if (!find_crossed(l, start, end, moving, &at, &p))
            break;
        const fm_samples *s = g->samples[at.body];
        if (round == ROUNDS) { // between patches that push it to and fro: it moves with one of them
            fm_vec3 before = fm_sample_position(s, at.sample, l->samples.start_time);
            fm_vec3 after = fm_sample_position(s, at.sample, l->samples.end);
            end = moving ? fm_add_scaled(start, fm_sub(after, before), 1 / g->h) : start;
            break;
        }
        double side = p.before > 0 ? 1 : -1;
        fm_vec3 n = s->normal[at.sample], u = {v[0], v[1], v[2]};
        double into = fm_dot(fm_sub(u, moving ? s->body_velocity[at.sample] : u), n);
        end = fm_add_scaled(end, n, side * CLEARANCE - p.after);
        if (side * into < 0)
            u = fm_add_scaled(u, n, -into);
        v[0] = u.x, v[1] = u.y, v[2] = u.z;
    }
    x[0] = end.x, x[1] = end.y;
    x[2] = g->active[2] ? end.z : x[2];
}
