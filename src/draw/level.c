// SPDX-License-Identifier: MIT
// level.c: the field of a fluid's kernels, on blocks of cells.
//
// Blocks exist where a kernel reaches. A block and all those around it that are full of particles
// with fluid on every side are deep: the field is 1 there without a sum. So the work goes with
// the surface, not with the volume; whatever is guessed wrongly costs a facet, never a hole, since
// every node of space has one value.
//
// Each block sums the kernels that reach it, in the order of the particles, and writes to no other:
// the same bits for any number of threads.
#include "core/simd.h"
#include "draw/fluid.h"

#include <stdlib.h>
#include <string.h>

// With this the surface of a flat fluid is where it should be, half a spacing above its topmost
// particles. Less than 1/2, since the centres of the kernels have moved inwards (kernels.c).
const float fm_level_surface = 0.25f;

typedef struct place {
    int x, y, z;
} place;

static uint32_t hash_place(place p)
{
    uint32_t h = (uint32_t)p.x * 73856093u ^ (uint32_t)p.y * 19349663u ^ (uint32_t)p.z * 83492791u;
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    return h ^ (h >> 13);
}

// The slot of the table where a block is, or would be.
static int find_slot(const fm_level *level, place p)
{
    int slot = (int)(hash_place(p) & (uint32_t)level->table_mask);
    for (;; slot = (slot + 1) & level->table_mask) {
        int number = level->table[slot];
        if (number < 0)
            return slot;
        const fm_level_block *b = &level->blocks[number];
        if (b->x == p.x && b->y == p.y && b->z == p.z)
            return slot;
    }
}

// Twice the room, for the table four times as much as for the blocks.
static bool grow(fm_level *level, fm_error *err)
{
    int room = level->block_room ? 2 * level->block_room : 256;
    size_t bytes = (size_t)room * sizeof *level->blocks;
    fm_level_block *blocks = realloc(level->blocks, bytes);
    if (blocks)
        level->blocks = blocks;
    int *table = blocks ? malloc(4 * (size_t)room * sizeof *table) : NULL;
    if (!table)
        return fm_fail_no_memory(err, "fluid", bytes);
    free(level->table);
    level->table = table;
    level->table_mask = 4 * room - 1;
    level->block_room = room;
    memset(table, -1, 4 * (size_t)room * sizeof *table);
    for (int i = 0; i < level->block_count; i++) {
        const fm_level_block *b = &level->blocks[i];
        table[find_slot(level, (place){b->x, b->y, b->z})] = i;
    }
    return true;
}

static bool add_block(fm_level *level, place p, fm_error *err)
{
    if (level->block_count == level->block_room && !grow(level, err))
        return false;
    int slot = find_slot(level, p);
    if (level->table[slot] < 0) {
        level->table[slot] = level->block_count;
        level->blocks[level->block_count++] = (fm_level_block){.x = p.x, .y = p.y, .z = p.z};
    }
    return true;
}

static int block_of(float x, float size)
{
    return (int)floorf(x / size);
}

// Every block with a node that a kernel reaches, or with a cell that has such a node.
static bool add_blocks(fm_level *level, const fm_kernels *kernels, fm_error *err)
{
    float size = level->cell * FM_BLOCK;
    int last[6] = {1, 1, 1, 0, 0, 0};
    for (int i = 0; i < kernels->count; i++) {
        const fm_kernel *k = &kernels->each[i];
        const float at[3] = {k->x, k->y, k->z};
        int box[6];
        for (int axis = 0; axis < 3; axis++) {
            box[axis] = block_of(at[axis] - k->reach[axis] - 1.5f * level->cell, size);
            box[3 + axis] = block_of(at[axis] + k->reach[axis], size);
        }
        if (memcmp(box, last, sizeof box) == 0) // as with the particle before
            continue;
        memcpy(last, box, sizeof box);
        for (int z = box[2]; z <= box[5]; z++)
            for (int y = box[1]; y <= box[4]; y++)
                for (int x = box[0]; x <= box[3]; x++)
                    if (!add_block(level, (place){x, y, z}, err))
                        return false;
    }
    return true;
}

static void find_around(void *context, int first, int last)
{
    fm_level *level = context;
    for (int i = first; i < last; i++) {
        fm_level_block *b = &level->blocks[i];
        for (int k = 0; k < 27; k++) {
            place p = {b->x + k % 3 - 1, b->y + k / 3 % 3 - 1, b->z + k / 9 - 1};
            b->around[k] = level->table[find_slot(level, p)];
        }
    }
}

// Which octants of each block hold particles; all bits off where one of them is not inner.
static unsigned char *find_full(const fm_level *level, const fm_kernels *kernels, fm_error *err)
{
    size_t n = (size_t)level->block_count;
    unsigned char *full = calloc(n + 1, 1);
    bool *outer = calloc(n + 1, sizeof *outer);
    float size = level->cell * FM_BLOCK;
    for (int i = 0; full && outer && i < kernels->count; i++) {
        const fm_kernel *k = &kernels->each[i];
        place p = {block_of(k->x, size), block_of(k->y, size), block_of(k->z, size)};
        int number = level->table[find_slot(level, p)];
        if (number < 0)
            continue;
        int octant = (k->x > ((float)p.x + 0.5f) * size) |
                     (k->y > ((float)p.y + 0.5f) * size) << 1 |
                     (k->z > ((float)p.z + 0.5f) * size) << 2;
        full[number] |= (unsigned char)(1 << octant);
        outer[number] = outer[number] || !kernels->inner[i];
    }
    if (!full || !outer)
        fm_fail_no_memory(err, "fluid", 2 * n);
    for (size_t i = 0; full && outer && i < n; i++)
        full[i] = outer[i] ? 0 : full[i];
    free(outer);
    return full;
}

