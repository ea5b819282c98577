// SPDX-License-Identifier: MIT
// thick-cost.c: what a thickening fluid costs. [OZG13]: 20,000 particles take about 1.5 s a frame,
// and history adds little.
//
// A glass ball of 11 cm radius, about that of a bowling ball, falls into a pool of 2.45 x 0.28 x
// 1.26 m with 20,160 particles 3.5 cm apart, on two threads. Measured over the second half of
// 20 frames at 30 frames per second: frames per second of wall time with the default model, and the
// time of a substep with and without history.
#include "starch.h"

static const double FPS = 30; // 1/s

// Time of a frame, ms, and of a substep.
typedef struct cost {
    double frame, substep; // ms
    int count;             // particles
} cost;

// Runs one pool.
static cost measure(experiment *e, bool history, bool published)
{
    fm_error *err = experiment_error(e);
    const bool quick = experiment_quick(e);
    starch_def def = starch_default();
    def.size = quick ? (fm_vec3){0.7, 1, 0.7} : (fm_vec3){2.45, 1, 1.26};
    def.depth = 0.28;
    def.threads = 2;
    def.spacing = 0.035;
    def.fluid.history = history;
    def.fluid.published = published;
    def.time_step = published ? 1 / 300.0 : 0;
    fm_collider_def ball = starch_ball((fm_vec3){def.size.x / 2, 0.45, def.size.z / 2}, 0.11, 2500);
    def.solid = &ball;
    starch pool = starch_create(&def, err);
    cost c = {0};
    if (err->status != FM_OK) {
        fm_world_destroy(pool.world);
        return c;
    }
    c.count = fm_particles_count(pool.fluid);
    const int frames = quick ? 2 : published ? 6 : 20;
    int64_t before = 0;
    double clock = 0;
    for (int k = 0; k < frames && err->status == FM_OK; k++) {
        if (k == frames / 2) {
            before = fm_particles_read_stats(pool.fluid).substep_count;
            clock = experiment_read_clock(false);
        }
        fm_world_advance(pool.world, 1 / FPS, err);
    }
    double passed = 1e3 * (experiment_read_clock(false) - clock);
    c.frame = passed / (frames - frames / 2);
    c.substep = passed / (double)(fm_particles_read_stats(pool.fluid).substep_count - before);
    fm_world_destroy(pool.world);
    return c;
}

int main(int argc, char **argv)
{
    int status;
    experiment *e =
        experiment_open(argc, argv, "thick-cost", "Cost of a thickening fluid.", &status);
    if (!e)
        return status;
    cost on = measure(e, true, false), off = measure(e, false, false),
         published = measure(e, true, true);
    experiment_add_result(e, "particles", 20000, on.count, "");
    experiment_add_result(e, "default model, time of a frame", 1500, on.frame, "ms");
    experiment_add_result(e, "default model, frames per second", NAN, 1e3 / on.frame, "1/s");
    experiment_add_result(e, "without history, time of a frame", NAN, off.frame, "ms");
    experiment_add_result(e, "time of a substep with history / without", NAN,
                          on.substep / off.substep, "");
    experiment_add_result(e, "published model, time of a frame", 1500, published.frame, "ms");
    return experiment_close(e);
}
