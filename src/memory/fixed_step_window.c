// SPDX-License-Identifier: MIT
// fixed_step_window.c: fractional derivative as a weighted sum of stored past rates, with equal
// steps. (variable_step_window.c is for steps that differ in length.)
//
//     D_n = h^(1-q) sum_{j=0}^{m} c_j u_{n-j},     m = min(n, window)
//
//   D_n  derivative of order q at step n      u_n  rate dx/dt at step n
//   h    step, s                              m    length of the window in steps
//
// With a fixed step the weights depend only on the age j of a rate. There are three kinds: the
// newest (j = 0), the interior ones, and the oldest (j = m). The oldest rate belongs to one
// interval, the interior ones to two.
//
// Trapezoid rule, p = 2 - q, [OZG13] eq. (4.7), all divided by Gamma(3-q):
//     newest 1,  interior (j+1)^p - 2 j^p + (j-1)^p,  oldest (m-1)^p - m^(1-q) (m + q - 2)
// In a truncated window the thesis uses the interior weight for the oldest rate too. This is half
// an interval too much (2.5 % of the sum for ten steps). Here the oldest rate has the oldest
// weight.
//
// Coimbra rule, q = 1/2, [OKRC10] eq. (6): Simpson's rule on the ages [h/10, h], [h, 2h],
// [2h, 3h] ..., and on [0, h/10] an open formula that takes the newest rate as constant. Simpson's
// rule on [h/10, h] overestimates the integral, so that the derivative is too large by
// 0.0374 sqrt(h) u. The rule therefore converges with order 1/2, not 1 as printed.
#include "memory/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// sum of binomial(p, m) x^m over m = first, first + step, ...: the power series of (1 + x)^p
// without its leading terms, which would cancel in differences of powers. |x| <= 1/4, so the terms
// left out are below rounding.
static double binomial_tail(double p, double x, int first, int step)
{
    enum { TERMS = 40 };
    double term = 1, total = 0;
    for (int m = 1; m < TERMS; m++) {
        term *= (p - m + 1) / m * x;
        if (m >= first && (m - first) % step == 0)
            total += term;
    }
    return total;
}

enum { SERIES_AGE = 4 }; // ages, in steps, from which weights are computed by power series

// Interior weight of the trapezoid rule, for a rate that is `age` steps old (formula at the head of
// this file). From SERIES_AGE on, the second difference of powers is computed as a series.
static double trapezoid_interior(double q, int age)
{
    double p = 2 - q, j = age;
    double difference = age < SERIES_AGE ? pow(j + 1, p) - 2 * pow(j, p) + pow(j - 1, p)
                                         : pow(j, p) * 2 * binomial_tail(p, 1 / j, 2, 2);
    return difference / tgamma(3 - q);
}

// Weight of the trapezoid rule for the oldest rate, which is `age` steps old. From SERIES_AGE on,
// the difference of powers is computed as a series.
static double trapezoid_oldest(double q, int age)
{
    double p = 2 - q, j = age;
    double difference = age < SERIES_AGE ? pow(j - 1, p) - pow(j, 1 - q) * (j + q - 2)
                                         : pow(j, p) * binomial_tail(p, -1 / j, 2, 1);
    return difference / tgamma(3 - q);
}

// Simpson's rule for the kernel on the ages from `age` to age + 1 steps: the weight of the rate at
// the newer end of this interval, and of the rate at its older end.
static double simpson_newer(int age)
{
    return (2 / sqrt(age + 0.5) + 1 / sqrt(age)) / (6 * sqrt(FM_PI));
}

static double simpson_older(int age)
{
    return (1 / sqrt(age + 1.0) + 2 / sqrt(age + 0.5)) / (6 * sqrt(FM_PI));
}

// Weight of the newest rate in the rule of [OKRC10] eq. (6), whose factors these are: Simpson's
// rule on the ages 0.1 to 1 step (length 0.9, midpoint 0.55), and an open formula on 0 to 0.1 steps
// (midpoint 0.05).
static double coimbra_newest(void)
{
    double simpson = 0.15 * (2 / sqrt(0.55) + 1 / sqrt(0.1));
    double open_formula = 0.05 * (8 * sqrt(2) / 3 / sqrt(0.05) - 4.0 / 3 / sqrt(0.1));
    return (simpson + open_formula) / sqrt(FM_PI);
}

// Weight of the oldest rate, which is `age` steps old, in the rule of [OKRC10]. If it is one step
// old, its interval is the one from 0.1 to 1 step.
static double coimbra_oldest(int age)
{
    return age == 1 ? 0.15 * (1 + 2 / sqrt(0.55)) / sqrt(FM_PI) : simpson_older(age - 1);
}

// Weight c_0 of the newest rate.
double fm_window_newest_weight(const fm_memory_def *def)
{
    return def->method == FM_MEMORY_COIMBRA ? coimbra_newest() : 1 / tgamma(3 - def->order);
}

// Weight c_j of a rate j = age steps old, between the newest and the oldest one of the window.
double fm_window_interior_weight(const fm_memory_def *def, int age)
{
    if (def->method == FM_MEMORY_COIMBRA)
        return coimbra_oldest(age) + simpson_newer(age);
    return trapezoid_interior(def->order, age);
}

// Weight c_j of the oldest rate of the window, j = age steps old.
double fm_window_oldest_weight(const fm_memory_def *def, int age)
{
    return def->method == FM_MEMORY_COIMBRA ? coimbra_oldest(age)
                                            : trapezoid_oldest(def->order, age);
}

