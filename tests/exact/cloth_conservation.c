// SPDX-License-Identifier: MIT
// cloth_conservation.c: momentum and energy of a free sheet in a vacuum that starts with random
// velocities, and the convergence orders of the integrators.
//
// Linear momentum is conserved up to rounding. With kick-drift-kick angular momentum is too: every
// spring force and damping impulse acts along the line between its two particles, and bending
// forces depend on relative positions only. The energy error has the order of the integrator, 2 for
// kick-drift-kick. The particle paths converge with order 2 (kick-drift-kick), 1 (Euler), 2
// (Verlet), 2 (RK2) and 4 (RK4). With damped springs of order q, kick-drift-kick has order 2 - q,
// because it computes all damping impulses from the same velocities.
//
// In an ideal fluid (no viscosity, no pressure drag) the added mass, a layer of fluid that moves
// with the sheet, takes up energy and gives it back. Cloth and layer together conserve energy while
// the sheet folds and turns.
#include "bodies.h"
#include "exact.h"

enum { COLUMNS = 9, ROWS = 7, COUNT = COLUMNS * ROWS };

static const fm_sheet sheet = {
    .columns = COLUMNS, .rows = ROWS, .width = 0.4, .height = 0.3, .origin = {0.1, 0.2, 0.3}};

// A cloth with stretch, shear and bending stiffness, without drag and damping.
static fm_cloth_def cloth_with_springs_and_bending(void)
{
    fm_cloth_def def = bare_cloth();
    def.bend.stiffness = 1e-3;
    return def;
}

// Linear and angular momentum of a cloth, and the sums of the magnitudes of their terms, to which
// rounding errors are proportional.
typedef struct momenta {
    double linear[3], angular[3];       // kg m/s, kg m^2/s
    double linear_scale, angular_scale; // sums of magnitudes
} momenta;

// Linear and angular momentum of all particles.
static momenta measure_momenta(fm_cloth *cloth)
{
    momenta m = {0};
    double mass[COUNT];
    read_field(cloth, "mass", mass);
    const fm_vec3 *x = fm_cloth_positions(cloth, NULL), *v = fm_cloth_velocities(cloth, NULL);
    for (int i = 0; i < COUNT; i++) {
        const double p[3] = {mass[i] * v[i].x, mass[i] * v[i].y, mass[i] * v[i].z};
        const double r[3] = {x[i].x, x[i].y, x[i].z};
        for (int c = 0; c < 3; c++) {
            int d = (c + 1) % 3, e = (c + 2) % 3;
            m.linear[c] += p[c];
            m.angular[c] += r[d] * p[e] - r[e] * p[d];
            m.linear_scale += fabs(p[c]);
            m.angular_scale += fabs(r[d] * p[e]) + fabs(r[e] * p[d]);
        }
    }
    return m;
}

// Checks that a free sheet keeps its linear momentum and, if `angular`, its angular momentum.
static void check_momenta(const fm_cloth_def *def, bool angular)
{
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth *cloth = create_sheet(world, def, &sheet);
    set_random_velocities(cloth, 1);
    momenta before = measure_momenta(cloth);
    fm_report report = advance(world, 2);
    momenta after = measure_momenta(cloth);
    // each substep adds a random rounding error or two, so the sum grows like sqrt(substeps)
    double allowed = 8 * 2.2e-16 * sqrt(report.substep_count);
    double worst = 0, worst_angular = 0;
    for (int c = 0; c < 3; c++) {
        worst = fmax(worst, fabs(after.linear[c] - before.linear[c]));
        worst_angular = fmax(worst_angular, fabs(after.angular[c] - before.angular[c]));
    }
    printf("  %d substeps: momentum off by %.2e of its parts, angular by %.2e, allowed %.2e\n",
           report.substep_count, worst / before.linear_scale, worst_angular / before.angular_scale,
           allowed);
    assert_at_most(worst, allowed * before.linear_scale);
    if (angular)
        assert_at_most(worst_angular, allowed * before.angular_scale);
    fm_world_destroy(world);
}

static void a_free_sheet_keeps_its_momentum_and_angular_momentum(void **state)
{
    (void)state;
    fm_cloth_def def = cloth_with_springs_and_bending();
    check_momenta(&def, true);
    def.damping.coefficient = 0.3; // dashpots
    check_momenta(&def, true);
    def.damping.order = 0.5; // fractional damping, which also acts along the line between the ends
    check_momenta(&def, true);
    def = cloth_with_springs_and_bending();
    def.bend.model = FM_BEND_SPRINGS;
    def.bend.stiffness = 20;
    check_momenta(&def, true);
    def.integrator = FM_RK4; // RK4 conserves angular momentum only to its order
    check_momenta(&def, false);
}

// Largest change of the energy |E(t) - E(0)| during half a second with the time step h (s),
// relative to the initial kinetic energy.
static double energy_error(const fm_cloth_def *def, double h)
{
    fm_cloth_def stepped = *def;
    stepped.time_step = h;
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth *cloth = create_sheet(world, &stepped, &sheet);
    set_random_velocities(cloth, 0.3);
    fm_report first = fm_world_report(world);
    double start = first.kinetic_energy + first.potential_energy, worst = 0;
    for (int i = 0; i < 100; i++) {
        fm_report r = advance(world, 0.005);
        worst = fmax(worst, fabs(r.kinetic_energy + r.potential_energy - start));
    }
    fm_world_destroy(world);
    return worst / first.kinetic_energy;
}

