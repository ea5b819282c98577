// SPDX-License-Identifier: MIT
// cloth_kind.c: the kind bodies.NAME.cloth: builds a cloth from its keys and weighs its particles
// for probes.
#include "scene/cloth_kind.h"

#include "cloth/cloth.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The particles of vertices of the mesh file; welded vertices share a particle. The caller frees
// the array.
static int *list_particles(fm_cloth *cloth, const fm_items *vertices, fm_error *err)
{
    int vertex_count;
    const int *particle = fm_cloth_vertices(cloth, &vertex_count), *from = vertices->data;
    size_t count = (size_t)vertices->count;
    int *list = malloc((count + 1) * sizeof *list);
    if (!list)
        fm_fail_no_memory(err, "scene", count * sizeof *list);
    for (size_t i = 0; i < count && list; i++)
        list[i] = particle ? particle[from[i]] : from[i];
    return list;
}

// Pins particles, given as vertices of the mesh file. They follow `motion`; NULL: they are held.
static void pin_particles(fm_cloth *cloth, const fm_items *particles, const fm_motion *motion,
                          fm_error *err)
{
    int *list = list_particles(cloth, particles, err);
    if (list)
        fm_cloth_pin_list(cloth, list, particles->count, motion, err);
    free(list);
}

// The particles that start inside a shape. The caller frees the array.
static int *list_particles_within(fm_cloth *cloth, const fm_shape *shape, int *count, fm_error *err)
{
    size_t size = (size_t)fm_cloth_particle_count(cloth) * sizeof(int);
    int *list = malloc(size);
    if (!list)
        fm_fail_no_memory(err, "scene", size);
    *count = list ? fm_cloth_find_within(cloth, shape, list, err) : 0;
    return list;
}

// Adds a map to the strain limiting of a cloth: a set of particles that count as fixed while
// certain colliders touch the cloth.
static void add_map(fm_builder *b, fm_cloth *cloth, const fm_scene_enforcement_map *map,
                    fm_error *err)
{
    // colliders of one map; the key table and the library have the same limit
    enum { COLLIDERS_MAX = 8 };
    const fm_collider *colliders[COLLIDERS_MAX];
    const fm_item *names = map->colliders.data;
    int count = map->colliders.count;
    for (int k = 0; k < count && k < COLLIDERS_MAX; k++)
        colliders[k] = fm_world_find_collider(b->world, names[k].name);
    int particle_count = map->particles.count, *list = NULL;
    if (map->kind == FM_SCENE_PIN_WITHIN)
        list = list_particles_within(cloth, &map->within, &particle_count, err);
    else
        list = list_particles(cloth, &map->particles, err);
    if (list)
        fm_cloth_add_map(cloth, colliders, count, list, particle_count, err);
    free(list);
    fm_scene_locate_error(err, map->item.node);
}

// Adds a pin: particles that are held or follow a motion.
static void add_pin(fm_builder *b, fm_cloth *cloth, const fm_scene_pin *pin, fm_error *err)
{
    const fm_motion *motion = fm_builder_find_motion(b, pin->motion, err);
    if (err->status != FM_OK)
        return;
    switch ((fm_scene_pin_kind)pin->kind) {
    case FM_SCENE_PIN_EDGE:
        fm_cloth_pin_edge(cloth, (fm_edge)pin->edge, motion, err);
        break;
    case FM_SCENE_PIN_ROW:
        fm_cloth_pin_row(cloth, pin->row, motion, err);
        break;
    case FM_SCENE_PIN_COLUMN:
        fm_cloth_pin_column(cloth, pin->column, motion, err);
        break;
    case FM_SCENE_PIN_CORNER:
        fm_cloth_pin_corner(cloth, (fm_corner)pin->corner, motion, err);
        break;
    case FM_SCENE_PIN_PARTICLES:
        pin_particles(cloth, &pin->particles, motion, err);
        break;
    case FM_SCENE_PIN_WITHIN:
        fm_cloth_pin_within(cloth, &pin->within, motion, err);
        break;
    case FM_SCENE_PIN_ABOVE:
        fm_cloth_pin_within(
            cloth,
            &(fm_shape){.kind = FM_SHAPE_PLANE, .centre = {0, pin->above, 0}, .normal = {0, -1, 0}},
            motion, err);
        break;
    case FM_SCENE_PIN_GROUP:
        fm_cloth_pin_group(cloth, pin->group, motion, err);
        break;
    }
    if (isfinite(pin->release))
        fm_cloth_release_at(cloth, pin->release, err);
    fm_scene_locate_error(err, pin->item.node);
}

