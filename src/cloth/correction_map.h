// SPDX-License-Identifier: MIT
// correction_map.h: scratch arrays and the two parts of computing a correction map: tethers
// (tethers.c) and the ordered list of springs of [OZG13] (correction_list.c).
#ifndef FM_CORRECTION_MAP_H
#define FM_CORRECTION_MAP_H

#include "cloth/cloth.h"

// A path along the cloth from an anchor (a fixed particle) in an island to a particle.
typedef struct path {
    double length; // m
    int particle, anchor, island;
} path;

// Arrays for computing a map.
typedef struct fm_map_scratch {
    path *heap;         // binary heap of paths, the shortest first
    int heap_count;     // number of paths in the heap
    int *queue;         // particles that have been reached and not yet expanded
    int *visits;        // [count] how often the published list has reached a particle
    int *level;         // [count] first group in which a particle may be corrected next
    int *island;        // [count] island of each fixed particle
    int *tether_count;  // [count] tethers of each particle
    int *tether_island; // [FM_TETHERS_MAX][count] island of the anchor of each tether
    path *shortest;     // [count][FM_TETHERS_MAX] shortest path in the heap to each island
    int *a, *b;         // ends of the springs of the published list, before grouping
    double *rest;       // m, rest lengths of the springs of the published list
    int *edge_level;    // groups of the springs of the published list
    int *fill;          // next free entry of each group
} fm_map_scratch;

// tethers.c: computes the tethers of every particle from map->fixed.
void fm_correction_map_compute_tethers(const fm_cloth *c, fm_correction_map *map);

// correction_list.c: computes the ordered list of springs from map->fixed. direction: unit vector
// that the list follows.
void fm_correction_map_compute_list(const fm_cloth *c, fm_correction_map *map, fm_vec3 direction);

#endif
