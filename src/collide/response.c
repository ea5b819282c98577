// SPDX-License-Identifier: MIT
// response.c: a particle kept at a distance from all colliders, with friction.
//
// Position: a particle at x with distances d_i < m is moved by the smallest e with
//
//     n_i . e >= m - d_i          i: the deepest collider, and up to two that would stop that move
//
// Signed distances of convex shapes are convex, d(x + e) >= d(x) + n . e, so x + e is free of all
// of them whatever their curvature, and in a wedge nothing is pushed back and forth. The move is
// then cut back along its way as far as it stays free, since the tangents may lead too far.
// Where that is still much longer than deep, the colliders close in like a press, and throwing the
// particle out sideways would tear what it belongs to: then only the deepest pushes.
//
// A mesh is not convex: its tangents hold near where they touch and no further. It is asked where
// the move would lead, x + e, and the tangent there, n . (e' - e) >= m - d(x + e), is another hold:
// both faces of a groove are found that way. Passes go on until nothing lacks.
//
// Velocity: relative to the surface, v = v_n n + v_t. When v_n < 0, Coulomb's friction with the
// impulse -v_n per mass:
//
//     v <- v_t max(0, 1 - mu |v_n| / |v_t|)
//
// A particle whose mass differs along an axis answers an impulse p by K p, K = 1 - (1 - r) e e^T.
// Then the normal impulse is -v_n / (n . K n); friction acts along d', the direction of what still
// slides less what of it would change v_n (impulses.c has the formulas). Neither adds energy.
//
//   x  position, m    m  margin, m    n  outward normal    mu  friction
#include "collide/collide.h"

#include <assert.h>
#include <float.h>

enum {
    MAX_PASSES = 16,  // most need one or two
    MAX_HELD = 3,     // contacts that hold a point in space
    CUT_STEPS = 40,   // halvings of a move: to 1e-12 of it
    MAX_SWEEPS = 32,  // over the velocities in a corner: right angles need one, 60 degrees ten
    LONGEST_MOVE = 8, // times the depth; wedges of more than 15 degrees need less
};

// One collider that a particle must move away from: contact.normal . move >= depth.
typedef struct hold {
    fm_contact contact;
    double depth, friction;
    bool convex; // false: the contact holds here and says nothing of other parts
} hold;

typedef struct surroundings {
    const fm_placed_collider *placed;
    int count;
    double margin;
    const fm_mass_axis *axis; // NULL: one mass for all directions
} surroundings;

// How far rounding may move a distance: positions and shapes are that exact and no more.
static double find_rounding(const fm_placed_collider *placed, fm_vec3 x)
{
    return 16 * DBL_EPSILON * (placed->reach + fm_largest(x));
}

bool fm_placed_is_far(const fm_placed_collider *placed, fm_vec3 x, double range)
{
    return x.x < placed->low.x - range || x.y < placed->low.y - range ||
           x.z < placed->low.z - range || x.x > placed->high.x + range ||
           x.y > placed->high.y + range || x.z > placed->high.z + range;
}

static bool is_near(const fm_placed_collider *placed, fm_vec3 x, double margin)
{
    return !fm_placed_is_far(placed, x, margin) && fm_placed_contact(placed, x).distance < margin;
}

static bool is_free(const surroundings *around, fm_vec3 x)
{
    for (int i = 0; i < around->count; i++) {
        if (is_near(&around->placed[i], x, around->margin))
            return false;
    }
    return true;
}

// The collider that lacks most of its distance after a move, seen along its tangent at x. False
// when none lacks any. No move: the deepest one.
static bool find_deepest(const surroundings *around, fm_vec3 x, fm_vec3 move, hold *found)
{
    double range = around->margin + fm_length(move), most = 0;
    int deepest = -1;
    for (int i = 0; i < around->count; i++) {
        const fm_placed_collider *placed = &around->placed[i];
        if (fm_placed_is_far(placed, x, range))
            continue;
        bool convex = placed->shape.kind != FM_SHAPE_MESH;
        fm_contact contact = fm_placed_contact(placed, convex ? x : fm_add(x, move));
        double gained = convex ? fm_dot(contact.normal, move) : 0;
        double lack = around->margin - contact.distance - gained;
        if (!(lack > most))
            continue;
        most = lack;
        deepest = i;
    }
    if (deepest < 0)
        return false;
    const fm_placed_collider *placed = &around->placed[deepest];
    bool convex = placed->shape.kind != FM_SHAPE_MESH;
    found->contact = fm_collider_contact(placed, convex ? x : fm_add(x, move));
    found->depth = around->margin - found->contact.distance + find_rounding(placed, x);
    if (!convex) // its tangent is where the move leads to; depths are from x
        found->depth += fm_dot(found->contact.normal, move);
    found->friction = placed->friction;
    found->convex = convex;
    return true;
}

