// SPDX-License-Identifier: MIT
// solids.c: colliders in the grid: open parts of faces, velocities inside solids, and loads.
//
// The signed distance to the colliders at the corners of the cells, interpolated linearly along
// edges, gives the open part of every face: its fraction A and its centroid.
//
// Faces with A < 1/2, whose centres are inside a collider, are ghosts [TF03]. With x the face, d
// its depth in spacings, n and w the normal and the nearest point of the surface, and v the
// velocity there, the parabola through v and two velocities in the fluid gives
//
//     u(x) = 2 (2 d + 1)/(d + 1) v - (2 d + 1) u(w + d n) + 2 d^2/(d + 1) u(w + (d + 1) n)
//
// deeper than one spacing u(x) = 2 v - u(w + d n), and deeper than REACH, or where w + d n is
// outside the grid or in another collider, u(x) = v. So advection and viscosity have the same
// stencils as elsewhere. The velocities in the fluid are interpolated from eight faces each. Some
// of these may be ghosts, one may be x itself: SWEEPS Gauss-Seidel sweeps over the list converge.
//
// Fluid flows through the open part of a face with the velocity at its centroid, interpolated
// between the face and its neighbours: with c the distance of the centroid from the centre of the
// face along axis b, in spacings,
//
//     flux = A u_c + (1 - A) v,     u_c = u_q + sum over b of |c_b| (u_(q +- b) - u_q)
//
// Near a wall the tangential velocity is linear, so A u_q would be wrong by a part of the flux that
// does not fall with the spacing. The pressure moves faces with A >= 1/2 only, and changes u_c as
// it changes u_q. A cell without such a face is solid; nothing flows through ghosts beside it.
//
// The force on the colliders is the sum over cells of p S + mu (du_t/dn) |S|. S is the area vector
// of the surface in the cell: that which closes the cell, h^2 (A_low - A_high) along each axis, by
// Gauss's theorem, and p the pressure of the cell. du_t/dn comes from u at h and 2 h from the
// surface: (4 u_1 - u_2 - 3 v) / (2 h).
//
// [TF03] Tseng, Ferziger: A ghost-cell immersed boundary method for flow in complex geometry.
//        Journal of Computational Physics 192, 2003.
#include "grid/grid.h"

#include <stdlib.h>

static const double SMALLEST = 0.01; // open fractions below this count as closed
static const double REACH = 4;       // spacings: deeper in a collider, faces have its velocity

// The nearest surface of all colliders within `range` m; distance = range if there is none. Balls
// in a fluid without a surface are not among them.
static fm_contact find_nearest(const fm_grid *g, const fm_surroundings *around, fm_vec3 at,
                               double range, int *which)
{
    fm_contact nearest = {.distance = range};
    *which = -1;
    for (int i = 0; i < around->collider_count; i++) {
        if (fm_grid_has_ball(g, around->colliders[i]) ||
            fm_placed_is_far(&around->placed[i], at, range))
            continue;
        fm_contact c = fm_placed_find_closest(&around->placed[i], at);
        if (c.distance < nearest.distance) {
            nearest = c;
            *which = i;
        }
    }
    return nearest;
}

// The same with the velocity of the surface.
static fm_contact find_wall(const fm_grid *g, const fm_surroundings *around, fm_vec3 at,
                            double range, int *which)
{
    fm_contact c = find_nearest(g, around, at, range, which);
    if (*which >= 0)
        c = fm_placed_find_contact(&around->placed[*which], at);
    return c;
}

// A grid and the colliders in it, while threads compute what depends on them.
typedef struct update {
    fm_grid *g;
    const fm_surroundings *around;
} update;

// Signed distance of the corners of cells to the nearest collider, m, at most 2 h.
static void compute_distances(void *context, int first, int last)
{
    update *job = context;
    fm_grid *g = job->g;
    for (int k = first; k < last; k++)
        for (int j = 0; j <= g->n[1]; j++)
            for (int i = 0; i <= g->n[0]; i++) {
                int which;
                g->distance[fm_grid_index(g, i, j, k)] =
                    find_nearest(g, job->around, fm_grid_position(g, i, j, k), 2 * g->h, &which)
                        .distance;
            }
}

