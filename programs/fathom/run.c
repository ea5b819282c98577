// SPDX-License-Identifier: MIT
// run.c: the subcommand fathom run SCENE, which simulates a scene into a run directory.
#include "run.h"
#include "command_line.h"
#include "interrupt.h"
#include "load_scene.h"
#include "warnings.h"

#include <fathom/fathom.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const double TERMINAL_PERIOD = 0.1, FILE_PERIOD = 5; // s, between two progress messages
static const double SHORTEST = 1e-9; // s or 1/s, keeps quotients of elapsed times finite

// Time of the monotonic clock, s.
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Progress messages on stderr.
typedef struct progress {
    bool terminal;         // stderr is a terminal
    bool quiet;            // nothing is printed
    double started, shown; // s, clock times of the start and of the last message
    int first, last;       // numbers of the first and last frame to simulate
} progress;

// Progress of the frames first + 1 to last, which starts now.
static progress begin_progress(const run_request *request, int first, int last)
{
    double time = now();
    return (progress){.terminal = isatty(STDERR_FILENO),
                      .quiet = request->quiet,
                      .started = time,
                      .shown = time,
                      .first = first,
                      .last = last};
}

// Rewrites one line on a terminal; elsewhere prints a line. At most once per period.
static void show_progress(progress *p, int frame)
{
    double time = now(), period = p->terminal ? TERMINAL_PERIOD : FILE_PERIOD;
    if (p->quiet || (time - p->shown < period && !(p->terminal && frame == p->last)))
        return;
    p->shown = time;
    double rate = (frame - p->first) / fmax(time - p->started, SHORTEST);
    fprintf(stderr, "%sframe %d of %d, %.1f frames/s, %.0f s left%s", p->terminal ? "\r\033[K" : "",
            frame, p->last, rate, (p->last - frame) / fmax(rate, SHORTEST),
            p->terminal ? "" : "\n");
    if (p->terminal && frame == p->last)
        fprintf(stderr, "\r\033[K");
}

// Clears the progress line of a terminal.
static void end_progress(const progress *p)
{
    if (p->terminal && !p->quiet)
        fprintf(stderr, "\r\033[K");
}

// Writes one frame into the run directory, with the values of the probes. wall_ms: time spent
// simulating the frame, ms. checkpoint: also save the whole state.
static bool write_frame(fm_run *run, const fm_scene *scene, fm_world *world, int frame,
                        const fm_report *report, double wall_ms, bool checkpoint, fm_error *err)
{
    int columns = fm_scene_probe_column_count(scene);
    double *probes = malloc(((size_t)columns + 1) * sizeof *probes);
    if (!probes) {
        print_error("out of memory");
        return false;
    }
    bool good = fm_scene_read_probes(scene, world, probes, err) &&
                fm_run_write_frame(run, world, frame, report, probes, wall_ms, checkpoint, err);
    free(probes);
    return good;
}

// The state before a slow frame, to return to when the frame is cancelled.
typedef struct saved_state {
    void *bytes;
    size_t size; // 0: no state is saved
} saved_state;

// Saves the state of the world in memory if `wanted`. Without memory nothing is saved, and a
// cancelled frame is then simulated again on resume.
static void save_state(saved_state *saved, const fm_world *world, bool wanted)
{
    saved->size = 0;
    size_t size = wanted ? fm_world_save(world, NULL, 0) : 0;
    void *bytes = wanted ? realloc(saved->bytes, size) : NULL;
    if (!bytes)
        return;
    saved->bytes = bytes;
    saved->size = fm_world_save(world, bytes, size);
}

// After a frame was cancelled: returns to the state before that frame, if it was saved. States are
// saved before slow frames only; after a quick frame was cancelled, the run resumes from its last
// checkpoint.
static bool restore_state(const saved_state *saved, fm_world *world, fm_error *err)
{
    *err = (fm_error){0};
    return saved->size > 0 && fm_world_restore(world, saved->bytes, saved->size, err);
}

// Simulates and writes the frame after result->frame. wall_ms receives the time this took, ms.
// Returns false after an error or when the frame was cancelled (FM_CANCELLED).
static bool simulate_frame(const fm_run_def *def, const fm_scene *scene, fm_world *world,
                           fm_run *run, run_result *result, double *wall_ms, fm_error *err)
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

