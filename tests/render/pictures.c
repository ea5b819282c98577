// SPDX-License-Identifier: MIT
// pictures.c: rendered pictures match reference images, for any number of threads.
//
// References are small PNG files; `pictures --write` writes them again. Processors differ in the
// last bits of a distance, and a ray that barely hits an edge on one may miss it on another. The
// mean difference must therefore be small, while single pixels may differ.
#include "check.h"

#include <fathom/draw.h>
#include <fathom/render.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 192, HEIGHT = 108 }; // pixels

static bool write_references; // set by main; cmocka passes no arguments to tests

// Adds a wavy cloth of columns x rows points, 0.4 m x 0.55 m. colored: by a field, from 0 at the
// left edge to 1 at the right edge.
static void add_wavy_cloth(fm_drawing *drawing, int columns, int rows, bool colored, fm_error *err)
{
    int points = columns * rows, faces = (columns - 1) * (rows - 1);
    fm_vec3 *p = malloc((size_t)points * sizeof *p);
    float *values = malloc((size_t)points * sizeof *values);
    int *start = malloc(((size_t)faces + 1) * sizeof *start);
    int *corner = malloc(4 * (size_t)faces * sizeof *corner);
    for (int i = 0; i < points; i++) {
        int c = i % columns, r = i / columns;
        float u = (float)c / (float)(columns - 1), v = (float)r / (float)(rows - 1);
        p[i].x = 0.4f * u + 0.02f * sinf(9 * v);
        p[i].y = -0.55f * v;
        p[i].z = 0.05f * sinf(12 * v + 2 * u) * (0.3f + v);
        values[i] = u;
    }
    for (int f = 0; f < faces; f++) {
        int i = f / (columns - 1) * columns + f % (columns - 1);
        const int quad[4] = {i, i + columns, i + columns + 1, i + 1};
        start[f] = 4 * f;
        memcpy(corner + 4 * (size_t)f, quad, sizeof quad);
    }
    start[faces] = 4 * faces;
    fm_mesh_view mesh = {.point_count = points,
                         .points = p,
                         .face_count = faces,
                         .face_start = start,
                         .face_points = corner};
    fm_paint paint = fm_default_paint();
    fm_coloring coloring = {values, 0, 1, FM_COLORMAP_SEQUENTIAL};
    fm_drawing_add_surface(drawing, &mesh, &paint, colored ? &coloring : NULL, err);
    free(p);
    free(values);
    free(start);
    free(corner);
}

// A picture of the wavy cloth in this style.
static fm_shot_def define_shot(fm_style style)
{
    fm_shot_def def = fm_default_shot_def();
    def.look = fm_default_look(style);
    def.bounds = (fm_bounds){{0, -0.55, -0.05}, {0.4, 0, 0.05}};
    def.camera = fm_camera_frame(&def.bounds, 35, 4, (double)WIDTH / HEIGHT);
    def.samples = 8;
    def.time = 1.5;
    return def;
}

// Renders a drawing with this number of threads.
static fm_picture *draw(const fm_drawing *drawing, const fm_shot_def *def, int threads,
                        fm_error *err)
{
    fm_renderer *renderer = fm_renderer_create(threads, err);
    fm_picture *picture = fm_picture_create(WIDTH, HEIGHT, err);
    bool good = renderer && picture && fm_renderer_draw(renderer, drawing, def, picture, NULL, err);
    fm_renderer_destroy(renderer);
    assert_good(good, err);
    return picture;
}

// Asserts that a picture differs little from the reference image of that name, or writes the image.
static void compare_with_reference(const fm_picture *picture, const char *name)
{
    char path[512];
    fm_error err = {0};
    snprintf(path, sizeof path, "%s/%s.png", RENDER_REFERENCE_DIR, name);
    if (write_references) {
        assert_true(fm_picture_write(picture, path, &err));
        return;
    }
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_RGB;
    assert_int_equal(image.width, picture->width);
    assert_int_equal(image.height, picture->height);
    unsigned char *pixels = malloc(PNG_IMAGE_SIZE(image));
    assert_true(png_image_finish_read(&image, NULL, pixels, 0, NULL));
    size_t count = 3 * (size_t)picture->width * (size_t)picture->height; // bytes
    size_t far = 0; // bytes that differ by more than 24 of 255
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        int d = abs(pixels[i] - picture->pixels[i]);
        sum += d;
        far += d > 24;
    }
    free(pixels);
    // mean difference in 8-bit steps; a wrong light, colour or camera gives ten or more
    assert_at_most(sum / (double)count, 1.0);
    assert_at_most((double)far / (double)count, 0.01);
}

