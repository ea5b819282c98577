// SPDX-License-Identifier: MIT
// io_uv.c: texture coordinates from an OBJ file or a grid through frames to exports, with seams,
// where a point has several.
#include "fixtures.h"
#include "io_fixture.h"

// Two squares that share two points; the right one is apart in the texture.
static const char squares[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\n"
                              "vt 0 0\nvt .5 0\nvt .5 1\nvt 0 1\nvt .625 0\nvt .625 1 0\n"
                              "vt 1 0\nvt 1 1\n"
                              "f 1/1 2/2 3/3 4/4\nf 2/5 5/7 6/8 3/6\n";
static const float square_uv[] = {0, 0, 0.5f, 0, 0.5f, 1, 0, 1, 0.625f, 0, 1, 0, 1, 1, 0.625f, 1};

static void read_squares(fm_obj *obj)
{
    fm_error err = {0};
    assert_good(fm_obj_parse(squares, sizeof squares - 1, "squares.obj", obj, &err), &err);
}

// A surface of the squares, with the points of the file.
static fm_surface *create_squares(double time)
{
    fm_error err = {0};
    fm_obj obj;
    read_squares(&obj);
    fm_mesh_view view = fm_mesh_data_view(&obj.mesh);
    fm_surface *s = fm_surface_create_from_mesh("squares", &view, NULL, 0, &err);
    assert_good(s, &err);
    s->time = time;
    for (int i = 0; i < s->point_count; i++)
        s->points[3 * i + 2] = (float)(time * i);
    fm_obj_destroy(&obj);
    return s;
}

static void an_obj_gives_the_texture_coordinates_of_each_corner(void **state)
{
    (void)state;
    fm_obj obj;
    fm_error err = {0};
    read_squares(&obj);
    assert_memory_equal(obj.mesh.corner_uv, square_uv, sizeof square_uv);
    fm_obj_destroy(&obj);
    const char bad[] = "v 0 0 0\nvt 0 x\n";
    assert_false(fm_obj_parse(bad, sizeof bad - 1, "a.obj", &obj, &err));
    assert_non_null(strstr(err.text, "a.obj:2:6: vt: not a number"));
    fm_obj_destroy(&obj);
    err = (fm_error){0};
    assert_true(fm_obj_parse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", 32, "a.obj", &obj, &err));
    assert_null(obj.mesh.corner_uv);
    fm_obj_destroy(&obj);
}

static void frames_keep_texture_coordinates_with_and_without_seams(void **state)
{
    (void)state;
    fm_error err = {0};
    for (int seams = 0; seams < 2; seams++) {
        fm_surface *s = create_squares(0.25);
        if (!seams) // the right square joins the left one in the texture
            s->corner_uv[8] = s->corner_uv[14] = 0.5f;
        assert_true(fm_vtk_write(in_scratch("a.vtp"), s, false, &err));
        fm_surface *back = fm_vtk_read(in_scratch("a.vtp"), &err);
        assert_good(back, &err);
        assert_same_surface(s, back);
        assert_memory_equal(back->corner_uv, s->corner_uv, sizeof square_uv);
        size_t size;
        char *bytes = read_bytes(in_scratch("a.vtp"), &size);
        assert_non_null(strstr(bytes, "<PointData TCoords=\"uv\">"));
        assert_int_equal(strstr(bytes, "corner_uv") != NULL, seams);
        free(bytes);
        fm_surface_destroy(back);
        fm_surface_destroy(s);
    }
}

static void an_exported_obj_has_the_texture_coordinates(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_obj obj;
    fm_surface *s = create_squares(0);
    assert_true(fm_obj_write(in_scratch("a.obj"), s, &err));
    assert_true(fm_obj_read(in_scratch("a.obj"), &obj, &err));
    assert_int_equal(obj.mesh.point_count, 6);
    assert_memory_equal(obj.mesh.corner_uv, square_uv, sizeof square_uv);
    fm_obj_destroy(&obj);
    fm_surface_destroy(s);
}

// Formats with one pair of coordinates per point split the two points of the seam.
static void ply_and_glb_split_points_at_seams(void **state)
{
    (void)state;
    fm_error err = {0};
    size_t size;
    fm_surface *s = create_squares(0);
    assert_true(fm_ply_write(in_scratch("a.ply"), s, &err));
    char *bytes = read_bytes(in_scratch("a.ply"), &size);
    assert_non_null(strstr(bytes, "element vertex 8\n"));
    const char *data = strstr(bytes, "property float s\nproperty float t\n");
    assert_non_null(data);
    data = strstr(bytes, "end_header\n") + strlen("end_header\n");
    float sixth[5]; // x y z s t
    memcpy(sixth, data + 6 * sizeof sixth, sizeof sixth);
    assert_true(sixth[0] == 1 && sixth[1] == 0 && sixth[3] == 0.625f && sixth[4] == 0);
    free(bytes);
    fm_surface_destroy(s);

    assert_true(fm_directory_create(in_scratch("frames"), &err));
    for (int i = 0; i < 2; i++) {
        s = create_squares(i);
        char name[32];
        snprintf(name, sizeof name, "frames/squares.%06d.vtp", i);
        assert_true(fm_vtk_write(in_scratch(name), s, false, &err));
        fm_surface_destroy(s);
    }
    fm_export_options options = fm_default_export_options();
    fm_export_report report;
    options.format = "glb";
    options.output = in_scratch("a.glb");
    assert_good(fm_export_frames(scratch, &options, &report, &err), &err);
    bytes = read_bytes(in_scratch("a.glb"), &size);
    assert_non_null(strstr(bytes + 20, "\"TEXCOORD_0\":5"));
    uint32_t json;
    memcpy(&json, bytes + 12, sizeof json);
    const char *bin = bytes + 20 + json + 8; // 12 indices, then 2 x 2 x 8 vectors, then coordinates
    float uv[16], target[24];
    memcpy(target, bin + 48 + 2 * 96, sizeof target);
    memcpy(uv, bin + 48 + 4 * 96, sizeof uv);
    assert_true(uv[2] == 0.5f && uv[3] == 1 && uv[12] == 0.625f && uv[13] == 1); // 1 - v
    assert_true(target[3 * 1 + 2] == 1 && target[3 * 6 + 2] == 1); // point 1 and its second vertex
    free(bytes);
}

static void sheets_and_tubes_have_natural_texture_coordinates(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = fixture_create_world(fixture_water_def(1), &err);
    fm_cloth_def def = fm_default_cloth_def();
    fm_cloth *sheet = fm_cloth_create_sheet(
        world, &def, &(fm_sheet){.columns = 5, .rows = 3, .width = 0.4, .height = 0.2}, &err);
    def.name = "tube";
    fm_tube around = {
        .columns = 6, .rows = 3, .radius_top = 0.1, .radius_bottom = 0.1, .height = 0.2};
    fm_cloth *tube = fm_cloth_create_tube(world, &def, &around, &err);
    fm_surface *s = fm_frame_create(fm_cloth_object(sheet), NULL, &err);
    assert_good(s, &err);
    for (int i = 0; i < fm_surface_corner_count(s); i++) {
        int p = s->face_points[i];
        assert_true(s->corner_uv[2 * i] == (float)(p % 5) / 4);
        assert_true(s->corner_uv[2 * i + 1] == 1 - (float)(p / 5) / 2);
    }
    fm_surface_destroy(s);
    s = fm_frame_create(fm_cloth_object(tube), NULL, &err);
    assert_good(s, &err);
    double area = 0; // of all triangles in the texture: the unit square
    for (int t = 0; t < s->face_count; t++) {
        const float *a = s->corner_uv + 6 * t, *b = a + 2, *c = b + 2;
        area += ((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])) / 2;
    }
    assert_float_equal(area, 1, 1e-6);
    fm_surface_destroy(s);
    fm_world_destroy(world);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, create_scratch, remove_scratch)
    const struct CMUnitTest tests[] = {
        TEST(an_obj_gives_the_texture_coordinates_of_each_corner),
        TEST(frames_keep_texture_coordinates_with_and_without_seams),
        TEST(an_exported_obj_has_the_texture_coordinates),
        TEST(ply_and_glb_split_points_at_seams),
        TEST(sheets_and_tubes_have_natural_texture_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
