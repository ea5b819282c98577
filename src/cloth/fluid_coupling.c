// SPDX-License-Identifier: MIT
// fluid_coupling.c: quadrature points through which a cloth and a simulated fluid interact.
//
// Each triangle is divided into n^2 equal triangles, with the smallest n for which their edges are
// not longer than requested. Their centroids are the samples, with barycentric coordinates b_k in
// the whole triangle. An impulse J_s on a sample is distributed to the corners k with the same
// weights, which conserves momentum and angular momentum (for an implicit fluid see balance_parts):
//
//     x_s = sum_k b_k x_k,      J_k += b_k J_s
//
// Two-way coupling: the fluid pushes the cloth with the impulse J. That force would decrease as
// soon as the cloth moves. The cloth therefore takes a part of the fluid beside it, of mass M, as
// added mass, solves
//
//     (m + M) dv = J + springs, weight, ...
//
// and returns the momentum M dv to the fluid. This treats the force implicitly: J - M dv acts on
// the cloth and its opposite on the fluid. Gravity acts on m only, and M has no effect on cloth at
// rest. m contains the clinging mass, fluid that moves with the cloth and that the particles of the
// fluid do not represent (particles/immersed_surfaces.c).
//
// A fluid that solves the exchange implicitly (grid/sheets.c) knows the inverse masses of the
// samples, and gives two impulses: J, which changes the velocities at once, and load dt, its force
// F in the interval that begins. The added mass M then slows down what follows J only:
//
//     m dv = J,    (m + M) dv = F dt + springs, weight, ...
//
// Half of F dt acts at the start of the interval and half at its end, so that a cloth whose springs
// balance F stays where it is. The cloth returns M dv - F dt, the part of the fluid's impulse.
//
// With steady_load (particles/sheet_pressure.c), F is a steady force, like gravity, and the fluid
// already divides what follows from its impulses between m and M. J contains the part of m only.
//
// Lines have samples on their edges, in the middle of n equal parts of each; a load is one sample.
// Their coupling, and that of cloth by drag, is in drag_exchange.c.
//
// One-way coupling: the fluid carries the cloth and is not affected. It provides its velocity,
// which drag.c needs, and the wet share of the cloth's area. Within the interval, the velocity is
// interpolated linearly from its previous value.
//
//   J  N s, impulse    m  kg, mass of a particle    M  kg, added mass    v  m/s, velocity
//   F  N, load of an implicit fluid                 dt  s, interval
#include "cloth/cloth.h"

#include <math.h>

static const double SAMPLES_MAX = 2e7; // of one cloth; more are refused
static const double WET_MIN = 1e-6;    // wet share of a particle's area below which it is dry

// s, longest substep of a cloth with enforcement under the steady load of a fluid. With longer
// ones the load stretches the cloth: at 1/240 s by 13 % below 8 cm of water.
static const double LOADED_STEP = 5e-4;

static fm_vec3 axes_at(const fm_vec3_array *a, int i)
{
    return (fm_vec3){a->x[i], a->y[i], a->z[i]};
}

// The smallest n up to 1000 for which the edges of a triangle, divided into n parts, are not longer
// than `longest`, m. Rounding of lengths does not raise n.
static int count_subdivisions(const fm_cloth *c, const int corner[3], double longest)
{
    const double MOST = 1000, ROUNDING = 1e-9;
    double length = 0;
    for (int k = 0; k < 3; k++) {
        fm_vec3 edge = fm_sub(axes_at(&c->x, corner[(k + 1) % 3]), axes_at(&c->x, corner[k]));
        length = fmax(length, fm_length(edge));
    }
    return (int)fmax(1, fmin(MOST, ceil(length / longest * (1 - ROUNDING))));
}

