// SPDX-License-Identifier: MIT
// cloth_implicit_contact.c: contact of cloth with cloth inside the solve of the implicit
// integrators.
//
// - A free sheet that drops over a ball and swings shut below it never has more energy than at the
//   start, by 1e-3 of the potential energy that it loses, and never intersects itself.
// - A sheet that hits the floor corner first with 3 m/s and crumples has no more energy than at the
//   start, by 1e-3: its steps become shorter, and solves that fail are taken again in shorter
//   parts. With a time_step of 1/96 s it gains 129 times its energy.
// - A sheet that slides over the corner of a box stretches by at most 2 %. With corners as soft as
//   cloth on cloth, the guard stretches it by 4.3 %.
// - A sheet that two hands wring stretches by at most 5 %, of which the hands demand 2 %. With
//   layers that repel each other as softly as layers at rest, the guard stretches it by 10.8 %.
// - A stack of sheets comes to rest: the rms speed falls below 0.1 mm/s.
// - A sheet on a held sheet, in tilted gravity: below the angle of friction it creeps with less
//   than 0.1 mm/s, above it slides by g (sin a - mu cos a) t^2 / 2.
#include "bodies.h"

static const double FRAME = 1.0 / 24; // s
static const double STAND = 0.0015;   // m, distance of sheets at the start

// Shirting with contact.
static fm_cloth_def shirting(double friction)
{
    fm_cloth_def def = fixture_shirting_def();
    def.contact.enabled = true;
    def.contact.friction = friction;
    def.contact.thickness = 1e-3;
    return def;
}

// A horizontal sheet whose corner is at `origin`.
static fm_sheet lie(int columns, int rows, double width, double height, fm_vec3 origin)
{
    const double half = acos(-1) / 4; // half of the rotation by -90 degrees about x
    return (fm_sheet){.columns = columns,
                      .rows = rows,
                      .width = width,
                      .height = height,
                      .origin = origin,
                      .rotation = {-sin(half), 0, 0, cos(half)}};
}

static fm_world *create_air(fm_vec3 gravity)
{
    fm_world_def def = fixture_air_def(1);
    def.gravity = gravity;
    def.check_intersections = true;
    return open_world(def);
}

static void a_sheet_that_swings_shut_gains_no_energy(void **state)
{
    (void)state;
    fm_world *world = create_air((fm_vec3){0, -9.81, 0});
    fm_cloth_def def = shirting(0.3);
    add_collider(world, fixture_ball_def((fm_vec3){0, 0, 0}, 0.1));
    fm_sheet sheet = lie(25, 25, 0.5, 0.5, (fm_vec3){-0.25, 0.11, -0.25});
    create_sheet(world, &def, &sheet);
    double most = -INFINITY, least = INFINITY, start = 0, closest = INFINITY;
    int touching = 0;
    for (int frame = 0; frame < 14; frame++) {
        fm_report report = advance(world, FRAME);
        double energy = report.kinetic_energy + report.potential_energy;
        start = frame == 0 ? energy : start;
        most = fmax(most, energy), least = fmin(least, energy);
        closest = fmin(closest, report.closest_distance);
        assert_int_equal(report.intersection_count, 0);
        touching += report.closest_distance < 1.1e-3;
    }
    printf("  energy %.3g J above that after a frame, %.3g J below; closest %.3g m\n", most - start,
           start - least, closest);
    assert_at_most(most - start, 1e-3 * (start - least));
    assert_true(touching > 0);
    fm_world_destroy(world);
}

