// SPDX-License-Identifier: MIT
// fluid_surface.c: the surface reconstructed from particles is closed, accurate and flat.
#include "draw/fluid_surface.h"
#include "fluid_fixture.h"

// Compares two half-edges, for qsort.
static int compare_edges(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(int));
}

// Asserts that a surface is closed: each half-edge a -> b of a triangle has exactly one opposite b
// -> a in another triangle. Both lists are sorted and compared.
static void assert_closed(const fm_surface *t)
{
    size_t n = 3 * (size_t)t->face_count;
    int(*edges)[2] = malloc(n * sizeof *edges + 1),
    (*opposite)[2] = malloc(n * sizeof *opposite + 1);
    for (size_t i = 0; i < n; i++) {
        int a = t->face_points[i], b = t->face_points[i % 3 == 2 ? i - 2 : i + 1];
        assert_true(a >= 0 && a < t->point_count && a != b);
        edges[i][0] = opposite[i][1] = a;
        edges[i][1] = opposite[i][0] = b;
    }
    qsort(edges, n, sizeof *edges, compare_edges);
    qsort(opposite, n, sizeof *opposite, compare_edges);
    assert_memory_equal(edges, opposite, n * sizeof *edges);
    for (size_t i = 1; i < n; i++)
        assert_int_not_equal(compare_edges(edges[i - 1], edges[i]), 0);
    free(edges);
    free(opposite);
}

