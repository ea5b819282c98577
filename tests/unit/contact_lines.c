// SPDX-License-Identifier: MIT
// contact_lines.c: contact of lines and of isolated points with lines, points and triangles, in
// motion and at rest.
#include "check.h"
#include "collide/contact.h"

#include <stdlib.h>

static const double THICKNESS = 0.01; // m

// A mesh and its displacement in one contact step.
typedef struct moving_mesh {
    fm_mesh_view mesh;
    bool kinematic;       // its motion is prescribed; else each point has the mass 1 kg
    fm_vec3 displacement; // m, target displacement of all its points
} moving_mesh;

// Result of one contact step with two meshes.
typedef struct result {
    double closest; // m, least distance at the end
    fm_contact_report report;
    fm_vec3 end[2]; // m, of the first point of each mesh
    int intersection_count;
} result;

// Writes start, target and velocity of the points of a mesh into the contact solver.
static void fill_surface(fm_contact_set *set, int surface, const moving_mesh *t)
{
    fm_vec3_array x0 = fm_contact_starts(set), x1 = fm_contact_ends(set),
                  v = fm_contact_velocities(set);
    int first = fm_contact_first_vertex(set, surface);
    for (int i = 0; i < t->mesh.point_count; i++) {
        fm_vec3 a = t->mesh.points[i], b = fm_add(a, t->displacement);
        x0.x[first + i] = a.x, x0.y[first + i] = a.y, x0.z[first + i] = a.z;
        x1.x[first + i] = b.x, x1.y[first + i] = b.y, x1.z[first + i] = b.z;
        v.x[first + i] = t->displacement.x, v.y[first + i] = t->displacement.y,
                    v.z[first + i] = t->displacement.z;
    }
}

