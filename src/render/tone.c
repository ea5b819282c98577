// SPDX-License-Identifier: MIT
// tone.c: from light to what screens show.
//
// A filmic curve (K. Narkowicz's fit of the ACES transform, 2016) keeps bright light from clipping,
// corners darken a little as with a lens, and a grain of half a step hides the steps of 8 bits.
#include "render/render.h"

enum { ROWS = 16, STEPS = 4096 };

typedef struct tone_job {
    const fm_shot *shot;
    const fm_pixel *pixels;
    fm_picture *picture;
    const float *encode; // [STEPS + 1], sRGB of i/STEPS, in steps of 8 bits
} tone_job;

static float curve(float x)
{
    return fm_clamp01(x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f));
}

static unsigned char encode(const tone_job *job, float light, float grain)
{
    float at = curve(light) * STEPS;
    int i = at < STEPS - 1 ? (int)at : STEPS - 1;
    float value = job->encode[i] + (at - (float)i) * (job->encode[i + 1] - job->encode[i]) + grain;
    return (unsigned char)(value < 0 ? 0 : value > 255 ? 255 : value);
}

static void develop_rows(void *context, int first, int last)
{
    const tone_job *job = context;
    const fm_shot *shot = job->shot;
    float exposure = 0.64f * (float)shot->look.exposure, corner = shot->under_water ? 0.42f : 0.12f;
    for (int y = first; y < last; y++) {
        for (int x = 0; x < shot->width; x++) {
            size_t at = (size_t)y * shot->width + x;
            float u = 2 * ((float)x + 0.5f) / (float)shot->width - 1;
            float v = 2 * ((float)y + 0.5f) / (float)shot->height - 1;
            float scale = exposure * (1 - corner * (u * u + v * v) / 2);
            fm_float3 light = fm_f3_scale(job->pixels[at].light, scale);
            float grain = (float)(fm_mix_bits((uint32_t)at ^ 0x51ed270bu) >> 8) * 0x1p-24f;
            unsigned char *out = job->picture->pixels + 3 * at;
            out[0] = encode(job, light.x, grain);
            out[1] = encode(job, light.y, grain);
            out[2] = encode(job, light.z, grain);
        }
    }
}

void fm_develop(const fm_shot *shot, const fm_pixel *pixels, fm_pool *pool, fm_picture *picture)
{
    float table[STEPS + 1];
    for (int i = 0; i <= STEPS; i++) {
        float x = (float)i / STEPS;
        table[i] = 255 * (x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1 / 2.4f) - 0.055f);
    }
    tone_job job = {shot, pixels, picture, table};
    fm_parallel_for(pool, shot->height, ROWS, develop_rows, &job);
}
