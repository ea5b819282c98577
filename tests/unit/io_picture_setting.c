// SPDX-License-Identifier: MIT
// io_picture_setting.c: the picture setting that a run stores for rendering: camera, look, fixed,
// moving and animated colliders, figures. All of it is read back exactly, and damaged files are
// refused.
#include "io/picture_setting.h"

#include "fixtures.h"
#include "io_fixture.h"
#include "random.h"

enum {
    FRAMES = 4,             // number of the last frame
    SHAPES = FM_SHAPE_MESH, // number of shapes, without meshes
};

// A tetrahedron, and its vertices in the two frames of an animation.
static const fm_vec3 corners[4] = {{0, 0, 0}, {0.1, 0, 0}, {0, 1.0 / 3, 0}, {0, 0, 0.1}};
static const int faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
static const float animation[2][4][3] = {{{0, 0, 0}, {0.1f, 0, 0}, {0, 0.3f, 0}, {0, 0, 0.1f}},
                                         {{0, 0, 0}, {0.2f, 0, 0}, {0, 0.3f, 0}, {0, 0, 0.7f}}};

// Camera and look of the scene.
static const fm_picture_setting_def view = {
    .camera = {true, {1, 1.0 / 3, 2}, {0, 0.1, 0}, {0, 1, 0}, 0.7, "woman.pelvis"},
    .look = {.style = "studio",
             .has_cloth = true,
             .cloth = {0.1, 0.2, 0.3},
             .has_lines = true,
             .lines = {0.3, 0.4, 0.5},
             .has_floor = true,
             .floor = {0.1, 0.25, 0.2},
             .has_water = true,
             .water = {0.9, 0.5, 0.4},
             .mirror = 0.75,
             .particles = 0.5}};

// Adds a collider of every shape; the box follows the motion `turn`.
static void add_shapes(fm_world *world, const fm_motion *turn, fm_error *err)
{
    for (int kind = 0; kind < SHAPES; kind++) {
        fm_collider_def def = fm_default_collider_def();
        def.name = kind == FM_SHAPE_BOX ? "a \"box\"" : "shape";
        def.motion = kind == FM_SHAPE_BOX ? turn : NULL;
        def.clear = kind == FM_SHAPE_SPHERE;
        def.shape = (fm_shape){.kind = (fm_shape_kind)kind,
                               .centre = {1.0 / 7 * kind, -3, 2},
                               .normal = {0, 1, 0},
                               .start = {0, -4, 0},
                               .end = {0.1, -3, 0},
                               .radius = 0.2,
                               .end_radius = 0.1,
                               .half_size = {0.1, 0.2, 0.3}};
        fm_collider_create(world, &def, err);
    }
}

// A world with colliders of every shape, a moving and an animated mesh, a ball with a mass and a
// walking figure.
static fm_world *create_world(fm_error *err)
{
    fm_world *world = fixture_create_world(fixture_water_def(1), err);
    fm_turn turn = {.axis = {0, 1, 0}, .pivot = {0.3, 0, 0}, .rate = 2};
    const fm_motion *motion = fm_motion_turn(world, &turn, err);
    add_shapes(world, motion, err);
    fm_collider_def def = fm_default_collider_def();
    fm_collider_mesh mesh = {
        .vertices = corners, .vertex_count = 4, .triangles = faces, .triangle_count = 4};
    def.name = "solid";
    def.motion = motion;
    fm_collider_create_mesh(world, &def, &mesh, err);
    mesh.frames = &animation[0][0][0];
    mesh.frame_count = 2;
    mesh.fps = 7;
    mesh.start = 1.0 / 24;
    mesh.interpolation = FM_INTERPOLATE_SPLINE;
    def.name = "shell";
    def.motion = NULL;
    fm_collider_create_mesh(world, &def, &mesh, err);
    def = fm_default_collider_def();
    def.mass = 1; // a ball with a mass is not in setting.json because it has frames of its own
    fm_collider_create(world, &def, err);
    fm_figure_def figure = fm_default_figure_def();
    figure.name = "woman";
    figure.motion = FM_FIGURE_WALK;
    figure.origin = (fm_vec3){1.0 / 3, 0, 0};
    fm_figure_add_colliders(world, fm_figure_create(world, &figure, err), 0.3, err);
    return world;
}

