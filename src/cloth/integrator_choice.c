// SPDX-License-Identifier: MIT
// integrator_choice.c: the automatic choice between kick-drift-kick and the implicit integrator.
//
// Kick-drift-kick takes 1/h substeps a second with its stable substep h. The implicit integrator
// takes IMPLICIT_STEPS steps a second, or those of the definition's time_step, each at the cost of
// SHEET_KICKS or MESH_KICKS substeps of kick-drift-kick. It is chosen where it costs less and
// supports all forces. In a liquid, added mass by wavelength is such a force: the implicit
// integrator knows it only as a layer, which is enough in air.
//
// The choice is made when the cloth is created. A coupling to a fluid, a tie, a force that is added
// or another cloth in contact may still need kick-drift-kick before the first step.
//
// SHEET_KICKS and MESH_KICKS are measured on one core (docs/implicit.md): 61x41 particles of
// shirting in air, and a tube of 80x41. Contact is left out of the estimate; it is found in each
// substep of either integrator, which favours the implicit one further.
#include "cloth/added_mass.h"

#include <stdio.h>

static const double SHEET_KICKS = 19, MESH_KICKS = 14;
static const double IMPLICIT_STEPS = 96; // steps/s
static const double GAS = 10;            // kg/m^3, a denser medium is a liquid

// Why the implicit integrator cannot be used; NULL: it can.
static const char *find_obstacle(const fm_cloth *c, const fm_medium *medium)
{
    if (c->def.enforcement.method != FM_ENFORCE_NONE)
        return "enforcement";
    if (c->added && c->added->matters && medium->density > GAS)
        return "added mass by wavelength";
    return fm_implicit_find_unsupported(c);
}

static void give_obstacle(fm_cloth *c, const char *obstacle)
{
    snprintf(c->integrator_reason, sizeof c->integrator_reason,
             "kick-drift-kick: implicit does not support %s", obstacle);
}

void fm_cloth_choose_integrator(fm_cloth *c, const fm_medium *medium)
{
    const char *obstacle = find_obstacle(c, medium);
    c->def.integrator = FM_KICK_DRIFT_KICK;
    if (obstacle) {
        give_obstacle(c, obstacle);
        return;
    }
    fm_cloth_choose_step(c);
    double steps = c->def.time_step > 0 ? 1 / c->def.time_step : IMPLICIT_STEPS;
    double equal = steps * (c->kind == FM_CLOTH_SHEET ? SHEET_KICKS : MESH_KICKS);
    double kicks = 1 / c->stable_step;
    bool implicit = kicks > equal;
    snprintf(c->integrator_reason, sizeof c->integrator_reason,
             "%s: kick-drift-kick needs %.0f substeps a second, implicit costs as much as %.0f",
             implicit ? "implicit" : "kick-drift-kick", kicks, equal);
    if (implicit)
        c->def.integrator = FM_IMPLICIT;
}

void fm_cloth_prefer_explicit(fm_cloth *c, const char *obstacle)
{
    if (!c->implicit || c->started || !c->integrator_reason[0])
        return;
    c->implicit = NULL; // its memory belongs to the arena
    c->def.integrator = FM_KICK_DRIFT_KICK;
    give_obstacle(c, obstacle);
    fm_cloth_choose_step(c);
}

const char *fm_cloth_integrator_reason(const fm_cloth *cloth)
{
    return cloth->integrator_reason;
}
