// SPDX-License-Identifier: MIT
// record.c: DIR/run.json: what ran, how far it came, and what its files are called.
//
// It is written before anything else of a run, so that a directory with files of ours always has
// one, and `done` is the last thing that is written. One key a line, so that what we wrote can be
// found again without a parser.
#include "io/io.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const status_names[] = {"running", "done", "diverged", "interrupted"};

static void write_string(fm_writer *w, const char *text)
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

static void record_path(const char *directory, char *path, size_t size)
{
    snprintf(path, size, "%s/run.json", directory);
}

bool fm_record_write(const char *directory, const fm_record *record, fm_error *err)
{
    char path[FM_PATH_SIZE + 16];
    record_path(directory, path, sizeof path);
    fm_writer *w = fm_writer_open(path, err);
    fm_write_text(w, "{\n  \"fathom\": \"%s\",\n", FM_VERSION);
    fm_write_text(w, "  \"status\": \"%s\",\n", status_names[record->status]);
    fm_write_text(w, "  \"first_frame\": %d,\n", record->first_frame);
    if (record->from) {
        fm_write_text(w, "  \"from\": ");
        write_string(w, record->from);
        fm_write_text(w, ",\n");
    }
    fm_write_text(w, "  \"frames\": %d,\n", record->frames);
    fm_write_text(w, "  \"written\": %d,\n", record->written);
    fm_write_text(w, "  \"fps\": %.17g,\n", record->fps);
    fm_write_text(w, "  \"objects\": [");
    for (int i = 0; i < record->name_count; i++) {
        fm_write_text(w, "%s", i ? ", " : "");
        write_string(w, record->names[i]);
    }
    fm_write_text(w, "],\n  \"scene_hash\": \"%016" PRIx64 "\",\n", record->scene_hash);
    fm_write_text(w, "  \"scene_path\": ");
    write_string(w, record->scene_path);
    fm_write_text(w, ",\n  \"scene\": ");
    write_string(w, record->scene_text);
    fm_write_text(w, "\n}\n");
    return fm_writer_close(w, true);
}

void fm_record_free(fm_record *record)
{
    free(record->names);
    free(record->from);
    free(record->scene_path);
    free(record->scene_text);
    *record = (fm_record){0};
}

// The text behind "key": in a run.json of ours, or NULL.
static const char *find_key(const char *json, const char *key)
{
    char pattern[64];
    snprintf(pattern, sizeof pattern, "\n  \"%s\": ", key);
    const char *at = strstr(json, pattern);
    return at ? at + strlen(pattern) : NULL;
}

// The string that begins at the quote `in`, to be freed; NULL when there is none. end: behind it.
static char *read_string(const char *in, const char **end)
{
    char *text = in && *in == '"' ? malloc(strlen(in)) : NULL, *out = text;
    if (!text)
        return NULL;
    for (in++; *in && *in != '"'; in++) {
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
    if (end)
        *end = *in ? in + 1 : in;
    return text;
}

static bool fail_key(const char *path, const char *key, fm_error *err)
{
    return fm_fail_content(err, FM_BAD_VALUE, path, key, "it is missing or wrong: not one of ours");
}

static bool read_integer(const char *json, const char *path, const char *key, int low, int *value,
                         fm_error *err)
{
    const char *text = find_key(json, key);
    char *end;
    if (!text)
        return fail_key(path, key, err);
    errno = 0;
    long number = strtol(text, &end, 10);
    if (end == text || *end != ',' || errno || number < low || number > FM_FRAME_MAX)
        return fm_fail_content(err, FM_BAD_VALUE, path, key,
                               "it is %.*s, allowed is a whole number from %d to %d",
                               (int)strcspn(text, ",\n") < 24 ? (int)strcspn(text, ",\n") : 24,
                               text, low, FM_FRAME_MAX);
    *value = (int)number;
    return true;
}

static bool read_names(const char *json, const char *path, fm_record *record, fm_error *err)
{
    const char *at = find_key(json, "objects");
    if (!at || *at != '[')
        return fail_key(path, "objects", err);
    size_t length = strcspn(at, "\n"), most = 1;
    for (size_t i = 0; i < length; i++)
        most += at[i] == '"';
    record->names = calloc(most, sizeof *record->names);
    if (!record->names)
        return fm_fail_no_memory(err, path, most * sizeof *record->names);
    for (at++; *at == '"';) {
        char *name = read_string(at, &at);
        bool good = name && *name && strlen(name) < FM_NAME_SIZE && !strchr(name, '/');
        if (good)
            snprintf(record->names[record->name_count++], FM_NAME_SIZE, "%s", name);
        free(name);
        if (!good)
            return fail_key(path, "objects", err);
        at += strspn(at, ", ");
    }
    return *at == ']' || fail_key(path, "objects", err);
}

static bool read_status(const char *json, const char *path, fm_record *record, fm_error *err)
{
    char *status = read_string(find_key(json, "status"), NULL);
    bool known = false;
    for (int i = FM_RUN_RUNNING; i <= FM_RUN_INTERRUPTED && status && !known; i++) {
        known = strcmp(status, status_names[i]) == 0;
        record->status = (fm_run_status)i;
    }
    free(status);
    return known || fail_key(path, "status", err);
}

static bool parse(const char *json, const char *path, fm_record *record, fm_error *err)
{
    const char *hash = find_key(json, "scene_hash"), *fps = find_key(json, "fps");
    record->from = read_string(find_key(json, "from"), NULL);
    record->scene_path = read_string(find_key(json, "scene_path"), NULL);
    record->scene_text = read_string(find_key(json, "scene"), NULL);
    if (!record->scene_text || !record->scene_path)
        return fail_key(path, record->scene_text ? "scene_path" : "scene", err);
    if (!hash || strspn(hash + 1, "0123456789abcdef") != 16)
        return fail_key(path, "scene_hash", err);
    record->scene_hash = strtoull(hash + 1, NULL, 16);
    record->fps = fps ? fm_parse_number(fps, NULL) : 0;
    if (!(record->fps > 0))
        return fail_key(path, "fps", err);
    if (!read_status(json, path, record, err) || !read_names(json, path, record, err) ||
        !read_integer(json, path, "first_frame", 0, &record->first_frame, err) ||
        !read_integer(json, path, "frames", record->first_frame, &record->frames, err))
        return false;
    return read_integer(json, path, "written", -1, &record->written, err);
}

bool fm_record_read(const char *directory, fm_record *record, bool *exists, fm_error *err)
{
    char path[FM_PATH_SIZE + 16];
    struct stat there;
    size_t size;
    *record = (fm_record){0};
    record_path(directory, path, sizeof path);
    *exists = err->status == FM_OK && lstat(path, &there) == 0;
    if (!*exists)
        return err->status == FM_OK;
    if (!S_ISREG(there.st_mode))
        return fm_fail_link(err, path);
    char *json = fm_file_read(path, (size_t)1 << 28, &size, err);
    bool good = json && parse(json, path, record, err);
    free(json);
    if (!good)
        fm_record_free(record);
    return good;
}

char *fm_run_scene_text(const char *directory, fm_error *err)
{
    fm_record record;
    bool exists;
    if (!fm_record_read(directory, &record, &exists, err))
        return NULL;
    if (!exists)
        fm_fail_content(err, FM_INPUT_OUTPUT, directory, "run.json", "there is none");
    char *text = record.scene_text;
    record.scene_text = NULL;
    fm_record_free(&record);
    return text;
}
