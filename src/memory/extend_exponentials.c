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
    NEW_MODES = 3, // a node that is split off, and the two nodes that replace all slower ones
};
// Exponentials with lambda T above this have decayed after a small part of the past T. The fit
// leaves them out.
static const double DECAYED = 60;
// weight of the coefficients themselves in the least squares fit, in tolerances
static const double REGULARISATION = 1e-3;

// Least squares fits of the new exponentials by the slowest old ones. A column has AGES rows and
// one row per coefficient. The last rows keep coefficients small, so that rounding is not
// amplified.
typedef struct fit {
    int first, count;     // old exponentials in use: first to first + count - 1
    int rows;             // AGES + count
    double *old;          // [count][rows] columns: old exponentials at the ages
    double *target;       // [NEW_MODES][rows] columns: new exponentials at the ages
    double *coefficients; // [NEW_MODES][count], c_k at the head of this file
} fit;

// Fills the columns of the fit: the values of the old and of the new exponentials at AGES ages from
// 0 to T, and the rows that keep the coefficients small. T: past so far, s.
static void fill_columns(fit *f, const fm_exponentials *old, const fm_exponentials *extended,
                         double T, double tolerance)
{
    for (int i = 0; i < AGES; i++) {
        double age = T * (0.5 - 0.5 * cos(FM_PI * (i + 0.5) / AGES)); // Chebyshev points
        for (int k = 0; k < f->count; k++)
            f->old[(size_t)k * f->rows + i] = exp(-old->decay_rate[f->first + k] * age);
        for (int n = 0; n < NEW_MODES; n++)
            f->target[(size_t)n * f->rows + i] =
                exp(-extended->decay_rate[extended->count - NEW_MODES + n] * age);
    }
    for (int k = 0; k < f->count; k++)
        f->old[(size_t)k * f->rows + AGES + k] = REGULARISATION * tolerance * sqrt(AGES);
}

// Householder reflection of a column, for the rows from k on: column -= 2 (v . column) / (v . v) v.
// half_square: v . v / 2.
static void reflect(const double *v, double half_square, double *column, int k, int rows)
{
    double product = 0;
    for (int i = k; i < rows; i++)
        product += v[i] * column[i];
    for (int i = k; i < rows; i++)
        column[i] -= product / half_square * v[i];
}

// Solves the least squares problem by QR decomposition: Householder reflections turn the columns
// `old` into a triangular matrix, then back substitution gives the coefficients. The vectors v of
// the reflections replace the columns below the diagonal.
static void solve_fit(fit *f)
{
    int rows = f->rows, count = f->count;
    double diagonal[FM_MEMORY_MAX_EXPONENTIALS] = {0};
    for (int k = 0; k < count; k++) {
        double *v = f->old + (size_t)k * rows, square = 0;
        for (int i = k; i < rows; i++)
            square += v[i] * v[i];
        diagonal[k] = v[k] > 0 ? -sqrt(square) : sqrt(square);
        v[k] -= diagonal[k];
        double half_square = -diagonal[k] * v[k];
        for (int j = k + 1; j < count; j++)
            reflect(v, half_square, f->old + (size_t)j * rows, k, rows);
        for (int n = 0; n < NEW_MODES; n++)
            reflect(v, half_square, f->target + (size_t)n * rows, k, rows);
    }
    for (int n = 0; n < NEW_MODES; n++) {
        double *c = f->coefficients + (size_t)n * count;
        for (int k = count - 1; k >= 0; k--) {
            c[k] = f->target[(size_t)n * rows + k];
            for (int j = k + 1; j < count; j++)
                c[k] -= f->old[(size_t)j * rows + k] * c[j];
            c[k] /= diagonal[k];
        }
    }
}

// Fits the three slowest exponentials of `extended` by those of `old` on the ages 0 to T, s. The
// caller frees f->old. False when memory runs out.
static bool create_fit(fit *f, const fm_exponentials *old, const fm_exponentials *extended,
                       double T, double tolerance)
{
    f->first = old->count - 1;
    while (f->first > 0 && old->decay_rate[f->first - 1] * T < DECAYED)
        f->first--;
    f->count = old->count - f->first;
    f->rows = AGES + f->count;
    size_t columns = (size_t)f->count + NEW_MODES;
    f->old = calloc(columns * (size_t)f->rows + (size_t)(NEW_MODES * f->count), sizeof *f->old);
    if (!f->old)
        return false;
    f->target = f->old + (size_t)f->count * (size_t)f->rows;
    f->coefficients = f->old + columns * (size_t)f->rows;
    fill_columns(f, old, extended, T, tolerance);
    solve_fit(f);
    return true;
}

