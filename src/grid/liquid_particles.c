// SPDX-License-Identifier: MIT
// liquid_particles.c: particles that carry the velocity of a liquid: transfer to the faces of the
// grid and back, motion and sources.
//
// The transfer is affine [JSS15]. With w the linear weights of a face f around particle p,
//
//     u_f = sum_p w m_p (v_p + C_p (x_f - x_p)) / sum_p w m_p           particles to faces
//     v_p = sum_f w u_f,     C_p = sum_f u_f grad w                     faces to particles
//
// which keeps momentum and angular momentum, and needs no mixture with the old velocity.
//
// Particles are sorted by cell (liquid_sort.c), and slabs of SLAB layers of cells write to faces;
// first all even slabs, then all odd ones, so that no two threads write to one face and every face
// adds its particles in the same order.
//
// Particles move by the midpoint rule in the velocity of the faces, in parts of about a spacing
// where the substep takes them farther. Where there is no liquid within LOOSE spacings they fly
// freely: spray. A particle that meets a collider is put on its surface.
//
// A source emits a layer of a lattice across its direction every pitch / speed seconds, at the
// start of the substep after. The volume of a layer is that of the disc times the pitch. Particles
// are at random places around the sites, else layers show when the jet falls and stretches; not in
// liquids with dt nu / h^2 > THICK, such as honey, whose thread would coil less. Inside liquid that
// is there already, the velocity gets the divergence that makes room for it.
//
//   u  velocity on faces, m/s    v  velocity of particles, m/s    C  its derivatives, 1/s
//   m  mass; here the volume
//
// [JSS15] Jiang, Schroeder, Selle, Teran, Stomakhin: The affine particle-in-cell method. ACM
//         Transactions on Graphics 34(4), 2015.
#include "grid/liquid.h"

#include <string.h>

enum {
    SLAB = 4,      // layers of cells
    PARTS_MAX = 8, // of the path of a particle in a substep
};
static const double JITTER = 0.9; // range of random places in a jet, relative to the pitch
static const double THICK = 0.1;  // dt nu / h^2
static const double LOOSE = 0.5;  // spacings from the surface
static const double PIECE = 0.25; // spacings, longest part of a path near colliders

// Adds the momentum and the mass of particle i to the faces of component a around it.
FM_INLINE void scatter(fm_liquid *l, int i, int a)
{
    fm_grid *g = l->grid;
    const fm_liquid_particles *p = &l->now;
    double x[3] = {p->x[0][i], p->x[1][i], p->x[2][i]};
    fm_liquid_place at = fm_liquid_find_place(g, x, a);
    double w[3][2], u[3][2]; // weights, and changes of the velocity from the particle to the face
    for (int b = 0; b < 3; b++) {
        double slope = g->h * p->c[3 * a + b][i], share = at.share[b];
        w[b][0] = 1 - share, w[b][1] = share;
        u[b][0] = -share * slope, u[b][1] = (1 - share) * slope;
    }
    double v = p->v[a][i], mass = p->volume[i] / l->spacing_volume;
    for (int k = 0; k < (g->active[2] ? 2 : 1); k++)
        for (int j = 0; j < 2; j++) {
            ptrdiff_t q = at.q + j * g->stride[1] + k * g->stride[2];
            double weight = mass * w[2][k] * w[1][j], base = v + u[2][k] + u[1][j];
            g->u[a][q] += weight * w[0][0] * (base + u[0][0]);
            g->u[a][q + 1] += weight * w[0][1] * (base + u[0][1]);
            g->rate[a][q] += weight * w[0][0];
            g->rate[a][q + 1] += weight * w[0][1];
        }
}

// Adds the volume of particle i to the density of the cells around it.
FM_INLINE void scatter_volume(fm_liquid *l, int i)
{
    const fm_grid *g = l->grid;
    const fm_liquid_particles *p = &l->now;
    fm_liquid_place at =
        fm_liquid_find_place(g, (double[3]){p->x[0][i], p->x[1][i], p->x[2][i]}, 3);
    double mass = p->volume[i] / l->spacing_volume, fx = at.share[0];
    for (int k = 0; k < (g->active[2] ? 2 : 1); k++)
        for (int j = 0; j < 2; j++) {
            double *d = l->density + at.q + j * g->stride[1] + k * g->stride[2];
            double weight =
                mass * (k ? at.share[2] : 1 - at.share[2]) * (j ? at.share[1] : 1 - at.share[1]);
            d[0] += weight * (1 - fx);
            d[1] += weight * fx;
        }
}

