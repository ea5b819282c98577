// SPDX-License-Identifier: MIT
// Ten seconds of a violent dam break in a closed box, over a fixed block, against a ball that moves
// and under one that floats: every number stays finite, every particle stays in the box and out of
// the colliders, the water comes to rest, and it has the volume it had: the mean height of the
// particles is within 5 % of that of water at rest.
#include "fluids.h"

static void add_colliders(fm_world *world)
{
    fm_error err = {0};
    fm_collider_def def = fm_default_collider_def();
    def.shape = (fm_shape){
        .kind = FM_SHAPE_BOX, .centre = {0.75, 0.05, 0.1}, .half_size = {0.05, 0.05, 0.1}};
    assert_non_null(fm_collider_create(world, &def, &err));
    def.shape = (fm_shape){.kind = FM_SHAPE_SPHERE, .centre = {1.0, 0.1, 0.25}, .radius = 0.07};
    def.motion = fm_motion_sine(world, (fm_vec3){0, 0, 1}, 0.05, 1, &err);
    assert_non_null(fm_collider_create(world, &def, &err));
    def.shape = (fm_shape){.kind = FM_SHAPE_SPHERE, .centre = {0.6, 0.3, 0.3}, .radius = 0.06};
    def.motion = NULL;
    def.mass = 0.5; // of 0.9 kg of water displaced
    assert_non_null(fm_collider_create(world, &def, &err));
}

static void nothing_is_lost(void **state)
{
    (void)state;
    fm_world *world = make_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
    add_colliders(world);
    fm_particles_def def = fm_default_particles_def();
    def.spacing = 0.035;
    def.domain.high = (fm_vec3){1.2, 0.9, 0.4};
    fm_particles *fluid = make_fluid(world, &def);
    add_box(fluid, &(fm_fluid_box){.high = {0.45, 0.6, 0.4}, .settled = true});
    int n = fm_particles_count(fluid);
    double fastest = 0, calm = 0;
    for (int k = 0; k < 100; k++) {
        fm_report report = advance(world, 0.1);
        assert_int_equal(report.particle_count, n);
        assert_int_equal(report.outside_count, 0);
        fastest = fmax(fastest, report.kinetic_energy);
        calm = report.kinetic_energy;
    }
    int count;
    const fm_vec3 *x = fm_particles_positions(fluid, &count);
    double mean = 0;
    for (int i = 0; i < count; i++)
        mean += x[i].y / count;
    // volume of the water and of what is under water, over the floor; the water's own centre is
    // half of that high, less what the colliders take away from it low down
    double water = 0.45 * 0.6 * 0.4, block = 0.1 * 0.1 * 0.2,
           ball = 4.0 / 3 * 3.14159265 * pow(0.07, 3);
    double level = (water + block + ball + 0.5e-3) / (1.2 * 0.4);
    double expected =
        (level * level / 2 * 1.2 * 0.4 - block * 0.05 - ball * 0.1 - 0.5e-3 * level) / water;
    printf("  kinetic energy %.1f J at most, %.3f J in the end; mean height %.4f, at rest %.4f\n",
           fastest, calm, mean, expected);
    assert_true(fastest > 30);
    assert_true(calm < 0.05 * fastest);
    assert_close(mean / expected, 1, 0.05);
    fm_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
