// SPDX-License-Identifier: MIT
// contact.h: contact between triangle meshes, lines and points: definition, step, and the internal
// data structures of the step.
//
// A contact set holds several meshes, called surfaces. Dynamic surfaces (cloth, ropes) have an
// inverse mass at every vertex; the motion of kinematic surfaces (colliders, figures) is
// prescribed. A step takes positions at its start, which are free of intersections, and target
// positions at its end. It changes the target positions and the velocities so that no feature
// passes through another one between start and end.
#ifndef FATHOM_COLLIDE_CONTACT_H
#define FATHOM_COLLIDE_CONTACT_H

#include "core/core.h"
#include "geometry/geometry.h"
#include "motion/motion.h"

#include <math.h>
#include <string.h>

// Definition of one surface. fm_contact_create copies it.
typedef struct fm_contact_surface {
    const char *name; // for error messages
    // Positions at creation: the bounding volume tree and the heights of the triangles come from
    // them. All faces are triangles. Points in no line and no face take part if the surface is
    // dynamic.
    fm_mesh_view mesh;
    // 1/kg, [vertex]; 0: pinned, the caller moves it. NULL: kinematic, or set later (see dynamic)
    const double *inverse_mass;
    bool dynamic; // the caller sets the inverse masses before every step; inverse_mass is NULL here
    double thickness; // m, > 0; two surfaces repel each other below the mean of their thicknesses
    // m; 0: the thickness. A surface that the caller keeps apart from others itself, by the forces
    // of fm_solver_pairs_evaluate below `thickness`: the step repels it below this distance.
    double guard;
    bool solved;     // fm_solver_pairs_evaluate acts on pairs of such surfaces
    double friction; // Coulomb's coefficient; a pair of surfaces uses the geometric mean of both
    const double *friction_weight; // factors on it at the vertices, kept by the caller; NULL: 1
    // The surface is kinematic and closed, with triangles counterclockwise seen from outside.
    // Vertices left inside it, where colliders squeezed the cloth, are pushed out again.
    bool solid;
    // Number of columns and rows if the mesh is a grid of vertices in row-major order with two
    // triangles per cell; 0: any other mesh. Smooth parts of a grid are proven free of self-contact
    // cheaply (smooth_regions.c).
    int columns, rows;
    bool is_tube; // the last column of the grid is connected to its first
} fm_contact_surface;

// Statistics of one contact step; all counts are for this step only.
typedef struct fm_contact_report {
    int candidate_count; // feature pairs in the candidate list
    int near_count;      // candidate pairs that may come nearer than their thickness
    int impulse_count;   // feature pairs that got a repulsion impulse
    // feature pairs that would still collide after the repulsion pass, found by time of impact
    int hit_count;
    int round_count; // rounds of impulses for the pairs counted in hit_count
    int part_count;  // shorter steps that the step was cut into; 1 for slow motion
    int list_count;  // times that the candidate list was rebuilt
    // parts that were tried again at a quarter of their length
    int shortened_count;
    // the bound on shortened_count was reached: vertices stopped within the step (contact_step.c)
    bool is_halted;
    int cut_count; // vertices whose displacement was too long, or not finite, and was shortened
    int zone_vertex_count; // vertices that moved with a rigid impact zone
    // feature pairs that still collide after impact zones, because prescribed surfaces press them
    // together
    int pinched_count;
    // edges that pass through triangles at the start; counted only in the first step, and after a
    // step with pinched pairs
    int intersection_count;
    bool out_of_memory; // a list could not grow, so pairs may have been missed
} fm_contact_report;

typedef struct fm_contact_set fm_contact_set;

// Returns NULL and fills err on bad values. Candidate lists have room for 24 pairs per triangle and
// grow when more features are close together. The set allocates nothing else after creation.
fm_contact_set *fm_contact_create(const fm_contact_surface *surfaces, int surface_count,
                                  fm_error *err);
void fm_contact_destroy(fm_contact_set *set);

// Vertices a and b of two surfaces are tied to each other and stay at the same place: features at a
// do not collide with features at b.
void fm_contact_join_vertices(fm_contact_set *set, int a, int b);
// The two surfaces do not collide with each other.
bool fm_contact_ignore_pair(fm_contact_set *set, int surface, int other, fm_error *err);

