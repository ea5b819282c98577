// SPDX-License-Identifier: MIT
// contact.c: the step that keeps surfaces apart, from the cheap to the certain.
//
//     patches   boxes and smooth regions: most of a step is certainly free      patches.c, smooth.c
//     list      which pairs may meet: kept over several steps                    candidates.c
//     near      those that come nearer than their thickness in this step         near.c
//     impulses  one pass over them: repulsion, friction                          impulses.c
//     hits      times of impact; impulses for what still meets, several rounds   impulses.c
//     zones     what is left moves rigidly, with what it touches                 zones.c
//
// A step is cut into parts so that in none of them features come nearer by more than half the most
// that the list looks ahead; where a zone is caught between things that move differently, into
// finer ones.
#include "collide/contact.h"

#include <string.h>

enum {
    MAX_PARTS = 256,     // a step is cut into, for speed
    MAX_HIT_ROUNDS = 12, // impulses settle in two or three but for crumpled places
    HIT_PASSES = 4,      // over what was hit, per round
    MAX_ZONE_ROUNDS = 100,
    MAX_LOOKS = 10, // at a part, each wider than the one before
    FINER = 4,      // times, where zones are stuck
};
static const double FINEST = 1.0 / 64; // of a part, where zones are stuck
static const double PUSH_TIME = 5e-3;  // s, in which a lack of thickness is made good
static const double MOST_PUSH = 0.25;  // of it at once

static void set_difference(int count, double *out, const double *a, const double *b)
{
    for (int i = 0; i < count; i++)
        out[i] = a[i] - b[i];
}

// out = from + rate s, or the given way for what has no mass.
static void advance_axis(const fm_contact_set *set, double *out, const double *from,
                         const double *rate, const double *x0, const double *x1, double begin,
                         double s)
{
    double end = begin + s;
    for (int i = 0; i < set->vertex_count; i++) {
        bool given = set->inverse_mass[i] == 0;
        out[i] = given ? x0[i] + (x1[i] - x0[i]) * end : from[i] + rate[i] * s;
    }
}

static void aim(fm_contact_set *set, double begin, double s)
{
    if (s == 1) {
        fm_contact_copy(set, set->to, set->x1);
        return;
    }
    fm_contact_axes to = set->to, from = set->from, rate = set->rate, x0 = set->x0, x1 = set->x1;
    advance_axis(set, to.x, from.x, rate.x, x0.x, x1.x, begin, s);
    advance_axis(set, to.y, from.y, rate.y, x0.y, x1.y, begin, s);
    advance_axis(set, to.z, from.z, rate.z, x0.z, x1.z, begin, s);
    for (int i = 0; begin + s >= 1 && i < set->vertex_count; i++) {
        if (set->inverse_mass[i] == 0)
            to.x[i] = x1.x[i], to.y[i] = x1.y[i], to.z[i] = x1.z[i];
    }
}

static void make_list(fm_contact_set *set, fm_contact_axes ahead, double skin, fm_pool *pool,
                      fm_contact_report *report)
{
    fm_candidates_build(set, set->from, ahead, skin, pool);
    report->list_count++;
}

static int count_near(const fm_contact_set *set)
{
    int count = 0;
    for (int b = 0; b < set->block_count; b++)
        count += set->blocks[b].near[0].count + set->blocks[b].near[1].count;
    return count;
}

// Gives false when zones are stuck and may not give up.
static bool settle(fm_contact_set *set, bool again, bool give_up, fm_pool *pool,
                   fm_contact_report *report)
{
    fm_impulses_look(set, again, pool);
    report->impulse_count += fm_impulses_apply(set, false, pool);
    int hits = fm_impulses_find_hits(set, pool);
    for (int round = 0; hits > 0 && round < MAX_HIT_ROUNDS; round++) {
        report->hit_count += hits;
        report->round_count++;
        for (int pass = 0; pass < HIT_PASSES; pass++)
            fm_impulses_apply(set, true, pool);
        hits = fm_impulses_find_hits(set, pool);
    }
    for (int round = 0; hits > 0; round++) {
        bool last = round >= MAX_ZONE_ROUNDS;
        int stuck = fm_zones_apply(set, give_up || last);
        if (stuck > 0 && !give_up)
            return false;
        report->pinched_count += stuck;
        hits = fm_impulses_find_hits(set, pool);
    }
    return true;
}

// One part, from `from` to `to`. Repeated with a wider look when corrections led further than the
// look allowed.
static bool resolve(fm_contact_set *set, bool give_up, fm_pool *pool, fm_contact_report *report)
{
    fm_zones_clear(set);
    if (set->parts > 1 && !fm_candidates_hold(set, set->from, set->to, pool))
        make_list(set, set->to, set->skin, pool, report);
    double wider = 1.25;
    bool again = false, known = set->parts == 1; // that the list holds for the wished way
    fm_near_open(set);
    for (int look = 0; look < MAX_LOOKS && !fm_stop_asked(set->stop); look++, wider *= 2) {
        fm_near_collect(set, wider, set->moved || look > 0, pool);
        report->near_count = count_near(set);
        if (set->is_tangled)
            fm_tangles_loosen(set);
        int changes = report->impulse_count + report->hit_count;
        if (!settle(set, again, give_up, pool, report))
            return false;
        known = known && changes == report->impulse_count + report->hit_count;
        bool holds = known || fm_candidates_hold(set, set->from, set->to, pool);
        if (holds && fm_near_suffice(set, pool)) {
            report->zone_vertex_count += set->zones.member_count;
            return true;
        }
        again = holds;
        if (!holds) {
            double approach = fm_candidates_approach(set, set->from, set->to);
            make_list(set, set->to, fm_larger(set->skin, 2 * approach), pool, report);
            fm_near_open(set);
        }
    }
    return false;
}

