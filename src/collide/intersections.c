// SPDX-License-Identifier: MIT
// intersections.c: counts edges that pass through triangles, with exact signs.
//
// It validates the contact step and shares no code with it except the tree. An edge p q passes
// through a triangle a b c if p and q are on different sides of the triangle's plane, and the line
// p q has the three sides of the triangle on the same side:
//
//     o(a,b,c,p) o(a,b,c,q) <= 0,      o(p,q,a,b), o(p,q,b,c), o(p,q,c,a) of one sign
//
// o is the orientation predicate, a determinant of coordinate differences. Its sign is that of the
// rounded value if the value exceeds the rounding error bound of [S97]. Otherwise it is evaluated
// exactly: differences and products as sums of two doubles, and their sums as nonoverlapping
// expansions. Full reference: docs/references.md.
#include "collide/contact.h"

#include <float.h>

// 6 products of 3 differences, each of which is 8 products of doubles with 4 terms
enum { MAX_TERMS = 192 };

// An exact number: the sum of doubles that do not overlap in binary, in order of magnitude [S97].
typedef struct expansion {
    double term[MAX_TERMS];
    int count;
} expansion;

// Exact sum of two doubles: a + b = sum + error.
static double add_exactly(double a, double b, double *error)
{
    double sum = a + b, virtual = sum - a;
    *error = (a - (sum - virtual)) + (b - virtual);
    return sum;
}

// Adds b to the expansion exactly. The terms stay nonoverlapping and sorted by magnitude.
static void add_to_expansion(expansion *e, double b)
{
    int kept = 0;
    for (int i = 0; i < e->count; i++) {
        double error;
        b = add_exactly(b, e->term[i], &error);
        if (error != 0)
            e->term[kept++] = error;
    }
    if (b != 0)
        e->term[kept++] = b;
    e->count = kept;
}

// Adds the product of three doubles to the expansion exactly: at most four terms.
static void add_product(expansion *e, double a, double b, double c)
{
    double ab = a * b, ab_error = fma(a, b, -ab);
    double high = ab * c, low = ab_error * c;
    add_to_expansion(e, fma(ab_error, c, -low));
    add_to_expansion(e, low);
    add_to_expansion(e, fma(ab, c, -high));
    add_to_expansion(e, high);
}

// Sign of a number: -1, 0 or 1.
static int sign_of(double a)
{
    return (a > 0) - (a < 0);
}

// An exact difference of two points: [axis][high part, low part].
typedef struct difference {
    double part[3][2];
} difference;

// a - b without rounding error.
static difference subtract_exactly(fm_vec3 a, fm_vec3 b)
{
    difference d;
    d.part[0][0] = add_exactly(a.x, -b.x, &d.part[0][1]);
    d.part[1][0] = add_exactly(a.y, -b.y, &d.part[1][1]);
    d.part[2][0] = add_exactly(a.z, -b.z, &d.part[2][1]);
    return d;
}

// Sign of the determinant of a - d, b - d, c - d: on which side of the plane a b c the point d
// lies. Evaluated without rounding errors.
static int orient_exactly(fm_vec3 a, fm_vec3 b, fm_vec3 c, fm_vec3 d)
{
    // even permutations of the axes; exchanging the last two gives the odd ones
    static const int even[3][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}};
    difference p = subtract_exactly(a, d), q = subtract_exactly(b, d), r = subtract_exactly(c, d);
    expansion sum = {.count = 0};
    for (int k = 0; k < 3; k++) {
        const int *axis = even[k];
        for (int parts = 0; parts < 8; parts++) { // bits: high or low part of each factor
            double x = p.part[axis[0]][parts & 1];
            double y = q.part[axis[1]][parts >> 1 & 1], z = r.part[axis[2]][parts >> 2];
            add_product(&sum, x, y, z);
            y = q.part[axis[2]][parts >> 1 & 1], z = r.part[axis[1]][parts >> 2];
            add_product(&sum, -x, y, z);
        }
    }
    return sum.count > 0 ? sign_of(sum.term[sum.count - 1]) : 0;
}

