// SPDX-License-Identifier: MIT
// ladder.c: pairs of particles at 1, 2, 4, 8 edges from each other on tubes and meshes.
//
// What rows and columns are to a sheet (enforce.c), pairs of particles at about the same distance
// are to a net: rung n has, for every particle, up to PARTNERS others that are 0.9 to 1.3 times 2^n
// mean edges away along the cloth, picked by a hash of both so that they lie all around. Rung 0 is
// the edges. Each rung is coloured: pairs of one colour have no particle in common.
#include "cloth/cloth.h"

#include <math.h>
#include <string.h>

enum { PARTNERS = 3, COLOURS = 64 };

// The nearest particles of one, as they are found.
typedef struct search {
    double *length; // m; valid where stamp is
    int *stamp, *heap;
    int heap_count, number;
} search;

static void sift(search *s, int i)
{
    int particle = s->heap[i];
    for (; i > 0; i = (i - 1) / 2) {
        int up = s->heap[(i - 1) / 2];
        if (s->length[up] <= s->length[particle])
            break;
        s->heap[i] = up;
    }
    s->heap[i] = particle;
}

static int pop(search *s)
{
    int first = s->heap[0], last = s->heap[--s->heap_count], i = 0;
    for (int down = 1; down < s->heap_count; down = 2 * i + 1) {
        if (down + 1 < s->heap_count && s->length[s->heap[down + 1]] < s->length[s->heap[down]])
            down++;
        if (s->length[s->heap[down]] >= s->length[last])
            break;
        s->heap[i] = s->heap[down];
        i = down;
    }
    s->heap[i] = last;
    return first;
}

typedef struct pick {
    int particle;
    double length;
    uint64_t rank;
} pick;

static void offer(pick *picks, int i, int j, double length)
{
    int key[2] = {i < j ? i : j, i < j ? j : i};
    pick new = {j, length, fm_hash(key, sizeof key, 7)};
    for (int k = 0; k < PARTNERS; k++) {
        if (picks[k].particle >= 0 && picks[k].rank <= new.rank)
            continue;
        pick old = picks[k];
        picks[k] = new;
        new = old;
        if (new.particle < 0)
            return;
    }
}

// Partners of particle i on all rungs. A way found later may be shorter: a particle may come to the
// heap twice, the first time counts.
static void find_partners(const fm_graph *g, search *s, int i, double edge, int rungs,
                          pick picks[FM_RUNGS][PARTNERS])
{
    double farthest = 1.3 * edge * (1 << (rungs - 1));
    s->number++;
    s->heap_count = 1;
    s->heap[0] = i;
    s->length[i] = 0;
    s->stamp[i] = 2 * s->number;
    while (s->heap_count > 0) {
        int at = pop(s);
        if (s->stamp[at] == 2 * s->number + 1)
            continue;
        s->stamp[at] = 2 * s->number + 1; // done
        for (int r = 1; r < rungs; r++) {
            double span = s->length[at] / (edge * (1 << r));
            if (at > i && span > 0.9 && span < 1.3)
                offer(picks[r], i, at, s->length[at]);
        }
        for (int k = g->start[at]; k < g->start[at + 1]; k++) {
            int to = g->to[k];
            double length = s->length[at] + g->rest[k];
            bool known = s->stamp[to] >= 2 * s->number;
            if (length > farthest || (known && s->length[to] <= length))
                continue;
            s->length[to] = length;
            if (known)
                continue; // stands in the heap, a little too low
            s->stamp[to] = 2 * s->number;
            s->heap[s->heap_count++] = to;
            sift(s, s->heap_count - 1);
        }
    }
}

static bool alloc_pairs(fm_cloth *c, fm_pairs *pairs, size_t count, fm_error *err)
{
    pairs->a = fm_arena_alloc(&c->arena, count + 1, sizeof(int), c->name, err);
    pairs->b = fm_arena_alloc(&c->arena, count + 1, sizeof(int), c->name, err);
    pairs->rest = fm_arena_alloc(&c->arena, count + 1, sizeof(double), c->name, err);
    pairs->group = fm_arena_alloc(&c->arena, count + 2, sizeof(int), c->name, err);
    return err->status == FM_OK;
}

typedef struct colouring {
    uint64_t *used; // colours at each particle
    int *colour;    // of each pair
    fm_pairs old;
} colouring;

