// SPDX-License-Identifier: MIT
// particles.c: creation of fluids from checked definitions, filling with boxes of particles, and
// preparation for the first step.
#include "particles/particles.h"
#include "particles/sheet_pressure.h"
#include "particles/surface_reference.h"

#include <assert.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTICLES_MAX = 100000000 }; // particles of one fluid

// Capacity of a fluid with sources, if the definition gives none: this many times the initial
// number of particles, and at least SOURCE_CAPACITY_MIN.
enum { SOURCE_CAPACITY_FACTOR = 4, SOURCE_CAPACITY_MIN = 50000 };

// m/s, the largest flow speed expected is taken as at least this.
static const double SPEED_MIN = 1e-3;

// The motion of a tank is sampled at the start of this many equal parts of MOTION_DURATION.
enum { MOTION_SAMPLES = 64 };
static const double MOTION_DURATION = 10; // s

// Stored neighbours per particle, relative to the rest lattice.
static const double LIST_MARGIN = 1.15;
// Strain of the lattice from which row_stretch is found.
static const double STRAIN = 0.02;

// Water in a box of 1 m, in 3D, with the weakly compressible method. Units: <fathom/particles.h>.
fm_particles_def fm_default_particles_def(void)
{
    return (fm_particles_def){
        .dimensions = 3,
        .domain = {.high = {1, 1, 1}},
        .spacing = 0.02,
        .density = 1000,
        .viscosity = 1.0e-3,
        .fractional = {.order = 1,
                       .memory = {.kind = FM_RECALL_FADING,
                                  .steps = 10,
                                  .seconds = 1,
                                  .fading = 1,
                                  .tolerance = 1e-3,
                                  .horizon = 100}},
        .network = {.relaxation = 0.1,
                    .stiffening = 10,
                    .order = 0.5,
                    .memory = {.kind = FM_RECALL_FADING,
                               .steps = 10,
                               .seconds = 1,
                               .fading = 1,
                               .tolerance = 1e-2,
                               .horizon = 100}},
        .stiffness = 100,
        .artificial_viscosity = 0.1,
        .diffusion = 0.3,
        .shifting = 1,
        .tolerance = 1e-3,
        .iterations = 100,
        .near_ratio = 2.5,
        .sticky = true,
        .courant = 0.25,
        .sound_ratio = 10,
        .list_time = 2e-3,
    };
}

// Fails unless low <= value <= high. field, allowed: texts for the error message.
static bool check_range(const fm_particles *p, const char *field, double value, double low,
                        double high, const char *allowed, fm_error *err)
{
    return (value >= low && value <= high) ||
           fm_fail_number(err, p->object.name, field, value, allowed);
}

// Checks the box that contains the fluid, and the types of its sides.
static bool check_domain(const fm_particles *p, fm_error *err)
{
    const fm_domain *d = &p->def.domain;
    fm_vec3 size = fm_sub(d->high, d->low);
    double smallest = fmin(size.x, size.y);
    if (p->def.dimensions == 3)
        smallest = fmin(smallest, size.z);
    if (!fm_is_finite(d->low) || !fm_is_finite(d->high))
        return fm_fail_vector(err, p->object.name, "domain.high", d->high, "finite numbers");
    if (!(smallest >= p->R))
        return fm_fail_vector(err, p->object.name, "domain.high", d->high,
                              "above domain.low by the support or more along every axis");
    for (int side = 0; side < FM_SIDE_COUNT; side++) {
        if ((unsigned)d->sides[side] > FM_SIDE_OPEN)
            return fm_fail_number(err, p->object.name, "domain.sides", d->sides[side],
                                  "wall, periodic or open");
        if (!fm_is_finite(d->slide[side]))
            return fm_fail_vector(err, p->object.name, "domain.slide", d->slide[side],
                                  "finite numbers");
    }
    for (int axis = 0; axis < p->def.dimensions; axis++) {
        bool below = d->sides[2 * axis] == FM_SIDE_PERIODIC;
        if (below != (d->sides[2 * axis + 1] == FM_SIDE_PERIODIC))
            return fm_fail(err, FM_BAD_VALUE, p->object.name, "domain.sides",
                           "periodic on one side", "periodic on both sides of an axis");
        if (below && p->def.method == FM_SPH_RELAXATION)
            return fm_fail(err, FM_BAD_VALUE, p->object.name, "domain.sides", "periodic",
                           "wall or open with the method relaxation");
    }
    return true;
}

// Lowest order q of a fractional derivative that is truncated to the last n steps. Below it, the
// truncated derivative adds energy to oscillations instead of damping them; see docs/cloth.md.
static const double LOWEST_WINDOW_ORDER = 0.31;

