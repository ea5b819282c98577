// SPDX-License-Identifier: MIT
// lines.c: lines and loads against known solutions: the catenary, a hanging chain, a loaded line, a
// beam, a falling cylinder, a settling sphere and a rod that tumbles in an ideal fluid.
#include "lines.h"
#include "exact.h"

static const double g = 9.81, PI = 3.14159265358979323846;
static const fm_vec3 down = {0, -9.81, 0};

// Lets a slack line of this length at rest hang between two points 1 m apart, in a viscous fluid
// that takes the energy out, and returns sag and ratio of tensions.
static void hang(double length, int segments, double *sag, double *ratio)
{
    fm_world *world = create_world(1, 0.05, down);
    fm_line_def def = bare_line();
    def.linear_density = 0.02, def.stiffness = 2e4;
    def.drag = (fm_line_drag){.enabled = true, .viscous = 9};
    fm_cloth *line =
        create_straight(world, &def, (fm_vec3){0, 0, 0}, (fm_vec3){1, 0, 0}, segments, length);
    fm_error err = {0};
    fm_vec3 x0[128]; // a parabola of about the right length, to start without compression
    for (int i = 0; i <= segments; i++) {
        double s = (double)i / segments;
        x0[i] = (fm_vec3){s, -4 * sqrt(0.375 * (length - 1)) * s * (1 - s), 0};
    }
    assert_true(fm_cloth_set_positions(line, x0, &err));
    pin_point(line, 0);
    pin_point(line, segments);
    double tension[128], lowest = 0;
    for (int i = 0; i < 12; i++) {
        advance(world, 2);
        double y = fm_cloth_positions(line, NULL)[segments / 2].y;
        if (fabs(y - lowest) < 1e-9)
            break;
        lowest = y;
    }
    fm_line_tensions(line, tension);
    *sag = -lowest;
    // the horizontal part of the tension is that in the middle; the pin also carries half an edge
    const fm_vec3 *x = fm_cloth_positions(line, NULL);
    double edge = hypot(x[1].x - x[0].x, x[1].y - x[0].y);
    double h = tension[0] * (x[1].x - x[0].x) / edge;
    double v =
        tension[0] * (x[0].y - x[1].y) / edge + def.linear_density * g * length / segments / 2;
    *ratio = hypot(h, v) / h;
    fm_world_destroy(world);
}

static void a_hanging_line_is_a_catenary(void **state)
{
    (void)state;
    FILE *file = fopen(REFERENCE_DIR "/catenary_span1.csv", "r");
    assert_non_null(file);
    char row[128];
    assert_non_null(fgets(row, sizeof row, file));
    while (fgets(row, sizeof row, file)) {
        double length, a, sag, ratio, error[3], tension = 0;
        if (sscanf(row, "%lf,%lf,%lf,%lf", &length, &a, &sag, &ratio) != 4)
            continue;
        for (int i = 0; i < 3; i++) {
            double measured;
            hang(length, 8 << i, &measured, &tension);
            error[i] = fabs(measured - sag);
            exact_report("sag", 0.125 / (1 << i), error[i]);
        }
        printf("  length %.2f: sag off by %.2e, order %.2f, ratio of tensions %.4f (%.4f)\n",
               length, error[2], exact_order(error, 3), tension, ratio);
        assert_at_most(error[2], 2e-3 * sag);
        assert_in_interval(exact_order(error, 3), 1.8, 2.2);
        assert_close(tension, ratio, 2e-3 * ratio);
    }
    fclose(file);
}

static double bessel_j0(double x)
{
    double term = 1, sum = 1;
    for (int k = 1; k < 60; k++) {
        term *= -x * x / (4.0 * k * k);
        sum += term;
    }
    return sum;
}

