// SPDX-License-Identifier: MIT
// fluid_table.c: every key of a particle fluid.
#include "scene/scene.h"

#include <math.h>

#define DEF(member) offsetof(fm_scene_fluid, def.member)

static const char *const methods[] = {"weakly-compressible", "constant-density", "standard", NULL};
static const char *const integrators[] = {"euler", "leapfrog", NULL};
static const char *const side_kinds[] = {"wall", "periodic", "open", NULL};

static const fm_entry side_entries[] = {
    {"left", FM_KEY_WORD, DEF(domain.sides[FM_SIDE_LEFT]), .words = side_kinds,
     .about = "across -x"},
    {"right", FM_KEY_WORD, DEF(domain.sides[FM_SIDE_RIGHT]), .words = side_kinds,
     .about = "across +x"},
    {"bottom", FM_KEY_WORD, DEF(domain.sides[FM_SIDE_BOTTOM]), .words = side_kinds,
     .about = "across -y"},
    {"top", FM_KEY_WORD, DEF(domain.sides[FM_SIDE_TOP]), .words = side_kinds, .about = "across +y"},
    {"back", FM_KEY_WORD, DEF(domain.sides[FM_SIDE_BACK]), .words = side_kinds,
     .about = "across -z"},
    {"front", FM_KEY_WORD, DEF(domain.sides[FM_SIDE_FRONT]), .words = side_kinds,
     .about = "across +z"},
};
static const fm_table sides_table = {
    .name = "sides",
    .about = "What each side of the box is. What leaves a periodic side comes back opposite; what "
             "leaves an open one falls on by its weight alone and is counted in `outside_count`.",
    .entries = side_entries,
    .count = COUNT(side_entries),
};

static const fm_entry slide_entries[] = {
    {"left", FM_KEY_VECTOR, DEF(domain.slide[FM_SIDE_LEFT]), "m/s", WITHIN(-1e4, 1e4),
     .about = "across -x"},
    {"right", FM_KEY_VECTOR, DEF(domain.slide[FM_SIDE_RIGHT]), "m/s", WITHIN(-1e4, 1e4),
     .about = "across +x"},
    {"bottom", FM_KEY_VECTOR, DEF(domain.slide[FM_SIDE_BOTTOM]), "m/s", WITHIN(-1e4, 1e4),
     .about = "across -y"},
    {"top", FM_KEY_VECTOR, DEF(domain.slide[FM_SIDE_TOP]), "m/s", WITHIN(-1e4, 1e4),
     .about = "across +y"},
    {"back", FM_KEY_VECTOR, DEF(domain.slide[FM_SIDE_BACK]), "m/s", WITHIN(-1e4, 1e4),
     .about = "across -z"},
    {"front", FM_KEY_VECTOR, DEF(domain.slide[FM_SIDE_FRONT]), "m/s", WITHIN(-1e4, 1e4),
     .about = "across +z"},
};
static const fm_table slide_table = {.name = "slide",
                                     .about =
                                         "Velocities of walls along themselves: a lid, a belt.",
                                     .entries = slide_entries,
                                     .count = COUNT(slide_entries)};

static const fm_entry domain_entries[] = {
    {"low", FM_KEY_VECTOR, DEF(domain.low), "m", WITHIN(-1e6, 1e6), .about = "its low corner"},
    {"high", FM_KEY_VECTOR, DEF(domain.high), "m", WITHIN(-1e6, 1e6),
     .about = "its high corner; in 2D z is not looked at"},
    {"sides", FM_KEY_MAPPING, .table = &sides_table, .about = "walls, unless said otherwise"},
    {"slide", FM_KEY_MAPPING, .table = &slide_table, .about = "walls that move along themselves"},
    {"slip", FM_KEY_BOOLEAN, DEF(domain.slip),
     .about = "fluid slides along walls and colliders instead of sticking"},
    {"motion", FM_KEY_NAME, offsetof(fm_scene_fluid, motion), .section = "motions",
     .about = "what the box follows, without turning: a shaken tank"},
};
static const fm_table domain_table = {.name = "domain",
                                      .about = "The box a fluid lives in.",
                                      .entries = domain_entries,
                                      .count = COUNT(domain_entries)};

