// SPDX-License-Identifier: MIT
// body.c: cloth as a body: the functions through which the world, contact, ties and fluids move it,
// for all kinds (cloth, soft bodies, lines and loads). The static functions are entries of
// fm_body_type (object/object.h), which documents them.
#include "cloth/added_mass.h"
#include "cloth/implicit.h"

#include <math.h>
#include <string.h>

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
    fm_cloth *c = fm_cloth_cast(object);
    *substeps = fm_cloth_count_substeps(c, interval);
    if (!fm_cloth_advance(c, around, interval, *substeps, err))
        return false;
    update_least_shares(c);
    return true;
}

// Estimated computing time of a substep on one thread, ns.
static double estimate_substep_ns(const fm_object *object)
{
    return fm_cloth_substep_ns(fm_cloth_cast(object));
}

// Tells the cloth, before its first advance, whether the length of its substeps may vary.
static void set_variable_substeps(fm_object *object, bool variable)
{
    fm_cloth *c = fm_cloth_cast(object);
    if (!c->started)
        c->variable_substeps = variable;
}

// Contact.

static bool takes_part_in_contact(const fm_object *object)
{
    return fm_cloth_cast(object)->def.contact.enabled;
}

static void set_axes(double *to[3], const fm_vec3_array *from)
{
    to[0] = from->x, to[1] = from->y, to[2] = from->z;
}

