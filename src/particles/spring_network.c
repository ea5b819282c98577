// SPDX-License-Identifier: MIT
// spring_network.c: a network of springs between the particles of a fluid, which makes it
// viscoelastic and, with history, shear-thickening ([OZG13] chapter 5, [CBP05]). A term of the
// fluid (terms.h).
//
// The force on particle i of a spring between i and j is
//
//     F = -k (r - L) (x_i - x_j) / r,     k = k_min min(1 + M / M_onset, stiffening)
//
// M is the memory of the spring (spring_memory.c), fed with the rate
//
//     u = |dr/dt|  (default: the same for every observer, so rigid rotation does not harden), or
//     u = |v_i - v_j|  (as in [OZG13] eq. 5.13)
//
// minus threshold r, if that is positive. A threshold lets fluid that creeps forget,
// or M is computed from past velocities of its two particles (velocity_history.c).
//
// What hardening adds is born without stress: while k grows, L is changed so that the force stays
// the same. Otherwise a spring that is stretched, hardens and returns would give back more energy
// than it took; a hardened pool then jumps. Softening leaves L and loses energy.
//
// Rest lengths flow plastically beyond the yield ratio ([OZG13] eq. 5.8), here integrated exactly
// over the step for a given r:
//
//     dL/dt = alpha sign(r - L) max(0, |r - L| - gamma L)
//
// A spring is made when two particles are closer than `reach`, with L = r and the mean memory of the
// springs that its particles own, and removed when r exceeds `break_at`. With empty memories, fluid
// that is sheared by more than 1 would soften because its springs are exchanged.
//
// Explicit springs are stable if h^2 sum k / m < 2 at every particle. In the weakly compressible
// method a substep takes up to CYCLES_MAX cycles of length d = h / n, with n from the largest sum of
// the last substep, while pressure and viscosity, a, stay the same:
//
//     x = x_mid - h/2 v;    n times:  x += d/2 v;  v += d (a + F(x)/m);  x += d/2 v
//
// The mean acceleration goes to the substep, and the difference between x and the drift of the
// substep, x_mid + h/2 v, is added to its second half. For n = 1 it is 0. Other methods take one
// cycle, and their substep follows the largest sum down to SHORTEST_STEP of that without springs.
// Where even this is too long, all springs at a particle are softened by the same share, so that
// d^2 sum k / m = MOST_SUM; this is counted.
//
// Hardened fluid sticks to walls and colliders: the viscosity between fluid and boundary particles
// is multiplied by the mean stiffness of the springs near by, divided by k_min ([OZG13] slows
// tangential velocities at walls in proportion to the mean history stiffness). Forces on boundary
// particles stay equal and opposite.
//
//   r  length, m    L  rest length, m    k  stiffness, N/m    m  mass of a particle, kg
//   h  substep, s   alpha  plastic rate, 1/s    gamma  yield ratio
//
// [OZG13], [CBP05] in docs/references.md
#include "particles/spring_network.h"

#include <assert.h>
#include <string.h>

static const double SPRINGS_AT_FIRST =
    32;                                  // springs at a particle, assumed before the first substep
static const double MOST_SUM = 0.9;      // of h^2 sum k / m at a particle
static const double STEP_SHARE = 0.9;    // of the step at which h^2 sum k / m = 1
static const double SHORTEST_STEP = 0.5; // of the substep that pressure and flow allow
enum { CYCLES_MAX = 4 };                 // cycles of the springs in a substep
// Share of the viscous bound on the substep that sticking boundaries may use.
static const float STICKING_SHARE = 0.5f;

// Allocates one set of arrays for `slots` springs.
static void create_arrays(fm_particles *p, fm_spring_arrays *a, size_t slots, int modes,
                          fm_error *err)
{
    size_t n = (size_t)p->capacity;
    a->start = fm_arena_alloc(&p->arena, n, sizeof *a->start, p->object.name, err);
    a->count = fm_arena_alloc(&p->arena, n, sizeof *a->count, p->object.name, err);
    a->other = fm_arena_alloc(&p->arena, slots, sizeof *a->other, p->object.name, err);
    a->rest = fm_arena_alloc(&p->arena, slots, sizeof *a->rest, p->object.name, err);
    a->rate = fm_arena_alloc(&p->arena, slots, sizeof *a->rate, p->object.name, err);
    a->memory = fm_arena_alloc(&p->arena, slots, sizeof *a->memory, p->object.name, err);
    a->modes =
        fm_arena_alloc(&p->arena, slots * (size_t)modes + 1, sizeof *a->modes, p->object.name, err);
}

