// SPDX-License-Identifier: MIT
// cloth.h: cloth, in air, in vacuum or under water: sheets, tubes, and any mesh of triangles.
//
// Parameters belong to the material, not to the mesh: refining a sheet does not change what it is.
// See docs/cloth.md for the equations and for how to choose the numbers.
#ifndef FATHOM_CLOTH_H
#define FATHOM_CLOTH_H

#include <fathom/api.h>
#include <fathom/collide.h>
#include <fathom/error.h>
#include <fathom/field.h>
#include <fathom/memory.h>
#include <fathom/motion.h>
#include <fathom/vec.h>
#include <fathom/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fm_cloth fm_cloth;

typedef enum fm_drag_model {
    FM_DRAG_NONE,
    FM_DRAG_PHYSICAL, // from the medium's density and viscosity: pressure, friction, history, added
                      // mass
    FM_DRAG_PUBLISHED, // viscous, and a fractional derivative of the displacement: Ozgen et al.
                       // 2010
    FM_DRAG_VISCOUS,   // the regular models that paper compares with:
    FM_DRAG_NORMAL,    //   viscous, normal,
    FM_DRAG_BOTH,      //   both
} fm_drag_model;

typedef struct fm_drag {
    fm_drag_model model;
    // PUBLISHED, VISCOUS, NORMAL, BOTH; all per m^2 of cloth
    double viscous; // N s/m per m^2, of the whole velocity
    double normal;  // N s/m per m^2, of the velocity across the cloth
    struct {
        double coefficient; // N s^order / m per m^2
        double order; // of the derivative of the displacement, in (0, 1): 0 a spring, 1 a dashpot
        fm_recall memory; // PHYSICAL uses its tolerance and horizon
    } history;
    // PHYSICAL
    double pressure;       // C_n of 1/2 rho C_n |u_n| u_n, broadside
    double friction;       // C_t of 1/2 rho C_t |u_t| u_t, edgewise
    bool skin_history;     // the exact history force of a sheet sliding in its plane
    double normal_history; // N s^(1/2) / m per m^2... of D^(1/2) u_n
    double added_mass;     // m, thickness of the layer of medium that moves with the cloth across
                           // itself; -1: 1/(2 pi) of its smaller side
} fm_drag;

typedef enum fm_bend_model {
    FM_BEND_RIGIDITY, // second differences, converges with the mesh
    FM_BEND_SPRINGS,  // springs over two cells, as published: no stiffness when flat
} fm_bend_model;

// What a tube or a mesh wants to bend back to; a sheet is made flat.
typedef enum fm_rest_angle {
    FM_REST_FLAT,  // cloth is woven flat: the shape it is made in is where it begins
    FM_REST_SHAPE, // the shape it is made in
} fm_rest_angle;

typedef enum fm_integrator {
    FM_KICK_DRIFT_KICK, // second order; drag and memory implicit in closed form
    FM_EULER,           // explicit, as published
    FM_VERLET,          // these three without memory:
    FM_RK2,
    FM_RK4,
} fm_integrator;

// How edges are kept from stretching beyond what springs can do at large substeps. docs/stiff.md.
typedef enum fm_enforcement_method {
    FM_ENFORCE_NONE,
    FM_ENFORCE_ITERATIVE,   // Provot: every edge in turn, both ends move
    FM_ENFORCE_PUBLISHED,   // Ozgen 2013: an ordered list outwards from what is fixed, only the
                            // second end moves
    FM_ENFORCE_DIRECTIONAL, // ours: within reach of what is fixed, then coarse to fine
} fm_enforcement_method;

typedef enum fm_enforcement_target {
    FM_TARGET_REST,      // edges past the threshold go back to their rest length
    FM_TARGET_THRESHOLD, // or to the threshold
} fm_enforcement_target;

