// SPDX-License-Identifier: MIT
// liquid.c: creation of liquids from checked definitions, and the liquid of the start.
//
// A box or ball of liquid is the union of its signed distance with phi, and a jittered lattice of
// particles whose pitch divides the box evenly. Faces of a box on the sides of the grid are no
// surface.
#include "grid/liquid.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double JITTER = 0.9; // range of random places, relative to the pitch of the lattice

// An empty box of 1 m with 32^3 cells, for water; two particles per cell along each axis.
fm_liquid_def fm_default_liquid_def(void)
{
    fm_liquid_def def = {.grid = fm_default_grid_def(), .sampling = 2};
    def.grid.courant = FM_LIQUID_COURANT_MAX;
    return def;
}

// Fails for periodic sides, which a liquid cannot have.
static bool check_sides(const fm_grid_def *def, fm_error *err)
{
    for (int side = 0; side < FM_SIDE_COUNT; side++)
        if (def->sides[side].kind == FM_GRID_PERIODIC)
            return fm_fail(err, FM_BAD_VALUE, def->name, "sides.kind", "periodic",
                           "wall, slip, inflow or open in a liquid");
    return true;
}

// Checks the members of the definition that a grid fluid does not have, and the sides.
static bool check_def(const fm_liquid_def *def, fm_error *err)
{
    const char *name = def->grid.name;
    if (def->sampling < 1 || def->sampling > 4)
        return fm_fail_number(err, name, "sampling", def->sampling, "1 to 4");
    if (def->capacity < 0 || def->capacity > 100000000)
        return fm_fail_number(err, name, "capacity", def->capacity, "0 to 1e8");
    if (def->band != 0 && (def->band < 3 || def->band > 5))
        return fm_fail_number(err, name, "band", def->band, "0, or 3 to 5 cells");
    if (def->band != 0 && def->method == FM_LIQUID_PUBLISHED)
        return fm_fail_number(err, name, "band", def->band, "0 with the published method");
    if (!(def->surface_tension >= 0 && def->surface_tension <= 1e3))
        return fm_fail_number(err, name, "surface_tension", def->surface_tension, "0 to 1e3 N/m");
    if (!(def->grid.courant >= 1e-3 && def->grid.courant <= FM_LIQUID_COURANT_MAX))
        return fm_fail_number(err, name, "courant", def->grid.courant, "1e-3 to 4");
    return check_sides(&def->grid, err);
}

// The grid of a liquid: walls hold particles but do not slow them; viscosity does (def.sides).
static fm_grid_def find_grid_def(const fm_liquid_def *def)
{
    fm_grid_def grid = def->grid;
    grid.courant = fm_double_min(grid.courant, 1); // that of the liquid may be larger
    grid.dye.on = false;
    grid.marks.density = 0;
    grid.diffusion = FM_GRID_EXPLICIT;
    grid.advection = FM_GRID_FIRST_ORDER;
    grid.loads = true; // the list of cut cells
    for (int side = 0; side < FM_SIDE_COUNT; side++)
        if (grid.sides[side].kind == FM_GRID_WALL)
            grid.sides[side].kind = FM_GRID_SLIP;
    for (int i = 0; i < grid.patch_count && i < FM_GRID_PATCHES_MAX; i++)
        if (grid.patches[i].condition.kind == FM_GRID_WALL)
            grid.patches[i].condition.kind = FM_GRID_SLIP;
    return grid;
}

// Allocates the arrays on the grid; those of particles grow with fm_liquid_reserve.
static void allocate(fm_liquid *l, fm_error *err)
{
    const fm_grid *g = l->grid;
    const char *name = l->object.name;
    size_t cells = (size_t)g->n[0] * (size_t)g->n[1] * (size_t)g->n[2];
    double **arrays[] = {&l->phi,    &l->phi_new,  &l->open_volume, &l->added,   &l->density,
                         &l->filled, &l->shift[0], &l->shift[1],    &l->shift[2]};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = fm_arena_alloc(&l->arena, g->count, sizeof(double), name, err);
    for (int a = 0; a < 3; a++) {
        l->known[a] = fm_arena_alloc(&l->arena, g->count, 1, name, err);
        l->next_known[a] = fm_arena_alloc(&l->arena, g->count, 1, name, err);
        for (int i = 0; i < 4 && l->def.grid.viscosity > 0; i++)
            l->solve[i][a] = fm_arena_alloc(&l->arena, g->count, sizeof(double), name, err);
    }
    for (int i = 0; i < 7 && l->def.grid.viscosity > 0; i++)
        l->fraction[i] = fm_arena_alloc(&l->arena, g->count, sizeof(float), name, err);
    fm_liquid_allocate_band(l, err);
    if (l->def.surface_tension > 0 && l->def.method != FM_LIQUID_PUBLISHED)
        l->curvature = fm_arena_alloc(&l->arena, g->count, sizeof(double), name, err);
    l->start = fm_arena_alloc(&l->arena, cells + 1, sizeof *l->start, name, err);
}