// Adds the centroids of the n^2 parts of one triangle as samples. At each grid point (i, j) of the
// triangle begins a part with the orientation of the triangle and, except at the far edge, one that
// is rotated by 180 degrees. next: index of the next free sample.
static void add_triangle_samples(fm_cloth_samples *s, int *next, const int corner[3], int n)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; i + j < n; j++) {
            for (int rotated = 0; rotated <= (i + j < n - 1); rotated++) {
                double b = (i + (1 + rotated) / 3.0) / n, d = (j + (1 + rotated) / 3.0) / n;
                const double share[3] = {1 - b - d, b, d};
                for (int k = 0; k < 3; k++) {
                    s->corner[3 * *next + k] = corner[k];
                    s->share[3 * *next + k] = share[k];
                }
                s->parts[(*next)++] = rotated ? -n : n;
            }
        }
    }
}

// A copy of an array of the particles; NULL if memory runs out.
static double *copy_array(const fm_cloth *c, fm_arena *arena, const double *from, fm_error *err)
{
    double *copy = fm_arena_alloc(arena, (size_t)c->lanes, sizeof *copy, c->object.name, err);
    for (int i = 0; i < c->lanes && copy; i++)
        copy[i] = from[i];
    return copy;
}

// Allocates the arrays of `count` samples. The cloth gets its own copies of the arrays that the
// fluid will change: the wet area if it has drag, the inertia unless the coupling is one-way.
static bool create_arrays(fm_cloth_samples *s, fm_arena *arena, double count, fm_error *err)
{
    fm_cloth *c = s->cloth;
    if (count > SAMPLES_MAX)
        return fm_fail_number(err, c->object.name, "samples", count,
                              "at most 2e7: a coarser fluid, or a smaller cloth");
    size_t n = (size_t)count, lanes = (size_t)c->lanes;
    s->corner = fm_arena_alloc(arena, 3 * n, sizeof *s->corner, c->object.name, err);
    s->share = fm_arena_alloc(arena, 3 * n, sizeof *s->share, c->object.name, err);
    s->part = fm_arena_alloc(arena, 3 * n, sizeof *s->part, c->object.name, err);
    s->parts = fm_arena_alloc(arena, n, sizeof *s->parts, c->object.name, err);
    s->gathered = fm_arena_alloc(arena, lanes, sizeof *s->gathered, c->object.name, err);
    s->weight = fm_arena_alloc(arena, lanes, sizeof *s->weight, c->object.name, err);
    s->v = fm_arena_alloc(arena, lanes, sizeof *s->v, c->object.name, err);
    s->push = fm_arena_alloc(arena, lanes, sizeof *s->push, c->object.name, err);
    s->mass = fm_arena_alloc(arena, n, sizeof *s->mass, c->object.name, err);
    s->flow = fm_arena_alloc(arena, lanes, sizeof *s->flow, c->object.name, err);
    s->fluid = fm_arena_alloc(arena, lanes, sizeof *s->fluid, c->object.name, err);
    s->layer = fm_arena_alloc(arena, lanes, sizeof *s->layer, c->object.name, err);
    c->carrier.velocity = fm_vec3_array_create(arena, c->lanes, err);
    double *wet = copy_array(c, arena, c->area, err);
    double *inertia = copy_array(c, arena, c->mass, err);
    if (!fm_samples_create(&s->points, arena, (int)count, c->object.name, err))
        return false;
    if (s->points.passive || s->points.by_drag)
        c->wet_area = wet;
    if (!s->points.passive)
        c->inertia = inertia;
    return true;
}

// Writes the positions of all samples, interpolated from the corners of their triangles, m.
static void place_samples(const fm_cloth_samples *s, fm_vec3 *to)
{
    const fm_vec3_array *x = &s->cloth->x;
    for (int i = 0; i < s->points.count; i++) {
        const int *corner = s->corner + 3 * (size_t)i;
        const double *share = s->share + 3 * (size_t)i;
        fm_vec3 at = fm_scale(axes_at(x, corner[0]), share[0]);
        at = fm_add_scaled(at, axes_at(x, corner[1]), share[1]);
        to[i] = fm_add_scaled(at, axes_at(x, corner[2]), share[2]);
    }
}

