// SPDX-License-Identifier: MIT
// memory.c: fractional viscosity: what particles remember of their motion.
//
// [OZG13] eq. (4.6) puts the fractional derivative of positions in the place of velocities in the
// viscosity. With a characteristic time T, which makes a velocity of it again,
//
//     u_i = T^(q-1) D^q x_i(t),    D^q x = 1/Gamma(1-q) integral_0^t (t-s)^-q v(s) ds,   0 < q < 1
//
// forces.c sees u_i - u_j where it would see v_i - v_j. In shear that stays as it is, u is
// v (t/T)^(1-q) / Gamma(2-q), until the memory is full: with a memory that fades with the time f,
// v (f/T)^(1-q). T = 0 in the definition stands for what makes that v.
//
// The velocity at the beginning of a substep is pushed with the step before it: forces see the past
// up to the velocities they act on, explicitly, as they do without memory. The newest velocity has
// the weight w0 = h^(1-q) / Gamma(3-q), and steps are stable while a Newtonian fluid of viscosity
// mu T^(q-1) w0 would be:
//
//     h <= h_N / (T^(q-1) w0(h)),    h_N: the bound without memory
//
// Full and fading memories are those of src/memory, windows are in window.c. The lanes of an axis:
//
//     0            the rate 1: what a steady velocity has become
//     1 .. 6       the six sides of the domain, as they move
//     7 + 4 c ..   collider c: the origin of its frame and the ends of its three axes; the rest of
//                  the collider follows, for x = c + R r is linear in r, and so is D^q x
//     solids ..    particles, in the order they first came
//
// Particles know their lanes: sorting moves these numbers, the past stays. A particle that comes
// from a source has moved as it does from the beginning, so that a steady jet has one past. Across
// periodic sides positions jump, but velocities do not: nothing is noticed.
//
//   points of walls   u_w = 2 T^(q-1) D^q x_w - mean of u_j,  as velocities in boundary.c
//
// [OZG13] Özgen: Physics-based animation models using fractional calculus. PhD thesis, 2013.
#include "particles/particles.h"

#include <assert.h>
#include <string.h>

enum { SIDE_LANE = 1, COLLIDER_LANE = SIDE_LANE + FM_SIDE_COUNT, LANES_OF_COLLIDER = 4 };

static bool is_window(const fm_particles *p)
{
    return p->def.fractional.memory.kind == FM_RECALL_STEPS;
}

// T^(q-1) for a step. A window's own length is what it would be without a T given.
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

double fm_past_stable_step(const fm_particles *p, double newtonian)
{
    const fm_fractional *f = &p->def.fractional;
    const double q = f->order;
    double step; // of newtonian / (scale(h) h^(1-q) / Gamma(3-q)) = h
    if (is_window(p) && !(f->time > 0))
        step = newtonian * (2 - q) * pow(f->memory.steps, 1 - q);
    else
        step = pow(newtonian * tgamma(3 - q) / find_scale(p, 0), 1 / (2 - q));
    return f->above > 0 ? fmin(step, newtonian) : step;
}

// The shortest step that a table of exponentials is made for: a quarter of what is to be expected
// when nothing is pushed hard.
static double find_shortest(const fm_particles *p)
{
    const fm_particles_def *d = &p->def;
    double h = p->R / 2, step = d->courant * p->R / (1.1 * p->c);
    step = fmin(step, fm_past_stable_step(p, 0.125 * h * h * d->density / d->viscosity));
    return (d->time_step > 0 ? fmin(step, d->time_step) : step) / 4;
}

static bool make_memory(const fm_particles *p, fm_past *past, fm_error *err)
{
    const fm_recall *recall = &p->def.fractional.memory;
    fm_memory_def def = fm_default_memory_def();
    past->shortest = find_shortest(p);
    def.method = recall->kind == FM_RECALL_FULL ? FM_MEMORY_FULL : FM_MEMORY_FADING;
    def.order = p->def.fractional.order;
    def.time_step = past->shortest;
    def.tolerance = recall->tolerance;
    def.horizon = fmax(recall->horizon, past->shortest);
    def.fading_time = recall->fading;
    past->memory = fm_memory_create(&def, past->axes * past->lanes, err);
    return past->memory;
}

