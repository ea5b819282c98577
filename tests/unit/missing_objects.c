// SPDX-License-Identifier: MIT
// missing_objects.c: functions called with NULL for an object do nothing after an error, and assert
// without one.
#include "check.h"

#include <fathom/fathom.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// 1 if the library was built with assertions.
#ifdef NDEBUG
enum { ASSERTING = 0 };
#else
enum { ASSERTING = 1 };
#endif

static const fm_vec3 x = {0, -1, 0}; // an argument: a valid position, axis or velocity
static int count;                    // receives counts that nobody reads

// Calls the public function number `which`, of those that take an fm_error, with NULL for its
// object; false if there are no more.
static bool call_with_error(int which, fm_error *err)
{
    fm_cloth_def cloth = fm_default_cloth_def();
    fm_collider_def collider = fm_default_collider_def();
    fm_particles_def fluid = fm_default_particles_def();
    fm_figure_def figure = fm_default_figure_def();
    fm_shape shape = {.kind = FM_SHAPE_SPHERE, .radius = 1};
    fm_sheet sheet = {.columns = 3, .rows = 3, .width = 1, .height = 1};
    int list[3] = {0, 1, 2};
    double values[3] = {0, 0, 0};
    switch (which) {
    case 0:
        return fm_cloth_create_sheet(NULL, &cloth, &sheet, err), true;
    case 1:
        return fm_cloth_create_tube(NULL, &cloth, &(fm_tube){.columns = 3}, err), true;
    case 2:
        return fm_cloth_create_mesh(NULL, &cloth, &(fm_cloth_mesh){0}, err), true;
    case 3:
        return fm_collider_create(NULL, &collider, err), true;
    case 4:
        return fm_collider_create_mesh(NULL, &collider, &(fm_collider_mesh){0}, err), true;
    case 5:
        return fm_particles_create(NULL, &fluid, err), true;
    case 6:
        return fm_figure_create(NULL, &figure, err), true;
    case 7:
        return fm_motion_sine(NULL, x, 1, 1, err), true;
    case 8:
        return fm_motion_turn(NULL, &(fm_turn){0}, err), true;
    case 9:
        return fm_motion_keyframes(NULL, &(fm_key){0}, 1, FM_INTERPOLATE_LINEAR, x, err), true;
    case 10:
        return fm_motion_compose(NULL, NULL, NULL, err), true;
    case 11:
        return fm_motion_figure(NULL, NULL, FM_BONE_PELVIS, err), true;
    case 12:
        return fm_figure_add_colliders(NULL, NULL, 0, err), true;
    case 13:
        return fm_world_advance(NULL, 1, err), true;
    case 14:
        return fm_world_restore(NULL, values, sizeof values, err), true;
    case 15:
        return fm_world_couple(NULL, NULL, NULL, FM_COUPLING_TWO_WAY, err), true;
    case 16:
        return fm_cloth_sew(NULL, list, list, 1, 0, 0, err), true;
    case 17:
        return fm_cloth_pin_row(NULL, 0, NULL, err), true;
    case 18:
        return fm_cloth_pin_column(NULL, 0, NULL, err), true;
    case 19:
        return fm_cloth_pin_edge(NULL, FM_EDGE_TOP, NULL, err), true;
    case 20:
        return fm_cloth_pin_corner(NULL, FM_CORNER_TOP_LEFT, NULL, err), true;
    case 21:
        return fm_cloth_pin_list(NULL, list, 3, NULL, err), true;
    case 22:
        return fm_cloth_find_within(NULL, &shape, list, err), true;
    case 23:
        return fm_cloth_pin_within(NULL, &shape, NULL, err), true;
    case 24:
        return fm_cloth_release_at(NULL, 1, err), true;
    case 25:
        return fm_cloth_add_map(NULL, NULL, 1, list, 3, err), true;
    case 26:
        return fm_cloth_triangles(NULL, &count, err), true;
    case 27:
        return fm_cloth_faces(NULL, &count, err), true;
    case 28:
        return fm_cloth_set_positions(NULL, &x, err), true;
    case 29:
        return fm_cloth_set_velocities(NULL, &x, err), true;
    case 30:
        return fm_cloth_read_field(NULL, "mass", values, err), true;
    case 31:
        return fm_particles_add_box(NULL, &(fm_fluid_box){0}, err), true;
    case 32:
        return fm_particles_add_source(NULL, &(fm_fluid_source){0}, err), true;
    case 33:
        return fm_particles_add_sink(NULL, &(fm_fluid_sink){0}, err), true;
    case 34:
        return fm_particles_add_push(NULL, &(fm_fluid_push){0}, err), true;
    case 35:
        return fm_particles_read_field(NULL, "mass", values, err), true;
    case 36:
        return fm_particles_sample(NULL, &x, 1, &(fm_vec3){0}, err), true;
    case 37:
        return fm_particles_set_velocities(NULL, &x, err), true;
    case 38:
        return fm_memory_permute_lanes(NULL, list, err), true;
    case 39:
        return fm_memory_add_lanes(NULL, 1, err), true;
    case 40:
        return fm_memory_remove_lanes(NULL, list, 1, err), true;
    case 41:
        return fm_memory_reset_lanes(NULL, 0, 1, err), true;
    case 42:
        return fm_memory_restore(NULL, values, sizeof values, err), true;
    case 43:
        return fm_memory_create(NULL, 1, err), true;
    case 44:
        return fm_world_create(NULL, err), true;
    default:
        return false;
    }
}