// Velocity of sample i, m/s, from those of its corners. weights: [3 * count] of the corners.
static fm_vec3 find_velocity(const fm_cloth_samples *s, int i, const double *weights)
{
    fm_vec3 v = {0};
    for (int k = 3 * i; k < 3 * i + 3; k++)
        v = fm_add_scaled(v, axes_at(&s->cloth->v, s->corner[k]), weights[k]);
    return v;
}

// Computes the geometry of the samples of a line or load: surface, half length (reach) and tangent.
static void compute_pieces(const fm_cloth_samples *s, fm_vec3 *tangent)
{
    const fm_cloth *c = s->cloth;
    double d = c->line->diameter;
    for (int i = 0; i < s->points.count; i++) {
        const int *corner = s->corner + 3 * (size_t)i;
        fm_vec3 edge = fm_sub(axes_at(&c->x, corner[1]), axes_at(&c->x, corner[0]));
        double length = fm_length(edge) / s->parts[i];
        fm_normalize(&edge);
        s->points.area[i] = c->line->is_load ? FM_PI * d * d : FM_PI * d * length;
        s->points.reach[i] = 0.5 * (c->line->is_load ? d : length);
        tangent[i] = edge;
    }
}

// Computes the geometry of each sample's part of its triangle: normal, area, largest distance of a
// corner from the centroid (reach), and the vectors along and across that delimit the part
// (core/surface_samples.h).
static void compute_patches(const fm_cloth_samples *s, fm_vec3 *normal, fm_vec3 *patch_corner)
{
    const fm_vec3_array *x = &s->cloth->x;
    if (s->cloth->line)
        compute_pieces(s, normal);
    for (int i = 0; i < s->points.count && !s->cloth->line; i++) {
        const int *corner = s->corner + 3 * (size_t)i;
        const fm_vec3 at[3] = {axes_at(x, corner[0]), axes_at(x, corner[1]), axes_at(x, corner[2])};
        fm_sample_patch patch = fm_sample_patch_of_triangle(at, s->parts[i]);
        s->points.area[i] = patch.area;
        s->points.reach[i] = patch.reach;
        s->points.along[i] = patch.along;
        s->points.across[i] = patch.across;
        normal[i] = patch.normal;
        const double *share = s->share + 3 * (size_t)i;
        for (int k = 0; k < 3; k++) { // the patch is similar to its triangle
            fm_vec3 *to = patch_corner + 3 * (size_t)i + k;
            *to = (fm_vec3){0};
            for (int m = 0; m < 3; m++) {
                double spoke = ((m == k ? 1 : 0) - 1.0 / 3) / s->parts[i];
                *to = fm_add_scaled(*to, at[m], share[m] + spoke);
            }
        }
    }
}

// Scales the parts at each particle, and then in each sample so that they add up to 1. Returns the
// largest relative difference, before that, between the areas at a particle and that of its parts.
static double scale_parts(fm_cloth_samples *s, double factor)
{
    const fm_cloth *c = s->cloth;
    double largest = 0;
    for (int i = 0; i < c->count; i++)
        s->weight[i] = 0;
    for (int i = 0; i < 3 * s->points.count; i++)
        s->weight[s->corner[i]] += s->part[i] * s->points.area[i / 3];
    for (int i = 0; i < s->points.count; i++) {
        double sum = 0, *part = s->part + 3 * (size_t)i;
        for (int k = 0; k < 3; k++) {
            int at = s->corner[3 * (size_t)i + (size_t)k];
            double scale = s->weight[at] > 0 ? factor * c->area[at] / s->weight[at] : 1;
            largest = fmax(largest, fabs(scale - 1));
            part[k] *= scale;
            sum += part[k];
        }
        for (int k = 0; k < 3 && sum > 0; k++)
            part[k] /= sum;
    }
    return largest;
}

