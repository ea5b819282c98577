// SPDX-License-Identifier: MIT
// liquid.h: the state of a liquid with a free surface, and the parts of its substep.
//
// The liquid has a grid fluid (grid.h) without a step of its own for the box of cells: faces with
// velocities, open fractions, sides and the pressure solver. Particles carry the velocity between
// substeps. Positions of particles are in spacings from the low corner of the grid, so that
// particle p is in cell floor(x). phi is the signed distance to the surface at the centres of
// cells, in spacings, negative in the liquid, with the layout of the grid's arrays.
#ifndef FATHOM_GRID_LIQUID_H
#define FATHOM_GRID_LIQUID_H

#include "core/simd.h"
#include "grid/grid.h"

#include <fathom/liquid.h>

// Distances beyond this are not computed, spacings: the surface moves by up to the largest Courant
// number in a substep, and its neighbours must be known then.
#define FM_LIQUID_BAND 6.0

enum {
    FM_LIQUID_BLOCK = 512, // particles of a task
    FM_LIQUID_SOURCES_MAX = 64,
    FM_LIQUID_SINKS_MAX = 64,
};

// Particles in arrays, sorted by cell since the last sort.
typedef struct fm_liquid_particles {
    double *x[3];    // spacings from the low corner of the grid; 0.5 along an inactive axis
    double *v[3];    // m/s
    float *c[9];     // 1/s, derivatives of the velocity: c[3 a + b] = d v_a / d x_b
    double *volume;  // m^3
    int *id;         // number in the order of creation
    int count, room; // particles, and how many the arrays can hold
} fm_liquid_particles;

typedef struct fm_liquid_source {
    fm_fluid_source def; // the direction is a unit vector
    double next;         // s, time at which the next layer of particles is due
} fm_liquid_source;

// A sample of a body.
typedef struct fm_sample_number {
    int body, sample; // grid->samples[body], and its index there
} fm_sample_number;

// The samples of bodies by cell.
typedef struct fm_sample_list {
    unsigned char *near;    // [cells] 1: a sample is within `reach`; NULL: no bodies
    int *start;             // [cells + 1] first of `item` in a cell
    fm_sample_number *item; // [room]
    int room;
    double reach;           // spacings, of the largest patch and its motion in the substep
    double start_time, end; // s, of the substep
} fm_sample_list;

// Balls with a mass: their fluxes into the cells of the pressure solver.
typedef struct fm_liquid_balls {
    fm_flux_entry *entries;
    fm_flux_vector *vectors; // [count]
    int count, room, face_room;
} fm_liquid_balls;

// The parts of a liquid with and without particles (liquid_band.c).
typedef struct fm_liquid_band {
    unsigned char *layer; // [grid count] 1: core, without particles; n > 1: n - 1 cells from it; 0:
                          // farther. NULL: there are particles everywhere
    unsigned char *marks; // [grid count] why a cell always has particles
    unsigned char *next;  // [grid count] scratch
    int cells;            // of the core
    double volume;        // m^3, of the liquid without particles
    double time;          // s, for which the velocity of the core must still be moved
    fm_rng rng;           // places of new particles
    int *spare;           // [room] numbers of removed particles, for new ones
    int spare_count;
} fm_liquid_band;

struct fm_liquid {
    fm_object object;
    fm_liquid_def def;
    fm_arena arena;
    fm_grid *grid;         // not an object of the world
    double spacing_volume; // m^3, of a cell

    // State.
    fm_liquid_particles now;
    double *phi; // spacings
    int next_id;
    fm_liquid_source sources[FM_LIQUID_SOURCES_MAX];
    int source_count;
    fm_fluid_sink sinks[FM_LIQUID_SINKS_MAX];
    int sink_count;
    bool prepared; // the first substep has begun
    fm_liquid_band band;

