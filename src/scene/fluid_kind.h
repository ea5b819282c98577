// SPDX-License-Identifier: MIT
// fluid_kind.h: the decoded keys of a particle fluid in a scene.
#ifndef FATHOM_SCENE_FLUID_KIND_H
#define FATHOM_SCENE_FLUID_KIND_H

#include "scene/scene.h"

#include <fathom/particles.h>

// Decoded keys of fluids.NAME.sph, and those that fluids.NAME.thickening shares with it.
typedef struct fm_scene_fluid {
    fm_particles_def def;
    int liquid;         // number in liquids.c, 0: none
    const char *motion; // name of the motion of the domain; NULL: at rest
    fm_items boxes;     // array of fm_scene_fluid_box
    fm_items sources;   // array of fm_scene_fluid_source
    fm_items sinks;     // array of fm_scene_fluid_sink
    fm_items pushes;    // array of fm_scene_fluid_push: body-force regions
} fm_scene_fluid;

// One element of `boxes`: a box filled with fluid at the start.
typedef struct fm_scene_fluid_box {
    fm_item item;
    fm_fluid_box box;
    int seed; // seed of the random offsets of the particles
} fm_scene_fluid_box;

// One element of `sources`: a nozzle that emits particles.
typedef struct fm_scene_fluid_source {
    fm_item item;
    fm_fluid_source source;
} fm_scene_fluid_source;

// One element of `sinks`: a box that removes particles.
typedef struct fm_scene_fluid_sink {
    fm_item item;
    fm_fluid_sink sink;
} fm_scene_fluid_sink;

// One element of `pushes`: a ball in which the fluid is accelerated (body-force region).
typedef struct fm_scene_fluid_push {
    fm_item item;
    fm_fluid_push push;
} fm_scene_fluid_push;

extern const fm_table fm_sph_table;           // in fluid_table.c
extern const fm_scene_kind fm_scene_sph_kind; // in fluid_kind.c

// Mappings and list elements that particle fluids share, in fluid_table.c.
extern const fm_table fm_fluid_domain_table, fm_fluid_box_table, fm_fluid_source_table,
    fm_fluid_sink_table, fm_fluid_push_table;

// fluid_kind.c: creates a particle fluid from the definition `from` with the boxes, sources, sinks
// and pushes of `fluid`.
void fm_scene_build_particles(fm_builder *b, const fm_scene_object *object,
                              const fm_scene_fluid *fluid, const fm_particles_def *from,
                              fm_error *err);
// Reports boxes of fluid outside the domain. kind: key of the fluid.
void fm_scene_check_fluid_boxes(fm_decoder *decoder, const fm_scene_object *object,
                                const char *kind);
// Checks the mapping `fractional` (viscosity on a fractional derivative) of a fluid.
void fm_scene_check_fractional_keys(fm_decoder *decoder, const fm_node *node, const void *object);

#endif
