// SPDX-License-Identifier: MIT
// draw.c: colormaps, surfaces of sheets, thickening, tubes, cameras, shapes, figures.
#include "draw/draw.h"
#include "check.h"
#include "collide/collide.h"
#include "fixtures.h"

#include <stdlib.h>
#include <string.h>

// A grid of points in x, y with the height z(x, y), joined to quadrilaterals.
typedef struct sheet {
    int columns, rows;   // points
    fm_vec3 *points;     // m
    int *start, *corner; // face_start and face_points of the mesh
    fm_mesh_view mesh;   // quadrilaterals
} sheet;

// Creates a sheet whose height is z(x, y), with 0.1 m between columns and 0.2 m between rows.
static sheet create_sheet(int columns, int rows, float (*z)(float x, float y))
{
    int faces = (columns - 1) * (rows - 1);
    sheet s = {columns,
               rows,
               malloc((size_t)columns * rows * sizeof(fm_vec3)),
               malloc(((size_t)faces + 1) * sizeof(int)),
               malloc(4 * (size_t)faces * sizeof(int)),
               {0}};
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            float x = 0.1f * (float)c, y = -0.2f * (float)r;
            s.points[r * columns + c] = (fm_vec3){x, y, z(x, y)};
        }
    fm_grid_write_quads(columns, rows, s.start, s.corner);
    s.mesh = (fm_mesh_view){.point_count = columns * rows,
                            .points = s.points,
                            .face_count = faces,
                            .face_start = s.start,
                            .face_points = s.corner};
    return s;
}

static void destroy_sheet(sheet *s)
{
    free(s->points);
    free(s->start);
    free(s->corner);
}

static float flat(float x, float y)
{
    (void)x, (void)y;
    return 0.5f;
}

static float wavy(float x, float y)
{
    return 0.05f * sinf(5 * x) * cosf(2 * y);
}

// The sRGB value, 0 to 1, of a linear colour component.
static double srgb_from_linear(float x)
{
    return x <= 0.0031308f ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
}

// Lightness L of a linear RGB colour in the colour space Oklab, whose matrices these are.
static double lightness(fm_color c)
{
    double l = 0.4122214708 * c.r + 0.5363325363 * c.g + 0.0514459929 * c.b;
    double m = 0.2119034982 * c.r + 0.6806995451 * c.g + 0.1073969566 * c.b;
    double s = 0.0883024619 * c.r + 0.2817188376 * c.g + 0.6299787005 * c.b;
    return 0.2104542553 * cbrt(l) + 0.7936177850 * cbrt(m) - 0.0040720468 * cbrt(s);
}

static void the_sequential_colormap_gets_lighter_in_even_steps(void **state)
{
    (void)state;
    for (int i = 1; i <= 100; i++) {
        double before = lightness(fm_colormap_color(FM_COLORMAP_SEQUENTIAL, (i - 1) / 100.0));
        double after = lightness(fm_colormap_color(FM_COLORMAP_SEQUENTIAL, i / 100.0));
        // the lightness rises by 0.68 in 100 steps, none much larger than the mean
        assert_in_interval(after - before, 0.002, 0.02);
    }
    double middle = lightness(fm_colormap_color(FM_COLORMAP_DIVERGING, 0.5));
    assert_close(lightness(fm_colormap_color(FM_COLORMAP_DIVERGING, 0)),
                 lightness(fm_colormap_color(FM_COLORMAP_DIVERGING, 1)), 0.03);
    assert_true(middle > 0.9);
}

static void colormaps_accept_values_outside_0_to_1_and_nan(void **state)
{
    (void)state;
    const double odd[] = {-1, 2, NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 5; i++) {
        fm_color c = fm_colormap_color(FM_COLORMAP_SEQUENTIAL, odd[i]);
        assert_in_interval(c.r, 0, 1);
        assert_in_interval(c.g, 0, 1);
        assert_in_interval(c.b, 0, 1);
    }
    fm_color grey = fm_color_from_srgb(0.5, 0.5, 0.5);
    assert_close(srgb_from_linear(grey.r), 0.5, 1e-6);
}

