// SPDX-License-Identifier: MIT
// particle_response.c: keeps a particle at a distance from all colliders, with friction.
//
// Position: a particle at x with signed distances d_i < m is moved by the smallest e with
//
//     n_i . e >= m - d_i          i: the deepest collider, and up to two that would block that move
//
// Signed distances of convex shapes are convex, d(x + e) >= d(x) + n . e. So x + e is outside all
// of them whatever their curvature, and in a wedge the particle is not pushed back and forth. The
// move is then shortened as long as the particle stays outside, because tangent planes may
// overestimate it. If the move is still much longer than the penetration depth, the colliders close
// on the particle like a press. Throwing it out sideways would tear the cloth, so only the deepest
// collider pushes then.
//
// A mesh is not convex: its tangent plane is valid only near the contact. The mesh is therefore
// queried at the target x + e as well, and its tangent plane there, n . (e' - e) >= m - d(x + e),
// is a further constraint. That finds both faces of a groove. Passes continue until no constraint
// is violated.
//
// Velocity: relative to the surface, v = v_n n + v_t. If v_n < 0, Coulomb friction with the normal
// impulse -v_n per mass:
//
//     v <- v_t max(0, 1 - mu |v_n| / |v_t|)
//
// An impulse p changes the velocity of a particle with added mass along an axis by K p, K = 1 - (1
// - r) e e^T. The normal impulse is then -v_n / (n . K n), and friction acts along d', the sliding
// direction corrected so that it leaves v_n unchanged (formulas in impulses.c). Neither impulse
// adds energy.
//
//   x  position, m    m  margin, m    n  outward normal    mu  friction coefficient
//   r  ratio of the masses across and along the axis e
#include "collide/collide.h"

#include <assert.h>
#include <float.h>

enum {
    MAX_PASSES = 16,     // passes that move a particle out of colliders; mostly one or two suffice
    MAX_CONSTRAINTS = 3, // tangent planes that a move satisfies: three fix a point in space
    MAX_BISECTIONS = 40, // bisections when a move is shortened: to 1e-12 of its length
    // passes over all colliders that correct the velocity in a corner: a right angle needs one, a
    // corner of 60 degrees ten
    MAX_SWEEPS = 32,
    // longest move relative to the penetration depth; wedges of more than 15 degrees need less
    LONGEST_MOVE = 8,
};
// Normals are nearly dependent below these: squared sine of the angle of two, volume of the
// parallelepiped of three.
static const double MIN_SQUARED_SINE = 1e-4, MIN_VOLUME = 1e-2;
// Sweeps over the velocity end when the largest change falls below this fraction of the first.
static const double SWEEP_TOLERANCE = 1e-6;
// A collider within the margin plus this fraction of the size of the coordinates is in contact.
static const double CONTACT_TOLERANCE = 1e-9;

// A constraint from one collider: contact.normal . move >= depth.
typedef struct constraint {
    fm_contact contact;
    double depth;    // m, distance that the particle has to move along the normal
    double friction; // Coulomb's coefficient
    bool convex;     // false: the tangent plane is valid only near the contact
} constraint;

// The colliders around a particle.
typedef struct environment {
    const fm_placed_collider *placed;
    int count;                // number of colliders
    double margin;            // m, distance that the particle keeps
    const fm_mass_axis *axis; // NULL: isotropic mass
} environment;

// m, bound of the rounding error of the distance of x from the collider, from the size of their
// coordinates.
static double find_rounding(const fm_placed_collider *placed, fm_vec3 x)
{
    return 16 * DBL_EPSILON * (placed->reach + fm_max_norm(x));
}

// True if x is further than `range` m from the bounding box of the collider.
bool fm_placed_is_far(const fm_placed_collider *placed, fm_vec3 x, double range)
{
    return x.x < placed->low.x - range || x.y < placed->low.y - range ||
           x.z < placed->low.z - range || x.x > placed->high.x + range ||
           x.y > placed->high.y + range || x.z > placed->high.z + range;
}

// True if x is nearer than `margin` m to the collider.
static bool is_within(const fm_placed_collider *placed, fm_vec3 x, double margin)
{
    return !fm_placed_is_far(placed, x, margin) &&
           fm_placed_find_closest(placed, x).distance < margin;
}

// True if x keeps the margin from all colliders.
static bool is_outside_all(const environment *env, fm_vec3 x)
{
    for (int i = 0; i < env->count; i++) {
        if (is_within(&env->placed[i], x, env->margin))
            return false;
    }
    return true;
}

