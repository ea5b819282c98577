// SPDX-License-Identifier: MIT
// io_export_lines.c: lines and isolated points in frames and in every export format that can hold
// them.
#include "fixtures.h"
#include "io_fixture.h"
#include "object/object.h"

// A surface with lines through points 0 to 3, the triangle 4 5 6 and the isolated point 7; it rises
// with `time`.
static fm_surface *create_rope(const char *name, double time)
{
    static const fm_vec3 points[8] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0},
                                      {0, 1, 0}, {1, 1, 0}, {0, 2, 0}, {5, 5, 5}};
    static const int lines[] = {0, 1, 1, 2, 3, 2}, triangle[] = {4, 5, 6};
    static const fm_surface_field radius = {"radius", 1, NULL};
    fm_error err = {0};
    fm_mesh_view mesh = {.points = points,
                         .point_count = 8,
                         .lines = lines,
                         .line_count = 3,
                         .face_points = triangle,
                         .face_count = 1};
    fm_surface *s = fm_surface_create_from_mesh(name, &mesh, &radius, 1, &err);
    assert_non_null(s);
    s->time = time;
    for (int i = 0; i < 8; i++) {
        s->points[3 * i + 1] += (float)time;
        s->fields[0].values[i] = 0.05f;
    }
    return s;
}

// Writes frames 0 to 2 of the surface of create_rope, with its lines and its faces or without.
static void write_frames_of(const char *name, bool lines, bool faces)
{
    fm_error err = {0};
    char path[64];
    assert_true(fm_directory_create(in_scratch("frames"), &err));
    for (int i = 0; i < 3; i++) {
        fm_surface *s = create_rope(name, i / 25.0);
        s->line_count = lines ? s->line_count : 0;
        s->face_count = faces ? s->face_count : 0;
        snprintf(path, sizeof path, "frames/%s.%06d.vtp", name, i);
        assert_true(fm_vtk_write(in_scratch(path), s, false, &err));
        fm_surface_destroy(s);
    }
}

// Exports the object `name` of the run in the scratch directory; returns the bytes of the first
// file.
static char *export_bytes(const char *format, const char *name, size_t *size)
{
    fm_error err = {0};
    fm_export_options options = fm_default_export_options();
    fm_export_report report;
    options.format = format;
    options.object = name;
    options.output = in_scratch("exported/");
    bool good = fm_export_frames(scratch, &options, &report, &err);
    if (!good)
        print_error("%s\n", err.text);
    assert_true(good);
    return read_bytes(report.path, size);
}

static void a_frame_with_lines_and_isolated_points_is_read_back_exactly(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_surface *rope = create_rope("rope", 0.5);
    assert_true(fm_vtk_write(in_scratch("rope.000003.vtp"), rope, false, &err));
    size_t size;
    char *bytes = read_bytes(in_scratch("rope.000003.vtp"), &size);
    assert_non_null(strstr(bytes, "NumberOfVerts=\"1\" NumberOfLines=\"3\""));
    free(bytes);
    fm_surface *back = fm_vtk_read(in_scratch("rope.000003.vtp"), &err);
    assert_non_null(back);
    assert_int_equal(back->line_count, 3);
    assert_same_surface(rope, back);
    fm_surface_destroy(back);
    rope->line_count = rope->face_count = 0; // now all points are isolated: 8 vertex cells
    assert_true(fm_vtk_write(in_scratch("a.vtp"), rope, false, &err));
    bytes = read_bytes(in_scratch("a.vtp"), &size);
    assert_non_null(strstr(bytes, "NumberOfVerts=\"8\" NumberOfLines=\"0\""));
    free(bytes);
    back = fm_vtk_read(in_scratch("a.vtp"), &err);
    assert_same_surface(rope, back);
    fm_surface_destroy(back);
    fm_surface_destroy(rope);
}