// Volume enclosed by a closed triangle mesh; *area: its surface area.
static double compute_volume(const fm_surface *t, double *area)
{
    double volume = 0;
    *area = 0;
    for (int i = 0; i < t->face_count; i++) {
        const int *corner = t->face_points + 3 * (size_t)i;
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

// Volume and area of the surface around a ball of particles with radius 1, relative to the sphere
// with the volume of all particles.
static void measure_ball(double spacing, double jitter, double *volume, double *area)
{
    particle_list particles = {.spacing = spacing, .jitter = jitter, .rng = {7}};
    add_ball(&particles, (fm_vec3){0.3, -2, 1}, 1);
    fm_surface *t = create_surface(&particles, 1);
    assert_closed(t);
    double particle_volume = particles.count * spacing * spacing * spacing,
           radius = cbrt(particle_volume * 3 / (4 * FM_PI));
    *volume = compute_volume(t, area) / particle_volume;
    *area /= 4 * FM_PI * radius * radius;
    for (int i = 0; i < t->point_count; i++) { // normals point outwards
        const float *p = t->points + 3 * (size_t)i, *n = t->fields[0].values + 3 * (size_t)i;
        fm_float3 out = fm_f3_unit(fm_f3(p[0] - 0.3f, p[1] + 2, p[2] - 1));
        assert_in_interval(fm_f3_dot(out, fm_f3_load(n)), 0.9, 1 + 1e-5);
    }
    fm_surface_destroy(t);
    free(particles.points);
}

static void a_ball_of_particles_keeps_its_volume_and_area(void **state)
{
    (void)state;
    double volume[3], area[3], spacing = 0.25;
    for (int i = 0; i < 3; i++, spacing /= 2)
        measure_ball(spacing, 0, &volume[i], &area[i]);
    assert_close(volume[0], 1, 0.04); // radius of 4 spacings
    assert_close(area[0], 1, 0.04);
    assert_close(volume[2], 1, 0.005); // radius of 16 spacings
    assert_close(area[2], 1, 0.01);
    double order = log2((1 - volume[0]) / (1 - volume[2])) / 2; // in the spacing, halved twice
    assert_in_interval(order, 1.5, 3);
    measure_ball(0.125, 0.2, &volume[0], &area[0]);
    assert_close(volume[0], 1, 0.02);
    assert_close(area[0], 1, 0.02);
}

// The top of a block of water, away from its sides: mean height and rms deviation in spacings, rms
// slope in degrees.
static void measure_top(double jitter, double *height, double *roughness, double *slope)
{
    particle_list particles = {.spacing = 0.01, .jitter = jitter, .rng = {3}};
    add_block(&particles, (fm_vec3){0, 0, 0}, 30, 12, 30);
    fm_surface *t = create_surface(&particles, 1);
    assert_closed(t);
    double sum = 0, squares = 0, slopes = 0;
    int count = 0;
    for (int i = 0; i < t->point_count; i++) {
        const float *p = t->points + 3 * (size_t)i;
        if (p[1] < 0.08f || fabsf(p[0] - 0.15f) > 0.08f || fabsf(p[2] - 0.15f) > 0.08f)
            continue;
        // height above 12 layers of particles, in spacings; y component of the normal
        double y = (p[1] - 0.12) / 0.01, up = fmin(1, t->fields[0].values[3 * (size_t)i + 1]);
        sum += y;
        squares += y * y;
        slopes += acos(up) * acos(up);
        count++;
    }
    assert_true(count > 500);
    *height = sum / count;
    *roughness = sqrt(fmax(0, squares / count - *height * *height));
    *slope = sqrt(slopes / count) * 180 / FM_PI;
    fm_surface_destroy(t);
    free(particles.points);
}

static void still_water_has_a_flat_top(void **state)
{
    (void)state;
    double height, roughness, slope;
    measure_top(0, &height, &roughness, &slope);
    assert_close(height, 0, 0.06); // half a spacing above the topmost particles
    assert_at_most(roughness, 0.01);
    assert_at_most(slope, 0.2);
    measure_top(0.15, &height, &roughness, &slope); // randomly displaced by up to 0.15 spacings
    assert_close(height, 0, 0.08);
    assert_at_most(roughness, 0.04);
    assert_at_most(slope, 1.5);
}

// The layer is horizontal (x and z), so it is not taken for a 2D fluid, which has constant z.
static void a_single_layer_of_particles_keeps_its_volume(void **state)
{
    (void)state;
    particle_list particles = {.spacing = 1};
    double area;
    add_block(&particles, (fm_vec3){0, 0, 0}, 40, 1, 40);
    fm_surface *t = create_surface(&particles, 1);
    assert_closed(t);
    double volume = compute_volume(t, &area);
    assert_in_interval(volume / particles.count, 0.8, 1.2);
    assert_in_interval(area / (2 * 1600), 0.95, 1.1);
    fm_surface_destroy(t);
    free(particles.points);
}

static void single_particles_become_drops(void **state)
{
    (void)state;
    double area;
    for (int count = 1; count <= 3; count++) {
        particle_list particles = {.spacing = 0.02};
        for (int i = 0; i < count; i++)
            add_particle(&particles, 0.5 * i, 1, 0.3 * i);
        fm_surface *t = create_surface(&particles, 1);
        assert_closed(t);
        double particle_volume = count * 0.02 * 0.02 * 0.02;
        assert_in_interval(compute_volume(t, &area) / particle_volume, 0.5, 1.2);
        fm_surface_destroy(t);
        free(particles.points);
    }
}

static void a_2d_fluid_becomes_a_slab_of_five_layers(void **state)
{
    (void)state;
    particle_list particles = {.spacing = 0.1};
    add_block(&particles, (fm_vec3){0, 0, -0.05}, 30, 20, 1);
    fm_surface *t = create_surface(&particles, 1);
    assert_closed(t);
    fm_bounds bounds = fm_bounds_empty();
    fm_bounds_add(&bounds, t->points, t->point_count);
    assert_close(bounds.high.x, 3, 0.03); // m; such a thin slab bulges by a quarter of a spacing
    assert_close(bounds.high.y, 2, 0.03);
    assert_close(bounds.high.z, 0.25, 0.03); // five layers
    assert_close(bounds.low.z, -0.25, 0.03);
    fm_surface_destroy(t);
    free(particles.points);
}

// Around random particles all cases of marching cubes occur next to each other.
static void random_particles_give_a_closed_surface(void **state)
{
    (void)state;
    particle_list particles = {.spacing = 1, .jitter = 9, .rng = {11}};
    for (int i = 0; i < 1500; i++)
        add_particle(&particles, 0, 0, 0);
    for (int k = 2; k <= 4; k++) { // 1 to 2 cells per spacing
        fm_error err = {0};
        fm_fluid_mesh_def def = {.spacing = 1, .cells = 0.5 * k};
        fm_surface *t = fm_fluid_mesh_create(particles.points, particles.count, &def, &err);
        assert_non_null(t);
        assert_true(t->face_count > 1000);
        assert_closed(t);
        fm_surface_destroy(t);
    }
    free(particles.points);
}

static void all_marching_cubes_cases_give_a_closed_surface(void **state)
{
    (void)state;
    fm_rng rng = {5};
    fm_error err = {0};
    for (int round = 0; round < 20; round++) {
        fm_field_block block = {.values = 0};
        float values[FM_FIELD_BLOCK_NODES] = {0};
        fm_fluid_field level = {.cell = 1, .blocks = &block, .block_count = 1, .values = values};
        for (int k = 0; k < 27; k++)
            block.around[k] = k == 13 ? 0 : -1; // 13: the block itself; it has no neighbours
        // random values inside the block, 0 on its border
        for (int i = 0; i < FM_FIELD_BLOCK_NODES; i++) {
            int x = i % FM_FIELD_BLOCK_SIDE, y = i / FM_FIELD_BLOCK_SIDE % FM_FIELD_BLOCK_SIDE,
                z = i / (FM_FIELD_BLOCK_SIDE * FM_FIELD_BLOCK_SIDE);
            bool inner = x > 0 && y > 0 && z > 0 && x < FM_FIELD_BLOCK_SIDE - 1 &&
                         y < FM_FIELD_BLOCK_SIDE - 1 && z < FM_FIELD_BLOCK_SIDE - 1;
            values[i] = inner && fm_rng_uniform(&rng) < 0.5 ? 1 : 0;
        }
        fm_surface *t = fm_fluid_field_extract_surface(&level, NULL, &err);
        assert_non_null(t);
        assert_true(t->face_count > 100);
        assert_closed(t);
        fm_surface_destroy(t);
    }
}

// The reconstruction evaluates its level-set field in blocks and skips blocks deep inside the
// fluid.
static void skipping_blocks_deep_inside_the_fluid_leaves_the_surface_unchanged(void **state)
{
    (void)state;
    particle_list particles = {.spacing = 1};
    add_ball(&particles, (fm_vec3){0, 0, 0}, 20);
    fm_arena arena = {0};
    fm_error err = {0};
    fm_fluid_kernels kernels;
    fm_fluid_field level;
    double *p[3];
    for (int k = 0; k < 3; k++) {
        p[k] = malloc((size_t)particles.count * sizeof(double));
        for (int i = 0; i < particles.count; i++)
            p[k][i] = particles.points[3 * i + k];
    }
    assert_true(
        fm_fluid_kernels_compute(&kernels, &arena, NULL, p[0], p[1], p[2], particles.count, &err));
    assert_true(fm_fluid_field_compute(&level, &kernels, 0.5, NULL, &err));
    int skipped = level.block_count - level.value_count; // blocks without values
    assert_true(skipped >= 27);
    fm_surface *t = fm_fluid_field_extract_surface(&level, NULL, &err);
    assert_non_null(t);
    assert_closed(t);
    for (int i = 0; i < t->point_count; i++) // one surface, and no second one inside
        assert_in_interval(fm_f3_length(fm_f3_load(t->points + 3 * (size_t)i)), 19, 21);
    fm_surface_destroy(t);
    fm_fluid_field_destroy(&level);
    fm_arena_destroy(&arena);
    for (int k = 0; k < 3; k++)
        free(p[k]);
    free(particles.points);
}

static void no_finite_particles_give_an_empty_surface(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_fluid_mesh_def def = fm_default_fluid_mesh_def();
    const float odd[9] = {NAN, 0, 0, 0, INFINITY, 0, 1e30f, 0, 0};
    fm_surface *t = fm_fluid_mesh_create(NULL, 0, &def, &err);
    assert_int_equal(t->face_count, 0);
    fm_surface_destroy(t);
    t = fm_fluid_mesh_create(odd, 3, &def, &err);
    assert_int_equal(t->face_count, 0);
    fm_surface_destroy(t);
    fm_drawing *drawing = fm_drawing_create(&err);
    fm_paint paint = fm_paint_clear_water();
    assert_true(fm_drawing_add_fluid(drawing, odd, 3, &def, &paint, &err));
    assert_int_equal(fm_drawing_dropped_count(drawing), 3);
    fm_drawing_destroy(drawing);
}

static void distant_particles_do_not_change_the_surface(void **state)
{
    (void)state;
    particle_list particles = {.spacing = 0.1};
    add_ball(&particles, (fm_vec3){0, 0, 0}, 0.5);
    fm_surface *alone = create_surface(&particles, 1);
    add_particle(&particles, 1e9, 0, 0);
    add_particle(&particles, NAN, 0, 0);
    fm_surface *with = create_surface(&particles, 1);
    assert_int_equal(with->face_count, alone->face_count);
    assert_memory_equal(with->points, alone->points, 3 * (size_t)with->point_count * sizeof(float));
    fm_surface_destroy(alone);
    fm_surface_destroy(with);
    free(particles.points);
}

static void an_unknown_spacing_is_estimated_from_the_particles(void **state)
{
    (void)state;
    particle_list particles = {.spacing = 0.04};
    add_ball(&particles, (fm_vec3){0, 0, 0}, 0.4);
    fm_error err = {0};
    fm_fluid_mesh_def def = fm_default_fluid_mesh_def();
    fm_surface *t = fm_fluid_mesh_create(particles.points, particles.count, &def, &err);
    assert_non_null(t);
    double area, particle_volume = particles.count * 0.04 * 0.04 * 0.04;
    assert_in_interval(compute_volume(t, &area) / particle_volume, 0.9, 1.2);
    fm_surface_destroy(t);
    free(particles.points);
}

static void reconstruction_settings_out_of_range_are_refused(void **state)
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
        assert_null(fm_fluid_mesh_create(point, 1, &bad[i], &err));
        assert_non_null(strstr(err.text, field[i]));
    }
}

