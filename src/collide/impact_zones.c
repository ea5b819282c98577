// SPDX-License-Identifier: MIT
// impact_zones.c: rigid impact zones: features that impulses cannot separate move as one rigid
// body.
//
// An impact zone is a set of vertices connected by pairs that still collide [P97, BFA02]. It moves
// from its start by x -> c + u + R (x - c). On the straight paths to there, all its points undergo
// the same linear map (1 - t) + t R, which compresses by no more than cos(angle/2): features that
// do not intersect inside the zone stay apart, by construction. A zone that collides with another
// zone, or with vertices outside, is merged with them. Every round merges something, so the
// procedure ends.
//
// A zone in which all vertices have a mass conserves momentum and angular momentum:
//
//     u = sum m_i u_i / M,      R: rotation by I^-1 sum m_i r_i x u_i
//
// With masses that differ along axes (contact.h), u and the rotation w minimize the energy sum (u_i
// - u - w x r_i)^T M_i (u_i - u - w x r_i); this generalizes the formulas above to a system of six
// equations.
//
// A zone that collides with a vertex without mass follows it: rigidly with a triangle of a
// kinematic surface, or translated with a pinned vertex. A pair that still collides inside such a
// zone is caught between two prescribed motions: it is pinched.
//
//   m  mass, kg    r  position relative to the zone's centre of mass c at the start, m
//   u  displacement, m    M  total mass, kg    I  inertia tensor, kg m^2
//
// Full references: docs/references.md.
#include "collide/contact.h"

#include <stdlib.h>

// rad, largest rotation of a zone in one part of the step; it compresses the zone by 2 % on the way
static const double MAX_ROTATION = 0.4;
// minimum separation of a pair inside a zone, relative to its distance at the start of the part
static const double MIN_SEPARATION_IN_ZONE = 0.5;
// added to the diagonal of an inertia tensor, relative to its trace, so that the inertia of
// collinear vertices can be inverted
static const double REGULARIZATION = 1e-9;
static const double NOT_ZERO = 1e-300; // keeps quotients and roots finite for a single vertex

// A vertex and the zone it is in, named by the root of the union-find tree.
typedef struct fm_impact_zone_member {
    int root, vertex;
} fm_impact_zone_member;

// A rigid displacement x -> centre + displacement + rotation (x - centre), and a rigid velocity
// field velocity + spin x (x - centre).
typedef struct rigid_motion {
    fm_vec3 centre, displacement;
    fm_quat rotation;
    fm_vec3 velocity, spin;
} rigid_motion;

// Removes all zones.
void fm_impact_zones_clear(fm_contact_set *set)
{
    fm_impact_zones *zones = &set->zones;
    for (int k = 0; k < zones->member_count; k++) {
        zones->parent[zones->member[k]] = -1;
        zones->carrier[zones->member[k]] = -1;
    }
    zones->member_count = 0;
}

// Root of the union-find tree that vertex v is in, with path halving. The root names the zone.
static int find_root(fm_impact_zones *zones, int v)
{
    while (zones->parent[v] != v) {
        zones->parent[v] = zones->parent[zones->parent[v]];
        v = zones->parent[v];
    }
    return v;
}

// Makes v a zone of its own if it is in none. Returns the root of its zone.
static int add_vertex(fm_impact_zones *zones, int v)
{
    if (zones->parent[v] >= 0)
        return find_root(zones, v);
    zones->parent[v] = v;
    zones->carrier[v] = -1;
    zones->member[zones->member_count++] = v;
    return v;
}

// Merges the zones with roots a and b. The new root is the smaller of the two; it is returned. The
// merged zone follows the prescribed vertex (carrier) of that root; if there is none, the carrier
// of the other root.
static int merge_zones(fm_impact_zones *zones, int a, int b)
{
    int low = a < b ? a : b, high = a < b ? b : a;
    if (low == high)
        return low;
    zones->parent[high] = low;
    if (zones->carrier[low] < 0)
        zones->carrier[low] = zones->carrier[high];
    return low;
}

