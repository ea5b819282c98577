// SPDX-License-Identifier: MIT
// A cloth of several blocks ends in the same bits on 1, 2, 3 threads and on a host's own, whether
// or not it was saved and restored into a fresh world half-way: with every kind of memory, springs'
// damping, colliders, repulsion, a current and enforcement.
#include "bodies.h"

enum { FRAMES = 4 };
static const double FRAME = 1.0 / 100;

typedef enum ingredient {
    PHYSICAL,
    FULL,
    STEPS,
    COIMBRA,
    SECONDS,
    FADING,
    DASHPOTS,
    SPRING_MEMORY,
    COLLIDERS,
    REPULSION,
    CURRENT,
    EVERYTHING,
    EULER,
    VERLET,
    RK4,
    ITERATIVE,
    LISTED,
    DIRECTIONAL,
    CASES,
} ingredient;

static const char *const names[CASES] = {"physical",
                                         "published full",
                                         "published steps",
                                         "published coimbra",
                                         "published seconds",
                                         "fading",
                                         "dashpots",
                                         "spring memory",
                                         "colliders",
                                         "repulsion",
                                         "current",
                                         "everything",
                                         "euler",
                                         "verlet",
                                         "rk4",
                                         "iterative",
                                         "published list",
                                         "directional"};

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
    if (kind != DASHPOTS && kind != SPRING_MEMORY && kind != EVERYTHING && kind != EULER)
        def.damping.coefficient = 0;
    if ((kind >= FULL && kind <= FADING) || kind == EULER) {
        static const fm_recall_kind recalls[] = {FM_RECALL_FULL, FM_RECALL_STEPS, FM_RECALL_STEPS,
                                                 FM_RECALL_SECONDS, FM_RECALL_FADING};
        def.drag.model = FM_DRAG_PUBLISHED;
        def.drag.viscous = 0.5;
        def.drag.history.coefficient = 5;
        def.drag.history.memory.kind = kind == EULER ? FM_RECALL_STEPS : recalls[kind - FULL];
        def.drag.history.memory.steps = 5;
        def.drag.history.memory.seconds = 0.02;
        def.drag.history.memory.rule =
            kind == COIMBRA || kind == EULER ? FM_RULE_COIMBRA : FM_RULE_TRAPEZOID;
    }
    if (kind == SPRING_MEMORY || kind == EVERYTHING || kind == EULER)
        def.damping.order = 0.5;
    if (kind == REPULSION || kind == EVERYTHING)
        def.repulsion.enabled = true;
    if (kind == EULER)
        def.integrator = FM_EULER, def.time_step = 1e-4;
    if (kind >= ITERATIVE) {
        def.enforcement.method = (fm_enforcement_method)(kind - ITERATIVE + FM_ENFORCE_ITERATIVE);
        def.enforcement.direction = FM_ALONG_FORCE;
        def.damping.kept = 0.98;
        def.time_step = 1.0 / 800; // several looks at what is fixed
    }
    if (kind == VERLET || kind == RK4) {
        def.integrator = kind == VERLET ? FM_VERLET : FM_RK4;
        def.drag.model = FM_DRAG_BOTH;
        def.drag.viscous = def.drag.normal = 1;
    }
    return def;
}

static void add_colliders(fm_world *world)
{
    fm_error err = {0};
    fm_collider_def def = fm_default_collider_def();
    def.shape = (fm_shape){.kind = FM_SHAPE_SPHERE, .centre = {0.3, -0.4, -0.15}, .radius = 0.1};
    def.motion = fm_motion_sine(world, (fm_vec3){0, 0, 1}, 0.2, 0.24, &err);
    assert_non_null(fm_collider_create(world, &def, &err));
    def.motion = NULL;
    def.shape = (fm_shape){.kind = FM_SHAPE_PLANE, .centre = {0, -0.82, 0}, .normal = {0, 1, 0.1}};
    assert_non_null(fm_collider_create(world, &def, &err));
}

// A folded start, so that repulsion has something to do.
static void fold(fm_cloth *cloth)
{
    fm_error err = {0};
    int n;
    const fm_vec3 *x = fm_cloth_positions(cloth, &n);
    fm_vec3 *folded = malloc((size_t)n * sizeof *folded);
    for (int i = 0; i < n; i++) {
        folded[i] = x[i];
        if (x[i].x > 0.3)
            folded[i].x = 0.6 - x[i].x, folded[i].z += 0.004 + 1e-3 * scatter((unsigned)i);
    }
    assert_true(fm_cloth_set_positions(cloth, folded, &err));
    free(folded);
}

