// SPDX-License-Identifier: MIT
// Quantities that a grid fluid moves: dye, smoke, marks and cloth with one-way coupling; and the
// loads on each collider.
#include "geometry/geometry.h"
#include "grids.h"

#include <string.h>

static fm_grid_def channel_def(int n)
{
    fm_grid_def def = fm_default_grid_def();
    def.cells[0] = 2 * n, def.cells[1] = def.cells[2] = n;
    def.spacing = 1.0 / n;
    def.density = 1, def.viscosity = 0.01;
    def.sides[FM_SIDE_LEFT] = (fm_grid_side){.kind = FM_GRID_INFLOW, .velocity = {1, 0, 0}};
    def.sides[FM_SIDE_RIGHT].kind = FM_GRID_OPEN;
    for (int side = FM_SIDE_BOTTOM; side <= FM_SIDE_FRONT; side++)
        def.sides[side].kind = FM_GRID_SLIP;
    return def;
}

static double probe_dye(fm_grid *grid, double x, double y, double z)
{
    fm_error err = {0};
    double values[3];
    assert_true(fm_object_probe(fm_grid_object(grid), "dye", (fm_vec3){x, y, z}, values, &err));
    return values[0];
}

static double measure(fm_object *object, const char *name)
{
    fm_error err = {0};
    int count;
    double values[16];
    const fm_field *list = fm_object_quantities(object, &count);
    assert_true(fm_object_measure(object, values, &err));
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return values[i];
    fail_msg("no quantity %s", name);
    return 0;
}

// Dye enters a uniform stream through the left side: a front that moves with the stream, with
// concentrations between 0 and 1, and as much dye as has entered.
static void dye_enters_with_the_stream(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_grid_world();
    fm_grid_def def = channel_def(12);
    def.dye.on = true;
    def.sides[FM_SIDE_LEFT].dye = 1;
    fm_grid *grid = create_grid(world, &def);
    fm_grid_start start = {.kind = FM_GRID_START_UNIFORM, .velocity = {1, 0, 0}};
    assert_true(fm_grid_set_start(grid, &start, &err));
    advance_grid(world, grid, 0.9);
    double step = fm_grid_read_stats(grid).time_step;
    assert_close(measure(fm_grid_object(grid), "dye"), 0.9 - 0.5 * step, 1e-9);
    assert_close(probe_dye(grid, 0.5, 0.5, 0.5), 1, 1e-3);
    assert_close(probe_dye(grid, 1.4, 0.5, 0.5), 0, 1e-3);
    double *dye = read_grid(grid, "dye", 1);
    for (int i = 0; i < 24 * 12 * 12; i++)
        assert_true(dye[i] > -1e-3 && dye[i] < 1 + 1e-3);
    free(dye);
    fm_world_destroy(world);
}

// Uniform dye around a moving ball stays uniform, and dye is neither lost nor made in a closed tank
// with a fixed ball.
static void dye_is_conserved_beside_colliders(void **state)
{
    (void)state;
    fm_error err = {0};
    for (int moving = 0; moving < 2; moving++) {
        fm_world *world = create_grid_world();
        fm_collider_def ball = fixture_ball_def((fm_vec3){0.52, 0.5, 0.47}, 0.2);
        if (moving)
            ball.motion = fm_motion_sine(world, (fm_vec3){1, 0, 0}, 0.1, 1, &err);
        add_collider(world, ball);
        fm_grid_def def = fixture_cavity_grid_def(3, 16, 0.01);
        def.dye.on = true;
        fm_grid *grid = create_grid(world, &def);
        fm_grid_dye_start box = {
            .kind = FM_GRID_DYE_BOX, .centre = {0, 0, 0}, .size = {5, moving ? 5 : 0.5, 5}};
        assert_true(fm_grid_start_dye(grid, &box, &err));
        double before = measure(fm_grid_object(grid), "dye");
        advance_grid(world, grid, 1);
        assert_close(measure(fm_grid_object(grid), "dye") / before, 1, 1e-4);
        double *dye = read_grid(grid, "dye", 1);
        for (int i = 0; i < 16 * 16 * 16 && moving; i++)
            assert_close(dye[i], 1, 1e-9);
        free(dye);
        fm_world_destroy(world);
    }
}

