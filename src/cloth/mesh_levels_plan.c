// SPDX-License-Identifier: MIT
// mesh_levels_plan.c: the pairs of all levels of a mesh or tube, and the sums by which a pair of a
// coarser level follows from those of the finer one.
//
// With the interpolation p_i = sum_I P_iI q_I, sum_I P_iI = 1, a pair (i, j) has the energy
//
//     1/2 (p_i - p_j) . K (p_i - p_j) = -1/2 sum_{I<J} d_I d_J (q_I - q_J) . K (q_I - q_J),
//     d_I = P_iI - P_jI
//
// so that the coarse pair (I, J) has the sum of -d_I d_J K over all fine pairs (Galerkin). Bending
// is a sum over pairs, too, with numbers k that do not change while the cloth moves:
// k_ij = -sum B L_i L_j over the hinges of stiffness B and coefficients L. (The kinks of linear
// interpolation make coarse bending too stiff. Smoother interpolation from up to 16 particles, and
// softer coarse bending, change the number of iterations by less than a tenth, up to 1e-3 N m;
// without coarse bending it grows five to ten times.)
#include "cloth/mesh_levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LEAST = 1e-3; // weights of pairs below this are left out

// A weighted contribution of the fine pair `source` to the pair (a, b), a < b.
typedef struct share {
    int a, b, source;
    float weight;
} share;

// Shares while they are collected. Without sources, those of the same pair are added up whenever
// the room is used up.
typedef struct shares {
    share *list, *scratch;
    int *counts; // [particles + 2]
    size_t count, room;
    int particles;
    bool merges, failed;
} shares;

static void destroy_shares(shares *s)
{
    free(s->list), free(s->scratch), free(s->counts);
}

static bool create_shares(shares *s, int particles, bool merges)
{
    *s = (shares){.room = 1 << 16, .particles = particles, .merges = merges};
    s->list = malloc(s->room * sizeof *s->list);
    s->scratch = malloc(s->room * sizeof *s->scratch);
    s->counts = malloc(((size_t)particles + 2) * sizeof *s->counts);
    return s->list && s->scratch && s->counts;
}

// Stable counting sort by a, or by b.
static void sort_by(const shares *s, bool by_a, const share *from, share *to)
{
    memset(s->counts, 0, ((size_t)s->particles + 2) * sizeof *s->counts);
    for (size_t k = 0; k < s->count; k++)
        s->counts[(by_a ? from[k].a : from[k].b) + 1]++;
    for (int i = 0; i < s->particles; i++)
        s->counts[i + 1] += s->counts[i];
    for (size_t k = 0; k < s->count; k++)
        to[s->counts[by_a ? from[k].a : from[k].b]++] = from[k];
}

// Sorts the shares by pairs, and adds up those of a pair if they have no sources.
static void sort_shares(shares *s)
{
    sort_by(s, false, s->list, s->scratch);
    sort_by(s, true, s->scratch, s->list);
    size_t used = 0;
    for (size_t k = 0; k < s->count && s->merges; k++) {
        share *last = used > 0 ? &s->list[used - 1] : NULL;
        if (last && last->a == s->list[k].a && last->b == s->list[k].b)
            last->weight += s->list[k].weight;
        else
            s->list[used++] = s->list[k];
    }
    s->count = s->merges ? used : s->count;
}

static void add_share(shares *s, int a, int b, int source, double weight)
{
    bool full = s->count == s->room;
    if (full && s->merges)
        sort_shares(s);
    if (full && 2 * s->count > s->room) {
        size_t room = 2 * s->room;
        share *list = realloc(s->list, room * sizeof *list);
        s->list = list ? list : s->list;
        share *scratch = realloc(s->scratch, room * sizeof *scratch);
        s->scratch = scratch ? scratch : s->scratch;
        s->failed = s->failed || !list || !scratch;
        s->room = s->failed ? s->room : room;
    }
    if (!s->failed)
        s->list[s->count++] = (share){a < b ? a : b, a < b ? b : a, source, (float)weight};
}