// Sets the parts of an impulse of an implicit fluid that the corners of a sample get, and of its
// wet area in one-way coupling. In a sheet, whose cells are cut along alternating diagonals, some
// particles belong to eight triangles and others to four. With barycentric coordinates a uniform
// pressure would accelerate the first twice as much as the others, and excite waves that the faces
// of the fluid see in part. The parts are barycentric coordinates scaled so that the force on a
// particle is proportional to its area.
static void balance_parts(fm_cloth_samples *s)
{
    const int ROUNDS = 200;
    const double ENOUGH = 1e-6;
    double whole = 0, area = 0;
    for (int i = 0; i < 3 * s->points.count; i++)
        s->part[i] = s->share[i];
    if (s->cloth->line)
        return; // its samples have no triangles
    for (int i = 0; i < s->cloth->count; i++)
        whole += s->cloth->area[i];
    for (int i = 0; i < s->points.count; i++)
        area += s->points.area[i];
    for (int round = 0; round < ROUNDS && whole > 0; round++)
        if (scale_parts(s, area / whole) < ENOUGH)
            return;
}

// Divides the mass of each particle among the samples around it, by their parts.
static void share_masses(const fm_cloth_samples *s)
{
    const fm_cloth *c = s->cloth;
    for (int i = 0; i < c->count; i++)
        s->weight[i] = 0;
    for (int i = 0; i < 3 * s->points.count; i++)
        s->weight[s->corner[i]] += s->part[i];
    for (int i = 0; i < s->points.count; i++) {
        s->mass[i] = 0;
        for (int k = 3 * i; k < 3 * i + 3; k++)
            s->mass[i] += s->part[k] * c->mass[s->corner[k]] / s->weight[s->corner[k]];
    }
}

// Creates the samples of a line, at most `longest` apart, m, or that of a load. False if memory
// runs out.
static bool create_line_samples(fm_cloth_samples *s, double longest, fm_error *err)
{
    fm_cloth *c = s->cloth;
    const fm_spring_mesh *mesh = &c->mesh;
    double count = c->line->is_load;
    for (int e = 0; e < mesh->edge_count; e++)
        count += count_subdivisions(c, (int[]){mesh->edge_a[e], mesh->edge_b[e], mesh->edge_b[e]},
                                    longest);
    if (!create_arrays(s, &c->arena, count, err))
        return false;
    int next = 0;
    for (int e = 0; e < mesh->edge_count; e++) {
        int corner[3] = {mesh->edge_a[e], mesh->edge_b[e], mesh->edge_b[e]};
        int n = count_subdivisions(c, corner, longest);
        for (int i = 0; i < n; i++, next++) {
            double b = (i + 0.5) / n;
            const double share[3] = {1 - b, b, 0};
            for (int k = 0; k < 3; k++) {
                s->corner[3 * next + k] = corner[k];
                s->share[3 * next + k] = share[k];
            }
            s->parts[next] = n;
        }
    }
    if (c->line->is_load)
        s->share[0] = 1, s->parts[0] = 1; // its corners are all particle 0
    return true;
}

// Marks the edges of patches that are edges of the surface. edge[k]: whether the edge of the
// triangle opposite of its corner k belongs to no other triangle. next: first sample of the
// triangle.
static void mark_border(fm_cloth_samples *s, int next, const bool edge[3], int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; i + j < n; j++) {
            bool outer[3] = {i + j == n - 1, i == 0, j == 0};
            for (int k = 0; k < 3; k++)
                s->points.border[next] |= (unsigned char)((outer[k] && edge[k]) << k);
            next += 1 + (i + j < n - 1);
        }
}

// Sets edge[3 t + k] for all triangles t, as above.
static bool find_border(const fm_mesh_view *mesh, bool *edge, fm_arena *arena, fm_error *err)
{
    size_t corners = 3 * (size_t)mesh->face_count;
    int *start = fm_arena_alloc(arena, (size_t)mesh->point_count + 2, sizeof *start, "", err);
    int *around = fm_arena_alloc(arena, corners, sizeof *around, "", err); // corners by point
    if (!start || !around)
        return false;
    for (size_t i = 0; i < corners; i++)
        start[mesh->face_points[i] + 2]++;
    for (int i = 0; i < mesh->point_count; i++)
        start[i + 2] += start[i + 1];
    for (size_t i = 0; i < corners; i++)
        around[start[mesh->face_points[i] + 1]++] = (int)i;
    for (int i = 0; i < (int)corners; i++) {
        int t = i - i % 3, a = mesh->face_points[t + (i + 1) % 3];
        int b = mesh->face_points[t + (i + 2) % 3], shared = 0;
        for (int k = start[a]; k < start[a + 1]; k++) {
            int u = around[k] - around[k] % 3;
            for (int m = 0; m < 3; m++)
                shared += mesh->face_points[u + m] == b;
        }
        edge[i] = shared == 1;
    }
    return true;
}

