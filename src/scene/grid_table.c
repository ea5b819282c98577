// SPDX-License-Identifier: MIT
// grid_table.c: the keys of a grid fluid, `fluids.NAME.grid`.
#include "scene/grid_kind.h"

#define DEF(member) offsetof(fm_scene_grid, def.member)
#define SIDE(member) offsetof(fm_grid_side, member)

static const char *const kinds[] = {"wall", "slip", "periodic", "inflow", "open", NULL};
static const char *const profiles[] = {"uniform", "parabolic", NULL};
static const char *const sides[] = {"left", "right", "bottom", "top", "back", "front", NULL};
static const char *const advections[] = {"fifth-order", "first-order", "published", NULL};
static const char *const diffusions[] = {"explicit", "implicit", NULL};
static const char *const starts[] = {"rest",         "uniform", "rigid-vortex",
                                     "taylor-green", "shear",   NULL};

static const fm_entry side_entries[] = {
    {"kind", FM_KEY_WORD, SIDE(kind), .words = kinds,
     .about = "wall: the fluid sticks to it; slip: a wall without friction; periodic, with the "
              "opposite side; inflow: the velocity is given, outwards too; open: the pressure is "
              "given"},
    {"velocity", FM_KEY_VECTOR, SIDE(velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "of an inflow, or of a wall that slides along itself"},
    {"amplitude", FM_KEY_VECTOR, SIDE(amplitude), "m/s", WITHIN(-1e4, 1e4),
     .about = "of a sine in time that is added to the velocity"},
    {"period", FM_KEY_NUMBER, SIDE(period), "s", WITHIN(0, 1e6), .about = "of that sine"},
    {"ramp", FM_KEY_NUMBER, SIDE(ramp), "s", WITHIN(0, 1e6),
     .about = "time in which the velocity grows from zero"},
    {"profile", FM_KEY_WORD, SIDE(profile), .words = profiles,
     .about = "uniform, or parabolic with the velocity in the middle and zero at the edges"},
    {"pressure", FM_KEY_NUMBER, SIDE(pressure), "Pa", WITHIN(-1e9, 1e9),
     .about =
         "of an open side, outside at the height of the grid's centre; hydrostatic from there"},
    {"dye", FM_KEY_NUMBER, SIDE(dye), .range = WITHIN(0, 1e6),
     .about = "concentration of the dye in fluid that enters"},
};
static const fm_table side_table = {
    .name = "grid side",
    .about = "What happens on a side of the grid.",
    .entries = side_entries,
    .count = COUNT(side_entries),
};

static const fm_entry sides_entries[] = {
    {"left", FM_KEY_MAPPING, DEF(sides[FM_SIDE_LEFT]), .table = &side_table,
     .about = "the side in the direction -x"},
    {"right", FM_KEY_MAPPING, DEF(sides[FM_SIDE_RIGHT]), .table = &side_table,
     .about = "the side in the direction +x"},
    {"bottom", FM_KEY_MAPPING, DEF(sides[FM_SIDE_BOTTOM]), .table = &side_table,
     .about = "the side in the direction -y"},
    {"top", FM_KEY_MAPPING, DEF(sides[FM_SIDE_TOP]), .table = &side_table,
     .about = "the side in the direction +y"},
    {"back", FM_KEY_MAPPING, DEF(sides[FM_SIDE_BACK]), .table = &side_table,
     .about = "the side in the direction -z"},
    {"front", FM_KEY_MAPPING, DEF(sides[FM_SIDE_FRONT]), .table = &side_table,
     .about = "the side in the direction +z"},
};
const fm_table fm_grid_sides_table = {
    .name = "grid sides",
    .about = "The six sides of the grid. They are walls unless another kind is given.",
    .entries = sides_entries,
    .count = COUNT(sides_entries),
};

#define PATCH(member) offsetof(fm_scene_grid_patch, patch.member)

static const fm_entry patch_entries[] = {
    {"side", FM_KEY_WORD, PATCH(side), .words = sides, .needed = true,
     .about = "the side that it is on"},
    {"low", FM_KEY_VECTOR, PATCH(low), "m", WITHIN(-1e6, 1e6), .needed = true,
     .about = "corner with the smallest coordinates; the one across the side is ignored"},
    {"high", FM_KEY_VECTOR, PATCH(high), "m", WITHIN(-1e6, 1e6), .needed = true,
     .about = "corner with the largest coordinates"},
    {"condition", FM_KEY_MAPPING, PATCH(condition), .table = &side_table,
     .about = "what happens there"},
};
const fm_table fm_grid_patch_table = {
    .name = "grid patch",
    .about = "A rectangle of a side with a condition of its own, such as a nozzle or a drain.",
    .size = sizeof(fm_scene_grid_patch),
    .entries = patch_entries,
    .count = COUNT(patch_entries),
};

#define START(member) offsetof(fm_scene_grid, start.member)

static const fm_entry start_entries[] = {
    {"field", FM_KEY_WORD, START(kind), .words = starts,
     .about = "rest; uniform; rigid-vortex: rotates rigidly within the radius, 1/r outside; "
              "taylor-green: cells of vortices; shear: a tanh profile along x with a small wave"},
    {"velocity", FM_KEY_VECTOR, START(velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "uniform velocity, added to every field but rest"},
    {"centre", FM_KEY_VECTOR, START(centre), "m", WITHIN(-1e6, 1e6),
     .about = "of the vortex, of a vortex cell's corner, or of the shear layer"},
    {"axis", FM_KEY_VECTOR, START(axis), .range = WITHIN(-1e6, 1e6), .nonzero = true,
     .about = "of the vortex; any length"},
    {"radius", FM_KEY_NUMBER, START(radius), "m", ABOVE(0, 1e6),
     .about = "of the vortex; size of a Taylor-Green cell; thickness of the shear layer"},
    {"speed", FM_KEY_NUMBER, START(speed), "m/s", WITHIN(-1e4, 1e4), .about = "largest speed"},
};
const fm_table fm_grid_start_table = {
    .name = "grid start",
    .about = "The velocity at the start.",
    .entries = start_entries,
    .count = COUNT(start_entries),
};

#define DYE_START(member) offsetof(fm_scene_grid, dye_start.member)

static const char *const dye_starts[] = {"none", "ball", "box", "stripes", NULL};

static const fm_entry dye_start_entries[] = {
    {"shape", FM_KEY_WORD, DYE_START(kind), .words = dye_starts,
     .about = "none; ball, its radius is the first number of `size`; box, from centre - size to "
              "centre + size; stripes, as thick as the length of `size` and across its direction"},
    {"centre", FM_KEY_VECTOR, DYE_START(centre), "m", WITHIN(-1e6, 1e6), .about = "of the shape"},
    {"size", FM_KEY_VECTOR, DYE_START(size), "m", WITHIN(-1e6, 1e6), .nonzero = true,
     .about = "of the shape"},
};
static const fm_table dye_start_table = {
    .name = "grid dye start",
    .about = "Where the dye is at the start: its concentration is 1 there.",
    .entries = dye_start_entries,
    .count = COUNT(dye_start_entries),
};

static const fm_entry dye_entries[] = {
    {"diffusivity", FM_KEY_NUMBER, DEF(dye.diffusivity), "m^2/s", WITHIN(0, 1e6),
     .about = "how fast it spreads through fluid at rest"},
    {"buoyancy", FM_KEY_NUMBER, DEF(dye.buoyancy), .range = WITHIN(-1e3, 1e3),
     .about = "fluid of concentration c weighs 1 - buoyancy c of its weight: above 0 it rises"},
    {"fading", FM_KEY_NUMBER, DEF(dye.fading), "s", WITHIN(0, 1e9),
     .about = "time in which it fades to 1/e; 0: never"},
    {"start", FM_KEY_MAPPING, .table = &dye_start_table, .about = "where it is at the start"},
};
static const fm_table dye_table = {
    .name = "grid dye",
    .about = "Dye or smoke that the flow carries along. Sides and patches add it with the fluid "
             "that enters (`dye`).",
    .entries = dye_entries,
    .count = COUNT(dye_entries),
};

static const fm_entry marks_entries[] = {
    {"density", FM_KEY_NUMBER, DEF(marks.density), .range = ABOVE(0, 1e3), .needed = true,
     .about = "marks per cell, at the start and in fluid that enters"},
    {"everywhere", FM_KEY_BOOLEAN, DEF(marks.everywhere),
     .about = "false: no marks at the start and through open sides, only from inflows"},
    {"period", FM_KEY_NUMBER, DEF(marks.period), "s", WITHIN(0, 1e6),
     .about = "between additions at inflows; 0: in every substep"},
    {"most", FM_KEY_INTEGER, DEF(marks.most), .range = WITHIN(1, 100000000),
     .about = "largest number of marks; inflows add none beyond it"},
    {"seed", FM_KEY_INTEGER, DEF(marks.seed), .range = WITHIN(0, 1000000000),
     .about = "of their random places"},
};
static const fm_table marks_table = {
    .name = "grid marks",
    .about = "Points that move with the flow. They are written as an object of their own, "
             "NAME-marks.",
    .entries = marks_entries,
    .count = COUNT(marks_entries),
};

static void add_dye(void *object)
{
    ((fm_scene_grid *)object)->def.dye.on = true;
}

static const fm_entry grid_entries[] = {
    {"low", FM_KEY_VECTOR, DEF(low), "m", WITHIN(-1e6, 1e6),
     .about = "corner with the smallest x, y, z"},
    {"cells", FM_KEY_INTEGERS, offsetof(fm_scene_grid, cells), .range = WITHIN(1, 65536),
     .needed = true,
     .about = "number of cells along x, y and z; one along z is a plane flow. Multiples of large "
              "powers of two are fastest"},
    {"spacing", FM_KEY_NUMBER, DEF(spacing), "m", ABOVE(0, 1e3), .needed = true,
     .about = "edge of a cell"},
    {"sides", FM_KEY_MAPPING, .table = &fm_grid_sides_table,
     .about = "the six sides; walls by default"},
    {"patches", FM_KEY_LIST, offsetof(fm_scene_grid, patches), .table = &fm_grid_patch_table,
     .range = WITHIN(0, FM_GRID_PATCHES_MAX),
     .about = "rectangles of sides with conditions of their own"},
    {"density", FM_KEY_NUMBER, DEF(density), "kg/m^3", WITHIN(1e-6, 1e6), .about = "density"},
    {"viscosity", FM_KEY_NUMBER, DEF(viscosity), "Pa s", WITHIN(0, 1e6),
     .about = "dynamic viscosity; water 1.0e-3, air 1.8e-5"},
    {"acceleration", FM_KEY_VECTOR, DEF(acceleration), "m/s^2", WITHIN(-1e6, 1e6),
     .about = "uniform force per mass, besides gravity"},
    {"start", FM_KEY_MAPPING, .table = &fm_grid_start_table, .about = "the velocity at the start"},
    {"dye", FM_KEY_MAPPING, .table = &dye_table, .apply = add_dye,
     .about = "dye or smoke; `dye: {}` has none at the start"},
    {"marks", FM_KEY_MAPPING, .table = &marks_table, .about = "points that move with the flow"},
    {"advection", FM_KEY_WORD, DEF(advection), .words = advections,
     .about = "fifth-order; first-order: upwind, Euler steps; published: central differences, "
              "Euler steps, which needs viscosity"},
    {"diffusion", FM_KEY_WORD, DEF(diffusion), .words = diffusions,
     .about = "explicit, or implicit for very viscous fluids"},
    {"tolerance", FM_KEY_NUMBER, DEF(tolerance), .range = WITHIN(1e-12, 0.1),
     .about = "largest divergence after a substep, relative to fastest speed / spacing"},
    {"iterations", FM_KEY_INTEGER, DEF(iterations), .range = WITHIN(1, 10000),
     .about = "largest number of iterations of the pressure solver"},
    {"courant", FM_KEY_NUMBER, DEF(courant), .range = WITHIN(1e-3, 1),
     .about = "Courant number: sum over the axes of speed x substep / spacing"},
    {"time_step", FM_KEY_NUMBER, DEF(time_step), "s", WITHIN(0, 1e3),
     .about = "largest substep; 0: only stability limits it"},
    {"loads", FM_KEY_BOOLEAN, DEF(loads),
     .about = "measure the force on colliders: columns load_x, load_y, load_z in stats.csv, N, of "
              "the fluid and of each collider by its name"},
};

// Default values of the keys of a grid fluid.
static void set_defaults(void *object)
{
    fm_scene_grid *grid = object;
    grid->def = fm_default_grid_def();
    grid->start.radius = 1;
    grid->start.axis = (fm_vec3){0, 0, 1};
    grid->dye_start.size = (fm_vec3){0.1, 0.1, 0.1};
}

const fm_table fm_grid_table = {
    .name = "grid",
    .about = "An incompressible fluid on a staggered grid. `docs/grid.md` has the equations.",
    .size = sizeof(fm_scene_grid),
    .set_defaults = set_defaults,
    .entries = grid_entries,
    .count = COUNT(grid_entries),
    .check = fm_scene_check_grid_keys,
};
