// SPDX-License-Identifier: MIT
// run.c: a run's directory, from the first frame to the last.
//
// The record comes first and says `running`. A frame is written in this order: frame files, rows of
// the tables, then, when it is due, a checkpoint. So whatever is missing after a kill comes after
// the newest checkpoint and is made again, with the same bytes. At the end come the time indices
// and last of all the record that says how it ended. Whoever begins anew makes the old record say
// `running` before the first file goes: no record says `done` while a frame is missing.
#include "io/io.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fm_run {
    char directory[FM_PATH_SIZE], fields[256];
    fm_run_def def;
    fm_record record;
    int lock; // file descriptor
    fm_table stats, probes, timings;
    fm_surface **surfaces; // one a cloth
    int surface_count;
    double checkpoint_ms; // of the one since the last row
};

static const char stats_columns[] =
    "frame,time,substeps,kinetic_energy,potential_energy,max_stretch,mean_stretch,state_hash,"
    "min_stretch,contact_count,penetration_count,deepest_penetration,repelled_count,particle_count,"
    "outside_count,stopped_count";
static const char check_columns[] = ",intersection_count,pinched_count,closest_distance";
static const char load_columns[] = ",load_x,load_y,load_z"; // N

// The last frame up to which all files and rows are there; first_frame - 1: none. has_probes: a run
// without them has no table of theirs.
static bool find_whole(const char *directory, const fm_record *record, bool has_probes, int *whole,
                       fm_error *err)
{
    char path[FM_PATH_SIZE + 100];
    struct stat about;
    int probes;
    snprintf(path, sizeof path, "%s/stats.csv", directory);
    if (!fm_table_last_row(path, record->first_frame, whole, err))
        return false;
    snprintf(path, sizeof path, "%s/probes.csv", directory);
    if (has_probes || lstat(path, &about) == 0) {
        if (!fm_table_last_row(path, record->first_frame, &probes, err))
            return false;
        *whole = probes < *whole ? probes : *whole;
    }
    for (int i = 0; i < record->name_count; i++) {
        for (int frame = record->first_frame; frame <= *whole; frame++) {
            snprintf(path, sizeof path, "%s/frames/%s.%06d.vtp", directory, record->names[i],
                     frame);
            if (lstat(path, &about) != 0 || !S_ISREG(about.st_mode))
                *whole = frame - 1;
        }
    }
    return true;
}

// A record that was to be replaced when somebody was killed.
static bool is_changing(const char *directory)
{
    char path[FM_PATH_SIZE + 32];
    struct stat about;
    snprintf(path, sizeof path, "%s/run.json" FM_UNFINISHED, directory);
    return lstat(path, &about) == 0;
}

bool fm_run_look(const char *directory, fm_run_found *found, fm_error *err)
{
    fm_record record;
    int *frames = NULL;
    *found = (fm_run_found){.newest_checkpoint = -1};
    if (!fm_record_read(directory, &record, &found->exists, err))
        return false;
    if (!found->exists)
        return fm_claim_check(directory, &record, &found->exists, err);
    found->scene_hash = record.scene_hash;
    found->frames = record.frames;
    found->first_frame = record.first_frame;
    found->status = is_changing(directory) ? FM_RUN_RUNNING : record.status;
    snprintf(found->from, sizeof found->from, "%s", record.from ? record.from : "");
    int count = fm_checkpoint_list(directory, &frames, err);
    if (count > 0)
        found->newest_checkpoint = frames[count - 1];
    free(frames);
    find_whole(directory, &record, false, &found->whole, err);
    fm_record_free(&record);
    return err->status == FM_OK;
}

static fm_schedule schedule_of(const fm_run *run)
{
    return (fm_schedule){run->def.first_frame, run->def.checkpoint_frames,
                         run->def.checkpoints_kept};
}

static void free_run(fm_run *run)
{
    fm_error late = {0}; // what could be said has been
    fm_table_close(&run->stats, &late);
    fm_table_close(&run->probes, &late);
    fm_table_close(&run->timings, &late);
    for (int i = 0; i < run->surface_count; i++)
        fm_surface_destroy(run->surfaces[i]);
    free(run->surfaces);
    fm_record_free(&run->record);
    if (run->lock >= 0)
        close(run->lock); // lets go of it
    free(run);
}

