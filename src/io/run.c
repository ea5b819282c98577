// SPDX-License-Identifier: MIT
// run.c: a run's directory, from the first frame to the last.
//
// A frame is written in this order: frame files, rows of the tables, then, when it is due, a
// checkpoint. So whatever is missing after a kill comes after the newest checkpoint and is made
// again, with the same bytes.
#include "io/io.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct fm_run {
    char directory[FM_PATH_SIZE], scene_path[FM_PATH_SIZE], fields[256];
    char *scene_text;
    fm_run_def def;
    int lock; // file descriptor
    fm_table stats, probes, timings;
    fm_surface **surfaces; // one a cloth, made at the first frame
    int surface_count;
    char (*names)[FM_NAME_SIZE]; // of all objects: cloths, then what is points
    int name_count;
};

static const char stats_columns[] =
    "frame,time,substeps,kinetic_energy,potential_energy,max_stretch,mean_stretch,state_hash,"
    "contact_count,penetration_count,deepest_penetration,repelled_count,particle_count,"
    "outside_count,stopped_count";
static const char check_columns[] = ",intersection_count,pinched_count,closest_distance";
static const char load_columns[] = ",load_x,load_y,load_z"; // N

static const char *const status_names[] = {"running", "done", "diverged", "interrupted"};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void write_json_text(fm_writer *w, const char *text)
{
    fm_write(w, "\"", 1);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fm_write_text(w, "\\%c", *c);
        else if (*c == '\n')
            fm_write_text(w, "\\n");
        else if (*c < 0x20)
            fm_write_text(w, "\\u%04x", *c);
        else
            fm_write(w, c, 1);
    }
    fm_write(w, "\"", 1);
}

// One key a line, so that what we wrote can be found again without a parser.
static bool write_json(const fm_run *run, fm_run_status status, int last_frame, fm_error *err)
{
    char path[FM_PATH_SIZE + 16];
    snprintf(path, sizeof path, "%s/run.json", run->directory);
    fm_writer *w = fm_writer_open(path, err);
    fm_write_text(w, "{\n  \"fathom\": \"%s\",\n", FM_VERSION);
    fm_write_text(w, "  \"status\": \"%s\",\n", status_names[status]);
    fm_write_text(w, "  \"first_frame\": %d,\n", run->def.first_frame);
    fm_write_text(w, "  \"frames\": %d,\n", run->def.frames);
    fm_write_text(w, "  \"written\": %d,\n", last_frame);
    fm_write_text(w, "  \"fps\": %.17g,\n", run->def.fps);
    fm_write_text(w, "  \"objects\": [");
    for (int i = 0; i < run->name_count; i++)
        fm_write_text(w, "%s\"%s\"", i ? ", " : "", run->names[i]);
    fm_write_text(w, "],\n  \"scene_hash\": \"%016" PRIx64 "\",\n", run->def.scene_hash);
    fm_write_text(w, "  \"scene_path\": ");
    write_json_text(w, run->scene_path);
    fm_write_text(w, ",\n  \"scene\": ");
    write_json_text(w, run->scene_text);
    fm_write_text(w, "\n}\n");
    return fm_writer_close(w, true);
}

// The text behind "key": in a run.json of ours, or NULL.
static const char *find_key(const char *json, const char *key)
{
    char pattern[64];
    snprintf(pattern, sizeof pattern, "\n  \"%s\": ", key);
    const char *at = strstr(json, pattern);
    return at ? at + strlen(pattern) : NULL;
}

static char *read_json(const char *directory, fm_error *err)
{
    char path[FM_PATH_SIZE + 16];
    size_t size;
    snprintf(path, sizeof path, "%s/run.json", directory);
    return fm_file_read(path, (size_t)1 << 28, &size, err);
}

static bool parse_found(const char *json, fm_run_found *found)
{
    const char *status = find_key(json, "status"), *hash = find_key(json, "scene_hash");
    const char *frames = find_key(json, "frames"), *first = find_key(json, "first_frame");
    if (!status || !hash || !frames || !first || *hash != '"')
        return false;
    found->scene_hash = strtoull(hash + 1, NULL, 16);
    found->frames = (int)strtol(frames, NULL, 10);
    found->first_frame = (int)strtol(first, NULL, 10);
    for (int i = FM_RUN_RUNNING; i <= FM_RUN_INTERRUPTED; i++) {
        if (strncmp(status + 1, status_names[i], strlen(status_names[i])) == 0)
            found->status = (fm_run_status)i;
    }
    return true;
}

