// SPDX-License-Identifier: MIT
// flow_flag.c: a flag in a plane stream flaps by itself above a critical speed, and not below it.
//
// A flag of length L = 1 m, 0.5 kg/m^2 and 0.005 N m, clamped at its leading edge, in a fluid of
// 1 kg/m^3 between slip walls 2 L apart, Re 1000, 20 cells along it. Its tip begins 5 % of L off
// the axis. It returns to rest at 0.6 m/s, and flaps at 1.2 m/s: the critical reduced speed U L
// sqrt(sigma / B) is between 6 and 9 (0.9 m/s flaps too) for rho L / sigma = 2.
#include "flows.h"

typedef struct flapping {
    double first, last; // m, half the range of the tip in the first and last thirds
    int crossings;      // of the axis, in the last third
} flapping;

static flapping fly(double U)
{
    fm_error err = {0};
    const double L = 1, B = 0.005, nu = U * L / 1000;
    const int n = 20, columns = 21;
    double h = L / n, y0 = L + 0.2 * h;
    fm_world *world = create_grid_world();
    fm_grid_def def = fixture_plane_grid_def(4 * n, 2 * n, h, nu);
    def.sides[FM_SIDE_LEFT] = (fm_grid_side){.kind = FM_GRID_INFLOW, .velocity = {U, 0, 0}};
    def.sides[FM_SIDE_RIGHT].kind = FM_GRID_OPEN;
    def.sides[FM_SIDE_BOTTOM].kind = def.sides[FM_SIDE_TOP].kind = FM_GRID_SLIP;
    fm_grid *grid = create_grid(world, &def);
    fm_grid_start start = {.kind = FM_GRID_START_UNIFORM, .velocity = {U, 0, 0}};
    assert_true(fm_grid_set_start(grid, &start, &err));
    fm_cloth_def flag = plain_sheet(0.5, 40);
    flag.bend.model = FM_BEND_RIGIDITY;
    flag.bend.stiffness = B;
    fm_vec3 a = {L, y0, 0}, b = {2 * L, y0, 0};
    fm_cloth *cloth = create_strip(world, &flag, FM_CLOTH_SHEET, columns, a, b, h, 0);
    int count, edges[2 * STRIP_ROWS];
    fm_vec3 x[21 * STRIP_ROWS];
    const fm_vec3 *flat = fm_cloth_positions(cloth, &count);
    for (int i = 0; i < count; i++) {
        double s = fmax(0, (flat[i].x - L - h) / L);
        x[i] = flat[i];
        x[i].y += 0.05 * L * s * s;
    }
    assert_true(fm_cloth_set_positions(cloth, x, &err));
    for (int j = 0; j < STRIP_ROWS; j++)
        edges[2 * j] = j * columns, edges[2 * j + 1] = j * columns + 1;
    assert_true(fm_cloth_pin_list(cloth, edges, 2 * STRIP_ROWS, NULL, &err));
    couple_sheet(world, cloth, grid, INFINITY, 0);
    flapping f = {0};
    double before = 1, low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    const int samples = 240;
    for (int t = 0; t < samples; t++) {
        advance(world, 15 * L / U / samples);
        double tip = fm_cloth_positions(cloth, &count)[2 * columns - 1].y - y0;
        int third = 3 * t / samples;
        if (third != 1) {
            low[third / 2] = fmin(low[third / 2], tip);
            high[third / 2] = fmax(high[third / 2], tip);
        }
        f.crossings += third == 2 && tip * before < 0;
        before = tip;
    }
    f.first = 0.5 * (high[0] - low[0]), f.last = 0.5 * (high[1] - low[1]);
    fm_world_destroy(world);
    return f;
}

static void critical_speed(void **state)
{
    (void)state;
    flapping slow = fly(0.6), fast = fly(1.2);
    print_message("0.6 m/s: tip moves by %.4f m, later %.4f m, %d crossings\n", slow.first,
                  slow.last, slow.crossings);
    print_message("1.2 m/s: tip moves by %.4f m, later %.4f m, %d crossings\n", fast.first,
                  fast.last, fast.crossings);
    assert_true(slow.last < 0.1 * slow.first);
    assert_true(fast.last > 0.1 && fast.crossings >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(critical_speed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
