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
// Each cycle also integrates the rate that hardens a spring. A rate that is sampled when springs
// are renewed would alias with their vibration, and hardening would depend on the time between
// renewals.
//
// The mean acceleration goes to the substep, and the difference between x and the drift of the
// substep, x_mid + h/2 v, is added to its second half. For n = 1 it is 0.
//
// Pressure acts once in a substep. If a half period of the fastest springs is as short as that, it
// resonates with them, and the energy grows; so h^2 sum k / m is at most LONGEST_STEP^2. Stiffer
// springs shorten the substep, at most to the fraction SHORTEST_STEP (spring_network.c) of that
// without springs. Other methods take one cycle, for which the substep is shortened likewise. Where
// even this is too long, all springs at a particle are softened by one factor, so that
// d^2 sum k / m = MOST_SUM or h^2 sum k / m = LONGEST_STEP^2; such particles are counted.
//
//   x  position, m    v  velocity, m/s    m  mass of a particle, kg    h  substep, s
//   r  length, m    L  rest length, m    k  stiffness, N/m    M  memory, m s^-q
//
// [OZG13] in docs/references.md
#include "particles/spring_network.h"

#include <string.h>

static const double SPRINGS_AT_FIRST = 32; // at a particle, assumed before the first substep
static const double MOST_SUM = 1.1;        // largest d^2 sum k / m at a particle
// Fraction of the cycle at which d^2 sum k / m = 1, for hardened springs and for those that did not
// harden, whose viscosity would be lower by 8 % with 1.
static const double HARD_SHARE = 1, SOFT_SHARE = 0.7;
static const double LONGEST_STEP = 2.2; // largest h sqrt(sum k / m) at a particle

// Length of a cycle that the stiffness of the last substep allows, s.
double fm_springs_find_longest_cycle(const fm_particles *p, const fm_springs *s)
{
    const double soft = SPRINGS_AT_FIRST * s->k_min, sum = fmax(s->largest_sum, soft);
    return sqrt(fm_particles_mass(p)) * fmin(SOFT_SHARE / sqrt(soft), HARD_SHARE / sqrt(sum));
}

// Length of a substep that the stiffness of the last one allows, s.
double fm_springs_find_longest_step(const fm_particles *p, const fm_springs *s)
{
    const double sum = fmax(s->largest_sum, SPRINGS_AT_FIRST * s->k_min);
    return LONGEST_STEP * sqrt(fm_particles_mass(p) / sum);
}

// Number of cycles of the springs in a substep of h seconds.
int fm_springs_count_cycles(const fm_particles *p, const fm_springs *s, double h)
{
    if (p->def.method != FM_SPH_WEAKLY_COMPRESSIBLE)
        return 1;
    return (int)fmax(1, fmin(FM_SPRING_CYCLES_MAX, ceil(h / fm_springs_find_longest_cycle(p, s))));
}

// Largest sum of stiffnesses at a particle, N/m, that a substep of h seconds with this number of
// cycles allows.
double fm_springs_find_largest_sum(const fm_particles *p, double h, int cycles)
{
    const double by_cycle = MOST_SUM * cycles * cycles;
    const bool resonates = p->def.method == FM_SPH_WEAKLY_COMPRESSIBLE;
    return fm_particles_mass(p) / (h * h) *
           (resonates ? fmin(by_cycle, LONGEST_STEP * LONGEST_STEP) : by_cycle);
}

// Loads eight records of four floats, one SIMD vector for each of the four.
FM_INLINE void load_records(const fm_viscous_velocity *records, const int *list,
                            fm_floats columns[4])
{
    const float *record[8];
    for (int lane = 0; lane < 8; lane++)
        record[lane] = records[list[lane]].u;
    fm_floats_load_columns(record, 0, columns);
}

// Stores eight records of four floats, the opposite of load_records.
FM_INLINE void store_forces(fm_spring_force *to, fm_floats columns[4])
{
    fm_floats_transpose(columns);
    for (int row = 0; row < 4; row++) {
        memcpy(to + row, &columns[row], sizeof *to);
        memcpy(to + row + 4, (const float *)&columns[row] + 4, sizeof *to);
    }
}

