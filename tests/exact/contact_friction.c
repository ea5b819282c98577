// SPDX-License-Identifier: MIT
// contact_friction.c: a plate on an incline. Below the angle of friction it stays at rest; above,
// it slides by
//
//     x(t) = g (sin a - mu cos a) t^2 / 2
//
// exactly, even in finite steps, because the plate is integrated by kick-drift-kick. The incline is
// a box. Where the plate slides over the diagonal between the two triangles of the box's top, pairs
// of edges carry the same weight a second time, and distributing it between them costs some
// accuracy.
//
//   a  angle of the incline    mu  friction coefficient    g  gravity, m/s^2
#include "contact_fixture.h"

static const double G = 9.81, SECONDS = 0.5; // gravity, m/s^2; duration

// How far a plate slid.
typedef struct slide {
    double distance; // m, down the incline
    double speed;    // m/s
    double lifted;   // m, largest change of the distance from the incline
} slide;

// Lets a plate slide for SECONDS with steps of h (s). over_edge: over the diagonal of the box's
// top. Gravity is rotated instead of the incline: the surface is the xz plane.
static slide slide_plate(double angle, double friction, double h, bool over_edge)
{
    enum { SIDE = 4, COUNT = SIDE * SIDE };                         // vertices of the plate
    const double spacing = 0.02, height = 0.001, thickness = 0.002; // m
    contact_scene s = {.mass = 1e-3, .stiffness = 0};
    add_surface(&s, create_sheet_mesh(SIDE, SIDE, spacing, (fm_vec3){0, height, 0}), false,
                thickness, friction);
    add_surface(&s, create_box_mesh((fm_vec3){10, 0.1, 1}), true, thickness, friction);
    open_scene(&s);
    // the top of the box is 2 mm below the plate; its diagonal is below the plate or far away
    place_mesh(&s, 1, (fm_vec3){0}, (fm_vec3){0, -0.101, over_edge ? 0 : 0.5}, s.x);
    fm_vec3 g = {G * sin(angle), -G * cos(angle), 0};
    int steps = (int)(SECONDS / h + 0.5);
    double start = s.x.x[0];
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < s.vertex_count; i++) {
            bool moves = s.inverse_masses[i] > 0;
            fm_vec3 v = fm_add_scaled(fm_vec3_array_at(s.v, i), g, h / 2);
            fm_vec3 x = fm_add_scaled(fm_vec3_array_at(s.x, i), v, moves ? h : 0);
            s.x1.x[i] = x.x, s.x1.y[i] = x.y, s.x1.z[i] = x.z;
            v = fm_add_scaled(v, g, h / 2);
            s.v.x[i] = v.x, s.v.y[i] = v.y, s.v.z[i] = v.z;
        }
        fm_contact_step(s.set, h, NULL, &s.report);
        end_step(&s);
    }
    slide result = {0};
    for (int i = 0; i < COUNT; i++) {
        result.distance += (s.x.x[i] - spacing * (i % SIDE) - start) / COUNT;
        result.speed += s.v.x[i] / COUNT;
        result.lifted = fmax(result.lifted, fabs(s.x.y[i] - height));
    }
    // the plate has no springs, but all its vertices slide alike, so it keeps its shape
    for (int i = 1; i < COUNT; i++)
        assert_close(s.x.x[i] - spacing * (i % SIDE), s.x.x[0], over_edge ? 1e-3 : 1e-9);
    close_scene(&s);
    return result;
}

static void a_plate_sticks_below_the_angle_of_friction(void **state)
{
    (void)state;
    const double mu = 0.4;
    for (int part = 0; part < 8; part++) { // up to 0.98 of the angle of friction
        for (int over_edge = 0; over_edge < 2; over_edge++) {
            slide s = slide_plate(0.14 * part * atan(mu), mu, 1e-3, over_edge);
            assert_at_most(fabs(s.distance), over_edge ? 1e-4 : 1e-12);
            assert_at_most(fabs(s.speed), over_edge ? 1e-3 : 1e-12);
            assert_at_most(s.lifted, 1e-6);
        }
    }
}

static void a_plate_slides_exactly_above_the_angle_of_friction(void **state)
{
    (void)state;
    for (int k = 0; k < 12; k++) {
        double friction = 0.25 * (k % 4), h = 2e-3 / (1 << 2 * (k / 4));
        double a = atan(friction) + 0.3, pull = G * (sin(a) - friction * cos(a)); // rad, m/s^2
        double distance = pull * SECONDS * SECONDS / 2;
        slide s = slide_plate(a, friction, h, false), over = slide_plate(a, friction, h, true);
        print_message("mu %.2f, h %g s: distance %.9f m, over an edge %.9f m, exact %.9f m\n",
                      friction, h, s.distance, over.distance, distance);
        assert_close(s.distance, distance, 1e-9);
        assert_close(s.speed, pull * SECONDS, 1e-9);
        assert_close(over.distance, distance, 1e-4 * distance);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plate_sticks_below_the_angle_of_friction),
        cmocka_unit_test(a_plate_slides_exactly_above_the_angle_of_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
