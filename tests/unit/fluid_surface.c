// SPDX-License-Identifier: MIT
// fluid_surface.c: the surface of particles is closed, where it should be, flat where it should be.
#include "draw/fluid.h"
#include "fluid_fixture.h"

static int compare_edges(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(int));
}

// Each edge of a triangle is, the other way round, an edge of exactly one other.
static void assert_closed(const fm_triangles *t)
{
    size_t n = 3 * (size_t)t->triangle_count;
    int(*there)[2] = malloc(n * sizeof *there + 1), (*back)[2] = malloc(n * sizeof *back + 1);
    for (size_t i = 0; i < n; i++) {
        int a = t->triangles[i], b = t->triangles[i % 3 == 2 ? i - 2 : i + 1];
        assert_true(a >= 0 && a < t->point_count && a != b);
        there[i][0] = back[i][1] = a;
        there[i][1] = back[i][0] = b;
    }
    qsort(there, n, sizeof *there, compare_edges);
    qsort(back, n, sizeof *back, compare_edges);
    assert_memory_equal(there, back, n * sizeof *there);
    for (size_t i = 1; i < n; i++)
        assert_int_not_equal(compare_edges(there[i - 1], there[i]), 0);
    free(there);
    free(back);
}

static double find_volume(const fm_triangles *t, double *area)
{
    double volume = 0;
    *area = 0;
    for (int i = 0; i < t->triangle_count; i++) {
        const int *corner = t->triangles + 3 * (size_t)i;
        const float *a = t->points + 3 * (size_t)corner[0];
        const float *b = t->points + 3 * (size_t)corner[1];
        const float *c = t->points + 3 * (size_t)corner[2];
        double u[3], v[3];
        for (int k = 0; k < 3; k++) {
            u[k] = (double)b[k] - a[k];
            v[k] = (double)c[k] - a[k];
        }
        double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                       u[0] * v[1] - u[1] * v[0]};
        volume += (a[0] * n[0] + a[1] * n[1] + a[2] * n[2]) / 6;
        *area += sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
    }
    return volume;
}

// Volume and area of a ball of particles, by those of the sphere that holds as much.
static void measure_ball(double spacing, double jitter, double *volume, double *area)
{
    crowd c = {.spacing = spacing, .jitter = jitter, .rng = {7}};
    add_ball(&c, (fm_vec3){0.3, -2, 1}, 1);
    fm_triangles t = make_surface(&c, 1);
    assert_closed(&t);
    double held = c.count * spacing * spacing * spacing, radius = cbrt(held * 3 / (4 * FM_PI));
    *volume = find_volume(&t, area) / held;
    *area /= 4 * FM_PI * radius * radius;
    for (int i = 0; i < t.point_count; i++) { // normals outwards
        const float *p = t.points + 3 * (size_t)i, *n = t.normals + 3 * (size_t)i;
        fm_float3 out = fm_f3_unit(fm_f3(p[0] - 0.3f, p[1] + 2, p[2] - 1));
        assert_in_interval(fm_f3_dot(out, fm_f3_load(n)), 0.9, 1 + 1e-5);
    }
    fm_triangles_free(&t);
    free(c.points);
}

static void test_ball_is_a_sphere(void **state)
{
    (void)state;
    double volume[3], area[3], spacing = 0.25;
    for (int i = 0; i < 3; i++, spacing /= 2)
        measure_ball(spacing, 0, &volume[i], &area[i]);
    assert_close(volume[0], 1, 0.04); // 4 spacings of radius
    assert_close(area[0], 1, 0.04);
    assert_close(volume[2], 1, 0.005); // 16
    assert_close(area[2], 1, 0.01);
    double order = log2((1 - volume[0]) / (1 - volume[2])) / 2;
    assert_in_interval(order, 1.5, 3);
    measure_ball(0.125, 0.2, &volume[0], &area[0]);
    assert_close(volume[0], 1, 0.02);
    assert_close(area[0], 1, 0.02);
}

// The top of a tank, away from its walls: mean height and rms in spacings, rms slope in degrees.
static void measure_top(double jitter, double *height, double *rough, double *slope)
{
    crowd c = {.spacing = 0.01, .jitter = jitter, .rng = {3}};
    add_block(&c, (fm_vec3){0, 0, 0}, 30, 12, 30);
    fm_triangles t = make_surface(&c, 1);
    assert_closed(&t);
    double sum = 0, squares = 0, slopes = 0;
    int count = 0;
    for (int i = 0; i < t.point_count; i++) {
        const float *p = t.points + 3 * (size_t)i;
        if (p[1] < 0.08f || fabsf(p[0] - 0.15f) > 0.08f || fabsf(p[2] - 0.15f) > 0.08f)
            continue;
        double y = (p[1] - 0.12) / 0.01, up = fmin(1, t.normals[3 * (size_t)i + 1]);
        sum += y;
        squares += y * y;
        slopes += acos(up) * acos(up);
        count++;
    }
    assert_true(count > 500);
    *height = sum / count;
    *rough = sqrt(fmax(0, squares / count - *height * *height));
    *slope = sqrt(slopes / count) * 180 / FM_PI;
    fm_triangles_free(&t);
    free(c.points);
}

