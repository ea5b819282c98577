// SPDX-License-Identifier: MIT
// fractional_viscosity.c: viscosity that acts on fractional derivatives of displacements, as a term
// (an extension of the fluid, see terms.h).
//
// [OZG13] eq. (4.6) replaces the velocities in the viscous force by the fractional derivative of
// the positions. A characteristic time T turns that derivative back into a velocity:
//
//     u_i = T^(q-1) D^q x_i(t),    D^q x = 1/Gamma(1-q) integral_0^t (t-s)^-q v(s) ds,   0 < q < 1
//
// forces.c uses u_i - u_j instead of v_i - v_j. In steady shear u = v (t/T)^(1-q) / Gamma(2-q) as
// long as the integral covers the whole past. If the kernel is multiplied by e^(-age/f) (fading
// memory), u approaches v (f/T)^(1-q). T = 0 in the definition selects the T for which steady shear
// has u = v.
//
// A memory is the operator that computes D^q x from velocities. Each substep feeds it ("pushes")
// the velocities at its beginning, with the length of the step before it. The treatment is
// explicit, like that of viscosity without memory. The newest velocity has the weight w0 = h^(1-q)
// / Gamma(3-q). A step is stable if it is stable for a Newtonian fluid of viscosity mu T^(q-1) w0:
//
//     h <= h_N / (T^(q-1) w0(h)),    h_N: the bound without memory
//
// Integrals over the whole past (FM_RECALL_FULL, FM_RECALL_FADING) are computed by fm_memory,
// integrals over the last n steps (FM_RECALL_STEPS) by fm_variable_window. Each differentiated
// scalar signal is a lane. The lanes of one axis are:
//
//     0            a constant velocity of 1 m/s: its value is D^q x / v of steady motion
//     1 .. 6       the six sides of the domain
//     7 + 4 c ..   collider c: the origin of its frame and the ends of its three unit axes. These
//                  four give every point of the collider, because x = c + R r is linear in r and
//                  so is D^q x
//     solid_lanes  from here on particles, in the order in which they first appeared
//
// Each particle stores its lane number, so sorting does not move histories. A particle emitted by a
// source is treated as if it had always moved with its initial velocity, so that all particles of a
// steady jet have the same history. Wrapping across periodic sides changes positions but not
// velocities, so histories stay valid.
//
//   boundary particles   u_w = 2 T^(q-1) D^q x_w - mean of u_j,  like v_w in boundary_particles.c
//   q  order    mu  viscosity, Pa s    h  step, s
//
// [OZG13] in docs/references.md
#include "particles/fractional_viscosity.h"

#include <assert.h>
#include <string.h>

// A boundary particle has no fluid within its support if the kernel sum, in volumes of one fluid
// particle, is at most this. Bounds rounding errors of the sum.
static const float KERNEL_SUM_MIN = 1e-6f;

// Two steps whose lengths differ by less than this share, by rounding, count as equal.
static const double STEP_ROUNDING = 1e-9;

// First lane (differentiated signal) of the domain's sides and of the colliders, and lanes per
// collider.
enum { SIDE_LANE = 1, COLLIDER_LANE = SIDE_LANE + FM_SIDE_COUNT, LANES_OF_COLLIDER = 4 };

// True when the fractional derivative integrates over the last n steps only.
static bool is_window(const fm_particles *p)
{
    return p->def.fractional.memory.kind == FM_RECALL_STEPS;
}

// T^(q-1) in s^(q-1), the factor that turns D^q x into a velocity, for a step h in s. If the
// definition gives no T, an integral over the last n steps uses the T for which steady shear feels
// the given viscosity; that T is proportional to n h.
static double find_scale(const fm_particles *p, double h)
{
    const fm_fractional *f = &p->def.fractional;
    const double q = f->order;
    if (f->time > 0)
        return pow(f->time, q - 1);
    if (f->memory.kind == FM_RECALL_FADING)
        return pow(f->memory.fading, q - 1);
    return is_window(p) && h > 0 ? tgamma(2 - q) * pow(f->memory.steps * h, q - 1) : 1;
}

