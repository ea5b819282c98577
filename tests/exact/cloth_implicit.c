// SPDX-License-Identifier: MIT
// cloth_implicit.c: the implicit integrators.
//
// - A spring with a fractional damper, m x'' + c D^q x + k x = 0 from x = 1 at rest, converges to
//   the Mittag-Leffler solution (oscillators.h) with order 2 by TR-BDF2 and with order 1 by
//   backward Euler.
// - The path of a sheet in water, with physical drag and a layer of added mass, converges with
//   order 2 to that of kick-drift-kick with short steps. With viscosity the order is 1.25, probably
//   because the history forces start like the square root of time.
// - A hanging strip of 10 kN/m swings with the frequencies of a hanging chain at a step of 1/96 s.
// - A free sheet keeps its momentum, and the energy of sheets never exceeds that at the start.
// - A seam between two borders of a free sheet closes and does not move the centre of mass.
#include "bodies.h"
#include "exact.h"
#include "oscillators.h"

static const double PI = 3.14159265358979323846;

// Largest error of x at times[] with the step h. The oscillator is a sheet of one cell, 1 m wide,
// whose left side is pinned; its right side moves along x. A row at the border has half the
// modulus, a corner has a quarter of the cell's mass.
static double oscillator_error(const oscillator *o, fm_integrator integrator, double h)
{
    const double AMPLITUDE = 0.1; // m
    fm_error err = {0};
    fm_cloth_def def = bare_cloth();
    def.density = 4000;
    def.thickness = 1e-3;
    def.stretch.stiffness = 2 * o->k;
    def.shear.stiffness = 0;
    def.damping.coefficient = 2 * o->c;
    def.damping.order = o->q;
    def.damping.memory.kind = FM_RECALL_FULL;
    def.damping.memory.tolerance = 1e-9;
    def.integrator = integrator;
    def.time_step = h;
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth *cloth =
        create_sheet(world, &def, &(fm_sheet){.columns = 2, .rows = 2, .width = 1, .height = 1});
    const fm_vec3 x[4] = {{0, 0, 0}, {1 + AMPLITUDE, 0, 0}, {0, -1, 0}, {1 + AMPLITUDE, -1, 0}};
    assert_true(fm_cloth_set_positions(cloth, x, &err));
    assert_true(fm_cloth_pin_column(cloth, 0, NULL, &err));
    double worst = 0, t = 0;
    for (int i = 0; i < 5; i++) {
        advance(world, times[i] - t);
        t = times[i];
        double found = (fm_cloth_positions(cloth, NULL)[1].x - 1) / AMPLITUDE;
        worst = fmax(worst, fabs(found - o->x[i]));
    }
    fm_world_destroy(world);
    return worst;
}

static void the_fractional_oscillator_converges_with_order_2(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        double error[4];
        for (int level = 0; level < 4; level++) {
            double h = (i == 1 ? 0.02 : 0.1) / (1 << level);
            error[level] = oscillator_error(&cases[i], FM_IMPLICIT, h);
            exact_report(cases[i].name, h, error[level]);
        }
        printf("  order %.2f\n", exact_order(error, 4));
        assert_close(exact_order(error, 4), 2, 0.15);
    }
}

static void with_backward_euler_it_converges_with_order_1(void **state)
{
    (void)state;
    double error[4];
    for (int level = 0; level < 4; level++) {
        double h = 0.02 / (1 << level);
        error[level] = oscillator_error(&cases[0], FM_IMPLICIT_EULER, h);
        exact_report("backward Euler", h, error[level]);
    }
    assert_close(exact_order(error, 4), 1, 0.15);
}

enum { COLUMNS = 9, ROWS = 7, COUNT = COLUMNS * ROWS };
static const fm_sheet sheet = {.columns = COLUMNS, .rows = ROWS, .width = 0.4, .height = 0.3};

// Positions after 0.1 s of a sheet in water that is bent, pinned at a corner and falls.
static void fall_in_water(double viscosity, fm_integrator integrator, double h, fm_vec3 *end)
{
    fm_error err = {0};
    fm_cloth_def def = fixture_perfect_cloth();
    def.drag.added_mass = 0.02;
    def.bend.damping.coefficient = 0;
    def.damping.coefficient = 0;
    def.bend.stiffness = 1e-3;
    def.integrator = integrator;
    def.time_step = h;
    fm_world *world = create_world(1000, viscosity, (fm_vec3){0, -9.81, 3});
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    fm_vec3 v[COUNT];
    for (int i = 0; i < COUNT; i++)
        v[i] = (fm_vec3){0, 0, 0.3 * sin(0.7 * (i % COLUMNS)) * (i / COLUMNS)};
    assert_true(fm_cloth_set_velocities(cloth, v, &err));
    assert_true(fm_cloth_pin_corner(cloth, FM_CORNER_TOP_LEFT, NULL, &err));
    advance(world, 0.1);
    const fm_vec3 *x = fm_cloth_positions(cloth, NULL);
    for (int i = 0; i < COUNT; i++)
        end[i] = x[i];
    fm_world_destroy(world);
}