// Vertices are numbered over all surfaces, in the order of the surfaces.
int fm_contact_vertex_count(const fm_contact_set *set);
int fm_contact_first_vertex(const fm_contact_set *set, int surface);

// The caller fills these before a step: positions at its start, target positions at its end,
// velocities (needed only for vertices with a mass; the step computes the others from their
// displacement) and inverse masses, 1/kg.
fm_vec3_array fm_contact_starts(fm_contact_set *set);
fm_vec3_array fm_contact_ends(fm_contact_set *set);
fm_vec3_array fm_contact_velocities(fm_contact_set *set);
double *fm_contact_inverse_masses(fm_contact_set *set);

// A vertex may have a larger mass along one axis, for example the added mass of water along the
// normal of a cloth:
//     M^-1 = a (1 - e e^T) + b e e^T,   a inverse mass, b inverse mass along the unit axis e
// With `use` the caller fills e and b before every step; without it, b = a.
void fm_contact_use_mass_axes(fm_contact_set *set, bool use);
fm_vec3_array fm_contact_mass_axes(fm_contact_set *set);
double *fm_contact_axis_inverse_masses(fm_contact_set *set);

// True if certainly no pair of features comes nearer than its thickness on the straight paths from
// starts to ends. A step would change nothing then, and the caller skips it. Needs neither
// velocities nor masses. If false, the caller has to call fm_contact_step with the same starts and
// ends.
bool fm_contact_is_collision_free(fm_contact_set *set, fm_pool *pool);

// Moves all surfaces from starts to ends in h seconds. If the starts are free of intersections and
// the report counts no pinched pair, then the ends are free of intersections, and so is the path
// between them (piecewise linear where the step was cut into parts). Vertices without mass keep
// their prescribed ends.
void fm_contact_step(fm_contact_set *set, double h, fm_pool *pool, fm_contact_report *report);
// The step polls `stop` between its parts. When the host wants to stop, the step ends early, with
// vertices somewhere between starts and ends.
void fm_contact_set_stop(fm_contact_set *set, fm_stop_request *stop);

// m/s: below it, friction inside an implicit solver grows with the speed. Surfaces that it holds
// creep with less.
static const double FM_CREEP_SPEED = 1e-5;

// Contact inside an implicit solver (solver_pairs.c), before the step and with the same starts. The
// caller fills the starts and guessed ends, then begins; afterwards it evaluates at any positions,
// in the ends, and velocities.
void fm_solver_pairs_begin(fm_contact_set *set, fm_pool *pool);
// Places kinematic surfaces at a fraction of the way from starts to ends; h: s, length of the step.
void fm_solver_pairs_place_kinematic(fm_contact_set *set, double fraction, double h);
// Forces and diagonal blocks of all pairs of solved surfaces in contact. tau: s, the derivative of
// positions with respect to velocities. Returns the number of pairs.
int fm_solver_pairs_evaluate(fm_contact_set *set, double tau, fm_pool *pool);
// Raises solver_stiffness, up to solver_held, at the vertices of the pairs that have passed through
// each other at the last evaluation. Returns the number of vertices at which it has risen.
int fm_solver_pairs_stiffen(fm_contact_set *set);
// solver_out = matrix of the pairs in contact times solver_in.
void fm_solver_pairs_multiply(fm_contact_set *set, fm_pool *pool);

// Discards cached data, so that the next steps depend only on the positions and on the state that
// fm_contact_save writes. `steps`: the number of steps that a candidate list should last.
void fm_contact_restart(fm_contact_set *set, int steps);
// Returns the size needed, in bytes; writes only if `size` is large enough.
size_t fm_contact_save(const fm_contact_set *set, void *buffer, size_t size);
bool fm_contact_restore(fm_contact_set *set, const void *buffer, size_t size, fm_error *err);

// Counts the edges that pass through triangles, over all surfaces. Edge and triangle share no
// vertex, and at most one of them is kinematic. The signs are exact, and the code is independent of
// the step. An edge that touches a triangle counts; an edge in the plane of a triangle does not.
// marked (may be NULL) gets true for the vertices of both.
int fm_contact_count_intersections(fm_contact_set *set, fm_vec3_array x, bool *marked);

// Least distance of two features without a common vertex, m; at most `reach`.
double fm_contact_find_least_distance(fm_contact_set *set, fm_vec3_array x, double reach);

