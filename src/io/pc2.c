// SPDX-License-Identifier: MIT
// pc2.c: writes the points of a clip as PC2, the point cache that Blender's Mesh Cache modifier and
// 3ds Max read.
//
//   char[12] "POINTCACHE2\0", int32 version 1, int32 points, float start, float step, int32 samples
//   float x y z in m for each point of each sample; all little endian
//
// start is the animation frame of sample 0, always 0 here. step is the number of frames between
// samples.
#include "io/io.h"

// Writes the header of a PC2 file. stride: animation frames between two samples.
void fm_pc2_write_header(fm_writer *writer, int points, int stride, int samples)
{
    int32_t version = 1, point_count = points, sample_count = samples;
    float start = 0, step = (float)stride;
    fm_writer_write(writer, "POINTCACHE2", 12);
    fm_writer_write(writer, &version, sizeof version);
    fm_writer_write(writer, &point_count, sizeof point_count);
    fm_writer_write(writer, &start, sizeof start);
    fm_writer_write(writer, &step, sizeof step);
    fm_writer_write(writer, &sample_count, sizeof sample_count);
}

// Writes the positions of a clip's only object, whose mesh must be the same in all frames.
bool fm_pc2_write(const char *path, const fm_clip *clip, fm_error *err)
{
    fm_surface *base = fm_clip_read_frame(clip, 0, 0, err);
    if (!base)
        return false;
    fm_writer *writer = fm_writer_open(path, err);
    int points = base->point_count;
    fm_pc2_write_header(writer, points, clip->stride, clip->frame_count);
    for (int i = 0; i < clip->frame_count && err->status == FM_OK; i++) {
        fm_surface *frame = fm_clip_read_same_mesh(clip, 0, i, base, err);
        if (frame)
            fm_writer_write(writer, frame->points, 3 * sizeof(float) * (size_t)points);
        fm_surface_destroy(frame);
    }
    fm_surface_destroy(base);
    return fm_writer_close(writer, false);
}
