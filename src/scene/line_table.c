// SPDX-License-Identifier: MIT
// line_table.c: the keys of lines and loads, `bodies.NAME.line` and `bodies.NAME.load`.
#include "scene/line_kind.h"

#include <math.h>

#define LINE(member) offsetof(fm_scene_line, def.member)
#define LOAD(member) offsetof(fm_load_def, member)

static const char *const ends[] = {"first", "last", "both", NULL};
static const char *const starts[] = {"refuse", "separate", NULL};
static const char *const methods[] = {"none", "iterative", "published", "directional", NULL};

static const fm_entry via_entries[] = {
    {"at", FM_KEY_VECTOR, offsetof(fm_scene_via, at), "m", WITHIN(-1e6, 1e6), .needed = true,
     .about = "a point that the strand passes through"},
};
static const fm_table via_table = {.name = "via",
                                   .about = "A corner of a strand.",
                                   .size = sizeof(fm_scene_via),
                                   .entries = via_entries,
                                   .count = COUNT(via_entries)};

static const fm_entry strand_entries[] = {
    {"from", FM_KEY_VECTOR, offsetof(fm_scene_strand, from), "m", WITHIN(-1e6, 1e6),
     .about = "its first point; a tied end starts at the point it is tied to"},
    {"via", FM_KEY_LIST, offsetof(fm_scene_strand, via), .table = &via_table,
     .range = WITHIN(0, 1000), .about = "corners between the ends"},
    {"to", FM_KEY_VECTOR, offsetof(fm_scene_strand, to), "m", WITHIN(-1e6, 1e6),
     .about = "its last point"},
};
static const fm_table strand_table = {.name = "strand",
                                      .about = "A strand along a polyline.",
                                      .size = sizeof(fm_scene_strand),
                                      .entries = strand_entries,
                                      .count = COUNT(strand_entries)};

// Keys of the points of another body; `offset` of the fm_scene_body_points in the struct.
#define BODY_POINTS(offset)                                                                        \
    {"body",                                                                                       \
     FM_KEY_NAME,                                                                                  \
     (offset) + offsetof(fm_scene_body_points, body),                                              \
     .section = "bodies",                                                                          \
     .needed = true,                                                                               \
     .about = "a body that stands before the line in the scene"},                                  \
        {"group", FM_KEY_TEXT, (offset) + offsetof(fm_scene_body_points, group),                   \
         .about = "a group of its points, such as rim, rim-seams, corners; of a sheet: top, "      \
                  "bottom, left, right, corners; of a tube: top, bottom"},                         \
        {"vertices", FM_KEY_INTEGERS, (offset) + offsetof(fm_scene_body_points, vertices),         \
         .range = WITHIN(0, 16777215), .about = "numbers of its points, instead of a group"},      \
        {"skip", FM_KEY_INTEGER, (offset) + offsetof(fm_scene_body_points, skip),                  \
         .range = WITHIN(0, 16777215), .about = "leave out the first n of these points"},          \
    {                                                                                              \
        "every", FM_KEY_INTEGER, (offset) + offsetof(fm_scene_body_points, every),                 \
            .range = WITHIN(1, 10000), .about = "use every n-th of these points"                   \
    }

static const fm_entry fan_entries[] = {
    BODY_POINTS(offsetof(fm_scene_fan, from)),
    {"to", FM_KEY_VECTOR, offsetof(fm_scene_fan, to), "m", WITHIN(-1e6, 1e6),
     .about = "the point where all strands end, which is one point of the line"},
    {"length", FM_KEY_NUMBER, offsetof(fm_scene_fan, length), "m", WITHIN(0, 1e4),
     .about = "rest length of every strand; 0: its distance from end to end times `slack`"},
};
static const fm_table fan_table = {
    .name = "fan",
    .about = "Strands from points of a body, to which they are tied, to one point: suspension "
             "lines.",
    .entries = fan_entries,
    .count = COUNT(fan_entries)};