// Calls the public function number `which`, of those without an fm_error, with NULL for its object;
// false if there are no more.
static bool call_without_error(int which)
{
    double value = 0;
    switch (which) {
    case 0:
        return fm_world_report(NULL), true;
    case 1:
        return fm_world_time(NULL), true;
    case 2:
        return fm_world_cloth_count(NULL), true;
    case 3:
        return fm_world_cloth(NULL, 0), true;
    case 4:
        return fm_world_save(NULL, NULL, 0), true;
    case 5:
        return fm_world_hash(NULL), true;
    case 6:
        return fm_world_find_collider(NULL, "a"), true;
    case 7:
        return fm_world_medium_velocity(NULL, x, 0), true;
    case 8:
        return fm_cloth_name(NULL), true;
    case 9:
        return fm_cloth_particle_count(NULL), true;
    case 10:
        return fm_cloth_positions(NULL, &count), true;
    case 11:
        return fm_cloth_velocities(NULL, &count), true;
    case 12:
        return fm_cloth_vertices(NULL, &count), true;
    case 13:
        return fm_cloth_definition(NULL), true;
    case 14:
        return fm_cloth_stable_step(NULL), true;
    case 15:
        return fm_cloth_current_map(NULL), true;
    case 16:
        return fm_collider_position(NULL), true;
    case 17:
        return fm_collider_distance(NULL, x, 0, NULL, NULL, NULL), true;
    case 18:
        return fm_figure_shape(NULL, FM_BONE_PELVIS), true;
    case 19:
        return fm_particles_count(NULL), true;
    case 20:
        return fm_particles_positions(NULL, &count), true;
    case 21:
        return fm_particles_read_stats(NULL), true;
    case 22:
        return fm_memory_push(NULL, &value, 0), true;
    case 23:
        return fm_memory_predict(NULL, 1, &value), true;
    case 24:
        return fm_memory_newest_weight(NULL, 1), true;
    case 25:
        return fm_memory_save(NULL, NULL, 0), true;
    case 26:
        return fm_memory_hash(NULL), true;
    case 27:
        return fm_memory_lane_count(NULL), true;
    case 28:
        return fm_memory_value(NULL, &value), true;
    default:
        return false;
    }
}

static void calls_with_null_after_a_failure_do_nothing(void **state)
{
    (void)state;
    fm_world_def def = fm_default_world_def();
    def.threads = -1;
    fm_error err = {0};
    assert_null(fm_world_create(&def, &err));
    fm_error first = err;
    for (int i = 0; call_with_error(i, &err); i++)
        assert_memory_equal(&err, &first, sizeof err);
}

// Makes call number `which` of call_with_error or call_without_error in a child process. Returns
// the signal that ended the process, 0 if the call returned, or -1 if there are no more calls.
static int find_ending_signal(bool with_error, int which)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL); // cmocka has its own handler
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        fm_error err = {0};
        _exit((with_error ? call_with_error(which, &err) : call_without_error(which)) ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 1)
        return -1; // no more calls
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void calls_with_null_without_a_failure_assert(void **state)
{
    (void)state;
    if (!ASSERTING)
        skip();
    for (int with_error = 0; with_error < 2; with_error++) {
        int end = 0;
        for (int i = 0; (end = find_ending_signal(with_error, i)) >= 0; i++) {
            if (end != SIGABRT)
                print_error("call %d %s ended with %d\n", i,
                            with_error ? "with an error" : "without", end);
            assert_int_equal(end, SIGABRT);
        }
    }
}

static void destroying_null_does_nothing(void **state)
{
    (void)state;
    fm_world_destroy(NULL);
    fm_memory_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_with_null_after_a_failure_do_nothing),
        cmocka_unit_test(calls_with_null_without_a_failure_assert),
        cmocka_unit_test(destroying_null_does_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
