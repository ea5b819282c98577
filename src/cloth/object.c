// SPDX-License-Identifier: MIT
// object.c: the object type `cloth`: the interface through which the world, contact, fluids, files
// and pictures use a cloth. The static functions are entries of the tables fm_body_type and
// fm_object_type (object/object.h), which document them.
#include "cloth/added_mass.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static fm_cloth *cast_to_cloth(const fm_object *object)
{
    return (fm_cloth *)object;
}

// Time stepping.

// Updates the smallest shares of damping and stiffness that acted in this advance, for the report.
static void update_least_shares(fm_cloth *c)
{
    c->damping_share = fmin(c->damping_share, fm_cloth_damping_share(c));
    c->damping_share = fmin(c->damping_share, fm_cloth_bend_damping_share(c));
    c->least_stiffness_share = fmin(c->least_stiffness_share, c->stiffness_share);
}

// Advances a cloth without contact by `interval` seconds. *substeps: receives the number of
// substeps.
static bool advance(fm_object *object, const fm_surroundings *around, double interval,
                    int *substeps, fm_error *err)
{
    fm_cloth *c = cast_to_cloth(object);
    *substeps = fm_cloth_count_substeps(c, interval);
    if (!fm_cloth_advance(c, around, interval, *substeps, err))
        return false;
    update_least_shares(c);
    return true;
}

// Estimated computing time of a substep on one thread, ns.
static double estimate_substep_ns(const fm_object *object)
{
    return fm_cloth_substep_ns(cast_to_cloth(object));
}

// Tells the cloth, before its first advance, whether the length of its substeps may vary.
static void set_variable_substeps(fm_object *object, bool variable)
{
    fm_cloth *c = cast_to_cloth(object);
    if (!c->started)
        c->variable_substeps = variable;
}

// Contact.

static bool takes_part_in_contact(const fm_object *object)
{
    return cast_to_cloth(object)->def.contact.enabled;
}

static void set_axes(double *to[3], const fm_vec3_array *from)
{
    to[0] = from->x, to[1] = from->y, to[2] = from->z;
}

// Fills the view through which contact reads and changes the cloth.
static bool view_for_contact(fm_object *object, fm_contact_view *view, fm_error *err)
{
    fm_cloth *c = cast_to_cloth(object);
    fm_mesh_view mesh;
    bool grid = c->kind == FM_CLOTH_SHEET || c->kind == FM_CLOTH_TUBE;
    if (!fm_cloth_find_mesh(c, &mesh, err))
        return false;
    *view = (fm_contact_view){
        .initial_mesh = mesh,
        .thickness = c->contact_thickness,
        .friction = c->def.contact.friction,
        .separate = c->def.contact.start == FM_START_SEPARATE,
        .started = c->started,
        .columns = grid ? c->columns : 0,
        .rows = grid ? c->rows : 0,
        .is_tube = c->kind == FM_CLOTH_TUBE,
        .axis = {c->normal.x, c->normal.y, c->normal.z},
        .touched = c->touch,
    };
    set_axes(view->x, &c->x);
    set_axes(view->v, &c->v);
    set_axes(view->velocity_change, &c->jump);
    return true;
}

static int count_substeps(const fm_object *object, double interval)
{
    return fm_cloth_count_substeps(cast_to_cloth(object), interval);
}

static bool begin_substeps(fm_object *object, const fm_surroundings *around, double h,
                           fm_error *err)
{
    return fm_cloth_begin_substeps(cast_to_cloth(object), around, h, err);
}

// Moves the cloth to the time `end` without contact.
static bool open_substep(fm_object *object, double end, fm_error *err)
{
    fm_cloth *c = cast_to_cloth(object);
    bool good = fm_cloth_open_substep(c, end, err);
    update_least_shares(c);
    return good;
}

static void evaluate_forces(fm_object *object)
{
    fm_cloth_evaluate_forces(cast_to_cloth(object));
}

static void close_substep(fm_object *object)
{
    fm_cloth_close_substep(cast_to_cloth(object));
}

