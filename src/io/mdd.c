// SPDX-License-Identifier: MIT
// mdd.c: writes the points of a clip as MDD, the point cache of LightWave, which Blender's Mesh
// Cache modifier reads.
//
//   int32 samples, int32 points, float time in s for each sample,
//   float x y z in m for each point of each sample; all big endian
#include "io/io.h"

#include <string.h>

// Writes 32-bit words with their bytes in big-endian order.
static void write_big_endian(fm_writer *writer, const void *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, (const char *)words + i * sizeof word, sizeof word);
        word = __builtin_bswap32(word);
        fm_writer_write(writer, &word, sizeof word);
    }
}

// Writes the positions of a clip's only object, whose mesh must be the same in all frames.
bool fm_mdd_write(const char *path, const fm_clip *clip, fm_error *err)
{
    fm_surface *base = fm_clip_read_frame(clip, 0, 0, err);
    if (!base)
        return false;
    fm_writer *writer = fm_writer_open(path, err);
    int32_t counts[2] = {clip->frame_count, base->point_count};
    write_big_endian(writer, counts, 2);
    for (int i = 0; i < clip->frame_count; i++) {
        float time = (float)(i * clip->stride / clip->fps);
        write_big_endian(writer, &time, 1);
    }
    for (int i = 0; i < clip->frame_count && err->status == FM_OK; i++) {
        fm_surface *frame = fm_clip_read_same_mesh(clip, 0, i, base, err);
        if (frame)
            write_big_endian(writer, frame->points, 3 * (size_t)base->point_count);
        fm_surface_destroy(frame);
    }
    fm_surface_destroy(base);
    return fm_writer_close(writer, false);
}
