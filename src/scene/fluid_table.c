// SPDX-License-Identifier: MIT
// fluid_table.c: the keys of a particle fluid, `fluids.NAME.sph`.
#include "scene/fluid_kind.h"

#include <math.h>

#define DEF(member) offsetof(fm_scene_fluid, def.member)

static const char *const methods[] = {"weakly-compressible", "constant-density", "standard",
                                      "automatic", NULL};
static const char *const integrators[] = {"euler", "leapfrog", NULL};
static const char *const side_kinds[] = {"wall", "periodic", "open", NULL};

static const fm_entry side_entries[] = {
    {"left", FM_KEY_WORD, DEF(domain.sides[FM_SIDE_LEFT]), .words = side_kinds,
     .about = "the side in the direction -x"},
    {"right", FM_KEY_WORD, DEF(domain.sides[FM_SIDE_RIGHT]), .words = side_kinds,
     .about = "the side in the direction +x"},
    {"bottom", FM_KEY_WORD, DEF(domain.sides[FM_SIDE_BOTTOM]), .words = side_kinds,
     .about = "the side in the direction -y"},
    {"top", FM_KEY_WORD, DEF(domain.sides[FM_SIDE_TOP]), .words = side_kinds,
     .about = "the side in the direction +y"},
    {"back", FM_KEY_WORD, DEF(domain.sides[FM_SIDE_BACK]), .words = side_kinds,
     .about = "the side in the direction -z"},
    {"front", FM_KEY_WORD, DEF(domain.sides[FM_SIDE_FRONT]), .words = side_kinds,
     .about = "the side in the direction +z"},
};
static const fm_table sides_table = {
    .name = "sides",
    .about =
        "Type of each side of the domain. A particle that leaves through a periodic side comes "
        "back through the opposite one. A particle that leaves through an open side falls "
        "freely and is counted in `outside_count`.",
    .entries = side_entries,
    .count = COUNT(side_entries),
};

static const fm_entry slide_entries[] = {
    {"left", FM_KEY_VECTOR, DEF(domain.slide[FM_SIDE_LEFT]), "m/s", WITHIN(-1e4, 1e4),
     .about = "velocity of the wall in the direction -x"},
    {"right", FM_KEY_VECTOR, DEF(domain.slide[FM_SIDE_RIGHT]), "m/s", WITHIN(-1e4, 1e4),
     .about = "velocity of the wall in the direction +x"},
    {"bottom", FM_KEY_VECTOR, DEF(domain.slide[FM_SIDE_BOTTOM]), "m/s", WITHIN(-1e4, 1e4),
     .about = "velocity of the wall in the direction -y"},
    {"top", FM_KEY_VECTOR, DEF(domain.slide[FM_SIDE_TOP]), "m/s", WITHIN(-1e4, 1e4),
     .about = "velocity of the wall in the direction +y"},
    {"back", FM_KEY_VECTOR, DEF(domain.slide[FM_SIDE_BACK]), "m/s", WITHIN(-1e4, 1e4),
     .about = "velocity of the wall in the direction -z"},
    {"front", FM_KEY_VECTOR, DEF(domain.slide[FM_SIDE_FRONT]), "m/s", WITHIN(-1e4, 1e4),
     .about = "velocity of the wall in the direction +z"},
};
static const fm_table slide_table = {
    .name = "slide",
    .about = "Walls that slide in their own plane, as a lid or a belt: their velocities.",
    .entries = slide_entries,
    .count = COUNT(slide_entries)};

static const fm_entry domain_entries[] = {
    {"low", FM_KEY_VECTOR, DEF(domain.low), "m", WITHIN(-1e6, 1e6),
     .about = "corner with the smallest x, y, z"},
    {"high", FM_KEY_VECTOR, DEF(domain.high), "m", WITHIN(-1e6, 1e6),
     .about = "corner with the largest x, y, z; in 2D z is ignored"},
    {"sides", FM_KEY_MAPPING, .table = &sides_table, .about = "type of each side; wall by default"},
    {"slide", FM_KEY_MAPPING, .table = &slide_table,
     .about = "walls that slide in their own plane"},
    {"slip", FM_KEY_BOOLEAN, DEF(domain.slip),
     .about = "true: fluid slides along walls and colliders; false: it sticks to them"},
    {"motion", FM_KEY_NAME, offsetof(fm_scene_fluid, motion), .section = "motions",
     .about = "motion of the domain, its rotation ignored, as for a shaken tank"},
};
const fm_table fm_fluid_domain_table = {.name = "domain",
                                        .about = "The box that contains the fluid.",
                                        .entries = domain_entries,
                                        .count = COUNT(domain_entries)};

#define BOX(member) offsetof(fm_scene_fluid_box, member)

