// SPDX-License-Identifier: MIT
// export.c: exports the frames of a run to the formats in the table `formats`.
#include "io/io.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// How a file format divides an export into files.
typedef enum kind {
    SEQUENCE, // a file for each object and frame
    CLIP,     // a file for each object, with all frames
    SCENE,    // one file, with all objects and frames
} kind;

// A file format.
typedef struct format {
    const char *word, *ending; // name on the command line, file name extension
    kind kind;
    bool base;        // also write the first frame as OBJ: the mesh that a point cache deforms
    bool only_finite; // the format cannot store NaN or infinity
    bool (*write_frame)(const char *path, const fm_surface *surface, fm_error *err);
    bool (*write_clip)(const char *path, const fm_clip *clip, fm_error *err);
} format;

// Writes a frame as VTK without waiting for the disk.
static bool write_vtk(const char *path, const fm_surface *surface, fm_error *err)
{
    return fm_vtk_write(path, surface, false, err);
}

static const format formats[] = {
    {"obj", ".obj", SEQUENCE, false, true, fm_obj_write, NULL},
    {"pc2", ".pc2", CLIP, true, true, NULL, fm_pc2_write},
    {"mdd", ".mdd", CLIP, true, true, NULL, fm_mdd_write},
    {"usda", ".usda", SCENE, false, true, NULL, fm_usda_write},
    {"glb", ".glb", SCENE, false, true, NULL, fm_glb_write},
    {"ply", ".ply", SEQUENCE, false, false, fm_ply_write, NULL},
    {"vtk", ".vtp", SEQUENCE, false, false, write_vtk, NULL},
    {"csv", ".csv", CLIP, false, false, NULL, fm_csv_write},
    {"vdb", ".vdb", SEQUENCE, false, false, NULL, NULL}, // written by options.volumes
};

enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

static const char *const format_words = "obj pc2 mdd usda glb ply vtk csv";

// Names of the formats, separated by blanks.
const char *fm_export_formats(void)
{
    return format_words;
}

// Options of an export of all frames of all objects as OBJ.
fm_export_options fm_default_export_options(void)
{
    return (fm_export_options){.format = "obj", .first_frame = -1, .last_frame = -1, .stride = 1};
}

// An export.
typedef struct job {
    const fm_export_options *options;
    const format *format;
    fm_cache *cache;
    int *objects; // indices in the cache of the objects to export
    int object_count;
    bool to_file; // `output_path` is the path of a file without its extension, else of a directory
    bool exact;   // write a single file, to exactly the path that the user gave
    char *output_path;
    fm_arena arena; // holds objects, output_path and all other paths
    fm_export_report *report;
    fm_error *err;
} job;

enum { PIECES = 5 }; // strings that `join` concatenates; some may be empty

// Concatenates PIECES strings in the export's arena; NULL with err filled if there is no memory.
static char *join(job *j, const char *const pieces[PIECES])
{
    size_t size = 1, at = 0;
    for (int i = 0; i < PIECES; i++)
        size += strlen(pieces[i]);
    char *path = fm_arena_alloc(&j->arena, size, 1, "export", j->err);
    for (int i = 0; i < PIECES && path; i++)
        at += (size_t)snprintf(path + at, size - at, "%s", pieces[i]);
    return path;
}

// Counts a written file, and reports the path of the first.
static void report_file(job *j, const char *path)
{
    if (j->report->file_count++ == 0)
        snprintf(j->report->path, sizeof j->report->path, "%s", path);
}

// The path of a file to write. In a directory: DIR/NAME.ENDING, or DIR/NAME.000012.ENDING if
// number >= 0. With a file path from the user: that path, with the number before its extension.
static char *build_path(job *j, const char *name, int number, const char *ending)
{
    if (j->exact && strcmp(ending, j->format->ending) == 0)
        return join(j, (const char *[]){j->options->output, "", "", "", ""});
    char digits[16] = "";
    if (number >= 0)
        snprintf(digits, sizeof digits, ".%06d", number);
    if (j->to_file)
        return join(j, (const char *[]){j->output_path, "", "", digits, ending});
    return join(j, (const char *[]){j->output_path, "/", name, digits, ending});
}