    // Scratch.
    double dt, way;            // of this substep: s; spacings, of the fastest particle
    fm_liquid_particles other; // target of the sort
    int *cell, *from;          // [room] cell of a particle; its place before the sort
    int *start;                // [cells + 1] first particle of a cell
    fm_sample_number *hit;     // [room] patch that a particle of spray has met; body -1: none
    double *depth;             // [room] phi at the particles, when they bound the surface
    double *phi_new;           // [grid count]
    double *open_volume;       // [grid count] part of a cell outside the colliders, 0 to 1
    double *curvature;         // [grid count] 1/m, of the surface; NULL: no surface tension
    double *added;             // [grid count] m/s, spacing x divergence from sources
    double *density;           // [grid count] of the particles, 1 inside the liquid
    double *filled;            // [grid count] volume of liquid, relative to the cell
    double *shift[3];          // [grid count] spacings, by which particles even out their density
    unsigned char *known[3], *next_known[3]; // [grid count] layers of extended velocities; 0: none
    double *partial;                         // [blocks] sums
    double *solve[4][3];                     // viscosity: vectors of the solver
    float *fraction[7];                      // viscosity: liquid parts of cells, edges and faces
    fm_sample_list samples;                  // of sheets that nothing passes
    fm_liquid_balls balls;
    double interval_start; // s
    fm_vec3 *points;       // m, for readers
    int points_room;
    fm_liquid_stats stats;
};

extern const fm_object_type fm_liquid_type;

// liquid_balls.c
// Makes space for all balls with a mass. False if memory runs out.
bool fm_liquid_reserve_balls(fm_liquid *l, const fm_surroundings *around, fm_error *err);
void fm_liquid_free_balls(fm_liquid *l);
// The parts of a substep of dt s: before the right side of the pressure solver is written, and
// after the solution is known.
void fm_liquid_add_balls(fm_liquid *l, const fm_surroundings *around, double dt);
void fm_liquid_push_balls(fm_liquid *l, const fm_surroundings *around);
// Closed part of a face that a collider cuts, as the pressure equation has it.
double fm_liquid_find_closed(const fm_solid_face *f);

// liquid.c: creation and filling.
fm_liquid *fm_liquid_create_detached(const fm_liquid_def *def, fm_error *err);
void fm_liquid_destroy(fm_liquid *l);
// Enlarges the arrays to hold `room` particles. False if memory runs out.
bool fm_liquid_reserve(fm_liquid *l, int room, fm_error *err);
// Adds a particle at x, spacings, with the velocity v, m/s, and the volume, m^3. False if x is
// outside the grid or the arrays are full.
bool fm_liquid_add_particle(fm_liquid *l, const double x[3], fm_vec3 v, double volume);

// The eight values of an array around a point, for linear interpolation.
typedef struct fm_liquid_place {
    ptrdiff_t q;     // index of the lowest of them
    double share[3]; // 0 to 1, weight of the higher values along each axis
} fm_liquid_place;
// Finds the values around x, spacings. component: 0 to 2: values on the faces of that axis; 3: at
// the centres of cells.
FM_INLINE fm_liquid_place fm_liquid_find_place(const fm_grid *g, const double x[3], int component)
{
    fm_liquid_place p = {.q = g->start};
    for (int b = 0; b < 3; b++) {
        if (!g->active[b]) {
            p.share[b] = 0;
            continue;
        }
        double s = x[b] - (b == component ? 0 : 0.5); // at least -0.5
        ptrdiff_t i = (ptrdiff_t)(int)(s + 1) - 1;    // floor(s)
        p.share[b] = s - (double)i;
        p.q += i * g->stride[b];
    }
    return p;
}
// Linear interpolation of an array at x, spacings. component: as for fm_liquid_find_place.
FM_INLINE double fm_liquid_interpolate(const fm_grid *g, const double *values, const double x[3],
                                       int component)
{
    fm_liquid_place p = fm_liquid_find_place(g, x, component);
    const double *u = values + p.q;
    ptrdiff_t sy = g->stride[1], sz = g->stride[2];
    double fx = p.share[0], fy = p.share[1], fz = p.share[2];
    double low =
        (1 - fy) * ((1 - fx) * u[0] + fx * u[1]) + fy * ((1 - fx) * u[sy] + fx * u[sy + 1]);
    u += sz;
    return (1 - fz) * low + fz * ((1 - fy) * ((1 - fx) * u[0] + fx * u[1]) +
                                  fy * ((1 - fx) * u[sy] + fx * u[sy + 1]));
}

