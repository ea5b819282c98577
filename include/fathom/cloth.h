// SPDX-License-Identifier: MIT
// cloth.h: sheets of cloth, in air, in vacuum or under water.
//
// Parameters belong to the material, not to the mesh: refining a sheet does not change what it is.
// See docs/cloth.md for the equations and for how to choose the numbers.
#ifndef FATHOM_CLOTH_H
#define FATHOM_CLOTH_H

#include <fathom/api.h>
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

// How far back a fractional force looks.
typedef enum fm_recall_kind {
    FM_RECALL_FULL,    // the whole past
    FM_RECALL_STEPS,   // the last `steps` substeps, as the papers did: results change with the
                       // substep
    FM_RECALL_SECONDS, // the last `seconds`
    FM_RECALL_FADING,  // the past times e^(-t/fading)
} fm_recall_kind;

typedef enum fm_recall_rule { FM_RULE_TRAPEZOID, FM_RULE_COIMBRA } fm_recall_rule;

typedef struct fm_recall {
    fm_recall_kind kind;
    int steps;           // STEPS: >= 1
    fm_recall_rule rule; // STEPS
    double seconds;      // s, SECONDS: > 0
    double fading;       // s, FADING: > 0
    double tolerance;    // FULL, FADING: of the kernel, relative
    double horizon;      // s, FULL: how far back the tolerance holds
    bool unsafe; // STEPS, SECONDS: allow orders below 0.31, which can drive what they should damp
} fm_recall;

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

typedef enum fm_integrator {
    FM_KICK_DRIFT_KICK, // second order; drag and memory implicit in closed form
    FM_EULER,           // explicit, as published
    FM_VERLET,          // these three without memory:
    FM_RK2,
    FM_RK4,
} fm_integrator;

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
    } bend;
    struct {
        double coefficient; // N s^order / m, surface modulus of the springs' damping
        double order;       // in (0, 1], 1 is a dashpot
        fm_recall memory;
    } damping;
    fm_drag drag;
    struct {
        bool enabled;
        double distance;  // m; 0: chosen from the mesh
        double stiffness; // share of the largest stable one, in (0, 1]
        double friction;  // share of critical damping against approach, in [0, 1]
    } repulsion;
    fm_integrator integrator;
    double time_step; // s, the largest substep allowed; 0: from the stability bound
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
// Every pin made by the last pin call lets go at `time`, s.
FM_API bool fm_cloth_release_at(fm_cloth *cloth, double time, fm_error *err);

// Reads. In double, row by row; valid until the next advance.
FM_API const char *fm_cloth_name(const fm_cloth *cloth);
FM_API int fm_cloth_particle_count(const fm_cloth *cloth);
FM_API fm_sheet fm_cloth_sheet(const fm_cloth *cloth);
FM_API fm_cloth_def fm_cloth_definition(const fm_cloth *cloth);
FM_API const fm_vec3 *fm_cloth_positions(fm_cloth *cloth, int *count);
FM_API const fm_vec3 *fm_cloth_velocities(fm_cloth *cloth, int *count);
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
