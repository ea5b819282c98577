// SPDX-License-Identifier: MIT
// fluid_surface.c: the surface reconstructed from fluid particles has the same bits with 1, 2, 3
// and 5 threads.
#include "fluid_fixture.h"

static void the_surface_of_a_fluid_has_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    particle_list particles = {.spacing = 0.02, .jitter = 0.3, .rng = {1}};
    add_block(&particles, (fm_vec3){0, 0, 0}, 24, 12, 20);
    add_ball(&particles, (fm_vec3){0.2, 0.5, 0.2}, 0.13);
    particles.jitter = 12; // scattered drops: 200 particles within 12 spacings of one point
    for (int i = 0; i < 200; i++)
        add_particle(&particles, 0.3, 0.5, 0.3);
    fm_surface *one = create_surface(&particles, 1);
    assert_true(one->face_count > 10000);
    for (int threads = 2; threads <= 8; threads = 2 * threads - 1) {
        fm_surface *many = create_surface(&particles, threads);
        assert_int_equal(many->point_count, one->point_count);
        assert_int_equal(many->face_count, one->face_count);
        size_t points = 3 * (size_t)one->point_count * sizeof(float);
        assert_memory_equal(many->points, one->points, points);
        assert_memory_equal(many->fields[0].values, one->fields[0].values, points);
        assert_memory_equal(many->face_points, one->face_points,
                            3 * (size_t)one->face_count * sizeof(int));
        fm_surface_destroy(many);
    }
    fm_surface_destroy(one);
    free(particles.points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_surface_of_a_fluid_has_the_same_bits_for_any_number_of_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
