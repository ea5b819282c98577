// SPDX-License-Identifier: MIT
// near_pairs.c: the candidate pairs that are nearer than their thickness, or may soon be: the
// narrow phase of contact.
//
// Candidate pairs are stored in blocks, one for each patch. The displacements of a block's vertices
// since the list was built, summed over the parts of steps,
//
//     travel = sum over parts of |diagonal of the box around the displacements of its vertices|, m
//
// bound how much two of its features have approached. A pair found at distance d needs no test
// until the travel has grown by d - thickness. Where cloth rests or moves as a whole, that takes
// many steps. Nearer pairs are in a list of their own, the near list. Their normals are reused
// until the travel has grown by two fifths of the distance.
#include "collide/contact.h"
#include "core/simd.h"

#include <float.h>
#include <stdlib.h>

enum {
    BLOCKS_AT_ONCE = 4, // blocks of pairs in one task of a thread
    RUN_LENGTH = 64,    // candidates that are skipped together if none of them is due for a test
};

// distance that two features always keep, relative to their thickness
static const double MIN_SEPARATION = 0.1;
// factor on this minimum separation, or on the present distance of the pair where that is smaller
static const double MIN_SEPARATION_CLOSE = 0.9;
// relative to the distance of the pair: approach of features during which a normal is reused
static const double NORMAL_LIFETIME = 0.4;
// hysteresis, relative to the thickness: extra distance at which a pair leaves the near list
static const double HYSTERESIS = 0.1;
// value of fm_near_pair.valid_until that marks a pair to be removed from the near list
static const double REMOVED = -1;
// relative to the thickness: approach allowed for motion that impulses add
static const double EXTRA_APPROACH = 0.1;

// relative to the thickness: distance below which two edges are handled although one of their
// closest points is an end
static const double EDGE_END_DISTANCE = 0.5;
// relative to the thickness: approach after which a pair of edges whose closest point is an end is
// tested again
static const double EDGE_END_RECHECK = 0.4;

// m, how much nearer the pair in a lane of the batch may come before it enters the near list. h:
// thickness of the pair, m; d: its distance, m. Two edges whose closest points include an end are
// also closest as vertex and triangle, and repelled as such. Such an edge pair is handled only when
// it is nearer than EDGE_END_DISTANCE, but it may soon become a crossing of two edge interiors.
double fm_near_find_clearance(fm_feature_kind kind, const fm_closest_batch *batch, int lane,
                              double h)
{
    double d = batch->distance[lane], s = batch->s[lane], t = batch->t[lane];
    bool crossing = s > 0 && s < 1 && t > 0 && t < 1;
    if (kind == FM_EDGE_EDGE && !crossing && d > EDGE_END_DISTANCE * h)
        return fm_double_max(d - h, fm_double_min(d - EDGE_END_DISTANCE * h, EDGE_END_RECHECK * h));
    return d - h;
}

// m, upper bound of how much two vertices of a block (the pairs of one patch) approach from
// positions a to b: diagonal of the box around the displacements.
double fm_near_find_approach(const fm_pair_block *block, fm_vec3_array a, fm_vec3_array b)
{
    fm_vec3 low = {0, 0, 0}, high = {0, 0, 0};
    for (int i = 0; i < block->member_count; i++) {
        int v = block->member[i];
        double x = b.x[v] - a.x[v], y = b.y[v] - a.y[v], z = b.z[v] - a.z[v];
        if (i == 0)
            low = high = (fm_vec3){x, y, z};
        low.x = fm_double_min(low.x, x), high.x = fm_double_max(high.x, x);
        low.y = fm_double_min(low.y, y), high.y = fm_double_max(high.y, y);
        low.z = fm_double_min(low.z, z), high.z = fm_double_max(high.z, z);
    }
    return fm_length(fm_sub(high, low)) * (1 + 8 * DBL_EPSILON); // rounded up
}

