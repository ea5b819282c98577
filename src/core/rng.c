// SPDX-License-Identifier: MIT
// rng.c: the random number generator splitmix64 [SLF14].
#include "core/core.h"

// The next 64 random bits.
uint64_t fm_rng_next(fm_rng *rng)
{
    uint64_t z = rng->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// Uniformly distributed in [0, 1), with 53 random bits.
double fm_rng_uniform(fm_rng *rng)
{
    return (double)(fm_rng_next(rng) >> 11) * 0x1p-53;
}