// Renders the wavy cloth and compares it with a reference image. colored: by a field, with a
// legend.
static void draw_and_compare(fm_style style, bool colored, const char *name)
{
    fm_error err = {0};
    fm_drawing *drawing = fm_drawing_create(&err);
    add_wavy_cloth(drawing, 21, 31, colored, &err);
    fm_shot_def def = define_shot(style);
    fm_picture *picture = draw(drawing, &def, 2, &err);
    if (colored) {
        fm_picture_add_legend(picture, 8, 100, 7, FM_COLORMAP_SEQUENTIAL, 0, 1, "velocity, m/s");
        fm_picture_add_text(picture, 4, 14, 9, "Text 0.5 [x]");
    }
    compare_with_reference(picture, name);
    fm_picture_destroy(picture);
    fm_drawing_destroy(drawing);
}

static void cloth_under_water_matches_the_reference(void **state)
{
    (void)state;
    draw_and_compare(FM_STYLE_UNDERWATER, false, "underwater");
}

static void cloth_in_the_studio_matches_the_reference(void **state)
{
    (void)state;
    draw_and_compare(FM_STYLE_STUDIO, false, "studio");
}

static void colours_legend_and_text_match_the_reference(void **state)
{
    (void)state;
    draw_and_compare(FM_STYLE_STUDIO, true, "colors");
}

static void empty_and_simple_drawings_match_the_references(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_drawing *drawing = fm_drawing_create(&err);
    fm_shot_def def = define_shot(FM_STYLE_UNDERWATER);
    fm_picture *picture = draw(drawing, &def, 1, &err);
    compare_with_reference(picture, "empty");
    fm_picture_destroy(picture);
    const float one[3] = {0.1f, -0.2f, 0}, line[6] = {0.2f, -0.5f, 0, 0.4f, -0.1f, 0},
                radius = 0.05f;
    fm_paint paint = fm_paint_solid();
    fm_shape box = {
        .kind = FM_SHAPE_BOX, .centre = {0.1, -0.45, 0}, .half_size = {0.06, 0.06, 0.06}};
    assert_true(fm_drawing_add_spheres(drawing, one, &radius, 1, &paint, &err));
    assert_true(fm_drawing_add_line(drawing, line, 2, 0.015, &paint, &err));
    assert_true(fm_drawing_add_shape(drawing, &box, &paint, &err));
    picture = draw(drawing, &def, 1, &err);
    compare_with_reference(picture, "simple");
    fm_picture_destroy(picture);
    fm_drawing_destroy(drawing);
}

// Draws a block of water with a wave, drops above it, and a solid ball inside; with_water false:
// the ball only.
static fm_drawing *create_water(const fm_paint *paint, bool with_water, fm_error *err)
{
    fm_drawing *drawing = fm_drawing_create(err);
    enum { N = 20 }; // particles along an edge of the block, 2 cm apart
    static float points[3 * (N * N * N + 3)];
    int count = 0;
    for (int i = 0; i < N * N * N; i++) {
        int x = i % N, y = i / N % N, z = i / (N * N);
        if (y > 7 + 2 * sin(0.5 * x + 0.2 * z))
            continue;
        points[3 * count] = 0.02f * ((float)x + 0.5f);
        points[3 * count + 1] = -0.55f + 0.02f * ((float)y + 0.5f);
        points[3 * count + 2] = 0.02f * ((float)z + 0.5f) - 0.2f;
        count++;
    }
    const float drops[9] = {0.1f, -0.25f, 0, 0.2f, -0.2f, 0.05f, 0.3f, -0.27f, 0};
    memcpy(points + 3 * count, drops, sizeof drops);
    const float ball[3] = {0.25f, -0.47f, 0.1f}, radius = 0.05f;
    fm_paint solid = fm_paint_solid();
    fm_fluid_mesh_def def = fm_default_fluid_mesh_def();
    def.spacing = 0.02;
    assert_true(fm_drawing_add_spheres(drawing, ball, &radius, 1, &solid, err));
    if (with_water)
        assert_true(fm_drawing_add_fluid(drawing, points, count + 3, &def, paint, err));
    return drawing;
}

// A picture of the block of water in this style.
static fm_shot_def define_water_shot(fm_style style)
{
    fm_shot_def def = define_shot(style);
    def.bounds = (fm_bounds){{0, -0.55, -0.2}, {0.4, -0.2, 0.2}};
    def.look.floor = -0.55;
    def.camera = fm_camera_frame(&def.bounds, 30, 25, (double)WIDTH / HEIGHT);
    return def;
}

