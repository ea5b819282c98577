// SPDX-License-Identifier: MIT
// objects.c: creation of worlds, and of motions, colliders, figures and objects in them; access to
// objects.
#include "motion/figure.h"
#include "rigid/ball.h"
#include "world/world.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const object = "world"; // named in error messages

// A world of still water under gravity, with all processors.
fm_world_def fm_default_world_def(void)
{
    return (fm_world_def){
        .medium = {.density = 1000, .viscosity = 1.0e-3, .flow = {.turbulence = {.length = 0.5}}},
        .gravity = {0, -9.81, 0},
    };
}

// Checks the definition of a world and normalizes the axis of its flow.
static bool check_def(fm_world_def *def, fm_error *err)
{
    const fm_medium *m = &def->medium;
    if (!(m->density >= 0 && m->density <= 1e5))
        return fm_fail_number(err, object, "medium.density", m->density, "0 to 1e5 kg/m^3");
    if (!(m->viscosity >= 0 && m->viscosity <= 1e6))
        return fm_fail_number(err, object, "medium.viscosity", m->viscosity, "0 to 1e6 Pa s");
    double g = def->gravity.x + def->gravity.y + def->gravity.z;
    if (!isfinite(g))
        return fm_fail_number(err, object, "gravity", g, "finite numbers");
    if (def->threads < 0 || def->threads > 256)
        return fm_fail_number(err, object, "threads", def->threads, "0 (all processors) to 256");
    return fm_flow_check(&def->medium.flow, err);
}

// Creates the threads of the world, or a pool that uses the task system of the host program.
static fm_pool *create_pool(const fm_world_def *def, fm_error *err)
{
    if (def->tasks.run)
        return fm_pool_create_hosted(def->tasks.run, def->tasks.host,
                                     def->tasks.thread_count > 0 ? def->tasks.thread_count : 1,
                                     err);
    return fm_pool_create(def->threads > 0 ? def->threads : fm_pool_processor_count(), err);
}

// Creates an empty world: checks its definition, creates threads and turbulence. NULL and err
// filled on failure.
fm_world *fm_world_create(const fm_world_def *def, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    assert(def);
    fm_world_def checked = *def;
    if (!check_def(&checked, err))
        return NULL;
    fm_world *world = fm_aligned_calloc(1, sizeof *world);
    if (!world) {
        fm_fail_no_memory(err, object, sizeof *world);
        return NULL;
    }
    world->def = checked;
    world->pool = create_pool(&checked, err);
    if (!world->pool) {
        free(world);
        return NULL;
    }
    fm_flow *flow = &world->def.medium.flow;
    if (flow->turbulence.intensity > 0) {
        flow->eddies = fm_eddies_create(&world->arena, &flow->turbulence, err);
        if (!flow->eddies) {
            fm_world_destroy(world);
            return NULL;
        }
    }
    return world;
}

// Frees the world with all its objects, motions, colliders and figures.
void fm_world_destroy(fm_world *world)
{
    if (!world)
        return;
    fm_world_destroy_contact(world);
    fm_world_destroy_ties(world);
    fm_world_destroy_layers(world);
    for (int i = 0; i < world->object_count; i++)
        world->objects[i]->type->destroy(world->objects[i]);
    fm_pool_destroy(world->pool);
    fm_arena_destroy(&world->arena);
    free(world->solids);
    free(world->hash_bytes);
    free(world);
}

// Gravity, medium, colliders and threads of the world, for its objects.
fm_surroundings fm_world_surroundings(const fm_world *world)
{
    fm_world *scratch = (fm_world *)world; // placed and stop are scratch data, not state
    return (fm_surroundings){
        .gravity = world->def.gravity,
        .medium = world->def.medium,
        .colliders = world->colliders,
        .collider_count = world->collider_count,
        .placed = scratch->placed,
        .pool = world->pool,
        .stop = &scratch->stop,
    };
}

