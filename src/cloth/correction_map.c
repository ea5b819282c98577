// SPDX-License-Identifier: MIT
// correction_map.c: a correction map holds what follows from a set of fixed particles: tethers
// (tethers.c), or the ordered list of springs of [OZG13] (correction_list.c). Enforcement
// (constraint projection of edge lengths, strain_limiting.c) uses both.
#include "cloth/correction_map.h"

#include <math.h>

// Allocates the arrays for computing maps. The heap holds at most one path per tether and link, and
// three that start at each particle.
bool fm_map_scratch_create(fm_cloth *c, fm_error *err)
{
    fm_arena *arena = &c->arena;
    size_t n = (size_t)c->count, list = n * (size_t)c->def.enforcement.visits + 1;
    fm_map_scratch *f = fm_arena_alloc(arena, 1, sizeof *f, "enforcement", err);
    if (!f)
        return false;
    f->heap =
        fm_arena_alloc(arena, n * FM_TETHERS_MAX * (size_t)c->enforcer->graph.max_links + 3 * n,
                       sizeof *f->heap, c->object.name, err);
    f->island = fm_arena_alloc(arena, n, sizeof(int), c->object.name, err);
    f->tether_count = fm_arena_alloc(arena, n, sizeof(int), c->object.name, err);
    f->tether_island = fm_arena_alloc(arena, n * FM_TETHERS_MAX, sizeof(int), c->object.name, err);
    f->shortest =
        fm_arena_alloc(arena, n * FM_TETHERS_MAX, sizeof *f->shortest, c->object.name, err);
    f->visits = fm_arena_alloc(arena, n, sizeof(int), c->object.name, err);
    f->level = fm_arena_alloc(arena, n, sizeof(int), c->object.name, err);
    f->queue = fm_arena_alloc(arena, n + list, sizeof(int), c->object.name, err);
    if (c->def.enforcement.method == FM_ENFORCE_PUBLISHED) {
        f->a = fm_arena_alloc(arena, list, sizeof(int), c->object.name, err);
        f->b = fm_arena_alloc(arena, list, sizeof(int), c->object.name, err);
        f->rest = fm_arena_alloc(arena, list, sizeof(double), c->object.name, err);
        f->edge_level = fm_arena_alloc(arena, list, sizeof(int), c->object.name, err);
        f->fill = fm_arena_alloc(arena, list + 2, sizeof(int), c->object.name, err);
    }
    c->enforcer->scratch = f;
    return err->status == FM_OK;
}

// Allocates the arrays of a map. The published list has at most `visits` springs per particle.
bool fm_correction_map_create(fm_cloth *c, fm_correction_map *map, fm_error *err)
{
    fm_arena *arena = &c->arena;
    size_t lanes = (size_t)c->lanes;
    size_t list = (size_t)c->count * (size_t)c->def.enforcement.visits + 1;
    map->fixed = fm_arena_alloc(arena, lanes, 1, c->object.name, err);
    map->rank = fm_arena_alloc(arena, lanes, sizeof(double), c->object.name, err);
    map->tether_anchor =
        fm_arena_alloc(arena, FM_TETHERS_MAX * lanes, sizeof(int), c->object.name, err);
    map->tether_length =
        fm_arena_alloc(arena, FM_TETHERS_MAX * lanes, sizeof(double), c->object.name, err);
    if (c->def.enforcement.method == FM_ENFORCE_PUBLISHED) {
        map->list.a = fm_arena_alloc(arena, list, sizeof(int), c->object.name, err);
        map->list.b = fm_arena_alloc(arena, list, sizeof(int), c->object.name, err);
        map->list.rest = fm_arena_alloc(arena, list, sizeof(double), c->object.name, err);
        map->list.group = fm_arena_alloc(arena, list + 2, sizeof(int), c->object.name, err);
    }
    return err->status == FM_OK;
}

// Computes the rank of each particle, from 0 (fixed) to 1, for pictures: its first place in the
// published list over the length of the list, or the length of its first tether over the longest
// one.
static void find_ranks(const fm_cloth *c, fm_correction_map *map)
{
    const fm_map_scratch *f = c->enforcer->scratch;
    double farthest = 0;
    for (int i = 0; i < c->count; i++)
        map->rank[i] = map->fixed[i] ? 0 : 1;
    if (c->def.enforcement.method == FM_ENFORCE_PUBLISHED) {
        for (int e = map->list.count - 1; e >= 0; e--)
            map->rank[f->b[e]] = (e + 1.0) / map->list.count;
        return;
    }
    for (int i = 0; i < c->count; i++)
        farthest =
            isfinite(map->tether_length[i]) ? fmax(farthest, map->tether_length[i]) : farthest;
    for (int i = 0; i < c->count && farthest > 0; i++) {
        if (isfinite(map->tether_length[i]))
            map->rank[i] = map->tether_length[i] / farthest;
    }
}

// Computes tethers or the published list, and ranks, from map->fixed.
void fm_correction_map_compute(const fm_cloth *c, fm_correction_map *map, fm_vec3 direction)
{
    map->fixed_count = 0;
    for (int i = 0; i < c->count; i++)
        map->fixed_count += map->fixed[i];
    if (c->def.enforcement.method == FM_ENFORCE_PUBLISHED) {
        fm_correction_map_compute_list(c, map, direction);
    } else if (c->def.enforcement.method == FM_ENFORCE_DIRECTIONAL) {
        fm_correction_map_compute_tethers(c, map);
    }
    find_ranks(c, map);
}