// Creates a liquid that is not yet an object of a world. NULL, with err filled, on failure.
fm_liquid *fm_liquid_create_detached(const fm_liquid_def *def, fm_error *err)
{
    assert(def);
    fm_liquid_def checked = *def;
    checked.grid.name = def->grid.name ? def->grid.name : "liquid";
    if (err->status != FM_OK || !check_def(&checked, err))
        return NULL;
    fm_grid_def grid_def = find_grid_def(&checked);
    fm_liquid *l = calloc(1, sizeof *l);
    if (!l) {
        fm_fail_no_memory(err, checked.grid.name, sizeof *l);
        return NULL;
    }
    l->def = checked;
    snprintf(l->object.name, sizeof l->object.name, "%s", checked.grid.name);
    l->def.grid.name = l->object.name;
    l->grid = fm_grid_create_detached(&grid_def, err);
    if (l->grid) {
        l->grid->has_surface = true;
        allocate(l, err);
    }
    if (!l->grid || err->status != FM_OK || !fm_liquid_reserve(l, 1024, err)) {
        fm_liquid_destroy(l);
        return NULL;
    }
    l->spacing_volume = l->grid->h * l->grid->h * l->grid->h;
    for (size_t i = 0; i < l->grid->count; i++)
        l->phi[i] = FM_LIQUID_BAND;
    return l;
}

// Frees the arrays of particles.
static void free_particles(fm_liquid_particles *p)
{
    for (int a = 0; a < 3; a++) {
        free(p->x[a]);
        free(p->v[a]);
    }
    for (int a = 0; a < 9; a++)
        free(p->c[a]);
    free(p->volume);
    free(p->id);
}

// Frees a liquid. Does nothing for NULL.
void fm_liquid_destroy(fm_liquid *l)
{
    if (!l)
        return;
    free_particles(&l->now);
    free_particles(&l->other);
    free(l->cell);
    free(l->from);
    free(l->depth);
    free(l->hit);
    free(l->band.spare);
    free(l->partial);
    free(l->points);
    fm_liquid_free_balls(l);
    fm_grid_destroy(l->grid);
    fm_arena_destroy(&l->arena);
    free(l);
}

// Makes an array longer. False, with the array unchanged, if there is no memory.
static bool resize(void *array, size_t bytes)
{
    void **pointer = array, *larger = realloc(*pointer, bytes);
    if (larger)
        *pointer = larger;
    return larger != NULL;
}

// Enlarges all arrays of particles. False if memory runs out.
static bool resize_particles(fm_liquid_particles *p, size_t room)
{
    bool good = true;
    for (int a = 0; a < 3; a++)
        good &= resize(&p->x[a], room * sizeof(double)) && resize(&p->v[a], room * sizeof(double));
    for (int a = 0; a < 9; a++)
        good &= resize(&p->c[a], room * sizeof(float));
    return good && resize(&p->volume, room * sizeof(double)) && resize(&p->id, room * sizeof(int));
}

// Enlarges the arrays to hold `room` particles. False if memory runs out.
bool fm_liquid_reserve(fm_liquid *l, int room, fm_error *err)
{
    if (room <= l->now.room)
        return true;
    size_t blocks = (size_t)fm_parallel_block_count(room, FM_LIQUID_BLOCK) + 1;
    if (!resize_particles(&l->now, (size_t)room) || !resize_particles(&l->other, (size_t)room) ||
        !resize(&l->cell, (size_t)room * sizeof(int)) ||
        !resize(&l->from, (size_t)room * sizeof(int)) ||
        !resize(&l->depth, (size_t)room * sizeof(double)) ||
        !resize(&l->hit, (size_t)room * sizeof *l->hit) ||
        (l->def.band > 0 && !resize(&l->band.spare, (size_t)room * sizeof(int))) ||
        !resize(&l->partial, blocks * sizeof(double)))
        return fm_fail_no_memory(err, l->object.name, (size_t)room * 200); // bytes, about
    l->now.room = l->other.room = room;
    return true;
}