// Checks the settings of fractional viscosity.
static bool check_fractional(const fm_particles *p, fm_error *err)
{
    const fm_fractional *f = &p->def.fractional;
    const fm_recall *m = &f->memory;
    if (!(f->order > 0 && f->order <= 1))
        return fm_fail_number(err, p->object.name, "fractional.order", f->order,
                              "above 0 and at most 1, which is no memory");
    if ((unsigned)m->kind > FM_RECALL_FADING || m->kind == FM_RECALL_SECONDS)
        return fm_fail_number(err, p->object.name, "fractional.memory", m->kind,
                              "steps, fading or full");
    bool steps = m->kind == FM_RECALL_STEPS;
    if (steps && m->rule != FM_RULE_TRAPEZOID)
        return fm_fail(err, FM_BAD_VALUE, p->object.name, "fractional.memory.rule", "coimbra",
                       "trapezoid");
    if (steps && f->order < LOWEST_WINDOW_ORDER && !m->unsafe)
        return fm_fail(err, FM_BAD_VALUE, p->object.name, "fractional.memory",
                       "a window of an order below 0.31",
                       "full or fading: such a window feeds energy in (or unsafe, for study)");
    return (!steps ||
            check_range(p, "fractional.memory.steps", m->steps, 1, 1000, "1 to 1000", err)) &&
           check_range(p, "fractional.memory.fading", m->fading, 1e-6, 1e6, "1e-6 to 1e6 s", err) &&
           check_range(p, "fractional.memory.tolerance", m->tolerance, 1e-11, 0.099,
                       "1e-11 to 0.099", err) &&
           check_range(p, "fractional.memory.horizon", m->horizon, 1e-6, 1e9, "1e-6 to 1e9 s",
                       err) &&
           check_range(p, "fractional.time", f->time, 0, 1e6, "0 (chosen) to 1e6 s", err) &&
           check_range(p, "fractional.above", f->above, 0, 1e9, "0 (everywhere) to 1e9 1/s", err);
}

// Checks the settings of the network of springs, and turns off particle shifting with it.
static bool check_network(fm_particles *p, fm_error *err)
{
    const fm_spring_network *n = &p->def.network;
    const fm_recall *m = &n->memory;
    if (!check_range(p, "network.viscosity", n->viscosity, 0, 1e6, "0 (none) to 1e6 Pa s", err))
        return false;
    if (n->viscosity == 0)
        return true;
    p->def.shifting = 0; // would stretch springs and so add energy: a hardened pool jumps
    if (p->def.support < 2)
        return fm_fail_number(err, p->object.name, "support", p->def.support,
                              "2 to 6 spacings in a fluid with springs");
    if ((unsigned)n->rate > FM_HARDENING_DISPLACEMENT)
        return fm_fail_number(err, p->object.name, "network.rate", n->rate,
                              "length, speed or displacement");
    const bool window = m->kind == FM_RECALL_STEPS || m->kind == FM_RECALL_SECONDS;
    if (window && n->rate == FM_HARDENING_LENGTH)
        return fm_fail(err, FM_BAD_VALUE, p->object.name, "network.memory", "steps or seconds",
                       "fading or full with the rate `length`: particles keep no past lengths");
    if (!window && n->rate == FM_HARDENING_DISPLACEMENT)
        return fm_fail(err, FM_BAD_VALUE, p->object.name, "network.memory", "fading or full",
                       "steps or seconds with the rate `displacement`");
    return check_range(p, "network.relaxation", n->relaxation, 1e-6, 1e6, "1e-6 to 1e6 s", err) &&
           check_range(p, "network.yield", n->yield, 0, 0.9, "0 to 0.9", err) &&
           check_range(p, "network.onset", n->onset, 0, 1e6, "0 (no history) to 1e6 1/s", err) &&
           check_range(p, "network.threshold", n->threshold, 0, 1e6, "0 to 1e6 1/s", err) &&
           check_range(p, "network.stiffening", n->stiffening, 1, 1e6, "1 to 1e6", err) &&
           check_range(p, "network.order", n->order, 1e-3, 0.999, "0.001 to 0.999", err) &&
           check_range(p, "network.memory.fading", m->fading, 1e-6, 1e6, "1e-6 to 1e6 s", err) &&
           check_range(p, "network.memory.tolerance", m->tolerance, 1e-11, 0.099, "1e-11 to 0.099",
                       err) &&
           check_range(p, "network.memory.horizon", m->horizon, 1e-6, 1e9, "1e-6 to 1e9 s", err);
}