// Longest stable step with fractional viscosity, s. newtonian: that with ordinary viscosity, s.
static double find_stable_step(const fm_particles *p, double newtonian)
{
    const fm_fractional *f = &p->def.fractional;
    const double q = f->order;
    double step; // solution h of newtonian / (scale(h) h^(1-q) / Gamma(3-q)) = h
    if (is_window(p) && !(f->time > 0))
        step = newtonian * (2 - q) * pow(f->memory.steps, 1 - q);
    else
        step = pow(newtonian * tgamma(3 - q) / find_scale(p, 0), 1 / (2 - q));
    return f->above > 0 ? fmin(step, newtonian) : step;
}

// Replaces the viscous bound on the substep, s, by that of fractional viscosity.
static void bound_step(const fm_particles *p, const void *state, fm_step_bounds *bounds)
{
    (void)state;
    bounds->viscous = find_stable_step(p, bounds->viscous);
}

// The shortest step that the memory's kernel, approximated by a sum of exponentials, must resolve,
// s: a quarter of the step expected from sound and viscosity (step.c). The flow is expected to
// reach a tenth of the speed of sound.
static double find_shortest_step(const fm_particles *p)
{
    const fm_particles_def *d = &p->def;
    double h = p->R / 2, newtonian = 0.125 * h * h * d->density / d->viscosity;
    double step = d->courant * p->R / (1.1 * p->c); // sound and flow: c + c / 10
    step = fmin(step, find_stable_step(p, newtonian));
    return (d->time_step > 0 ? fmin(step, d->time_step) : step) / 4;
}

// Creates the operator that computes D^q x from the whole past.
static bool create_memory(const fm_particles *p, fm_fractional_state *history, fm_error *err)
{
    const fm_fractional *f = &p->def.fractional;
    history->shortest_step = find_shortest_step(p);
    fm_memory_def def = fm_memory_def_from_recall(&f->memory, f->order, history->shortest_step,
                                                  history->shortest_step);
    history->memory = fm_memory_create(&def, history->axes * history->lanes, err);
    return history->memory;
}

// Sets the state before velocities are first fed to the memory: no history, all lanes free.
static void reset(const fm_particles *p, fm_fractional_state *history)
{
    for (int i = 0; i < p->capacity; i++)
        history->lane[i] = history->solid_lanes + i;
    memset(history->values, 0,
           (size_t)history->axes * (size_t)history->lanes * sizeof *history->values);
    history->used_lanes = 0;
    history->since_push = history->recorded = history->last_step = history->scale = 0;
    history->begun = false;
    history->window.pushes = 0;
}

// Counts the lanes (differentiated signals) and allocates the arrays. solids: lanes per axis of
// walls and colliders.
static fm_fractional_state *create_arrays(fm_particles *p, int solids, fm_error *err)
{
    fm_fractional_state *history =
        fm_arena_alloc(&p->arena, 1, sizeof *history, p->object.name, err);
    if (!history)
        return NULL;
    history->axes = p->def.dimensions;
    history->solid_lanes = fm_parallel_block_count(solids, FM_LANES) * FM_LANES;
    history->lanes =
        history->solid_lanes + fm_parallel_block_count(p->capacity, FM_LANES) * FM_LANES;
    const size_t padding = 16; // SIMD loops read past the end
    size_t n = (size_t)p->capacity + padding, m = (size_t)p->boundary_capacity + padding;
    size_t all = (size_t)history->axes * (size_t)history->lanes;
    history->lane = fm_arena_alloc(&p->arena, n, sizeof(int), p->object.name, err);
    history->lane_spare = fm_arena_alloc(&p->arena, n, sizeof(int), p->object.name, err);
    history->values = fm_arena_alloc(&p->arena, all, sizeof(double), p->object.name, err);
    history->velocities =
        fm_arena_alloc(&p->arena, n, sizeof *history->velocities, p->object.name, err);
    history->boundary_velocities =
        fm_arena_alloc(&p->arena, m, sizeof *history->boundary_velocities, p->object.name, err);
    return err->status == FM_OK ? history : NULL;
}

