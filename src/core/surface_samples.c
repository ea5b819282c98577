// SPDX-License-Identifier: MIT
// surface_samples.c: allocates the quadrature points of a surface, saves and restores their state.
#include "core/surface_samples.h"

#include <math.h>
#include <string.h>

// The state of one sample between two coupling intervals. Positions and normals are not part of it,
// because the body computes them again.
typedef struct sample_state {
    fm_vec3 impulse_to_fluid; // N s, impulse that the fluid has still to receive
    fm_vec3 impulse_to_body;  // N s, impulse that the fluid gave to the body
    fm_vec3 load;             // N, force on the body in the next interval
    fm_vec3 velocity;         // m/s, of the fluid
    double wet;               // share of the space beside the sample that holds fluid
    double added_mass;        // kg, mass of the fluid that moves with the sample
    double displaced;         // kg, mass of the fluid whose buoyancy the load contains
    double area;              // m^2, at the end of the last interval
    double clinging_mass;     // kg, mass of the displaced fluid that moves with the sample
    double inverse_mass;      // 1/kg, response to an impulse at the end of the last interval
} sample_state;

// Allocates the arrays of `count` quadrature points in the arena. object: named in errors.
bool fm_samples_create(fm_samples *s, fm_arena *arena, int count, const char *object, fm_error *err)
{
    size_t n = (size_t)count + 1;
    fm_vec3 **vectors[] = {&s->start_position,
                           &s->end_position,
                           &s->start_normal,
                           &s->normal,
                           &s->impulse_to_fluid,
                           &s->impulse_to_body,
                           &s->tangential_impulse,
                           &s->velocity,
                           &s->along,
                           &s->start_velocity,
                           &s->body_velocity,
                           &s->load,
                           &s->across};
    double **numbers[] = {&s->area,       &s->reach,         &s->wet,
                          &s->added_mass, &s->excess_mass,   &s->inverse_mass,
                          &s->displaced,  &s->clinging_mass, &s->borrowed_mass};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = fm_arena_alloc(arena, n, sizeof(fm_vec3), object, err);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = fm_arena_alloc(arena, n, sizeof(double), object, err);
    s->start_corner = fm_arena_alloc(arena, 3 * n, sizeof(fm_vec3), object, err);
    s->end_corner = fm_arena_alloc(arena, 3 * n, sizeof(fm_vec3), object, err);
    s->border = fm_arena_alloc(arena, n, 1, object, err);
    s->count = count;
    return err->status == FM_OK;
}

// Writes the state of all samples to `buffer`, unless it is NULL. Returns its size, bytes.
size_t fm_samples_save(const fm_samples *s, void *buffer)
{
    unsigned char *out = buffer;
    for (int i = 0; i < s->count && out; i++, out += sizeof(sample_state)) {
        sample_state k = {s->impulse_to_fluid[i],
                          s->impulse_to_body[i],
                          s->load[i],
                          s->velocity[i],
                          s->wet[i],
                          s->added_mass[i],
                          s->displaced[i],
                          s->area[i],
                          s->clinging_mass[i],
                          s->inverse_mass[i]};
        memcpy(out, &k, sizeof k);
    }
    return (size_t)s->count * sizeof(sample_state);
}

// Reads what fm_samples_save wrote. False if size or values are wrong.
bool fm_samples_restore(fm_samples *s, const void *buffer, size_t size)
{
    const unsigned char *in = buffer;
    if (size != (size_t)s->count * sizeof(sample_state))
        return false;
    for (int i = 0; i < s->count; i++, in += sizeof(sample_state)) {
        sample_state k;
        memcpy(&k, in, sizeof k);
        if (!(k.wet >= 0 && k.wet <= 1 && k.added_mass >= 0 && isfinite(k.added_mass) &&
              isfinite(k.displaced) && isfinite(k.area) && isfinite(k.clinging_mass) &&
              k.inverse_mass >= 0 && isfinite(k.inverse_mass)))
            return false;
        s->impulse_to_fluid[i] = k.impulse_to_fluid;
        s->impulse_to_body[i] = k.impulse_to_body;
        s->load[i] = k.load;
        s->velocity[i] = k.velocity;
        s->wet[i] = k.wet;
        s->added_mass[i] = k.added_mass;
        s->displaced[i] = k.displaced;
        s->area[i] = k.area;
        s->clinging_mass[i] = k.clinging_mass;
        s->inverse_mass[i] = k.inverse_mass;
    }
    return true;
}
