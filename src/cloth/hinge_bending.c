// SPDX-License-Identifier: MIT
// hinge_bending.c: bending forces about the edges that two triangles share, for tubes and meshes.
//
// A hinge consists of triangles (a, b, c) and (b, a, d). h1, h2 are their heights over the edge a-b
// at rest, in m; s1, s2 are the feet of the heights as fractions of the way from a to b; A1, A2 are
// their areas at rest, in m^2; B is the bending rigidity, in N m.
//
// Cloth that is flat at rest, the default, has the energy of [BWHZG06]. Its forces are linear in
// the positions:
//
//     E = k/2 |L|^2,   L = (foot1 - c)/h1 + (foot2 - d)/h2,   foot = (1 - s) a + s b
//     |L| = 2 sin(theta/2) for a fold by the angle theta without stretch
//     k = B |b - a|^2 / (A1 + A2) with the length and areas at rest
//
// It stays stable when triangles collapse. Cloth with another rest shape uses discrete shells
// [GHDS03]:
//
//     E = k/2 (theta - theta_0)^2,   theta = atan2((N1 x N2) . e, N1 . N2),   e = (b - a) / |b - a|
//     N1 = (b - a) x (c - a),   N2 = (d - a) x (b - a)
//     dtheta/dc = -|b - a| N1 / |N1|^2, and with N2 for d; a and b get the opposite gradient,
//     divided between them according to the feet s1 and s2
//
// This gradient grows without bound when a triangle collapses. Below half of the area at rest, the
// force of the hinge is therefore multiplied by the square of the remaining fraction. That
// conserves momentum and angular momentum, but not energy.
//
// Choice of k: a surface with the curvature tensor K bends a hinge by theta = (h1 + h2)/2 K_mm +
// ..., with m the direction across the edge. k is chosen such that a mesh of equilateral triangles,
// bent to a cylinder of curvature kappa in any direction, has the energy B/2 kappa^2 per area
// [SN88]. Meshes of right triangles have this energy for cylinders along their legs, and up to
// three times as much for cylinders along the diagonals they share. Grids (tubes) are cut along
// alternating diagonals, so that the twist K_xy bends only the diagonals, by K_xy |b - a|. With
//
//     k = 2 B (A1 + A2) / |b - a|^2     for diagonals
//
// a grid has the energy B/2 (K_xx^2 + 2 K_xy^2 + K_yy^2) of a sheet in all directions.
#include "cloth/cloth.h"

#include <math.h>

// Safety factor on the stability bound for cloth with rest angles: folding adds the second
// derivative of theta to the stiffness, and triangles may shrink to half their area.
static const double RESERVE = 2;
// largest distance, in edge lengths, of the rest positions of a particle in two triangles that
// belong together
static const double SAME_PLACE = 1e-6;

static bool is_flat_at_rest(const fm_cloth *c)
{
    return c->def.bend.rest_angle == FM_REST_FLAT;
}

// The rest position of a particle in triangle t, which has it as a corner. corner: rest positions
// of the three corners of each triangle.
static fm_vec3 find_corner(const fm_cloth *c, const fm_vec3 *corner, int t, int particle)
{
    int k = 0;
    while (k < 2 && c->mesh.triangle[3 * (size_t)t + k] != particle)
        k++;
    return corner[3 * (size_t)t + k];
}

// rad, dihedral angle theta of the triangles (a, b, c) and (b, a, d); 0 if flat.
static double measure_angle(fm_vec3 a, fm_vec3 b, fm_vec3 c, fm_vec3 d)
{
    fm_vec3 e = fm_sub(b, a), n1 = fm_cross(e, fm_sub(c, a)), n2 = fm_cross(fm_sub(d, a), e);
    return atan2(fm_dot(fm_cross(n1, n2), e) / fm_length(e), fm_dot(n1, n2));
}

