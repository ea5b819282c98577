// SPDX-License-Identifier: MIT
// normals.c: the unit normals of the cloth at its particles.
//
//     sheets          (x(c+1) - x(c-1)) x (x(r-1) - x(r+1)) for column c and row r, one-sided
//                     at the border; +z for a sheet without rotation
//     tubes, meshes   the sum of the area vectors (b - a) x (c - a) / 2 of the triangles at the
//                     particle
//     lines           the tangent (line_drag.c)
#include "cloth/cloth.h"

#include <math.h>

// Unit normals of n particles in a row of a sheet. left, right, up, down: offsets of the
// neighbours, 0 where there is none.
FM_SIMD_CLONES
static void compute_row_normals(int n, int left, int right, const double *restrict x,
                                const double *restrict y, const double *restrict z, int up,
                                int down, double *restrict nx, double *restrict ny,
                                double *restrict nz)
{
#pragma omp simd
    for (int c = 0; c < n; c++) {
        double ax = x[c + right] - x[c + left], ay = y[c + right] - y[c + left];
        double az = z[c + right] - z[c + left];
        double bx = x[c + up] - x[c + down], by = y[c + up] - y[c + down];
        double bz = z[c + up] - z[c + down];
        double px = ay * bz - az * by, py = az * bx - ax * bz, pz = ax * by - ay * bx;
        double s = 1 / sqrt(px * px + py * py + pz * pz + FM_TINY);
        nx[c] = px * s;
        ny[c] = py * s;
        nz[c] = pz * s;
    }
}

// Unit normals of the rows [first, last) of a sheet at positions x. The first and the last column
// are computed separately, because they have no neighbour on one side.
void fm_sheet_compute_normals(const fm_cloth *cloth, const fm_vec3_array *x,
                              const fm_vec3_array *out, int first, int last)
{
    int n = cloth->columns;
    for (int r = first; r < last; r++) {
        int row = r * n, up = r > 0 ? -n : 0, down = r < cloth->rows - 1 ? n : 0;
        const int start[3] = {0, 1, n - 1}, count[3] = {1, n - 2, 1};
        for (int part = 0; part < 3; part++) {
            int i = row + start[part], left = part == 0 ? 0 : -1, right = part == 2 ? 0 : 1;
            compute_row_normals(count[part], left, right, x->x + i, x->y + i, x->z + i, up, down,
                                out->x + i, out->y + i, out->z + i);
        }
    }
}

// Area vectors (unit normal times area, m^2) of n triangles. corner: three particles each.
FM_SIMD_CLONES
static void compute_area_vectors(int n, const int *restrict corner, const double *restrict x,
                                 const double *restrict y, const double *restrict z,
                                 double *restrict nx, double *restrict ny, double *restrict nz)
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
        int a = corner[3 * i], b = corner[3 * i + 1], c = corner[3 * i + 2];
        double px = x[b] - x[a], py = y[b] - y[a], pz = z[b] - z[a];
        double qx = x[c] - x[a], qy = y[c] - y[a], qz = z[c] - z[a];
        nx[i] = 0.5 * (py * qz - pz * qy);
        ny[i] = 0.5 * (pz * qx - px * qz);
        nz[i] = 0.5 * (px * qy - py * qx);
    }
}

// Area vectors of the triangles in a part of a tube or mesh, at positions x.
void fm_spring_mesh_compute_areas(fm_cloth *c, const fm_vec3_array *x, fm_element_parts part)
{
    const fm_spring_mesh *mesh = &c->mesh;
    const fm_vec3_array *n = &mesh->area_vector;
    int a = fm_element_parts_first(part, mesh->triangle_count),
        b = fm_element_parts_last(part, mesh->triangle_count);
    compute_area_vectors(b - a, mesh->triangle + 3 * (size_t)a, x->x, x->y, x->z, n->x + a,
                         n->y + a, n->z + a);
}

// Unit normals of the particles [first, last) of a tube or mesh: the direction of the sum of the
// area vectors of their triangles. Unit tangents of the particles of a line.
void fm_spring_mesh_gather_normals(const fm_cloth *c, const fm_vec3_array *x,
                                   const fm_vec3_array *normal, int first, int last)
{
    const fm_spring_mesh *mesh = &c->mesh;
    if (c->kind == FM_CLOTH_LINE) {
        fm_line_compute_tangents(c, x, normal, first, last);
        return;
    }
    for (int i = first; i < last; i++) {
        fm_vec3 sum = {0, 0, 0};
        for (int k = mesh->triangles.start[i]; k < mesh->triangles.start[i + 1]; k++)
            sum = fm_add(sum, fm_vec3_array_at(mesh->area_vector, mesh->triangles.entry[k] / 3));
        double s = 1 / sqrt(fm_dot(sum, sum) + FM_TINY);
        normal->x[i] = s * sum.x, normal->y[i] = s * sum.y, normal->z[i] = s * sum.z;
    }
}

// Unit normals of all particles of any cloth at positions x.
void fm_cloth_compute_normals(fm_cloth *c, const fm_vec3_array *x, const fm_vec3_array *normal)
{
    if (c->kind == FM_CLOTH_SHEET) {
        fm_sheet_compute_normals(c, x, normal, 0, c->rows);
        return;
    }
    fm_spring_mesh_compute_areas(c, x, (fm_element_parts){0, 1, 1});
    fm_spring_mesh_gather_normals(c, x, normal, 0, c->count);
}
