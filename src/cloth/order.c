// SPDX-License-Identifier: MIT
// order.c: in which order enforcement goes through a cloth, for a given set of fixed particles.
//
// Reaches. A particle cannot be farther from a fixed one than the way along the cloth is long. The
// fixed particles fall into islands of neighbours. What pulls askew at an island hangs on its ends,
// so the two that are farthest apart count as islands of their own besides. Dijkstra's algorithm
// from all of them at once gives every particle the nearest fixed one of up to FM_TETHERS islands
// and the distance to it at rest: along straight lines on a flat sheet; without shear edges, where
// yarns may turn against each other, along rows and columns; along edges and flaps on a net.
//
// Published list [OZG13] algorithm 3: all fixed particles enter a queue; each that is taken out is
// expanded along its horizontal springs, then along vertical ones downwards, then along shear
// springs downwards (or in another order of the three); a spring enters the list and its far end
// the queue unless that end was come to `visits` times. Springs of the list that have no particle
// in common do not disturb each other: they are put together into groups, one after another, which
// gives the same result as the list in its order and can be done side by side.
//
// [OZG13] Özgen: Physics-based animation models using fractional calculus. Thesis, 2013, ch. 6.
#include "cloth/cloth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NO_ISLAND = -1 };

typedef struct way {
    double length; // m
    int particle, anchor, island;
} way;

// Room for making a map.
typedef struct fm_front {
    way *heap;
    int heap_count;
    int *queue, *visits, *level;
    int *island;            // of fixed particles
    int *held;              // how many tethers a particle has
    int *label;             // [FM_TETHERS][count] the islands they lead to
    way *ahead;             // [count][FM_TETHERS] the shortest in the heap to some islands
    int *a, *b;             // the list before it is grouped
    double *rest;           //
    int *edge_level, *fill; // of the list
} fm_front;

bool fm_front_alloc(fm_cloth *c, fm_error *err)
{
    fm_arena *arena = &c->arena;
    size_t n = (size_t)c->count, list = n * (size_t)c->def.enforcement.visits + 1;
    fm_front *f = fm_arena_alloc(arena, 1, sizeof *f, "enforcement", err);
    if (!f)
        return false;
    f->heap = fm_arena_alloc(arena, n * FM_TETHERS * (size_t)c->enforcer->graph.most + 3 * n,
                             sizeof *f->heap, c->name, err);
    f->island = fm_arena_alloc(arena, n, sizeof(int), c->name, err);
    f->held = fm_arena_alloc(arena, n, sizeof(int), c->name, err);
    f->label = fm_arena_alloc(arena, n * FM_TETHERS, sizeof(int), c->name, err);
    f->ahead = fm_arena_alloc(arena, n * FM_TETHERS, sizeof *f->ahead, c->name, err);
    f->visits = fm_arena_alloc(arena, n, sizeof(int), c->name, err);
    f->level = fm_arena_alloc(arena, n, sizeof(int), c->name, err);
    f->queue = fm_arena_alloc(arena, n + list, sizeof(int), c->name, err);
    if (c->def.enforcement.method == FM_ENFORCE_PUBLISHED) {
        f->a = fm_arena_alloc(arena, list, sizeof(int), c->name, err);
        f->b = fm_arena_alloc(arena, list, sizeof(int), c->name, err);
        f->rest = fm_arena_alloc(arena, list, sizeof(double), c->name, err);
        f->edge_level = fm_arena_alloc(arena, list, sizeof(int), c->name, err);
        f->fill = fm_arena_alloc(arena, list + 2, sizeof(int), c->name, err);
    }
    c->enforcer->front = f;
    return err->status == FM_OK;
}

bool fm_correction_map_alloc(fm_cloth *c, fm_correction_map *map, fm_error *err)
{
    fm_arena *arena = &c->arena;
    size_t lanes = (size_t)c->lanes;
    size_t list = (size_t)c->count * (size_t)c->def.enforcement.visits + 1;
    map->fixed = fm_arena_alloc(arena, lanes, 1, c->name, err);
    map->place = fm_arena_alloc(arena, lanes, sizeof(double), c->name, err);
    map->anchor = fm_arena_alloc(arena, FM_TETHERS * lanes, sizeof(int), c->name, err);
    map->reach = fm_arena_alloc(arena, FM_TETHERS * lanes, sizeof(double), c->name, err);
    if (c->def.enforcement.method == FM_ENFORCE_PUBLISHED) {
        map->list.a = fm_arena_alloc(arena, list, sizeof(int), c->name, err);
        map->list.b = fm_arena_alloc(arena, list, sizeof(int), c->name, err);
        map->list.rest = fm_arena_alloc(arena, list, sizeof(double), c->name, err);
        map->list.group = fm_arena_alloc(arena, list + 2, sizeof(int), c->name, err);
    }
    return err->status == FM_OK;
}

// m, along a sheet at rest.
static double sheet_distance(const fm_cloth *c, int i, int j)
{
    double across = abs(i % c->columns - j % c->columns) * c->dx;
    double down = abs(i / c->columns - j / c->columns) * c->dy;
    return c->def.enforcement.shear ? hypot(across, down) : across + down;
}