static void a_sheet_that_crumples_fast_gains_no_energy(void **state)
{
    (void)state;
    const double half = acos(-1) / 8; // half of the rotation by 45 degrees about z
    fm_world *world = create_air((fm_vec3){0, -9.81, 0});
    fm_cloth_def def = shirting(0.35);
    add_collider(world, fixture_floor_def(0));
    fm_sheet sheet = {.columns = 21, .rows = 25, .width = 0.4, .height = 0.48};
    sheet.origin = (fm_vec3){-0.3, 0.36, 0};
    sheet.rotation = (fm_quat){0.1 * sin(half), 0, sin(half), cos(half)};
    sheet.velocity = (fm_vec3){0, -3, 0};
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    fm_report report = fm_world_report(world);
    double start = report.kinetic_energy + report.potential_energy, most = -INFINITY;
    int failures = 0, retries = 0;
    for (int frame = 0; frame < 5; frame++) {
        report = advance(world, FRAME);
        most = fmax(most, report.kinetic_energy + report.potential_energy);
        assert_int_equal(report.intersection_count, 0);
        failures += fm_cloth_newton_report(cloth).failures;
        retries += fm_cloth_newton_report(cloth).retries;
    }
    printf("  start %.3g J, gain %.3g, %d solves taken again, %d failures\n", start,
           most / start - 1, retries, failures);
    assert_at_most(most, start * (1 + 1e-3));
    assert_true(retries > 0);
    fm_world_destroy(world);
}

// The lower edge rises, shakes and turns, as in scenes/cloth/wring.yaml.
static fm_motion *create_hand(fm_world *world)
{
    fm_error err = {0};
    fm_key keys[] = {{.time = 0}, {.time = 2, .position = {0, 0.3, 0}}};
    fm_turn turn = {.axis = {0, 1, 0}, .amplitude = 4 * acos(-1), .period = 12};
    fm_motion *raise =
        fm_motion_keyframes(world, keys, 2, FM_INTERPOLATE_SMOOTH, (fm_vec3){0}, &err);
    fm_motion *pump = fm_motion_sine(world, (fm_vec3){0, 1, 0}, 0.0557, 0.7, &err);
    fm_motion *turned = fm_motion_compose(world, raise, fm_motion_turn(world, &turn, &err), &err);
    fm_motion *hand = fm_motion_compose(world, pump, turned, &err);
    assert_good(hand, &err);
    return hand;
}

static void a_wrung_sheet_keeps_its_length(void **state)
{
    (void)state;
    const int top[] = {13, 14, 15, 16, 17}, bottom[] = {943, 944, 945, 946, 947};
    fm_error err = {0};
    fm_world *world = create_air((fm_vec3){0, -9.81, 0});
    fm_cloth_def def = fm_default_cloth_def();
    fm_cloth_set_material(&def, FM_POLYESTER);
    def.imperfection.amount = 0.001;
    def.integrator = FM_IMPLICIT;
    def.contact.enabled = true;
    def.contact.friction = 0.3;
    fm_sheet sheet = {.columns = 31, .rows = 31, .width = 0.6, .height = 0.6};
    sheet.origin = (fm_vec3){-0.3, 0.9, 0};
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    assert_true(fm_cloth_pin_list(cloth, top, 5, NULL, &err));
    assert_true(fm_cloth_pin_list(cloth, bottom, 5, create_hand(world), &err));
    double most = 0;
    int failures = 0, retries = 0;
    for (int frame = 0; frame < 22; frame++) {
        fm_report report = advance(world, FRAME);
        most = fmax(most, report.max_stretch);
        assert_int_equal(report.intersection_count, 0);
        retries += fm_cloth_newton_report(cloth).retries;
        failures += fm_cloth_newton_report(cloth).failures;
    }
    printf("  stretch at most %.3g, %d solves taken again, %d failures\n", most, retries, failures);
    assert_at_most(most, 0.05);
    fm_world_destroy(world);
}

static void a_corner_of_a_box_does_not_stretch_a_sheet(void **state)
{
    (void)state;
    fm_world *world = create_air((fm_vec3){0, -9.81, 0});
    fm_cloth_def def = shirting(0.4);
    fm_collider_def box = {.shape = {.kind = FM_SHAPE_BOX,
                                     .centre = {-0.35, -0.2, -0.35},
                                     .half_size = {0.35, 0.2, 0.35}},
                           .friction = 0.3};
    add_collider(world, box);
    fm_sheet sheet = lie(31, 31, 0.9, 0.9, (fm_vec3){-0.4, 0.01, -0.46});
    create_sheet(world, &def, &sheet);
    double most = 0;
    for (int frame = 0; frame < 16; frame++)
        most = fmax(most, advance(world, FRAME).max_stretch);
    printf("  stretch at most %.3g\n", most);
    assert_at_most(most, 0.02);
    fm_world_destroy(world);
}