// Creates the samples of a surface, at most `longest` apart, m. False if memory runs out.
static bool create_surface_samples(fm_cloth_samples *s, double longest, fm_error *err)
{
    fm_cloth *c = s->cloth;
    fm_mesh_view mesh;
    if (!fm_cloth_find_mesh(c, &mesh, err))
        return false;
    double count = 0;
    for (int t = 0; t < mesh.face_count; t++) {
        double n = count_subdivisions(c, mesh.face_points + 3 * (size_t)t, longest);
        count += n * n;
    }
    if (!create_arrays(s, &c->arena, count, err))
        return false;
    fm_arena scratch = {0};
    bool *edge = fm_arena_alloc(&scratch, 3 * (size_t)mesh.face_count, sizeof *edge, "", err);
    bool good = edge && find_border(&mesh, edge, &scratch, err);
    int next = 0;
    for (int t = 0; t < mesh.face_count && good; t++) {
        const int *corner = mesh.face_points + 3 * (size_t)t;
        int n = count_subdivisions(c, corner, longest);
        mark_border(s, next, edge + 3 * (size_t)t, n);
        add_triangle_samples(s, &next, corner, n);
    }
    fm_arena_destroy(&scratch);
    return good;
}

// Creates the samples of a cloth, line or load, at most `longest` apart, m.
bool fm_cloth_samples_create(fm_cloth_samples *s, fm_cloth *c, double longest, fm_coupling_way way,
                             const fm_medium *medium, fm_error *err)
{
    *s = (fm_cloth_samples){.cloth = c, .medium = *medium};
    s->points.passive = way == FM_COUPLING_ONE_WAY;
    s->points.by_drag = fm_coupling_is_by_drag(c->object.type, way);
    s->points.thickness = c->def.thickness;
    if (!c->line && !c->soft && c->pinned_count == 0)
        s->points.free_mass = c->def.density * c->def.thickness;
    if (!(c->line ? create_line_samples : create_surface_samples)(s, longest, err))
        return false;
    c->carrier.on = s->points.passive;
    place_samples(s, s->points.start_position);
    place_samples(s, s->points.end_position);
    compute_patches(s, s->points.start_normal, s->points.start_corner);
    balance_parts(s);
    share_masses(s);
    return true;
}

// Sums quantities of the samples at the corners of their triangles, with barycentric weights, in
// the order of the samples. With `factor`, s->gathered = sum of from * weight_of * factor and
// s->weight = sum of weight_of * factor; without it, s->gathered = sum of from and s->weight = sum
// of weight_of.
static void gather_at_particles(const fm_cloth_samples *s, const fm_vec3 *from,
                                const double *weight_of, const double *factor)
{
    bool balanced = s->points.implicit || s->points.passive;
    const double *part = balanced ? s->part : s->share;
    for (int i = 0; i < s->cloth->count; i++) {
        s->gathered[i] = (fm_vec3){0};
        s->weight[i] = 0;
    }
    for (int i = 0; i < s->points.count; i++) {
        double weight = factor ? weight_of[i] * factor[i] : weight_of[i];
        for (int k = 0; k < 3; k++) {
            int at = s->corner[3 * (size_t)i + (size_t)k];
            double share = part[3 * (size_t)i + (size_t)k];
            s->gathered[at] =
                fm_add_scaled(s->gathered[at], from[i], factor ? share * weight : share);
            s->weight[at] += share * weight;
        }
    }
}

