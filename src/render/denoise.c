// SPDX-License-Identifier: MIT
// denoise.c: edge-avoiding a-trous wavelet filter against Monte Carlo noise [DSHL10].
//
// The filter works on the ratio of the traced radiance to the unoccluded radiance, which is free of
// noise. The ratio contains shadows and interreflections but no texture and no outlines. It is
// averaged over neighbouring pixels with similar depth, normal and ratio, in four passes of 3 x 3
// pixels with steps of 1, 2, 4 and 8 pixels. More samples per pixel narrow the accepted range of
// ratios.
#include "render/render.h"

#include <stdlib.h>

enum { PASSES = 4, ROWS = 16 }; // ROWS: rows of pixels in one task of a thread

// Smallest unoccluded radiance that the traced radiance is divided by.
static const float RADIANCE_MIN = 1e-4f;

// One pass of the filter.
typedef struct filter_job {
    const fm_pixel *pixels;
    const fm_float3 *from;   // ratios before the pass
    fm_float3 *to;           // ratios after it
    int width, height, step; // pixels; step: distance of the neighbours in this pass
    float range;             // differences of the ratio up to about this count as noise
} filter_job;

// Weight of pixel b in the mean of pixel a: large for similar depth, normal and ratio of traced to
// unoccluded light. A depth difference of 2.4 % per pixel of step, or normals 34 degrees apart,
// give weight 0.
static float similarity_weight(const filter_job *job, size_t a, size_t b)
{
    const fm_pixel *p = &job->pixels[a], *q = &job->pixels[b];
    if (q->distance >= FM_RAY_NO_HIT)
        return 0;
    float depth_difference =
        (q->distance - p->distance) / (0.012f * (float)job->step * p->distance);
    float normal_difference = 1 - fm_f3_dot(p->normal, q->normal);
    fm_float3 d = fm_f3_sub(job->from[a], job->from[b]);
    float size = 0.2f + fm_f3_dot(job->from[a], job->from[a]) / 3;
    float ratio_difference = fm_f3_dot(d, d) / (job->range * job->range * size);
    float w = 1 - 0.25f * depth_difference * depth_difference - 6 * normal_difference -
              0.25f * ratio_difference;
    return w > 0 ? w * w : 0;
}

// Weighted mean of the ratio over the 3 x 3 pixels around x, y at distance job->step. Pixels that
// show the background stay unchanged.
static fm_float3 filter_pixel(const filter_job *job, int x, int y)
{
    size_t at = (size_t)y * job->width + x;
    fm_float3 sum = job->from[at];
    float weight = 1;
    if (job->pixels[at].distance >= FM_RAY_NO_HIT)
        return sum;
    for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) {
            int u = x + i * job->step, v = y + j * job->step;
            if ((i == 0 && j == 0) || u < 0 || v < 0 || u >= job->width || v >= job->height)
                continue;
            size_t other = (size_t)v * job->width + u;
            float w = similarity_weight(job, at, other) * (i && j ? 0.25f : 0.5f);
            sum = fm_f3_add_scaled(sum, w, job->from[other]);
            weight += w;
        }
    }
    return fm_f3_scale(sum, 1 / weight);
}

// Task of a thread: filters rows first to last - 1.
static void filter_rows(void *context, int first, int last)
{
    const filter_job *job = context;
    for (int y = first; y < last; y++)
        for (int x = 0; x < job->width; x++)
            job->to[(size_t)y * job->width + x] = filter_pixel(job, x, y);
}

// Filters the ratio of traced to unoccluded light and multiplies it back. samples: rays per pixel;
// more of them narrow the differences that count as noise.
bool fm_pixels_denoise(fm_pixel *pixels, int width, int height, int samples, fm_pool *pool,
                       fm_error *err)
{
    size_t count = (size_t)width * height;
    fm_float3 *ratio[2] = {malloc(count * sizeof(fm_float3)), malloc(count * sizeof(fm_float3))};
    bool good = ratio[0] && ratio[1];
    if (good) {
        for (size_t i = 0; i < count; i++) {
            fm_float3 a = pixels[i].light, b = pixels[i].unoccluded;
            ratio[0][i] =
                fm_f3(a.x / fm_float_max(b.x, RADIANCE_MIN), a.y / fm_float_max(b.y, RADIANCE_MIN),
                      a.z / fm_float_max(b.z, RADIANCE_MIN));
        }
        int from = 0;
        for (int pass = 0; pass < PASSES; pass++) {
            // the first pass accepts large differences, to remove isolated outliers; the noise of
            // the ratio falls with the square root of the number of samples
            float range = (pass == 0 ? 6 : 1.3f / (1 + 0.4f * (float)pass)) / sqrtf((float)samples);
            filter_job job = {pixels, ratio[from], ratio[!from], width, height, 1 << pass, range};
            fm_parallel_for(pool, height, ROWS, filter_rows, &job);
            from = !from;
        }
        for (size_t i = 0; i < count; i++) {
            fm_float3 b = pixels[i].unoccluded;
            b = fm_f3(fm_float_max(b.x, RADIANCE_MIN), fm_float_max(b.y, RADIANCE_MIN),
                      fm_float_max(b.z, RADIANCE_MIN));
            pixels[i].light = fm_f3_mul(ratio[from][i], b);
        }
    } else {
        fm_fail_no_memory(err, "picture", 2 * count * sizeof(fm_float3));
    }
    free(ratio[0]);
    free(ratio[1]);
    return good;
}
