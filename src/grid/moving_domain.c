// SPDX-License-Identifier: MIT
// moving_domain.c: the box of a grid fluid follows a body, as a falling parachute.
//
// Before a coupling interval the grid moves by whole cells so that the centre of the body is less
// than a cell from its place in the box at the start. Velocities stay those of the frame of the
// world: values are copied from cell to cell, without interpolation, so that fluid at rest stays at
// rest, and nothing is changed where old and new box overlap. Axes follow whose two sides are open
// or inflows. The side that goes ahead should be an inflow of the velocity that the fluid has far
// away, as in a wind tunnel: between two open sides the drag of the body sets all fluid in motion.
//
// Cells that the box reaches hold fluid that has been outside. At an inflow it has the velocity
// given there. At an open side its velocity along the axis is that on the side, across it zero, as
// in the ghost layers (boundary.c). Its pressure continues that of the last cell hydrostatically.
// The next projection makes the velocity free of divergence. Cells that the box leaves are
// forgotten with the wake in them.
//
// The velocity W of the body decides which open sides fluid enters through: with u . n the
// component along the outer normal, it leaves where (u - W) . n > 0. The wake that a parachute
// draws after itself enters the box in the frame of the world, but the box runs away from it.
#include "grid/grid.h"

#include <string.h>

static double component(fm_vec3 v, int a)
{
    return a == 0 ? v.x : a == 1 ? v.y : v.z;
}

// The centre of a body: the mean of its samples at the end of the interval, by area.
static fm_vec3 find_centre(const fm_samples *s)
{
    fm_vec3 sum = {0};
    double area = 0;
    for (int i = 0; i < s->count; i++) {
        sum = fm_add_scaled(sum, s->end_position[i], s->area[i]);
        area += s->area[i];
    }
    return fm_scale(sum, 1 / area);
}

// Mean velocity of a body over the interval, by area.
static fm_vec3 find_velocity(const fm_samples *s)
{
    fm_vec3 sum = {0};
    double area = 0;
    for (int i = 0; i < s->count; i++) {
        sum = fm_add_scaled(sum, fm_sample_velocity(s, i), s->area[i]);
        area += s->area[i];
    }
    return fm_scale(sum, 1 / area);
}

static bool is_outside(const fm_grid_side *c)
{
    return c->kind == FM_GRID_OPEN || c->kind == FM_GRID_INFLOW;
}

// Whether the grid can follow a body along an axis.
static bool follows(const fm_grid *g, int a)
{
    return g->active[a] && is_outside(&g->def.sides[2 * a]) && is_outside(&g->def.sides[2 * a + 1]);
}

bool fm_grid_follow(fm_grid *g, fm_samples *samples, fm_error *err)
{
    if (g->followed)
        return fm_fail(err, FM_BAD_VALUE, g->object.name, "follow", "two bodies",
                       "one body that the fluid follows");
    if (g->def.patch_count > 0)
        return fm_fail_number(err, g->object.name, "patches", g->def.patch_count,
                              "none in a fluid that follows a body");
    if (!follows(g, 0) && !follows(g, 1) && !follows(g, 2))
        return fm_fail(err, FM_BAD_VALUE, g->object.name, "sides", "walls along every axis",
                       "open or inflow on both sides of each axis along which it is to follow");
    g->followed = samples;
    g->anchor = fm_sub(find_centre(samples), g->def.low);
    return true;
}

void fm_grid_set_shift(fm_grid *g, const int shift[3])
{
    fm_vec3 cells = {shift[0], shift[1], shift[2]};
    memcpy(g->shift, shift, sizeof g->shift);
    g->def.low = fm_add_scaled(g->start_low, cells, g->h);
    g->solids.ready = false;
}

// One array while its values move by some cells.
typedef struct shifted {
    const double *from;
    double *to;
    int by[3];
    int axis;                   // component of the velocity; 3: values of cells
    fm_vec3 slope;              // per cell, of values beyond the sides
    double side[FM_SIDE_COUNT]; // value in fluid from each side
    bool given;                 // use `side`, not the last values; velocities do across the axis
} shifted;

