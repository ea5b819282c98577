// SPDX-License-Identifier: MIT
// flow_sheet_wave_fine.c: waves of 10 cm and 1 m on silk in water, of
// reference/flow_sheet_wave.csv.
//
// The decay of the short one comes from a boundary layer of sqrt(2 nu / omega) = 0.24 mm, which 256
// cells per wave resolve with 0.6 cells; that of the long one, 1.3 mm, has 0.5 cells. The waves are
// smaller than the layer, as the linearised theory demands. The walls are half a wave above and
// below: the frequency is 0.2 % and the decay 0.3 % off for that.
#include "sheet_waves.h"

static void wave_in_water(void **state)
{
    (void)state;
    static const wave w = {0.3, 1000, 1e-6, 10, 10, 34.9221122, 0.131279082, 256, 3e-4, 1, 1e-4};
    check_wave(&w);
}

static void long_wave_in_water(void **state)
{
    (void)state;
    static const wave w = {0.3, 1000, 1e-6, 10, 1, 1.11079963, 0.00235140323, 400, 0, 1, 1e-4};
    check_wave(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wave_in_water),
                                       cmocka_unit_test(long_wave_in_water)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
