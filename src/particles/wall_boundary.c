// SPDX-License-Identifier: MIT
// wall_boundary.c: boundary points of walls and colliders, and containment of particles.
//
// Walls are lattices of boundary points outside the domain, one support deep. Colliders are
// lattices in their own frame, up to one support below the surface. The volume of a collider's
// boundary point is the solid share of its lattice cell,
//
//     V = clamp(1/2 - d / dx, 0, 1) dx^n
//
// so that curved bodies have the right volume to second order in the spacing. The pressure of
// boundary particles keeps fluid out. Particles that a violent step still moves across a wall or
// into a collider are moved back here, so that nothing leaks.
//
//   d  signed distance of a point from the surface, m, negative inside      dx  spacing, m
//   n  dimensions, 2 or 3
#include "particles/particles.h"

#include <limits.h>

#include <stdlib.h>
#include <string.h>

enum {
    POINTS_MAX = 50000000, // boundary points of one fluid
    SITES_MAX = 30000,     // lattice sites on each side of a collider's centre, along each axis
};

// Doubles the capacity of an array with `count` elements of `size` bytes if it is full. name: of
// the fluid, for errors.
static bool grow(void **values, int count, int *capacity, size_t size, const char *name,
                 fm_error *err)
{
    if (err->status != FM_OK)
        return false;
    if (count < *capacity)
        return true;
    int larger = *capacity ? 2 * *capacity : 1024;
    void *grown = count < POINTS_MAX ? realloc(*values, (size_t)larger * size) : NULL;
    if (!grown)
        return fm_fail_no_memory(err, name, (size_t)larger * size);
    *values = grown;
    *capacity = larger;
    return true;
}

// Appends a boundary point. mesh: additional data of a point on a mesh collider, or NULL.
bool fm_boundary_point_list_add(fm_boundary_point_list *l, const fm_particles *p,
                                fm_boundary_point point, const fm_mesh_point *mesh, fm_error *err)
{
    void *points = l->points, *meshes = l->meshes;
    bool grown = grow(&points, l->count, &l->capacity, sizeof point, p->object.name, err);
    l->points = points;
    grown = grown && (!mesh || grow(&meshes, l->mesh_count, &l->mesh_capacity, sizeof *mesh,
                                    p->object.name, err));
    l->meshes = meshes;
    if (!grown || !l->points)
        return false;
    if (mesh) {
        point.mesh_point = l->mesh_count;
        l->meshes[l->mesh_count++] = *mesh;
        point.of_mesh = true;
    }
    l->points[l->count++] = point;
    return true;
}

// Displacement of the moving domain at time t, m; *velocity: its velocity, m/s.
fm_vec3 fm_particles_domain_offset(const fm_particles *p, double t, fm_vec3 *velocity)
{
    fm_vec3 corner = p->def.domain.low;
    if (velocity)
        *velocity = fm_motion_velocity(p->def.domain.motion, corner, t);
    return fm_sub(fm_motion_position(p->def.domain.motion, corner, t), corner);
}

// The lattice of sites in the domain and in the walls around it.
typedef struct lattice {
    double low[3], step[3];           // m, low corner of the domain and spacing of the sites
    int count[3], below[3], above[3]; // sites inside the domain, and layers beyond its two sides
} lattice;

// The lattice of sites of a fluid's domain, with layers of one support depth in its walls.
static lattice find_lattice(const fm_particles *p)
{
    const fm_domain *d = &p->def.domain;
    const double low[3] = {d->low.x, d->low.y, d->low.z},
                 high[3] = {d->high.x, d->high.y, d->high.z};
    lattice l;
    for (int axis = 0; axis < 3; axis++) {
        bool flat = axis >= p->def.dimensions;
        double size = high[axis] - low[axis];
        l.low[axis] = flat ? -0.5 : low[axis];
        l.count[axis] = flat ? 1 : (int)fmax(1, round(size / p->def.spacing));
        l.step[axis] = flat ? 1 : size / l.count[axis];
        const double rounding = 1e-9; // no additional layer for a rounding error of R / step
        int layers = flat ? 0 : (int)ceil(p->R / l.step[axis] - rounding);
        l.below[axis] = d->sides[2 * axis] == FM_SIDE_OPEN ? 0 : layers;
        l.above[axis] = d->sides[2 * axis + 1] == FM_SIDE_OPEN ? 0 : layers;
    }
    return l;
}