// Adds a particle at x, spacings, with the velocity v, m/s, and the volume, m^3. False if x is
// outside the grid or the arrays are full; the latter is counted.
bool fm_liquid_add_particle(fm_liquid *l, const double x[3], fm_vec3 v, double volume)
{
    fm_liquid_particles *p = &l->now;
    int i = p->count;
    for (int a = 0; a < 3; a++)
        if (!(x[a] >= 0 && x[a] <= l->grid->n[a]))
            return false;
    if (i == p->room) {
        l->stats.refused_count++;
        return false;
    }
    for (int a = 0; a < 3; a++)
        p->x[a][i] = x[a];
    p->v[0][i] = v.x, p->v[1][i] = v.y, p->v[2][i] = l->grid->active[2] ? v.z : 0;
    for (int a = 0; a < 9; a++)
        p->c[a][i] = 0;
    p->volume[i] = volume;
    p->id[i] = l->next_id++;
    p->count++;
    return true;
}

// A shape of liquid: a box with a wave, or a ball.
typedef struct shape {
    fm_liquid_box box; // radius > 0: its bounding box
    fm_vec3 centre;
    double radius; // m; 0: a box
} shape;

// Height of the top of a box with a wave at x, m, and its slope dy/dx.
static double find_top(const fm_liquid_box *box, double x, double *slope)
{
    double k = box->wave.length > 0 ? 2 * FM_PI / box->wave.length : 0, a = box->wave.amplitude;
    *slope = -a * k * sin(k * (x - box->low.x));
    return box->high.y + (k > 0 ? a * cos(k * (x - box->low.x)) : 0);
}

// Component a of a vector.
static double component(fm_vec3 v, int a)
{
    return a == 0 ? v.x : a == 1 ? v.y : v.z;
}

// Signed distance, m; not exact near the edges of a box outside of it.
static double find_distance(const fm_liquid *l, const shape *s, fm_vec3 at)
{
    const fm_grid *g = l->grid;
    if (s->radius > 0) {
        fm_vec3 from = fm_sub(at, s->centre);
        if (!g->active[2])
            from.z = 0;
        return fm_length(from) - s->radius;
    }
    double slope, square = 0, inside = -INFINITY, near = 1e-6 * g->h;
    double top = find_top(&s->box, at.x, &slope);
    for (int a = 0; a < 3; a++) {
        double x = component(at, a), origin = component(g->def.low, a), end = g->n[a] * g->h;
        double low = component(s->box.low, a) - x, high = x - component(s->box.high, a);
        if (component(s->box.low, a) <= origin + near || !g->active[a])
            low = -INFINITY;
        if (component(s->box.high, a) >= origin + end - near || !g->active[a])
            high = -INFINITY;
        if (a == 1 && high > -INFINITY)
            high = (x - top) / sqrt(1 + slope * slope);
        double out = fm_double_max(low, high);
        inside = fm_double_max(inside, out);
        square += out > 0 ? out * out : 0;
    }
    return square > 0 ? sqrt(square) : inside;
}

// Unites the shape with the liquid that is there.
static void add_distance(fm_liquid *l, const shape *s)
{
    const fm_grid *g = l->grid;
    for (int k = 0; k < g->n[2]; k++)
        for (int j = 0; j < g->n[1]; j++)
            for (int i = 0; i < g->n[0]; i++) {
                double *phi = &l->phi[fm_grid_index(g, i, j, k)];
                double d = find_distance(l, s, fm_grid_centre(g, i, j, k, 3)) / g->h;
                *phi = fm_double_min(*phi, fm_double_max(d, -FM_LIQUID_BAND));
            }
    fm_liquid_fill_phi(l, l->phi);
}

// A number near the middle of 0 to 1: random, so that no rows of particles remain visible when the
// flow stretches the liquid.
static double jitter(fm_rng *rng)
{
    return 0.5 + JITTER * (fm_rng_uniform(rng) - 0.5);
}

