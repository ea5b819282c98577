// SPDX-License-Identifier: MIT
// run.c: fathom run SCENE: from a scene to a directory of frames.
#include "run.h"
#include "fathom.h"
#include "interrupt.h"
#include "scene.h"
#include "warnings.h"

#include <fathom/fathom.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct progress {
    bool terminal, quiet;
    double started, shown;
    int first, last;
} progress;

static progress begin_progress(const task *t, int first, int last)
{
    double time = now();
    return (progress){.terminal = isatty(STDERR_FILENO),
                      .quiet = t->quiet,
                      .started = time,
                      .shown = time,
                      .first = first,
                      .last = last};
}

// On a terminal one line that changes, elsewhere a line every few seconds.
static void show_progress(progress *p, int frame)
{
    double time = now(), every = p->terminal ? 0.1 : 5;
    if (p->quiet || (time - p->shown < every && !(p->terminal && frame == p->last)))
        return;
    p->shown = time;
    double rate = (frame - p->first) / fmax(time - p->started, 1e-9);
    fprintf(stderr, "%sframe %d of %d, %.1f frames/s, %.0f s left%s", p->terminal ? "\r\033[K" : "",
            frame, p->last, rate, (p->last - frame) / fmax(rate, 1e-9), p->terminal ? "" : "\n");
    if (p->terminal && frame == p->last)
        fprintf(stderr, "\r\033[K");
}

static void end_progress(const progress *p)
{
    if (p->terminal && !p->quiet)
        fprintf(stderr, "\r\033[K");
}

static bool write_frame(fm_run *run, const fm_scene *scene, fm_world *world, int frame,
                        const fm_report *report, double wall_ms, bool checkpoint, fm_error *err)
{
    int columns = fm_scene_probe_column_count(scene);
    double *probes = malloc(((size_t)columns + 1) * sizeof *probes);
    if (!probes) {
        complain("out of memory");
        return false;
    }
    bool good = fm_scene_read_probes(scene, world, probes, err) &&
                fm_run_write(run, world, frame, report, probes, wall_ms, checkpoint, err);
    free(probes);
    return good;
}

// The state before a frame that will take long, for when it is stopped inside.
typedef struct kept_state {
    void *bytes;
    size_t size; // 0: none is kept
} kept_state;

static void keep_state(kept_state *kept, const fm_world *world, bool wanted)
{
    kept->size = 0;
    size_t size = wanted ? fm_world_save(world, NULL, 0) : 0;
    void *bytes = wanted ? realloc(kept->bytes, size) : NULL;
    if (!bytes)
        return;
    kept->bytes = bytes;
    kept->size = fm_world_save(world, bytes, size);
}

// A frame was stopped inside: back to the one before it, if that was kept. Otherwise frames since
// the newest checkpoint, which were quick, are simulated again on resume.
static bool go_back(const kept_state *kept, fm_world *world, fm_error *err)
{
    *err = (fm_error){0};
    return kept->size > 0 && fm_world_restore(world, kept->bytes, kept->size, err);
}

// The next frame, simulated and written. False: it failed, or was stopped inside, with
// FM_CANCELLED.
static bool make_frame(const fm_run_def *def, const fm_scene *scene, fm_world *world, fm_run *run,
                       outcome *result, double *wall_ms, fm_error *err)
{
    double start = now();
    fm_report report = fm_world_advance(world, 1 / def->fps, err);
    *wall_ms = 1e3 * (now() - start);
    if (err->status != FM_OK ||
        !write_frame(run, scene, world, result->frame + 1, &report, *wall_ms, false, err))
        return false;
    result->frame++;
    result->report = report;
    return true;
}

// Frames up to the last, or until it is told to stop, or until something fails. result->frame is
// the last whole one.
static void run_frames(const task *t, const fm_run_def *def, const fm_scene *scene, fm_world *world,
                       fm_run *run, outcome *result, fm_error *err)
{
    progress p = begin_progress(t, result->frame, def->frames);
    if (result->frame < def->first_frame) {
        result->report = fm_world_report(world);
        if (!write_frame(run, scene, world, def->first_frame, &result->report, 0, true, err))
            return;
        result->frame = def->first_frame;
    }
    kept_state kept = {0};
    stretch_watch *watch = watch_stretch(world);
    double wall_ms = 0;
    fm_world_set_stop(world, must_stop_now, NULL);
    while (result->frame < def->frames && !stopped()) {
        keep_state(&kept, world, wall_ms > PATIENCE_MS / 2.0);
        if (!make_frame(def, scene, world, run, result, &wall_ms, err))
            break;
        note_stretch(watch, world, result->frame, &result->report);
        show_progress(&p, result->frame);
    }
    end_progress(&p);
    bool here = err->status != FM_CANCELLED || go_back(&kept, world, err);
    if (stopped() && here && err->status == FM_OK && result->frame < def->frames)
        fm_run_checkpoint(run, world, result->frame, err);
    result->status = err->status == FM_DIVERGED     ? FM_RUN_DIVERGED
                     : result->frame >= def->frames ? FM_RUN_DONE
                                                    : FM_RUN_INTERRUPTED;
    sum_up_stretch(watch, world);
    free(watch);
    free(kept.bytes);
}

