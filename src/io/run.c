// SPDX-License-Identifier: MIT
// run.c: writes the directory of a run, from the first frame to the last, and resumes runs.
//
// run.json is written first, with the status `running`. Each frame is written in this order: frame
// files, rows of the tables, then a checkpoint if one is due. So after a kill only files later than
// the newest checkpoint can be missing, and resuming writes them again with the same bytes. At the
// end the time indices are written, and last of all run.json with the final status. A run that
// replaces an older one sets the older run.json to `running` before it removes the first file. So
// no run.json says `done` while a frame is missing.
#include "io/picture_setting.h"
#include "world/world.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fm_run {
    char directory[FM_PATH_SIZE];
    char fields[256];     // names of the fields to write, separated by blanks
    fm_run_def def;       // definition of the run
    fm_run_record record; // contents of run.json
    int lock;             // file descriptor of DIR/lock
    fm_frame_table stats, probes, poses, timings; // the CSV tables
    const fm_collider **moving; // colliders whose poses are written into poses.csv
    int moving_count;
    double checkpoint_ms; // time spent on checkpoints since the last row of timings.csv
};

static const char stats_columns[] =
    "frame,time,substeps,kinetic_energy,potential_energy,max_stretch,mean_stretch,state_hash,"
    "min_stretch,contact_count,penetration_count,deepest_penetration,repelled_count,particle_count,"
    "outside_count,stopped_count,shortened_count,halted_count,pierced_count,momentum_x,momentum_y,"
    "momentum_z";
// columns of runs that check for intersections, and of runs that record the force of the fluids, N
static const char check_columns[] = ",intersection_count,pinched_count,closest_distance";
static const char load_columns[] = ",load_x,load_y,load_z";

// Lowers *last_complete to the frame of the last row of the table `name`, if that is earlier. A
// table that is not `needed` may be missing.
static bool limit_to_rows(const char *directory, const char *name, const fm_run_record *record,
                          bool needed, int *last_complete, fm_error *err)
{
    char path[FM_PATH_SIZE + 100];
    struct stat file_status;
    int last;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    if (!needed && lstat(path, &file_status) != 0)
        return true;
    if (!fm_frame_table_find_last_row(path, record->first_frame, &last, err))
        return false;
    *last_complete = last < *last_complete ? last : *last_complete;
    return true;
}

// Finds the last frame up to which no frame file and no table row is missing; first_frame - 1 if
// there is none. probes.csv and poses.csv must exist only in runs with probes and with moving
// colliders.
static bool find_last_complete_frame(const char *directory, const fm_run_record *record,
                                     bool has_probes, bool has_poses, int *last_complete,
                                     fm_error *err)
{
    char path[FM_PATH_SIZE + 100], folder[FM_PATH_SIZE + 16];
    snprintf(folder, sizeof folder, "%s/frames", directory);
    *last_complete = INT_MAX;
    if (!limit_to_rows(directory, "stats.csv", record, true, last_complete, err) ||
        !limit_to_rows(directory, "probes.csv", record, has_probes, last_complete, err) ||
        !limit_to_rows(directory, "poses.csv", record, has_poses, last_complete, err))
        return false;
    for (int i = 0; i < record->object_count; i++) {
        for (int frame = record->first_frame; frame <= *last_complete; frame++) {
            if (!fm_cache_format_path(folder, record->objects[i].name, frame, path, sizeof path))
                *last_complete = frame - 1;
        }
    }
    return true;
}

// True if a program was killed while it replaced run.json: run.json.unfinished is still there.
static bool is_record_unfinished(const char *directory)
{
    char path[FM_PATH_SIZE + 32];
    struct stat file_status;
    snprintf(path, sizeof path, "%s/run.json" FM_UNFINISHED_SUFFIX, directory);
    return lstat(path, &file_status) == 0;
}

// Reports the run in a directory: its status, frames and newest checkpoint. `found->exists` is
// false for an empty directory; other files there are an error.
bool fm_run_inspect(const char *directory, fm_run_info *found, fm_error *err)
{
    fm_run_record record;
    int *frames = NULL;
    *found = (fm_run_info){.newest_checkpoint = -1};
    if (!fm_run_record_read(directory, &record, &found->exists, err))
        return false;
    if (!found->exists)
        return fm_run_directory_check(directory, &record, &found->exists, err);
    found->scene_hash = record.scene_hash;
    found->frames = record.frames;
    found->first_frame = record.first_frame;
    found->status = is_record_unfinished(directory) ? FM_RUN_RUNNING : record.status;
    snprintf(found->from, sizeof found->from, "%s", record.from ? record.from : "");
    int count = fm_checkpoint_list_frames(directory, &frames, err);
    if (count > 0)
        found->newest_checkpoint = frames[count - 1];
    free(frames);
    find_last_complete_frame(directory, &record, false, false, &found->whole, err);
    fm_run_record_destroy(&record);
    return err->status == FM_OK;
}