// The part of a path after the last slash.
static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// Writes the particles of a frame and their surface as volumes, under a temporary name first.
static bool write_volumes(job *j, const char *path, const fm_surface *particles,
                          const fm_surface *surface)
{
    const fm_volume_writer *writer = j->options->volumes;
    char *unfinished = join(j, (const char *[]){path, FM_UNFINISHED_SUFFIX, "", "", ""});
    if (!unfinished || !writer->write(writer->context, unfinished, particles, surface, j->err)) {
        if (unfinished)
            unlink(unfinished);
        return false;
    }
    return rename(unfinished, path) == 0 || fm_fail_file(j->err, path, "rename", errno);
}

// Writes a frame of the clip's only object to a file. If the export has a mesher and the frame has
// no faces, writes the surface around its particles instead. *time: of the frame, s.
static bool write_frame(job *j, const fm_clip *clip, int index, const char *path, double *time)
{
    fm_surface *frame = fm_clip_read_frame(clip, 0, index, j->err), *surface = NULL;
    if (!frame)
        return false;
    bool good = true;
    *time = frame->time;
    if (j->options->surface && frame->face_count == 0) {
        surface = fm_fluid_create_surface(j->options->surface, frame, j->err);
        good = surface != NULL;
    }
    if (good && !j->format->write_frame)
        good = write_volumes(j, path, frame, surface);
    else if (good)
        good = j->format->write_frame(path, surface ? surface : frame, j->err);
    fm_surface_destroy(surface);
    fm_surface_destroy(frame);
    return good;
}

// Writes one file per frame of the clip's only object, and for vtk also a time index.
static void export_sequence(job *j, const fm_clip *clip, const char *name)
{
    fm_pvd_entry *index =
        fm_arena_alloc(&j->arena, (size_t)clip->frame_count, sizeof *index, "export", j->err);
    for (int i = 0; i < clip->frame_count && index; i++) {
        double time;
        char *path = build_path(j, name, clip->first + i * clip->stride, j->format->ending);
        if (!path || !write_frame(j, clip, i, path, &time))
            return;
        index[i] = (fm_pvd_entry){time, file_name(path), 0};
        report_file(j, path);
    }
    if (j->format->write_frame != write_vtk || j->exact)
        return;
    char *path = build_path(j, name, -1, ".pvd");
    if (path && fm_pvd_write(path, index, clip->frame_count, false, j->err)) {
        report_file(j, path);
        snprintf(j->report->path, sizeof j->report->path, "%s", path);
    }
}

// Fails if the OBJ file that goes with a point cache would replace a file that Fathom did not
// export. The user does not choose its name, so a file of that name may be the user's own model.
static bool check_base(const char *path, fm_error *err)
{
    char head[sizeof FM_OBJ_FIRST_LINE] = "";
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT || fm_fail_file(err, path, "open", errno);
    ssize_t size = read(file, head, sizeof head - 1);
    close(file);
    if (size == sizeof head - 1 && strcmp(head, FM_OBJ_FIRST_LINE) == 0)
        return true;
    return fm_fail_content(err, FM_BAD_VALUE, path, "file",
                           "it is not of an export and would be lost; choose another name with -o");
}

// Writes one file with all frames of the clip and, for point caches, its first frame as OBJ.
static void export_clip(job *j, const fm_clip *clip, const char *name)
{
    char *path = build_path(j, name, -1, j->format->ending);
    char *base = j->format->base ? build_path(j, name, -1, ".obj") : NULL;
    if ((base && !check_base(base, j->err)) || !path || !j->format->write_clip(path, clip, j->err))
        return;
    report_file(j, path);
    if (!j->format->base)
        return;
    fm_surface *surface = fm_clip_read_frame(clip, 0, 0, j->err);
    if (base && surface && fm_obj_write(base, surface, j->err))
        report_file(j, base);
    fm_surface_destroy(surface);
}

