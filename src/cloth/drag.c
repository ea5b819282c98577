// SPDX-License-Identifier: MIT
// drag.c: what the medium does to a particle, solved together with its inertia.
//
// With u = v - w the velocity relative to the medium, n the normal of the cloth, A the area and m
// the mass of a particle, parts along n and across it written u_n and u_t:
//
// physical, from the medium's density rho and viscosity mu:
//     pressure         -1/2 rho C_n A |u_n| u_n
//     friction         -1/2 rho C_t A |u_t| u_t
//     skin history     -2 sqrt(rho mu) A D^(1/2) u_t      Stokes' first problem, both sides
//     normal history   -k_B A D^(1/2) u_n
//     added mass       -rho L A n d(u_n)/dt               a layer of thickness L moves along
// published [OKRC10] eq. (3), (4), and the regular models it is compared with:
//     viscous          -k_vd A u
//     normal           -k_n A u_n
//     history          -k_hd A (D^q x . e) e,  e = u/|u|  (zero for |u| < 1e-9 m/s)
// Always: weight, buoyancy and the pressure gradient that moves the medium,
//     (m - rho V) g + rho V dw/dt
//
// The derivative at the new time is w0 times the new rate (acceleration du/dt for the physical set,
// velocity u for the published one) plus what is known. The closing half kick
//
//     u' = p + (h/2) s,   p = v_half - w,   s = du/dt at the new time
//
// then has a closed form. Physical: along n, and along the tangent for vectors,
//
//     c |u'| u' + b u' = G,   b = (2/h) M,  G = F + (m - rho V) (g - dw/dt) - k known + b p
//     u' = 2 G / (b + sqrt(b^2 + 4 c |G|))
//     M = m + rho L A + k_B A w0 along n,   m + 2 sqrt(rho mu) A w0 across
//
// Published: B u' + k (w0 u' . e + known . e) e = G with B = (2m/h + k_vd A) 1 + k_n A n n^T. The
// history force points along u', so e is the direction of B^-1 G up to what the normal drag turns,
// exactly so without it; then Sherman and Morrison's formula.
//
// The layer's energy is rho L A u_n^2 / 2, and its force must give back exactly what it takes: that
// is why its rate is that of the scalar u_n = n . u, not n . du/dt. While the normal turns from n0
// to n, the layer keeps its speed along it and the particle is carried with it:
//
//     u <- u - g e,   g = M_L c ((n - n0) . u) / (m + M_L c^2),   c = e . n
//     e = (n0 + n) / |n0 + n|
//
// which leaves m u^2 + M_L u_n^2 the same to rounding (M_L = rho L A; the only other root of that
// condition is the reflection g = 2 e . u). The medium's own change w' - w comes into v the same
// way, whole, when the step closes. The drift before must know of both to be of second order: it
// goes on with what they were in the step before, `carried` = (w' - w - g e) / h.
//
// A history force on displacements resists over a cycle but pushes for a part of it: at order 1/2,
// with full memory, for a quarter.
//
// [OKRC10] Özgen, Kallmann, Ramirez, Coimbra: Underwater cloth simulation with fractional
//          derivatives. TOG 29(3), 2010.
#include "cloth/cloth.h"

#include <math.h>

static const double STILL = 1e-9; // m/s, below which a velocity has no direction

