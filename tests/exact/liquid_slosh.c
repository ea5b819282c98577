// SPDX-License-Identifier: MIT
// liquid_slosh.c: standing waves in a tank 1 m long, 0.5 m and 0.2 m deep. The period of the first
// mode is within 0.5 % of that of small waves, w^2 = g k tanh(k h), k = pi / L
// (reference/grid_slosh.csv). The amplitude changes by numerical errors at the rate that the test
// prints. Its sign and size depend on where in a cell the surface is at rest. The deep tank is
// therefore filled to three levels, a third of a cell apart: the mean magnitude of the rate falls
// with each halving of the spacing by a factor of at least 1.5. With the table's depths it is less
// than 0.005 1/s on any grid, and on 64 cells less than half of the largest on the coarser grids.
// In ten seconds less than 0.5 % of the volume is lost.
#include "liquids.h"

// A damped cosine fitted to the height of the surface at the wall.
typedef struct wave {
    double period, decay; // s; 1/s
    double lost;          // largest change of the volume, relative
} wave;

// First mode of the surface: its height times cos(pi x / L), summed over the columns of cells.
static double find_mode(fm_liquid *liquid, int columns)
{
    double sum = 0;
    for (int i = 0; i < columns; i++) {
        double x = (i + 0.5) / columns;
        sum += 2 * cos(PI * x) * fm_liquid_depth(liquid, x, 0) / columns;
    }
    return sum;
}

// Period and decay from the times at which the mode is zero and from its extrema between these.
static wave simulate(int columns, double depth, double duration)
{
    fm_world *world = create_liquid_world();
    fm_liquid_def def = liquid_tank_def(columns, (int)(columns * (depth + 0.15)), 1, 1.0 / columns);
    fm_liquid_box box = {.high = {1, depth, 1}, .wave = {0.02 * depth / 0.5, 2}};
    fm_liquid *liquid = create_liquid(world, &def, &box);
    double step = 0.01, volume = 0;
    fixture_oscillation mode = fixture_begin_oscillation(step, find_mode(liquid, columns));
    wave result = {0};
    for (int n = 1; n * step < duration; n++) {
        advance(world, step);
        fixture_add_value(&mode, find_mode(liquid, columns));
        volume = n == 1 ? fm_liquid_volume(liquid) : volume;
        result.lost = fmax(result.lost, fabs(fm_liquid_volume(liquid) / volume - 1));
    }
    result.period = fixture_find_period(&mode);
    result.decay = fixture_find_decay(&mode);
    fm_world_destroy(world);
    return result;
}

static void decay_falls_with_the_spacing(void **state)
{
    (void)state;
    enum { LEVELS = 3 };
    double before = INFINITY;
    for (int columns = 16; columns <= 64; columns *= 2) {
        double mean = 0; // 1/s, of the magnitude
        for (int level = 0; level < LEVELS; level++)
            mean += fabs(simulate(columns, 0.5 + (double)level / LEVELS / columns, 10).decay);
        mean /= LEVELS;
        printf("  %d cells: rate of the amplitude %.5f 1/s\n", columns, mean);
        assert_at_most(mean, before / 1.5);
        before = mean;
    }
}

static void periods_are_those_of_small_waves_and_the_decay_falls(void **state)
{
    (void)state;
    double table[16][4];
    int rows = read_table(REFERENCE_DIR "/grid_slosh.csv", &table[0][0], 4, 16);
    for (int row = 0; row < rows; row++) {
        if (table[row][0] != 1 || table[row][2] != 1)
            continue;
        double period = 2 * PI / table[row][3], depth = table[row][1], decay = 0;
        for (int columns = 16; columns <= 64; columns *= 2) {
            wave w = simulate(columns, depth, 10);
            printf("  depth %.1f, %d cells: period %.5f s, %+.2f %%; decay %.4f 1/s; volume %.1e\n",
                   depth, columns, w.period, 100 * (w.period / period - 1), w.decay, w.lost);
            if (columns >= 32)
                assert_close(w.period, period, 0.005 * period);
            assert_at_most(fabs(w.decay), columns == 64 ? 0.5 * decay : 0.005);
            assert_at_most(w.lost, 0.005);
            decay = fmax(decay, fabs(w.decay));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decay_falls_with_the_spacing),
        cmocka_unit_test(periods_are_those_of_small_waves_and_the_decay_falls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