static double swing(double reduced, int segments)
{
    fm_error err = {0};
    fm_world *world = create_world(0, 0, down);
    fm_line_def def = bare_line();
    def.linear_density = 0.02, def.stiffness = 2e3;
    fm_vec3 x[128];
    for (int i = 0; i <= segments; i++)
        x[i] = (fm_vec3){0, -(double)i / segments, 0};
    fm_cloth *line = create_strand(world, &def, x, segments + 1, 0, &err);
    assert_good(line, &err);
    double y = 0, l = 1.0 / segments;
    for (int i = 0; i <= segments; i++) { // each point hangs lower by the stretch above it
        x[i] = (fm_vec3){0, y, 1e-3 * bessel_j0(2 * reduced * sqrt(1 - i * l))};
        y -= l * (1 + def.linear_density * g * (1 - (i + 0.5) * l) / def.stiffness);
    }
    assert_true(fm_cloth_set_positions(line, x, &err));
    pin_point(line, 0);
    double guess = reduced * sqrt(g);
    double measured = swing_frequency(world, line, segments, 5, 2 * PI / guess / 200, 40 / guess);
    fm_world_destroy(world);
    return measured;
}

static void a_hanging_line_swings_with_the_modes_of_a_chain(void **state)
{
    (void)state;
    FILE *file = fopen(REFERENCE_DIR "/hanging_chain_modes.csv", "r");
    assert_non_null(file);
    char row[128];
    assert_non_null(fgets(row, sizeof row, file));
    for (int mode = 1; mode <= 4; mode++) {
        int n;
        double reduced;
        assert_non_null(fgets(row, sizeof row, file));
        assert_int_equal(sscanf(row, "%d,%lf", &n, &reduced), 2);
        double expected = reduced * sqrt(g), measured = swing(reduced, 60);
        printf("  mode %d: %.5f rad/s, expected %.5f\n", mode, measured, expected);
        assert_close(measured, expected, 0.01 * expected);
    }
    fclose(file);
}

// A load of M kg on a line of EA stretches it by (M g + weight of the line / 2) L / EA.
static void a_line_carries_a_load(void **state)
{
    (void)state;
    enum { SEGMENTS = 20 };
    fm_world *world = create_world(1, 10, down); // viscous, so that the load comes to rest
    fm_line_def def = fm_default_line_def();
    def.drag.enabled = false;
    fm_load_def load_def = fm_default_load_def();
    load_def.mass = 2;
    load_def.position = (fm_vec3){0, -1, 0};
    load_def.drag = (fm_line_drag){.enabled = true, .viscous = 24};
    fm_cloth *load = create_load(world, &load_def);
    fm_cloth *line =
        create_straight(world, &def, (fm_vec3){0, 0, 0}, (fm_vec3){0, -1, 0}, SEGMENTS, 0);
    pin_point(line, 0);
    tie(world, line, SEGMENTS, load, 0);
    double weight = def.linear_density * g, largest = 0, tension[SEGMENTS];
    double lift = g * 4 * PI * pow(load_def.radius, 3) / 3; // N, of the medium of 1 kg/m^3
    double expected = (load_def.mass * g - lift + weight / 2) / def.stiffness;
    for (int i = 0; i < 300; i++) {
        advance(world, 0.02);
        fm_line_tensions(line, tension);
        largest = fmax(largest, tension[0]);
    }
    double stretch = -fm_cloth_positions(load, NULL)[0].y - 1;
    double gap =
        fabs(fm_cloth_positions(load, NULL)[0].y - fm_cloth_positions(line, NULL)[SEGMENTS].y);
    printf("  stretched by %.6e m, expected %.6e; largest tension %.2f N of %.2f N at rest; gap of "
           "the tie %.1e m\n",
           stretch, expected, largest, load_def.mass * g + weight, gap);
    assert_close(stretch, expected, 1e-4 * expected);
    assert_at_most(gap, 1e-12);
    // released at rest, the load may at most double the tension
    assert_at_most(largest, 2.02 * (load_def.mass * g + weight));
    fm_world_destroy(world);
}