#define HAIR(member) offsetof(fm_scene_hair, member)
static const fm_entry hair_entries[] = {
    {"count", FM_KEY_INTEGER, HAIR(count), .range = WITHIN(1, 100000), .needed = true,
     .about = "number of strands"},
    {"centre", FM_KEY_VECTOR, HAIR(centre), "m", WITHIN(-1e6, 1e6), .about = "of the ellipsoid"},
    {"half_size", FM_KEY_VECTOR, HAIR(half_size), "m", ABOVE(0, 1e3), .needed = true,
     .about = "half axes of the ellipsoid on which the roots lie"},
    {"axis", FM_KEY_VECTOR, HAIR(axis), .range = WITHIN(-1e6, 1e6), .nonzero = true,
     .about = "direction of the middle of the part with roots"},
    {"angle", FM_KEY_NUMBER, HAIR(angle), "degrees", ABOVE(0, 180), .scale = FM_DEGREE,
     .about = "from the axis to the border of that part"},
    {"length", FM_KEY_NUMBER, HAIR(length), "m", ABOVE(0, 1e3), .needed = true,
     .about = "of a strand"},
    {"scatter", FM_KEY_NUMBER, HAIR(scatter), .range = WITHIN(0, 1),
     .about = "relative scatter of lengths and directions"},
    {"comb", FM_KEY_VECTOR, HAIR(comb), .range = WITHIN(-1e6, 1e6),
     .about = "direction in which the tips point; [0, 0, 0]: away from the ellipsoid"},
    {"turn", FM_KEY_NUMBER, HAIR(turn), "m", ABOVE(0, 1e3),
     .about = "length over which a strand turns from the normal of the ellipsoid to the comb"},
    {"seed", FM_KEY_INTEGER, HAIR(seed), .range = WITHIN(0, 1e9),
     .about = "other roots and lengths for another number"},
};
static const fm_table hair_table = {.name = "hair",
                                    .about = "Strands that grow on an ellipsoid.",
                                    .entries = hair_entries,
                                    .count = COUNT(hair_entries)};

#define DAMPING(member) offsetof(fm_line_def, damping.member)
static const fm_entry damping_entries[] = {
    {"coefficient", FM_KEY_NUMBER, DAMPING(coefficient), "N s^order", WITHIN(0, 1e6),
     .about = "force over the rate of strain"},
    {"order", FM_KEY_NUMBER, DAMPING(order), .range = ABOVE(0, 1),
     .about = "order of the time derivative; 1 is a dashpot, below 1 the force has a memory"},
    {"memory", FM_KEY_MAPPING, DAMPING(memory), .table = &fm_memory_keys_table,
     .about = "how far back the derivative looks when the order is below 1"},
};
static const fm_table damping_table = {.name = "line_damping",
                                       .about = "Damping of the stretching.",
                                       .entries = damping_entries,
                                       .count = COUNT(damping_entries)};

#define DRAG(member) offsetof(fm_line_drag, member)
static const fm_entry drag_entries[] = {
    {"enabled", FM_KEY_BOOLEAN, DRAG(enabled), .about = "false: the medium only lifts"},
    {"across", FM_KEY_NUMBER, DRAG(across), .range = WITHIN(0, 1e3),
     .about = "drag coefficient across the line, of its diameter times its length; of a load, of "
              "its cross-section"},
    {"along", FM_KEY_NUMBER, DRAG(along), .range = WITHIN(0, 1e3),
     .about = "drag coefficient along the line, of its surface; loads have none"},
    {"viscous", FM_KEY_NUMBER, DRAG(viscous), .range = WITHIN(0, 1e3),
     .about = "K of the viscous part of the drag: the coefficient across is across + K/Re, and "
              "the viscous part along is half of that; 24 is Stokes' drag of a load"},
    {"history", FM_KEY_BOOLEAN, DRAG(history),
     .about = "history forces of thin boundary layers, along and across"},
    {"added_mass", FM_KEY_NUMBER, DRAG(added_mass), .range = WITHIN(0, 1e3),
     .about = "mass of medium that moves along, over the displaced mass; of a line, across only"},
};
static const fm_table drag_table = {.name = "line_drag",
                                    .about =
                                        "Force of the medium. `docs/lines.md` has the equations.",
                                    .entries = drag_entries,
                                    .count = COUNT(drag_entries)};

#define CONTACT(member) offsetof(fm_line_contact, member)
static const fm_entry contact_entries[] = {
    {"enabled", FM_KEY_BOOLEAN, CONTACT(enabled),
     .about = "it does not pass through colliders, cloth, lines and loads with contact"},
    {"thickness", FM_KEY_NUMBER, CONTACT(thickness), "m", WITHIN(0, 1),
     .about = "distance kept, as a diameter; 0: its diameter"},
    {"friction", FM_KEY_NUMBER, CONTACT(friction), .range = WITHIN(0, 10),
     .about = "Coulomb friction coefficient"},
    {"start", FM_KEY_WORD, CONTACT(start), .words = starts,
     .about = "if it starts inside a collider: refuse reports an error, separate moves it out"},
};
static const fm_table contact_table = {.name = "line_contact",
                                       .about = "Contact with continuous collision detection.",
                                       .entries = contact_entries,
                                       .count = COUNT(contact_entries)};

