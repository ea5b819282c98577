// SPDX-License-Identifier: MIT
// particles.c: fluids made from checked definitions, filled with blocks, and made ready to step.
#include "particles/particles.h"

#include <assert.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTICLES_MAX = 100000000 };

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
        .stiffness = 100,
        .artificial_viscosity = 0.02,
        .diffusion = 0.3,
        .shifting = 1,
        .tolerance = 1e-3,
        .iterations = 100,
        .courant = 0.25,
    };
}

static bool check_range(const fm_particles *p, const char *field, double value, double low,
                        double high, const char *allowed, fm_error *err)
{
    return (value >= low && value <= high) || fm_fail_number(err, p->name, field, value, allowed);
}

static bool check_domain(const fm_particles *p, fm_error *err)
{
    const fm_domain *d = &p->def.domain;
    fm_vec3 size = fm_sub(d->high, d->low);
    double smallest = fmin(size.x, size.y);
    if (p->def.dimensions == 3)
        smallest = fmin(smallest, size.z);
    if (!fm_is_finite(d->low) || !fm_is_finite(d->high))
        return fm_fail_vector(err, p->name, "domain.high", d->high, "finite numbers");
    if (!(smallest >= p->R))
        return fm_fail_vector(err, p->name, "domain.high", d->high,
                              "above domain.low by the support or more along every axis");
    for (int side = 0; side < FM_SIDE_COUNT; side++) {
        if ((unsigned)d->sides[side] > FM_SIDE_OPEN)
            return fm_fail_number(err, p->name, "domain.sides", d->sides[side],
                                  "wall, periodic or open");
        if (!fm_is_finite(d->slide[side]))
            return fm_fail_vector(err, p->name, "domain.slide", d->slide[side], "finite numbers");
    }
    for (int axis = 0; axis < p->def.dimensions; axis++) {
        bool below = d->sides[2 * axis] == FM_SIDE_PERIODIC;
        if (below != (d->sides[2 * axis + 1] == FM_SIDE_PERIODIC))
            return fm_fail(err, FM_BAD_VALUE, p->name, "domain.sides", "periodic on one side",
                           "periodic on both sides of an axis");
    }
    return true;
}

// Below that order a window drives what it should damp; see docs/cloth.md.
static const double LOWEST_WINDOW_ORDER = 0.31;

