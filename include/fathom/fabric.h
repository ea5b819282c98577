// SPDX-License-Identifier: MIT
// fabric.h: fabric as point masses and springs on the edges of a triangle mesh [LCKL13].
//
// A fabric is a cloth made from a mesh. Its springs have one constant and its points one mass, as
// published, instead of surface moduli and a mass per area; docs/fabric.md has the equations. All
// functions of cloth.h apply to it.
//
// [LCKL13] Li, Chern, Kim, Li: Numerical method of fabric dynamics using front tracking and spring
// model. Communications in Computational Physics 14(5), 2013.
#ifndef FATHOM_FABRIC_H
#define FATHOM_FABRIC_H

#include <fathom/cloth.h>
#include <fathom/mesh_shape.h>

#ifdef __cplusplus
extern "C" {
#endif

// Force of a spring from one end to the other: d is the vector between them, l its length, d0 and
// l0 the same at rest.
typedef enum fm_fabric_model {
    FM_FABRIC_MODEL_I,   // k (d - d0): linear, resists rotation, too
    FM_FABRIC_MODEL_II,  // k (l - l0) d / l: stretching only
    FM_FABRIC_MODEL_III, // k (l0 d / l - d0): the difference of I and II
    FM_FABRIC_TENSION,   // model II without a force if l < l0 (Choi and Ko 2002)
} fm_fabric_model;

typedef struct fm_fabric_def {
    fm_fabric_model model;
    double spring;     // N/m, k of all springs
    double rim_share;  // factor on k of edges at the border; 1 as published. 1/2 gives a strip the
                       // modulus of the lattice, whatever its width
    double point_mass; // kg, of each point; 0: from area, density and thickness
    double kappa;      // 1/s, damping: the acceleration -kappa v_s, with the velocity v_s due to
                       // the impulses of the springs
    double pressure;   // Pa, behind minus in front of the fabric
    bool external_velocity; // impulse method: the velocity of the medium is added to that of each
                            // point. Needs drag model none
    bool reflection; // published collision handling: points that come close to a triangle of the
                     // same fabric, or to a collider, are reflected along its normal
    double reflection_distance; // m; 0: a tenth of the mean edge
    double courant; // largest omega h of the substep, with omega from the eigenfrequency bound; 0:
                    // 1.5 for kick-drift-kick, 0.1, as published, for other integrators
} fm_fabric_def;

FM_API fm_fabric_def fm_default_fabric_def(void); // model II, k = 1000 N/m, masses by area
// The rest of the definition as published: no bending, drag, damping or imperfection. Its mass per
// area, 46 g/m^2, is that of ripstop nylon.
FM_API fm_cloth_def fm_default_fabric_cloth_def(void);

// k of the springs that give a mesh of this shape the surface modulus (Young's modulus times
// thickness, N/m): 2 k / sqrt(3) on a regular mesh, less on an irregular one.
FM_API double fm_fabric_spring_of_modulus(const fm_mesh_shape *shape, double modulus);

// Creates a fabric. def: contact, drag, integrator and all else; its stretch stiffness is not used.
// Pins are added afterwards, with the functions of cloth.h.
FM_API fm_cloth *fm_cloth_create_fabric(fm_world *world, const fm_cloth_def *def,
                                        const fm_fabric_def *fabric, const fm_cloth_mesh *mesh,
                                        fm_error *err);
// Where and how a fabric of a built shape starts.
typedef struct fm_fabric_place {
    fm_vec3 origin;    // m, position of the shape's origin
    fm_quat rotation;  // about the shape's origin; all zero: none
    fm_vec3 velocity;  // m/s
    double prestretch; // initial lengths over rest lengths; 0 counts as 1: at rest
    // Initial displacement to the front: height (1 - d^2/radius^2)^2 at distances d < radius of the
    // shape's axis y through (x, z).
    struct {
        double height, radius, x, z; // m
    } bump;
    // Folded into pleats about the axis y, apex up; not for closed shapes. opening: 0: as narrow as
    // the pleats allow, 1: unfolded. pleats: 0: not folded
    struct {
        int pleats;
        double opening;
    } fold;
} fm_fabric_place;
// The same from a shape, with its vertex groups.
FM_API fm_cloth *fm_cloth_create_fabric_shape(fm_world *world, const fm_cloth_def *def,
                                              const fm_fabric_def *fabric,
                                              const fm_mesh_shape *shape,
                                              const fm_fabric_place *place, fm_error *err);

// Angular frequencies of the springs of a mesh, rad/s.
typedef struct fm_eigenfrequencies {
    double gershgorin; // bound: the root of the largest 2 sum k/m at a point
    double bound; // sharper bound: largest frequency of model I, by Lanczos iterations, plus 2.5 %.
                  // It holds for models I and II, and tension only, in any state
    double linear; // largest frequency of the springs linearised in the present state, pins held
} fm_eigenfrequencies;
// iterations: 10 or more; 60 give `bound` as it is used for the substep, some hundred give `linear`
// to 1e-4. Returns zeros and fills err for sheets and tubes, or if memory runs out.
FM_API fm_eigenfrequencies fm_cloth_find_eigenfrequencies(const fm_cloth *cloth, int iterations,
                                                          fm_error *err);

#ifdef __cplusplus
}
#endif

#endif
