// SPDX-License-Identifier: MIT
// Any bytes as a scene: refused with a place, or a scene whose text reads back the same, and whose
// world, when it is small, can be built. The part after a zero byte are settings.
#include <fathom/scene.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_remark(void *context, const fm_remark *remark)
{
    int *count = context;
    ++*count;
    bool placed = remark->line > 0;
    if (!remark->file || !remark->text[0] || placed != (remark->column > 0))
        abort();
    if (remark->source && strlen(remark->source) + 1 < (size_t)remark->column)
        abort();
}

static void build(const fm_scene *scene)
{
    // sheets of millions of particles are allowed, and slow
    const char *text = fm_scene_text(scene);
    for (const char *at = text; (at = strstr(at, "s: ")); at++) {
        if (strtod(at + 3, NULL) > 100)
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
                                     check_remark, &count, &err);
    if ((scene != NULL) != (err.status == FM_OK) || (scene == NULL) != (count > 0))
        abort();
    if (scene) {
        const char *written = fm_scene_text(scene);
        fm_scene *again = fm_scene_parse(written, strlen(written), "again", "", NULL, 0,
                                         check_remark, &count, &err);
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