// True when a lattice site in the domain is outside all colliders.
static bool is_free(const fm_surroundings *around, const lattice *l, const int at[3], double gap)
{
    fm_vec3 x = {l->low[0] + (at[0] + 0.5) * l->step[0], l->low[1] + (at[1] + 0.5) * l->step[1],
                 l->low[2] + (at[2] + 0.5) * l->step[2]};
    for (int c = 0; c < around->collider_count; c++)
        if (fm_placed_find_contact(&around->placed[c], x).distance <= gap)
            return false;
    return true;
}

// Least number of particles that fill the domain; INT_MAX: the domain has an open side, or is much
// larger than the fluid. Less than half of a layer of the lattice may be empty: that is no room for
// a free surface.
int fm_walls_find_full_count(const fm_particles *p, const fm_surroundings *around)
{
    const lattice l = find_lattice(p);
    const double sites = (double)l.count[0] * l.count[1] * l.count[2];
    int longest = 1, count = 0;
    for (int axis = 0; axis < p->def.dimensions; axis++) {
        longest = l.count[axis] > longest ? l.count[axis] : longest;
        if (p->def.domain.sides[2 * axis] == FM_SIDE_OPEN ||
            p->def.domain.sides[2 * axis + 1] == FM_SIDE_OPEN)
            return INT_MAX;
    }
    if (p->def.method != FM_SPH_CONSTANT_DENSITY || p->capacity < sites / 2)
        return INT_MAX;
    for (int k = 0; k < l.count[2]; k++)
        for (int j = 0; j < l.count[1]; j++)
            for (int i = 0; i < l.count[0]; i++)
                count += is_free(around, &l, (const int[3]){i, j, k}, p->def.spacing / 2);
    return count - (int)(sites / longest / 2);
}

// The wall that a lattice point belongs to, FM_SIDE_COUNT: none. In edges and corners a wall that
// does not slide has priority.
static int find_side(const fm_particles *p, const lattice *l, const int at[3])
{
    const fm_domain *d = &p->def.domain;
    int found = FM_SIDE_COUNT;
    for (int axis = 0; axis < p->def.dimensions; axis++) {
        int side = at[axis] < 0                 ? 2 * axis
                   : at[axis] >= l->count[axis] ? 2 * axis + 1
                                                : FM_SIDE_COUNT;
        if (side == FM_SIDE_COUNT || d->sides[side] != FM_SIDE_WALL)
            continue;
        fm_vec3 u = d->slide[side];
        if (found == FM_SIDE_COUNT || fm_dot(u, u) == 0)
            found = side;
    }
    return found;
}

// Adds the boundary points of the domain's walls.
static void add_walls(fm_particles *p, fm_boundary_point_list *points, fm_error *err)
{
    lattice l = find_lattice(p);
    double cell = 1;
    for (int axis = 0; axis < p->def.dimensions; axis++)
        cell *= l.step[axis];
    int at[3];
    for (at[2] = -l.below[2]; at[2] < l.count[2] + l.above[2]; at[2]++) {
        for (at[1] = -l.below[1]; at[1] < l.count[1] + l.above[1]; at[1]++) {
            for (at[0] = -l.below[0]; at[0] < l.count[0] + l.above[0]; at[0]++) {
                int side = find_side(p, &l, at);
                if (side == FM_SIDE_COUNT) {
                    // skip the interior of the domain along x
                    if (at[0] >= 0 && at[0] < l.count[0] - 1)
                        at[0] = l.count[0] - 1;
                    continue;
                }
                fm_vec3 x = {l.low[0] + (at[0] + 0.5) * l.step[0],
                             l.low[1] + (at[1] + 0.5) * l.step[1],
                             l.low[2] + (at[2] + 0.5) * l.step[2]};
                fm_boundary_point point = {x, (float)cell, .owner = {FM_OWNER_WALL, side}};
                if (!fm_boundary_point_list_add(points, p, point, NULL, err))
                    return;
            }
        }
    }
}