// What the world's objects are called, and room for the frames of its cloths.
static void name_objects(fm_run *run, fm_world *world, fm_error *err)
{
    fm_record *record = &run->record;
    int count = fm_world_cloth_count(world), points = fm_points_count(world);
    run->surfaces = calloc((size_t)count + 1, sizeof *run->surfaces);
    record->names = calloc((size_t)(count + points) + 1, sizeof *record->names);
    if (!run->surfaces || !record->names) {
        fm_fail_no_memory(err, "run", (size_t)count);
        return;
    }
    for (int i = 0; i < count + points && err->status == FM_OK; i++)
        snprintf(record->names[record->name_count++], sizeof *record->names, "%s",
                 i < count ? fm_cloth_name(fm_world_cloth(world, i))
                           : fm_points_name(world, i - count));
    for (int i = 0; i < count && err->status == FM_OK; i++) {
        fm_surface *surface = fm_frame_create(fm_world_cloth(world, i), run->fields, err);
        if (surface)
            run->surfaces[run->surface_count++] = surface;
    }
}

static fm_run *make_run(const fm_run_def *def, fm_world *world, fm_error *err)
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
    run->record = (fm_record){.first_frame = def->first_frame,
                              .frames = def->frames,
                              .fps = def->fps,
                              .scene_hash = def->scene_hash,
                              .from = def->from ? strdup(def->from) : NULL,
                              .scene_path = strdup(def->scene_path),
                              .scene_text = strdup(def->scene_text)};
    snprintf(run->directory, sizeof run->directory, "%s", def->directory);
    snprintf(run->fields, sizeof run->fields, "%s", def->fields);
    if (strlen(def->directory) > FM_PATH_SIZE - 100)
        fm_fail(err, FM_BAD_VALUE, "run", "directory", "too long a name", "900 bytes");
    if (!run->record.scene_text || !run->record.scene_path || (def->from && !run->record.from))
        fm_fail_no_memory(err, "run", strlen(def->scene_text));
    name_objects(run, world, err);
    return run;
}

static bool write_record(fm_run *run, fm_run_status status, int written, fm_error *err)
{
    run->record.status = status;
    run->record.written = written;
    return fm_record_write(run->directory, &run->record, err);
}

static bool make_folder(const fm_run *run, const char *name, fm_error *err)
{
    char path[FM_PATH_SIZE + 16];
    snprintf(path, sizeof path, "%s/%s", run->directory, name);
    return fm_directory_make(path, err);
}

static bool open_table(const fm_run *run, fm_table *table, const char *name, const char *columns,
                       int frame, fm_error *err)
{
    char path[FM_PATH_SIZE + 16];
    snprintf(path, sizeof path, "%s/%s", run->directory, name);
    return fm_table_open(table, path, columns, run->def.first_frame, frame, err);
}

static bool open_probes(fm_run *run, int frame, fm_error *err)
{
    if (run->def.probe_column_count == 0)
        return true;
    size_t size;
    fm_writer *writer = fm_writer_open_memory(err);
    fm_write_text(writer, "frame,time");
    for (int i = 0; i < run->def.probe_column_count; i++) {
        fm_write(writer, ",", 1);
        fm_write(writer, run->def.probe_columns[i], strlen(run->def.probe_columns[i]));
    }
    char *columns = fm_writer_take(writer, &size);
    bool good = columns && open_table(run, &run->probes, "probes.csv", columns, frame, err);
    free(columns);
    return good;
}

