// SPDX-License-Identifier: MIT
// soft_table.c: the keys of a soft body, `bodies.NAME.soft`.
#include "scene/soft_kind.h"

#include <math.h>

#define CLOTH(member) offsetof(fm_scene_soft, base.cloth.def.member)
#define SHAPE(member) offsetof(fm_scene_soft, base.shape.member)
#define SOFT(member) offsetof(fm_scene_soft, soft.member)
#define PLACE(member) offsetof(fm_scene_soft, base.place.member)
#define CLOTH_DEF offsetof(fm_scene_soft, base.cloth.def)

static const char *const gas_kinds[] = {"none", "sealed", "constant", NULL};
static const char *const forms[] = {"symmetric", "printed", NULL};

static const fm_entry ball_entries[] = {
    {"radius", FM_KEY_NUMBER, SHAPE(radius), "m", ABOVE(0, 1e3), .needed = true, .about = "radius"},
    {"level", FM_KEY_INTEGER, SHAPE(level), .range = WITHIN(0, 9),
     .about = "how often the triangles of an icosahedron are divided into four"},
};
static const fm_table ball_table = {.name = "soft_ball",
                                    .about = "A ball of 10 4^level + 2 vertices.",
                                    .entries = ball_entries,
                                    .count = COUNT(ball_entries)};

static const fm_entry slab_entries[] = {
    {"width", FM_KEY_NUMBER, SHAPE(width), "m", ABOVE(0, 1e3), .needed = true,
     .about = "size along x"},
    {"height", FM_KEY_NUMBER, SHAPE(height), "m", ABOVE(0, 1e3), .needed = true,
     .about = "size along y"},
    {"length", FM_KEY_NUMBER, SHAPE(length), "m", ABOVE(0, 1e3), .needed = true,
     .about = "size along z"},
    {"cells", FM_KEY_VECTOR, offsetof(fm_scene_soft, cells), .range = WITHIN(1, 1000),
     .about = "quads along x, y and z before they are divided; whole numbers"},
    {"level", FM_KEY_INTEGER, SHAPE(level), .range = WITHIN(0, 9),
     .about = "how often the quads are divided into four"},
    {"flat", FM_KEY_BOOLEAN, SHAPE(flat),
     .about = "the sides of the box are folded into its faces, with a round rim, so that all cells "
              "have about the same size"},
};
static const fm_table slab_table = {
    .name = "soft_slab",
    .about = "The surface of a box of quads that are divided `level` times and then cut into two "
             "triangles each. 4 x 1 x 4 quads divided four times have 12290 vertices.",
    .entries = slab_entries,
    .count = COUNT(slab_entries)};

static const fm_entry cushion_entries[] = {
    {"width", FM_KEY_NUMBER, SHAPE(width), "m", ABOVE(0, 1e3), .needed = true,
     .about = "size along x"},
    {"length", FM_KEY_NUMBER, SHAPE(length), "m", ABOVE(0, 1e3), .needed = true,
     .about = "size along z"},
    {"height", FM_KEY_NUMBER, SHAPE(height), "m", ABOVE(0, 1e3), .needed = true,
     .about = "initial height in the middle"},
};
static const fm_table cushion_table = {
    .name = "soft_cushion",
    .about = "Two rectangular sheets, flat at rest, that are sewn together at their borders. "
             "Vertex groups: rim.",
    .entries = cushion_entries,
    .count = COUNT(cushion_entries)};

static const fm_entry torus_entries[] = {
    {"radius", FM_KEY_NUMBER, SHAPE(radius), "m", ABOVE(0, 1e3), .needed = true,
     .about = "of the circle in its middle"},
    {"tube_radius", FM_KEY_NUMBER, SHAPE(tube_radius), "m", ABOVE(0, 1e3), .needed = true,
     .about = "of its section"},
};
static const fm_table torus_table = {.name = "soft_torus",
                                     .about = "A ring with the axis y.",
                                     .entries = torus_entries,
                                     .count = COUNT(torus_entries)};

static const fm_entry tube_entries[] = {
    {"radius", FM_KEY_NUMBER, SHAPE(radius), "m", ABOVE(0, 1e3), .needed = true, .about = "radius"},
    {"length", FM_KEY_NUMBER, SHAPE(length), "m", ABOVE(0, 1e3), .needed = true,
     .about = "size along x"},
};
static const fm_table tube_table = {.name = "soft_tube",
                                    .about = "A closed cylinder along x.",
                                    .entries = tube_entries,
                                    .count = COUNT(tube_entries)};

