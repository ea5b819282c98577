// SPDX-License-Identifier: MIT
// ties.c: ties between points of bodies: constraints that keep the points together.
//
// Points that are tied to each other, directly or through others, form a knot. All bodies with ties
// take their substeps together with those in contact (contact.c). A knot is constrained three times
// in a substep, so that it moves as a particle with the mass of all its points:
//
//     after open     x = M^-1 sum M_i x_i,  v = M^-1 sum M_i v_i,  M = sum M_i     constraint
//     after contact  x += sum of the displacements, v += sum of the velocity changes
//     before close   F_i += M_i s - q_i,  s = M^-1 sum q_i                         constraint force
//
//   M_i  kg, effective mass of a point, a 3 x 3 matrix: its own, added mass, and the implicit part
//        of the history force
//   q_i  N, all forces on the point that do not depend on its velocity     s  m/s^2
//
// The first is the position constraint of SHAKE for distances of zero, the last its Lagrange
// multiplier: velocities at the end of a substep agree up to differences in drag and damping, which
// the next constraint removes. All impulses of a knot add up to zero, so momentum is conserved to
// rounding. A knot adds no stiffness and does not limit the substep. In contact, each point has the
// mass of its knot. If a pin holds one of the points, the knot follows the pin. Points that are
// tied apart keep their displacements from each other: x_i above stands for x_i - d_i.
#include "world/world.h"

#include <fathom/line.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double GAP_MAX = 1e-6; // m, largest distance of points that may be tied

// A tied point of a body. Points are sorted by knot, then in the order in which they were tied.
typedef struct tied_point {
    fm_object *body;
    int point;
    int knot;
    fm_vec3 apart; // m, d, displacement from the position of the knot
    fm_tie_view view;
    fm_point_mass mass;
} tied_point;

// Position and velocity of a knot after its constraint, and its mass.
typedef struct knot {
    int first, last; // points [first, last)
    fm_vec3 x, v;    // m, m/s
    double mass;     // kg, mean over the axes; 0: a pin holds it
} knot;

struct fm_ties {
    tied_point *points;
    knot *knots;
    int point_count, knot_count, tie_count;
    int room; // elements allocated for points, and for knots
};

// A symmetric 3 x 3 matrix: xx, yy, zz, xy, xz, yz.
typedef struct matrix {
    double m[6];
} matrix;

// Adds the mass matrix of a point, across 1 + (along - across) a a^T with its axis a.
static void add_mass(matrix *sum, const fm_point_mass *p)
{
    double more = p->along - p->across;
    sum->m[0] += p->across + more * p->axis.x * p->axis.x;
    sum->m[1] += p->across + more * p->axis.y * p->axis.y;
    sum->m[2] += p->across + more * p->axis.z * p->axis.z;
    sum->m[3] += more * p->axis.x * p->axis.y;
    sum->m[4] += more * p->axis.x * p->axis.z;
    sum->m[5] += more * p->axis.y * p->axis.z;
}

// The mass of a point times a vector.
static fm_vec3 multiply(const fm_point_mass *p, fm_vec3 v)
{
    double along = (p->along - p->across) * fm_dot(p->axis, v);
    return fm_add_scaled(fm_scale(v, p->across), p->axis, along);
}

// Solves M x = b for a positive definite M by its adjugate.
static fm_vec3 solve(const matrix *M, fm_vec3 b)
{
    const double *m = M->m;
    double a = m[1] * m[2] - m[5] * m[5], d = m[4] * m[5] - m[3] * m[2];
    double e = m[3] * m[5] - m[4] * m[1], f = m[0] * m[2] - m[4] * m[4];
    double g = m[3] * m[4] - m[0] * m[5], i = m[0] * m[1] - m[3] * m[3];
    double one = 1 / (m[0] * a + m[3] * d + m[4] * e);
    return (fm_vec3){one * (a * b.x + d * b.y + e * b.z), one * (d * b.x + f * b.y + g * b.z),
                     one * (e * b.x + g * b.y + i * b.z)};
}

// Element i of three arrays, one per axis.
static fm_vec3 read_axes(double *const axes[3], int i)
{
    return (fm_vec3){axes[0][i], axes[1][i], axes[2][i]};
}

// Writes element i of three arrays, one per axis.
static void write_axes(double *const axes[3], int i, fm_vec3 value)
{
    axes[0][i] = value.x, axes[1][i] = value.y, axes[2][i] = value.z;
}