// Simulates frames up to the last one, until a stop is requested or an error occurs. result->frame
// is the last complete frame.
static void run_frames(const run_request *request, const fm_run_def *def, const fm_scene *scene,
                       fm_world *world, fm_run *run, run_result *result, fm_error *err)
{
    progress p = begin_progress(request, result->frame, def->frames);
    if (result->frame < def->first_frame) {
        result->report = fm_world_report(world);
        if (!write_frame(run, scene, world, def->first_frame, &result->report, 0, true, err))
            return;
        result->frame = def->first_frame;
    }
    saved_state saved = {0};
    frame_watch *watch = create_frame_watch(world);
    double wall_ms = 0;
    fm_world_set_stop(world, must_stop_now, NULL);
    while (result->frame < def->frames && !stop_requested()) {
        save_state(&saved, world, wall_ms > STOP_DELAY_MS / 2.0); // the last frame was slow
        if (!simulate_frame(def, scene, world, run, result, &wall_ms, err))
            break;
        update_frame_watch(watch, world, result->frame, &result->report);
        show_progress(&p, result->frame);
    }
    end_progress(&p);
    bool at_frame = err->status != FM_CANCELLED || restore_state(&saved, world, err);
    if (stop_requested() && at_frame && err->status == FM_OK && result->frame < def->frames)
        fm_run_write_checkpoint(run, world, result->frame, err);
    result->status = err->status == FM_DIVERGED     ? FM_RUN_DIVERGED
                     : result->frame >= def->frames ? FM_RUN_DONE
                                                    : FM_RUN_INTERRUPTED;
    print_watch_summary(watch, world);
    if (!request->quiet)
        print_integrators(world);
    free(watch);
    free(saved.bytes);
}

// Builds the definition of the run from the command line and the scene. columns: receives the names
// of the probe columns.
static fm_run_def define_run(const run_request *request, const fm_scene *scene,
                             const char **columns)
{
    fm_scene_run settings = fm_scene_run_settings(scene);
    int column_count = fm_scene_probe_column_count(scene);
    for (int i = 0; i < column_count; i++)
        columns[i] = fm_scene_probe_column(scene, i);
    double seconds = settings.checkpoint_seconds;
    int interval = seconds > 0 ? (int)fmax(1, round(seconds * settings.fps)) : 0;
    return (fm_run_def){
        .directory = request->directory,
        .scene_path = request->scene_path,
        .scene_text = fm_scene_text(scene),
        .scene_hash = fm_scene_hash(scene),
        .frames = request->frames >= 0 ? request->frames : settings.frames,
        .fps = settings.fps,
        .checkpoint_frames = interval,
        .checkpoints_kept = settings.checkpoints_kept,
        .fields = settings.fields,
        .probe_columns = columns,
        .probe_column_count = column_count,
        .check_intersections = settings.check_intersections,
        .loads = settings.loads,
        .setting = fm_scene_picture_setting(scene),
    };
}

// Writes "runs/NAME", with NAME the file name of the scene up to its first dot.
void get_default_directory(const char *scene_path, char *directory, size_t size)
{
    const char *slash = strrchr(scene_path, '/'), *name = slash ? slash + 1 : scene_path;
    snprintf(directory, size, "runs/%.*s", (int)strcspn(name, "."), name);
}

// Parses --from: "FRAME", which means the default directory of the scene, or "DIR:FRAME".
static bool parse_from(const run_request *request, char *directory, size_t size, int *frame)
{
    const char *colon = strrchr(request->from, ':'), *number = colon ? colon + 1 : request->from;
    char *end;
    long value = strtol(number, &end, 10);
    if (end == number || *end || value < 0 || value > FRAME_MAX) {
        print_error("run: --from is \"%s\", allowed is FRAME or DIR:FRAME", request->from);
        return false;
    }
    *frame = (int)value;
    if (colon) {
        snprintf(directory, size, "%.*s", (int)(colon - request->from), request->from);
    } else {
        get_default_directory(request->scene_path, directory, size);
    }
    return true;
}

