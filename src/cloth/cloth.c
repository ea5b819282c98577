// SPDX-License-Identifier: MIT
// cloth.c: checks definitions, creates sheets, reads and writes positions and velocities.
#include "cloth/added_mass.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A memory kernel t^-q that is cut off after some time damps all frequencies only if q > 0.30844
// (where the integral of t^-q cos t from 0 to 3 pi/2 changes its sign); with a smaller q it feeds
// energy into some frequencies.
static const double LOWEST_WINDOW_ORDER = 0.31;

// The allowed range of one number of a definition.
typedef struct limit {
    const char *field;
    double value, low, high;
    bool low_open;       // low itself is not allowed
    const char *allowed; // the range in words, for the error message
} limit;

// Fills err and returns false at the first number outside its range. NaN is outside every range.
// object: name of the cloth, for the message.
static bool check_limits(const char *object, const limit *limits, int count, fm_error *err)
{
    for (int i = 0; i < count; i++) {
        const limit *l = &limits[i];
        bool high_enough = l->low_open ? l->value > l->low : l->value >= l->low;
        if (!high_enough || !(l->value <= l->high))
            return fm_fail_number(err, object, l->field, l->value, l->allowed);
    }
    return true;
}

// Checks the settings of a memory: how far back a fractional derivative looks. field: their name in
// the definition, such as "damping.memory".
static bool check_recall(const char *object, const char *field, const fm_recall *recall,
                         fm_error *err)
{
    char name[48]; // of the member of `field` that is wrong
    if (recall->kind > FM_RECALL_FADING)
        return fm_fail_number(err, object, field, recall->kind, "an fm_recall_kind");
    if (recall->kind == FM_RECALL_STEPS && (recall->steps < 1 || recall->steps > 1000000)) {
        snprintf(name, sizeof name, "%s.steps", field);
        return fm_fail_number(err, object, name, recall->steps, "1 to 1000000");
    }
    bool seconds = recall->kind == FM_RECALL_SECONDS, fading = recall->kind == FM_RECALL_FADING;
    double time = seconds ? recall->seconds : recall->fading;
    if ((seconds || fading) && !(time > 0 && isfinite(time))) {
        snprintf(name, sizeof name, "%s.%s", field, seconds ? "seconds" : "fading");
        return fm_fail_number(err, object, name, time, "> 0 seconds");
    }
    if (!(recall->tolerance > 1e-12 && recall->tolerance < 0.1)) {
        snprintf(name, sizeof name, "%s.tolerance", field);
        return fm_fail_number(err, object, name, recall->tolerance, "between 1e-12 and 0.1");
    }
    if (!(recall->horizon > 0 && isfinite(recall->horizon))) {
        snprintf(name, sizeof name, "%s.horizon", field);
        return fm_fail_number(err, object, name, recall->horizon, "> 0 seconds");
    }
    return true;
}

// Checks that the order of the fractional derivative is possible with this kind of memory. field:
// name of the memory in the definition, such as "damping.memory".
static bool check_order(const char *object, const char *field, const fm_recall *recall,
                        double order, fm_error *err)
{
    char name[48]; // of the member of `field` that is wrong
    if (recall->kind == FM_RECALL_STEPS && recall->rule == FM_RULE_COIMBRA && order != 0.5) {
        snprintf(name, sizeof name, "%s.rule", field);
        return fm_fail(err, FM_BAD_VALUE, object, name, "coimbra",
                       "trapezoid unless the order is 0.5");
    }
    bool window = recall->kind == FM_RECALL_STEPS || recall->kind == FM_RECALL_SECONDS;
    if (window && order < LOWEST_WINDOW_ORDER && !recall->unsafe)
        return fm_fail(err, FM_BAD_VALUE, object, field, "a window of an order below 0.31",
                       "full or fading: such a window feeds energy in (or unsafe, for study)");
    return true;
}

// Checks that the enumerations of strain limiting (enforcement) have defined values. object: name
// of the cloth.
static bool check_enforcement(const char *object, const fm_enforcement *def, fm_error *err)
{
    if (def->method > FM_ENFORCE_DIRECTIONAL)
        return fm_fail_number(err, object, "enforcement.method", def->method,
                              "an fm_enforcement_method");
    if (def->target > FM_TARGET_THRESHOLD)
        return fm_fail_number(err, object, "enforcement.target", def->target,
                              "an fm_enforcement_target");
    if (def->order > FM_SHEAR_VERTICAL_HORIZONTAL)
        return fm_fail_number(err, object, "enforcement.order", def->order, "an fm_spring_order");
    if (def->direction > FM_ALONG_FORCE)
        return fm_fail_number(err, object, "enforcement.direction", def->direction,
                              "an fm_enforcement_direction");
    return true;
}