static bool is_before(const way *one, const way *other)
{
    if (one->length != other->length)
        return one->length < other->length;
    if (one->particle != other->particle)
        return one->particle < other->particle;
    if (one->island != other->island)
        return one->island < other->island;
    return one->anchor < other->anchor; // so that the heap's shape decides nothing
}

static void push_way(fm_front *f, way w)
{
    int i = f->heap_count++;
    for (int up = (i - 1) / 2; i > 0 && is_before(&w, &f->heap[up]); up = (i - 1) / 2) {
        f->heap[i] = f->heap[up];
        i = up;
    }
    f->heap[i] = w;
}

static way pop_way(fm_front *f)
{
    way first = f->heap[0], w = f->heap[--f->heap_count];
    int i = 0, down = 1;
    for (; down < f->heap_count; down = 2 * i + 1) {
        if (down + 1 < f->heap_count && is_before(&f->heap[down + 1], &f->heap[down]))
            down++;
        if (!is_before(&f->heap[down], &w))
            break;
        f->heap[i] = f->heap[down];
        i = down;
    }
    f->heap[i] = w;
    return first;
}

// The one of a list of fixed particles that is farthest from a given one.
static int find_farthest(const fm_cloth *c, const int *list, int count, int from)
{
    int farthest = from;
    double most = 0;
    for (int k = 0; k < count; k++) {
        const fm_vec3 *made = c->made;
        double length = fm_length(fm_sub(made[list[k]], made[from]));
        if (length > most) {
            most = length;
            farthest = list[k];
        }
    }
    return farthest;
}