static void water_matches_the_references_for_any_number_of_threads(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_paint paint = fm_paint_clear_water();
    fm_drawing *drawing = create_water(&paint, true, &err);
    fm_shot_def def = define_water_shot(FM_STYLE_STUDIO);
    fm_picture *one = draw(drawing, &def, 1, &err), *more = draw(drawing, &def, 3, &err);
    compare_with_reference(one, "water");
    assert_memory_equal(one->pixels, more->pixels, 3 * WIDTH * HEIGHT);
    def = define_water_shot(FM_STYLE_UNDERWATER);
    fm_picture *deep = draw(drawing, &def, 2, &err);
    compare_with_reference(deep, "water-underwater");
    fm_picture_destroy(one);
    fm_picture_destroy(more);
    fm_picture_destroy(deep);
    fm_drawing_destroy(drawing);
}

static void water_with_the_refractive_index_of_air_is_invisible(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_paint paint = {.refraction = 1, .transmittance = {1, 1, 1}};
    fm_shot_def def = define_water_shot(FM_STYLE_STUDIO);
    fm_picture *pictures[2];
    for (int i = 0; i < 2; i++) {
        fm_drawing *drawing = create_water(&paint, i == 1, &err);
        pictures[i] = draw(drawing, &def, 2, &err);
        fm_drawing_destroy(drawing);
    }
    double sum = 0;
    for (int i = 0; i < 3 * WIDTH * HEIGHT; i++)
        sum += abs(pictures[0]->pixels[i] - pictures[1]->pixels[i]);
    assert_at_most(sum / (3 * WIDTH * HEIGHT), 1.0);
    fm_picture_destroy(pictures[0]);
    fm_picture_destroy(pictures[1]);
}

static void a_single_point_is_framed_and_visible(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_drawing *drawing = fm_drawing_create(&err), *nothing = fm_drawing_create(&err);
    const float one[3] = {3, 4, 5};
    fm_mesh_view point = {.point_count = 1, .points = &(fm_vec3){one[0], one[1], one[2]}};
    fm_paint paint = fm_paint_solid();
    assert_true(fm_drawing_add_surface(drawing, &point, &paint, NULL, &err));
    fm_shot_def def = define_shot(FM_STYLE_STUDIO);
    def.bounds = fm_bounds_empty();
    fm_bounds_add(&def.bounds, one, 1);
    def.camera = fm_camera_frame(&def.bounds, 35, 4, (double)WIDTH / HEIGHT);
    fm_picture *with = draw(drawing, &def, 1, &err), *without = draw(nothing, &def, 1, &err);
    int differ = 0; // bytes that differ visibly, by more than 8 of 255
    for (int i = 0; i < 3 * WIDTH * HEIGHT; i++)
        differ += abs(with->pixels[i] - without->pixels[i]) > 8;
    assert_in_interval(differ, 300, 1.5 * WIDTH * HEIGHT); // visible, but does not fill the picture
    fm_picture_destroy(with);
    fm_picture_destroy(without);
    fm_drawing_destroy(drawing);
    fm_drawing_destroy(nothing);
}

// A square of 0.4 m in the plane of the picture, of two triangles whose texture coordinates are the
// corners of the unit square, with this paint.
static fm_picture *draw_square(const fm_paint *paint, fm_error *err)
{
    static const fm_vec3 corners[4] = {{0, -0.4, 0}, {0.4, -0.4, 0}, {0.4, 0, 0}, {0, 0, 0}};
    static const int faces[6] = {0, 1, 2, 0, 2, 3};
    static const float uv[12] = {0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1};
    fm_mesh_view mesh = {.points = corners,
                         .point_count = 4,
                         .face_points = faces,
                         .face_count = 2,
                         .corner_uv = uv};
    fm_drawing *drawing = fm_drawing_create(err);
    assert_true(fm_drawing_add_surface(drawing, &mesh, paint, NULL, err));
    fm_shot_def def = define_shot(FM_STYLE_STUDIO);
    def.bounds = (fm_bounds){{0, -0.4, 0}, {0.4, 0, 0}};
    def.camera = fm_camera_frame(&def.bounds, 0, 0, (double)WIDTH / HEIGHT);
    fm_picture *picture = draw(drawing, &def, 1, err);
    fm_drawing_destroy(drawing);
    return picture;
}

// Number of pairs of neighbouring pixels near the centre, along x (step 3) or y, whose green
// differs by more than 60 of 255.
static int count_edges(const fm_picture *picture, int step)
{
    int count = 0;
    for (int y = 2 * HEIGHT / 5; y < 3 * HEIGHT / 5; y++)
        for (int x = 2 * WIDTH / 5; x < 3 * WIDTH / 5; x++) {
            const unsigned char *p = picture->pixels + 3 * (y * WIDTH + x) + 1;
            count += abs(p[step] - p[0]) > 60;
        }
    return count;
}

