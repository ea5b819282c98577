// SPDX-License-Identifier: MIT
// spring_forces.c: forces of the springs between the particles of a fluid.
//
// Rest lengths L flow plastically ([OZG13] eq. 5.8), and the force on the owner i of a spring is
//
//     F = -k (r - L) (x_i - x_j) / r,     k = k_min min(1 + M / M_onset, stiffening)
//
// Explicit springs are stable if h^2 sum k / m < 2 at every particle. In the weakly compressible
// method a substep takes up to FM_SPRING_CYCLES_MAX cycles of length d = h / n, with n from the
// largest sum of the last substep. The acceleration a by pressure and viscosity stays the same:
//
//     x = x_mid - h/2 v;    n times:  x += d/2 v;  v += d (a + F(x)/m);  x += d/2 v
//
// The mean acceleration goes to the substep, and the difference between x and the drift of the
// substep, x_mid + h/2 v, is added to its second half. For n = 1 it is 0. Other methods take one
// cycle, and the largest sum shortens their substep, at most to the fraction SHORTEST_STEP
// (spring_network.c) of that without springs. Where even this is too long, all springs at a
// particle are softened by one factor, so that d^2 sum k / m = MOST_SUM; such particles are
// counted.
//
//   x  position, m    v  velocity, m/s    m  mass of a particle, kg    h  substep, s
//   r  length, m    L  rest length, m    k  stiffness, N/m    M  memory, m s^-q
//
// [OZG13] in docs/references.md
#include "particles/spring_network.h"

#include <string.h>

static const double SPRINGS_AT_FIRST = 32; // at a particle, assumed before the first substep
static const double MOST_SUM = 1.1;        // largest d^2 sum k / m at a particle
static const double STEP_SHARE = 0.7;      // fraction of the cycle at which d^2 sum k / m = 1

// Length of a cycle that the stiffness of the last substep allows, s.
double fm_springs_find_longest_cycle(const fm_particles *p, const fm_springs *s)
{
    double sum = fmax(s->largest_sum, SPRINGS_AT_FIRST * s->k_min);
    return STEP_SHARE * sqrt(fm_particles_mass(p) / sum);
}

// Number of cycles of the springs in a substep of h seconds.
int fm_springs_count_cycles(const fm_particles *p, const fm_springs *s, double h)
{
    if (p->def.method != FM_SPH_WEAKLY_COMPRESSIBLE)
        return 1;
    return (int)fmax(1, fmin(FM_SPRING_CYCLES_MAX, ceil(h / fm_springs_find_longest_cycle(p, s))));
}

// Largest sum of stiffnesses at a particle, N/m, that a cycle of this length, s, allows.
double fm_springs_find_largest_sum(const fm_particles *p, double cycle)
{
    return MOST_SUM * fm_particles_mass(p) / (cycle * cycle);
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
FM_INLINE void compute_octet(const fm_spring_pass *c, int slot, bool periodic)
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
    const fm_spring_pass *c = context;
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
    const fm_spring_pass *c = context;
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
FM_INLINE void advance_cycle(const fm_spring_pass *c, int i, const float a[3])
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
FM_INLINE void end_cycles(const fm_spring_pass *c, int i)
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

// Sums the spring forces of each particle of a block. With one cycle per substep, adds them, over
// the mass, to the accelerations; with several, advances positions and velocities by one cycle. The
// last cycle also records the sums of stiffness, N/m.
FM_SIMD_CLONES static void gather_range(void *context, int first, int last)
{
    const fm_spring_pass *c = context;
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
        const float added = count > 0 ? sum.k / (float)count - c->k_min : 0;
        s->history->now[i] = added > 0 ? added : 0; // rounding
        s->sum->now[i] = sum.k;
        limited += c->limits && s->share[i] < 1;
        largest = sum.k > largest ? sum.k : largest;
    }
    if (!c->last)
        return;
    s->blocks[first / FM_PARTICLES_BLOCK].largest_sum = (double)largest;
    s->blocks[first / FM_PARTICLES_BLOCK].limited = limited;
}

// Share of the stiffness of its springs that the substep allows each particle, from the sum of the
// last substep.
static void find_share_range(void *context, int first, int last)
{
    const fm_spring_pass *c = context;
    for (int i = first; i < last; i++) {
        float sum = c->s->sum->now[i];
        c->s->share[i] = sum > c->most_sum ? c->most_sum / sum : 1;
    }
}

// Lets rest lengths flow and adds the forces of all springs, in one or more cycles.
void fm_springs_add_forces(fm_spring_pass *c)
{
    fm_particles *p = c->p;
    fm_pool *pool = c->step->around->pool;
    if (c->limits)
        fm_parallel_for(pool, p->count, FM_PARTICLES_LARGE_BLOCK, find_share_range, c);
    fm_parallel_for(pool, p->count, FM_PARTICLES_LARGE_BLOCK, begin_cycles_range, c);
    for (int n = 1; n <= c->cycles; n++) {
        c->last = n == c->cycles;
        fm_parallel_for(pool, p->count, FM_PARTICLES_BLOCK, compute_range, c);
        fm_parallel_for(pool, p->count, FM_PARTICLES_BLOCK, gather_range, c);
    }
    p->drift_is_corrected = c->cycles > 1;
}
