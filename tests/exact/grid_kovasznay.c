// SPDX-License-Identifier: MIT
// Kovasznay's flow behind a row of cylinders, Re 40, an exact steady solution with advection:
//
//     u = 1 - e^(l x) cos(2 pi y),   v = l/(2 pi) e^(l x) sin(2 pi y),   p = (1 - e^(2 l x)) / 2
//     l = Re/2 - sqrt(Re^2/4 + 4 pi^2)
//
// on [-1/2, 1/2] x [-1/2, 1/2]. The exact velocity is given on all four sides; the flow starts from
// rest there and must find the solution inside. Velocity and pressure converge with order 2.
#include "exact.h"
#include "grids.h"

enum { LEVELS = 3 };
static const double Re = 40;

static fm_vec3 find_exact(fm_vec3 x)
{
    double l = Re / 2 - sqrt(Re * Re / 4 + 4 * PI * PI), e = exp(l * x.x);
    return (fm_vec3){1 - e * cos(2 * PI * x.y), l / (2 * PI) * e * sin(2 * PI * x.y), 0};
}

static double find_exact_pressure(double x)
{
    double l = Re / 2 - sqrt(Re * Re / 4 + 4 * PI * PI);
    return (1 - exp(2 * l * x)) / 2;
}

static fm_vec3 give_velocity(void *context, fm_vec3 position, double time)
{
    (void)context, (void)time;
    return find_exact(position);
}

// Root mean squares of the errors of velocity and pressure, the latter up to a constant.
static double measure(int cells, double *pressure)
{
    fm_world *world = create_grid_world();
    double h = 1.0 / cells, square = 0, shift = 0;
    fm_grid_def def = fixture_plane_grid_def(cells, cells, h, 1 / Re);
    def.low = (fm_vec3){-0.5, -0.5, 0};
    for (int side = 0; side < FM_SIDE_BACK; side++)
        def.sides[side] = (fm_grid_side){.kind = FM_GRID_INFLOW, .function = give_velocity};
    fm_grid *grid = create_grid(world, &def);
    advance_grid(world, grid, 6);
    double *u = read_grid(grid, "velocity", 3), *p = read_grid(grid, "pressure", 1);
    int count = cells * cells;
    for (int i = 0; i < count; i++) {
        fm_vec3 x = {-0.5 + (i % cells + 0.5) * h, -0.5 + (i / cells + 0.5) * h, 0};
        fm_vec3 v = find_exact(x);
        square += pow(u[3 * i] - v.x, 2) + pow(u[3 * i + 1] - v.y, 2);
        p[i] -= find_exact_pressure(x.x);
        shift += p[i] / count;
    }
    *pressure = 0;
    for (int i = 0; i < count; i++)
        *pressure += pow(p[i] - shift, 2) / count;
    *pressure = sqrt(*pressure);
    free(u);
    free(p);
    fm_world_destroy(world);
    return sqrt(square / count);
}

static void velocity_and_pressure_converge_with_order_2(void **state)
{
    (void)state;
    double error[LEVELS], pressure[LEVELS];
    for (int level = 0; level < LEVELS; level++) {
        int cells = 16 << level;
        error[level] = measure(cells, &pressure[level]);
        exact_report("velocity", 1.0 / cells, error[level]);
        exact_report("pressure", 1.0 / cells, pressure[level]);
    }
    double finest = exact_order(pressure + LEVELS - 2, 2); // the coarsest grid is not asymptotic
    printf("  orders %.2f and %.2f\n", exact_order(error, LEVELS), finest);
    assert_true(exact_order(error, LEVELS) > 1.9);
    assert_true(finest > 1.8);
    assert_at_most(error[LEVELS - 1], 0.002);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "grid_kovasznay");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocity_and_pressure_converge_with_order_2)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