static void reset(fm_particles *p)
{
    fm_past *past = p->past;
    for (int i = 0; i < p->capacity; i++)
        past->lane[i] = past->solids + i;
    memset(past->flow, 0, (size_t)past->axes * (size_t)past->lanes * sizeof *past->flow);
    past->used = 0;
    past->waited = past->seen = past->step = past->scale = 0;
    past->begun = 0;
    past->ring.newest = -1;
    past->ring.pushes = 0;
}

bool fm_past_make(fm_particles *p, const fm_surroundings *around, fm_error *err)
{
    if (!(p->def.fractional.order < 1 && p->def.viscosity > 0))
        return err->status == FM_OK;
    fm_past *past = fm_arena_alloc(&p->arena, 1, sizeof *past, p->name, err);
    if (!past)
        return false;
    int solids = COLLIDER_LANE + LANES_OF_COLLIDER * around->collider_count;
    past->axes = p->def.dimensions;
    past->alone = p->def.method != FM_SPH_CONSTANT_DENSITY && !(p->def.fractional.above > 0) &&
                  (p->def.method == FM_SPH_STANDARD || p->def.artificial_viscosity == 0);
    past->solids = fm_block_count(solids, FM_LANES) * FM_LANES;
    past->lanes = past->solids + fm_block_count(p->capacity, FM_LANES) * FM_LANES;
    size_t n = (size_t)p->capacity + 16, all = (size_t)past->axes * (size_t)past->lanes;
    past->lane = fm_arena_alloc(&p->arena, n, sizeof(int), p->name, err);
    past->lane_spare = fm_arena_alloc(&p->arena, n, sizeof(int), p->name, err);
    past->flow = fm_arena_alloc(&p->arena, all, sizeof(double), p->name, err);
    past->rows = fm_arena_alloc(&p->arena, n, FM_QUAD * sizeof(float), p->name, err);
    past->other_rows = fm_arena_alloc(&p->arena, (size_t)p->others_room + 16,
                                      FM_QUAD * sizeof(float), p->name, err);
    if (err->status != FM_OK)
        return false;
    bool made = is_window(p) ? fm_ring_make(&past->ring, &p->arena, p->def.fractional.memory.steps,
                                            (int)all, p->name, err)
                             : make_memory(p, past, err);
    if (!made)
        return false;
    p->past = past;
    reset(p);
    return true;
}

void fm_past_free(fm_particles *p)
{
    if (p->past)
        fm_memory_destroy(p->past->memory);
}

void fm_past_begin(fm_particles *p, int first)
{
    fm_past *past = p->past;
    for (int i = first; i < p->count; i++) {
        const float v[3] = {p->now.vx[i], p->now.vy[i], p->now.vz[i]};
        for (int axis = 0; axis < past->axes && axis < 3; axis++) {
            int base = axis * past->lanes, lane = base + past->lane[i];
            past->flow[lane] = (double)v[axis] * past->flow[base];
            if (past->memory)
                fm_memory_set_steady(past->memory, lane, (double)v[axis], past->seen);
            else
                fm_ring_set_steady(&past->ring, past->axes * past->lanes, lane, (double)v[axis]);
        }
    }
}

// order holds all that were there, those that a sink took last: their lanes are free now.
void fm_past_follow(fm_particles *p, int before)
{
    fm_past *past = p->past;
    int *to = past->lane_spare;
    for (int i = 0; i < before; i++)
        to[i] = past->lane[p->order[i]];
    memcpy(to + before, past->lane + before, (size_t)(p->capacity - before) * sizeof *to);
    past->lane_spare = past->lane;
    past->lane = to;
}

static void set_rate(fm_past *past, int lane, fm_vec3 v)
{
    const double rate[3] = {v.x, v.y, v.z};
    for (int axis = 0; axis < past->axes && axis < 3; axis++)
        past->flow[(size_t)axis * (size_t)past->lanes + (size_t)lane] = rate[axis];
}

static fm_vec3 read_value(const fm_past *past, int lane)
{
    const double *flow = past->flow + lane;
    const size_t n = (size_t)past->lanes;
    return (fm_vec3){flow[0], flow[n], past->axes == 3 ? flow[2 * n] : 0};
}

