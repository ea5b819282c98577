// SPDX-License-Identifier: MIT
// extend_exponentials.c: adds slow exponentials to a memory when its past grows beyond the fitted
// ages, and fast ones when steps shorter than the fitted times are asked for.
//
// The symbols are those of exponentials.c.
//
// Slow. The two slowest exponentials stand for infinitely many nodes of the quadrature, and do so
// up to the age `longest`. One of these nodes becomes an exponential of its own, and `longest`
// grows by the factor e^spacing, with the same error. The modes of the three new slowest
// exponentials follow from the modes that are there: on the ages 0 to T of the past so far,
//
//     e^(-lambda' t) = sum_k c_k e^(-lambda_k t) + residual,    so   s' = sum_k c_k s_k,
//
// with c_k from a least squares fit. The exponentials that have not decayed within T span nearly
// all smooth functions of age. At T = longest/2 the residual is below the tolerance. (Measured with
// orders 0.05 to 0.95 and a horizon of 1e4 steps: below 0.2 tolerances for tolerances up to 1e-3.)
// The number of exponentials is a function of the time passed, and grows with its logarithm.
//
// Fast. A fast node with lambda' h >> 1 remembers only the newest interval, in which the rate is
// linear with slope u'. For the fastest exponential that is there, lambda_0, this is nearly true:
//
//     s_0 = u / lambda_0 - u' / lambda_0^2,    so   u' = lambda_0 (u - lambda_0 s_0)
//     s'  = u / lambda'  - u' / lambda'^2
//
// Both leave out what the exponentials remember from before the newest interval, a fraction
// e^(-lambda_0 h) of the change of slope, which is the fraction of the kernel that the fit leaves
// out at the shortest time.
//
// A fading memory has lambda + 1/tau in place of lambda; c_k are the same.
#include "memory/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    AGES = 160,    // ages at which the fit is made
    NEW_MODES = 3, // a node that is split off, and the two lumped ones
};
// an exponential with lambda T beyond this only matters at ages that slow exponentials do not need
static const double DECAYED = 60;

// Least squares fits of the new exponentials by the slowest old ones. A column has AGES rows and
// one row per coefficient. The last rows keep coefficients small, so that rounding is not
// amplified.
typedef struct fit {
    int first, count;  // old exponentials in use
    int rows;          // AGES + count
    double *old;       // [count][rows]
    double *target;    // [NEW_MODES][rows]
    double *projected; // [NEW_MODES][count], c_k
} fit;

static void fill_columns(fit *f, const fm_exponentials *old, const fm_exponentials *extended,
                         double T, double tolerance)
{
    for (int i = 0; i < AGES; i++) {
        double age = T * (0.5 - 0.5 * cos(FM_PI * (i + 0.5) / AGES)); // Chebyshev points
        for (int k = 0; k < f->count; k++)
            f->old[(size_t)k * f->rows + i] = exp(-old->rate[f->first + k] * age);
        for (int n = 0; n < NEW_MODES; n++)
            f->target[(size_t)n * f->rows + i] =
                exp(-extended->rate[extended->count - NEW_MODES + n] * age);
    }
    for (int k = 0; k < f->count; k++)
        f->old[(size_t)k * f->rows + AGES + k] = 1e-3 * tolerance * sqrt(AGES);
}

// column -= 2 (v . column) / (v . v) v for the rows from k on, v in `mirror`, half = v . v / 2.
static void reflect(const double *mirror, double half, double *column, int k, int rows)
{
    double product = 0;
    for (int i = k; i < rows; i++)
        product += mirror[i] * column[i];
    for (int i = k; i < rows; i++)
        column[i] -= product / half * mirror[i];
}

// Solves by Householder reflections.
static void solve_fit(fit *f)
{
    int rows = f->rows, count = f->count;
    double diagonal[FM_MEMORY_MAX_EXPONENTIALS] = {0};
    for (int k = 0; k < count; k++) {
        double *mirror = f->old + (size_t)k * rows, square = 0;
        for (int i = k; i < rows; i++)
            square += mirror[i] * mirror[i];
        diagonal[k] = mirror[k] > 0 ? -sqrt(square) : sqrt(square);
        mirror[k] -= diagonal[k];
        double half = -diagonal[k] * mirror[k];
        for (int j = k + 1; j < count; j++)
            reflect(mirror, half, f->old + (size_t)j * rows, k, rows);
        for (int n = 0; n < NEW_MODES; n++)
            reflect(mirror, half, f->target + (size_t)n * rows, k, rows);
    }
    for (int n = 0; n < NEW_MODES; n++) {
        double *c = f->projected + (size_t)n * count;
        for (int k = count - 1; k >= 0; k--) {
            c[k] = f->target[(size_t)n * rows + k];
            for (int j = k + 1; j < count; j++)
                c[k] -= f->old[(size_t)j * rows + k] * c[j];
            c[k] /= diagonal[k];
        }
    }
}