// Measures the first (which = 0) or second (which = 1) triangle of an edge at rest. corner: rest
// positions of the three corners of each triangle.
fm_edge_triangle fm_mesh_measure_edge_triangle(const fm_cloth *cloth, const fm_vec3 *corner,
                                               const fm_mesh_edge *edge, int which)
{
    int t = edge->triangle[which];
    fm_edge_triangle f = {.a = find_corner(cloth, corner, t, edge->a),
                          .b = find_corner(cloth, corner, t, edge->b),
                          .c = find_corner(cloth, corner, t, edge->opposite[which])};
    fm_vec3 e = fm_sub(f.b, f.a), up = fm_sub(f.c, f.a);
    f.length = fm_length(e);
    f.area = fm_length(fm_cross(e, up)) / 2;
    f.height = 2 * f.area / f.length;
    f.foot = fm_dot(up, e) / (f.length * f.length);
    return f;
}

// Stores the coefficients of the four particles of hinge h in L, 1/m, and adds the hinge to
// Gershgorin's bound: the absolute values in row i of the stiffness matrix k grad grad^T sum up to
// k |grad_i| sum_j |grad_j|. At rest the gradient of theta is the coefficients of L times the
// normal.
static void add_coefficients(fm_spring_mesh *mesh, int h, const fm_edge_triangle *one,
                             const fm_edge_triangle *other)
{
    const double coefficient[4] = {(1 - one->foot) / one->height +
                                       (1 - other->foot) / other->height,
                                   one->foot / one->height + other->foot / other->height,
                                   -1 / one->height, -1 / other->height};
    double sum =
        fabs(coefficient[0]) + fabs(coefficient[1]) + fabs(coefficient[2]) + fabs(coefficient[3]);
    for (int k = 0; k < 4; k++) {
        mesh->hinge_share[k][h] = coefficient[k];
        mesh->bend_sum[mesh->hinge[k][h]] += mesh->hinge_stiffness[h] * fabs(coefficient[k]) * sum;
    }
}

// Squared cosine of the angle between the direction across the edge and the warp in triangle t.
static double find_warp_share(const fm_spring_mesh *mesh, int t, const fm_edge_triangle *f)
{
    fm_vec3 e = fm_sub(f->b, f->a);
    fm_vec3 across = fm_add_scaled(fm_sub(f->c, f->a), e, -f->foot);
    double cosine = fm_dot(across, mesh->triangle_warp[t]) / fm_length(across);
    return cosine * cosine;
}

double fm_hinge_directional(const fm_cloth *c, int h, double warp, double weft)
{
    if (!c->mesh.hinge_warp || weft <= 0)
        return warp;
    double share = c->mesh.hinge_warp[h];
    double root = sqrt(warp) * share + sqrt(weft) * (1 - share);
    return root * root;
}

// Adds the hinge about an edge. columns > 0: the mesh is a grid with that many columns, and its
// diagonals get the stiffness that resists twist. Two triangles that are apart at rest and were
// welded have no rest angle between them; it is 0.
static void add_hinge(fm_cloth *c, const fm_mesh_edge *edge, const fm_vec3 *corner, int columns)
{
    fm_spring_mesh *mesh = &c->mesh;
    int h = mesh->hinge_count++, a = edge->a, b = edge->b;
    fm_edge_triangle one = fm_mesh_measure_edge_triangle(c, corner, edge, 0),
                     other = fm_mesh_measure_edge_triangle(c, corner, edge, 1);
    double length = (one.length + other.length) / 2, area = one.area + other.area;
    bool diagonal = columns > 0 && a / columns != b / columns && a % columns != b % columns;
    double share = diagonal ? 2 * area / (length * length) : length * length / area;
    mesh->hinge[0][h] = a, mesh->hinge[1][h] = b;
    mesh->hinge[2][h] = edge->opposite[0], mesh->hinge[3][h] = edge->opposite[1];
    if (mesh->hinge_warp)
        mesh->hinge_warp[h] = (find_warp_share(mesh, edge->triangle[0], &one) +
                               find_warp_share(mesh, edge->triangle[1], &other)) /
                              2;
    mesh->hinge_stiffness[h] =
        fm_hinge_directional(c, h, c->def.bend.stiffness, c->def.bend.weft) * share;
    if (mesh->bend_weight)
        mesh->hinge_stiffness[h] *= (mesh->bend_weight[a] + mesh->bend_weight[b]) / 2;
    mesh->hinge_area[0][h] = one.area, mesh->hinge_area[1][h] = other.area;
    bool joined_at_rest =
        fm_length(fm_sub(one.a, other.a)) + fm_length(fm_sub(one.b, other.b)) < SAME_PLACE * length;
    if (joined_at_rest)
        mesh->hinge_angle[h] = measure_angle(one.a, one.b, one.c, other.c);
    add_coefficients(mesh, h, &one, &other);
}