// The definition of a run in the scratch directory.
static fm_run_def define_run(void)
{
    return (fm_run_def){.directory = in_scratch("run"),
                        .scene_path = "test.yaml",
                        .scene_text = "text",
                        .scene_hash = 7,
                        .frames = FRAMES,
                        .fps = 24,
                        .checkpoint_frames = 2,
                        .checkpoints_kept = 2,
                        .setting = view};
}

// Simulates and writes frames first to last.
static void write_frames(fm_run *run, fm_world *world, int first, int last, fm_error *err)
{
    for (int frame = first; frame <= last && err->status == FM_OK; frame++) {
        fm_report report = frame ? fm_world_advance(world, 1 / 24.0, err) : fm_world_report(world);
        fm_run_write_frame(run, world, frame, &report, NULL, 0, false, err);
    }
}

// Writes a run of the world of create_world into the scratch directory. Returns the world.
static fm_world *write_run(fm_error *err)
{
    fm_run_def def = define_run();
    fm_world *world = create_world(err);
    fm_run *run = fm_run_create(&def, world, true, err);
    assert_good(run, err);
    write_frames(run, world, 0, FRAMES, err);
    assert_true(fm_run_close(run, FM_RUN_DONE, FRAMES, err));
    return world;
}

// Compares a collider of the world with the one read back, at the time of a frame, bit by bit.
static void assert_same_collider(const fm_collider *expected, const fm_picture_setting *s,
                                 int index, int frame)
{
    fm_error err = {0};
    const fm_picture_collider *c = &s->colliders[index];
    fm_placed_collider placed = fm_collider_place(expected, frame / 24.0);
    fm_pose pose;
    assert_true(fm_picture_setting_find_pose(s, c->pose, frame, &pose, &err));
    assert_memory_equal(&pose.position, &placed.pose.position, sizeof pose.position);
    assert_memory_equal(&pose.rotation, &placed.pose.rotation, sizeof pose.rotation);
    assert_int_equal(c->clear, expected->clear);
    assert_int_equal(c->hidden, expected->hidden);
    if (!expected->mesh) {
        // The bytes between kind and centre are padding, whose content is undefined.
        size_t numbers = offsetof(fm_shape, centre);
        assert_int_equal(c->shape.kind, expected->shape.kind);
        assert_memory_equal((const char *)&c->shape + numbers,
                            (const char *)&expected->shape + numbers, sizeof c->shape - numbers);
        return;
    }
    assert_non_null(c->mesh);
    fm_trimesh_set_time(c->mesh, frame / 24.0);
    fm_mesh_view a = fm_trimesh_view(c->mesh), b = fm_trimesh_view(expected->mesh);
    assert_int_equal(a.point_count, b.point_count);
    assert_int_equal(a.face_count, b.face_count);
    assert_memory_equal(a.points, b.points, 4 * sizeof *a.points);
    assert_memory_equal(a.face_points, b.face_points, sizeof faces);
}

static void camera_look_colliders_and_figures_are_read_back_exactly(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = write_run(&err);
    fm_picture_setting *s = fm_picture_setting_open(in_scratch("run"), &err);
    assert_good(s, &err);
    // the shapes, two meshes, and of the figure only the bone that the camera follows
    assert_int_equal(s->collider_count, SHAPES + 2 + FM_BONE_COUNT - (FM_BONE_COUNT - 1));
    for (int frame = 0; frame <= FRAMES; frame++)
        for (int i = 0; i < SHAPES + 2; i++)
            assert_same_collider(fm_world_collider(world, i), s, i, frame);
    assert_memory_equal(&s->def.camera.position, &view.camera.position, 3 * sizeof(fm_vec3));
    assert_true(s->def.camera.given && s->def.camera.field_of_view == 0.7);
    assert_string_equal(s->def.camera.follow, "woman.pelvis");
    assert_string_equal(s->def.look.style, "studio");
    assert_true(s->def.look.has_cloth && s->def.look.cloth.y == 0.2);
    assert_true(s->def.look.has_lines && s->def.look.lines.z == 0.5);
    assert_true(s->def.look.has_floor && s->def.look.floor.y == 0.25);
    assert_true(s->def.look.has_water && s->def.look.water.z == 0.4);
    assert_true(s->def.look.mirror == 0.75);
    assert_true(!s->def.look.has_background && s->def.look.particles == 0.5);
    assert_int_equal(s->followed_pose, 2); // the box and the solid have poses 0 and 1
    assert_int_equal(s->figure_count, 1);
    fm_figure_def was = fm_figure_definition(fm_world_figure(world, 0)),
                  is = fm_figure_definition(s->figures[0]);
    assert_true(is.origin.x == was.origin.x && is.walk.stride == was.walk.stride);
    assert_int_equal(is.motion, was.motion);
    fm_pose pose;
    assert_false(fm_picture_setting_find_pose(s, 0, FRAMES + 1, &pose, &err));
    assert_non_null(strstr(err.text, "there is no row for frame 5"));
    fm_picture_setting_close(s);
    fm_world_destroy(world);
}

