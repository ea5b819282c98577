// SPDX-License-Identifier: MIT
// dye.c: dye and smoke: a concentration c in the cells that the flow carries along.
//
//     dc/dt = -div(u c) + c div u + kappa div grad c - c / tau
//
// The last term is solved exactly after the others. c div u keeps a uniform c uniform where the
// divergence is not zero: within the tolerance of the pressure solver, and beside moving colliders.
// Dye flows only through the open fraction A of a face:
//
//     rate_q = sum over axes a of [(F_q - F_(q+a)) - c_q (U_q - U_(q+a))] / h
//              + kappa [A_q (c_(q-a) - c_q) + A_(q+a) (c_(q+a) - c_q)] / h^2
//     U = A u,   F = U f
//
// f is interpolated at the face by the fifth-order upwind polynomial of advection.c and limited so
// that no new extremum appears, while smooth extrema are kept [SH97]. A cell that a collider cuts
// has the volume of a whole one here, so that small cut cells do not limit the substep.
//
// Time: c belongs to the middle of the last substep, as the pressure does. It moves from there to
// the middle of the next one with the velocity between the two, by a Runge-Kutta method of third
// order [SO88]; like a leapfrog, this is of second order. Smoke rises: a concentration c changes
// the weight of the fluid by the factor 1 - buoyancy c (Boussinesq), with c at the middle of the
// substep.
//
//   c  concentration, 1    kappa  diffusivity, m^2/s    tau  time of fading, s    h  spacing, m
//
// [SH97] Suresh, Huynh: Accurate monotonicity-preserving schemes with Runge-Kutta time stepping.
//        Journal of Computational Physics 136, 1997.
// [SO88] see step.c
#include "core/simd.h"
#include "grid/grid.h"

#include <string.h>

enum { LAYERS = 3 }; // ghost layers of the concentration along active axes

// Checks the dye of a definition.
bool fm_grid_check_dye(const fm_grid_def *def, fm_error *err)
{
    const fm_grid_dye *dye = &def->dye;
    if (!(dye->diffusivity >= 0 && dye->diffusivity <= 1e6))
        return fm_fail_number(err, def->name, "dye.diffusivity", dye->diffusivity,
                              "0 to 1e6 m^2/s");
    if (!(fabs(dye->buoyancy) <= 1e3))
        return fm_fail_number(err, def->name, "dye.buoyancy", dye->buoyancy, "-1e3 to 1e3");
    if (!(dye->fading >= 0 && isfinite(dye->fading)))
        return fm_fail_number(err, def->name, "dye.fading", dye->fading, "0 s or more");
    return true;
}

// Concentration outside face `at` of a side: what flows in brings its dye.
static double find_outside(const fm_grid *g, int side, const int at[3], double inside)
{
    const fm_grid_side *c = fm_grid_find_condition(g, side, at);
    int axis = side / 2, low[3] = {at[0], at[1], at[2]};
    low[axis] = side % 2 ? g->n[axis] : 0;
    double u = g->u[axis][fm_grid_index(g, low[0], low[1], low[2])];
    bool enters = side % 2 ? u < 0 : u > 0;
    return (c->kind == FM_GRID_INFLOW || c->kind == FM_GRID_OPEN) && enters ? c->dye : inside;
}

// Fills the ghost layers beside the cells; edges and corners are not used.
static void fill_layers(fm_grid *g, double *c)
{
    for (int axis = 0; axis < 3; axis++) {
        int a = (axis + 1) % 3, b = (axis + 2) % 3, at[3] = {0};
        bool periodic = g->def.sides[2 * axis].kind == FM_GRID_PERIODIC;
        ptrdiff_t s = g->stride[axis];
        if (!g->active[axis])
            continue;
        for (at[b] = 0; at[b] < g->n[b]; at[b]++)
            for (at[a] = 0; at[a] < g->n[a]; at[a]++) {
                ptrdiff_t first = fm_grid_index(g, at[0], at[1], at[2]);
                ptrdiff_t last = first + (g->n[axis] - 1) * s;
                double low = find_outside(g, 2 * axis, at, c[first]);
                double high = find_outside(g, 2 * axis + 1, at, c[last]);
                for (int l = 0; l < LAYERS; l++) {
                    c[first - (l + 1) * s] = periodic ? c[last - l * s] : low;
                    c[last + (l + 1) * s] = periodic ? c[first + l * s] : high;
                }
            }
    }
}

// The argument of smaller magnitude if both have the same sign, else 0.
FM_INLINE double minmod(double a, double b)
{
    double least = fabs(a) < fabs(b) ? a : b;
    return a * b > 0 ? least : 0;
}

