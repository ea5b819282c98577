// SPDX-License-Identifier: MIT
// near.c: the pairs of the list that come nearer than their thickness, or may soon.
//
// Pairs stand in blocks, each of a run of triangles and what is around them. What the vertices of a
// block did since its list was made, summed up over the parts of steps,
//
//     travel = sum over parts of |box around the ways of the block's vertices|
//
// bounds how much nearer two of its features may have come: a pair found d apart is not looked at
// until the travel has grown by d - thickness. Where cloth moves as a whole or rests, that is long.
// What is nearer stands in a list of its own, with normals kept for two fifths of the distance.
#include "collide/contact.h"
#include "core/simd.h"

#include <float.h>
#include <stdlib.h>

enum { BLOCKS_AT_ONCE = 4, RUN = 64 };

static const double LEAST = 0.1;      // of the thickness: the separation that is enforced
static const double LEAST_LEFT = 0.9; // of the distance, where there is even less
static const double FRESH = 0.4;      // of the distance: travel for which a normal is kept
static const double STAY = 0.1;       // of the thickness: further, before a pair is near no more
static const double GONE = -1;        // m, a travel that never is: of a pair that is near no more
static const double AT_LEAST = 0.1;   // of the thickness: for what impulses add to a way

static const double DEEP = 0.5; // of the thickness
static const double SOON = 0.4; // of the thickness

// Edges that are closest at an end are so as vertices, too, and repelled as such: they matter only
// when they are deep, but may soon cross.
double fm_near_room(fm_feature_kind kind, const fm_closest_batch *batch, int lane, double h)
{
    double d = batch->distance[lane], s = batch->s[lane], t = batch->t[lane];
    bool crossing = s > 0 && s < 1 && t > 0 && t < 1;
    if (kind == FM_EDGE_EDGE && !crossing && d > DEEP * h)
        return fm_larger(d - h, fm_smaller(d - DEEP * h, SOON * h));
    return d - h;
}

// How much two vertices of a block may have come nearer from a to b, m.
static double find_approach(const fm_pair_block *block, fm_contact_axes a, fm_contact_axes b)
{
    fm_vec3 low = {0, 0, 0}, high = {0, 0, 0};
    for (int i = 0; i < block->member_count; i++) {
        int v = block->member[i];
        double x = b.x[v] - a.x[v], y = b.y[v] - a.y[v], z = b.z[v] - a.z[v];
        if (i == 0)
            low = high = (fm_vec3){x, y, z};
        low.x = fm_smaller(low.x, x), high.x = fm_larger(high.x, x);
        low.y = fm_smaller(low.y, y), high.y = fm_larger(high.y, y);
        low.z = fm_smaller(low.z, z), high.z = fm_larger(high.z, z);
    }
    return fm_length(fm_sub(high, low)) * (1 + 8 * DBL_EPSILON);
}

static bool grow_near(fm_near_list *near)
{
    int room = near->room < 32 ? 64 : 2 * near->room;
    fm_near_pair *pairs = realloc(near->pairs, (size_t)room * sizeof *pairs);
    if (pairs)
        near->pairs = pairs;
    int *touching = realloc(near->touching, (size_t)room * sizeof *touching);
    if (touching)
        near->touching = touching;
    if (!pairs || !touching)
        return false;
    near->room = room;
    return true;
}

typedef struct collection {
    fm_contact_set *set;
    double wider;
    bool anew;
} collection;

static void take_closest(const fm_pair_block *block, fm_near_pair *pair,
                         const fm_closest_batch *batch, int lane)
{
    double d = batch->distance[lane], h = pair->thickness;
    fm_vec3 gap = {batch->gap[0][lane], batch->gap[1][lane], batch->gap[2][lane]};
    pair->n = d > 0 ? fm_scale(gap, 1 / d) : (fm_vec3){0, 0, 0};
    pair->s = batch->s[lane];
    pair->t = batch->t[lane];
    pair->least = LEAST_LEFT * fm_smaller(LEAST * h, d);
    pair->fresh = block->travel + FRESH * d;
    pair->hit = pair->turned = pair->loose = pair->given_up = false;
}

