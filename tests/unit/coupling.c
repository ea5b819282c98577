// SPDX-License-Identifier: MIT
// Cloth in fluids: what is refused and in which words, what samples are, that light cloth stays
// with the water it is in, and that a stream carries a cloth it does not feel.
#include "couplings.h"

static fm_particles *make_still_water(fm_world *world, double spacing, bool filled)
{
    fm_particles_def def = fm_default_particles_def();
    def.spacing = spacing;
    def.domain.high = (fm_vec3){0.4, 0.4, 0.4};
    fm_particles *fluid = make_fluid(world, &def);
    if (filled)
        add_box(fluid, &(fm_fluid_box){.high = {0.4, 0.3, 0.4}, .settled = true});
    return fluid;
}

static void expect_refused(fm_world *world, fm_cloth *cloth, fm_particles *fluid,
                           fm_coupling_way way, const char *words)
{
    fm_error err = {0};
    assert_false(fm_world_couple(world, cloth, fluid, way, &err));
    assert_int_equal(err.status, FM_BAD_VALUE);
    if (!strstr(err.text, words))
        print_error("%s\n", err.text);
    assert_non_null(strstr(err.text, words));
}

static void mistakes_are_told(void **state)
{
    (void)state;
    fm_world *world = make_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
    fm_cloth_def def = light_cotton();
    fm_sheet sheet = flat_sheet(5, 0.2, 0.1, 0.1, 0.1);
    fm_cloth *cloth = make_sheet(world, &def, &sheet);
    fm_particles *water = make_still_water(world, 0.05, true);
    fm_particles_def fluid_def = fm_default_particles_def();
    fluid_def.dimensions = 2;
    expect_refused(world, cloth, make_fluid(world, &fluid_def), FM_COUPLING_TWO_WAY, "dimensions");
    fluid_def.dimensions = 3;
    fluid_def.method = FM_SPH_CONSTANT_DENSITY;
    expect_refused(world, cloth, make_fluid(world, &fluid_def), FM_COUPLING_TWO_WAY,
                   "weakly-compressible");
    expect_refused(world, cloth, water, (fm_coupling_way)7, "one-way");
    def.drag.model = FM_DRAG_VISCOUS;
    fm_cloth *viscous = make_sheet(world, &def, &sheet);
    expect_refused(world, viscous, water, FM_COUPLING_TWO_WAY, "drag");
    def.drag.model = FM_DRAG_NONE;
    fm_cloth_def window = def;
    window.damping.coefficient = 1;
    window.damping.order = 0.5;
    window.damping.memory.kind = FM_RECALL_STEPS;
    window.damping.memory.steps = 5;
    expect_refused(world, make_sheet(world, &window, &sheet), water, FM_COUPLING_TWO_WAY,
                   "full or fading");
    def.integrator = FM_VERLET;
    expect_refused(world, make_sheet(world, &def, &sheet), water, FM_COUPLING_ONE_WAY,
                   "kick-drift-kick");
    couple(world, cloth, water, FM_COUPLING_TWO_WAY);
    expect_refused(world, cloth, water, FM_COUPLING_TWO_WAY, "one fluid for each cloth");
    advance(world, 0.001);
    expect_refused(world, viscous, water, FM_COUPLING_ONE_WAY, "before the first advance");
    fm_world *other = make_world(1000, 1e-3, no_gravity);
    expect_refused(other, viscous, water, FM_COUPLING_ONE_WAY, "one world");
    fm_world_destroy(other);
    fm_world_destroy(world);
}

// Coarse triangles are cut until samples are close enough; together they have the cloth's area, and
// water of as much volume makes room for them.
static void samples_cover_the_cloth(void **state)
{
    (void)state;
    for (int columns = 3; columns <= 33; columns *= 3) {
        fm_world *world = make_world(0, 0, (fm_vec3){0, -9.81, 0});
        fm_cloth_def def = light_cotton();
        fm_sheet sheet = flat_sheet(columns, 0.2, 0.1, 0.16, 0.1);
        fm_cloth *cloth = make_sheet(world, &def, &sheet);
        fm_particles *water = make_still_water(world, 0.02, true);
        int before = fm_particles_count(water);
        couple(world, cloth, water, FM_COUPLING_TWO_WAY);
        const fm_samples *s = water->surfaces[0];
        double area = 0, reach = 0;
        for (int i = 0; i < s->count; i++) {
            area += s->area[i];
            reach = fmax(reach, s->reach[i]);
        }
        assert_at_most(fabs(area - 0.04), 1e-12);
        assert_at_most(reach, 0.75 * 0.02);
        double left_out = (before - fm_particles_count(water)) * pow(0.02, 3);
        assert_at_most(fabs(left_out / (0.04 * 0.02) - 1), 0.25); // edges: whole particles
        fm_world_destroy(world);
    }
}

