// SPDX-License-Identifier: MIT
// io.c: atomic file writers, frames as VTK files written and read back, damaged files, caches of
// frames.
#include "fixtures.h"
#include "io_fixture.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>

static void a_file_appears_under_its_name_only_when_it_is_complete(void **state)
{
    (void)state;
    fm_error err = {0};
    const char *path = in_scratch("whole");
    fm_writer *writer = fm_writer_open(path, &err);
    fm_writer_print(writer, "%d %.9g ", 42, 0.1);
    char large[200000];
    memset(large, 'x', sizeof large);
    fm_writer_write(writer, large, sizeof large);
    fm_writer_write(writer, "end", 3);
    assert_int_equal(fm_writer_offset(writer), 7 + sizeof large + 3);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_true(fm_writer_close(writer, true));
    size_t size;
    char *bytes = read_bytes(path, &size);
    assert_int_equal(size, 7 + sizeof large + 3);
    assert_memory_equal(bytes, "42 0.1 xxx", 10);
    assert_memory_equal(bytes + size - 4, "xend", 4);
    free(bytes);
    assert_int_equal(count_files(scratch), 1);
}

// A limit on file sizes acts like a full disk: the write fails half way through.
static void a_full_disk_leaves_the_old_file_unchanged(void **state)
{
    (void)state;
    fm_error err = {0};
    const char *path = in_scratch("roof.000000.vtp");
    fm_surface *roof = create_roof("roof", 0);
    assert_true(fm_vtk_write(path, roof, false, &err));
    size_t size;
    char *before = read_bytes(path, &size);
    struct rlimit old, small = {1000, 0}; // bytes of a file
    getrlimit(RLIMIT_FSIZE, &old);
    small.rlim_max = old.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    roof->time = 1;
    bool good = fm_vtk_write(path, roof, true, &err);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_false(good);
    assert_int_equal(err.status, FM_INPUT_OUTPUT);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, "cannot write: File too large"));
    assert_int_equal(count_files(scratch), 1);
    size_t after_size;
    char *after = read_bytes(path, &after_size);
    assert_int_equal(size, after_size);
    assert_memory_equal(before, after, size);
    free(before);
    free(after);
    fm_surface_destroy(roof);
}

static void a_device_is_written_to_directly(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_surface *roof = create_roof("roof", 0);
    assert_false(fm_vtk_write("/dev/full", roof, false, &err));
    assert_string_equal(err.text, "/dev/full: cannot write: No space left on device");
    assert_int_equal(err.status, FM_INPUT_OUTPUT);
    struct stat about;
    assert_int_equal(stat("/dev/full", &about), 0);
    assert_true(S_ISCHR(about.st_mode));
    err = (fm_error){0};
    assert_true(fm_vtk_write("/dev/null", roof, true, &err));
    fm_surface_destroy(roof);
}

static void a_path_that_cannot_be_written_is_an_error_with_the_reason(void **state)
{
    (void)state;
    fm_error err = {0};
    assert_null(fm_writer_open(in_scratch("no/such/folder"), &err));
    assert_non_null(strstr(err.text, "No such file or directory"));
    err = (fm_error){0};
    assert_null(fm_writer_open(scratch, &err));
    assert_non_null(strstr(err.text, "Is a directory"));
    const char *closed = in_scratch("closed");
    assert_int_equal(mkdir(closed, 0555), 0);
    err = (fm_error){0};
    bool root = geteuid() == 0; // root may write everywhere, so become the user nobody meanwhile
    if (root)
        assert_int_equal(seteuid(65534), 0);
    fm_writer *writer = fm_writer_open(in_scratch("closed/file"), &err);
    if (root)
        assert_int_equal(seteuid(0), 0);
    assert_null(writer);
    assert_non_null(strstr(err.text, "Permission denied"));
    fm_error failed = {.status = FM_BAD_VALUE};
    assert_null(fm_writer_open(in_scratch("file"), &failed));
    assert_int_equal(failed.status, FM_BAD_VALUE);
    // the message for a long path keeps the end of the path and the reason
    char path[700];
    memset(path, 'a', sizeof path);
    snprintf(path + 600, sizeof path - 600, "/tail.vtp");
    err = (fm_error){0};
    assert_null(fm_vtk_read(path, &err));
    assert_non_null(strstr(err.text, "/tail.vtp: cannot open: "));
}