// Allocates the springs of a fluid; NULL without an error: it has none.
static void *create(fm_particles *p, const fm_surroundings *around, fm_error *err)
{
    (void)around;
    if (!(p->def.network.viscosity > 0))
        return NULL;
    fm_springs *s = fm_arena_alloc(&p->arena, 1, sizeof *s, p->object.name, err);
    if (!s || !fm_springs_convert_def(s, p, err))
        return NULL;
    size_t n = (size_t)p->capacity;
    size_t blocks = (size_t)fm_parallel_block_count(p->capacity, FM_PARTICLES_BLOCK);
    size_t slots = blocks * (size_t)s->block_capacity;
    create_arrays(p, &s->now, slots, s->mode_count, err);
    create_arrays(p, &s->spare, slots, s->mode_count, err);
    s->history = fm_particle_scalar_create(p, err);
    s->sum = fm_particle_scalar_create(p, err);
    s->new_index = fm_arena_alloc(&p->arena, n, sizeof *s->new_index, p->object.name, err);
    s->owner = fm_arena_alloc(&p->arena, slots, sizeof *s->owner, p->object.name, err);
    s->force = fm_arena_alloc(&p->arena, slots, sizeof *s->force, p->object.name, err);
    s->share = fm_arena_alloc(&p->arena, n, sizeof *s->share, p->object.name, err);
    s->x = fm_arena_alloc(&p->arena, n, sizeof *s->x, p->object.name, err);
    s->v = fm_arena_alloc(&p->arena, n, sizeof *s->v, p->object.name, err);
    s->incoming_start =
        fm_arena_alloc(&p->arena, n + 1, sizeof *s->incoming_start, p->object.name, err);
    s->incoming = fm_arena_alloc(&p->arena, slots, sizeof *s->incoming, p->object.name, err);
    s->blocks = fm_arena_alloc(&p->arena, blocks, sizeof *s->blocks, p->object.name, err);
    s->least_share = 1;
    if (fm_velocity_history_is_needed(p))
        s->past = fm_velocity_history_create(p, err);
    return err->status == FM_OK ? s : NULL;
}

// Length of a cycle that the stiffness of the last substep allows, s.
static double find_longest_cycle(const fm_particles *p, const fm_springs *s)
{
    double sum = fmax(s->largest_sum, SPRINGS_AT_FIRST * s->k_min);
    return STEP_SHARE * sqrt(fm_particles_mass(p) / sum);
}

// Bounds the substep by the stiffness of the last one.
static void bound_step(const fm_particles *p, const void *state, fm_step_bounds *bounds)
{
    double others = fmin(bounds->courant, fmin(bounds->viscous, bounds->given));
    double least = isfinite(others) ? SHORTEST_STEP * others : 0;
    double step = fmax(least, find_longest_cycle(p, state));
    if (p->def.method == FM_SPH_WEAKLY_COMPRESSIBLE) {
        step = isfinite(others) ? others : CYCLES_MAX * find_longest_cycle(p, state);
        bounds->acceleration = INFINITY; // springs oscillate within a substep
    }
    bounds->terms = fmin(bounds->terms, step);
}

// Particles from sources have no springs yet.
static void emit(fm_particles *p, void *state, int first)
{
    fm_springs *s = state;
    for (int i = first; i < p->count; i++)
        s->now.start[i] = s->now.count[i] = 0;
    fm_particle_scalar_clear(s->history, first, p->count);
    fm_particle_scalar_clear(s->sum, first, p->count);
    if (s->past)
        fm_velocity_history_emit(s->past, p, first);
}

// Stores the new order. The springs are copied to it in add_forces.
static void reorder(fm_particles *p, void *state, const fm_particle_order *order)
{
    (void)p;
    fm_springs *s = state;
    s->from = order->from;
    for (int i = 0; i < order->before; i++)
        s->new_index[order->from[i]] = i < order->count ? i : -1;
    fm_particle_scalar_reorder(s->history, order);
    fm_particle_scalar_reorder(s->sum, order);
    if (s->past)
        fm_velocity_history_reorder(s->past, order);
}

// Everything that the passes over springs of one substep read.
typedef struct pass {
    const fm_particles_step *step;
    fm_particles *p;
    fm_springs *s;
    double elapsed;         // s, since memories were advanced last
    int cycles;             // n
    float cycle;            // s, d
    bool last;              // this is the last cycle
    float k_min;            // N/m, least stiffness
    float most_sum;         // N/m, largest sum of stiffnesses at a particle that the substep allows
    bool limits;            // some particle exceeds that
    float inverse_onset;    // 1 / M_onset
    float stiffening;       // most of k / k_min
    float stretch, squeeze; // shares by which plastic flow reduces the excess of a longer and of a
                            // shorter spring, divided by 1 + gamma and 1 - gamma
    float yield;            // gamma
    float threshold;        // 1/s, rate per length below which nothing hardens
    float reach2;           // m^2, square of the length below which springs are made
    bool has_ghosts;        // the domain is periodic
} pass;

// Constants of a substep.
static pass find_pass(const fm_particles_step *step, fm_springs *s)
{
    const fm_particles *p = step->p;
    const fm_spring_network *n = &p->def.network;
    double elapsed = s->begun ? step->t - s->renewed : 0;
    const bool one = p->def.method != FM_SPH_WEAKLY_COMPRESSIBLE;
    double need = ceil(step->h / find_longest_cycle(p, s));
    int cycles = one ? 1 : (int)fmax(1, fmin(CYCLES_MAX, need));
    double flow = s->begun ? (step->t - s->recorded) / cycles / n->relaxation : 0;
    double cycle = step->h / cycles, most_sum = MOST_SUM * fm_particles_mass(p) / (cycle * cycle);
    return (pass){
        .step = step,
        .p = step->p,
        .s = s,
        .elapsed = elapsed,
        .cycles = cycles,
        .cycle = (float)cycle,
        .k_min = (float)s->k_min,
        .most_sum = (float)most_sum,
        .limits = s->largest_sum > most_sum,
        .inverse_onset = (float)(1 / s->M_onset),
        .stiffening = (float)n->stiffening,
        .stretch = n->published ? (float)fmin(1, flow)
                                : (float)(-expm1(-(1 + n->yield) * flow) / (1 + n->yield)),
        .squeeze = n->published ? (float)fmin(1, flow)
                                : (float)(-expm1(-(1 - n->yield) * flow) / (1 - n->yield)),
        .yield = (float)n->yield,
        .threshold = (float)n->threshold,
        .reach2 = (float)(s->reach * s->reach),
        .has_ghosts = s->period[0] > 0 || s->period[1] > 0 || s->period[2] > 0,
    };
}