// Checks that all enumerations of a definition have defined values. object: name of the cloth.
static bool check_models(const char *object, const fm_cloth_def *def, fm_error *err)
{
    if (def->drag.model > FM_DRAG_BOTH)
        return fm_fail_number(err, object, "drag.model", def->drag.model, "an fm_drag_model");
    if (def->bend.model > FM_BEND_SPRINGS)
        return fm_fail_number(err, object, "bend.model", def->bend.model, "an fm_bend_model");
    if (def->bend.rest_angle > FM_REST_SHAPE)
        return fm_fail_number(err, object, "bend.rest_angle", def->bend.rest_angle,
                              "an fm_rest_angle");
    if (def->integrator > FM_SEMI_IMPLICIT_EULER)
        return fm_fail_number(err, object, "integrator", def->integrator, "an fm_integrator");
    return check_enforcement(object, &def->enforcement, err);
}

// Checks the memories of all fractional forces, and the strength of damping of low order. Eq. (5)
// of [OKRC10] is not objective: such damping, if much stronger than the springs, mistakes the
// rotation of a spring for a change of its length, and the sheet inflates.
static bool check_memories(const char *object, const fm_cloth_def *def, fm_error *err)
{
    const double LOW_ORDER = 0.3, MOST = 10; // MOST: damping coefficient / stretch stiffness
    const fm_drag *drag = &def->drag;
    const fm_recall *damping = &def->damping.memory, *history = &drag->history.memory;
    const fm_recall *bend = &def->bend.damping.memory;
    if (!check_recall(object, "damping.memory", damping, err) ||
        !check_recall(object, "bend.damping.memory", bend, err) ||
        !check_recall(object, "drag.history.memory", history, err))
        return false;
    if (fm_cloth_needs_damping_memory(def)) {
        if (!check_order(object, "damping.memory", damping, def->damping.order, err))
            return false;
        if (def->damping.order < LOW_ORDER &&
            def->damping.coefficient > MOST * def->stretch.stiffness)
            return fm_fail_number(err, object, "damping.coefficient", def->damping.coefficient,
                                  "at most 10 times the stretch stiffness at orders below 0.3");
    }
    if (fm_cloth_needs_bend_memory(def) &&
        !check_order(object, "bend.damping.memory", bend, def->bend.damping.order, err))
        return false;
    bool published = drag->model == FM_DRAG_PUBLISHED && drag->history.coefficient > 0;
    return !published ||
           check_order(object, "drag.history.memory", history, drag->history.order, err);
}

