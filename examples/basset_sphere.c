// SPDX-License-Identifier: MIT
// basset_sphere.c: a small sphere released in a viscous fluid, with and without the history force.
//
// The equation of Boussinesq, Basset and Oseen, in units of terminal velocity and relaxation time:
//
//     V' + beta D^(1/2) V + V = 1,      V(0) = 0,      beta = 3 / sqrt(2 sigma + 1)
//
//   V      velocity / terminal velocity       t  time / tau, tau = a^2 (2 sigma + 1) / (9 nu)
//   sigma  density of the sphere over that of the fluid
//   a      radius, m      nu  kinematic viscosity of the fluid, m^2/s
//
// beta D^(1/2) V is the history force of the fluid layer that the sphere has set in motion. The
// memory (fm_memory) is the operator that computes D^(1/2): fed with accelerations, it returns half
// derivatives of the velocity. V is integrated with the trapezoidal rule. The half derivative at
// the next step is w0 A' + past_part, where A' is the unknown acceleration and past_part the
// contribution of past accelerations, so that beta w0 acts as added mass. Without history V = 1 -
// e^-t. With history the sphere approaches its terminal velocity like 1 - beta / sqrt(pi t).
#include <fathom/fathom.h>
#include <math.h>
#include <stdio.h>

enum { SPHERES = 3, TIMES = 4 };

static const double sigma[SPHERES] = {0.625, 2.65, 7.8}; // in water: wood (rises), sand, steel
static const double times[TIMES] = {0.1, 1, 10, 100};    // in units of tau

// Exact velocity V at times[], from closed forms with e^(y^2 t) erfc(-y sqrt(t)), where y are the
// roots of y^2 + beta y + 1.
static const double exact[TIMES][SPHERES] = {
    {0.06431242598735, 0.07417523623604, 0.08114238476862},
    {0.2992044090603, 0.3801264696764, 0.4492034177874},
    {0.6727284158879, 0.7820459224174, 0.8580436185609},
    {0.8882658850656, 0.9323773057905, 0.9581512066452},
};

// All spheres; dimensionless as in the equation.
typedef struct spheres {
    double h, w0;         // step, and weight of the new acceleration in D^(1/2) V
    double beta[SPHERES]; // coefficient of the history force
    double velocity[SPHERES], acceleration[SPHERES];
} spheres;

// Solves the equation of motion of the spheres first to first + count - 1 for their new
// accelerations and writes them to `acceleration`. fm_memory_step calls it with past_part[count],
// the part of D^(1/2) V that past accelerations determine.
static void solve_accelerations(void *context, int first, int count, const double *past_part,
                                double *acceleration)
{
    spheres *s = context;
    for (int i = first; i < first + count; i++) {
        double velocity = s->velocity[i] + s->h / 2 * s->acceleration[i];
        double a = (1 - s->beta[i] * past_part[i - first] - velocity) /
                   (1 + s->beta[i] * s->w0 + s->h / 2);
        s->velocity[i] = velocity + s->h / 2 * a;
        s->acceleration[i] = acceleration[i - first] = a;
    }
}

int main(void)
{
    fm_error err = {0};
    fm_memory_def def = fm_default_memory_def();
    def.time_step = 1e-3; // the smallest of the steps below
    def.horizon = 100;
    fm_memory *memory = fm_memory_create(&def, SPHERES, &err);
    if (!memory) {
        fprintf(stderr, "basset_sphere: %s\n", err.text);
        return 1;
    }
    spheres s = {0};
    for (int i = 0; i < SPHERES; i++) {
        s.beta[i] = 3 / sqrt(2 * sigma[i] + 1);
        s.acceleration[i] = 1; // at rest only weight and buoyancy act
    }
    bool good = fm_memory_push(memory, s.acceleration, 0);

    printf("%6s", "t/tau");
    for (int i = 0; i < SPHERES; i++)
        printf("   sigma %5.3f", sigma[i]);
    printf("   no history   worst error\n");
    // The velocity starts like t - t^(3/2) and ends slowly, so the steps grow with time.
    static const double steps[TIMES] = {1e-3, 1e-3, 1e-2, 1e-1};
    double time = 0, worst = 0;
    for (int row = 0; row < TIMES; row++) {
        int count = (int)round((times[row] - time) / steps[row]);
        s.h = steps[row];
        s.w0 = fm_memory_newest_weight(memory, s.h);
        for (int n = 0; n < count; n++)
            good = good && fm_memory_step(memory, s.h, solve_accelerations, &s);
        time = times[row];
        double error = 0;
        printf("%6g", time);
        for (int i = 0; i < SPHERES; i++) {
            error = fmax(error, fabs(s.velocity[i] - exact[row][i]));
            printf("   %11.7f", s.velocity[i]);
        }
        printf("   %10.7f   %11.1e\n", 1 - exp(-time), error);
        worst = fmax(worst, error);
    }
    fm_memory_destroy(memory);

    const double allowed = 1e-4;
    printf("largest error %.1e, allowed %.0e\n", worst, allowed);
    return good && worst <= allowed ? 0 : 1;
}
