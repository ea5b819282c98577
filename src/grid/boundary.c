// SPDX-License-Identifier: MIT
// boundary.c: the sides of the grid: checks, given velocities, and values in the ghost layers.
//
// The side of axis a at face 0; the other end is its mirror image. v: given velocity. The component
// along a is stored on the side itself, the others half a cell from it. l = 0, 1, 2 counts layers:
//
//                 along a                        across a
//   wall, inflow  u_0 = v, u_-l = 2 v - u_l      u_(-1-l) = 2 v - u_l
//   slip          u_0 = 0, u_-l = -u_l           u_(-1-l) = u_l
//   open          u_0 free, u_-l = u_0           u_(-1-l) = u_0, or 0 where fluid enters
//   periodic      u_-l = u_(n-l)                 u_(-1-l) = u_(n-1-l)
//
// They make linear interpolation exact on the side: second order. At an open side the pressure p_b
// is given: p_-1 = 2 p_b - p_0. Fluid that enters there comes from rest far outside, so that
// p_b = p_outside - rho u_0^2 / 2, Bernoulli's equation. Entering with the pressure p_outside
// itself it would bring energy from nowhere, and eddies that cross an open side would grow without
// bound
// [BC14].
//
// [BC14] Bertoglio, Caiazzo: A tangential regularization method for backflow stabilization in
//        hemodynamics. Journal of Computational Physics 261, 2014.
#include "core/simd.h"
#include "grid/grid.h"

#include <string.h>

enum { PLANES = 8 }; // planes of lines in one task

static const char *const side_names[FM_SIDE_COUNT] = {"sides.left", "sides.right", "sides.bottom",
                                                      "sides.top",  "sides.back",  "sides.front"};

// Checks one boundary condition. field: its name in error messages.
static bool check_condition(const fm_grid_def *def, const fm_grid_side *c, const char *field,
                            fm_error *err)
{
    if (c->kind > FM_GRID_OPEN)
        return fm_fail_number(err, def->name, field, c->kind, "an fm_grid_side_kind");
    if (!fm_is_finite(c->velocity) || !fm_is_finite(c->amplitude))
        return fm_fail_vector(err, def->name, field, c->velocity, "finite numbers");
    if (fm_max_norm(c->amplitude) > 0 && !(c->period > 0))
        return fm_fail_number(err, def->name, field, c->period, "a period above 0 s");
    if (!isfinite(c->pressure) || !(c->ramp >= 0))
        return fm_fail_number(err, def->name, field, c->pressure, "finite numbers, ramp >= 0");
    return true;
}

// Checks the boundary conditions of a definition: sides and patches.
bool fm_grid_check_sides(const fm_grid_def *def, fm_error *err)
{
    for (int side = 0; side < FM_SIDE_COUNT; side++) {
        fm_grid_side_kind kind = def->sides[side].kind, other = def->sides[side ^ 1].kind;
        if (!check_condition(def, &def->sides[side], side_names[side], err))
            return false;
        if ((kind == FM_GRID_PERIODIC) != (other == FM_GRID_PERIODIC))
            return fm_fail(err, FM_BAD_VALUE, def->name, side_names[side], "periodic alone",
                           "both sides of an axis periodic, or none");
        if (def->cells[side / 2] == 1 && kind != FM_GRID_PERIODIC && kind != FM_GRID_SLIP)
            return fm_fail(err, FM_BAD_VALUE, def->name, side_names[side],
                           "neither slip nor periodic",
                           "slip or periodic, since there is one cell along this axis");
    }
    if (def->patch_count < 0 || def->patch_count > FM_GRID_PATCHES_MAX)
        return fm_fail_number(err, def->name, "patch_count", def->patch_count, "0 to 32");
    for (int i = 0; i < def->patch_count; i++) {
        const fm_grid_patch *patch = &def->patches[i];
        if (patch->side >= FM_SIDE_COUNT || def->sides[patch->side].kind == FM_GRID_PERIODIC ||
            patch->condition.kind == FM_GRID_PERIODIC)
            return fm_fail_number(err, def->name, "patches.side", patch->side,
                                  "a side that is not periodic, and no periodic patch");
        if (!check_condition(def, &patch->condition, "patches", err))
            return false;
    }
    return true;
}

