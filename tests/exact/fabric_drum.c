// SPDX-License-Identifier: MIT
// fabric_drum.c: absolute frequencies of a drum of springs.
//
// A disc of radius R, its edges stretched by lambda and its rim held, is a membrane with the
// tension T and the mass per area sigma:
//
//     T = k (1 - 1/lambda) sum l^2 / (2 A)      f_mn = j_mn / (2 pi R) sqrt(T / sigma)
//
//   l  m, stretched edges      A  m^2, area      j_mn  zeros of the Bessel function J_m
//   sigma  kg/m^2, mass over area; of equal masses, those of the rim count half
//
// Springs along the rim pull nothing, as both of their ends are held: they count half, by the area
// of their one triangle. All edges equal: T = sqrt(3) k (1 - 1/lambda). An irregular mesh whose
// edges are all stretched by lambda is not in equilibrium: its points move until their forces
// vanish, which lowers the tension by 8 %. It is relaxed first, and T is the sum of k (1 - l0/l)
// l^2 / (2 A) with the length that each edge has then. The first five modes start together with
// small amplitudes; their frequencies are those of the zero crossings of the displacements
// projected on the modes.
#include "bodies.h"

#include "cloth/cloth.h"

enum { MODES = 5 };
static const struct {
    int m;
    double zero;
} modes[MODES] = {{0, 2.404825557695773},
                  {1, 3.831705970207512},
                  {2, 5.135622301840683},
                  {0, 5.520078110286311},
                  {3, 6.380161895923983}};

static const double K = 1000, M = 0.625, R = 0.5, LAMBDA = 1.1; // N/m, kg, m

// J_m(x) = 1/pi integral of cos(m t - x sin t) over [0, pi], by the trapezoidal rule.
static double bessel(int m, double x)
{
    enum { N = 64 };
    double sum = 0;
    for (int i = 0; i <= N; i++) {
        double t = FM_PI * i / N;
        sum += (i == 0 || i == N ? 0.5 : 1) * cos(m * t - x * sin(t));
    }
    return sum / N;
}

static double mode_shape(int mode, fm_vec3 p)
{
    double r = hypot(p.x, p.z), angle = atan2(p.z, p.x);
    return r < R ? bessel(modes[mode].m, modes[mode].zero * r / R) * cos(modes[mode].m * angle) : 0;
}

// N/m, the sum of k (1 - l0/l) l^2 / (2 A) over the edges, those of the rim half.
static double find_tension(fm_cloth *c)
{
    fm_error err = {0};
    double sum = 0, area = fm_cloth_area(c, &err);
    for (int e = 0; e < c->mesh.edge_count; e++) {
        int a = c->mesh.edge_a[e], b = c->mesh.edge_b[e];
        double l = fm_cloth_particle_distance(c, a, b);
        bool rim = fm_cloth_is_pinned(c, a, 0) && fm_cloth_is_pinned(c, b, 0);
        sum += (rim ? 0.5 : 1) * K * (1 - c->mesh.edge_rest[e] / l) * l * l;
    }
    return sum / (2 * area);
}

// A drum with its rim held. positions: NULL for uniformly stretched edges.
static fm_cloth *create_drum(fm_world *world, const fm_built_mesh *built, const fm_vec3 *positions,
                             bool by_area, double kept)
{
    fm_error err = {0};
    fm_cloth_def def = fm_default_fabric_cloth_def();
    fm_fabric_def fabric = fm_default_fabric_def();
    int count = built->mesh.point_count;
    fm_vec3 *rest = malloc((size_t)count * sizeof *rest);
    for (int i = 0; i < count; i++)
        rest[i] = fm_scale(built->mesh.points[i], 1 / LAMBDA);
    fabric.spring = K, fabric.point_mass = by_area ? 0 : M;
    def.density = 1000, def.thickness = by_area ? 1 : 4e-5;
    def.damping.kept = kept;
    fm_cloth_mesh mesh = {.positions = positions ? positions : built->mesh.points,
                          .vertex_count = count,
                          .rest_positions = rest,
                          .triangles = built->mesh.face_points,
                          .triangle_count = built->mesh.face_count};
    fm_cloth *c = fm_cloth_create_fabric(world, &def, &fabric, &mesh, &err);
    const fm_vertex_group *rim = fm_built_mesh_group(built, "rim");
    assert_good(c && fm_cloth_pin_list(c, rim->vertices, rim->count, NULL, &err), &err);
    free(rest);
    return c;
}

