// SPDX-License-Identifier: MIT
// coupling_leak.c: no fluid leaks through a coupled cloth. Water stands and sloshes on light cotton
// that spans a tank and stretches by a third, with triangles three spacings long and with triangles
// half a spacing long. The test counts fluid particles below the cloth, by the height of the cloth
// next to them. Nothing leaks where water falls into a fold either. Cloth with enforcement (strain
// limiting) holds water as well as a cloth with stiff springs, and shakes no more. A cloth that
// does not move carries the weight of the water.
#include "couplings.h"

// m: width of the tank, height of the cloth, depth of the water on it
static const double SIZE = 0.2, HEIGHT = 0.15, DEPTH = 0.08;

// A horizontal sheet across the tank, pinned at its border, or everywhere if rigid.
static fm_cloth *create_cloth_floor(fm_world *world, fm_cloth_def def, int columns, bool rigid)
{
    fm_error err = {0};
    fm_sheet sheet = flat_sheet(columns, SIZE, 0, HEIGHT, 0);
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    for (int row = 0; row < columns && rigid; row++)
        assert_true(fm_cloth_pin_row(cloth, row, NULL, &err));
    for (fm_edge edge = FM_EDGE_TOP; edge <= FM_EDGE_RIGHT && !rigid; edge++)
        assert_true(fm_cloth_pin_edge(cloth, edge, NULL, &err));
    return cloth;
}

// Water on the cloth with an initial velocity. spacing: of the particles, m.
static fm_particles *create_water(fm_world *world, fm_sph_method method, double spacing,
                                  fm_vec3 velocity)
{
    fm_particles_def def = fixture_tank_def(3, spacing, (fm_vec3){SIZE, 0.5, SIZE});
    def.method = method;
    fm_fluid_box box = {.low = {0, HEIGHT + spacing / 2, 0},
                        .high = {SIZE, HEIGHT + spacing / 2 + DEPTH, SIZE},
                        .velocity = velocity,
                        .settled = true};
    return create_pool(world, &def, &box);
}

// Counts fluid particles below the lowest cloth particle within 1.5 cells of them.
static int count_leaked(fm_cloth *cloth, fm_particles *fluid)
{
    int n, m, leaked = 0;
    const fm_vec3 *x = fm_particles_positions(fluid, &n), *y = fm_cloth_positions(cloth, &m);
    double near = 1.5 * SIZE / (fm_cloth_sheet(cloth).columns - 1);
    for (int i = 0; i < n; i++) {
        double lowest = INFINITY;
        for (int k = 0; k < m; k++) {
            if (fabs(y[k].x - x[i].x) < near && fabs(y[k].z - x[i].z) < near)
                lowest = fmin(lowest, y[k].y);
        }
        leaked += x[i].y < lowest;
    }
    return leaked;
}

// Lets water slosh on soft cloth of columns x columns particles for half a second. mass: kg/m^2.
static void expect_no_leak(fm_sph_method method, double spacing, int columns, double mass)
{
    fm_world *world = create_world(0, 0, (fm_vec3){0, -9.81, 0});
    fm_cloth_def def = light_cotton();
    def.density = mass / def.thickness;
    fm_cloth *cloth = create_cloth_floor(world, def, columns, false);
    fm_particles *fluid = create_water(world, method, spacing, (fm_vec3){0.3, 0, 0.2});
    couple(world, cloth, fluid, FM_COUPLING_TWO_WAY);
    double stretch = 0;
    int leaked = 0;
    for (int frame = 0; frame < 10; frame++) {
        fm_report report = advance(world, 0.05);
        stretch = fmax(stretch, report.max_stretch);
        leaked += count_leaked(cloth, fluid);
    }
    printf("  %.2f kg/m^2, %d columns, %.2f spacings apart: stretched by %.2f, %lld stopped, %d "
           "leaked of %d\n",
           mass, columns, SIZE / (columns - 1) / spacing, stretch,
           (long long)fm_particles_read_stats(fluid).stopped_count, leaked,
           fm_particles_count(fluid));
    assert_true(stretch > 0.1); // the triangles become larger than at rest
    assert_int_equal(leaked, 0);
    fm_world_destroy(world);
}

static void water_on_soft_cloth_does_not_leak(void **state)
{
    (void)state;
    const double spacing = 0.0167; // m, 12 particles across the tank
    for (int k = 0; k < COUPLED_METHODS; k++) {
        printf("  %s\n", method_names[k]);
        expect_no_leak(coupled_methods[k], spacing, 5, 0.1);
        expect_no_leak(coupled_methods[k], spacing, 13, 0.05);
        expect_no_leak(coupled_methods[k], spacing, 13, 0.1);
        expect_no_leak(coupled_methods[k], spacing, 13, 0.3);
        expect_no_leak(coupled_methods[k], spacing, 25, 0.1);
    }
}

