// SPDX-License-Identifier: MIT
// immersed.c: bodies in the fluid: the fluid writes its velocity at the quadrature points (samples)
// of a body. With one-way coupling that is all; sheets.c has the forces of two-way coupling, and
// drag_impulses.c the opposite of the drag of lines.
//
// A sample inside the box of the grid is wet; in a liquid, one in the liquid or less than a spacing
// from it. A fluid one cell thick has no end along z.
#include "grid/liquid.h"

// Adds the samples of a body, and writes the velocity of the fluid at all samples, m/s.
bool fm_grid_attach_samples(fm_grid *g, fm_samples *samples, fm_vec3 gravity, fm_error *err)
{
    if (g->samples_count == FM_GRID_BODIES_MAX)
        return fm_fail_number(err, g->object.name, "coupled bodies", g->samples_count + 1,
                              "at most 64");
    if (samples->followed && !fm_grid_follow(g, samples, err))
        return false;
    bool is_sheet = !samples->passive && !samples->by_drag;
    if (is_sheet && !fm_grid_add_sheet(g, samples, err))
        return false;
    g->samples[g->samples_count++] = samples;
    fm_grid_write_samples(g, NULL);
    if (is_sheet)
        fm_grid_release_sheets(g, fm_grid_sheet_count(g) - 1, gravity);
    return true;
}

// Whether a point is in the box of the grid.
static bool is_inside(const fm_grid *g, fm_vec3 at)
{
    double x[3] = {at.x - g->def.low.x, at.y - g->def.low.y, at.z - g->def.low.z};
    for (int a = 0; a < 3; a++)
        if (g->active[a] && !(x[a] >= 0 && x[a] <= g->n[a] * g->h))
            return false;
    return true;
}

// How wet a point is, 0 to 1. In a liquid with a surface it is dry a spacing above it.
static double find_wet(const fm_grid *g, fm_vec3 at)
{
    if (!is_inside(g, at) || !g->level)
        return is_inside(g, at);
    fm_vec3 from = fm_scale(fm_sub(at, g->def.low), 1 / g->h);
    double x[3] = {from.x, from.y, g->active[2] ? from.z : 0.5};
    return fm_double_max(0, fm_double_min(1, 1 - fm_liquid_interpolate(g, g->level, x, 3)));
}

// The samples of one body, which threads write in blocks.
typedef struct writing {
    const fm_grid *g;
    fm_samples *samples;
} writing;

static void write_block(void *context, int first, int last)
{
    const writing *job = context;
    fm_samples *s = job->samples;
    for (int i = first; i < last; i++) {
        s->wet[i] = find_wet(job->g, s->end_position[i]);
        s->velocity[i] = fm_grid_velocity_at(job->g, s->end_position[i]);
    }
}

void fm_grid_write_samples(fm_grid *g, fm_pool *pool)
{
    for (int i = 0; i < g->samples_count; i++) {
        int count = g->samples[i]->count;
        fm_parallel_for(fm_grid_share(pool, 100.0 * count), count, FM_SAMPLE_BLOCK, write_block,
                        &(writing){g, g->samples[i]});
    }
    fm_grid_write_drag_masses(g);
}
