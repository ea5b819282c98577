// SPDX-License-Identifier: MIT
// sampler.c: numbers for one pixel's rays.
//
// Pairs from the first two dimensions of Sobol's sequence, whose first 2^k points fill the square
// evenly, with their digits flipped and their order changed by bits that belong to the pixel and
// the use. Each single pair is uniform, and uses do not know of each other.
#include "render/render.h"

uint32_t fm_mix_bits(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du; // constants of C. Wellons' search for a 32-bit hash with little bias, 2018
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

fm_sampler fm_sampler_begin(int x, int y, uint32_t seed, int samples)
{
    uint32_t mask = 0;
    while ((int)mask + 1 < samples)
        mask = 2 * mask + 1;
    uint32_t h = fm_mix_bits((uint32_t)x + 0x9e3779b9u * seed);
    return (fm_sampler){.seed = fm_mix_bits(h ^ fm_mix_bits((uint32_t)y + 0x68bc21ebu)),
                        .mask = mask};
}

static uint32_t reverse_bits(uint32_t x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}

// Second dimension: v_i = v_(i-1) ^ v_(i-1) >> 1.
static uint32_t second_dimension(uint32_t index)
{
    uint32_t sum = 0;
    for (uint32_t v = 1u << 31; index; index >>= 1, v ^= v >> 1)
        if (index & 1)
            sum ^= v;
    return sum;
}

void fm_sampler_pair(const fm_sampler *sampler, uint32_t dimension, float pair[2])
{
    uint32_t h = fm_mix_bits(sampler->seed + 0x9e3779b9u * (dimension + 1));
    uint32_t index = sampler->index ^ (fm_mix_bits(h + 1) & sampler->mask);
    uint32_t a = reverse_bits(index) ^ h, b = second_dimension(index) ^ fm_mix_bits(h + 2);
    pair[0] = (float)(a >> 8) * 0x1p-24f;
    pair[1] = (float)(b >> 8) * 0x1p-24f;
}