static void the_energy_error_of_each_integrator_has_its_order(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        fm_integrator integrator;
        double low, high; // limits of the order of the energy error
    } cases[] = {
        {"kick-drift-kick", FM_KICK_DRIFT_KICK, 1.9, 2.1},
        // up to one order more, because for linear motion the leading error is one of phase, which
        // does not change the energy
        {"rk2", FM_RK2, 1.9, 3.2},
        {"rk4", FM_RK4, 3.9, 5.2},
    };
    for (int i = 0; i < 3; i++) {
        fm_cloth_def def = cloth_with_springs_and_bending();
        def.integrator = cases[i].integrator;
        double error[4];
        for (int level = 0; level < 4; level++) {
            double h = 5e-4 / (1 << level);
            error[level] = energy_error(&def, h);
            exact_report(cases[i].name, h, error[level]);
        }
        double order = exact_order(error, 4);
        printf("  order %.2f\n", order);
        assert_in_interval(order, cases[i].low, cases[i].high);
        assert_at_most(error[3], 1e-3);
    }
}

// Computes the positions of all particles after 0.1 s with the time step h (s).
static void compute_final_positions(const fm_cloth_def *def, double h, fm_vec3 *x)
{
    fm_cloth_def stepped = *def;
    stepped.time_step = h;
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth *cloth = create_sheet(world, &stepped, &sheet);
    set_random_velocities(cloth, 0.3);
    advance(world, 0.1);
    const fm_vec3 *end = fm_cloth_positions(cloth, NULL);
    for (int i = 0; i < COUNT; i++)
        x[i] = end[i];
    fm_world_destroy(world);
}

static void the_path_of_each_integrator_converges_with_its_order(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        fm_integrator integrator;
        double damping; // N s/m, coefficient of the spring damping, of order 1
        double order;   // of convergence
    } cases[] = {
        {"path, kick-drift-kick", FM_KICK_DRIFT_KICK, 0, 2},
        {"path, kick-drift-kick, dashpots", FM_KICK_DRIFT_KICK, 0.4, 1},
        {"path, euler", FM_EULER, 0.05, 1},
        {"path, verlet", FM_VERLET, 0, 2},
        {"path, rk2", FM_RK2, 0.05, 2},
        {"path, rk4", FM_RK4, 0.05, 4},
    };
    for (int i = 0; i < 6; i++) {
        fm_cloth_def def = cloth_with_springs_and_bending();
        fm_vec3 reference[COUNT], x[COUNT];
        def.damping.coefficient = cases[i].damping;
        def.integrator = FM_RK4;
        compute_final_positions(&def, 1.25e-5, reference);
        def.integrator = cases[i].integrator;
        double error[4], longest_step = cases[i].order < 2 ? 5e-5 : 4e-4; // s
        for (int level = 0; level < 4; level++) {
            double h = longest_step / (1 << level);
            compute_final_positions(&def, h, x);
            error[level] = largest_distance(x, reference, COUNT);
            exact_report(cases[i].name, h, error[level]);
        }
        assert_close(exact_order(error, 4), cases[i].order, 0.15);
    }
}

// Largest |E(t) - E(0)| / E(0) of a sheet that folds in an ideal fluid; E includes the energy of
// the fluid layer. h: time step, s. *smallest_cosine receives the smallest z component of a normal
// of the sheet, 1 at the start.
static double layer_energy_error(double h, double *smallest_cosine)
{
    fm_cloth_def def = cloth_with_springs_and_bending();
    fm_error err = {0};
    def.drag = fixture_perfect_cloth().drag;
    def.drag.pressure = def.drag.friction = 0;
    def.drag.skin_history = false;
    def.drag.added_mass = 0.004;
    def.time_step = h;
    fm_world *world = create_world(1000, 0, no_gravity);
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    fm_vec3 v[COUNT];
    for (int i = 0; i < COUNT; i++) {
        double s = i % COLUMNS / (double)(COLUMNS - 1), t = i / COLUMNS / (double)(ROWS - 1);
        v[i] = (fm_vec3){0.2 * t, 0.1 * s * t, 1.2 * sin(5 * s + 2 * t) + s};
    }
    assert_true(fm_cloth_set_velocities(cloth, v, &err));
    fm_report first = fm_world_report(world);
    double start = first.kinetic_energy + first.potential_energy, worst = 0, normal[3 * COUNT];
    *smallest_cosine = 1;
    for (int i = 0; i < 50; i++) {
        fm_report r = advance(world, 0.004);
        worst = fmax(worst, fabs(r.kinetic_energy + r.potential_energy - start));
        read_field(cloth, "normal", normal);
        for (int p = 0; p < COUNT; p++)
            *smallest_cosine = fmin(*smallest_cosine, normal[3 * p + 2]);
    }
    fm_world_destroy(world);
    return worst / start;
}

static void cloth_and_added_mass_together_keep_their_energy(void **state)
{
    (void)state;
    double error[4], smallest_cosine = 1;
    for (int level = 0; level < 4; level++) {
        double h = 4e-4 / (1 << level);
        error[level] = layer_energy_error(h, &smallest_cosine);
        exact_report("layer of an ideal fluid", h, error[level]);
    }
    double order = exact_order(error, 4);
    printf("  order %.2f, normals turned to cos = %.2f\n", order, smallest_cosine);
    assert_at_most(smallest_cosine, 0.5); // the test is valid only if the sheet folds and turns
    assert_in_interval(order, 1.8, 2.5);
    assert_at_most(error[3], 1e-3);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "cloth_conservation");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_sheet_keeps_its_momentum_and_angular_momentum),
        cmocka_unit_test(the_energy_error_of_each_integrator_has_its_order),
        cmocka_unit_test(the_path_of_each_integrator_converges_with_its_order),
        cmocka_unit_test(cloth_and_added_mass_together_keep_their_energy),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
