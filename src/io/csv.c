// SPDX-License-Identifier: MIT
// csv.c: writes a clip as one table with a row for each point of each frame, as in RFC 4180 but
// with LF line ends.
//
//   frame,time,point,x,y,z,velocity.x,velocity.y,velocity.z,stretch
#include "io/io.h"

#include <string.h>

// Writes the names of the columns: vector fields get one column per component.
static void write_header(fm_writer *writer, const fm_surface *surface)
{
    fm_writer_print(writer, "frame,time,point,x,y,z");
    for (int f = 0; f < surface->field_count; f++) {
        const fm_surface_field *field = &surface->fields[f];
        if (field->components == 1)
            fm_writer_print(writer, ",%s", field->name);
        else
            for (int k = 0; k < field->components; k++)
                fm_writer_print(writer, ",%s.%c", field->name,
                                field->components == 3 ? 'x' + k : '0' + k);
    }
    fm_writer_print(writer, "\n");
}

// Fails unless two frames have the same fields.
static bool check_same_fields(const fm_surface *a, const fm_surface *b, fm_error *err)
{
    bool same = a->field_count == b->field_count;
    for (int i = 0; i < a->field_count && same; i++)
        same = strcmp(a->fields[i].name, b->fields[i].name) == 0 &&
               a->fields[i].components == b->fields[i].components;
    return same || fm_fail(err, FM_BAD_VALUE, a->name, "fields", "not the same in all frames",
                           "one list of fields for all frames of a table");
}

// Writes one row for each point of a frame.
static void write_rows(fm_writer *writer, const fm_surface *surface, int frame)
{
    for (size_t i = 0; i < (size_t)surface->point_count; i++) {
        const float *p = surface->points + 3 * i;
        fm_writer_print(writer, "%d,%.17g,%zu,%.9g,%.9g,%.9g", frame, surface->time, i, p[0], p[1],
                        p[2]);
        for (int f = 0; f < surface->field_count; f++) {
            size_t components = (size_t)surface->fields[f].components;
            for (size_t k = 0; k < components; k++)
                fm_writer_print(writer, ",%.9g", surface->fields[f].values[components * i + k]);
        }
        fm_writer_print(writer, "\n");
    }
}

// Writes the frames of a clip's only object as one table.
bool fm_csv_write(const char *path, const fm_clip *clip, fm_error *err)
{
    fm_surface *base = fm_clip_read_frame(clip, 0, 0, err);
    if (!base)
        return false;
    fm_writer *writer = fm_writer_open(path, err);
    write_header(writer, base);
    for (int i = 0; i < clip->frame_count && err->status == FM_OK; i++) {
        fm_surface *frame = fm_clip_read_frame(clip, 0, i, err);
        if (frame && check_same_fields(base, frame, err))
            write_rows(writer, frame, clip->first + i * clip->stride);
        fm_surface_destroy(frame);
    }
    fm_surface_destroy(base);
    return fm_writer_close(writer, false);
}