// Air of a cube of 8^3 particles 1 cm apart whose halves approach each other at 2 `speed`, m/s:
// the largest, and the mean of all.
static void find_air(float speed, double *most, double *mean)
{
    enum { N = 8, COUNT = N * N * N };
    static float points[3 * COUNT], velocities[3 * COUNT];
    static fm_foam_particle found[COUNT];
    fm_error err = {0};
    for (int i = 0; i < COUNT; i++) {
        const int at[3] = {i % N, i / N % N, i / N / N};
        for (int a = 0; a < 3; a++) {
            points[3 * i + a] = 0.01f * (float)at[a];
            velocities[3 * i + a] = a == 0 ? (at[0] < N / 2 ? speed : -speed) : 3;
        }
    }
    assert_true(fm_foam_find_air(points, velocities, COUNT, 0.01, 1, found, &err));
    *most = *mean = 0;
    for (int i = 0; i < COUNT; i++) {
        *most = fmax(*most, (double)found[i].air);
        *mean += (double)found[i].air / COUNT;
    }
    double fill = (double)found[COUNT / 2 + N * N / 2 + N / 2].fill;
    assert_true(fill > 0.9 && found[0].fill < 0.5F);
}

static void only_fluid_that_moves_against_itself_at_the_surface_foams(void **state)
{
    (void)state;
    double most, mean, more;
    find_air(0, &most, &mean);
    assert_true(most == 0); // a moving block at rest in itself
    find_air(1, &most, &mean);
    assert_true(most > 0.5 && mean < 0.3);
    find_air(2, &most, &more);
    assert_true(more > mean);
}