// True when x is in the domain enlarged by one support radius on each side.
static bool is_in_reach(const fm_particles *p, fm_vec3 x)
{
    const fm_domain *d = &p->def.domain;
    double R = p->R;
    bool in =
        x.x > d->low.x - R && x.x < d->high.x + R && x.y > d->low.y - R && x.y < d->high.y + R;
    return in && (p->def.dimensions == 2 || (x.z > d->low.z - R && x.z < d->high.z + R));
}

// True when x is where the boundary points of a wall are.
static bool is_behind_wall(const fm_particles *p, fm_vec3 x)
{
    const fm_domain *d = &p->def.domain;
    const double at[3] = {x.x, x.y, x.z}, low[3] = {d->low.x, d->low.y, d->low.z},
                 high[3] = {d->high.x, d->high.y, d->high.z};
    for (int axis = 0; axis < 3 && axis < p->def.dimensions; axis++) {
        if ((at[axis] < low[axis] && d->sides[2 * axis] == FM_SIDE_WALL) ||
            (at[axis] > high[axis] && d->sides[2 * axis + 1] == FM_SIDE_WALL))
            return true;
    }
    return false;
}

// True when a fixed collider needs a boundary point at x: fluid can come near, and x is not behind
// a wall, which has boundary points of its own.
bool fm_walls_allow_point(const fm_particles *p, fm_vec3 x)
{
    return is_in_reach(p, x) && !is_behind_wall(p, x);
}

// Frame of the lattice of boundary points that fills a shape.
typedef struct frame {
    fm_vec3 centre, axes[3]; // m, unit vectors
    double low[3], high[3];  // m, range of the lattice along the axes, relative to the centre
} frame;

// Frame of the lattice for a plane: it covers the domain and reaches one support below the plane.
static void find_plane_frame(const fm_particles *p, const fm_shape *shape, frame *f)
{
    const fm_domain *d = &p->def.domain;
    fm_vec3 n = shape->normal, middle = fm_scale(fm_add(d->low, d->high), 0.5);
    if (p->def.dimensions == 2)
        middle.z = 0;
    fm_vec3 other = fabs(n.z) < 0.9 ? (fm_vec3){0, 0, 1} : (fm_vec3){1, 0, 0};
    fm_vec3 a = fm_cross(n, other); // an axis that is not nearly parallel to n
    fm_normalize(&a);
    f->axes[0] = a;
    f->axes[1] = n;
    f->axes[2] = fm_cross(a, n);
    double height = fm_dot(n, fm_sub(middle, shape->centre));
    f->centre = fm_add_scaled(middle, n, -height);
    double size = fm_length(fm_sub(d->high, d->low)) / 2 + 2 * p->R;
    f->low[0] = f->low[2] = -size;
    f->high[0] = f->high[2] = size;
    f->low[1] = -p->R - p->def.spacing;
    f->high[1] = p->def.spacing;
}

