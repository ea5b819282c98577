// SPDX-License-Identifier: MIT
// fluid_field.c: the sum of a fluid's kernels on a sparse grid of blocks.
//
//     f(x) = sum_i peak_i max(0, 1 - q_i^2)^3        (fluid_kernels.c)
//
// Only blocks that a kernel overlaps exist. A block is deep if it and its 26 neighbours are full of
// particles that have fluid on every side; its values are set to 1 without evaluating the sum. The
// cost is therefore proportional to the area of the surface, not to the volume. A wrong guess may
// cost a visible facet but never a hole, because each grid node has exactly one value.
//
// Each block sums the kernels that overlap it in the order of the particles and writes only its own
// values: the result has the same bits for any number of threads.
#include "core/simd.h"
#include "draw/fluid_surface.h"

#include <stdlib.h>
#include <string.h>

// This isovalue puts the surface of a flat fluid half a spacing above its topmost particles, to
// 0.03 spacings. It is less than 1/2 because the centres of the kernels are moved inwards
// (fluid_kernels.c).
const float fm_fluid_isovalue = 0.2375f;

enum { BLOCKS_PER_TASK = 64 }; // blocks whose neighbours one task of a thread looks up

// Integer coordinates of a block of the grid.
typedef struct block_index {
    int x, y, z;
} block_index;

// Hash of block coordinates: large primes per axis, as usual for spatial hashing, then a mixing
// step.
static uint32_t hash_block(block_index p)
{
    uint32_t h = (uint32_t)p.x * 73856093u ^ (uint32_t)p.y * 19349663u ^ (uint32_t)p.z * 83492791u;
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    return h ^ (h >> 13);
}

// The hash table slot that holds a block or, if there is no such block, the free slot for it.
static int find_slot(const fm_fluid_field *field, block_index p)
{
    int slot = (int)(hash_block(p) & (uint32_t)field->table_mask);
    for (;; slot = (slot + 1) & field->table_mask) {
        int number = field->table[slot];
        if (number < 0)
            return slot;
        const fm_field_block *b = &field->blocks[number];
        if (b->x == p.x && b->y == p.y && b->z == p.z)
            return slot;
    }
}

// Doubles the capacity for blocks and rebuilds the hash table with four slots per block.
static bool grow_blocks(fm_fluid_field *field, fm_error *err)
{
    int capacity = field->block_capacity ? 2 * field->block_capacity : 256;
    size_t bytes = (size_t)capacity * sizeof *field->blocks;
    fm_field_block *blocks = realloc(field->blocks, bytes);
    if (blocks)
        field->blocks = blocks;
    int *table = blocks ? malloc(4 * (size_t)capacity * sizeof *table) : NULL;
    if (!table)
        return fm_fail_no_memory(err, "fluid", bytes);
    free(field->table);
    field->table = table;
    field->table_mask = 4 * capacity - 1;
    field->block_capacity = capacity;
    memset(table, -1, 4 * (size_t)capacity * sizeof *table);
    for (int i = 0; i < field->block_count; i++) {
        const fm_field_block *b = &field->blocks[i];
        table[find_slot(field, (block_index){b->x, b->y, b->z})] = i;
    }
    return true;
}

// Adds a block unless it exists.
static bool add_block(fm_fluid_field *field, block_index p, fm_error *err)
{
    if (field->block_count == field->block_capacity && !grow_blocks(field, err))
        return false;
    int slot = find_slot(field, p);
    if (field->table[slot] < 0) {
        field->table[slot] = field->block_count;
        field->blocks[field->block_count++] = (fm_field_block){.x = p.x, .y = p.y, .z = p.z};
    }
    return true;
}

// Block coordinate of a position x along one axis. size: side of a block.
static int block_of(float x, float size)
{
    return (int)floorf(x / size);
}

