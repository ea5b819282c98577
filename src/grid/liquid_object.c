// SPDX-License-Identifier: MIT
// liquid_object.c: the object type of liquids: the functions through which worlds, file writers and
// probes use one, snapshots, and public functions that read.
//
// A saved liquid is   header | grid | phi in its cells | particles, array after array | band.
#include "grid/liquid.h"

#include <stdlib.h>
#include <string.h>

// The liquid that is this object.
static fm_liquid *liquid_of(const fm_object *object)
{
    return (fm_liquid *)object;
}

// Advances the liquid by `interval` seconds. *substeps: their number.
static bool advance(fm_object *object, const fm_surroundings *around, double interval,
                    int *substeps, fm_error *err)
{
    return fm_liquid_advance(liquid_of(object), around, interval, substeps, err);
}

// Longest stable substep now, s.
static double longest_step(fm_object *object, const fm_surroundings *around, fm_error *err)
{
    return fm_liquid_prepare(liquid_of(object), around, err)
               ? fm_liquid_find_step(liquid_of(object), around)
               : INFINITY;
}

// Density, kg/m^3, and viscosity, Pa s, for bodies in the liquid.
static fm_medium find_properties(const fm_object *object)
{
    const fm_grid_def *def = &liquid_of(object)->def.grid;
    return (fm_medium){.density = def->density, .viscosity = def->viscosity};
}

// Spacing that the samples of bodies need, m.
static double find_resolution(const fm_object *object)
{
    return 1.6 * liquid_of(object)->grid->h; // as of a grid fluid
}

// Every body can be in the liquid, before it moves for the first time.
static bool check_coupling(const fm_object *object, fm_coupling_way way, const char *body,
                           fm_error *err)
{
    (void)way;
    if (liquid_of(object)->prepared)
        return fm_fail(err, FM_BAD_VALUE, body, "coupling", "added later",
                       "before the first advance");
    return true;
}

static bool attach(fm_object *object, fm_samples *samples, fm_error *err)
{
    return fm_liquid_attach_samples(liquid_of(object), samples,
                                    fm_world_surroundings(object->world).gravity, err);
}

// Reads the velocity, m/s, or the pressure, Pa, at a point, m.
static bool probe(fm_object *object, const char *field, fm_vec3 at, double values[3], fm_error *err)
{
    const fm_grid *g = liquid_of(object)->grid;
    if (strcmp(field, "pressure") == 0) {
        values[0] = fm_grid_pressure_at(g, at);
        return true;
    }
    if (strcmp(field, "velocity") != 0)
        return fm_fail(err, FM_BAD_VALUE, object->name, "field", field, "velocity or pressure");
    fm_vec3 u = fm_grid_velocity_at(g, at);
    values[0] = u.x, values[1] = u.y, values[2] = u.z;
    return true;
}

// The closed sides of the grid as planes that balls collide with.
static int find_walls(const fm_object *object, double t, fm_placed_collider *planes)
{
    (void)t;
    return fm_grid_find_walls(liquid_of(object)->grid, planes);
}

static const fm_field quantities[] = {
    {"particle_count", "", "number of particles", 1},
    {"volume", "m^3", "volume inside the surface and of loose particles", 1},
    {"loose_volume", "m^3", "volume of spray, drops and sheets thinner than a cell", 1},
    {"particle_volume", "m^3", "volume of all particles and of liquid without (band)", 1},
    {"kinetic_energy", "J", "kinetic energy of the liquid", 1},
    {"potential_energy", "J", "potential energy of the liquid's weight", 1},
    {"max_speed", "m/s", "speed of the fastest particle", 1},
    {"divergence", "", "largest divergence x spacing / fastest speed, after the last substep", 1},
    {"pressure_iterations", "", "of the pressure solver in the last substep", 1},
    {"time_step", "s", "of the last substep", 1},
};

// Sums over the particles.
typedef struct sums {
    double kinetic, potential, volume, fastest; // J, J, m^3, m/s
    fm_vec3 momentum;                           // kg m/s
    int bad;                                    // first particle that is not finite; -1: none
} sums;

