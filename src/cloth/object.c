// SPDX-License-Identifier: MIT
// object.c: the object type `cloth`, and what all kinds that are made of cloth share: measures,
// mesh, fields, snapshots, and their creation in a world. The types of soft bodies, lines and loads
// are in soft_object.c and line_object.c, their role as bodies in body.c. fm_object_type
// (object/object.h) documents the entries.
#include "cloth/added_mass.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Measures, mesh and fields.

static const fm_field quantities[] = {
    {"area", "m^2", "total area of the triangles", 1},
    {"kinetic_energy", "J", "including that of the added mass", 1},
    {"potential_energy", "J", "of springs, bending, weight and buoyancy", 1},
    {"max_stretch", "", "l/l0 - 1 of the longest stretch edge", 1},
    {"min_stretch", "", "l/l0 - 1 of the shortest stretch edge", 1},
    {"contact_count", "", "number of particles in contact", 1},
    {"eigenfrequency_bound", "rad/s", "bound on the frequencies, which the substep follows from",
     1},
    {"gershgorin_bound", "rad/s", "the same with Gershgorin's bound for the springs", 1},
    {"load_x", "N", "force of a two-way fluid along x, mean since the last row", 1},
    {"load_y", "N", "the same along y", 1},
    {"load_z", "N", "the same along z", 1},
    {"newton_iterations", "", "of the implicit integrators since the last row", 1},
    {"newton_failures", "", "solves among them that did not converge", 1},
    {"linear_iterations", "", "of the linear solver since the last row", 1},
    {"newton_retries", "", "solves that did not converge and were replaced by shorter ones", 1},
};

// kg m/s, momentum of the particles, and what fluid and cloth have still to give each other.
static fm_vec3 find_momentum(const fm_cloth *c)
{
    fm_vec3 sum = {0};
    for (int i = 0; i < c->count; i++)
        sum = fm_add_scaled(sum, fm_vec3_array_at(c->v, i), c->mass[i]);
    return c->samples ? fm_add(sum, fm_cloth_samples_pending(c->samples)) : sum;
}

// N, mean force of a two-way fluid since the last reset.
fm_vec3 fm_cloth_find_load(const fm_cloth *c)
{
    const fm_cloth_samples *s = c->samples;
    return s && c->time > s->since ? fm_scale(s->received, 1 / (c->time - s->since)) : (fm_vec3){0};
}

// Fills the report *m of the cloth now, and the values q of `quantities`, in the same order; q
// NULL: only the report.
void fm_cloth_object_measure(fm_object *object, const fm_surroundings *around, fm_measure *m,
                             double *q)
{
    fm_cloth *c = fm_cloth_cast(object);
    fm_cloth_measure now = fm_cloth_measure_now(c, around);
    *m = (fm_measure){
        .kinetic_energy = now.kinetic_energy,
        .potential_energy = now.potential_energy,
        .bad_point = now.first_bad,
        .momentum = find_momentum(c),
        .has_stretch = true,
        .max_stretch = now.stretch.max,
        .min_stretch = now.stretch.min,
        .mean_stretch = now.stretch.mean,
        .mean_strain = now.stretch.mean_strain,
        .damping_share = c->damping_share,
        .stiffness_share = c->least_stiffness_share,
    };
    if (c->enforcer) {
        m->enforce_ms = c->enforcer->enforce_ms;
        m->order_ms = c->enforcer->order_ms;
    }
    for (int i = 0; i < c->count; i++) {
        m->contact_count += c->touch[i];
        m->repelled_count += c->repelled && c->repelled[i] > 0;
    }
    m->pierced_count = fm_cloth_find_piercings(c).count;
    if (!q)
        return;
    fm_error ignored = {0}; // if memory for the triangles runs out, the area is 0
    q[0] = fm_cloth_area(c, &ignored);
    q[1] = now.kinetic_energy, q[2] = now.potential_energy;
    q[3] = now.stretch.max, q[4] = now.stretch.min;
    q[5] = m->contact_count;
    q[6] = c->frequency_bound, q[7] = c->gershgorin_bound;
    fm_vec3 load = fm_cloth_find_load(c);
    q[8] = load.x, q[9] = load.y, q[10] = load.z;
    fm_newton_report newton = fm_cloth_newton_report(c);
    q[11] = newton.iterations, q[12] = newton.failures, q[13] = newton.linear_iterations;
    q[14] = newton.retries;
}

