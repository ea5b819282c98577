// SPDX-License-Identifier: MIT
// liquid_band.c: liquids with particles only in a band below the surface (def.band), against the
// same ones with particles everywhere and against exact results.
#include "liquids.h"

// Sums over particles, and over the points that stand for the liquid without.
typedef struct sums {
    double volume, energy; // m^3; J per density
    double velocity[3];    // m/s, mean
    double particles;      // share of the points that are particles
} sums;

static sums measure(fm_liquid *liquid)
{
    int count = fm_liquid_particle_count(liquid), particles = 0;
    double *v = read_liquid(liquid, "velocity", 3), *volume = read_liquid(liquid, "volume", 1);
    double *id = read_liquid(liquid, "id", 1);
    sums s = {0};
    for (int i = 0; i < count; i++) {
        s.volume += volume[i];
        particles += id[i] >= 0;
        for (int a = 0; a < 3; a++) {
            s.energy += 0.5 * volume[i] * v[3 * i + a] * v[3 * i + a];
            s.velocity[a] += volume[i] * v[3 * i + a];
        }
    }
    for (int a = 0; a < 3; a++)
        s.velocity[a] /= s.volume;
    s.particles = (double)particles / count;
    free(v);
    free(volume);
    free(id);
    return s;
}

// First mode of the surface of a tank 1 m long.
static double find_mode(fm_liquid *liquid, int columns)
{
    double sum = 0;
    for (int i = 0; i < columns; i++) {
        double x = (i + 0.5) / columns;
        sum += 2 * cos(PI * x) * fm_liquid_depth(liquid, x, 0) / columns;
    }
    return sum;
}

// A standing wave as in liquid_slosh.c, for 10 s. Returns its period, s.
static double find_period(int columns, int band)
{
    fm_world *world = create_liquid_world();
    fm_liquid_def def = liquid_tank_def(columns, (int)(0.65 * columns), 1, 1.0 / columns);
    def.band = band;
    fm_liquid_box box = {.high = {1, 0.5, 1}, .wave = {0.02, 2}};
    fm_liquid *liquid = create_liquid(world, &def, &box);
    fixture_oscillation mode = fixture_begin_oscillation(0.01, find_mode(liquid, columns));
    double volume = fm_liquid_volume(liquid), lost = 0;
    for (int n = 1; n < 1000; n++) {
        advance(world, 0.01);
        fixture_add_value(&mode, find_mode(liquid, columns));
        volume = n == 1 ? fm_liquid_volume(liquid) : volume;
        lost = fmax(lost, fabs(fm_liquid_volume(liquid) / volume - 1));
    }
    double period = fixture_find_period(&mode), decay = fixture_find_decay(&mode);
    sums s = measure(liquid);
    printf(
        "  band of %d, %d cells: period %.5f s, decay %.4f 1/s, volume %.1e, particles in %.0f %% "
        "of the liquid\n",
        band, columns, period, decay, lost, 100 * s.particles);
    assert_at_most(fabs(decay), 0.005);
    assert_at_most(lost, 0.005);
    assert_true(band == 0 ? s.particles == 1 : s.particles < 0.5);
    fm_world_destroy(world);
    return period;
}

static void waves_are_those_with_particles_everywhere(void **state)
{
    (void)state;
    for (int columns = 32; columns <= 64; columns *= 2) {
        double all = find_period(columns, 0);
        assert_close(find_period(columns, 3), all, 0.001 * all);
        assert_close(find_period(columns, 5), all, 0.001 * all);
    }
}

// Energy of a vortex below the surface after 2 s, relative to that at the start.
static double find_energy(int band)
{
    enum { COLUMNS = 64 };
    fm_error err = {0};
    fm_world *world = create_liquid_world();
    fm_liquid_def def = liquid_tank_def(COLUMNS, COLUMNS * 9 / 8, 1, 1.0 / COLUMNS);
    def.band = band;
    fm_liquid *liquid = create_liquid(world, &def, &(fm_liquid_box){.high = {1, 1, 1}});
    fm_grid_start start = {
        .kind = FM_GRID_START_VORTEX, .centre = {0.5, 0.5, 0}, .radius = 0.15, .speed = 1};
    assert_true(fm_liquid_set_start(liquid, &start, &err));
    double before = measure(liquid).energy;
    for (int n = 0; n < 100; n++)
        advance(world, 0.02);
    double energy = measure(liquid).energy / before;
    printf("  band of %d: energy of a vortex %.4f after 2 s\n", band, energy);
    fm_world_destroy(world);
    return energy;
}