// Checks every number and enumeration of a definition. Fills err and returns false at the first one
// that is not allowed.
static bool check_def(const fm_cloth_def *def, fm_error *err)
{
    const char *object = def->name ? def->name : "cloth";
    const fm_drag *drag = &def->drag;
    const limit limits[] = {
        {"imperfection.amount", def->imperfection.amount, 0, 0.1, false, "0 (perfect) to 0.1"},
        {"imperfection.seed", def->imperfection.seed, 0, 1e9, false, "0 to 1e9"},
        {"muscle.contraction", def->muscle.contraction, 0, 0.9, false, "0 to 0.9"},
        {"muscle.period", def->muscle.period, 0, 1e6, true, "> 0 and at most 1e6 s"},
        {"muscle.active", def->muscle.active, 0.05, 0.95, false, "0.05 to 0.95"},
        {"muscle.start", def->muscle.start, 0, 1e6, false, "0 to 1e6 s"},
        {"density", def->density, 0, 1e5, true, "> 0 and at most 1e5 kg/m^3"},
        {"thickness", def->thickness, 0, 1, true, "> 0 and at most 1 m"},
        {"stretch.stiffness", def->stretch.stiffness, 0, 1e7, true, "> 0 and at most 1e7 N/m"},
        {"shear.stiffness", def->shear.stiffness, 0, 1e7, false, "0 to 1e7 N/m"},
        {"bend.stiffness", def->bend.stiffness, 0, 1e7, false, "0 to 1e7"},
        {"stretch.weft", def->stretch.weft, 0, 1e7, false, "0 to 1e7 N/m"},
        {"stretch.poisson", def->stretch.poisson, 0, 0.5, false, "0 to 0.5"},
        {"stretch.stiffening", def->stretch.stiffening, 0, 10, false, "0 to 10"},
        {"bend.weft", def->bend.weft, 0, 1e7, false, "0 to 1e7 N m"},
        {"bend.friction.moment", def->bend.friction.moment, 0, 1e4, false, "0 to 1e4 N"},
        {"bend.friction.weft", def->bend.friction.weft, 0, 1e4, false, "0 to 1e4 N"},
        {"bend.friction.curvature", def->bend.friction.curvature, 0, 1e4, true,
         "> 0 and at most 1e4 1/m"},
        {"bend.damping.coefficient", def->bend.damping.coefficient, 0, 1e6, false,
         "0 to 1e6 N m s^order"},
        {"bend.damping.order", def->bend.damping.order, 0, 1, true, "above 0 and at most 1"},
        {"damping.coefficient", def->damping.coefficient, 0, 1e6, false, "0 to 1e6 N s^order/m"},
        {"damping.order", def->damping.order, 0, 1, true, "above 0 and at most 1"},
        {"drag.viscous", drag->viscous, 0, 1e6, false, "0 to 1e6 N s/m per m^2"},
        {"drag.normal", drag->normal, 0, 1e6, false, "0 to 1e6 N s/m per m^2"},
        {"drag.history.coefficient", drag->history.coefficient, 0, 1e6, false,
         "0 to 1e6 N s^order/m per m^2"},
        {"drag.history.order", drag->history.order, 0, 1 - 1e-12, true,
         "between 0 and 1, both excluded"},
        {"drag.pressure", drag->pressure, 0, 1e3, false, "0 to 1e3"},
        {"drag.ripple_pressure", drag->ripple_pressure, 0, 1e3, false, "0 to 1e3"},
        {"drag.friction", drag->friction, 0, 1e3, false, "0 to 1e3"},
        {"drag.normal_history", drag->normal_history, -1, 1e6, false,
         "0 to 1e6, or -1: that of waves"},
        {"drag.added_mass", drag->added_mass, -1, 1e3, false, "0 to 1e3 m, or -1: by wavelength"},
        {"damping.kept", def->damping.kept, 0, 1, false, "0 to 1"},
        {"enforcement.iterations", def->enforcement.iterations, 1, 10000, false, "1 to 10000"},
        {"enforcement.threshold", def->enforcement.threshold, 0, 10, false, "0 to 10"},
        {"enforcement.visits", def->enforcement.visits, 1, 100, false, "1 to 100"},
        {"enforcement.recompute", def->enforcement.recompute, 0, 10, false, "0 (never) to 10"},
        {"contact.thickness", def->contact.thickness, 0, 1, false, "0 (from the mesh) to 1 m"},
        {"contact.friction", def->contact.friction, 0, 10, false, "0 to 10"},
        {"repulsion.distance", def->repulsion.distance, 0, 10, false, "0 (from the mesh) to 10 m"},
        {"repulsion.stiffness", def->repulsion.stiffness, 0, 1, true, "above 0 and at most 1"},
        {"repulsion.friction", def->repulsion.friction, 0, 1, false, "0 to 1"},
        {"time_step", def->time_step, 0, 10, false, "0 (from the stability bound) to 10 s"},
        {"margin", def->margin, -1, 1, false, "0 to 1 m, or -1: half the thickness"},
    };
    return check_models(object, def, err) &&
           check_limits(object, limits, sizeof limits / sizeof *limits, err) &&
           check_memories(object, def, err);
}

// Whether an explicit integrator has stages between the beginning and the end of a step, at which
// fractional derivatives have no value.
static bool has_inner_stages(fm_integrator integrator)
{
    return integrator == FM_VERLET || integrator == FM_RK2 || integrator == FM_RK4;
}

