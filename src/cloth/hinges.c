// SPDX-License-Identifier: MIT
// hinges.c: bending about the edges that two triangles share.
//
// Triangles (a, b, c) and (b, a, d) with heights h1, h2 over their edge at rest, whose feet divide
// it at s1, s2 from a. Cloth that is flat at rest, the default, has the energy of Bergou et al.
// [BWHZG06], linear in the positions as that of a sheet is:
//
//     E = k/2 |L|^2,   L = (foot1 - c)/h1 + (foot2 - d)/h2,   foot = (1 - s) a + s b
//     |L| = 2 sin(theta/2) for a fold by theta that stretches nothing
//     k = B |b - a|^2 / (A1 + A2) with the lengths and areas at rest
//
// It cannot become unstable as triangles collapse. For another shape at rest, discrete shells
// [GHDS03]:
//
//     E = k/2 (theta - theta_0)^2,   theta = atan2((N1 x N2) . e, N1 . N2),   e = (b - a) / |b - a|
//     N1 = (b - a) x (c - a),   N2 = (d - a) x (b - a)
//     dtheta/dc = -|b - a| N1 / |N1|^2, the same with N2 for d; the ends take the opposite, shared
//     as the foot of c (of d) divides the edge
//
// whose gradient grows without limit as a triangle collapses: below half of the area at rest the
// force of the hinge is scaled down with the square of what is left, which keeps momentum and
// angular momentum but not energy.
//
// A surface with the curvature K bends a hinge by theta = (h1 + h2)/2 K_mm + ..., m across the
// edge, and k is such that a mesh of equilateral triangles has the energy B/2 kappa^2 per area when
// bent to a cylinder of curvature kappa, whatever its direction [SN88]. Meshes of right triangles
// have it for cylinders along their legs, and up to three times that for cylinders along the
// diagonals they share. Grids (tubes) are cut along alternating diagonals, so that the twist K_xy
// bends the diagonals alone, by K_xy |b - a|; with
//
//     k = 2 B (A1 + A2) / |b - a|^2     for diagonals
//
// a grid has the energy B/2 (K_xx^2 + 2 K_xy^2 + K_yy^2) of the sheet, in all directions.
//
// [BWHZG06] Bergou, Wardetzky, Harmon, Zorin, Grinspun: A quadratic bending model for inextensible
//           surfaces. SGP 2006.
// [GHDS03]  Grinspun, Hirani, Desbrun, Schröder: Discrete shells. SCA 2003.
// [SN88]    Seung, Nelson: Defects in flexible membranes with crystalline order. Phys. Rev. A 38,
//           1988.
#include "cloth/cloth.h"

#include <math.h>

// With an angle at rest, folding adds the curvature of theta itself to the stiffness, and triangles
// may shrink to half: what the bound at rest is multiplied by.
static const double RESERVE = 2;

static bool is_linear(const fm_cloth *c)
{
    return c->def.bend.rest_angle == FM_REST_FLAT;
}

// The corner of triangle t that is this particle, at rest.
static fm_vec3 corner_of(const fm_cloth *c, const fm_vec3 *corner, int t, int particle)
{
    int k = 0;
    while (k < 2 && c->mesh.triangle[3 * (size_t)t + k] != particle)
        k++;
    return corner[3 * (size_t)t + k];
}

static double hinge_angle(fm_vec3 a, fm_vec3 b, fm_vec3 c, fm_vec3 d)
{
    fm_vec3 e = fm_sub(b, a), n1 = fm_cross(e, fm_sub(c, a)), n2 = fm_cross(fm_sub(d, a), e);
    return atan2(fm_dot(fm_cross(n1, n2), e) / fm_length(e), fm_dot(n1, n2));
}

fm_flap fm_side_flap(const fm_cloth *cloth, const fm_vec3 *corner, const fm_mesh_side *side,
                     int which)
{
    int t = side->triangle[which];
    fm_flap f = {.a = corner_of(cloth, corner, t, side->a),
                 .b = corner_of(cloth, corner, t, side->b),
                 .c = corner_of(cloth, corner, t, side->opposite[which])};
    fm_vec3 e = fm_sub(f.b, f.a), up = fm_sub(f.c, f.a);
    f.length = fm_length(e);
    f.area = fm_length(fm_cross(e, up)) / 2;
    f.height = 2 * f.area / f.length;
    f.foot = fm_dot(up, e) / (f.length * f.length);
    return f;
}

