// SPDX-License-Identifier: MIT
// Two cloths of different substeps on a dancing figure and on an animated mesh, whose vertices go
// to the times of the one and of the other: the same bits on 1, 2 and 3 threads, and from a save
// half way.
#include "bodies.h"

#include <fathom/figure.h>

enum { FRAMES = 4, WAVES = 3 };

static const double FRAME = 1.0 / 24;

// A square that bends up and down, as an open mesh.
static void add_mesh(fm_world *world)
{
    enum { SIDE = 9, POINTS = SIDE * SIDE };
    fm_error err = {0};
    fm_vec3 points[POINTS];
    int triangles[6 * (SIDE - 1) * (SIDE - 1)], n = 0;
    float frames[WAVES][POINTS][3];
    for (int i = 0; i < POINTS; i++) {
        double x = 0.1 * (i % SIDE) - 0.4, z = 0.1 * (i / SIDE) + 0.6;
        points[i] = (fm_vec3){x, 1, z};
        for (int f = 0; f < WAVES; f++) {
            frames[f][i][0] = (float)x;
            frames[f][i][1] = (float)(1 + 0.1 * f * x * x);
            frames[f][i][2] = (float)z;
        }
    }
    for (int i = 0; i < POINTS - SIDE; i++) {
        const int two[6] = {i, i + SIDE, i + SIDE + 1, i, i + SIDE + 1, i + 1};
        for (int k = 0; k < 6 && i % SIDE < SIDE - 1; k++)
            triangles[n++] = two[k];
    }
    fm_collider_mesh mesh = {.vertices = points,
                             .vertex_count = POINTS,
                             .triangles = triangles,
                             .triangle_count = n / 3,
                             .thickness = 0.02,
                             .frames = &frames[0][0][0],
                             .frame_count = WAVES,
                             .fps = 5,
                             .interpolation = FM_INTERPOLATE_SPLINE};
    fm_collider_def def = fm_default_collider_def();
    assert_non_null(fm_collider_create_mesh(world, &def, &mesh, &err));
}

static fm_world *build(int threads)
{
    fm_error err = {0};
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = threads;
    fm_world *world = fm_world_create(&world_def, &err);
    fm_figure_def figure_def = fm_default_figure_def();
    figure_def.motion = FM_FIGURE_DANCE;
    figure_def.ramp = 0.2;
    fm_figure *dancer = fm_figure_create(world, &figure_def, &err);
    assert_true(fm_figure_add_colliders(world, dancer, 0.3, &err));
    add_mesh(world);
    fm_cloth_def def = fm_default_cloth_def();
    fm_sheet cape = {
        .columns = 21, .rows = 41, .width = 0.3, .height = 0.7, .origin = {-0.15, 1.42, -0.16}};
    fm_cloth *worn = make_sheet(world, &def, &cape);
    fm_motion *shoulders = fm_motion_figure(world, dancer, FM_BONE_SHOULDERS, &err);
    assert_true(fm_cloth_pin_row(worn, 0, shoulders, &err));
    def.stretch.stiffness *= 3;
    def.density = 2000;
    fm_sheet cover = {.columns = 33,
                      .rows = 33,
                      .width = 0.6,
                      .height = 0.6,
                      .origin = {-0.3, 1.013, 0.7},
                      .rotation = {-sqrt(0.5), 0, 0, sqrt(0.5)}};
    make_sheet(world, &def, &cover);
    assert_int_equal(err.status, FM_OK);
    return world;
}

static uint64_t run(int threads, bool through_save, int *contacts)
{
    fm_error err = {0};
    fm_world *world = build(threads);
    for (int frame = 0; frame < FRAMES; frame++) {
        if (through_save && frame == FRAMES / 2) {
            size_t size = fm_world_save(world, NULL, 0);
            void *bytes = malloc(size);
            fm_world_save(world, bytes, size);
            fm_world_destroy(world);
            world = build(threads);
            assert_true(fm_world_restore(world, bytes, size, &err));
            free(bytes);
        }
        *contacts = advance(world, FRAME).contact_count;
    }
    uint64_t hash = fm_world_hash(world);
    fm_world_destroy(world);
    return hash;
}

static void same_bits(void **state)
{
    (void)state;
    int contacts = 0;
    uint64_t expected = run(1, false, &contacts);
    assert_true(contacts > 100); // there is something to agree about
    for (int threads = 2; threads <= 3; threads++) {
        assert_true(run(threads, false, &contacts) == expected);
        assert_true(run(threads, true, &contacts) == expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
