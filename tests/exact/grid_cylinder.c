// SPDX-License-Identifier: MIT
// A cylinder across a channel, the benchmark of Schäfer and Turek [ST96]: channel 2.2 x 0.41,
// diameter D = 0.1, centre (0.2, 0.2), parabolic inflow, nu = 0.001, density 1, 20 cells across the
// cylinder. Its centre and its surface are not on grid lines. Against grid_cylinder.csv: the steady
// drag at Re 20 (2D-1) within 4 %, and at Re 100 (2D-2) the frequency of the vortices within 2 %,
// the largest drag within 4 %. The pressure difference between front and back is printed.
#include "exact.h"
#include "grids.h"

typedef struct wake {
    double drag, lift, difference; // coefficients; Pa
} wake;

static const double D = 0.1, H = 0.41;

// across: cells per diameter; top: largest speed of the inflow. h receives the spacing.
static fm_grid *create_channel(fm_world *world, int across, double top, double *h)
{
    fm_collider_def cylinder = fm_default_collider_def();
    cylinder.shape = (fm_shape){
        .kind = FM_SHAPE_CYLINDER, .start = {0.2, 0.2, -1}, .end = {0.2, 0.2, 1}, .radius = D / 2};
    add_collider(world, cylinder);
    int rows = (int)lround(H * across / D);
    *h = H / rows; // the walls are on grid lines, the cylinder is not
    fm_grid_def def = plane_grid_def((int)lround(2.2 / *h), rows, *h, 0.001);
    def.sides[FM_SIDE_LEFT] = (fm_grid_side){
        .kind = FM_GRID_INFLOW, .velocity = {top, 0, 0}, .profile = FM_GRID_PARABOLIC};
    def.sides[FM_SIDE_RIGHT].kind = FM_GRID_OPEN;
    def.loads = true;
    return create_grid(world, &def);
}

static wake measure_steady(int across, double end)
{
    double h, U = 0.2;
    fm_error err = {0};
    fm_world *world = create_grid_world();
    fm_grid *grid = create_channel(world, across, 0.3, &h);
    advance_grid(world, grid, end);
    fm_report report = advance_grid(world, grid, 0.5);
    double front[3], back[3];
    assert_true(
        fm_object_probe(fm_grid_object(grid), "pressure", (fm_vec3){0.15, 0.2, 0}, front, &err));
    assert_true(
        fm_object_probe(fm_grid_object(grid), "pressure", (fm_vec3){0.25, 0.2, 0}, back, &err));
    fm_world_destroy(world);
    double scale = 2 / (U * U * D * h); // the force acts on a depth of h
    return (wake){report.load.x * scale, report.load.y * scale, front[0] - back[0]};
}

static void the_steady_drag_is_that_of_the_benchmark(void **state)
{
    (void)state;
    wake coarse = measure_steady(10, 6), fine = measure_steady(20, 6);
    const wake exact = {5.57953523384, 0.010618948146, 0.11752016697};
    printf("  10 cells: drag %.4f, lift %.4f, dp %.5f\n", coarse.drag, coarse.lift,
           coarse.difference);
    printf("  20 cells: drag %.4f, lift %.4f, dp %.5f\n", fine.drag, fine.lift, fine.difference);
    exact_report("drag, Re 20", D / 10, fabs(coarse.drag / exact.drag - 1));
    exact_report("drag, Re 20", D / 20, fabs(fine.drag / exact.drag - 1));
    exact_report("dp, Re 20", D / 10, fabs(coarse.difference / exact.difference - 1));
    exact_report("dp, Re 20", D / 20, fabs(fine.difference / exact.difference - 1));
    assert_close(fine.drag / exact.drag, 1, 0.04);
}

static void vortices_are_shed_at_the_frequency_of_the_benchmark(void **state)
{
    (void)state;
    enum { SAMPLES = 300 };
    double h, U = 1, dt = 0.01, first = 0, last = 0, before = 0, most = 0, lift = 0;
    int crossings = 0;
    fm_world *world = create_grid_world();
    fm_grid *grid = create_channel(world, 20, 1.5, &h);
    advance_grid(world, grid, 6);
    for (int i = 0; i < SAMPLES; i++) {
        fm_report r = advance_grid(world, grid, dt);
        double scale = 2 / (U * U * D * h), now = r.load.y * scale, t = i * dt;
        most = fmax(most, r.load.x * scale);
        lift = fmax(lift, now);
        if (i > 0 && before < 0 && now >= 0) { // upwards
            last = t - dt * now / (now - before);
            first = crossings++ ? first : last;
        }
        before = now;
    }
    fm_world_destroy(world);
    assert_true(crossings > 3);
    double St = (crossings - 1) / (last - first) * D / U;
    printf("  Strouhal %.4f (0.3018), largest drag %.4f (3.2274), largest lift %.3f\n", St, most,
           lift);
    assert_close(St / 0.30184, 1, 0.02);
    assert_close(most / 3.2274, 1, 0.04);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "grid_cylinder");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_steady_drag_is_that_of_the_benchmark),
        cmocka_unit_test(vortices_are_shed_at_the_frequency_of_the_benchmark)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
