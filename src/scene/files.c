// SPDX-License-Identifier: MIT
// files.c: files that scenes name, and colliders made of them. What reads them is handed in: the
// scene knows where files are, not what is in them.
#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool fm_file_path(const fm_node *node, char *path, size_t size)
{
    const char *folder = node->place.source ? node->place.source->folder : "";
    char here[4096];
    int length;
    if (node->text[0] == '/')
        length = snprintf(path, size, "%s", node->text);
    else if (folder[0] == '/')
        length = snprintf(path, size, "%s%s", folder, node->text);
    else if (getcwd(here, sizeof here))
        length = snprintf(path, size, "%s/%s%s", here, folder, node->text);
    else
        return false;
    return length >= 0 && (size_t)length < size;
}

// What fm_error says about a file, with the place in the scene that names it before it.
static void blame_file(fm_error *err, const fm_node *node, const char *section, const char *key)
{
    node = fm_node_find(node, section);
    const fm_node *file = node ? fm_node_find(node, key) : NULL;
    if (err->status == FM_OK || err->status == FM_NO_MEMORY || !file)
        return;
    char where[160], text[sizeof err->text];
    fm_place_text(file->place, where, sizeof where);
    memcpy(text, err->text, sizeof text);
    snprintf(err->text, sizeof err->text, "%.120s: %.195s", where, text);
}

// p -> origin + rotation (scale p)
static fm_vec3 put(const fm_scene_solid *mesh, fm_vec3 p)
{
    return fm_add(mesh->origin, fm_quat_rotate(mesh->rotation, fm_scale(p, mesh->scale)));
}

static bool read_frames(const fm_scene_collider *collider, const fm_mesh_loader *loader,
                        int vertex_count, fm_collider_mesh *mesh, fm_frame_data *frames,
                        fm_error *err)
{
    static const char *const keys[] = {"", "files", "pc2", "mdd"};
    const fm_scene_animation *a = &collider->animation;
    if (a->kind == 0)
        return true;
    fm_frames_format format = (fm_frames_format)(a->kind - 1);
    if (!loader->read_frames(loader->context, a->file, format, vertex_count, frames, err)) {
        blame_file(err, collider->thing.node, "animation", keys[a->kind]);
        return false;
    }
    size_t count = (size_t)frames->frame_count * (size_t)vertex_count;
    for (size_t i = 0; i < count; i++) {
        float *p = frames->positions + 3 * i;
        fm_vec3 x = put(&collider->mesh, (fm_vec3){p[0], p[1], p[2]});
        p[0] = (float)x.x, p[1] = (float)x.y, p[2] = (float)x.z;
    }
    double fps = a->fps > 0 ? a->fps : frames->fps > 0 ? frames->fps : 24;
    mesh->frames = frames->positions;
    mesh->frame_count = frames->frame_count;
    mesh->fps = fps / frames->step;
    mesh->start = a->start + frames->first / fps;
    mesh->interpolation = (fm_interpolation)a->interpolation;
    return true;
}

bool fm_scene_make_mesh(const fm_scene_collider *collider, const fm_mesh_loader *loader,
                        fm_world *world, const fm_collider_def *def, fm_error *err)
{
    if (!loader)
        return fm_fail(err, FM_BAD_VALUE, collider->thing.name, "mesh.file", collider->mesh.file,
                       "none where there is nothing to read files with");
    fm_mesh_data data = {0};
    fm_frame_data frames = {0};
    if (!loader->read_mesh(loader->context, collider->mesh.file, &data, err)) {
        blame_file(err, collider->thing.node, "mesh", "file");
        return false;
    }
    for (int i = 0; i < data.vertex_count; i++)
        data.vertices[i] = put(&collider->mesh, data.vertices[i]);
    fm_collider_mesh mesh = {
        .vertices = data.vertices,
        .vertex_count = data.vertex_count,
        .triangles = data.triangles,
        .triangle_count = data.triangle_count,
        .thickness = collider->mesh.thickness,
    };
    if (read_frames(collider, loader, data.vertex_count, &mesh, &frames, err) &&
        !fm_collider_create_mesh(world, def, &mesh, err))
        blame_file(err, collider->thing.node, "mesh", "file");
    free(data.vertices);
    free(data.triangles);
    free(frames.positions);
    return err->status == FM_OK;
}
