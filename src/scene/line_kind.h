// SPDX-License-Identifier: MIT
// line_kind.h: the decoded keys of lines and loads in a scene.
#ifndef FATHOM_SCENE_LINE_KIND_H
#define FATHOM_SCENE_LINE_KIND_H

#include "scene/scene.h"

#include <fathom/line.h>

// The key that gives the strands of a line.
typedef enum fm_scene_line_shape {
    FM_SCENE_LINE_STRANDS = 1,
    FM_SCENE_LINE_FAN,
    FM_SCENE_LINE_HAIR,
} fm_scene_line_shape;

// The ends of strands that a pin or tie refers to.
typedef enum fm_scene_line_end {
    FM_SCENE_END_FIRST,
    FM_SCENE_END_LAST,
    FM_SCENE_END_BOTH
} fm_scene_line_end;

// A point that a strand passes through.
typedef struct fm_scene_via {
    fm_item item;
    fm_vec3 at; // m
} fm_scene_via;

// One strand: a polyline.
typedef struct fm_scene_strand {
    fm_item item;
    fm_vec3 from, to; // m
    fm_items via;     // array of fm_scene_via
} fm_scene_strand;

// Points of another body: all, a group, or a list, of which every n-th is used.
typedef struct fm_scene_body_points {
    const char *body;
    const char *group; // name of a group; NULL: not given
    fm_items vertices; // array of int; empty: not given
    int skip, every;   // the first points that are left out; then every n-th is used
} fm_scene_body_points;

// Strands from points of a body to one point.
typedef struct fm_scene_fan {
    fm_scene_body_points from;
    fm_vec3 to;    // m
    double length; // m, of every strand at rest; 0: as placed
} fm_scene_fan;

// Strands that grow on an ellipsoid.
typedef struct fm_scene_hair {
    int count, seed;
    fm_vec3 centre;    // m
    fm_vec3 half_size; // m, half axes of the ellipsoid
    fm_vec3 axis;      // through the middle of the hairy part
    double angle;      // rad, from the axis to the border of that part
    double length;     // m
    double scatter;    // relative scatter of length and direction
    fm_vec3 comb;      // combing direction, of the tips; 0: tips point along the normal
    double turn;       // m, arc length over which strands turn from the normal to the comb
} fm_scene_hair;

// One element of `pins`: points at the ends of strands that follow a motion.
typedef struct fm_scene_line_pin {
    fm_item item;
    int end;          // fm_scene_line_end
    int points;       // number of points from the end on
    fm_items strands; // array of int: numbers of the strands; empty: all
    const char *motion;
    double release; // s
} fm_scene_line_pin;

// One element of `ties`: ends of strands that are tied to points of a body.
typedef struct fm_scene_tie {
    fm_item item;
    int end; // fm_scene_line_end
    fm_scene_body_points to;
} fm_scene_tie;

// Decoded keys of bodies.NAME.line.
typedef struct fm_scene_line {
    int shape; // fm_scene_line_shape
    fm_line_def def;
    fm_items strands; // array of fm_scene_strand
    fm_scene_fan fan;
    fm_scene_hair hair;
    int segments;     // edges of each strand
    double slack;     // length at rest over the length as placed
    fm_vec3 velocity; // m/s
    fm_items pins;    // array of fm_scene_line_pin
    fm_items ties;    // array of fm_scene_tie
} fm_scene_line;

extern const fm_table fm_line_table, fm_load_table;                // in line_table.c
extern const fm_scene_kind fm_scene_line_kind, fm_scene_load_kind; // in line_kind.c
void fm_scene_check_line_keys(fm_decoder *decoder, const fm_node *node, const void *object);

// line_strands.c: the points of the strands of a line, all with the same number of edges.
typedef struct fm_scene_strands {
    fm_vec3 *positions;   // m
    int *points, *starts; // strand s has the points numbered points[starts[s]] and so on
    double *lengths;      // m, length of each strand at rest
    int point_count, strand_count;
} fm_scene_strands;

// Lists the points of another body, by their numbers in its mesh; the caller frees the array. NULL:
// err says why.
int *fm_scene_list_body_points(fm_world *world, const fm_scene_body_points *from, int *count,
                               fm_error *err);
// Creates the points of all strands. Tied ends start at the points that they are tied to. Call
// fm_scene_strands_destroy afterwards, also after a failure.
bool fm_scene_strands_create(const fm_scene_line *line, fm_world *world, fm_scene_strands *out,
                             fm_error *err);
void fm_scene_strands_destroy(fm_scene_strands *strands);

#endif
