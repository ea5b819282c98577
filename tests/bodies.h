// SPDX-License-Identifier: MIT
// bodies.h: worlds and cloths used by many tests, and measurements of them.
#ifndef FATHOM_TESTS_BODIES_H
#define FATHOM_TESTS_BODIES_H

#include "check.h"
#include "fixtures.h"

#include <stdlib.h>

static const fm_vec3 no_gravity = {0, 0, 0};

// A steady lattice of vortices of size 0.3 m in a stream of 0.5 m/s, with turbulence.
static const fm_flow eddies = {.kind = FM_FLOW_CELLS,
                               .velocity = {0.3, 0, 0.4},
                               .amplitude = {0.2, 0, 0},
                               .axis = {0, 1, 1},
                               .radius = 0.3,
                               .turbulence = {.intensity = 0.1, .length = 0.2, .seed = 7}};

// Creates a world and asserts that no error occurs.
static inline fm_world *open_world(fm_world_def def)
{
    fm_error err = {0};
    fm_world *world = fm_world_create(&def, &err);
    assert_good(world, &err);
    return world;
}

// Creates a world with a medium of this density, kg/m^3, and viscosity, Pa s. Uses one thread,
// because ctest runs several tests at a time.
static inline fm_world *create_world(double density, double viscosity, fm_vec3 gravity)
{
    fm_world_def def = fixture_water_def(1);
    def.medium.density = density;
    def.medium.viscosity = viscosity;
    def.gravity = gravity;
    return open_world(def);
}

// Creates a world of water with this prescribed flow.
static inline fm_world *create_flowing_world(fm_flow flow)
{
    fm_world_def def = fixture_water_def(1);
    def.medium.flow = flow;
    return open_world(def);
}

// A host's task system that runs the blocks in reverse order: results must not depend on the order.
static inline void run_backwards(void *host, int block_count,
                                 void (*task)(void *context, int block), void *context)
{
    (void)host;
    for (int block = block_count - 1; block >= 0; block--)
        task(context, block);
}

// Definition of a world of water with this number of threads; 0: the blocks of parallel loops run
// in reverse order, through the task system run_backwards.
static inline fm_world_def threaded_world_def(int threads)
{
    fm_world_def def = fixture_water_def(threads);
    if (threads == 0)
        def.tasks = (fm_task_system){.run = run_backwards, .thread_count = 4};
    return def;
}

static inline fm_collider *add_collider(fm_world *world, fm_collider_def def)
{
    fm_error err = {0};
    fm_collider *collider = fm_collider_create(world, &def, &err);
    assert_good(collider, &err);
    return collider;
}

// A cloth with stretch and shear springs only: no drag, damping or bending.
static inline fm_cloth_def bare_cloth(void)
{
    fm_cloth_def def = fixture_perfect_cloth();
    def.drag.model = FM_DRAG_NONE;
    def.damping.coefficient = def.bend.damping.coefficient = 0;
    def.bend.stiffness = 0;
    return def;
}

static inline fm_cloth *create_sheet(fm_world *world, const fm_cloth_def *def,
                                     const fm_sheet *sheet)
{
    fm_error err = {0};
    fm_cloth *cloth = fm_cloth_create_sheet(world, def, sheet, &err);
    assert_good(cloth, &err);
    return cloth;
}

// Creates a towel that is pinned along its upper edge.
static inline fm_cloth *hang_towel(fm_world *world, const fixture_towel *towel)
{
    fm_error err = {0};
    fm_cloth *cloth = fixture_create_hanging_cloth(world, towel, &err);
    assert_good(err.status == FM_OK, &err);
    return cloth;
}

// Creates a cloth from a mesh of fixtures/; returns NULL and fills err if it is refused.
static inline fm_cloth *try_create_mesh(fm_world *world, const fm_cloth_def *def,
                                        const fixture_mesh *m, fm_error *err)
{
    fm_cloth_mesh mesh = fixture_cloth_mesh(m);
    return fm_cloth_create_mesh(world, def, &mesh, err);
}