// Moves a point to the nearest one inside the grid.
FM_INLINE void fm_liquid_clamp_inside(const fm_grid *g, double x[3])
{
    for (int a = 0; a < 3; a++)
        x[a] = fm_double_min(g->n[a], fm_double_max(0, x[a]));
}

// Cubic interpolation of an array at x, spacings. component: as for fm_liquid_find_place.
FM_INLINE double fm_liquid_interpolate_cubic(const fm_grid *g, const double *values,
                                             const double x[3], int component)
{
    fm_liquid_place p = fm_liquid_find_place(g, x, component);
    double w[3][4], total = 0;
    for (int a = 0; a < 3; a++)
        fm_grid_find_cubic_weights(p.share[a], w[a]);
    int first = g->active[2] ? -1 : 0, last = g->active[2] ? 2 : 0;
    for (int k = first; k <= last; k++)
        for (int j = -1; j <= 2; j++) {
            const double *f = values + p.q + j * g->stride[1] + k * g->stride[2];
            double row = w[0][0] * f[-1] + w[0][1] * f[0] + w[0][2] * f[1] + w[0][3] * f[2];
            total += (g->active[2] ? w[2][k + 1] : 1) * w[1][j + 1] * row;
        }
    return total;
}

// Follows the flow back from x, spacings, for dt seconds by the midpoint rule, in parts of about a
// spacing.
FM_INLINE void fm_liquid_follow_back(const fm_grid *g, double x[3], double dt)
{
    double v[3]; // spacings per second
    enum { PARTS_MAX = 8 };
    for (int a = 0; a < 3; a++)
        v[a] = g->active[a] ? fm_liquid_interpolate(g, g->u[a], x, a) / g->h : 0;
    double way = dt * sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); // spacings
    int parts = way > 1 ? (int)fm_double_min(way, PARTS_MAX - 1) + 1 : 1;
    for (int n = 0; n < parts; n++) {
        double y[3];
        for (int a = 0; a < 3 && n > 0; a++)
            v[a] = g->active[a] ? fm_liquid_interpolate(g, g->u[a], x, a) / g->h : 0;
        for (int a = 0; a < 3; a++)
            y[a] = x[a] - 0.5 * dt / parts * v[a];
        fm_liquid_clamp_inside(g, y);
        for (int a = 0; a < 3; a++)
            v[a] = g->active[a] ? fm_liquid_interpolate(g, g->u[a], y, a) / g->h : 0;
        for (int a = 0; a < 3; a++)
            x[a] -= dt / parts * v[a];
        fm_liquid_clamp_inside(g, x);
    }
}

// liquid_band.c: particles only in a band below the surface. Without a band (def.band 0) these do
// nothing.
void fm_liquid_allocate_band(fm_liquid *l, fm_error *err);
void fm_liquid_prepare_band(fm_liquid *l); // once, when sources, sinks and sides are known
// Before the particles give the faces their velocities: moves those of the core to grid->old.
void fm_liquid_carry_core(fm_liquid *l, fm_pool *pool);
void fm_liquid_add_core(fm_liquid *l, fm_pool *pool); // after that: adds them
// After particles and surface have moved for dt seconds: updates core and band.
void fm_liquid_update_band(fm_liquid *l, const fm_surroundings *around, double dt);
double fm_liquid_fastest_core(fm_liquid *l, fm_pool *pool); // m/s
// The liquid without particles.
typedef struct fm_liquid_core {
    double volume;    // m^3
    double room;      // m^3, of the cells
    double square;    // m^2/s^2, mean square of the velocity
    fm_vec3 velocity; // m/s, mean
    fm_vec3 centre;   // m
} fm_liquid_core;
void fm_liquid_measure_core(const fm_liquid *l, fm_liquid_core *core);
// Whether cell q belongs to the core, or one of its neighbours does.
bool fm_liquid_is_beside_core(const fm_liquid *l, ptrdiff_t q);
// Points of a lattice that stands for the core, as many per cell as there are particles elsewhere.
int fm_liquid_find_core_points(const fm_liquid *l);
typedef void fm_liquid_visit(const fm_liquid *l, const double x[3], int number, void *context);
void fm_liquid_visit_core(const fm_liquid *l, fm_liquid_visit *visit, void *context);
// Writes the state of the band, unless out is NULL; returns its size in bytes. Reads it.
size_t fm_liquid_save_band(const fm_liquid *l, unsigned char *out);
bool fm_liquid_restore_band(fm_liquid *l, const unsigned char *in, size_t size, fm_error *err);

