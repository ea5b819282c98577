// SPDX-License-Identifier: MIT
// point_cache.c: fuzz target: any bytes as a PC2 and as an MDD file are either refused with an
// error or give finite positions for all vertices and frames.
#include "io/io.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Aborts unless a file of `size` bytes was refused with an error or gave finite positions. Frees
// the positions.
static void check(bool good, const fm_error *err, const fm_frame_data *frames, size_t size)
{
    if (good != (err->status == FM_OK) || good != (frames->positions != NULL))
        abort();
    if (!good)
        return;
    size_t values = 3 * (size_t)frames->frame_count * (size_t)frames->vertex_count;
    if (values * sizeof(float) > size || !(frames->step > 0) || !isfinite(frames->first))
        abort();
    for (size_t i = 0; i < values; i++)
        if (!isfinite(frames->positions[i]))
            abort();
    free(frames->positions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fm_error pc2 = {0}, mdd = {0};
    fm_frame_data frames;
    bool good = fm_pc2_parse((const char *)data, size, "fuzz.pc2", &frames, &pc2);
    check(good, &pc2, &frames, size);
    good = fm_mdd_parse((const char *)data, size, "fuzz.mdd", &frames, &mdd);
    check(good, &mdd, &frames, size);
    return 0;
}