// A pair of particles: vector from the second to the first, its length, and their relative motion.
typedef struct pair {
    float x, y, z, r; // m
    float speed;      // m/s, |v_i - v_j|
    float stretching; // m/s, |dr/dt|
} pair;

// Difference of two coordinates to the nearest periodic image, m. period 0: not periodic.
FM_INLINE float find_nearest_image(float d, double period)
{
    return period > 0 ? d - (float)period * roundf(d / (float)period) : d;
}

// Vector and relative motion of the particles i and j.
FM_INLINE pair find_pair(const fm_springs *s, const fm_density_record *i,
                         const fm_density_record *j)
{
    pair d = {.x = find_nearest_image(i->x - j->x, s->period[0]),
              .y = find_nearest_image(i->y - j->y, s->period[1]),
              .z = find_nearest_image(i->z - j->z, s->period[2])};
    const float vx = i->vx - j->vx, vy = i->vy - j->vy, vz = i->vz - j->vz;
    d.r = sqrtf(d.x * d.x + d.y * d.y + d.z * d.z);
    d.speed = sqrtf(vx * vx + vy * vy + vz * vz);
    d.stretching = d.r > 0 ? fabsf(vx * d.x + vy * d.y + vz * d.z) / d.r : 0;
    return d;
}

// Rate that is fed to the memory of a spring, m/s: what exceeds the threshold of the definition.
FM_INLINE float find_hardening_rate(const pass *c, const pair *d)
{
    float rate = c->p->def.network.rate == FM_HARDENING_LENGTH ? d->stretching : d->speed;
    rate -= c->threshold * d->r;
    return rate > 0 ? rate : 0;
}

// Stiffness of a spring with the memory M, N/m.
FM_INLINE float find_stiffness(const pass *c, float M)
{
    float factor = 1 + M * c->inverse_onset;
    return c->k_min * (factor < c->stiffening ? factor : c->stiffening);
}

// Rest length after the stiffness grew with the memory from M_old to M: the force is the same.
FM_INLINE float harden_unstressed(const pass *c, float L, float r, float M_old, float M)
{
    if (M <= M_old || c->p->def.network.published)
        return L;
    return r - (r - L) * (find_stiffness(c, M_old) / find_stiffness(c, M));
}

// Copies the springs of particle i that did not break to the new order and advances their
// memories. Returns the slot behind the last.
FM_INLINE int advance_springs_of(const pass *c, int i, int slot, int end, fm_spring_block *block)
{
    fm_springs *s = c->s;
    const fm_spring_arrays *old = &s->now;
    fm_spring_arrays *now = &s->spare;
    const fm_density_record *records = c->p->fluid.density;
    const fm_hardening_rate kind = c->p->def.network.rate;
    const size_t modes = (size_t)s->mode_count;
    const int before = s->from[i], first = old->start[before], last = first + old->count[before];
    for (int k = first; k < last; k++) {
        int j = s->new_index[old->other[k]];
        pair d = {0};
        if (j >= 0)
            d = find_pair(s, &records[i], &records[j]);
        if (j < 0 || !(d.r <= (float)s->break_at)) {
            block->broken++;
            continue;
        }
        if (slot == end) {
            block->refused++;
            continue;
        }
        float rate = find_hardening_rate(c, &d), M;
        now->other[slot] = j;
        if (s->past)
            M = fm_velocity_history_find_memory(s->past, kind, i, j);
        else
            M = fm_springs_advance_memory(&s->step, s->mode_count, old->modes + (size_t)k * modes,
                                          now->modes + (size_t)slot * modes, old->rate[k], rate);
        now->memory[slot] = M;
        now->rest[slot] = harden_unstressed(c, old->rest[k], d.r, old->memory[k], M);
        now->rate[slot] = rate;
        s->owner[slot] = i;
        slot++;
    }
    return slot;
}

// Adds the memories of the springs that the particle owned before the renewal to sums over springs.
// Returns their number.
static int add_memories(const fm_springs *s, int before, float *modes, float *M)
{
    const size_t count = (size_t)s->mode_count;
    const int first = s->now.start[before], last = first + s->now.count[before];
    for (int k = first; k < last; k++) {
        const float *from = s->now.modes + (size_t)k * count;
        for (size_t n = 0; n < count; n++)
            modes[n] += from[n];
        *M += s->now.memory[k];
    }
    return last - first;
}

// Gives a new spring the mean memory of the springs that its two particles own: the memory belongs
// to the material, which keeps it while springs break and are made.
static void inherit_memory(const pass *c, int slot, int i, int j)
{
    const fm_springs *s = c->s;
    float *modes = s->spare.modes + (size_t)slot * (size_t)s->mode_count, M = 0;
    memset(modes, 0, (size_t)s->mode_count * sizeof *modes);
    int count = add_memories(s, s->from[i], modes, &M) + add_memories(s, s->from[j], modes, &M);
    for (int n = 0; n < s->mode_count && count > 0; n++)
        modes[n] /= (float)count;
    s->spare.memory[slot] = count > 0 ? M / (float)count : 0;
}