// Doubles the capacity of a list of near pairs; false when out of memory.
static bool grow_near(fm_near_list *near)
{
    int capacity = near->capacity < 32 ? 64 : 2 * near->capacity;
    fm_near_pair *pairs = realloc(near->pairs, (size_t)capacity * sizeof *pairs);
    if (pairs)
        near->pairs = pairs;
    int *touching = realloc(near->touching, (size_t)capacity * sizeof *touching);
    if (touching)
        near->touching = touching;
    if (!pairs || !touching)
        return false;
    near->capacity = capacity;
    return true;
}

// Parameters of fm_near_collect_pairs, for the tasks of the threads.
typedef struct collect_job {
    fm_contact_set *set;
    double approach_factor; // factor on the approach to set->to that the near lists allow for
    bool recompute_all;     // recompute the normals of all near pairs
} collect_job;

// Sets normal, closest points and minimum separation of a near pair from a lane of the batch.
static void set_closest(const fm_pair_block *block, fm_near_pair *pair,
                        const fm_closest_batch *batch, int lane)
{
    double d = batch->distance[lane], h = pair->thickness;
    fm_vec3 gap = {batch->gap[0][lane], batch->gap[1][lane], batch->gap[2][lane]};
    pair->n = d > 0 ? fm_scale(gap, 1 / d) : (fm_vec3){0, 0, 0};
    pair->s = batch->s[lane];
    pair->t = batch->t[lane];
    pair->min_separation = MIN_SEPARATION_CLOSE * fm_double_min(MIN_SEPARATION * h, d);
    pair->valid_until = block->travel + NORMAL_LIFETIME * d;
    pair->hit = pair->normal_replaced = pair->released = pair->given_up = false;
}

// Feature pairs that wait until a SIMD batch is full.
typedef struct queue {
    fm_closest_batch batch;
    int index[FM_CLOSEST_BATCH]; // indices of the pairs in their list
    int count;
} queue;

// Recomputes the queued near pairs. Pairs that moved away are marked with REMOVED, and their
// candidates get the travel (bound on the approach of features since the list was built) at which
// to test them again.
static void update_queued(fm_pair_block *block, fm_feature_kind kind, queue *q)
{
    fm_pair_list *list = &block->pairs[kind];
    fm_feature_find_closest_batch(kind, &q->batch, q->count);
    for (int i = 0; i < q->count; i++) {
        fm_near_pair *pair = &block->near[kind].pairs[q->index[i]];
        double clearance = fm_near_find_clearance(kind, &q->batch, i, pair->thickness);
        set_closest(block, pair, &q->batch, i);
        if (clearance <= block->allowed_approach + HYSTERESIS * pair->thickness)
            continue;
        pair->valid_until = REMOVED;
        list->recheck_at[pair->candidate] = block->travel + clearance;
        list->first_recheck = fm_double_min(list->first_recheck, block->travel + clearance);
    }
    q->count = 0;
}

// Removes the pairs marked with REMOVED from a near list.
static void remove_distant(fm_near_list *near)
{
    int kept = 0;
    near->valid_until = INFINITY;
    for (int k = 0; k < near->count; k++) {
        const fm_near_pair *pair = &near->pairs[k];
        if (pair->valid_until == REMOVED)
            continue;
        near->valid_until = fm_double_min(near->valid_until, pair->valid_until);
        if (kept < k)
            near->pairs[kept] = *pair;
        kept++;
    }
    near->count = kept;
}

// Recomputes the near pairs of a block (the pairs of one patch) whose normals are out of date, and
// removes pairs that moved away.
static void update_near(const collect_job *job, fm_pair_block *block, fm_feature_kind kind,
                        queue *q)
{
    const fm_contact_set *set = job->set;
    fm_near_list *near = &block->near[kind];
    if (!job->recompute_all && block->travel <= near->valid_until)
        return;
    for (int k = 0; k < near->count; k++) {
        const fm_near_pair *pair = &near->pairs[k];
        if (!job->recompute_all && !pair->normal_replaced && !pair->released && !pair->given_up &&
            block->travel <= pair->valid_until)
            continue;
        q->index[q->count] = k;
        fm_closest_batch_load(&q->batch, q->count++, set->from, pair->v[0], pair->v[1], pair->v[2],
                              pair->v[3]);
        if (q->count == FM_CLOSEST_BATCH)
            update_queued(block, kind, q);
    }
    update_queued(block, kind, q);
    remove_distant(near);
}

