// SPDX-License-Identifier: MIT
// streams.c: colliding flows, watched and compared.
#include "streams.h"

#include <string.h>

enum { PUSHES = 6, COLUMNS = 8, ROWS = 6 };

typedef struct place {
    double x, y, ax, ay;
} place;
static const place flat[PUSHES] = {{0.15, 0.15, 40, 0}, {0.45, 0.15, -40, 0}, {0.15, 0.45, 0, -40},
                                   {0.55, 0.45, 40, 0}, {0.85, 0.45, -40, 0}, {0.85, 0.15, 0, 40}};
static const place deep[PUSHES] = {{0.2, 0.17, 40, 0}, {0.5, 0.17, -40, 0}, {0.2, 0.5, 0, -40},
                                   {0.55, 0.5, 40, 0}, {0.85, 0.5, -40, 0}, {0.8, 0.2, 0, 40}};

static fm_vec3 size_of(int dimensions)
{
    return dimensions == 2 ? (fm_vec3){1, 0.6, 0} : (fm_vec3){1, 2 / 3.0, 2 / 3.0};
}

streams_run streams_default(int dimensions)
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

fm_fractional recall_steps(int steps, double time)
{
    fm_fractional f = fm_default_particles_def().fractional;
    f.order = 0.5;
    f.memory.kind = FM_RECALL_STEPS;
    f.memory.steps = steps;
    f.time = time;
    return f;
}

fm_fractional recall_fading(double fading, double time)
{
    fm_fractional f = recall_steps(1, time);
    f.memory.kind = FM_RECALL_FADING;
    f.memory.fading = fading;
    return f;
}

fm_fractional recall_full(double time)
{
    fm_fractional f = recall_steps(1, time);
    f.memory.kind = FM_RECALL_FULL;
    return f;
}

fm_vec3 streams_centre(int dimensions, int region)
{
    fm_vec3 size = size_of(dimensions);
    return (fm_vec3){size.x * (region % COLUMNS + 0.5) / COLUMNS,
                     size.y * (region / COLUMNS + 0.5) / ROWS, size.z / 2};
}

static fm_particles *fill(fm_world *world, const streams_run *run, fm_error *err)
{
    bool plane = run->dimensions == 2;
    fm_particles_def def = fm_default_particles_def();
    def.dimensions = run->dimensions;
    def.method = FM_SPH_STANDARD;
    def.spacing = run->spacing;
    def.support = plane ? 3 : 2;
    def.stiffness = 20;
    def.viscosity = run->viscosity;
    def.fractional = run->fractional;
    def.time_step = run->step;
    def.domain.high = size_of(run->dimensions);
    for (int side = 0; side < FM_SIDE_COUNT && plane; side++)
        def.domain.sides[side] = FM_SIDE_PERIODIC;
    fm_particles *fluid = fm_particles_create(world, &def, err);
    fm_fluid_box box = {.high = def.domain.high, .jitter = 0.1, .seed = (uint64_t)run->seed};
    if (!fluid || !fm_particles_add_box(fluid, &box, err))
        return NULL;
    for (int k = 0; k < PUSHES; k++) {
        const place *p = plane ? &flat[k] : &deep[k];
        fm_fluid_push push = {.centre = {p->x, p->y, def.domain.high.z / 2},
                              .radius = plane ? 0.06 : 0.1,
                              .acceleration = {p->ax, p->ay, 0},
                              .end = INFINITY};
        fm_particles_add_push(fluid, &push, err);
    }
    return fluid;
}

static void look(fm_particles *fluid, int dimensions, int sample, streams_record *record)
{
    int n, inside[STREAMS_REGIONS] = {0};
    const fm_vec3 *x = fm_particles_positions(fluid, &n);
    const fm_vec3 *v = fm_particles_velocities(fluid, NULL);
    fm_vec3 size = size_of(dimensions), *mean = record->mean[sample];
    double wide = size.x / COLUMNS, high = size.y / ROWS, radius = fmin(wide, high) / 2;
    memset(mean, 0, STREAMS_REGIONS * sizeof *mean);
    for (int i = 0; i < n; i++) {
        int column = (int)(x[i].x / wide), row = (int)(x[i].y / high);
        if (x[i].x < 0 || x[i].y < 0 || column >= COLUMNS || row >= ROWS)
            continue;
        int region = row * COLUMNS + column;
        fm_vec3 c = streams_centre(dimensions, region);
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
        double share = inside[r] ? 1.0 / inside[r] : 0;
        mean[r] = (fm_vec3){mean[r].x * share, mean[r].y * share, mean[r].z * share};
    }
}

