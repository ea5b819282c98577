// SPDX-License-Identifier: MIT
// fabric_table.c: the keys of a fabric, `bodies.NAME.fabric`.
#include "scene/fabric_kind.h"

#include <string.h>

#define CLOTH(member) offsetof(fm_scene_fabric, cloth.def.member)
#define SHAPE(member) offsetof(fm_scene_fabric, shape.member)
#define FABRIC(member) offsetof(fm_scene_fabric, fabric.member)
#define PLACE(member) offsetof(fm_scene_fabric, place.member)

static const char *const triangulations[] = {"regular", "irregular", NULL};
static const char *const rims[] = {"fitted", "lattice", NULL};
static const char *const models[] = {"I", "II", "III", "tension-only", NULL};

enum { SQUARE = 100 }; // not an fm_mesh_shape_kind: a rectangle whose length is its width

static const fm_entry disc_entries[] = {
    {"radius", FM_KEY_NUMBER, SHAPE(radius), "m", ABOVE(0, 1e3), .needed = true, .about = "radius"},
};
const fm_table fm_fabric_disc_table = {.name = "disc",
                                       .about = "A flat disc. Vertex groups: rim.",
                                       .entries = disc_entries,
                                       .count = COUNT(disc_entries)};

static const fm_entry square_entries[] = {
    {"width", FM_KEY_NUMBER, SHAPE(width), "m", ABOVE(0, 1e3), .needed = true,
     .about = "length of the sides"},
};
static const fm_table square_table = {
    .name = "square",
    .about = "A flat square. Vertex groups: rim, corners, front, right, back, left.",
    .entries = square_entries,
    .count = COUNT(square_entries)};

static const fm_entry rectangle_entries[] = {
    {"width", FM_KEY_NUMBER, SHAPE(width), "m", ABOVE(0, 1e3), .needed = true,
     .about = "size along x, before rotation"},
    {"length", FM_KEY_NUMBER, SHAPE(length), "m", ABOVE(0, 1e3), .needed = true,
     .about = "size along z, before rotation"},
};
const fm_table fm_fabric_rectangle_table = {
    .name = "rectangle",
    .about = "A flat rectangle. Vertex groups: rim, corners, front (+z), right (+x), back (-z), "
             "left (-x).",
    .entries = rectangle_entries,
    .count = COUNT(rectangle_entries)};

static const fm_entry cross_entries[] = {
    {"width", FM_KEY_NUMBER, SHAPE(width), "m", ABOVE(0, 1e3), .needed = true,
     .about = "size from one end to the opposite one"},
    {"arm", FM_KEY_NUMBER, SHAPE(arm), "m", ABOVE(0, 1e3), .needed = true,
     .about = "width of the arms"},
};
static const fm_table cross_table = {
    .name = "cross",
    .about = "A flat cross of four arms. Vertex groups: rim, corners, ends.",
    .entries = cross_entries,
    .count = COUNT(cross_entries)};

static const fm_entry hemisphere_entries[] = {
    {"radius", FM_KEY_NUMBER, SHAPE(radius), "m", ABOVE(0, 1e3), .needed = true, .about = "radius"},
    {"gores", FM_KEY_INTEGER, SHAPE(gores), .range = WITHIN(3, 1000),
     .about = "number of segments, separated by seams"},
    {"vent", FM_KEY_NUMBER, SHAPE(vent), "m", WITHIN(0, 1e3),
     .about = "radius of the hole at the apex; 0: none"},
};
static const fm_table hemisphere_table = {
    .name = "hemisphere",
    .about =
        "Half a sphere, the rim below. Vertex groups: rim, vent, seams, rim-seams (where seams "
        "meet the rim).",
    .entries = hemisphere_entries,
    .count = COUNT(hemisphere_entries)};

static const fm_entry cone_entries[] = {
    {"length", FM_KEY_NUMBER, offsetof(fm_scene_cone, cone.length), "m", ABOVE(0, 1e3),
     .needed = true, .about = "length along the meridian"},
    {"angle", FM_KEY_NUMBER, offsetof(fm_scene_cone, cone.angle), "degrees", WITHIN(0, 89),
     .scale = 0.017453292519943295, .needed = true, .about = "slope against the horizontal"},
};
static const fm_table cone_table = {.name = "cone",
                                    .about = "A part of a canopy with a constant slope.",
                                    .size = sizeof(fm_scene_cone),
                                    .entries = cone_entries,
                                    .count = COUNT(cone_entries)};

