// SPDX-License-Identifier: MIT
// cloth_kind.h: the decoded keys of a cloth in a scene.
#ifndef FATHOM_SCENE_CLOTH_KIND_H
#define FATHOM_SCENE_CLOTH_KIND_H

#include "scene/scene.h"

#include <fathom/cloth.h>
#include <fathom/mesh_shape.h>

// The key that selects the particles of a pin, of a side of a seam, or of a map of the strain
// limiting.
typedef enum fm_scene_pin_kind {
    FM_SCENE_PIN_EDGE = 1,
    FM_SCENE_PIN_ROW,
    FM_SCENE_PIN_COLUMN,
    FM_SCENE_PIN_CORNER,
    FM_SCENE_PIN_PARTICLES,
    FM_SCENE_PIN_WITHIN,
    FM_SCENE_PIN_ABOVE,
    FM_SCENE_PIN_GROUP,
} fm_scene_pin_kind;

// Decoded keys of one element of `pins`: particles that are held or follow a motion.
typedef struct fm_scene_pin {
    fm_item item;
    int kind;           // fm_scene_pin_kind: which of the members up to `above` selects particles
    int edge, corner;   // fm_edge, fm_corner
    int row, column;    // from 0
    fm_items particles; // array of int: numbers of particles
    fm_shape within;    // region of space that contains the particles at the start
    double above;       // m, y coordinate above which the particles start
    const char *group;  // name of a group of vertices
    const char *motion; // name of the motion that they follow; NULL: they are held
    double release;     // s, time at which the pin lets go
} fm_scene_pin;

// Decoded keys of one element of enforcement.maps: particles that strain limiting treats as fixed
// while colliders touch the cloth.
typedef struct fm_scene_enforcement_map {
    fm_item item;
    int kind;           // FM_SCENE_PIN_PARTICLES or FM_SCENE_PIN_WITHIN
    fm_items colliders; // array of fm_item: names of the colliders
    fm_items particles; // array of int: numbers of the particles
    fm_shape within;    // region of space that contains the particles at the start
} fm_scene_enforcement_map;

// The key that gives the weights of a painted map.
typedef enum fm_scene_map_kind {
    FM_SCENE_MAP_GROUP = 1,
    FM_SCENE_MAP_IMAGE,
    FM_SCENE_MAP_PLY,
} fm_scene_map_kind;

// Decoded keys of one element of `maps`: weights of the vertices of a mesh, painted.
typedef struct fm_scene_map {
    fm_item item;
    int kind;                              // fm_scene_map_kind
    const char *group;                     // of the mesh file
    const char *file;                      // of the image, or PLY file
    const char *property;                  // of the vertices in the PLY file
    double stiffness, thickness, friction; // factors where the weight is 1
    const char *name;                      // of the group of vertices with weights from `above` on
    double above;
} fm_scene_map;

// Factors of all maps at the vertices of a mesh; NULL arrays without maps.
typedef struct fm_scene_factors {
    int count;      // vertices
    double *weight; // of each map: [map][count]; the other arrays are behind it
    double *stiffness, *thickness, *friction; // [count]
} fm_scene_factors;

// One side of a seam; kind is FM_SCENE_PIN_EDGE, _ROW, _COLUMN, _PARTICLES or _GROUP.
typedef struct fm_scene_border {
    int kind, edge, row, column; // edge: fm_edge; row, column: from 0
    fm_items particles;          // array of int: numbers of particles
    const char *group;           // name of a group of vertices
} fm_scene_border;

// Decoded keys of one element of `seams`.
typedef struct fm_scene_seam {
    fm_item item;
    fm_scene_border from, to; // the two sides
    double start, time;       // s, when the seam begins to close, and how long closing takes
    bool reverse;             // the last particle of one side meets the first of the other
    bool weld;                // the sides of a mesh are merged before the start instead of sewn
} fm_scene_seam;

// Decoded keys of the mesh file of a cloth, and its contents, unscaled and unrotated.
typedef struct fm_scene_mesh {
    const char *file;
    double scale;                        // m per unit of the file
    double weld;                         // m, vertices closer than this become one particle
    fm_vec3 origin, velocity;            // m, position of the file's origin; m/s, initial velocity
    fm_quat rotation;                    // about that origin
    fm_mesh_view mesh;                   // mesh of the file, with triangles as faces
    const int *point_row, *triangle_row; // line of the file for each point, for each triangle
    uint64_t hash;                       // hash of the bytes of the file
    const fm_vertex_group *groups; // of the file, or of a mesh that Fathom built, without vertices
    int group_count;
} fm_scene_mesh;