// Fills the view through which contact reads and changes the cloth.
static bool view_for_contact(fm_object *object, fm_contact_view *view, fm_error *err)
{
    fm_cloth *c = fm_cloth_cast(object);
    fm_mesh_view mesh;
    bool grid = c->kind == FM_CLOTH_SHEET || c->kind == FM_CLOTH_TUBE;
    if (!fm_cloth_find_mesh(c, &mesh, err))
        return false;
    *view = (fm_contact_view){
        .initial_mesh = mesh,
        .thickness = c->contact_thickness * (c->implicit ? 1 + FM_CONTACT_GAP : 1),
        .guard = c->contact_thickness,
        .solved = c->implicit != NULL,
        .friction = c->def.contact.friction,
        .friction_weight = c->friction_weight,
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
    if (c->implicit) {
        view->joined_count = c->stitches.count;
        view->joined[0] = c->stitches.a, view->joined[1] = c->stitches.b;
    }
    return true;
}

// Whether contact is solved together with the motion. Where one body in contact is not, none is.
static bool is_solved(fm_object *object, bool all)
{
    if (!all)
        fm_cloth_prefer_explicit(fm_cloth_cast(object), "contact with cloth of another integrator");
    return fm_cloth_cast(object)->implicit != NULL;
}

static int count_substeps(const fm_object *object, double interval)
{
    const fm_cloth *c = fm_cloth_cast(object);
    int count = fm_cloth_count_substeps(c, interval);
    return c->implicit ? fm_implicit_count_substeps(c, interval, count) : count;
}

static bool begin_substeps(fm_object *object, const fm_surroundings *around, double h,
                           fm_error *err)
{
    return fm_cloth_begin_substeps(fm_cloth_cast(object), around, h, err);
}

// Moves the cloth to the time `end` without contact.
static bool open_substep(fm_object *object, double end, fm_error *err)
{
    fm_cloth *c = fm_cloth_cast(object);
    bool good = fm_cloth_open_substep(c, end, err);
    update_least_shares(c);
    return good;
}

// Moves cloths with an implicit integrator to the time `end`, with contact between them.
static bool open_together(fm_object *const *bodies, const int *first, int count,
                          fm_contact_set *set, fm_pool *pool, double end, fm_error *err)
{
    for (int i = 0; i < count; i++) {
        fm_cloth *c = fm_cloth_cast(bodies[i]);
        if (c->def.integrator != fm_cloth_cast(bodies[0])->def.integrator)
            return fm_fail(err, FM_BAD_VALUE, c->object.name, "integrator", "mixed",
                           "the same implicit integrator for all cloth with contact");
        fm_cloth_scale_velocities(c);
        c->implicit->first_vertex = first[i];
    }
    // an fm_cloth begins with its object
    fm_implicit_group group = {
        .cloths = (fm_cloth *const *)bodies, .count = count, .set = set, .pool = pool};
    bool good = fm_implicit_open_group(&group, end, err);
    for (int i = 0; i < count; i++)
        update_least_shares(fm_cloth_cast(bodies[i]));
    return good;
}

static void evaluate_forces(fm_object *object)
{
    fm_cloth_evaluate_forces(fm_cloth_cast(object));
}

static void close_substep(fm_object *object)
{
    fm_cloth_close_substep(fm_cloth_cast(object));
}

// Forgets which particles touch colliders, and the velocity changes by contact, before contact
// acts.
static void clear_contacts(fm_object *object)
{
    fm_cloth *c = fm_cloth_cast(object);
    memset(c->touch, 0, (size_t)c->count * sizeof *c->touch);
    if (!c->enforcer) // enforcement has already written its corrections into jump
        memset(c->jump.x, 0, 3 * (size_t)c->lanes * sizeof(double));
}

// Writes the inverse effective masses along and across the normals, 1/kg; 0 for particles that are
// pinned at the time `end`. Returns whether a medium adds mass, so that the two differ.
static bool find_inverse_masses(const fm_object *object, double end, fm_inverse_masses masses)
{
    const fm_cloth *c = fm_cloth_cast(object);
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
    return fm_cloth_is_pinned(fm_cloth_cast(object), point, t);
}

static void place_pins(fm_object *object, double t, double *x[3])
{
    fm_cloth_place_pins(fm_cloth_cast(object), t, &(fm_vec3_array){x[0], x[1], x[2]});
}

// m/s, the largest speed of a pin in [t, t + duration]. Pinned particles are sorted by index; where
// neighbours in the list have the same motion, only the first one is evaluated.
static double find_fastest_pin(const fm_object *object, double t, double duration)
{
    const fm_cloth *c = fm_cloth_cast(object);
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
    return fm_shared_water_view(fm_cloth_cast(object), view);
}

static void take_shares(fm_object *object)
{
    fm_shared_water_take(fm_cloth_cast(object));
}

static void update_normals(fm_object *object)
{
    fm_cloth *c = fm_cloth_cast(object);
    fm_cloth_compute_normals(c, &c->x, &c->normal);
}

// Ties.

static bool view_for_ties(fm_object *object, fm_tie_view *view, fm_error *err)
{
    fm_cloth *c = fm_cloth_cast(object);
    fm_cloth_prefer_explicit(c, "ties");
    if (c->def.integrator != FM_KICK_DRIFT_KICK)
        return fm_fail(err, FM_BAD_VALUE, object->name, "integrator", "another one",
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
    const fm_cloth *c = fm_cloth_cast(object);
    if (fm_cloth_is_pinned(c, point, end))
        return (fm_point_mass){.held = true};
    fm_effective_mass m = fm_cloth_effective_mass(c, point);
    const fm_vec3_array *axis = closing ? &c->next_normal : &c->normal;
    return (fm_point_mass){fm_vec3_array_at(*axis, point), m.along, m.across, false};
}

static fm_vec3 find_point_force(const fm_object *object, int point)
{
    const fm_cloth *c = fm_cloth_cast(object);
    const fm_weight *weight = &c->substep->weight;
    double net = c->mass[point] - c->wet_area[point] * weight->displaced;
    return fm_add_scaled(fm_vec3_array_at(c->force, point), weight->gravity, net);
}

// Coupling to a fluid.

// Lists the settings of a cloth that do not allow coupling to a fluid, and returns how many there
// are: in two-way coupling explicit integrators and drag models of a medium; in coupling by drag
// the history of a model; in both, memories with a fixed step.
int fm_cloth_find_coupling_faults(const fm_cloth_def *def, fm_coupling_way way,
                                  fm_coupling_fault *faults)
{
    int count = 0;
    fm_drag_model drag = def->drag.model;
    fm_recall_kind memory = def->damping.memory.kind, bend = def->bend.damping.memory.kind;
    bool implicit = fm_cloth_is_implicit(def);
    if (implicit)
        faults[count++] = (fm_coupling_fault){"integrator", "implicit",
                                              "kick-drift-kick for cloth in a fluid", false};
    if (way == FM_COUPLING_ONE_WAY)
        return count;
    bool explicit =
        def->integrator != FM_KICK_DRIFT_KICK && def->integrator != FM_AUTOMATIC && !implicit;
    if (explicit && way == FM_COUPLING_TWO_WAY)
        faults[count++] = (fm_coupling_fault){"integrator", "explicit", "kick-drift-kick", true};
    if (way == FM_COUPLING_BY_DRAG && drag == FM_DRAG_PUBLISHED &&
        def->drag.history.coefficient > 0)
        faults[count++] = (fm_coupling_fault){"drag.history.coefficient", "above 0",
                                              "0: the history of drag needs one-way", false};
    if (way == FM_COUPLING_TWO_WAY && drag != FM_DRAG_PHYSICAL && drag != FM_DRAG_NONE)
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

// Fails if the cloth has started or its settings do not allow this coupling. An automatic choice of
// the integrator becomes kick-drift-kick.
static bool check_coupling(const fm_object *object, fm_coupling_way way, fm_error *err)
{
    fm_coupling_fault faults[FM_COUPLING_FAULTS_MAX];
    if (fm_cloth_cast(object)->started)
        return fm_fail(err, FM_BAD_VALUE, object->name, "coupling", "added later",
                       "before the first advance");
    fm_cloth_prefer_explicit(fm_cloth_cast(object), "a fluid");
    return fm_cloth_find_coupling_faults(&fm_cloth_cast(object)->def, way, faults) == 0 ||
           fm_coupling_fail(err, object, faults);
}

// Creates the quadrature points in a fluid, at most `longest` apart, m.
static fm_samples *create_samples(fm_object *object, double longest, fm_coupling_way way,
                                  const fm_medium *medium, fm_error *err)
{
    fm_cloth *c = fm_cloth_cast(object);
    c->samples = fm_arena_alloc(&c->arena, 1, sizeof *c->samples, object->name, err);
    if (!c->samples || !fm_cloth_samples_create(c->samples, c, longest, way, medium, err))
        return NULL;
    return &c->samples->points;
}

static void read_medium(fm_object *object, double end)
{
    fm_cloth_samples_read_medium(fm_cloth_cast(object)->samples, end);
}

static void write_motion(fm_object *object, double start, double end)
{
    fm_cloth_samples_write_motion(fm_cloth_cast(object)->samples, start, end);
}

static double longest_substep(const fm_object *object)
{
    return fm_cloth_cast(object)->stable_step;
}

const fm_body_type fm_cloth_body = {
    .advance = advance,
    .substep_ns = estimate_substep_ns,
    .set_variable_intervals = set_variable_substeps,
    .uses_contact = takes_part_in_contact,
    .contact = view_for_contact,
    .is_solved = is_solved,
    .count_substeps = count_substeps,
    .longest_substep = longest_substep,
    .begin = begin_substeps,
    .open = open_substep,
    .open_together = open_together,
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

// The same without layers: lines and loads.
const fm_body_type fm_line_body = {
    .advance = advance,
    .substep_ns = estimate_substep_ns,
    .set_variable_intervals = set_variable_substeps,
    .uses_contact = takes_part_in_contact,
    .contact = view_for_contact,
    .is_solved = is_solved,
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
    .check_coupling = check_coupling,
    .sample = create_samples,
    .take_impulses = read_medium,
    .give_samples = write_motion,
    .thin = true,
};
