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
//
// With added mass by wavelength (added_mass.c), the normal velocities u of all particles are
// coupled by the mass m + R, and the closing kick is solved in three steps.
//
// 1 The normals turn from n0 to n, which would change u by t = (n - n0) . p. Cloth and water
//   exchange momentum such that u changes by z instead and m |v|^2 / 2 + u^T R u / 2 is conserved:
//
//     (m/c + R) z = m/c t,   v <- v - (n0 + n)/2 (t - z)/c,   c = (1 + n0 . n)/2
//
//   drag.c has the same for a layer.
//
// 2 (m + R + k_B A w0) d = (h/2) (f - drag(u + d)) for the change d of u in the half kick; f: all
//   other normal forces. The pressure drag is
//
//     drag(u) = A C_r |u| u + G^T A (C_n - C_r) |G u| G u
//
//   with the smooth part G u of the motion; A here is the area times the share of the particle
//   (shared_water.c). It is the gradient of a convex function.
//
// 3 The tangential components in closed form, as without modes.
//
// In 1 and 2 the operator that the modes diagonalise is kept on the left, and the rest is moved to
// the right and evaluated at the last iterate. The iteration starts from the acceleration of the
// last substep and converges in two or three rounds: per round, errors shrink by the ratio of what
// is on the right to the mass of the shortest waves, the drag's being about h C_n u / L.
// In very fast water that ratio exceeds 1/2; then mass is added on both sides.
#include "cloth/added_mass.h"
#include "cloth/drag.h"

#include <assert.h>
#include <math.h>
#include <string.h>

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
    const double *given;        // how much of its added mass belongs to other layers
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
        .given = (c->added ? c->added->given : c->zeros.x) + i,
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
    double history = d->normal_history * w0, skin = d->skin * w0, layer = d->layer;
    double rate = d->physical ? ih2 : 1; // the memory takes accelerations, or else velocities
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double A = l->area[i], m = l->mass[i], nx = l->nx[i], ny = l->ny[i], nz = l->nz[i];
        double Mt = m + A * (viscous + skin),
               Mn = m + A * (viscous + history + layer * (1 - l->given[i]));
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

enum { TURN_ROUNDS_MAX = 5, KICK_ROUNDS_MAX = 6 };
// What the loops over particles need in addition to lane_arrays, with the symbols above.
typedef struct mode_lanes {
    double *along, *change, *load, *force; // u, z or d, right-hand side, f
    double *tx, *ty, *tz;                  // change of v by the turn
    const double *root;                    // of the share of its water
    const double *start;                   // m/s, jump of u when pins let go
    double sigma;                          // kg/m^2, on the left
    double least;                          // of c
} mode_lanes;

static mode_lanes view_modes(const fm_cloth *c, int i, double sigma)
{
    const fm_added_mass *w = c->added;
    return (mode_lanes){.along = w->along + i,
                        .change = w->change + i,
                        .load = w->load + i,
                        .force = w->force + i,
                        .tx = w->turned.x + i,
                        .ty = w->turned.y + i,
                        .tz = w->turned.z + i,
                        .root = w->root + i,
                        .start = w->start + i,
                        .sigma = sigma};
}

// Prepares step 1 of the rounds: t into `along`, and into `force` the mass that is moved to the
// right-hand side, kg: m/c less sigma A s, which the operator on the left contains (s: the
// particle's share of its water). The rounds start at z = 0.
FM_SIMD_CLONES
static void prepare_turn_lanes(int n, const lane_arrays *restrict l, const mode_lanes *restrict w)
{
    double least = w->least;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double dot = l->ox[i] * l->nx[i] + l->oy[i] * l->ny[i] + l->oz[i] * l->nz[i];
        double c = 0.5 + 0.5 * dot;
        c = c < least ? least : c;
        double px = l->vx[i] - l->wx[i], py = l->vy[i] - l->wy[i], pz = l->vz[i] - l->wz[i];
        w->along[i] =
            (l->nx[i] - l->ox[i]) * px + (l->ny[i] - l->oy[i]) * py + (l->nz[i] - l->oz[i]) * pz;
        w->force[i] = l->mass[i] / c - w->sigma * l->area[i] * w->root[i] * w->root[i];
        w->change[i] = 0;
    }
}

