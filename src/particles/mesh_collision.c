// SPDX-License-Identifier: MIT
// mesh_collision.c: continuous collision detection: no particle crosses the surface of a mesh.
//
// The pressure of boundary particles keeps fluid away from a wall, and a particle that still gets
// into a collider is moved out along the shortest path. In a thin wall that path may lead to the
// wrong side. Therefore every move of a particle is also tested for a crossing, in the frame of the
// moving mesh (collide/mesh_crossing.c). A particle that crosses is put back a little before the
// surface and loses the velocity component into the surface. This repeats until its path crosses
// nothing. In a narrow corner the repetition may not end; the particle then stays beside the
// surface, where it started.
//
// The clearance of a particle is a lower bound of its distance from all meshes. Each move reduces
// it by the travel of the particle and of the meshes. While it is positive, no test is needed.
#include "particles/particles.h"

// Distance from a mesh to which a particle that crossed it is moved back, in spacings.
static const double SEPARATION = 0.01;

// Relative margin of the clearance (lower bound of a particle's distance from meshes), larger than
// the rounding error of float.
static const double ROUNDING = 1e-5;

enum { PASSES_MAX = 6 }; // corrections of one particle in one move

// Allocates the data for collision detection with mesh colliders.
bool fm_mesh_collision_create(fm_particles *p, const fm_surroundings *around, fm_error *err)
{
    int count = 0;
    for (int i = 0; i < around->collider_count; i++)
        count += around->colliders[i]->mesh != NULL;
    p->mesh_motions =
        fm_arena_alloc(&p->arena, (size_t)count + 1, sizeof *p->mesh_motions, p->object.name, err);
    for (int i = 0; i < around->collider_count && err->status == FM_OK; i++) {
        const fm_trimesh *mesh = around->colliders[i]->mesh;
        if (!mesh)
            continue;
        fm_mesh_motion *motion = &p->mesh_motions[p->mesh_motion_count++];
        motion->collider = i;
        motion->mesh = mesh;
        int vertices = fm_trimesh_view(mesh).point_count;
        if (fm_trimesh_is_animated(mesh))
            motion->vertices = fm_arena_alloc(&p->arena, (size_t)vertices, sizeof *motion->vertices,
                                              p->object.name, err);
    }
    size_t n = p->mesh_motion_count > 0 ? (size_t)p->capacity : 0;
    p->start_position =
        fm_arena_alloc(&p->arena, n + 1, sizeof *p->start_position, p->object.name, err);
    p->nearest_wall = fm_arena_alloc(&p->arena, (p->has_thin_walls ? n : 0) + 1,
                                     sizeof *p->nearest_wall, p->object.name, err);
    return err->status == FM_OK;
}

// Largest displacement of the corners of a mesh's bounding box since the pose `from`, m.
static double find_travel(const fm_placed_collider *placed, const fm_pose *from)
{
    fm_bounds box = fm_trimesh_bounds(placed->collider->mesh);
    double largest = 0;
    for (int k = 0; k < 8; k++) {
        fm_vec3 corner = {k & 1 ? box.high.x : box.low.x, k & 2 ? box.high.y : box.low.y,
                          k & 4 ? box.high.z : box.low.z};
        fm_vec3 moved = fm_sub(fm_pose_apply(&placed->pose, corner), fm_pose_apply(from, corner));
        largest = fmax(largest, fm_length(moved));
    }
    return largest;
}

// Stores how each mesh moves from time `since`, s, to its current pose.
void fm_mesh_collision_begin_move(const fm_particles_step *step, double since)
{
    fm_particles *p = step->p;
    p->mesh_travel = 0;
    for (int k = 0; k < p->mesh_motion_count; k++) {
        fm_mesh_motion *motion = &p->mesh_motions[k];
        const fm_placed_collider *placed = &step->around->placed[motion->collider];
        motion->from = fm_collider_pose(placed->collider, since);
        motion->to = placed->pose;
        if (motion->vertices)
            motion->deformed = fm_trimesh_read_vertices(motion->mesh, since, motion->vertices);
        p->mesh_travel =
            fmax(p->mesh_travel, motion->deformed + find_travel(placed, &motion->from));
    }
}

// Creates the clearances of the particles (lower bounds of their distances from all meshes, m),
// which are a term (extension of the fluid, terms.h). 0: not known, computed when needed.
static void *create_clearances(fm_particles *p, const fm_surroundings *around, fm_error *err)
{
    (void)around;
    return p->clearance = p->mesh_motion_count > 0 ? fm_particle_scalar_create(p, err) : NULL;
}

// Marks the clearances (distances from meshes) of emitted particles as not known.
static void clear_clearances(fm_particles *p, void *state, int first)
{
    fm_particle_scalar_clear(state, first, p->count);
}

// Sorts the clearances (lower bounds of distances from meshes) with the particles.
static void reorder_clearances(fm_particles *p, void *state, const fm_particle_order *order)
{
    (void)p;
    fm_particle_scalar_reorder(state, order);
}

