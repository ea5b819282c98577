// SPDX-License-Identifier: MIT
// cloth_stokes.c: the skin drag of a sheet that slides in its own plane is that of Stokes'
// problems.
//
// The sheet drags a layer of fluid along on both sides. The force per m^2 is K D^(1/2) u, with the
// half derivative D^(1/2) u of the velocity and K = 2 sqrt(rho mu):
//
//   first problem: pulled at speed V from rest     K V / sqrt(pi t)
//   second problem: u = V cos(w t)                 K V sqrt(w) cos(w t + pi/4) after the transient
//   released under a constant force f              sigma u' + K D^(1/2) u = f, with the solution
//                                    u = f/sigma sum_n (-K/sigma)^n t^(1+n/2) / Gamma(2+n/2)
//
//   u    velocity, m/s         rho  density of the fluid, kg/m^3      mu  its viscosity, Pa s
//   w    angular frequency     sigma  mass of the cloth, kg/m^2
//
// Where pins prescribe the velocity, the acceleration is the difference of two velocities. It
// belongs to the middle between their times, half a step too early, so the first two problems
// converge with first order. The velocity jump at the start of the first problem is also of first
// order, because it is spread over one step. The acceleration of the released sheet starts like 1 -
// t^(1/2), for which the trapezoidal rule converges with order 3/2 or better.
#include "bodies.h"
#include "exact.h"

static const double rho = 1000, mu = 2e-3; // kg/m^3, Pa s, of the fluid
static const double PI = 3.14159265358979323846;
enum { COLUMNS = 5, ROWS = 4, COUNT = COLUMNS * ROWS };
enum { MIDDLE = COLUMNS + 2 }; // a particle in the middle of the sheet
static const fm_sheet sheet = {.columns = COLUMNS, .rows = ROWS, .width = 0.2, .height = 0.2};

// A cloth whose only drag is the half derivative of its velocity in its plane. h: time step, s.
static fm_cloth_def sliding_cloth_def(double h)
{
    fm_cloth_def def = fixture_perfect_cloth();
    def.drag.friction = 0;
    // the sheet does not deform, and soft springs allow longer steps
    def.stretch.stiffness = def.shear.stiffness = 1;
    def.damping.coefficient = 0;
    def.drag.history.memory.tolerance = 1e-8;
    def.time_step = h;
    return def;
}

// Creates a sheet, all of whose particles follow a motion. h: time step, s.
static fm_cloth *create_moved_sheet(fm_world *world, const fm_motion *motion, double h)
{
    fm_error err = {0};
    fm_cloth_def def = sliding_cloth_def(h);
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    for (int row = 0; row < ROWS; row++)
        assert_true(fm_cloth_pin_row(cloth, row, motion, &err));
    return cloth;
}

// Drag (N/m^2) along x at the middle of the sheet. Checks that it has no other component.
static double drag_along_x(fm_cloth *cloth)
{
    double drag[3 * COUNT];
    read_field(cloth, "drag", drag);
    assert_close(drag[3 * MIDDLE + 1], 0, 1e-12);
    assert_close(drag[3 * MIDDLE + 2], 0, 1e-12);
    return drag[3 * MIDDLE];
}

static void a_sheet_pulled_from_rest_has_the_drag_of_stokes_first_problem(void **state)
{
    (void)state;
    double error[4], V = 0.3;
    for (int level = 0; level < 4; level++) {
        double h = 2e-3 / (1 << level), worst = 0;
        fm_error err = {0};
        fm_world *world = create_world(rho, mu, no_gravity);
        fm_key keys[2] = {{.time = 0}, {.time = 10, .position = {10 * V, 0, 0}}};
        fm_motion *motion =
            fm_motion_keyframes(world, keys, 2, FM_INTERPOLATE_LINEAR, (fm_vec3){0, 0, 0}, &err);
        fm_cloth *cloth = create_moved_sheet(world, motion, h);
        for (int i = 1; i <= 10; i++) {
            advance(world, 0.1);
            double exact = -2 * sqrt(rho * mu) * V / sqrt(PI * 0.1 * i);
            worst = fmax(worst, fabs(drag_along_x(cloth) / exact - 1));
        }
        exact_report("first problem", h, worst);
        error[level] = worst;
        // the velocity jump acts at the time h/3, which gives the error h/(6 t)
        assert_at_most(worst, 1.1 * h / (6 * 0.1) + 1e-6);
        fm_world_destroy(world);
    }
    assert_close(exact_order(error, 4), 1, 0.1);
}