// Creates the state of fractional viscosity; NULL without an error if the fluid's viscosity is
// ordinary or 0.
static void *create(fm_particles *p, const fm_surroundings *around, fm_error *err)
{
    if (!(p->def.fractional.order < 1 && p->def.viscosity > 0))
        return NULL;
    int solids = COLLIDER_LANE + LANES_OF_COLLIDER * around->collider_count;
    fm_fractional_state *history = create_arrays(p, solids, err);
    if (!history)
        return NULL;
    // true if no other force reads the velocities of the force records
    history->replaces_velocity =
        p->def.method != FM_SPH_CONSTANT_DENSITY && !(p->def.fractional.above > 0) &&
        (p->def.method == FM_SPH_STANDARD || p->def.artificial_viscosity == 0);
    bool created =
        is_window(p)
            ? fm_variable_window_create(&history->window, &p->arena, p->def.fractional.memory.steps,
                                        history->axes * history->lanes, p->object.name, err)
            : create_memory(p, history, err);
    if (!created)
        return NULL;
    if (!history->replaces_velocity) {
        p->viscous = history->velocities;
        p->viscous_boundary = history->boundary_velocities;
    }
    reset(p, history);
    return history;
}

// Destroys the operator that computes D^q x; the arrays belong to the fluid.
static void destroy(void *state)
{
    fm_memory_destroy(((fm_fractional_state *)state)->memory);
}

// Gives emitted particles, from index `first` on, the history of always having moved with their
// current velocity.
static void emit(fm_particles *p, void *state, int first)
{
    fm_fractional_state *history = state;
    for (int i = first; i < p->count; i++) {
        const float v[3] = {p->now.vx[i], p->now.vy[i], p->now.vz[i]};
        for (int axis = 0; axis < history->axes && axis < 3; axis++) {
            int base = axis * history->lanes, lane = base + history->lane[i];
            history->values[lane] = (double)v[axis] * history->values[base];
            if (history->memory)
                fm_memory_set_steady(history->memory, lane, (double)v[axis], history->recorded);
            else
                fm_variable_window_set_steady(&history->window, history->axes * history->lanes,
                                              lane, (double)v[axis]);
        }
    }
}

// Reorders the particles' lane numbers after sorting. The lanes (differentiated signals) of removed
// particles go behind the last particle, where they are free for emitted ones.
static void reorder(fm_particles *p, void *state, const fm_particle_order *order)
{
    fm_fractional_state *history = state;
    int *to = history->lane_spare, before = order->before;
    for (int i = 0; i < before; i++)
        to[i] = history->lane[order->from[i]];
    memcpy(to + before, history->lane + before, (size_t)(p->capacity - before) * sizeof *to);
    history->lane_spare = history->lane;
    history->lane = to;
}

// Stores the velocity v, m/s, of the particle of a lane as the next input of the memory, which has
// one signal for each axis and lane.
static void set_lane_velocity(fm_fractional_state *history, int lane, fm_vec3 v)
{
    const double component[3] = {v.x, v.y, v.z};
    for (int axis = 0; axis < history->axes && axis < 3; axis++)
        history->values[(size_t)axis * (size_t)history->lanes + (size_t)lane] = component[axis];
}

// D^q x of a lane (differentiated signal) when the memory was last fed, m s^-q.
static fm_vec3 read_lane_value(const fm_fractional_state *history, int lane)
{
    const double *values = history->values + lane;
    const size_t n = (size_t)history->lanes;
    return (fm_vec3){values[0], values[n], history->axes == 3 ? values[2 * n] : 0};
}

// Stores the velocities of the constant signal, the walls and the colliders, as the memory's next
// input.
static void set_solid_velocities(const fm_particles_step *step, fm_fractional_state *history)
{
    static const fm_vec3 ends[LANES_OF_COLLIDER] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    set_lane_velocity(history, 0, (fm_vec3){1, 1, 1});
    for (int side = 0; side < FM_SIDE_COUNT; side++)
        set_lane_velocity(history, SIDE_LANE + side,
                          fm_add(step->domain_velocity, step->p->def.domain.slide[side]));
    for (int c = 0; c < step->around->collider_count; c++) {
        const fm_pose *pose = &step->around->placed[c].pose;
        for (int k = 0; k < LANES_OF_COLLIDER; k++)
            set_lane_velocity(history, COLLIDER_LANE + LANES_OF_COLLIDER * c + k,
                              fm_pose_velocity_at(pose, fm_pose_apply(pose, ends[k])));
    }
}

