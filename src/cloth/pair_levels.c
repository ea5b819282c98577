// SPDX-License-Identifier: MIT
// pair_levels.c: pairs of particles at distances of 1, 2, 4 and 8 edges on tubes and meshes.
//
// Enforcement (constraint projection of edge lengths, strain_limiting.c) limits distances from
// coarse to fine. A sheet uses particles 2^n rows or columns apart; a tube or mesh uses these
// pairs. Level 0 is the edges. Level n has, for every particle, up to PARTNERS others whose
// distance along the cloth at rest is SPAN_MIN to SPAN_MAX times 2^n mean edge lengths. They are
// chosen by a hash of both particles, so that their directions vary. The pairs of each level are
// coloured: pairs of one colour have no particle in common.
#include "cloth/cloth.h"

#include <math.h>
#include <string.h>

enum {
    PARTNERS = 3, // partners of a particle on a level, at most
    COLOURS = 64, // bits of the set of colours at a particle
};
// distance of a pair of level n along the cloth, in 2^n mean edge lengths
static const double SPAN_MIN = 0.9, SPAN_MAX = 1.3;

// Dijkstra's algorithm from one particle after another. Stamps say which search reached a particle,
// so that the arrays need not be cleared between searches.
typedef struct search {
    double *length; // m, distance from the start particle; valid if stamp >= 2 * number
    int *stamp;     // 2 * number: in the heap, 2 * number + 1: finished; less: not reached
    int *heap;      // binary heap of particles, the nearest first
    int heap_count; // number of particles in the heap
    int number;     // of the present search, from 1
} search;

// Moves the particle at place i of the binary heap up to its place.
static void sift_up(search *s, int i)
{
    int particle = s->heap[i];
    for (; i > 0; i = (i - 1) / 2) {
        int parent = s->heap[(i - 1) / 2];
        if (s->length[parent] <= s->length[particle])
            break;
        s->heap[i] = parent;
    }
    s->heap[i] = particle;
}

// Removes the nearest particle from the binary heap and returns it.
static int pop_nearest(search *s)
{
    int nearest = s->heap[0], moved = s->heap[--s->heap_count], i = 0;
    for (int child = 1; child < s->heap_count; child = 2 * i + 1) {
        if (child + 1 < s->heap_count && s->length[s->heap[child + 1]] < s->length[s->heap[child]])
            child++;
        if (s->length[s->heap[child]] >= s->length[moved])
            break;
        s->heap[i] = s->heap[child];
        i = child;
    }
    s->heap[i] = moved;
    return nearest;
}

// The other particle of a pair.
typedef struct partner {
    int particle;  // -1: empty
    double length; // m, along the cloth at rest
    uint64_t rank; // hash of both particles; the lowest ranks are kept
} partner;

// Inserts j into the PARTNERS partners of particle i, sorted by rank, if its rank is low enough.
// length: m, distance of i and j along the cloth.
static void insert_partner(partner *partners, int i, int j, double length)
{
    enum { SEED = 7 }; // of the hash
    int key[2] = {i < j ? i : j, i < j ? j : i};
    partner new = {j, length, fm_hash(key, sizeof key, SEED)};
    for (int k = 0; k < PARTNERS; k++) {
        if (partners[k].particle >= 0 && partners[k].rank <= new.rank)
            continue;
        partner old = partners[k];
        partners[k] = new;
        new = old;
        if (new.particle < 0)
            return;
    }
}

// Finds the partners of particle i on all levels, by Dijkstra's algorithm up to the largest
// distance of a pair. edge: m, mean edge length. If a shorter path to a particle in the heap is
// found, its length is updated but not its place in the heap, so that lengths may be slightly too
// large.
static void find_partners(const fm_particle_graph *g, search *s, int i, double edge, int levels,
                          partner partners[FM_PAIR_LEVELS_MAX][PARTNERS])
{
    double farthest = SPAN_MAX * edge * (1 << (levels - 1));
    s->number++;
    s->heap_count = 1;
    s->heap[0] = i;
    s->length[i] = 0;
    s->stamp[i] = 2 * s->number;
    while (s->heap_count > 0) {
        int at = pop_nearest(s);
        if (s->stamp[at] == 2 * s->number + 1)
            continue;
        s->stamp[at] = 2 * s->number + 1; // finished
        for (int r = 1; r < levels; r++) {
            double span = s->length[at] / (edge * (1 << r));
            if (at > i && span > SPAN_MIN && span < SPAN_MAX)
                insert_partner(partners[r], i, at, s->length[at]);
        }
        for (int k = g->start[at]; k < g->start[at + 1]; k++) {
            int to = g->to[k];
            double length = s->length[at] + g->rest[k];
            bool reached = s->stamp[to] >= 2 * s->number;
            if (length > farthest || (reached && s->length[to] <= length))
                continue;
            s->length[to] = length;
            if (reached)
                continue;
            s->stamp[to] = 2 * s->number;
            s->heap[s->heap_count++] = to;
            sift_up(s, s->heap_count - 1);
        }
    }
}

// Allocates the arrays of at most `count` pairs in the cloth's arena. False if memory runs out.
static bool create_pairs(fm_cloth *c, fm_distance_pairs *pairs, size_t count, fm_error *err)
{
    pairs->a = fm_arena_alloc(&c->arena, count + 1, sizeof(int), c->object.name, err);
    pairs->b = fm_arena_alloc(&c->arena, count + 1, sizeof(int), c->object.name, err);
    pairs->rest = fm_arena_alloc(&c->arena, count + 1, sizeof(double), c->object.name, err);
    pairs->group = fm_arena_alloc(&c->arena, count + 2, sizeof(int), c->object.name, err);
    return err->status == FM_OK;
}