// liquid_sort.c
// Lists the particles of each cell: l->from[l->start[c]] to l->from[l->start[c + 1] - 1].
void fm_liquid_list_cells(fm_liquid *l, fm_pool *pool);
void fm_liquid_reorder(fm_liquid *l, fm_pool *pool); // puts the particles in the order of the list
void fm_liquid_sort(fm_liquid *l, fm_pool *pool);    // lists, then reorders
// Removes the particles beyond open sides and in sinks.
void fm_liquid_remove_outside(fm_liquid *l, fm_pool *pool);

// Copies particle `from` to the place `to`.
void fm_liquid_copy_particle(fm_liquid_particles *p, int to, int from);

// liquid_particles.c
// Velocity, m/s, at x, spacings. Particle i gets its derivatives.
fm_vec3 fm_liquid_read_velocity(fm_liquid *l, int i, const double x[3]);
// Computes the velocities of faces from those of the particles. Faces without particles around them
// have the weight 0 in grid->rate.
void fm_liquid_gather_velocity(fm_liquid *l, fm_pool *pool);
// Transfers the velocities of faces back to the particles, and moves these for dt seconds.
void fm_liquid_move_particles(fm_liquid *l, const fm_surroundings *around, double dt);
// Moves particle i by `way`, spacings, inside the sides and outside colliders.
void fm_liquid_shift_particle(fm_liquid *l, const fm_surroundings *around, int i, fm_vec3 way);
// Largest speed of a particle, m/s; loose particles do not count.
double fm_liquid_fastest(fm_liquid *l, fm_pool *pool);
void fm_liquid_emit(fm_liquid *l, double dt); // adds the particles of sources in dt seconds

// liquid_crowding.c: moves particles apart in cells that have too many of them, in at most `passes`
// iterations, and sorts all.
void fm_liquid_spread_crowded(fm_liquid *l, const fm_surroundings *around, int passes);

// liquid_surface.c
// Writes phi outside the grid: that of the nearest cell.
void fm_liquid_fill_phi(fm_liquid *l, double *phi);
// Moves the surface with the flow for dt seconds.
void fm_liquid_move_surface(fm_liquid *l, double dt, fm_pool *pool);
void fm_liquid_shift_surface(fm_liquid *l, double distance); // outwards, spacings
// Corrects phi by the particles, removes the liquid in sinks, and continues it into colliders. up:
// unit vector against gravity, or 0.
void fm_liquid_bound_surface(fm_liquid *l, fm_vec3 up, fm_pool *pool);
// Makes phi the signed distance to the surface within the band.
void fm_liquid_redistance(fm_liquid *l, fm_pool *pool);
// Volumes of a liquid, m^3. The level set resolves liquid that is at least a cell thick; thinner
// sheets, drops and spray are loose particles.
typedef struct fm_liquid_volumes {
    double surface;   // inside the surface, where the level set resolves it
    double particles; // of the particles there
    double loose;     // of all other particles
    double area;      // m^2, of the surface that the level set resolves
} fm_liquid_volumes;
fm_liquid_volumes fm_liquid_find_volumes(fm_liquid *l, fm_pool *pool);
// Volume of liquid in cell q, relative to the whole cell. at: its indices.
double fm_liquid_find_filled(const fm_liquid *l, ptrdiff_t q, const int at[3]);
// Computes the fraction of each cell's volume that is outside the colliders.
void fm_liquid_compute_open_volume(fm_liquid *l);
// Published method: phi = -0.5 in cells with particles, 0.5 in those without.
void fm_liquid_mark_cells(fm_liquid *l);