// The middle of a beam on two supports sinks by 5 w L^4 / (384 B).
static double sink_beam(int segments, double w)
{
    fm_world *world = create_world(1, 0.01, down);
    fm_line_def def = bare_line();
    def.linear_density = w / g, def.stiffness = 20, def.bending = 0.02;
    def.drag = (fm_line_drag){.enabled = true, .viscous = 9};
    fm_cloth *line =
        create_straight(world, &def, (fm_vec3){0, 0, 0}, (fm_vec3){1, 0, 0}, segments, 0);
    pin_point(line, 0);
    pin_point(line, segments);
    advance(world, 1);
    double y = fm_cloth_positions(line, NULL)[segments / 2].y;
    fm_world_destroy(world);
    return -y;
}

static void a_beam_sinks_between_its_supports(void **state)
{
    (void)state;
    double w = 1e-3, error[3]; // N/m
    // buoyancy of the fluid of 1 kg/m^3 around a line of 4 mm
    double net = w - g * PI * 4e-3 * 4e-3 / 4, expected = 5 * net / (384 * 0.02);
    for (int i = 0; i < 3; i++) {
        error[i] = fabs(sink_beam(8 << i, w) / expected - 1);
        exact_report("beam", 0.125 / (1 << i), error[i]);
    }
    printf("  relative errors %.2e %.2e %.2e, order %.2f\n", error[0], error[1], error[2],
           exact_order(error, 3));
    assert_at_most(error[2], 2e-3);
    assert_in_interval(exact_order(error, 3), 1.8, 2.3);
}

// Terminal speed of a straight line that falls across or along itself in water.
static double fall(bool across, fm_line_def *def)
{
    fm_world *world = create_world(1000, 1e-3, down);
    fm_vec3 end = across ? (fm_vec3){0.5, 0, 0} : (fm_vec3){0, -0.5, 0};
    fm_cloth *line = create_straight(world, def, (fm_vec3){0, 0, 0}, end, 10, 0);
    advance(world, 20);
    double v = -fm_cloth_velocities(line, NULL)[5].y;
    fm_world_destroy(world);
    return v;
}

static void a_falling_line_has_the_drag_of_a_cylinder(void **state)
{
    (void)state;
    fm_line_def def = bare_line();
    def.drag = fm_default_line_def().drag;
    def.drag.history = false; // at a constant speed it fades like the root of time
    double d = def.diameter, mu = 1e-3, rho = 1000;
    def.linear_density = 0.03;
    double weight = g * (def.linear_density - rho * PI * d * d / 4); // N/m, in water
    for (int across = 0; across < 2; across++) {
        double a = 0.5 * rho * (across ? 1.2 * d : 0.02 * PI * d), b = (across ? 4.5 : 2.25) * mu;
        double expected = (-b + sqrt(b * b + 4 * a * weight)) / (2 * a);
        double measured = fall(across, &def);
        printf("  %s: %.6f m/s, expected %.6f\n", across ? "across" : "along", measured, expected);
        assert_close(measured, expected, 1e-5 * expected);
    }
}

// A small load that settles in a viscous fluid follows the equation of Boussinesq and Basset.
static void a_load_settles_like_a_sphere(void **state)
{
    (void)state;
    FILE *file = fopen(REFERENCE_DIR "/basset_sphere_settling.csv", "r");
    assert_non_null(file);
    double a = 1e-3, rho = 1000, mu = 0.5, unit = a * a * rho / mu; // s
    fm_world *world = create_world(rho, mu, down);
    fm_load_def def = fm_default_load_def();
    def.radius = a;
    def.mass = 2.5 * rho * 4 * PI * a * a * a / 3;
    def.drag.across = 0;
    fm_cloth *load = create_load(world, &def);
    double terminal = 2.0 / 9 * 1.5 * rho * g * a * a / mu, t = 0, worst = 0;
    char row[256];
    assert_non_null(fgets(row, sizeof row, file));
    while (fgets(row, sizeof row, file)) {
        double value[7];
        if (sscanf(row, "%lf,%lf,%lf,%lf,%lf,%lf,%lf", value, value + 1, value + 2, value + 3,
                   value + 4, value + 5, value + 6) != 7 ||
            value[0] < 0.1 || value[0] > 20)
            continue;
        while (t < value[0] * unit * (1 - 1e-9)) { // short advances: a load has no stiffness
            double step = fmin(0.01 * unit, value[0] * unit - t);
            advance(world, step);
            t += step;
        }
        double v = -fm_cloth_velocities(load, NULL)[0].y / terminal;
        printf("  t = %5.2f a^2/nu: %.5f of the terminal speed, expected %.5f\n", value[0], v,
               value[3]);
        worst = fmax(worst, fabs(v - value[3]));
    }
    fclose(file);
    assert_at_most(worst, 2e-3);
    fm_world_destroy(world);
}

