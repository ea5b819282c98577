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
// Hardening adds stiffness but no force: while k grows, L is changed so that the force stays the
// same. Otherwise a spring that is stretched, hardens and returns would give back more energy than
// it took, and a hardened pool would jump. Softening leaves L and dissipates energy.
//
// Rest lengths flow plastically beyond the yield ratio ([OZG13] eq. 5.8), here integrated exactly
// over the step for a given r:
//
//     dL/dt = alpha sign(r - L) max(0, |r - L| - gamma L)
//
// A spring is made when two particles are closer than `reach`, with L = r and an empty memory, and
// removed when r exceeds `break_at`.
//
// Explicit springs are stable if h^2 sum k / m < 2 at every particle. The largest such sum in one
// substep bounds the length of the next one. A single spring that hardens faster than that is
// limited to k <= MOST_K m / h^2; the number of limited springs is reported.
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

static const double SPRINGS_AT_FIRST = 32; // at a particle, assumed before the first substep
static const double MOST_K = 0.25;         // largest h^2 k / m of a single spring
static const double STEP_SHARE = 0.7;      // fraction of the step at which h^2 sum k / m = 1
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
        fm_arena_alloc(&p->arena, slots * (size_t)modes, sizeof *a->modes, p->object.name, err);
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
    s->new_index = fm_arena_alloc(&p->arena, n, sizeof *s->new_index, p->object.name, err);
    float **floats[] = {&s->fx, &s->fy, &s->fz, &s->stiffness};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        *floats[i] = fm_arena_alloc(&p->arena, slots, sizeof(float), p->object.name, err);
    s->incoming_start =
        fm_arena_alloc(&p->arena, n + 1, sizeof *s->incoming_start, p->object.name, err);
    s->incoming = fm_arena_alloc(&p->arena, slots, sizeof *s->incoming, p->object.name, err);
    s->blocks = fm_arena_alloc(&p->arena, blocks, sizeof *s->blocks, p->object.name, err);
    s->least_share = 1;
    return err->status == FM_OK ? s : NULL;
}

// Bounds the substep by the stiffness of the last one.
static void bound_step(const fm_particles *p, const void *state, fm_step_bounds *bounds)
{
    const fm_springs *s = state;
    double sum = fmax(s->largest_sum, SPRINGS_AT_FIRST * s->k_min);
    bounds->terms = fmin(bounds->terms, STEP_SHARE * sqrt(fm_particles_mass(p) / sum));
}

// Particles from sources have no springs yet.
static void emit(fm_particles *p, void *state, int first)
{
    fm_springs *s = state;
    for (int i = first; i < p->count; i++)
        s->now.start[i] = s->now.count[i] = 0;
    fm_particle_scalar_clear(s->history, first, p->count);
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
}

// Everything that the passes over springs of one substep read.
typedef struct pass {
    const fm_particles_step *step;
    fm_particles *p;
    fm_springs *s;
    double elapsed;         // s, since the last evaluation
    float k_min, k_most;    // N/m, least stiffness, and most that this substep allows
    float inverse_onset;    // 1 / M_onset
    float stiffening;       // most of k / k_min
    float stretch, squeeze; // shares by which plastic flow reduces the excess of a longer and of a
                            // shorter spring, divided by 1 + gamma and 1 - gamma
    float yield;            // gamma
} pass;

