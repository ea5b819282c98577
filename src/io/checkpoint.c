// SPDX-License-Identifier: MIT
// checkpoint.c: DIR/checkpoints/000120.state, the whole state of a world at a frame.
//
// The file is: header (magic, version, frame, hash of the scene, size of the state), then the state
// from fm_world_save, then the hash of all bytes before.
#include "io/io.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// First bytes of the file.
typedef struct header {
    char magic[8];       // identifies the format
    uint32_t version;    // version of the file format
    int32_t frame;       // number of the frame whose state is saved
    uint64_t scene_hash; // hash of the scene that the run simulates
    uint64_t size;       // bytes of the state
} header;

static const char magic[8] = "fmstate ";
enum { VERSION = 1 };                           // version of the file format
static const size_t FILE_MAX = (size_t)1 << 36; // bytes; a larger file is no checkpoint

// Writes the path of the checkpoint of a frame.
static void checkpoint_path(const char *directory, int frame, char *path, size_t size)
{
    snprintf(path, size, "%s/checkpoints/%06d.state", directory, frame);
}

// Writes the state of the world at a frame to DIR/checkpoints.
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
    fm_writer_write(writer, bytes, sizeof h + size + sizeof hash);
    // No fsync: it takes longer than simulating a frame. After a power cut the checksum shows a
    // damaged checkpoint, and resuming uses the one before it.
    bool good = fm_writer_close(writer, false);
    free(bytes);
    return good;
}

// Checks size, version and checksum of a checkpoint file's contents. Returns the state inside
// `bytes`, or NULL with err filled.
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

// Restores the world from the checkpoint of a frame. scene_hash: a checkpoint of another scene is
// refused; 0 accepts any.
bool fm_checkpoint_restore(const char *directory, int frame, uint64_t scene_hash, fm_world *world,
                           fm_error *err)
{
    char path[FM_PATH_SIZE];
    size_t size, state_size;
    int stored_frame;
    uint64_t hash;
    checkpoint_path(directory, frame, path, sizeof path);
    char *bytes = fm_file_read(path, FILE_MAX, &size, err);
    if (!bytes)
        return false;
    const void *state =
        fm_checkpoint_parse(bytes, size, path, &stored_frame, &hash, &state_size, err);
    bool good = state != NULL;
    if (good && stored_frame != frame)
        good = fm_fail_content(err, FM_BAD_VALUE, path, "frame", "it holds frame %d", stored_frame);
    if (good && scene_hash != 0 && hash != scene_hash)
        good = fm_fail_content(err, FM_BAD_VALUE, path, "scene", "it belongs to another scene");
    good = good && fm_world_restore(world, state, state_size, err);
    free(bytes);
    return good;
}

// Orders frame numbers.
static int compare_frames(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// Reads the frame number in the name of a checkpoint file; false for any other name.
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

// Frames that have a checkpoint, in ascending order; the caller frees them. Returns their number,
// -1 on failure.
int fm_checkpoint_list_frames(const char *directory, int **frames, fm_error *err)
{
    char path[FM_PATH_SIZE];
    snprintf(path, sizeof path, "%s/checkpoints", directory);
    *frames = NULL;
    int count = 0, capacity = 0, frame;
    DIR *folder = opendir(path);
    if (!folder && errno != ENOENT) {
        fm_fail_file(err, path, "list", errno);
        return -1;
    }
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (!fm_checkpoint_parse_name(entry->d_name, &frame))
            continue;
        if (count == capacity) {
            capacity = 2 * capacity + 16;
            int *more = realloc(*frames, (size_t)capacity * sizeof *more);
            if (!more) {
                fm_fail_no_memory(err, path, (size_t)capacity * sizeof *more);
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

// True if the schedule has a checkpoint at this frame: every schedule->every frames after the
// first.
bool fm_checkpoint_is_due(const fm_checkpoint_schedule *schedule, int frame)
{
    return frame > schedule->first && schedule->every > 0 &&
           (frame - schedule->first) % schedule->every == 0;
}

// Removes checkpoints. It keeps the newest one, and the newest at frames of the schedule,
// schedule->kept in all.
bool fm_checkpoint_prune(const char *directory, const fm_checkpoint_schedule *schedule,
                         fm_error *err)
{
    int *frames = NULL, count = fm_checkpoint_list_frames(directory, &frames, err), kept = 0;
    for (int i = count - 1; i >= 0; i--) { // from the newest checkpoint to the oldest
        bool due = frames[i] == schedule->first || fm_checkpoint_is_due(schedule, frames[i]);
        if (kept == 0 || (due && kept < schedule->kept)) {
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
