// SPDX-License-Identifier: MIT
// impulses.c: repulsion and friction impulses between near pairs of features, and their impacts.
//
// A near pair has weights w_i, adding up to 1 on its first feature and to -1 on its second, and a
// unit normal n. With positions x_i at the end of the current part of the step and displacements
// u_i in this part, the repulsion is
//
//     gap = n . sum w_i x_i          lambda = (target - gap) / sum (w_i^2 / m_i)        if > 0
//     x_i <- x_i + w_i / m_i lambda n
//
// It conserves linear momentum, and angular momentum too, because n is along the line between the
// closest points. The part of the correction that removes approach, at most -n . sum w_i u_i, is an
// impulse. It bounds Coulomb friction,
//
//     sum w_i u_i,t <- shorter by at most friction x that impulse,     t: tangential part
//
// and it also changes the displacements of the remaining parts of the step. The rest of the
// correction, which restores missing thickness, moves positions only. The velocities at the end get
// the same treatment separately: approach is removed, then friction acts. With kick-drift-kick a
// body then slides down an incline at exactly g (sin a - mu cos a), and stays at rest where static
// friction holds it.
//
// Vertices with added mass along an axis (contact.h) have a matrix in place of 1/m. An impulse p
// then changes the relative motion of the pair's points by K p, K = sum w_i^2 M_i^-1:
//
//     normal     p = n (approach removed) / (n . K n)
//     friction   p = -s d',   d' = d - n (n . K d) / (n . K n),   d: remaining sliding direction,
//                s = the smaller of |sliding| / (d' . K d') and friction x the normal impulse
//
// d' leaves the normal motion unchanged. Neither impulse can add energy in the metric of M.
//
// A pair certainly does not collide in this part if the plane of its normal separates it at both
// ends, because all points move linearly in between. Only where that fails, the time of impact is
// computed [BFA02], and the pair gets the closest points and the normal of that moment.
//
//   m  mass, kg    x  position, m    u  displacement in this part, m
//
// Full reference: docs/references.md.
#include "collide/contact.h"
#include "core/simd.h"

#include <string.h>

// blocks of pairs in one task of a thread: in tests, and when impulses are applied
enum { BLOCKS_PER_TEST_TASK = 4, BLOCKS_PER_IMPULSE_TASK = 2 };

// relative to the thickness; a gap that is too small by less than this is a rounding error
static const double MIN_DEFICIT = 1e-6;
// A correction of every vertex by c changes a separation by at most 2 c; the excess over 2 allows
// for rounding.
static const double CORRECTION_FACTOR = 2.001;

// A near pair with its weights, while impulses are applied to it.
typedef struct contact {
    const int *v;    // the four vertices
    double w[4];     // weights: sum w[i] x[v[i]] is the vector between the closest points
    fm_vec3 n;       // unit normal, from the second feature to the first
    double friction; // Coulomb's coefficient
    double inertia;  // kg, reduced mass of the relative motion of the two closest points
} contact;

// Relative vector of the two closest points: positions, displacements or velocities `a`, weighted.
FM_INLINE fm_vec3 sum_weighted(const contact *c, fm_vec3_array a)
{
    fm_vec3 sum = {0, 0, 0};
    for (int i = 0; i < 4; i++)
        sum = fm_add_scaled(sum, fm_vec3_array_at(a, c->v[i]), c->w[i]);
    return sum;
}

// Changes the array `a` of positions or velocities of the four vertices, by an impulse along the
// line between the closest points, so that their relative vector changes by `change`.
FM_INLINE void add_weighted(const fm_contact_set *set, const contact *c, fm_vec3_array a,
                            fm_vec3 change)
{
    for (int i = 0; i < 4; i++) {
        int v = c->v[i];
        double share = set->inverse_mass[v] * c->w[i] * c->inertia;
        if (share == 0)
            continue; // another thread may be reading this vertex
        a.x[v] += share * change.x;
        a.y[v] += share * change.y;
        a.z[v] += share * change.z;
    }
}

