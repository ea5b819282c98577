// SPDX-License-Identifier: MIT
// object.h: access to the objects of a world, independent of their kind: cloths, fluids, balls with
// a mass.
//
//     for (int i = 0; i < fm_world_object_count(world); i++) {
//         fm_object *object = fm_world_object(world, i);
//         printf("%s is a %s\n", fm_object_name(object), fm_object_kind(object));
//     }
//
// Objects belong to their world. They are numbered in the order of creation; the columns of
// stats.csv and snapshots use the same order.
#ifndef FATHOM_OBJECT_H
#define FATHOM_OBJECT_H

#include <fathom/api.h>
#include <fathom/error.h>
#include <fathom/field.h>
#include <fathom/mesh.h>
#include <fathom/vec.h>
#include <fathom/world.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fm_object fm_object;

FM_API int fm_world_object_count(const fm_world *world);
FM_API fm_object *fm_world_object(fm_world *world, int index); // NULL if there is no such object
FM_API fm_object *fm_world_find_object(fm_world *world, const char *name);

FM_API const char *fm_object_kind(const fm_object *object); // "cloth", "particles", "ball"
FM_API const char *fm_object_name(const fm_object *object);
FM_API fm_world *fm_object_world(const fm_object *object);

// Views the points, lines and faces of an object now. The view is valid until the object changes.
FM_API bool fm_object_mesh(fm_object *object, fm_mesh_view *view, fm_error *err);

// Indices of the mesh points in a named group, such as the rim of a mesh that Fathom built
// (mesh_shape.h lists the names), in the order of the group; NULL: the object has no such group.
FM_API const int *fm_object_point_group(const fm_object *object, const char *name, int *count);

// Names of the fields that can be read at each point of the mesh; "position" is always one of them.
FM_API const fm_field *fm_object_fields(const fm_object *object, int *count);
// Reads the field of that name into values[point_count * components].
FM_API bool fm_object_read_field(fm_object *object, const char *name, double *values,
                                 fm_error *err);
// Names, separated by blanks, of the fields of an object that every written frame contains
// (needed), and that a frame contains unless others are requested (usual).
FM_API const char *fm_object_needed_fields(const fm_object *object);
FM_API const char *fm_object_usual_fields(const fm_object *object);
FM_API bool fm_object_is_medium(const fm_object *object); // true for fluids

// Evaluates the field of that name at the position `at`, m, inside a medium; an error for other
// objects. A scalar field fills values[0].
FM_API bool fm_object_probe(fm_object *object, const char *name, fm_vec3 at, double values[3],
                            fm_error *err);

// Quantities of the whole object, one number each: the columns of stats.csv. fm_object_quantities
// lists them, fm_object_measure writes their present values in the same order.
FM_API const fm_field *fm_object_quantities(const fm_object *object, int *count);
FM_API bool fm_object_measure(fm_object *object, double *values, fm_error *err);

#ifdef __cplusplus
}
#endif

#endif
