// SPDX-License-Identifier: MIT
// object.c: the object type of particle fluids: the functions through which worlds, coupled bodies,
// file writers and renderers use a fluid.
#include "particles/spring_network.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The fluid whose first member is this object.
static fm_particles *fluid_of(const fm_object *object)
{
    return (fm_particles *)object;
}

// Functions that advance the fluid.

// Advances the fluid by `interval`, s; *substeps: how many it took.
static bool advance(fm_object *object, const fm_surroundings *around, double interval,
                    int *substeps, fm_error *err)
{
    return fm_particles_advance(fluid_of(object), around, interval, substeps, err);
}

// Upper bound on the next substep of a fluid, s.
static double longest_step(fm_object *object, const fm_surroundings *around, fm_error *err)
{
    fm_particles *p = fluid_of(object);
    if (!fm_particles_prepare(p, around, err))
        return INFINITY;
    fm_particles_begin(p, around);
    return fm_particles_stable_step(p);
}

// Estimates how many substeps `duration`, s, will take, for a warning before endless runs.
static void forecast(fm_object *object, const fm_surroundings *around, double duration,
                     fm_forecast *f, fm_error *err)
{
    fm_particles *p = fluid_of(object);
    if (!fm_particles_prepare(p, around, err))
        return;
    fm_particles now = *p; // copy with the expected motion; the fluid itself stays unchanged
    if (!fm_particles_has_begun(p)) {
        for (int i = 0; i < p->count; i++) {
            fm_vec3 v = {p->now.vx[i], p->now.vy[i], p->now.vz[i]};
            now.max_speed = fmax(now.max_speed, fm_length(v));
        }
        now.max_acceleration = fm_length(around->gravity);
    }
    double step = fm_particles_stable_step(&now), count = ceil(duration / step);
    if (!fm_forecast_raise_substeps(f, count))
        return;
    snprintf(f->text, sizeof f->text,
             "%s: %.3g substeps of %.3g s, for its spacing is %.3g m, its fastest particle has "
             "%.3g m/s, sound %.3g m/s, and the viscosity is %.3g Pa s. Slower particles, a larger "
             "spacing, or a smaller speed or viscosity help",
             object->name, count, step, p->def.spacing, now.max_speed, p->c, p->def.viscosity);
}

// The walls of the fluid's domain at time t, as planes that cloth and balls collide with.
static int find_walls(const fm_object *object, double t, fm_placed_collider *planes)
{
    return fm_particles_find_wall_planes(fluid_of(object), t, planes);
}

// Functions for coupling with bodies in the fluid.

// Density and viscosity of the fluid, for the drag of coupled cloth.
static fm_medium find_properties(const fm_object *object)
{
    const fm_particles_def *def = &fluid_of(object)->def;
    return (fm_medium){.density = def->density, .viscosity = def->viscosity};
}

// Particle spacing, m: coupled cloth is sampled at least this densely.
static double find_resolution(const fm_object *object)
{
    return fluid_of(object)->def.spacing;
}

// Lists the settings of a fluid that do not allow this way of coupling. Returns their number.
int fm_particles_find_coupling_faults(const fm_particles_def *def, fm_coupling_way way,
                                      fm_coupling_fault *faults)
{
    int count = 0;
    if (def->dimensions != 3)
        faults[count++] = (fm_coupling_fault){"dimensions", "2", "3: bodies are in space", false};
    if (def->method == FM_SPH_RELAXATION)
        faults[count++] = (fm_coupling_fault){"method", "relaxation", "another one", false};
    else if (way == FM_COUPLING_TWO_WAY && def->method != FM_SPH_WEAKLY_COMPRESSIBLE &&
             def->method != FM_SPH_AUTOMATIC && def->method != FM_SPH_CONSTANT_DENSITY)
        faults[count++] = (fm_coupling_fault){
            "method", "standard",
            "constant-density, weakly-compressible or automatic; this one allows one-way", true};
    return count;
}

// Fails if this fluid cannot be coupled with a body of this name.
static bool check_coupling(const fm_object *object, fm_coupling_way way, const char *body,
                           fm_error *err)
{
    fm_coupling_fault faults[FM_COUPLING_FAULTS_MAX];
    if (fluid_of(object)->prepared)
        return fm_fail(err, FM_BAD_VALUE, body, "coupling", "added later",
                       "before the first advance");
    return fm_particles_find_coupling_faults(&fluid_of(object)->def, way, faults) == 0 ||
           fm_coupling_fail(err, object, faults);
}

