// SPDX-License-Identifier: MIT
// io_run_directory.c: the directory of a run: which directories are refused, which files are
// removed, symbolic links, damaged run.json, tables with many columns, independence of the locale.
#include "comma_locale.h"
#include "fixtures.h"
#include "io_fixture.h"

enum { PROBES = 1000 }; // columns of probes.csv

// A world with a hanging cloth of 3 x 3 particles.
static fm_world *create_world(fm_error *err)
{
    fm_world *world = fixture_create_world(fixture_water_def(1), err);
    fixture_towel towel = {.cloth = fm_default_cloth_def(),
                           .sheet = {.columns = 3, .rows = 3, .width = 0.2, .height = 0.2}};
    towel.cloth.drag.model = FM_DRAG_NONE;
    fixture_create_hanging_cloth(world, &towel, err);
    return world;
}

// The definition of a run of three frames, 0 to 2, with a checkpoint at each.
static fm_run_def define_run(const char *directory)
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

// Writes a run of three frames. replace: a run that is in the directory; probes: values for every
// frame, or NULL. Returns false if the directory was refused.
static bool write_run(const fm_run_def *def, bool replace, const double *probes, fm_error *err)
{
    fm_world *world = create_world(err);
    fm_run *run = fm_run_create(def, world, replace, err);
    for (int frame = 0; run && frame <= 2; frame++) {
        fm_report report = frame ? fm_world_advance(world, 1 / 24.0, err) : fm_world_report(world);
        fm_run_write_frame(run, world, frame, &report, probes, 0, false, err);
    }
    bool good = run && fm_run_close(run, FM_RUN_DONE, 2, err);
    fm_world_destroy(world);
    return good;
}

// Replaces the contents of a file.
static void write_text(const char *path, const char *text)
{
    fm_error err = {0};
    assert_true(fm_file_replace(path, text, strlen(text), &err));
}

// Asserts that a file has these contents.
static void assert_text(const char *path, const char *text)
{
    size_t size;
    char *bytes = read_bytes(path, &size);
    assert_string_equal(bytes, text);
    free(bytes);
}

