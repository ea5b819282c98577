// SPDX-License-Identifier: MIT
// run.h: a run's directory: frames, statistics, probes, checkpoints.
//
//     DIR/run.json                   what ran, and how it stands
//     DIR/frames/NAME.000123.vtp     one object, one frame
//     DIR/NAME.pvd                   time index of the frames
//     DIR/stats.csv, DIR/probes.csv  one row a frame
//     DIR/timings.csv                the one file that differs from run to run
//     DIR/checkpoints/000120.state   the whole state at a frame
//     DIR/lock                       held while a run writes here
//
// Files are written beside (NAME.unfinished) and renamed, tables are appended and cut back on
// resume, so that a kill at any moment leaves a directory that resumes. docs/runs.md has the order,
// and which directories are taken.
#ifndef FATHOM_RUN_H
#define FATHOM_RUN_H

#include <fathom/api.h>
#include <fathom/error.h>
#include <fathom/world.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fm_run fm_run;

typedef enum fm_run_status {
    FM_RUN_RUNNING,
    FM_RUN_DONE,
    FM_RUN_DIVERGED,
    FM_RUN_INTERRUPTED
} fm_run_status;

// What is written into a run's directory. Strings are copied.
typedef struct fm_run_def {
    const char *directory;
    const char *scene_path; // where the scene was read from
    const char *scene_text;
    uint64_t scene_hash;
    int first_frame;  // 0, or the frame a branch starts from
    const char *from; // directory that a branch comes from, or NULL
    int frames;       // the last frame's number
    double fps;
    int checkpoint_frames; // frames between checkpoints; 0: none but the last
    int checkpoints_kept;  // newest, >= 1
    const char *fields;    // of cloths, separated by blanks
    const char *const *probe_columns;
    int probe_column_count;
    bool check_intersections; // columns for what the world counts of them
    bool loads;               // columns for what fluids do to walls and colliders
} fm_run_def;

// What a directory holds already.
typedef struct fm_run_found {
    bool exists; // a run is there
    uint64_t scene_hash;
    int frames, first_frame;
    fm_run_status status;
    int newest_checkpoint; // frame, or -1
    int whole;             // the last frame up to which all files and rows are there
    char from[2048];       // directory that a branch came from, or ""
} fm_run_found;

// A directory that holds other things than a run is an error, and so is one whose files are links.
FM_API bool fm_run_look(const char *directory, fm_run_found *found, fm_error *err);
// The scene's text as it was run; free() it.
FM_API char *fm_run_scene_text(const char *directory, fm_error *err);

// Takes the directory's lock, makes what is missing. `replace` removes the files of the run that is
// there (those that its run.json tells, and nothing else); without it a directory that holds
// anything is refused and left as it was.
FM_API fm_run *fm_run_create(const fm_run_def *def, fm_world *world, bool replace, fm_error *err);
// Goes on with what is there: the newest good checkpoint before which nothing is missing is
// restored into the world, which stands at first_frame before; what comes behind it is cut off.
// frame tells where the world stands then; first_frame - 1 means that the first frame is still to
// be written.
FM_API fm_run *fm_run_resume(const fm_run_def *def, fm_world *world, int *frame, fm_error *err);

// One frame: files, rows, and a checkpoint when one is due or `checkpoint` asks for it.
FM_API bool fm_run_write(fm_run *run, fm_world *world, int frame, const fm_report *report,
                         const double *probes, double wall_ms, bool checkpoint, fm_error *err);
// A checkpoint of a frame that was written without one.
FM_API bool fm_run_checkpoint(fm_run *run, fm_world *world, int frame, fm_error *err);
// Writes the time indices and the status, lets go of the lock.
FM_API bool fm_run_close(fm_run *run, fm_run_status status, int last_frame, fm_error *err);

// Restores the state of a frame that has a checkpoint: the newest at or before `frame`. Gives its
// frame.
FM_API bool fm_run_restore(const char *directory, int frame, fm_world *world, int *at,
                           fm_error *err);

// A file with these bytes: whole, or as it was before. A symbolic link is refused.
FM_API bool fm_file_replace(const char *path, const void *bytes, size_t size, fm_error *err);

#ifdef __cplusplus
}
#endif

#endif
