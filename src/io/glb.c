// SPDX-License-Identifier: MIT
// glb.c: writes a clip as binary glTF 2.0 [GLTF2]. Each object is a mesh with up to three
// primitives, its triangles, its lines and its isolated points, animated by morph targets.
//
// The base mesh is the first frame. Morph target i stores frame i + 1 minus the base, for points
// and normals. At the time of a frame, its own target has weight 1 and all others have weight 0, so
// that linear interpolation of the weights interpolates the points linearly. There are
// frames x (frames - 1) weights, and viewers keep all targets in graphics memory. FM_GLB_FRAMES_MAX
// bounds both: three.js stores targets in the layers of a texture array, and graphics cards need
// not support more than 256 layers.
//
// Where points have several texture coordinates, at seams, they are split into one vertex for each.
// glTF counts v from the top of a picture, so 1 - v is written.
//
// File: header | JSON chunk | BIN chunk with indices, points, normals, targets and texture
// coordinates of each object, then times, then weights.
#include "io/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VECTOR_BYTES = 12, INDEX_BYTES = 4 };        // x y z as floats; a point index
enum { HEADER_BYTES = 12, CHUNK_HEADER_BYTES = 8 }; // headers of the file and of a chunk

// glTF codes of component types and buffer uses
enum { FLOAT = 5126, UNSIGNED_INT = 5125, ARRAY_BUFFER = 34962, ELEMENT_ARRAY_BUFFER = 34963 };

// The triangles, lines or points of a mesh: a range of its indices.
typedef struct primitive {
    enum { POINTS = 0, LINES = 1, TRIANGLES = 4 } mode;
    int first, count; // range in mesh.indices
} primitive;

// An object of the export.
typedef struct mesh {
    fm_surface *base;         // first frame of the object, split at seams
    fm_surface *first;        // first frame before it was split; NULL: it has no coordinates
    fm_texture_points points; // its vertices
    float *normals;           // normals of `base`
    float *bounds; // [frame][6], smallest and largest x y z of base (frame 0) and targets
    int *indices;  // point indices of all primitives, one primitive after another
    primitive primitives[3];
    int primitive_count;
    int first_accessor;                 // number of its first accessor in the glTF
    int first_view;                     // of its buffer views: indices, vertices, coordinates
    uint64_t index_bytes, vertex_bytes; // size of indices, and of points and normals of all frames
    uint64_t uv_bytes;                  // of texture coordinates; 0: none
    int uv_accessor;                    // number of their accessor
} mesh;

// A glTF file that is being written.
typedef struct glb {
    const fm_clip *clip;
    fm_error *err;
    mesh *meshes;
    int targets;                              // morph targets of each mesh: frames - 1
    int accessor_count;                       // accessors of all meshes, without the animation
    int view_count;                           // buffer views of all meshes
    uint64_t time_bytes, weight_bytes, total; // total: bytes of the BIN chunk
} glb;

// Smallest and largest components of `count` vectors.
static void compute_bounds(const float *vectors, int count, float low[3], float high[3])
{
    fm_surface view = {.point_count = count, .points = (float *)(uintptr_t)vectors};
    fm_surface_bounds(&view, low, high);
}

// a -= b
static void subtract(float *a, const float *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] -= b[i];
}

// Splits a frame, which it destroys, at the seams of the mesh. normals: of the points of the frame,
// becomes those of the vertices; has room for them. NULL: none.
static fm_surface *split_frame(const mesh *m, fm_surface *frame, float *normals, fm_error *err)
{
    fm_surface *split = fm_texture_points_split(&m->points, frame, err);
    for (int i = m->points.count - 1; i >= 0 && normals; i--)
        memmove(normals + 3 * (size_t)i, normals + 3 * (size_t)m->points.point[i],
                3 * sizeof *normals);
    fm_surface_destroy(frame);
    return split;
}

// Reads frame i of an object as a morph target: its points minus those of the base. normals:
// receives the differences of the normals, or NULL.
static fm_surface *read_target(glb *g, int object, int i, float *normals)
{
    mesh *m = &g->meshes[object];
    const fm_surface *same = m->first ? m->first : m->base;
    fm_surface *frame = fm_clip_read_same_mesh(g->clip, object, i, same, g->err);
    if (frame && normals)
        fm_surface_normals(frame, normals);
    if (frame && m->first)
        frame = split_frame(m, frame, normals, g->err);
    if (!frame)
        return NULL;
    size_t count = 3 * (size_t)frame->point_count;
    if (normals)
        subtract(normals, m->normals, count);
    subtract(frame->points, m->base->points, count);
    return frame;
}