// Makes a spring between the particles i and j in this slot.
static void make_spring(const pass *c, int slot, int i, int j, const pair *d)
{
    fm_spring_arrays *now = &c->s->spare;
    now->other[slot] = j;
    now->rest[slot] = d->r;
    const fm_hardening_rate kind = c->p->def.network.rate;
    now->rate[slot] = find_hardening_rate(c, d);
    if (c->s->past)
        now->memory[slot] = fm_velocity_history_find_memory(c->s->past, kind, i, j);
    else
        inherit_memory(c, slot, i, j);
    c->s->owner[slot] = i;
}

// True when one of the slots from first to below last is a spring to particle j.
FM_INLINE bool is_connected(const int *other, int first, int last, int j)
{
    for (int k = first; k < last; k++)
        if (other[k] == j)
            return true;
    return false;
}

// True when the particles i and j, without periodic images, may be close enough for a spring.
FM_INLINE bool is_within_reach(const pass *c, int i, int j)
{
    const fm_density_record *a = &c->p->fluid.density[i], *b = &c->p->fluid.density[j];
    const float x = a->x - b->x, y = a->y - b->y, z = a->z - b->z;
    return c->has_ghosts || x * x + y * y + z * z < c->reach2;
}

// Makes the springs between particle i and those of `count` neighbours that are within the reach
// and have a higher id. Returns the slot behind the last.
FM_INLINE int make_springs_to(const pass *c, int i, const int *list, int count, bool boundary,
                              int slot, int end, fm_spring_block *block)
{
    fm_springs *s = c->s;
    const fm_particles *p = c->p;
    const int *id = p->now.id;
    const int first = s->spare.start[i];
    for (int n = 0; n < count; n++) {
        int j = list[n];
        if (boundary) {
            if (!fm_boundary_is_ghost(p, j))
                continue;
            j = p->identity[j].owner.index;
        }
        if (id[j] <= id[i] || !is_within_reach(c, i, j))
            continue;
        pair d = find_pair(s, &p->fluid.density[i], &p->fluid.density[j]);
        if (d.r >= (float)s->reach || is_connected(s->spare.other, first, slot, j))
            continue;
        if (slot == end) {
            block->refused++;
            continue;
        }
        make_spring(c, slot, i, j, &d);
        block->made++;
        slot++;
    }
    return slot;
}

// Fills the slots up to the next multiple of eight with springs of length 0, which have no force.
static void pad_slots(const pass *c, int slot, int particle)
{
    for (; slot % 8 != 0; slot++) {
        c->s->owner[slot] = c->s->spare.other[slot] = particle;
        c->s->spare.rest[slot] = c->s->spare.memory[slot] = 0;
    }
}

// Advances, breaks and makes the springs that one block of particles owns.
FM_SIMD_CLONES static void renew_range(void *context, int first, int last)
{
    const pass *c = context;
    fm_springs *s = c->s;
    const fm_particles *p = c->p;
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    const int index = first / FM_PARTICLES_BLOCK;
    fm_spring_block block = {0};
    int slot = index * s->block_capacity;
    const int end = slot + s->block_capacity;
    for (int i = first; i < last; i++) {
        s->spare.start[i] = slot;
        slot = advance_springs_of(c, i, slot, end, &block);
        const int *list = fm_neighbours_in_fluid(p, i, buffer, &count, &padding);
        slot = make_springs_to(c, i, list, count - padding, false, slot, end, &block);
        if (c->has_ghosts) {
            list = fm_neighbours_in_boundary(p, i, buffer, &count, &padding);
            slot = make_springs_to(c, i, list, count - padding, true, slot, end, &block);
        }
        s->spare.count[i] = slot - s->spare.start[i];
    }
    block.end = slot;
    pad_slots(c, slot, first);
    s->blocks[index] = block;
}

// Lists, for each particle, the springs that it does not own, in the order of their slots.
static void list_incoming(const pass *c)
{
    fm_springs *s = c->s;
    const int count = c->p->count;
    int *start = s->incoming_start;
    memset(start, 0, ((size_t)count + 1) * sizeof *start);
    for (int i = 0; i < count; i++)
        for (int k = s->now.start[i]; k < s->now.start[i] + s->now.count[i]; k++)
            start[s->now.other[k]]++;
    for (int i = 0, sum = 0; i <= count; i++) // end of each list
        start[i] = sum += i < count ? start[i] : 0;
    for (int i = count - 1; i >= 0; i--) // backwards, from the end of each list to its start
        for (int k = s->now.start[i] + s->now.count[i] - 1; k >= s->now.start[i]; k--)
            s->incoming[--start[s->now.other[k]]] = k;
}

// The smaller share of the stiffness that both ends of eight springs allow.
FM_INLINE fm_floats find_shares(const fm_springs *s, const int *owner, const int *other)
{
    fm_floats share;
    for (int lane = 0; lane < 8; lane++) {
        float a = s->share[owner[lane]], b = s->share[other[lane]];
        share[lane] = a < b ? a : b;
    }
    return share;
}

// Difference of coordinates to the nearest periodic image, m. period 0: not periodic.
FM_INLINE fm_floats find_nearest_images(fm_floats d, float period)
{
    const fm_floats whole = period - (fm_floats){0};
    return d - fm_floats_select(d > period / 2, whole) + fm_floats_select(d < -period / 2, whole);
}

