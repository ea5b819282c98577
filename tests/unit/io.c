// SPDX-License-Identifier: MIT
// Files that are whole or not there, frames written and read back, damage found.
#include "io_fixture.h"

#include <fathom/fathom.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>

static void files_appear_whole(void **state)
{
    (void)state;
    fm_error err = {0};
    const char *path = in_scratch("whole");
    fm_writer *writer = fm_writer_open(path, &err);
    fm_write_text(writer, "%d %.9g ", 42, 0.1);
    char large[200000];
    memset(large, 'x', sizeof large);
    fm_write(writer, large, sizeof large);
    fm_write(writer, "end", 3);
    assert_int_equal(fm_writer_offset(writer), 7 + sizeof large + 3);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_true(fm_writer_close(writer, true));
    size_t size;
    char *bytes = bytes_of(path, &size);
    assert_int_equal(size, 7 + sizeof large + 3);
    assert_memory_equal(bytes, "42 0.1 xxx", 10);
    assert_memory_equal(bytes + size - 4, "xend", 4);
    free(bytes);
    assert_int_equal(count_files(scratch), 1);
}

// A limit on the size of files stands for a full disk: the write fails half way through.
static void a_full_disk_leaves_the_old_file(void **state)
{
    (void)state;
    fm_error err = {0};
    const char *path = in_scratch("roof.000000.vtp");
    fm_surface *roof = make_roof("roof", 0);
    assert_true(fm_vtk_write(path, roof, false, &err));
    size_t size;
    char *before = bytes_of(path, &size);
    struct rlimit old, small = {1000, 0};
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
    char *after = bytes_of(path, &after_size);
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
    fm_surface *roof = make_roof("roof", 0);
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

static void places_that_cannot_be_written(void **state)
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
    bool root = geteuid() == 0;
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
    // a long path keeps its end and the reason
    char path[700];
    memset(path, 'a', sizeof path);
    snprintf(path + 600, sizeof path - 600, "/tail.vtp");
    err = (fm_error){0};
    assert_null(fm_vtk_read(path, &err));
    assert_non_null(strstr(err.text, "/tail.vtp: cannot open: "));
}

static void a_failure_elsewhere_abandons_the_file(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_writer *writer = fm_writer_open(in_scratch("abandoned"), &err);
    fm_write(writer, "abc", 3);
    fm_fail(&err, FM_BAD_VALUE, "something", "else", "wrong", "right");
    assert_false(fm_writer_close(writer, false));
    assert_int_equal(err.status, FM_BAD_VALUE);
    assert_int_equal(count_files(scratch), 0);
}

static void directories_are_made_with_those_above(void **state)
{
    (void)state;
    fm_error err = {0};
    assert_true(fm_directory_make(in_scratch("a/b//c/"), &err));
    assert_true(fm_directory_make(in_scratch("a/b/c"), &err));
    close(open(in_scratch("a/file"), O_CREAT | O_WRONLY, 0666));
    assert_false(fm_directory_make(in_scratch("a/file/d"), &err));
    assert_non_null(strstr(err.text, "Not a directory"));
}

static void reading_has_a_limit(void **state)
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

