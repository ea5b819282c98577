// SPDX-License-Identifier: MIT
// surface_measures.c: volume, mean curvature and roughness of the surface of a mesh. Called once
// per frame.
//
// Mean curvature H at particle i, with the cotangent formula [MDSB03]:
//
//     2 H n A_i = -1/2 sum_j (cot a_ij + cot b_ij) (x_j - x_i)
//
//   a_ij, b_ij  angles opposite to the edge i-j     A_i  m^2, Voronoi area of i, now
//
// The measure is the root of the mean of H^2, weighted by area, without the border.
//
// Roughness is the root mean square of (1 - S)^2 x along the normal, where S x are the smoothed
// positions. A step of smoothing moves every point half-way to the mean of its neighbours; in a
// regular mesh of edge e, n steps are a Gaussian of standard deviation sqrt(n) e/2. The square
// removes the shift of an evenly curved surface, the normal component that of a border.
//
// [MDSB03]: see docs/references.md.
#include "cloth/cloth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// m^3: sum of the tetrahedra of the triangles with particle 0.
double fm_mesh_volume(const fm_cloth *c)
{
    const int *p = c->mesh.triangle;
    fm_vec3 origin = fm_vec3_array_at(c->x, 0);
    double sum = 0;
    for (int t = 0; t < c->mesh.triangle_count; t++, p += 3) {
        fm_vec3 a = fm_sub(fm_vec3_array_at(c->x, p[0]), origin);
        fm_vec3 b = fm_sub(fm_vec3_array_at(c->x, p[1]), origin);
        sum += fm_dot(a, fm_cross(b, fm_sub(fm_vec3_array_at(c->x, p[2]), origin)));
    }
    return sum / 6;
}

// 1 for particles at the border of an open mesh: those with more edges than triangles.
static bool is_at_border(const fm_cloth *c, int i)
{
    const fm_spring_mesh *mesh = &c->mesh;
    return mesh->edges.start[i + 1] - mesh->edges.start[i] !=
           mesh->triangles.start[i + 1] - mesh->triangles.start[i];
}

// Adds the edge opposite to a corner of a triangle, with the cotangent of the corner's angle, to
// the sums of the edge's ends.
static void add_edge(const fm_cloth *c, double cotangent, int a, int b, fm_vec3 *sum, double *area)
{
    fm_vec3 edge = fm_sub(fm_vec3_array_at(c->x, b), fm_vec3_array_at(c->x, a));
    fm_vec3 part = fm_scale(edge, 0.5 * cotangent);
    sum[a] = fm_add(sum[a], part), sum[b] = fm_sub(sum[b], part);
    area[a] += cotangent * fm_dot(edge, edge) / 8, area[b] += cotangent * fm_dot(edge, edge) / 8;
}

// Adds a triangle to the sums at its corners. A triangle with an obtuse angle is shared one half to
// the obtuse corner and a quarter to the others, instead of the Voronoi areas of add_edge.
static void add_triangle(const fm_cloth *c, const int *p, fm_vec3 *sum, double *area)
{
    double cotangent[3], whole = 0, before[3] = {area[p[0]], area[p[1]], area[p[2]]};
    int obtuse = -1;
    for (int k = 0; k < 3; k++) {
        fm_vec3 at = fm_vec3_array_at(c->x, p[k]);
        fm_vec3 u = fm_sub(fm_vec3_array_at(c->x, p[(k + 1) % 3]), at);
        fm_vec3 v = fm_sub(fm_vec3_array_at(c->x, p[(k + 2) % 3]), at);
        whole = fm_length(fm_cross(u, v)) / 2;
        cotangent[k] = fm_dot(u, v) / (2 * whole + FM_TINY);
        obtuse = cotangent[k] < 0 ? k : obtuse;
    }
    for (int k = 0; k < 3; k++)
        add_edge(c, cotangent[k], p[(k + 1) % 3], p[(k + 2) % 3], sum, area);
    for (int k = 0; k < 3 && obtuse >= 0; k++)
        area[p[k]] = before[k] + (k == obtuse ? whole / 2 : whole / 4);
}

