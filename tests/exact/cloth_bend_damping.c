// SPDX-License-Identifier: MIT
// cloth_bend_damping.c: damping of bending follows a fractional oscillator, conserves momentum and
// angular momentum, and does not act on rigid rotations.
//
// A strip whose ends are pinned but free to rotate vibrates in the shape z(t) sin(k x), with
//
//     sigma z'' + C k^4 D^q z + B k^4 z = 0,   k = pi / L
//
//   z      displacement of the middle, m        C  coefficient of bending damping, N m s^q
//   sigma  mass per area, kg/m^2                B  bending rigidity, N m
//   q      order of the damping                 L  length of the strip, m
//
//   q = 1     decay rate C k^4 / (2 sigma), frequency^2 = B k^4 / sigma - decay^2
//   q = 1/2   the fractional oscillator, whose solution is known (fractional_oscillator.c)
//
// Second differences of a sine are sines. A sheet with the spacing dx therefore follows the same
// equation with the discrete value ((2 - 2 cos k dx) / dx^2)^2 in place of k^4. The error relative
// to the solution with the discrete value shows the order in the substep. It is 2 - q, because all
// damping impulses of a substep are computed from the same velocities. The error relative to the
// solution with k^4 shows the order in the mesh size, 2. On a mesh of triangles the discrete value
// follows from the measured frequency without damping, and the damped strip must agree with it.
//
// In this file the share of k^4 is the discrete value divided by k^4.
#include "bodies.h"
#include "exact.h"

static const double LENGTH = 0.4;              // m, of the strip
static const double WIDTH = 0.1;               // m
static const double AMPLITUDE = 1e-4;          // m, of the vibration; small, so that it is linear
static const double OMEGA = 6.283185307179586; // rad/s, without damping: 1 Hz
enum { ROWS = 4 };                             // of particles across the strip

// A cloth without stretch and shear stiffness whose strip has the frequency OMEGA and the damping
// term c D^q z per mass; c: s^(q-2).
static fm_cloth_def strip_cloth(double c, double order)
{
    fm_cloth_def def = bare_cloth();
    double k4 = pow(acos(-1) / LENGTH, 4), sigma = def.density * def.thickness;
    def.stretch.stiffness = 1e-9; // N/m, negligible
    def.shear.stiffness = 0;
    def.bend.stiffness = sigma * OMEGA * OMEGA / k4;
    def.bend.damping.coefficient = sigma * c / k4;
    def.bend.damping.order = order;
    def.bend.damping.memory.horizon = 10;
    def.bend.damping.memory.tolerance = 1e-8;
    return def;
}

// Creates a strip, a mesh of triangles or a sheet, bent to a sine, with pinned ends.
static fm_cloth *bend_strip(fm_world *world, const fm_cloth_def *def, int columns, bool mesh)
{
    fm_error err = {0};
    double dx = LENGTH / (columns - 1), dy = WIDTH / (ROWS - 1);
    fixture_mesh grid = fixture_create_grid(columns, ROWS, dx, dy, CUT_ALTERNATING);
    fm_cloth *cloth =
        mesh ? create_mesh(world, def, &grid)
             : create_sheet(
                   world, def,
                   &(fm_sheet){.columns = columns, .rows = ROWS, .width = LENGTH, .height = WIDTH});
    for (int i = 0; i < columns * ROWS; i++)
        grid.positions[i].z = AMPLITUDE * sin(acos(-1) * (i % columns) / (columns - 1));
    assert_true(fm_cloth_set_positions(cloth, grid.positions, &err));
    int pinned[2 * ROWS];
    for (int r = 0; r < ROWS; r++)
        pinned[2 * r] = r * columns, pinned[2 * r + 1] = (r + 1) * columns - 1;
    assert_true(fm_cloth_pin_list(cloth, pinned, 2 * ROWS, NULL, &err));
    fixture_destroy_mesh(&grid);
    return cloth;
}

