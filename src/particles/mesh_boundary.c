// SPDX-License-Identifier: MIT
// mesh_boundary.c: boundary points of mesh colliders, and visibility across thin walls.
//
// Like other colliders, a mesh is filled with a lattice of boundary points up to one support below
// its surface (wall_boundary.c). Where a wall is thinner than the support, that lattice ends too
// early, and fluid on one side would interact with fluid on the other side. There each side gets
// boundary points of its own, as if the wall were thick. They lie in the wall and beyond it, where
// fluid of the other side may be, and interact only with fluid on their own side:
//
//     n . (x - c) > 0
//
// c is the point of the surface nearest to the boundary point, n the normal there, x the position
// of the fluid particle. Both sides of a shell are thin walls. A pair of fluid particles does not
// interact if each is behind the other's wall surface and the segment between them crosses the
// mesh.
//
// Boundary points of an animated mesh move with the triangle that was nearest at time 0, and keep
// their volume.
#include "particles/particles.h"

#include <string.h>

// A face counts as parallel to the plane z = 0 if the z component of its unit normal exceeds this:
// an angle below 45 degrees.
static const double PARALLEL_COSINE = 0.7;

enum { BLOCK = 8 }; // lattice sites along an edge of a block; blocks far from the mesh are skipped

// Arguments of the functions that create boundary points.
typedef struct point_creator {
    fm_particles *p;
    const fm_collider *collider;    // the mesh collider
    int owner;                      // index of the collider in the world
    bool fixed;                     // the collider does not move
    fm_boundary_point_list *points; // the points are appended here
    fm_error *err;
} point_creator;

// Solid share of a lattice cell at a signed distance from the surface, m.
static double find_solid_share(const fm_particles *p, double distance)
{
    return fmax(0, fmin(1, 0.5 - distance / p->def.spacing));
}

// Components of vector a along the axes of a frame.
static fm_vec3 rotate_into_frame(const fm_frame *frame, fm_vec3 a)
{
    return (fm_vec3){fm_dot(a, frame->axes[0]), fm_dot(a, frame->axes[1]),
                     fm_dot(a, frame->axes[2])};
}

// The vector whose components along the axes of a frame are a.
static fm_vec3 rotate_out_of_frame(const fm_frame *frame, fm_vec3 a)
{
    fm_vec3 sum = fm_scale(frame->axes[0], a.x);
    return fm_add_scaled(fm_add_scaled(sum, frame->axes[1], a.y), frame->axes[2], a.z);
}

// Adds a boundary point at x, at a signed distance from the surface, m. side: surface of a thin
// wall; only fluid on that side of the wall interacts with the point. NULL: all fluid does.
static void add_point(const point_creator *m, fm_vec3 x, double distance, const fm_contact *side)
{
    fm_particles *p = m->p;
    fm_mesh_point at = {.x = x};
    bool animated = fm_trimesh_is_animated(m->collider->mesh);
    float V = (float)(find_solid_share(p, distance) * p->volume);
    if (!(V > 0) || distance < -p->R - p->def.spacing / 2)
        return;
    if (side) {
        at.surface = side->point;
        at.normal = side->normal;
        p->has_thin_walls = true;
    }
    if (animated) {
        at.anchor = fm_trimesh_find_anchor(m->collider->mesh, x);
        fm_frame frame = fm_trimesh_frame(m->collider->mesh, &at.anchor);
        at.x = rotate_into_frame(&frame, fm_sub(x, frame.origin));
        at.surface = rotate_into_frame(&frame, fm_sub(at.surface, frame.origin));
        at.normal = rotate_into_frame(&frame, at.normal);
    }
    fm_boundary_point point = {.x = x, .volume = V, .owner = {FM_OWNER_COLLIDER, m->owner}};
    fm_boundary_point_list_add(m->points, p, point, side || animated ? &at : NULL, m->err);
}

// Adds one boundary point at a lattice site, or one for each side if the wall there is thin.
static void add_points_at_site(const point_creator *m, fm_vec3 x)
{
    const fm_particles *p = m->p;
    const fm_trimesh *mesh = m->collider->mesh;
    fm_contact near = fm_trimesh_find_contact(mesh, x), far;
    double reach = p->R + p->def.spacing / 2;
    if (m->fixed && !fm_walls_allow_point(p, x))
        return;
    bool thin = fabs(near.distance) < reach &&
                fm_trimesh_find_opposite_side(mesh, x, &near, reach, &far) &&
                -far.distance - near.distance < p->R;
    add_point(m, x, near.distance, thin ? &near : NULL);
    if (thin)
        add_point(m, x, far.distance, &far);
}

