// SPDX-License-Identifier: MIT
// boundary_particles.c: boundary and ghost particles of one substep.
//
// Places the boundary particles of walls, colliders and immersed surfaces at their current
// positions, creates ghost particles (images of fluid particles across periodic sides), and
// extrapolates pressure and velocity from the fluid to the boundary particles [ADA12]:
//
//     P_w = sum_j [ P_j + (g - a_w) . (x_w - x_j) ] W_wj / sum_j W_wj
//     v_w = 2 u_w - sum_j v_j W_wj / sum_j W_wj         (slip: the weighted mean itself)
//
// P_w makes the pressure gradient across the wall hydrostatic. The acceleration a_w of a moving
// domain counts in the pressure solve of constant density only (pressure_solver.c). v_w makes the
// velocity at the wall's surface, half-way between fluid and boundary particle, equal to u_w.
// Samples of immersed surfaces lie in the surface itself, so they have v_w = u_w, and the pressures
// on their two sides are separate (immersed_surfaces.c). The density equation uses the true
// velocity u_w.
//
//   P  pressure / rest density, m^2/s^2    u_w  velocity of the wall, m/s    W  kernel
//   j  fluid particles    w  boundary particle    g  gravity, m/s^2    a_w  m/s^2
//
// [ADA12] in docs/references.md
#include "particles/particles.h"

// A boundary particle has no fluid within its support if the kernel sum sum_j V_j w_wj, in volumes
// of one fluid particle, is at most this. Bounds rounding errors of the sum.
static const float KERNEL_SUM_MIN = 1e-6f;

enum { ROWS_PER_TASK = 64 }; // rows of cells that one parallel task marks

// Cell of a position, m, in the grid with this origin; row -1: too far from the domain.
static fm_cell_index find_cell(const fm_cell_rows *rows, fm_vec3 at, const double origin[3])
{
    const float size = rows->size;
    float x = (float)(at.x - origin[0]), y = (float)(at.y - origin[1]);
    float z = (float)(at.z - origin[2]);
    // outside the outermost rows of the grid no fluid particle searches for neighbours
    bool inside = x > size && x < (float)(rows->nx / FM_CELLS_PER_SUPPORT - 1) * size && y > size &&
                  y < (float)(rows->ny - 1) * size &&
                  (rows->nz == 1 || (z > size && z < (float)(rows->nz - 1) * size));
    return inside ? fm_cell_rows_find_cell(rows, x, y, z) : (fm_cell_index){-1, 0};
}

// True for boundary points that never move relative to the domain.
static bool is_fixed_in_domain(const fm_particles_step *step, const fm_boundary_point *point)
{
    if (point->owner.kind == FM_OWNER_COLLIDER)
        return !step->p->def.domain.motion &&
               fm_collider_is_fixed(step->around->colliders[point->owner.index]);
    return point->owner.kind == FM_OWNER_WALL;
}

// Sorts the boundary points that are fixed in the domain, at their positions in the unmoved domain,
// and lists all other points in moving_points. Called once.
static void sort_fixed_points(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    fm_vec3 low = p->def.domain.low;
    bool flat = p->def.dimensions == 2;
    const double origin[3] = {low.x - 2 * p->R, low.y - 2 * p->R, flat ? 0 : low.z - 2 * p->R};
    p->moving_point_count = 0;
    for (int i = 0; i < p->point_count; i++) {
        bool fixed = is_fixed_in_domain(step, &p->points[i]);
        p->boundary_cell[i] =
            fixed ? find_cell(&p->rows, p->points[i].x, origin) : (fm_cell_index){-1, 0};
        if (!fixed)
            p->moving_points[p->moving_point_count++] = i;
    }
    fm_cell_table_sort(&p->rows, &p->fixed_table, p->boundary_cell, p->point_count, p->fixed_order);
}