// The coefficients of L, and Gershgorin's bound: a row of k grad grad^T has at most
// k |grad_i| sum_j |grad_j|, the gradient of theta at rest being L's coefficients along the normal.
static void add_coefficients(fm_net *net, int h, const fm_flap *one, const fm_flap *other)
{
    const double own[4] = {(1 - one->foot) / one->height + (1 - other->foot) / other->height,
                           one->foot / one->height + other->foot / other->height, -1 / one->height,
                           -1 / other->height};
    double sum = fabs(own[0]) + fabs(own[1]) + fabs(own[2]) + fabs(own[3]);
    for (int k = 0; k < 4; k++) {
        net->hinge_share[k][h] = own[k];
        net->bend_sum[net->hinge[k][h]] += net->hinge_stiffness[h] * fabs(own[k]) * sum;
    }
}

static void add_hinge(fm_cloth *c, const fm_mesh_side *side, const fm_vec3 *corner, int columns)
{
    fm_net *net = &c->mesh;
    int h = net->hinge_count++, a = side->a, b = side->b;
    fm_flap one = fm_side_flap(c, corner, side, 0), other = fm_side_flap(c, corner, side, 1);
    double length = (one.length + other.length) / 2, area = one.area + other.area;
    bool diagonal = columns > 0 && a / columns != b / columns && a % columns != b % columns;
    double share = diagonal ? 2 * area / (length * length) : length * length / area;
    net->hinge[0][h] = a, net->hinge[1][h] = b;
    net->hinge[2][h] = side->opposite[0], net->hinge[3][h] = side->opposite[1];
    net->hinge_stiffness[h] = c->def.bend.stiffness * share;
    net->hinge_area[0][h] = one.area, net->hinge_area[1][h] = other.area;
    // pieces that were apart before they were welded have no angle between them
    bool whole =
        fm_length(fm_sub(one.a, other.a)) + fm_length(fm_sub(one.b, other.b)) < 1e-6 * length;
    if (whole)
        net->hinge_angle[h] = hinge_angle(one.a, one.b, one.c, other.c);
    add_coefficients(net, h, &one, &other);
}

bool fm_net_add_hinges(fm_cloth *c, const fm_mesh_side *sides, int side_count,
                       const fm_vec3 *corner, int columns, fm_error *err)
{
    fm_net *net = &c->mesh;
    size_t count = 0;
    for (int i = 0; i < side_count; i++)
        count += sides[i].triangle[1] >= 0;
    if (count == 0 || c->def.bend.stiffness <= 0)
        return true;
    int lanes = fm_block_count((int)count, FM_LANES) * FM_LANES;
    for (int k = 0; k < 4; k++) {
        net->hinge[k] = fm_arena_alloc(&c->arena, count, sizeof(int), c->name, err);
        net->hinge_share[k] = fm_arena_alloc(&c->arena, count, sizeof(double), c->name, err);
        net->hinge_force[k] = fm_axes_alloc(&c->arena, lanes, err);
    }
    net->hinge_angle = fm_arena_alloc(&c->arena, count, sizeof(double), c->name, err);
    net->hinge_stiffness = fm_arena_alloc(&c->arena, count, sizeof(double), c->name, err);
    net->hinge_area[0] = fm_arena_alloc(&c->arena, count, sizeof(double), c->name, err);
    net->hinge_area[1] = fm_arena_alloc(&c->arena, count, sizeof(double), c->name, err);
    net->bend_sum = fm_arena_alloc(&c->arena, (size_t)c->count, sizeof(double), c->name, err);
    for (int i = 0; i < side_count && err->status == FM_OK; i++) {
        if (sides[i].triangle[1] >= 0)
            add_hinge(c, &sides[i], corner, columns);
    }
    return err->status == FM_OK;
}