// Sums over all particles and the liquid without particles, with gravity in m/s^2.
static sums measure_particles(const fm_liquid *l, fm_vec3 gravity)
{
    const fm_liquid_particles *p = &l->now;
    sums s = {.bad = -1};
    for (int i = 0; i < p->count; i++) {
        fm_vec3 v = {p->v[0][i], p->v[1][i], p->v[2][i]};
        fm_vec3 at = fm_grid_position(l->grid, p->x[0][i], p->x[1][i], p->x[2][i]);
        double mass = l->def.grid.density * p->volume[i], square = fm_dot(v, v);
        s.kinetic += 0.5 * mass * square;
        s.momentum = fm_add_scaled(s.momentum, v, mass);
        s.potential -= mass * fm_dot(gravity, at);
        s.volume += p->volume[i];
        s.fastest = fm_double_max(s.fastest, square);
        if (s.bad < 0 && !(fm_is_finite(at) && fm_is_finite(v)))
            s.bad = i;
    }
    s.fastest = sqrt(s.fastest);
    fm_liquid_core core;
    fm_liquid_measure_core(l, &core);
    // the particles are not exactly as dense as the liquid: energies are those of a full core
    double share = s.volume > 0 ? 1 + (core.volume - core.room) / s.volume : 1;
    double mass = l->def.grid.density * core.room;
    s.kinetic = share * s.kinetic + 0.5 * mass * core.square;
    s.momentum = fm_add_scaled(fm_scale(s.momentum, share), core.velocity, mass);
    s.potential = share * s.potential - mass * fm_dot(gravity, core.centre);
    s.volume += core.volume;
    return s;
}

// m: energies, J, and the first particle that is not finite. q, unless NULL: values in the order of
// `quantities`.
static void measure(fm_object *object, const fm_surroundings *around, fm_measure *m, double *q)
{
    fm_liquid *l = liquid_of(object);
    sums s = measure_particles(l, around->gravity);
    *m = (fm_measure){
        .kinetic_energy = s.kinetic,
        .momentum = s.momentum,
        .potential_energy = s.potential,
        .bad_point = s.bad,
        .particle_count = l->now.count,
        .damping_share = 1,
        .stiffness_share = 1,
    };
    if (!q)
        return;
    q[0] = l->now.count;
    fm_liquid_volumes v = {.surface = s.volume};
    if (l->prepared)
        v = fm_liquid_find_volumes(l, around->pool);
    q[1] = v.surface + v.loose;
    q[2] = v.loose;
    q[3] = s.volume;
    q[4] = s.kinetic, q[5] = s.potential, q[6] = s.fastest;
    q[7] = l->stats.divergence;
    q[8] = l->stats.iterations;
    q[9] = l->stats.time_step;
}

enum { FIELDS = 8 };
static const fm_field fields[FIELDS] = {
    {"position", "m", "position of the particle", 3},
    {"velocity", "m/s", "velocity of the particle", 3},
    {"pressure", "Pa", "pressure of the liquid there", 1},
    {"volume", "m^3", "volume of the particle", 1},
    {"id", "", "number in the order of creation", 1},
    {"radius", "m", "half of the distance of particles at the start", 1},
    {"level", "m", "signed distance to the free surface, negative in the liquid", 1},
    {"wall", "m", "distance to colliders and to closed sides of the grid", 1},
};

// Distance, m, of a point x, spacings, to colliders and closed sides of the grid; at most that of
// the band of the surface.
static double find_wall(const fm_liquid *l, const double x[3])
{
    const fm_grid *g = l->grid;
    double nearest = FM_LIQUID_BAND * g->h;
    for (int side = 0; side < FM_SIDE_COUNT; side++) {
        int a = side / 2;
        fm_grid_side_kind kind = g->def.sides[side].kind;
        if (g->active[a] && kind != FM_GRID_OPEN && kind != FM_GRID_INFLOW)
            nearest = fm_double_min(nearest, g->h * (side % 2 ? g->n[a] - x[a] : x[a]));
    }
    if (g->solids.face_count == 0)
        return nearest;
    const double corner[3] = {x[0] + 0.5, x[1] + 0.5, x[2] + 0.5};
    return fm_double_min(nearest, fm_liquid_interpolate(g, g->distance, corner, 3));
}

// The fields of the particles. *count: their number.
const fm_field *fm_liquid_fields(int *count)
{
    *count = sizeof fields / sizeof *fields;
    return fields;
}

// Reading of a field: its number in the list, and where to write.
typedef struct reading {
    int field;
    double *values;
} reading;

