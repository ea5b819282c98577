// SPDX-License-Identifier: MIT
// fractional_oscillator.c: m x'' + c D^q x + k x = 0, released at rest from x = 1.
//
// Integrated by kick-drift-kick. D^q x is a weighted sum of past velocities, of which the newest is
// implicit. The tests check convergence with order 2 to the Mittag-Leffler solution (closed forms,
// 12 digits), down to 1e-6, and stability for every damping c as long as the spring alone is
// stable.
#include "check.h"
#include "exact.h"
#include "oscillators.h"

#include <fathom/memory.h>

// Integrates with the step h up to the time `end`. Returns the largest error of x at times[], or
// the largest |x| if `exact` is NULL.
static double integrate(const oscillator *o, double h, double end, const double *exact)
{
    fm_error err = {0};
    fm_memory_def def = fm_default_memory_def();
    def.order = o->q;
    def.time_step = h;
    def.horizon = end;
    def.tolerance = 1e-10;
    fm_memory *memory = fm_memory_create(&def, 1, &err);
    assert_non_null(memory);
    // D^q x = w0 v + predicted: the newest velocity and the contribution of the past
    double x = 1, v = 0, worst = 0, predicted, w0 = fm_memory_newest_weight(memory, h);
    double force = -o->k * x;
    assert_true(fm_memory_push(memory, &v, 0));
    int steps = (int)round(end / h), next = 0; // next: index in times[]
    for (int n = 1; n <= steps; n++) {
        double v_half = v + h / 2 * force / o->m;
        x += h * v_half;
        assert_true(fm_memory_predict(memory, h, &predicted));
        v = (o->m * v_half + h / 2 * (-o->k * x - o->c * predicted)) / (o->m + h / 2 * o->c * w0);
        force = -o->k * x - o->c * (w0 * v + predicted);
        assert_true(fm_memory_push(memory, &v, h));
        if (!exact) {
            worst = fmax(worst, fabs(x));
        } else if (n == (int)round(times[next] / h)) {
            worst = fmax(worst, fabs(x - exact[next]));
            next++;
        }
    }
    fm_memory_destroy(memory);
    return worst;
}

static void the_oscillator_converges_to_the_mittag_leffler_solution(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        double error[5];
        for (int level = 0; level < 5; level++) {
            double h = 2e-3 / (1 << level);
            error[level] = integrate(&cases[i], h, 10, cases[i].x);
            exact_report(cases[i].name, h, error[level]);
        }
        assert_close(exact_order(error, 5), 2, 0.1);
        assert_at_most(error[4], 1e-6);
    }
}

static void the_oscillator_is_stable_for_every_damping_strength(void **state)
{
    (void)state;
    static const double orders[] = {0.1, 0.5, 0.9};
    for (int i = 0; i < 3 * 5; i++) {
        // mu = (omega h)^2 = 3.6; the stability limit of the spring is 4
        oscillator o = {"", 1, 1e-2 * pow(1e2, i / 3), 3.6, orders[i % 3], {0}};
        double largest = integrate(&o, 1, 5000, NULL);
        printf("  q = %.1f c = %-8g largest |x| %.3f\n", o.q, o.c, largest);
        // kick-drift-kick keeps x^2 + (v/omega)^2 / (1 - mu/4) <= 1, its initial value
        assert_at_most(largest, 1.0001);
    }
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "fractional_oscillator");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oscillator_converges_to_the_mittag_leffler_solution),
        cmocka_unit_test(the_oscillator_is_stable_for_every_damping_strength),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
