// SPDX-License-Identifier: MIT
// solids.c: cylinders, cones, tapered capsules and ellipsoids: distances against sampled surfaces
// and known values, normals against finite differences, convexity, and particles at points with
// several closest points.
#include "check.h"
#include "collide/collide.h"
#include "random.h"

// The tested shapes.
static const fm_shape_kind kinds[] = {FM_SHAPE_CYLINDER, FM_SHAPE_CONE, FM_SHAPE_ELLIPSOID,
                                      FM_SHAPE_CAPSULE};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

// A random shape. round: number of the shape; every third cone has a tip, and every fourth
// ellipsoid two equal axes.
static fm_shape random_shape(fm_rng *rng, fm_shape_kind kind, int round)
{
    fm_vec3 centre = random_vector(rng, 1);
    fm_shape shape = {
        .kind = kind,
        .centre = centre,
        .start = centre,
        .end = fm_add_scaled(centre, random_direction(rng), between(rng, 0.4, 1.2)),
        .radius = between(rng, 0.1, 0.6),
        .end_radius = round % 3 == 0 ? 0 : between(rng, 0.05, 0.6),
        .half_size = {between(rng, 0.05, 0.6), between(rng, 0.05, 0.6), between(rng, 0.05, 0.6)},
        .rotation = fm_quat_from_rotation_vector(random_vector(rng, 2)),
    };
    if (round % 4 == 1) // an ellipsoid of revolution
        shape.half_size.y = shape.half_size.x;
    fm_error err = {0};
    assert_true(fm_shape_check(&shape, "shape", &err));
    return shape;
}

// A random point on one of the two end discs or on the side of a cone. part: position along the
// axis, 0 to 1 on the side, below 0 on the first disc, above 1 on the second.
static fm_vec3 sample_cone(fm_rng *rng, const fm_shape *s, double end_radius)
{
    fm_vec3 axis = fm_sub(s->end, s->start), across = fm_cross(axis, random_direction(rng));
    fm_normalize(&across);
    double part = between(rng, -1, 2), share = fmin(fmax(part, 0), 1);
    double radius = s->radius + share * (end_radius - s->radius);
    if (part != share)
        radius *= sqrt(fm_rng_uniform(rng));
    return fm_add_scaled(fm_add_scaled(s->start, axis, share), across, radius);
}

// A random point on the surface of a cylinder, cone or ellipsoid.
static fm_vec3 sample_surface(fm_rng *rng, const fm_shape *s)
{
    if (s->kind == FM_SHAPE_CYLINDER || s->kind == FM_SHAPE_CONE)
        return sample_cone(rng, s, s->kind == FM_SHAPE_CONE ? s->end_radius : s->radius);
    fm_vec3 u = random_direction(rng), h = s->half_size;
    return fm_add(s->centre,
                  fm_quat_rotate(s->rotation, (fm_vec3){h.x * u.x, h.y * u.y, h.z * u.z}));
}

// Distance to a tapered capsule, as the least distance to the spheres it consists of: exact outside
// and inside.
static double sampled_capsule(const fm_shape *s, fm_vec3 p)
{
    double least = INFINITY;
    for (int i = 0; i <= 20000; i++) {
        double share = i / 20000.0, r = s->radius + share * (s->end_radius - s->radius);
        fm_vec3 centre = fm_add_scaled(s->start, fm_sub(s->end, s->start), share);
        least = fmin(least, fm_length(fm_sub(p, centre)) - r);
    }
    return least;
}

// Distance of p from a shape by a search over random surface points, m. Also asserts that these are
// inside the bounding box from low to high.
static double sampled_distance(fm_rng *rng, const fm_shape *shape, fm_vec3 p, const fm_vec3 *low,
                               const fm_vec3 *high)
{
    double least = INFINITY;
    for (int s = 0; s < 20000; s++) {
        fm_vec3 sample = sample_surface(rng, shape);
        assert_true(sample.x >= low->x - 1e-12 && sample.x <= high->x + 1e-12);
        assert_true(sample.y >= low->y - 1e-12 && sample.y <= high->y + 1e-12);
        assert_true(sample.z >= low->z - 1e-12 && sample.z <= high->z + 1e-12);
        least = fmin(least, fm_length(fm_sub(p, sample)));
    }
    return least;
}

