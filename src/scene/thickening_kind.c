// SPDX-License-Identifier: MIT
// thickening_kind.c: the kind fluids.NAME.thickening: a particle fluid with a network of springs.
// Its keys are measurable properties of the fluid; spring constants follow from them
// (docs/thickening.md).
#include "scene/thickening_kind.h"

#include "particles/particles.h"
#include "scene/fluid_kind.h"

static const char *const material_names[] = {"cornstarch", "honey", "toothpaste",
                                             "slime",      "gel",   NULL};

// The default, whose results do not depend on the observer or on the step; or that of [OZG13].
typedef enum model { OBJECTIVE, PUBLISHED } model;

// Decoded keys. The first member has the keys that all particle fluids share.
typedef struct thickening {
    fm_scene_fluid fluid;
    fm_thickening_material material;
    model model;
    bool history;
    double sharpness;
} thickening;

#define DEF(member) offsetof(thickening, fluid.def.member)
#define FLUID(member) offsetof(thickening, fluid.member)

static const char *const rates[] = {"length", "speed", "displacement", NULL};
static const char *const models[] = {"objective", "published", NULL};
// Methods in the order of fm_sph_method; the standard one has no step for stiff springs.
static const char *const methods[] = {"weakly-compressible", "constant-density", "standard",
                                      "automatic",           "relaxation",       NULL};

static const fm_entry entries[] = {
    {"material", FM_KEY_WORD, offsetof(thickening, material), .words = material_names,
     .about = "where keys that are 0 take their values from; only cornstarch hardens"},
    {"model", FM_KEY_WORD, offsetof(thickening, model), .words = models,
     .about = "`published`: that of [OZG13] chapter 5, with method relaxation, rate speed unless "
              "rate is displacement, explicit plastic flow and sticky walls"},
    {"density", FM_KEY_NUMBER, DEF(density), "kg/m^3", WITHIN(0, 1e6),
     .about = "rest density; 0: that of the material"},
    {"viscosity", FM_KEY_NUMBER, DEF(viscosity), "Pa s", WITHIN(0, 1e6),
     .about = "dynamic viscosity in slow shear; 0: that of the material"},
    {"relaxation", FM_KEY_NUMBER, DEF(network.relaxation), "s", WITHIN(0, 1e6),
     .about = "time in which the stress of a held shape decays; viscosity / relaxation is twice "
              "the elastic modulus in Pa; 0: that of the material"},
    {"yield", FM_KEY_NUMBER, DEF(network.yield), .range = WITHIN(0, 0.9),
     .about = "relative deformation below which the fluid keeps its shape; 0: that of the "
              "material; 1e-9: none"},
    {"onset", FM_KEY_NUMBER, DEF(network.onset), "1/s", WITHIN(0, 1e6),
     .about = "shear rate at which the fluid begins to harden; 0: that of the material"},
    {"sharpness", FM_KEY_NUMBER, offsetof(thickening, sharpness), .range = ABOVE(0, 1e6),
     .about = "how far a steady shear rate must exceed the onset for the full stiffness, relative "
              "to the onset: small values harden all at once, large ones gradually"},
    {"stiffening", FM_KEY_NUMBER, DEF(network.stiffening), .range = WITHIN(0, 1e6),
     .about = "how many times stiffer the springs get at most; 0: that of the material"},
    {"history", FM_KEY_BOOLEAN, offsetof(thickening, history),
     .about = "false: the fluid does not harden, for comparison"},
    {"order", FM_KEY_NUMBER, DEF(network.order), .range = WITHIN(1e-3, 0.999),
     .about = "order of the fractional derivative that remembers; smaller orders remember longer"},
    {"memory", FM_KEY_MAPPING, DEF(network.memory), .table = &fm_memory_keys_table,
     .about = "how long it stays hard: `fading` or `full`; with the rates speed and displacement "
              "also `steps` or `seconds`, which need a time_step and keep the past per particle"},
    {"rate", FM_KEY_WORD, DEF(network.rate), .words = rates,
     .about = "what hardens a spring: the rate of its length; the relative speed of its ends, as "
              "in [OZG13] eq. (5.13), which also hardens fluid that rotates rigidly; or the "
              "fractional derivative of their relative displacement, eq. (5.9)"},
    {"dimensions", FM_KEY_INTEGER, DEF(dimensions), .range = WITHIN(2, 3),
     .about = "3, or 2 for flow in the plane z = 0, with masses per metre of depth"},
    {"domain", FM_KEY_MAPPING, .table = &fm_fluid_domain_table,
     .about = "the box that contains the fluid"},
    {"spacing", FM_KEY_NUMBER, DEF(spacing), "m", ABOVE(0, 1e3),
     .about = "distance between particles at rest"},
    {"method", FM_KEY_WORD, DEF(method), .words = methods,
     .about = "how the pressure is computed, as in `sph`; relaxation is that of [OZG13] chapter 5"},
    {"sticky", FM_KEY_BOOLEAN, DEF(sticky),
     .about = "hardened fluid sticks to walls and colliders; only for method relaxation"},
    {"speed", FM_KEY_NUMBER, DEF(speed), "m/s", WITHIN(0, 1e6),
     .about = "largest expected speed of the fluid; the speed of sound is set to 2.5 times that; "
              "0: estimated; only for method weakly-compressible"},
    {"time_step", FM_KEY_NUMBER, DEF(time_step), "s", WITHIN(0, 1e3),
     .about = "largest substep; 0: only the Courant number and the forces limit it"},
    {"courant", FM_KEY_NUMBER, DEF(courant), .range = WITHIN(1e-3, 1),
     .about = "Courant number: fraction of the support radius that sound, or the fluid with "
              "constant-density, travels in a substep"},
    {"capacity", FM_KEY_INTEGER, DEF(capacity), .range = WITHIN(0, 1e8),
     .about = "largest number of particles; 0: the initial number, with sources 4 times that and "
              "at least 50,000"},
    {"loads", FM_KEY_BOOLEAN, DEF(loads),
     .about = "measure the force on walls and colliders: columns load_x, load_y, load_z in "
              "stats.csv, N, mean over a frame"},
    {"boxes", FM_KEY_LIST, FLUID(boxes), .table = &fm_fluid_box_table, .range = WITHIN(0, 1024),
     .about = "boxes filled with fluid at the start"},
    {"sources", FM_KEY_LIST, FLUID(sources), .table = &fm_fluid_source_table,
     .range = WITHIN(0, 256), .about = "nozzles that add fluid"},
    {"sinks", FM_KEY_LIST, FLUID(sinks), .table = &fm_fluid_sink_table, .range = WITHIN(0, 256),
     .about = "boxes that remove fluid"},
    {"pushes", FM_KEY_LIST, FLUID(pushes), .table = &fm_fluid_push_table, .range = WITHIN(0, 256),
     .about = "balls in which the fluid is accelerated"},
};