// Resuming a run writes missing files of its picture setting again with the same bytes. A new run
// without colliders that replaces it removes these files.
static void resuming_rewrites_missing_files_and_replacing_removes_them(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world_destroy(write_run(&err));
    static const char *const files[] = {"run/setting.json", "run/poses.csv", "run/colliders/7.obj",
                                        "run/colliders/8.obj", "run/colliders/8.pc2"};
    char *bytes[5];
    size_t sizes[5];
    for (int i = 0; i < 5; i++)
        bytes[i] = read_bytes(in_scratch(files[i]), &sizes[i]);
    assert_int_equal(unlink(in_scratch(files[0])), 0);
    assert_int_equal(unlink(in_scratch(files[4])), 0);
    assert_int_equal(truncate(in_scratch(files[1]), (off_t)sizes[1] - 40), 0);
    fm_run_def def = define_run();
    fm_world *world = create_world(&err);
    int frame;
    fm_run *run = fm_run_resume(&def, world, &frame, &err);
    assert_good(run, &err);
    assert_int_equal(frame, 2);
    write_frames(run, world, 3, FRAMES, &err);
    assert_true(fm_run_close(run, FM_RUN_DONE, FRAMES, &err));
    fm_world_destroy(world);
    for (int i = 0; i < 5; i++) {
        size_t size;
        char *now = read_bytes(in_scratch(files[i]), &size);
        assert_int_equal(size, sizes[i]);
        assert_memory_equal(now, bytes[i], size);
        free(now);
        free(bytes[i]);
    }
    world = fixture_create_world(fixture_water_def(1), &err);
    run = fm_run_create(&def, world, true, &err);
    assert_good(run, &err);
    for (int i = 1; i < 5; i++)
        assert_int_not_equal(access(in_scratch(files[i]), F_OK), 0);
    assert_int_not_equal(access(in_scratch("run/colliders"), F_OK), 0);
    fm_run_close(run, FM_RUN_INTERRUPTED, -1, &err);
    fm_world_destroy(world);
}

// A setting.json that is truncated is refused; one with a changed byte is read or refused. A
// missing mesh file is named in the error.
static void a_corrupted_setting_does_no_harm_and_a_missing_mesh_is_named(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world_destroy(write_run(&err));
    size_t size;
    const char *path = in_scratch("run/setting.json");
    char kept_path[512], *bytes = read_bytes(path, &size);
    snprintf(kept_path, sizeof kept_path, "%s", path);
    fm_rng rng = {1};
    for (int i = 0; i < 600; i++) {
        // a byte is changed, and every third file ends before it
        size_t offset = fm_rng_next(&rng) % size, length = i % 3 ? size : offset;
        char kept = bytes[offset];
        bytes[offset] =
            (char)(i % 2 ? kept ^ (1 << fm_rng_next(&rng) % 8) : (int)fm_rng_next(&rng));
        err = (fm_error){0};
        assert_true(fm_file_replace(kept_path, bytes, length, &err));
        fm_picture_setting *s = fm_picture_setting_open(in_scratch("run"), &err);
        assert_true((s != NULL) == (err.status == FM_OK));
        assert_true(i % 3 || !s);
        fm_picture_setting_close(s);
        bytes[offset] = kept;
    }
    err = (fm_error){0};
    assert_true(fm_file_replace(kept_path, bytes, size, &err));
    free(bytes);
    assert_int_equal(unlink(in_scratch("run/colliders/7.obj")), 0);
    assert_null(fm_picture_setting_open(in_scratch("run"), &err));
    assert_non_null(strstr(err.text, "run/colliders/7.obj: cannot "));
    err = (fm_error){0};
    assert_int_equal(unlink(in_scratch("run/setting.json")), 0);
    assert_null(fm_picture_setting_open(in_scratch("run"), &err));
    assert_int_equal(err.status, FM_OK);
}

