// SPDX-License-Identifier: MIT
// collide.c: colliders: distances against known values and sampled surfaces; particles end outside;
// Coulomb friction; bad definitions are refused.
#include "collide/collide.h"
#include "check.h"
#include "random.h"

#include <string.h>

// Asserts that each component differs by at most the tolerance.
static void assert_vectors_close(fm_vec3 a, fm_vec3 b, double tolerance)
{
    assert_close(a.x, b.x, tolerance);
    assert_close(a.y, b.y, tolerance);
    assert_close(a.z, b.z, tolerance);
}

// A random shape of this kind, up to `spread` m from the origin along each axis.
static fm_shape random_shape(fm_rng *rng, fm_shape_kind kind, double spread)
{
    fm_vec3 centre = random_vector(rng, spread);
    return (fm_shape){
        .kind = kind,
        .centre = centre,
        .normal = random_direction(rng),
        .start = centre,
        .end = fm_add(centre, random_vector(rng, 0.8)),
        .radius = between(rng, 0.1, 0.6),
        .half_size = {between(rng, 0.05, 0.5), between(rng, 0.05, 0.5), between(rng, 0.05, 0.5)},
        .rotation = fm_quat_from_rotation_vector(random_vector(rng, 2)),
    };
}

// Creates a collider that follows a motion; NULL: it is fixed.
static fm_collider *create_collider(fm_arena *arena, fm_shape shape, const fm_motion *motion,
                                    double friction)
{
    fm_error err = {0};
    fm_collider_def def = fm_default_collider_def();
    def.shape = shape;
    def.motion = motion;
    def.friction = friction;
    fm_collider *collider = fm_collider_create_in_arena(arena, &def, &err);
    assert_non_null(collider);
    return collider;
}

// Creates a fixed collider and places it in the world.
static fm_placed_collider place(fm_arena *arena, fm_shape shape, double friction)
{
    return fm_collider_place(create_collider(arena, shape, NULL, friction), 0);
}

static const fm_shape floor_plane = {.kind = FM_SHAPE_PLANE, .normal = {0, 1, 0}};

// Asserts the signed distance of p from a shape, the closest surface point and the normal there.
static void expect_contact(fm_shape shape, fm_vec3 p, double distance, fm_vec3 point,
                           fm_vec3 normal)
{
    fm_arena arena = {0};
    fm_vec3 closest, outward, velocity;
    fm_collider *collider = create_collider(&arena, shape, NULL, 0);
    assert_close(fm_collider_distance(collider, p, 0, &closest, &outward, &velocity), distance,
                 1e-14);
    assert_vectors_close(closest, point, 1e-14);
    assert_vectors_close(outward, normal, 1e-14);
    assert_vectors_close(velocity, (fm_vec3){0}, 0);
    assert_close(fm_collider_distance(collider, p, 5, NULL, NULL, NULL), distance, 1e-14);
    fm_arena_destroy(&arena);
}

