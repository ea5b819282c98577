// SPDX-License-Identifier: MIT
// muscle.c: fabrics and soft bodies that contract and relax by themselves, like the bell of a
// jellyfish.
//
//     l0(t) = l0 (1 - c w s(t))
//
//   l0  m, rest length of an edge    c  contraction    w  0 to 1, share of the edge that lies
//   around the axis: the square of the cosine between the edge and the circle around the axis
//   through the centre of the body; 1 without an axis    s  0 to 1, activation
//
// In each period s rises from 0 to 1 in the active part, as the square of a sine, and falls back in
// the rest of it, without corners.
#include "cloth/cloth.h"

#include <math.h>

// Activation at time t, 0 to 1.
static double find_activation(const fm_muscle *m, double t)
{
    if (t <= m->start)
        return 0;
    double phase = fmod(t - m->start, m->period) / m->period;
    double part = phase < m->active ? phase / m->active : (1 - phase) / (1 - m->active);
    return 0.5 - 0.5 * cos(FM_PI * part);
}

// Share of an edge that lies around the axis through `centre`.
static double find_share(const fm_cloth *c, int e, fm_vec3 centre, fm_vec3 axis)
{
    fm_vec3 a = fm_vec3_array_at(c->x, c->mesh.edge_a[e]);
    fm_vec3 b = fm_vec3_array_at(c->x, c->mesh.edge_b[e]);
    fm_vec3 edge = fm_sub(b, a), middle = fm_scale(fm_add(a, b), 0.5);
    fm_vec3 around = fm_cross(axis, fm_sub(middle, centre));
    if (!fm_normalize(&edge) || !fm_normalize(&around))
        return 0;
    double cosine = fm_dot(edge, around);
    return cosine * cosine;
}

// Whether the cloth can have a muscle: it is a spring mesh, and its rest lengths are not enforced.
static bool check_body(const fm_cloth *c, fm_error *err)
{
    if (c->mesh.edge_count == 0)
        return fm_fail(err, FM_BAD_VALUE, c->object.name, "muscle", "of a sheet",
                       "fabrics and soft bodies");
    if (c->def.enforcement.method != FM_ENFORCE_NONE)
        return fm_fail(err, FM_BAD_VALUE, c->object.name, "enforcement.method", "set",
                       "none with a muscle, which changes the rest lengths");
    return true;
}

// Finds the share of every edge. False if memory runs out, or the cloth cannot have a muscle.
bool fm_muscle_setup(fm_cloth *c, fm_error *err)
{
    const fm_muscle *m = &c->def.muscle;
    size_t edges = (size_t)c->mesh.edge_count;
    fm_vec3 centre = {0}, axis = m->axis;
    double mass = 0;
    if (m->contraction == 0)
        return true;
    if (!check_body(c, err))
        return false;
    c->relaxed = fm_arena_alloc(&c->arena, edges, sizeof *c->relaxed, c->object.name, err);
    c->muscle_share =
        fm_arena_alloc(&c->arena, edges, sizeof *c->muscle_share, c->object.name, err);
    if (!c->relaxed || !c->muscle_share)
        return false;
    for (int i = 0; i < c->count; i++) {
        centre = fm_add_scaled(centre, fm_vec3_array_at(c->x, i), c->mass[i]);
        mass += c->mass[i];
    }
    centre = fm_scale(centre, 1 / mass);
    bool has_axis = fm_normalize(&axis);
    for (int e = 0; e < c->mesh.edge_count; e++) {
        c->relaxed[e] = c->mesh.edge_rest[e];
        c->muscle_share[e] = has_axis ? find_share(c, e, centre, axis) : 1;
    }
    return true;
}

// Sets the rest lengths at time t, s.
void fm_muscle_contract(fm_cloth *c, double t)
{
    if (!c->relaxed)
        return;
    double shorter = c->def.muscle.contraction * find_activation(&c->def.muscle, t);
    for (int e = 0; e < c->mesh.edge_count; e++)
        c->mesh.edge_rest[e] = c->relaxed[e] * (1 - shorter * c->muscle_share[e]);
}
