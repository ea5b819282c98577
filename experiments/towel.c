// SPDX-License-Identifier: MIT
// towel.c: one towel in one world, its centre line written down sixty times a second.
#include "towel.h"

fm_cloth_def towel_cloth(fm_drag_model model)
{
    fm_cloth_def def = fm_default_cloth_def(); // the cotton towel
    def.name = "towel";
    def.drag.model = model;
    def.drag.viscous = def.drag.normal = 1;
    def.damping.coefficient = TOWEL_DAMPING;
    return def;
}

towel_run towel_swing(const fm_cloth_def *cloth, int columns, int rows)
{
    return (towel_run){.cloth = *cloth,
                       .columns = columns,
                       .rows = rows,
                       .axis = {0, 0, 1},
                       .amplitude = 0.05,
                       .period = 0.8,
                       .duration = 8};
}

fm_recall towel_steps(int steps)
{
    fm_recall recall = towel_full();
    recall.kind = FM_RECALL_STEPS;
    recall.rule = FM_RULE_COIMBRA;
    recall.steps = steps;
    return recall;
}

fm_recall towel_full(void)
{
    return (fm_recall){.kind = FM_RECALL_FULL,
                       .steps = 3,
                       .seconds = 1,
                       .fading = 1,
                       .tolerance = 1e-4,
                       .horizon = 100};
}

fm_recall towel_fading(double fading)
{
    fm_recall recall = towel_full();
    recall.kind = FM_RECALL_FADING;
    recall.fading = fading;
    return recall;
}

void towel_remember(fm_cloth_def *cloth, fm_recall memory, double damping, double history)
{
    cloth->damping.coefficient = damping;
    cloth->damping.order = 0.5;
    cloth->damping.memory = memory;
    cloth->drag.history.coefficient = history;
    cloth->drag.history.order = 0.5;
    cloth->drag.history.memory = memory;
}

fm_cloth_def towel_fractional(fm_recall memory)
{
    fm_cloth_def def = towel_cloth(FM_DRAG_PUBLISHED);
    def.drag.viscous = 2;
    def.drag.normal = 0;
    towel_remember(&def, memory, TOWEL_HALF_DAMPING, 20);
    return def;
}

// The dashpots: D = 0.0664 v for three steps of 1.11 ms. "full" is the second best of its sweep,
// 3.043 after 3.045: the best has as little history as the sweep allows.
static const struct {
    const char *name;
    fm_drag_model drag;
    double viscous, normal, damping, history;
} tuned[TOWEL_MODELS] = {
    [TOWEL_BOTH] = {"viscous and normal", FM_DRAG_BOTH, 0.3, 4.17, 0.028, 0},
    [TOWEL_VISCOUS] = {"viscous", FM_DRAG_VISCOUS, 4.17, 0, 0.0145, 0},
    [TOWEL_NORMAL] = {"normal", FM_DRAG_NORMAL, 0, 4.17, 0.00104, 0},
    [TOWEL_PAPER] = {"u = 3 by the paper", FM_DRAG_PUBLISHED, 4.17, 0, 0.0145, 1},
    [TOWEL_U3] = {"u = 3", FM_DRAG_PUBLISHED, 1.12, 0, 0.2, 41.7},
    [TOWEL_DASHPOTS] = {"its dashpots", FM_DRAG_VISCOUS, 3.89, 0, 0.0133, 0},
    [TOWEL_FADING] = {"fading 0.3 s", FM_DRAG_PUBLISHED, 2.16, 0, 0.2, 4.17},
    [TOWEL_FULL] = {"full", FM_DRAG_PUBLISHED, 1.12, 0, 0.2, 8.05},
    [TOWEL_PHYSICAL] = {"physical", FM_DRAG_PHYSICAL, 0, 0, 0.028, 0},
};

const char *towel_model_name(towel_model model)
{
    return tuned[model].name;
}

fm_cloth_def towel_tuned(towel_model model)
{
    fm_cloth_def def = towel_cloth(tuned[model].drag);
    def.drag.viscous = tuned[model].viscous;
    def.drag.normal = tuned[model].normal;
    def.damping.coefficient = tuned[model].damping;
    if (model == TOWEL_PAPER || model == TOWEL_U3)
        towel_remember(&def, towel_steps(3), tuned[model].damping, tuned[model].history);
    if (model == TOWEL_FADING)
        towel_remember(&def, towel_fading(0.3), tuned[model].damping, tuned[model].history);
    if (model == TOWEL_FULL)
        towel_remember(&def, towel_full(), tuned[model].damping, tuned[model].history);
    if (model == TOWEL_PHYSICAL) {
        def.drag.pressure = 0.0847;
        def.drag.added_mass = 0.0035;
    }
    return def;
}

// RMS of dz/dt over frames [first, last) and all points.
static double line_speed(const deflection *d, int first, int last)
{
    double sum = 0;
    for (int f = first < 1 ? 1 : first; f < last; f++)
        for (int p = 0; p < d->points; p++) {
            const double *z = d->z + (size_t)f * d->points + p;
            sum += (z[0] - z[-d->points]) * (z[0] - z[-d->points]);
        }
    return sqrt(sum / ((double)d->points * (last - first))) / d->dt;
}