static void distances_from_shapes_have_known_values(void **state)
{
    (void)state;
    fm_shape ramp = {.kind = FM_SHAPE_PLANE, .centre = {0, 1, 0}, .normal = {3, 4, 0}};
    expect_contact(ramp, (fm_vec3){3, 5, 2}, 5, (fm_vec3){0, 1, 2}, (fm_vec3){0.6, 0.8, 0});
    expect_contact(ramp, (fm_vec3){-3, -3, 2}, -5, (fm_vec3){0, 1, 2}, (fm_vec3){0.6, 0.8, 0});
    fm_shape ball = {.kind = FM_SHAPE_SPHERE, .centre = {1, 0, 0}, .radius = 2};
    expect_contact(ball, (fm_vec3){1, 5, 0}, 3, (fm_vec3){1, 2, 0}, (fm_vec3){0, 1, 0});
    expect_contact(ball, (fm_vec3){0, 0, 0}, -1, (fm_vec3){-1, 0, 0}, (fm_vec3){-1, 0, 0});
    fm_shape pill = {.kind = FM_SHAPE_CAPSULE, .end = {4, 0, 0}, .radius = 1};
    expect_contact(pill, (fm_vec3){2, 0, 3}, 2, (fm_vec3){2, 0, 1}, (fm_vec3){0, 0, 1});
    expect_contact(pill, (fm_vec3){7, 4, 0}, 4, (fm_vec3){4.6, 0.8, 0}, (fm_vec3){0.6, 0.8, 0});
    expect_contact(pill, (fm_vec3){-1.5, 0, 0}, 0.5, (fm_vec3){-1, 0, 0}, (fm_vec3){-1, 0, 0});
    fm_shape crate = {.kind = FM_SHAPE_BOX, .centre = {0, 1, 0}, .half_size = {1, 2, 3}};
    expect_contact(crate, (fm_vec3){0.5, 0, 0}, -0.5, (fm_vec3){1, 0, 0}, (fm_vec3){1, 0, 0});
    expect_contact(crate, (fm_vec3){0, -0.5, 0}, -0.5, (fm_vec3){0, -1, 0}, (fm_vec3){0, -1, 0});
    expect_contact(crate, (fm_vec3){4, 7, 0}, 5, (fm_vec3){1, 3, 0}, (fm_vec3){0.6, 0.8, 0});
    expect_contact(crate, (fm_vec3){1, 0, 0}, 0, (fm_vec3){1, 0, 0}, (fm_vec3){1, 0, 0});
    crate.rotation = (fm_quat){0, 0, 1, 1}; // a quarter turn about z, not normalized
    expect_contact(crate, (fm_vec3){5, 1, 0}, 3, (fm_vec3){2, 1, 0}, (fm_vec3){1, 0, 0});
}

// A random point on the surface of a sphere, capsule or box. On a capsule, `share` is the position
// along the axis; beyond its ends the point is on the hemisphere.
static fm_vec3 sample_surface(fm_rng *rng, const fm_shape *shape)
{
    fm_vec3 direction = random_direction(rng);
    if (shape->kind == FM_SHAPE_SPHERE)
        return fm_add_scaled(shape->centre, direction, shape->radius);
    if (shape->kind == FM_SHAPE_CAPSULE) {
        fm_vec3 axis = fm_sub(shape->end, shape->start);
        double share = between(rng, -1, 2), along = fm_dot(direction, axis);
        if (share > 0 && share < 1) {
            direction = fm_add_scaled(direction, axis, -along / fm_dot(axis, axis));
            fm_normalize(&direction);
        } else if ((share <= 0) == (along > 0)) {
            direction = fm_scale(direction, -1);
        }
        fm_vec3 centre = fm_add_scaled(shape->start, axis, fmin(fmax(share, 0), 1));
        return fm_add_scaled(centre, direction, shape->radius);
    }
    fm_vec3 h = shape->half_size,
            q = {between(rng, -h.x, h.x), between(rng, -h.y, h.y), between(rng, -h.z, h.z)};
    double *coordinates[] = {&q.x, &q.y, &q.z};
    double halves[] = {h.x, h.y, h.z};
    int face = (int)(6 * fm_rng_uniform(rng));
    *coordinates[face / 2] = face % 2 ? halves[face / 2] : -halves[face / 2];
    return fm_add(shape->centre, fm_quat_rotate(shape->rotation, q));
}

