// SPDX-License-Identifier: MIT
// kick.c: updates velocities at the end of a substep: closing half kick and impulses.
//
// The closing half kick of kick-drift-kick, in the frame of the medium, u = v - w:
//
//     u' = p + (h/2) s,   p = v_half - w,   s = du/dt at the new time
//     m s = F + (m - rho V) (g - dw/dt) + drag
//
//   m  kg, mass of a particle     V  m^3, its volume      F  N, forces of all terms
//   rho  kg/m^3, density of the medium     w, w'  m/s, its velocity before and after
//   v_half  m/s, velocity after the opening half kick     h  s, substep     g  m/s^2, gravity
//
// The right-hand side contains weight, buoyancy and the pressure gradient that accelerates the
// medium, (m - rho V) g + rho V dw/dt, and the inertial force -m dw/dt of the accelerated frame.
// dw/dt is (w' - w) / h along the particle's path. Drag depends on u' and is solved together with
// it (drag.h). Some terms give impulses afterwards (damping.c); these act on the same effective
// masses, increased by the viscous part of the drag.
#include "cloth/drag.h"

// The arrays of a range of particles. The closing kick writes v, a, w, rate and normals.
typedef struct lane_arrays {
    double *vx, *vy, *vz;       // v, m/s
    double *ax, *ay, *az;       // a, m/s^2
    double *wx, *wy, *wz;       // w, m/s, the medium's velocity at the beginning of the substep
    double *rx, *ry, *rz;       // rate, for the drag memory
    const double *fx, *fy, *fz; // force, N, or impulse, N s
    const double *nx, *ny, *nz; // normals at the end of the substep
    const double *mx, *my, *mz; // m/s, the medium's velocity at the end of the substep
    const double *kx, *ky, *kz; // part of the drag memory's next value that follows from the past
    const double *area, *mass;  // m^2, wet area; kg, mass with the added mass from a fluid
    const double *heavy;        // kg, mass that gravity acts on: without added mass from a fluid
    double *ox, *oy, *oz;       // normals before the substep
    double *cx, *cy, *cz;       // drift_acceleration, m/s^2
} lane_arrays;

// The arrays of a cloth from particle i on, with the normals at the beginning of the substep.
static lane_arrays view_lanes(const fm_cloth *c, int i)
{
    return (lane_arrays){
        .vx = c->v.x + i,
        .vy = c->v.y + i,
        .vz = c->v.z + i,
        .ax = c->a.x + i,
        .ay = c->a.y + i,
        .az = c->a.z + i,
        .wx = c->w.x + i,
        .wy = c->w.y + i,
        .wz = c->w.z + i,
        .rx = c->rate.x + i,
        .ry = c->rate.y + i,
        .rz = c->rate.z + i,
        .cx = c->drift_acceleration.x + i,
        .cy = c->drift_acceleration.y + i,
        .cz = c->drift_acceleration.z + i,
        .fx = c->force.x + i,
        .fy = c->force.y + i,
        .fz = c->force.z + i,
        .nx = c->normal.x + i,
        .ny = c->normal.y + i,
        .nz = c->normal.z + i,
        .ox = c->normal.x + i,
        .oy = c->normal.y + i,
        .oz = c->normal.z + i,
        .area = c->wet_area + i,
        .mass = c->inertia + i,
        .heavy = c->mass + i,
    };
}

// Loads particle i at the end of the substep, with all forces except drag in q. dw: the medium's
// acceleration dw/dt, m/s^2. net: mass minus displaced mass of medium, kg.
FM_INLINE fm_drag_particle load_particle(const lane_arrays *l, fm_weight weight, int i, fm_vec3 dw)
{
    double A = l->area[i], net = l->heavy[i] - A * weight.displaced;
    fm_vec3 g = weight.gravity;
    return (fm_drag_particle){
        .A = A,
        .m = l->mass[i],
        .n = {l->nx[i], l->ny[i], l->nz[i]},
        .q = {l->fx[i] + net * (g.x - dw.x), l->fy[i] + net * (g.y - dw.y),
              l->fz[i] + net * (g.z - dw.z)},
        .p = {l->vx[i] - l->wx[i], l->vy[i] - l->wy[i], l->vz[i] - l->wz[i]},
        .known = {l->kx[i], l->ky[i], l->kz[i]},
    };
}