static bool check_fractional(const fm_particles *p, fm_error *err)
{
    const fm_fractional *f = &p->def.fractional;
    const fm_recall *m = &f->memory;
    if (!(f->order > 0 && f->order <= 1))
        return fm_fail_number(err, p->name, "fractional.order", f->order,
                              "above 0 and at most 1, which is no memory");
    if ((unsigned)m->kind > FM_RECALL_FADING || m->kind == FM_RECALL_SECONDS)
        return fm_fail_number(err, p->name, "fractional.memory", m->kind, "steps, fading or full");
    bool steps = m->kind == FM_RECALL_STEPS;
    if (steps && m->rule != FM_RULE_TRAPEZOID)
        return fm_fail(err, FM_BAD_VALUE, p->name, "fractional.memory.rule", "coimbra",
                       "trapezoid");
    if (steps && f->order < LOWEST_WINDOW_ORDER && !m->unsafe)
        return fm_fail(err, FM_BAD_VALUE, p->name, "fractional.memory",
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

static bool check_def(fm_particles *p, fm_error *err)
{
    fm_particles_def *d = &p->def;
    if (d->dimensions != 2 && d->dimensions != 3)
        return fm_fail_number(err, p->name, "dimensions", d->dimensions, "2 or 3");
    if ((unsigned)d->method > FM_SPH_STANDARD)
        return fm_fail_number(err, p->name, "method", d->method,
                              "weakly-compressible, constant-density or standard");
    if ((unsigned)d->integrator > FM_SPH_LEAPFROG)
        return fm_fail_number(err, p->name, "integrator", d->integrator, "euler or leapfrog");
    if (d->support == 0)
        d->support = d->dimensions == 2 ? 3 : 2;
    bool good =
        check_range(p, "spacing", d->spacing, 1e-6, 1e3, "1e-6 to 1e3 m", err) &&
        check_range(p, "support", d->support, 1.5, 6, "0 (chosen) or 1.5 to 6 spacings", err) &&
        check_range(p, "density", d->density, 1e-6, 1e6, "1e-6 to 1e6 kg/m^3", err) &&
        check_range(p, "viscosity", d->viscosity, 0, 1e6, "0 to 1e6 Pa s", err) &&
        check_range(p, "stiffness", d->stiffness, 1e-9, 1e12, "1e-9 to 1e12 m^2/s^2", err) &&
        check_range(p, "speed", d->speed, 0, 1e6, "0 (chosen) to 1e6 m/s", err) &&
        check_range(p, "artificial_viscosity", d->artificial_viscosity, 0, 1, "0 to 1", err) &&
        check_range(p, "diffusion", d->diffusion, 0, 1, "0 to 1", err) &&
        check_range(p, "shifting", d->shifting, 0, 4, "0 to 4", err) &&
        check_range(p, "tolerance", d->tolerance, 1e-6, 0.1, "1e-6 to 0.1", err) &&
        check_range(p, "iterations", d->iterations, 1, 10000, "1 to 10000", err) &&
        check_range(p, "time_step", d->time_step, 0, 1e3, "0 (chosen) to 1e3 s", err) &&
        check_range(p, "courant", d->courant, 1e-3, 1, "0.001 to 1", err) &&
        check_range(p, "capacity", d->capacity, 0, PARTICLES_MAX, "0 to 1e8", err);
    if (!good)
        return false;
    p->R = d->support * d->spacing;
    p->volume = d->dimensions == 2 ? d->spacing * d->spacing : pow(d->spacing, 3);
    return check_fractional(p, err) && check_domain(p, err);
}

fm_particles *fm_particles_new(const fm_particles_def *def, fm_error *err)
{
    assert(err->status != FM_OK || def);
    if (err->status != FM_OK)
        return NULL;
    fm_particles *p = fm_alloc_aligned(1, sizeof *p);
    if (!p) {
        fm_fail_no_memory(err, "fluid", sizeof *p);
        return NULL;
    }
    p->def = *def;
    snprintf(p->name, sizeof p->name, "%s", def->name && *def->name ? def->name : "fluid");
    p->def.name = p->name;
    if (!check_def(p, err)) {
        fm_particles_free(p);
        return NULL;
    }
    return p;
}

static void free_parcels(fm_parcels *q)
{
    free(q->x);
    free(q->y);
    free(q->z);
    free(q->vx);
    free(q->vy);
    free(q->vz);
    free(q->s);
    free(q->id);
}

void fm_particles_free(fm_particles *p)
{
    if (!p)
        return;
    free_parcels(&p->now);
    free_parcels(&p->spare);
    free(p->out_x);
    free(p->out_v);
    fm_past_free(p);
    fm_arena_free(&p->arena);
    free(p);
}

static void *grow(void *old, size_t size, int count, int room, fm_error *err)
{
    void *more = fm_alloc_aligned((size_t)room + 8, size);
    if (!more) {
        fm_fail_no_memory(err, "fluid", (size_t)room * size);
        return old;
    }
    if (count)
        memcpy(more, old, (size_t)count * size);
    free(old);
    return more;
}

bool fm_parcels_grow(fm_parcels *q, int count, int room, fm_error *err)
{
    q->x = grow(q->x, sizeof *q->x, count, room, err);
    q->y = grow(q->y, sizeof *q->y, count, room, err);
    q->z = grow(q->z, sizeof *q->z, count, room, err);
    q->vx = grow(q->vx, sizeof *q->vx, count, room, err);
    q->vy = grow(q->vy, sizeof *q->vy, count, room, err);
    q->vz = grow(q->vz, sizeof *q->vz, count, room, err);
    q->s = grow(q->s, sizeof *q->s, count, room, err);
    q->id = grow(q->id, sizeof *q->id, count, room, err);
    return err->status == FM_OK;
}

void fm_parcels_append(fm_particles *p, fm_vec3 x, fm_vec3 v)
{
    int i = p->count++;
    fm_parcels *q = &p->now;
    q->x[i] = x.x;
    q->y[i] = x.y;
    q->z[i] = p->def.dimensions == 2 ? 0 : x.z;
    q->vx[i] = (float)v.x;
    q->vy[i] = (float)v.y;
    q->vz[i] = p->def.dimensions == 2 ? 0 : (float)v.z;
    q->s[i] = 0;
    q->id[i] = p->next_id++;
}

static bool check_box(const fm_particles *p, const fm_fluid_box *box, fm_error *err)
{
    const fm_domain *d = &p->def.domain;
    bool flat = p->def.dimensions == 2;
    if (!(box->low.x < box->high.x && box->low.y < box->high.y &&
          (flat || box->low.z < box->high.z)))
        return fm_fail_vector(err, p->name, "box.high", box->high,
                              "above box.low along every axis");
    bool in = box->low.x >= d->low.x && box->low.y >= d->low.y && box->high.x <= d->high.x &&
              box->high.y <= d->high.y &&
              (flat || (box->low.z >= d->low.z && box->high.z <= d->high.z));
    if (!in)
        return fm_fail_vector(err, p->name, "box.high", box->high, "box inside the domain");
    if (!fm_is_finite(box->velocity))
        return fm_fail_vector(err, p->name, "box.velocity", box->velocity, "finite numbers");
    return (box->jitter >= 0 && box->jitter <= 0.5) ||
           fm_fail_number(err, p->name, "box.jitter", box->jitter, "0 to 0.5 spacings");
}

// Of a point below the top of its box, times gravity.
static double find_depth(const fm_fluid_box *box, fm_vec3 g, fm_vec3 x, bool flat)
{
    double depth = (g.x > 0 ? x.x - box->low.x : x.x - box->high.x) * g.x +
                   (g.y > 0 ? x.y - box->low.y : x.y - box->high.y) * g.y;
    return flat ? depth : depth + (g.z > 0 ? x.z - box->low.z : x.z - box->high.z) * g.z;
}

// As many particles as fit along a side, evenly: at least one.
static int divide(double size, double spacing)
{
    return (int)fmax(1, round(size / spacing));
}

bool fm_particles_fill_box(fm_particles *p, const fm_fluid_box *box, const fm_surroundings *around,
                           fm_error *err)
{
    if (err->status != FM_OK || !check_box(p, box, err))
        return false;
    if (p->prepared)
        return fm_fail(err, FM_BAD_VALUE, p->name, "box", "added later",
                       "before the first advance");
    bool flat = p->def.dimensions == 2;
    double dx = p->def.spacing;
    fm_vec3 size = fm_sub(box->high, box->low);
    int nx = divide(size.x, dx), ny = divide(size.y, dx), nz = flat ? 1 : divide(size.z, dx);
    fm_vec3 step = {size.x / nx, size.y / ny, flat ? 0 : size.z / nz};
    double total = (double)nx * ny * nz + p->count;
    if (total > PARTICLES_MAX || (p->def.capacity > 0 && total > p->def.capacity))
        return fm_fail_number(err, p->name, "particles", total, "at most 1e8, and the capacity");
    if (!fm_parcels_grow(&p->now, p->count, (int)total, err))
        return false;
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
                bool free_here = true;
                for (int c = 0; c < around->collider_count && free_here; c++)
                    free_here = fm_collider_contact(&around->placed[c], x).distance > dx / 2;
                if (free_here)
                    fm_parcels_append(p, x, box->velocity);
                if (free_here && box->settled) // P, until the first substep makes it s
                    p->now.s[p->count - 1] = (float)find_depth(box, around->gravity, x, flat);
            }
        }
    }
    return true;
}

