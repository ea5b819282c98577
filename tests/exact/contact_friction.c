// SPDX-License-Identifier: MIT
// A plate on an incline. Below the angle of friction it stays; above, it slides by
//
//     x(t) = g (sin a - mu cos a) t^2 / 2
//
// exactly, also in finite steps: the plate is stepped by kick-drift-kick. The incline is a box.
// Where the plate slides over the edge between the two triangles of its top, pairs of edges hold
// the same weight once more, and passing it around costs a little.
#include "contact_fixture.h"

static const double G = 9.81, SECONDS = 0.5;

typedef struct slide {
    double way, speed, off; // m down the incline, m/s, m off it
} slide;

// Gravity is turned instead of the incline: the surface is the plane of x and z.
static slide slide_plate(double angle, double friction, double h, bool over_edge)
{
    stage s = {.mass = 1e-3, .stiffness = 0};
    add_surface(&s, make_sheet(4, 4, 0.02, (fm_vec3){0, 0.001, 0}), false, 0.002, friction);
    add_surface(&s, make_box((fm_vec3){10, 0.1, 1}), true, 0.002, friction);
    open_stage(&s);
    // its top 2 mm below the plate, its diagonal below it or far away
    place_mesh(&s, 1, (fm_vec3){0}, (fm_vec3){0, -0.101, over_edge ? 0 : 0.5}, s.x);
    fm_vec3 g = {G * sin(angle), -G * cos(angle), 0};
    int steps = (int)(SECONDS / h + 0.5);
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
    slide result = {0};
    for (int i = 0; i < 16; i++) {
        result.way += (s.x.x[i] - 0.02 * (i % 4) - start) / 16;
        result.speed += s.v.x[i] / 16;
        result.off = fmax(result.off, fabs(s.x.y[i] - 0.001));
    }
    for (int i = 1; i < 16; i++) // it stayed a plate, though nothing but friction holds it
        assert_close(s.x.x[i] - 0.02 * (i % 4), s.x.x[0], over_edge ? 1e-3 : 1e-9);
    close_stage(&s);
    return result;
}

static void sticks_below_the_angle(void **state)
{
    (void)state;
    for (int part = 0; part < 8; part++) {
        for (int over_edge = 0; over_edge < 2; over_edge++) {
            slide s = slide_plate(0.14 * part * atan(0.4), 0.4, 1e-3, over_edge);
            assert_at_most(fabs(s.way), over_edge ? 1e-4 : 1e-12);
            assert_at_most(fabs(s.speed), over_edge ? 1e-3 : 1e-12);
            assert_at_most(s.off, 1e-6);
        }
    }
}

static void slides_above_it(void **state)
{
    (void)state;
    for (int k = 0; k < 12; k++) {
        double friction = 0.25 * (k % 4), h = 2e-3 / (1 << 2 * (k / 4));
        double a = atan(friction) + 0.3, pull = G * (sin(a) - friction * cos(a));
        double way = pull * SECONDS * SECONDS / 2;
        slide s = slide_plate(a, friction, h, false), over = slide_plate(a, friction, h, true);
        print_message("mu %.2f, h %g s: way %.9f m, over an edge %.9f m, exact %.9f m\n", friction,
                      h, s.way, over.way, way);
        assert_close(s.way, way, 1e-9);
        assert_close(s.speed, pull * SECONDS, 1e-9);
        assert_close(over.way, way, 1e-4 * way);
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
