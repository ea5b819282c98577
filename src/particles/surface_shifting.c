// SPDX-License-Identifier: MIT
// surface_shifting.c: particle shifting along the free surfaces of viscous liquids.
//
// Where the surface of a viscous liquid is stretched, as in the film that honey leaves on a wall,
// its particles line up in rows. The viscous force between two particles falls with their distance,
// so gaps between rows grow faster the wider they are, and a film one particle thick comes apart
// into bars. The particle shifting of forces.c leaves out free surfaces, because it would move
// particles out of the fluid. This term moves them along the surface only:
//
//     x_i -= D_i dt t_i,     t = (I - n n^T) g,     g = sum_j V_j F_ij r_ij
//
//     D = A s^2 e / (1 + e s^2 / nu) min(1, m / M),     D dt |t| at most SHIFT_MAX
//     e^2 = sum_j V_j |F_ij| ((v_i - v_j) . r_ij / |r_ij|)^2
//     m = sum_j max(0, -(r_ij / |r_ij|) . t / |t|)^2 (1 - |r_ij| / R),     over fluid particles
//
// n is the eigenvector of sum_j V_j |F_ij| r_ij r_ij^T with the least eigenvalue, found by inverse
// iteration from g: in this direction neighbours are missing. n = g / |g| would make t zero.
//
// e is about the strain rate, and 0 in fluid that moves as a rigid body: momentum and angular
// momentum stay. m counts the particles that t points away from, into the gap: at the rim of a film
// there are none, so that particles move across gaps but do not spread the film.
//
// Left out where nu / s^2 is below SLOWEST, as in water.
//
//   x  position, m    v  velocity, m/s    s  spacing, m    R  support, m    nu  viscosity / density
//   r_ij  x_i - x_j, m    V  volume, m^d    F_ij r_ij  kernel gradient at i, 1/m^(d+1)    M  AHEAD
//   t, g  1/m    D  m^2/s    e  1/s    dt  substep, s    A  SHARE
#include "particles/particles.h"

static const double SLOWEST = 2;     // 1/s
static const float SHARE = 1;        // A
static const float AHEAD = 0.1f;     // m from which on shifting acts fully
static const float SHIFT_MAX = 0.1f; // spacings, in a substep
static const float TINY = 1e-12f;    // m^2, so that a particle adds nothing to its own sums

// The term has no state. Other methods than the weakly compressible one shift in their own way.
static void *create(fm_particles *p, const fm_surroundings *around, fm_error *err)
{
    (void)around;
    (void)err;
    const fm_particles_def *def = &p->def;
    double rate = def->viscosity / def->density / (def->spacing * def->spacing);
    return rate > SLOWEST && def->shifting > 0 && def->method == FM_SPH_WEAKLY_COMPRESSIBLE ? p
                                                                                            : NULL;
}

// Sums over the neighbours of a particle, without the gradient scale p->F.
typedef struct sums {
    fm_floats g[3], B[6], e2; // B: xx yy zz xy xz yz
} sums;

// Adds neighbours of particle i to its sums. The last `padding` entries of the list repeat one.
FM_INLINE void add_neighbours(sums *s, const fm_particles *p, const fm_force_record *i,
                              const fm_force_record *records, const int *list, int count,
                              int padding)
{
    const float inverse = (float)(1 / p->R);
    for (int b = 0; b < count; b += 8) {
        fm_force_octet j = fm_records_load_force(records, list + b, b + 8 == count ? padding : 0);
        fm_floats x = i->x - j.x, y = i->y - j.y, z = i->z - j.z;
        fm_floats r2 = x * x + y * y + z * z;
        fm_floats w = -j.V * fm_kernel_wendland_slope(fm_floats_sqrt(r2) * inverse);
        fm_floats along = (i->vx - j.vx) * x + (i->vy - j.vy) * y + (i->vz - j.vz) * z;
        s->e2 += w * along * along / (r2 + TINY);
        fm_floats wx = w * x, wy = w * y, wz = w * z;
        s->g[0] -= wx, s->g[1] -= wy, s->g[2] -= wz;
        s->B[0] += wx * x, s->B[1] += wy * y, s->B[2] += wz * z;
        s->B[3] += wx * y, s->B[4] += wx * z, s->B[5] += wy * z;
    }
}

// a <- a a / trace(a)^2, for a symmetric matrix xx yy zz xy xz yz.
static void square_matrix(float a[6])
{
    const float trace = a[0] + a[1] + a[2], n = trace > 0 ? 1 / (trace * trace) : 0;
    const float xx = a[0], yy = a[1], zz = a[2], xy = a[3], xz = a[4], yz = a[5];
    a[0] = n * (xx * xx + xy * xy + xz * xz);
    a[1] = n * (xy * xy + yy * yy + yz * yz);
    a[2] = n * (xz * xz + yz * yz + zz * zz);
    a[3] = n * (xx * xy + xy * yy + xz * yz);
    a[4] = n * (xx * xz + xy * yz + xz * zz);
    a[5] = n * (xy * xz + yy * yz + yz * zz);
}

