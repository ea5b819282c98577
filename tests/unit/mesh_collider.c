// SPDX-License-Identifier: MIT
// mesh_collider.c: meshes as colliders: distances against brute force and against the box that they
// represent, signs against solid angles, particles that end outside non-convex meshes, velocities
// of animations, and bad meshes that are refused.
#include "check.h"
#include "collide/collide.h"
#include "fixtures.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

// Vertices of a torus: along its ring, around its tube, and all.
enum { ACROSS = 24, AROUND = 14, TORUS_POINTS = ACROSS * AROUND };

// Vertices and triangles of a torus.
typedef struct torus {
    fm_vec3 points[TORUS_POINTS];
    int triangles[6 * TORUS_POINTS];
} torus;

// A mesh without thickness and animation.
static fm_collider_mesh define_mesh(const fm_vec3 *points, int point_count, const int *triangles,
                                    int triangle_count)
{
    return (fm_collider_mesh){.vertices = points,
                              .vertex_count = point_count,
                              .triangles = triangles,
                              .triangle_count = triangle_count,
                              .fps = 24,
                              .interpolation = FM_INTERPOLATE_SPLINE};
}

// A torus around the y axis with radius 0.5 m and tube radius 0.2 m; dent: depth of dents in the
// tube, m.
static fm_collider_mesh create_torus(torus *t, double dent)
{
    int k = 0;
    for (int i = 0; i < ACROSS; i++) {
        for (int j = 0; j < AROUND; j++) {
            double a = 2 * FM_PI * i / ACROSS, b = 2 * FM_PI * j / AROUND;
            double tube = 0.2 + dent * sin(5 * a + 2 * b), r = 0.5 + tube * cos(b);
            t->points[i * AROUND + j] = (fm_vec3){r * cos(a), tube * sin(b), r * sin(a)};
            int p = i * AROUND + j, q = i * AROUND + (j + 1) % AROUND,
                s = (i + 1) % ACROSS * AROUND + j, u = (i + 1) % ACROSS * AROUND + (j + 1) % AROUND;
            const int two[6] = {p, q, u, p, u, s};
            memcpy(t->triangles + 6 * (size_t)k++, two, sizeof two);
        }
    }
    return define_mesh(t->points, TORUS_POINTS, t->triangles, 2 * TORUS_POINTS);
}

static const int box_triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                      2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

// A box with its centre at the origin as a mesh; half: half of its edge lengths, m.
static fm_collider_mesh create_box(fm_vec3 points[8], fm_vec3 half)
{
    for (int i = 0; i < 8; i++)
        points[i] =
            (fm_vec3){i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z};
    return define_mesh(points, 8, box_triangles, 12);
}

static fm_collider *create_collider(fm_arena *arena, const fm_collider_mesh *mesh,
                                    const fm_motion *motion, double friction)
{
    fm_error err = {0};
    fm_collider_def def = fm_default_collider_def();
    def.motion = motion;
    def.friction = friction;
    fm_collider *collider = fm_collider_create_mesh_in_arena(arena, &def, mesh, &err);
    assert_good(collider, &err);
    return collider;
}

// A mesh of a box has the same distances as the box shape, inside and outside, for both
// orientations of its triangles.
static void a_box_mesh_has_the_distances_of_a_box(void **state)
{
    (void)state;
    fm_rng rng = {3};
    fm_vec3 points[8], half = {0.3, 0.5, 0.2};
    for (int inwards = 0; inwards < 2; inwards++) {
        fm_arena arena = {0};
        fm_collider_mesh mesh = create_box(points, half);
        int reversed[36];
        for (int i = 0; i < 36; i++)
            reversed[i] = box_triangles[i / 3 * 3 + (2 - i % 3)];
        if (inwards)
            mesh.triangles = reversed;
        fm_placed_collider placed = fm_collider_place(create_collider(&arena, &mesh, NULL, 0), 0);
        assert_true(fm_trimesh_is_closed(placed.collider->mesh));
        fm_shape box = {.kind = FM_SHAPE_BOX, .half_size = half, .rotation = {0, 0, 0, 1}};
        for (int i = 0; i < 3000; i++) {
            fm_vec3 p = random_vector(&rng, i % 2 ? 0.6 : 2);
            fm_contact a = fm_placed_find_contact(&placed, p), b = fm_shape_find_contact(&box, p);
            assert_close(a.distance, b.distance, 1e-14);
            if (fm_length(fm_sub(a.point, b.point)) > 1e-12)
                continue; // several surface points are equally close
            assert_at_most(fm_length(fm_sub(a.normal, b.normal)), 1e-12);
        }
        fm_arena_destroy(&arena);
    }
}