// Change of the relative displacement or velocity by Coulomb friction. `stopped`: the approach that
// the normal impulse removed, in the unit of `relative`.
FM_INLINE fm_vec3 find_friction(const contact *c, fm_vec3 relative, double stopped)
{
    fm_vec3 slide = fm_add_scaled(relative, c->n, -fm_dot(relative, c->n));
    double square = fm_dot(slide, slide), most = c->friction * stopped;
    return fm_scale(slide, square > most * most ? -most / sqrt(square) : -1);
}

// Symmetric 3 x 3 matrix.
typedef struct matrix {
    double xx, yy, zz, xy, xz, yz;
} matrix;

// Matrix times vector.
FM_INLINE fm_vec3 multiply(const matrix *k, fm_vec3 p)
{
    return (fm_vec3){k->xx * p.x + k->xy * p.y + k->xz * p.z,
                     k->xy * p.x + k->yy * p.y + k->yz * p.z,
                     k->xz * p.x + k->yz * p.y + k->zz * p.z};
}

// The matrix K = sum w_i^2 M_i^-1 of a pair, 1/kg: an impulse p between its closest points changes
// their relative motion by K p.
static matrix find_mobility(const fm_contact_set *set, const contact *c)
{
    matrix k = {0};
    for (int i = 0; i < 4; i++) {
        int v = c->v[i];
        double ww = c->w[i] * c->w[i], a = ww * set->inverse_mass[v];
        double b = ww * set->axis_inverse_mass[v] - a;
        fm_vec3 e = fm_vec3_array_at(set->mass_axis, v);
        k.xx += a + b * e.x * e.x, k.yy += a + b * e.y * e.y, k.zz += a + b * e.z * e.z;
        k.xy += b * e.x * e.y, k.xz += b * e.x * e.z, k.yz += b * e.y * e.z;
    }
    return k;
}

// Changes the array x (positions, displacements per step or velocities) of the pair's vertices by
// the impulse p between its two closest points, for masses that differ along an axis.
static void add_impulse(const fm_contact_set *set, const contact *c, fm_vec3_array x, fm_vec3 p)
{
    for (int i = 0; i < 4; i++) {
        int v = c->v[i];
        double a = set->inverse_mass[v];
        if (a == 0 || c->w[i] == 0)
            continue; // another thread may be reading this vertex
        fm_vec3 e = fm_vec3_array_at(set->mass_axis, v);
        double along = (set->axis_inverse_mass[v] - a) * fm_dot(e, p);
        fm_vec3 change = fm_scale(fm_add_scaled(fm_scale(p, a), e, along), c->w[i]);
        x.x[v] += change.x, x.y[v] += change.y, x.z[v] += change.z;
    }
}

// Impulse that changes the distance of a pair's closest points by `separation` (m or m/s), with
// friction, for masses that differ along an axis. k: mobility matrix K of the pair; relative:
// relative motion before; stopped: the part of `separation` that removes approach and bounds the
// friction. kn is K n, nkn is n . K n.
static fm_vec3 find_impulse(const contact *c, const matrix *k, fm_vec3 relative, double separation,
                            double stopped)
{
    fm_vec3 kn = multiply(k, c->n);
    double nkn = fm_dot(c->n, kn);
    fm_vec3 normal = fm_scale(c->n, separation / nkn);
    fm_vec3 slide = fm_add_scaled(relative, kn, stopped / nkn);
    slide = fm_add_scaled(slide, c->n, -fm_dot(slide, c->n));
    double speed = fm_length(slide), most = c->friction * stopped / nkn;
    if (!(speed > 0) || !(most > 0))
        return normal;
    fm_vec3 d = fm_scale(slide, 1 / speed);
    d = fm_add_scaled(d, c->n, -fm_dot(d, kn) / nkn);
    double s = fm_double_min(most, speed / fm_dot(d, multiply(k, d)));
    return fm_add_scaled(normal, d, -s);
}

