// SPDX-License-Identifier: MIT
// mesh.c: grids, triangulation, isolated points, polylines, validity, surfaces and sample patches
// of meshes. A sample patch is the part of a body that one sample for fluid coupling stands for.
#include "check.h"
#include "geometry/geometry.h"

#include <fathom/fathom.h>
#include <stdlib.h>

static void quads_of_a_grid_are_recognised_as_a_sheet(void **state)
{
    (void)state;
    enum { COLUMNS = 4, ROWS = 3, CELLS = 6 };
    fm_vec3 points[COLUMNS * ROWS];
    for (int i = 0; i < COLUMNS * ROWS; i++)
        points[i] = (fm_vec3){0.5 * (i % COLUMNS), -0.25 * (i / COLUMNS), 0};
    int start[CELLS + 1], corner[4 * CELLS], columns, rows;
    fm_grid_write_quads(COLUMNS, ROWS, start, corner);
    fm_mesh_view quads = {.points = points,
                          .point_count = COLUMNS * ROWS,
                          .face_start = start,
                          .face_points = corner,
                          .face_count = CELLS};
    assert_true(fm_mesh_is_sheet(&quads, &columns, &rows));
    assert_int_equal(columns, COLUMNS);
    assert_int_equal(rows, ROWS);
    double spacing[2];
    fm_mesh_spacing(&quads, spacing);
    assert_close(spacing[0], 0.5, 1e-7);
    assert_close(spacing[1], 0.25, 1e-7);
    // quads and triangles have the same orientation: their normals point along +z
    int triangles[6 * CELLS];
    assert_int_equal(fm_grid_write_triangles(COLUMNS, ROWS, false, triangles), 2 * CELLS);
    fm_mesh_view cut = {.points = points,
                        .point_count = COLUMNS * ROWS,
                        .face_points = triangles,
                        .face_count = 2 * CELLS};
    assert_false(fm_mesh_is_sheet(&cut, &columns, &rows));
    const fm_mesh_view *both[] = {&quads, &cut};
    for (int m = 0; m < 2; m++) {
        for (int f = 0; f < both[m]->face_count; f++) {
            int corners;
            const int *c = fm_mesh_face(both[m], f, &corners);
            fm_vec3 a = fm_sub(points[c[1]], points[c[0]]), b = fm_sub(points[c[2]], points[c[0]]);
            assert_true(fm_cross(a, b).z > 0);
            assert_int_equal(corners, m == 0 ? 4 : 3);
        }
    }
}

// All small sizes, because compilers err most often in the remainder of a vectorised loop.
static void grids_of_all_small_sizes_are_recognised_as_sheets(void **state)
{
    (void)state;
    enum { MAX_SIZE = 20 }; // columns and rows
    static int start[MAX_SIZE * MAX_SIZE], corner[4 * MAX_SIZE * MAX_SIZE];
    for (int columns = 2; columns <= MAX_SIZE; columns++) {
        for (int rows = 2; rows <= MAX_SIZE; rows++) {
            int found_columns, found_rows;
            fm_grid_write_quads(columns, rows, start, corner);
            fm_mesh_view quads = {.point_count = columns * rows,
                                  .face_start = start,
                                  .face_points = corner,
                                  .face_count = (columns - 1) * (rows - 1)};
            assert_true(fm_mesh_is_sheet(&quads, &found_columns, &found_rows));
            assert_int_equal(found_columns, columns);
            assert_int_equal(found_rows, rows);
        }
    }
}