// Forgets which particles touch colliders, and the velocity changes by contact, before contact
// acts.
static void clear_contacts(fm_object *object)
{
    fm_cloth *c = cast_to_cloth(object);
    memset(c->touch, 0, (size_t)c->count * sizeof *c->touch);
    if (!c->enforcer) // enforcement has already written its corrections into jump
        memset(c->jump.x, 0, 3 * (size_t)c->lanes * sizeof(double));
}

// Writes the inverse effective masses along and across the normals, 1/kg; 0 for particles that are
// pinned at the time `end`. Returns whether a medium adds mass, so that the two differ.
static bool find_inverse_masses(const fm_object *object, double end, fm_inverse_masses masses)
{
    const fm_cloth *c = cast_to_cloth(object);
    for (int i = 0; i < c->count; i++) {
        fm_effective_mass m = fm_cloth_effective_mass(c, i);
        bool pinned = fm_cloth_is_pinned(c, i, end);
        masses.across[i] = pinned ? 0 : 1 / m.across;
        masses.along[i] = pinned ? 0 : 1 / m.along;
    }
    return fm_cloth_has_added_mass(c);
}

static bool is_pinned(const fm_object *object, int point, double t)
{
    return fm_cloth_is_pinned(cast_to_cloth(object), point, t);
}

static void place_pins(fm_object *object, double t, double *x[3])
{
    fm_cloth_place_pins(cast_to_cloth(object), t, &(fm_vec3_array){x[0], x[1], x[2]});
}

// m/s, the largest speed of a pin in [t, t + duration]. Pinned particles are sorted by index; where
// neighbours in the list have the same motion, only the first one is evaluated.
static double find_fastest_pin(const fm_object *object, double t, double duration)
{
    const fm_cloth *c = cast_to_cloth(object);
    double fastest = 0;
    for (int p = 0; p < c->pinned_count; p++) {
        int i = c->pinned[p];
        fm_vec3 at = {c->anchor.x[i], c->anchor.y[i], c->anchor.z[i]};
        if (p == 0 || c->pin[i] != c->pin[c->pinned[p - 1]])
            fastest = fmax(fastest,
                           fm_motion_find_top_speed(c->groups[c->pin[i]].motion, at, t, duration));
    }
    return fastest;
}

static bool view_layers(fm_object *object, fm_layer_view *view)
{
    return fm_shared_water_view(cast_to_cloth(object), view);
}

static void take_shares(fm_object *object)
{
    fm_shared_water_take(cast_to_cloth(object));
}

static void update_normals(fm_object *object)
{
    fm_cloth *c = cast_to_cloth(object);
    fm_cloth_compute_normals(c, &c->x, &c->normal);
}

// Ties.

static bool view_for_ties(fm_object *object, fm_tie_view *view, fm_error *err)
{
    fm_cloth *c = cast_to_cloth(object);
    if (c->def.integrator != FM_KICK_DRIFT_KICK)
        return fm_fail(err, FM_BAD_VALUE, object->name, "integrator", "explicit",
                       "kick-drift-kick with ties");
    if (!c->tied)
        c->tied = fm_arena_alloc(&c->arena, (size_t)c->lanes, 1, object->name, err);
    *view = (fm_tie_view){.point_count = c->count,
                          .tied = c->tied,
                          .touched = c->touch,
                          .started = c->started,
                          .keeps_jump = c->enforcer != NULL};
    set_axes(view->x, &c->x);
    set_axes(view->v, &c->v);
    set_axes(view->jump, &c->jump);
    set_axes(view->force, &c->force);
    return c->tied != NULL;
}

static fm_point_mass find_point_mass(const fm_object *object, int point, double end, bool closing)
{
    const fm_cloth *c = cast_to_cloth(object);
    if (fm_cloth_is_pinned(c, point, end))
        return (fm_point_mass){.held = true};
    fm_effective_mass m = fm_cloth_effective_mass(c, point);
    const fm_vec3_array *axis = closing ? &c->next_normal : &c->normal;
    return (fm_point_mass){fm_vec3_array_at(*axis, point), m.along, m.across, false};
}