// Applies the impulses of one pair with masses that differ along an axis: to positions, to the
// displacements per step of the remaining parts, and to velocities. displacement: of the closest
// points relative to each other in this part, m; deficit: distance by which the gap is too small,
// m; stopped: the part of it that removes approach, m. Returns false if no vertex of the pair can
// move.
static bool push_with_axes(fm_contact_set *set, const contact *c, fm_vec3 displacement,
                           double deficit, double stopped)
{
    matrix k = find_mobility(set, c);
    if (!(fm_dot(c->n, multiply(&k, c->n)) > 0))
        return false;
    add_impulse(set, c, set->to, find_impulse(c, &k, displacement, deficit, stopped));
    if (stopped > 0 && set->parts_per_step > 1)
        add_impulse(
            set, c, set->rate,
            fm_scale(find_impulse(c, &k, displacement, stopped, stopped), set->parts_per_step));
    fm_vec3 relative = sum_weighted(c, set->v);
    double approach = -fm_dot(relative, c->n);
    if (approach > 0)
        add_impulse(set, c, set->v, find_impulse(c, &k, relative, approach, approach));
    return true;
}

// Removes the approach velocity of a pair, with friction.
FM_INLINE void apply_to_velocities(fm_contact_set *set, const contact *c)
{
    fm_vec3 relative = sum_weighted(c, set->v);
    double approach = -fm_dot(relative, c->n);
    if (approach > 0)
        add_weighted(set, c, set->v,
                     fm_add_scaled(find_friction(c, relative, approach), c->n, approach));
}

// Separates one near pair at the end of this part of the step, with friction. The gap has to reach
// the thickness h; if it was smaller at the start, only push_fraction of the missing distance is
// restored. `stopped` is the part of the correction that removes approach. Returns false if the gap
// is large enough, or if no vertex of the pair can move.
FM_INLINE bool apply_to_pair(fm_contact_set *set, fm_feature_kind kind, const fm_near_pair *pair)
{
    contact c = {.v = pair->v, .n = pair->n};
    fm_near_find_weights(kind, pair, c.w);
    fm_vec3 end = sum_weighted(&c, set->to), start = sum_weighted(&c, set->from);
    double h = pair->thickness * fm_contact_guard_share(set, c.v), mobility = 0;
    double gap = fm_dot(c.n, start);
    double target = gap < h ? gap + set->push_fraction * (h - gap) : h;
    double deficit = target - fm_dot(c.n, end);
    if (!(deficit > MIN_DEFICIT * h))
        return false;
    fm_vec3 displacement = fm_sub(end, start);
    double stopped = fm_double_min(deficit, fm_double_max(0, -fm_dot(displacement, c.n)));
    c.friction = fm_contact_pair_friction(set, c.v);
    if (set->has_mass_axes)
        return push_with_axes(set, &c, displacement, deficit, stopped);
    for (int i = 0; i < 4; i++)
        mobility += set->inverse_mass[c.v[i]] * c.w[i] * c.w[i];
    if (!(mobility > 0))
        return false;
    c.inertia = 1 / mobility;
    fm_vec3 friction = find_friction(&c, displacement, stopped);
    add_weighted(set, &c, set->to, fm_add_scaled(friction, c.n, deficit));
    if (stopped > 0 && set->parts_per_step > 1)
        add_weighted(set, &c, set->rate,
                     fm_scale(fm_add_scaled(friction, c.n, stopped), set->parts_per_step));
    apply_to_velocities(set, &c);
    return true;
}

// Applies impulses to the pairs of a list that collide on their paths. Returns their number.
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

// Applies impulses to the pairs of a list that are nearer than their thickness. Returns the number
// of pairs pushed apart.
static FM_SIMD_CLONES int apply_to_touching(fm_contact_set *set, fm_feature_kind kind,
                                            const fm_near_list *near)
{
    int count = 0;
    for (int k = 0; k < near->touching_count; k++)
        count += apply_to_pair(set, kind, &near->pairs[near->touching[k]]);
    return count;
}

// One pass of impulses over the blocks of one colour.
typedef struct pass {
    fm_contact_set *set;
    const int *blocks; // indices of blocks, all of one colour
    bool hits_only;    // only pairs that collide on their paths
} pass;

