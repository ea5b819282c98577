// SPDX-License-Identifier: MIT
// cloth.c: a cloth large enough for several parallel blocks ends in the same bits on 1, 2 and 3
// threads and on the task system of a host, whether or not its world is saved and restored into a
// new one half-way. This is tested with every part of the past that fractional drag can depend on
// (memory), spring damping, colliders, repulsion, a current and strain limiting.
#include "bodies.h"

enum { FRAMES = 4 };
static const double FRAME = 1.0 / 100; // s

// What a tested cloth has in addition to the default.
typedef enum feature {
    PHYSICAL,      // the default drag
    FULL,          // published drag: fractional derivative over the whole past
    STEPS,         // published drag: derivative over the last steps, trapezoidal rule
    COIMBRA,       // published drag: derivative over the last steps, rule of [OKRC10] eq. (6)
    SECONDS,       // published drag: derivative over the last seconds
    FADING,        // published drag: derivative with an exponentially fading kernel
    DASHPOTS,      // damped springs
    SPRING_MEMORY, // springs damped by a half derivative
    COLLIDERS,
    REPULSION,
    CURRENT,
    EVERYTHING, // colliders, repulsion, current, springs damped by a half derivative
    EULER,      // explicit Euler, with the drag COIMBRA and springs damped by a half derivative
    VERLET,
    RK4,
    ITERATIVE,   // strain limiting by iterations over all springs
    LISTED,      // strain limiting of [OZG13], by a list of corrections
    DIRECTIONAL, // strain limiting outwards from fixed particles
    CASES,       // number of cases
} feature;

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

// The default cloth with one of the features.
static fm_cloth_def feature_cloth_def(feature kind)
{
    fm_cloth_def def = fm_default_cloth_def();
    if (kind != DASHPOTS && kind != SPRING_MEMORY && kind != EVERYTHING && kind != EULER)
        def.damping.coefficient = 0;
    if ((kind >= FULL && kind <= FADING) || kind == EULER) {
        static const fm_recall_kind memories[] = {FM_RECALL_FULL, FM_RECALL_STEPS, FM_RECALL_STEPS,
                                                  FM_RECALL_SECONDS, FM_RECALL_FADING};
        def.drag.model = FM_DRAG_PUBLISHED;
        def.drag.viscous = 0.5;
        def.drag.history.coefficient = 5;
        def.drag.history.memory.kind = kind == EULER ? FM_RECALL_STEPS : memories[kind - FULL];
        def.drag.history.memory.steps = 5;
        def.drag.history.memory.seconds = 0.02;
        def.drag.history.memory.rule =
            kind == COIMBRA || kind == EULER ? FM_RULE_COIMBRA : FM_RULE_TRAPEZOID;
    }
    if (kind == SPRING_MEMORY || kind == EVERYTHING || kind == EULER)
        def.damping.order = def.bend.damping.order = 0.5;
    if (kind == REPULSION || kind == EVERYTHING)
        def.repulsion.enabled = true;
    if (kind == EULER)
        def.integrator = FM_EULER, def.time_step = 1e-4;
    if (kind >= ITERATIVE) {
        def.enforcement.method = (fm_enforcement_method)(kind - ITERATIVE + FM_ENFORCE_ITERATIVE);
        def.enforcement.direction = FM_ALONG_FORCE;
        def.damping.kept = 0.98;
        def.time_step =
            1.0 / 800; // several substeps per frame, each with new particles held by colliders
    }
    if (kind == VERLET || kind == RK4) {
        def.integrator = kind == VERLET ? FM_VERLET : FM_RK4;
        def.drag.model = FM_DRAG_BOTH;
        def.drag.viscous = def.drag.normal = 1;
    }
    return def;
}

// Adds a moving ball and a slope.
static void add_colliders(fm_world *world)
{
    fm_error err = {0};
    fm_collider_def ball = fixture_ball_def((fm_vec3){0.3, -0.4, -0.15}, 0.1);
    ball.motion = fm_motion_sine(world, (fm_vec3){0, 0, 1}, 0.2, 0.24, &err);
    add_collider(world, ball);
    fm_collider_def slope = fixture_floor_def(-0.82);
    slope.shape.normal.z = 0.1;
    add_collider(world, slope);
}

// Folds the sheet at the start, so that repulsion acts.
static void fold_in_half(fm_cloth *cloth)
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