static void ticks_of_a_colour_bar_are_round_numbers_within_the_range(void **state)
{
    (void)state;
    double ticks[6];
    int count = fm_colorbar_choose_ticks(0, 0.173, ticks, 5);
    assert_int_equal(count, 4);
    assert_close(ticks[3], 0.15, 1e-12);
    count = fm_colorbar_choose_ticks(-1, 1, ticks, 5);
    assert_int_equal(count, 5);
    assert_close(ticks[0], -1, 1e-12);
    assert_close(ticks[2], 0, 1e-12);
    assert_int_equal(fm_colorbar_choose_ticks(1, 1, ticks, 5), 0);
    assert_int_equal(fm_colorbar_choose_ticks(NAN, 1, ticks, 5), 0);
    assert_int_equal(fm_colorbar_choose_ticks(0, INFINITY, ticks, 5), 0);
}

static void a_grid_of_quadrilaterals_is_recognised_as_a_sheet(void **state)
{
    (void)state;
    int columns, rows;
    sheet s = create_sheet(5, 4, wavy);
    assert_true(fm_mesh_is_sheet(&s.mesh, &columns, &rows));
    assert_int_equal(columns, 5);
    assert_int_equal(rows, 4);
    double spacing[2];
    fm_mesh_spacing(&s.mesh, spacing);
    assert_in_interval(spacing[0], 0.1, 0.11);
    assert_in_interval(spacing[1], 0.2, 0.21);
    s.corner[9] = 0; // one corner of a face moved to another point
    assert_false(fm_mesh_is_sheet(&s.mesh, &columns, &rows));
    assert_int_equal(columns, 0);
    destroy_sheet(&s);
}

static void the_spline_surface_passes_through_the_points_and_keeps_a_plane(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_arena arena = {0};
    fm_thin_surface thin = {0};
    enum { COLUMNS = 9, ROWS = 7, COUNT = COLUMNS * ROWS };
    sheet s = create_sheet(COLUMNS, ROWS, wavy), p = create_sheet(COLUMNS, ROWS, flat);
    float points[2][3 * COUNT];
    // the two sheets, which are refined by splines
    fm_surface_input wave = {.mesh = &s.mesh, .points = points[0]},
                     plane = {&p.mesh, points[1], NULL, {0}};
    for (int i = 0; i < COUNT; i++) {
        fm_f3_store(points[0] + 3 * i, fm_f3_from_vec3(s.points[i]));
        fm_f3_store(points[1] + 3 * i, fm_f3_from_vec3(p.points[i]));
    }
    assert_true(fm_thin_surface_from_sheet(&arena, &wave, COLUMNS, ROWS, &thin, &err));
    // fine: columns of the refined surface; factor: its cells per cell of the sheet
    int fine = (int)lroundf(thin.extent[0] / (thin.texture[2] - thin.texture[0])) + 1;
    int factor = (fine - 1) / (COLUMNS - 1);
    assert_true(factor >= 2);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) {
            const float *a = points[0] + 3 * (r * COLUMNS + c);
            const float *b = thin.points + 3 * (r * factor * fine + c * factor);
            for (int k = 0; k < 3; k++)
                assert_close(b[k], a[k], 1e-6);
        }
    assert_true(fm_thin_surface_from_sheet(&arena, &plane, COLUMNS, ROWS, &thin, &err));
    for (int i = 0; i < thin.point_count; i++) {
        assert_close(thin.points[3 * i + 2], 0.5, 1e-6);
        assert_close(thin.normals[3 * i + 2], 1, 1e-6);
    }
    fm_arena_destroy(&arena);
    destroy_sheet(&s);
    destroy_sheet(&p);
}