// The environment of an object. A coupled body gets its fluid as medium, and a cheap body one
// thread only.
fm_surroundings fm_object_surroundings(const fm_object *o)
{
    fm_surroundings around = fm_world_surroundings(o->world);
    if (!o->type->body)
        return around;
    around.medium = fm_coupling_find_medium(o);
    around.pool = fm_pool_if_worthwhile(o->world->pool, o->type->body->substep_ns(o));
    return around;
}

// The prescribed medium of the world.
const fm_medium *fm_world_medium(const fm_world *world)
{
    return &world->def.medium;
}

// Sets the callback through which the host can stop an advance; NULL removes it.
void fm_world_set_stop(fm_world *world, bool (*wants_stop)(void *context), void *context)
{
    world->stop = (fm_stop_request){.wants_stop = wants_stop, .context = context};
}

int fm_world_collider_count(const fm_world *world)
{
    assert(world);
    return world->collider_count;
}

// Collider number `index`, in the order of creation; NULL if there is none.
const fm_collider *fm_world_collider(const fm_world *world, int index)
{
    assert(world);
    return index >= 0 && index < world->collider_count ? world->colliders[index] : NULL;
}

// s, time of the world.
double fm_world_time(const fm_world *world)
{
    assert(world);
    return world->time;
}

// m/s, velocity of the prescribed flow at a position and time, s.
fm_vec3 fm_world_medium_velocity(const fm_world *world, fm_vec3 position, double time)
{
    assert(world);
    return fm_flow_velocity(&world->def.medium.flow, position, time);
}

// True if err holds no failure and the world exists.
bool fm_world_is_ready(const fm_world *world, fm_error *err)
{
    assert(err->status != FM_OK || world);
    return err->status == FM_OK && world;
}

// Creates a displacement by a sine that begins at zero.
fm_motion *fm_motion_sine(fm_world *world, fm_vec3 axis, double amplitude, double period,
                          fm_error *err)
{
    return fm_motion_sine_phase(world, axis, amplitude, period, 0, err);
}

// Creates a displacement by a sine: amplitude in m, period in s, phase in rad.
fm_motion *fm_motion_sine_phase(fm_world *world, fm_vec3 axis, double amplitude, double period,
                                double phase, fm_error *err)
{
    return fm_world_is_ready(world, err)
               ? fm_motion_create_sine(&world->arena, axis, amplitude, period, phase, err)
               : NULL;
}

// Creates a rotation about an axis.
fm_motion *fm_motion_turn(fm_world *world, const fm_turn *turn, fm_error *err)
{
    return fm_world_is_ready(world, err) ? fm_motion_create_turn(&world->arena, turn, err) : NULL;
}

// Creates a motion that interpolates keys.
fm_motion *fm_motion_keyframes(fm_world *world, const fm_key *keys, int key_count,
                               fm_interpolation interpolation, fm_vec3 pivot, fm_error *err)
{
    return fm_world_is_ready(world, err)
               ? fm_motion_create_keyframes(&world->arena, keys, key_count, interpolation, pivot,
                                            err)
               : NULL;
}

// Creates the motion `inner` followed by `outer`.
fm_motion *fm_motion_compose(fm_world *world, const fm_motion *outer, const fm_motion *inner,
                             fm_error *err)
{
    return fm_world_is_ready(world, err)
               ? fm_motion_create_composed(&world->arena, outer, inner, err)
               : NULL;
}

// Tells all bodies whether intervals vary in length: their fractional derivatives depend on it.
void fm_world_announce_variable_intervals(fm_world *world)
{
    for (int i = 0; i < world->object_count; i++) {
        const fm_body_type *body = world->objects[i]->type->body;
        if (body && body->set_variable_intervals)
            body->set_variable_intervals(world->objects[i], fm_world_has_variable_intervals(world));
    }
}