static void a_failure_while_a_file_is_written_leaves_no_file(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_writer *writer = fm_writer_open(in_scratch("abandoned"), &err);
    fm_writer_write(writer, "abc", 3);
    fm_fail(&err, FM_BAD_VALUE, "something", "else", "wrong", "right");
    assert_false(fm_writer_close(writer, false));
    assert_int_equal(err.status, FM_BAD_VALUE);
    assert_int_equal(count_files(scratch), 0);
}

static void directories_are_created_with_their_parents(void **state)
{
    (void)state;
    fm_error err = {0};
    assert_true(fm_directory_create(in_scratch("a/b//c/"), &err));
    assert_true(fm_directory_create(in_scratch("a/b/c"), &err));
    close(open(in_scratch("a/file"), O_CREAT | O_WRONLY, 0666));
    assert_false(fm_directory_create(in_scratch("a/file/d"), &err));
    assert_non_null(strstr(err.text, "Not a directory"));
}

static void a_file_above_the_size_limit_is_not_read(void **state)
{
    (void)state;
    fm_error err = {0};
    size_t size;
    assert_null(fm_file_read("/dev/zero", 100000, &size, &err));
    assert_non_null(strstr(err.text, "File too large"));
    err = (fm_error){0};
    assert_null(fm_file_read(scratch, 100000, &size, &err));
    assert_int_equal(err.status, FM_INPUT_OUTPUT);
}

static void a_frame_is_read_back_bit_for_bit(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_surface *roof = create_roof("roof", 1.0 / 3);
    roof->fields[1].values[3] = NAN;
    roof->points[4] = INFINITY;
    assert_true(fm_vtk_write(in_scratch("roof.000007.vtp"), roof, false, &err));
    assert_true(fm_vtk_write(in_scratch("again.vtp"), roof, true, &err));
    assert_true(have_same_bytes(in_scratch("roof.000007.vtp"), in_scratch("again.vtp")));
    fm_surface *back = fm_vtk_read(in_scratch("roof.000007.vtp"), &err);
    assert_non_null(back);
    assert_string_equal(back->name, "roof");
    assert_true(back->time == 1.0 / 3);
    assert_int_equal(back->not_finite, 2);
    assert_same_surface(roof, back);
    assert_true(fm_surface_values(back, "velocity", 3) == back->fields[0].values);
    assert_null(fm_surface_values(back, "velocity", 1));
    assert_null(fm_surface_values(back, "colour", 3));
    fm_surface_destroy(roof);
    fm_surface_destroy(back);
}

static void points_on_a_lattice_are_written_as_an_image(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_vec3 points[6];
    fm_mesh_view mesh = {
        .points = points, .point_count = 6, .lattice = {{3, 2, 1}, {0.5, -1, 2}, 0.25}};
    for (int i = 0; i < 6; i++)
        points[i] = (fm_vec3){0.5 + 0.25 * (i % 3), -1 + 0.25 * (i / 3), 2};
    static const fm_surface_field field = {"pressure", 1, NULL};
    fm_surface *made = fm_surface_create_from_mesh("air", &mesh, &field, 1, &err);
    assert_non_null(made);
    made->fields[0].values[4] = 7;
    assert_true(fm_vtk_write(in_scratch("air.000002.vti"), made, false, &err));
    fm_surface *back = fm_vtk_read(in_scratch("air.000002.vti"), &err);
    assert_non_null(back);
    assert_string_equal(back->name, "air");
    assert_memory_equal(back->lattice.size, made->lattice.size, sizeof back->lattice.size);
    assert_true(back->lattice.spacing == 0.25 && back->lattice.origin.y == -1);
    assert_same_surface(made, back);
    size_t size;
    char *bytes = read_bytes(in_scratch("air.000002.vti"), &size);
    for (size_t cut = 0; cut < size; cut += 7) { // a file that ends too early is refused
        err = (fm_error){0};
        fm_surface *part = fm_vtk_parse(bytes, cut, "cut.vti", &err);
        assert_true(!part || cut > size - 40); // the last tags may be missing
        fm_surface_destroy(part);
    }
    free(bytes);
    fm_surface_destroy(made);
    fm_surface_destroy(back);
}