static fm_run_def define_run(const task *t, const fm_scene *scene, const char **columns)
{
    fm_scene_run settings = fm_scene_run_settings(scene);
    int column_count = fm_scene_probe_column_count(scene);
    for (int i = 0; i < column_count; i++)
        columns[i] = fm_scene_probe_column(scene, i);
    double seconds = settings.checkpoint_seconds;
    int apart = seconds > 0 ? (int)fmax(1, round(seconds * settings.fps)) : 0;
    return (fm_run_def){
        .directory = t->directory,
        .scene_path = t->scene_path,
        .scene_text = fm_scene_text(scene),
        .scene_hash = fm_scene_hash(scene),
        .frames = t->frames >= 0 ? t->frames : settings.frames,
        .fps = settings.fps,
        .checkpoint_frames = apart,
        .checkpoints_kept = settings.checkpoints_kept,
        .fields = settings.fields,
        .probe_columns = columns,
        .probe_column_count = column_count,
        .check_intersections = settings.check_intersections,
        .loads = settings.loads,
    };
}

void default_directory(const char *scene_path, char *directory, size_t size)
{
    const char *slash = strrchr(scene_path, '/'), *name = slash ? slash + 1 : scene_path;
    snprintf(directory, size, "runs/%.*s", (int)strcspn(name, "."), name);
}

// "FRAME" of the scene's usual directory, or "DIR:FRAME".
static bool parse_from(const task *t, char *directory, size_t size, int *frame)
{
    const char *colon = strrchr(t->from, ':'), *number = colon ? colon + 1 : t->from;
    char *end;
    long value = strtol(number, &end, 10);
    if (end == number || *end || value < 0 || value > 999999) {
        complain("run: --from is \"%s\", allowed is FRAME or DIR:FRAME", t->from);
        return false;
    }
    *frame = (int)value;
    if (colon) {
        snprintf(directory, size, "%.*s", (int)(colon - t->from), t->from);
    } else {
        default_directory(t->scene_path, directory, size);
    }
    return true;
}

// The world as the old run had it at the frame: from the checkpoint before it, stepped on.
static bool replay(const char *directory, int frame, int threads, fm_world **world, fm_error *err)
{
    char *text = fm_run_scene_text(directory, err);
    fm_scene *scene =
        text ? fm_scene_parse(text, strlen(text), directory, ".", NULL, 0, NULL, NULL, err) : NULL;
    free(text);
    *world = scene ? fm_scene_build_files(scene, threads, fm_file_loader(), err) : NULL;
    int at = 0;
    double fps = scene ? fm_scene_run_settings(scene).fps : 1;
    fm_scene_destroy(scene);
    if (!*world || !fm_run_restore(directory, frame, *world, &at, err))
        return false;
    fm_world_set_stop(*world, must_stop_now, NULL);
    for (; at < frame && err->status == FM_OK && !stopped(); at++)
        fm_world_advance(*world, 1 / fps, err);
    if (stopped()) {
        complain("run: stopped on the way to frame %d of %s; nothing was written", frame,
                 directory);
        *err = (fm_error){0};
        return false;
    }
    return err->status == FM_OK;
}

// Puts the world where the run in `directory` was at the frame.
static bool take_over(const char *directory, int frame, int threads, fm_world *world, fm_error *err)
{
    fm_world *old = NULL;
    bool good = replay(directory, frame, threads, &old, err);
    size_t size = good ? fm_world_save(old, NULL, 0) : 0;
    void *bytes = good ? malloc(size) : NULL;
    if (bytes) {
        fm_world_save(old, bytes, size);
        good = fm_world_restore(world, bytes, size, err);
    } else if (good) {
        complain("out of memory");
        good = false;
    }
    free(bytes);
    fm_world_destroy(old);
    return good;
}

static bool same_directory(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_ino == other.st_ino &&
           one.st_dev == other.st_dev;
}

// The path that leads to it from anywhere.
static void make_absolute(const char *path, char *absolute, size_t size)
{
    char here[PATH_SIZE] = "";
    bool relative = path[0] != '/' && getcwd(here, sizeof here);
    snprintf(absolute, size, "%s%s%s", relative ? here : "", relative ? "/" : "", path);
}

