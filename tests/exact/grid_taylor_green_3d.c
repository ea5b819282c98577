// SPDX-License-Identifier: MIT
// The Taylor-Green vortex in 3D, Re 100, in a periodic box of side 2 pi:
//
//     u = (sin x cos y cos z, -cos x sin y cos z, 0) at the start
//
// on 64^3 cells, against the spectral solution of grid_taylor_green_3d_Re100.csv: the mean kinetic
// energy at t = 5 within 1 %, and the largest dissipation, -dE/dt, within 3 %. On 32^3 cells the
// difference of the energy is at least three times as large.
#include "exact.h"
#include "grids.h"

enum { ROWS = 13, COLUMNS = 3 }; // rows of the table until t = 6

typedef struct vortex {
    double energy[ROWS]; // mean of u^2 / 2 every 0.5 s
    double dissipation;  // largest mean of -dE/dt over 0.25 s
} vortex;

static vortex measure(int cells)
{
    fm_error err = {0};
    vortex v = {{0}, 0};
    fm_world *world = create_grid_world();
    fm_grid_def def = fm_default_grid_def();
    def.cells[0] = def.cells[1] = def.cells[2] = cells;
    def.spacing = 2 * PI / cells;
    def.density = 1;
    def.viscosity = 0.01;
    for (int a = 0; a < 3; a++)
        set_grid_periodic(&def, a);
    fm_grid *grid = create_grid(world, &def);
    fm_grid_start start = {.kind = FM_GRID_START_TAYLOR_GREEN, .radius = PI, .speed = 1};
    assert_true(fm_grid_set_start(grid, &start, &err));
    double volume = pow(2 * PI, 3), before = fm_world_report(world).kinetic_energy / volume;
    v.energy[0] = before;
    for (int i = 1; i < 2 * ROWS - 1; i++) {
        double energy = advance_grid(world, grid, 0.25).kinetic_energy / volume;
        v.dissipation = fmax(v.dissipation, (before - energy) / 0.25);
        before = energy;
        if (i % 2 == 0)
            v.energy[i / 2] = energy;
    }
    fm_world_destroy(world);
    return v;
}

static void the_vortex_decays_as_the_spectral_solution(void **state)
{
    (void)state;
    double table[COLUMNS * 64] = {0}, most = 0;
    int rows = read_table(REFERENCE_DIR "/grid_taylor_green_3d_Re100.csv", table, COLUMNS, 64);
    assert_true(rows >= ROWS);
    for (int i = 0; i < rows; i++)
        most = fmax(most, table[COLUMNS * i + 2]);
    vortex coarse = measure(32), fine = measure(64);
    double exact = table[COLUMNS * 10 + 1]; // t = 5
    double errors[2] = {fabs(coarse.energy[10] / exact - 1), fabs(fine.energy[10] / exact - 1)};
    exact_report("energy at t = 5", 2 * PI / 32, errors[0]);
    exact_report("energy at t = 5", 2 * PI / 64, errors[1]);
    printf("  largest dissipation %.6f and %.6f, spectral %.6f\n", coarse.dissipation,
           fine.dissipation, most);
    for (int i = 1; i < ROWS; i++)
        assert_close(fine.energy[i] / table[COLUMNS * i + 1], 1, 0.01);
    assert_close(fine.dissipation / most, 1, 0.03);
    assert_true(errors[0] > 3 * errors[1]);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "grid_taylor_green_3d");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vortex_decays_as_the_spectral_solution)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
