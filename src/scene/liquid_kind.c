// SPDX-License-Identifier: MIT
// liquid_kind.c: the kind fluids.NAME.liquid: the keys of a liquid with a free surface.
#include "scene/liquid_kind.h"

#include "grid/liquid.h"
#include "scene/fluid_kind.h"
#include "scene/grid_kind.h"

// Decoded keys. The first member has the keys that grid fluids and liquids share.
typedef struct liquid {
    fm_scene_grid grid;
    fm_liquid_method method;
    int sampling, band, capacity;
    int liquid;             // number in liquids.c, 0: none
    double surface_tension; // N/m
    fm_items boxes;         // array of liquid_box
    fm_items balls;         // array of liquid_ball
    fm_items sources;       // array of fm_scene_fluid_source
    fm_items sinks;         // array of fm_scene_fluid_sink
} liquid;

// One element of `boxes`.
typedef struct liquid_box {
    fm_item item;
    fm_liquid_box box;
} liquid_box;

// One element of `balls`.
typedef struct liquid_ball {
    fm_item item;
    fm_vec3 centre, velocity;
    double radius;
} liquid_ball;

#define DEF(member) offsetof(liquid, grid.def.member)
#define BOX(member) offsetof(liquid_box, box.member)

static const char *const methods[] = {"particles", "published", NULL};

static const fm_entry wave_entries[] = {
    {"amplitude", FM_KEY_NUMBER, BOX(wave.amplitude), "m", WITHIN(-1e6, 1e6), .needed = true,
     .about = "height of the wave above the top of the box, at its low x"},
    {"length", FM_KEY_NUMBER, BOX(wave.length), "m", ABOVE(0, 1e6), .needed = true,
     .about = "from one crest to the next"},
};
static const fm_table wave_table = {
    .name = "liquid wave",
    .about = "A cosine along x on the top of a box.",
    .entries = wave_entries,
    .count = COUNT(wave_entries),
};

