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
// Vertices that are heavier along an axis (contact.h) have a matrix for 1/m. The relative motion
// of the pair's points then answers an impulse p by K p, K = sum w_i^2 M_i^-1:
//
//     normal     p = n (approach taken) / (n . K n)
//     friction   p = -s d',   d' = d - n (n . K d) / (n . K n),   d along the sliding that is left,
//                s = the smaller of |sliding| / (d' . K d') and friction x the normal impulse
//
// d' leaves the normal motion alone. Neither of the two can add energy in the metric of M.
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
#include "core/simd.h"

#include <string.h>

enum { BLOCKS_AT_ONCE = 4, BLOCKS_A_THREAD = 2 };

static const double NOTHING = 1e-6; // of the thickness: what rounding leaves of a lack made good

// A pair as the passes work on it.
typedef struct contact {
    const int *v;
    double w[4];
    fm_vec3 n;
    double friction;
    double inertia; // kg: of the two points moving against each other
} contact;

FM_INLINE fm_vec3 sum_weighted(const contact *c, fm_contact_axes a)
{
    fm_vec3 sum = {0, 0, 0};
    for (int i = 0; i < 4; i++)
        sum = fm_add_scaled(sum, fm_contact_at(a, c->v[i]), c->w[i]);
    return sum;
}

FM_INLINE void add_weighted(const fm_contact_set *set, const contact *c, fm_contact_axes a,
                            fm_vec3 change)
{
    for (int i = 0; i < 4; i++) {
        int v = c->v[i];
        double share = set->inverse_mass[v] * c->w[i] * c->inertia;
        if (share == 0)
            continue; // another thread may be reading it
        a.x[v] += share * change.x;
        a.y[v] += share * change.y;
        a.z[v] += share * change.z;
    }
}

// What friction takes from a sliding motion, given the approach that was taken.
FM_INLINE fm_vec3 find_friction(const contact *c, fm_vec3 relative, double taken)
{
    fm_vec3 slide = fm_add_scaled(relative, c->n, -fm_dot(relative, c->n));
    double square = fm_dot(slide, slide), most = c->friction * taken;
    return fm_scale(slide, square > most * most ? -most / sqrt(square) : -1);
}

// Symmetric 3 x 3.
typedef struct matrix {
    double xx, yy, zz, xy, xz, yz;
} matrix;

FM_INLINE fm_vec3 multiply(const matrix *k, fm_vec3 p)
{
    return (fm_vec3){k->xx * p.x + k->xy * p.y + k->xz * p.z,
                     k->xy * p.x + k->yy * p.y + k->yz * p.z,
                     k->xz * p.x + k->yz * p.y + k->zz * p.z};
}

// K of the file's head.
static matrix find_mobility(const fm_contact_set *set, const contact *c)
{
    matrix k = {0};
    for (int i = 0; i < 4; i++) {
        int v = c->v[i];
        double ww = c->w[i] * c->w[i], a = ww * set->inverse_mass[v];
        double b = ww * set->axis_inverse_mass[v] - a;
        fm_vec3 e = fm_contact_at(set->mass_axis, v);
        k.xx += a + b * e.x * e.x, k.yy += a + b * e.y * e.y, k.zz += a + b * e.z * e.z;
        k.xy += b * e.x * e.y, k.xz += b * e.x * e.z, k.yz += b * e.y * e.z;
    }
    return k;
}

// Moves the pair's vertices as the impulse p on its points would.
static void add_impulse(const fm_contact_set *set, const contact *c, fm_contact_axes x, fm_vec3 p)
{
    for (int i = 0; i < 4; i++) {
        int v = c->v[i];
        double a = set->inverse_mass[v];
        if (a == 0 || c->w[i] == 0)
            continue; // another thread may be reading it
        fm_vec3 e = fm_contact_at(set->mass_axis, v);
        double along = (set->axis_inverse_mass[v] - a) * fm_dot(e, p);
        fm_vec3 change = fm_scale(fm_add_scaled(fm_scale(p, a), e, along), c->w[i]);
        x.x[v] += change.x, x.y[v] += change.y, x.z[v] += change.z;
    }
}

// Makes the points go apart by `push` more, of which `taken` was approach and bounds friction.
static fm_vec3 find_impulse(const contact *c, const matrix *k, fm_vec3 relative, double push,
                            double taken)
{
    fm_vec3 kn = multiply(k, c->n);
    double nkn = fm_dot(c->n, kn);
    fm_vec3 normal = fm_scale(c->n, push / nkn);
    fm_vec3 slide = fm_add_scaled(relative, kn, taken / nkn);
    slide = fm_add_scaled(slide, c->n, -fm_dot(slide, c->n));
    double speed = fm_length(slide), most = c->friction * taken / nkn;
    if (!(speed > 0) || !(most > 0))
        return normal;
    fm_vec3 d = fm_scale(slide, 1 / speed);
    d = fm_add_scaled(d, c->n, -fm_dot(d, kn) / nkn);
    double s = fm_smaller(most, speed / fm_dot(d, multiply(k, d)));
    return fm_add_scaled(normal, d, -s);
}

