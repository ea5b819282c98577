// SPDX-License-Identifier: MIT
// scene.c: loads and destroys scenes, and reads their settings for a run.
#include "scene/scene.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The names in output.fields, separated by blanks; NULL when the key is not given.
static const char *join_fields(const fm_scene *scene, fm_loader *loader)
{
    const fm_node *output = fm_node_find(scene->root, "output");
    if (!output || !fm_node_find(output, "fields"))
        return NULL;
    const int *chosen = scene->fields.data;
    fm_text text = {0};
    for (int i = 0; i < scene->fields.count; i++)
        fm_text_add(&text, "%s%s", i ? " " : "", fm_scene_field_name(chosen[i]));
    const char *copy =
        text.failed ? NULL : fm_loader_copy_text(loader, text.data ? text.data : "", text.size);
    if (text.failed)
        fm_fail_no_memory(&loader->err, "scene", text.size);
    free(text.data);
    return copy;
}

// Fills the members of the scene that are derived from its keys: text, hash, names.
static void derive_members(fm_scene *scene, fm_loader *loader)
{
    fm_text whole = {0}, hashed = {0};
    if (!fm_scene_write_yaml(scene->root, false, &whole) ||
        !fm_scene_write_yaml(scene->root, true, &hashed))
        fm_fail_no_memory(&loader->err, "scene", whole.size);
    else
        scene->text = fm_loader_copy_text(loader, whole.data ? whole.data : "", whole.size);
    scene->hash = fm_hash(hashed.data ? hashed.data : "", hashed.size, 0);
    const fm_scene_object *objects = scene->objects.data;
    for (int i = 0; i < scene->objects.count; i++) {
        if (objects[i].kind->hash)
            scene->hash = objects[i].kind->hash(objects[i].def, scene->hash);
    }
    free(whole.data);
    free(hashed.data);
    scene->field_names = join_fields(scene, loader);
    fm_scene_name_probe_columns(scene, loader);
}

// True while no mistake was recorded and no error occurred.
static bool has_no_mistakes(const fm_loader *loader)
{
    return loader->mistake_count == 0 && loader->err.status == FM_OK;
}

// Reads the mesh files that the objects of a scene name.
static void load_files(const fm_scene *scene, fm_loader *loader)
{
    const fm_scene_object *objects = scene->objects.data;
    for (int i = 0; i < scene->objects.count; i++) {
        if (objects[i].kind->load)
            objects[i].kind->load(loader, &objects[i]);
    }
}

// Parses the source, merges, applies settings, decodes and checks.
static void decode_scene(fm_scene *scene, fm_loader *loader, const fm_source *source,
                         const char *const *settings, int setting_count)
{
    fm_node *root = fm_source_parse(loader, source, source->text, source->size);
    if (root && root->kind != FM_NODE_MAPPING) {
        fm_loader_add_mistake(loader, root->place, "a scene must be a mapping of keys");
        return;
    }
    root = root ? fm_scene_merge_extended(loader, source, root) : NULL;
    if (!root)
        return;
    for (int i = 0; i < setting_count; i++)
        fm_scene_apply_setting(loader, root, settings[i]);
    if (loader->err.status != FM_OK)
        return;
    fm_decoder decoder = {.loader = loader, .root = root};
    fm_scene_table.set_defaults(scene);
    fm_decoder_decode_mapping(&decoder, &fm_scene_table, root, scene);
    scene->root = root;
    if (has_no_mistakes(loader) && fm_scene_list_objects(scene, loader))
        load_files(scene, loader);
    if (has_no_mistakes(loader)) {
        fm_scene_check_output_fields(scene, loader);
        fm_scene_check_probe_targets(scene, loader);
    }
    if (has_no_mistakes(loader))
        derive_members(scene, loader);
}

// Loads a scene from a file or from a text; exactly one of `path` and `text` is not NULL.
static fm_scene *load_from(const char *path, const char *text, size_t size, const char *name,
                           const char *folder, const char *const *settings, int setting_count,
                           fm_diagnostic_function *report, void *context, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    fm_scene *scene = calloc(1, sizeof *scene);
    if (!scene) {
        fm_fail_no_memory(err, "scene", sizeof *scene);
        return NULL;
    }
    fm_loader loader = {.arena = &scene->arena};
    const fm_source *source = path ? fm_source_read_file(&loader, path, NULL, (fm_place){0})
                                   : fm_source_create_from_text(&loader, name, folder, text, size);
    if (source)
        decode_scene(scene, &loader, source, settings, setting_count);
    bool good = fm_loader_report_mistakes(&loader, report, context, err);
    if (good && scene->text)
        return scene;
    fm_scene_destroy(scene);
    return NULL;
}

// Loads a scene file, applies settings "PATH=VALUE", and reports all mistakes.
fm_scene *fm_scene_load(const char *path, const char *const *settings, int setting_count,
                        fm_diagnostic_function *report, void *context, fm_error *err)
{
    return load_from(path, NULL, 0, NULL, NULL, settings, setting_count, report, context, err);
}

