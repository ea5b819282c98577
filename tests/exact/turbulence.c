// SPDX-License-Identifier: MIT
// turbulence.c: the turbulence of the medium is free of divergence, has the given rms in each
// component and von Karman's energy spectrum E(k) with its peak at k = 2 pi / length, and its
// eddies are carried by the current.
//
// In isotropic turbulence the correlation of the velocities at two points at the distance r is
//
//     R(r) = integral E(k) sin(k r)/(k r) dk / integral E(k) dk
//
// and the power spectrum along a straight line is phi(k) = integral_k^infinity E(q)/q dq, so that
// E(k) = -dphi/dlog k. The tests compare means over many points and seeds with these formulas; the
// tolerances allow for the scatter of the means.
#include "bodies.h"
#include "exact.h"

#include <fathom/world.h>

static const double U = 0.3;       // m/s, rms of each component of the turbulent velocity
static const double LENGTH = 0.25; // m, wavelength of the strongest eddies
static const double PI = 3.14159265358979323846;

// Creates a world whose medium has this mean flow and turbulence.
static fm_world *create_turbulent_world(int seed, fm_flow flow)
{
    flow.turbulence = (fm_turbulence){.intensity = U, .length = LENGTH, .seed = seed};
    return create_flowing_world(flow);
}

// Pseudorandom point number i in a cube of 1000 lengths.
static fm_vec3 random_point(unsigned i)
{
    double size = 500 * LENGTH;
    return (fm_vec3){size * scatter(3 * i), size * scatter(3 * i + 1), size * scatter(3 * i + 2)};
}

// Pseudorandom unit vector number i, uniform over the sphere.
static fm_vec3 random_unit_vector(unsigned i)
{
    double z = scatter(2 * i + 77), a = PI * scatter(2 * i + 78), s = sqrt(1 - z * z);
    return (fm_vec3){s * cos(a), s * sin(a), z};
}