// As apply_to_pair does with scalar masses, from the relative way, the lack and what of it is
// approach.
static bool push_with_axes(fm_contact_set *set, const contact *c, fm_vec3 way, double lack,
                           double taken)
{
    matrix k = find_mobility(set, c);
    if (!(fm_dot(c->n, multiply(&k, c->n)) > 0))
        return false;
    add_impulse(set, c, set->to, find_impulse(c, &k, way, lack, taken));
    if (taken > 0 && set->parts > 1)
        add_impulse(set, c, set->rate,
                    fm_scale(find_impulse(c, &k, way, taken, taken), set->parts));
    fm_vec3 relative = sum_weighted(c, set->v);
    double approach = -fm_dot(relative, c->n);
    if (approach > 0)
        add_impulse(set, c, set->v, find_impulse(c, &k, relative, approach, approach));
    return true;
}

FM_INLINE void apply_to_velocities(fm_contact_set *set, const contact *c)
{
    fm_vec3 relative = sum_weighted(c, set->v);
    double approach = -fm_dot(relative, c->n);
    if (approach > 0)
        add_weighted(set, c, set->v,
                     fm_add_scaled(find_friction(c, relative, approach), c->n, approach));
}

FM_INLINE double find_pair_friction(const fm_contact_set *set, const int v[4])
{
    double a = set->bodies[set->body_of[v[0]]].friction;
    double b = set->bodies[set->body_of[v[2]]].friction;
    return a == b ? a : sqrt(a * b);
}

FM_INLINE bool apply_to_pair(fm_contact_set *set, fm_feature_kind kind, const fm_near_pair *pair)
{
    contact c = {.v = pair->v, .n = pair->n};
    fm_near_weights(kind, pair, c.w);
    fm_vec3 end = sum_weighted(&c, set->to), start = sum_weighted(&c, set->from);
    double h = pair->thickness, gap = fm_dot(c.n, start), mobility = 0;
    double target = gap < h ? gap + set->push_share * (h - gap) : h;
    double lack = target - fm_dot(c.n, end);
    if (!(lack > NOTHING * h))
        return false;
    fm_vec3 way = fm_sub(end, start);
    double taken = fm_smaller(lack, fm_larger(0, -fm_dot(way, c.n)));
    c.friction = find_pair_friction(set, c.v);
    if (set->has_mass_axes)
        return push_with_axes(set, &c, way, lack, taken);
    for (int i = 0; i < 4; i++)
        mobility += set->inverse_mass[c.v[i]] * c.w[i] * c.w[i];
    if (!(mobility > 0))
        return false;
    c.inertia = 1 / mobility;
    fm_vec3 friction = find_friction(&c, way, taken);
    add_weighted(set, &c, set->to, fm_add_scaled(friction, c.n, lack));
    if (taken > 0 && set->parts > 1)
        add_weighted(set, &c, set->rate, fm_scale(fm_add_scaled(friction, c.n, taken), set->parts));
    apply_to_velocities(set, &c);
    return true;
}

static FM_SIMD_CLONES int apply_to_hits(fm_contact_set *set, fm_feature_kind kind,
                                        const fm_near_list *near)
{
    int count = 0;
    for (int k = 0; k < near->count; k++) {
        const fm_near_pair *pair = &near->pairs[k];
        if (pair->hit && !pair->given_up && apply_to_pair(set, kind, pair))
            count++;
    }
    return count;
}

static FM_SIMD_CLONES int apply_to_touching(fm_contact_set *set, fm_feature_kind kind,
                                            const fm_near_list *near)
{
    int count = 0;
    for (int k = 0; k < near->touching_count; k++)
        count += apply_to_pair(set, kind, &near->pairs[near->touching[k]]);
    return count;
}

typedef struct pass {
    fm_contact_set *set;
    const int *blocks; // of one colour
    bool hits_only;
} pass;

static void apply_to_blocks(void *context, int first, int last)
{
    const pass *job = context;
    for (int i = first; i < last; i++) {
        fm_pair_block *block = &job->set->blocks[job->blocks[i]];
        block->pushed = 0;
        for (int kind = 0; kind < 2; kind++) {
            const fm_near_list *near = &block->near[kind];
            if (!job->hits_only)
                block->pushed += apply_to_touching(job->set, (fm_feature_kind)kind, near);
            else if (block->hit_count > 0)
                block->pushed += apply_to_hits(job->set, (fm_feature_kind)kind, near);
        }
    }
}

int fm_impulses_apply(fm_contact_set *set, bool hits_only, fm_pool *pool)
{
    int count = 0;
    for (int c = 0; c < FM_CONTACT_COLOURS; c++) {
        int first = set->colour_first[c], blocks = set->colour_first[c + 1] - first;
        pass job = {set, set->by_colour + first, hits_only};
        if (c == FM_CONTACT_COLOURS - 1)
            apply_to_blocks(&job, 0, blocks);
        else
            fm_parallel_for(pool, blocks, BLOCKS_A_THREAD, apply_to_blocks, &job);
    }
    for (int b = 0; b < set->block_count; b++)
        count += set->blocks[b].pushed;
    return count;
}

