// SPDX-License-Identifier: MIT
// coupling.c: cloth in fluids: which couplings are refused and with which error, how samples cover
// a cloth, that light cloth stays at rest in water at rest, and that one-way coupling does not
// affect the fluid.
#include "couplings.h"

// Creates water at rest in a cubic tank of 0.4 m; filled: to a depth of 0.3 m, else empty.
static fm_particles *create_water(fm_world *world, fm_sph_method method, double spacing,
                                  bool filled)
{
    fm_particles_def def = fixture_tank_def(3, spacing, (fm_vec3){0.4, 0.4, 0.4});
    def.method = method;
    fm_particles *fluid = create_fluid(world, &def);
    if (filled)
        add_box(fluid, &(fm_fluid_box){.high = {0.4, 0.3, 0.4}, .settled = true});
    return fluid;
}

// The same, weakly compressible.
static fm_particles *create_still_water(fm_world *world, double spacing, bool filled)
{
    return create_water(world, FM_SPH_WEAKLY_COMPRESSIBLE, spacing, filled);
}

// Asserts that the coupling is refused with an error that contains these words.
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

static void impossible_couplings_are_refused(void **state)
{
    (void)state;
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
    fm_cloth_def def = light_cotton();
    fm_sheet sheet = flat_sheet(5, 0.2, 0.1, 0.1, 0.1);
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    fm_particles *water = create_still_water(world, 0.05, true);
    fm_particles_def fluid_def = fm_default_particles_def();
    fluid_def.dimensions = 2;
    expect_refused(world, cloth, create_fluid(world, &fluid_def), FM_COUPLING_TWO_WAY,
                   "dimensions");
    fluid_def.dimensions = 3;
    fluid_def.method = FM_SPH_STANDARD;
    expect_refused(world, cloth, create_fluid(world, &fluid_def), FM_COUPLING_TWO_WAY,
                   "constant-density");
    expect_refused(world, cloth, water, (fm_coupling_way)7, "one-way");
    def.drag.model = FM_DRAG_VISCOUS;
    fm_cloth *viscous = create_sheet(world, &def, &sheet);
    expect_refused(world, viscous, water, FM_COUPLING_TWO_WAY, "drag");
    def.drag.model = FM_DRAG_NONE;
    fm_cloth_def window = def;
    window.damping.coefficient = 1;
    window.damping.order = 0.5;
    window.damping.memory.kind = FM_RECALL_STEPS;
    window.damping.memory.steps = 5;
    expect_refused(world, create_sheet(world, &window, &sheet), water, FM_COUPLING_TWO_WAY,
                   "full or fading");
    def.integrator = FM_VERLET;
    expect_refused(world, create_sheet(world, &def, &sheet), water, FM_COUPLING_TWO_WAY,
                   "kick-drift-kick");
    expect_refused(world, create_sheet(world, &def, &sheet), water, FM_COUPLING_BY_DRAG,
                   "grid fluid");
    couple(world, cloth, water, FM_COUPLING_TWO_WAY);
    expect_refused(world, cloth, water, FM_COUPLING_TWO_WAY, "one medium for each body");
    advance(world, 0.001);
    expect_refused(world, viscous, water, FM_COUPLING_ONE_WAY, "before the first advance");
    fm_world *other = create_world(1000, 1e-3, no_gravity);
    expect_refused(other, viscous, water, FM_COUPLING_ONE_WAY, "one world");
    fm_world_destroy(other);
    fm_world_destroy(world);
}

