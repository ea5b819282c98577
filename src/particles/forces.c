// SPDX-License-Identifier: MIT
// forces.c: what particles, walls and colliders do to each other: pressure and viscosity.
//
// Weakly compressible, and viscosity with constant density:
//
//     a_i = n_i sum_j n_j V_j F_ij [-(P_i + P_j) r_ij + 2 nu (v_i - v_j) + Pi_ij r_ij] + g + pushes
//     n = max(1 - s, 2/3),  s = P / c^2:  volumes and densities as they are, to first order
//     Pi_ij = alpha c h min(0, (v_i - v_j) . r_ij) / (r_ij^2 + h^2 / 100)            [MON92]
//
// each term antisymmetric, so that momentum is conserved to rounding. Where no neighbour is at a
// surface, particles are moved apart against the gradient of their concentration [SKI13], and their
// density, which follows from its rate, is drawn to that of their number:
//
//     shift_i = -4 A R |v|max dt sum_j V_j F_ij r_ij,     at most a tenth of the spacing
//     ds_i/dt = RETURN c / R (sum_j V_j W_ij - 1 - s_i)
//
// A = 1 moves them about twice as much as a transport velocity [ADA13] would; less lets them line
// up in the vortices of Taylor and Green. Without the second the volume of a sloshing tank grows by
// a tenth in seconds; a third of RETURN holds it as well, but with it the vortices and the
// lid-driven cavity come out best. The noise of the sum is drowned by the diffusion in density.c.
//
// As published, [OZG13] eqs. (4.4), (4.5) after [MCG03], with rho from the sum:
//
//     a_i = 1/rho_i sum_j m_j/rho_j [ -(p_i + p_j)/2 grad Wspiky + mu (v_j - v_i) lap Wviscosity ]
//
// Viscosity that remembers sees u of memory.c in the place of v, everywhere or where neighbours
// move against each other faster than `above` times their distance a second; from half of that on
// it sees something in between.
//
//   P   pressure / rho0, m^2/s^2    nu  mu / rho0, m^2/s    mu  viscosity, Pa s, dynamic
//   F_ij r_ij  gradient of the kernel at i, 1/m^(d+1)       h  half the support R, m   A  shifting
//
// On a lattice sum_j V_j F_ij x_ij^2 = -1 by the scale of F, so gradients of linear fields and
// Laplacians of quadratic ones are exact there.
//
// [MON92] Monaghan: Smoothed particle hydrodynamics. Annu. Rev. Astron. Astrophys. 30, 1992.
// [SKI13] Skillen et al.: Incompressible SPH with reduced temporal noise. CMAME 265, 2013.
// [ADA13] Adami, Hu, Adams: A transport-velocity formulation for SPH. JCP 241, 2013.
// [OZG13] Özgen: Fractional calculus in computer animation. Thesis, 2013.
#include "particles/particles.h"

#include <string.h>

static const double RETURN = 0.03;  // of the density to that of the particles' number
static const float CROWDED = 0.05f; // of the rest density: what crowds at surfaces may gain by that

typedef struct sums {
    fm_floats x, y, z, gx, gy, gz;
} sums;

typedef struct constants {
    float inverse, viscosity, artificial, soft, spiky, laplacian;
    float shift, most; // m^2 and m: what particles are moved by for a gradient, and at most
    float back;        // share of the density that a step brings back
    float above;       // 1/s
    bool published, shifts;
} constants;

// The differences that viscosity acts on, of those in a list to the one with the row `own`.
FM_INLINE void recall(const constants *k, const float *own, const float *rows, const int *list,
                      fm_floats r2, fm_floats u[3])
{
    fm_floats past[3], share = {1, 1, 1, 1, 1, 1, 1, 1};
    fm_load_quads(rows, list, past);
    if (k->above > 0) {
        fm_floats fast = k->above * fm_floats_sqrt(r2);
        fm_floats over = 2 * fm_floats_sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) - fast;
        fm_ints whole = over >= fast, part = (over > 0) & ~whole;
        share = fm_floats_where(whole, share) + fm_floats_where(part, over / (fast + 1e-30f));
        for (int axis = 0; axis < 3; axis++)
            u[axis] += share * (own[axis] - past[axis] - u[axis]);
        return;
    }
    for (int axis = 0; axis < 3; axis++)
        u[axis] = own[axis] - past[axis];
}

