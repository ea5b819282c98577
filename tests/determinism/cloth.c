// SPDX-License-Identifier: MIT
// cloth.c: a cloth large enough for several parallel blocks ends in the same bits on 1, 2 and 3
// threads and on the task system of a host, whether or not its world is saved and restored into a
// new one half-way. This is tested with every part of the past that fractional drag can depend on
// (memory), spring damping, colliders, repulsion, a current and strain limiting.
#include "bodies.h"

enum { FRAMES = 4 };
#ifdef __SANITIZE_THREAD__             // slow; a few substeps are enough for a data race
static const double FRAME = 1.0 / 800; // s
#else
static const double FRAME = 1.0 / 100; // s
#endif

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
    COLLIDERS,     // a moving ball and a slope
    REPULSION,     // the sheet is folded, and its particles repel each other
    CURRENT,       // the medium flows
    EVERYTHING,    // colliders, repulsion, current, springs damped by a half derivative
    EULER,         // explicit Euler, with the drag COIMBRA and springs damped by a half derivative
    VERLET,        // Verlet integration, with viscous and pressure drag
    RK4,           // fourth-order Runge-Kutta, with viscous and pressure drag
    // strain limiting, with the colliders; in the order of fm_enforcement_method
    ITERATIVE,   // by iterations over all springs
    LISTED,      // by the list of corrections of [OZG13]
    DIRECTIONAL, // outwards from fixed particles
    // implicit integrators, with the colliders
    IMPLICIT,       // TR-BDF2, with springs and bending damped by a half derivative
    IMPLICIT_EULER, // backward Euler, with published drag of the last steps
    FEATURES,       // number of features
} feature;

static const char *const names[FEATURES] = {"physical",
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
                                            "directional",
                                            "implicit",
                                            "implicit euler"};

// The default cloth with one of the features.
static fm_cloth_def feature_cloth_def(feature tested)
{
    fm_cloth_def def = fm_default_cloth_def();
    if (tested != DASHPOTS && tested != SPRING_MEMORY && tested != EVERYTHING && tested != EULER &&
        tested != IMPLICIT)
        def.damping.coefficient = 0;
    if ((tested >= FULL && tested <= FADING) || tested == EULER || tested == IMPLICIT_EULER) {
        static const fm_recall_kind memories[] = {FM_RECALL_FULL, FM_RECALL_STEPS, FM_RECALL_STEPS,
                                                  FM_RECALL_SECONDS, FM_RECALL_FADING};
        def.drag.model = FM_DRAG_PUBLISHED;
        def.drag.viscous = 0.5;
        def.drag.history.coefficient = 5;
        def.drag.history.memory.kind =
            tested == EULER || tested == IMPLICIT_EULER ? FM_RECALL_STEPS : memories[tested - FULL];
        def.drag.history.memory.steps = 5;
        def.drag.history.memory.seconds = 0.02;
        def.drag.history.memory.rule =
            tested == COIMBRA || tested == EULER ? FM_RULE_COIMBRA : FM_RULE_TRAPEZOID;
    }
    if (tested == SPRING_MEMORY || tested == EVERYTHING || tested == EULER || tested == IMPLICIT)
        def.damping.order = def.bend.damping.order = 0.5;
    if (tested == REPULSION || tested == EVERYTHING)
        def.repulsion.enabled = true;
    if (tested == EULER)
        def.integrator = FM_EULER, def.time_step = 1e-4;
    if (tested >= IMPLICIT)
        def.integrator = tested == IMPLICIT ? FM_IMPLICIT : FM_IMPLICIT_EULER;
    if (tested >= ITERATIVE && tested <= DIRECTIONAL) {
        def.enforcement.method = (fm_enforcement_method)(tested - ITERATIVE + FM_ENFORCE_ITERATIVE);
        def.enforcement.direction = FM_ALONG_FORCE;
        def.damping.kept = 0.98; // share of the velocities that each substep keeps
        // s; several substeps per frame, so that colliders hold other particles in each of them
        def.time_step = 1.0 / 800;
    }
    if (tested == VERLET || tested == RK4) {
        def.integrator = tested == VERLET ? FM_VERLET : FM_RK4;
        def.drag.model = FM_DRAG_BOTH;
        def.drag.viscous = def.drag.normal = 1;
    }
    return def;
}

// Adds a moving ball, which touches the sheet from the start, and a slope.
static void add_colliders(fm_world *world)
{
    fm_error err = {0};
    fm_collider_def ball = fixture_ball_def((fm_vec3){0.3, -0.4, -0.095}, 0.1);
    ball.motion = fm_motion_sine(world, (fm_vec3){0, 0, 1}, 0.2, 0.24, &err);
    add_collider(world, ball);
    fm_collider_def slope = fixture_floor_def(-0.82);
    slope.shape.normal.z = 0.1;
    add_collider(world, slope);
}