// Moves candidate number k of a block (the pairs of one patch) to the near list. Its closest points
// are in a lane of the batch.
static void add_near(fm_pair_block *block, fm_feature_kind kind, int k,
                     const fm_closest_batch *batch, int lane)
{
    fm_near_list *near = &block->near[kind];
    if (near->count == near->capacity && !grow_near(near)) {
        block->out_of_memory = true;
        return;
    }
    fm_pair_list *list = &block->pairs[kind];
    fm_near_pair *pair = &near->pairs[near->count++];
    *pair = (fm_near_pair){.thickness = list->thickness[k], .candidate = k};
    for (int i = 0; i < 4; i++)
        pair->v[i] = list->v[i][k];
    set_closest(block, pair, batch, lane);
    near->valid_until = fm_double_min(near->valid_until, pair->valid_until);
    list->recheck_at[k] = INFINITY;
}

// Computes the distances of the queued candidates, adds those that are near to the near list, and
// sets the travel (bound on the approach of features since the list was built) at which to test the
// others again.
static void classify_queued(fm_pair_block *block, fm_feature_kind kind, queue *q)
{
    fm_pair_list *list = &block->pairs[kind];
    double limit = block->travel + block->allowed_approach;
    fm_feature_find_closest_batch(kind, &q->batch, q->count);
    for (int i = 0; i < q->count; i++) {
        int k = q->index[i];
        list->recheck_at[k] =
            block->travel + fm_near_find_clearance(kind, &q->batch, i, list->thickness[k]);
        if (!(list->recheck_at[k] >= limit))
            add_near(block, kind, k, &q->batch, i);
        list->first_recheck = fm_double_min(list->first_recheck, list->recheck_at[k]);
    }
    q->count = 0;
}

// The smallest of `count` numbers.
static FM_SIMD_CLONES double find_first_recheck(const double *recheck_at, int count)
{
    double first_recheck = INFINITY;
#pragma omp simd reduction(min : first_recheck)
    for (int k = 0; k < count; k++)
        first_recheck = recheck_at[k] < first_recheck ? recheck_at[k] : first_recheck;
    return first_recheck;
}

// Finds the candidates of a block (the pairs of one patch) that have become near. Most candidates
// need no test yet, and whole runs of them are skipped.
static void collect_candidates(const collect_job *job, fm_pair_block *block, fm_feature_kind kind,
                               queue *q)
{
    fm_pair_list *list = &block->pairs[kind];
    double limit = block->travel + block->allowed_approach, next_recheck = INFINITY;
    if (list->first_recheck >= limit)
        return;
    list->first_recheck = INFINITY;
    for (int first = 0; first < list->count; first += RUN_LENGTH) {
        int last = first + RUN_LENGTH < list->count ? first + RUN_LENGTH : list->count;
        double first_recheck = find_first_recheck(list->recheck_at + first, last - first);
        next_recheck = fm_double_min(next_recheck, first_recheck >= limit ? first_recheck : limit);
        for (int k = first; first_recheck < limit && k < last; k++) {
            if (list->recheck_at[k] >= limit)
                continue;
            q->index[q->count] = k;
            fm_closest_batch_load(&q->batch, q->count++, job->set->from, list->v[0][k],
                                  list->v[1][k], list->v[2][k], list->v[3][k]);
            if (q->count == FM_CLOSEST_BATCH)
                classify_queued(block, kind, q);
        }
    }
    classify_queued(block, kind, q);
    list->first_recheck = fm_double_min(list->first_recheck, next_recheck);
}