// frame: the one whose row is the last to keep; below first_frame the tables begin anew.
static bool open_tables(fm_run *run, int frame, fm_error *err)
{
    char timings[256] = "frame,wall_ms,write_ms";
    for (int i = 0; i < FM_STAGE_COUNT; i++)
        snprintf(timings + strlen(timings), sizeof timings - strlen(timings), ",%s_ms",
                 fm_stage_name((fm_stage)i));
    char stats[sizeof stats_columns + sizeof check_columns + sizeof load_columns];
    snprintf(stats, sizeof stats, "%s%s%s", stats_columns,
             run->def.check_intersections ? check_columns : "", run->def.loads ? load_columns : "");
    if (!open_table(run, &run->stats, "stats.csv", stats, frame, err) ||
        !open_probes(run, frame, err))
        return false;
    char path[FM_PATH_SIZE + 16];
    int timed; // times that somebody removed are not worth a new run
    snprintf(path, sizeof path, "%s/timings.csv", run->directory);
    return fm_table_last_row(path, run->def.first_frame, &timed, err) &&
           open_table(run, &run->timings, "timings.csv", timings, timed < frame ? timed : frame,
                      err);
}

// Whether the run may go where it shall: `old` is then the record of what is there.
static bool check_place(const fm_run *run, bool occupied, fm_record *old, bool *exists,
                        fm_error *err)
{
    if (!fm_claim_check(run->directory, old, exists, err))
        return false;
    if (!*exists || occupied)
        return true;
    fm_record_free(old);
    return fm_fail(err, FM_BAD_VALUE, run->directory, "directory", "that of a run",
                   "an empty one; or --resume to go on, --force to begin anew");
}

// Takes the directory; `occupied` says that it may be that of a run. What is refused is left as it
// was, so the check comes before the lock, and again when nobody else can change it any more.
static bool claim(fm_run *run, bool occupied, fm_record *old, bool *exists, fm_error *err)
{
    if (err->status != FM_OK || !check_place(run, occupied, old, exists, err))
        return false;
    fm_record_free(old);
    return fm_claim_lock(run->directory, &run->lock, err) &&
           check_place(run, occupied, old, exists, err);
}

// Everything of an older run goes, after its record has ceased to claim that it is whole.
static bool remove_old(const fm_run *run, fm_record *old, fm_error *err)
{
    bool whole = old->status != FM_RUN_RUNNING;
    old->status = FM_RUN_RUNNING;
    if (whole && !fm_record_write(run->directory, old, err))
        return false;
    return fm_claim_clear(run->directory, old, old->first_frame - 1, err);
}

static bool begin(fm_run *run, int frame, fm_error *err)
{
    return write_record(run, FM_RUN_RUNNING, frame, err) && make_folder(run, "frames", err) &&
           make_folder(run, "checkpoints", err);
}

fm_run *fm_run_create(const fm_run_def *def, fm_world *world, bool replace, fm_error *err)
{
    assert(err->status != FM_OK || (def && world));
    fm_run *run = make_run(def, world, err);
    if (!run)
        return NULL;
    fm_record old = {0};
    bool exists = false, good = claim(run, replace, &old, &exists, err);
    good = good && (!exists || remove_old(run, &old, err)) &&
           begin(run, def->first_frame - 1, err) && open_tables(run, def->first_frame - 1, err);
    fm_record_free(&old);
    if (good)
        return run;
    free_run(run);
    return NULL;
}

// The newest checkpoint at or before `whole` that is good. One that is damaged is passed over, one
// that cannot be read is a failure: it may be good.
static bool restore_newest(const fm_run *run, fm_world *world, int whole, int *frame, fm_error *err)
{
    int *frames, count = fm_checkpoint_list(run->directory, &frames, err), first = *frame + 1;
    for (int i = count - 1; i >= 0 && *frame < first && err->status == FM_OK; i--) {
        fm_error damaged = {0};
        if (frames[i] < first || frames[i] > whole)
            continue;
        if (fm_checkpoint_restore(run->directory, frames[i], run->def.scene_hash, world, &damaged))
            *frame = frames[i];
        else if (damaged.status == FM_INPUT_OUTPUT || damaged.status == FM_NO_MEMORY)
            *err = damaged;
    }
    free(frames);
    if (first > 0 && count > 0 && *frame < first)
        fm_fail(err, FM_BAD_VALUE, run->directory, "checkpoints", "none that is good",
                "one at the frame where the branch begins; make it again with --from and --force");
    return err->status == FM_OK;
}

