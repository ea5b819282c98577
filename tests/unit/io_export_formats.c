// SPDX-License-Identifier: MIT
// io_export_formats.c: OBJ read and written, and all export formats, compared byte by byte where
// the format is simple. tests/clients checks that other programs read the exports correctly.
#include "comma_locale.h"
#include "io_fixture.h"

// Parses an OBJ file that must be valid.
static void parse_obj(const char *text, fm_obj *obj)
{
    fm_error err = {0};
    bool good = fm_obj_parse(text, strlen(text), "a.obj", obj, &err);
    assert_good(good, &err);
}

static void an_exported_obj_is_read_back_exactly(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_surface *roof = create_roof("roof", 1.0 / 3);
    assert_true(fm_obj_write(in_scratch("roof.obj"), roof, &err));
    fm_obj obj;
    assert_true(fm_obj_read(in_scratch("roof.obj"), &obj, &err));
    assert_int_equal(obj.mesh.point_count, roof->point_count);
    assert_int_equal(obj.mesh.face_count, roof->face_count);
    size_t faces = (size_t)roof->face_count, corners = (size_t)fm_surface_corner_count(roof);
    assert_memory_equal(obj.mesh.face_start, roof->face_start, (faces + 1) * sizeof(int));
    assert_memory_equal(obj.mesh.face_points, roof->face_points, corners * sizeof(int));
    for (int i = 0; i < roof->point_count; i++) {
        assert_true((float)obj.mesh.points[i].x == roof->points[3 * i]);
        assert_true((float)obj.mesh.points[i].y == roof->points[3 * i + 1]);
        assert_true((float)obj.mesh.points[i].z == roof->points[3 * i + 2]);
    }
    assert_int_equal(obj.group_count, 2);
    assert_string_equal(obj.group_names[1], "roof");
    assert_int_equal(obj.face_group[2], 1);
    fm_obj_destroy(&obj);
    fm_surface_destroy(roof);
}

static void obj_files_of_other_programs_are_read(void **state)
{
    (void)state;
    fm_obj obj;
    parse_obj("# comment \\\n"
              "mtllib a.mtl\r\n"
              "v 0 0 0\r\nv 1 0 0 1.0\nv 1 1e0 0 0.5 0.5 0.5\n  v\t0 1 0 # corner\n"
              "vt 0 0\nvn 0 0 1\nvt 1 1\n"
              "f 1 2 3\n"
              "g left side \\x \r\ns off\nusemtl red\n"
              "f 1/1/1 2/2/1 \\\n 3//1 4/2\n"
              "o right\nf -4 -3 -2#last\n"
              "g left side \\x\nf 1 2 3 4 1\n"
              "l 1 2\np 1\n"
              "f 1 2 3",
              &obj);
    assert_int_equal(obj.mesh.point_count, 4);
    assert_int_equal(obj.mesh.face_count, 5);
    const int start[] = {0, 3, 7, 10, 15, 18}, groups[] = {0, 1, 2, 1, 1};
    assert_memory_equal(obj.mesh.face_start, start, sizeof start);
    assert_memory_equal(obj.face_group, groups, sizeof groups);
    const int point_lines[] = {3, 4, 5, 6}, face_lines[] = {10, 14, 17, 19, 22};
    assert_memory_equal(obj.point_row, point_lines, sizeof point_lines);
    assert_memory_equal(obj.face_row, face_lines, sizeof face_lines);
    const int back[] = {0, 1, 2};
    assert_memory_equal(obj.mesh.face_points + 7, back, sizeof back);
    assert_int_equal(obj.group_count, 3);
    assert_string_equal(obj.group_names[0], "");
    assert_string_equal(obj.group_names[1], "left side \\x");
    assert_string_equal(obj.group_names[2], "right");
    fm_obj_destroy(&obj);
    parse_obj("", &obj);
    assert_int_equal(obj.mesh.face_count, 0);
    fm_obj_destroy(&obj);
}