// The checkpoint schedule that the definition of the run asks for.
static fm_checkpoint_schedule find_schedule(const fm_run *run)
{
    return (fm_checkpoint_schedule){run->def.first_frame, run->def.checkpoint_frames,
                                    run->def.checkpoints_kept};
}

// Closes all files, unlocks the directory and frees the run.
static void destroy_run(fm_run *run)
{
    fm_error ignored = {0}; // dropped: an earlier error has been reported, or the run is complete
    fm_frame_table_close(&run->stats, &ignored);
    fm_frame_table_close(&run->probes, &ignored);
    fm_frame_table_close(&run->poses, &ignored);
    fm_frame_table_close(&run->timings, &ignored);
    free(run->moving);
    fm_run_record_destroy(&run->record);
    if (run->lock >= 0)
        close(run->lock); // unlocks the directory
    free(run);
}

// Copies names and kinds of the world's objects into the record.
static void list_objects(fm_run *run, fm_world *world, fm_error *err)
{
    fm_run_record *record = &run->record;
    int count = fm_world_object_count(world);
    record->objects = calloc((size_t)count + 1, sizeof *record->objects);
    for (int i = 0; i < count && record->objects; i++) {
        const fm_object *object = fm_world_object(world, i);
        fm_run_record_object *entry = &record->objects[record->object_count++];
        snprintf(entry->name, sizeof entry->name, "%s", fm_object_name(object));
        snprintf(entry->kind, sizeof entry->kind, "%s", fm_object_kind(object));
    }
    if (!record->objects)
        fm_fail_no_memory(err, "run", (size_t)count * sizeof *record->objects);
}

// Lists the colliders whose poses are written to poses.csv.
static void list_moving_colliders(fm_run *run, const fm_world *world, fm_error *err)
{
    size_t bytes =
        ((size_t)world->collider_count + (size_t)world->shown_count + 1) * sizeof(fm_collider *);
    run->moving = malloc(bytes);
    if (run->moving)
        run->moving_count = fm_picture_setting_list_moving(world, &run->def.setting, run->moving);
    else
        fm_fail_no_memory(err, "run", bytes);
}

// Creates the run in memory; writes nothing. On an error, fills err; the caller destroys the run.
static fm_run *create_run(const fm_run_def *def, fm_world *world, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    fm_run *run = calloc(1, sizeof *run);
    if (!run) {
        fm_fail_no_memory(err, "run", sizeof *run);
        return NULL;
    }
    run->def = *def;
    run->lock = -1;
    run->record = (fm_run_record){.first_frame = def->first_frame,
                                  .frames = def->frames,
                                  .fps = def->fps,
                                  .scene_hash = def->scene_hash,
                                  .from = def->from ? strdup(def->from) : NULL,
                                  .scene_path = strdup(def->scene_path),
                                  .scene_text = strdup(def->scene_text)};
    snprintf(run->directory, sizeof run->directory, "%s", def->directory);
    snprintf(run->fields, sizeof run->fields, "%s", def->fields ? def->fields : "");
    if (strlen(def->directory) > FM_PATH_SIZE - 100) // leaves space for the names of files
        fm_fail(err, FM_BAD_VALUE, "run", "directory", "too long a name", "900 bytes");
    if (!run->record.scene_text || !run->record.scene_path || (def->from && !run->record.from))
        fm_fail_no_memory(err, "run", strlen(def->scene_text));
    list_objects(run, world, err);
    list_moving_colliders(run, world, err);
    fm_frame_check_fields(world, def->fields, err);
    return run;
}

// Writes run.json with the given status. written: last complete frame.
static bool write_record(fm_run *run, fm_run_status status, int written, fm_error *err)
{
    run->record.status = status;
    run->record.written = written;
    return fm_run_record_write(run->directory, &run->record, err);
}