// Lets the rest lengths of eight springs flow and computes their forces. [OZG13] eq. (5.8).
FM_INLINE void compute_octet(const pass *c, int slot, bool periodic)
{
    fm_springs *s = c->s;
    const int *owner = s->owner + slot, *other = s->now.other + slot;
    fm_floats i[3], j[3];
    fm_records_load_viscous(s->x, owner, i);
    fm_records_load_viscous(s->x, other, j);
    fm_floats x = i[0] - j[0], y = i[1] - j[1], z = i[2] - j[2];
    if (periodic) {
        x = s->period[0] > 0 ? find_nearest_images(x, (float)s->period[0]) : x;
        y = s->period[1] > 0 ? find_nearest_images(y, (float)s->period[1]) : y;
        z = s->period[2] > 0 ? find_nearest_images(z, (float)s->period[2]) : z;
    }
    fm_floats r = fm_floats_sqrt(x * x + y * y + z * z), L = fm_floats_load(s->now.rest + slot);
    fm_floats longer = r - L - c->yield * L, shorter = L - r - c->yield * L;
    L += c->stretch * fm_floats_select(longer > 0, longer) -
         c->squeeze * fm_floats_select(shorter > 0, shorter);
    fm_floats factor = 1 + c->inverse_onset * fm_floats_load(s->now.memory + slot);
    factor -= fm_floats_select(factor > c->stiffening, factor - c->stiffening);
    fm_floats k = c->k_min * factor, used = c->limits ? k * find_shares(s, owner, other) : k;
    fm_floats f = -used * (r - L) / (r + fm_floats_select(r <= 0, 1 - (fm_floats){0}));
    const fm_floats columns[4] = {f * x, f * y, f * z, k};
    memcpy(s->now.rest + slot, &L, sizeof L);
    for (int lane = 0; lane < 8; lane++)
        s->force[slot + lane] = (fm_spring_force){columns[0][lane], columns[1][lane],
                                                  columns[2][lane], columns[3][lane]};
}

// Computes the forces of the springs that one block of particles owns.
FM_SIMD_CLONES static void compute_range(void *context, int first, int last)
{
    (void)last;
    const pass *c = context;
    const fm_springs *s = c->s;
    const int block = first / FM_PARTICLES_BLOCK;
    for (int slot = block * s->block_capacity; slot < s->blocks[block].end; slot += 8)
        compute_octet(c, slot, c->has_ghosts);
}

// Sum over the springs of one particle.
typedef struct spring_sums {
    float x, y, z, k; // N, N/m
} spring_sums;

// Adds the spring in a slot; sign -1: its particle is not the owner.
FM_INLINE void add_spring(spring_sums *sum, const fm_springs *s, int slot, float sign)
{
    const fm_spring_force *f = &s->force[slot];
    sum->x += sign * f->x;
    sum->y += sign * f->y;
    sum->z += sign * f->z;
    sum->k += f->k;
}

// Places a block of particles at the middle of the first cycle.
static void begin_cycles_range(void *context, int first, int last)
{
    const pass *c = context;
    const float back = (c->cycle - (float)c->step->h) / 2;
    for (int i = first; i < last; i++) {
        const fm_density_record *at = &c->p->fluid.density[i];
        c->s->v[i] = (fm_viscous_velocity){{at->vx, at->vy, at->vz, 0}};
        c->s->x[i] = (fm_viscous_velocity){
            {at->x + back * at->vx, at->y + back * at->vy, at->z + back * at->vz, 0}};
    }
}

// Kicks particle i for one cycle by the acceleration a of its springs, m/s^2, and drifts to the
// middle of the next cycle, or to the end of the last one.
FM_INLINE void advance_cycle(const pass *c, int i, const float a[3])
{
    const float total[3] = {c->p->ax[i] + a[0], c->p->ay[i] + a[1], c->p->az[i] + a[2]};
    const float drift = c->last ? c->cycle / 2 : c->cycle;
    float *x = c->s->x[i].u, *v = c->s->v[i].u;
    for (int axis = 0; axis < 3; axis++) {
        v[axis] += c->cycle * total[axis];
        x[axis] += drift * v[axis];
    }
}

// Hands the motion of particle i in all cycles to the substep: its mean acceleration, and what its
// path differs from the drift of the substep.
FM_INLINE void end_cycles(const pass *c, int i)
{
    fm_particles *p = c->p;
    const fm_density_record *at = &p->fluid.density[i];
    const float *x = c->s->x[i].u, *v = c->s->v[i].u;
    const float h = (float)c->step->h;
    p->ax[i] = (v[0] - at->vx) / h;
    p->ay[i] = (v[1] - at->vy) / h;
    p->az[i] = (v[2] - at->vz) / h;
    p->dx[i] = x[0] - (at->x + h / 2 * v[0]);
    p->dy[i] = x[1] - (at->y + h / 2 * v[1]);
    p->dz[i] = x[2] - (at->z + h / 2 * v[2]);
}

