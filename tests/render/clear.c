// SPDX-License-Identifier: MIT
// clear.c: rays through transparent materials obey the laws of Snell, Fresnel and Beer-Lambert.
#include "check.h"
#include "render/render.h"

static const double N = 1.333; // index of refraction

// A transparent cube, ready for tracing rays.
typedef struct glass {
    fm_error err;
    fm_drawing *drawing;   // the cube
    fm_ray_device *device; // of the ray tracing library
    fm_tracer *tracer;     // the drawing, prepared for tracing
    fm_shot shot;          // what shading needs: drawing, tracer, floor
    fm_ray_stats stats;    // counts rays; not checked here
} glass;

// Creates a transparent cube from -1 to 1 m; 1 m transmits 0.5, 0.8 and 1 of red, green and blue.
static int create_glass(void **state)
{
    static glass g;
    g = (glass){.drawing = NULL};
    fm_paint paint = fm_paint_clear_water();
    paint.refraction = (float)N;
    paint.transmittance = (fm_color){0.5f, 0.8f, 1};
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

static int destroy_glass(void **state)
{
    glass *g = *state;
    fm_tracer_destroy(g->tracer);
    fm_ray_device_destroy(g->device);
    fm_drawing_destroy(g->drawing);
    return 0;
}

// Traces a ray to the next face of the cube and refracts it there: *origin and *d become those of
// the refracted ray. Returns the transmitted fractions of red, green and blue light.
static fm_float3 refract_at_next_surface(glass *g, fm_float3 *origin, fm_float3 *d)
{
    fm_ray_hit hit;
    assert_true(fm_tracer_intersect(g->tracer, &g->stats, FM_RAY_SCENE_ALL, *origin, *d, 0, 100,
                                    false, &hit));
    assert_true(fm_ray_hit_is_transparent(&g->shot, &hit));
    return fm_shade_refract_ray(&g->shot, &hit, origin, d);
}

// A downward direction in the xy plane, at this angle from the vertical.
static fm_float3 direction_at_angle(double degrees)
{
    double a = degrees * FM_PI / 180;
    return fm_f3((float)sin(a), (float)-cos(a), 0);
}

static void a_vertical_ray_loses_fresnel_reflection_and_absorption(void **state)
{
    glass *g = *state;
    fm_float3 origin = {0.1f, 3, 0.2f}, d = {0, -1, 0};
    double reflectance = (N - 1) / (N + 1) * (N - 1) / (N + 1); // Fresnel, at normal incidence
    fm_float3 transmittance = refract_at_next_surface(g, &origin, &d);
    assert_close(transmittance.x, 1 - reflectance, 1e-5);
    assert_close(d.y, -1, 1e-6);
    // through 2 m of the cube and out of it
    transmittance = refract_at_next_surface(g, &origin, &d);
    assert_close(transmittance.x, 0.25 * (1 - reflectance), 1e-3);
    assert_close(transmittance.y, 0.64 * (1 - reflectance), 1e-3);
    assert_close(transmittance.z, 1 - reflectance, 1e-5);
}

static void rays_are_refracted_by_snells_law(void **state)
{
    glass *g = *state;
    for (int degrees = 10; degrees <= 80; degrees += 10) {
        fm_float3 d = direction_at_angle(degrees), origin = fm_f3_add_scaled(fm_f3(0, 1, 0), -2, d);
        refract_at_next_surface(g, &origin, &d);
        assert_close(d.x, sin(degrees * FM_PI / 180) / N, 1e-5);
        assert_close(fm_f3_length(d), 1, 1e-5);
    }
    // at Brewster's angle one polarisation is fully transmitted
    fm_float3 d = direction_at_angle(atan(N) * 180 / FM_PI),
              origin = fm_f3_add_scaled(fm_f3(0, 1, 0), -2, d);
    double s = (N * N - 1) / (N * N + 1); // amplitude reflectance of the other polarisation
    assert_close(refract_at_next_surface(g, &origin, &d).x, 1 - s * s / 2, 1e-5);
}

static void rays_beyond_the_critical_angle_are_totally_reflected(void **state)
{
    glass *g = *state;
    double critical = asin(1 / N) * 180 / FM_PI;
    fm_float3 origin = {-0.5f, 0, 0}, d = direction_at_angle(critical - 1);
    refract_at_next_surface(g, &origin, &d);
    assert_true(d.x > 0.97f && d.y < 0); // leaves the cube, nearly parallel to the face
    origin = fm_f3(-0.5f, 0, 0);
    d = direction_at_angle(critical + 1);
    fm_float3 before = d, transmittance = refract_at_next_surface(g, &origin, &d);
    assert_close(d.x, before.x, 1e-5);
    assert_close(d.y, -before.y, 1e-5);
    assert_close(transmittance.z, 1, 1e-6);
}

static void shadow_rays_are_attenuated_and_not_occluded(void **state)
{
    glass *g = *state;
    fm_pixel_sample p = {.shot = &g->shot, .stats = &g->stats};
    double through = 1 - (N - 1) / (N + 1) * (N - 1) / (N + 1); // transmitted by one face
    fm_float3 transmittance = fm_shade_shadow_transmittance(&p, fm_f3(0, -3, 0), fm_f3(0, 1, 0));
    assert_close(transmittance.x, 0.25 * through * through, 2e-3);
    // a ray that starts inside the cube
    transmittance = fm_shade_shadow_transmittance(&p, fm_f3(0, 0, 0), fm_f3(0, 1, 0));
    assert_close(transmittance.y, 0.8 * through, 2e-3);
    // a ray that passes beside the cube
    transmittance = fm_shade_shadow_transmittance(&p, fm_f3(3, -3, 0), fm_f3(0, 1, 0));
    assert_close(transmittance.x, 1, 0);
    assert_false(
        fm_tracer_is_occluded(g->tracer, &g->stats, fm_f3(0, -3, 0), fm_f3(0, 1, 0), 0, 9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_vertical_ray_loses_fresnel_reflection_and_absorption,
                                        create_glass, destroy_glass),
        cmocka_unit_test_setup_teardown(rays_are_refracted_by_snells_law, create_glass,
                                        destroy_glass),
        cmocka_unit_test_setup_teardown(rays_beyond_the_critical_angle_are_totally_reflected,
                                        create_glass, destroy_glass),
        cmocka_unit_test_setup_teardown(shadow_rays_are_attenuated_and_not_occluded, create_glass,
                                        destroy_glass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