// Task of a thread: applies impulses to the pairs of job->blocks[first] to [last - 1].
static void apply_to_blocks(void *context, int first, int last)
{
    const pass *job = context;
    for (int i = first; i < last; i++) {
        fm_pair_block *block = &job->set->blocks[job->blocks[i]];
        block->pushed_count = 0;
        for (int kind = 0; kind < 2; kind++) {
            const fm_near_list *near = &block->near[kind];
            if (!job->hits_only)
                block->pushed_count += apply_to_touching(job->set, (fm_feature_kind)kind, near);
            else if (block->hit_count > 0)
                block->pushed_count += apply_to_hits(job->set, (fm_feature_kind)kind, near);
        }
    }
}

// One Gauss-Seidel pass of impulses over all near pairs, colour by colour. Blocks of the last
// colour may share vertices and run one after another. Returns the number of pairs pushed apart.
int fm_impulses_apply(fm_contact_set *set, bool hits_only, fm_pool *pool)
{
    int count = 0;
    for (int c = 0; c < FM_CONTACT_COLOURS; c++) {
        int first = set->colour_first[c], blocks = set->colour_first[c + 1] - first;
        pass job = {set, set->by_colour + first, hits_only};
        if (c == FM_CONTACT_COLOURS - 1)
            apply_to_blocks(&job, 0, blocks);
        else
            fm_parallel_for(pool, blocks, BLOCKS_PER_IMPULSE_TASK, apply_to_blocks, &job);
    }
    for (int b = 0; b < set->block_count; b++)
        count += set->blocks[b].pushed_count;
    return count;
}

// Extents of a pair along its normal n, at positions x. gap: distance of the two closest points;
// separation: width of the slab across n that separates the features, negative if none does.
typedef struct span {
    double gap, separation;
} span;

// Gap and separation of a pair along its normal, with vertices at x.
FM_INLINE span find_span(fm_feature_kind kind, const fm_near_pair *pair, fm_vec3_array x)
{
    double p[4];
    for (int i = 0; i < 4; i++) {
        int v = pair->v[i];
        p[i] = pair->n.x * x.x[v] + pair->n.y * x.y[v] + pair->n.z * x.z[v];
    }
    double s = pair->s, t = pair->t, high = fm_double_max(p[2], p[3]);
    if (kind == FM_EDGE_EDGE)
        return (span){p[0] + s * (p[1] - p[0]) - p[2] - t * (p[3] - p[2]),
                      fm_double_min(p[0], p[1]) - high};
    return (span){p[0] - p[1] - s * (p[2] - p[1]) - t * (p[3] - p[1]),
                  p[0] - fm_double_max(p[1], high)};
}

// True if the forces of solver_pairs.c keep the pair apart: it is pushed on impact only. In the
// long steps of an implicit integrator a feature slides so far that the plane of the normal at the
// start does not tell whether it is too near at the end.
FM_INLINE bool is_solved(const fm_contact_set *set, const int v[4])
{
    return set->bodies[set->body_of[v[0]]].solved && set->bodies[set->body_of[v[3]]].solved;
}

// Lists the near pairs that are nearer than their thickness at the end of this part, unless an
// implicit solver keeps them apart. Returns the
// least separation of a pair beyond its minimum separation, m; -infinity if that is not known.
FM_INLINE double test_list(const fm_contact_set *set, fm_feature_kind kind, fm_near_list *near)
{
    double margin = INFINITY;
    int touching = 0;
    for (int k = 0; k < near->count; k++) {
        const fm_near_pair *pair = &near->pairs[k];
        span s = find_span(kind, pair, set->to);
        near->touching[touching] = k;
        touching += s.gap < pair->thickness && !is_solved(set, pair->v);
        double excess = pair->normal_replaced ? -INFINITY : s.separation - pair->min_separation;
        margin = excess < margin ? excess : margin;
    }
    near->touching_count = touching;
    return margin;
}

// Task of a thread: tests the near pairs of the open blocks (pairs of one patch each) first to last
// - 1.
static FM_SIMD_CLONES void test_blocks(void *context, int first, int last)
{
    fm_contact_set *set = context;
    for (int b = first; b < last; b++) {
        fm_pair_block *block = &set->blocks[b];
        if (!block->open) {
            block->near[0].touching_count = block->near[1].touching_count = 0;
            continue;
        }
        double vertex_margin = test_list(set, FM_VERTEX_TRIANGLE, &block->near[FM_VERTEX_TRIANGLE]);
        double edge_margin = test_list(set, FM_EDGE_EDGE, &block->near[FM_EDGE_EDGE]);
        block->margin = fm_double_min(vertex_margin, edge_margin);
    }
}

