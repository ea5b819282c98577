// SPDX-License-Identifier: MIT
// start.c: named initial velocities of a grid fluid.
#include "grid/grid.h"

// Rigid rotation within the radius, 1/r outside.
static fm_vec3 rotate(const fm_grid_start *start, fm_vec3 at)
{
    fm_vec3 axis = start->axis, from = fm_sub(at, start->centre);
    if (!fm_normalize(&axis))
        axis = (fm_vec3){0, 0, 1};
    from = fm_add_scaled(from, axis, -fm_dot(from, axis));
    double r = fm_length(from), R = start->radius;
    return fm_scale(fm_cross(axis, from), start->speed / (r < R ? R : r * r / R));
}

// Velocity of a named initial field at a point, m/s.
fm_vec3 fm_grid_start_velocity(const fm_grid *grid, const fm_grid_start *start, fm_vec3 at)
{
    fm_vec3 u = start->velocity, from = fm_sub(at, start->centre);
    double k = start->radius > 0 ? FM_PI / start->radius : 0, x = k * from.x, y = k * from.y;
    double depth = grid->active[2] ? cos(k * from.z) : 1, U = start->speed;
    switch (start->kind) {
    case FM_GRID_START_VORTEX:
        return fm_add(u, rotate(start, at));
    case FM_GRID_START_TAYLOR_GREEN:
        return fm_add(u, (fm_vec3){U * sin(x) * cos(y) * depth, -U * cos(x) * sin(y) * depth, 0});
    case FM_GRID_START_SHEAR: {
        double width = grid->n[0] * grid->h, wave = 2 * FM_PI * (at.x - grid->def.low.x) / width;
        double near = exp(-from.y * from.y / (start->radius * start->radius));
        return fm_add(u,
                      (fm_vec3){U * tanh(from.y / start->radius), 0.01 * U * sin(wave) * near, 0});
    }
    default:
        return u;
    }
}

// An initial velocity field and the grid on which it is sampled.
typedef struct started {
    const fm_grid *grid;
    const fm_grid_start *start;
} started;

static fm_vec3 find_velocity(void *context, fm_vec3 at)
{
    const started *job = context;
    return fm_grid_start_velocity(job->grid, job->start, at);
}

bool fm_grid_set_start(fm_grid *grid, const fm_grid_start *start, fm_error *err)
{
    bool sized = start->kind >= FM_GRID_START_VORTEX;
    if (err->status == FM_OK && sized && !(start->radius > 0))
        return fm_fail_number(err, grid->object.name, "start.radius", start->radius, "above 0 m");
    return fm_grid_set_velocity(grid, find_velocity, &(started){grid, start}, err);
}