// The smallest move that fulfils all holds exactly. False when their normals hardly span it.
static bool solve_holds(const hold *holds, int count, fm_vec3 *move)
{
    fm_vec3 a = holds[0].contact.normal, b = holds[1].contact.normal;
    double p = holds[0].depth, q = holds[1].depth;
    if (count == 2) {
        double cosine = fm_dot(a, b), square = fm_dot(fm_cross(a, b), fm_cross(a, b));
        if (square < 1e-4)
            return false;
        *move =
            fm_add(fm_scale(a, (p - cosine * q) / square), fm_scale(b, (q - cosine * p) / square));
        return true;
    }
    fm_vec3 c = holds[2].contact.normal;
    double volume = fm_dot(a, fm_cross(b, c));
    if (fabs(volume) < 1e-2)
        return false;
    fm_vec3 sum = fm_add_scaled(fm_scale(fm_cross(b, c), p), fm_cross(c, a), q);
    *move = fm_scale(fm_add_scaled(sum, fm_cross(a, b), holds[2].depth), 1 / volume);
    return true;
}

// As much of a move as is needed to be free.
static fm_vec3 cut_move(const surroundings *around, fm_vec3 x, fm_vec3 move)
{
    if (!is_free(around, fm_add(x, move)))
        return move;
    double inside = 0, outside = 1;
    for (int step = 0; step < CUT_STEPS; step++) {
        double middle = (inside + outside) / 2;
        if (is_free(around, fm_add_scaled(x, move, middle)))
            outside = middle;
        else
            inside = middle;
    }
    return fm_scale(move, outside);
}

// The move out of the deepest collider, holds[0], and out of what would stop it. Gives how many
// holds it respects.
static int find_move(const surroundings *around, fm_vec3 x, hold holds[MAX_HELD], fm_vec3 *move)
{
    fm_vec3 straight = fm_scale(holds[0].contact.normal, holds[0].depth);
    int count = 1;
    *move = straight;
    while (count < MAX_HELD && find_deepest(around, x, *move, &holds[count])) {
        fm_vec3 solved;
        if (!solve_holds(holds, count + 1, &solved))
            break;
        *move = solved;
        count++;
    }
    if (count == 1)
        return 1;
    *move = cut_move(around, x, *move);
    if (fm_length(*move) <= LONGEST_MOVE * holds[0].depth)
        return count;
    *move = straight;
    return 1;
}

static fm_vec3 move_by(const fm_mass_axis *axis, fm_vec3 p)
{
    return fm_add_scaled(p, axis->e, (axis->ratio - 1) * fm_dot(axis->e, p));
}

// apply_friction for a mass that differs along an axis: `into` is the speed into the surface.
static void apply_friction_with_axis(const fm_contact *contact, double friction, double into,
                                     const fm_mass_axis *axis, fm_vec3 *velocity)
{
    fm_vec3 n = contact->normal, kn = move_by(axis, n);
    double nkn = fm_dot(n, kn);
    *velocity = fm_add_scaled(*velocity, kn, into / nkn);
    fm_vec3 sliding = fm_sub(*velocity, contact->velocity);
    sliding = fm_add_scaled(sliding, n, -fm_dot(sliding, n));
    double speed = fm_length(sliding);
    if (!(speed > 0))
        return;
    fm_vec3 d = fm_scale(sliding, 1 / speed);
    d = fm_add_scaled(d, n, -fm_dot(d, kn) / nkn);
    fm_vec3 kd = move_by(axis, d);
    double impulse = fmin(friction * into / nkn, speed / fm_dot(d, kd));
    *velocity = fm_add_scaled(*velocity, kd, -impulse);
}

