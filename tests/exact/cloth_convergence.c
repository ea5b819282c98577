// SPDX-License-Identifier: MIT
// cloth_convergence.c: the path of a towel swung under water converges when the time step or the
// mesh is refined.
//
// The towel is swung by its upper edge. Its history drag and damping are half derivatives over the
// whole past (full memory). The path of the middle of its lower edge,
// the tip, is compared over the first second. Halving the step moves the tip by less than 1 % of
// the amplitude of the swing, and converges with second order. With damped springs of order q,
// whose impulses are applied one after the other, the order is 2 - q at best. Refining the sheet of
// one material from 16 x 24 to 31 x 47 and 61 x 93 particles converges with order 1 or better. The
// tip moves by at least 0.3 of the amplitude, so that the comparison is meaningful. The published
// model is tested by the long version only.
#include "bodies.h"
#include "exact.h"

#include <string.h>

enum { SAMPLES = 50 };                // instants at which paths are compared
static const double amplitude = 0.03; // m, of the swing
static const double height = 0.23;    // m, of the towel

// A weighted towel with half derivatives in drag and damping.
static fm_cloth_def towel_def(fm_drag_model model)
{
    fm_cloth_def def = fixture_perfect_cloth();
    def.density = 2000; // kg/m^3, weighted: plain cotton hardly moves within a second
    def.drag.model = model;
    def.drag.added_mass = 0.005;
    // N m; folds have the width sqrt(bend/tension), which every mesh of this test resolves
    def.bend.stiffness = 5e-4;
    def.drag.viscous = 5;
    def.drag.history.coefficient = 20;
    def.drag.history.order = 0.5;
    def.drag.history.memory.kind = FM_RECALL_FULL;
    def.damping.coefficient = 0.5;
    def.damping.order = 0.5;
    def.bend.damping.coefficient = 0; // it converges with order 1 only (cloth_bend_damping.c)
    return def;
}