// Keeps every n-th frame if there are more than glTF viewers can hold, and adds a note to the
// report.
static void thin_frames(fm_clip *clip, fm_export_report *report)
{
    if (clip->frame_count <= FM_GLB_FRAMES_MAX)
        return;
    int steps = FM_GLB_FRAMES_MAX - 1, every = (clip->frame_count - 1 + steps - 1) / steps;
    snprintf(report->note, sizeof report->note,
             "glb holds at most %d frames, and these are %d: one in %d was taken. For all of them "
             "export parts, or use usda.",
             FM_GLB_FRAMES_MAX, clip->frame_count, every);
    clip->stride *= every;
    clip->frame_count = (clip->frame_count - 1) / every + 1;
}

// Exports the frames of some objects. name: file name without number and extension.
static void export_objects(job *j, const int *objects, int count, const char *name)
{
    const fm_export_options *o = j->options;
    fm_clip clip =
        fm_clip_create(j->cache, objects, count, o->first_frame, o->last_frame, o->stride, j->err);
    if (j->err->status != FM_OK)
        return;
    // surface reconstruction skips particles that are not finite
    clip.only_finite = j->format->only_finite && !j->options->surface;
    if (strcmp(j->format->word, "glb") == 0)
        thin_frames(&clip, j->report);
    j->exact = j->to_file && (j->format->kind != SEQUENCE || clip.frame_count == 1);
    if (clip.frame_count > j->report->frame_count)
        j->report->frame_count = clip.frame_count;
    if (j->format->kind == SEQUENCE)
        export_sequence(j, &clip, name);
    else
        export_clip(j, &clip, name);
}

// True if the path is a directory, or ends in a slash.
static bool is_directory(const char *path)
{
    struct stat file_status;
    size_t length = strlen(path);
    return (length > 0 && path[length - 1] == '/') ||
           (stat(path, &file_status) == 0 && S_ISDIR(file_status.st_mode));
}