// Signed solid angle of the triangle seen from p [VS83].
static double solid_angle(fm_vec3 a, fm_vec3 b, fm_vec3 c, fm_vec3 p)
{
    a = fm_sub(a, p), b = fm_sub(b, p), c = fm_sub(c, p);
    double la = fm_length(a), lb = fm_length(b), lc = fm_length(c);
    return 2 * atan2(fm_dot(a, fm_cross(b, c)),
                     la * lb * lc + fm_dot(a, b) * lc + fm_dot(b, c) * la + fm_dot(c, a) * lb);
}

// Distance of p from a mesh by a search over samples of all triangles, m.
static double sampled_distance(const fm_collider_mesh *mesh, fm_vec3 p)
{
    enum { N = 12 }; // intervals along the edges of a triangle
    double least = INFINITY;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *c = mesh->triangles + 3 * t;
        for (int i = 0; i <= N; i++) {
            for (int j = 0; i + j <= N; j++) {
                double u = (double)i / N, v = (double)j / N;
                fm_vec3 x = fm_scale(mesh->vertices[c[0]], 1 - u - v);
                x = fm_add_scaled(x, mesh->vertices[c[1]], u);
                x = fm_add_scaled(x, mesh->vertices[c[2]], v);
                least = fmin(least, fm_length(fm_sub(p, x)));
            }
        }
    }
    return least;
}

// No sample of any triangle is nearer than the distance, the nearest sample is hardly further
// (samples are 1.5 cm apart), and the sign agrees with the solid angle.
static void distances_from_a_mesh_and_their_signs_match_brute_force(void **state)
{
    (void)state;
    torus *t = malloc(sizeof *t);
    fm_arena arena = {0};
    fm_rng rng = {5};
    fm_collider_mesh mesh = create_torus(t, 0.06);
    fm_placed_collider placed = fm_collider_place(create_collider(&arena, &mesh, NULL, 0), 0);
    int inside = 0;
    for (int i = 0; i < 1500; i++) {
        fm_vec3 p = random_vector(&rng, 0.8);
        p.y *= 0.5;
        fm_contact contact = fm_placed_find_contact(&placed, p);
        double angle = 0;
        for (int k = 0; k < mesh.triangle_count; k++) {
            const int *c = mesh.triangles + 3 * k;
            angle += solid_angle(t->points[c[0]], t->points[c[1]], t->points[c[2]], p);
        }
        bool in = fabs(angle) > 2 * FM_PI;
        inside += in;
        assert_int_equal(contact.distance < 0, in);
        assert_close(fm_length(contact.normal), 1, 1e-12);
        assert_at_most(
            fm_length(fm_sub(p, fm_add_scaled(contact.point, contact.normal, contact.distance))),
            1e-12);
        if (i < 200) {
            double nearest = sampled_distance(&mesh, p);
            assert_at_most(fabs(contact.distance), nearest + 1e-12);
            assert_at_most(nearest - fabs(contact.distance), 0.01);
        }
    }
    assert_true(inside > 150 && inside < 1350);
    free(t);
    fm_arena_destroy(&arena);
}

// From any position, in the dents or inside the tube, a particle ends at the margin or further
// outside.
static void particles_end_outside_a_dented_torus(void **state)
{
    (void)state;
    torus *t = malloc(sizeof *t);
    fm_arena arena = {0};
    fm_rng rng = {7};
    fm_collider_mesh mesh = create_torus(t, 0.08);
    fm_placed_collider placed = fm_collider_place(create_collider(&arena, &mesh, NULL, 0.3), 0);
    int touched_count = 0;
    for (int i = 0; i < 4000; i++) {
        fm_vec3 p = random_vector(&rng, 0.8), v = random_vector(&rng, 1);
        p.y *= 0.4;
        fm_vec3 from = p;
        bool touched;
        double before = fm_placed_find_contact(&placed, p).distance;
        assert_true(fm_collide_particle(&placed, 1, 0.01, &p, &v, &touched));
        assert_true(fm_placed_find_contact(&placed, p).distance >= 0.01);
        assert_int_equal(touched, before < 0.01);
        if (!touched)
            assert_true(fm_length(fm_sub(p, from)) == 0);
        // in a dent the move is longer than the depth, up to the limit of particle_response.c
        assert_at_most(fm_length(fm_sub(p, from)), 8 * (0.01 - fmin(before, 0.01)) + 1e-9);
        touched_count += touched;
    }
    assert_true(touched_count > 500);
    free(t);
    fm_arena_destroy(&arena);
}

