// SPDX-License-Identifier: MIT
// fractional_oscillator.c: a mass on a spring with fractional damping.
//
//     m x'' + c D^q x + k x = f(t),      x(0) = 1, x'(0) = 0
//
//   x  displacement, m     v  velocity, m/s     c  damping, N s^q / m     k  stiffness, N/m
//   q  order: 0 would be a second spring, 1 a dashpot
//
// The integrator is kick-drift-kick. D^q x at the next step is w0 v' + past_part, where v' is the
// unknown velocity and past_part the contribution of past velocities, so the second half kick can
// be solved for v' directly. This keeps the step stable for every c as long as it is stable for the
// spring alone, h sqrt(k/m) < 2.
//
// The exact values for m = c = k = 1, q = 1/2, f = 0 are sums of Mittag-Leffler functions, x = 1 -
// k sum_i (r_i/y_i) (e^(y_i^2 t) erfc(-y_i sqrt(t)) - 1), with y_i the four roots of m y^4 + c y +
// k and r_i = 1/(4 m y_i^3 + c).
#include <fathom/fathom.h>
#include <math.h>
#include <stdio.h>

// A mass on a spring.
typedef struct oscillator {
    double m, c, k; // mass, kg; damping, N s^q / m; stiffness, N/m
    double x, v;    // displacement, m; velocity, m/s
    double force;   // N, total force at the time of x and v
} oscillator;

// Force f on the mass at time t, N.
static double applied_force(double t)
{
    (void)t; // no force: the mass is released and swings freely; write your own here
    return 0;
}

// Advances the oscillator from t to t + h, s. memory: computes D^q x from past velocities. False
// when it refuses the step.
static bool advance(oscillator *o, fm_memory *memory, double t, double h)
{
    double past_part, w0 = fm_memory_newest_weight(memory, h);
    if (!fm_memory_predict(memory, h, &past_part))
        return false;
    double v_half = o->v + h / 2 * o->force / o->m;
    o->x += h * v_half;
    // all forces except the part of the damping that depends on the new velocity
    double f = applied_force(t + h) - o->k * o->x - o->c * past_part;
    o->v = (o->m * v_half + h / 2 * f) / (o->m + h / 2 * o->c * w0);
    o->force = f - o->c * w0 * o->v;
    return fm_memory_push(memory, &o->v, h);
}

int main(void)
{
    static const struct {
        double t, x;
    } exact[] = {{0.5, 0.8847790447550},
                 {1, 0.6122617857585},
                 {2, 0.1127138175883},
                 {5, 0.3310853723289},
                 {10, 0.1846031418484}};
    const int steps_per_second = 400;
    const double h = 1.0 / steps_per_second;

    fm_error err = {0};
    fm_memory_def def = fm_default_memory_def();
    def.order = 0.5;
    def.time_step = h;
    def.horizon = 10;
    def.tolerance = 1e-6; // the default, 1e-4, gives an error of 2e-5 here
    fm_memory *memory = fm_memory_create(&def, 1, &err);
    if (!memory) {
        fprintf(stderr, "fractional_oscillator: %s\n", err.text);
        return 1;
    }
    oscillator o = {.m = 1, .c = 1, .k = 1, .x = 1, .v = 0};
    o.force = applied_force(0) - o.k * o.x; // no damping force yet
    bool good = fm_memory_push(memory, &o.v, 0);

    double worst = 0;
    int step = 0;
    printf("%6s %14s %14s %10s\n", "t [s]", "x", "exact", "error");
    for (int i = 0; i < 5; i++) {
        for (; step < exact[i].t * steps_per_second; step++)
            good = good && advance(&o, memory, step * h, h);
        worst = fmax(worst, fabs(o.x - exact[i].x));
        printf("%6.1f %14.8f %14.8f %10.1e\n", exact[i].t, o.x, exact[i].x, o.x - exact[i].x);
    }
    fm_memory_destroy(memory);

    const double allowed = 1e-5;
    printf("largest error %.1e, allowed %.0e\n", worst, allowed);
    return good && worst <= allowed ? 0 : 1;
}