// Resets the numbers that are collected during an advance.
void fm_cloth_object_reset(fm_object *object)
{
    fm_cloth *c = fm_cloth_cast(object);
    c->damping_share = c->least_stiffness_share = 1;
    if (c->samples) {
        c->samples->received = (fm_vec3){0};
        c->samples->since = c->time;
    }
    if (c->enforcer)
        c->enforcer->enforce_ms = c->enforcer->order_ms = 0;
    fm_implicit_reset(c);
}

// Creates the texture coordinates of a sheet or tube with these faces: u from 0 in the first column
// to 1 in the last, or to 1 once around a tube; v from 1 in row 0 to 0 in the last. False if memory
// runs out.
static bool create_grid_uv(fm_cloth *c, const int *corner, int faces, int corners, fm_error *err)
{
    bool tube = c->kind == FM_CLOTH_TUBE;
    int columns = c->columns, last = tube ? columns : columns - 1;
    size_t count = 2 * (size_t)faces * (size_t)corners;
    float *uv = fm_arena_alloc(&c->arena, count + 1, sizeof *uv, c->object.name, err);
    for (int i = 0; uv && i < faces * corners; i++) {
        const int *face = corner + i / corners * corners;
        int column = corner[i] % columns;
        bool closes = false; // the face joins the last column of a tube to the first
        for (int k = 0; k < corners && tube && column == 0; k++)
            closes |= face[k] % columns == columns - 1;
        uv[2 * i] = (float)(closes ? last : column) / (float)last;
        uv[2 * i + 1] = 1 - (float)(corner[i] / columns) / (float)(c->rows - 1);
    }
    c->corner_uv = uv;
    return uv != NULL;
}

// Creates the quadrilaterals of a sheet for files and pictures. False if memory runs out.
static bool create_quads(fm_cloth *c, fm_error *err)
{
    size_t n = (size_t)(c->columns - 1) * (size_t)(c->rows - 1);
    c->face_points = fm_arena_alloc(&c->arena, 4 * n + 1, sizeof(int), c->object.name, err);
    c->face_start = fm_arena_alloc(&c->arena, n + 1, sizeof(int), c->object.name, err);
    if (!c->face_start || !c->face_points)
        return false;
    fm_grid_write_quads(c->columns, c->rows, c->face_start, c->face_points);
    return create_grid_uv(c, c->face_points, (int)n, 4, err);
}

// Views the cloth as a mesh for files and pictures: input vertices at their present positions, and
// the quadrilaterals of a sheet or the triangles of a tube or mesh.
bool fm_cloth_object_view_mesh(fm_object *object, fm_mesh_view *view, fm_error *err)
{
    fm_cloth *c = fm_cloth_cast(object);
    int count;
    const int *vertices = fm_cloth_vertices(c, &count);
    *view = (fm_mesh_view){.point_count = count};
    if (!c->vertices)
        c->vertices =
            fm_arena_alloc(&c->arena, (size_t)count, sizeof *c->vertices, object->name, err);
    if (!c->vertices)
        return false;
    for (int i = 0; i < count; i++) {
        int k = vertices ? vertices[i] : i;
        c->vertices[i] = (fm_vec3){c->x.x[k], c->x.y[k], c->x.z[k]};
    }
    view->points = c->vertices;
    if (c->line) {
        view->lines = c->line->edge;
        view->line_count = c->mesh.edge_count;
        return true;
    }
    if (c->kind != FM_CLOTH_SHEET) {
        view->face_points = fm_cloth_faces(c, &view->face_count, err);
        if (c->kind == FM_CLOTH_TUBE && !c->corner_uv && view->face_points &&
            !create_grid_uv(c, view->face_points, view->face_count, 3, err))
            return false;
        view->corner_uv = c->corner_uv;
        return view->face_points != NULL;
    }
    if (!c->corner_uv && !create_quads(c, err))
        return false;
    view->corner_uv = c->corner_uv;
    view->face_count = (c->columns - 1) * (c->rows - 1);
    view->face_start = c->face_start;
    view->face_points = c->face_points;
    return true;
}

// The vertex group of that name; NULL: none.
const int *fm_cloth_object_find_group(const fm_object *object, const char *name, int *count)
{
    return fm_cloth_group(fm_cloth_cast(object), name, count);
}

// Number of components of the field of that name.
static int count_components(const fm_object_type *type, const char *name)
{
    for (int i = 0; i < type->field_count; i++)
        if (strcmp(type->fields[i].name, name) == 0)
            return type->fields[i].components;
    return 0;
}

