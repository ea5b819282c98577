// SPDX-License-Identifier: MIT
// particles_conservation.c: forces between two particles are equal and opposite, so a box without
// walls conserves momentum. The force of a pair is computed twice in single precision, once for
// each particle, so rounding errors of 6e-8 times the exchanged impulses remain. The sum of m |dv|
// is a lower bound of the impulses of a step. The errors add up like a random walk, so the total
// stays below a small multiple of 6e-8 times the sum of m |dv| over all steps.
#include "fluids.h"

// Checks the momentum of a periodic box that starts with random velocities.
static void expect_conserved(fm_sph_method method, int dimensions, bool springs)
{
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_particles_def def = viscous_fluid_def(dimensions, dimensions == 2 ? 0.05 : 0.1, 1e-3, 1);
    def.method = method;
    def.integrator = FM_SPH_LEAPFROG;
    def.artificial_viscosity = 0.1;
    if (springs) {
        def.network.viscosity = 100;
        def.network.onset = 0.1;
    }
    for (int axis = 0; axis < 3; axis++)
        set_periodic(&def, axis);
    fm_particles *fluid = create_fluid(world, &def);
    fill_domain(fluid, 0.2);
    int n = fm_particles_count(fluid);
    fm_vec3 *v = malloc((size_t)n * sizeof *v), *last = malloc((size_t)n * sizeof *last);
    for (int i = 0; i < n; i++)
        v[i] = (fm_vec3){scatter(3u * (unsigned)i), scatter(3u * (unsigned)i + 1),
                         dimensions == 3 ? scatter(3u * (unsigned)i + 2) : 0};
    assert_true(fm_particles_set_velocities(fluid, v, &err));
    double m = fm_particles_mass(fluid), before[3] = {0}, after[3] = {0}, impulses = 0;
    const fm_vec3 *now = fm_particles_velocities(fluid, NULL);
    for (int i = 0; i < n; i++) {
        before[0] += m * now[i].x, before[1] += m * now[i].y, before[2] += m * now[i].z;
        last[i] = now[i];
    }
    for (int step = 0; step < 100; step++) {
        advance(world, 1e-4);
        now = fm_particles_velocities(fluid, NULL);
        for (int i = 0; i < n; i++) {
            impulses +=
                m * hypot(hypot(now[i].x - last[i].x, now[i].y - last[i].y), now[i].z - last[i].z);
            last[i] = now[i];
        }
    }
    for (int i = 0; i < n; i++)
        after[0] += m * now[i].x, after[1] += m * now[i].y, after[2] += m * now[i].z;
    double change = hypot(hypot(after[0] - before[0], after[1] - before[1]), after[2] - before[2]);
    printf("  method %d, %dD%s: momentum changed by %.2g of impulses of %.3g kg m/s\n", method,
           dimensions, springs ? ", springs" : "", change / impulses, impulses);
    assert_true(impulses > 0);
    assert_at_most(change / impulses, 5 * 6e-8); // five times the rounding error of a float
    free(v);
    free(last);
    fm_world_destroy(world);
}

static void momentum_is_conserved_up_to_rounding(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        expect_conserved(FM_SPH_WEAKLY_COMPRESSIBLE, dimensions, false);
        expect_conserved(FM_SPH_CONSTANT_DENSITY, dimensions, false);
        expect_conserved(FM_SPH_STANDARD, dimensions, false);
        expect_conserved(FM_SPH_WEAKLY_COMPRESSIBLE, dimensions, true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(momentum_is_conserved_up_to_rounding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
