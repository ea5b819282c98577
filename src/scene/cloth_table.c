// SPDX-License-Identifier: MIT
// cloth_table.c: the keys of a cloth. Ranges are those that src/cloth checks; tests/unit/scene.c
// holds one against the other.
#include "scene/scene.h"

#include <math.h>

#define CLOTH(member) offsetof(fm_scene_cloth, def.member)
#define DEF(member) offsetof(fm_cloth_def, member)

static const char *const rules[] = {"trapezoid", "coimbra", NULL};
static const char *const drag_models[] = {"none",   "physical", "published", "viscous",
                                          "normal", "both",     NULL};
static const char *const bend_models[] = {"rigidity", "springs", NULL};
static const char *const rest_angles[] = {"flat", "shape", NULL};
static const char *const integrators[] = {"kick-drift-kick", "euler", "verlet", "rk2", "rk4", NULL};
static const char *const methods[] = {"none", "iterative", "published", "directional", NULL};
static const char *const targets[] = {"rest", "threshold", NULL};
static const char *const orders[] = {"horizontal-vertical-shear",
                                     "horizontal-shear-vertical",
                                     "vertical-horizontal-shear",
                                     "vertical-shear-horizontal",
                                     "shear-horizontal-vertical",
                                     "shear-vertical-horizontal",
                                     NULL};
static const char *const directions[] = {"rows", "gravity", "force", NULL};
static const char *const starts[] = {"refuse", "separate", NULL};
static const char *const edges[] = {"top", "bottom", "left", "right", NULL};
static const char *const corners[] = {"top-left", "top-right", "bottom-left", "bottom-right", NULL};

static const fm_entry recall_entries[] = {
    {"full", FM_KEY_BOOLEAN, .choice = true, .kind = FM_RECALL_FULL, .unstored = true,
     .about = "the whole past; for when tolerance or horizon are given too"},
    {"steps", FM_KEY_INTEGER, offsetof(fm_recall, steps), .range = WITHIN(1, 1000000),
     .choice = true, .kind = FM_RECALL_STEPS,
     .about = "the last so many substeps, as the papers did: results change with the substep"},
    {"seconds", FM_KEY_NUMBER, offsetof(fm_recall, seconds), "s", ABOVE(0, 1000), .choice = true,
     .kind = FM_RECALL_SECONDS, .about = "the last so many seconds"},
    {"fading", FM_KEY_NUMBER, offsetof(fm_recall, fading), "s", ABOVE(0, 1e6), .choice = true,
     .kind = FM_RECALL_FADING, .about = "the past times e^(-t/fading)"},
    {"rule", FM_KEY_WORD, offsetof(fm_recall, rule), .words = rules,
     .about = "how steps are summed; coimbra is the paper's own and needs order 0.5"},
    {"tolerance", FM_KEY_NUMBER, offsetof(fm_recall, tolerance), .range = BETWEEN(1e-12, 0.1),
     .about = "of the kernel, relative; for full and fading"},
    {"horizon", FM_KEY_NUMBER, offsetof(fm_recall, horizon), "s", ABOVE(0, 1e9),
     .about = "how far back the tolerance holds; for full"},
    {"unsafe", FM_KEY_BOOLEAN, offsetof(fm_recall, unsafe),
     .about = "allow steps and seconds at orders below 0.31, which feed energy in; for study"},
};

const fm_table fm_recall_table = {
    .name = "memory",
    .about = "How far back a fractional force looks: the word `full`, or one of the keys below.",
    .entries = recall_entries,
    .count = COUNT(recall_entries),
    .word = "full",
    .has_kind = true,
    .kind_offset = offsetof(fm_recall, kind),
    .check = fm_check_recall,
};