// Index of a point of a body in the list of tied points; -1: it is not tied.
static int find_point(const fm_ties *ties, const fm_object *body, int point)
{
    for (int i = 0; ties && i < ties->point_count; i++) {
        if (ties->points[i].body == body && ties->points[i].point == point)
            return i;
    }
    return -1;
}

// Makes room for two more points.
static bool reserve(fm_ties *ties, fm_error *err)
{
    if (ties->point_count + 2 <= ties->room)
        return true;
    int room = 2 * ties->room + 16;
    tied_point *points = realloc(ties->points, (size_t)room * sizeof *points);
    if (points)
        ties->points = points;
    knot *knots = realloc(ties->knots, (size_t)room * sizeof *knots);
    if (knots)
        ties->knots = knots;
    if (!points || !knots) {
        fm_fail_no_memory(err, "world", (size_t)room * sizeof *points);
        return false;
    }
    ties->room = room;
    return true;
}

// The knot of a point, which joins the list with a new knot if it is not in it yet.
static int add_point(fm_ties *ties, fm_object *body, int point, const fm_tie_view *view)
{
    int i = find_point(ties, body, point);
    if (i >= 0)
        return ties->points[i].knot;
    view->tied[point] = 1;
    ties->points[ties->point_count++] =
        (tied_point){.body = body, .point = point, .knot = ties->knot_count, .view = *view};
    return ties->knot_count++;
}

// Displacement of a tied point from the position of its knot.
static fm_vec3 find_apart(const fm_ties *ties, const fm_object *body, int point)
{
    return ties->points[find_point(ties, body, point)].apart;
}

// Changes the displacements of all points of a knot by d.
static void shift_knot(fm_ties *ties, int k, fm_vec3 d)
{
    for (int i = 0; i < ties->point_count; i++)
        if (ties->points[i].knot == k)
            ties->points[i].apart = fm_add(ties->points[i].apart, d);
}

// Merges the knots a < b, and sorts the points by knot.
static void merge_knots(fm_ties *ties, int a, int b)
{
    int count = ties->point_count;
    tied_point *points = ties->points;
    for (int i = 0; i < count; i++) {
        int k = points[i].knot;
        points[i].knot = k == b ? a : k > b ? k - 1 : k;
    }
    ties->knot_count--;
    for (int i = 1; i < count; i++) { // insertion sort: nearly sorted, and it keeps equal ones
        tied_point moved = points[i];
        int k = i;
        for (; k > 0 && points[k - 1].knot > moved.knot; k--)
            points[k] = points[k - 1];
        points[k] = moved;
    }
    for (int i = count - 1; i >= 0; i--)
        ties->knots[points[i].knot].first = i;
    for (int i = 0; i < count; i++)
        ties->knots[points[i].knot].last = i + 1;
}

// Checks one of the two points of a new tie.
static bool check_end(const fm_world *world, const fm_object *body, int point,
                      const fm_tie_view *view, fm_error *err)
{
    if (body->world != world)
        return fm_fail(err, FM_BAD_VALUE, body->name, "tie", "of another world",
                       "two bodies of one world");
    if (view->started)
        return fm_fail_number(err, body->name, "tie", world->time, "made before the first advance");
    if (point < 0 || point >= view->point_count)
        return fm_fail_number(err, body->name, "tie", point, "0 to the number of points - 1");
    return true;
}

// Checks that the two points of a new tie are at the same position.
static bool check_distance(const fm_object *one, fm_vec3 a, const fm_object *other, fm_vec3 b,
                           fm_error *err)
{
    double gap = fm_length(fm_sub(a, b));
    char field[96];
    snprintf(field, sizeof field, "distance of a tie to %s", other->name);
    return gap <= GAP_MAX ||
           fm_fail_number(err, one->name, field, gap, "at most 1e-6 m at the start");
}

// Gets the arrays of a body that ties read and write.
static bool view_end(fm_object *body, fm_tie_view *view, fm_error *err)
{
    if (body->type->body && body->type->body->view_ties)
        return body->type->body->view_ties(body, view, err);
    fm_fail(err, FM_BAD_VALUE, body->name, "tie", body->type->kind, "cloths, lines and loads");
    return false;
}

// Checks the two points of a new tie, and gets the arrays of their bodies.
static bool check_tie(fm_world *world, fm_object *one, int point, fm_tie_view *a, fm_object *other,
                      int other_point, fm_tie_view *b, fm_error *err)
{
    if (!view_end(one, a, err) || !view_end(other, b, err) ||
        !check_end(world, one, point, a, err) || !check_end(world, other, other_point, b, err))
        return false;
    return one != other || point != other_point ||
           fm_fail_number(err, one->name, "tie", point, "two different points");
}

