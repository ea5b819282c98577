// SPDX-License-Identifier: MIT
// correction_order.c: computes tethers, or the ordered list of edges, for a given set of fixed
// particles. Enforcement (constraint projection of edge lengths, strain_limiting.c) uses both.
//
// Tethers (long-range attachments [KCMF12]) limit the distance of a particle to a fixed particle,
// the anchor, to their distance along the cloth at rest. The fixed particles form connected groups,
// called islands here. Oblique pulls are taken up by the ends of an island, so its two particles
// that are farthest apart are additional islands. Dijkstra's algorithm, started from all islands at
// once, finds the nearest anchor in up to FM_TETHERS_MAX islands for every particle. The length of
// a tether is, on a sheet, the straight distance in the flat sheet, or without shear edges, where
// yarns may rotate against each other, the distance along rows and columns; on a tube or mesh, the
// length of the path in the particle graph.
//
// Published list, [OZG13] algorithm 3: all fixed particles enter a queue. Each particle taken from
// the queue is expanded along its horizontal springs, then its vertical springs downwards, then its
// shear springs downwards (or in another order of these three classes). Each such spring is
// appended to the list and its far end to the queue, unless that end was reached `visits` times
// before. Springs without a common particle are then collected in groups that can be corrected in
// parallel and give the same result as the list in its order.
#include "cloth/cloth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NO_ISLAND = -1 };

// A path along the cloth from an anchor (a fixed particle) in an island to a particle.
typedef struct path {
    double length; // m
    int particle, anchor, island;
} path;

