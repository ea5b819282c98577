// SPDX-License-Identifier: MIT
// drag.h: drag on one particle, as inline functions for the loops over particles.
//
// The functions are inline in a header because the closing kick (kick.c) must be one vectorized
// loop: with separate loops for weight, drag and new velocities, every number would be stored and
// loaded again in between, and compilers would round products differently. drag.c has the equations
// and symbols.
#ifndef FATHOM_CLOTH_DRAG_H
#define FATHOM_CLOTH_DRAG_H

#include "cloth/cloth.h"

#include <math.h>

static const double FM_DRAG_MIN_SPEED = 1e-9; // m/s; a slower velocity has no defined direction

// A particle in the closing kick, with the symbols of drag.c.
typedef struct fm_drag_particle {
    double A, m;   // m^2, wet area; kg, mass
    fm_vec3 n;     // the normal at the end of the substep
    fm_vec3 q;     // N: all forces except drag, including weight minus buoyancy
    fm_vec3 p;     // m/s: v_half - w, velocity relative to the medium before the kick
    fm_vec3 known; // part of the memory's next value that does not depend on the next rate
} fm_drag_particle;

// Effect of the added mass while the cloth's normal turns from n0 to n: u <- u - g e (drag.c).
typedef struct fm_layer_turn {
    fm_vec3 e; // unit vector along n0 + n
    double g;  // m/s
} fm_layer_turn;

// Computes the effect of the added mass while the normal of particle l turns from n0 to l.n, with
// the formulas of drag.c. layer: kg/m^2, the added mass. co: e . n; turned: (n - n0) . p.
FM_INLINE fm_layer_turn fm_drag_turn_layer(fm_drag_particle l, fm_vec3 n0, double layer)
{
    double tx = n0.x + l.n.x, ty = n0.y + l.n.y, tz = n0.z + l.n.z;
    double is = 1 / sqrt(tx * tx + ty * ty + tz * tz + 1e-200);
    double ex = tx * is, ey = ty * is, ez = tz * is, co = ex * l.n.x + ey * l.n.y + ez * l.n.z;
    double turned = (l.n.x - n0.x) * l.p.x + (l.n.y - n0.y) * l.p.y + (l.n.z - n0.z) * l.p.z;
    double g = l.A * layer * co * turned / (l.m + l.A * layer * co * co);
    return (fm_layer_turn){{ex, ey, ez}, g};
}

// Solves the closing kick of particle l with physical drag in closed form (drag.c); returns the new
// velocity relative to the medium, m/s. The suffix n means along the normal, t across it. M:
// effective mass; F, p, k: force, velocity and known part of the memory; b, G: those of drag.c; T:
// tangential G; st: coefficient of the skin history.
FM_INLINE fm_vec3 fm_drag_solve_physical(fm_drag_particle l, fm_drag_step d)
{
    double A = l.A, m = l.m, nx = l.n.x, ny = l.n.y, nz = l.n.z;
    double ih2 = 1 / (d.h / 2), w0 = d.w0;
    double Mn = m + A * (d.layer + d.normal_history * w0), Mt = m + A * d.skin * w0;
    // G: first the tangential formula for all components, then its normal part Tn is removed
    double bt = Mt * ih2, bn = Mn * ih2;
    double Fn = l.q.x * nx + l.q.y * ny + l.q.z * nz;
    double pn = l.p.x * nx + l.p.y * ny + l.p.z * nz;
    double kn = l.known.x * nx + l.known.y * ny + l.known.z * nz;
    double Gn = Fn - A * d.normal_history * kn + bn * pn;
    double st = A * d.skin;
    double Tn = Fn - st * kn + bt * pn;
    double Tx = l.q.x - st * l.known.x + bt * l.p.x - Tn * nx;
    double Ty = l.q.y - st * l.known.y + bt * l.p.y - Tn * ny;
    double Tz = l.q.z - st * l.known.z + bt * l.p.z - Tn * nz;
    bt += A * d.viscous, bn += A * (d.viscous + d.normal); // linear drag, of lines only
    double un = 2 * Gn / (bn + sqrt(bn * bn + 4 * A * d.pressure * fabs(Gn)));
    double T = sqrt(Tx * Tx + Ty * Ty + Tz * Tz);
    double ut = 2 / (bt + sqrt(bt * bt + 4 * A * d.friction * T));
    return (fm_vec3){ut * Tx + un * nx, ut * Ty + un * ny, ut * Tz + un * nz};
}