// Checks that the integrator can handle the forces: contact and physical drag need kick-drift-kick,
// memories an integrator that evaluates forces at the ends of steps only.
static bool check_integrator(const fm_cloth_def *def, const fm_medium *medium, fm_error *err)
{
    const char *object = def->name ? def->name : "cloth";
    if (fm_cloth_is_implicit(def)) {
        bool enforced = def->enforcement.method != FM_ENFORCE_NONE;
        return !enforced || fm_fail(err, FM_BAD_VALUE, object, "integrator", "implicit",
                                    "kick-drift-kick with enforcement");
    }
    if (def->integrator == FM_AUTOMATIC)
        return true;
    if (def->contact.enabled && def->integrator != FM_KICK_DRIFT_KICK)
        return fm_fail(err, FM_BAD_VALUE, object, "integrator", "explicit",
                       "kick-drift-kick or implicit with contact");
    bool memory = fm_cloth_needs_drag_memory(def, medium) || fm_cloth_needs_damping_memory(def) ||
                  fm_cloth_needs_bend_memory(def);
    if (has_inner_stages(def->integrator) && memory)
        return fm_fail(err, FM_BAD_VALUE, object, "integrator", "without memory",
                       "kick-drift-kick, implicit, Euler or a predictor-corrector when a force "
                       "remembers");
    if (def->integrator > FM_EULER && fm_cloth_needs_bend_memory(def))
        return fm_fail(err, FM_BAD_VALUE, object, "integrator", "without memory of bending",
                       "kick-drift-kick or Euler when bending remembers");
    if (def->integrator != FM_KICK_DRIFT_KICK && def->drag.model == FM_DRAG_PHYSICAL)
        return fm_fail(err, FM_BAD_VALUE, object, "integrator", "explicit",
                       "kick-drift-kick or implicit with physical drag");
    return true;
}

// Checks that origin, velocity and rotation of a new cloth are finite. object: name of the cloth.
bool fm_cloth_check_placement(const char *object, fm_vec3 origin, fm_vec3 velocity,
                              fm_quat rotation, fm_error *err)
{
    const double numbers[] = {origin.x, origin.y, origin.z, velocity.x, velocity.y, velocity.z};
    for (int i = 0; i < 6; i++) {
        if (!isfinite(numbers[i]))
            return fm_fail_number(err, object, i < 3 ? "origin" : "velocity", numbers[i],
                                  "finite numbers");
    }
    fm_quat unit = rotation;
    return fm_quat_normalize(&unit) ||
           fm_fail_number(err, object, "rotation", rotation.w, "finite numbers");
}

// Checks the size and the placement of a sheet. object: name of the cloth.
static bool check_sheet(const char *object, const fm_sheet *sheet, fm_error *err)
{
    const limit limits[] = {
        {"columns", sheet->columns, 2, FM_SHEET_COLUMNS_MAX, false, "2 to 4096"},
        {"rows", sheet->rows, 2, FM_SHEET_COLUMNS_MAX, false, "2 to 4096"},
        {"width", sheet->width, 0, 1e4, true, "> 0 and at most 1e4 m"},
        {"height", sheet->height, 0, 1e4, true, "> 0 and at most 1e4 m"},
    };
    return fm_cloth_check_placement(object, sheet->origin, sheet->velocity, sheet->rotation, err) &&
           check_limits(object, limits, sizeof limits / sizeof *limits, err);
}

// Whether the drag contains a history force, and so needs a memory of past velocities. The skin
// history force vanishes in a medium without density or viscosity.
bool fm_cloth_needs_drag_memory(const fm_cloth_def *def, const fm_medium *medium)
{
    const fm_drag *drag = &def->drag;
    bool skin = drag->skin_history && medium->density * medium->viscosity > 0;
    bool normal = drag->normal_history >= 0 ? drag->normal_history > 0
                                            : medium->density * medium->viscosity > 0;
    return (drag->model == FM_DRAG_PUBLISHED && drag->history.coefficient > 0) ||
           (drag->model == FM_DRAG_PHYSICAL && (skin || normal));
}

bool fm_cloth_needs_damping_memory(const fm_cloth_def *def)
{
    return def->damping.coefficient > 0 && def->damping.order < 1;
}

