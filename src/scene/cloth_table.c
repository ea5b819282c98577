// SPDX-License-Identifier: MIT
// cloth_table.c: the keys of a cloth, `bodies.NAME.cloth`. tests/unit/scene.c checks that the
// ranges equal those in src/cloth.
#include "scene/cloth_kind.h"

#include <math.h>

// Offsets of a member of the cloth's definition in the decoded struct, and in the definition
// itself.
#define CLOTH(member) offsetof(fm_scene_cloth, def.member)
#define DEF(member) offsetof(fm_cloth_def, member)

static const char *const drag_models[] = {"none",   "physical", "published", "viscous",
                                          "normal", "both",     NULL};
static const char *const bend_models[] = {"rigidity", "springs", NULL};
static const char *const stretch_models[] = {"springs", "triangles", NULL};
static const char *const warps[] = {"down", "across", NULL};
static const char *const rest_angles[] = {"flat", "shape", NULL};
const char *const fm_integrator_words[] = {
    "kick-drift-kick",     "euler",    "verlet",         "rk2",       "rk4",
    "predictor-corrector", "implicit", "implicit-euler", "automatic", "iterated-corrector",
    "semi-implicit-euler", NULL};
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

static const fm_entry sheet_entries[] = {
    {"columns", FM_KEY_INTEGER, offsetof(fm_sheet, columns), .range = WITHIN(2, 4096),
     .needed = true, .about = "particles along the width"},
    {"rows", FM_KEY_INTEGER, offsetof(fm_sheet, rows), .range = WITHIN(2, 4096), .needed = true,
     .about = "particles along the height"},
    {"width", FM_KEY_NUMBER, offsetof(fm_sheet, width), "m", ABOVE(0, 1e4), .needed = true,
     .about = "size along x, before rotation"},
    {"height", FM_KEY_NUMBER, offsetof(fm_sheet, height), "m", ABOVE(0, 1e4), .needed = true,
     .about = "size along -y, before rotation"},
    {"origin", FM_KEY_VECTOR, offsetof(fm_sheet, origin), "m", WITHIN(-1e6, 1e6),
     .about = "position of the top left corner"},
    {"rotation", FM_KEY_ROTATION, offsetof(fm_sheet, rotation),
     .about = "rotation about the origin"},
    {"velocity", FM_KEY_VECTOR, offsetof(fm_sheet, velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "initial velocity of all particles"},
};

static const fm_table sheet_table = {
    .name = "sheet",
    .about =
        "A rectangle of particles; row 0 is the top row. The number of particles does not change "
        "the material.",
    .entries = sheet_entries,
    .count = COUNT(sheet_entries),
};

static const fm_entry tube_entries[] = {
    {"columns", FM_KEY_INTEGER, offsetof(fm_tube, columns), .range = WITHIN(3, 4096),
     .needed = true, .about = "particles around the circumference; an even number bends uniformly"},
    {"rows", FM_KEY_INTEGER, offsetof(fm_tube, rows), .range = WITHIN(2, 4096), .needed = true,
     .about = "particles along the height"},
    {"radius_top", FM_KEY_NUMBER, offsetof(fm_tube, radius_top), "m", ABOVE(0, 1e4), .needed = true,
     .about = "radius of row 0"},
    {"radius_bottom", FM_KEY_NUMBER, offsetof(fm_tube, radius_bottom), "m", ABOVE(0, 1e4),
     .needed = true, .about = "radius of the last row"},
    {"height", FM_KEY_NUMBER, offsetof(fm_tube, height), "m", ABOVE(0, 1e4), .needed = true,
     .about = "size along -y, before rotation"},
    {"origin", FM_KEY_VECTOR, offsetof(fm_tube, origin), "m", WITHIN(-1e6, 1e6),
     .about = "position of the centre of row 0"},
    {"rotation", FM_KEY_ROTATION, offsetof(fm_tube, rotation),
     .about = "rotation about the origin"},
    {"velocity", FM_KEY_VECTOR, offsetof(fm_tube, velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "initial velocity of all particles"},
};

static const fm_table tube_table = {
    .name = "tube",
    .about = "A tube or a cone of cloth, as a skirt. Column 0 is on the side of +z.",
    .entries = tube_entries,
    .count = COUNT(tube_entries),
};

// Default values of the keys of a mesh file.
static void set_mesh_defaults(fm_scene_mesh *mesh)
{
    mesh->scale = 1;
    mesh->weld = 1e-6;
}

static const fm_entry mesh_entries[] = {
    {"file", FM_KEY_TEXT, offsetof(fm_scene_mesh, file), .needed = true, .not_hashed = true,
     .about =
         "a Wavefront OBJ file, relative to the scene file; polygons are split into triangles"},
    {"scale", FM_KEY_NUMBER, offsetof(fm_scene_mesh, scale), .range = ABOVE(0, 1e6),
     .about = "m per unit of the file"},
    {"origin", FM_KEY_VECTOR, offsetof(fm_scene_mesh, origin), "m", WITHIN(-1e6, 1e6),
     .about = "position of the origin of the file"},
    {"rotation", FM_KEY_ROTATION, offsetof(fm_scene_mesh, rotation),
     .about = "rotation about the origin"},
    {"velocity", FM_KEY_VECTOR, offsetof(fm_scene_mesh, velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "initial velocity of all particles"},
    {"weld", FM_KEY_NUMBER, offsetof(fm_scene_mesh, weld), "m", WITHIN(0, 1e3),
     .about = "vertices closer than this, after scaling, become one particle; 0: no welding"},
};

static const fm_table mesh_table = {
    .name = "mesh",
    .about = "A triangle mesh. Frames and exports keep the order of the vertices in the file.",
    .entries = mesh_entries,
    .count = COUNT(mesh_entries),
};

static const fm_entry stretch_entries[] = {
    {"model", FM_KEY_WORD, DEF(stretch.model), .words = stretch_models,
     .about =
         "of a sheet or mesh: springs along edges and diagonals, or triangles of constant strain, "
         "whose moduli, shear and Poisson's ratio do not depend on the mesh"},
    {"stiffness", FM_KEY_NUMBER, DEF(stretch.stiffness), "N/m", ABOVE(0, 1e7),
     .about = "surface modulus: force per width divided by strain; along the warp"},
    {"weft", FM_KEY_NUMBER, DEF(stretch.weft), "N/m", WITHIN(0, 1e7),
     .about = "surface modulus across the warp, of a sheet or of triangles; 0: as along it"},
    {"poisson", FM_KEY_NUMBER, DEF(stretch.poisson), .range = WITHIN(0, 0.5),
     .about = "Poisson's ratio, the geometric mean of both directions; needs model triangles"},
    {"stiffening", FM_KEY_NUMBER, DEF(stretch.stiffening), .range = WITHIN(0, 10),
     .about = "strain at which the force of a sheet or of triangles is twice that of the linear "
              "law; 0: linear"},
};
const fm_table fm_cloth_stretch_table = {.name = "stretch",
                                         .entries = stretch_entries,
                                         .about = "Resistance to stretching.",
                                         .count = COUNT(stretch_entries)};

static const fm_entry shear_entries[] = {
    {"stiffness", FM_KEY_NUMBER, DEF(shear.stiffness), "N/m", WITHIN(0, 1e7),
     .about = "surface modulus: force per width divided by shear angle; a mesh of springs ignores "
              "it and has 3/8 of its stretch stiffness"},
};
static const fm_table shear_table = {.name = "shear",
                                     .entries = shear_entries,
                                     .about = "Resistance to shear in the plane of the cloth.",
                                     .count = COUNT(shear_entries)};

static const fm_entry bend_damping_entries[] = {
    {"coefficient", FM_KEY_NUMBER, DEF(bend.damping.coefficient), "N m s^order", WITHIN(0, 1e6),
     .about = "moment per width over the rate of curvature; 0: none"},
    {"order", FM_KEY_NUMBER, DEF(bend.damping.order), .range = ABOVE(0, 1),
     .about = "of the derivative of the curvature: 1 is a dashpot, less remembers"},
    {"memory", FM_KEY_MAPPING, DEF(bend.damping.memory), .table = &fm_memory_keys_table,
     .about = "how far back, when the order is below 1"},
};
static const fm_table bend_damping_table = {
    .name = "bend_damping",
    .entries = bend_damping_entries,
    .about = "What takes energy out of bending, for `model: rigidity`. Rotation is not damped.",
    .count = COUNT(bend_damping_entries)};

static const fm_entry bend_friction_entries[] = {
    {"moment", FM_KEY_NUMBER, DEF(bend.friction.moment), "N", WITHIN(0, 1e4),
     .about = "per width, at which the warp yarns slide: half of Kawabata's 2HB; 0: none"},
    {"weft", FM_KEY_NUMBER, DEF(bend.friction.weft), "N", WITHIN(0, 1e4),
     .about = "the same of the weft yarns; 0: as the warp"},
    {"curvature", FM_KEY_NUMBER, DEF(bend.friction.curvature), "1/m", ABOVE(0, 1e4),
     .about = "change of the curvature until they slide"},
};
static const fm_table bend_friction_table = {
    .name = "bend_friction",
    .entries = bend_friction_entries,
    .about = "Friction between the yarns, for `model: rigidity`: bending has a hysteresis, and "
             "creases stay.",
    .count = COUNT(bend_friction_entries)};

static const fm_entry bend_entries[] = {
    {"model", FM_KEY_WORD, DEF(bend.model), .words = bend_models,
     .about =
         "rigidity converges under refinement; springs, across two cells as published, do not"},
    {"stiffness", FM_KEY_NUMBER, DEF(bend.stiffness), "N m", WITHIN(0, 1e7),
     .about = "bending rigidity; with model springs their surface modulus in N/m"},
    {"weft", FM_KEY_NUMBER, DEF(bend.weft), "N m", WITHIN(0, 1e7),
     .about = "bending rigidity of the weft yarns, where the warp is known; 0: as the warp"},
    {"rest_angle", FM_KEY_WORD, DEF(bend.rest_angle), .words = rest_angles,
     .about = "rest shape of a tube or mesh in bending: flat, as cloth is woven, or its initial "
              "shape"},
    {"damping", FM_KEY_MAPPING, 0, .table = &bend_damping_table, .about = "damping of the bending"},
    {"friction", FM_KEY_MAPPING, 0, .table = &bend_friction_table,
     .about = "friction between the yarns"},
};
const fm_table fm_cloth_bend_table = {.name = "bend",
                                      .entries = bend_entries,
                                      .about = "Resistance to bending.",
                                      .count = COUNT(bend_entries)};

static const fm_entry damping_entries[] = {
    {"coefficient", FM_KEY_NUMBER, DEF(damping.coefficient), "N s^order / m", WITHIN(0, 1e6),
     .about = "damping of the springs, as a surface modulus"},
    {"order", FM_KEY_NUMBER, DEF(damping.order), .range = ABOVE(0, 1),
     .about = "order of the time derivative; 1 is a dashpot, below 1 the force has a memory"},
    {"memory", FM_KEY_MAPPING, DEF(damping.memory), .table = &fm_memory_keys_table,
     .about = "how far back the derivative looks when the order is below 1, with the keys of "
              "`bend.damping.memory`"},
    {"kept", FM_KEY_NUMBER, DEF(damping.kept), .range = WITHIN(0, 1),
     .about = "fraction of the velocity kept from one substep to the next; with integrator verlet "
              "the d in x + d (x - x_prev)"},
};
const fm_table fm_cloth_damping_table = {.name = "damping",
                                         .entries = damping_entries,
                                         .about = "Damping of the springs.",
                                         .count = COUNT(damping_entries)};

static const fm_entry imperfection_entries[] = {
    {"amount", FM_KEY_NUMBER, DEF(imperfection.amount), .range = WITHIN(0, 0.1),
     .about = "rms relative scatter of the rest lengths; first positions are off by it times a "
              "quarter of the root of the area; 0: perfect"},
    {"seed", FM_KEY_INTEGER, DEF(imperfection.seed), .range = WITHIN(0, 1e9),
     .about = "other irregularities of the same strength for another number"},
};
const fm_table fm_cloth_imperfection_table = {
    .name = "imperfection",
    .about = "Irregularities of real cloth, without which symmetric motion stays symmetric. They "
             "belong to the cloth: a finer mesh has the same ones.",
    .entries = imperfection_entries,
    .count = COUNT(imperfection_entries),
};

static const fm_entry muscle_entries[] = {
    {"contraction", FM_KEY_NUMBER, DEF(muscle.contraction), .range = WITHIN(0, 0.9),
     .about = "largest relative change of the rest lengths; 0: none"},
    {"period", FM_KEY_NUMBER, DEF(muscle.period), "s", .range = ABOVE(0, 1e6),
     .about = "from one contraction to the next"},
    {"active", FM_KEY_NUMBER, DEF(muscle.active), .range = WITHIN(0.05, 0.95),
     .about = "part of the period in which it contracts; it relaxes in the rest"},
    {"start", FM_KEY_NUMBER, DEF(muscle.start), "s", .range = WITHIN(0, 1e6),
     .about = "of the first contraction"},
    {"axis", FM_KEY_VECTOR, DEF(muscle.axis),
     .about = "edges around this axis through the centre contract; [0, 0, 0]: all edges"},
};
const fm_table fm_cloth_muscle_table = {
    .name = "muscle",
    .about = "Periodic contraction of the springs, as of the bell of a jellyfish.",
    .entries = muscle_entries,
    .count = COUNT(muscle_entries),
};

static const fm_entry history_entries[] = {
    {"coefficient", FM_KEY_NUMBER, DEF(drag.history.coefficient), "N s^order / m per m^2",
     WITHIN(0, 1e6), .about = "strength of the history force; only for model published"},
    {"order", FM_KEY_NUMBER, DEF(drag.history.order), .range = BETWEEN(0, 1),
     .about = "order of the derivative of the displacement; near 0 a spring, near 1 a dashpot"},
    {"memory", FM_KEY_MAPPING, DEF(drag.history.memory), .table = &fm_memory_keys_table,
     .about = "how far back the derivative looks, with the keys of `bend.damping.memory`; model "
              "physical "
              "only uses tolerance and horizon"},
};
static const fm_table history_table = {.name = "history",
                                       .entries = history_entries,
                                       .about =
                                           "The part of the drag that depends on earlier motion.",
                                       .count = COUNT(history_entries)};

static const fm_entry drag_entries[] = {
    {"model", FM_KEY_WORD, DEF(drag.model), .words = drag_models,
     .about = "physical: from density and viscosity of the medium; published: the model of "
              "Ozgen et al. 2010; viscous, normal, both: simpler models that they compare with"},
    {"viscous", FM_KEY_NUMBER, DEF(drag.viscous), "N s/m per m^2", WITHIN(0, 1e6),
     .about = "coefficient of the velocity; only for models published, viscous, both"},
    {"normal", FM_KEY_NUMBER, DEF(drag.normal), "N s/m per m^2", WITHIN(0, 1e6),
     .about = "coefficient of the velocity normal to the cloth; only for models normal, both"},
    {"history", FM_KEY_MAPPING, 0, .table = &history_table,
     .about = "the part that depends on earlier motion; only for model published"},
    {"pressure", FM_KEY_NUMBER, DEF(drag.pressure), .range = WITHIN(0, 1e3),
     .about = "drag coefficient normal to the cloth, times 1/2 density speed^2; only for model "
              "physical"},
    {"ripple_pressure", FM_KEY_NUMBER, DEF(drag.ripple_pressure), .range = WITHIN(0, 1e3),
     .about = "the same coefficient for motions much shorter than the cloth, which do not stir up "
              "eddies; at most `pressure` counts; only with `added_mass: auto`"},
    {"friction", FM_KEY_NUMBER, DEF(drag.friction), .range = WITHIN(0, 1e3),
     .about =
         "drag coefficient along the cloth, times 1/2 density speed^2; only for model physical"},
    {"skin_history", FM_KEY_BOOLEAN, DEF(drag.skin_history),
     .about = "add the exact history force of a sheet that slides in its plane; only for model "
              "physical"},
    {"normal_history", FM_KEY_NUMBER, DEF(drag.normal_history), "N s^(3/2) / m per m^2",
     WITHIN(-1, 1e6), .automatic = true,
     .about = "coefficient of the half derivative of the velocity normal to the cloth; auto (-1): "
              "that of waves, 2 sqrt(density viscosity) of the medium; only for model physical"},
    {"added_mass", FM_KEY_NUMBER, DEF(drag.added_mass), "m", WITHIN(-1, 1e3), .automatic = true,
     .about =
         "thickness of the layer of medium that moves with the cloth; auto (-1): 2/k for every "
         "wavenumber k of its motion; only for model physical"},
};
const fm_table fm_cloth_drag_table = {
    .name = "drag",
    .about =
        "Force of the medium on the cloth. Coefficients are per area of cloth. `docs/cloth.md` "
        "has the equations.",
    .entries = drag_entries,
    .count = COUNT(drag_entries),
};

static const fm_entry repulsion_entries[] = {
    {"enabled", FM_KEY_BOOLEAN, DEF(repulsion.enabled), .about = "switch the repulsion on"},
    {"distance", FM_KEY_NUMBER, DEF(repulsion.distance), "m", WITHIN(0, 10),
     .about = "distance at which it starts; 0: chosen from the mesh"},
    {"stiffness", FM_KEY_NUMBER, DEF(repulsion.stiffness), .range = ABOVE(0, 1),
     .about = "fraction of the largest stable stiffness"},
    {"friction", FM_KEY_NUMBER, DEF(repulsion.friction), .range = WITHIN(0, 1),
     .about = "damping of the approach, as a fraction of critical damping"},
};
const fm_table fm_cloth_repulsion_table = {
    .name = "repulsion",
    .entries = repulsion_entries,
    .about = "Repulsion between parts of a cloth that come close: cheap, but not safe against "
             "intersections.",
    .count = COUNT(repulsion_entries)};

static const fm_entry contact_entries[] = {
    {"enabled", FM_KEY_BOOLEAN, DEF(contact.enabled),
     .about =
         "switch contact on: the cloth does not pass through colliders, itself and other cloths "
         "with contact"},
    {"thickness", FM_KEY_NUMBER, DEF(contact.thickness), "m", WITHIN(0, 1),
     .about = "distance kept between surfaces; 0: thickness of the cloth, or a tenth of an edge if "
              "that is larger"},
    {"friction", FM_KEY_NUMBER, DEF(contact.friction), .range = WITHIN(0, 10),
     .about = "Coulomb friction coefficient; two surfaces use the geometric mean of theirs"},
    {"start", FM_KEY_WORD, DEF(contact.start), .words = starts,
     .about = "for a cloth that starts inside a collider or intersects a cloth: refuse reports an "
              "error, separate moves it out"},
};
const fm_table fm_cloth_contact_table = {.name = "contact",
                                         .entries = contact_entries,
                                         .about = "Contact with continuous collision detection.",
                                         .count = COUNT(contact_entries)};

// Default values of one element of enforcement.maps (particles that strain limiting treats as
// fixed).
static void set_map_defaults(void *object)
{
    fm_scene_enforcement_map *map = object;
    map->within = fm_default_collider_def().shape;
}

static const fm_entry map_entries[] = {
    {"colliders", FM_KEY_NAMES, offsetof(fm_scene_enforcement_map, colliders),
     .section = "colliders", .needed = true,
     .about = "the map is active while each of these touches a particle of the cloth; up to 8 "
              "colliders, or bones such as woman.left_thigh"},
    {"particles", FM_KEY_INTEGERS, offsetof(fm_scene_enforcement_map, particles),
     .range = WITHIN(0, 16777215), .choice = true, .kind = FM_SCENE_PIN_PARTICLES,
     .about = "particles that count as fixed while the map is active; numbered as in pins"},
    {"within", FM_KEY_MAPPING, offsetof(fm_scene_enforcement_map, within), .table = &fm_shape_table,
     .choice = true, .kind = FM_SCENE_PIN_WITHIN,
     .about = "the same for all particles that start in a region"},
};

static const fm_table map_table = {
    .name = "map",
    .about = "A constraint map: an order of correction that is computed in advance for a contact "
             "that recurs. Needs `colliders`, and one of `particles` and `within`.",
    .size = sizeof(fm_scene_enforcement_map),
    .set_defaults = set_map_defaults,
    .entries = map_entries,
    .count = COUNT(map_entries),
    .has_kind = true,
    .kind_offset = offsetof(fm_scene_enforcement_map, kind),
};

#define ENFORCE(member) offsetof(fm_scene_cloth, def.enforcement.member)

static const fm_entry enforcement_entries[] = {
    {"method", FM_KEY_WORD, ENFORCE(method), .words = methods,
     .about = "directional is recommended; for comparison: published is the method of Ozgen 2013, "
              "iterative that of Provot 1995"},
    {"iterations", FM_KEY_INTEGER, ENFORCE(iterations), .range = WITHIN(1, 10000),
     .about = "passes in each substep"},
    {"threshold", FM_KEY_NUMBER, ENFORCE(threshold), .range = WITHIN(0, 10),
     .about = "stretch l/l0 - 1 up to which edges are not corrected"},
    {"target", FM_KEY_WORD, ENFORCE(target), .words = targets,
     .about = "length to which edges beyond the threshold are corrected"},
    {"compression", FM_KEY_BOOLEAN, ENFORCE(compression),
     .about = "also correct edges that are too short: the cloth keeps its area and folds"},
    {"shear", FM_KEY_BOOLEAN, ENFORCE(shear), .about = "also correct shear edges"},
    {"order", FM_KEY_WORD, ENFORCE(order), .words = orders,
     .about = "order of the three classes of springs; only for method published"},
    {"visits", FM_KEY_INTEGER, ENFORCE(visits), .range = WITHIN(1, 100),
     .about = "how often the list may contain a particle; only for method published"},
    {"direction", FM_KEY_WORD, ENFORCE(direction), .words = directions,
     .about = "direction of the list: down the rows, along gravity, or along the sum of weight, "
              "buoyancy and drag; only for method published"},
    {"contacts", FM_KEY_BOOLEAN, ENFORCE(contacts),
     .about = "particles that colliders hold count as fixed, like pinned ones"},
    {"recompute", FM_KEY_NUMBER, ENFORCE(recompute), .range = WITHIN(0, 10),
     .about = "the order is computed again when this fraction of the fixed particles has changed; "
              "0: never"},
    {"maps", FM_KEY_LIST, offsetof(fm_scene_cloth, maps), .table = &map_table,
     .range = WITHIN(0, 8), .about = "orders for recurring contacts; the first active map is used"},
};
const fm_table fm_cloth_enforcement_table = {
    .name = "enforcement",
    .about =
        "Strain limiting: corrects the lengths of edges after each substep, which allows "
        "substeps at which stiff springs would be unstable. `docs/stiff.md` compares the methods.",
    .entries = enforcement_entries,
    .count = COUNT(enforcement_entries),
};

// Default values of one element of `pins`.
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
     .about = "particle numbers, row by row from 0 at the top left; for a mesh, vertices of its "
              "file, from 0"},
    {"within", FM_KEY_MAPPING, offsetof(fm_scene_pin, within), .table = &fm_shape_table,
     .choice = true, .kind = FM_SCENE_PIN_WITHIN, .about = "all particles that start in a region"},
    {"above", FM_KEY_NUMBER, offsetof(fm_scene_pin, above), "m", WITHIN(-1e6, 1e6), .choice = true,
     .kind = FM_SCENE_PIN_ABOVE, .about = "all particles that start at this y or higher"},
    {"group", FM_KEY_TEXT, offsetof(fm_scene_pin, group), .choice = true,
     .kind = FM_SCENE_PIN_GROUP,
     .about =
         "a named group of vertices: of the OBJ file (g or o), of a painted map, or of a fabric or "
         "soft body, such as rim; docs/fabric.md lists those"},
    {"motion", FM_KEY_NAME, offsetof(fm_scene_pin, motion), .section = "motions",
     .about = "motion or bone that the particles follow; without it they are held in place"},
    {"release", FM_KEY_NUMBER, offsetof(fm_scene_pin, release), "s", WITHIN(0, 1e6),
     .about = "time at which they are released"},
};

const fm_table fm_cloth_pin_table = {
    .name = "pin",
    .about = "Particles that are held: one of edge, row, column, corner, particles, within, above, "
             "group. Tubes have no left and right edges and no corners; meshes have only the last "
             "four.",
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
     .about = "particle numbers, as in pins"},
    {"group", FM_KEY_TEXT, offsetof(fm_scene_border, group), .choice = true,
     .kind = FM_SCENE_PIN_GROUP,
     .about = "a group of the OBJ file of a mesh: the points of its lines (l), in their order"},
};

