// SPDX-License-Identifier: MIT
// scene.c: scenes loaded, asked and destroyed.
#include "scene/scene.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char *join_fields(const fm_scene *scene, fm_loader *loader)
{
    int count;
    const fm_field *fields = fm_cloth_fields(&count);
    const int *chosen = scene->fields.data;
    fm_text text = {0};
    for (int i = 0; i < scene->fields.count; i++)
        fm_text_add(&text, "%s%s", i ? " " : "", fields[chosen[i]].name);
    const char *copy =
        text.failed ? NULL : fm_loader_copy(loader, text.data ? text.data : "", text.size);
    if (text.failed)
        fm_fail_no_memory(&loader->err, "scene", text.size);
    free(text.data);
    return copy;
}

static void write_texts(fm_scene *scene, fm_loader *loader)
{
    fm_text whole = {0}, hashed = {0};
    if (!fm_scene_write(scene->root, false, &whole) || !fm_scene_write(scene->root, true, &hashed))
        fm_fail_no_memory(&loader->err, "scene", whole.size);
    else
        scene->text = fm_loader_copy(loader, whole.data ? whole.data : "", whole.size);
    scene->hash = fm_hash(hashed.data ? hashed.data : "", hashed.size, 0);
    const fm_scene_body *bodies = scene->bodies.data;
    for (int i = 0; i < scene->bodies.count; i++) {
        const uint64_t *mesh = &bodies[i].cloth.mesh.hash; // what is in the file, not its name
        if (bodies[i].cloth.kind == FM_CLOTH_MESH)
            scene->hash = fm_hash(mesh, sizeof *mesh, scene->hash);
    }
    free(whole.data);
    free(hashed.data);
    scene->field_names = join_fields(scene, loader);
    fm_scene_name_columns(scene, loader);
}

static void decode_scene(fm_scene *scene, fm_loader *loader, const fm_source *source,
                         const char *const *settings, int setting_count)
{
    fm_node *root = fm_source_read(loader, source, source->text, source->size);
    if (root && root->kind != FM_NODE_MAPPING) {
        fm_complain(loader, root->place, "a scene is a mapping of keys");
        return;
    }
    root = root ? fm_extend(loader, source, root) : NULL;
    if (!root)
        return;
    for (int i = 0; i < setting_count; i++)
        fm_apply_setting(loader, root, settings[i]);
    if (loader->err.status != FM_OK)
        return;
    fm_decoder decoder = {.loader = loader, .root = root};
    fm_scene_table.set_defaults(scene);
    fm_decode(&decoder, &fm_scene_table, root, scene);
    scene->root = root;
    if (loader->mistake_count == 0 && loader->err.status == FM_OK)
        fm_scene_load_meshes(scene, loader);
    if (loader->mistake_count == 0 && loader->err.status == FM_OK)
        write_texts(scene, loader);
}

// Exactly one of path and text is given.
static fm_scene *load(const char *path, const char *text, size_t size, const char *name,
                      const char *folder, const char *const *settings, int setting_count,
                      fm_remark_function *remark, void *context, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    fm_scene *scene = calloc(1, sizeof *scene);
    if (!scene) {
        fm_fail_no_memory(err, "scene", sizeof *scene);
        return NULL;
    }
    fm_loader loader = {.arena = &scene->arena};
    const fm_source *source = path ? fm_source_open(&loader, path, NULL, (fm_place){0})
                                   : fm_source_of_text(&loader, name, folder, text, size);
    if (source)
        decode_scene(scene, &loader, source, settings, setting_count);
    bool good = fm_loader_report(&loader, remark, context, err);
    if (good && scene->text)
        return scene;
    fm_scene_destroy(scene);
    return NULL;
}

fm_scene *fm_scene_load(const char *path, const char *const *settings, int setting_count,
                        fm_remark_function *remark, void *context, fm_error *err)
{
    return load(path, NULL, 0, NULL, NULL, settings, setting_count, remark, context, err);
}

fm_scene *fm_scene_parse(const char *text, size_t size, const char *name, const char *folder,
                         const char *const *settings, int setting_count, fm_remark_function *remark,
                         void *context, fm_error *err)
{
    char with_slash[4096] = "";
    size_t length = folder ? strlen(folder) : 0;
    if (length > 0 && length + 2 < sizeof with_slash) {
        memcpy(with_slash, folder, length + 1);
        if (with_slash[length - 1] != '/')
            memcpy(with_slash + length, "/", 2);
    }
    return load(NULL, text, size, name ? name : "scene", with_slash, settings, setting_count,
                remark, context, err);
}

void fm_scene_destroy(fm_scene *scene)
{
    if (!scene)
        return;
    fm_arena_free(&scene->arena);
    free(scene);
}

const char *fm_scene_text(const fm_scene *scene)
{
    assert(scene);
    return scene->text;
}

uint64_t fm_scene_hash(const fm_scene *scene)
{
    assert(scene);
    return scene->hash;
}

const char *fm_scene_about(const fm_scene *scene)
{
    assert(scene);
    return scene->about;
}

const char *fm_scene_source(const fm_scene *scene)
{
    assert(scene);
    return scene->source;
}

fm_scene_run fm_scene_run_settings(const fm_scene *scene)
{
    assert(scene);
    const fm_scene_fluid *fluids = scene->fluids.data;
    bool loads = false;
    for (int i = 0; i < scene->fluids.count; i++)
        loads |= fluids[i].def.loads;
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

int fm_scene_cloth_count(const fm_scene *scene)
{
    assert(scene);
    return scene->bodies.count;
}

const char *fm_scene_cloth_name(const fm_scene *scene, int index)
{
    assert(scene);
    const fm_scene_body *bodies = scene->bodies.data;
    return index >= 0 && index < scene->bodies.count ? bodies[index].thing.name : NULL;
}