bool fm_run_look(const char *directory, fm_run_found *found, fm_error *err)
{
    *found = (fm_run_found){.newest_checkpoint = -1};
    if (err->status != FM_OK)
        return false;
    char path[FM_PATH_SIZE + 16];
    snprintf(path, sizeof path, "%s/run.json", directory);
    if (access(path, F_OK) != 0)
        return true;
    char *json = read_json(directory, err);
    if (!json)
        return false;
    found->exists = true;
    bool good = parse_found(json, found);
    free(json);
    if (!good)
        return fm_fail_content(err, FM_BAD_VALUE, path, "run.json", "it is not one of ours");
    int *frames, count = fm_checkpoint_list(directory, &frames);
    found->newest_checkpoint = count ? frames[count - 1] : -1;
    free(frames);
    return true;
}

char *fm_run_scene_text(const char *directory, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    char *json = read_json(directory, err);
    const char *in = json ? find_key(json, "scene") : NULL;
    char *out = json;
    if (!in || *in++ != '"') {
        if (json)
            fm_fail_content(err, FM_BAD_VALUE, directory, "run.json", "it has no scene");
        free(json);
        return NULL;
    }
    for (; *in && *in != '"'; in++) { // in place: escapes only shrink
        char c = *in;
        if (c == '\\' && in[1]) {
            c = *++in;
            if (c == 'n')
                c = '\n';
            else if (c == 'u' && strlen(in) > 4) {
                char digits[5] = {in[1], in[2], in[3], in[4], 0};
                c = (char)strtol(digits, NULL, 16);
                in += 4;
            }
        }
        *out++ = c;
    }
    *out = 0;
    return json;
}

static bool take_lock(fm_run *run, fm_error *err)
{
    char path[FM_PATH_SIZE + 16];
    snprintf(path, sizeof path, "%s/lock", run->directory);
    run->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (run->lock < 0)
        return fm_fail_file(err, path, "make", errno);
    if (flock(run->lock, LOCK_EX | LOCK_NB) != 0)
        return fm_fail(err, FM_BAD_VALUE, run->directory, "lock", "held by another run",
                       "one run at a time in a directory");
    char text[32];
    int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(run->lock, 0) != 0 || write(run->lock, text, (size_t)length) != length)
        return fm_fail_file(err, path, "write", errno);
    return true;
}

// Removes the files of a folder that we may have made; `all` takes frames and states too, otherwise
// only what a kill left half written.
static void clean_folder(const char *path, bool all)
{
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        const char *name = entry->d_name, *dot = strrchr(name, '.');
        bool half = strstr(name, ".tmp-") != NULL;
        bool ours = dot && (strcmp(dot, ".vtp") == 0 || strcmp(dot, ".state") == 0 ||
                            strcmp(dot, ".pvd") == 0);
        if (!half && !(all && ours))
            continue;
        char file[FM_PATH_SIZE + 300];
        snprintf(file, sizeof file, "%s/%s", path, name);
        unlink(file);
    }
    if (folder)
        closedir(folder);
}

static void clean(const char *directory, bool all)
{
    char path[FM_PATH_SIZE + 16];
    clean_folder(directory, all);
    snprintf(path, sizeof path, "%s/frames", directory);
    clean_folder(path, all);
    snprintf(path, sizeof path, "%s/checkpoints", directory);
    clean_folder(path, all);
}

static void free_run(fm_run *run)
{
    fm_table_close(&run->stats);
    fm_table_close(&run->probes);
    fm_table_close(&run->timings);
    for (int i = 0; i < run->surface_count; i++)
        fm_surface_destroy(run->surfaces[i]);
    free(run->surfaces);
    free(run->names);
    free(run->scene_text);
    if (run->lock >= 0)
        close(run->lock); // lets go of it
    free(run);
}

