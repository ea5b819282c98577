// SPDX-License-Identifier: MIT
// sph-cavity-3d.c: the early flow in a lid-driven cube, with and without memory.
//
// [OZG13] §4.6, figure 4.13: 21,000 particles of standard SPH against 6,000 fractional and 6,000
// standard, colours and arrows; the fractional fluid is said to look like the high resolution and
// the standard one not, while the flow still develops.
//
// Here the cube of scenes/particles/cavity-3d.yaml (Re = 100, the default method, no artificial
// viscosity), 28^3 against 18^3 particles, over the first two seconds. The mean velocity of the
// particles in each of 5^3 boxes every 0.1 s; of each box the mean angle to the high resolution's
// (as eq. 4.8) and the mean difference, in speeds of the lid. Only boxes count that move by more
// than a hundredth of the lid's speed in the high resolution; shares of them with less error than
// standard. Five jitters of the particles, in both resolutions.
//
// [OZG13] Özgen: Physics-based animation models using fractional calculus. PhD thesis, 2013.
#include "streams.h"

enum { SIDE = 5, BOXES = SIDE * SIDE * SIDE, SAMPLES = 20 };

typedef struct flow {
    fm_vec3 v[SAMPLES][BOXES]; // m/s, means
    double steady;             // Pa s
} flow;

static int find_box(double x)
{
    int k = (int)(x * SIDE);
    return k < 0 ? 0 : k >= SIDE ? SIDE - 1 : k;
}

static void look(fm_particles *fluid, fm_vec3 mean[BOXES])
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

static void run(experiment *e, int cells, double viscosity, const fm_fractional *fractional,
                int seed, flow *out)
{
    fm_error *err = experiment_error(e);
    fm_world_def world_def = fm_default_world_def();
    world_def.gravity = (fm_vec3){0, 0, 0};
    world_def.threads = 1;
    fm_world *world = fm_world_create(&world_def, err);
    fm_particles_def def = fm_default_particles_def();
    def.spacing = 1.0 / cells;
    def.viscosity = viscosity;
    def.artificial_viscosity = 0;
    def.fractional = *fractional;
    def.domain.slide[FM_SIDE_TOP] = (fm_vec3){1, 0, 0};
    fm_particles *fluid = fm_particles_create(world, &def, err);
    fm_fluid_box box = {.high = {1, 1, 1}, .jitter = 0.05, .seed = (uint64_t)seed};
    if (!fluid || !fm_particles_add_box(fluid, &box, err)) {
        fm_world_destroy(world);
        return;
    }
    for (int k = 0; k < SAMPLES && err->status == FM_OK; k++) {
        fm_world_advance(world, (experiment_quick(e) ? 0.02 : 2.0) / SAMPLES, err);
        look(fluid, out->v[k]);
    }
    out->steady = fm_particles_steady_viscosity(fluid);
    fm_world_destroy(world);
}

static double dot(fm_vec3 a, fm_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Means over the time; NAN where nothing moves.
static void compare(const flow *reference, const flow *other, double angle[BOXES],
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
        if (speed < 0.01)
            angle[i] = difference[i] = NAN;
    }
}

static double share(const double *one, const double *other)
{
    int better = 0, all = 0;
    for (int i = 0; i < BOXES; i++) {
        better += one[i] < other[i];
        all += !isnan(one[i]);
    }
    return all ? (double)better / all : 0;
}

static double average(const double *values)
{
    double sum = 0;
    int all = 0;
    for (int i = 0; i < BOXES; i++) {
        sum += isnan(values[i]) ? 0 : values[i];
        all += !isnan(values[i]);
    }
    return all ? sum / all : 0;
}

enum { STANDARD, PUBLISHED, CONTROL, SCALED, FADING, AGAIN, ARMS };
static const char *const names[ARMS] = {
    "standard",        "10 steps as published", "standard equivalent viscosity",
    "10 steps scaled", "fading 0.05 s scaled",  "standard another jitter"};

typedef struct study {
    streams_mean angle[ARMS], difference[ARMS], better_angle[ARMS], better_difference[ARMS];
    double viscosity; // Pa s, that 10 steps, as published, amount to
} study;

static void try_seed(experiment *e, int seed, flow *f, study *s, experiment_table *table)
{
    bool quick = experiment_quick(e);
    const fm_fractional none = fm_default_particles_def().fractional;
    const fm_fractional arms[ARMS] = {
        none, recall_steps(10, 1), none, recall_steps(10, 0), recall_fading(0.05, 0), none};
    double first_angle[BOXES], first_difference[BOXES], angle[BOXES], difference[BOXES];
    run(e, quick ? 12 : 28, 10, &none, seed, &f[0]);
    for (int a = 0; a < ARMS && !experiment_failed(e); a++) {
        run(e, quick ? 8 : 18, a == CONTROL ? s->viscosity : 10, &arms[a],
            a == AGAIN ? 1000 + seed : seed, &f[1]);
        s->viscosity = a == PUBLISHED ? f[1].steady : s->viscosity;
        compare(&f[0], &f[1], angle, difference);
        if (a == STANDARD)
            compare(&f[0], &f[1], first_angle, first_difference);
        streams_add(&s->angle[a], average(angle));
        streams_add(&s->difference[a], average(difference));
        streams_add(&s->better_angle[a], share(angle, first_angle));
        streams_add(&s->better_difference[a], share(difference, first_difference));
        experiment_row(table, "%d,%s,%.4g,%.4g,%.4g,%.4g", seed, names[a], average(angle),
                       average(difference), share(angle, first_angle),
                       share(difference, first_difference));
    }
}

static void report(experiment *e, const study *s)
{
    for (int a = 0; a < ARMS; a++) {
        const streams_mean *const means[4] = {&s->angle[a], &s->difference[a], &s->better_angle[a],
                                              &s->better_difference[a]};
        static const char *const what[4] = {"angle", "difference over the lid's speed",
                                            "boxes with less error of direction than standard",
                                            "boxes with less difference than standard"};
        for (int k = 0; k < (a == STANDARD ? 2 : 4); k++) {
            double scale = k < 2 ? 1 : 100;
            const char *unit = k == 0 ? "rad" : k == 1 ? "" : "%";
            experiment_result_of(e, NAN, scale * streams_average(means[k]), unit, "%s: %s",
                                 names[a], what[k]);
            experiment_result_of(e, NAN, scale * streams_spread(means[k]), unit,
                                 "%s: its standard deviation over the seeds", names[a]);
        }
    }
    experiment_result(e, "viscosity that 10 steps, as published, amount to", NAN, s->viscosity,
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
        try_seed(e, seed, f, &s, table);
    if (!experiment_failed(e))
        report(e, &s);
    return experiment_close(e);
}