// Greedily; a pair that finds no colour is a group of its own.
static void colour_pairs(const fm_cloth *c, fm_pairs *pairs, colouring *w)
{
    int groups = 0;
    memset(w->used, 0, (size_t)c->count * sizeof *w->used);
    for (int e = 0; e < pairs->count; e++) {
        uint64_t taken = w->used[pairs->a[e]] | w->used[pairs->b[e]];
        int colour = 0;
        while (colour < COLOURS && taken >> colour & 1)
            colour++;
        if (colour == COLOURS)
            colour = groups > COLOURS ? groups : COLOURS;
        else
            w->used[pairs->a[e]] |= 1ull << colour, w->used[pairs->b[e]] |= 1ull << colour;
        w->colour[e] = colour;
        groups = colour + 1 > groups ? colour + 1 : groups;
    }
    memset(pairs->group, 0, ((size_t)groups + 1) * sizeof(int));
    for (int e = 0; e < pairs->count; e++)
        pairs->group[w->colour[e] + 1]++;
    for (int k = 0; k < groups; k++)
        pairs->group[k + 1] += pairs->group[k];
    size_t count = (size_t)pairs->count;
    memcpy(w->old.a, pairs->a, count * sizeof(int));
    memcpy(w->old.b, pairs->b, count * sizeof(int));
    memcpy(w->old.rest, pairs->rest, count * sizeof(double));
    memcpy(w->old.group, pairs->group, ((size_t)groups + 1) * sizeof(int));
    for (int e = 0; e < pairs->count; e++) {
        int at = w->old.group[w->colour[e]]++;
        pairs->a[at] = w->old.a[e];
        pairs->b[at] = w->old.b[e];
        pairs->rest[at] = w->old.rest[e];
    }
    pairs->group_count = groups;
}

static void add_pair(fm_pairs *pairs, int a, int b, double rest)
{
    pairs->a[pairs->count] = a;
    pairs->b[pairs->count] = b;
    pairs->rest[pairs->count++] = rest;
}

static void fill_rungs(const fm_cloth *c, fm_enforcer *e, search *s)
{
    const fm_net *net = &c->mesh;
    for (int k = 0; k < net->edge_count; k++) {
        if (c->def.enforcement.shear || net->edge_kind[k] == FM_EDGE_STRETCH)
            add_pair(&e->rungs[0], net->edge_a[k], net->edge_b[k], net->edge_rest[k]);
    }
    for (int i = 0; i < c->count && e->strides > 1; i++) {
        pick picks[FM_RUNGS][PARTNERS];
        for (int k = 0; k < FM_RUNGS * PARTNERS; k++)
            picks[k / PARTNERS][k % PARTNERS].particle = -1;
        find_partners(&e->graph, s, i, net->mean_rest, e->strides, picks);
        for (int r = 1; r < e->strides; r++) {
            for (int k = 0; k < PARTNERS && picks[r][k].particle >= 0; k++)
                add_pair(&e->rungs[r], i, picks[r][k].particle, picks[r][k].length);
        }
    }
}

bool fm_ladder_make(fm_cloth *c, fm_enforcer *e, fm_error *err)
{
    size_t n = (size_t)c->count, edges = (size_t)c->mesh.edge_count;
    size_t most = edges > PARTNERS * n ? edges : PARTNERS * n;
    e->strides = 1;
    while (e->strides < FM_RUNGS && (size_t)64 << (2 * e->strides) < 16 * n)
        e->strides++;
    search s = {0};
    colouring w = {0};
    s.length = fm_arena_alloc(&c->arena, n, sizeof(double), c->name, err);
    s.stamp = fm_arena_alloc(&c->arena, n, sizeof(int), c->name, err);
    s.heap = fm_arena_alloc(&c->arena, n + 1, sizeof(int), c->name, err);
    w.used = fm_arena_alloc(&c->arena, n, sizeof *w.used, c->name, err);
    w.colour = fm_arena_alloc(&c->arena, most + 1, sizeof(int), c->name, err);
    if (!alloc_pairs(c, &w.old, most, err))
        return false;
    for (int r = 0; r < e->strides; r++) {
        if (!alloc_pairs(c, &e->rungs[r], r == 0 ? edges : PARTNERS * n, err))
            return false;
    }
    fill_rungs(c, e, &s);
    for (int r = 0; r < e->strides; r++)
        colour_pairs(c, &e->rungs[r], &w);
    return true;
}
