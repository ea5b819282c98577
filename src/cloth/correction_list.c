// SPDX-License-Identifier: MIT
// correction_list.c: computes the ordered list of springs to correct, [OZG13] algorithm 3, for a
// given set of fixed particles.
//
// All fixed particles enter a queue. Each particle taken from the queue is expanded along its
// horizontal springs, then its vertical springs downwards, then its shear springs downwards (or in
// another order of these three classes). Each such spring is appended to the list and its far end
// to the queue, unless that end was reached `visits` times before. Springs without a common
// particle are then collected in groups that can be corrected in parallel and give the same result
// as the list in its order.
#include "cloth/correction_map.h"

#include <math.h>
#include <string.h>

// Classes of links that the published list follows in turn.
enum { NOT_FOLLOWED = -1, HORIZONTAL = 0, VERTICAL = 1, SHEAR = 2 };

// The class of link k from a particle; NOT_FOLLOWED if the link points against the direction, or is
// no edge. FM_ALONG_ROWS classifies by rows; otherwise the angle between the link, as created, and
// the direction decides. A direction of 0 counts as an angle of 90 degrees.
static int classify_link(const fm_cloth *c, int from, int k, fm_vec3 direction)
{
    static const int by_rows[] = {[FM_LINK_ACROSS] = HORIZONTAL,     [FM_LINK_DOWN] = VERTICAL,
                                  [FM_LINK_UP] = NOT_FOLLOWED,       [FM_LINK_SHEAR_DOWN] = SHEAR,
                                  [FM_LINK_SHEAR_UP] = NOT_FOLLOWED, [FM_LINK_EDGE] = NOT_FOLLOWED,
                                  [FM_LINK_OVER_EDGE] = NOT_FOLLOWED};
    const fm_particle_graph *g = &c->enforcer->graph;
    fm_link_kind kind = (fm_link_kind)g->kind[k];
    if (kind == FM_LINK_OVER_EDGE)
        return NOT_FOLLOWED;
    if (c->def.enforcement.direction == FM_ALONG_ROWS && kind != FM_LINK_EDGE)
        return by_rows[kind];
    fm_vec3 edge = fm_sub(c->initial_x[g->to[k]], c->initial_x[from]);
    double cosine = fm_dot(edge, direction) / (fm_length(edge) + FM_TINY);
    if (kind == FM_LINK_SHEAR_DOWN || kind == FM_LINK_SHEAR_UP)
        return cosine < -0.3 ? NOT_FOLLOWED : SHEAR;
    if (kind == FM_LINK_EDGE) // sectors of 45 degrees: cosines of 112.5, 67.5 and 22.5 degrees
        return cosine < -0.38  ? NOT_FOLLOWED
               : cosine < 0.38 ? HORIZONTAL
               : cosine > 0.92 ? VERTICAL
                               : SHEAR;
    return fabs(cosine) < 0.5 ? HORIZONTAL : cosine > 0 ? VERTICAL : NOT_FOLLOWED; // 60 degrees
}

// Appends the links of one class from a particle to the list of springs, which has `count` entries,
// and their far ends to the queue, which ends at *tail. Leaves out links whose far end is fixed or
// was reached `visits` times. Returns the new length of the list.
static int append_links(const fm_cloth *c, fm_map_scratch *f, const fm_correction_map *map,
                        int from, int class, fm_vec3 direction, int count, int *tail)
{
    const fm_particle_graph *g = &c->enforcer->graph;
    for (int k = g->start[from]; k < g->start[from + 1]; k++) {
        int to = g->to[k];
        if (map->fixed[to] || f->visits[to] >= c->def.enforcement.visits ||
            classify_link(c, from, k, direction) != class)
            continue;
        f->visits[to]++;
        f->queue[(*tail)++] = to;
        f->a[count] = from;
        f->b[count] = to;
        f->rest[count++] = g->rest[k];
    }
    return count;
}

// Lists springs in the order in which they are corrected, outwards from the fixed particles
// ([OZG13] algorithm 3). Returns their number. direction: unit vector that the list follows.
static int list_springs(const fm_cloth *c, fm_map_scratch *f, const fm_correction_map *map,
                        fm_vec3 direction)
{
    // classes of links in the order of each fm_spring_order
    static const int order[6][3] = {
        {HORIZONTAL, VERTICAL, SHEAR}, {HORIZONTAL, SHEAR, VERTICAL}, {VERTICAL, HORIZONTAL, SHEAR},
        {VERTICAL, SHEAR, HORIZONTAL}, {SHEAR, HORIZONTAL, VERTICAL}, {SHEAR, VERTICAL, HORIZONTAL},
    };
    int head = 0, tail = 0, count = 0;
    memset(f->visits, 0, (size_t)c->count * sizeof(int));
    for (int i = 0; i < c->count; i++) {
        if (map->fixed[i])
            f->queue[tail++] = i;
    }
    while (head < tail) {
        int from = f->queue[head++];
        for (int k = 0; k < 3; k++)
            count = append_links(c, f, map, from, order[c->def.enforcement.order][k], direction,
                                 count, &tail);
    }
    return count;
}

// Sorts the `count` springs of the published list into groups without common particles, by counting
// sort. A spring's group comes after the groups of all earlier springs that share a particle with
// it, so that correcting group by group gives the same result as correcting in order.
static void group_springs(const fm_cloth *c, fm_map_scratch *f, fm_distance_pairs *list, int count)
{
    int levels = 0;
    memset(f->level, 0, (size_t)c->count * sizeof(int));
    for (int e = 0; e < count; e++) {
        int a = f->a[e], b = f->b[e];
        int level = f->level[a] > f->level[b] ? f->level[a] : f->level[b];
        f->edge_level[e] = level;
        f->level[a] = f->level[b] = level + 1;
        levels = level + 1 > levels ? level + 1 : levels;
    }
    memset(list->group, 0, ((size_t)levels + 1) * sizeof(int));
    for (int e = 0; e < count; e++)
        list->group[f->edge_level[e] + 1]++;
    for (int g = 0; g < levels; g++)
        list->group[g + 1] += list->group[g];
    memcpy(f->fill, list->group, ((size_t)levels + 1) * sizeof(int));
    for (int e = 0; e < count; e++) {
        int at = f->fill[f->edge_level[e]]++;
        list->a[at] = f->a[e];
        list->b[at] = f->b[e];
        list->rest[at] = f->rest[e];
    }
    list->count = count;
    list->group_count = levels;
}

void fm_correction_map_compute_list(const fm_cloth *c, fm_correction_map *map, fm_vec3 direction)
{
    fm_map_scratch *f = c->enforcer->scratch;
    group_springs(c, f, &map->list, list_springs(c, f, map, direction));
}
