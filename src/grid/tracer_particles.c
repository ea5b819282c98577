// SPDX-License-Identifier: MIT
// tracer_particles.c: passive tracer particles, called marks, in a grid fluid, for pictures and
// streaklines.
//
// Sources (faces of an inflow or open side through which fluid enters) add marks at random points
// of the face. With D marks per cell at the start, a face of area h^2 adds
//
//     D u h^2 T / h^3
//
// marks every T seconds, u the speed of the fluid that enters: as dense as at the start. The number
// is rounded up or down at random. Sinks (faces through which fluid leaves) remove the marks that
// reach them. This is [SJ] 4.1.
//
// Like the dye, the marks belong to the middle of the last substep and move from there to the
// middle of the next one in the velocity between the two, by the midpoint rule.
//
//   D  density, marks per cell    h  spacing, m    T  period, s
//
// [SJ] Samson, Jensen: Cloth dynamics affected by fluid.
#include "grid/grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARK_BLOCK = 512 }; // marks of a task

struct fm_marks {
    fm_object object; // NAME-marks in the world of the grid
    fm_grid *grid;
    // State.
    fm_vec3 *x;    // m
    double *birth; // s, time at which the mark was added
    int count;
    fm_rng rng;
    double next;  // s, time at which sources add marks again
    bool started; // the marks of the start have been added
};

// Checks the marks of a definition.
bool fm_grid_check_marks(const fm_grid_def *def, fm_error *err)
{
    const fm_grid_marks *m = &def->marks;
    if (!(m->density >= 0 && m->density <= 1e3))
        return fm_fail_number(err, def->name, "marks.density", m->density, "0 to 1e3 per cell");
    if (!(m->period >= 0 && isfinite(m->period)))
        return fm_fail_number(err, def->name, "marks.period", m->period, "0 s or more");
    if (m->density > 0 && (m->most < 1 || m->most > 100000000))
        return fm_fail_number(err, def->name, "marks.most", m->most, "1 to 1e8");
    return true;
}

// Whether a point is inside a collider.
bool fm_grid_is_in_collider(const fm_surroundings *around, fm_vec3 at)
{
    for (int i = 0; i < around->collider_count; i++)
        if (!fm_placed_is_far(&around->placed[i], at, 0) &&
            fm_placed_find_closest(&around->placed[i], at).distance < 0)
            return true;
    return false;
}

// Adds a mark at a point, m, at time t, s, unless the point is in a collider or the list is full.
static void add_mark(fm_marks *m, const fm_surroundings *around, fm_vec3 at, double t)
{
    if (m->count == m->grid->def.marks.most || fm_grid_is_in_collider(around, at))
        return;
    m->x[m->count] = at;
    m->birth[m->count++] = t;
}

// A whole number with the mean `expected`.
static int draw_count(fm_rng *rng, double expected)
{
    return (int)floor(expected + fm_rng_uniform(rng));
}

// Adds marks at random points of the cells from `first` to before `last`.
static void fill_cells(fm_marks *m, const fm_surroundings *around, const int first[3],
                       const int last[3])
{
    const fm_grid *g = m->grid;
    for (int k = first[2]; k < last[2]; k++)
        for (int j = first[1]; j < last[1]; j++)
            for (int i = first[0]; i < last[0]; i++)
                for (int left = draw_count(&m->rng, g->def.marks.density); left > 0; left--) {
                    double x = i + fm_rng_uniform(&m->rng), y = j + fm_rng_uniform(&m->rng);
                    double z = k + fm_rng_uniform(&m->rng);
                    add_mark(m, around, fm_grid_position(g, x, y, z), g->time);
                }
}

// Adds marks to the cells that the box reached by moving by some cells along each axis.
void fm_marks_fill_new_cells(fm_marks *m, const fm_surroundings *around, const int by[3])
{
    int first[3] = {0}, last[3] = {m->grid->n[0], m->grid->n[1], m->grid->n[2]};
    if (!m->grid->def.marks.everywhere)
        return;
    for (int a = 0; a < 3; a++) { // the new cells along each axis are filled only once
        int low = first[a], high = last[a];
        int kept = by[a] > 0 ? high - by[a] : low - by[a]; // where the old cells end or begin
        kept = kept < low ? low : kept > high ? high : kept;
        if (by[a] == 0)
            continue;
        *(by[a] > 0 ? &first[a] : &last[a]) = kept;
        fill_cells(m, around, first, last);
        first[a] = by[a] > 0 ? low : kept;
        last[a] = by[a] > 0 ? kept : high;
    }
}

