// SPDX-License-Identifier: MIT
// contact_step.c: one step of contact handling, from cheap culling to guaranteed separation.
//
//     patches     broad phase: boxes and smooth regions prove most of the surfaces collision-free
//                 patches.c, smooth_regions.c
//     candidates  pairs of features that may collide; the list lasts several steps
//                 candidate_pairs.c
//     near pairs  candidates that come nearer than their thickness in this step    near_pairs.c
//     impulses    one pass of repulsion and friction over the near pairs           impulses.c
//     impacts     times of impact, and impulses for the pairs that still collide,
//                 in several rounds                                                impulses.c
//     zones       features that still collide move as a rigid impact zone          impact_zones.c
//
// A step is cut into parts of equal length. In no part do two features approach by more than half
// the candidate list's skin, the distance beyond the thickness at which a pair enters the list.
// Where an impact zone is caught between surfaces that move differently,
// or the tests of a part do not end, the part is shortened and tried again. This is done at most
// max_shortened times in a step. Then the step is halted: vertices with a mass stay where the last
// part left them and keep their velocities, and prescribed vertices go to the end of their paths.
// Vertices with a mass do not intersect each other then, since each part that was taken is free of
// collisions; prescribed vertices may intersect them, and the next step looks for that.
#include "collide/contact.h"

#include <string.h>

enum {
    MAX_PARTS = 256,     // largest number of parts for fast motion
    MAX_HIT_ROUNDS = 12, // rounds of impulses for impacts; 2 or 3 suffice unless cloth is crumpled
    HIT_PASSES = 4,      // passes of impulses over the pairs with an impact, per round
    MAX_ZONE_ROUNDS = 100, // rounds of merging impact zones before a pair counts as pinched
    MAX_TESTS = 10,   // tests of a part, each allowing for larger corrections than the one before
    PART_DIVISOR = 4, // factor by which a part is shortened when an impact zone is caught
};
// shortest part, relative to the normal length, when an impact zone is caught
static const double SHORTEST_PART = 1.0 / 64;
// s, time constant with which features nearer than their thickness are separated to that distance
static const double PUSH_TIME = 5e-3;
// largest fraction of the missing distance to the thickness that one part restores
static const double MAX_PUSH_FRACTION = 0.25;
// largest approach of two features in one part, relative to the skin of the candidate list
static const double MAX_APPROACH = 0.5;
// longest displacement of a vertex in one part, relative to the skin: two vertices then approach by
// less than MAX_APPROACH
static const double MAX_DISPLACEMENT = 0.2;
// factor by which the near lists allow for more approach than the target positions imply, in the
// first test of a part; it doubles with each further test
static const double FIRST_APPROACH_FACTOR = 1.25;
// a part that would leave less than a thousandth of itself for the next one reaches to the end
static const double LAST_PART_TOLERANCE = 1.001;

// out = a - b, for arrays of `count` numbers.
static void set_difference(int count, double *out, const double *a, const double *b)
{
    for (int i = 0; i < count; i++)
        out[i] = a[i] - b[i];
}

// One coordinate of all vertices at the end of a part of the step: out = from + rate s, with rate
// the displacement per whole step. A vertex without mass follows its prescribed path from x0 to x1
// instead. begin: start of the part, s: its length, both as fractions of the step.
static void advance_axis(const fm_contact_set *set, double *out, const double *from,
                         const double *rate, const double *x0, const double *x1, double begin,
                         double s)
{
    double end = begin + s;
    for (int i = 0; i < set->vertex_count; i++) {
        bool prescribed = set->inverse_mass[i] == 0;
        out[i] = prescribed ? x0[i] + (x1[i] - x0[i]) * end : from[i] + rate[i] * s;
    }
}

// Sets set->to, the target positions at the end of a part of the step. begin: start of the part, s:
// its length, both as fractions of the step.
static void set_part_ends(fm_contact_set *set, double begin, double s)
{
    if (s == 1) {
        fm_vec3_array_copy(set->to, set->x1, set->vertex_count);
        return;
    }
    fm_vec3_array to = set->to, from = set->from, rate = set->rate, x0 = set->x0, x1 = set->x1;
    advance_axis(set, to.x, from.x, rate.x, x0.x, x1.x, begin, s);
    advance_axis(set, to.y, from.y, rate.y, x0.y, x1.y, begin, s);
    advance_axis(set, to.z, from.z, rate.z, x0.z, x1.z, begin, s);
    for (int i = 0; begin + s >= 1 && i < set->vertex_count; i++) {
        if (set->inverse_mass[i] == 0)
            to.x[i] = x1.x[i], to.y[i] = x1.y[i], to.z[i] = x1.z[i];
    }
}