// Context of parallel loops over particles.
typedef struct range_context {
    fm_particles *p;
    fm_fractional_state *history;
} range_context;

// Writes the particles' velocities to their lanes (differentiated signals), and 0 to lanes that no
// particle has now.
static void scatter_velocities(void *context, int first, int last)
{
    const range_context *job = context;
    const fm_particles *p = job->p;
    fm_fractional_state *history = job->history;
    const float *v[3] = {p->now.vx, p->now.vy, p->now.vz};
    for (int axis = 0; axis < history->axes; axis++) {
        double *values = history->values + (size_t)axis * (size_t)history->lanes;
        for (int i = first; i < last; i++)
            values[history->lane[i]] = i < p->count ? (double)v[axis][i] : 0;
    }
}

// Feeds the velocities of the lanes (differentiated signals) first to below last of every axis to
// the memory and replaces them by D^q x.
static void differentiate_lanes(void *context, int first, int last)
{
    fm_fractional_state *history = context;
    for (int axis = 0; axis < history->axes; axis++) {
        int base = axis * history->lanes;
        double *values = history->values + base + first;
        if (!history->memory) {
            fm_variable_window_push(&history->window, history->axes * history->lanes, base + first,
                                    base + last, values);
            continue;
        }
        fm_memory_push_range(history->memory, base + first, base + last, values);
        fm_memory_value_range(history->memory, base + first, base + last, values);
    }
}

// Computes u = T^(q-1) D^q x of the particles from the derivatives of their lanes.
static void gather_velocities(void *context, int first, int last)
{
    fm_fractional_state *history = ((const range_context *)context)->history;
    for (int i = first; i < last; i++) {
        fm_vec3 u = fm_scale(read_lane_value(history, history->lane[i]), history->scale);
        history->velocities[i] = (fm_viscous_velocity){{(float)u.x, (float)u.y, (float)u.z}};
    }
}

// Prepares the memory for new velocities. False: too little time has passed since it was last fed.
// A step that differs from the last one only by rounding reuses the weights of the last one.
static bool begin_push(const fm_particles *p, fm_fractional_state *history)
{
    double h = history->begun ? history->since_push : 0;
    if (history->begun && h < history->shortest_step)
        return false;
    if (fabs(h - history->last_step) <= STEP_ROUNDING * h)
        h = history->last_step;
    if (history->memory && !fm_memory_begin(history->memory, h))
        return false;
    if (!history->memory)
        fm_variable_window_begin(&history->window, p->def.fractional.order, h);
    history->last_step = h;
    history->recorded += h;
    history->since_push = 0;
    history->begun = true;
    history->scale = find_scale(p, h);
    return true;
}

// Feeds the current velocities to the memory and computes u = T^(q-1) D^q x of all particles.
static void record(const fm_particles_step *step, void *state)
{
    fm_particles *p = step->p;
    fm_fractional_state *history = state;
    fm_pool *pool = step->around->pool;
    range_context job = {p, history};
    history->used_lanes = p->count > history->used_lanes ? p->count : history->used_lanes;
    if (begin_push(p, history)) {
        set_solid_velocities(step, history);
        fm_parallel_for(pool, history->used_lanes, FM_PARTICLES_LARGE_BLOCK, scatter_velocities,
                        &job);
        int lane_end = history->solid_lanes +
                       fm_parallel_block_count(history->used_lanes, FM_LANES) * FM_LANES;
        fm_parallel_for(pool, lane_end, FM_PARTICLES_LARGE_BLOCK, differentiate_lanes, history);
        if (history->memory)
            fm_memory_end(history->memory);
    }
    fm_parallel_for(pool, p->count, FM_PARTICLES_LARGE_BLOCK, gather_velocities, &job);
    history->since_push += step->h;
}