// Computes the weights of all rows of the ring buffer. The table row_weights has them twice, one
// copy after the other, so that for any newest row the weight of a row is
// row_weights[row - newest + row_count]. False when memory runs out.
bool fm_window_create_weights(fm_memory *memory)
{
    int rows = memory->row_count;
    double *row_weights = fm_aligned_calloc(2 * (size_t)rows, sizeof *row_weights);
    if (!row_weights)
        return false;
    row_weights[0] = row_weights[rows] = fm_window_newest_weight(&memory->def);
    for (int age = 1; age < rows; age++) // row - newest = -age, or rows - age after wrapping around
        row_weights[rows - age] = row_weights[2 * rows - age] =
            fm_window_interior_weight(&memory->def, age);
    free(memory->row_weights);
    memory->row_weights = row_weights;
    return true;
}

// Changes the number of rows (stored rates per lane) and keeps the first ones. On failure (memory
// runs out) nothing has changed.
bool fm_window_resize(fm_memory *memory, int rows)
{
    int old_rows = memory->row_count;
    double *state = fm_memory_copy_rows(memory, rows);
    if (!state)
        return false;
    memory->row_count = rows;
    if (!fm_window_create_weights(memory)) {
        memory->row_count = old_rows;
        free(state);
        return false;
    }
    fm_memory_replace_rows(memory, state, rows);
    return true;
}

// Doubles the rows of an unlimited window if all are in use. They are in the order of the pushes,
// because an unlimited window never wraps around. False when memory runs out.
bool fm_window_reserve_row(fm_memory *memory)
{
    if (memory->window != FM_MEMORY_UNLIMITED || memory->push_count < memory->row_count)
        return true;
    return memory->row_count <= INT32_MAX / 4 && fm_window_resize(memory, 2 * memory->row_count);
}

int fm_window_next_row(const fm_memory *memory)
{
    return memory->newest + 1 == memory->row_count ? 0 : memory->newest + 1;
}

// The quadrature after `pushes` pushes, of which the last is in row `newest`. It covers the steps
// between the pushes, at most as many as the window has.
static fm_window_quadrature quadrature_at(const fm_memory *memory, int newest, int64_t pushes)
{
    int64_t steps = pushes - 1;
    if (memory->window != FM_MEMORY_UNLIMITED && steps > memory->window)
        steps = memory->window;
    fm_window_quadrature rule = {.newest = newest, .age = (int)steps};
    if (rule.age > 0)
        rule.surplus = fm_window_interior_weight(&memory->def, rule.age) -
                       fm_window_oldest_weight(&memory->def, rule.age);
    rule.scale = pow(memory->def.time_step, 1 - memory->def.order);
    return rule;
}

fm_window_quadrature fm_window_quadrature_now(const fm_memory *memory)
{
    return quadrature_at(memory, memory->newest, memory->push_count);
}

// The quadrature for the derivative at the next push, without the term of its rate.
fm_window_quadrature fm_window_quadrature_next(const fm_memory *memory)
{
    fm_window_quadrature rule =
        quadrature_at(memory, fm_window_next_row(memory), memory->push_count + 1);
    rule.without_newest = true;
    return rule;
}

// Computes the derivatives of the lanes in block_count blocks as weighted sums of past rates:
// total = scale (sum of weight[row] rate[row] - surplus rate[oldest]), summed over the rows below
// `used` except the row `skipped`; skipped = used skips none. stride: numbers per block. Even and
// odd rows are summed separately, because a single sum would wait for each addition.
FM_SIMD_CLONES
static void integrate_blocks(const double *restrict row, int block_count, size_t stride,
                             int skipped, int used, const double *restrict weight, int oldest,
                             const fm_window_quadrature *restrict rule, double *restrict total)
{
    for (int b = 0; b < block_count; b++, row += stride, total += FM_LANES) {
        double even[FM_LANES] = {0}, odd[FM_LANES] = {0};
        for (int part = 0; part < 2; part++) { // rows before the skipped one, then those after it
            int i = part ? skipped + 1 : 0, end = part ? used : skipped;
            for (; i + 1 < end; i += 2) {
                const double *r = row + (size_t)i * FM_LANES;
#pragma omp simd
                for (int l = 0; l < FM_LANES; l++) {
                    even[l] += weight[i] * r[l];
                    odd[l] += weight[i + 1] * r[FM_LANES + l];
                }
            }
            if (i < end) {
                const double *r = row + (size_t)i * FM_LANES;
#pragma omp simd
                for (int l = 0; l < FM_LANES; l++)
                    even[l] += weight[i] * r[l];
            }
        }
        const double *last = row + (size_t)oldest * FM_LANES;
#pragma omp simd
        for (int l = 0; l < FM_LANES; l++)
            total[l] = rule->scale * (even[l] + odd[l] - rule->surplus * last[l]);
    }
}

// Writes the derivatives of the lanes in block_count blocks from `block` on to total.
void fm_window_integrate(fm_memory *memory, const fm_window_quadrature *rule, int block,
                         int block_count, double *total)
{
    if (rule->age <= 0) {
        memset(total, 0, (size_t)block_count * FM_LANES * sizeof *total);
        return;
    }
    int rows = memory->row_count;
    int used = memory->push_count < rows ? (int)memory->push_count : rows;
    int skipped = rule->without_newest && rule->newest < used ? rule->newest : used;
    int oldest = (rule->newest - rule->age + rows) % rows;
    integrate_blocks(fm_memory_row(memory, block, 0), block_count, (size_t)rows * FM_LANES, skipped,
                     used, memory->row_weights + rows - rule->newest, oldest, rule, total);
}