static const fm_table border_table = {
    .name = "border",
    .about =
        "One side of a seam: one of edge, row, column, particles, group. Its particles run from "
        "left to right, from top to bottom, or in the order of the list.",
    .entries = border_entries,
    .count = COUNT(border_entries),
    .has_kind = true,
    .kind_offset = offsetof(fm_scene_border, kind),
};

static const fm_entry seam_entries[] = {
    {"from", FM_KEY_MAPPING, offsetof(fm_scene_seam, from), .table = &border_table, .needed = true,
     .about = "one side of the seam"},
    {"to", FM_KEY_MAPPING, offsetof(fm_scene_seam, to), .table = &border_table, .needed = true,
     .about = "the other side, with the same number of particles and the same keys"},
    {"start", FM_KEY_NUMBER, offsetof(fm_scene_seam, start), "s", WITHIN(0, 1e6),
     .about = "time at which the seam starts to close"},
    {"time", FM_KEY_NUMBER, offsetof(fm_scene_seam, time), "s", WITHIN(0, 1e6),
     .about = "duration of closing; 0: at once"},
    {"reverse", FM_KEY_BOOLEAN, offsetof(fm_scene_seam, reverse),
     .about = "sew the last particle of one side to the first of the other"},
    {"weld", FM_KEY_BOOLEAN, offsetof(fm_scene_seam, weld),
     .about =
         "instead of sewing, merge the vertices of a mesh half-way between the sides before the "
         "start"},
};