// Finds the collider whose margin a particle at x violates most after `move`, and its constraint. A
// convex shape is replaced by its tangent plane at x; a mesh is queried at x + move. False if no
// margin is violated. With a zero move this is the deepest collider.
static bool find_deepest(const environment *env, fm_vec3 x, fm_vec3 move, constraint *found)
{
    double range = env->margin + fm_length(move), most = 0;
    int deepest = -1;
    for (int i = 0; i < env->count; i++) {
        const fm_placed_collider *placed = &env->placed[i];
        if (fm_placed_is_far(placed, x, range))
            continue;
        bool convex = placed->shape.kind != FM_SHAPE_MESH;
        fm_contact contact = fm_placed_find_closest(placed, convex ? x : fm_add(x, move));
        double moved_out = convex ? fm_dot(contact.normal, move) : 0; // m, along the normal
        double violation = env->margin - contact.distance - moved_out;
        if (!(violation > most))
            continue;
        most = violation;
        deepest = i;
    }
    if (deepest < 0)
        return false;
    const fm_placed_collider *placed = &env->placed[deepest];
    bool convex = placed->shape.kind != FM_SHAPE_MESH;
    found->contact = fm_placed_find_contact(placed, convex ? x : fm_add(x, move));
    found->depth = env->margin - found->contact.distance + find_rounding(placed, x);
    if (!convex) // the tangent plane is at x + move, but depth is relative to x
        found->depth += fm_dot(found->contact.normal, move);
    found->friction = placed->friction;
    found->convex = convex;
    return true;
}

// The smallest move that satisfies two or three constraints normal . move >= depth with equality.
// a, b, c: normals; p, q: depths of the first two. False if the normals are nearly linearly
// dependent.
static bool solve_constraints(const constraint *constraints, int count, fm_vec3 *move)
{
    fm_vec3 a = constraints[0].contact.normal, b = constraints[1].contact.normal;
    double p = constraints[0].depth, q = constraints[1].depth;
    if (count == 2) {
        double cosine = fm_dot(a, b), square = fm_dot(fm_cross(a, b), fm_cross(a, b));
        if (square < MIN_SQUARED_SINE)
            return false;
        *move =
            fm_add(fm_scale(a, (p - cosine * q) / square), fm_scale(b, (q - cosine * p) / square));
        return true;
    }
    fm_vec3 c = constraints[2].contact.normal;
    double volume = fm_dot(a, fm_cross(b, c));
    if (fabs(volume) < MIN_VOLUME)
        return false;
    fm_vec3 sum = fm_add_scaled(fm_scale(fm_cross(b, c), p), fm_cross(c, a), q);
    *move = fm_scale(fm_add_scaled(sum, fm_cross(a, b), constraints[2].depth), 1 / volume);
    return true;
}

// The shortest part of a move that takes the particle at x outside all colliders, by bisection; the
// whole move if none does.
static fm_vec3 shorten_move(const environment *env, fm_vec3 x, fm_vec3 move)
{
    if (!is_outside_all(env, fm_add(x, move)))
        return move;
    double inside = 0, outside = 1;
    for (int step = 0; step < MAX_BISECTIONS; step++) {
        double middle = (inside + outside) / 2;
        if (is_outside_all(env, fm_add_scaled(x, move, middle)))
            outside = middle;
        else
            inside = middle;
    }
    return fm_scale(move, outside);
}

// The move out of the deepest collider, constraints[0], and out of up to two colliders that would
// block it. Returns the number of constraints it satisfies. If it is far longer than the
// penetration depth, the colliders close on the particle, and only the deepest one pushes.
static int find_move(const environment *env, fm_vec3 x, constraint constraints[MAX_CONSTRAINTS],
                     fm_vec3 *move)
{
    fm_vec3 straight = fm_scale(constraints[0].contact.normal, constraints[0].depth);
    int count = 1;
    *move = straight;
    while (count < MAX_CONSTRAINTS && find_deepest(env, x, *move, &constraints[count])) {
        fm_vec3 solved;
        if (!solve_constraints(constraints, count + 1, &solved))
            break;
        *move = solved;
        count++;
    }
    if (count == 1)
        return 1;
    *move = shorten_move(env, x, *move);
    if (fm_length(*move) <= LONGEST_MOVE * constraints[0].depth)
        return count;
    *move = straight;
    return 1;
}

// Velocity change by an impulse p for a particle with added mass along an axis, up to a factor.
static fm_vec3 apply_inverse_mass(const fm_mass_axis *axis, fm_vec3 p)
{
    return fm_add_scaled(p, axis->e, (axis->ratio - 1) * fm_dot(axis->e, p));
}

// Removes the velocity into the surface and applies friction, for a particle with added mass along
// an axis. approach: speed into the surface, m/s. n: normal; kn: K n; nkn: n . K n; d: corrected
// sliding direction; kd: K d.
static void apply_friction_with_axis(const fm_contact *contact, double friction, double approach,
                                     const fm_mass_axis *axis, fm_vec3 *velocity)
{
    fm_vec3 n = contact->normal, kn = apply_inverse_mass(axis, n);
    double nkn = fm_dot(n, kn);
    *velocity = fm_add_scaled(*velocity, kn, approach / nkn);
    fm_vec3 sliding = fm_sub(*velocity, contact->velocity);
    sliding = fm_add_scaled(sliding, n, -fm_dot(sliding, n));
    double speed = fm_length(sliding);
    if (!(speed > 0))
        return;
    fm_vec3 d = fm_scale(sliding, 1 / speed);
    d = fm_add_scaled(d, n, -fm_dot(d, kn) / nkn);
    fm_vec3 kd = apply_inverse_mass(axis, d);
    double impulse = fmin(friction * approach / nkn, speed / fm_dot(d, kd));
    *velocity = fm_add_scaled(*velocity, kd, -impulse);
}

