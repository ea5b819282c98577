// SPDX-License-Identifier: MIT
// sph-cavity-3d.c: the early flow in a lid-driven cube, with and without fractional viscosity.
//
// [OZG13] §4.6, figure 4.13, compares 21,000 particles of standard SPH with 6,000 fractional and
// 6,000 standard particles, as colours and arrows. The thesis states that, while the flow develops,
// the fractional fluid looks like the high resolution and the standard one does not.
//
// Here: the cube of scenes/particles/cavity-3d.yaml (Re = 100, the weakly compressible method, no
// artificial viscosity), 28^3 against 18^3 particles, over the first two seconds. Every 0.1 s the
// mean velocity of the particles in each of 5^3 boxes is compared with that of the high resolution:
// the mean angle (eq. 4.8) and the mean difference, in units of the lid's speed. Boxes slower than
// a hundredth of the lid's speed in the high resolution are ignored. Reported are the errors and
// the share of boxes with less error than standard SPH, over five random jitters of the particles
// in both resolutions.
//
// [OZG13] in docs/references.md
#include "streams.h"

// SIDE: boxes along an edge of the cube; SAMPLES: instants at which velocities are compared.
enum { SIDE = 5, BOXES = SIDE * SIDE * SIDE, SAMPLES = 20 };
static const double SLOW = 0.01; // m/s, a hundredth of the lid's speed; slower boxes are ignored

// The flow of one run, averaged over boxes.
typedef struct flow {
    fm_vec3 v[SAMPLES][BOXES]; // m/s, mean velocity of each box
    double steady;             // Pa s, viscosity felt by steady shear at the end
} flow;

// Index along one axis of the box that contains the coordinate x, m.
static int find_box(double x)
{
    int k = (int)(x * SIDE);
    return k < 0 ? 0 : k >= SIDE ? SIDE - 1 : k;
}

// Computes the mean velocity of the particles in each box.
static void measure_boxes(fm_particles *fluid, fm_vec3 mean[BOXES])
{
    int n, inside[BOXES] = {0};
    const fm_vec3 *x = fm_particles_positions(fluid, &n);
    const fm_vec3 *v = fm_particles_velocities(fluid, NULL);
    for (int i = 0; i < BOXES; i++)
        mean[i] = (fm_vec3){0, 0, 0};
    for (int i = 0; i < n; i++) {
        int box = (find_box(x[i].z) * SIDE + find_box(x[i].y)) * SIDE + find_box(x[i].x);
        inside[box]++;
        mean[box].x += v[i].x;
        mean[box].y += v[i].y;
        mean[box].z += v[i].z;
    }
    for (int i = 0; i < BOXES; i++) {
        double share = inside[i] ? 1.0 / inside[i] : 0;
        mean[i] = (fm_vec3){share * mean[i].x, share * mean[i].y, share * mean[i].z};
    }
}

// Simulates the cube with cells^3 particles and records the flow.
static void simulate_cube(experiment *e, int cells, double viscosity,
                          const fm_fractional *fractional, int seed, flow *out)
{
    fm_error *err = experiment_error(e);
    fm_world *world = fixture_create_world(fixture_weightless_water_def(1), err);
    fm_particles_def def = fixture_cavity_def(3, cells, viscosity);
    streams_set_method(&def, 0);
    def.fractional = *fractional;
    fm_fluid_box box = {.high = {1, 1, 1}, .jitter = 0.05, .seed = (uint64_t)seed};
    fm_particles *fluid = fixture_create_fluid(world, &def, &box, err);
    if (!fluid) {
        fm_world_destroy(world);
        return;
    }
    for (int k = 0; k < SAMPLES && err->status == FM_OK; k++) {
        fm_world_advance(world, (experiment_quick(e) ? 0.02 : 2.0) / SAMPLES, err);
        measure_boxes(fluid, out->v[k]);
    }
    out->steady = fm_particles_steady_viscosity(fluid);
    fm_world_destroy(world);
}

// Scalar product of two vectors.
static double dot(fm_vec3 a, fm_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Angle (rad) between the velocities of two flows in each box, and magnitude of their difference
// (m/s), means over time; NAN for slow boxes.
static void compare_flows(const flow *reference, const flow *other, double angle[BOXES],
                          double difference[BOXES])
{
    for (int i = 0; i < BOXES; i++) {
        double speed = 0;
        angle[i] = difference[i] = 0;
        for (int k = 0; k < SAMPLES; k++) {
            fm_vec3 a = reference->v[k][i], b = other->v[k][i];
            fm_vec3 d = {a.x - b.x, a.y - b.y, a.z - b.z};
            double scale = sqrt(dot(a, a) * dot(b, b));
            if (scale > 0)
                angle[i] += acos(fmax(-1, fmin(1, dot(a, b) / scale))) / SAMPLES;
            difference[i] += sqrt(dot(d, d)) / SAMPLES;
            speed += sqrt(dot(a, a)) / SAMPLES;
        }
        if (speed < SLOW)
            angle[i] = difference[i] = NAN;
    }
}

// Share of the boxes in which `one` is smaller than `other`.
static double share_smaller(const double *one, const double *other)
{
    int better = 0, compared = 0;
    for (int i = 0; i < BOXES; i++) {
        better += one[i] < other[i];
        compared += !isnan(one[i]);
    }
    return compared ? (double)better / compared : 0;
}

// Mean over the boxes that are not NAN.
static double average(const double *values)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < BOXES; i++) {
        sum += isnan(values[i]) ? 0 : values[i];
        count += !isnan(values[i]);
    }
    return count ? sum / count : 0;
}