#define BOX(member) offsetof(fm_scene_fluid_box, member)

static const fm_entry box_entries[] = {
    {"low", FM_KEY_VECTOR, BOX(box.low), "m", WITHIN(-1e6, 1e6), .about = "its low corner"},
    {"high", FM_KEY_VECTOR, BOX(box.high), "m", WITHIN(-1e6, 1e6), .needed = true,
     .about = "its high corner"},
    {"velocity", FM_KEY_VECTOR, BOX(box.velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "at the beginning"},
    {"settled", FM_KEY_BOOLEAN, BOX(box.settled),
     .about = "begins with the pressure of fluid at rest under its own surface"},
    {"jitter", FM_KEY_NUMBER, BOX(box.jitter), "spacings", WITHIN(0, 0.5),
     .about = "how far particles are put beside the lattice, at random"},
    {"seed", FM_KEY_INTEGER, BOX(seed), .range = WITHIN(0, 1e9), .about = "of that chance"},
};
static const fm_table box_table = {
    .name = "box",
    .about = "A block of fluid. What would be inside a collider is left out.",
    .size = sizeof(fm_scene_fluid_box),
    .entries = box_entries,
    .count = COUNT(box_entries),
};

#define SOURCE(member) offsetof(fm_scene_nozzle, source.member)

static const fm_entry source_entries[] = {
    {"centre", FM_KEY_VECTOR, SOURCE(centre), "m", WITHIN(-1e6, 1e6), .needed = true,
     .about = "of the nozzle, a disc; in 2D a slit"},
    {"direction", FM_KEY_VECTOR, SOURCE(direction), .range = WITHIN(-1e6, 1e6), .needed = true,
     .direction = true, .about = "of the jet; any length"},
    {"radius", FM_KEY_NUMBER, SOURCE(radius), "m", ABOVE(0, 1e6), .needed = true,
     .about = "of the nozzle"},
    {"speed", FM_KEY_NUMBER, SOURCE(speed), "m/s", ABOVE(0, 1e4), .needed = true,
     .about = "of the jet"},
    {"start", FM_KEY_NUMBER, SOURCE(start), "s", WITHIN(0, 1e6), .about = "when it begins"},
    {"end", FM_KEY_NUMBER, SOURCE(end), "s", WITHIN(0, 1e6),
     .about = "when it ends; without it never"},
};

static void set_source_defaults(void *object)
{
    fm_scene_nozzle *source = object;
    source->source.end = INFINITY;
}

static const fm_table source_table = {
    .name = "source",
    .about = "Where fluid comes in.",
    .size = sizeof(fm_scene_nozzle),
    .set_defaults = set_source_defaults,
    .entries = source_entries,
    .count = COUNT(source_entries),
};

static const fm_entry sink_entries[] = {
    {"low", FM_KEY_VECTOR, offsetof(fm_scene_sink, sink.low), "m", WITHIN(-1e6, 1e6),
     .needed = true, .about = "its low corner"},
    {"high", FM_KEY_VECTOR, offsetof(fm_scene_sink, sink.high), "m", WITHIN(-1e6, 1e6),
     .needed = true, .about = "its high corner"},
};
static const fm_table sink_table = {
    .name = "sink",
    .about = "A box that takes away what enters it.",
    .size = sizeof(fm_scene_sink),
    .entries = sink_entries,
    .count = COUNT(sink_entries),
};

#define PUSH(member) offsetof(fm_scene_push, push.member)

static const fm_entry push_entries[] = {
    {"centre", FM_KEY_VECTOR, PUSH(centre), "m", WITHIN(-1e6, 1e6), .needed = true,
     .about = "of a ball; in 2D of a disc"},
    {"radius", FM_KEY_NUMBER, PUSH(radius), "m", ABOVE(0, 1e6), .needed = true,
     .about = "within which it acts, evenly"},
    {"acceleration", FM_KEY_VECTOR, PUSH(acceleration), "m/s^2", WITHIN(-1e6, 1e6), .needed = true,
     .about = "of what is there"},
    {"start", FM_KEY_NUMBER, PUSH(start), "s", WITHIN(0, 1e6), .about = "when it begins"},
    {"end", FM_KEY_NUMBER, PUSH(end), "s", WITHIN(0, 1e6),
     .about = "when it ends; without it never"},
};

static void set_push_defaults(void *object)
{
    fm_scene_push *push = object;
    push->push.end = INFINITY;
}

static const fm_table push_table = {
    .name = "push",
    .about = "A force on what is within a ball.",
    .size = sizeof(fm_scene_push),
    .set_defaults = set_push_defaults,
    .entries = push_entries,
    .count = COUNT(push_entries),
};

static const fm_entry fractional_entries[] = {
    {"order", FM_KEY_NUMBER, DEF(fractional.order), .range = ABOVE(0, 1),
     .about = "of the derivative of positions that viscosity acts on; 1: velocities, no memory"},
    {"memory", FM_KEY_MAPPING, DEF(fractional.memory), .table = &fm_recall_table,
     .about = "how far back: `steps`, as published, whose strength changes with the substep; "
              "`fading`; or `full`, with which the viscosity grows without end in steady shear, as "
              "t^(1-order): for flows that swing"},
    {"time", FM_KEY_NUMBER, DEF(fractional.time), "s", WITHIN(0, 1e6),
     .about = "that makes a velocity of the derivative: viscosity x time^(order-1) x D^order; 1 is "
              "what was published; 0: so that steady shear feels `viscosity` when the memory is "
              "full, with `full` 1"},
    {"above", FM_KEY_NUMBER, DEF(fractional.above), "1/s", WITHIN(0, 1e9),
     .about = "memory only between neighbours that move against each other so many times their "
              "distance a second, where flows collide; 0: everywhere"},
};
static const fm_table fractional_table = {
    .name = "fractional",
    .about = "Viscosity that remembers how particles moved. `docs/particles.md` has the equations.",
    .entries = fractional_entries,
    .count = COUNT(fractional_entries),
    .check = fm_check_fractional,
};

static const fm_entry sph_entries[] = {
    {"dimensions", FM_KEY_INTEGER, DEF(dimensions), .range = WITHIN(2, 3),
     .about = "3, or 2: the plane z = 0, masses per metre of depth"},
    {"domain", FM_KEY_MAPPING, .table = &domain_table, .about = "the box it lives in"},
    {"spacing", FM_KEY_NUMBER, DEF(spacing), "m", ABOVE(0, 1e3),
     .about = "between particles at rest: half of it makes 4 (2D) or 8 (3D) times as many"},
    {"support", FM_KEY_NUMBER, DEF(support), "spacings", WITHIN(0, 6),
     .about = "radius within which particles feel each other; 0: 3 in 2D, 2 in 3D"},
    {"density", FM_KEY_NUMBER, DEF(density), "kg/m^3", ABOVE(0, 1e6), .about = "at rest"},
    {"viscosity", FM_KEY_NUMBER, DEF(viscosity), "Pa s", WITHIN(0, 1e6),
     .about = "dynamic, not kinematic; water 1.0e-3, oil 0.1, honey 10"},
    {"fractional", FM_KEY_MAPPING, .table = &fractional_table,
     .about = "memory in the viscosity, which is then not Newtonian"},
    {"method", FM_KEY_WORD, DEF(method), .words = methods,
     .about = "short cheap steps; long steps with an iteration each; as published, to compare"},
    {"stiffness", FM_KEY_NUMBER, DEF(stiffness), "m^2/s^2", ABOVE(0, 1e12),
     .about = "k of p = k (rho - rho0); standard"},
    {"integrator", FM_KEY_WORD, DEF(integrator), .words = integrators,
     .about = "euler as published, which needs short steps and viscosity, or leapfrog; standard"},
    {"speed", FM_KEY_NUMBER, DEF(speed), "m/s", WITHIN(0, 1e6),
     .about = "the fastest expected; 0: from the height of the fluid and what moves it. Sound is "
              "ten times as fast; weakly-compressible"},
    {"artificial_viscosity", FM_KEY_NUMBER, DEF(artificial_viscosity), .range = WITHIN(0, 1),
     .about = "calms what is shorter than a few spacings; weakly-compressible"},
    {"diffusion", FM_KEY_NUMBER, DEF(diffusion), .range = WITHIN(0, 1),
     .about = "smooths the density; weakly-compressible"},
    {"shifting", FM_KEY_NUMBER, DEF(shifting), .range = WITHIN(0, 4),
     .about = "evens out particles inside the fluid; weakly-compressible"},
    {"tolerance", FM_KEY_NUMBER, DEF(tolerance), .range = WITHIN(1e-6, 0.1),
     .about = "mean compression at which the iteration stops; constant-density"},
    {"iterations", FM_KEY_INTEGER, DEF(iterations), .range = WITHIN(1, 10000),
     .about = "at most so many; constant-density"},
    {"time_step", FM_KEY_NUMBER, DEF(time_step), "s", WITHIN(0, 1e3),
     .about = "the largest substep allowed; 0: from the Courant number and the forces; standard "
              "takes it as it is, stable or not"},
    {"courant", FM_KEY_NUMBER, DEF(courant), .range = WITHIN(1e-3, 1),
     .about = "share of the support that sound, or the fluid, passes in a substep"},
    {"capacity", FM_KEY_INTEGER, DEF(capacity), .range = WITHIN(0, 1e8),
     .about = "particles at most; 0: those of the beginning, with sources 4 times as many and at "
              "least 50,000"},
    {"loads", FM_KEY_BOOLEAN, DEF(loads),
     .about = "measure what it does to walls and colliders: load_x, load_y, load_z in stats.csv, "
              "N, the mean over a frame"},
    {"boxes", FM_KEY_LIST, offsetof(fm_scene_fluid, boxes), .table = &box_table,
     .range = WITHIN(0, 1024), .about = "blocks of fluid at the beginning"},
    {"sources", FM_KEY_LIST, offsetof(fm_scene_fluid, sources), .table = &source_table,
     .range = WITHIN(0, 256), .about = "nozzles"},
    {"sinks", FM_KEY_LIST, offsetof(fm_scene_fluid, sinks), .table = &sink_table,
     .range = WITHIN(0, 256), .about = "where it leaves"},
    {"pushes", FM_KEY_LIST, offsetof(fm_scene_fluid, pushes), .table = &push_table,
     .range = WITHIN(0, 256), .about = "local forces"},
};
static const fm_table sph_table = {
    .name = "sph",
    .about = "A fluid of particles. `docs/particles.md` has the equations.",
    .entries = sph_entries,
    .count = COUNT(sph_entries),
};

static const fm_entry fluid_entries[] = {
    {"sph", FM_KEY_MAPPING, .table = &sph_table, .choice = true, .kind = FM_SCENE_SPH,
     .about = "particles"},
};

static void set_fluid_defaults(void *object)
{
    fm_scene_fluid *fluid = object;
    fluid->def = fm_default_particles_def();
}

const fm_table fm_fluid_table = {
    .name = "fluid",
    .about = "A fluid. The name is that of its files.",
    .size = sizeof(fm_scene_fluid),
    .set_defaults = set_fluid_defaults,
    .entries = fluid_entries,
    .count = COUNT(fluid_entries),
    .has_kind = true,
    .kind_offset = offsetof(fm_scene_fluid, kind),
};

static const char *const ways[] = {"two-way", "one-way", NULL};

static const fm_entry coupling_entries[] = {
    {"body", FM_KEY_NAME, offsetof(fm_scene_coupling, body), .section = "bodies", .needed = true,
     .about = "a cloth, once in the list"},
    {"fluid", FM_KEY_NAME, offsetof(fm_scene_coupling, fluid), .section = "fluids", .needed = true,
     .about = "what it is in; the world's `medium` is then not for this body"},
    {"way", FM_KEY_WORD, offsetof(fm_scene_coupling, way), .words = ways,
     .about = "two-way: they push each other, nothing passes through the cloth; one-way: the cloth "
              "is carried by its drag and the fluid does not feel it"},
};

const fm_table fm_coupling_table = {
    .name = "coupling",
    .about = "A cloth in a fluid. `docs/coupling.md` has the scheme.",
    .size = sizeof(fm_scene_coupling),
    .entries = coupling_entries,
    .count = COUNT(coupling_entries),
};