FM_INLINE double minmod4(double a, double b, double c, double d)
{
    return minmod(minmod(a, b), minmod(c, d));
}

FM_INLINE double min2(double a, double b)
{
    return a < b ? a : b;
}

FM_INLINE double max2(double a, double b)
{
    return a > b ? a : b;
}

// The value at the face between f[2] and f[3], for a flow from f[0] towards f[4].
FM_INLINE double interpolate(double f0, double f1, double f2, double f3, double f4)
{
    double face = (2 * f0 - 13 * f1 + 47 * f2 + 27 * f3 - 3 * f4) * (1.0 / 60);
    double d1 = f0 - 2 * f1 + f2, d2 = f1 - 2 * f2 + f3, d3 = f2 - 2 * f3 + f4;
    double bend = minmod4(4 * d2 - d3, 4 * d3 - d2, d2, d3);
    double bend_before = minmod4(4 * d1 - d2, 4 * d2 - d1, d1, d2);
    double upper = f2 + 2 * (f2 - f1), middle = 0.5 * (f2 + f3 - bend);
    double large = f2 + 0.5 * (f2 - f1) + 4.0 / 3 * bend_before;
    double low = max2(min2(min2(f2, f3), middle), min2(min2(f2, upper), large));
    double high = min2(max2(max2(f2, f3), middle), max2(max2(f2, upper), large));
    return min2(max2(face, low), high);
}

// Flux of the concentration through face m, m/s. s: stride along the axis; U: m/s, velocity through
// the face times its open fraction.
FM_INLINE double find_flux(const double *restrict c, ptrdiff_t m, ptrdiff_t s, double U)
{
    bool forth = U > 0;
    double f0 = forth ? c[m - 3 * s] : c[m + 2 * s], f1 = forth ? c[m - 2 * s] : c[m + s];
    double f2 = forth ? c[m - s] : c[m], f3 = forth ? c[m] : c[m - s];
    return U * interpolate(f0, f1, f2, f3, forth ? c[m + s] : c[m - 2 * s]);
}

// Rate of the concentration in a row of cells, 1/s, without fading.
FM_SIMD_CLONES static void compute_rate_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    (void)context;
    const double *restrict c = g->dye.c;
    double *restrict rate = g->dye.rate, scale = 1 / g->h;
    double spread = g->def.dye.diffusivity * scale * scale;
    for (int i = 0; i < length; i++)
        rate[q + i] = 0;
    for (int a = 0; a < 3; a++) {
        ptrdiff_t s = g->stride[a];
        const double *restrict u = g->u[a];
        const float *restrict open = g->open[a];
        if (!g->active[a])
            continue;
#pragma omp simd
        for (int i = 0; i < length; i++) {
            ptrdiff_t m = q + i;
            double A = open[m], B = open[m + s], U = A * u[m], V = B * u[m + s];
            double net = find_flux(c, m, s, U) - find_flux(c, m + s, s, V);
            rate[m] += scale * (net - c[m] * (U - V)) +
                       spread * (A * (c[m - s] - c[m]) + B * (c[m + s] - c[m]));
        }
    }
}

// c = share (keep old + (1 - keep) (c + dt rate)).
typedef struct combined {
    double keep, dt, share;
} combined;

FM_SIMD_CLONES static void combine_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const combined *job = context;
    double *restrict c = g->dye.c;
    const double *restrict old = g->dye.old, *restrict rate = g->dye.rate;
#pragma omp simd
    for (int i = 0; i < length; i++)
        c[q + i] = job->share *
                   (job->keep * old[q + i] + (1 - job->keep) * (c[q + i] + job->dt * rate[q + i]));
}

// Advances the concentration by dt seconds.
void fm_grid_move_dye(fm_grid *g, double dt, fm_pool *pool)
{
    static const double keep[3] = {0, 0.75, 1.0 / 3};
    double left = g->def.dye.fading > 0 ? exp(-dt / g->def.dye.fading) : 1;
    memcpy(g->dye.old, g->dye.c, g->count * sizeof *g->dye.c);
    for (int stage = 0; stage < 3; stage++) {
        fill_layers(g, g->dye.c);
        fm_grid_for_rows(g, pool, 3, 15, compute_rate_row, NULL);
        fm_grid_for_rows(g, pool, 3, 1, combine_row,
                         &(combined){keep[stage], dt, stage == 2 ? left : 1});
    }
    fill_layers(g, g->dye.c);
}

