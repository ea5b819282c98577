// SPDX-License-Identifier: MIT
// surface_tension.c: surface tension of a particle fluid, as a force on the particles near a free
// surface (continuum surface force [BRA92]).
//
//     a_i = 2 sigma / rho K_i g_i         g_i = sum_j V_j F_ij r_ij,   the gradient of the fill c
//     n = g / |g| smoothed, into the fluid    k_i = -div n along the surface, by least squares
//     K_i = sum_j V_j W_ij |g_j| k_j / (1 + k_j z_j / (d - 1)) / sum_j V_j W_ij |g_j|
//
// The pressure force of a uniform pressure p that ends at a free surface is -2 p / rho g_i in SPH,
// for any arrangement of the particles. So a round drop is at rest with p = sigma K inside, and the
// error of its pressure is that of the curvature K. k is the curvature of the layer that contains
// the particle; z, the depth of that layer, turns it into that of the surface. It is found from
// the fill, which falls from 1 inside the fluid to 1/2 at its surface. Normals that point against
// that of the particle belong to the other side of a film and are left out of k. K is at most 1 /
// spacing for each of its directions.
//
// Inside the layer of particles with a normal, g falls to zero over a few particles. Those have
// the force as well, with K of their neighbours: without it the pressure is 4 % too small, and
// swinging drops gain energy.
//
// The forces on a closed surface add up to nothing up to the error of K. If no wall and no body is
// near a surface, what is left is subtracted from them, in proportion to |g|, so that momentum is
// conserved.
//
// At walls and bodies, the part of g along their normal is left out: surfaces meet them at 90
// degrees, and they feel no force of surface tension.
//
// The substep is bounded by the capillary wave of two spacings, STEP sqrt(rho s^3 / (2 pi sigma)).
//
//   sigma  surface tension, N/m    rho  density, kg/m^3     V  volume at rest, m^d    s  spacing, m
//   W_ij   kernel, 1/m^d           F_ij r_ij  its gradient at i, r_ij = x_i - x_j     d  dimensions
//
// [BRA92] in docs/references.md
#include "particles/local_gradients.h"

// Particles with |g| R above this have a normal; it is 1.7 at a flat surface and a few hundredths
// inside a fluid by disorder.
static const float NORMAL_MIN = 0.25f;
// Particles with |g| R above this have a force, with the curvature of those with a normal.
static const float FORCE_MIN = 0.03f;
// Normals with a product below this are on different sides of a film.
static const float SAME_SIDE = 0.2f;
// |sum of V F r| R over boundary particles from which a wall is near.
static const float WALL_MIN = 0.1f;
// Share of the time in which the capillary wave of two spacings turns by one radian.
static const double STEP = 0.4;

enum {
    DEPTH_COUNT = 16, // entries in the table of depths
    SMOOTHINGS = 2,   // of the normals
};

// A vector of a particle near a surface.
typedef struct surface_record {
    float n[3];   // unit vector into the fluid; 0: not near a surface
    float length; // of the vector, 1/m; 0: not near a surface
} surface_record;

// The state of the term.
typedef struct surface_tension {
    surface_record *gradients; // [capacity] g
    surface_record *records;   // [capacity] normals: smoothed g
    surface_record *spare;     // [capacity] source or result of smoothing
    float *curvature;          // [capacity] of the surface near the particle, 1/m
    float depth[DEPTH_COUNT];  // m, below a flat surface where the fill is 1/2 + k/2/DEPTH_COUNT
} surface_tension;

// A step and the state of its surface tension.
typedef struct tension_pass {
    const fm_particles_step *step;
    surface_tension *tension;
    float excess[3]; // m/s^2 m, sum of the forces / sum of |g|
} tension_pass;

// Fill at the depth z R below a flat surface, from an integral over slices of the kernel.
static double find_fill(int dimensions, double z)
{
    const int n = 400;
    double sum = 0, total = 0;
    for (int k = 0; k < n; k++) {
        double y = (k + 0.5) / n * 2 - 1, slice = 0; // height above the particle, in supports
        double radius = sqrt(1 - y * y);
        for (int m = 0; m < 100; m++) {
            double r = (m + 0.5) / 100 * radius, q = sqrt(r * r + y * y);
            double w = fm_kernel_shape(FM_KERNEL_WENDLAND, q < 1 ? q : 1);
            slice += radius * (dimensions == 3 ? r : 1) * w;
        }
        total += slice;
        sum += y < z ? slice : 0;
    }
    return sum / total;
}