// As orient_exactly; uses the rounded determinant where that is certainly of the right sign.
static int orient(fm_vec3 a, fm_vec3 b, fm_vec3 c, fm_vec3 d)
{
    fm_vec3 p = fm_sub(a, d), q = fm_sub(b, d), r = fm_sub(c, d);
    double x = q.y * r.z - q.z * r.y, y = q.z * r.x - q.x * r.z, z = q.x * r.y - q.y * r.x;
    double value = p.x * x + p.y * y + p.z * z;
    // sum of the absolute values of all products, the scale of the rounding error
    double size = fabs(p.x) * (fabs(q.y * r.z) + fabs(q.z * r.y)) +
                  fabs(p.y) * (fabs(q.z * r.x) + fabs(q.x * r.z)) +
                  fabs(p.z) * (fabs(q.x * r.y) + fabs(q.y * r.x));
    if (fabs(value) > 8 * DBL_EPSILON * size) // [S97] proves 3.5 in place of 8
        return sign_of(value);
    return orient_exactly(a, b, c, d);
}

// True if the edge with vertices e passes through the triangle with vertices t, at positions x.
static bool passes_through(fm_vec3_array x, const int e[2], const int t[3])
{
    fm_vec3 p = fm_vec3_array_at(x, e[0]), q = fm_vec3_array_at(x, e[1]);
    fm_vec3 a = fm_vec3_array_at(x, t[0]), b = fm_vec3_array_at(x, t[1]),
            c = fm_vec3_array_at(x, t[2]);
    int side = orient(a, b, c, p), other = orient(a, b, c, q);
    if (side * other > 0 || (side == 0 && other == 0))
        return false;
    int u = orient(p, q, a, b), v = orient(p, q, b, c), w = orient(p, q, c, a);
    return (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
}

// Search for the triangles that one edge passes through.
typedef struct count_job {
    const fm_contact_set *set;
    const fm_contact_body *body; // surface whose triangles are visited
    fm_vec3_array x;
    const int *edge; // the two vertices of the edge
    fm_bounds box;   // bounding box of the edge
    int count;       // intersections found so far
    bool *marked;    // [vertex] set for vertices of intersecting features; may be NULL
} count_job;

// Called by the tree search with a range of near triangles: counts those that job->edge passes
// through and shares no vertex with.
static void visit_triangles(void *context, int first, int count)
{
    count_job *job = context;
    const int *e = job->edge;
    for (int i = first; i < first + count; i++) {
        int triangle = job->body->first_triangle + job->body->tree.items[i];
        const int *t = job->set->triangle[triangle];
        bool ignored = !fm_contact_is_triangle(t); // a line or a point, or shares a vertex
        for (int k = 0; k < 3; k++)
            ignored = ignored || job->set->joint[t[k]] == job->set->joint[e[0]] ||
                      job->set->joint[t[k]] == job->set->joint[e[1]];
        if (ignored || !fm_bounds_overlap(&job->box, &job->set->boxes[triangle], 0) ||
            !passes_through(job->x, e, t))
            continue;
        job->count++;
        if (!job->marked)
            continue;
        job->marked[e[0]] = job->marked[e[1]] = true;
        for (int k = 0; k < 3; k++)
            job->marked[t[k]] = true;
    }
}

// Bounding box of some vertices at positions x.
static fm_bounds enclose(fm_vec3_array x, const int *vertices, int count)
{
    fm_bounds box = fm_bounds_empty();
    for (int i = 0; i < count; i++)
        fm_bounds_add_point(&box, fm_vec3_array_at(x, vertices[i]));
    return box;
}

// Computes the bounding boxes of all triangles at positions x.
void fm_contact_bound_triangles(fm_contact_set *set, fm_vec3_array x)
{
    for (int t = 0; t < set->triangle_count; t++)
        set->boxes[t] = enclose(x, set->triangle[t], 3);
}

// Fits the boxes of all triangles, and the trees over them, to positions x.
void fm_contact_refit_trees(fm_contact_set *set, fm_vec3_array x)
{
    fm_contact_bound_triangles(set, x);
    for (int s = 0; s < set->body_count; s++)
        fm_bvh_refit(&set->bodies[s].tree, set->boxes + set->bodies[s].first_triangle);
}

// Counts the edges that pass through triangles at positions x, except between two kinematic
// surfaces. marked (may be NULL): receives true for the vertices of both.
int fm_contact_count_intersections(fm_contact_set *set, fm_vec3_array x, bool *marked)
{
    count_job job = {.set = set, .x = x, .marked = marked};
    fm_contact_refit_trees(set, x);
    for (int e = 0; e < set->edge_count; e++) {
        job.edge = set->edge[e];
        job.box = enclose(x, job.edge, 2);
        bool kinematic = set->bodies[set->body_of[job.edge[0]]].kinematic;
        for (int s = 0; s < set->body_count; s++) {
            job.body = &set->bodies[s];
            if (!kinematic || !job.body->kinematic)
                fm_bvh_visit(&job.body->tree, &job.box, 0, visit_triangles, &job);
        }
    }
    return job.count;
}