// Pairs that wait until a batch is full.
typedef struct queue {
    fm_closest_batch batch;
    int place[FM_CLOSEST_BATCH];
    int count;
} queue;

// What went away goes back to the list: marked, for sweep_near.
static void renew_queued(fm_pair_block *block, fm_feature_kind kind, queue *q)
{
    fm_pair_list *list = &block->pairs[kind];
    fm_closest_points_batch(kind, &q->batch, q->count);
    for (int i = 0; i < q->count; i++) {
        fm_near_pair *pair = &block->near[kind].pairs[q->place[i]];
        double room = fm_near_room(kind, &q->batch, i, pair->thickness);
        take_closest(block, pair, &q->batch, i);
        if (room <= block->allowed + STAY * pair->thickness)
            continue;
        pair->fresh = GONE;
        list->due[pair->k] = block->travel + room;
        list->soonest = fm_smaller(list->soonest, block->travel + room);
    }
    q->count = 0;
}

static void sweep_near(fm_near_list *near)
{
    int kept = 0;
    near->stale = INFINITY;
    for (int k = 0; k < near->count; k++) {
        const fm_near_pair *pair = &near->pairs[k];
        if (pair->fresh == GONE)
            continue;
        near->stale = fm_smaller(near->stale, pair->fresh);
        if (kept < k)
            near->pairs[kept] = *pair;
        kept++;
    }
    near->count = kept;
}

// What stays near is looked at again where it is not fresh.
static void refresh_near(const collection *job, fm_pair_block *block, fm_feature_kind kind,
                         queue *q)
{
    const fm_contact_set *set = job->set;
    fm_near_list *near = &block->near[kind];
    if (!job->anew && block->travel <= near->stale)
        return;
    for (int k = 0; k < near->count; k++) {
        const fm_near_pair *pair = &near->pairs[k];
        if (!job->anew && !pair->turned && !pair->loose && !pair->given_up &&
            block->travel <= pair->fresh)
            continue;
        q->place[q->count] = k;
        fm_batch_load(&q->batch, q->count++, set->from, pair->v[0], pair->v[1], pair->v[2],
                      pair->v[3]);
        if (q->count == FM_CLOSEST_BATCH)
            renew_queued(block, kind, q);
    }
    renew_queued(block, kind, q);
    sweep_near(near);
}

static void add_near(fm_pair_block *block, fm_feature_kind kind, int k,
                     const fm_closest_batch *batch, int lane)
{
    fm_near_list *near = &block->near[kind];
    if (near->count == near->room && !grow_near(near)) {
        block->out_of_memory = true;
        return;
    }
    fm_pair_list *list = &block->pairs[kind];
    fm_near_pair *pair = &near->pairs[near->count++];
    *pair = (fm_near_pair){.thickness = list->thickness[k], .k = k};
    for (int i = 0; i < 4; i++)
        pair->v[i] = list->v[i][k];
    take_closest(block, pair, batch, lane);
    near->stale = fm_smaller(near->stale, pair->fresh);
    list->due[k] = INFINITY;
}

static void judge_queued(fm_pair_block *block, fm_feature_kind kind, queue *q)
{
    fm_pair_list *list = &block->pairs[kind];
    double limit = block->travel + block->allowed;
    fm_closest_points_batch(kind, &q->batch, q->count);
    for (int i = 0; i < q->count; i++) {
        int k = q->place[i];
        list->due[k] = block->travel + fm_near_room(kind, &q->batch, i, list->thickness[k]);
        if (!(list->due[k] >= limit))
            add_near(block, kind, k, &q->batch, i);
        list->soonest = fm_smaller(list->soonest, list->due[k]);
    }
    q->count = 0;
}

static FM_SIMD_CLONES double find_soonest(const double *due, int count)
{
    double soonest = INFINITY;
#pragma omp simd reduction(min : soonest)
    for (int k = 0; k < count; k++)
        soonest = due[k] < soonest ? due[k] : soonest;
    return soonest;
}

