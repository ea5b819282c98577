// SPDX-License-Identifier: MIT
// draw.c: colours, smooth surfaces, two sides, cameras.
#include "draw/draw.h"
#include "check.h"
#include "collide/collide.h"

#include <fathom/world.h>
#include <stdlib.h>
#include <string.h>

// A sheet over x, y with z from a function.
typedef struct sheet {
    int columns, rows;
    float *points;
    int *start, *corner;
    fm_polygons polygons;
} sheet;

static sheet make_sheet(int columns, int rows, float (*z)(float x, float y))
{
    int faces = (columns - 1) * (rows - 1);
    sheet s = {columns,
               rows,
               malloc(3 * (size_t)columns * rows * sizeof(float)),
               malloc(((size_t)faces + 1) * sizeof(int)),
               malloc(4 * (size_t)faces * sizeof(int)),
               {0}};
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            float x = 0.1f * (float)c, y = -0.2f * (float)r;
            fm_f3_store(s.points + 3 * (r * columns + c), fm_f3(x, y, z(x, y)));
        }
    for (int f = 0; f < faces; f++) {
        int i = f / (columns - 1) * columns + f % (columns - 1);
        const int corner[4] = {i, i + columns, i + columns + 1, i + 1};
        s.start[f] = 4 * f;
        memcpy(s.corner + 4 * f, corner, sizeof corner);
    }
    s.start[faces] = 4 * faces;
    s.polygons = (fm_polygons){.point_count = columns * rows,
                               .points = s.points,
                               .face_count = faces,
                               .face_start = s.start,
                               .face_points = s.corner};
    return s;
}

static void free_sheet(sheet *s)
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

static double screen(float x)
{
    return x <= 0.0031308f ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
}

// Lightness of Oklab.
static double lightness(fm_color c)
{
    double l = 0.4122214708 * c.r + 0.5363325363 * c.g + 0.0514459929 * c.b;
    double m = 0.2119034982 * c.r + 0.6806995451 * c.g + 0.1073969566 * c.b;
    double s = 0.0883024619 * c.r + 0.2817188376 * c.g + 0.6299787005 * c.b;
    return 0.2104542553 * cbrt(l) + 0.7936177850 * cbrt(m) - 0.0040720468 * cbrt(s);
}

static void test_map_gets_lighter(void **state)
{
    (void)state;
    for (int i = 1; i <= 100; i++) {
        double before = lightness(fm_map_color(FM_MAP_SEQUENTIAL, (i - 1) / 100.0));
        double after = lightness(fm_map_color(FM_MAP_SEQUENTIAL, i / 100.0));
        assert_in_interval(after - before, 0.002, 0.02); // 0.68 in 100 steps, none much larger
    }
    double middle = lightness(fm_map_color(FM_MAP_DIVERGING, 0.5));
    assert_close(lightness(fm_map_color(FM_MAP_DIVERGING, 0)),
                 lightness(fm_map_color(FM_MAP_DIVERGING, 1)), 0.03);
    assert_true(middle > 0.9);
}

static void test_map_takes_anything(void **state)
{
    (void)state;
    const double odd[] = {-1, 2, NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 5; i++) {
        fm_color c = fm_map_color(FM_MAP_SEQUENTIAL, odd[i]);
        assert_in_interval(c.r, 0, 1);
        assert_in_interval(c.g, 0, 1);
        assert_in_interval(c.b, 0, 1);
    }
    fm_color grey = fm_color_from_srgb(0.5, 0.5, 0.5);
    assert_close(screen(grey.r), 0.5, 1e-6);
}

