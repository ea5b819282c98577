// SPDX-License-Identifier: MIT
// io.h: the inside of files: writers that never leave half a file, surfaces, one pair of functions
// for each format.
#ifndef FATHOM_IO_IO_H
#define FATHOM_IO_IO_H

#include "core/core.h"

#include <fathom/cache.h>
#include <fathom/cloth.h>
#include <fathom/loader.h>
#include <fathom/run.h>
#include <stdio.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files are written as memory has them");

// file.c. A file that appears under its name when it is whole: written beside as PATH.unfinished
// and renamed. Every write, flush and close is checked; after the first failure (of the writer, or
// of anything else that shares err) writes do nothing, and close removes what was written and
// returns false. What is there and is no regular file (/dev/stdout, a pipe) is written to directly;
// a symbolic link to a file is refused.
#define FM_UNFINISHED ".unfinished"
typedef struct fm_writer fm_writer;
fm_writer *fm_writer_open(const char *path, fm_error *err); // NULL is a writer that does nothing
void fm_write(fm_writer *writer, const void *bytes, size_t size);
// Numbers are written in the C locale, whatever the host's is.
void fm_write_text(fm_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
uint64_t fm_writer_offset(const fm_writer *writer); // bytes so far
bool fm_writer_close(fm_writer *writer, bool sync); // sync: on the disk when this returns
// The same into memory: take closes the writer; free() what it gives, NULL after a failure.
fm_writer *fm_writer_open_memory(fm_error *err);
char *fm_writer_take(fm_writer *writer, size_t *size);

// An empty file for what is not whole yet, locked until it is closed; -1 on failure.
int fm_unfinished_open(const char *beside, fm_error *err);
bool fm_file_remove(const char *path, fm_error *err); // it may be missing
bool fm_fail_link(fm_error *err, const char *path);
bool fm_directory_make(const char *path, fm_error *err); // and those above it

// surface.c. One allocation; name, components of `fields` say what to make.
fm_surface *fm_surface_create(const char *name, int point_count, int face_count, int corner_count,
                              const fm_surface_field *fields, int field_count, fm_error *err);
int fm_surface_corner_count(const fm_surface *surface);
bool fm_surface_same_faces(const fm_surface *a, const fm_surface *b);
void fm_surface_count_not_finite(fm_surface *surface);
void fm_surface_bounds(const fm_surface *surface, float low[3], float high[3]);
void fm_surface_normals(const fm_surface *surface, float *normals); // unit, area-weighted

// frame.c. fields: names separated by blanks; "position" is always there and may be left out.
// Create makes room for it, update fills it with what the cloth is now.
fm_surface *fm_frame_create(fm_cloth *cloth, const char *fields, fm_error *err);
bool fm_frame_update(fm_surface *surface, fm_cloth *cloth, double time, fm_error *err);

// points.c: what has files but no faces: fluids, then colliders with a mass. A frame each, since
// particles come and go.
int fm_points_count(const fm_world *world);
const char *fm_points_name(fm_world *world, int index);
fm_surface *fm_points_frame(fm_world *world, int index, fm_error *err);

// vtk.c, vtk_read.c
bool fm_vtk_write(const char *path, const fm_surface *surface, bool sync, fm_error *err);
fm_surface *fm_vtk_read(const char *path, fm_error *err);
// path is for messages.
fm_surface *fm_vtk_parse(const char *bytes, size_t size, const char *path, fm_error *err);

typedef struct fm_pvd_entry {
    double time;      // s
    const char *file; // relative to the .pvd
    int part;         // several files of one time are parts 0, 1, ...
} fm_pvd_entry;
bool fm_pvd_write(const char *path, const fm_pvd_entry *entries, int count, bool sync,
                  fm_error *err);

// obj.c. Files of ours begin with this.
#define FM_OBJ_HEAD "# Fathom:"
bool fm_obj_write(const char *path, const fm_surface *surface, fm_error *err);

// point_cache.c. positions are NULL after a failure, to be freed otherwise.
bool fm_pc2_read(const char *path, fm_frame_data *frames, fm_error *err);
bool fm_mdd_read(const char *path, fm_frame_data *frames, fm_error *err);
bool fm_pc2_parse(const char *bytes, size_t size, const char *path, fm_frame_data *frames,
                  fm_error *err);
bool fm_mdd_parse(const char *bytes, size_t size, const char *path, fm_frame_data *frames,
                  fm_error *err);

// fluid.c. Frames without faces are points; the field `radius` says how far apart they are at rest.
double fm_points_spacing(const fm_surface *points); // m; 0: not known
fm_surface *fm_points_surface(const fm_mesher *mesher, const fm_surface *points, fm_error *err);

// One file of one frame.
bool fm_ply_write(const char *path, const fm_surface *surface, fm_error *err);

// cache.c
// "towel.000012.vtp" is frame 12 of towel; false for anything else.
bool fm_cache_parse_name(const char *file, char name[FM_NAME_SIZE], int *frame);

// The frames first, first + stride, ... of some objects, for exports.
typedef struct fm_clip {
    const fm_cache *cache;
    const int *objects; // of the cache
    int object_count;
    int first, stride, frame_count;
    double fps;       // frames per second, before the stride
    bool only_finite; // a NaN is an error
} fm_clip;
fm_clip fm_clip_make(const fm_cache *cache, const int *objects, int object_count, int first,
                     int last, int stride, fm_error *err);
// object: of the clip; index: below frame_count.
fm_surface *fm_clip_read(const fm_clip *clip, int object, int index, fm_error *err);
// Same number of points and same faces as `base`: what animation formats need.
fm_surface *fm_clip_read_like(const fm_clip *clip, int object, int index, const fm_surface *base,
                              fm_error *err);

// One file of many frames. pc2, mdd and csv take one object.
bool fm_pc2_write(const char *path, const fm_clip *clip, fm_error *err);
bool fm_mdd_write(const char *path, const fm_clip *clip, fm_error *err);
bool fm_csv_write(const char *path, const fm_clip *clip, fm_error *err);
bool fm_usda_write(const char *path, const fm_clip *clip, fm_error *err);
bool fm_glb_write(const char *path, const fm_clip *clip, fm_error *err);
enum { FM_GLB_FRAMES_MAX = 250 };

enum { FM_PATH_SIZE = 1024 };

// table.c. A CSV file whose first column is the frame.
typedef struct fm_table {
    int file; // descriptor; 0 when closed
    char path[FM_PATH_SIZE + 16];
    char *row; // in the making
    size_t length, room;
    bool failed; // no memory for the row
} fm_table;

// Rows from `first` to `frame` stay and must be there; first - 1: none.
bool fm_table_open(fm_table *table, const char *path, const char *columns, int first, int frame,
                   fm_error *err);
void fm_table_text(fm_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool fm_table_end_row(fm_table *table, fm_error *err);
bool fm_table_close(fm_table *table, fm_error *err);
// The last of the whole rows first, first + 1, ... that follow each other; first - 1: none.
bool fm_table_last_row(const char *path, int first, int *last, fm_error *err);

// checkpoint.c
bool fm_checkpoint_write(const char *directory, int frame, uint64_t scene_hash,
                         const fm_world *world, fm_error *err);
// scene_hash 0 takes that of any scene.
bool fm_checkpoint_restore(const char *directory, int frame, uint64_t scene_hash, fm_world *world,
                           fm_error *err);
const void *fm_checkpoint_parse(const void *bytes, size_t size, const char *path, int *frame,
                                uint64_t *scene_hash, size_t *state_size, fm_error *err);
// "000120.state" is that of frame 120; false for anything else.
bool fm_checkpoint_parse_name(const char *file, int *frame);
// Frames that have one, rising; free() them. -1 on failure.
int fm_checkpoint_list(const char *directory, int **frames, fm_error *err);

// When checkpoints are made: at `first`, and every `every` frames from there (0: no more). One made
// at another frame, where a run was stopped or ended, goes when a newer one is there, so that what
// a run leaves does not depend on where it was stopped.
typedef struct fm_schedule {
    int first, every;
    int kept; // newest, >= 1
} fm_schedule;
bool fm_checkpoint_due(const fm_schedule *schedule, int frame); // behind the first
bool fm_checkpoint_prune(const char *directory, const fm_schedule *schedule, fm_error *err);

// record.c. DIR/run.json.
enum { FM_FRAME_MAX = 999999999 };
typedef struct fm_record {
    fm_run_status status;
    int first_frame, frames, written; // written: the last whole frame, as far as it was told
    double fps;
    uint64_t scene_hash;
    char (*names)[FM_NAME_SIZE]; // of all objects: cloths, then what is points
    int name_count;
    char *from; // directory that a branch came from, or NULL
    char *scene_path, *scene_text;
} fm_record;
bool fm_record_write(const char *directory, const fm_record *record, fm_error *err);
bool fm_record_read(const char *directory, fm_record *record, bool *exists, fm_error *err);
void fm_record_free(fm_record *record);

// claim.c. Whether a run may go here: a directory that is empty, missing, or has a record.
bool fm_claim_check(const char *directory, fm_record *record, bool *exists, fm_error *err);
// Makes the directory; the file stays locked until it is closed.
bool fm_claim_lock(const char *directory, int *lock, fm_error *err);
// Removes the record's files of frames behind `after`, and what is half written; with `after` below
// the first frame everything but the record itself.
bool fm_claim_clear(const char *directory, const fm_record *record, int after, fm_error *err);

#endif