// Builds the world of the run in `directory`, restores the newest checkpoint at or before `frame`,
// and simulates from there to `frame`. The caller destroys *world.
static bool replay_run(const char *directory, int frame, int threads, fm_world **world,
                       fm_error *err)
{
    char *text = fm_run_scene_text(directory, err);
    fm_scene *scene =
        text ? fm_scene_parse(text, strlen(text), directory, ".", NULL, 0, NULL, NULL, err) : NULL;
    free(text);
    fm_mesh_loader loader = find_mesh_loader();
    *world = scene ? fm_scene_build_with_loader(scene, threads, &loader, err) : NULL;
    int at = 0;
    double fps = scene ? fm_scene_run_settings(scene).fps : 1;
    fm_scene_destroy(scene);
    if (!*world || !fm_run_restore_checkpoint(directory, frame, *world, &at, err))
        return false;
    fm_world_set_stop(*world, must_stop_now, NULL);
    for (; at < frame && err->status == FM_OK && !stop_requested(); at++)
        fm_world_advance(*world, 1 / fps, err);
    if (stop_requested()) {
        print_error("run: stopped before frame %d of %s was reached; nothing was written", frame,
                    directory);
        *err = (fm_error){0};
        return false;
    }
    return err->status == FM_OK;
}

// Gives `world` the state that the run in `directory` has at `frame`.
static bool copy_state_from_run(const char *directory, int frame, int threads, fm_world *world,
                                fm_error *err)
{
    fm_world *old = NULL;
    bool good = replay_run(directory, frame, threads, &old, err);
    size_t size = good ? fm_world_save(old, NULL, 0) : 0;
    void *bytes = good ? malloc(size) : NULL;
    if (bytes) {
        fm_world_save(old, bytes, size);
        good = fm_world_restore(world, bytes, size, err);
    } else if (good) {
        print_error("out of memory");
        good = false;
    }
    free(bytes);
    fm_world_destroy(old);
    return good;
}

// True if both paths exist and name the same directory.
static bool same_directory(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_ino == other.st_ino &&
           one.st_dev == other.st_dev;
}

// Writes the absolute form of a path.
static void get_absolute_path(const char *path, char *absolute, size_t size)
{
    char here[PATH_SIZE] = "";
    bool relative = path[0] != '/' && getcwd(here, sizeof here);
    snprintf(absolute, size, "%s%s%s", relative ? here : "", relative ? "/" : "", path);
}

// Starts a branch as the option --from says: sets the world to the state of another run at one of
// its frames. from: receives the absolute path of that run, for the record of the new run.
static bool start_branch(const run_request *request, fm_run_def *def, fm_world *world,
                         char from[2 * PATH_SIZE], fm_error *err)
{
    char directory[PATH_SIZE];
    int frame;
    if (!parse_from(request, directory, sizeof directory, &frame))
        return false;
    if (frame >= def->frames) {
        print_error("run: --from is frame %d, it must be before the last frame, %d", frame,
                    def->frames);
        return false;
    }
    if (same_directory(directory, request->directory)) {
        print_error("run: --from and -o are both %s; a branch needs a directory of its own",
                    request->directory);
        return false;
    }
    fm_run_info found;
    if (!fm_run_inspect(directory, &found, err))
        return false;
    if (!found.exists) {
        print_error("run: --from: there is no run in %s; run the scene first, or give DIR:FRAME",
                    directory);
        return false;
    }
    def->first_frame = frame;
    get_absolute_path(directory, from, sizeof(char[2 * PATH_SIZE]));
    def->from = from;
    return copy_state_from_run(directory, frame, request->threads, world, err);
}

// For a branch (a run that started from a frame of another run) that was stopped before its first
// checkpoint: sets the world to the state of the parent run at the first frame of the branch.
static bool restore_branch_start(const run_request *request, const fm_run_info *found,
                                 fm_world *world, fm_error *err)
{
    fm_run_info parent;
    if (found->first_frame == 0 || found->newest_checkpoint >= 0)
        return true;
    if (fm_run_inspect(found->from, &parent, err) && !parent.exists)
        print_error(
            "%s: the branch was stopped before its first checkpoint, and the run it started from, "
            "\"%s\", is missing; start it again with --from and --force",
            request->directory, found->from);
    return parent.exists &&
           copy_state_from_run(found->from, found->first_frame, request->threads, world, err);
}

