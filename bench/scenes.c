// SPDX-License-Identifier: MIT
// scenes.c: time per frame of every scene in ./scenes, on two threads compared with one.
//
// Two worlds, one for each number of threads, simulate the same frames alternately. Each frame
// gives a ratio of times for the same work, of which the median is reported. The first frame is
// reported apart, because in it a world computes tables, and orders of constraint projection, that
// it needs only once.
#include "bench.h"

#include <fathom/fathom.h>
#include <fathom/loader.h>
#include <fathom/scene.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES_MAX = 48, FRAMES_MIN = 4 };
static const double TIME_LIMIT = 2; // s spent on a scene, unless FRAMES_MIN take longer

// Time to advance by `duration` (s), in ms.
static double time_frame(fm_world *world, double duration, fm_error *err)
{
    double start = bench_now();
    fm_world_advance(world, duration, err);
    return 1e3 * (bench_now() - start);
}

// Simulates frames of `duration` (s) in world[0] (one thread) and world[1] (two threads)
// alternately.
static void compare_threads(bench_report *report, const char *name, fm_world *const world[2],
                            double duration, fm_error *err)
{
    double ms[2][FRAMES_MAX], ratio[FRAMES_MAX], start = bench_now();
    int count = 0;
    while (count < FRAMES_MAX && (count < FRAMES_MIN || bench_now() - start < TIME_LIMIT)) {
        for (int i = 0; i < 2; i++)
            ms[i][count] = time_frame(world[i], duration, err);
        ratio[count] = ms[1][count] / ms[0][count];
        count++;
    }
    if (err->status != FM_OK)
        return;
    double first = ms[0][0];
    double later_ratio = bench_median(ratio + 1, count - 1),
           later = bench_median(ms[0] + 1, count - 1);
    char note[96];
    snprintf(note, sizeof note, "%.2f times as fast; first frame %.0f ms, later %.1f",
             1 / later_ratio, first, later);
    bench_add(report,
              &(bench_result){"every scene, two threads", name, bench_median(ms[1] + 1, count - 1),
                              "ms/frame", later_ratio, "one thread", note});
}

// Builds the scene in the file `path` for one thread and for two, and compares their times.
static void compare_scene(bench_report *report, const char *path)
{
    fm_error err = {0};
    fm_scene *scene = fm_scene_load(path, NULL, 0, NULL, NULL, &err);
    fm_world *world[2] = {NULL, NULL};
    for (int i = 0; i < 2 && scene; i++)
        world[i] = fm_scene_build_with_loader(scene, i + 1, fm_file_loader(), &err);
    char name[64];
    const char *short_name = strchr(path, '/') + 1;
    snprintf(name, sizeof name, "%.*s", (int)(strlen(short_name) - strlen(".yaml")), short_name);
    if (err.status == FM_OK)
        compare_threads(report, name, world, 1 / fm_scene_run_settings(scene).fps, &err);
    if (err.status != FM_OK)
        bench_add(report, &(bench_result){.group = "every scene, two threads",
                                          .name = name,
                                          .unit = "ms/frame",
                                          .note = "cannot be simulated"});
    for (int i = 0; i < 2; i++)
        fm_world_destroy(world[i]);
    fm_scene_destroy(scene);
}

// Compares the threads on every scene in ./scenes.
void bench_scenes(bench_report *report)
{
    glob_t found;
    if (glob("scenes/*/*.yaml", 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            compare_scene(report, found.gl_pathv[i]);
    }
    globfree(&found);
}
