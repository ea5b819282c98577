// SPDX-License-Identifier: MIT
// spring_network.c: a network of springs between the particles of a fluid, which makes it
// viscoelastic and, with history, shear-thickening ([OZG13] chapter 5, [CBP05]). A term of the
// fluid (terms.h).
//
// The force on particle i of a spring between i and j is
//
//     F = -k (r - L) (x_i - x_j) / r,     k = k_min min(1 + M / M_onset, stiffening)
//
// M is the memory of the spring (spring_memory.c), fed with the mean since the last renewal of the
// rate
//
//     u = |dl/dt|, dl/dt = (r - l) / T  (default: the same for every observer, so rigid rotation
//                                        does not harden), or
//     u = |v_i - v_j|  (as in [OZG13] eq. 5.13)
//
// minus threshold r, if that is positive: fluid that creeps does not harden. l is the length
// smoothed over T, the time in which sound goes 3 spacings. Single springs vibrate with periods
// of about that, by an amplitude that depends on the substep; fed with |dr/dt|, hardened fluid
// stayed hard by its vibration. Memories of `steps` and `seconds` are computed from past
// velocities of the two particles (velocity_history.c).
//
// Hardening adds stiffness but no force: while k grows, L is changed so that the force stays the
// same. Otherwise a spring that is stretched, hardens and returns would give back more energy than
// it took, and a hardened pool would jump. Softening leaves L and dissipates energy.
//
// Rest lengths flow plastically beyond the yield ratio ([OZG13] eq. 5.8), here integrated exactly
// over the step for a given r:
//
//     dL/dt = alpha sign(r - L) max(0, |r - L| - gamma L)
//
// A spring is made when two particles are closer than `reach`, with L = r and the mean memory of
// the springs that its particles own, and removed when r exceeds `break_at`. With empty memories,
// fluid that is sheared by more than 1 would soften because its springs are exchanged.
//
// spring_forces.c computes the forces, in cycles within a substep.
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

// Springs shorten the substep to no less than this fraction of the bound by pressure and flow;
// stiffer springs are limited instead (most_sum).
static const double SHORTEST_STEP = 0.5;
// Share of the viscous bound on the substep that sticking boundaries may use, for substeps of at
// least this Courant number: walls of a fluid with shorter substeps do not stick more.
static const float STICKING_SHARE = 0.5f;
static const double STICKING_COURANT = 0.25;
static const double SMOOTHING = 3; // c T / spacing, with the smoothing time T of lengths

