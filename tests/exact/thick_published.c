// SPDX-License-Identifier: MIT
// thick_published.c: the published model of thickening fluids ([OZG13] chapter 5), in Jacobi form:
// a free blob conserves its momentum, and a pool at rest keeps its depth.
#include "fluids.h"
#include "geometry/geometry.h"

static const double SPACING = 0.02; // m

// Definition of the published model with steps of h seconds.
static fm_particles_def published_def(double h)
{
    fm_particles_def def = fm_default_particles_def();
    fm_thickening starch = fm_default_thickening();
    starch.published = true;
    def.spacing = SPACING;
    def.time_step = h;
    def.network.memory.kind = FM_RECALL_SECONDS;
    def.network.memory.seconds = 0.1;
    fm_thickening_convert(&starch, &def);
    return def;
}

// Mean velocity of the particles, m/s.
static fm_vec3 find_mean_velocity(fm_particles *fluid)
{
    int count;
    fm_vec3 sum = {0};
    fm_particles_positions(fluid, &count);
    const fm_vec3 *v = fm_particles_velocities(fluid, NULL);
    for (int i = 0; i < count; i++)
        sum = fm_add_scaled(sum, v[i], 1.0 / count);
    return sum;
}

// Largest height of a particle, m.
static double find_height(fm_particles *fluid)
{
    int count;
    double height = 0;
    const fm_vec3 *x = fm_particles_positions(fluid, &count);
    for (int i = 0; i < count; i++)
        height = fmax(height, x[i].y);
    return height;
}

// Pressure, viscous impulses and springs between particles are equal and opposite.
static void a_free_blob_conserves_momentum(void **state)
{
    (void)state;
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_particles_def def = published_def(1e-3);
    def.domain.high = (fm_vec3){1, 1, 1};
    def.speed = 0.5;
    fm_particles *fluid = create_pool(world, &def,
                                      &(fm_fluid_box){.low = {0.4, 0.4, 0.4},
                                                      .high = {0.56, 0.56, 0.56},
                                                      .velocity = {0.3, 0.1, -0.2},
                                                      .jitter = 0.2,
                                                      .seed = 1});
    for (int k = 0; k < 4; k++)
        advance(world, 0.05);
    fm_vec3 v = find_mean_velocity(fluid);
    double change = fm_length(fm_sub(v, (fm_vec3){0.3, 0.1, -0.2}));
    printf("  mean velocity changed by %.2g m/s\n", change);
    assert_at_most(change, 1e-5); // rounding of single precision
    fm_world_destroy(world);
}

// The rest density is that of the lattice, so a pool settles by little more than the compression of
// its weight, g H / (2 c^2).
static void a_pool_at_rest_keeps_its_depth(void **state)
{
    (void)state;
    const double depth = 0.16;
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
    fm_particles_def def = published_def(1e-3);
    def.domain.high = (fm_vec3){0.24, 0.4, 0.24};
    def.domain.sides[FM_SIDE_TOP] = FM_SIDE_OPEN;
    def.speed = 4; // m/s: the speed of sound is 8 m/s
    fm_particles *fluid =
        create_pool(world, &def, &(fm_fluid_box){.high = {0.24, depth, 0.24}, .settled = true});
    for (int k = 0; k < 30; k++)
        advance(world, 1.0 / 30);
    double height = find_height(fluid) + SPACING / 2;
    double speed = fm_length(find_mean_velocity(fluid));
    printf("  depth %.4f m after 1 s, at first %.2f m; mean velocity %.2g m/s\n", height, depth,
           speed);
    assert_at_most(fabs(height / depth - 1), 0.06);
    assert_at_most(speed, 0.01);
    fm_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_free_blob_conserves_momentum),
                                       cmocka_unit_test(a_pool_at_rest_keeps_its_depth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
