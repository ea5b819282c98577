// SPDX-License-Identifier: MIT
// cloth_maps.c: painted maps of a cloth from a mesh file, `bodies.NAME.cloth.maps`: weights of its
// vertices from a group of the file, an image or a PLY file, as factors on stiffness, thickness and
// friction, and as groups for pins.
#include "cloth/cloth.h"
#include "scene/cloth_kind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void set_defaults(void *object)
{
    fm_scene_map *map = object;
    map->stiffness = map->thickness = map->friction = 1;
    map->above = 0.5;
}

static const fm_entry entries[] = {
    {"group", FM_KEY_TEXT, offsetof(fm_scene_map, group), .choice = true,
     .kind = FM_SCENE_MAP_GROUP,
     .about = "weight 1 for the vertices of a group of the OBJ file (g or o), 0 for the others"},
    {"image", FM_KEY_FILE, offsetof(fm_scene_map, file), .choice = true, .kind = FM_SCENE_MAP_IMAGE,
     .about = "weights from the grey values of a PNG, black 0 to white 1, by the texture "
              "coordinates"},
    {"ply", FM_KEY_FILE, offsetof(fm_scene_map, file), .choice = true, .kind = FM_SCENE_MAP_PLY,
     .about = "weights from a property of the vertices in a PLY file of as many vertices"},
    {"property", FM_KEY_TEXT, offsetof(fm_scene_map, property),
     .about = "name of the property in the PLY file; one byte counts as 0 to 255: 0 to 1"},
    {"stiffness", FM_KEY_NUMBER, offsetof(fm_scene_map, stiffness), .range = ABOVE(0, 1e4),
     .about = "factor on stretch, shear and bending stiffness where the weight is 1; 1 where it is "
              "0, linear between"},
    {"thickness", FM_KEY_NUMBER, offsetof(fm_scene_map, thickness), .range = ABOVE(0, 100),
     .about = "factor on the thickness there: on the mass and on stretch and shear stiffness, its "
              "cube on bending; the distance of contact stays"},
    {"friction", FM_KEY_NUMBER, offsetof(fm_scene_map, friction), .range = WITHIN(0, 100),
     .about = "factor on contact.friction there"},
    {"name", FM_KEY_TEXT, offsetof(fm_scene_map, name),
     .about = "name of the group of all vertices whose weight is at least `above`, for pins"},
    {"above", FM_KEY_NUMBER, offsetof(fm_scene_map, above), .range = ABOVE(0, 1),
     .about = "smallest weight in that group"},
};

const fm_table fm_cloth_map_table = {
    .name = "painted_map",
    .about = "A painted map of a cloth from a mesh: one of group, image, ply. The factors of "
             "several maps multiply.",
    .size = sizeof(fm_scene_map),
    .set_defaults = set_defaults,
    .entries = entries,
    .count = COUNT(entries),
    .has_kind = true,
    .kind_offset = offsetof(fm_scene_map, kind),
};

const fm_vertex_group *fm_scene_mesh_find_group(const fm_scene_mesh *mesh, const char *name)
{
    for (int i = 0; i < mesh->group_count; i++)
        if (strcmp(mesh->groups[i].name, name) == 0)
            return &mesh->groups[i];
    return NULL;
}

// Bilinear value of an image at u, v in [0, 1], v from the bottom; beyond, that of the border.
static double sample_image(const fm_image_data *image, double u, double v)
{
    double x = fmin(fmax(u, 0), 1) * image->width - 0.5;
    double y = (1 - fmin(fmax(v, 0), 1)) * image->height - 0.5;
    x = fmin(fmax(x, 0), image->width - 1), y = fmin(fmax(y, 0), image->height - 1);
    int left = (int)x, top = (int)y;
    int right = left + (left + 1 < image->width), bottom = top + (top + 1 < image->height);
    const float *upper = image->values + (size_t)top * (size_t)image->width;
    const float *lower = image->values + (size_t)bottom * (size_t)image->width;
    double a = x - left, b = y - top;
    return (1 - b) * ((1 - a) * (double)upper[left] + a * (double)upper[right]) +
           b * ((1 - a) * (double)lower[left] + a * (double)lower[right]);
}

// Weights of the vertices by an image: the mean over the corners of the triangles at a vertex.
static bool weigh_by_image(const fm_mesh_loader *loader, const fm_scene_map *map,
                           const fm_mesh_view *mesh, double *weight, fm_error *err)
{
    if (!mesh->corner_uv)
        return fm_fail(err, FM_BAD_VALUE, "maps", "image", map->file,
                       "a mesh with texture coordinates (vt)");
    if (!loader || !loader->read_image)
        return fm_fail(err, FM_BAD_VALUE, "maps", "image", map->file,
                       "no image: this program was built without libpng");
    fm_image_data image = {0};
    int *corners = calloc((size_t)mesh->point_count + 1, sizeof *corners);
    bool good = corners && loader->read_image(loader->context, map->file, &image, err);
    if (!corners)
        fm_fail_no_memory(err, "maps", (size_t)mesh->point_count * sizeof *corners);
    for (size_t i = 0; good && i < 3 * (size_t)mesh->face_count; i++) {
        int p = mesh->face_points[i];
        weight[p] += sample_image(&image, (double)mesh->corner_uv[2 * i],
                                  (double)mesh->corner_uv[2 * i + 1]);
        corners[p]++;
    }
    for (int i = 0; good && i < mesh->point_count; i++)
        weight[i] /= corners[i] > 0 ? corners[i] : 1;
    free(image.values);
    free(corners);
    return good;
}

