// SPDX-License-Identifier: MIT
// A run's directory: whose it is, what is removed, links, damaged records, tables of any width, and
// the C locale in everything that is written and read.
#include "commas.h"
#include "io_fixture.h"

#include <fathom/fathom.h>

enum { PROBES = 1000 };

static fm_world *make_world(fm_error *err)
{
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = 1;
    fm_world *world = fm_world_create(&world_def, err);
    fm_cloth_def cloth_def = fm_default_cloth_def();
    cloth_def.drag.model = FM_DRAG_NONE;
    fm_sheet sheet = {.columns = 3, .rows = 3, .width = 0.2, .height = 0.2};
    fm_cloth *towel = fm_cloth_create_sheet(world, &cloth_def, &sheet, err);
    fm_cloth_pin_row(towel, 0, NULL, err);
    return world;
}

static fm_run_def define(const char *directory)
{
    return (fm_run_def){.directory = directory,
                        .scene_path = "test.yaml",
                        .scene_text = "text",
                        .scene_hash = 7,
                        .frames = 2,
                        .fps = 24,
                        .checkpoint_frames = 1,
                        .checkpoints_kept = 2,
                        .fields = ""};
}

// Three frames.
static bool write_run(const fm_run_def *def, bool replace, const double *probes, fm_error *err)
{
    fm_world *world = make_world(err);
    fm_run *run = fm_run_create(def, world, replace, err);
    for (int frame = 0; run && frame <= 2; frame++) {
        fm_report report = frame ? fm_world_advance(world, 1 / 24.0, err) : fm_world_report(world);
        fm_run_write(run, world, frame, &report, probes, 0, false, err);
    }
    bool good = run && fm_run_close(run, FM_RUN_DONE, 2, err);
    fm_world_destroy(world);
    return good;
}

static void put(const char *path, const char *text)
{
    fm_error err = {0};
    assert_true(fm_file_replace(path, text, strlen(text), &err));
}

static void assert_text(const char *path, const char *text)
{
    size_t size;
    char *bytes = bytes_of(path, &size);
    assert_string_equal(bytes, text);
    free(bytes);
}

static void a_directory_of_others_is_left_as_it_was(void **state)
{
    (void)state;
    static const char *const files[] = {
        "mine.vtp", "mine.pvd", "a.state", "b.tmp-1", "run.json.unfinished", "stats.csv", "lock"};
    for (int i = 0; i < 7; i++) {
        fm_error err = {0};
        char path[100], file[200];
        snprintf(path, sizeof path, "%s/place", scratch);
        fm_run_def def = define(path);
        snprintf(file, sizeof file, "%s/%s", path, files[i]);
        assert_true(fm_directory_make(path, &err));
        put(file, "mine");
        for (int replace = 0; replace < 2; replace++) {
            err = (fm_error){0};
            assert_false(write_run(&def, replace, NULL, &err));
            assert_int_equal(err.status, FM_BAD_VALUE);
            assert_non_null(strstr(err.text, files[i]));
            assert_non_null(strstr(err.text, "an empty or missing one"));
            assert_int_equal(count_files(path), 1);
            assert_text(file, "mine");
        }
        unlink(file);
    }
}

static void beginning_anew_removes_own_files_only(void **state)
{
    (void)state;
    static const char *const others[] = {"notes.txt",
                                         "mine.vtp",
                                         "other.pvd",
                                         "movie.mp4",
                                         "frames/mine.000001.vtp",
                                         "frames/cloth.vtp",
                                         "frames/cloth.000009.vtp",
                                         "checkpoints/000009.state",
                                         "checkpoints/mine.state",
                                         "frames/cloth.000001.vtp.tmp-1"};
    fm_error err = {0};
    fm_run_def def = define(scratch);
    assert_true(write_run(&def, false, NULL, &err));
    for (int i = 0; i < 10; i++)
        put(in_scratch(others[i]), "mine");
    put(in_scratch("frames/cloth.000001.vtp.unfinished"), "half");
    def.frames = 0;
    fm_world *world = make_world(&err);
    fm_run *run = fm_run_create(&def, world, true, &err);
    assert_non_null(run);
    assert_int_equal(access(in_scratch("frames/cloth.000001.vtp"), F_OK), -1);
    assert_int_equal(access(in_scratch("frames/cloth.000001.vtp.unfinished"), F_OK), -1);
    assert_int_equal(access(in_scratch("checkpoints/000002.state"), F_OK), -1);
    assert_int_equal(access(in_scratch("cloth.pvd"), F_OK), -1);
    assert_true(fm_run_close(run, FM_RUN_INTERRUPTED, -1, &err));
    fm_world_destroy(world);
    for (int i = 0; i < 10; i++)
        assert_text(in_scratch(others[i]), "mine");
}

