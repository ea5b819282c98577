// SPDX-License-Identifier: MIT
// couplings.h: cloths and fluids used by the tests of coupling.
#ifndef FATHOM_TESTS_COUPLINGS_H
#define FATHOM_TESTS_COUPLINGS_H

#include "fluids.h"
#include "particles/particles.h"

// A cloth of 0.1 kg/m^2, like light cotton; soft enough for time steps as long as the fluid's.
static inline fm_cloth_def light_cotton(void)
{
    fm_cloth_def def = fixture_perfect_cloth();
    def.density = 500;              // kg/m^3
    def.thickness = 2e-4;           // m
    def.stretch.stiffness = 300;    // N/m
    def.shear.stiffness = 50;       // N/m
    def.bend.stiffness = 1e-6;      // N m
    def.damping.coefficient = 0.02; // N s/m
    def.damping.order = 1;
    return def;
}

// A square sheet of columns x columns particles and `size` metres in the plane y = height, with its
// corner at (x, z), m.
static inline fm_sheet flat_sheet(int columns, double size, double x, double height, double z)
{
    return fixture_level_sheet(columns, columns, size, size, (fm_vec3){x, height, z});
}

// The methods that have two-way coupling.
enum { COUPLED_METHODS = 2 };
static const fm_sph_method coupled_methods[COUPLED_METHODS] = {FM_SPH_WEAKLY_COMPRESSIBLE,
                                                               FM_SPH_CONSTANT_DENSITY};
static const char *const method_names[COUPLED_METHODS] = {"weakly compressible",
                                                          "constant density"};

// Couples a cloth with a fluid and asserts that no error occurs.
static inline void couple(fm_world *world, fm_cloth *cloth, fm_particles *fluid,
                          fm_coupling_way way)
{
    fm_error err = {0};
    bool good = fm_world_couple(world, cloth, fluid, way, &err);
    assert_good(good, &err);
}

// Momentum of all particles of a fluid, kg m/s.
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

// Momentum of all particles of a cloth, kg m/s.
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

// Momentum, kg m/s, that cloth or fluid has given to the other, and that the other has not yet
// received, and that of the fluid that clings to the cloth. They are stored in the surface samples
// at which cloth and fluid are coupled.
static inline fm_vec3 pending_momentum(const fm_particles *fluid)
{
    fm_vec3 sum = {0, 0, 0};
    for (int s = 0; s < fluid->surface_count; s++) {
        const fm_samples *samples = fluid->surfaces[s];
        for (int i = 0; i < samples->count; i++) {
            fm_vec3 given = fm_add(samples->impulse_to_body[i], samples->impulse_to_fluid[i]);
            sum = fm_add(
                sum, fm_add_scaled(given, samples->body_velocity[i], samples->clinging_mass[i]));
        }
    }
    return sum;
}

// Number of fluid particles below a height, m.
static inline int count_below(fm_particles *fluid, double height)
{
    int n, below = 0;
    const fm_vec3 *x = fm_particles_positions(fluid, &n);
    for (int i = 0; i < n; i++)
        below += x[i].y < height;
    return below;
}

#endif