// Creates a subdirectory of the run.
static bool create_folder(const fm_run *run, const char *name, fm_error *err)
{
    char path[FM_PATH_SIZE + 16];
    snprintf(path, sizeof path, "%s/%s", run->directory, name);
    return fm_directory_create(path, err);
}

// Opens a CSV table of the run and keeps its rows up to `frame`.
static bool open_table(const fm_run *run, fm_frame_table *table, const char *name,
                       const char *columns, int frame, fm_error *err)
{
    char path[FM_PATH_SIZE + 16];
    snprintf(path, sizeof path, "%s/%s", run->directory, name);
    return fm_frame_table_open(table, path, columns, run->def.first_frame, frame, err);
}

// Opens probes.csv, if the scene has probes, and keeps its rows up to `frame`.
static bool open_probes(fm_run *run, int frame, fm_error *err)
{
    if (run->def.probe_column_count == 0)
        return true;
    size_t size;
    fm_writer *writer = fm_writer_open_memory(err);
    fm_writer_print(writer, "frame,time");
    for (int i = 0; i < run->def.probe_column_count; i++) {
        fm_writer_write(writer, ",", 1);
        fm_writer_write(writer, run->def.probe_columns[i], strlen(run->def.probe_columns[i]));
    }
    char *columns = fm_writer_take_memory(writer, &size);
    bool good = columns && open_table(run, &run->probes, "probes.csv", columns, frame, err);
    free(columns);
    return good;
}

// Opens poses.csv, if there are moving colliders, and keeps its rows up to `frame`.
static bool open_poses(fm_run *run, int frame, fm_error *err)
{
    static const char *const parts[] = {"x", "y", "z", "qx", "qy", "qz", "qw"};
    if (run->moving_count == 0)
        return true;
    size_t size;
    fm_writer *writer = fm_writer_open_memory(err);
    fm_writer_print(writer, "frame,time");
    for (int i = 0; i < FM_POSE_NUMBERS * run->moving_count; i++)
        fm_writer_print(writer, ",%s.%s", run->moving[i / FM_POSE_NUMBERS]->name,
                        parts[i % FM_POSE_NUMBERS]);
    char *columns = fm_writer_take_memory(writer, &size);
    bool good = columns && open_table(run, &run->poses, "poses.csv", columns, frame, err);
    free(columns);
    return good;
}

// True if stats.csv has the force on this collider. Balls with a mass are objects, with columns of
// their own.
static bool has_load_columns(const fm_world *world, int index, fm_vec3 *load)
{
    const fm_collider *collider = fm_world_collider(world, index);
    return fm_world_collider_load(world, index, load) && collider->name[0] && !collider->rigid;
}

// True if stats.csv also has the middle of the bounding box of a collider with a force on it: if it
// moves and is no plane.
static bool has_middle_columns(const fm_world *world, int index)
{
    const fm_collider *collider = fm_world_collider(world, index);
    return !fm_collider_is_fixed(collider) && collider->shape.kind != FM_SHAPE_PLANE;
}

// Opens stats.csv and keeps its rows up to `frame`. Columns of the world come first, then those of
// each object.
static bool open_stats(fm_run *run, fm_world *world, int frame, fm_error *err)
{
    size_t size;
    fm_writer *writer = fm_writer_open_memory(err);
    fm_writer_print(writer, "%s%s%s", stats_columns,
                    run->def.check_intersections ? check_columns : "",
                    run->def.loads ? load_columns : "");
    for (int i = 0; i < fm_world_object_count(world); i++) {
        const fm_object *object = fm_world_object(world, i);
        int count;
        const fm_field *quantities = fm_object_quantities(object, &count);
        for (int k = 0; k < count; k++)
            fm_writer_print(writer, ",%s.%s", fm_object_name(object), quantities[k].name);
    }
    for (int i = 0; i < fm_world_collider_count(world); i++) {
        fm_vec3 load;
        const char *name = fm_world_collider(world, i)->name;
        if (has_load_columns(world, i, &load))
            fm_writer_print(writer, ",%s.load_x,%s.load_y,%s.load_z", name, name, name);
        if (has_load_columns(world, i, &load) && has_middle_columns(world, i))
            fm_writer_print(writer, ",%s.x,%s.y,%s.z", name, name, name);
    }
    char *columns = fm_writer_take_memory(writer, &size);
    bool good = columns && open_table(run, &run->stats, "stats.csv", columns, frame, err);
    free(columns);
    return good;
}