static double dot(fm_vec3 a, fm_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Von Karman's spectrum E(k), up to a factor; k in units of the wave number of its peak.
static double spectrum(double k)
{
    double r2 = k * k * 12 / 5;
    return r2 * r2 / pow(1 + r2, 17.0 / 6);
}

static void turbulence_has_no_divergence(void **state)
{
    (void)state;
    fm_world *world = create_turbulent_world(3, (fm_flow){0});
    const double h = 1e-6;          // m; central differences have the relative error (k h)^2 / 6
    double worst = 0, steepest = 0; // 1/s, largest divergence and largest derivative
    for (unsigned i = 0; i < 200; i++) {
        fm_vec3 x = {0.01 * i, -0.02 * i, 0.3}, e[3] = {{h, 0, 0}, {0, h, 0}, {0, 0, h}};
        double divergence = 0;
        for (int axis = 0; axis < 3; axis++) {
            fm_vec3 a = {x.x + e[axis].x, x.y + e[axis].y, x.z + e[axis].z};
            fm_vec3 b = {x.x - e[axis].x, x.y - e[axis].y, x.z - e[axis].z};
            fm_vec3 p = fm_world_medium_velocity(world, a, 1.7);
            fm_vec3 q = fm_world_medium_velocity(world, b, 1.7);
            double slope = ((&p.x)[axis] - (&q.x)[axis]) / (2 * h);
            divergence += slope;
            steepest = fmax(steepest, fabs(slope));
        }
        worst = fmax(worst, fabs(divergence));
    }
    printf("  divergence %.1e of slopes up to %.1f / s\n", worst / steepest, steepest);
    assert_at_most(worst, 1e-8 * steepest);
    fm_world_destroy(world);
}

static void turbulence_has_the_given_rms_in_each_component(void **state)
{
    (void)state;
    for (int seed = 0; seed < 4; seed++) {
        fm_world *world = create_turbulent_world(seed, (fm_flow){0});
        enum { POINTS = 40000 };
        double mean[3] = {0}, square[3] = {0};
        for (unsigned i = 0; i < POINTS; i++) {
            fm_vec3 w = fm_world_medium_velocity(world, random_point(i), 0.1 * (i % 7));
            for (int axis = 0; axis < 3; axis++) {
                mean[axis] += (&w.x)[axis] / POINTS;
                square[axis] += (&w.x)[axis] * (&w.x)[axis] / POINTS;
            }
        }
        printf("  seed %d: rms %.4f %.4f %.4f, asked for %.4f\n", seed, sqrt(square[0]),
               sqrt(square[1]), sqrt(square[2]), U);
        for (int axis = 0; axis < 3; axis++) {
            assert_close(sqrt(square[axis]), U, 0.015 * U);
            assert_at_most(fabs(mean[axis]), 0.02 * U);
        }
        fm_world_destroy(world);
    }
}

// R(r) of the spectrum, by the midpoint rule in log k. The library cuts the spectrum off at 1/4 and
// at 8 times the wave number of its peak. r: m.
static double exact_correlation(double r)
{
    enum { NODES = 4000 };
    double correlated = 0, total = 0;
    for (int i = 0; i < NODES; i++) {
        double k = 0.25 * pow(32, (i + 0.5) / NODES), kr = 2 * PI * k * r / LENGTH;
        double weight = k * spectrum(k);
        correlated += weight * (kr > 0 ? sin(kr) / kr : 1);
        total += weight;
    }
    return correlated / total;
}

static void the_correlation_over_a_distance_is_that_of_the_spectrum(void **state)
{
    (void)state;
    enum { SEEDS = 150, POINTS = 200, DISTANCES = 6 };
    static const double distances[DISTANCES] = {0.03, 0.1, 0.2, 0.3, 0.5, 1}; // lengths
    double sum[DISTANCES] = {0};
    for (int seed = 0; seed < SEEDS; seed++) {
        fm_world *world = create_turbulent_world(seed, (fm_flow){0});
        for (unsigned i = 0; i < POINTS; i++) {
            fm_vec3 x = random_point(i), e = random_unit_vector(i + 1000u * (unsigned)seed);
            fm_vec3 here = fm_world_medium_velocity(world, x, 0);
            for (int d = 0; d < DISTANCES; d++) {
                double r = distances[d] * LENGTH;
                fm_vec3 y = {x.x + r * e.x, x.y + r * e.y, x.z + r * e.z};
                sum[d] += dot(here, fm_world_medium_velocity(world, y, 0));
            }
        }
        fm_world_destroy(world);
    }
    for (int d = 0; d < DISTANCES; d++) {
        double measured = sum[d] / (SEEDS * POINTS) / (3 * U * U);
        double expected = exact_correlation(distances[d] * LENGTH);
        printf("  at %.2f lengths: %.4f, expected %.4f\n", distances[d], measured, expected);
        assert_close(measured, expected, 0.02);
    }
    // the formula itself: most of the correlation is lost between 0.1 and 0.5 lengths
    assert_true(exact_correlation(0.1 * LENGTH) > 0.5 && exact_correlation(0.5 * LENGTH) < 0.1);
}

// Power, up to a factor, of velocities w at equidistant points of a line, near the wave number k in
// units of that of the peak: Fourier sums with a Hann window, averaged over five wave numbers
// within 6 % of k. spacing: m.
static double line_power(const fm_vec3 *w, int points, double spacing, double k)
{
    double power = 0;
    for (int j = -2; j <= 2; j++) {
        double a = 2 * PI * k * (1 + 0.03 * j) / LENGTH * spacing, re[3] = {0}, im[3] = {0};
        for (int i = 0; i < points; i++) {
            double window = 0.5 - 0.5 * cos(2 * PI * (i + 0.5) / points);
            double c = window * cos(a * i), s = window * sin(a * i);
            for (int axis = 0; axis < 3; axis++)
                re[axis] += c * (&w[i].x)[axis], im[axis] += s * (&w[i].x)[axis];
        }
        for (int axis = 0; axis < 3; axis++)
            power += re[axis] * re[axis] + im[axis] * im[axis];
    }
    return power;
}

// Compares the mean of E over log k in the octave from 3.5 to 7 times the wave number of the peak
// with that in the octave from 1.75 to 3.5. Each is the difference of phi at the ends of the
// octave.
static void the_spectrum_falls_nearly_as_kolmogorovs(void **state)
{
    (void)state;
    enum { SEEDS = 1500, POINTS = 768 };
    static fm_vec3 w[POINTS];
    double phi[3] = {0}, spacing = LENGTH / 48;
    for (int seed = 0; seed < SEEDS; seed++) {
        fm_world *world = create_turbulent_world(seed, (fm_flow){0});
        fm_vec3 from = random_point((unsigned)seed), e = random_unit_vector((unsigned)seed);
        for (int i = 0; i < POINTS; i++) {
            double r = i * spacing;
            fm_vec3 x = {from.x + r * e.x, from.y + r * e.y, from.z + r * e.z};
            w[i] = fm_world_medium_velocity(world, x, 0);
        }
        for (int n = 0; n < 3; n++)
            phi[n] += line_power(w, POINTS, spacing, 1.75 * (1 << n));
        fm_world_destroy(world);
    }
    double slope = log2((phi[1] - phi[2]) / (phi[0] - phi[1])); // exponent of k in E
    double exact[2] = {0};
    for (int n = 0; n < 2; n++)
        for (int i = 0; i < 1000; i++)
            exact[n] += spectrum(1.75 * (1 << n) * pow(2, (i + 0.5) / 1000));
    double expected = log2(exact[1] / exact[0]);
    printf("  E falls as k^%.3f from 2.5 to 5 times the peak; von Karman's as k^%.3f, "
           "Kolmogorov's as k^-1.667\n",
           slope, expected);
    assert_close(slope, expected, 0.15);
    assert_close(slope, -5.0 / 3, 0.3);
}

// In a current the turbulent velocity at a point that moves with the current is that of still water
// at the point where it started. swing: m, displacement by the oscillating part of the current.
static void turbulence_is_carried_by_the_current(void **state)
{
    (void)state;
    const fm_vec3 mean = {0.7, -0.2, 0.4};
    fm_flow uniform = {.kind = FM_FLOW_UNIFORM, .velocity = mean};
    fm_flow swinging = {.kind = FM_FLOW_OSCILLATING,
                        .velocity = mean,
                        .amplitude = {0, 0.5, 0},
                        .period = 2,
                        .phase = 0.3};
    fm_world *still = create_turbulent_world(9, (fm_flow){0}),
             *current = create_turbulent_world(9, uniform);
    fm_world *waves = create_turbulent_world(9, swinging);
    for (unsigned i = 0; i < 50; i++) {
        double t = 0.07 * i, swing = 0.5 / PI * (cos(0.3) - cos(PI * t + 0.3));
        fm_vec3 x = {0.1 * i, 0.02 * i, -1}, w = fm_world_medium_velocity(still, x, t);
        fm_vec3 y = {x.x + mean.x * t, x.y + mean.y * t, x.z + mean.z * t};
        fm_vec3 a = fm_world_medium_velocity(current, y, t);
        fm_vec3 z = {y.x, y.y + swing, y.z}, b = fm_world_medium_velocity(waves, z, t);
        assert_close(a.x - mean.x, w.x, 1e-12);
        assert_close(a.y - mean.y, w.y, 1e-12);
        assert_close(a.z - mean.z, w.z, 1e-12);
        assert_close(b.y - mean.y - 0.5 * sin(PI * t + 0.3), w.y, 1e-12);
    }
    fm_world_destroy(still);
    fm_world_destroy(current);
    fm_world_destroy(waves);
}

// Eddies change within the turnover time of the strongest, length / intensity.
static void turbulence_changes_within_a_turnover_time(void **state)
{
    (void)state;
    double early = 0, late = 0;
    for (int seed = 0; seed < 20; seed++) {
        fm_world *world = create_turbulent_world(seed, (fm_flow){0});
        for (unsigned i = 0; i < 500; i++) {
            fm_vec3 w = fm_world_medium_velocity(world, random_point(i), 0);
            double scale = 1 / (20 * 500 * 3 * U * U), turn = LENGTH / U; // turn: s
            early += scale * dot(w, fm_world_medium_velocity(world, random_point(i), 0.02 * turn));
            late += scale * dot(w, fm_world_medium_velocity(world, random_point(i), turn));
        }
        fm_world_destroy(world);
    }
    printf("  correlation %.3f after 0.02 and %.3f after 1 turnover\n", early, late);
    assert_true(early > 0.98 && early < 0.9999);
    assert_true(late < 0.3);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "turbulence");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turbulence_has_no_divergence),
        cmocka_unit_test(turbulence_has_the_given_rms_in_each_component),
        cmocka_unit_test(the_correlation_over_a_distance_is_that_of_the_spectrum),
        cmocka_unit_test(the_spectrum_falls_nearly_as_kolmogorovs),
        cmocka_unit_test(turbulence_is_carried_by_the_current),
        cmocka_unit_test(turbulence_changes_within_a_turnover_time),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
