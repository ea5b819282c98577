// SPDX-License-Identifier: MIT
// materials.c: properties of wet fabrics in SI units, and the default definition. docs/cloth.md
// gives the source of each number.
#include "cloth/cloth.h"

#include <assert.h>
#include <math.h>

static const char *const names[FM_MATERIAL_COUNT] = {"cotton-towel", "silk", "canvas", "gauze"};

// thickness m, wet density kg/m^3, stretch N/m, shear N/m, bend N m, damping N s/m, damping of
// bending N m s: 0.016 s times bend, a loss tangent of 0.1 at 1 Hz
static const double properties[FM_MATERIAL_COUNT][7] = {
    [FM_COTTON_TOWEL] = {2.0e-3, 1080, 150, 30, 2.0e-5, 0.025, 3.2e-7},
    [FM_SILK] = {8.0e-5, 1110, 100, 14, 4.0e-6, 0.003, 6.4e-8},
    [FM_CANVAS] = {8.0e-4, 1175, 400, 110, 1.5e-4, 0.03, 2.4e-6},
    [FM_GAUZE] = {3.0e-4, 1060, 60, 2, 1.0e-6, 0.005, 1.6e-8},
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
    const double *p = properties[material];
    def->thickness = p[0];
    def->density = p[1];
    def->stretch.stiffness = p[2];
    def->shear.stiffness = p[3];
    def->bend.model = FM_BEND_RIGIDITY;
    def->bend.stiffness = p[4];
    def->bend.damping.coefficient = p[6];
    def->bend.damping.order = 1;
    def->damping.coefficient = p[5];
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
        .bend = {.damping = {.memory = whole_past}},
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
        .integrator = FM_KICK_DRIFT_KICK,
        .margin = -1,
    };
    def.drag.history.memory.kind = FM_RECALL_FADING;
    fm_cloth_set_material(&def, FM_COTTON_TOWEL);
    return def;
}
