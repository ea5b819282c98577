// SPDX-License-Identifier: MIT
// pc2.c: the points of a clip as PC2, which Blender's Mesh Cache and 3ds Max's Point Cache read.
//
//   char[12] "POINTCACHE2\0", int32 version 1, int32 points, float start, float step, int32 samples
//   float x y z for each point of each sample; all little endian
//
// Sample 0 is frame 0 of the animation. Step is in frames.
#include "io/io.h"

bool fm_pc2_write(const char *path, const fm_clip *clip, fm_error *err)
{
    fm_surface *base = fm_clip_read(clip, 0, 0, err);
    if (!base)
        return false;
    fm_writer *writer = fm_writer_open(path, err);
    int32_t version = 1, points = base->point_count, samples = clip->frame_count;
    float start = 0, step = (float)clip->stride;
    fm_write(writer, "POINTCACHE2", 12);
    fm_write(writer, &version, sizeof version);
    fm_write(writer, &points, sizeof points);
    fm_write(writer, &start, sizeof start);
    fm_write(writer, &step, sizeof step);
    fm_write(writer, &samples, sizeof samples);
    for (int i = 0; i < clip->frame_count && err->status == FM_OK; i++) {
        fm_surface *frame = fm_clip_read_like(clip, 0, i, base, err);
        if (frame)
            fm_write(writer, frame->points, 3 * sizeof(float) * (size_t)points);
        fm_surface_destroy(frame);
    }
    fm_surface_destroy(base);
    return fm_writer_close(writer, false);
}