// Checks the definition of a fluid and chooses the support radius if it is not given.
static bool check_def(fm_particles *p, fm_error *err)
{
    fm_particles_def *d = &p->def;
    if (d->dimensions != 2 && d->dimensions != 3)
        return fm_fail_number(err, p->object.name, "dimensions", d->dimensions, "2 or 3");
    if ((unsigned)d->method > FM_SPH_RELAXATION)
        return fm_fail_number(
            err, p->object.name, "method", d->method,
            "weakly-compressible, constant-density, standard, automatic or relaxation");
    if ((unsigned)d->integrator > FM_SPH_LEAPFROG)
        return fm_fail_number(err, p->object.name, "integrator", d->integrator,
                              "euler or leapfrog");
    if (d->support == 0)
        d->support = d->dimensions == 2 ? 3 : 2;
    bool good =
        check_range(p, "spacing", d->spacing, 1e-6, 1e3, "1e-6 to 1e3 m", err) &&
        check_range(p, "support", d->support, 1.5, 6, "0 (chosen) or 1.5 to 6 spacings", err) &&
        check_range(p, "density", d->density, 1e-6, 1e6, "1e-6 to 1e6 kg/m^3", err) &&
        check_range(p, "viscosity", d->viscosity, 0, 1e6, "0 to 1e6 Pa s", err) &&
        check_range(p, "surface_tension", d->surface_tension, 0, 1e3, "0 to 1e3 N/m", err) &&
        check_range(p, "stiffness", d->stiffness, 1e-9, 1e12, "1e-9 to 1e12 m^2/s^2", err) &&
        check_range(p, "speed", d->speed, 0, 1e6, "0 (chosen) to 1e6 m/s", err) &&
        check_range(p, "artificial_viscosity", d->artificial_viscosity, 0, 1, "0 to 1", err) &&
        check_range(p, "diffusion", d->diffusion, 0, 1, "0 to 1", err) &&
        check_range(p, "shifting", d->shifting, 0, 4, "0 to 4", err) &&
        check_range(p, "tolerance", d->tolerance, 1e-6, 0.1, "1e-6 to 0.1", err) &&
        check_range(p, "iterations", d->iterations, 1, 10000, "1 to 10000", err) &&
        check_range(p, "near_ratio", d->near_ratio, 0, 100, "0 to 100", err) &&
        check_range(p, "quadratic_viscosity", d->quadratic_viscosity, 0, 1e6, "0 to 1e6 1/m",
                    err) &&
        check_range(p, "time_step", d->time_step, 0, 1e3, "0 (chosen) to 1e3 s", err) &&
        check_range(p, "courant", d->courant, 1e-3, 1, "0.001 to 1", err) &&
        check_range(p, "sound_ratio", d->sound_ratio, 1, 100, "1 to 100", err) &&
        check_range(p, "list_time", d->list_time, 0, 10, "0 to 10 s", err) &&
        check_range(p, "capacity", d->capacity, 0, PARTICLES_MAX, "0 to 1e8", err);
    if (!good)
        return false;
    bool published = d->method == FM_SPH_STANDARD || d->method == FM_SPH_RELAXATION;
    if (published && d->surface_tension > 0)
        return fm_fail_number(err, p->object.name, "surface_tension", d->surface_tension,
                              "0 with the methods standard and relaxation");
    p->R = d->support * d->spacing;
    p->volume = d->dimensions == 2 ? d->spacing * d->spacing : pow(d->spacing, 3);
    return check_fractional(p, err) && check_network(p, err) && check_domain(p, err);
}

// Creates a fluid that is not yet part of a world.
fm_particles *fm_particles_create_detached(const fm_particles_def *def, fm_error *err)
{
    assert(err->status != FM_OK || def);
    if (err->status != FM_OK)
        return NULL;
    fm_particles *p = fm_aligned_calloc(1, sizeof *p);
    if (!p) {
        fm_fail_no_memory(err, "fluid", sizeof *p);
        return NULL;
    }
    p->def = *def;
    snprintf(p->object.name, sizeof p->object.name, "%s",
             def->name && *def->name ? def->name : "fluid");
    p->def.name = p->object.name;
    fm_fluid_terms_register(p);
    if (!check_def(p, err)) {
        fm_particles_destroy(p);
        return NULL;
    }
    return p;
}

// Frees the arrays of a state.
static void destroy_state(fm_particle_state *state)
{
    free(state->x);
    free(state->y);
    free(state->z);
    free(state->vx);
    free(state->vy);
    free(state->vz);
    free(state->s);
    free(state->id);
}

// Frees a fluid and everything it owns.
void fm_particles_destroy(fm_particles *p)
{
    if (!p)
        return;
    destroy_state(&p->now);
    destroy_state(&p->spare);
    free(p->P);
    free(p->out_x);
    free(p->out_v);
    fm_fluid_terms_destroy(p);
    fm_arena_destroy(&p->arena);
    free(p);
}

// Moves `count` elements of `size` bytes to a new array of `capacity` elements. On failure the old
// array is returned and err is set.
static void *grow(void *old, size_t size, int count, int capacity, fm_error *err)
{
    const size_t padding = 8; // SIMD loops read past the end
    void *larger = fm_aligned_calloc((size_t)capacity + padding, size);
    if (!larger) {
        fm_fail_no_memory(err, "fluid", (size_t)capacity * size);
        return old;
    }
    if (count)
        memcpy(larger, old, (size_t)count * size);
    free(old);
    return larger;
}