// Creates a swung sheet with one of the features.
static fm_world *create_cloth_world(feature kind, int threads)
{
    fm_error err = {0};
    fm_world_def world_def = threaded_world_def(threads);
    if (kind == CURRENT || kind == EVERYTHING)
        world_def.medium.flow = eddies;
    fm_world *world = open_world(world_def);
    fm_cloth_def def = feature_cloth_def(kind);
    fm_cloth *cloth = create_sheet(
        world, &def, &(fm_sheet){.columns = 61, .rows = 83, .width = 0.6, .height = 0.8});
    if (kind == REPULSION || kind == EVERYTHING)
        fold_in_half(cloth);
    if (kind == COLLIDERS || kind == EVERYTHING || kind >= ITERATIVE)
        add_colliders(world);
    set_random_velocities(cloth, 0.1);
    fm_motion *swing = fm_motion_sine(world, (fm_vec3){0, 0.3, 1}, 0.1, 0.5, &err);
    assert_true(fm_cloth_pin_row(cloth, 0, swing, &err));
    assert_true(fm_cloth_pin_corner(cloth, FM_CORNER_BOTTOM_LEFT, NULL, &err));
    assert_true(fm_cloth_release_at(cloth, 0.025, &err));
    return world;
}

// Hash of the world after FRAMES frames. It is saved and restored before frame `pause`; -1: never.
static uint64_t run_and_hash(feature kind, int threads, int pause)
{
    fm_world *world = create_cloth_world(kind, threads);
    int contacts = 0, repelled = 0;
    for (int frame = 0; frame < FRAMES; frame++) {
        if (frame == pause)
            world = move_state_into(world, create_cloth_world(kind, threads));
        fm_report report = advance(world, FRAME);
        contacts += report.contact_count;
        repelled += report.repelled_count;
    }
    // the run must have contacts and repulsion where these are to be tested
    if (kind == COLLIDERS || kind == EVERYTHING || kind >= ITERATIVE)
        assert_true(contacts > 0);
    if (kind == REPULSION || kind == EVERYTHING)
        assert_true(repelled > 0);
    uint64_t hash = fm_world_hash(world);
    fm_world_destroy(world);
    return hash;
}

static void a_cloth_has_the_same_bits_on_any_number_of_threads_and_after_a_restore(void **state)
{
    (void)state;
    uint64_t seen[CASES];
    for (int kind = 0; kind < CASES; kind++) {
        seen[kind] = run_and_hash((feature)kind, 2, FRAMES / 2);
        printf("  %-18s %016llx\n", names[kind], (unsigned long long)seen[kind]);
#ifndef __SANITIZE_THREAD__ // two threads are enough for a data race; more would be slow
        assert_int_equal(run_and_hash((feature)kind, 1, -1), seen[kind]);
        assert_int_equal(run_and_hash((feature)kind, 3, -1), seen[kind]);
        assert_int_equal(run_and_hash((feature)kind, 0, 1), seen[kind]);
#endif
        for (int other = 0; other < kind; other++) // each feature changes the result
            assert_int_not_equal(seen[other], seen[kind]);
    }
}

// A task system that counts its calls and runs the blocks in reverse order.
static void count_and_run(void *host, int block_count, void (*task)(void *context, int block),
                          void *context)
{
    ++*(int *)host;
    run_backwards(NULL, block_count, task, context);
}

// Number of parallel loops that one frame of a sheet passes to the task system of the host.
static int count_parallel_loops(int columns, int rows)
{
    int runs = 0;
    fm_world_def world_def = fixture_water_def(0);
    world_def.tasks = (fm_task_system){.run = count_and_run, .host = &runs, .thread_count = 2};
    fm_world *world = open_world(world_def);
    fm_cloth_def def = fm_default_cloth_def();
    create_sheet(world, &def, &(fm_sheet){columns, rows, .width = 0.6, .height = 0.8});
    advance(world, FRAME);
    fm_world_destroy(world);
    return runs;
}

static void small_sheets_run_on_one_thread(void **state)
{
    (void)state;
    assert_int_equal(count_parallel_loops(31, 41), 0);
    assert_true(count_parallel_loops(61, 83) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cloth_has_the_same_bits_on_any_number_of_threads_and_after_a_restore),
        cmocka_unit_test(small_sheets_run_on_one_thread)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
