// SPDX-License-Identifier: MIT
// build.c: a checked scene into a world. What the library still refuses is said in terms of the
// file.
#include "motion/motion.h"
#include "scene/scene.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const fm_node *find_below(const fm_node *node, const char *key, size_t size)
{
    for (const fm_node *each = node->first; each; each = each->next) {
        if (each->key && strlen(each->key) == size && memcmp(each->key, key, size) == 0)
            return each;
    }
    for (const fm_node *each = node->first; each; each = each->next) {
        const fm_node *found = find_below(each, key, size);
        if (found)
            return found;
    }
    return NULL;
}

// Puts the place of the key that err names ("drag.history.order") before its text. Parts of the
// name that the file does not have are passed over.
static void blame(fm_error *err, const fm_node *node)
{
    if (err->status == FM_OK || err->status == FM_NO_MEMORY || !node)
        return;
    fm_place place = node->key_place;
    for (const char *part = err->field; *part;) {
        size_t size = strcspn(part, ". ");
        const fm_node *found = find_below(node, part, size);
        if (found) {
            node = found;
            place = node->kind == FM_NODE_SCALAR ? node->place : node->key_place;
        }
        part += size + (part[size] != 0);
    }
    char where[160], text[sizeof err->text];
    fm_place_text(place, where, sizeof where);
    memcpy(text, err->text, sizeof text);
    snprintf(err->text, sizeof err->text, "%s: %.150s", where, text);
}

typedef struct builder {
    const fm_scene *scene;
    fm_world *world;
    fm_motion **motions; // by their number in the scene; NULL is rest
    bool *made;
    const fm_mesh_loader *loader; // NULL: files cannot be read
    fm_figure **figures;          // by their number in the scene
} builder;

static int find_motion(const fm_scene *scene, const char *name)
{
    const fm_scene_motion *motions = scene->motions.data;
    for (int i = 0; i < scene->motions.count; i++) {
        if (strcmp(motions[i].thing.name, name) == 0)
            return i;
    }
    return -1;
}

static fm_motion *make_motion(builder *b, int index, fm_error *err);

// "woman.pelvis"; NULL if there is no such bone.
static fm_motion *bone_motion(builder *b, const char *name, fm_error *err)
{
    const fm_scene_figure *figures = b->scene->figures.data;
    char owner[FM_SCENE_NAME_MAX + 1];
    fm_bone bone;
    if (!name || !fm_split_bone_name(name, owner, &bone))
        return NULL;
    for (int i = 0; i < b->scene->figures.count; i++) {
        if (strcmp(figures[i].thing.name, owner) == 0)
            return fm_motion_figure(b->world, b->figures[i], bone, err);
    }
    return NULL;
}

static fm_motion *named_motion(builder *b, const char *name, fm_error *err)
{
    int index = name ? find_motion(b->scene, name) : -1;
    return index < 0 ? bone_motion(b, name, err) : make_motion(b, index, err);
}

// The first part is innermost.
static fm_motion *compose(builder *b, const fm_scene_motion *motion, fm_error *err)
{
    const fm_thing *parts = motion->parts.data;
    fm_motion *whole = named_motion(b, parts[0].name, err);
    for (int i = 1; i < motion->parts.count; i++) {
        fm_motion *outer = named_motion(b, parts[i].name, err);
        whole = fm_motion_compose(b->world, outer, whole, err);
    }
    return whole;
}

