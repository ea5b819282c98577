// SPDX-License-Identifier: MIT
// usda.c: a clip as Universal Scene Description in text: a Mesh for each object, its points as time
// samples. Time codes are frames.
//
// y up, one metre a unit. Normals and velocities are written when the frames hold the fields
// "normal" and "velocity": renderers shade with the first and blur with the second.
//
// https://openusd.org/release/spec_usdpreviewsurface.html, user docs of UsdGeomMesh; the text form
// is the "usda" of the Usd toolset, version 1.0.
#include "io/io.h"

#include <ctype.h>
#include <stdlib.h>

// Prims are named like variables of C. Different objects get different names: the number of the
// object is put behind a name that had to be changed.
static void write_identifier(fm_writer *writer, const char *name, int number)
{
    bool changed = isdigit((unsigned char)name[0]) || name[0] == 0;
    if (changed)
        fm_write_text(writer, "_");
    for (const char *c = name; *c; c++) {
        bool good = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                    (*c >= '0' && *c <= '9') || *c == '_';
        changed |= !good;
        fm_write(writer, good ? c : "_", 1);
    }
    if (changed)
        fm_write_text(writer, "_%d", number);
}

static void write_integers(fm_writer *writer, const char *name, const int *values, int count)
{
    fm_write_text(writer, "        int[] %s = [", name);
    for (int i = 0; i < count; i++)
        fm_write_text(writer, i ? ", %d" : "%d", values[i]);
    fm_write_text(writer, "]\n");
}

static void write_faces(fm_writer *writer, const fm_surface *surface)
{
    fm_write_text(writer, "        int[] faceVertexCounts = [");
    for (int i = 0; i < surface->face_count; i++)
        fm_write_text(writer, i ? ", %d" : "%d",
                      surface->face_start[i + 1] - surface->face_start[i]);
    fm_write_text(writer, "]\n");
    write_integers(writer, "faceVertexIndices", surface->face_points,
                   fm_surface_corner_count(surface));
}

static void write_sample(fm_writer *writer, int time_code, const float *vectors, int count)
{
    fm_write_text(writer, "            %d: [", time_code);
    for (int i = 0; i < count; i++) {
        const float *v = vectors + 3 * (size_t)i;
        fm_write_text(writer, i ? ", (%.9g, %.9g, %.9g)" : "(%.9g, %.9g, %.9g)", v[0], v[1], v[2]);
    }
    fm_write_text(writer, "],\n");
}

// The points (field NULL) or a field of three components; bounds[6] per frame may be NULL.
static void write_samples(fm_writer *writer, const fm_clip *clip, int object,
                          const fm_surface *base, const char *field, float *bounds, fm_error *err)
{
    for (int i = 0; i < clip->frame_count && err->status == FM_OK; i++) {
        fm_surface *frame = fm_clip_read_like(clip, object, i, base, err);
        if (!frame)
            return;
        const float *values = field ? fm_surface_values(frame, field, 3) : frame->points;
        if (values)
            write_sample(writer, clip->first + i * clip->stride, values, frame->point_count);
        if (bounds)
            fm_surface_bounds(frame, bounds + 6 * (size_t)i, bounds + 6 * (size_t)i + 3);
        fm_surface_destroy(frame);
    }
}

static void write_mesh(fm_writer *writer, const fm_clip *clip, int object, fm_error *err)
{
    fm_surface *base = fm_clip_read(clip, object, 0, err);
    float *bounds = calloc((size_t)clip->frame_count, 6 * sizeof *bounds);
    if (!base || !bounds) {
        fm_fail_no_memory(err, "usda", 6 * sizeof *bounds * (size_t)clip->frame_count);
        fm_surface_destroy(base);
        free(bounds);
        return;
    }
    fm_write_text(writer, "\n    def Mesh \"");
    write_identifier(writer, base->name, object);
    fm_write_text(writer, "\"\n    {\n        uniform token subdivisionScheme = \"none\"\n"
                          "        uniform bool doubleSided = 1\n");
    write_faces(writer, base);
    fm_write_text(writer, "        point3f[] points.timeSamples = {\n");
    write_samples(writer, clip, object, base, NULL, bounds, err);
    fm_write_text(writer, "        }\n        float3[] extent.timeSamples = {\n");
    for (int i = 0; i < clip->frame_count; i++)
        write_sample(writer, clip->first + i * clip->stride, bounds + 6 * (size_t)i, 2);
    fm_write_text(writer, "        }\n");
    if (fm_surface_values(base, "normal", 3)) {
        fm_write_text(writer, "        normal3f[] normals.timeSamples = {\n");
        write_samples(writer, clip, object, base, "normal", NULL, err);
        fm_write_text(writer, "        }\n"); // at the vertices: the default of the schema
    }
    if (fm_surface_values(base, "velocity", 3)) {
        fm_write_text(writer, "        vector3f[] velocities.timeSamples = {\n");
        write_samples(writer, clip, object, base, "velocity", NULL, err);
        fm_write_text(writer, "        }\n");
    }
    fm_write_text(writer, "    }\n");
    fm_surface_destroy(base);
    free(bounds);
}

bool fm_usda_write(const char *path, const fm_clip *clip, fm_error *err)
{
    fm_writer *writer = fm_writer_open(path, err);
    fm_write_text(writer,
                  "#usda 1.0\n(\n    defaultPrim = \"scene\"\n    metersPerUnit = 1\n"
                  "    upAxis = \"Y\"\n    startTimeCode = %d\n    endTimeCode = %d\n"
                  "    timeCodesPerSecond = %.12g\n    framesPerSecond = %.12g\n)\n\n"
                  "def Xform \"scene\"\n{\n",
                  clip->first, clip->first + (clip->frame_count - 1) * clip->stride, clip->fps,
                  clip->fps);
    for (int i = 0; i < clip->object_count && err->status == FM_OK; i++)
        write_mesh(writer, clip, i, err);
    fm_write_text(writer, "}\n");
    return fm_writer_close(writer, false);
}