// Index of a face of a side in condition[side]. at: a cell next to the side.
static size_t face_number(const fm_grid *g, int side, const int at[3])
{
    int b = (side / 2 + 1) % 3, c = (side / 2 + 2) % 3, x = at[b], y = at[c];
    x = x < 0 ? 0 : x >= g->n[b] ? g->n[b] - 1 : x;
    y = y < 0 ? 0 : y >= g->n[c] ? g->n[c] - 1 : y;
    return (size_t)x + (size_t)g->n[b] * (size_t)y;
}

// The boundary condition of the face of a side next to cell `at`: that of a patch, or of the side.
const fm_grid_side *fm_grid_find_condition(const fm_grid *g, int side, const int at[3])
{
    int patch = g->condition[side][face_number(g, side, at)];
    return patch ? &g->def.patches[patch - 1].condition : &g->def.sides[side];
}

// Whether a point is in the rectangle of a patch; the coordinate along `axis` is ignored.
static bool is_inside(fm_vec3 p, const fm_grid_patch *patch, int axis)
{
    fm_vec3 low = patch->low, high = patch->high;
    return (axis == 0 || (p.x >= low.x && p.x <= high.x)) &&
           (axis == 1 || (p.y >= low.y && p.y <= high.y)) &&
           (axis == 2 || (p.z >= low.z && p.z <= high.z));
}

// Writes down for each face of the sides which patch it belongs to. Later patches cover earlier
// ones.
void fm_grid_prepare_sides(fm_grid *g)
{
    for (int i = 0; i < g->def.patch_count; i++) {
        const fm_grid_patch *patch = &g->def.patches[i];
        g->has_patches[patch->side] = true;
        int axis = (int)patch->side / 2, b = (axis + 1) % 3, c = (axis + 2) % 3, at[3] = {0};
        for (at[b] = 0; at[b] < g->n[b]; at[b]++)
            for (at[c] = 0; at[c] < g->n[c]; at[c]++)
                if (is_inside(fm_grid_centre(g, at[0], at[1], at[2], axis), patch, axis))
                    g->condition[patch->side][face_number(g, (int)patch->side, at)] =
                        (unsigned char)(i + 1);
    }
}

// The parabolic profile: the product of 4 s (1 - s) along the two axes of the side, s from 0 to 1
// across the rectangle from low to high.
static double find_profile(const fm_grid *g, int side, int patch, fm_vec3 at)
{
    double product = 1, low[3] = {g->def.low.x, g->def.low.y, g->def.low.z}, high[3];
    double x[3] = {at.x, at.y, at.z};
    for (int a = 0; a < 3; a++)
        high[a] = low[a] + g->n[a] * g->h;
    if (patch > 0) {
        const fm_grid_patch *p = &g->def.patches[patch - 1];
        double from[3] = {p->low.x, p->low.y, p->low.z}, to[3] = {p->high.x, p->high.y, p->high.z};
        for (int a = 0; a < 3; a++) {
            low[a] = fm_double_max(low[a], from[a]);
            high[a] = fm_double_min(high[a], to[a]);
        }
    }
    for (int a = 0; a < 3; a++) {
        double s = (x[a] - low[a]) / (high[a] - low[a]);
        bool varies = a != side / 2 && g->active[a] && g->def.sides[2 * a].kind != FM_GRID_PERIODIC;
        if (varies)
            product *= s > 0 && s < 1 ? 4 * s * (1 - s) : 0;
    }
    return product;
}

// Velocity that a boundary condition gives at a point and a time, m/s. patch: 0, or the number of
// the patch plus 1.
fm_vec3 fm_grid_boundary_velocity(const fm_grid *g, const fm_grid_side *c, int side, int patch,
                                  fm_vec3 at, double t)
{
    if (c->function)
        return c->function(c->context, at, t);
    fm_vec3 v = c->velocity;
    if (fm_max_norm(c->amplitude) > 0)
        v = fm_add_scaled(v, c->amplitude, sin(2 * FM_PI * t / c->period));
    if (c->ramp > 0 && t < c->ramp)
        v = fm_scale(v, t / c->ramp);
    if (c->profile == FM_GRID_PARABOLIC)
        v = fm_scale(v, find_profile(g, side, patch, at));
    return v;
}

