// SPDX-License-Identifier: MIT
// coupling_waves.c: standing waves on a stretched sheet in still water, with two-way coupling of
// particles. The sheet is as long as one wave, held at two nodes, and spans a tank with slip walls.
//
// Without walls at the nodes, w^2 (sigma + 2 rho / k) = T k^2. At these walls the water cannot move
// along the sheet, and more of it moves with the sheet. Potential flow in a tank of length L and
// depth H on both sides has, for shapes sum_n a_n sin(2 pi n x / L),
//
//     T k_n^2 a_n = w^2 sum_j [sigma d_nj + 2 rho sum_m b_nm b_jm / (k_m tanh k_m H)] a_j
//     k_n = 2 pi n / L,   k_m = pi m / L,   b_nm = 8 n / (pi (4 n^2 - m^2)),   m odd
//
// The lowest w of 12 shapes and m < 201 are in `rows`. The water that moves along is 224 kg/m^2, so
// that sheets of 0.05 to 5 kg/m^2 swing nearly alike.
#include "couplings.h"
#include "flows.h"

static const double length = 0.4, tall = 0.4, tension = 20, rho = 1000; // m, m, N/m, kg/m^3

// Mass of a sheet, kg/m^2, and the exact angular frequency, rad/s.
static const double rows[][2] = {{0.05, 4.65659}, {0.5, 4.65207}, {1, 4.64706}, {5, 4.60758}};
enum { LIGHTEST, LIGHT, MIDDLE, HEAVY };

// Creates the tank and the sheet with a wave of amplitude a0, m, at rest.
static fm_world *create_wave(double sigma, int across, double a0, fm_cloth **cloth)
{
    fm_error err = {0};
    const double strain = 0.02, s = length / across, width = 5 * s;
    const int columns = across + 1;
    fm_world *world = create_world(rho, 1e-3, (fm_vec3){0});
    fm_particles_def def = fixture_tank_def(3, s, (fm_vec3){length, tall, width});
    def.domain.slip = true;
    def.speed = 0.3;
    fm_particles *water = create_pool(world, &def, &(fm_fluid_box){.high = {length, tall, width}});
    fm_cloth_def sheet = plain_sheet(sigma * (1 + strain), tension / strain);
    *cloth = create_strip(world, &sheet, FM_CLOTH_SHEET, columns, (fm_vec3){0, tall / 2, 0},
                          (fm_vec3){length, tall / 2, 0}, width, strain);
    int count, edges[2 * STRIP_ROWS];
    const fm_vec3 *flat = fm_cloth_positions(*cloth, &count);
    fm_vec3 *x = malloc((size_t)count * sizeof *x);
    for (int i = 0; i < count; i++) {
        x[i] = flat[i];
        x[i].y += a0 * sin(2 * FM_PI * x[i].x / length);
    }
    assert_true(fm_cloth_set_positions(*cloth, x, &err));
    free(x);
    for (int j = 0; j < STRIP_ROWS; j++)
        edges[2 * j] = j * columns, edges[2 * j + 1] = (j + 1) * columns - 1;
    assert_true(fm_cloth_pin_list(*cloth, edges, 2 * STRIP_ROWS, NULL, &err));
    couple(world, *cloth, water, FM_COUPLING_TWO_WAY);
    return world;
}

// Relative error of the frequency, from the times at which the wave is flat.
static double find_error(int row, int across)
{
    const double sigma = rows[row][0], exact = rows[row][1];
    const double k = 2 * FM_PI / length, a0 = 0.01 * length;
    const double step = 2 * FM_PI / exact / 60;
    fm_cloth *cloth;
    fm_world *world = create_wave(sigma, across, a0, &cloth);
    fixture_oscillation swing = fixture_begin_oscillation(step, a0);
    for (int t = 1; t <= 100; t++) {
        advance(world, step);
        int count;
        const fm_vec3 *at = fm_cloth_positions(cloth, &count);
        double a = 0;
        for (int i = 0; i < count; i++)
            a += 2 * (at[i].y - tall / 2) * sin(k * at[i].x) / (count - STRIP_ROWS);
        fixture_add_value(&swing, a);
    }
    double error = 2 * FM_PI / fixture_find_period(&swing) / exact - 1;
    printf("  %g kg/m^2, %d spacings in a wave: frequency %+.1f %%, decay %.2f 1/s\n", sigma,
           across, 100 * error, fixture_find_decay(&swing));
    fm_world_destroy(world);
    return error;
}

static void a_sheet_moves_the_water_around_it(void **state)
{
    (void)state;
    assert_close(find_error(HEAVY, 16), 0, 0.03);
    assert_close(find_error(LIGHT, 16), 0, 0.03);
}

int main(int argc, char **argv)
{
    if (argc == 3) { // an entry of the table in docs/coupling.md: row, spacings in a wave
        find_error((int)strtol(argv[1], NULL, 10) & HEAVY, (int)strtol(argv[2], NULL, 10));
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_sheet_moves_the_water_around_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