#define ENFORCE(member) offsetof(fm_enforcement, member)
static const fm_entry enforcement_entries[] = {
    {"method", FM_KEY_WORD, ENFORCE(method), .words = methods,
     .about = "directional keeps lengths at substeps at which the springs would be unstable"},
    {"iterations", FM_KEY_INTEGER, ENFORCE(iterations), .range = WITHIN(1, 10000),
     .about = "passes in each substep"},
    {"threshold", FM_KEY_NUMBER, ENFORCE(threshold), .range = WITHIN(0, 10),
     .about = "stretch up to which edges are not corrected"},
    {"compression", FM_KEY_BOOLEAN, ENFORCE(compression),
     .about = "also correct edges that are too short"},
};
static const fm_table enforcement_table = {
    .name = "line_enforcement",
    .about = "Constraint projection of the edge lengths, as of cloth.",
    .entries = enforcement_entries,
    .count = COUNT(enforcement_entries)};

static void set_pin_defaults(void *object)
{
    fm_scene_line_pin *pin = object;
    pin->points = 1;
    pin->release = INFINITY;
}

#define PIN(member) offsetof(fm_scene_line_pin, member)
static const fm_entry pin_entries[] = {
    {"end", FM_KEY_WORD, PIN(end), .words = ends, .about = "which end of the strands is held"},
    {"points", FM_KEY_INTEGER, PIN(points), .range = WITHIN(1, 100000),
     .about = "number of points from the end on; 2 also hold the direction"},
    {"strands", FM_KEY_INTEGERS, PIN(strands), .range = WITHIN(0, 16777215),
     .about = "numbers of the strands, from 0; not given: all"},
    {"motion", FM_KEY_NAME, PIN(motion), .section = "motions",
     .about = "motion or bone that the points follow; without it they are held in place"},
    {"release", FM_KEY_NUMBER, PIN(release), "s", WITHIN(0, 1e6),
     .about = "time at which they are released"},
};
static const fm_table pin_table = {.name = "line_pin",
                                   .about = "Ends that are held.",
                                   .size = sizeof(fm_scene_line_pin),
                                   .set_defaults = set_pin_defaults,
                                   .entries = pin_entries,
                                   .count = COUNT(pin_entries)};

static void set_tie_defaults(void *object)
{
    fm_scene_tie *tie = object;
    tie->end = FM_SCENE_END_LAST;
    tie->to.every = 1;
}

static const fm_entry tie_entries[] = {
    {"end", FM_KEY_WORD, offsetof(fm_scene_tie, end), .words = ends,
     .about = "which end of the strands is tied"},
    BODY_POINTS(offsetof(fm_scene_tie, to)),
};
static const fm_table tie_table = {
    .name = "tie",
    .about = "Ends that are tied to points of another body: to one point all of them, or to as "
             "many points as there are ends, in order. A load has one point, which need not be "
             "given.",
    .size = sizeof(fm_scene_tie),
    .set_defaults = set_tie_defaults,
    .entries = tie_entries,
    .count = COUNT(tie_entries)};