// A loop over the even or the odd slabs.
typedef struct scattering {
    fm_liquid *l;
    int odd; // 0 or 1
} scattering;

// Adds the particles of the even or odd slabs [first, last) to the faces.
FM_SIMD_CLONES static void scatter_slabs(void *context, int first, int last)
{
    const scattering *job = context;
    fm_liquid *l = job->l;
    const fm_grid *g = l->grid;
    int axis = g->active[2] ? 2 : 1, layer = g->n[0] * (axis == 2 ? g->n[1] : 1);
    for (int s = first; s < last; s++) {
        int low = SLAB * (2 * s + job->odd), high = low + SLAB;
        high = high < g->n[axis] ? high : g->n[axis];
        for (int i = l->start[low * layer]; i < l->start[high * layer]; i++) {
            for (int a = 0; a < (g->active[2] ? 3 : 2); a++)
                scatter(l, i, a);
            scatter_volume(l, i);
        }
    }
}

// Divides the momentum on the faces of a row by the mass: velocities, m/s.
static void divide_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    int a = *(int *)context;
    for (int i = 0; i < length; i++)
        g->u[a][q + i] = g->rate[a][q + i] > 0 ? g->u[a][q + i] / g->rate[a][q + i] : 0;
}

// Computes the velocities of faces, m/s, from the particles, and their weights in grid->rate.
void fm_liquid_gather_velocity(fm_liquid *l, fm_pool *pool)
{
    fm_grid *g = l->grid;
    int slabs = (g->n[g->active[2] ? 2 : 1] + SLAB - 1) / SLAB;
    memset(l->density, 0, g->count * sizeof *l->density);
    for (int a = 0; a < 3; a++) {
        memset(g->u[a], 0, g->count * sizeof(double));
        memset(g->rate[a], 0, g->count * sizeof(double));
    }
    pool = fm_pool_if_worthwhile(pool, 150.0 * l->now.count);
    for (int odd = 0; odd < 2; odd++)
        fm_parallel_for(pool, (slabs + 1 - odd) / 2, 1, scatter_slabs, &(scattering){l, odd});
    for (int a = 0; a < 3; a++)
        fm_grid_for_rows(g, pool, a, 1, divide_row, &a);
}

// Velocity at x, spacings, in m/s. Writes its derivatives, 1/s, to c for particle i, unless c is
// NULL.
FM_INLINE fm_vec3 find_velocity(const fm_grid *g, const double x[3], float *const c[9], int i)
{
    double v[3] = {0};
    for (int a = 0; a < (g->active[2] ? 3 : 2); a++) {
        fm_liquid_place p = fm_liquid_find_place(g, x, a);
        const double *u = g->u[a] + p.q;
        double f[3] = {p.share[0], p.share[1], p.share[2]}, along[4], dx[4];
        for (int row = 0; row < 4; row++) {
            const double *r = u + (row & 1 ? g->stride[1] : 0) + (row & 2 ? g->stride[2] : 0);
            along[row] = (1 - f[0]) * r[0] + f[0] * r[1];
            dx[row] = r[1] - r[0];
        }
        double low = (1 - f[1]) * along[0] + f[1] * along[1];
        double high = (1 - f[1]) * along[2] + f[1] * along[3];
        v[a] = (1 - f[2]) * low + f[2] * high;
        if (!c)
            continue;
        c[3 * a][i] = (float)(((1 - f[2]) * ((1 - f[1]) * dx[0] + f[1] * dx[1]) +
                               f[2] * ((1 - f[1]) * dx[2] + f[1] * dx[3])) /
                              g->h);
        c[3 * a + 1][i] =
            (float)(((1 - f[2]) * (along[1] - along[0]) + f[2] * (along[3] - along[2])) / g->h);
        c[3 * a + 2][i] = g->active[2] ? (float)((high - low) / g->h) : 0;
    }
    return (fm_vec3){v[0], v[1], v[2]};
}