static fm_run *open_run(const fm_run_def *def, fm_error *err)
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
    run->scene_text = strdup(def->scene_text);
    snprintf(run->directory, sizeof run->directory, "%s", def->directory);
    snprintf(run->scene_path, sizeof run->scene_path, "%s", def->scene_path);
    snprintf(run->fields, sizeof run->fields, "%s", def->fields);
    char frames[FM_PATH_SIZE + 16], checkpoints[FM_PATH_SIZE + 16];
    snprintf(frames, sizeof frames, "%s/frames", run->directory);
    snprintf(checkpoints, sizeof checkpoints, "%s/checkpoints", run->directory);
    if (strlen(def->directory) > FM_PATH_SIZE - 100)
        fm_fail(err, FM_BAD_VALUE, "run", "directory", "too long a name", "900 bytes");
    if (!run->scene_text)
        fm_fail_no_memory(err, "run", strlen(def->scene_text));
    if (err->status != FM_OK || !fm_directory_make(frames, err) ||
        !fm_directory_make(checkpoints, err) || !take_lock(run, err)) {
        free_run(run);
        return NULL;
    }
    return run;
}

// resume_at: the frame whose row is the last to keep; below first_frame begins anew.
static bool open_tables(fm_run *run, int resume_at, fm_error *err)
{
    char path[FM_PATH_SIZE + 16], columns[4096] = "frame,time";
    size_t length = strlen(columns);
    for (int i = 0; i < run->def.probe_column_count && length < sizeof columns; i++)
        length += (size_t)snprintf(columns + length, sizeof columns - length, ",%s",
                                   run->def.probe_columns[i]);
    char timings[256] = "frame,wall_ms,write_ms";
    for (int i = 0; i < FM_STAGE_COUNT; i++)
        snprintf(timings + strlen(timings), sizeof timings - strlen(timings), ",%s_ms",
                 fm_stage_name((fm_stage)i));
    snprintf(path, sizeof path, "%s/stats.csv", run->directory);
    char stats[sizeof stats_columns + sizeof check_columns + sizeof load_columns];
    snprintf(stats, sizeof stats, "%s%s%s", stats_columns,
             run->def.check_intersections ? check_columns : "", run->def.loads ? load_columns : "");
    bool good = fm_table_resume(&run->stats, path, stats, resume_at, err);
    snprintf(path, sizeof path, "%s/probes.csv", run->directory);
    if (run->def.probe_column_count > 0)
        good = good && fm_table_resume(&run->probes, path, columns, resume_at, err);
    snprintf(path, sizeof path, "%s/timings.csv", run->directory);
    return good && fm_table_resume(&run->timings, path, timings, resume_at, err);
}

fm_run *fm_run_create(const fm_run_def *def, bool replace, fm_error *err)
{
    assert(err->status != FM_OK || def);
    fm_run_found found;
    if (!fm_run_look(def->directory, &found, err) && !(replace && err->status == FM_BAD_VALUE))
        return NULL;
    if (replace)
        *err = (fm_error){0};
    if (found.exists && !replace) {
        fm_fail(err, FM_BAD_VALUE, def->directory, "directory", "that of a run",
                "an empty one; or --resume to go on, --force to begin anew");
        return NULL;
    }
    fm_run *run = open_run(def, err);
    if (!run)
        return NULL;
    clean(run->directory, true);
    if (!open_tables(run, def->first_frame - 1, err) ||
        !write_json(run, FM_RUN_RUNNING, def->first_frame - 1, err)) {
        free_run(run);
        return NULL;
    }
    return run;
}

fm_run *fm_run_resume(const fm_run_def *def, fm_world *world, int *frame, fm_error *err)
{
    assert(err->status != FM_OK || (def && world));
    *frame = def->first_frame - 1;
    fm_run *run = open_run(def, err);
    if (!run)
        return NULL;
    clean(run->directory, false);
    int *frames, count = fm_checkpoint_list(run->directory, &frames);
    for (int i = count - 1; i >= 0 && *frame < def->first_frame; i--) {
        fm_error damaged = {0}; // then the one before it must do
        if (fm_checkpoint_restore(run->directory, frames[i], def->scene_hash, world, &damaged))
            *frame = frames[i];
    }
    free(frames);
    if (!open_tables(run, *frame, err) || !write_json(run, FM_RUN_RUNNING, *frame, err)) {
        free_run(run);
        return NULL;
    }
    return run;
}

