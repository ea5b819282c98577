// SPDX-License-Identifier: MIT
// zones.c: where impulses do not settle, what meets moves as one rigid body.
//
// A zone is a set of vertices connected by pairs that still meet [P97, BFA02]. It moves from its
// start by x -> c + u + R (x - c). On the straight ways to there all its points undergo one
// linear map, (1 - t) + t R, that squeezes by no more than cos(angle/2): what was free inside
// the zone stays free, by construction. Zones that meet others, or vertices outside, join them;
// since every round joins something, this ends.
//
// A zone of vertices with a mass only keeps its momentum and angular momentum:
//
//     u = sum m_i u_i / M,      R: turn by I^-1 sum m_i r_i x u_i
//
// With masses that differ along axes (contact.h), u and the turn are those that leave the least
// energy, sum (u_i - u - turn x r_i)^T M_i (...): the same thing, six equations at once.
//
// A zone that meets a vertex without mass follows it: rigidly with a triangle of a kinematic
// surface, translated with a pinned vertex. A pair that meets inside a zone that follows already
// is between two things that move apart from each other: it is pinched.
//
//   m  mass, kg    r  from the zone's centre of mass c, at the start, m    u  way, m
//
// [P97] Provot: Collision and self-collision handling in cloth model dedicated to design garments.
//       Computer Animation and Simulation 1997.
#include "collide/contact.h"

#include <stdlib.h>

static const double LARGEST_TURN = 0.4;     // rad in one part: squeezes by 2 %
static const double ENFORCED_IN_ZONE = 0.5; // of the distance at the start

typedef struct fm_zone_member {
    int root, vertex;
} fm_zone_member;

// x -> centre + way + rotation (x - centre), and the velocity of what moves so.
typedef struct rigid {
    fm_vec3 centre, way;
    fm_quat rotation;
    fm_vec3 velocity, spin;
} rigid;

void fm_zones_clear(fm_contact_set *set)
{
    fm_zones *zones = &set->zones;
    for (int k = 0; k < zones->member_count; k++) {
        zones->parent[zones->member[k]] = -1;
        zones->carrier[zones->member[k]] = -1;
    }
    zones->member_count = 0;
}

static int find_root(fm_zones *zones, int v)
{
    while (zones->parent[v] != v) {
        zones->parent[v] = zones->parent[zones->parent[v]];
        v = zones->parent[v];
    }
    return v;
}

// Gives the root of the zone that v is in now.
static int enter(fm_zones *zones, int v)
{
    if (zones->parent[v] >= 0)
        return find_root(zones, v);
    zones->parent[v] = v;
    zones->carrier[v] = -1;
    zones->member[zones->member_count++] = v;
    return v;
}

static int join(fm_zones *zones, int a, int b)
{
    int low = a < b ? a : b, high = a < b ? b : a;
    if (low == high)
        return low;
    zones->parent[high] = low;
    if (zones->carrier[low] < 0)
        zones->carrier[low] = zones->carrier[high];
    return low;
}

// Puts the vertices of a pair into one zone. False when they were already, and so was what it
// follows.
static bool add_pair(fm_contact_set *set, const fm_near_pair *pair)
{
    fm_zones *zones = &set->zones;
    int root = -1, carrier = -1;
    bool changed = false;
    for (int i = 0; i < 4; i++) {
        int v = pair->v[i];
        if (set->inverse_mass[v] == 0) {
            carrier = carrier < 0 ? v : carrier;
            continue;
        }
        bool fresh = zones->parent[v] < 0;
        int mine = enter(zones, v);
        changed = changed || fresh || (root >= 0 && root != mine);
        root = root < 0 ? mine : join(zones, root, mine);
    }
    if (root < 0)
        return false;
    if (carrier >= 0 && zones->carrier[root] < 0) {
        zones->carrier[root] = carrier;
        changed = true;
    }
    return changed;
}