// m/s^2, dw/dt of the medium along the path of particle i. ih2 = 2 / h.
FM_INLINE fm_vec3 find_medium_acceleration(const lane_arrays *l, double ih2, int i)
{
    return (fm_vec3){(l->mx[i] - l->wx[i]) * (0.5 * ih2), (l->my[i] - l->wy[i]) * (0.5 * ih2),
                     (l->mz[i] - l->wz[i]) * (0.5 * ih2)};
}

// Stores the new velocity of particle i, u relative to the medium, and what follows from it. p:
// relative velocity before the kick, m/s. ih2 = 2 / h. Returns du/dt, m/s^2.
FM_INLINE fm_vec3 store_particle(const lane_arrays *l, double ih2, int i, fm_vec3 p, fm_vec3 u)
{
    fm_vec3 s = {(u.x - p.x) * ih2, (u.y - p.y) * ih2, (u.z - p.z) * ih2};
    l->ox[i] = l->nx[i], l->oy[i] = l->ny[i], l->oz[i] = l->nz[i];
    l->ax[i] = s.x, l->ay[i] = s.y, l->az[i] = s.z;
    l->vx[i] = u.x + l->mx[i], l->vy[i] = u.y + l->my[i], l->vz[i] = u.z + l->mz[i];
    l->wx[i] = l->mx[i], l->wy[i] = l->my[i], l->wz[i] = l->mz[i];
    return s;
}

// Closing half kick of n particles with physical drag. First the layer of added mass turns with the
// normal (drag.h), which changes p by -g e; then drag and velocity are solved together.
FM_SIMD_CLONES
static void close_physical(int n, const lane_arrays *restrict l, const fm_drag_step *restrict d,
                           const fm_weight *restrict w)
{
    fm_drag_step drag = *d;
    fm_weight weight = *w;
    double ih2 = 1 / (drag.h / 2);
#pragma omp simd
    for (int i = 0; i < n; i++) {
        fm_vec3 dw = find_medium_acceleration(l, ih2, i);
        fm_drag_particle at = load_particle(l, weight, i, dw);
        fm_vec3 before = {l->ox[i], l->oy[i], l->oz[i]};
        fm_layer_turn turn = fm_drag_turn_layer(at, before, drag.layer);
        fm_vec3 e = turn.e;
        double g = turn.g;
        at.p.x -= g * e.x, at.p.y -= g * e.y, at.p.z -= g * e.z;
        g *= 0.5 * ih2;
        l->cx[i] = dw.x - g * e.x, l->cy[i] = dw.y - g * e.y, l->cz[i] = dw.z - g * e.z;
        fm_vec3 u = fm_drag_solve_physical(at, drag);
        fm_vec3 s = store_particle(l, ih2, i, at.p, u);
        l->rx[i] = s.x, l->ry[i] = s.y, l->rz[i] = s.z;
    }
}

// Closing half kick of n particles with a published drag model, or without drag.
FM_SIMD_CLONES
static void close_published(int n, const lane_arrays *restrict l, const fm_drag_step *restrict d,
                            const fm_weight *restrict w)
{
    fm_drag_step drag = *d;
    fm_weight weight = *w;
    double ih2 = 1 / (drag.h / 2);
#pragma omp simd
    for (int i = 0; i < n; i++) {
        fm_vec3 dw = find_medium_acceleration(l, ih2, i);
        fm_drag_particle at = load_particle(l, weight, i, dw);
        fm_vec3 u = fm_drag_solve_published(at, drag);
        store_particle(l, ih2, i, at.p, u);
        l->rx[i] = u.x, l->ry[i] = u.y, l->rz[i] = u.z;
        l->cx[i] = dw.x, l->cy[i] = dw.y, l->cz[i] = dw.z;
    }
}