static void test_ticks(void **state)
{
    (void)state;
    double ticks[6];
    int count = fm_choose_ticks(0, 0.173, ticks, 5);
    assert_int_equal(count, 4);
    assert_close(ticks[3], 0.15, 1e-12);
    count = fm_choose_ticks(-1, 1, ticks, 5);
    assert_int_equal(count, 5);
    assert_close(ticks[0], -1, 1e-12);
    assert_close(ticks[2], 0, 1e-12);
    assert_int_equal(fm_choose_ticks(1, 1, ticks, 5), 0);
    assert_int_equal(fm_choose_ticks(NAN, 1, ticks, 5), 0);
    assert_int_equal(fm_choose_ticks(0, INFINITY, ticks, 5), 0);
}

static void test_sheets_are_found(void **state)
{
    (void)state;
    int columns, rows;
    sheet s = make_sheet(5, 4, wavy);
    assert_true(fm_polygons_are_sheet(&s.polygons, &columns, &rows));
    assert_int_equal(columns, 5);
    assert_int_equal(rows, 4);
    double spacing[2];
    fm_polygons_spacing(&s.polygons, spacing);
    assert_in_interval(spacing[0], 0.1, 0.11);
    assert_in_interval(spacing[1], 0.2, 0.21);
    s.corner[9] = 0; // one corner elsewhere
    assert_false(fm_polygons_are_sheet(&s.polygons, &columns, &rows));
    assert_int_equal(columns, 0);
    free_sheet(&s);
}

// The surface goes through the points, and a plane stays one.
static void test_refinement_interpolates(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_arena arena = {0};
    fm_patch patch = {0};
    sheet s = make_sheet(9, 7, wavy), p = make_sheet(9, 7, flat);
    assert_true(fm_sheet_patch(&arena, &s.polygons, NULL, 9, 7, &patch, &err));
    int fine = (int)lroundf(patch.extent[0] / (patch.texture[2] - patch.texture[0])) + 1;
    int factor = (fine - 1) / 8;
    assert_true(factor >= 2);
    for (int r = 0; r < 7; r++)
        for (int c = 0; c < 9; c++) {
            const float *a = s.points + 3 * (r * 9 + c);
            const float *b = patch.points + 3 * (r * factor * fine + c * factor);
            for (int k = 0; k < 3; k++)
                assert_close(b[k], a[k], 1e-6);
        }
    assert_true(fm_sheet_patch(&arena, &p.polygons, NULL, 9, 7, &patch, &err));
    for (int i = 0; i < patch.point_count; i++) {
        assert_close(patch.points[3 * i + 2], 0.5, 1e-6);
        assert_close(patch.normals[3 * i + 2], 1, 1e-6);
    }
    fm_arena_free(&arena);
    free_sheet(&s);
    free_sheet(&p);
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// Two sides and a rim enclose a volume: each edge has its opposite exactly once.
static void test_slab_is_closed(void **state)
{
    (void)state;
    fm_error err = {0};
    sheet s = make_sheet(6, 5, wavy);
    fm_drawing *drawing = fm_drawing_create(&err);
    fm_paint paint = fm_default_paint();
    assert_true(fm_drawing_add_surface(drawing, &s.polygons, &paint, NULL, &err));
    const fm_mesh *mesh = &drawing->meshes[0];
    size_t count = 3 * (size_t)mesh->triangle_count;
    int64_t *edges = malloc(count * sizeof *edges), *turned = malloc(count * sizeof *turned);
    double volume = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t a = mesh->triangles[i], b = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
        edges[i] = a << 32 | b;
        turned[i] = b << 32 | a;
    }
    qsort(edges, count, sizeof *edges, by_value);
    qsort(turned, count, sizeof *turned, by_value);
    assert_memory_equal(edges, turned, count * sizeof *edges);
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *c = mesh->triangles + 3 * t;
        fm_float3 p[3];
        for (int k = 0; k < 3; k++)
            p[k] = fm_f3_load(mesh->points + 3 * c[k]);
        volume += fm_f3_dot(p[0], fm_f3_cross(p[1], p[2])) / 6;
    }
    // 0.5 x 0.8 m, a little more for the waves and the rim
    assert_in_interval(volume, 0.4 * paint.thickness, 0.45 * paint.thickness);
    free(edges);
    free(turned);
    fm_drawing_destroy(drawing);
    free_sheet(&s);
}