// Builds the candidate list for the motion from set->from to `targets`. skin: m, largest distance
// beyond the thickness at which a pair enters the list.
static void rebuild_list(fm_contact_set *set, fm_vec3_array targets, double skin, fm_pool *pool,
                         fm_contact_report *report)
{
    fm_candidates_build(set, set->from, targets, skin, pool);
    report->list_count++;
}

// Number of near pairs in all blocks (pairs of one patch each).
static int count_near(const fm_contact_set *set)
{
    int count = 0;
    for (int b = 0; b < set->block_count; b++)
        count += set->blocks[b].near[0].count + set->blocks[b].near[1].count;
    return count;
}

// Resolves all collisions in the current part of the step: one pass of repulsion, then rounds of
// impulses for impacts, then rigid impact zones. is_retest: the part was tested before. Returns
// false if an impact zone is caught between prescribed motions and give_up is false; with give_up
// such pairs are counted as pinched.
static bool resolve_collisions(fm_contact_set *set, bool is_retest, bool give_up, fm_pool *pool,
                               fm_contact_report *report)
{
    fm_impulses_test_pairs(set, is_retest, pool);
    report->impulse_count += fm_impulses_apply(set, false, pool);
    int hits = fm_impulses_find_impacts(set, pool);
    for (int round = 0; hits > 0 && round < MAX_HIT_ROUNDS; round++) {
        report->hit_count += hits;
        report->round_count++;
        for (int pass = 0; pass < HIT_PASSES; pass++)
            fm_impulses_apply(set, true, pool);
        hits = fm_impulses_find_impacts(set, pool);
    }
    for (int round = 0; hits > 0; round++) {
        bool last = round >= MAX_ZONE_ROUNDS;
        int caught_count = fm_impact_zones_apply(set, give_up || last);
        if (caught_count > 0 && !give_up)
            return false;
        report->pinched_count += caught_count;
        hits = fm_impulses_find_impacts(set, pool);
    }
    return true;
}

// Resolves one part of the step, from set->from to set->to. Tests the part again with a wider bound
// on the approach of features when corrections were larger than assumed. give_up: count pairs
// caught between prescribed motions as pinched. Returns false if the part has to be made shorter.
static bool resolve_part(fm_contact_set *set, bool give_up, fm_pool *pool,
                         fm_contact_report *report)
{
    fm_impact_zones_clear(set);
    if (set->parts_per_step > 1 && !fm_candidates_check(set, set->from, set->to, pool))
        rebuild_list(set, set->to, set->skin, pool, report);
    double factor = FIRST_APPROACH_FACTOR;
    // is_complete: the candidate list is known to be complete for the motion to set->to
    bool is_retest = false, is_complete = set->parts_per_step == 1;
    fm_near_open_blocks(set);
    for (int test = 0; test < MAX_TESTS && !fm_stop_request_poll(set->stop); test++, factor *= 2) {
        fm_near_collect_pairs(set, factor, set->moved_by_caller || test > 0, pool);
        report->near_count = count_near(set);
        if (set->is_tangled)
            fm_untangling_release_pairs(set);
        int changes = report->impulse_count + report->hit_count;
        if (!resolve_collisions(set, is_retest, give_up, pool, report))
            return false;
        is_complete = is_complete && changes == report->impulse_count + report->hit_count;
        bool list_holds = is_complete || fm_candidates_check(set, set->from, set->to, pool);
        if (list_holds && fm_near_check_approach(set, pool)) {
            report->zone_vertex_count += set->zones.member_count;
            return true;
        }
        is_retest = list_holds;
        if (!list_holds) {
            double approach = fm_candidates_bound_approach(set, set->from, set->to, pool);
            rebuild_list(set, set->to, fm_double_max(set->skin, 2 * approach), pool, report);
            fm_near_open_blocks(set);
        }
    }
    return false;
}

// Saves velocities and rates (displacements per whole step), to try the part of the step again with
// a shorter length.
static void save_motion(fm_contact_set *set)
{
    fm_vec3_array_copy(set->saved_v, set->v, set->vertex_count);
    fm_vec3_array_copy(set->saved_rate, set->rate, set->vertex_count);
}

