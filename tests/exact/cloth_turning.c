// SPDX-License-Identifier: MIT
// cloth_turning.c: the skin history of a sheet that turns while it moves follows its sliding speed
// along tangents that turn with it (the carried frame).
//
// A sheet moves at a constant velocity U, at first broadside. From the time t0 on it turns edge-on
// within T by the angle 90 (3 s^2 - 2 s^3) degrees, s = (t - t0)/T. Its sliding speed along a
// tangent t1 that turns with it is U . t1, and the history force per m^2 along t1 is
//
//     -2 sqrt(rho mu) D^(1/2)[U . t1](t),
//
// which this test integrates directly. (A half derivative of the velocity in the axes of the world,
// projected on the present tangents, would be zero after the start: the velocity never changes.)
//
// A second test compares the half derivative of a free sheet that flutters down with the same
// integral over its recorded path.
//
//   rho, mu  density, kg/m^3, and viscosity, Pa s, of the fluid     K  2 sqrt(rho mu)
#include "bodies.h"
#include "exact.h"
#include "geometry/geometry.h"

static const double rho = 1000, mu = 1e-3, PI = 3.14159265358979323846;
static const double begin = 1.0; // s, t0, when the turn begins
static const double speed = 0.3; // m/s, |U|

typedef struct turn_case {
    const char *name;
    fm_vec3 axis;      // unit vector, about which the sheet turns by 90 degrees
    fm_vec3 direction; // unit vector, of the velocity U
    double duration;   // s, T
} turn_case;

// 3 s^2 - 2 s^3, 0 before s = 0 and 1 after s = 1.
static double smooth_step(double s)
{
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    return s * s * (3 - 2 * s);
}

// Angle (rad) by which the sheet has turned at time t (s).
static double angle_at(double t, double T)
{
    return PI / 2 * smooth_step((t - begin) / T);
}

// Rotates v about a unit axis by an angle (rad), by the formula of Rodrigues.
static fm_vec3 rotate_vector(fm_vec3 v, fm_vec3 axis, double angle)
{
    double co = cos(angle), si = sin(angle);
    fm_vec3 cross = fm_cross(axis, v);
    return fm_add(fm_add(fm_scale(v, co), fm_scale(cross, si)),
                  fm_scale(axis, fm_dot(axis, v) * (1 - co)));
}

// D^(1/2) at time t of the sliding speed along a tangent that turns with the sheet; `tangent` is
// its initial direction. It has two parts: that of the velocity jump at time 0, and the integral of
// the rate of the sliding speed over the turn,
//
//     1/sqrt(pi) int (U . t1)'(s) / sqrt(t - s) ds.
//
// The substitution t - s = r^2 removes the singularity at s = t. The rate is a central difference
// over +-d seconds.
static double half_derivative(const turn_case *c, fm_vec3 tangent, double t)
{
    fm_vec3 U = fm_scale(c->direction, speed);
    double sum = fm_dot(U, tangent) / sqrt(PI * t);
    double from = begin, to = fmin(t, begin + c->duration);
    if (to <= from)
        return sum;
    enum { N = 4000 };
    double a = sqrt(t - to), b = sqrt(t - from), width = (b - a) / N, d = 1e-5;
    for (int i = 0; i < N; i++) { // midpoint rule
        double r = a + (i + 0.5) * width, s = t - r * r;
        fm_vec3 after = rotate_vector(tangent, c->axis, angle_at(s + d, c->duration));
        fm_vec3 before = rotate_vector(tangent, c->axis, angle_at(s - d, c->duration));
        sum += fm_dot(U, fm_sub(after, before)) / (2 * d) * 2 * width / sqrt(PI);
    }
    return sum;
}