// Difference of coordinates to the nearest periodic image, m. period 0: not periodic.
FM_INLINE fm_floats find_nearest_images(fm_floats d, float period)
{
    const fm_floats whole = period - (fm_floats){0};
    return d - fm_floats_select(d > period / 2, whole) + fm_floats_select(d < -period / 2, whole);
}

// Relative speeds of the two particles of eight springs, m/s.
FM_INLINE fm_floats find_speeds(const fm_springs *s, const int *owner, const int *other)
{
    fm_floats i[4], j[4];
    load_records(s->v, owner, i);
    load_records(s->v, other, j);
    const fm_floats x = i[0] - j[0], y = i[1] - j[1], z = i[2] - j[2];
    return fm_floats_sqrt(x * x + y * y + z * z);
}

// Integrates the rate that hardens eight springs of length r since the last cycle: the part of
// |dl/dt|, l the smoothed length, or of the relative speed, that exceeds the threshold.
FM_INLINE void advance_paths(const fm_spring_pass *c, int slot, fm_floats r)
{
    fm_springs *s = c->s;
    fm_floats length = fm_floats_load(s->now.length + slot), change = c->smoothing * (r - length);
    length += change;
    change -= fm_floats_select(change < 0, 2 * change);
    if (c->p->def.network.rate != FM_HARDENING_LENGTH)
        change = c->interval * find_speeds(s, s->owner + slot, s->now.other + slot);
    change -= c->threshold * r;
    const fm_floats path =
        fm_floats_load(s->now.path + slot) + fm_floats_select(change > 0, change);
    memcpy(s->now.path + slot, &path, sizeof path);
    memcpy(s->now.length + slot, &length, sizeof length);
}

