// SPDX-License-Identifier: MIT
// sampler.c: low-discrepancy sample points for the rays of a pixel.
//
// Points in the unit square from the first two dimensions of the Sobol sequence, whose first 2^k
// points are evenly distributed. A hash of the pixel and of the sampling dimension (lens, sun, sky,
// ...) scrambles the digits of the points by XOR and permutes their order. Each point is uniformly
// distributed, and different dimensions are uncorrelated.
#include "render/render.h"

// Scrambles the bits of x: a low-bias 32-bit hash with constants by C. Wellons, 2018.
uint32_t fm_sampler_hash(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

// The random numbers of pixel x, y. seed: of the picture; samples: rays per pixel.
fm_sampler fm_sampler_begin(int x, int y, uint32_t seed, int samples)
{
    uint32_t mask = 0;
    while ((int)mask + 1 < samples)
        mask = 2 * mask + 1;
    uint32_t h = fm_sampler_hash((uint32_t)x + 0x9e3779b9u * seed);
    return (fm_sampler){.seed = fm_sampler_hash(h ^ fm_sampler_hash((uint32_t)y + 0x68bc21ebu)),
                        .mask = mask};
}

// The bits of x in reverse order: first dimension of the Sobol sequence.
static uint32_t reverse_bits(uint32_t x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}

// Second dimension of the Sobol sequence: direction numbers v_i = v_(i-1) ^ v_(i-1) >> 1.
static uint32_t second_dimension(uint32_t index)
{
    uint32_t sum = 0;
    for (uint32_t v = 1u << 31; index; index >>= 1, v ^= v >> 1)
        if (index & 1)
            sum ^= v;
    return sum;
}

// A point in the unit square for the current sample. dimension: which random decision it is for.
void fm_sampler_draw_pair(const fm_sampler *sampler, uint32_t dimension, float pair[2])
{
    uint32_t h = fm_sampler_hash(sampler->seed + 0x9e3779b9u * (dimension + 1));
    uint32_t index = sampler->index ^ (fm_sampler_hash(h + 1) & sampler->mask);
    uint32_t a = reverse_bits(index) ^ h, b = second_dimension(index) ^ fm_sampler_hash(h + 2);
    pair[0] = (float)(a >> 8) * 0x1p-24f;
    pair[1] = (float)(b >> 8) * 0x1p-24f;
}
