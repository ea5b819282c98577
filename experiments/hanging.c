// SPDX-License-Identifier: MIT
// hanging.c: scenes of stiff cloth, run in turns, their stretch, jitter and times.
#include "hanging.h"

#include <stdlib.h>
#include <string.h>

enum { TURN = 24 };                   // looks: caches are warm for all but the first
static const double LOOK = 1 / 240.0; // s
static const double AVERAGE = 0.1;    // s
static const double DISC = 0.3;       // m, radius of what is held on the table, and of the ball

// The velocities of the last tenth of a second.
typedef struct hanging_window {
    double dt; // s, between looks
    int length, looks_measured;
    float *u;        // m/s, [length][3 * particles]
    double *sum;     // of them, [3 * particles]
    double *mass;    // kg, all together 1
    fm_vec3 *before; // m, positions at the last look
    double mean_sum; // over the looks
} hanging_window;

const char *hanging_scene_name(hanging_scene scene)
{
    static const char *const names[HANGING_SCENES] = {"corner", "corners", "top",
                                                      "flag",   "table",   "ball"};
    return names[scene];
}

fm_cloth_def hanging_cloth(fm_enforcement_method method, int iterations)
{
    fm_cloth_def def = fm_default_cloth_def();
    fm_cloth_set_material(&def, FM_CANVAS);
    def.enforcement.method = method;
    def.enforcement.iterations = iterations;
    def.enforcement.compression = false; // methods are compared by what they do to stretch
    return def;
}

fm_cloth_def hanging_published(int visits, double kept, double time_step)
{
    fm_cloth_def def = hanging_cloth(FM_ENFORCE_PUBLISHED, 1);
    def.integrator = FM_VERLET;
    def.drag.model = FM_DRAG_NONE;
    def.damping.coefficient = 0;
    def.damping.kept = kept;
    def.enforcement.visits = visits;
    def.time_step = time_step;
    return def;
}

static fm_sheet make_sheet(const hanging_run *run)
{
    double height = run->width * (run->rows - 1) / (run->columns - 1);
    fm_sheet sheet = {.columns = run->columns,
                      .rows = run->rows,
                      .width = run->width,
                      .height = height,
                      .origin = {-run->width / 2, 0, 0}};
    double angle = 80;
    if (run->scene == HANGING_FLAG)
        angle = 0;
    if (run->scene == HANGING_TABLE || run->scene == HANGING_BALL) {
        angle = -90;
        sheet.origin.z = -height / 2;
    }
    angle *= acos(-1) / 180;
    sheet.rotation = (fm_quat){.w = cos(angle / 2), .x = sin(angle / 2)};
    return sheet;
}

static void pin_corner(hanging *h, fm_corner corner, double shift, fm_error *err)
{
    fm_key keys[2] = {{.time = 0.3}, {.time = 1.8, .position = {shift, 0, 0}}};
    fm_motion *motion =
        fm_motion_keyframes(h->world, keys, 2, FM_INTERPOLATE_SMOOTH, (fm_vec3){0}, err);
    fm_cloth_pin_corner(h->cloth, corner, motion, err);
}

static void pin_disc(experiment *e, hanging *h)
{
    int count, held = 0;
    const fm_vec3 *x = fm_cloth_positions(h->cloth, &count);
    int *list = experiment_alloc(e, (size_t)count, sizeof *list);
    for (int i = 0; list && i < count; i++) {
        if (hypot(x[i].x, x[i].z) < DISC)
            list[held++] = i;
    }
    if (list)
        fm_cloth_pin_list(h->cloth, list, held, NULL, experiment_error(e));
}

