// SPDX-License-Identifier: MIT
// starch.c: a pool of cornstarch in water with a ball.
#include "starch.h"

starch_def starch_default(void)
{
    return (starch_def){.size = {0.5, 0.5, 0.3},
                        .depth = 0.16,
                        .spacing = 0.02,
                        .fading = 0.5,
                        .seconds = 0.5,
                        .sticky = true,
                        .threads = 1,
                        .fluid = fm_default_thickening()};
}

// Fills the tank to its depth, around the hole.
static void fill(const starch_def *def, fm_particles *fluid, fm_error *err)
{
    const fm_vec3 size = def->size;
    const double x0 = (size.x - def->hole) / 2, x1 = (size.x + def->hole) / 2;
    const double z0 = (size.z - def->hole) / 2, z1 = (size.z + def->hole) / 2;
    const fm_fluid_box box[] = {{.high = {def->hole > 0 ? x0 : size.x, 0, size.z}},
                                {.low = {x1, 0, 0}, .high = {size.x, 0, size.z}},
                                {.low = {x0, 0, 0}, .high = {x1, 0, z0}},
                                {.low = {x0, 0, z1}, .high = {x1, 0, size.z}}};
    for (int k = 0; k < (def->hole > 0 ? 4 : 1); k++) {
        fm_fluid_box part = box[k];
        part.high.y = def->depth;
        part.settled = true;
        part.jitter = def->seed > 0 ? 0.1 : 0;
        part.seed = def->seed + 1000 * (uint64_t)k;
        fm_particles_add_box(fluid, &part, err);
    }
}

starch starch_create(const starch_def *def, fm_error *err)
{
    starch pool = {0};
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = def->threads;
    pool.world = fm_world_create(&world_def, err);
    if (def->solid) {
        fm_collider_def solid = *def->solid;
        if (def->motion)
            solid.motion = def->motion(pool.world, def->context, err);
        pool.solid = fm_collider_create(pool.world, &solid, err);
    }
    fm_particles_def fluid = fm_default_particles_def();
    fluid.name = "starch";
    fluid.spacing = def->spacing;
    fluid.domain.high = def->size;
    fluid.domain.sides[FM_SIDE_TOP] = FM_SIDE_OPEN;
    if (def->shake)
        fluid.domain.motion = def->shake(pool.world, def->context, err);
    fluid.time_step = def->time_step;
    fluid.courant = def->courant > 0 ? def->courant : fluid.courant;
    fluid.sticky = def->sticky;
    fluid.loads = def->loads;
    fluid.network.memory.fading = def->fading;
    fluid.network.order = def->order > 0 ? def->order : fluid.network.order;
    if (def->fluid.published) {
        fluid.network.memory.kind = FM_RECALL_SECONDS;
        fluid.network.memory.seconds = def->seconds;
    }
    fm_thickening_convert(&def->fluid, &fluid);
    pool.fluid = fm_particles_create(pool.world, &fluid, err);
    fill(def, pool.fluid, err);
    return pool;
}

fm_collider_def starch_ball(fm_vec3 x, double radius, double density)
{
    fm_collider_def def = fm_default_collider_def();
    def.name = "ball";
    def.shape.centre = x;
    def.shape.radius = radius;
    def.mass = density * 4.18879020478639 * radius * radius * radius; // 4/3 pi r^3
    return def;
}

double starch_mean(starch *pool, const char *field, experiment *e)
{
    const int count = fm_particles_count(pool->fluid);
    double *values = experiment_alloc(e, (size_t)count, sizeof *values), sum = 0;
    if (!values || !fm_particles_read_field(pool->fluid, field, values, experiment_error(e)))
        return NAN;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum / count;
}