// Reallocates the arrays of all quantities for `capacity` particles and keeps the first `count`.
bool fm_particle_state_grow(fm_particle_state *state, int count, int capacity, fm_error *err)
{
    state->x = grow(state->x, sizeof *state->x, count, capacity, err);
    state->y = grow(state->y, sizeof *state->y, count, capacity, err);
    state->z = grow(state->z, sizeof *state->z, count, capacity, err);
    state->vx = grow(state->vx, sizeof *state->vx, count, capacity, err);
    state->vy = grow(state->vy, sizeof *state->vy, count, capacity, err);
    state->vz = grow(state->vz, sizeof *state->vz, count, capacity, err);
    state->s = grow(state->s, sizeof *state->s, count, capacity, err);
    state->id = grow(state->id, sizeof *state->id, count, capacity, err);
    return err->status == FM_OK;
}

// Reallocates the state of a fluid for `capacity` particles.
static bool grow_state(fm_particles *p, int capacity, fm_error *err)
{
    p->P = grow(p->P, sizeof *p->P, p->count, capacity, err);
    return fm_particle_state_grow(&p->now, p->count, capacity, err);
}

// Appends a particle at x, m, with the velocity v, m/s.
void fm_particles_append(fm_particles *p, fm_vec3 x, fm_vec3 v)
{
    int i = p->count++;
    fm_particle_state *state = &p->now;
    state->x[i] = x.x;
    state->y[i] = x.y;
    state->z[i] = p->def.dimensions == 2 ? 0 : x.z;
    state->vx[i] = (float)v.x;
    state->vy[i] = (float)v.y;
    state->vz[i] = p->def.dimensions == 2 ? 0 : (float)v.z;
    state->s[i] = 0;
    state->id[i] = p->next_id++;
    p->P[i] = 0;
}

// Checks a box that is to be filled with particles.
static bool check_box(const fm_particles *p, const fm_fluid_box *box, fm_error *err)
{
    const fm_domain *d = &p->def.domain;
    bool flat = p->def.dimensions == 2;
    if (!(box->low.x < box->high.x && box->low.y < box->high.y &&
          (flat || box->low.z < box->high.z)))
        return fm_fail_vector(err, p->object.name, "box.high", box->high,
                              "above box.low along every axis");
    bool in = box->low.x >= d->low.x && box->low.y >= d->low.y && box->high.x <= d->high.x &&
              box->high.y <= d->high.y &&
              (flat || (box->low.z >= d->low.z && box->high.z <= d->high.z));
    if (!in)
        return fm_fail_vector(err, p->object.name, "box.high", box->high, "box inside the domain");
    if (!fm_is_finite(box->velocity))
        return fm_fail_vector(err, p->object.name, "box.velocity", box->velocity, "finite numbers");
    return (box->jitter >= 0 && box->jitter <= 0.5) ||
           fm_fail_number(err, p->object.name, "box.jitter", box->jitter, "0 to 0.5 spacings");
}

// Hydrostatic pressure / density of a point x in a box of fluid at rest, m^2/s^2.
static double find_rest_pressure(const fm_fluid_box *box, fm_vec3 g, fm_vec3 x, bool flat)
{
    double pressure = (g.x > 0 ? x.x - box->low.x : x.x - box->high.x) * g.x +
                      (g.y > 0 ? x.y - box->low.y : x.y - box->high.y) * g.y;
    return flat ? pressure : pressure + (g.z > 0 ? x.z - box->low.z : x.z - box->high.z) * g.z;
}

// Number of particles along an edge of a box, at least one. Lengths in m.
static int count_along_edge(double size, double spacing)
{
    return (int)fmax(1, round(size / spacing));
}