// Makes `solids`, the scratch array of walls and colliders, large enough for one more medium and
// one more collider.
static bool reserve_solids(fm_world *world, fm_error *err)
{
    int needed = FM_WALLS_MAX * (world->medium_count + 1) + world->collider_count + 1;
    if (needed <= world->solid_capacity)
        return true;
    size_t size = 2 * (size_t)needed * sizeof *world->solids;
    fm_placed_collider *larger = realloc(world->solids, size);
    if (!larger)
        return fm_fail_no_memory(err, object, size);
    world->solids = larger;
    world->solid_capacity = 2 * needed;
    return true;
}

// Number of objects of one type.
int fm_world_type_count(const fm_world *world, const fm_object_type *type)
{
    assert(world);
    int count = 0;
    for (int i = 0; i < world->object_count; i++)
        count += world->objects[i]->type == type;
    return count;
}

// The object number `index` among those of one type; NULL: there is none.
fm_object *fm_world_object_of_type(const fm_world *world, const fm_object_type *type, int index)
{
    assert(world);
    for (int i = 0; i < world->object_count && index >= 0; i++)
        if (world->objects[i]->type == type && index-- == 0)
            return world->objects[i];
    return NULL;
}

// Fails if the world has too many objects, or too many of this type. Also enlarges the scratch
// array for one more object.
static bool check_object_count(fm_world *world, const fm_object_type *type, fm_error *err)
{
    int count = fm_world_type_count(world, type);
    if (count < FM_WORLD_OBJECTS_MAX && world->object_count < FM_WORLD_ALL_OBJECTS_MAX)
        return reserve_solids(world, err);
    char field[64];
    snprintf(field, sizeof field, "objects of the kind %s", type->kind);
    return fm_fail_number(err, object, field, count + 1, "at most 1024");
}

// Adds an object to the world, which owns it from now on. If the world has too many, destroys the
// object and returns NULL.
fm_object *fm_world_add_object(fm_world *world, fm_object *added, fm_error *err)
{
    const fm_object_type *type = added->type;
    assert(type->quantity_count <= FM_QUANTITIES_MAX);
    if (!check_object_count(world, type, err)) {
        type->destroy(added);
        return NULL;
    }
    added->world = world;
    world->objects[world->object_count++] = added;
    world->body_count += type->body != NULL;
    world->medium_count += type->medium != NULL;
    world->rigid_count += type->rigid != NULL;
    fm_world_destroy_contact(world);
    fm_world_destroy_layers(world);
    fm_world_announce_variable_intervals(world);
    return added;
}

// Fails if the world has too many colliders.
static bool check_collider_count(fm_world *world, fm_error *err)
{
    return fm_world_is_ready(world, err) &&
           (world->collider_count + world->shown_count < FM_WORLD_OBJECTS_MAX ||
            fm_fail_number(err, object, "colliders", world->collider_count + 1, "at most 1024")) &&
           reserve_solids(world, err);
}

// Adds a collider to the world. A collider with a mass also becomes an object of kind ball. One
// that is only drawn is kept apart, so that no object meets it.
static fm_collider *add_collider(fm_world *world, fm_collider *collider, fm_error *err)
{
    if (!collider)
        return NULL;
    if (collider->shown_only) {
        world->shown[world->shown_count++] = collider;
        return collider;
    }
    const bool is_free = collider->rigid && !collider->rigid->carrier;
    fm_object *ball = is_free ? fm_ball_create(collider, err) : NULL;
    if (is_free && (!ball || !fm_world_add_object(world, ball, err)))
        return NULL;
    if (is_free)
        collider->rigid->time = world->time;
    world->colliders[world->collider_count++] = collider;
    fm_world_destroy_contact(world);
    return collider;
}

// Creates a collider of an analytic shape in the world.
fm_collider *fm_collider_create(fm_world *world, const fm_collider_def *def, fm_error *err)
{
    if (!check_collider_count(world, err))
        return NULL;
    return add_collider(world, fm_collider_create_in_arena(&world->arena, def, err), err);
}