double towel_ring_time(const towel_record *record, double from, double share)
{
    const deflection *d = &record->line;
    int first = (int)round(from / d->dt), window = (int)round(0.1 / d->dt);
    double limit = share * line_speed(d, first - 5 * window, first);
    int quiet = d->frames - window; // walk back from the end to the last loud moment
    while (quiet > first && line_speed(d, quiet, quiet + window) < limit)
        quiet--;
    return quiet < d->frames - window ? (quiet - first) * d->dt : INFINITY;
}

double towel_travel(experiment *e, const towel_record *record, double from, double threshold)
{
    bump_track *tracks;
    const deflection *d = &record->line;
    int count = track_bumps(e, d, (int)round(from / d->dt), threshold, &tracks);
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, tracks[i].to - tracks[i].from);
    return most;
}

void towel_write_map(experiment *e, const towel_record *record, const char *file, double begin)
{
    experiment_table *table = experiment_table_open(e, file, "time_s,place_m,deflection_m");
    const deflection *d = &record->line;
    int first = (int)round(begin / d->dt);
    for (int f = first; f < d->frames; f += 2)
        for (int p = 0; p < d->points; p++)
            experiment_numbers(table,
                               (double[]){(f - first) * d->dt, p * d->length / (d->points - 1),
                                          d->z[(size_t)f * d->points + p]});
}

double towel_distance(const towel_record *a, const towel_record *b, double begin, double end)
{
    double most = 0;
    int first = (int)round(begin / TOWEL_FRAME), last = (int)round(end / TOWEL_FRAME);
    int points = a->line.points;
    for (int f = first; f <= last && f < a->line.frames && f < b->line.frames; f++)
        for (int p = 0; p < points; p++) {
            fm_vec3 u = a->x[(size_t)f * points + p], v = b->x[(size_t)f * points + p];
            double x = u.x - v.x, y = u.y - v.y, z = u.z - v.z;
            most = fmax(most, sqrt(x * x + y * y + z * z));
        }
    return most;
}

bump_stats towel_bumps(experiment *e, const towel_run *run, const towel_record *record, double from)
{
    if (record->diverged || experiment_failed(e))
        return (bump_stats){0};
    return measure_bumps(e, &record->line, (int)round(from / TOWEL_FRAME), 0.1 * run->amplitude,
                         run->stop > 0 ? 0 : run->period);
}

// The swing, until it stops where it is at `stop`.
static fm_motion *make_motion(fm_world *world, const towel_run *run, fm_error *err)
{
    fm_vec3 axis = run->axis;
    if (run->stop <= 0)
        return fm_motion_sine(world, axis, run->amplitude, run->period, err);
    enum { KEYS = 512 };
    fm_key keys[KEYS] = {{0}};
    for (int i = 0; i < KEYS; i++) {
        double t = run->stop * i / (KEYS - 1);
        double d = run->amplitude * sin(2 * 3.14159265358979323846 * t / run->period);
        keys[i].time = t;
        keys[i].position = (fm_vec3){axis.x * d, axis.y * d, axis.z * d};
    }
    return fm_motion_keyframes(world, keys, KEYS, FM_INTERPOLATE_SPLINE, (fm_vec3){0, 0, 0}, err);
}

static void record(const towel_run *run, fm_cloth *cloth, towel_record *out, int frame)
{
    int count, middle = run->columns / 2;
    const fm_vec3 *x = fm_cloth_positions(cloth, &count);
    double *z = out->line.z + (size_t)frame * run->rows;
    for (int r = 0; r < run->rows; r++) {
        fm_vec3 p = x[r * run->columns + middle];
        z[r] = p.z;
        out->x[(size_t)frame * run->rows + r] = p;
    }
}

void towel_check_damping(experiment *e, const fm_report *report)
{
    if (report->damping_share < 1)
        experiment_fail(e, FM_BAD_VALUE, "the springs' damping acts by %.3g of what was asked for",
                        report->damping_share);
}

towel_record towel_simulate(experiment *e, const towel_run *run)
{
    int frames = (int)round(run->duration / TOWEL_FRAME) + 1;
    towel_record out = {.line = {.points = run->rows, .length = 0.6, .dt = TOWEL_FRAME}};
    out.line.z = experiment_alloc(e, (size_t)frames * run->rows, sizeof *out.line.z);
    out.x = experiment_alloc(e, (size_t)frames * run->rows, sizeof *out.x);
    if (experiment_failed(e))
        return out;
    fm_error err = {0};
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = 1;
    fm_world *world = fm_world_create(&world_def, &err);
    fm_sheet sheet = {.columns = run->columns,
                      .rows = run->rows,
                      .width = 0.4,
                      .height = 0.6,
                      .origin = {-0.2, 0, 0}};
    fm_cloth *cloth = fm_cloth_create_sheet(world, &run->cloth, &sheet, &err);
    fm_cloth_pin_edge(cloth, FM_EDGE_TOP, make_motion(world, run, &err), &err);
    for (int f = 0; f < frames && err.status == FM_OK; f++) {
        if (f > 0) {
            fm_report report = fm_world_advance(world, TOWEL_FRAME, &err);
            out.substep = report.substep;
            towel_check_damping(e, &report);
            out.stretch = fmax(out.stretch, report.max_stretch);
        }
        if (err.status == FM_OK) {
            record(run, cloth, &out, f);
            out.line.frames = f + 1;
        }
    }
    out.diverged = err.status == FM_DIVERGED;
    if (err.status != FM_OK && !out.diverged)
        experiment_fail(e, err.status, "%s", err.text);
    fm_world_destroy(world);
    return out;
}