// Writes the value of one particle or point.
static void write_value(const fm_liquid *l, const reading *job, int i, const double x[3], fm_vec3 v,
                        double volume, int id)
{
    int field = job->field;
    double *values = job->values;
    if (field == 0)
        v = fm_grid_position(l->grid, x[0], x[1], x[2]);
    if (field < 2)
        values[3 * i] = v.x, values[3 * i + 1] = v.y, values[3 * i + 2] = v.z;
    else
        values[i] = field == 2   ? fm_liquid_interpolate(l->grid, l->grid->p, x, 3)
                    : field == 3 ? volume
                    : field == 4 ? id
                    : field == 5 ? 0.5 * l->grid->h / l->def.sampling
                    : field == 6 ? l->grid->h * fm_liquid_interpolate(l->grid, l->phi, x, 3)
                                 : find_wall(l, x);
}

// Writes the value of a point that stands for the liquid without particles.
static void read_core_point(const fm_liquid *l, const double x[3], int number, void *context)
{
    const fm_grid *g = l->grid;
    double v[3] = {0};
    for (int a = 0; a < 3; a++)
        v[a] = g->active[a] ? fm_liquid_interpolate(g, g->u[a], x, a) : 0;
    write_value(l, context, l->now.count + number, x, (fm_vec3){v[0], v[1], v[2]},
                l->band.volume / fm_liquid_find_core_points(l), -1);
}

// Writes a field of all particles, in the order of the particles, and then of the points of the
// core.
static bool read_field(fm_object *object, const fm_surroundings *around, const char *name,
                       double *values, fm_error *err)
{
    (void)around;
    const fm_liquid *l = liquid_of(object);
    const fm_liquid_particles *p = &l->now;
    int field = 0;
    while (field < FIELDS && strcmp(fields[field].name, name) != 0)
        field++;
    if (field == FIELDS)
        return fm_fail(err, FM_BAD_VALUE, object->name, "field", name,
                       "position, velocity, pressure, volume, id, radius, level or wall");
    reading job = {field, values};
    for (int i = 0; i < p->count; i++) {
        double x[3] = {p->x[0][i], p->x[1][i], p->x[2][i]};
        fm_vec3 v = {p->v[0][i], p->v[1][i], p->v[2][i]};
        write_value(l, &job, i, x, v, p->volume[i], p->id[i]);
    }
    fm_liquid_visit_core(l, read_core_point, &job);
    return true;
}

// Writes the position, m, of a point that stands for the liquid without particles.
static void place_core_point(const fm_liquid *l, const double x[3], int number, void *context)
{
    fm_vec3 *points = context;
    points[l->now.count + number] = fm_grid_position(l->grid, x[0], x[1], x[2]);
}

// The particles, and the points of the core, as points without faces. The points, m, are valid
// until the next call.
static bool view_mesh(fm_object *object, fm_mesh_view *view, fm_error *err)
{
    fm_liquid *l = liquid_of(object);
    const fm_liquid_particles *p = &l->now;
    int count = fm_liquid_particle_count(l), room = count > p->room ? count : p->room;
    if (l->points_room < room) {
        fm_vec3 *points = realloc(l->points, (size_t)room * sizeof *points);
        if (!points)
            return fm_fail_no_memory(err, object->name, (size_t)room * sizeof *points);
        l->points = points;
        l->points_room = room;
    }
    for (int i = 0; i < p->count; i++)
        l->points[i] = fm_grid_position(l->grid, p->x[0][i], p->x[1][i], p->x[2][i]);
    fm_liquid_visit_core(l, place_core_point, l->points);
    *view = (fm_mesh_view){.points = l->points, .point_count = count};
    return true;
}

// Frees the liquid.
static void destroy(fm_object *object)
{
    fm_liquid_destroy(liquid_of(object));
}

typedef struct liquid_header {
    char magic[8];
    int32_t version, count, next_id, sources, prepared;
    uint64_t grid_size;
    double next[FM_LIQUID_SOURCES_MAX];
} liquid_header;

static const char magic[8] = "fmliquid";

// The arrays of particles with the sizes of their elements. Returns their number.
static int list_arrays(const fm_liquid_particles *p, void *arrays[17], size_t sizes[17])
{
    int count = 0;
    for (int a = 0; a < 3; a++) {
        arrays[count] = p->x[a], sizes[count++] = sizeof(double);
        arrays[count] = p->v[a], sizes[count++] = sizeof(double);
    }
    for (int a = 0; a < 9; a++)
        arrays[count] = p->c[a], sizes[count++] = sizeof(float);
    arrays[count] = p->volume, sizes[count++] = sizeof(double);
    arrays[count] = p->id, sizes[count++] = sizeof(int);
    return count;
}