static const fm_entry polyconical_entries[] = {
    {"cones", FM_KEY_LIST, offsetof(fm_scene_fabric, cones), .table = &cone_table,
     .range = WITHIN(1, FM_CONES_MAX), .needed = true,
     .about = "the parts of the canopy from the apex to the rim"},
    {"gores", FM_KEY_INTEGER, SHAPE(gores), .range = WITHIN(3, 1000),
     .about = "number of segments, separated by seams"},
    {"vent", FM_KEY_NUMBER, SHAPE(vent), "m", WITHIN(0, 1e3),
     .about = "radius of the hole at the apex; 0: none"},
};
static const fm_table polyconical_table = {
    .name = "polyconical",
    .about = "A canopy of cones, the rim below. One cone of angle 0 is a flat circular canopy. "
             "Vertex groups: rim, vent, seams, rim-seams (where seams meet the rim).",
    .entries = polyconical_entries,
    .count = COUNT(polyconical_entries)};

static const fm_entry mesh_entries[] = {
    {"disc", FM_KEY_MAPPING, 0, .table = &fm_fabric_disc_table, .choice = true,
     .kind = FM_MESH_DISC, .about = "a flat disc"},
    {"square", FM_KEY_MAPPING, 0, .table = &square_table, .choice = true, .kind = SQUARE,
     .about = "a flat square"},
    {"rectangle", FM_KEY_MAPPING, 0, .table = &fm_fabric_rectangle_table, .choice = true,
     .kind = FM_MESH_RECTANGLE, .about = "a flat rectangle"},
    {"cross", FM_KEY_MAPPING, 0, .table = &cross_table, .choice = true, .kind = FM_MESH_CROSS,
     .about = "a flat cross"},
    {"hemisphere", FM_KEY_MAPPING, 0, .table = &hemisphere_table, .choice = true,
     .kind = FM_MESH_HEMISPHERE, .about = "a canopy: half a sphere"},
    {"polyconical", FM_KEY_MAPPING, 0, .table = &polyconical_table, .choice = true,
     .kind = FM_MESH_POLYCONICAL, .about = "a canopy of cones"},
    {"origin", FM_KEY_VECTOR, PLACE(origin), "m", WITHIN(-1e6, 1e6),
     .about = "position of the centre of a flat shape, or of the centre of a canopy's rim"},
    {"rotation", FM_KEY_ROTATION, PLACE(rotation), .about = "rotation about the origin"},
    {"velocity", FM_KEY_VECTOR, PLACE(velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "initial velocity of all points"},
};
static const fm_table mesh_table = {
    .name = "fabric_mesh",
    .about = "The shape of a fabric. Flat shapes lie in the plane of x and z with their front "
             "towards +y; canopies have the axis y.",
    .entries = mesh_entries,
    .count = COUNT(mesh_entries),
    .has_kind = true,
    .kind_offset = offsetof(fm_scene_fabric, shape_key),
};

static const fm_entry bump_entries[] = {
    {"height", FM_KEY_NUMBER, PLACE(bump.height), "m", WITHIN(-1e3, 1e3), .needed = true,
     .about = "displacement to the front at its centre"},
    {"radius", FM_KEY_NUMBER, PLACE(bump.radius), "m", ABOVE(0, 1e3), .needed = true,
     .about = "distance from its centre at which it ends"},
    {"x", FM_KEY_NUMBER, PLACE(bump.x), "m", WITHIN(-1e3, 1e3),
     .about = "its centre, before rotation"},
    {"z", FM_KEY_NUMBER, PLACE(bump.z), "m", WITHIN(-1e3, 1e3),
     .about = "its centre, before rotation"},
};
static const fm_table bump_table = {
    .name = "bump",
    .about = "An initial displacement: height (1 - (d/radius)^2)^2 at the distance d.",
    .entries = bump_entries,
    .count = COUNT(bump_entries)};

static const fm_entry fold_entries[] = {
    {"pleats", FM_KEY_INTEGER, PLACE(fold.pleats), .range = WITHIN(2, 1000), .needed = true,
     .about =
         "number of waves around the axis; each should be at least eight edges wide at the rim"},
    {"opening", FM_KEY_NUMBER, PLACE(fold.opening), .range = WITHIN(0, 1),
     .about = "0: as narrow as the pleats allow; 1: unfolded"},
};
static const fm_table fold_table = {
    .name = "fold",
    .about = "The initial shape: folded into pleats about the axis, the apex up, as a parachute is "
             "packed. Edges keep their lengths.",
    .entries = fold_entries,
    .count = COUNT(fold_entries)};

static const fm_entry fabric_entries[] = {
    {"mesh", FM_KEY_MAPPING, 0, .table = &mesh_table, .needed = true,
     .about = "shape and position"},
    {"edge", FM_KEY_NUMBER, SHAPE(edge), "m", ABOVE(0, 1e3), .needed = true,
     .about = "length of the edges of the mesh"},
    {"triangulation", FM_KEY_WORD, SHAPE(triangulation), .words = triangulations,
     .about = "of flat shapes: equilateral triangles, or a Delaunay triangulation of displaced "
              "vertices"},
    {"jitter", FM_KEY_NUMBER, SHAPE(jitter), .range = WITHIN(0, 0.4),
     .about = "largest displacement of the vertices along each axis, in edges; only for "
              "triangulation irregular"},
    {"seed", FM_KEY_INTEGER, SHAPE(seed), .range = WITHIN(0, 1e9),
     .about = "other displacements for another number; only for triangulation irregular"},
    {"rim", FM_KEY_WORD, SHAPE(rim), .words = rims,
     .about = "border of flat shapes: fitted to the shape, or that of the lattice, with teeth"},
    {"prestretch", FM_KEY_NUMBER, PLACE(prestretch), .range = WITHIN(0.1, 10),
     .about = "initial lengths over rest lengths"},
    {"bump", FM_KEY_MAPPING, 0, .table = &bump_table, .about = "an initial displacement"},
    {"fold", FM_KEY_MAPPING, 0, .table = &fold_table, .about = "folded into pleats at the start"},
    {"model", FM_KEY_WORD, FABRIC(model), .words = models,
     .about = "of the springs: II stretches, I resists rotation, too, III is their difference; "
              "tension-only resists no compression"},
    {"spring", FM_KEY_NUMBER, FABRIC(spring), "N/m", WITHIN(1e-9, 1e9),
     .about = "constant of all springs"},
    {"modulus", FM_KEY_NUMBER, offsetof(fm_scene_fabric, modulus), "N/m", WITHIN(0, 1e9),
     .about = "instead of spring: surface modulus, Young's modulus times thickness; 0: use spring"},
    {"rim_share", FM_KEY_NUMBER, FABRIC(rim_share), .range = WITHIN(0.01, 100),
     .about =
         "factor on the constant of springs along the border; 0.5: as the surface modulus asks"},
    {"point_mass", FM_KEY_NUMBER, FABRIC(point_mass), "kg", WITHIN(0, 1e6),
     .about = "mass of each point; 0: by area, from density and thickness"},
    {"density", FM_KEY_NUMBER, CLOTH(density), "kg/m^3", ABOVE(0, 1e5),
     .about = "density of the fabric"},
    {"thickness", FM_KEY_NUMBER, CLOTH(thickness), "m", ABOVE(0, 1),
     .about = "thickness of the fabric"},
    {"kappa", FM_KEY_NUMBER, FABRIC(kappa), "1/s", WITHIN(0, 1e6),
     .about = "published damping of the velocity due to the springs"},
    {"pressure", FM_KEY_NUMBER, FABRIC(pressure), "Pa", WITHIN(-1e7, 1e7),
     .about = "pressure behind minus pressure in front"},
    {"external_velocity", FM_KEY_BOOLEAN, FABRIC(external_velocity),
     .about = "the velocity of the medium is added to that of the points (impulse method); needs "
              "drag.model none"},
    {"reflection", FM_KEY_BOOLEAN, FABRIC(reflection),
     .about = "published collisions: points are reflected from triangles and colliders"},
    {"reflection_distance", FM_KEY_NUMBER, FABRIC(reflection_distance), "m", WITHIN(0, 1),
     .about = "distance at which points are reflected; 0: a tenth of the mean edge"},
    {"courant", FM_KEY_NUMBER, FABRIC(courant), .range = WITHIN(0, 4),
     .about = "substep times the bound of the frequencies; 0: 1.5 for kick-drift-kick, 0.1, as "
              "published, for other integrators"},
    {"bend", FM_KEY_MAPPING, offsetof(fm_scene_fabric, cloth.def), .table = &fm_cloth_bend_table,
     .about = "resistance to bending, none unless given, with the keys of `cloth.bend`"},
    {"damping", FM_KEY_MAPPING, offsetof(fm_scene_fabric, cloth.def),
     .table = &fm_cloth_damping_table,
     .about = "damping of the springs, none unless given, with the keys of `cloth.damping`"},
    {"drag", FM_KEY_MAPPING, offsetof(fm_scene_fabric, cloth.def), .table = &fm_cloth_drag_table,
     .about = "force of the medium, with the keys of `cloth.drag`; none unless a model is given"},
    {"imperfection", FM_KEY_MAPPING, offsetof(fm_scene_fabric, cloth.def),
     .table = &fm_cloth_imperfection_table,
     .about = "small irregularities, none unless given, with the keys of `cloth.imperfection`"},
    {"muscle", FM_KEY_MAPPING, offsetof(fm_scene_fabric, cloth.def),
     .table = &fm_cloth_muscle_table, .about = "contraction and relaxation in time"},
    {"repulsion", FM_KEY_MAPPING, offsetof(fm_scene_fabric, cloth.def),
     .table = &fm_cloth_repulsion_table,
     .about = "repulsion between close parts, with the keys of `cloth.repulsion`"},
    {"contact", FM_KEY_MAPPING, offsetof(fm_scene_fabric, cloth.def),
     .table = &fm_cloth_contact_table, .about = "contact, with the keys of `cloth.contact`"},
    {"enforcement", FM_KEY_MAPPING, 0, .table = &fm_cloth_enforcement_table,
     .about = "strain limiting, with the keys of `cloth.enforcement`"},
    {"integrator", FM_KEY_WORD, CLOTH(integrator), .words = fm_integrator_words,
     .about = "euler, predictor-corrector and rk4 are those of the paper"},
    {"time_step", FM_KEY_NUMBER, CLOTH(time_step), "s", WITHIN(0, 10),
     .about = "largest substep; 0: from courant"},
    {"margin", FM_KEY_NUMBER, CLOTH(margin), "m", WITHIN(-1, 1),
     .about = "distance kept from colliders; -1: half the thickness"},
    {"pins", FM_KEY_LIST, offsetof(fm_scene_fabric, cloth.pins), .table = &fm_cloth_pin_table,
     .range = WITHIN(0, 256), .about = "points that are held, with the keys of `cloth.pins`"},
};

// Default values of the keys of a fabric.
static void set_fabric_defaults(void *object)
{
    fm_scene_fabric *fabric = object;
    fabric->cloth.kind = FM_CLOTH_MESH;
    fabric->cloth.def = fm_default_fabric_cloth_def();
    fabric->shape = fm_default_mesh_shape();
    fabric->fabric = fm_default_fabric_def();
    fabric->place.prestretch = 1;
}

// Checks the keys of a fabric against each other.
static void check_fabric(fm_decoder *d, const fm_node *node, const void *object)
{
    const fm_scene_fabric *fabric = object;
    const fm_cloth_def *def = &fabric->cloth.def;
    bool drag = def->drag.model != FM_DRAG_NONE;
    fm_scene_check_cloth_keys(d, node, &fabric->cloth);
    if (fabric->modulus > 0 && fm_node_find(node, "spring"))
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "modulus", NULL, NULL),
                              "%s has \"spring\" and \"modulus\": only one of them is allowed",
                              d->path);
    if (fabric->fabric.external_velocity && drag)
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "external_velocity", NULL, NULL),
                              "%s.external_velocity needs drag.model none", d->path);
    if (fabric->fabric.kappa > 0 && drag && def->integrator != FM_KICK_DRIFT_KICK)
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "kappa", NULL, NULL),
                              "%s.kappa with drag needs integrator kick-drift-kick", d->path);
    if (fabric->fabric.reflection && def->contact.enabled)
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "reflection", NULL, NULL),
                              "%s has reflection and contact.enabled: only one of them is allowed",
                              d->path);
}

const fm_table fm_fabric_table = {
    .name = "fabric",
    .about = "A fabric: point masses and springs on the edges of a triangle mesh (Li et al. 2013). "
             "`docs/fabric.md` has the equations.",
    .size = sizeof(fm_scene_fabric),
    .set_defaults = set_fabric_defaults,
    .entries = fabric_entries,
    .count = COUNT(fabric_entries),
    .check = check_fabric,
};

// The shape that the keys describe; a square is a rectangle of equal sides.
fm_mesh_shape fm_scene_fabric_shape(const fm_scene_fabric *fabric)
{
    fm_mesh_shape shape = fabric->shape;
    const fm_scene_cone *cones = fabric->cones.data;
    bool square = fabric->shape_key == SQUARE;
    shape.kind = square ? FM_MESH_RECTANGLE : (fm_mesh_shape_kind)fabric->shape_key;
    if (square)
        shape.length = shape.width;
    for (int i = 0; i < fabric->cones.count && i < FM_CONES_MAX; i++)
        shape.cones[i] = cones[i].cone;
    shape.cone_count = fabric->cones.count;
    return shape;
}
