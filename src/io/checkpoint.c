// SPDX-License-Identifier: MIT
// checkpoint.c: DIR/checkpoints/000120.state, the whole state of a world at a frame.
//
// magic, version, frame, hash of the scene, size of the state | state | hash of all before
#include "io/io.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct header {
    char magic[8];
    uint32_t version;
    int32_t frame;
    uint64_t scene_hash;
    uint64_t size; // of the state
} header;

static const char magic[8] = "fmstate ";
enum { VERSION = 1 };

static void checkpoint_path(const char *directory, int frame, char *path, size_t size)
{
    snprintf(path, size, "%s/checkpoints/%06d.state", directory, frame);
}

bool fm_checkpoint_write(const char *directory, int frame, uint64_t scene_hash,
                         const fm_world *world, fm_error *err)
{
    size_t size = fm_world_save(world, NULL, 0);
    unsigned char *bytes = malloc(sizeof(header) + size + sizeof(uint64_t));
    if (!bytes)
        return fm_fail_no_memory(err, "checkpoint", size);
    header h = {.version = VERSION, .frame = frame, .scene_hash = scene_hash, .size = size};
    memcpy(h.magic, magic, sizeof magic);
    memcpy(bytes, &h, sizeof h);
    fm_world_save(world, bytes + sizeof h, size);
    uint64_t hash = fm_hash(bytes, sizeof h + size, 0);
    memcpy(bytes + sizeof h + size, &hash, sizeof hash);

    char path[FM_PATH_SIZE];
    checkpoint_path(directory, frame, path, sizeof path);
    fm_writer *writer = fm_writer_open(path, err);
    fm_write(writer, bytes, sizeof h + size + sizeof hash);
    // not forced to the disk: that takes longer than the frame, and a checkpoint that a power cut
    // damages is noticed and passed over for the one before it
    bool good = fm_writer_close(writer, false);
    free(bytes);
    return good;
}

// The state inside a checkpoint's bytes, or NULL with the reason.
const void *fm_checkpoint_parse(const void *bytes, size_t size, const char *path, int *frame,
                                uint64_t *scene_hash, size_t *state_size, fm_error *err)
{
    header h;
    uint64_t hash;
    const unsigned char *in = bytes;
    if (size < sizeof h + sizeof hash) {
        fm_fail_content(err, FM_BAD_VALUE, path, "size", "%zu bytes are too few", size);
        return NULL;
    }
    memcpy(&h, in, sizeof h);
    if (memcmp(h.magic, magic, sizeof magic) != 0 || h.version != VERSION) {
        fm_fail_content(err, FM_BAD_VALUE, path, "magic", "not a checkpoint of this version");
        return NULL;
    }
    if (h.size != size - sizeof h - sizeof hash) {
        fm_fail_content(err, FM_BAD_VALUE, path, "size", "it is cut off, or more was added");
        return NULL;
    }
    memcpy(&hash, in + size - sizeof hash, sizeof hash);
    if (hash != fm_hash(in, size - sizeof hash, 0)) {
        fm_fail_content(err, FM_BAD_VALUE, path, "checksum", "it is damaged");
        return NULL;
    }
    *frame = h.frame;
    *scene_hash = h.scene_hash;
    *state_size = h.size;
    return in + sizeof h;
}

bool fm_checkpoint_restore(const char *directory, int frame, uint64_t scene_hash, fm_world *world,
                           fm_error *err)
{
    char path[FM_PATH_SIZE];
    size_t size, state_size;
    int at;
    uint64_t hash;
    checkpoint_path(directory, frame, path, sizeof path);
    char *bytes = fm_file_read(path, (size_t)1 << 36, &size, err);
    if (!bytes)
        return false;
    const void *state = fm_checkpoint_parse(bytes, size, path, &at, &hash, &state_size, err);
    bool good = state != NULL;
    if (good && at != frame)
        good = fm_fail_content(err, FM_BAD_VALUE, path, "frame", "it holds frame %d", at);
    if (good && scene_hash != 0 && hash != scene_hash)
        good = fm_fail_content(err, FM_BAD_VALUE, path, "scene", "it belongs to another scene");
    good = good && fm_world_restore(world, state, state_size, err);
    free(bytes);
    return good;
}

static int compare_frames(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

bool fm_checkpoint_parse_name(const char *file, int *frame)
{
    char *end, name[32];
    long number = strtol(file, &end, 10);
    if (end == file || number < 0 || number > FM_FRAME_MAX)
        return false;
    snprintf(name, sizeof name, "%06ld.state", number);
    *frame = (int)number;
    return strcmp(name, file) == 0;
}

int fm_checkpoint_list(const char *directory, int **frames, fm_error *err)
{
    char path[FM_PATH_SIZE];
    snprintf(path, sizeof path, "%s/checkpoints", directory);
    *frames = NULL;
    int count = 0, room = 0, frame;
    DIR *folder = opendir(path);
    if (!folder && errno != ENOENT) {
        fm_fail_file(err, path, "list", errno);
        return -1;
    }
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (!fm_checkpoint_parse_name(entry->d_name, &frame))
            continue;
        if (count == room) {
            room = 2 * room + 16;
            int *more = realloc(*frames, (size_t)room * sizeof *more);
            if (!more) {
                fm_fail_no_memory(err, path, (size_t)room * sizeof *more);
                free(*frames);
                *frames = NULL;
                count = -1;
                break;
            }
            *frames = more;
        }
        (*frames)[count++] = frame;
    }
    if (folder)
        closedir(folder);
    if (count > 1)
        qsort(*frames, (size_t)count, sizeof **frames, compare_frames);
    return count;
}

bool fm_checkpoint_due(const fm_schedule *s, int frame)
{
    return frame > s->first && s->every > 0 && (frame - s->first) % s->every == 0;
}

bool fm_checkpoint_prune(const char *directory, const fm_schedule *s, fm_error *err)
{
    int *frames = NULL, count = fm_checkpoint_list(directory, &frames, err), kept = 0;
    for (int i = count - 1; i >= 0; i--) { // the newest first
        bool due = frames[i] == s->first || fm_checkpoint_due(s, frames[i]);
        if (kept == 0 || (due && kept < s->kept)) {
            kept++;
            continue;
        }
        char path[FM_PATH_SIZE];
        checkpoint_path(directory, frames[i], path, sizeof path);
        fm_file_remove(path, err);
    }
    free(frames);
    return err->status == FM_OK;
}