// Fills the table of depths by stepping down from the surface.
static void tabulate_depths(const fm_particles *p, surface_tension *t)
{
    const int n = 200;
    int entry = 0;
    for (int k = 0; k <= n; k++) {
        double fill = k < n ? find_fill(p->def.dimensions, (double)k / n) : 1;
        for (; entry < DEPTH_COUNT && 0.5 + 0.5 * entry / DEPTH_COUNT <= fill; entry++)
            t->depth[entry] = (float)(p->R * k / n);
    }
}

// Creates the state, or returns NULL if the fluid has no surface tension.
static void *create(fm_particles *p, const fm_surroundings *around, fm_error *err)
{
    (void)around;
    if (p->def.surface_tension == 0)
        return NULL;
    const size_t n = (size_t)p->capacity;
    surface_tension *t = fm_arena_alloc(&p->arena, 1, sizeof *t, p->object.name, err);
    surface_record *records = fm_arena_alloc(&p->arena, n, sizeof *records, p->object.name, err);
    surface_record *gradients = fm_arena_alloc(&p->arena, n, sizeof *records, p->object.name, err);
    surface_record *spare = fm_arena_alloc(&p->arena, n, sizeof *records, p->object.name, err);
    float *curvature = fm_arena_alloc(&p->arena, n, sizeof *curvature, p->object.name, err);
    if (!t || !records || !gradients || !spare || !curvature)
        return NULL;
    *t = (surface_tension){
        .gradients = gradients, .records = records, .spare = spare, .curvature = curvature};
    if (p->def.method == FM_SPH_CONSTANT_DENSITY &&
        !(p->tension = fm_arena_alloc(&p->arena, n, sizeof *p->tension, p->object.name, err)))
        return NULL;
    tabulate_depths(p, t);
    return t;
}

// Bounds the substep by the shortest capillary wave.
static void bound_step(const fm_particles *p, const void *state, fm_step_bounds *bounds)
{
    (void)state;
    const double s = p->def.spacing, sigma = p->def.surface_tension;
    bounds->terms =
        fmin(bounds->terms, STEP * sqrt(p->def.density * s * s * s / (2 * FM_PI * sigma)));
}

// Sums V F r over the neighbours of fluid particle i in the fluid and its ghosts, `in`, and over
// boundary particles, `out`, 1/m.
FM_INLINE void sum_gradients(const fm_particles *p, int i, float in[3], float out[3])
{
    const fm_density_record *at = &p->fluid.density[i];
    const float inverse = (float)(1 / p->R);
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    const int *list = fm_neighbours_in_fluid(p, i, buffer, &count, &padding);
    fm_floats g[3] = {0};
    for (int b = 0; b < count; b += 8) {
        fm_density_octet j = fm_records_load_density(p->fluid.density, list + b, 0);
        fm_floats dx = at->x - j.x, dy = at->y - j.y, dz = at->z - j.z;
        fm_floats q = fm_floats_sqrt(dx * dx + dy * dy + dz * dz) * inverse;
        fm_floats slope = j.V * fm_kernel_wendland_slope(q);
        g[0] += slope * dx, g[1] += slope * dy, g[2] += slope * dz;
    }
    for (int axis = 0; axis < 3; axis++) {
        in[axis] = p->F * fm_floats_sum(g[axis]);
        out[axis] = 0;
    }
    list = fm_neighbours_in_boundary(p, i, buffer, &count, &padding);
    for (int k = 0; k < count - padding; k++) {
        const fm_density_record *j = &p->boundary.density[list[k]];
        const float d[3] = {at->x - j->x, at->y - j->y, at->z - j->z};
        float u = 1 - inverse * sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        float *sum = fm_boundary_is_ghost(p, list[k]) ? in : out;
        for (int axis = 0; axis < 3 && u > 0; axis++)
            sum[axis] -= 20 * p->F * j->V * u * u * u * d[axis];
    }
}

