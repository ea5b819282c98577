// SPDX-License-Identifier: MIT
// tangles.c: surfaces that are through each other already: let go, and led out of solids.
//
// After a pinch, or in a scene that starts so, some edges stand in triangles. There the side that
// a feature is on means nothing, and holding it there would keep the tangle: pairs between
// vertices of intersecting features are loose, not tested and not pushed. Only what lies behind a
// triangle of a solid is pushed, to the outside. When the last intersection is gone, all is held
// again.
#include "collide/contact.h"

#include <string.h>

void fm_tangles_find(fm_contact_set *set, fm_contact_report *report)
{
    memset(set->tangled, 0, (size_t)set->vertex_count * sizeof *set->tangled);
    report->intersection_count = fm_contact_count_intersections(set, set->x0, set->tangled);
    set->is_tangled = report->intersection_count > 0;
}

static bool is_solid(const fm_contact_set *set, int v)
{
    return set->bodies[set->body_of[v]].solid;
}

// A vertex of something else, seen from the back of a triangle of a solid that its foot falls into.
static bool is_behind(const fm_contact_set *set, const fm_near_pair *pair, fm_vec3 *outward)
{
    double s = pair->s, t = pair->t;
    if (!is_solid(set, pair->v[1]) || is_solid(set, pair->v[0]) || s < 1e-3 || t < 1e-3 ||
        s + t > 1 - 1e-3)
        return false;
    fm_vec3 a = fm_contact_at(set->from, pair->v[1]);
    *outward = fm_cross(fm_sub(fm_contact_at(set->from, pair->v[2]), a),
                        fm_sub(fm_contact_at(set->from, pair->v[3]), a));
    return fm_make_unit(outward) && fm_dot(*outward, pair->n) < 0;
}

// Each side has a tangled vertex, or is a solid.
static bool is_between_tangled(const fm_contact_set *set, fm_feature_kind kind,
                               const fm_near_pair *pair)
{
    bool side[2] = {is_solid(set, pair->v[0]), is_solid(set, pair->v[2])};
    int first_count = kind == FM_VERTEX_TRIANGLE ? 1 : 2;
    for (int i = 0; i < 4; i++)
        side[i >= first_count] |= set->tangled[pair->v[i]];
    return side[0] && side[1];
}

// A loose pair without a normal is not pushed: its closest points never lack any distance.
static void loosen_list(fm_contact_set *set, fm_feature_kind kind, fm_near_list *near)
{
    for (int k = 0; k < near->count; k++) {
        fm_near_pair *pair = &near->pairs[k];
        fm_vec3 outward;
        if (!is_between_tangled(set, kind, pair))
            continue;
        pair->loose = true;
        near->stale = -INFINITY;
        if (kind == FM_VERTEX_TRIANGLE && is_behind(set, pair, &outward)) {
            pair->n = outward;
        } else {
            pair->n = (fm_vec3){0, 0, 0};
            pair->given_up = true;
        }
    }
}

void fm_tangles_loosen(fm_contact_set *set)
{
    fm_vec3 outward;
    for (int b = 0; b < set->block_count; b++) {
        const fm_near_list *near = &set->blocks[b].near[FM_VERTEX_TRIANGLE];
        for (int k = 0; k < near->count; k++) {
            if (is_behind(set, &near->pairs[k], &outward))
                set->tangled[near->pairs[k].v[0]] = true;
        }
    }
    for (int b = 0; b < set->block_count; b++) {
        loosen_list(set, FM_VERTEX_TRIANGLE, &set->blocks[b].near[FM_VERTEX_TRIANGLE]);
        loosen_list(set, FM_EDGE_EDGE, &set->blocks[b].near[FM_EDGE_EDGE]);
    }
}