static const fm_entry line_entries[] = {
    {"strands", FM_KEY_LIST, offsetof(fm_scene_line, strands), .table = &strand_table,
     .range = WITHIN(1, 100000), .choice = true, .kind = FM_SCENE_LINE_STRANDS,
     .about = "strands along polylines"},
    {"fan", FM_KEY_MAPPING, offsetof(fm_scene_line, fan), .table = &fan_table, .choice = true,
     .kind = FM_SCENE_LINE_FAN, .about = "strands from a body to one point"},
    {"hair", FM_KEY_MAPPING, offsetof(fm_scene_line, hair), .table = &hair_table, .choice = true,
     .kind = FM_SCENE_LINE_HAIR, .about = "strands on an ellipsoid"},
    {"segments", FM_KEY_INTEGER, offsetof(fm_scene_line, segments), .range = WITHIN(1, 10000),
     .about = "edges of each strand"},
    {"slack", FM_KEY_NUMBER, offsetof(fm_scene_line, slack), .range = ABOVE(0, 100),
     .about = "length of a strand at rest over its length as placed"},
    {"velocity", FM_KEY_VECTOR, offsetof(fm_scene_line, velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "initial velocity of all points"},
    {"diameter", FM_KEY_NUMBER, LINE(diameter), "m", ABOVE(0, 1), .about = "of a strand"},
    {"linear_density", FM_KEY_NUMBER, LINE(linear_density), "kg/m", ABOVE(0, 1e4),
     .about = "wet mass per length"},
    {"stiffness", FM_KEY_NUMBER, LINE(stiffness), "N", ABOVE(0, 1e7),
     .about = "axial stiffness EA: force over strain"},
    {"tension_only", FM_KEY_BOOLEAN, LINE(tension_only),
     .about = "the line goes slack instead of resisting compression"},
    {"bending", FM_KEY_NUMBER, LINE(bending), "N m^2", WITHIN(0, 1e6),
     .about = "bending rigidity EI; the line is straight at rest"},
    {"damping", FM_KEY_MAPPING, offsetof(fm_scene_line, def), .table = &damping_table,
     .about = "damping of the stretching"},
    {"kappa", FM_KEY_NUMBER, LINE(kappa), "1/s", WITHIN(0, 1e6),
     .about = "published damping of the velocity due to the springs"},
    {"drag", FM_KEY_MAPPING, LINE(drag), .table = &drag_table, .about = "force of the medium"},
    {"contact", FM_KEY_MAPPING, LINE(contact), .table = &contact_table,
     .about = "contact with colliders, cloth, lines and loads"},
    {"enforcement", FM_KEY_MAPPING, LINE(enforcement), .table = &enforcement_table,
     .about = "constraint projection of the lengths"},
    {"time_step", FM_KEY_NUMBER, LINE(time_step), "s", WITHIN(0, 10),
     .about = "largest substep; 0: from the stability limit"},
    {"margin", FM_KEY_NUMBER, LINE(margin), "m", WITHIN(-1, 1),
     .about = "distance kept from colliders without contact; -1: half the diameter"},
    {"pins", FM_KEY_LIST, offsetof(fm_scene_line, pins), .table = &pin_table,
     .range = WITHIN(0, 256), .about = "ends that are held"},
    {"ties", FM_KEY_LIST, offsetof(fm_scene_line, ties), .table = &tie_table,
     .range = WITHIN(0, 256), .about = "ends that are tied to other bodies"},
};

// Default values of the keys of a line.
static void set_line_defaults(void *object)
{
    fm_scene_line *line = object;
    line->def = fm_default_line_def();
    line->segments = 20;
    line->slack = 1;
    line->fan.from.every = 1;
    line->hair =
        (fm_scene_hair){.axis = {0, 1, 0}, .angle = 90 * FM_DEGREE, .scatter = 0.1, .turn = 0.1};
}

const fm_table fm_line_table = {
    .name = "line",
    .about = "Cords, ropes or hair: one of strands, fan, hair. `docs/lines.md` explains them.",
    .size = sizeof(fm_scene_line),
    .set_defaults = set_line_defaults,
    .entries = line_entries,
    .count = COUNT(line_entries),
    .has_kind = true,
    .kind_offset = offsetof(fm_scene_line, shape),
    .check = fm_scene_check_line_keys,
};

static const fm_entry load_entries[] = {
    {"mass", FM_KEY_NUMBER, LOAD(mass), "kg", ABOVE(0, 1e6), .about = "its mass"},
    {"radius", FM_KEY_NUMBER, LOAD(radius), "m", ABOVE(0, 0.5), .about = "its radius"},
    {"position", FM_KEY_VECTOR, LOAD(position), "m", WITHIN(-1e6, 1e6), .about = "its centre"},
    {"velocity", FM_KEY_VECTOR, LOAD(velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "initial velocity"},
    {"drag", FM_KEY_MAPPING, LOAD(drag), .table = &drag_table,
     .about = "force of the medium on a sphere, with the keys of a line's drag"},
    {"contact", FM_KEY_MAPPING, LOAD(contact), .table = &contact_table,
     .about = "contact, with the keys of a line's contact; not with bodies that are tied to it"},
    {"margin", FM_KEY_NUMBER, LOAD(margin), "m", WITHIN(-1, 1),
     .about = "distance of its centre from colliders without contact; -1: its radius"},
};

static void set_load_defaults(void *object)
{
    *(fm_load_def *)object = fm_default_load_def();
}

const fm_table fm_load_table = {
    .name = "load",
    .about = "A ball with a mass that lines can be tied to, at its centre. It does not rotate.",
    .size = sizeof(fm_load_def),
    .set_defaults = set_load_defaults,
    .entries = load_entries,
    .count = COUNT(load_entries),
};