// Adds a primitive for the next `count` indices after *at, unless there are none; advances *at.
static void add_primitive(mesh *m, int mode, int count, int *at)
{
    if (count > 0)
        m->primitives[m->primitive_count++] = (primitive){mode, *at, count};
    *at += count;
}

// Fills the indices of the triangles, lines and isolated points of the base mesh.
static bool fill_indices(mesh *m, fm_error *err)
{
    fm_mesh_view view = fm_surface_view(m->base, NULL);
    int isolated_count, at = 0, triangles = 3 * fm_mesh_count_triangles(&view);
    int *isolated = fm_mesh_find_isolated_points(&view, &isolated_count, err);
    if (!isolated)
        return false;
    size_t count = (size_t)triangles + 2 * (size_t)view.line_count + (size_t)isolated_count;
    m->indices = malloc((count + 1) * sizeof *m->indices);
    if (m->indices) {
        fm_mesh_triangulate(&view, m->indices);
        memcpy(m->indices + triangles, view.lines, 2 * (size_t)view.line_count * sizeof(int));
        memcpy(m->indices + triangles + 2 * (size_t)view.line_count, isolated,
               (size_t)isolated_count * sizeof(int));
        add_primitive(m, TRIANGLES, triangles, &at);
        add_primitive(m, LINES, 2 * view.line_count, &at);
        add_primitive(m, POINTS, isolated_count, &at);
        m->index_bytes = sizeof(uint32_t) * count;
    } else {
        fm_fail_no_memory(err, m->base->name, count * sizeof *m->indices);
    }
    free(isolated);
    return m->indices != NULL;
}

// Splits the first frame of an object at its seams.
static bool split_base(glb *g, mesh *m)
{
    m->first = m->base;
    m->base = fm_texture_points_create(&m->points, m->first, g->err)
                  ? fm_texture_points_split(&m->points, m->first, g->err)
                  : NULL;
    return m->base != NULL;
}

// Reads the first frame of an object as base mesh; computes normals, bounds and sizes in bytes.
static bool prepare_mesh(glb *g, int object)
{
    mesh *m = &g->meshes[object];
    m->base = fm_clip_read_frame(g->clip, object, 0, g->err);
    if (!m->base)
        return false;
    if (m->base->point_count == 0)
        return fm_fail(g->err, FM_BAD_VALUE, m->base->name, "points", "none",
                       "points, in this format");
    if (m->base->corner_uv && !split_base(g, m))
        return false;
    size_t points = (size_t)m->base->point_count;
    m->normals = malloc(3 * points * sizeof(float));
    m->bounds = malloc(6 * (size_t)g->clip->frame_count * sizeof(float));
    if (!m->normals || !m->bounds)
        return fm_fail_no_memory(g->err, m->base->name, 3 * points * sizeof(float));
    fm_surface_normals(m->first ? m->first : m->base, m->normals);
    for (int i = m->points.count - 1; i >= 0; i--)
        memmove(m->normals + 3 * (size_t)i, m->normals + 3 * (size_t)m->points.point[i],
                3 * sizeof(float));
    compute_bounds(m->base->points, m->base->point_count, m->bounds, m->bounds + 3);
    for (int i = 1; i < g->clip->frame_count; i++) {
        fm_surface *target = read_target(g, object, i, NULL);
        if (!target)
            return false;
        float *bounds = m->bounds + 6 * (size_t)i;
        compute_bounds(target->points, target->point_count, bounds, bounds + 3);
        fm_surface_destroy(target);
    }
    if (!fill_indices(m, g->err))
        return false;
    m->first_accessor = g->accessor_count;
    // One accessor for the indices of each primitive, two (points, normals) for each frame.
    g->accessor_count += m->primitive_count + 2 * g->clip->frame_count;
    m->vertex_bytes = 6 * sizeof(float) * points * (uint64_t)g->clip->frame_count;
    m->uv_bytes = 2 * sizeof(float) * (uint64_t)m->points.count;
    m->uv_accessor = g->accessor_count;
    g->accessor_count += m->uv_bytes > 0;
    m->first_view = g->view_count;
    g->view_count += m->uv_bytes > 0 ? 3 : 2;
    g->total += m->index_bytes + m->vertex_bytes + m->uv_bytes;
    return true;
}