FM_SIMD_CLONES
static void finish_turn_lanes(int n, const lane_arrays *restrict l, const mode_lanes *restrict w,
                              double h)
{
    double least = w->least, ih = 1 / h;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double sx = l->ox[i] + l->nx[i], sy = l->oy[i] + l->ny[i], sz = l->oz[i] + l->nz[i];
        double c = 0.5 * (sx * l->nx[i] + sy * l->ny[i] + sz * l->nz[i]);
        c = c < least ? least : c;
        double y = -0.5 * (w->along[i] - w->change[i]) / c;
        w->tx[i] = y * sx, w->ty[i] = y * sy, w->tz[i] = y * sz;
        l->cx[i] = (l->mx[i] - l->wx[i] + w->tx[i]) * ih;
        l->cy[i] = (l->my[i] - l->wy[i] + w->ty[i]) * ih;
        l->cz[i] = (l->mz[i] - l->wz[i] + w->tz[i]) * ih;
    }
}

// The arrays for the end of a substep. known may be NULL.
static lane_arrays view_end(const fm_cloth *c, const fm_vec3_array *known, int i)
{
    lane_arrays l = view_lanes(c, i);
    l.nx = c->next_normal.x + i, l.ny = c->next_normal.y + i, l.nz = c->next_normal.z + i;
    l.mx = c->flow.x + i, l.my = c->flow.y + i, l.mz = c->flow.z + i;
    if (known)
        l.kx = known->x + i, l.ky = known->y + i, l.kz = known->z + i;
    return l;
}

static double cloth_mass_per_area(const fm_cloth *c)
{
    return c->def.density * c->def.thickness;
}

// Whether a particle turns so far that its mass on the left should be larger than sigma: the
// factor.
static double find_turn_factor(const fm_cloth *c, double sigma)
{
    double largest = 0;
    for (int i = 0; i < c->count; i++)
        largest = fm_double_max(c->added->force[i] / (sigma * c->area[i]), largest);
    return largest < 0.2 ? 1 : largest < 0.5 ? 1.25 : 1.5;
}

// The largest ratio of what is on the right of the turn to what is on the left.
static double find_turn_ratio(const fm_cloth *c, double left, double density)
{
    const fm_added_mass *w = c->added;
    double worst = 0;
    for (int i = 0; i < c->count; i++) {
        double mass = (density * w->local + left) * c->area[i] * w->root[i] * w->root[i];
        worst = fm_double_max(fabs(w->force[i]) / mass, worst);
    }
    return worst;
}

void fm_kick_turn_modes(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    fm_added_mass *w = c->added;
    double sigma = cloth_mass_per_area(c);
    lane_arrays l = view_end(c, NULL, 0);
    mode_lanes own = view_modes(c, 0, sigma);
    // the rounds converge if m/c is not larger than this share of the mass of the shortest waves
    own.least = 1 / (1 + 0.6 * (1 + s->drag.density * w->local / sigma));
    prepare_turn_lanes(c->count, &l, &own);
    double left = sigma * find_turn_factor(c, sigma);
    if (left > sigma) {
        own.sigma = left;
        prepare_turn_lanes(c->count, &l, &own);
    }
    double worst = find_turn_ratio(c, left, s->drag.density);
    int rounds = worst < 1e-5 ? 1 : worst < 1e-2 ? 2 : worst < 0.1 ? 3 : TURN_ROUNDS_MAX;
    for (int k = 0; k < rounds; k++) {
        for (int i = 0; i < c->count; i++) {
            double mass = w->force[i] + left * c->area[i] * w->root[i] * w->root[i];
            w->load[i] = mass * w->along[i] - w->force[i] * w->change[i];
        }
        for (int p = 0; p < w->coupled_count; p++)
            w->change[w->coupled[p]] = w->along[w->coupled[p]];
        fm_added_mass_solve(c, s->around.pool, &s->drag, FM_MASS_TURN, left, w->load, w->change);
    }
    for (int p = 0; p < c->pinned_count; p++) { // their velocity is given
        int i = c->pinned[p];
        w->change[i] = w->is_held[i] ? w->along[i] : w->change[i];
    }
    finish_turn_lanes(c->count, &l, &own, s->h);
}

