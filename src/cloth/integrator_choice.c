// SPDX-License-Identifier: MIT
// integrator_choice.c: the automatic choice between kick-drift-kick and the implicit integrator.
//
// Kick-drift-kick takes 1/h substeps a second with its stable substep h. The implicit integrator
// takes IMPLICIT_STEPS steps a second, each at the cost of STEP_KICKS substeps of kick-drift-kick. It is chosen where it costs less and supports all
// forces. In a liquid, added mass by wavelength is such a force: the implicit integrator knows it
// only as a layer, which is enough in air.
//
// STEP_KICKS is measured with 61x41 particles of shirting in air, on one core (docs/implicit.md):
// 1.54 s for 96 steps, 15.0 s for 917 * 24 substeps. Contact is left out of the estimate; it is
// found in each substep of either integrator, which favours the implicit one further.
#include "cloth/added_mass.h"

#include <stdio.h>

static const double STEP_KICKS = 23.5;
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

void fm_cloth_choose_integrator(fm_cloth *c, const fm_medium *medium)
{
    char *text = c->integrator_reason;
    size_t size = sizeof c->integrator_reason;
    const char *obstacle = find_obstacle(c, medium);
    c->def.integrator = FM_KICK_DRIFT_KICK;
    if (obstacle) {
        snprintf(text, size, "kick-drift-kick: implicit does not support %s", obstacle);
        return;
    }
    fm_cloth_choose_step(c);
    double kicks = 1 / c->stable_step, equal = STEP_KICKS * IMPLICIT_STEPS;
    bool implicit = kicks > equal;
    snprintf(text, size,
             "%s: kick-drift-kick needs %.0f substeps a second, implicit costs as much as %.0f",
             implicit ? "implicit" : "kick-drift-kick", kicks, equal);
    if (implicit)
        c->def.integrator = FM_IMPLICIT;
}

const char *fm_cloth_integrator_reason(const fm_cloth *cloth)
{
    return cloth->integrator_reason;
}