// Couples a surface (the samples of a cloth) with the fluid. Removes fluid particles that overlap
// the layer of samples, unless the surface is passive.
static bool attach(fm_object *object, fm_samples *samples, fm_error *err)
{
    fm_particles *p = fluid_of(object);
    return fm_particles_attach_surface(p, samples, err) &&
           (samples->passive || fm_particles_remove_inside_surface(p, samples, err));
}

// Functions that read the state.

static const fm_field quantities[] = {
    {"particle_count", "", "number of particles", 1},
    {"volume", "m^3", "volume of all particles at rest; in 2D m^2", 1},
    {"kinetic_energy", "J", "kinetic energy of the particles", 1},
    {"potential_energy", "J", "potential energy of the particles' weight", 1},
    {"max_speed", "m/s", "speed of the fastest particle", 1},
    {"effective_viscosity", "Pa s", "viscosity that loses as much energy; 0: not measured", 1},
};

// Speed of the fastest particle, m/s.
static double find_max_speed(const fm_particles *p)
{
    double fastest = 0;
    for (int i = 0; i < p->count; i++) {
        fm_vec3 v = {p->now.vx[i], p->now.vy[i], p->now.vz[i]};
        fastest = fmax(fastest, fm_length(v));
    }
    return fastest;
}

// Measures the fluid for a report (m) and for the columns of stats.csv (q, in the order of
// `quantities`; NULL: not needed).
static void measure(fm_object *object, const fm_surroundings *around, fm_measure *m, double *q)
{
    const fm_particles *p = fluid_of(object);
    const fm_springs *springs = p->prepared ? fm_springs_find(p) : NULL;
    fm_particles_measure now = fm_particles_measure_state(p, around);
    *m = (fm_measure){
        .kinetic_energy = now.kinetic_energy,
        .momentum = now.momentum,
        .potential_energy = now.potential_energy,
        .bad_point = now.first_bad,
        .particle_count = p->count,
        .outside_count = now.outside_count,
        .stopped_count = (int)(p->stats.stopped_count - p->at_reset.stopped_count),
        .load = fm_sub(p->stats.load, p->at_reset.load),
        .damping_share = 1,
        .stiffness_share = springs ? springs->least_share : 1,
    };
    if (!q)
        return;
    q[0] = p->count;
    q[1] = p->count * p->volume;
    q[2] = now.kinetic_energy, q[3] = now.potential_energy;
    q[4] = find_max_speed(p);
    q[5] = fm_particles_effective_viscosity(p);
}

// Called when an advance begins: statistics are reported relative to this time.
static void reset(fm_object *object)
{
    fm_particles *p = fluid_of(object);
    fm_springs *springs = p->prepared ? fm_springs_find(p) : NULL;
    p->at_reset = p->stats;
    p->list_age = 0; // snapshots hold no neighbour lists
    p->reset_time = p->time;
    if (p->prepared && p->prepared_colliders > 0)
        memset(p->collider_impulse, 0, (size_t)p->prepared_colliders * sizeof *p->collider_impulse);
    if (springs)
        springs->least_share = 1;
}

// The fluid as a mesh without faces: its points are the particles.
static bool view_mesh(fm_object *object, fm_mesh_view *view, fm_error *err)
{
    *view = (fm_mesh_view){0};
    view->points = fm_particles_positions(fluid_of(object), &view->point_count);
    return view->points ||
           fm_fail_no_memory(err, object->name, (size_t)fluid_of(object)->count * sizeof(fm_vec3));
}

// Reads a field of all particles, as fm_particles_read_field.
static bool read_field(fm_object *object, const fm_surroundings *around, const char *name,
                       double *values, fm_error *err)
{
    (void)around;
    return fm_particles_read_field(fluid_of(object), name, values, err);
}

