// SPDX-License-Identifier: MIT
// thick-runner.c: a body of 70 kg runs across cornstarch in water. It stays up while it runs fast
// enough, and sinks when it stands.
//
// The body is free in height; its feet, capsules of 14 x 44 cm, are moved relative to it. A foot is
// on the ground for one step, in which its leg stretches by 8 cm, and swings forward for the next
// one. The pool is 40 cm deep, the speed 0.4 m/s. Measured, for several cadences: how deep the body
// is at most below its start in the second half of 4 s; then how deep it is 2 s after it stopped.
#include "starch.h"

static const double SPEED = 0.4, STRETCH = 0.08, LIFT = 0.15; // m/s, m, m
static const double RUN = 4, STAND = 2, FPS = 30;             // s, s, 1/s
enum { KEYS_MAX = 128 };

// The motion of one foot relative to the body; cadence: steps per second.
static const fm_motion *find_steps(fm_world *world, double cadence, bool second, double run,
                                   fm_error *err)
{
    const double step = 1 / cadence, length = SPEED * step;
    fm_key keys[KEYS_MAX];
    int count = 0;
    double t = second ? step : 0, x = second ? length : 0;
    if (second)
        keys[count++] = (fm_key){.position = {0, LIFT, 0}};
    keys[count++] = (fm_key){.time = t, .position = {x, 0, 0}};
    for (; t + 2 * step < run && count < KEYS_MAX - 4; t += 2 * step, x += 2 * length) {
        keys[count++] = (fm_key){.time = t + step, .position = {x, -STRETCH, 0}};
        keys[count++] = (fm_key){.time = t + 1.5 * step, .position = {x + length, LIFT, 0}};
        keys[count++] = (fm_key){.time = t + 2 * step, .position = {x + 2 * length, 0, 0}};
    }
    keys[count++] = (fm_key){.time = fmax(run, t) + 0.3, .position = {x, -STRETCH, 0}};
    return fm_motion_keyframes(world, keys, count, FM_INTERPOLATE_LINEAR, (fm_vec3){0}, err);
}

// Depths of the body below its start, m.
typedef struct depths {
    double running, standing;
} depths;

// Runs with one cadence.
static depths run(experiment *e, double cadence, bool history, experiment_table *table)
{
    fm_error *err = experiment_error(e);
    const bool quick = experiment_quick(e);
    const double duration = quick ? 0.2 : RUN + STAND;
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = 1;
    fm_world *world = fm_world_create(&world_def, err);
    fm_collider_def foot = fm_default_collider_def();
    foot.name = "runner";
    foot.shape = (fm_shape){.kind = FM_SHAPE_CAPSULE,
                            .start = {0.25, 0.48, 0.27},
                            .end = {0.55, 0.48, 0.27},
                            .radius = 0.07};
    foot.mass = 70;
    const fm_motion *left = find_steps(world, cadence, false, RUN, err);
    foot.motion = left;
    fm_collider *body = fm_collider_create(world, &foot, err);
    foot.name = "foot";
    foot.shape.start.z = foot.shape.end.z = 0.43;
    foot.mass = 0;
    foot.carrier = body;
    foot.motion = find_steps(world, cadence, true, RUN, err);
    fm_collider_create(world, &foot, err);
    fm_particles_def def = fm_default_particles_def();
    fm_thickening fluid_def = fm_default_thickening();
    fluid_def.history = history;
    def.spacing = quick ? 0.1 : 0.05;
    def.domain.high = (fm_vec3){2.4, 1.4, 0.7};
    def.domain.sides[FM_SIDE_TOP] = FM_SIDE_OPEN;
    def.network.memory.fading = 0.3;
    fm_thickening_convert(&fluid_def, &def);
    fm_particles *fluid = fm_particles_create(world, &def, err);
    fm_particles_add_box(fluid, &(fm_fluid_box){.high = {2.4, 0.4, 0.7}, .settled = true}, err);
    depths d = {0};
    const fm_vec3 middle = {0.4, 0.48, 0.27};
    for (int k = 1; k <= duration * FPS && err->status == FM_OK; k++) {
        fm_world_advance(world, 1 / FPS, err);
        const double t = k / FPS;
        double depth = fm_motion_position(left, middle, t).y - fm_collider_position(body).y;
        experiment_write_row(table, "%g,%d,%.5g,%.6g", cadence, history, t, depth);
        if (t > RUN / 2 && t < RUN)
            d.running = fmax(d.running, depth);
        d.standing = depth;
    }
    fm_world_destroy(world);
    return d;
}

int main(int argc, char **argv)
{
    int status;
    experiment *e =
        experiment_open(argc, argv, "thick-runner",
                        "A body runs across cornstarch in water, then stands.", &status);
    if (!e)
        return status;
    experiment_table *table =
        experiment_table_open(e, "runner.csv", "cadence_1/s,history,time_s,depth_m");
    const double cadence[] = {4, 3, 2, 1.5, 1, 0.7, 0.5};
    for (int k = 0; k < (experiment_quick(e) ? 1 : 7); k++) {
        depths d = run(e, cadence[k], true, table);
        experiment_add_named_result(e, NAN, 100 * d.running, "cm",
                                    "%g steps per second, largest depth while running", cadence[k]);
        experiment_add_named_result(e, NAN, 100 * d.standing, "cm",
                                    "%g steps per second, depth after standing", cadence[k]);
    }
    depths d = run(e, 4, false, table);
    experiment_add_result(e, "without history, 4 steps per second, largest depth while running",
                          NAN, 100 * d.running, "cm");
    experiment_plot(
        e, "runner", "Depth of a body that runs for 4 s and then stands",
        "set xlabel 'time [s]'\nset ylabel 'depth below its start [m]'\n"
        "set yrange [] reverse\nplot for [c in '4 3 2 1.5 1 0.7 0.5'] 'runner.csv' using "
        "($1==c+0&&$2==1?$3:1/0):4 with lines title c.' steps/s', '' using "
        "($2==0?$3:1/0):4 with lines ls 8 title '4 steps/s, without history'\n");
    return experiment_close(e);
}
