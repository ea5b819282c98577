// SPDX-License-Identifier: MIT
// cloth_layers.c: layers of cloth that lie on each other share the water that moves with them.
//
// Two parallel sheets at the distance g that move alike, in waves of wavenumber k, have the share
// 1/(1 + exp(-k g)) of the water that each would have alone (ideal fluid, world/layers.c). The
// library uses it for all waves, with k of 1/8 of the root of the cloth's area.
// At borders, within two spacings, shares are a compromise: there a stack has more water than one
// sheet, less so on finer meshes.
//
//   sigma  kg/m^2, mass of a sheet     R  kg/m^2, added mass of a sheet alone, moving as a whole
#include "bodies.h"
#include "exact.h"

enum { SIDE = 21, COUNT = SIDE * SIDE, LAYERS_MAX = 4 };
static const double PI = 3.14159265358979323846, width = 0.3;

// A sheet without drag; in a fluid without viscosity only the added mass acts on it.
static fm_cloth_def inert_cloth(void)
{
    fm_cloth_def def = fixture_perfect_cloth();
    def.drag.pressure = def.drag.friction = def.drag.ripple_pressure = 0;
    def.drag.skin_history = false;
    def.drag.normal_history = 0;
    def.damping.coefficient = def.bend.damping.coefficient = 0;
    return def;
}

// A world of an ideal fluid with horizontal sheets on top of each other, gap m apart.
static fm_world *stack_sheets(int layers, double gap, const fm_cloth_def *def, fm_vec3 gravity,
                              fm_cloth *cloths[LAYERS_MAX])
{
    fm_world *world = create_world(1000, 0, gravity);
    fm_sheet sheet = {.columns = SIDE, .rows = SIDE, .width = width, .height = width};
    sheet.rotation = (fm_quat){sqrt(0.5), 0, 0, sqrt(0.5)};
    for (int i = 0; i < layers; i++) {
        sheet.origin = (fm_vec3){0, i * gap, 0};
        cloths[i] = create_sheet(world, def, &sheet);
    }
    return world;
}

static void set_velocity(fm_cloth *cloth, double speed)
{
    fm_error err = {0};
    fm_vec3 v[COUNT];
    for (int i = 0; i < COUNT; i++)
        v[i] = (fm_vec3){0, speed, 0};
    assert_true(fm_cloth_set_velocities(cloth, v, &err));
}

// kg/m^2, mass of cloth and water per sheet and area, from the kinetic energy of a stack that moves
// along its normals at 0.01 m/s.
static double mass_per_sheet(int layers, double gap)
{
    fm_cloth *cloths[LAYERS_MAX];
    fm_cloth_def def = inert_cloth();
    fm_world *world = stack_sheets(layers, gap, &def, no_gravity, cloths);
    for (int i = 0; i < layers; i++)
        set_velocity(cloths[i], 0.01);
    double energy = advance(world, 1e-4).kinetic_energy;
    fm_world_destroy(world);
    return 2 * energy / 1e-4 / (layers * width * width);
}

static void sheets_share_their_water_as_potential_flow_says(void **state)
{
    (void)state;
    fm_cloth_def def = inert_cloth();
    double sigma = def.density * def.thickness, alone = mass_per_sheet(1, 0) - sigma;
    double k = 2 * PI * 8 / width, worst = 0;
    for (int i = 0; i < 6; i++) {
        double g = 0.1 * (1 << i);
        double share = (mass_per_sheet(2, g / k) - sigma) / alone, exact = 1 / (1 + exp(-g));
        printf("  k g = %.1f: share %.3f, in potential flow %.3f\n", g, share, exact);
        worst = fmax(worst, fabs(share - exact));
    }
    assert_at_most(worst, 0.1);
    // far sheets have all of their water
    assert_close(mass_per_sheet(2, 4 / k) - sigma, alone, 1e-9 * alone);
}

static void a_stack_falls_like_one_sheet_of_all_their_mass(void **state)
{
    (void)state;
    fm_cloth_def def = inert_cloth(), thick = def;
    fm_cloth *cloths[LAYERS_MAX];
    fm_vec3 gravity = {0, -9.81, 0};
    double speed[2], dt = 0.02;
    for (int layers = 2; layers <= LAYERS_MAX; layers++) {
        thick.thickness = layers * def.thickness;
        for (int k = 0; k < 2; k++) {
            fm_world *world =
                stack_sheets(k ? 1 : layers, 1e-4, k ? &thick : &def, gravity, cloths);
            advance(world, dt);
            double sum = 0;
            for (int i = 0; i < COUNT; i++)
                sum += fm_cloth_velocities(cloths[0], NULL)[i].y;
            speed[k] = sum / COUNT;
            fm_world_destroy(world);
        }
        printf("  %d layers: speed after %g s %.4f of that of one thick sheet\n", layers, dt,
               speed[0] / speed[1]);
        assert_close(speed[0], speed[1], 0.1 * fabs(speed[1]));
    }
}