// Allocates the arrays of particles and columns that every cloth has, filled with 0.
static void create_arrays(fm_cloth *c, fm_error *err)
{
    fm_vec3_array *axes[] = {&c->x,      &c->v,
                             &c->a,      &c->w,
                             &c->rate,   &c->force,
                             &c->normal, &c->next_normal,
                             &c->flow,   &c->pair,
                             &c->zeros,  &c->jump,
                             &c->anchor, &c->drift_acceleration};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        *axes[i] = fm_vec3_array_create(&c->arena, c->lanes, err);
    if ((c->def.integrator >= FM_RK2 && c->def.integrator <= FM_HEUN) ||
        c->def.integrator == FM_ITERATED_CORRECTOR) {
        c->trial_x = fm_vec3_array_create(&c->arena, c->lanes, err);
        c->trial_v = fm_vec3_array_create(&c->arena, c->lanes, err);
        c->sum_x = fm_vec3_array_create(&c->arena, c->lanes, err);
        c->sum_v = fm_vec3_array_create(&c->arena, c->lanes, err);
    }
    c->substep = fm_arena_alloc(&c->arena, 1, sizeof *c->substep, "cloth", err);
    size_t lanes = (size_t)c->lanes, columns = (size_t)c->columns;
    c->area = fm_arena_alloc(&c->arena, lanes, sizeof *c->area, "cloth", err);
    c->mass = fm_arena_alloc(&c->arena, lanes, sizeof *c->mass, "cloth", err);
    c->rest_scatter = fm_arena_alloc(&c->arena, lanes, sizeof *c->rest_scatter, "cloth", err);
    c->damping_load = fm_arena_alloc(&c->arena, lanes, sizeof *c->damping_load, "cloth", err);
    c->spring_sum = fm_arena_alloc(&c->arena, lanes, sizeof *c->spring_sum, "cloth", err);
    c->column_weight = fm_arena_alloc(&c->arena, columns, sizeof(double), "cloth", err);
    c->ones = fm_arena_alloc(&c->arena, columns, sizeof *c->ones, "cloth", err);
    c->pin = fm_arena_alloc(&c->arena, lanes, sizeof *c->pin, "cloth", err);
    c->pinned = fm_arena_alloc(&c->arena, lanes, sizeof *c->pinned, "cloth", err);
    c->pinned_u = fm_arena_alloc(&c->arena, lanes, sizeof *c->pinned_u, "cloth", err);
    c->touch = fm_arena_alloc(&c->arena, lanes, sizeof *c->touch, "cloth", err);
    c->out_x = fm_arena_alloc(&c->arena, lanes, sizeof *c->out_x, "cloth", err);
    c->out_v = fm_arena_alloc(&c->arena, lanes, sizeof *c->out_v, "cloth", err);
}

// Share of a cell's width that row or column i of `count` represents: half a cell at the border.
static double border_weight(int i, int count)
{
    return i == 0 || i == count - 1 ? 0.5 : 1;
}

// Sets position x (m), velocity v (m/s), area (m^2) and mass of particle i.
void fm_cloth_place_particle(fm_cloth *c, int i, fm_vec3 x, fm_vec3 v, double area)
{
    c->x.x[i] = x.x, c->x.y[i] = x.y, c->x.z[i] = x.z;
    c->v.x[i] = v.x, c->v.y[i] = v.y, c->v.z[i] = v.z;
    c->area[i] = area;
    c->mass[i] = c->def.density * c->def.thickness * area;
}

// Places the particles of a sheet on its grid, and computes the weights of its columns.
static void place_particles(fm_cloth *c)
{
    const fm_sheet *sheet = &c->sheet;
    fm_pose pose = fm_pose_identity();
    pose.rotation = sheet->rotation;
    pose.position = sheet->origin;
    for (int i = 0; i < c->count; i++) {
        int row = i / c->columns, column = i % c->columns;
        fm_vec3 x = fm_pose_apply(&pose, (fm_vec3){column * c->dx, -row * c->dy, 0});
        fm_cloth_place_particle(c, i, x, sheet->velocity,
                                c->dx * c->dy * border_weight(row, c->rows) *
                                    border_weight(column, c->columns));
    }
    for (int column = 0; column < c->columns; column++) {
        c->column_weight[column] = border_weight(column, c->columns);
        c->ones[column] = 1;
    }
}

// Number of rows that one parallel task handles.
static int choose_row_block(int rows, int columns)
{
    enum { PARTICLES = 600 }; // per task; the work on fewer takes less time than waking a thread
    int blocks = (int)((double)rows * columns / PARTICLES);
    return blocks < 2 ? rows : fm_parallel_block_count(rows, blocks);
}