fm_drag_step fm_drag_prepare(const fm_cloth *cloth, const fm_surroundings *around, double h,
                             double w0)
{
    const fm_drag *drag = &cloth->def.drag;
    const fm_medium *medium = &around->medium;
    fm_drag_step step = {.h = h,
                         .w0 = w0,
                         .gravity = around->gravity,
                         .displaced = medium->density * cloth->def.thickness};
    switch (drag->model) {
    case FM_DRAG_NONE:
        break;
    case FM_DRAG_PHYSICAL:
        step.physical = true;
        step.pressure = 0.5 * medium->density * drag->pressure;
        step.friction = 0.5 * medium->density * drag->friction;
        step.skin = drag->skin_history ? 2 * sqrt(medium->density * medium->viscosity) : 0;
        step.normal_history = drag->normal_history;
        step.layer = medium->density * cloth->added_mass;
        break;
    case FM_DRAG_PUBLISHED:
        step.viscous = drag->viscous;
        step.normal = drag->normal;
        step.history = drag->history.coefficient;
        break;
    case FM_DRAG_VISCOUS:
        step.viscous = drag->viscous;
        break;
    case FM_DRAG_NORMAL:
        step.normal = drag->normal;
        break;
    case FM_DRAG_BOTH:
        step.viscous = drag->viscous;
        step.normal = drag->normal;
        break;
    }
    return step;
}

// One particle's arrays, from its first component on; the closing kick writes v, a, w and rate.
typedef struct lane_arrays {
    double *vx, *vy, *vz, *ax, *ay, *az, *wx, *wy, *wz, *rx, *ry, *rz;
    const double *fx, *fy, *fz, *nx, *ny, *nz, *mx, *my, *mz, *kx, *ky, *kz, *area, *mass;
    const double *heavy;  // kg that weigh: mass without what a medium lends
    double *ox, *oy, *oz; // normals before the step
    double *cx, *cy, *cz; // carried
} lane_arrays;

FM_SIMD_CLONES
static void close_physical(int n, const lane_arrays *restrict l, const fm_drag_step *restrict d)
{
    double h2 = d->h / 2, ih2 = 1 / h2, w0 = d->w0;
    double pressure = d->pressure, friction = d->friction, layer = d->layer;
    double skin = d->skin, nhist = d->normal_history, displaced = d->displaced;
    double hx = d->gravity.x, hy = d->gravity.y, hz = d->gravity.z;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double A = l->area[i], m = l->mass[i], nx = l->nx[i], ny = l->ny[i], nz = l->nz[i];
        double gx = (l->mx[i] - l->wx[i]) * (0.5 * ih2); // dw/dt along the particle's path
        double gy = (l->my[i] - l->wy[i]) * (0.5 * ih2), gz = (l->mz[i] - l->wz[i]) * (0.5 * ih2);
        double px = l->vx[i] - l->wx[i], py = l->vy[i] - l->wy[i], pz = l->vz[i] - l->wz[i];
        // the normal turns
        double tx = l->ox[i] + nx, ty = l->oy[i] + ny, tz = l->oz[i] + nz;
        double is = 1 / sqrt(tx * tx + ty * ty + tz * tz + 1e-200);
        double ex = tx * is, ey = ty * is, ez = tz * is, co = ex * nx + ey * ny + ez * nz;
        double turned = (nx - l->ox[i]) * px + (ny - l->oy[i]) * py + (nz - l->oz[i]) * pz;
        double g = A * layer * co * turned / (m + A * layer * co * co);
        px -= g * ex, py -= g * ey, pz -= g * ez;
        g *= 0.5 * ih2;
        l->cx[i] = gx - g * ex, l->cy[i] = gy - g * ey, l->cz[i] = gz - g * ez;
        l->ox[i] = nx, l->oy[i] = ny, l->oz[i] = nz;
        double Mn = m + A * (layer + nhist * w0), Mt = m + A * skin * w0;
        // G, first as if all were tangential, then its normal part exchanged
        double bt = Mt * ih2, bn = Mn * ih2;
        double net = l->heavy[i] - A * displaced; // weight less buoyancy, over g
        double qx = l->fx[i] + net * (hx - gx), qy = l->fy[i] + net * (hy - gy);
        double qz = l->fz[i] + net * (hz - gz);
        double Fn = qx * nx + qy * ny + qz * nz, pn = px * nx + py * ny + pz * nz;
        double kn = l->kx[i] * nx + l->ky[i] * ny + l->kz[i] * nz;
        double Gn = Fn - A * nhist * kn + bn * pn;
        double st = A * skin;
        double Tn = Fn - st * kn + bt * pn;
        double Tx = qx - st * l->kx[i] + bt * px - Tn * nx;
        double Ty = qy - st * l->ky[i] + bt * py - Tn * ny;
        double Tz = qz - st * l->kz[i] + bt * pz - Tn * nz;
        double un = 2 * Gn / (bn + sqrt(bn * bn + 4 * A * pressure * fabs(Gn)));
        double T = sqrt(Tx * Tx + Ty * Ty + Tz * Tz);
        double ut = 2 / (bt + sqrt(bt * bt + 4 * A * friction * T));
        double ux = ut * Tx + un * nx, uy = ut * Ty + un * ny, uz = ut * Tz + un * nz;
        double sx = (ux - px) * ih2, sy = (uy - py) * ih2, sz = (uz - pz) * ih2;
        l->rx[i] = sx, l->ry[i] = sy, l->rz[i] = sz;
        l->ax[i] = sx, l->ay[i] = sy, l->az[i] = sz;
        l->vx[i] = ux + l->mx[i], l->vy[i] = uy + l->my[i], l->vz[i] = uz + l->mz[i];
        l->wx[i] = l->mx[i], l->wy[i] = l->my[i], l->wz[i] = l->mz[i];
    }
}