// A groove of 60 degrees in a block: at its bottom both sides constrain a particle, like two
// planes.
static void both_sides_of_a_groove_constrain_a_particle(void **state)
{
    (void)state;
    fm_arena arena = {0};
    const double w = 0.2, d = w * sqrt(3); // m, half width and depth
    const fm_vec3 outline[5] = {{-1, 0, 0}, {-w, 0, 0}, {0, -d, 0}, {w, 0, 0}, {1, 0, 0}};
    fm_vec3 points[14];
    int triangles[3 * 24], n = 0;
    for (int k = 0; k < 5; k++) {
        points[k] = points[7 + k] = outline[k];
        points[k].z = -1, points[7 + k].z = 1;
    }
    points[5] = (fm_vec3){1, -1, -1}, points[12] = (fm_vec3){1, -1, 1};
    points[6] = (fm_vec3){-1, -1, -1}, points[13] = (fm_vec3){-1, -1, 1};
    for (int k = 0; k < 7; k++) {
        int a = k, b = (k + 1) % 7;
        const int two[6] = {a, a + 7, b + 7, a, b + 7, b};
        memcpy(triangles + 3 * n, two, sizeof two);
        n += 2;
    }
    static const int fan[5][3] = {{0, 1, 2}, {0, 2, 6}, {2, 5, 6}, {2, 3, 5}, {3, 4, 5}};
    for (int k = 0; k < 5; k++) {
        const int front[3] = {fan[k][0], fan[k][1], fan[k][2]};
        const int back[3] = {fan[k][0] + 7, fan[k][2] + 7, fan[k][1] + 7};
        memcpy(triangles + 3 * n++, front, sizeof front);
        memcpy(triangles + 3 * n++, back, sizeof back);
    }
    fm_collider_mesh mesh = define_mesh(points, 14, triangles, n);
    fm_placed_collider placed = fm_collider_place(create_collider(&arena, &mesh, NULL, 0), 0);
    assert_true(fm_trimesh_is_closed(placed.collider->mesh));
    const double margin = 0.02;
    fm_vec3 p = {0.001, -d + 0.015, 0.3}, v = {0.5, -1, 0.25};
    assert_true(fm_collide_particle(&placed, 1, margin, &p, &v, NULL));
    assert_true(fm_placed_find_contact(&placed, p).distance >= margin);
    assert_close(p.x, 0, 1e-6); // at the margin from both sides: sin 30 = 1/2
    assert_close(p.y, -d + 2 * margin, 1e-6);
    assert_close(v.z, 0.25, 1e-12); // only the velocity along the groove is kept
    assert_true(v.y > -1e-6);
    fm_arena_destroy(&arena);
}

// An open mesh (shell) moves particles out to the side that they are on, to half its thickness plus
// the margin.
static void open_meshes_push_to_both_sides(void **state)
{
    (void)state;
    fm_arena arena = {0};
    static const fm_vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}};
    static const int triangles[6] = {0, 1, 2, 0, 2, 3};
    fm_collider_mesh mesh = define_mesh(points, 4, triangles, 2);
    mesh.thickness = 0.02;
    fm_placed_collider placed = fm_collider_place(create_collider(&arena, &mesh, NULL, 0), 0);
    assert_false(fm_trimesh_is_closed(placed.collider->mesh));
    for (int side = -1; side <= 1; side += 2) {
        fm_vec3 p = {0.4, side * 0.004, 0.6}, v = {0, -side, 0};
        assert_close(fm_placed_find_contact(&placed, p).distance, 0.004 - 0.01, 1e-15);
        assert_true(fm_collide_particle(&placed, 1, 0.005, &p, &v, NULL));
        assert_close(p.y, side * 0.015, 1e-12);
        assert_close(v.y, 0, 1e-15);
    }
    fm_vec3 over = {1.03, 0, 0.5};
    assert_close(fm_placed_find_contact(&placed, over).distance, 0.02, 1e-15);
    fm_arena_destroy(&arena);
}

enum { FRAMES = 6 }; // of the animation

