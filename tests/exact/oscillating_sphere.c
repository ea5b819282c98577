// SPDX-License-Identifier: MIT
// oscillating_sphere.c: a free sphere in a fluid that oscillates harmonically.
//
// Amplitude and phase of the sphere's velocity V relative to the fluid's velocity U, from the
// Boussinesq-Basset-Oseen equation with pressure gradient and added mass. In dimensionless time w
// t, with S = a^2 w / (9 nu), density ratio s of sphere to fluid and relative velocity W = V - U
// (a: radius of the sphere, w: angular frequency, nu: kinematic viscosity):
//
//     S (2s + 1) V' = 3 S U' - W - 3 sqrt(S) D^(1/2) W
//
//     V/U = (1 + 3 sqrt(iS) + 3iS) / (1 + 3 sqrt(iS) + iS (1 + 2s)).
#include "check.h"
#include "exact.h"

#include <complex.h>
#include <fathom/memory.h>

static const double pi = 3.14159265358979323846;

// Simulates the sphere (S, s as in the equation). Returns the ratio of the Fourier coefficients of
// V and of U = sin t over the last period. The transient decays like 1/sqrt(t), so many periods are
// needed.
static double complex simulate_response(double S, double s, int periods, int steps_per_period)
{
    fm_error err = {0};
    double h = 2 * pi / steps_per_period;
    fm_memory_def def = fm_default_memory_def();
    def.time_step = h;
    def.horizon = periods * 2 * pi;
    def.tolerance = 1e-7;
    fm_memory *memory = fm_memory_create(&def, 1, &err);
    assert_non_null(memory);

    // D^(1/2) W = w0 W' + predicted: the newest rate and the contribution of the past
    double mass = S * (2 * s + 1), beta = 3 * sqrt(S), w0 = fm_memory_newest_weight(memory, h);
    // rate: W' = V' - U', from which D^(1/2) W is computed; at t = 0, W = 0 and U' = 1
    double V = 0, rate = (3 * S / mass) - 1;
    double acceleration = 3 * S / mass, predicted;
    assert_true(fm_memory_push(memory, &rate, 0));
    double complex sum = 0;
    int steps = periods * steps_per_period;
    for (int n = 1; n <= steps; n++) {
        double t = n * h, U = sin(t), dU = cos(t);
        assert_true(fm_memory_predict(memory, h, &predicted));
        double V0 = V + h / 2 * acceleration;
        // the equation of motion, solved for the acceleration a:
        // mass a = 3 S dU - (V0 + h/2 a - U) - beta (w0 (a - dU) + predicted)
        acceleration =
            (3 * S * dU - V0 + U + beta * (w0 * dU - predicted)) / (mass + h / 2 + beta * w0);
        V = V0 + h / 2 * acceleration;
        rate = acceleration - dU;
        assert_true(fm_memory_push(memory, &rate, h));
        if (n > steps - steps_per_period)
            sum += V * cexp(-I * t) / steps_per_period;
    }
    fm_memory_destroy(memory);
    return sum / (-I / 2); // sin t = (e^it - e^-it) / 2i
}

static void amplitude_and_phase_match_the_boussinesq_basset_oseen_equation(void **state)
{
    (void)state;
    static const double density[3] = {0.1, 2.65, 7.8}, number[3] = {0.1, 1, 10};
    static const double table[3][3][2] = {
        // |V/U| and phase in degrees, from the formula for V/U at the top of this file
        {{1.045369942044, 4.829693411804},
         {1.315877750272, 11.86063558417},
         {1.853753458682, 10.53376751324}},
        {{0.9125843399660, -7.744130850644},
         {0.6677917807899, -11.02431970650},
         {0.5348228872936, -5.548977700631}},
        {{0.6738197213666, -24.20713308205},
         {0.3159973132756, -21.89569417600},
         {0.2169640918807, -9.303510133331}},
    };
    for (int i = 0; i < 9; i++) {
        double S = number[i % 3], s = density[i / 3];
        double complex response = simulate_response(S, s, 100, 400);
        double amplitude = cabs(response), phase = carg(response) * 180 / pi;
        printf("  s = %-5g S = %-4g amplitude %.6f (%.6f)  phase %8.4f (%8.4f)\n", s, S, amplitude,
               table[i / 3][i % 3][0], phase, table[i / 3][i % 3][1]);
        assert_close(amplitude / table[i / 3][i % 3][0], 1, 1e-3);
        assert_close(phase, table[i / 3][i % 3][1], 0.06);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amplitude_and_phase_match_the_boussinesq_basset_oseen_equation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
