// SPDX-License-Identifier: MIT
// tangles.c: surfaces that are through each other already: let go, and led out of solids.
//
// After a pinch, or in a scene that starts so, some edges stand in triangles. There the side that
// a feature is on means nothing, and holding it there would keep the tangle: pairs between
// vertices of intersecting features are loose, neither pushed nor tested. Only what lies behind a
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

// A vertex with a mass, seen from the back of a triangle of a solid that its foot falls into.
static bool is_behind(const fm_contact_set *set, const fm_near_pair *pair, fm_vec3 *outward)
{
    if (pair->kind != FM_VERTEX_TRIANGLE || !is_solid(set, pair->v[1]) || is_solid(set, pair->v[0]))
        return false;
    for (int i = 1; i < 4; i++) {
        if (pair->w[i] > -1e-3)
            return false;
    }
    fm_vec3 a = fm_contact_at(set->from, pair->v[1]);
    *outward = fm_cross(fm_sub(fm_contact_at(set->from, pair->v[2]), a),
                        fm_sub(fm_contact_at(set->from, pair->v[3]), a));
    return fm_make_unit(outward) && fm_dot(*outward, pair->n) < 0;
}

// Each side has a tangled vertex, or the one is a solid.
static bool is_between_tangled(const fm_contact_set *set, const fm_near_pair *pair)
{
    bool side[2] = {is_solid(set, pair->v[0]), is_solid(set, pair->v[2])};
    int first_count = pair->kind == FM_VERTEX_TRIANGLE ? 1 : 2;
    for (int i = 0; i < 4; i++)
        side[i >= first_count] |= set->tangled[pair->v[i]];
    return side[0] && side[1];
}

void fm_tangles_loosen(fm_contact_set *set)
{
    fm_vec3 outward;
    for (int b = 0; b < set->block_count; b++) {
        for (int k = 0; k < set->blocks[b].near_count; k++) {
            const fm_near_pair *pair = &set->blocks[b].near[k];
            if (is_behind(set, pair, &outward))
                set->tangled[pair->v[0]] = true;
        }
    }
    for (int b = 0; b < set->block_count; b++) {
        for (int k = 0; k < set->blocks[b].near_count; k++) {
            fm_near_pair *pair = &set->blocks[b].near[k];
            if (!is_between_tangled(set, pair))
                continue;
            pair->loose = true;
            if (is_behind(set, pair, &outward)) {
                pair->n = outward;
                pair->target = -pair->start + set->push_share * (pair->start + pair->thickness);
            } else {
                pair->target = -INFINITY;
            }
        }
    }
}
