// SPDX-License-Identifier: MIT
// glb.c: a clip as binary glTF 2.0: a triangle mesh for each object, animated by morph targets.
//
// The mesh is the first frame. Target i holds what the points and normals of frame i + 1 add to it;
// at the time of a frame its own target has weight 1 and all others 0, and linear interpolation of
// the weights is linear interpolation of the points. The weights are frames x (frames - 1) numbers
// and viewers keep all targets in graphics memory: FM_GLB_FRAMES_MAX bounds both (graphics cards
// need not take more than 256 layers of a texture, which is where three.js keeps targets).
//
//   bytes: header | JSON chunk | BIN chunk: per object indices, points, normals, targets; times;
//   weights
//
// Khronos Group: glTF 2.0 Specification, https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html
#include "io/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FLOAT = 5126, UNSIGNED_INT = 5125, ARRAY_BUFFER = 34962, ELEMENT_ARRAY_BUFFER = 34963 };

typedef struct mesh {
    fm_surface *base;
    float *normals;   // of the base
    float *bounds;    // [frame][6]: of the base's points, then of what targets add
    uint64_t indices; // three per triangle
    uint64_t index_bytes, vertex_bytes;
} mesh;

typedef struct glb {
    const fm_clip *clip;
    fm_error *err;
    mesh *meshes;
    int targets;
    uint64_t time_bytes, weight_bytes, total;
} glb;

static void bounds_of(const float *vectors, int count, float low[3], float high[3])
{
    fm_surface view = {.point_count = count, .points = (float *)(uintptr_t)vectors};
    fm_surface_bounds(&view, low, high);
}

static void subtract(float *a, const float *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] -= b[i];
}

// What frame i adds to the base: points in the frame itself, normals where the caller has room.
static fm_surface *read_target(glb *g, int object, int i, float *normals)
{
    mesh *m = &g->meshes[object];
    fm_surface *frame = fm_clip_read_like(g->clip, object, i, m->base, g->err);
    if (!frame)
        return NULL;
    size_t count = 3 * (size_t)frame->point_count;
    if (normals) {
        fm_surface_normals(frame, normals);
        subtract(normals, m->normals, count);
    }
    subtract(frame->points, m->base->points, count);
    return frame;
}

static bool open_mesh(glb *g, int object)
{
    mesh *m = &g->meshes[object];
    m->base = fm_clip_read(g->clip, object, 0, g->err);
    if (!m->base)
        return false;
    if (m->base->point_count == 0 || m->base->face_count == 0)
        return fm_fail(g->err, FM_BAD_VALUE, m->base->name, "points", "none",
                       "points and faces, in this format");
    size_t points = (size_t)m->base->point_count;
    m->normals = malloc(3 * points * sizeof(float));
    m->bounds = malloc(6 * (size_t)g->clip->frame_count * sizeof(float));
    if (!m->normals || !m->bounds)
        return fm_fail_no_memory(g->err, m->base->name, 3 * points * sizeof(float));
    fm_surface_normals(m->base, m->normals);
    bounds_of(m->base->points, m->base->point_count, m->bounds, m->bounds + 3);
    for (int i = 1; i < g->clip->frame_count; i++) {
        fm_surface *target = read_target(g, object, i, NULL);
        if (!target)
            return false;
        float *bounds = m->bounds + 6 * (size_t)i;
        bounds_of(target->points, target->point_count, bounds, bounds + 3);
        fm_surface_destroy(target);
    }
    m->indices =
        3 * ((uint64_t)fm_surface_corner_count(m->base) - 2 * (uint64_t)m->base->face_count);
    m->index_bytes = sizeof(uint32_t) * m->indices;
    m->vertex_bytes = 6 * sizeof(float) * points * (uint64_t)g->clip->frame_count;
    g->total += m->index_bytes + m->vertex_bytes;
    return true;
}

static void write_string(fm_writer *json, const char *text)
{
    fm_write_text(json, "\"");
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || *text == '"' || *text == '\\')
            fm_write_text(json, "\\u%04x", (unsigned char)*text);
        else
            fm_write(json, text, 1);
    }
    fm_write_text(json, "\"");
}

static int accessors_of_mesh(const glb *g)
{
    return 1 + 2 * g->clip->frame_count; // indices; points and normals of the base and the targets
}

static void describe_meshes(const glb *g, fm_writer *json)
{
    for (int k = 0; k < g->clip->object_count; k++) {
        int first = k * accessors_of_mesh(g);
        fm_write_text(json, "%s{\"name\":", k ? "," : "");
        write_string(json, g->meshes[k].base->name);
        fm_write_text(json,
                      ",\"primitives\":[{\"mode\":4,\"material\":0,\"indices\":%d,"
                      "\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d}",
                      first, first + 1, first + 2);
        for (int i = 0; i < g->targets; i++)
            fm_write_text(json, "%s{\"POSITION\":%d,\"NORMAL\":%d}%s", i ? "," : ",\"targets\":[",
                          first + 3 + 2 * i, first + 4 + 2 * i, i + 1 == g->targets ? "]" : "");
        fm_write_text(json, "}]}");
    }
}