static fm_motion *keyframes(builder *b, const fm_scene_motion *motion, fm_error *err)
{
    const fm_scene_key *from = motion->keys.data;
    size_t count = (size_t)motion->keys.count;
    fm_key *keys = malloc(count * sizeof *keys);
    if (!keys) {
        fm_fail_no_memory(err, "scene", count * sizeof *keys);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        keys[i] = from[i].key;
    fm_motion *made =
        fm_motion_keyframes(b->world, keys, motion->keys.count,
                            (fm_interpolation)motion->interpolation, motion->pivot, err);
    free(keys);
    return made;
}

// Made once, whoever asks first; checks.c has seen to it that compositions do not turn in circles.
static fm_motion *make_motion(builder *b, int index, fm_error *err)
{
    const fm_scene_motion *motion = (const fm_scene_motion *)b->scene->motions.data + index;
    if (b->made[index] || err->status != FM_OK)
        return b->motions[index];
    const fm_scene_sine *sine = &motion->sine;
    fm_motion *made = NULL;
    switch ((fm_scene_motion_kind)motion->kind) {
    case FM_SCENE_REST:
        break;
    case FM_SCENE_SINE:
        made = fm_motion_sine_phase(b->world, sine->axis, sine->amplitude, sine->period,
                                    sine->phase, err);
        break;
    case FM_SCENE_TURN:
        made = fm_motion_turn(b->world, &motion->turn, err);
        break;
    case FM_SCENE_KEYFRAMES:
        made = keyframes(b, motion, err);
        break;
    case FM_SCENE_COMPOSE:
        made = compose(b, motion, err);
        break;
    }
    blame(err, motion->kind == FM_SCENE_COMPOSE ? NULL : motion->thing.node);
    b->motions[index] = made;
    b->made[index] = true;
    return made;
}

static void make_figure(builder *b, int index, fm_error *err)
{
    const fm_scene_figure *figure = (const fm_scene_figure *)b->scene->figures.data + index;
    fm_figure_def def = figure->def;
    def.name = figure->thing.name;
    def.bare = figure->look == 1;
    b->figures[index] = fm_figure_create(b->world, &def, err);
    if (b->figures[index])
        fm_figure_add_colliders(b->world, b->figures[index], figure->friction, err);
    blame(err, figure->thing.node);
}

static void make_collider(builder *b, const fm_scene_collider *collider, fm_error *err)
{
    fm_collider_def def = collider->def;
    def.name = collider->thing.name;
    def.motion = named_motion(b, collider->motion, err);
    if (err->status != FM_OK)
        return;
    if (def.shape.kind == FM_SHAPE_MESH) {
        fm_scene_make_mesh(collider, b->loader, b->world, &def, err);
        return;
    }
    fm_collider_create(b->world, &def, err);
    blame(err, collider->thing.node);
}

// Vertices of a file become particles; those that were welded, one.
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

static void pin_particles(fm_cloth *cloth, const fm_items *particles, const fm_motion *motion,
                          fm_error *err)
{
    int *list = list_particles(cloth, particles, err);
    if (list)
        fm_cloth_pin_list(cloth, list, particles->count, motion, err);
    free(list);
}

static int *list_within(fm_cloth *cloth, const fm_shape *shape, int *count, fm_error *err)
{
    size_t size = (size_t)fm_cloth_particle_count(cloth) * sizeof(int);
    int *list = malloc(size);
    if (!list)
        fm_fail_no_memory(err, "scene", size);
    *count = list ? fm_cloth_find_within(cloth, shape, list, err) : 0;
    return list;
}

static void make_map(builder *b, fm_cloth *cloth, const fm_scene_map *map, fm_error *err)
{
    enum { MOST = 8 };
    const fm_collider *colliders[MOST];
    const fm_thing *names = map->colliders.data;
    int count = map->colliders.count;
    for (int k = 0; k < count && k < MOST; k++)
        colliders[k] = fm_world_find_collider(b->world, names[k].name);
    int particle_count = map->particles.count, *list = NULL;
    if (map->kind == FM_SCENE_PIN_WITHIN)
        list = list_within(cloth, &map->within, &particle_count, err);
    else
        list = list_particles(cloth, &map->particles, err);
    if (list)
        fm_cloth_add_map(cloth, colliders, count, list, particle_count, err);
    free(list);
    blame(err, map->thing.node);
}

static void make_pin(builder *b, fm_cloth *cloth, const fm_scene_pin *pin, fm_error *err)
{
    const fm_motion *motion = named_motion(b, pin->motion, err);
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
    }
    if (isfinite(pin->release))
        fm_cloth_release_at(cloth, pin->release, err);
    blame(err, pin->thing.node);
}

static void make_seam(fm_cloth *cloth, const fm_scene_cloth *body, const fm_scene_seam *seam,
                      fm_error *err)
{
    if (seam->weld)
        return;
    int count, *vertices = fm_seam_vertices(body, seam, &count, err);
    int *both = vertices ? list_particles(cloth, &(fm_items){vertices, 2 * count}, err) : NULL;
    if (both)
        fm_cloth_sew(cloth, both, both + count, count, seam->start, seam->time, err);
    free(vertices);
    free(both);
    blame(err, seam->thing.node);
}

static fm_cloth *make_mesh(builder *b, const fm_scene_cloth *body, const fm_cloth_def *def,
                           fm_error *err)
{
    fm_cloth_mesh mesh;
    fm_cloth *cloth = NULL;
    if (fm_garment_mesh_open(body, &mesh, err))
        cloth = fm_cloth_create_mesh(b->world, def, &mesh, err);
    fm_garment_mesh_close(&mesh);
    return cloth;
}

static void make_cloth(builder *b, const fm_scene_body *body, fm_error *err)
{
    const fm_node *place = body->thing.node;
    fm_cloth_def def = body->cloth.def;
    fm_cloth *cloth = NULL;
    def.name = body->thing.name;
    switch ((fm_cloth_kind)body->cloth.kind) {
    case FM_CLOTH_SHEET:
        cloth = fm_cloth_create_sheet(b->world, &def, &body->cloth.sheet, err);
        break;
    case FM_CLOTH_TUBE:
        cloth = fm_cloth_create_tube(b->world, &def, &body->cloth.tube, err);
        break;
    case FM_CLOTH_MESH:
        cloth = make_mesh(b, &body->cloth, &def, err);
        place = fm_node_find(fm_node_find(place, "cloth"), "mesh"); // what is wrong is in its file
        break;
    }
    blame(err, place);
    const fm_scene_seam *seams = body->cloth.seams.data;
    for (int i = 0; i < body->cloth.seams.count && cloth && err->status == FM_OK; i++)
        make_seam(cloth, &body->cloth, &seams[i], err);
    const fm_scene_pin *pins = body->cloth.pins.data;
    for (int i = 0; i < body->cloth.pins.count && cloth && err->status == FM_OK; i++)
        make_pin(b, cloth, &pins[i], err);
    const fm_scene_map *maps = body->cloth.maps.data;
    for (int i = 0; i < body->cloth.maps.count && cloth && err->status == FM_OK; i++)
        make_map(b, cloth, &maps[i], err);
}