// Frame and range of the lattice of boundary points that fills a collider's shape.
static frame find_frame(const fm_particles *p, const fm_shape *shape)
{
    frame f = {.axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    double dx = p->def.spacing;
    fm_vec3 low, high;
    if (shape->kind == FM_SHAPE_PLANE) {
        find_plane_frame(p, shape, &f);
        return f;
    }
    fm_shape unrotated = *shape;
    if (shape->kind == FM_SHAPE_BOX) {
        for (int axis = 0; axis < 3; axis++)
            f.axes[axis] = fm_quat_rotate(shape->rotation, f.axes[axis]);
        unrotated.rotation = (fm_quat){0, 0, 0, 1};
    }
    fm_shape_find_bounds(&unrotated, &low, &high);
    f.centre = fm_scale(fm_add(low, high), 0.5);
    const double half[3] = {(high.x - low.x) / 2, (high.y - low.y) / 2, (high.z - low.z) / 2};
    for (int axis = 0; axis < 3; axis++) {
        f.low[axis] = -half[axis] - dx;
        f.high[axis] = half[axis] + dx;
    }
    return f;
}

// Adds the boundary points of a collider that is no mesh. owner: its index. Lattice sites are half
// a spacing off the centre, so that opposite sides are symmetric. In 2D the sites are in the plane
// z = 0.
static void add_collider(fm_particles *p, const fm_collider *collider, int owner,
                         fm_boundary_point_list *points, fm_error *err)
{
    const fm_shape *shape = &collider->shape;
    double dx = p->def.spacing;
    bool flat = p->def.dimensions == 2, fixed = fm_collider_is_fixed(collider);
    frame f = find_frame(p, shape);
    int low[3], high[3];
    for (int axis = 0; axis < 3; axis++) {
        double a = floor(f.low[axis] / dx), b = ceil(f.high[axis] / dx);
        low[axis] = (int)fmax(a, -SITES_MAX);
        high[axis] = (int)fmin(b, SITES_MAX);
    }
    for (int k = flat ? 0 : low[2]; k <= (flat ? 0 : high[2]); k++) {
        for (int j = low[1]; j <= high[1]; j++) {
            for (int i = low[0]; i <= high[0]; i++) {
                fm_vec3 x = fm_add_scaled(f.centre, f.axes[0], (i + 0.5) * dx);
                x = fm_add_scaled(x, f.axes[1], (j + 0.5) * dx);
                x = fm_add_scaled(x, f.axes[2], (k + 0.5) * dx);
                if (flat)
                    x.z = 0;
                if (fixed && !fm_walls_allow_point(p, x))
                    continue;
                double d = fm_shape_find_contact(shape, x).distance;
                double share = fmin(1, 0.5 - d / dx);
                if (share <= 0 || d < -p->R - dx / 2)
                    continue;
                float V = (float)(share * p->volume);
                fm_boundary_point point = {x, V, .owner = {FM_OWNER_COLLIDER, owner}};
                if (!fm_boundary_point_list_add(points, p, point, NULL, err))
                    return;
            }
        }
    }
}

// Adds the samples of an immersed surface. Substeps update their positions and volumes.
static void add_surface(fm_particles *p, int index, fm_boundary_point_list *points, fm_error *err)
{
    const fm_samples *s = p->surfaces[index];
    p->surface_start[index] = points->count;
    for (int i = 0; i < s->count; i++) {
        fm_boundary_point point = {s->start_position[i], .owner = {FM_OWNER_SURFACE, index}};
        if (!fm_boundary_point_list_add(points, p, point, NULL, err))
            return;
    }
}

// Creates the boundary points of walls, colliders and immersed surfaces.
bool fm_boundary_points_create(fm_particles *p, const fm_surroundings *around, fm_error *err)
{
    fm_boundary_point_list points = {0};
    if (!fm_mesh_boundary_check(p, around, err))
        return false;
    add_walls(p, &points, err);
    p->boundary_moves = p->def.domain.motion != NULL;
    for (int axis = 0; axis < 3; axis++)
        p->boundary_moves |= fm_particles_is_periodic(p, axis);
    for (int i = 0; i < around->collider_count; i++) {
        const fm_collider *collider = around->colliders[i];
        (collider->mesh ? fm_mesh_boundary_add_points : add_collider)(p, collider, i, &points, err);
        p->boundary_moves |= !fm_collider_is_fixed(around->colliders[i]);
    }
    for (int i = 0; i < p->surface_count; i++)
        add_surface(p, i, &points, err);
    p->boundary_moves |= p->surface_count > 0;
    for (int i = 0; i < points.count && !p->has_walls; i++) {
        fm_boundary_owner owner = points.points[i].owner;
        p->has_walls = owner.kind == FM_OWNER_WALL ||
                       (owner.kind == FM_OWNER_COLLIDER && !around->colliders[owner.index]->rigid);
    }
    p->point_count = points.count;
    p->points =
        fm_arena_alloc(&p->arena, (size_t)points.count + 1, sizeof *p->points, p->object.name, err);
    if (p->points && points.count)
        memcpy(p->points, points.points, (size_t)points.count * sizeof *p->points);
    p->mesh_points = fm_arena_alloc(&p->arena, (size_t)points.mesh_count + 1,
                                    sizeof *p->mesh_points, p->object.name, err);
    if (p->mesh_points && points.mesh_count)
        memcpy(p->mesh_points, points.meshes, (size_t)points.mesh_count * sizeof *p->mesh_points);
    free(points.points);
    free(points.meshes);
    return fm_mesh_collision_create(p, around, err);
}

// Keeps `count` particles inside the domain along one axis. x, v: their coordinates, m, and
// velocity components, m/s. Tests first whether a particle is inside, as most are. Returns the sum
// of the velocities that were removed, m/s.
static double contain_along_axis(const fm_side_kind sides[2], double low, double high,
                                 float domain_velocity, double *x, float *v, int count)
{
    double lost = 0;
    for (int i = 0; i < count; i++) {
        if (x[i] >= low && x[i] < high)
            continue;
        float before = v[i];
        if (sides[0] == FM_SIDE_PERIODIC) {
            x[i] -= (high - low) * floor((x[i] - low) / (high - low));
            x[i] = x[i] >= high ? low : x[i]; // after rounding
        } else if (sides[0] == FM_SIDE_WALL && x[i] < low) {
            x[i] = low;
            v[i] = v[i] > domain_velocity ? v[i] : domain_velocity;
        } else if (sides[1] == FM_SIDE_WALL && x[i] > high) {
            x[i] = high;
            v[i] = v[i] < domain_velocity ? v[i] : domain_velocity;
        }
        lost += (double)before - (double)v[i];
    }
    return lost;
}

// Moves x inside the walls. Returns true when x was outside.
bool fm_walls_clamp_position(const fm_particles_step *step, fm_vec3 *x)
{
    const fm_domain *d = &step->p->def.domain;
    const fm_vec3 was = *x, o = step->offset;
    double *axes[3] = {&x->x, &x->y, &x->z};
    const double low[3] = {d->low.x + o.x, d->low.y + o.y, d->low.z + o.z};
    const double high[3] = {d->high.x + o.x, d->high.y + o.y, d->high.z + o.z};
    for (int axis = 0; axis < step->p->def.dimensions && axis < 3; axis++) {
        if (d->sides[2 * axis] == FM_SIDE_WALL)
            *axes[axis] = fmax(*axes[axis], low[axis]);
        if (d->sides[2 * axis + 1] == FM_SIDE_WALL)
            *axes[axis] = fmin(*axes[axis], high[axis]);
    }
    return was.x != x->x || was.y != x->y || was.z != x->z;
}

// Records that particle i lost the velocity `lost`, m/s, at x, if the force on the collider there
// is used.
static void record_hit(const fm_particles_step *step, int i, fm_vec3 x, fm_vec3 lost)
{
    fm_particles *p = step->p;
    const fm_surroundings *around = step->around;
    const double near = 1e-6 * p->def.spacing; // m, rounding of positions on the surface
    for (int k = 0; k < around->collider_count; k++) {
        if (!(around->colliders[k]->rigid || p->def.loads) ||
            fm_placed_find_closest(&around->placed[k], x).distance > near)
            continue;
        p->hit_velocity[i] = p->hit[i] == k ? fm_add(p->hit_velocity[i], lost) : lost;
        p->hit_point[i] = x;
        p->hit[i] = k;
        return;
    }
}

// Moves particle i out of colliders. Returns the velocity that it lost, m/s.
static fm_vec3 move_out_of_colliders(const fm_particles_step *step, int i)
{
    fm_particle_state *now = &step->p->now;
    fm_vec3 x = {now->x[i], now->y[i], now->z[i]}, v = {now->vx[i], now->vy[i], now->vz[i]};
    const fm_vec3 before = v;
    bool touched;
    if (step->p->mesh_motion_count > 0)
        touched = fm_mesh_collision_resolve(step, i, &x, &v);
    else
        fm_collide_particle(step->around->placed, step->around->collider_count, 0, &x, &v,
                            &touched);
    if (!touched)
        return (fm_vec3){0};
    now->x[i] = x.x;
    now->y[i] = x.y;
    now->vx[i] = (float)v.x;
    now->vy[i] = (float)v.y;
    if (step->p->def.dimensions == 3) {
        now->z[i] = x.z;
        now->vz[i] = (float)v.z;
    }
    fm_vec3 lost = fm_sub(before, (fm_vec3){now->vx[i], now->vy[i], now->vz[i]});
    record_hit(step, i, x, lost);
    return lost;
}

// Keeps the particles first to below last inside walls and outside colliders, and wraps particles
// that leave through periodic sides.
void fm_walls_contain_particles(const fm_particles_step *step, int first, int last)
{
    fm_particles *p = step->p;
    const fm_domain *d = &p->def.domain;
    fm_vec3 low = fm_add(d->low, step->offset), high = fm_add(d->high, step->offset);
    fm_vec3 domain_velocity = step->domain_velocity;
    fm_particle_state *now = &p->now;
    fm_vec3 lost = {0};
    // particles that were emitted after the last sorting have no cell yet and are always tested
    for (int i = first; i < last && step->around->collider_count > 0; i++)
        if (p->mesh_motion_count > 0 || i >= p->fluid.count || p->is_near_boundary[p->cell[i]])
            lost = fm_add(lost, move_out_of_colliders(step, i));
    double *x = now->x + first, *y = now->y + first, *z = now->z + first;
    float *vx = now->vx + first, *vy = now->vy + first, *vz = now->vz + first;
    int n = last - first;
    lost.x += contain_along_axis(d->sides, low.x, high.x, (float)domain_velocity.x, x, vx, n);
    lost.y += contain_along_axis(d->sides + 2, low.y, high.y, (float)domain_velocity.y, y, vy, n);
    if (p->def.dimensions == 3)
        lost.z +=
            contain_along_axis(d->sides + 4, low.z, high.z, (float)domain_velocity.z, z, vz, n);
    fm_vec3 *total = &p->lost_velocity[first / FM_PARTICLES_BLOCK];
    *total = fm_add(*total, lost);
}

// Gives the momentum that particles lost at colliders to these.
static void push_hit_colliders(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    const double m = fm_particles_mass(p);
    for (int i = 0; i < p->capacity; i++) {
        if (p->hit[i] < 0)
            continue;
        const int k = p->hit[i];
        if (step->around->colliders[k]->rigid)
            fm_collider_add_impulse(step->around->colliders[k], p->hit_point[i],
                                    fm_scale(p->hit_velocity[i], m));
        else
            p->collider_impulse[k] = fm_add_scaled(p->collider_impulse[k], p->hit_velocity[i], m);
        p->hit[i] = -1;
    }
}

// Gives the momentum that particles lost at walls and colliders to colliders with a mass, and adds
// it to the measured load.
void fm_walls_add_impact_load(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    push_hit_colliders(step);
    for (int block = 0; block < fm_parallel_block_count(p->capacity, FM_PARTICLES_BLOCK); block++) {
        if (p->def.loads)
            p->stats.load =
                fm_add_scaled(p->stats.load, p->lost_velocity[block], fm_particles_mass(p));
        p->lost_velocity[block] = (fm_vec3){0};
    }
}

// The walls of the domain at time t, s, as plane colliders. Returns their number.
int fm_particles_find_wall_planes(const fm_particles *p, double t, fm_placed_collider planes[6])
{
    const fm_domain *d = &p->def.domain;
    fm_vec3 velocity, offset = fm_particles_domain_offset(p, t, &velocity);
    int count = 0;
    for (int side = 0; side < 2 * p->def.dimensions; side++) {
        if (d->sides[side] != FM_SIDE_WALL)
            continue;
        double sign = side % 2 ? -1 : 1;
        fm_placed_collider *plane = &planes[count++];
        *plane = (fm_placed_collider){.low = {-INFINITY, -INFINITY, -INFINITY},
                                      .high = {INFINITY, INFINITY, INFINITY},
                                      .pose = fm_pose_identity()};
        plane->shape.kind = FM_SHAPE_PLANE;
        plane->shape.centre = fm_add(side % 2 ? d->high : d->low, offset);
        plane->shape.normal =
            (fm_vec3){side / 2 == 0 ? sign : 0, side / 2 == 1 ? sign : 0, side / 2 == 2 ? sign : 0};
        plane->reach = fm_max_norm(plane->shape.centre);
        plane->pose.velocity = velocity;
    }
    return count;
}