// Allocates one set of arrays for `slots` springs.
static void create_arrays(fm_particles *p, fm_spring_arrays *a, size_t slots, int modes,
                          fm_error *err)
{
    size_t n = (size_t)p->capacity;
    a->start = fm_arena_alloc(&p->arena, n, sizeof *a->start, p->object.name, err);
    a->count = fm_arena_alloc(&p->arena, n, sizeof *a->count, p->object.name, err);
    a->other = fm_arena_alloc(&p->arena, slots, sizeof *a->other, p->object.name, err);
    a->rest = fm_arena_alloc(&p->arena, slots, sizeof *a->rest, p->object.name, err);
    a->length = fm_arena_alloc(&p->arena, slots, sizeof *a->length, p->object.name, err);
    a->path = fm_arena_alloc(&p->arena, slots, sizeof *a->path, p->object.name, err);
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

// Bounds the substep by the stiffness of the last one.
static void bound_step(const fm_particles *p, const void *state, fm_step_bounds *bounds)
{
    double others = fmin(bounds->courant, fmin(bounds->viscous, bounds->given));
    double least = isfinite(others) ? SHORTEST_STEP * others : 0;
    double step = fm_springs_find_longest_cycle(p, state);
    if (p->def.method == FM_SPH_WEAKLY_COMPRESSIBLE) {
        step = fm_springs_find_longest_step(p, state);
        bounds->acceleration = INFINITY; // springs oscillate within a substep
    }
    step = fmax(least, step);
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

// Computes the constants of a substep.
static fm_spring_pass find_pass(const fm_particles_step *step, fm_springs *s)
{
    const fm_particles *p = step->p;
    const fm_spring_network *n = &p->def.network;
    double elapsed = s->begun ? step->t - s->renewed : 0;
    const int cycles = fm_springs_count_cycles(p, s, step->h);
    const double interval = s->begun ? (step->t - s->recorded) / cycles : 0;
    const double flow = interval / n->relaxation;
    double cycle = step->h / cycles, most_sum = fm_springs_find_largest_sum(p, step->h, cycles);
    return (fm_spring_pass){
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
        .remembers = s->mode_count > 0,
        .interval = (float)interval,
        .smoothing = (float)-expm1(-interval / (SMOOTHING * p->def.spacing / p->c)),
        .threshold = (float)(n->threshold * interval),
        .reach2 = (float)(s->reach * s->reach),
        .has_ghosts = s->period[0] > 0 || s->period[1] > 0 || s->period[2] > 0,
    };
}

// Difference of two coordinates to the nearest periodic image, m. period 0: not periodic.
FM_INLINE float find_nearest_image(float d, double period)
{
    return period > 0 ? d - (float)period * roundf(d / (float)period) : d;
}

// Distance of the particles i and j, m.
FM_INLINE float find_length(const fm_springs *s, const fm_density_record *i,
                            const fm_density_record *j)
{
    const float x = find_nearest_image(i->x - j->x, s->period[0]);
    const float y = find_nearest_image(i->y - j->y, s->period[1]);
    const float z = find_nearest_image(i->z - j->z, s->period[2]);
    return sqrtf(x * x + y * y + z * z);
}

// Stiffness of a spring with the memory M, N/m.
FM_INLINE float find_stiffness(const fm_spring_pass *c, float M)
{
    float factor = 1 + M * c->inverse_onset;
    return c->k_min * (factor < c->stiffening ? factor : c->stiffening);
}

// Rest length after the stiffness grew with the memory from M_old to M: the force is the same.
FM_INLINE float harden_unstressed(const fm_spring_pass *c, float L, float r, float M_old, float M)
{
    if (M <= M_old || c->p->def.network.published)
        return L;
    return r - (r - L) * (find_stiffness(c, M_old) / find_stiffness(c, M));
}

// Copies the springs of particle i that did not break to the new order and advances their
// memories. Returns the slot behind the last.
FM_INLINE int advance_springs_of(const fm_spring_pass *c, int i, int slot, int end,
                                 fm_spring_block *block)
{
    fm_springs *s = c->s;
    const fm_spring_arrays *old = &s->now;
    fm_spring_arrays *now = &s->spare;
    const fm_density_record *records = c->p->fluid.density;
    const fm_hardening_rate kind = c->p->def.network.rate;
    const size_t modes = (size_t)s->mode_count;
    const float elapsed = (float)c->elapsed;
    const int before = s->from[i], first = old->start[before], last = first + old->count[before];
    for (int k = first; k < last; k++) {
        int j = s->new_index[old->other[k]];
        const float r = j >= 0 ? find_length(s, &records[i], &records[j]) : INFINITY;
        if (!(r <= (float)s->break_at)) {
            block->broken++;
            continue;
        }
        if (slot == end) {
            block->refused++;
            continue;
        }
        const float rate = elapsed > 0 ? old->path[k] / elapsed : 0; // mean since the last renewal
        float M;
        now->other[slot] = j;
        if (s->past)
            M = fm_velocity_history_find_memory(s->past, kind, i, j);
        else
            M = fm_springs_advance_memory(&s->step, s->mode_count, old->modes + (size_t)k * modes,
                                          now->modes + (size_t)slot * modes, rate, rate);
        now->memory[slot] = M;
        now->rest[slot] = harden_unstressed(c, old->rest[k], r, old->memory[k], M);
        now->length[slot] = old->length[k];
        now->path[slot] = 0;
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
static void inherit_memory(const fm_spring_pass *c, int slot, int i, int j)
{
    const fm_springs *s = c->s;
    float *modes = s->spare.modes + (size_t)slot * (size_t)s->mode_count, M = 0;
    memset(modes, 0, (size_t)s->mode_count * sizeof *modes);
    int count = add_memories(s, s->from[i], modes, &M) + add_memories(s, s->from[j], modes, &M);
    for (int n = 0; n < s->mode_count && count > 0; n++)
        modes[n] /= (float)count;
    s->spare.memory[slot] = count > 0 ? M / (float)count : 0;
}

// Makes a spring of length r, m, between the particles i and j in this slot.
static void make_spring(const fm_spring_pass *c, int slot, int i, int j, float r)
{
    fm_spring_arrays *now = &c->s->spare;
    now->other[slot] = j;
    now->rest[slot] = now->length[slot] = r;
    now->path[slot] = 0;
    const fm_hardening_rate kind = c->p->def.network.rate;
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
FM_INLINE bool is_within_reach(const fm_spring_pass *c, int i, int j)
{
    const fm_density_record *a = &c->p->fluid.density[i], *b = &c->p->fluid.density[j];
    const float x = a->x - b->x, y = a->y - b->y, z = a->z - b->z;
    return c->has_ghosts || x * x + y * y + z * z < c->reach2;
}

// Makes the springs between particle i and those of `count` neighbours that are within the reach
// and have a higher id. Returns the slot behind the last.
FM_INLINE int make_springs_to(const fm_spring_pass *c, int i, const int *list, int count,
                              bool boundary, int slot, int end, fm_spring_block *block)
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
        if (id[j] <= id[i] || !is_within_reach(c, i, j) ||
            is_connected(s->spare.other, first, slot, j))
            continue;
        const float r = find_length(s, &p->fluid.density[i], &p->fluid.density[j]);
        if (r >= (float)s->reach)
            continue;
        if (slot == end) {
            block->refused++;
            continue;
        }
        make_spring(c, slot, i, j, r);
        block->made++;
        slot++;
    }
    return slot;
}

// Fills the slots up to the next multiple of eight with springs of length 0, which have no force.
static void pad_slots(const fm_spring_pass *c, int slot, int particle)
{
    for (; slot % 8 != 0; slot++) {
        c->s->owner[slot] = c->s->spare.other[slot] = particle;
        c->s->spare.rest[slot] = c->s->spare.memory[slot] = 0;
        c->s->spare.length[slot] = c->s->spare.path[slot] = 0;
    }
}

// Advances, breaks and makes the springs that one block of particles owns.
FM_SIMD_CLONES static void renew_range(void *context, int first, int last)
{
    const fm_spring_pass *c = context;
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
static void list_incoming(const fm_spring_pass *c)
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

// Sums the counts of all blocks, in their order. renewed: springs were made and broken.
static void add_totals(const fm_spring_pass *c, bool renewed)
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
static void renew(const fm_spring_pass *c)
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

// Advances all springs by one substep and adds their forces.
static void add_forces(const fm_particles_step *step, void *state)
{
    fm_springs *s = state;
    fm_spring_pass c = find_pass(step, s);
    const bool sorted = step->p->list_age <= 1;
    if (sorted)
        renew(&c);
    fm_springs_add_forces(&c);
    add_totals(&c, sorted);
    s->recorded = step->t;
    s->begun = true;
}

// Mean velocity of the fluid around a boundary particle, m/s.
static void find_mean_velocity(const fm_particles *p, const fm_boundary_neighbours *near,
                               float mean[3])
{
    const int count = near->count - near->padding;
    mean[0] = mean[1] = mean[2] = 0;
    for (int n = 0; n < count; n++) {
        const fm_force_record *at = &p->fluid.force[near->list[n]];
        mean[0] += at->vx / (float)count;
        mean[1] += at->vy / (float)count;
        mean[2] += at->vz / (float)count;
    }
}

// How many times the viscosity at a boundary particle is that between the springs: the mean of
// k / k_min near it, as far as the substep allows.
static float find_sticking(const fm_particles_step *step, const fm_springs *s,
                           const fm_boundary_neighbours *near)
{
    const fm_particles *p = step->p;
    const int count = near->count - near->padding;
    float sum = 0;
    for (int n = 0; n < count; n++)
        sum += s->history->now[near->list[n]];
    const double h = p->R / 2, nu = p->def.viscosity / p->def.density;
    const double longest = fmax(step->h, STICKING_COURANT * p->R / p->c);
    const float most = STICKING_SHARE * (float)(0.125 * h * h / (nu * longest));
    const float share = 1 + sum / ((float)count * (float)s->k_min);
    return share < most ? share : (most > 1 ? most : 1);
}

// Multiplies the viscosity between fluid and a boundary particle of a wall or of an immersed
// surface with the velocity u by `sticking`, by changing the velocity that the viscous force uses:
// for walls from mean + 2 (u - mean), for surfaces from u, that is mean + (u - mean).
static void stick_to_boundary(const fm_particles_step *step, void *state,
                              const fm_boundary_neighbours *near)
{
    fm_particles *p = step->p;
    const fm_boundary_owner_kind kind = p->identity[near->index].owner.kind;
    if (near->count <= near->padding || p->def.domain.slip || !(p->def.viscosity > 0) ||
        (kind != FM_OWNER_WALL && kind != FM_OWNER_SURFACE))
        return;
    const float sticking = find_sticking(step, state, near);
    const fm_density_record *own = &p->boundary.density[near->index];
    fm_force_record *record = &p->boundary.force[near->index];
    float d[3] = {record->vx - own->vx, record->vy - own->vy, record->vz - own->vz}; // u - mean
    if (kind == FM_OWNER_SURFACE) {
        float mean[3];
        find_mean_velocity(p, near, mean);
        d[0] = (own->vx - mean[0]) / 2, d[1] = (own->vy - mean[1]) / 2;
        d[2] = (own->vz - mean[2]) / 2;
    }
    record->vx += 2 * (sticking - 1) * d[0];
    record->vy += 2 * (sticking - 1) * d[1];
    record->vz += 2 * (sticking - 1) * d[2];
}

// Mean history stiffness of the springs at particle i, N/m.
double fm_springs_find_history(const fm_particles *p, int i)
{
    const fm_springs *s = fm_springs_find(p);
    return s ? (double)s->history->now[i] : 0;
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
    .save = fm_springs_save,
    .restore = fm_springs_restore,
    .hash = fm_springs_hash,
};