static bool create_fit(fit *f, const fm_exponentials *old, const fm_exponentials *extended,
                       double T, double tolerance)
{
    f->first = old->count - 1;
    while (f->first > 0 && old->rate[f->first - 1] * T < DECAYED)
        f->first--;
    f->count = old->count - f->first;
    f->rows = AGES + f->count;
    size_t columns = (size_t)f->count + NEW_MODES;
    f->old = calloc(columns * (size_t)f->rows + (size_t)(NEW_MODES * f->count), sizeof *f->old);
    if (!f->old)
        return false;
    f->target = f->old + (size_t)f->count * (size_t)f->rows;
    f->projected = f->old + columns * (size_t)f->rows;
    fill_columns(f, old, extended, T, tolerance);
    solve_fit(f);
    return true;
}

// Computes the modes of the new exponentials in `state`, which has one row more than the memory.
static void project_modes(fm_memory *memory, const fit *f, double *state)
{
    int rows = memory->row_count + 1;
    for (int b = 0; b < memory->block_count; b++) {
        const double *modes = fm_memory_row(memory, b, ROW_MODES + f->first);
        double *fresh = state + ((size_t)(b + 1) * rows - NEW_MODES) * FM_LANES;
        memset(fresh, 0, NEW_MODES * FM_LANES * sizeof *fresh);
        for (int n = 0; n < NEW_MODES; n++) {
            for (int k = 0; k < f->count; k++) {
                double c = f->projected[(size_t)n * f->count + k];
                for (int l = 0; l < FM_LANES; l++)
                    fresh[n * FM_LANES + l] += c * modes[(size_t)k * FM_LANES + l];
            }
        }
    }
}

// Replaces the exponentials and the state, and lets the next step compute its coefficients anew.
static void install(fm_memory *memory, const fm_exponentials *extended, double *state)
{
    fm_memory_replace_rows(memory, state, memory->row_count + 1);
    memory->sum = *extended;
    memory->recurrence->step = 0;
}

static bool add_slow_exponential(fm_memory *memory)
{
    fm_exponentials extended = memory->sum;
    fm_exponentials_add_slow_node(&extended, memory->def.order);
    fit f = {0};
    double *state = fm_memory_copy_rows(memory, memory->row_count + 1);
    bool good =
        state && create_fit(&f, &memory->sum, &extended, memory->time, memory->def.tolerance);
    if (good) {
        project_modes(memory, &f, state);
        install(memory, &extended, state);
        memory->longest *= exp(extended.spacing);
    } else {
        free(state);
    }
    free(f.old);
    return good;
}

bool fm_memory_extend_past(fm_memory *memory)
{
    while (memory->time >= 0.5 * memory->longest && memory->longest < memory->enough &&
           memory->sum.count < FM_MEMORY_MAX_EXPONENTIALS) {
        if (!add_slow_exponential(memory))
            return false;
    }
    return true;
}

// Computes the mode of the new fastest exponential, the first mode of each block of `state`, and
// moves the other modes behind it.
static void estimate_fast_mode(fm_memory *memory, double fast, double *state)
{
    double lambda = memory->sum.rate[0] + fm_memory_fading_rate(memory);
    int rows = memory->row_count + 1;
    for (int b = 0; b < memory->block_count; b++) {
        double *block = state + (size_t)b * rows * FM_LANES, *modes = block + ROW_MODES * FM_LANES;
        memmove(modes + FM_LANES, modes, (size_t)memory->sum.count * FM_LANES * sizeof *modes);
        for (int l = 0; l < FM_LANES; l++) {
            double u = block[ROW_NEWEST * FM_LANES + l];
            double slope = lambda * (u - lambda * modes[FM_LANES + l]);
            // before the second push there is no interval, and all modes are 0
            modes[l] = memory->push_count > 1 ? u / fast - slope / (fast * fast) : 0;
        }
    }
}

static bool add_fast_exponential(fm_memory *memory)
{
    fm_exponentials extended = memory->sum;
    fm_exponentials_add_fast_node(&extended, memory->def.order);
    double *state = fm_memory_copy_rows(memory, memory->row_count + 1);
    if (!state)
        return false;
    estimate_fast_mode(memory, extended.rate[0] + fm_memory_fading_rate(memory), state);
    install(memory, &extended, state);
    memory->shortest *= exp(-extended.spacing);
    return true;
}

bool fm_memory_extend_to_step(fm_memory *memory, double h)
{
    assert(fm_memory_uses_exponentials(memory));
    while (h > 0 && h < memory->shortest) {
        if (memory->sum.count >= FM_MEMORY_MAX_EXPONENTIALS || !add_fast_exponential(memory))
            return false;
    }
    return true;
}