double fm_net_bending_bound(const fm_cloth *c)
{
    double largest = 0;
    for (int i = 0; i < c->count && c->mesh.bend_sum; i++)
        largest = fmax(largest, c->mesh.bend_sum[i] / c->mass[i]);
    return is_linear(c) ? largest : RESERVE * largest;
}

double fm_net_bending_energy(const fm_cloth *c)
{
    const fm_net *net = &c->mesh;
    double energy = 0;
    for (int h = 0; h < net->hinge_count; h++) {
        fm_vec3 p[4];
        for (int k = 0; k < 4; k++) {
            int i = net->hinge[k][h];
            p[k] = (fm_vec3){c->x.x[i], c->x.y[i], c->x.z[i]};
        }
        double angle = hinge_angle(p[0], p[1], p[2], p[3]) - net->hinge_angle[h];
        double bent = remainder(angle, 2 * FM_PI), square = bent * bent;
        fm_vec3 sum = {0, 0, 0};
        for (int k = 0; k < 4; k++)
            sum = fm_add_scaled(sum, p[k], net->hinge_share[k][h]);
        if (is_linear(c))
            square = fm_dot(sum, sum);
        energy += 0.5 * net->hinge_stiffness[h] * square;
    }
    return energy;
}

// atan2(s, c) for s^2 + c^2 = 1, to 1e-10, as arithmetic that loops can be made vector code of: the
// angle is halved three times, then a power series.
static inline double angle_of(double s, double c)
{
    double c2 = sqrt(0.5 * (1 + c) * (1 + c > 0)), s2 = sqrt(0.5 * (1 - c) * (1 - c > 0));
    s2 = c > 0 ? s / (2 * c2 + 1e-200) : s < 0 ? -s2 : s2;
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

typedef struct hinge_arrays {
    const int *a, *b, *c, *d;
    const double *x, *y, *z, *angle, *stiffness, *area1, *area2;
    const double *sa, *sb, *sc, *sd;                                   // coefficients of L
    double *ax, *ay, *az, *bx, *by, *bz, *cx, *cy, *cz, *dx, *dy, *dz; // forces
} hinge_arrays;

FM_SIMD_CLONES
static void flatten_hinges(int n, const hinge_arrays *restrict l)
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

FM_SIMD_CLONES
static void bend_hinges(int n, const hinge_arrays *restrict l)
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
        double ll = ex * ex + ey * ey + ez * ez + 1e-200, length = sqrt(ll);
        double uu = ux * ux + uy * uy + uz * uz + 1e-200, vv = vx * vx + vy * vy + vz * vz + 1e-200;
        double tx = uy * vz - uz * vy, ty = uz * vx - ux * vz, tz = ux * vy - uy * vx;
        double sine = (tx * ex + ty * ey + tz * ez) / length;
        double cosine = ux * vx + uy * vy + uz * vz;
        double s = 1 / sqrt(sine * sine + cosine * cosine + 1e-200);
        double bent = angle_of(sine * s, cosine * s) - l->angle[i];
        bent = bent > FM_PI ? bent - 2 * FM_PI : bent < -FM_PI ? bent + 2 * FM_PI : bent;
        // |N| is twice the area: half the area at rest is |N| = area at rest
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

void fm_net_hinge_forces(fm_cloth *cloth, const fm_axes *x, int first, int last)
{
    const fm_net *net = &cloth->mesh;
    const fm_axes *f = net->hinge_force;
    hinge_arrays l = {.a = net->hinge[0] + first,
                      .b = net->hinge[1] + first,
                      .c = net->hinge[2] + first,
                      .d = net->hinge[3] + first,
                      .x = x->x,
                      .y = x->y,
                      .z = x->z,
                      .angle = net->hinge_angle + first,
                      .stiffness = net->hinge_stiffness + first,
                      .area1 = net->hinge_area[0] + first,
                      .area2 = net->hinge_area[1] + first,
                      .sa = net->hinge_share[0] + first,
                      .sb = net->hinge_share[1] + first,
                      .sc = net->hinge_share[2] + first,
                      .sd = net->hinge_share[3] + first,
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
    if (is_linear(cloth))
        flatten_hinges(last - first, &l);
    else
        bend_hinges(last - first, &l);
}