// Evaluates a field at a point inside the fluid. Only the velocity can be evaluated.
static bool probe(fm_object *object, const char *field, fm_vec3 at, double values[3], fm_error *err)
{
    fm_vec3 velocity = {0};
    if (strcmp(field, "velocity") != 0)
        return fm_fail(err, FM_BAD_VALUE, object->name, "field", field, "velocity");
    if (!fm_particles_sample(fluid_of(object), &at, 1, &velocity, err))
        return false;
    values[0] = velocity.x, values[1] = velocity.y, values[2] = velocity.z;
    return true;
}

// Functions that save, restore and destroy the state.

static void destroy(fm_object *object)
{
    fm_particles_destroy(fluid_of(object));
}

static size_t save(const fm_object *object, void *buffer, size_t size)
{
    return fm_particles_save(fluid_of(object), buffer, size);
}

// Restores a saved state; prepares the fluid first, because the state needs its arrays.
static bool restore(fm_object *object, const fm_surroundings *around, const void *buffer,
                    size_t size, fm_error *err)
{
    fm_particles *p = fluid_of(object);
    return fm_particles_prepare(p, around, err) && fm_particles_restore(p, buffer, size, err);
}

// Mean force on a collider without a mass in this advance, N.
static bool find_collider_load(const fm_object *object, int collider, fm_vec3 *load)
{
    const fm_particles *p = fluid_of(object);
    *load = (fm_vec3){0};
    if (!p->def.loads)
        return false;
    if (p->prepared && collider < p->prepared_colliders && p->time > p->reset_time)
        *load = fm_scale(p->collider_impulse[collider], 1 / (p->time - p->reset_time));
    return true;
}

static const fm_medium_type medium = {
    .advance = advance,
    .longest_step = longest_step,
    .properties = find_properties,
    .resolution = find_resolution,
    .check_coupling = check_coupling,
    .attach = attach,
    .walls = find_walls,
    .probe_fields = "velocity",
    .probe = probe,
    .collider_load = find_collider_load,
};

const fm_object_type fm_particles_type = {
    .kind = "particles",
    .fields = fm_particles_field_list,
    .field_count = FM_PARTICLES_FIELD_COUNT,
    .needed_fields = "velocity density pressure id radius",
    .usual_fields = "",
    .quantities = quantities,
    .quantity_count = sizeof quantities / sizeof *quantities,
    .medium = &medium,
    .destroy = destroy,
    .save = save,
    .restore = restore,
    .reset = reset,
    .forecast = forecast,
    .mesh = view_mesh,
    .read = read_field,
    .measure = measure,
};

// Public functions that need the world.

// Creates a fluid in a world.
fm_particles *fm_particles_create(fm_world *world, const fm_particles_def *def, fm_error *err)
{
    if (!fm_world_is_ready(world, err))
        return NULL;
    fm_surroundings around = fm_world_surroundings(world);
    fm_particles *fluid = fm_particles_create_detached(def, err);
    if (!fluid || !fm_mesh_boundary_check(fluid, &around, err)) {
        fm_particles_destroy(fluid);
        return NULL;
    }
    fluid->object.type = &fm_particles_type;
    fluid->time = fm_world_time(world);
    return (fm_particles *)fm_world_add_object(world, &fluid->object, err);
}

// Fills a box with particles, except inside colliders.
bool fm_particles_add_box(fm_particles *fluid, const fm_fluid_box *box, fm_error *err)
{
    assert(err->status != FM_OK || (fluid && box));
    if (err->status != FM_OK) // after an earlier error the fluid may be NULL
        return false;
    fm_surroundings around = fm_world_surroundings(fluid->object.world);
    double t = fm_world_time(fluid->object.world);
    for (int i = 0; i < around.collider_count; i++)
        around.placed[i] = fm_collider_place(around.colliders[i], t);
    return fm_particles_fill_box(fluid, box, &around, err);
}

int fm_world_particle_fluid_count(const fm_world *world)
{
    return fm_world_type_count(world, &fm_particles_type);
}

fm_particles *fm_world_particle_fluid(fm_world *world, int index)
{
    return (fm_particles *)fm_world_object_of_type(world, &fm_particles_type, index);
}

fm_object *fm_particles_object(fm_particles *fluid)
{
    return fluid ? &fluid->object : NULL;
}

fm_particles *fm_object_particles(fm_object *object)
{
    return object && object->type == &fm_particles_type ? (fm_particles *)object : NULL;
}