// Adds boundary points at the sites of the block that starts at site `first`, unless the block's
// centre is too far from the surface.
static void add_points_in_block(const point_creator *m, fm_vec3 origin, const int first[3])
{
    const fm_particles *p = m->p;
    const double dx = p->def.spacing;
    const bool flat = p->def.dimensions == 2;
    double half = BLOCK * dx / 2, reach = sqrt(3) * half + p->R + dx;
    fm_vec3 low = fm_add(origin, (fm_vec3){first[0] * dx, first[1] * dx, first[2] * dx});
    fm_vec3 middle = {low.x + half, low.y + half, flat ? 0 : low.z + half};
    if (fabs(fm_trimesh_find_contact(m->collider->mesh, middle).distance) > reach)
        return;
    for (int k = 0; k < (flat ? 1 : BLOCK); k++)
        for (int j = 0; j < BLOCK; j++)
            for (int i = 0; i < BLOCK && m->err->status == FM_OK; i++)
                add_points_at_site(m, (fm_vec3){low.x + (i + 0.5) * dx, low.y + (j + 0.5) * dx,
                                                flat ? 0 : low.z + (k + 0.5) * dx});
}

// Fails if a mesh is not suitable as a collider in 2D: the collider is then the cross-section of
// the mesh with the plane z = 0. Faces parallel to that plane must be farther from it than the
// support.
bool fm_mesh_boundary_check(const fm_particles *p, const fm_surroundings *around, fm_error *err)
{
    for (int i = 0; i < around->collider_count && p->def.dimensions == 2; i++) {
        const fm_collider *collider = around->colliders[i];
        if (!collider->mesh)
            continue;
        fm_placed_collider placed = fm_collider_place(collider, 0);
        fm_mesh_view mesh = fm_trimesh_view(collider->mesh);
        const fm_vec3 *x = mesh.points;
        const int *c = mesh.face_points;
        for (int t = 0; t < mesh.face_count; t++, c += 3) {
            fm_vec3 a = fm_pose_apply(&placed.pose, x[c[0]]);
            fm_vec3 b = fm_pose_apply(&placed.pose, x[c[1]]);
            fm_vec3 d = fm_pose_apply(&placed.pose, x[c[2]]);
            fm_vec3 n = fm_cross(fm_sub(b, a), fm_sub(d, a));
            bool is_parallel = fm_normalize(&n) && fabs(n.z) > PARALLEL_COSINE;
            if (is_parallel && fmin(fmin(a.z, b.z), d.z) < p->R &&
                fmax(fmax(a.z, b.z), d.z) > -p->R)
                return fm_fail(err, FM_BAD_VALUE, p->object.name, "collider", collider->name,
                               "in 2D a mesh across the plane z = 0 that ends beyond the support");
        }
    }
    return true;
}

// Adds the boundary points of a mesh collider. owner: index of the collider in the world.
void fm_mesh_boundary_add_points(fm_particles *p, const fm_collider *collider, int owner,
                                 fm_boundary_point_list *points, fm_error *err)
{
    point_creator m = {p, collider, owner, fm_collider_is_fixed(collider), points, err};
    fm_trimesh_set_time(collider->mesh, 0); // anchors refer to time 0, whenever this is called
    fm_bounds box = fm_trimesh_bounds(collider->mesh);
    double margin = p->R + p->def.spacing, dx = p->def.spacing;
    if (m.fixed) {
        fm_vec3 low = p->def.domain.low, high = p->def.domain.high;
        box.low = (fm_vec3){fmax(box.low.x, low.x), fmax(box.low.y, low.y), fmax(box.low.z, low.z)};
        box.high =
            (fm_vec3){fmin(box.high.x, high.x), fmin(box.high.y, high.y), fmin(box.high.z, high.z)};
    }
    fm_vec3 origin = fm_sub(box.low, (fm_vec3){margin, margin, margin});
    fm_vec3 size = fm_sub(fm_add(box.high, (fm_vec3){margin, margin, margin}), origin);
    int first[3];
    bool flat = p->def.dimensions == 2;
    for (first[2] = 0; flat ? first[2] == 0 : first[2] * dx < size.z; first[2] += BLOCK)
        for (first[1] = 0; first[1] * dx < size.y; first[1] += BLOCK)
            for (first[0] = 0; first[0] * dx < size.x && err->status == FM_OK; first[0] += BLOCK)
                add_points_in_block(&m, origin, first);
}