// What there is fits, and the run goes on behind `frame`.
static bool take_up(fm_run *run, const fm_record *old, fm_world *world, int *frame, fm_error *err)
{
    fm_record *record = &run->record;
    char limit[64];
    int whole;
    if (old->scene_hash != record->scene_hash || old->first_frame != record->first_frame)
        return fm_fail(err, FM_BAD_VALUE, run->directory, "run", "one of another scene or start",
                       "the same scene; or --force to begin anew");
    snprintf(limit, sizeof limit, "%d or more: the run begins there", old->first_frame);
    if (record->frames < old->first_frame)
        return fm_fail_number(err, run->directory, "frames", record->frames, limit);
    if (!find_whole(run->directory, old, run->def.probe_column_count > 0, &whole, err) ||
        !restore_newest(run, world, whole, frame, err))
        return false;
    free(record->from);
    record->from = old->from ? strdup(old->from) : NULL;
    if (record->frames < *frame) // there are more already
        run->def.frames = record->frames = *frame;
    fm_schedule schedule = schedule_of(run);
    return begin(run, *frame, err) && fm_claim_clear(run->directory, old, *frame, err) &&
           fm_checkpoint_prune(run->directory, &schedule, err);
}

fm_run *fm_run_resume(const fm_run_def *def, fm_world *world, int *frame, fm_error *err)
{
    assert(err->status != FM_OK || (def && world));
    *frame = def->first_frame - 1;
    fm_run *run = make_run(def, world, err);
    if (!run)
        return NULL;
    fm_record old = {0};
    bool exists = false, good = claim(run, true, &old, &exists, err);
    good = good && (exists ? take_up(run, &old, world, frame, err) : begin(run, *frame, err)) &&
           open_tables(run, *frame, err);
    fm_record_free(&old);
    if (good)
        return run;
    free_run(run);
    return NULL;
}

static bool write_points(fm_run *run, fm_world *world, int frame, fm_error *err)
{
    for (int i = 0; i < fm_points_count(world) && err->status == FM_OK; i++) {
        char path[FM_PATH_SIZE + 100];
        snprintf(path, sizeof path, "%s/frames/%s.%06d.vtp", run->directory,
                 fm_points_name(world, i), frame);
        fm_surface *surface = fm_points_frame(world, i, err);
        if (surface)
            fm_vtk_write(path, surface, false, err);
        fm_surface_destroy(surface);
    }
    return err->status == FM_OK;
}

static bool write_surfaces(fm_run *run, fm_world *world, int frame, fm_error *err)
{
    for (int i = 0; i < run->surface_count; i++) {
        fm_surface *surface = run->surfaces[i];
        char path[FM_PATH_SIZE + 100];
        snprintf(path, sizeof path, "%s/frames/%s.%06d.vtp", run->directory, surface->name, frame);
        if (!fm_frame_update(surface, fm_world_cloth(world, i), fm_world_time(world), err) ||
            !fm_vtk_write(path, surface, false, err))
            return false;
    }
    return write_points(run, world, frame, err);
}

static bool write_rows(fm_run *run, fm_world *world, int frame, const fm_report *r,
                       const double *probes, fm_error *err)
{
    double time = fm_world_time(world);
    fm_table_text(&run->stats, "%d,%.9g,%d,%.9g,%.9g,%.9g,%.9g,%016" PRIx64, frame, time,
                  r->substep_count, r->kinetic_energy, r->potential_energy, r->max_stretch,
                  r->mean_stretch, fm_world_hash(world));
    fm_table_text(&run->stats, ",%.9g,%d,%d,%.9g,%d,%d,%d,%d", r->min_stretch, r->contact_count,
                  r->penetration_count, r->deepest_penetration, r->repelled_count,
                  r->particle_count, r->outside_count, r->stopped_count);
    if (run->def.check_intersections)
        fm_table_text(&run->stats, ",%d,%d,%.9g", r->intersection_count, r->pinched_count,
                      r->closest_distance);
    if (run->def.loads)
        fm_table_text(&run->stats, ",%.9g,%.9g,%.9g", r->load.x, r->load.y, r->load.z);
    if (!fm_table_end_row(&run->stats, err))
        return false;
    if (run->def.probe_column_count == 0)
        return true;
    fm_table_text(&run->probes, "%d,%.9g", frame, time);
    for (int i = 0; i < run->def.probe_column_count; i++)
        fm_table_text(&run->probes, ",%.9g", probes[i]);
    return fm_table_end_row(&run->probes, err);
}

