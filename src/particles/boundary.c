// SPDX-License-Identifier: MIT
// boundary.c: the others: points of walls and colliders where they are now, copies across periodic
// sides, and what they take from the fluid beside them [ADA12]:
//
//     P_w = sum_j [ P_j + g . (x_w - x_j) ] W_wj / sum_j W_wj
//     v_w = 2 u_w - sum_j v_j W_wj / sum_j W_wj         (slip: the mean itself)
//
// so that the pressure gradient across the surface is that of a fluid at rest there, and the
// velocity at the surface, half-way, is the wall's; that of thin surfaces, which are where their
// samples are, is u_w itself, and their two sides have pressures of their own (surfaces.c). Density
// changes by u_w, the true velocity.
//
//   P  pressure over rest density    u_w  velocity of the wall    W  kernel
//
// [ADA12] Adami, Hu, Adams: A generalized wall boundary condition for SPH. JCP 231, 2012.
#include "particles/particles.h"

#include <string.h>

static bool is_far(const fm_rows *rows, const float x[3])
{
    // more than two supports from the domain: in no row that a particle looks at
    float size = rows->size;
    return !(x[0] > size && x[0] < (float)(rows->nx / FM_CELLS_PER_SUPPORT - 1) * size &&
             x[1] > size && x[1] < (float)(rows->ny - 1) * size &&
             (rows->nz == 1 || (x[2] > size && x[2] < (float)(rows->nz - 1) * size)));
}

static void place_points(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    for (int i = 0; i < p->point_count; i++) {
        const fm_boundary_point *point = &p->points[i];
        int surface = FM_SURFACE_OWNER - point->owner;
        float V = surface >= 0 ? fm_surfaces_volume(p, surface, i) : point->volume;
        fm_vec3 x = point->owner >= 0
                        ? fm_pose_apply(&step->around->placed[point->owner].pose, point->x)
                    : surface >= 0
                        ? fm_sample_at(p->surfaces[surface], i - p->surface_start[surface], step->t)
                        : fm_add(point->x, step->offset);
        if (p->def.dimensions == 2)
            x.z = 0;
        p->unsorted[i] = (fm_boundary_point){x, V, point->owner};
        p->unsorted_from[i] = i;
    }
}

// -1, 0 or 1 periods that a coordinate needs to be copied by, beside 0.
static int find_shifts(const fm_particles *p, int axis, double x, double low, double high,
                       double shifts[3])
{
    int count = 1;
    shifts[0] = 0;
    if (!fm_particles_is_periodic(p, axis))
        return 1;
    if (x < low + p->R)
        shifts[count++] = high - low;
    if (x > high - p->R)
        shifts[count++] = low - high;
    return count;
}

static int add_copies(fm_particles *p, fm_vec3 offset, fm_error *err)
{
    fm_vec3 low = fm_add(p->def.domain.low, offset), high = fm_add(p->def.domain.high, offset);
    int count = p->point_count;
    for (int i = 0; i < p->count; i++) {
        double sx[3], sy[3], sz[3];
        int nx = find_shifts(p, 0, p->now.x[i], low.x, high.x, sx);
        int ny = find_shifts(p, 1, p->now.y[i], low.y, high.y, sy);
        int nz = find_shifts(p, 2, p->now.z[i], low.z, high.z, sz);
        for (int k = 1; k < nx * ny * nz; k++) { // 0 is itself
            fm_vec3 x = {p->now.x[i] + sx[k % nx], p->now.y[i] + sy[k / nx % ny],
                         p->now.z[i] + sz[k / nx / ny]};
            if (count == p->others_room) {
                fm_fail(err, FM_DIVERGED, p->name, "copies", "more than there is room for",
                        "particles spread over the domain, as at the beginning");
                return count;
            }
            p->unsorted[count] = (fm_boundary_point){x, (float)p->volume, -1};
            p->unsorted_from[count++] = -1 - i;
        }
    }
    return count;
}

// Cells within reach of an occupied one: along x first, then across.
static void mark_along(void *context, int first, int last)
{
    fm_particles *p = context;
    const int nx = p->rows.nx, reach = FM_CELLS_PER_SUPPORT + 1;
    for (int row = first; row < last; row++) {
        const int *start = p->others.start + (size_t)row * (size_t)nx;
        unsigned char *out = p->occupied + (size_t)row * (size_t)nx;
        for (int x = 0; x < nx; x++) {
            int low = x > reach ? x - reach : 0, high = x + reach < nx ? x + reach + 1 : nx;
            out[x] = start[high] > start[low];
        }
    }
}

