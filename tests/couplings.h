// SPDX-License-Identifier: MIT
// couplings.h: cloths in fluids that tests start from.
#ifndef FATHOM_TESTS_COUPLINGS_H
#define FATHOM_TESTS_COUPLINGS_H

#include "fluids.h"
#include "particles/particles.h"

// 0.1 kg/m^2, as light cotton is; loose enough for steps as long as the fluid's.
static inline fm_cloth_def light_cotton(void)
{
    fm_cloth_def def = fm_default_cloth_def();
    def.density = 500;
    def.thickness = 2e-4;
    def.stretch.stiffness = 300;
    def.shear.stiffness = 50;
    def.bend.stiffness = 1e-6;
    def.damping.coefficient = 0.02;
    def.damping.order = 1;
    return def;
}

// Lies in the plane y = height, from (x, z) on.
static inline fm_sheet flat_sheet(int columns, double size, double x, double height, double z)
{
    double half = sqrt(0.5);
    return (fm_sheet){.columns = columns,
                      .rows = columns,
                      .width = size,
                      .height = size,
                      .origin = {x, height, z},
                      .rotation = {-half, 0, 0, half}};
}

static inline void couple(fm_world *world, fm_cloth *cloth, fm_particles *fluid,
                          fm_coupling_way way)
{
    fm_error err = {0};
    bool good = fm_world_couple(world, cloth, fluid, way, &err);
    if (!good)
        print_error("%s\n", err.text);
    assert_true(good);
}

static inline fm_vec3 fluid_momentum(fm_particles *fluid)
{
    int n;
    double m = fm_particles_mass(fluid);
    const fm_vec3 *v = fm_particles_velocities(fluid, &n);
    fm_vec3 sum = {0, 0, 0};
    for (int i = 0; i < n; i++)
        sum = fm_add_scaled(sum, v[i], m);
    return sum;
}

static inline fm_vec3 cloth_momentum(fm_cloth *cloth)
{
    int n;
    const fm_vec3 *v = fm_cloth_velocities(cloth, &n);
    double *m = malloc((size_t)n * sizeof *m);
    read_field(cloth, "mass", m);
    fm_vec3 sum = {0, 0, 0};
    for (int i = 0; i < n; i++)
        sum = fm_add_scaled(sum, v[i], m[i]);
    free(m);
    return sum;
}

// What the fluid gave and the cloth has not taken yet, and the other way round.
static inline fm_vec3 pending_momentum(const fm_particles *fluid)
{
    fm_vec3 sum = {0, 0, 0};
    for (int s = 0; s < fluid->surface_count; s++) {
        for (int i = 0; i < fluid->surfaces[s]->count; i++)
            sum =
                fm_add(sum, fm_add(fluid->surfaces[s]->impulse[i], fluid->surfaces[s]->handed[i]));
    }
    return sum;
}

static inline int count_below(fm_particles *fluid, double height)
{
    int n, below = 0;
    const fm_vec3 *x = fm_particles_positions(fluid, &n);
    for (int i = 0; i < n; i++)
        below += x[i].y < height;
    return below;
}

#endif
