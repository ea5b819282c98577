// SPDX-License-Identifier: MIT
// cloth_water_reference.c: cloth in water with the default methods against solutions that were
// computed outside of this project (tests/reference).
//
// 1 flow_sheet_wave.csv: frequency and decay of a wave on a tensioned sheet in a viscous fluid on
// both sides (linearised Navier-Stokes equations). Added mass by wavelength and the history of the
// normal velocity, 2 sqrt(rho mu), must give the frequency within 2 % and the decay within 10 %.
//
// 2 sink_sheet.csv: a flat sheet sinks broadside from rest,
//
//     (sigma + m_a) v' + k_B D^(1/2) v + 1/2 rho C v^2 = w
//
// m_a: kg/m^2, the added mass of the rigid motion; w: N/m^2, weight less buoyancy. Within 1 % at 10
// and at 20 steps per tau = (sigma + m_a) v_t / w, v_t = sqrt(2 w / (rho C)); but the distance
// covered in the first five steps, in which the history force grows like sqrt(t), within 2 %.
//
// 3 sink_sheet_in_current.csv: a limp sheet hangs from its upper edge in a current U at the same
// angle theta all along, w sin(theta) = 1/2 rho C (U cos(theta))^2. Within 0.1 degree everywhere.
#include "bodies.h"
#include "exact.h"

#include <string.h>

static const double PI = 3.14159265358979323846;

// Reads the next row of `count` numbers; skips comments and heads. Returns false at the end.
static bool read_row(FILE *file, double *values, int count)
{
    char line[512];
    while (fgets(line, sizeof line, file)) {
        char *rest = line;
        int n = 0;
        for (; n < count; n++) {
            char *end = rest;
            values[n] = strtod(rest, &end);
            if (end == rest)
                break;
            rest = end + (*end == ',');
        }
        if (n == count)
            return true;
    }
    return false;
}

static FILE *open_reference(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", REFERENCE_DIR, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    return file;
}

typedef struct wave_row {
    double sigma, rho, nu, tension, bend, count, omega, decay, inviscid;
} wave_row;

// A standing wave of `cells` cells a wavelength, two waves between pinned edges. *omega, *decay:
// rad/s, 1/s, from `crossings` zero crossings and the extrema between them.
static void measure_wave(const wave_row *row, int cells, int crossings, double *omega,
                         double *decay)
{
    enum { ROWS = 3, COLUMNS_MAX = 65 };
    fm_error err = {0};
    const double stretch = 0.02;
    double k = 2 * PI * row->count, length = 4 * PI / k, cell = length / (2 * cells);
    int columns = 2 * cells + 1, edges[2 * ROWS];
    assert_true(columns <= COLUMNS_MAX);
    fm_cloth_def def = bare_cloth();
    def.drag = fixture_perfect_cloth().drag;
    def.drag.pressure = def.drag.friction = 0;
    def.shear.stiffness = 0;
    def.thickness = 3e-4, def.density = row->sigma / def.thickness;
    def.stretch.stiffness = row->tension * (1 + stretch) / stretch;
    fm_world *world = create_world(row->rho, row->rho * row->nu, no_gravity);
    fm_sheet sheet = {
        .columns = columns, .rows = ROWS, .width = length, .height = cell * (ROWS - 1)};
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    fm_vec3 x[COLUMNS_MAX * ROWS];
    const fm_vec3 *flat = fm_cloth_positions(cloth, NULL);
    for (int i = 0; i < columns * ROWS; i++)
        x[i] = (fm_vec3){flat[i].x * (1 + stretch), flat[i].y, 1e-4 / k * sin(k * flat[i].x)};
    for (int i = 0; i < ROWS; i++)
        edges[i] = i * columns, edges[ROWS + i] = i * columns + columns - 1;
    assert_true(fm_cloth_set_positions(cloth, x, &err));
    assert_true(fm_cloth_pin_list(cloth, edges, 2 * ROWS, NULL, &err));
    int crest = columns + cells / 4, crossed = 0;
    double dt = 2 * PI / row->omega / 400, t = 0, before = x[crest].z, z = before;
    double first = 0, last = 0, peak_first = 0, peak_last = 0, peak = 0;
    while (crossed < crossings) {
        advance(world, dt);
        t += dt;
        double now = fm_cloth_positions(cloth, NULL)[crest].z;
        if (fabs(z) >= fabs(before) && fabs(z) > fabs(now)) { // an extremum, by a parabola
            double slope = (now - before) / 2, curvature = now - 2 * z + before;
            peak = fabs(z - slope * slope / (2 * curvature));
        }
        if (z * now < 0) {
            last = t - dt * now / (now - z);
            first = crossed ? first : last;
            if (crossed == 1)
                peak_first = peak;
            peak_last = peak;
            crossed++;
        }
        before = z, z = now;
    }
    fm_world_destroy(world);
    *omega = (crossings - 1) * PI / (last - first);
    *decay = log(peak_first / peak_last) * *omega / ((crossings - 2) * PI);
}

static void waves_in_water_have_the_frequency_and_decay_of_the_table(void **state)
{
    (void)state;
    FILE *file = open_reference("flow_sheet_wave.csv");
    double v[9];
    int rows = 0;
    while (read_row(file, v, 9)) {
        wave_row row = {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]};
        if (row.rho != 1000) // the others have thick boundary layers
            continue;
        double omega, decay;
        measure_wave(&row, 32, 7, &omega, &decay);
        printf("  %g waves a metre: frequency %+.2f %%, decay %+.1f %%\n", row.count,
               100 * (omega / row.omega - 1), 100 * (decay / row.decay - 1));
        assert_close(omega, row.omega, 0.02 * row.omega);
        assert_close(decay, row.decay, 0.1 * row.decay);
        rows++;
    }
    assert_int_equal(rows, 2);
    fclose(file);
}