// Open fraction of a square with the given distances at its corners, in cyclic order: the area of
// the polygon where the distance, linear along the edges, is positive. centroid: of the polygon,
// from the centre of the square, -0.5 to 0.5.
static float find_open_fraction(const double d[4], double centroid[2])
{
    static const double x[4] = {0, 1, 1, 0}, y[4] = {0, 0, 1, 1};
    double px[8], py[8], area = 0;
    int count = 0;
    for (int i = 0; i < 4; i++) {
        int next = (i + 1) % 4;
        if (d[i] > 0)
            px[count] = x[i], py[count++] = y[i];
        if ((d[i] > 0) != (d[next] > 0)) {
            double s = d[i] / (d[i] - d[next]);
            px[count] = x[i] + s * (x[next] - x[i]);
            py[count++] = y[i] + s * (y[next] - y[i]);
        }
    }
    centroid[0] = centroid[1] = 0;
    for (int i = 0; i < count; i++) {
        int next = (i + 1) % count;
        double part = 0.5 * (px[i] * py[next] - px[next] * py[i]);
        area += part;
        centroid[0] += part * (px[i] + px[next]) / 3;
        centroid[1] += part * (py[i] + py[next]) / 3;
    }
    for (int i = 0; i < 2; i++) // rounding must not let it leave the square
        centroid[i] =
            area > 0 ? fm_double_max(-0.5, fm_double_min(0.5, centroid[i] / area - 0.5)) : 0;
    return area < SMALLEST ? 0 : area > 1 - 1e-6 ? 1 : (float)area;
}

// Open fractions of all faces, from the distances at their corners.
static void compute_open_fractions(void *context, int first, int last)
{
    fm_grid *g = ((update *)context)->g;
    for (int k = first; k < last; k++)
        for (int j = 0; j <= g->n[1]; j++)
            for (int i = 0; i <= g->n[0]; i++)
                for (int a = 0; a < 3; a++) {
                    int b = (a + 1) % 3, c = (a + 2) % 3, at[3] = {i, j, k};
                    if (at[b] == g->n[b] || at[c] == g->n[c])
                        continue;
                    ptrdiff_t q = fm_grid_index(g, i, j, k), sb = g->stride[b], sc = g->stride[c];
                    const double *d = g->distance + q, four[4] = {d[0], d[sb], d[sb + sc], d[sc]};
                    double centroid[2];
                    g->open[a][q] = find_open_fraction(four, centroid);
                }
}

// Conductance of the low face of cell `at` along axis a, for the pressure solver.
static float find_conductance(const fm_grid *g, const int at[3], int a)
{
    int end = at[a] == 0 ? 0 : at[a] == g->n[a] ? 1 : -1;
    float open = g->open[a][fm_grid_index(g, at[0], at[1], at[2])];
    if (!g->active[a] || open < 0.5f)
        return 0;
    if (end < 0 || g->def.sides[2 * a].kind == FM_GRID_PERIODIC)
        return open;
    return fm_grid_find_condition(g, 2 * a + end, at)->kind == FM_GRID_OPEN ? 2 * open : 0;
}

// Gives the conductances of all faces to the pressure solver.
static void write_conductances(void *context, int first, int last)
{
    fm_grid *g = ((update *)context)->g;
    const fm_cell_layout *l = fm_poisson_layout(g->solver);
    for (int k = first; k < last; k++)
        for (int j = 0; j <= g->n[1]; j++)
            for (int i = 0; i <= g->n[0]; i++)
                for (int a = 0; a < 3; a++) {
                    int b = (a + 1) % 3, c = (a + 2) % 3, at[3] = {i, j, k};
                    if (at[b] < g->n[b] && at[c] < g->n[c])
                        fm_poisson_conductances(
                            g->solver, a)[l->start + i + j * l->stride[1] + k * l->stride[2]] =
                            find_conductance(g, at, a);
                }
}

// Makes room for one more element of a list. Lists of moving colliders grow rarely.
static void *grow(void *list, int count, int *room, size_t size, const char *name, fm_error *err)
{
    if (count < *room)
        return list;
    int more = *room * 3 / 2 + 256;
    void *larger = realloc(list, (size_t)more * size);
    if (!larger) {
        fm_fail_no_memory(err, name, (size_t)more * size);
        return list;
    }
    *room = more;
    return larger;
}

static double component(fm_vec3 v, int a)
{
    return a == 0 ? v.x : a == 1 ? v.y : v.z;
}

// Finds the eight faces of component a around a point.
static fm_face_point find_face_point(const fm_grid *g, fm_vec3 point, int a)
{
    fm_vec3 from = fm_scale(fm_sub(point, g->def.low), 1 / g->h);
    fm_face_point at = {.q = g->start};
    for (int b = 0; b < 3; b++) {
        double x = g->active[b] ? component(from, b) - (b == a ? 0 : 0.5) : 0;
        int cell = (int)floor(x), lowest = -g->layers[b], highest = g->n[b] + g->layers[b] - 1;
        cell = cell < lowest ? lowest : cell > highest ? highest : cell;
        at.share[b] = fm_double_min(1, fm_double_max(0, x - cell));
        at.q += cell * g->stride[b];
    }
    return at;
}