static void the_triangles_of_a_round_grid_close_the_tube(void **state)
{
    (void)state;
    int triangles[3 * 2 * 5 * 2], uses[3 * 5] = {0}; // 5 columns, 3 rows; corners at each point
    assert_int_equal(fm_grid_write_triangles(5, 3, true, NULL), 20);
    assert_int_equal(fm_grid_write_triangles(5, 3, true, triangles), 20);
    for (int i = 0; i < 60; i++)
        uses[triangles[i]]++;
    for (int i = 5; i < 10; i++) // each point of the middle row has at least four corners
        assert_true(uses[i] >= 4);
    // every edge has two triangles, one in each direction, except the 10 edges of the two rims
    int open = 0;
    for (int i = 0; i < 60; i++) {
        int a = triangles[i], b = triangles[i % 3 == 2 ? i - 2 : i + 1], opposite = 0;
        for (int k = 0; k < 60; k++)
            opposite += triangles[k] == b && triangles[k % 3 == 2 ? k - 2 : k + 1] == a;
        open += opposite == 0;
        assert_true(opposite <= 1);
    }
    assert_int_equal(open, 10);
}

static void polygons_are_triangulated_as_fans(void **state)
{
    (void)state;
    const int start[] = {0, 3, 7, 12}, corner[] = {0, 1, 2, 0, 1, 3, 4, 4, 3, 2, 1, 5};
    fm_mesh_view mesh = {
        .point_count = 6, .face_start = start, .face_points = corner, .face_count = 3};
    assert_int_equal(fm_mesh_count_triangles(&mesh), 1 + 2 + 3);
    int triangles[18];
    fm_mesh_triangulate(&mesh, triangles);
    static const int expected[18] = {0, 1, 2, 0, 1, 3, 0, 3, 4, 4, 3, 2, 4, 2, 1, 4, 1, 5};
    assert_memory_equal(triangles, expected, sizeof expected);
    // the fan of the second face, started from its corner 1
    int fan[6];
    assert_int_equal(fm_mesh_triangulate_face(corner + 3, 4, 1, fan), 2);
    static const int from_one[6] = {1, 3, 4, 1, 4, 0};
    assert_memory_equal(fan, from_one, sizeof from_one);
    fm_mesh_data owner;
    fm_error err = {0};
    assert_true(fm_mesh_data_create(&owner, &(fm_mesh_size){.points = 6, .faces = 3, .corners = 12},
                                    "mesh", &err));
    memcpy(owner.face_start, start, sizeof start);
    memcpy(owner.face_points, corner, sizeof corner);
    assert_true(fm_mesh_data_triangulate(&owner, &err));
    assert_null(owner.face_start);
    assert_int_equal(owner.face_count, 6);
    assert_memory_equal(owner.face_points, expected, sizeof expected);
    fm_mesh_data_destroy(&owner);
    assert_null(owner.points);
}

static void isolated_points_are_found(void **state)
{
    (void)state;
    fm_error err = {0};
    const int lines[] = {1, 2}, triangle[] = {4, 5, 6};
    fm_mesh_view mesh = {.point_count = 8,
                         .lines = lines,
                         .line_count = 1,
                         .face_points = triangle,
                         .face_count = 1};
    int count, *isolated = fm_mesh_find_isolated_points(&mesh, &count, &err);
    static const int expected[] = {0, 3, 7};
    assert_int_equal(count, 3);
    assert_memory_equal(isolated, expected, sizeof expected);
    free(isolated);
    isolated = fm_mesh_find_isolated_points(&(fm_mesh_view){0}, &count, &err);
    assert_int_equal(count, 0);
    free(isolated);
}

// Checks that every line of the mesh belongs to exactly one polyline.
static void check_polylines(const fm_mesh_view *mesh, int expected_count)
{
    fm_error err = {0};
    fm_polylines polylines;
    bool used[32] = {0};
    assert_true(fm_polylines_create(&polylines, mesh, &err));
    assert_int_equal(polylines.count, expected_count);
    for (int i = 0; i < polylines.count; i++) {
        for (int k = polylines.start[i]; k + 1 < polylines.start[i + 1]; k++) {
            int a = polylines.points[k], b = polylines.points[k + 1], found = -1;
            for (int l = 0; l < mesh->line_count && found < 0; l++) {
                const int *end = mesh->lines + 2 * l;
                if (!used[l] && ((end[0] == a && end[1] == b) || (end[0] == b && end[1] == a)))
                    found = l;
            }
            assert_true(found >= 0);
            used[found] = true;
        }
    }
    for (int l = 0; l < mesh->line_count; l++)
        assert_true(used[l]);
    fm_polylines_destroy(&polylines);
}