static void hold(experiment *e, hanging *h)
{
    fm_error *err = experiment_error(e);
    double shift = 0.08 * h->run.width;
    switch (h->run.scene) {
    case HANGING_CORNER:
        fm_cloth_pin_corner(h->cloth, FM_CORNER_TOP_RIGHT, NULL, err);
        break;
    case HANGING_CORNERS:
        pin_corner(h, FM_CORNER_TOP_LEFT, shift, err);
        pin_corner(h, FM_CORNER_TOP_RIGHT, -shift, err);
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

static fm_world *make_world(const hanging_run *run, fm_error *err)
{
    fm_world_def def = fm_default_world_def();
    def.threads = 1;
    def.medium.density = 1.2; // air
    def.medium.viscosity = 1.8e-5;
    fm_world *world = fm_world_create(&def, err);
    fm_collider_def ball = fm_default_collider_def();
    ball.shape.radius = DISC;
    ball.shape.centre = (fm_vec3){0, -DISC - 0.02, 0};
    ball.friction = 0.8;
    if (run->scene == HANGING_BALL)
        fm_collider_create(world, &ball, err);
    return world;
}

static void close_window(hanging_window *w)
{
    if (!w)
        return;
    free(w->u);
    free(w->sum);
    free(w->mass);
    free(w->before);
    free(w);
}

// Particles' shares of the mass, and where they are.
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

static hanging_window *open_window(const hanging *h, fm_error *err)
{
    size_t n = (size_t)h->run.columns * h->run.rows;
    hanging_window *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->dt = fmax(LOOK, h->run.cloth.time_step);
    w->length = (int)round(AVERAGE / w->dt);
    w->u = calloc(3 * n * w->length, sizeof *w->u);
    w->sum = calloc(3 * n, sizeof *w->sum);
    w->mass = calloc(n, sizeof *w->mass);
    w->before = calloc(n, sizeof *w->before);
    if (w->u && w->sum && w->mass && w->before) {
        fill_window(w, h->cloth, err);
        return w;
    }
    close_window(w);
    return NULL;
}

hanging *hanging_open(experiment *e, const hanging_run *run)
{
    fm_error *err = experiment_error(e);
    hanging *h = experiment_alloc(e, 1, sizeof *h);
    if (!h || experiment_failed(e))
        return NULL;
    h->run = *run;
    if (run->scene == HANGING_TABLE || run->scene == HANGING_BALL)
        h->run.cloth.enforcement.direction = FM_ALONG_GRAVITY;
    h->world = make_world(run, err);
    fm_sheet sheet = make_sheet(run);
    h->cloth = fm_cloth_create_sheet(h->world, &h->run.cloth, &sheet, err);
    if (!experiment_failed(e))
        hold(e, h);
    if (!experiment_failed(e))
        h->window = open_window(h, err);
    if (!h->window)
        experiment_fail(e, FM_NO_MEMORY, "no memory for %d particles", run->columns * run->rows);
    if (experiment_failed(e) || !h->window) {
        hanging_close(h);
        return NULL;
    }
    size_t looks = (size_t)ceil(run->duration / h->window->dt) + 1;
    h->enforce_us = experiment_alloc(e, looks, sizeof *h->enforce_us);
    h->bodies_us = experiment_alloc(e, looks, sizeof *h->bodies_us);
    return h;
}

void hanging_close(hanging *h)
{
    if (!h)
        return;
    fm_world_destroy(h->world);
    close_window(h->window);
    h->world = NULL;
    h->cloth = NULL;
    h->window = NULL;
}

// Puts the velocities since the last look into the window.
static void slide(hanging *h)
{
    hanging_window *w = h->window;
    int count;
    const fm_vec3 *x = fm_cloth_positions(h->cloth, &count);
    float *slot = w->u + (size_t)(h->looks % w->length) * 3 * count;
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

// Energies of the look in the middle of the window.
static void add_energies(hanging *h)
{
    hanging_window *w = h->window;
    int count = fm_cloth_particle_count(h->cloth);
    const float *middle = w->u + (size_t)((h->looks + 1 + w->length / 2) % w->length) * 3 * count;
    double jitter = 0, motion = 0;
    for (int i = 0; i < 3 * count; i++) {
        double u = middle[i], fast = u - w->sum[i] / w->length;
        jitter += w->mass[i / 3] * fast * fast / 2;
        motion += w->mass[i / 3] * u * u / 2;
    }
    h->jitter += jitter;
    h->motion += motion;
}

static void look(hanging *h, const fm_report *report)
{
    hanging_window *w = h->window;
    bool first = h->looks == 0;
    double substeps = report->substep_count, bodies = report->stage_ms[FM_STAGE_BODIES];
    if (first)
        h->order_ms = report->order_ms;
    h->enforce_us[h->looks] = 1e3 * report->enforce_ms / substeps;
    h->bodies_us[h->looks] = 1e3 * (bodies - (first ? report->order_ms : 0)) / substeps;
    h->substep = report->substep;
    h->peak = fmax(h->peak, report->max_stretch);
    slide(h);
    if (report->time > h->run.duration - h->run.measured && h->looks + 1 >= w->length) {
        w->looks_measured++;
        h->stretch = fmax(h->stretch, report->max_stretch);
        w->mean_sum += report->mean_strain;
        add_energies(h);
    }
    h->looks++;
}

static void finish(hanging *h)
{
    double looks = h->window->looks_measured > 0 ? h->window->looks_measured : 1;
    h->mean = h->window->mean_sum / looks;
    h->jitter /= looks;
    h->motion /= looks;
    if (h->diverged)
        h->stretch = h->mean = h->peak = h->jitter = h->motion = INFINITY;
}

static bool is_over(const hanging *h)
{
    return h->diverged || fm_world_time(h->world) > h->run.duration - h->window->dt / 2;
}

static void take_turn(experiment *e, hanging *h)
{
    for (int k = 0; k < TURN && !is_over(h) && !experiment_failed(e); k++) {
        fm_error err = {0};
        fm_report report = fm_world_advance(h->world, h->window->dt, &err);
        h->diverged = err.status == FM_DIVERGED;
        if (err.status == FM_OK)
            look(h, &report);
        else if (!h->diverged)
            experiment_fail(e, err.status, "%s", err.text);
    }
}

void hanging_simulate(experiment *e, hanging *const *all, int count)
{
    bool going = true;
    while (going && !experiment_failed(e)) {
        going = false;
        for (int i = 0; i < count; i++) {
            take_turn(e, all[i]);
            going = going || !is_over(all[i]);
        }
    }
    for (int i = 0; i < count; i++)
        finish(all[i]);
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double hanging_time(experiment *e, const double *values, int count)
{
    double *sorted = experiment_alloc(e, (size_t)count + 1, sizeof *sorted);
    if (!sorted || count == 0)
        return NAN;
    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_numbers);
    return sorted[count / 10];
}