static double component(fm_vec3 v, int a)
{
    return a == 0 ? v.x : a == 1 ? v.y : v.z;
}

// One side while its ghost layers are filled.
typedef struct side_fill {
    fm_grid *g;
    int side, axis;
    double t;
    fm_grid_fill mode;
    bool plain;      // a wall, slip or an inflow with one velocity on the whole side
    bool slip;       // that is slip
    double given[3]; // that velocity
} side_fill;

// The given value of component a near face `at` of the side.
static double find_given(const side_fill *f, const fm_grid_side *c, int a, const int at[3])
{
    const fm_grid *g = f->g;
    if (f->mode != FM_GRID_FILL_VELOCITY || c->kind == FM_GRID_SLIP || c->kind == FM_GRID_OPEN ||
        (c->kind == FM_GRID_WALL && a == f->axis))
        return 0;
    double x[3];
    for (int b = 0; b < 3; b++)
        x[b] = at[b] + (b == a ? 0 : 0.5);
    x[f->axis] = f->side % 2 ? g->n[f->axis] : 0;
    int patch = g->condition[f->side][face_number(g, f->side, at)];
    return component(fm_grid_boundary_velocity(g, c, f->side, patch,
                                               fm_grid_position(g, x[0], x[1], x[2]), f->t),
                     a);
}

// Prepares a side for filling its ghost layers at time t, s.
static side_fill begin_side(fm_grid *g, int side, double t, fm_grid_fill mode)
{
    const fm_grid_side *c = &g->def.sides[side];
    side_fill f = {.g = g, .side = side, .axis = side / 2, .t = t, .mode = mode};
    f.plain = !g->has_patches[side] && !c->function && c->profile == FM_GRID_UNIFORM &&
              c->kind != FM_GRID_OPEN && c->kind != FM_GRID_PERIODIC;
    f.slip = c->kind == FM_GRID_SLIP;
    for (int a = 0; a < 3 && f.plain; a++)
        f.given[a] = find_given(&f, c, a, (int[3]){0, 0, 0});
    return f;
}

// Whether fluid enters through the open side at a face of component a, which lies between two
// cells. Reads the velocity at open cells inside the grid only, which no other line of this loop
// writes.
static bool enters(const side_fill *f, double *const *u, int a, const int at[3], ptrdiff_t first)
{
    const fm_grid *g = f->g;
    if (f->mode != FM_GRID_FILL_VELOCITY)
        return false;
    int cell[3] = {at[0], at[1], at[2]};
    ptrdiff_t face = first + (f->side % 2 ? g->stride[f->axis] : 0);
    double speed = 0;
    for (int i = 0; i < 2; i++, cell[a]--, face -= g->stride[a])
        if (cell[a] >= 0 && cell[a] < g->n[a] &&
            fm_grid_find_condition(g, f->side, cell)->kind == FM_GRID_OPEN)
            speed += u[f->axis][face] - component(g->motion, f->axis);
    return f->side % 2 ? speed < 0 : speed > 0;
}

// Fills one line of ghost values of component a. first: index of the value on the side (a along the
// axis) or next to it; inward: step into the grid; layers: values beyond the side.
static void fill_line(const side_fill *f, double *const *all, int a, const int at[3],
                      ptrdiff_t first, ptrdiff_t inward)
{
    double *u = all[a];
    const fm_grid_side *c = fm_grid_find_condition(f->g, f->side, at);
    int layers = f->g->layers[f->axis], along = a == f->axis;
    double given = f->plain ? f->given[a] : find_given(f, c, a, at);
    bool open = c->kind == FM_GRID_OPEN;
    double sign = c->kind == FM_GRID_SLIP && !along ? 1 : -1;
    if (along && (!open || f->mode == FM_GRID_FILL_CHANGE))
        u[first] = open ? u[first + inward] : given;
    double outside = open && !along && enters(f, all, a, at, first) ? 0 : u[first];
    for (int l = 0; l < layers; l++) {
        ptrdiff_t out = first - (l + 1) * inward, in = first + (l + along) * inward;
        u[out] = open ? outside : 2 * given + sign * u[in];
    }
}

