// SPDX-License-Identifier: MIT
// contact.h: triangle surfaces that keep apart: their description, the step, and what is inside.
//
// A contact set holds several surfaces: dynamic ones (cloth), whose vertices have an inverse mass,
// and kinematic ones (colliders, figures), whose motion is given. A step takes positions at its
// start, free of intersections, and wished positions at its end, and changes the latter and the
// velocities so that nothing passes through anything on the way.
#ifndef FATHOM_COLLIDE_CONTACT_H
#define FATHOM_COLLIDE_CONTACT_H

#include "core/core.h"
#include "motion/motion.h"

#include <string.h>

// One surface, copied at creation. Triangles index its own vertices.
typedef struct fm_contact_surface {
    const char *name; // for messages
    int vertex_count, triangle_count;
    const int (*triangles)[3];
    const double *x, *y, *z;    // m, [vertex], at creation: for the tree and the triangles' heights
    const double *inverse_mass; // 1/kg, [vertex], 0: pinned, moved by the caller. NULL: kinematic
    double thickness;           // m, > 0: two surfaces repel nearer than the mean of theirs
    double friction;            // Coulomb's; two surfaces meet with the root of the product
    bool solid; // kinematic, closed, triangles counterclockwise from outside: vertices that a
                // pinch left inside are led out
    int columns, rows; // of vertices that are a grid, row by row, each cell cut into two triangles
                       // along a diagonal: smooth parts of it cost little. 0: any other mesh
    bool round;        // the grid's last column is next to its first
} fm_contact_surface;

typedef struct fm_contact_axes {
    double *x, *y, *z;
} fm_contact_axes;

// What a step did. Counts are of this step.
typedef struct fm_contact_report {
    int candidate_count;    // pairs in the list
    int near_count;         // of them, pairs looked at closely
    int impulse_count;      // pairs that were pushed or held
    int hit_count;          // pairs that would still have met afterwards: by time of impact
    int round_count;        // rounds of impulses for those
    int part_count;         // parts the step was cut into: 1 for slow motions
    int list_count;         // times the list was made
    int cut_count;          // vertices whose way was too long, or no number, and was shortened
    int zone_vertex_count;  // vertices that had to move with a rigid zone
    int pinched_count;      // pairs for which no free state was found
    int intersection_count; // edges through triangles at the start: only looked for at the first
                            // step and after a pinch
    bool out_of_memory;     // a list could not grow: pairs were missed
} fm_contact_report;

typedef struct fm_contact_set fm_contact_set;

// NULL with err filled on bad values. Lists of pairs are reserved for 24 pairs a triangle and
// grow, rarely, when more is crowded together; nothing else is allocated later.
fm_contact_set *fm_contact_create(const fm_contact_surface *surfaces, int surface_count,
                                  fm_error *err);
void fm_contact_destroy(fm_contact_set *set);

// The vertices of all surfaces stand one surface after another.
int fm_contact_vertex_count(const fm_contact_set *set);
int fm_contact_first_vertex(const fm_contact_set *set, int surface);

// What the caller fills before a step: positions at its start and wished at its end, velocities
// (of vertices with a mass only: others get theirs from their way), inverse masses.
fm_contact_axes fm_contact_starts(fm_contact_set *set);
fm_contact_axes fm_contact_ends(fm_contact_set *set);
fm_contact_axes fm_contact_velocities(fm_contact_set *set);
double *fm_contact_inverse_masses(fm_contact_set *set);

// A vertex may be heavier along one axis, as cloth is that moves water along its normal:
//     M^-1 = a (1 - e e^T) + b e e^T,   a inverse mass, b inverse mass along the unit axis e
// With `use` the caller fills both before a step; without, b = a.
void fm_contact_use_mass_axes(fm_contact_set *set, bool use);
fm_contact_axes fm_contact_mass_axes(fm_contact_set *set);
double *fm_contact_axis_inverse_masses(fm_contact_set *set);

// Whether it is certain that nothing comes nearer than its thickness on the straight ways from
// starts to ends: then a step would change nothing and is left out. Needs no velocities, no masses.
// Otherwise the step has to follow, with the same starts and ends.
bool fm_contact_is_free(fm_contact_set *set, fm_pool *pool);

