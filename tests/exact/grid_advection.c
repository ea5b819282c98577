// SPDX-License-Identifier: MIT
// One turn of a bump and of a slotted disc [ZAL79] in a rigid rotation about (1/2, 1/2), with
// the default Courant number: the largest sum of components is 0.8 h / time step. The field is
// cut to zero beyond the radius 0.49. grid_advection.csv lists what linear, MacCormack and cubic
// schemes lose. The component w of a flow one cell thick is carried along like a dye. The
// fifth-order scheme must lose no more than the cubic row of the table in the norms L2 and L1.
#include "grid/grid.h"
#include "grids.h"

typedef struct losses {
    double L2, L1, max;
} losses;

static double find_bump(double x, double y)
{
    double r2 = (x - 0.5) * (x - 0.5) + (y - 0.75) * (y - 0.75);
    return exp(-r2 / (2 * 0.05 * 0.05));
}

static double find_disc(double x, double y)
{
    double r2 = (x - 0.5) * (x - 0.5) + (y - 0.75) * (y - 0.75);
    return r2 < 0.15 * 0.15 && !(fabs(x - 0.5) < 0.025 && y < 0.85);
}

// Runge-Kutta of third order for w alone, with u and v kept: as in step.c.
static void turn(fm_grid *g, int steps, double dt)
{
    size_t bytes = g->count * sizeof(double);
    double *start = malloc(bytes), *rate = g->rate[2];
    static const double keep[3] = {0, 0.75, 1.0 / 3};
    for (int step = 0; step < steps; step++) {
        memcpy(start, g->u[2], bytes);
        for (int stage = 0; stage < 3; stage++) {
            memset(rate, 0, bytes);
            for (int j = 0; j < g->n[1]; j++)
                fm_grid_advect_row(g, g->u, rate, 2, fm_grid_index(g, 0, j, 0), g->n[0]);
            for (int j = 0; j < g->n[1]; j++)
                for (int i = 0; i < g->n[0]; i++) {
                    ptrdiff_t q = fm_grid_index(g, i, j, 0);
                    g->u[2][q] =
                        keep[stage] * start[q] + (1 - keep[stage]) * (g->u[2][q] + dt * rate[q]);
                }
        }
    }
    free(start);
}

// courant: largest speed x time step / h
static losses measure(int n, double field(double x, double y), fm_grid_advection scheme,
                      double courant)
{
    fm_error err = {0};
    fm_grid_def def = fixture_plane_grid_def(n, n, 1.0 / n, 0);
    def.advection = scheme;
    fm_grid *g = fm_grid_create_detached(&def, &err);
    assert_non_null(g);
    for (int j = -2; j < n + 3; j++)
        for (int i = -2; i < n + 3; i++)
            for (int k = -1; k < 2; k++) { // angular velocity 1
                ptrdiff_t q = fm_grid_index(g, i, j, k);
                g->u[0][q] = 0.5 - (j + 0.5) / n;
                g->u[1][q] = (i + 0.5) / n - 0.5;
                g->u[2][q] = field((i + 0.5) / n, (j + 0.5) / n);
            }
    int steps = (int)ceil(2 * PI * n * 0.5 / courant); // speed 1/2 at radius 1/2
    turn(g, steps, 2 * PI / steps);
    double square = 0, all_square = 0, sum = 0, all = 0;
    losses l = {0};
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double f = g->u[2][fm_grid_index(g, i, j, 0)], f0 = field((i + 0.5) / n, (j + 0.5) / n);
            square += (f - f0) * (f - f0), all_square += f0 * f0;
            sum += fabs(f - f0), all += fabs(f0);
            l.max = fmax(l.max, f);
        }
    fm_grid_destroy(g);
    l.L2 = sqrt(square / all_square), l.L1 = sum / all;
    return l;
}

static void check_loss(const char *name, double field(double x, double y), int n, double L2,
                       double L1)
{
    losses l = measure(n, field, FM_GRID_FIFTH_ORDER, 0.57);
    printf("  %-8s n = %3d  L2 %.4f (cubic %.4f)  L1 %.4f (cubic %.4f)  max %.3f\n", name, n, l.L2,
           L2, l.L1, L1, l.max);
    assert_at_most(l.L2, L2);
    assert_at_most(l.L1, L1);
}

static void one_turn_loses_no_more_than_cubic_interpolation(void **state)
{
    (void)state;
    check_loss("gauss", find_bump, 50, 0.1741, 0.213);
    check_loss("gauss", find_bump, 100, 0.0416, 0.0439);
    check_loss("gauss", find_bump, 200, 0.009, 0.0094);
    check_loss("zalesak", find_disc, 100, 0.3595, 0.4104);
    check_loss("zalesak", find_disc, 200, 0.269, 0.2556);
}

static void the_first_order_scheme_loses_most_of_the_bump(void **state)
{
    (void)state;
    losses l = measure(100, find_bump, FM_GRID_FIRST_ORDER, 0.57);
    printf("  first order: L2 %.4f, max %.3f\n", l.L2, l.max);
    assert_true(l.L2 > 0.6); // linear interpolation: 0.6182
    assert_true(l.max < 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_turn_loses_no_more_than_cubic_interpolation),
        cmocka_unit_test(the_first_order_scheme_loses_most_of_the_bump)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