static fm_vec3 solve_inertia(const double a[6], fm_vec3 b)
{
    // xx yy zz xy xz yz, a little heavier so that a row of vertices has an inverse, too
    double small = 1e-9 * (a[0] + a[1] + a[2]) + 1e-300;
    double xx = a[0] + small, yy = a[1] + small, zz = a[2] + small;
    fm_vec3 r0 = {xx, a[3], a[4]}, r1 = {a[3], yy, a[5]}, r2 = {a[4], a[5], zz};
    double det = fm_dot(r0, fm_cross(r1, r2));
    if (!(fabs(det) > 0))
        return (fm_vec3){0, 0, 0};
    fm_vec3 sum = fm_scale(fm_cross(r1, r2), b.x);
    sum = fm_add_scaled(sum, fm_cross(r2, r0), b.y);
    return fm_scale(fm_add_scaled(sum, fm_cross(r0, r1), b.z), 1 / det);
}

static void add_inertia(double a[6], fm_vec3 r, double m)
{
    a[0] += m * (r.y * r.y + r.z * r.z);
    a[1] += m * (r.x * r.x + r.z * r.z);
    a[2] += m * (r.x * r.x + r.y * r.y);
    a[3] -= m * r.x * r.y;
    a[4] -= m * r.x * r.z;
    a[5] -= m * r.y * r.z;
}

// Solves a x = b for two right sides in place; a symmetric, positive, destroyed.
static void solve_six(double a[6][6], double b[6][2])
{
    for (int k = 0; k < 6; k++) { // a = L L^T, row by row
        for (int j = 0; j <= k; j++) {
            double sum = a[k][j];
            for (int i = 0; i < j; i++)
                sum -= a[k][i] * a[j][i];
            a[k][j] = j < k ? sum / a[j][j] : sqrt(fm_larger(sum, 1e-300));
        }
    }
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < 6; k++) {
            for (int i = 0; i < k; i++)
                b[k][side] -= a[k][i] * b[i][side];
            b[k][side] /= a[k][k];
        }
        for (int k = 5; k >= 0; k--) {
            for (int i = k + 1; i < 6; i++)
                b[k][side] -= a[i][k] * b[i][side];
            b[k][side] /= a[k][k];
        }
    }
}

static fm_vec3 multiply_mass(const fm_contact_set *set, int v, fm_vec3 u)
{
    double across = 1 / set->inverse_mass[v], along = 1 / set->axis_inverse_mass[v];
    fm_vec3 e = fm_contact_at(set->mass_axis, v);
    return fm_add_scaled(fm_scale(u, across), e, (along - across) * fm_dot(e, u));
}

// Ways and velocities of the members, by the rigid motions that are nearest in the metric of M.
// What is rigid is six fields: three translations, three turns about the centre.
static void fit_with_axes(const fm_contact_set *set, const fm_zone_member *members, int count,
                          rigid *motion, fm_vec3 *turn)
{
    double a[6][6] = {{0}}, b[6][2] = {{0}};
    for (int k = 0; k < count; k++) {
        int v = members[k].vertex;
        fm_vec3 x = fm_contact_at(set->from, v), r = fm_sub(x, motion->centre);
        fm_vec3 field[6] = {{1, 0, 0},      {0, 1, 0},      {0, 0, 1},
                            {0, -r.z, r.y}, {r.z, 0, -r.x}, {-r.y, r.x, 0}};
        fm_vec3 way = multiply_mass(set, v, fm_sub(fm_contact_at(set->to, v), x));
        fm_vec3 velocity = multiply_mass(set, v, fm_contact_at(set->v, v));
        for (int i = 0; i < 6; i++) {
            fm_vec3 heavy = multiply_mass(set, v, field[i]);
            for (int j = 0; j < 6; j++)
                a[i][j] += fm_dot(heavy, field[j]);
            b[i][0] += fm_dot(way, field[i]);
            b[i][1] += fm_dot(velocity, field[i]);
        }
    }
    double small = 1e-9 * (a[3][3] + a[4][4] + a[5][5]) + 1e-300;
    for (int i = 3; i < 6; i++)
        a[i][i] += small; // a row of vertices has an inverse, too
    solve_six(a, b);
    motion->way = (fm_vec3){b[0][0], b[1][0], b[2][0]};
    motion->velocity = (fm_vec3){b[0][1], b[1][1], b[2][1]};
    *turn = (fm_vec3){b[3][0], b[4][0], b[5][0]};
    motion->spin = (fm_vec3){b[3][1], b[4][1], b[5][1]};
}