// Computes the modes of the three new slowest exponentials from the old modes, s' = sum_k c_k s_k,
// in `state`, which has one row more than the memory.
static void combine_modes(fm_memory *memory, const fit *f, double *state)
{
    int rows = memory->row_count + 1;
    for (int b = 0; b < memory->block_count; b++) {
        const double *modes = fm_memory_row(memory, b, ROW_MODES + f->first);
        double *new_modes = state + ((size_t)(b + 1) * rows - NEW_MODES) * FM_LANES;
        memset(new_modes, 0, NEW_MODES * FM_LANES * sizeof *new_modes);
        for (int n = 0; n < NEW_MODES; n++) {
            for (int k = 0; k < f->count; k++) {
                double c = f->coefficients[(size_t)n * f->count + k];
                for (int l = 0; l < FM_LANES; l++)
                    new_modes[n * FM_LANES + l] += c * modes[(size_t)k * FM_LANES + l];
            }
        }
    }
}

// Replaces the exponentials and the state of a memory. Setting the step to 0 makes the next push
// compute the coefficients of the recurrence again.
static void replace_exponentials(fm_memory *memory, const fm_exponentials *extended, double *state)
{
    fm_memory_replace_rows(memory, state, memory->row_count + 1);
    memory->sum = *extended;
    memory->recurrence->step = 0;
}

// Adds one slow exponential, so that the exponentials meet the tolerance up to an age that is
// e^spacing times as long. On failure (memory runs out) nothing has changed.
static bool add_slow_exponential(fm_memory *memory)
{
    fm_exponentials extended = memory->sum;
    fm_exponentials_add_slow_node(&extended, memory->def.order);
    fit f = {0};
    double *state = fm_memory_copy_rows(memory, memory->row_count + 1);
    bool good =
        state && create_fit(&f, &memory->sum, &extended, memory->time, memory->def.tolerance);
    if (good) {
        combine_modes(memory, &f, state);
        replace_exponentials(memory, &extended, state);
        memory->longest *= exp(extended.spacing);
    } else {
        free(state);
    }
    free(f.old);
    return good;
}

// Adds slow exponentials until the time since the first push is at most half the age up to which
// they meet the tolerance. At half the age, the fit of the new exponentials has a residual below
// the tolerance. False when memory runs out.
bool fm_memory_extend_past(fm_memory *memory)
{
    while (memory->time >= 0.5 * memory->longest && memory->longest < memory->faded_age &&
           memory->sum.count < FM_MEMORY_MAX_EXPONENTIALS) {
        if (!add_slow_exponential(memory))
            return false;
    }
    return true;
}

// Computes the mode of the new fastest exponential from the newest rate u and the slope of the
// rate, and stores it as the first mode of each block of `state`, before the old modes.
// fast: decay rate of the new exponential; lambda: of the old fastest one, 1/s.
static void estimate_fast_mode(fm_memory *memory, double fast, double *state)
{
    double lambda = memory->sum.decay_rate[0] + fm_memory_fading_rate(memory);
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

// Adds one fast exponential, so that steps shorter by the factor e^-spacing are allowed. False when
// memory runs out.
static bool add_fast_exponential(fm_memory *memory)
{
    fm_exponentials extended = memory->sum;
    fm_exponentials_add_fast_node(&extended, memory->def.order);
    double *state = fm_memory_copy_rows(memory, memory->row_count + 1);
    if (!state)
        return false;
    estimate_fast_mode(memory, extended.decay_rate[0] + fm_memory_fading_rate(memory), state);
    replace_exponentials(memory, &extended, state);
    memory->shortest *= exp(-extended.spacing);
    return true;
}

// Adds fast exponentials until steps of h seconds are allowed. False when memory runs out or
// FM_MEMORY_MAX_EXPONENTIALS are not enough.
bool fm_memory_extend_to_step(fm_memory *memory, double h)
{
    assert(fm_memory_uses_exponentials(memory));
    while (h > 0 && h < memory->shortest) {
        if (memory->sum.count >= FM_MEMORY_MAX_EXPONENTIALS || !add_fast_exponential(memory))
            return false;
    }
    return true;
}