// Finds the normals of the particles first to below last.
FM_SIMD_CLONES static void find_normals_range(void *context, int first, int last)
{
    const tension_pass *pass = context;
    const fm_particles *p = pass->step->p;
    const float inverse = (float)(1 / p->R);
    for (int i = first; i < last; i++) {
        float g[3], wall[3];
        sum_gradients(p, i, g, wall);
        float w2 = wall[0] * wall[0] + wall[1] * wall[1] + wall[2] * wall[2];
        if (w2 > WALL_MIN * WALL_MIN * inverse * inverse) {
            float along = (g[0] * wall[0] + g[1] * wall[1] + g[2] * wall[2]) / w2;
            for (int axis = 0; axis < 3; axis++)
                g[axis] -= along * wall[axis];
        }
        float length = sqrtf(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
        float scale = length > FORCE_MIN * inverse ? 1 / length : 0;
        surface_record none = {{0}, 0},
                       found = {{scale * g[0], scale * g[1], scale * g[2]}, length};
        pass->tension->gradients[i] = scale > 0 ? found : none;
        pass->tension->records[i] = length > NORMAL_MIN * inverse ? found : none;
    }
}

// The surface record of neighbour k of a list in the fluid, or in the boundary set: that of the
// particle that a ghost is the image of, or NULL for a boundary particle.
static const surface_record *find_record(const fm_particles *p, const surface_tension *t, int j,
                                         bool boundary)
{
    if (!boundary)
        return &t->records[j];
    return fm_boundary_is_ghost(p, j) ? &t->records[p->identity[j].owner.index] : NULL;
}

// Smooths the vectors `spare` of the particles first to below last into `records`: kernel-weighted
// means over the neighbours near a surface, on the same side of a film.
static void smooth_normals_range(void *context, int first, int last)
{
    const tension_pass *pass = context;
    const fm_particles *p = pass->step->p;
    surface_tension *t = pass->tension;
    surface_tension source = *t;
    source.records = t->spare;
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    for (int i = first; i < last; i++) {
        const surface_record *own = &t->spare[i];
        t->records[i] = *own;
        if (own->length == 0)
            continue;
        const fm_density_record *at = &p->fluid.density[i];
        float sum[3] = {0};
        for (int set = 0; set < 2; set++) {
            const int *list = set == 1 ? fm_neighbours_in_boundary(p, i, buffer, &count, &padding)
                                       : fm_neighbours_in_fluid(p, i, buffer, &count, &padding);
            for (int k = 0; k < count - padding; k++) {
                const fm_density_record *j =
                    set == 1 ? &p->boundary.density[list[k]] : &p->fluid.density[list[k]];
                const surface_record *other = find_record(p, &source, list[k], set == 1);
                if (!other ||
                    own->n[0] * other->n[0] + own->n[1] * other->n[1] + own->n[2] * other->n[2] <
                        SAME_SIDE)
                    continue;
                float dx = at->x - j->x, dy = at->y - j->y, dz = at->z - j->z;
                float u = 1 - sqrtf(dx * dx + dy * dy + dz * dz) / (float)p->R;
                float weight = u > 0 ? u * other->length : 0;
                for (int axis = 0; axis < 3; axis++)
                    sum[axis] += weight * other->n[axis];
            }
        }
        float length = sqrtf(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
        for (int axis = 0; axis < 3; axis++)
            t->records[i].n[axis] = sum[axis] / length;
    }
}

// Adds the neighbours of particle i with a normal on its side of a film to the least-squares sums.
static void add_normals(const fm_particles *p, const surface_tension *t, int i, bool boundary,
                        fm_gradient_sums *sums)
{
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    const int *list = boundary ? fm_neighbours_in_boundary(p, i, buffer, &count, &padding)
                               : fm_neighbours_in_fluid(p, i, buffer, &count, &padding);
    const fm_density_record *at = &p->fluid.density[i];
    const surface_record *own = &t->records[i];
    for (int k = 0; k < count - padding; k++) {
        const fm_density_record *j =
            boundary ? &p->boundary.density[list[k]] : &p->fluid.density[list[k]];
        const surface_record *other = find_record(p, t, list[k], boundary);
        if (!other || other->length == 0 ||
            own->n[0] * other->n[0] + own->n[1] * other->n[1] + own->n[2] * other->n[2] < SAME_SIDE)
            continue;
        float d[3] = {at->x - j->x, at->y - j->y, at->z - j->z};
        float u = 1 - sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / (float)p->R;
        float weight = u > 0 ? u : 0;
        float along = d[0] * own->n[0] + d[1] * own->n[1] + d[2] * own->n[2];
        for (int axis = 0; axis < 3; axis++)
            d[axis] -= along * own->n[axis];
        for (int row = 0; row < 3; row++)
            for (int column = 0; column < 3; column++)
                sums->a[3 * row + column] += weight * (own->n[row] - other->n[row]) * d[column];
        sums->m[FM_XX] += weight * d[0] * d[0], sums->m[FM_YY] += weight * d[1] * d[1];
        sums->m[FM_ZZ] += weight * d[2] * d[2], sums->m[FM_XY] += weight * d[0] * d[1];
        sums->m[FM_YZ] += weight * d[1] * d[2], sums->m[FM_ZX] += weight * d[2] * d[0];
    }
}

// Depth below the surface of a particle with this fill, m.
static float find_depth(const surface_tension *t, float fill)
{
    float at = (2 * fill - 1) * DEPTH_COUNT;
    int k = at > 0 ? (int)at : 0;
    if (k > DEPTH_COUNT - 2)
        return t->depth[DEPTH_COUNT - 1];
    return at > 0 ? t->depth[k] + (at - (float)k) * (t->depth[k + 1] - t->depth[k]) : 0;
}

// Solves for the gradient of the normals along the surface: scales the sums by the mean extent of
// the neighbours, and completes M by the directions that they do not have.
static fm_gradients solve_in_tangent_plane(fm_gradient_sums *sums, const float n[3], int dimensions)
{
    float *m = sums->m, extent = (m[FM_XX] + m[FM_YY] + m[FM_ZZ]) / (float)(dimensions - 1);
    if (!(extent > 0))
        return (fm_gradients){0};
    for (int k = 0; k < 9; k++)
        sums->a[k] /= extent;
    for (int k = 0; k < FM_SYMMETRIC_COUNT; k++)
        m[k] /= extent;
    m[FM_XX] += n[0] * n[0], m[FM_YY] += n[1] * n[1], m[FM_ZZ] += n[2] * n[2];
    m[FM_XY] += n[0] * n[1], m[FM_YZ] += n[1] * n[2], m[FM_ZX] += n[2] * n[0];
    if (dimensions == 2)
        m[FM_ZZ] = 1;
    return fm_gradients_solve(sums);
}

// Finds the curvature of the surface near the particles first to below last.
static void find_curvatures_range(void *context, int first, int last)
{
    const tension_pass *pass = context;
    const fm_particles *p = pass->step->p;
    surface_tension *t = pass->tension;
    const float directions = (float)(p->def.dimensions - 1);
    const float most = directions / (float)p->def.spacing;
    for (int i = first; i < last; i++) {
        t->curvature[i] = 0;
        if (t->records[i].length == 0)
            continue;
        fm_gradient_sums sums = {0};
        add_normals(p, t, i, false, &sums);
        add_normals(p, t, i, true, &sums);
        fm_gradients found = solve_in_tangent_plane(&sums, t->records[i].n, p->def.dimensions);
        float k = -(found.strain.xx + found.strain.yy + found.strain.zz);
        float stretch = 1 + k * find_depth(t, p->fill[i]) / directions;
        k = stretch > 0.5f ? k / stretch : 2 * k;
        t->curvature[i] = k > most ? most : k < -most ? -most : k;
    }
}

// Kernel-weighted mean of the curvature around particle i, among normals on its side of a film.
static float average_curvature(const fm_particles *p, const surface_tension *t, int i)
{
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    const fm_density_record *at = &p->fluid.density[i];
    const surface_record *own = &t->records[i];
    const float least = own->length > 0 ? SAME_SIDE : 0; // without a normal, all count
    double sum = 0, weights = 0;
    for (int set = 0; set < 2; set++) {
        const int *list = set == 1 ? fm_neighbours_in_boundary(p, i, buffer, &count, &padding)
                                   : fm_neighbours_in_fluid(p, i, buffer, &count, &padding);
        for (int k = 0; k < count - padding; k++) {
            const fm_density_record *j =
                set == 1 ? &p->boundary.density[list[k]] : &p->fluid.density[list[k]];
            const surface_record *other = find_record(p, t, list[k], set == 1);
            if (!other ||
                own->n[0] * other->n[0] + own->n[1] * other->n[1] + own->n[2] * other->n[2] < least)
                continue;
            float dx = at->x - j->x, dy = at->y - j->y, dz = at->z - j->z;
            float u = 1 - sqrtf(dx * dx + dy * dy + dz * dz) / (float)p->R;
            double weight = u > 0 ? (double)(u * other->length) : 0;
            sum += weight * (double)t->curvature[other - t->records];
            weights += weight;
        }
    }
    return weights > 0 ? (float)(sum / weights) : 0;
}

// True when a boundary particle that is not a ghost is within the support of particle i.
static bool is_near_wall(const fm_particles *p, int i)
{
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    const int *list = fm_neighbours_in_boundary(p, i, buffer, &count, &padding);
    for (int k = 0; k < count - padding; k++)
        if (!fm_boundary_is_ghost(p, list[k]))
            return true;
    return false;
}

// Adds the accelerations of the particles first to below last. partial: sums of the block over its
// particles near surfaces: accelerations, |g|, and the number of those near walls.
static void add_forces_range(void *context, int first, int last)
{
    const tension_pass *pass = context;
    fm_particles *p = pass->step->p;
    const surface_tension *t = pass->tension;
    const float scale = (float)(2 * p->def.surface_tension / p->def.density);
    double sums[5] = {0};
    for (int i = first; i < last; i++) {
        const surface_record *own = &t->gradients[i];
        const float K = own->length > 0 ? average_curvature(p, t, i) : 0;
        const float size = scale * K * own->length;
        if (p->tension)
            p->tension[i] = (fm_tension_record){size * own->n[0], size * own->n[1],
                                                size * own->n[2], scale / 2 * K};
        if (own->length == 0)
            continue;
        if (!p->tension) {
            p->ax[i] += size * own->n[0];
            p->ay[i] += size * own->n[1];
            p->az[i] += size * own->n[2];
        }
        for (int axis = 0; axis < 3; axis++)
            sums[axis] += (double)(size * own->n[axis]);
        sums[3] += (double)t->records[i].length;
        sums[4] += t->records[i].length > 0 && is_near_wall(p, i);
    }
    memcpy(p->partial + 5 * (first / FM_PARTICLES_BLOCK), sums, sizeof sums);
}

// Subtracts the excess of the forces from the particles first to below last.
static void subtract_excess_range(void *context, int first, int last)
{
    const tension_pass *pass = context;
    fm_particles *p = pass->step->p;
    for (int i = first; i < last; i++) {
        float length = pass->tension->records[i].length;
        float *ax = p->tension ? &p->tension[i].x : &p->ax[i];
        float *ay = p->tension ? &p->tension[i].y : &p->ay[i];
        float *az = p->tension ? &p->tension[i].z : &p->az[i];
        *ax -= length * pass->excess[0];
        *ay -= length * pass->excess[1];
        *az -= length * pass->excess[2];
    }
}

// Adds the accelerations by surface tension.
static void add_forces(const fm_particles_step *step, void *state)
{
    tension_pass pass = {.step = step, .tension = state};
    fm_pool *pool = step->around->pool;
    const int n = step->p->count;
    fm_parallel_for(pool, n, FM_PARTICLES_BLOCK, find_normals_range, &pass);
    for (int k = 0; k < SMOOTHINGS; k++) {
        surface_record *smooth = pass.tension->spare;
        pass.tension->spare = pass.tension->records;
        pass.tension->records = smooth;
        fm_parallel_for(pool, n, FM_PARTICLES_BLOCK, smooth_normals_range, &pass);
    }
    fm_parallel_for(pool, n, FM_PARTICLES_BLOCK, find_curvatures_range, &pass);
    fm_parallel_for(pool, n, FM_PARTICLES_BLOCK, add_forces_range, &pass);
    double sums[5] = {0};
    for (int block = 0; block < fm_parallel_block_count(n, FM_PARTICLES_BLOCK); block++)
        for (int k = 0; k < 5; k++)
            sums[k] += step->p->partial[5 * block + k];
    if (sums[4] > 0 || sums[3] == 0)
        return;
    for (int axis = 0; axis < 3; axis++)
        pass.excess[axis] = (float)(sums[axis] / sums[3]);
    fm_parallel_for(pool, n, FM_PARTICLES_LARGE_BLOCK, subtract_excess_range, &pass);
}

const fm_fluid_term_type fm_tension_term = {
    .name = "surface tension",
    .create = create,
    .bound_step = bound_step,
    .add_forces = add_forces,
};