// The motion of the sheet: translation at constant velocity and the turn about `pivot`, m.
static fm_motion *create_turning_motion(fm_world *world, const turn_case *c, fm_vec3 pivot)
{
    fm_error err = {0};
    double end = 100; // s, after the end of the test
    fm_key path[2] = {{.time = 0}, {.time = end, .position = fm_scale(c->direction, speed * end)}};
    double half_angle = PI / 4; // half of 90 degrees, for the quaternion
    fm_quat rotation = {c->axis.x * sin(half_angle), c->axis.y * sin(half_angle),
                        c->axis.z * sin(half_angle), cos(half_angle)};
    fm_key turn[2] = {{.time = begin}, {.time = begin + c->duration, .rotation = rotation}};
    fm_motion *translation =
        fm_motion_keyframes(world, path, 2, FM_INTERPOLATE_LINEAR, (fm_vec3){0, 0, 0}, &err);
    fm_motion *turning = fm_motion_keyframes(world, turn, 2, FM_INTERPOLATE_SMOOTH, pivot, &err);
    fm_motion *both = fm_motion_compose(world, translation, turning, &err);
    assert_int_equal(err.status, FM_OK);
    return both;
}

// Largest error of the tangential history force at the centre, at 40 times after the turn has
// begun. It is relative to the exact force, or to the force on a sheet that is edge-on from the
// start (Stokes' first problem), whichever is larger. h: time step, s.
static double turning_error(const turn_case *c, double h)
{
    fm_error err = {0};
    fm_world *world = create_world(rho, mu, no_gravity);
    fm_cloth_def def = fixture_perfect_cloth();
    def.drag.friction = def.drag.pressure = 0;
    def.time_step = h;
    enum { SIDE = 5, COUNT = SIDE * SIDE, CENTRE = COUNT / 2 };
    fm_sheet sheet = {.columns = SIDE, .rows = SIDE, .width = 0.2, .height = 0.2};
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    fm_vec3 centre = fm_cloth_positions(cloth, NULL)[CENTRE];
    fm_motion *motion = create_turning_motion(world, c, centre);
    for (int row = 0; row < SIDE; row++)
        assert_true(fm_cloth_pin_row(cloth, row, motion, &err));
    double worst = 0, K = 2 * sqrt(rho * mu);
    advance(world, begin);
    for (int i = 1; i <= 40; i++) {
        double dt = i <= 20 ? c->duration / 16 : c->duration; // dense times during the turn
        advance(world, dt);
        double t = fm_world_time(world), drag[3 * COUNT], size = 0, error = 0;
        const double *centre_drag = drag + 3 * CENTRE;
        read_field(cloth, "drag", drag);
        for (int k = 0; k < 2; k++) {
            fm_vec3 tangent = k ? (fm_vec3){0, 1, 0} : (fm_vec3){1, 0, 0};
            fm_vec3 now = rotate_vector(tangent, c->axis, angle_at(t, c->duration));
            double force = centre_drag[0] * now.x + centre_drag[1] * now.y + centre_drag[2] * now.z;
            double exact = -K * half_derivative(c, tangent, t);
            error = fmax(error, fabs(force - exact));
            size = fmax(size, fabs(exact));
        }
        size = fmax(size, K * speed / sqrt(PI * t)); // a sheet that is edge-on from the start
        worst = fmax(worst, error / size);
    }
    fm_world_destroy(world);
    return worst;
}

