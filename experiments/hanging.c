// SPDX-License-Identifier: MIT
// hanging.c: simulates scenes of stiff cloth in turns and measures stretch, jitter and times.
#include "hanging.h"

#include <stdlib.h>
#include <string.h>

enum { TURN_SAMPLES = 24 }; // samples that one run advances before the next run has its turn
static const double SAMPLE_INTERVAL = 1 / 240.0; // s, smallest time between samples
static const double AVERAGING_TIME = 0.1; // s, of the mean velocity that jitter is measured from
static const double DISC_RADIUS = 0.3;    // m, of the pinned disc on the table, and of the ball

// A sliding window of the velocities over AVERAGING_TIME.
typedef struct hanging_window {
    double dt;            // s, between samples
    int length;           // samples in the window
    int samples_measured; // samples in the measured part of the run
    float *u;             // m/s, velocities, [length][3 * particles]
    double *sum;          // m/s, sum of the velocities in the window, [3 * particles]
    double *mass;         // share of the total mass, [particles]
    fm_vec3 *before;      // m, positions at the previous sample
    double mean_sum;      // sum of the mean strain |l/l0 - 1| over the measured samples
} hanging_window;

// Name of a scene, as at the head of hanging.h.
const char *hanging_scene_name(hanging_scene scene)
{
    static const char *const names[HANGING_SCENES] = {"corner", "corners", "top",
                                                      "flag",   "table",   "ball"};
    return names[scene];
}

// Canvas with a method of enforcement (strain limiting); iterations: passes per substep.
fm_cloth_def hanging_cloth_def(fm_enforcement_method method, int iterations)
{
    fm_cloth_def def = fixture_canvas_def(method, false);
    def.enforcement.iterations = iterations;
    def.enforcement.compression = false; // methods are compared by their effect on stretch alone
    return def;
}

// The cloth of [OZG13], whose strain limiting may move a particle `visits` times per substep.
fm_cloth_def hanging_published_cloth_def(int visits, double velocity_factor, double time_step)
{
    fm_cloth_def def = hanging_cloth_def(FM_ENFORCE_PUBLISHED, 1);
    def.integrator = FM_VERLET;
    def.drag.model = FM_DRAG_NONE;
    def.damping.coefficient = 0;
    def.damping.kept = velocity_factor;
    def.enforcement.visits = visits;
    def.time_step = time_step;
    return def;
}

// The sheet in its initial position: vertical (flag), horizontal (table, ball) or nearly so.
static fm_sheet initial_sheet(const hanging_run *run)
{
    bool level = run->scene == HANGING_TABLE || run->scene == HANGING_BALL;
    double degrees = run->scene == HANGING_FLAG ? 0 : level ? -90 : 80;
    fm_sheet sheet = fixture_tilted_sheet(run->columns, run->rows, run->width, degrees);
    sheet.origin.z = level ? -sheet.height / 2 : 0;
    return sheet;
}

// Pins the particles within DISC_RADIUS of the sheet's centre.
static void pin_disc(experiment *e, hanging *h)
{
    int count, held = 0;
    const fm_vec3 *x = fm_cloth_positions(h->cloth, &count);
    int *list = experiment_alloc(e, (size_t)count, sizeof *list);
    for (int i = 0; list && i < count; i++) {
        if (hypot(x[i].x, x[i].z) < DISC_RADIUS)
            list[held++] = i;
    }
    if (list)
        fm_cloth_pin_list(h->cloth, list, held, NULL, experiment_error(e));
}

// Pins the particles that hold the cloth in this scene: corners, an edge or a disc.
static void pin_cloth(experiment *e, hanging *h)
{
    fm_error *err = experiment_error(e);
    double shift = 0.08 * h->run.width; // m, that the pinned corners move inwards
    switch (h->run.scene) {
    case HANGING_CORNER:
        fm_cloth_pin_corner(h->cloth, FM_CORNER_TOP_RIGHT, NULL, err);
        break;
    case HANGING_CORNERS:
        fixture_pin_moving_corner(h->world, h->cloth, FM_CORNER_TOP_LEFT, shift, 0.3, 1.8, err);
        fixture_pin_moving_corner(h->world, h->cloth, FM_CORNER_TOP_RIGHT, -shift, 0.3, 1.8, err);
        break;
    case HANGING_TOP:
        fm_cloth_pin_edge(h->cloth, FM_EDGE_TOP, NULL, err);
        break;
    case HANGING_FLAG:
        fm_cloth_pin_edge(h->cloth, FM_EDGE_LEFT, NULL, err);
        break;
    case HANGING_TABLE:
        pin_disc(e, h);
        break;
    case HANGING_BALL:
    case HANGING_SCENES:
        break;
    }
}