// J, kinetic energy of a sheet that is folded in its middle, gap m wide, and moves as a whole along
// its normals.
static double folded_energy(double gap)
{
    enum { COLUMNS = 2 * SIDE };
    fm_error err = {0};
    fm_cloth_def def = inert_cloth();
    fm_world *world = create_world(1000, 0, no_gravity);
    double cell = width / (SIDE - 1), middle = (SIDE - 0.5) * cell;
    fm_sheet sheet = {
        .columns = COLUMNS, .rows = SIDE, .width = cell * (COLUMNS - 1), .height = width};
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    fm_vec3 x[COLUMNS * SIDE], v[COLUMNS * SIDE];
    const fm_vec3 *flat = fm_cloth_positions(cloth, NULL);
    for (int i = 0; i < COLUMNS * SIDE; i++) {
        bool back = i % COLUMNS >= SIDE;
        x[i] = (fm_vec3){back ? 2 * middle - flat[i].x : flat[i].x, flat[i].y, back ? gap : 0};
        v[i] = (fm_vec3){0, 0, 0.01};
    }
    assert_true(fm_cloth_set_positions(cloth, x, &err));
    assert_true(fm_cloth_set_velocities(cloth, v, &err));
    double energy = advance(world, 1e-6).kinetic_energy;
    fm_world_destroy(world);
    return energy;
}

static void a_folded_sheet_does_not_carry_its_water_twice(void **state)
{
    (void)state;
    double close = folded_energy(1e-4), wide = folded_energy(0.03);
    printf("  kinetic energy of a closed fold: %.3f of that of an open one\n", close / wide);
    assert_at_most(close, 0.58 * wide);
    assert_at_most(0.5 * wide, close);
}

// Two sheets, without contact, approach, pass through each other and separate.
static void energy_does_not_rise_while_layers_meet_and_separate(void **state)
{
    (void)state;
    fm_cloth *cloths[LAYERS_MAX];
    fm_cloth_def def = inert_cloth();
    fm_world *world = stack_sheets(2, 0.05, &def, no_gravity, cloths);
    set_velocity(cloths[0], 0.1);
    set_velocity(cloths[1], -0.02);
    double before = INFINITY, first = 0, worst = 0, last = 0;
    for (int i = 0; i < 120; i++) {
        fm_report report = advance(world, 1.0 / 48);
        last = report.kinetic_energy + report.potential_energy;
        first = i ? first : last;
        worst = fmax(worst, (last - before) / first);
        before = last;
    }
    printf("  energy rises by %.1e at most between frames, and ends at %.3f of the first\n",
           fmax(worst, 0), last / first);
    assert_at_most(worst, 1e-3);
    assert_true(fm_cloth_positions(cloths[0], NULL)[0].y >
                fm_cloth_positions(cloths[1], NULL)[0].y + 0.03);
    fm_world_destroy(world);
}

// Two sheets on their way through each other. threads: see threaded_world_def.
static fm_world *start_meeting(int threads)
{
    fm_world *world = open_world(threaded_world_def(threads));
    fm_cloth_def def = fm_default_cloth_def();
    fm_sheet sheet = {.columns = SIDE, .rows = SIDE, .width = width, .height = width};
    for (int i = 0; i < 2; i++) {
        sheet.origin = (fm_vec3){0.02 * i, 0, 0.02 * i};
        sheet.velocity = (fm_vec3){0, 0, i ? -0.1 : 0.1};
        create_sheet(world, &def, &sheet);
    }
    return world;
}

static void shares_are_the_same_bits_on_any_threads_and_after_a_restore(void **state)
{
    (void)state;
    enum { FRAMES = 12, SAVED = 2 }; // saved while the sheets share their water
    uint64_t hash[3];
    for (int k = 0; k < 3; k++) {
        fm_error err = {0};
        fm_world *world = start_meeting(k == 1 ? 0 : 1);
        for (int i = 0; i < FRAMES; i++) {
            advance(world, 1.0 / 24);
            if (k < 2 || i != SAVED)
                continue;
            size_t size = fm_world_save(world, NULL, 0);
            void *bytes = malloc(size);
            assert_int_equal(fm_world_save(world, bytes, size), size);
            fm_world_destroy(world);
            world = start_meeting(1);
            assert_true(fm_world_restore(world, bytes, size, &err));
            free(bytes);
        }
        hash[k] = fm_world_hash(world);
        fm_world_destroy(world);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "cloth_layers");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sheets_share_their_water_as_potential_flow_says),
        cmocka_unit_test(a_stack_falls_like_one_sheet_of_all_their_mass),
        cmocka_unit_test(a_folded_sheet_does_not_carry_its_water_twice),
        cmocka_unit_test(energy_does_not_rise_while_layers_meet_and_separate),
        cmocka_unit_test(shares_are_the_same_bits_on_any_threads_and_after_a_restore),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