// No sample of the surface is nearer than the distance, and the nearest sample is not much further.
static void no_sampled_surface_point_is_closer(void **state)
{
    (void)state;
    fm_rng rng = {17};
    for (int round = 0; round < 12 * KIND_COUNT; round++) {
        fm_shape shape = random_shape(&rng, kinds[round % KIND_COUNT], round / KIND_COUNT);
        fm_vec3 low, high;
        fm_shape_find_bounds(&shape, &low, &high);
        for (int i = 0; i < 6; i++) {
            fm_vec3 p = fm_add(shape.centre, random_vector(&rng, i < 3 ? 0.3 : 1.5));
            fm_contact contact = fm_shape_find_contact(&shape, p);
            assert_close(fm_length(contact.normal), 1, 1e-13);
            fm_vec3 back = fm_add_scaled(contact.point, contact.normal, contact.distance);
            assert_at_most(fm_length(fm_sub(back, p)), 1e-12);
            assert_close(fm_shape_find_contact(&shape, contact.point).distance, 0, 1e-13);
            if (shape.kind == FM_SHAPE_CAPSULE) {
                assert_close(contact.distance, sampled_capsule(&shape, p), 1e-7);
                continue;
            }
            double nearest = sampled_distance(&rng, &shape, p, &low, &high);
            assert_at_most(fabs(contact.distance), nearest + 1e-12);
            assert_at_most(nearest - fabs(contact.distance), 0.03);
        }
    }
}

// Along rays from the centre the sign of the distance changes at the surface.
static void the_sign_of_the_distance_changes_at_the_surface(void **state)
{
    (void)state;
    fm_rng rng = {19};
    for (int round = 0; round < 400; round++) {
        fm_shape shape = random_shape(&rng, kinds[round % 3], round / 3);
        fm_vec3 middle = shape.kind == FM_SHAPE_ELLIPSOID
                             ? shape.centre
                             : fm_add_scaled(shape.start, fm_sub(shape.end, shape.start), 0.5);
        fm_vec3 surface = sample_surface(&rng, &shape), ray = fm_sub(surface, middle);
        assert_true(fm_shape_find_contact(&shape, fm_add_scaled(middle, ray, 0.9)).distance < 0);
        assert_true(fm_shape_find_contact(&shape, fm_add_scaled(middle, ray, 1.1)).distance > 0);
        assert_close(fm_shape_find_contact(&shape, surface).distance, 0, 1e-12);
    }
}

// The gradient of the distance is the normal, and |d(a) - d(b)| <= |a - b|. The distance of a
// convex solid is a convex function, which particle_response.c relies on.
static void normals_are_gradients_of_convex_distances(void **state)
{
    (void)state;
    fm_rng rng = {23};
    int compared = 0;
    for (int round = 0; round < 4000; round++) {
        fm_shape shape = random_shape(&rng, kinds[round % KIND_COUNT], round / KIND_COUNT);
        fm_vec3 p = fm_add(shape.centre, random_vector(&rng, 1)), q = random_vector(&rng, 2);
        fm_contact c = fm_shape_find_contact(&shape, p);
        double distance_q = fm_shape_find_contact(&shape, q).distance;
        assert_at_most(fabs(distance_q - c.distance), fm_length(fm_sub(p, q)) + 1e-12);
        // convex: the tangent plane at p is a lower bound
        assert_at_most(c.distance + fm_dot(c.normal, fm_sub(q, p)), distance_q + 1e-12);
        const double h = 1e-6;  // m, for central differences
        double d[3], error = 0; // gradient of the distance; its largest deviation from the normal
        fm_vec3 e[3] = {{h, 0, 0}, {0, h, 0}, {0, 0, h}};
        double n[3] = {c.normal.x, c.normal.y, c.normal.z};
        for (int k = 0; k < 3; k++) {
            d[k] = (fm_shape_find_contact(&shape, fm_add(p, e[k])).distance -
                    fm_shape_find_contact(&shape, fm_sub(p, e[k])).distance) /
                   (2 * h);
            error = fmax(error, fabs(d[k] - n[k]));
        }
        // where two surface points are equally near, the distance has no gradient
        double slope = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        if (slope < 0.99)
            continue;
        compared++;
        assert_at_most(error, 1e-4);
    }
    assert_true(compared > 3800);
}