fm_vec3 fm_liquid_read_velocity(fm_liquid *l, int i, const double x[3])
{
    return find_velocity(l->grid, x, l->now.c, i);
}

// The motion of all particles in a substep.
typedef struct moving {
    fm_liquid *l;
    const fm_surroundings *around;
    double dt;     // s
    fm_vec3 force; // m/s^2, gravity and the given acceleration
} moving;

// Whether a point may be inside a collider: a corner of its cell is nearer than the diagonal.
static bool is_near_solid(const fm_grid *g, const double x[3])
{
    ptrdiff_t q = g->start;
    for (int a = 0; a < 3; a++) {
        int i = (int)fm_double_max(0, fm_double_min(g->n[a] - 1, floor(x[a])));
        q += i * g->stride[a];
    }
    for (int corner = 0; corner < 8; corner++)
        if (g->distance[q + (corner & 1 ? g->stride[0] : 0) + (corner & 2 ? g->stride[1] : 0) +
                        (corner & 4 ? g->stride[2] : 0)] < 0.9 * g->h)
            return true;
    return false;
}

// Puts a particle that is inside a collider on its surface.
static void collide(const moving *job, double x[3], fm_vec3 *v)
{
    const fm_grid *g = job->l->grid;
    const fm_surroundings *around = job->around;
    fm_vec3 at = fm_grid_position(g, x[0], x[1], x[2]), before = at;
    fm_collide_particle(around->placed, around->collider_count, 0, &at, v, NULL);
    if (at.x == before.x && at.y == before.y && at.z == before.z)
        return;
    at = fm_scale(fm_sub(at, g->def.low), 1 / g->h);
    x[0] = at.x, x[1] = at.y;
    if (g->active[2])
        x[2] = at.z;
}

// Keeps a particle inside the sides that are closed, and removes its velocity across them.
static void keep_inside(const fm_liquid *l, double x[3], double v[3])
{
    const fm_grid *g = l->grid;
    static const double margin = 1e-6; // spacings
    for (int a = 0; a < 3; a++) {
        if (!g->active[a] || (x[a] >= margin && x[a] <= g->n[a] - margin))
            continue;
        int at[3], side = 2 * a + (x[a] > 1);
        for (int b = 0; b < 3; b++)
            at[b] = (int)floor(x[b]);
        fm_grid_side_kind kind = fm_grid_find_condition(g, side, at)->kind;
        if (kind == FM_GRID_OPEN || kind == FM_GRID_INFLOW)
            continue;
        x[a] = side % 2 ? g->n[a] - margin : margin;
        v[a] = side % 2 ? fm_double_min(v[a], 0) : fm_double_max(v[a], 0);
    }
}

// Moves a particle by `way`, spacings, inside the sides and outside colliders. In a world with
// colliders it moves in 1 to 100 pieces, of PIECE spacings if these are enough, so that a wall
// pushes it out on the side where it came in.
static void travel(const moving *job, double x[3], double v[3], fm_vec3 way)
{
    const fm_grid *g = job->l->grid;
    bool solids = job->around->collider_count > 0;
    int count =
        solids ? (int)fm_double_max(1, fm_double_min(100, ceil(fm_length(way) / PIECE))) : 1;
    for (int n = 0; n < count; n++) {
        x[0] += way.x / count, x[1] += way.y / count;
        if (g->active[2])
            x[2] += way.z / count;
        keep_inside(job->l, x, v);
        if (!solids || !is_near_solid(g, x))
            continue;
        fm_vec3 u = {v[0], v[1], v[2]};
        collide(job, x, &u);
        v[0] = u.x, v[1] = u.y, v[2] = u.z;
        keep_inside(job->l, x, v); // a collider on a side may push particles through it
    }
}