// Checks the closest surface point of random points to a shape. It is on the surface, the normal
// points from it to the query point, and no random sample of the surface is closer. 20000 samples
// are about 0.02 m apart, so the nearest is at most 0.03 m further.
static void check_against_samples(fm_rng *rng, fm_shape_kind kind)
{
    fm_arena arena = {0};
    fm_shape shape = random_shape(rng, kind, 1);
    fm_placed_collider placed = place(&arena, shape, 0);
    fm_vec3 points[12];
    double nearest[12];
    for (int i = 0; i < 12; i++) {
        points[i] = fm_add(shape.centre, random_vector(rng, i < 6 ? 0.3 : 1.5));
        nearest[i] = INFINITY;
    }
    for (int s = 0; s < 20000; s++) {
        fm_vec3 sample = sample_surface(rng, &shape);
        assert_true(sample.x >= placed.low.x && sample.x <= placed.high.x);
        assert_true(sample.y >= placed.low.y && sample.y <= placed.high.y);
        assert_true(sample.z >= placed.low.z && sample.z <= placed.high.z);
        for (int i = 0; i < 12; i++)
            nearest[i] = fmin(nearest[i], fm_length(fm_sub(points[i], sample)));
    }
    for (int i = 0; i < 12; i++) {
        fm_contact contact = fm_placed_find_contact(&placed, points[i]);
        assert_at_most(fabs(contact.distance), nearest[i] + 1e-12);
        assert_at_most(nearest[i] - fabs(contact.distance), 0.03);
        assert_close(fm_length(contact.normal), 1, 1e-14);
        assert_vectors_close(fm_add_scaled(contact.point, contact.normal, contact.distance),
                             points[i], 1e-13);
        assert_close(fm_placed_find_contact(&placed, contact.point).distance, 0, 1e-14);
    }
    fm_arena_destroy(&arena);
}

static void no_sampled_surface_point_is_closer(void **state)
{
    (void)state;
    fm_rng rng = {7};
    for (int round = 0; round < 10; round++) {
        for (int kind = FM_SHAPE_SPHERE; kind <= FM_SHAPE_BOX; kind++)
            check_against_samples(&rng, (fm_shape_kind)kind);
    }
}

// At points where the closest surface point is not unique, such as a sphere's centre, the normal is
// still a unit vector, and a particle there is moved out of the shape.
static void check_moved_out(fm_shape shape, fm_vec3 p)
{
    fm_arena arena = {0};
    fm_placed_collider placed = place(&arena, shape, 0.3);
    fm_contact contact = fm_placed_find_contact(&placed, p);
    assert_close(fm_length(contact.normal), 1, 1e-14);
    assert_close(fm_placed_find_contact(&placed, contact.point).distance, 0, 1e-13 * placed.reach);
    fm_vec3 velocity = {0};
    assert_true(fm_collide_particle(&placed, 1, 1e-3, &p, &velocity, NULL));
    double distance = fm_placed_find_contact(&placed, p).distance;
    assert_true(distance >= 1e-3);
    assert_at_most(distance, 1e-3 + 1e-12 * placed.reach);
    fm_arena_destroy(&arena);
}

static void a_particle_at_a_centre_or_axis_is_moved_out(void **state)
{
    (void)state;
    fm_rng rng = {11};
    for (int i = 0; i < 300; i++) {
        double spread = i % 3 ? 1 : 1000;
        fm_shape ball = random_shape(&rng, FM_SHAPE_SPHERE, spread);
        check_moved_out(ball, ball.centre);
        ball.centre = (fm_vec3){0};
        check_moved_out(ball, (fm_vec3){1e-170, 0, 3e-162});
        fm_shape pill = random_shape(&rng, FM_SHAPE_CAPSULE, spread);
        fm_vec3 axis = fm_sub(pill.end, pill.start);
        check_moved_out(pill, fm_add_scaled(pill.start, axis, fm_rng_uniform(&rng)));
        check_moved_out(pill, pill.start);
        check_moved_out(pill, pill.end);
        pill.end = pill.start;
        check_moved_out(pill, pill.start);
        fm_shape crate = random_shape(&rng, FM_SHAPE_BOX, spread);
        check_moved_out(crate, crate.centre);
        crate.half_size = (fm_vec3){0.3, 0.3, 0.3};
        check_moved_out(crate, crate.centre);
    }
}

