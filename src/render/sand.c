// SPDX-License-Identifier: MIT
// sand.c: a tileable texture of the sandy floor: slopes and brightness of ripples and grains.
#include "render/render.h"

#include <stdlib.h>

enum { SIDE = 512 }; // texels

// A hashed random number, -1 to 1, at a point of a lattice with `period` points per tile.
static float lattice_value(int x, int y, int period, uint32_t seed)
{
    uint32_t h = fm_sampler_hash((uint32_t)(x & (period - 1)) + 0x9e3779b9u * seed);
    h = fm_sampler_hash(h ^ (uint32_t)(y & (period - 1)) * 0x85ebca6bu);
    return (float)(h >> 8) * 0x1p-23f - 1;
}

// Periodic value noise, -1 to 1, on a lattice of `period` points, a power of two, per tile. u, v in
// tiles.
static float value_noise(float u, float v, int period, uint32_t seed)
{
    u *= (float)period;
    v *= (float)period;
    int i = (int)floorf(u), j = (int)floorf(v);
    float s = u - (float)i, t = v - (float)j;
    // smooth weights from 0 to 1 with zero first and second derivatives at both ends
    s = s * s * s * (s * (6 * s - 15) + 10);
    t = t * t * t * (t * (6 * t - 15) + 10);
    float a = lattice_value(i, j, period, seed), b = lattice_value(i + 1, j, period, seed);
    float c = lattice_value(i, j + 1, period, seed), d = lattice_value(i + 1, j + 1, period, seed);
    float above = a + s * (b - a);
    return above + t * (c + s * (d - c) - above);
}

// Height of the sand in tiles, at u, v in tiles: 11 ripples along v, bent by noise, with crests
// sharper than troughs and varying amplitude, plus bumps of three sizes. The numbers are artistic
// choices.
static float height(float u, float v)
{
    const float turn = 2 * (float)FM_PI;
    float bend = value_noise(u, v, 4, 1) * 0.75f + value_noise(u, v, 8, 2) * 0.35f +
                 value_noise(u, v, 16, 9) * 0.12f;
    float phase = turn * (11 * v + 3 * u) + 2.6f * bend;
    float ripple = sinf(phase) + 0.22f * sinf(2 * phase + 1.2f);
    float strength = 0.6f + 0.4f * value_noise(u, v, 4, 3);
    return 0.0065f * ripple * strength + 0.012f * value_noise(u, v, 4, 4) +
           0.004f * value_noise(u, v, 16, 5) + 0.0012f * value_noise(u, v, 64, 6);
}

// Fills the texture: slopes by central differences of the heights; brightness by noise and grains,
// brighter on crests.
static void fill_map(fm_sand *sand, const float *heights)
{
    const float half_side = SIDE / 2.0f;
    int mask = SIDE - 1;
    for (int j = 0; j < SIDE; j++) {
        for (int i = 0; i < SIDE; i++) {
            float u = (float)i / SIDE, v = (float)j / SIDE, *m = sand->map + 3 * (j * SIDE + i);
            m[0] = (heights[j * SIDE + ((i + 1) & mask)] - heights[j * SIDE + ((i - 1) & mask)]) *
                   half_side;
            m[1] = (heights[((j + 1) & mask) * SIDE + i] - heights[((j - 1) & mask) * SIDE + i]) *
                   half_side;
            float grain = (float)(fm_sampler_hash((uint32_t)(j * SIDE + i)) >> 8) * 0x1p-24f - 0.5f;
            m[2] = 1 + 0.10f * value_noise(u, v, 8, 7) + 0.06f * value_noise(u, v, 64, 8) +
                   0.10f * grain + 4 * heights[j * SIDE + i];
        }
    }
}

// Creates the texture of the sandy floor.
bool fm_sand_create(fm_sand *sand, fm_error *err)
{
    *sand = (fm_sand){.side = SIDE};
    sand->map = malloc(3 * SIDE * SIDE * sizeof *sand->map);
    float *heights = malloc(SIDE * SIDE * sizeof *heights);
    bool good = sand->map && heights;
    if (good) {
        for (int j = 0; j < SIDE; j++)
            for (int i = 0; i < SIDE; i++)
                heights[j * SIDE + i] = height((float)i / SIDE, (float)j / SIDE);
        fill_map(sand, heights);
    } else {
        fm_fail_no_memory(err, "picture", 3 * SIDE * SIDE * sizeof(float));
        fm_sand_destroy(sand);
    }
    free(heights);
    return good;
}

// Frees the texture of the floor.
void fm_sand_destroy(fm_sand *sand)
{
    free(sand->map);
    *sand = (fm_sand){0};
}