// liquid_pressure.c: the pressure of a substep of dt seconds, which makes the divergence of the
// liquid equal to `source`, 1/s, with the bodies in it. last: of the coupling interval.
void fm_liquid_project(fm_liquid *l, const fm_surroundings *around, double dt, double source,
                       bool last);

// Index in the solver of the first cell of the row at q. at: receives its indices, with at[0] = 0.
ptrdiff_t fm_liquid_find_solver_row(const fm_grid *g, ptrdiff_t q, int at[3]);

// liquid_density.c: computes l->shift, the ways of particles that make their density even, with the
// matrix that the pressure has left in the solver.
void fm_liquid_even_density(fm_liquid *l, fm_pool *pool);

// liquid_sheets.c
// Puts the samples of a body into the liquid.
bool fm_liquid_attach_samples(fm_liquid *l, fm_samples *samples, fm_vec3 gravity, fm_error *err);
void fm_liquid_list_samples(fm_liquid *l, double dt); // before particles move, for dt seconds
// Puts a particle that went from `from` to x, spacings, back before the sheet that it crossed.
// moving: the sheets move at the same time. Returns the patch that it met; body -1: none.
fm_sample_number fm_liquid_stop_at_sheets(const fm_liquid *l, const double from[3], double x[3],
                                          bool moving);
void fm_liquid_strike_sheets(fm_liquid *l); // spray that has met sheets collides with them

// liquid_tension.c
// Computes the curvature of all cells beside the surface, if the liquid has surface tension.
void fm_liquid_compute_curvature(fm_liquid *l, fm_pool *pool);
// psi on the surface between the liquid cell q and its neighbour at q + step, m/s.
double fm_liquid_find_surface_psi(const fm_liquid *l, ptrdiff_t q, ptrdiff_t step, double dt);
// Longest substep that is stable with surface tension, s.
double fm_liquid_find_tension_step(const fm_liquid *l);

// liquid_extend.c: velocities outside the liquid, in `layers` layers of faces. Known are those of
// faces near particles, or those of faces of liquid cells.
typedef enum fm_liquid_extent { FM_LIQUID_FROM_PARTICLES, FM_LIQUID_FROM_LIQUID } fm_liquid_extent;
void fm_liquid_extend(fm_liquid *l, fm_liquid_extent from, int layers, fm_pool *pool);

// liquid_viscosity.c: applies the viscosity of dt seconds to the velocities of the faces.
void fm_liquid_diffuse(fm_liquid *l, double dt, fm_pool *pool);

// liquid_step.c
// Before each advance: updates the colliders; the first call also prepares memory and phi.
bool fm_liquid_prepare(fm_liquid *l, const fm_surroundings *around, fm_error *err);
double fm_liquid_find_step(fm_liquid *l, const fm_surroundings *around); // s, longest stable one
// Advances by `interval` seconds. *substeps: increased by the number of substeps.
bool fm_liquid_advance(fm_liquid *l, const fm_surroundings *around, double interval, int *substeps,
                       fm_error *err);
// Writes velocities and pressures outside the grid, so that readers can interpolate at its border.
// force: m/s^2.
void fm_liquid_fill_for_readers(fm_liquid *l, fm_vec3 force, fm_pool *pool);

// Whether the surface is between cell q and one of its neighbours: phi changes its sign.
static inline bool fm_liquid_is_at_surface(const fm_grid *g, const double *phi, ptrdiff_t q)
{
    for (int a = 0; a < 3; a++)
        if (g->active[a] && ((phi[q] < 0) != (phi[q - g->stride[a]] < 0) ||
                             (phi[q] < 0) != (phi[q + g->stride[a]] < 0)))
            return true;
    return false;
}

// Whether bodies are in the liquid. Their exchange of momentum and their loads were found with a
// slope of phi that is not corrected, a nearest surface of 0.02 spacings and velocities that are
// extrapolated along their own axis only; with bodies these are kept.
static inline bool fm_liquid_has_bodies(const fm_liquid *l)
{
    return l->grid->samples_count > 0;
}

// Whether cell q has liquid at its centre and is not closed by colliders.
static inline bool fm_liquid_is_wet(const fm_liquid *l, ptrdiff_t q)
{
    return l->phi[q] < 0 && l->open_volume[q] > 0;
}

#endif
