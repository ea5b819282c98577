// SPDX-License-Identifier: MIT
// fluids.h: particle fluids that tests start from.
#ifndef FATHOM_TESTS_FLUIDS_H
#define FATHOM_TESTS_FLUIDS_H

#include "bodies.h"

// Viscosity and nothing artificial; sound ten times as fast as `speed`.
static inline fm_particles_def viscous_fluid(int dimensions, double spacing, double nu,
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

static inline void make_periodic(fm_particles_def *def, int axis)
{
    def->domain.sides[2 * axis] = def->domain.sides[2 * axis + 1] = FM_SIDE_PERIODIC;
}

static inline fm_particles *make_fluid(fm_world *world, const fm_particles_def *def)
{
    fm_error err = {0};
    fm_particles *fluid = fm_particles_create(world, def, &err);
    if (!fluid)
        print_error("%s\n", err.text);
    assert_non_null(fluid);
    return fluid;
}

static inline void add_box(fm_particles *fluid, const fm_fluid_box *box)
{
    fm_error err = {0};
    bool good = fm_particles_add_box(fluid, box, &err);
    if (!good)
        print_error("%s\n", err.text);
    assert_true(good);
}

// The whole domain full.
static inline void fill_domain(fm_particles *fluid, double jitter)
{
    fm_domain d = fm_particles_definition(fluid).domain;
    add_box(fluid, &(fm_fluid_box){.low = d.low, .high = d.high, .jitter = jitter, .seed = 1});
}

static inline double *read_fluid(fm_particles *fluid, const char *field, int components)
{
    fm_error err = {0};
    double *values =
        malloc((size_t)components * (size_t)fm_particles_count(fluid) * sizeof *values);
    assert_true(fm_particles_read_field(fluid, field, values, &err));
    return values;
}

// Rows of comma-separated numbers after a head; gives how many rows.
static inline int read_table(const char *path, double *values, int columns, int most)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char line[4096];
    int rows = 0;
    assert_non_null(fgets(line, sizeof line, file));
    while (rows < most && fgets(line, sizeof line, file)) {
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

// The state's hash after a run of one kind on so many threads, moved to a fresh world at the frame
// `pause`, is always the same, and another for another kind.
static inline void check_same_bits(uint64_t run(int kind, int threads, int pause),
                                   const char *const names[], int cases, int frames, uint64_t *seen)
{
    for (int kind = 0; kind < cases; kind++) {
        seen[kind] = (uint64_t)kind;
#ifdef __SANITIZE_THREAD__ // forty times slower: every third will race if any does
        if (kind % 3 != 0)
            continue;
#endif
        seen[kind] = run(kind, 2, frames / 2);
        printf("  %-10s %016llx\n", names[kind], (unsigned long long)seen[kind]);
#ifndef __SANITIZE_THREAD__ // two threads are enough to race, and slow enough
        assert_int_equal(run(kind, 1, -1), seen[kind]);
        assert_int_equal(run(kind, 3, 0), seen[kind]); // before it began
        assert_int_equal(run(kind, 0, 1), seen[kind]);
#endif
        for (int other = 0; other < kind; other++) // each ingredient does something
            assert_int_not_equal(seen[other], seen[kind]);
    }
}

#endif
