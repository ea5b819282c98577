// SPDX-License-Identifier: MIT
// relaxation_fit.c: fits the order, the coefficient and the fading time of a memory to the measured
// stress relaxation of a material.
//
// Fish muscle is deformed at once and held; its stress over the strain, the relaxation modulus
// G(t), was measured from 14 ms to 16 minutes (data distributed with [MNM25], thinned here). The
// material is described by one memory,
//
//     G(t) = c D^q x(t),    kernel t^(-q) / Gamma(1-q) e^(-t/tau)
//
//   x  strain: rises to 1 in 2 ms, then stays     q  order, 0 to 1     c  coefficient, Pa s^q
//   tau  fading time, s
//
// The fit minimises the squares of the differences of log G (Gauss-Newton). The residuals of
// neighbouring times are not independent, because no real material follows three parameters
// exactly: the usual intervals would be too narrow. The 95 % intervals here treat blocks of five
// neighbouring residuals as one observation each: with u_g, the change of a parameter that block g
// alone asks for, its variance is about sum u_g^2, and Student's t for 7 - 1 blocks gives the
// width. The program first fits 30 sets of data that it made itself with known parameters and 1 %
// of noise, and fails unless at least 85 % of the intervals hold their parameters.
#include <fathom/fathom.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { POINTS = 35, BLOCK = 5, SETS = 30, Q = 0, C = 1, TAU = 2, COUNT = 3 };

static const double RISE = 2e-3; // s, time in which the strain is applied

// time, s, and relaxation modulus, Pa
static const double measured[POINTS][2] = {
    {0.0139, 33600}, {0.02, 32600},  {0.0302, 30200}, {0.0405, 29100}, {0.0604, 27600},
    {0.0809, 26700}, {0.101, 26000}, {0.141, 25000},  {0.199, 24200},  {0.299, 23047},
    {0.397, 22200},  {0.602, 21100}, {0.803, 20400},  {1, 19900},      {1.42, 19000},
    {2.01, 18200},   {3.01, 17200},  {3.99, 16500},   {6.05, 15500},   {8.02, 14800},
    {9.99, 14200},   {14.2, 13400},  {20, 12500},     {30.1, 11500},   {40.1, 10800},
    {60.3, 9770},    {80.2, 9040},   {99.6, 8470},    {142, 7560},     {199, 6680},
    {300, 5670},     {398, 5000},    {600, 4120},     {797, 3560},     {981, 3190},
};

typedef struct fit {
    double p[COUNT];                // q, log c, log tau
    double low[COUNT], high[COUNT]; // 95 % interval
    double residual;                // root mean square difference of log G
} fit;

// Computes log G at the measured times: the strain rises (its rate is a triangle), then rests. One
// push for each time is enough, because the memory is exact for rates that are linear in between.
static bool compute(const double *p, double *log_G, fm_error *err)
{
    fm_memory_def def = fm_default_memory_def();
    def.method = isinf(p[TAU]) ? FM_MEMORY_FULL : FM_MEMORY_FADING;
    def.order = p[Q];
    def.fading_time = isinf(p[TAU]) ? 1 : exp(p[TAU]);
    def.time_step = RISE / 2;
    def.horizon = 1000;
    def.tolerance = 1e-6;
    fm_memory *memory = fm_memory_create(&def, 1, err);
    if (!memory)
        return false;
    const double rates[3] = {0, 2 / RISE, 0};
    for (int i = 0; i < 3; i++)
        fm_memory_push(memory, &rates[i], i == 0 ? 0 : RISE / 2);
    double t = RISE, D;
    for (int i = 0; i < POINTS; i++) {
        fm_memory_push(memory, &rates[2], measured[i][0] - t);
        fm_memory_value(memory, &D);
        t = measured[i][0];
        log_G[i] = p[C] + log(D);
    }
    fm_memory_destroy(memory);
    return true;
}

// Solves the n x n system A x = b by Gaussian elimination; A is symmetric and positive.
static void solve(double A[COUNT][COUNT], double *b, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double factor = A[j][i] / A[i][i];
            for (int k = i; k < n; k++)
                A[j][k] -= factor * A[i][k];
            b[j] -= factor * b[i];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            b[i] -= A[i][k] * b[k];
        b[i] /= A[i][i];
    }
}

// The change of the n first parameters that best explains the residuals r, with the derivatives J.
static void find_step(double J[POINTS][COUNT], const double *r, int n, double *step)
{
    double A[COUNT][COUNT] = {{0}};
    for (int a = 0; a < n; a++) {
        step[a] = 0;
        for (int i = 0; i < POINTS; i++) {
            step[a] += J[i][a] * r[i];
            for (int b = 0; b < n; b++)
                A[a][b] += J[i][a] * J[i][b];
        }
    }
    solve(A, step, n);
}

static double draw(uint64_t *state) // uniform in [0, 1)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

