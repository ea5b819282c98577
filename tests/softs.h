// SPDX-License-Identifier: MIT
// softs.h: soft bodies used by several tests.
#ifndef FATHOM_TESTS_SOFTS_H
#define FATHOM_TESTS_SOFTS_H

#include "bodies.h"

// A shape of this kind with few vertices; sizes about 0.2 m.
static inline fm_mesh_shape small_shape(fm_mesh_shape_kind kind)
{
    fm_mesh_shape shape = fm_default_mesh_shape();
    shape.kind = kind;
    shape.radius = kind == FM_MESH_TORUS ? 0.15 : 0.1;
    shape.width = shape.length = 0.2;
    shape.height = 0.05;
    shape.tube_radius = 0.05;
    shape.edge = 0.02;
    shape.level = 2;
    return shape;
}

static inline fm_cloth *create_soft(fm_world *world, const fm_cloth_def *def,
                                    const fm_soft_def *soft, const fm_mesh_shape *shape)
{
    fm_error err = {0};
    fm_cloth *body =
        fm_cloth_create_soft_shape(world, def, soft, shape, &(fm_fabric_place){0}, &err);
    assert_good(body, &err);
    return body;
}

static inline fm_soft_measure measure_soft(const fm_cloth *body)
{
    fm_error err = {0};
    fm_soft_measure m = fm_cloth_measure_soft(body, &err);
    assert_good(err.status == FM_OK, &err);
    return m;
}

// Moves all points by up to `amount` m in a deterministic random way.
static inline void scatter_points(fm_cloth *body, double amount)
{
    fm_error err = {0};
    int count;
    const fm_vec3 *from = fm_cloth_positions(body, &count);
    fm_vec3 *to = malloc((size_t)count * sizeof *to);
    assert_non_null(to);
    for (int i = 0; i < count; i++)
        to[i] = (fm_vec3){from[i].x + amount * scatter(3 * (unsigned)i),
                          from[i].y + amount * scatter(3 * (unsigned)i + 1),
                          from[i].z + amount * scatter(3 * (unsigned)i + 2)};
    assert_good(fm_cloth_set_positions(body, to, &err), &err);
    free(to);
}

#endif