// Most of a list is not due: runs of it are passed over at once.
static void collect_list(const collection *job, fm_pair_block *block, fm_feature_kind kind,
                         queue *q)
{
    fm_pair_list *list = &block->pairs[kind];
    double limit = block->travel + block->allowed, later = INFINITY;
    if (list->soonest >= limit)
        return;
    list->soonest = INFINITY;
    for (int first = 0; first < list->count; first += RUN) {
        int last = first + RUN < list->count ? first + RUN : list->count;
        double soonest = find_soonest(list->due + first, last - first);
        later = fm_smaller(later, soonest >= limit ? soonest : limit);
        for (int k = first; soonest < limit && k < last; k++) {
            if (list->due[k] >= limit)
                continue;
            q->place[q->count] = k;
            fm_batch_load(&q->batch, q->count++, job->set->from, list->v[0][k], list->v[1][k],
                          list->v[2][k], list->v[3][k]);
            if (q->count == FM_CLOSEST_BATCH)
                judge_queued(block, kind, q);
        }
    }
    judge_queued(block, kind, q);
    list->soonest = fm_smaller(list->soonest, later);
}

static void collect_blocks(void *context, int first, int last)
{
    const collection *job = context;
    const fm_contact_set *set = job->set;
    queue q = {.count = 0};
    for (int b = first; b < last; b++) {
        fm_pair_block *block = &set->blocks[b];
        if (!block->open)
            continue;
        double approach = find_approach(block, set->from, set->to);
        block->allowed = job->wider * approach + AT_LEAST * set->shortest_reach;
        for (int kind = 0; kind < 2; kind++) {
            refresh_near(job, block, (fm_feature_kind)kind, &q);
            collect_list(job, block, (fm_feature_kind)kind, &q);
        }
    }
}

void fm_near_collect(fm_contact_set *set, double wider, bool anew, fm_pool *pool)
{
    collection job = {set, wider, anew};
    fm_parallel_for(pool, set->block_count, BLOCKS_AT_ONCE, collect_blocks, &job);
}

static void measure_blocks(void *context, int first, int last)
{
    const fm_contact_set *set = context;
    for (int b = first; b < last; b++)
        set->blocks[b].approach = find_approach(&set->blocks[b], set->from, set->to);
}

bool fm_near_suffice(fm_contact_set *set, fm_pool *pool)
{
    bool suffice = true;
    fm_parallel_for(pool, set->block_count, BLOCKS_AT_ONCE, measure_blocks, set);
    for (int b = 0; b < set->block_count; b++) {
        fm_pair_block *block = &set->blocks[b];
        block->open = block->approach > block->allowed;
        suffice = suffice && !block->open;
    }
    for (int b = 0; suffice && b < set->block_count; b++)
        set->blocks[b].travel += set->blocks[b].approach;
    return suffice;
}

void fm_near_open(fm_contact_set *set)
{
    for (int b = 0; b < set->block_count; b++)
        set->blocks[b].open = true;
}

static void forget_list(const fm_contact_set *set, fm_pair_list *list, fm_feature_kind kind)
{
    fm_closest_batch batch = {0};
    list->soonest = -INFINITY;
    for (int first = 0; first < list->count; first += FM_CLOSEST_BATCH) {
        int count = fm_batch_run(&batch, kind, list, first, set->from);
        for (int i = 0, k = first; i < count; i++, k++)
            list->due[k] = fm_near_room(kind, &batch, i, list->thickness[k]);
    }
}

static void forget_blocks(void *context, int first, int last)
{
    const fm_contact_set *set = context;
    for (int b = first; b < last; b++) {
        fm_pair_block *block = &set->blocks[b];
        block->travel = 0;
        for (int kind = 0; kind < 2; kind++) {
            block->near[kind].count = 0;
            forget_list(set, &block->pairs[kind], (fm_feature_kind)kind);
        }
    }
}

void fm_near_forget(fm_contact_set *set, fm_pool *pool)
{
    fm_parallel_for(pool, set->block_count, BLOCKS_AT_ONCE, forget_blocks, set);
}

void fm_near_carry(fm_contact_set *set, fm_contact_axes to)
{
    for (int b = 0; b < set->block_count; b++)
        set->blocks[b].travel += find_approach(&set->blocks[b], set->from, to);
}