// Compares two int64_t, for qsort.
static int compare_integers(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// Closed: each half-edge a -> b has exactly one opposite b -> a.
static void a_thickened_sheet_is_closed_and_has_the_right_volume(void **state)
{
    (void)state;
    fm_error err = {0};
    sheet s = create_sheet(6, 5, wavy);
    fm_drawing *drawing = fm_drawing_create(&err);
    fm_paint paint = fm_default_paint();
    assert_true(fm_drawing_add_surface(drawing, &s.mesh, &paint, NULL, &err));
    const fm_triangle_mesh *mesh = &drawing->meshes[0];
    size_t count = 3 * (size_t)mesh->triangle_count;
    int64_t *edges = malloc(count * sizeof *edges), *reversed = malloc(count * sizeof *reversed);
    double volume = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t a = mesh->triangles[i], b = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
        edges[i] = a << 32 | b;
        reversed[i] = b << 32 | a;
    }
    qsort(edges, count, sizeof *edges, compare_integers);
    qsort(reversed, count, sizeof *reversed, compare_integers);
    assert_memory_equal(edges, reversed, count * sizeof *edges);
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *c = mesh->triangles + 3 * t;
        fm_float3 p[3];
        for (int k = 0; k < 3; k++)
            p[k] = fm_f3_load(mesh->points + 3 * c[k]);
        volume += fm_f3_dot(p[0], fm_f3_cross(p[1], p[2])) / 6;
    }
    // area of 0.5 x 0.8 m^2 times the thickness, slightly more because of the waves and the rim
    assert_in_interval(volume, 0.4 * paint.thickness, 0.45 * paint.thickness);
    free(edges);
    free(reversed);
    fm_drawing_destroy(drawing);
    destroy_sheet(&s);
}

static void points_that_are_not_finite_are_left_out_with_their_faces(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_drawing *drawing = fm_drawing_create(&err);
    sheet s = create_sheet(6, 5, wavy);
    fm_paint paint = fm_paint_solid();
    s.points[7].x = NAN;
    s.points[29].y = INFINITY;
    assert_true(fm_drawing_add_surface(drawing, &s.mesh, &paint, NULL, &err));
    assert_int_equal(fm_drawing_dropped_count(drawing), 2);
    // 40 triangles; leaving out an inner point removes four quadrilaterals, a corner one
    assert_int_equal(fm_drawing_triangle_count(drawing), 40 - 2 * 5);
    const fm_triangle_mesh *mesh = &drawing->meshes[0];
    for (int i = 0; i < 3 * mesh->point_count; i++)
        assert_true(isfinite(mesh->points[i]) && isfinite(mesh->normals[i]));
    fm_drawing_destroy(drawing);
    destroy_sheet(&s);
}

static void an_isolated_point_becomes_a_sphere(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_drawing *drawing = fm_drawing_create(&err);
    const fm_vec3 one = {1, 2, 3};
    fm_mesh_view point = {.point_count = 1, .points = &one}, none = {0};
    fm_paint paint = fm_paint_solid();
    assert_true(fm_drawing_add_surface(drawing, &none, &paint, NULL, &err));
    assert_int_equal(drawing->sphere_list_count, 0);
    assert_true(fm_drawing_add_surface(drawing, &point, &paint, NULL, &err));
    assert_int_equal(drawing->sphere_list_count, 1);
    assert_int_equal(drawing->sphere_lists[0].count, 1);
    assert_true(drawing->sphere_lists[0].points[3] > 0);
    fm_drawing_destroy(drawing);
}