// VTK stores a string in an Array element (not DataArray) of one tuple, with a terminating zero.
static void a_frame_stores_the_kind_of_its_object(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_surface *roof = create_roof("roof", 1);
    assert_true(fm_vtk_write(in_scratch("plain.vtp"), roof, false, &err));
    snprintf(roof->kind, sizeof roof->kind, "pendulum");
    assert_true(fm_vtk_write(in_scratch("kind.vtp"), roof, false, &err));
    size_t size, plain_size;
    char *plain = read_bytes(in_scratch("plain.vtp"), &plain_size);
    char *bytes = read_bytes(in_scratch("kind.vtp"), &size);
    static const char array[] = "offset=\"0\"/>\n<Array type=\"String\" Name=\"kind\" "
                                "NumberOfTuples=\"1\" format=\"appended\" offset=\"16\"/>\n"
                                "</FieldData>\n";
    assert_non_null(strstr(bytes, array));
    assert_null(strstr(plain, "kind"));
    const char *data = strchr(strstr(bytes, "<AppendedData"), '_') + 1;
    uint64_t length;
    memcpy(&length, data + 16, sizeof length);
    assert_int_equal(length, sizeof "pendulum");
    assert_memory_equal(data + 24, "pendulum", sizeof "pendulum");
    fm_surface *back = fm_vtk_read(in_scratch("kind.vtp"), &err);
    assert_non_null(back);
    assert_string_equal(back->kind, "pendulum");
    assert_same_surface(roof, back);
    fm_surface_destroy(back);
    back = fm_vtk_read(in_scratch("plain.vtp"), &err);
    assert_string_equal(back->kind, "");
    fm_surface_destroy(back);
    fm_surface_destroy(roof);
    free(bytes);
    free(plain);
}

static void an_empty_surface_is_written_and_read_back(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_surface *none = fm_surface_create("none", &(fm_mesh_size){0}, NULL, 0, &err);
    assert_true(fm_vtk_write(in_scratch("none.vtp"), none, false, &err));
    fm_surface *back = fm_vtk_read(in_scratch("none.vtp"), &err);
    assert_non_null(back);
    assert_same_surface(none, back);
    fm_surface_destroy(none);
    fm_surface_destroy(back);
}

// Every truncated file is refused. A file with one changed byte is either read or refused.
static void a_truncated_frame_is_refused_and_a_corrupted_one_does_no_harm(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_surface *roof = create_roof("roof", 2);
    snprintf(roof->kind, sizeof roof->kind, "cloth");
    assert_true(fm_vtk_write(in_scratch("roof.vtp"), roof, false, &err));
    fm_surface_destroy(roof);
    size_t size;
    char *bytes = read_bytes(in_scratch("roof.vtp"), &size);
    for (size_t cut = 0; cut < size - 1; cut++) {
        // exact size, so that AddressSanitizer finds reads past the end
        char *piece = malloc(cut ? cut : 1);
        memcpy(piece, bytes, cut);
        err = (fm_error){0};
        assert_null(fm_vtk_parse(piece, cut, "cut.vtp", &err));
        assert_int_equal(err.status, FM_INPUT_OUTPUT);
        free(piece);
    }
    fm_rng rng = {1};
    for (int i = 0; i < 20000; i++) {
        size_t offset = fm_rng_next(&rng) % size; // of the byte; one bit or all are changed
        char kept = bytes[offset];
        bytes[offset] =
            (char)(i % 2 ? kept ^ (1 << fm_rng_next(&rng) % 8) : (int)fm_rng_next(&rng));
        err = (fm_error){0};
        fm_surface *surface = fm_vtk_parse(bytes, size, "hit.vtp", &err);
        assert_true((surface != NULL) == (err.status == FM_OK));
        fm_surface_destroy(surface);
        bytes[offset] = kept;
    }
    free(bytes);
}

