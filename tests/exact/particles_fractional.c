// SPDX-License-Identifier: MIT
// particles_fractional.c: fractional viscosity against exact solutions. The viscous stress depends
// on the past of the shear: it is proportional to the derivative of order q of the strain. A flow
// along x that depends on y only obeys
//
//     dv/dt = nu T^(q-1) d^2/dy^2 [ 1/Gamma(1-q) integral_0^t (t-s)^-q e^(-(t-s)/f) v(s) ds ]
//
// because every particle stays at its y. The amplitude V of a mode sin(k y) has the Laplace
// transform
//
//     V(s) = V(0) / (s + c (s + 1/f)^(q-1)),      c = nu k^2 T^(q-1)
//
//   nu  viscosity, m^2/s      T  characteristic time, s      f  fading time, s
//
// With full memory (the whole past, 1/f = 0) its inverse is the Mittag-Leffler function E_{2-q}(-c
// t^(2-q)), which oscillates, while a Newtonian fluid decays monotonically. The transform is
// inverted numerically on Talbot's contour, to 9 digits. Measured:
//
//   wave      sin(2 pi y) in a periodic box, orders 0.3, 0.5, 0.8 with full memory, and order 0.5
//             with fading memory
//   start-up  Couette flow between walls of which one slides from t = 0 on: U y plus all modes. The
//             wall has a history, too: D^q of its displacement is U t^(1-q) / Gamma(2-q).
//
// Errors converge with order 1 or better in the spacing; the time step is proportional to it.
#include "exact.h"
#include "fluids.h"

#include <complex.h>

enum { LEVELS = 3, SAMPLES = 10 }; // resolutions; compared instants
static const double PI = 3.14159265358979323846, nu = 0.1, fading_time = 0.2; // m^2/s, s

// Exact V(t) / V(0) of a mode, c = nu k^2 T^(q-1); fading: 1/f, 1/s. Inverts the Laplace transform
// by the fixed Talbot method: a sum over NODES points s of a contour; delta is s t, gamma the
// weight.
static double mode_amplitude(double t, double c, double q, double fading)
{
    enum { NODES = 32 };
    double sum = 0;
    for (int k = 0; k < NODES; k++) {
        double angle = k * PI / NODES, cot = k ? 1 / tan(angle) : 0;
        double complex delta = k ? 2 * k * PI / 5 * (cot + I) : 2.0 * NODES / 5;
        double complex gamma = k ? 1 + I * angle * (1 + cot * cot) - I * cot : 0.5;
        double complex s = delta / t;
        sum += creal(gamma * cexp(delta) / (s + c * cpow(s + fading, q - 1)));
    }
    return 2 / (5 * t) * sum;
}

// A fluid with fractional viscosity in a box that is periodic in x and 1 m high; cells: particles
// over the height. fading: 1/f, 1/s; 0: the viscosity depends on the whole past.
static fm_particles_def fractional_fluid(int cells, double order, double fading)
{
    fm_particles_def def = viscous_fluid_def(2, 1.0 / cells, nu, 0.05);
    def.fractional.order = order;
    def.fractional.memory.kind = fading > 0 ? FM_RECALL_FADING : FM_RECALL_FULL;
    def.fractional.memory.fading = fading_time;
    def.fractional.memory.tolerance = 1e-5;
    def.fractional.time = 1;
    def.domain.high = (fm_vec3){8.0 / cells, 1, 0};
    set_periodic(&def, 0);
    return def;
}

