// SPDX-License-Identifier: MIT
// settling_sphere.c: a sphere released from rest in a viscous fluid, with the Basset history force.
//
// The Boussinesq-Basset-Oseen equation, in units of the relaxation time tau = a^2 (2s + 1) / (9 nu)
// and of the terminal velocity:
//
//     V' + beta D^(1/2) V + V = 1,     beta = 3 / sqrt(2s + 1),     s = density ratio,
//
// a is the radius of the sphere, nu the kinematic viscosity. Compared with the closed form in
// reference/basset_sphere_settling.csv to 1e-4 at h = 1/400 tau, with and without the history
// force.
#include "check.h"
#include "exact.h"

#include <fathom/memory.h>
#include <string.h>

static const double ratios[3] = {1.5, 2.5, 7.8}; // density of the sphere over that of the fluid

// A settling sphere: velocity v and acceleration a at time t (in tau), by the trapezoidal rule with
// a implicit: a + beta (w0 a + predicted) + v = 1. w0 a + predicted is D^(1/2) v: w0 is the weight
// of the newest acceleration, `predicted` the contribution of the past ones in `memory`.
typedef struct sphere {
    fm_memory *memory;
    double beta, h, t, v, a;
} sphere;

// A sphere of density ratio s at rest. h: time step; horizon: duration; history: with the Basset
// force.
static sphere release_sphere(double s, double h, double horizon, bool history)
{
    fm_error err = {0};
    fm_memory_def def = fm_default_memory_def();
    def.time_step = h;
    def.horizon = horizon;
    def.tolerance = 1e-8;
    sphere p = {.beta = history ? 3 / sqrt(2 * s + 1) : 0, .h = h, .a = 1};
    p.memory = fm_memory_create(&def, 1, &err);
    assert_non_null(p.memory);
    assert_true(fm_memory_push(p.memory, &p.a, 0));
    return p;
}

// One step of length h: solves for the new acceleration.
static void step_sphere(sphere *p)
{
    double predicted, w0 = fm_memory_newest_weight(p->memory, p->h);
    assert_true(fm_memory_predict(p->memory, p->h, &predicted));
    double v0 = p->v + p->h / 2 * p->a;
    double a = (1 - p->beta * predicted - v0) / (1 + p->beta * w0 + p->h / 2);
    p->v = v0 + p->h / 2 * a;
    p->a = a;
    p->t += p->h;
    assert_true(fm_memory_push(p->memory, &a, p->h));
}

// Advances the sphere to time t and returns its velocity there. Reference times lie between steps,
// so the velocity is interpolated by a cubic Hermite polynomial.
static double velocity_at(sphere *p, double t)
{
    double v = p->v, a = p->a;
    while (p->t < t) {
        v = p->v;
        a = p->a;
        step_sphere(p);
    }
    double u = (t - (p->t - p->h)) / p->h, w = 1 - u;
    return w * w * ((1 + 2 * u) * v + u * p->h * a) +
           u * u * ((1 + 2 * w) * p->v - w * p->h * p->a);
}

static void the_velocity_matches_the_closed_form(void **state)
{
    (void)state;
    FILE *file = fopen(REFERENCE_DIR "/basset_sphere_settling.csv", "r");
    assert_non_null(file);
    char line[256];
    assert_non_null(fgets(line, sizeof line, file));
    sphere p[6]; // for each density ratio, with and without the history force, as in the table
    for (int i = 0; i < 6; i++)
        p[i] = release_sphere(ratios[i / 2], 1.0 / 400, 1000, i % 2 == 0);
    double worst = 0;
    int rows = 0;
    while (fgets(line, sizeof line, file)) {
        double row[7];
        assert_int_equal(sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%lf", &row[0], &row[1], &row[2],
                                &row[3], &row[4], &row[5], &row[6]),
                         7);
        for (int i = 0; i < 6; i++) {
            double t = row[0] * 9 / (2 * ratios[i / 2] + 1); // in units of tau; row[0]: of a^2/nu
            double error = fabs(velocity_at(&p[i], t) - row[1 + i]);
            worst = fmax(worst, error);
            assert_at_most(error, 1e-4);
        }
        rows++;
    }
    exact_report("all density ratios", 1.0 / 400, worst);
    assert_true(rows >= 10);
    fclose(file);
    for (int i = 0; i < 6; i++)
        fm_memory_destroy(p[i].memory);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "settling_sphere");
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_velocity_matches_the_closed_form)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