// Moves a particle with the flow for the substep, in parts. v: its velocity, m/s, from which
// colliders take the component into them.
FM_INLINE void follow_flow(const moving *job, double x[3], double v[3])
{
    const fm_grid *g = job->l->grid;
    double way = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) * job->dt / g->h; // spacings
    int parts = way > 1 ? (int)fm_double_min(way, PARTS_MAX - 1) + 1 : 1;
    double step = job->dt / (g->h * parts);
    fm_vec3 here = {v[0], v[1], v[2]};
    for (int n = 0; n < parts; n++) {
        double middle[3] = {x[0] + 0.5 * step * here.x, x[1] + 0.5 * step * here.y,
                            x[2] + 0.5 * step * here.z};
        fm_liquid_clamp_inside(g, middle);
        travel(job, x, v, fm_scale(find_velocity(g, middle, NULL, 0), step));
        double inside[3] = {x[0], x[1], x[2]};
        fm_liquid_clamp_inside(g, inside);
        if (n == parts - 1 || x[0] != inside[0] || x[1] != inside[1] || x[2] != inside[2])
            break; // arrived, or beyond an open side
        here = find_velocity(g, x, NULL, 0);
    }
}

// The way at x, spacings, that makes the density of the particles even, spacings.
FM_INLINE fm_vec3 find_shift(const fm_liquid *l, const double x[3])
{
    const fm_grid *g = l->grid;
    double way[3] = {0};
    for (int a = 0; a < (g->active[2] ? 3 : 2); a++)
        way[a] = fm_liquid_interpolate(g, l->shift[a], x, a);
    return (fm_vec3){way[0], way[1], way[2]};
}

// Reads the velocity of particle i from the faces, or lets it fall freely, and moves it for dt.
FM_INLINE void move_particle(const moving *job, int i)
{
    fm_liquid *l = job->l;
    const fm_grid *g = l->grid;
    fm_liquid_particles *p = &l->now;
    double x[3] = {p->x[0][i], p->x[1][i], p->x[2][i]};
    fm_vec3 v = {p->v[0][i], p->v[1][i], p->v[2][i]};
    bool loose = fm_liquid_interpolate(g, l->phi, x, 3) > LOOSE;
    if (loose) {
        v = fm_add_scaled(v, job->force, job->dt);
        for (int k = 0; k < 9; k++)
            p->c[k][i] = 0;
    } else {
        v = find_velocity(g, x, p->c, i);
    }
    double u[3] = {v.x, v.y, v.z};
    const double from[3] = {x[0], x[1], x[2]};
    fm_vec3 shift = {0};
    if (!loose && !l->samples.near) // a shift could take particles through a sheet
        shift = find_shift(l, x);
    if (loose)
        travel(job, x, u, fm_scale(v, job->dt / g->h));
    else
        follow_flow(job, x, u);
    if (shift.x != 0 || shift.y != 0 || shift.z != 0) {
        for (int a = 0; a < 3; a++) // the velocity field does not change
            u[a] +=
                g->h * ((double)p->c[3 * a][i] * shift.x + (double)p->c[3 * a + 1][i] * shift.y +
                        (double)p->c[3 * a + 2][i] * shift.z);
        travel(job, x, u, shift);
    }
    if (l->samples.near) {
        l->hit[i] = fm_liquid_stop_at_sheets(l, from, x, true);
        if (!loose) // the faces have exchanged its momentum
            l->hit[i].body = -1;
    }
    for (int a = 0; a < 3; a++) {
        p->x[a][i] = x[a];
        p->v[a][i] = u[a];
    }
}

// Moves the particles [first, last).
FM_SIMD_CLONES static void move_block(void *context, int first, int last)
{
    for (int i = first; i < last; i++)
        move_particle(context, i);
}

// Transfers the velocities of faces back to the particles, and moves these for dt seconds.
void fm_liquid_move_particles(fm_liquid *l, const fm_surroundings *around, double dt)
{
    moving job = {l, around, dt, fm_add(around->gravity, l->def.grid.acceleration)};
    if (!l->grid->active[2])
        job.force.z = 0;
    fm_parallel_for(fm_pool_if_worthwhile(around->pool, 200.0 * l->now.count), l->now.count,
                    FM_LIQUID_BLOCK, move_block, &job);
    fm_liquid_strike_sheets(l);
}