// Whether a point is inside the box of the grid, where periodic axes have no end.
static bool is_in_domain(const fm_grid *g, fm_vec3 point)
{
    fm_vec3 from = fm_scale(fm_sub(point, g->def.low), 1 / g->h);
    for (int a = 0; a < 3; a++)
        if (g->active[a] && g->def.sides[2 * a].kind != FM_GRID_PERIODIC &&
            !(component(from, a) >= 0 && component(from, a) <= g->n[a]))
            return false;
    return true;
}

// Whether a point is closer than `distance` m to a collider, or in one.
static bool is_near_collider(const fm_grid *g, const fm_surroundings *around, fm_vec3 at,
                             double distance)
{
    int which;
    return find_nearest(g, around, at, distance, &which).distance < distance;
}

// Finds the points and weights from which a ghost at x gets its value. Between several colliders an
// image may be in another one; ghosts that depend on each other in this way would not converge.
static void find_mirror(const fm_grid *g, const fm_surroundings *around, fm_vec3 x,
                        const fm_contact *wall, fm_solid_face *face)
{
    double depth = -wall->distance / g->h; // spacings
    fm_vec3 image = fm_sub(fm_scale(wall->point, 2), x);
    face->mirror[0] = find_face_point(g, image, face->axis);
    bool deep = depth > REACH || !is_in_domain(g, image); // no stencil of the fluid reaches it
    deep = deep || (depth > 0 && around->collider_count > 1 &&
                    is_near_collider(g, around, image, 0.5 * depth * g->h));
    face->weight[0] = deep ? 1 : 2, face->weight[1] = deep ? 0 : -1, face->weight[2] = 0;
    fm_vec3 further = fm_add_scaled(image, wall->normal, g->h);
    if (deep || !(depth > 0 && depth <= 1) ||
        (around->collider_count > 1 && is_near_collider(g, around, further, 0.5 * g->h)))
        return;
    face->mirror[1] = find_face_point(g, further, face->axis);
    face->weight[0] = 2 * (2 * depth + 1) / (depth + 1);
    face->weight[1] = -(2 * depth + 1);
    face->weight[2] = 2 * depth * depth / (depth + 1);
}

// Whether the pressure solver has an equation for cell `at`.
static bool is_fluid_cell(const fm_grid *g, const int at[3])
{
    const fm_cell_layout *l = fm_poisson_layout(g->solver);
    ptrdiff_t q = l->start + at[0] + at[1] * l->stride[1] + at[2] * l->stride[2];
    float all = 0;
    for (int a = 0; a < 3; a++) {
        const float *c = fm_poisson_conductances(g->solver, a);
        if (at[a] < 0 || at[a] >= g->n[a])
            return false;
        all += c[q] + c[q + l->stride[a]];
    }
    return all > 0;
}

// Whether both cells of the low face of cell `at` along an axis hold fluid.
static bool joins_fluid_cells(const fm_grid *g, const int at[3], int axis)
{
    int below[3] = {at[0], at[1], at[2]};
    below[axis]--;
    return is_fluid_cell(g, at) && is_fluid_cell(g, below);
}

// Finds the centroid of the open part of a face: the distances along the two axes across it.
static void find_centroid(const fm_grid *g, fm_solid_face *face)
{
    int b = (face->axis + 1) % 3, c = (face->axis + 2) % 3;
    ptrdiff_t sb = g->stride[b], sc = g->stride[c];
    const double *d = g->distance + face->q, four[4] = {d[0], d[sb], d[sb + sc], d[sc]};
    find_open_fraction(four, face->centroid);
    for (int i = 0; i < 2; i++)
        if (!g->active[i ? c : b])
            face->centroid[i] = 0;
}

// Adds the low face of cell `at` along axis a to the list of cut faces.
static bool add_face(fm_grid *g, const fm_surroundings *around, const int at[3], int a,
                     fm_error *err)
{
    fm_solids *s = &g->solids;
    fm_vec3 x = fm_grid_centre(g, at[0], at[1], at[2], a);
    int which;
    fm_contact wall = find_wall(g, around, x, 2 * g->h, &which);
    if (wall.distance >= 2 * g->h)
        return true;
    s->faces = grow(s->faces, s->face_count, &s->face_room, sizeof *s->faces, g->object.name, err);
    if (err->status != FM_OK)
        return false;
    fm_solid_face *face = &s->faces[s->face_count++];
    *face = (fm_solid_face){.q = fm_grid_index(g, at[0], at[1], at[2]),
                            .axis = a,
                            .solid = component(wall.velocity, a)};
    face->open = g->open[a][face->q];
    face->collider = which;
    find_centroid(g, face);
    face->sealed = face->open < 0.5f && !joins_fluid_cells(g, at, a);
    find_mirror(g, around, x, &wall, face);
    s->max_speed = fm_double_max(s->max_speed, fabs(wall.velocity.x) + fabs(wall.velocity.y) +
                                                   fabs(wall.velocity.z));
    return true;
}

