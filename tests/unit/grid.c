// SPDX-License-Identifier: MIT
// Grid fluids: which definitions are refused, fluid at rest, fluxes through sides and colliders,
// loads, probes, initial fields and states.
#include "grids.h"

#include <string.h>

static void refuse(fm_grid_def def, const char *field)
{
    fm_error err = {0};
    fm_world *world = create_grid_world();
    assert_null(fm_grid_create(world, &def, &err));
    assert_int_equal(err.status, FM_BAD_VALUE);
    if (!strstr(err.text, field))
        fail_msg("\"%s\" does not name %s", err.text, field);
    fm_world_destroy(world);
}

static void bad_definitions_are_refused_with_the_field(void **state)
{
    (void)state;
    fm_grid_def good = fm_default_grid_def(), def = good;
    def.cells[1] = 0;
    refuse(def, "cells");
    def = good, def.spacing = NAN;
    refuse(def, "spacing");
    def = good, def.density = 0;
    refuse(def, "density");
    def = good, def.viscosity = -1;
    refuse(def, "viscosity");
    def = good, def.tolerance = 0;
    refuse(def, "tolerance");
    def = good, def.courant = 2;
    refuse(def, "courant");
    def = good, def.sides[FM_SIDE_LEFT].kind = FM_GRID_PERIODIC;
    refuse(def, "sides.");
    def = good, def.cells[2] = 1; // no-slip walls along an axis of one cell
    refuse(def, "sides.back");
    def = good, def.patch_count = 1;
    def.patches[0] = (fm_grid_patch){.condition.kind = FM_GRID_PERIODIC};
    refuse(def, "patches");
}

static void fluid_at_rest_stays_at_rest_and_carries_its_weight(void **state)
{
    (void)state;
    enum { N = 12 };
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -10, 0});
    fm_grid_def def = fm_default_grid_def();
    def.cells[0] = def.cells[1] = def.cells[2] = N;
    def.spacing = 1.0 / N;
    def.tolerance = 1e-9; // of the speed 0.8 m/s that gravity gives in the first substep
    fm_grid *grid = create_grid(world, &def);
    advance_grid(world, grid, 0.2);
    double *u = read_grid(grid, "velocity", 3), *p = read_grid(grid, "pressure", 1);
    for (int i = 0; i < N * N * N; i++) {
        double y = (i / N % N + 0.5) / N;
        assert_close(p[i], 1e4 * (0.5 - y), 1); // of 10,000 Pa
        for (int a = 0; a < 3; a++)
            assert_close(u[3 * i + a], 0, N * 1e-9);
    }
    free(u);
    free(p);
    fm_world_destroy(world);
}

static void fluid_between_open_sides_stays_at_rest(void **state)
{
    (void)state;
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -10, 0});
    fm_grid_def def = fm_default_grid_def();
    def.cells[0] = def.cells[1] = def.cells[2] = 12;
    def.spacing = 1.0 / 12;
    def.tolerance = 1e-9;
    for (int side = 0; side < FM_SIDE_COUNT; side++)
        def.sides[side].kind = side == FM_SIDE_BOTTOM ? FM_GRID_WALL : FM_GRID_OPEN;
    fm_grid *grid = create_grid(world, &def);
    advance_grid(world, grid, 1);
    assert_at_most(fm_grid_read_stats(grid).max_speed, 1e-6);
    fm_world_destroy(world);
}

// A vortex that open sides cut, without viscosity: it brings no energy in from outside, and leaves.
static void a_vortex_at_an_open_side_gains_no_energy(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        fm_error err = {0};
        fm_world *world = create_grid_world();
        fm_grid_def def = fixture_plane_grid_def(24, 24, 1.0 / 24, 0);
        for (int side = 0; side < 2 * dimensions; side++)
            def.sides[side].kind = FM_GRID_OPEN;
        def.cells[2] = dimensions == 3 ? 24 : 1;
        fm_grid *grid = create_grid(world, &def);
        fm_grid_start start = {.kind = FM_GRID_START_VORTEX,
                               .centre = {0.8, 0.5, 0.5},
                               .axis = {0, 0, 1},
                               .radius = 0.25,
                               .speed = 1};
        assert_true(fm_grid_set_start(grid, &start, &err));
        double first = advance_grid(world, grid, 0.1).kinetic_energy, energy = first;
        for (int i = 0; i < 20; i++) {
            double next = advance_grid(world, grid, 0.25).kinetic_energy;
            assert_true(next < energy);
            energy = next;
        }
        assert_at_most(energy, 0.2 * first);
        fm_world_destroy(world);
    }
}