// Merges the vertices of a colliding pair into one zone. A vertex without mass becomes the carrier,
// which the zone follows, unless it has one. Returns false if neither zone nor carrier changed.
static bool merge_pair(fm_contact_set *set, const fm_near_pair *pair)
{
    fm_impact_zones *zones = &set->zones;
    int root = -1, carrier = -1;
    bool changed = false;
    for (int i = 0; i < 4; i++) {
        int v = pair->v[i];
        if (set->inverse_mass[v] == 0) {
            carrier = carrier < 0 ? v : carrier;
            continue;
        }
        bool is_new = zones->parent[v] < 0;
        int zone = add_vertex(zones, v);
        changed = changed || is_new || (root >= 0 && root != zone);
        root = root < 0 ? zone : merge_zones(zones, root, zone);
    }
    if (root < 0)
        return false;
    if (carrier >= 0 && zones->carrier[root] < 0) {
        zones->carrier[root] = carrier;
        changed = true;
    }
    return changed;
}

// Solves A x = b for a symmetric inertia tensor A with components xx yy zz xy xz yz, after
// regularization.
static fm_vec3 solve_inertia(const double a[6], fm_vec3 b)
{
    double added = REGULARIZATION * (a[0] + a[1] + a[2]) + NOT_ZERO;
    double xx = a[0] + added, yy = a[1] + added, zz = a[2] + added;
    fm_vec3 r0 = {xx, a[3], a[4]}, r1 = {a[3], yy, a[5]}, r2 = {a[4], a[5], zz};
    double det = fm_dot(r0, fm_cross(r1, r2));
    if (!(fabs(det) > 0))
        return (fm_vec3){0, 0, 0};
    fm_vec3 sum = fm_scale(fm_cross(r1, r2), b.x);
    sum = fm_add_scaled(sum, fm_cross(r2, r0), b.y);
    return fm_scale(fm_add_scaled(sum, fm_cross(r0, r1), b.z), 1 / det);
}

// Adds the inertia of a point mass m at r to the tensor a, with components xx yy zz xy xz yz.
static void add_inertia(double a[6], fm_vec3 r, double m)
{
    a[0] += m * (r.y * r.y + r.z * r.z);
    a[1] += m * (r.x * r.x + r.z * r.z);
    a[2] += m * (r.x * r.x + r.y * r.y);
    a[3] -= m * r.x * r.y;
    a[4] -= m * r.x * r.z;
    a[5] -= m * r.y * r.z;
}