static const fm_entry sheet_entries[] = {
    {"columns", FM_KEY_INTEGER, offsetof(fm_sheet, columns), .range = WITHIN(2, 4096),
     .needed = true, .about = "particles along the width"},
    {"rows", FM_KEY_INTEGER, offsetof(fm_sheet, rows), .range = WITHIN(2, 4096), .needed = true,
     .about = "particles along the height"},
    {"width", FM_KEY_NUMBER, offsetof(fm_sheet, width), "m", ABOVE(0, 1e4), .needed = true,
     .about = "size along x before it is turned"},
    {"height", FM_KEY_NUMBER, offsetof(fm_sheet, height), "m", ABOVE(0, 1e4), .needed = true,
     .about = "size along -y before it is turned"},
    {"origin", FM_KEY_VECTOR, offsetof(fm_sheet, origin), "m", WITHIN(-1e6, 1e6),
     .about = "where the top left corner is"},
    {"rotation", FM_KEY_ROTATION, offsetof(fm_sheet, rotation), .about = "about the origin"},
    {"velocity", FM_KEY_VECTOR, offsetof(fm_sheet, velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "of every particle at the beginning"},
};

static const fm_table sheet_table = {
    .name = "sheet",
    .about = "A rectangle of particles; row 0 is on top. Refining it does not change the material.",
    .entries = sheet_entries,
    .count = COUNT(sheet_entries),
};

static const fm_entry tube_entries[] = {
    {"columns", FM_KEY_INTEGER, offsetof(fm_tube, columns), .range = WITHIN(3, 4096),
     .needed = true, .about = "particles around; even numbers bend evenly"},
    {"rows", FM_KEY_INTEGER, offsetof(fm_tube, rows), .range = WITHIN(2, 4096), .needed = true,
     .about = "particles along the height"},
    {"radius_top", FM_KEY_NUMBER, offsetof(fm_tube, radius_top), "m", ABOVE(0, 1e4), .needed = true,
     .about = "of row 0"},
    {"radius_bottom", FM_KEY_NUMBER, offsetof(fm_tube, radius_bottom), "m", ABOVE(0, 1e4),
     .needed = true, .about = "of the last row"},
    {"height", FM_KEY_NUMBER, offsetof(fm_tube, height), "m", ABOVE(0, 1e4), .needed = true,
     .about = "size along -y before it is turned"},
    {"origin", FM_KEY_VECTOR, offsetof(fm_tube, origin), "m", WITHIN(-1e6, 1e6),
     .about = "where the centre of row 0 is"},
    {"rotation", FM_KEY_ROTATION, offsetof(fm_tube, rotation), .about = "about the origin"},
    {"velocity", FM_KEY_VECTOR, offsetof(fm_tube, velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "of every particle at the beginning"},
};

static const fm_table tube_table = {
    .name = "tube",
    .about = "A sheet closed to a tube or a cone, as a skirt is: its columns go around, column 0 "
             "towards z.",
    .entries = tube_entries,
    .count = COUNT(tube_entries),
};

static void set_mesh_defaults(fm_scene_mesh *mesh)
{
    mesh->scale = 1;
    mesh->weld = 1e-6;
}

static const fm_entry mesh_entries[] = {
    {"file", FM_KEY_TEXT, offsetof(fm_scene_mesh, file), .needed = true, .aside = true,
     .about = "a Wavefront OBJ file, relative to this one; polygons are cut into triangles"},
    {"scale", FM_KEY_NUMBER, offsetof(fm_scene_mesh, scale), .range = ABOVE(0, 1e6),
     .about = "what its numbers are multiplied by to become metres"},
    {"origin", FM_KEY_VECTOR, offsetof(fm_scene_mesh, origin), "m", WITHIN(-1e6, 1e6),
     .about = "where its (0, 0, 0) is"},
    {"rotation", FM_KEY_ROTATION, offsetof(fm_scene_mesh, rotation), .about = "about the origin"},
    {"velocity", FM_KEY_VECTOR, offsetof(fm_scene_mesh, velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "of every particle at the beginning"},
    {"weld", FM_KEY_NUMBER, offsetof(fm_scene_mesh, weld), "m", WITHIN(0, 1e3),
     .about = "vertices as near as this, scaled, become one particle; 0: none do"},
};

static const fm_table mesh_table = {
    .name = "mesh",
    .about = "Any triangles. Frames and exports have the vertices in the order of the file.",
    .entries = mesh_entries,
    .count = COUNT(mesh_entries),
};

static const fm_entry stretch_entries[] = {
    {"stiffness", FM_KEY_NUMBER, DEF(stretch.stiffness), "N/m", ABOVE(0, 1e7),
     .about = "surface modulus: force per width over strain"},
};
static const fm_table stretch_table = {.name = "stretch",
                                       .entries = stretch_entries,
                                       .about = "Resistance to stretching.",
                                       .count = COUNT(stretch_entries)};

static const fm_entry shear_entries[] = {
    {"stiffness", FM_KEY_NUMBER, DEF(shear.stiffness), "N/m", WITHIN(0, 1e7),
     .about =
         "surface modulus: force per width over angle; a mesh has 3/8 of its stretch stiffness "
         "instead"},
};
static const fm_table shear_table = {.name = "shear",
                                     .entries = shear_entries,
                                     .about = "Resistance to shearing in the plane of the cloth.",
                                     .count = COUNT(shear_entries)};

static const fm_entry bend_entries[] = {
    {"model", FM_KEY_WORD, DEF(bend.model), .words = bend_models,
     .about = "rigidity converges with the mesh; springs over two cells, as published, do not"},
    {"stiffness", FM_KEY_NUMBER, DEF(bend.stiffness), "N m", WITHIN(0, 1e7),
     .about = "bending rigidity (with springs: their surface modulus in N/m)"},
    {"rest_angle", FM_KEY_WORD, DEF(bend.rest_angle), .words = rest_angles,
     .about = "what a tube or a mesh bends back to: flat, as cloth is woven, or the shape it is "
              "made in"},
};
static const fm_table bend_table = {.name = "bend",
                                    .entries = bend_entries,
                                    .about = "Resistance to bending.",
                                    .count = COUNT(bend_entries)};

static const fm_entry damping_entries[] = {
    {"coefficient", FM_KEY_NUMBER, DEF(damping.coefficient), "N s^order / m", WITHIN(0, 1e6),
     .about = "of the springs, as a surface modulus"},
    {"order", FM_KEY_NUMBER, DEF(damping.order), .range = ABOVE(0, 1),
     .about = "of the derivative: 1 is a dashpot, less remembers"},
    {"memory", FM_KEY_MAPPING, DEF(damping.memory), .table = &fm_recall_table,
     .about = "how far back, when the order is below 1"},
    {"kept", FM_KEY_NUMBER, DEF(damping.kept), .range = WITHIN(0, 1),
     .about = "share of the velocity kept from one substep to the next; with verlet the d of "
              "x + d (x - x_prev)"},
};
static const fm_table damping_table = {.name = "damping",
                                       .entries = damping_entries,
                                       .about = "What takes energy out of the springs.",
                                       .count = COUNT(damping_entries)};

static const fm_entry history_entries[] = {
    {"coefficient", FM_KEY_NUMBER, DEF(drag.history.coefficient), "N s^order / m per m^2",
     WITHIN(0, 1e6), .about = "how strongly the water remembers; model published"},
    {"order", FM_KEY_NUMBER, DEF(drag.history.order), .range = BETWEEN(0, 1),
     .about = "of the derivative of the displacement: towards 0 a spring, towards 1 a dashpot"},
    {"memory", FM_KEY_MAPPING, DEF(drag.history.memory), .table = &fm_recall_table,
     .about = "how far back, written as `damping.memory` is; physical drag uses tolerance and "
              "horizon only"},
};
static const fm_table history_table = {.name = "history",
                                       .entries = history_entries,
                                       .about = "The part of drag that depends on the past.",
                                       .count = COUNT(history_entries)};

static const fm_entry drag_entries[] = {
    {"model", FM_KEY_WORD, DEF(drag.model), .words = drag_models,
     .about = "physical needs only the medium; published is that of Ozgen et al. 2010; viscous, "
              "normal and both are the regular ones"},
    {"viscous", FM_KEY_NUMBER, DEF(drag.viscous), "N s/m per m^2", WITHIN(0, 1e6),
     .about = "of the whole velocity; published, viscous, both"},
    {"normal", FM_KEY_NUMBER, DEF(drag.normal), "N s/m per m^2", WITHIN(0, 1e6),
     .about = "of the velocity across the cloth; normal, both"},
    {"history", FM_KEY_MAPPING, 0, .table = &history_table,
     .about = "the part that depends on the past; published"},
    {"pressure", FM_KEY_NUMBER, DEF(drag.pressure), .range = WITHIN(0, 1e3),
     .about = "coefficient broadside, of 1/2 density speed^2; physical"},
    {"friction", FM_KEY_NUMBER, DEF(drag.friction), .range = WITHIN(0, 1e3),
     .about = "coefficient edgewise, of 1/2 density speed^2; physical"},
    {"skin_history", FM_KEY_BOOLEAN, DEF(drag.skin_history),
     .about = "the exact history force of a sheet sliding in its plane; physical"},
    {"normal_history", FM_KEY_NUMBER, DEF(drag.normal_history), "N s^(3/2) / m per m^2",
     WITHIN(0, 1e6), .about = "of the half derivative of the velocity across the cloth; physical"},
    {"added_mass", FM_KEY_NUMBER, DEF(drag.added_mass), "m", WITHIN(-1, 1e3),
     .about = "thickness of the layer of water that moves with the cloth; -1: from its size; "
              "physical"},
};
static const fm_table drag_table = {
    .name = "drag",
    .about = "What the medium does to the cloth, all per area of it. `docs/cloth.md` has the "
             "equations.",
    .entries = drag_entries,
    .count = COUNT(drag_entries),
};

static const fm_entry repulsion_entries[] = {
    {"enabled", FM_KEY_BOOLEAN, DEF(repulsion.enabled), .about = "whether there is any"},
    {"distance", FM_KEY_NUMBER, DEF(repulsion.distance), "m", WITHIN(0, 10),
     .about = "at which it begins; 0: from the mesh"},
    {"stiffness", FM_KEY_NUMBER, DEF(repulsion.stiffness), .range = ABOVE(0, 1),
     .about = "share of the largest stable one"},
    {"friction", FM_KEY_NUMBER, DEF(repulsion.friction), .range = WITHIN(0, 1),
     .about = "share of critical damping against approach"},
};
static const fm_table repulsion_table = {.name = "repulsion",
                                         .entries = repulsion_entries,
                                         .about = "Keeps a cloth away from itself.",
                                         .count = COUNT(repulsion_entries)};

static const fm_entry contact_entries[] = {
    {"enabled", FM_KEY_BOOLEAN, DEF(contact.enabled),
     .about =
         "nothing passes through: not this cloth through colliders, other such cloths, itself"},
    {"thickness", FM_KEY_NUMBER, DEF(contact.thickness), "m", WITHIN(0, 1),
     .about = "kept between surfaces; 0: the cloth's own, or a tenth of an edge if that is more"},
    {"friction", FM_KEY_NUMBER, DEF(contact.friction), .range = WITHIN(0, 10),
     .about = "Coulomb's; two surfaces meet with the root of the product of theirs"},
    {"start", FM_KEY_WORD, DEF(contact.start), .words = starts,
     .about =
         "of a cloth that begins inside a collider or through a cloth: refuse it, or separate, "
         "which moves it out"},
};
static const fm_table contact_table = {.name = "contact",
                                       .entries = contact_entries,
                                       .about = "Continuous contact that does not let through.",
                                       .count = COUNT(contact_entries)};

static void set_map_defaults(void *object)
{
    fm_scene_map *map = object;
    map->within = fm_default_collider_def().shape;
}

static const fm_entry map_entries[] = {
    {"colliders", FM_KEY_NAMES, offsetof(fm_scene_map, colliders), .section = "colliders",
     .needed = true,
     .about = "that switch it on while each touches some of its particles; up to 8; a figure's are "
              "woman.left_thigh..."},
    {"particles", FM_KEY_INTEGERS, offsetof(fm_scene_map, particles), .range = WITHIN(0, 16777215),
     .choice = true, .kind = FM_SCENE_PIN_PARTICLES,
     .about = "taken for fixed then, beside the pinned ones; a list, as pins have it"},
    {"within", FM_KEY_MAPPING, offsetof(fm_scene_map, within), .table = &fm_shape_table,
     .choice = true, .kind = FM_SCENE_PIN_WITHIN,
     .about = "the same of all that begin in a region"},
};

static const fm_table map_table = {
    .name = "map",
    .about = "An order of correction made beforehand for a contact that comes again: colliders, "
             "and one of particles, within.",
    .size = sizeof(fm_scene_map),
    .set_defaults = set_map_defaults,
    .entries = map_entries,
    .count = COUNT(map_entries),
    .has_kind = true,
    .kind_offset = offsetof(fm_scene_map, kind),
};

#define ENFORCE(member) offsetof(fm_scene_cloth, def.enforcement.member)

static const fm_entry enforcement_entries[] = {
    {"method", FM_KEY_WORD, ENFORCE(method), .words = methods,
     .about = "directional is the one to use; published is that of Ozgen 2013 and iterative "
              "Provot's, for comparison"},
    {"iterations", FM_KEY_INTEGER, ENFORCE(iterations), .range = WITHIN(1, 10000),
     .about = "passes a substep"},
    {"threshold", FM_KEY_NUMBER, ENFORCE(threshold), .range = WITHIN(0, 10),
     .about = "stretch, l/l0 - 1, that is left alone"},
    {"target", FM_KEY_WORD, ENFORCE(target), .words = targets,
     .about = "where edges past the threshold are brought"},
    {"compression", FM_KEY_BOOLEAN, ENFORCE(compression),
     .about = "edges that are too short too: cloth keeps its area and falls in folds"},
    {"shear", FM_KEY_BOOLEAN, ENFORCE(shear), .about = "shear edges too"},
    {"order", FM_KEY_WORD, ENFORCE(order), .words = orders,
     .about = "of the three classes of springs; published"},
    {"visits", FM_KEY_INTEGER, ENFORCE(visits), .range = WITHIN(1, 100),
     .about = "how often the list may come to a particle; published"},
    {"direction", FM_KEY_WORD, ENFORCE(direction), .words = directions,
     .about = "the way the list goes: down the rows, along gravity, or along weight, buoyancy and "
              "drag together; published"},
    {"contacts", FM_KEY_BOOLEAN, ENFORCE(contacts),
     .about = "particles held by colliders count as fixed, beside pinned ones"},
    {"recompute", FM_KEY_NUMBER, ENFORCE(recompute), .range = WITHIN(0, 10),
     .about = "share of the fixed particles that must change for the order to be made anew; 0: "
              "never"},
    {"maps", FM_KEY_LIST, offsetof(fm_scene_cloth, maps), .table = &map_table,
     .range = WITHIN(0, 8), .about = "orders switched by contacts; the first that fits is taken"},
};
static const fm_table enforcement_table = {
    .name = "enforcement",
    .about = "Keeps edges from stretching at substeps that springs alone could not bear. "
             "`docs/stiff.md` compares the methods.",
    .entries = enforcement_entries,
    .count = COUNT(enforcement_entries),
};

static void set_pin_defaults(void *object)
{
    fm_scene_pin *pin = object;
    pin->release = INFINITY;
    pin->within = fm_default_collider_def().shape;
}

static const fm_entry pin_entries[] = {
    {"edge", FM_KEY_WORD, offsetof(fm_scene_pin, edge), .words = edges, .choice = true,
     .kind = FM_SCENE_PIN_EDGE, .about = "a whole edge"},
    {"row", FM_KEY_INTEGER, offsetof(fm_scene_pin, row), .range = WITHIN(0, 4095), .choice = true,
     .kind = FM_SCENE_PIN_ROW, .about = "a row, from 0 on top"},
    {"column", FM_KEY_INTEGER, offsetof(fm_scene_pin, column), .range = WITHIN(0, 4095),
     .choice = true, .kind = FM_SCENE_PIN_COLUMN, .about = "a column, from 0 on the left"},
    {"corner", FM_KEY_WORD, offsetof(fm_scene_pin, corner), .words = corners, .choice = true,
     .kind = FM_SCENE_PIN_CORNER, .about = "one corner"},
    {"particles", FM_KEY_INTEGERS, offsetof(fm_scene_pin, particles), .range = WITHIN(0, 16777215),
     .choice = true, .kind = FM_SCENE_PIN_PARTICLES,
     .about = "a list of particles, counted row by row from 0 at the top left; of a mesh, vertices "
              "of its file, from 0"},
    {"within", FM_KEY_MAPPING, offsetof(fm_scene_pin, within), .table = &fm_shape_table,
     .choice = true, .kind = FM_SCENE_PIN_WITHIN, .about = "all that begin in a region"},
    {"above", FM_KEY_NUMBER, offsetof(fm_scene_pin, above), "m", WITHIN(-1e6, 1e6), .choice = true,
     .kind = FM_SCENE_PIN_ABOVE, .about = "all that begin at this y or higher"},
    {"motion", FM_KEY_NAME, offsetof(fm_scene_pin, motion), .section = "motions",
     .about = "what they follow; without it they are held where they are"},
    {"release", FM_KEY_NUMBER, offsetof(fm_scene_pin, release), "s", WITHIN(0, 1e6),
     .about = "when they are let go"},
};

static const fm_table pin_table = {
    .name = "pin",
    .about =
        "Particles that are held: one of edge, row, column, corner (sheets; tubes have no left, "
        "right and corners), particles, within, above.",
    .size = sizeof(fm_scene_pin),
    .set_defaults = set_pin_defaults,
    .entries = pin_entries,
    .count = COUNT(pin_entries),
    .has_kind = true,
    .kind_offset = offsetof(fm_scene_pin, kind),
};

static const fm_entry border_entries[] = {
    {"edge", FM_KEY_WORD, offsetof(fm_scene_border, edge), .words = edges, .choice = true,
     .kind = FM_SCENE_PIN_EDGE, .about = "a whole edge"},
    {"row", FM_KEY_INTEGER, offsetof(fm_scene_border, row), .range = WITHIN(0, 4095),
     .choice = true, .kind = FM_SCENE_PIN_ROW, .about = "a row, from 0 on top"},
    {"column", FM_KEY_INTEGER, offsetof(fm_scene_border, column), .range = WITHIN(0, 4095),
     .choice = true, .kind = FM_SCENE_PIN_COLUMN, .about = "a column, from 0 on the left"},
    {"particles", FM_KEY_INTEGERS, offsetof(fm_scene_border, particles),
     .range = WITHIN(0, 16777215), .choice = true, .kind = FM_SCENE_PIN_PARTICLES,
     .about = "a list of particles, as pins have it"},
};

static const fm_table border_table = {
    .name = "border",
    .about = "One side of a seam: one of edge, row, column, particles; from left to right, from "
             "top to bottom, or in the order of the list.",
    .entries = border_entries,
    .count = COUNT(border_entries),
    .has_kind = true,
    .kind_offset = offsetof(fm_scene_border, kind),
};

static const fm_entry seam_entries[] = {
    {"from", FM_KEY_MAPPING, offsetof(fm_scene_seam, from), .table = &border_table, .needed = true,
     .about = "one side"},
    {"to", FM_KEY_MAPPING, offsetof(fm_scene_seam, to), .table = &border_table, .needed = true,
     .about = "the other, with as many particles, written as `from` is"},
    {"start", FM_KEY_NUMBER, offsetof(fm_scene_seam, start), "s", WITHIN(0, 1e6),
     .about = "when it begins to close"},
    {"time", FM_KEY_NUMBER, offsetof(fm_scene_seam, time), "s", WITHIN(0, 1e6),
     .about = "how long it takes; 0: at once"},
    {"reverse", FM_KEY_BOOLEAN, offsetof(fm_scene_seam, reverse),
     .about = "the last of one side to the first of the other"},
    {"weld", FM_KEY_BOOLEAN, offsetof(fm_scene_seam, weld),
     .about = "no stitches: the vertices of a mesh become one, half-way, before it begins"},
};

static void set_seam_defaults(void *object)
{
    fm_scene_seam *seam = object;
    seam->time = 1;
}

static const fm_table seam_table = {
    .name = "seam",
    .about = "Stitches between two borders of a cloth, which pull them together.",
    .size = sizeof(fm_scene_seam),
    .set_defaults = set_seam_defaults,
    .entries = seam_entries,
    .count = COUNT(seam_entries),
};

static const char *material_at(int index)
{
    return index >= 0 && index < FM_MATERIAL_COUNT ? fm_material_name((fm_material)index) : NULL;
}

static void apply_material(void *object)
{
    fm_scene_cloth *cloth = object;
    fm_cloth_set_material(&cloth->def, (fm_material)cloth->material);
}

// The material comes first: decoding goes in this order, and the keys after it override it.
static const fm_entry cloth_entries[] = {
    {"material", FM_KEY_WORD, offsetof(fm_scene_cloth, material), .word_at = material_at,
     .after = apply_material,
     .about = "a real fabric; gives density, thickness, stiffnesses and damping, which the other "
              "keys override"},
    {"sheet", FM_KEY_MAPPING, offsetof(fm_scene_cloth, sheet), .table = &sheet_table,
     .choice = true, .kind = FM_CLOTH_SHEET, .about = "a rectangle"},
    {"tube", FM_KEY_MAPPING, offsetof(fm_scene_cloth, tube), .table = &tube_table, .choice = true,
     .kind = FM_CLOTH_TUBE, .about = "a tube or a cone"},
    {"mesh", FM_KEY_MAPPING, offsetof(fm_scene_cloth, mesh), .table = &mesh_table, .choice = true,
     .kind = FM_CLOTH_MESH, .about = "triangles from a file"},
    {"density", FM_KEY_NUMBER, CLOTH(density), "kg/m^3", ABOVE(0, 1e5),
     .about = "of the wet fabric"},
    {"thickness", FM_KEY_NUMBER, CLOTH(thickness), "m", ABOVE(0, 1),
     .about = "times density is the mass per area"},
    {"stretch", FM_KEY_MAPPING, offsetof(fm_scene_cloth, def), .table = &stretch_table,
     .about = "resistance to stretching"},
    {"shear", FM_KEY_MAPPING, offsetof(fm_scene_cloth, def), .table = &shear_table,
     .about = "resistance to shearing"},
    {"bend", FM_KEY_MAPPING, offsetof(fm_scene_cloth, def), .table = &bend_table,
     .about = "resistance to bending"},
    {"damping", FM_KEY_MAPPING, offsetof(fm_scene_cloth, def), .table = &damping_table,
     .about = "what takes energy out of the springs"},
    {"drag", FM_KEY_MAPPING, offsetof(fm_scene_cloth, def), .table = &drag_table,
     .about = "what the medium does"},
    {"repulsion", FM_KEY_MAPPING, offsetof(fm_scene_cloth, def), .table = &repulsion_table,
     .about = "keeps it away from itself"},
    {"contact", FM_KEY_MAPPING, offsetof(fm_scene_cloth, def), .table = &contact_table,
     .about = "does not let anything through"},
    {"enforcement", FM_KEY_MAPPING, 0, .table = &enforcement_table,
     .about = "keeps it from stretching, at large substeps"},
    {"integrator", FM_KEY_WORD, CLOTH(integrator), .words = integrators,
     .about = "kick-drift-kick for everything; the others are explicit: euler as published, the "
              "rest without memory"},
    {"time_step", FM_KEY_NUMBER, CLOTH(time_step), "s", WITHIN(0, 10),
     .about = "the largest substep allowed; 0: from the stability bound; with enforcement the "
              "substep itself, 0: 1/240 s"},
    {"margin", FM_KEY_NUMBER, CLOTH(margin), "m", WITHIN(-1, 1),
     .about = "distance kept from colliders; -1: half the thickness"},
    {"seams", FM_KEY_LIST, offsetof(fm_scene_cloth, seams), .table = &seam_table,
     .range = WITHIN(0, 256), .about = "what is sewn together"},
    {"pins", FM_KEY_LIST, offsetof(fm_scene_cloth, pins), .table = &pin_table,
     .range = WITHIN(0, 256),
     .about = "what is held; a later pin takes over particles of an earlier one"},
};

static void set_cloth_defaults(void *object)
{
    fm_scene_cloth *cloth = object;
    cloth->material = FM_COTTON_TOWEL;
    cloth->def = fm_default_cloth_def();
    set_mesh_defaults(&cloth->mesh);
}

const fm_table fm_cloth_table = {
    .name = "cloth",
    .about =
        "A cloth: one of sheet, tube, mesh. Parameters belong to the material, not to the mesh.",
    .size = sizeof(fm_scene_cloth),
    .set_defaults = set_cloth_defaults,
    .entries = cloth_entries,
    .count = COUNT(cloth_entries),
    .has_kind = true,
    .kind_offset = offsetof(fm_scene_cloth, kind),
    .check = fm_check_cloth,
};