// Performs one step of 1 s with both meshes.
static result step_both(const moving_mesh *a, const moving_mesh *b)
{
    static const double mass[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    const moving_mesh *meshes[2] = {a, b};
    fm_contact_surface surfaces[2];
    for (int i = 0; i < 2; i++)
        surfaces[i] = (fm_contact_surface){.name = i ? "b" : "a",
                                           .mesh = meshes[i]->mesh,
                                           .inverse_mass = meshes[i]->kinematic ? NULL : mass,
                                           .thickness = THICKNESS};
    fm_error err = {0};
    fm_contact_set *set = fm_contact_create(surfaces, 2, &err);
    if (!set)
        print_error("%s\n", err.text);
    assert_non_null(set);
    fill_surface(set, 0, a);
    fill_surface(set, 1, b);
    result r = {0};
    fm_contact_restart(set, 1);
    if (!fm_contact_is_collision_free(set, NULL))
        fm_contact_step(set, 1, NULL, &r.report);
    fm_vec3_array x = fm_contact_ends(set);
    r.closest = fm_contact_find_least_distance(set, x, 1);
    r.intersection_count = fm_contact_count_intersections(set, x, NULL);
    for (int i = 0; i < 2; i++)
        r.end[i] = fm_vec3_array_at(x, fm_contact_first_vertex(set, i));
    fm_contact_destroy(set);
    return r;
}

static const int LINE[] = {0, 1}, TRIANGLE[] = {0, 1, 2}; // indices of points
// Points, m: lines along x and, 5 cm lower, along z; a point above another; a triangle below all.
static const fm_vec3 ALONG_X[] = {{-0.1, 0.05, 0.01}, {0.1, 0.05, 0.01}};
static const fm_vec3 ALONG_Z[] = {{0.01, 0, -0.1}, {0.01, 0, 0.1}};
static const fm_vec3 ABOVE[] = {{0.01, 0.05, 0.005}}, BELOW[] = {{0.01, 0, 0.005}};
static const fm_vec3 FLOOR[] = {{-1, 0, -1}, {-1, 0, 1}, {1, 0, 0}};

// A line or an isolated point that moves down onto a line, point or triangle stays above it, at the
// distance that contact keeps.
static void lines_and_points_pass_through_nothing(void **state)
{
    (void)state;
    static const fm_vec3 down = {0, -0.1, 0};
    const moving_mesh movers[] = {
        {{.points = ALONG_X, .point_count = 2, .lines = LINE, .line_count = 1}, false, down},
        {{.points = ABOVE, .point_count = 1}, false, down},
    };
    const moving_mesh targets[] = {
        {{.points = ALONG_Z, .point_count = 2, .lines = LINE, .line_count = 1}, true, {0, 0, 0}},
        {{.points = ALONG_Z, .point_count = 2, .lines = LINE, .line_count = 1}, false, {0, 0, 0}},
        {{.points = BELOW, .point_count = 1}, false, {0, 0, 0}},
        {{.points = FLOOR, .point_count = 3, .face_points = TRIANGLE, .face_count = 1},
         true,
         {0, 0, 0}},
        {{.points = FLOOR, .point_count = 3, .face_points = TRIANGLE, .face_count = 1},
         false,
         {0, 0, 0}},
    };
    for (int m = 0; m < 2; m++) {
        for (int t = 0; t < 5; t++) {
            moving_mesh mover = movers[m];
            fm_vec3 above[2] = {mover.mesh.points[0], {0, 0, 0}};
            if (t == 2 && m == 0) { // the line has to be exactly above the point
                above[0] = (fm_vec3){-0.1, 0.05, 0.005}, above[1] = (fm_vec3){0.1, 0.05, 0.005};
                mover.mesh.points = above;
            }
            result r = step_both(&mover, &targets[t]);
            assert_int_equal(r.report.pinched_count, 0);
            assert_int_equal(r.intersection_count, 0);
            assert_true(r.report.impulse_count + r.report.hit_count > 0);
            assert_in_interval(r.closest, 0.05 * THICKNESS, 2 * THICKNESS);
            assert_true(r.end[0].y > r.end[1].y); // the mover has not passed through
        }
    }
}

static void distant_lines_move_freely(void **state)
{
    (void)state;
    const fm_vec3 away = {0, 0.1, 0};
    const moving_mesh rope = {
        {.points = ALONG_X, .point_count = 2, .lines = LINE, .line_count = 1}, false, away};
    const moving_mesh other = {
        {.points = ALONG_Z, .point_count = 2, .lines = LINE, .line_count = 1}, false, {0, 0, 0}};
    result r = step_both(&rope, &other);
    assert_int_equal(r.report.impulse_count, 0);
    assert_close(r.closest, 0.15, 1e-12);
    assert_close(r.end[0].y, 0.15, 1e-15);
}

// Two points of equal mass that collide conserve their momentum.
static void colliding_points_conserve_momentum(void **state)
{
    (void)state;
    const moving_mesh mover = {{.points = ABOVE, .point_count = 1}, false, {0, -0.1, 0}};
    const moving_mesh target = {{.points = BELOW, .point_count = 1}, false, {0, 0, 0}};
    result r = step_both(&mover, &target);
    assert_close(r.end[0].y + r.end[1].y, 0.05 - 0.1, 1e-9);
}

// A folded rope does not pass through itself. Lines that share a point are neighbours and do not
// collide; other lines do.
static void a_rope_does_not_pass_through_itself(void **state)
{
    (void)state;
    // a hairpin whose second leg has its target on the other side of the first
    const fm_vec3 points[4] = {{0, 0, 0}, {0.2, 0, 0}, {0.2, 0.04, 0.1}, {0, 0.04, -0.1}};
    static const int lines[] = {0, 1, 1, 2, 2, 3};
    static const double mass[4] = {1, 1, 1, 1};
    fm_contact_surface rope = {
        .name = "rope",
        .mesh = {.points = points, .point_count = 4, .lines = lines, .line_count = 3},
        .inverse_mass = mass,
        .thickness = THICKNESS};
    fm_error err = {0};
    fm_contact_set *set = fm_contact_create(&rope, 1, &err);
    assert_non_null(set);
    fm_vec3_array x1 = fm_contact_ends(set);
    x1.y[2] = x1.y[3] = -0.04;
    fm_contact_report report = {0};
    fm_contact_restart(set, 1);
    assert_false(fm_contact_is_collision_free(set, NULL));
    fm_contact_step(set, 1, NULL, &report);
    assert_int_equal(report.pinched_count, 0);
    assert_true(fm_contact_find_least_distance(set, x1, 1) > 0.05 * THICKNESS);
    // where the legs cross in top view, the second is still above the first
    assert_true((x1.y[2] + x1.y[3]) / 2 > (x1.y[0] + x1.y[1]) / 2);
    fm_contact_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_and_points_pass_through_nothing),
        cmocka_unit_test(distant_lines_move_freely),
        cmocka_unit_test(colliding_points_conserve_momentum),
        cmocka_unit_test(a_rope_does_not_pass_through_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
