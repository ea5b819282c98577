// SPDX-License-Identifier: MIT
// particles_effective_viscosity.c: the effective viscosity that a fluid reports is the one that its
// motion decays with, for water (1e-3 Pa s) with the default settings, where the errors of the
// scheme lose far more energy than the viscosity.
//
// Taylor-Green vortices in a periodic box, u = U (-cos kx sin ky, sin kx cos ky): the amplitude of
// that field in the velocities decays with 2 mu/rho k^2. Standing wave in a tank with slip walls,
// 1 m x 0.5 m, a tenth of the depth high: it decays with mu/rho times
//
//     Phi / (2 E) = 2 k^2          (Lamb, Hydrodynamics, art. 348, for any depth)
//
// without the boundary layers, which slip walls do not have. Two values are within 20 % of it, a
// limit set before the figures were seen: energy lost over the strain integral in the time in which
// the decay was measured, and the value that stats.csv has at its end, with fading weights. The
// time of fading, 10 s, was chosen after seeing the figures. With 1 s the value swings with the
// wave, between 0.1 and 1.2 Pa s; faded twice over 1 s it is 24 % off, and without the first 1.75
// periods of the wave up to 43 %. So the agreement holds for means over a run, not over a short
// window.
#include "fluids.h"

static const double PI = 3.14159265358979323846;
static const double ALLOWED = 0.2; // relative difference

// Share of the field `mode` in the velocities of the fluid.
static double find_share(fm_particles *fluid, fm_vec3 mode(fm_vec3 x))
{
    int n;
    const fm_vec3 *x = fm_particles_positions(fluid, &n);
    const fm_vec3 *v = fm_particles_velocities(fluid, &n);
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        fm_vec3 u = mode(x[i]);
        sum += u.x * v[i].x + u.y * v[i].y;
        squares += u.x * u.x + u.y * u.y;
    }
    return sum / squares;
}

// Gives the particles the velocities of a mode.
static void start_mode(fm_particles *fluid, fm_vec3 mode(fm_vec3 x))
{
    fm_error err = {0};
    int n;
    const fm_vec3 *x = fm_particles_positions(fluid, &n);
    fm_vec3 *v = malloc((size_t)n * sizeof *v);
    for (int i = 0; i < n; i++)
        v[i] = mode(x[i]);
    bool good = fm_particles_set_velocities(fluid, v, &err);
    assert_good(good, &err);
    free(v);
}

// Viscosity from the energy that the fluid lost between two readings, Pa s.
static double find_reported(fm_particles_stats from, fm_particles_stats to)
{
    return (to.lost_energy - from.lost_energy) / (to.strain_integral - from.strain_integral);
}

// Checks the totals and what stats.csv would print now against the viscosity of the decay, Pa s.
static void compare(const char *what, fm_particles *fluid, double reported, double measured)
{
    double now = fm_particles_effective_viscosity(fluid);
    printf("  %s, method %d: reported %.3g Pa s in all, %.3g Pa s now, decay of %.3g Pa s\n", what,
           fm_particles_definition(fluid).method, reported, now, measured);
    assert_close(reported, measured, ALLOWED * measured);
    assert_close(now, measured, ALLOWED * measured);
}

// Vortices of 1 m/s and 1 m.
static fm_vec3 find_vortices(fm_vec3 x)
{
    const double k = 2 * PI;
    return (fm_vec3){-cos(k * x.x) * sin(k * x.y), sin(k * x.x) * cos(k * x.y), 0};
}

static void vortices_decay_with_the_reported_viscosity(void **state)
{
    (void)state;
    for (int method = FM_SPH_WEAKLY_COMPRESSIBLE; method <= FM_SPH_CONSTANT_DENSITY; method++) {
        fm_world *world = create_world(1000, 1e-3, no_gravity);
        fm_particles_def def = fm_default_particles_def();
        def.dimensions = 2;
        def.method = (fm_sph_method)method;
        def.spacing = 1.0 / 40;
        set_periodic(&def, 0);
        set_periodic(&def, 1);
        fm_particles *fluid = create_fluid(world, &def);
        fill_domain(fluid, 0.2);
        start_mode(fluid, find_vortices);
        advance(world, 0.2); // the particles leave their lattice
        const double before = find_share(fluid, find_vortices), duration = 0.5; // s
        const fm_particles_stats from = fm_particles_read_stats(fluid);
        advance(world, duration);
        double rate = log(before / find_share(fluid, find_vortices)) / duration;
        double reported = find_reported(from, fm_particles_read_stats(fluid));
        double measured = 1000 * rate / (2 * 4 * PI * PI);
        compare("vortices", fluid, reported, measured);
        fm_world_destroy(world);
    }
}

static const double g = 9.81, depth = 0.5, height = 0.05; // m/s^2, m, m

// First mode of a tank of 1 m, of the height of the wave.
static fm_vec3 find_wave(fm_vec3 x)
{
    const double k = PI, omega = sqrt(g * k * tanh(k * depth)),
                 A = height * omega / sinh(k * depth);
    return (fm_vec3){-A * sin(k * x.x) * cosh(k * x.y), A * cos(k * x.x) * sinh(k * x.y), 0};
}

static void a_wave_decays_with_the_reported_viscosity(void **state)
{
    (void)state;
    for (int method = FM_SPH_WEAKLY_COMPRESSIBLE; method <= FM_SPH_CONSTANT_DENSITY; method++) {
        fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -g, 0});
        fm_particles_def def = fixture_tank_def(2, 0.025, (fm_vec3){1, 1.4 * depth, 0});
        def.domain.sides[FM_SIDE_TOP] = FM_SIDE_OPEN;
        def.domain.slip = true;
        def.method = (fm_sph_method)method;
        fm_fluid_box box = {.high = {1, depth, 0}, .settled = true};
        fm_particles *fluid = create_pool(world, &def, &box);
        start_mode(fluid, find_wave);
        const double step = 0.01, period = 2 * PI / sqrt(g * PI * tanh(PI * depth));
        fixture_oscillation wave = fixture_begin_oscillation(step, 1);
        const fm_particles_stats from = fm_particles_read_stats(fluid);
        for (int n = 1; n * step <= 5 * period; n++) {
            advance(world, step);
            fixture_add_value(&wave, find_share(fluid, find_wave));
        }
        double reported = find_reported(from, fm_particles_read_stats(fluid));
        double measured = 1000 * fixture_find_decay(&wave) / (2 * PI * PI);
        compare("wave", fluid, reported, measured);
        fm_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(vortices_decay_with_the_reported_viscosity),
                                       cmocka_unit_test(a_wave_decays_with_the_reported_viscosity)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