// i: the row of the particle. own, rows, list: what recall needs; own NULL: no memory.
FM_INLINE void add_octet(sums *sum, const constants *k, const float *i, const fm_octet *j,
                         const float *own, const float *rows, const int *list)
{
    fm_floats dx = i[FM_X] - j->x, dy = i[FM_Y] - j->y, dz = i[FM_Z] - j->z;
    fm_floats ux = i[FM_VX] - j->vx, uy = i[FM_VY] - j->vy, uz = i[FM_VZ] - j->vz;
    fm_floats r2 = dx * dx + dy * dy + dz * dz;
    fm_floats q = fm_floats_sqrt(r2) * k->inverse;
    fm_floats pressure = i[FM_P] + j->s, slope, along, drag;
    if (k->published) {
        slope = j->V;
        along = slope * fm_spiky_slope(q) * k->spiky * pressure;
        drag = slope * fm_viscosity_laplacian(q) * k->laplacian;
    } else {
        fm_floats approach = ux * dx + uy * dy + uz * dz;
        approach = fm_floats_where(approach < 0, approach);
        slope = j->V * fm_wendland_slope(q);
        along = slope * (k->artificial * approach / (r2 + k->soft) - pressure);
        drag = slope * k->viscosity;
    }
    fm_floats u[3] = {ux, uy, uz};
    if (own)
        recall(k, own, rows, list, r2, u);
    sum->x += along * dx + drag * u[0];
    sum->y += along * dy + drag * u[1];
    sum->z += along * dz + drag * u[2];
    if (k->shifts) {
        sum->gx += slope * dx;
        sum->gy += slope * dy;
        sum->gz += slope * dz;
    }
}

static constants make_constants(const fm_particles_step *step, bool published, bool shifts)
{
    const fm_particles *p = step->p;
    double h = p->R / 2, nu = step->presses ? 0 : p->def.viscosity / p->def.density;
    double alpha = step->presses ? 0 : p->def.artificial_viscosity;
    return (constants){
        .inverse = (float)(1 / p->R),
        .viscosity = (float)(2 * nu),
        .artificial = (float)(alpha * p->c * h),
        .soft = (float)(h * h / 100),
        .spiky = -0.5f * p->spiky,
        .laplacian = (float)(-nu * p->laplacian),
        .shift = -(float)(p->def.shifting * 4 * p->R * p->max_speed) * (float)step->h,
        .most = 0.1f * (float)p->def.spacing,
        .back = (float)(RETURN * p->c / p->R) * (float)step->h,
        .above = (float)p->def.fractional.above,
        .published = published,
        .shifts = shifts,
    };
}

// Where no surface is near: particles are moved beside their motion, and their density tends to
// what their number says. At a surface the one would carry them out, the other take them for thin:
// there it only grows, so that jets and splashes do not draw together to a thread.
FM_INLINE void keep_even(fm_particles *p, int i, const constants *k, fm_floats sum)
{
    bool beside = atomic_load_explicit(&p->beside_surface[i], memory_order_relaxed);
    float gx = sum[4], gy = sum[5], gz = sum[6], a = k->shift;
    float length = fabsf(a) * sqrtf(gx * gx + gy * gy + gz * gz);
    a = beside ? 0 : length > k->most ? a * k->most / length : a;
    p->dx[i] = a * gx;
    p->dy[i] = a * gy;
    p->dz[i] = a * gz;
    float lack = p->fill[i] - 1 - p->now.s[i];
    if (beside && p->fill[i] - 1 > CROWDED)
        lack = CROWDED - p->now.s[i];
    if (!beside || lack > 0)
        p->now.s[i] += k->back * lack;
}

