// SPDX-License-Identifier: MIT
// fabric_frequencies.c: the largest frequencies of springs on meshes, and their bounds.
//
// tests/reference/fabric_frequencies.csv has the largest m omega^2 / k of finite sheets, small
// meshes and infinite lattices. [LCKL13] proves the bound sqrt(2 M k/m), M the largest number of
// neighbours, and observes sqrt(M k/m). The first holds on every mesh; the second does not: seven
// points, one of them with M = 6 neighbours, reach sqrt(7 k/m). Masses by area instead of equal
// masses raise the largest frequency, as springs at corners have less mass to move.
#include "bodies.h"

#include "cloth/cloth.h"

static const double K = 1000, M = 0.625; // N/m, kg

static fm_fabric_def define_fabric(fm_fabric_model model)
{
    fm_fabric_def fabric = fm_default_fabric_def();
    fabric.model = model;
    fabric.spring = K;
    fabric.point_mass = M;
    return fabric;
}

static fm_cloth *create_fabric(fm_world *world, const fm_fabric_def *fabric,
                               const fixture_mesh *grid)
{
    fm_error err = {0};
    fm_cloth_def def = fm_default_fabric_cloth_def();
    fm_cloth_mesh mesh = fixture_cloth_mesh(grid);
    fm_cloth *cloth = fm_cloth_create_fabric(world, &def, fabric, &mesh, &err);
    assert_good(cloth, &err);
    return cloth;
}

// m omega^2 / k of the springs linearised in the present state, stretched by `stretch`.
static double find_largest(const fixture_mesh *grid, const fm_fabric_def *fabric, double stretch,
                           int iterations)
{
    fm_error err = {0};
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth *cloth = create_fabric(world, fabric, grid);
    fm_vec3 *x = malloc((size_t)grid->vertex_count * sizeof *x);
    for (int i = 0; i < grid->vertex_count; i++)
        x[i] = fm_scale(grid->positions[i], stretch);
    assert_true(fm_cloth_set_positions(cloth, x, &err));
    free(x);
    fm_eigenfrequencies found = fm_cloth_find_eigenfrequencies(cloth, iterations, &err);
    assert_good(err.status == FM_OK, &err);
    assert_true(found.linear <= found.bound && found.bound <= found.gershgorin);
    double mass = fabric->point_mass > 0 ? fabric->point_mass : cloth->mass[cloth->count / 2];
    fm_world_destroy(world);
    return mass * found.linear * found.linear / K;
}

// Equilateral triangles of edge 0.05 m in rows that are offset by half a spacing.
static fixture_mesh create_lattice(int columns, int rows)
{
    return fixture_create_grid(columns, rows, 0.05, 0.05 * sqrt(0.75), CUT_SHIFTED);
}

static void finite_sheets_have_the_frequencies_of_the_table(void **state)
{
    (void)state;
    static const struct {
        int size;
        fm_fabric_model model;
        double rim_share;
        bool by_area;
        double expected;
    } cases[] = {
        {21, FM_FABRIC_MODEL_I, 1, false, 8.960209},  {21, FM_FABRIC_MODEL_II, 1, false, 5.963838},
        {81, FM_FABRIC_MODEL_II, 1, false, 5.997567}, {21, FM_FABRIC_MODEL_I, 1, true, 14.761077},
        {21, FM_FABRIC_MODEL_II, 1, true, 11.721283}, {21, FM_FABRIC_MODEL_II, 0.5, true, 6.554287},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture_mesh grid = create_lattice(cases[i].size, cases[i].size);
        fm_fabric_def fabric = define_fabric(cases[i].model);
        fabric.rim_share = cases[i].rim_share;
        if (cases[i].by_area)
            fabric.point_mass = 0;
        double found = find_largest(&grid, &fabric, 1, 400);
        printf("  %dx%d, model %s, masses %s, rim %g: %.6f, expected %.6f\n", cases[i].size,
               cases[i].size, cases[i].model == FM_FABRIC_MODEL_I ? "I" : "II",
               cases[i].by_area ? "by area" : "equal", cases[i].rim_share, found,
               cases[i].expected);
        assert_close(found, cases[i].expected, 1e-3 * cases[i].expected);
        fixture_destroy_mesh(&grid);
    }
}

// A closed or open mesh of a few triangles.
static fixture_mesh list_mesh(const fm_vec3 *points, int point_count, const int *triangles,
                              int triangle_count)
{
    fixture_mesh mesh = fixture_create_mesh(point_count, triangle_count);
    for (int i = 0; i < point_count; i++)
        mesh.positions[mesh.vertex_count++] = points[i];
    for (int t = 0; t < triangle_count; t++)
        fixture_add_triangle(&mesh, triangles[3 * t], triangles[3 * t + 1], triangles[3 * t + 2]);
    return mesh;
}

