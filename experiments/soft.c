// SPDX-License-Identifier: MIT
// soft.c: what the experiments on soft bodies and wrinkles share.
#include "soft.h"

fm_world *soft_create_world(experiment *e, double gravity)
{
    fm_world_def def = fm_default_world_def();
    def.medium.density = def.medium.viscosity = 0;
    def.gravity = (fm_vec3){0, gravity, 0};
    def.threads = 1;
    return fm_world_create(&def, experiment_error(e));
}

fm_cloth_def soft_skin(double modulus, double bending)
{
    fm_cloth_def def = fm_default_soft_cloth_def();
    def.density = 300, def.thickness = 1.5e-3;
    def.stretch.stiffness = modulus;
    def.bend.stiffness = bending;
    def.bend.rest_angle = FM_REST_FLAT;
    def.damping.coefficient = 0.05;
    return def;
}

fm_mesh_shape soft_slab_or_sheet(int level, double edge)
{
    fm_mesh_shape shape = fm_default_mesh_shape();
    shape.kind = level > 0 ? FM_MESH_SLAB : FM_MESH_RECTANGLE;
    shape.width = 0.3, shape.length = 0.6, shape.height = 0.012;
    shape.flat = true;
    shape.level = level;
    shape.edge = edge;
    return shape;
}

fm_cloth *soft_create(experiment *e, fm_world *world, const fm_cloth_def *def,
                      const fm_soft_def *soft, const fm_mesh_shape *shape)
{
    return fm_cloth_create_soft_shape(world, def, soft, shape, &(fm_fabric_place){0},
                                      experiment_error(e));
}

void soft_advance(experiment *e, fm_world *world, double seconds)
{
    int frames = (int)ceil(seconds * 60);
    for (int i = 0; i < frames && !experiment_failed(e); i++)
        fm_world_advance(world, seconds / frames, experiment_error(e));
}

double soft_scatter(unsigned i)
{
    i = (i ^ 61) ^ (i >> 16);
    i *= 9;
    i = (i ^ (i >> 4)) * 0x27d4eb2du;
    return (double)(i ^ (i >> 15)) / 2147483648.0 - 1;
}