// Creates a collider in the world that is a triangle mesh.
fm_collider *fm_collider_create_mesh(fm_world *world, const fm_collider_def *def,
                                     const fm_collider_mesh *mesh, fm_error *err)
{
    if (!check_collider_count(world, err))
        return NULL;
    return add_collider(world, fm_collider_create_mesh_in_arena(&world->arena, def, mesh, err),
                        err);
}

bool fm_world_collider_load(const fm_world *world, int index, fm_vec3 *load)
{
    bool measured = false;
    *load = (fm_vec3){0};
    for (int i = 0; i < world->object_count && fm_world_collider(world, index); i++) {
        const fm_medium_type *medium = world->objects[i]->type->medium;
        fm_vec3 part;
        if (medium && medium->collider_load &&
            medium->collider_load(world->objects[i], index, &part)) {
            measured = true;
            *load = fm_add(*load, part);
        }
    }
    return measured;
}

// The first collider with this name; NULL if there is none.
fm_collider *fm_world_find_collider(fm_world *world, const char *name)
{
    assert(world);
    for (int i = 0; i < world->collider_count; i++) {
        if (strcmp(world->colliders[i]->name, name) == 0)
            return world->colliders[i];
    }
    return NULL;
}

// Creates a figure in the world. NULL and err filled on bad values.
fm_figure *fm_figure_create(fm_world *world, const fm_figure_def *def, fm_error *err)
{
    if (!fm_world_is_ready(world, err))
        return NULL;
    if (world->figure_count == FM_WORLD_OBJECTS_MAX) {
        fm_fail_number(err, object, "figures", world->figure_count + 1, "at most 1024");
        return NULL;
    }
    fm_figure *figure = fm_figure_create_in_arena(&world->arena, def, err);
    if (figure)
        world->figures[world->figure_count++] = figure;
    return figure;
}

// Creates a motion that follows a bone of a figure.
fm_motion *fm_motion_figure(fm_world *world, const fm_figure *figure, fm_bone bone, fm_error *err)
{
    return fm_world_is_ready(world, err)
               ? fm_motion_create_figure(&world->arena, figure, (int)bone, err)
               : NULL;
}

// Adds a collider for each bone of a figure. The figure's skin is drawn instead of them, unless
// def.bare.
bool fm_figure_add_colliders(fm_world *world, const fm_figure *figure, double friction,
                             fm_error *err)
{
    assert(err->status != FM_OK || (world && figure));
    for (int bone = 0; bone < FM_BONE_COUNT && err->status == FM_OK; bone++) {
        char name[96];
        snprintf(name, sizeof name, "%s%s%s", figure->name, *figure->name ? "." : "",
                 fm_bone_name((fm_bone)bone));
        fm_collider_def def = {.name = name,
                               .shape = fm_figure_shape(figure, (fm_bone)bone),
                               .friction = friction,
                               .hidden = !figure->def.bare};
        if (figure->def.motion != FM_FIGURE_STAND)
            def.motion = fm_motion_figure(world, figure, (fm_bone)bone, err);
        fm_collider_create(world, &def, err);
    }
    return err->status == FM_OK;
}

int fm_world_figure_count(const fm_world *world)
{
    assert(world);
    return world->figure_count;
}

// Figure number `index`, in the order of creation; NULL if there is none.
const fm_figure *fm_world_figure(const fm_world *world, int index)
{
    assert(world);
    return index >= 0 && index < world->figure_count ? world->figures[index] : NULL;
}

int fm_world_object_count(const fm_world *world)
{
    assert(world);
    return world->object_count;
}

// Object number `index`, in the order of creation; NULL if there is none.
fm_object *fm_world_object(fm_world *world, int index)
{
    assert(world);
    return index >= 0 && index < world->object_count ? world->objects[index] : NULL;
}