// Finds the pairs in contact, and the margin of each block (the pairs of one patch): the least
// separation of its pairs beyond the minimum. When a part of the step is tested again, closed
// blocks keep the margin they had with vertices at checked_to. Open blocks get none, so that all
// their pairs are tested for impacts.
void fm_impulses_test_pairs(fm_contact_set *set, bool is_retest, fm_pool *pool)
{
    if (!is_retest)
        fm_vec3_array_copy(set->checked_to, set->to, set->vertex_count);
    fm_parallel_for(pool, set->block_count, BLOCKS_PER_TEST_TASK, test_blocks, set);
    for (int b = 0; is_retest && b < set->block_count; b++)
        set->blocks[b].margin = set->blocks[b].open ? -INFINITY : set->blocks[b].margin;
}

// Finds the time of impact of a pair on its paths, and gives it the normal and the closest points
// of that moment. Returns false if it does not collide. The paths need no test where the plane of
// the normal separates the features at both ends.
static bool find_impact(const fm_contact_set *set, fm_feature_kind kind, fm_near_pair *pair)
{
    if (find_span(kind, pair, set->to).separation >= pair->min_separation &&
        (!pair->normal_replaced ||
         find_span(kind, pair, set->from).separation >= pair->min_separation))
        return false;
    fm_vec3 from[4], to[4];
    for (int i = 0; i < 4; i++) {
        from[i] = fm_vec3_array_at(set->from, pair->v[i]);
        to[i] = fm_vec3_array_at(set->to, pair->v[i]);
    }
    // The plane across pair->n does not separate the features at both ends. After an impact, n is
    // the normal of that moment. In both cases later passes must test the whole path again.
    pair->normal_replaced = true;
    double t = fm_feature_find_impact_time(kind, from, to, pair->min_separation);
    if (t > 1)
        return false;
    for (int i = 0; i < 4; i++)
        from[i] = fm_add_scaled(from[i], fm_sub(to[i], from[i]), t);
    fm_closest c = fm_feature_find_closest(kind, from);
    if (!(c.distance > 0))
        return true;
    pair->n = fm_scale(c.gap, 1 / c.distance);
    pair->s = kind == FM_EDGE_EDGE ? c.weight[1] : -c.weight[2];
    pair->t = -c.weight[3];
    return true;
}

// Search for pairs that collide on their paths.
typedef struct hit_search {
    fm_contact_set *set;
    double correction; // m, longest correction of a vertex since the margins were computed
} hit_search;

// Task of a thread: finds impacts in the blocks (pairs of one patch each) first to last - 1. A
// block whose margin exceeds twice the longest correction of a vertex has none.
static void find_impacts_in_blocks(void *context, int first, int last)
{
    const hit_search *job = context;
    for (int b = first; b < last; b++) {
        fm_pair_block *block = &job->set->blocks[b];
        block->hit_count = 0;
        if (block->margin > CORRECTION_FACTOR * job->correction)
            continue;
        for (int kind = 0; kind < 2; kind++) {
            fm_near_list *near = &block->near[kind];
            for (int k = 0; k < near->count; k++) {
                fm_near_pair *pair = &near->pairs[k];
                if (pair->released || pair->given_up)
                    continue;
                pair->hit = find_impact(job->set, (fm_feature_kind)kind, pair);
                near->valid_until = pair->normal_replaced ? -INFINITY : near->valid_until;
                block->hit_count += pair->hit;
            }
        }
    }
}

// Finds all near pairs that collide on their paths in this part of the step. Returns their number.
int fm_impulses_find_impacts(fm_contact_set *set, fm_pool *pool)
{
    int count = 0;
    hit_search job = {set, fm_contact_longest_displacement(set, set->checked_to, set->to)};
    fm_parallel_for(pool, set->block_count, BLOCKS_PER_TEST_TASK, find_impacts_in_blocks, &job);
    for (int b = 0; b < set->block_count; b++)
        count += set->blocks[b].hit_count;
    return count;
}