// Opens all tables and keeps their rows up to `frame`; if that is below first_frame, the tables
// start empty. Rows of timings.csv may be missing. Also writes setting.json, on resume with the
// same bytes.
static bool open_tables(fm_run *run, fm_world *world, int frame, fm_error *err)
{
    char timings[256] = "frame,wall_ms,write_ms";
    for (int i = 0; i < FM_STAGE_COUNT; i++)
        snprintf(timings + strlen(timings), sizeof timings - strlen(timings), ",%s_ms",
                 fm_stage_name((fm_stage)i));
    if (!fm_picture_setting_write(run->directory, &run->def.setting, world, err) ||
        !open_stats(run, world, frame, err) || !open_probes(run, frame, err) ||
        !open_poses(run, frame, err))
        return false;
    char path[FM_PATH_SIZE + 16];
    int last_timed; // frame of the last row of timings.csv
    snprintf(path, sizeof path, "%s/timings.csv", run->directory);
    return fm_frame_table_find_last_row(path, run->def.first_frame, &last_timed, err) &&
           open_table(run, &run->timings, "timings.csv", timings,
                      last_timed < frame ? last_timed : frame, err);
}

// Fails unless the run may use its directory. may_hold_run: a run that exists there is allowed, and
// `old` receives its record (run.json).
static bool check_directory(const fm_run *run, bool may_hold_run, fm_run_record *old, bool *exists,
                            fm_error *err)
{
    if (!fm_run_directory_check(run->directory, old, exists, err))
        return false;
    if (!*exists || may_hold_run)
        return true;
    fm_run_record_destroy(old);
    return fm_fail(err, FM_BAD_VALUE, run->directory, "directory", "that of a run",
                   "an empty one; or --resume to go on, --force to begin anew");
}

// Checks and locks the directory. The check comes first, so that a refused directory stays
// unchanged, and again after locking, when no other run can change the directory any more.
// may_hold_run, old, exists: as in check_directory.
static bool check_and_lock(fm_run *run, bool may_hold_run, fm_run_record *old, bool *exists,
                           fm_error *err)
{
    if (err->status != FM_OK || !check_directory(run, may_hold_run, old, exists, err))
        return false;
    fm_run_record_destroy(old);
    return fm_run_directory_lock(run->directory, &run->lock, err) &&
           check_directory(run, may_hold_run, old, exists, err);
}

// Removes all files of an older run, after setting the status in its run.json to `running`.
static bool remove_old_run(const fm_run *run, fm_run_record *old, fm_error *err)
{
    bool ended = old->status != FM_RUN_RUNNING;
    old->status = FM_RUN_RUNNING;
    if (ended && !fm_run_record_write(run->directory, old, err))
        return false;
    return fm_run_directory_clear(run->directory, old, old->first_frame - 1, err);
}

// Writes run.json with the status `running` and creates the subdirectories. frame: last frame that
// is complete.
static bool begin_writing(fm_run *run, int frame, fm_error *err)
{
    return write_record(run, FM_RUN_RUNNING, frame, err) && create_folder(run, "frames", err) &&
           create_folder(run, "checkpoints", err);
}

// Begins a new run. replace: an older run in the directory is removed first.
fm_run *fm_run_create(const fm_run_def *def, fm_world *world, bool replace, fm_error *err)
{
    assert(err->status != FM_OK || (def && world));
    fm_run *run = create_run(def, world, err);
    if (!run)
        return NULL;
    fm_run_record old = {0};
    bool exists = false, good = check_and_lock(run, replace, &old, &exists, err);
    good = good && (!exists || remove_old_run(run, &old, err)) &&
           begin_writing(run, def->first_frame - 1, err) &&
           open_tables(run, world, def->first_frame - 1, err);
    fm_run_record_destroy(&old);
    if (good)
        return run;
    destroy_run(run);
    return NULL;
}

