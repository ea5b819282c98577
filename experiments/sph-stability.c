// SPDX-License-Identifier: MIT
// sph-stability.c: the largest stable step, with and without memory in the viscosity.
//
// [OZG13] §4.6, figure 4.12: a lid-driven cavity of standard SPH gets unstable "after a small
// increase" of the step, the fractional one takes twice the step, "especially for viscous fluids".
//
// Here: the published method in the plane, 20 x 20 particles, the lid at 1 m/s, explicit Euler and
// leapfrog, for viscosities of 10 to 1000 Pa s. A step is stable when in 400 steps, and in at
// least 0.3 s, no particle is faster than three times the lid. The largest one is found by
// bisection to 1 %, for five jitters of the particles. Beside ten steps as published: standard SPH
// at the viscosity they amount to, which is what decides; and memories scaled so that steady shear
// feels the viscosity.
//
// [OZG13] Özgen: Physics-based animation models using fractional calculus. PhD thesis, 2013.
#include "streams.h"

enum { SEEDS = 5 };
enum { STANDARD, PUBLISHED, CONTROL, SCALED, FADING, FULL, ARMS };
static const char *const names[ARMS] = {
    "standard",        "10 steps as published", "standard equivalent viscosity",
    "10 steps scaled", "fading 0.05 s scaled",  "full T = 1 s"};

static bool is_stable(experiment *e, int kind, fm_sph_integrator integrator, double viscosity,
                      int seed, double step)
{
    fm_error err = {0};
    fm_world_def world_def = fm_default_world_def();
    world_def.gravity = (fm_vec3){0, 0, 0};
    world_def.threads = 1;
    fm_world *world = fm_world_create(&world_def, &err);
    fm_particles_def def = fm_default_particles_def();
    def.dimensions = 2;
    def.method = FM_SPH_STANDARD;
    def.integrator = integrator;
    def.spacing = 0.05;
    def.stiffness = 20;
    def.viscosity =
        kind == CONTROL ? viscosity * 2 * sqrt(10 * step / 3.14159265358979) : viscosity;
    def.time_step = step;
    def.fractional = kind == PUBLISHED ? recall_steps(10, 1)
                     : kind == SCALED  ? recall_steps(10, 0)
                     : kind == FADING  ? recall_fading(0.05, 0)
                     : kind == FULL    ? recall_full(1)
                                       : def.fractional;
    def.domain.high = (fm_vec3){1, 1, 0};
    def.domain.slide[FM_SIDE_TOP] = (fm_vec3){1, 0, 0};
    fm_particles *fluid = fm_particles_create(world, &def, &err);
    fm_fluid_box box = {.high = {1, 1, 0}, .jitter = 0.1, .seed = (uint64_t)seed};
    int steps = experiment_quick(e) ? 50 : (int)fmax(400, 0.3 / step);
    bool good = fluid && fm_particles_add_box(fluid, &box, &err);
    for (int k = 0; k < 10 && good; k++) {
        fm_world_advance(world, step * (steps / 10), &err);
        int n = 0;
        const fm_vec3 *v = err.status == FM_OK ? fm_particles_velocities(fluid, &n) : NULL;
        good = v != NULL;
        for (int i = 0; i < n && good; i++)
            good = v[i].x * v[i].x + v[i].y * v[i].y < 9;
    }
    fm_world_destroy(world);
    if (err.status != FM_OK && err.status != FM_DIVERGED)
        experiment_fail(e, err.status, "%s", err.text);
    return good;
}

static double find_largest(experiment *e, int kind, fm_sph_integrator integrator, double viscosity,
                           int seed)
{
    double low = 1e-4, high = 0.2;
    if (!is_stable(e, kind, integrator, viscosity, seed, low))
        return 0;
    while (high / low > (experiment_quick(e) ? 2 : 1.01) && !experiment_failed(e)) {
        double middle = sqrt(low * high);
        if (is_stable(e, kind, integrator, viscosity, seed, middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

// All arms for the same jitters; over standard of the same jitter.
static void compare(experiment *e, int integrator, double viscosity, experiment_table *table)
{
    static const char *const integrators[] = {"Euler", "leapfrog"};
    const int seeds = experiment_quick(e) ? 1 : SEEDS;
    double standard[SEEDS] = {0};
    for (int arm = 0; arm < ARMS && !experiment_failed(e); arm++) {
        streams_mean largest = {0}, over = {0};
        for (int k = 0; k < seeds; k++) {
            double step = find_largest(e, arm, (fm_sph_integrator)integrator, viscosity, 1 + k);
            standard[k] = arm == STANDARD ? step : standard[k];
            streams_add(&largest, step);
            streams_add(&over, step / standard[k]);
            experiment_row(table, "%s,%g,%s,%d,%.4g,%.4g", integrators[integrator], viscosity,
                           names[arm], 1 + k, step, step / standard[k]);
        }
        const char *scheme = integrators[integrator];
        experiment_result_of(e, NAN, 1e3 * streams_average(&largest), "ms",
                             "%s, %g Pa s, %s: largest step", scheme, viscosity, names[arm]);
        experiment_result_of(e, NAN, 1e3 * streams_spread(&largest), "ms",
                             "%s, %g Pa s, %s: its standard deviation", scheme, viscosity,
                             names[arm]);
        if (arm == STANDARD)
            continue;
        experiment_result_of(e, arm == PUBLISHED ? 2 : NAN, streams_average(&over), "",
                             "%s, %g Pa s, %s: over standard", scheme, viscosity, names[arm]);
        experiment_result_of(e, NAN, streams_spread(&over), "",
                             "%s, %g Pa s, %s: standard deviation of that", scheme, viscosity,
                             names[arm]);
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
            compare(e, integrator, viscosities[k], table);
    return experiment_close(e);
}