static fixture_mesh create_hexagon(void)
{
    fm_vec3 points[7] = {{0, 0, 0}};
    int triangles[18];
    for (int i = 0; i < 6; i++) {
        double angle = FM_PI / 3 * i;
        points[i + 1] = (fm_vec3){cos(angle), sin(angle), 0};
        triangles[3 * i] = 0, triangles[3 * i + 1] = i + 1;
        triangles[3 * i + 2] = (i + 1) % 6 + 1;
    }
    return list_mesh(points, 7, triangles, 6);
}

static fixture_mesh create_icosahedron(void)
{
    const double g = (1 + sqrt(5)) / 2;
    const fm_vec3 points[] = {{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0},
                              {0, -1, g}, {0, 1, g}, {0, -1, -g}, {0, 1, -g},
                              {g, 0, -1}, {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1}};
    static const int triangles[] = {0, 11, 5, 0, 5,  1,  0,  1,  7,  0,  7, 10, 0, 10, 11,
                                    1, 5,  9, 5, 11, 4,  11, 10, 2,  10, 7, 6,  7, 1,  8,
                                    3, 9,  4, 3, 4,  2,  3,  2,  6,  3,  6, 8,  3, 8,  9,
                                    4, 9,  5, 2, 4,  11, 6,  2,  10, 8,  6, 7,  9, 8,  1};
    return list_mesh(points, 12, triangles, 20);
}

