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
// without its leading terms, which would cancel in differences of powers.
static double binomial_tail(double p, double x, int first, int step)
{
    double term = 1, total = 0;
    for (int m = 1; m < 40; m++) {
        term *= (p - m + 1) / m * x;
        if (m >= first && (m - first) % step == 0)
            total += term;
    }
    return total;
}

static double trapezoid_interior(double q, int age)
{
    double p = 2 - q, j = age;
    double second = age < 4 ? pow(j + 1, p) - 2 * pow(j, p) + pow(j - 1, p)
                            : pow(j, p) * 2 * binomial_tail(p, 1 / j, 2, 2);
    return second / tgamma(3 - q);
}

static double trapezoid_oldest(double q, int age)
{
    double p = 2 - q, j = age;
    double remainder = age < 4 ? pow(j - 1, p) - pow(j, 1 - q) * (j + q - 2)
                               : pow(j, p) * binomial_tail(p, -1 / j, 2, 1);
    return remainder / tgamma(3 - q);
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

static double coimbra_newest(void)
{
    double on_last = 0.15 * (2 / sqrt(0.55) + 1 / sqrt(0.1));
    double near_zero = 0.05 * (8 * sqrt(2) / 3 / sqrt(0.05) - 4.0 / 3 / sqrt(0.1));
    return (on_last + near_zero) / sqrt(FM_PI);
}

static double coimbra_oldest(int age)
{
    return age == 1 ? 0.15 * (1 + 2 / sqrt(0.55)) / sqrt(FM_PI) : simpson_older(age - 1);
}

double fm_window_newest_weight(const fm_memory_def *def)
{
    return def->method == FM_MEMORY_COIMBRA ? coimbra_newest() : 1 / tgamma(3 - def->order);
}

double fm_window_interior_weight(const fm_memory_def *def, int age)
{
    if (def->method == FM_MEMORY_COIMBRA)
        return coimbra_oldest(age) + simpson_newer(age);
    return trapezoid_interior(def->order, age);
}

double fm_window_oldest_weight(const fm_memory_def *def, int age)
{
    return def->method == FM_MEMORY_COIMBRA ? coimbra_oldest(age)
                                            : trapezoid_oldest(def->order, age);
}

bool fm_window_create_weights(fm_memory *memory)
{
    int rows = memory->row_count;
    double *unrolled = fm_aligned_calloc(2 * (size_t)rows, sizeof *unrolled);
    if (!unrolled)
        return false;
    unrolled[0] = unrolled[rows] = fm_window_newest_weight(&memory->def);
    for (int age = 1; age < rows; age++) // row - newest is -age, or rows - age after wrapping
        unrolled[rows - age] = unrolled[2 * rows - age] =
            fm_window_interior_weight(&memory->def, age);
    free(memory->unrolled);
    memory->unrolled = unrolled;
    return true;
}

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

bool fm_window_reserve_row(fm_memory *memory)
{
    if (memory->window != FM_MEMORY_UNLIMITED || memory->push_count < memory->row_count)
        return true;
    // all rows are in use and in order, because an unlimited window never wraps around
    return memory->row_count <= INT32_MAX / 4 && fm_window_resize(memory, 2 * memory->row_count);
}

int fm_window_next_row(const fm_memory *memory)
{
    return memory->newest + 1 == memory->row_count ? 0 : memory->newest + 1;
}

// The quadrature after `pushes` pushes, of which the last is in row `newest`.
static fm_window_quadrature quadrature_at(const fm_memory *memory, int newest, int64_t pushes)
{
    int64_t seen = pushes - 1;
    if (memory->window != FM_MEMORY_UNLIMITED && seen > memory->window)
        seen = memory->window;
    fm_window_quadrature rule = {.newest = newest, .age = (int)seen};
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

fm_window_quadrature fm_window_quadrature_next(const fm_memory *memory)
{
    fm_window_quadrature rule =
        quadrature_at(memory, fm_window_next_row(memory), memory->push_count + 1);
    rule.without_newest = true;
    return rule;
}

// total = scale (sum of weight[row] state[row] - surplus state[oldest]), summed over the rows below
// `used` except the row `split`; split = used leaves out none. Even and odd rows are summed
// separately, so that the additions of two chains overlap in time.
FM_SIMD_CLONES
static void integrate_blocks(const double *restrict row, int block_count, size_t stride, int split,
                             int used, const double *restrict weight, int oldest,
                             const fm_window_quadrature *restrict rule, double *restrict total)
{
    for (int b = 0; b < block_count; b++, row += stride, total += FM_LANES) {
        double even[FM_LANES] = {0}, odd[FM_LANES] = {0};
        for (int part = 0; part < 2; part++) {
            int i = part ? split + 1 : 0, end = part ? used : split;
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
        const double *end = row + (size_t)oldest * FM_LANES;
#pragma omp simd
        for (int l = 0; l < FM_LANES; l++)
            total[l] = rule->scale * (even[l] + odd[l] - rule->surplus * end[l]);
    }
}

void fm_window_integrate(fm_memory *memory, const fm_window_quadrature *rule, int block,
                         int block_count, double *total)
{
    if (rule->age <= 0) {
        memset(total, 0, (size_t)block_count * FM_LANES * sizeof *total);
        return;
    }
    int rows = memory->row_count;
    int used = memory->push_count < rows ? (int)memory->push_count : rows;
    int split = rule->without_newest && rule->newest < used ? rule->newest : used;
    int oldest = (rule->newest - rule->age + rows) % rows;
    integrate_blocks(fm_memory_row(memory, block, 0), block_count, (size_t)rows * FM_LANES, split,
                     used, memory->unrolled + rows - rule->newest, oldest, rule, total);
}