static void mark_across(void *context, int first, int last)
{
    fm_particles *p = context;
    const fm_rows *rows = &p->rows;
    const size_t nx = (size_t)rows->nx;
    for (int k = first; k < last; k++) {
        int y = k % rows->ny, z = k / rows->ny;
        unsigned char *out = p->near + (size_t)rows->number[k] * nx;
        memset(out, 0, nx);
        for (int oz = z > 0 ? -1 : 0; oz <= (z + 1 < rows->nz ? 1 : 0); oz++) {
            for (int oy = y > 0 ? -1 : 0; oy <= (y + 1 < rows->ny ? 1 : 0); oy++) {
                int row = rows->number[(z + oz) * rows->ny + y + oy];
                const unsigned char *in = p->occupied + (size_t)row * nx;
                for (size_t x = 0; x < nx; x++)
                    out[x] |= in[x];
            }
        }
    }
}

static void set_other(const fm_particles_step *step, int i, int k)
{
    fm_particles *p = step->p;
    fm_swarm *o = &p->others;
    const fm_boundary_point *point = &p->unsorted[k];
    const double *origin = p->rows.origin;
    int from = p->unsorted_from[k];
    fm_vec3 u = {0};
    p->other_from[i] = from;
    int sample, surface = fm_others_surface(p, i, &sample);
    o->x[i] = (float)(point->x.x - origin[0]);
    o->y[i] = (float)(point->x.y - origin[1]);
    o->z[i] = (float)(point->x.z - origin[2]);
    if (surface >= 0)
        u = fm_sample_velocity(p->surfaces[surface], sample);
    else if (from >= 0)
        u = point->owner < 0
                ? fm_add(step->carry, p->def.domain.slide[-1 - point->owner])
                : fm_pose_velocity_at(&step->around->placed[point->owner].pose, point->x);
    float uz = p->def.dimensions == 3 ? (float)u.z : 0;
    const float row[FM_ROW] = {o->x[i],    o->y[i],    o->z[i], FM_WALL,
                               (float)u.x, (float)u.y, uz,      point->volume};
    memcpy(o->density + FM_ROW * (size_t)i, row, sizeof row);
    memcpy(o->force + FM_ROW * (size_t)i, row, sizeof row);
}

void fm_others_place(const fm_particles_step *step, fm_error *err)
{
    fm_particles *p = step->p;
    if (p->others_sorted && !p->others_move)
        return;
    const double *origin = p->rows.origin;
    place_points(step);
    int count = add_copies(p, step->offset, err);
    for (int i = 0; i < count; i++) {
        fm_vec3 at = p->unsorted[i].x;
        float x[3] = {(float)(at.x - origin[0]), (float)(at.y - origin[1]),
                      (float)(at.z - origin[2])};
        p->other_cell[i] =
            is_far(&p->rows, x) ? p->rows.cell_count : fm_rows_cell(&p->rows, x[0], x[1], x[2]);
    }
    fm_count_into_cells(p->other_cell, count, p->rows.cell_count, p->others.start, p->other_order);
    p->others.count = p->others.start[p->rows.cell_count];
    for (int i = 0; i < p->others.count; i++)
        set_other(step, i, p->other_order[i]);
    int rows = p->rows.ny * p->rows.nz;
    fm_parallel_for(step->around->pool, rows, 64, mark_along, p);
    fm_parallel_for(step->around->pool, rows, 64, mark_across, p);
    p->others_sorted = true;
}

typedef struct sums {
    fm_floats W, P, x, y, z, vx, vy, vz;
} sums;

FM_INLINE void add_octet(sums *sum, const float *i, const fm_octet *j, float inverse)
{
    fm_floats dx = i[FM_X] - j->x, dy = i[FM_Y] - j->y, dz = i[FM_Z] - j->z;
    fm_floats q = fm_floats_sqrt(dx * dx + dy * dy + dz * dz) * inverse;
    fm_floats w = j->V * fm_wendland(q);
    sum->W += w;
    sum->P += w * j->s;
    sum->x += w * dx;
    sum->y += w * dy;
    sum->z += w * dz;
    sum->vx += w * j->vx;
    sum->vy += w * j->vy;
    sum->vz += w * j->vz;
}