// Intervals: the change that each block of residuals asks for, see above.
static void find_intervals(fit *f, double J[POINTS][COUNT], const double *r, int n)
{
    const int blocks = POINTS / BLOCK;
    const double t = 2.447; // Student's t for 6 degrees of freedom, 95 %
    double variance[COUNT] = {0};
    for (int g = 0; g < blocks; g++) {
        double only[POINTS] = {0}, step[COUNT];
        for (int i = g * BLOCK; i < (g + 1) * BLOCK; i++)
            only[i] = r[i];
        find_step(J, only, n, step);
        for (int a = 0; a < n; a++)
            variance[a] += step[a] * step[a];
    }
    double few = blocks / (blocks - 1.0) * (POINTS - 1.0) / (POINTS - n); // for small numbers
    for (int a = 0; a < n; a++) {
        double half = t * sqrt(few * variance[a]);
        f->low[a] = f->p[a] - half, f->high[a] = f->p[a] + half;
    }
}

// Fits n parameters to log G: 3, or 2 without fading (the whole past counts).
static bool find_fit(const double *log_G, int n, fit *f, fm_error *err)
{
    double J[POINTS][COUNT], model[POINTS], shifted[POINTS], r[POINTS], step[COUNT];
    *f = (fit){.p = {0.2, log(2e4), n == COUNT ? log(1000) : INFINITY}};
    for (int round = 0; round < 20; round++) {
        if (!compute(f->p, model, err))
            return false;
        for (int a = 0; a < n; a++) {
            double p[COUNT] = {f->p[Q], f->p[C], f->p[TAU]};
            p[a] += 1e-4;
            if (!compute(p, shifted, err))
                return false;
            for (int i = 0; i < POINTS; i++)
                J[i][a] = (shifted[i] - model[i]) / 1e-4;
        }
        double sum = 0;
        for (int i = 0; i < POINTS; i++)
            r[i] = log_G[i] - model[i], sum += r[i] * r[i];
        f->residual = sqrt(sum / POINTS);
        find_step(J, r, n, step);
        if (fabs(step[Q]) < 1e-6)
            break;
        double factor = fmin(1, 0.05 / fabs(step[Q])); // q changes by at most 0.05 in a round
        for (int a = 0; a < n; a++)
            f->p[a] += factor * step[a];
    }
    find_intervals(f, J, r, n);
    return true;
}

static void print_fit(const char *title, const fit *f, int n)
{
    printf("%s: residual %.1f %%\n", title, 100 * f->residual);
    printf("  q   %8.4f         95 %% interval %8.4f to %8.4f\n", f->p[Q], f->low[Q], f->high[Q]);
    printf("  c   %8.0f Pa s^q  95 %% interval %8.0f to %8.0f\n", exp(f->p[C]), exp(f->low[C]),
           exp(f->high[C]));
    if (n == COUNT)
        printf("  tau %8.0f s       95 %% interval %8.0f to %8.0f\n", exp(f->p[TAU]),
               exp(f->low[TAU]), exp(f->high[TAU]));
}

// Fits made data with known parameters. False if too few intervals hold their parameters.
static bool try_known(fm_error *err)
{
    const double known[COUNT] = {0.3, log(5000), log(200)};
    double exact[POINTS], log_G[POINTS];
    uint64_t state = 0x9e3779b97f4a7c15u;
    int held = 0;
    fit f;
    if (!compute(known, exact, err))
        return false;
    for (int set = 0; set < SETS; set++) {
        for (int i = 0; i < POINTS; i++) // noise: a sum of uniform numbers
            log_G[i] = exact[i] + 0.02 * (draw(&state) + draw(&state) + draw(&state) - 1.5);
        if (!find_fit(log_G, COUNT, &f, err))
            return false;
        for (int a = 0; a < COUNT; a++)
            held += f.low[a] <= known[a] && known[a] <= f.high[a];
    }
    print_fit("made with q 0.3, c 5000, tau 200 and noise of 1 %, the last of 30", &f, COUNT);
    printf("  %.0f %% of the intervals of all 30 hold their parameters\n",
           100.0 * held / (SETS * COUNT));
    return held >= 0.85 * SETS * COUNT;
}

int main(void)
{
    fm_error err = {0};
    double log_G[POINTS];
    fit fading, whole;
    for (int i = 0; i < POINTS; i++)
        log_G[i] = log(measured[i][1]);
    bool good = try_known(&err) && find_fit(log_G, COUNT, &fading, &err) &&
                find_fit(log_G, COUNT - 1, &whole, &err);
    if (!good) {
        fprintf(stderr, "relaxation_fit: %s\n",
                err.text[0] ? err.text : "intervals miss known parameters");
        return 1;
    }
    print_fit("fish muscle, fading memory", &fading, COUNT);
    print_fit("fish muscle, the whole past", &whole, COUNT - 1);
    return 0;
}