FM_SIMD_CLONES
static void close_published(int n, const lane_arrays *restrict l, const fm_drag_step *restrict d)
{
    double h2 = d->h / 2, ih2 = 1 / h2, w0 = d->w0;
    double viscous = d->viscous, normal = d->normal, history = d->history;
    double displaced = d->displaced, hx = d->gravity.x, hy = d->gravity.y, hz = d->gravity.z;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double A = l->area[i], m = l->mass[i], nx = l->nx[i], ny = l->ny[i], nz = l->nz[i];
        double gx = (l->mx[i] - l->wx[i]) * (0.5 * ih2);
        double gy = (l->my[i] - l->wy[i]) * (0.5 * ih2), gz = (l->mz[i] - l->wz[i]) * (0.5 * ih2);
        double px = l->vx[i] - l->wx[i], py = l->vy[i] - l->wy[i], pz = l->vz[i] - l->wz[i];
        double b = m * ih2, ib = 1 / (b + A * viscous);
        double net = l->heavy[i] - A * displaced;
        double Gx = l->fx[i] + net * (hx - gx) + b * px, Gy = l->fy[i] + net * (hy - gy) + b * py;
        double Gz = l->fz[i] + net * (hz - gz) + b * pz;
        // B^-1 = ib (1 - turn n n^T)
        double turn = A * normal * ib / (1 + A * normal * ib);
        double gn = turn * (Gx * nx + Gy * ny + Gz * nz);
        double ox = ib * (Gx - gn * nx), oy = ib * (Gy - gn * ny), oz = ib * (Gz - gn * nz);
        double speed = sqrt(ox * ox + oy * oy + oz * oz);
        double is = speed > STILL ? 1 / speed : 0;
        double ex = ox * is, ey = oy * is, ez = oz * is;
        double en = turn * (ex * nx + ey * ny + ez * nz);
        double zx = ib * (ex - en * nx), zy = ib * (ey - en * ny), zz = ib * (ez - en * nz);
        double k = A * history, past = l->kx[i] * ex + l->ky[i] * ey + l->kz[i] * ez;
        double f = k * (w0 * speed + past) / (1 + k * w0 * (ex * zx + ey * zy + ez * zz));
        double ux = ox - f * zx, uy = oy - f * zy, uz = oz - f * zz;
        double sx = (ux - px) * ih2, sy = (uy - py) * ih2, sz = (uz - pz) * ih2;
        l->ox[i] = nx, l->oy[i] = ny, l->oz[i] = nz;
        l->rx[i] = ux, l->ry[i] = uy, l->rz[i] = uz;
        l->cx[i] = gx, l->cy[i] = gy, l->cz[i] = gz;
        l->ax[i] = sx, l->ay[i] = sy, l->az[i] = sz;
        l->vx[i] = ux + l->mx[i], l->vy[i] = uy + l->my[i], l->vz[i] = uz + l->mz[i];
        l->wx[i] = l->mx[i], l->wy[i] = l->my[i], l->wz[i] = l->mz[i];
    }
}

