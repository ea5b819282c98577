// SPDX-License-Identifier: MIT
// fluids.h: particle fluids and checks that several tests share.
#ifndef FATHOM_TESTS_FLUIDS_H
#define FATHOM_TESTS_FLUIDS_H

#include "bodies.h"

// Definition of a fluid without artificial viscosity. spacing: of the particles, m; nu: kinematic
// viscosity, m^2/s; speed: expected flow speed, m/s, a tenth of the speed of sound.
static inline fm_particles_def viscous_fluid_def(int dimensions, double spacing, double nu,
                                                 double speed)
{
    fm_particles_def def = fm_default_particles_def();
    def.dimensions = dimensions;
    def.spacing = spacing;
    def.viscosity = nu * def.density;
    def.artificial_viscosity = 0;
    def.speed = speed;
    return def;
}

// Makes both sides of the domain periodic along an axis: 0 x, 1 y, 2 z.
static inline void set_periodic(fm_particles_def *def, int axis)
{
    def->domain.sides[2 * axis] = def->domain.sides[2 * axis + 1] = FM_SIDE_PERIODIC;
}

static inline fm_particles *create_fluid(fm_world *world, const fm_particles_def *def)
{
    fm_error err = {0};
    fm_particles *fluid = fm_particles_create(world, def, &err);
    assert_good(fluid, &err);
    return fluid;
}

static inline void add_box(fm_particles *fluid, const fm_fluid_box *box)
{
    fm_error err = {0};
    bool good = fm_particles_add_box(fluid, box, &err);
    assert_good(good, &err);
}

// Creates a fluid with one box of particles.
static inline fm_particles *create_pool(fm_world *world, const fm_particles_def *def,
                                        const fm_fluid_box *box)
{
    fm_particles *fluid = create_fluid(world, def);
    add_box(fluid, box);
    return fluid;
}

// A column of fluid at one end of a tank of 1 m x 0.8 m x 0.5 m that moves to the other end.
static const fm_fluid_box rushing_column = {
    .high = {0.4, 0.6, 0.5}, .jitter = 0.1, .velocity = {1, 0, 0}, .settled = true};

// Fills the whole domain with fluid. jitter: random offset of the particles, in spacings.
static inline void fill_domain(fm_particles *fluid, double jitter)
{
    fm_domain d = fm_particles_definition(fluid).domain;
    add_box(fluid, &(fm_fluid_box){.low = d.low, .high = d.high, .jitter = jitter, .seed = 1});
}

// Reads a field of all particles; the caller frees the array.
static inline double *read_fluid(fm_particles *fluid, const char *field, int components)
{
    fm_error err = {0};
    double *values =
        malloc((size_t)components * (size_t)fm_particles_count(fluid) * sizeof *values);
    assert_true(fm_particles_read_field(fluid, field, values, &err));
    return values;
}

// Reads at most `max_rows` rows of comma-separated numbers from a file, after comment lines that
// begin with # and one header line. Returns the number of rows.
static inline int read_table(const char *path, double *values, int columns, int max_rows)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char line[4096];
    int rows = 0;
    do
        assert_non_null(fgets(line, sizeof line, file));
    while (line[0] == '#');
    while (rows < max_rows && fgets(line, sizeof line, file)) {
        char *at = line;
        for (int c = 0; c < columns; c++) {
            values[rows * columns + c] = strtod(at, &at);
            at += *at == ',';
        }
        rows++;
    }
    fclose(file);
    return rows;
}

// Checks determinism. `run` simulates scene number `scene` for `frames` frames and returns the hash
// of the final state. It uses `threads` threads (0: as in threaded_world_def), and moves the state
// into a new world before frame `restore_frame` (-1: never). The hash must not depend on threads or
// restore_frame, and must differ between scenes. hashes: [scene_count], receives the hashes.
static inline void check_same_bits(uint64_t run(int scene, int threads, int restore_frame),
                                   const char *const scene_names[], int scene_count, int frames,
                                   uint64_t *hashes)
{
    for (int scene = 0; scene < scene_count; scene++) {
        hashes[scene] = (uint64_t)scene;
#ifdef __SANITIZE_THREAD__ // forty times slower, so every third scene only
        if (scene % 3 != 0)
            continue;
#endif
        hashes[scene] = run(scene, 2, frames / 2);
        printf("  %-10s %016llx\n", scene_names[scene], (unsigned long long)hashes[scene]);
#ifndef __SANITIZE_THREAD__ // two threads are enough to find races
        assert_int_equal(run(scene, 1, -1), hashes[scene]);
        assert_int_equal(run(scene, 3, 0), hashes[scene]); // saved before the first step
        assert_int_equal(run(scene, 0, 1), hashes[scene]);
#endif
        for (int other = 0; other < scene; other++) // scenes must differ in their results
            assert_int_not_equal(hashes[other], hashes[scene]);
    }
}

// Angular momentum about the z axis divided by the mass, m^2/s.
static inline double find_angular_momentum(fm_particles *fluid)
{
    int n;
    const fm_vec3 *x = fm_particles_positions(fluid, &n), *v = fm_particles_velocities(fluid, &n);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (x[i].x * v[i].y - x[i].y * v[i].x) / n;
    return sum;
}

#endif