static void lines_are_joined_to_polylines(void **state)
{
    (void)state;
    static const int rope[] = {0, 1, 2, 1, 2, 3, 4, 3};
    check_polylines(&(fm_mesh_view){.point_count = 6, .lines = rope, .line_count = 4}, 1);
    static const int ring[] = {0, 1, 1, 2, 2, 0};
    check_polylines(&(fm_mesh_view){.point_count = 3, .lines = ring, .line_count = 3}, 1);
    // a fork at point 1, and two lines between the points 5 and 6
    static const int fork[] = {0, 1, 1, 2, 1, 3, 5, 6, 6, 5};
    check_polylines(&(fm_mesh_view){.point_count = 7, .lines = fork, .line_count = 5}, 4);
    check_polylines(&(fm_mesh_view){.point_count = 7}, 0);
}

static void meshes_with_bad_indices_are_refused(void **state)
{
    (void)state;
    static const int lines[] = {0, 3}, triangle[] = {0, 1, -1}, corners[] = {0, 1, 2};
    static const int start[] = {0, 2}, late[] = {1, 3};
    const struct {
        fm_mesh_view mesh;
        const char *message;
    } cases[] = {
        {{.point_count = 3, .lines = lines, .line_count = 1}, "mesh: lines is 3"},
        {{.point_count = 3, .face_points = triangle, .face_count = 1}, "mesh: face_points is -1"},
        {{.point_count = 3, .face_start = start, .face_points = corners, .face_count = 1},
         "mesh: face_start is 2"},
        {{.point_count = 3, .face_start = late, .face_points = corners, .face_count = 1},
         "mesh: face_start is 3"},
        {{.point_count = -1}, "point_count"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fm_error err = {0};
        assert_false(fm_mesh_check(&cases[i].mesh, "mesh", &err));
        if (!strstr(err.text, cases[i].message))
            print_error("%s\n", err.text);
        assert_non_null(strstr(err.text, cases[i].message));
    }
    fm_error err = {0};
    assert_true(fm_mesh_check(&(fm_mesh_view){.point_count = 3}, "mesh", &err));
}

static void a_surface_keeps_the_mesh_it_was_created_from(void **state)
{
    (void)state;
    fm_error err = {0};
    static const fm_vec3 points[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 2, 0.1}, {3, 3, 3}};
    static const int lines[] = {2, 3}, triangle[] = {0, 1, 2};
    fm_mesh_view mesh = {.points = points,
                         .point_count = 5,
                         .lines = lines,
                         .line_count = 1,
                         .face_points = triangle,
                         .face_count = 1};
    static const fm_surface_field field = {"stretch", 1, NULL};
    fm_surface *surface = fm_surface_create_from_mesh("net", &mesh, &field, 1, &err);
    assert_non_null(surface);
    assert_int_equal(surface->line_count, 1);
    assert_int_equal(surface->face_start[1], 3);
    assert_true(surface->points[3 * 3 + 2] == 0.1f);
    assert_true(fm_surface_values(surface, "stretch", 1)[4] == 0);
    fm_vec3 back[5];
    fm_mesh_view view = fm_surface_view(surface, back);
    assert_int_equal(view.point_count, 5);
    assert_true(back[4].x == 3 && back[3].z == (double)0.1f);
    assert_memory_equal(view.lines, lines, sizeof lines);
    assert_memory_equal(view.face_points, triangle, sizeof triangle);
    fm_surface *same = fm_surface_create_from_mesh("net", &view, NULL, 0, &err);
    assert_true(fm_surface_same_mesh(surface, same));
    same->lines[1] = 4;
    assert_false(fm_surface_same_mesh(surface, same));
    fm_surface_destroy(same);
    fm_surface_destroy(surface);
}