static void lines_become_tubes_split_at_points_that_are_not_finite(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_drawing *drawing = fm_drawing_create(&err);
    // a rope through points 0 to 3; lines 4-6 and 6-5 end at point 6, which is not finite
    const fm_vec3 points[7] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0},  {3, 0, 0},
                               {0, 1, 0}, {0, 2, 0}, {0, NAN, 0}};
    const int lines[] = {2, 3, 1, 0, 2, 1, 4, 6, 6, 5};
    fm_mesh_view rope = {.points = points, .point_count = 7, .lines = lines, .line_count = 5};
    fm_paint paint = fm_paint_solid();
    const float values[7] = {0, 1, 2, 3, 0, 0, 0};
    fm_coloring coloring = {values, 0, 3, FM_COLORMAP_SEQUENTIAL};
    assert_true(fm_drawing_add_surface(drawing, &rope, &paint, &coloring, &err));
    assert_int_equal(fm_drawing_dropped_count(drawing), 1);
    assert_int_equal(drawing->sphere_list_count, 1);
    const fm_sphere_list *spheres = &drawing->sphere_lists[0];
    assert_true(spheres->joined);
    assert_int_equal(spheres->count, 13); // four pieces between two points of the spline
    for (int i = 0; i < 4; i++) {
        assert_close(spheres->points[16 * i], i, 0);
        assert_close(spheres->points[16 * i + 3], 0.06, 1e-6); // a fiftieth of the diagonal of 3 m
    }
    assert_close(spheres->points[4 * 6], 1.5, 1e-6);
    assert_close(spheres->colors[36], fm_colormap_color(FM_COLORMAP_SEQUENTIAL, 1).r, 1e-6);
    paint.radius = 0.01;
    // lines 2-3 and 0-1: two tubes; points 4 and 5 become spheres, 6 is left out
    rope.line_count = 2;
    assert_true(fm_drawing_add_surface(drawing, &rope, &paint, NULL, &err));
    assert_int_equal(drawing->sphere_list_count, 1 + 3);
    assert_false(drawing->sphere_lists[1].joined);
    assert_int_equal(drawing->sphere_lists[1].count, 2);
    assert_true(drawing->sphere_lists[2].joined && drawing->sphere_lists[3].joined);
    assert_close(drawing->sphere_lists[3].points[3], 0.01, 1e-9);
    const int beyond[] = {0, 7};
    rope.lines = beyond;
    rope.line_count = 1;
    assert_false(fm_drawing_add_surface(drawing, &rope, &paint, NULL, &err));
    assert_non_null(strstr(err.text, "lines is 7"));
    fm_drawing_destroy(drawing);
}

static void colours_of_a_field_cover_both_sides_and_the_rim(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_drawing *drawing = fm_drawing_create(&err);
    sheet s = create_sheet(4, 4, flat);
    float values[16];
    for (int i = 0; i < 16; i++)
        values[i] = 2.0f;
    fm_coloring coloring = {values, 0, 2, FM_COLORMAP_SEQUENTIAL};
    fm_paint paint = fm_default_paint();
    assert_true(fm_drawing_add_surface(drawing, &s.mesh, &paint, &coloring, &err));
    fm_color highest = fm_colormap_color(FM_COLORMAP_SEQUENTIAL, 1); // of the largest value
    const fm_triangle_mesh *mesh = &drawing->meshes[0];
    for (int i = 0; i < mesh->point_count; i++) {
        assert_close(mesh->colors[3 * i], highest.r, 1e-6);
        assert_close(mesh->colors[3 * i + 1], highest.g, 1e-6);
    }
    fm_drawing_destroy(drawing);
    destroy_sheet(&s);
}

static void the_framing_camera_has_all_corners_of_the_box_in_view(void **state)
{
    (void)state;
    fm_bounds box = {{-0.3, -0.6, -0.1}, {0.4, 0.2, 0.25}};
    for (int i = 0; i < 24; i++) {
        double aspect = i % 2 ? 16.0 / 9 : 0.6;
        fm_camera c = fm_camera_frame(&box, 15 * i, 70 - 6 * i, aspect);
        fm_float3 eye = fm_f3_from_vec3(c.position);
        fm_float3 forward = fm_f3_unit(fm_f3_sub(fm_f3_from_vec3(c.target), eye));
        fm_float3 right = fm_f3_unit(fm_f3_cross(forward, fm_f3_from_vec3(c.up)));
        fm_float3 up = fm_f3_cross(right, forward);
        double tan_y = tan(c.field_of_view / 2);
        for (int k = 0; k < 8; k++) {
            fm_float3 p = fm_f3((float)(k & 1 ? box.low.x : box.high.x),
                                (float)(k & 2 ? box.low.y : box.high.y),
                                (float)(k & 4 ? box.low.z : box.high.z));
            fm_float3 d = fm_f3_sub(p, eye);
            double depth = fm_f3_dot(d, forward);
            assert_true(depth > 0);
            assert_at_most(fabsf(fm_f3_dot(d, up)) / depth, tan_y);
            assert_at_most(fabsf(fm_f3_dot(d, right)) / depth, tan_y * aspect);
        }
    }
    fm_bounds none = fm_bounds_empty();
    fm_camera c = fm_camera_frame(&none, 0, 0, 1);
    assert_true(isfinite(c.position.z) && c.position.z > c.target.z);
}