// A block as large as many cells, on the floor and in the middle, on grid lines and off them: fluid
// under gravity stays at rest around it, and inside it nothing moves.
static void fluid_around_a_block_stays_at_rest(void **state)
{
    (void)state;
    enum { N = 20 };
    static const fm_vec3 centres[3] = {{0.5, 0.3, 0.5}, {0.51, 0.513, 0.487}, {0.5, 0.291, 0.52}};
    for (int i = 0; i < 3; i++) {
        fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -10, 0});
        fm_collider_def block = fm_default_collider_def();
        block.shape =
            (fm_shape){.kind = FM_SHAPE_BOX, .centre = centres[i], .half_size = {0.3, 0.3, 0.3}};
        add_collider(world, block);
        fm_grid_def def = fm_default_grid_def();
        def.cells[0] = def.cells[1] = def.cells[2] = N;
        def.spacing = 1.0 / N;
        def.tolerance = 1e-9;
        fm_grid *grid = create_grid(world, &def);
        advance_grid(world, grid, 1);
        assert_at_most(fm_grid_read_stats(grid).max_speed, 1e-6);
        fm_world_destroy(world);
    }
}

static void what_enters_through_a_nozzle_leaves_through_an_open_side(void **state)
{
    (void)state;
    enum { N = 16 };
    fm_world *world = create_grid_world();
    fm_grid_def def = fm_default_grid_def();
    def.cells[0] = def.cells[1] = def.cells[2] = N;
    def.spacing = 1.0 / N;
    def.sides[FM_SIDE_TOP].kind = FM_GRID_OPEN;
    def.patch_count = 1;
    def.patches[0] = (fm_grid_patch){.side = FM_SIDE_LEFT,
                                     .low = {0, 0.25, 0.25},
                                     .high = {0, 0.5, 0.5},
                                     .condition = {.kind = FM_GRID_INFLOW, .velocity = {1, 0, 0}}};
    fm_grid *grid = create_grid(world, &def);
    advance_grid(world, grid, 0.5);
    double out = 0;
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++)
            out += grid_velocity(grid, (i + 0.5) / N, 1, (k + 0.5) / N).y / (N * N);
    assert_close(out, 1.0 / 16, 1e-5); // 4 x 4 faces of 1 m/s
    assert_close(grid_velocity(grid, 0, 0.375, 0.375).x, 1, 1e-12);
    assert_close(grid_velocity(grid, 0, 0.75, 0.375).x, 0, 1e-12);
    fm_world_destroy(world);
}

// A box that is dragged through a closed tank: the fluid it displaces flows around it.
static void a_moving_collider_carries_fluid_with_it(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_grid_world();
    const fm_key keys[2] = {{.time = 0}, {.time = 1, .position = {0.3, 0, 0}}};
    fm_collider_def ball = fixture_ball_def((fm_vec3){0.35, 0.5, 0.5}, 0.15);
    ball.motion = fm_motion_keyframes(world, keys, 2, FM_INTERPOLATE_LINEAR, (fm_vec3){0}, &err);
    add_collider(world, ball);
    fm_grid_def def = fm_default_grid_def();
    def.cells[0] = def.cells[1] = def.cells[2] = 24;
    def.spacing = 1.0 / 24;
    def.density = 1, def.viscosity = 0.01;
    def.loads = true;
    fm_grid *grid = create_grid(world, &def);
    fm_report report = advance_grid(world, grid, 0.5);
    assert_true(report.load.x < 0); // drag against the motion
    assert_close(report.load.y, 0, 0.1 * fabs(report.load.x));
    double ahead = grid_velocity(grid, 0.35 + 0.15 + 0.15 + 0.01, 0.5, 0.5).x;
    assert_close(ahead, 0.3, 0.06);                              // pushed along
    assert_true(grid_velocity(grid, 0.5, 0.5 + 0.3, 0.5).x < 0); // flows back beside it
    fm_world_destroy(world);
}

