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

static fm_cell_place find_place(const fm_rows *rows, fm_vec3 at, const double origin[3])
{
    const float size = rows->size;
    float x = (float)(at.x - origin[0]), y = (float)(at.y - origin[1]);
    float z = (float)(at.z - origin[2]);
    // more than two supports from the domain: in no row that a particle looks at
    bool in = x > size && x < (float)(rows->nx / FM_CELLS_PER_SUPPORT - 1) * size && y > size &&
              y < (float)(rows->ny - 1) * size &&
              (rows->nz == 1 || (z > size && z < (float)(rows->nz - 1) * size));
    return in ? fm_rows_place(rows, x, y, z) : (fm_cell_place){-1, 0};
}

// It stays where it is in the domain.
static bool is_home(const fm_particles_step *step, const fm_boundary_point *point)
{
    if (point->owner < 0)
        return point->owner > FM_SURFACE_OWNER;
    return !step->p->def.domain.motion &&
           fm_collider_is_fixed(step->around->colliders[point->owner]);
}

// Where they are in a domain that has not moved: the same at all times.
static void sort_home(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    fm_vec3 low = p->def.domain.low;
    bool flat = p->def.dimensions == 2;
    const double origin[3] = {low.x - 2 * p->R, low.y - 2 * p->R, flat ? 0 : low.z - 2 * p->R};
    p->roaming_count = 0;
    for (int i = 0; i < p->point_count; i++) {
        bool home = is_home(step, &p->points[i]);
        p->other_place[i] =
            home ? find_place(&p->rows, p->points[i].x, origin) : (fm_cell_place){-1, 0};
        if (!home)
            p->roaming[p->roaming_count++] = i;
    }
    fm_table_sort(&p->rows, &p->home, p->other_place, p->point_count, p->home_order);
}

static void add_point(const fm_particles_step *step, int i, int *count)
{
    fm_particles *p = step->p;
    const fm_boundary_point *point = &p->points[i];
    int surface = FM_SURFACE_OWNER - point->owner;
    float V = surface >= 0 ? fm_surfaces_volume(p, surface, i) : point->volume;
    fm_vec3 x =
        point->owner >= 0 ? fm_pose_apply(&step->around->placed[point->owner].pose, point->x)
        : surface >= 0 ? fm_sample_at(p->surfaces[surface], i - p->surface_start[surface], step->t)
                       : fm_add(point->x, step->offset);
    if (p->def.dimensions == 2)
        x.z = 0;
    p->unsorted[*count] = (fm_boundary_point){x, V, point->owner, point->mesh};
    p->other_place[*count] = find_place(&p->rows, x, p->rows.origin);
    p->unsorted_from[(*count)++] = i;
}

// Leaves the last one out again when no fluid is near.
static void drop_dry(const fm_particles *p, int *count)
{
    fm_cell_place place = p->other_place[*count - 1];
    if (place.row < 0 || !fm_table_is_near(&p->rows, &p->fluid.table, place))
        (*count)--;
}

// Points that fluid is near.
static int add_points(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    int count = 0, wet = fm_table_list_near(&p->rows, &p->home, &p->fluid.table, p->wet);
    for (int k = 0; k < wet; k++)
        add_point(step, p->home_order[p->wet[k]], &count);
    for (int k = 0; k < p->roaming_count; k++) {
        add_point(step, p->roaming[k], &count);
        drop_dry(p, &count);
    }
    return count;
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

static int add_copies(fm_particles *p, fm_vec3 offset, int count, fm_error *err)
{
    fm_vec3 low = fm_add(p->def.domain.low, offset), high = fm_add(p->def.domain.high, offset);
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
            p->unsorted[count] = (fm_boundary_point){x, (float)p->volume, -1, 0};
            p->other_place[count] = find_place(&p->rows, x, p->rows.origin);
            p->unsorted_from[count++] = -1 - i;
            drop_dry(p, &count);
        }
    }
    return count;
}

static void set_other(const fm_particles_step *step, int i)
{
    fm_particles *p = step->p;
    const int k = p->other_order[i];
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
    if (p->thin)
        p->sights[i] = FM_SEEN_BY_ALL;
    if (point->mesh > 0) {
        fm_sight sight = fm_meshes_look(step, point, &u);
        if (p->thin)
            p->sights[i] = sight;
    }
    float uz = p->def.dimensions == 3 ? (float)u.z : 0;
    const float row[FM_ROW] = {o->x[i],    o->y[i],    o->z[i], FM_WALL,
                               (float)u.x, (float)u.y, uz,      point->volume};
    memcpy(o->density + FM_ROW * (size_t)i, row, sizeof row);
    memcpy(o->force + FM_ROW * (size_t)i, row, sizeof row);
}