// from: the directory a branch comes from, as its record will have it.
static bool branch(const task *t, fm_run_def *def, fm_world *world, char from[2 * PATH_SIZE],
                   fm_error *err)
{
    char directory[PATH_SIZE];
    int frame;
    if (!parse_from(t, directory, sizeof directory, &frame))
        return false;
    if (frame >= def->frames) {
        complain("run: --from %d is at or after the last frame, %d", frame, def->frames);
        return false;
    }
    if (same_directory(directory, t->directory)) {
        complain("run: --from and -o are both %s; a branch goes into a directory of its own",
                 t->directory);
        return false;
    }
    fm_run_found found;
    if (!fm_run_look(directory, &found, err))
        return false;
    if (!found.exists) {
        complain("run: --from: there is no run in %s; run the scene first, or give DIR:FRAME",
                 directory);
        return false;
    }
    def->first_frame = frame;
    make_absolute(directory, from, sizeof(char[2 * PATH_SIZE]));
    def->from = from;
    return take_over(directory, frame, t->threads, world, err);
}

// A branch that was stopped before its first checkpoint begins again where it came from.
static bool branch_again(const task *t, const fm_run_found *found, fm_world *world, fm_error *err)
{
    fm_run_found parent;
    if (found->first_frame == 0 || found->newest_checkpoint >= 0)
        return true;
    if (fm_run_look(found->from, &parent, err) && !parent.exists)
        complain(
            "%s: it was stopped before its first checkpoint, and the run it came from, \"%s\", "
            "is gone; make it again with --from and --force",
            t->directory, found->from);
    return parent.exists && take_over(found->from, found->first_frame, t->threads, world, err);
}

// Looks what is in the directory, and opens it accordingly. NULL with result->code set when there
// is nothing to do.
static fm_run *open_directory(const task *t, fm_run_def *def, fm_world *world, outcome *result,
                              fm_error *err)
{
    fm_run_found found;
    if (!fm_run_look(t->directory, &found, err) && !t->force)
        return NULL;
    *err = (fm_error){0};
    result->frame = def->first_frame - 1;
    if (!t->resume)
        return fm_run_create(def, world, t->force, err);
    if (found.exists && found.scene_hash != def->scene_hash) {
        complain("%s: it was made with another scene; fathom run %s --force begins anew, "
                 "--from FRAME -o NEW branches off",
                 t->directory, t->scene_path);
        result->code = EXIT_BAD_INPUT;
        return NULL;
    }
    if (found.exists)
        def->first_frame = found.first_frame;
    if (found.exists && found.status == FM_RUN_DONE && found.frames >= def->frames &&
        found.whole >= found.frames) {
        if (!t->quiet)
            printf("%s is finished: frames %d to %d are there. Nothing to do.\n", t->directory,
                   found.first_frame, found.frames);
        result->idle = true;
        result->status = FM_RUN_DONE;
        result->frame = found.frames;
        return NULL;
    }
    if (found.exists && !branch_again(t, &found, world, err)) {
        result->code = EXIT_BAD_INPUT;
        return NULL;
    }
    return fm_run_resume(def, world, &result->frame, err);
}

void execute(const task *t, outcome *result)
{
    fm_error err = {0};
    *result = (outcome){.code = EXIT_GOOD, .status = FM_RUN_RUNNING};
    fm_scene *scene = load_scene(t->scene_path, t->settings, t->setting_count, &result->code);
    if (!scene)
        return;
    const char **columns =
        malloc(((size_t)fm_scene_probe_column_count(scene) + 1) * sizeof *columns);
    fm_world *world =
        columns ? fm_scene_build_files(scene, t->threads, fm_file_loader(), &err) : NULL;
    if (world) {
        fm_run_def def = define_run(t, scene, columns);
        char from[2 * PATH_SIZE];
        bool ready =
            fm_world_check_start(world, &err) && (!t->from || branch(t, &def, world, from, &err));
        if (!ready && err.status == FM_OK)
            result->code = stopped() ? EXIT_GOOD : EXIT_BAD_INPUT;
        fm_run *run = ready ? open_directory(t, &def, world, result, &err) : NULL;
        if (run) {
            result->first = def.first_frame;
            warn_of_endless_frames(world, 1 / def.fps);
            run_frames(t, &def, scene, world, run, result, &err);
            fm_run_close(run, result->status, result->frame, &err);
        }
    }
    if (err.status != FM_OK)
        result->code = complain_error(&err);
    free(columns);
    fm_world_destroy(world);
    fm_scene_destroy(scene);
}

// A word as a shell reads it back.
static void print_word(FILE *out, const char *word)
{
    static const char *const plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        "_-./=,:+@%";
    if (*word && strspn(word, plain) == strlen(word)) {
        fprintf(out, " %s", word);
        return;
    }
    fprintf(out, " '");
    for (; *word; word++)
        fprintf(out, *word == '\'' ? "'\\''" : "%c", *word);
    fprintf(out, "'");
}