// From starts to ends in h seconds. When the starts are free of intersections and no pair is
// counted as pinched, the ends are free of them, and so is the way (a broken line where the step
// was cut into parts). Vertices without mass are left where they are.
void fm_contact_step(fm_contact_set *set, double h, fm_pool *pool, fm_contact_report *report);
// Asked between the parts of a step; when it stops, the step ends anywhere on its way.
void fm_contact_set_stop(fm_contact_set *set, fm_stop *stop);

// The next steps, `steps` of them, depend on nothing but the positions and what is saved below.
void fm_contact_restart(fm_contact_set *set, int steps);
// Gives the size needed.
size_t fm_contact_save(const fm_contact_set *set, void *buffer, size_t size);
bool fm_contact_restore(fm_contact_set *set, const void *buffer, size_t size, fm_error *err);

// Vertices of pairs that the last step counted as pinched: [vertex], true for those.
const bool *fm_contact_pinched(const fm_contact_set *set);

// Edges that go through triangles, over all surfaces, edge and triangle without a common vertex,
// and not both of kinematic surfaces. Exact signs, no code in common with the step. Touching
// counts; lying in one plane does not. marked (may be NULL) gets true for the vertices of both.
int fm_contact_count_intersections(fm_contact_set *set, fm_contact_axes x, bool *marked);

// Least distance of two features without a common vertex, m, or `reach` when that is smaller.
double fm_contact_find_closest(fm_contact_set *set, fm_contact_axes x, double reach);

// The features themselves: a vertex and a triangle, or two edges, as four points.
typedef enum fm_feature_kind {
    FM_VERTEX_TRIANGLE, // points 0 | 1 2 3
    FM_EDGE_EDGE,       // points 0 1 | 2 3
} fm_feature_kind;

// Closest points of a pair: sum of weight[i] p[i] is the vector from the second feature to the
// first, as long as their distance; weights of the first add up to 1, of the second to -1.
typedef struct fm_closest {
    double weight[4];
    fm_vec3 gap; // m, that vector
    double distance;
} fm_closest;

fm_closest fm_closest_points(fm_feature_kind kind, const fm_vec3 p[4]);

// Many pairs of one kind at once. With the first feature's edge p1 - p0 and the second's p2 - p3,
// or the triangle's sides p1 - p2 and p1 - p3, s and t are the shares in gap = r + s a + t b.
enum { FM_CLOSEST_BATCH = 32 };
typedef struct fm_closest_batch {
    double p[4][3][FM_CLOSEST_BATCH]; // all lanes hold numbers, used or not
    double s[FM_CLOSEST_BATCH], t[FM_CLOSEST_BATCH];
    double gap[3][FM_CLOSEST_BATCH], distance[FM_CLOSEST_BATCH];
} fm_closest_batch;

void fm_closest_points_batch(fm_feature_kind kind, fm_closest_batch *batch, int count);

// When the features, each point moving straight from `from` to `to` over the time 0 to 1, are
// nearer than `least` for the first time: never later than that, and earlier only where they are
// nearer than 1.1 `least`. 2 when they never are. At 0 they must be further apart than `least`.
double fm_time_of_impact(fm_feature_kind kind, const fm_vec3 from[4], const fm_vec3 to[4],
                         double least);

// Inside. Vertices, edges and triangles are numbered over all surfaces.

typedef struct fm_contact_body {
    char name[32];
    int first_vertex, vertex_count;
    int first_triangle, triangle_count;
    bool kinematic, solid;
    double thickness, friction;
    fm_tree tree; // over its triangles, numbered within the surface
    int first_patch, patch_count;
    fm_tree patch_tree; // over its patches, numbered within the surface
    // of a grid: patches, row by row, and what the certificate of smooth.c needs
    int patch_columns, patch_rows; // 0: no grid
    bool round;
    double spacing[2];  // m, mean distance of columns and of rows at creation
    double least_slope; // from which on a region is smooth
} fm_contact_body;

enum {
    FM_PATCH_CELLS = 6, // of a grid, in a row or a column of a patch, at most
    FM_PATCH_TRIANGLES = 2 * FM_PATCH_CELLS * FM_PATCH_CELLS, // at most, of any surface
    FM_PATCH_VERTICES = 3 * FM_PATCH_TRIANGLES,
};

// Positions of a patch's vertices at both ends of a way: [end][axis][vertex].
typedef double fm_patch_way[2][3][FM_PATCH_VERTICES];

