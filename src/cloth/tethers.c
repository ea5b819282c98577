// SPDX-License-Identifier: MIT
// tethers.c: computes long-range attachments [KCMF12], called tethers here, for a given set of
// fixed particles.
//
// A tether limits the distance of a particle to a fixed particle, the anchor, to their distance
// along the cloth at rest. The fixed particles form connected groups, called islands here. Oblique
// pulls are taken up by the ends of an island, so its two particles that are farthest apart are
// additional islands. Dijkstra's algorithm, started from all islands at once, finds the nearest
// anchor in up to FM_TETHERS_MAX islands for every particle. The length of a tether is, on a sheet,
// the straight distance in the flat sheet, or without shear edges, where yarns may rotate against
// each other, the distance along rows and columns; on a tube or mesh, the length of the path in the
// particle graph.
#include "cloth/correction_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NO_ISLAND = -1 };

// m, distance of particles i and j along a sheet at rest: straight, or along rows and columns if
// shear is not enforced.
static double sheet_distance(const fm_cloth *c, int i, int j)
{
    double across = abs(i % c->columns - j % c->columns) * c->dx;
    double down = abs(i / c->columns - j / c->columns) * c->dy;
    return c->def.enforcement.shear ? hypot(across, down) : across + down;
}

// Whether a path comes out of the heap before another: the shorter one first. Paths of equal length
// are ordered too, so that results do not depend on the layout of the heap.
static bool is_before(const path *one, const path *other)
{
    if (one->length != other->length)
        return one->length < other->length;
    if (one->particle != other->particle)
        return one->particle < other->particle;
    if (one->island != other->island)
        return one->island < other->island;
    return one->anchor < other->anchor;
}

// Inserts a path into the binary heap.
static void push_path(fm_map_scratch *f, path added)
{
    int i = f->heap_count++;
    for (int parent = (i - 1) / 2; i > 0 && is_before(&added, &f->heap[parent]);
         parent = (i - 1) / 2) {
        f->heap[i] = f->heap[parent];
        i = parent;
    }
    f->heap[i] = added;
}

// Removes the shortest path from the binary heap and returns it.
static path pop_path(fm_map_scratch *f)
{
    path shortest = f->heap[0], moved = f->heap[--f->heap_count];
    int i = 0, child = 1;
    for (; child < f->heap_count; child = 2 * i + 1) {
        if (child + 1 < f->heap_count && is_before(&f->heap[child + 1], &f->heap[child]))
            child++;
        if (!is_before(&f->heap[child], &moved))
            break;
        f->heap[i] = f->heap[child];
        i = child;
    }
    f->heap[i] = moved;
    return shortest;
}

// The particle of a list that was farthest from particle `from` when the cloth was created.
static int find_farthest(const fm_cloth *c, const int *list, int count, int from)
{
    int farthest = from;
    double most = 0;
    for (int k = 0; k < count; k++) {
        double length = fm_length(fm_sub(c->initial_x[list[k]], c->initial_x[from]));
        if (length > most) {
            most = length;
            farthest = list[k];
        }
    }
    return farthest;
}

// Collects the island of the fixed particle i: all fixed particles that links connect to it, in
// f->queue. Returns how many.
static int gather_island(const fm_cloth *c, fm_map_scratch *f, const fm_correction_map *map, int i)
{
    const fm_particle_graph *g = &c->enforcer->graph;
    int head = 0, tail = 0;
    f->queue[tail++] = i;
    f->island[i] = i;
    while (head < tail) {
        int at = f->queue[head++];
        for (int k = g->start[at]; k < g->start[at + 1]; k++) {
            int next = g->to[k];
            if (!map->fixed[next] || f->island[next] != NO_ISLAND)
                continue;
            f->island[next] = i;
            f->queue[tail++] = next;
        }
    }
    return tail;
}

