// SPDX-License-Identifier: MIT
// window.c: rules that weigh past rates one by one, and the ring of rates they read.
//
//     D_n = h^(1-q) sum_{j=0}^{m} c_j u_{n-j},     m = min(n, window)
//
// With a fixed step the weights depend on the age j only. Three kinds: the newest (j = 0), the
// interior ones, and the oldest (j = m), which belongs to one interval instead of two.
//
// trapezoid, p = 2 - q [OZG13] eq. (4.7), all over Gamma(3-q):
//     newest 1,  interior (j+1)^p - 2 j^p + (j-1)^p,  oldest (m-1)^p - m^(1-q) (m + q - 2)
// The thesis gives a truncated window the interior weight at its old end as well, half an interval
// too much (2.5 % of the whole for ten steps). Here the window ends with the oldest weight.
//
// coimbra, q = 1/2 [OKRC10] eq. (6): Simpson's rule on [h, 2h], [2h, 3h] ..., and on [h/10, h] and
// below a pair of formulas that hold the newest rate fixed. The block on [h/10, h] is too heavy,
// the whole by 0.0374 sqrt(h) v, which is why the rule converges with order 1/2 and not, as
// printed, 1.
//
// [OKRC10] Özgen, Kallmann, Ramirez, Coimbra: Underwater cloth simulation with fractional
//          derivatives. TOG 29(3), 2010.
//
// [OZG13]  Özgen: PhD thesis, UC Merced, 2013, chapters 3 to 5.
#include "memory/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// sum_{m >= first, step} binomial(p, m) x^m: powers of 1 + x without the leading terms, which would
// cancel.
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

// Simpson on the interval from `age` to age + 1 steps ago: the share of its newer and of its older
// end.
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

double fm_window_newest(const fm_memory_def *def)
{
    return def->method == FM_MEMORY_COIMBRA ? coimbra_newest() : 1 / tgamma(3 - def->order);
}

double fm_window_interior(const fm_memory_def *def, int age)
{
    if (def->method == FM_MEMORY_COIMBRA)
        return coimbra_oldest(age) + simpson_newer(age);
    return trapezoid_interior(def->order, age);
}

double fm_window_oldest(const fm_memory_def *def, int age)
{
    return def->method == FM_MEMORY_COIMBRA ? coimbra_oldest(age)
                                            : trapezoid_oldest(def->order, age);
}

bool fm_window_alloc_weights(fm_memory *memory)
{
    int rows = memory->row_count;
    double *unrolled = fm_alloc_aligned(2 * (size_t)rows, sizeof *unrolled);
    if (!unrolled)
        return false;
    unrolled[0] = unrolled[rows] = fm_window_newest(&memory->def);
    for (int age = 1; age < rows; age++) // row - newest is -age, or rows - age around the corner
        unrolled[rows - age] = unrolled[2 * rows - age] = fm_window_interior(&memory->def, age);
    free(memory->unrolled);
    memory->unrolled = unrolled;
    return true;
}

bool fm_window_set_rows(fm_memory *memory, int rows)
{
    int old_rows = memory->row_count, kept = rows < old_rows ? rows : old_rows;
    double *state = fm_alloc_aligned((size_t)memory->block_count * rows * FM_LANES, sizeof *state);
    if (!state)
        return false;
    memory->row_count = rows;
    if (!fm_window_alloc_weights(memory)) {
        memory->row_count = old_rows;
        free(state);
        return false;
    }
    for (int b = 0; b < memory->block_count; b++)
        memcpy(state + (size_t)b * rows * FM_LANES, memory->state + (size_t)b * old_rows * FM_LANES,
               (size_t)kept * FM_LANES * sizeof *state);
    free(memory->state);
    memory->state = state;
    return true;
}

bool fm_window_grow(fm_memory *memory)
{
    if (memory->window != FM_MEMORY_UNLIMITED || memory->push_count < memory->row_count)
        return true;
    // every row is in use, in order: nothing has gone around yet
    return memory->row_count <= INT32_MAX / 4 && fm_window_set_rows(memory, 2 * memory->row_count);
}

int fm_window_next_row(const fm_memory *memory)
{
    return memory->newest + 1 == memory->row_count ? 0 : memory->newest + 1;
}

static fm_window_view view_at(const fm_memory *memory, int newest, int64_t pushes)
{
    int64_t seen = pushes - 1;
    if (memory->window != FM_MEMORY_UNLIMITED && seen > memory->window)
        seen = memory->window;
    fm_window_view view = {.newest = newest, .age = (int)seen};
    if (view.age > 0)
        view.surplus =
            fm_window_interior(&memory->def, view.age) - fm_window_oldest(&memory->def, view.age);
    view.scale = pow(memory->def.time_step, 1 - memory->def.order);
    return view;
}

fm_window_view fm_window_now(const fm_memory *memory)
{
    return view_at(memory, memory->newest, memory->push_count);
}

fm_window_view fm_window_next(const fm_memory *memory)
{
    fm_window_view view = view_at(memory, fm_window_next_row(memory), memory->push_count + 1);
    view.without_newest = true;
    return view;
}

// total = scale (sum of weight[row] state[row] over rows [0, split) and (split, used) - surplus
// state[oldest]). split = used takes all of them. Two chains of additions keep both adders busy.
FM_SIMD_CLONES
static void weigh_blocks(const double *restrict row, int block_count, size_t stride, int split,
                         int used, const double *restrict weight, int oldest,
                         const fm_window_view *restrict view, double *restrict total)
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
            total[l] = view->scale * (even[l] + odd[l] - view->surplus * end[l]);
    }
}

void fm_window_weigh(fm_memory *memory, const fm_window_view *view, int block, int block_count,
                     double *total)
{
    if (view->age <= 0) {
        memset(total, 0, (size_t)block_count * FM_LANES * sizeof *total);
        return;
    }
    int rows = memory->row_count;
    int used = memory->push_count < rows ? (int)memory->push_count : rows;
    int split = view->without_newest && view->newest < used ? view->newest : used;
    int oldest = (view->newest - view->age + rows) % rows;
    weigh_blocks(fm_memory_row(memory, block, 0), block_count, (size_t)rows * FM_LANES, split, used,
                 memory->unrolled + rows - view->newest, oldest, view, total);
}