static void links_are_not_followed(void **state)
{
    (void)state;
    static const char *const files[] = {"lock", "stats.csv", "probes.csv", "timings.csv",
                                        "run.json"};
    fm_error err = {0};
    char directory[100];
    snprintf(directory, sizeof directory, "%s/run", scratch);
    fm_run_def def = define(directory);
    assert_true(write_run(&def, false, NULL, &err));
    for (int i = 0; i < 5; i++) {
        char path[200], kept[220];
        snprintf(path, sizeof path, "%s/%s", directory, files[i]);
        snprintf(kept, sizeof kept, "%s.kept", path);
        put(in_scratch("target"), "theirs");
        rename(path, kept);
        assert_int_equal(symlink(in_scratch("target"), path), 0);
        err = (fm_error){0};
        assert_false(write_run(&def, true, NULL, &err));
        assert_int_equal(err.status, FM_BAD_VALUE);
        assert_non_null(strstr(err.text, "symbolic link"));
        assert_text(in_scratch("target"), "theirs");
        unlink(path);
        rename(kept, path);
    }
    err = (fm_error){0};
    assert_true(write_run(&def, true, NULL, &err));
    // a file of an export
    put(in_scratch("target"), "theirs");
    assert_int_equal(symlink(in_scratch("target"), in_scratch("link.obj")), 0);
    assert_int_equal(symlink(in_scratch("target"), in_scratch("x.obj.unfinished")), 0);
    assert_null(fm_writer_open(in_scratch("link.obj"), &err));
    assert_non_null(strstr(err.text, "symbolic link"));
    err = (fm_error){0};
    assert_null(fm_writer_open(in_scratch("x.obj"), &err));
    assert_non_null(strstr(err.text, "symbolic link"));
    assert_text(in_scratch("target"), "theirs");
}

static void a_record_is_read_with_care(void **state)
{
    (void)state;
    static const char *const wrong[][3] = {
        {"\"first_frame\": 0,", "\"first_frame\": 2147483647,", "first_frame"},
        {"\"first_frame\": 0,", "\"first_frame\": -2147483648,", "first_frame"},
        {"\"first_frame\": 0,", "\"first_frame\": 99999999999999999999,", "first_frame"},
        {"\"first_frame\": 0,", "\"first_frame\": 5,", "frames"}, // behind the last
        {"\"frames\": 2,", "\"frames\": -1,", "frames"},
        {"\"frames\": 2,", "\"frames\": many,", "frames"},
        {"\"written\": 2,", "\"written\": 2147483648,", "written"},
        {"\"status\": \"done\"", "\"status\": \"well\"", "status"},
        {"\"objects\": [\"cloth\"]", "\"objects\": [\"../cloth\"]", "objects"},
        {"\"fps\": 24", "\"fps\": x", "fps"},
    };
    fm_error err = {0};
    fm_run_def def = define(scratch);
    assert_true(write_run(&def, false, NULL, &err));
    size_t size;
    char *good = bytes_of(in_scratch("run.json"), &size);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char bad[4096];
        char *at = strstr(good, wrong[i][0]);
        assert_non_null(at);
        snprintf(bad, sizeof bad, "%.*s%s%s", (int)(at - good), good, wrong[i][1],
                 at + strlen(wrong[i][0]));
        put(in_scratch("run.json"), bad);
        fm_run_found found;
        err = (fm_error){0};
        assert_false(fm_run_look(scratch, &found, &err));
        assert_int_equal(err.status, FM_BAD_VALUE);
        assert_non_null(strstr(err.text, "run.json"));
        assert_non_null(strstr(err.text, wrong[i][2]));
        int frame;
        err = (fm_error){0};
        fm_world *world = make_world(&err);
        assert_null(fm_run_resume(&def, world, &frame, &err));
        fm_world_destroy(world);
        assert_text(in_scratch("run.json"), bad);
    }
    free(good);
}

static int count_commas(const char *text)
{
    int count = 0;
    for (; *text && *text != '\n'; text++)
        count += *text == ',';
    return count;
}

