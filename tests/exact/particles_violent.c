// SPDX-License-Identifier: MIT
// particles_violent.c: ten seconds of a violent dam break in a closed box with a fixed block, a
// moving ball and a floating ball: every number stays finite, every particle stays in the box, the
// water comes to rest, and its volume is conserved: the mean height of the particles is within 5 %
// of that of water at rest.
#include "fluids.h"

// Adds a fixed block, a moving ball and a floating ball.
static void add_colliders(fm_world *world)
{
    fm_error err = {0};
    fm_collider_def def = fm_default_collider_def();
    def.shape = (fm_shape){
        .kind = FM_SHAPE_BOX, .centre = {0.75, 0.05, 0.1}, .half_size = {0.05, 0.05, 0.1}};
    assert_non_null(fm_collider_create(world, &def, &err));
    fm_collider_def moving_ball = fixture_ball_def((fm_vec3){1.0, 0.1, 0.25}, 0.07);
    moving_ball.motion = fm_motion_sine(world, (fm_vec3){0, 0, 1}, 0.05, 1, &err);
    add_collider(world, moving_ball);
    fm_collider_def floating_ball = fixture_ball_def((fm_vec3){0.6, 0.3, 0.3}, 0.06);
    floating_ball.mass = 0.5; // kg; submerged it displaces 0.9 kg of water
    add_collider(world, floating_ball);
}

static void a_violent_dam_break_keeps_all_particles_and_the_volume(void **state)
{
    (void)state;
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
    add_colliders(world);
    fm_particles_def def = fixture_tank_def(3, 0.035, (fm_vec3){1.2, 0.9, 0.4});
    fm_fluid_box column = {.high = {0.45, 0.6, 0.4}, .settled = true};
    fm_particles *fluid = create_pool(world, &def, &column);
    int n = fm_particles_count(fluid);
    double largest = 0, last = 0; // J, kinetic energies
    for (int k = 0; k < 100; k++) {
        fm_report report = advance(world, 0.1);
        assert_int_equal(report.particle_count, n);
        assert_int_equal(report.outside_count, 0);
        largest = fmax(largest, report.kinetic_energy);
        last = report.kinetic_energy;
    }
    int count;
    const fm_vec3 *x = fm_particles_positions(fluid, &count);
    double mean = 0;
    for (int i = 0; i < count; i++)
        mean += x[i].y / count;
    // level: volume of the water and of the submerged colliders over the area of the floor;
    // expected: height of the water's centre of mass, half of the level corrected for the colliders
    double water = 0.45 * 0.6 * 0.4, block = 0.1 * 0.1 * 0.2,
           ball = 4.0 / 3 * 3.14159265 * pow(0.07, 3);
    double level = (water + block + ball + 0.5e-3) / (1.2 * 0.4);
    double expected =
        (level * level / 2 * 1.2 * 0.4 - block * 0.05 - ball * 0.1 - 0.5e-3 * level) / water;
    printf("  kinetic energy %.1f J at most, %.3f J in the end; mean height %.4f, at rest %.4f\n",
           largest, last, mean, expected);
    assert_true(largest > 30);
    assert_true(last < 0.05 * largest);
    assert_close(mean / expected, 1, 0.05);
    fm_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_violent_dam_break_keeps_all_particles_and_the_volume)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