// T^(q-1) D^q x of boundary particle i, m/s. The motion of immersed surfaces and animated meshes is
// not recorded: they are treated as if they had always moved with their current velocity.
static fm_vec3 find_boundary_velocity(const fm_particles_step *step,
                                      const fm_fractional_state *history, int i)
{
    const fm_particles *p = step->p;
    const fm_boundary_owner owner = p->identity[i].owner;
    const fm_collider *collider = fm_boundary_collider(step, i);
    bool animated = collider && collider->mesh && fm_trimesh_is_animated(collider->mesh);
    if (owner.kind == FM_OWNER_SURFACE || animated) {
        const fm_density_record *record = &p->boundary.density[i];
        return fm_scale((fm_vec3){record->vx, record->vy, record->vz},
                        history->scale * history->values[0]);
    }
    if (owner.kind == FM_OWNER_WALL)
        return fm_scale(read_lane_value(history, SIDE_LANE + owner.index), history->scale);
    int lane = COLLIDER_LANE + LANES_OF_COLLIDER * owner.index;
    fm_vec3 r = p->points[p->identity[i].point].x, D = read_lane_value(history, lane);
    fm_vec3 sum = fm_scale(D, 1 - r.x - r.y - r.z);
    sum = fm_add_scaled(sum, read_lane_value(history, lane + 1), r.x);
    sum = fm_add_scaled(sum, read_lane_value(history, lane + 2), r.y);
    sum = fm_add_scaled(sum, read_lane_value(history, lane + 3), r.z);
    return fm_scale(sum, history->scale);
}

// Sets u = T^(q-1) D^q x, the velocity for viscosity, of a boundary particle from its own history
// and its fluid neighbours; a ghost particle takes u of the particle that it is an image of.
FM_SIMD_CLONES static void extrapolate(const fm_particles_step *step, void *state,
                                       const fm_boundary_neighbours *near)
{
    const fm_particles *p = step->p;
    const fm_fractional_state *history = state;
    const fm_boundary_owner owner = p->identity[near->index].owner;
    fm_viscous_velocity *record = &history->boundary_velocities[near->index];
    if (owner.kind == FM_OWNER_PARTICLE) {
        *record = history->velocities[owner.index];
        return;
    }
    const fm_density_record *at = &p->boundary.density[near->index];
    const float inverse = (float)(1 / p->R);
    fm_floats W = {0}, x = {0}, y = {0}, z = {0};
    for (int b = 0; b < near->count; b += 8) {
        int padding = b + 8 == near->count ? near->padding : 0;
        fm_force_octet j = fm_records_load_force(p->fluid.force, near->list + b, padding);
        fm_floats u[3];
        fm_records_load_viscous(history->velocities, near->list + b, u);
        fm_floats dx = at->x - j.x, dy = at->y - j.y, dz = at->z - j.z;
        fm_floats w =
            j.V * fm_kernel_wendland(fm_floats_sqrt(dx * dx + dy * dy + dz * dz) * inverse);
        W += w;
        x += w * u[0];
        y += w * u[1];
        z += w * u[2];
    }
    fm_vec3 D = find_boundary_velocity(step, history, near->index);
    const float own[3] = {(float)D.x, (float)D.y, (float)D.z}, sum = fm_floats_sum(W);
    const float mean[3] = {fm_floats_sum(x), fm_floats_sum(y), fm_floats_sum(z)};
    bool dry = !(sum > KERNEL_SUM_MIN * (float)p->volume);
    for (int axis = 0; axis < 3; axis++)
        record->u[axis] = dry                  ? own[axis]
                          : p->def.domain.slip ? mean[axis] / sum
                                               : 2 * own[axis] - mean[axis] / sum;
}

// Overwrites the velocity in a force record with the one that viscosity uses, m/s.
static void replace_velocity(fm_force_record *record, const fm_viscous_velocity *velocity)
{
    record->vx = velocity->u[0];
    record->vy = velocity->u[1];
    record->vz = velocity->u[2];
}