// Largest error of the amplitude of a shear wave over time, relative to the initial amplitude.
static double measure_wave_error(int cells, double order, double fading)
{
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_particles_def def = fractional_fluid(cells, order, fading);
    set_periodic(&def, 1);
    fm_particles *fluid = create_fluid(world, &def);
    fill_domain(fluid, 0);
    int n;
    const double V = 0.01, k = 2 * PI; // m/s, initial amplitude; 1/m
    const fm_vec3 *x = fm_particles_positions(fluid, &n);
    fm_vec3 *start = calloc((size_t)n, sizeof *start);
    for (int i = 0; i < n; i++)
        start[i].x = V * sin(k * x[i].y);
    assert_true(fm_particles_set_velocities(fluid, start, &err));
    free(start);
    double worst = 0;
    for (int sample = 1; sample <= SAMPLES; sample++) {
        advance(world, 1.0 / SAMPLES);
        x = fm_particles_positions(fluid, &n);
        const fm_vec3 *v = fm_particles_velocities(fluid, NULL);
        double amplitude = 0;
        for (int i = 0; i < n; i++)
            amplitude += 2 * v[i].x * sin(k * x[i].y) / n;
        double t = (double)sample / SAMPLES;
        worst = fmax(worst, fabs(amplitude / V - mode_amplitude(t, nu * k * k, order, fading)));
    }
    fm_world_destroy(world);
    return worst;
}

static void shear_waves_follow_the_mittag_leffler_solution(void **state)
{
    (void)state;
    static const struct {
        double order, fading;
        const char *name;
    } cases[] = {
        {0.3, 0, "full 0.3"}, {0.5, 0, "full 0.5"}, {0.8, 0, "full 0.8"}, {0.5, 5, "fading 0.5"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double error[LEVELS];
        for (int level = 0; level < LEVELS; level++) {
            error[level] = measure_wave_error(12 << level, cases[c].order, cases[c].fading);
            exact_report(cases[c].name, 1.0 / (12 << level), error[level]);
        }
        printf("  order %.2f\n", exact_order(error, LEVELS));
        assert_true(exact_order(error, LEVELS) >= 1);
        assert_at_most(error[LEVELS - 1], 0.02);
    }
}

// Exact velocity of the Couette start-up in units of the wall's speed.
static double couette_velocity(double y, double t, double order)
{
    double v = y;
    for (int n = 1; n <= 60; n++) {
        double k = n * PI, sign = n % 2 ? -1 : 1;
        v += 2 / k * sign * sin(k * y) * mode_amplitude(t, nu * k * k, order, 0);
    }
    return v;
}

// Root mean square error of the velocities in Couette start-up flow over all particles and ten
// times up to 2 s, in units of the wall's speed. cells: particles between the walls.
static double measure_couette_error(int cells)
{
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_particles_def def = fractional_fluid(cells, 0.5, 0);
    const double U = 0.01; // m/s, speed of the wall
    def.domain.slide[FM_SIDE_TOP] = (fm_vec3){U, 0, 0};
    fm_particles *fluid = create_fluid(world, &def);
    fill_domain(fluid, 0);
    double square = 0;
    for (int sample = 1; sample <= SAMPLES; sample++) {
        advance(world, 2.0 / SAMPLES);
        int n;
        const fm_vec3 *x = fm_particles_positions(fluid, &n);
        const fm_vec3 *v = fm_particles_velocities(fluid, NULL);
        for (int i = 0; i < n; i++)
            square +=
                pow(v[i].x / U - couette_velocity(x[i].y, 2.0 * sample / SAMPLES, 0.5), 2) / n;
    }
    fm_world_destroy(world);
    return sqrt(square / SAMPLES);
}

static void couette_start_up_follows_the_series_solution(void **state)
{
    (void)state;
    double error[LEVELS];
    for (int level = 0; level < LEVELS; level++) {
        error[level] = measure_couette_error(10 << level);
        exact_report("start-up", 1.0 / (10 << level), error[level]);
    }
    printf("  order %.2f\n", exact_order(error, LEVELS));
    assert_true(exact_order(error, LEVELS) >= 1);
    assert_at_most(error[LEVELS - 1], 0.02);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "particles_fractional");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shear_waves_follow_the_mittag_leffler_solution),
        cmocka_unit_test(couette_start_up_follows_the_series_solution)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