// Adds impulses over masses to the velocities of the particles that no pin holds at time t, s.
static void add_impulses(fm_cloth *c, const fm_vec3 *impulse, const double *mass, double share,
                         double t)
{
    for (int i = 0; i < c->count; i++) {
        if (fm_cloth_is_pinned(c, i, t))
            continue;
        fm_vec3 dv = fm_scale(impulse[i], share / mass[i]);
        c->v.x[i] += dv.x, c->v.y[i] += dv.y, c->v.z[i] += dv.z;
    }
}

// Sets the inertia to mass plus added mass, from the weights at the particles, and keeps the
// velocities. Accelerations are rescaled, so that they belong to the same forces as before.
static void set_inertia(const fm_cloth_samples *s)
{
    fm_cloth *c = s->cloth;
    for (int i = 0; i < c->count; i++) {
        double inertia = c->mass[i] + s->layer[i] + s->weight[i], change = c->inertia[i] / inertia;
        c->inertia[i] = inertia;
        c->a.x[i] *= change, c->a.y[i] *= change, c->a.z[i] *= change;
        s->v[i] = axes_at(&c->v, i);
    }
}

// Sums the mass of the fluid that clings to the cloth at the particles.
static void gather_layer(const fm_cloth_samples *s)
{
    const double *part = s->points.implicit ? s->part : s->share;
    for (int i = 0; i < s->cloth->count; i++)
        s->layer[i] = 0;
    for (int i = 0; i < 3 * s->points.count; i++)
        s->layer[s->corner[i]] += part[i] * s->points.clinging_mass[i / 3];
}

// Two-way coupling: applies the fluid's impulses to mass, clinging mass and added mass.
static void apply_impulses(const fm_cloth_samples *s)
{
    fm_cloth *c = s->cloth;
    gather_layer(s);
    gather_at_particles(s, s->points.impulse_to_body, s->points.added_mass, NULL);
    set_inertia(s);
    add_impulses(c, s->gathered, c->inertia, 1, c->time);
    for (int i = 0; i < s->points.count; i++)
        s->points.impulse_to_body[i] = (fm_vec3){0};
}

// Interpolates values per area at the particles to the loads of the wet samples that move, N:
// from[k] + change[k] with the weight `factor`; change may be NULL.
static void interpolate_load(const fm_cloth_samples *s, const fm_vec3 *from, const fm_vec3 *change,
                             double factor)
{
    for (int i = 0; i < s->points.count; i++) {
        fm_vec3 load = {0};
        if (s->points.inverse_mass[i] == 0)
            continue;
        for (int k = 3 * i; k < 3 * i + 3; k++) {
            int at = s->corner[k];
            load = fm_add_scaled(load, from[at], s->part[k]);
            if (change)
                load = fm_add_scaled(load, change[at], factor * s->part[k]);
        }
        s->points.load[i] = fm_scale(load, s->points.wet[i] * s->points.area[i]);
    }
}

// Removes from the load of an implicit fluid what changes sign from particle to particle. With the
// interpolation A from the samples to the particles and back, F becomes F - (1 - A)^2 F. The
// velocity of such waves is nearly zero on the faces of the fluid, which hence does not limit their
// load. For 16 particles per wave, F decreases by 0.15 %.
static void smooth_load(const fm_cloth_samples *s)
{
    fm_cloth *c = s->cloth;
    gather_at_particles(s, s->points.load, s->points.area, NULL);
    for (int i = 0; i < c->count; i++)
        s->push[i] = s->weight[i] > 0 ? fm_scale(s->gathered[i], 1 / s->weight[i]) : (fm_vec3){0};
    interpolate_load(s, s->push, NULL, 0);
    gather_at_particles(s, s->points.load, s->points.area, NULL);
    for (int i = 0; i < c->count; i++)
        s->gathered[i] = s->weight[i] > 0
                             ? fm_add_scaled(s->push[i], s->gathered[i], -1 / s->weight[i])
                             : (fm_vec3){0};
    interpolate_load(s, s->push, s->gathered, 1);
}

