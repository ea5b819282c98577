// SPDX-License-Identifier: MIT
// loader.c: loading meshes and animations from files: exports of a run in any format load as an
// animated collider; files that are truncated, too long or of another mesh are refused with the
// reason.
#include "io_fixture.h"

#include <fathom/fathom.h>
#include <fathom/scene.h>
#include <math.h>

enum { FRAMES = 8 };  // number of the last frame
enum { POINTS = 20 }; // of the towel

// A towel of 5 x 4 points that is swung by its upper edge.
static const char cloth_scene[] =
    "about: a\nsource: b\nworld: {fps: 20, frames: 8}\n"
    "motions: {swing: {sine: {axis: [0, 0, 1], amplitude: 0.2, period: 1}}}\n"
    "bodies: {towel: {cloth: {sheet: {columns: 5, rows: 4, width: 0.4, height: 0.3},\n"
    "  pins: [{edge: top, motion: swing}]}}}\n";

// Parses a scene whose files are in the scratch directory.
static fm_scene *parse_scene(const char *text)
{
    fm_error err = {0};
    fm_scene *scene =
        fm_scene_parse(text, strlen(text), "test.yaml", scratch, NULL, 0, NULL, NULL, &err);
    assert_good(scene, &err);
    return scene;
}

// Simulates a towel, exports it as OBJ, PC2 and MDD, and gives its positions (m) at every frame.
static void export_towel(fm_vec3 positions[FRAMES + 1][POINTS])
{
    fm_error err = {0};
    fm_scene *scene = parse_scene(cloth_scene);
    fm_world *world = fm_scene_build(scene, 1, &err);
    char directory[128];
    snprintf(directory, sizeof directory, "%s/run", scratch);
    fm_run_def def = {.directory = directory,
                      .scene_path = "test.yaml",
                      .scene_text = fm_scene_text(scene),
                      .frames = FRAMES,
                      .fps = 20,
                      .checkpoints_kept = 1,
                      .fields = ""};
    fm_run *run = fm_run_create(&def, world, true, &err);
    for (int f = 0; f <= FRAMES; f++) {
        fm_report report = f ? fm_world_advance(world, 1 / 20.0, &err) : fm_world_report(world);
        fm_run_write_frame(run, world, f, &report, NULL, 0, false, &err);
        int count;
        memcpy(positions[f], fm_cloth_positions(fm_world_cloth(world, 0), &count),
               sizeof positions[f]);
        assert_int_equal(count, POINTS);
    }
    assert_true(fm_run_close(run, FM_RUN_DONE, FRAMES, &err));
    static const char *const formats[] = {"obj", "pc2", "mdd"};
    for (int i = 0; i < 3; i++) {
        fm_export_options options = fm_default_export_options();
        options.format = formats[i];
        options.output = scratch;
        assert_true(fm_export_frames(directory, &options, NULL, &err));
    }
    fm_world_destroy(world);
    fm_scene_destroy(scene);
}