// Moves particle i by `way`, spacings, inside the sides and outside colliders.
void fm_liquid_shift_particle(fm_liquid *l, const fm_surroundings *around, int i, fm_vec3 way)
{
    fm_liquid_particles *p = &l->now;
    moving job = {.l = l, .around = around};
    double x[3] = {p->x[0][i], p->x[1][i], p->x[2][i]}, v[3] = {0};
    const double from[3] = {x[0], x[1], x[2]};
    travel(&job, x, v, way);
    if (l->samples.near)
        fm_liquid_stop_at_sheets(l, from, x, false);
    for (int a = 0; a < 3; a++)
        p->x[a][i] = x[a];
}

// Square of the largest speed of the particles [first, last) in the liquid, m^2/s^2; NaN if any is.
static double find_fastest(void *context, int first, int last)
{
    const fm_liquid *l = context;
    const fm_liquid_particles *p = &l->now;
    double fastest = 0;
    for (int i = first; i < last; i++) {
        double v[3] = {p->v[0][i], p->v[1][i], p->v[2][i]};
        double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        if (isnan(square))
            return square;
        double x[3] = {p->x[0][i], p->x[1][i], p->x[2][i]};
        if (square > fastest && fm_liquid_interpolate(l->grid, l->phi, x, 3) <= LOOSE)
            fastest = square;
    }
    return fastest;
}

// Largest speed of a particle that is not loose, or of the core, m/s; NaN if any is.
double fm_liquid_fastest(fm_liquid *l, fm_pool *pool)
{
    int count = l->now.count, blocks = fm_parallel_block_count(count, FM_LIQUID_BLOCK);
    fm_parallel_sum(fm_pool_if_worthwhile(pool, 3.0 * count), count, FM_LIQUID_BLOCK, find_fastest,
                    l, l->partial);
    double fastest = 0, core = fm_liquid_fastest_core(l, pool);
    for (int i = 0; i < blocks; i++)
        fastest = l->partial[i] > fastest || isnan(l->partial[i]) ? l->partial[i] : fastest;
    fastest = sqrt(fastest);
    return core > fastest || isnan(core) ? core : fastest;
}

// Signed distance of a point to the liquid that a source adds in `length` m ahead of it, m.
static double find_jet_distance(const fm_grid *g, const fm_fluid_source *s, double length,
                                fm_vec3 at)
{
    fm_vec3 from = fm_sub(at, s->centre);
    if (!g->active[2])
        from.z = 0;
    double along = fm_dot(from, s->direction);
    double across = fm_length(fm_add_scaled(from, s->direction, -along)) - s->radius;
    double ends = fm_double_max(-along, along - length);
    if (across > 0 && ends > 0)
        return sqrt(across * across + ends * ends);
    return fm_double_max(across, ends);
}

// Makes the space ahead of a source liquid.
static void add_jet(fm_liquid *l, const fm_fluid_source *s, double length)
{
    const fm_grid *g = l->grid;
    int low[3], high[3];
    double c[3] = {s->centre.x - g->def.low.x, s->centre.y - g->def.low.y,
                   s->centre.z - g->def.low.z};
    for (int a = 0; a < 3; a++) {
        double reach = (s->radius + length) / g->h + FM_LIQUID_BAND;
        low[a] = g->active[a] ? (int)fm_double_max(0, c[a] / g->h - reach) : 0;
        high[a] = g->active[a] ? (int)fm_double_min(g->n[a] - 1, c[a] / g->h + reach) : 0;
    }
    for (int k = low[2]; k <= high[2]; k++)
        for (int j = low[1]; j <= high[1]; j++)
            for (int i = low[0]; i <= high[0]; i++) {
                ptrdiff_t q = fm_grid_index(g, i, j, k);
                double d = find_jet_distance(g, s, length, fm_grid_centre(g, i, j, k, 3)) / g->h;
                l->phi[q] = fm_double_min(l->phi[q], d);
            }
}

