// SPDX-License-Identifier: MIT
// fabric_drum.c: absolute frequencies of a drum of springs.
//
// A disc of radius R, its edges stretched by lambda and its rim held, is a membrane with the
// tension T and the mass per area sigma:
//
//     T = k (1 - 1/lambda) sum l^2 / (2 A)      f_mn = j_mn / (2 pi R) sqrt(T / sigma)
//
//   l  m, stretched edges      A  m^2, area      j_mn  zeros of the Bessel function J_m
//
// Springs along the rim pull nothing, as both of their ends are held: each edge counts by the area
// of its triangles, so those count half. All edges equal: T = sqrt(3) k (1 - 1/lambda). The first
// five modes start together with small amplitudes; their frequencies are those of the zero crossings
// of the displacements projected on the modes.
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

// sum l^2 / (2 A) over the edges, those of the rim half.
static double sum_edges(fm_cloth *c)
{
    fm_error err = {0};
    double sum = 0, area = fm_cloth_area(c, &err);
    int rim_count;
    const int *rim = fm_cloth_group(c, "rim", &rim_count);
    for (int e = 0; e < c->mesh.edge_count; e++) {
        double l = fm_cloth_particle_distance(c, c->mesh.edge_a[e], c->mesh.edge_b[e]);
        sum += l * l;
    }
    for (int i = 0; i < rim_count; i++) {
        double l = fm_cloth_particle_distance(c, rim[i], rim[(i + 1) % rim_count]);
        sum -= l * l / 2;
    }
    return sum / (2 * area);
}

// Measures the frequencies, Hz, and returns the number of points. by_area: masses by area.
static int measure_drum(double edge, bool irregular, bool by_area, double found[MODES],
                        double expected[MODES])
{
    fm_error err = {0};
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth_def def = fm_default_fabric_cloth_def();
    fm_fabric_def fabric = fm_default_fabric_def();
    fm_mesh_shape shape = fm_default_mesh_shape();
    shape.radius = R, shape.edge = edge;
    shape.triangulation = irregular ? FM_TRIANGLES_IRREGULAR : FM_TRIANGLES_REGULAR;
    fabric.spring = K, fabric.point_mass = by_area ? 0 : M;
    def.density = 1000, def.thickness = by_area ? 1 : 4e-5;
    fm_cloth *c = fm_cloth_create_fabric_shape(world, &def, &fabric, &shape,
                                               &(fm_fabric_place){.prestretch = LAMBDA}, &err);
    assert_good(c && fm_cloth_pin_group(c, "rim", NULL, &err), &err);
    int count;
    const fm_vec3 *at = fm_cloth_positions(c, &count);
    double mass = 0, area = fm_cloth_area(c, &err);
    fm_vec3 *x = malloc((size_t)count * sizeof *x);
    double *shapes = malloc(MODES * (size_t)count * sizeof *shapes);
    for (int i = 0; i < count; i++) {
        x[i] = at[i];
        mass += c->mass[i];
        for (int k = 0; k < MODES; k++) {
            shapes[k * count + i] = mode_shape(k, at[i]);
            x[i].y += 1e-6 * R * shapes[k * count + i];
        }
    }
    double tension = K * (1 - 1 / LAMBDA) * sum_edges(c);
    fm_cloth_set_positions(c, x, &err);
    for (int k = 0; k < MODES; k++)
        expected[k] = modes[k].zero / (2 * FM_PI * R) * sqrt(tension * area / mass);
    double dt = 0.02 / expected[MODES - 1], last[MODES] = {0}, from[MODES] = {0}, to[MODES] = {0};
    int crossings[MODES] = {0};
    for (int n = 0; n * dt < 3 / expected[0]; n++) {
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
    fm_world_destroy(world);
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