// The lift of the dye on the faces of one component.
typedef struct lifted {
    double *rate;
    double lift; // m/s^2 of c = 1
    ptrdiff_t s; // stride along the component
} lifted;

FM_SIMD_CLONES static void add_lift_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const lifted *job = context;
    const double *restrict c = g->dye.c;
    double *restrict rate = job->rate, lift = 0.5 * job->lift;
#pragma omp simd
    for (int i = 0; i < length; i++)
        rate[q + i] += lift * (c[q + i] + c[q + i - job->s]);
}

// Adds the lift of the dye to the rate of the velocity, m/s^2.
void fm_grid_add_lift(fm_grid *g, double *rate[3], fm_vec3 gravity, fm_pool *pool)
{
    double part[3] = {gravity.x, gravity.y, gravity.z};
    if (!g->def.dye.on || g->def.dye.buoyancy == 0)
        return;
    for (int d = 0; d < 3; d++)
        if (g->active[d] && part[d] != 0)
            fm_grid_for_rows(g, pool, d, 1, add_lift_row,
                             &(lifted){rate[d], -g->def.dye.buoyancy * part[d], g->stride[d]});
}

// Largest magnitude of the concentration in a row of cells.
static double find_most_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    (void)context;
    double most = 0;
    for (int i = 0; i < length; i++)
        most = max2(most, fabs(g->dye.c[q + i]));
    return most;
}

double fm_grid_most_lift(fm_grid *g, fm_vec3 gravity, fm_pool *pool)
{
    if (!g->def.dye.on || g->def.dye.buoyancy == 0)
        return 0;
    return fabs(g->def.dye.buoyancy) * fm_length(gravity) *
           fm_grid_max_rows(g, pool, 1, find_most_row, NULL);
}

static double add_dye_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    (void)context;
    double total = 0;
    for (int i = 0; i < length; i++)
        total += g->dye.c[q + i];
    return total;
}

double fm_grid_total_dye(fm_grid *g, fm_pool *pool)
{
    return g->def.dye.on ? g->h * g->h * g->h * fm_grid_sum_rows(g, pool, 1, add_dye_row, NULL) : 0;
}

// Samples an initial concentration at the centres of the cells.
bool fm_grid_set_dye(fm_grid *g, fm_grid_dye_field *field, void *context, fm_error *err)
{
    if (err->status != FM_OK)
        return false;
    if (!g->def.dye.on)
        return fm_fail(err, FM_BAD_VALUE, g->object.name, "dye", "off", "on: def.dye.on");
    for (int k = 0; k < g->n[2]; k++)
        for (int j = 0; j < g->n[1]; j++)
            for (int i = 0; i < g->n[0]; i++) {
                double c = field(context, fm_grid_centre(g, i, j, k, 3));
                if (!isfinite(c))
                    return fm_fail_number(err, g->object.name, "dye", c, "finite numbers");
                g->dye.c[fm_grid_index(g, i, j, k)] = c;
            }
    return true;
}

// Smooth step from 1 inside (distance < 0) to 0 outside, one and a half cells wide.
static double find_share(const fm_grid *g, double distance)
{
    double s = 0.5 - distance / (1.5 * g->h);
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    return s * s * (3 - 2 * s);
}

// An initial concentration and the grid on which it is sampled.
typedef struct started {
    const fm_grid *g;
    const fm_grid_dye_start *start;
} started;

// Concentration of a named initial shape at a point, 0 to 1.
static double find_concentration(void *context, fm_vec3 at)
{
    const started *job = context;
    const fm_grid *g = job->g;
    const fm_grid_dye_start *start = job->start;
    fm_vec3 from = fm_sub(at, start->centre);
    double length = fm_length(start->size), r;
    if (!g->active[2])
        from.z = 0;
    fm_vec3 beyond = {fabs(from.x) - start->size.x, fabs(from.y) - start->size.y,
                      g->active[2] ? fabs(from.z) - start->size.z : -g->h};
    switch (start->kind) {
    case FM_GRID_DYE_BALL:
        return find_share(g, fm_length(from) - start->size.x);
    case FM_GRID_DYE_BOX:
        r = fm_double_max(beyond.x, fm_double_max(beyond.y, beyond.z));
        return find_share(g, r);
    case FM_GRID_DYE_STRIPES:
        return length > 0 && sin(FM_PI * fm_dot(from, start->size) / (length * length)) > 0;
    default:
        return 0;
    }
}

bool fm_grid_start_dye(fm_grid *g, const fm_grid_dye_start *start, fm_error *err)
{
    return fm_grid_set_dye(g, find_concentration, &(started){g, start}, err);
}
