// SPDX-License-Identifier: MIT
// io.h: internal declarations for reading and writing files: atomic writers, file formats, runs.
#ifndef FATHOM_IO_IO_H
#define FATHOM_IO_IO_H

#include "core/core.h"
#include "geometry/geometry.h"

#include <fathom/cache.h>
#include <fathom/cloth.h>
#include <fathom/loader.h>
#include <fathom/object.h>
#include <fathom/run.h>
#include <stdio.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "binary formats are little endian and written without swapping bytes");

// file.c. A writer creates a file atomically: it writes PATH.unfinished and renames that to PATH
// when it is closed. Every write, flush and close is checked. After the first failure, of the
// writer or of any other call that shares err, writes do nothing, and closing removes the
// unfinished file and returns false. If PATH is a device or a pipe (/dev/stdout), the writer writes
// to it directly. A symbolic link to a regular file is refused.
#define FM_UNFINISHED_SUFFIX ".unfinished"
typedef struct fm_writer fm_writer;
// All functions accept a NULL writer, and then do nothing.
fm_writer *fm_writer_open(const char *path, fm_error *err);
void fm_writer_write(fm_writer *writer, const void *bytes, size_t size);
// printf in the C locale, whatever the locale of the host program is; at most 1023 bytes per call.
void fm_writer_print(fm_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
uint64_t fm_writer_offset(const fm_writer *writer); // bytes written so far
// sync: wait until the file is on the disk (fsync).
bool fm_writer_close(fm_writer *writer, bool sync);
// A writer into memory. fm_writer_take_memory closes it and returns the bytes, to be released with
// free(), or NULL after a failure.
fm_writer *fm_writer_open_memory(fm_error *err);
char *fm_writer_take_memory(fm_writer *writer, size_t *size);

// Opens or creates the file, empties it, and locks it until it is closed. Returns its descriptor,
// or -1 on failure.
int fm_file_open_unfinished(const char *unfinished_path, fm_error *err);
bool fm_file_remove(const char *path, fm_error *err); // a missing file is no error
// Fills err with "it is a symbolic link", returns false.
bool fm_fail_link(fm_error *err, const char *path);
bool fm_directory_create(const char *path, fm_error *err); // with its parent directories

// frame.c. Copies the current state of an object into a surface. The surface has the fields that
// the object's kind needs, and those of `fields` (names separated by blanks) that the object has;
// NULL: the usual fields of its kind.
fm_surface *fm_frame_create(fm_object *object, const char *fields, fm_error *err);
// Fails if one of the names (separated by blanks) is not a field of any object in the world.
bool fm_frame_check_fields(fm_world *world, const char *names, fm_error *err);

// vtk.c, vtk_read.c: VTK PolyData files (.vtp).
bool fm_vtk_write(const char *path, const fm_surface *surface, bool sync, fm_error *err);
fm_surface *fm_vtk_read(const char *path, fm_error *err);
// Parses the contents of a .vtp file; `path` is used in error messages only.
fm_surface *fm_vtk_parse(const char *bytes, size_t size, const char *path, fm_error *err);

// One line of a .pvd time index.
typedef struct fm_pvd_entry {
    double time;      // s
    const char *file; // path relative to the .pvd
    int part;         // 0, 1, ... number the files that share one time
} fm_pvd_entry;
bool fm_pvd_write(const char *path, const fm_pvd_entry *entries, int count, bool sync,
                  fm_error *err);

// obj.c. Every OBJ file that Fathom writes begins with this text.
#define FM_OBJ_FIRST_LINE "# Fathom:"
bool fm_obj_write(const char *path, const fm_surface *surface, fm_error *err);

// point_cache_read.c. On success the caller frees frames->positions; after a failure it is NULL.
bool fm_pc2_read(const char *path, fm_frame_data *frames, fm_error *err);
bool fm_mdd_read(const char *path, fm_frame_data *frames, fm_error *err);
bool fm_pc2_parse(const char *bytes, size_t size, const char *path, fm_frame_data *frames,
                  fm_error *err);
bool fm_mdd_parse(const char *bytes, size_t size, const char *path, fm_frame_data *frames,
                  fm_error *err);

// fluid_surface.c. `particles` is a frame of a fluid: points without faces. Particle spacing at
// rest, m, twice the field "radius"; 0: not known.
double fm_fluid_find_spacing(const fm_surface *particles);
// Reconstructs the surface around the particles with the given mesher.
fm_surface *fm_fluid_create_surface(const fm_mesher *mesher, const fm_surface *particles,
                                    fm_error *err);

// ply.c
bool fm_ply_write(const char *path, const fm_surface *surface, fm_error *err);
// ply_read.c. Reads a property of the vertices of a PLY file, which must be `vertex_count`; bytes
// without sign are divided by 255.
bool fm_ply_read_property(const char *path, const char *property, int vertex_count, double *values,
                          fm_error *err);

// cache.c
// Splits the name of a frame file: "towel.000012.vtp" is frame 12 of the object "towel". Returns
// false for any other name.
bool fm_cache_parse_name(const char *file, char name[FM_NAME_SIZE], int *frame);
// Writes the path of a frame: FOLDER/towel.000012.vti if that exists, else FOLDER/towel.000012.vtp.
// Returns whether there is such a file.
bool fm_cache_format_path(const char *folder, const char *name, int frame, char *path, size_t size);

// The frames first, first + stride, ... of some objects, for an export.
typedef struct fm_clip {
    const fm_cache *cache;
    const int *objects; // [object_count] indices of objects in the cache
    int object_count;
    int first, stride; // number of the first frame, and distance of frame numbers
    int frame_count;   // number of frames of the clip
    double fps;        // frames per second of the run, of which the clip has one in `stride`
    bool only_finite;  // a NaN or an infinity in a frame is an error
} fm_clip;
// Chooses frames first to last (< 0: the first or last that all objects have), checks that their
// files exist, and finds fps.
fm_clip fm_clip_create(const fm_cache *cache, const int *objects, int object_count, int first,
                       int last, int stride, fm_error *err);
// Reads frame first + index * stride of clip->objects[object]; 0 <= index < frame_count.
fm_surface *fm_clip_read_frame(const fm_clip *clip, int object, int index, fm_error *err);
// Like fm_clip_read_frame, but fails unless the frame has as many points as `base` and the same
// lines and faces, as animation formats require.
fm_surface *fm_clip_read_same_mesh(const fm_clip *clip, int object, int index,
                                   const fm_surface *base, fm_error *err);

// Writers of one file with the frames of a clip. pc2, mdd and csv take a clip of one object.
void fm_pc2_write_header(fm_writer *writer, int points, int stride, int samples);
bool fm_pc2_write(const char *path, const fm_clip *clip, fm_error *err);
bool fm_mdd_write(const char *path, const fm_clip *clip, fm_error *err);
bool fm_csv_write(const char *path, const fm_clip *clip, fm_error *err);
bool fm_usda_write(const char *path, const fm_clip *clip, fm_error *err);
bool fm_glb_write(const char *path, const fm_clip *clip, fm_error *err);
enum { FM_GLB_FRAMES_MAX = 250 }; // frames that viewers can hold as morph targets (glb.c)

enum { FM_PATH_SIZE = 1024 }; // bytes, of the path of a run's directory

// frame_table.c. A CSV file with one row per frame; the first column is the frame number.
typedef struct fm_frame_table {
    int file; // descriptor; 0 when closed
    char path[FM_PATH_SIZE + 16];
    char *row;               // text of the row that has not been written yet
    size_t length, capacity; // bytes of that text, and bytes allocated for it
    bool failed;             // the row could not be stored: no memory
} fm_frame_table;

// Opens or creates the table and truncates it after the row of `frame`. All rows from `first` to
// `frame` must be there; frame = first - 1 keeps no row.
bool fm_frame_table_open(fm_frame_table *table, const char *path, const char *columns, int first,
                         int frame, fm_error *err);
// Appends text to the current row; fm_frame_table_end_row writes the row to the file.
void fm_frame_table_print(fm_frame_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool fm_frame_table_end_row(fm_frame_table *table, fm_error *err);
bool fm_frame_table_close(fm_frame_table *table, fm_error *err);
// Gives the last frame of the unbroken sequence of complete rows first, first + 1, ...; first - 1
// if the row of `first` is missing.
bool fm_frame_table_find_last_row(const char *path, int first, int *last, fm_error *err);

// checkpoint.c. Writes the state of the world at a frame to DIR/checkpoints.
bool fm_checkpoint_write(const char *directory, int frame, uint64_t scene_hash,
                         const fm_world *world, fm_error *err);
// Restores the world from the checkpoint of a frame. Refuses a checkpoint of another scene;
// scene_hash 0 accepts any scene.
bool fm_checkpoint_restore(const char *directory, int frame, uint64_t scene_hash, fm_world *world,
                           fm_error *err);
// Checks the contents of a checkpoint file and returns the world's state inside `bytes`; NULL with
// err filled if they are damaged. `path` is used in error messages only.
const void *fm_checkpoint_parse(const void *bytes, size_t size, const char *path, int *frame,
                                uint64_t *scene_hash, size_t *state_size, fm_error *err);
// Reads the frame number in the name of a checkpoint file: "000120.state" gives 120. Returns false
// for any other name.
bool fm_checkpoint_parse_name(const char *file, int *frame);
// Lists the frames that have a checkpoint, in ascending order; the caller frees them with free().
// Returns their number, or -1 on failure.
int fm_checkpoint_list_frames(const char *directory, int **frames, fm_error *err);

// Checkpoints are written at frame `first` and then every `every` frames (0: at `first` only). A
// checkpoint at any other frame, where a run was stopped or ended, is removed as soon as a newer
// one exists. So the checkpoints of a finished run do not depend on where it was interrupted.
typedef struct fm_checkpoint_schedule {
    int first, every; // frame numbers: first checkpoint, and distance of the following ones
    int kept;         // number of newest checkpoints that are kept, >= 1
} fm_checkpoint_schedule;
// Whether the schedule has a checkpoint at this frame, which is later than `first`.
bool fm_checkpoint_is_due(const fm_checkpoint_schedule *schedule, int frame);
// Removes the checkpoints that the schedule does not keep.
bool fm_checkpoint_prune(const char *directory, const fm_checkpoint_schedule *schedule,
                         fm_error *err);

// json.c
// A member of a C struct that is written as a JSON key: one double, or `count` doubles of a vector
// (3) or a rotation (4). An array of these ends with a NULL name.
typedef struct fm_json_field {
    const char *name; // JSON key
    size_t offset;    // bytes from the start of the struct to the member
    int count;        // number of doubles
} fm_json_field;
void fm_json_write_string(fm_writer *w, const char *text);
// Writes `, "name": [1, 2, 3]` with 17 digits; a single number gets no brackets.
void fm_json_write_numbers(fm_writer *w, const char *name, const double *values, int count);
// Writes the fields of the struct at `base` that are not zero.
void fm_json_write_fields(fm_writer *w, const fm_json_field *table, const void *base);
// Decodes the JSON string that begins with the quote at `in`. The caller frees the result; NULL if
// there is no string. `end`, if not NULL, receives the position after the closing quote.
char *fm_json_read_string(const char *in, const char **end);
// Whether the text is one complete JSON object, nested at most 16 deep. The functions below may be
// used only on a text that passed this check.
bool fm_json_check(const char *text);
// These return a pointer to the first character of a value in the text; NULL: there is none.
const char *fm_json_find_value(const char *object, const char *key);
const char *fm_json_first_item(const char *array);
const char *fm_json_next_item(const char *item);
// Reads one number, or an array of exactly `count`. Returns false if one is missing or not finite.
bool fm_json_read_numbers(const char *value, double *numbers, int count);
// Reads the fields of the struct at `base`; those without a key keep their value. Returns NULL, or
// the name of the first field with a wrong value.
const char *fm_json_read_fields(const char *object, const fm_json_field *table, void *base);
// Whether the value is the given bare word: true, false or null.
bool fm_json_equals_word(const char *value, const char *word);

// run_record.c. The contents of DIR/run.json.
enum { FM_FRAME_MAX = 999999999 }; // largest frame number
// An object of the run: its name and kind (cloth, particles, ball).
typedef struct fm_run_record_object {
    char name[FM_NAME_SIZE], kind[FM_NAME_SIZE];
} fm_run_record_object;
typedef struct fm_run_record {
    fm_run_status status;
    int first_frame, frames; // numbers of the first and of the last frame
    int written;             // last complete frame when run.json was written
    double fps;              // frames per second
    uint64_t scene_hash;     // tells scenes apart
    fm_run_record_object *objects;
    int object_count;
    char *from;                    // directory of the run that this one branches from, or NULL
    char *scene_path, *scene_text; // file that the scene was read from, and its YAML
} fm_run_record;
// Write and read run.json; `exists` receives whether there is one.
bool fm_run_record_write(const char *directory, const fm_run_record *record, fm_error *err);
bool fm_run_record_read(const char *directory, fm_run_record *record, bool *exists, fm_error *err);
void fm_run_record_destroy(fm_run_record *record);

// run_directory.c. Fails unless a run may be written here: the directory must be empty, missing, or
// hold a run.json. If it holds one, `exists` is true and `record` receives its contents.
bool fm_run_directory_check(const char *directory, fm_run_record *record, bool *exists,
                            fm_error *err);
// Creates the directory and locks DIR/lock, whose descriptor `lock` receives. Closing it unlocks.
bool fm_run_directory_lock(const char *directory, int *lock, fm_error *err);
// Removes the run's frames and checkpoints later than frame `after`, and all its unfinished files.
// If `after` is below the first frame, removes all files of the run except run.json.
bool fm_run_directory_clear(const char *directory, const fm_run_record *record, int after,
                            fm_error *err);

#endif
