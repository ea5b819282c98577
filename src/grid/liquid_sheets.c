// SPDX-License-Identifier: MIT
// liquid_sheets.c: bodies in a liquid with a free surface: cloth that is wet in part, and bags.
//
// Forces are those of sheets.c, on the faces with liquid on at least one side. Where there is air
// on the other side, the pressure of the liquid cell acts on the sheet as a whole: the surface is
// at the sheet. Particles do not pass through a sheet without `resistance`. While a particle moves
// straight from p0 to p1 in a substep, the corners a, b, c of each patch move straight as well. The
// particle is in the plane of the patch where
//
//     f(t) = (p - a) . ((b - a) x (c - a)) = 0,     0 <= t <= 1
//
// a cubic, and crosses it where f changes its sign inside the patch. All patches of a sheet share
// their corners, so that no path slips between two of them. The particle is put back beside the
// sheet, on the side from which it came, and its new path is tested in the same way.
//
// A particle in the liquid keeps the velocity of the faces, which have exchanged momentum with the
// sheet. Spray has not: it collides with the sheet without rebound,
//
//     j = -min(0, n . (v - v_s)) / (1/m + w),    v = v + n j / m,    v_s = v_s - n j w
//
// so that impulses are equal and opposite.  m  kg, mass of the particle    v, v_s  m/s, velocities
// of particle and sheet    w  1/kg, inverse mass of the patch    n  its normal on the side of the
// particle
#include "grid/liquid.h"

#include <string.h>

// Spacings from the plane of the patch at which a particle is put back. In the folds of a sheet
// there may be less space: halved in every round.
static const double CLEARANCE = 0.1;
static const double SEAM = 1e-6; // rounding of the barycentric coordinates of a patch
enum {
    ROUNDS = 8,     // crossings that are corrected one after the other
    BISECTIONS = 48 // of the interval in which f has a root
};

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
    int low[3], high[3], layers = (int)ceil(list->reach) + 1;
    for (int a = 0; a < 3; a++) {
        low[a] = cell[a] > layers ? cell[a] - layers : 0;
        high[a] = cell[a] + layers < g->n[a] ? cell[a] + layers : g->n[a] - 1;
    }
    for (int k = low[2]; k <= high[2]; k++)
        for (int j = low[1]; j <= high[1]; j++)
            memset(list->near + find_number(g, (int[]){low[0], j, k}), 1,
                   (size_t)high[0] - (size_t)low[0] + 1);
}

// Spacings, largest distance of a point of a patch, in the substep, from the place of its sample at
// the end of the substep.
static double find_reach(const fm_grid *g, const fm_sample_list *list)
{
    double reach = 0;
    for (int b = 0; b < g->samples_count; b++) {
        const fm_samples *s = g->samples[b];
        for (int i = 0; i < s->count && is_tight(s); i++) {
            fm_vec3 at = fm_sample_position(s, i, list->end), corner[3];
            for (int k = 0; k < 6; k++) {
                if (k % 3 == 0)
                    fm_sample_corners(s, i, k ? list->end : list->start_time, corner);
                fm_vec3 r = fm_sub(corner[k % 3], at);
                reach = fm_double_max(reach, fm_dot(r, r));
            }
        }
    }
    return sqrt(reach) / g->h;
}