// A pair of features as four points: a vertex and a triangle, or two edges.
typedef enum fm_feature_kind {
    FM_VERTEX_TRIANGLE, // point 0 is the vertex, points 1 2 3 are the triangle
    FM_EDGE_EDGE,       // points 0 1 are the first edge, points 2 3 the second
} fm_feature_kind;

// Closest points of a feature pair. The sum of weight[i] p[i] is the vector between them, from the
// second feature to the first. The weights of the first feature add up to 1, those of the second to
// -1.
typedef struct fm_closest {
    double weight[4];
    fm_vec3 gap; // m, vector between the closest points, from the second feature to the first
    double distance;
} fm_closest;

fm_closest fm_feature_find_closest(fm_feature_kind kind, const fm_vec3 p[4]);

// Closest points of many feature pairs of one kind at once, one pair per SIMD lane. The vector
// between the closest points is gap = r + s a + t b with r = p0 - p2, a = p1 - p0, b = p2 - p3 for
// two edges, and r = p0 - p1, a = p1 - p2, b = p1 - p3 for a vertex and a triangle.
enum { FM_CLOSEST_BATCH = 32 };
typedef struct fm_closest_batch {
    // m, [point][axis][lane]; unused lanes must hold finite numbers, too
    double p[4][3][FM_CLOSEST_BATCH];
    double s[FM_CLOSEST_BATCH], t[FM_CLOSEST_BATCH]; // parameters of the closest points
    double gap[3][FM_CLOSEST_BATCH], distance[FM_CLOSEST_BATCH];
} fm_closest_batch;

// Fills s, t, gap and distance of the first `count` lanes from their points p.
void fm_feature_find_closest_batch(fm_feature_kind kind, fm_closest_batch *batch, int count);

// Time of impact in [0, 1] of two features whose points move straight from `from` to `to`: a lower
// bound of the first time at which they are nearer than `least` m. When it is earlier than that,
// the features are nearer than 1.1 `least` at the returned time. Returns 2 if they never come that
// near. At time 0 they must be further apart than `least`.
double fm_feature_find_impact_time(fm_feature_kind kind, const fm_vec3 from[4], const fm_vec3 to[4],
                                   double least);

// Internal from here on. Vertices, edges and triangles are numbered over all surfaces.

// True for a triangle. A line from a to b is stored as (a, b, b) and a point as (a, a, a). Boxes,
// trees and patches treat all three alike, and names and comments call them triangles.
static inline bool fm_contact_is_triangle(const int v[3])
{
    return v[1] != v[2];
}
// True for a point, stored as (a, a, a).
static inline bool fm_contact_is_point(const int v[3])
{
    return v[0] == v[1] && v[1] == v[2];
}

// True if a feature of the first and one of the second two vertices are the same or tied. For a
// vertex v0 and a triangle v1 v2 v3, that the vertex is at a corner.
static inline bool fm_contact_shares_vertex(const int *joint, fm_feature_kind kind, int v0, int v1,
                                            int v2, int v3)
{
    int a = joint[v0], b = joint[v1], c = joint[v2], d = joint[v3];
    bool first = a == c || a == d;
    return first || (kind == FM_VERTEX_TRIANGLE ? a == b : b == c || b == d);
}

// A surface as the set stores it.
typedef struct fm_contact_body {
    char name[32];
    int first_vertex, vertex_count;
    int first_triangle, triangle_count;
    bool kinematic;                // the motion of the surface is prescribed
    bool solid;                    // kinematic and closed: vertices inside it are pushed out
    double thickness;              // m
    double guard;                  // m, distance below which the step repels it
    bool solved;                   // its owner solves for contact by fm_solver_pairs_evaluate
    double friction;               // Coulomb's coefficient
    const double *friction_weight; // factors on it at the vertices; NULL: 1
    fm_bvh tree; // bounding volume tree over its triangles, numbered within the surface
    int first_patch, patch_count;
    fm_bvh patch_tree; // bounding volume tree over its patches, numbered within the surface
    // For a surface that is a vertex grid: size of its grid of patches. 0: not a grid.
    int patch_columns, patch_rows;
    bool is_tube; // the last column of the grid is connected to its first
    // m, mean distance of neighbouring columns and of neighbouring rows at creation
    double spacing[2];
    // A region of the grid is free of self-contact if its distance ratio, a lower bound of distance
    // in space / distance in the flat grid, is at least this (smooth_regions.c).
    double smooth_ratio;
} fm_contact_body;