// Computes the constants of a substep.
static pass find_pass(const fm_particles_step *step, fm_springs *s)
{
    const fm_particles *p = step->p;
    const fm_spring_network *n = &p->def.network;
    double elapsed = s->begun ? step->t - s->recorded : 0, flow = elapsed / n->relaxation;
    double m = fm_particles_mass(p);
    return (pass){
        .step = step,
        .p = step->p,
        .s = s,
        .elapsed = elapsed,
        .k_min = (float)s->k_min,
        .k_most = (float)(MOST_K * m / (step->h * step->h)),
        .inverse_onset = (float)(1 / s->M_onset),
        .stiffening = (float)n->stiffening,
        .stretch = (float)(-expm1(-(1 + n->yield) * flow) / (1 + n->yield)),
        .squeeze = (float)(-expm1(-(1 - n->yield) * flow) / (1 - n->yield)),
        .yield = (float)n->yield,
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

// Stiffness of a spring with the memory M, N/m.
FM_INLINE float find_stiffness(const pass *c, float M)
{
    float factor = 1 + M * c->inverse_onset;
    return c->k_min * (factor < c->stiffening ? factor : c->stiffening);
}

// Rest length after the stiffness grew with the memory from M_old to M: the force is the same.
FM_INLINE float harden_unstressed(const pass *c, float L, float r, float M_old, float M)
{
    if (M <= M_old)
        return L;
    return r - (r - L) * (find_stiffness(c, M_old) / find_stiffness(c, M));
}

// Rest length after plastic flow. [OZG13] eq. (5.8).
FM_INLINE float flow_plastically(const pass *c, float L, float r)
{
    float longer = r - L - c->yield * L, shorter = L - r - c->yield * L;
    if (longer > 0)
        return L + c->stretch * longer;
    return shorter > 0 ? L - c->squeeze * shorter : L;
}

// The stiffness that the substep allows, N/m; counts the spring if that is less than k.
FM_INLINE float limit_stiffness(const pass *c, float k, fm_spring_block *block)
{
    if (k <= c->k_most)
        return k;
    block->limited++;
    block->least_share = fmin(block->least_share, (double)(c->k_most / k));
    return c->k_most;
}

// Stores force and stiffness of the spring in a slot of the new arrays.
FM_INLINE void store_force(const pass *c, int slot, const pair *d, fm_spring_block *block)
{
    fm_springs *s = c->s;
    float k = find_stiffness(c, s->spare.memory[slot]);
    float f = d->r > 0 ? -limit_stiffness(c, k, block) * (d->r - s->spare.rest[slot]) / d->r : 0;
    s->stiffness[slot] = k;
    s->fx[slot] = f * d->x;
    s->fy[slot] = f * d->y;
    s->fz[slot] = f * d->z;
}

// Copies the springs of particle i that did not break to the new order and advances them by one
// step. Returns the slot behind the last.
FM_INLINE int advance_springs_of(const pass *c, int i, int slot, int end, fm_spring_block *block)
{
    fm_springs *s = c->s;
    const fm_spring_arrays *old = &s->now;
    fm_spring_arrays *now = &s->spare;
    const fm_density_record *records = c->p->fluid.density;
    const bool by_speed = c->p->def.network.rate == FM_HARDENING_SPEED;
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
        float rate = by_speed ? d.speed : d.stretching;
        now->other[slot] = j;
        float M = fm_springs_advance_memory(&s->step, s->mode_count, old->modes + (size_t)k * modes,
                                            now->modes + (size_t)slot * modes, old->rate[k], rate);
        float L = harden_unstressed(c, old->rest[k], d.r, old->memory[k], M);
        now->memory[slot] = M;
        now->rest[slot] = flow_plastically(c, L, d.r);
        now->rate[slot] = rate;
        store_force(c, slot, &d, block);
        slot++;
    }
    return slot;
}

// Makes a spring between the particles i and j in this slot.
static void make_spring(const pass *c, int slot, int j, const pair *d, fm_spring_block *block)
{
    fm_spring_arrays *now = &c->s->spare;
    const size_t modes = (size_t)c->s->mode_count;
    now->other[slot] = j;
    now->rest[slot] = d->r;
    now->rate[slot] = c->p->def.network.rate == FM_HARDENING_SPEED ? d->speed : d->stretching;
    now->memory[slot] = 0;
    memset(now->modes + (size_t)slot * modes, 0, modes * sizeof *now->modes);
    store_force(c, slot, d, block);
    block->made++;
}

// True when one of the slots from first to below last is a spring to particle j.
FM_INLINE bool is_connected(const int *other, int first, int last, int j)
{
    for (int k = first; k < last; k++)
        if (other[k] == j)
            return true;
    return false;
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
        if (id[j] <= id[i])
            continue;
        pair d = find_pair(s, &p->fluid.density[i], &p->fluid.density[j]);
        if (d.r >= (float)s->reach || is_connected(s->spare.other, first, slot, j))
            continue;
        if (slot == end) {
            block->refused++;
            continue;
        }
        make_spring(c, slot, j, &d, block);
        slot++;
    }
    return slot;
}