// Parses a file of three points (Float64) and one triangle (Int64), after replacing the first
// occurrence of the text `was` in its XML by `is`. first_corner: a vertex of the triangle; others
// than 0 are invalid or make it degenerate.
static fm_surface *parse_modified(const char *was, const char *is, int first_corner, fm_error *err)
{
    static const char head[] =
        "<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\" header_type=\"UInt32\"><PolyData>"
        "<FieldData><DataArray type=\"Float32\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
        "format=\"appended\" offset=\"0\"/></FieldData><Piece NumberOfPoints=\"3\" "
        "NumberOfPolys=\"1\"><CellData><DataArray Name=\"ignored\"/></CellData><Points><DataArray "
        "type=\"Float64\" Name=\"P\" NumberOfComponents=\"3\" format=\"appended\" offset=\"8\"/>"
        "</Points><Polys><DataArray type=\"Int64\" Name=\"connectivity\" format=\"appended\" "
        "offset=\"84\"/><DataArray type=\"Int64\" Name=\"offsets\" format=\"appended\" "
        "offset=\"112\"/></Polys></Piece></PolyData><AppendedData encoding=\"raw\"> _";
    char bytes[2048];
    const char *found = *was ? strstr(head, was) : head;
    assert_non_null(found);
    size_t size = (size_t)snprintf(bytes, sizeof bytes, "%.*s%s%s", (int)(found - head), head, is,
                                   found + strlen(was));
    struct {
        uint32_t length;
        float time;
    } time = {4, 0.5f};
    // each block of appended data follows its length in bytes
    uint32_t lengths[3] = {72, 24, 8};
    double points[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    int64_t corners[3] = {first_corner, 1, 2}, end = 3;
    const void *blocks[] = {&time, &lengths[0], points, &lengths[1], corners, &lengths[2], &end};
    const size_t sizes[] = {8, 4, 72, 4, 24, 4, 8};
    for (int i = 0; i < 7; i++) {
        memcpy(bytes + size, blocks[i], sizes[i]);
        size += sizes[i];
    }
    size += (size_t)snprintf(bytes + size, sizeof bytes - size, "</AppendedData></VTKFile>\n");
    return fm_vtk_parse(bytes, size, "made.vtp", err);
}

static void vtk_files_of_other_programs_are_read(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_surface *surface = parse_modified("", "", 0, &err);
    assert_non_null(surface);
    assert_int_equal(surface->point_count, 3);
    assert_int_equal(surface->face_start[1], 3);
    assert_true(surface->points[3] == 1 && surface->time == 0.5);
    fm_surface_destroy(surface);
}

static void arrays_named_kind_of_other_programs_are_ignored_or_refused(void **state)
{
    (void)state;
    static const struct {
        const char *array, *message; // message NULL: the file is read, without a kind
    } cases[] = {
        {"<Array type=\"String\" Name=\"kind\" format=\"ascii\">97 0</Array>", NULL},
        {"<DataArray type=\"Int32\" Name=\"kind\" format=\"ascii\">3</DataArray>", NULL},
        {"<Array type=\"String\" Name=\"kind\" format=\"appended\" offset=\"900\"/>",
         "kind: its offset is beyond"},
        {"<Array type=\"String\" Name=\"kind\" format=\"appended\" offset=\"-1\"/>",
         "offset: no number"},
        {"<Array type=\"String\" Name=\"kind\" format=\"appended\" offset=\"0\"/>"
         "<Array type=\"String\" Name=\"kind\" format=\"appended\" offset=\"0\"/>",
         "kind: there twice"},
        // Offset 84 is the connectivity, whose first byte is zero: an empty string. Offset 38 is in
        // the middle of the points, where no valid length is stored.
        {"<Array type=\"String\" Name=\"kind\" format=\"appended\" offset=\"84\"/>", NULL},
        {"<Array type=\"String\" Name=\"kind\" format=\"appended\" offset=\"38\"/>", "kind: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char is[400];
        fm_error err = {0};
        snprintf(is, sizeof is, "%s</FieldData>", cases[i].array);
        fm_surface *surface = parse_modified("</FieldData>", is, 0, &err);
        if (cases[i].message) {
            assert_null(surface);
            if (!strstr(err.text, cases[i].message))
                fail_msg("%s: %s", cases[i].array, err.text);
        } else {
            assert_good(surface, &err);
            assert_string_equal(surface->kind, "");
        }
        fm_surface_destroy(surface);
    }
}

static void an_error_in_the_xml_is_reported_with_its_element(void **state)
{
    (void)state;
    static const struct {
        const char *was, *is, *message;
    } cases[] = {
        {"PolyData", "StructuredGrid",
         "made.vtp: VTKFile: its type is neither PolyData nor ImageData"},
        {"PolyData", "ImageData", "made.vtp: ImageData: not there"},
        {"LittleEndian", "BigEndian", "byte_order: not LittleEndian"},
        {"UInt32", "UInt16", "header_type: neither UInt32 nor UInt64"},
        {"header_type", "compressor=\"z\" header_type", "compressor: compressed"},
        {"Points=\"3\"", "Points=\"4\"", "P: 72 bytes where 4 times 3 of Float64 belong"},
        {"Points=\"3\"", "Points=\"99999999999999999999\"", "NumberOfPoints: no number"},
        {"Points=\"3\"", "Points=\"-3\"", "NumberOfPoints: no number"},
        {"Points=\"3\"", "Points=\"268435456\"", "P: 72 bytes where"},
        {"Polys=\"1\"", "Polys=\"2\"", "offsets: 8 bytes where 2 times 1 of Int64 belong"},
        {"Polys=\"1\"", "Polys=\"1\" NumberOfStrips=\"1\"", "NumberOfStrips: only points, lines"},
        {"Polys=\"1\"", "Polys=\"1\" NumberOfLines=\"1\"", "Lines: connectivity or offsets are"},
        {"offset=\"8\"", "offset=\"800000\"", "P: its offset is beyond the end"},
        {"offset=\"8\"", "offset=\"9223372036854775807\"", "P: its offset is beyond the end"},
        {"offset=\"8\"", "offset=\"12\"", "P: "},
        {"offset=\"8\"", "", "P: no offset"},
        {"Float64", "Float16", "P: its type is none of"},
        {"Float64", "Int64", "P: not Float32 or Float64"},
        {"Int64", "Float64", "connectivity: not Int32 or Int64"},
        {"Components=\"3\"", "Components=\"0\"", "P: no components"},
        {"Components=\"3\"", "Components=\"2\"", "Points: not of 3 components"},
        {"format=\"appended\" offset=\"8\"", "format=\"ascii\"", "P: its format is not appended"},
        {"Name=\"offsets\"", "Name=\"connectivity\"", "connectivity: there twice"},
        {"Name=\"offsets\"", "Name=\"others\"", "Polys: connectivity or offsets are missing"},
        {"encoding=\"raw\"", "encoding=\"base64\"", "AppendedData: its encoding is not raw"},
        {"> _", ">  ", "AppendedData: no underscore"},
        {"<PolyData>", "<PolyData", "XML: line 1, column "},
        {"<VTKFile", "<!DOCTYPE a [<!ENTITY b \"c\">]><VTKFile", "DOCTYPE: not allowed"},
        {"<VTKFile", "<html", "html: the file is no VTKFile"},
        {"</Piece>", "</Piece><Piece/>", "Piece: more than one"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fm_error err = {0};
        fm_surface *surface = parse_modified(cases[i].was, cases[i].is, 0, &err);
        if (surface || !strstr(err.text, cases[i].message))
            print_error("%s -> %s: %s\n", cases[i].was, cases[i].is, err.text);
        assert_null(surface);
        assert_non_null(strstr(err.text, cases[i].message));
    }
    fm_error err = {0};
    assert_null(parse_modified("", "", 3, &err));
    assert_non_null(strstr(err.text, "connectivity: entry 0 is 3, allowed is 0 to 2"));
    err = (fm_error){0};
    assert_null(parse_modified("", "", -1, &err));
}

static void the_time_index_is_xml_with_escaped_file_names(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_pvd_entry entries[] = {{0, "frames/a.000000.vtp", 0}, {1.0 / 3, "frames/<&\">.vtp", 0}};
    assert_true(fm_pvd_write(in_scratch("a.pvd"), entries, 2, false, &err));
    size_t size;
    char *text = read_bytes(in_scratch("a.pvd"), &size);
    assert_non_null(strstr(text, "timestep=\"0\" part=\"0\" file=\"frames/a.000000.vtp\"/>"));
    assert_non_null(strstr(text, "timestep=\"0.33333333333333331\""));
    assert_non_null(strstr(text, "frames/&lt;&amp;&quot;>.vtp"));
    free(text);
}

static void frame_file_names_are_parsed_and_other_names_rejected(void **state)
{
    (void)state;
    char name[FM_NAME_SIZE];
    int frame;
    assert_true(fm_cache_parse_name("towel.000012.vtp", name, &frame));
    assert_string_equal(name, "towel");
    assert_int_equal(frame, 12);
    assert_true(fm_cache_parse_name("a.b.1234567.vtp", name, &frame));
    assert_string_equal(name, "a.b");
    assert_int_equal(frame, 1234567);
    static const char *const others[] = {
        "towel.00012.vtp",
        "towel.0000012.vtp",
        ".000012.vtp",
        "000012.vtp",
        "towel.vtp",
        "towel.000012.vtk",
        "towel.9999999999.vtp",
        "towel.000012.vtp.tmp-3",
        "towel-000012.vtp",
        ".vtp",
        "",
        "a123456789012345678901234567890123456789012345678.000001.vtp"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(fm_cache_parse_name(others[i], name, &frame));
}

static void a_cache_lists_objects_and_reads_their_frames(void **state)
{
    (void)state;
    fm_error err = {0};
    write_frames_of_roof(scratch, "towel", 3, 6, 25);
    write_frames_of_roof(scratch, "flag", 0, 2, 25);
    close(open(in_scratch("frames/junk"), O_CREAT | O_WRONLY, 0666));
    fm_cache *cache = fm_cache_open(scratch, &err);
    assert_non_null(cache);
    assert_int_equal(fm_cache_object_count(cache), 2);
    assert_string_equal(fm_cache_object_name(cache, 0), "flag");
    int towel = fm_cache_find_object(cache, "towel");
    assert_int_equal(towel, 1);
    assert_int_equal(fm_cache_find_object(cache, "sock"), -1);
    assert_int_equal(fm_cache_first_frame(cache, towel), 3);
    assert_int_equal(fm_cache_frame_count(cache, towel), 4);
    fm_surface *roof = create_roof("towel", 5 / 25.0),
               *frame = fm_cache_read_frame(cache, towel, 5, &err);
    assert_same_surface(roof, frame);
    assert_string_equal(frame->name, "towel");
    fm_surface_destroy(roof);
    fm_surface_destroy(frame);
    unlink(in_scratch("frames/towel.000004.vtp"));
    assert_null(fm_cache_read_frame(cache, towel, 4, &err));
    assert_non_null(strstr(err.text, "/frames/towel.000004.vtp: cannot open: No such file"));
    fm_cache_close(cache);
}

static void a_directory_without_frames_is_an_error(void **state)
{
    (void)state;
    fm_error err = {0};
    assert_null(fm_cache_open(in_scratch("nowhere"), &err));
    assert_non_null(strstr(err.text, "nowhere/frames: cannot open: No such file or directory"));
    err = (fm_error){0};
    assert_true(fm_directory_create(in_scratch("frames"), &err));
    assert_null(fm_cache_open(scratch, &err));
    assert_non_null(strstr(err.text, ": frames: there are none"));
}

// A world with a towel of 5 x 4 particles that has been hanging for 0.2 s.
static fm_world *create_towel(fm_cloth **towel)
{
    fm_error err = {0};
    fm_world *world = fixture_create_world(fixture_water_def(1), &err);
    fixture_towel hung = {.cloth = fm_default_cloth_def(),
                          .sheet = {.columns = 5, .rows = 4, .width = 0.4, .height = 0.3}};
    hung.cloth.name = "towel";
    *towel = fixture_create_hanging_cloth(world, &hung, &err);
    fm_world_advance(world, 0.2, &err);
    assert_int_equal(err.status, FM_OK);
    return world;
}

static void a_frame_of_a_cloth_has_its_positions_faces_and_fields(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_cloth *towel;
    fm_world *world = create_towel(&towel);
    fm_surface *frame =
        fm_frame_create(fm_cloth_object(towel), "velocity normal, stretch position normal", &err);
    assert_non_null(frame);
    assert_string_equal(frame->name, "towel");
    assert_int_equal(frame->point_count, 20);
    assert_int_equal(frame->face_count, 12);
    assert_int_equal(frame->field_count, 3);
    assert_close(frame->time, 0.2, 1e-15);
    const fm_vec3 *x = fm_cloth_positions(towel, NULL);
    for (int i = 0; i < 20; i++)
        assert_true(frame->points[3 * i + 1] == (float)x[i].y);
    // the orientation of the faces agrees with the cloth's normals
    float normals[60];
    fm_surface_normals(frame, normals);
    const float *own = fm_surface_values(frame, "normal", 3);
    for (int i = 0; i < 20; i++) {
        const float *a = normals + 3 * i, *b = own + 3 * i;
        assert_true(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] > 0.9f);
    }
    fm_surface_destroy(frame);
    assert_false(fm_frame_check_fields(world, "velocity colour", &err));
    assert_string_equal(err.value, "colour");
    fm_world_destroy(world);
}

// A frame has as many points as the fluid has particles at that time; a ball is one point.
static void a_frame_of_a_fluid_or_of_a_ball_has_points_only(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = fixture_create_world(fixture_water_def(1), &err);
    fm_collider_def ball = fixture_ball_def((fm_vec3){0.5, 0.8, 0.5}, 0.1);
    ball.name = "ball";
    ball.mass = 2;
    fm_collider_create(world, &ball, &err);
    fm_particles_def def = fixture_tank_def(3, 0.1, (fm_vec3){1, 1, 1});
    def.name = "pool";
    fm_fluid_box box = {.high = {1, 0.5, 1}};
    assert_non_null(fixture_create_fluid(world, &def, &box, &err));
    fm_world_advance(world, 0.01, &err);
    assert_int_equal(fm_world_object_count(world), 2);
    assert_string_equal(fm_object_kind(fm_world_find_object(world, "pool")), "particles");
    assert_string_equal(fm_object_kind(fm_world_find_object(world, "ball")), "ball");
    const char *path = in_scratch("pool.000000.vtp");
    for (int i = 0; i < 2; i++) {
        fm_object *object = fm_world_find_object(world, i ? "ball" : "pool");
        fm_surface *frame = fm_frame_create(object, NULL, &err);
        assert_non_null(frame);
        assert_true(fm_vtk_write(path, frame, false, &err));
        fm_surface *back = fm_vtk_read(path, &err);
        assert_non_null(back);
        assert_int_equal(back->point_count, i ? 1 : 500);
        assert_int_equal(back->face_count, 0);
        size_t size = 3 * (size_t)back->point_count * sizeof(float);
        assert_memory_equal(back->points, frame->points, size);
        assert_memory_equal(fm_surface_values(back, "velocity", 3),
                            fm_surface_values(frame, "velocity", 3), size);
        assert_close(fm_surface_values(back, "radius", 1)[0], i ? 0.1 : 0.05, 1e-6);
        fm_surface_destroy(frame);
        fm_surface_destroy(back);
    }
    size_t size;
    char *bytes = read_bytes(path, &size);
    // without vertex cells ParaView draws nothing
    assert_non_null(strstr(bytes, "NumberOfVerts=\"1\""));
    free(bytes);
    fm_world_destroy(world);
}

// The cloth has 4 particles after welding. Its frames have the 6 original vertices in their order.
static void a_frame_of_a_welded_mesh_has_the_original_vertices(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = fixture_create_world(fixture_water_def(1), &err);
    const fm_vec3 x[] = {{5, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {-3, 0, 0}, {1, 0, 0}};
    const int triangles[] = {0, 2, 1, 3, 4, 5};
    fm_cloth_mesh mesh = {.positions = x,
                          .vertex_count = 6,
                          .triangles = triangles,
                          .triangle_count = 2,
                          .weld = 1e-9};
    fm_cloth_def def = fm_default_cloth_def();
    fm_cloth *cloth = fm_cloth_create_mesh(world, &def, &mesh, &err);
    assert_int_equal(fm_cloth_particle_count(cloth), 4);
    for (int pass = 0; pass < 2; pass++) {
        fm_surface *frame = fm_frame_create(fm_cloth_object(cloth), "mass", &err);
        assert_non_null(frame);
        assert_int_equal(frame->point_count, 6);
        assert_int_equal(frame->face_count, 2);
        assert_int_equal(frame->face_start[1], 3);
        assert_int_equal(fm_surface_corner_count(frame), 6);
        assert_memory_equal(frame->face_points, triangles, sizeof triangles);
        const float *mass = fm_surface_values(frame, "mass", 1);
        assert_true(mass[2] == mass[3] && mass[1] == mass[5] && mass[1] > mass[0]);
        assert_memory_equal(frame->points + 6, frame->points + 9, 3 * sizeof(float));
        for (int i = 0; i < 6 && pass == 0; i++)
            assert_true(frame->points[3 * i] == (float)x[i].x);
        fm_surface_destroy(frame);
        fm_world_advance(world, 0.1, &err);
    }
    fm_world_destroy(world);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, create_scratch, remove_scratch)
    const struct CMUnitTest tests[] = {
        TEST(a_file_appears_under_its_name_only_when_it_is_complete),
        TEST(a_full_disk_leaves_the_old_file_unchanged),
        TEST(a_device_is_written_to_directly),
        TEST(a_path_that_cannot_be_written_is_an_error_with_the_reason),
        TEST(a_failure_while_a_file_is_written_leaves_no_file),
        TEST(directories_are_created_with_their_parents),
        TEST(a_file_above_the_size_limit_is_not_read),
        TEST(a_frame_is_read_back_bit_for_bit),
        TEST(points_on_a_lattice_are_written_as_an_image),
        TEST(a_frame_stores_the_kind_of_its_object),
        TEST(an_empty_surface_is_written_and_read_back),
        TEST(a_truncated_frame_is_refused_and_a_corrupted_one_does_no_harm),
        TEST(vtk_files_of_other_programs_are_read),
        TEST(arrays_named_kind_of_other_programs_are_ignored_or_refused),
        TEST(an_error_in_the_xml_is_reported_with_its_element),
        TEST(the_time_index_is_xml_with_escaped_file_names),
        TEST(frame_file_names_are_parsed_and_other_names_rejected),
        TEST(a_cache_lists_objects_and_reads_their_frames),
        TEST(a_directory_without_frames_is_an_error),
        TEST(a_frame_of_a_cloth_has_its_positions_faces_and_fields),
        TEST(a_frame_of_a_fluid_or_of_a_ball_has_points_only),
        TEST(a_frame_of_a_welded_mesh_has_the_original_vertices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