// The surface of a collider moved by a motion has the velocity of that motion.
static void moved_colliders_have_the_velocity_of_their_motion(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_error err = {0};
    fm_rng rng = {3};
    fm_turn turn = {.axis = {1, 2, 0.5}, .pivot = {0.2, 0.1, 0}, .angle = 0.3, .rate = 1.7};
    fm_motion *wheel = fm_motion_create_turn(&arena, &turn, &err);
    fm_motion *swing = fm_motion_create_sine(&arena, (fm_vec3){1, 1, 0}, 0.4, 1.3, 0.2, &err);
    fm_motion *motion = fm_motion_create_composed(&arena, wheel, swing, &err);
    for (int i = 0; i < 200; i++) {
        fm_shape shape = random_shape(&rng, (fm_shape_kind)(i % 7), 1);
        fm_collider *moved = create_collider(&arena, shape, motion, 0),
                    *fixed = create_collider(&arena, shape, NULL, 0);
        double t = between(&rng, 0, 4);
        fm_vec3 p = random_vector(&rng, 1.5), moved_p = fm_motion_position(motion, p, t);
        // the moved collider at the moved point, against the fixed one at the point
        fm_vec3 closest, normal, velocity, fixed_closest, fixed_normal;
        double distance = fm_collider_distance(fixed, p, 0, &fixed_closest, &fixed_normal, NULL);
        assert_close(fm_collider_distance(moved, moved_p, t, &closest, &normal, &velocity),
                     distance, 1e-14);
        assert_vectors_close(closest, fm_motion_position(motion, fixed_closest, t), 1e-14);
        assert_vectors_close(velocity, fm_motion_velocity(motion, fixed_closest, t), 1e-13);
        fm_pose pose = fm_motion_pose(motion, t);
        assert_vectors_close(normal, fm_quat_rotate(pose.rotation, fixed_normal), 1e-13);
    }
    fm_arena_destroy(&arena);
}

// Particles at rest that a moving floor hits do not stick to it: they take over its normal
// velocity, and friction drags them along.
static void moving_floors_push_and_drag_particles(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_error err = {0};
    fm_motion *lift = fm_motion_create_sine(&arena, (fm_vec3){3, 4, 0}, 1, 2 * FM_PI, 0, &err);
    fm_placed_collider rough = fm_collider_place(create_collider(&arena, floor_plane, lift, 5), 0);
    fm_placed_collider slick = fm_collider_place(create_collider(&arena, floor_plane, lift, 0), 0);
    fm_vec3 p = {7, -0.1, 0}, v = {0};
    bool touched = false;
    assert_true(fm_collide_particle(&rough, 1, 0, &p, &v, &touched));
    assert_true(touched);
    assert_vectors_close(v, (fm_vec3){0.6, 0.8, 0}, 1e-15);
    assert_close(p.y, 0, 1e-13);
    p = (fm_vec3){7, -0.1, 0};
    v = (fm_vec3){0};
    assert_true(fm_collide_particle(&slick, 1, 0, &p, &v, &touched));
    assert_vectors_close(v, (fm_vec3){0, 0.8, 0}, 1e-15);
    p = (fm_vec3){7, -0.1, 0}; // leaves the floor faster than the floor follows
    v = (fm_vec3){-3, 1, 2};
    assert_true(fm_collide_particle(&rough, 1, 0, &p, &v, &touched));
    assert_vectors_close(v, (fm_vec3){-3, 1, 2}, 0);
    assert_true(touched && p.y >= 0);
    fm_arena_destroy(&arena);
}

static void friction_follows_coulombs_law(void **state)
{
    (void)state;
    fm_arena arena = {0};
    struct {
        double friction;
        fm_vec3 before, after;
    } cases[] = {
        {0, {3, -2, 4}, {3, 0, 4}},       // no friction
        {0.5, {3, -2, 4}, {2.4, 0, 3.2}}, // slides, slower by 0.5 x 2 of 5 m/s
        {2.5, {3, -2, 4}, {0, 0, 0}},     // just stops
        {9, {3, -2, 4}, {0, 0, 0}},       // sticks, and does not turn back
        {9, {3, 0, 4}, {3, 0, 4}},        // without a normal impulse there is no friction
        {9, {3, 2, 4}, {3, 2, 4}},        // leaves the floor
        {9, {0, -2, 0}, {0, 0, 0}},       // no sliding
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fm_placed_collider placed = place(&arena, floor_plane, cases[i].friction);
        fm_vec3 p = {1, 0.005, 0};
        assert_true(fm_collide_particle(&placed, 1, 0.01, &p, &cases[i].before, NULL));
        assert_vectors_close(cases[i].before, cases[i].after, 1e-15);
        assert_vectors_close(p, (fm_vec3){1, 0.01, 0}, 1e-14);
    }
    fm_arena_destroy(&arena);
}