// Starts the kick: v after the turn, u, f, and d from the last acceleration.
FM_SIMD_CLONES
static void prepare_kick_lanes(int n, const lane_arrays *restrict l, const mode_lanes *restrict w,
                               const fm_drag_step *restrict d, const fm_weight *restrict weights)
{
    fm_drag_step drag = *d;
    fm_weight weight = *weights;
    double ih2 = 2 / drag.h;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        l->vx[i] += w->tx[i], l->vy[i] += w->ty[i], l->vz[i] += w->tz[i];
        fm_drag_particle at = load_particle(l, weight, i, find_medium_acceleration(l, ih2, i));
        double kn = at.known.x * at.n.x + at.known.y * at.n.y + at.known.z * at.n.z;
        w->along[i] = at.p.x * at.n.x + at.p.y * at.n.y + at.p.z * at.n.z;
        w->force[i] =
            at.q.x * at.n.x + at.q.y * at.n.y + at.q.z * at.n.z - at.A * drag.normal_history * kn;
        w->change[i] = 0.5 * drag.h * (l->ax[i] * at.n.x + l->ay[i] * at.n.y + l->az[i] * at.n.z);
    }
}

// Velocities of pinned particles at the end of the substep, and their changes (h/2) s if they move
// the water around them. The acceleration s is the central difference of the pins' velocities over
// two substeps.
static void set_held_changes(fm_substep *s, bool start)
{
    fm_cloth *c = s->cloth;
    fm_added_mass *w = c->added;
    fm_pose ahead[FM_PIN_GROUPS_MAX];
    for (int g = 0; g < c->group_count && w->coupled_count > 0; g++)
        ahead[g] = fm_motion_pose(c->groups[g].motion, s->end + s->h);
    for (int p = 0; p < c->pinned_count; p++) {
        int i = c->pinned[p];
        if (!w->is_held[i])
            continue;
        fm_vec3 n = fm_vec3_array_at(c->next_normal, i), flow = fm_vec3_array_at(c->flow, i);
        fm_vec3 now = fm_pose_velocity_at(&s->poses[c->pin[i]], fm_vec3_array_at(c->x, i));
        w->change[i] = 0;
        if (!w->vanishes[i]) {
            const fm_pose *next = &ahead[c->pin[i]];
            fm_vec3 x = fm_pose_apply(next, fm_vec3_array_at(c->anchor, i));
            fm_vec3 later = fm_pose_velocity_at(next, x), w0 = fm_vec3_array_at(c->w, i);
            fm_vec3 before = fm_add(c->pinned_u[p], w0);
            fm_vec3 rate = start ? fm_sub(later, now) : fm_scale(fm_sub(later, before), 0.5);
            w->change[i] = 0.5 * fm_dot(n, fm_sub(rate, fm_sub(flow, w0)));
        }
        w->along[i] = fm_dot(n, fm_sub(now, flow)) - w->change[i];
    }
}

// Right-hand sides of the kick: the local part into `load`, the drag of the smooth motion into
// `smooth`. history: kg/m^2, k_B w0 and the cloth's mass per area.
FM_SIMD_CLONES
static void load_kick_lanes(int n, const double *restrict area, const mode_lanes *restrict w,
                            const fm_drag_step *restrict d, double history, double *restrict smooth)
{
    double h2 = d->h / 2, ripple = d->ripple, rest = d->pressure - d->ripple, sigma = w->sigma;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double u = w->along[i] + w->change[i], r = w->root[i], A = area[i];
        double excess = A * (history - r * r * sigma), wet = r * r * A;
        w->load[i] = h2 * (w->force[i] - wet * ripple * fabs(u) * u) - excess * w->change[i];
        smooth[i] = -h2 * wet * rest * fabs(smooth[i]) * smooth[i];
    }
}

// The ratio by which a round of the kick shrinks errors, at most. *extra: kg/m^2 to add to the mass
// on both sides so that it does.
static double find_contraction(const fm_cloth *c, const fm_drag_step *d, double sigma,
                               double *extra)
{
    const fm_added_mass *w = c->added;
    double fastest = 0, mass = sigma + d->density * w->local, worst = 0;
    for (int i = 0; i < c->count; i++)
        fastest = fm_double_max(fabs(w->along[i] + w->change[i]), fastest);
    for (int i = 0; i < c->count && w->shared; i++)
        worst = fm_double_max(1 / (w->root[i] * w->root[i]) - 1, worst);
    double drag = d->h * fastest * d->ripple;
    double smooth = d->h * fastest * (d->pressure - d->ripple) / (sigma + d->density * w->smooth);
    double ratio = fm_double_max(drag / mass, smooth) + worst * sigma / mass;
    *extra = 0;
    if (ratio > 0.5) // steps of factors of 4, so that what depends on it is seldom computed
        *extra = exp2(2 * ceil(0.5 * log2(ratio * mass)));
    return ratio;
}