// Overwrites the velocities in the force records of fluid particles with T^(q-1) D^q x.
static void replace_fluid_range(void *context, int first, int last)
{
    const range_context *job = context;
    for (int i = first; i < last; i++)
        replace_velocity(&job->p->fluid.force[i], &job->history->velocities[i]);
}

// Overwrites the velocities in the force records of boundary particles with T^(q-1) D^q x.
static void replace_boundary_range(void *context, int first, int last)
{
    const range_context *job = context;
    for (int k = first; k < last; k++)
        replace_velocity(&job->p->boundary.force[job->p->wet[k]],
                         &job->history->boundary_velocities[job->p->wet[k]]);
}

// Overwrites the velocities of the force records with T^(q-1) D^q x if only viscosity reads them.
// The force loop then costs the same as with ordinary viscosity.
static void before_forces(const fm_particles_step *step, void *state)
{
    range_context job = {step->p, state};
    fm_pool *pool = step->around->pool;
    if (!job.history->replaces_velocity)
        return;
    fm_parallel_for(pool, job.p->count, FM_PARTICLES_LARGE_BLOCK, replace_fluid_range, &job);
    fm_parallel_for(pool, job.p->wet_count, FM_PARTICLES_LARGE_BLOCK, replace_boundary_range, &job);
}

// Viscosity that a shear that has been steady since the beginning feels now, Pa s.
double fm_particles_steady_viscosity(const fm_particles *p)
{
    assert(p);
    if (!(p->def.fractional.order < 1))
        return p->def.viscosity;
    const fm_fractional_state *history = fm_fractional_find_state(p);
    return history ? p->def.viscosity * history->scale * history->values[0] : 0;
}

// Layout of the saved state of fractional viscosity: these numbers | arrays | fm_memory. The fields
// are those of fm_fractional_state; pushes: how often the window of steps has been fed.
typedef struct saved_numbers {
    int64_t pushes, used_lanes;
    double since_push, recorded, last_step; // s
} saved_numbers;

// One array of the saved state.
typedef struct state_array {
    void *values;
    size_t size; // bytes
} state_array;

enum { ARRAYS = 4 }; // arrays in the saved state of fractional viscosity

// Lists the arrays of the state of fractional viscosity that snapshots contain.
static void list_state_arrays(const fm_particles *p, const fm_fractional_state *history,
                              state_array arrays[ARRAYS])
{
    size_t all = (size_t)history->axes * (size_t)history->lanes,
           rows = (size_t)history->window.rows;
    const state_array list[ARRAYS] = {
        {history->lane, (size_t)p->capacity * sizeof(int)},
        {history->values, all * sizeof(double)},
        {history->window.steps, rows * sizeof(double)},
        {history->window.rates, rows * all * sizeof(float)},
    };
    memcpy(arrays, list, sizeof list);
}

// The numbers of the state of fractional viscosity that snapshots contain.
static saved_numbers find_saved_numbers(const fm_fractional_state *history)
{
    return (saved_numbers){history->window.pushes, history->used_lanes, history->since_push,
                           history->recorded, history->last_step};
}

// Writes the state of fractional viscosity to `out` and returns its size in bytes; out NULL: the
// size only.
static size_t write_state(const fm_particles *p, const fm_fractional_state *history,
                          unsigned char *out)
{
    state_array arrays[ARRAYS];
    const saved_numbers n = find_saved_numbers(history);
    size_t size = sizeof n,
           memory_size = history->memory ? fm_memory_save(history->memory, NULL, 0) : 0;
    list_state_arrays(p, history, arrays);
    if (out)
        memcpy(out, &n, sizeof n);
    for (int k = 0; k < ARRAYS; size += arrays[k++].size)
        if (out && arrays[k].size)
            memcpy(out + size, arrays[k].values, arrays[k].size);
    if (out && memory_size)
        fm_memory_save(history->memory, out + size, memory_size);
    return size + memory_size;
}