// Measurements of water that sloshes on a cloth.
typedef struct slosh_result {
    double stretch; // largest l/l0 - 1 of the cloth
    double sag;     // m, descent of the water's centre
    double shaking; // m^2/s^2, kinetic energy per mass of the cloth's fast motion
    int leaked;     // fluid particles below the cloth
} slosh_result;

// Water sloshes for 0.6 s on a cloth that hardly stretches. method: of enforcement; stiffness: N/m,
// of the stretch springs. Shaking is half the mean square of the cloth's velocity minus its mean
// over 0.1 s, measured in the last 0.1 s.
static slosh_result slosh_on_cloth(fm_sph_method fluid_method, fm_enforcement_method method,
                                   double stiffness)
{
    enum { COLUMNS = 13, SAMPLES = 24 }; // particles along an edge; samples per 0.1 s
    const double spacing = SIZE / 12;
    slosh_result t = {0};
    fm_vec3 last[COLUMNS * COLUMNS], mean[COLUMNS * COLUMNS] = {{0}}; // m; m/s, mean velocities
    double squares = 0;                                               // m^2/s^2
    fm_cloth_def def = light_cotton();
    def.stretch.stiffness = stiffness;
    def.shear.stiffness = stiffness / 6;
    def.enforcement.method = method;
    def.enforcement.iterations = method == FM_ENFORCE_ITERATIVE ? 20 : 1;
    fm_world *world = create_world(0, 0, (fm_vec3){0, -9.81, 0});
    fm_cloth *cloth = create_cloth_floor(world, def, COLUMNS, false);
    fm_particles *fluid = create_water(world, fluid_method, spacing, (fm_vec3){0.3, 0, 0.2});
    couple(world, cloth, fluid, FM_COUPLING_TWO_WAY);
    int n;
    for (int sample = 0; sample < 6 * SAMPLES; sample++) {
        memcpy(last, fm_cloth_positions(cloth, &n), sizeof last);
        t.stretch = fmax(t.stretch, advance(world, 0.1 / SAMPLES).max_stretch);
        const fm_vec3 *x = fm_cloth_positions(cloth, &n);
        for (int i = 0; i < n && sample >= 5 * SAMPLES; i++) {
            fm_vec3 u = fm_scale(fm_sub(x[i], last[i]), SAMPLES / 0.1);
            squares += fm_dot(u, u) / (2.0 * n * SAMPLES);
            mean[i] = fm_add_scaled(mean[i], u, 1.0 / SAMPLES);
        }
        t.leaked += sample % SAMPLES == 0 ? count_leaked(cloth, fluid) : 0;
    }
    for (int i = 0; i < n; i++)
        squares -= fm_dot(mean[i], mean[i]) / (2.0 * n);
    const fm_vec3 *x = fm_particles_positions(fluid, &n);
    for (int i = 0; i < n; i++)
        t.sag += (HEIGHT + spacing / 2 + DEPTH / 2 - x[i].y) / n;
    t.shaking = squares;
    fm_world_destroy(world);
    return t;
}

// Compares cloths with springs and with enforcement in one method of the fluid.
static void compare_cloths(fm_sph_method method)
{
    const slosh_result springs = slosh_on_cloth(method, FM_ENFORCE_NONE, 2e4);
    const slosh_result iterative = slosh_on_cloth(method, FM_ENFORCE_ITERATIVE, 300);
    const slosh_result directional = slosh_on_cloth(method, FM_ENFORCE_DIRECTIONAL, 300);
    const slosh_result *const all[] = {&springs, &iterative, &directional};
    static const char *const names[] = {"springs", "iterative", "directional"};
    for (int k = 0; k < 3; k++)
        printf("  %-11s stretched by %.3f, water sank by %.4f m, shakes with %.2g m^2/s^2, %d "
               "leaked\n",
               names[k], all[k]->stretch, all[k]->sag, all[k]->shaking, all[k]->leaked);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(all[k]->leaked, 0);
        assert_at_most(all[k]->stretch, 0.05);
        assert_at_most(fabs(all[k]->sag - springs.sag), 0.2 * SIZE / 12); // a fifth of a spacing
        assert_at_most(all[k]->shaking, 0.01);
    }
}

static void enforced_cloth_holds_water_like_stiff_springs(void **state)
{
    (void)state;
    for (int k = 0; k < COUPLED_METHODS; k++) {
        printf("  %s\n", method_names[k]);
        compare_cloths(coupled_methods[k]);
    }
}