// Adds a hinge for each edge with two triangles; none if the cloth has no bending stiffness.
// columns > 0: the mesh is a grid with that many columns.
bool fm_spring_mesh_add_hinges(fm_cloth *c, const fm_mesh_edge *edges, int edge_count,
                               const fm_vec3 *corner, int columns, fm_error *err)
{
    fm_spring_mesh *mesh = &c->mesh;
    size_t count = 0;
    for (int i = 0; i < edge_count; i++)
        count += edges[i].triangle[1] >= 0;
    if (count == 0 || c->def.bend.stiffness <= 0)
        return true;
    int lanes = fm_parallel_block_count((int)count, FM_LANES) * FM_LANES;
    for (int k = 0; k < 4; k++) {
        mesh->hinge[k] = fm_arena_alloc(&c->arena, count, sizeof(int), c->object.name, err);
        mesh->hinge_share[k] =
            fm_arena_alloc(&c->arena, count, sizeof(double), c->object.name, err);
        mesh->hinge_force[k] = fm_vec3_array_create(&c->arena, lanes, err);
    }
    mesh->hinge_angle = fm_arena_alloc(&c->arena, count, sizeof(double), c->object.name, err);
    mesh->hinge_stiffness = fm_arena_alloc(&c->arena, count, sizeof(double), c->object.name, err);
    mesh->hinge_area[0] = fm_arena_alloc(&c->arena, count, sizeof(double), c->object.name, err);
    mesh->hinge_area[1] = fm_arena_alloc(&c->arena, count, sizeof(double), c->object.name, err);
    if (mesh->triangle_warp)
        mesh->hinge_warp = fm_arena_alloc(&c->arena, count, sizeof(double), c->object.name, err);
    mesh->bend_sum =
        fm_arena_alloc(&c->arena, (size_t)c->count, sizeof(double), c->object.name, err);
    for (int i = 0; i < edge_count && err->status == FM_OK; i++) {
        if (edges[i].triangle[1] >= 0)
            add_hinge(c, &edges[i], corner, columns);
    }
    return err->status == FM_OK;
}

// 1/s^2, bound of bending on omega^2, the square of the largest angular frequency (Gershgorin).
double fm_spring_mesh_bending_bound(const fm_cloth *c)
{
    double largest = 0;
    for (int i = 0; i < c->count && c->mesh.bend_sum; i++)
        largest = fmax(largest, c->mesh.bend_sum[i] / c->mass[i]);
    return is_flat_at_rest(c) ? largest : RESERVE * largest;
}

// J, bending energy of all hinges: k/2 |L|^2 if flat at rest, else k/2 (theta - theta_0)^2.
double fm_spring_mesh_bending_energy(const fm_cloth *c)
{
    const fm_spring_mesh *mesh = &c->mesh;
    double energy = 0;
    for (int h = 0; h < mesh->hinge_count; h++) {
        fm_vec3 p[4];
        for (int k = 0; k < 4; k++) {
            int i = mesh->hinge[k][h];
            p[k] = (fm_vec3){c->x.x[i], c->x.y[i], c->x.z[i]};
        }
        double angle = measure_angle(p[0], p[1], p[2], p[3]) - mesh->hinge_angle[h];
        double bent = remainder(angle, 2 * FM_PI), square = bent * bent;
        fm_vec3 L = {0, 0, 0};
        for (int k = 0; k < 4; k++)
            L = fm_add_scaled(L, p[k], mesh->hinge_share[k][h]);
        if (is_flat_at_rest(c))
            square = fm_dot(L, L);
        energy += 0.5 * mesh->hinge_stiffness[h] * square;
    }
    return energy;
}

