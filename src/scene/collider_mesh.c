// SPDX-License-Identifier: MIT
// collider_mesh.c: creates colliders from mesh files and their animations. An fm_mesh_loader reads
// the files; this module only knows their paths.
#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Writes the absolute path of the file that a YAML node names; false when it is too long.
bool fm_node_resolve_path(const fm_node *node, char *path, size_t size)
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

// Prefixes the text of err with the place in the scene of the key section.key, which names a file.
static void locate_file_error(fm_error *err, const fm_node *node, const char *section,
                              const char *key)
{
    node = fm_node_find(node, section);
    const fm_node *file = node ? fm_node_find(node, key) : NULL;
    if (err->status == FM_OK || err->status == FM_NO_MEMORY || !file)
        return;
    char where[160], text[sizeof err->text];
    fm_place_format(file->place, where, sizeof where);
    memcpy(text, err->text, sizeof text);
    snprintf(err->text, sizeof err->text, "%.120s: %.195s", where, text);
}

// Transforms a vertex of the file to the scene: origin + rotation (scale p).
static fm_vec3 transform_vertex(const fm_scene_collider_mesh *mesh, fm_vec3 p)
{
    return fm_add(mesh->origin, fm_quat_rotate(mesh->rotation, fm_scale(p, mesh->scale)));
}

// Reads the animation of the collider, if it has one, and transforms its vertices.
static bool read_animation(const fm_scene_collider *collider, const fm_mesh_loader *loader,
                           int vertex_count, fm_collider_mesh *mesh, fm_frame_data *frames,
                           fm_error *err)
{
    static const char *const keys[] = {"", "files", "pc2", "mdd"};
    const fm_scene_animation *a = &collider->animation;
    if (a->kind == 0)
        return true;
    fm_frames_format format = (fm_frames_format)(a->kind - 1);
    if (!loader->read_frames(loader->context, a->file, format, vertex_count, frames, err)) {
        locate_file_error(err, collider->item.node, "animation", keys[a->kind]);
        return false;
    }
    size_t count = (size_t)frames->frame_count * (size_t)vertex_count;
    for (size_t i = 0; i < count; i++) {
        float *p = frames->positions + 3 * i;
        fm_vec3 x = transform_vertex(&collider->mesh, (fm_vec3){p[0], p[1], p[2]});
        p[0] = (float)x.x, p[1] = (float)x.y, p[2] = (float)x.z;
    }
    enum { DEFAULT_FPS = 24 }; // when neither the scene nor the file gives a rate
    double fps = a->fps > 0 ? a->fps : frames->fps > 0 ? frames->fps : DEFAULT_FPS;
    mesh->frames = frames->positions;
    mesh->frame_count = frames->frame_count;
    mesh->fps = fps / frames->step;
    mesh->start = a->start + frames->first / fps;
    mesh->interpolation = (fm_interpolation)a->interpolation;
    return true;
}

// Reads the mesh of a collider and its animation with `loader` and adds the collider to the world.
bool fm_scene_create_mesh_collider(const fm_scene_collider *collider, const fm_mesh_loader *loader,
                                   fm_world *world, const fm_collider_def *def, fm_error *err)
{
    if (!loader)
        return fm_fail(err, FM_BAD_VALUE, collider->item.name, "mesh.file", collider->mesh.file,
                       "no mesh file without a loader: use fm_scene_build_with_loader");
    fm_mesh_data data = {0};
    fm_frame_data frames = {0};
    if (!loader->read_mesh(loader->context, collider->mesh.file, &data, err)) {
        locate_file_error(err, collider->item.node, "mesh", "file");
        return false;
    }
    for (int i = 0; i < data.point_count; i++)
        data.points[i] = transform_vertex(&collider->mesh, data.points[i]);
    fm_collider_mesh mesh = {.thickness = collider->mesh.thickness};
    if (fm_mesh_data_triangulate(&data, err)) {
        mesh.vertices = data.points;
        mesh.vertex_count = data.point_count;
        mesh.triangles = data.face_points;
        mesh.triangle_count = data.face_count;
    }
    if (err->status == FM_OK &&
        read_animation(collider, loader, data.point_count, &mesh, &frames, err) &&
        !fm_collider_create_mesh(world, def, &mesh, err))
        locate_file_error(err, collider->item.node, "mesh", "file");
    fm_mesh_data_destroy(&data);
    free(frames.positions);
    return err->status == FM_OK;
}
