// SPDX-License-Identifier: MIT
// particles_dambreak.c: dam break. The front of a collapsing column twice as high as wide, Z = x/a
// against T = t sqrt(2 g/a), a = 2.25 in, compared with the experiment of Martin and Moyce 1952 in
// two transcriptions. In the simulation the column moves freely at once; in the experiment a gate
// has to open. Therefore one delay for all points, found by least squares and at most 0.3 (16 ms),
// is subtracted. The front is then within 5 % of the range of the transcriptions at every time that
// both cover (up to T = 2.96), and within 5 % of the longer one up to T = 5.1. The test also prints
// how far ahead the front is without the delay. The speed of the front between 2a and 4a, which no
// delay changes, is within 5 % of the experiment, weakly compressible and with constant density.
#include "fluids.h"

// largest number of points of a transcription; times at which the simulated front is recorded
enum { MAX_POINTS = 32, SAMPLES = 60 };
// a: width of the column, m; g: m/s^2; END: last time T
static const double a = 0.05715, g = 9.81, END = 5.4;

// A transcription of the measured front.
typedef struct curve {
    double points[MAX_POINTS][2]; // time T, position Z of the front
    int count;
} curve;

// Position Z at the time T, by linear interpolation in a table of (T, Z).
static double interpolate(double (*points)[2], int count, double T)
{
    int i = 1;
    while (i < count - 1 && points[i][0] < T)
        i++;
    double share = (T - points[i - 1][0]) / (points[i][0] - points[i - 1][0]);
    return points[i - 1][1] + share * (points[i][1] - points[i - 1][1]);
}

// Position x/a of the front: half a spacing beyond the farthest particle that is not spray, that is
// whose kernel is filled with fluid by more than 0.4.
static double find_front(fm_particles *fluid, double spacing)
{
    int n;
    const fm_vec3 *x = fm_particles_positions(fluid, &n);
    double *fill = read_fluid(fluid, "fill", 1), front = 0;
    for (int i = 0; i < n; i++)
        front = fill[i] > 0.4 ? fmax(front, x[i].x) : front;
    free(fill);
    return (front + spacing / 2) / a;
}

// Simulates the collapse and records (T, Z) of the front.
static void simulate_front(fm_sph_method method, double front[SAMPLES][2])
{
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -g, 0});
    fm_particles_def def = fixture_tank_def(2, a / 30, (fm_vec3){10 * a, 3 * a, 0});
    def.method = method;
    fm_fluid_box column = {.high = {a, 2 * a, 0}, .settled = true};
    fm_particles *fluid = create_pool(world, &def, &column);
    for (int k = 0; k < SAMPLES; k++) {
        if (k > 0)
            advance(world, END / (SAMPLES - 1) * sqrt(a / (2 * g)));
        front[k][0] = END * k / (SAMPLES - 1);
        front[k][1] = find_front(fluid, def.spacing);
    }
    fm_world_destroy(world);
}

// Sum of squares of the relative deviations of the front from both transcriptions, with a delay.
static double sum_of_squares(double front[SAMPLES][2], curve *data, double delay)
{
    double sum = 0;
    for (int c = 0; c < 2; c++) {
        for (int i = 0; i < data[c].count; i++) {
            double T = data[c].points[i][0];
            if (T > 0.5 && T < 5.1)
                sum += pow(interpolate(front, SAMPLES, T - delay) / data[c].points[i][1] - 1, 2);
        }
    }
    return sum;
}

static void the_front_is_within_5_percent_of_the_experiment(void **state)
{
    (void)state;
    curve data[2] = {0};
    data[0].count = read_table(REFERENCE_DIR "/dambreak_martin_moyce_n2_2_a2.25in_pysph.csv",
                               &data[0].points[0][0], 2, MAX_POINTS);
    data[1].count = read_table(REFERENCE_DIR "/dambreak_martin_moyce_n2_2_lethe.csv",
                               &data[1].points[0][0], 2, MAX_POINTS);
    double front[SAMPLES][2] = {0}, delay = 0;
    simulate_front(FM_SPH_WEAKLY_COMPRESSIBLE, front);
    for (int k = 0; k <= 80; k++) // delays up to 0.4
        if (sum_of_squares(front, data, 0.005 * k) < sum_of_squares(front, data, delay))
            delay = 0.005 * k;
    printf("  delay %.3f = %.1f ms\n", delay, 1e3 * delay * sqrt(a / (2 * g)));
    assert_at_most(delay, 0.3);
    double ahead = 0; // lead over the transcriptions without the delay, relative
    for (int k = 0; k < 17; k++) {
        double T = 0.85 + 0.25 * k;
        double Z = interpolate(front, SAMPLES, T - delay);
        double one = interpolate(data[0].points, data[0].count, T), other = one;
        if (T < data[1].points[data[1].count - 1][0])
            other = interpolate(data[1].points, data[1].count, T);
        double low = fmin(one, other), high = fmax(one, other);
        printf("  T %.2f  Z %.3f  measured %.3f to %.3f\n", T, Z, low, high);
        assert_in_interval(Z, 0.95 * low, 1.05 * high);
        ahead = fmax(ahead, interpolate(front, SAMPLES, T) / high - 1);
    }
    printf("  without the delay: up to %.1f %% ahead\n", 100 * ahead);
}

static void the_speed_of_the_front_is_within_5_percent_of_the_experiment(void **state)
{
    (void)state;
    curve data = {0};
    data.count = read_table(REFERENCE_DIR "/dambreak_martin_moyce_n2_2_a2.25in_pysph.csv",
                            &data.points[0][0], 2, MAX_POINTS);
    double measured = 2 / (fixture_find_time(data.points[0], data.count, 4) -
                           fixture_find_time(data.points[0], data.count, 2));
    for (int method = FM_SPH_WEAKLY_COMPRESSIBLE; method <= FM_SPH_CONSTANT_DENSITY; method++) {
        double front[SAMPLES][2] = {0};
        simulate_front((fm_sph_method)method, front);
        double speed =
            2 / (fixture_find_time(front[0], SAMPLES, 4) - fixture_find_time(front[0], SAMPLES, 2));
        printf("  method %d: dZ/dT %.3f from 2a to 4a, measured %.3f\n", method, speed, measured);
        assert_close(speed, measured, 0.05 * measured);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_front_is_within_5_percent_of_the_experiment),
        cmocka_unit_test(the_speed_of_the_front_is_within_5_percent_of_the_experiment)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