// Creates the air, and the ball if the scene has one.
static fm_world *create_world(const hanging_run *run, fm_error *err)
{
    fm_world *world = fixture_create_world(fixture_air_def(1), err);
    fm_collider_def ball = fixture_ball_def((fm_vec3){0, -DISC_RADIUS - 0.02, 0}, DISC_RADIUS);
    ball.friction = 0.8;
    if (run->scene == HANGING_BALL)
        fm_collider_create(world, &ball, err);
    return world;
}

// Frees a sliding window; NULL is allowed.
static void destroy_window(hanging_window *w)
{
    if (!w)
        return;
    free(w->u);
    free(w->sum);
    free(w->mass);
    free(w->before);
    free(w);
}

// Sets the shares of the total mass and the initial positions of all particles.
static void fill_window(hanging_window *w, fm_cloth *cloth, fm_error *err)
{
    int count;
    double total = 0;
    const fm_vec3 *x = fm_cloth_positions(cloth, &count);
    fm_cloth_read_field(cloth, "mass", w->mass, err);
    for (int i = 0; i < count; i++)
        total += w->mass[i];
    for (int i = 0; i < count; i++) {
        w->mass[i] /= total;
        w->before[i] = x[i];
    }
}

// Creates an empty sliding window of velocities over AVERAGING_TIME.
static hanging_window *create_window(const hanging *h, fm_error *err)
{
    size_t n = (size_t)h->run.columns * h->run.rows;
    hanging_window *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->dt = fmax(SAMPLE_INTERVAL, h->run.cloth.time_step);
    w->length = (int)round(AVERAGING_TIME / w->dt);
    w->u = calloc(3 * n * w->length, sizeof *w->u);
    w->sum = calloc(3 * n, sizeof *w->sum);
    w->mass = calloc(n, sizeof *w->mass);
    w->before = calloc(n, sizeof *w->before);
    if (w->u && w->sum && w->mass && w->before) {
        fill_window(w, h->cloth, err);
        return w;
    }
    destroy_window(w);
    return NULL;
}

// Creates the world, the cloth and its pins. NULL on failure.
hanging *hanging_create(experiment *e, const hanging_run *run)
{
    fm_error *err = experiment_error(e);
    hanging *h = experiment_alloc(e, 1, sizeof *h);
    if (!h || experiment_failed(e))
        return NULL;
    h->run = *run;
    if (run->scene == HANGING_TABLE || run->scene == HANGING_BALL)
        h->run.cloth.enforcement.direction = FM_ALONG_GRAVITY;
    h->world = create_world(run, err);
    fm_sheet sheet = initial_sheet(run);
    h->cloth = fm_cloth_create_sheet(h->world, &h->run.cloth, &sheet, err);
    if (!experiment_failed(e))
        pin_cloth(e, h);
    if (!experiment_failed(e))
        h->window = create_window(h, err);
    if (!h->window)
        experiment_fail(e, FM_NO_MEMORY, "no memory for %d particles", run->columns * run->rows);
    if (experiment_failed(e) || !h->window) {
        hanging_destroy_world(h);
        return NULL;
    }
    size_t capacity = (size_t)ceil(run->duration / h->window->dt) + 1;
    h->enforce_us = experiment_alloc(e, capacity, sizeof *h->enforce_us);
    h->bodies_us = experiment_alloc(e, capacity, sizeof *h->bodies_us);
    return h;
}

// Destroys the world; the measurements stay valid.
void hanging_destroy_world(hanging *h)
{
    if (!h)
        return;
    fm_world_destroy(h->world);
    destroy_window(h->window);
    h->world = NULL;
    h->cloth = NULL;
    h->window = NULL;
}