// Checks that the mesh of a shape faces outwards, that its points lie on the collider's surface,
// that its normals agree with its triangles, and that it encloses the exact volume within 1 %.
static void check_shape_mesh(const fm_shape *shape, const char *name)
{
    fm_error err = {0};
    fm_arena arena = {0};
    fm_drawing *drawing = fm_drawing_create(&err);
    fm_paint paint = fm_paint_solid();
    assert_true(fm_drawing_add_shape(drawing, shape, &paint, &err));
    fm_collider_def def = fm_default_collider_def();
    def.shape = *shape;
    const fm_collider *collider = fm_collider_create_in_arena(&arena, &def, &err);
    const fm_triangle_mesh *mesh = &drawing->meshes[0];
    double volume = 0;
    for (int i = 0; i < mesh->point_count; i++) {
        const float *p = mesh->points + 3 * i;
        double d = fm_collider_distance(collider, (fm_vec3){p[0], p[1], p[2]}, 0, NULL, NULL, NULL);
        assert_close(d, 0, 1e-5);
    }
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *c = mesh->triangles + 3 * t;
        fm_float3 p[3];
        for (int k = 0; k < 3; k++)
            p[k] = fm_f3_load(mesh->points + 3 * c[k]);
        fm_float3 n = fm_f3_cross(fm_f3_sub(p[1], p[0]), fm_f3_sub(p[2], p[0]));
        volume += fm_f3_dot(n, p[0]) / 6;
        for (int k = 0; k < 3 && fm_f3_length(n) > 1e-7f; k++)
            assert_true(fm_f3_dot(n, fm_f3_load(mesh->normals + 3 * c[k])) > 0);
    }
    double r = shape->radius, s = shape->end_radius, height = shape->end.y;
    fm_vec3 h = shape->half_size; // of the ellipsoid: its half axes
    double expected = shape->kind == FM_SHAPE_ELLIPSOID ? 4 * FM_PI / 3 * h.x * h.y * h.z
                      : shape->kind == FM_SHAPE_CONE ? FM_PI * height * (r * r + r * s + s * s) / 3
                                                     : FM_PI * height * r * r;
    if (fabs(volume / expected - 1) > 0.01)
        fail_msg("%s: volume %g, expected %g", name, volume, expected);
    fm_drawing_destroy(drawing);
    fm_arena_destroy(&arena);
}

static void meshes_of_curved_shapes_match_the_collider_and_its_volume(void **state)
{
    (void)state;
    fm_shape can = {.kind = FM_SHAPE_CYLINDER, .end = {0, 1.5, 0}, .radius = 0.4};
    fm_shape hat = {.kind = FM_SHAPE_CONE, .end = {0, 1.5, 0}, .radius = 0.4};
    fm_shape cut = {.kind = FM_SHAPE_CONE, .end = {0, 1.5, 0}, .radius = 0.4, .end_radius = 0.7};
    fm_shape egg = {.kind = FM_SHAPE_ELLIPSOID,
                    .centre = {0.5, 0, 0},
                    .half_size = {0.3, 0.7, 0.5},
                    .rotation = {0, 0, 0.6, 0.8}};
    check_shape_mesh(&can, "cylinder");
    check_shape_mesh(&hat, "cone");
    check_shape_mesh(&cut, "cut cone");
    check_shape_mesh(&egg, "ellipsoid");
}