// Fills a box with a lattice of particles, except inside colliders.
bool fm_particles_fill_box(fm_particles *p, const fm_fluid_box *box, const fm_surroundings *around,
                           fm_error *err)
{
    if (err->status != FM_OK || !check_box(p, box, err))
        return false;
    if (p->prepared)
        return fm_fail(err, FM_BAD_VALUE, p->object.name, "box", "added later",
                       "before the first advance");
    bool flat = p->def.dimensions == 2;
    double dx = p->def.spacing;
    fm_vec3 size = fm_sub(box->high, box->low);
    int nx = count_along_edge(size.x, dx), ny = count_along_edge(size.y, dx),
        nz = flat ? 1 : count_along_edge(size.z, dx);
    fm_vec3 step = {size.x / nx, size.y / ny, flat ? 0 : size.z / nz};
    double total = (double)nx * ny * nz + p->count;
    if (total > PARTICLES_MAX || (p->def.capacity > 0 && total > p->def.capacity))
        return fm_fail_number(err, p->object.name, "particles", total,
                              "at most 1e8, and the capacity");
    if (!grow_state(p, (int)total, err))
        return false;
    fm_vec3 g = around->gravity;
    fm_vec3 lowest = {g.x > 0 ? box->high.x : box->low.x, g.y > 0 ? box->high.y : box->low.y,
                      g.z > 0 ? box->high.z : box->low.z};
    double bottom = find_rest_pressure(box, g, lowest, flat);
    fm_rng rng = {box->seed};
    for (int k = 0; k < nz; k++) {
        for (int j = 0; j < ny; j++) {
            for (int i = 0; i < nx; i++) {
                double r[3];
                for (int axis = 0; axis < 3; axis++)
                    r[axis] = box->jitter * dx * (2 * fm_rng_uniform(&rng) - 1);
                fm_vec3 x = {box->low.x + (i + 0.5) * step.x + r[0],
                             box->low.y + (j + 0.5) * step.y + r[1],
                             flat ? 0 : box->low.z + (k + 0.5) * step.z + r[2]};
                bool is_free = true;
                for (int c = 0; c < around->collider_count && is_free; c++)
                    is_free = fm_placed_find_contact(&around->placed[c], x).distance > dx / 2;
                if (is_free)
                    fm_particles_append(p, x, box->velocity);
                if (is_free && box->settled) {
                    p->P[p->count - 1] = (float)find_rest_pressure(box, around->gravity, x, flat);
                    p->now.s[p->count - 1] = (float)bottom; // until fm_particles_begin
                }
            }
        }
    }
    return true;
}

// Fill of a row of the lattice below a flat surface whose normal is y, times the kernel sum inside
// the lattice. row: 0 is the outermost; strain: by which the lattice is longer in y and shorter in
// x.
static double sum_row(const fm_particles *p, int row, double strain)
{
    const int reach = (int)ceil(p->def.support) + 1, depth = p->def.dimensions == 3 ? reach : 0;
    double sum = 0;
    for (int k = -depth; k <= depth; k++)
        for (int j = -reach; j <= row; j++)
            for (int i = -reach; i <= reach; i++) {
                const double x = i / (1 + strain), y = j * (1 + strain);
                const double q = sqrt(x * x + y * y + k * k) / p->def.support;
                sum += q < 1 ? fm_kernel_shape(FM_KERNEL_WENDLAND, q) : 0;
            }
    return sum;
}

// Chooses the scales W and F so that two sums over the rest lattice are exactly 1: the kernel sum,
// and the gradient of a linear field. Normalised kernels reach 1 only for many neighbours. The
// kernels of [MCG03] (spiky, laplacian) keep their analytic norm. self_fill: what a particle adds
// to the kernel sum at its own place.
static void scale_kernel(fm_particles *p)
{
    int d = p->def.dimensions, reach = (int)ceil(p->def.support);
    double R = p->R, dx = p->def.spacing, value = 0, slope = 0, missing[2] = {0}, deficit[2] = {0};
    fm_kernel kernel = p->def.method == FM_SPH_STANDARD ? FM_KERNEL_POLY6 : FM_KERNEL_WENDLAND;
    for (int k = d == 3 ? -reach : 0; k <= (d == 3 ? reach : 0); k++) {
        for (int j = -reach; j <= reach; j++) {
            for (int i = -reach; i <= reach; i++) {
                double q = sqrt((double)(i * i + j * j + k * k)) * dx / R;
                if (q >= 1)
                    continue;
                value += fm_kernel_shape(kernel, q);
                missing[0] += j > 0 ? fm_kernel_shape(kernel, q) : 0;
                missing[1] += j > 1 ? fm_kernel_shape(kernel, q) : 0;
                for (int row = 0; row < 2; row++)
                    deficit[row] -= j > row ? fm_kernel_slope(FM_KERNEL_WENDLAND, q) * j * dx : 0;
                slope -= fm_kernel_slope(FM_KERNEL_WENDLAND, q) * i * dx * i * dx;
            }
        }
    }
    p->W = (float)(1 / (value * p->volume));
    p->F = (float)(1 / (slope * p->volume));
    for (int row = 0; row < 2; row++) {
        p->row_fill[row] = (float)(1 - missing[row] / value);
        p->row_slope[row] = (float)(deficit[row] / slope);
        p->row_stretch[row] =
            (float)((sum_row(p, row, STRAIN) - sum_row(p, row, -STRAIN)) / (2 * STRAIN * value));
    }
    bool solves = p->def.method == FM_SPH_CONSTANT_DENSITY;
    p->surface_fill = solves ? (p->row_fill[0] + p->row_fill[1]) / 2 : FM_SURFACE_FILL;
    p->spiky = (float)(fm_kernel_norm(FM_KERNEL_SPIKY, d) / pow(R, d + 2));
    p->laplacian = (float)(fm_kernel_norm(FM_KERNEL_VISCOSITY, d) / pow(R, d + 2));
    p->self_fill = (float)(p->volume * p->W);
}

