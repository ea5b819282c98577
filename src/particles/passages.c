// SPDX-License-Identifier: MIT
// passages.c: no particle passes the surface of a mesh, however thin and however it moves.
//
// Points keep fluid away from a wall, and who gets into one is moved out the shortest way; through
// a wall thinner than that way, it would be the wrong one. So the way of a particle in a part of a
// substep is looked at as well, in the frame of the mesh, which is where that was at the beginning
// and is at the end (crossing.c). Who passes is put back to a little before the surface and loses
// what goes into it, until the way passes nothing. Where that has no end, in a narrow corner, it
// stays where it was beside the surface.
//
// How far a particle is from all meshes is asked for and kept, less what it and they come in every
// part of a substep: until nothing of it is left there is nothing to be looked at.
#include "particles/particles.h"

static const double APART = 0.01; // spacings: where those are put back to that passed

static const double ROUNDING = 1e-5; // of single precision, and more

enum { PASSES = 6 };

bool fm_passages_make(fm_particles *p, const fm_surroundings *around, fm_error *err)
{
    int count = 0;
    for (int i = 0; i < around->collider_count; i++)
        count += around->colliders[i]->mesh != NULL;
    p->passages = fm_arena_alloc(&p->arena, (size_t)count + 1, sizeof *p->passages, p->name, err);
    for (int i = 0; i < around->collider_count && err->status == FM_OK; i++) {
        const fm_trimesh *mesh = around->colliders[i]->mesh;
        int vertices;
        if (!mesh)
            continue;
        fm_passage *way = &p->passages[p->passage_count++];
        way->collider = i;
        way->mesh = mesh;
        fm_trimesh_vertices(mesh, &vertices);
        if (fm_trimesh_is_animated(mesh))
            way->before =
                fm_arena_alloc(&p->arena, (size_t)vertices, sizeof *way->before, p->name, err);
    }
    size_t n = p->passage_count > 0 ? (size_t)p->capacity : 0;
    p->before = fm_arena_alloc(&p->arena, n + 1, sizeof *p->before, p->name, err);
    p->clearance = fm_arena_alloc(&p->arena, n + 1, sizeof(float), p->name, err);
    p->clearance_spare = fm_arena_alloc(&p->arena, n + 1, sizeof(float), p->name, err);
    p->facing = fm_arena_alloc(&p->arena, (p->thin ? n : 0) + 1, sizeof *p->facing, p->name, err);
    return err->status == FM_OK;
}

// How far a box goes from one pose to another, m.
static double find_way(const fm_placed_collider *placed, const fm_pose *from)
{
    fm_box box = fm_trimesh_bounds(placed->collider->mesh);
    double most = 0;
    for (int k = 0; k < 8; k++) {
        fm_vec3 corner = {k & 1 ? box.high.x : box.low.x, k & 2 ? box.high.y : box.low.y,
                          k & 4 ? box.high.z : box.low.z};
        fm_vec3 way = fm_sub(fm_pose_apply(&placed->pose, corner), fm_pose_apply(from, corner));
        most = fmax(most, fm_length(way));
    }
    return most;
}

void fm_passages_begin(const fm_particles_step *step, double since)
{
    fm_particles *p = step->p;
    p->passage_way = 0;
    for (int k = 0; k < p->passage_count; k++) {
        fm_passage *way = &p->passages[k];
        const fm_placed_collider *placed = &step->around->placed[way->collider];
        way->from = fm_collider_pose(placed->collider, since);
        way->to = placed->pose;
        if (way->before)
            way->moved = fm_trimesh_read_vertices(way->mesh, since, way->before);
        p->passage_way = fmax(p->passage_way, way->moved + find_way(placed, &way->from));
    }
}

void fm_passages_forget(fm_particles *p, int first)
{
    for (int i = first; i < p->count && p->passage_count > 0; i++)
        p->clearance[i] = 0;
}