enum {
    FM_PATCH_CELLS = 6, // largest number of grid cells along a side of a patch
    // largest number of triangles in a patch of any surface
    FM_PATCH_TRIANGLES = 2 * FM_PATCH_CELLS * FM_PATCH_CELLS,
    FM_PATCH_VERTICES = 3 * FM_PATCH_TRIANGLES,
};

// Positions of a patch's vertices at the start and the end of a step: [start or end][axis][vertex].
typedef double fm_patch_ends[2][3][FM_PATCH_VERTICES];

// A group of neighbouring triangles and their vertices. Its bounding box is in patch_boxes.
typedef struct fm_patch {
    int body;                       // index of its surface in `bodies`
    int first, last;                // range of indices into patch_triangle
    int first_vertex, vertex_count; // range of indices into patch_vertex; row-major in a grid
    int width;                      // vertices in a row of a grid patch; 0: not a grid
    int column, row;                // position in the grid of patches
    // For grids, over start and end of a step: mean edges along rows and along columns, divided by
    // the grid spacings, and their unit normal.
    fm_vec3 row_edge, column_edge, normal;
    double stretch; // largest deviation of a scaled edge from the mean edge, across the normal
    double bend;    // largest deviation of a scaled edge from the mean edge, along the normal
    // lower bound of distance in space / distance in the flat grid, over the square of 2 x 2
    // patches whose first patch this is (smooth_regions.c)
    double ratio;
    fm_vec3 drift; // m, mean displacement of its vertices
    double spread; // m, largest deviation of a vertex's displacement from `drift`; -1: not computed
} fm_patch;

// Two patches that may hold features near each other.
typedef struct fm_patch_pair {
    int a, b; // indices of the patches, a <= b
    int next; // next pair with the same a in the candidate list; -1: last
    // m, how much nearer the patches may come before the candidate list has to be rebuilt
    double slack;
} fm_patch_pair;

// A growing list of patch pairs.
typedef struct fm_patch_pairs {
    fm_patch_pair *pairs;
    int count, capacity;
    bool out_of_memory; // pairs are missing because the list could not grow
} fm_patch_pairs;

// A pair of features that is nearer than its thickness, or may soon be. Normal and closest points
// were computed at an earlier time. They are accurate enough for impulses, and the proof that the
// pair does not collide accepts any plane that separates the features.
typedef struct fm_near_pair {
    fm_vec3 n;   // unit normal, from the second feature to the first
    double s, t; // parameters of the closest points: see fm_near_find_weights
    // m; n, s and t are recomputed when the block's travel (bound on the approach of its features
    // since the list was built) exceeds this
    double valid_until;
    // m; the pair is repelled below thickness, and must never come nearer than min_separation
    double thickness, min_separation;
    int v[4];      // vertices of the first, then of the second feature
    int candidate; // index of the pair in the candidate list
    bool hit;      // the features collide on their path in this part of the step
    // n is the normal at a time of impact, or points out of a solid, so the plane of n need not
    // separate the features at the start
    bool normal_replaced;
    bool released; // both features have a vertex in an intersection: not tested for impacts
    // prescribed motions press the features together: no impulses and no tests in the rest of the
    // step
    bool given_up;
} fm_near_pair;

// Weights w of the four vertices: the vector between the closest points of the pair is the sum of
// w[i] x[v[i]].
static inline void fm_near_find_weights(fm_feature_kind kind, const fm_near_pair *pair, double w[4])
{
    double s = pair->s, t = pair->t;
    bool edges = kind == FM_EDGE_EDGE;
    w[0] = edges ? 1 - s : 1;
    w[1] = edges ? s : s + t - 1;
    w[2] = edges ? t - 1 : -s;
    w[3] = -t;
}

// The near pairs of one patch and one kind of features.
typedef struct fm_near_list {
    fm_near_pair *pairs;
    // indices of the pairs that are nearer than their thickness at the end of the part of the step
    int *touching;
    double valid_until; // m, smallest valid_until of all pairs
    int count, capacity, touching_count;
} fm_near_list;