static void an_oscillating_sheet_has_the_drag_of_stokes_second_problem(void **state)
{
    (void)state;
    double error[3], amplitude = 0.02, period = 0.5, w = 2 * PI / period, V = amplitude * w;
    for (int level = 0; level < 3; level++) {
        double h = 2e-3 / (1 << level), in_phase = 0, out_of_phase = 0;
        fm_error err = {0};
        fm_world *world = create_world(rho, mu, no_gravity);
        fm_cloth *cloth = create_moved_sheet(
            world, fm_motion_sine(world, (fm_vec3){1, 0, 0}, amplitude, period, &err), h);
        advance(world, 40 * period);
        for (int i = 1; i <= 50; i++) { // Fourier coefficients over one period
            advance(world, period / 50);
            double f = -drag_along_x(cloth) / (2 * sqrt(rho * mu)), angle = 2 * PI * i / 50;
            in_phase += f * cos(angle) / 25;
            out_of_phase -= f * sin(angle) / 25;
        }
        double size = hypot(in_phase, out_of_phase) / (V * sqrt(w)),
               phase = atan2(out_of_phase, in_phase);
        printf("  amplitude %.5f of K V sqrt(w), phase %.3f degrees\n", size, phase * 180 / PI);
        error[level] =
            hypot(in_phase / (V * sqrt(w)) - sqrt(0.5), out_of_phase / (V * sqrt(w)) - sqrt(0.5));
        exact_report("second problem", h, error[level]);
        // half a step of phase; the transient of the start is (w t)^(-3/2) with w t = 80 pi
        assert_at_most(error[level], 1.1 * w * h / 2 + 5e-4);
        fm_world_destroy(world);
    }
    assert_close(exact_order(error, 3), 1, 0.2);
}

static void a_sheet_released_under_constant_force_follows_the_exact_solution(void **state)
{
    (void)state;
    double error[5], end = 1;
    for (int level = 0; level < 5; level++) {
        fm_cloth_def def = sliding_cloth_def(8e-3 / (1 << level));
        fm_world *world = create_world(rho, mu, (fm_vec3){5, -9, 0});
        fm_cloth *cloth = create_sheet(world, &def, &sheet);
        advance(world, end);
        fm_vec3 v = fm_cloth_velocities(cloth, NULL)[MIDDLE];
        double sigma = def.density * def.thickness, K = 2 * sqrt(rho * mu), u = 0;
        for (int n = 0; n < 100; n++)
            u += pow(-K / sigma, n) * pow(end, 1 + n / 2.0) / tgamma(2 + n / 2.0);
        u *= (def.density - rho) / def.density;
        // gravity is (5, -9, 0) m/s^2, of magnitude sqrt(106)
        error[level] = hypot(v.x - 5 * u, v.y + 9 * u) / (u * sqrt(106));
        exact_report("let go", def.time_step, error[level]);
        fm_world_destroy(world);
    }
    double order = exact_order(error, 5);
    printf("  order %.2f\n", order);
    assert_in_interval(order, 1.4, 2.1);
    assert_at_most(error[4], 1e-4);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "cloth_stokes");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sheet_pulled_from_rest_has_the_drag_of_stokes_first_problem),
        cmocka_unit_test(an_oscillating_sheet_has_the_drag_of_stokes_second_problem),
        cmocka_unit_test(a_sheet_released_under_constant_force_follows_the_exact_solution),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
