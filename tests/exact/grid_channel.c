// SPDX-License-Identifier: MIT
// Plane Poiseuille flow between walls at y = 0 and y = 1, u = 4 y (1 - y).
//
// Developed: a parabolic inflow keeps its shape up to the open end of a channel, and the pressure
// falls by 8 nu per length. From rest: a uniform force between periodic ends; the velocity in the
// middle at several times follows the series
//
//     u(1/2, t) = 1 - (32/pi^3) sum over odd n of (-1)^((n-1)/2) / n^3 exp(-n^2 pi^2 nu t)
#include "exact.h"
#include "grids.h"

static const double NU = 0.1;

static void a_parabolic_inflow_reaches_the_open_end_unchanged(void **state)
{
    (void)state;
    enum { N = 16 };
    fm_world *world = create_grid_world();
    fm_grid_def def = fixture_plane_grid_def(3 * N, N, 1.0 / N, NU);
    def.sides[FM_SIDE_LEFT] =
        (fm_grid_side){.kind = FM_GRID_INFLOW, .velocity = {1, 0, 0}, .profile = FM_GRID_PARABOLIC};
    def.sides[FM_SIDE_RIGHT].kind = FM_GRID_OPEN;
    fm_grid *grid = create_grid(world, &def);
    advance_grid(world, grid, 20);
    double *u = read_grid(grid, "velocity", 3), *p = read_grid(grid, "pressure", 1), worst = 0;
    for (int j = 0; j < N; j++) {
        double y = (j + 0.5) / N;
        for (int i = 0; i < 3 * N; i++)
            worst = fmax(worst, fabs(u[3 * (i + 3 * N * j)] - 4 * y * (1 - y)));
    }
    double fall = (p[3 * N * (N / 2) + N] - p[3 * N * (N / 2) + 2 * N]) / (8 * NU);
    printf("  velocity: %.2e, pressure gradient: %.4f of the exact\n", worst, fall);
    assert_at_most(worst, 4.0 / (N * N)); // the curvature that a linear wall value neglects: h^2
    assert_close(fall, 1, 0.01);
    free(u);
    free(p);
    fm_world_destroy(world);
}

static double find_middle(double t)
{
    double sum = 0;
    for (int n = 1; n < 40; n += 2)
        sum += (n % 4 == 1 ? 1 : -1) * exp(-n * n * PI * PI * NU * t) / pow(n, 3);
    return 1 - 32 / pow(PI, 3) * sum;
}

static double measure_start(int cells, fm_grid_diffusion diffusion)
{
    double worst = 0;
    fm_world *world = create_grid_world();
    fm_grid_def def = fixture_plane_grid_def(4, cells, 1.0 / cells, NU);
    set_grid_periodic(&def, 0);
    def.acceleration.x = 8 * NU;
    def.diffusion = diffusion;
    def.time_step = 0.2 / cells;
    fm_grid *grid = create_grid(world, &def);
    for (int k = 1; k <= 6; k++) {
        advance_grid(world, grid, 0.5);
        // linear interpolation between the two middle cells is low by half a cell's curvature
        double u = grid_velocity(grid, 0.3, 0.5 + 0.5 / cells, 0).x;
        worst = fmax(worst, fabs(u - find_middle(0.5 * k)));
    }
    fm_world_destroy(world);
    return worst;
}

static void flow_from_rest_follows_the_series(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        fm_grid_diffusion diffusion = k ? FM_GRID_IMPLICIT : FM_GRID_EXPLICIT;
        double error[3];
        for (int level = 0; level < 3; level++) {
            error[level] = measure_start(8 << level, diffusion);
            exact_report(k ? "start, implicit" : "start, explicit", 0.125 / (1 << level),
                         error[level]);
        }
        assert_true(exact_order(error, 3) > 1.8);
        assert_at_most(error[2], 0.005);
    }
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "grid_channel");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_parabolic_inflow_reaches_the_open_end_unchanged),
        cmocka_unit_test(flow_from_rest_follows_the_series)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