// Default values of one element of `seams`.
static void set_seam_defaults(void *object)
{
    fm_scene_seam *seam = object;
    seam->time = 1;
}

static const fm_table seam_table = {
    .name = "seam",
    .about = "A seam that pulls two borders of a cloth together.",
    .size = sizeof(fm_scene_seam),
    .set_defaults = set_seam_defaults,
    .entries = seam_entries,
    .count = COUNT(seam_entries),
};

// Name of the fabric with this number, as "silk"; NULL after the last.
static const char *name_material(int index)
{
    return index >= 0 && index < FM_MATERIAL_COUNT ? fm_material_name((fm_material)index) : NULL;
}

// Fills the cloth's definition with the values of the chosen fabric.
static void apply_material(void *object)
{
    fm_scene_cloth *cloth = object;
    fm_cloth_set_material(&cloth->def, (fm_material)cloth->material);
}

// Keys are decoded in this order. The material comes first, so that other keys override it.
static const fm_entry cloth_entries[] = {
    {"material", FM_KEY_WORD, offsetof(fm_scene_cloth, material), .word_at = name_material,
     .apply = apply_material,
     .about = "a fabric; sets density, thickness, stiffnesses and damping, which other keys can "
              "override"},
    {"sheet", FM_KEY_MAPPING, offsetof(fm_scene_cloth, sheet), .table = &sheet_table,
     .choice = true, .kind = FM_CLOTH_SHEET, .about = "a rectangle"},
    {"tube", FM_KEY_MAPPING, offsetof(fm_scene_cloth, tube), .table = &tube_table, .choice = true,
     .kind = FM_CLOTH_TUBE, .about = "a tube or a cone"},
    {"mesh", FM_KEY_MAPPING, offsetof(fm_scene_cloth, mesh), .table = &mesh_table, .choice = true,
     .kind = FM_CLOTH_MESH, .about = "triangles from a file"},
    {"density", FM_KEY_NUMBER, CLOTH(density), "kg/m^3", ABOVE(0, 1e5),
     .about = "density of the wet fabric"},
    {"thickness", FM_KEY_NUMBER, CLOTH(thickness), "m", ABOVE(0, 1),
     .about = "thickness of the fabric; mass per area is density times thickness"},
    {"warp", FM_KEY_WORD, CLOTH(warp), .words = warps,
     .about = "direction of the warp yarns: of a sheet down its columns or across, along its rows; "
              "of a mesh of triangles along v or u of its texture coordinates"},
    {"warp_axis", FM_KEY_VECTOR, CLOTH(warp_axis),
     .about = "of a mesh: the warp runs along the projection of this direction on the cloth at the "
              "start; [0, 0, 0]: as `warp` says"},
    {"stretch", FM_KEY_MAPPING, offsetof(fm_scene_cloth, def), .table = &fm_cloth_stretch_table,
     .about = "resistance to stretching"},
    {"shear", FM_KEY_MAPPING, offsetof(fm_scene_cloth, def), .table = &shear_table,
     .about = "resistance to shearing"},
    {"bend", FM_KEY_MAPPING, offsetof(fm_scene_cloth, def), .table = &fm_cloth_bend_table,
     .about = "resistance to bending"},
    {"damping", FM_KEY_MAPPING, offsetof(fm_scene_cloth, def), .table = &fm_cloth_damping_table,
     .about = "damping of the springs"},
    {"drag", FM_KEY_MAPPING, offsetof(fm_scene_cloth, def), .table = &fm_cloth_drag_table,
     .about = "force of the medium"},
    {"imperfection", FM_KEY_MAPPING, offsetof(fm_scene_cloth, def),
     .table = &fm_cloth_imperfection_table, .about = "small irregularities of the cloth"},
    {"repulsion", FM_KEY_MAPPING, offsetof(fm_scene_cloth, def), .table = &fm_cloth_repulsion_table,
     .about = "repulsion between parts of the cloth that come close"},
    {"contact", FM_KEY_MAPPING, offsetof(fm_scene_cloth, def), .table = &fm_cloth_contact_table,
     .about = "contact with colliders, itself and other cloths"},
    {"enforcement", FM_KEY_MAPPING, 0, .table = &fm_cloth_enforcement_table,
     .about = "strain limiting, for stiff cloth at large substeps"},
    {"integrator", FM_KEY_WORD, CLOTH(integrator), .words = fm_integrator_words,
     .about =
         "automatic takes the cheaper of kick-drift-kick and implicit, and a run says which and "
         "why; kick-drift-kick supports all forces; implicit and implicit-euler are for stiff "
         "cloth "
         "and large steps; the others are explicit: euler as published; predictor-corrector and "
         "iterated-corrector (three correctors), which the paper names; semi-implicit-euler; "
         "verlet, rk2 and rk4 without memory"},
    {"time_step", FM_KEY_NUMBER, CLOTH(time_step), "s", WITHIN(0, 10),
     .about = "largest substep; 0: from the stability limit; with enforcement it is the substep "
              "itself, and 0 means 1/240 s"},
    {"margin", FM_KEY_NUMBER, CLOTH(margin), "m", WITHIN(-1, 1),
     .about = "distance kept from colliders; -1: half the thickness of the cloth"},
    {"seams", FM_KEY_LIST, offsetof(fm_scene_cloth, seams), .table = &seam_table,
     .range = WITHIN(0, 256), .about = "borders that are sewn together"},
    {"maps", FM_KEY_LIST, offsetof(fm_scene_cloth, painted), .table = &fm_cloth_map_table,
     .range = WITHIN(0, 16),
     .about = "painted stiffness, thickness, friction and groups of a mesh"},
    {"pins", FM_KEY_LIST, offsetof(fm_scene_cloth, pins), .table = &fm_cloth_pin_table,
     .range = WITHIN(0, 256), .about = "particles that are held; later pins override earlier ones"},
};

// Default values of the keys of a cloth.
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
        "A cloth: one of sheet, tube, mesh. Material parameters do not depend on the resolution "
        "of the mesh.",
    .size = sizeof(fm_scene_cloth),
    .set_defaults = set_cloth_defaults,
    .entries = cloth_entries,
    .count = COUNT(cloth_entries),
    .has_kind = true,
    .kind_offset = offsetof(fm_scene_cloth, kind),
    .check = fm_scene_check_cloth_keys,
};
