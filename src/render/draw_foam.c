// SPDX-License-Identifier: MIT
// draw_foam.c: the foam of a fluid in a picture, from the frames before it.
//
//     foam = 1 - exp(-GAIN sum over frames of air (1 - age / LIFE) interval)
//
// for each particle, over the frames of the last LIFE seconds, at most FRAMES_MAX of them, at
// numbers that are multiples of a stride, so that pictures that follow each other use the same
// ones. Particles of several frames are matched by their field "id".
#include "render/film.h"

#include <math.h>
#include <stdlib.h>

enum { FRAMES_MAX = 12 };         // frames that are read for a picture
static const double LIFE = 0.8;   // s
static const double GAIN = 12;    // 1/s
static const float SPRAY = 0.12f; // fill below which a particle is spray

// Adds the air of the particles of one frame, times a factor, to their foam. by_id: [ids] place of
// an id in the picture's frame, -1: none.
static bool add_frame(const fm_surface *s, double spacing, double factor, int threads,
                      const int *by_id, int ids, float *foam, fm_error *err)
{
    const float *velocity = fm_surface_values(s, "velocity", 3),
                *id = fm_surface_values(s, "id", 1);
    if (!velocity || !id || s->point_count < 1)
        return true;
    fm_foam_particle *found = malloc((size_t)s->point_count * sizeof *found);
    if (!found)
        return fm_fail_no_memory(err, "picture", (size_t)s->point_count * sizeof *found);
    if (fm_foam_find_air(s->points, velocity, s->point_count, spacing, threads, found, err))
        for (int i = 0; i < s->point_count; i++) {
            int n = (int)id[i], at = n >= 0 && n < ids ? by_id[n] : -1;
            if (at >= 0 && found[i].fill > SPRAY)
                foam[at] += (float)factor * found[i].air;
        }
    free(found);
    return err->status == FM_OK;
}

// Adds the air of the frames before the picture's.
static bool add_past(fm_foam *f, const fm_foam_source *from, int threads, const int *by_id, int ids,
                     fm_error *err)
{
    int frames = (int)ceil(LIFE * from->fps), stride = frames / FRAMES_MAX + 1;
    int first = fm_cache_first_frame(from->cache, from->object);
    for (int frame = from->frame; frame >= first && frame > from->frame - frames; frame--) {
        double age = (from->frame - frame) / from->fps;
        bool used = frame % stride == 0;
        fm_error missing = {0}; // a frame that cannot be read is left out
        fm_surface *s =
            used ? fm_cache_read_frame(from->cache, from->object, frame, &missing) : NULL;
        if (s)
            add_frame(s, f->spacing, GAIN * (1 - age / LIFE) * stride / from->fps, threads, by_id,
                      ids, f->foam, err);
        fm_surface_destroy(s);
        if (err->status != FM_OK)
            return false;
    }
    for (int i = 0; i < f->count; i++)
        f->foam[i] = 1 - expf(-f->foam[i]);
    return true;
}

// Largest id of the particles of a frame, plus 1; 0: they have none.
static int count_ids(const fm_surface *s)
{
    const float *id = fm_surface_values(s, "id", 1);
    float largest = -1;
    for (int i = 0; id && i < s->point_count; i++)
        largest = id[i] > largest && id[i] < 1e9f ? id[i] : largest;
    return (int)largest + 1;
}

// Whether all particles have the same z: a fluid in 2D.
static bool is_plane(const fm_surface *s)
{
    for (int i = 1; i < s->point_count; i++)
        if (s->points[3 * (size_t)i + 2] != s->points[2])
            return false;
    return true;
}

bool fm_foam_create(const fm_surface *s, const fm_foam_source *from, double spacing, int threads,
                    fm_foam *f, fm_error *err)
{
    size_t n = (size_t)s->point_count;
    const float *velocity = fm_surface_values(s, "velocity", 3),
                *id = fm_surface_values(s, "id", 1);
    int ids = count_ids(s);
    *f = (fm_foam){.spacing = spacing, .count = s->point_count};
    if (!velocity || ids == 0 || is_plane(s)) {
        f->count = 0;
        return true;
    }
    f->found = malloc(n * sizeof *f->found);
    f->foam = calloc(n, sizeof *f->foam);
    f->spray = calloc(n, sizeof *f->spray);
    f->ids = malloc(n * sizeof *f->ids);
    int *by_id = malloc((size_t)ids * sizeof *by_id);
    bool good = f->found && f->foam && f->spray && f->ids && by_id;
    if (!good)
        fm_fail_no_memory(err, "picture", n * sizeof *f->found);
    for (int i = 0; good && i < ids; i++)
        by_id[i] = -1;
    for (int i = 0; good && i < f->count; i++) {
        f->ids[i] = (int)id[i];
        if (f->ids[i] >= 0 && f->ids[i] < ids)
            by_id[f->ids[i]] = i;
    }
    good = good && fm_foam_find_air(s->points, velocity, f->count, spacing, threads, f->found, err);
    for (int i = 0; good && i < f->count; i++)
        f->spray[i] = f->found[i].fill < SPRAY;
    good = good && add_past(f, from, threads, by_id, ids, err);
    free(by_id);
    if (!good)
        fm_foam_destroy(f);
    return good;
}

int fm_foam_select_body(const fm_foam *f, const float *values, int width, float *body)
{
    int count = 0;
    for (int i = 0; i < f->count; i++) {
        if (f->spray[i])
            continue;
        for (int a = 0; a < width; a++)
            body[width * count + a] = values[width * i + a];
        count++;
    }
    return count;
}

void fm_foam_destroy(fm_foam *f)
{
    free(f->found);
    free(f->foam);
    free(f->spray);
    free(f->ids);
    *f = (fm_foam){0};
}
