// SPDX-License-Identifier: MIT
// run_record.c: writes and reads DIR/run.json: the scene of a run, its status, the names of its
// objects.
//
// A run writes run.json before any other file but the lock, so that every directory with files of
// a run has one. It writes the status `done` last of all. There is one key per line, so that a key
// can be found by searching for its line.
#include "io/io.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const size_t FILE_MAX = (size_t)1 << 28; // bytes of run.json

// indexed by fm_run_status
static const char *const status_names[] = {"running", "done", "diverged", "interrupted"};

// Writes the path of run.json.
static void record_path(const char *directory, char *path, size_t size)
{
    snprintf(path, size, "%s/run.json", directory);
}

// Writes run.json, one key per line, and waits until it is on the disk.
bool fm_run_record_write(const char *directory, const fm_run_record *record, fm_error *err)
{
    char path[FM_PATH_SIZE + 16];
    record_path(directory, path, sizeof path);
    fm_writer *w = fm_writer_open(path, err);
    fm_writer_print(w, "{\n  \"fathom\": \"%s\",\n", FM_VERSION);
    fm_writer_print(w, "  \"status\": \"%s\",\n", status_names[record->status]);
    fm_writer_print(w, "  \"first_frame\": %d,\n", record->first_frame);
    if (record->from) {
        fm_writer_print(w, "  \"from\": ");
        fm_json_write_string(w, record->from);
        fm_writer_print(w, ",\n");
    }
    fm_writer_print(w, "  \"frames\": %d,\n", record->frames);
    fm_writer_print(w, "  \"written\": %d,\n", record->written);
    fm_writer_print(w, "  \"fps\": %.17g,\n", record->fps);
    fm_writer_print(w, "  \"objects\": [");
    for (int i = 0; i < record->object_count; i++) {
        fm_writer_print(w, "%s{\"name\": ", i ? ", " : "");
        fm_json_write_string(w, record->objects[i].name);
        fm_writer_print(w, ", \"kind\": ");
        fm_json_write_string(w, record->objects[i].kind);
        fm_writer_write(w, "}", 1);
    }
    fm_writer_print(w, "],\n  \"scene_hash\": \"%016" PRIx64 "\",\n", record->scene_hash);
    fm_writer_print(w, "  \"scene_path\": ");
    fm_json_write_string(w, record->scene_path);
    fm_writer_print(w, ",\n  \"scene\": ");
    fm_json_write_string(w, record->scene_text);
    fm_writer_print(w, "\n}\n");
    return fm_writer_close(w, true);
}

// Frees the texts and objects of a record and empties it.
void fm_run_record_destroy(fm_run_record *record)
{
    free(record->objects);
    free(record->from);
    free(record->scene_path);
    free(record->scene_text);
    *record = (fm_run_record){0};
}

// The text after `"key": ` in a run.json that Fathom wrote, or NULL.
static const char *find_key(const char *json, const char *key)
{
    char pattern[64];
    snprintf(pattern, sizeof pattern, "\n  \"%s\": ", key);
    const char *at = strstr(json, pattern);
    return at ? at + strlen(pattern) : NULL;
}

// Fills err: a key of run.json is missing or wrong. Returns false.
static bool fail_key(const char *path, const char *key, fm_error *err)
{
    return fm_fail_content(err, FM_BAD_VALUE, path, key,
                           "it is missing or wrong: Fathom did not write this");
}

// Reads a whole number from `low` to FM_FRAME_MAX. path: for error messages.
static bool read_integer(const char *json, const char *path, const char *key, int low, int *value,
                         fm_error *err)
{
    const char *text = find_key(json, key);
    char *end;
    if (!text)
        return fail_key(path, key, err);
    errno = 0;
    long number = strtol(text, &end, 10);
    enum { SHOWN_MAX = 24 }; // characters of a wrong value in the message
    if (end == text || *end != ',' || errno || number < low || number > FM_FRAME_MAX)
        return fm_fail_content(
            err, FM_BAD_VALUE, path, key, "it is %.*s, allowed is a whole number from %d to %d",
            (int)strcspn(text, ",\n") < SHOWN_MAX ? (int)strcspn(text, ",\n") : SHOWN_MAX, text,
            low, FM_FRAME_MAX);
    *value = (int)number;
    return true;
}