// Expands a field from values per particle to values per input vertex, in place. It goes from the
// last vertex to the first, because the particle of a vertex never has a higher index than the
// vertex.
void fm_cloth_copy_to_vertices(const fm_cloth *c, const char *field, double *values)
{
    int count;
    const int *vertices = fm_cloth_vertices(c, &count);
    size_t components = (size_t)count_components(c->object.type, field);
    for (int i = count - 1; i >= 0 && vertices; i--)
        memmove(values + components * (size_t)i, values + components * (size_t)vertices[i],
                components * sizeof *values);
}

// Writes the field of that name at all input vertices.
static bool read_field(fm_object *object, const fm_surroundings *around, const char *name,
                       double *values, fm_error *err)
{
    if (!fm_cloth_read_values(fm_cloth_cast(object), around, name, values, err))
        return false;
    fm_cloth_copy_to_vertices(fm_cloth_cast(object), name, values);
    return true;
}

// Destruction, snapshots and forecasts.

void fm_cloth_object_destroy(fm_object *object)
{
    fm_cloth_destroy(fm_cloth_cast(object));
}

size_t fm_cloth_object_save(const fm_object *object, void *buffer, size_t size)
{
    return fm_cloth_save(fm_cloth_cast(object), buffer, size);
}

uint64_t fm_cloth_object_hash(const fm_object *object, uint64_t seed)
{
    return fm_cloth_hash(fm_cloth_cast(object), seed);
}

bool fm_cloth_object_restore(fm_object *object, const fm_surroundings *around, const void *buffer,
                             size_t size, fm_error *err)
{
    return fm_cloth_restore(fm_cloth_cast(object), &around->medium, buffer, size, err);
}

// Predicts the number of substeps in `duration` seconds. If it is too large, writes the reason and
// what to change: the time step of the definition, or the stiffness and the particle mass.
void fm_cloth_object_forecast(fm_object *object, const fm_surroundings *around, double duration,
                              fm_forecast *f, fm_error *err)
{
    (void)around;
    (void)err;
    const fm_cloth *c = fm_cloth_cast(object);
    double count = ceil(duration / c->stable_step);
    if (!fm_forecast_raise_substeps(f, count))
        return;
    if (c->def.time_step > 0 && c->stable_step >= c->def.time_step) {
        snprintf(f->text, sizeof f->text,
                 "%s: %.3g substeps, for its time_step is %.3g s. Give a longer one, or 0, which "
                 "chooses it",
                 object->name, count, c->stable_step);
        return;
    }
    double lightest = INFINITY;
    for (int i = 0; i < c->count; i++)
        lightest = fmin(lightest, c->mass[i]);
    snprintf(f->text, sizeof f->text,
             "%s: %.3g substeps of %.3g s, for its stretch stiffness is %.3g N/m and its lightest "
             "of %d particles has %.3g kg. Fewer particles, a larger sheet, a smaller "
             "stretch.stiffness, shear or bend, more density or thickness, or enforcement help",
             object->name, count, c->stable_step, c->def.stretch.stiffness, c->count, lightest);
}

const fm_object_type fm_cloth_type = {
    .kind = "cloth",
    .fields = fm_cloth_field_list,
    .field_count = FM_CLOTH_FIELD_COUNT,
    .needed_fields = "",
    .usual_fields = "velocity stretch",
    .quantities = quantities,
    .quantity_count = sizeof quantities / sizeof *quantities,
    .body = &fm_cloth_body,
    .destroy = fm_cloth_object_destroy,
    .save = fm_cloth_object_save,
    .hash = fm_cloth_object_hash,
    .restore = fm_cloth_object_restore,
    .reset = fm_cloth_object_reset,
    .forecast = fm_cloth_object_forecast,
    .mesh = fm_cloth_object_view_mesh,
    .point_group = fm_cloth_object_find_group,
    .read = read_field,
    .measure = fm_cloth_object_measure,
};

// Public functions.

// Adds a new cloth to a world, which owns it from then on. Passes on NULL.
static fm_cloth *add_to_world(fm_world *world, fm_cloth *cloth, fm_error *err)
{
    if (!cloth)
        return NULL;
    cloth->object.type = cloth->soft            ? &fm_soft_type
                         : !cloth->line         ? &fm_cloth_type
                         : cloth->line->is_load ? &fm_load_type
                                                : &fm_line_type;
    cloth->time = fm_world_time(world);
    cloth->damping_share = cloth->least_stiffness_share = 1;
    return (fm_cloth *)fm_world_add_object(world, &cloth->object, err);
}