// The part t of g along the surface, by eight steps of inverse iteration: the cofactors of B are
// the elements of its inverse times a constant.
static fm_vec3 find_tangential(const float g[3], const float B[6])
{
    float a[6] = {B[1] * B[2] - B[5] * B[5], B[0] * B[2] - B[4] * B[4], B[0] * B[1] - B[3] * B[3],
                  B[4] * B[5] - B[3] * B[2], B[3] * B[5] - B[4] * B[1], B[3] * B[4] - B[0] * B[5]};
    for (int k = 0; k < 3; k++)
        square_matrix(a);
    fm_vec3 from = {g[0], g[1], g[2]};
    fm_vec3 n = {a[0] * g[0] + a[3] * g[1] + a[4] * g[2], a[3] * g[0] + a[1] * g[1] + a[5] * g[2],
                 a[4] * g[0] + a[5] * g[1] + a[2] * g[2]};
    double square = fm_dot(n, n);
    return square > 0 ? fm_add_scaled(from, n, -fm_dot(n, from) / square) : (fm_vec3){0};
}

// Counts the fluid particles in the direction -t of particle i. t: unit vector.
FM_INLINE float count_ahead(const fm_particles *p, const fm_force_record *i,
                            const fm_force_record *records, const int *list, int count, int padding,
                            fm_vec3 t)
{
    fm_floats sum = {0};
    const float inverse = (float)(1 / p->R), one = (float)(1 / p->volume);
    for (int b = 0; b < count; b += 8) {
        fm_force_octet j = fm_records_load_force(records, list + b, b + 8 == count ? padding : 0);
        fm_floats x = j.x - i->x, y = j.y - i->y, z = j.z - i->z;
        fm_floats r2 = x * x + y * y + z * z, near = 1 - fm_floats_sqrt(r2) * inverse;
        fm_floats along = x * (float)t.x + y * (float)t.y + z * (float)t.z;
        sum += fm_floats_select((along < 0) & (near > 0),
                                one * j.V * along * along / (r2 + TINY) * near);
    }
    return fm_floats_sum(sum);
}

// Copies the ghost particles, the fluid beyond a periodic side, from a list of boundary neighbours,
// and pads them to a multiple of eight. Returns their number with the padding.
static int list_ghosts(const fm_particles *p, const int *list, int count, int *ghosts, int *padding)
{
    int n = 0;
    for (int k = 0; k < count && p->has_ghosts; k++)
        if (fm_boundary_is_ghost(p, list[k]))
            ghosts[n++] = list[k];
    *padding = (8 - n % 8) % 8;
    for (int k = 0; k < *padding && n > 0; k++)
        ghosts[n + k] = ghosts[0];
    return n > 0 ? n + *padding : 0;
}

// Adds the shift of particle i to p->dx, dy, dz.
FM_INLINE void shift(const fm_particles_step *step, int i)
{
    fm_particles *p = step->p;
    const fm_force_record *at = &p->fluid.force[i];
    const float s = (float)p->def.spacing, nu = (float)(p->def.viscosity / p->def.density);
    int buffer[FM_NEIGHBOURS_CAPACITY], walls[FM_NEIGHBOURS_CAPACITY],
        ghosts[FM_NEIGHBOURS_CAPACITY], count, wall_count, padding, wall_padding, ghost_padding;
    const int *list = fm_neighbours_in_fluid(p, i, buffer, &count, &padding);
    const int *wall = fm_neighbours_in_boundary(p, i, walls, &wall_count, &wall_padding);
    sums sum = {0};
    add_neighbours(&sum, p, at, p->fluid.force, list, count, 0);
    add_neighbours(&sum, p, at, p->boundary.force, wall, wall_count, wall_padding);
    float g[3], B[6];
    for (int k = 0; k < 3; k++)
        g[k] = p->F * fm_floats_sum(sum.g[k]);
    for (int k = 0; k < 6; k++)
        B[k] = p->F * fm_floats_sum(sum.B[k]);
    if (p->def.dimensions == 2)
        B[2] = 1, g[2] = 0; // all other entries with z are 0
    fm_vec3 t = find_tangential(g, B);
    const float length = (float)fm_length(t), e = sqrtf(p->F * fm_floats_sum(sum.e2));
    if (!(length * s > 1e-6f))
        return;
    t = fm_scale(t, 1 / (double)length);
    float ahead = count_ahead(p, at, p->fluid.force, list, count, 0, t);
    int ghost_count = list_ghosts(p, wall, wall_count - wall_padding, ghosts, &ghost_padding);
    ahead += count_ahead(p, at, p->boundary.force, ghosts, ghost_count, ghost_padding, t);
    const float D = SHARE * s * s * e / (1 + e * s * s / nu) * fminf(1, ahead / AHEAD);
    const float way = fminf(D * (float)step->h * length, SHIFT_MAX * s);
    p->dx[i] -= way * (float)t.x;
    p->dy[i] -= way * (float)t.y;
    p->dz[i] -= way * (float)t.z;
}

// Shifts those of the particles first to below last that are beside a free surface.
FM_SIMD_CLONES static void shift_range(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    for (int i = first; i < last; i++)
        if (atomic_load_explicit(&step->p->beside_surface[i], memory_order_relaxed))
            shift(step, i);
}

static void add_forces(const fm_particles_step *step, void *state)
{
    (void)state;
    fm_parallel_for(step->around->pool, step->p->count, FM_PARTICLES_BLOCK, shift_range,
                    (void *)step);
}

const fm_fluid_term_type fm_surface_shifting_term = {
    .name = "surface shifting",
    .create = create,
    .add_forces = add_forces,
};