void fm_passages_follow(fm_particles *p)
{
    if (p->passage_count == 0)
        return;
    for (int i = 0; i < p->count; i++)
        p->clearance_spare[i] = p->clearance[p->order[i]];
    float *swap = p->clearance;
    p->clearance = p->clearance_spare;
    p->clearance_spare = swap;
}

// From all meshes; by the boxes around them where those are far.
static double find_clearance(const fm_particles_step *step, fm_vec3 x)
{
    const fm_particles *p = step->p;
    double least = INFINITY;
    for (int k = 0; k < p->passage_count; k++) {
        const fm_placed_collider *placed = &step->around->placed[p->passages[k].collider];
        const fm_box point = {x, x}, box = {placed->low, placed->high};
        double gap = fm_box_gap(&point, &box);
        if (!(gap > p->R))
            gap = fm_placed_contact(placed, x).distance;
        least = fmin(least, gap);
    }
    return least;
}

// Inside one that is not a mesh.
static bool is_in_shape(const fm_surroundings *around, fm_vec3 x)
{
    for (int k = 0; k < around->collider_count; k++) {
        const fm_placed_collider *placed = &around->placed[k];
        if (!placed->collider->mesh && !fm_placed_is_far(placed, x, 0) &&
            fm_placed_contact(placed, x).distance < 0)
            return true;
    }
    return false;
}

// last: there is no time left, it stays where it was.
static bool stop(const fm_particles *p, const fm_passage *way, fm_vec3 before, bool last,
                 fm_vec3 *x, fm_vec3 *v)
{
    const fm_trimesh *mesh = way->mesh;
    const fm_pose *pose = &way->to;
    fm_vec3 a = fm_pose_apply_inverse(&way->from, before);
    fm_vec3 b = fm_pose_apply_inverse(pose, *x);
    fm_crossing crossing;
    if (!fm_trimesh_cross(mesh, way->before, way->moved, a, b, &crossing))
        return false;
    fm_frame frame = fm_trimesh_frame(mesh, &crossing.anchor);
    fm_vec3 n = fm_scale(frame.axes[2], crossing.side);
    double apart = APART * p->def.spacing;
    if (last)
        b = way->before ? fm_add_scaled(frame.origin, n, apart) : a;
    else
        b = fm_add_scaled(b, n, apart - crossing.side * crossing.beyond);
    *x = fm_pose_apply(pose, b);
    n = fm_quat_rotate(pose->rotation, n);
    fm_vec3 u =
        fm_add(fm_pose_velocity_at(pose, *x), fm_quat_rotate(pose->rotation, frame.velocity));
    *v = fm_add_scaled(*v, n, -fmin(0, fm_dot(fm_sub(*v, u), n)));
    return true;
}

bool fm_passages_keep(const fm_particles_step *step, int i, fm_vec3 *x, fm_vec3 *v)
{
    fm_particles *p = step->p;
    const fm_surroundings *around = step->around;
    bool moved = false;
    double way = fm_length(fm_sub(*x, p->before[i])) + p->passage_way;
    p->clearance[i] -= (float)(way * (1 + ROUNDING));
    if (p->clearance[i] > 0 && !is_in_shape(around, *x))
        return false;
    for (int n = 0; n <= PASSES; n++) {
        bool stopped = false, touched = false;
        for (int k = 0; k < p->passage_count; k++)
            stopped |= stop(p, &p->passages[k], p->before[i], n == PASSES, x, v);
        if (n < PASSES)
            fm_collide_particle(around->placed, around->collider_count, 0, x, v, &touched);
        if (p->def.dimensions == 2)
            x->z = 0;
        touched |= n < PASSES && fm_walls_clamp(step, x);
        moved |= stopped || touched;
        if (!stopped && !touched)
            break;
    }
    p->clearance[i] = (float)(find_clearance(step, *x) * (1 - ROUNDING));
    return moved;
}