static void the_path_in_water_converges_to_that_of_kick_drift_kick(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double viscosity, low, high; // Pa s; limits of the order
    } waters[2] = {{"ideal water", 0, 1.8, 2.3}, {"water", 1e-3, 1.1, 2.3}};
    for (int i = 0; i < 2; i++) {
        fm_vec3 reference[COUNT], x[COUNT];
        fall_in_water(waters[i].viscosity, FM_KICK_DRIFT_KICK, 2e-5, reference);
        double error[4];
        for (int level = 0; level < 4; level++) {
            double h = 2e-3 / (1 << level);
            fall_in_water(waters[i].viscosity, FM_IMPLICIT, h, x);
            error[level] = largest_distance(x, reference, COUNT);
            exact_report(waters[i].name, h, error[level]);
        }
        printf("  order %.2f\n", exact_order(error, 4));
        assert_in_interval(exact_order(error, 4), waters[i].low, waters[i].high);
        assert_at_most(error[3], 5e-6); // m; the sheet moves by 5 cm
    }
}

enum { CHAIN_ROWS = 81 };
static const double L = 1, g = 9.81, AMPLITUDE = 1e-3; // m, m/s^2, m

// Bessel function J_0 by its power series, for |x| < 10.
static double bessel_j0(double x)
{
    double term = 1, sum = 1;
    for (int k = 1; k < 60; k++) {
        term *= -x * x / (4.0 * k * k);
        sum += term;
    }
    return sum;
}

// Angular frequency (rad/s) of the mode of the zero j_n = `zero` of a hanging strip of 10 kN/m at a
// step of 1/96 s, from two periods after the first zero crossing of its tip.
static double measure_frequency(double zero)
{
    fm_error err = {0};
    fm_cloth_def def = bare_cloth();
    def.stretch.stiffness = 1e4;
    def.shear.stiffness = 0;
    def.integrator = FM_IMPLICIT;
    def.time_step = 1.0 / 96;
    fm_world *world = create_world(0, 0, (fm_vec3){0, -g, 0});
    fm_cloth *cloth = create_sheet(
        world, &def, &(fm_sheet){.columns = 2, .rows = CHAIN_ROWS, .width = 0.05, .height = L});
    double dy = L / (CHAIN_ROWS - 1), y = 0, sigma = def.density * def.thickness;
    fm_vec3 x[2 * CHAIN_ROWS];
    for (int r = 0; r < CHAIN_ROWS; r++) {
        double z = AMPLITUDE * bessel_j0(zero * sqrt(1 - r * dy / L));
        x[2 * r] = (fm_vec3){0, y, z};
        x[2 * r + 1] = (fm_vec3){0.05, y, z};
        y -= dy * (1 + sigma * g * (L - (r + 0.5) * dy) / def.stretch.stiffness);
    }
    assert_true(fm_cloth_set_positions(cloth, x, &err));
    assert_true(fm_cloth_pin_row(cloth, 0, NULL, &err));
    double t = 0, before = AMPLITUDE, first = 0, last = 0;
    for (int crossings = 0; crossings < 5;) {
        advance(world, 1.0 / 96);
        t += 1.0 / 96;
        double z = fm_cloth_positions(cloth, NULL)[2 * CHAIN_ROWS - 1].z;
        if (before * z < 0) {
            last = t - z / (z - before) / 96;
            first = crossings++ ? first : last;
        }
        before = z;
        assert_true(t < 20);
    }
    assert_int_equal(fm_cloth_newton_report(cloth).failures, 0);
    fm_world_destroy(world);
    return 4 * PI / (last - first);
}

static void a_strip_of_10_kN_per_m_swings_like_a_chain_at_a_quarter_of_a_frame(void **state)
{
    (void)state;
    static const double zeros[3] = {2.404825557695773, 5.520078110286311, 8.653727912911013};
    for (int mode = 0; mode < 3; mode++) {
        double expected = zeros[mode] / 2 * sqrt(g / L), measured = measure_frequency(zeros[mode]);
        printf("  mode %d: %.5f rad/s, expected %.5f, off by %.3f %%\n", mode + 1, measured,
               expected, 100 * (measured / expected - 1));
        assert_close(measured, expected, 0.005 * expected);
    }
}

