// SPDX-License-Identifier: MIT
// fabric_modulus.c: surface modulus and Poisson's ratio of springs on triangulations.
//
// Springs of one constant k on equilateral triangles have the surface modulus E_s = 2k/sqrt(3) and
// Poisson's ratio 1/3; displaced vertices lower both ([LCKL13] measured 1.1 k on a mesh that it
// does not describe). Strips along z are stretched by a small strain: the end `back` is held, the
// end `front` is displaced, and the rest is relaxed by conjugate gradients on the linearised
// springs.
//
//   inside        stresses and strains in a window away from grips and sides, which have other
//                 triangles
//   sides         springs along the sides with full k: a strip of n lattice lines has the modulus
//                 2k/sqrt(3) n/(n - 1); with the factor rim_share = 1/2 the modulus of the lattice,
//                 as each of these springs belongs to one triangle only
//   gripped       the apparent modulus (F/W)/(dL/L) of strips whose ends keep their width, against
//                 finite elements (fabric_strip.csv); the ends are lattice lines
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

// Holds a group and moves it along z.
static void hold(strip *s, const char *name, double shift)
{
    int count;
    const int *group = fm_cloth_group(s->cloth, name, &count);
    assert_non_null(group);
    for (int i = 0; i < count; i++) {
        s->held[group[i]] = true;
        s->u[3 * group[i] + 2] = shift;
    }
}

// N, force on a group along z.
static double find_force(strip *s, const char *name)
{
    int count;
    const int *group = fm_cloth_group(s->cloth, name, &count);
    double sum = 0;
    multiply(s, s->u, s->q, false);
    for (int i = 0; i < count; i++)
        sum += s->q[3 * group[i] + 2];
    return sum;
}

// A part of the strip: |x| and |z| below these, m.
typedef struct window {
    double x, z;
} window;

// Strain along an axis in a window: slope of the displacement over the coordinate, least squares.
static double fit_strain(const strip *s, int axis, window w)
{
    const fm_cloth *c = s->cloth;
    double n = 0, sx = 0, su = 0, sxx = 0, sxu = 0;
    for (int i = 0; i < c->count; i++) {
        double x = axis == 0 ? c->x.x[i] : c->x.z[i], u = s->u[3 * i + axis];
        if (fabs(c->x.x[i]) > w.x || fabs(c->x.z[i]) > w.z)
            continue;
        n++, sx += x, su += u, sxx += x * x, sxu += x * u;
    }
    return (n * sxu - sx * su) / (n * sxx - sx * sx);
}

// N/m, mean stress along an axis in a window (virial): the sum of force times length over the edges
// of its triangles, divided by their area. Each edge belongs half to each of its triangles.
static double find_stress(const strip *s, int axis, window w)
{
    const fm_cloth *c = s->cloth;
    double area = 0, sum = 0;
    for (int t = 0; t < c->mesh.triangle_count; t++) {
        const int *p = c->mesh.triangle + 3 * t;
        fm_vec3 a = c->initial_x[p[0]], b = c->initial_x[p[1]], d = c->initial_x[p[2]];
        if (fabs(a.x + b.x + d.x) > 3 * w.x || fabs(a.z + b.z + d.z) > 3 * w.z)
            continue;
        area += fm_length(fm_cross(fm_sub(b, a), fm_sub(d, a))) / 2;
        for (int k = 0; k < 3; k++) {
            int i = p[k], j = p[(k + 1) % 3];
            fm_vec3 e = fm_sub(c->initial_x[j], c->initial_x[i]);
            double length = fm_length(e);
            fm_vec3 moved = {s->u[3 * j] - s->u[3 * i], 0, s->u[3 * j + 2] - s->u[3 * i + 2]};
            double tension = K * fm_dot(e, moved) / length;
            double along = axis == 0 ? e.x : e.z;
            sum += 0.5 * tension * along * along / length;
        }
    }
    return sum / area;
}

typedef struct elasticity {
    double modulus, poisson; // E_s / k, nu
} elasticity;

// Modulus and Poisson's ratio inside a strip of `columns` columns, from stresses and strains there:
// E e_z = s_z - nu s_x and E e_x = s_x - nu s_z.
static elasticity measure_inside(int columns, double jitter, int seed)
{
    fm_mesh_shape shape = fm_default_mesh_shape();
    shape.kind = FM_MESH_RECTANGLE;
    shape.edge = EDGE;
    shape.width = columns * EDGE;
    shape.length = 2 * round(1.5 * columns / ROW) * ROW * EDGE; // equilateral triangles
    shape.triangulation = jitter > 0 ? FM_TRIANGLES_IRREGULAR : FM_TRIANGLES_REGULAR;
    shape.jitter = jitter, shape.seed = seed;
    strip s = open_strip(&shape, 0.5);
    hold(&s, "back", 0);
    hold(&s, "front", 1e-3 * shape.length);
    relax(&s);
    window w = {0.4 * shape.width, 0.3 * shape.length};
    double ex = fit_strain(&s, 0, w), ez = fit_strain(&s, 2, w);
    double sx = find_stress(&s, 0, w), sz = find_stress(&s, 2, w);
    double poisson = (ez * sx - ex * sz) / (ez * sz - ex * sx);
    close_strip(&s);
    return (elasticity){(sz - poisson * sx) / ez / K, poisson};
}