static void foam_points_are_near_their_particle_and_spray_has_no_neighbours(void **state)
{
    (void)state;
    const float points[6] = {0, 0, 0, 1, 0, 0}, velocities[6] = {0};
    const float foam[2] = {1, 0};
    const bool spray[2] = {false, true};
    const int ids[2] = {4, 7};
    fm_foam_particle found[2];
    fm_error err = {0};
    assert_true(fm_foam_find_air(points, velocities, 2, 0.01, 1, found, &err));
    assert_true(found[0].fill == 0 && found[1].fill == 0);
    fm_drawing *drawing = fm_drawing_create(&err);
    fm_foam_def def = {.points = points,
                       .velocities = velocities,
                       .found = found,
                       .foam = foam,
                       .spray = spray,
                       .ids = ids,
                       .count = 2,
                       .spacing = 0.01,
                       .amount = 1};
    assert_true(fm_drawing_add_foam(drawing, &def, &err));
    const fm_sphere_list *spheres = &drawing->sphere_lists[0];
    assert_true(spheres->count == 17); // 10 of foam, 7 drops
    for (int i = 0; i < spheres->count; i++) {
        const float *p = spheres->points + 4 * i;
        double x = p[0] - (i < 10 ? 0 : 1), r = sqrt(x * x + (double)(p[1] * p[1] + p[2] * p[2]));
        assert_true(r <= 0.0071 && p[3] > 0 && p[3] < 0.002F);
    }
    fm_drawing_destroy(drawing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_fluid_that_moves_against_itself_at_the_surface_foams),
        cmocka_unit_test(foam_points_are_near_their_particle_and_spray_has_no_neighbours),
        cmocka_unit_test(a_ball_of_particles_keeps_its_volume_and_area),
        cmocka_unit_test(still_water_has_a_flat_top),
        cmocka_unit_test(a_single_layer_of_particles_keeps_its_volume),
        cmocka_unit_test(single_particles_become_drops),
        cmocka_unit_test(a_2d_fluid_becomes_a_slab_of_five_layers),
        cmocka_unit_test(random_particles_give_a_closed_surface),
        cmocka_unit_test(all_marching_cubes_cases_give_a_closed_surface),
        cmocka_unit_test(skipping_blocks_deep_inside_the_fluid_leaves_the_surface_unchanged),
        cmocka_unit_test(no_finite_particles_give_an_empty_surface),
        cmocka_unit_test(distant_particles_do_not_change_the_surface),
        cmocka_unit_test(an_unknown_spacing_is_estimated_from_the_particles),
        cmocka_unit_test(reconstruction_settings_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