static void a_free_sheet_keeps_its_momentum(void **state)
{
    (void)state;
    fm_cloth_def def = bare_cloth();
    def.stretch.stiffness = 2000;
    def.bend.stiffness = 1e-3;
    def.damping.coefficient = 0.3;
    def.integrator = FM_IMPLICIT;
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    set_random_velocities(cloth, 1);
    double mass[COUNT], before[3] = {0}, after[3] = {0}, scale = 0;
    read_field(cloth, "mass", mass);
    for (int pass = 0; pass < 2; pass++) {
        const fm_vec3 *v = fm_cloth_velocities(cloth, NULL);
        double *sum = pass ? after : before;
        for (int i = 0; i < COUNT; i++) {
            sum[0] += mass[i] * v[i].x, sum[1] += mass[i] * v[i].y, sum[2] += mass[i] * v[i].z;
            scale += pass ? 0 : mass[i] * (fabs(v[i].x) + fabs(v[i].y) + fabs(v[i].z));
        }
        if (pass == 0)
            advance(world, 2);
    }
    double worst = 0;
    for (int k = 0; k < 3; k++)
        worst = fmax(worst, fabs(after[k] - before[k]));
    printf("  momentum off by %.2e of its parts\n", worst / scale);
    assert_at_most(worst, 1e-9 * scale);
    fm_world_destroy(world);
}

// Largest E(t) - E(0) over 2 s, relative to the kinetic energy at the start or, at rest, to the
// energy that falling by the height of the sheet releases. swings: pinned, with gravity; else free
// with random velocities.
static double energy_gain(bool swings, fm_integrator integrator)
{
    fm_error err = {0};
    fm_cloth_def def = bare_cloth();
    def.stretch.stiffness = 2000;
    def.shear.stiffness = 100;
    def.bend.stiffness = 1e-4;
    def.integrator = integrator;
    fm_world *world = create_world(0, 0, swings ? (fm_vec3){0, 0, -g} : no_gravity);
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    if (swings)
        assert_true(fm_cloth_pin_row(cloth, 0, NULL, &err));
    else
        set_random_velocities(cloth, 0.3);
    fm_report first = fm_world_report(world);
    double start = first.kinetic_energy + first.potential_energy, gain = -INFINITY;
    double scale =
        swings ? def.density * def.thickness * 0.4 * 0.3 * g * 0.3 : first.kinetic_energy;
    for (int i = 0; i < 192; i++) {
        fm_report r = advance(world, 1.0 / 96);
        gain = fmax(gain, r.kinetic_energy + r.potential_energy - start);
    }
    fm_world_destroy(world);
    return gain / scale;
}

static void the_energy_never_exceeds_that_at_the_start(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        double gain = energy_gain(i % 2, i < 2 ? FM_IMPLICIT : FM_IMPLICIT_EULER);
        printf("  %s, %s: at most %.2e more than at the start\n",
               i < 2 ? "TR-BDF2" : "backward Euler", i % 2 ? "swinging" : "free", gain);
        assert_at_most(gain, 1e-3);
    }
}

// Sews the upper to the lower border of a bent free sheet.
static void a_seam_closes_and_keeps_the_centre_of_mass(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_cloth_def def = bare_cloth();
    def.integrator = FM_IMPLICIT;
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    fm_vec3 x[COUNT], start = {0, 0, 0}, end = {0, 0, 0};
    int one[COLUMNS], other[COLUMNS];
    for (int i = 0; i < COUNT; i++) { // half a cylinder around the x axis
        double angle = PI * (i / COLUMNS) / (ROWS - 1), radius = sheet.height / PI;
        x[i] = (fm_vec3){sheet.width * (i % COLUMNS) / (COLUMNS - 1), radius * cos(angle),
                         radius * sin(angle)};
    }
    for (int i = 0; i < COLUMNS; i++)
        one[i] = i, other[i] = COUNT - COLUMNS + i;
    assert_true(fm_cloth_set_positions(cloth, x, &err));
    assert_true(fm_cloth_sew(cloth, one, other, COLUMNS, 0, 0.2, &err));
    advance(world, 1);
    const fm_vec3 *at = fm_cloth_positions(cloth, NULL);
    double gap = 0;
    for (int i = 0; i < COLUMNS; i++)
        gap = fmax(gap, fabs(at[one[i]].y - at[other[i]].y));
    for (int i = 0; i < COUNT; i++) { // masses: 1, and 1/2 at each border
        double mass = (i % COLUMNS == 0 || i % COLUMNS == COLUMNS - 1 ? 0.5 : 1) *
                      (i / COLUMNS == 0 || i / COLUMNS == ROWS - 1 ? 0.5 : 1);
        start.z += mass * x[i].z, end.z += mass * at[i].z;
    }
    printf("  gap %.2g m, centre moves by %.2g of its height\n", gap, end.z / start.z - 1);
    assert_at_most(gap, 0.01 * sheet.height);
    assert_close(end.z, start.z, 1e-9 * start.z);
    fm_world_destroy(world);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "cloth_implicit");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fractional_oscillator_converges_with_order_2),
        cmocka_unit_test(with_backward_euler_it_converges_with_order_1),
        cmocka_unit_test(the_path_in_water_converges_to_that_of_kick_drift_kick),
        cmocka_unit_test(a_strip_of_10_kN_per_m_swings_like_a_chain_at_a_quarter_of_a_frame),
        cmocka_unit_test(a_free_sheet_keeps_its_momentum),
        cmocka_unit_test(the_energy_never_exceeds_that_at_the_start),
        cmocka_unit_test(a_seam_closes_and_keeps_the_centre_of_mass),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