// Restores the newest intact checkpoint that is not later than frame last_complete, the last frame
// up to which no file is missing. frame: on entry the frame before the first of the run; receives
// the frame of the checkpoint, or stays unchanged if there is none. Damaged checkpoints are
// skipped. One that cannot be read is an error, because it may be intact.
static bool restore_newest_checkpoint(const fm_run *run, fm_world *world, int last_complete,
                                      int *frame, fm_error *err)
{
    int *frames, count = fm_checkpoint_list_frames(run->directory, &frames, err),
                 first = *frame + 1;
    for (int i = count - 1; i >= 0 && *frame < first && err->status == FM_OK; i--) {
        fm_error damaged = {0};
        if (frames[i] < first || frames[i] > last_complete)
            continue;
        if (fm_checkpoint_restore(run->directory, frames[i], run->def.scene_hash, world, &damaged))
            *frame = frames[i];
        else if (damaged.status == FM_INPUT_OUTPUT || damaged.status == FM_NO_MEMORY)
            *err = damaged;
    }
    free(frames);
    if (first > 0 && count > 0 && *frame < first)
        fm_fail(err, FM_BAD_VALUE, run->directory, "checkpoints", "none is intact",
                "one at the frame where the branch begins; make it again with --from and --force");
    return err->status == FM_OK;
}

// Checks that the run in the directory (`old`: its run.json) is of the same scene, restores its
// newest checkpoint and removes all later files. frame: on entry the frame before the first;
// receives the frame after which the run continues.
static bool continue_run(fm_run *run, const fm_run_record *old, fm_world *world, int *frame,
                         fm_error *err)
{
    fm_run_record *record = &run->record;
    char limit[64];
    int last_complete;
    if (old->scene_hash != record->scene_hash || old->first_frame != record->first_frame)
        return fm_fail(err, FM_BAD_VALUE, run->directory, "run", "one of another scene or start",
                       "the same scene; or --force to begin anew");
    snprintf(limit, sizeof limit, "%d or more: the run begins there", old->first_frame);
    if (record->frames < old->first_frame)
        return fm_fail_number(err, run->directory, "frames", record->frames, limit);
    if (!find_last_complete_frame(run->directory, old, run->def.probe_column_count > 0,
                                  run->moving_count > 0, &last_complete, err) ||
        !restore_newest_checkpoint(run, world, last_complete, frame, err))
        return false;
    free(record->from);
    record->from = old->from ? strdup(old->from) : NULL;
    if (record->frames < *frame) // the run has more frames already than the caller asks for
        run->def.frames = record->frames = *frame;
    fm_checkpoint_schedule schedule = find_schedule(run);
    return begin_writing(run, *frame, err) &&
           fm_run_directory_clear(run->directory, old, *frame, err) &&
           fm_checkpoint_prune(run->directory, &schedule, err);
}

// Continues the run in def->directory, or begins it if there is none. frame: receives the last
// frame that is complete.
fm_run *fm_run_resume(const fm_run_def *def, fm_world *world, int *frame, fm_error *err)
{
    assert(err->status != FM_OK || (def && world));
    *frame = def->first_frame - 1;
    fm_run *run = create_run(def, world, err);
    if (!run)
        return NULL;
    fm_run_record old = {0};
    bool exists = false, good = check_and_lock(run, true, &old, &exists, err);
    good =
        good &&
        (exists ? continue_run(run, &old, world, frame, err) : begin_writing(run, *frame, err)) &&
        open_tables(run, world, *frame, err);
    fm_run_record_destroy(&old);
    if (good)
        return run;
    destroy_run(run);
    return NULL;
}

// Writes the frame files of all objects.
static bool write_objects(fm_run *run, fm_world *world, int frame, fm_error *err)
{
    const char *fields = run->def.fields ? run->fields : NULL;
    for (int i = 0; i < fm_world_object_count(world) && err->status == FM_OK; i++) {
        char path[FM_PATH_SIZE + 100];
        fm_surface *surface = fm_frame_create(fm_world_object(world, i), fields, err);
        if (!surface)
            return false;
        snprintf(path, sizeof path, "%s/frames/%s.%06d.%s", run->directory, surface->name, frame,
                 surface->lattice.size[0] > 0 ? "vti" : "vtp");
        fm_vtk_write(path, surface, false, err);
        fm_surface_destroy(surface);
    }
    return err->status == FM_OK;
}