// Position of a boundary point in the frame of its mesh, m. frame: that of the anchor triangle;
// NULL if the mesh is not animated.
static fm_vec3 find_point_in_mesh_frame(const fm_mesh_point *at, const fm_frame *frame)
{
    return frame ? fm_add(frame->origin, rotate_out_of_frame(frame, at->x)) : at->x;
}

// Frame of the anchor triangle of a point, stored in *result; NULL if the mesh is not animated.
static const fm_frame *find_anchor_frame(const fm_collider *collider, const fm_mesh_point *at,
                                         fm_frame *result)
{
    if (!fm_trimesh_is_animated(collider->mesh))
        return NULL;
    *result = fm_trimesh_frame(collider->mesh, &at->anchor);
    return result;
}

// Present position of a boundary point of a mesh collider, m.
fm_vec3 fm_mesh_boundary_find_position(const fm_particles_step *step,
                                       const fm_boundary_point *point)
{
    fm_frame anchor_frame;
    const fm_mesh_point *at = &step->p->mesh_points[point->mesh_point];
    const fm_placed_collider *placed = &step->around->placed[point->owner.index];
    const fm_frame *frame = find_anchor_frame(placed->collider, at, &anchor_frame);
    return fm_pose_apply(&placed->pose, find_point_in_mesh_frame(at, frame));
}

// Velocity of the mesh collider of a boundary point at the position x, m/s.
fm_vec3 fm_mesh_boundary_find_velocity(const fm_particles_step *step,
                                       const fm_boundary_point *point, fm_vec3 x)
{
    fm_frame anchor_frame;
    const fm_mesh_point *at = &step->p->mesh_points[point->mesh_point];
    const fm_placed_collider *placed = &step->around->placed[point->owner.index];
    const fm_frame *frame = find_anchor_frame(placed->collider, at, &anchor_frame);
    fm_vec3 u = fm_pose_velocity_at(&placed->pose, x);
    return frame ? fm_add(u, fm_quat_rotate(placed->pose.rotation, frame->velocity)) : u;
}

// Half-space in which fluid interacts with a boundary point of a thin mesh wall.
fm_visible_side fm_mesh_boundary_find_visible_side(const fm_particles_step *step,
                                                   const fm_boundary_point *point)
{
    fm_frame anchor_frame;
    const fm_mesh_point *at = &step->p->mesh_points[point->mesh_point];
    const fm_placed_collider *placed = &step->around->placed[point->owner.index];
    const fm_frame *frame = find_anchor_frame(placed->collider, at, &anchor_frame);
    fm_vec3 c = at->surface, n = at->normal;
    if (frame) {
        c = fm_add(frame->origin, rotate_out_of_frame(frame, c));
        n = rotate_out_of_frame(frame, n);
    }
    if (fm_dot(n, n) == 0)
        return FM_VISIBLE_FROM_ALL_SIDES;
    const double *origin = step->p->rows.origin;
    c = fm_sub(fm_pose_apply(&placed->pose, c), (fm_vec3){origin[0], origin[1], origin[2]});
    n = fm_quat_rotate(placed->pose.rotation, n);
    return (fm_visible_side){{(float)n.x, (float)n.y, (float)n.z}, (float)fm_dot(n, c)};
}

// True when a fluid particle is on the side of a thin wall from which a boundary particle is
// visible, so that the two interact.
static bool is_visible(const fm_particles *p, int particle, int boundary)
{
    const fm_visible_side *s = &p->visible_side[boundary];
    const fm_particle_set *fluid = &p->fluid;
    return s->n[0] * fluid->x[particle] + s->n[1] * fluid->y[particle] +
               s->n[2] * fluid->z[particle] >
           s->at;
}

// Index of a collider in mesh_motions.
static int find_mesh_motion(const fm_particles *p, int collider)
{
    int k = 0;
    while (p->mesh_motions[k].collider != collider)
        k++;
    return k;
}