static void small_meshes_have_the_frequencies_of_the_table(void **state)
{
    (void)state;
    static const fm_vec3 three[] = {{0, 0, 0}, {1, 0, 0}, {0.5, 0.8660254037844386, 0}};
    static const fm_vec3 four[] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    static const fm_vec3 six[] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                  {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    static const int one[] = {0, 1, 2}, faces4[] = {0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2};
    static const int faces8[] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    struct {
        const char *name;
        fixture_mesh mesh;
        double expected[2]; // models I and II; 0: not in the table
    } cases[] = {
        {"single triangle", list_mesh(three, 3, one, 1), {3, 3}},
        {"hexagon with hub", create_hexagon(), {7, 4.270691}},
        {"tetrahedron", list_mesh(four, 4, faces4, 4), {0, 4}},
        {"octahedron", list_mesh(six, 6, faces8, 8), {0, 4}},
        {"icosahedron", create_icosahedron(), {7.236068, 3.427051}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int k = 0; k < 2; k++) {
            fm_fabric_def fabric = define_fabric(k ? FM_FABRIC_MODEL_II : FM_FABRIC_MODEL_I);
            double found = find_largest(&cases[i].mesh, &fabric, 1, 60);
            printf("  %s, model %s: %.6f, expected %.6f\n", cases[i].name, k ? "II" : "I", found,
                   cases[i].expected[k]);
            if (cases[i].expected[k] > 0)
                assert_close(found, cases[i].expected[k], 1e-3 * cases[i].expected[k]);
        }
        fixture_destroy_mesh(&cases[i].mesh);
    }
}

// The largest frequency of an infinite lattice that is stretched by lambda in both directions is
// 8 - 2/lambda. A finite sheet stays below it by a share that falls with its size.
static void stretched_sheets_approach_the_infinite_lattice(void **state)
{
    (void)state;
    static const double stretches[] = {1, 1.01, 1.1, 1.5};
    fm_fabric_def fabric = define_fabric(FM_FABRIC_MODEL_II);
    for (size_t i = 0; i < sizeof stretches / sizeof *stretches; i++) {
        double expected = 8 - 2 / stretches[i], missing[2];
        for (int k = 0; k < 2; k++) {
            fixture_mesh grid = create_lattice(k ? 61 : 31, k ? 61 : 31);
            missing[k] = 1 - find_largest(&grid, &fabric, stretches[i], 400) / expected;
            fixture_destroy_mesh(&grid);
        }
        printf("  lambda %g: %.6f, below it by %.2e at 31 x 31 and %.2e at 61 x 61\n", stretches[i],
               expected, missing[0], missing[1]);
        assert_true(missing[1] > 0 && missing[1] < 1e-3);
        assert_true(missing[0] > 2.5 * missing[1]); // a share of about 1/size^2
    }
}

static void the_bounds_hold_on_random_meshes(void **state)
{
    (void)state;
    int broken = 0;
    double tightest = 0, loosest = INFINITY;
    for (int seed = 0; seed < 50; seed++) {
        fm_error err = {0};
        fm_world *world = create_world(0, 0, no_gravity);
        fm_mesh_shape shape = fm_default_mesh_shape();
        shape.kind = seed % 2 ? FM_MESH_RECTANGLE : FM_MESH_DISC;
        shape.triangulation = FM_TRIANGLES_IRREGULAR;
        shape.jitter = 0.4 * (seed % 5 + 1) / 5;
        shape.seed = seed;
        shape.edge = 0.06;
        fm_fabric_def fabric = define_fabric(seed % 3 ? FM_FABRIC_MODEL_II : FM_FABRIC_MODEL_I);
        fm_cloth_def def = fm_default_fabric_cloth_def();
        fm_cloth *cloth = fm_cloth_create_fabric_shape(world, &def, &fabric, &shape,
                                                       &(fm_fabric_place){.prestretch = 1}, &err);
        assert_good(cloth, &err);
        // the bound in use comes from 60 iterations, the true frequencies from 600
        double used = fm_cloth_find_eigenfrequencies(cloth, 60, &err).bound;
        fm_eigenfrequencies exact = fm_cloth_find_eigenfrequencies(cloth, 600, &err);
        double model_I = exact.bound / sqrt(1.05); // without the reserve
        assert_close(used, cloth->frequency_bound, 1e-9 * used);
        assert_true(exact.linear <= model_I * (1 + 1e-9));
        assert_true(model_I <= used && used <= exact.gershgorin);
        int most = 0;
        for (int i = 0; i < cloth->count; i++) {
            int neighbours = cloth->mesh.edges.start[i + 1] - cloth->mesh.edges.start[i];
            most = neighbours > most ? neighbours : most;
        }
        broken += model_I > sqrt(most * K / M);
        tightest = fmax(tightest, model_I / used);
        loosest = fmin(loosest, model_I / used);
        fm_world_destroy(world);
    }
    printf("  frequency over bound: %.3f to %.3f; sqrt(M k/m) is exceeded on %d of 50 meshes\n",
           loosest, tightest, broken);
    assert_true(tightest < 1 && loosest > 0.97);
    assert_true(broken > 0); // the observation of [LCKL13] is no bound
}

// The motion of a sheet after random initial velocities in its plane has frequencies up to the
// computed largest one and none above. Spectrum of one point, with a Blackman window.
static void the_spectrum_ends_at_the_computed_frequency(void **state)
{
    (void)state;
    enum { SAMPLES = 4096 };
    fm_error err = {0};
    fm_world *world = create_world(0, 0, no_gravity);
    fixture_mesh grid = create_lattice(15, 15);
    fm_fabric_def fabric = define_fabric(FM_FABRIC_MODEL_II);
    fm_cloth *cloth = create_fabric(world, &fabric, &grid);
    fm_vec3 v[15 * 15];
    fm_rng rng = {1};
    for (int i = 0; i < 15 * 15; i++)
        v[i] =
            (fm_vec3){1e-4 * (fm_rng_uniform(&rng) - 0.5), 1e-4 * (fm_rng_uniform(&rng) - 0.5), 0};
    assert_true(fm_cloth_set_velocities(cloth, v, &err));
    double top = fm_cloth_find_eigenfrequencies(cloth, 400, &err).linear, dt = 0.5 / top;
    static double x[SAMPLES];
    double mean = 0;
    for (int n = 0; n < SAMPLES; n++) {
        for (int k = 0; k < 4; k++)
            advance(world, dt / 4);
        x[n] = fm_cloth_velocities(cloth, NULL)[112].x;
        mean += x[n] / SAMPLES;
    }
    double below = 0, above = 0, last = 0, total = 0;
    const double resolution = 2 * FM_PI / (SAMPLES * dt);
    for (int k = 0; k < SAMPLES / 2; k++) {
        double re = 0, im = 0, omega = k * resolution;
        for (int n = 0; n < SAMPLES; n++) {
            double t = 2 * FM_PI * (n + 0.5) / SAMPLES;
            double window = 0.42 - 0.5 * cos(t) + 0.08 * cos(2 * t);
            re += window * (x[n] - mean) * cos(omega * n * dt);
            im += window * (x[n] - mean) * sin(omega * n * dt);
        }
        double power = re * re + im * im;
        total += power;
        *(omega > 1.01 * top ? &above : &below) += power;
        if (power > 1e-6 * total)
            last = omega;
    }
    printf("  largest computed frequency %.4f rad/s, spectrum ends at %.4f, power above %.1e\n",
           top, last, above / below);
    assert_true(above / below < 1e-6);
    assert_close(last, top, 0.02 * top);
    fm_world_destroy(world);
    fixture_destroy_mesh(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finite_sheets_have_the_frequencies_of_the_table),
        cmocka_unit_test(small_meshes_have_the_frequencies_of_the_table),
        cmocka_unit_test(stretched_sheets_approach_the_infinite_lattice),
        cmocka_unit_test(the_bounds_hold_on_random_meshes),
        cmocka_unit_test(the_spectrum_ends_at_the_computed_frequency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
