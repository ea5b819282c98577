// SPDX-License-Identifier: MIT
// thickening_kind.c: the kind fluids.NAME.thickening: a particle fluid with a network of springs.
// Its keys are measurable properties of the fluid; spring constants follow from them
// (docs/thickening.md).
#include "scene/thickening_kind.h"

#include "particles/particles.h"
#include "scene/fluid_kind.h"

// Share of the viscosity in slow shear that the springs have; the fluid between them has the rest.
static const double NETWORK_SHARE = 0.5;

// Materials. A key with the value 0 takes that of the material.
typedef enum material { CORNSTARCH, HONEY, TOOTHPASTE, SLIME, GEL, MATERIAL_COUNT } material;

static const char *const material_names[] = {"cornstarch", "honey", "toothpaste",
                                             "slime",      "gel",   NULL};

// Properties of a material, in the units of the keys of the same names.
typedef struct material_row {
    double density, viscosity, relaxation, yield, onset, stiffening;
} material_row;

static const material_row material_rows[MATERIAL_COUNT] = {
    [CORNSTARCH] = {1200, 5, 0.05, 0.1, 0.03, 2000},
    [HONEY] = {1420, 10, 0.01, 0, 0, 1},
    [TOOTHPASTE] = {1300, 60, 0.1, 0.2, 0, 1},
    [SLIME] = {1050, 60, 0.4, 0, 0, 1},
    [GEL] = {1000, 500, 2, 0.2, 0, 1},
};

// Decoded keys. The first member has the keys that all particle fluids share.
typedef struct thickening {
    fm_scene_fluid fluid;
    material material;
    bool history;
} thickening;

#define DEF(member) offsetof(thickening, fluid.def.member)
#define FLUID(member) offsetof(thickening, fluid.member)

static const char *const rates[] = {"length", "speed", NULL};
static const char *const methods[] = {"weakly-compressible", "constant-density", NULL};

static const fm_entry entries[] = {
    {"material", FM_KEY_WORD, offsetof(thickening, material), .words = material_names,
     .about = "where keys that are 0 take their values from; only cornstarch hardens"},
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
     .about = "shear rate at which the springs are twice as stiff as at rest; 0: that of the "
              "material"},
    {"stiffening", FM_KEY_NUMBER, DEF(network.stiffening), .range = WITHIN(0, 1e6),
     .about = "how many times stiffer the springs get at most; 0: that of the material"},
    {"history", FM_KEY_BOOLEAN, offsetof(thickening, history),
     .about = "false: the fluid does not harden, for comparison"},
    {"order", FM_KEY_NUMBER, DEF(network.order), .range = WITHIN(1e-3, 0.999),
     .about = "order of the fractional derivative that remembers; smaller orders remember longer"},
    {"memory", FM_KEY_MAPPING, DEF(network.memory), .table = &fm_memory_keys_table,
     .about = "how long it stays hard: `fading` or `full`"},
    {"rate", FM_KEY_WORD, DEF(network.rate), .words = rates,
     .about = "what hardens a spring: the rate of its length; or the relative speed of its ends, "
              "as published, which also hardens fluid that rotates rigidly"},
    {"dimensions", FM_KEY_INTEGER, DEF(dimensions), .range = WITHIN(2, 3),
     .about = "3, or 2 for flow in the plane z = 0, with masses per metre of depth"},
    {"domain", FM_KEY_MAPPING, .table = &fm_fluid_domain_table,
     .about = "the box that contains the fluid"},
    {"spacing", FM_KEY_NUMBER, DEF(spacing), "m", ABOVE(0, 1e3),
     .about = "distance between particles at rest"},
    {"method", FM_KEY_WORD, DEF(method), .words = methods,
     .about = "how the pressure is computed, as in `sph`"},
    {"speed", FM_KEY_NUMBER, DEF(speed), "m/s", WITHIN(0, 1e6),
     .about = "largest expected speed of the fluid; the speed of sound is set to ten times that; "
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
}

// Refuses memories of a fixed number of steps or seconds: springs have only sums of exponentials.
static void check_keys(fm_decoder *d, const fm_node *node, const void *object)
{
    const fm_recall *m = &((const thickening *)object)->fluid.def.network.memory;
    if (m->kind != FM_RECALL_FADING && m->kind != FM_RECALL_FULL)
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "memory", NULL, NULL),
                              "%s.memory is %s, allowed here is fading or full", d->path,
                              m->kind == FM_RECALL_STEPS ? "steps" : "seconds");
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

// The value of a key, or that of the material.
static double choose(double value, double of_material)
{
    return value > 0 ? value : of_material;
}

// Definition of the particle fluid with its springs.
static fm_particles_def find_definition(const thickening *t)
{
    fm_particles_def def = t->fluid.def;
    const material_row *row = &material_rows[t->material];
    const double viscosity = choose(def.viscosity, row->viscosity);
    fm_spring_network *n = &def.network;
    def.density = choose(def.density, row->density);
    def.viscosity = (1 - NETWORK_SHARE) * viscosity;
    n->viscosity = NETWORK_SHARE * viscosity;
    n->relaxation = choose(n->relaxation, row->relaxation);
    n->yield = choose(n->yield, row->yield);
    n->onset = t->history ? choose(n->onset, row->onset) : 0;
    n->stiffening = fmax(1, choose(n->stiffening, row->stiffening));
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
    return fm_particles_find_coupling_faults(&((const thickening *)def)->fluid.def, way, faults);
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