static fm_quat limit_turn(fm_vec3 turn)
{
    double angle = fm_length(turn);
    return fm_quat_of_turn(angle > LARGEST_TURN ? fm_scale(turn, LARGEST_TURN / angle) : turn);
}

// The rigid motion with the momentum of the members' wished ways, and of their velocities.
static rigid find_free_motion(const fm_contact_set *set, const fm_zone_member *members, int count)
{
    rigid motion = {.rotation = {0, 0, 0, 1}};
    double mass = 0, inertia[6] = {0};
    for (int k = 0; k < count; k++) {
        int v = members[k].vertex;
        double m = 1 / set->inverse_mass[v];
        fm_vec3 x = fm_contact_at(set->from, v);
        mass += m;
        motion.centre = fm_add_scaled(motion.centre, x, m);
        motion.way = fm_add_scaled(motion.way, fm_sub(fm_contact_at(set->to, v), x), m);
        motion.velocity = fm_add_scaled(motion.velocity, fm_contact_at(set->v, v), m);
    }
    motion.centre = fm_scale(motion.centre, 1 / mass);
    motion.way = fm_scale(motion.way, 1 / mass);
    motion.velocity = fm_scale(motion.velocity, 1 / mass);
    fm_vec3 turn = {0, 0, 0}, spin = {0, 0, 0};
    if (set->has_mass_axes) {
        fit_with_axes(set, members, count, &motion, &turn);
        motion.rotation = limit_turn(turn);
        return motion;
    }
    for (int k = 0; k < count; k++) {
        int v = members[k].vertex;
        double m = 1 / set->inverse_mass[v];
        fm_vec3 x = fm_contact_at(set->from, v), r = fm_sub(x, motion.centre);
        fm_vec3 u = fm_sub(fm_contact_at(set->to, v), x);
        turn = fm_add_scaled(turn, fm_cross(r, u), m);
        spin = fm_add_scaled(spin, fm_cross(r, fm_contact_at(set->v, v)), m);
        add_inertia(inertia, r, m);
    }
    motion.rotation = limit_turn(solve_inertia(inertia, turn));
    motion.spin = solve_inertia(inertia, spin);
    return motion;
}

typedef struct frame {
    fm_vec3 e[3];
} frame;

static bool find_frame(const int v[3], fm_contact_axes x, frame *f)
{
    fm_vec3 a = fm_contact_at(x, v[0]);
    f->e[0] = fm_sub(fm_contact_at(x, v[1]), a);
    f->e[2] = fm_cross(f->e[0], fm_sub(fm_contact_at(x, v[2]), a));
    if (!fm_make_unit(&f->e[0]) || !fm_make_unit(&f->e[2]))
        return false;
    f->e[1] = fm_cross(f->e[2], f->e[0]);
    return true;
}

// Where the turn from one frame to another takes r.
static fm_vec3 turn_by_frames(const frame *from, const frame *to, fm_vec3 r)
{
    fm_vec3 sum = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        sum = fm_add_scaled(sum, to->e[i], fm_dot(from->e[i], r));
    return sum;
}

static void put(fm_contact_set *set, int v, fm_vec3 end, fm_vec3 velocity)
{
    fm_vec3 way = fm_sub(end, fm_contact_at(set->from, v));
    set->to.x[v] = end.x, set->to.y[v] = end.y, set->to.z[v] = end.z;
    set->v.x[v] = velocity.x, set->v.y[v] = velocity.y, set->v.z[v] = velocity.z;
    set->rate.x[v] = way.x * set->parts;
    set->rate.y[v] = way.y * set->parts;
    set->rate.z[v] = way.z * set->parts;
}

static void move_free(fm_contact_set *set, const fm_zone_member *members, int count)
{
    rigid motion = find_free_motion(set, members, count);
    for (int k = 0; k < count; k++) {
        int v = members[k].vertex;
        fm_vec3 r = fm_sub(fm_contact_at(set->from, v), motion.centre);
        fm_vec3 end = fm_add(motion.centre, motion.way);
        end = fm_add(end, fm_quat_rotate(motion.rotation, r));
        put(set, v, end, fm_add(motion.velocity, fm_cross(motion.spin, r)));
    }
}

