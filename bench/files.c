// SPDX-License-Identifier: MIT
// files.c: time to write the frames of a run, compared with the time to simulate them.
//
// Simulates a swung towel of 61x41 particles for 2 s on one thread and writes a run of 24 frames
// per second: frame files, rows of the tables with the hash of the state, a checkpoint per second.
#include "bench.h"
#include "fixtures.h"

#include <fathom/run.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES = 48, COLUMNS = 61, ROWS = 41 };

// Creates water with a swung towel.
static fm_world *create_world(fm_error *err)
{
    fm_world *world = fixture_create_world(fixture_water_def(1), err);
    fixture_towel towel = fixture_default_towel(COLUMNS, ROWS);
    fixture_create_hanging_cloth(world, &towel, err);
    return world;
}

// Removes the files of the run and its directories.
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

// Simulates and writes the frames of a run, and reports the time of both per frame.
void bench_files(bench_report *report)
{
    char directory[] = "/tmp/fathom-bench-XXXXXX";
    fm_error err = {0};
    if (!mkdtemp(directory))
        return;
    fm_world *world = create_world(&err);
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
        fm_run_write_frame(run, world, frame, &r, NULL, 0, false, &err);
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
