// SPDX-License-Identifier: MIT
// line_drag.c: drag, history and added mass of lines and loads, as coefficients for drag.c.
//
// A piece of line of length l is a piece of circular cylinder of diameter d. With the velocity u
// relative to the medium, its parts u_t along the line and u_c across it, the forces are, in N:
//
//     across     -1/2 rho C_n d l |u_c| u_c - K/2 mu l u_c          drag coefficient C_n + K/Re
//                -2 sqrt(rho mu) A D^(1/2) u_c                      history
//                -C_a rho V (d(u)/dt across the line)               added mass
//     along      -1/2 rho C_t A |u_t| u_t - K/4 mu l u_t
//                -sqrt(rho mu) A D^(1/2) u_t                        skin history
//
//   A = pi d l  m^2, surface    V = pi d^2 l / 4  m^3    rho kg/m^3, mu Pa s: of the medium
//
// Both history forces hold for boundary layers that are thin compared with d, at times well below
// d^2 / (4 nu): along, a cylinder is then a flat plate of the same surface (Stokes' first problem);
// across, the potential flow slips along the surface at 2 |u_c| sin(theta), and the mean square of
// that doubles the coefficient (Stokes 1851, Wang 1968). At later times the curvature of the
// surface makes the true force stronger.
//
// A load is a sphere, with A = pi d^2 and V = pi d^3 / 6, and the same law in all directions:
//
//     -1/2 rho C (pi d^2/4) |u| u - (K/24) 3 pi mu d u - 3/2 sqrt(rho mu) A D^(1/2) u - C_a rho V
//     du/dt
//
// With K = 24, C = 0 and C_a = 1/2 that is the exact force at small Reynolds numbers
// (Boussinesq, Basset).
//
// drag.c has one coefficient of each kind along an axis and one across it. Here the axis is the
// tangent of the line instead of the normal of a cloth; a load has no axis. Added mass across the
// axis, M = (m + m_a) 1 - m_a t t^T, is a larger inertia with a negative layer along the axis.
#include "cloth/cloth.h"

#include <math.h>

// Writes the coefficients of the head of this file to those of drag.c, per area of surface. There,
// "normal" and "pressure" belong to the axis, here the tangent.
void fm_line_prepare_drag(const fm_cloth *c, const fm_medium *medium, fm_drag_step *step)
{
    const fm_line *line = c->line;
    double half = 0.5 * medium->density, mu = medium->viscosity;
    double history = c->def.drag.skin_history ? sqrt(medium->density * mu) : 0;
    step->physical = true;
    step->pressure = half * line->along.quadratic;
    step->friction = half * line->across.quadratic;
    step->viscous = mu * line->across.viscous;
    step->normal = mu * (line->along.viscous - line->across.viscous);
    step->skin = history * line->across.history;
    step->normal_history = history * line->along.history;
    step->layer = line->is_load ? 0 : -fm_line_added_mass(c, medium);
}

// kg/m^2, added mass per area of surface.
double fm_line_added_mass(const fm_cloth *c, const fm_medium *medium)
{
    return c->line->added_mass * medium->density * c->def.thickness;
}

// Sets the inertia of the particles, kg: mass and added mass.
void fm_line_set_inertia(fm_cloth *c, const fm_medium *medium)
{
    double added = fm_line_added_mass(c, medium);
    for (int i = 0; i < c->count; i++)
        c->inertia[i] = c->mass[i] + added * c->wet_area[i];
}

// J, kinetic energy of the added mass: of the velocity across the line, or of all of it for a load.
double fm_line_added_energy(const fm_cloth *c, const fm_medium *medium)
{
    double added = fm_line_added_mass(c, medium), sum = 0;
    for (int i = 0; i < c->count; i++) {
        fm_vec3 u = fm_sub(fm_vec3_array_at(c->v, i), fm_vec3_array_at(c->w, i));
        double along = fm_dot(u, fm_vec3_array_at(c->normal, i));
        sum += 0.5 * added * c->wet_area[i] * (fm_dot(u, u) - along * along);
    }
    return sum;
}

// Unit tangents of the particles [first, last): the mean direction of their edges.
void fm_line_compute_tangents(const fm_cloth *c, const fm_vec3_array *x,
                              const fm_vec3_array *tangent, int first, int last)
{
    const fm_spring_mesh *mesh = &c->mesh;
    for (int i = first; i < last; i++) {
        fm_vec3 sum = {0, 0, 0};
        for (int k = mesh->edges.start[i]; k < mesh->edges.start[i + 1]; k++) {
            int e = mesh->edges.entry[k] / 2;
            fm_vec3 a = fm_vec3_array_at(*x, mesh->edge_a[e]);
            sum = fm_add(sum, fm_sub(fm_vec3_array_at(*x, mesh->edge_b[e]), a));
        }
        double s = 1 / sqrt(fm_dot(sum, sum) + 1e-200);
        tangent->x[i] = s * sum.x, tangent->y[i] = s * sum.y, tangent->z[i] = s * sum.z;
    }
}
