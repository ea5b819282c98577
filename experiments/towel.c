// SPDX-License-Identifier: MIT
// towel.c: one towel in one world, its centre line written down sixty times a second.
#include "towel.h"

fm_cloth_def towel_cloth(fm_drag_model model)
{
    fm_cloth_def def = fm_default_cloth_def(); // the cotton towel
    def.name = "towel";
    def.drag.model = model;
    def.drag.viscous = def.drag.normal = 1;
    return def;
}

towel_run towel_swing(const fm_cloth_def *cloth, int columns, int rows)
{
    return (towel_run){.cloth = *cloth,
                       .columns = columns,
                       .rows = rows,
                       .axis = TOWEL_Z,
                       .amplitude = 0.05,
                       .period = 1.0,
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

// The swing, until it stops where it is at `stop`.
static fm_motion *make_motion(fm_world *world, const towel_run *run, fm_error *err)
{
    fm_vec3 axis = run->axis == TOWEL_X ? (fm_vec3){1, 0, 0} : (fm_vec3){0, 0, 1};
    if (run->stop <= 0)
        return fm_motion_sine(world, axis, run->amplitude, run->period, err);
    enum { KEYS = 512 };
    fm_key keys[KEYS] = {{0}};
    for (int i = 0; i < KEYS; i++) {
        double t = run->stop * i / (KEYS - 1);
        double d = run->amplitude * sin(2 * 3.14159265358979323846 * t / run->period);
        keys[i].time = t;
        keys[i].position = (fm_vec3){axis.x * d, 0, axis.z * d};
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
        z[r] = run->axis == TOWEL_X ? p.x : p.z;
    }
    out->tip[frame] = x[(run->rows - 1) * run->columns + middle];
}

towel_record towel_simulate(experiment *e, const towel_run *run)
{
    int frames = (int)round(run->duration / TOWEL_FRAME) + 1;
    towel_record out = {.line = {.points = run->rows, .length = 0.6, .dt = TOWEL_FRAME}};
    out.line.z = experiment_alloc(e, (size_t)frames * run->rows, sizeof *out.line.z);
    out.tip = experiment_alloc(e, frames, sizeof *out.tip);
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
