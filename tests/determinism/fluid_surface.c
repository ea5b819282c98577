// SPDX-License-Identifier: MIT
// fluid_surface.c: the surface of a fluid has the same bits for any number of threads.
#include "fluid_fixture.h"

static void test_threads_do_not_matter(void **state)
{
    (void)state;
    crowd c = {.spacing = 0.02, .jitter = 0.3, .rng = {1}};
    add_block(&c, (fm_vec3){0, 0, 0}, 24, 12, 20);
    add_ball(&c, (fm_vec3){0.2, 0.5, 0.2}, 0.13);
    c.jitter = 12;
    for (int i = 0; i < 200; i++)
        add_particle(&c, 0.3, 0.5, 0.3);
    fm_triangles one = make_surface(&c, 1);
    assert_true(one.triangle_count > 10000);
    for (int threads = 2; threads <= 8; threads = 2 * threads - 1) {
        fm_triangles many = make_surface(&c, threads);
        assert_int_equal(many.point_count, one.point_count);
        assert_int_equal(many.triangle_count, one.triangle_count);
        size_t points = 3 * (size_t)one.point_count * sizeof(float);
        assert_memory_equal(many.points, one.points, points);
        assert_memory_equal(many.normals, one.normals, points);
        assert_memory_equal(many.triangles, one.triangles,
                            3 * (size_t)one.triangle_count * sizeof(int));
        fm_triangles_free(&many);
    }
    fm_triangles_free(&one);
    free(c.points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads_do_not_matter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