// atan2(s, c) for s^2 + c^2 = 1, accurate to 1e-10, in arithmetic that compilers can vectorize: the
// angle is halved three times, then the power series of atan(z) gives it. (s2, c2), (s4, c4): sine
// and cosine of a half and of a quarter of the angle; z: tangent of an eighth of it.
static inline double compute_atan2(double s, double c)
{
    double c2 = sqrt(0.5 * (1 + c) * (1 + c > 0)), s2 = sqrt(0.5 * (1 - c) * (1 - c > 0));
    s2 = c > 0 ? s / (2 * c2 + FM_TINY) : s < 0 ? -s2 : s2;
    double c4 = sqrt(0.5 * (1 + c2)), s4 = s2 / (2 * c4), z = s4 / (1 + c4), q = z * z;
    double sum = 1.0 / 23 - q * (1.0 / 25);
    sum = 1.0 / 21 - q * sum;
    sum = 1.0 / 19 - q * sum;
    sum = 1.0 / 17 - q * sum;
    sum = 1.0 / 15 - q * sum;
    sum = 1.0 / 13 - q * sum;
    sum = 1.0 / 11 - q * sum;
    sum = 1.0 / 9 - q * sum;
    sum = 1.0 / 7 - q * sum;
    sum = 1.0 / 5 - q * sum;
    sum = 1.0 / 3 - q * sum;
    return 8 * z * (1 - q * sum);
}

// Inputs and outputs of the force loops; symbols as at the head of this file.
typedef struct hinge_arrays {
    const int *a, *b, *c, *d;        // particles of each hinge
    const double *x, *y, *z;         // m, positions of all particles
    const double *angle, *stiffness; // rad, theta_0; N m, k
    const double *area1, *area2;     // m^2, areas of the two triangles at rest
    const double *sa, *sb, *sc, *sd; // 1/m, coefficients of the four particles in L
    double *ax, *ay, *az, *bx, *by, *bz, *cx, *cy, *cz, *dx, *dy, *dz; // N, forces on them
} hinge_arrays;

// Forces of n hinges that are flat at rest: -k L times the coefficient of each particle in L.
FM_SIMD_CLONES
static void compute_flat_forces(int n, const hinge_arrays *restrict l)
{
    const double *x = l->x, *y = l->y, *z = l->z;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        int a = l->a[i], b = l->b[i], c = l->c[i], d = l->d[i];
        double sa = l->sa[i], sb = l->sb[i], sc = l->sc[i], sd = l->sd[i], k = -l->stiffness[i];
        double lx = k * (sa * x[a] + sb * x[b] + sc * x[c] + sd * x[d]);
        double ly = k * (sa * y[a] + sb * y[b] + sc * y[c] + sd * y[d]);
        double lz = k * (sa * z[a] + sb * z[b] + sc * z[c] + sd * z[d]);
        l->ax[i] = sa * lx, l->ay[i] = sa * ly, l->az[i] = sa * lz;
        l->bx[i] = sb * lx, l->by[i] = sb * ly, l->bz[i] = sb * lz;
        l->cx[i] = sc * lx, l->cy[i] = sc * ly, l->cz[i] = sc * lz;
        l->dx[i] = sd * lx, l->dy[i] = sd * ly, l->dz[i] = sd * lz;
    }
}