// Adds every block that has a node inside a kernel's support, or a cell with such a node as corner.
static bool add_blocks(fm_fluid_field *field, const fm_fluid_kernels *kernels, fm_error *err)
{
    float size = field->cell * FM_FIELD_BLOCK_SIDE;
    int last[6] = {1, 1, 1, 0, 0, 0}; // block range of the previous particle: none
    for (int i = 0; i < kernels->count; i++) {
        const fm_fluid_kernel *k = &kernels->list[i];
        const float at[3] = {k->x, k->y, k->z};
        int box[6];
        for (int axis = 0; axis < 3; axis++) {
            // cells begin one node before the support; half a cell more as a margin
            box[axis] = block_of(at[axis] - k->reach[axis] - 1.5f * field->cell, size);
            box[3 + axis] = block_of(at[axis] + k->reach[axis], size);
        }
        if (memcmp(box, last, sizeof box) == 0) // the same blocks as for the previous particle
            continue;
        memcpy(last, box, sizeof box);
        for (int z = box[2]; z <= box[5]; z++)
            for (int y = box[1]; y <= box[4]; y++)
                for (int x = box[0]; x <= box[3]; x++)
                    if (!add_block(field, (block_index){x, y, z}, err))
                        return false;
    }
    return true;
}

// Task of a thread: looks up the 27 blocks around each block from first to last - 1.
static void link_neighbours(void *context, int first, int last)
{
    fm_fluid_field *field = context;
    for (int i = first; i < last; i++) {
        fm_field_block *b = &field->blocks[i];
        for (int k = 0; k < 27; k++) {
            block_index p = {b->x + k % 3 - 1, b->y + k / 3 % 3 - 1, b->z + k / 9 - 1};
            b->around[k] = field->table[find_slot(field, p)];
        }
    }
}

// For each block, one bit per octant: whether it holds particles. All bits are 0 if a particle of
// the block has no fluid on some side. The caller frees the array.
static unsigned char *find_filled_octants(const fm_fluid_field *field,
                                          const fm_fluid_kernels *kernels, fm_error *err)
{
    size_t n = (size_t)field->block_count;
    unsigned char *filled = calloc(n + 1, 1);
    bool *has_outer = calloc(n + 1, sizeof *has_outer);
    float size = field->cell * FM_FIELD_BLOCK_SIDE;
    for (int i = 0; filled && has_outer && i < kernels->count; i++) {
        const fm_fluid_kernel *k = &kernels->list[i];
        block_index p = {block_of(k->x, size), block_of(k->y, size), block_of(k->z, size)};
        int number = field->table[find_slot(field, p)];
        if (number < 0)
            continue;
        int octant = (k->x > ((float)p.x + 0.5f) * size) |
                     (k->y > ((float)p.y + 0.5f) * size) << 1 |
                     (k->z > ((float)p.z + 0.5f) * size) << 2;
        filled[number] |= (unsigned char)(1 << octant);
        has_outer[number] = has_outer[number] || !kernels->inner[i];
    }
    if (!filled || !has_outer)
        fm_fail_no_memory(err, "fluid", 2 * n);
    for (size_t i = 0; filled && has_outer && i < n; i++)
        filled[i] = has_outer[i] ? 0 : filled[i];
    free(has_outer);
    return filled;
}

// Allocates node values for all blocks that are not deep inside the fluid. A block is deep if it
// and its 26 neighbours are full of particles with fluid on every side.
static bool create_values(fm_fluid_field *field, const fm_fluid_kernels *kernels, fm_error *err)
{
    unsigned char *filled = find_filled_octants(field, kernels, err);
    if (err->status != FM_OK) {
        free(filled);
        return false;
    }
    for (int i = 0; i < field->block_count; i++) {
        fm_field_block *b = &field->blocks[i];
        bool deep = true;
        for (int k = 0; k < 27 && deep; k++)
            deep = b->around[k] >= 0 && filled[b->around[k]] == 0xff;
        b->values = deep ? -1 : field->value_count++;
    }
    free(filled);
    size_t count = (size_t)field->value_count * FM_FIELD_BLOCK_NODES;
    field->values = fm_aligned_calloc(count, sizeof *field->values);
    return field->values || fm_fail_no_memory(err, "fluid", count * sizeof *field->values);
}

// Summation of kernels on the blocks of a field.
typedef struct field_job {
    fm_fluid_field *field;
    const fm_fluid_kernels *kernels;
} field_job;

