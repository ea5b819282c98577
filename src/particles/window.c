// SPDX-License-Identifier: MIT
// window.c: the fractional derivative over the last few steps, as published; they may differ.
//
//     D^q x = 1/Gamma(1-q) integral_0^A a^-q v(a) da,     a: age, A: that of the oldest rate kept
//
// with v linear between the pushes (product trapezoid). An interval between the ages a and b gives
//
//     to the newer rate  (b I0 - I1) / (b - a),     to the older one  (I1 - a I0) / (b - a)
//     I0 = (b^(1-q) - a^(1-q)) / (1-q),             I1 = (b^(2-q) - a^(2-q)) / (2-q)
//
// over Gamma(1-q). With equal steps these are the weights of [OZG13] eq. (4.7), but for the oldest,
// which has one interval only (docs/memory.md). They are the same for all lanes, so they are made
// anew for every push. Rates are velocities of particles, which are floats, and kept as such.
//
// [OZG13] Özgen: Physics-based animation models using fractional calculus. PhD thesis, 2013.
#include "particles/particles.h"

bool fm_ring_make(fm_ring *ring, fm_arena *arena, int steps, int lanes, const char *name,
                  fm_error *err)
{
    *ring = (fm_ring){.rows = steps + 1, .newest = -1};
    size_t rows = (size_t)ring->rows;
    ring->rates = fm_arena_alloc(arena, rows * (size_t)lanes, sizeof(float), name, err);
    ring->steps = fm_arena_alloc(arena, rows, sizeof(double), name, err);
    ring->weight = fm_arena_alloc(arena, rows, sizeof(double), name, err);
    return err->status == FM_OK;
}

void fm_ring_begin(fm_ring *ring, double order, double h)
{
    const double q = order;
    ring->newest = ring->newest + 1 == ring->rows ? 0 : ring->newest + 1;
    ring->steps[ring->newest] = h;
    ring->pushes++;
    int kept = ring->pushes < ring->rows ? (int)ring->pushes : ring->rows;
    for (int row = 0; row < ring->rows; row++)
        ring->weight[row] = 0;
    double a = 0;
    for (int k = 0, row = ring->newest; k + 1 < kept; k++) {
        int older = row > 0 ? row - 1 : ring->rows - 1;
        double L = ring->steps[row], b = a + L;
        double I0 = (pow(b, 1 - q) - pow(a, 1 - q)) / (1 - q);
        double I1 = (pow(b, 2 - q) - pow(a, 2 - q)) / (2 - q);
        ring->weight[row] += (b * I0 - I1) / (L * tgamma(1 - q));
        ring->weight[older] += (I1 - a * I0) / (L * tgamma(1 - q));
        a = b;
        row = older;
    }
}

FM_SIMD_CLONES void fm_ring_push(fm_ring *ring, int lanes, int first, int last, double *flow)
{
    enum { CHUNK = 64 };
    float *newest = ring->rates + (size_t)ring->newest * (size_t)lanes;
    for (int begin = first; begin < last; begin += CHUNK, flow += CHUNK) {
        int count = last - begin < CHUNK ? last - begin : CHUNK;
        float sum[CHUNK] = {0};
        for (int l = 0; l < count; l++)
            newest[begin + l] = (float)flow[l];
        for (int row = 0; row < ring->rows; row++) {
            const float *restrict rates = ring->rates + (size_t)row * (size_t)lanes + begin;
            const float w = (float)ring->weight[row];
#pragma omp simd
            for (int l = 0; l < count; l++)
                sum[l] += w * rates[l];
        }
        for (int l = 0; l < count; l++)
            flow[l] = sum[l];
    }
}

void fm_ring_set_steady(fm_ring *ring, int lanes, int lane, double rate)
{
    for (int row = 0; row < ring->rows; row++)
        ring->rates[(size_t)row * (size_t)lanes + (size_t)lane] = (float)rate;
}