// Loads the export as an animated collider and checks that its surface has the positions of the
// towel at every frame, and the velocity between frames. animation: keys of the scene. The collider
// is 0.02 m thick, so points of the mesh are 0.01 m inside it.
static void check_collider(const char *animation, fm_vec3 positions[FRAMES + 1][POINTS])
{
    char text[1024];
    snprintf(text, sizeof text,
             "about: a\nsource: b\nworld: {fps: 20}\n"
             "bodies: {flag: {cloth: {sheet: {columns: 3, rows: 3, width: 1, height: 1}}}}\n"
             "colliders: {wall: {mesh: {file: towel.000000.obj, thickness: 0.02}, animation: "
             "{%s, interpolation: linear}}}\n",
             animation);
    fm_error err = {0};
    fm_scene *scene = parse_scene(text);
    fm_world *world = fm_scene_build_with_loader(scene, 1, fm_file_loader(), &err);
    assert_good(world, &err);
    const fm_collider *wall = fm_world_collider(world, 0);
    for (int f = 0; f <= FRAMES; f++) {
        for (int i = 0; i < POINTS; i++) {
            double time = f / 20.0;
            double d = fm_collider_distance(wall, positions[f][i], time, NULL, NULL, NULL);
            assert_close(d, -0.01, 1e-6);
            if (f == FRAMES)
                continue;
            // linear interpolation half way between two frames
            fm_vec3 a = positions[f][i], b = positions[f + 1][i], v;
            fm_vec3 middle = {(a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2};
            d = fm_collider_distance(wall, middle, time + 0.5 / 20, NULL, NULL, &v);
            assert_close(d, -0.01, 1e-6);
            assert_close(v.z, (b.z - a.z) * 20, 1e-4);
        }
    }
    fm_world_destroy(world);
    fm_scene_destroy(scene);
}

static void an_exported_obj_sequence_animates_a_collider(void **state)
{
    (void)state;
    fm_vec3 positions[FRAMES + 1][POINTS];
    export_towel(positions);
    check_collider("files: towel.%06d.obj, fps: 20", positions);
}

static void exported_point_caches_animate_a_collider(void **state)
{
    (void)state;
    fm_vec3 positions[FRAMES + 1][POINTS];
    export_towel(positions);
    check_collider("pc2: towel.pc2, fps: 20", positions);
    check_collider("mdd: towel.mdd", positions); // MDD stores times, so no fps
}

// Asserts that a scene with this collider cannot be built: the error has this status and message.
static void expect_failure(const char *collider, fm_status status, const char *message)
{
    char text[1024];
    snprintf(text, sizeof text,
             "about: a\nsource: b\n"
             "bodies: {flag: {cloth: {sheet: {columns: 3, rows: 3, width: 1, height: 1}}}}\n"
             "colliders: {wall: {%s}}\n",
             collider);
    fm_error err = {0};
    fm_scene *scene = parse_scene(text);
    assert_null(fm_scene_build_with_loader(scene, 1, fm_file_loader(), &err));
    assert_int_equal(err.status, status);
    if (!strstr(err.text, message) || strncmp(err.text, "test.yaml:4:", 12) != 0)
        fail_msg("expected \"%s\", got \"%s\"", message, err.text);
    fm_scene_destroy(scene);
}

// Writes a file into the scratch directory.
static void write_bytes(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(in_scratch(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void wrong_or_missing_mesh_files_are_refused_with_the_reason(void **state)
{
    (void)state;
    static const char square[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
    static const char wrong[] = "v 0 0 0\nv 1 zero 0\n";
    write_bytes("square.obj", square, sizeof square - 1);
    write_bytes("wrong.obj", wrong, sizeof wrong - 1);
    write_bytes("points.obj", square, 24); // three points and no face
    write_bytes("walk.0001.obj", square, sizeof square - 1);
    write_bytes("walk.0003.obj", square, sizeof square - 1);
    write_bytes("run.1.obj", square, sizeof square - 1);
    write_bytes("run.2.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n", 32);
    expect_failure("mesh: {file: none.obj}", FM_INPUT_OUTPUT, "none.obj: cannot open");
    expect_failure("mesh: {file: wrong.obj}", FM_BAD_VALUE, "wrong.obj:2:5: v: not a number");
    expect_failure("mesh: {file: points.obj}", FM_BAD_VALUE,
                   "a mesh needs 3 points and a face, this has 3 and 0");
#define SQUARE "mesh: {file: square.obj}, animation: "
    expect_failure(SQUARE "{files: walk.obj}", FM_BAD_VALUE, "the name needs one number");
    expect_failure(SQUARE "{files: \"walk.%04d.%d.obj\"}", FM_BAD_VALUE,
                   "the name needs one number");
    expect_failure(SQUARE "{files: \"swim.%04d.obj\"}", FM_INPUT_OUTPUT,
                   "there are none of this name");
    expect_failure(SQUARE "{files: \"walk.%04d.obj\"}", FM_INPUT_OUTPUT,
                   "from 1 to 3 there should be 3, and 2 are there");
    expect_failure(SQUARE "{files: \"run.%d.obj\"}", FM_BAD_VALUE,
                   "run.2.obj: points: 3, the mesh has 4");
    expect_failure(SQUARE "{files: \"nowhere/run.%d.obj\"}", FM_INPUT_OUTPUT, "cannot open");
    expect_failure(SQUARE "{pc2: square.obj}", FM_BAD_VALUE, "not a PC2 file");
    expect_failure(SQUARE "{mdd: square.obj}", FM_BAD_VALUE, "points: 807415818, allowed");
#undef SQUARE
}

// Header of a PC2 file (point cache).
typedef struct cache_header {
    char magic[12];
    int32_t version, points;
    float start, step;
    int32_t samples;
} cache_header;

// Asserts that a PC2 file of this header and values is read, or refused with this message.
static void expect_pc2(const cache_header *header, const float *values, size_t count,
                       const char *message)
{
    char bytes[512];
    memcpy(bytes, header, sizeof *header);
    memcpy(bytes + sizeof *header, values, count * sizeof *values);
    fm_frame_data frames;
    fm_error err = {0};
    bool good =
        fm_pc2_parse(bytes, sizeof *header + count * sizeof *values, "x.pc2", &frames, &err);
    assert_int_equal(good, message == NULL);
    if (message && !strstr(err.text, message))
        fail_msg("expected \"%s\", got \"%s\"", message, err.text);
    assert_true(good == (frames.positions != NULL));
    free(frames.positions);
}

static void pc2_files_with_a_wrong_header_or_size_are_refused(void **state)
{
    (void)state;
    _Static_assert(sizeof(cache_header) == 32, "the header of a PC2 file has 32 bytes");
    float values[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const cache_header good = {"POINTCACHE2", 1, 2, 0, 1, 2};
    cache_header header = good;
    expect_pc2(&header, values, 12, NULL);
    expect_pc2(&header, values, 11, "44 bytes are there, 2 samples of 2 points need 48");
    header.samples = 1;
    expect_pc2(&header, values, 12, "48 bytes are there, 1 samples of 2 points need 24");
    header.samples = 0;
    expect_pc2(&header, values, 12, "samples: 0, allowed is 1 or more");
    header = good;
    header.points = -2;
    expect_pc2(&header, values, 12, "points: -2, allowed is 1 to 2^27");
    header = good;
    header.version = 2;
    expect_pc2(&header, values, 12, "version: 2, allowed is 1");
    header = good;
    header.step = 0;
    expect_pc2(&header, values, 12, "step: 0, allowed is 1e-6 to 1e6 frames");
    header.step = NAN;
    expect_pc2(&header, values, 12, "step: ");
    header = good;
    header.start = INFINITY;
    expect_pc2(&header, values, 12, "start: inf");
    header = good;
    header.magic[3] = 'x';
    expect_pc2(&header, values, 12, "not a PC2 file");
    values[10] = NAN;
    expect_pc2(&good, values, 12, "at point 1 of sample 1");
}

static void mdd_files_need_equally_spaced_times(void **state)
{
    (void)state;
    static const float times[3][3] = {{1, 1.5f, 2}, {1, 1.7f, 2}, {2, 1.5f, 1}};
    static const char *const messages[3] = {NULL, "1.70000005 s at sample 1, 1.5 s would be even",
                                            "times: -0.5"};
    for (int i = 0; i < 3; i++) {
        // big-endian: 3 frames, 1 point, 3 times, then the points
        uint32_t words[5 + 9] = {__builtin_bswap32(3), __builtin_bswap32(1)};
        for (int k = 0; k < 3; k++) {
            memcpy(&words[2 + k], &times[i][k], 4);
            words[2 + k] = __builtin_bswap32(words[2 + k]);
        }
        fm_frame_data frames;
        fm_error err = {0};
        bool good = fm_mdd_parse((const char *)words, sizeof words, "x.mdd", &frames, &err);
        assert_int_equal(good, messages[i] == NULL);
        if (messages[i] && !strstr(err.text, messages[i]))
            fail_msg("expected \"%s\", got \"%s\"", messages[i], err.text);
        if (good) {
            assert_close(frames.fps, 2, 1e-6);
            assert_close(frames.first, 2, 1e-6);
            assert_int_equal(frames.frame_count, 3);
        }
        free(frames.positions);
        for (size_t size = 0; size < sizeof words; size++) { // truncated at any byte
            fm_error cut = {0};
            assert_false(fm_mdd_parse((const char *)words, size, "x.mdd", &frames, &cut));
            assert_null(frames.positions);
        }
    }
}

// The scene text that a run stores names files by absolute paths, so that the scene builds from any
// directory. It has the same hash as the original scene.
static void the_text_of_a_scene_has_absolute_paths_of_its_files(void **state)
{
    (void)state;
    static const char square[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
    write_bytes("square.obj", square, sizeof square - 1);
    fm_error err = {0};
    fm_scene *scene =
        parse_scene("about: a\nsource: b\n"
                    "bodies: {flag: {cloth: {sheet: {columns: 3, rows: 3, width: 1, height: 1}}}}\n"
                    "colliders: {wall: {mesh: {file: square.obj}}}\n");
    const char *text = fm_scene_text(scene);
    assert_non_null(strstr(text, in_scratch("square.obj")));
    fm_scene *again =
        fm_scene_parse(text, strlen(text), "again", "/nowhere", NULL, 0, NULL, NULL, &err);
    assert_non_null(again);
    assert_string_equal(fm_scene_text(again), text);
    assert_true(fm_scene_hash(again) == fm_scene_hash(scene));
    fm_world *world = fm_scene_build_with_loader(again, 1, fm_file_loader(), &err);
    assert_non_null(world);
    fm_world_destroy(world);
    assert_null(fm_scene_build(again, 1, &err)); // fails: there is no loader
    assert_int_equal(err.status, FM_BAD_VALUE);
    fm_scene_destroy(again);
    fm_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exported_obj_sequence_animates_a_collider),
        cmocka_unit_test(exported_point_caches_animate_a_collider),
        cmocka_unit_test(wrong_or_missing_mesh_files_are_refused_with_the_reason),
        cmocka_unit_test(pc2_files_with_a_wrong_header_or_size_are_refused),
        cmocka_unit_test(mdd_files_need_equally_spaced_times),
        cmocka_unit_test(the_text_of_a_scene_has_absolute_paths_of_its_files),
    };
    return cmocka_run_group_tests(tests, create_scratch, remove_scratch);
}
