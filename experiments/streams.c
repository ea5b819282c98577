// SPDX-License-Identifier: MIT
// streams.c: simulation and comparison of colliding streams.
#include "streams.h"

#include <string.h>

enum {
    PUSHES = 6,  // body forces that drive the streams
    COLUMNS = 8, // of the grid of regions
    ROWS = 6,
};
// Where a region lies: near a push, where two opposed streams meet, or elsewhere.
typedef enum place { NEAR_SOURCE, AT_COLLISION, ELSEWHERE, PLACES } place;
static const double NEAR = 0.09;    // m, from the centre of a region, whose width is 0.125 m
static const double AT_REST = 1e-9; // m/s; slower regions have no direction

// Position (m) and acceleration (m/s^2) of the fluid in one push, a body force within a ball.
typedef struct push_source {
    double x, y, ax, ay;
} push_source;
static const push_source pushes_2d[PUSHES] = {{0.15, 0.15, 40, 0},  {0.45, 0.15, -40, 0},
                                              {0.15, 0.45, 0, -40}, {0.55, 0.45, 40, 0},
                                              {0.85, 0.45, -40, 0}, {0.85, 0.15, 0, 40}};
static const push_source pushes_3d[PUSHES] = {{0.2, 0.17, 40, 0},  {0.5, 0.17, -40, 0},
                                              {0.2, 0.5, 0, -40},  {0.55, 0.5, 40, 0},
                                              {0.85, 0.5, -40, 0}, {0.8, 0.2, 0, 40}};

// Size of the domain, m.
static fm_vec3 domain_size(int dimensions)
{
    return dimensions == 2 ? (fm_vec3){1, 0.6, 0} : (fm_vec3){1, 2 / 3.0, 2 / 3.0};
}

// The parameters of scenes/particles/colliding-flows-*.yaml in the high resolution.
streams_run streams_default_run(int dimensions)
{
    bool plane = dimensions == 2;
    return (streams_run){
        .dimensions = dimensions,
        .spacing = plane ? 0.02 : 1 / 30.0,
        .viscosity = plane ? 10 : 20,
        .fractional = fm_default_particles_def().fractional,
        .step = 1e-3,
        .sample = plane ? 1e-3 : 5e-3,
        .sample_count = plane ? 500 : 200,
        .seed = 1,
    };
}

void streams_set_method(fm_particles_def *def, double artificial_viscosity)
{
    def->method = FM_SPH_WEAKLY_COMPRESSIBLE;
    def->support = def->dimensions == 2 ? 3 : 2;
    def->density = 1000;
    def->speed = 0;
    def->sound_ratio = 10;
    def->artificial_viscosity = artificial_viscosity;
    def->diffusion = 0.3;
    def->shifting = 1;
    def->time_step = 0;
    def->courant = 0.25;
    def->list_time = 2e-3;
}

void streams_set_published_method(fm_particles_def *def, double stiffness,
                                  fm_sph_integrator integrator, double step)
{
    def->method = FM_SPH_STANDARD;
    def->support = def->dimensions == 2 ? 3 : 2;
    def->density = 1000;
    def->stiffness = stiffness;
    def->integrator = integrator;
    def->time_step = step;
}

// Viscosity by half derivatives of the shear over the last `steps` steps. time: characteristic time
// T, s, 0: such that steady shear feels the nominal viscosity.
fm_fractional streams_window_viscosity(int steps, double time)
{
    fm_fractional f = fm_default_particles_def().fractional;
    f.order = 0.5;
    f.memory.kind = FM_RECALL_STEPS;
    f.memory.steps = steps;
    f.time = time;
    return f;
}

// Viscosity by half derivatives of the shear over the past weighted by e^(-t/fading_time).
fm_fractional streams_fading_viscosity(double fading_time, double time)
{
    fm_fractional f = streams_window_viscosity(1, time);
    f.memory.kind = FM_RECALL_FADING;
    f.memory.fading = fading_time;
    return f;
}

