// SPDX-License-Identifier: MIT
// clear.c: rays through clear matter follow Snell, Fresnel, Beer and Lambert.
#include "check.h"
#include "render/render.h"

static const double N = 1.333;

typedef struct glass {
    fm_error err;
    fm_drawing *drawing;
    fm_ray_device *device;
    fm_tracer *tracer;
    fm_shot shot;
    fm_tally tally;
} glass;

// A clear cube from -1 to 1; a metre leaves a half, 0.8 and all of red, green and blue.
static int open_glass(void **state)
{
    static glass g;
    g = (glass){.drawing = NULL};
    fm_paint paint = fm_clear_paint();
    paint.refraction = (float)N;
    paint.clear = (fm_color){0.5f, 0.8f, 1};
    paint.depth = 1;
    fm_shape box = {.kind = FM_SHAPE_BOX, .half_size = {1, 1, 1}, .rotation = {0, 0, 0, 1}};
    g.drawing = fm_drawing_create(&g.err);
    fm_drawing_add_shape(g.drawing, &box, &paint, &g.err);
    g.device = fm_ray_device_create(&g.err);
    g.tracer = fm_tracer_create(g.device, g.drawing, &g.err);
    g.shot = (fm_shot){.drawing = g.drawing, .tracer = g.tracer, .size = 1, .floor_y = -10};
    *state = &g;
    return g.err.status == FM_OK ? 0 : -1;
}

static int close_glass(void **state)
{
    glass *g = *state;
    fm_tracer_destroy(g->tracer);
    fm_ray_device_destroy(g->device);
    fm_drawing_destroy(g->drawing);
    return 0;
}

static fm_float3 cross_one(glass *g, fm_float3 *origin, fm_float3 *d)
{
    fm_hit hit;
    assert_true(fm_tracer_hit(g->tracer, &g->tally, FM_PART_ALL, *origin, *d, 0, 100, false, &hit));
    assert_true(fm_hit_is_clear(&g->shot, &hit));
    return fm_clear_cross(&g->shot, &hit, origin, d);
}

static fm_float3 tilted(double degrees)
{
    double a = degrees * FM_PI / 180;
    return fm_f3((float)sin(a), (float)-cos(a), 0);
}

static void test_straight_down(void **state)
{
    glass *g = *state;
    fm_float3 origin = {0.1f, 3, 0.2f}, d = {0, -1, 0};
    double mirrored = (N - 1) / (N + 1) * (N - 1) / (N + 1);
    fm_float3 left = cross_one(g, &origin, &d);
    assert_close(left.x, 1 - mirrored, 1e-5);
    assert_close(d.y, -1, 1e-6);
    left = cross_one(g, &origin, &d); // 2 m of it, and out
    assert_close(left.x, 0.25 * (1 - mirrored), 1e-3);
    assert_close(left.y, 0.64 * (1 - mirrored), 1e-3);
    assert_close(left.z, 1 - mirrored, 1e-5);
}

static void test_rays_are_bent(void **state)
{
    glass *g = *state;
    for (int degrees = 10; degrees <= 80; degrees += 10) {
        fm_float3 d = tilted(degrees), origin = fm_f3_along(fm_f3(0, 1, 0), -2, d);
        cross_one(g, &origin, &d);
        assert_close(d.x, sin(degrees * FM_PI / 180) / N, 1e-5);
        assert_close(fm_f3_length(d), 1, 1e-5);
    }
    // Brewster's angle: of one polarisation all goes in
    fm_float3 d = tilted(atan(N) * 180 / FM_PI), origin = fm_f3_along(fm_f3(0, 1, 0), -2, d);
    double s = (N * N - 1) / (N * N + 1);
    assert_close(cross_one(g, &origin, &d).x, 1 - s * s / 2, 1e-5);
}

static void test_total_reflection(void **state)
{
    glass *g = *state;
    double critical = asin(1 / N) * 180 / FM_PI;
    fm_float3 origin = {-0.5f, 0, 0}, d = tilted(critical - 1);
    cross_one(g, &origin, &d);
    assert_true(d.x > 0.97f && d.y < 0); // out, nearly along the face
    origin = fm_f3(-0.5f, 0, 0);
    d = tilted(critical + 1);
    fm_float3 before = d, left = cross_one(g, &origin, &d);
    assert_close(d.x, before.x, 1e-5);
    assert_close(d.y, -before.y, 1e-5);
    assert_close(left.z, 1, 1e-6);
}

static void test_light_goes_through(void **state)
{
    glass *g = *state;
    fm_path p = {.shot = &g->shot, .tally = &g->tally};
    double through = 1 - (N - 1) / (N + 1) * (N - 1) / (N + 1);
    fm_float3 left = fm_clear_left(&p, fm_f3(0, -3, 0), fm_f3(0, 1, 0));
    assert_close(left.x, 0.25 * through * through, 2e-3);
    left = fm_clear_left(&p, fm_f3(0, 0, 0), fm_f3(0, 1, 0)); // from inside
    assert_close(left.y, 0.8 * through, 2e-3);
    left = fm_clear_left(&p, fm_f3(3, -3, 0), fm_f3(0, 1, 0)); // beside
    assert_close(left.x, 1, 0);
    assert_false(fm_tracer_is_blocked(g->tracer, &g->tally, fm_f3(0, -3, 0), fm_f3(0, 1, 0), 0, 9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_straight_down, open_glass, close_glass),
        cmocka_unit_test_setup_teardown(test_rays_are_bent, open_glass, close_glass),
        cmocka_unit_test_setup_teardown(test_total_reflection, open_glass, close_glass),
        cmocka_unit_test_setup_teardown(test_light_goes_through, open_glass, close_glass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