static void set_solid_rates(const fm_particles_step *step)
{
    static const fm_vec3 ends[LANES_OF_COLLIDER] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    fm_past *past = step->p->past;
    set_rate(past, 0, (fm_vec3){1, 1, 1});
    for (int side = 0; side < FM_SIDE_COUNT; side++)
        set_rate(past, SIDE_LANE + side, fm_add(step->carry, step->p->def.domain.slide[side]));
    for (int c = 0; c < step->around->collider_count; c++) {
        const fm_pose *pose = &step->around->placed[c].pose;
        for (int k = 0; k < LANES_OF_COLLIDER; k++)
            set_rate(past, COLLIDER_LANE + LANES_OF_COLLIDER * c + k,
                     fm_pose_velocity_at(pose, fm_pose_apply(pose, ends[k])));
    }
}

// Also those that nobody has: they stay at rest.
static void scatter_rates(void *context, int first, int last)
{
    fm_particles *p = context;
    fm_past *past = p->past;
    const float *v[3] = {p->now.vx, p->now.vy, p->now.vz};
    for (int axis = 0; axis < past->axes; axis++) {
        double *flow = past->flow + (size_t)axis * (size_t)past->lanes;
        for (int i = first; i < last; i++)
            flow[past->lane[i]] = i < p->count ? (double)v[axis][i] : 0;
    }
}

static void push_lanes(void *context, int first, int last)
{
    fm_past *past = context;
    for (int axis = 0; axis < past->axes; axis++) {
        int base = axis * past->lanes;
        double *flow = past->flow + base + first;
        if (!past->memory) {
            fm_ring_push(&past->ring, past->axes * past->lanes, base + first, base + last, flow);
            continue;
        }
        fm_memory_push_range(past->memory, base + first, base + last, flow);
        fm_memory_value_range(past->memory, base + first, base + last, flow);
    }
}

static void show_range(void *context, int first, int last)
{
    fm_particles *p = context;
    fm_past *past = p->past;
    for (int i = first; i < last; i++) {
        fm_vec3 u = fm_scale(read_value(past, past->lane[i]), past->scale);
        float *row = past->rows + FM_QUAD * (size_t)i;
        row[0] = (float)u.x;
        row[1] = (float)u.y;
        row[2] = (float)u.z;
    }
}

// A step that differs from the one before by rounding only is the same: its table is there.
static bool begin_push(fm_particles *p)
{
    fm_past *past = p->past;
    double h = past->begun ? past->waited : 0;
    if (past->begun && h < past->shortest)
        return false;
    if (fabs(h - past->step) <= 1e-9 * h)
        h = past->step;
    if (past->memory && !fm_memory_begin(past->memory, h))
        return false;
    if (!past->memory)
        fm_ring_begin(&past->ring, p->def.fractional.order, h);
    past->step = h;
    past->seen += h;
    past->waited = 0;
    past->begun = 1;
    past->scale = find_scale(p, h);
    return true;
}

void fm_past_push(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    fm_past *past = p->past;
    fm_pool *pool = step->around->pool;
    past->used = p->count > past->used ? p->count : past->used;
    if (begin_push(p)) {
        set_solid_rates(step);
        fm_parallel_for(pool, past->used, 4 * FM_PARTICLES_BLOCK, scatter_rates, p);
        int top = past->solids + fm_block_count(past->used, FM_LANES) * FM_LANES;
        fm_parallel_for(pool, top, 4 * FM_PARTICLES_BLOCK, push_lanes, past);
        if (past->memory)
            fm_memory_end(past->memory);
    }
    fm_parallel_for(pool, p->count, 4 * FM_PARTICLES_BLOCK, show_range, p);
    past->waited += step->h;
}