// Viscosity by half derivatives of the shear over the whole past.
fm_fractional streams_full_viscosity(double time)
{
    fm_fractional f = streams_window_viscosity(1, time);
    f.memory.kind = FM_RECALL_FULL;
    return f;
}

// The centre (m) of one of the 8 x 6 regions.
fm_vec3 streams_region_centre(int dimensions, int region)
{
    fm_vec3 size = domain_size(dimensions);
    return (fm_vec3){size.x * (region % COLUMNS + 0.5) / COLUMNS,
                     size.y * (region / COLUMNS + 0.5) / ROWS, size.z / 2};
}

// Where a region lies. Pushes 0 and 1, and 3 and 4, oppose each other.
static place region_place(int dimensions, int region)
{
    const push_source *p = dimensions == 2 ? pushes_2d : pushes_3d;
    fm_vec3 c = streams_region_centre(dimensions, region);
    for (int k = 0; k < PUSHES; k++)
        if (hypot(c.x - p[k].x, c.y - p[k].y) < NEAR)
            return NEAR_SOURCE;
    for (int k = 0; k < PUSHES; k += 3)
        if (hypot(c.x - (p[k].x + p[k + 1].x) / 2, c.y - (p[k].y + p[k + 1].y) / 2) < NEAR)
            return AT_COLLISION;
    return ELSEWHERE;
}

// Creates the fluid, and the body forces (pushes) that drive the streams.
static fm_particles *create_fluid_with_pushes(fm_world *world, const streams_run *run,
                                              fm_error *err)
{
    bool plane = run->dimensions == 2;
    fm_particles_def def =
        fixture_tank_def(run->dimensions, run->spacing, domain_size(run->dimensions));
    // parameters of the scenes colliding-flows-2d and -3d
    streams_set_published_method(&def, 20, FM_SPH_EULER, run->step);
    def.viscosity = run->viscosity;
    def.fractional = run->fractional;
    for (int side = 0; side < FM_SIDE_COUNT && plane; side++)
        def.domain.sides[side] = FM_SIDE_PERIODIC;
    fm_fluid_box box = {.high = def.domain.high, .jitter = 0.1, .seed = (uint64_t)run->seed};
    fm_particles *fluid = fixture_create_fluid(world, &def, &box, err);
    for (int k = 0; k < PUSHES && fluid; k++) {
        const push_source *p = plane ? &pushes_2d[k] : &pushes_3d[k];
        fm_fluid_push push = {.centre = {p->x, p->y, def.domain.high.z / 2},
                              .radius = plane ? 0.06 : 0.1,
                              .acceleration = {p->ax, p->ay, 0},
                              .end = INFINITY};
        fm_particles_add_push(fluid, &push, err);
    }
    return fluid;
}

// Records the mean velocities of all regions as one sample.
static void record_sample(fm_particles *fluid, int dimensions, int sample, streams_record *record)
{
    int n, inside[STREAMS_REGIONS] = {0};
    const fm_vec3 *x = fm_particles_positions(fluid, &n);
    const fm_vec3 *v = fm_particles_velocities(fluid, NULL);
    fm_vec3 size = domain_size(dimensions), *mean = record->mean[sample];
    double width = size.x / COLUMNS, height = size.y / ROWS, radius = fmin(width, height) / 2;
    memset(mean, 0, STREAMS_REGIONS * sizeof *mean);
    for (int i = 0; i < n; i++) {
        int column = (int)(x[i].x / width), row = (int)(x[i].y / height);
        if (x[i].x < 0 || x[i].y < 0 || column >= COLUMNS || row >= ROWS)
            continue;
        int region = row * COLUMNS + column;
        fm_vec3 c = streams_region_centre(dimensions, region);
        double dx = x[i].x - c.x, dy = x[i].y - c.y, dz = dimensions == 3 ? x[i].z - c.z : 0;
        if (dx * dx + dy * dy + dz * dz > radius * radius)
            continue;
        inside[region]++;
        mean[region].x += v[i].x;
        mean[region].y += v[i].y;
        mean[region].z += v[i].z;
    }
    for (int r = 0; r < STREAMS_REGIONS; r++) {
        record->empty[sample][r] = inside[r] == 0;
        record->population[r] += (double)inside[r] / record->sample_count;
        double share = inside[r] ? 1.0 / inside[r] : 0;
        mean[r] = (fm_vec3){mean[r].x * share, mean[r].y * share, mean[r].z * share};
    }
}