// Weights of the vertices by a property of a PLY file.
static bool weigh_by_ply(const fm_mesh_loader *loader, const fm_scene_map *map,
                         const fm_mesh_view *mesh, double *weight, fm_error *err)
{
    if (!map->property)
        return fm_fail(err, FM_BAD_VALUE, "maps", "property", "missing",
                       "the name of a property of the PLY file");
    if (!loader || !loader->read_weights)
        return fm_fail(err, FM_BAD_VALUE, "maps", "ply", map->file,
                       "no file without a loader: use fm_scene_build_with_loader");
    if (!loader->read_weights(loader->context, map->file, map->property, mesh->point_count, weight,
                              err))
        return false;
    for (int i = 0; i < mesh->point_count; i++)
        if (!(weight[i] >= 0 && weight[i] <= 1))
            return fm_fail_content(err, FM_BAD_VALUE, map->file, map->property,
                                   "vertex %d has %g, allowed is 0 to 1", i, weight[i]);
    return true;
}

// Weights of the vertices of a mesh file, 0 to 1.
static bool weigh_vertices(const fm_mesh_loader *loader, const fm_scene_map *map,
                           const fm_scene_mesh *mesh, double *weight, fm_error *err)
{
    memset(weight, 0, (size_t)mesh->mesh.point_count * sizeof *weight);
    if (map->kind == FM_SCENE_MAP_IMAGE)
        return weigh_by_image(loader, map, &mesh->mesh, weight, err);
    if (map->kind == FM_SCENE_MAP_PLY)
        return weigh_by_ply(loader, map, &mesh->mesh, weight, err);
    const fm_vertex_group *group = fm_scene_mesh_find_group(mesh, map->group);
    if (!group)
        return fm_fail(err, FM_BAD_VALUE, "maps", "group", map->group,
                       "a group of the mesh file (g or o)");
    for (int i = 0; i < group->count; i++)
        weight[group->vertices[i]] = 1;
    return true;
}

// Multiplies the factors by those of a map.
static void apply(const fm_scene_map *map, const double *weight, fm_scene_factors *f)
{
    for (int i = 0; i < f->count; i++) {
        f->stiffness[i] *= 1 + weight[i] * (map->stiffness - 1);
        f->thickness[i] *= 1 + weight[i] * (map->thickness - 1);
        f->friction[i] *= 1 + weight[i] * (map->friction - 1);
    }
}

bool fm_scene_factors_create(fm_scene_factors *f, const fm_builder *b, const fm_scene_cloth *cloth,
                             fm_error *err)
{
    const fm_scene_map *maps = cloth->painted.data;
    size_t n = (size_t)cloth->mesh.mesh.point_count, count = (size_t)cloth->painted.count;
    *f = (fm_scene_factors){.count = (int)n};
    if (count == 0)
        return true;
    f->weight = malloc((3 + count) * n * sizeof *f->weight);
    if (!f->weight)
        return fm_fail_no_memory(err, "maps", (3 + count) * n * sizeof *f->weight);
    f->stiffness = f->weight + count * n;
    f->thickness = f->stiffness + n, f->friction = f->thickness + n;
    for (size_t i = 0; i < 3 * n; i++)
        f->stiffness[i] = 1;
    for (size_t i = 0; i < count; i++) {
        if (!weigh_vertices(b->loader, &maps[i], &cloth->mesh, f->weight + i * n, err)) {
            fm_scene_locate_error(err, maps[i].item.node);
            return false;
        }
        apply(&maps[i], f->weight + i * n, f);
    }
    return true;
}

void fm_scene_factors_destroy(fm_scene_factors *f)
{
    free(f->weight);
    *f = (fm_scene_factors){0};
}

// Adds the groups of the mesh file to a cloth.
void fm_scene_cloth_add_file_groups(fm_cloth *cloth, const fm_scene_mesh *mesh, fm_error *err)
{
    for (int i = 0; i < mesh->group_count && cloth && err->status == FM_OK; i++)
        if (mesh->groups[i].vertices)
            fm_cloth_add_group(cloth, mesh->groups[i].name, mesh->groups[i].vertices,
                               mesh->groups[i].count, err);
}

void fm_scene_cloth_add_painted_groups(fm_cloth *cloth, const fm_scene_cloth *body,
                                       const fm_scene_factors *f, fm_error *err)
{
    const fm_scene_map *maps = body->painted.data;
    int *list = malloc((size_t)f->count * sizeof *list + 1);
    if (!list)
        fm_fail_no_memory(err, "maps", (size_t)f->count * sizeof *list);
    for (int i = 0; i < body->painted.count && list && cloth && err->status == FM_OK; i++) {
        int count = 0;
        for (int k = 0; k < f->count && maps[i].name; k++)
            if (f->weight[(size_t)i * (size_t)f->count + (size_t)k] >= maps[i].above)
                list[count++] = k;
        if (maps[i].name)
            fm_cloth_add_group(cloth, maps[i].name, list, count, err);
        fm_scene_locate_error(err, maps[i].item.node);
    }
    free(list);
}