// Resets the clearances (lower bounds of distances from meshes). They can be computed again, so
// snapshots do not contain them.
static bool restore_clearances(fm_particles *p, void *state, int count, const unsigned char *in,
                               size_t size, fm_error *err)
{
    (void)in;
    fm_particle_scalar_clear(state, 0, count);
    return size == 0 ||
           fm_fail_number(err, p->object.name, "state of the clearances", (double)size, "0 bytes");
}

const fm_fluid_term_type fm_clearance_term = {
    .name = "clearance",
    .create = create_clearances,
    .emit = clear_clearances,
    .reorder = reorder_clearances,
    .restore = restore_clearances,
};

// Distance of x from all meshes, m. For meshes farther than the support, a lower bound: the
// distance from their bounding box.
static double find_clearance(const fm_particles_step *step, fm_vec3 x)
{
    const fm_particles *p = step->p;
    double nearest = INFINITY;
    for (int k = 0; k < p->mesh_motion_count; k++) {
        const fm_placed_collider *placed = &step->around->placed[p->mesh_motions[k].collider];
        const fm_bounds point = {x, x}, box = {placed->low, placed->high};
        double gap = fm_bounds_distance(&point, &box);
        if (!(gap > p->R))
            gap = fm_placed_find_closest(placed, x).distance;
        nearest = fmin(nearest, gap);
    }
    return nearest;
}

// True when x is inside a collider that is not a mesh.
static bool is_in_shape(const fm_surroundings *around, fm_vec3 x)
{
    for (int k = 0; k < around->collider_count; k++) {
        const fm_placed_collider *placed = &around->placed[k];
        if (!placed->collider->mesh && !fm_placed_is_far(placed, x, 0) &&
            fm_placed_find_closest(placed, x).distance < 0)
            return true;
    }
    return false;
}

// If the path of a particle from `before` to *x crosses a mesh, puts it back before the surface and
// removes the velocity into the surface. last: the last attempt, puts it where it started instead.
// Returns true for a crossing.
static bool stop_at_mesh(const fm_particles *p, const fm_mesh_motion *motion, fm_vec3 before,
                         bool last, fm_vec3 *x, fm_vec3 *v)
{
    const fm_trimesh *mesh = motion->mesh;
    const fm_pose *pose = &motion->to;
    fm_vec3 a = fm_pose_apply_inverse(&motion->from, before);
    fm_vec3 b = fm_pose_apply_inverse(pose, *x);
    fm_crossing crossing;
    if (!fm_trimesh_find_crossing(mesh, motion->vertices, motion->deformed, a, b, &crossing))
        return false;
    fm_frame frame = fm_trimesh_frame(mesh, &crossing.anchor);
    fm_vec3 n = fm_scale(frame.axes[2], crossing.side);
    double separation = SEPARATION * p->def.spacing;
    if (last)
        b = motion->vertices ? fm_add_scaled(frame.origin, n, separation) : a;
    else
        b = fm_add_scaled(b, n, separation - crossing.side * crossing.beyond);
    *x = fm_pose_apply(pose, b);
    n = fm_quat_rotate(pose->rotation, n);
    fm_vec3 u =
        fm_add(fm_pose_velocity_at(pose, *x), fm_quat_rotate(pose->rotation, frame.velocity));
    *v = fm_add_scaled(*v, n, -fmin(0, fm_dot(fm_sub(*v, u), n)));
    return true;
}

// Moves particle i, at *x with velocity *v, out of all colliders and back to the side of meshes
// that it came from. Returns true when position or velocity changed.
bool fm_mesh_collision_resolve(const fm_particles_step *step, int i, fm_vec3 *x, fm_vec3 *v)
{
    fm_particles *p = step->p;
    const fm_surroundings *around = step->around;
    bool moved = false;
    // the distance from all meshes is at least the clearance less what particle and meshes moved
    double travel = fm_length(fm_sub(*x, p->start_position[i])) + p->mesh_travel;
    p->clearance->now[i] -= (float)(travel * (1 + ROUNDING));
    if (p->clearance->now[i] > 0 && !is_in_shape(around, *x))
        return false;
    for (int n = 0; n <= PASSES_MAX; n++) {
        bool stopped = false, touched = false;
        for (int k = 0; k < p->mesh_motion_count; k++)
            stopped |=
                stop_at_mesh(p, &p->mesh_motions[k], p->start_position[i], n == PASSES_MAX, x, v);
        if (n < PASSES_MAX)
            fm_collide_particle(around->placed, around->collider_count, 0, x, v, &touched);
        if (p->def.dimensions == 2)
            x->z = 0;
        touched |= n < PASSES_MAX && fm_walls_clamp_position(step, x);
        moved |= stopped || touched;
        if (!stopped && !touched)
            break;
    }
    p->clearance->now[i] = (float)(find_clearance(step, *x) * (1 - ROUNDING));
    return moved;
}