// Candidate pairs of one kind of features. A block's travel bounds how much two of its features
// have approached since the list was built. A pair whose distance was d when the travel was s needs
// no test until the travel is s + d - thickness. A pair in the near list has recheck_at = infinity.
typedef struct fm_pair_list {
    int *v[4]; // [which of the four vertices][pair]
    // m, travel at which to test the pair again. While the list is being built: largest distance at
    // which the pair enters the list
    double *recheck_at;
    double *thickness; // m, of each pair
    // m, for fm_solver_pairs_evaluate: distance at the start of the step; negative if the first
    // feature was on the negative side of the second; NAN: the side is not known
    float *start;
    double first_recheck; // m, smallest recheck_at of all pairs
    int count, capacity;
} fm_pair_list;

// A pair in contact at an iterate of an implicit solver (solver_pairs.c). Its force on vertex i is
// w[i] times the force on the first feature; its derivative is the matrix
//     w[i] w[j] (stiffness n n^T + friction (1 - n n^T)).
typedef struct fm_solver_pair {
    int v[4];
    float w[4];                // weights of the closest points
    float n[3];                // unit normal, from the second feature to the first
    float push, drag;          // N, force along n; N s/m, friction
    float slide[3];            // m/s, sliding velocity
    float stiffness, friction; // N/m
    bool passed;               // through each other since the start of the step
} fm_solver_pair;

// Candidate pairs of one patch with itself and with patches of higher index.
typedef struct fm_pair_block {
    int first_pair;        // first of this patch's patch pairs in the candidate list; -1: none
    fm_pair_list pairs[2]; // indexed by fm_feature_kind
    fm_near_list near[2];
    // vertices of its pairs, and an open-addressing hash table of them; -1: slot is free
    int *member, *slot;
    int member_count, slot_count;
    // m, upper bound of how much any two of its features have approached since the list was built
    double travel;
    // m, bound on the approach in this part of the step for which the near list is complete
    double allowed_approach;
    double approach;  // m, bound on the actual approach in this part
    int colour;       // two blocks of one colour share no vertex with a mass
    int pushed_count; // pairs that got an impulse in the last pass
    bool open;        // the pairs have to be tested in the current pass over this part of the step
    // m, with vertices at checked_to: smallest excess, over its near pairs, of the separation by
    // the plane of the pair's normal over min_separation
    double margin;
    int hit_count;          // pairs that collide on their paths
    fm_solver_pair *solver; // pairs in contact, for an implicit solver
    int solver_count, solver_capacity;
    bool out_of_memory;
} fm_pair_block;

// Impact zones: sets of vertices that move as one rigid body, stored as a union-find forest.
typedef struct fm_impact_zones {
    int *parent;  // [vertex], -1: in no zone
    int *carrier; // [root] a vertex with prescribed motion that the zone follows; -1: none
    int *member;  // vertices in zones, in the order in which they joined
    int member_count;
    struct fm_impact_zone_member *sorted; // `member`, sorted by the root of the zone
} fm_impact_zones;

enum { FM_CONTACT_COLOURS = 64 }; // one for each bit of fm_contact_set.colours

struct fm_contact_set {
    fm_arena arena;
    fm_stop_request *stop; // callback that asks whether to stop; may be NULL
    fm_contact_body *bodies;
    int body_count;
    int vertex_count, triangle_count, edge_count;

    // Topology and material, fixed at creation.
    int *body_of;       // [vertex] index of its surface in `bodies`
    int (*triangle)[3]; // vertices; lines and points are stored as degenerate triangles
    int (*edge)[2];     // vertices, the smaller index first
    // [triangle] its edges that no earlier triangle has, then -1. Each edge is owned once
    int (*owned_edge)[3];
    int (*owned_vertex)[3]; // [triangle] its vertices that no earlier triangle has, then -1
    int *some_triangle;     // [vertex] one triangle at this vertex; -1: none
    int *joint;             // [vertex] the first of the vertices it is tied to, or itself
    int (*ignored)[2];      // pairs of surfaces that do not collide
    int ignored_count;
    double *height;       // [vertex] m, least height of its triangles and least length of its lines
    double min_thickness; // m, smallest thickness of all surfaces
    double max_thickness; // m, largest thickness of all surfaces
    // m, largest distance beyond the thickness at which a pair enters the candidate list
    double skin;

