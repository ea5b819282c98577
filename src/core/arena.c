// SPDX-License-Identifier: MIT
// arena.c: memory arena: many allocations that are freed together.
#include "core/core.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, CHUNK_SIZE = 1 << 20 }; // bytes

// A block of memory from the system, from which allocations are cut. The bytes after the header,
// which takes ALIGNMENT bytes, are handed out in order.

typedef struct fm_arena_chunk {
    struct fm_arena_chunk *older; // chunk allocated before this one, or NULL
    size_t size;                  // bytes after the header
    size_t used;                  // bytes handed out
} chunk;

// Rounds up to a multiple of ALIGNMENT.
static size_t round_up(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

// Zeroed memory for count * size bytes, aligned to 64 bytes; NULL when that overflows or memory is
// out.
void *fm_aligned_calloc(size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - ALIGNMENT) / size)
        return NULL;
    size_t bytes = round_up(count && size ? count * size : 1);
    void *memory = aligned_alloc(ALIGNMENT, bytes);
    if (memory)
        memset(memory, 0, bytes);
    return memory;
}

// Gets a chunk of at least `bytes` bytes from the system; false when out of memory.
static bool add_chunk(fm_arena *arena, size_t bytes)
{
    size_t size = bytes > CHUNK_SIZE ? bytes : CHUNK_SIZE;
    chunk *fresh = fm_aligned_calloc(1, ALIGNMENT + size);
    if (!fresh)
        return false;
    fresh->older = arena->newest;
    fresh->size = size;
    arena->newest = fresh;
    arena->held += ALIGNMENT + size;
    return true;
}

// Allocates count * size zeroed bytes. Returns NULL when err holds a failure, or on failure, with
// err filled. object: named in the error.
void *fm_arena_alloc(fm_arena *arena, size_t count, size_t size, const char *object, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    if (size && count > (SIZE_MAX - CHUNK_SIZE) / size) {
        fm_fail_no_memory(err, object, SIZE_MAX);
        return NULL;
    }
    size_t bytes = round_up(count * size);
    chunk *newest = arena->newest;
    if ((!newest || newest->size - newest->used < bytes) && !add_chunk(arena, bytes)) {
        fm_fail_no_memory(err, object, bytes);
        return NULL;
    }
    newest = arena->newest;
    void *piece = (char *)newest + ALIGNMENT + newest->used;
    newest->used += bytes;
    arena->used += bytes;
    return piece;
}

// Frees all memory of the arena.
void fm_arena_destroy(fm_arena *arena)
{
    for (chunk *each = arena->newest; each;) {
        chunk *older = each->older;
        free(each);
        each = older;
    }
    *arena = (fm_arena){0};
}