// Fills the ghost values of one line of cells or faces along a periodic axis. along: 1 for the
// component along the axis, which has one face more than cells, else 0.
static void wrap_line(const fm_grid *g, double *u, int axis, int along, ptrdiff_t first)
{
    ptrdiff_t s = g->stride[axis], period = g->n[axis] * s;
    for (int l = 1; l <= g->layers[axis]; l++)
        u[first - l * s] = u[first - l * s + period];
    for (int l = 0; l < g->layers[axis] + along; l++)
        u[first + period + l * s] = u[first + l * s];
}

// Fills the planes beside the only one of an inactive z axis.
static void copy_plane(fm_grid *g, double *u, int a)
{
    double *plane = u + g->layers[2] * g->stride[2];
    size_t bytes = (size_t)g->stride[2] * sizeof *u;
    bool closed = a == 2 && fm_grid_is_flat(g);
    for (int k = 0; k < g->size[2]; k++) {
        double *to = u + k * g->stride[2];
        if (closed)
            memset(to, 0, bytes);
        else if (to != plane)
            memcpy(to, plane, bytes);
    }
}

// Both ends of an axis, for several components. Lines along the axis are filled plane by plane.
typedef struct axis_fill {
    fm_grid *g;
    double *const *u; // [component]
    int axis, inner, outer;
    int first, components; // components first to first + components - 1
    int planes;            // along the outer axis
    side_fill side[2];
} axis_fill;

// One side of a plane of lines where one velocity is given on the whole side: the same as fill_line
// for `count` lines that are `step` apart.
FM_SIMD_CLONES static void fill_plain_lines(const side_fill *f, double *u, int a, ptrdiff_t first,
                                            ptrdiff_t inward, ptrdiff_t step, int count)
{
    int along = a == f->axis;
    double given = f->given[a], sign = f->slip && !along ? 1 : -1;
    for (int i = 0; i < count && along; i++)
        u[first + i * step] = given;
    for (int l = 0; l < f->g->layers[f->axis]; l++) {
        double *out = u + first - (l + 1) * inward;
        const double *in = u + first + (l + along) * inward;
#pragma omp simd
        for (int i = 0; i < count; i++)
            out[i * step] = 2 * given + sign * in[i * step];
    }
}

// Fills the ghost values of component a at both ends of all lines along the axis in a plane.
static void fill_plane(const axis_fill *f, int a, int plane)
{
    fm_grid *g = f->g;
    int axis = f->axis, at[3] = {0};
    bool periodic = g->def.sides[2 * axis].kind == FM_GRID_PERIODIC;
    ptrdiff_t s = g->stride[axis], last = (g->n[axis] - (a != axis)) * s;
    at[f->outer] = g->active[f->outer] ? plane - g->layers[f->outer] : 0;
    if (f->side[0].plain && f->side[1].plain) {
        ptrdiff_t step = g->stride[f->inner],
                  q = g->start - g->layers[f->inner] * step + at[f->outer] * g->stride[f->outer];
        fill_plain_lines(&f->side[0], f->u[a], a, q, s, step, g->size[f->inner]);
        fill_plain_lines(&f->side[1], f->u[a], a, q + last, -s, step, g->size[f->inner]);
        return;
    }
    for (at[f->inner] = -g->layers[f->inner];
         at[f->inner] < g->size[f->inner] - g->layers[f->inner]; at[f->inner]++) {
        ptrdiff_t q =
            g->start + at[f->inner] * g->stride[f->inner] + at[f->outer] * g->stride[f->outer];
        if (periodic) {
            wrap_line(g, f->u[a], axis, a == axis, q);
            continue;
        }
        fill_line(&f->side[0], f->u, a, at, q, s);
        fill_line(&f->side[1], f->u, a, at, q + last, -s);
    }
}