// Loads a scene from a text in memory; `name` is its file name in messages, `folder` that of the
// files that it names.
fm_scene *fm_scene_parse(const char *text, size_t size, const char *name, const char *folder,
                         const char *const *settings, int setting_count,
                         fm_diagnostic_function *report, void *context, fm_error *err)
{
    char with_slash[4096] = "";
    size_t length = folder ? strlen(folder) : 0;
    if (length > 0 && length + 2 < sizeof with_slash) {
        memcpy(with_slash, folder, length + 1);
        if (with_slash[length - 1] != '/')
            memcpy(with_slash + length, "/", 2);
    }
    return load_from(NULL, text, size, name ? name : "scene", with_slash, settings, setting_count,
                     report, context, err);
}

// Frees a scene with everything that it refers to.
void fm_scene_destroy(fm_scene *scene)
{
    if (!scene)
        return;
    fm_arena_destroy(&scene->arena);
    free(scene);
}

// The scene as YAML, with extended files and settings merged.
const char *fm_scene_text(const fm_scene *scene)
{
    assert(scene);
    return scene->text;
}

// Hash of all keys that influence the results of a run, and of mesh files.
uint64_t fm_scene_hash(const fm_scene *scene)
{
    assert(scene);
    return scene->hash;
}

// Description of the scene in one line.
const char *fm_scene_about(const fm_scene *scene)
{
    assert(scene);
    return scene->about;
}

// Origin of the scene: a paper, or its author.
const char *fm_scene_source(const fm_scene *scene)
{
    assert(scene);
    return scene->source;
}

// The keys of a scene that control a run.
fm_scene_run fm_scene_run_settings(const fm_scene *scene)
{
    assert(scene);
    const fm_scene_object *objects = scene->objects.data;
    bool loads = false;
    for (int i = 0; i < scene->objects.count; i++)
        loads |= objects[i].kind->has_loads && objects[i].kind->has_loads(objects[i].def);
    return (fm_scene_run){
        .frames = scene->frames,
        .fps = scene->fps,
        .checkpoint_seconds = scene->checkpoint_seconds,
        .checkpoints_kept = scene->checkpoints_kept,
        .fields = scene->field_names,
        .check_intersections = scene->world.check_intersections,
        .loads = loads,
    };
}

// True when the scene file contains section.key, or the section when key is NULL.
static bool is_given(const fm_scene *scene, const char *section, const char *key)
{
    const fm_node *node = fm_node_find(scene->root, section);
    return node && (!key || fm_node_find(node, key));
}

// Transmittance of one metre of a fluid from that of `depth` metres.
static fm_vec3 find_transmittance(fm_vec3 water, double depth)
{
    return (fm_vec3){pow(water.x, 1 / depth), pow(water.y, 1 / depth), pow(water.z, 1 / depth)};
}

// Fills in the look of the scene's liquid where the scene gives none itself.
static void show_liquid(const fm_scene *scene, fm_picture_setting_def *def)
{
    int shown = fm_scene_shown_liquid(scene);
    const fm_scene_liquid *liquid = fm_scene_find_liquid(shown);
    if (shown == 0)
        return;
    if (!is_given(scene, "look", "foam"))
        def->look.foam = liquid->foam;
    if (def->look.has_water || def->look.has_fluid)
        return;
    if (!is_given(scene, "look", "mirror"))
        def->look.mirror = liquid->mirror;
    def->look.has_water = fm_length(liquid->water) > 0;
    def->look.water = find_transmittance(
        liquid->water, is_given(scene, "look", "depth") ? scene->look.depth : liquid->depth);
    def->look.has_fluid = fm_length(liquid->fluid) > 0;
    def->look.fluid = liquid->fluid;
}

// The keys `camera` and `look` of a scene, for pictures.
fm_picture_setting_def fm_scene_picture_setting(const fm_scene *scene)
{
    assert(scene);
    const fm_scene_camera *camera = &scene->camera;
    const fm_scene_look *look = &scene->look;
    static const char *const styles[] = {"underwater", "studio", "sky"};
    fm_picture_setting_def def = {.camera = {is_given(scene, "camera", NULL), camera->position,
                                             camera->target, camera->up, camera->field_of_view,
                                             camera->follow}};
    def.look.style = is_given(scene, "look", "style") ? styles[look->style] : NULL;
    def.look.has_cloth = is_given(scene, "look", "cloth");
    def.look.has_lines = is_given(scene, "look", "lines");
    def.look.has_background = is_given(scene, "look", "background");
    def.look.has_floor = is_given(scene, "look", "floor");
    def.look.has_water = is_given(scene, "look", "water");
    def.look.has_fluid = is_given(scene, "look", "fluid");
    def.look.fluid = look->fluid;
    def.look.cloth = look->cloth;
    def.look.pattern = look->pattern;
    def.look.stripes = look->stripes;
    def.look.checks = look->checks;
    def.look.lines = look->lines;
    def.look.background = look->background;
    def.look.floor = look->floor;
    def.look.water = find_transmittance(look->water, look->depth);
    def.look.particles = look->particles;
    def.look.foam = look->foam;
    def.look.mirror = look->mirror;
    show_liquid(scene, &def);
    return def;
}
