// SPDX-License-Identifier: MIT
// drag_impulses.c: bodies that act on the fluid by the opposite of their drag: lines, loads, and
// cloth with coupling by drag.
//
// The body computes its drag from the velocity at its samples (cloth/drag_exchange.c). Its opposite
// acts on the faces from which that velocity is interpolated, with the same weights w:
//
//     u_f = u_f - w_f J / M,      M = rho h^3
//
// Faces on the sides of the grid and those that colliders cut do not take part; the others share
// their weights. The mass of fluid that a sample of area A slows down is M A / max_f S_f, where S_f
// is the sum of w A over all samples of all bodies, and f runs over the faces around the sample.
// With it, all samples together cannot turn the velocity of a face around.
//
//   u  m/s    J  N s, impulse on the body    rho  kg/m^3, density    h  m, spacing
#include "grid/grid.h"

// The faces of one component around a point, with weights that add up to 1.
typedef struct faces {
    int count;
    ptrdiff_t q[8];
    double weight[8];
} faces;

// Finds the faces of component a around a point, m. None if all of them are closed.
static faces find_faces(const fm_grid *g, int a, fm_vec3 at)
{
    double x[3] = {at.x - g->def.low.x, at.y - g->def.low.y, at.z - g->def.low.z}, sum = 0, part[3];
    int cell[3];
    faces found = {0};
    for (int b = 0; b < 3; b++) {
        double place = g->active[b] ? x[b] / g->h - (b == a ? 0 : 0.5) : 0;
        if (!(fabs(place) < 1e8)) // far away, or a NaN
            return found;
        cell[b] = (int)floor(place);
        part[b] = place - cell[b];
    }
    for (int corner = 0; corner < 8; corner++) {
        int high[3];
        double weight = 1;
        ptrdiff_t q;
        for (int b = 0; b < 3; b++) {
            int up = corner >> b & 1;
            high[b] = cell[b] + up;
            weight *= up ? part[b] : 1 - part[b];
        }
        if (weight <= 0 || !fm_grid_find_face(g, a, high, &q) || g->open[a][q] < 1)
            continue;
        found.q[found.count] = q;
        found.weight[found.count++] = weight;
        sum += weight;
    }
    for (int i = 0; i < found.count; i++)
        found.weight[i] /= sum;
    return found;
}

// Whether any body acts on the fluid by its drag.
static bool has_drag(const fm_grid *g)
{
    bool any = false;
    for (int k = 0; k < g->samples_count; k++)
        any |= g->samples[k]->by_drag;
    return any;
}

// Sums w A at the faces of component a around all samples; zero: sets the sums to 0 instead.
static void sum_areas(fm_grid *g, int a, bool zero)
{
    double *sums = g->rate[a];
    for (int k = 0; k < g->samples_count; k++) {
        const fm_samples *s = g->samples[k];
        for (int i = 0; i < s->count && s->by_drag; i++) {
            faces f = find_faces(g, a, s->end_position[i]);
            for (int n = 0; n < f.count && s->wet[i] > 0; n++)
                sums[f.q[n]] = zero ? 0 : sums[f.q[n]] + f.weight[n] * s->area[i];
        }
    }
}

// Writes the mass of the fluid that each sample slows down, kg. Uses g->rate.
void fm_grid_write_drag_masses(fm_grid *g)
{
    double mass = g->def.density * g->h * g->h * g->h;
    if (!has_drag(g))
        return;
    for (int a = 0; a < 3; a++) {
        sum_areas(g, a, true);
        sum_areas(g, a, false);
    }
    for (int k = 0; k < g->samples_count; k++) {
        fm_samples *s = g->samples[k];
        for (int i = 0; i < s->count && s->by_drag; i++) {
            double most = s->area[i];
            for (int a = 0; a < 3; a++) {
                faces f = g->active[a] ? find_faces(g, a, s->end_position[i]) : (faces){0};
                for (int n = 0; n < f.count; n++)
                    most = fm_double_max(most, g->rate[a][f.q[n]]);
            }
            s->added_mass[i] = s->wet[i] > 0 && most > 0 ? mass * s->area[i] / most : 0;
        }
    }
}

// Adds the share dt / interval of the impulses of all bodies to the velocities. masses: fluid mass
// at the faces in units of M, or NULL: 1 everywhere.
void fm_grid_add_drag_impulses(fm_grid *g, double dt, double *const masses[3])
{
    double mass = g->def.density * g->h * g->h * g->h;
    for (int k = 0; k < g->samples_count; k++) {
        const fm_samples *s = g->samples[k];
        double share = s->end > s->start ? dt / (s->end - s->start) : 0;
        for (int i = 0; i < 3 * s->count && s->by_drag; i++) {
            int a = i % 3;
            fm_vec3 J = s->impulse_to_fluid[i / 3];
            double along = share * (a == 0 ? J.x : a == 1 ? J.y : J.z);
            faces f =
                along != 0 && g->active[a] ? find_faces(g, a, s->end_position[i / 3]) : (faces){0};
            for (int n = 0; n < f.count; n++) {
                double m = masses ? mass * masses[a][f.q[n]] : mass;
                if (m > 0)
                    fm_grid_set_face(g, g->u[a], a, f.q[n],
                                     g->u[a][f.q[n]] + f.weight[n] * along / m);
            }
        }
    }
}

// At the end of a coupling interval: the impulses have been received.
void fm_grid_clear_drag_impulses(fm_grid *g)
{
    for (int k = 0; k < g->samples_count; k++)
        for (int i = 0; i < g->samples[k]->count && g->samples[k]->by_drag; i++)
            g->samples[k]->impulse_to_fluid[i] = (fm_vec3){0};
}