void fm_kick_solve_modes(fm_substep *s, const fm_vec3_array *known, bool start)
{
    fm_cloth *c = s->cloth;
    fm_added_mass *w = c->added;
    fm_pool *pool = s->around.pool;
    lane_arrays l = view_end(c, known, 0);
    double history = cloth_mass_per_area(c) + s->drag.normal_history * s->drag.w0, extra;
    mode_lanes own = view_modes(c, 0, history);
    prepare_kick_lanes(c->count, &l, &own, &s->drag, &s->weight);
    set_held_changes(s, start);
    double ratio = find_contraction(c, &s->drag, history, &extra);
    own.sigma = history + extra;
    int rounds = start || ratio > 0.5 ? KICK_ROUNDS_MAX : ratio > 0.25 ? 4 : ratio > 0.1 ? 3 : 2;
    for (int k = 0; k < rounds; k++) {
        double *u = w->load, *smooth = w->smooth_field;
        for (int i = 0; i < c->count; i++)
            u[i] = w->along[i] + w->change[i];
        if (s->drag.pressure > s->drag.ripple)
            fm_added_mass_smooth(c, pool, u, smooth);
        load_kick_lanes(c->count, c->area, &own, &s->drag, history, smooth);
        if (s->drag.pressure > s->drag.ripple) {
            fm_added_mass_smooth_transposed(c, pool, smooth, w->field);
            for (int i = 0; i < c->count; i++)
                w->load[i] += w->field[i];
        }
        fm_added_mass_solve(c, pool, &s->drag, FM_MASS_KICK, own.sigma, w->load, w->change);
    }
}

// Stores the new velocities: d from the modes, and the tangential part in closed form.
FM_SIMD_CLONES
static void close_modes_lanes(int n, const lane_arrays *restrict l, const mode_lanes *restrict w,
                              const fm_drag_step *restrict d, const fm_weight *restrict weights)
{
    fm_drag_step drag = *d;
    fm_weight weight = *weights;
    double ih2 = 1 / (drag.h / 2);
#pragma omp simd
    for (int i = 0; i < n; i++) {
        fm_drag_particle at = load_particle(l, weight, i, find_medium_acceleration(l, ih2, i));
        double jump = 0.5 * ih2 * w->start[i];
        fm_vec3 u = fm_drag_solve_tangential(at, drag);
        double un = w->along[i] + w->change[i];
        u.x += un * at.n.x, u.y += un * at.n.y, u.z += un * at.n.z;
        fm_vec3 s = store_particle(l, ih2, i, at.p, u);
        l->rx[i] = s.x + jump * at.n.x, l->ry[i] = s.y + jump * at.n.y;
        l->rz[i] = s.z + jump * at.n.z;
    }
}

void fm_kick_close_modes(fm_cloth *c, const fm_drag_step *drag, const fm_weight *weight,
                         const fm_vec3_array *known, int first, int last)
{
    assert(known);
    lane_arrays l = view_end(c, known, first);
    mode_lanes own = view_modes(c, first, 0);
    close_modes_lanes(last - first, &l, &own, drag, weight);
}

void fm_kick_start_modes(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    fm_added_mass *w = c->added;
    double sum = 0;
    memset(w->load, 0, (size_t)c->lanes * sizeof(double));
    memset(w->change, 0, (size_t)c->lanes * sizeof(double));
    for (int p = 0; p < c->pinned_count; p++) {
        int i = c->pinned[p];
        fm_vec3 u = fm_sub(fm_vec3_array_at(c->v, i), fm_vec3_array_at(c->w, i));
        fm_vec3 jump = fm_sub(u, c->pinned_u[p]);
        if (w->is_held[i] && !w->vanishes[i])
            w->change[i] = fm_dot(fm_vec3_array_at(c->normal, i), jump);
        sum += fabs(w->change[i]);
    }
    if (sum > 0)
        fm_added_mass_solve(c, NULL, &s->drag, FM_MASS_TURN, cloth_mass_per_area(c), w->load,
                            w->change);
    for (int i = 0; i < c->count; i++) {
        fm_vec3 n = fm_vec3_array_at(c->normal, i);
        double d = w->is_held[i] ? 0 : w->change[i];
        c->v.x[i] += d * n.x, c->v.y[i] += d * n.y, c->v.z[i] += d * n.z;
        w->start[i] = d;
    }
    w->jumped = true;
}