// Displacement z of the middle of the strip, in amplitudes.
static double middle_of(fm_cloth *cloth, int columns)
{
    return fm_cloth_positions(cloth, NULL)[columns + columns / 2].z / AMPLITUDE;
}

// Share of k^4 of a sheet.
static double discrete_share(int columns)
{
    double kdx = acos(-1) / (columns - 1);
    return pow((2 - 2 * cos(kdx)) / (kdx * kdx), 2);
}

// Exact z / AMPLITUDE at time t, s, of a strip with damping of order 1. c: 1/s, as in strip_cloth;
// share: of k^4.
static double dashpot_solution(double c, double share, double t)
{
    double decay = c * share / 2, w = sqrt(OMEGA * OMEGA * share - decay * decay);
    return exp(-decay * t) * (cos(w * t) + decay / w * sin(w * t));
}

// Largest difference of z / AMPLITUDE from dashpot_solution in the first two seconds. h: substep,
// s; share: of k^4 in the solution; mesh: a mesh of triangles instead of a sheet.
static double dashpot_error(int columns, double h, double share, bool mesh)
{
    const double c = 1;
    fm_cloth_def def = strip_cloth(c, 1);
    def.time_step = h;
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth *cloth = bend_strip(world, &def, columns, mesh);
    double worst = 0;
    for (int n = 1; n <= 40; n++) {
        fm_report report = advance(world, 0.05);
        assert_close(report.damping_share, 1, 0); // the substep was short enough for all damping
        double z = middle_of(cloth, columns);
        worst = fmax(worst, fabs(z - dashpot_solution(c, share, 0.05 * n)));
    }
    fm_world_destroy(world);
    return worst;
}

// Share of k^4 of a mesh of triangles, from its frequency without damping.
static double mesh_share(int columns)
{
    fm_cloth_def def = strip_cloth(0, 1);
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth *cloth = bend_strip(world, &def, columns, true);
    double w = swing_frequency(world, cloth, columns + columns / 2, 9, 2e-3, 60);
    fm_world_destroy(world);
    return w * w / (OMEGA * OMEGA);
}

static void damping_of_order_1_converges_to_the_damped_oscillator(void **state)
{
    (void)state;
    // errors relative to the solution with the discrete k^4, which shows the order in the substep,
    // and relative to that with k^4 (share 1), which shows the order in the mesh size
    double in_time[3], in_space[3];
    for (int level = 0; level < 3; level++) {
        int columns = (8 << level) + 1;
        double h = 2e-4 / (1 << level);
        in_time[level] = dashpot_error(9, h, discrete_share(9), false);
        exact_report("q = 1, in the substep", h, in_time[level]);
        in_space[level] = dashpot_error(columns, 2e-5, 1, false);
        exact_report("q = 1, in the mesh", LENGTH / (columns - 1), in_space[level]);
    }
    assert_close(exact_order(in_time, 3), 1, 0.1);
    assert_close(exact_order(in_space, 3), 2, 0.1);
    assert_at_most(in_time[2], 2e-5);
    assert_at_most(in_space[2], 0.005);
    double share = mesh_share(17), mesh = dashpot_error(17, 5e-5, share, true);
    printf("  triangles: k^4 is %.4f of the continuous one\n", share);
    exact_report("q = 1, triangles", 5e-5, mesh);
    assert_at_most(mesh, 0.01);
}

// Largest error of z / AMPLITUDE at four times of a strip with damping of order 1/2. The exact
// values are those of fractional_oscillator.c for m = 1, c = 0.5, k = 4 pi^2. Stiffness and damping
// of the strip are divided by its share of k^4, so that it follows the equation with these numbers
// exactly. h: substep, s; mesh: a mesh of triangles instead of a sheet.
static double half_order_error(double h, bool mesh)
{
    static const double times[] = {0.5, 1, 2, 5}; // s
    static const double exact[] = {-0.9398318147107, 0.9219526318407, 0.8523706999804,
                                   0.6556880007329};
    enum { COLUMNS = 9 };
    fm_cloth_def def = strip_cloth(0.5, 0.5);
    double share = mesh ? mesh_share(COLUMNS) : discrete_share(COLUMNS);
    def.bend.stiffness /= share;
    def.bend.damping.coefficient /= share;
    def.time_step = h;
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth *cloth = bend_strip(world, &def, COLUMNS, mesh);
    double worst = 0, t = 0;
    for (int i = 0; i < 4; i++) {
        advance(world, times[i] - t);
        t = times[i];
        worst = fmax(worst, fabs(middle_of(cloth, COLUMNS) - exact[i]));
    }
    fm_world_destroy(world);
    return worst;
}