static fm_vec3 find_point_force(const fm_object *object, int point)
{
    const fm_cloth *c = cast_to_cloth(object);
    const fm_weight *weight = &c->substep->weight;
    double net = c->mass[point] - c->wet_area[point] * weight->displaced;
    return fm_add_scaled(fm_vec3_array_at(c->force, point), weight->gravity, net);
}

// Coupling to a fluid.

// Lists the settings of a cloth that do not allow coupling to a fluid, and returns how many there
// are: explicit integrators; in two-way coupling also drag models of a medium, and memories with a
// fixed step.
int fm_cloth_find_coupling_faults(const fm_cloth_def *def, fm_coupling_way way,
                                  fm_coupling_fault *faults)
{
    int count = 0;
    fm_drag_model drag = def->drag.model;
    fm_recall_kind memory = def->damping.memory.kind, bend = def->bend.damping.memory.kind;
    if (def->integrator != FM_KICK_DRIFT_KICK)
        faults[count++] = (fm_coupling_fault){"integrator", "explicit",
                                              "kick-drift-kick for cloth in a fluid", false};
    if (way == FM_COUPLING_ONE_WAY)
        return count;
    if (drag != FM_DRAG_PHYSICAL && drag != FM_DRAG_NONE)
        faults[count++] =
            (fm_coupling_fault){"drag.model", "a model of a medium",
                                "physical or none: the fluid itself is the drag", true};
    if (fm_cloth_needs_damping_memory(def) &&
        (memory == FM_RECALL_STEPS || memory == FM_RECALL_SECONDS))
        faults[count++] = (fm_coupling_fault){
            "damping.memory", "a window", "full or fading: substeps change with the fluid's", true};
    if (fm_cloth_needs_bend_memory(def) && (bend == FM_RECALL_STEPS || bend == FM_RECALL_SECONDS))
        faults[count++] =
            (fm_coupling_fault){"bend.damping.memory", "a window",
                                "full or fading: substeps change with the fluid's", true};
    return count;
}

// Fails if the cloth has started or its settings do not allow this coupling.
static bool check_coupling(const fm_object *object, fm_coupling_way way, fm_error *err)
{
    fm_coupling_fault faults[FM_COUPLING_FAULTS_MAX];
    if (cast_to_cloth(object)->started)
        return fm_fail(err, FM_BAD_VALUE, object->name, "coupling", "added later",
                       "before the first advance");
    return fm_cloth_find_coupling_faults(&cast_to_cloth(object)->def, way, faults) == 0 ||
           fm_coupling_fail(err, object, faults);
}

// Creates the quadrature points in a fluid, at most `longest` apart, m. passive: one-way coupling.
static fm_samples *create_samples(fm_object *object, double longest, bool passive, fm_error *err)
{
    fm_cloth *c = cast_to_cloth(object);
    c->samples = fm_arena_alloc(&c->arena, 1, sizeof *c->samples, object->name, err);
    if (!c->samples || !fm_cloth_samples_create(c->samples, c, longest, passive, &c->arena, err))
        return NULL;
    return &c->samples->points;
}

static void read_medium(fm_object *object, double end)
{
    fm_cloth_samples_read_medium(cast_to_cloth(object)->samples, end);
}

static void write_motion(fm_object *object, double start, double end)
{
    fm_cloth_samples_write_motion(cast_to_cloth(object)->samples, start, end);
}

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
static fm_vec3 find_load(const fm_cloth *c)
{
    const fm_cloth_samples *s = c->samples;
    return s && c->time > s->since ? fm_scale(s->received, 1 / (c->time - s->since)) : (fm_vec3){0};
}

// Fills the report *m of the cloth now, and the values q of `quantities`, in the same order; q
// NULL: only the report.
static void measure(fm_object *object, const fm_surroundings *around, fm_measure *m, double *q)
{
    fm_cloth *c = cast_to_cloth(object);
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
    fm_vec3 load = find_load(c);
    q[8] = load.x, q[9] = load.y, q[10] = load.z;
}

// Resets the numbers that are collected during an advance.
static void reset(fm_object *object)
{
    fm_cloth *c = cast_to_cloth(object);
    c->damping_share = c->least_stiffness_share = 1;
    if (c->samples) {
        c->samples->received = (fm_vec3){0};
        c->samples->since = c->time;
    }
    if (c->enforcer)
        c->enforcer->enforce_ms = c->enforcer->order_ms = 0;
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
    return true;
}