// Largest flow speed to expect from the motion of the tank, m/s: the speed of the tank, or the
// speed that the pressure difference across it, caused by its acceleration, can produce. Samples
// the first MOTION_DURATION seconds of the motion.
static double find_domain_speed(const fm_particles *p)
{
    const double apart = 0.05; // s, time for the difference of velocities; shorter jerks only
                               // cause sound waves
    const fm_vec3 size = fm_sub(p->def.domain.high, p->def.domain.low);
    double fastest = 0;
    for (int k = 0; k <= MOTION_SAMPLES && p->def.domain.motion; k++) {
        fm_vec3 now, later;
        double t = MOTION_DURATION * k / MOTION_SAMPLES;
        fm_particles_domain_offset(p, t, &now);
        fm_particles_domain_offset(p, t + apart, &later);
        fm_vec3 a = fm_scale(fm_sub(later, now), 1 / apart);
        // m^2/s^2, pressure difference across the tank / density
        double difference = fabs(a.x) * size.x + fabs(a.y) * size.y;
        difference += p->def.dimensions == 3 ? fabs(a.z) * size.z : 0;
        fastest = fmax(fastest, fmax(fm_length(now), sqrt(difference)));
    }
    return fastest;
}

// Largest flow speed to expect, m/s: free fall through the height of the fluid, initial velocities,
// sliding walls, sources, body-force regions, and the motion of the tank.
static double find_expected_speed(const fm_particles *p, const fm_surroundings *around)
{
    const fm_domain *d = &p->def.domain;
    fm_vec3 g = around->gravity;
    double highest = -DBL_MAX, lowest = DBL_MAX; // m^2/s^2, heights times |g|: -g . x
    double fastest = 0;
    for (int i = 0; i < 8; i++) {
        fm_vec3 corner = {i & 1 ? d->high.x : d->low.x, i & 2 ? d->high.y : d->low.y,
                          p->def.dimensions == 2 ? 0
                          : i & 4                ? d->high.z
                                                 : d->low.z};
        lowest = fmin(lowest, -fm_dot(g, corner));
    }
    for (int i = 0; i < p->count; i++) {
        fm_vec3 x = {p->now.x[i], p->now.y[i], p->now.z[i]};
        fm_vec3 v = {p->now.vx[i], p->now.vy[i], p->now.vz[i]};
        highest = fmax(highest, -fm_dot(g, x));
        fastest = fmax(fastest, fm_length(v));
    }
    if (highest > lowest)
        fastest = fmax(fastest, sqrt(2 * (highest - lowest)));
    for (int side = 0; side < FM_SIDE_COUNT; side++)
        fastest = fmax(fastest, fm_length(d->slide[side]));
    for (int i = 0; i < p->source_count; i++) {
        const fm_fluid_source *s = &p->sources[i].def;
        double fall = fmax(0, -fm_dot(g, s->centre) - lowest);
        fastest = fmax(fastest, sqrt(s->speed * s->speed + 2 * fall));
    }
    for (int i = 0; i < p->push_count; i++) // v^2 = 2 a d across the diameter d
        fastest =
            fmax(fastest, sqrt(4 * fm_length(p->pushes[i].acceleration) * p->pushes[i].radius));
    // the speed that the pressure in a drop of four spacings can produce
    fastest = fmax(fastest, sqrt(p->def.surface_tension / (p->def.density * p->def.spacing)));
    return fmax(fastest, find_domain_speed(p));
}

// Sets the speed of sound p->c, m/s: by default ten times the largest expected flow speed, so that
// the density varies by about 1 %.
static void choose_sound_speed(fm_particles *p, const fm_surroundings *around)
{
    if (p->def.method == FM_SPH_STANDARD) {
        p->c = sqrt(p->def.stiffness);
        return;
    }
    double speed = p->def.speed > 0 ? p->def.speed : find_expected_speed(p, around);
    p->c = p->def.sound_ratio * fmax(speed, SPEED_MIN);
}

// Allocates an array of `count` elements of `size` bytes, padded because SIMD loops read past the
// end.
static void *create_array(fm_particles *p, size_t count, size_t size, fm_error *err)
{
    const size_t padding = 16;
    return fm_arena_alloc(&p->arena, count + padding, size, p->object.name, err);
}

// Allocates a set of `capacity` particles that is sorted by cell.
static void create_particle_set(fm_particles *p, fm_particle_set *set, int capacity, fm_error *err)
{
    size_t n = (size_t)capacity;
    set->capacity = capacity;
    set->x = create_array(p, n, sizeof(float), err);
    set->y = create_array(p, n, sizeof(float), err);
    set->z = create_array(p, n, sizeof(float), err);
    set->density = create_array(p, n, sizeof *set->density, err);
    set->force = create_array(p, n, sizeof *set->force, err);
    fm_cell_table_create(&set->table, p, capacity, err);
}

