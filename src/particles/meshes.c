// SPDX-License-Identifier: MIT
// meshes.c: the points that mesh colliders are made of, and who sees them.
//
// As other colliders, a mesh is a lattice of points up to a support below its surface (walls.c).
// Where a wall is thinner than the support that lattice would end too early, and fluid on the one
// side would see the pressure on the other. There each side has points of its own, as if the solid
// behind it went on: they stand in the wall and beyond it, where fluid of the other side may be,
// and are seen from their own side only,
//
//     n . (x - c) > 0
//
// c being the place of the surface that is nearest to the point and n the normal there. Both sides
// of a shell are such walls. Particles do not see each other through a thin wall either: a pair is
// cut when each is behind the other's surface and the way between them passes the mesh.
//
// Points of an animated mesh go along with the triangle they were nearest to at time 0, and keep
// their volume.
#include "particles/particles.h"

#include <string.h>

enum { BLOCK = 8 }; // sites along each side of a block that is looked at as a whole

typedef struct maker {
    fm_particles *p;
    const fm_collider *collider;
    int owner;
    bool fixed;
    fm_point_list *points;
    fm_error *err;
} maker;

static double find_share(const fm_particles *p, double distance)
{
    return fmax(0, fmin(1, 0.5 - distance / p->def.spacing));
}

static fm_vec3 turn_into(const fm_frame *frame, fm_vec3 a)
{
    return (fm_vec3){fm_dot(a, frame->axes[0]), fm_dot(a, frame->axes[1]),
                     fm_dot(a, frame->axes[2])};
}

static fm_vec3 turn_out_of(const fm_frame *frame, fm_vec3 a)
{
    fm_vec3 sum = fm_scale(frame->axes[0], a.x);
    return fm_add_scaled(fm_add_scaled(sum, frame->axes[1], a.y), frame->axes[2], a.z);
}

// side: what only that side sees; NULL for everybody.
static void add_point(const maker *m, fm_vec3 x, double distance, const fm_contact *side)
{
    fm_particles *p = m->p;
    fm_mesh_point at = {.x = x};
    bool animated = fm_trimesh_is_animated(m->collider->mesh);
    float V = (float)(find_share(p, distance) * p->volume);
    if (!(V > 0) || distance < -p->R - p->def.spacing / 2)
        return;
    if (side) {
        at.surface = side->point;
        at.normal = side->normal;
        p->thin = true;
    }
    if (animated) {
        at.anchor = fm_trimesh_anchor(m->collider->mesh, x);
        fm_frame frame = fm_trimesh_frame(m->collider->mesh, &at.anchor);
        at.x = turn_into(&frame, fm_sub(x, frame.origin));
        at.surface = turn_into(&frame, fm_sub(at.surface, frame.origin));
        at.normal = turn_into(&frame, at.normal);
    }
    fm_boundary_point point = {.x = x, .volume = V, .owner = m->owner};
    fm_point_list_add(m->points, p, point, side || animated ? &at : NULL, m->err);
}

static void add_site(const maker *m, fm_vec3 x)
{
    const fm_particles *p = m->p;
    const fm_trimesh *mesh = m->collider->mesh;
    fm_contact near = fm_trimesh_contact(mesh, x), far;
    double reach = p->R + p->def.spacing / 2;
    if (m->fixed && !fm_walls_leave_room(p, x))
        return;
    bool thin = fabs(near.distance) < reach && fm_trimesh_opposite(mesh, x, &near, reach, &far) &&
                -far.distance - near.distance < p->R;
    add_point(m, x, near.distance, thin ? &near : NULL);
    if (thin)
        add_point(m, x, far.distance, &far);
}