// Sums over the lattice at rest: of the kernel, and of its gradient for a linear field. Both are 1
// in the limit of many neighbours; the scales W and F make them 1 for these.
static void scale_kernel(fm_particles *p)
{
    int d = p->def.dimensions, reach = (int)ceil(p->def.support);
    double R = p->R, dx = p->def.spacing, value = 0, slope = 0;
    fm_kernel kernel = p->def.method == FM_SPH_STANDARD ? FM_POLY6 : FM_WENDLAND;
    for (int k = d == 3 ? -reach : 0; k <= (d == 3 ? reach : 0); k++) {
        for (int j = -reach; j <= reach; j++) {
            for (int i = -reach; i <= reach; i++) {
                double q = sqrt((double)(i * i + j * j + k * k)) * dx / R;
                if (q >= 1)
                    continue;
                value += fm_kernel_shape(kernel, q);
                slope -= fm_kernel_slope(FM_WENDLAND, q) * i * dx * i * dx;
            }
        }
    }
    p->W = (float)(1 / (value * p->volume));
    p->F = (float)(1 / (slope * p->volume));
    p->spiky = (float)(fm_kernel_norm(FM_SPIKY, d) / pow(R, d + 2));
    p->laplacian = (float)(fm_kernel_norm(FM_VISCOSITY, d) / pow(R, d + 2));
    p->self_fill = (float)(p->volume * p->W);
}