// Creates or resumes the run in request->directory, depending on what the directory contains.
// Returns NULL after an error, or when there is nothing to do, with result->code set.
static fm_run *open_run(const run_request *request, fm_run_def *def, fm_world *world,
                        run_result *result, fm_error *err)
{
    fm_run_info found;
    if (!fm_run_inspect(request->directory, &found, err) && !request->force)
        return NULL;
    *err = (fm_error){0};
    result->frame = def->first_frame - 1;
    if (!request->resume)
        return fm_run_create(def, world, request->force, err);
    if (found.exists && found.scene_hash != def->scene_hash) {
        print_error("%s contains a run of another scene or with other settings; give the same ones "
                    "to resume it, another directory with -o to keep it, --force instead of "
                    "--resume to replace it, or --from FRAME -o NEW to start a branch",
                    request->directory);
        result->code = EXIT_BAD_INPUT;
        return NULL;
    }
    if (found.exists)
        def->first_frame = found.first_frame;
    // found.whole: last frame up to which no file of the run is missing
    if (found.exists && found.status == FM_RUN_DONE && found.frames >= def->frames &&
        found.whole >= found.frames) {
        if (!request->quiet)
            printf("%s is finished: frames %d to %d exist. Nothing to do.\n", request->directory,
                   found.first_frame, found.frames);
        result->idle = true;
        result->status = FM_RUN_DONE;
        result->frame = found.frames;
        return NULL;
    }
    if (found.exists && !restore_branch_start(request, &found, world, err)) {
        result->code = EXIT_BAD_INPUT;
        return NULL;
    }
    return fm_run_resume(def, world, &result->frame, err);
}

// Loads the scene, builds its world and creates, resumes or branches its run; simulates all frames.
// result: exit code, status and last frame.
void run_scene(const run_request *request, run_result *result)
{
    fm_error err = {0};
    *result = (run_result){.code = EXIT_GOOD, .status = FM_RUN_RUNNING};
    fm_scene *scene =
        load_scene(request->scene_path, request->settings, request->setting_count, &result->code);
    if (!scene)
        return;
    const char **columns =
        malloc(((size_t)fm_scene_probe_column_count(scene) + 1) * sizeof *columns);
    fm_mesh_loader loader = find_mesh_loader();
    fm_world *world =
        columns ? fm_scene_build_with_loader(scene, request->threads, &loader, &err) : NULL;
    if (world) {
        fm_run_def def = define_run(request, scene, columns);
        char from[2 * PATH_SIZE];
        bool ready = fm_world_check_start(world, &err) &&
                     (!request->from || start_branch(request, &def, world, from, &err));
        if (!ready && err.status == FM_OK)
            result->code = stop_requested() ? EXIT_GOOD : EXIT_BAD_INPUT;
        fm_run *run = ready ? open_run(request, &def, world, result, &err) : NULL;
        if (run) {
            result->first = def.first_frame;
            warn_of_slow_frames(world, 1 / def.fps);
            warn_of_light_cloths(world);
            warn_of_thin_colliders(world);
            run_frames(request, &def, scene, world, run, result, &err);
            fm_run_close(run, result->status, result->frame, &err);
        }
    }
    if (err.status != FM_OK)
        result->code = report_error(&err);
    free(columns);
    fm_world_destroy(world);
    fm_scene_destroy(scene);
}

// Prints a blank and a word, quoted for the shell if necessary.
static void print_shell_word(FILE *out, const char *word)
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

// Prints the shell command that resumes this run.
void print_resume_command(FILE *out, const run_request *request)
{
    print_shell_word(out, request->program);
    fprintf(out, " run");
    print_shell_word(out, request->scene_path);
    fprintf(out, " -o");
    print_shell_word(out, request->directory);
    for (int i = 0; i < request->setting_count; i++) {
        fprintf(out, " --set");
        print_shell_word(out, request->settings[i]);
    }
    if (request->frames >= 0)
        fprintf(out, " --frames %d", request->frames);
    for (int i = 0; i < request->sweep_count; i++) {
        fprintf(out, " --sweep");
        print_shell_word(out, request->sweeps[i]);
    }
    fprintf(out, " --resume\n");
}

// Prints where the frames are, or how to go on after an interruption or a divergence.
static void print_summary(const run_request *request, const run_result *result)
{
    if (result->status == FM_RUN_DONE && result->code == EXIT_GOOD && !request->quiet &&
        !result->idle) {
        printf("%d frames are in %s/frames; open %s/*.pvd in ParaView.\n",
               result->frame - result->first + 1, request->directory, request->directory);
        printf("For Blender:");
        print_shell_word(stdout, request->program);
        printf(" export");
        print_shell_word(stdout, request->directory);
        printf(" --to pc2\n");
    } else if (result->status == FM_RUN_DIVERGED || result->status == FM_RUN_INTERRUPTED) {
        fprintf(stderr, "fathom: frames up to %d are in %s; go on with:", result->frame,
                request->directory);
        print_resume_command(stderr, request);
    }
}