// Smoke with buoyancy rises, heavier dye sinks; dye without it does not move fluid at rest.
static void smoke_rises(void **state)
{
    (void)state;
    fm_error err = {0};
    static const double buoyancy[3] = {0.1, -0.1, 0};
    for (int i = 0; i < 3; i++) {
        fm_world *world = create_world(1, 1e-3, (fm_vec3){0, -10, 0});
        fm_grid_def def = fm_default_grid_def();
        def.cells[0] = def.cells[1] = def.cells[2] = 16;
        def.spacing = 1.0 / 16;
        def.density = 1.2, def.viscosity = 1e-3;
        def.tolerance = 1e-9;
        def.dye.on = true;
        def.dye.buoyancy = buoyancy[i];
        fm_grid *grid = create_grid(world, &def);
        fm_grid_dye_start ball = {
            .kind = FM_GRID_DYE_BALL, .centre = {0.5, 0.5, 0.5}, .size = {0.15, 0, 0}};
        assert_true(fm_grid_start_dye(grid, &ball, &err));
        advance_grid(world, grid, 0.1);
        double v = grid_velocity(grid, 0.5, 0.5, 0.5).y;
        // a ball of fluid accelerates at 2/3 of buoyancy x g: it sets half its volume in motion
        assert_close(v, buoyancy[i] * 10 * 2 / 3 * 0.1, i < 2 ? 0.02 : 1e-8);
        fm_world_destroy(world);
    }
}

static void dye_fades(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_grid_world();
    fm_grid_def def = fixture_cavity_grid_def(2, 8, 0.1);
    def.dye.on = true;
    def.dye.fading = 0.5;
    fm_grid *grid = create_grid(world, &def);
    fm_grid_dye_start box = {.kind = FM_GRID_DYE_BOX, .size = {9, 9, 9}};
    assert_true(fm_grid_start_dye(grid, &box, &err));
    advance_grid(world, grid, 1);
    double t = 1 - 0.5 * fm_grid_read_stats(grid).time_step;
    assert_close(probe_dye(grid, 0.3, 0.6, 0), exp(-2 * t), 1e-4);
    fm_world_destroy(world);
}

// Marks fill the fluid at the given density, move with a uniform stream, leave at the sink and are
// replaced at the source at the same density.
static void marks_keep_their_density_in_a_stream(void **state)
{
    (void)state;
    fm_error err = {0};
    for (int periods = 0; periods < 2; periods++) {
        fm_world *world = create_grid_world();
        fm_grid_def def = channel_def(12);
        def.marks.density = 4;
        def.marks.period = periods ? 0.05 : 0;
        fm_grid *grid = create_grid(world, &def);
        fm_grid_start start = {.kind = FM_GRID_START_UNIFORM, .velocity = {1, 0, 0}};
        assert_true(fm_grid_set_start(grid, &start, &err));
        double expected = 4 * 24 * 12 * 12;
        for (int i = 0; i < 6; i++) {
            advance_grid(world, grid, 0.5);
            assert_close(fm_grid_mark_count(grid) / expected, 1, 0.03); // noise: 1 / sqrt(13824)
        }
        fm_object *marks = fm_world_find_object(world, "grid-marks");
        assert_non_null(marks);
        assert_int_equal(measure(marks, "mark_count"), fm_grid_mark_count(grid));
        fm_world_destroy(world);
    }
}

// The marks of a rigid rotation stay on their circles: midpoint rule and linear interpolation.
static void marks_turn_with_the_fluid(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_grid_world();
    fm_grid_def def = fixture_plane_grid_def(64, 64, 1.0 / 64, 0);
    def.marks.density = 0.1;
    fm_grid *grid = create_grid(world, &def);
    fm_grid_start start = {.kind = FM_GRID_START_VORTEX,
                           .centre = {0.5, 0.5, 0},
                           .axis = {0, 0, 1},
                           .radius = 0.25,
                           .speed = 1};
    assert_true(fm_grid_set_start(grid, &start, &err));
    advance_grid(world, grid, 1e-4);
    fm_object *marks = fm_world_find_object(world, "grid-marks");
    fm_mesh_view view;
    assert_true(fm_object_mesh(marks, &view, &err));
    double first[1024];
    int count = view.point_count < 1024 ? view.point_count : 1024;
    for (int i = 0; i < count; i++)
        first[i] = hypot(view.points[i].x - 0.5, view.points[i].y - 0.5);
    advance_grid(world, grid, PI / 2); // one turn
    assert_true(fm_object_mesh(marks, &view, &err));
    for (int i = 0; i < count; i++)
        if (first[i] < 0.2)
            assert_close(hypot(view.points[i].x - 0.5, view.points[i].y - 0.5), first[i], 0.004);
    fm_world_destroy(world);
}

// Marks do not enter a ball in the stream.
static void marks_pass_colliders(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_grid_world();
    add_collider(world, fixture_ball_def((fm_vec3){0.8, 0.52, 0.47}, 0.2));
    fm_grid_def def = channel_def(12);
    def.marks.density = 2;
    fm_grid *grid = create_grid(world, &def);
    advance_grid(world, grid, 2);
    fm_mesh_view view;
    assert_true(fm_object_mesh(fm_world_find_object(world, "grid-marks"), &view, &err));
    assert_true(view.point_count > 1000);
    for (int i = 0; i < view.point_count; i++)
        assert_true(fm_length(fm_sub(view.points[i], (fm_vec3){0.8, 0.52, 0.47})) > 0.2 - 1e-9);
    fm_world_destroy(world);
}