// The arrays of a cloth from particle i on, with the normals of the beginning of the substep.
static lane_arrays lanes_from(const fm_cloth *c, int i)
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
        .cx = c->carried.x + i,
        .cy = c->carried.y + i,
        .cz = c->carried.z + i,
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

void fm_drag_close(fm_cloth *c, const fm_drag_step *step, const fm_axes *medium,
                   const fm_axes *known, int first, int last)
{
    int i = first;
    lane_arrays l = lanes_from(c, i);
    l.nx = c->next_normal.x + i, l.ny = c->next_normal.y + i, l.nz = c->next_normal.z + i;
    l.mx = medium->x + i, l.my = medium->y + i, l.mz = medium->z + i;
    l.kx = known->x + i, l.ky = known->y + i, l.kz = known->z + i;
    if (step->physical)
        close_physical(last - first, &l, step);
    else
        close_published(last - first, &l, step);
}

// a = force / mass at given velocities, for the explicit integrators; D is the derivative of the
// displacement. The medium's own acceleration is left out here.
FM_SIMD_CLONES
static void explicit_lanes(int n, const lane_arrays *restrict l, const fm_drag_step *restrict d)
{
    double viscous = d->viscous, normal = d->normal, history = d->history, layer = d->layer;
    double pressure = d->pressure, friction = d->friction, displaced = d->displaced;
    double hx = d->gravity.x, hy = d->gravity.y, hz = d->gravity.z;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double A = l->area[i], m = l->mass[i], nx = l->nx[i], ny = l->ny[i], nz = l->nz[i];
        double net = l->heavy[i] - A * displaced;
        double ux = l->vx[i] - l->mx[i], uy = l->vy[i] - l->my[i], uz = l->vz[i] - l->mz[i];
        double speed = sqrt(ux * ux + uy * uy + uz * uz);
        double un = ux * nx + uy * ny + uz * nz;
        double tx = ux - un * nx, ty = uy - un * ny, tz = uz - un * nz;
        double slide = A * (viscous + friction * sqrt(tx * tx + ty * ty + tz * tz));
        double across = A * (viscous + normal + pressure * fabs(un)) * un;
        double is = speed > STILL ? 1 / speed : 0;
        double e = is * is * A * history * (l->kx[i] * ux + l->ky[i] * uy + l->kz[i] * uz);
        double fx = l->fx[i] + net * hx - slide * tx - across * nx - e * ux;
        double fy = l->fy[i] + net * hy - slide * ty - across * ny - e * uy;
        double fz = l->fz[i] + net * hz - slide * tz - across * nz - e * uz;
        // the layer of medium adds to the mass across the cloth only
        double fn = (fx * nx + fy * ny + fz * nz) * (A * layer) / (m + A * layer);
        l->ax[i] = (fx - fn * nx) / m;
        l->ay[i] = (fy - fn * ny) / m;
        l->az[i] = (fz - fn * nz) / m;
    }
}

void fm_drag_explicit(fm_cloth *c, const fm_drag_step *step, const fm_axes *v,
                      const fm_axes *medium, const fm_axes *derivative, const fm_axes *a, int first,
                      int last)
{
    int i = first;
    lane_arrays l = lanes_from(c, i);
    l.vx = v->x + i, l.vy = v->y + i, l.vz = v->z + i;
    l.ax = a->x + i, l.ay = a->y + i, l.az = a->z + i;
    l.mx = medium->x + i, l.my = medium->y + i, l.mz = medium->z + i;
    l.kx = derivative->x + i, l.ky = derivative->y + i, l.kz = derivative->z + i;
    explicit_lanes(last - first, &l, step);
}

