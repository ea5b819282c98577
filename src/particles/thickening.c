// SPDX-License-Identifier: MIT
// thickening.c: definition of a thickening fluid from quantities that a person can know.
//
//     density, viscosity in slow shear, relaxation time of the stress, yield strain,
//     shear rate at which it begins to harden (onset), how many times stiffer it gets at most
//
// A share of the viscosity is that of the network of springs, which spring_memory.c converts to a
// stiffness; the rest is that of the fluid between the springs, which limits the substep. A spring
// hardens with what its strain rate exceeds the onset by, so the rate that doubles the stiffness
// (fm_spring_network.onset) is
//
//     sharpness onset / stiffening
//
// where `sharpness` is the excess, relative to the onset, at which steady shear has the full
// stiffness. docs/thickening.md has the conversion and what the rheometer measures of it.
#include "particles/particles.h"

#include <assert.h>

// Speed of sound / largest flow speed expected. Fluids that flow slowly may be more compressible
// than water in exchange for longer substeps: a pool is denser at the bottom by 1 / (2 ratio^2).
static const double SOUND_RATIO = 2;
// Springs are made and broken and memories advance with new neighbour lists: after this share of
// the time in which the memory fades, or this time, s, whichever is shorter.
static const double LIST_SHARE = 1.0 / 12, LONGEST_LIST = 0.1;

// What a material is made of, in the units of fm_thickening. Values for pictures at the size of a
// table, not measured.
typedef struct material_row {
    double density, viscosity, relaxation, yield, onset, stiffening;
    double network; // share of the viscosity that the springs have
} material_row;

static const material_row rows[FM_THICKENING_MATERIAL_COUNT] = {
    [FM_THICKENING_CORNSTARCH] = {1200, 5, 0.2, 0.4, 1, 2000, 0.5},
    [FM_THICKENING_HONEY] = {1420, 10, 0.01, 0, 0, 1, 0.5},
    [FM_THICKENING_TOOTHPASTE] = {1300, 60, 0.1, 0.2, 0, 1, 0.9},
    [FM_THICKENING_SLIME] = {1050, 60, 0.4, 0, 0, 1, 0.9},
    [FM_THICKENING_GEL] = {1000, 500, 2, 0.2, 0, 1, 0.98},
};

// Cornstarch in water.
fm_thickening fm_default_thickening(void)
{
    return (fm_thickening){
        .material = FM_THICKENING_CORNSTARCH, .sharpness = 0.01, .history = true};
}

// The value, or that of the material if it is 0.
static double choose(double value, double of_material)
{
    return value > 0 ? value : of_material;
}

// Sets density, viscosity, network and step of a fluid's definition.
void fm_thickening_convert(const fm_thickening *t, fm_particles_def *def)
{
    assert(t && def && (unsigned)t->material < FM_THICKENING_MATERIAL_COUNT);
    const material_row *row = &rows[t->material];
    const double viscosity = choose(t->viscosity, row->viscosity);
    fm_spring_network *n = &def->network;
    const fm_recall_kind kind = n->memory.kind;
    const bool window = kind == FM_RECALL_STEPS || kind == FM_RECALL_SECONDS;
    def->density = choose(t->density, row->density);
    def->viscosity = (1 - row->network) * viscosity;
    def->sound_ratio = SOUND_RATIO;
    const double share = kind == FM_RECALL_FADING ? LIST_SHARE * n->memory.fading : LONGEST_LIST;
    def->list_time = window ? 0 : fmin(share, LONGEST_LIST); // windows record every substep
    n->viscosity = row->network * viscosity;
    n->relaxation = choose(t->relaxation, row->relaxation);
    n->yield = choose(t->yield, row->yield);
    n->stiffening = fmax(1, choose(t->stiffening, row->stiffening));
    double onset = t->history ? choose(t->onset, row->onset) : 0;
    n->onset = t->sharpness * onset / n->stiffening;
    n->threshold = window ? 0 : onset;
    n->published = t->published;
    if (t->published) {
        def->method = FM_SPH_RELAXATION;
        n->rate = n->rate == FM_HARDENING_LENGTH ? FM_HARDENING_SPEED : n->rate;
    }
}
