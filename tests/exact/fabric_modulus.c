// SPDX-License-Identifier: MIT
// fabric_modulus.c: surface modulus and Poisson's ratio of springs on triangulations.
//
// Springs of one constant k on equilateral triangles have the surface modulus E_s = 2k/sqrt(3) and
// Poisson's ratio 1/3; displaced vertices lower both ([LCKL13] measured 1.1 k on a mesh that it does
// not describe). Strips are stretched by a small strain: the end `left` is held, the end `right` is
// displaced, and the rest is relaxed by conjugate gradients on the linearised springs.
//
//   long strips   strain and width are measured in the middle half of the strip, away from the
//                 grips. Springs of the two long sides have the factor rim_share = 1/2, as each of
//                 them belongs to one triangle only; with 1 a strip of n lattice lines has the
//                 modulus 2k/sqrt(3) n/(n - 1), exactly
//   gripped       the apparent modulus (F/W)/(dL/L) of strips whose ends keep their width, against
//                 finite elements (fabric_strip.csv). Every row of the lattice has its ends in the
//                 grips, so that L is the number of springs in a row times their length
#include "bodies.h"

#include "cloth/cloth.h"

static const double K = 1000, EDGE = 0.01,
                    ROW = 0.86602540378443865; // N/m, m; row height over EDGE

// A strip and its displacements.
typedef struct strip {
    fm_world *world;
    fm_cloth *cloth;
    bool *held;        // [count]
    double *u;         // [3 count] m
    double *p, *r, *q; // vectors of the iteration
} strip;

static strip open_strip(const fm_mesh_shape *shape, double rim_share)
{
    fm_error err = {0};
    strip s = {.world = create_world(0, 0, no_gravity)};
    fm_cloth_def def = fm_default_fabric_cloth_def();
    fm_fabric_def fabric = fm_default_fabric_def();
    fabric.spring = K, fabric.rim_share = rim_share, fabric.point_mass = 1;
    s.cloth = fm_cloth_create_fabric_shape(s.world, &def, &fabric, shape,
                                           &(fm_fabric_place){.prestretch = 1}, &err);
    assert_good(s.cloth, &err);
    size_t n = (size_t)s.cloth->count;
    s.held = calloc(n, sizeof *s.held);
    s.u = calloc(12 * n, sizeof *s.u);
    s.p = s.u + 3 * n, s.r = s.u + 6 * n, s.q = s.u + 9 * n;
    return s;
}

static void close_strip(strip *s)
{
    free(s->held);
    free(s->u);
    fm_world_destroy(s->world);
}

// out = K in, in the plane of the strip. free_only: without the held points.
static void multiply(const strip *s, const double *in, double *out, bool free_only)
{
    const fm_cloth *c = s->cloth;
    memset(out, 0, 3 * (size_t)c->count * sizeof *out);
    for (int e = 0; e < c->mesh.edge_count; e++) {
        int a = 3 * c->mesh.edge_a[e], b = 3 * c->mesh.edge_b[e];
        fm_edge_stiffness k = fm_fabric_linearise_edge(c, e);
        fm_vec3 d = {in[a] - in[b], 0, in[a + 2] - in[b + 2]};
        fm_vec3 f = fm_add_scaled(fm_scale(d, k.p), k.e, k.q * fm_dot(k.e, d));
        out[a] += f.x, out[a + 2] += f.z, out[b] -= f.x, out[b + 2] -= f.z;
    }
    for (int i = 0; i < c->count && free_only; i++)
        if (s->held[i])
            out[3 * i] = out[3 * i + 2] = 0;
}

// Relaxes the points that are not held.
static void relax(strip *s)
{
    int n = 3 * s->cloth->count;
    double square = 0, first;
    multiply(s, s->u, s->r, true);
    for (int i = 0; i < n; i++) {
        s->p[i] = s->r[i] = -s->r[i];
        square += s->r[i] * s->r[i];
    }
    first = square;
    for (int k = 0; k < 20000 && square > 1e-20 * first; k++) {
        double curvature = 0, next = 0;
        multiply(s, s->p, s->q, true);
        for (int i = 0; i < n; i++)
            curvature += s->p[i] * s->q[i];
        for (int i = 0; i < n; i++) {
            s->u[i] += square / curvature * s->p[i];
            s->r[i] -= square / curvature * s->q[i];
            next += s->r[i] * s->r[i];
        }
        for (int i = 0; i < n; i++)
            s->p[i] = s->r[i] + next / square * s->p[i];
        square = next;
    }
    assert_true(square <= 1e-20 * first);
}

// Holds a group and moves it along x.
static void hold(strip *s, const char *name, double shift)
{
    int count;
    const int *group = fm_cloth_group(s->cloth, name, &count);
    assert_non_null(group);
    for (int i = 0; i < count; i++) {
        s->held[group[i]] = true;
        s->u[3 * group[i]] = shift;
    }
}

// N, force on a group along x.
static double find_force(strip *s, const char *name)
{
    int count;
    const int *group = fm_cloth_group(s->cloth, name, &count);
    double sum = 0;
    multiply(s, s->u, s->q, false);
    for (int i = 0; i < count; i++)
        sum += s->q[3 * group[i]];
    return sum;
}

// Slope of the displacement along one axis over the coordinate, by least squares over the points
// within `reach` of x = 0.
static double fit_strain(const strip *s, int axis, double reach)
{
    const fm_cloth *c = s->cloth;
    double n = 0, sx = 0, su = 0, sxx = 0, sxu = 0;
    for (int i = 0; i < c->count; i++) {
        double x = axis == 0 ? c->x.x[i] : c->x.z[i], u = s->u[3 * i + axis];
        if (fabs(c->x.x[i]) > reach)
            continue;
        n++, sx += x, su += u, sxx += x * x, sxu += x * u;
    }
    return (n * sxu - sx * su) / (n * sxx - sx * sx);
}