static void mistakes_in_an_obj_are_reported_with_line_and_column(void **state)
{
    (void)state;
#define THREE "v 0 0 0\nv 1 0 0\nv 0 1 0\n" // three points
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"v 0 0\n", "a.obj:1:6: v: a point needs three numbers"},
        {"v 0 0 x\n", "a.obj:1:7: v: not a number"},
        {"v 0 0 1x\n", "a.obj:1:7: v: not a number"},
        {"v 0 0 nan\n", "a.obj:1:7: v: a number out of range"},
        {"v 0 1e39 0\n", "a.obj:1:5: v: a number out of range"},
        {"v 0 0 0 red\n", "a.obj:1:9: v: not a number"},
        {THREE "f 1 2\n", "a.obj:4:2: f: a face needs three corners"},
        {THREE "f 1 2 4\n", "a.obj:4:7: f: no such point before this line"},
        {THREE "f 1 2 0\n", "a.obj:4:7: f: no such point before this line"},
        {THREE "f 1 2 -4\n", "a.obj:4:7: f: no such point before this line"},
        {THREE "f 1 2 99999999999999999999\n", "a.obj:4:7: f: no such point before this line"},
        {THREE "f 1 2 3/1\n", "a.obj:4:9: f: no such vt before this line"},
        {THREE "f 1 2 3//1\n", "a.obj:4:10: f: no such vn before this line"},
        {THREE "f 1 2 3/\n", "a.obj:4:9: f: a corner is POINT,"},
        {THREE "f 1 2 3.5\n", "a.obj:4:8: f: a corner is POINT,"},
        {THREE "f 1 \\\n 2 x\n", "a.obj:5:4: f: a corner is POINT,"},
        {THREE "face 1 2 3\n", "a.obj:4:1: OBJ: not a known statement"},
        {"\x7f\x45LF\x02\x01", "a.obj:1:1: OBJ: not a known statement"},
        {"f 1 2 3\n" THREE, "a.obj:1:3: f: no such point before this line"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fm_error err = {0};
        fm_obj obj;
        bool good = fm_obj_parse(cases[i].text, strlen(cases[i].text), "a.obj", &obj, &err);
        if (good || strncmp(err.text, cases[i].message, strlen(cases[i].message)) != 0)
            print_error("%s: %s\n", cases[i].text, err.text);
        assert_false(good);
        assert_int_equal(err.status, FM_BAD_VALUE);
        assert_memory_equal(err.text, cases[i].message, strlen(cases[i].message));
        fm_obj_destroy(&obj);
    }
    fm_error err = {0};
    fm_obj obj;
    assert_false(fm_obj_parse("v 0 0 1\0", 8, "a.obj", &obj, &err));
    assert_non_null(strstr(err.text, "a.obj:1:7: v: not a number"));
    err = (fm_error){0};
    assert_false(fm_obj_read(in_scratch("none.obj"), &obj, &err));
    assert_int_equal(err.status, FM_INPUT_OUTPUT);
}

static void obj_does_not_depend_on_a_locale_with_decimal_commas(void **state)
{
    (void)state;
    use_comma_locale();
    an_exported_obj_is_read_back_exactly(state);
    setlocale(LC_ALL, "C");
}

// Exports the run in the scratch directory. object, output: NULL: all objects, the default path;
// stride: every stride-th frame.
static bool export_scratch(const char *format, const char *object, const char *output, int stride,
                           fm_export_report *report, fm_error *err)
{
    fm_export_options options = fm_default_export_options();
    options.format = format;
    options.object = object;
    options.output = output;
    options.stride = stride;
    return fm_export_frames(scratch, &options, report, err);
}

// The 32-bit number at an offset of the bytes.
static uint32_t read_word(const char *bytes, size_t offset)
{
    uint32_t word;
    memcpy(&word, bytes + offset, sizeof word);
    return word;
}