// Ties two points, whose bodies have the arrays a and b, with the displacement `apart` of the
// second from the first.
static bool add_tie(fm_world *world, fm_object *one, int point, const fm_tie_view *a,
                    fm_object *other, int other_point, const fm_tie_view *b, fm_vec3 apart,
                    fm_error *err)
{
    if (!world->ties)
        world->ties = calloc(1, sizeof *world->ties);
    if (!world->ties)
        return fm_fail_no_memory(err, "world", sizeof *world->ties);
    fm_ties *ties = world->ties;
    if (!reserve(ties, err))
        return false;
    int p = add_point(ties, one, point, a), q = add_point(ties, other, other_point, b);
    if (p != q) {
        fm_vec3 first = find_apart(ties, one, point), second = find_apart(ties, other, other_point);
        shift_knot(ties, q, fm_sub(fm_add(first, apart), second));
        merge_knots(ties, p < q ? p : q, p < q ? q : p);
    }
    ties->tie_count++;
    fm_world_destroy_contact(world);
    return true;
}

// Ties two points, which must be at the same position, before the first advance.
bool fm_world_tie(fm_world *world, fm_object *one, int point, fm_object *other, int other_point,
                  fm_error *err)
{
    assert(err->status != FM_OK || (world && one && other));
    fm_tie_view a, b;
    if (err->status != FM_OK) // the objects may not exist then
        return false;
    return check_tie(world, one, point, &a, other, other_point, &b, err) &&
           check_distance(one, read_axes(a.x, point), other, read_axes(b.x, other_point), err) &&
           add_tie(world, one, point, &a, other, other_point, &b, (fm_vec3){0, 0, 0}, err);
}

// Ties two points that keep their displacement from each other, before the first advance.
bool fm_world_tie_apart(fm_world *world, fm_object *one, int point, fm_object *other,
                        int other_point, fm_error *err)
{
    assert(err->status != FM_OK || (world && one && other));
    fm_tie_view a, b;
    if (err->status != FM_OK)
        return false;
    if (!check_tie(world, one, point, &a, other, other_point, &b, err))
        return false;
    fm_vec3 apart = fm_sub(read_axes(b.x, other_point), read_axes(a.x, point));
    return add_tie(world, one, point, &a, other, other_point, &b, apart, err);
}

int fm_world_tie_count(const fm_world *world)
{
    assert(world);
    return world->ties ? world->ties->tie_count : 0;
}

void fm_world_destroy_ties(fm_world *world)
{
    if (!world->ties)
        return;
    free(world->ties->points);
    free(world->ties->knots);
    free(world->ties);
    world->ties = NULL;
}

// Whether a point of the object is tied.
bool fm_object_is_tied(const fm_object *object)
{
    const fm_ties *ties = object->world->ties;
    for (int i = 0; ties && i < ties->point_count; i++) {
        if (ties->points[i].body == object)
            return true;
    }
    return false;
}

// Updates the masses of the points of knot k and returns the points. closing: at the end of the
// substep, at time `end`, s.
static tied_point *measure_knot(fm_ties *ties, int k, double end, bool closing)
{
    for (int i = ties->knots[k].first; i < ties->knots[k].last; i++) {
        tied_point *p = &ties->points[i];
        p->mass = p->body->type->body->point_mass(p->body, p->point, end, closing);
    }
    return ties->points + ties->knots[k].first;
}

// The first point that a pin holds; NULL: none.
static const tied_point *find_held(const tied_point *points, int count)
{
    for (int i = 0; i < count; i++) {
        if (points[i].mass.held)
            return &points[i];
    }
    return NULL;
}

// Where a point would be without its displacement from the knot.
static fm_vec3 find_place(const tied_point *p)
{
    return fm_sub(read_axes(p->view.x, p->point), p->apart);
}

// Sets the position of its knot and the velocity of a point that no pin holds. first: the first
// change in the substep.
static void move_point(const tied_point *p, fm_vec3 x, fm_vec3 v, bool first)
{
    const fm_tie_view *view = &p->view;
    int i = p->point;
    if (p->mass.held)
        return;
    bool used = !first || view->touched[i] || view->keeps_jump;
    fm_vec3 jump = used ? read_axes(view->jump, i) : (fm_vec3){0, 0, 0};
    write_axes(view->jump, i, fm_add(jump, fm_sub(v, read_axes(view->v, i))));
    write_axes(view->x, i, fm_add(x, p->apart));
    write_axes(view->v, i, v);
}