// Pushes paths of length 0 from all particles of every island. The number of an island is its first
// particle. The two ends of an island, its particles that are farthest apart, are islands of their
// own, with numbers above the particle count.
static void start_paths(const fm_cloth *c, fm_map_scratch *f, const fm_correction_map *map)
{
    f->heap_count = 0;
    for (int i = 0; i < c->count; i++)
        f->island[i] = NO_ISLAND;
    for (int i = 0; i < c->count; i++) {
        if (!map->fixed[i] || f->island[i] != NO_ISLAND)
            continue;
        int count = gather_island(c, f, map, i);
        for (int k = 0; k < count; k++)
            push_path(f, (path){0, f->queue[k], f->queue[k], i});
        int one = find_farthest(c, f->queue, count, i);
        int other = find_farthest(c, f->queue, count, one);
        if (one == other)
            continue;
        push_path(f, (path){0, one, one, c->count + one});
        push_path(f, (path){0, other, other, c->count + other});
    }
}

// Whether the particle gets no further tether to this island: it has one already, or it has
// FM_TETHERS_MAX tethers.
static bool has_tether(const fm_cloth *c, const fm_map_scratch *f, int particle, int island)
{
    for (int k = 0; k < f->tether_count[particle]; k++) {
        if (f->tether_island[(size_t)k * c->count + particle] == island)
            return true;
    }
    return f->tether_count[particle] == FM_TETHERS_MAX;
}

// False if a path between the same particle and island that is not longer was pushed before. Else
// records this path as the shortest one. Beyond FM_TETHERS_MAX islands nothing is recorded.
static bool is_shortest(fm_map_scratch *f, const path *found)
{
    path *shortest = f->shortest + (size_t)found->particle * FM_TETHERS_MAX;
    for (int k = 0; k < FM_TETHERS_MAX; k++) {
        if (shortest[k].island == found->island && !is_before(found, &shortest[k]))
            return false;
        if (shortest[k].island == found->island || shortest[k].island == NO_ISLAND) {
            shortest[k] = *found;
            return true;
        }
    }
    return true;
}

// Removes all tethers: a tether from a particle to itself of infinite length does nothing.
static void clear_tethers(const fm_cloth *c, fm_correction_map *map)
{
    for (int k = 0; k < FM_TETHERS_MAX; k++) {
        for (int i = 0; i < c->lanes; i++) {
            map->tether_anchor[(size_t)k * c->lanes + i] = i;
            map->tether_length[(size_t)k * c->lanes + i] = INFINITY;
        }
    }
}

// Computes the tethers of all free particles by Dijkstra's algorithm, started from all islands at
// once. Paths leave the heap by rising length, so the first path to reach a particle from an island
// is the shortest.
void fm_correction_map_compute_tethers(const fm_cloth *c, fm_correction_map *map)
{
    fm_map_scratch *f = c->enforcer->scratch;
    const fm_particle_graph *g = &c->enforcer->graph;
    clear_tethers(c, map);
    start_paths(c, f, map);
    memset(f->tether_count, 0, (size_t)c->count * sizeof(int));
    for (int i = 0; i < FM_TETHERS_MAX * c->count; i++)
        f->shortest[i].island = NO_ISLAND;
    while (f->heap_count > 0) {
        path p = pop_path(f);
        int i = p.particle;
        if (map->fixed[i] ? p.length > 0 : has_tether(c, f, i, p.island))
            continue;
        if (!map->fixed[i]) {
            int slot = f->tether_count[i]++;
            map->tether_anchor[(size_t)slot * c->lanes + i] = p.anchor;
            map->tether_length[(size_t)slot * c->lanes + i] = p.length;
            f->tether_island[(size_t)slot * c->count + i] = p.island;
        }
        for (int k = g->start[i]; k < g->start[i + 1]; k++) {
            int next = g->to[k];
            if (map->fixed[next] || has_tether(c, f, next, p.island) || !isfinite(g->rest[k]))
                continue;
            double length = c->kind == FM_CLOTH_SHEET ? sheet_distance(c, next, p.anchor)
                                                      : p.length + g->rest[k];
            path longer = {length, next, p.anchor, p.island};
            if (is_shortest(f, &longer))
                push_path(f, longer);
        }
    }
}