// A stiff line that tumbles and drifts in an ideal fluid keeps its energy, added mass included.
static double tumble(double time_step)
{
    fm_error err = {0};
    fm_world *world = create_world(1000, 0, no_gravity);
    fm_line_def def = bare_line();
    def.stiffness = 2000, def.bending = 0.05, def.time_step = time_step;
    def.drag = (fm_line_drag){.enabled = true, .added_mass = 1};
    enum { SEGMENTS = 10 };
    fm_cloth *line =
        create_straight(world, &def, (fm_vec3){-0.25, 0, 0}, (fm_vec3){0.25, 0, 0}, SEGMENTS, 0);
    fm_vec3 v[SEGMENTS + 1];
    for (int i = 0; i <= SEGMENTS; i++)
        v[i] = (fm_vec3){0.5, 2 * (i - 5) * 0.05 + 0.3, 0};
    assert_true(fm_cloth_set_velocities(line, v, &err));
    fm_report before = fm_world_report(world);
    double start = before.kinetic_energy + before.potential_energy, worst = 0;
    for (int i = 0; i < 40; i++) {
        fm_report now = advance(world, 0.1);
        worst = fmax(worst, fabs((now.kinetic_energy + now.potential_energy) / start - 1));
    }
    fm_vec3 first = fm_cloth_positions(line, NULL)[0],
            last = fm_cloth_positions(line, NULL)[SEGMENTS];
    assert_true(hypot(first.x - last.x, first.y - last.y) > 0.49); // it has turned, not folded
    fm_world_destroy(world);
    return worst;
}

static void a_tumbling_line_keeps_its_energy(void **state)
{
    (void)state;
    double error[2] = {tumble(1e-4), tumble(5e-5)};
    printf("  energy off by %.2e, %.2e at half the step\n", error[0], error[1]);
    assert_at_most(error[0], 1e-7);
    assert_at_most(error[1], 0.4 * error[0]);
}

// Published damping: a free stretched edge, whose two points have v_e = 0, is a damped oscillator,
// x'' + kappa x' + omega^2 x = 0, omega = 283 1/s. Its energy is exp(-kappa t) of that at the
// start, up to kappa/(2 omega) = 0.2 %.
static void kappa_damps_the_springs_of_a_line(void **state)
{
    (void)state;
    fm_world *world = create_world(0, 0, no_gravity);
    fm_line_def def = bare_line();
    def.linear_density = 0.0125, def.stiffness = 250, def.tension_only = false;
    def.kappa = 1, def.time_step = 1e-4;
    create_straight(world, &def, (fm_vec3){0, 0, 0}, (fm_vec3){1, 0, 0}, 1, 0.99);
    fm_report before = fm_world_report(world), after = advance(world, 1);
    double left = (after.kinetic_energy + after.potential_energy) /
                  (before.kinetic_energy + before.potential_energy);
    printf("  energy after 1/kappa: %.5f of that at the start, expected %.5f\n", left, exp(-1));
    assert_close(left, exp(-1), 0.01 * exp(-1));
    fm_world_destroy(world);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "lines");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hanging_line_is_a_catenary),
        cmocka_unit_test(a_hanging_line_swings_with_the_modes_of_a_chain),
        cmocka_unit_test(a_line_carries_a_load),
        cmocka_unit_test(a_beam_sinks_between_its_supports),
        cmocka_unit_test(a_falling_line_has_the_drag_of_a_cylinder),
        cmocka_unit_test(a_load_settles_like_a_sphere),
        cmocka_unit_test(a_tumbling_line_keeps_its_energy),
        cmocka_unit_test(kappa_damps_the_springs_of_a_line),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