static const fm_entry obj_entries[] = {
    {"file", FM_KEY_TEXT, offsetof(fm_scene_soft, base.cloth.mesh.file), .needed = true,
     .not_hashed = true,
     .about =
         "a Wavefront OBJ file, relative to the scene file; polygons are split into triangles"},
    {"scale", FM_KEY_NUMBER, offsetof(fm_scene_soft, base.cloth.mesh.scale), .range = ABOVE(0, 1e6),
     .about = "m per unit of the file"},
    {"weld", FM_KEY_NUMBER, offsetof(fm_scene_soft, base.cloth.mesh.weld), "m", WITHIN(0, 1e3),
     .about = "vertices closer than this, after scaling, become one particle; 0: no welding"},
};
static const fm_table obj_table = {.name = "soft_obj",
                                   .about = "A triangle mesh from a file; gas needs a closed one.",
                                   .entries = obj_entries,
                                   .count = COUNT(obj_entries)};

static const fm_entry mesh_entries[] = {
    {"ball", FM_KEY_MAPPING, 0, .table = &ball_table, .choice = true, .kind = FM_MESH_BALL,
     .about = "a ball"},
    {"slab", FM_KEY_MAPPING, 0, .table = &slab_table, .choice = true, .kind = FM_MESH_SLAB,
     .about = "a box"},
    {"cushion", FM_KEY_MAPPING, 0, .table = &cushion_table, .choice = true, .kind = FM_MESH_CUSHION,
     .about = "two sheets sewn together"},
    {"torus", FM_KEY_MAPPING, 0, .table = &torus_table, .choice = true, .kind = FM_MESH_TORUS,
     .about = "a ring"},
    {"tube", FM_KEY_MAPPING, 0, .table = &tube_table, .choice = true, .kind = FM_MESH_TUBE,
     .about = "a closed cylinder"},
    {"rectangle", FM_KEY_MAPPING, 0, .table = &fm_fabric_rectangle_table, .choice = true,
     .kind = FM_MESH_RECTANGLE, .about = "an open flat rectangle"},
    {"disc", FM_KEY_MAPPING, 0, .table = &fm_fabric_disc_table, .choice = true,
     .kind = FM_MESH_DISC, .about = "an open flat disc"},
    {"obj", FM_KEY_MAPPING, 0, .table = &obj_table, .choice = true, .kind = FM_SCENE_SOFT_OBJ,
     .about = "triangles from a file"},
    {"origin", FM_KEY_VECTOR, PLACE(origin), "m", WITHIN(-1e6, 1e6),
     .about = "position of the centre of the shape, or of the origin of the file"},
    {"rotation", FM_KEY_ROTATION, PLACE(rotation), .about = "rotation about the origin"},
    {"velocity", FM_KEY_VECTOR, PLACE(velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "initial velocity of all points"},
};
static const fm_table mesh_table = {
    .name = "soft_mesh",
    .about = "The surface of a soft body. Flat shapes lie in the plane of x and z with their front "
             "towards +y.",
    .entries = mesh_entries,
    .count = COUNT(mesh_entries),
    .has_kind = true,
    .kind_offset = offsetof(fm_scene_soft, base.shape_key),
};

static const fm_entry fluidity_entries[] = {
    {"radius", FM_KEY_NUMBER, SOFT(fluidity.radius), "m", WITHIN(0, 1e3),
     .about = "points within it act on each other; 0: 2.5 mean edges"},
    {"stiffness", FM_KEY_NUMBER, SOFT(fluidity.stiffness), "m^2/s^2", WITHIN(0, 1e9),
     .about = "pressure over the change of density"},
    {"viscosity", FM_KEY_NUMBER, SOFT(fluidity.viscosity), "N s/m or Pa s", WITHIN(0, 1e9),
     .about = "viscosity, in the plane (dimensions 2) or in space (3)"},
    {"form", FM_KEY_WORD, SOFT(fluidity.form), .words = forms,
     .about = "of the pressure force: symmetric conserves momentum, printed is that of the paper"},
    {"dimensions", FM_KEY_INTEGER, SOFT(fluidity.dimensions), .range = WITHIN(2, 3),
     .about = "normalisation of the kernels: 2 on the surface, 3 in space"},
};
static const fm_table fluidity_table = {
    .name = "fluidity",
    .about = "Pressure and viscosity of smoothed particle hydrodynamics among the points; acts "
             "with the weight beta.",
    .entries = fluidity_entries,
    .count = COUNT(fluidity_entries)};

static const fm_entry pump_entries[] = {
    {"flow", FM_KEY_NUMBER, SOFT(gas.pump.flow), "Pa m^3/s", WITHIN(0, 1e9),
     .about = "gas pumped in: pressure times volume per second; 101 Pa m^3 is a litre of air"},
    {"start", FM_KEY_NUMBER, SOFT(gas.pump.start), "s", WITHIN(-1e9, 1e9), .about = "starts"},
    {"end", FM_KEY_NUMBER, SOFT(gas.pump.end), "s", WITHIN(-1e9, 1e9),
     .about = "stops; never unless given"},
    {"limit", FM_KEY_NUMBER, SOFT(gas.pump.limit), "Pa", WITHIN(0, 1e7),
     .about = "over-pressure at which it stops"},
};
static const fm_table pump_table = {.name = "pump",
                                    .about = "Lets gas in; needs kind sealed.",
                                    .entries = pump_entries,
                                    .count = COUNT(pump_entries)};

static const fm_entry gas_entries[] = {
    {"kind", FM_KEY_WORD, SOFT(gas.kind), .words = gas_kinds,
     .about = "sealed: a constant amount at constant temperature; constant: a constant pressure"},
    {"pressure", FM_KEY_NUMBER, SOFT(gas.pressure), "Pa", WITHIN(-1e7, 1e7),
     .about = "over-pressure, inside minus outside; of sealed gas at the start"},
    {"ambient", FM_KEY_NUMBER, SOFT(gas.ambient), "Pa", WITHIN(0, 1e8),
     .about = "pressure outside"},
    {"density", FM_KEY_NUMBER, SOFT(gas.density), "kg/m^3", WITHIN(0, 1e4),
     .about = "of the gas, for its weight against that of the medium: air 1.2, helium 0.17"},
    {"pump", FM_KEY_MAPPING, 0, .table = &pump_table, .about = "lets gas in"},
    {"leak", FM_KEY_NUMBER, SOFT(gas.leak), "m^3/s", WITHIN(0, 1e6),
     .about = "over-pressure times this is lost per second, in Pa m^3/s"},
};
static const fm_table gas_table = {.name = "gas",
                                   .about = "The gas inside a closed body; acts with the weight "
                                            "gamma.",
                                   .entries = gas_entries,
                                   .count = COUNT(gas_entries)};

static const fm_entry struts_entries[] = {
    {"modulus", FM_KEY_NUMBER, SOFT(struts.modulus), "Pa", WITHIN(0, 1e12),
     .about = "Young's modulus of the filling; 0: no struts"},
    {"friction", FM_KEY_NUMBER, SOFT(struts.friction), .range = WITHIN(0, 1),
     .about = "share of the critical damping"},
};
static const fm_table struts_table = {
    .name = "struts",
    .about = "Springs between opposite parts of the surface, which stand for an elastic filling.",
    .entries = struts_entries,
    .count = COUNT(struts_entries)};

static const fm_entry soft_entries[] = {
    {"mesh", FM_KEY_MAPPING, 0, .table = &mesh_table, .needed = true, .about = "the surface"},
    {"edge", FM_KEY_NUMBER, SHAPE(edge), "m", ABOVE(0, 1e3),
     .about = "length of the edges of the mesh; a ball or slab has `level` instead"},
    {"alpha", FM_KEY_NUMBER, SOFT(alpha), .range = WITHIN(1e-9, 1e9),
     .about = "weight of springs, bending, damping and struts"},
    {"beta", FM_KEY_NUMBER, SOFT(beta), .range = WITHIN(0, 1e9), .about = "weight of fluidity"},
    {"gamma", FM_KEY_NUMBER, SOFT(gamma), .range = WITHIN(0, 1e9),
     .about = "weight of the pressure of the gas"},
    {"delta", FM_KEY_NUMBER, SOFT(delta), .range = WITHIN(0, 1e9), .about = "weight of gravity"},
    {"fluidity", FM_KEY_MAPPING, 0, .table = &fluidity_table,
     .about = "forces among nearby points"},
    {"gas", FM_KEY_MAPPING, 0, .table = &gas_table, .about = "gas inside a closed body"},
    {"struts", FM_KEY_MAPPING, 0, .table = &struts_table, .about = "an elastic filling"},
    {"spring", FM_KEY_NUMBER, SOFT(spring), "N/m", WITHIN(0, 1e9),
     .about = "one constant for all springs; 0: from stretch.stiffness and the areas"},
    {"smoothing", FM_KEY_NUMBER, SOFT(smoothing), "m", WITHIN(0, 1e3),
     .about = "length below which the surface counts as rough; 0: 3 mean edges"},
    {"density", FM_KEY_NUMBER, CLOTH(density), "kg/m^3", ABOVE(0, 1e5),
     .about = "density of the skin"},
    {"thickness", FM_KEY_NUMBER, CLOTH(thickness), "m", ABOVE(0, 1),
     .about = "thickness of the skin"},
    {"stretch", FM_KEY_MAPPING, CLOTH_DEF, .table = &fm_cloth_stretch_table,
     .about = "resistance to stretching, with the keys of `cloth.stretch`"},
    {"bend", FM_KEY_MAPPING, CLOTH_DEF, .table = &fm_cloth_bend_table,
     .about = "resistance to bending, with the keys of `cloth.bend`; at rest in the initial shape "
              "unless said"},
    {"damping", FM_KEY_MAPPING, CLOTH_DEF, .table = &fm_cloth_damping_table,
     .about = "damping of the springs, with the keys of `cloth.damping`"},
    {"drag", FM_KEY_MAPPING, CLOTH_DEF, .table = &fm_cloth_drag_table,
     .about = "force of the medium, with the keys of `cloth.drag`; none unless a model is given"},
    {"imperfection", FM_KEY_MAPPING, CLOTH_DEF, .table = &fm_cloth_imperfection_table,
     .about = "small irregularities, none unless given, with the keys of `cloth.imperfection`"},
    {"muscle", FM_KEY_MAPPING, CLOTH_DEF, .table = &fm_cloth_muscle_table,
     .about = "contraction and relaxation in time"},
    {"repulsion", FM_KEY_MAPPING, CLOTH_DEF, .table = &fm_cloth_repulsion_table,
     .about = "repulsion between close parts, with the keys of `cloth.repulsion`"},
    {"contact", FM_KEY_MAPPING, CLOTH_DEF, .table = &fm_cloth_contact_table,
     .about = "contact, with the keys of `cloth.contact`"},
    {"enforcement", FM_KEY_MAPPING, 0, .table = &fm_cloth_enforcement_table,
     .about = "strain limiting, with the keys of `cloth.enforcement`"},
    {"integrator", FM_KEY_WORD, CLOTH(integrator), .words = fm_integrator_words,
     .about = "how the motion is integrated in time"},
    {"time_step", FM_KEY_NUMBER, CLOTH(time_step), "s", WITHIN(0, 10),
     .about = "largest substep; 0: from the stability bound"},
    {"margin", FM_KEY_NUMBER, CLOTH(margin), "m", WITHIN(-1, 1),
     .about = "distance kept from colliders; -1: half the thickness"},
    {"pins", FM_KEY_LIST, offsetof(fm_scene_soft, base.cloth.pins), .table = &fm_cloth_pin_table,
     .range = WITHIN(0, 256), .about = "points that are held, with the keys of `cloth.pins`"},
};

static void set_soft_defaults(void *object)
{
    fm_scene_soft *body = object;
    body->base.cloth.kind = FM_CLOTH_MESH;
    body->base.cloth.def = fm_default_soft_cloth_def();
    body->base.cloth.mesh.scale = 1;
    body->base.shape = fm_default_mesh_shape();
    body->base.place.prestretch = 1;
    body->soft = fm_default_soft_def();
    body->cells = (fm_vec3){4, 1, 4};
}

static bool is_whole(double x)
{
    return x == floor(x);
}

// Checks the keys of a soft body against each other.
static void check_soft(fm_decoder *d, const fm_node *node, const void *object)
{
    const fm_scene_soft *body = object;
    const fm_soft_def *soft = &body->soft;
    fm_vec3 cells = body->cells;
    bool open = body->base.shape_key < FM_MESH_BALL;
    fm_scene_check_cloth_keys(d, node, &body->base.cloth);
    if (!is_whole(cells.x) || !is_whole(cells.y) || !is_whole(cells.z))
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "mesh", "slab", "cells"),
                              "%s.mesh.slab.cells is [%g, %g, %g], allowed are whole numbers",
                              d->path, cells.x, cells.y, cells.z);
    if (soft->gas.kind != FM_GAS_NONE && open)
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "gas", NULL, NULL),
                              "%s.gas needs a closed mesh", d->path);
    if (soft->gas.kind != FM_GAS_SEALED && (soft->gas.pump.flow > 0 || soft->gas.leak > 0))
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "gas", NULL, NULL),
                              "%s.gas: pump and leak need kind sealed", d->path);
    if (soft->gas.pump.end < soft->gas.pump.start)
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "gas", "pump", "end"),
                              "%s.gas.pump.end is %g, allowed is at least its start, %g s", d->path,
                              soft->gas.pump.end, soft->gas.pump.start);
    if (soft->gas.kind == FM_GAS_SEALED && soft->gas.ambient + soft->gas.pressure < 0)
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "gas", "pressure", NULL),
                              "%s.gas.pressure is %g, allowed is at least minus the ambient "
                              "pressure, -%g Pa",
                              d->path, soft->gas.pressure, soft->gas.ambient);
}

const fm_table fm_soft_table = {
    .name = "soft",
    .about = "A soft body: a closed or open skin with gas, fluidity among its points, or struts "
             "inside (Mesit). `docs/soft.md` has the equations.",
    .size = sizeof(fm_scene_soft),
    .set_defaults = set_soft_defaults,
    .entries = soft_entries,
    .count = COUNT(soft_entries),
    .check = check_soft,
};