// H of each particle into curvature, its area now into area.
static void compute_curvature(const fm_cloth *c, fm_vec3 *sum, double *curvature, double *area)
{
    for (int i = 0; i < c->count; i++)
        sum[i] = (fm_vec3){0, 0, 0}, area[i] = 0;
    for (int t = 0; t < c->mesh.triangle_count; t++)
        add_triangle(c, c->mesh.triangle + 3 * (size_t)t, sum, area);
    for (int i = 0; i < c->count; i++) {
        double H = fm_length(sum[i]) / (2 * area[i] + FM_TINY);
        bool outwards = fm_dot(sum[i], fm_vec3_array_at(c->normal, i)) < 0;
        curvature[i] = is_at_border(c, i) ? 0 : outwards ? H : -H;
    }
}

// One block with room for `vectors` vectors and two numbers per particle; the caller frees it.
// NULL when out of memory.
static fm_vec3 *allocate(const fm_cloth *c, int vectors, fm_error *err)
{
    size_t size = (size_t)c->count * ((size_t)vectors * sizeof(fm_vec3) + 2 * sizeof(double));
    fm_vec3 *block = malloc(size);
    if (!block)
        fm_fail_no_memory(err, c->object.name, size);
    return block;
}

// Mean curvature at each particle; false if memory runs out.
bool fm_mesh_compute_curvature(const fm_cloth *c, double *curvature, fm_error *err)
{
    fm_vec3 *sum = allocate(c, 1, err);
    if (sum)
        compute_curvature(c, sum, curvature, (double *)(sum + c->count));
    free(sum);
    return sum != NULL;
}

// 1/m, root mean square over the area; 0 if memory runs out.
double fm_mesh_rms_curvature(const fm_cloth *c, fm_error *err)
{
    fm_vec3 *sum = allocate(c, 1, err);
    if (!sum)
        return 0;
    double *curvature = (double *)(sum + c->count), *area = curvature + c->count;
    double squares = 0, total = FM_TINY;
    compute_curvature(c, sum, curvature, area);
    for (int i = 0; i < c->count; i++) {
        double weight = is_at_border(c, i) ? 0 : area[i];
        squares += weight * curvature[i] * curvature[i], total += weight;
    }
    free(sum);
    return sqrt(squares / total);
}

// Moves every point half-way to the mean of its neighbours.
static void smooth(const fm_cloth *c, const fm_vec3 *from, fm_vec3 *to)
{
    const fm_spring_mesh *mesh = &c->mesh;
    for (int i = 0; i < c->count; i++) {
        fm_vec3 sum = {0, 0, 0};
        int n = mesh->edges.start[i + 1] - mesh->edges.start[i];
        for (int k = mesh->edges.start[i]; k < mesh->edges.start[i + 1]; k++) {
            int e = mesh->edges.entry[k] / 2;
            sum = fm_add(sum, from[mesh->edge_a[e] == i ? mesh->edge_b[e] : mesh->edge_a[e]]);
        }
        to[i] = fm_scale(fm_add_scaled(from[i], sum, 1.0 / n), 0.5);
    }
}

// Subtracts the smoothed vectors from the vectors x. scratch: as long as x twice.
static void subtract_smoothed(const fm_cloth *c, int steps, fm_vec3 *x, fm_vec3 *scratch)
{
    fm_vec3 *one = scratch, *other = scratch + c->count;
    memcpy(one, x, (size_t)c->count * sizeof *x);
    for (int n = 0; n < steps; n++)
        smooth(c, n % 2 ? other : one, n % 2 ? one : other);
    for (int i = 0; i < c->count; i++)
        x[i] = fm_sub(x[i], (steps % 2 ? other : one)[i]);
}

// m, of waves shorter than `length`, m; 0 if memory runs out.
double fm_mesh_roughness(const fm_cloth *c, double length, fm_error *err)
{
    enum { STEPS_MAX = 10000 };
    fm_vec3 *d = allocate(c, 3, err);
    if (!d)
        return 0;
    double ratio = 2 * length / c->mesh.mean_rest, squares = 0, total = FM_TINY;
    int steps = (int)fmin(STEPS_MAX, ceil(ratio * ratio));
    for (int i = 0; i < c->count; i++)
        d[i] = fm_vec3_array_at(c->x, i);
    subtract_smoothed(c, steps, d, d + c->count);
    subtract_smoothed(c, steps, d, d + c->count);
    for (int i = 0; i < c->count; i++) {
        double height = fm_dot(d[i], fm_vec3_array_at(c->normal, i));
        double weight = is_at_border(c, i) ? 0 : c->area[i];
        squares += weight * height * height, total += weight;
    }
    free(d);
    return sqrt(squares / total);
}