// Reads the options of `fathom run`. Prints an error and returns false for bad values.
static bool read_request(const command *self, const arguments *args, run_request *request)
{
    *request = (run_request){
        .program = args->program,
        .scene_path = args->rest[0],
        .resume = option_given(self, args, "--resume"),
        .force = option_given(self, args, "--force"),
        .quiet = option_given(self, args, "--quiet"),
        .from = option_value(self, args, "--from"),
    };
    const char *directory = option_value(self, args, "-o");
    int sets = option_index(self, "--set"), sweeps = option_index(self, "--sweep");
    for (int i = 0; i < args->given[sets]; i++)
        request->settings[request->setting_count++] = args->values[sets][i];
    request->sweeps = args->values[sweeps];
    request->sweep_count = args->given[sweeps];
    if (directory && strlen(directory) >= PATH_SIZE - 20) { // leaves space for the run of a sweep
        print_error("run: -o is too long");
        return false;
    }
    if (directory)
        snprintf(request->directory, sizeof request->directory, "%s", directory);
    else
        get_default_directory(request->scene_path, request->directory, sizeof request->directory);
    if (!directory && option_given(self, args, "--sweep")) // keeps sweeps apart from single runs
        strncat(request->directory, "-sweep",
                sizeof request->directory - strlen(request->directory) - 1);
    if (request->resume && request->from) {
        print_error("run: --resume and --from exclude each other");
        return false;
    }
    if (request->resume && request->force) {
        print_error(
            "run: --resume continues a run, --force replaces it; only one of them is allowed");
        return false;
    }
    if (request->from && !directory) {
        print_error("run: --from branches into a new directory, which must be given with -o");
        return false;
    }
    return option_integer(self, args, "--frames", 0, FRAME_MAX, -1, &request->frames) &&
           option_integer(self, args, "--threads", 0, 256, 0, &request->threads);
}

// Runs `fathom run`: one run, or all runs of a sweep. Returns the exit code.
static int run_run(const command *self, const arguments *args)
{
    run_request request;
    if (!read_request(self, args, &request))
        return EXIT_BAD_INPUT;
    install_signal_handlers();
    if (request.sweep_count > 0)
        return run_sweep(&request);
    run_result result;
    run_scene(&request, &result);
    print_summary(&request, &result);
    int output = finish_output();
    return result.code ? result.code : output;
}

const command command_run = {
    .name = "run",
    .usage = "SCENE [-o DIR] [options]",
    .about = "simulate a scene and write its frames into a directory",
    .more =
        "Without -o, the directory is runs/NAME, with NAME from the scene file. Ctrl-C finishes "
        "the "
        "current\nframe, saves the state and prints the command to resume; a frame that takes more "
        "than half a second\nlonger is cancelled, and the frame before it is kept.\n"
        "--from FRAME -o NEW starts a new run from the state of a frame of runs/NAME, or of DIR "
        "with\nDIR:FRAME, usually with changed values.\n"
        "--sweep runs every combination of the given values, in runs/NAME-sweep/0000, 0001, ...",
    .options = {{"--output", "-o", "DIR", "directory to write to"},
                {"--frames", NULL, "N",
                 "number of frames to simulate, instead of that in the scene"},
                {"--threads", NULL, "N", "number of threads; 0: one per processor"},
                {"--set", NULL, "PATH=VALUE",
                 "change a value of the scene: bodies.towel.cloth.density=1200"},
                {"--sweep", NULL, "PATH=A,B,...", "run the scene once for each value"},
                {"--resume", NULL, NULL, "continue a run that was stopped"},
                {"--from", NULL, "[DIR:]FRAME", "start from a frame of runs/NAME, or of DIR"},
                {"--force", NULL, NULL, "replace the run in the directory; other files are kept"},
                {"--quiet", NULL, NULL, "print no progress and no summary"}},
    .rest_min = 1,
    .rest_max = 1,
    .run = run_run,
};