// A sheet as dense as water, 0.1 kg/m^2 where the layer of water it stands in has 20, in a tank at
// rest: it stays where it is and does not shake. Much denser it sinks.
static double find_rise(double density, double thickness, double *speed)
{
    fm_world *world = make_world(0, 0, (fm_vec3){0, -9.81, 0});
    fm_cloth_def def = light_cotton();
    def.density = density;
    def.thickness = thickness;
    fm_sheet sheet = flat_sheet(9, 0.2, 0.1, 0.15, 0.1);
    fm_cloth *cloth = make_sheet(world, &def, &sheet);
    fm_particles *water = make_still_water(world, 0.02, true);
    couple(world, cloth, water, FM_COUPLING_TWO_WAY);
    advance(world, 0.3);
    int n;
    const fm_vec3 *x = fm_cloth_positions(cloth, &n), *v = fm_cloth_velocities(cloth, &n);
    double rise = 0;
    *speed = 0;
    for (int i = 0; i < n; i++) {
        rise += (x[i].y - 0.15) / n;
        *speed = fmax(*speed, fm_length(v[i]));
    }
    fm_world_destroy(world);
    return rise;
}

static void light_cloth_stays_with_the_water(void **state)
{
    (void)state;
    double speed, rise = find_rise(1000, 1e-4, &speed);
    printf("  as dense as water: rose by %.4f m, fastest %.4f m/s\n", rise, speed);
    assert_at_most(fabs(rise), 0.004); // a fifth of a spacing: the water around it settles
    assert_at_most(speed, 0.03);
    double heavy = find_rise(3e4, 1e-3, &speed);
    printf("  thirty kilograms per square metre: %.4f m\n", heavy);
    assert_true(heavy < rise - 0.02);
}

// Carried one-way: a cloth in a stream takes its velocity, the stream does not notice.
static void a_stream_carries_cloth(void **state)
{
    (void)state;
    fm_vec3 momentum[2];
    double speed = 0;
    for (int coupled = 0; coupled < 2; coupled++) {
        fm_world *world = make_world(0, 0, no_gravity);
        fm_cloth_def def = light_cotton();
        fm_sheet sheet = flat_sheet(5, 0.1, 0.15, 0.2, 0.15);
        fm_cloth *cloth = make_sheet(world, &def, &sheet);
        fm_particles_def fluid_def = viscous_fluid(3, 0.04, 1e-3, 1);
        fluid_def.domain.high = (fm_vec3){0.4, 0.4, 0.4};
        for (int axis = 0; axis < 3; axis++)
            make_periodic(&fluid_def, axis);
        fm_particles *water = make_fluid(world, &fluid_def);
        add_box(water, &(fm_fluid_box){.high = {0.4, 0.4, 0.4}, .velocity = {0, 0.2, 0}});
        if (coupled)
            couple(world, cloth, water, FM_COUPLING_ONE_WAY);
        advance(world, 0.2);
        int n;
        const fm_vec3 *v = fm_cloth_velocities(cloth, &n);
        for (int i = 0; i < n && coupled; i++)
            speed += v[i].y / n;
        momentum[coupled] = fluid_momentum(water);
        fm_world_destroy(world);
    }
    printf("  the cloth goes at %.3f of 0.2 m/s\n", speed);
    assert_true(speed > 0.15 && speed < 0.21);
    // the steps are not the same, nothing else
    assert_at_most(fm_length(fm_sub(momentum[0], momentum[1])), 1e-6 * fm_length(momentum[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(samples_cover_the_cloth),
        cmocka_unit_test(light_cloth_stays_with_the_water),
        cmocka_unit_test(a_stream_carries_cloth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