// Positions of the vertices of a torus that moves and deforms, at all frames; the caller frees
// them.
static float *create_frames(const torus *t)
{
    float *frames = malloc(3 * sizeof(float) * FRAMES * TORUS_POINTS), *next = frames;
    for (int f = 0; f < FRAMES; f++) {
        for (int i = 0; i < TORUS_POINTS; i++) {
            fm_vec3 p = t->points[i];
            *next++ = (float)(p.x * (1 + 0.1 * sin(2 * f)) + 0.05 * f);
            *next++ = (float)(p.y + 0.05 * cos(3 * f) * p.x);
            *next++ = (float)(p.z + 0.1 * f * f / FRAMES);
        }
    }
    return frames;
}

// Checks that the surface velocity is the time derivative of its position, also when a motion moves
// the mesh as a whole, that the surface passes through the frames exactly, and that it is at rest
// before and after them.
static void check_animation(void **state, fm_interpolation interpolation)
{
    (void)state;
    torus *t = malloc(sizeof *t);
    fm_arena arena = {0};
    fm_error err = {0};
    fm_rng rng = {11};
    fm_collider_mesh mesh = create_torus(t, 0);
    float *frames = create_frames(t);
    mesh.frames = frames;
    mesh.frame_count = FRAMES;
    mesh.fps = 10;
    mesh.start = 0.5;
    mesh.interpolation = interpolation;
    fm_turn turn = {.axis = {1, 2, 0.5}, .pivot = {0.2, 0.1, 0}, .angle = 0.3, .rate = 1.7};
    fm_motion *wheel = fm_motion_create_turn(&arena, &turn, &err);
    fm_collider *moved = create_collider(&arena, &mesh, wheel, 0),
                *still = create_collider(&arena, &mesh, NULL, 0);
    for (int i = 0; i < 300; i++) {
        double time = between(&rng, 0.4, 1.15), h = 1e-6; // s; h: for central differences
        if (fabs(fmod(time * 10, 1) - 0.5) > 0.49)        // near a frame the velocity may jump
            continue;
        fm_vec3 p = random_vector(&rng, 1), n, v;
        double d = fm_collider_distance(moved, p, time, NULL, &n, &v);
        double rate = (fm_collider_distance(moved, p, time + h, NULL, NULL, NULL) -
                       fm_collider_distance(moved, p, time - h, NULL, NULL, NULL)) /
                      (2 * h);
        if (d > 0) // where the closest point does not jump, the distance changes by -n . v
            assert_close(rate, -fm_dot(n, v), 1e-4);
    }
    for (int f = 0; f < FRAMES; f++) { // vertex 5 is on the surface at the times of the frames
        const float *x = frames + 3 * (f * TORUS_POINTS + 5);
        fm_vec3 p = {x[0], x[1], x[2]};
        assert_close(fm_collider_distance(still, p, 0.5 + f / 10.0, NULL, NULL, NULL), 0, 1e-6);
    }
    fm_vec3 v;
    fm_collider_distance(still, (fm_vec3){2, 0, 0}, 0.2, NULL, NULL, &v);
    assert_true(fm_length(v) == 0);
    fm_collider_distance(still, (fm_vec3){2, 0, 0}, 1.2, NULL, NULL, &v);
    assert_true(fm_length(v) == 0);
    free(frames);
    free(t);
    fm_arena_destroy(&arena);
}

static void the_velocity_of_a_linear_animation_is_its_derivative(void **state)
{
    check_animation(state, FM_INTERPOLATE_LINEAR);
}

static void the_velocity_of_a_smooth_animation_is_its_derivative(void **state)
{
    check_animation(state, FM_INTERPOLATE_SMOOTH);
}

static void the_velocity_of_a_spline_animation_is_its_derivative(void **state)
{
    check_animation(state, FM_INTERPOLATE_SPLINE);
}

// A spline through frames on a parabola is the parabola, except in the first and the last interval.
static void spline_animations_reproduce_parabolas(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_vec3 points[8];
    fm_collider_mesh mesh = create_box(points, (fm_vec3){0.1, 0.1, 0.1});
    float frames[FRAMES][8][3];
    for (int f = 0; f < FRAMES; f++) {
        for (int i = 0; i < 8; i++) {
            frames[f][i][0] = (float)(points[i].x + 0.25 * f * f);
            frames[f][i][1] = (float)points[i].y;
            frames[f][i][2] = (float)points[i].z;
        }
    }
    mesh.frames = &frames[0][0][0];
    mesh.frame_count = FRAMES;
    mesh.fps = 1;
    fm_collider *collider = create_collider(&arena, &mesh, NULL, 0);
    for (int i = 0; i < 10 * (FRAMES - 3); i++) {
        double time = 1 + 0.1 * i;
        fm_vec3 v;
        double d = fm_collider_distance(collider, (fm_vec3){100, 0, 0}, time, NULL, NULL, &v);
        assert_close(100 - 0.1 - d, 0.25 * time * time, 1e-6);
        assert_close(v.x, 0.5 * time, 1e-6);
    }
    fm_arena_destroy(&arena);
}

