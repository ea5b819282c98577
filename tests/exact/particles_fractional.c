// SPDX-License-Identifier: MIT
// Fluids whose viscosity remembers. A flow along x that depends on y only obeys
//
//     dv/dt = nu T^(q-1) d^2/dy^2 [ 1/Gamma(1-q) integral_0^t (t-s)^-q e^(-(t-s)/f) v(s) ds ]
//
// for every particle stays at its y. A mode sin(k y) of it has the Laplace transform
//
//     V(s) = V(0) / (s + c (s + 1/f)^(q-1)),      c = nu k^2 T^(q-1)
//
// which with full memory (1/f = 0) is that of Mittag-Leffler's function E_{2-q}(-c t^(2-q)): it
// swings, where a Newtonian fluid's decays. Inverted numerically (Talbot's contour, which gives 9
// digits). Measured:
//
//   wave      sin(2 pi y) in a periodic box, orders 0.3, 0.5, 0.8 with full memory, and fading
//   start-up  between walls of which one slides from t = 0 on (Couette): U y plus all modes. The
//             wall's own past, U t^(1-q) / Gamma(2-q), enters at the boundary.
//
// Errors fall with order 1 or better in the spacing, as the step does.
#include "exact.h"
#include "fluids.h"

#include <complex.h>

enum { LEVELS = 3, SAMPLES = 10 };
static const double PI = 3.14159265358979323846, nu = 0.1, fading_time = 0.2;

static double decay(double t, double c, double q, double fading)
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

static fm_particles_def fractional_fluid(int cells, double order, double fading)
{
    fm_particles_def def = viscous_fluid(2, 1.0 / cells, nu, 0.05);
    def.fractional.order = order;
    def.fractional.memory.kind = fading > 0 ? FM_RECALL_FADING : FM_RECALL_FULL;
    def.fractional.memory.fading = fading_time;
    def.fractional.memory.tolerance = 1e-5;
    def.fractional.time = 1;
    def.domain.high = (fm_vec3){8.0 / cells, 1, 0};
    make_periodic(&def, 0);
    return def;
}

// Largest error of the amplitude, over that of the beginning.
static double measure_wave(int cells, double order, double fading)
{
    fm_error err = {0};
    fm_world *world = make_world(1000, 1e-3, no_gravity);
    fm_particles_def def = fractional_fluid(cells, order, fading);
    make_periodic(&def, 1);
    fm_particles *fluid = make_fluid(world, &def);
    fill_domain(fluid, 0);
    int n;
    const double V = 0.01, k = 2 * PI;
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
        worst = fmax(worst, fabs(amplitude / V - decay(t, nu * k * k, order, fading)));
    }
    fm_world_destroy(world);
    return worst;
}

static void waves_swing_and_decay(void **state)
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
            error[level] = measure_wave(12 << level, cases[c].order, cases[c].fading);
            exact_report(cases[c].name, 1.0 / (12 << level), error[level]);
        }
        printf("  order %.2f\n", exact_order(error, LEVELS));
        assert_true(exact_order(error, LEVELS) >= 1);
        assert_at_most(error[LEVELS - 1], 0.02);
    }
}

static double couette(double y, double t, double order)
{
    double v = y;
    for (int n = 1; n <= 60; n++) {
        double k = n * PI, sign = n % 2 ? -1 : 1;
        v += 2 / k * sign * sin(k * y) * decay(t, nu * k * k, order, 0);
    }
    return v;
}

// Root mean square over the height and the times, over the wall's speed.
static double measure_couette(int cells)
{
    fm_world *world = make_world(1000, 1e-3, no_gravity);
    fm_particles_def def = fractional_fluid(cells, 0.5, 0);
    const double U = 0.01;
    def.domain.slide[FM_SIDE_TOP] = (fm_vec3){U, 0, 0};
    fm_particles *fluid = make_fluid(world, &def);
    fill_domain(fluid, 0);
    double square = 0;
    for (int sample = 1; sample <= SAMPLES; sample++) {
        advance(world, 2.0 / SAMPLES);
        int n;
        const fm_vec3 *x = fm_particles_positions(fluid, &n);
        const fm_vec3 *v = fm_particles_velocities(fluid, NULL);
        for (int i = 0; i < n; i++)
            square += pow(v[i].x / U - couette(x[i].y, 2.0 * sample / SAMPLES, 0.5), 2) / n;
    }
    fm_world_destroy(world);
    return sqrt(square / SAMPLES);
}

static void walls_remember(void **state)
{
    (void)state;
    double error[LEVELS];
    for (int level = 0; level < LEVELS; level++) {
        error[level] = measure_couette(10 << level);
        exact_report("start-up", 1.0 / (10 << level), error[level]);
    }
    printf("  order %.2f\n", exact_order(error, LEVELS));
    assert_true(exact_order(error, LEVELS) >= 1);
    assert_at_most(error[LEVELS - 1], 0.02);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "particles_fractional");
    const struct CMUnitTest tests[] = {cmocka_unit_test(waves_swing_and_decay),
                                       cmocka_unit_test(walls_remember)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