// Appends the quantities of all objects, measured for the frame's report, to the row of stats.csv.
static void write_quantities(fm_run *run, fm_world *world, double time)
{
    for (int i = 0; i < fm_world_object_count(world); i++) {
        fm_object *object = fm_world_object(world, i);
        int count;
        fm_object_quantities(object, &count);
        const double *values = fm_object_reported_quantities(object);
        for (int k = 0; k < count; k++)
            fm_frame_table_print(&run->stats, ",%.9g", values[k]);
    }
    for (int i = 0; i < fm_world_collider_count(world); i++) {
        fm_vec3 load;
        if (has_load_columns(world, i, &load))
            fm_frame_table_print(&run->stats, ",%.9g,%.9g,%.9g", load.x, load.y, load.z);
        if (!has_load_columns(world, i, &load) || !has_middle_columns(world, i))
            continue;
        const fm_placed_collider placed = fm_collider_place(fm_world_collider(world, i), time);
        const fm_vec3 middle = fm_scale(fm_add(placed.low, placed.high), 0.5);
        fm_frame_table_print(&run->stats, ",%.9g,%.9g,%.9g", middle.x, middle.y, middle.z);
    }
}

// Writes the row of a frame to poses.csv.
static bool write_poses(fm_run *run, int frame, double time, fm_error *err)
{
    fm_frame_table_print(&run->poses, "%d,%.9g", frame, time);
    for (int i = 0; i < run->moving_count; i++) {
        double pose[FM_POSE_NUMBERS];
        fm_picture_setting_read_pose(run->moving[i], time, pose);
        for (int k = 0; k < FM_POSE_NUMBERS; k++)
            fm_frame_table_print(&run->poses, ",%.17g", pose[k]);
    }
    return fm_frame_table_end_row(&run->poses, err);
}

// Writes the rows of a frame to stats.csv, probes.csv and poses.csv. probes: values of the probe
// columns.
static bool write_rows(fm_run *run, fm_world *world, int frame, const fm_report *report,
                       const double *probes, fm_error *err)
{
    double time = fm_world_time(world);
    fm_frame_table_print(&run->stats, "%d,%.9g,%d,%.9g,%.9g,%.9g,%.9g,%016" PRIx64, frame, time,
                         report->substep_count, report->kinetic_energy, report->potential_energy,
                         report->max_stretch, report->mean_stretch, fm_world_hash(world));
    fm_frame_table_print(&run->stats, ",%.9g,%d,%d,%.9g,%d,%d,%d,%d", report->min_stretch,
                         report->contact_count, report->penetration_count,
                         report->deepest_penetration, report->repelled_count,
                         report->particle_count, report->outside_count, report->stopped_count);
    fm_frame_table_print(&run->stats, ",%d,%d,%d,%.9g,%.9g,%.9g", report->shortened_count,
                         report->halted_count, report->pierced_count, report->momentum.x,
                         report->momentum.y, report->momentum.z);
    if (run->def.check_intersections)
        fm_frame_table_print(&run->stats, ",%d,%d,%.9g", report->intersection_count,
                             report->pinched_count, report->closest_distance);
    if (run->def.loads)
        fm_frame_table_print(&run->stats, ",%.9g,%.9g,%.9g", report->load.x, report->load.y,
                             report->load.z);
    write_quantities(run, world, time);
    if (!fm_frame_table_end_row(&run->stats, err))
        return false;
    if (run->def.probe_column_count > 0) {
        fm_frame_table_print(&run->probes, "%d,%.9g", frame, time);
        for (int i = 0; i < run->def.probe_column_count; i++)
            fm_frame_table_print(&run->probes, ",%.9g", probes[i]);
        if (!fm_frame_table_end_row(&run->probes, err))
            return false;
    }
    return run->moving_count == 0 || write_poses(run, frame, time, err);
}

// Writes the time index (.pvd) of every object, up to last_frame.
static bool write_indices(const fm_run *run, int last_frame, fm_error *err)
{
    char path[FM_PATH_SIZE + 100], folder[FM_PATH_SIZE + 16];
    snprintf(folder, sizeof folder, "%s/frames", run->directory);
    int count = last_frame - run->def.first_frame + 1;
    if (count < 1)
        return true;
    fm_pvd_entry *entries = calloc((size_t)count, sizeof *entries);
    char(*files)[FM_NAME_SIZE + 32] = calloc((size_t)count, sizeof *files);
    bool good = entries && files;
    if (!good)
        fm_fail_no_memory(err, "run", (size_t)count * sizeof *files);
    for (int s = 0; s < run->record.object_count && good; s++) {
        const char *name = run->record.objects[s].name;
        fm_cache_format_path(folder, name, run->def.first_frame, path, sizeof path);
        char format[4];
        snprintf(format, sizeof format, "%s", path + strlen(path) - 3);
        for (int i = 0; i < count; i++) {
            int frame = run->def.first_frame + i;
            snprintf(files[i], sizeof files[i], "frames/%s.%06d.%s", name, frame, format);
            entries[i] = (fm_pvd_entry){frame / run->def.fps, files[i], 0};
        }
        snprintf(path, sizeof path, "%s/%s.pvd", run->directory, name);
        good = fm_pvd_write(path, entries, count, false, err);
    }
    free(entries);
    free(files);
    return good;
}