// Writes a VTK file as other programs write it, and reads it: one polyline through the points 0, 2
// and `last`, in Int64, and no polygons. ends: the number of points of the polyline by the array
// `offsets`; 3 is correct.
static fm_surface *read_polyline(int64_t last, int64_t ends, fm_error *err)
{
    const float points[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    const int64_t connectivity[3] = {0, 2, last};
    struct {
        uint64_t size;
        const void *bytes;
    } blocks[] = {
        {sizeof points, points}, {sizeof connectivity, connectivity}, {8, &ends}, {0, ""}};
    FILE *file = fopen(in_scratch("line.vtp"), "wb");
    fprintf(file, "<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\" header_type=\"UInt64\">"
                  "<PolyData><Piece NumberOfPoints=\"3\" NumberOfLines=\"1\">"
                  "<Points><DataArray type=\"Float32\" Name=\"Points\" NumberOfComponents=\"3\" "
                  "format=\"appended\" offset=\"0\"/></Points>"
                  "<Lines><DataArray type=\"Int64\" Name=\"connectivity\" format=\"appended\" "
                  "offset=\"44\"/><DataArray type=\"Int64\" Name=\"offsets\" format=\"appended\" "
                  "offset=\"76\"/></Lines><Polys><DataArray type=\"Int64\" Name=\"connectivity\" "
                  "format=\"appended\" offset=\"92\"/><DataArray type=\"Int64\" Name=\"offsets\" "
                  "format=\"appended\" offset=\"92\"/></Polys></Piece></PolyData>"
                  "<AppendedData encoding=\"raw\">_");
    for (int i = 0; i < 4; i++) {
        fwrite(&blocks[i].size, 8, 1, file);
        fwrite(blocks[i].bytes, 1, blocks[i].size, file);
    }
    fputs("</AppendedData></VTKFile>", file);
    fclose(file);
    return fm_vtk_read(in_scratch("line.vtp"), err);
}

static void polylines_are_read_as_segments(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_surface *s = read_polyline(1, 3, &err);
    assert_non_null(s);
    static const int expected[] = {0, 2, 2, 1};
    assert_int_equal(s->line_count, 2);
    assert_memory_equal(s->lines, expected, sizeof expected);
    fm_surface_destroy(s);
    static const struct {
        int64_t last, ends;
        const char *message;
    } bad[] = {{3, 3, "connectivity: entry 2 is 3, allowed is 0 to 2"},
               {1, 1, "offsets: a line of less than 2 points"},
               {1, 2, "offsets: they do not end where the corners end"}};
    for (int i = 0; i < 3; i++) {
        fm_error refused = {0};
        assert_null(read_polyline(bad[i].last, bad[i].ends, &refused));
        if (!strstr(refused.text, bad[i].message))
            print_error("%s\n", refused.text);
        assert_non_null(strstr(refused.text, bad[i].message));
    }
}

static void obj_holds_lines_and_reads_polylines(void **state)
{
    (void)state;
    write_frames_of("rope", true, true);
    size_t size;
    char *text = export_bytes("obj", "rope", &size);
    assert_non_null(strstr(text, "\nf 5 6 7\nl 1 2\nl 2 3\nl 4 3\n"));
    fm_error err = {0};
    fm_obj obj;
    assert_true(fm_obj_parse(text, size, "rope.obj", &obj, &err));
    static const int lines[] = {0, 1, 1, 2, 3, 2};
    assert_int_equal(obj.mesh.line_count, 3);
    assert_memory_equal(obj.mesh.lines, lines, sizeof lines);
    fm_obj_destroy(&obj);
    free(text);
    static const char polyline[] = "v 0 0 0\nv 1 0 0\nv 2 0 0\nvt 0\nl 1/1 -1/1 2\n";
    assert_true(fm_obj_parse(polyline, strlen(polyline), "a.obj", &obj, &err));
    static const int joined[] = {0, 2, 2, 1};
    assert_int_equal(obj.mesh.line_count, 2);
    assert_memory_equal(obj.mesh.lines, joined, sizeof joined);
    fm_obj_destroy(&obj);
    static const char *const bad[][2] = {
        {"v 0 0 0\nl 1\n", "a.obj:2:2: l: a line needs two points"},
        {"v 0 0 0\nl 1 2\n", "a.obj:2:5: l: no such point"}};
    for (int i = 0; i < 2; i++) {
        fm_error refused = {0};
        assert_false(fm_obj_parse(bad[i][0], strlen(bad[i][0]), "a.obj", &obj, &refused));
        if (!strstr(refused.text, bad[i][1]))
            print_error("%s\n", refused.text);
        assert_non_null(strstr(refused.text, bad[i][1]));
        fm_obj_destroy(&obj);
    }
}

static void ply_holds_lines_as_edges(void **state)
{
    (void)state;
    write_frames_of("rope", true, true);
    size_t size;
    char *bytes = export_bytes("ply", "rope", &size), *data = strstr(bytes, "end_header\n");
    assert_non_null(strstr(bytes, "element edge 3\nproperty int vertex1\nproperty int vertex2\n"));
    data += strlen("end_header\n");
    // 8 points of 4 floats; a triangle: the count in 1 byte, then 3 corners; 3 edges
    assert_int_equal(size - (size_t)(data - bytes), 8 * 16 + 13 + 3 * 8);
    int32_t last[2];
    memcpy(last, bytes + size - sizeof last, sizeof last);
    assert_int_equal(last[0], 3);
    assert_int_equal(last[1], 2);
    free(bytes);
}

static void usda_holds_lines_as_curves_and_isolated_points_as_points(void **state)
{
    (void)state;
    write_frames_of("all", true, true);
    write_frames_of("rope", true, false);
    write_frames_of("drops", false, false);
    size_t size;
    char *all = export_bytes("usda", "all", &size);
    assert_non_null(strstr(all, "def Mesh \"all\""));
    char *curves = strstr(all, "def BasisCurves \"all_lines\"");
    assert_non_null(curves);
    assert_non_null(strstr(curves, "uniform token type = \"linear\""));
    assert_non_null(strstr(curves, "int[] curveVertexCounts = [4]"));
    assert_non_null(strstr(curves, "0: [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)],"));
    char *points = strstr(all, "def Points \"all_points\"");
    assert_non_null(points);
    assert_non_null(strstr(points, "float[] widths = [0.1"));
    assert_non_null(strstr(points, "0: [(5, 5, 5)],"));
    free(all);
    char *rope = export_bytes("usda", "rope", &size);
    assert_non_null(strstr(rope, "def BasisCurves \"rope\""));
    assert_null(strstr(rope, "def Mesh"));
    free(rope);
    char *drops = export_bytes("usda", "drops", &size);
    assert_non_null(strstr(drops, "def Points \"drops\""));
    assert_null(strstr(drops, "def Mesh"));
    free(drops);
}

// The 32-bit number at an offset of the bytes.
static uint32_t read_word(const char *bytes, size_t offset)
{
    uint32_t word;
    memcpy(&word, bytes + offset, sizeof word);
    return word;
}

static void glb_holds_lines_and_points_as_primitives(void **state)
{
    (void)state;
    write_frames_of("rope", true, true);
    write_frames_of("drops", false, false);
    size_t size;
    char *glb = export_bytes("glb", "rope", &size);
    // triangles, lines and points share vertices and morph targets; 3 frames give 2 targets
    char *json = glb + 20; // after the file header and the chunk header
    assert_non_null(strstr(json, "\"primitives\":[{\"mode\":4,\"material\":0,\"indices\":0,"));
    assert_non_null(strstr(json, "{\"mode\":1,\"material\":0,\"indices\":7,"));
    assert_non_null(strstr(json, "{\"mode\":0,\"material\":0,\"indices\":8,"));
    assert_non_null(strstr(json, "\"byteOffset\":12,\"componentType\":5125,\"count\":6,"));
    assert_non_null(strstr(json, "\"byteOffset\":36,\"componentType\":5125,\"count\":1,"));
    size_t data = 20 + read_word(glb, 12) + 8;
    static const uint32_t indices[] = {4, 5, 6, 0, 1, 1, 2, 3, 2, 7};
    assert_memory_equal(glb + data, indices, sizeof indices);
    assert_int_equal(read_word(glb, 8), size);
    free(glb);
    glb = export_bytes("glb", "drops", &size);
    assert_non_null(strstr(glb + 20, "\"primitives\":[{\"mode\":0,\"material\":0,\"indices\":0,"));
    free(glb);
}

static void point_caches_tables_and_vtk_accept_objects_of_lines(void **state)
{
    (void)state;
    write_frames_of("rope", true, false);
    size_t size;
    static const char *const formats[] = {"pc2", "mdd", "csv", "vtk"};
    for (int i = 0; i < 4; i++)
        free(export_bytes(formats[i], "rope", &size));
    char *obj = read_bytes(in_scratch("exported/rope.obj"), &size);
    assert_non_null(strstr(obj, "\nl 1 2\n"));
    free(obj);
    fm_error err = {0};
    fm_surface *back = fm_vtk_read(in_scratch("exported/rope.000002.vtp"), &err);
    assert_non_null(back);
    assert_int_equal(back->line_count, 3);
    fm_surface_destroy(back);
}

// The mesh of an object that consists of two lines.
static bool view_rope(fm_object *object, fm_mesh_view *view, fm_error *err)
{
    (void)object, (void)err;
    static const fm_vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    static const int lines[] = {0, 1, 1, 2};
    *view = (fm_mesh_view){.points = points, .point_count = 3, .lines = lines, .line_count = 2};
    return true;
}

static void a_frame_of_an_object_of_lines_has_its_lines(void **state)
{
    (void)state;
    fm_error err = {0};
    const fm_object_type type = {.kind = "rope", .mesh = view_rope};
    fm_world *world = fixture_create_world(fixture_water_def(1), &err);
    fm_object rope = {.type = &type, .world = world, .name = "tail"};
    fm_surface *frame = fm_frame_create(&rope, NULL, &err);
    assert_good(frame, &err);
    assert_string_equal(frame->name, "tail");
    assert_string_equal(frame->kind, "rope");
    assert_int_equal(frame->line_count, 2);
    static const int lines[] = {0, 1, 1, 2};
    assert_memory_equal(frame->lines, lines, sizeof lines);
    assert_true(frame->points[6] == 2 && frame->face_count == 0);
    fm_surface_destroy(frame);
    fm_world_destroy(world);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, create_scratch, remove_scratch)
    const struct CMUnitTest tests[] = {
        TEST(a_frame_with_lines_and_isolated_points_is_read_back_exactly),
        TEST(polylines_are_read_as_segments),
        TEST(obj_holds_lines_and_reads_polylines),
        TEST(ply_holds_lines_as_edges),
        TEST(usda_holds_lines_as_curves_and_isolated_points_as_points),
        TEST(glb_holds_lines_and_points_as_primitives),
        TEST(point_caches_tables_and_vtk_accept_objects_of_lines),
        cmocka_unit_test(a_frame_of_an_object_of_lines_has_its_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