FM_INLINE void take_from_fluid(const fm_particles_step *step, int i, const int *list, int count,
                               int extra)
{
    fm_particles *p = step->p;
    const fm_vec3 g = step->around->gravity;
    const float *real = p->others.density + FM_ROW * (size_t)i;
    float *seen = p->others.force + FM_ROW * (size_t)i;
    sums sum = {0};
    for (int b = 0; b < count; b += 8) {
        fm_octet j = fm_load_last_octet(p->fluid.force, list + b, b + 8 == count, extra);
        add_octet(&sum, real, &j, (float)(1 / p->R));
    }
    float W = fm_floats_sum(sum.W);
    if (!(W > 1e-6f * (float)p->volume)) { // nobody near
        seen[FM_P] = 0;
        memcpy(seen + FM_VX, real + FM_VX, 4 * sizeof *seen);
        return;
    }
    float weight = (float)g.x * fm_floats_sum(sum.x) + (float)g.y * fm_floats_sum(sum.y) +
                   (float)g.z * fm_floats_sum(sum.z);
    const float mean[3] = {fm_floats_sum(sum.vx) / W, fm_floats_sum(sum.vy) / W,
                           fm_floats_sum(sum.vz) / W};
    int sample;
    bool thin = fm_others_surface(p, i, &sample) >= 0;
    seen[FM_P] = thin ? 0 : (fm_floats_sum(sum.P) + weight) / W;
    seen[FM_V] = real[FM_V] * fm_volume_at(p, seen[FM_P]);
    for (int axis = 0; axis < 3; axis++) {
        float u = real[FM_VX + axis], mirrored = thin ? u : 2 * u - mean[axis];
        seen[FM_VX + axis] = p->def.domain.slip ? mean[axis] : mirrored;
    }
}

FM_SIMD_CLONES static void extrapolate_range(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    int list[FM_NEIGHBOURS_ROOM], extra;
    fm_search search;
    fm_search_begin(&search);
    for (int i = first; i < last; i++) {
        int from = -1 - p->other_from[i];
        if (from >= 0) {
            float *seen = p->others.force + FM_ROW * (size_t)i;
            const float *row = p->fluid.force + FM_ROW * (size_t)from;
            seen[FM_P] = row[FM_P];
            seen[FM_V] = row[FM_V];
            if (p->past)
                fm_past_show_other(step, i, NULL, 0, 0);
            continue;
        }
        int count = fm_find_next_list(p, &search, &p->others, i, last, &p->fluid, -1, list, &extra);
        take_from_fluid(step, i, list, count, extra);
        if (p->past)
            fm_past_show_other(step, i, list, count, extra);
    }
}

void fm_others_extrapolate(const fm_particles_step *step)
{
    fm_parallel_for(step->around->pool, step->p->others.count, FM_PARTICLES_BLOCK,
                    extrapolate_range, (void *)step);
}

static void copy_range(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    for (int i = first; i < last; i++) {
        int from = -1 - p->other_from[i];
        if (from < 0)
            continue;
        const float *row = p->fluid.density + FM_ROW * (size_t)from;
        memcpy(p->others.density + FM_ROW * (size_t)i + FM_S, row + FM_S, 4 * sizeof *row);
        memcpy(p->others.force + FM_ROW * (size_t)i + FM_S, row + FM_S, 4 * sizeof *row);
    }
}

// Copies have the velocity and the density of whom they copy.
void fm_others_copy(const fm_particles_step *step)
{
    if (step->p->others_move)
        fm_parallel_for(step->around->pool, step->p->others.count, 16 * FM_PARTICLES_BLOCK,
                        copy_range, (void *)step);
}

static void react_range(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_compute_reactions(step, first, last, step->p->force);
}

// Pushes the colliders that have a mass: impulses and turns, until the world moves them. What the
// rest gets is added up when asked for.
void fm_others_push_colliders(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    bool any = p->surface_count > 0 || p->def.loads;
    for (int i = 0; i < step->around->collider_count; i++)
        any |= step->around->colliders[i]->mass > 0;
    if (!any)
        return;
    fm_parallel_for(step->around->pool, p->others.count, FM_PARTICLES_BLOCK, react_range,
                    (void *)step);
    for (int i = 0; i < p->others.count; i++) {
        int owner = fm_others_owner(p, i);
        if (fm_others_is_solid(step, i) && p->def.loads)
            p->stats.load = fm_add_scaled(p->stats.load, p->force[i], step->h);
        if (owner < 0 || !(step->around->colliders[owner]->mass > 0))
            continue;
        fm_vec3 x = {p->others.x[i] + p->rows.origin[0], p->others.y[i] + p->rows.origin[1],
                     p->others.z[i] + p->rows.origin[2]};
        fm_collider_push(step->around->colliders[owner], x, fm_scale(p->force[i], step->h));
    }
}

void fm_others_carry(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    for (int i = 0; i < p->others.count; i++) {
        int owner = fm_others_owner(p, i);
        const fm_collider *c = owner < 0 ? NULL : step->around->colliders[owner];
        if (!c || !(c->mass > 0))
            continue;
        float *row = p->others.density + FM_ROW * (size_t)i;
        fm_vec3 x = {(double)row[FM_X] + p->rows.origin[0], (double)row[FM_Y] + p->rows.origin[1],
                     (double)row[FM_Z] + p->rows.origin[2]};
        fm_vec3 u = fm_collider_velocity_ahead(c, x, step->around->gravity, step->h);
        row[FM_VX] = (float)u.x;
        row[FM_VY] = (float)u.y;
        row[FM_VZ] = p->def.dimensions == 3 ? (float)u.z : 0;
    }
}