static void describe_nodes(const glb *g, fm_writer *json)
{
    int objects = g->clip->object_count;
    fm_write_text(json, "\"scene\":0,\"scenes\":[{\"nodes\":[");
    for (int k = 0; k < objects; k++)
        fm_write_text(json, "%s%d", k ? "," : "", k);
    fm_write_text(json, "]}],\"nodes\":[");
    for (int k = 0; k < objects; k++) {
        fm_write_text(json, "%s{\"mesh\":%d,\"name\":", k ? "," : "", k);
        write_string(json, g->meshes[k].base->name);
        fm_write_text(json, "}");
    }
    fm_write_text(json, "],\"materials\":[{\"name\":\"cloth\",\"doubleSided\":true,"
                        "\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.8,0.8,0.8,1],"
                        "\"metallicFactor\":0,\"roughnessFactor\":0.9}}],");
}

static void describe_animation(const glb *g, fm_writer *json)
{
    if (g->targets == 0)
        return;
    int objects = g->clip->object_count, times = objects * accessors_of_mesh(g);
    fm_write_text(json,
                  "\"animations\":[{\"name\":\"run\",\"samplers\":[{\"input\":%d,\"output\":%d,"
                  "\"interpolation\":\"LINEAR\"}],\"channels\":[",
                  times, times + 1);
    for (int k = 0; k < objects; k++)
        fm_write_text(json, "%s{\"sampler\":0,\"target\":{\"node\":%d,\"path\":\"weights\"}}",
                      k ? "," : "", k);
    fm_write_text(json, "]}],");
}

static float time_of(const glb *g, int frame)
{
    return (float)(frame * g->clip->stride / g->clip->fps);
}

static void describe_accessors(const glb *g, fm_writer *json)
{
    int objects = g->clip->object_count, frames = g->clip->frame_count;
    for (int k = 0; k < objects; k++) {
        const mesh *m = &g->meshes[k];
        int points = m->base->point_count;
        fm_write_text(json,
                      "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%llu,"
                      "\"type\":\"SCALAR\"}",
                      k ? "," : "", 2 * k, UNSIGNED_INT, (unsigned long long)m->indices);
        for (int i = 0; i < frames; i++) {
            const float *b = m->bounds + 6 * (size_t)i;
            unsigned long long at = 24ull * (unsigned long long)points * (unsigned long long)i;
            fm_write_text(json,
                          ",{\"bufferView\":%d,\"byteOffset\":%llu,\"componentType\":%d,"
                          "\"count\":%d,\"type\":\"VEC3\",\"min\":[%.9g,%.9g,%.9g],"
                          "\"max\":[%.9g,%.9g,%.9g]}",
                          2 * k + 1, at, FLOAT, points, b[0], b[1], b[2], b[3], b[4], b[5]);
            fm_write_text(json,
                          ",{\"bufferView\":%d,\"byteOffset\":%llu,\"componentType\":%d,"
                          "\"count\":%d,\"type\":\"VEC3\"}",
                          2 * k + 1, at + 12ull * (unsigned long long)points, FLOAT, points);
        }
    }
    if (g->targets == 0)
        return;
    fm_write_text(json,
                  ",{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"SCALAR\","
                  "\"min\":[0],\"max\":[%.9g]}",
                  2 * objects, FLOAT, frames, time_of(g, frames - 1));
    fm_write_text(json,
                  ",{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"SCALAR\"}",
                  2 * objects + 1, FLOAT, frames * g->targets);
}

static void describe_view(fm_writer *json, uint64_t *at, uint64_t bytes, const char *more)
{
    fm_write_text(json, "%s{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu%s}",
                  *at ? "," : "", (unsigned long long)*at, (unsigned long long)bytes, more);
    *at += bytes;
}

static void describe(const glb *g, fm_writer *json)
{
    fm_write_text(json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Fathom\"},");
    describe_nodes(g, json);
    describe_animation(g, json);
    fm_write_text(json, "\"meshes\":[");
    describe_meshes(g, json);
    fm_write_text(json, "],\"accessors\":[");
    describe_accessors(g, json);
    fm_write_text(json, "],\"bufferViews\":[");
    char indices[32], vertices[64];
    snprintf(indices, sizeof indices, ",\"target\":%d", ELEMENT_ARRAY_BUFFER);
    snprintf(vertices, sizeof vertices, ",\"byteStride\":12,\"target\":%d", ARRAY_BUFFER);
    uint64_t at = 0;
    for (int k = 0; k < g->clip->object_count; k++) {
        describe_view(json, &at, g->meshes[k].index_bytes, indices);
        describe_view(json, &at, g->meshes[k].vertex_bytes, vertices);
    }
    if (g->targets > 0) {
        describe_view(json, &at, g->time_bytes, "");
        describe_view(json, &at, g->weight_bytes, "");
    }
    fm_write_text(json, "],\"buffers\":[{\"byteLength\":%llu}]}", (unsigned long long)g->total);
}