static void distant_particles_are_not_changed(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_rng rng = {5};
    const double margin = 0.1; // m
    for (int kind = FM_SHAPE_PLANE; kind <= FM_SHAPE_ELLIPSOID; kind++) {
        fm_placed_collider placed = place(&arena, random_shape(&rng, (fm_shape_kind)kind, 1), 1);
        for (int i = 0; i < 1000; i++) {
            fm_vec3 p = random_vector(&rng, 2), v = random_vector(&rng, 1), new_p = p, new_v = v;
            bool touched = true, near = fm_placed_find_contact(&placed, p).distance < margin;
            assert_true(fm_collide_particle(&placed, 1, margin, &new_p, &new_v, &touched));
            assert_int_equal(touched, near);
            if (!near) {
                assert_vectors_close(new_p, p, 0);
                assert_vectors_close(new_v, v, 0);
            }
        }
    }
    fm_vec3 p = {1, 2, 3}, v = {0};
    assert_true(fm_collide_particle(NULL, 0, margin, &p, &v, NULL)); // no colliders
    fm_arena_destroy(&arena);
}

// The bounding box of a shape never excludes a contact, even at its faces.
static void bounding_boxes_exclude_no_contact(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_rng rng = {29};
    for (int i = 0; i < 1000; i++) {
        fm_shape ball = random_shape(&rng, FM_SHAPE_SPHERE, i % 2 ? 1 : 1000);
        fm_placed_collider placed = place(&arena, ball, 0);
        double inside = ball.radius - 1e-12 * placed.reach;
        fm_vec3 p = ball.centre, v = {0};
        double *along = i % 3 == 0 ? &p.x : i % 3 == 1 ? &p.y : &p.z;
        *along += i % 2 ? inside : -inside;
        bool touched = false;
        assert_true(fm_collide_particle(&placed, 1, 0, &p, &v, &touched));
        assert_true(touched);
    }
    fm_arena_destroy(&arena);
}

// A plane perpendicular to an axis has a bounding box with one finite side: no particle behind the
// plane may be missed.
static void no_particle_behind_an_axis_aligned_plane_is_missed(void **state)
{
    (void)state;
    fm_arena arena = {0};
    for (int face = 0; face < 6; face++) {
        double side = face % 2 ? -1 : 1;
        fm_vec3 normal = {face / 2 == 0 ? side : 0, face / 2 == 1 ? side : 0,
                          face / 2 == 2 ? side : 0};
        fm_shape wall = {.kind = FM_SHAPE_PLANE, .centre = {3, 3, 3}, .normal = normal};
        fm_placed_collider placed = place(&arena, wall, 0);
        for (int i = 0; i < 28; i++) {
            double depth = -5 + 0.37 * i;
            fm_vec3 p = fm_add_scaled((fm_vec3){3, 3, 3}, normal, -depth), v = {0};
            bool touched = false;
            assert_true(fm_collide_particle(&placed, 1, 0.01, &p, &v, &touched));
            assert_int_equal(touched, depth > -0.01);
            assert_true(fm_placed_find_contact(&placed, p).distance >= 0.01);
        }
    }
    fm_arena_destroy(&arena);
}

