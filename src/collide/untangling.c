// SPDX-License-Identifier: MIT
// untangling.c: treatment of surfaces that already intersect: released, and pushed out of solids.
//
// After a pinch, or if a scene starts intersected, some edges pass through triangles. The side on
// which a feature is has no meaning there, and holding it would keep the tangle. So pairs between
// vertices of intersecting features are released: neither tested for impacts nor repelled. The
// exception is a vertex behind a triangle of a solid, which is pushed to the outside. When the last
// intersection is gone, all pairs are handled normally again.
#include "collide/contact.h"

#include <string.h>

// barycentric coordinate below which a projection counts as on the border of a triangle
static const double BORDER = 1e-3;

// Counts the intersections at the start of the step and marks the vertices of intersecting features
// as tangled.
void fm_untangling_find_intersections(fm_contact_set *set, fm_contact_report *report)
{
    memset(set->tangled, 0, (size_t)set->vertex_count * sizeof *set->tangled);
    report->intersection_count = fm_contact_count_intersections(set, set->x0, set->tangled);
    set->is_tangled = report->intersection_count > 0;
}

// True if vertex v belongs to a solid: a closed kinematic surface.
static bool is_solid(const fm_contact_set *set, int v)
{
    return set->bodies[set->body_of[v]].solid;
}

// True if the vertex of a pair is behind a triangle of a solid, and its projection falls inside
// that triangle. outward: unit normal of the triangle.
static bool is_behind_solid(const fm_contact_set *set, const fm_near_pair *pair, fm_vec3 *outward)
{
    double s = pair->s, t = pair->t;
    if (!is_solid(set, pair->v[1]) || is_solid(set, pair->v[0]) || s < BORDER || t < BORDER ||
        s + t > 1 - BORDER)
        return false;
    fm_vec3 a = fm_vec3_array_at(set->from, pair->v[1]);
    *outward = fm_cross(fm_sub(fm_vec3_array_at(set->from, pair->v[2]), a),
                        fm_sub(fm_vec3_array_at(set->from, pair->v[3]), a));
    return fm_normalize(outward) && fm_dot(*outward, pair->n) < 0;
}

// True if each feature of the pair has a tangled vertex (one in an intersection) or belongs to a
// solid.
static bool is_between_tangled(const fm_contact_set *set, fm_feature_kind kind,
                               const fm_near_pair *pair)
{
    bool tangled[2] = {is_solid(set, pair->v[0]), is_solid(set, pair->v[2])}; // for each feature
    int first_count = kind == FM_VERTEX_TRIANGLE ? 1 : 2;
    for (int i = 0; i < 4; i++)
        tangled[i >= first_count] |= set->tangled[pair->v[i]];
    return tangled[0] && tangled[1];
}

// Releases the pairs between tangled features: they are not tested for impacts. A vertex behind a
// triangle of a solid gets the outward normal, which pushes it out. Other pairs get a zero normal,
// which pushes nothing.
static void release_list(fm_contact_set *set, fm_feature_kind kind, fm_near_list *near)
{
    for (int k = 0; k < near->count; k++) {
        fm_near_pair *pair = &near->pairs[k];
        fm_vec3 outward;
        if (!is_between_tangled(set, kind, pair))
            continue;
        pair->released = true;
        near->valid_until = -INFINITY;
        if (kind == FM_VERTEX_TRIANGLE && is_behind_solid(set, pair, &outward)) {
            pair->n = outward;
        } else {
            pair->n = (fm_vec3){0, 0, 0};
            pair->given_up = true;
        }
    }
}

// Marks vertices behind a triangle of a solid as tangled, then releases all near pairs between
// tangled features.
void fm_untangling_release_pairs(fm_contact_set *set)
{
    fm_vec3 outward;
    for (int b = 0; b < set->block_count; b++) {
        const fm_near_list *near = &set->blocks[b].near[FM_VERTEX_TRIANGLE];
        for (int k = 0; k < near->count; k++) {
            if (is_behind_solid(set, &near->pairs[k], &outward))
                set->tangled[near->pairs[k].v[0]] = true;
        }
    }
    for (int b = 0; b < set->block_count; b++) {
        release_list(set, FM_VERTEX_TRIANGLE, &set->blocks[b].near[FM_VERTEX_TRIANGLE]);
        release_list(set, FM_EDGE_EDGE, &set->blocks[b].near[FM_EDGE_EDGE]);
    }
}