static void frames_come_back(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_surface *roof = make_roof("roof", 1.0 / 3);
    roof->fields[1].values[3] = NAN;
    roof->points[4] = INFINITY;
    assert_true(fm_vtk_write(in_scratch("roof.000007.vtp"), roof, false, &err));
    assert_true(fm_vtk_write(in_scratch("again.vtp"), roof, true, &err));
    assert_true(same_bytes(in_scratch("roof.000007.vtp"), in_scratch("again.vtp")));
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

static void an_empty_surface_is_fine(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_surface *none = fm_surface_create("none", 0, 0, 0, NULL, 0, &err);
    assert_true(fm_vtk_write(in_scratch("none.vtp"), none, false, &err));
    fm_surface *back = fm_vtk_read(in_scratch("none.vtp"), &err);
    assert_non_null(back);
    assert_same_surface(none, back);
    fm_surface_destroy(none);
    fm_surface_destroy(back);
}

// Every file cut short is refused, and no byte that changes does harm.
static void damage_is_found(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_surface *roof = make_roof("roof", 2);
    assert_true(fm_vtk_write(in_scratch("roof.vtp"), roof, false, &err));
    fm_surface_destroy(roof);
    size_t size;
    char *bytes = bytes_of(in_scratch("roof.vtp"), &size);
    for (size_t cut = 0; cut < size - 1; cut++) {
        char *piece = malloc(cut ? cut : 1); // so that the sanitizer sees its end
        memcpy(piece, bytes, cut);
        err = (fm_error){0};
        assert_null(fm_vtk_parse(piece, cut, "cut.vtp", &err));
        assert_int_equal(err.status, FM_INPUT_OUTPUT);
        free(piece);
    }
    fm_rng rng = {1};
    for (int i = 0; i < 20000; i++) {
        size_t at = fm_rng_next(&rng) % size;
        char kept = bytes[at];
        bytes[at] = (char)(i % 2 ? kept ^ (1 << fm_rng_next(&rng) % 8) : (int)fm_rng_next(&rng));
        err = (fm_error){0};
        fm_surface *surface = fm_vtk_parse(bytes, size, "hit.vtp", &err);
        assert_true((surface != NULL) == (err.status == FM_OK));
        fm_surface_destroy(surface);
        bytes[at] = kept;
    }
    free(bytes);
}

// A head with one thing replaced; three points and one triangle in Float64 and Int64.
static fm_surface *parse_with(const char *was, const char *is, int first_corner, fm_error *err)
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
    const char *at = *was ? strstr(head, was) : head;
    assert_non_null(at);
    size_t size = (size_t)snprintf(bytes, sizeof bytes, "%.*s%s%s", (int)(at - head), head, is,
                                   at + strlen(was));
    struct {
        uint32_t length;
        float time;
    } time = {4, 0.5f};
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

static void other_writers_are_understood(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_surface *surface = parse_with("", "", 0, &err);
    assert_non_null(surface);
    assert_int_equal(surface->point_count, 3);
    assert_int_equal(surface->face_start[1], 3);
    assert_true(surface->points[3] == 1 && surface->time == 0.5);
    fm_surface_destroy(surface);
}

static void wrong_heads_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *was, *is, *message;
    } cases[] = {
        {"PolyData", "ImageData", "made.vtp: VTKFile: its type is not PolyData"},
        {"LittleEndian", "BigEndian", "byte_order: not LittleEndian"},
        {"UInt32", "UInt16", "header_type: neither UInt32 nor UInt64"},
        {"header_type", "compressor=\"z\" header_type", "compressor: compressed"},
        {"Points=\"3\"", "Points=\"4\"", "P: 72 bytes where 4 times 3 of Float64 belong"},
        {"Points=\"3\"", "Points=\"99999999999999999999\"", "NumberOfPoints: no number"},
        {"Points=\"3\"", "Points=\"-3\"", "NumberOfPoints: no number"},
        {"Points=\"3\"", "Points=\"268435456\"", "P: 72 bytes where"},
        {"Polys=\"1\"", "Polys=\"2\"", "offsets: 8 bytes where 2 times 1 of Int64 belong"},
        {"Polys=\"1\"", "Polys=\"1\" NumberOfLines=\"1\"", "NumberOfLines: only points and"},
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
        {"Name=\"offsets\"", "Name=\"others\"", "Points, connectivity or offsets are missing"},
        {"encoding=\"raw\"", "encoding=\"base64\"", "AppendedData: its encoding is not raw"},
        {"> _", ">  ", "AppendedData: no underscore"},
        {"<PolyData>", "<PolyData", "XML: line 1, column "},
        {"<VTKFile", "<!DOCTYPE a [<!ENTITY b \"c\">]><VTKFile", "DOCTYPE: not allowed"},
        {"<VTKFile", "<html", "html: the file is no VTKFile"},
        {"</Piece>", "</Piece><Piece/>", "Piece: more than one"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fm_error err = {0};
        fm_surface *surface = parse_with(cases[i].was, cases[i].is, 0, &err);
        if (surface || !strstr(err.text, cases[i].message))
            print_error("%s -> %s: %s\n", cases[i].was, cases[i].is, err.text);
        assert_null(surface);
        assert_non_null(strstr(err.text, cases[i].message));
    }
    fm_error err = {0};
    assert_null(parse_with("", "", 3, &err));
    assert_non_null(strstr(err.text, "connectivity: entry 0 is 3, allowed is 0 to 2"));
    err = (fm_error){0};
    assert_null(parse_with("", "", -1, &err));
}