static const fm_entry box_entries[] = {
    {"low", FM_KEY_VECTOR, BOX(low), "m", WITHIN(-1e6, 1e6),
     .about = "corner with the smallest x, y, z"},
    {"high", FM_KEY_VECTOR, BOX(high), "m", WITHIN(-1e6, 1e6), .needed = true,
     .about = "corner with the largest x, y, z"},
    {"velocity", FM_KEY_VECTOR, BOX(velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "initial velocity"},
    {"wave", FM_KEY_MAPPING, .table = &wave_table, .about = "a wave on its top"},
};
static const fm_table box_table = {
    .name = "liquid box",
    .about = "A box filled with liquid at the start, except inside colliders.",
    .size = sizeof(liquid_box),
    .entries = box_entries,
    .count = COUNT(box_entries),
};

static const fm_entry ball_entries[] = {
    {"centre", FM_KEY_VECTOR, offsetof(liquid_ball, centre), "m", WITHIN(-1e6, 1e6), .needed = true,
     .about = "its centre"},
    {"radius", FM_KEY_NUMBER, offsetof(liquid_ball, radius), "m", ABOVE(0, 1e6), .needed = true,
     .about = "its radius"},
    {"velocity", FM_KEY_VECTOR, offsetof(liquid_ball, velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "initial velocity"},
};
static const fm_table ball_table = {
    .name = "liquid ball",
    .about = "A ball of liquid at the start, such as a drop.",
    .size = sizeof(liquid_ball),
    .entries = ball_entries,
    .count = COUNT(ball_entries),
};

// Gives the liquid the properties of the chosen one.
static void apply_liquid(void *object)
{
    liquid *l = object;
    if (l->liquid == 0)
        return;
    const fm_scene_liquid *chosen = fm_scene_find_liquid(l->liquid);
    l->grid.def.density = chosen->density;
    l->grid.def.viscosity = chosen->viscosity;
    l->surface_tension = chosen->surface_tension;
}

// Keys are decoded in this order. The liquid comes first, so that other keys override it.
static const fm_entry entries[] = {
    {"liquid", FM_KEY_WORD, offsetof(liquid, liquid), .word_at = fm_scene_liquid_name,
     .apply = apply_liquid,
     .about = "a liquid; sets density, viscosity, surface tension and the look in pictures, which "
              "other keys can override; none: as given"},
    {"low", FM_KEY_VECTOR, DEF(low), "m", WITHIN(-1e6, 1e6),
     .about = "corner of the grid with the smallest x, y, z"},
    {"cells", FM_KEY_INTEGERS, offsetof(liquid, grid.cells), .range = WITHIN(1, 65536),
     .needed = true,
     .about = "number of cells along x, y and z; one along z is a plane flow. Multiples of large "
              "powers of two are fastest"},
    {"spacing", FM_KEY_NUMBER, DEF(spacing), "m", ABOVE(0, 1e3), .needed = true,
     .about = "edge of a cell"},
    {"sides", FM_KEY_MAPPING, .table = &fm_grid_sides_table,
     .about = "the six sides; walls by default. Open sides lead to air, and liquid that reaches "
              "them is gone; periodic ones are not possible"},
    {"patches", FM_KEY_LIST, offsetof(liquid, grid.patches), .table = &fm_grid_patch_table,
     .range = WITHIN(0, FM_GRID_PATCHES_MAX),
     .about = "rectangles of sides with conditions of their own, such as a drain"},
    {"density", FM_KEY_NUMBER, DEF(density), "kg/m^3", WITHIN(1e-6, 1e6), .about = "density"},
    {"viscosity", FM_KEY_NUMBER, DEF(viscosity), "Pa s", WITHIN(0, 1e6),
     .about = "dynamic viscosity; water 1.0e-3, oil 0.1, honey 10"},
    {"surface_tension", FM_KEY_NUMBER, offsetof(liquid, surface_tension), "N/m", WITHIN(0, 1e3),
     .about =
         "surface tension; water 0.072; counts where drops and waves are a few centimetres and "
         "smaller; short substeps on fine grids"},
    {"acceleration", FM_KEY_VECTOR, DEF(acceleration), "m/s^2", WITHIN(-1e6, 1e6),
     .about = "uniform force per mass, besides gravity"},
    {"boxes", FM_KEY_LIST, offsetof(liquid, boxes), .table = &box_table, .range = WITHIN(0, 256),
     .about = "boxes filled with liquid at the start"},
    {"balls", FM_KEY_LIST, offsetof(liquid, balls), .table = &ball_table, .range = WITHIN(0, 256),
     .about = "balls of liquid at the start"},
    {"start", FM_KEY_MAPPING, .table = &fm_grid_start_table,
     .about = "velocity at the start, added to that of boxes and balls"},
    {"sources", FM_KEY_LIST, offsetof(liquid, sources), .table = &fm_fluid_source_table,
     .range = WITHIN(0, FM_LIQUID_SOURCES_MAX),
     .about = "nozzles that add liquid; their radius is at least the spacing"},
    {"sinks", FM_KEY_LIST, offsetof(liquid, sinks), .table = &fm_fluid_sink_table,
     .range = WITHIN(0, FM_LIQUID_SINKS_MAX), .about = "boxes that remove liquid"},
    {"method", FM_KEY_WORD, offsetof(liquid, method), .words = methods,
     .about = "particles; or published: marks in cells and a surface of first order, for "
              "comparison"},
    {"sampling", FM_KEY_INTEGER, offsetof(liquid, sampling), .range = WITHIN(1, 4),
     .about = "particles per cell along each axis"},
    {"band", FM_KEY_INTEGER, offsetof(liquid, band), .range = WITHIN(0, 5),
     .about = "3 to 5: particles only up to this many cells below the surface, and near colliders, "
              "cloth, sources, sinks and open sides, for deep liquids; 0: everywhere"},
    {"capacity", FM_KEY_INTEGER, offsetof(liquid, capacity), .range = WITHIN(0, 1e8),
     .about = "largest number of particles; 0: the initial number, with sources 4 times that and "
              "at least 100,000"},
    {"tolerance", FM_KEY_NUMBER, DEF(tolerance), .range = WITHIN(1e-12, 0.1),
     .about = "largest divergence after a substep, relative to fastest speed / spacing"},
    {"iterations", FM_KEY_INTEGER, DEF(iterations), .range = WITHIN(1, 10000),
     .about = "largest number of iterations of the pressure solver"},
    {"courant", FM_KEY_NUMBER, DEF(courant), .range = WITHIN(1e-3, FM_LIQUID_COURANT_MAX),
     .about = "Courant number: fastest speed in the liquid x substep / spacing"},
    {"time_step", FM_KEY_NUMBER, DEF(time_step), "s", WITHIN(0, 1e3),
     .about = "largest substep; 0: only stability limits it"},
};

// Default values of the keys of a liquid.
static void set_defaults(void *object)
{
    liquid *l = object;
    fm_liquid_def def = fm_default_liquid_def();
    fm_grid_table.set_defaults(&l->grid);
    l->grid.def = def.grid;
    l->sampling = def.sampling;
}

// Checks the cells and sides as for a grid fluid; sides cannot be periodic.
static void check_keys(fm_decoder *d, const fm_node *node, const void *object)
{
    static const char *const names[FM_SIDE_COUNT] = {"left", "right", "bottom",
                                                     "top",  "back",  "front"};
    const liquid *l = object;
    fm_scene_check_grid_keys(d, node, &l->grid);
    for (int side = 0; side < FM_SIDE_COUNT; side++)
        if (l->grid.def.sides[side].kind == FM_GRID_PERIODIC)
            fm_loader_add_mistake(d->loader, fm_node_find_place(node, "sides", names[side], NULL),
                                  "%s.sides.%s is periodic, allowed in a liquid is wall, slip, "
                                  "inflow or open",
                                  d->path, names[side]);
    bool published = l->method == FM_LIQUID_PUBLISHED;
    if (l->band != 0 && (l->band < 3 || published))
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "band", NULL, NULL),
                              "%s.band is %d, allowed is %s", d->path, l->band,
                              published ? "0 with method: published" : "0, or 3 to 5 cells");
    const fm_scene_fluid_source *sources = l->sources.data;
    for (int i = 0; i < l->sources.count; i++)
        if (sources[i].source.radius < l->grid.def.spacing * (1 - 1e-9))
            fm_loader_add_mistake(d->loader,
                                  fm_node_find_place(sources[i].item.node, "radius", NULL, NULL),
                                  "%s.sources[%d].radius is %g m, allowed is at least the spacing, "
                                  "%g m",
                                  d->path, i, sources[i].source.radius, l->grid.def.spacing);
}