static void fill_fluid(const fm_scene_fluid *fluid, fm_particles *particles, fm_error *err)
{
    const fm_scene_fluid_box *boxes = fluid->boxes.data;
    const fm_scene_nozzle *sources = fluid->sources.data;
    const fm_scene_sink *sinks = fluid->sinks.data;
    const fm_scene_push *pushes = fluid->pushes.data;
    for (int i = 0; i < fluid->boxes.count && err->status == FM_OK; i++) {
        fm_fluid_box box = boxes[i].box;
        box.seed = (uint64_t)boxes[i].seed;
        fm_particles_add_box(particles, &box, err);
        blame(err, boxes[i].thing.node);
    }
    for (int i = 0; i < fluid->sources.count && err->status == FM_OK; i++) {
        fm_particles_add_source(particles, &sources[i].source, err);
        blame(err, sources[i].thing.node);
    }
    for (int i = 0; i < fluid->sinks.count && err->status == FM_OK; i++)
        fm_particles_add_sink(particles, &sinks[i].sink, err);
    for (int i = 0; i < fluid->pushes.count && err->status == FM_OK; i++)
        fm_particles_add_push(particles, &pushes[i].push, err);
}

static void make_fluid(builder *b, const fm_scene_fluid *fluid, fm_error *err)
{
    fm_particles_def def = fluid->def;
    def.name = fluid->thing.name;
    def.domain.motion = named_motion(b, fluid->motion, err);
    fm_particles *particles = fm_particles_create(b->world, &def, err);
    blame(err, fluid->thing.node);
    if (particles)
        fill_fluid(fluid, particles, err);
}

static void make_coupling(builder *b, const fm_scene_coupling *coupling, fm_error *err)
{
    const fm_scene_fluid *fluids = b->scene->fluids.data;
    int body = 0, fluid = 0; // names are of the scene: the decoder has seen to it
    while (strcmp(fm_scene_cloth_name(b->scene, body), coupling->body) != 0)
        body++;
    while (strcmp(fluids[fluid].thing.name, coupling->fluid) != 0)
        fluid++;
    fm_world_couple(b->world, fm_world_cloth(b->world, body), fm_world_particles(b->world, fluid),
                    (fm_coupling_way)coupling->way, err);
    blame(err, coupling->thing.node);
}

static void make_all(builder *b, fm_error *err)
{
    const fm_scene *scene = b->scene;
    const fm_scene_collider *colliders = scene->colliders.data;
    const fm_scene_body *bodies = scene->bodies.data;
    for (int i = 0; i < scene->figures.count && err->status == FM_OK; i++)
        make_figure(b, i, err);
    for (int i = 0; i < scene->motions.count && err->status == FM_OK; i++)
        make_motion(b, i, err);
    for (int i = 0; i < scene->colliders.count && err->status == FM_OK; i++)
        make_collider(b, &colliders[i], err);
    for (int i = 0; i < scene->bodies.count && err->status == FM_OK; i++)
        make_cloth(b, &bodies[i], err);
    const fm_scene_fluid *fluids = scene->fluids.data;
    for (int i = 0; i < scene->fluids.count && err->status == FM_OK; i++)
        make_fluid(b, &fluids[i], err);
    const fm_scene_coupling *coupling = scene->coupling.data;
    for (int i = 0; i < scene->coupling.count && err->status == FM_OK; i++)
        make_coupling(b, &coupling[i], err);
}

fm_world *fm_scene_build(const fm_scene *scene, int threads, fm_error *err)
{
    return fm_scene_build_files(scene, threads, NULL, err);
}

fm_world *fm_scene_build_files(const fm_scene *scene, int threads, const fm_mesh_loader *loader,
                               fm_error *err)
{
    assert(err->status != FM_OK || scene);
    if (err->status != FM_OK)
        return NULL;
    fm_world_def def = scene->world;
    def.threads = threads > 0 ? threads : scene->world.threads;
    size_t count = (size_t)scene->motions.count + 1;
    size_t figure_count = (size_t)scene->figures.count + 1;
    builder b = {.scene = scene,
                 .loader = loader,
                 .motions = calloc(count, sizeof *b.motions),
                 .made = calloc(count, sizeof *b.made),
                 .figures = calloc(figure_count, sizeof(fm_figure *))};
    if (b.motions && b.made && b.figures) {
        b.world = fm_world_create(&def, err);
        blame(err, scene->root);
        if (b.world)
            make_all(&b, err);
    } else {
        fm_fail_no_memory(err, "scene", count * sizeof *b.motions);
    }
    free(b.motions);
    free(b.made);
    free(b.figures);
    if (err->status != FM_OK) {
        fm_world_destroy(b.world);
        return NULL;
    }
    return b.world;
}