// Closing half kick of the particles [first, last). known: part of the drag memory's next value
// that follows from past rates.
void fm_kick_close_substep(fm_cloth *c, const fm_drag_step *drag, const fm_weight *weight,
                           const fm_vec3_array *known, int first, int last)
{
    int i = first;
    lane_arrays l = view_lanes(c, i);
    l.nx = c->next_normal.x + i, l.ny = c->next_normal.y + i, l.nz = c->next_normal.z + i;
    l.mx = c->flow.x + i, l.my = c->flow.y + i, l.mz = c->flow.z + i;
    l.kx = known->x + i, l.ky = known->y + i, l.kz = known->z + i;
    if (drag->physical)
        close_physical(last - first, &l, drag, weight);
    else
        close_published(last - first, &l, drag, weight);
}

// Accelerations of n particles at given velocities, for the explicit integrators. The medium's own
// acceleration dw/dt is neglected here.
FM_SIMD_CLONES
static void accelerate_lanes(int n, const lane_arrays *restrict l, const fm_drag_step *restrict d,
                             const fm_weight *restrict w)
{
    fm_drag_step drag = *d;
    fm_weight weight = *w;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        fm_drag_particle at = load_particle(l, weight, i, (fm_vec3){0, 0, 0});
        fm_vec3 u = {l->vx[i] - l->mx[i], l->vy[i] - l->my[i], l->vz[i] - l->mz[i]};
        fm_vec3 f = fm_drag_add_force(at, u, drag);
        l->ax[i] = f.x / at.m, l->ay[i] = f.y / at.m, l->az[i] = f.z / at.m;
    }
}

// Accelerations a of the particles [first, last) at velocities v, for the explicit integrators.
// known: the fractional derivative in the drag, at the beginning of the substep.
void fm_kick_compute_accelerations(fm_cloth *c, const fm_drag_step *drag, const fm_weight *weight,
                                   const fm_vec3_array *v, const fm_vec3_array *known,
                                   const fm_vec3_array *a, int first, int last)
{
    int i = first;
    lane_arrays l = view_lanes(c, i);
    l.vx = v->x + i, l.vy = v->y + i, l.vz = v->z + i;
    l.ax = a->x + i, l.ay = a->y + i, l.az = a->z + i;
    l.mx = c->flow.x + i, l.my = c->flow.y + i, l.mz = c->flow.z + i;
    l.kx = known->x + i, l.ky = known->y + i, l.kz = known->z + i;
    accelerate_lanes(last - first, &l, drag, weight);
}

// v += M^-1 J for n particles, with the impulse J in f and the effective mass M of the closing
// kick: Mn along the normal, Mt across. Updates acceleration and rate too.
FM_SIMD_CLONES
static void apply_impulse_lanes(int n, const lane_arrays *restrict l,
                                const fm_drag_step *restrict d)
{
    double ih2 = 2 / d->h, viscous = d->h / 2 * d->viscous, w0 = d->w0;
    double layer = d->layer + d->normal_history * w0, skin = d->skin * w0;
    double rate = d->physical ? ih2 : 1; // the memory takes accelerations, or else velocities
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double A = l->area[i], m = l->mass[i], nx = l->nx[i], ny = l->ny[i], nz = l->nz[i];
        double Mt = m + A * (viscous + skin), Mn = m + A * (viscous + layer);
        double Jn = l->fx[i] * nx + l->fy[i] * ny + l->fz[i] * nz;
        double it = 1 / Mt, change = Jn * (1 / Mn - it);
        double dx = l->fx[i] * it + change * nx, dy = l->fy[i] * it + change * ny;
        double dz = l->fz[i] * it + change * nz;
        l->vx[i] += dx, l->vy[i] += dy, l->vz[i] += dz;
        l->ax[i] += ih2 * dx, l->ay[i] += ih2 * dy, l->az[i] += ih2 * dz;
        l->rx[i] += rate * dx, l->ry[i] += rate * dy, l->rz[i] += rate * dz;
    }
}

// Applies impulses, N s, to the velocities of the particles [first, last).
void fm_kick_apply_impulses(fm_cloth *c, const fm_drag_step *step, const fm_vec3_array *impulse,
                            int first, int last)
{
    int i = first;
    lane_arrays l = view_lanes(c, i);
    l.fx = impulse->x + i, l.fy = impulse->y + i, l.fz = impulse->z + i;
    apply_impulse_lanes(last - first, &l, step);
}