// Arrays for computing a map.
typedef struct fm_map_scratch {
    path *heap;         // binary heap of paths, the shortest first
    int heap_count;     // number of paths in the heap
    int *queue;         // particles that have been reached and not yet expanded
    int *visits;        // [count] how often the published list has reached a particle
    int *level;         // [count] first group in which a particle may be corrected next
    int *island;        // [count] island of each fixed particle
    int *tether_count;  // [count] tethers of each particle
    int *tether_island; // [FM_TETHERS_MAX][count] island of the anchor of each tether
    path *shortest;     // [count][FM_TETHERS_MAX] shortest path in the heap to each island
    int *a, *b;         // ends of the springs of the published list, before grouping
    double *rest;       // m, rest lengths of the springs of the published list
    int *edge_level;    // groups of the springs of the published list
    int *fill;          // next free entry of each group
} fm_map_scratch;

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
static void compute_tethers(const fm_cloth *c, fm_map_scratch *f, fm_correction_map *map)
{
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

// Classes of links that the published list follows in turn.
enum { NOT_FOLLOWED = -1, HORIZONTAL = 0, VERTICAL = 1, SHEAR = 2 };

// The class of link k from a particle; NOT_FOLLOWED if the link points against the direction, or is
// no edge. FM_ALONG_ROWS classifies by rows; otherwise the angle between the link, as created, and
// the direction decides. A direction of 0 counts as an angle of 90 degrees.
static int classify_link(const fm_cloth *c, int from, int k, fm_vec3 direction)
{
    static const int by_rows[] = {[FM_LINK_ACROSS] = HORIZONTAL,     [FM_LINK_DOWN] = VERTICAL,
                                  [FM_LINK_UP] = NOT_FOLLOWED,       [FM_LINK_SHEAR_DOWN] = SHEAR,
                                  [FM_LINK_SHEAR_UP] = NOT_FOLLOWED, [FM_LINK_EDGE] = NOT_FOLLOWED,
                                  [FM_LINK_OVER_EDGE] = NOT_FOLLOWED};
    const fm_particle_graph *g = &c->enforcer->graph;
    fm_link_kind kind = (fm_link_kind)g->kind[k];
    if (kind == FM_LINK_OVER_EDGE)
        return NOT_FOLLOWED;
    if (c->def.enforcement.direction == FM_ALONG_ROWS && kind != FM_LINK_EDGE)
        return by_rows[kind];
    fm_vec3 edge = fm_sub(c->initial_x[g->to[k]], c->initial_x[from]);
    double cosine = fm_dot(edge, direction) / (fm_length(edge) + FM_TINY);
    if (kind == FM_LINK_SHEAR_DOWN || kind == FM_LINK_SHEAR_UP)
        return cosine < -0.3 ? NOT_FOLLOWED : SHEAR;
    if (kind == FM_LINK_EDGE) // sectors of 45 degrees: cosines of 112.5, 67.5 and 22.5 degrees
        return cosine < -0.38  ? NOT_FOLLOWED
               : cosine < 0.38 ? HORIZONTAL
               : cosine > 0.92 ? VERTICAL
                               : SHEAR;
    return fabs(cosine) < 0.5 ? HORIZONTAL : cosine > 0 ? VERTICAL : NOT_FOLLOWED; // 60 degrees
}

// Appends the links of one class from a particle to the list of springs, which has `count` entries,
// and their far ends to the queue, which ends at *tail. Leaves out links whose far end is fixed or
// was reached `visits` times. Returns the new length of the list.
static int append_links(const fm_cloth *c, fm_map_scratch *f, const fm_correction_map *map,
                        int from, int class, fm_vec3 direction, int count, int *tail)
{
    const fm_particle_graph *g = &c->enforcer->graph;
    for (int k = g->start[from]; k < g->start[from + 1]; k++) {
        int to = g->to[k];
        if (map->fixed[to] || f->visits[to] >= c->def.enforcement.visits ||
            classify_link(c, from, k, direction) != class)
            continue;
        f->visits[to]++;
        f->queue[(*tail)++] = to;
        f->a[count] = from;
        f->b[count] = to;
        f->rest[count++] = g->rest[k];
    }
    return count;
}

// Lists springs in the order in which they are corrected, outwards from the fixed particles
// ([OZG13] algorithm 3). Returns their number. direction: unit vector that the list follows.
static int list_springs(const fm_cloth *c, fm_map_scratch *f, const fm_correction_map *map,
                        fm_vec3 direction)
{
    // classes of links in the order of each fm_spring_order
    static const int order[6][3] = {
        {HORIZONTAL, VERTICAL, SHEAR}, {HORIZONTAL, SHEAR, VERTICAL}, {VERTICAL, HORIZONTAL, SHEAR},
        {VERTICAL, SHEAR, HORIZONTAL}, {SHEAR, HORIZONTAL, VERTICAL}, {SHEAR, VERTICAL, HORIZONTAL},
    };
    int head = 0, tail = 0, count = 0;
    memset(f->visits, 0, (size_t)c->count * sizeof(int));
    for (int i = 0; i < c->count; i++) {
        if (map->fixed[i])
            f->queue[tail++] = i;
    }
    while (head < tail) {
        int from = f->queue[head++];
        for (int k = 0; k < 3; k++)
            count = append_links(c, f, map, from, order[c->def.enforcement.order][k], direction,
                                 count, &tail);
    }
    return count;
}

// Sorts the `count` springs of the published list into groups without common particles, by counting
// sort. A spring's group comes after the groups of all earlier springs that share a particle with
// it, so that correcting group by group gives the same result as correcting in order.
static void group_springs(const fm_cloth *c, fm_map_scratch *f, fm_distance_pairs *list, int count)
{
    int levels = 0;
    memset(f->level, 0, (size_t)c->count * sizeof(int));
    for (int e = 0; e < count; e++) {
        int a = f->a[e], b = f->b[e];
        int level = f->level[a] > f->level[b] ? f->level[a] : f->level[b];
        f->edge_level[e] = level;
        f->level[a] = f->level[b] = level + 1;
        levels = level + 1 > levels ? level + 1 : levels;
    }
    memset(list->group, 0, ((size_t)levels + 1) * sizeof(int));
    for (int e = 0; e < count; e++)
        list->group[f->edge_level[e] + 1]++;
    for (int g = 0; g < levels; g++)
        list->group[g + 1] += list->group[g];
    memcpy(f->fill, list->group, ((size_t)levels + 1) * sizeof(int));
    for (int e = 0; e < count; e++) {
        int at = f->fill[f->edge_level[e]]++;
        list->a[at] = f->a[e];
        list->b[at] = f->b[e];
        list->rest[at] = f->rest[e];
    }
    list->count = count;
    list->group_count = levels;
}

// Computes the rank of each particle, from 0 (fixed) to 1, for pictures: its first place in the
// published list over the length of the list, or the length of its first tether over the longest
// one.
static void find_ranks(const fm_cloth *c, const fm_map_scratch *f, fm_correction_map *map)
{
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
    fm_map_scratch *f = c->enforcer->scratch;
    map->fixed_count = 0;
    for (int i = 0; i < c->count; i++)
        map->fixed_count += map->fixed[i];
    if (c->def.enforcement.method == FM_ENFORCE_PUBLISHED) {
        group_springs(c, f, &map->list, list_springs(c, f, map, direction));
    } else if (c->def.enforcement.method == FM_ENFORCE_DIRECTIONAL) {
        compute_tethers(c, f, map);
    }
    find_ranks(c, f, map);
}