// Triangles that lie together, and the vertices they have. Its box is in patch_boxes.
typedef struct fm_patch {
    int body;
    int first, last;                // places in patch_triangle
    int first_vertex, vertex_count; // places in patch_vertex: row by row in a grid
    int width;                      // vertices in a row of a grid, 0: no grid
    int column, row;                // in the grid of patches
    // of a grid, on that way: mean edges along rows and columns over the spacings, the normal of
    // the two, and the most that an edge differs from them, across the normal and along it
    fm_vec3 across, down, normal;
    double stretch, bend;
    double slope;  // of the window of 2 x 2 patches that begins here: see smooth.c
    fm_vec3 drift; // mean way of its vertices, m
    double spread; // the most that a vertex differs from it, m
} fm_patch;

// Patches of which triangles may be near.
typedef struct fm_patch_pair {
    int a, b;     // a <= b
    int next;     // pair of a in the list, -1: none
    double slack; // m, how much nearer they may come while the list holds
} fm_patch_pair;

typedef struct fm_patch_pairs {
    fm_patch_pair *pairs;
    int count, room;
    bool out_of_memory;
} fm_patch_pairs;

// A pair that is nearer than its thickness, or may soon be. Its normal and closest points are of a
// moment not long ago: good for impulses, and any normal that separates proves what it proves.
typedef struct fm_near_pair {
    fm_vec3 n;               // unit, from the second feature to the first
    double s, t;             // where the closest points lie: see fm_near_weights
    double fresh;            // m, travel up to which n, s and t are good
    double thickness, least; // m: repelled below, never gone below
    int v[4];
    int k;         // its place in the list
    bool hit;      // meets on the way
    bool turned;   // n is of a time of impact, or outward: it may not separate at the start
    bool loose;    // of a tangle: not tested
    bool given_up; // pinched: not pushed, not tested
} fm_near_pair;

static inline void fm_near_weights(fm_feature_kind kind, const fm_near_pair *pair, double w[4])
{
    double s = pair->s, t = pair->t;
    bool edges = kind == FM_EDGE_EDGE;
    w[0] = edges ? 1 - s : 1;
    w[1] = edges ? s : s + t - 1;
    w[2] = edges ? t - 1 : -s;
    w[3] = -t;
}

typedef struct fm_near_list {
    fm_near_pair *pairs;
    int *touching; // those nearer than their thickness at the end
    double stale;  // m, travel at which the first of them is not fresh any more
    int count, room, touching_count;
} fm_near_list;

// Pairs of one kind. Those whose features were d apart after the travel s need no look
// until the travel is s + d - thickness; never, while they are among the near ones.
typedef struct fm_pair_list {
    int *v[4];
    double *due;       // m, travel; while the list is made, how near a pair has to be to be in it
    double *thickness; // m
    double soonest;    // m, no pair is due before
    int count, room;
} fm_pair_list;

// Candidates of a patch and those behind it.
typedef struct fm_pair_block {
    int first_pair;        // of patches in the list, -1: none
    fm_pair_list pairs[2]; // by fm_feature_kind
    fm_near_list near[2];
    int *member, *slot; // vertices of its pairs, and the table that finds them: -1 where free
    int member_count, slot_count;
    double travel;   // m, how far pairs may have come nearer since the list was made
    double allowed;  // m, how far they may in this part, for the near ones to be all
    double approach; // m, how far they did
    int colour;
    int pushed;    // pairs, in the last pass
    bool open;     // to be looked at, in this look at the part
    double margin; // m, least separation of a near pair's plane beyond what is enforced, at `seen`
    int hit_count;
    bool out_of_memory;
} fm_pair_block;

// Vertices that move as one rigid body, by union and find.
typedef struct fm_zones {
    int *parent;  // [vertex], -1 outside any zone
    int *carrier; // [root] a vertex without mass that the zone follows, -1: none
    int *member;  // vertices in zones, in the order they came
    int member_count;
    struct fm_zone_member *sorted; // by root
} fm_zones;

enum { FM_CONTACT_COLOURS = 64 };

struct fm_contact_set {
    fm_arena arena;
    fm_stop *stop; // or NULL
    fm_contact_body *bodies;
    int body_count;
    int vertex_count, triangle_count, edge_count;