static bool alloc_values(fm_level *level, const fm_kernels *kernels, fm_error *err)
{
    unsigned char *full = find_full(level, kernels, err);
    if (err->status != FM_OK) {
        free(full);
        return false;
    }
    for (int i = 0; i < level->block_count; i++) {
        fm_level_block *b = &level->blocks[i];
        bool deep = true;
        for (int k = 0; k < 27 && deep; k++)
            deep = b->around[k] >= 0 && full[b->around[k]] == 0xff;
        b->values = deep ? -1 : level->value_count++;
    }
    free(full);
    size_t count = (size_t)level->value_count * FM_BLOCK_NODES;
    level->values = fm_alloc_aligned(count, sizeof *level->values);
    return level->values || fm_fail_no_memory(err, "fluid", count * sizeof *level->values);
}

typedef struct level_job {
    fm_level *level;
    const fm_kernels *kernels;
} level_job;

// One kernel's part of a block, row by row; origin: of the block.
FM_SIMD_CLONES
static void add_kernel(const fm_kernel *k, const float origin[3], float cell, float *values)
{
    const float at[3] = {k->x - origin[0], k->y - origin[1], k->z - origin[2]};
    int low[3], high[3];
    for (int axis = 0; axis < 3; axis++) {
        float from = ceilf((at[axis] - k->reach[axis]) / cell);
        float to = floorf((at[axis] + k->reach[axis]) / cell);
        if (!(from <= FM_BLOCK - 1 && to >= 0))
            return;
        low[axis] = from > 0 ? (int)from : 0;
        high[axis] = to < FM_BLOCK - 1 ? (int)to : FM_BLOCK - 1;
    }
    for (int z = low[2]; z <= high[2]; z++) {
        for (int y = low[1]; y <= high[1]; y++) {
            float dy = (float)y * cell - at[1], dz = (float)z * cell - at[2];
            float b = k->xy * dy + k->xz * dz;
            float c = k->yy * dy * dy + k->zz * dz * dz + 2 * k->yz * dy * dz;
            if (c - b * b / k->xx >= 1)
                continue;
            float *row = values + (size_t)(z * FM_BLOCK + y) * FM_BLOCK;
#pragma omp simd
            for (int x = 0; x < FM_BLOCK; x++) {
                float dx = (float)x * cell - at[0];
                float left = 1 - (c + dx * (2 * b + k->xx * dx));
                left = left > 0 ? left : 0;
                row[x] += k->peak * left * left * left;
            }
        }
    }
}

static void fill_block(const level_job *job, const fm_level_block *b)
{
    const fm_cells *cells = &job->kernels->cells;
    float cell = job->level->cell, size = cell * FM_BLOCK, reach = job->kernels->reach;
    const float origin[3] = {(float)b->x * size, (float)b->y * size, (float)b->z * size};
    float *values = job->level->values + (size_t)b->values * FM_BLOCK_NODES;
    // centres may have moved away from their particles, by less than a cell
    double margin = reach + cells->size;
    fm_cell low = fm_cells_at(cells, origin[0] - margin, origin[1] - margin, origin[2] - margin);
    fm_cell high = fm_cells_at(cells, origin[0] + size + margin, origin[1] + size + margin,
                               origin[2] + size + margin);
    for (int z = low.z; z <= high.z; z++) {
        for (int y = low.y; y <= high.y; y++) {
            for (int x = low.x; x <= high.x; x++) {
                fm_cell at = {x, y, z};
                int bucket = fm_cells_bucket(cells, at);
                for (int i = cells->start[bucket]; i < cells->start[bucket + 1]; i++)
                    if (memcmp(&cells->cell[cells->order[i]], &at, sizeof at) == 0)
                        add_kernel(&job->kernels->each[i], origin, cell, values);
            }
        }
    }
}

static void fill_blocks(void *context, int first, int last)
{
    const level_job *job = context;
    for (int i = first; i < last; i++)
        if (job->level->blocks[i].values >= 0)
            fill_block(job, &job->level->blocks[i]);
}

bool fm_level_compute(fm_level *level, const fm_kernels *kernels, double cell, fm_pool *pool,
                      fm_error *err)
{
    *level = (fm_level){.cell = (float)cell};
    if (err->status != FM_OK || !grow(level, err) || !add_blocks(level, kernels, err))
        return false;
    fm_parallel_for(pool, level->block_count, 64, find_around, level);
    if (!alloc_values(level, kernels, err))
        return false;
    level_job job = {level, kernels};
    fm_parallel_for(pool, level->block_count, 1, fill_blocks, &job);
    return true;
}

void fm_level_free(fm_level *level)
{
    free(level->blocks);
    free(level->table);
    free(level->values);
    *level = (fm_level){0};
}
