// SPDX-License-Identifier: MIT
// line.h: lines (cords, ropes, hair) and loads (balls that hang on them).
//
// A line is a body of strands: points joined by edges that resist stretching and bending. It is
// simulated as a cloth without faces, so the functions of cloth.h that speak of particles (pins,
// positions, velocities, fields) work on it. A load is a ball with a mass, simulated as one point.
//
//     fm_cloth *rope = fm_line_create(world, &def, &strands, &err);
//     fm_cloth *crate = fm_load_create(world, &load, &err);
//     fm_world_tie(world, fm_cloth_object(rope), 20, fm_cloth_object(crate), 0, &err);
//
// Lengths are those at rest. docs/lines.md has the equations and the sources of the coefficients.
#ifndef FATHOM_LINE_H
#define FATHOM_LINE_H

#include <fathom/api.h>
#include <fathom/cloth.h>
#include <fathom/error.h>
#include <fathom/memory.h>
#include <fathom/object.h>
#include <fathom/vec.h>
#include <fathom/world.h>

#ifdef __cplusplus
extern "C" {
#endif

// Force of the medium on a line, as on a circular cylinder, or on a load, as on a sphere. u: the
// velocity relative to the medium; d: the diameter; rho, mu: density and viscosity of the medium.
typedef struct fm_line_drag {
    bool enabled;
    double across;     // C_n in 1/2 rho C_n d |u| u per length across a line; of a load, C in
                       // 1/2 rho C (pi d^2/4) |u| u
    double along;      // C_t in 1/2 rho C_t pi d |u| u per length along a line; unused by loads
    double viscous;    // K: adds K/2 mu u per length across, so that the drag coefficient is
                       // C_n + K/Re, and half of it along; of a load, K/24 of Stokes' drag
    bool history;      // half derivatives of the velocity, from the boundary layer
    double added_mass; // C_a: mass of medium that moves with it, in displaced masses; of a line,
                       // across it only
} fm_line_drag;

// Contact of a line or load with colliders, cloth, other lines and itself.
typedef struct fm_line_contact {
    bool enabled;
    double thickness; // m, distance kept; 0: the diameter
    double friction;  // Coulomb's coefficient
    fm_contact_start start;
} fm_line_contact;

// Definition of a line: its material, the forces on it and how it is simulated.
typedef struct fm_line_def {
    const char *name;      // for messages and files; copied
    double diameter;       // m
    double linear_density; // kg/m, wet
    double stiffness;      // N, axial stiffness EA: force over strain
    bool tension_only;     // the line goes slack instead of resisting compression
    double bending;        // N m^2, bending rigidity EI; the line is straight at rest
    struct {
        double coefficient; // N s^order: force over the rate of strain
        double order;       // of the derivative of the strain, in (0, 1]; 1 is a dashpot
        fm_recall memory;   // for orders below 1
    } damping;
    double kappa; // 1/s, published damping of the velocity due to the springs, as of fabric
    fm_line_drag drag;
    fm_line_contact contact;
    fm_enforcement enforcement; // constraint projection of edge lengths, as of cloth
    double time_step;           // s, as of cloth: largest substep, 0: from the stability bound
    double margin; // m, distance kept from colliders without contact; -1: half the diameter
} fm_line_def;

// The points and strands of a line. All arrays are copied.
typedef struct fm_strands {
    const fm_vec3 *positions; // m
    int point_count;
    const int *points; // indices of positions, strand after strand, two or more for each strand;
                       // strands may share points
    const int *starts; // [strand_count + 1] where each strand begins in `points`
    int strand_count;
    const double *lengths; // [strand_count] m, at rest; NULL: as placed. Edges keep their shares
    fm_vec3 velocity;      // m/s, of every point at t = 0
} fm_strands;

// Definition of a load: a ball with a mass that lines can be tied to. It does not rotate.
typedef struct fm_load_def {
    const char *name; // for messages and files; copied
    double mass;      // kg
    double radius;    // m
    fm_vec3 position; // m, of its centre
    fm_vec3 velocity; // m/s, at t = 0
    fm_line_drag drag;
    fm_line_contact contact;
    double margin; // m, distance of its centre from colliders without contact; -1: its radius
} fm_load_def;

FM_API fm_line_def fm_default_line_def(void); // a polyester cord of 4 mm
FM_API fm_load_def fm_default_load_def(void); // a ball of 1 kg and 10 cm

FM_API fm_cloth *fm_line_create(fm_world *world, const fm_line_def *def, const fm_strands *strands,
                                fm_error *err);
FM_API fm_cloth *fm_load_create(fm_world *world, const fm_load_def *def, fm_error *err);

// The end points of strand s of a line: its first and its last particle.
FM_API bool fm_line_ends(const fm_cloth *line, int strand, int ends[2]);
FM_API int fm_line_strand_count(const fm_cloth *line); // 0 for a load and for a cloth
// N, tension of every edge now, in the order of the strands; returns the number of edges.
FM_API int fm_line_tensions(const fm_cloth *line, double *tensions);

// Ties a point of one body to a point of another: from now on they are one point that has the mass
// of both. Bodies are cloths, lines and loads; the points must lie within 1e-6 m of each other.
// Only before the first advance. Tied bodies take their substeps together, and the tie exchanges
// equal and opposite impulses.
FM_API bool fm_world_tie(fm_world *world, fm_object *one, int point, fm_object *other,
                         int other_point, fm_error *err);
// The same for points at some distance, which keep their displacement from each other: they move
// and accelerate alike. It makes a sheet in a periodic flow one period of an endless one.
FM_API bool fm_world_tie_apart(fm_world *world, fm_object *one, int point, fm_object *other,
                               int other_point, fm_error *err);
FM_API int fm_world_tie_count(const fm_world *world);

#ifdef __cplusplus
}
#endif

#endif
