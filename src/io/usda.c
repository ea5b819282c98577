// SPDX-License-Identifier: MIT
// usda.c: writes a clip as Universal Scene Description in text form, "usda 1.0" [USD]. Each object
// becomes a Mesh of its faces, BasisCurves of its lines and Points of its isolated points, with
// positions as time samples. Time codes are frame numbers.
//
// The y axis points up and the unit is 1 m. Texture coordinates are the primvar st. Normals and
// velocities are written if the frames have the fields "normal" and "velocity": renderers use them
// for shading and for motion blur.
#include "io/io.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Writes an object's name as a USD identifier, which follows the rules of C. If characters had to
// be replaced, the number of the object is appended, so that names stay unique.
static void write_identifier(fm_writer *writer, const char *name, int number)
{
    bool changed = isdigit((unsigned char)name[0]) || name[0] == 0;
    if (changed)
        fm_writer_print(writer, "_");
    for (const char *c = name; *c; c++) {
        bool good = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                    (*c >= '0' && *c <= '9') || *c == '_';
        changed |= !good;
        fm_writer_write(writer, good ? c : "_", 1);
    }
    if (changed)
        fm_writer_print(writer, "_%d", number);
}

// Writes an attribute that is an array of integers.
static void write_integers(fm_writer *writer, const char *name, const int *values, int count)
{
    fm_writer_print(writer, "        int[] %s = [", name);
    for (int i = 0; i < count; i++)
        fm_writer_print(writer, i ? ", %d" : "%d", values[i]);
    fm_writer_print(writer, "]\n");
}

// Writes corner counts and corner indices of all faces.
static void write_faces(fm_writer *writer, const fm_surface *surface)
{
    fm_writer_print(writer, "        int[] faceVertexCounts = [");
    for (int i = 0; i < surface->face_count; i++)
        fm_writer_print(writer, i ? ", %d" : "%d",
                        surface->face_start[i + 1] - surface->face_start[i]);
    fm_writer_print(writer, "]\n");
    write_integers(writer, "faceVertexIndices", surface->face_points,
                   fm_surface_corner_count(surface));
}

// Writes the texture coordinates of all corners of the faces.
static void write_uv(fm_writer *writer, const fm_surface *surface)
{
    fm_writer_print(writer, "        texCoord2f[] primvars:st = [");
    for (int i = 0; i < fm_surface_corner_count(surface); i++)
        fm_writer_print(writer, i ? ", (%.9g, %.9g)" : "(%.9g, %.9g)",
                        surface->corner_uv[2 * (size_t)i], surface->corner_uv[2 * (size_t)i + 1]);
    fm_writer_print(writer, "] (\n            interpolation = \"faceVarying\"\n        )\n");
}

// The part of an object that one USD prim holds: its faces, its lines or its isolated points.
typedef struct part {
    const char *type;   // USD type of the prim
    const char *suffix; // appended to the prim's name if the object has several prims
    const int *points;  // [count] indices of the object's points; NULL: all points
    int count;
} part;

// Writes one time sample: the vectors (x y z each) of the points of the part.
static void write_sample(fm_writer *writer, int time_code, const float *vectors, const part *p)
{
    fm_writer_print(writer, "            %d: [", time_code);
    for (int i = 0; i < p->count; i++) {
        const float *v = vectors + 3 * (size_t)(p->points ? p->points[i] : i);
        fm_writer_print(writer, i ? ", (%.9g, %.9g, %.9g)" : "(%.9g, %.9g, %.9g)", v[0], v[1],
                        v[2]);
    }
    fm_writer_print(writer, "],\n");
}

// Writes the time samples of a field with three components, or of the points if `field` is NULL.
// bounds, [frame_count][6] or NULL, receives the bounding boxes of the frames.
static void write_samples(fm_writer *writer, const fm_clip *clip, int object,
                          const fm_surface *base, const part *p, const char *field, float *bounds,
                          fm_error *err)
{
    for (int i = 0; i < clip->frame_count && err->status == FM_OK; i++) {
        fm_surface *frame = fm_clip_read_same_mesh(clip, object, i, base, err);
        if (!frame)
            return;
        const float *values = field ? fm_surface_values(frame, field, 3) : frame->points;
        if (values)
            write_sample(writer, clip->first + i * clip->stride, values, p);
        if (bounds)
            fm_surface_bounds(frame, bounds + 6 * (size_t)i, bounds + 6 * (size_t)i + 3);
        fm_surface_destroy(frame);
    }
}

