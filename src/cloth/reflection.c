// SPDX-License-Identifier: MIT
// reflection.c: the published collision handling of fabric: hashing and reflection.
//
// [LCKL13] section 3.6: triangles are hashed into the blocks of a grid, each point is compared with
// the triangles of its block, and colliding points are reflected along the normal. Here, at the end
// of a substep, a point within `distance` of a triangle of the same fabric, and approaching it,
// exchanges its normal velocity with that of the triangle's point nearest to it, as equal masses do
// in an elastic collision:
//
//     v <- v - ((v - u) . n) n        u  m/s, velocity of the triangle at the nearest point
//
// A point that a collider holds gets the normal velocity it had lost a second time: it is
// reflected. There is no continuous detection: fast points pass through. Use `contact` for
// simulations; this is for comparison.
#include "cloth/cloth.h"

#include <math.h>

typedef struct reflector {
    fm_cloth *cloth;
    double distance; // m
} reflector;

bool fm_reflection_create(fm_cloth *c, fm_error *err)
{
    fm_fabric *fabric = c->fabric;
    fabric->distance = fabric->def.reflection_distance > 0 ? fabric->def.reflection_distance
                                                           : 0.1 * c->mesh.mean_rest;
    if (!fabric->def.reflection)
        return true;
    fabric->centroid = fm_vec3_array_create(&c->arena, c->mesh.triangle_count, err);
    return err->status == FM_OK &&
           fm_cell_list_create(&fabric->triangle_cells, &c->arena, c->mesh.triangle_count, err);
}

// Hashes the triangles by their centroids. A cell is as large as the distance at which a point can
// touch a triangle of the present size.
static void hash_triangles(fm_cloth *c)
{
    fm_fabric *fabric = c->fabric;
    double reach = 0;
    for (int t = 0; t < c->mesh.triangle_count; t++) {
        const int *p = c->mesh.triangle + 3 * (size_t)t;
        fm_vec3 x[3], sum = {0, 0, 0};
        for (int k = 0; k < 3; k++)
            sum = fm_add(sum, x[k] = fm_vec3_array_at(c->x, p[k]));
        sum = fm_scale(sum, 1.0 / 3);
        for (int k = 0; k < 3; k++)
            reach = fmax(reach, fm_length(fm_sub(x[k], sum)));
        fabric->centroid.x[t] = sum.x, fabric->centroid.y[t] = sum.y;
        fabric->centroid.z[t] = sum.z;
    }
    fm_cell_list_build(&fabric->triangle_cells, reach + fabric->distance, c->mesh.triangle_count,
                       fabric->centroid.x, fabric->centroid.y, fabric->centroid.z);
}

// Finds the point of triangle t below x, if x is above or below its inside: its distance,
// the unit normal towards x, and barycentric coordinates.
static bool project_on_triangle(const fm_cloth *c, int t, fm_vec3 x, double *distance,
                                fm_vec3 *normal, double share[3])
{
    const int *p = c->mesh.triangle + 3 * (size_t)t;
    fm_vec3 a = fm_vec3_array_at(c->x, p[0]);
    fm_vec3 b = fm_sub(fm_vec3_array_at(c->x, p[1]), a), d = fm_sub(x, a);
    fm_vec3 e = fm_sub(fm_vec3_array_at(c->x, p[2]), a), n = fm_cross(b, e);
    double square = fm_dot(n, n);
    if (!(square > 0))
        return false;
    share[1] = fm_dot(fm_cross(d, e), n) / square;
    share[2] = fm_dot(fm_cross(b, d), n) / square;
    share[0] = 1 - share[1] - share[2];
    double height = fm_dot(d, n) / sqrt(square);
    *distance = fabs(height);
    *normal = fm_scale(n, (height < 0 ? -1 : 1) / sqrt(square));
    return share[0] >= 0 && share[1] >= 0 && share[2] >= 0;
}

// Change of velocity of point i at the nearest triangle that it approaches.
static fm_vec3 find_reflection(const reflector *r, int i)
{
    const fm_cloth *c = r->cloth;
    const fm_cell_list *cells = &c->fabric->triangle_cells;
    fm_vec3 x = fm_vec3_array_at(c->x, i), v = fm_vec3_array_at(c->v, i), change = {0, 0, 0};
    fm_cell home = fm_cell_list_find_cell(cells, x.x, x.y, x.z);
    double nearest = r->distance;
    for (int k = 0; k < 27; k++) {
        fm_cell cell = {home.x + k % 3 - 1, home.y + k / 3 % 3 - 1, home.z + k / 9 - 1};
        int bucket = fm_cell_list_find_bucket(cells, cell);
        for (int e = cells->start[bucket]; e < cells->start[bucket + 1]; e++) {
            int t = cells->order[e];
            const int *p = c->mesh.triangle + 3 * (size_t)t;
            double distance, share[3];
            fm_vec3 n, relative = v;
            if (p[0] == i || p[1] == i || p[2] == i ||
                !project_on_triangle(c, t, x, &distance, &n, share) || distance >= nearest)
                continue;
            for (int m = 0; m < 3; m++)
                relative = fm_add_scaled(relative, fm_vec3_array_at(c->v, p[m]), -share[m]);
            double speed = fm_dot(relative, n);
            nearest = distance;
            change = speed < 0 ? fm_scale(n, -speed) : (fm_vec3){0, 0, 0};
        }
    }
    return change;
}

static void find_range(void *context, int first, int last)
{
    const reflector *r = context;
    for (int i = first; i < last; i++) {
        fm_vec3 change = find_reflection(r, i);
        r->cloth->pair.x[i] = change.x, r->cloth->pair.y[i] = change.y;
        r->cloth->pair.z[i] = change.z;
    }
}

// Reflects points that touch a collider. The collider has removed their normal velocity (c->jump,
// m/s); adding it once more along the normal makes the collision elastic.
static void reflect_from_colliders(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    for (int i = 0; i < c->count && s->around.collider_count > 0; i++) {
        fm_vec3 x = fm_vec3_array_at(c->x, i), lost = fm_vec3_array_at(c->jump, i);
        if (!c->touch[i] || fm_substep_is_pinned(s, i))
            continue;
        fm_contact nearest = {.distance = INFINITY};
        for (int k = 0; k < s->around.collider_count; k++) {
            fm_contact contact = fm_placed_find_closest(&s->around.placed[k], x);
            if (contact.distance < nearest.distance)
                nearest = contact;
        }
        double speed = fmax(0, fm_dot(lost, nearest.normal));
        c->v.x[i] += speed * nearest.normal.x;
        c->v.y[i] += speed * nearest.normal.y;
        c->v.z[i] += speed * nearest.normal.z;
    }
}

void fm_reflection_apply(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    if (!c->fabric || !c->fabric->def.reflection)
        return;
    reflector r = {c, c->fabric->distance};
    hash_triangles(c);
    fm_parallel_for(s->around.pool, c->count, FM_PARTICLE_BLOCK, find_range, &r);
    for (int i = 0; i < c->count; i++) {
        bool held = fm_substep_is_pinned(s, i);
        c->v.x[i] += held ? 0 : c->pair.x[i];
        c->v.y[i] += held ? 0 : c->pair.y[i];
        c->v.z[i] += held ? 0 : c->pair.z[i];
    }
    reflect_from_colliders(s);
}