// Asserts the signed distance of p from a shape, m, and the normal at the closest surface point.
static void expect_distance(fm_shape shape, fm_vec3 p, double distance, fm_vec3 normal)
{
    fm_error err = {0};
    assert_true(fm_shape_check(&shape, "shape", &err));
    fm_contact contact = fm_shape_find_contact(&shape, p);
    assert_close(contact.distance, distance, 1e-14);
    assert_at_most(fm_length(fm_sub(contact.normal, normal)), 1e-14);
}

static void distances_from_curved_shapes_have_known_values(void **state)
{
    (void)state;
    fm_shape can = {.kind = FM_SHAPE_CYLINDER, .end = {0, 4, 0}, .radius = 1};
    expect_distance(can, (fm_vec3){3, 2, 0}, 2, (fm_vec3){1, 0, 0});
    expect_distance(can, (fm_vec3){0.5, 7, 0}, 3, (fm_vec3){0, 1, 0});
    expect_distance(can, (fm_vec3){0.5, 0.25, 0}, -0.25, (fm_vec3){0, -1, 0});
    expect_distance(can, (fm_vec3){4, 8, 0}, 5, (fm_vec3){0.6, 0.8, 0});
    fm_shape hat = {.kind = FM_SHAPE_CONE, .end = {0, 4, 0}, .radius = 3};
    expect_distance(hat, (fm_vec3){0, 6, 0}, 2, (fm_vec3){0, 1, 0});
    expect_distance(hat, (fm_vec3){1.5 + 0.8, 2 + 0.6, 0}, 1, (fm_vec3){0.8, 0.6, 0});
    expect_distance(hat, (fm_vec3){1, 0.5, 0}, -0.5, (fm_vec3){0, -1, 0});
    expect_distance(hat, (fm_vec3){6, -4, 0}, 5, (fm_vec3){0.6, -0.8, 0});
    hat.end_radius = 1.5; // truncated
    expect_distance(hat, (fm_vec3){0.5, 5, 0}, 1, (fm_vec3){0, 1, 0});
    fm_shape egg = {.kind = FM_SHAPE_ELLIPSOID, .half_size = {3, 2, 1}};
    expect_distance(egg, (fm_vec3){5, 0, 0}, 2, (fm_vec3){1, 0, 0});
    expect_distance(egg, (fm_vec3){0, -2.5, 0}, 0.5, (fm_vec3){0, -1, 0});
    expect_distance(egg, (fm_vec3){0, 0, 0}, -1, (fm_vec3){0, 0, 1});
    fm_shape ball = {.kind = FM_SHAPE_ELLIPSOID, .half_size = {2, 2, 2}};
    expect_distance(ball, (fm_vec3){3, 4, 0}, 3, (fm_vec3){0.6, 0.8, 0});
    expect_distance(ball, (fm_vec3){0.3, 0.4, 0}, -1.5, (fm_vec3){0.6, 0.8, 0});
    // a capsule whose side is inclined to its axis by an angle with the sine (4 - 1)/5
    fm_shape drop = {.kind = FM_SHAPE_CAPSULE, .end = {0, 5, 0}, .radius = 4, .end_radius = 1};
    expect_distance(drop, (fm_vec3){0, 8, 0}, 2, (fm_vec3){0, 1, 0});
    expect_distance(drop, (fm_vec3){4, 5, 0}, 2.2, (fm_vec3){0.8, 0.6, 0});
    drop.end = (fm_vec3){0, 2, 0}; // one sphere contains the other
    expect_distance(drop, (fm_vec3){0, 7, 0}, 3, (fm_vec3){0, 1, 0});
}

