// SPDX-License-Identifier: MIT
// particles_poiseuille.c: start-up of plane Poiseuille flow between two walls, driven by a body
// force, against the series solution in reference/poiseuille_startup.csv at eight times. The root
// mean square error over the particles, relative to the largest speed at that time, converges with
// order 1 or better at every time (measured: 1.3 to 1.6), although at first the layer at the wall
// is thinner than a spacing.
#include "exact.h"
#include "fluids.h"

enum { TIMES = 8, ROWS = 21, LEVELS = 3 }; // compared instants; heights in the table; resolutions
static const double nu = 0.1, F = 0.8;     // m^2/s, m/s^2; final speed F L^2 / (8 nu) = 1 m/s
static const double times[TIMES] = {0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1}; // nu t / L^2

// Velocity in the reference table at the height y (0 to 1) and times[time], in units of F L^2 / nu;
// L = 1 m is the distance of the walls.
static double interpolate(double table[ROWS][TIMES + 1], double y, int time)
{
    double position = fmin(fmax(y, 0), 1) * (ROWS - 1); // in rows of the table
    int i = position < ROWS - 2 ? (int)position : ROWS - 2;
    int base = i < 1 ? 1 : i > ROWS - 3 ? ROWS - 3 : i;
    double value = 0; // Lagrange's cubic through the rows base - 1 to base + 2
    for (int a = base - 1; a <= base + 2; a++) {
        double weight = 1;
        for (int b = base - 1; b <= base + 2; b++)
            weight *= a == b ? 1 : (position - b) / (a - b);
        value += weight * table[a][time + 1];
    }
    return value;
}

// Root mean square errors at all times, relative to the largest speed, with `cells` particles
// between the walls.
static void measure_velocity_errors(int cells, double table[ROWS][TIMES + 1], double error[TIMES])
{
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){F, 0, 0});
    fm_particles_def def = viscous_fluid_def(2, 1.0 / cells, nu, 1);
    def.domain.high = (fm_vec3){0.5, 1, 0};
    set_periodic(&def, 0);
    fm_particles *fluid = create_fluid(world, &def);
    fill_domain(fluid, 0);
    double t = 0;
    for (int k = 0; k < TIMES; k++) {
        advance(world, times[k] / nu - t);
        t = times[k] / nu;
        int n;
        const fm_vec3 *x = fm_particles_positions(fluid, &n);
        const fm_vec3 *v = fm_particles_velocities(fluid, NULL);
        double square = 0, fastest = table[ROWS / 2][k + 1] * F / nu;
        for (int i = 0; i < n; i++)
            square += pow(v[i].x - interpolate(table, x[i].y, k) * F / nu, 2) / n;
        error[k] = sqrt(square) / fastest;
    }
    fm_world_destroy(world);
}

static void the_start_up_converges_to_the_series_solution(void **state)
{
    (void)state;
    double table[ROWS][TIMES + 1] = {0}, error[LEVELS][TIMES], series[LEVELS];
    assert_int_equal(
        read_table(REFERENCE_DIR "/poiseuille_startup.csv", &table[0][0], TIMES + 1, ROWS), ROWS);
    for (int level = 0; level < LEVELS; level++)
        measure_velocity_errors(10 << level, table, error[level]);
    for (int k = 0; k < TIMES; k++) {
        char name[48];
        snprintf(name, sizeof name, "nu t / L^2 = %g", times[k]);
        for (int level = 0; level < LEVELS; level++) {
            series[level] = error[level][k];
            exact_report(name, 0.1 / (1 << level), series[level]);
        }
        assert_true(exact_order(series, LEVELS) >= 1);
        assert_at_most(series[LEVELS - 1], 0.01); // 40 particles across
    }
}

// Root mean square error relative to the largest speed U, m/s, at nu t / L^2 = 1/2, with 20
// particles across the gap L, m, and the default settings, artificial viscosity among them.
static double measure_default_error(fm_sph_method method, double viscosity, double L, double U)
{
    const double kinematic = viscosity / 1000, PI = 3.14159265358979323846;
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){8 * kinematic * U / (L * L), 0, 0});
    fm_particles_def def = fm_default_particles_def();
    def.dimensions = 2;
    def.method = method;
    def.spacing = L / 20;
    def.viscosity = viscosity;
    def.domain.high = (fm_vec3){L / 2, L, 0};
    set_periodic(&def, 0);
    fm_particles *fluid = create_fluid(world, &def);
    fill_domain(fluid, 0);
    advance(world, 0.5 * L * L / kinematic);
    int n;
    const fm_vec3 *x = fm_particles_positions(fluid, &n);
    const fm_vec3 *v = fm_particles_velocities(fluid, NULL);
    double square = 0;
    for (int i = 0; i < n; i++) {
        double y = x[i].y / L; // only the first term of the series still counts
        double exact = 4 * y * (1 - y) - 32 / pow(PI, 3) * sin(PI * y) * exp(-PI * PI / 2);
        square += pow(v[i].x / U - exact, 2) / n;
    }
    fm_world_destroy(world);
    return sqrt(square);
}

static void default_settings_are_as_viscous_as_they_say(void **state)
{
    (void)state;
    for (int method = FM_SPH_WEAKLY_COMPRESSIBLE; method <= FM_SPH_CONSTANT_DENSITY; method++) {
        double thin = measure_default_error((fm_sph_method)method, 1, 0.05, 0.02);
        double thick = measure_default_error((fm_sph_method)method, 100, 1, 1);
        printf("  method %d: error %.4f at 1 Pa s, %.4f at 100 Pa s\n", method, thin, thick);
        assert_at_most(thin, 0.05);
        assert_at_most(thick, 0.05);
    }
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "particles_poiseuille");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_start_up_converges_to_the_series_solution),
        cmocka_unit_test(default_settings_are_as_viscous_as_they_say)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