// Adds the coarse shares of a fine pair with interpolation P; those up to `least` are left out.
static void spread_pair(const fm_rows *P, const share *pair, double weight, double least,
                        shares *to)
{
    int a = pair->a, b = pair->b;
    enum { MOST = 8 }; // twice the entries of a row of P
    int column[MOST], count = 0;
    double d[MOST];
    for (int k = P->start[a]; k < P->start[a + 1]; k++)
        column[count] = P->column[k], d[count++] = (double)P->weight[k];
    for (int k = P->start[b]; k < P->start[b + 1]; k++) {
        int at = 0;
        while (at < count && column[at] != P->column[k])
            at++;
        if (at == count)
            column[count] = P->column[k], d[count++] = 0;
        d[at] -= (double)P->weight[k];
    }
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            if (fabs(d[i] * d[j]) > least)
                add_share(to, column[i], column[j], pair->source, -d[i] * d[j] * weight);
}

// Allocates the rows of all particles for `pairs` pairs.
static bool allocate_rows(fm_arena *arena, int count, size_t pairs, fm_rows *rows, fm_error *err)
{
    rows->start = fm_arena_alloc(arena, (size_t)count + 2, sizeof(int), "cloth", err);
    rows->column = fm_arena_alloc(arena, 2 * pairs + 1, sizeof(int), "cloth", err);
    rows->weight = fm_arena_alloc(arena, 2 * pairs + 1, sizeof(float), "cloth", err);
    return err->status == FM_OK;
}

// Lists the partners of all particles from pairs in their order. pair: index of each, or NULL.
static void fill_rows(int count, const share *pairs, size_t pair_count, fm_rows *rows, int *pair)
{
    int *start = rows->start + 1; // filling moves each start to its place
    for (size_t k = 0; k < pair_count; k++)
        start[pairs[k].a + 1]++, start[pairs[k].b + 1]++;
    for (int i = 0; i < count; i++)
        start[i + 1] += start[i];
    for (size_t k = 0; k < pair_count; k++) {
        int one = start[pairs[k].a]++, other = start[pairs[k].b]++;
        rows->column[one] = pairs[k].b, rows->column[other] = pairs[k].a;
        rows->weight[one] = rows->weight[other] = pairs[k].weight;
        if (pair)
            pair[one] = pair[other] = pairs[k].source;
    }
}

static bool is_less(const share *a, const share *b)
{
    return a->a != b->a ? a->a < b->a : a->b < b->b;
}

// Creates the rows of a level from its pairs with K, sorted, and its pairs with bending, sorted.
// Pairs with both get the bending as their weight and no other entry. Overwrites both lists.
static bool create_rows(fm_arena *arena, fm_mesh_level *l, shares *pairs, shares *bending,
                        fm_error *err)
{
    size_t at = 0, far = 0;
    for (size_t k = 0; k < pairs->count; k++)
        pairs->list[k].weight = 0;
    for (size_t k = 0; k < bending->count; k++) {
        share *bend = &bending->list[k];
        while (at < pairs->count && is_less(&pairs->list[at], bend))
            at++;
        if (at < pairs->count && !is_less(bend, &pairs->list[at]))
            pairs->list[at].weight = bend->weight;
        else
            bending->list[far++] = *bend;
    }
    size_t near = 2 * pairs->count;
    if (!allocate_rows(arena, l->count, pairs->count, &l->near, err) ||
        !allocate_rows(arena, l->count, far, &l->far, err))
        return false;
    l->near_pair = fm_arena_alloc(arena, near + 1, sizeof(int), "cloth", err);
    l->near_block = fm_arena_alloc(arena, near + 1, 6 * sizeof(float), "cloth", err);
    l->pair = fm_arena_alloc(arena, (size_t)l->pair_count + 1, 6 * sizeof(float), "cloth", err);
    l->own = fm_arena_alloc(arena, (size_t)l->count + 1, 6 * sizeof(float), "cloth", err);
    l->inverse = fm_arena_alloc(arena, (size_t)l->count + 1, 6 * sizeof(float), "cloth", err);
    fm_four_floats **vectors[] = {&l->x, &l->next_x, &l->b, &l->r, &l->step};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = fm_arena_alloc(arena, (size_t)l->count, sizeof(fm_four_floats), "cloth", err);
    if (err->status != FM_OK)
        return false;
    fill_rows(l->count, pairs->list, pairs->count, &l->near, l->near_pair);
    fill_rows(l->count, bending->list, far, &l->far, NULL);
    return true;
}