// The fluids of low resolution.
enum {
    STANDARD,     // Newtonian viscosity
    PUBLISHED,    // half derivatives of the shear over ten steps
    EQUIVALENT,   // Newtonian, with the viscosity that steady shear feels in PUBLISHED
    SCALED,       // as PUBLISHED, scaled so that steady shear feels the nominal viscosity
    FADING,       // half derivatives that fade in 0.05 s, scaled likewise
    OTHER_JITTER, // STANDARD with another random jitter: shows the effect of chance
    VARIANTS,
};
static const char *const names[VARIANTS] = {
    "standard",        "10 steps as published", "standard equivalent viscosity",
    "10 steps scaled", "fading 0.05 s scaled",  "standard another jitter"};

// Results of all variants over the seeds of the jitter. better_*: share of boxes with less error
// than STANDARD.
typedef struct study {
    streams_mean angle[VARIANTS], difference[VARIANTS], better_angle[VARIANTS],
        better_difference[VARIANTS];
    double viscosity; // Pa s, that steady shear feels in PUBLISHED
} study;

// Simulates the high resolution and all variants of the low resolution with one seed of the jitter.
// f: scratch for two flows.
static void compare_for_seed(experiment *e, int seed, flow *f, study *s, experiment_table *table)
{
    bool quick = experiment_quick(e);
    const fm_fractional none = fm_default_particles_def().fractional;
    const fm_fractional variants[VARIANTS] = {none,
                                              streams_window_viscosity(10, 1),
                                              none,
                                              streams_window_viscosity(10, 0),
                                              streams_fading_viscosity(0.05, 0),
                                              none};
    double standard_angle[BOXES], standard_difference[BOXES], angle[BOXES], difference[BOXES];
    simulate_cube(e, quick ? 12 : 28, 10, &none, seed, &f[0]);
    for (int a = 0; a < VARIANTS && !experiment_failed(e); a++) {
        simulate_cube(e, quick ? 8 : 18, a == EQUIVALENT ? s->viscosity : 10, &variants[a],
                      a == OTHER_JITTER ? 1000 + seed : seed, &f[1]);
        s->viscosity = a == PUBLISHED ? f[1].steady : s->viscosity;
        compare_flows(&f[0], &f[1], angle, difference);
        if (a == STANDARD)
            compare_flows(&f[0], &f[1], standard_angle, standard_difference);
        streams_add_value(&s->angle[a], average(angle));
        streams_add_value(&s->difference[a], average(difference));
        streams_add_value(&s->better_angle[a], share_smaller(angle, standard_angle));
        streams_add_value(&s->better_difference[a], share_smaller(difference, standard_difference));
        experiment_write_row(table, "%d,%s,%.4g,%.4g,%.4g,%.4g", seed, names[a], average(angle),
                             average(difference), share_smaller(angle, standard_angle),
                             share_smaller(difference, standard_difference));
    }
}

// Reports mean and standard deviation over the seeds for every fluid.
static void report_variants(experiment *e, const study *s)
{
    for (int a = 0; a < VARIANTS; a++) {
        const streams_mean *const means[4] = {&s->angle[a], &s->difference[a], &s->better_angle[a],
                                              &s->better_difference[a]};
        static const char *const measures[4] = {"angle", "difference over the lid's speed",
                                                "boxes with less error of direction than standard",
                                                "boxes with less difference than standard"};
        for (int k = 0; k < (a == STANDARD ? 2 : 4); k++) {
            double scale = k < 2 ? 1 : 100;
            const char *unit = k == 0 ? "rad" : k == 1 ? "" : "%";
            experiment_add_named_result(e, NAN, scale * streams_average(means[k]), unit, "%s: %s",
                                        names[a], measures[k]);
            experiment_add_named_result(e, NAN, scale * streams_standard_deviation(means[k]), unit,
                                        "%s: its standard deviation over the seeds", names[a]);
        }
    }
    experiment_add_result(e, "viscosity that 10 steps, as published, amount to", NAN, s->viscosity,
                          "Pa s");
}

int main(int argc, char **argv)
{
    int status;
    experiment *e =
        experiment_open(argc, argv, "sph-cavity-3d",
                        "The early flow in a lid-driven cube, with and without memory.", &status);
    if (!e)
        return status;
    flow *f = experiment_alloc(e, 2, sizeof *f);
    study s = {.viscosity = 10};
    experiment_table *table = experiment_table_open(
        e, "seeds.csv", "seed,arm,angle_rad,difference,better_angle,better_difference");
    for (int seed = 1; seed <= (experiment_quick(e) ? 1 : 5) && f && !experiment_failed(e); seed++)
        compare_for_seed(e, seed, f, &s, table);
    if (!experiment_failed(e))
        report_variants(e, &s);
    return experiment_close(e);
}