// Scratch for sorting pairs by colour.
typedef struct colouring {
    uint64_t *used;        // bit set of the colours of the pairs at each particle
    int *colour;           // colour of each pair
    fm_distance_pairs old; // copy of the pairs before they are sorted
} colouring;

// Gives each pair the first colour that no other pair at its two particles has (greedy colouring),
// and sorts the pairs into groups of one colour, by counting sort. A pair for which no colour is
// left forms a group of its own.
static void colour_pairs(const fm_cloth *c, fm_distance_pairs *pairs, colouring *scratch)
{
    int groups = 0;
    memset(scratch->used, 0, (size_t)c->count * sizeof *scratch->used);
    for (int e = 0; e < pairs->count; e++) {
        uint64_t taken = scratch->used[pairs->a[e]] | scratch->used[pairs->b[e]];
        int colour = 0;
        while (colour < COLOURS && taken >> colour & 1)
            colour++;
        if (colour == COLOURS)
            colour = groups > COLOURS ? groups : COLOURS;
        else
            scratch->used[pairs->a[e]] |= 1ull << colour,
                scratch->used[pairs->b[e]] |= 1ull << colour;
        scratch->colour[e] = colour;
        groups = colour + 1 > groups ? colour + 1 : groups;
    }
    memset(pairs->group, 0, ((size_t)groups + 1) * sizeof(int));
    for (int e = 0; e < pairs->count; e++)
        pairs->group[scratch->colour[e] + 1]++;
    for (int k = 0; k < groups; k++)
        pairs->group[k + 1] += pairs->group[k];
    size_t count = (size_t)pairs->count;
    memcpy(scratch->old.a, pairs->a, count * sizeof(int));
    memcpy(scratch->old.b, pairs->b, count * sizeof(int));
    memcpy(scratch->old.rest, pairs->rest, count * sizeof(double));
    memcpy(scratch->old.group, pairs->group, ((size_t)groups + 1) * sizeof(int));
    for (int e = 0; e < pairs->count; e++) {
        int at = scratch->old.group[scratch->colour[e]]++;
        pairs->a[at] = scratch->old.a[e];
        pairs->b[at] = scratch->old.b[e];
        pairs->rest[at] = scratch->old.rest[e];
    }
    pairs->group_count = groups;
}

// Appends the pair of particles a and b. rest: m, distance at rest.
static void add_pair(fm_distance_pairs *pairs, int a, int b, double rest)
{
    pairs->a[pairs->count] = a;
    pairs->b[pairs->count] = b;
    pairs->rest[pairs->count++] = rest;
}

// Lists the pairs of all levels: the edges on level 0, partners on the others. Shear edges are left
// out unless shear is enforced.
static void fill_levels(const fm_cloth *c, fm_enforcer *e, search *s)
{
    const fm_spring_mesh *mesh = &c->mesh;
    for (int k = 0; k < mesh->edge_count; k++) {
        if (c->def.enforcement.shear || mesh->edge_kind[k] == FM_EDGE_STRETCH)
            add_pair(&e->pair_levels[0], mesh->edge_a[k], mesh->edge_b[k], mesh->edge_rest[k]);
    }
    for (int i = 0; i < c->count && e->level_count > 1; i++) {
        partner partners[FM_PAIR_LEVELS_MAX][PARTNERS];
        for (int k = 0; k < FM_PAIR_LEVELS_MAX * PARTNERS; k++)
            partners[k / PARTNERS][k % PARTNERS].particle = -1;
        find_partners(&e->graph, s, i, mesh->mean_rest, e->level_count, partners);
        for (int r = 1; r < e->level_count; r++) {
            for (int k = 0; k < PARTNERS && partners[r][k].particle >= 0; k++)
                add_pair(&e->pair_levels[r], i, partners[r][k].particle, partners[r][k].length);
        }
    }
}

// Creates the distance pairs of a tube or mesh. A level of pairs 2^n edges apart is added while
// 2^(n+1) edges are less than sqrt(count), the side of a square cloth of as many particles.
bool fm_enforcer_create_pair_levels(fm_cloth *c, fm_enforcer *e, fm_error *err)
{
    size_t n = (size_t)c->count, edges = (size_t)c->mesh.edge_count;
    size_t most = edges > PARTNERS * n ? edges : PARTNERS * n;
    e->level_count = 1;
    while (e->level_count < FM_PAIR_LEVELS_MAX && (size_t)64 << (2 * e->level_count) < 16 * n)
        e->level_count++;
    search s = {0};
    colouring colours = {0};
    s.length = fm_arena_alloc(&c->arena, n, sizeof(double), c->object.name, err);
    s.stamp = fm_arena_alloc(&c->arena, n, sizeof(int), c->object.name, err);
    s.heap = fm_arena_alloc(&c->arena, n + 1, sizeof(int), c->object.name, err);
    colours.used = fm_arena_alloc(&c->arena, n, sizeof *colours.used, c->object.name, err);
    colours.colour = fm_arena_alloc(&c->arena, most + 1, sizeof(int), c->object.name, err);
    if (!create_pairs(c, &colours.old, most, err))
        return false;
    for (int r = 0; r < e->level_count; r++) {
        if (!create_pairs(c, &e->pair_levels[r], r == 0 ? edges : PARTNERS * n, err))
            return false;
    }
    fill_levels(c, e, &s);
    for (int r = 0; r < e->level_count; r++)
        colour_pairs(c, &e->pair_levels[r], &colours);
    return true;
}