// Forces on two balls of equal size in a stream add up to the load of the fluid; that in front
// shields the one behind it.
static void loads_are_measured_for_each_collider(void **state)
{
    (void)state;
    fm_world *world = create_grid_world();
    add_collider(world, fixture_ball_def((fm_vec3){0.5, 0.52, 0.51}, 0.15));
    add_collider(world, fixture_ball_def((fm_vec3){0.95, 0.52, 0.51}, 0.15));
    fm_grid_def def = channel_def(20);
    def.loads = true;
    fm_grid *grid = create_grid(world, &def);
    fm_report report = advance_grid(world, grid, 1);
    fm_vec3 front, back, none;
    assert_true(fm_world_collider_load(world, 0, &front));
    assert_true(fm_world_collider_load(world, 1, &back));
    assert_false(fm_world_collider_load(world, 2, &none));
    assert_close(front.x + back.x, report.load.x, 1e-12);
    assert_true(front.x > back.x && back.x > 0);
    fm_world_destroy(world);
}

// A sheet across the stream, 0.3 m x 0.3 m.
static fm_cloth *create_square(fm_world *world)
{
    fm_error err = {0};
    fm_sheet sheet = {.columns = 5,
                      .rows = 5,
                      .width = 0.3,
                      .height = 0.3,
                      .origin = {0.4, 0.65, 0.65},
                      .rotation = {0, 0.70710678118654752, 0, 0.70710678118654752}};
    fm_cloth_def def = fm_default_cloth_def();
    def.drag.added_mass = 0.05; // m; by wavelength it exists in a prescribed medium only
    fm_cloth *cloth = fm_cloth_create_sheet(world, &def, &sheet, &err);
    assert_good(cloth, &err);
    return cloth;
}

static void read_velocities(fm_cloth *cloth, fm_vec3 velocities[25])
{
    fm_error err = {0};
    assert_true(fm_object_read_field(fm_cloth_object(cloth), "velocity", &velocities->x, &err));
}

// A free sheet in a uniform stream on the grid moves as in a medium with a uniform flow. One-way
// coupling has no permeability.
static void cloth_drifts_as_in_a_uniform_flow(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_grid_world();
    fm_grid_def def = channel_def(12);
    def.density = 1000, def.viscosity = 1;
    fm_grid *grid = create_grid(world, &def);
    fm_grid_start start = {.kind = FM_GRID_START_UNIFORM, .velocity = {1, 0, 0}};
    assert_true(fm_grid_set_start(grid, &start, &err));
    fm_cloth *cloth = create_square(world);
    fm_object *body = fm_cloth_object(cloth), *fluid = fm_grid_object(grid);
    fm_coupling_def permeable = {.way = FM_COUPLING_ONE_WAY, .resistance = 3};
    assert_false(fm_world_couple_with(world, body, fluid, &permeable, &err));
    assert_non_null(strstr(err.text, "two-way"));
    err = (fm_error){0};
    bool good = fm_world_couple_objects(world, body, fluid, FM_COUPLING_ONE_WAY, &err);
    assert_good(good, &err);

    fm_world_def uniform = fm_default_world_def();
    uniform.gravity = (fm_vec3){0, 0, 0};
    uniform.medium = (fm_medium){
        .density = 1000, .viscosity = 1, .flow = {.kind = FM_FLOW_UNIFORM, .velocity = {1, 0, 0}}};
    fm_world *other = fm_world_create(&uniform, &err);
    assert_good(other, &err);
    fm_cloth *twin = create_square(other);

    for (int i = 0; i < 4; i++) {
        fm_vec3 own[25], expected[25];
        advance_grid(world, grid, 0.25);
        advance(other, 0.25);
        read_velocities(cloth, own);
        read_velocities(twin, expected);
        for (int k = 0; k < 25; k++)
            assert_close(own[k].x, expected[k].x, 0.005);
        assert_true(own[0].x > 0.5);
    }
    fm_world_destroy(world);
    fm_world_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(dye_enters_with_the_stream),
                                       cmocka_unit_test(dye_is_conserved_beside_colliders),
                                       cmocka_unit_test(smoke_rises),
                                       cmocka_unit_test(dye_fades),
                                       cmocka_unit_test(marks_keep_their_density_in_a_stream),
                                       cmocka_unit_test(marks_turn_with_the_fluid),
                                       cmocka_unit_test(marks_pass_colliders),
                                       cmocka_unit_test(loads_are_measured_for_each_collider),
                                       cmocka_unit_test(cloth_drifts_as_in_a_uniform_flow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
