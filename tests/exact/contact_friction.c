// SPDX-License-Identifier: MIT
// A plate on an incline. Below the angle of friction it stays; above, it slides by
//
//     x(t) = g (sin a - mu cos a) t^2 / 2
//
// The plate is a rigid bar of two triangles, stepped by kick-drift-kick; the incline is a box.
#include "contact_fixture.h"

static const double G = 9.81;

typedef struct slide {
    double way, speed, sideways; // m down the incline, m/s, m across and off it
} slide;

// Gravity is turned instead of the incline: the surface is the plane of x and z.
static slide slide_plate(double angle, double friction, double seconds, double h)
{
    stage s = {.mass = 1e-3, .stiffness = 0};
    add_surface(&s, make_sheet(4, 4, 0.02, (fm_vec3){0, 0.001, 0}), false, 0.002, friction);
    add_surface(&s, make_box((fm_vec3){10, 0.1, 1}), true, 0.002, friction);
    open_stage(&s);
    place_mesh(&s, 1, (fm_vec3){0}, (fm_vec3){0, -0.101, 0}, s.x); // its top 2 mm below the plate
    fm_vec3 g = {G * sin(angle), -G * cos(angle), 0};
    int steps = (int)(seconds / h + 0.5);
    double start = s.x.x[0];
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < s.vertex_count; i++) {
            bool moves = s.masses[i] > 0;
            fm_vec3 v = fm_add_scaled(fm_contact_at(s.v, i), g, h / 2);
            fm_vec3 x = fm_add_scaled(fm_contact_at(s.x, i), v, moves ? h : 0);
            s.x1.x[i] = x.x, s.x1.y[i] = x.y, s.x1.z[i] = x.z;
            v = fm_add_scaled(v, g, h / 2);
            s.v.x[i] = v.x, s.v.y[i] = v.y, s.v.z[i] = v.z;
        }
        fm_contact_step(s.set, h, NULL, &s.report);
        end_step(&s);
    }
    slide result = {s.x.x[0] - start, s.v.x[0], fabs(s.x.y[0] - 0.001) + fabs(s.x.z[0] + 0.03)};
    for (int i = 1; i < 16; i++) // it stayed a plate
        assert_close(s.x.x[i] - 0.02 * (i % 4), s.x.x[0], 1e-6);
    close_stage(&s);
    return result;
}

static void sticks_below_the_angle(void **state)
{
    (void)state;
    for (double share = 0; share < 0.97; share += 0.16) {
        slide s = slide_plate(share * atan(0.4), 0.4, 1, 1e-3);
        assert_at_most(fabs(s.way), 1e-9);
        assert_at_most(fabs(s.speed), 1e-9);
        assert_at_most(s.sideways, 1e-6);
    }
}

static void slides_above_it(void **state)
{
    (void)state;
    for (double friction = 0; friction < 0.8; friction += 0.25) {
        for (double h = 2e-3; h > 1e-4; h /= 4) {
            double a = atan(friction) + 0.3, pull = G * (sin(a) - friction * cos(a));
            slide s = slide_plate(a, friction, 0.5, h);
            print_message("mu %.2f h %g: way %.9f m, exact %.9f\n", friction, h, s.way,
                          pull * 0.125);
            assert_close(s.way, pull * 0.125, 1e-6);
            assert_close(s.speed, pull * 0.5, 1e-6);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sticks_below_the_angle),
        cmocka_unit_test(slides_above_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