static void set_range(void *context, int first, int last)
{
    for (int i = first; i < last; i++)
        set_other(context, i);
}

// Within a cell as they were made: points first, then copies.
static void order_cells(fm_particles *p, int count)
{
    int *order = p->other_order;
    for (int i = 1; i < count; i++) {
        int k = order[i], from = p->unsorted_from[k], key = from < 0 ? p->point_count - from : from;
        fm_cell_place place = p->other_place[k];
        int at = i;
        for (; at > 0; at--) {
            int before = order[at - 1], its = p->unsorted_from[before];
            fm_cell_place there = p->other_place[before];
            if (there.row != place.row || there.column != place.column ||
                (its < 0 ? p->point_count - its : its) < key)
                break;
            order[at] = before;
        }
        order[at] = k;
    }
}

static void sort_others(const fm_particles_step *step, int count)
{
    fm_particles *p = step->p;
    p->others.count =
        fm_table_sort(&p->rows, &p->others.table, p->other_place, count, p->other_order);
    order_cells(p, p->others.count);
    fm_parallel_for(step->around->pool, p->others.count, 4 * FM_PARTICLES_BLOCK, set_range,
                    (void *)step);
}

static void mark_range(void *context, int first, int last)
{
    fm_particles *p = context;
    fm_table_mark(&p->rows, &p->fluid.table, &p->others.table, first, last, p->near);
}

// Those that nothing moves are sorted once, and who is wet is found anew; where some move, only the
// wet ones are sorted.
void fm_others_place(const fm_particles_step *step, fm_error *err)
{
    fm_particles *p = step->p;
    int count = 0;
    if (p->others_move) {
        if (!p->others_sorted)
            sort_home(step);
        count = add_copies(p, step->offset, add_points(step), err);
        sort_others(step, count);
        for (p->wet_count = 0; p->wet_count < p->others.count; p->wet_count++)
            p->wet[p->wet_count] = p->wet_count;
    } else {
        for (int i = 0; i < p->point_count && !p->others_sorted; i++)
            add_point(step, i, &count);
        if (!p->others_sorted)
            sort_others(step, count);
        p->wet_count = fm_table_list_near(&p->rows, &p->others.table, &p->fluid.table, p->wet);
    }
    p->others_sorted = true;
    fm_parallel_for(step->around->pool, p->fluid.table.slot_count, 64, mark_range, p);
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

// The end of those that follow each other from a wet one on, at most eight.
static int end_run(const fm_particles *p, int k, int last)
{
    int i = p->wet[k], end = i + 1;
    for (int n = 1; n < 8 && k + n < last && p->wet[k + n] == end; n++)
        end++;
    return end;
}

FM_SIMD_CLONES static void extrapolate_range(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    int list[FM_NEIGHBOURS_ROOM], extra;
    fm_search search;
    fm_search_begin(&search);
    for (int k = first; k < last; k++) {
        int i = p->wet[k], from = -1 - p->other_from[i];
        if (from >= 0) {
            float *seen = p->others.force + FM_ROW * (size_t)i;
            const float *row = p->fluid.force + FM_ROW * (size_t)from;
            seen[FM_P] = row[FM_P];
            seen[FM_V] = row[FM_V];
            if (p->past)
                fm_past_show_other(step, i, NULL, 0, 0);
            continue;
        }
        int count = fm_find_next_seen(p, &search, i, end_run(p, k, last), list, &extra);
        take_from_fluid(step, i, list, count, extra);
        if (p->past)
            fm_past_show_other(step, i, list, count, extra);
    }
}

void fm_others_extrapolate(const fm_particles_step *step)
{
    fm_parallel_for(step->around->pool, step->p->wet_count, FM_PARTICLES_BLOCK, extrapolate_range,
                    (void *)step);
}

static void copy_range(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    for (int k = first; k < last; k++) {
        int i = p->wet[k], from = -1 - p->other_from[i];
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
        fm_parallel_for(step->around->pool, step->p->wet_count, 16 * FM_PARTICLES_BLOCK, copy_range,
                        (void *)step);
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
    fm_parallel_for(step->around->pool, p->wet_count, FM_PARTICLES_BLOCK, react_range,
                    (void *)step);
    for (int k = 0; k < p->wet_count; k++) {
        int i = p->wet[k], owner = fm_others_owner(p, i);
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
    for (int k = 0; k < p->wet_count; k++) {
        int i = p->wet[k], owner = fm_others_owner(p, i);
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