static bool write_indices(const fm_run *run, int last_frame, fm_error *err)
{
    int count = last_frame - run->def.first_frame + 1;
    if (count < 1)
        return true;
    fm_pvd_entry *entries = calloc((size_t)count, sizeof *entries);
    char(*files)[FM_NAME_SIZE + 32] = calloc((size_t)count, sizeof *files);
    bool good = entries && files;
    if (!good)
        fm_fail_no_memory(err, "run", (size_t)count * sizeof *files);
    for (int s = 0; s < run->record.name_count && good; s++) {
        for (int i = 0; i < count; i++) {
            int frame = run->def.first_frame + i;
            snprintf(files[i], sizeof files[i], "frames/%s.%06d.vtp", run->record.names[s], frame);
            entries[i] = (fm_pvd_entry){frame / run->def.fps, files[i], 0};
        }
        char path[FM_PATH_SIZE + 100];
        snprintf(path, sizeof path, "%s/%s.pvd", run->directory, run->record.names[s]);
        good = fm_pvd_write(path, entries, count, false, err);
    }
    free(entries);
    free(files);
    return good;
}

bool fm_run_checkpoint(fm_run *run, fm_world *world, int frame, fm_error *err)
{
    assert(err->status != FM_OK || (run && world));
    double start = fm_now_ms();
    fm_schedule schedule = schedule_of(run);
    bool good = err->status == FM_OK && write_indices(run, frame, err) &&
                fm_checkpoint_write(run->directory, frame, run->def.scene_hash, world, err) &&
                fm_checkpoint_prune(run->directory, &schedule, err);
    run->checkpoint_ms += fm_now_ms() - start;
    return good;
}

bool fm_run_write(fm_run *run, fm_world *world, int frame, const fm_report *report,
                  const double *probes, double wall_ms, bool checkpoint, fm_error *err)
{
    assert(err->status != FM_OK || (run && world));
    if (err->status != FM_OK)
        return false;
    double start = fm_now_ms();
    if (!write_surfaces(run, world, frame, err) ||
        !write_rows(run, world, frame, report, probes, err))
        return false;
    // like the other rows before the checkpoint, whose time is counted with the next frame's
    fm_table_text(&run->timings, "%d,%.4f,%.4f", frame, wall_ms,
                  run->checkpoint_ms + fm_now_ms() - start);
    for (int i = 0; i < FM_STAGE_COUNT; i++)
        fm_table_text(&run->timings, ",%.4f", report->stage_ms[i]);
    if (!fm_table_end_row(&run->timings, err))
        return false;
    run->checkpoint_ms = 0;
    fm_schedule schedule = schedule_of(run);
    if (checkpoint || fm_checkpoint_due(&schedule, frame) || frame == run->def.frames)
        return fm_run_checkpoint(run, world, frame, err);
    return true;
}

bool fm_run_close(fm_run *run, fm_run_status status, int last_frame, fm_error *err)
{
    if (!run)
        return false;
    // also after a failure: what can still be said is said
    fm_error own = {0};
    fm_schedule schedule = schedule_of(run);
    bool good = fm_table_close(&run->stats, &own) && fm_table_close(&run->probes, &own) &&
                fm_table_close(&run->timings, &own) && write_indices(run, last_frame, &own) &&
                fm_checkpoint_prune(run->directory, &schedule, &own);
    good = good && write_record(run, status, last_frame, &own);
    if (!good && err->status == FM_OK)
        *err = own;
    free_run(run);
    return good;
}

bool fm_run_restore(const char *directory, int frame, fm_world *world, int *at, fm_error *err)
{
    assert(err->status != FM_OK || world);
    if (err->status != FM_OK)
        return false;
    int *frames, count = fm_checkpoint_list(directory, &frames, err), best = -1;
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