// Whether a and b followed by `below` name the same directory.
static bool is_same_directory(const char *a, const char *b, const char *below)
{
    char path[FM_PATH_SIZE];
    struct stat one, other;
    snprintf(path, sizeof path, "%s%s", b, below);
    return stat(a, &one) == 0 && stat(path, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

// Refuses to export vtk into the run's own directories: the export has the same file names as the
// run's frames and time indices, and would overwrite them.
static bool check_output(const job *j, const char *directory)
{
    if (j->format->write_frame != write_vtk ||
        (!is_same_directory(j->output_path, directory, "") &&
         !is_same_directory(j->output_path, directory, "/frames")))
        return true;
    return fm_fail(j->err, FM_BAD_VALUE, "export", "output", "where the run has its own files",
                   "another directory, for vtk");
}

// Finds the file or directory to write to, and creates the directories for it. directory: of the
// run; exports go to its subdirectory by default.
static bool find_output(job *j, const char *directory)
{
    const char *output = j->options->output;
    bool is_single = j->object_count == 1 || j->format->kind == SCENE; // one file, or one sequence
    j->output_path = join(j, output ? (const char *[]){output, "", "", "", ""}
                                    : (const char *[]){directory, "/exports", "", "", ""});
    j->to_file = output && is_single && !is_directory(output);
    if (!j->output_path)
        return false;
    char *slash = strrchr(j->output_path, '/');
    if (!j->to_file)
        return fm_directory_create(j->output_path, j->err) && check_output(j, directory);
    if (slash && slash != j->output_path) {
        *slash = 0;
        bool good = fm_directory_create(j->output_path, j->err) && check_output(j, directory);
        *slash = '/';
        if (!good)
            return false;
    }
    char *dot = strrchr(slash ? slash : j->output_path, '.');
    if (dot && dot != j->output_path)
        *dot = 0;
    return j->err->status == FM_OK;
}

// Whether the format can hold an object: volumes are made from particles only.
static bool can_hold(const job *j, int object)
{
    if (j->format->write_frame || j->format->write_clip)
        return true;
    fm_surface *frame =
        fm_cache_read_frame(j->cache, object, fm_cache_first_frame(j->cache, object), j->err);
    bool particles = frame && frame->face_count + frame->line_count == 0 &&
                     frame->lattice.size[0] == 0 && fm_surface_values(frame, "radius", 1);
    fm_surface_destroy(frame);
    return particles;
}

// Chooses the object that the options name, or all that the format can hold.
static bool choose_objects(job *j)
{
    int count = fm_cache_object_count(j->cache);
    j->objects = fm_arena_alloc(&j->arena, (size_t)count, sizeof *j->objects, "export", j->err);
    if (!j->objects)
        return false;
    const char *name = j->options->object;
    bool known = !name;
    for (int i = 0; i < count; i++) {
        bool named = !name || strcmp(name, fm_cache_object_name(j->cache, i)) == 0;
        known |= named;
        if (named && can_hold(j, i))
            j->objects[j->object_count++] = i;
    }
    if (known)
        return j->err->status == FM_OK;
    char allowed[96] = "";
    for (int i = 0; i < count; i++)
        snprintf(allowed + strlen(allowed), sizeof allowed - strlen(allowed), "%s%s", i ? " " : "",
                 fm_cache_object_name(j->cache, i));
    return fm_fail(j->err, FM_BAD_VALUE, "export", "object", name, allowed);
}

// Fails if the user asked for fluid surfaces and none of the objects is a fluid.
static bool check_fluids(job *j)
{
    bool found = !j->options->surface;
    for (int i = 0; i < j->object_count && !found && j->err->status == FM_OK; i++) {
        int object = j->objects[i];
        fm_surface *frame =
            fm_cache_read_frame(j->cache, object, fm_cache_first_frame(j->cache, object), j->err);
        found = frame && frame->face_count == 0;
        fm_surface_destroy(frame);
    }
    return found || fm_fail(j->err, FM_BAD_VALUE, "export", "surface", "no fluid",
                            "an object that is particles");
}

// Finds the format, and checks that it can hold reconstructed fluid surfaces if these are asked
// for.
static bool check_options(job *j)
{
    for (int i = 0; i < FORMAT_COUNT; i++)
        if (j->options->format && strcmp(j->options->format, formats[i].word) == 0)
            j->format = &formats[i];
    if (!j->format)
        return fm_fail(j->err, FM_BAD_VALUE, "export", "format",
                       j->options->format ? j->options->format : "missing", format_words);
    if (!j->format->write_frame && !j->format->write_clip &&
        (!j->options->surface || !j->options->volumes))
        return fm_fail(j->err, FM_BAD_VALUE, "export", "format", j->format->word, format_words);
    if (j->options->surface && j->format->kind != SEQUENCE)
        return fm_fail(j->err, FM_BAD_VALUE, "export", "surface", j->format->word,
                       "obj, ply and vtk: every frame has points of its own");
    return true;
}

// Exports the frames of a run as the options say. report (may be NULL): receives what was written.
bool fm_export_frames(const char *directory, const fm_export_options *options,
                      fm_export_report *report, fm_error *err)
{
    assert(err->status != FM_OK || options);
    fm_export_report ignored;
    job j = {.options = options, .report = report ? report : &ignored, .err = err};
    *j.report = (fm_export_report){0};
    if (err->status != FM_OK || !check_options(&j))
        return false;
    j.cache = fm_cache_open(directory, err);
    if (j.cache && choose_objects(&j) && check_fluids(&j) && find_output(&j, directory)) {
        j.report->object_count = j.object_count;
        if (j.format->kind == SCENE)
            export_objects(&j, j.objects, j.object_count,
                           j.object_count == 1 ? fm_cache_object_name(j.cache, j.objects[0])
                                               : "scene");
        for (int i = 0; i < j.object_count && j.format->kind != SCENE; i++)
            export_objects(&j, &j.objects[i], 1, fm_cache_object_name(j.cache, j.objects[i]));
    }
    fm_cache_close(j.cache);
    fm_arena_destroy(&j.arena);
    return err->status == FM_OK;
}