// Adds the load, times `factor`, to the accelerations: it acts like gravity during the interval.
static void add_load(const fm_cloth_samples *s, double factor)
{
    fm_cloth *c = s->cloth;
    for (int i = 0; i < c->count; i++) {
        double share = factor / c->inertia[i];
        c->a.x[i] += share * s->push[i].x;
        c->a.y[i] += share * s->push[i].y;
        c->a.z[i] += share * s->push[i].z;
    }
    c->fluid_load = factor > 0 ? s->push : NULL;
}

// Two-way coupling with an implicit fluid: applies its impulses to the mass of the cloth, then half
// of its load in the interval of dt seconds to mass and added mass.
static void apply_implicit_impulses(const fm_cloth_samples *s, double dt)
{
    fm_cloth *c = s->cloth;
    gather_layer(s);
    for (int i = 0; i < c->count; i++)
        s->fluid[i] = c->mass[i] + s->layer[i];
    gather_at_particles(s, s->points.impulse_to_body, s->points.added_mass, NULL);
    add_impulses(c, s->gathered, s->fluid, 1, c->time);
    for (int i = 0; i < s->points.count; i++)
        s->points.start_velocity[i] = find_velocity(s, i, s->part);
    smooth_load(s);
    gather_at_particles(s, s->points.load, s->points.added_mass, NULL);
    set_inertia(s);
    for (int i = 0; i < c->count; i++)
        s->push[i] = fm_scale(s->gathered[i], s->points.steady_load ? 1 : dt);
    if (s->points.steady_load && c->def.enforcement.method != FM_ENFORCE_NONE &&
        c->def.time_step == 0)
        c->stable_step = fmin(c->stable_step, LOADED_STEP);
    if (s->points.steady_load)
        add_load(s, 1);
    else
        add_impulses(c, s->push, c->inertia, 0.5, c->time);
    for (int i = 0; i < s->points.count; i++)
        s->points.impulse_to_body[i] = (fm_vec3){0};
}

// After the interval of dt seconds: applies the other half of the load, returns the load to the
// fluid, and writes velocities and inverse masses of the samples.
static void finish_implicit_impulses(const fm_cloth_samples *s, double end, double dt)
{
    fm_cloth *c = s->cloth;
    const fm_samples *points = &s->points;
    if (points->steady_load)
        add_load(s, -1);
    else
        add_impulses(c, s->push, c->inertia, 0.5, end);
    for (int i = 0; i < points->count; i++) {
        double free = 0;
        for (int k = 3 * i; k < 3 * i + 3; k++)
            free += fm_cloth_is_pinned(c, s->corner[k], end) ? 0 : s->part[k];
        points->body_velocity[i] = find_velocity(s, i, s->part);
        points->inverse_mass[i] = free / s->mass[i];
        points->impulse_to_fluid[i] =
            fm_add_scaled(points->impulse_to_fluid[i], points->load[i], -dt);
    }
}

// One-way coupling: computes the fluid's velocity and the wet area at each particle, for the time
// `end`, s. A dry particle keeps the previous velocity of the medium, so that the drag memory
// receives no spurious jump.
static void compute_carrier(const fm_cloth_samples *s, double end)
{
    fm_cloth *c = s->cloth;
    gather_at_particles(s, s->points.velocity, s->points.area, s->points.wet);
    c->carrier.end = end;
    for (int i = 0; i < c->count; i++) {
        bool wet = s->weight[i] > WET_MIN * c->area[i];
        fm_vec3 w = wet ? fm_scale(s->gathered[i], 1 / s->weight[i]) : axes_at(&c->w, i);
        c->carrier.velocity.x[i] = w.x;
        c->carrier.velocity.y[i] = w.y;
        c->carrier.velocity.z[i] = w.z;
        c->wet_area[i] = fmin(s->weight[i], c->area[i]);
    }
}

// Coupling by drag: the same, and the mass of the fluid around each particle, kg.
static void compute_fluid(const fm_cloth_samples *s, double end)
{
    compute_carrier(s, end);
    for (int i = 0; i < s->cloth->count; i++)
        s->fluid[i] = 0;
    for (int i = 0; i < 3 * s->points.count; i++)
        s->fluid[s->corner[i]] += s->share[i] * s->points.added_mass[i / 3];
    fm_cloth_begin_drag_exchange(s->cloth);
}