static void test_bad_points_are_dropped(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_drawing *drawing = fm_drawing_create(&err);
    sheet s = make_sheet(6, 5, wavy);
    fm_paint paint = fm_solid_paint();
    s.points[3 * 7] = NAN;
    s.points[3 * 29 + 1] = INFINITY;
    assert_true(fm_drawing_add_surface(drawing, &s.polygons, &paint, NULL, &err));
    assert_int_equal(fm_drawing_dropped_count(drawing), 2);
    // 40 triangles; an inner point takes four quadrilaterals with it, a corner one
    assert_int_equal(fm_drawing_triangle_count(drawing), 40 - 2 * 5);
    const fm_mesh *mesh = &drawing->meshes[0];
    for (int i = 0; i < 3 * mesh->point_count; i++)
        assert_true(isfinite(mesh->points[i]) && isfinite(mesh->normals[i]));
    fm_drawing_destroy(drawing);
    free_sheet(&s);
}

static void test_points_become_spheres(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_drawing *drawing = fm_drawing_create(&err);
    const float one[3] = {1, 2, 3};
    fm_polygons point = {.point_count = 1, .points = one}, none = {0};
    fm_paint paint = fm_solid_paint();
    assert_true(fm_drawing_add_surface(drawing, &none, &paint, NULL, &err));
    assert_int_equal(drawing->bead_count, 0);
    assert_true(fm_drawing_add_surface(drawing, &point, &paint, NULL, &err));
    assert_int_equal(drawing->bead_count, 1);
    assert_int_equal(drawing->beads[0].count, 1);
    assert_true(drawing->beads[0].points[3] > 0);
    fm_drawing_destroy(drawing);
}

static void test_coloring_covers_both_sides(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_drawing *drawing = fm_drawing_create(&err);
    sheet s = make_sheet(4, 4, flat);
    float values[16];
    for (int i = 0; i < 16; i++)
        values[i] = 2.0f;
    fm_coloring coloring = {values, 0, 2, FM_MAP_SEQUENTIAL};
    fm_paint paint = fm_default_paint();
    assert_true(fm_drawing_add_surface(drawing, &s.polygons, &paint, &coloring, &err));
    fm_color top = fm_map_color(FM_MAP_SEQUENTIAL, 1);
    const fm_mesh *mesh = &drawing->meshes[0];
    for (int i = 0; i < mesh->point_count; i++) {
        assert_close(mesh->colors[3 * i], top.r, 1e-6);
        assert_close(mesh->colors[3 * i + 1], top.g, 1e-6);
    }
    fm_drawing_destroy(drawing);
    free_sheet(&s);
}