// Adds cell `at` to the list of cut cells if a collider's surface closes a part of it.
static bool add_cell(fm_grid *g, const fm_surroundings *around, const int at[3], fm_error *err)
{
    fm_solids *s = &g->solids;
    ptrdiff_t q = fm_grid_index(g, at[0], at[1], at[2]);
    double area[3], most = 0;
    for (int a = 0; a < 3; a++) {
        area[a] = g->h * g->h * ((double)g->open[a][q] - g->open[a][q + g->stride[a]]);
        most = fm_double_max(most, fabs(area[a]));
    }
    if (most == 0)
        return true;
    s->cells = grow(s->cells, s->cell_count, &s->cell_room, sizeof *s->cells, g->object.name, err);
    if (err->status != FM_OK)
        return false;
    int which;
    fm_contact wall =
        find_wall(g, around, fm_grid_centre(g, at[0], at[1], at[2], 3), 3 * g->h, &which);
    s->cells[s->cell_count++] = (fm_cut_cell){
        q, {area[0], area[1], area[2]}, wall.point, wall.normal, wall.velocity, which};
    return true;
}

// Makes room for the loads of all colliders. Those that exist keep their loads.
static bool prepare_loads(fm_grid *g, int count, fm_error *err)
{
    fm_solids *s = &g->solids;
    if (count <= s->load_count)
        return true;
    fm_vec3 *load = realloc(s->load, (size_t)count * sizeof *load);
    if (!load)
        return fm_fail_no_memory(err, g->object.name, (size_t)count * sizeof *load);
    for (int i = s->load_count; i < count; i++)
        load[i] = (fm_vec3){0};
    s->load = load;
    s->load_count = count;
    return true;
}

// Lists the faces, and for forces also the cells, that colliders cut or close.
static bool list_cut_faces(fm_grid *g, const fm_surroundings *around, fm_error *err)
{
    g->solids.face_count = g->solids.cell_count = 0;
    g->solids.max_speed = 0;
    int at[3];
    if (g->def.loads && !prepare_loads(g, around->collider_count, err))
        return false;
    for (int a = 0; a < 3; a++)
        for (at[2] = 0; at[2] < g->n[2] + (a == 2); at[2]++)
            for (at[1] = 0; at[1] < g->n[1] + (a == 1); at[1]++)
                for (at[0] = 0; at[0] < g->n[0] + (a == 0); at[0]++)
                    if (g->active[a] && g->open[a][fm_grid_index(g, at[0], at[1], at[2])] < 1 &&
                        !add_face(g, around, at, a, err))
                        return false;
    for (at[2] = 0; at[2] < g->n[2] && g->def.loads; at[2]++)
        for (at[1] = 0; at[1] < g->n[1]; at[1]++)
            for (at[0] = 0; at[0] < g->n[0]; at[0]++)
                if (!add_cell(g, around, at, err))
                    return false;
    return true;
}

// Places the colliders at time t, s, and computes all that depends on them. Does nothing if none of
// them moves and that was done before.
bool fm_grid_update_solids(fm_grid *g, const fm_surroundings *around, double t, fm_error *err)
{
    fm_solids *s = &g->solids;
    update job = {g, around};
    bool stays = s->ready && !s->moving;
    s->moving = false;
    for (int i = 0; i < around->collider_count; i++) {
        bool ball = fm_grid_has_ball(g, around->colliders[i]);
        if (!stays || ball)
            around->placed[i] = fm_collider_place(around->colliders[i], t);
        s->moving |= !ball && !fm_collider_is_fixed(around->colliders[i]);
    }
    if (stays)
        return true;
    int planes = g->n[2] + 1;
    fm_pool *pool = fm_grid_share(around->pool, 20.0 * (double)g->count);
    fm_parallel_for(pool, planes, 1, compute_distances, &job);
    fm_parallel_for(pool, planes, 1, compute_open_fractions, &job);
    fm_parallel_for(pool, planes, 1, write_conductances, &job);
    fm_poisson_prepare(g->solver, around->pool);
    s->ready = true;
    return list_cut_faces(g, around, err);
}

