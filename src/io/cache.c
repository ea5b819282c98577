// SPDX-License-Identifier: MIT
// cache.c: finds and reads the frames of a run by their file names: DIR/frames/NAME.000012.vtp, or
// .vti for points on a lattice.
#include "io/io.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIGITS = 6, DIGITS_MAX = 9 }; // a frame number is padded with zeros to 6 digits, at most 9

// An object of a run, with its range of frames.
typedef struct cached_object {
    char name[FM_NAME_SIZE];
    int first, last; // frame numbers
} cached_object;

struct fm_cache {
    char *folder; // DIR/frames
    cached_object *objects;
    int object_count, capacity; // number of objects, and space allocated for them
};

// Splits the name of a frame file, such as "towel.000012.vtp", into object and frame number; false
// for any other name.
bool fm_cache_parse_name(const char *file, char name[FM_NAME_SIZE], int *frame)
{
    size_t length = strlen(file), digits = 0;
    if (length < 4 ||
        (strcmp(file + length - 4, ".vtp") != 0 && strcmp(file + length - 4, ".vti") != 0))
        return false;
    const char *end = file + length - 4;
    while (digits < (size_t)(end - file) && end[-1 - (long)digits] >= '0' &&
           end[-1 - (long)digits] <= '9')
        digits++;
    const char *number = end - digits;
    if (digits < DIGITS || digits > DIGITS_MAX || (digits > DIGITS && *number == '0') ||
        number - file < 2 || number[-1] != '.' || number - file > FM_NAME_SIZE)
        return false;
    snprintf(name, FM_NAME_SIZE, "%.*s", (int)(number - file - 1), file);
    *frame = (int)strtol(number, NULL, 10);
    return true;
}

// Writes the path of a frame file: .vti if that exists, else .vtp. True if it is a regular file.
bool fm_cache_format_path(const char *folder, const char *name, int frame, char *path, size_t size)
{
    struct stat file_status;
    snprintf(path, size, "%s/%s.%06d.vti", folder, name, frame);
    if (lstat(path, &file_status) != 0)
        snprintf(path, size, "%s/%s.%06d.vtp", folder, name, frame);
    return lstat(path, &file_status) == 0 && S_ISREG(file_status.st_mode);
}

// The object with this name; NULL if no frame of it was found.
static cached_object *find_object(const fm_cache *cache, const char *name)
{
    for (int i = cache->object_count - 1; i >= 0; i--)
        if (strcmp(cache->objects[i].name, name) == 0)
            return &cache->objects[i];
    return NULL;
}

// Records that a frame of an object exists: adds the object, or widens its range of frames.
static bool add_frame(fm_cache *cache, const char *name, int frame, fm_error *err)
{
    cached_object *object = find_object(cache, name);
    if (object) {
        object->first = frame < object->first ? frame : object->first;
        object->last = frame > object->last ? frame : object->last;
        return true;
    }
    if (cache->object_count == cache->capacity) {
        int capacity = cache->capacity ? 2 * cache->capacity : 8;
        cached_object *more = realloc(cache->objects, (size_t)capacity * sizeof *more);
        if (!more)
            return fm_fail_no_memory(err, "cache", (size_t)capacity * sizeof *more);
        cache->objects = more;
        cache->capacity = capacity;
    }
    cached_object *added = &cache->objects[cache->object_count++];
    *added = (cached_object){.first = frame, .last = frame};
    snprintf(added->name, sizeof added->name, "%s", name);
    return true;
}

// Orders objects by name.
static int compare_names(const void *a, const void *b)
{
    return strcmp(((const cached_object *)a)->name, ((const cached_object *)b)->name);
}

// Lists the objects of all frame files in the folder, sorted by name. directory: of the run, for
// error messages.
static bool scan_folder(fm_cache *cache, const char *directory, fm_error *err)
{
    DIR *folder = opendir(cache->folder);
    if (!folder)
        return fm_fail_file(err, cache->folder, "open", errno);
    for (struct dirent *file; (file = readdir(folder)) && err->status == FM_OK;) {
        char name[FM_NAME_SIZE];
        int frame;
        if (fm_cache_parse_name(file->d_name, name, &frame))
            add_frame(cache, name, frame, err);
    }
    closedir(folder);
    if (cache->object_count == 0)
        return fm_fail_content(err, FM_INPUT_OUTPUT, directory, "frames", "there are none");
    qsort(cache->objects, (size_t)cache->object_count, sizeof *cache->objects, compare_names);
    return err->status == FM_OK;
}

// Opens the frames of the run in `directory`. NULL with err filled if there are none.
fm_cache *fm_cache_open(const char *directory, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    fm_cache *cache = calloc(1, sizeof *cache);
    size_t size = strlen(directory) + sizeof "/frames";
    if (!cache || !(cache->folder = malloc(size))) {
        fm_fail_no_memory(err, "cache", size);
        free(cache);
        return NULL;
    }
    snprintf(cache->folder, size, "%s/frames", directory);
    if (!scan_folder(cache, directory, err)) {
        fm_cache_close(cache);
        return NULL;
    }
    return cache;
}

// Frees the cache; accepts NULL.
void fm_cache_close(fm_cache *cache)
{
    if (!cache)
        return;
    free(cache->folder);
    free(cache->objects);
    free(cache);
}

// Number of objects that have frames.
int fm_cache_object_count(const fm_cache *cache)
{
    assert(cache);
    return cache->object_count;
}

// Name of the object with this index.
const char *fm_cache_object_name(const fm_cache *cache, int object)
{
    assert(cache);
    return cache->objects[object].name;
}

// Index of the object with this name; -1 if there is none.
int fm_cache_find_object(const fm_cache *cache, const char *name)
{
    assert(cache);
    const cached_object *object = find_object(cache, name);
    return object ? (int)(object - cache->objects) : -1;
}

