// SPDX-License-Identifier: MIT
// materials.c: properties of wet and of dry fabrics in SI units, and the default definition.
// docs/cloth.md gives the source of each number.
#include "cloth/cloth.h"

#include <assert.h>
#include <math.h>

static const char *const names[FM_MATERIAL_COUNT] = {
    "cotton-towel",  "silk",   "canvas",     "gauze",     "denim",    "polyester",    "twill",
    "sports-fabric", "fleece", "ponte-roma", "interlock", "rib-knit", "sweater-knit", "swim-knit"};

// Properties of a fabric.
typedef struct properties {
    double thickness, density;   // m, kg/m^3
    double warp, weft, poisson;  // N/m; Poisson's ratio
    double shear;                // N/m
    double bend_warp, bend_weft; // N m
    double damping;              // N s/m; 0: DAMPING_TIME times the modulus of the warp
} properties;

// s, damping of bending over bending rigidity: a loss tangent of 0.1 at 1 Hz
static const double BEND_DAMPING_TIME = 0.016;
static const double DAMPING_TIME = 1.7e-4; // s, damping over stiffness; that of the towel

static const properties fabrics[FM_MATERIAL_COUNT] = {
    [FM_COTTON_TOWEL] = {2.0e-3, 1080, 150, 150, 0, 30, 2.0e-5, 2.0e-5, 0.025},
    [FM_SILK] = {8.0e-5, 1110, 100, 100, 0, 14, 4.0e-6, 4.0e-6, 0.003},
    [FM_CANVAS] = {8.0e-4, 1175, 400, 400, 0, 110, 1.5e-4, 1.5e-4, 0.03},
    [FM_GAUZE] = {3.0e-4, 1060, 60, 60, 0, 2, 1.0e-6, 1.0e-6, 0.005},
    // [WOR11]; the density is the measured mass per area over a typical thickness
    [FM_DENIM] = {0.0008, 405.0, 226.9, 1055, 0.09, 53.4, 6.42e-05, 9.7e-05, 0},
    [FM_POLYESTER] = {0.0003, 426.7, 2107, 2146, 0.02, 19.2, 5.17e-05, 3.13e-05, 0},
    [FM_TWILL] = {0.00045, 488.9, 2110, 2148, 0.02, 105, 0.000125, 0.000125, 0},
    [FM_SPORTS_FABRIC] = {0.0003, 376.7, 129.1, 320.4, 0.45, 14.3, 1.43e-05, 2.03e-05, 0},
    [FM_FLEECE] = {0.002, 114.0, 144.4, 277, 0.48, 30.3, 0.000117, 5.98e-05, 0},
    [FM_PONTE_ROMA] = {0.0009, 315.6, 109.5, 191.3, 0.44, 31.9, 3.63e-05, 3.72e-05, 0},
    [FM_INTERLOCK] = {0.0007, 267.1, 97.35, 330.6, 0.45, 36.9, 2.32e-05, 1.43e-05, 0},
    [FM_RIB_KNIT] = {0.0009, 306.7, 65.55, 176.9, 0.01, 83.2, 4.62e-05, 3.22e-05, 0},
    [FM_SWEATER_KNIT] = {0.0009, 248.9, 75.28, 220.6, 0.50, 17.6, 5.95e-05, 4.56e-05, 0},
    [FM_SWIM_KNIT] = {0.0006, 340.0, 50.44, 115.2, 0.21, 60.8, 6.02e-05, 5.1e-05, 0},
};

const char *fm_material_name(fm_material material)
{
    return material >= 0 && material < FM_MATERIAL_COUNT ? names[material] : "unknown";
}

// Sets density, thickness, stiffnesses and damping of a real fabric. Does nothing for an unknown
// material.
void fm_cloth_set_material(fm_cloth_def *def, fm_material material)
{
    assert(def);
    if (material < 0 || material >= FM_MATERIAL_COUNT)
        return;
    const properties *p = &fabrics[material];
    def->thickness = p->thickness;
    def->density = p->density;
    def->stretch.stiffness = p->warp;
    def->stretch.weft = p->weft == p->warp ? 0 : p->weft;
    def->stretch.poisson = p->poisson;
    def->shear.stiffness = p->shear;
    def->bend.model = FM_BEND_RIGIDITY;
    def->bend.stiffness = p->bend_warp;
    def->bend.weft = p->bend_weft == p->bend_warp ? 0 : p->bend_weft;
    def->bend.damping.coefficient = BEND_DAMPING_TIME * p->bend_warp;
    def->bend.damping.order = 1;
    def->damping.coefficient = p->damping > 0 ? p->damping : DAMPING_TIME * p->warp;
    def->damping.order = 1;
}

// The definition that a caller starts from: a cotton towel with physical drag. The history force of
// the published drag has a fading memory: with a full memory of displacements, a sinking sheet has
// no terminal speed.
fm_cloth_def fm_default_cloth_def(void)
{
    const fm_recall whole_past = {.kind = FM_RECALL_FULL,
                                  .steps = 3,
                                  .rule = FM_RULE_TRAPEZOID,
                                  .seconds = 1,
                                  .fading = 1,
                                  .tolerance = 1e-4,
                                  .horizon = 100};
    fm_cloth_def def = {
        .name = "cloth",
        .bend = {.damping = {.memory = whole_past}, .friction = {.curvature = 20}},
        .damping = {.memory = whole_past, .kept = 1},
        .drag =
            {
                .model = FM_DRAG_PHYSICAL,
                .history = {.order = 0.5, .memory = whole_past},
                .pressure = 1.2,
                .ripple_pressure = 0.3,
                .friction = 0.02,
                .skin_history = true,
                .normal_history = -1,
                .added_mass = -1,
            },
        .imperfection = {.amount = 5e-3},
        .muscle = {.period = 1, .active = 0.3, .axis = {0, 1, 0}},
        .repulsion = {.stiffness = 0.5},
        .contact = {.friction = 0.3},
        .enforcement = {.iterations = 1,
                        .compression = true,
                        .shear = true,
                        .visits = 3,
                        .contacts = true,
                        .recompute = 0.1},
        .integrator = FM_AUTOMATIC,
        .margin = -1,
    };
    def.drag.history.memory.kind = FM_RECALL_FADING;
    fm_cloth_set_material(&def, FM_COTTON_TOWEL);
    return def;
}