// A jump d of the velocity within a substep feeds the memory the rate d/h at one push, to which the
// history force answers with the impulse -k A w0 d: it acts like a mass k A w0.
fm_effective_mass fm_drag_effective_mass(const fm_cloth *c, const fm_drag_step *d, int i)
{
    double m = c->inertia[i], A = c->wet_area[i];
    if (!d->physical)
        return (fm_effective_mass){m, m};
    return (fm_effective_mass){m + A * (d->layer + d->normal_history * d->w0),
                               m + A * d->skin * d->w0};
}

bool fm_drag_lends_mass(const fm_drag_step *d)
{
    return d->physical && (d->layer > 0 || (d->w0 > 0 && (d->skin > 0 || d->normal_history > 0)));
}

// v += M^-1 J, with the mass of the closing kick; acceleration and rate follow.
FM_SIMD_CLONES
static void impulse_lanes(int n, const lane_arrays *restrict l, const fm_drag_step *restrict d)
{
    double ih2 = 2 / d->h, viscous = d->h / 2 * d->viscous, w0 = d->w0;
    double layer = d->layer + d->normal_history * w0, skin = d->skin * w0;
    double rate = d->physical ? ih2 : 1; // the memory is fed accelerations or velocities
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

void fm_drag_apply_impulse(fm_cloth *c, const fm_drag_step *step, const fm_axes *impulse, int first,
                           int last)
{
    int i = first;
    lane_arrays l = lanes_from(c, i);
    l.fx = impulse->x + i, l.fy = impulse->y + i, l.fz = impulse->z + i;
    impulse_lanes(last - first, &l, step);
}

// What the medium does to a square metre of cloth at each particle, in its present state.
void fm_drag_force_per_area(fm_cloth *c, const fm_surroundings *around, double *force)
{
    fm_drag_step d = fm_drag_prepare(c, around, 0, 0);
    const fm_axes *D = &c->pair;
    for (int i = 0; i < c->lanes; i++)
        D->x[i] = D->y[i] = D->z[i] = 0;
    if (c->drag_memory)
        fm_memory_value(c->drag_memory, D->x);
    for (int i = 0; i < c->count; i++) {
        fm_vec3 n = {c->normal.x[i], c->normal.y[i], c->normal.z[i]};
        fm_vec3 u = {c->v.x[i] - c->w.x[i], c->v.y[i] - c->w.y[i], c->v.z[i] - c->w.z[i]};
        fm_vec3 derivative = {D->x[i], D->y[i], D->z[i]};
        fm_vec3 rate = {c->rate.x[i], c->rate.y[i], c->rate.z[i]};
        double un = fm_dot(u, n), speed = sqrt(fm_dot(u, u)), kn = fm_dot(derivative, n);
        fm_vec3 t = fm_sub(u, fm_scale(n, un));
        fm_vec3 f = fm_scale(t, -(d.viscous + d.friction * sqrt(fm_dot(t, t))));
        double across = (d.viscous + d.normal + d.pressure * fabs(un)) * un;
        if (d.physical) {
            f = fm_sub(f, fm_scale(fm_sub(derivative, fm_scale(n, kn)), d.skin));
            across += d.normal_history * kn + d.layer * fm_dot(rate, n);
        } else if (speed > STILL) {
            f = fm_sub(f, fm_scale(u, d.history * fm_dot(derivative, u) / (speed * speed)));
        }
        f = fm_sub(f, fm_scale(n, across));
        force[3 * i] = f.x, force[3 * i + 1] = f.y, force[3 * i + 2] = f.z;
    }
}