// Checks the definition and allocates the arrays of a cloth of any kind, without particles and
// springs. NULL with err filled on failure.
fm_cloth *fm_cloth_create_empty(const fm_cloth_def *def, const fm_medium *medium, int columns,
                                int rows, fm_error *err)
{
    const char *object = def->name ? def->name : "cloth";
    if (err->status != FM_OK || !check_def(def, err) || !check_integrator(def, medium, err))
        return NULL;
    fm_cloth *c = fm_aligned_calloc(1, sizeof *c);
    if (!c) {
        fm_fail_no_memory(err, object, sizeof *c);
        return NULL;
    }
    c->def = *def;
    snprintf(c->object.name, sizeof c->object.name, "%s", object);
    c->def.name = c->object.name;
    c->columns = columns;
    c->rows = rows;
    c->count = columns * rows;
    c->lanes = fm_parallel_block_count(c->count, FM_LANES) * FM_LANES;
    c->row_block = choose_row_block(rows, columns);
    c->stiffness_share = 1;
    create_arrays(c, err);
    c->inertia = c->mass;
    c->wet_area = c->area;
    if (err->status != FM_OK) {
        fm_cloth_destroy(c);
        return NULL;
    }
    for (int i = 0; i < c->lanes; i++) {
        c->pin[i] = FM_UNPINNED;
        c->mass[i] = 1; // padding lanes after the last particle must not divide by 0
    }
    return c;
}

// Computes what depends on particles and springs: imperfection, contact thickness, force terms, the
// stable substep, enforcement and normals. On failure the caller destroys the cloth.
bool fm_cloth_finish_creation(fm_cloth *c, const fm_medium *medium, fm_error *err)
{
    const double LEAST_CONTACT_THICKNESS = 0.1; // default contact thickness, in edge lengths
    double edge = c->kind == FM_CLOTH_SHEET ? fmin(c->dx, c->dy) : c->mesh.mean_rest;
    fm_cloth_add_imperfection(c);
    c->contact_thickness = c->def.contact.thickness > 0
                               ? c->def.contact.thickness
                               : fmax(c->def.thickness, LEAST_CONTACT_THICKNESS * edge);
    c->initial_x =
        fm_arena_alloc(&c->arena, (size_t)c->count, sizeof *c->initial_x, c->object.name, err);
    if (!c->initial_x)
        return false;
    for (int i = 0; i < c->count; i++)
        c->initial_x[i] = (fm_vec3){c->x.x[i], c->x.y[i], c->x.z[i]};
    if ((c->fabric && !fm_fabric_finish(c, err)) || (c->soft && !fm_soft_finish(c, err)) ||
        !fm_muscle_setup(c, err) || !fm_terms_create(c, err) ||
        !fm_added_mass_create(c, medium, err))
        return false;
    if (c->def.integrator == FM_AUTOMATIC)
        fm_cloth_choose_integrator(c, medium);
    if (fm_cloth_is_implicit(&c->def) && !fm_implicit_create(c, err))
        return false;
    fm_cloth_choose_step(c);
    if (c->def.enforcement.method != FM_ENFORCE_NONE && !fm_enforcer_create(c, err))
        return false;
    fm_cloth_compute_normals(c, &c->x, &c->normal);
    return true;
}

// Creates a sheet that is not yet in a world. Without a given added mass, the layer of medium that
// moves with the sheet is 1/(2 pi) of its smaller side.
fm_cloth *fm_cloth_create_detached_sheet(const fm_cloth_def *def, const fm_sheet *sheet,
                                         const fm_medium *medium, fm_error *err)
{
    assert(def && sheet);
    // errors of the definition are reported before errors of the sheet
    if (err->status != FM_OK || !check_def(def, err) || !check_integrator(def, medium, err) ||
        !check_sheet(def->name ? def->name : "cloth", sheet, err))
        return NULL;
    fm_cloth *c = fm_cloth_create_empty(def, medium, sheet->columns, sheet->rows, err);
    if (!c)
        return NULL;
    c->sheet = *sheet;
    fm_quat_normalize(&c->sheet.rotation);
    c->dx = sheet->width / (sheet->columns - 1);
    c->dy = sheet->height / (sheet->rows - 1);
    c->added_mass = def->drag.added_mass >= 0 ? def->drag.added_mass
                                              : fmin(sheet->width, sheet->height) / (2 * FM_PI);
    place_particles(c);
    if (fm_cloth_finish_creation(c, medium, err))
        return c;
    fm_cloth_destroy(c);
    return NULL;
}