static void probes_interpolate_velocity_and_pressure(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_grid_world();
    fm_grid_def def = fixture_plane_grid_def(16, 16, 1.0 / 16, 0);
    set_grid_periodic(&def, 0);
    def.sides[FM_SIDE_BOTTOM].kind = def.sides[FM_SIDE_TOP].kind = FM_GRID_SLIP;
    fm_grid *grid = create_grid(world, &def);
    fm_grid_start start = {.kind = FM_GRID_START_UNIFORM, .velocity = {2, 0, 0}};
    assert_true(fm_grid_set_start(grid, &start, &err));
    advance_grid(world, grid, 0.1);
    double values[3];
    fm_object *object = fm_grid_object(grid);
    assert_true(fm_object_probe(object, "velocity", (fm_vec3){0.33, 0.01, 0}, values, &err));
    assert_close(values[0], 2, 1e-12);
    assert_close(values[1], 0, 1e-12);
    assert_true(fm_object_probe(object, "pressure", (fm_vec3){0.33, 0.99, 0}, values, &err));
    assert_close(values[0], 0, 1e-9);
    assert_false(fm_object_probe(object, "dye", (fm_vec3){0}, values, &err));
    fm_world_destroy(world);
}

static void damaged_states_are_refused(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_grid_world();
    fm_grid_def def = fixture_plane_grid_def(8, 8, 0.125, 0.01);
    def.sides[FM_SIDE_TOP].velocity.x = 1;
    fm_grid *grid = create_grid(world, &def);
    advance_grid(world, grid, 0.1);
    size_t size = fm_world_save(world, NULL, 0);
    unsigned char *bytes = malloc(size);
    fm_world_save(world, bytes, size);
    uint64_t hash = fm_world_hash(world);
    assert_false(fm_world_restore(world, bytes, size - 8, &err));
    assert_int_equal(fm_world_hash(world), hash);
    err = (fm_error){0};
    advance_grid(world, grid, 0.1);
    assert_true(fm_world_restore(world, bytes, size, &err));
    assert_int_equal(fm_world_hash(world), hash);
    free(bytes);
    fm_world_destroy(world);
}

// A box of four blocks in a closed tank, whose upper block moves up and down: it compresses the
// fluid inside, which has nowhere to go. The pressure equation stays solvable, and the flow around
// the box finite.
static void enclosed_fluid_stays_solvable(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_grid_world();
    static const fm_vec3 centres[4] = {
        {0.31, 0.5, 0.5}, {0.69, 0.5, 0.5}, {0.5, 0.31, 0.5}, {0.5, 0.69, 0.5}};
    for (int i = 0; i < 4; i++) {
        fm_collider_def block = fm_default_collider_def();
        block.shape = (fm_shape){.kind = FM_SHAPE_BOX, .centre = centres[i]};
        block.shape.half_size = i < 2 ? (fm_vec3){0.08, 0.27, 1} : (fm_vec3){0.27, 0.08, 1};
        if (i == 3)
            block.motion = fm_motion_sine(world, (fm_vec3){0, 1, 0}, 0.05, 0.5, &err);
        add_collider(world, block);
    }
    fm_grid_def def = fixture_plane_grid_def(32, 32, 1.0 / 32, 1e-3);
    for (int side = 0; side < 4; side++)
        def.sides[side].kind = FM_GRID_WALL;
    fm_grid *grid = create_grid(world, &def);
    advance(world, 1);
    fm_grid_stats stats = fm_grid_read_stats(grid);
    assert_int_equal(stats.unconverged_count, 0);
    assert_true(stats.max_speed < 5); // the block: 0.63 m/s
    fm_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(enclosed_fluid_stays_solvable),
        cmocka_unit_test(bad_definitions_are_refused_with_the_field),
        cmocka_unit_test(fluid_at_rest_stays_at_rest_and_carries_its_weight),
        cmocka_unit_test(fluid_between_open_sides_stays_at_rest),
        cmocka_unit_test(a_vortex_at_an_open_side_gains_no_energy),
        cmocka_unit_test(fluid_around_a_block_stays_at_rest),
        cmocka_unit_test(what_enters_through_a_nozzle_leaves_through_an_open_side),
        cmocka_unit_test(a_moving_collider_carries_fluid_with_it),
        cmocka_unit_test(probes_interpolate_velocity_and_pressure),
        cmocka_unit_test(damaged_states_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