enum { PARTICLE_BYTES = 6 * 8 + 9 * 4 + 8 + 4 };

// Bytes of a saved liquid with `count` particles, without its band.
static size_t find_size(const fm_liquid *l, size_t grid_size, size_t count)
{
    size_t cells = (size_t)l->grid->n[0] * (size_t)l->grid->n[1] * (size_t)l->grid->n[2];
    return sizeof(liquid_header) + grid_size + cells * sizeof(double) + count * PARTICLE_BYTES;
}

// Writes the state; returns its size in bytes. Writes nothing if the buffer is NULL or too small.
static size_t save(const fm_object *object, void *buffer, size_t size)
{
    const fm_liquid *l = liquid_of(object);
    const fm_grid *g = l->grid;
    size_t grid_size = fm_grid_save(g, NULL, 0), count = (size_t)l->now.count, sizes[17];
    size_t need = find_size(l, grid_size, count) + fm_liquid_save_band(l, NULL);
    unsigned char *out = buffer;
    void *arrays[17];
    if (!buffer || size < need)
        return need;
    liquid_header h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, magic, sizeof magic);
    h.version = 2, h.count = l->now.count, h.next_id = l->next_id, h.sources = l->source_count;
    h.prepared = l->prepared, h.grid_size = grid_size;
    for (int i = 0; i < l->source_count; i++)
        h.next[i] = l->sources[i].next;
    memcpy(out, &h, sizeof h);
    out += sizeof h;
    out += fm_grid_save(g, out, grid_size);
    for (int k = 0; k < g->n[2]; k++)
        for (int j = 0; j < g->n[1]; j++, out += (size_t)g->n[0] * sizeof(double))
            memcpy(out, l->phi + fm_grid_index(g, 0, j, k), (size_t)g->n[0] * sizeof(double));
    for (int i = 0, arrays_count = list_arrays(&l->now, arrays, sizes); i < arrays_count; i++) {
        memcpy(out, arrays[i], count * sizes[i]);
        out += count * sizes[i];
    }
    fm_liquid_save_band(l, out);
    return need;
}

// Reads the bytes after the header.
static void read_state(fm_liquid *l, const liquid_header *h, const unsigned char *in)
{
    const fm_grid *g = l->grid;
    size_t sizes[17], count = (size_t)h->count;
    void *arrays[17];
    for (int k = 0; k < g->n[2]; k++)
        for (int j = 0; j < g->n[1]; j++, in += (size_t)g->n[0] * sizeof(double))
            memcpy(l->phi + fm_grid_index(g, 0, j, k), in, (size_t)g->n[0] * sizeof(double));
    fm_liquid_fill_phi(l, l->phi);
    for (int i = 0, arrays_count = list_arrays(&l->now, arrays, sizes); i < arrays_count; i++) {
        memcpy(arrays[i], in, count * sizes[i]);
        in += count * sizes[i];
    }
    l->now.count = h->count;
    l->next_id = h->next_id;
    for (int i = 0; i < l->source_count; i++)
        l->sources[i].next = h->next[i];
    l->prepared = h->prepared;
}

// Reads a saved state. Fails for bytes that are not from a liquid of this definition.
static bool restore(fm_object *object, const fm_surroundings *around, const void *buffer,
                    size_t size, fm_error *err)
{
    fm_liquid *l = liquid_of(object);
    fm_grid *g = l->grid;
    const unsigned char *in = buffer;
    liquid_header h;
    if (size < sizeof h)
        return fm_fail_number(err, object->name, "state size", (double)size, "what was saved");
    memcpy(&h, in, sizeof h);
    if (memcmp(h.magic, magic, sizeof magic) != 0 || h.version != 2 || h.count < 0 ||
        h.sources != l->source_count || h.grid_size > size ||
        size < find_size(l, h.grid_size, (size_t)h.count))
        return fm_fail_number(err, object->name, "state size", (double)size, "what was saved");
    size_t done = find_size(l, h.grid_size, (size_t)h.count);
    if (!fm_liquid_restore_band(l, in + done, size - done, err))
        return false;
    if (!fm_liquid_reserve(l, h.count, err) || !fm_grid_restore(g, in + sizeof h, h.grid_size, err))
        return false;
    read_state(l, &h, in + sizeof h + h.grid_size);
    g->solids.ready = false;
    if (!fm_grid_update_solids(g, around, g->time, err))
        return false;
    fm_liquid_compute_open_volume(l);
    if (l->prepared) {
        l->prepared = false;
        int wanted = l->def.capacity, room = l->now.count;
        if (wanted == 0 && l->source_count > 0)
            room = room > 25000 ? 4 * room : 100000;
        if (!fm_liquid_reserve(l, wanted > room ? wanted : room, err))
            return false;
        fm_liquid_prepare_band(l);
        fm_liquid_sort(l, NULL);
        l->prepared = true;
    }
    fm_liquid_fill_for_readers(l, fm_add(around->gravity, l->def.grid.acceleration), around->pool);
    return true;
}