// Finds the lattice of a shape inside the grid: its low corner and size, m, and sites along the
// axes.
static void find_lattice(const fm_liquid *l, const fm_liquid_box *box, double from[3],
                         double size[3], int n[3])
{
    const fm_grid *g = l->grid;
    for (int a = 0; a < 3; a++) {
        double origin = component(g->def.low, a), end = origin + g->n[a] * g->h;
        from[a] = fm_double_max(component(box->low, a), origin);
        size[a] = fm_double_min(component(box->high, a), end) - from[a];
        if (!g->active[a])
            from[a] = origin, size[a] = g->h;
        n[a] = g->active[a] ? (int)lround(size[a] * l->def.sampling / g->h) : 1;
        n[a] = n[a] < 1 ? 1 : n[a];
    }
}

// Adds the particles of a shape that are in no liquid yet.
static bool add_lattice(fm_liquid *l, const shape *s, const fm_surroundings *around, fm_error *err)
{
    const fm_grid *g = l->grid;
    const fm_liquid_box *box = &s->box;
    fm_rng rng = {(uint64_t)l->next_id};
    int n[3];
    double from[3], size[3], slope;
    find_lattice(l, box, from, size, n);
    double sites = (double)n[0] * n[1] * n[2], count = l->now.count + sites;
    if (!(count < 1e9) || !fm_liquid_reserve(l, (int)count, err))
        return false;
    double volume = size[0] * size[1] * size[2] / sites;
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++) {
                double x = from[0] + (i + jitter(&rng)) * size[0] / n[0];
                double height = box->wave.length > 0 ? find_top(box, x, &slope) - from[1] : size[1];
                double y = from[1] + (j + jitter(&rng)) * height / n[1];
                double z = from[2] + (k + jitter(&rng)) * size[2] / n[2];
                fm_vec3 at = {x, y, z}, in = fm_scale(fm_sub(at, g->def.low), 1 / g->h);
                double place[3] = {in.x, in.y, g->active[2] ? in.z : 0.5};
                bool taken = fm_liquid_interpolate(g, l->phi, place, 3) < 0;
                if (!taken && find_distance(l, s, at) < 0 && !fm_grid_is_in_collider(around, at))
                    fm_liquid_add_particle(l, place, box->velocity, volume);
            }
    return true;
}

// Adds a shape of liquid before the first advance: particles, then its signed distance to phi.
static bool add_shape(fm_liquid *l, const shape *s, fm_error *err)
{
    fm_surroundings around = fm_world_surroundings(l->object.world);
    double t = fm_world_time(l->object.world);
    if (l->prepared)
        return fm_fail(err, FM_BAD_VALUE, l->object.name, "liquid", "added later",
                       "before the first advance");
    for (int i = 0; i < around.collider_count; i++)
        around.placed[i] = fm_collider_place(around.colliders[i], t);
    if (!add_lattice(l, s, &around, err))
        return false;
    add_distance(l, s);
    return true;
}

// Whether the box from low to high, m, and the grid have a point in common.
static bool meets_grid(const fm_liquid *l, fm_vec3 low, fm_vec3 high)
{
    const fm_grid *g = l->grid;
    for (int a = 0; a < 3; a++) {
        double from = component(g->def.low, a), to = from + g->n[a] * g->h;
        if (g->active[a] && (component(high, a) < from || component(low, a) > to))
            return false;
    }
    return true;
}

// Reports a value, m, that is outside the grid of the liquid. Returns false.
static bool fail_outside(const fm_liquid *l, const char *field, fm_vec3 value, fm_error *err)
{
    const fm_grid *g = l->grid;
    fm_vec3 low = g->def.low, high = fm_grid_position(g, g->n[0], g->n[1], g->n[2]);
    char allowed[160];
    snprintf(allowed, sizeof allowed, "in the box of the liquid, (%g, %g, %g) to (%g, %g, %g) m",
             low.x, low.y, low.z, high.x, high.y, high.z);
    return fm_fail_vector(err, l->object.name, field, value, allowed);
}

// Adds a box of liquid, if err holds no failure.
bool fm_liquid_add_box(fm_liquid *l, const fm_liquid_box *box, fm_error *err)
{
    assert(err->status != FM_OK || (l && box));
    if (err->status != FM_OK)
        return false;
    const fm_grid *g = l->grid;
    fm_vec3 size = fm_sub(box->high, box->low);
    if (!(size.x > 0 && size.y > 0 && (size.z > 0 || !g->active[2])) || !fm_is_finite(box->low) ||
        !fm_is_finite(box->high))
        return fm_fail_vector(err, l->object.name, "box.high", box->high, "above box.low");
    if (!meets_grid(l, box->low, box->high))
        return fail_outside(l, "box.low", box->low, err);
    if (!(box->wave.length >= 0) || !(fabs(box->wave.amplitude) < size.y))
        return fm_fail_number(err, l->object.name, "box.wave.amplitude", box->wave.amplitude,
                              "less than the height of the box, with a length of 0 m or more");
    return add_shape(l, &(shape){.box = *box}, err);
}