// A particle that overlaps one collider, near and far from the origin, with margins down to the
// rounding error and below.
static void a_particle_ends_outside_one_collider(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_rng rng = {13};
    const double margins[] = {0, 1e-18, 1e-15, 1e-9, 1e-3, 0.1};
    for (int i = 0; i < 20000; i++) {
        double spread = i % 2 ? 1 : 1000, margin = margins[i % 6];
        fm_shape shape = random_shape(&rng, (fm_shape_kind)(i / 6 % 4), spread);
        fm_placed_collider placed = place(&arena, shape, 0.3);
        fm_vec3 p = fm_add(shape.centre, random_vector(&rng, 0.5)), v = random_vector(&rng, 1);
        fm_contact before = fm_placed_find_contact(&placed, p);
        assert_true(fm_collide_particle(&placed, 1, margin, &p, &v, NULL));
        double distance = fm_placed_find_contact(&placed, p).distance;
        assert_true(distance >= margin);
        if (before.distance < margin) {
            assert_at_most(distance - margin, 1e-13 * (1 + spread));
            assert_true(fm_dot(v, before.normal) >= -1e-14);
        }
        bool touched = true; // outside, it is not moved again
        assert_true(fm_collide_particle(&placed, 1, margin, &p, &v, &touched));
        assert_false(touched);
    }
    fm_arena_destroy(&arena);
}

// A heap of several overlapping colliders. A few passes do not move every particle out of all of
// them; but a particle that is reported as outside is outside, and less than 1 % are not.
static void particles_reported_outside_overlapping_colliders_are_outside(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_rng rng = {17};
    const double margin = 1e-3;
    int stuck = 0, near = 0; // particles that stay inside a collider; that touch one
    for (int heap = 0; heap < 500; heap++) {
        fm_placed_collider placed[5];
        placed[0] = place(&arena, floor_plane, 0.3);
        for (int c = 1; c < 5; c++)
            placed[c] =
                place(&arena, random_shape(&rng, (fm_shape_kind)(1 + (heap + c) % 3), 0.5), 0.3);
        for (int i = 0; i < 100; i++) {
            fm_vec3 p = random_vector(&rng, 0.7), v = random_vector(&rng, 1), old = v;
            bool touched = false;
            bool out = fm_collide_particle(placed, 5, margin, &p, &v, &touched);
            near += touched;
            stuck += !out;
            assert_true(fm_is_finite(p) && fm_is_finite(v));
            assert_at_most(fm_length(v), fm_length(old) + 1e-12); // no energy is added
            for (int c = 0; c < 5 && out; c++)
                assert_true(fm_placed_find_contact(&placed[c], p).distance >= margin);
        }
        fm_arena_destroy(&arena);
    }
    assert_true(near > 20000);
    assert_at_most(stuck, 0.01 * near);
}

// A particle inside both planes of a wedge is moved out in one move (moving it out of each plane in
// turn would only converge), and its velocity then points into neither plane.
static void a_particle_leaves_a_wedge_of_two_planes(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_rng rng = {19};
    int corners = 0;
    for (int opening = 20; opening < 180; opening += 10) {
        double angle = opening * FM_PI / 180;
        fm_shape wall = {.kind = FM_SHAPE_PLANE, .normal = {sin(angle), -cos(angle), 0}};
        fm_placed_collider placed[] = {place(&arena, floor_plane, 0.1), place(&arena, wall, 0.1)};
        for (int i = 0; i < 100; i++) {
            fm_vec3 p = random_vector(&rng, 0.02), v = random_vector(&rng, 1);
            assert_true(fm_collide_particle(placed, 2, 0.01, &p, &v, NULL));
            double on_floor = fm_placed_find_contact(&placed[0], p).distance;
            double on_wall = fm_placed_find_contact(&placed[1], p).distance;
            assert_true(on_floor >= 0.01 && on_wall >= 0.01);
            if (opening >= 60 && on_floor < 0.01 + 1e-12 && on_wall < 0.01 + 1e-12) {
                corners++;
                assert_true(fm_dot(v, placed[0].shape.normal) >= -2e-6);
                assert_true(fm_dot(v, placed[1].shape.normal) >= -2e-6);
            }
        }
    }
    assert_true(corners > 100);
    fm_arena_destroy(&arena);
}