// Gives the speed into the surface that it took away.
static double apply_friction(const fm_contact *contact, double friction, const fm_mass_axis *axis,
                             fm_vec3 *velocity)
{
    fm_vec3 relative = fm_sub(*velocity, contact->velocity);
    double into = -fm_dot(relative, contact->normal);
    if (!(into > 0))
        return 0;
    if (axis) {
        apply_friction_with_axis(contact, friction, into, axis, velocity);
        return into;
    }
    fm_vec3 sliding = fm_add_scaled(relative, contact->normal, into);
    double speed = fm_length(sliding), stopped = friction * into;
    double kept = speed > stopped ? 1 - stopped / speed : 0;
    *velocity = fm_add_scaled(contact->velocity, sliding, kept);
    return into;
}

// Once around the colliders that touch. Gives the most that one of them took.
static double sweep_velocity(const surroundings *around, fm_vec3 x, fm_vec3 *velocity)
{
    double most = 0;
    for (int i = 0; i < around->count; i++) {
        const fm_placed_collider *placed = &around->placed[i];
        double range = around->margin + 1e-9 * (placed->reach + fm_largest(x));
        if (fm_placed_is_far(placed, x, range))
            continue;
        fm_contact contact = fm_collider_contact(placed, x);
        if (contact.distance <= range)
            most = fmax(most, apply_friction(&contact, placed->friction, around->axis, velocity));
    }
    return most;
}

// In a corner, what one collider leaves may go into another: around until hardly any does.
static void settle_velocity(const surroundings *around, fm_vec3 x, fm_vec3 *velocity)
{
    double first = sweep_velocity(around, x, velocity), most = first;
    for (int sweep = 1; sweep < MAX_SWEEPS && most > 1e-6 * first; sweep++)
        most = sweep_velocity(around, x, velocity);
}

// What holds a move takes from the velocity. Two faces of one mesh are seen together here only, so
// that a corner between them is settled here too.
static void press_velocity(const hold *holds, int count, const fm_mass_axis *axis,
                           fm_vec3 *velocity)
{
    double first = 0, most = 0;
    bool convex = true;
    for (int i = 0; i < count; i++) {
        first = fmax(first, apply_friction(&holds[i].contact, holds[i].friction, axis, velocity));
        convex = convex && holds[i].convex;
    }
    most = convex || count == 1 ? 0 : first;
    for (int sweep = 1; sweep < MAX_SWEEPS && most > 1e-6 * first; sweep++) {
        most = 0;
        for (int i = 0; i < count; i++)
            most = fmax(most, apply_friction(&holds[i].contact, holds[i].friction, axis, velocity));
    }
}

static bool free_particle(const surroundings *around, fm_vec3 *x, fm_vec3 *velocity)
{
    int contact_count = 0;
    hold holds[MAX_HELD];
    for (int pass = 0; pass < MAX_PASSES; pass++) {
        if (!find_deepest(around, *x, (fm_vec3){0}, &holds[0])) {
            if (contact_count > 1)
                settle_velocity(around, *x, velocity);
            return true;
        }
        fm_vec3 move;
        int count = find_move(around, *x, holds, &move);
        press_velocity(holds, count, around->axis, velocity);
        *x = fm_add(*x, move);
        contact_count += count;
    }
    return is_free(around, *x);
}

bool fm_collide_particle_with_axis(const fm_placed_collider *placed, int collider_count,
                                   double margin, const fm_mass_axis *axis, fm_vec3 *position,
                                   fm_vec3 *velocity, bool *touched)
{
    assert(margin >= 0);
    surroundings around = {placed, collider_count, margin, axis};
    bool near = !is_free(&around, *position);
    if (touched)
        *touched = near;
    return !near || free_particle(&around, position, velocity);
}

bool fm_collide_particle(const fm_placed_collider *placed, int collider_count, double margin,
                         fm_vec3 *position, fm_vec3 *velocity, bool *touched)
{
    return fm_collide_particle_with_axis(placed, collider_count, margin, NULL, position, velocity,
                                         touched);
}