static inline fm_cloth *create_mesh(fm_world *world, const fm_cloth_def *def, const fixture_mesh *m)
{
    fm_error err = {0};
    fm_cloth *cloth = try_create_mesh(world, def, m, &err);
    assert_good(cloth, &err);
    return cloth;
}

// A tube or cone of cloth around the y axis; radii and height in m.
static inline fm_tube define_tube(int columns, int rows, double radius_top, double radius_bottom,
                                  double height)
{
    return (fm_tube){.columns = columns,
                     .rows = rows,
                     .radius_top = radius_top,
                     .radius_bottom = radius_bottom,
                     .height = height};
}

static inline fm_cloth *create_tube(fm_world *world, const fm_cloth_def *def, fm_tube tube)
{
    fm_error err = {0};
    fm_cloth *cloth = fm_cloth_create_tube(world, def, &tube, &err);
    assert_good(cloth, &err);
    return cloth;
}

// Advances the world by `duration` seconds and asserts that no error occurs.
static inline fm_report advance(fm_world *world, double duration)
{
    fm_error err = {0};
    fm_report report = fm_world_advance(world, duration, &err);
    assert_good(err.status == FM_OK, &err);
    return report;
}

// Mean angular frequency, rad/s, of the oscillation of a particle's z coordinate: advances the
// world by dt seconds at a time until z has changed its sign `crossings` times; two sign changes
// are half a period apart. Fails after `time_limit` seconds of simulated time.
static inline double swing_frequency(fm_world *world, fm_cloth *cloth, int particle, int crossings,
                                     double dt, double time_limit)
{
    double t = 0, z_before = fm_cloth_positions(cloth, NULL)[particle].z;
    double first_crossing = 0, last_crossing = 0; // s
    for (int crossed = 0; crossed < crossings;) {
        advance(world, dt);
        t += dt;
        double z = fm_cloth_positions(cloth, NULL)[particle].z;
        if (z_before * z < 0) {
            last_crossing = t - dt * z / (z - z_before); // by linear interpolation
            first_crossing = crossed++ ? first_crossing : last_crossing;
        }
        z_before = z;
        assert_true(t < time_limit);
    }
    return (crossings - 1) * acos(-1) / (last_crossing - first_crossing);
}

// Reads a field of all particles of a cloth into values, which the caller has allocated.
static inline void read_field(fm_cloth *cloth, const char *name, double *values)
{
    fm_error err = {0};
    assert_true(fm_cloth_read_field(cloth, name, values, &err));
}

// A pseudorandom number in [-1, 1) that depends only on the index i (Wang's 32-bit integer hash).
static inline double scatter(unsigned i)
{
    i = (i ^ 61) ^ (i >> 16);
    i *= 9;
    i = (i ^ (i >> 4)) * 0x27d4eb2du;
    return (double)(i ^ (i >> 15)) / 2147483648.0 - 1;
}

// Gives each particle a pseudorandom velocity with components up to `speed`, m/s.
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

// m, largest distance of corresponding points of two arrays.
static inline double largest_distance(const fm_vec3 *a, const fm_vec3 *b, int n)
{
    double worst = 0;
    for (int i = 0; i < n; i++)
        worst = fmax(worst, hypot(hypot(a[i].x - b[i].x, a[i].y - b[i].y), a[i].z - b[i].z));
    return worst;
}

// Saves the state of a world, destroys the world, and restores the state into the world `fresh`,
// which was built from the same definitions.
static inline fm_world *move_state_into(fm_world *world, fm_world *fresh)
{
    fm_error err = {0};
    size_t size = fm_world_save(world, NULL, 0);
    void *bytes = malloc(size);
    assert_int_equal(fm_world_save(world, bytes, size), size);
    uint64_t hash = fm_world_hash(world);
    fm_world_destroy(world);
    bool good = fm_world_restore(fresh, bytes, size, &err);
    assert_good(good, &err);
    assert_int_equal(fm_world_hash(fresh), hash);
    free(bytes);
    return fresh;
}

#endif