static void a_directory_with_other_files_is_refused_and_left_unchanged(void **state)
{
    (void)state;
    static const char *const files[] = {
        "mine.vtp", "mine.pvd", "a.state", "b.tmp-1", "run.json.unfinished", "stats.csv", "lock"};
    for (int i = 0; i < 7; i++) {
        fm_error err = {0};
        char path[100], file[200];
        snprintf(path, sizeof path, "%s/place", scratch);
        fm_run_def def = define_run(path);
        snprintf(file, sizeof file, "%s/%s", path, files[i]);
        assert_true(fm_directory_create(path, &err));
        write_text(file, "mine");
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

static void replacing_a_run_removes_only_the_files_of_that_run(void **state)
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
    fm_run_def def = define_run(scratch);
    assert_true(write_run(&def, false, NULL, &err));
    for (int i = 0; i < 10; i++)
        write_text(in_scratch(others[i]), "mine");
    write_text(in_scratch("frames/cloth.000001.vtp.unfinished"), "half");
    def.frames = 0;
    fm_world *world = create_world(&err);
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

static void symbolic_links_are_refused_and_their_targets_left_unchanged(void **state)
{
    (void)state;
    static const char *const files[] = {"lock", "stats.csv", "probes.csv", "timings.csv",
                                        "run.json"};
    fm_error err = {0};
    char directory[100];
    snprintf(directory, sizeof directory, "%s/run", scratch);
    fm_run_def def = define_run(directory);
    assert_true(write_run(&def, false, NULL, &err));
    for (int i = 0; i < 5; i++) {
        char path[200], kept[220];
        snprintf(path, sizeof path, "%s/%s", directory, files[i]);
        snprintf(kept, sizeof kept, "%s.kept", path);
        write_text(in_scratch("target"), "theirs");
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
    // the same for the file of an export
    write_text(in_scratch("target"), "theirs");
    assert_int_equal(symlink(in_scratch("target"), in_scratch("link.obj")), 0);
    assert_int_equal(symlink(in_scratch("target"), in_scratch("x.obj.unfinished")), 0);
    assert_null(fm_writer_open(in_scratch("link.obj"), &err));
    assert_non_null(strstr(err.text, "symbolic link"));
    err = (fm_error){0};
    assert_null(fm_writer_open(in_scratch("x.obj"), &err));
    assert_non_null(strstr(err.text, "symbolic link"));
    assert_text(in_scratch("target"), "theirs");
}

static void a_damaged_run_json_is_refused_and_left_unchanged(void **state)
{
    (void)state;
    // text of run.json, faulty text in its place, the field that the error names
    static const char *const wrong[][3] = {
        {"\"first_frame\": 0,", "\"first_frame\": 2147483647,", "first_frame"},
        {"\"first_frame\": 0,", "\"first_frame\": -2147483648,", "first_frame"},
        {"\"first_frame\": 0,", "\"first_frame\": 99999999999999999999,", "first_frame"},
        {"\"first_frame\": 0,", "\"first_frame\": 5,", "frames"}, // > frames
        {"\"frames\": 2,", "\"frames\": -1,", "frames"},
        {"\"frames\": 2,", "\"frames\": many,", "frames"},
        {"\"written\": 2,", "\"written\": 2147483648,", "written"},
        {"\"status\": \"done\"", "\"status\": \"well\"", "status"},
        {"{\"name\": \"cloth\"", "{\"name\": \"../cloth\"", "objects"},
        {"\"kind\": \"cloth\"}", "\"kind\": 7}", "objects"},
        {"\"fps\": 24", "\"fps\": x", "fps"},
    };
    fm_error err = {0};
    fm_run_def def = define_run(scratch);
    assert_true(write_run(&def, false, NULL, &err));
    size_t size;
    char *good = read_bytes(in_scratch("run.json"), &size);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char bad[4096];
        char *found_text = strstr(good, wrong[i][0]);
        assert_non_null(found_text);
        snprintf(bad, sizeof bad, "%.*s%s%s", (int)(found_text - good), good, wrong[i][1],
                 found_text + strlen(wrong[i][0]));
        write_text(in_scratch("run.json"), bad);
        fm_run_info found;
        err = (fm_error){0};
        assert_false(fm_run_inspect(scratch, &found, &err));
        assert_int_equal(err.status, FM_BAD_VALUE);
        assert_non_null(strstr(err.text, "run.json"));
        assert_non_null(strstr(err.text, wrong[i][2]));
        int frame;
        err = (fm_error){0};
        fm_world *world = create_world(&err);
        assert_null(fm_run_resume(&def, world, &frame, &err));
        fm_world_destroy(world);
        assert_text(in_scratch("run.json"), bad);
    }
    free(good);
}

// Number of commas in the first line of a text.
static int count_commas(const char *text)
{
    int count = 0;
    for (; *text && *text != '\n'; text++)
        count += *text == ',';
    return count;
}

// The header of probes.csv has more than 4096 bytes, and its rows more than 16384.
static void tables_of_a_thousand_columns_are_written_and_resumed(void **state)
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
    fm_run_def def = define_run(scratch);
    def.probe_columns = columns;
    def.probe_column_count = PROBES;
    assert_true(write_run(&def, false, values, &err));
    size_t size;
    char *text = read_bytes(in_scratch("probes.csv"), &size);
    int lines = 0;
    for (char *line = text; *line; line = strchr(line, '\n') + 1, lines++) {
        assert_non_null(strchr(line, '\n'));
        assert_int_equal(count_commas(line), 1 + PROBES);
    }
    assert_int_equal(lines, 4);
    assert_true(size > 4096 + 3 * 16384);
    assert_non_null(strstr(text, ",a_rather_long_name_999\n0,"));
    // the run resumes with the same table
    int frame;
    def.frames = 3;
    fm_world *world = create_world(&err);
    fm_run *run = fm_run_resume(&def, world, &frame, &err);
    assert_int_equal(frame, 2);
    assert_true(fm_run_close(run, FM_RUN_INTERRUPTED, 2, &err));
    assert_text(in_scratch("probes.csv"), text);
    fm_world_destroy(world);
    free(text);
}

static void resuming_refuses_and_keeps_a_table_with_other_columns(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_run_def def = define_run(scratch);
    assert_true(write_run(&def, false, NULL, &err));
    const char *old = "frame,time\n0,0\n1,0.04\n2,0.08\n";
    write_text(in_scratch("stats.csv"), old);
    int frame;
    fm_world *world = create_world(&err);
    assert_null(fm_run_resume(&def, world, &frame, &err));
    assert_int_equal(err.status, FM_BAD_VALUE);
    assert_non_null(strstr(err.text, "columns"));
    assert_text(in_scratch("stats.csv"), old);
    fm_world_destroy(world);
}

// Writes a run, in a folder of this name in the scratch directory, and all its exports.
static void write_everything(const char *name)
{
    char directory[100];
    snprintf(directory, sizeof directory, "%s/%s", scratch, name);
    static const char *const formats[] = {"obj", "pc2", "mdd", "usda", "glb", "ply", "vtk", "csv"};
    static const char *const columns[] = {"probe"};
    const double value = 0.125;
    fm_error err = {0};
    fm_run_def def = define_run(directory);
    def.fps = 12.5;
    def.probe_columns = columns;
    def.probe_column_count = 1;
    assert_true(write_run(&def, false, &value, &err));
    for (int i = 0; i < 8; i++) {
        fm_export_options options = fm_default_export_options();
        options.format = formats[i];
        assert_true(fm_export_frames(directory, &options, NULL, &err));
    }
}

// Files written in a locale with decimal commas equal those written in the C locale.
static void files_do_not_depend_on_the_locale_of_the_program(void **state)
{
    (void)state;
    char text[16], command[512];
    use_comma_locale();
    write_everything("comma");
    fm_run_info found;
    fm_error err = {0};
    assert_true(fm_run_inspect(in_scratch("comma"), &found, &err));
    fm_fail_number(&err, "a", "b", 0.5, "c");
    assert_string_equal(err.text, "a: b is 0.5, allowed is c");
    char *end;
    assert_true(fm_text_to_number("0.5", &end) == 0.5);
    snprintf(text, sizeof text, "%.1f", 0.5); // the locale itself is unchanged
    assert_string_equal(text, "0,5");
    setlocale(LC_ALL, "C");
    write_everything("point");
    snprintf(command, sizeof command, "diff -r -x timings.csv '%s' '%s'", in_scratch("comma"),
             in_scratch("point"));
    assert_int_equal(system(command), 0);
    size_t size;
    char *timings = read_bytes(in_scratch("comma/timings.csv"), &size);
    char *row = strchr(timings, '\n') + 1;
    timings[row - timings - 1] = 0;
    row[strcspn(row, "\n")] = 0;
    assert_int_equal(count_commas(timings), count_commas(row));
    free(timings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_directory_with_other_files_is_refused_and_left_unchanged,
                                        create_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(replacing_a_run_removes_only_the_files_of_that_run,
                                        create_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(symbolic_links_are_refused_and_their_targets_left_unchanged,
                                        create_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(a_damaged_run_json_is_refused_and_left_unchanged,
                                        create_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(tables_of_a_thousand_columns_are_written_and_resumed,
                                        create_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(resuming_refuses_and_keeps_a_table_with_other_columns,
                                        create_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(files_do_not_depend_on_the_locale_of_the_program,
                                        create_scratch, remove_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