// Along n: how far apart the closest points are at x (gap), and how far a plane across n keeps the
// features apart.
typedef struct span {
    double gap, separation;
} span;

FM_INLINE span find_span(fm_feature_kind kind, const fm_near_pair *pair, fm_contact_axes x)
{
    double p[4];
    for (int i = 0; i < 4; i++) {
        int v = pair->v[i];
        p[i] = pair->n.x * x.x[v] + pair->n.y * x.y[v] + pair->n.z * x.z[v];
    }
    double s = pair->s, t = pair->t, high = fm_larger(p[2], p[3]);
    if (kind == FM_EDGE_EDGE)
        return (span){p[0] + s * (p[1] - p[0]) - p[2] - t * (p[3] - p[2]),
                      fm_smaller(p[0], p[1]) - high};
    return (span){p[0] - p[1] - s * (p[2] - p[1]) - t * (p[3] - p[1]),
                  p[0] - fm_larger(p[1], high)};
}

FM_INLINE double look_at_list(const fm_contact_set *set, fm_feature_kind kind, fm_near_list *near)
{
    double margin = INFINITY;
    int touching = 0;
    for (int k = 0; k < near->count; k++) {
        const fm_near_pair *pair = &near->pairs[k];
        span s = find_span(kind, pair, set->to);
        near->touching[touching] = k;
        touching += s.gap < pair->thickness;
        double mine = pair->turned ? -INFINITY : s.separation - pair->least;
        margin = mine < margin ? mine : margin;
    }
    near->touching_count = touching;
    return margin;
}

static FM_SIMD_CLONES void look_at_blocks(void *context, int first, int last)
{
    fm_contact_set *set = context;
    for (int b = first; b < last; b++) {
        fm_pair_block *block = &set->blocks[b];
        if (!block->open) {
            block->near[0].touching_count = block->near[1].touching_count = 0;
            continue;
        }
        double a = look_at_list(set, FM_VERTEX_TRIANGLE, &block->near[FM_VERTEX_TRIANGLE]);
        double c = look_at_list(set, FM_EDGE_EDGE, &block->near[FM_EDGE_EDGE]);
        block->margin = fm_smaller(a, c);
    }
}

// Looking again, margins of blocks that are not open still are from `seen`; the others' are not,
// and have to be tested.
void fm_impulses_look(fm_contact_set *set, bool again, fm_pool *pool)
{
    if (!again)
        fm_contact_copy(set, set->seen, set->to);
    fm_parallel_for(pool, set->block_count, BLOCKS_AT_ONCE, look_at_blocks, set);
    for (int b = 0; again && b < set->block_count; b++)
        set->blocks[b].margin = set->blocks[b].open ? -INFINITY : set->blocks[b].margin;
}

// Turns the pair to the time of impact; false when there is none.
static bool find_hit(const fm_contact_set *set, fm_feature_kind kind, fm_near_pair *pair)
{
    if (find_span(kind, pair, set->to).separation >= pair->least &&
        (!pair->turned || find_span(kind, pair, set->from).separation >= pair->least))
        return false;
    fm_vec3 from[4], to[4];
    for (int i = 0; i < 4; i++) {
        from[i] = fm_contact_at(set->from, pair->v[i]);
        to[i] = fm_contact_at(set->to, pair->v[i]);
    }
    pair->turned = true; // free or not, this normal does not prove it
    double t = fm_time_of_impact(kind, from, to, pair->least);
    if (t > 1)
        return false;
    for (int i = 0; i < 4; i++)
        from[i] = fm_add_scaled(from[i], fm_sub(to[i], from[i]), t);
    fm_closest c = fm_closest_points(kind, from);
    if (!(c.distance > 0))
        return true;
    pair->n = fm_scale(c.gap, 1 / c.distance);
    pair->s = kind == FM_EDGE_EDGE ? c.weight[1] : -c.weight[2];
    pair->t = -c.weight[3];
    return true;
}

typedef struct hit_search {
    fm_contact_set *set;
    double correction;
} hit_search;

static void find_in_blocks(void *context, int first, int last)
{
    const hit_search *job = context;
    for (int b = first; b < last; b++) {
        fm_pair_block *block = &job->set->blocks[b];
        block->hit_count = 0;
        if (block->margin > 2.001 * job->correction)
            continue;
        for (int kind = 0; kind < 2; kind++) {
            fm_near_list *near = &block->near[kind];
            for (int k = 0; k < near->count; k++) {
                fm_near_pair *pair = &near->pairs[k];
                if (pair->loose || pair->given_up)
                    continue;
                pair->hit = find_hit(job->set, (fm_feature_kind)kind, pair);
                near->stale = pair->turned ? -INFINITY : near->stale;
                block->hit_count += pair->hit;
            }
        }
    }
}

int fm_impulses_find_hits(fm_contact_set *set, fm_pool *pool)
{
    int count = 0;
    hit_search job = {set, fm_contact_largest_way(set, set->seen, set->to)};
    fm_parallel_for(pool, set->block_count, BLOCKS_AT_ONCE, find_in_blocks, &job);
    for (int b = 0; b < set->block_count; b++)
        count += set->blocks[b].hit_count;
    return count;
}