static void the_list_of_times_is_xml(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_pvd_entry entries[] = {{0, "frames/a.000000.vtp", 0}, {1.0 / 3, "frames/<&\">.vtp", 0}};
    assert_true(fm_pvd_write(in_scratch("a.pvd"), entries, 2, false, &err));
    size_t size;
    char *text = bytes_of(in_scratch("a.pvd"), &size);
    assert_non_null(strstr(text, "timestep=\"0\" part=\"0\" file=\"frames/a.000000.vtp\"/>"));
    assert_non_null(strstr(text, "timestep=\"0.33333333333333331\""));
    assert_non_null(strstr(text, "frames/&lt;&amp;&quot;>.vtp"));
    free(text);
}

static void names_of_frames(void **state)
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

static void a_cache_finds_what_is_there(void **state)
{
    (void)state;
    fm_error err = {0};
    make_frames(scratch, "towel", 3, 6, 25);
    make_frames(scratch, "flag", 0, 2, 25);
    close(open(in_scratch("frames/junk"), O_CREAT | O_WRONLY, 0666));
    fm_cache *cache = fm_cache_open(scratch, &err);
    assert_non_null(cache);
    assert_int_equal(fm_cache_object_count(cache), 2);
    assert_string_equal(fm_cache_object_name(cache, 0), "flag");
    int towel = fm_cache_find(cache, "towel");
    assert_int_equal(towel, 1);
    assert_int_equal(fm_cache_find(cache, "sock"), -1);
    assert_int_equal(fm_cache_first_frame(cache, towel), 3);
    assert_int_equal(fm_cache_frame_count(cache, towel), 4);
    fm_surface *roof = make_roof("towel", 5 / 25.0), *frame = fm_cache_read(cache, towel, 5, &err);
    assert_same_surface(roof, frame);
    assert_string_equal(frame->name, "towel");
    fm_surface_destroy(roof);
    fm_surface_destroy(frame);
    unlink(in_scratch("frames/towel.000004.vtp"));
    assert_null(fm_cache_read(cache, towel, 4, &err));
    assert_non_null(strstr(err.text, "/frames/towel.000004.vtp: cannot open: No such file"));
    fm_cache_close(cache);
}

static void a_cache_of_nothing_says_so(void **state)
{
    (void)state;
    fm_error err = {0};
    assert_null(fm_cache_open(in_scratch("nowhere"), &err));
    assert_non_null(strstr(err.text, "nowhere/frames: cannot open: No such file or directory"));
    err = (fm_error){0};
    assert_true(fm_directory_make(in_scratch("frames"), &err));
    assert_null(fm_cache_open(scratch, &err));
    assert_non_null(strstr(err.text, ": frames: there are none"));
}

static fm_world *make_towel(fm_cloth **towel)
{
    fm_error err = {0};
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = 1;
    fm_world *world = fm_world_create(&world_def, &err);
    fm_cloth_def def = fm_default_cloth_def();
    def.name = "towel";
    fm_sheet sheet = {.columns = 5, .rows = 4, .width = 0.4, .height = 0.3};
    *towel = fm_cloth_create_sheet(world, &def, &sheet, &err);
    fm_cloth_pin_row(*towel, 0, NULL, &err);
    fm_world_advance(world, 0.2, &err);
    assert_int_equal(err.status, FM_OK);
    return world;
}

