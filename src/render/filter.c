// SPDX-License-Identifier: MIT
// filter.c: less noise where the light should be smooth.
//
// The ratio of the light found to the light without anything in its way holds shadows and what
// surfaces give each other, but no texture and no outlines. It is averaged over neighbours that
// lie on the same surface, as their distance and normal tell, in a few passes of 3 x 3 pixels at
// growing distances [DSHL10], less the more samples there were.
//
// [DSHL10] Dammertz, Sewtz, Hanika, Lensch: Edge-avoiding a-trous wavelet transform for fast global
//          illumination filtering. HPG 2010.
#include "render/render.h"

#include <stdlib.h>

enum { PASSES = 4, ROWS = 16 };

typedef struct filter_job {
    const fm_pixel *pixels;
    const fm_float3 *from;
    fm_float3 *to;
    int width, height, step;
    float range; // of ratios that are taken for noise
} filter_job;

static float likeness(const filter_job *job, size_t a, size_t b)
{
    const fm_pixel *p = &job->pixels[a], *q = &job->pixels[b];
    if (q->distance >= FM_NOTHING)
        return 0;
    float apart = (q->distance - p->distance) / (0.012f * (float)job->step * p->distance);
    float turned = 1 - fm_f3_dot(p->normal, q->normal);
    fm_float3 d = fm_f3_sub(job->from[a], job->from[b]);
    float size = 0.2f + fm_f3_dot(job->from[a], job->from[a]) / 3;
    float away = fm_f3_dot(d, d) / (job->range * job->range * size);
    float w = 1 - 0.25f * apart * apart - 6 * turned - 0.25f * away;
    return w > 0 ? w * w : 0;
}

static fm_float3 smooth_at(const filter_job *job, int x, int y)
{
    size_t at = (size_t)y * job->width + x;
    fm_float3 sum = job->from[at];
    float weight = 1;
    if (job->pixels[at].distance >= FM_NOTHING)
        return sum;
    for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) {
            int u = x + i * job->step, v = y + j * job->step;
            if ((i == 0 && j == 0) || u < 0 || v < 0 || u >= job->width || v >= job->height)
                continue;
            size_t other = (size_t)v * job->width + u;
            float w = likeness(job, at, other) * (i && j ? 0.25f : 0.5f);
            sum = fm_f3_along(sum, w, job->from[other]);
            weight += w;
        }
    }
    return fm_f3_scale(sum, 1 / weight);
}

static void smooth_rows(void *context, int first, int last)
{
    const filter_job *job = context;
    for (int y = first; y < last; y++)
        for (int x = 0; x < job->width; x++)
            job->to[(size_t)y * job->width + x] = smooth_at(job, x, y);
}

bool fm_filter_noise(fm_pixel *pixels, int width, int height, int samples, fm_pool *pool,
                     fm_error *err)
{
    size_t count = (size_t)width * height;
    fm_float3 *ratio[2] = {malloc(count * sizeof(fm_float3)), malloc(count * sizeof(fm_float3))};
    bool good = ratio[0] && ratio[1];
    if (good) {
        for (size_t i = 0; i < count; i++) {
            fm_float3 a = pixels[i].light, b = pixels[i].unlit;
            ratio[0][i] =
                fm_f3(a.x / fm_max(b.x, 1e-4f), a.y / fm_max(b.y, 1e-4f), a.z / fm_max(b.z, 1e-4f));
        }
        int from = 0;
        for (int pass = 0; pass < PASSES; pass++) {
            // the first pass takes in what stands alone, whatever it is
            float range = (pass == 0 ? 6 : 1.3f / (1 + 0.4f * (float)pass)) / sqrtf((float)samples);
            filter_job job = {pixels, ratio[from], ratio[!from], width, height, 1 << pass, range};
            fm_parallel_for(pool, height, ROWS, smooth_rows, &job);
            from = !from;
        }
        for (size_t i = 0; i < count; i++) {
            fm_float3 b = pixels[i].unlit;
            b = fm_f3(fm_max(b.x, 1e-4f), fm_max(b.y, 1e-4f), fm_max(b.z, 1e-4f));
            pixels[i].light = fm_f3_mul(ratio[from][i], b);
        }
    } else {
        fm_fail_no_memory(err, "picture", 2 * count * sizeof(fm_float3));
    }
    free(ratio[0]);
    free(ratio[1]);
    return good;
}