// Flux through a cut face per area of the whole face, m/s.
double fm_grid_find_flux(const fm_grid *g, const fm_solid_face *f)
{
    const double *u = g->u[f->axis] + f->q;
    double flux = *u;
    if (f->sealed)
        return f->solid;
    for (int i = 0; i < 2; i++) {
        ptrdiff_t s = g->stride[(f->axis + 1 + i) % 3];
        flux += fabs(f->centroid[i]) * (u[f->centroid[i] > 0 ? s : -s] - *u);
    }
    return f->open * flux + (1 - f->open) * f->solid;
}

// Interpolates u at a point, without the value at index `except`, whose weight is returned in *own.
static double interpolate(const fm_grid *g, const fm_face_point *at, const double *u,
                          ptrdiff_t except, double *own)
{
    double value = 0;
    *own = 0;
    for (int corner = 0; corner < 8; corner++) {
        ptrdiff_t q = at->q;
        double weight = 1;
        for (int a = 0; a < 3; a++) {
            bool high = corner >> a & 1;
            q += high ? g->stride[a] : 0;
            weight *= high ? at->share[a] : 1 - at->share[a];
        }
        if (q == except)
            *own += weight;
        else if (weight > 0)
            value += weight * u[q];
    }
    return value;
}

// Velocity of a ghost face, m/s, from the parabola in the file header. If the ghost is itself one
// of the eight faces that a point in the fluid is interpolated from, the linear equation is solved
// for it. solid: velocity of the collider's surface, m/s.
static double find_ghost(const fm_grid *g, const fm_solid_face *f, const double *u, double solid)
{
    double own, all = 0, value = f->weight[0] * solid;
    for (int i = 0; i < 2; i++) {
        if (f->weight[i + 1] == 0)
            continue;
        value += f->weight[i + 1] * interpolate(g, &f->mirror[i], u, f->q, &own);
        all += f->weight[i + 1] * own;
    }
    return value / (1 - all);
}

enum { SWEEPS = 4 };

// Computes the ghost values of the velocity, m/s, by Gauss-Seidel sweeps.
void fm_grid_fill_solids(fm_grid *g, double *u[3])
{
    const fm_solids *s = &g->solids;
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int i = 0; i < s->face_count; i++) {
            const fm_solid_face *f = &s->faces[i];
            if (f->open < 0.5f)
                u[f->axis][f->q] = find_ghost(g, f, u[f->axis], f->solid);
        }
}

// Computes the ghost values of a change or rate x of component a.
void fm_grid_fill_solid_change(fm_grid *g, double *x, int a, bool mirrored)
{
    const fm_solids *s = &g->solids;
    for (int sweep = 0; sweep <= (mirrored ? SWEEPS : 0); sweep++)
        for (int i = 0; i < s->face_count; i++) {
            const fm_solid_face *f = &s->faces[i];
            if (f->axis == a && f->open < 0.5f)
                x[f->q] = sweep ? find_ghost(g, f, x, 0) : 0; // from zero: linear in x
        }
}

// N, force of the fluid on the surface in a cell.
fm_vec3 fm_grid_find_wall_force(const fm_grid *g, const fm_cut_cell *c)
{
    fm_vec3 one = fm_grid_velocity_at(g, fm_add_scaled(c->wall, c->normal, g->h));
    fm_vec3 two = fm_grid_velocity_at(g, fm_add_scaled(c->wall, c->normal, 2 * g->h));
    fm_vec3 slope = fm_sub(fm_sub(fm_scale(one, 4), two), fm_scale(c->velocity, 3));
    slope = fm_add_scaled(slope, c->normal, -fm_dot(slope, c->normal)); // along the surface
    fm_vec3 force = fm_scale(c->area, g->p[c->q]);
    return fm_add_scaled(force, slope, g->def.viscosity * fm_length(c->area) / (2 * g->h));
}

// Adds the force on each cut cell times dt seconds to the load of its collider.
fm_vec3 fm_grid_add_loads(fm_grid *g, double dt)
{
    fm_vec3 total = {0};
    for (int i = 0; i < g->solids.cell_count; i++) {
        const fm_cut_cell *c = &g->solids.cells[i];
        fm_vec3 impulse = fm_scale(fm_grid_find_wall_force(g, c), dt);
        total = fm_add(total, impulse);
        if (c->collider >= 0)
            g->solids.load[c->collider] = fm_add(g->solids.load[c->collider], impulse);
    }
    return total;
}
