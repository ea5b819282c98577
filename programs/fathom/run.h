// SPDX-License-Identifier: MIT
// run.h: one run, as asked for on the command line.
#ifndef FATHOM_PROGRAM_RUN_H
#define FATHOM_PROGRAM_RUN_H

#include "fathom.h"

#include <fathom/run.h>

enum { PATH_SIZE = 900, SETTINGS_MAX = 2 * REPEATS_MAX };

// One run, as asked for.
typedef struct task {
    const char *scene_path;
    char directory[PATH_SIZE];
    const char *settings[SETTINGS_MAX];
    int setting_count;
    int frames;  // -1: the scene's
    int threads; // 0: all processors
    bool resume, force, quiet;
    const char *const *sweeps; // "PATH=A,B,C" each
    int sweep_count;
    const char *from; // FRAME or DIR:FRAME of a branch, or NULL
} task;

// How it went.
typedef struct outcome {
    int code;
    fm_run_status status;
    int first, frame; // first and last written
    bool idle;        // it was finished before
    fm_report report;
} outcome;

void execute(const task *t, outcome *result);
// runs/NAME, NAME from the scene's file.
void default_directory(const char *scene_path, char *directory, size_t size);
void print_resume(FILE *out, const task *t); // the command that goes on with it
// Runs every combination of the values in base->sweeps into numbered directories.
int sweep(const task *base);

#endif