// In which order PUBLISHED takes the three classes of springs at a particle.
typedef enum fm_spring_order {
    FM_HORIZONTAL_VERTICAL_SHEAR,
    FM_HORIZONTAL_SHEAR_VERTICAL,
    FM_VERTICAL_HORIZONTAL_SHEAR,
    FM_VERTICAL_SHEAR_HORIZONTAL,
    FM_SHEAR_HORIZONTAL_VERTICAL,
    FM_SHEAR_VERTICAL_HORIZONTAL,
} fm_spring_order;

// Where PUBLISHED goes, and never against.
typedef enum fm_enforcement_direction {
    FM_ALONG_ROWS,    // from row 0 to the last, as the thesis; meshes take gravity
    FM_ALONG_GRAVITY, // edges by their angle with gravity, as the cloth was made
    FM_ALONG_FORCE,   // the same with weight, buoyancy and drag together, followed as they turn
} fm_enforcement_direction;

typedef struct fm_enforcement {
    fm_enforcement_method method;
    int iterations;                     // passes a substep
    double threshold;                   // l/l0 - 1 that is left alone
    fm_enforcement_target target;       // of an edge past the threshold
    bool compression;                   // edges shorter than 1 - threshold too: area is kept
    bool shear;                         // shear edges too
    fm_spring_order order;              // PUBLISHED
    int visits;                         // PUBLISHED: how often the list may come to a particle
    fm_enforcement_direction direction; // PUBLISHED
    bool contacts;    // particles that colliders hold count as fixed, beside pinned ones
    double recompute; // the order is made anew when so large a share of the fixed ones changed; 0:
                      // never
} fm_enforcement;

// What happens to a cloth with contact that begins inside a collider, or through itself or another.
typedef enum fm_contact_start {
    FM_START_REFUSE,   // the first advance fails and says where
    FM_START_SEPARATE, // it is moved out of colliders; what is through each other is let go until
                       // it comes apart
} fm_contact_start;

typedef struct fm_cloth_def {
    const char *name; // for messages and files; copied
    double density;   // kg/m^3, wet
    double thickness; // m
    struct {
        double stiffness; // N/m, surface modulus
    } stretch;
    struct {
        double stiffness; // N/m
    } shear;
    struct {
        fm_bend_model model;
        double stiffness; // N m (RIGIDITY), N/m (SPRINGS: surface modulus of the springs)
        fm_rest_angle rest_angle;
    } bend;
    struct {
        double coefficient; // N s^order / m, surface modulus of the springs' damping
        double order;       // in (0, 1], 1 is a dashpot
        fm_recall memory;
        double
            kept; // of the velocity from one substep to the next, in [0, 1]: with VERLET the d of
                  // x + d (x - x_prev) + h^2 a; 1 damps nothing
    } damping;
    fm_drag drag;
    struct {
        bool enabled;
        double distance;  // m; 0: chosen from the mesh
        double stiffness; // share of the largest stable one, in (0, 1]
        double friction;  // share of critical damping against approach, in [0, 1]
    } repulsion;
    // Nothing passes through: not this cloth through colliders, other such cloths or itself.
    struct {
        bool enabled;
        double thickness; // m, kept between surfaces; 0: the cloth's, or a tenth of an edge
        double friction;  // Coulomb's; two surfaces meet with the root of the product
        fm_contact_start start;
    } contact;
    fm_enforcement enforcement;
    fm_integrator integrator;
    double time_step; // s, the largest substep allowed; 0: from the stability bound. With
                      // enforcement the substep itself (0: 1/240), springs softened to bear it
    double margin;    // m, distance kept from colliders; -1: half the thickness
} fm_cloth_def;

// A rectangle of columns x rows particles: row 0 on top, x along columns, -y along rows, its top
// left corner at `origin`.
typedef struct fm_sheet {
    int columns, rows;    // 2 or more
    double width, height; // m
    fm_vec3 origin;       // m
    fm_quat rotation;     // about origin; all zero means none
    fm_vec3 velocity;     // m/s, of every particle at t = 0
} fm_sheet;