// Adds a seam that pulls two borders of a cloth together. body: the decoded keys of the cloth.
static void add_seam(fm_cloth *cloth, const fm_scene_cloth *body, const fm_scene_seam *seam,
                     fm_error *err)
{
    if (seam->weld)
        return;
    int count, *vertices = fm_scene_cloth_list_seam(body, seam, &count, err);
    int *both = vertices ? list_particles(cloth, &(fm_items){vertices, 2 * count}, err) : NULL;
    if (both)
        fm_cloth_sew(cloth, both, both + count, count, seam->start, seam->time, err);
    free(vertices);
    free(both);
    fm_scene_locate_error(err, seam->item.node);
}

// Creates a cloth from a triangle mesh. body: its decoded keys; node: of the mesh.
static fm_cloth *create_mesh(fm_builder *b, const fm_scene_cloth *body, const fm_cloth_def *def,
                             const fm_node *node, fm_error *err)
{
    fm_cloth_mesh mesh;
    fm_scene_factors factors;
    fm_cloth *cloth = NULL;
    bool good = fm_scene_factors_create(&factors, b, body, err);
    if (fm_scene_cloth_create_mesh(body, &mesh, err) && good) {
        mesh.stiffness = factors.stiffness, mesh.thickness = factors.thickness;
        mesh.friction = factors.friction;
        cloth = fm_cloth_create_mesh(b->world, def, &mesh, err);
        fm_scene_locate_error(err, node);
    }
    fm_scene_cloth_destroy_mesh(&mesh);
    fm_scene_cloth_add_file_groups(cloth, &body->mesh, err);
    fm_scene_cloth_add_painted_groups(cloth, body, &factors, err);
    fm_scene_factors_destroy(&factors);
    return cloth;
}

void fm_scene_cloth_add_pins(fm_builder *b, fm_cloth *cloth, const fm_scene_cloth *body,
                             fm_error *err)
{
    const fm_scene_pin *pins = body->pins.data;
    for (int i = 0; i < body->pins.count && cloth && err->status == FM_OK; i++)
        add_pin(b, cloth, &pins[i], err);
    const fm_scene_enforcement_map *maps = body->maps.data;
    for (int i = 0; i < body->maps.count && cloth && err->status == FM_OK; i++)
        add_map(b, cloth, &maps[i], err);
}

// Creates a cloth with its seams, pins and maps of the strain limiting.
static void build_cloth(fm_builder *b, const fm_scene_object *object, fm_error *err)
{
    const fm_scene_cloth *body = object->def;
    const fm_node *place = object->item.node;
    fm_cloth_def def = body->def;
    fm_cloth *cloth = NULL;
    def.name = object->item.name;
    switch ((fm_cloth_kind)body->kind) {
    case FM_CLOTH_SHEET:
        cloth = fm_cloth_create_sheet(b->world, &def, &body->sheet, err);
        break;
    case FM_CLOTH_TUBE:
        cloth = fm_cloth_create_tube(b->world, &def, &body->tube, err);
        break;
    case FM_CLOTH_MESH:
        cloth = create_mesh(b, body, &def, fm_node_find(fm_node_find(place, "cloth"), "mesh"), err);
        place = NULL; // create_mesh located its errors
        break;
    case FM_CLOTH_LINE: // a kind of its own, line_kind.c
        break;
    }
    if (place)
        fm_scene_locate_error(err, place);
    const fm_scene_seam *seams = body->seams.data;
    for (int i = 0; i < body->seams.count && cloth && err->status == FM_OK; i++)
        add_seam(cloth, body, &seams[i], err);
    fm_scene_cloth_add_pins(b, cloth, body, err);
}

// Lists the settings of a cloth that do not allow this way of coupling with a fluid.
static int find_coupling_faults(const void *def, fm_coupling_way way, fm_coupling_fault *faults)
{
    return fm_cloth_find_coupling_faults(&((const fm_scene_cloth *)def)->def, way, faults);
}