static void a_particle_leaves_a_corner_of_three_planes(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_rng rng = {23};
    fm_shape walls[] = {floor_plane,
                        {.kind = FM_SHAPE_PLANE, .normal = {1, -0.4, 0}},
                        {.kind = FM_SHAPE_PLANE, .normal = {-0.4, -0.3, 1}}};
    fm_placed_collider placed[3];
    for (int i = 0; i < 3; i++)
        placed[i] = place(&arena, walls[i], 0);
    for (int i = 0; i < 1000; i++) {
        fm_vec3 p = random_vector(&rng, 0.1), v = random_vector(&rng, 1);
        assert_true(fm_collide_particle(placed, 3, 0.01, &p, &v, NULL));
        for (int c = 0; c < 3; c++)
            assert_true(fm_placed_find_contact(&placed[c], p).distance >= 0.01);
    }
    fm_arena_destroy(&arena);
}

// Two balls overlap in a lens with its rim at 0.866 m. From near its middle the tangent planes meet
// at 2.5 m, but the particle moves only as far as the rim.
static void a_particle_between_two_balls_is_moved_only_as_far_as_needed(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_shape left = {.kind = FM_SHAPE_SPHERE, .centre = {-0.5, 0, 0}, .radius = 1};
    fm_shape right = {.kind = FM_SHAPE_SPHERE, .centre = {0.5, 0, 0}, .radius = 1};
    fm_placed_collider placed[] = {place(&arena, left, 0), place(&arena, right, 0)};
    fm_vec3 p = {0, 0.1, 0}, v = {0};
    assert_true(fm_collide_particle(placed, 2, 0, &p, &v, NULL));
    assert_vectors_close(p, (fm_vec3){0, sqrt(0.75), 0}, 1e-11);
    fm_arena_destroy(&arena);
}

// Between a floor and a ball that touches it there is no room: this is reported, and the particle
// stays near its position.
static void a_particle_without_room_is_reported(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_shape ball = {.kind = FM_SHAPE_SPHERE, .centre = {0, 1, 0}, .radius = 1};
    fm_placed_collider placed[] = {place(&arena, floor_plane, 0.3), place(&arena, ball, 0.3)};
    fm_vec3 p = {1e-4, 0, 0}, v = {0, -1, 0};
    bool touched = false;
    assert_false(fm_collide_particle(placed, 2, 1e-3, &p, &v, &touched));
    assert_true(touched);
    assert_at_most(fm_length(p), 0.01);
    // here the tangent planes meet, but 40 mm away for a depth of 1 mm: the particle must not be
    // thrown there
    p = (fm_vec3){0.02, 0, 0};
    assert_false(fm_collide_particle(placed, 2, 1e-3, &p, &v, &touched));
    assert_at_most(fabs(p.x - 0.02), 0.005);
    // where the gap is wide enough, the particle is moved out: the gap is 2 mm at sqrt(2 x 1 x
    // 0.002) m
    p = (fm_vec3){0.06, 0, 0};
    assert_true(fm_collide_particle(placed, 2, 1e-3, &p, &v, &touched));
    assert_close(p.x, 0.0632, 1e-3);
    fm_arena_destroy(&arena);
}

// Asserts that the definition of a collider is refused because of this field and value.
static void expect_refused(fm_collider_def def, const char *field, const char *value)
{
    fm_arena arena = {0};
    fm_error err = {0};
    def.name = "rock";
    assert_null(fm_collider_create_in_arena(&arena, &def, &err));
    assert_int_equal(err.status, FM_BAD_VALUE);
    assert_string_equal(err.object, "collider rock");
    assert_string_equal(err.field, field);
    assert_string_equal(err.value, value);
    assert_true(strlen(err.allowed) > 0);
    assert_int_equal(arena.used, 0);
}

static fm_collider_def default_def_of_kind(fm_shape_kind kind)
{
    fm_collider_def def = fm_default_collider_def();
    def.shape.kind = kind;
    return def;
}