// A header of more than 4096 bytes, rows of more than 16384.
static void tables_are_as_wide_as_they_must(void **state)
{
    (void)state;
    static char names[PROBES][40];
    static const char *columns[PROBES];
    static double values[PROBES];
    for (int i = 0; i < PROBES; i++) {
        snprintf(names[i], sizeof names[i], "a_rather_long_name_%d", i);
        columns[i] = names[i];
        values[i] = -1.23456789e-100;
    }
    fm_error err = {0};
    fm_run_def def = define(scratch);
    def.probe_columns = columns;
    def.probe_column_count = PROBES;
    assert_true(write_run(&def, false, values, &err));
    size_t size;
    char *text = bytes_of(in_scratch("probes.csv"), &size);
    int lines = 0;
    for (char *line = text; *line; line = strchr(line, '\n') + 1, lines++) {
        assert_non_null(strchr(line, '\n'));
        assert_int_equal(count_commas(line), 1 + PROBES);
    }
    assert_int_equal(lines, 4);
    assert_true(size > 4096 + 3 * 16384);
    assert_non_null(strstr(text, ",a_rather_long_name_999\n0,"));
    // and they resume
    int frame;
    def.frames = 3;
    fm_world *world = make_world(&err);
    fm_run *run = fm_run_resume(&def, world, &frame, &err);
    assert_int_equal(frame, 2);
    assert_true(fm_run_close(run, FM_RUN_INTERRUPTED, 2, &err));
    assert_text(in_scratch("probes.csv"), text);
    fm_world_destroy(world);
    free(text);
}

static void a_table_of_other_columns_is_kept(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_run_def def = define(scratch);
    assert_true(write_run(&def, false, NULL, &err));
    const char *old = "frame,time\n0,0\n1,0.04\n2,0.08\n";
    put(in_scratch("stats.csv"), old);
    int frame;
    fm_world *world = make_world(&err);
    assert_null(fm_run_resume(&def, world, &frame, &err));
    assert_int_equal(err.status, FM_BAD_VALUE);
    assert_non_null(strstr(err.text, "columns"));
    assert_text(in_scratch("stats.csv"), old);
    fm_world_destroy(world);
}

// Everything a run and its exports write, with a comma for a point and with the point.
static void write_everything(const char *name)
{
    char directory[100];
    snprintf(directory, sizeof directory, "%s/%s", scratch, name);
    static const char *const formats[] = {"obj", "pc2", "mdd", "usda", "glb", "ply", "vtk", "csv"};
    static const char *const columns[] = {"probe"};
    const double value = 0.125;
    fm_error err = {0};
    fm_run_def def = define(directory);
    def.fps = 12.5;
    def.probe_columns = columns;
    def.probe_column_count = 1;
    assert_true(write_run(&def, false, &value, &err));
    for (int i = 0; i < 8; i++) {
        fm_export_options options = fm_default_export_options();
        options.format = formats[i];
        assert_true(fm_export(directory, &options, NULL, &err));
    }
}

static void the_hosts_locale_stays_out(void **state)
{
    (void)state;
    char text[16], command[512];
    use_commas();
    write_everything("comma");
    fm_run_found found;
    fm_error err = {0};
    assert_true(fm_run_look(in_scratch("comma"), &found, &err));
    fm_fail_number(&err, "a", "b", 0.5, "c");
    assert_string_equal(err.text, "a: b is 0.5, allowed is c");
    char *end;
    assert_true(fm_parse_number("0.5", &end) == 0.5);
    snprintf(text, sizeof text, "%.1f", 0.5); // it is the host's as before
    assert_string_equal(text, "0,5");
    setlocale(LC_ALL, "C");
    write_everything("point");
    snprintf(command, sizeof command, "diff -r -x timings.csv '%s' '%s'", in_scratch("comma"),
             in_scratch("point"));
    assert_int_equal(system(command), 0);
    size_t size;
    char *timings = bytes_of(in_scratch("comma/timings.csv"), &size);
    char *row = strchr(timings, '\n') + 1;
    timings[row - timings - 1] = 0;
    row[strcspn(row, "\n")] = 0;
    assert_int_equal(count_commas(timings), count_commas(row));
    free(timings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_directory_of_others_is_left_as_it_was, make_scratch,
                                        remove_scratch),
        cmocka_unit_test_setup_teardown(beginning_anew_removes_own_files_only, make_scratch,
                                        remove_scratch),
        cmocka_unit_test_setup_teardown(links_are_not_followed, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(a_record_is_read_with_care, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(tables_are_as_wide_as_they_must, make_scratch,
                                        remove_scratch),
        cmocka_unit_test_setup_teardown(a_table_of_other_columns_is_kept, make_scratch,
                                        remove_scratch),
        cmocka_unit_test_setup_teardown(the_hosts_locale_stays_out, make_scratch, remove_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
