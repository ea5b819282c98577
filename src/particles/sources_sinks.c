// SPDX-License-Identifier: MIT
// sources_sinks.c: sources emit particles, sinks remove them, and body-force regions ("pushes")
// accelerate them.
//
// A source emits a layer of a lattice, perpendicular to its direction, every spacing / speed
// seconds. A layer that was due some time ago starts at the distance from the nozzle that it has
// travelled since. A lattice site with another particle nearby stays empty.
#include "particles/particles.h"

#include <assert.h>

// A lattice site of a source stays empty if a particle is nearer than this, in spacings.
static const double SITE_DISTANCE = 0.7;

// Lists the particles near the next layer of a source in p->order, which is unused between
// substeps. ahead: distance of the layer from the nozzle, m. Returns their number.
static int find_near_nozzle(fm_particles *p, const fm_fluid_source *s, double ahead)
{
    fm_vec3 centre = fm_add_scaled(s->centre, s->direction, ahead);
    double near = s->radius + SITE_DISTANCE * p->def.spacing;
    int count = 0;
    for (int i = 0; i < p->count; i++) {
        fm_vec3 d = {p->now.x[i] - centre.x, p->now.y[i] - centre.y, p->now.z[i] - centre.z};
        if (fm_dot(d, d) < near * near)
            p->order[count++] = i;
    }
    return count;
}

// True when one of the first near_count particles in p->order is too close to x.
static bool is_taken(const fm_particles *p, fm_vec3 x, int near_count)
{
    double near = SITE_DISTANCE * p->def.spacing;
    for (int k = 0; k < near_count; k++) {
        int i = p->order[k];
        fm_vec3 d = {p->now.x[i] - x.x, p->now.y[i] - x.y, p->now.z[i] - x.z};
        if (fm_dot(d, d) < near * near)
            return true;
    }
    return false;
}

// Unit vectors a and b perpendicular to n; b = 0 in 2D.
static void find_axes(const fm_particles *p, fm_vec3 n, fm_vec3 *a, fm_vec3 *b)
{
    if (p->def.dimensions == 2) {
        *a = (fm_vec3){-n.y, n.x, 0};
        *b = (fm_vec3){0};
        return;
    }
    // an axis that is not nearly parallel to n
    *a = fm_cross(n, fabs(n.y) < 0.9 ? (fm_vec3){0, 1, 0} : (fm_vec3){1, 0, 0});
    fm_normalize(a);
    *b = fm_cross(n, *a);
}

// Emits one layer of a source at the distance `ahead` from the nozzle, m.
static void emit_layer(fm_particles *p, const fm_fluid_source *s, double ahead)
{
    fm_vec3 a, b, n = s->direction;
    double dx = p->def.spacing;
    int reach = (int)floor(s->radius / dx), depth = p->def.dimensions == 2 ? 0 : reach;
    find_axes(p, n, &a, &b);
    int near_count = find_near_nozzle(p, s, ahead);
    for (int j = -depth; j <= depth; j++) {
        for (int i = -reach; i <= reach; i++) {
            if ((double)(i * i + j * j) * dx * dx > s->radius * s->radius)
                continue;
            fm_vec3 x = fm_add_scaled(s->centre, n, ahead);
            x = fm_add_scaled(fm_add_scaled(x, a, i * dx), b, j * dx);
            if (is_taken(p, x, near_count))
                continue;
            if (p->count == p->capacity || p->next_id == INT32_MAX)
                p->refused++;
            else
                fm_particles_append(p, x, fm_scale(n, s->speed));
        }
    }
}

// Emits the layers of particles that the sources (nozzles) have due until time t, s.
void fm_sources_emit_particles(fm_particles *p, double t)
{
    for (int k = 0; k < p->source_count; k++) {
        fm_source_state *source = &p->sources[k];
        const fm_fluid_source *s = &source->def;
        double interval = p->def.spacing / s->speed; // s, between layers
        for (;;) {
            double due = s->start + (double)source->layer * interval;
            if (due > t || due >= s->end)
                break;
            emit_layer(p, s, s->speed * (t - due));
            source->layer++;
        }
    }
}