// With the triangle of a kinematic surface that the carrier belongs to, or translated with a pin.
static void move_carried(fm_contact_set *set, const fm_zone_member *members, int count, int carrier)
{
    frame from, to;
    const int t = set->some_triangle[carrier];
    bool turned = set->bodies[set->body_of[carrier]].kinematic && t >= 0 &&
                  find_frame(set->triangle[t], set->from, &from) &&
                  find_frame(set->triangle[t], set->to, &to);
    fm_vec3 start = fm_contact_at(set->from, carrier), goal = fm_contact_at(set->to, carrier);
    for (int k = 0; k < count; k++) {
        int v = members[k].vertex;
        fm_vec3 x = fm_contact_at(set->from, v), r = fm_sub(x, start);
        fm_vec3 end = turned ? fm_add(goal, turn_by_frames(&from, &to, r)) : fm_add(goal, r);
        put(set, v, end, fm_scale(fm_sub(end, x), set->parts / set->step_seconds));
    }
}

static int compare_members(const void *a, const void *b)
{
    const fm_zone_member *p = a, *q = b;
    return p->root != q->root ? (p->root > q->root) - (p->root < q->root)
                              : (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

static void move_zones(fm_contact_set *set)
{
    fm_zones *zones = &set->zones;
    int count = zones->member_count;
    for (int k = 0; k < count; k++)
        zones->sorted[k] = (fm_zone_member){find_root(zones, zones->member[k]), zones->member[k]};
    qsort(zones->sorted, (size_t)count, sizeof *zones->sorted, compare_members);
    for (int first = 0, last; first < count; first = last) {
        int root = zones->sorted[first].root;
        for (last = first; last < count && zones->sorted[last].root == root;)
            last++;
        int carrier = zones->carrier[root];
        if (carrier < 0)
            move_free(set, zones->sorted + first, last - first);
        else
            move_carried(set, zones->sorted + first, last - first, carrier);
    }
}

static void give_up_pair(fm_contact_set *set, fm_near_pair *pair)
{
    pair->given_up = true;
    for (int i = 0; i < 4; i++)
        set->pinched[pair->v[i]] = true;
}

// A pair inside a zone keeps its distance but for what the turn squeezes; where it began hardly
// further apart than is enforced, less is enforced. False when that was done before.
static bool relax_pair(const fm_contact_set *set, fm_feature_kind kind, fm_near_pair *pair)
{
    fm_vec3 p[4];
    for (int i = 0; i < 4; i++)
        p[i] = fm_contact_at(set->from, pair->v[i]);
    double enough = ENFORCED_IN_ZONE * fm_closest_points(kind, p).distance;
    if (!(pair->least > enough))
        return false;
    pair->least = enough;
    return true;
}

// Gives how many pairs of the list are stuck.
static int add_hits(fm_contact_set *set, fm_feature_kind kind, fm_near_list *near, bool give_up)
{
    int stuck = 0;
    for (int k = 0; k < near->count; k++) {
        fm_near_pair *pair = &near->pairs[k];
        if (!pair->hit || pair->given_up || add_pair(set, pair) || relax_pair(set, kind, pair))
            continue;
        stuck++;
        if (give_up)
            give_up_pair(set, pair);
    }
    return stuck;
}

int fm_zones_apply(fm_contact_set *set, bool give_up)
{
    int stuck = 0;
    for (int b = 0; b < set->block_count; b++) {
        if (set->blocks[b].hit_count == 0)
            continue;
        stuck += add_hits(set, FM_VERTEX_TRIANGLE, &set->blocks[b].near[0], give_up);
        stuck += add_hits(set, FM_EDGE_EDGE, &set->blocks[b].near[1], give_up);
    }
    if (stuck == 0 || give_up)
        move_zones(set);
    return stuck;
}

size_t fm_zones_member_size(void)
{
    return sizeof(fm_zone_member);
}