// Computes the positions of the tip, the middle of the lower edge, at SAMPLES times of the first
// second. width: of the sheet, m.
static void compute_tip_path(const fm_cloth_def *def, int columns, int rows, double width,
                             fm_vec3 path[SAMPLES])
{
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
    fm_cloth *cloth = create_sheet(
        world, def,
        &(fm_sheet){.columns = columns, .rows = rows, .width = width, .height = height});
    fm_key keys[] = {{.time = 0},
                     {.time = 0.2, .position = {0, 0, amplitude}},
                     {.time = 0.6, .position = {0, 0, -amplitude}},
                     {.time = 1.0, .position = {0, 0, amplitude}}};
    fm_motion *swing =
        fm_motion_keyframes(world, keys, 4, FM_INTERPOLATE_SMOOTH, (fm_vec3){0, 0, 0}, &err);
    assert_true(fm_cloth_pin_row(cloth, 0, swing, &err));
    for (int i = 0; i < SAMPLES; i++) {
        advance(world, 1.0 / SAMPLES);
        const fm_vec3 *row = fm_cloth_positions(cloth, NULL) + (rows - 1) * columns;
        fm_vec3 a = row[(columns - 1) / 2], b = row[columns / 2];
        path[i] = (fm_vec3){(a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2};
    }
    fm_world_destroy(world);
}

// Checks that the tip moves by at least 0.3 of the amplitude.
static void check_that_the_tip_moves(const fm_vec3 *path)
{
    double reached = 0;
    for (int i = 0; i < SAMPLES; i++)
        reached = fmax(reached, fabs(path[i].z));
    printf("  the tip travels %.2f of the amplitude\n", reached / amplitude);
    assert_true(reached >= 0.3 * amplitude);
}

// Halves the time step three times. low, high: range of the order of convergence.
static void check_step_refinement(fm_cloth_def def, const char *name, double low, double high)
{
    fm_vec3 path[2][SAMPLES];
    double change[3];
    // The half derivatives approximate their kernel t^(-1/2) by exponentials that are fitted to
    // the step. A small tolerance keeps the differences of these fits below those of the step.
    def.drag.history.memory.tolerance = def.damping.memory.tolerance = 1e-7;
    for (int level = 0; level < 4; level++) {
        def.time_step = 6.4e-4 / (1 << level);
        // spacing 1 cm; a third as wide as the sheet whose mesh is refined below
        compute_tip_path(&def, 6, 24, 0.05, path[level % 2]);
        if (level == 0)
            continue;
        change[level - 1] = largest_distance(path[0], path[1], SAMPLES) / amplitude;
        exact_report(name, def.time_step, change[level - 1]);
    }
    check_that_the_tip_moves(path[0]);
    double order = exact_order(change, 3);
    printf("  order %.2f\n", order);
    assert_at_most(change[0], 0.01);
    assert_in_interval(order, low, high);
}

// Doubles the resolution of the mesh twice.
static void check_mesh_refinement(fm_drag_model model, const char *name)
{
    fm_vec3 path[3][SAMPLES];
    fm_cloth_def def = towel_def(model);
    double change[2];
    for (int level = 0; level < 3; level++) {
        int n = 15 << level, m = 23 << level;
        compute_tip_path(&def, n + 1, m + 1, 0.15, path[level]);
        if (level == 0)
            continue;
        change[level - 1] = largest_distance(path[level - 1], path[level], SAMPLES) / amplitude;
        exact_report(name, 0.15 / n, change[level - 1]);
    }
    double order = exact_order(change, 2);
    printf("  order %.2f\n", order);
    assert_true(order >= 1);
    assert_at_most(change[1], 0.02);
}

static fm_cloth_def without_spring_damping(fm_cloth_def def)
{
    def.damping.coefficient = 0;
    return def;
}

static void with_physical_drag_the_path_converges_with_the_step(void **state)
{
    (void)state;
    fm_cloth_def def = towel_def(FM_DRAG_PHYSICAL);
    check_step_refinement(without_spring_damping(def), "steps, physical", 1.7, 2.3);
    check_step_refinement(def, "steps, physical, damped springs", 1, 2.3);
}

// Predictor and corrector evaluate the half derivatives of springs and drag at both ends of the
// step. They converge to the path of kick-drift-kick, which does it by another route (kick.c).
static void with_a_predictor_corrector_the_path_converges_to_the_same(void **state)
{
    (void)state;
    fm_cloth_def def = towel_def(FM_DRAG_PUBLISHED);
    def.drag.history.memory.tolerance = def.damping.memory.tolerance = 1e-7;
    def.time_step = 4e-5;
    fm_vec3 other[SAMPLES], path[2][SAMPLES];
    compute_tip_path(&def, 3, 24, 0.02, other);
    check_that_the_tip_moves(other);
    def.integrator = FM_HEUN;
    double change[2];
    for (int level = 0; level < 3; level++) {
        def.time_step = 3.2e-4 / (1 << level);
        compute_tip_path(&def, 3, 24, 0.02, path[level % 2]);
        if (level == 0)
            continue;
        change[level - 1] = largest_distance(path[0], path[1], SAMPLES) / amplitude;
        exact_report("steps, predictor-corrector", def.time_step, change[level - 1]);
    }
    double distance = largest_distance(path[0], other, SAMPLES) / amplitude;
    printf("  order %.2f, from kick-drift-kick %.1e\n", exact_order(change, 2), distance);
    assert_in_interval(exact_order(change, 2), 1.7, 2.3);
    assert_at_most(distance, 3e-4); // kick-drift-kick has order 1 in damped springs
}

static void with_published_drag_the_path_converges_with_the_step(void **state)
{
    (void)state;
    if (!is_long_version())
        skip();
    fm_cloth_def def = towel_def(FM_DRAG_PUBLISHED);
    check_step_refinement(without_spring_damping(def), "steps, published", 1.7, 2.3);
    check_step_refinement(def, "steps, published, damped springs", 1, 2.3);
}

enum { TOWEL_COLUMNS = 21, TOWEL_ROWS = 31 }; // particles of the default towel

// Computes the lowest row of the default towel after a second of the motion of
// scenes/underwater/swing.yaml. step: s; tolerance: of the kernel of skin history.
static void compute_lowest_row(double step, double tolerance, fm_vec3 row[TOWEL_COLUMNS])
{
    fm_world *world = open_world(fixture_water_def(1));
    fixture_towel towel = fixture_default_towel(TOWEL_COLUMNS, TOWEL_ROWS);
    towel.cloth.time_step = step;
    towel.cloth.drag.history.memory.tolerance = tolerance;
    fm_cloth *cloth = hang_towel(world, &towel);
    for (int i = 0; i < 24; i++)
        advance(world, 1.0 / 24);
    const fm_vec3 *lowest = fm_cloth_positions(cloth, NULL) + (TOWEL_ROWS - 1) * TOWEL_COLUMNS;
    memcpy(row, lowest, TOWEL_COLUMNS * sizeof *row);
    fm_world_destroy(world);
}

// Skin history is a half derivative; its kernel is approximated by exponentials to a tolerance.
// With the default tolerance, convergence with the step stalls at about 1e-7 m, because the
// exponentials are fitted separately for each step (docs/cloth.md). With a tolerance of 1e-8 the
// path continues to converge with second order.
static void the_default_towel_converges_down_to_the_memory_tolerance(void **state)
{
    (void)state;
    const double tolerance[2] = {fixture_perfect_cloth().drag.history.memory.tolerance, 1e-8};
    fm_vec3 row[2][2][TOWEL_COLUMNS]; // [tolerance][level % 2][column]
    double change[2][3];              // m, [tolerance], when the step is halved
    for (int level = 0; level < 4; level++) {
        for (int k = 0; k < 2; k++) {
            // 40, 80, ... substeps per frame; 1e-9 more, so that rounding adds no substep
            double step = (1 + 1e-9) / 24 / (40 << level);
            compute_lowest_row(step, tolerance[k], row[k][level % 2]);
            if (level == 0)
                continue;
            change[k][level - 1] = largest_distance(row[k][0], row[k][1], TOWEL_COLUMNS);
            exact_report(k ? "default towel, 1e-8" : "default towel", step, change[k][level - 1]);
        }
    }
    double order = exact_order(change[1], 3);
    printf("  order %.2f with a tolerance of 1e-8\n", order);
    assert_in_interval(order, 1.7, 2.3);
    // with the default tolerance the error of the kernel dominates, not that of the step
    assert_true(change[0][2] > 2 * change[1][2]);
    double off = largest_distance(row[0][1], row[1][1], TOWEL_COLUMNS);
    printf("  the default tolerance moves it by %.2g m\n", off);
    assert_at_most(off, tolerance[0] * 0.06); // 0.06 m is the amplitude of the swing
}

static void with_physical_drag_the_path_converges_with_the_mesh(void **state)
{
    (void)state;
    check_mesh_refinement(FM_DRAG_PHYSICAL, "meshes, physical");
}

static void with_published_drag_the_path_converges_with_the_mesh(void **state)
{
    (void)state;
    if (!is_long_version())
        skip();
    check_mesh_refinement(FM_DRAG_PUBLISHED, "meshes, published");
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "cloth_convergence");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_physical_drag_the_path_converges_with_the_step),
        cmocka_unit_test(with_published_drag_the_path_converges_with_the_step),
        cmocka_unit_test(with_a_predictor_corrector_the_path_converges_to_the_same),
        cmocka_unit_test(the_default_towel_converges_down_to_the_memory_tolerance),
        cmocka_unit_test(with_physical_drag_the_path_converges_with_the_mesh),
        cmocka_unit_test(with_published_drag_the_path_converges_with_the_mesh),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