enum { SIDE = 6 }; // particles along a side of the sheet that sinks
static const fm_sheet broadside = {.columns = SIDE,
                                   .rows = SIDE,
                                   .width = 0.2,
                                   .height = 0.2,
                                   .rotation = {0.70710678118654752, 0, 0, 0.70710678118654752}};

// kg/m^2, mass of the cloth and added mass of its motion as a whole along the normal.
static double mass_per_area(const fm_cloth_def *def)
{
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_cloth *cloth = create_sheet(world, def, &broadside);
    fm_vec3 v[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++)
        v[i] = (fm_vec3){0, 1, 0};
    assert_true(fm_cloth_set_velocities(cloth, v, &err));
    double mass = 2 * fm_world_report(world).kinetic_energy / fm_cloth_rest_area(cloth);
    fm_world_destroy(world);
    return mass;
}

static void a_sheet_sinks_as_the_table_says_at_any_step(void **state)
{
    (void)state;
    FILE *file = open_reference("sink_sheet.csv");
    fm_cloth_def def = fixture_perfect_cloth();
    def.stretch.stiffness = def.shear.stiffness = 1; // it does not deform; allows long steps
    def.damping.coefficient = 0;
    def.density = 2000;
    double mass = mass_per_area(&def), tau = 1.0 / 12, v[4];
    double worst_speed = 0, worst = 0, worst_start = 0;
    double weight = 2 * mass * mass / (1000 * def.drag.pressure * tau * tau);
    double speed = sqrt(2 * weight / (1000 * def.drag.pressure));
    fm_vec3 gravity = {0, -weight / (1000 * def.thickness), 0};
    int rows = 0;
    while (read_row(file, v, 4)) {
        for (int steps = 10; steps <= 20; steps += 10) {
            def.time_step = tau / steps;
            def.drag.normal_history = v[0] * weight * sqrt(tau) / speed;
            fm_world *world = create_world(1000, 1e-3, gravity);
            fm_cloth *cloth = create_sheet(world, &def, &broadside);
            double from = fm_cloth_positions(cloth, NULL)[0].y;
            advance(world, v[1] * tau);
            double v_error = -fm_cloth_velocities(cloth, NULL)[0].y / speed / v[2] - 1;
            double x_error =
                (from - fm_cloth_positions(cloth, NULL)[0].y) / (speed * tau) / v[3] - 1;
            bool starting = v[1] * steps < 5;
            worst_speed = fmax(worst_speed, fabs(v_error));
            worst = fmax(worst, starting ? 0 : fabs(x_error));
            worst_start = fmax(worst_start, starting ? fabs(x_error) : 0);
            fm_world_destroy(world);
        }
        rows++;
    }
    printf(
        "  %d rows at 10 and 20 steps per tau: speeds off by %.2f %%, distances by %.2f %%, in the "
        "first 5 steps by %.2f %%\n",
        rows, 100 * worst_speed, 100 * worst, 100 * worst_start);
    assert_int_equal(rows, 18);
    assert_at_most(worst_speed, 0.01);
    assert_at_most(worst, 0.01);
    assert_at_most(worst_start, 0.0125); // after three steps at 10 steps per tau and beta = 3
    fclose(file);
}

static void a_limp_sheet_in_a_current_hangs_at_the_angle_of_the_table(void **state)
{
    (void)state;
    enum { COLUMNS = 5, ROWS = 21 };
    FILE *file = open_reference("sink_sheet_in_current.csv");
    double v[3], worst = 0;
    int rows = 0;
    while (read_row(file, v, 3)) {
        fm_error err = {0};
        fm_cloth_def def = fixture_perfect_cloth();
        def.bend.stiffness = 0;
        def.density = 1500;
        def.stretch.stiffness = 2000; // so that it hardly stretches
        double weight = (def.density - 1000) * def.thickness * 9.81;
        double U = sqrt(2 * v[0] * weight / (1000 * def.drag.pressure));
        fm_world *world =
            create_flowing_world((fm_flow){.kind = FM_FLOW_UNIFORM, .velocity = {0, 0, U}});
        double turn = v[1] * PI / 360; // starts near the angle
        fm_sheet sheet = {.columns = COLUMNS, .rows = ROWS, .width = 0.1, .height = 0.4};
        sheet.rotation = (fm_quat){-sin(0.9 * turn), 0, 0, cos(0.9 * turn)};
        fm_cloth *cloth = create_sheet(world, &def, &sheet);
        assert_true(fm_cloth_pin_edge(cloth, FM_EDGE_TOP, NULL, &err));
        advance(world, 30);
        const fm_vec3 *x = fm_cloth_positions(cloth, NULL);
        for (int r = 1; r < ROWS; r++) {
            fm_vec3 a = x[(r - 1) * COLUMNS + 2], b = x[r * COLUMNS + 2];
            double angle = atan2(b.z - a.z, a.y - b.y) * 180 / PI;
            worst = fmax(worst, fabs(angle - v[1]));
        }
        printf("  Q = %g: %.3f degrees off at most so far\n", v[0], worst);
        fm_world_destroy(world);
        rows++;
    }
    assert_int_equal(rows, 5);
    assert_at_most(worst, 0.1);
    fclose(file);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "cloth_water_reference");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waves_in_water_have_the_frequency_and_decay_of_the_table),
        cmocka_unit_test(a_sheet_sinks_as_the_table_says_at_any_step),
        cmocka_unit_test(a_limp_sheet_in_a_current_hangs_at_the_angle_of_the_table),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