// All that hang together with fixed particle i, in the queue; gives their number.
static int gather_island(const fm_cloth *c, fm_front *f, const fm_correction_map *map, int i)
{
    const fm_graph *g = &c->enforcer->graph;
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

// Ways of length 0 from every island, numbered by its first particle, and from its ends, numbered
// after all particles.
static void start_ways(const fm_cloth *c, fm_front *f, const fm_correction_map *map)
{
    f->heap_count = 0;
    for (int i = 0; i < c->count; i++)
        f->island[i] = NO_ISLAND;
    for (int i = 0; i < c->count; i++) {
        if (!map->fixed[i] || f->island[i] != NO_ISLAND)
            continue;
        int count = gather_island(c, f, map, i);
        for (int k = 0; k < count; k++)
            push_way(f, (way){0, f->queue[k], f->queue[k], i});
        int one = find_farthest(c, f->queue, count, i);
        int other = find_farthest(c, f->queue, count, one);
        if (one == other)
            continue;
        push_way(f, (way){0, one, one, c->count + one});
        push_way(f, (way){0, other, other, c->count + other});
    }
}

static bool has_island(const fm_cloth *c, const fm_front *f, int particle, int island)
{
    for (int k = 0; k < f->held[particle]; k++) {
        if (f->label[(size_t)k * c->count + particle] == island)
            return true;
    }
    return f->held[particle] == FM_TETHERS;
}

// False for a way that comes after one in the heap to the same island: it would be dropped.
static bool is_wanted(fm_front *f, const way *w)
{
    way *ahead = f->ahead + (size_t)w->particle * FM_TETHERS;
    for (int k = 0; k < FM_TETHERS; k++) {
        if (ahead[k].island == w->island && !is_before(w, &ahead[k]))
            return false;
        if (ahead[k].island == w->island || ahead[k].island == NO_ISLAND) {
            ahead[k] = *w;
            return true;
        }
    }
    return true;
}

static void clear_reaches(const fm_cloth *c, fm_correction_map *map)
{
    for (int k = 0; k < FM_TETHERS; k++) {
        for (int i = 0; i < c->lanes; i++) {
            map->anchor[(size_t)k * c->lanes + i] = i;
            map->reach[(size_t)k * c->lanes + i] = INFINITY;
        }
    }
}

static void make_reaches(const fm_cloth *c, fm_front *f, fm_correction_map *map)
{
    const fm_graph *g = &c->enforcer->graph;
    clear_reaches(c, map);
    start_ways(c, f, map);
    memset(f->held, 0, (size_t)c->count * sizeof(int));
    for (int i = 0; i < FM_TETHERS * c->count; i++)
        f->ahead[i].island = NO_ISLAND;
    while (f->heap_count > 0) {
        way w = pop_way(f);
        int i = w.particle;
        if (map->fixed[i] ? w.length > 0 : has_island(c, f, i, w.island))
            continue;
        if (!map->fixed[i]) {
            int slot = f->held[i]++;
            map->anchor[(size_t)slot * c->lanes + i] = w.anchor;
            map->reach[(size_t)slot * c->lanes + i] = w.length;
            f->label[(size_t)slot * c->count + i] = w.island;
        }
        for (int k = g->start[i]; k < g->start[i + 1]; k++) {
            int next = g->to[k];
            if (map->fixed[next] || has_island(c, f, next, w.island) || !isfinite(g->rest[k]))
                continue;
            double length = c->kind == FM_CLOTH_SHEET ? sheet_distance(c, next, w.anchor)
                                                      : w.length + g->rest[k];
            way on = {length, next, w.anchor, w.island};
            if (is_wanted(f, &on))
                push_way(f, on);
        }
    }
}

// Which class a way belongs to: 0 horizontal, 1 vertical, 2 shear; -1 for those against the
// direction. By rows as the cloth was made, or by the angle with the direction, which is 90 degrees
// when there is none.
static int class_of_way(const fm_cloth *c, int from, int k, fm_vec3 direction)
{
    static const int by_rows[] = {
        [FM_WAY_ACROSS] = 0,    [FM_WAY_DOWN] = 1,  [FM_WAY_UP] = -1,  [FM_WAY_SHEAR_DOWN] = 2,
        [FM_WAY_SHEAR_UP] = -1, [FM_WAY_EDGE] = -1, [FM_WAY_FLAP] = -1};
    const fm_graph *g = &c->enforcer->graph;
    fm_way_kind kind = (fm_way_kind)g->kind[k];
    if (kind == FM_WAY_FLAP)
        return -1;
    if (c->def.enforcement.direction == FM_ALONG_ROWS && kind != FM_WAY_EDGE)
        return by_rows[kind];
    fm_vec3 edge = fm_sub(c->made[g->to[k]], c->made[from]);
    double cosine = fm_dot(edge, direction) / (fm_length(edge) + 1e-200);
    if (kind == FM_WAY_SHEAR_DOWN || kind == FM_WAY_SHEAR_UP)
        return cosine < -0.3 ? -1 : 2;
    if (kind == FM_WAY_EDGE) // sectors of 45 degrees
        return cosine < -0.38 ? -1 : cosine < 0.38 ? 0 : cosine > 0.92 ? 1 : 2;
    return fabs(cosine) < 0.5 ? 0 : cosine > 0 ? 1 : -1;
}

// The ways of one class from a particle, as far as they lead to where it may be gone.
static int expand(const fm_cloth *c, fm_front *f, const fm_correction_map *map, int from, int class,
                  fm_vec3 direction, int count, int *tail)
{
    const fm_graph *g = &c->enforcer->graph;
    for (int k = g->start[from]; k < g->start[from + 1]; k++) {
        int to = g->to[k];
        if (map->fixed[to] || f->visits[to] >= c->def.enforcement.visits ||
            class_of_way(c, from, k, direction) != class)
            continue;
        f->visits[to]++;
        f->queue[(*tail)++] = to;
        f->a[count] = from;
        f->b[count] = to;
        f->rest[count++] = g->rest[k];
    }
    return count;
}

// Algorithm 3. Gives the number of springs listed.
static int list_springs(const fm_cloth *c, fm_front *f, const fm_correction_map *map,
                        fm_vec3 direction)
{
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    int head = 0, tail = 0, count = 0;
    memset(f->visits, 0, (size_t)c->count * sizeof(int));
    for (int i = 0; i < c->count; i++) {
        if (map->fixed[i])
            f->queue[tail++] = i;
    }
    while (head < tail) {
        int from = f->queue[head++];
        for (int k = 0; k < 3; k++)
            count = expand(c, f, map, from, order[c->def.enforcement.order][k], direction, count,
                           &tail);
    }
    return count;
}

// Springs by level: a spring comes after every earlier one that it shares a particle with.
static void group_springs(const fm_cloth *c, fm_front *f, fm_pairs *list, int count)
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

// The list's order, or how near to what is fixed a particle is.
static void find_places(const fm_cloth *c, const fm_front *f, fm_correction_map *map)
{
    double farthest = 0;
    for (int i = 0; i < c->count; i++)
        map->place[i] = map->fixed[i] ? 0 : 1;
    if (c->def.enforcement.method == FM_ENFORCE_PUBLISHED) {
        for (int e = map->list.count - 1; e >= 0; e--)
            map->place[f->b[e]] = (e + 1.0) / map->list.count;
        return;
    }
    for (int i = 0; i < c->count; i++)
        farthest = isfinite(map->reach[i]) ? fmax(farthest, map->reach[i]) : farthest;
    for (int i = 0; i < c->count && farthest > 0; i++) {
        if (isfinite(map->reach[i]))
            map->place[i] = map->reach[i] / farthest;
    }
}

void fm_correction_map_make(const fm_cloth *c, fm_correction_map *map, fm_vec3 direction)
{
    fm_front *f = c->enforcer->front;
    map->fixed_count = 0;
    for (int i = 0; i < c->count; i++)
        map->fixed_count += map->fixed[i];
    if (c->def.enforcement.method == FM_ENFORCE_PUBLISHED) {
        group_springs(c, f, &map->list, list_springs(c, f, map, direction));
    } else if (c->def.enforcement.method == FM_ENFORCE_DIRECTIONAL) {
        make_reaches(c, f, map);
    }
    find_places(c, f, map);
}