// Adds the forces of the springs to the accelerations of a block of particles, or moves it for one
// cycle.
FM_SIMD_CLONES static void gather_range(void *context, int first, int last)
{
    const pass *c = context;
    fm_springs *s = c->s;
    fm_particles *p = c->p;
    const float inverse_mass = (float)(1 / fm_particles_mass(p));
    float largest = 0;
    int limited = 0;
    for (int i = first; i < last; i++) {
        spring_sums sum = {0};
        for (int k = s->now.start[i]; k < s->now.start[i] + s->now.count[i]; k++)
            add_spring(&sum, s, k, 1);
        for (int n = s->incoming_start[i]; n < s->incoming_start[i + 1]; n++)
            add_spring(&sum, s, s->incoming[n], -1);
        const float a[3] = {inverse_mass * sum.x, inverse_mass * sum.y, inverse_mass * sum.z};
        if (c->cycles > 1) {
            advance_cycle(c, i, a);
        } else {
            p->ax[i] += a[0];
            p->ay[i] += a[1];
            p->az[i] += a[2];
        }
        if (!c->last)
            continue;
        if (c->cycles > 1)
            end_cycles(c, i);
        const int count = s->now.count[i] + s->incoming_start[i + 1] - s->incoming_start[i];
        s->history->now[i] = count > 0 ? sum.k / (float)count - c->k_min : 0;
        s->sum->now[i] = sum.k;
        limited += c->limits && s->share[i] < 1;
        largest = sum.k > largest ? sum.k : largest;
    }
    if (!c->last)
        return;
    s->blocks[first / FM_PARTICLES_BLOCK].largest_sum = (double)largest;
    s->blocks[first / FM_PARTICLES_BLOCK].limited = limited;
}

// Sums the counts of all blocks, in their order. renewed: springs were made and broken.
static void add_totals(const pass *c, bool renewed)
{
    fm_springs *s = c->s;
    if (c->limits)
        s->least_share = fmin(s->least_share, (double)c->most_sum / s->largest_sum);
    s->largest_sum = 0;
    for (int b = 0; b < fm_parallel_block_count(c->p->count, FM_PARTICLES_BLOCK); b++) {
        const fm_spring_block *block = &s->blocks[b];
        s->totals.made_count += renewed ? block->made : 0;
        s->totals.broken_count += renewed ? block->broken : 0;
        s->totals.refused_count += renewed ? block->refused : 0;
        s->totals.limited_count += block->limited;
        s->largest_sum = fmax(s->largest_sum, block->largest_sum);
    }
}

// Copies the springs to the order of the sorted particles, advances their memories, breaks and
// makes springs.
static void renew(const pass *c)
{
    fm_springs *s = c->s;
    fm_springs_set_step(s, c->p, c->elapsed);
    if (s->past)
        fm_velocity_history_record(s->past, c->p, c->step->around->pool, c->step->h);
    fm_parallel_for(c->step->around->pool, c->p->count, FM_PARTICLES_BLOCK, renew_range, (void *)c);
    fm_spring_arrays old = s->now;
    s->now = s->spare;
    s->spare = old;
    list_incoming(c);
    s->renewed = c->step->t;
}

// Share of the stiffness of its springs that the substep allows each particle, from the sum of the
// last substep.
static void find_share_range(void *context, int first, int last)
{
    const pass *c = context;
    for (int i = first; i < last; i++) {
        float sum = c->s->sum->now[i];
        c->s->share[i] = sum > c->most_sum ? c->most_sum / sum : 1;
    }
}

// Advances all springs by one substep and adds their forces.
static void add_forces(const fm_particles_step *step, void *state)
{
    fm_springs *s = state;
    pass c = find_pass(step, s);
    fm_pool *pool = step->around->pool;
    const bool sorted = step->p->list_age <= 1;
    if (sorted)
        renew(&c);
    if (c.limits)
        fm_parallel_for(pool, c.p->count, FM_PARTICLES_LARGE_BLOCK, find_share_range, &c);
    fm_parallel_for(pool, c.p->count, FM_PARTICLES_LARGE_BLOCK, begin_cycles_range, &c);
    for (int n = 1; n <= c.cycles; n++) {
        c.last = n == c.cycles;
        fm_parallel_for(pool, c.p->count, FM_PARTICLES_BLOCK, compute_range, &c);
        fm_parallel_for(pool, c.p->count, FM_PARTICLES_BLOCK, gather_range, &c);
    }
    c.p->drift_is_corrected = c.cycles > 1;
    add_totals(&c, sorted);
    s->recorded = step->t;
    s->begun = true;
}

// Multiplies the viscosity between fluid and a boundary particle by the mean stiffness of the
// springs near it: v_w = mean + 2 (u_w - mean) becomes mean + 2 share (u_w - mean).
static void stick_to_boundary(const fm_particles_step *step, void *state,
                              const fm_boundary_neighbours *near)
{
    const fm_springs *s = state;
    fm_particles *p = step->p;
    const int count = near->count - near->padding;
    if (count <= 0 || p->def.domain.slip || !(p->def.viscosity > 0) ||
        p->identity[near->index].owner.kind != FM_OWNER_WALL)
        return;
    float sum = 0;
    for (int n = 0; n < count; n++)
        sum += s->history->now[near->list[n]];
    const double h = p->R / 2, nu = p->def.viscosity / p->def.density;
    const float most = STICKING_SHARE * (float)(0.125 * h * h / (nu * step->h));
    float share = 1 + sum / ((float)count * (float)s->k_min);
    share = share < most ? share : (most > 1 ? most : 1);
    const fm_density_record *own = &p->boundary.density[near->index];
    fm_force_record *record = &p->boundary.force[near->index];
    record->vx += 2 * (share - 1) * (record->vx - own->vx);
    record->vy += 2 * (share - 1) * (record->vy - own->vy);
    record->vz += 2 * (share - 1) * (record->vz - own->vz);
}