// Adds the contents of the mesh file, not its name, to the hash of the scene.
static uint64_t hash_mesh(const void *def, uint64_t hash)
{
    const fm_scene_cloth *cloth = def;
    return cloth->kind == FM_CLOTH_MESH ? fm_hash(&cloth->mesh.hash, sizeof cloth->mesh.hash, hash)
                                        : hash;
}

// Number of points of a cloth that a probe can select.
static int count_points(const void *def)
{
    return fm_scene_cloth_point_count(def);
}

// The reason why a probe cannot use [u, v] on this cloth; NULL: it can.
static const char *refuse_uv(const void *def)
{
    return ((const fm_scene_cloth *)def)->kind == FM_CLOTH_MESH
               ? "is only allowed on sheets and tubes; on a mesh use `particle`"
               : NULL;
}

// Bilinear weights of the four particles around the point at = [u, v]: fractions of width and
// height of a sheet, of circumference and height of a tube. Other weights stay as they are.
static void weigh_corners(const double at[2], fm_cloth *cloth, double *weights)
{
    fm_sheet sheet = fm_cloth_sheet(cloth);
    fm_tube tube = fm_cloth_tube(cloth);
    bool is_tube = fm_cloth_topology(cloth) == FM_CLOTH_TUBE;
    int columns = is_tube ? tube.columns : sheet.columns, rows = is_tube ? tube.rows : sheet.rows;
    int cells_per_row = is_tube ? columns : columns - 1;
    double u = at[0] * cells_per_row, v = at[1] * (rows - 1); // in cells
    int column = (int)fmin(floor(u), cells_per_row - 1), row = (int)fmin(floor(v), rows - 2);
    int right = column + 1 < columns ? 1 : 1 - columns; // on a tube the last column meets the first
    double a = u - column, b = v - row;
    int first = row * columns + column, below = first + columns;
    weights[first] = (1 - a) * (1 - b);
    weights[first + right] = a * (1 - b);
    weights[below] = (1 - a) * b;
    weights[below + right] = a * b;
}

// Weights of the vertices for the mean over a cloth: their shares of its mass. Vertices that are
// welded to one particle count once, as the first of them.
static void weigh_by_mass(fm_object *object, double *weights, fm_error *err)
{
    int count;
    const int *particle = fm_cloth_vertices(fm_object_cloth(object), &count);
    double mass = 0;
    if (!fm_object_read_field(object, "mass", weights, err))
        return;
    for (int i = 0, next = 0; i < count && particle; i++) {
        // particles are numbered in the order of their first vertices
        bool first = particle[i] == next;
        next += first;
        weights[i] = first ? weights[i] : 0;
    }
    for (int i = 0; i < count; i++)
        mass += weights[i];
    for (int i = 0; i < count; i++)
        weights[i] /= mass;
}

// Weights of a cloth's particles for a probe at the point [u, v], or, when at is NULL, for the mean
// over the cloth.
void fm_scene_cloth_weigh_points(fm_object *object, const double *at, double *weights,
                                 fm_error *err)
{
    if (at)
        weigh_corners(at, fm_object_cloth(object), weights);
    else
        weigh_by_mass(object, weights, err);
}

const fm_scene_kind fm_scene_cloth_kind = {
    .type = &fm_cloth_type,
    .section = "bodies",
    .key = "cloth",
    .build = build_cloth,
    .find_coupling_faults = find_coupling_faults,
    .load = fm_scene_cloth_load_mesh,
    .hash = hash_mesh,
    .count_points = count_points,
    .refuse_uv = refuse_uv,
    .weigh_points = fm_scene_cloth_weigh_points,
};

// The cloth with this index among the cloths of a scene; NULL: none.
static const fm_scene_object *find_cloth(const fm_scene *scene, int index)
{
    const fm_scene_object *objects = scene->objects.data;
    for (int i = 0; i < scene->objects.count; i++) {
        if (objects[i].kind->type == &fm_cloth_type && index-- == 0)
            return &objects[i];
    }
    return NULL;
}

// Number of cloths in a scene.
int fm_scene_cloth_count(const fm_scene *scene)
{
    assert(scene);
    int count = 0;
    while (find_cloth(scene, count))
        count++;
    return count;
}

// Name of the cloth with this index; NULL if there is none.
const char *fm_scene_cloth_name(const fm_scene *scene, int index)
{
    assert(scene);
    const fm_scene_object *cloth = index >= 0 ? find_cloth(scene, index) : NULL;
    return cloth ? cloth->item.name : NULL;
}
