// SPDX-License-Identifier: MIT
// fabric_kind.h: the decoded keys of a fabric in a scene.
#ifndef FATHOM_SCENE_FABRIC_KIND_H
#define FATHOM_SCENE_FABRIC_KIND_H

#include "scene/cloth_kind.h"

#include <fathom/fabric.h>

// One element of mesh.polyconical.cones.
typedef struct fm_scene_cone {
    fm_item item;
    fm_mesh_cone cone;
} fm_scene_cone;

// Decoded keys of bodies.NAME.fabric. The cloth is first, so that its keys and checks apply.
typedef struct fm_scene_fabric {
    fm_scene_cloth cloth; // a mesh; its seams are empty
    fm_mesh_shape shape;
    int shape_key;  // which key of `mesh` gives the shape
    fm_items cones; // array of fm_scene_cone
    fm_fabric_def fabric;
    double modulus; // N/m; 0: not given
    fm_fabric_place place;
} fm_scene_fabric;

extern const fm_table fm_fabric_table; // in fabric_table.c
// Flat shapes, which soft bodies share; they decode into an fm_scene_fabric.
extern const fm_table fm_fabric_disc_table, fm_fabric_rectangle_table;
extern const fm_scene_kind fm_scene_fabric_kind; // in fabric_kind.c

// fabric_table.c: the shape that the keys describe.
fm_mesh_shape fm_scene_fabric_shape(const fm_scene_fabric *fabric);
// fabric_kind.c: builds the mesh of the body under bodies.NAME.key, to check the shape and to know
// its vertices and groups.
void fm_scene_fabric_load_shape(fm_loader *loader, const fm_scene_object *object, const char *key);

#endif
