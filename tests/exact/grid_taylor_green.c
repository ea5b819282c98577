// SPDX-License-Identifier: MIT
// Taylor-Green vortices in a periodic square keep their shape while they decay:
//
//     u = -e cos(2 pi x) sin(2 pi y),    v = e sin(2 pi x) cos(2 pi y),    e = exp(-8 pi^2 nu t)
//
// carried along by a uniform stream (1, 0.7), so that the vortices move across the grid. nu = 0.01.
// In space: grids of 16^2 to 64^2 cells at a fixed Courant number; the error of the velocity at
// t = 0.5 converges with order 2. In time: one grid, substeps that are halved; the differences of
// successive solutions converge with order 2. Both with explicit and with implicit viscosity.
#include "exact.h"
#include "grids.h"

enum { LEVELS = 3 };
static const double NU = 0.01, END = 0.5;
static const fm_vec3 stream = {1, 0.7, 0};

static fm_vec3 vortices(void *context, fm_vec3 x)
{
    double t = *(double *)context, e = exp(-8 * PI * PI * NU * t);
    double a = 2 * PI * (x.x - stream.x * t), b = 2 * PI * (x.y - stream.y * t);
    return (fm_vec3){stream.x - e * cos(a) * sin(b), stream.y + e * sin(a) * cos(b), 0};
}

// Simulates until END; returns the velocities at the cell centres.
static double *run(int cells, fm_grid_diffusion diffusion, double time_step, double courant)
{
    double start = 0;
    fm_world *world = create_grid_world();
    fm_grid_def def = fixture_plane_grid_def(cells, cells, 1.0 / cells, NU);
    set_grid_periodic(&def, 0);
    set_grid_periodic(&def, 1);
    def.diffusion = diffusion;
    def.time_step = time_step;
    def.courant = courant;
    def.tolerance = 1e-9;
    fm_grid *grid = create_grid(world, &def);
    set_grid_velocity(grid, vortices, &start);
    advance_grid(world, grid, END);
    double *u = read_grid(grid, "velocity", 3);
    fm_world_destroy(world);
    return u;
}

// Root mean square of the error of the velocity, relative to the speed of the vortices.
static double find_error(int cells, const double *u)
{
    double square = 0, end = END;
    for (int j = 0; j < cells; j++)
        for (int i = 0; i < cells; i++) {
            const double *at = u + 3 * (i + cells * j);
            fm_vec3 v = vortices(&end, (fm_vec3){(i + 0.5) / cells, (j + 0.5) / cells, 0});
            square += pow(at[0] - v.x, 2) + pow(at[1] - v.y, 2);
        }
    return sqrt(square) / cells / exp(-8 * PI * PI * NU * END);
}

static void check_space(fm_grid_diffusion diffusion, const char *name)
{
    double error[LEVELS];
    for (int level = 0; level < LEVELS; level++) {
        int cells = 16 << level;
        double *u = run(cells, diffusion, 0, 0.5);
        error[level] = find_error(cells, u);
        exact_report(name, 1.0 / cells, error[level]);
        free(u);
    }
    printf("  order %.2f\n", exact_order(error, LEVELS));
    assert_true(exact_order(error, LEVELS) > 1.9);
    assert_at_most(error[LEVELS - 1], 0.005);
}

static void check_time(fm_grid_diffusion diffusion, const char *name)
{
    enum { CELLS = 32 };
    double difference[LEVELS], *coarse = run(CELLS, diffusion, END / 80, 1), *fine;
    for (int level = 0; level < LEVELS; level++, coarse = fine) {
        double square = 0, step = END / (160 << level);
        fine = run(CELLS, diffusion, step, 1);
        for (int i = 0; i < 3 * CELLS * CELLS; i++)
            square += pow(fine[i] - coarse[i], 2);
        difference[level] = sqrt(square) / CELLS;
        exact_report(name, step, difference[level]);
        free(coarse);
    }
    free(coarse);
    printf("  order %.2f\n", exact_order(difference, LEVELS));
    assert_true(exact_order(difference, LEVELS) > 1.9);
}

static void vortices_converge_with_order_2_in_space(void **state)
{
    (void)state;
    check_space(FM_GRID_EXPLICIT, "space, explicit viscosity");
    check_space(FM_GRID_IMPLICIT, "space, implicit viscosity");
}

static void vortices_converge_with_order_2_in_time(void **state)
{
    (void)state;
    check_time(FM_GRID_EXPLICIT, "time, explicit viscosity");
    check_time(FM_GRID_IMPLICIT, "time, implicit viscosity");
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "grid_taylor_green");
    const struct CMUnitTest tests[] = {cmocka_unit_test(vortices_converge_with_order_2_in_space),
                                       cmocka_unit_test(vortices_converge_with_order_2_in_time)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