// Two unit vectors across the direction n; the second is 0 in a grid that is one cell thick.
static void find_axes(const fm_grid *g, fm_vec3 n, fm_vec3 *a, fm_vec3 *b)
{
    *a = (fm_vec3){-n.y, n.x, 0};
    *b = (fm_vec3){0};
    if (!g->active[2])
        return;
    *a = fm_cross(n, fabs(n.y) < 0.9 ? (fm_vec3){0, 1, 0} : (fm_vec3){1, 0, 0});
    fm_normalize(a);
    *b = fm_cross(n, *a);
}

// Adds a particle of the volume, m^3, at every lattice site of a layer that a source emits, at the
// distance `ahead`, m, from the nozzle. Returns the number of sites; volume 0: only counts them.
static int add_layer(fm_liquid *l, const fm_fluid_source *s, double ahead, double volume, double dt)
{
    fm_grid *g = l->grid;
    double pitch = g->h / l->def.sampling, radius2 = s->radius * s->radius;
    int reach = (int)(s->radius / pitch) + 1, count = 0;
    double jitter = dt * g->nu / (g->h * g->h) < THICK ? JITTER * pitch : 0;
    fm_rng rng = {(uint64_t)l->next_id};
    fm_vec3 a, b;
    find_axes(g, s->direction, &a, &b);
    for (int i = -reach; i < reach; i++)
        for (int j = g->active[2] ? -reach : 0; j < (g->active[2] ? reach : 1); j++) {
            double u = (i + 0.5) * pitch, w = g->active[2] ? (j + 0.5) * pitch : 0;
            if (u * u + w * w > radius2 || ++count == 0 || volume == 0)
                continue;
            fm_vec3 at = fm_add_scaled(fm_add_scaled(s->centre, a, u), b, w);
            at = fm_add_scaled(at, a, jitter * (fm_rng_uniform(&rng) - 0.5));
            at = fm_add_scaled(at, b, jitter * (fm_rng_uniform(&rng) - 0.5));
            double forward = ahead + jitter * fm_rng_uniform(&rng);
            at = fm_scale(fm_sub(fm_add_scaled(at, s->direction, forward), g->def.low), 1 / g->h);
            double x[3] = {at.x, at.y, g->active[2] ? at.z : 0.5};
            double depth = -fm_liquid_interpolate(g, l->phi, x, 3);
            if (!fm_liquid_add_particle(l, x, fm_scale(s->direction, s->speed), volume))
                continue;
            l->stats.added += volume;
            if (depth > 0.5) { // inside liquid that is there already: it must give way
                ptrdiff_t q = fm_grid_index(g, (int)x[0], (int)x[1], g->active[2] ? (int)x[2] : 0);
                l->added[q] += volume / (g->h * g->h * dt);
            }
        }
    return count;
}

// Adds the particles that the sources emit in a substep of dt seconds. Where these are inside
// liquid, adds the divergence that makes space for them to l->added, m/s.
void fm_liquid_emit(fm_liquid *l, double dt)
{
    const fm_grid *g = l->grid;
    double pitch = g->h / l->def.sampling, t = g->time;
    memset(l->added, 0, g->count * sizeof *l->added);
    for (int i = 0; i < l->source_count; i++) {
        fm_liquid_source *s = &l->sources[i];
        double end = fm_double_min(t, s->def.end), farthest = 0;
        s->next = fm_double_max(s->next, s->def.start);
        if (s->next > end)
            continue;
        double area =
            g->active[2] ? FM_PI * s->def.radius * s->def.radius : 2 * s->def.radius * g->h;
        double volume = area * pitch / add_layer(l, &s->def, 0, 0, dt);
        for (; s->next <= end; s->next += pitch / s->def.speed) {
            double ahead = (t - s->next) * s->def.speed;
            farthest = fm_double_max(farthest, ahead);
            add_layer(l, &s->def, ahead, volume, dt);
        }
        // long enough for the grid to resolve; beyond the new layers there is liquid already
        add_jet(l, &s->def, fm_double_max(1.5 * g->h, farthest + 0.5 * pitch));
    }
}