void print_resume(FILE *out, const task *t)
{
    fprintf(out, "fathom run");
    print_word(out, t->scene_path);
    fprintf(out, " -o");
    print_word(out, t->directory);
    for (int i = 0; i < t->setting_count; i++) {
        fprintf(out, " --set");
        print_word(out, t->settings[i]);
    }
    if (t->frames >= 0)
        fprintf(out, " --frames %d", t->frames);
    for (int i = 0; i < t->sweep_count; i++) {
        fprintf(out, " --sweep");
        print_word(out, t->sweeps[i]);
    }
    fprintf(out, " --resume\n");
}

static void print_summary(const task *t, const outcome *result)
{
    if (result->status == FM_RUN_DONE && result->code == EXIT_GOOD && !t->quiet && !result->idle) {
        printf("%d frames are in %s/frames; open %s/*.pvd in ParaView.\n",
               result->frame - result->first + 1, t->directory, t->directory);
        printf("For Blender: fathom export %s --to pc2\n", t->directory);
    } else if (result->status == FM_RUN_DIVERGED || result->status == FM_RUN_INTERRUPTED) {
        fprintf(stderr, "fathom: frames up to %d are in %s; go on with: ", result->frame,
                t->directory);
        print_resume(stderr, t);
    }
}

static bool read_task(const command *self, const arguments *args, task *t)
{
    *t = (task){
        .scene_path = args->rest[0],
        .resume = option_given(self, args, "--resume"),
        .force = option_given(self, args, "--force"),
        .quiet = option_given(self, args, "--quiet"),
        .from = option_value(self, args, "--from"),
    };
    const char *directory = option_value(self, args, "-o");
    int sets = option_index(self, "--set"), sweeps = option_index(self, "--sweep");
    for (int i = 0; i < args->given[sets]; i++)
        t->settings[t->setting_count++] = args->values[sets][i];
    t->sweeps = args->values[sweeps];
    t->sweep_count = args->given[sweeps];
    if (directory && strlen(directory) >= PATH_SIZE - 20) {
        complain("run: -o is too long");
        return false;
    }
    if (directory)
        snprintf(t->directory, sizeof t->directory, "%s", directory);
    else
        default_directory(t->scene_path, t->directory, sizeof t->directory);
    if (!directory && option_given(self, args, "--sweep")) // not among the frames of a plain run
        strncat(t->directory, "-sweep", sizeof t->directory - strlen(t->directory) - 1);
    if (t->resume && t->from) {
        complain("run: --resume and --from exclude each other");
        return false;
    }
    if (t->resume && t->force) {
        complain("run: --resume goes on, --force begins anew; give one");
        return false;
    }
    if (t->from && !directory) {
        complain("run: --from branches into a new directory: give it with -o");
        return false;
    }
    return option_integer(self, args, "--frames", 0, 999999, -1, &t->frames) &&
           option_integer(self, args, "--threads", 0, 256, 0, &t->threads);
}

static int run_run(const command *self, const arguments *args)
{
    task t;
    if (!read_task(self, args, &t))
        return EXIT_BAD_INPUT;
    catch_signals();
    if (t.sweep_count > 0)
        return sweep(&t);
    outcome result;
    execute(&t, &result);
    print_summary(&t, &result);
    int output = finish_output();
    return result.code ? result.code : output;
}

const command command_run = {
    .name = "run",
    .usage = "SCENE [-o DIR] [options]",
    .about = "simulate a scene into a directory of frames",
    .more =
        "Without -o, into runs/NAME. Ctrl-C finishes the frame, saves, and says how to resume; a "
        "frame\nthat takes longer than half a second more is stopped, and the one before it kept.\n"
        "--from FRAME -o NEW takes up the state of a frame of runs/NAME (or DIR:FRAME) and goes "
        "on with\nchanged values. --sweep runs every combination into runs/NAME-sweep/0000, 0001, "
        "...",
    .options = {{"--output", "-o", "DIR", "directory of the run"},
                {"--frames", NULL, "N", "frames to simulate, instead of the scene's"},
                {"--threads", NULL, "N", "threads; 0 is one per processor"},
                {"--set", NULL, "PATH=VALUE", "change a value: bodies.towel.cloth.density=1200"},
                {"--sweep", NULL, "PATH=A,B,...", "run once for each value"},
                {"--resume", NULL, NULL, "go on with a run that was stopped"},
                {"--from", NULL, "[DIR:]FRAME", "branch off from a frame of runs/NAME, or of DIR"},
                {"--force", NULL, NULL, "begin anew where a run is; other files stay"},
                {"--quiet", NULL, NULL, "no progress, no summary"}},
    .rest_min = 1,
    .rest_max = 1,
    .run = run_run,
};