FM_INLINE void compute_range(const fm_particles_step *step, int first, int last, bool published,
                             bool shifts, bool past)
{
    fm_particles *p = step->p;
    const float *rows = past ? p->past->rows : NULL;
    const float *other_rows = past ? p->past->other_rows : NULL;
    const constants k = make_constants(step, published, shifts);
    const fm_vec3 g = step->around->gravity;
    int room[FM_NEIGHBOURS_ROOM], room_others[FM_NEIGHBOURS_ROOM], own, count, extra;
    for (int i = first; i < last; i++) {
        const float *at = p->fluid.force + FM_ROW * (size_t)i;
        const float *memory = past ? rows + FM_QUAD * (size_t)i : NULL;
        const int *list = fm_list_of(p, i, room, &own, &extra);
        sums sum = {0};
        for (int b = 0; b < own; b += 8) {
            fm_octet j = fm_load_octet(p->fluid.force, list + b);
            add_octet(&sum, &k, at, &j, memory, rows, list + b);
        }
        const int *points = fm_others_of(p, i, room_others, &count, &extra);
        for (int b = 0; b < count; b += 8) {
            fm_octet j = fm_load_last_octet(p->others.force, points + b, b + 8 == count, extra);
            add_octet(&sum, &k, at, &j, memory, other_rows, points + b);
        }
        float scale = (published ? 1 : p->F) * fm_volume_at(p, at[FM_P]);
        const fm_floats a[4] = {sum.x, sum.y, sum.z}, b[4] = {sum.gx, sum.gy, sum.gz};
        const fm_floats total = scale * fm_floats_sums(a, b);
        p->ax[i] = (float)g.x + total[0];
        p->ay[i] = (float)g.y + total[1];
        p->az[i] = (float)g.z + total[2];
        if (shifts)
            keep_even(p, i, &k, total);
    }
}

FM_SIMD_CLONES static void compute_shifted(void *context, int first, int last)
{
    compute_range(context, first, last, false, true, false);
}

FM_SIMD_CLONES static void compute_plain(void *context, int first, int last)
{
    compute_range(context, first, last, false, false, false);
}

FM_SIMD_CLONES static void compute_published(void *context, int first, int last)
{
    compute_range(context, first, last, true, false, false);
}

FM_SIMD_CLONES static void recall_shifted(void *context, int first, int last)
{
    compute_range(context, first, last, false, true, true);
}

FM_SIMD_CLONES static void recall_plain(void *context, int first, int last)
{
    compute_range(context, first, last, false, false, true);
}

FM_SIMD_CLONES static void recall_published(void *context, int first, int last)
{
    compute_range(context, first, last, true, false, true);
}

void fm_compute_forces(const fm_particles_step *step)
{
    static fm_range_body *const bodies[3][2] = {{compute_shifted, recall_shifted},
                                                {compute_plain, recall_plain},
                                                {compute_published, recall_published}};
    const fm_particles_def *def = &step->p->def;
    bool shifts = def->method == FM_SPH_WEAKLY_COMPRESSIBLE && def->shifting > 0;
    fm_range_body *body = bodies[def->method == FM_SPH_STANDARD ? 2
                                 : shifts                       ? 0
                                          : 1][step->p->past && !step->p->past->alone];
    fm_parallel_for(step->around->pool, step->p->count, FM_PARTICLES_BLOCK, body, (void *)step);
}

// What the fluid does to each of the others that belongs to a free collider or a surface: the
// opposite of what they do to the fluid, pair by pair.
FM_SIMD_CLONES void fm_compute_reactions(const fm_particles_step *step, int first, int last,
                                         fm_vec3 *force)
{
    fm_particles *p = step->p;
    bool published = p->def.method == FM_SPH_STANDARD;
    const constants constant = make_constants(step, published, false);
    const fm_past *past = p->past && !p->past->alone ? p->past : NULL;
    int room[FM_NEIGHBOURS_ROOM], extra;
    fm_search search;
    for (int k = first; k < last; k++) {
        int i = p->wet[k];
        if (!fm_others_feels(step, i))
            continue;
        float at[FM_ROW];
        memcpy(at, p->others.force + FM_ROW * (size_t)i, sizeof at);
        if (step->presses)
            at[FM_P] = 0; // and twice that of the fluid
        sums sum = {0};
        fm_search_begin(&search);
        int count = fm_find_next_seen(p, &search, i, i + 1, room, &extra);
        for (int b = 0; b < count; b += 8) {
            fm_octet j = fm_load_last_octet(p->fluid.force, room + b, b + 8 == count, extra);
            add_octet(&sum, &constant, at, &j, past ? past->other_rows + FM_QUAD * (size_t)i : NULL,
                      past ? past->rows : NULL, room + b);
        }
        float own = at[FM_V] * (published ? 1 : p->F);
        double scale = (step->presses ? 2 : 1) * p->def.density * (double)own;
        force[i] = (fm_vec3){scale * fm_floats_sum(sum.x), scale * fm_floats_sum(sum.y),
                             scale * fm_floats_sum(sum.z)};
    }
}