// Frees a cloth, its memories and its arrays. Does nothing for NULL.
void fm_cloth_destroy(fm_cloth *cloth)
{
    if (!cloth)
        return;
    for (int i = 0; i < cloth->term_count; i++)
        fm_memory_destroy(cloth->terms[i].memory);
    free(cloth->near.excluded_start);
    free(cloth->near.excluded);
    fm_arena_destroy(&cloth->arena);
    free(cloth);
}

const char *fm_cloth_name(const fm_cloth *cloth)
{
    assert(cloth);
    return cloth->object.name;
}

int fm_cloth_particle_count(const fm_cloth *cloth)
{
    assert(cloth);
    return cloth->count;
}

fm_cloth_kind fm_cloth_topology(const fm_cloth *cloth)
{
    assert(cloth);
    return cloth->kind;
}

fm_sheet fm_cloth_sheet(const fm_cloth *cloth)
{
    assert(cloth);
    return cloth->sheet;
}

fm_tube fm_cloth_tube(const fm_cloth *cloth)
{
    assert(cloth);
    return cloth->tube;
}

fm_cloth_def fm_cloth_definition(const fm_cloth *cloth)
{
    assert(cloth);
    return cloth->def;
}

double fm_cloth_stable_step(const fm_cloth *cloth)
{
    assert(cloth);
    return cloth->stable_step;
}

// Copies one vector per particle from component arrays to `out`. count, if not NULL, receives the
// number of particles.
static const fm_vec3 *copy_axes_out(const fm_cloth *c, const fm_vec3_array *from, fm_vec3 *out,
                                    int *count)
{
    for (int i = 0; i < c->count; i++)
        out[i] = (fm_vec3){from->x[i], from->y[i], from->z[i]};
    if (count)
        *count = c->count;
    return out;
}

const fm_vec3 *fm_cloth_positions(fm_cloth *cloth, int *count)
{
    assert(cloth);
    return copy_axes_out(cloth, &cloth->x, cloth->out_x, count);
}

const fm_vec3 *fm_cloth_velocities(fm_cloth *cloth, int *count)
{
    assert(cloth);
    return copy_axes_out(cloth, &cloth->v, cloth->out_v, count);
}

// Sets positions or velocities of all particles before the first advance. field: their name, for
// the error message. False, with nothing changed, after the first advance or if a value is not
// finite.
static bool write_axes(fm_cloth *c, const char *field, const fm_vec3_array *to,
                       const fm_vec3 *values, fm_error *err)
{
    if (c->started)
        return fm_fail_number(err, c->object.name, field, c->time,
                              "writes before the first advance only");
    for (int i = 0; i < c->count; i++) {
        double sum = values[i].x + values[i].y + values[i].z;
        if (!isfinite(sum))
            return fm_fail_number(err, c->object.name, field, sum, "finite numbers");
    }
    for (int i = 0; i < c->count; i++)
        to->x[i] = values[i].x, to->y[i] = values[i].y, to->z[i] = values[i].z;
    return true;
}

// Sets the positions of all particles before the first advance, and what depends on them: anchors
// of pins, gaps of seams, normals. Rest lengths do not change.
bool fm_cloth_set_positions(fm_cloth *cloth, const fm_vec3 *positions, fm_error *err)
{
    assert(err->status != FM_OK || cloth);
    if (err->status != FM_OK) // after an earlier error the cloth may be NULL
        return false;
    if (!write_axes(cloth, "positions", &cloth->x, positions, err))
        return false;
    for (int p = 0; p < cloth->pinned_count; p++) {
        int i = cloth->pinned[p];
        cloth->anchor.x[i] = cloth->x.x[i];
        cloth->anchor.y[i] = cloth->x.y[i];
        cloth->anchor.z[i] = cloth->x.z[i];
    }
    fm_stitches_measure_gaps(cloth);
    fm_cloth_compute_normals(cloth, &cloth->x, &cloth->normal);
    return true;
}

bool fm_cloth_set_velocities(fm_cloth *cloth, const fm_vec3 *velocities, fm_error *err)
{
    assert(err->status != FM_OK || cloth);
    return err->status == FM_OK && write_axes(cloth, "velocities", &cloth->v, velocities, err);
}