// Folds the sheet, which spans x from 0 to 0.6 m, along its middle: the right half comes to lie
// 4 +- 1 mm in front of the left half, so close that repulsion acts.
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

// Creates a sheet with one of the features. A sine moves its upper edge; one lower corner is
// released after two and a half frames.
static fm_world *create_cloth_world(feature tested, int threads)
{
    fm_error err = {0};
    fm_world_def world_def = threaded_world_def(threads);
    if (tested == CURRENT || tested == EVERYTHING)
        world_def.medium.flow = eddies;
    fm_world *world = open_world(world_def);
    fm_cloth_def def = feature_cloth_def(tested);
    fm_cloth *cloth = create_sheet(
        world, &def, &(fm_sheet){.columns = 61, .rows = 83, .width = 0.6, .height = 0.8});
    if (tested == REPULSION || tested == EVERYTHING)
        fold_in_half(cloth);
    if (tested == COLLIDERS || tested == EVERYTHING || tested >= ITERATIVE)
        add_colliders(world);
    set_random_velocities(cloth, 0.1);
    fm_motion *swing = fm_motion_sine(world, (fm_vec3){0, 0.3, 1}, 0.1, 0.5, &err);
    assert_true(fm_cloth_pin_row(cloth, 0, swing, &err));
    assert_true(fm_cloth_pin_corner(cloth, FM_CORNER_BOTTOM_LEFT, NULL, &err));
    assert_true(fm_cloth_release_at(cloth, 2.5 * FRAME, &err));
    return world;
}

// Hash of the world after FRAMES frames. Its state moves into a new world before frame
// `restore_frame`; -1: never. threads: as in threaded_world_def.
static uint64_t run_and_hash(feature tested, int threads, int restore_frame)
{
    fm_world *world = create_cloth_world(tested, threads);
    int contacts = 0, repelled = 0;
    for (int frame = 0; frame < FRAMES; frame++) {
        if (frame == restore_frame)
            world = move_state_into(world, create_cloth_world(tested, threads));
        fm_report report = advance(world, FRAME);
        contacts += report.contact_count;
        repelled += report.repelled_count;
    }
    // the run must have contacts and repulsion where these are to be tested
    if (tested == COLLIDERS || tested == EVERYTHING || tested >= ITERATIVE)
        assert_true(contacts > 0);
    if (tested == REPULSION || tested == EVERYTHING)
        assert_true(repelled > 0);
    uint64_t hash = fm_world_hash(world);
    fm_world_destroy(world);
    return hash;
}

static void a_cloth_has_the_same_bits_on_any_number_of_threads_and_after_a_restore(void **state)
{
    (void)state;
    uint64_t hashes[FEATURES];
    for (int tested = 0; tested < FEATURES; tested++) {
        hashes[tested] = (uint64_t)tested;
#ifdef __SANITIZE_THREAD__ // slow; determinism/memory and EVERYTHING have the same loops
        if (tested >= COIMBRA && tested <= CURRENT)
            continue;
#endif
        hashes[tested] = run_and_hash((feature)tested, 2, FRAMES / 2);
        printf("  %-18s %016llx\n", names[tested], (unsigned long long)hashes[tested]);
#ifndef __SANITIZE_THREAD__ // two threads are enough for a data race; more would be slow
        assert_int_equal(run_and_hash((feature)tested, 1, -1), hashes[tested]);
        assert_int_equal(run_and_hash((feature)tested, 3, -1), hashes[tested]);
        assert_int_equal(run_and_hash((feature)tested, 0, 1), hashes[tested]);
#endif
        for (int other = 0; other < tested; other++) // each feature changes the result
            assert_int_not_equal(hashes[other], hashes[tested]);
    }
}

// A host's task system that counts its calls in *host and runs the blocks in reverse order.
static void count_and_run(void *host, int block_count, void (*task)(void *context, int block),
                          void *context)
{
    ++*(int *)host;
    run_backwards(NULL, block_count, task, context);
}

// Number of parallel loops that one frame of a sheet passes to the task system of the host.
static int count_parallel_loops(int columns, int rows)
{
    int loops = 0;
    fm_world_def world_def = fixture_water_def(0);
    world_def.tasks = (fm_task_system){.run = count_and_run, .host = &loops, .thread_count = 2};
    fm_world *world = open_world(world_def);
    fm_cloth_def def = fm_default_cloth_def();
    create_sheet(world, &def, &(fm_sheet){columns, rows, .width = 0.6, .height = 0.8});
    advance(world, FRAME);
    fm_world_destroy(world);
    return loops;
}

static void small_sheets_run_on_one_thread(void **state)
{
    (void)state;
    // a sheet uses several threads only if the work of a substep is worth waking them
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
