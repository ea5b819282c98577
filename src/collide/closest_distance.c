// SPDX-License-Identifier: MIT
// closest_distance.c: least distance of two features without a common vertex, over all surfaces of
// a contact set. Used for reports; independent of the candidate lists of the step.
#include "collide/contact.h"

// Search for the least distance of two features, one triangle after another.
typedef struct distance_job {
    const fm_contact_set *set;
    fm_vec3_array x;           // m, vertex positions
    int triangle, body, other; // current triangle; its body; the body whose tree is searched
    double least;              // m, least distance found so far
} distance_job;

// Lowers job->least if the feature pair of vertices v0 to v3 is nearer. Pairs with a common vertex
// are ignored.
static void try_pair(distance_job *job, fm_feature_kind kind, int v0, int v1, int v2, int v3)
{
    if (fm_contact_shares_vertex(job->set->joint, kind, v0, v1, v2, v3))
        return;
    fm_vec3 p[4] = {fm_vec3_array_at(job->x, v0), fm_vec3_array_at(job->x, v1),
                    fm_vec3_array_at(job->x, v2), fm_vec3_array_at(job->x, v3)};
    job->least = fm_double_min(job->least, fm_feature_find_closest(kind, p).distance);
}

// Tries all vertex-triangle and edge-edge pairs of two triangles. p, q: their vertices.
static void try_triangles(distance_job *job, const int p[3], const int q[3])
{
    for (int i = 0; i < 3; i++) {
        if (fm_contact_is_triangle(q))
            try_pair(job, FM_VERTEX_TRIANGLE, p[i], q[0], q[1], q[2]);
        if (fm_contact_is_triangle(p))
            try_pair(job, FM_VERTEX_TRIANGLE, q[i], p[0], p[1], p[2]);
        for (int k = 0; k < 3; k++)
            try_pair(job, FM_EDGE_EDGE, p[i], p[(i + 1) % 3], q[k], q[(k + 1) % 3]);
    }
}

// Called by the tree search with a range of near triangles: compares them with job->triangle.
static void visit_triangles(void *context, int first, int count)
{
    distance_job *job = context;
    const fm_contact_set *set = job->set;
    const fm_contact_body *other = &set->bodies[job->other];
    for (int i = first; i < first + count; i++) {
        int triangle = other->first_triangle + other->tree.items[i];
        if (fm_bounds_overlap(&set->boxes[job->triangle], &set->boxes[triangle], job->least))
            try_triangles(job, set->triangle[job->triangle], set->triangle[triangle]);
    }
}

// Least distance of two features without a common vertex at positions x, m; `reach` if all are
// further apart. Pairs of two kinematic surfaces are ignored.
double fm_contact_find_least_distance(fm_contact_set *set, fm_vec3_array x, double reach)
{
    distance_job job = {.set = set, .x = x, .least = reach};
    fm_contact_refit_trees(set, x);
    for (job.triangle = 0; job.triangle < set->triangle_count; job.triangle++) {
        job.body = set->body_of[set->triangle[job.triangle][0]];
        for (job.other = job.body; job.other < set->body_count; job.other++) {
            const fm_contact_body *body = &set->bodies[job.body], *other = &set->bodies[job.other];
            if (!body->kinematic || !other->kinematic)
                fm_bvh_visit(&other->tree, &set->boxes[job.triangle], job.least, visit_triangles,
                             &job);
        }
    }
    return job.least;
}