// Writes time indices and a checkpoint of the frame, and removes old checkpoints.
bool fm_run_write_checkpoint(fm_run *run, fm_world *world, int frame, fm_error *err)
{
    assert(err->status != FM_OK || (run && world));
    double start = fm_clock_now_ms();
    fm_checkpoint_schedule schedule = find_schedule(run);
    bool good = err->status == FM_OK && write_indices(run, frame, err) &&
                fm_checkpoint_write(run->directory, frame, run->def.scene_hash, world, err) &&
                fm_checkpoint_prune(run->directory, &schedule, err);
    run->checkpoint_ms += fm_clock_now_ms() - start;
    return good;
}

// Writes the files and rows of a frame, and a checkpoint if one is due or `checkpoint` is true.
// wall_ms: time spent simulating the frame.
bool fm_run_write_frame(fm_run *run, fm_world *world, int frame, const fm_report *report,
                        const double *probes, double wall_ms, bool checkpoint, fm_error *err)
{
    assert(err->status != FM_OK || (run && world));
    if (err->status != FM_OK)
        return false;
    double start = fm_clock_now_ms();
    if (!write_objects(run, world, frame, err) ||
        !write_rows(run, world, frame, report, probes, err))
        return false;
    // Written before the checkpoint, like all rows. The time of the checkpoint therefore counts in
    // the row of the next frame.
    fm_frame_table_print(&run->timings, "%d,%.4f,%.4f", frame, wall_ms,
                         run->checkpoint_ms + fm_clock_now_ms() - start);
    for (int i = 0; i < FM_STAGE_COUNT; i++)
        fm_frame_table_print(&run->timings, ",%.4f", report->stage_ms[i]);
    if (!fm_frame_table_end_row(&run->timings, err))
        return false;
    run->checkpoint_ms = 0;
    fm_checkpoint_schedule schedule = find_schedule(run);
    if (checkpoint || fm_checkpoint_is_due(&schedule, frame) || frame == run->def.frames)
        return fm_run_write_checkpoint(run, world, frame, err);
    return true;
}

// Ends a run: writes time indices and run.json with the final status, and destroys it.
bool fm_run_close(fm_run *run, fm_run_status status, int last_frame, fm_error *err)
{
    if (!run)
        return false;
    // After a failure, too, the indices and run.json are written if that is still possible.
    fm_error close_error = {0};
    fm_checkpoint_schedule schedule = find_schedule(run);
    bool good = fm_frame_table_close(&run->stats, &close_error) &&
                fm_frame_table_close(&run->probes, &close_error) &&
                fm_frame_table_close(&run->poses, &close_error) &&
                fm_frame_table_close(&run->timings, &close_error) &&
                write_indices(run, last_frame, &close_error) &&
                fm_checkpoint_prune(run->directory, &schedule, &close_error);
    good = good && write_record(run, status, last_frame, &close_error);
    if (!good && err->status == FM_OK)
        *err = close_error;
    destroy_run(run);
    return good;
}

// Restores the newest checkpoint at or before `frame` into the world. at: receives its frame.
bool fm_run_restore_checkpoint(const char *directory, int frame, fm_world *world, int *at,
                               fm_error *err)
{
    assert(err->status != FM_OK || world);
    if (err->status != FM_OK)
        return false;
    int *frames, count = fm_checkpoint_list_frames(directory, &frames, err), best = -1;
    for (int i = 0; i < count; i++) {
        if (frames[i] <= frame)
            best = frames[i];
    }
    char allowed[96] = "frames of a run with checkpoints, and it has none";
    if (count > 0)
        snprintf(allowed, sizeof allowed,
                 "%d or later: older states were not kept (`output.keep` says how many are)",
                 frames[0]);
    free(frames);
    if (best < 0)
        return fm_fail_number(err, directory, "frame", frame, allowed);
    *at = best;
    return fm_checkpoint_restore(directory, best, 0, world, err);
}