// Mean history stiffness of the springs at particle i, N/m.
double fm_springs_find_history(const fm_particles *p, int i)
{
    const fm_springs *s = fm_springs_find(p);
    return s ? (double)s->history->now[i] : 0;
}

// Begins the saved springs. Followed by, for each particle, its number of springs, its history
// stiffness and the sum of stiffnesses, then for each spring other, rest, rate, memory and modes.
typedef struct springs_header {
    int64_t spring_count;
    int32_t mode_count, begun;
    double recorded, renewed, largest_sum;
    fm_spring_stats totals;
} springs_header;

// Bytes of one saved spring.
static size_t find_spring_size(const fm_springs *s)
{
    return sizeof(int) + (3 + (size_t)s->mode_count) * sizeof(float);
}

// Bytes of the saved past velocities, behind the springs.
static size_t find_past_size(const fm_springs *s, int count)
{
    return s->past ? fm_velocity_history_find_size(s->past, count) : 0;
}

// The header that precedes the saved springs.
static springs_header find_header(const fm_particles *p, const fm_springs *s)
{
    springs_header h;
    memset(&h, 0, sizeof h);
    h.mode_count = s->mode_count;
    h.begun = s->begun;
    h.recorded = s->recorded;
    h.renewed = s->renewed;
    h.largest_sum = s->largest_sum;
    h.totals = s->totals;
    for (int i = 0; i < p->count; i++)
        h.spring_count += s->now.count[i];
    return h;
}

// Copies n bytes to *out and advances it.
static void put(unsigned char **out, const void *from, size_t n)
{
    memcpy(*out, from, n);
    *out += n;
}

// Copies n bytes from *in and advances it.
static void get(const unsigned char **in, void *to, size_t n)
{
    memcpy(to, *in, n);
    *in += n;
}

// Writes the springs to `out` and returns the number of bytes; NULL: the number only.
static size_t save(const fm_particles *p, const void *state, unsigned char *out)
{
    const fm_springs *s = state;
    const springs_header h = find_header(p, s);
    const size_t modes = (size_t)s->mode_count;
    size_t size = sizeof h + (size_t)p->count * (sizeof(int) + 2 * sizeof(float)) +
                  (size_t)h.spring_count * find_spring_size(s) + find_past_size(s, p->count);
    if (!out)
        return size;
    put(&out, &h, sizeof h);
    put(&out, s->now.count, (size_t)p->count * sizeof(int));
    put(&out, s->history->now, (size_t)p->count * sizeof(float));
    put(&out, s->sum->now, (size_t)p->count * sizeof(float));
    for (int i = 0; i < p->count; i++) {
        for (int k = s->now.start[i]; k < s->now.start[i] + s->now.count[i]; k++) {
            put(&out, &s->now.other[k], sizeof(int));
            put(&out, &s->now.rest[k], sizeof(float));
            put(&out, &s->now.rate[k], sizeof(float));
            put(&out, &s->now.memory[k], sizeof(float));
            put(&out, s->now.modes + (size_t)k * modes, modes * sizeof(float));
        }
    }
    if (s->past)
        fm_velocity_history_save(s->past, p->count, out);
    return size;
}

// Checks that saved springs fit this fluid with `count` particles and the number of bytes.
static bool check_saved(const fm_particles *p, const fm_springs *s, int count,
                        const unsigned char *in, size_t size, fm_error *err)
{
    springs_header h;
    const size_t past = find_past_size(s, count);
    size_t fixed = sizeof h + (size_t)count * (sizeof(int) + 2 * sizeof(float));
    if (size < fixed + past)
        return fm_fail_number(err, p->object.name, "state of springs", (double)size,
                              "what was saved");
    memcpy(&h, in, sizeof h);
    bool good = h.mode_count == s->mode_count && h.spring_count >= 0 && isfinite(h.recorded) &&
                isfinite(h.renewed) && h.largest_sum >= 0 &&
                (size - fixed - past) / find_spring_size(s) == (size_t)h.spring_count &&
                (size - fixed - past) % find_spring_size(s) == 0 &&
                (past == 0 || fm_velocity_history_check(s->past, in + size - past));
    const unsigned char *at = in + sizeof h, *springs = in + fixed;
    int64_t total = 0;
    for (int i = 0, room = 0; i < count && good; i++) {
        int own;
        get(&at, &own, sizeof own);
        room = i % FM_PARTICLES_BLOCK == 0 ? s->block_capacity : room;
        good = own >= 0 && own <= room;
        room -= own;
        total += own;
    }
    good = good && total == h.spring_count;
    for (int64_t k = 0; k < total && good; k++, springs += find_spring_size(s)) {
        int other;
        memcpy(&other, springs, sizeof other);
        good = other >= 0 && other < count;
    }
    return good || fm_fail_number(err, p->object.name, "state of springs", (double)h.spring_count,
                                  "springs of a fluid with the same definition");
}