// Lets the rest lengths of eight springs flow and computes their forces. [OZG13] eq. (5.8).
FM_INLINE void compute_octet(const fm_spring_pass *c, int slot, bool periodic)
{
    fm_springs *s = c->s;
    const int *owner = s->owner + slot, *other = s->now.other + slot;
    fm_floats i[4], j[4];
    load_records(s->x, owner, i);
    load_records(s->x, other, j);
    fm_floats x = i[0] - j[0], y = i[1] - j[1], z = i[2] - j[2];
    if (periodic) {
        x = s->period[0] > 0 ? find_nearest_images(x, (float)s->period[0]) : x;
        y = s->period[1] > 0 ? find_nearest_images(y, (float)s->period[1]) : y;
        z = s->period[2] > 0 ? find_nearest_images(z, (float)s->period[2]) : z;
    }
    fm_floats r = fm_floats_sqrt(x * x + y * y + z * z), L = fm_floats_load(s->now.rest + slot);
    if (c->remembers)
        advance_paths(c, slot, r);
    fm_floats longer = r - L - c->yield * L, shorter = L - r - c->yield * L;
    L += c->stretch * fm_floats_select(longer > 0, longer) -
         c->squeeze * fm_floats_select(shorter > 0, shorter);
    fm_floats factor = 1 + c->inverse_onset * fm_floats_load(s->now.memory + slot);
    factor -= fm_floats_select(factor > c->stiffening, factor - c->stiffening);
    fm_floats k = c->k_min * factor;
    fm_floats share = j[3] + fm_floats_select(i[3] < j[3], i[3] - j[3]); // the smaller one
    fm_floats f = -share * k * (r - L) / (r + fm_floats_select(r <= 0, 1 - (fm_floats){0}));
    fm_floats columns[4] = {f * x, f * y, f * z, k};
    memcpy(s->now.rest + slot, &L, sizeof L);
    store_forces(s->force + slot, columns);
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

// Share of the stiffness of its springs that the substep allows a particle, from the sum of the
// last substep, N/m.
FM_INLINE float find_share(const fm_spring_pass *c, float sum)
{
    return c->limits && sum > c->most_sum ? c->most_sum / sum : 1;
}

// Places a block of particles at the middle of the first cycle.
static void begin_cycles_range(void *context, int first, int last)
{
    const fm_spring_pass *c = context;
    fm_springs *s = c->s;
    const float back = (c->cycle - (float)c->step->h) / 2;
    for (int i = first; i < last; i++) {
        const fm_density_record *at = &c->p->fluid.density[i];
        s->v[i] = (fm_viscous_velocity){{at->vx, at->vy, at->vz, 0}};
        s->x[i] = (fm_viscous_velocity){{at->x + back * at->vx, at->y + back * at->vy,
                                         at->z + back * at->vz, find_share(c, s->sum->now[i])}};
    }
}

// What the sum over the springs of a particle reads: copies of pointers, which the compiler does
// not load again after each store.
typedef struct spring_lists {
    const int *start, *count, *incoming_start, *incoming;
    const fm_four_floats *force;
} spring_lists;

// Sum over the springs of particle i: force on it, N (lanes 0 to 2), and stiffness, N/m (lane 3).
FM_INLINE fm_four_floats sum_springs(const spring_lists *s, int i)
{
    const fm_four_floats sign = {-1, -1, -1, 1}; // the force on the owner is stored
    fm_four_floats owned = {0}, incoming = {0};
    const int first = s->start[i], last = first + s->count[i], end = s->incoming_start[i + 1];
    for (int k = first; k < last; k++)
        owned += s->force[k];
    for (int n = s->incoming_start[i]; n < end; n++)
        incoming += s->force[s->incoming[n]];
    return owned + sign * incoming;
}

// Kicks particle i for one cycle by the acceleration a of its springs, m/s^2 (lane 3 is 0), and
// drifts to the middle of the next cycle, or to the end of the last one.
FM_INLINE void advance_cycle(const fm_spring_pass *c, int i, fm_four_floats a)
{
    const float drift = c->last ? c->cycle / 2 : c->cycle;
    fm_four_floats *x = (fm_four_floats *)c->s->x[i].u, *v = (fm_four_floats *)c->s->v[i].u;
    *v += c->cycle * (a + (fm_four_floats){c->p->ax[i], c->p->ay[i], c->p->az[i], 0});
    *x += drift * *v;
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
    const float m = (float)fm_particles_mass(p);
    const fm_four_floats inverse_mass = {1 / m, 1 / m, 1 / m, 0};
    const spring_lists lists = {s->now.start, s->now.count, s->incoming_start, s->incoming,
                                (const fm_four_floats *)s->force};
    float largest = 0;
    int limited = 0;
    for (int i = first; i < last; i++) {
        const fm_four_floats sum = sum_springs(&lists, i), a = inverse_mass * sum;
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
        const float added = count > 0 ? sum[3] / (float)count - c->k_min : 0;
        s->history->now[i] = added > 0 ? added : 0; // rounding
        s->sum->now[i] = sum[3];
        limited += s->x[i].u[3] < 1;
        largest = sum[3] > largest ? sum[3] : largest;
    }
    if (!c->last)
        return;
    s->blocks[first / FM_PARTICLES_BLOCK].largest_sum = (double)largest;
    s->blocks[first / FM_PARTICLES_BLOCK].limited = limited;
}

// Lets rest lengths flow and adds the forces of all springs, in one or more cycles.
void fm_springs_add_forces(fm_spring_pass *c)
{
    fm_particles *p = c->p;
    fm_pool *pool = c->step->around->pool;
    fm_parallel_for(pool, p->count, FM_PARTICLES_LARGE_BLOCK, begin_cycles_range, c);
    for (int n = 1; n <= c->cycles; n++) {
        c->last = n == c->cycles;
        fm_parallel_for(pool, p->count, FM_PARTICLES_BLOCK, compute_range, c);
        fm_parallel_for(pool, p->count, FM_PARTICLES_BLOCK, gather_range, c);
    }
    p->drift_is_corrected = c->cycles > 1;
}