// Moves all points of a knot that no pin holds to their common position and velocity.
static void constrain_free(knot *own, const tied_point *points, int count)
{
    matrix mass = {{0}};
    fm_vec3 x = {0, 0, 0}, v = {0, 0, 0};
    fm_vec3 origin = find_place(&points[0]);
    for (int i = 0; i < count; i++) {
        const tied_point *p = &points[i];
        add_mass(&mass, &p->mass);
        x = fm_add(x, multiply(&p->mass, fm_sub(find_place(p), origin)));
        v = fm_add(v, multiply(&p->mass, read_axes(p->view.v, p->point)));
    }
    own->x = fm_add(origin, solve(&mass, x));
    own->v = solve(&mass, v);
    own->mass = (mass.m[0] + mass.m[1] + mass.m[2]) / 3;
    for (int i = 0; i < count; i++)
        move_point(&points[i], own->x, own->v, true);
}

// All points move to the held one, with the velocity that takes them there within the substep.
static void constrain_held(knot *own, const tied_point *points, int count, const tied_point *held,
                           double h)
{
    own->x = find_place(held);
    own->mass = 0;
    for (int i = 0; i < count; i++) {
        const tied_point *p = &points[i];
        fm_vec3 away = fm_sub(own->x, find_place(p));
        own->v = fm_add_scaled(read_axes(p->view.v, p->point), away, 1 / h);
        move_point(p, own->x, own->v, true);
    }
}

// Moves the points of each knot to its common position, after bodies opened the substep.
void fm_ties_constrain(fm_world *world, double h, double end)
{
    fm_ties *ties = world->ties;
    for (int k = 0; ties && k < ties->knot_count; k++) {
        const tied_point *points = measure_knot(ties, k, end, false);
        int count = ties->knots[k].last - ties->knots[k].first;
        const tied_point *held = find_held(points, count);
        if (held)
            constrain_held(&ties->knots[k], points, count, held, h);
        else
            constrain_free(&ties->knots[k], points, count);
    }
}

// Gives all points of a knot the sum of the changes that contact made to each of them.
void fm_ties_merge_contact(fm_world *world)
{
    const fm_ties *ties = world->ties;
    for (int k = 0; ties && k < ties->knot_count; k++) {
        const knot *own = &ties->knots[k];
        fm_vec3 x = own->x, v = own->v;
        for (int i = own->first; i < own->last && own->mass > 0; i++) {
            const tied_point *p = &ties->points[i];
            x = fm_add(x, fm_sub(find_place(p), own->x));
            v = fm_add(v, fm_sub(read_axes(p->view.v, p->point), own->v));
        }
        for (int i = own->first; i < own->last && own->mass > 0; i++)
            move_point(&ties->points[i], x, v, false);
    }
}

// Adds the constraint forces, so that all points of a knot have the same acceleration.
void fm_ties_share_forces(fm_world *world, double end)
{
    fm_ties *ties = world->ties;
    for (int k = 0; ties && k < ties->knot_count; k++) {
        tied_point *points = measure_knot(ties, k, end, true);
        int count = ties->knots[k].last - ties->knots[k].first;
        matrix mass = {{0}};
        fm_vec3 sum = {0, 0, 0}, s = {0, 0, 0};
        for (int i = 0; i < count; i++) {
            const tied_point *p = &points[i];
            add_mass(&mass, &p->mass);
            sum = fm_add(sum, p->body->type->body->point_force(p->body, p->point));
        }
        if (!find_held(points, count))
            s = solve(&mass, sum);
        for (int i = 0; i < count; i++) {
            const tied_point *p = &points[i];
            fm_vec3 own = p->body->type->body->point_force(p->body, p->point);
            fm_vec3 force = read_axes(p->view.force, p->point);
            force = fm_add(force, fm_sub(multiply(&p->mass, s), own));
            write_axes(p->view.force, p->point, force);
        }
    }
}

int fm_ties_point_count(const fm_world *world)
{
    return world->ties ? world->ties->point_count : 0;
}

fm_tied_point fm_ties_point(const fm_world *world, int index)
{
    const tied_point *p = &world->ties->points[index];
    const knot *own = &world->ties->knots[p->knot];
    return (fm_tied_point){p->body, p->point, own->first, own->mass};
}