// The velocity on the grid dissipates no more than that of the particles, within 0.02.
static void a_vortex_keeps_its_energy(void **state)
{
    (void)state;
    double all = find_energy(0);
    assert_close(find_energy(3), all, 0.02);
}

// A drop without gravity crosses the grid: all cells of its core change. Its velocity and the
// volume of its particles and of the core together stay.
static void a_drop_flies_on(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){0});
    fm_liquid_def def = liquid_tank_def(64, 32, 32, 0.05);
    def.band = 3;
    fm_liquid *liquid = create_liquid(world, &def, NULL);
    fm_vec3 centre = {0.8, 0.8, 0.8}, v = {1, 0.1, 0};
    assert_true(fm_liquid_add_ball(liquid, centre, 0.5, v, &err));
    advance(world, 0.01);
    double volume = measure(liquid).volume;
    for (int n = 0; n < 80; n++)
        advance(world, 0.02);
    sums s = measure(liquid);
    printf("  drop: velocity %.5f %.5f %.5f m/s, volume %+.1e, surface %+.2f %%, particles in %.0f "
           "%%\n",
           s.velocity[0], s.velocity[1], s.velocity[2], s.volume / volume - 1,
           100 * (fm_liquid_volume(liquid) / volume - 1), 100 * s.particles);
    assert_close(s.velocity[0], 1, 0.002);
    assert_close(s.velocity[1], 0.1, 0.002);
    assert_close(s.velocity[2], 0, 0.002);
    assert_close(s.volume, volume, 1e-12 * volume);
    assert_close(fm_liquid_volume(liquid), volume, 0.005 * volume);
    assert_true(s.particles < 0.8);
    fm_world_destroy(world);
}

// A drop falls into a deep tank. The volume of particles and core stays, every particle has a
// number of its own, and no cell well below the surface is empty.
static void a_splash_keeps_its_volume_and_has_no_gaps(void **state)
{
    (void)state;
    enum { N = 24 };
    fm_error err = {0};
    fm_world *world = create_liquid_world();
    fm_liquid_def def = liquid_tank_def(N, N, N, 1.0 / N);
    def.band = 3;
    fm_liquid *liquid = create_liquid(world, &def, &(fm_liquid_box){.high = {1, 0.6, 1}});
    assert_true(
        fm_liquid_add_ball(liquid, (fm_vec3){0.4, 0.8, 0.4}, 0.12, (fm_vec3){0, -2, 0}, &err));
    advance(world, 0.01);
    double volume = measure(liquid).volume;
    for (int n = 0; n < 75; n++)
        advance(world, 0.02);
    sums s = measure(liquid);
    int count = fm_liquid_particle_count(liquid), empty = 0, points[N * N * N] = {0};
    double *x = read_liquid(liquid, "position", 3), *id = read_liquid(liquid, "id", 1);
    unsigned char *seen = calloc((size_t)count * 2, 1);
    for (int i = 0; i < count; i++) {
        int at[3];
        for (int a = 0; a < 3; a++)
            at[a] = (int)fmin(N - 1, N * x[3 * i + a]);
        points[at[0] + N * (at[1] + N * at[2])]++;
        assert_true(id[i] < 2 * count && (id[i] < 0 || !seen[(int)id[i]]));
        if (id[i] >= 0)
            seen[(int)id[i]] = 1;
    }
    for (int k = 0; k < N; k++)
        for (int j = 0; j < N / 2 - 1; j++)
            for (int i = 0; i < N; i++)
                empty += points[i + N * (j + N * k)] == 0;
    fm_liquid_stats stats = fm_liquid_read_stats(liquid);
    printf("  splash: volume %+.1e, surface %+.2f %%, particles in %.0f %%, %d empty cells of %d\n",
           s.volume / volume - 1, 100 * (fm_liquid_volume(liquid) / volume - 1), 100 * s.particles,
           empty, N * N * (N / 2 - 1));
    assert_close(s.volume, volume, 1e-12 * volume);
    assert_close(fm_liquid_volume(liquid), volume, 0.005 * volume);
    assert_int_equal(stats.refused_count, 0);
    assert_true(s.particles < 0.6);
    assert_at_most(empty, 5);
    free(x);
    free(id);
    free(seen);
    fm_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waves_are_those_with_particles_everywhere),
        cmocka_unit_test(a_vortex_keeps_its_energy),
        cmocka_unit_test(a_drop_flies_on),
        cmocka_unit_test(a_splash_keeps_its_volume_and_has_no_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