// Apparent modulus (F/W)/(dL/L) over 2k/sqrt(3) of a lattice strip, `across` cells wide.
static double measure_gripped_strip(double aspect, int across, double rim_share)
{
    fm_mesh_shape shape = fm_default_mesh_shape();
    shape.kind = FM_MESH_RECTANGLE;
    shape.rim = FM_RIM_LATTICE;
    shape.edge = EDGE;
    shape.width = (across + 0.5) * EDGE; // with the teeth; the mean width is across * EDGE
    shape.length = round(aspect * across / ROW) * ROW * EDGE;
    strip s = open_strip(&shape, rim_share);
    hold(&s, "back", 0);
    hold(&s, "front", 1e-3 * shape.length);
    relax(&s);
    double modulus = find_force(&s, "front") / (across * EDGE) / 1e-3;
    close_strip(&s);
    return modulus / (2 * K / sqrt(3));
}

static void regular_meshes_have_the_modulus_of_the_lattice(void **state)
{
    (void)state;
    elasticity found = measure_inside(40, 0, 0);
    printf("  inside: E_s/k %.6f, expected %.6f; nu %.5f, expected %.5f\n", found.modulus,
           2 / sqrt(3), found.poisson, 1.0 / 3);
    assert_close(found.modulus, 2 / sqrt(3), 2e-3);
    assert_close(found.poisson, 1.0 / 3, 2e-3);
}

// A long strip along the lattice lines with full springs at its sides has n lines over n - 1 cells.
static void full_springs_along_the_sides_stiffen_a_strip(void **state)
{
    (void)state;
    enum { LINES = 11 };
    fm_mesh_shape shape = fm_default_mesh_shape();
    shape.kind = FM_MESH_RECTANGLE;
    shape.rim = FM_RIM_LATTICE;
    shape.edge = EDGE;
    shape.length = (LINES - 1) * ROW * EDGE;
    shape.width = 120.5 * EDGE;
    for (int full = 0; full < 2; full++) {
        strip s = open_strip(&shape, full ? 1 : 0.5);
        for (int i = 0; i < s.cloth->count; i++) { // narrowed by nu: the exact solution
            s.u[3 * i] = 1e-3 * s.cloth->x.x[i], s.u[3 * i + 2] = -1e-3 / 3 * s.cloth->x.z[i];
            s.held[i] = fabs(s.cloth->x.x[i]) > 59 * EDGE;
        }
        relax(&s);
        double energy = 0;
        multiply(&s, s.u, s.q, false);
        for (int i = 0; i < 3 * s.cloth->count; i++)
            energy += 0.5 * s.u[i] * s.q[i];
        double modulus = 2 * energy / (1e-6 * 120 * EDGE * shape.length) / K;
        double expected = 2 / sqrt(3) * (full ? (double)LINES / (LINES - 1) : 1);
        printf("  rim springs %s: E_s/k %.5f, expected %.5f\n", full ? "k" : "k/2", modulus,
               expected);
        assert_close(modulus, expected, 0.01 * expected);
        close_strip(&s);
    }
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
            elasticity found = measure_inside(40, rows[i].jitter, seed);
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

static void gripped_strips_agree_with_finite_elements(void **state)
{
    (void)state;
    static const double table[][2] = {
        {0.5, 1.06293}, {1, 1.03159}, {2, 1.01517}, {4, 1.00753}, {8, 1.00375}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double coarse = measure_gripped_strip(table[i][0], 20, 0.5);
        double fine = measure_gripped_strip(table[i][0], 40, 0.5);
        printf("  L/W = %g: %.5f at 20 cells across, %.5f at 40, finite elements %.5f\n",
               table[i][0], coarse, fine, table[i][1]);
        assert_close(fine, table[i][1], 0.005 * table[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regular_meshes_have_the_modulus_of_the_lattice),
        cmocka_unit_test(full_springs_along_the_sides_stiffen_a_strip),
        cmocka_unit_test(irregular_meshes_have_the_moduli_of_the_table),
        cmocka_unit_test(gripped_strips_agree_with_finite_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
