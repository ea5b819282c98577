// SPDX-License-Identifier: MIT
// particles_tension.c: surface tension of particle fluids without gravity. A drop of 1 cm radius of
// a viscous water has the Laplace pressure (d - 1) sigma / a; a square and a cube become round; a
// drop with two lobes swings with Rayleigh's frequency in 2D, w^2 = n (n^2 - 1) sigma / (rho a^3),
// n = 2, the more exactly the finer; momentum stays zero.
#include "fluids.h"

static const double sigma = 0.072, a = 0.01, rho = 1000; // N/m, m, kg/m^3
static const double PI = 3.14159265358979323846;

static fm_vec3 plus(fm_vec3 x, fm_vec3 y, double scale)
{
    return (fm_vec3){x.x + scale * y.x, x.y + scale * y.y, x.z + scale * y.z};
}

static double length(fm_vec3 x)
{
    return sqrt(x.x * x.x + x.y * x.y + x.z * x.z);
}

// Shape of a drop at the start.
typedef enum drop_shape { ROUND, SQUARE, LOBES } drop_shape;

// What is measured of a drop.
typedef struct drop_state {
    double pressure;  // Pa, mean within half of the radius
    double radius;    // m, of the ball or disc with the volume of the particles
    double extent;    // distance of the outermost particle / radius
    double elongated; // (<x^2> - <y^2>) / (<x^2> + <y^2>)
    double drift;     // m/s, speed of the centre of mass
} drop_state;

// True when the point x is in the drop.
static bool is_in_drop(fm_vec3 x, drop_shape shape, int dimensions)
{
    const double half = a / 2 * (dimensions == 2 ? sqrt(PI) : cbrt(4 * PI / 3)), A = 0.1;
    if (shape == SQUARE)
        return fabs(x.x) < half && fabs(x.y) < half && fabs(x.z) < half;
    double r = length(x), lobes = 1 + A * cos(2 * atan2(x.y, x.x));
    return r < a * (shape == LOBES ? lobes * sqrt(1 - A * A / 2) : 1);
}

// Creates a drop of `across` spacings per radius, one box for each particle of a lattice.
static fm_particles *create_drop(fm_world *world, fm_particles_def def, int across,
                                 drop_shape shape, double jitter)
{
    def.spacing = a / across;
    def.surface_tension = sigma;
    def.domain.low = (fm_vec3){-3 * a, -3 * a, -3 * a};
    def.domain.high = (fm_vec3){3 * a, 3 * a, 3 * a};
    fm_particles *drop = create_fluid(world, &def);
    const int n = 2 * across, depth = def.dimensions == 3 ? n : 0;
    const double s = def.spacing;
    for (int i = -n; i < n; i++)
        for (int j = -n; j < n; j++)
            for (int k = -depth; k < (depth ? depth : 1); k++) {
                fm_vec3 x = {(i + 0.5) * s, (j + 0.5) * s, depth ? (k + 0.5) * s : 0};
                if (!is_in_drop(x, shape, def.dimensions))
                    continue;
                fm_vec3 half = {s / 2, s / 2, s / 2};
                add_box(drop,
                        &(fm_fluid_box){.low = plus(x, half, -1),
                                        .high = plus(x, half, 1),
                                        .jitter = jitter,
                                        .seed = (uint64_t)(1000000 + 10000 * i + 100 * j + k)});
            }
    return drop;
}

static fm_particles_def drop_def(int dimensions, fm_sph_method method, double viscosity)
{
    fm_particles_def def = fm_default_particles_def();
    def.dimensions = dimensions;
    def.method = method;
    def.viscosity = viscosity;
    return def;
}

static drop_state measure_drop(fm_particles *drop)
{
    int n;
    const fm_vec3 *x = fm_particles_positions(drop, &n), *v = fm_particles_velocities(drop, &n);
    double *pressure = read_fluid(drop, "pressure", 1);
    const fm_particles_def def = fm_particles_definition(drop);
    drop_state found = {.radius = def.dimensions == 2
                                      ? sqrt(n * pow(def.spacing, 2) / PI)
                                      : cbrt(3 * n * pow(def.spacing, 3) / (4 * PI))};
    fm_vec3 centre = {0}, momentum = {0};
    for (int i = 0; i < n; i++) {
        centre = plus(centre, x[i], 1.0 / n);
        momentum = plus(momentum, v[i], 1.0 / n);
    }
    double xx = 0, yy = 0;
    int inside = 0;
    for (int i = 0; i < n; i++) {
        fm_vec3 r = plus(x[i], centre, -1);
        xx += r.x * r.x;
        yy += r.y * r.y;
        found.extent = fmax(found.extent, length(r) / found.radius);
        if (length(r) < found.radius / 2) {
            found.pressure += pressure[i];
            inside++;
        }
    }
    free(pressure);
    found.pressure /= inside;
    found.elongated = (xx - yy) / (xx + yy);
    found.drift = length(momentum);
    return found;
}

