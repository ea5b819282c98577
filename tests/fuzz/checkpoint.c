// SPDX-License-Identifier: MIT
// checkpoint.c: fuzz target: any bytes as a checkpoint are either refused, and the world is
// unchanged, or give a state that can be advanced. The checksums of the checkpoint and of the world
// are corrected first, because a fuzzer cannot guess them. The checksums inside the histories of
// fractional derivatives (fm_memory) are not corrected; the code behind them is reached from the
// valid states in the corpus.
#include "io/io.h"

#include <fathom/fathom.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// A world with a small cloth whose drag has a fractional derivative.
static fm_world *create_world(void)
{
    fm_error err = {0};
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = 1;
    fm_world *world = fm_world_create(&world_def, &err);
    fm_cloth_def def = fm_default_cloth_def();
    def.drag.model = FM_DRAG_PUBLISHED;
    def.drag.viscous = 1;
    def.drag.history.coefficient = 1;
    def.drag.history.memory.kind = FM_RECALL_STEPS;
    fm_sheet sheet = {.columns = 2, .rows = 2, .width = 0.1, .height = 0.1};
    fm_cloth *cloth = fm_cloth_create_sheet(world, &def, &sheet, &err);
    fm_cloth_pin_row(cloth, 0, NULL, &err);
    fm_world_advance(world, 1.0 / 60, &err);
    if (err.status != FM_OK)
        abort();
    return world;
}

// Writes the hash of the bytes before it into the last 8 bytes.
static void write_checksum(uint8_t *bytes, size_t size)
{
    uint64_t hash = fm_hash(bytes, size - sizeof hash, 0);
    memcpy(bytes + size - sizeof hash, &hash, sizeof hash);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    // bytes of a checkpoint before the state; bytes of both checksums; largest input that is tried
    enum { HEADER = 32, CHECKSUMS = 16, MAX_BYTES = 1 << 20 };
    if (size < HEADER + CHECKSUMS || size > MAX_BYTES)
        return 0;
    uint8_t *bytes = malloc(size);
    if (!bytes)
        return 0;
    memcpy(bytes, data, size);
    write_checksum(bytes + HEADER, size - HEADER - sizeof(uint64_t));
    write_checksum(bytes, size);
    fm_error err = {0};
    int frame;
    uint64_t scene_hash;
    size_t state_size;
    const void *state =
        fm_checkpoint_parse(bytes, size, "fuzz.state", &frame, &scene_hash, &state_size, &err);
    if ((state != NULL) != (err.status == FM_OK))
        abort();
    if (state) {
        fm_world *world = create_world();
        uint64_t before = fm_world_hash(world);
        if (fm_world_restore(world, state, state_size, &err))
            fm_world_advance(world, 1.0 / 60, &err); // may fail: the state may contain NaN
        else if (fm_world_hash(world) != before || err.status == FM_OK)
            abort();
        fm_world_destroy(world);
    }
    free(bytes);
    return 0;
}