// Removes the velocity into the surface and applies Coulomb friction. axis: axis of added mass, or
// NULL. Returns the speed removed, m/s.
static double apply_friction(const fm_contact *contact, double friction, const fm_mass_axis *axis,
                             fm_vec3 *velocity)
{
    fm_vec3 relative = fm_sub(*velocity, contact->velocity);
    double approach = -fm_dot(relative, contact->normal);
    if (!(approach > 0))
        return 0;
    if (axis) {
        apply_friction_with_axis(contact, friction, approach, axis, velocity);
        return approach;
    }
    fm_vec3 sliding = fm_add_scaled(relative, contact->normal, approach);
    double speed = fm_length(sliding), most_removed = friction * approach; // m/s
    double kept = speed > most_removed ? 1 - most_removed / speed : 0;
    *velocity = fm_add_scaled(contact->velocity, sliding, kept);
    return approach;
}

// Applies the friction of every collider in contact once. Returns the largest speed removed, m/s.
static double sweep_velocity(const environment *env, fm_vec3 x, fm_vec3 *velocity)
{
    double most = 0;
    for (int i = 0; i < env->count; i++) {
        const fm_placed_collider *placed = &env->placed[i];
        double range = env->margin + CONTACT_TOLERANCE * (placed->reach + fm_max_norm(x));
        if (fm_placed_is_far(placed, x, range))
            continue;
        fm_contact contact = fm_placed_find_contact(placed, x);
        if (contact.distance <= range)
            most = fmax(most, apply_friction(&contact, placed->friction, env->axis, velocity));
    }
    return most;
}

// In a corner, the velocity that one collider leaves may point into another one: sweeps until the
// changes are small.
static void resolve_corner_velocity(const environment *env, fm_vec3 x, fm_vec3 *velocity)
{
    double first = sweep_velocity(env, x, velocity), most = first;
    for (int sweep = 1; sweep < MAX_SWEEPS && most > SWEEP_TOLERANCE * first; sweep++)
        most = sweep_velocity(env, x, velocity);
}

// Applies the constraints of a move to the velocity. Only here are two faces of one mesh seen
// together, so the corner between them is resolved here, too.
static void apply_constraints_to_velocity(const constraint *constraints, int count,
                                          const fm_mass_axis *axis, fm_vec3 *velocity)
{
    double first = 0, most = 0;
    bool convex = true;
    for (int i = 0; i < count; i++) {
        first = fmax(first, apply_friction(&constraints[i].contact, constraints[i].friction, axis,
                                           velocity));
        convex = convex && constraints[i].convex;
    }
    most = convex || count == 1 ? 0 : first;
    for (int sweep = 1; sweep < MAX_SWEEPS && most > SWEEP_TOLERANCE * first; sweep++) {
        most = 0;
        for (int i = 0; i < count; i++)
            most = fmax(most, apply_friction(&constraints[i].contact, constraints[i].friction, axis,
                                             velocity));
    }
}

// Moves a particle out of all colliders, in several passes if necessary. False if it is still
// inside one.
static bool move_outside(const environment *env, fm_vec3 *x, fm_vec3 *velocity)
{
    int contact_count = 0;
    constraint constraints[MAX_CONSTRAINTS];
    for (int pass = 0; pass < MAX_PASSES; pass++) {
        if (!find_deepest(env, *x, (fm_vec3){0}, &constraints[0])) {
            if (contact_count > 1)
                resolve_corner_velocity(env, *x, velocity);
            return true;
        }
        fm_vec3 move;
        int count = find_move(env, *x, constraints, &move);
        apply_constraints_to_velocity(constraints, count, env->axis, velocity);
        *x = fm_add(*x, move);
        contact_count += count;
    }
    return is_outside_all(env, *x);
}

// Moves a particle out of the colliders, with friction. False if it could not be freed. touched
// (may be NULL): receives whether it was nearer than `margin` m to a collider.
bool fm_collide_particle_with_mass_axis(const fm_placed_collider *placed, int collider_count,
                                        double margin, const fm_mass_axis *axis, fm_vec3 *position,
                                        fm_vec3 *velocity, bool *touched)
{
    assert(margin >= 0);
    environment env = {placed, collider_count, margin, axis};
    bool near = !is_outside_all(&env, *position);
    if (touched)
        *touched = near;
    return !near || move_outside(&env, position, velocity);
}

// Moves a particle with isotropic mass out of the colliders, with friction.
bool fm_collide_particle(const fm_placed_collider *placed, int collider_count, double margin,
                         fm_vec3 *position, fm_vec3 *velocity, bool *touched)
{
    return fm_collide_particle_with_mass_axis(placed, collider_count, margin, NULL, position,
                                              velocity, touched);
}