// Writes the attributes of a prim that do not change with time: faces of a mesh, vertex counts of
// curves, width. polylines: the lines joined to polylines.
static void write_topology(fm_writer *writer, const fm_surface *base, const part *p,
                           const fm_polylines *polylines)
{
    const float *radius = fm_surface_values(base, "radius", 1);
    if (strcmp(p->type, "Mesh") == 0) {
        fm_writer_print(writer, "        uniform token subdivisionScheme = \"none\"\n"
                                "        uniform bool doubleSided = 1\n");
        write_faces(writer, base);
        if (base->corner_uv)
            write_uv(writer, base);
        return;
    }
    if (strcmp(p->type, "BasisCurves") == 0) {
        fm_writer_print(writer, "        uniform token type = \"linear\"\n"
                                "        int[] curveVertexCounts = [");
        for (int i = 0; i < polylines->count; i++)
            fm_writer_print(writer, i ? ", %d" : "%d",
                            polylines->start[i + 1] - polylines->start[i]);
        fm_writer_print(writer, "]\n");
    }
    if (radius && p->count > 0)
        fm_writer_print(writer,
                        "        float[] widths = [%.9g] (\n"
                        "            interpolation = \"constant\"\n        )\n",
                        2 * radius[p->points ? p->points[0] : 0]);
}

// Writes one prim: mesh, curves or points of an object. bounds: [frame_count][6], scratch.
static void write_prim(fm_writer *writer, const fm_clip *clip, int object, const fm_surface *base,
                       const part *p, const fm_polylines *polylines, float *bounds, fm_error *err)
{
    static const part ends = {.count = 2}; // two vectors: the corners of a bounding box
    fm_writer_print(writer, "\n    def %s \"", p->type);
    write_identifier(writer, base->name, object);
    fm_writer_print(writer, "%s\"\n    {\n", p->suffix);
    write_topology(writer, base, p, polylines);
    fm_writer_print(writer, "        point3f[] points.timeSamples = {\n");
    write_samples(writer, clip, object, base, p, NULL, bounds, err);
    fm_writer_print(writer, "        }\n        float3[] extent.timeSamples = {\n");
    for (int i = 0; i < clip->frame_count; i++)
        write_sample(writer, clip->first + i * clip->stride, bounds + 6 * (size_t)i, &ends);
    fm_writer_print(writer, "        }\n");
    if (fm_surface_values(base, "normal", 3)) {
        fm_writer_print(writer, "        normal3f[] normals.timeSamples = {\n");
        write_samples(writer, clip, object, base, p, "normal", NULL, err);
        fm_writer_print(writer, "        }\n"); // one normal per vertex is USD's default
    }
    if (fm_surface_values(base, "velocity", 3)) {
        fm_writer_print(writer, "        vector3f[] velocities.timeSamples = {\n");
        write_samples(writer, clip, object, base, p, "velocity", NULL, err);
        fm_writer_print(writer, "        }\n");
    }
    fm_writer_print(writer, "    }\n");
}

// Writes the prims of an object: its faces, its lines and its isolated points.
static void write_object(fm_writer *writer, const fm_clip *clip, int object, fm_error *err)
{
    fm_surface *base = fm_clip_read_frame(clip, object, 0, err);
    float *bounds = calloc((size_t)clip->frame_count, 6 * sizeof *bounds);
    fm_polylines polylines = {0};
    int isolated_count = 0, *isolated = NULL;
    if (!bounds)
        fm_fail_no_memory(err, "usda", 6 * sizeof *bounds * (size_t)clip->frame_count);
    if (base && bounds) {
        fm_mesh_view view = fm_surface_view(base, NULL);
        if (fm_polylines_create(&polylines, &view, err))
            isolated = fm_mesh_find_isolated_points(&view, &isolated_count, err);
    }
    if (isolated) {
        bool faces = base->face_count > 0, lines = base->line_count > 0;
        part mesh = {"Mesh", "", NULL, base->point_count};
        part curves = {"BasisCurves", faces ? "_lines" : "", polylines.points,
                       polylines.start[polylines.count]};
        part points = {"Points", faces || lines ? "_points" : "", isolated, isolated_count};
        if (faces)
            write_prim(writer, clip, object, base, &mesh, &polylines, bounds, err);
        if (lines)
            write_prim(writer, clip, object, base, &curves, &polylines, bounds, err);
        if (isolated_count > 0 || (!faces && !lines))
            write_prim(writer, clip, object, base, &points, &polylines, bounds, err);
    }
    free(isolated);
    fm_polylines_destroy(&polylines);
    fm_surface_destroy(base);
    free(bounds);
}

// Writes the objects of a clip as one USD file.
bool fm_usda_write(const char *path, const fm_clip *clip, fm_error *err)
{
    fm_writer *writer = fm_writer_open(path, err);
    fm_writer_print(writer,
                    "#usda 1.0\n(\n    defaultPrim = \"scene\"\n    metersPerUnit = 1\n"
                    "    upAxis = \"Y\"\n    startTimeCode = %d\n    endTimeCode = %d\n"
                    "    timeCodesPerSecond = %.12g\n    framesPerSecond = %.12g\n)\n\n"
                    "def Xform \"scene\"\n{\n",
                    clip->first, clip->first + (clip->frame_count - 1) * clip->stride, clip->fps,
                    clip->fps);
    for (int i = 0; i < clip->object_count && err->status == FM_OK; i++)
        write_object(writer, clip, i, err);
    fm_writer_print(writer, "}\n");
    return fm_writer_close(writer, false);
}