// m/s, rms speed of the particles.
static double rms_speed(fm_cloth *cloth)
{
    int count;
    const fm_vec3 *v = fm_cloth_velocities(cloth, &count);
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z;
    return sqrt(sum / count);
}

static void a_stack_of_sheets_comes_to_rest(void **state)
{
    (void)state;
    enum { SHEETS = 4 };
    fm_world *world = create_air((fm_vec3){0, -9.81, 0});
    fm_cloth_def def = shirting(0.3);
    fm_cloth *sheets[SHEETS];
    add_collider(world, fixture_floor_def(0));
    for (int i = 0; i < SHEETS; i++) {
        fm_vec3 origin = {0.013 * (i % 3), STAND * (i + 1), 0.007 * (i % 2)};
        fm_sheet sheet = lie(16, 11, 0.3, 0.2, origin);
        sheets[i] = create_sheet(world, &def, &sheet);
    }
    double closest = 0;
    for (int frame = 0; frame < 12; frame++)
        closest = advance(world, FRAME).closest_distance;
    for (int i = 0; i < SHEETS; i++) {
        printf("  sheet %d: rms speed %.2g m/s\n", i, rms_speed(sheets[i]));
        assert_at_most(rms_speed(sheets[i]), 1e-4);
    }
    assert_in_interval(closest, 0.99e-3, 1.1e-3);
    fm_world_destroy(world);
}

// How far, m, and how fast, m/s, a sheet slides on a held sheet in 0.25 s after 0.25 s.
static double slide(double angle, double friction, double *speed)
{
    const double half = 0.25; // s
    fm_error err = {0};
    fm_world *world = create_air((fm_vec3){9.81 * sin(angle), -9.81 * cos(angle), 0});
    fm_cloth_def def = shirting(friction);
    def.drag.model = FM_DRAG_NONE;
    fm_sheet under = lie(25, 7, 0.48, 0.12, (fm_vec3){0, 0, 0});
    fm_sheet over = lie(6, 5, 0.09, 0.06, (fm_vec3){0.035, 1.05e-3, 0.034});
    fm_cloth *base = create_sheet(world, &def, &under);
    for (int row = 0; row < under.rows; row++)
        assert_true(fm_cloth_pin_row(base, row, NULL, &err));
    fm_cloth *cloth = create_sheet(world, &def, &over);
    advance(world, half);
    double x = fm_cloth_positions(cloth, NULL)[12].x, v = fm_cloth_velocities(cloth, NULL)[12].x;
    advance(world, half);
    double moved = fm_cloth_positions(cloth, NULL)[12].x - x;
    *speed = fm_cloth_velocities(cloth, NULL)[12].x;
    printf("  angle %.2f: moves by %.3g m, %.3g to %.3g m/s\n", angle, moved, v, *speed);
    fm_world_destroy(world);
    return moved;
}

static void friction_holds_below_its_angle_and_slides_above(void **state)
{
    (void)state;
    const double mu = 0.3, T = 0.25;
    double speed, held = slide(0.8 * atan(mu), mu, &speed);
    assert_in_interval(held, -1e-4 * T, 1e-4 * T); // m: 0.1 mm/s
    double angle = 1.5 * atan(mu), a = 9.81 * (sin(angle) - mu * cos(angle));
    double moved = slide(angle, mu, &speed);
    // vertices that pass the sides of triangles lose some speed
    assert_close(speed, a * 2 * T, 0.05 * a * 2 * T);
    assert_close(moved, 1.5 * a * T * T, 0.05 * 1.5 * a * T * T);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sheet_that_swings_shut_gains_no_energy),
        cmocka_unit_test(a_sheet_that_crumples_fast_gains_no_energy),
        cmocka_unit_test(a_wrung_sheet_keeps_its_length),
        cmocka_unit_test(a_corner_of_a_box_does_not_stretch_a_sheet),
        cmocka_unit_test(a_stack_of_sheets_comes_to_rest),
        cmocka_unit_test(friction_holds_below_its_angle_and_slides_above),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