// A figure is drawn with a smooth skin around the collision shapes of its bones. In creases, for
// example under the arms, the skin is up to 3 cm outside the shapes; 9 of 10 points are within 1
// cm.
static void the_skin_of_a_figure_is_closed_and_close_to_the_bones_shapes(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = fixture_create_world(fixture_water_def(1), &err);
    fm_figure_def def = fm_default_figure_def();
    def.motion = FM_FIGURE_DANCE;
    fm_figure *figure = fm_figure_create(world, &def, &err);
    assert_true(fm_figure_add_colliders(world, figure, 0, &err));
    fm_drawing *drawing = fm_drawing_create(&err);
    fm_paint paint = fm_paint_figure();
    const double t = 5; // s, time of the pose
    assert_true(fm_drawing_add_figure(drawing, figure, t, &paint, &err));
    const fm_triangle_mesh *mesh = &drawing->meshes[0];
    assert_true(mesh->point_count > 5000);
    double volume = 0, furthest = 0; // m^3; m, largest distance of a point from the shapes
    int off = 0, inwards = 0;        // points off by more than 1 cm; triangles that face inwards
    for (int i = 0; i < mesh->point_count; i++) {
        const float *p = mesh->points + 3 * i;
        double nearest = INFINITY;
        for (int k = 0; k < FM_BONE_COUNT; k++)
            nearest = fmin(nearest,
                           fm_collider_distance(fm_world_collider(world, k),
                                                (fm_vec3){p[0], p[1], p[2]}, t, NULL, NULL, NULL));
        furthest = fmax(furthest, fabs(nearest));
        off += fabs(nearest) > 0.01;
        assert_close(fm_f3_length(fm_f3_load(mesh->normals + 3 * i)), 1, 1e-5);
    }
    assert_at_most(furthest, 0.03);
    assert_at_most(off, 0.1 * mesh->point_count);
    for (int f = 0; f < mesh->triangle_count; f++) {
        fm_float3 p[3];
        for (int k = 0; k < 3; k++)
            p[k] = fm_f3_load(mesh->points + 3 * mesh->triangles[3 * f + k]);
        volume += fm_f3_dot(p[0], fm_f3_cross(p[1], p[2])) / 6;
        const float *n = mesh->normals + 3 * (size_t)mesh->triangles[3 * f];
        fm_float3 face = fm_f3_cross(fm_f3_sub(p[1], p[0]), fm_f3_sub(p[2], p[0]));
        inwards += fm_f3_dot(face, fm_f3_load(n)) < 0;
    }
    assert_at_most(inwards, 0.002 * mesh->triangle_count); // slivers in sharp creases
    assert_in_interval(volume, 0.045, 0.075);              // m^3, of an adult
    fm_drawing_destroy(drawing);
    fm_world_destroy(world);
}

// A cloth lies in front of a hip, where the blended skin would cover it: no skin vertex stays in
// front of the cloth.
static void skin_is_pushed_below_cloth_that_was_drawn_before(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = fixture_create_world(fixture_water_def(1), &err);
    fm_figure_def def = fm_default_figure_def();
    fm_figure *figure = fm_figure_create(world, &def, &err);
    sheet worn_sheet = create_sheet(8, 31, flat); // x 0.05 to 0.12 m, y 1.1 to 0.8 m
    for (int i = 0; i < 8 * 31; i++) {
        float across = (float)(i % 8) / 7, down = (float)(i / 8) / 30;
        worn_sheet.points[i] =
            (fm_vec3){0.05f + 0.07f * across, 1.1f - 0.3f * down, 0.117f - 0.027f * down};
    }
    int outside[2] = {0}; // skin vertices in front of the place of the cloth, without and with it
    for (int worn = 0; worn < 2; worn++) {
        fm_drawing *drawing = fm_drawing_create(&err);
        fm_paint cloth = fm_default_paint(), skin = fm_paint_figure();
        cloth.thickness = 0.001;
        if (worn)
            assert_true(fm_drawing_add_surface(drawing, &worn_sheet.mesh, &cloth, NULL, &err));
        assert_true(fm_drawing_add_figure(drawing, figure, 0, &skin, &err));
        const fm_triangle_mesh *mesh = &drawing->meshes[worn];
        for (int i = 0; i < mesh->point_count; i++) {
            const float *p = mesh->points + 3 * (size_t)i;
            float down = (1.1f - p[1]) / 0.3f;
            outside[worn] += p[0] > 0.055f && p[0] < 0.115f && down > 0.05f && down < 0.95f &&
                             p[2] > 0.117f - 0.027f * down && p[2] < 0.15f;
        }
        fm_drawing_destroy(drawing);
    }
    assert_true(outside[0] > 20); // without the cloth some skin is in front of it
    assert_int_equal(outside[1], 0);
    destroy_sheet(&worn_sheet);
    fm_world_destroy(world);
}

