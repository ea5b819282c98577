// SPDX-License-Identifier: MIT
// flow_moving_domain.c: a grid fluid whose box follows a body.
//
// Fluid at rest under gravity stays at rest around a body that does not push it, however far the
// box goes, and its pressure stays that of one hydrostatic column. A plate that is towed through a
// plane tank has the same drag in a short box that follows it as in a tank as long as its way.
#include "flows.h"

#include "cloth/cloth.h"

static const double SPEED = 1; // m/s, downwards

// A plane grid of some cells with its low corner at `low`: still fluid below, open above.
static fm_grid_def create_def(fm_vec3 low, int columns, int rows, double spacing)
{
    fm_grid_def def = fixture_plane_grid_def(columns, rows, spacing, 1e-4);
    def.low = low;
    def.sides[FM_SIDE_BOTTOM].kind = FM_GRID_INFLOW;
    def.sides[FM_SIDE_TOP].kind = FM_GRID_OPEN;
    def.sides[FM_SIDE_LEFT].kind = def.sides[FM_SIDE_RIGHT].kind = FM_GRID_SLIP;
    return def;
}

// A strip across the tank at height y, all of it towed downwards from the first moment on.
static fm_cloth *tow_strip(fm_world *world, double width, double y, double depth)
{
    fm_error err = {0};
    fm_cloth_def def = plain_sheet(0.1, 100);
    fm_cloth *cloth = create_strip(world, &def, FM_CLOTH_MESH, 17, (fm_vec3){-width / 2, y, 0},
                                   (fm_vec3){width / 2, y, 0}, depth, 0);
    const fm_key keys[2] = {{.time = 0, .rotation = {.w = 1}},
                            {.time = 10, .position = {0, -10 * SPEED, 0}, .rotation = {.w = 1}}};
    const fm_motion *down =
        fm_motion_keyframes(world, keys, 2, FM_INTERPOLATE_LINEAR, (fm_vec3){0}, &err);
    int n = fm_cloth_particle_count(cloth), all[64];
    for (int i = 0; i < n; i++)
        all[i] = i;
    assert_true(fm_cloth_pin_list(cloth, all, n, down, &err));
    return cloth;
}

static void follow(fm_world *world, fm_cloth *cloth, fm_grid *grid, fm_coupling_way way, bool on)
{
    fm_error err = {0};
    fm_coupling_def def = fm_default_coupling_def();
    def.way = way, def.follow = on;
    bool good =
        fm_world_couple_with(world, fm_cloth_object(cloth), fm_grid_object(grid), &def, &err);
    assert_good(good, &err);
}

static void still_fluid_stays_still(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
    fm_grid_def def = create_def((fm_vec3){-0.5, 0, 0}, 16, 16, 1.0 / 16);
    def.density = 1000;
    fm_grid *grid = create_grid(world, &def);
    fm_cloth *cloth = tow_strip(world, 0.3, 0.52, def.spacing);
    follow(world, cloth, grid, FM_COUPLING_ONE_WAY, true);
    for (int i = 0; i < 20; i++) {
        advance(world, 0.1);
        double fastest = fm_grid_read_stats(grid).max_speed, y = 0.52 - 0.1 * (i + 1) * SPEED;
        double p[3];
        assert_true(
            fm_object_probe(fm_grid_object(grid), "pressure", (fm_vec3){0.1, y, 0}, p, &err));
        // the pressure is zero at the height of the centre of the box at the start
        assert_true(fabs(p[0] - 9810 * (0.5 - y)) < 1e-8 * 9810);
        assert_true(fastest < 1e-10);
    }
    assert_true(fabs(grid->def.low.y + 2) < 1.01 * def.spacing);
    fm_world_destroy(world);
}

// Mean drag per depth of a plate of 0.25 m in a tank of 1 m, over the second 0.8 s of its way, N/m.
static double measure_drag(int rows, bool moving, int *shift)
{
    fm_world *world = create_grid_world();
    double h = 1.0 / 32, top = 1.2; // m, of the tank above the plate
    fm_vec3 low = {-0.5, top - rows * h, 0};
    fm_grid_def def = create_def(low, 32, rows, h);
    fm_grid *grid = create_grid(world, &def);
    fm_cloth *cloth = tow_strip(world, 0.25, 0.013, h);
    follow(world, cloth, grid, FM_COUPLING_TWO_WAY, moving);
    advance(world, 0.4);
    advance(world, 0.8);
    double load = fm_cloth_find_load(cloth).y / h;
    *shift = grid->shift[1];
    fm_world_destroy(world);
    return load;
}

static void drag_is_that_in_a_long_tank(void **state)
{
    (void)state;
    int shift;
    double tank = measure_drag(96, false, &shift);
    assert_int_equal(shift, 0);
    double box = measure_drag(64, true, &shift);
    print_message("drag in a tank of 3 m %.4f N/m, in a box of 2 m that follows %.4f (%+.2f %%)\n",
                  tank, box, 100 * (box / tank - 1));
    assert_true(shift < -35);
    assert_close(box, tank, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(still_fluid_stays_still),
        cmocka_unit_test(drag_is_that_in_a_long_tank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