// Every corner of the box is inside the picture, from any side.
static void test_camera_sees_the_box(void **state)
{
    (void)state;
    fm_bounds box = {{-0.3, -0.6, -0.1}, {0.4, 0.2, 0.25}};
    for (int i = 0; i < 24; i++) {
        double aspect = i % 2 ? 16.0 / 9 : 0.6;
        fm_camera c = fm_camera_frame(&box, 15 * i, 70 - 6 * i, aspect);
        fm_float3 eye = fm_f3_from(c.position);
        fm_float3 forward = fm_f3_unit(fm_f3_sub(fm_f3_from(c.target), eye));
        fm_float3 right = fm_f3_unit(fm_f3_cross(forward, fm_f3_from(c.up)));
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
    fm_bounds none = fm_empty_bounds();
    fm_camera c = fm_camera_frame(&none, 0, 0, 1);
    assert_true(isfinite(c.position.z) && c.position.z > c.target.z);
}

// Closed, facing outwards, points on the surface and normals as the collider has them.
static void check_solid(const fm_shape *shape, const char *what)
{
    fm_error err = {0};
    fm_arena arena = {0};
    fm_drawing *drawing = fm_drawing_create(&err);
    fm_paint paint = fm_solid_paint();
    assert_true(fm_drawing_add_shape(drawing, shape, &paint, &err));
    fm_collider_def def = fm_default_collider_def();
    def.shape = *shape;
    const fm_collider *collider = fm_collider_new(&arena, &def, &err);
    const fm_mesh *mesh = &drawing->meshes[0];
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
    fm_vec3 h = shape->half_size;
    double expected = shape->kind == FM_SHAPE_ELLIPSOID ? 4 * FM_PI / 3 * h.x * h.y * h.z
                      : shape->kind == FM_SHAPE_CONE ? FM_PI * height * (r * r + r * s + s * s) / 3
                                                     : FM_PI * height * r * r;
    if (fabs(volume / expected - 1) > 0.01)
        fail_msg("%s: volume %g, expected %g", what, volume, expected);
    fm_drawing_destroy(drawing);
    fm_arena_free(&arena);
}

static void test_solids(void **state)
{
    (void)state;
    fm_shape can = {.kind = FM_SHAPE_CYLINDER, .end = {0, 1.5, 0}, .radius = 0.4};
    fm_shape hat = {.kind = FM_SHAPE_CONE, .end = {0, 1.5, 0}, .radius = 0.4};
    fm_shape cut = {.kind = FM_SHAPE_CONE, .end = {0, 1.5, 0}, .radius = 0.4, .end_radius = 0.7};
    fm_shape egg = {.kind = FM_SHAPE_ELLIPSOID,
                    .centre = {0.5, 0, 0},
                    .half_size = {0.3, 0.7, 0.5},
                    .rotation = {0, 0, 0.6, 0.8}};
    check_solid(&can, "cylinder");
    check_solid(&hat, "cone");
    check_solid(&cut, "cut cone");
    check_solid(&egg, "ellipsoid");
}

// The skin of a figure is closed, faces outwards, and lies close to its bones' shapes: in creases,
// as under the arms, up to 3 cm out; in 9 of 10 places within 1 cm.
static void test_skin(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = 1;
    fm_world *world = fm_world_create(&world_def, &err);
    fm_figure_def def = fm_default_figure_def();
    def.motion = FM_FIGURE_DANCE;
    fm_figure *figure = fm_figure_create(world, &def, &err);
    assert_true(fm_figure_add_colliders(world, figure, 0, &err));
    fm_drawing *drawing = fm_drawing_create(&err);
    fm_paint paint = fm_figure_paint();
    assert_true(fm_drawing_add_figure(drawing, figure, 5, &paint, &err));
    const fm_mesh *mesh = &drawing->meshes[0];
    assert_true(mesh->point_count > 5000);
    double volume = 0, furthest = 0;
    int off = 0, inwards = 0;
    for (int i = 0; i < mesh->point_count; i++) {
        const float *p = mesh->points + 3 * i;
        double nearest = INFINITY;
        for (int k = 0; k < FM_BONE_COUNT; k++)
            nearest = fmin(nearest,
                           fm_collider_distance(fm_world_collider(world, k),
                                                (fm_vec3){p[0], p[1], p[2]}, 5, NULL, NULL, NULL));
        furthest = fmax(furthest, fabs(nearest));
        off += fabs(nearest) > 0.01;
        assert_close(fm_f3_length(fm_f3_load(mesh->normals + 3 * i)), 1, 1e-5);
    }
    assert_at_most(furthest, 0.03);
    assert_at_most(off, 0.1 * mesh->point_count);
    for (int t = 0; t < mesh->triangle_count; t++) {
        fm_float3 p[3];
        for (int k = 0; k < 3; k++)
            p[k] = fm_f3_load(mesh->points + 3 * mesh->triangles[3 * t + k]);
        volume += fm_f3_dot(p[0], fm_f3_cross(p[1], p[2])) / 6;
        const float *n = mesh->normals + 3 * (size_t)mesh->triangles[3 * t];
        fm_float3 face = fm_f3_cross(fm_f3_sub(p[1], p[0]), fm_f3_sub(p[2], p[0]));
        inwards += fm_f3_dot(face, fm_f3_load(n)) < 0;
    }
    assert_at_most(inwards, 0.002 * mesh->triangle_count); // slivers in sharp creases
    assert_in_interval(volume, 0.045, 0.075);              // of an adult: 45 to 75 litres
    fm_drawing_destroy(drawing);
    fm_world_destroy(world);
}

// Cloth that lies where blending has put skin, in front of a hip: no point of the skin stays
// outside of it.
static void test_skin_below_cloth(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = 1;
    fm_world *world = fm_world_create(&world_def, &err);
    fm_figure_def def = fm_default_figure_def();
    fm_figure *figure = fm_figure_create(world, &def, &err);
    sheet worn_sheet = make_sheet(8, 31, flat); // 0.05 to 0.12 m across, 1.1 to 0.8 m high
    for (int i = 0; i < 8 * 31; i++) {
        float across = (float)(i % 8) / 7, down = (float)(i / 8) / 30;
        fm_f3_store(worn_sheet.points + 3 * (size_t)i,
                    fm_f3(0.05f + 0.07f * across, 1.1f - 0.3f * down, 0.117f - 0.027f * down));
    }
    int outside[2] = {0};
    for (int worn = 0; worn < 2; worn++) {
        fm_drawing *drawing = fm_drawing_create(&err);
        fm_paint cloth = fm_default_paint(), skin = fm_figure_paint();
        cloth.thickness = 0.001;
        if (worn)
            assert_true(fm_drawing_add_surface(drawing, &worn_sheet.polygons, &cloth, NULL, &err));
        assert_true(fm_drawing_add_figure(drawing, figure, 0, &skin, &err));
        const fm_mesh *mesh = &drawing->meshes[worn];
        for (int i = 0; i < mesh->point_count; i++) {
            const float *p = mesh->points + 3 * (size_t)i;
            float down = (1.1f - p[1]) / 0.3f;
            outside[worn] += p[0] > 0.055f && p[0] < 0.115f && down > 0.05f && down < 0.95f &&
                             p[2] > 0.117f - 0.027f * down && p[2] < 0.15f;
        }
        fm_drawing_destroy(drawing);
    }
    assert_true(outside[0] > 20); // without it there is something to press in
    assert_int_equal(outside[1], 0);
    free_sheet(&worn_sheet);
    fm_world_destroy(world);
}

static void test_shapes(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_drawing *drawing = fm_drawing_create(&err);
    fm_paint paint = fm_solid_paint();
    fm_shape shape = {.kind = FM_SHAPE_BOX, .half_size = {1, 2, 3}, .rotation = {0, 0, 0, 1}};
    assert_true(fm_drawing_add_shape(drawing, &shape, &paint, &err));
    assert_int_equal(fm_drawing_triangle_count(drawing), 12);
    const fm_mesh *mesh = &drawing->meshes[0];
    for (int t = 0; t < 12; t++) { // faces look outwards
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
    assert_int_equal(drawing->bead_count, 2);
    assert_true(drawing->beads[0].joined);
    assert_false(drawing->beads[1].joined);
    fm_drawing_destroy(drawing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_map_gets_lighter),
        cmocka_unit_test(test_map_takes_anything),
        cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_sheets_are_found),
        cmocka_unit_test(test_refinement_interpolates),
        cmocka_unit_test(test_slab_is_closed),
        cmocka_unit_test(test_bad_points_are_dropped),
        cmocka_unit_test(test_points_become_spheres),
        cmocka_unit_test(test_coloring_covers_both_sides),
        cmocka_unit_test(test_camera_sees_the_box),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_solids),
        cmocka_unit_test(test_skin),
        cmocka_unit_test(test_skin_below_cloth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