// A particle at a point with several closest surface points (axes, planes, centres) is still moved
// out.
static void a_particle_at_a_centre_or_axis_is_moved_out(void **state)
{
    (void)state;
    fm_rng rng = {29};
    for (int round = 0; round < 600; round++) {
        fm_arena arena = {0};
        fm_error err = {0};
        fm_collider_def def = fm_default_collider_def();
        def.shape = random_shape(&rng, kinds[round % KIND_COUNT], round / KIND_COUNT);
        if (round % 5 == 0)
            def.shape.half_size = (fm_vec3){0.3, 0.3, 0.3};
        fm_placed_collider placed =
            fm_collider_place(fm_collider_create_in_arena(&arena, &def, &err), 0);
        fm_vec3 p = def.shape.centre, v = {0};
        if (def.shape.kind != FM_SHAPE_ELLIPSOID)
            p = fm_add_scaled(def.shape.start, fm_sub(def.shape.end, def.shape.start),
                              round % 2 ? fm_rng_uniform(&rng) : 0);
        else if (round % 2)
            p = fm_add(p, fm_quat_rotate(def.shape.rotation, (fm_vec3){0.02, 0, 1e-17}));
        fm_contact contact = fm_placed_find_contact(&placed, p);
        assert_close(fm_length(contact.normal), 1, 1e-13);
        assert_true(fm_collide_particle(&placed, 1, 1e-3, &p, &v, NULL));
        double distance = fm_placed_find_contact(&placed, p).distance;
        assert_true(distance >= 1e-3);
        assert_at_most(distance, 1e-3 + 1e-11);
        fm_arena_destroy(&arena);
    }
}

static void extreme_ellipsoids_have_accurate_closest_points(void **state)
{
    (void)state;
    fm_rng rng = {31};
    for (int round = 0; round < 2000; round++) {
        fm_shape egg = {.kind = FM_SHAPE_ELLIPSOID,
                        .half_size = {pow(10, between(&rng, -4, 2)), pow(10, between(&rng, -4, 2)),
                                      pow(10, between(&rng, -4, 2))},
                        .rotation = {0, 0, 0, 1}};
        fm_vec3 p = random_vector(&rng, pow(10, between(&rng, -5, 2)));
        fm_contact c = fm_shape_find_contact(&egg, p);
        double x = c.point.x / egg.half_size.x, y = c.point.y / egg.half_size.y,
               z = c.point.z / egg.half_size.z;
        assert_close(x * x + y * y + z * z, 1, 1e-12);
        fm_vec3 back = fm_add_scaled(c.point, c.normal, c.distance);
        assert_at_most(fm_length(fm_sub(back, p)), 1e-10 * (fm_length(p) + fm_length(c.point)));
    }
}

static void bad_shapes_are_refused(void **state)
{
    (void)state;
    struct {
        fm_shape shape;
        const char *field;
    } cases[] = {
        {{.kind = FM_SHAPE_CYLINDER, .end = {0, 1, 0}}, "shape.radius"},
        {{.kind = FM_SHAPE_CYLINDER, .radius = 1}, "shape.end"},
        {{.kind = FM_SHAPE_CONE, .radius = 1, .end_radius = -1, .end = {0, 1, 0}},
         "shape.end_radius"},
        {{.kind = FM_SHAPE_CAPSULE, .radius = 1, .end_radius = NAN}, "shape.end_radius"},
        {{.kind = FM_SHAPE_ELLIPSOID, .half_size = {1, 0, 1}}, "shape.half_size"},
        {{.kind = (fm_shape_kind)99}, "shape.kind"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fm_error err = {0};
        assert_false(fm_shape_check(&cases[i].shape, "collider", &err));
        assert_int_equal(err.status, FM_BAD_VALUE);
        assert_string_equal(err.field, cases[i].field);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_sampled_surface_point_is_closer),
        cmocka_unit_test(the_sign_of_the_distance_changes_at_the_surface),
        cmocka_unit_test(normals_are_gradients_of_convex_distances),
        cmocka_unit_test(distances_from_curved_shapes_have_known_values),
        cmocka_unit_test(a_particle_at_a_centre_or_axis_is_moved_out),
        cmocka_unit_test(extreme_ellipsoids_have_accurate_closest_points),
        cmocka_unit_test(bad_shapes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