// The part of the closing kick with physical drag in the plane of the cloth: returns the new
// tangential velocity relative to the medium, m/s. F: force, N, plus momentum before the kick
// divided by h/2; T: its part in the plane; bt: effective mass divided by h/2, kg/s.
FM_INLINE fm_vec3 fm_drag_solve_tangential(fm_drag_particle l, fm_drag_step d)
{
    double A = l.A, nx = l.n.x, ny = l.n.y, nz = l.n.z, st = A * d.skin;
    double bt = (l.m + st * d.w0) * (1 / (d.h / 2));
    double Fx = l.q.x - st * l.known.x + bt * l.p.x, Fy = l.q.y - st * l.known.y + bt * l.p.y;
    double Fz = l.q.z - st * l.known.z + bt * l.p.z, Fn = Fx * nx + Fy * ny + Fz * nz;
    double Tx = Fx - Fn * nx, Ty = Fy - Fn * ny, Tz = Fz - Fn * nz;
    double T = sqrt(Tx * Tx + Ty * Ty + Tz * Tz);
    double ut = 2 / (bt + sqrt(bt * bt + 4 * A * d.friction * T));
    return (fm_vec3){ut * Tx, ut * Ty, ut * Tz};
}

// Solves the closing kick of particle l with a published drag model in closed form (drag.c);
// returns the new velocity relative to the medium, m/s. o: B^-1 G, the solution without history
// force; e: its direction; z: B^-1 e; past: known part of the memory along e; f: the history force
// along e.
FM_INLINE fm_vec3 fm_drag_solve_published(fm_drag_particle l, fm_drag_step d)
{
    double A = l.A, nx = l.n.x, ny = l.n.y, nz = l.n.z, w0 = d.w0;
    double b = l.m * (1 / (d.h / 2)), ib = 1 / (b + A * d.viscous);
    double Gx = l.q.x + b * l.p.x, Gy = l.q.y + b * l.p.y, Gz = l.q.z + b * l.p.z;
    // B^-1 = ib (1 - turn n n^T)
    double turn = A * d.normal * ib / (1 + A * d.normal * ib);
    double gn = turn * (Gx * nx + Gy * ny + Gz * nz);
    double ox = ib * (Gx - gn * nx), oy = ib * (Gy - gn * ny), oz = ib * (Gz - gn * nz);
    double speed = sqrt(ox * ox + oy * oy + oz * oz);
    double is = speed > FM_DRAG_MIN_SPEED ? 1 / speed : 0;
    double ex = ox * is, ey = oy * is, ez = oz * is;
    double en = turn * (ex * nx + ey * ny + ez * nz);
    double zx = ib * (ex - en * nx), zy = ib * (ey - en * ny), zz = ib * (ez - en * nz);
    double k = A * d.history, past = l.known.x * ex + l.known.y * ey + l.known.z * ez;
    double f = k * (w0 * speed + past) / (1 + k * w0 * (ex * zx + ey * zy + ez * zz));
    return (fm_vec3){ox - f * zx, oy - f * zy, oz - f * zz};
}

// Returns q plus the drag at the relative velocity u, N. Only for the explicit integrators, which
// support the published models but not physical drag.
FM_INLINE fm_vec3 fm_drag_add_force(fm_drag_particle l, fm_vec3 u, fm_drag_step d)
{
    double A = l.A, nx = l.n.x, ny = l.n.y, nz = l.n.z;
    double speed = sqrt(u.x * u.x + u.y * u.y + u.z * u.z);
    double un = u.x * nx + u.y * ny + u.z * nz;
    double tx = u.x - un * nx, ty = u.y - un * ny, tz = u.z - un * nz;
    double slide = A * d.viscous, across = A * (d.viscous + d.normal) * un;
    double is = speed > FM_DRAG_MIN_SPEED ? 1 / speed : 0;
    double e = is * is * A * d.history * (l.known.x * u.x + l.known.y * u.y + l.known.z * u.z);
    return (fm_vec3){l.q.x - slide * tx - across * nx - e * u.x,
                     l.q.y - slide * ty - across * ny - e * u.y,
                     l.q.z - slide * tz - across * nz - e * u.z};
}

#endif
