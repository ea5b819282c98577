// SPDX-License-Identifier: MIT
// impulses.c: pairs that come too near are held apart, with friction, by impulses.
//
// A near pair has weights w_i, adding up to 1 on its first feature and to -1 on its second, and a
// unit normal n. With positions x_i at the end of the part of the step and u_i the ways to there,
//
//     gap = n . sum w_i x_i          lambda = (target - gap) / sum (w_i^2 / m_i)        when > 0
//     x_i <- x_i + w_i / m_i lambda n
//
// which keeps the momentum, and the angular momentum as n is along the line of the closest points.
// What takes away approach (at most -n . sum w_i u_i) is an impulse: it bounds Coulomb's friction
//
//     sum w_i u_i,t <- shorter by at most friction x that
//
// and stays in the rates of the parts to come. What makes room beyond that moves positions only.
// Velocities at the end get the same treatment by themselves: approach is taken, then friction, so
// that kick-drift-kick slides down an incline at g (sin a - mu cos a) exactly, and stays where
// friction holds it.
//
// A pair is certainly free all the way when the plane of its normal separates it at both ends: all
// is linear in between. Only where that fails is the time of impact asked for [BFA02], and the pair
// gets closest points and normal of that moment.
//
//   m  mass, kg    x  position, m    u  way in this part, m
//
// [BFA02] Bridson, Fedkiw, Anderson: Robust treatment of collisions, contact and friction for cloth
//         animation. TOG 21(3), 2002.
#include "collide/contact.h"

enum { BLOCKS_AT_ONCE = 4 };

static fm_vec3 sum_weighted(const fm_near_pair *pair, fm_contact_axes a)
{
    fm_vec3 sum = {0, 0, 0};
    for (int i = 0; i < 4; i++)
        sum = fm_add_scaled(sum, fm_contact_at(a, pair->v[i]), pair->w[i]);
    return sum;
}

static void add_weighted(const fm_contact_set *set, const fm_near_pair *pair, fm_contact_axes a,
                         fm_vec3 change)
{
    for (int i = 0; i < 4; i++) {
        int v = pair->v[i];
        double share = set->inverse_mass[v] * pair->w[i];
        a.x[v] += share * change.x;
        a.y[v] += share * change.y;
        a.z[v] += share * change.z;
    }
}

// What friction takes from a sliding motion, given the approach that was taken.
static fm_vec3 find_friction(const fm_near_pair *pair, fm_vec3 relative, double taken)
{
    fm_vec3 slide = fm_add_scaled(relative, pair->n, -fm_dot(relative, pair->n));
    double length = fm_length(slide), most = pair->friction * taken;
    return fm_scale(slide, length > most ? -most / length : -1);
}

static void apply_to_velocities(fm_contact_set *set, const fm_near_pair *pair, double inertia)
{
    fm_vec3 relative = sum_weighted(pair, set->v);
    double approach = -fm_dot(relative, pair->n);
    if (!(approach > 0))
        return;
    fm_vec3 change = fm_add_scaled(find_friction(pair, relative, approach), pair->n, approach);
    add_weighted(set, pair, set->v, fm_scale(change, inertia));
}

static bool apply_to_pair(fm_contact_set *set, fm_near_pair *pair)
{
    fm_vec3 end = sum_weighted(pair, set->to);
    double gap = fm_dot(pair->n, end), lack = pair->target - gap, mobility = 0;
    if (!(lack > 0))
        return false;
    for (int i = 0; i < 4; i++)
        mobility += set->inverse_mass[pair->v[i]] * pair->w[i] * pair->w[i];
    if (!(mobility > 0))
        return false;
    double inertia = 1 / mobility;
    fm_vec3 way = fm_sub(end, sum_weighted(pair, set->from));
    double taken = fm_smaller(lack, fm_larger(0, -fm_dot(way, pair->n)));
    fm_vec3 friction = find_friction(pair, way, taken);
    add_weighted(set, pair, set->to,
                 fm_scale(fm_add_scaled(friction, pair->n, lack), inertia));
    if (taken > 0)
        add_weighted(set, pair, set->rate,
                     fm_scale(fm_add_scaled(friction, pair->n, taken), inertia * set->parts));
    apply_to_velocities(set, pair, inertia);
    return true;
}

int fm_impulses_apply(fm_contact_set *set, bool hits_only)
{
    int count = 0;
    for (int b = 0; b < set->block_count; b++) {
        fm_pair_block *block = &set->blocks[b];
        if (hits_only && block->hit_count == 0)
            continue;
        for (int k = 0; k < block->near_count; k++) {
            fm_near_pair *pair = &block->near[k];
            if ((!hits_only || pair->hit) && !pair->given_up && apply_to_pair(set, pair))
                count++;
        }
    }
    return count;
}

static int first_count(const fm_near_pair *pair)
{
    return pair->kind == FM_VERTEX_TRIANGLE ? 1 : 2;
}

// How far a plane across n keeps the features apart at x.
static double find_separation(const fm_near_pair *pair, fm_contact_axes x)
{
    double low = INFINITY, high = -INFINITY;
    int count = first_count(pair);
    for (int i = 0; i < 4; i++) {
        double along = fm_dot(pair->n, fm_contact_at(x, pair->v[i]));
        if (i < count)
            low = fm_smaller(low, along);
        else
            high = fm_larger(high, along);
    }
    return low - high;
}

// Turns the pair to the time of impact; false when there is none.
static bool find_hit(const fm_contact_set *set, fm_near_pair *pair)
{
    if (find_separation(pair, set->to) >= pair->least &&
        (!pair->turned || find_separation(pair, set->from) >= pair->least))
        return false;
    fm_vec3 from[4], to[4];
    for (int i = 0; i < 4; i++) {
        from[i] = fm_contact_at(set->from, pair->v[i]);
        to[i] = fm_contact_at(set->to, pair->v[i]);
    }
    double t = fm_time_of_impact(pair->kind, from, to, pair->least);
    if (t > 1)
        return false;
    for (int i = 0; i < 4; i++)
        from[i] = fm_add_scaled(from[i], fm_sub(to[i], from[i]), t);
    fm_closest c = fm_closest_points(pair->kind, from);
    if (!(c.distance > 0))
        return true;
    pair->n = fm_scale(c.gap, 1 / c.distance);
    for (int i = 0; i < 4; i++)
        pair->w[i] = c.weight[i];
    return true;
}

static void find_range(void *context, int first, int last)
{
    fm_contact_set *set = context;
    for (int b = first; b < last; b++) {
        fm_pair_block *block = &set->blocks[b];
        block->hit_count = 0;
        for (int k = 0; k < block->near_count; k++) {
            fm_near_pair *pair = &block->near[k];
            if (pair->loose || pair->given_up)
                continue;
            bool hit = find_hit(set, pair);
            pair->turned |= hit;
            pair->hit = hit;
            block->hit_count += hit;
        }
    }
}

int fm_impulses_find_hits(fm_contact_set *set, fm_pool *pool)
{
    int count = 0;
    fm_parallel_for(pool, set->block_count, BLOCKS_AT_ONCE, find_range, set);
    for (int b = 0; b < set->block_count; b++)
        count += set->blocks[b].hit_count;
    return count;
}