static void save(fm_contact_set *set)
{
    fm_contact_copy(set, set->saved_v, set->v);
    fm_contact_copy(set, set->saved_rate, set->rate);
}

static void restore(fm_contact_set *set)
{
    fm_contact_copy(set, set->v, set->saved_v);
    fm_contact_copy(set, set->rate, set->saved_rate);
}

static double *axis_of(fm_contact_axes a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

// Ways beyond what parts can follow come from numbers that blow up: the vertex goes as far as can
// be followed.
static void cut_ways(fm_contact_set *set, fm_contact_report *report)
{
    double longest = 0.2 * MAX_PARTS * set->skin;
    for (int i = 0; i < set->vertex_count; i++) {
        fm_vec3 way = fm_sub(fm_contact_at(set->x1, i), fm_contact_at(set->x0, i));
        double length = fm_length(way);
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

// The caller may have moved things since the last step.
static void take_over(fm_contact_set *set, fm_pool *pool)
{
    size_t bytes = (size_t)set->vertex_count * sizeof(double);
    set->moved = memcmp(set->from.x, set->x0.x, bytes) != 0 ||
                 memcmp(set->from.y, set->x0.y, bytes) != 0 ||
                 memcmp(set->from.z, set->x0.z, bytes) != 0;
    set->moved = set->moved && !set->restarted;
    if (set->moved && set->list_made)
        fm_near_carry(set, set->x0);
    fm_contact_copy(set, set->from, set->x0);
    if (set->restarted && set->list_made)
        fm_near_forget(set, pool);
    set->restarted = false;
}

static void give_velocities(fm_contact_set *set, double h)
{
    for (int i = 0; i < set->vertex_count; i++) {
        if (set->inverse_mass[i] != 0)
            continue;
        set->v.x[i] = (set->x1.x[i] - set->x0.x[i]) / h;
        set->v.y[i] = (set->x1.y[i] - set->x0.y[i]) / h;
        set->v.z[i] = (set->x1.z[i] - set->x0.z[i]) / h;
    }
}

// The length of a part: the largest whole fraction of the step that moves nothing too far.
static double choose_part(fm_contact_set *set)
{
    double approach = fm_candidates_approach(set, set->x0, set->x1);
    double parts = ceil(approach / (0.5 * set->skin));
    return 1 / fm_larger(1, fm_smaller(MAX_PARTS, parts));
}

static void take_parts(fm_contact_set *set, double h, fm_pool *pool, fm_contact_report *report)
{
    bool measured = set->way_measured && report->cut_count == 0;
    set->way_measured = false;
    if (!measured)
        fm_candidates_measure(set, set->x0, set->x1, pool);
    if (!fm_candidates_suffice(set, set->x0, set->x1))
        make_list(set, set->x1, set->skin, pool, report);
    set->list_age++;
    double part = choose_part(set), begin = 0, s = part;
    while (begin < 1 && !fm_stop_asked(set->stop)) {
        s = begin + 1.001 * s >= 1 ? 1 - begin : s;
        bool give_up = s <= FINEST * part || report->pinched_count > 0;
        set->parts = 1 / s;
        set->push_share = fm_smaller(MOST_PUSH, s * h / PUSH_TIME);
        aim(set, begin, s);
        save(set);
        if (!resolve(set, give_up, pool, report)) {
            restore(set);
            s /= FINER;
            continue;
        }
        report->part_count++;
        fm_contact_axes old = set->from;
        set->from = set->to;
        set->to = old;
        begin += s;
        s = fm_smaller(part, FINER * s);
    }
}

void fm_contact_set_stop(fm_contact_set *set, fm_stop *stop)
{
    set->stop = stop;
}

static bool is_pinched(const fm_contact_set *set)
{
    return memchr(set->pinched, true, (size_t)set->vertex_count * sizeof *set->pinched) != NULL;
}

bool fm_contact_is_free(fm_contact_set *set, fm_pool *pool)
{
    if (set->is_tangled || is_pinched(set))
        return false;
    fm_candidates_measure(set, set->x0, set->x1, pool);
    bool is_free = set->met.count == 0 && !set->met.out_of_memory;
    set->started = set->started || is_free; // what is apart does not begin tangled
    set->list_age += is_free;
    set->way_measured = !is_free;
    return is_free;
}

void fm_contact_step(fm_contact_set *set, double h, fm_pool *pool, fm_contact_report *report)
{
    *report = (fm_contact_report){0};
    int count = set->vertex_count;
    if (is_pinched(set) || set->is_tangled || !set->started)
        fm_tangles_find(set, report);
    set->started = true;
    memset(set->pinched, 0, (size_t)count * sizeof *set->pinched);
    set->step_seconds = h;
    cut_ways(set, report);
    give_velocities(set, h);
    take_over(set, pool);
    set_difference(count, set->rate.x, set->x1.x, set->x0.x);
    set_difference(count, set->rate.y, set->x1.y, set->x0.y);
    set_difference(count, set->rate.z, set->x1.z, set->x0.z);
    take_parts(set, h, pool, report);
    fm_contact_copy(set, set->x1, set->from);
    for (int b = 0; b < set->block_count; b++) {
        const fm_pair_block *block = &set->blocks[b];
        report->candidate_count += block->pairs[0].count + block->pairs[1].count;
        report->out_of_memory |= block->out_of_memory;
    }
    report->out_of_memory |= set->met.out_of_memory || set->listed.out_of_memory;
}