    // topology and material, from creation
    int *body_of;           // [vertex]
    int (*triangle)[3];     // vertices
    int (*edge)[2];         // vertices, the smaller first
    int (*owned_edge)[3];   // [triangle] its edges that no triangle before it has; -1 behind them
    int (*owned_vertex)[3]; // [triangle] likewise
    int *some_triangle;     // [vertex] one that has it, -1: none
    double *height;         // [vertex] m, least height of its triangles at creation
    double shortest_reach;  // m, least thickness of any pair of surfaces
    double largest_reach;   // m, largest thickness
    double skin;            // m, the most that the list looks further than the thickness

    // the caller's
    fm_contact_axes x0, x1, v;
    double *inverse_mass;
    fm_contact_axes mass_axis; // unit vectors
    double *axis_inverse_mass; // 1/kg, along them
    bool has_mass_axes;

    // of the part of the step under way
    fm_contact_axes from, to;
    fm_contact_axes rate; // way that is left, per step
    fm_contact_axes saved_v, saved_rate;
    fm_contact_axes seen; // `to` when the near pairs were looked at last
    double step_seconds;
    double parts;      // what the part goes into the step
    double push_share; // of what lacks to the thickness, made good in this part

    // the list
    fm_box *boxes; // [triangle]
    fm_patch *patches;
    fm_box *patch_boxes;                // [patch]
    int *patch_triangle, *patch_vertex; // by patch
    fm_patch_pairs met;                 // not certainly apart on the way that was measured last
    fm_patch_pairs listed;              // in the list
    fm_pair_block *blocks;              // [patch]
    int block_count;
    // Blocks of one colour have no vertex with a mass in common: impulses go through them at once.
    // The last colour is of those that found no other, one after another.
    uint64_t *colours; // [vertex] that its blocks have, as bits
    int *by_colour;    // blocks
    int colour_first[FM_CONTACT_COLOURS + 1];
    fm_contact_axes built; // positions when it was made
    fm_contact_axes ahead; // and where those were to go in that step
    double list_care;      // 1, or more when lists did not last
    double list_ahead;     // steps like that one that it was made for
    double list_least;     // m, that any two patches may come nearer
    double list_most;      // m, that it allows at most
    int list_steps;        // that it is to last
    int list_age;          // steps
    bool list_made, restarted;
    bool way_measured; // from starts to ends, by fm_contact_is_free
    bool moved;        // the caller put vertices elsewhere than the last step left them

    fm_zones zones;
    bool *pinched;
    bool *tangled; // [vertex] of an intersection, or inside a solid
    bool is_tangled, started;
};

static inline fm_vec3 fm_contact_at(fm_contact_axes a, int i)
{
    return (fm_vec3){a.x[i], a.y[i], a.z[i]};
}

static inline void fm_contact_copy(const fm_contact_set *set, fm_contact_axes to,
                                   fm_contact_axes from)
{
    size_t bytes = (size_t)set->vertex_count * sizeof(double);
    memcpy(to.x, from.x, bytes);
    memcpy(to.y, from.y, bytes);
    memcpy(to.z, from.z, bytes);
}

static inline void fm_batch_load(fm_closest_batch *batch, int lane, fm_contact_axes x, int a, int b,
                                 int c, int d)
{
    int v[4] = {a, b, c, d};
    for (int i = 0; i < 4; i++) {
        batch->p[i][0][lane] = x.x[v[i]];
        batch->p[i][1][lane] = x.y[v[i]];
        batch->p[i][2][lane] = x.z[v[i]];
    }
}

// A batch of the list's pairs from `first` on, where they are at x. Gives how many.
static inline int fm_batch_run(fm_closest_batch *batch, fm_feature_kind kind,
                               const fm_pair_list *list, int first, fm_contact_axes x)
{
    int count = list->count - first;
    count = count < FM_CLOSEST_BATCH ? count : FM_CLOSEST_BATCH;
    for (int i = 0, k = first; i < count; i++, k++)
        fm_batch_load(batch, i, x, list->v[0][k], list->v[1][k], list->v[2][k], list->v[3][k]);
    fm_closest_points_batch(kind, batch, count);
    return count;
}

// intersections.c: boxes and trees around the triangles at x. Lists do not need them once made.
void fm_contact_fit_boxes(fm_contact_set *set, fm_contact_axes x);
void fm_contact_box_triangles(fm_contact_set *set, fm_contact_axes x); // boxes alone