// True when the offset r from the centre of a patch, m, is inside its triangle, which its gradients
// `along` and `across` of two barycentric coordinates describe.
static bool patch_contains(const fm_sample_patch *patch, fm_vec3 r)
{
    double along = fm_dot(r, patch->along), across = fm_dot(r, patch->across);
    return along > -1.0 / 3 && across > -1.0 / 3 && along + across < 1.0 / 3;
}

// A coupled body is covered with samples. The patch of a sample is its part of the body: of a
// triangle, of a line with a width, or of a point.
static void sample_patches_have_the_area_and_extent_of_their_part_of_the_body(void **state)
{
    (void)state;
    const fm_vec3 corner[3] = {{0, 0, 0}, {0.3, 0, 0}, {0, 0.6, 0}}, middle = {0.1, 0.2, 0};
    // one sample for the triangle, and one of the 3^2 samples of a subdivided triangle
    fm_sample_patch whole = fm_sample_patch_of_triangle(corner, 1),
                    part = fm_sample_patch_of_triangle(corner, 3);
    assert_close(whole.area, 0.09, 1e-15);
    assert_close(9 * part.area, whole.area, 1e-15);
    assert_close(whole.normal.z, 1, 1e-15);
    for (int i = 0; i < 3; i++) { // the patch ends at the corners of the triangle
        fm_vec3 r = fm_sub(corner[i], middle);
        assert_true(patch_contains(&whole, fm_scale(r, 0.999)));
        assert_false(patch_contains(&whole, fm_scale(r, 1.001)));
        assert_true(fm_length(r) <= whole.reach * (1 + 1e-12));
    }
    // a line of 0.5 m with 5 samples and a width of 0.01 m; a point with a width of 0.02 m
    const fm_vec3 end[2] = {{1, 2, 3}, {1, 2.4, 3.3}};
    fm_sample_patch line = fm_sample_patch_of_line(end, 5, 0.01),
                    point = fm_sample_patch_of_point(0.02);
    assert_close(5 * line.area, 0.5 * 0.01, 1e-15);
    assert_close(point.area, 4e-4, 1e-18);
    assert_close(fm_dot(line.normal, fm_sub(end[1], end[0])), 0, 1e-15);
    // the triangle described by the gradients u and v has the area of the patch, and its centroid
    // is the origin
    const fm_sample_patch *patches[] = {&whole, &line, &point};
    for (int k = 0; k < 3; k++) {
        const fm_sample_patch *p = patches[k];
        fm_vec3 u = p->along, v = p->across, n = p->normal;
        assert_close(fm_length(n), 1, 1e-12);
        assert_close(fm_dot(n, u) / fm_length(u), 0, 1e-12);
        assert_close(0.5 / fm_length(fm_cross(u, v)) / p->area, 1, 1e-12);
        assert_true(patch_contains(p, (fm_vec3){0, 0, 0}));
        assert_false(patch_contains(p, fm_scale(u, 0.7 / fm_dot(u, u))));
        assert_false(patch_contains(p, fm_scale(v, 0.7 / fm_dot(v, v))));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quads_of_a_grid_are_recognised_as_a_sheet),
        cmocka_unit_test(grids_of_all_small_sizes_are_recognised_as_sheets),
        cmocka_unit_test(the_triangles_of_a_round_grid_close_the_tube),
        cmocka_unit_test(polygons_are_triangulated_as_fans),
        cmocka_unit_test(isolated_points_are_found),
        cmocka_unit_test(lines_are_joined_to_polylines),
        cmocka_unit_test(meshes_with_bad_indices_are_refused),
        cmocka_unit_test(sample_patches_have_the_area_and_extent_of_their_part_of_the_body),
        cmocka_unit_test(a_surface_keeps_the_mesh_it_was_created_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