static void a_fluid_takes_kick_drift_kick_from_an_automatic_choice(void **state)
{
    (void)state;
    fm_world *world = create_world(1.2, 1.8e-5, (fm_vec3){0, -9.81, 0});
    fm_cloth_def def = light_cotton();
    fm_sheet sheet = flat_sheet(11, 0.2, 0.1, 0.1, 0.1);
    def.stretch.stiffness = 2e4;
    def.integrator = FM_AUTOMATIC;
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    assert_int_equal(fm_cloth_definition(cloth).integrator, FM_IMPLICIT);
    couple(world, cloth, create_still_water(world, 0.05, true), FM_COUPLING_TWO_WAY);
    assert_int_equal(fm_cloth_definition(cloth).integrator, FM_KICK_DRIFT_KICK);
    assert_non_null(strstr(fm_cloth_integrator_reason(cloth), "a fluid"));
    fm_world_destroy(world);
}

// A splash shortens the substeps of the fluid, which are also those of the coupled cloth. The
// memory of the cloth was created for substeps down to 1/16 of the first one.
static void a_coupled_cloth_with_memory_takes_substeps_a_thousandth_of_the_first(void **state)
{
    (void)state;
    for (int k = 0; k < COUPLED_METHODS; k++) {
        fm_world *world = create_world(0, 0, (fm_vec3){0, -9.81, 0});
        fm_cloth_def def = light_cotton();
        def.damping.coefficient = 0.1;
        def.damping.order = 0.5;
        fm_sheet sheet = flat_sheet(5, 0.2, 0.1, 0.1, 0.1);
        fm_cloth *cloth = create_sheet(world, &def, &sheet);
        fm_particles *water = create_water(world, coupled_methods[k], 0.05, true);
        couple(world, cloth, water, FM_COUPLING_TWO_WAY);
        double first = advance(world, 0.02).substep;
        for (int n = 0; n < 3; n++)
            assert_at_most(advance(world, 1e-3 * first).substep, 1.001e-3 * first);
        advance(world, 0.02);
        fm_world_destroy(world);
    }
}

// The fluid sees a cloth as samples on its triangles. Coarse triangles are subdivided until the
// samples are close enough. The samples together have the cloth's area, and fluid particles of the
// same volume are removed.
static void samples_have_the_area_of_the_cloth_and_replace_fluid(void **state)
{
    (void)state;
    for (int columns = 3; columns <= 33; columns *= 3) {
        fm_world *world = create_world(0, 0, (fm_vec3){0, -9.81, 0});
        fm_cloth_def def = light_cotton();
        fm_sheet sheet = flat_sheet(columns, 0.2, 0.1, 0.16, 0.1);
        fm_cloth *cloth = create_sheet(world, &def, &sheet);
        fm_particles *water = create_still_water(world, 0.02, true);
        int before = fm_particles_count(water);
        couple(world, cloth, water, FM_COUPLING_TWO_WAY);
        const fm_samples *s = water->surfaces[0];
        double area = 0, reach = 0;
        for (int i = 0; i < s->count; i++) {
            area += s->area[i];
            reach = fmax(reach, s->reach[i]);
        }
        assert_at_most(fabs(area - 0.04), 1e-12);
        assert_at_most(reach, 0.75 * 0.02);                                    // 0.75 spacings
        double left_out = (before - fm_particles_count(water)) * pow(0.02, 3); // m^3
        // tolerance for whole particles at the edges
        assert_at_most(fabs(left_out / (0.04 * 0.02) - 1), 0.25);
        fm_world_destroy(world);
    }
}