static void a_cloth_becomes_a_frame(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_cloth *towel;
    fm_world *world = make_towel(&towel);
    fm_surface *frame = fm_frame_create(towel, "velocity normal, stretch position normal", &err);
    assert_non_null(frame);
    assert_true(fm_frame_update(frame, towel, fm_world_time(world), &err));
    assert_string_equal(frame->name, "towel");
    assert_int_equal(frame->point_count, 20);
    assert_int_equal(frame->face_count, 12);
    assert_int_equal(frame->field_count, 3);
    assert_close(frame->time, 0.2, 1e-15);
    const fm_vec3 *x = fm_cloth_positions(towel, NULL);
    for (int i = 0; i < 20; i++)
        assert_true(frame->points[3 * i + 1] == (float)x[i].y);
    // faces turn the way the cloth's own normal points
    float normals[60];
    fm_surface_normals(frame, normals);
    const float *own = fm_surface_values(frame, "normal", 3);
    for (int i = 0; i < 20; i++) {
        const float *a = normals + 3 * i, *b = own + 3 * i;
        assert_true(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] > 0.9f);
    }
    fm_surface_destroy(frame);
    assert_null(fm_frame_create(towel, "velocity colour", &err));
    assert_string_equal(err.value, "colour");
    fm_world_destroy(world);
}

// Particles come and go, so each frame has as many points as there are; a ball is one point.
static void fluids_are_points(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = 1;
    fm_world *world = fm_world_create(&world_def, &err);
    fm_collider_def ball = fm_default_collider_def();
    ball.name = "ball";
    ball.shape.centre = (fm_vec3){0.5, 0.8, 0.5};
    ball.shape.radius = 0.1;
    ball.mass = 2;
    fm_collider_create(world, &ball, &err);
    fm_particles_def def = fm_default_particles_def();
    def.name = "pool";
    def.spacing = 0.1;
    fm_particles *fluid = fm_particles_create(world, &def, &err);
    assert_true(fm_particles_add_box(fluid, &(fm_fluid_box){.high = {1, 0.5, 1}}, &err));
    fm_world_advance(world, 0.01, &err);
    assert_int_equal(fm_points_count(world), 2);
    assert_string_equal(fm_points_name(world, 0), "pool");
    assert_string_equal(fm_points_name(world, 1), "ball");
    const char *path = in_scratch("pool.000000.vtp");
    for (int i = 0; i < 2; i++) {
        fm_surface *frame = fm_points_frame(world, i, &err);
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
    char *bytes = bytes_of(path, &size);
    assert_non_null(strstr(bytes, "NumberOfVerts=\"1\"")); // what makes points seen
    free(bytes);
    fm_world_destroy(world);
}

// A mesh of two welded triangles has the six points it was made of, in their order.
static void a_mesh_keeps_its_vertices(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = 1;
    fm_world *world = fm_world_create(&world_def, &err);
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
    fm_surface *frame = fm_frame_create(cloth, "mass", &err);
    assert_non_null(frame);
    for (int pass = 0; pass < 2; pass++) {
        assert_true(fm_frame_update(frame, cloth, 0, &err));
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
        fm_world_advance(world, 0.1, &err);
    }
    fm_surface_destroy(frame);
    fm_world_destroy(world);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)
    const struct CMUnitTest tests[] = {
        TEST(files_appear_whole),
        TEST(a_full_disk_leaves_the_old_file),
        TEST(a_device_is_written_to_directly),
        TEST(places_that_cannot_be_written),
        TEST(a_failure_elsewhere_abandons_the_file),
        TEST(directories_are_made_with_those_above),
        TEST(reading_has_a_limit),
        TEST(frames_come_back),
        TEST(an_empty_surface_is_fine),
        TEST(damage_is_found),
        TEST(other_writers_are_understood),
        TEST(wrong_heads_are_named),
        TEST(the_list_of_times_is_xml),
        TEST(names_of_frames),
        TEST(a_cache_finds_what_is_there),
        TEST(a_cache_of_nothing_says_so),
        TEST(a_cloth_becomes_a_frame),
        TEST(fluids_are_points),
        TEST(a_mesh_keeps_its_vertices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