// Advances, breaks and makes the springs that one block of particles owns.
FM_SIMD_CLONES static void advance_range(void *context, int first, int last)
{
    const pass *c = context;
    fm_springs *s = c->s;
    const fm_particles *p = c->p;
    const bool has_ghosts = s->period[0] > 0 || s->period[1] > 0 || s->period[2] > 0;
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    const int index = first / FM_PARTICLES_BLOCK;
    fm_spring_block block = {.least_share = 1};
    int slot = index * s->block_capacity;
    const int end = slot + s->block_capacity;
    for (int i = first; i < last; i++) {
        s->spare.start[i] = slot;
        slot = advance_springs_of(c, i, slot, end, &block);
        const int *list = fm_neighbours_in_fluid(p, i, buffer, &count, &padding);
        slot = make_springs_to(c, i, list, count - padding, false, slot, end, &block);
        if (has_ghosts) {
            list = fm_neighbours_in_boundary(p, i, buffer, &count, &padding);
            slot = make_springs_to(c, i, list, count - padding, true, slot, end, &block);
        }
        s->spare.count[i] = slot - s->spare.start[i];
    }
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

// Sum over the springs of one particle.
typedef struct spring_sums {
    float x, y, z, k; // N, N/m
    int count;
} spring_sums;

// Adds the spring in a slot; sign -1: its particle is not the owner.
FM_INLINE void add_spring(spring_sums *sum, const fm_springs *s, int slot, float sign)
{
    sum->x += sign * s->fx[slot];
    sum->y += sign * s->fy[slot];
    sum->z += sign * s->fz[slot];
    sum->k += s->stiffness[slot];
    sum->count++;
}

// Adds the forces of the springs to the accelerations of a block of particles.
FM_SIMD_CLONES static void gather_range(void *context, int first, int last)
{
    const pass *c = context;
    fm_springs *s = c->s;
    fm_particles *p = c->p;
    const float inverse_mass = (float)(1 / fm_particles_mass(p));
    float largest = 0;
    for (int i = first; i < last; i++) {
        spring_sums sum = {0};
        for (int k = s->now.start[i]; k < s->now.start[i] + s->now.count[i]; k++)
            add_spring(&sum, s, k, 1);
        for (int n = s->incoming_start[i]; n < s->incoming_start[i + 1]; n++)
            add_spring(&sum, s, s->incoming[n], -1);
        p->ax[i] += inverse_mass * sum.x;
        p->ay[i] += inverse_mass * sum.y;
        p->az[i] += inverse_mass * sum.z;
        s->history->now[i] = sum.count > 0 ? sum.k / (float)sum.count - c->k_min : 0;
        largest = sum.k > largest ? sum.k : largest;
    }
    s->blocks[first / FM_PARTICLES_BLOCK].largest_sum = (double)largest;
}

// Sums the counts of all blocks, in their order.
static void add_totals(const pass *c)
{
    fm_springs *s = c->s;
    s->largest_sum = 0;
    for (int b = 0; b < fm_parallel_block_count(c->p->count, FM_PARTICLES_BLOCK); b++) {
        const fm_spring_block *block = &s->blocks[b];
        s->totals.made_count += block->made;
        s->totals.broken_count += block->broken;
        s->totals.refused_count += block->refused;
        s->totals.limited_count += block->limited;
        s->least_share = fmin(s->least_share, block->least_share);
        s->largest_sum = fmax(s->largest_sum, block->largest_sum);
    }
}

// Advances all springs by one step and adds their forces.
static void add_forces(const fm_particles_step *step, void *state)
{
    fm_springs *s = state;
    pass c = find_pass(step, s);
    fm_springs_set_step(s, step->p, c.elapsed);
    fm_parallel_for(step->around->pool, c.p->count, FM_PARTICLES_BLOCK, advance_range, &c);
    fm_spring_arrays old = s->now;
    s->now = s->spare;
    s->spare = old;
    list_incoming(&c);
    fm_parallel_for(step->around->pool, c.p->count, FM_PARTICLES_BLOCK, gather_range, &c);
    add_totals(&c);
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
        p->identity[near->index].owner.kind == FM_OWNER_SURFACE)
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

// Begins the saved springs. Followed by, for each particle, its number of springs and its history
// stiffness, then for each spring other, rest, rate, memory and modes.
typedef struct springs_header {
    int64_t spring_count;
    int32_t mode_count, begun;
    double recorded, largest_sum;
    fm_spring_stats totals;
} springs_header;

// Bytes of one saved spring.
static size_t find_spring_size(const fm_springs *s)
{
    return sizeof(int) + (3 + (size_t)s->mode_count) * sizeof(float);
}

// The header that precedes the saved springs.
static springs_header find_header(const fm_particles *p, const fm_springs *s)
{
    springs_header h;
    memset(&h, 0, sizeof h);
    h.mode_count = s->mode_count;
    h.begun = s->begun;
    h.recorded = s->recorded;
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
    size_t size = sizeof h + (size_t)p->count * (sizeof(int) + sizeof(float)) +
                  (size_t)h.spring_count * find_spring_size(s);
    if (!out)
        return size;
    put(&out, &h, sizeof h);
    put(&out, s->now.count, (size_t)p->count * sizeof(int));
    put(&out, s->history->now, (size_t)p->count * sizeof(float));
    for (int i = 0; i < p->count; i++) {
        for (int k = s->now.start[i]; k < s->now.start[i] + s->now.count[i]; k++) {
            put(&out, &s->now.other[k], sizeof(int));
            put(&out, &s->now.rest[k], sizeof(float));
            put(&out, &s->now.rate[k], sizeof(float));
            put(&out, &s->now.memory[k], sizeof(float));
            put(&out, s->now.modes + (size_t)k * modes, modes * sizeof(float));
        }
    }
    return size;
}

// Checks that saved springs fit this fluid with `count` particles and the number of bytes.
static bool check_saved(const fm_particles *p, const fm_springs *s, int count,
                        const unsigned char *in, size_t size, fm_error *err)
{
    springs_header h;
    size_t fixed = sizeof h + (size_t)count * (sizeof(int) + sizeof(float));
    if (size < fixed)
        return fm_fail_number(err, p->object.name, "state of springs", (double)size,
                              "what was saved");
    memcpy(&h, in, sizeof h);
    bool good = h.mode_count == s->mode_count && h.spring_count >= 0 && isfinite(h.recorded) &&
                h.largest_sum >= 0 &&
                (size - fixed) / find_spring_size(s) == (size_t)h.spring_count &&
                (size - fixed) % find_spring_size(s) == 0;
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
    if (size > 0)
        get(&in, &h, sizeof h);
    s->begun = h.begun;
    s->recorded = h.recorded;
    s->largest_sum = h.largest_sum;
    s->totals = h.totals;
    if (size == 0) {
        memset(s->now.count, 0, (size_t)count * sizeof(int));
        fm_particle_scalar_clear(s->history, 0, count);
        return true;
    }
    get(&in, s->now.count, (size_t)count * sizeof(int));
    get(&in, s->history->now, (size_t)count * sizeof(float));
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
    return value;
}

// Adds one spring to the means and the stress of the network.
static void measure_spring(const fm_particles *p, const fm_springs *s, int i, int slot,
                           fm_spring_stats *stats)
{
    const int j = s->now.other[slot];
    const double x[2][3] = {{p->now.x[i], p->now.y[i], p->now.z[i]},
                            {p->now.x[j], p->now.y[j], p->now.z[j]}};
    const double f[3] = {s->fx[slot], s->fy[slot], s->fz[slot]};
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
    stats->mean_stiffness += (double)s->stiffness[slot];
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