// The value at (i, j, k) after the move.
static double find_value(const fm_grid *g, const shifted *s, const int at[3])
{
    int from[3];
    double value = 0;
    for (int a = 0; a < 3; a++) {
        int last = g->n[a] - (s->axis != a), wanted = at[a] + s->by[a];
        from[a] = wanted < 0 ? 0 : wanted > last ? last : wanted;
        if (from[a] == wanted)
            continue;
        int side = 2 * a + (wanted > 0);
        if (s->given || (s->axis < 3 && s->axis != a))
            return s->side[side];
        value += component(s->slope, a) * (wanted - from[a]);
    }
    return value + s->from[fm_grid_index(g, from[0], from[1], from[2])];
}

// Moves the values of an array.
static void shift_array(const fm_grid *g, const shifted *s)
{
    int at[3];
    for (at[2] = 0; at[2] < g->n[2] + (s->axis == 2); at[2]++)
        for (at[1] = 0; at[1] < g->n[1] + (s->axis == 1); at[1]++)
            for (at[0] = 0; at[0] < g->n[0] + (s->axis == 0); at[0]++)
                s->to[fm_grid_index(g, at[0], at[1], at[2])] = find_value(g, s, at);
}

static void swap(double **a, double **b)
{
    double *other = *a;
    *a = *b;
    *b = other;
}

// Component a of the velocity of the fluid beyond a side, m/s.
static double find_outer_velocity(const fm_grid *g, int side, int a)
{
    const fm_grid_side *c = &g->def.sides[side];
    fm_vec3 middle = fm_grid_position(g, 0.5 * g->n[0], 0.5 * g->n[1], 0.5 * g->n[2]);
    return c->kind == FM_GRID_INFLOW
               ? component(fm_grid_boundary_velocity(g, c, side, 0, middle, g->time), a)
               : 0;
}

// Moves the box by some cells along each axis, and its values against it.
static void shift(fm_grid *g, const int by[3], fm_vec3 force)
{
    for (int a = 0; a < 3; a++) {
        shifted u = {.from = g->u[a], .to = g->old[a], .by = {by[0], by[1], by[2]}, .axis = a};
        for (int side = 0; side < FM_SIDE_COUNT; side++)
            u.side[side] = find_outer_velocity(g, side, a);
        shift_array(g, &u);
        swap(&g->u[a], &g->old[a]);
    }
    shift_array(g, &(shifted){.from = g->p,
                              .to = g->rate[0],
                              .by = {by[0], by[1], by[2]},
                              .axis = 3,
                              .slope = fm_scale(force, g->def.density * g->h)});
    swap(&g->p, &g->rate[0]);
    if (g->def.dye.on) {
        shifted dye = {.from = g->dye.c,
                       .to = g->rate[0],
                       .by = {by[0], by[1], by[2]},
                       .axis = 3,
                       .given = true};
        for (int side = 0; side < FM_SIDE_COUNT; side++)
            dye.side[side] = g->def.sides[side].dye;
        shift_array(g, &dye);
        swap(&g->dye.c, &g->rate[0]);
    }
    fm_grid_set_shift(g, (int[3]){g->shift[0] + by[0], g->shift[1] + by[1], g->shift[2] + by[2]});
}

void fm_grid_move_domain(fm_grid *g, const fm_surroundings *around, fm_vec3 force)
{
    if (!g->followed)
        return;
    fm_vec3 centre = find_centre(g->followed), velocity = find_velocity(g->followed);
    fm_vec3 away = fm_scale(fm_sub(fm_sub(centre, g->def.low), g->anchor), 1 / g->h);
    double W[3] = {0};
    int by[3] = {0};
    for (int a = 0; a < 3; a++) {
        double cells = component(away, a);
        if (!follows(g, a) || !(fabs(cells) < 1e6)) // a NaN: the body reports it
            continue;
        W[a] = component(velocity, a);
        by[a] = (int)cells; // towards zero
    }
    g->motion = (fm_vec3){W[0], W[1], W[2]};
    if (by[0] == 0 && by[1] == 0 && by[2] == 0)
        return;
    shift(g, by, force);
    if (g->marks)
        fm_marks_fill_new_cells(g->marks, around, by);
}
