// SPDX-License-Identifier: MIT
// flow_sheet_wave.c: standing waves on a stretched sheet against reference/flow_sheet_wave.csv.
//
// The walls are 3/4 of the wave's length above and below. The row without mass is computed with a
// sheet of 1e-3 kg/m^2, 0.3 % of the mass of the fluid that moves with it. flow_sheet_wave_fine.c
// has a row of water, whose boundary layer needs 256 cells per wave.
//
// A light sheet meets the force of the last coupling interval (grid/sheets.c). The relative error
// of the frequency is about 0.15 S dt^2 / (sigma + rho h / 4), S = T k^2, so that light sheets need
// the time steps below.
#include "sheet_waves.h"

static void waves(void **state)
{
    (void)state;
    static const wave tested[] = {
        {1, 1, 0.001, 1, 1, 5.43272822, 0.0439642297, 32, 0, 1.5, 1e-3},
        {1, 1, 0.01, 1, 1, 5.34940412, 0.170473832, 32, 0, 1.5, 1e-3},
        {0.1, 1, 0.001, 1, 1, 9.54814654, 0.17595428, 128, 0.002, 1.5, 1e-3},
        {1e-3, 1, 0.01, 1, 1, 10.3929746, 0.839310676, 32, 0.001, 1.5, 1e-3},
    };
    for (size_t i = 0; i < sizeof tested / sizeof *tested; i++)
        check_wave(&tested[i]);
}

// The waves of silk in water neither grow nor lose their frequency with few cells and any step.
static void coarse_water_is_stable(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        wave w = {0.3, 1000, 1e-6, 10, 10, 34.9221122, 0.131279082, 32, i ? 0.00015 : 0.0006,
                  1,   1e-3};
        double omega, decay;
        measure_wave(&w, &omega, &decay);
        print_message("water, %d cells, %g s: frequency %+.2f %%, decay %+.1f %%\n", w.cells,
                      w.step, 100 * (omega / w.omega - 1), 100 * (decay / w.decay - 1));
        assert_close(omega / w.omega, 1, 0.01);
        assert_true(decay > 0 && decay < 1.5 * w.decay);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(waves),
                                       cmocka_unit_test(coarse_water_is_stable)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
