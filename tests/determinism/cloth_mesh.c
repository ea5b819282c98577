// SPDX-License-Identifier: MIT
// A tube, a mesh and a sewn sheet, each of several blocks, end in the same bits on 1, 2, 3 threads
// and on a host's own, whether or not they were saved and restored into a fresh world half-way:
// with drag that remembers, springs that remember, colliders, repulsion, enforcement, a current,
// and explicitly.
#include "meshes.h"

enum { FRAMES = 4, COLUMNS = 50, ROWS = 62 };
static const double FRAME = 1.0 / 200;

typedef enum body { TUBE, MESH, SEWN, BODIES } body;
typedef enum ingredient { PHYSICAL, PUBLISHED, EVERYTHING, RK4, CASES } ingredient;

static const char *const bodies[BODIES] = {"tube", "mesh", "sewn sheet"};
static const char *const names[CASES] = {"physical", "published full", "everything", "rk4"};

static void host_run(void *host, int block_count, void (*task)(void *context, int block),
                     void *context)
{
    (void)host;
    for (int block = block_count - 1; block >= 0; block--) // backwards: any order must do
        task(context, block);
}

static fm_cloth_def define(ingredient kind)
{
    fm_cloth_def def = fm_default_cloth_def();
    def.bend.stiffness = 1e-3;
    if (kind == PUBLISHED) {
        def.drag.model = FM_DRAG_PUBLISHED;
        def.drag.viscous = 0.5;
        def.drag.history.coefficient = 5;
        def.drag.history.memory.kind = FM_RECALL_FULL;
    }
    if (kind == EVERYTHING) {
        def.damping.order = 0.5;
        def.repulsion.enabled = true;
        def.enforcement.method = FM_ENFORCE_DIRECTIONAL;
    }
    if (kind == RK4) {
        def.integrator = FM_RK4;
        def.drag.model = FM_DRAG_BOTH;
        def.drag.viscous = def.drag.normal = 1;
    }
    return def;
}

static fm_cloth *make_body(fm_world *world, body what, const fm_cloth_def *def)
{
    fm_error err = {0};
    if (what == TUBE)
        return make_tube(world, def, tube_of(COLUMNS, ROWS, 0.15, 0.25, 0.7));
    if (what == MESH) {
        test_mesh grid = make_grid(COLUMNS, ROWS, 0.01, 0.009, CUT_SHIFTED);
        fm_cloth *cloth = make_mesh(world, def, &grid);
        free_mesh(&grid);
        return cloth;
    }
    fm_cloth *cloth = make_sheet(
        world, def, &(fm_sheet){.columns = COLUMNS, .rows = ROWS, .width = 0.6, .height = 0.7});
    int left[ROWS], right[ROWS];
    for (int r = 0; r < ROWS; r++)
        left[r] = r * COLUMNS, right[r] = r * COLUMNS + COLUMNS - 1;
    assert_true(fm_cloth_sew(cloth, left, right, ROWS, 0.005, 0.5, &err));
    return cloth;
}

// Pressed flat, so that repulsion has something to do.
static void press(fm_cloth *cloth)
{
    fm_error err = {0};
    int n;
    const fm_vec3 *x = fm_cloth_positions(cloth, &n);
    fm_vec3 *flat = malloc((size_t)n * sizeof *flat);
    for (int i = 0; i < n; i++) {
        flat[i] = x[i];
        if (x[i].x > 0.3)
            flat[i].x = 0.6 - x[i].x, flat[i].z += 0.004 + 1e-3 * scatter((unsigned)i);
        flat[i].z *= 0.05;
    }
    assert_true(fm_cloth_set_positions(cloth, flat, &err));
    free(flat);
}

static fm_world *build(body what, ingredient kind, int threads)
{
    fm_error err = {0};
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = threads;
    if (threads == 0)
        world_def.tasks = (fm_task_system){.run = host_run, .thread_count = 4};
    if (kind == EVERYTHING)
        world_def.medium.flow = (fm_flow){.kind = FM_FLOW_CELLS,
                                          .velocity = {0.3, 0, 0.4},
                                          .amplitude = {0.2, 0, 0},
                                          .axis = {0, 1, 1},
                                          .radius = 0.3};
    fm_world *world = fm_world_create(&world_def, &err);
    assert_non_null(world);
    fm_cloth_def def = define(kind);
    fm_cloth *cloth = make_body(world, what, &def);
    if (kind == EVERYTHING) {
        press(cloth);
        fm_collider_def ball = fm_default_collider_def();
        ball.shape =
            (fm_shape){.kind = FM_SHAPE_SPHERE, .centre = {0.1, -0.3, -0.1}, .radius = 0.12};
        ball.motion = fm_motion_sine(world, (fm_vec3){0, 0, 1}, 0.2, 0.24, &err);
        assert_non_null(fm_collider_create(world, &ball, &err));
    }
    set_random_velocities(cloth, 0.1);
    fm_motion *swing = fm_motion_sine(world, (fm_vec3){0, 0.3, 1}, 0.1, 0.5, &err);
    fm_shape top = {.kind = FM_SHAPE_PLANE, .centre = {0, -1e-3, 0}, .normal = {0, -1, 0}};
    assert_true(fm_cloth_pin_within(cloth, &top, swing, &err));
    assert_true(fm_cloth_pin_list(cloth, (const int[]){COLUMNS * ROWS - 1}, 1, NULL, &err));
    assert_true(fm_cloth_release_at(cloth, 0.0125, &err));
    return world;
}

static uint64_t run(body what, ingredient kind, int threads, int pause)
{
    fm_world *world = build(what, kind, threads);
    int contacts = 0, repelled = 0;
    for (int frame = 0; frame < FRAMES; frame++) {
        if (frame == pause)
            world = move_into(world, build(what, kind, threads));
        fm_report report = advance(world, FRAME);
        contacts += report.contact_count;
        repelled += report.repelled_count;
    }
    if (kind == EVERYTHING) // what is to be tested must have happened
        assert_true(contacts > 0 && repelled > 0);
    uint64_t hash = fm_world_hash(world);
    fm_world_destroy(world);
    return hash;
}

static void same_bits(void **state)
{
    (void)state;
    for (int what = 0; what < BODIES; what++) {
        for (int kind = 0; kind < CASES; kind++) {
            // what does not depend on the kind of cloth, once
            if ((kind == PUBLISHED && what != MESH) || (kind == RK4 && what != TUBE))
                continue;
            uint64_t seen = run((body)what, (ingredient)kind, 2, FRAMES / 2);
            printf("  %-10s %-14s %016llx\n", bodies[what], names[kind], (unsigned long long)seen);
#ifndef __SANITIZE_THREAD__ // two threads are enough to race, and slow enough
            assert_int_equal(run((body)what, (ingredient)kind, 1, -1), seen);
            assert_int_equal(run((body)what, (ingredient)kind, 3, -1), seen);
            assert_int_equal(run((body)what, (ingredient)kind, 0, 1), seen);
#endif
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