// Writes a JSON string.
static void write_string(fm_writer *json, const char *text)
{
    fm_writer_print(json, "\"");
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || *text == '"' || *text == '\\')
            fm_writer_print(json, "\\u%04x", (unsigned char)*text);
        else
            fm_writer_write(json, text, 1);
    }
    fm_writer_print(json, "\"");
}

// Writes the JSON of primitive `number` of a mesh. The accessors of a mesh are in this order:
// indices of the first primitive; points and normals of the base and of each target; indices of the
// other primitives.
static void describe_primitive(const glb *g, const mesh *m, int number, fm_writer *json)
{
    int first = m->first_accessor;
    int indices = number == 0 ? first : first + 2 * g->clip->frame_count + number;
    fm_writer_print(json,
                    "%s{\"mode\":%d,\"material\":0,\"indices\":%d,"
                    "\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d",
                    number ? "," : "", m->primitives[number].mode, indices, first + 1, first + 2);
    if (m->uv_bytes > 0)
        fm_writer_print(json, ",\"TEXCOORD_0\":%d", m->uv_accessor);
    fm_writer_print(json, "}");
    for (int i = 0; i < g->targets; i++)
        fm_writer_print(json, "%s{\"POSITION\":%d,\"NORMAL\":%d}%s", i ? "," : ",\"targets\":[",
                        first + 3 + 2 * i, first + 4 + 2 * i, i + 1 == g->targets ? "]" : "");
    fm_writer_print(json, "}");
}

// Writes the JSON of the meshes.
static void describe_meshes(const glb *g, fm_writer *json)
{
    for (int k = 0; k < g->clip->object_count; k++) {
        fm_writer_print(json, "%s{\"name\":", k ? "," : "");
        write_string(json, g->meshes[k].base->name);
        fm_writer_print(json, ",\"primitives\":[");
        for (int i = 0; i < g->meshes[k].primitive_count; i++)
            describe_primitive(g, &g->meshes[k], i, json);
        fm_writer_print(json, "]}");
    }
}

// Writes the JSON of scene, nodes (one per object) and the material.
static void describe_nodes(const glb *g, fm_writer *json)
{
    int objects = g->clip->object_count;
    fm_writer_print(json, "\"scene\":0,\"scenes\":[{\"nodes\":[");
    for (int k = 0; k < objects; k++)
        fm_writer_print(json, "%s%d", k ? "," : "", k);
    fm_writer_print(json, "]}],\"nodes\":[");
    for (int k = 0; k < objects; k++) {
        fm_writer_print(json, "%s{\"mesh\":%d,\"name\":", k ? "," : "", k);
        write_string(json, g->meshes[k].base->name);
        fm_writer_print(json, "}");
    }
    fm_writer_print(json, "],\"materials\":[{\"name\":\"cloth\",\"doubleSided\":true,"
                          "\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.8,0.8,0.8,1],"
                          "\"metallicFactor\":0,\"roughnessFactor\":0.9}}],");
}

// Writes the JSON of the animation: the weights of the morph targets over time.
static void describe_animation(const glb *g, fm_writer *json)
{
    if (g->targets == 0)
        return;
    int objects = g->clip->object_count, times = g->accessor_count;
    fm_writer_print(json,
                    "\"animations\":[{\"name\":\"run\",\"samplers\":[{\"input\":%d,\"output\":%d,"
                    "\"interpolation\":\"LINEAR\"}],\"channels\":[",
                    times, times + 1);
    for (int k = 0; k < objects; k++)
        fm_writer_print(json, "%s{\"sampler\":0,\"target\":{\"node\":%d,\"path\":\"weights\"}}",
                        k ? "," : "", k);
    fm_writer_print(json, "]}],");
}

// Time of a frame of the clip, s, from its first frame.
static float frame_time(const glb *g, int frame)
{
    return (float)(frame * g->clip->stride / g->clip->fps);
}