// Positions of a drum at rest; the caller frees them.
static fm_vec3 *relax_drum(const fm_built_mesh *built, bool by_area)
{
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth *c = create_drum(world, built, NULL, by_area, 0.9);
    advance(world, 400 * fm_cloth_stable_step(c));
    size_t size = (size_t)built->mesh.point_count * sizeof(fm_vec3);
    fm_vec3 *relaxed = malloc(size);
    memcpy(relaxed, fm_cloth_positions(c, NULL), size);
    fm_world_destroy(world);
    return relaxed;
}

// Starts all modes and measures their frequencies, Hz.
static void measure_modes(fm_world *world, fm_cloth *c, double longest, double dt,
                          double found[MODES])
{
    fm_error err = {0};
    int count, crossings[MODES] = {0};
    const fm_vec3 *at = fm_cloth_positions(c, &count);
    fm_vec3 *x = malloc((size_t)count * sizeof *x);
    double *shapes = malloc(MODES * (size_t)count * sizeof *shapes);
    double last[MODES] = {0}, from[MODES] = {0}, to[MODES] = {0};
    for (int i = 0; i < count; i++) {
        x[i] = at[i];
        for (int k = 0; k < MODES; k++) {
            shapes[k * count + i] = mode_shape(k, at[i]);
            x[i].y += 1e-6 * R * shapes[k * count + i];
        }
    }
    fm_cloth_set_positions(c, x, &err);
    for (int n = 0; n * dt < longest; n++) {
        if (n > 0)
            advance(world, dt);
        at = fm_cloth_positions(c, NULL);
        for (int k = 0; k < MODES; k++) {
            double q = 0;
            for (int i = 0; i < count; i++)
                q += c->mass[i] * at[i].y * shapes[k * count + i];
            if (n > 0 && (q > 0) != (last[k] > 0)) {
                double t = (n - 1 + last[k] / (last[k] - q)) * dt;
                *(crossings[k]++ == 0 ? &from[k] : &to[k]) = t;
            }
            last[k] = q;
        }
    }
    for (int k = 0; k < MODES; k++)
        found[k] = (crossings[k] - 1) / (2 * (to[k] - from[k]));
    free(x);
    free(shapes);
}

// Measures a drum and returns the number of its points.
static int measure_drum(double edge, bool irregular, bool by_area, double found[MODES],
                        double expected[MODES])
{
    fm_error err = {0};
    fm_mesh_shape shape = fm_default_mesh_shape();
    shape.radius = R, shape.edge = edge;
    shape.triangulation = irregular ? FM_TRIANGLES_IRREGULAR : FM_TRIANGLES_REGULAR;
    fm_built_mesh built;
    assert_good(fm_mesh_shape_build(&shape, &built, &err), &err);
    fm_vec3 *relaxed = relax_drum(&built, by_area);
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth *c = create_drum(world, &built, relaxed, by_area, 1);
    double mass = 0;
    for (int i = 0; i < c->count; i++) // equal masses: a point of the rim has half the area
        mass += (by_area || !fm_cloth_is_pinned(c, i, 0) ? 1 : 0.5) * c->mass[i];
    double speed = sqrt(find_tension(c) * fm_cloth_area(c, &err) / mass);
    for (int k = 0; k < MODES; k++)
        expected[k] = modes[k].zero / (2 * FM_PI * R) * speed;
    measure_modes(world, c, 3 / expected[0], 0.02 / expected[MODES - 1], found);
    fm_world_destroy(world);
    free(relaxed);
    int count = built.mesh.point_count;
    fm_built_mesh_destroy(&built);
    return count;
}

// The largest relative error of the five frequencies.
static double check_drum(double edge, bool irregular, bool by_area)
{
    double found[MODES], expected[MODES], worst = 0;
    int count = measure_drum(edge, irregular, by_area, found, expected);
    printf("  %s, %d points, masses %s:", irregular ? "irregular" : "regular", count,
           by_area ? "by area" : "equal");
    for (int k = 0; k < MODES; k++) {
        printf(" %.4f (%+.2f %%)", found[k], 100 * (found[k] / expected[k] - 1));
        worst = fmax(worst, fabs(found[k] / expected[k] - 1));
    }
    printf(" Hz\n");
    return worst;
}

static void the_first_five_modes_have_the_frequencies_of_a_membrane(void **state)
{
    (void)state;
    for (int irregular = 0; irregular < 2; irregular++) {
        double coarse = check_drum(0.027, irregular, false);
        double fine = check_drum(0.0135, irregular, false);
        assert_true(fine < 0.01);
        assert_true(fine < 0.75 * coarse);
        assert_true(check_drum(0.0135, irregular, true) < 0.01);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_five_modes_have_the_frequencies_of_a_membrane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