    // Filled by the caller before a step: positions at its start and its target end, m; velocities,
    // m/s. The step corrects x1 and v.
    fm_vec3_array x0, x1, v;
    double *inverse_mass;      // 1/kg; 0: the motion of the vertex is prescribed
    fm_vec3_array mass_axis;   // unit vectors along which vertices have added mass
    double *axis_inverse_mass; // 1/kg, along mass_axis
    bool has_mass_axes;        // some vertices have a larger mass along mass_axis

    // State of the current part of the step: its start and its end.
    fm_vec3_array from, to;
    fm_vec3_array rate; // m per step, displacement per whole step at the present speed
    fm_vec3_array saved_v, saved_rate; // v and rate at the start of the part, to retry it
    fm_vec3_array checked_to;          // `to` at the last test of the near pairs
    double step_seconds;               // s, length of the step
    int max_shortened;                 // parts that one step may shorten before it is halted
    double parts_per_step;             // step length / length of the current part
    // fraction of the missing distance to the thickness that this part of the step restores
    double push_fraction;

    // Patches (broad phase) and the candidate list.
    fm_bounds *boxes; // [triangle] bounding boxes
    fm_patch *patches;
    fm_bounds *patch_boxes;             // [patch] bounding boxes
    int *patch_triangle, *patch_vertex; // triangles and vertices, grouped by patch
    fm_patch_pairs near_patches; // patch pairs not proven apart over the displacement measured last
    fm_patch_pairs listed_patches; // patch pairs in the candidate list
    fm_pair_block *blocks;         // [patch] candidate and near pairs
    int block_count;
    // Graph colouring: two blocks of one colour share no vertex with a mass, so that threads can
    // apply their impulses at the same time. Blocks that found no free colour have the last one and
    // run one after another.
    uint64_t *colours;                        // [vertex] bit set of the colours of its blocks
    int *by_colour;                           // blocks sorted by colour
    int colour_first[FM_CONTACT_COLOURS + 1]; // where each colour begins in by_colour
    fm_vec3_array list_positions;             // positions when the list was built
    fm_vec3_array list_targets; // target positions of the step in which the list was built
    // factor >= 1 on the number of steps that slacks allow for; grows when a list did not last
    double list_safety;
    // number of steps, with displacements like those in list_targets, for which the list is made
    double list_horizon;
    // m, limits of the slack of a patch pair: how much two patches may approach before the list is
    // out of date
    double min_slack, max_slack;
    int list_steps;       // number of steps that a list should last
    int list_age;         // steps since the list was built
    bool list_made;       // a candidate list exists
    bool restarted;       // the next step has to rebuild its cached data (fm_contact_restart)
    bool step_measured;   // fm_contact_is_collision_free has measured the paths from starts to ends
    bool moved_by_caller; // the caller moved vertices between the last step and this one
    bool list_updated;    // fm_contact_update_list took over the starts of the coming step

    // Of solver_pairs.c. N/m, [vertex], filled by the caller; solver_held: of pairs with kinematic
    // surfaces.
    double *solver_stiffness, *solver_held;
    bool *solver_passed;        // [vertex] scratch of fm_solver_pairs_stiffen
    fm_vec3_array solver_force; // N, [vertex]
    float *solver_diagonal[6];  // N/m, [vertex] diagonal blocks xx, xy, xz, yy, yz, zz
    // [vertex][4] a vector and its product with the matrix; the fourth number is 0
    float *solver_in, *solver_out;

    fm_impact_zones zones;
    bool *pinched;   // [vertex] belongs to a pair that prescribed motions press together
    bool *tangled;   // [vertex] belongs to an intersection, or is inside a solid
    bool is_tangled; // some vertex is tangled
    bool started;    // the positions were checked for intersections once
};

// Puts the positions of four vertices into one SIMD lane of the batch.
static inline void fm_closest_batch_load(fm_closest_batch *batch, int lane, fm_vec3_array x, int a,
                                         int b, int c, int d)
{
    int v[4] = {a, b, c, d};
    for (int i = 0; i < 4; i++) {
        batch->p[i][0][lane] = x.x[v[i]];
        batch->p[i][1][lane] = x.y[v[i]];
        batch->p[i][2][lane] = x.z[v[i]];
    }
}

static inline double fm_contact_vertex_friction(const fm_contact_set *set, int vertex)
{
    const fm_contact_body *body = &set->bodies[set->body_of[vertex]];
    const double *weight = body->friction_weight;
    return weight ? body->friction * weight[vertex - body->first_vertex] : body->friction;
}