// If the definition asks for marks everywhere, fills the fluid with marks at random points of its
// cells.
void fm_marks_start(fm_marks *m, const fm_surroundings *around)
{
    const fm_grid *g = m->grid;
    if (m->started)
        return;
    m->started = true;
    m->next = g->time;
    if (g->def.marks.everywhere)
        fill_cells(m, around, (int[3]){0, 0, 0}, g->n);
}

// Adds the marks of one source face of cell `at`, for a span of time in which `speed` enters.
static void seed_face(fm_marks *m, const fm_surroundings *around, int side, const int at[3],
                      double speed, double span)
{
    const fm_grid *g = m->grid;
    int axis = side / 2, count = draw_count(&m->rng, g->def.marks.density * speed * span / g->h);
    for (int left = count; left > 0; left--) {
        double x[3];
        for (int a = 0; a < 3; a++)
            x[a] = at[a] + fm_rng_uniform(&m->rng);
        // a mark enters at a random time of the span and then travels with the fluid
        double travelled = // in spacings
            fm_rng_uniform(&m->rng) * fm_double_min(1, speed * span / g->h);
        x[axis] = side % 2 ? g->n[axis] - travelled : travelled;
        add_mark(m, around, fm_grid_position(g, x[0], x[1], x[2]), g->time);
    }
}

// Adds the marks that flow in through all source faces in `span` seconds.
static void seed_sources(fm_marks *m, const fm_surroundings *around, double span)
{
    const fm_grid *g = m->grid;
    for (int side = 0; side < FM_SIDE_COUNT; side++) {
        int axis = side / 2, b = (axis + 1) % 3, c = (axis + 2) % 3, at[3] = {0};
        if (!g->active[axis] || g->def.sides[side].kind == FM_GRID_PERIODIC)
            continue;
        at[axis] = side % 2 ? g->n[axis] - 1 : 0;
        for (at[c] = 0; at[c] < g->n[c]; at[c]++)
            for (at[b] = 0; at[b] < g->n[b]; at[b]++) {
                fm_grid_side_kind kind = fm_grid_find_condition(g, side, at)->kind;
                if (kind != FM_GRID_INFLOW && (kind != FM_GRID_OPEN || !g->def.marks.everywhere))
                    continue;
                ptrdiff_t q =
                    fm_grid_index(g, at[0], at[1], at[2]) + (side % 2 ? g->stride[axis] : 0);
                double speed = (side % 2 ? -1 : 1) * g->u[axis][q];
                if (speed > 0)
                    seed_face(m, around, side, at, speed, span);
            }
    }
}

// A step of dt seconds of all marks, which threads move in blocks.
typedef struct moving {
    fm_marks *m;
    const fm_surroundings *around;
    double dt;
} moving;

// Moves marks by the midpoint rule and puts those that enter a collider back on its surface.
static void move_block(void *context, int first, int last)
{
    const moving *job = context;
    const fm_grid *g = job->m->grid;
    for (int i = first; i < last; i++) {
        fm_vec3 *x = &job->m->x[i], start = fm_grid_velocity_at(g, *x), no_velocity = {0};
        fm_vec3 middle = fm_add_scaled(*x, start, 0.5 * job->dt);
        *x = fm_add_scaled(*x, fm_grid_velocity_at(g, middle), job->dt);
        if (job->around->collider_count > 0)
            fm_collide_particle(job->around->placed, job->around->collider_count, 0, x,
                                &no_velocity, NULL);
    }
}

