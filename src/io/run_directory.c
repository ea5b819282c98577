// SPDX-License-Identifier: MIT
// run_directory.c: checks whether a run may use a directory, locks it, and removes a run's files.
//
// A run may use a directory that is missing or empty, or that holds a run.json. A new run creates
// DIR/lock before run.json. So a directory with an empty file `lock` and nothing else is one whose
// run was killed at its start, and counts as empty.
//
// Only files that run.json implies are ever removed:
//
//   frames/NAME.000012.vtp, checkpoints/000012.state, colliders/3.obj, colliders/3.pc2, NAME.pvd,
//   stats.csv, probes.csv, poses.csv, timings.csv, setting.json,
//   and unfinished files: the same names and run.json, with .unfinished appended
#include "io/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// The entries of a directory.
typedef struct listing {
    struct dirent **entries;
    int count;
} listing;

// False for "." and "..".
static int is_listed(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

// Lists a directory without "." and ".."; a missing directory counts as empty.
static bool list_directory(const char *path, listing *l, fm_error *err)
{
    *l = (listing){0};
    if (err->status != FM_OK)
        return false;
    l->count = scandir(path, &l->entries, is_listed, alphasort);
    if (l->count >= 0)
        return true;
    l->count = 0;
    return errno == ENOENT || fm_fail_file(err, path, "list", errno);
}

// Frees the entries of a directory.
static void destroy_listing(listing *l)
{
    for (int i = 0; i < l->count; i++)
        free(l->entries[i]);
    free(l->entries);
}

// True if the path is a regular file without contents.
static bool is_empty_file(const char *path)
{
    struct stat file_status;
    return lstat(path, &file_status) == 0 && S_ISREG(file_status.st_mode) &&
           file_status.st_size == 0;
}

// Checks that a directory without run.json is empty, apart from the lock and the unfinished
// run.json that a run killed at its start leaves.
static bool check_empty(const char *directory, fm_error *err)
{
    listing l;
    char path[FM_PATH_SIZE + 300];
    if (!list_directory(directory, &l, err))
        return false;
    snprintf(path, sizeof path, "%s/lock", directory);
    bool was_begun = is_empty_file(path); // a run created its lock and was killed
    for (int i = 0; i < l.count && err->status == FM_OK; i++) {
        const char *name = l.entries[i]->d_name;
        if (was_begun &&
            (strcmp(name, "lock") == 0 || strcmp(name, "run.json" FM_UNFINISHED_SUFFIX) == 0))
            continue;
        char value[48];
        snprintf(value, sizeof value, "one with other files (%.20s)", name);
        fm_fail(err, FM_BAD_VALUE, directory, "directory", value,
                "an empty or missing one, or that of a run");
    }
    destroy_listing(&l);
    return err->status == FM_OK;
}

// Checks that the paths a run writes to are regular files and directories if they exist. A symbolic
// link in their place could make the run overwrite a file elsewhere.
static bool check_file_types(const char *directory, fm_error *err)
{
    static const struct {
        const char *name;
        bool folder;
    } paths[] = {{"lock", false},      {"stats.csv", false},   {"probes.csv", false},
                 {"poses.csv", false}, {"timings.csv", false}, {"setting.json", false},
                 {"frames", true},     {"checkpoints", true},  {"colliders", true}};
    for (size_t i = 0; i < sizeof paths / sizeof *paths && err->status == FM_OK; i++) {
        char path[FM_PATH_SIZE + 32];
        struct stat file_status;
        snprintf(path, sizeof path, "%s/%s", directory, paths[i].name);
        if (lstat(path, &file_status) != 0)
            continue;
        if (S_ISLNK(file_status.st_mode))
            fm_fail_link(err, path);
        else if (!(paths[i].folder ? S_ISDIR(file_status.st_mode) : S_ISREG(file_status.st_mode)))
            fm_fail_content(err, FM_BAD_VALUE, path, "file", "it must be a %s",
                            paths[i].folder ? "directory" : "regular file");
    }
    return err->status == FM_OK;
}

// Fails unless the directory is empty, missing or holds a run. exists: whether it holds one;
// record: receives its run.json.
bool fm_run_directory_check(const char *directory, fm_run_record *record, bool *exists,
                            fm_error *err)
{
    if (!fm_run_record_read(directory, record, exists, err))
        return false;
    if ((*exists || check_empty(directory, err)) && check_file_types(directory, err))
        return true;
    fm_run_record_destroy(record);
    return false;
}

// Creates the directory and locks DIR/lock; fails if another run holds the lock.
bool fm_run_directory_lock(const char *directory, int *lock, fm_error *err)
{
    char path[FM_PATH_SIZE + 16];
    if (!fm_directory_create(directory, err))
        return false;
    snprintf(path, sizeof path, "%s/lock", directory);
    *lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (*lock < 0)
        return errno == ELOOP ? fm_fail_link(err, path) : fm_fail_file(err, path, "make", errno);
    if (flock(*lock, LOCK_EX | LOCK_NB) != 0)
        return fm_fail(err, FM_BAD_VALUE, directory, "lock", "held by another run",
                       "one run at a time in a directory");
    return true;
}

// Removes the ending ".unfinished" from a file name; returns false if the name does not have it.
static bool remove_unfinished_suffix(char *name)
{
    size_t length = strlen(name), ending = strlen(FM_UNFINISHED_SUFFIX);
    bool unfinished = length > ending && strcmp(name + length - ending, FM_UNFINISHED_SUFFIX) == 0;
    if (unfinished)
        name[length - ending] = 0;
    return unfinished;
}

// True if the recorded run has an object of this name.
static bool has_object(const fm_run_record *record, const char *name)
{
    for (int i = 0; i < record->object_count; i++)
        if (strcmp(record->objects[i].name, name) == 0)
            return true;
    return false;
}

// Tells whether a file name in a subdirectory is one that the recorded run writes, and of which
// frame.
typedef bool file_filter(const fm_run_record *record, const char *file, int *frame);

// True if the recorded run may have written this frame.
static bool has_frame(const fm_run_record *record, int frame)
{
    return frame >= record->first_frame && (frame <= record->frames || frame <= record->written);
}

// True for the name of a frame file of the recorded run; frame: receives its number.
static bool is_frame_file(const fm_run_record *record, const char *file, int *frame)
{
    char name[FM_NAME_SIZE];
    return fm_cache_parse_name(file, name, frame) && has_object(record, name) &&
           has_frame(record, *frame);
}

// True for the name of a checkpoint of the recorded run; frame: receives its number.
static bool is_checkpoint_file(const fm_run_record *record, const char *file, int *frame)
{
    return fm_checkpoint_parse_name(file, frame) && has_frame(record, *frame);
}

// True for the name of a collider's mesh file. These serve all frames; they count as files of the
// first frame, so that they are removed together with it.
static bool is_mesh_file(const fm_run_record *record, const char *file, int *frame)
{
    enum { DIGITS_MAX = 7 }; // digits of the number of a collider
    size_t digits = strspn(file, "0123456789");
    *frame = record->first_frame;
    return digits > 0 && digits <= DIGITS_MAX &&
           (strcmp(file + digits, ".obj") == 0 || strcmp(file + digits, ".pc2") == 0);
}

// Removes the run's files of frames later than `after`, and all unfinished ones, from a
// subdirectory. belongs: tells whether a file name is one of the run's.
static void clear_folder(const char *directory, const char *folder, const fm_run_record *record,
                         file_filter *belongs, int after, fm_error *err)
{
    char path[FM_PATH_SIZE + 16];
    listing l;
    snprintf(path, sizeof path, "%s/%s", directory, folder);
    list_directory(path, &l, err);
    for (int i = 0; i < l.count; i++) {
        char file[FM_PATH_SIZE + 300], name[256];
        int frame;
        snprintf(name, sizeof name, "%s", l.entries[i]->d_name);
        snprintf(file, sizeof file, "%s/%s", path, name);
        bool unfinished = remove_unfinished_suffix(name);
        if (belongs(record, name, &frame) && (unfinished || frame > after))
            fm_file_remove(file, err);
    }
    destroy_listing(&l);
}

// Removes DIR/NAME with an ending, if it exists.
static void remove_file(const char *directory, const char *name, const char *ending, fm_error *err)
{
    char path[FM_PATH_SIZE + 100];
    snprintf(path, sizeof path, "%s/%s%s", directory, name, ending);
    fm_file_remove(path, err);
}

// Removes the run's files of frames later than `after`, and all its unfinished files. If `after` is
// below the first frame, removes all files except run.json.
bool fm_run_directory_clear(const char *directory, const fm_run_record *record, int after,
                            fm_error *err)
{
    static const char *const run_files[] = {"stats.csv", "probes.csv", "poses.csv", "timings.csv",
                                            "setting.json"};
    bool all = after < record->first_frame;
    char meshes[FM_PATH_SIZE + 16];
    clear_folder(directory, "frames", record, is_frame_file, after, err);
    clear_folder(directory, "checkpoints", record, is_checkpoint_file, after, err);
    clear_folder(directory, "colliders", record, is_mesh_file, after, err);
    for (int i = 0; i < record->object_count; i++) {
        remove_file(directory, record->objects[i].name, ".pvd" FM_UNFINISHED_SUFFIX, err);
        if (all)
            remove_file(directory, record->objects[i].name, ".pvd", err);
    }
    for (size_t i = 0; i < sizeof run_files / sizeof *run_files && all; i++)
        remove_file(directory, run_files[i], "", err);
    snprintf(meshes, sizeof meshes, "%s/colliders", directory);
    if (all)
        rmdir(meshes); // fails, as it should, if the user put other files there
    remove_file(directory, "setting.json", FM_UNFINISHED_SUFFIX, err);
    remove_file(directory, "run.json", FM_UNFINISHED_SUFFIX, err);
    return err->status == FM_OK;
}
