// SPDX-License-Identifier: MIT
// liquid_dambreak.c: the front of a collapsing column twice as high as wide. Its speed between the
// positions 2 a and 4 a is within 5 % of the experiment of Martin and Moyce 1952, a = 2.25 in, in
// the transcription that covers this range (a gate has to open in the experiment, so times of the
// two cannot be compared, but speeds can). Time T = t sqrt(2 g / a), position Z = x / a.
#include "liquids.h"

enum { POINTS = 32 };
static const double WIDTH = 0.05715; // m, a

// Farthest x where the water is deeper than a quarter of a cell, in units of a.
static double find_front(fm_liquid *liquid, double spacing)
{
    double x = 8 * WIDTH - spacing / 2;
    while (x > 0 && fm_liquid_depth(liquid, x, 0) < 0.25 * spacing)
        x -= spacing / 4;
    return x / WIDTH;
}

static double measure_speed(int cells)
{
    double spacing = WIDTH / cells, unit = sqrt(WIDTH / (2 * GRAVITY)), table[160][2];
    fm_world *world = create_liquid_world();
    fm_liquid_def def = liquid_tank_def(8 * cells, 3 * cells, 1, spacing);
    fm_liquid *liquid = create_liquid(world, &def, &(fm_liquid_box){.high = {WIDTH, 2 * WIDTH, 1}});
    int count = 0;
    do {
        table[count][0] = 0.03 * count;
        table[count++][1] = find_front(liquid, spacing);
        advance(world, 0.03 * unit);
    } while (count < 160 && table[count - 1][1] < 4.2);
    double two = fixture_find_time(table[0], count, 2),
           four = fixture_find_time(table[0], count, 4);
    printf("  %d cells: Z = 2 at T = %.3f, Z = 4 at T = %.3f, speed %.3f; volume %.2f %%\n", cells,
           two, four, 2 / (four - two),
           100 * (fm_liquid_volume(liquid) / (2 * WIDTH * WIDTH * spacing) - 1));
    fm_world_destroy(world);
    return 2 / (four - two);
}

static void the_front_is_as_fast_as_in_the_experiment(void **state)
{
    (void)state;
    double data[POINTS][2];
    int count = read_table(REFERENCE_DIR "/dambreak_martin_moyce_n2_2_a2.25in_pysph.csv",
                           &data[0][0], 2, POINTS);
    double measured =
        2 / (fixture_find_time(data[0], count, 4) - fixture_find_time(data[0], count, 2));
    printf("  experiment: speed %.3f\n", measured);
    double coarse = measure_speed(16), fine = measure_speed(32);
    assert_close(coarse, measured, 0.1 * measured);
    assert_close(fine, measured, 0.05 * measured);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_front_is_as_fast_as_in_the_experiment)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