static void write_words(fm_writer *writer, uint32_t a, uint32_t b)
{
    uint32_t words[2] = {a, b};
    fm_write(writer, words, sizeof words);
}

// Header and JSON chunk, filled up with blanks to a multiple of 4, and the head of the BIN chunk,
// which is one already.
static void write_head(const glb *g, fm_writer *writer)
{
    fm_writer *text = fm_writer_open_memory(g->err);
    describe(g, text);
    size_t size;
    char *json = fm_writer_take(text, &size);
    if (!json)
        return;
    size_t padded = (size + 3) / 4 * 4;
    uint64_t total = 12 + 8 + padded + 8 + g->total;
    if (total > UINT32_MAX) {
        fm_fail(g->err, FM_BAD_VALUE, "export", "glb", "more than 4 GB",
                "4 GB: take fewer frames or objects");
    } else {
        write_words(writer, 0x46546C67, 2); // "glTF", version
        uint32_t length = (uint32_t)total;
        fm_write(writer, &length, sizeof length);
        write_words(writer, (uint32_t)padded, 0x4E4F534A); // "JSON"
        fm_write(writer, json, size);
        fm_write(writer, "   ", padded - size);
        write_words(writer, (uint32_t)g->total, 0x004E4942); // "BIN"
    }
    free(json);
}

static void write_triangles(fm_writer *writer, const fm_surface *surface)
{
    for (int i = 0; i < surface->face_count; i++) {
        const int *corner = surface->face_points + surface->face_start[i];
        int count = surface->face_start[i + 1] - surface->face_start[i];
        for (int k = 1; k + 1 < count; k++) {
            uint32_t triangle[3] = {(uint32_t)corner[0], (uint32_t)corner[k],
                                    (uint32_t)corner[k + 1]};
            fm_write(writer, triangle, sizeof triangle);
        }
    }
}

static void write_mesh(glb *g, fm_writer *writer, int object)
{
    const mesh *m = &g->meshes[object];
    size_t bytes = 3 * sizeof(float) * (size_t)m->base->point_count;
    float *normals = malloc(bytes);
    if (!normals)
        fm_fail_no_memory(g->err, m->base->name, bytes);
    write_triangles(writer, m->base);
    fm_write(writer, m->base->points, bytes);
    fm_write(writer, m->normals, bytes);
    for (int i = 1; i < g->clip->frame_count && g->err->status == FM_OK; i++) {
        fm_surface *target = read_target(g, object, i, normals);
        if (target) {
            fm_write(writer, target->points, bytes);
            fm_write(writer, normals, bytes);
        }
        fm_surface_destroy(target);
    }
    free(normals);
}

static void write_animation(const glb *g, fm_writer *writer)
{
    for (int i = 0; i < g->clip->frame_count && g->targets > 0; i++) {
        float time = time_of(g, i);
        fm_write(writer, &time, sizeof time);
    }
    for (int i = 0; i < g->clip->frame_count; i++) {
        for (int k = 0; k < g->targets; k++) {
            float weight = k + 1 == i;
            fm_write(writer, &weight, sizeof weight);
        }
    }
}

static bool open_meshes(glb *g)
{
    for (int k = 0; k < g->clip->object_count; k++)
        if (!open_mesh(g, k))
            return false;
    if (g->targets > 0) {
        g->time_bytes = sizeof(float) * (uint64_t)g->clip->frame_count;
        g->weight_bytes = g->time_bytes * (uint64_t)g->targets;
        g->total += g->time_bytes + g->weight_bytes;
    }
    return true;
}

static bool write_file(glb *g, const char *path)
{
    fm_writer *writer = fm_writer_open(path, g->err);
    if (!writer)
        return false;
    write_head(g, writer);
    for (int k = 0; k < g->clip->object_count && g->err->status == FM_OK; k++)
        write_mesh(g, writer, k);
    write_animation(g, writer);
    return fm_writer_close(writer, false);
}

bool fm_glb_write(const char *path, const fm_clip *clip, fm_error *err)
{
    glb g = {.clip = clip, .err = err, .targets = clip->frame_count - 1};
    g.meshes = calloc((size_t)clip->object_count, sizeof *g.meshes);
    if (!g.meshes)
        return fm_fail_no_memory(err, "glb", (size_t)clip->object_count * sizeof *g.meshes);
    bool good = open_meshes(&g) && write_file(&g, path);
    for (int k = 0; k < clip->object_count; k++) {
        fm_surface_destroy(g.meshes[k].base);
        free(g.meshes[k].normals);
        free(g.meshes[k].bounds);
    }
    free(g.meshes);
    return good;
}