// D^q of the displacement of a point, times T^(q-1). What has no lanes moves as it does now.
static fm_vec3 find_solid(const fm_particles_step *step, int i)
{
    const fm_particles *p = step->p;
    const fm_past *past = p->past;
    int owner = fm_others_owner(p, i);
    const fm_trimesh *mesh = owner >= 0 ? step->around->colliders[owner]->mesh : NULL;
    if (owner <= FM_SURFACE_OWNER || (mesh && fm_trimesh_is_animated(mesh))) {
        const float *v = p->others.density + FM_ROW * (size_t)i + FM_VX;
        return fm_scale((fm_vec3){v[0], v[1], v[2]}, past->scale * past->flow[0]);
    }
    if (owner < 0)
        return fm_scale(read_value(past, SIDE_LANE - 1 - owner), past->scale);
    int lane = COLLIDER_LANE + LANES_OF_COLLIDER * owner;
    fm_vec3 r = p->points[p->other_from[i]].x, D = read_value(past, lane);
    fm_vec3 sum = fm_scale(D, 1 - r.x - r.y - r.z);
    sum = fm_add_scaled(sum, read_value(past, lane + 1), r.x);
    sum = fm_add_scaled(sum, read_value(past, lane + 2), r.y);
    sum = fm_add_scaled(sum, read_value(past, lane + 3), r.z);
    return fm_scale(sum, past->scale);
}

FM_SIMD_CLONES void fm_past_show_other(const fm_particles_step *step, int i, const int *list,
                                       int count, int extra)
{
    fm_particles *p = step->p;
    fm_past *past = p->past;
    float *row = past->other_rows + FM_QUAD * (size_t)i;
    int from = -1 - p->other_from[i];
    if (from >= 0) {
        memcpy(row, past->rows + FM_QUAD * (size_t)from, 3 * sizeof *row);
        return;
    }
    const float *at = p->others.density + FM_ROW * (size_t)i, inverse = (float)(1 / p->R);
    fm_floats W = {0}, x = {0}, y = {0}, z = {0};
    for (int b = 0; b < count; b += 8) {
        fm_octet j = fm_load_last_octet(p->fluid.density, list + b, b + 8 == count, extra);
        fm_floats u[3];
        fm_load_quads(past->rows, list + b, u);
        fm_floats dx = at[FM_X] - j.x, dy = at[FM_Y] - j.y, dz = at[FM_Z] - j.z;
        fm_floats w = j.V * fm_wendland(fm_floats_sqrt(dx * dx + dy * dy + dz * dz) * inverse);
        W += w;
        x += w * u[0];
        y += w * u[1];
        z += w * u[2];
    }
    fm_vec3 D = find_solid(step, i);
    const float own[3] = {(float)D.x, (float)D.y, (float)D.z}, sum = fm_floats_sum(W);
    const float mean[3] = {fm_floats_sum(x), fm_floats_sum(y), fm_floats_sum(z)};
    bool lonely = !(sum > 1e-6f * (float)p->volume);
    for (int axis = 0; axis < 3; axis++)
        row[axis] = lonely               ? own[axis]
                    : p->def.domain.slip ? mean[axis] / sum
                                         : 2 * own[axis] - mean[axis] / sum;
}

static void put_into_fluid(void *context, int first, int last)
{
    fm_particles *p = context;
    for (int i = first; i < last; i++)
        memcpy(p->fluid.force + FM_ROW * (size_t)i + FM_VX, p->past->rows + FM_QUAD * (size_t)i,
               3 * sizeof(float));
}

static void put_into_others(void *context, int first, int last)
{
    fm_particles *p = context;
    for (int k = first; k < last; k++)
        memcpy(p->others.force + FM_ROW * (size_t)p->wet[k] + FM_VX,
               p->past->other_rows + FM_QUAD * (size_t)p->wet[k], 3 * sizeof(float));
}

// After everybody who needs velocities: then viscosity costs what it does without memory.
void fm_past_put_into_rows(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    fm_pool *pool = step->around->pool;
    fm_parallel_for(pool, p->count, 4 * FM_PARTICLES_BLOCK, put_into_fluid, p);
    fm_parallel_for(pool, p->wet_count, 4 * FM_PARTICLES_BLOCK, put_into_others, p);
}

double fm_particles_steady_viscosity(const fm_particles *p)
{
    assert(p);
    if (!(p->def.fractional.order < 1))
        return p->def.viscosity;
    return p->past ? p->def.viscosity * p->past->scale * p->past->flow[0] : 0;
}