static void skin_history_of_a_turning_sheet_is_that_of_its_sliding_speed(void **state)
{
    (void)state;
    double r = sqrt(0.5), q = sqrt(1 / 3.0); // components of unit vectors along diagonals
    turn_case cases[] = {
        {"fast about x", {1, 0, 0}, {0, 0, 1}, 0.2},
        {"slow about x", {1, 0, 0}, {0, 0, 1}, 2},
        {"about y", {0, 1, 0}, {0, 0, 1}, 0.2},
        {"about a slanting axis", {r, r, 0}, {0, 0, 1}, 0.2},
        {"about a skew axis", {q, q, q}, {0, r, r}, 0.4},
        {"about the normal", {0, 0, 1}, {r, 0, r}, 0.4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double error[3];
        for (int level = 0; level < 3; level++) {
            double h = 1.0 / 240 / (1 << level);
            error[level] = turning_error(&cases[i], h);
            exact_report(cases[i].name, h, error[level]);
        }
        assert_at_most(error[0], 0.02);
    }
}

// The sheet that flutters, and the particle at which it is observed.
enum { STEPS = 3060, COLUMNS = 9, ROWS = 7, PROBE = 3 * COLUMNS + 2 };

// Computes the carried frame at PROBE (two tangents and the normal) as the library does, and the
// components of the velocity (m/s) along its axes.
static void measure_frame(fm_cloth *cloth, fm_vec3 frame[3], double speeds[3])
{
    double normal[3 * COLUMNS * ROWS], velocity[3 * COLUMNS * ROWS];
    read_field(cloth, "normal", normal);
    read_field(cloth, "velocity", velocity);
    const fm_vec3 *x = fm_cloth_positions(cloth, NULL);
    const double *n = normal + 3 * PROBE, *v = velocity + 3 * PROBE;
    frame[2] = (fm_vec3){n[0], n[1], n[2]};
    fm_vec3 d = fm_sub(x[PROBE + 1], x[PROBE - 1]);
    d = fm_sub(d, fm_scale(frame[2], fm_dot(frame[2], d)));
    frame[0] = fm_scale(d, 1 / fm_length(d));
    frame[1] = fm_cross(frame[2], frame[0]);
    for (int k = 0; k < 3; k++)
        speeds[k] = fm_dot((fm_vec3){v[0], v[1], v[2]}, frame[k]);
}

static void a_fluttering_sheet_has_the_half_derivative_of_its_recorded_speeds(void **state)
{
    (void)state;
    fm_error err = {0};
    double h = 1.0 / 816;        // s, time step, that of the default towel
    double speeds[STEPS + 1][3]; // m/s, along the axes of the carried frame, at every step
    fm_world *world = create_world(rho, mu, (fm_vec3){0, -9.81, 0});
    fm_cloth_def def = fixture_perfect_cloth();
    def.time_step = h;
    def.bend.damping.coefficient = 0; // the sheet bends and turns more
    def.drag.normal_history = 2 * sqrt(rho * mu);
    def.stretch.stiffness = 20, def.shear.stiffness = 5; // soft, so that a step is one substep
    def.density = 3000; // kg/m^3; the sheet falls and turns within seconds
    fm_sheet sheet = {.columns = COLUMNS, .rows = ROWS, .width = 0.3, .height = 0.2};
    sheet.rotation = (fm_quat){0.68, 0.05, 0.1, 0.72}; // nearly horizontal
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    // the sheet swings down about its left edge until that is released, then glides and flutters
    assert_true(fm_cloth_pin_edge(cloth, FM_EDGE_LEFT, NULL, &err));
    assert_true(fm_cloth_release_at(cloth, 1.2, &err));
    fm_vec3 frame[3], first_normal;
    measure_frame(cloth, frame, speeds[0]);
    first_normal = frame[2];
    double smallest_cosine = 1; // of the angle between the normal and its initial direction
    double worst = 0, size = 0;
    for (int i = 1; i <= STEPS; i++) {
        fm_report report = fm_world_advance(world, h, &err);
        assert_int_equal(err.status, FM_OK);
        assert_int_equal(report.substep_count, 1);
        measure_frame(cloth, frame, speeds[i]);
        smallest_cosine = fmin(smallest_cosine, fabs(fm_dot(frame[2], first_normal)));
        if (i % 102)
            continue; // the half derivative is compared at every 102nd step
        double memory[3 * COLUMNS * ROWS];
        read_field(cloth, "memory", memory);
        const double *m = memory + 3 * PROBE;
        for (int k = 0; k < 3; k++) { // exact integral of speeds that are linear within each step
            double sum = 0;
            for (int j = 1; j <= i; j++)
                sum += (speeds[j][k] - speeds[j - 1][k]) / h * 2 / sqrt(PI) *
                       (sqrt((i - j + 1) * h) - sqrt((i - j) * h));
            double value = fm_dot((fm_vec3){m[0], m[1], m[2]}, frame[k]);
            worst = fmax(worst, fabs(value - sum));
            size = fmax(size, fabs(sum));
        }
    }
    printf("  normal turned to a cosine of %.2f; memory off by %.4f of its largest value\n",
           smallest_cosine, worst / size);
    assert_at_most(smallest_cosine, 0.8); // the test is valid only if the sheet turns
    assert_at_most(worst / size, 0.02);
    fm_world_destroy(world);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "cloth_turning");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skin_history_of_a_turning_sheet_is_that_of_its_sliding_speed),
        cmocka_unit_test(a_fluttering_sheet_has_the_half_derivative_of_its_recorded_speeds),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