// Restores the velocities and rates (displacements per whole step) that save_motion saved.
static void restore_motion(fm_contact_set *set)
{
    fm_vec3_array_copy(set->v, set->saved_v, set->vertex_count);
    fm_vec3_array_copy(set->rate, set->saved_rate, set->vertex_count);
}

// One of the three coordinate arrays; axis: 0, 1 or 2.
static double *axis_of(fm_vec3_array a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

// Shortens displacements that MAX_PARTS parts could not follow. They come from a diverging
// simulation. A displacement that is not finite becomes zero.
static void limit_displacements(fm_contact_set *set, fm_contact_report *report)
{
    double longest = MAX_DISPLACEMENT * MAX_PARTS * set->skin;
    for (int i = 0; i < set->vertex_count; i++) {
        fm_vec3 displacement = fm_sub(fm_vec3_array_at(set->x1, i), fm_vec3_array_at(set->x0, i));
        double length = fm_length(displacement);
        if (length <= longest || set->inverse_mass[i] == 0)
            continue;
        report->cut_count++;
        double kept = isfinite(length) ? longest / length : 0;
        for (int axis = 0; axis < 3; axis++) {
            double *x1 = axis_of(set->x1, axis), x0 = axis_of(set->x0, axis)[i];
            x1[i] = kept > 0 ? x0 + (x1[i] - x0) * kept : x0;
        }
    }
}

// Takes over the start positions x0. Where the caller moved vertices since the last step, adds the
// displacement to the travel (bound on the approach of features since the candidate list was
// built).
static void take_over_starts(fm_contact_set *set, fm_pool *pool)
{
    size_t bytes = (size_t)set->vertex_count * sizeof(double);
    bool moved = memcmp(set->from.x, set->x0.x, bytes) != 0 ||
                 memcmp(set->from.y, set->x0.y, bytes) != 0 ||
                 memcmp(set->from.z, set->x0.z, bytes) != 0;
    moved = moved && !set->restarted;
    if (moved && set->list_made)
        fm_near_add_displacement(set, set->x0);
    bool earlier = set->list_updated && set->moved_by_caller && !set->restarted;
    set->moved_by_caller = moved || earlier;
    set->list_updated = false;
    fm_vec3_array_copy(set->from, set->x0, set->vertex_count);
    if (set->restarted && set->list_made)
        fm_near_reset(set, pool);
    set->restarted = false;
}

void fm_contact_update_list(fm_contact_set *set, fm_pool *pool)
{
    fm_contact_report report = {0};
    limit_displacements(set, &report);
    take_over_starts(set, pool);
    fm_candidates_find_patch_pairs(set, set->x0, set->x1, pool);
    if (!fm_candidates_are_complete(set, set->x0, set->x1, pool))
        rebuild_list(set, set->x1, set->skin, pool, &report);
    set->list_updated = true;
}

// Velocities of vertices without mass, from their displacement in the step of h seconds.
static void find_prescribed_velocities(fm_contact_set *set, double h)
{
    for (int i = 0; i < set->vertex_count; i++) {
        if (set->inverse_mass[i] != 0)
            continue;
        set->v.x[i] = (set->x1.x[i] - set->x0.x[i]) / h;
        set->v.y[i] = (set->x1.y[i] - set->x0.y[i]) / h;
        set->v.z[i] = (set->x1.z[i] - set->x0.z[i]) / h;
    }
}

// Length of a part as a fraction of the step: 1/n with the smallest n for which features approach
// by at most MAX_APPROACH times the skin in a part; n is at most MAX_PARTS.
static double choose_part_length(fm_contact_set *set, fm_pool *pool)
{
    double approach = fm_candidates_bound_approach(set, set->x0, set->x1, pool);
    double parts = ceil(approach / (MAX_APPROACH * set->skin));
    return 1 / fm_double_max(1, fm_double_min(MAX_PARTS, parts));
}

// Sets the ends of a halted step: only prescribed vertices get to x1. They are marked as pinched if
// they moved, because they may have moved into the others.
static void halt(fm_contact_set *set, fm_contact_report *report)
{
    report->is_halted = true;
    for (int i = 0; i < set->vertex_count; i++) {
        if (set->inverse_mass[i] != 0) {
            set->x1.x[i] = set->from.x[i];
            set->x1.y[i] = set->from.y[i];
            set->x1.z[i] = set->from.z[i];
        } else if (set->x1.x[i] != set->x0.x[i] || set->x1.y[i] != set->x0.y[i] ||
                   set->x1.z[i] != set->x0.z[i]) {
            set->pinched[i] = true;
        }
    }
}

// Moves all surfaces through a step of h seconds, part by part. A part that cannot be resolved is
// tried again at a quarter of its length; later parts grow again. Returns false if the step was
// halted, because too many parts were shortened.
static bool advance_parts(fm_contact_set *set, double h, fm_pool *pool, fm_contact_report *report)
{
    bool measured = set->step_measured && report->cut_count == 0;
    set->step_measured = false;
    if (!measured)
        fm_candidates_find_patch_pairs(set, set->x0, set->x1, pool);
    if (!fm_candidates_are_complete(set, set->x0, set->x1, pool))
        rebuild_list(set, set->x1, set->skin, pool, report);
    set->list_age++;
    // lengths as fractions of the step: normal length of a part; start and length of this part
    double part = choose_part_length(set, pool), begin = 0, s = part;
    while (begin < 1 && !fm_stop_request_poll(set->stop)) {
        s = begin + LAST_PART_TOLERANCE * s >= 1 ? 1 - begin : s;
        bool give_up = s <= SHORTEST_PART * part || report->pinched_count > 0;
        set->parts_per_step = 1 / s;
        set->push_fraction = fm_double_min(MAX_PUSH_FRACTION, s * h / PUSH_TIME);
        set_part_ends(set, begin, s);
        save_motion(set);
        if (!resolve_part(set, give_up, pool, report)) {
            restore_motion(set);
            if (report->shortened_count == set->max_shortened)
                return false;
            report->shortened_count++;
            s /= PART_DIVISOR;
            continue;
        }
        report->part_count++;
        fm_vec3_array old = set->from;
        set->from = set->to;
        set->to = old;
        begin += s;
        s = fm_double_min(part, PART_DIVISOR * s);
    }
    return true;
}

// Sets the callback through which the host can stop a step; may be NULL.
void fm_contact_set_stop(fm_contact_set *set, fm_stop_request *stop)
{
    set->stop = stop;
}

// True if the last step left a pair that prescribed motions press together.
static bool is_pinched(const fm_contact_set *set)
{
    return memchr(set->pinched, true, (size_t)set->vertex_count * sizeof *set->pinched) != NULL;
}

// True if the broad phase proves that no features come nearer than their thickness from starts to
// ends.
bool fm_contact_is_collision_free(fm_contact_set *set, fm_pool *pool)
{
    if (set->is_tangled || is_pinched(set))
        return false;
    fm_candidates_find_patch_pairs(set, set->x0, set->x1, pool);
    bool is_free = set->near_patches.count == 0 && !set->near_patches.out_of_memory;
    set->started = set->started || is_free; // no pair is near, so nothing intersects at the start
    set->list_age += is_free;
    set->step_measured = !is_free;
    return is_free;
}

// Moves all surfaces from x0 to x1 in h seconds, and changes x1 and the velocities so that nothing
// collides on the way.
void fm_contact_step(fm_contact_set *set, double h, fm_pool *pool, fm_contact_report *report)
{
    *report = (fm_contact_report){0};
    int count = set->vertex_count;
    if (is_pinched(set) || set->is_tangled || !set->started)
        fm_untangling_find_intersections(set, report);
    set->started = true;
    memset(set->pinched, 0, (size_t)count * sizeof *set->pinched);
    set->step_seconds = h;
    limit_displacements(set, report);
    find_prescribed_velocities(set, h);
    take_over_starts(set, pool);
    set_difference(count, set->rate.x, set->x1.x, set->x0.x);
    set_difference(count, set->rate.y, set->x1.y, set->x0.y);
    set_difference(count, set->rate.z, set->x1.z, set->x0.z);
    if (advance_parts(set, h, pool, report))
        fm_vec3_array_copy(set->x1, set->from, set->vertex_count);
    else
        halt(set, report);
    for (int b = 0; b < set->block_count; b++) {
        const fm_pair_block *block = &set->blocks[b];
        report->candidate_count += block->pairs[0].count + block->pairs[1].count;
        report->out_of_memory |= block->out_of_memory;
    }
    report->out_of_memory |= set->near_patches.out_of_memory || set->listed_patches.out_of_memory;
}