// What a tank that is carried does: its speed, and the pressure across it while it changes, as if
// it were a fall. A motion is looked at over its first ten seconds.
static double find_carry(const fm_particles *p)
{
    const double apart = 0.05; // s: shorter jerks pass as sound
    const fm_vec3 size = fm_sub(p->def.domain.high, p->def.domain.low);
    double fastest = 0;
    for (int k = 0; k <= 64 && p->def.domain.motion; k++) {
        fm_vec3 now, then;
        fm_domain_offset(p, 10.0 * k / 64, &now);
        fm_domain_offset(p, 10.0 * k / 64 + apart, &then);
        fm_vec3 a = fm_scale(fm_sub(then, now), 1 / apart);
        double across = fabs(a.x) * size.x + fabs(a.y) * size.y;
        across += p->def.dimensions == 3 ? fabs(a.z) * size.z : 0;
        fastest = fmax(fastest, fmax(fm_length(now), sqrt(across)));
    }
    return fastest;
}

// The fastest that is to be expected: a fall through all of the fluid's height, and what is moved.
static double find_speed(const fm_particles *p, const fm_surroundings *around)
{
    const fm_domain *d = &p->def.domain;
    fm_vec3 g = around->gravity;
    double highest = -DBL_MAX, lowest = DBL_MAX, fastest = 0;
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
    for (int i = 0; i < p->push_count; i++)
        fastest =
            fmax(fastest, sqrt(4 * fm_length(p->pushes[i].acceleration) * p->pushes[i].radius));
    return fmax(fastest, find_carry(p));
}

static void choose_sound(fm_particles *p, const fm_surroundings *around)
{
    if (p->def.method == FM_SPH_STANDARD) {
        p->c = sqrt(p->def.stiffness);
        return;
    }
    double speed = p->def.speed > 0 ? p->def.speed : find_speed(p, around);
    p->c = 10 * fmax(speed, 1e-3);
}

static void *take(fm_particles *p, size_t count, size_t size, fm_error *err)
{
    return fm_arena_alloc(&p->arena, count + 16, size, p->name, err); // loops read a bit further
}

static void alloc_swarm(fm_particles *p, fm_swarm *swarm, int room, bool apart, fm_error *err)
{
    size_t n = (size_t)room;
    swarm->room = room;
    swarm->x = take(p, n, sizeof(float), err);
    swarm->y = take(p, n, sizeof(float), err);
    swarm->z = take(p, n, sizeof(float), err);
    swarm->density = take(p, n, FM_ROW * sizeof(float), err);
    swarm->force = apart ? take(p, n, FM_ROW * sizeof(float), err) : swarm->density;
    fm_table_make(&swarm->table, p, room, err);
}

// Lists of neighbours: as many as on a lattice and some more; a denser block does without.
static void alloc_lists(fm_particles *p, fm_error *err)
{
    double s = p->def.support;
    double usual = p->def.dimensions == 2 ? FM_PI * s * s : 4 * FM_PI / 3 * s * s * s;
    size_t blocks = (size_t)fm_block_count(p->capacity, FM_PARTICLES_BLOCK);
    p->list_room = FM_PARTICLES_BLOCK * ((int)(1.15 * usual) + 8);
    p->lists = take(p, blocks * (size_t)p->list_room, sizeof(int), err);
    p->list_start = take(p, (size_t)p->capacity, sizeof(int), err);
    p->list_count = take(p, (size_t)p->capacity, sizeof(int), err);
    p->list_extra = take(p, (size_t)p->capacity, 1, err);
    p->other_start = take(p, (size_t)p->capacity, sizeof(int), err);
    p->other_count = take(p, (size_t)p->capacity, sizeof(int), err);
    p->other_extra = take(p, (size_t)p->capacity, 1, err);
    p->packing = take(p, 256, sizeof *p->packing, err);
    for (int byte = 0; byte < 256 && p->packing; byte++)
        for (int bit = 0, count = 0; bit < 8; bit++)
            if (byte >> bit & 1)
                p->packing[byte][count++] = bit;
}

