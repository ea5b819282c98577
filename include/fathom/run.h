// SPDX-License-Identifier: MIT
// run.h: writes the directory of a simulation run: frames, statistics, probes, checkpoints.
//
//     DIR/run.json                   scene, number of frames, objects, status
//     DIR/frames/NAME.000123.vtp     one object, one frame
//     DIR/NAME.pvd                   time index of the frames
//     DIR/stats.csv, DIR/probes.csv  one row per frame
//     DIR/timings.csv                the only file that differs from run to run
//     DIR/setting.json               camera, look, colliders and figures, for rendering
//     DIR/colliders/3.obj, 3.pc2     colliders that are meshes
//     DIR/poses.csv                  one row per frame: poses of the moving colliders
//     DIR/checkpoints/000120.state   the whole state of the world at a frame
//     DIR/lock                       locked while a run writes into DIR
//
// Every file is first written as NAME.unfinished and then renamed. The CSV tables are appended to,
// and truncated on resume. So a run that is killed at any moment leaves a directory that can be
// resumed. docs/runs.md gives the order of writes and says which directories a run may use.
#ifndef FATHOM_RUN_H
#define FATHOM_RUN_H

#include <fathom/api.h>
#include <fathom/error.h>
#include <fathom/picture_setting.h>
#include <fathom/world.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fm_run fm_run;

// How a simulation run ended, or that it is still going on.
typedef enum fm_run_status {
    FM_RUN_RUNNING,
    FM_RUN_DONE,
    FM_RUN_DIVERGED,
    FM_RUN_INTERRUPTED
} fm_run_status;

// Definition of a run: where it writes, what, and how often. The strings are copied.
typedef struct fm_run_def {
    const char *directory;
    const char *scene_path; // the file that the scene was read from
    const char *scene_text; // the whole scene, YAML
    uint64_t scene_hash;    // fm_scene_hash: a run resumes only with the same hash
    int first_frame;        // 0, or the frame at which a branch of another run starts
    const char *from;       // directory of the run that this one branches from; NULL: no branch
    int frames;             // number of the last frame
    double fps;
    int checkpoint_frames; // frames between checkpoints; 0: only one, at the last frame
    int checkpoints_kept;  // number of newest checkpoints that are kept, >= 1
    // Names of the fields to write for every object that has them, separated by blanks; NULL: the
    // usual fields of the object's kind.
    const char *fields;
    const char *const *probe_columns; // [probe_column_count] column names of probes.csv
    int probe_column_count;
    bool check_intersections;       // stats.csv gets columns that count the intersections of cloth
    bool loads;                     // stats.csv gets the force of the fluids on walls and colliders
    fm_picture_setting_def setting; // camera and look, for rendering the run
} fm_run_def;

// A run found in a directory.
typedef struct fm_run_info {
    bool exists;             // the directory holds a run
    uint64_t scene_hash;     // of the scene that was run
    int frames, first_frame; // numbers of the last and of the first frame
    fm_run_status status;
    int newest_checkpoint; // frame of the newest checkpoint; -1: none
    int whole;             // last frame up to which no frame file and no table row is missing
    char from[2048];       // directory of the run that this one branches from, or ""
} fm_run_info;

// Reports the run in a directory. It is an error if the directory holds files but no run, or if
// a symbolic link stands in place of one of the run's files.
FM_API bool fm_run_inspect(const char *directory, fm_run_info *found, fm_error *err);
// The text of the scene that was run; the caller frees it with free().
FM_API char *fm_run_scene_text(const char *directory, fm_error *err);

// Begins a run: locks the directory, and creates it and its subdirectories. `replace` first removes
// the files of an older run there, those that its run.json lists and no others. Without `replace`
// a directory that is not empty is refused and left unchanged.
FM_API fm_run *fm_run_create(const fm_run_def *def, fm_world *world, bool replace, fm_error *err);
// Continues the run in the directory, or begins it if there is none. Restores into the world, which
// must be at first_frame, the newest intact checkpoint before which no file and no row is missing,
// and removes all frames and rows after that checkpoint. `frame` receives the frame number of the
// restored world; first_frame - 1 means that the first frame has yet to be written.
FM_API fm_run *fm_run_resume(const fm_run_def *def, fm_world *world, int *frame, fm_error *err);

// Writes one frame: the files of its objects, a row in every table, and a checkpoint when one is
// due or `checkpoint` is true. wall_ms: time spent simulating this frame.
FM_API bool fm_run_write_frame(fm_run *run, fm_world *world, int frame, const fm_report *report,
                               const double *probes, double wall_ms, bool checkpoint,
                               fm_error *err);
// Writes a checkpoint of a frame that has already been written without one.
FM_API bool fm_run_write_checkpoint(fm_run *run, fm_world *world, int frame, fm_error *err);
// Ends a run: writes the time indices and the status, releases the lock, destroys `run`.
FM_API bool fm_run_close(fm_run *run, fm_run_status status, int last_frame, fm_error *err);

// Restores into the world the newest checkpoint at or before `frame`. `at` receives the frame of
// that checkpoint.
FM_API bool fm_run_restore_checkpoint(const char *directory, int frame, fm_world *world, int *at,
                                      fm_error *err);

// Replaces the contents of a file, or creates it, atomically: on failure the old file is unchanged.
// A symbolic link is refused.
FM_API bool fm_file_replace(const char *path, const void *bytes, size_t size, fm_error *err);

#ifdef __cplusplus
}
#endif

#endif