// Stripes of a red mesh run along v: the green changes along u only. Checks change along both. The
// seam of the two triangles does not show.
static void stripes_and_checks_follow_the_texture_coordinates(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_paint paint = fm_paint_solid();
    paint.front = paint.back = (fm_color){0.6f, 0.02f, 0.02f};
    paint.pattern = (fm_color){0.9f, 0.9f, 0.9f};
    for (int kind = 0; kind < 3; kind++) {
        paint.stripes = kind == 1 ? 0.1f : 0;
        paint.checks = kind == 2 ? 0.1f : 0;
        fm_picture *picture = draw_square(&paint, &err);
        int along_x = count_edges(picture, 3), along_y = count_edges(picture, 3 * WIDTH);
        assert_int_equal(along_x > 0, kind > 0);
        assert_int_equal(along_y > 0, kind == 2);
        fm_picture_destroy(picture);
    }
}

static void pictures_have_the_same_bytes_for_any_number_of_threads(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_drawing *drawing = fm_drawing_create(&err);
    add_wavy_cloth(drawing, 31, 21, false, &err);
    fm_shot_def def = define_shot(FM_STYLE_UNDERWATER);
    def.samples = 3;
    def.camera.aperture = 0.01;
    fm_picture *one = draw(drawing, &def, 1, &err);
    for (int threads = 2; threads <= 3; threads++) {
        fm_picture *more = draw(drawing, &def, threads, &err);
        assert_memory_equal(one->pixels, more->pixels, 3 * WIDTH * HEIGHT);
        fm_picture_destroy(more);
    }
    def.seed = 1;
    fm_picture *other = draw(drawing, &def, 2, &err);
    assert_memory_not_equal(one->pixels, other->pixels, 3 * WIDTH * HEIGHT);
    fm_picture_destroy(other);
    fm_picture_destroy(one);
    fm_drawing_destroy(drawing);
}

static void a_million_triangles_match_the_reference(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_drawing *drawing = fm_drawing_create(&err);
    add_wavy_cloth(drawing, 501, 502, false, &err);
    assert_true(fm_drawing_triangle_count(drawing) > 1000000);
    fm_shot_def def = define_shot(FM_STYLE_UNDERWATER);
    fm_picture *picture = draw(drawing, &def, 2, &err);
    compare_with_reference(picture, "underwater-fine");
    fm_picture_destroy(picture);
    fm_drawing_destroy(drawing);
}

static void samples_cameras_and_picture_sizes_out_of_range_are_refused(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_drawing *drawing = fm_drawing_create(&err);
    fm_renderer *renderer = fm_renderer_create(1, &err);
    fm_picture *picture = fm_picture_create(8, 8, &err);
    fm_shot_def def = define_shot(FM_STYLE_STUDIO);
    def.samples = 0;
    assert_false(fm_renderer_draw(renderer, drawing, &def, picture, NULL, &err));
    assert_string_equal(err.field, "samples");
    err = (fm_error){0};
    def = define_shot(FM_STYLE_STUDIO);
    def.camera.target = def.camera.position;
    assert_false(fm_renderer_draw(renderer, drawing, &def, picture, NULL, &err));
    assert_string_equal(err.field, "target");
    err = (fm_error){0};
    assert_null(fm_picture_create(0, 10, &err));
    err = (fm_error){0};
    assert_null(fm_picture_create(10, 8193, &err));
    assert_int_equal(err.status, FM_BAD_VALUE);
    fm_picture_destroy(picture);
    fm_renderer_destroy(renderer);
    fm_drawing_destroy(drawing);
}

int main(int argc, char **argv)
{
    write_references = argc > 1 && strcmp(argv[1], "--write") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cloth_under_water_matches_the_reference),
        cmocka_unit_test(cloth_in_the_studio_matches_the_reference),
        cmocka_unit_test(colours_legend_and_text_match_the_reference),
        cmocka_unit_test(empty_and_simple_drawings_match_the_references),
        cmocka_unit_test(water_matches_the_references_for_any_number_of_threads),
        cmocka_unit_test(water_with_the_refractive_index_of_air_is_invisible),
        cmocka_unit_test(a_single_point_is_framed_and_visible),
        cmocka_unit_test(stripes_and_checks_follow_the_texture_coordinates),
        cmocka_unit_test(pictures_have_the_same_bytes_for_any_number_of_threads),
        cmocka_unit_test(a_million_triangles_match_the_reference),
        cmocka_unit_test(samples_cameras_and_picture_sizes_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