// Reads the JSON string after the text `before` at *at, the name of an object or kind, and moves
// *at past it.
static bool read_name(const char **at, const char *before, char name[FM_NAME_SIZE])
{
    size_t length = strlen(before);
    if (strncmp(*at, before, length) != 0)
        return false;
    char *text = fm_json_read_string(*at + length, at);
    bool good = text && *text && strlen(text) < FM_NAME_SIZE && !strchr(text, '/');
    if (good)
        snprintf(name, FM_NAME_SIZE, "%s", text);
    free(text);
    return good;
}

// Reads names and kinds (cloth, particles, ball) of the run's objects.
static bool read_objects(const char *json, const char *path, fm_run_record *record, fm_error *err)
{
    const char *at = find_key(json, "objects");
    if (!at || *at != '[')
        return fail_key(path, "objects", err);
    size_t length = strcspn(at, "\n"), count_limit = 1;
    for (size_t i = 0; i < length; i++)
        count_limit += at[i] == '{';
    record->objects = calloc(count_limit, sizeof *record->objects);
    if (!record->objects)
        return fm_fail_no_memory(err, path, count_limit * sizeof *record->objects);
    for (at++; *at == '{';) {
        fm_run_record_object *object = &record->objects[record->object_count++];
        if (!read_name(&at, "{\"name\": ", object->name) ||
            !read_name(&at, ", \"kind\": ", object->kind) || *at != '}')
            return fail_key(path, "objects", err);
        at += 1 + strspn(at + 1, ", ");
    }
    return *at == ']' || fail_key(path, "objects", err);
}

// Reads the status: running, done, diverged or interrupted.
static bool read_status(const char *json, const char *path, fm_run_record *record, fm_error *err)
{
    char *status = fm_json_read_string(find_key(json, "status"), NULL);
    bool found = false;
    for (int i = FM_RUN_RUNNING; i <= FM_RUN_INTERRUPTED && status && !found; i++) {
        found = strcmp(status, status_names[i]) == 0;
        record->status = (fm_run_status)i;
    }
    free(status);
    return found || fail_key(path, "status", err);
}

// Reads all keys of run.json. path: for error messages.
static bool parse_record(const char *json, const char *path, fm_run_record *record, fm_error *err)
{
    const char *hash = find_key(json, "scene_hash"), *fps = find_key(json, "fps");
    record->from = fm_json_read_string(find_key(json, "from"), NULL);
    record->scene_path = fm_json_read_string(find_key(json, "scene_path"), NULL);
    record->scene_text = fm_json_read_string(find_key(json, "scene"), NULL);
    if (!record->scene_text || !record->scene_path)
        return fail_key(path, record->scene_text ? "scene_path" : "scene", err);
    if (!hash || strspn(hash + 1, "0123456789abcdef") != 16)
        return fail_key(path, "scene_hash", err);
    record->scene_hash = strtoull(hash + 1, NULL, 16);
    record->fps = fps ? fm_text_to_number(fps, NULL) : 0;
    if (!(record->fps > 0))
        return fail_key(path, "fps", err);
    if (!read_status(json, path, record, err) || !read_objects(json, path, record, err) ||
        !read_integer(json, path, "first_frame", 0, &record->first_frame, err) ||
        !read_integer(json, path, "frames", record->first_frame, &record->frames, err))
        return false;
    return read_integer(json, path, "written", -1, &record->written, err);
}

// Reads run.json; exists: whether there is one.
bool fm_run_record_read(const char *directory, fm_run_record *record, bool *exists, fm_error *err)
{
    char path[FM_PATH_SIZE + 16];
    struct stat file_status;
    size_t size;
    *record = (fm_run_record){0};
    record_path(directory, path, sizeof path);
    *exists = err->status == FM_OK && lstat(path, &file_status) == 0;
    if (!*exists)
        return err->status == FM_OK;
    if (!S_ISREG(file_status.st_mode))
        return fm_fail_link(err, path);
    char *json = fm_file_read(path, FILE_MAX, &size, err);
    bool good = json && parse_record(json, path, record, err);
    free(json);
    if (!good)
        fm_run_record_destroy(record);
    return good;
}

// The YAML text of the scene that was run; the caller frees it.
char *fm_run_scene_text(const char *directory, fm_error *err)
{
    fm_run_record record;
    bool exists;
    if (!fm_run_record_read(directory, &record, &exists, err))
        return NULL;
    if (!exists)
        fm_fail_content(err, FM_INPUT_OUTPUT, directory, "run.json", "there is none");
    char *text = record.scene_text;
    record.scene_text = NULL;
    fm_run_record_destroy(&record);
    return text;
}