// A sheet whose particles are all pinned in a fold: two sides, each inclined by `slope` rad, meet
// in a crease along z. They are higher than the water splashes.
static fm_cloth *create_fold(fm_world *world, double slope)
{
    enum { COLUMNS = 25, ROWS = 13 };
    fm_error err = {0};
    fm_cloth_def def = light_cotton();
    double cell = 2 * SIZE / (COLUMNS - 1);
    fm_sheet sheet = fixture_level_sheet(COLUMNS, ROWS, 2 * SIZE, SIZE, (fm_vec3){0, 0, 0});
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    fm_vec3 x[COLUMNS * ROWS];
    for (int i = 0; i < COLUMNS * ROWS; i++) {
        double s = (i % COLUMNS - COLUMNS / 2) * cell;
        x[i] = (fm_vec3){SIZE / 2 + s * cos(slope), HEIGHT + fabs(s) * sin(slope),
                         SIZE * (i / COLUMNS) / (ROWS - 1)};
    }
    assert_true(fm_cloth_set_positions(cloth, x, &err));
    for (int row = 0; row < ROWS; row++)
        assert_true(fm_cloth_pin_row(cloth, row, NULL, &err));
    return cloth;
}

// Water falls into the crease, where both sides are near each other. The coupling moves a particle
// that would pass one side back in front of it; it must not end up behind the other side. steps:
// advances, which end with shorter substeps. Returns the number of leaked particles.
static int pour_into_fold(fm_sph_method method, int degrees, int steps)
{
    const double spacing = 0.0125, slope = degrees * FM_PI / 180;
    fm_world *world = create_world(0, 0, (fm_vec3){0, -9.81, 0});
    fm_cloth *cloth = create_fold(world, slope);
    fm_particles_def def = fixture_tank_def(3, spacing, (fm_vec3){SIZE, 0.5, SIZE});
    def.method = method;
    fm_fluid_box box = {.low = {SIZE / 2 - 2 * spacing, HEIGHT + 0.12, 0},
                        .high = {SIZE / 2 + 2 * spacing, HEIGHT + 0.18, SIZE},
                        .velocity = {0.1, -2, 0}};
    fm_particles *fluid = create_pool(world, &def, &box);
    couple(world, cloth, fluid, FM_COUPLING_TWO_WAY);
    int n, leaked = 0;
    for (int step = 0; step < steps; step++)
        advance(world, 0.25 / steps);
    const fm_vec3 *x = fm_particles_positions(fluid, &n);
    for (int i = 0; i < n; i++)
        leaked += x[i].y - HEIGHT < fabs(x[i].x - SIZE / 2) * tan(slope);
    printf("  sides at %d degrees, %d advances: %lld stopped, %d leaked of %d\n", degrees, steps,
           (long long)fm_particles_read_stats(fluid).stopped_count, leaked, n);
    fm_world_destroy(world);
    return leaked;
}

static void water_does_not_leak_through_a_fold(void **state)
{
    (void)state;
    int all = 0;
    for (int k = 0; k < COUPLED_METHODS; k++) {
        printf("  %s\n", method_names[k]);
        for (int degrees = 30; degrees <= 75; degrees += 15)
            all += pour_into_fold(coupled_methods[k], degrees, 1);
        if (coupled_methods[k] == FM_SPH_CONSTANT_DENSITY) // which has long substeps
            for (int steps = 2; steps <= 10; steps += 4)
                all += pour_into_fold(coupled_methods[k], 75, steps);
    }
    assert_int_equal(all, 0);
}

// The part of the weight of water at rest that a cloth carries that cannot move.
static double find_carried_part(fm_sph_method method)
{
    fm_world *world = create_world(0, 0, (fm_vec3){0, -9.81, 0});
    fm_cloth *cloth = create_cloth_floor(world, light_cotton(), 9, true);
    fm_particles *fluid = create_water(world, method, 0.0125, (fm_vec3){0, 0, 0});
    couple(world, cloth, fluid, FM_COUPLING_TWO_WAY);
    const fm_samples *s = fluid->surfaces[0];
    double impulse = 0, seconds = 0; // N s, downwards on the cloth, in this time
    advance(world, 0.2);
    for (int step = 0; step < 200; step++) {
        advance(world, 1e-3);
        for (int i = 0; i < s->count; i++)
            impulse -= s->impulse_to_body[i].y;
        seconds += s->end - s->start; // interval in which the last impulses acted
    }
    double weight = fm_particles_count(fluid) * fm_particles_mass(fluid) * 9.81;
    fm_world_destroy(world);
    return impulse / seconds / weight;
}

static void a_pinned_cloth_carries_the_weight_of_the_water(void **state)
{
    (void)state;
    for (int k = 0; k < COUPLED_METHODS; k++) {
        double part = find_carried_part(coupled_methods[k]);
        printf("  %s: carries %.4f of the weight\n", method_names[k], part);
        assert_at_most(fabs(part - 1), 0.05);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_on_soft_cloth_does_not_leak),
        cmocka_unit_test(water_does_not_leak_through_a_fold),
        cmocka_unit_test(enforced_cloth_holds_water_like_stiff_springs),
        cmocka_unit_test(a_pinned_cloth_carries_the_weight_of_the_water)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