// Sites from first on, as many as a block has. One whose middle is far from the surface has none.
static void add_block(const maker *m, fm_vec3 origin, const int first[3])
{
    const fm_particles *p = m->p;
    const double dx = p->def.spacing;
    const bool flat = p->def.dimensions == 2;
    double half = BLOCK * dx / 2, reach = sqrt(3) * half + p->R + dx;
    fm_vec3 low = fm_add(origin, (fm_vec3){first[0] * dx, first[1] * dx, first[2] * dx});
    fm_vec3 middle = {low.x + half, low.y + half, flat ? 0 : low.z + half};
    if (fabs(fm_trimesh_contact(m->collider->mesh, middle).distance) > reach)
        return;
    for (int k = 0; k < (flat ? 1 : BLOCK); k++)
        for (int j = 0; j < BLOCK; j++)
            for (int i = 0; i < BLOCK && m->err->status == FM_OK; i++)
                add_site(m, (fm_vec3){low.x + (i + 0.5) * dx, low.y + (j + 0.5) * dx,
                                      flat ? 0 : low.z + (k + 0.5) * dx});
}

// In two dimensions a mesh is what the plane z = 0 cuts out of it: it must go on beyond.
bool fm_meshes_check(const fm_particles *p, const fm_surroundings *around, fm_error *err)
{
    for (int i = 0; i < around->collider_count && p->def.dimensions == 2; i++) {
        const fm_collider *collider = around->colliders[i];
        if (!collider->mesh)
            continue;
        fm_placed_collider placed = fm_collider_place(collider, 0);
        int vertices, triangles;
        const fm_vec3 *x = fm_trimesh_vertices(collider->mesh, &vertices);
        const int *c = fm_trimesh_triangles(collider->mesh, &triangles);
        for (int t = 0; t < triangles; t++, c += 3) {
            fm_vec3 a = fm_pose_apply(&placed.pose, x[c[0]]);
            fm_vec3 b = fm_pose_apply(&placed.pose, x[c[1]]);
            fm_vec3 d = fm_pose_apply(&placed.pose, x[c[2]]);
            fm_vec3 n = fm_cross(fm_sub(b, a), fm_sub(d, a));
            bool lies = fm_make_unit(&n) && fabs(n.z) > 0.7;
            if (lies && fmin(fmin(a.z, b.z), d.z) < p->R && fmax(fmax(a.z, b.z), d.z) > -p->R)
                return fm_fail(err, FM_BAD_VALUE, p->name, "collider", collider->name,
                               "in 2D a mesh across the plane z = 0 that ends beyond the support");
        }
    }
    return true;
}

void fm_meshes_add(fm_particles *p, const fm_collider *collider, int owner, fm_point_list *points,
                   fm_error *err)
{
    maker m = {p, collider, owner, fm_collider_is_fixed(collider), points, err};
    fm_trimesh_set_time(collider->mesh, 0); // whenever the fluid is made ready
    fm_box box = fm_trimesh_bounds(collider->mesh);
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
                add_block(&m, origin, first);
}

// Where it is in the frame of its mesh. frame: only of an animated one.
static fm_vec3 find_point(const fm_mesh_point *at, const fm_frame *frame)
{
    return frame ? fm_add(frame->origin, turn_out_of(frame, at->x)) : at->x;
}

static const fm_frame *find_frame(const fm_collider *collider, const fm_mesh_point *at,
                                  fm_frame *room)
{
    if (!fm_trimesh_is_animated(collider->mesh))
        return NULL;
    *room = fm_trimesh_frame(collider->mesh, &at->anchor);
    return room;
}

fm_vec3 fm_meshes_place(const fm_particles_step *step, const fm_boundary_point *point)
{
    fm_frame room;
    const fm_mesh_point *at = &step->p->mesh_points[point->mesh - 1];
    const fm_placed_collider *placed = &step->around->placed[point->owner];
    const fm_frame *frame = find_frame(placed->collider, at, &room);
    return fm_pose_apply(&placed->pose, find_point(at, frame));
}

fm_sight fm_meshes_look(const fm_particles_step *step, const fm_boundary_point *point,
                        fm_vec3 *velocity)
{
    fm_frame room;
    const fm_mesh_point *at = &step->p->mesh_points[point->mesh - 1];
    const fm_placed_collider *placed = &step->around->placed[point->owner];
    const fm_frame *frame = find_frame(placed->collider, at, &room);
    fm_vec3 c = at->surface, n = at->normal;
    if (frame) {
        c = fm_add(frame->origin, turn_out_of(frame, c));
        n = turn_out_of(frame, n);
        *velocity = fm_add(*velocity, fm_quat_rotate(placed->pose.rotation, frame->velocity));
    }
    if (fm_dot(n, n) == 0)
        return FM_SEEN_BY_ALL;
    const double *o = step->p->rows.origin;
    c = fm_sub(fm_pose_apply(&placed->pose, c), (fm_vec3){o[0], o[1], o[2]});
    n = fm_quat_rotate(placed->pose.rotation, n);
    return (fm_sight){{(float)n.x, (float)n.y, (float)n.z}, (float)fm_dot(n, c)};
}

