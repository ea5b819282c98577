// SPDX-License-Identifier: MIT
// particles_taylor_green.c: Taylor-Green vortices keep their shape while they decay:
//
//     u = -e cos(2 pi x) sin(2 pi y),    v = e sin(2 pi x) cos(2 pi y),    e = U e^(-8 pi^2 t / Re)
//
// at Re = 100, up to t = 1, when 45 % of the speed is left. Particles start with a jitter: from a
// perfect lattice they line up along the streams between the vortices, an artefact of the regular
// start. The error of the particles' velocities, relative to the exact ones, converges with order 1
// or better.
#include "exact.h"
#include "fluids.h"

enum { LEVELS = 3 }; // resolutions
static const double PI = 3.14159265358979323846, Re = 100;

// Exact velocity at the point x and time t.
static fm_vec3 vortices(fm_vec3 x, double t)
{
    double decay = exp(-8 * PI * PI * t / Re);
    return (fm_vec3){-decay * cos(2 * PI * x.x) * sin(2 * PI * x.y),
                     decay * sin(2 * PI * x.x) * cos(2 * PI * x.y), 0};
}

// Relative error of the velocities at t = 1 with cells x cells particles. *energy: kinetic energy
// over its exact value.
static double measure_velocity_error(int cells, double *energy)
{
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_particles_def def = viscous_fluid_def(2, 1.0 / cells, 1 / Re, 1);
    def.artificial_viscosity = fm_default_particles_def().artificial_viscosity;
    set_periodic(&def, 0);
    set_periodic(&def, 1);
    fm_particles *fluid = create_fluid(world, &def);
    fill_domain(fluid, 0.2);
    int n;
    const fm_vec3 *x = fm_particles_positions(fluid, &n);
    fm_vec3 *start = malloc((size_t)n * sizeof *start);
    for (int i = 0; i < n; i++)
        start[i] = vortices(x[i], 0);
    assert_true(fm_particles_set_velocities(fluid, start, &err));
    free(start);
    fm_report report = advance(world, 1);
    x = fm_particles_positions(fluid, &n);
    const fm_vec3 *v = fm_particles_velocities(fluid, NULL);
    double square = 0, scale = exp(-8 * PI * PI / Re);
    for (int i = 0; i < n; i++) {
        fm_vec3 u = vortices(x[i], 1);
        square += (pow(v[i].x - u.x, 2) + pow(v[i].y - u.y, 2)) / n;
    }
    // the exact kinetic energy is half of 1000 kg times the mean square, scale^2 / 2
    *energy = report.kinetic_energy / (250 * scale * scale);
    fm_world_destroy(world);
    return sqrt(2 * square) / scale; // the mean square of the exact velocity is scale^2 / 2
}

static void the_velocity_of_decaying_vortices_converges(void **state)
{
    (void)state;
    double error[LEVELS], energy = 0;
    for (int level = 0; level < LEVELS; level++) {
        error[level] = measure_velocity_error(20 << level, &energy);
        exact_report("velocity", 0.05 / (1 << level), error[level]);
    }
    printf("  kinetic energy at the finest: %.4f of the exact\n", energy);
    assert_true(exact_order(error, LEVELS) >= 1);
    assert_at_most(error[LEVELS - 1], 0.02);
    assert_close(energy, 1, 0.03);
}

// Viscosity from the decay of the energy, relative to the one asked for, with 30 particles across
// the period L, m, the speed U, m/s, and the default settings.
static double measure_default_viscosity(fm_sph_method method, double viscosity, double L, double U)
{
    const double k = 2 * 3.14159265358979323846 / L, rate = 4 * viscosity / 1000 * k * k;
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_particles_def def = fm_default_particles_def();
    def.dimensions = 2;
    def.method = method;
    def.spacing = L / 30;
    def.viscosity = viscosity;
    def.domain.high = (fm_vec3){L, L, 0};
    set_periodic(&def, 0);
    set_periodic(&def, 1);
    fm_particles *fluid = create_fluid(world, &def);
    fill_domain(fluid, 0.2);
    int n;
    const fm_vec3 *x = fm_particles_positions(fluid, &n);
    fm_vec3 *v = malloc((size_t)n * sizeof *v);
    for (int i = 0; i < n; i++)
        v[i] = (fm_vec3){-U * cos(k * x[i].x) * sin(k * x[i].y),
                         U * sin(k * x[i].x) * cos(k * x[i].y), 0};
    assert_good(fm_particles_set_velocities(fluid, v, &err), &err);
    free(v);
    double before = advance(world, 0.125 / rate).kinetic_energy;
    double after = advance(world, 0.5 / rate).kinetic_energy;
    fm_world_destroy(world);
    return log(before / after) / 0.5;
}

static void default_settings_are_as_viscous_as_they_say(void **state)
{
    (void)state;
    for (int method = FM_SPH_WEAKLY_COMPRESSIBLE; method <= FM_SPH_CONSTANT_DENSITY; method++) {
        double thin = measure_default_viscosity((fm_sph_method)method, 1, 0.05, 0.02);
        double thick = measure_default_viscosity((fm_sph_method)method, 100, 1, 1);
        printf("  method %d: %.3f of 1 Pa s, %.3f of 100 Pa s\n", method, thin, thick);
        assert_close(thin, 1, 0.05);
        assert_close(thick, 1, 0.05);
    }
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "particles_taylor_green");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_velocity_of_decaying_vortices_converges),
        cmocka_unit_test(default_settings_are_as_viscous_as_they_say)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
