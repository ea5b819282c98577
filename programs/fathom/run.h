// SPDX-License-Identifier: MIT
// run.h: runs a scene as requested on the command line.
#ifndef FATHOM_PROGRAM_RUN_H
#define FATHOM_PROGRAM_RUN_H

#include "command_line.h"

#include <fathom/run.h>

enum {
    PATH_SIZE = 900,                // bytes of the path of a run
    SETTINGS_MAX = 2 * REPEATS_MAX, // changes of scene values: from --set and from --sweep
};

// A run as requested on the command line.
typedef struct run_request {
    const char *program; // name by which the program was called, for commands to copy
    const char *scene_path;
    char directory[PATH_SIZE];          // directory of the run
    const char *settings[SETTINGS_MAX]; // changes of scene values, "PATH=VALUE" each
    int setting_count;
    int frames;                // number of the last frame; -1: that of the scene
    int threads;               // 0: one per processor
    bool resume;               // continue the run in the directory
    bool force;                // replace the run in the directory
    bool quiet;                // print neither progress nor summary
    const char *const *sweeps; // values to run the scene with, "PATH=A,B,C" each
    int sweep_count;
    const char *from; // "FRAME" or "DIR:FRAME" at which a branch starts, or NULL
} run_request;

// The result of a run.
typedef struct run_result {
    int code; // exit code
    fm_run_status status;
    int first, frame; // first and last frame written
    bool idle;        // the run was complete before, nothing was simulated
    fm_report report; // report of the last simulated frame
} run_result;

// Loads the scene and creates, resumes or branches its run; fills `result`.
void run_scene(const run_request *request, run_result *result);
// Writes "runs/NAME", with NAME from the file name of the scene.
void get_default_directory(const char *scene_path, char *directory, size_t size);
// Prints the command that resumes the run.
void print_resume_command(FILE *out, const run_request *request);
// Runs every combination of the values in base->sweeps, each in a numbered directory. Returns the
// exit code.
int run_sweep(const run_request *base);

#endif