// What is state: as bytes, one after another.
typedef struct piece {
    void *values;
    size_t size;
} piece;

enum { PIECES = 10 };

static int list_pieces(const fm_particles *p, piece pieces[PIECES])
{
    fm_past *past = p->past;
    size_t all = (size_t)past->axes * (size_t)past->lanes, rows = (size_t)past->ring.rows;
    const piece list[PIECES] = {
        {past->lane, (size_t)p->capacity * sizeof(int)},
        {&past->used, sizeof past->used},
        {&past->waited, sizeof(double)},
        {&past->seen, sizeof(double)},
        {&past->step, sizeof(double)},
        {&past->begun, sizeof past->begun},
        {past->flow, all * sizeof(double)},
        {&past->ring.pushes, sizeof past->ring.pushes},
        {past->ring.steps, rows * sizeof(double)},
        {past->ring.rates, rows * all * sizeof(float)},
    };
    memcpy(pieces, list, sizeof list);
    return PIECES;
}

static size_t write(const fm_particles *p, unsigned char *out)
{
    piece pieces[PIECES];
    size_t size = 0;
    for (int k = 0, n = list_pieces(p, pieces); k < n; k++) {
        if (out && pieces[k].size)
            memcpy(out + size, pieces[k].values, pieces[k].size);
        size += pieces[k].size;
    }
    size_t more = p->past->memory ? fm_memory_save(p->past->memory, NULL, 0) : 0;
    if (out && more)
        fm_memory_save(p->past->memory, out + size, more);
    return size + more;
}

// Nothing before it has begun: then it is as it was made.
size_t fm_past_save(const fm_particles *p, unsigned char *out)
{
    return p->past && p->past->begun ? write(p, out) : 0;
}

uint64_t fm_past_hash(const fm_particles *p, uint64_t seed)
{
    if (!p->past || !p->past->begun)
        return seed;
    piece pieces[PIECES];
    for (int k = 0, n = list_pieces(p, pieces); k < n; k++)
        seed = fm_hash(pieces[k].values, pieces[k].size, seed);
    uint64_t memory = p->past->memory ? fm_memory_hash(p->past->memory) : 0;
    return fm_hash(&memory, sizeof memory, seed);
}

// Lanes that are saved must be lanes, each once.
static bool check_lanes(const fm_particles *p, const unsigned char *in)
{
    fm_past *past = p->past;
    memset(past->lane_spare, 0, (size_t)p->capacity * sizeof(int));
    for (int i = 0; i < p->capacity; i++, in += sizeof(int)) {
        int lane;
        memcpy(&lane, in, sizeof lane);
        if (lane < past->solids || lane - past->solids >= p->capacity ||
            past->lane_spare[lane - past->solids]++)
            return false;
    }
    return true;
}

bool fm_past_restore(fm_particles *p, const unsigned char *in, size_t size, fm_error *err)
{
    fm_past *past = p->past;
    if (!past)
        return true;
    if (size == 0) { // saved before it began
        reset(p);
        fm_memory_destroy(past->memory);
        past->memory = NULL;
        return is_window(p) || make_memory(p, past, err);
    }
    if (size != write(p, NULL) || !check_lanes(p, in))
        return fm_fail_number(err, p->name, "state of the memory", (double)size,
                              "what a fluid of this definition saved");
    piece pieces[PIECES];
    size_t done = 0;
    int count = list_pieces(p, pieces);
    for (int k = 0; k < count; k++)
        done += pieces[k].size;
    if (past->memory && !fm_memory_restore(past->memory, in + done, size - done, err))
        return false;
    for (int k = 0; k < count; in += pieces[k++].size)
        if (pieces[k].size)
            memcpy(pieces[k].values, in, pieces[k].size);
    past->scale = find_scale(p, past->step);
    past->ring.newest = past->ring.rows ? (int)((past->ring.pushes - 1) % past->ring.rows) : -1;
    bool good = past->used >= 0 && past->used <= p->capacity && past->ring.pushes >= 0 &&
                past->step >= 0 && past->waited >= 0 && past->seen >= 0;
    return good || fm_fail_number(err, p->name, "state of the memory", past->used, "undamaged");
}