// Room for copies: the shell around the domain, twice as full as at rest.
static int count_copies(const fm_particles *p)
{
    const fm_domain *d = &p->def.domain;
    const double size[3] = {d->high.x - d->low.x, d->high.y - d->low.y, d->high.z - d->low.z};
    double factor = 1;
    for (int axis = 0; axis < 3; axis++)
        if (fm_particles_is_periodic(p, axis))
            factor *= 1 + 2 * p->R / size[axis];
    return factor > 1 ? (int)fmin(2e9, 2 * (factor - 1) * p->capacity + 1000) : 0;
}

static void alloc_scratch(fm_particles *p, fm_error *err)
{
    size_t n = (size_t)p->capacity;
    float **floats[] = {&p->fill, &p->ax,     &p->ay, &p->az,    &p->dx,    &p->dy,
                        &p->dz,   &p->s_next, &p->P,  &p->alpha, &p->kappa, &p->pressed};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        *floats[i] = take(p, n, sizeof(float), err);
    int **ints[] = {&p->order, &p->in_cell};
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
        *ints[i] = take(p, n, sizeof(int), err);
    p->place = take(p, n, sizeof *p->place, err);
    p->gone = take(p, n, 1, err);
    p->beside_surface = take(p, n, sizeof *p->beside_surface, err);
    p->partial = take(p, 4 * n / FM_PARTICLES_BLOCK + 8, sizeof(double), err);
    p->kept = take(p, n / FM_PARTICLES_BLOCK + 2, sizeof *p->kept, err);
    p->others_room = p->point_count + count_copies(p);
    size_t m = (size_t)p->others_room;
    p->unsorted = take(p, m, sizeof *p->unsorted, err);
    int **of_others[] = {&p->unsorted_from, &p->other_order, &p->other_from,
                         &p->wet,           &p->roaming,     &p->home_order};
    for (size_t i = 0; i < sizeof of_others / sizeof *of_others; i++)
        *of_others[i] = take(p, m, sizeof(int), err);
    p->other_place = take(p, m, sizeof *p->other_place, err);
    p->sights = take(p, p->thin ? m : 0, sizeof *p->sights, err);
    p->force = take(p, m, sizeof(fm_vec3), err);
    p->spread = take(p, m, sizeof *p->spread, err);
    p->sides = take(p, m, sizeof *p->sides, err);
    alloc_swarm(p, &p->fluid, p->capacity, false, err);
    alloc_swarm(p, &p->others, p->others_room, true, err);
    p->near = take(p, p->fluid.table.cell_count, 1, err);
    if (p->others_move)
        fm_table_make(&p->home, p, p->point_count, err);
    alloc_lists(p, err);
    size_t stoppable = p->surface_count > 0 ? n : 0;
    p->share = take(p, stoppable, sizeof *p->share, err);
    p->stopped_by = take(p, stoppable, sizeof *p->stopped_by, err);
    p->stopped = take(p, stoppable, sizeof *p->stopped, err);
}

bool fm_particles_prepare(fm_particles *p, const fm_surroundings *around, fm_error *err)
{
    if (err->status != FM_OK)
        return false;
    if (p->prepared)
        return p->prepared_colliders == around->collider_count ||
               fm_fail_number(err, p->name, "colliders", around->collider_count,
                              "as many as when the fluid began to move");
    int room = p->def.capacity > 0 ? p->def.capacity : p->count;
    if (p->def.capacity == 0 && p->source_count > 0)
        room = room > 12500 ? (int)fmin(PARTICLES_MAX, 4.0 * room) : 50000;
    p->capacity = room > 1 ? room : 1;
    p->R = p->def.support * p->def.spacing;
    if (!fm_rows_make(p, err) || !fm_walls_make(p, around, err))
        return false;
    scale_kernel(p);
    choose_sound(p, around);
    alloc_scratch(p, err);
    fm_parcels_grow(&p->now, p->count, p->capacity, err);
    fm_parcels_grow(&p->spare, 0, p->capacity, err);
    fm_past_make(p, around, err);
    p->prepared = err->status == FM_OK;
    p->prepared_colliders = around->collider_count;
    return p->prepared;
}
