// SPDX-License-Identifier: MIT
// fluid_surface.c: turns a frame of fluid particles into a surface, with the mesher (mesher.h) that
// the caller of an export supplies, and gives its points the velocity of the particles around them:
//
//     v(x) = sum_j w v_j / sum_j w,     w = (1 - r^2 / R^2)^3,     r = |x - x_j| < R = 2 spacings
//
// Renderers need it for motion blur, because every frame has points of its own.
#include "io/io.h"

#include <string.h>

static const double REACH = 2; // R, particle spacings

// m, particle spacing at rest, twice the field "radius"; 0 if the frame has no such field.
double fm_fluid_find_spacing(const fm_surface *particles)
{
    const float *radius =
        particles->point_count > 0 ? fm_surface_values(particles, "radius", 1) : NULL;
    return radius && radius[0] > 0 ? 2.0 * radius[0] : 0;
}

// Particles of a frame, sorted into cells of the size R.
typedef struct cloud {
    const float *points, *velocities; // m, m/s
    fm_cell_list cells;
} cloud;

// Sorts the particles into cells of the size `reach`, m.
static bool sort_cloud(cloud *c, int count, double reach, fm_arena *arena, fm_error *err)
{
    size_t room = (size_t)count;
    double *x = fm_arena_alloc(arena, 3 * room, sizeof *x, "export", err);
    if (!x || !fm_cell_list_create(&c->cells, arena, count, err))
        return false;
    for (size_t i = 0; i < room; i++)
        for (size_t a = 0; a < 3; a++)
            x[a * room + i] = c->points[3 * i + a];
    fm_cell_list_build(&c->cells, reach, count, x, x + room, x + 2 * room);
    return true;
}

// Velocity at the point x, m/s: the weighted mean of the file header; 0 without particles there.
static void find_velocity(const cloud *c, const float x[3], float v[3])
{
    fm_cell centre = fm_cell_list_find_cell(&c->cells, x[0], x[1], x[2]);
    double sum[3] = {0}, weight = 0, R2 = c->cells.size * c->cells.size;
    for (int k = 0; k < 27; k++) { // the cell of x and the cells around it
        fm_cell cell = {centre.x + k % 3 - 1, centre.y + k / 3 % 3 - 1, centre.z + k / 9 - 1};
        int bucket = fm_cell_list_find_bucket(&c->cells, cell);
        for (int at = c->cells.start[bucket]; at < c->cells.start[bucket + 1]; at++) {
            int i = c->cells.order[at];
            fm_cell own = c->cells.cell[i]; // a bucket may hold particles of several cells
            const float *p = c->points + 3 * (size_t)i, *u = c->velocities + 3 * (size_t)i;
            double d[3] = {p[0] - x[0], p[1] - x[1], p[2] - x[2]};
            double q = 1 - (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / R2;
            if (own.x != cell.x || own.y != cell.y || own.z != cell.z || !(q > 0))
                continue;
            weight += q * q * q;
            for (int a = 0; a < 3; a++)
                sum[a] += q * q * q * u[a];
        }
    }
    for (int a = 0; a < 3; a++)
        v[a] = weight > 0 ? (float)(sum[a] / weight) : 0;
}

// A copy of a triangle mesh with its fields and a further one, "velocity", whose values are zero.
static fm_surface *copy_with_velocity(const fm_surface *mesh, fm_error *err)
{
    fm_mesh_size size = {.points = mesh->point_count,
                         .faces = mesh->face_count,
                         .corners = fm_surface_corner_count(mesh)};
    fm_surface_field fields[FM_SURFACE_FIELDS_MAX];
    int count = mesh->field_count < FM_SURFACE_FIELDS_MAX - 1 ? mesh->field_count
                                                              : FM_SURFACE_FIELDS_MAX - 1;
    memcpy(fields, mesh->fields, (size_t)count * sizeof *fields);
    fields[count] = (fm_surface_field){"velocity", 3, NULL};
    fm_surface *copy = fm_surface_create(mesh->name, &size, fields, count + 1, err);
    if (!copy)
        return NULL;
    size_t points = (size_t)size.points;
    memcpy(copy->points, mesh->points, 3 * points * sizeof(float));
    memcpy(copy->face_start, mesh->face_start, ((size_t)size.faces + 1) * sizeof(int));
    memcpy(copy->face_points, mesh->face_points, (size_t)size.corners * sizeof(int));
    for (int f = 0; f < count; f++)
        memcpy(copy->fields[f].values, mesh->fields[f].values,
               points * (size_t)fields[f].components * sizeof(float));
    return copy;
}

// Replaces the mesh by one whose points have the velocity of the particles. Returns NULL, with the
// mesh destroyed, on failure.
static fm_surface *add_velocity(fm_surface *mesh, const fm_surface *particles, double spacing,
                                fm_error *err)
{
    cloud c = {.points = particles->points,
               .velocities = fm_surface_values(particles, "velocity", 3)};
    fm_arena arena = {0};
    if (!c.velocities || spacing <= 0 || mesh->point_count == 0)
        return mesh;
    fm_surface *copy = copy_with_velocity(mesh, err);
    fm_surface_destroy(mesh);
    if (copy && !sort_cloud(&c, particles->point_count, REACH * spacing, &arena, err)) {
        fm_surface_destroy(copy);
        copy = NULL;
    }
    for (size_t i = 0; copy && i < (size_t)copy->point_count; i++)
        find_velocity(&c, copy->points + 3 * i, copy->fields[copy->field_count - 1].values + 3 * i);
    fm_arena_destroy(&arena);
    return copy;
}

// Reconstructs the surface of a frame of fluid particles, with name and time of the frame, and with
// velocities at its points if the particles have any.
fm_surface *fm_fluid_create_surface(const fm_mesher *mesher, const fm_surface *particles,
                                    fm_error *err)
{
    double spacing = fm_fluid_find_spacing(particles);
    fm_surface *surface = mesher->make(mesher->context, particles, spacing, err);
    if (surface)
        surface = add_velocity(surface, particles, spacing, err);
    if (!surface)
        return NULL;
    memcpy(surface->name, particles->name, sizeof surface->name);
    surface->time = particles->time;
    if (surface->face_count == 0)
        surface->point_count = surface->field_count = 0; // so that the exported file is empty
    return surface;
}
