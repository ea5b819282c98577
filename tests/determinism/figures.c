// SPDX-License-Identifier: MIT
// figures.c: two cloths with different substeps, one pinned to a dancing figure and one on an
// animated mesh. The mesh is evaluated at the substep times of both. The results must have the same
// bits on 1, 2 and 3 threads, and when the world is saved and restored half way.
#include "bodies.h"

#include <fathom/figure.h>

enum { FRAMES = 4, KEYS = 3 }; // frames of a run; key shapes of the animated mesh

static const double FRAME = 1.0 / 24; // s

// Adds an animated collider: a square of triangles in the plane y = 1 m, 0.8 m wide, that bends to
// the parabola y = 1 + 0.1 x^2 and then to y = 1 + 0.2 x^2.
static void add_animated_mesh(fm_world *world)
{
    enum { SIDE = 9, POINTS = SIDE * SIDE };
    fm_error err = {0};
    fixture_mesh grid = fixture_create_grid(SIDE, SIDE, 0.1, 0.1, CUT_ONE_WAY);
    float frames[KEYS][POINTS][3];
    for (int i = 0; i < POINTS; i++) {
        double x = 0.1 * (i % SIDE) - 0.4, z = 0.1 * (i / SIDE) + 0.6;
        grid.positions[i] = (fm_vec3){x, 1, z};
        for (int f = 0; f < KEYS; f++) {
            frames[f][i][0] = (float)x;
            frames[f][i][1] = (float)(1 + 0.1 * f * x * x);
            frames[f][i][2] = (float)z;
        }
    }
    fm_collider_mesh mesh = fixture_collider_mesh(&grid, 0.02);
    mesh.frames = &frames[0][0][0];
    mesh.frame_count = KEYS;
    mesh.fps = 5;
    mesh.interpolation = FM_INTERPOLATE_SPLINE;
    fm_collider_def def = fm_default_collider_def();
    assert_non_null(fm_collider_create_mesh(world, &def, &mesh, &err));
    fixture_destroy_mesh(&grid);
}

// Creates the dancer with its cape, the animated mesh and the cloth on it.
static fm_world *build_world(int threads)
{
    fm_error err = {0};
    fm_world *world = open_world(fixture_water_def(threads));
    fm_figure_def figure_def = fm_default_figure_def();
    figure_def.motion = FM_FIGURE_DANCE;
    figure_def.ramp = 0.2;
    fm_figure *dancer = fm_figure_create(world, &figure_def, &err);
    assert_true(fm_figure_add_colliders(world, dancer, 0.3, &err));
    add_animated_mesh(world);
    fm_cloth_def def = fm_default_cloth_def();
    fm_sheet cape = {
        .columns = 21, .rows = 41, .width = 0.3, .height = 0.7, .origin = {-0.15, 1.42, -0.16}};
    fm_cloth *worn = create_sheet(world, &def, &cape);
    fm_motion *shoulders = fm_motion_figure(world, dancer, FM_BONE_SHOULDERS, &err);
    assert_true(fm_cloth_pin_row(worn, 0, shoulders, &err));
    def.stretch.stiffness *= 3;
    def.density = 2000;
    fm_sheet cover = fixture_level_sheet(33, 33, 0.6, 0.6, (fm_vec3){-0.3, 1.013, 0.7});
    create_sheet(world, &def, &cover);
    assert_int_equal(err.status, FM_OK);
    return world;
}

// Hash of the world after FRAMES frames. through_save: its state moves into a new world half-way.
// *contacts: number of contacts in the last frame.
static uint64_t run_and_hash(int threads, bool through_save, int *contacts)
{
    fm_world *world = build_world(threads);
    for (int frame = 0; frame < FRAMES; frame++) {
        if (through_save && frame == FRAMES / 2)
            world = move_state_into(world, build_world(threads));
        *contacts = advance(world, FRAME).contact_count;
    }
    uint64_t hash = fm_world_hash(world);
    fm_world_destroy(world);
    return hash;
}

static void results_do_not_depend_on_threads_or_on_a_restart(void **state)
{
    (void)state;
    int contacts = 0;
    uint64_t expected = run_and_hash(1, false, &contacts);
    assert_true(contacts > 100); // otherwise the test would not exercise contact
    for (int threads = 2; threads <= 3; threads++) {
        assert_true(run_and_hash(threads, false, &contacts) == expected);
        assert_true(run_and_hash(threads, true, &contacts) == expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_do_not_depend_on_threads_or_on_a_restart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
