// SPDX-License-Identifier: MIT
// samples.c: room for the samples of a surface, and what of them is state.
#include "core/samples.h"

#include <math.h>
#include <string.h>

// What an interval leaves for the next one: where the samples came to be follows from the surface.
typedef struct kept {
    fm_vec3 handed, impulse, velocity;
    double wet, layer;
} kept;

bool fm_samples_alloc(fm_samples *s, fm_arena *arena, int count, const char *object, fm_error *err)
{
    size_t n = (size_t)count + 1;
    fm_vec3 **vectors[] = {&s->before,  &s->after,    &s->turned,   &s->normal, &s->handed,
                           &s->impulse, &s->edgewise, &s->velocity, &s->along,  &s->across};
    double **numbers[] = {&s->area, &s->reach, &s->wet, &s->layer, &s->clinging};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = fm_arena_alloc(arena, n, sizeof(fm_vec3), object, err);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = fm_arena_alloc(arena, n, sizeof(double), object, err);
    s->count = count;
    return err->status == FM_OK;
}

size_t fm_samples_save(const fm_samples *s, void *buffer)
{
    unsigned char *out = buffer;
    for (int i = 0; i < s->count && out; i++, out += sizeof(kept)) {
        kept k = {s->handed[i], s->impulse[i], s->velocity[i], s->wet[i], s->layer[i]};
        memcpy(out, &k, sizeof k);
    }
    return (size_t)s->count * sizeof(kept);
}

bool fm_samples_restore(fm_samples *s, const void *buffer, size_t size)
{
    const unsigned char *in = buffer;
    if (size != (size_t)s->count * sizeof(kept))
        return false;
    for (int i = 0; i < s->count; i++, in += sizeof(kept)) {
        kept k;
        memcpy(&k, in, sizeof k);
        if (!(k.wet >= 0 && k.wet <= 1 && k.layer >= 0 && isfinite(k.layer)))
            return false;
        s->handed[i] = k.handed;
        s->impulse[i] = k.impulse;
        s->velocity[i] = k.velocity;
        s->wet[i] = k.wet;
        s->layer[i] = k.layer;
    }
    return true;
}