// Adds a ball of liquid, if err holds no failure. centre, radius: m; velocity: m/s.
bool fm_liquid_add_ball(fm_liquid *l, fm_vec3 centre, double radius, fm_vec3 velocity,
                        fm_error *err)
{
    assert(err->status != FM_OK || l);
    if (err->status != FM_OK)
        return false;
    if (!(radius > 0 && isfinite(radius)) || !fm_is_finite(centre))
        return fm_fail_number(err, l->object.name, "ball.radius", radius, "above 0 m");
    fm_vec3 reach = {radius, radius, radius};
    if (!meets_grid(l, fm_sub(centre, reach), fm_add(centre, reach)))
        return fail_outside(l, "ball.centre", centre, err);
    shape s = {.box = {fm_sub(centre, reach), fm_add(centre, reach), velocity, {0, 0}},
               .centre = centre,
               .radius = radius};
    return add_shape(l, &s, err);
}

// Adds a nozzle, if err holds no failure.
bool fm_liquid_add_source(fm_liquid *l, const fm_fluid_source *source, fm_error *err)
{
    if (err->status != FM_OK)
        return false;
    fm_fluid_source s = *source;
    if (l->source_count == FM_LIQUID_SOURCES_MAX)
        return fm_fail_number(err, l->object.name, "sources", l->source_count + 1, "at most 64");
    if (!l->grid->active[2])
        s.direction.z = 0;
    if (!fm_normalize(&s.direction))
        return fm_fail_vector(err, l->object.name, "source.direction", source->direction,
                              "not zero");
    if (!meets_grid(l, s.centre, s.centre))
        return fail_outside(l, "source.centre", s.centre, err);
    if (!(s.radius >= l->grid->h * (1 - 1e-9)))
        return fm_fail_number(err, l->object.name, "source.radius", s.radius,
                              "at least the spacing of the liquid");
    if (!(s.speed > 0 && isfinite(s.speed)))
        return fm_fail_number(err, l->object.name, "source.speed", s.speed, "above 0 m/s");
    l->sources[l->source_count++] = (fm_liquid_source){s, s.start};
    return true;
}

// Adds a box that removes liquid, if err holds no failure.
bool fm_liquid_add_sink(fm_liquid *l, const fm_fluid_sink *sink, fm_error *err)
{
    if (err->status != FM_OK)
        return false;
    if (l->sink_count == FM_LIQUID_SINKS_MAX)
        return fm_fail_number(err, l->object.name, "sinks", l->sink_count + 1, "at most 64");
    fm_vec3 size = fm_sub(sink->high, sink->low);
    if (!(size.x > 0 && size.y > 0 && (size.z > 0 || !l->grid->active[2])))
        return fm_fail_vector(err, l->object.name, "sink.high", sink->high, "above sink.low");
    if (!meets_grid(l, sink->low, sink->high))
        return fail_outside(l, "sink.low", sink->low, err);
    l->sinks[l->sink_count++] = *sink;
    return true;
}

// Adds a velocity field, m/s, to the particles that are there.
bool fm_liquid_set_start(fm_liquid *l, const fm_grid_start *start, fm_error *err)
{
    if (err->status != FM_OK)
        return false;
    if (start->kind >= FM_GRID_START_VORTEX && !(start->radius > 0))
        return fm_fail_number(err, l->object.name, "start.radius", start->radius, "above 0 m");
    fm_liquid_particles *p = &l->now;
    for (int i = 0; i < p->count && start->kind != FM_GRID_START_REST; i++) {
        fm_vec3 at = fm_grid_position(l->grid, p->x[0][i], p->x[1][i], p->x[2][i]);
        fm_vec3 v = fm_grid_start_velocity(l->grid, start, at);
        p->v[0][i] += v.x, p->v[1][i] += v.y, p->v[2][i] += l->grid->active[2] ? v.z : 0;
    }
    return true;
}