// Task of a thread: updates the near lists of the open blocks (pairs of one patch each) first to
// last - 1.
static void collect_blocks(void *context, int first, int last)
{
    const collect_job *job = context;
    const fm_contact_set *set = job->set;
    queue q = {.count = 0};
    for (int b = first; b < last; b++) {
        fm_pair_block *block = &set->blocks[b];
        if (!block->open)
            continue;
        double approach = fm_near_find_approach(block, set->from, set->to);
        block->allowed_approach =
            job->approach_factor * approach + EXTRA_APPROACH * set->min_thickness;
        for (int kind = 0; kind < 2; kind++) {
            update_near(job, block, (fm_feature_kind)kind, &q);
            collect_candidates(job, block, (fm_feature_kind)kind, &q);
        }
    }
}

// Updates all near lists for the current part of the step. approach_factor: factor on the approach
// from `from` to `to` that the lists allow for; recompute_all: recompute all normals.
void fm_near_collect_pairs(fm_contact_set *set, double approach_factor, bool recompute_all,
                           fm_pool *pool)
{
    collect_job job = {set, approach_factor, recompute_all};
    fm_parallel_for(pool, set->block_count, BLOCKS_AT_ONCE, collect_blocks, &job);
}

// Task of a thread: bounds the approach of features in the blocks (pairs of one patch each) first
// to last - 1.
static void measure_blocks(void *context, int first, int last)
{
    const fm_contact_set *set = context;
    for (int b = first; b < last; b++)
        set->blocks[b].approach = fm_near_find_approach(&set->blocks[b], set->from, set->to);
}

// True if no features of a block (the pairs of one patch) approached by more than its near list
// allows for; the approach is then added to the travel (bound on the approach of features since the
// list was built) of the block. Otherwise marks the blocks to test again as open.
bool fm_near_check_approach(fm_contact_set *set, fm_pool *pool)
{
    bool complete = true;
    fm_parallel_for(pool, set->block_count, BLOCKS_AT_ONCE, measure_blocks, set);
    for (int b = 0; b < set->block_count; b++) {
        fm_pair_block *block = &set->blocks[b];
        block->open = block->approach > block->allowed_approach;
        complete = complete && !block->open;
    }
    for (int b = 0; complete && b < set->block_count; b++)
        set->blocks[b].travel += set->blocks[b].approach;
    return complete;
}

// Marks all blocks (pairs of one patch each) as open: their pairs have to be tested.
void fm_near_open_blocks(fm_contact_set *set)
{
    for (int b = 0; b < set->block_count; b++)
        set->blocks[b].open = true;
}

// Computes for each candidate of a list, from the positions `from`, the travel (bound on the
// approach of features since the list was built) at which to test it.
static void reset_list(const fm_contact_set *set, fm_pair_list *list, fm_feature_kind kind)
{
    fm_closest_batch batch = {0};
    list->first_recheck = -INFINITY;
    for (int first = 0; first < list->count; first += FM_CLOSEST_BATCH) {
        int count = fm_closest_batch_run(&batch, kind, list, first, set->from);
        for (int i = 0, k = first; i < count; i++, k++)
            list->recheck_at[k] = fm_near_find_clearance(kind, &batch, i, list->thickness[k]);
    }
}

// Task of a thread: sets the travel (bound on the approach of features since the list was built) of
// blocks first to last - 1 to zero and empties their near lists.
static void reset_blocks(void *context, int first, int last)
{
    const fm_contact_set *set = context;
    for (int b = first; b < last; b++) {
        fm_pair_block *block = &set->blocks[b];
        block->travel = 0;
        for (int kind = 0; kind < 2; kind++) {
            block->near[kind].count = 0;
            reset_list(set, &block->pairs[kind], (fm_feature_kind)kind);
        }
    }
}

// Empties all near lists, and recomputes when to test each candidate.
void fm_near_reset(fm_contact_set *set, fm_pool *pool)
{
    fm_parallel_for(pool, set->block_count, BLOCKS_AT_ONCE, reset_blocks, set);
}

// Adds a displacement from `from` to `to` outside of steps to the travel (bound on the approach of
// features since the list was built) of all blocks (pairs of one patch each).
void fm_near_add_displacement(fm_contact_set *set, fm_vec3_array to)
{
    for (int b = 0; b < set->block_count; b++)
        set->blocks[b].travel += fm_near_find_approach(&set->blocks[b], set->from, to);
}
