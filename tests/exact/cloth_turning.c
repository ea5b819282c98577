// SPDX-License-Identifier: MIT
// A sheet that turns while it moves: skin friction with memory is that of its sliding speed.
//
// A sheet is carried at a constant velocity U, first broadside, then turned edge-on within T by the
// angle 90 (3 s^2 - 2 s^3) degrees, s = (t - t0)/T. Its sliding speed along a tangent t1 that turns
// with it is U . t1, and the history force per m^2 along t1 is
//
//     -2 sqrt(rho mu) D^(1/2)[U . t1](t),
//
// here integrated directly. A memory of accelerations in the world's axes, projected on the
// tangents of now, gives nothing at all: the velocity never changes.
//
// Then a free sheet that flutters down: its memory against the same integral along its path, as it
// was recorded.
#include "bodies.h"
#include "exact.h"
#include "geometry/geometry.h"

static const double rho = 1000, mu = 1e-3, PI = 3.14159265358979323846;
static const double begin = 1.0, speed = 0.3;

typedef struct turn_case {
    const char *name;
    fm_vec3 axis;      // of the turn
    fm_vec3 direction; // of the velocity
    double duration;   // s, T
} turn_case;

static double ease(double s)
{
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    return s * s * (3 - 2 * s);
}

static double angle_at(double t, double T)
{
    return PI / 2 * ease((t - begin) / T);
}

static fm_vec3 turn_vector(fm_vec3 v, fm_vec3 axis, double angle)
{
    double co = cos(angle), si = sin(angle);
    fm_vec3 cross = fm_cross(axis, v);
    return fm_add(fm_add(fm_scale(v, co), fm_scale(cross, si)),
                  fm_scale(axis, fm_dot(axis, v) * (1 - co)));
}

// D^(1/2) of the speed along `tangent`, which turns: jump at 0 plus the integral of its rate, with
// t - s = r^2 so that nothing is singular.
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
        fm_vec3 after = turn_vector(tangent, c->axis, angle_at(s + d, c->duration));
        fm_vec3 before = turn_vector(tangent, c->axis, angle_at(s - d, c->duration));
        sum += fm_dot(U, fm_sub(after, before)) / (2 * d) * 2 * width / sqrt(PI);
    }
    return sum;
}

static fm_motion *carry(fm_world *world, const turn_case *c, fm_vec3 pivot)
{
    fm_error err = {0};
    double end = 100;
    fm_key way[2] = {{.time = 0}, {.time = end, .position = fm_scale(c->direction, speed * end)}};
    double half = PI / 4;
    fm_quat turned = {c->axis.x * sin(half), c->axis.y * sin(half), c->axis.z * sin(half),
                      cos(half)};
    fm_key turn[2] = {{.time = begin}, {.time = begin + c->duration, .rotation = turned}};
    fm_motion *straight =
        fm_motion_keyframes(world, way, 2, FM_INTERPOLATE_LINEAR, (fm_vec3){0, 0, 0}, &err);
    fm_motion *about = fm_motion_keyframes(world, turn, 2, FM_INTERPOLATE_SMOOTH, pivot, &err);
    fm_motion *both = fm_motion_compose(world, straight, about, &err);
    assert_int_equal(err.status, FM_OK);
    return both;
}

