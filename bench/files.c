// SPDX-License-Identifier: MIT
// files.c: what writing frames costs beside simulating them.
//
// A 61x41 towel, swung, one thread, two seconds at 24 frames a second into a run's directory: frame
// files, rows of tables with the hash of the state, and checkpoints every second.
#include "bench.h"

#include <fathom/fathom.h>
#include <fathom/run.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES = 48, COLUMNS = 61, ROWS = 41 };

static fm_world *make_world(fm_error *err)
{
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = 1;
    fm_world *world = fm_world_create(&world_def, err);
    fm_cloth_def def = fm_default_cloth_def();
    fm_sheet sheet = {.columns = COLUMNS, .rows = ROWS, .width = 0.4, .height = 0.6};
    fm_cloth *cloth = fm_cloth_create_sheet(world, &def, &sheet, err);
    fm_motion *swing = fm_motion_sine(world, (fm_vec3){0, 0, 1}, 0.06, 2.4, err);
    if (err->status == FM_OK)
        fm_cloth_pin_row(cloth, 0, swing, err);
    return world;
}

static void remove_files(const char *directory)
{
    static const char *const names[] = {"run.json", "lock", "stats.csv", "timings.csv",
                                        "cloth.pvd"};
    char path[256];
    for (int i = 0; i <= FRAMES; i++) {
        snprintf(path, sizeof path, "%s/frames/cloth.%06d.vtp", directory, i);
        unlink(path);
        snprintf(path, sizeof path, "%s/checkpoints/%06d.state", directory, i);
        unlink(path);
    }
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/frames", directory);
    rmdir(path);
    snprintf(path, sizeof path, "%s/checkpoints", directory);
    rmdir(path);
    rmdir(directory);
}

void bench_files(bench_report *report)
{
    char directory[] = "/tmp/fathom-bench-XXXXXX";
    fm_error err = {0};
    if (!mkdtemp(directory))
        return;
    fm_world *world = make_world(&err);
    fm_run_def def = {.directory = directory,
                      .scene_path = "",
                      .scene_text = "",
                      .scene_hash = 1,
                      .frames = FRAMES,
                      .fps = 24,
                      .checkpoint_frames = 24,
                      .checkpoints_kept = 10,
                      .fields = "velocity normal stretch"};
    fm_run *run = fm_run_create(&def, world, false, &err);
    double simulating = 0, writing = 0;
    for (int frame = 0; frame <= FRAMES && err.status == FM_OK; frame++) {
        double start = bench_now();
        fm_report r = frame ? fm_world_advance(world, 1 / 24.0, &err) : fm_world_report(world);
        double middle = bench_now();
        fm_run_write(run, world, frame, &r, NULL, 0, false, &err);
        if (frame > 0) {
            simulating += middle - start;
            writing += bench_now() - middle;
        }
    }
    fm_run_close(run, FM_RUN_DONE, FRAMES, &err);
    fm_world_destroy(world);
    remove_files(directory);
    if (err.status != FM_OK)
        return;
    static const char *const group = "61x41, 48 frames";
    bench_add(report, &(bench_result){group, "simulating", 1e9 * simulating / FRAMES, "ns/frame", 0,
                                      "", ""});
    bench_add(report, &(bench_result){group, "writing", 1e9 * writing / FRAMES, "ns/frame",
                                      writing / simulating, "simulating",
                                      "frames, rows, hash, checkpoints"});
}