static bool sees(const fm_particles *p, int particle, int other)
{
    const fm_sight *s = &p->sights[other];
    const fm_swarm *f = &p->fluid;
    return s->n[0] * f->x[particle] + s->n[1] * f->y[particle] + s->n[2] * f->z[particle] > s->at;
}

static int find_passage(const fm_particles *p, int collider)
{
    int k = 0;
    while (p->passages[k].collider != collider)
        k++;
    return k;
}

// The nearest point that its side only sees tells which thin wall a particle is beside.
static void face_range(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    const fm_swarm *f = &p->fluid, *o = &p->others;
    int list[FM_NEIGHBOURS_ROOM], extra;
    for (int i = first; i < last; i++) {
        float nearest = INFINITY;
        p->facing[i] = (fm_facing){.passage = -1};
        int count = p->near[p->in_cell[i]] ? fm_find_list(p, f, i, o, -1, list, &extra) : 0;
        for (int n = 0; n < count; n++) {
            const int k = list[n];
            const fm_sight *s = &p->sights[k];
            float dx = f->x[i] - o->x[k], dy = f->y[i] - o->y[k], dz = f->z[i] - o->z[k];
            float square = dx * dx + dy * dy + dz * dz;
            if ((s->n[0] == 0 && s->n[1] == 0 && s->n[2] == 0) || !(square < nearest) ||
                !sees(p, i, k))
                continue;
            nearest = square;
            p->facing[i] = (fm_facing){find_passage(p, fm_others_owner(p, k)), *s};
        }
    }
}

void fm_meshes_face(const fm_particles_step *step)
{
    if (step->p->thin)
        fm_parallel_for(step->around->pool, step->p->count, FM_PARTICLES_BLOCK, face_range,
                        (void *)step);
}

static bool is_behind(const fm_particles *p, int i, int k)
{
    const fm_sight *s = &p->facing[i].sight;
    const fm_swarm *f = &p->fluid;
    return s->n[0] * f->x[k] + s->n[1] * f->y[k] + s->n[2] * f->z[k] < s->at;
}

static bool is_cut(const fm_particles *p, int i, int k)
{
    const int passage = p->facing[i].passage;
    if (passage < 0 || p->facing[k].passage != passage || !is_behind(p, i, k) ||
        !is_behind(p, k, i))
        return false;
    const fm_passage *way = &p->passages[passage];
    const int a = i < k ? i : k, b = i < k ? k : i; // each must find the same
    fm_vec3 from = {p->now.x[a], p->now.y[a], p->now.z[a]};
    fm_vec3 to = {p->now.x[b], p->now.y[b], p->now.z[b]};
    fm_crossing crossing;
    return fm_trimesh_cross(way->mesh, NULL, 0, fm_pose_apply_inverse(&way->to, from),
                            fm_pose_apply_inverse(&way->to, to), &crossing);
}

int fm_meshes_cut(const fm_particles *p, int i, int *list, int count)
{
    int kept = 0;
    if (p->facing[i].passage < 0)
        return count;
    for (int n = 0; n < count; n++)
        if (list[n] == i || !is_cut(p, i, list[n]))
            list[kept++] = list[n];
    return kept;
}

int fm_meshes_hide_others(const fm_particles *p, int i, int *list, int count)
{
    int kept = 0;
    for (int n = 0; n < count; n++)
        if (sees(p, i, list[n]))
            list[kept++] = list[n];
    return kept;
}

int fm_meshes_hide_fluid(const fm_particles *p, int other, int *list, int count)
{
    int kept = 0;
    for (int n = 0; n < count; n++)
        if (sees(p, list[n], other))
            list[kept++] = list[n];
    return kept;
}