static void test_still_water_is_flat(void **state)
{
    (void)state;
    double height, rough, slope;
    measure_top(0, &height, &rough, &slope);
    assert_close(height, 0, 0.06); // half a spacing above the topmost particles
    assert_at_most(rough, 0.01);
    assert_at_most(slope, 0.2);
    measure_top(0.15, &height, &rough, &slope); // shaken
    assert_close(height, 0, 0.08);
    assert_at_most(rough, 0.04);
    assert_at_most(slope, 1.5);
}

// One layer in space, and not one of 2D: it lies along x and z.
static void test_thin_sheet_stays(void **state)
{
    (void)state;
    crowd c = {.spacing = 1};
    double area;
    add_block(&c, (fm_vec3){0, 0, 0}, 40, 1, 40);
    fm_triangles t = make_surface(&c, 1);
    assert_closed(&t);
    double volume = find_volume(&t, &area);
    assert_in_interval(volume / c.count, 0.8, 1.2);
    assert_in_interval(area / (2 * 1600), 0.95, 1.1);
    fm_triangles_free(&t);
    free(c.points);
}

static void test_drops_stay(void **state)
{
    (void)state;
    double area;
    for (int count = 1; count <= 3; count++) {
        crowd c = {.spacing = 0.02};
        for (int i = 0; i < count; i++)
            add_particle(&c, 0.5 * i, 1, 0.3 * i);
        fm_triangles t = make_surface(&c, 1);
        assert_closed(&t);
        double held = count * 0.02 * 0.02 * 0.02;
        assert_in_interval(find_volume(&t, &area) / held, 0.5, 1.2);
        fm_triangles_free(&t);
        free(c.points);
    }
}

static void test_layer_becomes_a_slab(void **state)
{
    (void)state;
    crowd c = {.spacing = 0.1};
    add_block(&c, (fm_vec3){0, 0, -0.05}, 30, 20, 1);
    fm_triangles t = make_surface(&c, 1);
    assert_closed(&t);
    fm_bounds bounds = fm_empty_bounds();
    fm_bounds_add(&bounds, t.points, t.point_count);
    assert_close(bounds.high.x, 3, 0.03); // so thin a slab bulges a quarter of a spacing
    assert_close(bounds.high.y, 2, 0.03);
    assert_close(bounds.high.z, 0.25, 0.03); // five layers
    assert_close(bounds.low.z, -0.25, 0.03);
    fm_triangles_free(&t);
    free(c.points);
}

// Values at random: every way a cell can be cut, next to every other.
static void test_any_field_gives_a_closed_surface(void **state)
{
    (void)state;
    crowd c = {.spacing = 1, .jitter = 9, .rng = {11}};
    for (int i = 0; i < 1500; i++)
        add_particle(&c, 0, 0, 0);
    for (int k = 2; k <= 4; k++) {
        fm_error err = {0};
        fm_triangles t;
        fm_fluid_mesh_def def = {.spacing = 1, .cells = 0.5 * k};
        assert_true(fm_fluid_mesh_make(c.points, c.count, &def, &t, &err));
        assert_true(t.triangle_count > 1000);
        assert_closed(&t);
        fm_triangles_free(&t);
    }
    free(c.points);
}

static void test_all_cases_are_closed(void **state)
{
    (void)state;
    fm_rng rng = {5};
    fm_error err = {0};
    for (int round = 0; round < 20; round++) {
        fm_level_block block = {.values = 0};
        float values[FM_BLOCK_NODES] = {0};
        fm_level level = {.cell = 1, .blocks = &block, .block_count = 1, .values = values};
        for (int k = 0; k < 27; k++)
            block.around[k] = k == 13 ? 0 : -1;
        for (int i = 0; i < FM_BLOCK_NODES; i++) { // none on the border
            int x = i % FM_BLOCK, y = i / FM_BLOCK % FM_BLOCK, z = i / (FM_BLOCK * FM_BLOCK);
            bool inner =
                x > 0 && y > 0 && z > 0 && x < FM_BLOCK - 1 && y < FM_BLOCK - 1 && z < FM_BLOCK - 1;
            values[i] = inner && fm_rng_uniform(&rng) < 0.5 ? 1 : 0;
        }
        fm_triangles t = {0};
        assert_true(fm_level_march(&level, NULL, &t, &err));
        assert_true(t.triangle_count > 100);
        assert_closed(&t);
        fm_triangles_free(&t);
    }
}