// Position of boundary point i at the time of the substep, m.
static fm_vec3 find_boundary_position(const fm_particles_step *step, int i)
{
    const fm_particles *p = step->p;
    const fm_boundary_point *point = &p->points[i];
    const int index = point->owner.index;
    if (point->of_mesh)
        return fm_mesh_boundary_find_position(step, point);
    if (point->owner.kind == FM_OWNER_COLLIDER)
        return fm_pose_apply(&step->around->placed[index].pose, point->x);
    if (point->owner.kind == FM_OWNER_SURFACE)
        return fm_sample_position(p->surfaces[index], i - p->surface_start[index], step->t);
    return fm_add(point->x, step->offset);
}

// Volume of the boundary particle of point i, m^3.
static float find_boundary_volume(const fm_particles *p, int i)
{
    const fm_boundary_point *point = &p->points[i];
    const int index = point->owner.index;
    return point->owner.kind == FM_OWNER_SURFACE
               ? fm_immersed_surfaces_find_volume(p, p->surfaces[index],
                                                  i - p->surface_start[index])
               : point->volume;
}

// Appends the boundary particle of point i to the unsorted particles.
static void add_boundary_particle(const fm_particles_step *step, int i, int *count)
{
    fm_particles *p = step->p;
    fm_vec3 x = find_boundary_position(step, i);
    if (p->def.dimensions == 2)
        x.z = 0;
    p->unsorted[*count] =
        (fm_unsorted_boundary){x, find_boundary_volume(p, i), {p->points[i].owner, i}};
    p->boundary_cell[(*count)++] = find_cell(&p->rows, x, p->rows.origin);
}

// Removes the last of the *count unsorted boundary or ghost particles when no fluid is within its
// support.
static void drop_last_if_dry(const fm_particles *p, int *count)
{
    fm_cell_index index = p->boundary_cell[*count - 1];
    if (index.row < 0 || !fm_cell_table_is_near(&p->rows, &p->fluid.table, index))
        (*count)--;
}

// Adds the boundary particles that have fluid within the support. Returns their number.
static int add_wet_points(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    int count = 0,
        wet = fm_cell_table_list_near(&p->rows, &p->fixed_table, &p->fluid.table, p->wet);
    for (int k = 0; k < wet; k++)
        add_boundary_particle(step, p->fixed_order[p->wet[k]], &count);
    for (int k = 0; k < p->moving_point_count; k++) {
        add_boundary_particle(step, p->moving_points[k], &count);
        drop_last_if_dry(p, &count);
    }
    return count;
}

