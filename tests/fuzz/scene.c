// SPDX-License-Identifier: MIT
// scene.c: fuzz target: any bytes as a scene are either refused with diagnostics or give a scene
// whose text parses to the same scene and whose world, if it is small, can be built. Bytes after a
// zero byte are a setting.
#include <fathom/scene.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Callback for diagnostics: counts them in *context and aborts if one is incomplete.
static void check_diagnostic(void *context, const fm_diagnostic *diagnostic)
{
    int *count = context;
    ++*count;
    bool has_line = diagnostic->line > 0;
    if (!diagnostic->file || !diagnostic->text[0] || has_line != (diagnostic->column > 0))
        abort();
    if (diagnostic->source && strlen(diagnostic->source) + 1 < (size_t)diagnostic->column)
        abort();
}

// Builds the world of a scene and reads its probes. Skips scenes in which a key that ends with s
// (columns, rows, frames, ...) is above 100: sheets of millions of particles are valid but slow.
static void build(const fm_scene *scene)
{
    const char *text = fm_scene_text(scene);
    for (const char *key_end = text; (key_end = strstr(key_end, "s: ")); key_end++) {
        if (strtod(key_end + 3, NULL) > 100)
            return;
    }
    fm_error err = {0};
    fm_world *world = fm_scene_build(scene, 1, &err);
    if ((world != NULL) != (err.status == FM_OK))
        abort();
    double values[64];
    if (world && fm_scene_probe_column_count(scene) <= 64)
        fm_scene_read_probes(scene, world, values, &err);
    fm_world_destroy(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data, *zero = memchr(data, 0, size);
    size_t length = zero ? (size_t)(zero - text) : size, rest = zero ? size - length - 1 : 0;
    char *setting = calloc(rest + 1, 1);
    if (!setting)
        return 0;
    if (zero)
        memcpy(setting, zero + 1, rest);
    const char *settings[] = {setting};
    fm_error err = {0};
    int count = 0;
    fm_scene *scene = fm_scene_parse(text, length, "fuzz", "/nowhere", settings, zero != NULL,
                                     check_diagnostic, &count, &err);
    if ((scene != NULL) != (err.status == FM_OK) || (scene == NULL) != (count > 0))
        abort();
    if (scene) {
        const char *written = fm_scene_text(scene);
        fm_scene *again = fm_scene_parse(written, strlen(written), "again", "", NULL, 0,
                                         check_diagnostic, &count, &err);
        if (!again || strcmp(fm_scene_text(again), written) != 0 ||
            fm_scene_hash(again) != fm_scene_hash(scene))
            abort();
        fm_scene_destroy(again);
        build(scene);
    }
    fm_scene_destroy(scene);
    free(setting);
    return 0;
}