// A sheet whose left and right edges are one: a skirt. Particles row by row; seen from +z it is as
// a sheet is, row 0 on top, x along columns. `origin` is the centre of the top ring, the axis -y.
typedef struct fm_tube {
    int columns;                      // around, 3 or more
    int rows;                         // 2 or more
    double radius_top, radius_bottom; // m, of the circles through the particles
    double height;                    // m, along the axis
    fm_vec3 origin;                   // m
    fm_quat rotation;                 // about origin; all zero means none
    fm_vec3 velocity;                 // m/s, of every particle at t = 0
} fm_tube;

// Any triangles. Everything is copied; particles are the vertices, in their order, less those that
// are welded to an earlier one.
typedef struct fm_cloth_mesh {
    const fm_vec3 *positions; // m
    int vertex_count;
    const fm_vec3 *rest_positions; // m, whose lengths, areas and angles are those at rest; or NULL
    const int *triangles;          // three vertices each, counter-clockwise from the front
    int triangle_count;
    double weld;      // m, vertices as near as this become one particle; 0: none
    const int *welds; // pairs of vertices that become one wherever they are
    int weld_count;
    fm_vec3 velocity; // m/s, of every particle at t = 0
} fm_cloth_mesh;

typedef enum fm_cloth_kind { FM_CLOTH_SHEET, FM_CLOTH_TUBE, FM_CLOTH_MESH } fm_cloth_kind;

typedef enum fm_material {
    FM_COTTON_TOWEL,
    FM_SILK,
    FM_CANVAS,
    FM_GAUZE,
    FM_MATERIAL_COUNT
} fm_material;

FM_API fm_cloth_def fm_default_cloth_def(void); // a cotton towel under water, physical drag
// Density, thickness, stiffnesses and damping of a real fabric; docs/cloth.md says where they come
// from.
FM_API void fm_cloth_set_material(fm_cloth_def *def, fm_material material);
FM_API const char *fm_material_name(fm_material material); // "cotton-towel", ...

FM_API fm_cloth *fm_cloth_create_sheet(fm_world *world, const fm_cloth_def *def,
                                       const fm_sheet *sheet, fm_error *err);
FM_API fm_cloth *fm_cloth_create_tube(fm_world *world, const fm_cloth_def *def, const fm_tube *tube,
                                      fm_error *err);
FM_API fm_cloth *fm_cloth_create_mesh(fm_world *world, const fm_cloth_def *def,
                                      const fm_cloth_mesh *mesh, fm_error *err);

// Seams. Stitches pull particle one[i] and particle other[i] together: from how far apart they are
// made, over `time` seconds from `start` on, to nothing. time 0: at once.
FM_API bool fm_cloth_sew(fm_cloth *cloth, const int *one, const int *other, int count, double start,
                         double time, fm_error *err);

// Pins. Pinned particles follow `motion` from where they were made; NULL holds them there.
typedef enum fm_edge { FM_EDGE_TOP, FM_EDGE_BOTTOM, FM_EDGE_LEFT, FM_EDGE_RIGHT } fm_edge;
typedef enum fm_corner {
    FM_CORNER_TOP_LEFT,
    FM_CORNER_TOP_RIGHT,
    FM_CORNER_BOTTOM_LEFT,
    FM_CORNER_BOTTOM_RIGHT,
} fm_corner;
FM_API bool fm_cloth_pin_row(fm_cloth *cloth, int row, const fm_motion *motion, fm_error *err);
FM_API bool fm_cloth_pin_column(fm_cloth *cloth, int column, const fm_motion *motion,
                                fm_error *err);
FM_API bool fm_cloth_pin_edge(fm_cloth *cloth, fm_edge edge, const fm_motion *motion,
                              fm_error *err);
FM_API bool fm_cloth_pin_corner(fm_cloth *cloth, fm_corner corner, const fm_motion *motion,
                                fm_error *err);
FM_API bool fm_cloth_pin_list(fm_cloth *cloth, const int *particles, int count,
                              const fm_motion *motion, fm_error *err);
// Particles that are inside the shape now, of which there must be any: with a plane, all below it.
// `list` has room for all of the cloth. Returns how many.
FM_API int fm_cloth_find_within(const fm_cloth *cloth, const fm_shape *shape, int *list,
                                fm_error *err);