// Number of the first frame of an object.
int fm_cache_first_frame(const fm_cache *cache, int object)
{
    assert(cache);
    return cache->objects[object].first;
}

// Number of frames of an object, from its first to its last.
int fm_cache_frame_count(const fm_cache *cache, int object)
{
    assert(cache);
    return cache->objects[object].last - cache->objects[object].first + 1;
}

// Path of the file of one frame of an object; the caller frees it.
static char *frame_path(const fm_cache *cache, int object, int frame, fm_error *err)
{
    const char *name = cache->objects[object].name;
    size_t size = strlen(cache->folder) + strlen(name) + 32;
    char *path = malloc(size);
    if (path)
        fm_cache_format_path(cache->folder, name, frame, path, size);
    else
        fm_fail_no_memory(err, "cache", size);
    return path;
}

// Reads a frame of an object. The caller destroys it; NULL with err filled on failure.
fm_surface *fm_cache_read_frame(const fm_cache *cache, int object, int frame, fm_error *err)
{
    assert(err->status != FM_OK || cache);
    char *path = err->status == FM_OK ? frame_path(cache, object, frame, err) : NULL;
    fm_surface *surface = path ? fm_vtk_read(path, err) : NULL;
    free(path);
    return surface;
}

// Checks that all frames of the clip exist, before an export writes its first file.
static bool check_files_exist(const fm_clip *clip, fm_error *err)
{
    for (int k = 0; k < clip->object_count; k++) {
        for (int i = 0; i < clip->frame_count && err->status == FM_OK; i++) {
            char *path =
                frame_path(clip->cache, clip->objects[k], clip->first + i * clip->stride, err);
            if (path && access(path, R_OK) != 0)
                fm_fail_file(err, path, "open", errno);
            free(path);
        }
    }
    return err->status == FM_OK;
}

static const double DEFAULT_FPS = 24;     // when the times of the frames give no rate
static const double FPS_TOLERANCE = 1e-6; // relative; nearer rates are rounded to a whole number

// Frames per second, from the times of the clip's first and last frame; DEFAULT_FPS if these are
// equal.
static double find_fps(const fm_clip *clip, fm_error *err)
{
    int frames = (clip->frame_count - 1) * clip->stride;
    fm_surface *first = fm_cache_read_frame(clip->cache, clip->objects[0], clip->first, err);
    fm_surface *last =
        fm_cache_read_frame(clip->cache, clip->objects[0], clip->first + frames, err);
    double fps = first && last ? frames / (last->time - first->time) : 0;
    fm_surface_destroy(first);
    fm_surface_destroy(last);
    if (!isfinite(fps) || fps <= 0)
        return DEFAULT_FPS;
    return fabs(fps - round(fps)) < FPS_TOLERANCE * fps ? round(fps) : fps;
}

// Chooses the frames first, first + stride, ... to last of some objects. first or last < 0: the
// first or last frame that all objects have.
fm_clip fm_clip_create(const fm_cache *cache, const int *objects, int object_count, int first,
                       int last, int stride, fm_error *err)
{
    fm_clip clip = {.cache = cache, .objects = objects, .object_count = object_count};
    int low = 0, high = INT32_MAX; // first and last frame that all objects of the clip have
    for (int k = 0; k < object_count; k++) {
        const cached_object *each = &cache->objects[objects[k]];
        low = each->first > low ? each->first : low;
        high = each->last < high ? each->last : high;
    }
    char allowed[96];
    snprintf(allowed, sizeof allowed, "%d to %d", low, high);
    clip.first = first < 0 ? low : first;
    int end = last < 0 ? high : last;
    if (clip.first < low || clip.first > high)
        fm_fail_number(err, "export", "first frame", clip.first, allowed);
    else if (end < clip.first || end > high)
        fm_fail_number(err, "export", "last frame", end, allowed);
    else if (stride < 1)
        fm_fail_number(err, "export", "stride", stride, "1 or more");
    if (err->status != FM_OK)
        return clip;
    clip.stride = stride;
    clip.frame_count = (end - clip.first) / stride + 1;
    if (check_files_exist(&clip, err))
        clip.fps = find_fps(&clip, err);
    return clip;
}

// Reads frame number `index` of the clip. Fails on NaN or infinity if the clip forbids them.
fm_surface *fm_clip_read_frame(const fm_clip *clip, int object, int index, fm_error *err)
{
    int frame = clip->first + index * clip->stride;
    fm_surface *surface = fm_cache_read_frame(clip->cache, clip->objects[object], frame, err);
    if (!surface || !clip->only_finite || surface->not_finite == 0)
        return surface;
    char number[48];
    snprintf(number, sizeof number, "NaN or infinite %d times in frame %d", surface->not_finite,
             frame);
    fm_fail(err, FM_BAD_VALUE, surface->name, "points", number, "numbers, in this format");
    fm_surface_destroy(surface);
    return NULL;
}

// Reads frame number `index` of the clip, and fails unless its lines, faces and number of points
// are those of `base`.
fm_surface *fm_clip_read_same_mesh(const fm_clip *clip, int object, int index,
                                   const fm_surface *base, fm_error *err)
{
    fm_surface *surface = fm_clip_read_frame(clip, object, index, err);
    if (!surface || fm_surface_same_mesh(surface, base))
        return surface;
    char number[48];
    snprintf(number, sizeof number, "changed at frame %d", clip->first + index * clip->stride);
    fm_fail(err, FM_BAD_VALUE, surface->name, "mesh", number,
            "the same points and faces in all frames, in this format");
    fm_surface_destroy(surface);
    return NULL;
}
