// SPDX-License-Identifier: MIT
// half_derivative.c: the half derivative of a sampled signal.
//
// A signal x is known at times i h. Its Caputo derivative of order 1/2 is
//
//     D^(1/2) x(t) = 1/sqrt(pi) integral_0^t (t-s)^(-1/2) dx/ds ds
//
//   x  signal, here sin(omega t)      h  step, s      D^(1/2) x  in units of x per sqrt(s)
//
// The memory (fm_memory), the operator that computes D^(1/2), takes rates dx/dt, so the program
// differentiates the samples first. It compares the result with the exact integral, in which the
// substitution s = t - r^2 removes the singularity:
//
//     D^(1/2) x(t) = 2/sqrt(pi) integral_0^sqrt(t) x'(t - r^2) dr
#include <fathom/fathom.h>
#include <math.h>
#include <stdio.h>

enum { SAMPLES = 2001, PANELS = 1000 }; // PANELS: intervals of Simpson's rule

static const double pi = 3.14159265358979323846;
static const double omega = 2 * 3.14159265358979323846; // rad/s: one period per second
static const double h = 1e-3;                           // s

// dx/dt at sample i by central differences; at both ends by one-sided differences of second order.
static double difference(const double *x, int i)
{
    if (i == 0)
        return (-3 * x[0] + 4 * x[1] - x[2]) / (2 * h);
    if (i == SAMPLES - 1)
        return (3 * x[i] - 4 * x[i - 1] + x[i - 2]) / (2 * h);
    return (x[i + 1] - x[i - 1]) / (2 * h);
}

// D^(1/2) sin(omega t) by Simpson's rule for 2/sqrt(pi) integral_0^sqrt(t) x'(t - r^2) dr.
static double exact_half_derivative(double t)
{
    double width = sqrt(t) / PANELS, sum = 0;
    for (int i = 0; i <= PANELS; i++) {
        double r = i * width;
        double weight = i == 0 || i == PANELS ? 1 : i % 2 ? 4 : 2;
        sum += weight * omega * cos(omega * (t - r * r));
    }
    return 2 / sqrt(pi) * sum * width / 3;
}

int main(void)
{
    double x[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        x[i] = sin(omega * i * h);

    fm_error err = {0};
    fm_memory_def def = fm_default_memory_def(); // the whole past, order 1/2
    def.time_step = h;
    def.horizon = SAMPLES * h;
    def.tolerance = 1e-6;
    fm_memory *memory = fm_memory_create(&def, 1, &err); // for one signal
    if (!memory) {
        fprintf(stderr, "half_derivative: %s\n", err.text);
        return 1;
    }
    printf("%6s %10s %14s %14s %10s\n", "t [s]", "x", "D^1/2 x", "exact", "error");
    double worst = 0;
    for (int i = 0; i < SAMPLES; i++) {
        double rate = difference(x, i), value, exact = exact_half_derivative(i * h);
        if (!fm_memory_push(memory, &rate, i == 0 ? 0 : h))
            return 1;
        fm_memory_value(memory, &value);
        worst = fmax(worst, fabs(value - exact));
        if (i % 200 == 0)
            printf("%6.2f %10.6f %14.8f %14.8f %10.1e\n", i * h, x[i], value, exact, value - exact);
    }
    fm_memory_destroy(memory);

    // The amplitude of D^(1/2) x is sqrt(omega) = 2.5. The differences and the rule of the memory
    // have errors of O(h^2).
    const double allowed = 1e-4;
    printf("largest error %.1e, allowed %.0e\n", worst, allowed);
    return worst <= allowed ? 0 : 1;
}
