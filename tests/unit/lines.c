// SPDX-License-Identifier: MIT
// lines.c: definitions of lines, loads and ties that are refused; slack lines; contact of loads and
// lines; ties to pins; strain limiting of lines.
#include "lines.h"

#include <string.h>

static const fm_vec3 down = {0, -9.81, 0}, origin = {0, 0, 0};

static void assert_refused(bool made, const fm_error *err, const char *field)
{
    if (made || err->status == FM_OK || !strstr(err->text, field))
        print_error("%s: %s\n", field, err->text);
    assert_false(made);
    assert_int_equal(err->status, FM_BAD_VALUE);
    assert_non_null(strstr(err->text, field));
}

static void refuse_line(fm_line_def def, const char *field)
{
    fm_error err = {0};
    fm_world *world = create_world(0, 0, down);
    fm_vec3 x[2] = {origin, {1, 0, 0}};
    assert_refused(create_strand(world, &def, x, 2, 0, &err) != NULL, &err, field);
    fm_world_destroy(world);
}

static void wrong_numbers_of_a_line_are_refused(void **state)
{
    (void)state;
    fm_line_def def = fm_default_line_def();
    def.diameter = 0;
    refuse_line(def, "diameter");
    def = fm_default_line_def(), def.linear_density = -1;
    refuse_line(def, "linear_density");
    def = fm_default_line_def(), def.diameter = 1e-5, def.linear_density = 1;
    refuse_line(def, "linear_density");
    def = fm_default_line_def(), def.stiffness = NAN;
    refuse_line(def, "stiffness");
    def = fm_default_line_def(), def.bending = -1e-9;
    refuse_line(def, "bending");
    def = fm_default_line_def(), def.drag.across = INFINITY;
    refuse_line(def, "drag.across");
    def = fm_default_line_def(), def.damping.order = 0;
    refuse_line(def, "damping.order");
}

static void wrong_strands_are_refused(void **state)
{
    (void)state;
    fm_world *world = create_world(0, 0, down);
    fm_line_def def = fm_default_line_def();
    fm_vec3 x[3] = {origin, {1, 0, 0}, {1, 0, 0}};
    int points[3] = {0, 1, 2}, starts[2] = {0, 3};
    fm_strands strands = {
        .positions = x, .point_count = 3, .points = points, .starts = starts, .strand_count = 1};
    fm_error err = {0};
    assert_refused(fm_line_create(world, &def, &strands, &err), &err, "points[2]");
    starts[1] = 2;
    err = (fm_error){0};
    assert_refused(fm_line_create(world, &def, &strands, &err), &err, "positions[2]");
    points[1] = 7;
    err = (fm_error){0};
    assert_refused(fm_line_create(world, &def, &strands, &err), &err, "points[1]");
    starts[1] = 1;
    err = (fm_error){0};
    assert_refused(fm_line_create(world, &def, &strands, &err), &err, "strands[0]");
    fm_world_destroy(world);
}

static void wrong_loads_are_refused(void **state)
{
    (void)state;
    fm_world *world = create_world(0, 0, down);
    fm_load_def def = fm_default_load_def();
    fm_error err = {0};
    def.mass = 0;
    assert_refused(fm_load_create(world, &def, &err), &err, "mass");
    def = fm_default_load_def(), def.radius = 1, err = (fm_error){0};
    assert_refused(fm_load_create(world, &def, &err), &err, "radius");
    def = fm_default_load_def(), def.position.y = NAN, err = (fm_error){0};
    assert_refused(fm_load_create(world, &def, &err), &err, "origin");
    fm_world_destroy(world);
}

static void wrong_ties_are_refused(void **state)
{
    (void)state;
    fm_world *world = create_world(0, 0, down), *elsewhere = create_world(0, 0, down);
    fm_line_def def = bare_line();
    fm_cloth *line = create_straight(world, &def, origin, (fm_vec3){1, 0, 0}, 4, 0);
    fm_cloth *far = create_straight(world, &def, (fm_vec3){1.01, 0, 0}, (fm_vec3){2, 0, 0}, 4, 0);
    fm_cloth *there = create_straight(elsewhere, &def, origin, (fm_vec3){2, 0, 0}, 4, 0);
    fm_object *a = fm_cloth_object(line), *b = fm_cloth_object(far);
    fm_error err = {0};
    assert_refused(fm_world_tie(world, a, 4, b, 0, &err), &err, "distance of a tie");
    err = (fm_error){0};
    assert_refused(fm_world_tie(world, a, 5, b, 0, &err), &err, "tie");
    err = (fm_error){0};
    assert_refused(fm_world_tie(world, a, 0, fm_cloth_object(there), 0, &err), &err,
                   "of another world");
    err = (fm_error){0};
    assert_refused(fm_world_tie(world, a, 2, a, 2, &err), &err, "two different points");
    assert_int_equal(fm_world_tie_count(world), 0);
    fm_cloth_def cloth = bare_cloth();
    cloth.integrator = FM_RK4;
    fm_cloth *sheet =
        create_sheet(world, &cloth, &(fm_sheet){.columns = 3, .rows = 3, .width = 1, .height = 1});
    err = (fm_error){0};
    assert_refused(fm_world_tie(world, a, 0, fm_cloth_object(sheet), 0, &err), &err, "integrator");
    advance(world, 0.01);
    err = (fm_error){0};
    assert_refused(fm_world_tie(world, a, 4, b, 0, &err), &err, "before the first advance");
    fm_world_destroy(world);
    fm_world_destroy(elsewhere);
}