static void fill_planes(void *context, int first, int last)
{
    const axis_fill *f = context;
    for (int i = first; i < last; i++)
        fill_plane(f, f->first + i / f->planes, i % f->planes);
}

// Fills the ghost layers of components first to first + components - 1, one axis after the other:
// the layers of later axes include the edges. u[a] is component a.
static void fill_layers(fm_grid *g, double *const *u, int first, int components, double t,
                        fm_grid_fill mode, fm_pool *pool)
{
    for (int axis = 0; axis < 3; axis++) {
        if (!g->active[axis]) {
            for (int a = first; a < first + components && !fm_grid_is_flat(g); a++)
                copy_plane(g, u[a], a);
            continue;
        }
        axis_fill f = {.g = g, .u = u, .axis = axis, .first = first, .components = components};
        f.inner = axis == 0 ? 1 : 0; // x innermost where that can be: contiguous memory
        f.outer = axis == 2 ? 1 : 2;
        f.planes = g->active[f.outer] ? g->size[f.outer] : 1;
        f.side[0] = begin_side(g, 2 * axis, t, mode);
        f.side[1] = begin_side(g, 2 * axis + 1, t, mode);
        int tasks = components * f.planes;
        fm_parallel_for(fm_grid_share(pool, 20.0 * tasks * g->size[f.inner]), tasks, PLANES,
                        fill_planes, &f);
    }
}

// Fills the ghost layers of the velocity at time t, s, as far as a substep needs them.
void fm_grid_fill_sides(fm_grid *g, double *u[3], double t, fm_pool *pool)
{
    fill_layers(g, u, 0, 3, t, FM_GRID_FILL_VELOCITY, pool);
}

// Fills all ghost layers of the velocity at time t, s: those of fm_grid_fill_sides and, on a flat
// grid (one cell thick between slip sides), the planes on both sides of the only one.
void fm_grid_fill_velocity(fm_grid *g, double *u[3], double t, fm_pool *pool)
{
    fm_grid_fill_sides(g, u, t, pool);
    for (int a = 0; a < 3 && fm_grid_is_flat(g); a++)
        copy_plane(g, u[a], a);
}

void fm_grid_fill_change(fm_grid *g, double *x, int a, fm_grid_fill mode, fm_pool *pool)
{
    double *u[3] = {x, x, x};
    fill_layers(g, u, a, 1, 0, mode, pool);
    fm_grid_fill_solid_change(g, x, a, mode == FM_GRID_FILL_CHANGE);
}

// Pressure on an open side, where fluid flows in at `speed`, or out if that is negative. Outside:
// hydrostatic, and the given one at the height of the centre of the grid at the start, so that
// fluid at rest stays at rest between several open sides.
static double find_outside(const fm_grid *g, const fm_grid_side *c, int side, const int at[3],
                           double speed, fm_vec3 gravity)
{
    double outward = side % 2 ? 1 : -1, W = component(g->motion, side / 2); // of the grid
    double x[3], entering = speed + outward * W > 0 ? fm_double_max(speed, 0) : 0;
    for (int b = 0; b < 3; b++)
        x[b] = b != side / 2 ? at[b] + 0.5 : side % 2 ? g->n[b] : 0;
    fm_vec3 half = {0.5 * g->n[0], 0.5 * g->n[1], 0.5 * g->n[2]};
    fm_vec3 from = fm_add_scaled(g->start_low, half, g->h);
    fm_vec3 to = fm_grid_position(g, x[0], x[1], x[2]);
    return c->pressure +
           g->def.density * (fm_dot(gravity, fm_sub(to, from)) - 0.5 * entering * entering);
}

// The ghost layers of the pressure at both ends of one axis.
typedef struct pressure_fill {
    fm_grid *g;
    fm_vec3 gravity;
    int axis, inner, outer;
} pressure_fill;