static void bad_definitions_of_colliders_are_refused(void **state)
{
    (void)state;
    fm_collider_def def = default_def_of_kind((fm_shape_kind)9);
    expect_refused(def, "shape.kind", "9");
    def = default_def_of_kind(FM_SHAPE_SPHERE);
    def.shape.radius = 0;
    expect_refused(def, "shape.radius", "0");
    def.shape.radius = INFINITY;
    expect_refused(def, "shape.radius", "inf");
    def = default_def_of_kind(FM_SHAPE_SPHERE);
    def.shape.centre.y = NAN;
    expect_refused(def, "shape.centre", "(0, nan, 0)");
    def = default_def_of_kind(FM_SHAPE_SPHERE);
    def.friction = -0.1;
    expect_refused(def, "friction", "-0.1");
    def.friction = NAN;
    expect_refused(def, "friction", "nan");
    def = default_def_of_kind(FM_SHAPE_PLANE);
    def.shape.normal = (fm_vec3){0};
    expect_refused(def, "shape.normal", "(0, 0, 0)");
    def.shape.centre.x = INFINITY;
    expect_refused(def, "shape.centre", "(inf, 0, 0)");
    def = default_def_of_kind(FM_SHAPE_CAPSULE);
    def.shape.radius = -1;
    expect_refused(def, "shape.radius", "-1");
    def.shape.end.z = NAN;
    expect_refused(def, "shape.end", "(0, 1, nan)");
    def.shape.start.z = NAN;
    expect_refused(def, "shape.start", "(0, 0, nan)");
    def = default_def_of_kind(FM_SHAPE_BOX);
    def.shape.rotation.w = NAN;
    expect_refused(def, "shape.rotation", "nan");
    def.shape.half_size.y = 0;
    expect_refused(def, "shape.half_size", "(1, 0, 1)");
    def.shape.centre.x = NAN;
    expect_refused(def, "shape.centre", "(nan, 0, 0)");
}

static void definitions_of_colliders_are_copied(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_error err = {0};
    char name[] = "rock";
    fm_collider_def def = fm_default_collider_def();
    def.name = name;
    fm_collider *collider = fm_collider_create_in_arena(&arena, &def, &err);
    name[0] = 'l';
    assert_string_equal(collider->name, "rock");
    assert_close(fm_collider_distance(collider, (fm_vec3){3, 0, 0}, 0, NULL, NULL, NULL), 2, 0);
    assert_close(collider->friction, 0.3, 0);
    for (int kind = FM_SHAPE_PLANE; kind <= FM_SHAPE_ELLIPSOID; kind++) {
        def = default_def_of_kind((fm_shape_kind)kind); // the defaults are valid for every kind
        collider = fm_collider_create_in_arena(&arena, &def, &err);
        assert_non_null(collider);
        assert_string_equal(collider->name, "");
    }
    err.status = FM_INPUT_OUTPUT;
    assert_null(fm_collider_create_in_arena(&arena, &def, &err));
    assert_int_equal(err.status, FM_INPUT_OUTPUT);
    fm_arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_from_shapes_have_known_values),
        cmocka_unit_test(no_sampled_surface_point_is_closer),
        cmocka_unit_test(a_particle_at_a_centre_or_axis_is_moved_out),
        cmocka_unit_test(moved_colliders_have_the_velocity_of_their_motion),
        cmocka_unit_test(moving_floors_push_and_drag_particles),
        cmocka_unit_test(friction_follows_coulombs_law),
        cmocka_unit_test(distant_particles_are_not_changed),
        cmocka_unit_test(bounding_boxes_exclude_no_contact),
        cmocka_unit_test(no_particle_behind_an_axis_aligned_plane_is_missed),
        cmocka_unit_test(a_particle_ends_outside_one_collider),
        cmocka_unit_test(particles_reported_outside_overlapping_colliders_are_outside),
        cmocka_unit_test(a_particle_leaves_a_wedge_of_two_planes),
        cmocka_unit_test(a_particle_leaves_a_corner_of_three_planes),
        cmocka_unit_test(a_particle_between_two_balls_is_moved_only_as_far_as_needed),
        cmocka_unit_test(a_particle_without_room_is_reported),
        cmocka_unit_test(bad_definitions_of_colliders_are_refused),
        cmocka_unit_test(definitions_of_colliders_are_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