FM_API bool fm_cloth_pin_within(fm_cloth *cloth, const fm_shape *shape, const fm_motion *motion,
                                fm_error *err);
// Every pin made by the last pin call lets go at `time`, s.
FM_API bool fm_cloth_release_at(fm_cloth *cloth, double time, fm_error *err);

// Maps. While every one of the colliders touches some of these particles, enforcement takes all of
// the particles for fixed beside the pinned ones, from an order made beforehand; the first map that
// fits is taken.
FM_API bool fm_cloth_add_map(fm_cloth *cloth, const fm_collider *const *colliders,
                             int collider_count, const int *particles, int particle_count,
                             fm_error *err);
FM_API int fm_cloth_current_map(const fm_cloth *cloth); // 0: none of them, 1: the first
// How many corrections a pass makes: edges of the published list, or edges and reaches.
FM_API int fm_cloth_correction_count(const fm_cloth *cloth);

// Reads. In double, row by row or in the order of the mesh; valid until the next advance.
FM_API const char *fm_cloth_name(const fm_cloth *cloth);
FM_API int fm_cloth_particle_count(const fm_cloth *cloth);
FM_API fm_cloth_kind fm_cloth_topology(const fm_cloth *cloth);
FM_API fm_sheet fm_cloth_sheet(const fm_cloth *cloth); // of a sheet; zero for others
FM_API fm_tube fm_cloth_tube(const fm_cloth *cloth);   // of a tube; zero for others
// Three particles each, counter-clockwise from the side the normal points to; those of sheets and
// tubes are halves of the cells, cut along alternating diagonals. NULL with err filled when there
// is no memory.
FM_API const int *fm_cloth_triangles(fm_cloth *cloth, int *count, fm_error *err);
// The particle of each vertex a mesh was made of; NULL when nothing was welded, and they are the
// same. count: of vertices.
FM_API const int *fm_cloth_vertices(const fm_cloth *cloth, int *count);
// The triangles as they were given, in vertices: what files and pictures are made of.
FM_API const int *fm_cloth_faces(fm_cloth *cloth, int *count, fm_error *err);
FM_API fm_cloth_def fm_cloth_definition(const fm_cloth *cloth);
FM_API const fm_vec3 *fm_cloth_positions(fm_cloth *cloth, int *count);
FM_API const fm_vec3 *fm_cloth_velocities(fm_cloth *cloth, int *count);

// How far its stretch edges (a sheet's rows and columns, the edges of triangles) are from their
// length at rest now, as l/l0 - 1: 1 is twice as long, -0.5 half as long.
typedef struct fm_stretches {
    double max;                  // of the longest edge
    double min;                  // of the shortest
    double mean;                 // over all edges, those shorter than at rest as 0
    double mean_strain;          // over all edges, of |l/l0 - 1|
    int longest[2], shortest[2]; // the particles at their ends
} fm_stretches;
FM_API fm_stretches fm_cloth_measure_stretches(const fm_cloth *cloth);

// m^2, of the triangles: as the cloth is, 0 with err filled when there is no memory; and at rest.
FM_API double fm_cloth_area(fm_cloth *cloth, fm_error *err);
FM_API double fm_cloth_rest_area(const fm_cloth *cloth);
FM_API double fm_cloth_stable_step(const fm_cloth *cloth); // s, the substep's upper bound in use

// Writes: for setting up. Values for every particle, row by row.
FM_API bool fm_cloth_set_positions(fm_cloth *cloth, const fm_vec3 *positions, fm_error *err);
FM_API bool fm_cloth_set_velocities(fm_cloth *cloth, const fm_vec3 *velocities, fm_error *err);

// Fields: what exporters, probes and pictures read, by name.
FM_API const fm_field *fm_cloth_fields(int *count);
// values[particle_count * components]
FM_API bool fm_cloth_read_field(fm_cloth *cloth, const char *name, double *values, fm_error *err);

#ifdef __cplusplus
}
#endif

#endif