static void damping_of_order_one_half_converges_to_the_fractional_oscillator(void **state)
{
    (void)state;
    double error[4];
    for (int level = 0; level < 4; level++) {
        double h = 2e-3 / (1 << level);
        error[level] = half_order_error(h, false);
        exact_report("q = 1/2, in the substep", h, error[level]);
    }
    assert_true(exact_order(error, 4) > 1.5); // 2 - q, and better while other errors are larger
    assert_at_most(error[3], 1e-5);
    double mesh = half_order_error(2.5e-4, true);
    exact_report("q = 1/2, triangles", 2.5e-4, mesh);
    assert_at_most(mesh, 0.01);
}

// Momentum, angular momentum and energy of a cloth. The scales are the sums of the magnitudes of
// the terms, to which rounding errors are proportional.
typedef struct totals {
    double momentum[3], momentum_scale; // kg m/s
    double angular[3], angular_scale;   // kg m^2/s
    double energy;                      // J, kinetic and potential
} totals;

// Sums momentum, angular momentum about the origin and energy over all particles.
static totals measure(fm_world *world, fm_cloth *cloth)
{
    totals sum = {0};
    int n = fm_cloth_particle_count(cloth);
    double *mass = malloc((size_t)n * sizeof *mass);
    read_field(cloth, "mass", mass);
    const fm_vec3 *x = fm_cloth_positions(cloth, NULL), *v = fm_cloth_velocities(cloth, NULL);
    for (int i = 0; i < n; i++) {
        const double r[3] = {x[i].x, x[i].y, x[i].z};
        const double p[3] = {mass[i] * v[i].x, mass[i] * v[i].y, mass[i] * v[i].z};
        for (int c = 0; c < 3; c++) {
            int d = (c + 1) % 3, e = (c + 2) % 3;
            sum.momentum[c] += p[c];
            sum.angular[c] += r[d] * p[e] - r[e] * p[d];
            sum.momentum_scale += fabs(p[c]);
            sum.angular_scale += fabs(r[d] * p[e]) + fabs(r[e] * p[d]);
        }
    }
    free(mass);
    fm_report report = fm_world_report(world);
    sum.energy = report.kinetic_energy + report.potential_energy;
    return sum;
}

// Creates a cloth of 9 x 7 particles without pins, a mesh of triangles or a sheet.
static fm_cloth *create_free_cloth(fm_world *world, const fm_cloth_def *def, bool mesh)
{
    if (!mesh)
        return create_sheet(world, def,
                            &(fm_sheet){.columns = 9, .rows = 7, .width = 0.4, .height = 0.3});
    fixture_mesh grid = fixture_create_grid(9, 7, 0.05, 0.05, CUT_SHIFTED);
    fm_cloth *cloth = create_mesh(world, def, &grid);
    fixture_destroy_mesh(&grid);
    return cloth;
}