static bool make_surfaces(fm_run *run, fm_world *world, fm_error *err)
{
    int count = fm_world_cloth_count(world), points = fm_points_count(world);
    run->surfaces = calloc((size_t)count + 1, sizeof *run->surfaces);
    run->names = calloc((size_t)(count + points) + 1, sizeof *run->names);
    if (!run->surfaces || !run->names)
        return fm_fail_no_memory(err, "run", (size_t)count);
    for (int i = 0; i < count + points; i++)
        snprintf(run->names[run->name_count++], sizeof *run->names, "%s",
                 i < count ? fm_cloth_name(fm_world_cloth(world, i))
                           : fm_points_name(world, i - count));
    for (int i = 0; i < count && err->status == FM_OK; i++) {
        fm_surface *surface = fm_frame_create(fm_world_cloth(world, i), run->fields, err);
        if (surface)
            run->surfaces[run->surface_count++] = surface;
    }
    return err->status == FM_OK && write_json(run, FM_RUN_RUNNING, run->def.first_frame, err);
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
    if (!run->surfaces && !make_surfaces(run, world, err))
        return false;
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
    fm_table_text(&run->stats, ",%d,%d,%.9g,%d,%d,%d,%d", r->contact_count, r->penetration_count,
                  r->deepest_penetration, r->repelled_count, r->particle_count, r->outside_count,
                  r->stopped_count);
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
    for (int s = 0; s < run->name_count && good; s++) {
        for (int i = 0; i < count; i++) {
            int frame = run->def.first_frame + i;
            snprintf(files[i], sizeof files[i], "frames/%s.%06d.vtp", run->names[s], frame);
            entries[i] = (fm_pvd_entry){frame / run->def.fps, files[i], 0};
        }
        char path[FM_PATH_SIZE + 100];
        snprintf(path, sizeof path, "%s/%s.pvd", run->directory, run->names[s]);
        good = fm_pvd_write(path, entries, count, false, err);
    }
    free(entries);
    free(files);
    return good;
}

bool fm_run_checkpoint(fm_run *run, fm_world *world, int frame, fm_error *err)
{
    assert(err->status != FM_OK || (run && world));
    if (err->status != FM_OK || !write_indices(run, frame, err) ||
        !fm_checkpoint_write(run->directory, frame, run->def.scene_hash, world, err))
        return false;
    fm_checkpoint_prune(run->directory, run->def.checkpoints_kept);
    return true;
}

bool fm_run_write(fm_run *run, fm_world *world, int frame, const fm_report *report,
                  const double *probes, double wall_ms, bool checkpoint, fm_error *err)
{
    assert(err->status != FM_OK || (run && world));
    if (err->status != FM_OK)
        return false;
    double start = now_ms();
    if (!write_surfaces(run, world, frame, err) ||
        !write_rows(run, world, frame, report, probes, err))
        return false;
    int since = frame - run->def.first_frame;
    if (checkpoint ||
        (since > 0 && run->def.checkpoint_frames > 0 && since % run->def.checkpoint_frames == 0) ||
        frame == run->def.frames) {
        if (!fm_run_checkpoint(run, world, frame, err))
            return false;
    }
    fm_table_text(&run->timings, "%d,%.4f,%.4f", frame, wall_ms, now_ms() - start);
    for (int i = 0; i < FM_STAGE_COUNT; i++)
        fm_table_text(&run->timings, ",%.4f", report->stage_ms[i]);
    return fm_table_end_row(&run->timings, err);
}

bool fm_run_close(fm_run *run, fm_run_status status, int last_frame, fm_error *err)
{
    if (!run)
        return false;
    // also after a failure: what can still be said is said
    fm_error own = {0};
    bool good = write_indices(run, last_frame, &own) && write_json(run, status, last_frame, &own);
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
    int *frames, count = fm_checkpoint_list(directory, &frames), best = -1;
    for (int i = 0; i < count; i++) {
        if (frames[i] <= frame)
            best = frames[i];
    }
    free(frames);
    if (best < 0)
        return fm_fail_number(err, directory, "frame", frame, "one at or after a kept checkpoint");
    *at = best;
    return fm_checkpoint_restore(directory, best, 0, world, err);
}
