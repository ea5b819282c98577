// SPDX-License-Identifier: MIT
// bagley_torvik.c: the Bagley-Torvik equation x'' + D^(3/2) x + x = f, x(t) of a plate in a fluid.
//
// A memory (fm_memory) of order 1/2 computes half derivatives: fed with accelerations, it returns
// D^(1/2) v = D^(3/2) x. Under a step load f = 1 from rest the result is compared with the
// Mittag-Leffler solution (closed form, 12 digits) to 1e-6. Under f = 1 + t, starting from x = 1,
// x' = 1, x'' = 0, the solution is 1 + t.
//
// Under the step load the acceleration starts like 1 - 2 sqrt(t/pi), where equal steps lose order.
// The steps therefore grow with t, h = max(h0, min(t/200, h1)); the memory accepts variable steps.
#include "check.h"
#include "exact.h"

#include <fathom/memory.h>

typedef struct plate {
    double x, v, a; // displacement, velocity, acceleration; dimensionless
} plate;

// One step of length h: solves a + (w0 a + predicted) + x = f for the new acceleration a, with x
// and v by the trapezoidal rule. w0 a + predicted is D^(3/2) x; `predicted` is the contribution of
// the past, w0 the weight of the newest acceleration.
static void step_plate(fm_memory *memory, plate *p, double h, double f)
{
    double predicted, w0 = fm_memory_newest_weight(memory, h);
    assert_true(fm_memory_predict(memory, h, &predicted));
    double x0 = p->x + h * p->v + h * h / 4 * p->a;
    double a = (f - predicted - x0) / (1 + w0 + h * h / 4);
    p->x = x0 + h * h / 4 * a;
    p->v += h / 2 * (p->a + a);
    p->a = a;
    assert_true(fm_memory_push(memory, &a, h));
}

// Creates the operator that computes D^(3/2) x, and feeds the initial acceleration. h0: smallest
// step; horizon: duration of the simulation.
static fm_memory *create_half_derivative(double h0, double horizon, const plate *p)
{
    fm_error err = {0};
    fm_memory_def def = fm_default_memory_def();
    def.time_step = h0;
    def.horizon = horizon;
    def.tolerance = 1e-10;
    fm_memory *memory = fm_memory_create(&def, 1, &err);
    assert_non_null(memory);
    assert_true(fm_memory_push(memory, &p->a, 0));
    return memory;
}

// Displacement at the time `end` under the load f = 1 from t = 0 on, with steps from h0 to h1.
static double step_response(double end, double h0, double h1)
{
    plate p = {0, 0, 1}; // at rest; the load accelerates it by 1
    fm_memory *memory = create_half_derivative(h0, end, &p);
    double t = 0;
    while (t < end) {
        double h = fmax(h0, fmin(t / 200, h1));
        if (end - t < h + h0)
            h = end - t; // the last step, lengthened to end at `end`
        t = end - t == h ? end : t + h;
        step_plate(memory, &p, h, 1);
    }
    fm_memory_destroy(memory);
    return p.x;
}

static void the_step_response_matches_the_mittag_leffler_solution(void **state)
{
    (void)state;
    static const double end[3] = {1, 5, 20};
    static const double exact[3] = {0.2894407278491, 1.487712004009, 0.9904548344328};
    for (int i = 0; i < 3; i++) {
        double x = step_response(end[i], 1e-8, 5e-4);
        exact_report("step load", end[i], fabs(x - exact[i]));
        assert_close(x, exact[i], 1e-6);
    }
}

static void a_linear_load_gives_the_linear_solution(void **state)
{
    (void)state;
    plate p = {1, 1, 0};
    const double h = 1e-3;
    fm_memory *memory = create_half_derivative(h, 10, &p);
    for (int n = 1; n <= 10000; n++) {
        step_plate(memory, &p, h, 1 + n * h);
        assert_close(p.x, 1 + n * h, 1e-11);
    }
    fm_memory_destroy(memory);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "bagley_torvik");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_step_response_matches_the_mittag_leffler_solution),
        cmocka_unit_test(a_linear_load_gives_the_linear_solution),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