// Allocates the neighbour lists, block by block of particles. The lists of a block hold LIST_MARGIN
// times the neighbours of the rest lattice. Particles of a denser block whose lists do not fit have
// no stored list.
static void create_neighbour_lists(fm_particles *p, fm_error *err)
{
    double s = p->def.support;
    double at_rest = p->def.dimensions == 2 ? FM_PI * s * s : 4 * FM_PI / 3 * s * s * s;
    size_t blocks = (size_t)fm_parallel_block_count(p->capacity, FM_PARTICLES_BLOCK);
    p->list_capacity = FM_PARTICLES_BLOCK * ((int)(LIST_MARGIN * at_rest) + 8);
    p->lists = create_array(p, blocks * (size_t)p->list_capacity, sizeof(int), err);
    bool solves = p->def.method == FM_SPH_CONSTANT_DENSITY;
    p->pair_weight =
        create_array(p, solves ? blocks * (size_t)p->list_capacity : 0, sizeof(float), err);
    p->list_start = create_array(p, (size_t)p->capacity, sizeof(int), err);
    p->list_count = create_array(p, (size_t)p->capacity, sizeof(int), err);
    p->list_padding = create_array(p, (size_t)p->capacity, 1, err);
    p->near_boundary_start = create_array(p, (size_t)p->capacity, sizeof(int), err);
    p->near_boundary_count = create_array(p, (size_t)p->capacity, sizeof(int), err);
    p->near_boundary_padding = create_array(p, (size_t)p->capacity, 1, err);
    // at a flat wall, two thirds of a boundary particle's support are outside the fluid
    size_t wet_blocks = (size_t)fm_parallel_block_count(p->boundary_capacity, FM_PARTICLES_BLOCK);
    p->wet_list_capacity = FM_PARTICLES_BLOCK * ((int)(at_rest / 2) + 8);
    p->wet_lists = create_array(p, wet_blocks * (size_t)p->wet_list_capacity, sizeof(int), err);
    p->wet_start = create_array(p, (size_t)p->boundary_capacity, sizeof(int), err);
    p->wet_neighbours = create_array(p, (size_t)p->boundary_capacity, sizeof(int), err);
    p->wet_padding = create_array(p, (size_t)p->boundary_capacity, 1, err);
    p->packing = create_array(p, 256, sizeof *p->packing, err);
    for (int byte = 0; byte < 256 && p->packing; byte++)
        for (int bit = 0, count = 0; bit < 8; bit++)
            if (byte >> bit & 1)
                p->packing[byte][count++] = bit;
}

// Number of ghost particles (periodic images) to allocate: those in a shell of one support around
// the domain, at twice the density of a domain filled evenly with `capacity` particles.
static int count_ghosts(const fm_particles *p)
{
    const fm_domain *d = &p->def.domain;
    const double size[3] = {d->high.x - d->low.x, d->high.y - d->low.y, d->high.z - d->low.z};
    double factor = 1;
    for (int axis = 0; axis < 3; axis++)
        if (fm_particles_is_periodic(p, axis))
            factor *= 1 + 2 * p->R / size[axis];
    const double margin = 1000; // ghosts, for small fluids
    const double int_max = 2e9; // limits the number to the range of int
    return factor > 1 ? (int)fmin(int_max, 2 * (factor - 1) * p->capacity + margin) : 0;
}