// Wraps a mark around periodic axes and keeps it inside walls. False: it has left the fluid.
static bool keep_inside(const fm_grid *g, fm_vec3 *position)
{
    double x[3] = {position->x - g->def.low.x, position->y - g->def.low.y,
                   position->z - g->def.low.z};
    for (int a = 0; a < 3; a++) {
        double end = g->n[a] * g->h;
        if (!g->active[a]) {
            x[a] = 0.5 * g->h;
            continue;
        }
        if (g->def.sides[2 * a].kind == FM_GRID_PERIODIC) {
            x[a] -= end * floor(x[a] / end);
            continue;
        }
        if (x[a] >= 0 && x[a] <= end)
            continue;
        int at[3];
        for (int b = 0; b < 3; b++)
            at[b] = (int)floor(x[b] / g->h);
        fm_grid_side_kind kind = fm_grid_find_condition(g, 2 * a + (x[a] > 0), at)->kind;
        if (kind == FM_GRID_INFLOW || kind == FM_GRID_OPEN)
            return false;
        x[a] = x[a] > 0 ? end : 0;
    }
    *position = fm_add(g->def.low, (fm_vec3){x[0], x[1], x[2]});
    return true;
}

// Moves all marks, removes those that left through sinks, and adds those of sources.
void fm_marks_move(fm_marks *m, const fm_surroundings *around, double dt)
{
    const fm_grid *g = m->grid;
    int kept = 0;
    fm_parallel_for(fm_grid_share(around->pool, 200.0 * m->count), m->count, MARK_BLOCK, move_block,
                    &(moving){m, around, dt});
    for (int i = 0; i < m->count; i++)
        if (keep_inside(g, &m->x[i])) {
            m->x[kept] = m->x[i];
            m->birth[kept++] = m->birth[i];
        }
    m->count = kept;
    double period = g->def.marks.period;
    if (period <= 0)
        seed_sources(m, around, dt);
    for (; period > 0 && m->next <= g->time; m->next += period)
        seed_sources(m, around, period);
}

// The object type: what worlds, file writers and pictures need of marks.

static fm_marks *marks_of(const fm_object *object)
{
    return (fm_marks *)object;
}

static bool advance(fm_object *object, const fm_surroundings *around, double interval,
                    int *substeps, fm_error *err)
{
    (void)object, (void)around, (void)interval, (void)substeps; // the grid moves its marks
    return err->status == FM_OK;
}

static double longest_step(fm_object *object, const fm_surroundings *around, fm_error *err)
{
    (void)object, (void)around, (void)err;
    return INFINITY;
}

static fm_medium find_properties(const fm_object *object)
{
    const fm_grid_def *def = &marks_of(object)->grid->def;
    return (fm_medium){.density = def->density, .viscosity = def->viscosity};
}

static double find_resolution(const fm_object *object)
{
    return marks_of(object)->grid->h;
}

static const fm_field fields[] = {
    {"position", "m", "position of the mark", 3},
    {"velocity", "m/s", "velocity of the fluid there", 3},
    {"age", "s", "time since the mark was added", 1},
    {"radius", "m", "size in pictures", 1},
};

static const fm_field quantities[] = {{"mark_count", "", "number of marks", 1}};

// Reads a field of all marks.
static bool read(fm_object *object, const fm_surroundings *around, const char *name, double *values,
                 fm_error *err)
{
    (void)around;
    const fm_marks *m = marks_of(object);
    const fm_grid *g = m->grid;
    for (int i = 0; i < m->count; i++) {
        bool vector = strcmp(name, "position") == 0 || strcmp(name, "velocity") == 0;
        fm_vec3 v = strcmp(name, "velocity") == 0 ? fm_grid_velocity_at(g, m->x[i]) : m->x[i];
        if (vector)
            values[3 * i] = v.x, values[3 * i + 1] = v.y, values[3 * i + 2] = v.z;
        else if (strcmp(name, "age") == 0)
            values[i] = g->time - m->birth[i];
        else if (strcmp(name, "radius") == 0)
            values[i] = 0.1 * g->h;
        else
            return fm_fail(err, FM_BAD_VALUE, object->name, "field", name,
                           "position, velocity, age or radius");
    }
    return true;
}

static bool view_mesh(fm_object *object, fm_mesh_view *view, fm_error *err)
{
    (void)err;
    *view = (fm_mesh_view){.points = marks_of(object)->x, .point_count = marks_of(object)->count};
    return true;
}

