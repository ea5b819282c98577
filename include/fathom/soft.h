// SPDX-License-Identifier: MIT
// soft.h: soft bodies: closed or open triangle surfaces with gas inside, fluidity among their
// points, and inner struts [MES].
//
//     F = alpha F_body + beta F_fluidity + gamma F_volume + delta F_gravity
//
// A soft body is a cloth made from a mesh; all functions of cloth.h apply to it. F_body are its
// springs, bending, damping and struts, F_volume is the pressure of the gas, F_fluidity are the
// forces of smoothed particle hydrodynamics among its points. docs/soft.md has the equations.
//
//     fm_mesh_shape shape = fm_default_mesh_shape();
//     shape.kind = FM_MESH_BALL, shape.radius = 0.11, shape.level = 3;
//     fm_cloth_def def = fm_default_soft_cloth_def();
//     fm_soft_def soft = fm_default_soft_def();
//     soft.gas.kind = FM_GAS_SEALED, soft.gas.pressure = 2000;
//     fm_cloth *ball = fm_cloth_create_soft_shape(world, &def, &soft, &shape, &place, &err);
//
// [MES] Mesit: Wrinkle effect using fluidity control in a general soft body model.
#ifndef FATHOM_SOFT_H
#define FATHOM_SOFT_H

#include <fathom/cloth.h>
#include <fathom/fabric.h>
#include <fathom/mesh_shape.h>

#ifdef __cplusplus
extern "C" {
#endif

// The gas inside a closed body.
typedef enum fm_gas_kind {
    FM_GAS_NONE,
    FM_GAS_SEALED,   // a constant amount of gas at constant temperature: (ambient + p) V is
                     // constant, apart from pump and leak
    FM_GAS_CONSTANT, // a constant over-pressure p
} fm_gas_kind;

// Form of the pressure force of fluidity between the points i and j.
typedef enum fm_fluidity_form {
    FM_FLUIDITY_SYMMETRIC, // with L_i + L_j: conserves momentum
    FM_FLUIDITY_PRINTED,   // with L_i - L_j, as equation (4) is printed: does not conserve it
} fm_fluidity_form;

typedef struct fm_soft_def {
    double spring; // N/m, one constant for all springs; 0: from def.stretch.stiffness and areas
    double alpha;  // weight of springs, bending, damping and struts, above 0
    double beta;   // weight of fluidity
    double gamma;  // weight of the gas pressure
    double delta;  // weight of gravity
    struct {
        double radius;    // m, h_w: points within it act on each other; 0: 2.5 mean edges
        double stiffness; // m^2/s^2, k: pressure L = k (density - density at the start)
        double viscosity; // N s/m (dimensions 2) or Pa s (3), mu
        fm_fluidity_form form;
        int dimensions; // of the kernels: 2, densities in kg/m^2, or 3, in kg/m^3
    } fluidity;
    struct {
        fm_gas_kind kind;
        double pressure; // Pa, over-pressure: inside minus ambient; of FM_GAS_SEALED at the start
        double ambient;  // Pa, pressure outside, at the centre of the body; 0: vacuum
        double density;  // kg/m^3, of the gas, for its weight against that of the medium
        struct {
            double flow;       // Pa m^3/s, gas pumped in; 0: no pump
            double start, end; // s
            double limit;      // Pa, over-pressure at which the pump stops
        } pump;
        double leak; // m^3/s: over-pressure times this is lost per second, in Pa m^3/s
    } gas;
    struct {
        double modulus;  // Pa, Young's modulus of the filling that struts stand for; 0: no struts
        double friction; // as a share of the critical damping
    } struts;
    double smoothing; // m, length below which the surface counts as rough; 0: 3 mean edges
} fm_soft_def;

// Weights 1, no gas, no struts; fluidity with the radius 2.5 edges, k = 1 m^2/s^2, mu = 0.
FM_API fm_soft_def fm_default_soft_def(void);
// A rubber-like skin: its rest angles are those of the initial shape, no drag, no imperfection.
FM_API fm_cloth_def fm_default_soft_cloth_def(void);

// Creates a soft body. def: skin, contact, drag, pins and all else. Gas needs a closed mesh.
FM_API fm_cloth *fm_cloth_create_soft(fm_world *world, const fm_cloth_def *def,
                                      const fm_soft_def *soft, const fm_cloth_mesh *mesh,
                                      fm_error *err);
// The same from a shape, with its vertex groups. The sheets of a cushion are flat at rest.
FM_API fm_cloth *fm_cloth_create_soft_shape(fm_world *world, const fm_cloth_def *def,
                                            const fm_soft_def *soft, const fm_mesh_shape *shape,
                                            const fm_fabric_place *place, fm_error *err);

// Measures of a soft body now.
typedef struct fm_soft_measure {
    double volume;    // m^3, enclosed; 0 for an open mesh
    double pressure;  // Pa, over-pressure of the gas
    double amount;    // Pa m^3, absolute pressure times volume of the gas
    double curvature; // 1/m, root mean square of the mean curvature
    double roughness; // m, root mean square of the distance to the smoothed surface
} fm_soft_measure;
// All zero, with err filled, if memory runs out or the cloth is no soft body.
FM_API fm_soft_measure fm_cloth_measure_soft(const fm_cloth *cloth, fm_error *err);
FM_API fm_soft_def fm_cloth_soft_definition(const fm_cloth *cloth);

#ifdef __cplusplus
}
#endif

#endif