static const fm_entry box_entries[] = {
    {"low", FM_KEY_VECTOR, BOX(box.low), "m", WITHIN(-1e6, 1e6),
     .about = "corner with the smallest x, y, z"},
    {"high", FM_KEY_VECTOR, BOX(box.high), "m", WITHIN(-1e6, 1e6), .needed = true,
     .about = "corner with the largest x, y, z"},
    {"velocity", FM_KEY_VECTOR, BOX(box.velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "initial velocity"},
    {"settled", FM_KEY_BOOLEAN, BOX(box.settled),
     .about = "start with hydrostatic pressure below the top of the box"},
    {"jitter", FM_KEY_NUMBER, BOX(box.jitter), "spacings", WITHIN(0, 0.5),
     .about = "largest random offset of particles from the lattice"},
    {"seed", FM_KEY_INTEGER, BOX(seed), .range = WITHIN(0, 1e9),
     .about = "seed of the random offsets"},
};
const fm_table fm_fluid_box_table = {
    .name = "box",
    .about = "A box filled with fluid at the start. Particles inside a collider are left out.",
    .size = sizeof(fm_scene_fluid_box),
    .entries = box_entries,
    .count = COUNT(box_entries),
};

#define SOURCE(member) offsetof(fm_scene_fluid_source, source.member)

static const fm_entry source_entries[] = {
    {"centre", FM_KEY_VECTOR, SOURCE(centre), "m", WITHIN(-1e6, 1e6), .needed = true,
     .about = "centre of the nozzle, which is a disc, in 2D a slit"},
    {"direction", FM_KEY_VECTOR, SOURCE(direction), .range = WITHIN(-1e6, 1e6), .needed = true,
     .nonzero = true, .about = "direction of the jet; any length"},
    {"radius", FM_KEY_NUMBER, SOURCE(radius), "m", ABOVE(0, 1e6), .needed = true,
     .about = "radius of the nozzle"},
    {"speed", FM_KEY_NUMBER, SOURCE(speed), "m/s", ABOVE(0, 1e4), .needed = true,
     .about = "speed of the jet"},
    {"start", FM_KEY_NUMBER, SOURCE(start), "s", WITHIN(0, 1e6),
     .about = "time at which it starts"},
    {"end", FM_KEY_NUMBER, SOURCE(end), "s", WITHIN(0, 1e6), .about = "time at which it ends"},
};

// Default values of one element of `sources` (nozzles).
static void set_source_defaults(void *object)
{
    fm_scene_fluid_source *source = object;
    source->source.end = INFINITY;
}

const fm_table fm_fluid_source_table = {
    .name = "source",
    .about = "A nozzle that adds fluid.",
    .size = sizeof(fm_scene_fluid_source),
    .set_defaults = set_source_defaults,
    .entries = source_entries,
    .count = COUNT(source_entries),
};

static const fm_entry sink_entries[] = {
    {"low", FM_KEY_VECTOR, offsetof(fm_scene_fluid_sink, sink.low), "m", WITHIN(-1e6, 1e6),
     .needed = true, .about = "corner with the smallest x, y, z"},
    {"high", FM_KEY_VECTOR, offsetof(fm_scene_fluid_sink, sink.high), "m", WITHIN(-1e6, 1e6),
     .needed = true, .about = "corner with the largest x, y, z"},
};
const fm_table fm_fluid_sink_table = {
    .name = "sink",
    .about = "A box that removes the fluid that enters it.",
    .size = sizeof(fm_scene_fluid_sink),
    .entries = sink_entries,
    .count = COUNT(sink_entries),
};

#define PUSH(member) offsetof(fm_scene_fluid_push, push.member)

static const fm_entry push_entries[] = {
    {"centre", FM_KEY_VECTOR, PUSH(centre), "m", WITHIN(-1e6, 1e6), .needed = true,
     .about = "centre of the ball, in 2D of the disc"},
    {"radius", FM_KEY_NUMBER, PUSH(radius), "m", ABOVE(0, 1e6), .needed = true,
     .about = "radius of the ball; the push is uniform inside it"},
    {"acceleration", FM_KEY_VECTOR, PUSH(acceleration), "m/s^2", WITHIN(-1e6, 1e6), .needed = true,
     .about = "acceleration of the fluid inside"},
    {"start", FM_KEY_NUMBER, PUSH(start), "s", WITHIN(0, 1e6), .about = "time at which it starts"},
    {"end", FM_KEY_NUMBER, PUSH(end), "s", WITHIN(0, 1e6), .about = "time at which it ends"},
};

// Default values of one element of `pushes` (body-force regions).
static void set_push_defaults(void *object)
{
    fm_scene_fluid_push *push = object;
    push->push.end = INFINITY;
}

const fm_table fm_fluid_push_table = {
    .name = "push",
    .about = "Accelerates the fluid inside a ball.",
    .size = sizeof(fm_scene_fluid_push),
    .set_defaults = set_push_defaults,
    .entries = push_entries,
    .count = COUNT(push_entries),
};

static const fm_entry fractional_entries[] = {
    {"order", FM_KEY_NUMBER, DEF(fractional.order), .range = ABOVE(0, 1),
     .about = "order of the derivative of positions that viscosity acts on; 1 is the velocity, "
              "without memory"},
    {"memory", FM_KEY_MAPPING, DEF(fractional.memory), .table = &fm_memory_keys_table,
     .about = "how far back the derivative looks: `steps`, as published, whose strength depends on "
              "the substep; `fading`; or `full`, for oscillating flows only: in steady shear its "
              "viscosity grows as t^(1-order)"},
    {"time", FM_KEY_NUMBER, DEF(fractional.time), "s", WITHIN(0, 1e6),
     .about = "time scale T that gives the derivative the unit of a velocity, T^(order-1) D^order; "
              "1 is the published value; 0 chooses it so that steady shear has the given "
              "viscosity once the memory is filled (with `full`: 1)"},
    {"above", FM_KEY_NUMBER, DEF(fractional.above), "1/s", WITHIN(0, 1e9),
     .about = "use the memory only between neighbours whose relative speed exceeds this rate times "
              "their distance, as where flows collide; 0: everywhere"},
};
static const fm_table fractional_table = {
    .name = "fractional",
    .about = "Viscosity with memory: it acts on a fractional derivative of the positions. "
             "`docs/particles.md` has the equations.",
    .entries = fractional_entries,
    .count = COUNT(fractional_entries),
    .check = fm_scene_check_fractional_keys,
};

// Gives the fluid the surface tension of its liquid if the spacing is at most two capillary lengths
// sqrt(sigma / (rho g)), 5.4 mm for water. With larger spacings it would move nothing that can be
// seen and only take time.
static void apply_tension(void *object)
{
    fm_scene_fluid *fluid = object;
    if (fluid->liquid == 0)
        return;
    const fm_scene_liquid *liquid = fm_scene_find_liquid(fluid->liquid);
    const double g = 9.81, length = sqrt(liquid->surface_tension / (liquid->density * g));
    const bool counts = fluid->def.spacing <= 2 * length && fluid->def.method != FM_SPH_STANDARD;
    fluid->def.surface_tension = counts ? liquid->surface_tension : 0;
}

// Gives the fluid the properties of its liquid.
static void apply_liquid(void *object)
{
    fm_scene_fluid *fluid = object;
    if (fluid->liquid == 0)
        return;
    fluid->def.density = fm_scene_find_liquid(fluid->liquid)->density;
    fluid->def.viscosity = fm_scene_find_liquid(fluid->liquid)->viscosity;
    apply_tension(fluid);
}

// Keys are decoded in this order. The liquid comes first, so that other keys override it.
static const fm_entry sph_entries[] = {
    {"liquid", FM_KEY_WORD, offsetof(fm_scene_fluid, liquid), .word_at = fm_scene_liquid_name,
     .apply = apply_liquid,
     .about = "a liquid; sets density, viscosity, surface tension (if the spacing is at most two "
              "capillary lengths, 5.4 mm for water) and the look in pictures, which other keys can "
              "override; none: as given"},
    {"dimensions", FM_KEY_INTEGER, DEF(dimensions), .range = WITHIN(2, 3),
     .about = "3, or 2 for flow in the plane z = 0, with masses per metre of depth"},
    {"domain", FM_KEY_MAPPING, .table = &fm_fluid_domain_table,
     .about = "the box that contains the fluid"},
    {"spacing", FM_KEY_NUMBER, DEF(spacing), "m", ABOVE(0, 1e3), .apply = apply_tension,
     .about =
         "distance between particles at rest; halving it gives 4 times (2D) or 8 times (3D) as "
         "many particles"},
    {"support", FM_KEY_NUMBER, DEF(support), "spacings", WITHIN(0, 6),
     .about = "support radius of the smoothing kernel; 0: 3 in 2D, 2 in 3D"},
    {"density", FM_KEY_NUMBER, DEF(density), "kg/m^3", ABOVE(0, 1e6), .about = "rest density"},
    {"viscosity", FM_KEY_NUMBER, DEF(viscosity), "Pa s", WITHIN(0, 1e6),
     .about = "dynamic viscosity; water 1.0e-3, oil 0.1, honey 10"},
    {"fractional", FM_KEY_MAPPING, .table = &fractional_table,
     .about = "viscosity with memory, for non-Newtonian fluids"},
    {"method", FM_KEY_WORD, DEF(method), .words = methods, .apply = apply_tension,
     .about =
         "weakly-compressible: short, cheap substeps; constant-density: long substeps with a "
         "pressure iteration; standard: as published, for comparison; automatic: "
         "constant-density for fluids with a free surface under gravity, unless memory, surface "
         "tension, a large viscosity or light free cloth needs weakly-compressible"},
    {"surface_tension", FM_KEY_NUMBER, DEF(surface_tension), "N/m", WITHIN(0, 1e3),
     .about = "surface tension; water 0.072; counts where drops, films and waves are a few "
              "centimetres and smaller; not for method standard"},
    {"stiffness", FM_KEY_NUMBER, DEF(stiffness), "m^2/s^2", ABOVE(0, 1e12),
     .about = "k in p = k (rho - rho0); only for method standard"},
    {"integrator", FM_KEY_WORD, DEF(integrator), .words = integrators,
     .about =
         "euler, as published, which needs short substeps and viscosity, or leapfrog; only for "
         "method standard"},
    {"speed", FM_KEY_NUMBER, DEF(speed), "m/s", WITHIN(0, 1e6),
     .about =
         "largest expected speed of the fluid; the speed of sound is set to ten times that; 0: "
         "estimated from the height of the fluid and the moving boundaries; only for method "
         "weakly-compressible"},
    {"artificial_viscosity", FM_KEY_NUMBER, DEF(artificial_viscosity), .range = WITHIN(0, 1),
     .about = "damps motion that changes within a few spacings; not for method standard"},
    {"diffusion", FM_KEY_NUMBER, DEF(diffusion), .range = WITHIN(0, 1),
     .about = "density diffusion; only for method weakly-compressible"},
    {"shifting", FM_KEY_NUMBER, DEF(shifting), .range = WITHIN(0, 4),
     .about = "particle shifting, which keeps particles evenly spaced inside the fluid; not for "
              "method standard"},
    {"tolerance", FM_KEY_NUMBER, DEF(tolerance), .range = WITHIN(1e-6, 0.1),
     .about = "accuracy of the pressure: it is solved until the mean relative compression in a "
              "substep is a thousandth of this, or the residual 1 %; only for method "
              "constant-density"},
    {"iterations", FM_KEY_INTEGER, DEF(iterations), .range = WITHIN(1, 10000),
     .about = "largest number of pressure iterations in a substep; only for method "
              "constant-density"},
    {"time_step", FM_KEY_NUMBER, DEF(time_step), "s", WITHIN(0, 1e3),
     .about =
         "largest substep; 0: only the Courant number and the forces limit it; method standard "
         "uses the given value even if it is unstable"},
    {"courant", FM_KEY_NUMBER, DEF(courant), .range = WITHIN(1e-3, 1),
     .about = "Courant number: fraction of the support radius that sound, or the fluid with "
              "constant-density, travels in a substep"},
    {"capacity", FM_KEY_INTEGER, DEF(capacity), .range = WITHIN(0, 1e8),
     .about = "largest number of particles; 0: the initial number, with sources 4 times that and "
              "at least 50,000"},
    {"loads", FM_KEY_BOOLEAN, DEF(loads),
     .about = "measure the force on walls and colliders: columns load_x, load_y, load_z in "
              "stats.csv, N, mean over a frame"},
    {"boxes", FM_KEY_LIST, offsetof(fm_scene_fluid, boxes), .table = &fm_fluid_box_table,
     .range = WITHIN(0, 1024), .about = "boxes filled with fluid at the start"},
    {"sources", FM_KEY_LIST, offsetof(fm_scene_fluid, sources), .table = &fm_fluid_source_table,
     .range = WITHIN(0, 256), .about = "nozzles that add fluid"},
    {"sinks", FM_KEY_LIST, offsetof(fm_scene_fluid, sinks), .table = &fm_fluid_sink_table,
     .range = WITHIN(0, 256), .about = "boxes that remove fluid"},
    {"pushes", FM_KEY_LIST, offsetof(fm_scene_fluid, pushes), .table = &fm_fluid_push_table,
     .range = WITHIN(0, 256), .about = "balls in which the fluid is accelerated"},
};

// Default values of the keys of a particle fluid.
static void set_defaults(void *object)
{
    fm_scene_fluid *fluid = object;
    fluid->def = fm_default_particles_def();
    fluid->def.method = FM_SPH_AUTOMATIC;
}

const fm_table fm_sph_table = {
    .name = "sph",
    .about = "A particle fluid (smoothed particle hydrodynamics). `docs/particles.md` has the "
             "equations.",
    .size = sizeof(fm_scene_fluid),
    .set_defaults = set_defaults,
    .entries = sph_entries,
    .count = COUNT(sph_entries),
};