// Forces of n hinges with rest angles (discrete shells). e: the shared edge; u, v: the normals N1
// and N2; bent: theta - theta_0; left: (present area / half of the area at rest)^2, the smaller one
// of the two triangles; foot1, foot2: present feet of the heights.
FM_SIMD_CLONES
static void compute_angle_forces(int n, const hinge_arrays *restrict l)
{
    const double *x = l->x, *y = l->y, *z = l->z;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        int a = l->a[i], b = l->b[i], c = l->c[i], d = l->d[i];
        double ex = x[b] - x[a], ey = y[b] - y[a], ez = z[b] - z[a];
        double px = x[c] - x[a], py = y[c] - y[a], pz = z[c] - z[a];
        double qx = x[d] - x[a], qy = y[d] - y[a], qz = z[d] - z[a];
        double ux = ey * pz - ez * py, uy = ez * px - ex * pz, uz = ex * py - ey * px; // N1
        double vx = qy * ez - qz * ey, vy = qz * ex - qx * ez, vz = qx * ey - qy * ex; // N2
        double ll = ex * ex + ey * ey + ez * ez + FM_TINY, length = sqrt(ll);
        double uu = ux * ux + uy * uy + uz * uz + FM_TINY,
               vv = vx * vx + vy * vy + vz * vz + FM_TINY;
        double tx = uy * vz - uz * vy, ty = uz * vx - ux * vz, tz = ux * vy - uy * vx;
        double sine = (tx * ex + ty * ey + tz * ez) / length;
        double cosine = ux * vx + uy * vy + uz * vz;
        double s = 1 / sqrt(sine * sine + cosine * cosine + FM_TINY);
        double bent = compute_atan2(sine * s, cosine * s) - l->angle[i];
        bent = bent > FM_PI ? bent - 2 * FM_PI : bent < -FM_PI ? bent + 2 * FM_PI : bent;
        // |N| is twice the area, so that |N| equals area1 when half the area at rest is left
        double left1 = uu / (l->area1[i] * l->area1[i]), left2 = vv / (l->area2[i] * l->area2[i]);
        double left = left1 < left2 ? left1 : left2;
        double m = l->stiffness[i] * bent * (left < 1 ? left : 1) * length;
        double m1 = m / uu, m2 = m / vv;
        double foot1 = (px * ex + py * ey + pz * ez) / ll;
        double foot2 = (qx * ex + qy * ey + qz * ez) / ll;
        l->cx[i] = m1 * ux, l->cy[i] = m1 * uy, l->cz[i] = m1 * uz;
        l->dx[i] = m2 * vx, l->dy[i] = m2 * vy, l->dz[i] = m2 * vz;
        double b1 = foot1 * m1, b2 = foot2 * m2, a1 = m1 - b1, a2 = m2 - b2;
        l->ax[i] = -a1 * ux - a2 * vx, l->ay[i] = -a1 * uy - a2 * vy, l->az[i] = -a1 * uz - a2 * vz;
        l->bx[i] = -b1 * ux - b2 * vx, l->by[i] = -b1 * uy - b2 * vy, l->bz[i] = -b1 * uz - b2 * vz;
    }
}

// Computes the forces of the hinges [first, last) at positions x, into hinge_force.
void fm_spring_mesh_compute_hinge_forces(fm_cloth *cloth, const fm_vec3_array *x, int first,
                                         int last)
{
    const fm_spring_mesh *mesh = &cloth->mesh;
    const fm_vec3_array *f = mesh->hinge_force;
    hinge_arrays l = {.a = mesh->hinge[0] + first,
                      .b = mesh->hinge[1] + first,
                      .c = mesh->hinge[2] + first,
                      .d = mesh->hinge[3] + first,
                      .x = x->x,
                      .y = x->y,
                      .z = x->z,
                      .angle = mesh->hinge_angle + first,
                      .stiffness = mesh->hinge_stiffness + first,
                      .area1 = mesh->hinge_area[0] + first,
                      .area2 = mesh->hinge_area[1] + first,
                      .sa = mesh->hinge_share[0] + first,
                      .sb = mesh->hinge_share[1] + first,
                      .sc = mesh->hinge_share[2] + first,
                      .sd = mesh->hinge_share[3] + first,
                      .ax = f[0].x + first,
                      .ay = f[0].y + first,
                      .az = f[0].z + first,
                      .bx = f[1].x + first,
                      .by = f[1].y + first,
                      .bz = f[1].z + first,
                      .cx = f[2].x + first,
                      .cy = f[2].y + first,
                      .cz = f[2].z + first,
                      .dx = f[3].x + first,
                      .dy = f[3].y + first,
                      .dz = f[3].z + first};
    if (is_flat_at_rest(cloth))
        compute_flat_forces(last - first, &l);
    else
        compute_angle_forces(last - first, &l);
}
