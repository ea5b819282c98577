// SPDX-License-Identifier: MIT
// samples.h: points of a surface, by which surfaces and media tell each other what they do.
//
// A surface says where its points go in an interval and what impulse it hands on; a medium says how
// it moves there, how much of it is near, and what impulse it gave. Neither knows the other: the
// world carries the arrays from one to the other (world/couple.c).
#ifndef FATHOM_CORE_SAMPLES_H
#define FATHOM_CORE_SAMPLES_H

#include "core/core.h"

typedef struct fm_samples {
    int count;
    double thickness; // m, of the surface
    bool passive;     // the medium does not feel them

    // from the surface
    double start, end;        // s, the interval
    fm_vec3 *before, *after;  // m, at its start and at its end
    fm_vec3 *turned, *normal; // unit vectors, at its start and at its end
    double *area;             // m^2 of the surface that each stands for, at the end
    double *reach;            // m: discs of that radius around the samples cover the surface
    fm_vec3 *along, *across;  // 1/m: with r from the sample, its part of the surface is where
                              // r.along and r.across are above -1/3 and their sum below 1/3
    fm_vec3 *handed;          // N s, to be given to the medium; zero again when that is done

    // from the medium
    fm_vec3 *impulse;  // N s, that it gave since the surface took the last
    fm_vec3 *edgewise; // N s, of the newest part of it: what pressure did along the surface
    fm_vec3 *velocity; // m/s, of the medium there
    double *wet;      // share of the space beside a sample that is medium; one side is enough for 1
    double *layer;    // kg, of the medium beside a sample, lent to it; 0 when passive
    double *clinging; // kg, of the medium in whose place the sample stands, weighs with it
} fm_samples;

// Arrays for `count` samples, in the arena.
bool fm_samples_alloc(fm_samples *samples, fm_arena *arena, int count, const char *object,
                      fm_error *err);
// What is carried from one interval to the next, as bytes.
size_t fm_samples_save(const fm_samples *samples, void *buffer); // NULL: the size only
bool fm_samples_restore(fm_samples *samples, const void *buffer, size_t size);

// Where a sample is at time t, and how fast it goes.
static inline fm_vec3 fm_sample_at(const fm_samples *s, int i, double t)
{
    double part = s->end > s->start ? (t - s->start) / (s->end - s->start) : 1;
    fm_vec3 a = s->before[i], b = s->after[i];
    return (fm_vec3){a.x + part * (b.x - a.x), a.y + part * (b.y - a.y), a.z + part * (b.z - a.z)};
}

static inline fm_vec3 fm_sample_velocity(const fm_samples *s, int i)
{
    double rate = s->end > s->start ? 1 / (s->end - s->start) : 0;
    fm_vec3 a = s->before[i], b = s->after[i];
    return (fm_vec3){rate * (b.x - a.x), rate * (b.y - a.y), rate * (b.z - a.z)};
}

#endif