static void box_capsule_and_sphere_become_a_mesh_a_tube_and_a_sphere(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_drawing *drawing = fm_drawing_create(&err);
    fm_paint paint = fm_paint_solid();
    fm_shape shape = {.kind = FM_SHAPE_BOX, .half_size = {1, 2, 3}, .rotation = {0, 0, 0, 1}};
    assert_true(fm_drawing_add_shape(drawing, &shape, &paint, &err));
    assert_int_equal(fm_drawing_triangle_count(drawing), 12);
    const fm_triangle_mesh *mesh = &drawing->meshes[0];
    for (int t = 0; t < 12; t++) { // faces are oriented outwards
        const int *c = mesh->triangles + 3 * t;
        fm_float3 p[3];
        for (int k = 0; k < 3; k++)
            p[k] = fm_f3_load(mesh->points + 3 * c[k]);
        fm_float3 n = fm_f3_cross(fm_f3_sub(p[1], p[0]), fm_f3_sub(p[2], p[0]));
        assert_true(fm_f3_dot(n, p[0]) > 0);
        assert_true(fm_f3_dot(n, fm_f3_load(mesh->normals + 3 * c[0])) > 0);
    }
    shape = (fm_shape){.kind = FM_SHAPE_CAPSULE, .end = {0, 1, 0}, .radius = 0.1};
    assert_true(fm_drawing_add_shape(drawing, &shape, &paint, &err));
    shape = (fm_shape){.kind = FM_SHAPE_SPHERE, .radius = 0.1};
    assert_true(fm_drawing_add_shape(drawing, &shape, &paint, &err));
    assert_int_equal(drawing->sphere_list_count, 2);
    assert_true(drawing->sphere_lists[0].joined);
    assert_false(drawing->sphere_lists[1].joined);
    fm_drawing_destroy(drawing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sequential_colormap_gets_lighter_in_even_steps),
        cmocka_unit_test(colormaps_accept_values_outside_0_to_1_and_nan),
        cmocka_unit_test(ticks_of_a_colour_bar_are_round_numbers_within_the_range),
        cmocka_unit_test(a_grid_of_quadrilaterals_is_recognised_as_a_sheet),
        cmocka_unit_test(the_spline_surface_passes_through_the_points_and_keeps_a_plane),
        cmocka_unit_test(a_thickened_sheet_is_closed_and_has_the_right_volume),
        cmocka_unit_test(points_that_are_not_finite_are_left_out_with_their_faces),
        cmocka_unit_test(an_isolated_point_becomes_a_sphere),
        cmocka_unit_test(lines_become_tubes_split_at_points_that_are_not_finite),
        cmocka_unit_test(colours_of_a_field_cover_both_sides_and_the_rim),
        cmocka_unit_test(the_framing_camera_has_all_corners_of_the_box_in_view),
        cmocka_unit_test(box_capsule_and_sphere_become_a_mesh_a_tube_and_a_sphere),
        cmocka_unit_test(meshes_of_curved_shapes_match_the_collider_and_its_volume),
        cmocka_unit_test(the_skin_of_a_figure_is_closed_and_close_to_the_bones_shapes),
        cmocka_unit_test(skin_is_pushed_below_cloth_that_was_drawn_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
