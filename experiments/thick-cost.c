// SPDX-License-Identifier: MIT
// thick-cost.c: what a thickening fluid costs. [OZG13]: 20,000 particles take about 1.5 s a frame,
// and history adds little.
//
// A glass ball of 11 cm radius, about that of a bowling ball, falls into a pool of 2.45 x 0.28 x
// 1.26 m with 20,160 particles 3.5 cm apart, on two threads. Pools with and without history and
// with the published model take frames of 1/30 s in turn. Measured over the second half of 30
// frames: median of the wall time of a frame, the shortest one, and CPU time per frame and per
// substep.
#include "starch.h"

static const double FPS = 30; // 1/s
enum { FRAMES = 30, FRAMES_PUBLISHED = 6, POOLS = 3 };

// A pool and the times of its frames.
typedef struct timed_pool {
    starch pool;
    fm_collider_def ball;
    double wall[FRAMES], cpu; // s, wall time of each frame and CPU time of all
    int count, substeps;      // frames measured, and their substeps
} timed_pool;

// Creates one pool.
static void create(experiment *e, timed_pool *t, bool history, bool published)
{
    starch_def def = starch_default();
    def.size = experiment_quick(e) ? (fm_vec3){0.7, 1, 0.7} : (fm_vec3){2.45, 1, 1.26};
    def.depth = 0.28;
    def.threads = 2;
    def.spacing = 0.035;
    def.fluid.history = history;
    def.fluid.published = published;
    def.time_step = published ? 1 / 300.0 : 0;
    t->ball = starch_ball((fm_vec3){def.size.x / 2, 0.45, def.size.z / 2}, 0.11, 2500);
    def.solid = &t->ball;
    t->pool = starch_create(&def, experiment_error(e));
}

// Takes one frame.
static void advance(experiment *e, timed_pool *t, bool measured)
{
    const double wall = experiment_read_clock(false), cpu = experiment_read_clock(true);
    const fm_report report = fm_world_advance(t->pool.world, 1 / FPS, experiment_error(e));
    if (!measured)
        return;
    t->wall[t->count++] = experiment_read_clock(false) - wall;
    t->cpu += experiment_read_clock(true) - cpu;
    t->substeps += report.substep_count;
}

// Reports the times of a pool.
static void report(experiment *e, const char *name, const timed_pool *t)
{
    double best = INFINITY;
    for (int k = 0; k < t->count; k++)
        best = fmin(best, t->wall[k]);
    const double median = experiment_median(t->wall, t->count);
    experiment_add_named_result(e, 1500, 1e3 * median, "ms", "%s, time of a frame", name);
    experiment_add_named_result(e, NAN, 1 / median, "1/s", "%s, frames per second", name);
    experiment_add_named_result(e, NAN, 1 / best, "1/s", "%s, frames per second at best", name);
    experiment_add_named_result(e, NAN, 1e3 * t->cpu / t->count, "ms", "%s, CPU time of a frame",
                                name);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e =
        experiment_open(argc, argv, "thick-cost", "Cost of a thickening fluid.", &status);
    if (!e)
        return status;
    static const char *const names[POOLS] = {"default model", "without history", "published model"};
    timed_pool t[POOLS] = {0};
    for (int k = 0; k < POOLS; k++)
        create(e, &t[k], k != 1, k == 2);
    const int frames = experiment_quick(e) ? 2 : FRAMES;
    for (int frame = 0; frame < frames && !experiment_failed(e); frame++)
        for (int k = 0; k < POOLS; k++)
            if (k < 2 || frame < FRAMES_PUBLISHED)
                advance(e, &t[k], frame >= (k < 2 ? frames : FRAMES_PUBLISHED) / 2 || frames == 2);
    if (!experiment_failed(e)) {
        experiment_add_result(e, "particles", 20000, fm_particles_count(t[0].pool.fluid), "");
        for (int k = 0; k < POOLS; k++)
            report(e, names[k], &t[k]);
        experiment_add_result(e, "CPU time of a substep with history / without", NAN,
                              t[0].cpu / t[0].substeps / (t[1].cpu / t[1].substeps), "");
        experiment_add_result(e, "CPU time of a frame with history / without", NAN,
                              t[0].cpu / t[1].cpu, "");
    }
    for (int k = 0; k < POOLS; k++)
        fm_world_destroy(t[k].pool.world);
    return experiment_close(e);
}