// Writes the JSON of the accessors: which part of the binary data holds indices, points and normals
// of each frame, times and weights.
static void describe_accessors(const glb *g, fm_writer *json)
{
    int objects = g->clip->object_count, frames = g->clip->frame_count;
    for (int k = 0; k < objects; k++) {
        const mesh *m = &g->meshes[k];
        int points = m->base->point_count;
        fm_writer_print(json,
                        "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,"
                        "\"type\":\"SCALAR\"}",
                        k ? "," : "", m->first_view, UNSIGNED_INT, m->primitives[0].count);
        for (int i = 0; i < frames; i++) {
            const float *b = m->bounds + 6 * (size_t)i;
            // points, then normals of each frame
            unsigned long long at =
                2ull * VECTOR_BYTES * (unsigned long long)points * (unsigned long long)i;
            fm_writer_print(json,
                            ",{\"bufferView\":%d,\"byteOffset\":%llu,\"componentType\":%d,"
                            "\"count\":%d,\"type\":\"VEC3\",\"min\":[%.9g,%.9g,%.9g],"
                            "\"max\":[%.9g,%.9g,%.9g]}",
                            m->first_view + 1, at, FLOAT, points, b[0], b[1], b[2], b[3], b[4],
                            b[5]);
            fm_writer_print(json,
                            ",{\"bufferView\":%d,\"byteOffset\":%llu,\"componentType\":%d,"
                            "\"count\":%d,\"type\":\"VEC3\"}",
                            m->first_view + 1, at + VECTOR_BYTES * (unsigned long long)points,
                            FLOAT, points);
        }
        for (int i = 1; i < m->primitive_count; i++)
            fm_writer_print(json,
                            ",{\"bufferView\":%d,\"byteOffset\":%llu,\"componentType\":%d,"
                            "\"count\":%d,\"type\":\"SCALAR\"}",
                            m->first_view, INDEX_BYTES * (unsigned long long)m->primitives[i].first,
                            UNSIGNED_INT, m->primitives[i].count);
        if (m->uv_bytes > 0)
            fm_writer_print(json,
                            ",{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,"
                            "\"type\":\"VEC2\"}",
                            m->first_view + 2, FLOAT, points);
    }
    if (g->targets == 0)
        return;
    fm_writer_print(json,
                    ",{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"SCALAR\","
                    "\"min\":[0],\"max\":[%.9g]}",
                    g->view_count, FLOAT, frames, frame_time(g, frames - 1));
    fm_writer_print(json,
                    ",{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"SCALAR\"}",
                    g->view_count + 1, FLOAT, frames * g->targets);
}

// Writes a buffer view of `bytes` bytes at *at with the extra JSON keys `more`; advances *at.
static void describe_buffer_view(fm_writer *json, uint64_t *at, uint64_t bytes, const char *more)
{
    fm_writer_print(json, "%s{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu%s}",
                    *at ? "," : "", (unsigned long long)*at, (unsigned long long)bytes, more);
    *at += bytes;
}

// Writes the whole JSON of the glTF; the other describe functions write its parts.
static void describe_all(const glb *g, fm_writer *json)
{
    fm_writer_print(json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Fathom\"},");
    describe_nodes(g, json);
    describe_animation(g, json);
    fm_writer_print(json, "\"meshes\":[");
    describe_meshes(g, json);
    fm_writer_print(json, "],\"accessors\":[");
    describe_accessors(g, json);
    fm_writer_print(json, "],\"bufferViews\":[");
    char indices[32], vertices[64], uv[64];
    snprintf(indices, sizeof indices, ",\"target\":%d", ELEMENT_ARRAY_BUFFER);
    snprintf(vertices, sizeof vertices, ",\"byteStride\":12,\"target\":%d", ARRAY_BUFFER);
    snprintf(uv, sizeof uv, ",\"byteStride\":8,\"target\":%d", ARRAY_BUFFER);
    uint64_t at = 0;
    for (int k = 0; k < g->clip->object_count; k++) {
        describe_buffer_view(json, &at, g->meshes[k].index_bytes, indices);
        describe_buffer_view(json, &at, g->meshes[k].vertex_bytes, vertices);
        if (g->meshes[k].uv_bytes > 0)
            describe_buffer_view(json, &at, g->meshes[k].uv_bytes, uv);
    }
    if (g->targets > 0) {
        describe_buffer_view(json, &at, g->time_bytes, "");
        describe_buffer_view(json, &at, g->weight_bytes, "");
    }
    fm_writer_print(json, "],\"buffers\":[{\"byteLength\":%llu}]}", (unsigned long long)g->total);
}

// Writes two 32-bit words.
static void write_words(fm_writer *writer, uint32_t a, uint32_t b)
{
    uint32_t words[2] = {a, b};
    fm_writer_write(writer, words, sizeof words);
}