// Allocates the arrays that substeps use, for `capacity` fluid particles.
static void create_scratch(fm_particles *p, fm_error *err)
{
    size_t n = (size_t)p->capacity;
    float **floats[] = {&p->fill,
                        &p->ax,
                        &p->ay,
                        &p->az,
                        &p->dx,
                        &p->dy,
                        &p->dz,
                        &p->s_next,
                        &p->diagonal,
                        &p->residual,
                        &p->product,
                        &p->excess,
                        &p->pressure_change,
                        &p->pressure_sum};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        *floats[i] = create_array(p, n, sizeof(float), err);
    int **ints[] = {&p->order, &p->cell};
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
        *ints[i] = create_array(p, n, sizeof(int), err);
    p->cell_index = create_array(p, n, sizeof *p->cell_index, err);
    p->is_inside = create_array(p, n, 1, err);
    p->is_surface = create_array(p, n, 1, err);
    bool solves = p->def.method == FM_SPH_CONSTANT_DENSITY;
    p->body_links = create_array(p, solves ? n : 0, sizeof *p->body_links, err);
    bool strained = fm_particles_needs_gradients(p);
    p->strain = create_array(p, strained ? n : 0, sizeof *p->strain, err);
    p->pressure_gradient = create_array(p, strained ? n : 0, sizeof *p->pressure_gradient, err);
    p->in_sink = create_array(p, n, 1, err);
    p->beside_surface = create_array(p, n, sizeof *p->beside_surface, err);
    p->partial = create_array(p, 5 * n / FM_PARTICLES_BLOCK + 8, sizeof(double), err);
    p->hit = create_array(p, n, sizeof *p->hit, err);
    p->hit_velocity = create_array(p, n, sizeof *p->hit_velocity, err);
    p->hit_point = create_array(p, n, sizeof *p->hit_point, err);
    for (size_t i = 0; i < n && p->hit; i++)
        p->hit[i] = -1;
    p->lost_velocity = create_array(p, n / FM_PARTICLES_BLOCK + 2, sizeof *p->lost_velocity, err);
    p->boundary_capacity = p->point_count + count_ghosts(p);
    size_t m = (size_t)p->boundary_capacity;
    p->unsorted = create_array(p, m, sizeof *p->unsorted, err);
    int **boundary_ints[] = {&p->boundary_order, &p->wet, &p->moving_points, &p->fixed_order};
    for (size_t i = 0; i < sizeof boundary_ints / sizeof *boundary_ints; i++)
        *boundary_ints[i] = create_array(p, m, sizeof(int), err);
    p->identity = create_array(p, m, sizeof *p->identity, err);
    p->has_ghosts = p->boundary_capacity > p->point_count;
    p->ghost_strain =
        strained && p->has_ghosts ? create_array(p, m, sizeof *p->ghost_strain, err) : NULL;
    p->boundary_cell = create_array(p, m, sizeof *p->boundary_cell, err);
    p->visible_side = create_array(p, p->has_thin_walls ? m : 0, sizeof *p->visible_side, err);
    p->force = create_array(p, m, sizeof(fm_vec3), err);
    size_t sampled = p->surface_count > 0 ? m : 0; // only immersed surfaces need these arrays
    for (int k = 0; k < p->surface_count && solves; k++)
        if (!p->surfaces[k]->passive && !p->sheet)
            p->sheet = create_array(p, sampled, sizeof *p->sheet, err);
    p->spread_impulse = create_array(p, sampled, sizeof *p->spread_impulse, err);
    p->sample_sums = create_array(p, sampled, sizeof *p->sample_sums, err);
    p->surface_reference = create_array(p, sampled ? n : 0, sizeof *p->surface_reference, err);
    create_particle_set(p, &p->fluid, p->capacity, err);
    create_particle_set(p, &p->boundary, p->boundary_capacity, err);
    p->is_near_boundary = create_array(p, p->fluid.table.cell_count, 1, err);
    if (p->boundary_moves)
        fm_cell_table_create(&p->fixed_table, p, p->point_count, err);
    create_neighbour_lists(p, err);
    size_t stoppable = p->surface_count > 0 ? n : 0;
    p->sheet_share = create_array(p, p->sheet ? n : 0, sizeof *p->sheet_share, err);
    p->mass_share = create_array(p, stoppable, sizeof *p->mass_share, err);
    p->stopped_by = create_array(p, stoppable, sizeof *p->stopped_by, err);
    p->stopped = create_array(p, stoppable, sizeof *p->stopped, err);
}

// Prepares a fluid for its first substep: allocates arrays, builds cells and boundary points,
// scales the kernels and chooses the speed of sound. Later calls only check the number of
// colliders.
bool fm_particles_prepare(fm_particles *p, const fm_surroundings *around, fm_error *err)
{
    if (err->status != FM_OK)
        return false;
    if (p->prepared)
        return p->prepared_colliders == around->collider_count ||
               fm_fail_number(err, p->object.name, "colliders", around->collider_count,
                              "as many as when the fluid began to move");
    int capacity = p->def.capacity > 0 ? p->def.capacity : p->count;
    if (p->def.capacity == 0 && p->source_count > 0)
        capacity = (int)fmin(PARTICLES_MAX,
                             fmax(SOURCE_CAPACITY_FACTOR * (double)capacity, SOURCE_CAPACITY_MIN));
    p->capacity = capacity > 1 ? capacity : 1;
    p->R = p->def.support * p->def.spacing;
    choose_sound_speed(p, around);
    fm_particles_choose_method(p, around);
    if (!fm_cell_rows_create(p, err) || !fm_boundary_points_create(p, around, err))
        return false;
    for (int m = 0; m < p->surface_count; m++)
        p->surfaces[m]->implicit = p->surfaces[m]->steady_load =
            p->def.method == FM_SPH_CONSTANT_DENSITY && !p->surfaces[m]->passive;
    scale_kernel(p);
    p->full_count = fm_walls_find_full_count(p, around);
    create_scratch(p, err);
    p->collider_impulse =
        create_array(p, (size_t)around->collider_count, sizeof *p->collider_impulse, err);
    grow_state(p, p->capacity, err);
    fm_particle_state_grow(&p->spare, 0, p->capacity, err);
    fm_fluid_terms_create(p, around, err);
    p->prepared = err->status == FM_OK;
    p->prepared_colliders = around->collider_count;
    return p->prepared;
}
