// SPDX-License-Identifier: MIT
// random.h: random numbers and vectors for tests.
#ifndef FATHOM_TESTS_RANDOM_H
#define FATHOM_TESTS_RANDOM_H

#include "core/core.h"

// A random number, uniform from low to high.
static inline double between(fm_rng *rng, double low, double high)
{
    return low + (high - low) * fm_rng_uniform(rng);
}

// A random vector whose components are uniform from -size to size.
static inline fm_vec3 random_vector(fm_rng *rng, double size)
{
    return (fm_vec3){between(rng, -size, size), between(rng, -size, size),
                     between(rng, -size, size)};
}

// A random unit vector, uniform over the sphere: the direction of a random point in the unit ball.
// Points near the centre are rejected, because rounding would spoil their direction.
static inline fm_vec3 random_direction(fm_rng *rng)
{
    fm_vec3 v = random_vector(rng, 1);
    while (fm_dot(v, v) > 1 || fm_dot(v, v) < 0.01)
        v = random_vector(rng, 1);
    return fm_scale(v, 1 / fm_length(v));
}

#endif