// Mean rise (m) within 0.3 s of a sheet in a tank of water at rest. The layer of water that the
// samples of the sheet replace has 20 kg/m^2. density, thickness: of the cloth, kg/m^3, m; *speed:
// largest speed of a cloth particle at the end, m/s.
static double find_rise(fm_sph_method method, double density, double thickness, double *speed)
{
    fm_world *world = create_world(0, 0, (fm_vec3){0, -9.81, 0});
    fm_cloth_def def = light_cotton();
    def.density = density;
    def.thickness = thickness;
    fm_sheet sheet = flat_sheet(9, 0.2, 0.1, 0.15, 0.1);
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    fm_particles *water = create_water(world, method, 0.02, true);
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

static void light_cloth_stays_at_rest_and_heavy_cloth_sinks(void **state)
{
    (void)state;
    for (int k = 0; k < COUPLED_METHODS; k++) {
        double speed, rise = find_rise(coupled_methods[k], 1000, 1e-4, &speed);
        printf("  %s, as dense as water: rose by %.4f m, fastest %.4f m/s\n", method_names[k], rise,
               speed);
        assert_at_most(fabs(rise), 0.004); // m, a fifth of a spacing: the water around it settles
        assert_at_most(speed, 0.03);
        double heavy = find_rise(coupled_methods[k], 3e4, 1e-3, &speed);
        printf("  thirty kilograms per square metre: %.4f m\n", heavy);
        assert_true(heavy < rise - 0.02);
    }
}

// The method that is chosen for a free cloth of `density`, kg/m^3, or one with a pin, in water.
static fm_sph_method find_chosen_method(double density, bool pinned)
{
    fm_world *world = create_world(0, 0, (fm_vec3){0, -9.81, 0});
    fm_cloth_def def = light_cotton();
    def.density = density;
    def.thickness = 1e-3; // m
    fm_sheet sheet = flat_sheet(5, 0.2, 0.1, 0.1, 0.1);
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    fm_error err = {0};
    assert_good(!pinned || fm_cloth_pin_row(cloth, 0, NULL, &err), &err);
    fm_particles *water = create_water(world, FM_SPH_AUTOMATIC, 0.05, true);
    couple(world, cloth, water, FM_COUPLING_TWO_WAY);
    advance(world, 0.01);
    fm_sph_method method = fm_particles_definition(water).method;
    fm_world_destroy(world);
    return method;
}

static void an_automatic_method_is_constant_density_unless_cloth_is_free_and_light(void **state)
{
    (void)state;
    assert_int_equal(find_chosen_method(500, true), FM_SPH_CONSTANT_DENSITY);
    assert_int_equal(find_chosen_method(5e4, false), FM_SPH_CONSTANT_DENSITY); // 1 layer
    assert_int_equal(find_chosen_method(500, false), FM_SPH_WEAKLY_COMPRESSIBLE);
}

// With one-way coupling, a cloth in a flow takes on its velocity, and the flow does not change.
static void one_way_coupling_moves_the_cloth_and_not_the_fluid(void **state)
{
    (void)state;
    fm_vec3 momentum[2];
    double speed = 0;
    for (int coupled = 0; coupled < 2; coupled++) {
        fm_world *world = create_world(0, 0, no_gravity);
        fm_cloth_def def = light_cotton();
        fm_sheet sheet = flat_sheet(5, 0.1, 0.15, 0.2, 0.15);
        fm_cloth *cloth = create_sheet(world, &def, &sheet);
        fm_particles_def fluid_def = viscous_fluid_def(3, 0.04, 1e-3, 1);
        fluid_def.domain.high = (fm_vec3){0.4, 0.4, 0.4};
        for (int axis = 0; axis < 3; axis++)
            set_periodic(&fluid_def, axis);
        fm_particles *water = create_fluid(world, &fluid_def);
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
    // only the time steps differ
    assert_at_most(fm_length(fm_sub(momentum[0], momentum[1])), 1e-6 * fm_length(momentum[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impossible_couplings_are_refused),
        cmocka_unit_test(a_fluid_takes_kick_drift_kick_from_an_automatic_choice),
        cmocka_unit_test(a_coupled_cloth_with_memory_takes_substeps_a_thousandth_of_the_first),
        cmocka_unit_test(samples_have_the_area_of_the_cloth_and_replace_fluid),
        cmocka_unit_test(light_cloth_stays_at_rest_and_heavy_cloth_sinks),
        cmocka_unit_test(an_automatic_method_is_constant_density_unless_cloth_is_free_and_light),
        cmocka_unit_test(one_way_coupling_moves_the_cloth_and_not_the_fluid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