static void measure(fm_object *object, const fm_surroundings *around, fm_measure *measure,
                    double *q)
{
    (void)around;
    const fm_marks *m = marks_of(object);
    *measure = (fm_measure){.bad_point = -1, .damping_share = 1, .stiffness_share = 1};
    for (int i = 0; i < m->count && measure->bad_point < 0; i++)
        if (!fm_is_finite(m->x[i]))
            measure->bad_point = i;
    if (q)
        q[0] = m->count;
}

static void destroy(fm_object *object)
{
    fm_marks *m = marks_of(object);
    free(m->x);
    free(m->birth);
    free(m);
}

// The state: header | positions | times of birth.
typedef struct marks_header {
    char magic[8];
    int32_t count, started;
    uint64_t rng;
    double next;
} marks_header;

static const char magic[8] = "fmmarks ";

static size_t save(const fm_object *object, void *buffer, size_t size)
{
    const fm_marks *m = marks_of(object);
    size_t count = (size_t)m->count, points = count * sizeof *m->x, times = count * sizeof(double);
    marks_header h = {
        .count = m->count, .started = m->started, .rng = m->rng.state, .next = m->next};
    unsigned char *out = buffer;
    memcpy(h.magic, magic, sizeof magic);
    if (!buffer || size < sizeof h + points + times)
        return sizeof h + points + times;
    memcpy(out, &h, sizeof h);
    memcpy(out + sizeof h, m->x, points);
    memcpy(out + sizeof h + points, m->birth, times);
    return sizeof h + points + times;
}

static bool restore(fm_object *object, const fm_surroundings *around, const void *buffer,
                    size_t size, fm_error *err)
{
    (void)around;
    fm_marks *m = marks_of(object);
    const unsigned char *in = buffer;
    marks_header h;
    if (size < sizeof h)
        return fm_fail_number(err, object->name, "state size", (double)size, "what was saved");
    memcpy(&h, in, sizeof h);
    if (memcmp(h.magic, magic, sizeof magic) != 0 || h.count < 0 ||
        h.count > m->grid->def.marks.most || !isfinite(h.next) ||
        size != sizeof h + (size_t)h.count * (sizeof *m->x + sizeof(double)))
        return fm_fail_number(err, object->name, "state size", (double)size, "what was saved");
    m->count = h.count;
    m->started = h.started;
    m->rng.state = h.rng;
    m->next = h.next;
    memcpy(m->x, in + sizeof h, (size_t)m->count * sizeof *m->x);
    memcpy(m->birth, in + sizeof h + (size_t)m->count * sizeof *m->x,
           (size_t)m->count * sizeof(double));
    return true;
}

static const fm_medium_type medium = {
    .advance = advance,
    .longest_step = longest_step,
    .properties = find_properties,
    .resolution = find_resolution,
};

const fm_object_type fm_marks_type = {
    .kind = "marks",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .needed_fields = "velocity radius",
    .usual_fields = "age",
    .quantities = quantities,
    .quantity_count = sizeof quantities / sizeof *quantities,
    .medium = &medium,
    .destroy = destroy,
    .save = save,
    .restore = restore,
    .mesh = view_mesh,
    .read = read,
    .measure = measure,
};

// Creates the marks of a fluid as an object of its world.
fm_marks *fm_marks_create(fm_world *world, fm_grid *g, fm_error *err)
{
    size_t most = (size_t)g->def.marks.most;
    fm_marks *m = calloc(1, sizeof *m);
    if (m) {
        m->x = malloc(most * sizeof *m->x);
        m->birth = malloc(most * sizeof *m->birth);
    }
    if (!m || !m->x || !m->birth) {
        fm_fail_no_memory(err, g->object.name, most * (sizeof *m->x + sizeof *m->birth));
        if (m)
            destroy(&m->object);
        return NULL;
    }
    m->object.type = &fm_marks_type;
    snprintf(m->object.name, sizeof m->object.name, "%.40s-marks", g->object.name);
    m->grid = g;
    m->rng.state = (uint64_t)g->def.marks.seed;
    return (fm_marks *)fm_world_add_object(world, &m->object, err);
}

int fm_grid_mark_count(const fm_grid *grid)
{
    return grid->marks ? grid->marks->count : 0;
}
