// SPDX-License-Identifier: MIT
// thick_rotation.c: a block of thickening fluid that rotates rigidly, without gravity and walls.
// With the rate of length, the default, its springs hardly harden: what remains is the small
// deformation by centrifugal forces. With the relative speed of [OZG13] eq. (5.13) they do: a
// spring of length L at the angle theta to the axis is fed omega L sin(theta), so at time t
//
//     M = omega <L sin(theta)> t^(1-q) / Gamma(2-q)     (full memory)
#include "fluids.h"

static const double OMEGA = 1, DURATION = 0.2, SPACING = 0.02, ORDER = 0.5; // rad/s, s, m

// Mean of M over the springs after DURATION, m s^-q. past: that of the particles over
// a window, as published, instead of that of the springs.
static double find_memory(fm_hardening_rate rate, bool past)
{
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_particles_def def = viscous_fluid_def(3, SPACING, 1e-5, 0.3);
    def.domain.high = (fm_vec3){0.4, 0.4, 0.4};
    def.network.viscosity = 20;
    def.network.relaxation = 0.1;
    def.network.onset = 1;
    def.network.order = ORDER;
    def.network.rate = rate;
    def.network.memory.kind = past ? FM_RECALL_SECONDS : FM_RECALL_FULL;
    def.time_step = past ? 1e-3 : 0;
    fm_particles *fluid = create_pool(
        world, &def, &(fm_fluid_box){.low = {0.12, 0.12, 0.12}, .high = {0.28, 0.28, 0.28}});
    int count;
    const fm_vec3 *x = fm_particles_positions(fluid, &count);
    fm_vec3 *v = calloc((size_t)count, sizeof *v);
    assert_non_null(v);
    for (int i = 0; i < count; i++)
        v[i] = (fm_vec3){-OMEGA * (x[i].y - 0.2), OMEGA * (x[i].x - 0.2), 0};
    assert_true(fm_particles_set_velocities(fluid, v, &err));
    free(v);
    for (int k = 0; k < 4; k++)
        advance(world, DURATION / 4);
    fm_spring_stats net =
        fm_particles_read_springs(fluid, (fm_vec3){0, 0, 0}, (fm_vec3){0.4, 0.4, 0.4});
    assert_true(net.spring_count > 6 * count);
    fm_world_destroy(world);
    return net.mean_memory;
}

static void rigid_rotation_hardens_only_as_published(void **state)
{
    (void)state;
    double by_length = find_memory(FM_HARDENING_LENGTH, false),
           by_speed = find_memory(FM_HARDENING_SPEED, false),
           published = find_memory(FM_HARDENING_SPEED, true);
    // springs of a block of 8^3 particles: 3 x 8 x 8 x 7 of one spacing, a third of them along the
    // axis of rotation; 6 x 8 x 7 x 7 diagonals, a third of them across it, the others
    // at 45 degrees
    const double edges = 3 * 8 * 8 * 7, diagonals = 6 * 8 * 7 * 7;
    double mean = SPACING *
                  (edges * 2 / 3 + diagonals * (sqrt(2) / 3 + sqrt(2) * sqrt(0.5) * 2 / 3)) /
                  (edges + diagonals);
    double expected = OMEGA * mean * pow(DURATION, 1 - ORDER) / tgamma(2 - ORDER);
    printf("  M by rate of length %.3g, by relative speed %.4g, from past velocities %.4g, closed "
           "form %.4g "
           "m s^-q\n",
           by_length, by_speed, published, expected);
    assert_at_most(by_length / by_speed, 0.05);
    assert_at_most(fabs(by_speed / expected - 1), 0.05);
    assert_at_most(fabs(published / expected - 1), 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rigid_rotation_hardens_only_as_published)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