// Solves a x = b in place for two right-hand sides by Cholesky decomposition; a is symmetric
// positive definite and is overwritten.
static void solve_cholesky(double a[6][6], double b[6][2])
{
    for (int k = 0; k < 6; k++) { // a = L L^T, row by row
        for (int j = 0; j <= k; j++) {
            double sum = a[k][j];
            for (int i = 0; i < j; i++)
                sum -= a[k][i] * a[j][i];
            a[k][j] = j < k ? sum / a[j][j] : sqrt(fm_double_max(sum, NOT_ZERO));
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

// Mass matrix of vertex v times u: the mass along the axis e differs from that across it.
static fm_vec3 multiply_mass(const fm_contact_set *set, int v, fm_vec3 u)
{
    double across = 1 / set->inverse_mass[v], along = 1 / set->axis_inverse_mass[v];
    fm_vec3 e = fm_vec3_array_at(set->mass_axis, v);
    return fm_add_scaled(fm_scale(u, across), e, (along - across) * fm_dot(e, u));
}

// Fits rigid motions to the displacements and to the velocities of the members, with least squared
// error weighted by their mass matrices. The six basis fields are three translations and three
// rotations about the centre. turn: receives the rotation vector of the displacement, rad.
static void fit_with_axes(const fm_contact_set *set, const fm_impact_zone_member *members,
                          int count, rigid_motion *motion, fm_vec3 *turn)
{
    double a[6][6] = {{0}}, b[6][2] = {{0}};
    for (int k = 0; k < count; k++) {
        int v = members[k].vertex;
        fm_vec3 x = fm_vec3_array_at(set->from, v), r = fm_sub(x, motion->centre);
        fm_vec3 field[6] = {{1, 0, 0},      {0, 1, 0},      {0, 0, 1},
                            {0, -r.z, r.y}, {r.z, 0, -r.x}, {-r.y, r.x, 0}};
        // mass matrix times displacement, and times velocity
        fm_vec3 displacement = multiply_mass(set, v, fm_sub(fm_vec3_array_at(set->to, v), x));
        fm_vec3 velocity = multiply_mass(set, v, fm_vec3_array_at(set->v, v));
        for (int i = 0; i < 6; i++) {
            fm_vec3 mass_times_field = multiply_mass(set, v, field[i]);
            for (int j = 0; j < 6; j++)
                a[i][j] += fm_dot(mass_times_field, field[j]);
            b[i][0] += fm_dot(displacement, field[i]);
            b[i][1] += fm_dot(velocity, field[i]);
        }
    }
    double added = REGULARIZATION * (a[3][3] + a[4][4] + a[5][5]) + NOT_ZERO;
    for (int i = 3; i < 6; i++)
        a[i][i] += added;
    solve_cholesky(a, b);
    motion->displacement = (fm_vec3){b[0][0], b[1][0], b[2][0]};
    motion->velocity = (fm_vec3){b[0][1], b[1][1], b[2][1]};
    *turn = (fm_vec3){b[3][0], b[4][0], b[5][0]};
    motion->spin = (fm_vec3){b[3][1], b[4][1], b[5][1]};
}

// The rotation by the vector `turn`, rad, at most by MAX_ROTATION.
static fm_quat limit_rotation(fm_vec3 turn)
{
    double angle = fm_length(turn);
    return fm_quat_from_rotation_vector(angle > MAX_ROTATION ? fm_scale(turn, MAX_ROTATION / angle)
                                                             : turn);
}

// The rigid motion of a zone without prescribed vertices. Its displacement and its velocity field
// have the momentum and angular momentum of the members' displacements and velocities; only the
// rotation of the displacement is limited, to MAX_ROTATION.
static rigid_motion find_free_motion(const fm_contact_set *set,
                                     const fm_impact_zone_member *members, int count)
{
    rigid_motion motion = {.rotation = {0, 0, 0, 1}};
    double mass = 0, inertia[6] = {0};
    for (int k = 0; k < count; k++) {
        int v = members[k].vertex;
        double m = 1 / set->inverse_mass[v];
        fm_vec3 x = fm_vec3_array_at(set->from, v);
        mass += m;
        motion.centre = fm_add_scaled(motion.centre, x, m);
        motion.displacement =
            fm_add_scaled(motion.displacement, fm_sub(fm_vec3_array_at(set->to, v), x), m);
        motion.velocity = fm_add_scaled(motion.velocity, fm_vec3_array_at(set->v, v), m);
    }
    motion.centre = fm_scale(motion.centre, 1 / mass);
    motion.displacement = fm_scale(motion.displacement, 1 / mass);
    motion.velocity = fm_scale(motion.velocity, 1 / mass);
    fm_vec3 turn = {0, 0, 0}, spin = {0, 0, 0};
    if (set->has_mass_axes) {
        fit_with_axes(set, members, count, &motion, &turn);
        motion.rotation = limit_rotation(turn);
        return motion;
    }
    for (int k = 0; k < count; k++) {
        int v = members[k].vertex;
        double m = 1 / set->inverse_mass[v];
        fm_vec3 x = fm_vec3_array_at(set->from, v), r = fm_sub(x, motion.centre);
        fm_vec3 u = fm_sub(fm_vec3_array_at(set->to, v), x);
        turn = fm_add_scaled(turn, fm_cross(r, u), m);
        spin = fm_add_scaled(spin, fm_cross(r, fm_vec3_array_at(set->v, v)), m);
        add_inertia(inertia, r, m);
    }
    motion.rotation = limit_rotation(solve_inertia(inertia, turn));
    motion.spin = solve_inertia(inertia, spin);
    return motion;
}

// Three orthonormal axes fixed to a triangle.
typedef struct frame {
    fm_vec3 e[3];
} frame;

// Orthonormal axes of the triangle v at positions x: along its first edge, across it in the plane,
// along the normal. False for a triangle without area.
static bool find_frame(const int v[3], fm_vec3_array x, frame *f)
{
    fm_vec3 a = fm_vec3_array_at(x, v[0]);
    f->e[0] = fm_sub(fm_vec3_array_at(x, v[1]), a);
    f->e[2] = fm_cross(f->e[0], fm_sub(fm_vec3_array_at(x, v[2]), a));
    if (!fm_normalize(&f->e[0]) || !fm_normalize(&f->e[2]))
        return false;
    f->e[1] = fm_cross(f->e[2], f->e[0]);
    return true;
}

// Rotates the vector r by the rotation from one frame to another.
static fm_vec3 rotate_by_frames(const frame *from, const frame *to, fm_vec3 r)
{
    fm_vec3 sum = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        sum = fm_add_scaled(sum, to->e[i], fm_dot(from->e[i], r));
    return sum;
}

// Sets the end of vertex v in this part of the step and its velocity, and its rate (displacement
// per whole step) for the rest of the step.
static void set_end(fm_contact_set *set, int v, fm_vec3 end, fm_vec3 velocity)
{
    fm_vec3 displacement = fm_sub(end, fm_vec3_array_at(set->from, v));
    set->to.x[v] = end.x, set->to.y[v] = end.y, set->to.z[v] = end.z;
    set->v.x[v] = velocity.x, set->v.y[v] = velocity.y, set->v.z[v] = velocity.z;
    set->rate.x[v] = displacement.x * set->parts_per_step;
    set->rate.y[v] = displacement.y * set->parts_per_step;
    set->rate.z[v] = displacement.z * set->parts_per_step;
}

// Moves a zone without prescribed vertices as one rigid body.
static void move_free(fm_contact_set *set, const fm_impact_zone_member *members, int count)
{
    rigid_motion motion = find_free_motion(set, members, count);
    for (int k = 0; k < count; k++) {
        int v = members[k].vertex;
        fm_vec3 r = fm_sub(fm_vec3_array_at(set->from, v), motion.centre);
        fm_vec3 end = fm_add(motion.centre, motion.displacement);
        end = fm_add(end, fm_quat_rotate(motion.rotation, r));
        set_end(set, v, end, fm_add(motion.velocity, fm_cross(motion.spin, r)));
    }
}

// Moves a zone with `carrier`, a vertex with prescribed motion: rigidly with its triangle on a
// kinematic surface, translated with a pinned vertex of a cloth.
static void move_with_carrier(fm_contact_set *set, const fm_impact_zone_member *members, int count,
                              int carrier)
{
    frame from, to;
    const int t = set->some_triangle[carrier];
    bool rotates = set->bodies[set->body_of[carrier]].kinematic && t >= 0 &&
                   find_frame(set->triangle[t], set->from, &from) &&
                   find_frame(set->triangle[t], set->to, &to);
    fm_vec3 start = fm_vec3_array_at(set->from, carrier), goal = fm_vec3_array_at(set->to, carrier);
    for (int k = 0; k < count; k++) {
        int v = members[k].vertex;
        fm_vec3 x = fm_vec3_array_at(set->from, v), r = fm_sub(x, start);
        fm_vec3 end = rotates ? fm_add(goal, rotate_by_frames(&from, &to, r)) : fm_add(goal, r);
        set_end(set, v, end, fm_scale(fm_sub(end, x), set->parts_per_step / set->step_seconds));
    }
}

// Orders vertices by their zone, then by index.
static int compare_members(const void *a, const void *b)
{
    const fm_impact_zone_member *p = a, *q = b;
    return p->root != q->root ? (p->root > q->root) - (p->root < q->root)
                              : (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

// Moves every zone: sorts the vertices by zone and gives each zone one rigid motion.
static void move_zones(fm_contact_set *set)
{
    fm_impact_zones *zones = &set->zones;
    int count = zones->member_count;
    for (int k = 0; k < count; k++)
        zones->sorted[k] =
            (fm_impact_zone_member){find_root(zones, zones->member[k]), zones->member[k]};
    qsort(zones->sorted, (size_t)count, sizeof *zones->sorted, compare_members);
    for (int first = 0, last; first < count; first = last) {
        int root = zones->sorted[first].root;
        for (last = first; last < count && zones->sorted[last].root == root;)
            last++;
        int carrier = zones->carrier[root];
        if (carrier < 0)
            move_free(set, zones->sorted + first, last - first);
        else
            move_with_carrier(set, zones->sorted + first, last - first, carrier);
    }
}

// Marks a pair as pinched: prescribed motions press it together, and the rest of the step ignores
// it.
static void give_up_pair(fm_contact_set *set, fm_near_pair *pair)
{
    pair->given_up = true;
    for (int i = 0; i < 4; i++)
        set->pinched[pair->v[i]] = true;
}

// Lowers the minimum separation of a pair inside a zone. The pair keeps its distance, except that
// the rotation of the zone compresses it by up to 2 %; that would count as a collision if the pair
// started hardly further apart than the minimum. False if the minimum was lowered before.
static bool lower_min_separation(const fm_contact_set *set, fm_feature_kind kind,
                                 fm_near_pair *pair)
{
    fm_vec3 p[4];
    for (int i = 0; i < 4; i++)
        p[i] = fm_vec3_array_at(set->from, pair->v[i]);
    double enough = MIN_SEPARATION_IN_ZONE * fm_feature_find_closest(kind, p).distance;
    if (!(pair->min_separation > enough))
        return false;
    pair->min_separation = enough;
    return true;
}

// Merges the colliding pairs of a list into zones. Returns the number of pairs caught between
// prescribed motions; with give_up these are marked as pinched.
static int merge_hits(fm_contact_set *set, fm_feature_kind kind, fm_near_list *near, bool give_up)
{
    int caught_count = 0;
    for (int k = 0; k < near->count; k++) {
        fm_near_pair *pair = &near->pairs[k];
        if (!pair->hit || pair->given_up || merge_pair(set, pair) ||
            lower_min_separation(set, kind, pair))
            continue;
        caught_count++;
        if (give_up)
            give_up_pair(set, pair);
    }
    return caught_count;
}

// Merges the vertices of colliding pairs into zones and moves the zones rigidly. Returns the number
// of pairs caught between prescribed motions. Without give_up, nothing moves if there are any.
int fm_impact_zones_apply(fm_contact_set *set, bool give_up)
{
    int caught_count = 0;
    for (int b = 0; b < set->block_count; b++) {
        if (set->blocks[b].hit_count == 0)
            continue;
        caught_count += merge_hits(set, FM_VERTEX_TRIANGLE, &set->blocks[b].near[0], give_up);
        caught_count += merge_hits(set, FM_EDGE_EDGE, &set->blocks[b].near[1], give_up);
    }
    if (caught_count == 0 || give_up)
        move_zones(set);
    return caught_count;
}

// Bytes of an fm_impact_zone_member, whose struct is known in this file only.
size_t fm_impact_zones_member_size(void)
{
    return sizeof(fm_impact_zone_member);
}
