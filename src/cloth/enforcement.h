// SPDX-License-Identifier: MIT
// enforcement.h: constraint projection of edge lengths (strain limiting). Part of cloth.h.
#ifndef FATHOM_CLOTH_ENFORCEMENT_H
#define FATHOM_CLOTH_ENFORCEMENT_H

#include "collide/collide.h"
#include "core/core.h"

#include <fathom/cloth.h>

typedef struct fm_substep fm_substep;

// Pairs of particles with a limited distance, in groups: within one group, no particle occurs in
// two pairs, so that the pairs of a group can be corrected in parallel.
typedef struct fm_distance_pairs {
    int *a, *b;   // the two particles of each pair
    double *rest; // m, distance at rest, along the cloth
    int *group;   // [group_count + 1] index of the first pair of each group
    int count, group_count;
} fm_distance_pairs;

// How two neighbouring particles of the graph are connected.
typedef enum fm_link_kind {
    FM_LINK_ACROSS, // along a row
    FM_LINK_DOWN,   // along a column, to the next row
    FM_LINK_UP,     // along a column, to the previous row
    FM_LINK_SHEAR_DOWN,
    FM_LINK_SHEAR_UP,
    FM_LINK_EDGE,      // an edge of a mesh
    FM_LINK_OVER_EDGE, // between the corners opposite to a shared edge; not an edge itself
} fm_link_kind;

// Adjacency lists of the particles, with distances at rest.
typedef struct fm_particle_graph {
    int *start, *to;     // neighbours of particle i: to[start[i]] to to[start[i + 1] - 1]
    double *rest;        // m, length of each link
    unsigned char *kind; // fm_link_kind
    int max_links;       // the largest number of links at one particle
} fm_particle_graph;

enum {
    FM_PAIR_LEVELS_MAX = 4, // levels of distance pairs on a tube or mesh
    FM_TETHERS_MAX = 4,     // tethers (long-range attachments) per particle
    FM_MAPS_MAX = 9,        // one for pins and contacts, and eight that colliders switch on
    FM_MAP_COLLIDERS_MAX = 8,
};

// The corrections that enforcement makes while a given set of particles is fixed.
typedef struct fm_correction_map {
    unsigned char *fixed; // 1 for a fixed particle, else 0
    int fixed_count;
    int *tether_anchor; // [FM_TETHERS_MAX][lanes] fixed particle at the other end; own index: none
    double *tether_length;  // [FM_TETHERS_MAX][lanes] m, along the cloth at rest; INFINITY: none
    fm_distance_pairs list; // the ordered edges of FM_ENFORCE_PUBLISHED
    double *rank;           // when a particle is corrected, from 0 (fixed, or first) to 1 (last)
    const fm_collider *colliders[FM_MAP_COLLIDERS_MAX]; // the map is used while all of these touch
    int collider_count;
} fm_correction_map;

// Enforcement: constraint projection of edge lengths (strain limiting); see strain_limiting.c.
typedef struct fm_enforcer {
    fm_correction_map maps[FM_MAPS_MAX];
    int map_count;
    int level_count; // distances are limited over 1, 2, 4, ... 2^(level_count - 1) cells
    fm_particle_graph graph;
    fm_distance_pairs pair_levels[FM_PAIR_LEVELS_MAX]; // of a tube or mesh; level 0: the edges
    double *mobility;               // 1/kg, across the normal; 0 for pinned particles
    double *mobility_difference;    // 1/kg, mobility along the normal minus across it; <= 0
    bool anisotropic;               // mobility_difference is in use
    unsigned char *fixed;           // scratch: 1 for a particle that is fixed now
    fm_vec3_array before;           // scratch, m: positions before a correction
    fm_vec3_array anchor_x;         // scratch, m: positions of the tethers' anchors
    fm_vec3_array correction;       // scratch, m/s: velocity change in this substep
    struct fm_map_scratch *scratch; // arrays for computing maps

    // state, saved in snapshots
    int current;           // index of the map in use
    int substeps_to_check; // substeps until the set of fixed particles is determined again
    fm_vec3 direction;     // unit vector for which the list of map 0 was computed
    int map_update_count;  // how often map 0 was computed since the cloth was created
    // m/s, velocity change by enforcement that is expected in the next opening half step. v
    // contains it at the end of a substep; see strain_limiting.c.
    fm_vec3_array expected;

    // ms, time spent on corrections and on computing maps in this advance; not part of the state
    double enforce_ms, order_ms;
} fm_enforcer;

// strain_limiting.c
bool fm_enforcer_create(fm_cloth *cloth, fm_error *err);
// Corrects edge lengths: moves x, and changes v by the displacement over h.
void fm_substep_enforce_lengths(fm_substep *s);
// Add the expected half of the next velocity change to v at the end of a substep, and remove it at
// the beginning of the next one.
void fm_enforcer_add_expected(fm_substep *s);
void fm_enforcer_remove_expected(fm_cloth *cloth);

// correction_map_selection.c: computes all maps before the first substep, with the particles pinned
// at that time.
void fm_enforcer_initialize_maps(fm_cloth *cloth, const fm_surroundings *around);
// Computes all maps: map 0 from its present set of fixed particles, the others with the pins added.
void fm_enforcer_compute_maps(fm_cloth *cloth);
// Determines which particles are fixed now and selects the current map.
void fm_enforcer_update_maps(fm_substep *s);

// constraint_projection.c changes positions only.

// Projects all edges over 2^n cells of a sheet, or all distance pairs of level n of a tube or mesh,
// once. compression: also lengthens edges that are too short.
void fm_enforcer_project_edges(fm_cloth *cloth, fm_pool *pool, int n, bool compression);
// Projects the edges of a list in order; only the second particle of each moves.
void fm_enforcer_project_list(fm_cloth *cloth, const fm_distance_pairs *list);
// Moves particles that are farther from their anchors than their tethers are long.
void fm_enforcer_project_tethers(fm_cloth *cloth, fm_pool *pool);

// particle_graph.c, pair_levels.c: both allocate in the cloth's arena and return false if memory
// runs out.
bool fm_particle_graph_create(fm_cloth *cloth, fm_particle_graph *graph, fm_error *err);
bool fm_enforcer_create_pair_levels(fm_cloth *cloth, fm_enforcer *enforcer, fm_error *err);

// correction_map.c: allocates the arrays of a map, and the scratch that computing maps needs.
bool fm_correction_map_create(fm_cloth *cloth, fm_correction_map *map, fm_error *err);
bool fm_map_scratch_create(fm_cloth *cloth, fm_error *err);
// Computes tethers or the edge list from map->fixed. direction: unit vector for the edge list.
void fm_correction_map_compute(const fm_cloth *cloth, fm_correction_map *map, fm_vec3 direction);

#endif