// Sorts the samples of all tight bodies by cell (counting sort), at the end of a substep of dt
// seconds.
void fm_liquid_list_samples(fm_liquid *l, double dt)
{
    const fm_grid *g = l->grid;
    fm_sample_list *list = &l->samples;
    list->start_time = g->time;
    list->end = g->time + dt;
    int cells = g->n[0] * g->n[1] * g->n[2], cell[3];
    if (!list->near)
        return;
    list->reach = find_reach(g, list);
    memset(list->near, 0, (size_t)cells);
    memset(list->start, 0, ((size_t)cells + 1) * sizeof *list->start);
    for (int pass = 0; pass < 2; pass++) {
        for (int b = 0; b < g->samples_count; b++) {
            const fm_samples *s = g->samples[b];
            for (int i = 0; i < s->count && is_tight(s); i++) {
                find_cell(g, find_place(g, fm_sample_position(s, i, list->end)), cell);
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

// A path of a particle, or its crossing of a patch.
typedef struct path {
    fm_vec3 from, to; // m
    bool moving;      // the sheets move at the same time; false: they are at the end of the substep
} path;

typedef struct crossing {
    fm_sample_number at;
    double time; // of the path, 0 to 1; 2: there is none
    double side; // 1: the particle comes from the side of the normal, -1: from the other
} crossing;

// The corners of a patch at the start and at the end of a path, m.
static void find_patch(const fm_liquid *l, fm_sample_number at, bool moving, fm_vec3 start[3],
                       fm_vec3 end[3])
{
    const fm_samples *s = l->grid->samples[at.body];
    fm_sample_corners(s, at.sample, moving ? l->samples.start_time : l->samples.end, start);
    fm_sample_corners(s, at.sample, l->samples.end, end);
}

// Value of f[0] + f[1] t + f[2] t^2 + f[3] t^3.
static double find_value(const double f[4], double t)
{
    return f[0] + t * (f[1] + t * (f[2] + t * f[3]));
}

// Ends of the parts of [0, 1] in which a cubic is monotone. Returns how many; the first is 0.
static int find_monotone_parts(const double f[4], double end[4])
{
    double a = 3 * f[3], b = f[2], c = f[1], root = b * b - a * c; // a t^2 + 2 b t + c = 0
    int count = 0;
    end[count++] = 0;
    if (root > 0) {
        double q = -(b + copysign(sqrt(root), b)), first = q / a, second = c / q;
        double low = fm_double_min(first, second), high = fm_double_max(first, second);
        if (low > 0 && low < 1)
            end[count++] = low;
        if (high > 0 && high < 1 && high > end[count - 1])
            end[count++] = high;
    }
    end[count++] = 1;
    return count;
}

// The root of a monotone part [low, high] in which f changes its sign: the last time before it.
static double find_root(const double f[4], double low, double high)
{
    bool above = find_value(f, low) > 0;
    for (int n = 0; n < BISECTIONS; n++) {
        double middle = 0.5 * (low + high);
        if ((find_value(f, middle) > 0) == above)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// Coefficients of f. a: from the first corner to the particle; b, c: to the other corners; da, db,
// dc: their changes along the path.
static void find_cubic(fm_vec3 a, fm_vec3 da, fm_vec3 b, fm_vec3 db, fm_vec3 c, fm_vec3 dc,
                       double f[4])
{
    fm_vec3 n0 = fm_cross(b, c), n1 = fm_add(fm_cross(b, dc), fm_cross(db, c));
    fm_vec3 n2 = fm_cross(db, dc);
    f[0] = fm_dot(a, n0);
    f[1] = fm_dot(a, n1) + fm_dot(da, n0);
    f[2] = fm_dot(a, n2) + fm_dot(da, n1);
    f[3] = fm_dot(da, n2);
}

// Whether the point a of the plane of b and c is in the triangle 0, b, c.
static bool is_inside(fm_vec3 a, fm_vec3 b, fm_vec3 c)
{
    fm_vec3 n = fm_cross(b, c);
    double square = fm_dot(n, n);
    double u = fm_dot(fm_cross(a, c), n), v = fm_dot(fm_cross(b, a), n), least = -SEAM * square;
    return u >= least && v >= least && u + v <= square - least;
}

// The first crossing of a patch by a path.
static crossing cross_patch(const fm_liquid *l, fm_sample_number at, const path *p)
{
    fm_vec3 s[3], e[3];
    find_patch(l, at, p->moving, s, e);
    crossing x = {at, 2, 0};
    fm_vec3 a = fm_sub(p->from, s[0]), da = fm_sub(fm_sub(p->to, e[0]), a);
    fm_vec3 b = fm_sub(s[1], s[0]), db = fm_sub(fm_sub(e[1], e[0]), b);
    fm_vec3 c = fm_sub(s[2], s[0]), dc = fm_sub(fm_sub(e[2], e[0]), c);
    double f[4], end[4];
    find_cubic(a, da, b, db, c, dc, f);
    int count = find_monotone_parts(f, end);
    for (int n = 0; n + 1 < count; n++) {
        bool above = find_value(f, end[n]) > 0;
        if (above == (find_value(f, end[n + 1]) > 0))
            continue;
        double t = find_root(f, end[n], end[n + 1]);
        if (!is_inside(fm_add_scaled(a, da, t), fm_add_scaled(b, db, t), fm_add_scaled(c, dc, t)))
            continue;
        x.time = t, x.side = above ? 1 : -1;
        break;
    }
    return x;
}

// Whether a path comes near enough to a sample to cross its patch.
static bool is_within_reach(const fm_liquid *l, fm_sample_number at, const path *p)
{
    const fm_samples *s = l->grid->samples[at.body];
    fm_vec3 place = fm_sample_position(s, at.sample, l->samples.end);
    fm_vec3 a = fm_sub(p->from, place), d = fm_sub(p->to, p->from);
    double square = fm_dot(d, d), part = square > 0 ? -fm_dot(a, d) / square : 0;
    fm_vec3 r = fm_add_scaled(a, d, fm_double_max(0, fm_double_min(1, part)));
    double reach = 1.001 * l->samples.reach * l->grid->h;
    return fm_dot(r, r) <= reach * reach;
}

// The first crossing of a path with any sheet.
static crossing find_crossed(const fm_liquid *l, const path *p)
{
    const fm_grid *g = l->grid;
    const fm_sample_list *list = &l->samples;
    fm_vec3 from = find_place(g, p->from), to = find_place(g, p->to);
    fm_vec3 reach = {list->reach, list->reach, list->reach};
    int low[3], high[3];
    fm_vec3 least = {fm_double_min(from.x, to.x), fm_double_min(from.y, to.y),
                     fm_double_min(from.z, to.z)};
    fm_vec3 most = {fm_double_max(from.x, to.x), fm_double_max(from.y, to.y),
                    fm_double_max(from.z, to.z)};
    find_cell(g, fm_sub(least, reach), low);
    find_cell(g, fm_add(most, reach), high);
    crossing first = {.time = 2};
    for (int k = low[2]; k <= high[2]; k++)
        for (int j = low[1]; j <= high[1]; j++) {
            int row = find_number(g, (int[]){0, j, k});
            for (int n = list->start[row + low[0]]; n < list->start[row + high[0] + 1]; n++) {
                if (!is_within_reach(l, list->item[n], p))
                    continue;
                crossing x = cross_patch(l, list->item[n], p);
                if (x.time < first.time)
                    first = x;
            }
        }
    return first;
}

// Where the particle at the start of a path gets if it moves with a patch, m: its barycentric
// coordinates, and its distance from the plane, stay the same.
static fm_vec3 move_with_patch(const fm_liquid *l, fm_sample_number at, const path *p)
{
    fm_vec3 s[3], e[3];
    find_patch(l, at, p->moving, s, e);
    fm_vec3 a = fm_sub(p->from, s[0]), b = fm_sub(s[1], s[0]), c = fm_sub(s[2], s[0]);
    fm_vec3 n = fm_cross(b, c), m = fm_cross(fm_sub(e[1], e[0]), fm_sub(e[2], e[0]));
    double square = fm_dot(n, n) + 1e-200;
    double u = fm_dot(fm_cross(a, c), n) / square, v = fm_dot(fm_cross(b, a), n) / square;
    fm_vec3 to = fm_add_scaled(e[0], fm_sub(e[1], e[0]), u);
    to = fm_add_scaled(to, fm_sub(e[2], e[0]), v);
    fm_normalize(&m);
    return fm_add_scaled(to, m, fm_dot(a, n) / sqrt(square));
}

// Whether no sheet is near the path from `from` to x, spacings.
static bool is_far(const fm_liquid *l, fm_vec3 from, fm_vec3 to)
{
    const fm_grid *g = l->grid;
    int a[3], b[3];
    find_cell(g, from, a);
    find_cell(g, to, b);
    fm_vec3 way = fm_sub(to, from);
    return fm_dot(way, way) < 1 && !l->samples.near[find_number(g, a)] &&
           !l->samples.near[find_number(g, b)];
}

// Puts a particle back before the sheets that it crossed. Returns the last patch; body -1: none.
fm_sample_number fm_liquid_stop_at_sheets(const fm_liquid *l, const double from[3], double x[3],
                                          bool moving)
{
    const fm_grid *g = l->grid;
    fm_sample_number hit = {-1, -1};
    fm_vec3 start = {from[0], from[1], from[2]}, end = {x[0], x[1], x[2]};
    if (!fm_is_finite(end) || is_far(l, start, end))
        return hit;
    path p = {fm_grid_position(g, from[0], from[1], from[2]), fm_grid_position(g, x[0], x[1], x[2]),
              moving};
    double clearance = CLEARANCE * g->h;
    for (int round = 0; round <= ROUNDS; round++, clearance *= 0.5) {
        crossing c = find_crossed(l, &p);
        if (c.time > 1)
            break;
        hit = c.at;
        if (round == ROUNDS) { // patches push it to and fro: it moves with one of them
            p.to = move_with_patch(l, c.at, &p);
            break;
        }
        const fm_samples *s = g->samples[c.at.body];
        fm_vec3 n = s->normal[c.at.sample], corner[3];
        fm_sample_corners(s, c.at.sample, l->samples.end, corner);
        double after = fm_dot(fm_sub(p.to, corner[0]), n);
        p.to = fm_add_scaled(p.to, n, c.side * clearance - after);
    }
    if (hit.body < 0)
        return hit;
    end = find_place(g, p.to);
    x[0] = end.x, x[1] = end.y;
    x[2] = g->active[2] ? end.z : x[2];
    return hit;
}

// Lets spray that has met sheets collide with them, in the order of the particles.
void fm_liquid_strike_sheets(fm_liquid *l)
{
    const fm_grid *g = l->grid;
    fm_liquid_particles *p = &l->now;
    for (int i = 0; i < p->count && l->samples.near; i++) {
        if (l->hit[i].body < 0)
            continue;
        const fm_samples *s = g->samples[l->hit[i].body];
        int k = l->hit[i].sample;
        fm_vec3 corner[3], at = fm_grid_position(g, p->x[0][i], p->x[1][i], p->x[2][i]);
        fm_sample_corners(s, k, l->samples.end, corner);
        double side = fm_dot(fm_sub(at, corner[0]), s->normal[k]) < 0 ? -1 : 1;
        fm_vec3 n = fm_scale(s->normal[k], side), v = {p->v[0][i], p->v[1][i], p->v[2][i]};
        fm_vec3 sheet =
            fm_add_scaled(s->body_velocity[k], s->impulse_to_body[k], s->inverse_mass[k]);
        double into = fm_dot(fm_sub(v, sheet), n), mass = g->def.density * p->volume[i];
        if (!(into < 0 && mass > 0))
            continue;
        double impulse = -into / (1 / mass + s->inverse_mass[k]);
        s->impulse_to_body[k] = fm_add_scaled(s->impulse_to_body[k], n, -impulse);
        v = fm_add_scaled(v, n, impulse / mass);
        p->v[0][i] = v.x, p->v[1][i] = v.y, p->v[2][i] = v.z;
    }
}