// Default values of the keys; 0: that of the material.
static void set_defaults(void *object)
{
    thickening *t = object;
    fm_particles_def *def = &t->fluid.def;
    *def = fm_default_particles_def();
    def->density = def->viscosity = 0;
    def->network.relaxation = def->network.stiffening = 0;
    t->history = true;
    t->sharpness = fm_default_thickening().sharpness;
}

// The rate that hardens springs: the published model has no rate of length.
static fm_hardening_rate find_rate(const thickening *t)
{
    const fm_hardening_rate rate = t->fluid.def.network.rate;
    return t->model == PUBLISHED && rate == FM_HARDENING_LENGTH ? FM_HARDENING_SPEED : rate;
}

// Memories over windows keep past velocities of particles, from which no lengths follow.
static void check_keys(fm_decoder *d, const fm_node *node, const void *object)
{
    const thickening *t = object;
    const fm_particles_def *def = &t->fluid.def;
    const fm_recall_kind kind = def->network.memory.kind;
    const fm_hardening_rate rate = find_rate(t);
    const bool window = kind == FM_RECALL_STEPS || kind == FM_RECALL_SECONDS;
    const fm_place place = fm_node_find_place(node, "memory", NULL, NULL);
    if (window && rate == FM_HARDENING_LENGTH)
        fm_loader_add_mistake(d->loader, place,
                              "%s.memory is %s, allowed with rate length is fading or full",
                              d->path, kind == FM_RECALL_STEPS ? "steps" : "seconds");
    else if (window && !(def->time_step > 0))
        fm_loader_add_mistake(d->loader, place, "%s.memory is %s, which needs a time_step above 0",
                              d->path, kind == FM_RECALL_STEPS ? "steps" : "seconds");
    else if (!window && rate == FM_HARDENING_DISPLACEMENT)
        fm_loader_add_mistake(d->loader, place,
                              "%s.memory is %s, allowed with rate displacement is steps or seconds",
                              d->path, kind == FM_RECALL_FULL ? "full" : "fading");
}

const fm_table fm_thickening_table = {
    .name = "thickening",
    .about = "A viscoelastic particle fluid that hardens when it is stirred and softens when it is "
             "left alone. `docs/thickening.md` has the equations.",
    .size = sizeof(thickening),
    .set_defaults = set_defaults,
    .entries = entries,
    .count = COUNT(entries),
    .check = check_keys,
};

// Definition of the particle fluid with its springs.
static fm_particles_def find_definition(const thickening *t)
{
    fm_particles_def def = t->fluid.def;
    const fm_thickening known = {
        .material = t->material,
        .density = def.density,
        .viscosity = def.viscosity,
        .relaxation = def.network.relaxation,
        .yield = def.network.yield,
        .onset = def.network.onset,
        .sharpness = t->sharpness,
        .stiffening = def.network.stiffening,
        .history = t->history,
        .published = t->model == PUBLISHED,
    };
    fm_thickening_convert(&known, &def);
    return def;
}

// Creates the fluid with its boxes, sources, sinks and body-force regions.
static void build(fm_builder *b, const fm_scene_object *object, fm_error *err)
{
    const thickening *t = object->def;
    fm_particles_def def = find_definition(t);
    fm_scene_build_particles(b, object, &t->fluid, &def, err);
}

// Boxes of fluid must lie within the domain.
static void check_boxes(fm_decoder *d, const fm_scene_object *object)
{
    fm_scene_check_fluid_boxes(d, object, "thickening");
}

// Lists the settings that do not allow this way of coupling with a body.
static int find_coupling_faults(const void *def, fm_coupling_way way, fm_coupling_fault *faults)
{
    const fm_particles_def fluid = find_definition(def);
    return fm_particles_find_coupling_faults(&fluid, way, faults);
}

// True when the fluid measures its force on walls and colliders.
static bool has_loads(const void *def)
{
    return ((const thickening *)def)->fluid.def.loads;
}

const fm_scene_kind fm_scene_thickening_kind = {
    .type = &fm_particles_type,
    .section = "fluids",
    .key = "thickening",
    .build = build,
    .check = check_boxes,
    .find_coupling_faults = find_coupling_faults,
    .has_loads = has_loads,
};