// Before the cloth moves through the interval that ends at time `end`: places the samples, and
// applies the fluid's impulses (two-way) or takes over its velocity (one-way).
void fm_cloth_samples_read_medium(fm_cloth_samples *s, double end)
{
    place_samples(s, s->points.start_position);
    compute_patches(s, s->points.start_normal, s->points.start_corner);
    for (int i = 0; i < s->points.count && !s->points.passive; i++)
        s->received = fm_add(s->received, s->points.impulse_to_body[i]);
    if (s->points.by_drag)
        compute_fluid(s, end);
    else if (s->points.passive)
        compute_carrier(s, end);
    else if (s->points.implicit)
        apply_implicit_impulses(s, end - s->cloth->time);
    else
        apply_impulses(s);
}

// After the cloth has moved from time `start` to `end`: writes the new positions and normals of the
// samples and, in two-way coupling, the momentum that the added mass has gained, which the cloth
// returns to the fluid.
void fm_cloth_samples_write_motion(fm_cloth_samples *s, double start, double end)
{
    fm_cloth *c = s->cloth;
    const double *part = s->points.implicit ? s->part : s->share;
    s->points.start = start;
    s->points.end = end;
    place_samples(s, s->points.end_position);
    compute_patches(s, s->points.normal, s->points.end_corner);
    if (s->points.implicit && !s->points.passive)
        finish_implicit_impulses(s, end, end - start);
    if (s->points.by_drag)
        fm_cloth_end_drag_exchange(c, end);
    bool borrows = !s->points.passive && !s->points.by_drag;
    for (int i = 0; i < s->points.count && borrows && !s->points.implicit; i++)
        s->points.body_velocity[i] = find_velocity(s, i, s->share);
    for (int i = 0; i < c->count && borrows; i++)
        s->v[i] = fm_cloth_is_pinned(c, i, end) ? (fm_vec3){0} : fm_sub(axes_at(&c->v, i), s->v[i]);
    for (int i = 0; i < s->points.count && !s->points.passive; i++) {
        for (int k = 0; k < 3 && borrows; k++) {
            size_t at = 3 * (size_t)i + (size_t)k;
            s->points.impulse_to_fluid[i] =
                fm_add_scaled(s->points.impulse_to_fluid[i], s->v[s->corner[at]],
                              part[at] * s->points.added_mass[i]);
        }
        s->received = fm_sub(s->received, s->points.impulse_to_fluid[i]);
    }
}

// N s, impulses that fluid and cloth have still to give each other, and the momentum of the fluid
// that clings to the cloth.
fm_vec3 fm_cloth_samples_pending(const fm_cloth_samples *s)
{
    fm_vec3 sum = {0};
    const double *part = s->points.implicit ? s->part : s->share;
    for (int i = 0; i < s->points.count && !s->points.passive; i++) {
        sum = fm_add(sum, fm_add(s->points.impulse_to_body[i], s->points.impulse_to_fluid[i]));
        sum = fm_add_scaled(sum, find_velocity(s, i, part), s->points.clinging_mass[i]);
    }
    return sum;
}

// Velocity of the carrying fluid at time t of a substep that begins at `start`, at the particles
// [first, last), into `flow`: linear from its value w at the beginning of the substep to
// carrier.velocity at the end of the interval.
void fm_cloth_interpolate_carrier(fm_cloth *c, double start, double t, int first, int last)
{
    double remaining = c->carrier.end - start, passed = t - start; // s
    double fraction = c->started && remaining > passed ? passed / remaining : 1;
    const fm_vec3_array *to = &c->carrier.velocity, *w = &c->w;
    for (int i = first; i < last && i < c->count; i++) {
        c->flow.x[i] = w->x[i] + fraction * (to->x[i] - w->x[i]);
        c->flow.y[i] = w->y[i] + fraction * (to->y[i] - w->y[i]);
        c->flow.z[i] = w->z[i] + fraction * (to->z[i] - w->z[i]);
    }
}
