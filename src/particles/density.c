// SPDX-License-Identifier: MIT
// density.c: how dense the fluid is at each particle, and the pressure that follows.
//
// Weakly compressible: s = rho/rho0 - 1 follows from its rate of change, with a diffusion of what
// is not hydrostatic [FOU19] after [MAR11]:
//
//     ds/dt = -div v + delta h c lap(s - s_g),        grad s_g = g / c^2
//     ds_i/dt = sum_j V_j F_ij [(v_i - v_j) . r_ij + 2 delta h c (s_i - s_j - g . r_ij / c^2)]
//
// It would carry pressure around the rim of a thin surface, from one side to the other: particles
// there leave it out, or a sheet across a slow stream has 4 to 7 % less drag.
//
// The rate keeps free surfaces as they are, where a sum would see them as thin. Otherwise, [MCG03]
// eq. (3), over fluid and over what walls and colliders are made of:
//
//     s_i = sum_j V_j W_ij - 1
//
// Pressure over rest density: P = k s, k = c^2 or the stiffness of the gas equation. Fluid that is
// at the surface (fill below FM_SURFACE_FILL) takes no tension in the weakly compressible method,
// nor does fluid that is crowded; and spray has no pressure at all: walls would throw it back
// faster than it came.
//
//   W_ij  kernel, 1/m^d     F_ij r_ij  its gradient at i      V_j  volume of j at rest, m^d
//   h     half the support, m       c  speed of sound, m/s    delta  diffusion, a share
//
// [MAR11] Marrone et al.: delta-SPH model for simulating violent impact flows. CMAME 200, 2011.
// [FOU19] Fourtakas et al.: Local uniform stencil boundary conditions. Comput. Fluids 190, 2019.
// [MCG03] see core/kernels.h
#include "particles/particles.h"

static const float SPRAY_FILL = 0.15f; // above that of a particle alone: one or two neighbours

static const float CLUMP_FILL = 1.1f; // crowded: tension there is the rate's error, and would grow

// Sums over one set of neighbours.
typedef struct sums {
    fm_floats fill, rate;
} sums;

typedef struct constants {
    float inverse, diffusion, gx, gy, gz;
    bool poly6, rate;
} constants;

// i: the row of the particle. Points of walls and colliders have no density to even out.
FM_INLINE void add_octet(sums *sum, const constants *k, const float *i, const fm_octet *j,
                         bool others)
{
    fm_floats dx = i[FM_X] - j->x, dy = i[FM_Y] - j->y, dz = i[FM_Z] - j->z;
    fm_floats q = fm_floats_sqrt(dx * dx + dy * dy + dz * dz) * k->inverse;
    fm_floats w = k->poly6 ? fm_poly6(q) : fm_wendland(q);
    sum->fill += j->V * w;
    if (!k->rate)
        return;
    fm_floats approach =
        (i[FM_VX] - j->vx) * dx + (i[FM_VY] - j->vy) * dy + (i[FM_VZ] - j->vz) * dz;
    fm_floats excess = i[FM_S] - j->s - (k->gx * dx + k->gy * dy + k->gz * dz);
    if (others)
        excess = fm_floats_where(j->s != FM_WALL, excess);
    sum->rate += j->V * fm_wendland_slope(q) * (approach + k->diffusion * excess);
}

// Neighbours see each other, so who is at a surface can tell all who do; in any order.
static void tell_neighbours(fm_particles *p, int i)
{
    int room[FM_NEIGHBOURS_ROOM], count, extra;
    const int *list = fm_list_of(p, i, room, &count, &extra);
    for (int k = 0; k < count; k++)
        atomic_store_explicit(&p->beside_surface[list[k]], 1, memory_order_relaxed);
}

FM_INLINE void compute_range(const fm_particles_step *step, int first, int last, bool poly6,
                             bool rate)
{
    fm_particles *p = step->p;
    const fm_particles_def *def = &p->def;
    const fm_vec3 g = step->around->gravity;
    const double c2 = p->c * p->c;
    const float diffusion = (float)(2 * def->diffusion * p->R / 2 * p->c);
    constants k = {
        .inverse = (float)(1 / p->R),
        .gx = (float)(g.x / c2),
        .gy = (float)(g.y / c2),
        .gz = (float)(g.z / c2),
        .poly6 = poly6,
        .rate = rate,
    };
    const float V = (float)p->volume, h = (float)step->h, stiff = (float)c2;
    int room[FM_NEIGHBOURS_ROOM], count, extra, unused;
    for (int i = first; i < last; i++) {
        const float *at = p->fluid.density + FM_ROW * (size_t)i;
        const int *list = fm_list_of(p, i, room, &count, &extra);
        sums sum = {0};
        k.diffusion = p->surface_count > 0 && fm_surfaces_has_rim(p, i) ? 0 : diffusion;
        for (int b = 0; b < count; b += 8) {
            fm_octet j = fm_load_octet(p->fluid.density, list + b);
            add_octet(&sum, &k, at, &j, false);
        }
        float own = p->W * (fm_floats_sum(sum.fill) - (float)extra * V); // w(0) = 1
        sum.fill = (fm_floats){0};
        list = fm_others_of(p, i, room, &count, &unused);
        for (int b = 0; b < count; b += 8) {
            fm_octet j = fm_load_last_octet(p->others.density, list + b, b + 8 == count, unused);
            add_octet(&sum, &k, at, &j, true);
        }
        float fill = own + p->W * fm_floats_sum(sum.fill);
        p->fill[i] = fill;
        if (rate && fill < FM_SURFACE_FILL)
            tell_neighbours(p, i);
        float s = fill - 1;
        if (rate) {
            float ds = p->F * fm_floats_sum(sum.rate);
            s = own < p->self_fill + SPRAY_FILL ? 0 : at[FM_S] + h * ds;
        }
        p->s_next[i] = s;
        bool torn = fill < FM_SURFACE_FILL || fill > CLUMP_FILL;
        p->P[i] = stiff * (rate && s < 0 && torn ? 0 : s);
    }
}

FM_SIMD_CLONES static void compute_rates(void *context, int first, int last)
{
    compute_range(context, first, last, false, true);
}

FM_SIMD_CLONES static void compute_sums(void *context, int first, int last)
{
    compute_range(context, first, last, false, false);
}

FM_SIMD_CLONES static void compute_published_sums(void *context, int first, int last)
{
    compute_range(context, first, last, true, false);
}

// When all have read what was before.
static void take_over(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    for (int i = first; i < last; i++) {
        if (p->def.method != FM_SPH_CONSTANT_DENSITY) // which keeps its pressure there
            p->now.s[i] = p->s_next[i];
        float *row = p->fluid.force + FM_ROW * (size_t)i;
        row[FM_P] = p->P[i];
        row[FM_V] = (float)p->volume * fm_volume_at(p, p->P[i]);
    }
}

void fm_compute_density(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    fm_range_body *body = p->def.method == FM_SPH_WEAKLY_COMPRESSIBLE ? compute_rates
                          : p->def.method == FM_SPH_STANDARD          ? compute_published_sums
                                                                      : compute_sums;
    fm_parallel_for(step->around->pool, p->count, FM_PARTICLES_BLOCK, body, (void *)step);
    fm_parallel_for(step->around->pool, p->count, FM_PARTICLES_BLOCK, take_over, (void *)step);
}