// Friction coefficient of a pair: the geometric mean of both surfaces, at the vertex and a corner
// of the triangle, or at the first ends of both edges.
static inline double fm_contact_pair_friction(const fm_contact_set *set, const int v[4])
{
    double a = fm_contact_vertex_friction(set, v[0]), b = fm_contact_vertex_friction(set, v[2]);
    return a == b ? a : sqrt(a * b);
}

// Distance below which the step repels a pair, relative to its thickness.
static inline double fm_contact_guard_share(const fm_contact_set *set, const int v[4])
{
    const fm_contact_body *a = &set->bodies[set->body_of[v[0]]];
    const fm_contact_body *b = &set->bodies[set->body_of[v[2]]];
    return (a->guard + b->guard) / (a->thickness + b->thickness);
}

// Closest points at positions x of up to FM_CLOSEST_BATCH candidate pairs, beginning with pair
// `first`. Returns the number of pairs.
static inline int fm_closest_batch_run(fm_closest_batch *batch, fm_feature_kind kind,
                                       const fm_pair_list *list, int first, fm_vec3_array x)
{
    int count = list->count - first;
    count = count < FM_CLOSEST_BATCH ? count : FM_CLOSEST_BATCH;
    for (int i = 0, k = first; i < count; i++, k++)
        fm_closest_batch_load(batch, i, x, list->v[0][k], list->v[1][k], list->v[2][k],
                              list->v[3][k]);
    fm_feature_find_closest_batch(kind, batch, count);
    return count;
}

// intersections.c: boxes around all triangles at positions x, and the trees over these boxes.
void fm_contact_refit_trees(fm_contact_set *set, fm_vec3_array x);
// The boxes only.
void fm_contact_bound_triangles(fm_contact_set *set, fm_vec3_array x);

// patches.c: broad phase over groups of triangles.
bool fm_patches_create(fm_contact_set *set, const fm_contact_surface *surfaces, fm_error *err);
// Boxes, and the edge statistics for smooth_regions.c, of all patches on straight paths from a to
// b.
void fm_patches_update_bounds(fm_contact_set *set, fm_vec3_array a, fm_vec3_array b, fm_pool *pool);
// Finds the pairs of patches that cannot be proven further apart than their thickness + margin (m)
// over the displacement measured last. Two patches in one smooth region of a grid are apart;
// extra_ratio: by how much the distance ratio of the region (smooth_regions.c) has to exceed its
// limit.
void fm_patches_find_pairs(fm_contact_set *set, double margin, double extra_ratio,
                           fm_patch_pairs *found);
// fm_patches_measure_motion computes the mean displacement (drift) from a to b of each patch in
// these pairs, and the largest deviation from it (spread). fm_patches_bound_approach returns how
// much nearer two of these patches may have come, m.
void fm_patches_measure_motion(fm_contact_set *set, const fm_patch_pairs *pairs, fm_vec3_array a,
                               fm_vec3_array b, fm_pool *pool);
double fm_patches_bound_approach(const fm_contact_set *set, const fm_patch_pair *pair);

// smooth_regions.c: proof that a smooth region of a grid does not touch itself.
//
// Measures mean edges and normal of a patch, and the largest deviations of an edge from the mean.
void fm_smooth_measure_patch(const fm_contact_set *set, fm_patch *patch, fm_patch_ends x);
// Bounds distance in space / distance in the flat grid for each square of 2 x 2 patches.
void fm_smooth_bound_window_ratios(fm_contact_set *set, fm_contact_body *body);
// True if all features of the two patches of one surface that share no vertex are certainly further
// apart than their thickness during the whole step.
bool fm_smooth_proves_apart(const fm_contact_set *set, const fm_patch *a, const fm_patch *b,
                            double extra_ratio);

// contact_step.c: builds the candidate list again unless it is complete from starts to ends.
void fm_contact_update_list(fm_contact_set *set, fm_pool *pool);

// candidate_pairs.c: the list of feature pairs that may collide.
//
// Length of the longest displacement of a vertex from a to b, m.
double fm_contact_longest_displacement(const fm_contact_set *set, fm_vec3_array a, fm_vec3_array b);
// Builds the list for vertices at x that move to `targets` in this step. max_slack: m, the most
// that two patches may approach before the list is out of date.
void fm_candidates_build(fm_contact_set *set, fm_vec3_array x, fm_vec3_array targets,
                         double max_slack, fm_pool *pool);
