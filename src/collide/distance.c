// SPDX-License-Identifier: MIT
// distance.c: how near features that share no vertex come: for reports, beside the step's lists.
#include "collide/contact.h"

typedef struct distance_job {
    const fm_contact_set *set;
    fm_contact_axes x;
    int triangle, body, other; // at hand; whose it is; whose tree is searched
    double least;              // m, so far
} distance_job;

static void try_pair(distance_job *job, fm_feature_kind kind, int v0, int v1, int v2, int v3)
{
    if (v0 == v2 || v0 == v3 || v1 == v2 || v1 == v3 || v0 == v1)
        return;
    fm_vec3 p[4] = {fm_contact_at(job->x, v0), fm_contact_at(job->x, v1), fm_contact_at(job->x, v2),
                    fm_contact_at(job->x, v3)};
    job->least = fm_smaller(job->least, fm_closest_points(kind, p).distance);
}

static void try_triangles(distance_job *job, const int p[3], const int q[3])
{
    for (int i = 0; i < 3; i++) {
        try_pair(job, FM_VERTEX_TRIANGLE, p[i], q[0], q[1], q[2]);
        try_pair(job, FM_VERTEX_TRIANGLE, q[i], p[0], p[1], p[2]);
        for (int k = 0; k < 3; k++)
            try_pair(job, FM_EDGE_EDGE, p[i], p[(i + 1) % 3], q[k], q[(k + 1) % 3]);
    }
}

static void visit(void *context, int first, int count)
{
    distance_job *job = context;
    const fm_contact_set *set = job->set;
    const fm_contact_body *other = &set->bodies[job->other];
    for (int i = first; i < first + count; i++) {
        int triangle = other->first_triangle + other->tree.items[i];
        if (fm_box_meets(&set->boxes[job->triangle], &set->boxes[triangle], job->least))
            try_triangles(job, set->triangle[job->triangle], set->triangle[triangle]);
    }
}

double fm_contact_find_closest(fm_contact_set *set, fm_contact_axes x, double reach)
{
    distance_job job = {.set = set, .x = x, .least = reach};
    fm_contact_fit_boxes(set, x);
    for (job.triangle = 0; job.triangle < set->triangle_count; job.triangle++) {
        job.body = set->body_of[set->triangle[job.triangle][0]];
        for (job.other = job.body; job.other < set->body_count; job.other++) {
            const fm_contact_body *body = &set->bodies[job.body], *other = &set->bodies[job.other];
            if (!body->kinematic || !other->kinematic)
                fm_tree_visit(&other->tree, &set->boxes[job.triangle], job.least, visit, &job);
        }
    }
    return job.least;
}