// Sets nearest_wall of the fluid particles first to below last: the thin wall of the nearest
// boundary particle that the fluid particle sees.
static void find_nearest_wall_range(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    const fm_particle_set *fluid = &p->fluid, *boundary_set = &p->boundary;
    int list[FM_NEIGHBOURS_CAPACITY], padding;
    for (int i = first; i < last; i++) {
        float nearest = INFINITY;
        p->nearest_wall[i] = (fm_nearest_thin_wall){.motion = -1};
        int count = p->is_near_boundary[p->cell[i]]
                        ? fm_neighbours_find_in_set(p, fluid, i, boundary_set, -1, list, &padding)
                        : 0;
        for (int n = 0; n < count; n++) {
            const int k = list[n];
            const fm_visible_side *s = &p->visible_side[k];
            float dx = fluid->x[i] - boundary_set->x[k], dy = fluid->y[i] - boundary_set->y[k],
                  dz = fluid->z[i] - boundary_set->z[k];
            float square = dx * dx + dy * dy + dz * dz;
            if ((s->n[0] == 0 && s->n[1] == 0 && s->n[2] == 0) || !(square < nearest) ||
                !is_visible(p, i, k))
                continue;
            nearest = square;
            p->nearest_wall[i] =
                (fm_nearest_thin_wall){find_mesh_motion(p, p->identity[k].owner.index), *s};
        }
    }
}

// Finds the nearest thin wall of a mesh for every fluid particle.
void fm_mesh_boundary_find_nearest_walls(const fm_particles_step *step)
{
    if (step->p->has_thin_walls)
        fm_parallel_for(step->around->pool, step->p->count, FM_PARTICLES_BLOCK,
                        find_nearest_wall_range, (void *)step);
}

// True when particle k is behind the nearest wall of particle i.
static bool is_behind_wall_of(const fm_particles *p, int i, int k)
{
    const fm_visible_side *s = &p->nearest_wall[i].side;
    const fm_particle_set *fluid = &p->fluid;
    return s->n[0] * fluid->x[k] + s->n[1] * fluid->y[k] + s->n[2] * fluid->z[k] < s->at;
}

// True when a thin wall separates the fluid particles i and k.
static bool is_separated(const fm_particles *p, int i, int k)
{
    const int index = p->nearest_wall[i].motion;
    if (index < 0 || p->nearest_wall[k].motion != index || !is_behind_wall_of(p, i, k) ||
        !is_behind_wall_of(p, k, i))
        return false;
    const fm_mesh_motion *motion = &p->mesh_motions[index];
    const int a = i < k ? i : k, b = i < k ? k : i; // same result for (i, k) and (k, i)
    fm_vec3 from = {p->now.x[a], p->now.y[a], p->now.z[a]};
    fm_vec3 to = {p->now.x[b], p->now.y[b], p->now.z[b]};
    fm_crossing crossing;
    return fm_trimesh_find_crossing(motion->mesh, NULL, 0, fm_pose_apply_inverse(&motion->to, from),
                                    fm_pose_apply_inverse(&motion->to, to), &crossing);
}

// Removes from a neighbour list the fluid particles that a thin wall separates from fluid particle
// i. Returns the remaining number.
int fm_mesh_boundary_drop_separated_fluid(const fm_particles *p, int i, int *list, int count)
{
    int kept = 0;
    if (p->nearest_wall[i].motion < 0)
        return count;
    for (int n = 0; n < count; n++)
        if (list[n] == i || !is_separated(p, i, list[n]))
            list[kept++] = list[n];
    return kept;
}

// Removes from a neighbour list the boundary particles that are behind a thin wall, seen from fluid
// particle i. Returns the remaining number.
int fm_mesh_boundary_drop_hidden_boundary(const fm_particles *p, int i, int *list, int count)
{
    int kept = 0;
    for (int n = 0; n < count; n++)
        if (is_visible(p, i, list[n]))
            list[kept++] = list[n];
    return kept;
}

// Removes from a neighbour list the fluid particles from which a boundary particle of a thin wall
// is not visible. Returns the remaining number.
int fm_mesh_boundary_drop_hidden_fluid(const fm_particles *p, int boundary, int *list, int count)
{
    int kept = 0;
    for (int n = 0; n < count; n++)
        if (is_visible(p, list[n], boundary))
            list[kept++] = list[n];
    return kept;
}