// The first object with this name; NULL if there is none.
fm_object *fm_world_find_object(fm_world *world, const char *name)
{
    assert(world && name);
    for (int i = 0; i < world->object_count; i++)
        if (strcmp(world->objects[i]->name, name) == 0)
            return world->objects[i];
    return NULL;
}

const char *fm_object_kind(const fm_object *o)
{
    assert(o);
    return o->type->kind;
}

const char *fm_object_name(const fm_object *o)
{
    assert(o);
    return o->name;
}

fm_world *fm_object_world(const fm_object *o)
{
    assert(o);
    return o->world;
}

// Names of the fields that every frame contains, separated by blanks.
const char *fm_object_needed_fields(const fm_object *o)
{
    assert(o);
    return o->type->needed_fields;
}

// Names of the fields that a frame contains unless others are requested, separated by blanks.
const char *fm_object_usual_fields(const fm_object *o)
{
    assert(o);
    return o->type->usual_fields;
}

// Points of a named vertex group of the object; NULL: there is no such group.
const int *fm_object_point_group(const fm_object *o, const char *name, int *count)
{
    assert(o && name && count);
    *count = 0;
    return o->type->point_group ? o->type->point_group(o, name, count) : NULL;
}

// Points, lines and faces of the object at their current positions.
bool fm_object_mesh(fm_object *o, fm_mesh_view *view, fm_error *err)
{
    assert(err->status != FM_OK || (o && view));
    return err->status == FM_OK && o->type->mesh(o, view, err);
}

// The fields that can be read at the points of the object.
const fm_field *fm_object_fields(const fm_object *o, int *count)
{
    assert(o);
    if (count)
        *count = o->type->field_count;
    return o->type->fields;
}

bool fm_object_has_field(const fm_object *o, const char *name)
{
    assert(o && name);
    for (int i = 0; i < o->type->field_count; i++)
        if (strcmp(o->type->fields[i].name, name) == 0)
            return !o->type->has_field || o->type->has_field(o, name);
    return false;
}

// The quantities of the whole object that fm_object_measure computes.
const fm_field *fm_object_quantities(const fm_object *o, int *count)
{
    assert(o);
    if (count)
        *count = o->type->quantity_count;
    return o->type->quantities;
}

// Reads the values of a field at all points of the object.
bool fm_object_read_field(fm_object *o, const char *name, double *values, fm_error *err)
{
    assert(err->status != FM_OK || (o && name));
    if (err->status != FM_OK) // the object may not exist then
        return false;
    fm_surroundings around = fm_object_surroundings(o);
    return o->type->read(o, &around, name, values, err);
}

// True if bodies may be in the object.
bool fm_object_is_medium(const fm_object *o)
{
    assert(o);
    return o->type->medium != NULL;
}

// Evaluates a field of a medium at a point.
bool fm_object_probe(fm_object *o, const char *name, fm_vec3 at, double values[3], fm_error *err)
{
    assert(err->status != FM_OK || (o && name));
    if (err->status != FM_OK)
        return false;
    if (!o->type->medium || !o->type->medium->probe)
        return fm_fail(err, FM_BAD_VALUE, o->name, "probe", name, "of a medium");
    return o->type->medium->probe(o, name, at, values, err);
}

// The quantities of the newest fm_report, or of now if there was no report since the object was
// created or restored.
const double *fm_object_reported_quantities(fm_object *o)
{
    fm_error none = {0};
    if (!o->measured)
        o->measured = fm_object_measure(o, o->quantities, &none);
    return o->quantities;
}

// Measures the quantities of an object, the columns of stats.csv.
bool fm_object_measure(fm_object *o, double *values, fm_error *err)
{
    assert(err->status != FM_OK || (o && values));
    if (err->status != FM_OK)
        return false;
    fm_measure m = {.bad_point = -1};
    fm_surroundings around = fm_object_surroundings(o);
    o->type->measure(o, &around, &m, values);
    return true;
}
