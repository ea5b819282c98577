// SPDX-License-Identifier: MIT
// tone_mapping.c: maps linear radiance to 8-bit sRGB.
//
// Exposure, vignetting towards the corners, a filmic tone curve (K. Narkowicz's fit of the ACES
// transform, 2016) that compresses highlights, sRGB encoding, and dithering by a random offset of
// up to one 8-bit step before truncation, which hides banding.
#include "render/render.h"

enum {
    ROWS = 16,    // rows of pixels in one task of a thread
    STEPS = 4096, // of the table of the sRGB encoding
};

// Tone mapping of all pixels.
typedef struct tone_job {
    const fm_shot *shot;
    const fm_pixel *pixels;
    fm_picture *picture;
    const float *srgb_table; // [STEPS + 1], 255 times the sRGB encoding of i / STEPS
} tone_job;

// Narkowicz's fit of the ACES tone curve: maps radiance to 0 to 1 and compresses highlights.
static float filmic_curve(float x)
{
    return fm_float_clamp01(x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f));
}

// Maps one colour channel to 8-bit sRGB. dither: 0 to 1.
static unsigned char encode(const tone_job *job, float light, float dither)
{
    float at = filmic_curve(light) * STEPS;
    int i = at < STEPS - 1 ? (int)at : STEPS - 1;
    float value = job->srgb_table[i] +
                  (at - (float)i) * (job->srgb_table[i + 1] - job->srgb_table[i]) + dither;
    return (unsigned char)(value < 0 ? 0 : value > 255 ? 255 : value);
}

// Task of a thread: tone-maps rows first to last - 1. The corners are darkened by vignetting, more
// under water.
static void tone_map_rows(void *context, int first, int last)
{
    const tone_job *job = context;
    const fm_shot *shot = job->shot;
    float exposure = 0.64f * (float)shot->look.exposure,
          vignetting = shot->under_water ? 0.42f : 0.12f;
    for (int y = first; y < last; y++) {
        for (int x = 0; x < shot->width; x++) {
            size_t at = (size_t)y * shot->width + x;
            float u = 2 * ((float)x + 0.5f) / (float)shot->width - 1;
            float v = 2 * ((float)y + 0.5f) / (float)shot->height - 1;
            float scale = exposure * (1 - vignetting * (u * u + v * v) / 2);
            fm_float3 light = fm_f3_scale(job->pixels[at].light, scale);
            float dither = (float)(fm_sampler_hash((uint32_t)at ^ 0x51ed270bu) >> 8) * 0x1p-24f;
            unsigned char *out = job->picture->pixels + 3 * at;
            out[0] = encode(job, light.x, dither);
            out[1] = encode(job, light.y, dither);
            out[2] = encode(job, light.z, dither);
        }
    }
}

// Maps the linear radiance of all pixels to 8-bit sRGB.
void fm_pixels_tone_map(const fm_shot *shot, const fm_pixel *pixels, fm_pool *pool,
                        fm_picture *picture)
{
    float table[STEPS + 1];
    for (int i = 0; i <= STEPS; i++) {
        float x = (float)i / STEPS;
        table[i] = 255 * (x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1 / 2.4f) - 0.055f);
    }
    tone_job job = {shot, pixels, picture, table};
    fm_parallel_for(pool, shot->height, ROWS, tone_map_rows, &job);
}