static const fm_medium_type medium = {
    .advance = advance,
    .longest_step = longest_step,
    .properties = find_properties,
    .resolution = find_resolution,
    .check_coupling = check_coupling,
    .permeates = true,
    .takes_drag = true,
    .attach = attach,
    .walls = find_walls,
    .probe_fields = "velocity pressure",
    .probe = probe,
};

const fm_object_type fm_liquid_type = {
    .kind = "liquid",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .needed_fields = "velocity id radius level wall",
    .usual_fields = "pressure",
    .quantities = quantities,
    .quantity_count = sizeof quantities / sizeof *quantities,
    .medium = &medium,
    .destroy = destroy,
    .save = save,
    .restore = restore,
    .mesh = view_mesh,
    .read = read_field,
    .measure = measure,
};

// Creates a liquid in a world. NULL, with err filled, on failure.
fm_liquid *fm_liquid_create(fm_world *world, const fm_liquid_def *def, fm_error *err)
{
    if (!fm_world_is_ready(world, err))
        return NULL;
    fm_liquid *l = fm_liquid_create_detached(def, err);
    if (!l)
        return NULL;
    l->object.type = &fm_liquid_type;
    l->grid->time = fm_world_time(world);
    return (fm_liquid *)fm_world_add_object(world, &l->object, err);
}

// Number of particles now, and of the points that stand for the liquid without.
int fm_liquid_particle_count(const fm_liquid *liquid)
{
    return liquid->now.count + fm_liquid_find_core_points(liquid);
}

// Volume inside the surface and of loose particles, m^3.
double fm_liquid_volume(fm_liquid *liquid)
{
    fm_liquid_volumes v = fm_liquid_find_volumes(liquid, NULL);
    return v.surface + v.loose;
}

// Volume of loose particles, m^3.
double fm_liquid_loose_volume(fm_liquid *liquid)
{
    return fm_liquid_find_volumes(liquid, NULL).loose;
}

// Length, m, of the part of the vertical line through (x, z) that is inside the liquid.
double fm_liquid_depth(const fm_liquid *l, double x, double z)
{
    const fm_grid *g = l->grid;
    double at[3] = {(x - g->def.low.x) / g->h, 0, g->active[2] ? (z - g->def.low.z) / g->h : 0.5};
    double depth = 0, below = 0;
    for (int j = 0; j < g->n[1]; j++) {
        at[1] = j + 0.5;
        double phi = fm_liquid_interpolate(g, l->phi, at, 3);
        if (j == 0)
            depth = phi < 0 ? 0.5 : 0;
        else if (below < 0 && phi < 0)
            depth += 1;
        else if (below < 0 || phi < 0)
            depth += fm_double_min(below, phi) / -fabs(below - phi);
        below = phi;
    }
    if (below < 0)
        depth += 0.5; // from the last centre to the top of the grid
    return depth * g->h;
}

// The object of a liquid; NULL for NULL.
fm_object *fm_liquid_object(fm_liquid *liquid)
{
    return liquid ? &liquid->object : NULL;
}

// The liquid that is this object; NULL for objects of other kinds.
fm_liquid *fm_object_liquid(fm_object *object)
{
    return object && object->type == &fm_liquid_type ? (fm_liquid *)object : NULL;
}

// The definition with which the liquid was created.
fm_liquid_def fm_liquid_definition(const fm_liquid *liquid)
{
    return liquid->def;
}

// Name of a stage of the substep.
const char *fm_liquid_stage_name(fm_liquid_stage stage)
{
    static const char *const names[FM_LIQUID_STAGE_COUNT] = {
        "sort", "transfer", "solids", "viscosity", "pressure", "extend", "surface"};
    return names[stage];
}

// The counts and times so far.
fm_liquid_stats fm_liquid_read_stats(const fm_liquid *liquid)
{
    return liquid->stats;
}