// A free cloth in a vacuum starts with random velocities. Checks that it keeps its momentum and
// angular momentum up to rounding and loses energy. coefficient: of bending damping, N m s^order.
static void check_free_cloth(double coefficient, double order, bool mesh)
{
    fm_cloth_def def = bare_cloth();
    def.bend.stiffness = 1e-3;
    def.bend.damping.coefficient = coefficient;
    def.bend.damping.order = order;
    fm_world *world = create_world(0, 0, no_gravity);
    def.time_step = 2e-4;
    fm_cloth *cloth = create_free_cloth(world, &def, mesh);
    set_random_velocities(cloth, 0.3);
    totals before = measure(world, cloth), now = before;
    double highest = before.energy; // J, that is still allowed
    int substeps = 0;
    for (int i = 0; i < 50; i++) {
        substeps += advance(world, 0.02).substep_count;
        now = measure(world, cloth);
        // the energy of kick-drift-kick oscillates by an error of second order in the substep
        assert_at_most(now.energy, highest * (1 + 1e-3));
        highest = fmin(highest, now.energy * (1 + 1e-2));
    }
    // rounding errors of substeps are random, so their sum grows like sqrt(substeps)
    double worst = 0, angular = 0, allowed = 8 * 2.2e-16 * sqrt(substeps);
    for (int c = 0; c < 3; c++) {
        worst = fmax(worst, fabs(now.momentum[c] - before.momentum[c]) / before.momentum_scale);
        angular = fmax(angular, fabs(now.angular[c] - before.angular[c]) / before.angular_scale);
    }
    printf("  C = %-6g q = %g %s: energy %.3f of the start, momentum off by %.1e, angular %.1e\n",
           coefficient, order, mesh ? "triangles" : "sheet", now.energy / before.energy, worst,
           angular);
    assert_at_most(worst, allowed);
    assert_at_most(angular, allowed);
    assert_true(now.energy < 0.97 * before.energy);
    fm_world_destroy(world);
}

static void bending_damping_conserves_momenta_and_loses_energy(void **state)
{
    (void)state;
    // N m s^q; the largest is far above what the substep allows, and the cloth must limit it
    static const double coefficients[] = {1e-5, 1e-3, 10};
    for (int i = 0; i < 12; i++)
        check_free_cloth(coefficients[i / 4], i % 2 ? 1 : 0.5, i / 2 % 2);
}

// A tube spins about its axis. That bends no part of it, so damping must not change its motion.
static void bending_damping_does_not_act_on_a_rotation(void **state)
{
    (void)state;
    enum { COLUMNS = 12, TUBE_ROWS = 4, COUNT = COLUMNS * TUBE_ROWS };
    fm_vec3 end[2][COUNT]; // m, final positions without and with damping
    for (int damped = 0; damped < 2; damped++) {
        fm_error err = {0};
        fm_cloth_def def = bare_cloth();
        def.bend.stiffness = 1e-7;
        def.bend.damping.coefficient = damped ? 1e-3 : 0;
        def.bend.damping.order = 0.5;
        fm_world *world = create_world(0, 0, no_gravity);
        fm_cloth *cloth = create_tube(world, &def, define_tube(COLUMNS, TUBE_ROWS, 0.1, 0.1, 0.15));
        fm_vec3 v[COUNT]; // m/s, a rotation of 1 rad/s
        for (int i = 0; i < COUNT; i++) {
            fm_vec3 x = fm_cloth_positions(cloth, NULL)[i];
            v[i] = (fm_vec3){x.z, 0, -x.x};
        }
        assert_true(fm_cloth_set_velocities(cloth, v, &err));
        for (int n = 0; n < 60; n++)
            advance(world, 0.05);
        for (int i = 0; i < COUNT; i++)
            end[damped][i] = fm_cloth_positions(cloth, NULL)[i];
        fm_world_destroy(world);
    }
    double apart = largest_distance(end[0], end[1], COUNT);
    printf("  a tube that turned by 3 rad: damping moved it by %.1e m of 0.3\n", apart);
    assert_at_most(apart, 1e-4);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "cloth_bend_damping");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damping_of_order_1_converges_to_the_damped_oscillator),
        cmocka_unit_test(damping_of_order_one_half_converges_to_the_fractional_oscillator),
        cmocka_unit_test(bending_damping_conserves_momenta_and_loses_energy),
        cmocka_unit_test(bending_damping_does_not_act_on_a_rotation),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