// A ball of 1 kg and a radius of 0.1 m at the origin, under gravity, and a box just below it that
// is only drawn; both have a colour.
static fm_world *create_coloured_world(fm_error *err)
{
    fm_world *world = fixture_create_world(fixture_water_def(1), err);
    fm_collider_def def = fm_default_collider_def();
    def.name = "ball";
    def.shape.radius = 0.1;
    def.mass = 1;
    def.color = (fm_vec3){0.7, 0.1, 0};
    fm_collider_create(world, &def, err);
    def = fm_default_collider_def();
    def.name = "dish";
    def.shape = (fm_shape){.kind = FM_SHAPE_BOX, .centre = {0, -0.2, 0}, .half_size = {1, 0.1, 1}};
    def.color = (fm_vec3){0, 0, 0.5};
    def.shown_only = true;
    fm_collider_create(world, &def, err);
    return world;
}

static void shapes_that_are_only_drawn_are_written_but_touch_nothing(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_run_def def = define_run();
    fm_world *world = create_coloured_world(&err);
    fm_run *run = fm_run_create(&def, world, true, &err);
    assert_good(run, &err);
    write_frames(run, world, 0, FRAMES, &err);
    assert_true(fm_run_close(run, FM_RUN_DONE, FRAMES, &err));
    assert_int_equal(fm_world_collider_count(world), 1);
    fm_vec3 fallen = fm_collider_position(fm_world_find_collider(world, "ball"));
    assert_true(fallen.y < -0.1); // through the dish
    fm_picture_setting *s = fm_picture_setting_open(in_scratch("run"), &err);
    assert_good(s, &err);
    assert_int_equal(s->collider_count, 2);
    const fm_picture_collider *ball = &s->colliders[0], *dish = &s->colliders[1];
    assert_true(ball->is_ball && ball->has_color && ball->color.x == 0.7 && ball->pose == 0);
    assert_true(!dish->is_ball && dish->has_color && dish->color.z == 0.5 && dish->pose == -1);
    assert_string_equal(dish->name, "dish");
    fm_pose pose;
    assert_true(fm_picture_setting_find_pose(s, ball->pose, FRAMES, &pose, &err));
    assert_true(pose.position.y == fallen.y);
    fm_picture_setting_close(s);
    fm_world_destroy(world);
}

static void colours_out_of_range_and_a_mass_of_what_is_only_drawn_are_refused(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = fixture_create_world(fixture_water_def(1), &err);
    fm_collider_def def = fm_default_collider_def();
    def.color.y = 1.5;
    assert_null(fm_collider_create(world, &def, &err));
    assert_non_null(strstr(err.text, "color"));
    err = (fm_error){0};
    def.color.y = 0;
    def.mass = 2;
    def.shown_only = true;
    assert_null(fm_collider_create(world, &def, &err));
    assert_non_null(strstr(err.text, "shown_only"));
    fm_world_destroy(world);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, create_scratch, remove_scratch)
    const struct CMUnitTest tests[] = {
        TEST(camera_look_colliders_and_figures_are_read_back_exactly),
        TEST(resuming_rewrites_missing_files_and_replacing_removes_them),
        TEST(shapes_that_are_only_drawn_are_written_but_touch_nothing),
        TEST(colours_out_of_range_and_a_mass_of_what_is_only_drawn_are_refused),
        TEST(a_corrupted_setting_does_no_harm_and_a_missing_mesh_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