typedef struct elasticity {
    double modulus, poisson; // E_s / k, nu
} elasticity;

// Modulus and Poisson's ratio of a long strip of `rows` rows, from its middle half.
static elasticity measure_long_strip(int rows, double jitter, int seed, double rim_share)
{
    fm_mesh_shape shape = fm_default_mesh_shape();
    shape.kind = FM_MESH_RECTANGLE;
    shape.edge = EDGE;
    shape.length = rows * ROW * EDGE;
    shape.width = 4 * rows * EDGE;
    shape.triangulation = jitter > 0 ? FM_TRIANGLES_IRREGULAR : FM_TRIANGLES_REGULAR;
    shape.jitter = jitter, shape.seed = seed;
    strip s = open_strip(&shape, rim_share);
    hold(&s, "left", 0);
    hold(&s, "right", 1e-3 * shape.width);
    relax(&s);
    double strain = fit_strain(&s, 0, shape.width / 4);
    elasticity found = {find_force(&s, "right") / shape.length / strain / K,
                        -fit_strain(&s, 2, shape.width / 4) / strain};
    close_strip(&s);
    return found;
}

static void regular_meshes_have_the_modulus_of_the_lattice(void **state)
{
    (void)state;
    elasticity half = measure_long_strip(20, 0, 0, 0.5), full = measure_long_strip(20, 0, 0, 1);
    double exact = 2 / sqrt(3);
    printf("  rim springs k/2: E_s/k %.6f, expected %.6f; nu %.5f\n", half.modulus, exact,
           half.poisson);
    printf("  rim springs k:   E_s/k %.6f, expected %.6f; nu %.5f\n", full.modulus, exact * 21 / 20,
           full.poisson);
    assert_close(half.modulus, exact, 1e-3 * exact);
    assert_close(half.poisson, 1.0 / 3, 1e-3);
    assert_close(full.modulus, exact * 21 / 20, 1e-3 * exact);
}

static void irregular_meshes_have_the_moduli_of_the_table(void **state)
{
    (void)state;
    static const struct {
        double jitter, modulus, poisson;
    } rows[] = {
        {0.1, 1.1434, 0.327}, {0.2, 1.1097, 0.308}, {0.3, 1.0749, 0.288}, {0.4, 1.0595, 0.276}};
    enum { SEEDS = 6 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double sum = 0, square = 0, poisson = 0;
        for (int seed = 1; seed <= SEEDS; seed++) {
            elasticity found = measure_long_strip(40, rows[i].jitter, seed, 0.5);
            sum += found.modulus / SEEDS;
            square += found.modulus * found.modulus / SEEDS;
            poisson += found.poisson / SEEDS;
        }
        fm_mesh_shape shape = fm_default_mesh_shape();
        shape.triangulation = FM_TRIANGLES_IRREGULAR, shape.jitter = rows[i].jitter;
        double factor = 1 / fm_fabric_spring_of_modulus(&shape, 1); // what users get
        printf("  jitter %.1f: E_s/k %.4f +- %.4f, table %.4f, in use %.4f; nu %.3f, table %.3f\n",
               rows[i].jitter, sum, sqrt(fmax(0, square - sum * sum)), rows[i].modulus, factor,
               poisson, rows[i].poisson);
        assert_close(sum, rows[i].modulus, 0.01 * rows[i].modulus);
        assert_close(factor, sum, 0.01 * sum);
        assert_close(poisson, rows[i].poisson, 0.01);
    }
}

// Apparent modulus of a gripped strip over E_s, `across` cells wide.
static double measure_gripped_strip(double aspect, int across)
{
    fm_mesh_shape shape = fm_default_mesh_shape();
    shape.kind = FM_MESH_RECTANGLE;
    shape.rim = FM_RIM_LATTICE;
    shape.edge = EDGE;
    shape.length = across * ROW * EDGE;
    int columns = (int)round(aspect * across * ROW);
    shape.width = (columns + 0.5) * EDGE;
    strip s = open_strip(&shape, 0.5);
    double length = columns * EDGE;
    hold(&s, "left", 0);
    hold(&s, "right", 1e-3 * length);
    relax(&s);
    double modulus = find_force(&s, "right") / shape.length / 1e-3;
    close_strip(&s);
    return modulus / (2 * K / sqrt(3));
}

static void gripped_strips_agree_with_finite_elements(void **state)
{
    (void)state;
    static const double table[][2] = {
        {0.5, 1.06293}, {1, 1.03159}, {2, 1.01517}, {4, 1.00753}, {8, 1.00375}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double coarse = measure_gripped_strip(table[i][0], 20);
        double fine = measure_gripped_strip(table[i][0], 40);
        printf("  L/W = %g: %.5f at 20 cells across, %.5f at 40, finite elements %.5f\n",
               table[i][0], coarse, fine, table[i][1]);
        assert_close(fine, table[i][1], 0.005 * table[i][1]);
        assert_true(fabs(fine - table[i][1]) <= fabs(coarse - table[i][1]) + 1e-4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regular_meshes_have_the_modulus_of_the_lattice),
        cmocka_unit_test(irregular_meshes_have_the_moduli_of_the_table),
        cmocka_unit_test(gripped_strips_agree_with_finite_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