// A line that is pushed together goes slack, or resists.
static void a_slack_line_does_not_push(void **state)
{
    (void)state;
    for (int slack = 0; slack < 2; slack++) {
        fm_world *world = create_world(0, 0, no_gravity);
        fm_line_def def = bare_line();
        def.tension_only = slack;
        fm_cloth *line = create_straight(world, &def, origin, (fm_vec3){1, 0, 0}, 1, 1.1);
        pin_point(line, 0);
        advance(world, 1e-4);
        double v = fm_cloth_velocities(line, NULL)[1].x, tension;
        fm_line_tensions(line, &tension);
        if (slack)
            assert_true(v == 0 && tension == 0);
        else
            assert_true(v > 0 && tension < 0);
        fm_world_destroy(world);
    }
}

// A tie to a pinned point of a sheet holds a hanging line, and one to a moving pin carries it.
static void a_tie_to_a_pin_holds(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_world(0, 0, down);
    fm_cloth_def def = bare_cloth();
    fm_cloth *sheet =
        create_sheet(world, &def, &(fm_sheet){.columns = 3, .rows = 3, .width = 1, .height = 1});
    const fm_motion *motion = fm_motion_sine(world, (fm_vec3){1, 0, 0}, 0.1, 1, &err);
    assert_true(fm_cloth_pin_edge(sheet, FM_EDGE_TOP, motion, &err));
    fm_line_def line_def = fm_default_line_def();
    fm_cloth *line = create_straight(world, &line_def, origin, (fm_vec3){0, -0.5, 0.1}, 5, 0);
    tie(world, line, 0, sheet, 0);
    for (int i = 0; i < 30; i++) {
        advance(world, 1.0 / 30);
        fm_vec3 a = fm_cloth_positions(line, NULL)[0], b = fm_cloth_positions(sheet, NULL)[0];
        assert_true(a.x == b.x && a.y == b.y && a.z == b.z);
        assert_close(a.x, 0.1 * sin(2 * acos(-1) * (i + 1) / 30), 1e-12);
    }
    fm_world_destroy(world);
}

// A load falls on a sheet that is held at its corners, and stays on it at the distance of its
// radius. first: the load is created before the sheet.
static void drop_load(double radius, double mass, bool first)
{
    fm_error err = {0};
    fm_world *world = create_world(1.2, 1.8e-5, down);
    fm_cloth_def def = fm_default_cloth_def();
    def.contact.enabled = true;
    def.stretch.stiffness = 2000;
    fm_sheet sheet_def = {.columns = 21,
                          .rows = 21,
                          .width = 0.6,
                          .height = 0.6,
                          .origin = {-0.3, 0, -0.3},
                          .rotation = {-sqrt(0.5), 0, 0, sqrt(0.5)}};
    fm_load_def load_def = fm_default_load_def();
    load_def.contact.enabled = true;
    load_def.radius = radius, load_def.mass = mass, load_def.position.y = radius + 0.03;
    fm_cloth *sheet = first ? NULL : create_sheet(world, &def, &sheet_def);
    fm_cloth *load = create_load(world, &load_def);
    sheet = sheet ? sheet : create_sheet(world, &def, &sheet_def);
    for (int c = 0; c < 4; c++)
        assert_true(fm_cloth_pin_corner(sheet, (fm_corner)c, NULL, &err));
    fm_report report = {0};
    for (int i = 0; i < 40; i++)
        report = advance(world, 0.05);
    int n;
    const fm_vec3 *x = fm_cloth_positions(sheet, &n);
    fm_vec3 at = fm_cloth_positions(load, NULL)[0];
    double nearest = INFINITY;
    for (int i = 0; i < n; i++)
        nearest = fmin(nearest,
                       sqrt(pow(x[i].x - at.x, 2) + pow(x[i].y - at.y, 2) + pow(x[i].z - at.z, 2)));
    printf("  at y = %.3f m, %.4f m from the nearest point, %d pinched\n", at.y, nearest,
           report.pinched_count);
    assert_true(at.y > -0.4);
    assert_in_interval(nearest, 0.98 * radius, 1.2 * radius);
    fm_world_destroy(world);
}

static void a_load_lies_on_a_sheet(void **state)
{
    (void)state;
    drop_load(0.05, 0.4, false);
    drop_load(0.12, 0.8, true); // much thicker than the sheet's cells
}

// Strain limiting keeps the length of a stiff line at long substeps.
static void strain_limiting_keeps_the_length(void **state)
{
    (void)state;
    fm_world *world = create_world(1000, 1e-3, down);
    fm_line_def def = fm_default_line_def();
    def.enforcement.method = FM_ENFORCE_DIRECTIONAL;
    def.bending = 0; // it would bound the substep
    fm_cloth *line = create_straight(world, &def, origin, (fm_vec3){0.6, 0, 0}, 30, 0);
    pin_point(line, 0);
    for (int i = 0; i < 48; i++) {
        fm_report report = advance(world, 1.0 / 24);
        assert_at_most(report.max_stretch, 0.03);
        assert_int_equal(report.substep_count, 10);
    }
    fm_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_numbers_of_a_line_are_refused),
        cmocka_unit_test(wrong_strands_are_refused),
        cmocka_unit_test(wrong_loads_are_refused),
        cmocka_unit_test(wrong_ties_are_refused),
        cmocka_unit_test(a_slack_line_does_not_push),
        cmocka_unit_test(a_tie_to_a_pin_holds),
        cmocka_unit_test(a_load_lies_on_a_sheet),
        cmocka_unit_test(strain_limiting_keeps_the_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