// The float at an offset of the bytes.
static float read_float(const char *bytes, size_t offset, bool big_endian)
{
    uint32_t word = read_word(bytes, offset);
    if (big_endian)
        word = __builtin_bswap32(word);
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

// PC2: a header of 32 bytes, then the frames. MDD: two numbers, the times, then the frames. A frame
// is 7 points of 12 bytes.
static void pc2_and_mdd_hold_the_points_of_every_frame(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_export_report report;
    write_frames_of_roof(scratch, "roof", 0, 4, 25);
    assert_true(export_scratch("pc2", NULL, NULL, 1, &report, &err));
    assert_string_equal(report.path, in_scratch("exports/roof.pc2"));
    assert_int_equal(report.file_count, 2);
    assert_int_equal(report.frame_count, 5);
    size_t size;
    char *pc2 = read_bytes(in_scratch("exports/roof.pc2"), &size);
    assert_int_equal(size, 32 + 5 * 84);
    assert_memory_equal(pc2, "POINTCACHE2\0\1\0\0\0\7\0\0\0", 20);
    assert_true(read_float(pc2, 20, false) == 0 && read_float(pc2, 24, false) == 1);
    assert_int_equal(read_word(pc2, 28), 5);
    assert_true(export_scratch("mdd", NULL, in_scratch("here/a.mdd"), 1, NULL, &err));
    char *mdd = read_bytes(in_scratch("here/a.mdd"), &size);
    assert_int_equal(size, 8 + 5 * 4 + 5 * 84);
    assert_memory_equal(mdd, "\0\0\0\5\0\0\0\7", 8);
    for (int i = 0; i < 5; i++) {
        fm_surface *roof = create_roof("roof", i / 25.0);
        assert_close(read_float(mdd, 8 + 4 * (size_t)i, true), i / 25.0, 1e-7);
        for (size_t k = 0; k < 21; k++) {
            assert_true(read_float(pc2, 32 + 84 * (size_t)i + 4 * k, false) == roof->points[k]);
            assert_true(read_float(mdd, 28 + 84 * (size_t)i + 4 * k, true) == roof->points[k]);
        }
        fm_surface_destroy(roof);
    }
    free(pc2);
    free(mdd);
    assert_true(have_same_bytes(in_scratch("exports/roof.obj"), in_scratch("here/a.obj")));
}

static void file_names_of_a_sequence_have_the_frame_number(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_export_report report;
    write_frames_of_roof(scratch, "roof", 2, 6, 25);
    write_frames_of_roof(scratch, "tent", 2, 6, 25);
    assert_true(export_scratch("obj", NULL, NULL, 2, &report, &err));
    assert_int_equal(report.file_count, 6);
    assert_int_equal(report.object_count, 2);
    assert_string_equal(report.path, in_scratch("exports/roof.000002.obj"));
    assert_int_equal(access(in_scratch("exports/tent.000006.obj"), F_OK), 0);
    assert_true(export_scratch("ply", "tent", in_scratch("ply/t.ply"), 4, &report, &err));
    assert_int_equal(access(in_scratch("ply/t.000006.ply"), F_OK), 0);
    assert_int_equal(count_files(in_scratch("ply")), 2);
    assert_true(export_scratch("obj", "tent", in_scratch("one/x.obj"), 9, &report, &err));
    assert_int_equal(access(in_scratch("one/x.obj"), F_OK), 0);
    assert_true(export_scratch("vtk", NULL, in_scratch("vtk"), 1, &report, &err));
    assert_int_equal(report.file_count, 12);
    assert_true(
        have_same_bytes(in_scratch("vtk/roof.000004.vtp"), in_scratch("frames/roof.000004.vtp")));
    size_t size;
    char *pvd = read_bytes(in_scratch("vtk/roof.pvd"), &size);
    assert_non_null(strstr(pvd, "file=\"roof.000006.vtp\""));
    free(pvd);
}

static void csv_has_a_row_for_each_point_of_each_frame(void **state)
{
    (void)state;
    fm_error err = {0};
    write_frames_of_roof(scratch, "roof", 0, 1, 25);
    assert_true(export_scratch("csv", NULL, in_scratch("a.csv"), 1, NULL, &err));
    size_t size, lines = 0;
    char *text = read_bytes(in_scratch("a.csv"), &size);
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    assert_int_equal(lines, 1 + 2 * 7);
    static const char start[] = "frame,time,point,x,y,z,velocity.x,velocity.y,velocity.z,stretch\n"
                                "0,0,0,0,0,0,0,0,0,0\n";
    assert_memory_equal(text, start, sizeof start - 1);
    assert_non_null(strstr(text, "\n1,0.040000000000000001,2,0,0.508000016,1,0,0.2"));
    free(text);
}

static void ply_holds_fields_as_vertex_properties(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_surface *roof = create_roof("roof", 0);
    assert_true(fm_ply_write(in_scratch("a.ply"), roof, &err));
    size_t size;
    char *bytes = read_bytes(in_scratch("a.ply"), &size), *data = strstr(bytes, "end_header\n");
    assert_non_null(strstr(bytes, "element vertex 7\nproperty float x\n"));
    assert_non_null(strstr(bytes, "property float velocity_z\nproperty float stretch\n"));
    assert_non_null(data);
    data += strlen("end_header\n");
    // 7 points of 7 floats; two quadrilaterals and a triangle: the count in 1 byte, then 4 each
    assert_int_equal(size - (size_t)(data - bytes), 7 * 28 + 2 * 17 + 13);
    assert_true(read_float(data, 28 + 24, false) == roof->fields[1].values[1]);
    assert_int_equal(data[7 * 28], 4);
    free(bytes);
    fm_surface_destroy(roof);
}

static void usda_and_glb_have_the_same_bytes_when_exported_twice(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_export_report report;
    write_frames_of_roof(scratch, "roof", 0, 3, 30);
    write_frames_of_roof(scratch, "2 <\"tents\">", 0, 3, 30);
    static const char *const formats[] = {"usda", "glb"};
    for (int i = 0; i < 2; i++) {
        char name[32], again[32];
        snprintf(name, sizeof name, "exports/scene.%s", formats[i]);
        snprintf(again, sizeof again, "again.%s", formats[i]);
        assert_true(export_scratch(formats[i], NULL, NULL, 1, &report, &err));
        assert_string_equal(report.path, in_scratch(name));
        assert_true(export_scratch(formats[i], NULL, in_scratch(again), 1, &report, &err));
        assert_true(have_same_bytes(in_scratch(name), in_scratch(again)));
    }
    size_t size;
    char *usda = read_bytes(in_scratch("again.usda"), &size);
    assert_non_null(strstr(usda, "endTimeCode = 3\n    timeCodesPerSecond = 30\n"));
    assert_non_null(strstr(usda, "def Mesh \"_2___tents___0\""));
    assert_non_null(strstr(usda, "int[] faceVertexCounts = [4, 4, 3]"));
    free(usda);
    char *glb = read_bytes(in_scratch("again.glb"), &size);
    assert_int_equal(read_word(glb, 8), size);
    assert_int_equal(size % 4, 0);
    free(glb);
}

static void glb_takes_every_nth_of_more_than_250_frames(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_export_report report;
    write_frames_of_roof(scratch, "roof", 0, 300, 24);
    assert_true(export_scratch("glb", NULL, NULL, 1, &report, &err));
    assert_int_equal(report.frame_count, 151);
    assert_non_null(strstr(report.note, "one in 2 was taken"));
    assert_true(export_scratch("glb", NULL, NULL, 2, &report, &err));
    assert_int_equal(report.frame_count, 151);
    assert_string_equal(report.note, "");
}

// Asserts that an export with these options fails with this message.
static void assert_refused(const fm_export_options *options, const char *message)
{
    fm_error err = {0};
    assert_false(fm_export_frames(scratch, options, NULL, &err));
    if (!strstr(err.text, message))
        print_error("%s\n", err.text);
    assert_non_null(strstr(err.text, message));
}

// A mesher (function that builds a surface around fluid particles) for the tests: a tetrahedron at
// every particle, as large as the spacing, or 1 m if the spacing is not known.
static fm_surface *create_tetrahedra(const void *context, const fm_surface *particles,
                                     double spacing, fm_error *err)
{
    const float *points = particles->points;
    int count = particles->point_count;
    static const int faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    static const fm_surface_field normal = {"normal", 3, NULL};
    (void)context;
    fm_mesh_size size = {.points = 4 * count, .faces = 4 * count, .corners = 12 * count};
    fm_surface *made = fm_surface_create("", &size, &normal, 1, err);
    for (int i = 0; i < 12 * count; i++) {
        // corner 0 is at the particle, the others are one spacing away along an axis
        int corner = i % 12 / 3, axis = i % 3;
        float offset = corner == axis + 1 ? (float)(spacing > 0 ? spacing : 1) : 0;
        made->points[i] = points[3 * (i / 12) + axis] + offset;
        made->fields[0].values[i] = axis == 1;
        made->face_points[i] = 4 * (i / 12) + faces[i % 12];
        made->face_start[i / 3] = i / 3 * 3;
    }
    return made;
}

// Writes a frame of a fluid of `count` particles; with_radius: with radius and velocity as fields.
static void write_drops(int frame, int count, bool with_radius)
{
    static const fm_surface_field fields[2] = {{"radius", 1, NULL}, {"velocity", 3, NULL}};
    fm_error err = {0};
    char path[64];
    fm_surface *drops = fm_surface_create("drops", &(fm_mesh_size){.points = count}, fields,
                                          with_radius ? 2 : 0, &err);
    for (int i = 0; i < count; i++) {
        drops->points[3 * i] = (float)(i + frame);
        if (with_radius) {
            drops->fields[0].values[i] = 0.25f;
            drops->fields[1].values[3 * i + 1] = (float)(10 + i);
        }
    }
    drops->time = frame / 25.0;
    snprintf(path, sizeof path, "frames/drops.%06d.vtp", frame);
    assert_true(fm_directory_create(in_scratch("frames"), &err));
    assert_true(fm_vtk_write(in_scratch(path), drops, false, &err));
    fm_surface_destroy(drops);
}

// A mesher builds a surface around fluid particles. The frames of the fluid have different numbers
// of particles, the first none. Objects with faces are exported unchanged.
static void a_mesher_turns_fluids_into_surfaces_of_every_frame(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_mesher mesher = {NULL, create_tetrahedra};
    fm_export_options o = fm_default_export_options();
    fm_export_report report;
    write_frames_of_roof(scratch, "roof", 0, 2, 25);
    for (int frame = 0; frame <= 2; frame++)
        write_drops(frame, frame == 0 ? 0 : frame + 1, true);
    o.surface = &mesher;
    o.format = "obj";
    assert_true(fm_export_frames(scratch, &o, &report, &err));
    assert_int_equal(report.file_count, 6);
    fm_obj obj;
    assert_true(fm_obj_read(in_scratch("exports/drops.000002.obj"), &obj, &err));
    assert_int_equal(obj.mesh.point_count, 12);
    assert_int_equal(obj.mesh.face_count, 12);
    assert_close(obj.mesh.points[1].x - obj.mesh.points[0].x, 0.5, 1e-6); // twice the radius
    fm_obj_destroy(&obj);
    o.format = "vtk";
    o.object = "drops";
    assert_true(fm_export_frames(scratch, &o, &report, &err));
    fm_surface *back = fm_vtk_read(in_scratch("exports/drops.000001.vtp"), &err);
    assert_non_null(back);
    assert_int_equal(back->face_count, 8);
    assert_close(back->time, 1 / 25.0, 1e-9);
    assert_non_null(fm_surface_values(back, "normal", 3));
    // particles are 1 m apart, which is the reach of the mean: corners at a particle have its
    // velocity
    const float *v = fm_surface_values(back, "velocity", 3);
    assert_non_null(v);
    assert_close(v[1], 10, 1e-6);
    assert_close(v[12 + 1], 11, 1e-6);
    assert_close(v[3 + 1], 10.5, 1e-6); // corner 1 is in the middle of the two
    fm_surface_destroy(back);
    write_drops(1, 3, false);
    o.format = "ply";
    assert_true(fm_export_frames(scratch, &o, &report, &err));
    assert_int_equal(report.file_count, 3);
}

static void bad_export_options_are_refused_with_what_is_allowed(void **state)
{
    (void)state;
    write_frames_of_roof(scratch, "roof", 0, 4, 25);
    fm_export_options o = fm_default_export_options();
    o.format = "fbx";
    assert_refused(&o, "export: format is fbx, allowed is obj pc2 mdd usda glb ply vtk csv");
    o.format = "usda";
    o.object = "sock";
    assert_refused(&o, "export: object is sock, allowed is roof");
    o.object = NULL;
    o.first_frame = 5;
    assert_refused(&o, "export: first frame is 5, allowed is 0 to 4");
    o.first_frame = 2;
    o.last_frame = 1;
    assert_refused(&o, "export: last frame is 1, allowed is 0 to 4");
    o.last_frame = -1;
    o.stride = 0;
    assert_refused(&o, "export: stride is 0");
    o.stride = 1;
    fm_mesher mesher = {NULL, create_tetrahedra};
    o.surface = &mesher;
    assert_refused(&o, "export: surface is usda, allowed is obj, ply and vtk");
    o.format = "ply";
    assert_refused(&o, "export: surface is no fluid, allowed is an object that is particles");
    o.format = "usda";
    o.surface = NULL;
    o.output = "/dev/full";
    assert_refused(&o, "/dev/full: cannot write: No space left on device");
    o.output = NULL;
    unlink(in_scratch("frames/roof.000003.vtp"));
    assert_refused(&o, "/frames/roof.000003.vtp: cannot open: No such file");
    assert_int_equal(count_files(in_scratch("exports")), 0);
    o.first_frame = 4;
    fm_error err = {0};
    assert_true(fm_export_frames(scratch, &o, NULL, &err));
}

static void animation_formats_refuse_nan_and_a_changing_mesh(void **state)
{
    (void)state;
    write_frames_of_roof(scratch, "roof", 0, 2, 25);
    fm_error err = {0};
    fm_surface *roof = create_roof("roof", 0);
    roof->points[0] = NAN;
    assert_true(fm_vtk_write(in_scratch("frames/roof.000001.vtp"), roof, false, &err));
    roof->points[0] = 0;
    roof->face_points[0] = 1;
    assert_true(fm_vtk_write(in_scratch("frames/roof.000002.vtp"), roof, false, &err));
    fm_surface_destroy(roof);
    static const char *const formats[] = {"pc2", "mdd", "usda", "glb"};
    fm_export_options o = fm_default_export_options();
    for (int i = 0; i < 4; i++) {
        o.format = formats[i];
        o.stride = 2;
        assert_refused(&o, "roof: mesh is changed at frame 2, allowed is the same points");
        o.stride = 1;
        assert_refused(&o, "roof: points is NaN or infinite 1 times in frame 1");
    }
    o.format = "csv";
    assert_true(fm_export_frames(scratch, &o, NULL, &err));
    assert_int_equal(count_files(in_scratch("exports")), 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, create_scratch, remove_scratch)
    const struct CMUnitTest tests[] = {
        TEST(an_exported_obj_is_read_back_exactly),
        TEST(obj_files_of_other_programs_are_read),
        TEST(mistakes_in_an_obj_are_reported_with_line_and_column),
        TEST(obj_does_not_depend_on_a_locale_with_decimal_commas),
        TEST(pc2_and_mdd_hold_the_points_of_every_frame),
        TEST(file_names_of_a_sequence_have_the_frame_number),
        TEST(csv_has_a_row_for_each_point_of_each_frame),
        TEST(ply_holds_fields_as_vertex_properties),
        TEST(usda_and_glb_have_the_same_bytes_when_exported_twice),
        TEST(glb_takes_every_nth_of_more_than_250_frames),
        TEST(a_mesher_turns_fluids_into_surfaces_of_every_frame),
        TEST(bad_export_options_are_refused_with_what_is_allowed),
        TEST(animation_formats_refuse_nan_and_a_changing_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