// Adds the mean velocities since the previous sample to the sliding window and drops the oldest.
static void add_velocities(hanging *h)
{
    hanging_window *w = h->window;
    int count;
    const fm_vec3 *x = fm_cloth_positions(h->cloth, &count);
    float *slot = w->u + (size_t)(h->sample_count % w->length) * 3 * count;
    for (int i = 0; i < count; i++) {
        double u[3] = {x[i].x - w->before[i].x, x[i].y - w->before[i].y, x[i].z - w->before[i].z};
        for (int k = 0; k < 3; k++) {
            float now = (float)(u[k] / w->dt);
            w->sum[3 * i + k] += (double)now - (double)slot[3 * i + k];
            slot[3 * i + k] = now;
        }
        w->before[i] = x[i];
    }
}

// Adds the kinetic energies of the sample in the middle of the sliding window.
static void add_energies(hanging *h)
{
    hanging_window *w = h->window;
    int count = fm_cloth_particle_count(h->cloth);
    const float *middle =
        w->u + (size_t)((h->sample_count + 1 + w->length / 2) % w->length) * 3 * count;
    double jitter = 0, motion = 0;
    for (int i = 0; i < 3 * count; i++) {
        double u = middle[i],
               deviation = u - w->sum[i] / w->length; // from the mean over the window
        jitter += w->mass[i / 3] * deviation * deviation / 2;
        motion += w->mass[i / 3] * u * u / 2;
    }
    h->jitter += jitter;
    h->motion += motion;
}

// Stores the times of the last advance and, in the measured part, adds its stretch and energies.
static void record_sample(hanging *h, const fm_report *report)
{
    hanging_window *w = h->window;
    bool first = h->sample_count == 0;
    double substeps = report->substep_count, bodies = report->stage_ms[FM_STAGE_BODIES];
    if (first)
        h->order_ms = report->order_ms;
    h->enforce_us[h->sample_count] = 1e3 * report->enforce_ms / substeps;
    h->bodies_us[h->sample_count] = 1e3 * (bodies - (first ? report->order_ms : 0)) / substeps;
    h->substep = report->substep;
    h->peak = fmax(h->peak, report->max_stretch);
    add_velocities(h);
    if (report->time > h->run.duration - h->run.measured && h->sample_count + 1 >= w->length) {
        w->samples_measured++;
        h->stretch = fmax(h->stretch, report->max_stretch);
        w->mean_sum += report->mean_strain;
        add_energies(h);
    }
    h->sample_count++;
}

// Divides the sums by the number of samples. A run that diverged gets INFINITY for every measure.
static void compute_means(hanging *h)
{
    double samples = h->window->samples_measured > 0 ? h->window->samples_measured : 1;
    h->mean = h->window->mean_sum / samples;
    h->jitter /= samples;
    h->motion /= samples;
    if (h->diverged)
        h->stretch = h->mean = h->peak = h->jitter = h->motion = INFINITY;
}

// True when the run has been simulated to its end or has diverged.
static bool is_finished(const hanging *h)
{
    return h->diverged || fm_world_time(h->world) > h->run.duration - h->window->dt / 2;
}

// Advances one run by up to TURN_SAMPLES samples.
static void advance_turn(experiment *e, hanging *h)
{
    for (int k = 0; k < TURN_SAMPLES && !is_finished(h) && !experiment_failed(e); k++) {
        fm_error err = {0};
        fm_report report = fm_world_advance(h->world, h->window->dt, &err);
        h->diverged = err.status == FM_DIVERGED;
        if (err.status == FM_OK)
            record_sample(h, &report);
        else if (!h->diverged)
            experiment_fail(e, err.status, "%s", err.text);
    }
}

// Advances all runs in turns until each has finished.
void hanging_simulate(experiment *e, hanging *const *all, int count)
{
    bool unfinished = true;
    while (unfinished && !experiment_failed(e)) {
        unfinished = false;
        for (int i = 0; i < count; i++) {
            advance_turn(e, all[i]);
            unfinished = unfinished || !is_finished(all[i]);
        }
    }
    for (int i = 0; i < count; i++)
        compute_means(all[i]);
}

// Order of two doubles, for qsort.
static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The 10th percentile of measured times, which other load on the machine hardly affects.
double hanging_tenth_percentile(experiment *e, const double *values, int count)
{
    double *sorted = experiment_alloc(e, (size_t)count + 1, sizeof *sorted);
    if (!sorted || count == 0)
        return NAN;
    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_numbers);
    return sorted[count / 10];
}
