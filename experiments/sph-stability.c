// SPDX-License-Identifier: MIT
// sph-stability.c: the largest stable step, with and without fractional viscosity.
//
// [OZG13] §4.6, figure 4.12: a lid-driven cavity of standard SPH becomes unstable "after a small
// increase" of the step; the fractional one takes twice the step, "especially for viscous fluids".
//
// Here: the published method in 2D, 20 x 20 particles, the lid at 1 m/s, explicit Euler and
// leapfrog, for viscosities of 10 to 1000 Pa s. A step is stable if during 400 steps, and at least
// 0.3 s, no particle is faster than three times the lid. Bisection finds the largest stable step to
// 1 %, for five random jitters of the particles. The fluids compared: half derivatives of the shear
// over ten steps as published; standard SPH at the steady viscosity of these ten steps, as a
// control; and memories scaled so that steady shear feels the nominal viscosity.
//
// [OZG13] in docs/references.md
#include "streams.h"

enum { SEEDS = 5 }; // random jitters of the particles

// The fluids that are compared.
enum {
    STANDARD,   // Newtonian viscosity
    PUBLISHED,  // half derivatives of the shear over ten steps
    EQUIVALENT, // Newtonian, with the viscosity that steady shear feels in PUBLISHED
    SCALED,     // as PUBLISHED, scaled so that steady shear feels the nominal viscosity
    FADING,     // half derivatives over the past weighted by e^(-t/0.05 s), scaled likewise
    WHOLE_PAST, // half derivatives over the whole past
    VARIANTS,
};
static const char *const names[VARIANTS] = {
    "standard",        "10 steps as published", "standard equivalent viscosity",
    "10 steps scaled", "fading 0.05 s scaled",  "full T = 1 s"};

// Whether the cavity stays stable with the time step `step` (s). seed: of the random jitter.
static bool is_stable(experiment *e, int variant, fm_sph_integrator integrator, double viscosity,
                      int seed, double step)
{
    fm_error err = {0};
    fm_world *world = fixture_create_world(fixture_weightless_water_def(1), &err);
    fm_particles_def def = fixture_cavity_def(2, 20, viscosity);
    streams_set_published_method(&def, 20, integrator, step);
    // for steady shear, a half derivative over 10 steps h is 2 sqrt(10 h/pi) times the rate of
    // shear
    if (variant == EQUIVALENT)
        def.viscosity *= 2 * sqrt(10 * step / 3.14159265358979);
    def.fractional = variant == PUBLISHED    ? streams_window_viscosity(10, 1)
                     : variant == SCALED     ? streams_window_viscosity(10, 0)
                     : variant == FADING     ? streams_fading_viscosity(0.05, 0)
                     : variant == WHOLE_PAST ? streams_full_viscosity(1)
                                             : def.fractional;
    fm_fluid_box box = {.high = {1, 1, 0}, .jitter = 0.1, .seed = (uint64_t)seed};
    fm_particles *fluid = fixture_create_fluid(world, &def, &box, &err);
    // 400 steps, and at least 0.3 s
    int steps = experiment_quick(e) ? 50 : (int)fmax(400, 0.3 / step);
    bool good = fluid != NULL;
    for (int k = 0; k < 10 && good; k++) {
        fm_world_advance(world, step * (steps / 10), &err);
        int n = 0;
        const fm_vec3 *v = err.status == FM_OK ? fm_particles_velocities(fluid, &n) : NULL;
        good = v != NULL;
        for (int i = 0; i < n && good; i++)
            good = v[i].x * v[i].x + v[i].y * v[i].y < 9; // three times the speed of the lid
    }
    fm_world_destroy(world);
    if (err.status != FM_OK && err.status != FM_DIVERGED)
        experiment_fail(e, err.status, "%s", err.text);
    return good;
}

// The largest stable time step, s, by bisection; 0 if 0.1 ms is unstable.
static double find_largest_step(experiment *e, int variant, fm_sph_integrator integrator,
                                double viscosity, int seed)
{
    double low = 1e-4, high = 0.2; // s, stable and unstable
    if (!is_stable(e, variant, integrator, viscosity, seed, low))
        return 0;
    while (high / low > (experiment_quick(e) ? 2 : 1.01) && !experiment_failed(e)) {
        double middle = sqrt(low * high);
        if (is_stable(e, variant, integrator, viscosity, seed, middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

// Runs all variants with the same jitters. Reports the largest step, also relative to standard SPH
// with the same jitter.
static void compare_variants(experiment *e, int integrator, double viscosity,
                             experiment_table *table)
{
    static const char *const integrators[] = {"Euler", "leapfrog"};
    const int seeds = experiment_quick(e) ? 1 : SEEDS;
    double standard[SEEDS] = {0};
    for (int variant = 0; variant < VARIANTS && !experiment_failed(e); variant++) {
        streams_mean largest = {0}, over_standard = {0};
        for (int k = 0; k < seeds; k++) {
            double step =
                find_largest_step(e, variant, (fm_sph_integrator)integrator, viscosity, 1 + k);
            standard[k] = variant == STANDARD ? step : standard[k];
            streams_add_value(&largest, step);
            streams_add_value(&over_standard, step / standard[k]);
            experiment_write_row(table, "%s,%g,%s,%d,%.4g,%.4g", integrators[integrator], viscosity,
                                 names[variant], 1 + k, step, step / standard[k]);
        }
        const char *scheme = integrators[integrator];
        experiment_add_named_result(e, NAN, 1e3 * streams_average(&largest), "ms",
                                    "%s, %g Pa s, %s: largest step", scheme, viscosity,
                                    names[variant]);
        experiment_add_named_result(e, NAN, 1e3 * streams_standard_deviation(&largest), "ms",
                                    "%s, %g Pa s, %s: its standard deviation", scheme, viscosity,
                                    names[variant]);
        if (variant == STANDARD)
            continue;
        experiment_add_named_result(
            e, variant == PUBLISHED ? 2 : NAN, streams_average(&over_standard), "",
            "%s, %g Pa s, %s: over standard", scheme, viscosity, names[variant]);
        experiment_add_named_result(e, NAN, streams_standard_deviation(&over_standard), "",
                                    "%s, %g Pa s, %s: standard deviation of that", scheme,
                                    viscosity, names[variant]);
    }
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "sph-stability",
                                    "The largest stable step, with and without memory.", &status);
    if (!e)
        return status;
    static const double viscosities[] = {10, 100, 1000};
    experiment_table *table = experiment_table_open(
        e, "steps.csv", "integrator,viscosity_Pas,arm,seed,step_s,over_standard");
    for (int integrator = 0; integrator < 2; integrator++)
        for (int k = 0; k < (experiment_quick(e) ? 1 : 3) && !experiment_failed(e); k++)
            compare_variants(e, integrator, viscosities[k], table);
    return experiment_close(e);
}