// Shifts of a coordinate, m, at which a particle needs periodic images; shifts[0] = 0 is the
// particle itself. Returns their number.
static int find_periodic_shifts(const fm_particles *p, int axis, double x, double low, double high,
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

// Appends ghost particles to the unsorted particles. Returns the new number of these.
static int add_ghosts(fm_particles *p, fm_vec3 offset, int count, fm_error *err)
{
    fm_vec3 low = fm_add(p->def.domain.low, offset), high = fm_add(p->def.domain.high, offset);
    for (int i = 0; i < p->count; i++) {
        double sx[3], sy[3], sz[3];
        int nx = find_periodic_shifts(p, 0, p->now.x[i], low.x, high.x, sx);
        int ny = find_periodic_shifts(p, 1, p->now.y[i], low.y, high.y, sy);
        int nz = find_periodic_shifts(p, 2, p->now.z[i], low.z, high.z, sz);
        for (int k = 1; k < nx * ny * nz; k++) { // k = 0: the particle itself
            fm_vec3 x = {p->now.x[i] + sx[k % nx], p->now.y[i] + sy[k / nx % ny],
                         p->now.z[i] + sz[k / nx / ny]};
            if (count == p->boundary_capacity) {
                fm_fail(err, FM_DIVERGED, p->object.name, "ghost particles",
                        "more than there is room for",
                        "particles spread over the domain, as at the beginning");
                return count;
            }
            p->unsorted[count] =
                (fm_unsorted_boundary){x, (float)p->volume, {.owner = {FM_OWNER_PARTICLE, i}}};
            p->boundary_cell[count++] = find_cell(&p->rows, x, p->rows.origin);
            drop_last_if_dry(p, &count);
        }
    }
    return count;
}

// Velocity of the wall, collider or surface at a boundary particle, m/s. 0 for ghost particles,
// whose velocities fm_boundary_update_ghosts sets.
static fm_vec3 find_boundary_velocity(const fm_particles_step *step, const fm_unsorted_boundary *at)
{
    const fm_particles *p = step->p;
    const fm_boundary_owner owner = at->identity.owner;
    switch (owner.kind) {
    case FM_OWNER_WALL:
        return fm_add(step->domain_velocity, p->def.domain.slide[owner.index]);
    case FM_OWNER_COLLIDER:
        if (p->points[at->identity.point].of_mesh)
            return fm_mesh_boundary_find_velocity(step, &p->points[at->identity.point], at->x);
        return fm_pose_velocity_at(&step->around->placed[owner.index].pose, at->x);
    case FM_OWNER_SURFACE:
        return fm_sample_velocity(p->surfaces[owner.index],
                                  at->identity.point - p->surface_start[owner.index]);
    case FM_OWNER_PARTICLE:
        break;
    }
    return (fm_vec3){0};
}

// Fills the records of the sorted boundary or ghost particle i.
static void set_boundary_particle(const fm_particles_step *step, int i)
{
    fm_particles *p = step->p;
    fm_particle_set *set = &p->boundary;
    const fm_unsorted_boundary *at = &p->unsorted[p->boundary_order[i]];
    const double *origin = p->rows.origin;
    fm_vec3 u = find_boundary_velocity(step, at);
    p->identity[i] = at->identity;
    set->x[i] = (float)(at->x.x - origin[0]);
    set->y[i] = (float)(at->x.y - origin[1]);
    set->z[i] = (float)(at->x.z - origin[2]);
    if (p->has_thin_walls) {
        const fm_boundary_point *point = &p->points[at->identity.point];
        bool of_mesh = !fm_boundary_is_ghost(p, i) && point->of_mesh;
        p->visible_side[i] =
            of_mesh ? fm_mesh_boundary_find_visible_side(step, point) : FM_VISIBLE_FROM_ALL_SIDES;
    }
    float uz = p->def.dimensions == 3 ? (float)u.z : 0;
    // NAN: a boundary particle has no density
    set->density[i] = (fm_density_record){set->x[i],  set->y[i],  set->z[i], NAN,
                                          (float)u.x, (float)u.y, uz,        at->volume};
    set->force[i] = (fm_force_record){set->x[i],  set->y[i],  set->z[i], 0,
                                      (float)u.x, (float)u.y, uz,        at->volume};
}

// Fills the records of the sorted boundary and ghost particles first to below last.
static void set_boundary_range(void *context, int first, int last)
{
    for (int i = first; i < last; i++)
        set_boundary_particle(context, i);
}

// Rank of an unsorted boundary or ghost particle in the order of creation: boundary points first,
// then ghosts.
static int find_creation_rank(const fm_particles *p, int unsorted)
{
    const fm_boundary_identity *identity = &p->unsorted[unsorted].identity;
    bool ghost = identity->owner.kind == FM_OWNER_PARTICLE;
    return ghost ? p->point_count + identity->owner.index : identity->point;
}

// Sorts boundary and ghost particles within each cell by creation rank (insertion sort), so that
// the order does not depend on the steps before.
static void order_within_cells(fm_particles *p, int count)
{
    int *order = p->boundary_order;
    for (int i = 1; i < count; i++) {
        int k = order[i], rank = find_creation_rank(p, k), to = i;
        fm_cell_index cell = p->boundary_cell[k];
        for (; to > 0; to--) {
            fm_cell_index previous = p->boundary_cell[order[to - 1]];
            if (previous.row != cell.row || previous.column != cell.column ||
                find_creation_rank(p, order[to - 1]) < rank)
                break;
            order[to] = order[to - 1];
        }
        order[to] = k;
    }
}

// Sorts the first `count` unsorted boundary and ghost particles by cell and fills their records.
static void sort_boundary(const fm_particles_step *step, int count)
{
    fm_particles *p = step->p;
    p->boundary.count = fm_cell_table_sort(&p->rows, &p->boundary.table, p->boundary_cell, count,
                                           p->boundary_order);
    order_within_cells(p, p->boundary.count);
    fm_parallel_for(step->around->pool, p->boundary.count, FM_PARTICLES_LARGE_BLOCK,
                    set_boundary_range, (void *)step);
}

// Moves the sorted boundary particles first to below last to their positions at the time of the
// substep.
static void move_placed_range(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    for (int i = first; i < last; i++) {
        fm_unsorted_boundary *at = &p->unsorted[p->boundary_order[i]];
        at->x = find_boundary_position(step, at->identity.point);
        if (p->def.dimensions == 2)
            at->x.z = 0;
        set_boundary_particle(step, i);
    }
}

// Moves the boundary particles that are placed already, if any of them moves.
void fm_boundary_move_placed(const fm_particles_step *step)
{
    if (step->p->boundary_moves)
        fm_parallel_for(step->around->pool, step->p->boundary.count, FM_PARTICLES_LARGE_BLOCK,
                        move_placed_range, (void *)step);
}

// Marks the fluid's cells that have boundary or ghost particles within the support.
static void mark_cells_near_boundary(void *context, int first, int last)
{
    fm_particles *p = context;
    fm_cell_table_mark_near(&p->rows, &p->fluid.table, &p->boundary.table, first, last,
                            p->is_near_boundary);
}

// Places and sorts the boundary and ghost particles of a substep, and lists those with fluid within
// the support (p->wet). If no boundary particle moves, they are sorted once, and each substep lists
// the wet ones. If some move, each substep sorts the wet ones only.
bool fm_boundary_place(const fm_particles_step *step, fm_error *err)
{
    fm_particles *p = step->p;
    int count = 0;
    if (p->boundary_moves) {
        if (!p->boundary_sorted)
            sort_fixed_points(step);
        count = add_ghosts(p, step->offset, add_wet_points(step), err);
        sort_boundary(step, count);
        for (p->wet_count = 0; p->wet_count < p->boundary.count; p->wet_count++)
            p->wet[p->wet_count] = p->wet_count;
    } else {
        for (int i = 0; i < p->point_count && !p->boundary_sorted; i++)
            add_boundary_particle(step, i, &count);
        if (!p->boundary_sorted)
            sort_boundary(step, count);
        p->wet_count =
            fm_cell_table_list_near(&p->rows, &p->boundary.table, &p->fluid.table, p->wet);
    }
    p->boundary_sorted = true;
    fm_parallel_for(step->around->pool, p->fluid.table.slot_count, ROWS_PER_TASK,
                    mark_cells_near_boundary, p);
    return err->status == FM_OK;
}

// Sums over the fluid neighbours j of a boundary particle w, weighted with V_j W_wj: of 1, of the
// pressures P_j, of the distance vectors x_w - x_j (x, y, z) and of the velocities v_j.
typedef struct fluid_sums {
    fm_floats W, P, x, y, z, vx, vy, vz;
} fluid_sums;

// Adds eight fluid neighbours j of boundary particle i. inverse: 1 / support radius, 1/m.
FM_INLINE void add_octet(fluid_sums *sum, const fm_density_record *i, const fm_force_octet *j,
                         float inverse)
{
    fm_floats dx = i->x - j->x, dy = i->y - j->y, dz = i->z - j->z;
    fm_floats q = fm_floats_sqrt(dx * dx + dy * dy + dz * dz) * inverse;
    fm_floats w = j->V * fm_kernel_wendland(q);
    sum->W += w;
    sum->P += w * j->P;
    sum->x += w * dx;
    sum->y += w * dy;
    sum->z += w * dz;
    sum->vx += w * j->vx;
    sum->vy += w * j->vy;
    sum->vz += w * j->vz;
}

// Stores a velocity, m/s, in a force record.
static void set_velocity(fm_force_record *record, const float v[3])
{
    record->vx = v[0];
    record->vy = v[1];
    record->vz = v[2];
}

// Sets pressure, volume and velocity of a boundary particle from its fluid neighbours, as at the
// head of this file. u: velocity of the wall, m/s.
FM_INLINE void extrapolate_from_fluid(const fm_particles_step *step,
                                      const fm_boundary_neighbours *near)
{
    fm_particles *p = step->p;
    const bool is_wall = p->identity[near->index].owner.kind == FM_OWNER_WALL;
    const fm_vec3 g =
        is_wall ? fm_sub(step->around->gravity, step->domain_acceleration) : step->around->gravity;
    const fm_density_record *own = &p->boundary.density[near->index];
    const float u[3] = {own->vx, own->vy, own->vz};
    fm_force_record *record = &p->boundary.force[near->index];
    fluid_sums sum = {0};
    for (int b = 0; b < near->count; b += 8) {
        int padding = b + 8 == near->count ? near->padding : 0;
        fm_force_octet j = fm_records_load_force(p->fluid.force, near->list + b, padding);
        add_octet(&sum, own, &j, (float)(1 / p->R));
    }
    float W = fm_floats_sum(sum.W);
    if (!(W > KERNEL_SUM_MIN * (float)p->volume)) {
        record->P = 0;
        record->V = own->V;
        set_velocity(record, u);
        return;
    }
    float hydrostatic = (float)g.x * fm_floats_sum(sum.x) + (float)g.y * fm_floats_sum(sum.y) +
                        (float)g.z * fm_floats_sum(sum.z);
    const float mean[3] = {fm_floats_sum(sum.vx) / W, fm_floats_sum(sum.vy) / W,
                           fm_floats_sum(sum.vz) / W};
    bool is_sample = p->identity[near->index].owner.kind == FM_OWNER_SURFACE;
    float mirrored[3];
    for (int axis = 0; axis < 3; axis++)
        mirrored[axis] = is_sample ? u[axis] : 2 * u[axis] - mean[axis];
    record->P = is_sample ? 0 : (fm_floats_sum(sum.P) + hydrostatic) / W;
    record->V = own->V * fm_particles_volume_ratio(p, record->P);
    set_velocity(record, p->def.domain.slip ? mean : mirrored);
}

// Sets pressure, volume and velocity of the wet boundary and ghost particles first to below last.
FM_SIMD_CLONES static void extrapolate_range(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    int buffer[FM_NEIGHBOURS_CAPACITY];
    for (int k = first; k < last; k++) {
        fm_boundary_neighbours near = {.index = p->wet[k]};
        bool ghost = fm_boundary_is_ghost(p, near.index);
        if (p->ghost_strain)
            p->ghost_strain[near.index] = ghost ? p->strain[p->identity[near.index].owner.index]
                                                : (fm_strain_record){.xx = NAN};
        if (ghost) {
            const fm_force_record *record = &p->fluid.force[p->identity[near.index].owner.index];
            p->boundary.force[near.index].P = record->P;
            p->boundary.force[near.index].V = record->V;
        } else {
            near.list = fm_neighbours_of_wet(p, k, buffer, &near.count, &near.padding);
            extrapolate_from_fluid(step, &near);
            const fm_collider *collider = fm_boundary_collider(step, near.index);
            if (step->pressure_only && collider && collider->rigid)
                p->boundary.force[near.index].P = 0; // mirrored in pressure_solver.c
        }
        if (!step->pressure_only)
            fm_fluid_terms_extrapolate(step, &near);
    }
}

// Sets pressure, volume and velocity of all boundary and ghost particles near fluid.
void fm_boundary_extrapolate(const fm_particles_step *step)
{
    fm_parallel_for(step->around->pool, step->p->wet_count, FM_PARTICLES_BLOCK, extrapolate_range,
                    (void *)step);
}

// Copies density and velocity of fluid particles to their periodic images.
static void update_ghost_range(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    for (int k = first; k < last; k++) {
        int i = p->wet[k];
        if (!fm_boundary_is_ghost(p, i))
            continue;
        const fm_density_record *record = &p->fluid.density[p->identity[i].owner.index];
        fm_density_record *ghost = &p->boundary.density[i];
        const float v[3] = {record->vx, record->vy, record->vz};
        ghost->s = record->s;
        ghost->vx = v[0], ghost->vy = v[1], ghost->vz = v[2];
        set_velocity(&p->boundary.force[i], v);
    }
}

// Ghost particles take the velocity and the density of the fluid particle they are an image of.
void fm_boundary_update_ghosts(const fm_particles_step *step)
{
    if (step->p->boundary_moves)
        fm_parallel_for(step->around->pool, step->p->wet_count, 16 * FM_PARTICLES_BLOCK,
                        update_ghost_range, (void *)step);
}

// Computes the forces of the fluid on the wet boundary particles first to below last, N.
static void compute_reaction_range(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_forces_compute_reactions(step, first, last, step->p->force);
}

// Computes the forces of the fluid on boundary particles with `compute`, N. Colliders with a mass
// collect their impulses and angular impulses until the world moves them. The forces on walls and
// on other colliders are added to the load, N s, if the definition asks for loads.
void fm_boundary_apply_reactions(const fm_particles_step *step, fm_range_body *compute)
{
    fm_particles *p = step->p;
    bool needs_forces = p->surface_count > 0 || p->def.loads;
    for (int i = 0; i < step->around->collider_count; i++)
        needs_forces |= step->around->colliders[i]->rigid != NULL;
    if (!needs_forces)
        return;
    fm_parallel_for(step->around->pool, p->wet_count, FM_PARTICLES_BLOCK, compute, (void *)step);
    // with differences of pressures (forces.c), the load is what the fluid as a whole feels
    bool by_sum =
        p->def.loads && (p->def.method == FM_SPH_CONSTANT_DENSITY ||
                         (p->def.method == FM_SPH_WEAKLY_COMPRESSIBLE && p->def.shifting > 0));
    if (by_sum)
        p->stats.load = fm_add_scaled(p->stats.load, p->force_on_fluid, -step->h);
    for (int k = 0; k < p->wet_count; k++) {
        int i = p->wet[k];
        fm_collider *collider = fm_boundary_collider(step, i);
        bool prescribed = fm_boundary_has_prescribed_motion(step, i);
        if (p->def.loads && prescribed && !by_sum)
            p->stats.load = fm_add_scaled(p->stats.load, p->force[i], step->h);
        if (by_sum && !prescribed && !fm_boundary_is_ghost(p, i))
            p->stats.load = fm_add_scaled(p->stats.load, p->force[i], -step->h);
        if (collider && !collider->rigid && p->def.loads) {
            fm_vec3 *impulse = &p->collider_impulse[p->identity[i].owner.index];
            *impulse = fm_add_scaled(*impulse, p->force[i], step->h);
        }
        if (!collider || !collider->rigid)
            continue;
        fm_vec3 x = {p->boundary.x[i] + p->rows.origin[0], p->boundary.y[i] + p->rows.origin[1],
                     p->boundary.z[i] + p->rows.origin[2]};
        fm_collider_add_impulse(collider, x, fm_scale(p->force[i], step->h));
    }
}

// As above, with the forces of pressure and viscosity.
void fm_boundary_push_colliders(const fm_particles_step *step)
{
    fm_boundary_apply_reactions(step, compute_reaction_range);
}

// Gives boundary particles of colliders with a mass the velocity that they will have at the end of
// the substep, after the impulses that the colliders have received so far, and those of moving
// walls the velocity of the step.
void fm_boundary_predict_velocities(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    for (int k = 0; k < p->wet_count; k++) {
        int i = p->wet[k];
        const fm_collider *c = fm_boundary_collider(step, i);
        const fm_boundary_owner owner = p->identity[i].owner;
        const bool moves = owner.kind == FM_OWNER_WALL && p->def.domain.motion;
        if (!moves && !(c && c->rigid))
            continue;
        fm_density_record *record = &p->boundary.density[i];
        fm_vec3 x = {(double)record->x + p->rows.origin[0], (double)record->y + p->rows.origin[1],
                     (double)record->z + p->rows.origin[2]};
        fm_vec3 u = moves ? fm_add(step->domain_velocity, p->def.domain.slide[owner.index])
                          : fm_collider_predict_velocity(c, x, step->around->gravity, step->h);
        record->vx = (float)u.x;
        record->vy = (float)u.y;
        record->vz = p->def.dimensions == 3 ? (float)u.z : 0;
    }
}