// A cloth that falls onto a non-convex mesh stays outside.
static void cloth_rests_on_a_mesh_without_penetration(void **state)
{
    (void)state;
    fm_error err = {0};
    torus *t = malloc(sizeof *t);
    fm_world_def world_def = fixture_water_def(1);
    world_def.medium.density = 0;
    fm_world *world = fm_world_create(&world_def, &err);
    fm_collider_mesh mesh = create_torus(t, 0.02);
    fm_collider_def def = fm_default_collider_def();
    assert_non_null(fm_collider_create_mesh(world, &def, &mesh, &err));
    fm_cloth_def cloth_def = fm_default_cloth_def();
    cloth_def.drag.model = FM_DRAG_NONE;
    fm_sheet sheet = fixture_level_sheet(17, 17, 1, 1, (fm_vec3){-0.5, 0.25, -0.5});
    fm_cloth_create_sheet(world, &cloth_def, &sheet, &err);
    fm_report report = {0};
    for (int frame = 0; frame < 6; frame++)
        report = fm_world_advance(world, 1.0 / 24, &err);
    assert_int_equal(err.status, FM_OK);
    assert_true(report.contact_count > 10);
    assert_int_equal(report.penetration_count, 0);
    fm_world_destroy(world);
    free(t);
}

// Asserts that the mesh is refused as a collider because of this field.
static void expect_refused(fm_collider_mesh mesh, const char *field)
{
    fm_arena arena = {0};
    fm_error err = {0};
    fm_collider_def def = fm_default_collider_def();
    def.name = "rock";
    assert_null(fm_collider_create_mesh_in_arena(&arena, &def, &mesh, &err));
    assert_int_equal(err.status, FM_BAD_VALUE);
    assert_string_equal(err.field, field);
    assert_string_equal(err.object, "collider rock");
    fm_arena_destroy(&arena);
}

static void bad_collider_meshes_are_refused(void **state)
{
    (void)state;
    fm_vec3 points[8];
    fm_collider_mesh good = create_box(points, (fm_vec3){1, 1, 1}), mesh = good;
    mesh.vertex_count = 2;
    expect_refused(mesh, "mesh.vertex_count");
    mesh.vertex_count = 7; // vertex 7 is missing
    expect_refused(mesh, "mesh.triangles");
    mesh = good;
    mesh.triangle_count = 0;
    expect_refused(mesh, "mesh.triangle_count");
    mesh.triangle_count = 11; // a hole, and no thickness
    expect_refused(mesh, "mesh.thickness");
    mesh = good;
    mesh.thickness = NAN;
    expect_refused(mesh, "mesh.thickness");
    float frames[2][8][3] = {{{0}}};
    mesh = good;
    mesh.frames = &frames[0][0][0];
    mesh.frame_count = 2;
    mesh.fps = 0;
    expect_refused(mesh, "mesh.fps");
    mesh.fps = 24;
    mesh.start = INFINITY;
    expect_refused(mesh, "mesh.start");
    mesh.start = 0;
    mesh.interpolation = (fm_interpolation)7;
    expect_refused(mesh, "mesh.interpolation");
    mesh.interpolation = FM_INTERPOLATE_LINEAR;
    frames[1][3][2] = NAN;
    expect_refused(mesh, "mesh.frames");
    points[3].y = INFINITY;
    expect_refused(good, "mesh.vertices");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_mesh_has_the_distances_of_a_box),
        cmocka_unit_test(distances_from_a_mesh_and_their_signs_match_brute_force),
        cmocka_unit_test(particles_end_outside_a_dented_torus),
        cmocka_unit_test(both_sides_of_a_groove_constrain_a_particle),
        cmocka_unit_test(open_meshes_push_to_both_sides),
        cmocka_unit_test(the_velocity_of_a_linear_animation_is_its_derivative),
        cmocka_unit_test(the_velocity_of_a_smooth_animation_is_its_derivative),
        cmocka_unit_test(the_velocity_of_a_spline_animation_is_its_derivative),
        cmocka_unit_test(spline_animations_reproduce_parabolas),
        cmocka_unit_test(cloth_rests_on_a_mesh_without_penetration),
        cmocka_unit_test(bad_collider_meshes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