// Decoded keys of bodies.NAME.cloth.
typedef struct fm_scene_cloth {
    int kind;     // fm_cloth_kind
    int material; // fm_material
    fm_cloth_def def;
    fm_sheet sheet;
    fm_tube tube;
    fm_scene_mesh mesh;
    fm_items seams;   // array of fm_scene_seam
    fm_items pins;    // array of fm_scene_pin
    fm_items maps;    // array of fm_scene_enforcement_map
    fm_items painted; // array of fm_scene_map
} fm_scene_cloth;

extern const fm_table fm_cloth_table;     // in cloth_table.c
extern const fm_table fm_cloth_map_table; // in cloth_maps.c
// Parts of fm_cloth_table that fabrics share. All but the last two decode into an fm_cloth_def;
// enforcement decodes into an fm_scene_cloth, pins into an fm_scene_pin.
extern const fm_table fm_cloth_stretch_table, fm_cloth_bend_table, fm_cloth_damping_table,
    fm_cloth_drag_table, fm_cloth_imperfection_table, fm_cloth_muscle_table,
    fm_cloth_repulsion_table, fm_cloth_contact_table, fm_cloth_enforcement_table,
    fm_cloth_pin_table;
extern const char *const fm_integrator_words[];
extern const fm_scene_kind fm_scene_cloth_kind; // in cloth_kind.c

// cloth_kind.c, for fabrics
// Adds pins and the maps of the strain limiting.
void fm_scene_cloth_add_pins(fm_builder *builder, fm_cloth *cloth, const fm_scene_cloth *body,
                             fm_error *err);
void fm_scene_cloth_weigh_points(fm_object *object, const double *at, double *weights,
                                 fm_error *err);

// cloth_checks.c: checks the keys of a cloth against each other. object: an fm_scene_cloth.
void fm_scene_check_cloth_keys(fm_decoder *decoder, const fm_node *node, const void *object);

// cloth_geometry.c
// Checks that the rows, columns and particles exist that pins, seams and the maps of the strain
// limiting (`enforcement.maps`) refer to.
void fm_scene_check_cloth_places(fm_decoder *decoder, const fm_node *node,
                                 const fm_scene_cloth *cloth);
// The same once the mesh is known. path: of the cloth, for messages.
void fm_scene_check_mesh_places(fm_loader *loader, const char *path, const fm_scene_cloth *cloth);
// Reads the mesh file of a cloth, checks the mesh and the pins and seams that refer to it.
void fm_scene_cloth_load_mesh(fm_loader *loader, const fm_scene_object *object);
// The same for a body under bodies.NAME.key whose file is named by mesh.obj; its def starts with an
// fm_scene_cloth.
void fm_scene_cloth_load_obj(fm_loader *loader, const fm_scene_object *object, const char *key);
// Writes the particles of a border, in order, to `list` unless it is NULL; returns their number.
int fm_scene_cloth_list_border(const fm_scene_cloth *cloth, const fm_scene_border *border,
                               int *list);
// The number of particles of a sheet or tube, or of vertices of a mesh that was loaded.
int fm_scene_cloth_point_count(const fm_scene_cloth *cloth);
// The vertices of a seam: `count` of its side `from`, then as many of its side `to`. The caller
// frees the array.
int *fm_scene_cloth_list_seam(const fm_scene_cloth *cloth, const fm_scene_seam *seam, int *count,
                              fm_error *err);
// Fills `mesh` with the scaled, rotated and moved vertices and the pairs that seams weld. Must be
// followed by fm_scene_cloth_destroy_mesh, also when it fails.
bool fm_scene_cloth_create_mesh(const fm_scene_cloth *cloth, fm_cloth_mesh *mesh, fm_error *err);
void fm_scene_cloth_destroy_mesh(fm_cloth_mesh *mesh);

// cloth_maps.c
// The group of the mesh of that name; NULL: none.
const fm_vertex_group *fm_scene_mesh_find_group(const fm_scene_mesh *mesh, const char *name);
// Reads all maps of a cloth. Must be followed by fm_scene_factors_destroy, also when it fails.
bool fm_scene_factors_create(fm_scene_factors *factors, const fm_builder *builder,
                             const fm_scene_cloth *cloth, fm_error *err);
void fm_scene_factors_destroy(fm_scene_factors *factors);
// Adds the groups of the mesh file, and those of the maps, to a cloth.
void fm_scene_cloth_add_file_groups(fm_cloth *cloth, const fm_scene_mesh *mesh, fm_error *err);
void fm_scene_cloth_add_painted_groups(fm_cloth *cloth, const fm_scene_cloth *body,
                                       const fm_scene_factors *factors, fm_error *err);

#endif