// patches.c
bool fm_patches_make(fm_contact_set *set, const fm_contact_surface *surfaces, fm_error *err);
// Boxes, and what smooth.c needs, of all patches on their straight ways from a to b.
void fm_patches_measure(fm_contact_set *set, fm_contact_axes a, fm_contact_axes b, fm_pool *pool);
// Pairs of patches that are not certainly further apart on the way measured last than their
// thickness and `further` more, m. slope: more than enough for a region to count as smooth.
void fm_patches_meet(fm_contact_set *set, double further, double slope, fm_patch_pairs *met);
// drift and spread from a to b of the patches of these pairs; how much nearer two of them came, m.
void fm_patches_follow(fm_contact_set *set, const fm_patch_pairs *pairs, fm_contact_axes a,
                       fm_contact_axes b);
double fm_patches_approach(const fm_contact_set *set, const fm_patch_pair *pair);

// smooth.c
void fm_smooth_measure(const fm_contact_set *set, fm_patch *patch, fm_patch_way x);
void fm_smooth_measure_windows(fm_contact_set *set, fm_contact_body *body);
// Whether features of the two patches of one surface without a common vertex are certainly further
// apart than their thickness, all the way.
bool fm_smooth_covers(const fm_contact_set *set, const fm_patch *a, const fm_patch *b,
                      double slope);

// candidates.c
// The longest way of a vertex from a to b, m.
double fm_contact_largest_way(const fm_contact_set *set, fm_contact_axes a, fm_contact_axes b);
// The list for what is at x and, this step, on its way to `ahead`; most: m, that patches may come
// nearer.
void fm_candidates_build(fm_contact_set *set, fm_contact_axes x, fm_contact_axes ahead, double most,
                         fm_pool *pool);
// The list once more, from what it was made of.
void fm_candidates_fill(fm_contact_set *set, fm_pool *pool);
// The most that any two patches that may meet on the way from a to b, as measured last, approach.
double fm_candidates_approach(fm_contact_set *set, fm_contact_axes a, fm_contact_axes b);
// Which patches may meet on the way from a to b: into set->met.
void fm_candidates_measure(fm_contact_set *set, fm_contact_axes a, fm_contact_axes b,
                           fm_pool *pool);
// Whether all pairs outside the list stay further apart than their thickness on that way, as
// measured last; and both at once.
bool fm_candidates_suffice(fm_contact_set *set, fm_contact_axes a, fm_contact_axes b);
bool fm_candidates_hold(fm_contact_set *set, fm_contact_axes a, fm_contact_axes b, fm_pool *pool);

// near.c
// How much nearer a pair of a batch may come before it matters, m: h is its thickness.
double fm_near_room(fm_feature_kind kind, const fm_closest_batch *batch, int lane, double h);
// Makes the near pairs good for this part: all that may come nearer than their thickness while no
// two features of a block approach by more than `wider` times what is wished. anew: normals of all
// of them, not of old ones only.
void fm_near_collect(fm_contact_set *set, double wider, bool anew, fm_pool *pool);
// Whether what was wished and then corrected kept to that; if so it is added to the travel, if not
// the blocks where it did not are opened.
bool fm_near_suffice(fm_contact_set *set, fm_pool *pool);
void fm_near_open(fm_contact_set *set); // all blocks
// Nothing is near, and when to look is found anew from the positions at `from`.
void fm_near_forget(fm_contact_set *set, fm_pool *pool);
// What the caller moved between steps, from `from` to `to`, is added to the travel.
void fm_near_carry(fm_contact_set *set, fm_contact_axes to);

// impulses.c
// Looks at the near pairs of open blocks at `to`: which touch, and how safe each block is.
void fm_impulses_look(fm_contact_set *set, bool again, fm_pool *pool);
// One pass over the pairs that touch, colour by colour, or over those that were hit: positions,
// rates and velocities of vertices with a mass. Gives how many pairs were pushed.
int fm_impulses_apply(fm_contact_set *set, bool hits_only, fm_pool *pool);
// Finds the near pairs that meet on their way, and turns their closest points and normal to those
// at the time of impact. Gives their number.
int fm_impulses_find_hits(fm_contact_set *set, fm_pool *pool);

// tangles.c: what to do where surfaces are through each other already.
void fm_tangles_find(fm_contact_set *set, fm_contact_report *report);
void fm_tangles_loosen(fm_contact_set *set); // the near pairs of what is tangled

// zones.c
void fm_zones_clear(fm_contact_set *set);
// Moves what the hits involve rigidly. Gives how many pairs cannot be helped that way.
int fm_zones_apply(fm_contact_set *set, bool give_up);
size_t fm_zones_member_size(void);

#endif
