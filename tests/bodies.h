// SPDX-License-Identifier: MIT
// bodies.h: worlds and cloths that tests start from, and what they measure of them.
#ifndef FATHOM_TESTS_BODIES_H
#define FATHOM_TESTS_BODIES_H

#include "check.h"

#include <fathom/fathom.h>
#include <stdlib.h>

static const fm_vec3 no_gravity = {0, 0, 0};

// One thread: the tests run beside each other.
static inline fm_world *make_world(double density, double viscosity, fm_vec3 gravity)
{
    fm_error err = {0};
    fm_world_def def = fm_default_world_def();
    def.medium.density = density;
    def.medium.viscosity = viscosity;
    def.gravity = gravity;
    def.threads = 1;
    fm_world *world = fm_world_create(&def, &err);
    assert_non_null(world);
    return world;
}

// Springs between particles and nothing else.
static inline fm_cloth_def bare_cloth(void)
{
    fm_cloth_def def = fm_default_cloth_def();
    def.drag.model = FM_DRAG_NONE;
    def.damping.coefficient = 0;
    def.bend.stiffness = 0;
    return def;
}

static inline fm_cloth *make_sheet(fm_world *world, const fm_cloth_def *def, const fm_sheet *sheet)
{
    fm_error err = {0};
    fm_cloth *cloth = fm_cloth_create_sheet(world, def, sheet, &err);
    if (!cloth)
        print_error("%s\n", err.text);
    assert_non_null(cloth);
    return cloth;
}

static inline fm_report advance(fm_world *world, double duration)
{
    fm_error err = {0};
    fm_report report = fm_world_advance(world, duration, &err);
    if (err.status != FM_OK)
        print_error("%s\n", err.text);
    assert_int_equal(err.status, FM_OK);
    return report;
}

static inline void read_field(fm_cloth *cloth, const char *name, double *values)
{
    fm_error err = {0};
    assert_true(fm_cloth_read_field(cloth, name, values, &err));
}

// A number in [-1, 1) that depends on its index only.
static inline double scatter(unsigned i)
{
    i = (i ^ 61) ^ (i >> 16);
    i *= 9;
    i = (i ^ (i >> 4)) * 0x27d4eb2du;
    return (double)(i ^ (i >> 15)) / 2147483648.0 - 1;
}

static inline void set_random_velocities(fm_cloth *cloth, double speed)
{
    fm_error err = {0};
    int n = fm_cloth_particle_count(cloth);
    fm_vec3 *v = malloc((size_t)n * sizeof *v);
    for (int i = 0; i < n; i++)
        v[i] = (fm_vec3){speed * scatter(3u * (unsigned)i), speed * scatter(3u * (unsigned)i + 1),
                         speed * scatter(3u * (unsigned)i + 2)};
    assert_true(fm_cloth_set_velocities(cloth, v, &err));
    free(v);
}

// Largest distance between two sets of positions.
static inline double largest_distance(const fm_vec3 *a, const fm_vec3 *b, int n)
{
    double worst = 0;
    for (int i = 0; i < n; i++)
        worst = fmax(worst, hypot(hypot(a[i].x - b[i].x, a[i].y - b[i].y), a[i].z - b[i].z));
    return worst;
}

// The state of a world goes on in a fresh one, through bytes.
static inline fm_world *move_into(fm_world *world, fm_world *fresh)
{
    fm_error err = {0};
    size_t size = fm_world_save(world, NULL, 0);
    void *bytes = malloc(size);
    assert_int_equal(fm_world_save(world, bytes, size), size);
    uint64_t hash = fm_world_hash(world);
    fm_world_destroy(world);
    bool good = fm_world_restore(fresh, bytes, size, &err);
    if (!good)
        print_error("%s\n", err.text);
    assert_true(good);
    assert_int_equal(fm_world_hash(fresh), hash);
    free(bytes);
    return fresh;
}

#endif