// Magnitude of a vector.
static double length(fm_vec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

// Simulates the colliding streams and records the mean velocity of each region in every sample.
bool streams_simulate(experiment *e, const streams_run *run, streams_record *record)
{
    fm_error err = {0};
    fm_world *world = fixture_create_world(fixture_weightless_water_def(1), &err);
    fm_particles *fluid = create_fluid_with_pushes(world, run, &err);
    record->sample_count = run->sample_count;
    memset(record->population, 0, sizeof record->population);
    for (int k = 0; k < run->sample_count && err.status == FM_OK; k++) {
        fm_world_advance(world, run->sample, &err);
        if (err.status == FM_OK)
            record_sample(fluid, run->dimensions, k, record);
    }
    if (err.status == FM_OK) {
        int n;
        const fm_vec3 *v = fm_particles_velocities(fluid, &n);
        record->particle_count = n;
        record->mean_speed = 0;
        for (int i = 0; i < n; i++)
            record->mean_speed += length(v[i]) / n;
        record->steady_viscosity = fm_particles_steady_viscosity(fluid);
    } else if (err.status != FM_DIVERGED) {
        experiment_fail(e, err.status, "%s", err.text);
    }
    fm_world_destroy(world);
    return err.status == FM_OK;
}

// Angle between two vectors, rad.
static double angle_between(fm_vec3 a, fm_vec3 b)
{
    double cosine = (a.x * b.x + a.y * b.y + a.z * b.z) / (length(a) * length(b));
    return acos(fmax(-1, fmin(1, cosine)));
}

// Errors of `other` in direction (rad) and speed (relative), averaged over the samples of a region.
streams_error streams_compare(const streams_record *reference, const streams_record *other)
{
    streams_error error = {.mean_angle = 0};
    for (int r = 0; r < STREAMS_REGIONS; r++) {
        double angle = 0, speed = 0, reference_speed = 0;
        int count = 0;
        for (int k = 0; k < reference->sample_count; k++) {
            fm_vec3 a = reference->mean[k][r], b = other->mean[k][r];
            if (reference->empty[k][r] || other->empty[k][r] || length(a) < AT_REST ||
                length(b) < AT_REST)
                continue;
            angle += angle_between(a, b);
            speed += fabs(length(a) - length(b));
            reference_speed += length(a);
            count++;
        }
        error.angle[r] = count ? angle / count : 0;
        error.speed[r] = reference_speed > 0 ? speed / reference_speed : 0;
        error.mean_angle += error.angle[r] / STREAMS_REGIONS;
        error.mean_speed += error.speed[r] / STREAMS_REGIONS;
    }
    return error;
}

// Share of the regions in which the error `one` is smaller than the error `other`.
double streams_share_of_regions(const double one[STREAMS_REGIONS],
                                const double other[STREAMS_REGIONS])
{
    int better = 0;
    for (int r = 0; r < STREAMS_REGIONS; r++)
        better += one[r] < other[r];
    return (double)better / STREAMS_REGIONS;
}

// Adds a value to the sums.
void streams_add_value(streams_mean *mean, double value)
{
    mean->sum += value;
    mean->squares += value * value;
    mean->count++;
}

// Mean of the values; NAN if there are none.
double streams_average(const streams_mean *mean)
{
    return mean->count ? mean->sum / mean->count : NAN;
}

// Standard deviation of the values; NAN for fewer than two.
double streams_standard_deviation(const streams_mean *mean)
{
    if (mean->count < 2)
        return NAN;
    double average = streams_average(mean);
    return sqrt(fmax(0, mean->squares - mean->count * average * average) / (mean->count - 1));
}

// Name of a variant of the fluid, for tables and results.
const char *streams_variant_name(streams_variant variant)
{
    static const char *const names[STREAMS_VARIANTS] = {
        "standard",         "10 steps as published",  "standard equivalent viscosity",
        "10 steps scaled",  "fading 0.05 s scaled",   "full T = 1 s",
        "hybrid published", "standard another jitter"};
    return names[variant];
}

// The parameters `low` with the viscosity, or the jitter, of one variant.
streams_run streams_apply_variant(const streams_run *low, streams_variant variant)
{
    streams_run run = *low;
    switch (variant) {
    case STREAMS_PUBLISHED:
    case STREAMS_HYBRID:
        run.fractional = streams_window_viscosity(10, 1);
        run.fractional.above = variant == STREAMS_HYBRID ? 20 : 0;
        break;
    case STREAMS_EQUIVALENT:
        // for steady shear, a half derivative over 10 steps is 2 sqrt(10 h/pi) times the rate of
        // shear
        run.viscosity *= 2 * sqrt(10 * run.step / 3.14159265358979);
        break;
    case STREAMS_SCALED:
        run.fractional = streams_window_viscosity(10, 0);
        break;
    case STREAMS_FADING:
        run.fractional = streams_fading_viscosity(0.05, 0);
        break;
    case STREAMS_WHOLE_PAST:
        run.fractional = streams_full_viscosity(1);
        break;
    case STREAMS_OTHER_JITTER:
        run.seed += 1000;
        break;
    default:
        break;
    }
    return run;
}

// Results of all variants over the seeds of the jitter.
typedef struct study {
    streams_mean angle[STREAMS_VARIANTS], speed[STREAMS_VARIANTS]; // errors, means over the regions
    // shares of regions with less error than STREAMS_STANDARD
    streams_mean share_angle[STREAMS_VARIANTS], share_speed[STREAMS_VARIANTS];
    // share of regions where STREAMS_PUBLISHED has less error of direction than STREAMS_EQUIVALENT
    streams_mean over_equivalent;
    // share of samples with less error of direction than STREAMS_STANDARD in collision_region
    streams_mean better_samples[STREAMS_VARIANTS];
    double angle_sum[STREAMS_VARIANTS][STREAMS_REGIONS]; // rad, error of direction, over the seeds
    // share of regions in each place with less error of direction than STREAMS_STANDARD, and error
    // of direction there less that of STREAMS_STANDARD, rad
    streams_mean place_share[STREAMS_VARIANTS][PLACES], place_excess[STREAMS_VARIANTS][PLACES];
    // of STREAMS_STANDARD: error of direction, rad, and particles in a region
    streams_mean place_angle[PLACES], place_population[PLACES];
    int collision_region; // the region in which the streams of the first two pushes collide
} study;

// Writes the errors of direction and the speeds of low[0] (STREAMS_STANDARD) and low[1]
// (STREAMS_PUBLISHED) in one region over time. sample: time between two samples, s.
static void write_error_series(experiment *e, const char *file, const streams_record *reference,
                               const streams_record *const low[2], int region, double sample)
{
    experiment_table *table = experiment_table_open(
        e, file, "time_s,angle_standard,angle_published,speed_high,speed_standard,speed_published");
    for (int k = 0; k < reference->sample_count; k++) {
        fm_vec3 a = reference->mean[k][region], b = low[0]->mean[k][region],
                c = low[1]->mean[k][region];
        experiment_write_row(table, "%g,%g,%g,%g,%g,%g", (k + 1) * sample, angle_between(a, b),
                             angle_between(a, c), length(a), length(b), length(c));
    }
}

// Share of samples in which run `one` has less error of direction than run `other` in a region.
static double share_of_samples_with_less_error(const streams_record *reference,
                                               const streams_record *one,
                                               const streams_record *other, int region)
{
    int better = 0;
    for (int k = 0; k < reference->sample_count; k++)
        better += angle_between(reference->mean[k][region], one->mean[k][region]) <
                  angle_between(reference->mean[k][region], other->mean[k][region]);
    return (double)better / reference->sample_count;
}

// Adds the errors of a variant near the sources, where streams collide and elsewhere to the study.
static void add_places(study *s, int variant, int dimensions, const streams_error *error,
                       const streams_error *standard)
{
    int count[PLACES] = {0}, better[PLACES] = {0};
    double excess[PLACES] = {0};
    for (int r = 0; r < STREAMS_REGIONS; r++) {
        place p = region_place(dimensions, r);
        count[p]++;
        better[p] += error->angle[r] < standard->angle[r];
        excess[p] += error->angle[r] - standard->angle[r];
    }
    for (int p = 0; p < PLACES; p++) {
        streams_add_value(&s->place_share[variant][p], (double)better[p] / count[p]);
        streams_add_value(&s->place_excess[variant][p], excess[p] / count[p]);
    }
}

// Adds error and particles of the standard fluid near the sources, where streams collide and
// elsewhere to the study.
static void add_standard_places(study *s, int dimensions, const streams_error *error,
                                const streams_record *record)
{
    int count[PLACES] = {0};
    double angle[PLACES] = {0}, population[PLACES] = {0};
    for (int r = 0; r < STREAMS_REGIONS; r++) {
        place p = region_place(dimensions, r);
        count[p]++;
        angle[p] += error->angle[r];
        population[p] += record->population[r];
    }
    for (int p = 0; p < PLACES; p++) {
        streams_add_value(&s->place_angle[p], angle[p] / count[p]);
        streams_add_value(&s->place_population[p], population[p] / count[p]);
    }
}

// Simulates the high resolution and all variants of the low resolution with one seed of the jitter,
// and adds their errors to the study. records: scratch.
static void compare_for_seed(experiment *e, study *s, const streams_run *high,
                             const streams_run *low, streams_record records[3],
                             experiment_table *table)
{
    streams_record *reference = &records[0], *standard = &records[1], *other = &records[2];
    streams_error standard_error = {0}, equivalent = {0}, published = {0};
    if (!streams_simulate(e, high, reference))
        return;
    for (int variant = 0; variant < STREAMS_VARIANTS; variant++) {
        streams_run run = streams_apply_variant(low, (streams_variant)variant);
        streams_record *record = variant == STREAMS_STANDARD ? standard : other;
        if (!streams_simulate(e, &run, record)) {
            if (variant == STREAMS_STANDARD)
                return;
            continue;
        }
        streams_error error = streams_compare(reference, record);
        if (variant == STREAMS_STANDARD) {
            standard_error = error;
            add_standard_places(s, high->dimensions, &error, record);
        }
        equivalent = variant == STREAMS_EQUIVALENT ? error : equivalent;
        published = variant == STREAMS_PUBLISHED ? error : published;
        experiment_write_row(
            table, "%d,%s,%.4g,%.4g,%.4g,%.4g,%.4g", high->seed,
            streams_variant_name((streams_variant)variant), error.mean_angle, error.mean_speed,
            streams_share_of_regions(error.angle, standard_error.angle),
            streams_share_of_regions(error.speed, standard_error.speed),
            share_of_samples_with_less_error(reference, record, standard, s->collision_region));
        streams_add_value(&s->angle[variant], error.mean_angle);
        streams_add_value(&s->speed[variant], error.mean_speed);
        streams_add_value(&s->share_angle[variant],
                          streams_share_of_regions(error.angle, standard_error.angle));
        streams_add_value(&s->share_speed[variant],
                          streams_share_of_regions(error.speed, standard_error.speed));
        streams_add_value(
            &s->better_samples[variant],
            share_of_samples_with_less_error(reference, record, standard, s->collision_region));
        add_places(s, variant, high->dimensions, &error, &standard_error);
        for (int r = 0; r < STREAMS_REGIONS; r++)
            s->angle_sum[variant][r] += error.angle[r];
        if (variant == STREAMS_PUBLISHED && high->seed == 1) {
            const streams_record *const both[2] = {standard, other};
            write_error_series(e, "rich.csv", reference, both, s->collision_region, high->sample);
            // the rightmost region of the third row, for comparison
            write_error_series(e, "poor.csv", reference, both, 3 * COLUMNS - 1, high->sample);
        }
    }
    experiment_write_row(table, "%d,published over equivalent,,,%.4g,%.4g,", high->seed,
                         streams_share_of_regions(published.angle, equivalent.angle),
                         streams_share_of_regions(published.speed, equivalent.speed));
    streams_add_value(&s->over_equivalent,
                      streams_share_of_regions(published.angle, equivalent.angle));
}

// Reports the errors of every variant. claim: the published share of regions with less error, in %.
static void report_study(experiment *e, const study *s, double claim)
{
    experiment_table *table = experiment_table_open(
        e, "arms.csv",
        "arm,angle_rad,angle_sd,speed,speed_sd,better_angle,better_angle_sd,better_speed,"
        "better_speed_sd,better_samples,better_samples_sd,seeds");
    for (int variant = 0; variant < STREAMS_VARIANTS; variant++) {
        const char *name = streams_variant_name((streams_variant)variant);
        bool published = variant == STREAMS_PUBLISHED;
        experiment_write_row(
            table, "%s,%.4g,%.2g,%.4g,%.2g,%.4g,%.2g,%.4g,%.2g,%.4g,%.2g,%d", name,
            streams_average(&s->angle[variant]), streams_standard_deviation(&s->angle[variant]),
            streams_average(&s->speed[variant]), streams_standard_deviation(&s->speed[variant]),
            streams_average(&s->share_angle[variant]),
            streams_standard_deviation(&s->share_angle[variant]),
            streams_average(&s->share_speed[variant]),
            streams_standard_deviation(&s->share_speed[variant]),
            streams_average(&s->better_samples[variant]),
            streams_standard_deviation(&s->better_samples[variant]), s->angle[variant].count);
        experiment_add_named_result(e, NAN, streams_average(&s->angle[variant]), "rad", "%s: angle",
                                    name);
        experiment_add_named_result(e, NAN, streams_average(&s->speed[variant]), "", "%s: speed",
                                    name);
        if (variant == STREAMS_STANDARD)
            continue;
        experiment_add_named_result(e, published ? claim : NAN,
                                    100 * streams_average(&s->share_angle[variant]), "%",
                                    "%s: regions with less error of direction than standard", name);
        experiment_add_named_result(e, NAN,
                                    100 * streams_standard_deviation(&s->share_angle[variant]), "%",
                                    "%s: its standard deviation over the seeds", name);
        experiment_add_named_result(e, NAN, 100 * streams_average(&s->share_speed[variant]), "%",
                                    "%s: regions with less error of speed than standard", name);
        experiment_add_named_result(e, published ? 90 : NAN,
                                    100 * streams_average(&s->better_samples[variant]), "%",
                                    "%s: samples with less error in a region of collision", name);
    }
    experiment_add_result(e, "regions where as published is better than its equivalent viscosity",
                          NAN, 100 * streams_average(&s->over_equivalent), "%");
    experiment_add_result(e, "its standard deviation over the seeds", NAN,
                          100 * streams_standard_deviation(&s->over_equivalent), "%");
}

// Reports the errors near the sources, where streams collide and elsewhere.
static void report_places(experiment *e, const study *s)
{
    static const char *const names[PLACES] = {"near sources", "where streams collide", "elsewhere"};
    experiment_table *table = experiment_table_open(
        e, "places.csv", "arm,place,better_angle,better_angle_sd,excess_rad,excess_sd");
    for (int p = 0; p < PLACES; p++) {
        experiment_add_named_result(e, NAN, streams_average(&s->place_angle[p]), "rad",
                                    "standard, %s: error of direction", names[p]);
        experiment_add_named_result(e, NAN, streams_average(&s->place_population[p]), "",
                                    "standard, %s: particles in a region", names[p]);
    }
    for (int variant = STREAMS_STANDARD + 1; variant < STREAMS_VARIANTS; variant++)
        for (int p = 0; p < PLACES; p++) {
            const streams_mean *share = &s->place_share[variant][p],
                               *excess = &s->place_excess[variant][p];
            const char *name = streams_variant_name((streams_variant)variant);
            experiment_write_row(table, "%s,%s,%.4g,%.2g,%.4g,%.2g", name, names[p],
                                 streams_average(share), streams_standard_deviation(share),
                                 streams_average(excess), streams_standard_deviation(excess));
            experiment_add_named_result(e, NAN, 100 * streams_average(share), "%",
                                        "%s, %s: regions better in direction", name, names[p]);
            experiment_add_named_result(e, NAN, streams_average(excess), "rad",
                                        "%s, %s: error of direction above standard", name,
                                        names[p]);
        }
}

// Writes and plots the error of direction of four variants in every region.
static void write_error_map(experiment *e, const study *s, int dimensions)
{
    experiment_table *table = experiment_table_open(
        e, "map.csv", "x_m,y_m,standard_rad,published_rad,control_rad,scaled_rad");
    for (int r = 0; r < STREAMS_REGIONS; r++) {
        fm_vec3 c = streams_region_centre(dimensions, r);
        double n = s->angle[STREAMS_STANDARD].count;
        experiment_write_row(
            table, "%g,%g,%.4g,%.4g,%.4g,%.4g", c.x, c.y, s->angle_sum[STREAMS_STANDARD][r] / n,
            s->angle_sum[STREAMS_PUBLISHED][r] / n, s->angle_sum[STREAMS_EQUIVALENT][r] / n,
            s->angle_sum[STREAMS_SCALED][r] / n);
    }
    experiment_plot(e, "map", "Error of direction, published less standard (rad)",
                    "set size ratio -1\nset palette defined (-0.5 '#009e73', 0 '#f0e442', 0.5 "
                    "'#d55e00')\nset cbrange [-0.5:0.5]\nset xrange [0:1]\n"
                    "plot 'map.csv' using 1:2:($4-$3) with points pt 7 ps 7 palette notitle\n");
    experiment_plot(e, "rich", "Error of direction where streams collide",
                    "set xlabel 'time, s'\nset ylabel 'angle, rad'\n"
                    "plot 'rich.csv' using 1:2 with lines ls 6 title 'standard', "
                    "'' using 1:3 with lines ls 1 title '10 steps, as published'\n");
}

// Compares all variants of the low resolution with the high resolution. claim: the share of regions
// with less error that [OZG13] gives, in %.
void streams_compare_variants(experiment *e, int dimensions, double low_spacing, int seeds,
                              double claim)
{
    study *s = experiment_alloc(e, 1, sizeof *s);
    streams_record *records = experiment_alloc(e, 3, sizeof *records);
    experiment_table *table = experiment_table_open(
        e, "seeds.csv", "seed,arm,angle_rad,speed,better_angle,better_speed,better_samples");
    streams_run high = streams_default_run(dimensions), low;
    if (experiment_quick(e)) {
        high.spacing *= 1.6;
        low_spacing *= 1.6; // about a quarter of the particles in 3D
        high.sample_count = 20;
    }
    for (int seed = 1; seed <= seeds && s && records && !experiment_failed(e); seed++) {
        s->collision_region = COLUMNS + 2; // second row, third column
        high.seed = seed;
        low = high;
        low.spacing = low_spacing;
        compare_for_seed(e, s, &high, &low, records, table);
        if (seed == 1) {
            experiment_add_result(e, "particles, high resolution", dimensions == 2 ? 1500 : 12000,
                                  records[0].particle_count, "");
            experiment_add_result(e, "particles, low resolution", dimensions == 2 ? 1250 : 3000,
                                  records[1].particle_count, "");
        }
    }
    if (s && !experiment_failed(e)) {
        report_study(e, s, claim);
        report_places(e, s);
        write_error_map(e, s, dimensions);
    }
}