// Fills the pressure outside both ends of all lines along the axis in some planes.
static void fill_pressure_planes(void *context, int first, int last)
{
    const pressure_fill *f = context;
    fm_grid *g = f->g;
    int axis = f->axis, at[3] = {0};
    bool periodic = g->def.sides[2 * axis].kind == FM_GRID_PERIODIC;
    ptrdiff_t s = g->stride[axis];
    const double *u = g->u[axis];
    for (int plane = first; plane < last; plane++) {
        at[f->outer] = plane - 1;
        for (at[f->inner] = -1; at[f->inner] <= g->n[f->inner]; at[f->inner]++) {
            ptrdiff_t low =
                g->start + at[f->inner] * g->stride[f->inner] + at[f->outer] * g->stride[f->outer];
            ptrdiff_t high = low + (g->n[axis] - 1) * s;
            g->p[low - s] = g->p[periodic ? high : low];
            g->p[high + s] = g->p[periodic ? low : high];
            const fm_grid_side *one = fm_grid_find_condition(g, 2 * axis, at);
            const fm_grid_side *two = fm_grid_find_condition(g, 2 * axis + 1, at);
            if (one->kind == FM_GRID_OPEN)
                g->p[low - s] =
                    2 * find_outside(g, one, 2 * axis, at, u[low], f->gravity) - g->p[low];
            if (two->kind == FM_GRID_OPEN)
                g->p[high + s] =
                    2 * find_outside(g, two, 2 * axis + 1, at, -u[high + s], f->gravity) -
                    g->p[high];
        }
    }
}

// Fills the ghost layer of the pressure, Pa: hydrostatic at open sides.
void fm_grid_fill_pressure(fm_grid *g, fm_vec3 gravity, fm_pool *pool)
{
    for (int axis = 0; axis < 3; axis++) {
        pressure_fill f = {g, gravity, axis, axis == 0 ? 1 : 0, axis == 2 ? 1 : 2};
        int planes = g->active[axis] ? g->n[f.outer] + 2 : 0; // nothing varies along other axes
        fm_parallel_for(fm_grid_share(pool, 15.0 * planes * g->n[f.inner]), planes, PLANES,
                        fill_pressure_planes, &f);
    }
}

static double sum_components(fm_vec3 v)
{
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

// Largest sum of |u_a| of the velocities that sides and patches give at time t, m/s.
double fm_grid_side_speed(const fm_grid *g, double t)
{
    double fastest = 0;
    for (int i = 0; i < FM_SIDE_COUNT + g->def.patch_count; i++) {
        const fm_grid_side *c =
            i < FM_SIDE_COUNT ? &g->def.sides[i] : &g->def.patches[i - FM_SIDE_COUNT].condition;
        if ((c->kind != FM_GRID_WALL && c->kind != FM_GRID_INFLOW) || c->function)
            continue; // the values of a function are in the state after the first step
        double ramp = c->ramp > 0 && t < c->ramp ? t / c->ramp : 1;
        fastest = fm_double_max(
            fastest, ramp * (sum_components(c->velocity) + sum_components(c->amplitude)));
    }
    return fastest;
}

int fm_grid_find_walls(const fm_grid *g, fm_placed_collider *planes)
{
    int count = 0;
    for (int side = 0; side < FM_SIDE_COUNT; side++) {
        int axis = side / 2;
        fm_grid_side_kind kind = g->def.sides[side].kind;
        if (!g->active[axis] || kind == FM_GRID_OPEN || kind == FM_GRID_PERIODIC ||
            (kind == FM_GRID_INFLOW && !g->has_surface))
            continue;
        double sign = side % 2 ? -1 : 1, end = side % 2 ? g->n[axis] * g->h : 0;
        fm_vec3 n = {axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0};
        fm_vec3 point = fm_add_scaled(g->def.low, n, sign * end);
        planes[count] = (fm_placed_collider){.low = {-INFINITY, -INFINITY, -INFINITY},
                                             .high = {INFINITY, INFINITY, INFINITY},
                                             .pose = fm_pose_identity(),
                                             .reach = fm_max_norm(point)};
        planes[count].shape.kind = FM_SHAPE_PLANE;
        planes[count].shape.centre = point;
        planes[count++].shape.normal = n;
    }
    return count;
}
