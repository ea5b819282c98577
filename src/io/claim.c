// SPDX-License-Identifier: MIT
// claim.c: whose a directory is, and what in it a run may remove.
//
// A run goes into a directory that is empty or missing, or that its record (run.json) says is a
// run's. Before the record is written there is only the lock, so a directory with an empty file of
// that name and nothing else was begun and killed at once, and is as good as empty.
//
// A run removes files of the names that the record tells and no others:
//
//   frames/NAME.000012.vtp, checkpoints/000012.state, NAME.pvd, stats.csv, probes.csv, timings.csv,
//   and what was not whole yet: the same names and run.json with .unfinished behind
#include "io/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct listing {
    struct dirent **entries;
    int count;
} listing;

static int is_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

// Nothing for a directory that is missing.
static bool list(const char *path, listing *l, fm_error *err)
{
    *l = (listing){0};
    if (err->status != FM_OK)
        return false;
    l->count = scandir(path, &l->entries, is_entry, alphasort);
    if (l->count >= 0)
        return true;
    l->count = 0;
    return errno == ENOENT || fm_fail_file(err, path, "list", errno);
}

static void free_listing(listing *l)
{
    for (int i = 0; i < l->count; i++)
        free(l->entries[i]);
    free(l->entries);
}

static bool is_empty_file(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size == 0;
}

// The first entry of a directory without a record that is not what a kill at the start leaves.
static bool check_empty(const char *directory, fm_error *err)
{
    listing l;
    char path[FM_PATH_SIZE + 300];
    if (!list(directory, &l, err))
        return false;
    snprintf(path, sizeof path, "%s/lock", directory);
    bool begun = is_empty_file(path);
    for (int i = 0; i < l.count && err->status == FM_OK; i++) {
        const char *name = l.entries[i]->d_name;
        if (begun && (strcmp(name, "lock") == 0 || strcmp(name, "run.json" FM_UNFINISHED) == 0))
            continue;
        char value[48];
        snprintf(value, sizeof value, "one with other files (%.20s)", name);
        fm_fail(err, FM_BAD_VALUE, directory, "directory", value,
                "an empty or missing one, or that of a run");
    }
    free_listing(&l);
    return err->status == FM_OK;
}

// What has a name of ours is what we make: no link leads us elsewhere.
static bool check_kinds(const char *directory, fm_error *err)
{
    static const struct {
        const char *name;
        bool folder;
    } own[] = {{"lock", false},        {"stats.csv", false}, {"probes.csv", false},
               {"timings.csv", false}, {"frames", true},     {"checkpoints", true}};
    for (size_t i = 0; i < sizeof own / sizeof *own && err->status == FM_OK; i++) {
        char path[FM_PATH_SIZE + 32];
        struct stat about;
        snprintf(path, sizeof path, "%s/%s", directory, own[i].name);
        if (lstat(path, &about) != 0)
            continue;
        if (S_ISLNK(about.st_mode))
            fm_fail_link(err, path);
        else if (!(own[i].folder ? S_ISDIR(about.st_mode) : S_ISREG(about.st_mode)))
            fm_fail_content(err, FM_BAD_VALUE, path, "file", "it must be a %s",
                            own[i].folder ? "directory" : "regular file");
    }
    return err->status == FM_OK;
}

bool fm_claim_check(const char *directory, fm_record *record, bool *exists, fm_error *err)
{
    if (!fm_record_read(directory, record, exists, err))
        return false;
    if ((*exists || check_empty(directory, err)) && check_kinds(directory, err))
        return true;
    fm_record_free(record);
    return false;
}

bool fm_claim_lock(const char *directory, int *lock, fm_error *err)
{
    char path[FM_PATH_SIZE + 16];
    if (!fm_directory_make(directory, err))
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

// "NAME.unfinished" is NAME, and half.
static bool cut_unfinished(char *name)
{
    size_t length = strlen(name), ending = strlen(FM_UNFINISHED);
    bool half = length > ending && strcmp(name + length - ending, FM_UNFINISHED) == 0;
    if (half)
        name[length - ending] = 0;
    return half;
}

static bool has_name(const fm_record *record, const char *name)
{
    for (int i = 0; i < record->name_count; i++)
        if (strcmp(record->names[i], name) == 0)
            return true;
    return false;
}

typedef bool own_file(const fm_record *record, const char *file, int *frame);

static bool within(const fm_record *record, int frame)
{
    return frame >= record->first_frame && (frame <= record->frames || frame <= record->written);
}

static bool own_frame(const fm_record *record, const char *file, int *frame)
{
    char name[FM_NAME_SIZE];
    return fm_cache_parse_name(file, name, frame) && has_name(record, name) &&
           within(record, *frame);
}

static bool own_checkpoint(const fm_record *record, const char *file, int *frame)
{
    return fm_checkpoint_parse_name(file, frame) && within(record, *frame);
}

static void clear_folder(const char *directory, const char *folder, const fm_record *record,
                         own_file *own, int after, fm_error *err)
{
    char path[FM_PATH_SIZE + 16];
    listing l;
    snprintf(path, sizeof path, "%s/%s", directory, folder);
    list(path, &l, err);
    for (int i = 0; i < l.count; i++) {
        char file[FM_PATH_SIZE + 300], name[256];
        int frame;
        snprintf(name, sizeof name, "%s", l.entries[i]->d_name);
        snprintf(file, sizeof file, "%s/%s", path, name);
        bool half = cut_unfinished(name);
        if (own(record, name, &frame) && (half || frame > after))
            fm_file_remove(file, err);
    }
    free_listing(&l);
}

static void remove_named(const char *directory, const char *name, const char *ending, fm_error *err)
{
    char path[FM_PATH_SIZE + 100];
    snprintf(path, sizeof path, "%s/%s%s", directory, name, ending);
    fm_file_remove(path, err);
}

bool fm_claim_clear(const char *directory, const fm_record *record, int after, fm_error *err)
{
    static const char *const tables[] = {"stats.csv", "probes.csv", "timings.csv"};
    bool all = after < record->first_frame;
    clear_folder(directory, "frames", record, own_frame, after, err);
    clear_folder(directory, "checkpoints", record, own_checkpoint, after, err);
    for (int i = 0; i < record->name_count; i++) {
        remove_named(directory, record->names[i], ".pvd" FM_UNFINISHED, err);
        if (all)
            remove_named(directory, record->names[i], ".pvd", err);
    }
    for (int i = 0; i < 3 && all; i++)
        remove_named(directory, tables[i], "", err);
    remove_named(directory, "run.json", FM_UNFINISHED, err);
    return err->status == FM_OK;
}
