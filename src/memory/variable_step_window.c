// SPDX-License-Identifier: MIT
// variable_step_window.c: fractional derivative over the last few steps, which may differ in
// length, for many lanes in single precision. (fixed_step_window.c is for equal steps, in double
// precision.)
//
//     D^q x = 1/Gamma(1-q) integral_0^A a^-q v(a) da
//
//   q  order, 0 < q < 1      a  age, the time before the newest push, s
//   v  rate dx/dt            A  age of the oldest rate kept, s
//
// v is taken as linear between pushes (product trapezoid). The interval between the ages a and b
// adds to the quadrature weights, in s^(1-q) and before the division by Gamma(1-q),
//
//     of its newer rate  (b I0 - I1) / (b - a),     of its older rate  (I1 - a I0) / (b - a)
//     I0 = (b^(1-q) - a^(1-q)) / (1-q),             I1 = (b^(2-q) - a^(2-q)) / (2-q)
//
// With equal steps these are the weights of [OZG13] eq. (4.7), except for the oldest rate, which
// belongs to one interval only (docs/memory.md). The weights are the same for all lanes and are
// computed again for every push.
#include "memory/memory.h"

#include <math.h>

// Allocates the rows of a window of `steps` steps for `lanes` lanes. name: of the object, for the
// error message when memory runs out.
bool fm_variable_window_create(fm_variable_window *window, fm_arena *arena, int steps, int lanes,
                               const char *name, fm_error *err)
{
    *window = (fm_variable_window){.rows = steps + 1};
    size_t rows = (size_t)window->rows;
    window->rates = fm_arena_alloc(arena, rows * (size_t)lanes, sizeof(float), name, err);
    window->steps = fm_arena_alloc(arena, rows, sizeof(double), name, err);
    window->weight = fm_arena_alloc(arena, rows, sizeof(double), name, err);
    return err->status == FM_OK;
}

// The row of the last push in the ring buffer.
static int find_newest_row(const fm_variable_window *window)
{
    return (int)((window->pushes - 1) % window->rows);
}

// Begins a push, h seconds after the last one: chooses its row and computes the quadrature weights
// of all rows. Symbols and formulas at the head of this file; L is the length of an interval, s.
void fm_variable_window_begin(fm_variable_window *window, double order, double h)
{
    const double q = order;
    window->pushes++;
    int newest = find_newest_row(window);
    window->steps[newest] = h;
    int kept = window->pushes < window->rows ? (int)window->pushes : window->rows;
    for (int row = 0; row < window->rows; row++)
        window->weight[row] = 0;
    double a = 0;
    for (int k = 0, row = newest; k + 1 < kept; k++) {
        int older = row > 0 ? row - 1 : window->rows - 1;
        double L = window->steps[row], b = a + L;
        double I0 = (pow(b, 1 - q) - pow(a, 1 - q)) / (1 - q);
        double I1 = (pow(b, 2 - q) - pow(a, 2 - q)) / (2 - q);
        window->weight[row] += (b * I0 - I1) / (L * tgamma(1 - q));
        window->weight[older] += (I1 - a * I0) / (L * tgamma(1 - q));
        a = b;
        row = older;
    }
}

// Stores the rates values[0] ... of lanes first to last - 1 and replaces them by the derivatives,
// the weighted sums over all rows. `lanes` is the number of lanes of the window.
FM_SIMD_CLONES void fm_variable_window_push(fm_variable_window *window, int lanes, int first,
                                            int last, double *values)
{
    enum { CHUNK = 64 }; // lanes summed at a time, so that the sums stay in registers and L1 cache
    float *newest = window->rates + (size_t)find_newest_row(window) * (size_t)lanes;
    for (int begin = first; begin < last; begin += CHUNK, values += CHUNK) {
        int count = last - begin < CHUNK ? last - begin : CHUNK;
        float sum[CHUNK] = {0};
        for (int l = 0; l < count; l++)
            newest[begin + l] = (float)values[l];
        for (int row = 0; row < window->rows; row++) {
            const float *restrict rates = window->rates + (size_t)row * (size_t)lanes + begin;
            const float w = (float)window->weight[row];
#pragma omp simd
            for (int l = 0; l < count; l++)
                sum[l] += w * rates[l];
        }
        for (int l = 0; l < count; l++)
            values[l] = sum[l];
    }
}

void fm_variable_window_set_steady(fm_variable_window *window, int lanes, int lane, double rate)
{
    for (int row = 0; row < window->rows; row++)
        window->rates[(size_t)row * (size_t)lanes + (size_t)lane] = (float)rate;
}