// Expands values per particle to values per input vertex, in place. It goes from the last vertex to
// the first, because the particle of a vertex never has a higher index than the vertex.
static void copy_to_vertices(const fm_cloth *c, double *values, int components)
{
    int count;
    const int *vertices = fm_cloth_vertices(c, &count);
    for (int i = count - 1; i >= 0 && vertices; i--)
        memmove(values + (size_t)components * (size_t)i,
                values + (size_t)components * (size_t)vertices[i],
                (size_t)components * sizeof *values);
}

// Views the cloth as a mesh for files and pictures: input vertices at their present positions, and
// the quadrilaterals of a sheet or the triangles of a tube or mesh.
static bool view_mesh(fm_object *object, fm_mesh_view *view, fm_error *err)
{
    fm_cloth *c = cast_to_cloth(object);
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
        return view->face_points != NULL;
    }
    if (!c->face_start && !create_quads(c, err))
        return false;
    view->face_count = (c->columns - 1) * (c->rows - 1);
    view->face_start = c->face_start;
    view->face_points = c->face_points;
    return true;
}

// The vertex group of that name; NULL: none.
static const int *find_point_group(const fm_object *object, const char *name, int *count)
{
    return fm_cloth_group(cast_to_cloth(object), name, count);
}

// The field of that name; NULL: none.
static const fm_field *find_field(const char *name)
{
    int count;
    const fm_field *fields = fm_cloth_fields(&count);
    for (int i = 0; i < count; i++)
        if (strcmp(fields[i].name, name) == 0)
            return &fields[i];
    return NULL;
}

// Writes the field of that name at all input vertices.
static bool read_field(fm_object *object, const fm_surroundings *around, const char *name,
                       double *values, fm_error *err)
{
    if (!fm_cloth_read_values(cast_to_cloth(object), around, name, values, err))
        return false;
    copy_to_vertices(cast_to_cloth(object), values, find_field(name)->components);
    return true;
}

// Destruction, snapshots and forecasts.

static void destroy(fm_object *object)
{
    fm_cloth_destroy(cast_to_cloth(object));
}

static size_t save(const fm_object *object, void *buffer, size_t size)
{
    return fm_cloth_save(cast_to_cloth(object), buffer, size);
}

static bool restore(fm_object *object, const fm_surroundings *around, const void *buffer,
                    size_t size, fm_error *err)
{
    return fm_cloth_restore(cast_to_cloth(object), &around->medium, buffer, size, err);
}