// Largest error of the tangential history force at the centre, relative to Stokes' value of a sheet
// that has been edge-on as long as this one, over the times after the turn has begun.
static double turning_error(const turn_case *c, double h)
{
    fm_error err = {0};
    fm_world *world = create_world(rho, mu, no_gravity);
    fm_cloth_def def = fixture_perfect_cloth();
    def.drag.friction = def.drag.pressure = 0;
    def.time_step = h;
    fm_sheet sheet = {.columns = 5, .rows = 5, .width = 0.2, .height = 0.2};
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    fm_vec3 centre = fm_cloth_positions(cloth, NULL)[12];
    fm_motion *motion = carry(world, c, centre);
    for (int row = 0; row < 5; row++)
        assert_true(fm_cloth_pin_row(cloth, row, motion, &err));
    double worst = 0, K = 2 * sqrt(rho * mu);
    advance(world, begin);
    for (int i = 1; i <= 40; i++) {
        double dt = i <= 20 ? c->duration / 16 : c->duration;
        advance(world, dt);
        double t = fm_world_time(world), drag[75], size = 0, error = 0;
        read_field(cloth, "drag", drag);
        for (int k = 0; k < 2; k++) {
            fm_vec3 tangent = k ? (fm_vec3){0, 1, 0} : (fm_vec3){1, 0, 0};
            fm_vec3 now = turn_vector(tangent, c->axis, angle_at(t, c->duration));
            double force = drag[36] * now.x + drag[37] * now.y + drag[38] * now.z;
            double exact = -K * half_derivative(c, tangent, t);
            error = fmax(error, fabs(force - exact));
            size = fmax(size, fabs(exact));
        }
        size = fmax(size, K * speed / sqrt(PI * t)); // a sheet that was edge-on all along
        worst = fmax(worst, error / size);
    }
    fm_world_destroy(world);
    return worst;
}

static void the_sliding_speed_is_remembered_in_the_frame_of_the_cloth(void **state)
{
    (void)state;
    double r = sqrt(0.5), q = sqrt(1 / 3.0);
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

enum { STEPS = 1800, COLUMNS = 9, ROWS = 7, PROBE = 3 * COLUMNS + 2 };

// Speeds along the tangents and the normal at PROBE; tangents as in the cloth's frame.
static void record(fm_cloth *cloth, fm_vec3 frame[3], double speeds[3])
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

static void a_fluttering_sheet_remembers_its_path(void **state)
{
    (void)state;
    fm_error err = {0};
    double h = 1.0 / 480, track[STEPS + 1][3];
    fm_world *world = create_world(rho, mu, (fm_vec3){0, -9.81, 0});
    fm_cloth_def def = fixture_perfect_cloth();
    def.time_step = h;
    def.bend.damping.coefficient = 0; // limber: it turns more
    def.drag.normal_history = 2 * sqrt(rho * mu);
    def.stretch.stiffness = 20, def.shear.stiffness = 5; // one substep a step
    def.density = 3000;                                  // falls and turns within seconds
    fm_sheet sheet = {.columns = COLUMNS, .rows = ROWS, .width = 0.3, .height = 0.2};
    sheet.rotation = (fm_quat){0.68, 0.05, 0.1, 0.72}; // lying, askew
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    assert_true(fm_cloth_pin_edge(cloth, FM_EDGE_LEFT, NULL, &err)); // swings down from it,
    assert_true(fm_cloth_release_at(cloth, 1.2, &err));              // then glides and flutters
    fm_vec3 frame[3], first;
    record(cloth, frame, track[0]);
    first = frame[2];
    double turned = 1, worst = 0, size = 0;
    for (int i = 1; i <= STEPS; i++) {
        fm_report report = fm_world_advance(world, h, &err);
        assert_int_equal(err.status, FM_OK);
        assert_int_equal(report.substep_count, 1);
        record(cloth, frame, track[i]);
        turned = fmin(turned, fabs(fm_dot(frame[2], first)));
        if (i % 60)
            continue;
        double memory[3 * COLUMNS * ROWS];
        read_field(cloth, "memory", memory);
        const double *m = memory + 3 * PROBE;
        for (int k = 0; k < 3; k++) { // speeds are straight lines between steps
            double sum = 0;
            for (int j = 1; j <= i; j++)
                sum += (track[j][k] - track[j - 1][k]) / h * 2 / sqrt(PI) *
                       (sqrt((i - j + 1) * h) - sqrt((i - j) * h));
            double value = fm_dot((fm_vec3){m[0], m[1], m[2]}, frame[k]);
            worst = fmax(worst, fabs(value - sum));
            size = fmax(size, fabs(sum));
        }
    }
    printf("  normal turned to a cosine of %.2f; memory off by %.4f of its largest value\n", turned,
           worst / size);
    assert_at_most(turned, 0.8);
    assert_at_most(worst / size, 0.02);
    fm_world_destroy(world);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "cloth_turning");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sliding_speed_is_remembered_in_the_frame_of_the_cloth),
        cmocka_unit_test(a_fluttering_sheet_remembers_its_path),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