// Lets a drop come to rest and returns its state, with the mean pressure of the second half.
static drop_state settle(fm_particles_def def, int across, drop_shape shape, double duration)
{
    fm_world *world = create_world(rho, 1e-3, (fm_vec3){0});
    fm_particles *drop = create_drop(world, def, across, shape, shape == ROUND ? 0.1 : 0);
    drop_state state = {0};
    double pressure = 0;
    const int frames = 40;
    for (int k = 0; k < frames; k++) {
        advance(world, duration / frames);
        state = measure_drop(drop);
        pressure += 2 * k >= frames ? 2 * state.pressure / frames : 0;
    }
    state.pressure = pressure;
    fm_world_destroy(world);
    return state;
}

// Settles a drop and prints its pressure relative to (d - 1) sigma / radius - 1.
static double find_pressure_error(int dimensions, fm_sph_method method, int across, double duration)
{
    drop_state drop = settle(drop_def(dimensions, method, 0.1), across, ROUND, duration);
    double error = drop.pressure * drop.radius / ((dimensions - 1) * sigma) - 1;
    printf("  %dD, %s, %d spacings: pressure %+.1f %%, extent %.3f, drift %.1e m/s\n", dimensions,
           method == FM_SPH_CONSTANT_DENSITY ? "constant density" : "weakly compressible", across,
           100 * error, drop.extent, drop.drift);
    assert_at_most(drop.extent, 1.15); // no particle leaves
    assert_at_most(drop.drift, 1e-7);  // sqrt(sigma / (rho a)) is 0.08 m/s
    return error;
}

static void a_drop_has_the_laplace_pressure(void **state)
{
    (void)state;
    assert_close(find_pressure_error(3, FM_SPH_WEAKLY_COMPRESSIBLE, 6, 0.4), 0, 0.03);
    assert_close(find_pressure_error(2, FM_SPH_WEAKLY_COMPRESSIBLE, 16, 0.8), 0, 0.03);
    assert_close(find_pressure_error(3, FM_SPH_CONSTANT_DENSITY, 6, 0.3), 0, 0.03);
}

static void squares_and_cubes_become_round(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++)
        for (int method = FM_SPH_WEAKLY_COMPRESSIBLE; method <= FM_SPH_CONSTANT_DENSITY; method++) {
            drop_state drop =
                settle(drop_def(dimensions, (fm_sph_method)method, 0.1), 6, SQUARE, 0.4);
            printf("  %dD, method %d: outermost particle at %.3f radii\n", dimensions, method,
                   drop.extent);
            assert_at_most(drop.extent, 1.12); // at first 1.2 in 2D and 1.3 in 3D
        }
}

// Relative error of the half period of a drop with two lobes.
static double find_period_error(int across, double duration)
{
    const double exact = PI / sqrt(6 * sigma / (rho * a * a * a)), step = 0.0025; // s
    fm_world *world = create_world(rho, 1e-3, (fm_vec3){0});
    fm_particles *drop =
        create_drop(world, drop_def(2, FM_SPH_WEAKLY_COMPRESSIBLE, 0.01), across, LOBES, 0);
    fixture_oscillation swing = fixture_begin_oscillation(step, measure_drop(drop).elongated);
    double largest = 0;
    for (int k = 1; k * step < duration; k++) {
        advance(world, step);
        double elongated = measure_drop(drop).elongated;
        fixture_add_value(&swing, elongated);
        largest = fmax(largest, fabs(elongated));
    }
    double error = fixture_find_period(&swing) / (2 * exact) - 1;
    printf("  %d spacings: period %+.1f %%, largest swing %.2f of the first\n", across, 100 * error,
           largest / 0.2);
    assert_at_most(largest, 0.22); // energy does not grow
    fm_world_destroy(world);
    return error;
}

static void a_drop_swings_with_rayleighs_frequency(void **state)
{
    (void)state;
    double coarse = find_period_error(10, 0.65), fine = find_period_error(16, 0.65);
    assert_at_most(fine, 0.04);
    assert_at_most(fine, 0.5 * coarse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drop_has_the_laplace_pressure),
        cmocka_unit_test(squares_and_cubes_become_round),
        cmocka_unit_test(a_drop_swings_with_rayleighs_frequency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