// Creates a sheet in a world; NULL with err filled on failure.
fm_cloth *fm_cloth_create_sheet(fm_world *world, const fm_cloth_def *def, const fm_sheet *sheet,
                                fm_error *err)
{
    return fm_world_is_ready(world, err)
               ? add_to_world(
                     world, fm_cloth_create_detached_sheet(def, sheet, fm_world_medium(world), err),
                     err)
               : NULL;
}

// Creates a tube in a world; NULL with err filled on failure.
fm_cloth *fm_cloth_create_tube(fm_world *world, const fm_cloth_def *def, const fm_tube *tube,
                               fm_error *err)
{
    return fm_world_is_ready(world, err)
               ? add_to_world(world,
                              fm_cloth_create_detached_tube(def, tube, fm_world_medium(world), err),
                              err)
               : NULL;
}

// Creates a cloth from a triangle mesh in a world; NULL with err filled on failure.
fm_cloth *fm_cloth_create_mesh(fm_world *world, const fm_cloth_def *def, const fm_cloth_mesh *mesh,
                               fm_error *err)
{
    return fm_world_is_ready(world, err)
               ? add_to_world(world,
                              fm_cloth_create_detached_mesh(def, NULL, NULL, mesh,
                                                            fm_world_medium(world), err),
                              err)
               : NULL;
}

fm_cloth *fm_cloth_create_fabric(fm_world *world, const fm_cloth_def *def,
                                 const fm_fabric_def *fabric, const fm_cloth_mesh *mesh,
                                 fm_error *err)
{
    assert(fabric);
    return fm_world_is_ready(world, err)
               ? add_to_world(world,
                              fm_cloth_create_detached_mesh(def, fabric, NULL, mesh,
                                                            fm_world_medium(world), err),
                              err)
               : NULL;
}

fm_cloth *fm_cloth_create_soft(fm_world *world, const fm_cloth_def *def, const fm_soft_def *soft,
                               const fm_cloth_mesh *mesh, fm_error *err)
{
    assert(soft);
    return fm_world_is_ready(world, err)
               ? add_to_world(world,
                              fm_cloth_create_detached_mesh(def, NULL, soft, mesh,
                                                            fm_world_medium(world), err),
                              err)
               : NULL;
}

// Creates lines in the world.
fm_cloth *fm_line_create(fm_world *world, const fm_line_def *def, const fm_strands *strands,
                         fm_error *err)
{
    return fm_world_is_ready(world, err)
               ? add_to_world(
                     world, fm_line_create_detached(def, strands, fm_world_medium(world), err), err)
               : NULL;
}

// Creates a load, a point mass, in the world.
fm_cloth *fm_load_create(fm_world *world, const fm_load_def *def, fm_error *err)
{
    return fm_world_is_ready(world, err)
               ? add_to_world(world, fm_load_create_detached(def, fm_world_medium(world), err), err)
               : NULL;
}

// Writes the field of that name at all particles; fm_object_read_field writes it at vertices.
bool fm_cloth_read_field(fm_cloth *cloth, const char *name, double *values, fm_error *err)
{
    assert(err->status != FM_OK || cloth);
    if (err->status != FM_OK) // after an earlier error the cloth may be NULL
        return false;
    fm_surroundings around = fm_object_surroundings(&cloth->object);
    return cloth->line   ? fm_line_read_values(cloth, &around, name, values, err)
           : cloth->soft ? fm_soft_read_values(cloth, &around, name, values, err)
                         : fm_cloth_read_values(cloth, &around, name, values, err);
}

int fm_world_cloth_count(const fm_world *world)
{
    return fm_world_type_count(world, &fm_cloth_type);
}

fm_cloth *fm_world_cloth(fm_world *world, int index)
{
    return (fm_cloth *)fm_world_object_of_type(world, &fm_cloth_type, index);
}

fm_object *fm_cloth_object(fm_cloth *cloth)
{
    return cloth ? &cloth->object : NULL;
}

fm_cloth *fm_object_cloth(fm_object *object)
{
    bool cloth = object && (object->type == &fm_cloth_type || object->type == &fm_line_type ||
                            object->type == &fm_load_type || object->type == &fm_soft_type);
    return cloth ? (fm_cloth *)object : NULL;
}