// Predicts the number of substeps in `duration` seconds. If it is too large, writes the reason and
// what to change: the time step of the definition, or the stiffness and the particle mass.
static void forecast(fm_object *object, const fm_surroundings *around, double duration,
                     fm_forecast *f, fm_error *err)
{
    (void)around;
    (void)err;
    const fm_cloth *c = cast_to_cloth(object);
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

static double longest_substep(const fm_object *object)
{
    return cast_to_cloth(object)->stable_step;
}

static const fm_body_type body = {
    .advance = advance,
    .substep_ns = estimate_substep_ns,
    .set_variable_intervals = set_variable_substeps,
    .uses_contact = takes_part_in_contact,
    .contact = view_for_contact,
    .count_substeps = count_substeps,
    .longest_substep = longest_substep,
    .begin = begin_substeps,
    .open = open_substep,
    .evaluate = evaluate_forces,
    .close = close_substep,
    .clear_touched = clear_contacts,
    .inverse_masses = find_inverse_masses,
    .is_held = is_pinned,
    .place_pins = place_pins,
    .fastest_pin = find_fastest_pin,
    .points_moved = update_normals,
    .view_ties = view_for_ties,
    .point_mass = find_point_mass,
    .point_force = find_point_force,
    .view_layers = view_layers,
    .take_shares = take_shares,
    .check_coupling = check_coupling,
    .sample = create_samples,
    .take_impulses = read_medium,
    .give_samples = write_motion,
};

const fm_object_type fm_cloth_type = {
    .kind = "cloth",
    .fields = fm_cloth_field_list,
    .field_count = FM_CLOTH_FIELD_COUNT,
    .needed_fields = "",
    .usual_fields = "velocity stretch",
    .quantities = quantities,
    .quantity_count = sizeof quantities / sizeof *quantities,
    .body = &body,
    .destroy = destroy,
    .save = save,
    .restore = restore,
    .reset = reset,
    .forecast = forecast,
    .mesh = view_mesh,
    .point_group = find_point_group,
    .read = read_field,
    .measure = measure,
};

// Soft bodies: the same body, with more fields and quantities.

static const fm_field soft_quantities[] = {
    {"volume", "m^3", "enclosed; 0 for an open mesh", 1},
    {"pressure", "Pa", "of the gas, above the ambient pressure", 1},
    {"curvature", "1/m", "root mean square of the mean curvature", 1},
    {"roughness", "m", "root mean square of the distance from the smoothed surface", 1},
    {"area", "m^2", "total area of the triangles", 1},
    {"kinetic_energy", "J", "including that of the added mass", 1},
    {"potential_energy", "J", "of springs, bending, struts, gas, weight and buoyancy", 1},
    {"max_stretch", "", "l/l0 - 1 of the longest edge", 1},
    {"min_stretch", "", "l/l0 - 1 of the shortest edge", 1},
    {"contact_count", "", "number of particles in contact", 1},
    {"height", "m", "mean of the y coordinates, weighted by mass", 1},
    {"load_x", "N", "force of a two-way fluid along x, mean since the last row", 1},
    {"load_y", "N", "the same along y", 1},
    {"load_z", "N", "the same along z", 1},
};

// kg-weighted mean of the y coordinates.
static double find_mean_height(const fm_cloth *c)
{
    double sum = 0, mass = 0;
    for (int i = 0; i < c->count; i++)
        sum += c->mass[i] * c->x.y[i], mass += c->mass[i];
    return sum / mass;
}

// Fills the measures m and, unless q is NULL, the quantities q in the order of soft_quantities.
static void measure_soft(fm_object *object, const fm_surroundings *around, fm_measure *m, double *q)
{
    fm_cloth *c = cast_to_cloth(object);
    measure(object, around, m, NULL);
    if (!q)
        return;
    fm_error ignored = {0}; // if memory runs out, the measures are 0
    fm_soft_measure now = fm_cloth_measure_soft(c, &ignored);
    q[0] = now.volume, q[1] = now.pressure, q[2] = now.curvature, q[3] = now.roughness;
    q[4] = fm_cloth_area(c, &ignored);
    q[5] = m->kinetic_energy, q[6] = m->potential_energy;
    q[7] = m->max_stretch, q[8] = m->min_stretch, q[9] = m->contact_count;
    q[10] = find_mean_height(c);
    fm_vec3 load = find_load(c);
    q[11] = load.x, q[12] = load.y, q[13] = load.z;
}

static bool read_soft_field(fm_object *object, const fm_surroundings *around, const char *name,
                            double *values, fm_error *err)
{
    fm_cloth *c = cast_to_cloth(object);
    if (!fm_soft_read_values(c, around, name, values, err))
        return false;
    bool scalar = strcmp(name, "curvature") == 0 || strcmp(name, "density") == 0;
    copy_to_vertices(c, values, scalar ? 1 : find_field(name)->components);
    return true;
}

const fm_object_type fm_soft_type = {
    .kind = "soft",
    .fields = fm_soft_field_list,
    .field_count = FM_SOFT_FIELD_COUNT,
    .needed_fields = "",
    .usual_fields = "velocity stretch",
    .quantities = soft_quantities,
    .quantity_count = sizeof soft_quantities / sizeof *soft_quantities,
    .body = &body,
    .destroy = destroy,
    .save = save,
    .restore = restore,
    .reset = reset,
    .forecast = forecast,
    .mesh = view_mesh,
    .point_group = find_point_group,
    .read = read_soft_field,
    .measure = measure_soft,
};

// Lines and loads: the same body, with other fields and quantities. They are in no simulated fluid.

static const fm_field line_quantities[] = {
    {"length", "m", "of all edges", 1},
    {"kinetic_energy", "J", "including that of the added mass", 1},
    {"potential_energy", "J", "of edges, bending, weight and buoyancy", 1},
    {"max_stretch", "", "l/l0 - 1 of the longest edge", 1},
    {"max_tension", "N", "of the most loaded edge", 1},
    {"contact_count", "", "number of points in contact", 1},
};

static const fm_field load_quantities[] = {
    {"x", "m", "its centre", 1},
    {"y", "m", "its centre", 1},
    {"z", "m", "its centre", 1},
    {"speed", "m/s", "of its centre", 1},
    {"kinetic_energy", "J", "including that of the added mass", 1},
};

static void measure_line(fm_object *object, const fm_surroundings *around, fm_measure *m, double *q)
{
    fm_cloth *c = cast_to_cloth(object);
    measure(object, around, m, NULL);
    if (!q)
        return;
    q[0] = q[4] = 0;
    q[1] = m->kinetic_energy, q[2] = m->potential_energy;
    q[3] = m->max_stretch, q[5] = m->contact_count;
    for (int e = 0; e < c->mesh.edge_count; e++) {
        q[0] += fm_cloth_particle_distance(c, c->mesh.edge_a[e], c->mesh.edge_b[e]);
        q[4] = fmax(q[4], fm_line_edge_tension(c, e));
    }
}

static void measure_load(fm_object *object, const fm_surroundings *around, fm_measure *m, double *q)
{
    fm_cloth *c = cast_to_cloth(object);
    measure(object, around, m, NULL);
    m->has_stretch = false;
    if (!q)
        return;
    fm_vec3 x = fm_vec3_array_at(c->x, 0);
    q[0] = x.x, q[1] = x.y, q[2] = x.z;
    q[3] = fm_length(fm_vec3_array_at(c->v, 0)), q[4] = m->kinetic_energy;
}

static bool read_line_field(fm_object *object, const fm_surroundings *around, const char *name,
                            double *values, fm_error *err)
{
    return fm_line_read_values(cast_to_cloth(object), around, name, values, err);
}

static const fm_body_type line_body = {
    .advance = advance,
    .substep_ns = estimate_substep_ns,
    .set_variable_intervals = set_variable_substeps,
    .uses_contact = takes_part_in_contact,
    .contact = view_for_contact,
    .count_substeps = count_substeps,
    .longest_substep = longest_substep,
    .begin = begin_substeps,
    .open = open_substep,
    .evaluate = evaluate_forces,
    .close = close_substep,
    .clear_touched = clear_contacts,
    .inverse_masses = find_inverse_masses,
    .is_held = is_pinned,
    .place_pins = place_pins,
    .fastest_pin = find_fastest_pin,
    .points_moved = update_normals,
    .view_ties = view_for_ties,
    .point_mass = find_point_mass,
    .point_force = find_point_force,
};

const fm_object_type fm_line_type = {
    .kind = "line",
    .fields = fm_line_field_list,
    .field_count = FM_LINE_FIELD_COUNT,
    .needed_fields = "radius",
    .usual_fields = "velocity tension",
    .quantities = line_quantities,
    .quantity_count = sizeof line_quantities / sizeof *line_quantities,
    .body = &line_body,
    .destroy = destroy,
    .save = save,
    .restore = restore,
    .reset = reset,
    .forecast = forecast,
    .mesh = view_mesh,
    .read = read_line_field,
    .measure = measure_line,
};

const fm_object_type fm_load_type = {
    .kind = "load",
    .fields = fm_line_field_list,
    .field_count = FM_LINE_FIELD_COUNT,
    .needed_fields = "radius",
    .usual_fields = "velocity",
    .quantities = load_quantities,
    .quantity_count = sizeof load_quantities / sizeof *load_quantities,
    .body = &line_body,
    .destroy = destroy,
    .save = save,
    .restore = restore,
    .reset = reset,
    .forecast = forecast,
    .mesh = view_mesh,
    .read = read_line_field,
    .measure = measure_load,
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