static double length(fm_vec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

bool streams_watch(experiment *e, const streams_run *run, streams_record *record)
{
    fm_error err = {0};
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = 1;
    world_def.gravity = (fm_vec3){0, 0, 0};
    fm_world *world = fm_world_create(&world_def, &err);
    fm_particles *fluid = fill(world, run, &err);
    record->sample_count = run->sample_count;
    for (int k = 0; k < run->sample_count && err.status == FM_OK; k++) {
        fm_world_advance(world, run->sample, &err);
        if (err.status == FM_OK)
            look(fluid, run->dimensions, k, record);
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

static double angle_between(fm_vec3 a, fm_vec3 b)
{
    double cosine = (a.x * b.x + a.y * b.y + a.z * b.z) / (length(a) * length(b));
    return acos(fmax(-1, fmin(1, cosine)));
}

streams_error streams_compare(const streams_record *reference, const streams_record *other)
{
    streams_error error = {.mean_angle = 0};
    for (int r = 0; r < STREAMS_REGIONS; r++) {
        double angle = 0, speed = 0, all = 0;
        int count = 0;
        for (int k = 0; k < reference->sample_count; k++) {
            fm_vec3 a = reference->mean[k][r], b = other->mean[k][r];
            if (reference->empty[k][r] || other->empty[k][r] || length(a) < 1e-9 ||
                length(b) < 1e-9)
                continue;
            angle += angle_between(a, b);
            speed += fabs(length(a) - length(b));
            all += length(a);
            count++;
        }
        error.angle[r] = count ? angle / count : 0;
        error.speed[r] = all > 0 ? speed / all : 0;
        error.mean_angle += error.angle[r] / STREAMS_REGIONS;
        error.mean_speed += error.speed[r] / STREAMS_REGIONS;
    }
    return error;
}

double streams_share(const double one[STREAMS_REGIONS], const double other[STREAMS_REGIONS])
{
    int better = 0;
    for (int r = 0; r < STREAMS_REGIONS; r++)
        better += one[r] < other[r];
    return (double)better / STREAMS_REGIONS;
}

void streams_add(streams_mean *mean, double value)
{
    mean->sum += value;
    mean->squares += value * value;
    mean->count++;
}

double streams_average(const streams_mean *mean)
{
    return mean->count ? mean->sum / mean->count : NAN;
}

double streams_spread(const streams_mean *mean)
{
    if (mean->count < 2)
        return NAN;
    double average = streams_average(mean);
    return sqrt(fmax(0, mean->squares - mean->count * average * average) / (mean->count - 1));
}

const char *streams_arm_name(streams_arm arm)
{
    static const char *const names[STREAMS_ARMS] = {
        "standard",         "10 steps as published",  "standard equivalent viscosity",
        "10 steps scaled",  "fading 0.05 s scaled",   "full T = 1 s",
        "hybrid published", "standard another jitter"};
    return names[arm];
}

streams_run streams_make(const streams_run *low, streams_arm arm)
{
    streams_run run = *low;
    switch (arm) {
    case STREAMS_PUBLISHED:
    case STREAMS_HYBRID:
        run.fractional = recall_steps(10, 1);
        run.fractional.above = arm == STREAMS_HYBRID ? 20 : 0;
        break;
    case STREAMS_CONTROL:
        run.viscosity *= 2 * sqrt(10 * run.step / 3.14159265358979);
        break;
    case STREAMS_MATCHED:
        run.fractional = recall_steps(10, 0);
        break;
    case STREAMS_FADING:
        run.fractional = recall_fading(0.05, 0);
        break;
    case STREAMS_FULL:
        run.fractional = recall_full(1);
        break;
    case STREAMS_AGAIN:
        run.seed += 1000;
        break;
    default:
        break;
    }
    return run;
}

typedef struct study {
    streams_mean angle[STREAMS_ARMS], speed[STREAMS_ARMS];             // errors
    streams_mean share_angle[STREAMS_ARMS], share_speed[STREAMS_ARMS]; // of regions, to standard
    streams_mean over_control;                 // published better than the control
    streams_mean steps[STREAMS_ARMS];          // of samples, in the rich region
    double map[STREAMS_ARMS][STREAMS_REGIONS]; // angle, mean over the seeds
    int rich;                                  // the region between the first two pushes
} study;

// The two runs in one region, sample by sample.
static void write_series(experiment *e, const char *file, const streams_record *reference,
                         const streams_record *const low[2], int region, double sample)
{
    experiment_table *table = experiment_table_open(
        e, file, "time_s,angle_standard,angle_published,speed_high,speed_standard,speed_published");
    for (int k = 0; k < reference->sample_count; k++) {
        fm_vec3 a = reference->mean[k][region], b = low[0]->mean[k][region],
                c = low[1]->mean[k][region];
        experiment_row(table, "%g,%g,%g,%g,%g,%g", (k + 1) * sample, angle_between(a, b),
                       angle_between(a, c), length(a), length(b), length(c));
    }
}

static double share_of_samples(const streams_record *reference, const streams_record *one,
                               const streams_record *other, int region)
{
    int better = 0;
    for (int k = 0; k < reference->sample_count; k++)
        better += angle_between(reference->mean[k][region], one->mean[k][region]) <
                  angle_between(reference->mean[k][region], other->mean[k][region]);
    return (double)better / reference->sample_count;
}

static void try_seed(experiment *e, study *s, const streams_run *high, const streams_run *low,
                     streams_record records[3], experiment_table *table)
{
    streams_record *reference = &records[0], *standard = &records[1], *other = &records[2];
    streams_error first = {0}, control = {0}, published = {0};
    if (!streams_watch(e, high, reference))
        return;
    for (int arm = 0; arm < STREAMS_ARMS; arm++) {
        streams_run run = streams_make(low, (streams_arm)arm);
        streams_record *record = arm == STREAMS_STANDARD ? standard : other;
        if (!streams_watch(e, &run, record)) {
            if (arm == STREAMS_STANDARD)
                return;
            continue;
        }
        streams_error error = streams_compare(reference, record);
        if (arm == STREAMS_STANDARD)
            first = error;
        control = arm == STREAMS_CONTROL ? error : control;
        published = arm == STREAMS_PUBLISHED ? error : published;
        experiment_row(table, "%d,%s,%.4g,%.4g,%.4g,%.4g,%.4g", high->seed,
                       streams_arm_name((streams_arm)arm), error.mean_angle, error.mean_speed,
                       streams_share(error.angle, first.angle),
                       streams_share(error.speed, first.speed),
                       share_of_samples(reference, record, standard, s->rich));
        streams_add(&s->angle[arm], error.mean_angle);
        streams_add(&s->speed[arm], error.mean_speed);
        streams_add(&s->share_angle[arm], streams_share(error.angle, first.angle));
        streams_add(&s->share_speed[arm], streams_share(error.speed, first.speed));
        streams_add(&s->steps[arm], share_of_samples(reference, record, standard, s->rich));
        for (int r = 0; r < STREAMS_REGIONS; r++)
            s->map[arm][r] += error.angle[r];
        if (arm == STREAMS_PUBLISHED && high->seed == 1) {
            const streams_record *const both[2] = {standard, other};
            write_series(e, "rich.csv", reference, both, s->rich, high->sample);
            write_series(e, "poor.csv", reference, both, 3 * COLUMNS - 1, high->sample);
        }
    }
    experiment_row(table, "%d,published over equivalent,,,%.4g,%.4g,", high->seed,
                   streams_share(published.angle, control.angle),
                   streams_share(published.speed, control.speed));
    streams_add(&s->over_control, streams_share(published.angle, control.angle));
}

static void report(experiment *e, const study *s, double claim)
{
    experiment_table *table = experiment_table_open(
        e, "arms.csv",
        "arm,angle_rad,angle_sd,speed,speed_sd,better_angle,better_angle_sd,better_speed,"
        "better_speed_sd,better_samples,better_samples_sd,seeds");
    for (int arm = 0; arm < STREAMS_ARMS; arm++) {
        const char *name = streams_arm_name((streams_arm)arm);
        bool published = arm == STREAMS_PUBLISHED, itself = arm == STREAMS_STANDARD;
        experiment_row(table, "%s,%.4g,%.2g,%.4g,%.2g,%.4g,%.2g,%.4g,%.2g,%.4g,%.2g,%d", name,
                       streams_average(&s->angle[arm]), streams_spread(&s->angle[arm]),
                       streams_average(&s->speed[arm]), streams_spread(&s->speed[arm]),
                       streams_average(&s->share_angle[arm]), streams_spread(&s->share_angle[arm]),
                       streams_average(&s->share_speed[arm]), streams_spread(&s->share_speed[arm]),
                       streams_average(&s->steps[arm]), streams_spread(&s->steps[arm]),
                       s->angle[arm].count);
        experiment_result_of(e, NAN, streams_average(&s->angle[arm]), "rad", "%s: angle", name);
        experiment_result_of(e, NAN, streams_average(&s->speed[arm]), "", "%s: speed", name);
        if (itself)
            continue;
        experiment_result_of(e, published ? claim : NAN,
                             100 * streams_average(&s->share_angle[arm]), "%",
                             "%s: regions with less error of direction than standard", name);
        experiment_result_of(e, NAN, 100 * streams_spread(&s->share_angle[arm]), "%",
                             "%s: its standard deviation over the seeds", name);
        experiment_result_of(e, NAN, 100 * streams_average(&s->share_speed[arm]), "%",
                             "%s: regions with less error of speed than standard", name);
        experiment_result_of(e, published ? 90 : NAN, 100 * streams_average(&s->steps[arm]), "%",
                             "%s: samples with less error in a region of collision", name);
    }
    experiment_result(e, "regions where as published is better than its equivalent viscosity", NAN,
                      100 * streams_average(&s->over_control), "%");
    experiment_result(e, "its standard deviation over the seeds", NAN,
                      100 * streams_spread(&s->over_control), "%");
}

static void write_map(experiment *e, const study *s, int dimensions)
{
    experiment_table *table = experiment_table_open(
        e, "map.csv", "x_m,y_m,standard_rad,published_rad,control_rad,scaled_rad");
    for (int r = 0; r < STREAMS_REGIONS; r++) {
        fm_vec3 c = streams_centre(dimensions, r);
        double n = s->angle[STREAMS_STANDARD].count;
        experiment_row(table, "%g,%g,%.4g,%.4g,%.4g,%.4g", c.x, c.y,
                       s->map[STREAMS_STANDARD][r] / n, s->map[STREAMS_PUBLISHED][r] / n,
                       s->map[STREAMS_CONTROL][r] / n, s->map[STREAMS_MATCHED][r] / n);
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

void streams_study(experiment *e, int dimensions, double low_spacing, int seeds, double claim)
{
    study *s = experiment_alloc(e, 1, sizeof *s);
    streams_record *records = experiment_alloc(e, 3, sizeof *records);
    experiment_table *table = experiment_table_open(
        e, "seeds.csv", "seed,arm,angle_rad,speed,better_angle,better_speed,better_samples");
    streams_run high = streams_default(dimensions), low;
    if (experiment_quick(e)) {
        high.spacing *= 1.6;
        low_spacing *= 1.6;
        high.sample_count = 20;
    }
    for (int seed = 1; seed <= seeds && s && records && !experiment_failed(e); seed++) {
        s->rich = COLUMNS + 2;
        high.seed = seed;
        low = high;
        low.spacing = low_spacing;
        try_seed(e, s, &high, &low, records, table);
        if (seed == 1) {
            experiment_result(e, "particles, high resolution", dimensions == 2 ? 1500 : 12000,
                              records[0].particle_count, "");
            experiment_result(e, "particles, low resolution", dimensions == 2 ? 1250 : 3000,
                              records[1].particle_count, "");
        }
    }
    if (s && !experiment_failed(e)) {
        report(e, s, claim);
        write_map(e, s, dimensions);
    }
}