// Only the blocks around the surface are summed, and that changes nothing but far inside.
static void test_deep_blocks_are_passed_over(void **state)
{
    (void)state;
    crowd c = {.spacing = 1};
    add_ball(&c, (fm_vec3){0, 0, 0}, 20);
    fm_arena arena = {0};
    fm_error err = {0};
    fm_kernels kernels;
    fm_level level;
    double *p[3];
    for (int k = 0; k < 3; k++) {
        p[k] = malloc((size_t)c.count * sizeof(double));
        for (int i = 0; i < c.count; i++)
            p[k][i] = c.points[3 * i + k];
    }
    assert_true(fm_kernels_compute(&kernels, &arena, NULL, p[0], p[1], p[2], c.count, &err));
    assert_true(fm_level_compute(&level, &kernels, 0.5, NULL, &err));
    int deep = level.block_count - level.value_count;
    assert_true(deep >= 27);
    fm_triangles t = {0};
    assert_true(fm_level_march(&level, NULL, &t, &err));
    assert_closed(&t);
    for (int i = 0; i < t.point_count; i++) // one surface, and none inside
        assert_in_interval(fm_f3_length(fm_f3_load(t.points + 3 * (size_t)i)), 19, 21);
    fm_triangles_free(&t);
    fm_level_free(&level);
    fm_arena_free(&arena);
    for (int k = 0; k < 3; k++)
        free(p[k]);
    free(c.points);
}

static void test_nothing_gives_nothing(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_triangles t;
    fm_fluid_mesh_def def = fm_default_fluid_mesh_def();
    const float odd[9] = {NAN, 0, 0, 0, INFINITY, 0, 1e30f, 0, 0};
    assert_true(fm_fluid_mesh_make(NULL, 0, &def, &t, &err));
    assert_int_equal(t.triangle_count, 0);
    assert_true(fm_fluid_mesh_make(odd, 3, &def, &t, &err));
    assert_int_equal(t.triangle_count, 0);
    fm_triangles_free(&t);
    fm_drawing *drawing = fm_drawing_create(&err);
    fm_paint paint = fm_clear_paint();
    assert_true(fm_drawing_add_fluid(drawing, odd, 3, &def, &paint, &err));
    assert_int_equal(fm_drawing_dropped_count(drawing), 3);
    fm_drawing_destroy(drawing);
}

// One that flew off to the end of the world leaves the others as they are.
static void test_stray_particles_do_no_harm(void **state)
{
    (void)state;
    crowd c = {.spacing = 0.1};
    add_ball(&c, (fm_vec3){0, 0, 0}, 0.5);
    fm_triangles alone = make_surface(&c, 1);
    add_particle(&c, 1e9, 0, 0);
    add_particle(&c, NAN, 0, 0);
    fm_triangles with = make_surface(&c, 1);
    assert_int_equal(with.triangle_count, alone.triangle_count);
    assert_memory_equal(with.points, alone.points, 3 * (size_t)with.point_count * sizeof(float));
    fm_triangles_free(&alone);
    fm_triangles_free(&with);
    free(c.points);
}

static void test_spacing_is_found(void **state)
{
    (void)state;
    crowd c = {.spacing = 0.04};
    add_ball(&c, (fm_vec3){0, 0, 0}, 0.4);
    fm_error err = {0};
    fm_triangles t;
    fm_fluid_mesh_def def = fm_default_fluid_mesh_def();
    assert_true(fm_fluid_mesh_make(c.points, c.count, &def, &t, &err));
    double area, held = c.count * 0.04 * 0.04 * 0.04;
    assert_in_interval(find_volume(&t, &area) / held, 0.9, 1.2);
    fm_triangles_free(&t);
    free(c.points);
}

static void test_bad_definitions_are_refused(void **state)
{
    (void)state;
    const fm_fluid_mesh_def bad[4] = {{.spacing = -1, .cells = 2},
                                      {.spacing = 1, .cells = 0.5},
                                      {.spacing = 1, .cells = 2, .smoothing = -1},
                                      {.spacing = 1, .cells = 2, .threads = 300}};
    static const char *const field[4] = {"spacing", "cells", "smoothing", "threads"};
    const float point[3] = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        fm_error err = {0};
        fm_triangles t;
        assert_false(fm_fluid_mesh_make(point, 1, &bad[i], &t, &err));
        assert_non_null(strstr(err.text, field[i]));
        assert_null(t.points);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball_is_a_sphere),
        cmocka_unit_test(test_still_water_is_flat),
        cmocka_unit_test(test_thin_sheet_stays),
        cmocka_unit_test(test_drops_stay),
        cmocka_unit_test(test_layer_becomes_a_slab),
        cmocka_unit_test(test_any_field_gives_a_closed_surface),
        cmocka_unit_test(test_all_cases_are_closed),
        cmocka_unit_test(test_deep_blocks_are_passed_over),
        cmocka_unit_test(test_nothing_gives_nothing),
        cmocka_unit_test(test_stray_particles_do_no_harm),
        cmocka_unit_test(test_spacing_is_found),
        cmocka_unit_test(test_bad_definitions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