const fm_table fm_liquid_table = {
    .name = "liquid",
    .about = "A liquid with a free surface on a staggered grid. `docs/liquid.md` has the "
             "equations.",
    .size = sizeof(liquid),
    .set_defaults = set_defaults,
    .entries = entries,
    .count = COUNT(entries),
    .check = check_keys,
};

// Adds what is there at the start, sources and sinks.
static void fill_liquid(const liquid *l, fm_liquid *fluid, fm_error *err)
{
    const liquid_box *boxes = l->boxes.data;
    const liquid_ball *balls = l->balls.data;
    const fm_scene_fluid_source *sources = l->sources.data;
    const fm_scene_fluid_sink *sinks = l->sinks.data;
    for (int i = 0; i < l->boxes.count && err->status == FM_OK; i++) {
        fm_liquid_add_box(fluid, &boxes[i].box, err);
        fm_scene_locate_error(err, boxes[i].item.node);
    }
    for (int i = 0; i < l->balls.count && err->status == FM_OK; i++) {
        fm_liquid_add_ball(fluid, balls[i].centre, balls[i].radius, balls[i].velocity, err);
        fm_scene_locate_error(err, balls[i].item.node);
    }
    for (int i = 0; i < l->sources.count && err->status == FM_OK; i++) {
        fm_liquid_add_source(fluid, &sources[i].source, err);
        fm_scene_locate_error(err, sources[i].item.node);
    }
    for (int i = 0; i < l->sinks.count && err->status == FM_OK; i++) {
        fm_liquid_add_sink(fluid, &sinks[i].sink, err);
        fm_scene_locate_error(err, sinks[i].item.node);
    }
    if (l->grid.start.kind != FM_GRID_START_REST && err->status == FM_OK)
        fm_liquid_set_start(fluid, &l->grid.start, err);
}

// Creates a liquid.
static void build(fm_builder *b, const fm_scene_object *object, fm_error *err)
{
    const liquid *l = object->def;
    fm_liquid_def def = {.grid = fm_scene_find_grid_def(&l->grid, object->item.name),
                         .method = l->method,
                         .surface_tension = l->surface_tension,
                         .sampling = l->sampling,
                         .band = l->band,
                         .capacity = l->capacity};
    fm_liquid *fluid = fm_liquid_create(b->world, &def, err);
    fm_scene_locate_error(err, object->item.node);
    if (fluid)
        fill_liquid(l, fluid, err);
}

const fm_scene_kind fm_scene_liquid_kind = {
    .type = &fm_liquid_type,
    .section = "fluids",
    .key = "liquid",
    .build = build,
};