static fm_world *build(ingredient kind, int threads)
{
    fm_error err = {0};
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = threads;
    if (threads == 0)
        world_def.tasks = (fm_task_system){.run = host_run, .thread_count = 4};
    if (kind == CURRENT || kind == EVERYTHING)
        world_def.medium.flow = (fm_flow){.kind = FM_FLOW_CELLS,
                                          .velocity = {0.3, 0, 0.4},
                                          .amplitude = {0.2, 0, 0},
                                          .axis = {0, 1, 1},
                                          .radius = 0.3};
    fm_world *world = fm_world_create(&world_def, &err);
    assert_non_null(world);
    fm_cloth_def def = define(kind);
    fm_cloth *cloth = make_sheet(
        world, &def, &(fm_sheet){.columns = 61, .rows = 83, .width = 0.6, .height = 0.8});
    if (kind == REPULSION || kind == EVERYTHING)
        fold(cloth);
    if (kind == COLLIDERS || kind == EVERYTHING || kind >= ITERATIVE)
        add_colliders(world);
    set_random_velocities(cloth, 0.1);
    fm_motion *swing = fm_motion_sine(world, (fm_vec3){0, 0.3, 1}, 0.1, 0.5, &err);
    assert_true(fm_cloth_pin_row(cloth, 0, swing, &err));
    assert_true(fm_cloth_pin_corner(cloth, FM_CORNER_BOTTOM_LEFT, NULL, &err));
    assert_true(fm_cloth_release_at(cloth, 0.025, &err));
    return world;
}

static uint64_t run(ingredient kind, int threads, int pause)
{
    fm_world *world = build(kind, threads);
    int contacts = 0, repelled = 0;
    for (int frame = 0; frame < FRAMES; frame++) {
        if (frame == pause)
            world = move_into(world, build(kind, threads));
        fm_report report = advance(world, FRAME);
        contacts += report.contact_count;
        repelled += report.repelled_count;
    }
    // what is to be tested must have happened
    if (kind == COLLIDERS || kind == EVERYTHING || kind >= ITERATIVE)
        assert_true(contacts > 0);
    if (kind == REPULSION || kind == EVERYTHING)
        assert_true(repelled > 0);
    uint64_t hash = fm_world_hash(world);
    fm_world_destroy(world);
    return hash;
}

static void same_bits(void **state)
{
    (void)state;
    uint64_t seen[CASES];
    for (int kind = 0; kind < CASES; kind++) {
        seen[kind] = run((ingredient)kind, 2, FRAMES / 2);
        printf("  %-18s %016llx\n", names[kind], (unsigned long long)seen[kind]);
#ifndef __SANITIZE_THREAD__ // two threads are enough to race, and slow enough
        assert_int_equal(run((ingredient)kind, 1, -1), seen[kind]);
        assert_int_equal(run((ingredient)kind, 3, -1), seen[kind]);
        assert_int_equal(run((ingredient)kind, 0, 1), seen[kind]);
#endif
        for (int other = 0; other < kind; other++) // each ingredient does something
            assert_int_not_equal(seen[other], seen[kind]);
    }
}

static void count_run(void *host, int block_count, void (*task)(void *context, int block),
                      void *context)
{
    ++*(int *)host;
    host_run(NULL, block_count, task, context);
}

// How many loops of a sheet are handed to the host.
static int count_runs(int columns, int rows)
{
    int runs = 0;
    fm_error err = {0};
    fm_world_def world_def = fm_default_world_def();
    world_def.tasks = (fm_task_system){.run = count_run, .host = &runs, .thread_count = 2};
    fm_world *world = fm_world_create(&world_def, &err);
    fm_cloth_def def = fm_default_cloth_def();
    make_sheet(world, &def, &(fm_sheet){columns, rows, .width = 0.6, .height = 0.8});
    advance(world, FRAME);
    fm_world_destroy(world);
    return runs;
}

static void small_sheets_stay_on_one_thread(void **state)
{
    (void)state;
    assert_int_equal(count_runs(31, 41), 0);
    assert_true(count_runs(61, 83) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits),
                                       cmocka_unit_test(small_sheets_stay_on_one_thread)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