// The pairs of the cloth: its edges and, after them, its stitches.
static bool list_finest(const fm_cloth *c, shares *pairs, shares *bending)
{
    const fm_spring_mesh *mesh = &c->mesh;
    if (!create_shares(pairs, c->count, false) || !create_shares(bending, c->count, true))
        return false;
    for (int e = 0; e < mesh->edge_count; e++)
        add_share(pairs, mesh->edge_a[e], mesh->edge_b[e], e, 0);
    for (int i = 0; i < c->stitches.count; i++)
        add_share(pairs, c->stitches.a[i], c->stitches.b[i], mesh->edge_count + i, 0);
    for (int h = 0; h < mesh->hinge_count; h++) {
        for (int k = 0; k < 4; k++)
            for (int m = k + 1; m < 4; m++)
                add_share(bending, mesh->hinge[k][h], mesh->hinge[m][h], 0,
                          -mesh->hinge_stiffness[h] * mesh->hinge_share[k][h] *
                              mesh->hinge_share[m][h]);
    }
    sort_shares(pairs);
    sort_shares(bending);
    return !pairs->failed && !bending->failed;
}

// The pairs of the next coarser level c, from those of the finer one and their bending.
static bool list_coarser(const fm_mesh_level *c, const shares *fine, const shares *fine_bending,
                         shares *pairs, shares *bending)
{
    if (!create_shares(pairs, c->count, false) || !create_shares(bending, c->count, true))
        return false;
    for (size_t k = 0; k < fine->count; k++)
        spread_pair(&c->spread, &fine->list[k], 1, LEAST, pairs);
    for (size_t k = 0; k < fine_bending->count; k++)
        spread_pair(&c->spread, &fine_bending->list[k], (double)fine_bending->list[k].weight, 0,
                    bending);
    sort_shares(pairs);
    sort_shares(bending);
    return !pairs->failed && !bending->failed;
}

// Numbers the pairs of a coarser level, stores the sums that they stand for, and leaves one share
// for each pair with its number as the source.
static bool store_sums(fm_arena *arena, fm_mesh_level *l, shares *pairs, fm_error *err)
{
    size_t n = pairs->count;
    l->sum.start = fm_arena_alloc(arena, n + 2, sizeof(int), "cloth", err);
    l->sum.column = fm_arena_alloc(arena, n + 1, sizeof(int), "cloth", err);
    l->sum.weight = fm_arena_alloc(arena, n + 1, sizeof(float), "cloth", err);
    if (err->status != FM_OK)
        return false;
    size_t used = 0;
    for (size_t k = 0; k < n; k++) {
        share s = pairs->list[k];
        if (used == 0 || is_less(&pairs->list[used - 1], &s)) {
            l->sum.start[used] = (int)k;
            pairs->list[used] = (share){s.a, s.b, (int)used, 0};
            used++;
        }
        l->sum.column[k] = s.source, l->sum.weight[k] = s.weight;
    }
    l->sum.start[used] = (int)n;
    l->pair_count = (int)used;
    pairs->count = used;
    return true;
}

bool fm_mesh_levels_plan(fm_cloth *c, fm_mesh_levels *levels, fm_error *err)
{
    shares pairs[2] = {{0}}, bending[2] = {{0}}; // of the present level and of the next one
    levels->stitch_count = c->stitches.count;
    levels->level[0].pair_count = c->mesh.edge_count + c->stitches.count;
    bool good = list_finest(c, &pairs[0], &bending[0]);
    for (int l = 0; good && l < levels->count; l++) {
        fm_mesh_level *fine = &levels->level[l], *coarse = fine + 1;
        bool last = l + 1 == levels->count;
        good = last || list_coarser(coarse, &pairs[0], &bending[0], &pairs[1], &bending[1]);
        good = good && create_rows(&c->arena, fine, &pairs[0], &bending[0], err) &&
               (last || store_sums(&c->arena, coarse, &pairs[1], err));
        destroy_shares(&pairs[0]), destroy_shares(&bending[0]);
        pairs[0] = pairs[1], bending[0] = bending[1];
        pairs[1] = bending[1] = (shares){0};
    }
    destroy_shares(&pairs[0]), destroy_shares(&bending[0]);
    if (!good && err->status == FM_OK)
        fm_fail_no_memory(err, c->object.name, (size_t)c->mesh.edge_count * sizeof(share));
    return good && err->status == FM_OK;
}