// Marks the particles inside sinks; the next sorting removes them.
void fm_sinks_mark_particles(fm_particles *p)
{
    for (int k = 0; k < p->sink_count; k++) {
        const fm_fluid_sink s = p->sinks[k];
        bool flat = p->def.dimensions == 2;
        for (int i = 0; i < p->count; i++) {
            double x = p->now.x[i], y = p->now.y[i], z = p->now.z[i];
            if (x >= s.low.x && x <= s.high.x && y >= s.low.y && y <= s.high.y &&
                (flat || (z >= s.low.z && z <= s.high.z)))
                p->in_sink[i] = 1;
        }
    }
}

// Sum of the accelerations of the body-force regions that contain x at time t, m/s^2.
fm_vec3 fm_pushes_find_acceleration(const fm_particles *p, fm_vec3 x, double t)
{
    fm_vec3 sum = {0};
    for (int k = 0; k < p->push_count; k++) {
        const fm_fluid_push *push = &p->pushes[k];
        fm_vec3 d = fm_sub(x, push->centre);
        if (t >= push->start && t < push->end && fm_dot(d, d) < push->radius * push->radius)
            sum = fm_add(sum, push->acceleration);
    }
    return sum;
}

// Checks that one more source, sink or body-force region may be added. what: which of these, for
// the message; count: how many there are; at: its position, m.
static bool check_addition(const fm_particles *p, const char *what, int count, fm_vec3 at,
                           fm_error *err)
{
    if (p->prepared)
        return fm_fail(err, FM_BAD_VALUE, p->object.name, what, "added later",
                       "before the first advance");
    if (count == FM_FLUID_SOURCES_MAX)
        return fm_fail_number(err, p->object.name, what, count + 1, "at most 256");
    return fm_is_finite(at) || fm_fail_vector(err, p->object.name, what, at, "finite numbers");
}

// Adds a nozzle that emits particles.
bool fm_particles_add_source(fm_particles *p, const fm_fluid_source *source, fm_error *err)
{
    assert(err->status != FM_OK || (p && source));
    if (err->status != FM_OK || !check_addition(p, "sources", p->source_count, source->centre, err))
        return false;
    fm_fluid_source s = *source;
    if (p->def.dimensions == 2)
        s.direction.z = s.centre.z = 0;
    if (!fm_normalize(&s.direction))
        return fm_fail_vector(err, p->object.name, "sources.direction", s.direction,
                              "a finite vector other than zero");
    if (!(s.radius > 0) || !isfinite(s.radius))
        return fm_fail_number(err, p->object.name, "sources.radius", s.radius, "> 0 m");
    if (!(s.speed > 0) || !isfinite(s.speed))
        return fm_fail_number(err, p->object.name, "sources.speed", s.speed, "> 0 m/s");
    if (!(s.start >= 0 && s.end > s.start))
        return fm_fail_number(err, p->object.name, "sources.end", s.end, "after the start");
    p->sources[p->source_count++] = (fm_source_state){s, 0};
    return true;
}

// Adds a box that removes the particles in it.
bool fm_particles_add_sink(fm_particles *p, const fm_fluid_sink *sink, fm_error *err)
{
    assert(err->status != FM_OK || (p && sink));
    if (err->status != FM_OK || !check_addition(p, "sinks", p->sink_count, sink->low, err))
        return false;
    p->sinks[p->sink_count++] = *sink;
    return true;
}

// Adds a body-force region: a ball in which particles are accelerated.
bool fm_particles_add_push(fm_particles *p, const fm_fluid_push *push, fm_error *err)
{
    assert(err->status != FM_OK || (p && push));
    if (err->status != FM_OK || !check_addition(p, "pushes", p->push_count, push->centre, err))
        return false;
    if (!(push->radius > 0) || !isfinite(push->radius))
        return fm_fail_number(err, p->object.name, "pushes.radius", push->radius, "> 0 m");
    if (!fm_is_finite(push->acceleration))
        return fm_fail_vector(err, p->object.name, "pushes.acceleration", push->acceleration,
                              "finite numbers");
    p->pushes[p->push_count] = *push;
    if (p->def.dimensions == 2)
        p->pushes[p->push_count].centre.z = p->pushes[p->push_count].acceleration.z = 0;
    p->push_count++;
    return true;
}