// Builds the list again from the positions and targets it was built from.
void fm_candidates_rebuild(fm_contact_set *set, fm_pool *pool);
// Largest approach, m, of two patches that may meet between a and b, as measured last.
double fm_candidates_bound_approach(fm_contact_set *set, fm_vec3_array a, fm_vec3_array b,
                                    fm_pool *pool);
// Finds the patches that may meet on the paths from a to b; stores them in set->near_patches.
void fm_candidates_find_patch_pairs(fm_contact_set *set, fm_vec3_array a, fm_vec3_array b,
                                    fm_pool *pool);
// True if all feature pairs outside the list stay further apart than their thickness on the paths
// from a to b. fm_candidates_are_complete uses the patch pairs measured last; fm_candidates_check
// measures them first.
bool fm_candidates_are_complete(fm_contact_set *set, fm_vec3_array a, fm_vec3_array b,
                                fm_pool *pool);
bool fm_candidates_check(fm_contact_set *set, fm_vec3_array a, fm_vec3_array b, fm_pool *pool);

// near_pairs.c: narrow phase over the candidates that come near.
//
// How much nearer the feature pair in a lane of the batch may come before it enters the near list,
// m. h: thickness of the pair, m.
double fm_near_find_clearance(fm_feature_kind kind, const fm_closest_batch *batch, int lane,
                              double h);
// m, bound on how much two features of a block come nearer when vertices move from a to b.
double fm_near_find_approach(const fm_pair_block *block, fm_vec3_array a, fm_vec3_array b);
// Updates the lists of near pairs for the current part of the step. The lists are complete as long
// as no two features of a block approach by more than approach_factor times their approach on the
// paths to the target positions. recompute_all: recompute the normals of all near pairs, not only
// of outdated ones.
void fm_near_collect_pairs(fm_contact_set *set, double approach_factor, bool recompute_all,
                           fm_pool *pool);
// True if, after all impulses, no two features of a block approached by more than
// fm_near_collect_pairs assumed; the approach is then added to the travel of the block. Otherwise
// marks the blocks that exceeded the bound as open, so that they are tested again.
bool fm_near_check_approach(fm_contact_set *set, fm_pool *pool);
void fm_near_open_blocks(fm_contact_set *set); // marks all blocks as open
// Empties the near lists, and recomputes from the positions `from` when to test each candidate.
void fm_near_reset(fm_contact_set *set, fm_pool *pool);
// Adds the displacement from `from` to `to`, which the caller caused between steps, to the travel.
void fm_near_add_displacement(fm_contact_set *set, fm_vec3_array to);

// impulses.c: repulsion and friction impulses.
//
// Tests the near pairs of open blocks with vertices at `to`: lists the pairs in contact and
// computes the margin of each block, the least separation beyond the minimum. is_retest: this part
// of the step was tested before.
void fm_impulses_test_pairs(fm_contact_set *set, bool is_retest, fm_pool *pool);
// One Gauss-Seidel pass, colour by colour, over the pairs in contact, or over the pairs with an
// impact if hits_only. Changes positions, displacements per step and velocities of vertices with a
// mass. Returns the number of pairs pushed apart.
int fm_impulses_apply(fm_contact_set *set, bool hits_only, fm_pool *pool);
// Finds the near pairs that collide on their paths and gives them the closest points and the normal
// at the time of impact. Returns their number.
int fm_impulses_find_impacts(fm_contact_set *set, fm_pool *pool);

// untangling.c: treatment of surfaces that already intersect.
// Counts edges that pass through triangles at the start of the step, and marks their vertices as
// tangled.
void fm_untangling_find_intersections(fm_contact_set *set, fm_contact_report *report);
// Disables the near pairs between tangled features.
void fm_untangling_release_pairs(fm_contact_set *set);

// impact_zones.c: rigid impact zones.
// Removes all zones.
void fm_impact_zones_clear(fm_contact_set *set);
// Merges the vertices of colliding pairs into rigid zones and moves the zones. Returns the number
// of pairs that still collide because their zone already follows another prescribed motion.
// give_up: count these as pinched.
int fm_impact_zones_apply(fm_contact_set *set, bool give_up);
size_t fm_impact_zones_member_size(void); // bytes of struct fm_impact_zone_member

#endif