// Writes the file header, the JSON chunk, padded with blanks to a multiple of 4 bytes, and the
// header of the BIN chunk, whose size is a multiple of 4 already.
static void write_headers(const glb *g, fm_writer *writer)
{
    fm_writer *text = fm_writer_open_memory(g->err);
    describe_all(g, text);
    size_t size;
    char *json = fm_writer_take_memory(text, &size);
    if (!json)
        return;
    size_t padded = (size + 3) / 4 * 4;
    uint64_t total = HEADER_BYTES + 2 * CHUNK_HEADER_BYTES + padded + g->total;
    if (total > UINT32_MAX) {
        fm_fail(g->err, FM_BAD_VALUE, "export", "glb", "more than 4 GB",
                "4 GB: take fewer frames or objects");
    } else {
        write_words(writer, 0x46546C67, 2); // "glTF", version
        uint32_t length = (uint32_t)total;
        fm_writer_write(writer, &length, sizeof length);
        write_words(writer, (uint32_t)padded, 0x4E4F534A); // "JSON"
        fm_writer_write(writer, json, size);
        fm_writer_write(writer, "   ", padded - size);
        write_words(writer, (uint32_t)g->total, 0x004E4942); // "BIN"
    }
    free(json);
}

// Writes indices, base and morph targets of an object to the binary chunk.
static void write_mesh(glb *g, fm_writer *writer, int object)
{
    const mesh *m = &g->meshes[object];
    size_t bytes = 3 * sizeof(float) * (size_t)m->base->point_count;
    float *normals = malloc(bytes);
    if (!normals)
        fm_fail_no_memory(g->err, m->base->name, bytes);
    fm_writer_write(writer, m->indices, m->index_bytes);
    fm_writer_write(writer, m->base->points, bytes);
    fm_writer_write(writer, m->normals, bytes);
    for (int i = 1; i < g->clip->frame_count && g->err->status == FM_OK; i++) {
        fm_surface *target = read_target(g, object, i, normals);
        if (target) {
            fm_writer_write(writer, target->points, bytes);
            fm_writer_write(writer, normals, bytes);
        }
        fm_surface_destroy(target);
    }
    for (int i = 0; i < m->points.count; i++) {
        const float *from = m->points.uv + 2 * (size_t)i, uv[2] = {from[0], 1 - from[1]};
        fm_writer_write(writer, uv, sizeof uv);
    }
    free(normals);
}

// Writes frame times and target weights to the binary chunk: at frame i, target i - 1 has weight 1
// and all others 0.
static void write_animation(const glb *g, fm_writer *writer)
{
    for (int i = 0; i < g->clip->frame_count && g->targets > 0; i++) {
        float time = frame_time(g, i);
        fm_writer_write(writer, &time, sizeof time);
    }
    for (int i = 0; i < g->clip->frame_count; i++) {
        for (int k = 0; k < g->targets; k++) {
            float weight = k + 1 == i;
            fm_writer_write(writer, &weight, sizeof weight);
        }
    }
}

// Prepares the meshes of all objects, and the sizes of times and weights.
static bool prepare_meshes(glb *g)
{
    for (int k = 0; k < g->clip->object_count; k++)
        if (!prepare_mesh(g, k))
            return false;
    if (g->targets > 0) {
        g->time_bytes = sizeof(float) * (uint64_t)g->clip->frame_count;
        g->weight_bytes = g->time_bytes * (uint64_t)g->targets;
        g->total += g->time_bytes + g->weight_bytes;
    }
    return true;
}

// Writes the whole file.
static bool write_file(glb *g, const char *path)
{
    fm_writer *writer = fm_writer_open(path, g->err);
    if (!writer)
        return false;
    write_headers(g, writer);
    for (int k = 0; k < g->clip->object_count && g->err->status == FM_OK; k++)
        write_mesh(g, writer, k);
    write_animation(g, writer);
    return fm_writer_close(writer, false);
}

// Writes the objects of a clip as one glTF file.
bool fm_glb_write(const char *path, const fm_clip *clip, fm_error *err)
{
    glb g = {.clip = clip, .err = err, .targets = clip->frame_count - 1};
    g.meshes = calloc((size_t)clip->object_count, sizeof *g.meshes);
    if (!g.meshes)
        return fm_fail_no_memory(err, "glb", (size_t)clip->object_count * sizeof *g.meshes);
    bool good = prepare_meshes(&g) && write_file(&g, path);
    for (int k = 0; k < clip->object_count; k++) {
        fm_surface_destroy(g.meshes[k].base);
        fm_surface_destroy(g.meshes[k].first);
        fm_texture_points_destroy(&g.meshes[k].points);
        free(g.meshes[k].normals);
        free(g.meshes[k].bounds);
        free(g.meshes[k].indices);
    }
    free(g.meshes);
    return good;
}