// Reads the springs from the bytes of a snapshot.
static bool restore(fm_particles *p, void *state, int count, const unsigned char *in, size_t size,
                    fm_error *err)
{
    fm_springs *s = state;
    if (size > 0 && !check_saved(p, s, count, in, size, err))
        return false;
    springs_header h;
    memset(&h, 0, sizeof h);
    const size_t modes = (size_t)s->mode_count;
    const unsigned char *past_bytes = in + size - find_past_size(s, count);
    if (size > 0)
        get(&in, &h, sizeof h);
    s->begun = h.begun;
    s->recorded = h.recorded;
    s->renewed = h.renewed;
    s->largest_sum = h.largest_sum;
    s->totals = h.totals;
    if (s->past)
        fm_velocity_history_restore(s->past, count, p->capacity, size > 0 ? past_bytes : NULL);
    if (size == 0) {
        memset(s->now.count, 0, (size_t)count * sizeof(int));
        fm_particle_scalar_clear(s->history, 0, count);
        fm_particle_scalar_clear(s->sum, 0, count);
        return true;
    }
    get(&in, s->now.count, (size_t)count * sizeof(int));
    get(&in, s->history->now, (size_t)count * sizeof(float));
    get(&in, s->sum->now, (size_t)count * sizeof(float));
    for (int i = 0, slot = 0; i < count; i++) {
        slot = i % FM_PARTICLES_BLOCK == 0 ? i / FM_PARTICLES_BLOCK * s->block_capacity : slot;
        s->now.start[i] = slot;
        for (; slot < s->now.start[i] + s->now.count[i]; slot++) {
            get(&in, &s->now.other[slot], sizeof(int));
            get(&in, &s->now.rest[slot], sizeof(float));
            get(&in, &s->now.rate[slot], sizeof(float));
            get(&in, &s->now.memory[slot], sizeof(float));
            get(&in, s->now.modes + (size_t)slot * modes, modes * sizeof(float));
        }
    }
    return true;
}

// Hash of the springs.
static uint64_t hash(const fm_particles *p, const void *state, uint64_t seed)
{
    const fm_springs *s = state;
    const springs_header h = find_header(p, s);
    const size_t modes = (size_t)s->mode_count;
    uint64_t value = fm_hash(&h, sizeof h, seed);
    for (int i = 0; i < p->count; i++) {
        const size_t first = (size_t)s->now.start[i], n = (size_t)s->now.count[i];
        value = fm_hash(s->now.other + first, n * sizeof(int), value);
        value = fm_hash(s->now.rest + first, n * sizeof(float), value);
        value = fm_hash(s->now.rate + first, n * sizeof(float), value);
        value = fm_hash(s->now.memory + first, n * sizeof(float), value);
        value = fm_hash(s->now.modes + first * modes, n * modes * sizeof(float), value);
    }
    return s->past ? fm_velocity_history_hash(s->past, p->count, value) : value;
}

// Adds one spring to the means and the stress of the network.
static void measure_spring(const fm_particles *p, const fm_springs *s, int i, int slot,
                           fm_spring_stats *stats)
{
    const int j = s->now.other[slot];
    const double x[2][3] = {{p->now.x[i], p->now.y[i], p->now.z[i]},
                            {p->now.x[j], p->now.y[j], p->now.z[j]}};
    const double f[3] = {s->force[slot].x, s->force[slot].y, s->force[slot].z};
    double d[3], r2 = 0;
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = x[0][axis] - x[1][axis];
        if (s->period[axis] > 0)
            d[axis] -= s->period[axis] * round(d[axis] / s->period[axis]);
        r2 += d[axis] * d[axis];
    }
    stats->spring_count++;
    stats->mean_square += r2;
    stats->mean_cube += r2 * sqrt(r2);
    stats->mean_memory += (double)s->now.memory[slot];
    stats->mean_stiffness += (double)s->force[slot].k;
    for (int axis = 0; axis < 3; axis++)
        stats->stress[axis] -= d[axis] * f[(axis + 1) % 3]; // xy, yz, zx
}

// Counts, means and stress of the springs of a fluid whose owner is between `low` and `high`.
fm_spring_stats fm_particles_read_springs(fm_particles *p, fm_vec3 low, fm_vec3 high)
{
    assert(p);
    const fm_springs *s = p->prepared ? fm_springs_find(p) : NULL;
    if (!s)
        return (fm_spring_stats){0};
    fm_spring_stats stats = s->totals;
    for (int i = 0; i < p->count; i++) {
        bool in = p->now.x[i] >= low.x && p->now.x[i] <= high.x && p->now.y[i] >= low.y &&
                  p->now.y[i] <= high.y && p->now.z[i] >= low.z && p->now.z[i] <= high.z;
        stats.particle_count += in;
        for (int k = s->now.start[i]; in && k < s->now.start[i] + s->now.count[i]; k++)
            measure_spring(p, s, i, k, &stats);
    }
    double n = stats.spring_count > 0 ? (double)stats.spring_count : 1;
    double volume = stats.particle_count > 0 ? stats.particle_count * p->volume : 1;
    stats.mean_square /= n;
    stats.mean_cube /= n;
    stats.mean_memory /= n;
    stats.mean_stiffness /= n;
    stats.least_stiffness = s->k_min;
    stats.onset_memory = s->M_onset;
    for (int axis = 0; axis < 3; axis++)
        stats.stress[axis] /= volume;
    return stats;
}

const fm_fluid_term_type fm_network_term = {
    .name = "springs",
    .create = create,
    .bound_step = bound_step,
    .emit = emit,
    .reorder = reorder,
    .extrapolate = stick_to_boundary,
    .add_forces = add_forces,
    .save = save,
    .restore = restore,
    .hash = hash,
};
