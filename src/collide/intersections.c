// SPDX-License-Identifier: MIT
// intersections.c: counts edges that go through triangles, with signs that are exact.
//
// The judge of the contact step, which shares no code with it but the tree. An edge p q goes
// through a triangle a b c when p and q are on different sides of its plane and the line sees its
// corners in one turning sense:
//
//     o(a,b,c,p) o(a,b,c,q) <= 0,      o(p,q,a,b), o(p,q,b,c), o(p,q,c,a) of one sign
//
// o is the orientation, a determinant of differences. Its sign is taken from the rounded value
// where that is larger than its error can be [S97], and else from an exact evaluation: differences
// and products as sums of two doubles, and their sums as expansions that do not overlap.
//
// [S97] Shewchuk: Adaptive precision floating-point arithmetic and fast robust geometric
//       predicates. Discrete & Computational Geometry 18, 1997.
#include "collide/contact.h"

#include <float.h>

enum { MOST_TERMS = 192 }; // 6 products of 3 differences, 8 products of doubles each, 4 terms

typedef struct expansion {
    double term[MOST_TERMS];
    int count;
} expansion;

// a + b = sum + error, exactly.
static double add_exactly(double a, double b, double *error)
{
    double sum = a + b, virtual = sum - a;
    *error = (a - (sum - virtual)) + (b - virtual);
    return sum;
}

// One more number; the terms stay in order of magnitude and do not overlap.
static void grow(expansion *e, double b)
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

// The product of three doubles, added exactly: at most four terms.
static void grow_by_product(expansion *e, double a, double b, double c)
{
    double ab = a * b, ab_error = fma(a, b, -ab);
    double high = ab * c, low = ab_error * c;
    grow(e, fma(ab_error, c, -low));
    grow(e, low);
    grow(e, fma(ab, c, -high));
    grow(e, high);
}

static int sign_of(double a)
{
    return (a > 0) - (a < 0);
}

// Differences are two doubles each: [axis][high, low].
typedef struct difference {
    double part[3][2];
} difference;

static difference subtract_exactly(fm_vec3 a, fm_vec3 b)
{
    difference d;
    d.part[0][0] = add_exactly(a.x, -b.x, &d.part[0][1]);
    d.part[1][0] = add_exactly(a.y, -b.y, &d.part[1][1]);
    d.part[2][0] = add_exactly(a.z, -b.z, &d.part[2][1]);
    return d;
}

static int orient_exactly(fm_vec3 a, fm_vec3 b, fm_vec3 c, fm_vec3 d)
{
    static const int even[3][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}};
    difference p = subtract_exactly(a, d), q = subtract_exactly(b, d), r = subtract_exactly(c, d);
    expansion sum = {.count = 0};
    for (int k = 0; k < 3; k++) {
        const int *axis = even[k];
        for (int parts = 0; parts < 8; parts++) {
            double x = p.part[axis[0]][parts & 1];
            double y = q.part[axis[1]][parts >> 1 & 1], z = r.part[axis[2]][parts >> 2];
            grow_by_product(&sum, x, y, z);
            y = q.part[axis[2]][parts >> 1 & 1], z = r.part[axis[1]][parts >> 2];
            grow_by_product(&sum, -x, y, z);
        }
    }
    return sum.count > 0 ? sign_of(sum.term[sum.count - 1]) : 0;
}

static int orient(fm_vec3 a, fm_vec3 b, fm_vec3 c, fm_vec3 d)
{
    fm_vec3 p = fm_sub(a, d), q = fm_sub(b, d), r = fm_sub(c, d);
    double x = q.y * r.z - q.z * r.y, y = q.z * r.x - q.x * r.z, z = q.x * r.y - q.y * r.x;
    double value = p.x * x + p.y * y + p.z * z;
    double size = fabs(p.x) * (fabs(q.y * r.z) + fabs(q.z * r.y)) +
                  fabs(p.y) * (fabs(q.z * r.x) + fabs(q.x * r.z)) +
                  fabs(p.z) * (fabs(q.x * r.y) + fabs(q.y * r.x));
    if (fabs(value) > 8 * DBL_EPSILON * size) // [S97] has 3.5 for this
        return sign_of(value);
    return orient_exactly(a, b, c, d);
}

static bool goes_through(fm_contact_axes x, const int e[2], const int t[3])
{
    fm_vec3 p = fm_contact_at(x, e[0]), q = fm_contact_at(x, e[1]);
    fm_vec3 a = fm_contact_at(x, t[0]), b = fm_contact_at(x, t[1]), c = fm_contact_at(x, t[2]);
    int side = orient(a, b, c, p), other = orient(a, b, c, q);
    if (side * other > 0 || (side == 0 && other == 0))
        return false;
    int u = orient(p, q, a, b), v = orient(p, q, b, c), w = orient(p, q, c, a);
    return (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
}

typedef struct count_job {
    const fm_contact_set *set;
    const fm_contact_body *body; // whose triangles are visited
    fm_contact_axes x;
    const int *edge;
    fm_box box;
    int count;
    bool *marked;
} count_job;

static void visit(void *context, int first, int count)
{
    count_job *job = context;
    const int *e = job->edge;
    for (int i = first; i < first + count; i++) {
        int triangle = job->body->first_triangle + job->body->tree.items[i];
        const int *t = job->set->triangle[triangle];
        bool shared = false;
        for (int k = 0; k < 3; k++)
            shared = shared || t[k] == e[0] || t[k] == e[1];
        if (shared || !fm_box_meets(&job->box, &job->set->boxes[triangle], 0) ||
            !goes_through(job->x, e, t))
            continue;
        job->count++;
        if (!job->marked)
            continue;
        job->marked[e[0]] = job->marked[e[1]] = true;
        for (int k = 0; k < 3; k++)
            job->marked[t[k]] = true;
    }
}

static fm_box enclose(fm_contact_axes x, const int *vertices, int count)
{
    fm_box box = fm_box_empty();
    for (int i = 0; i < count; i++)
        fm_box_add(&box, fm_contact_at(x, vertices[i]));
    return box;
}

void fm_contact_box_triangles(fm_contact_set *set, fm_contact_axes x)
{
    for (int t = 0; t < set->triangle_count; t++)
        set->boxes[t] = enclose(x, set->triangle[t], 3);
}

void fm_contact_fit_boxes(fm_contact_set *set, fm_contact_axes x)
{
    fm_contact_box_triangles(set, x);
    for (int s = 0; s < set->body_count; s++)
        fm_tree_refit(&set->bodies[s].tree, set->boxes + set->bodies[s].first_triangle);
}

int fm_contact_count_intersections(fm_contact_set *set, fm_contact_axes x, bool *marked)
{
    count_job job = {.set = set, .x = x, .marked = marked};
    fm_contact_fit_boxes(set, x);
    for (int e = 0; e < set->edge_count; e++) {
        job.edge = set->edge[e];
        job.box = enclose(x, job.edge, 2);
        bool kinematic = set->bodies[set->body_of[job.edge[0]]].kinematic;
        for (int s = 0; s < set->body_count; s++) {
            job.body = &set->bodies[s];
            if (!kinematic || !job.body->kinematic)
                fm_tree_visit(&job.body->tree, &job.box, 0, visit, &job);
        }
    }
    return job.count;
}