// Writes the state to `out` and returns its size in bytes. Saves nothing before velocities are
// first fed to the memory: the state is still as created.
static size_t save(const fm_particles *p, const void *state, unsigned char *out)
{
    const fm_fractional_state *history = state;
    return history->begun ? write_state(p, history, out) : 0;
}

// Hash of the state of fractional viscosity.
static uint64_t hash(const fm_particles *p, const void *state, uint64_t seed)
{
    const fm_fractional_state *history = state;
    if (!history->begun)
        return seed;
    state_array arrays[ARRAYS];
    const saved_numbers n = find_saved_numbers(history);
    seed = fm_hash(&n, sizeof n, seed);
    list_state_arrays(p, history, arrays);
    for (int k = 0; k < ARRAYS; k++)
        seed = fm_hash(arrays[k].values, arrays[k].size, seed);
    uint64_t memory = history->memory ? fm_memory_hash(history->memory) : 0;
    return fm_hash(&memory, sizeof memory, seed);
}

// True when the saved lane numbers at `in` (the differentiated signal of each particle) are a
// permutation of the particles' lanes.
static bool check_lanes(const fm_particles *p, fm_fractional_state *history,
                        const unsigned char *in)
{
    memset(history->lane_spare, 0, (size_t)p->capacity * sizeof(int));
    for (int i = 0; i < p->capacity; i++, in += sizeof(int)) {
        int lane;
        memcpy(&lane, in, sizeof lane);
        if (lane < history->solid_lanes || lane - history->solid_lanes >= p->capacity ||
            history->lane_spare[lane - history->solid_lanes]++)
            return false;
    }
    return true;
}

// True when the numbers in a snapshot of fractional viscosity are in their ranges.
static bool check_saved_numbers(const fm_particles *p, const fm_fractional_state *history,
                                const saved_numbers *n)
{
    return n->used_lanes >= 0 && n->used_lanes <= p->capacity &&
           n->pushes >= (history->memory ? 0 : 1) && n->last_step >= 0 && n->since_push >= 0 &&
           n->recorded >= 0;
}

// Restores the state of fractional viscosity from the bytes of a snapshot.
static bool restore(fm_particles *p, void *state, int particle_count, const unsigned char *in,
                    size_t size, fm_error *err)
{
    (void)particle_count; // not needed: all arrays have the size of the fluid's capacity
    fm_fractional_state *history = state;
    saved_numbers n;
    if (size == 0) { // saved before velocities were first fed to the memory
        reset(p, history);
        fm_memory_destroy(history->memory);
        history->memory = NULL;
        return is_window(p) || create_memory(p, history, err);
    }
    bool good = size == write_state(p, history, NULL) && check_lanes(p, history, in + sizeof n);
    if (good) {
        memcpy(&n, in, sizeof n);
        good = check_saved_numbers(p, history, &n);
    }
    if (!good)
        return fm_fail_number(err, p->object.name, "state of the memory", (double)size,
                              "what a fluid of this definition saved");
    state_array arrays[ARRAYS];
    size_t done = sizeof n;
    list_state_arrays(p, history, arrays);
    for (int k = 0; k < ARRAYS; k++)
        done += arrays[k].size;
    if (history->memory && !fm_memory_restore(history->memory, in + done, size - done, err))
        return false;
    in += sizeof n;
    for (int k = 0; k < ARRAYS; in += arrays[k++].size)
        if (arrays[k].size)
            memcpy(arrays[k].values, in, arrays[k].size);
    history->window.pushes = n.pushes;
    history->used_lanes = (int)n.used_lanes;
    history->since_push = n.since_push;
    history->recorded = n.recorded;
    history->last_step = n.last_step;
    history->begun = true;
    history->scale = find_scale(p, history->last_step);
    return true;
}

const fm_fluid_term_type fm_fractional_term = {
    .name = "past", // part of the snapshot format
    .create = create,
    .destroy = destroy,
    .bound_step = bound_step,
    .emit = emit,
    .reorder = reorder,
    .record = record,
    .extrapolate = extrapolate,
    .before_forces = before_forces,
    .save = save,
    .restore = restore,
    .hash = hash,
};