// Adds one kernel to the node values of a block. origin: position of the block's first node; cell:
// side of a cell.
FM_SIMD_CLONES
static void add_kernel(const fm_fluid_kernel *k, const float origin[3], float cell, float *values)
{
    const float at[3] = {k->x - origin[0], k->y - origin[1], k->z - origin[2]};
    int low[3], high[3];
    for (int axis = 0; axis < 3; axis++) {
        float from = ceilf((at[axis] - k->reach[axis]) / cell);
        float to = floorf((at[axis] + k->reach[axis]) / cell);
        if (!(from <= FM_FIELD_BLOCK_SIDE - 1 && to >= 0))
            return;
        low[axis] = from > 0 ? (int)from : 0;
        high[axis] = to < FM_FIELD_BLOCK_SIDE - 1 ? (int)to : FM_FIELD_BLOCK_SIDE - 1;
    }
    for (int z = low[2]; z <= high[2]; z++) {
        for (int y = low[1]; y <= high[1]; y++) {
            float dy = (float)y * cell - at[1], dz = (float)z * cell - at[2];
            // along the row, q^2 = c + 2 b dx + xx dx^2, at least c - b^2 / xx
            float b = k->xy * dy + k->xz * dz;
            float c = k->yy * dy * dy + k->zz * dz * dz + 2 * k->yz * dy * dz;
            if (c - b * b / k->xx >= 1)
                continue;
            float *row = values + (size_t)(z * FM_FIELD_BLOCK_SIDE + y) * FM_FIELD_BLOCK_SIDE;
#pragma omp simd
            for (int x = 0; x < FM_FIELD_BLOCK_SIDE; x++) {
                float dx = (float)x * cell - at[0];
                float w = 1 - (c + dx * (2 * b + k->xx * dx)); // 1 - q^2
                w = w > 0 ? w : 0;
                row[x] += k->peak * w * w * w;
            }
        }
    }
}

// Sums all kernels that overlap a block at its nodes.
static void sum_block(const field_job *job, const fm_field_block *b)
{
    const fm_cell_list *cells = &job->kernels->cells;
    float cell = job->field->cell, size = cell * FM_FIELD_BLOCK_SIDE, reach = job->kernels->reach;
    const float origin[3] = {(float)b->x * size, (float)b->y * size, (float)b->z * size};
    float *values = job->field->values + (size_t)b->values * FM_FIELD_BLOCK_NODES;
    // kernel centres are less than one cell away from their particles
    double margin = reach + cells->size;
    fm_cell low =
        fm_cell_list_find_cell(cells, origin[0] - margin, origin[1] - margin, origin[2] - margin);
    fm_cell high = fm_cell_list_find_cell(cells, origin[0] + size + margin,
                                          origin[1] + size + margin, origin[2] + size + margin);
    for (int z = low.z; z <= high.z; z++) {
        for (int y = low.y; y <= high.y; y++) {
            for (int x = low.x; x <= high.x; x++) {
                fm_cell at = {x, y, z};
                int bucket = fm_cell_list_find_bucket(cells, at);
                for (int i = cells->start[bucket]; i < cells->start[bucket + 1]; i++)
                    if (memcmp(&cells->cell[cells->order[i]], &at, sizeof at) == 0)
                        add_kernel(&job->kernels->list[i], origin, cell, values);
            }
        }
    }
}

// Task of a thread: sums the kernels of blocks first to last - 1 that have node values.
static void sum_blocks(void *context, int first, int last)
{
    const field_job *job = context;
    for (int i = first; i < last; i++)
        if (job->field->blocks[i].values >= 0)
            sum_block(job, &job->field->blocks[i]);
}

// Computes the sum of the kernels on all blocks of cells that a kernel overlaps. cell: side of a
// cell, particle spacings.
bool fm_fluid_field_compute(fm_fluid_field *field, const fm_fluid_kernels *kernels, double cell,
                            fm_pool *pool, fm_error *err)
{
    *field = (fm_fluid_field){.cell = (float)cell};
    if (err->status != FM_OK || !grow_blocks(field, err) || !add_blocks(field, kernels, err))
        return false;
    fm_parallel_for(pool, field->block_count, BLOCKS_PER_TASK, link_neighbours, field);
    if (!create_values(field, kernels, err))
        return false;
    field_job job = {field, kernels};
    fm_parallel_for(pool, field->block_count, 1, sum_blocks, &job);
    return true;
}

// Frees the blocks, their hash table and the node values.
void fm_fluid_field_destroy(fm_fluid_field *field)
{
    free(field->blocks);
    free(field->table);
    free(field->values);
    *field = (fm_fluid_field){0};
}
