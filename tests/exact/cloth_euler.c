// SPDX-License-Identifier: MIT
// The published model written down a second time, as the paper has it: particle by particle, spring
// by spring, with the rates of all steps kept in a list. [OKRC10] eq. (2) to (7): weight and
// buoyancy, viscous drag, history drag along the velocity, Choi and Ko's springs with a half
// derivative in their damping, the derivative by eq. (6) cut to the last u = 3 intervals, explicit
// Euler. The library must follow the same path up to rounding, which the springs amplify:
// differences grow by some factor a step like any disturbance does, so 400 steps are compared, not
// the end of time.
//
// Spring constants come from the surface moduli, as in cloth/sheet.c: E dy/dx and E dx/dy, half of
// it along the border; G L^2/(2 dx dy) for diagonals; the same for bending over two cells.
//
// [OKRC10] Özgen, Kallmann, Ramirez, Coimbra: Underwater cloth simulation with fractional
//          derivatives. TOG 29(3), 2010.
#include "bodies.h"
#include "exact.h"

#include <string.h>

enum { COLUMNS = 7, ROWS = 6, COUNT = COLUMNS * ROWS, STEPS = 400, U = 3 };
static const double width = 0.3, height = 0.3, h = 2e-4, PI = 3.14159265358979323846;
static const double stretch = 60, shear = 15, bend = 4, damping = 0.3, viscous = 1.5, history = 6;
static const double density = 1200, thickness = 2e-3, medium = 1000, g = 9.81;
static const fm_vec3 current = {0.05, 0, 0.1};
static const double amplitude = 0.05, period = 0.4;

typedef struct naive {
    double x[COUNT][3], v[COUNT][3], D[COUNT][3], f[COUNT][3];
    double u[STEPS + 1][COUNT][3]; // velocities relative to the medium at every step
    double mass[COUNT], area[COUNT];
    int n;
} naive;

static double half_at_border(int i, int count)
{
    return i == 0 || i == count - 1 ? 0.5 : 1;
}

// D^(1/2) x at step n, eq. (6), i from n + 1 - u; before the second step there is no past.
static double half_derivative(const naive *p, int particle, int axis)
{
    int n = p->n;
    if (n < 1)
        return 0;
    double sum = 0;
    for (int i = n + 1 - U > 1 ? n + 1 - U : 1; i <= n - 1; i++) {
        double before = p->u[i - 1][particle][axis], after = p->u[i][particle][axis];
        sum += h / (6 * sqrt(PI)) *
               (before / sqrt((n - i + 1) * h) + 2 * (before + after) / sqrt((n - i + 0.5) * h) +
                after / sqrt((n - i) * h));
    }
    double old = p->u[n - 1][particle][axis], now = p->u[n][particle][axis];
    sum += 0.15 * h / sqrt(PI) *
           (old / sqrt(h) + 2 * (old + now) / sqrt(0.55 * h) + now / sqrt(0.1 * h));
    sum += 0.05 * h / sqrt(PI) *
           (8 * sqrt(2) / 3 * now / sqrt(0.05 * h) - 4.0 / 3 * now / sqrt(0.1 * h));
    return sum;
}

// Eq. (5) between particles i and j, constants already chosen.
static void add_spring(naive *p, int i, int j, double rest, double k, double c)
{
    double l[3], length = 0, rate = 0;
    for (int a = 0; a < 3; a++) {
        l[a] = p->x[i][a] - p->x[j][a];
        length += l[a] * l[a];
    }
    length = sqrt(length);
    for (int a = 0; a < 3; a++)
        rate += (p->D[i][a] - p->D[j][a]) * l[a] / length;
    for (int a = 0; a < 3; a++) {
        double force = -(k * (length - rest) + c * rate) * l[a] / length;
        p->f[i][a] += force;
        p->f[j][a] -= force;
    }
}

// All springs from particle (r, q) to those `down` below and `across` beside it.
static void add_springs(naive *p, int down, int across, double modulus)
{
    double dx = width / (COLUMNS - 1), dy = height / (ROWS - 1);
    for (int r = 0; r + down < ROWS; r++) {
        for (int q = 0; q < COLUMNS; q++) {
            if (q + across < 0 || q + across >= COLUMNS)
                continue;
            double k = modulus;
            if (down == 0)
                k *= dy / dx * half_at_border(r, ROWS);
            else if (across == 0)
                k *= dx / dy * half_at_border(q, COLUMNS);
            else
                k *= (dx * dx + dy * dy) / (2 * dx * dy);
            add_spring(p, r * COLUMNS + q, (r + down) * COLUMNS + q + across,
                       hypot(across * dx, down * dy), k, k * damping / stretch);
        }
    }
}

static void compute_forces(naive *p)
{
    memset(p->f, 0, sizeof p->f);
    for (int i = 0; i < COUNT; i++) {
        const double *u = p->u[p->n][i];
        double speed = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]), along = 0;
        for (int a = 0; a < 3; a++) {
            p->D[i][a] = half_derivative(p, i, a);
            along += speed > 0 ? p->D[i][a] * u[a] / speed : 0;
        }
        p->f[i][1] -= (density - medium) * thickness * p->area[i] * g; // (2)
        for (int a = 0; a < 3; a++) {
            p->f[i][a] -= viscous * p->area[i] * u[a];                                 // (3)
            p->f[i][a] -= speed > 0 ? history * p->area[i] * along * u[a] / speed : 0; // (4)
        }
    }
    static const int way[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
    for (int s = 0; s < 4; s++) {
        add_springs(p, way[s][0], way[s][1], s < 2 ? stretch : shear);
        add_springs(p, 2 * way[s][0], 2 * way[s][1], bend);
    }
}

static void note_velocities(naive *p)
{
    for (int i = 0; i < COUNT; i++) {
        p->u[p->n][i][0] = p->v[i][0] - current.x;
        p->u[p->n][i][1] = p->v[i][1] - current.y;
        p->u[p->n][i][2] = p->v[i][2] - current.z;
    }
}

// The top row swings along z.
static void place_top_row(naive *p, double t)
{
    for (int q = 0; q < COLUMNS; q++) {
        p->x[q][2] = amplitude * sin(2 * PI * t / period);
        p->v[q][2] = amplitude * 2 * PI / period * cos(2 * PI * t / period);
        p->v[q][0] = p->v[q][1] = 0;
    }
}

static void start(naive *p)
{
    for (int i = 0; i < COUNT; i++) {
        int r = i / COLUMNS, q = i % COLUMNS;
        double dx = width / (COLUMNS - 1), dy = height / (ROWS - 1);
        p->area[i] = dx * dy * half_at_border(r, ROWS) * half_at_border(q, COLUMNS);
        p->mass[i] = density * thickness * p->area[i];
        p->x[i][0] = q * dx;
        p->x[i][1] = -r * dy;
    }
    place_top_row(p, 0);
    note_velocities(p);
}

// (7), with pins.
static void step(naive *p)
{
    compute_forces(p);
    for (int i = COLUMNS; i < COUNT; i++) {
        for (int a = 0; a < 3; a++) {
            p->x[i][a] += h * p->v[i][a];
            p->v[i][a] += h * p->f[i][a] / p->mass[i];
        }
    }
    p->n++;
    place_top_row(p, p->n * h);
    note_velocities(p);
}

static fm_world *build(fm_cloth **cloth)
{
    fm_error err = {0};
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = 1;
    world_def.medium.density = medium;
    world_def.gravity = (fm_vec3){0, -g, 0};
    world_def.medium.flow = (fm_flow){.kind = FM_FLOW_UNIFORM, .velocity = current};
    fm_world *world = fm_world_create(&world_def, &err);
    fm_cloth_def def = bare_cloth();
    def.density = density;
    def.thickness = thickness;
    def.stretch.stiffness = stretch;
    def.shear.stiffness = shear;
    def.bend.model = FM_BEND_SPRINGS;
    def.bend.stiffness = bend;
    def.damping.coefficient = damping;
    def.damping.order = 0.5;
    def.damping.memory.kind = FM_RECALL_STEPS;
    def.damping.memory.rule = FM_RULE_COIMBRA;
    def.damping.memory.steps = U;
    def.drag.model = FM_DRAG_PUBLISHED;
    def.drag.viscous = viscous;
    def.drag.history.coefficient = history;
    def.drag.history.memory = def.damping.memory;
    def.integrator = FM_EULER;
    def.time_step = h;
    *cloth =
        make_sheet(world, &def,
                   &(fm_sheet){.columns = COLUMNS, .rows = ROWS, .width = width, .height = height});
    fm_motion *swing = fm_motion_sine(world, (fm_vec3){0, 0, 1}, amplitude, period, &err);
    assert_true(fm_cloth_pin_row(*cloth, 0, swing, &err));
    return world;
}

static void two_writings_of_one_model_agree(void **state)
{
    (void)state;
    fm_cloth *cloth;
    fm_world *world = build(&cloth);
    naive *p = calloc(1, sizeof *p);
    start(p);
    double worst = 0, travelled = 0;
    for (int n = 1; n <= STEPS; n++) {
        step(p);
        assert_int_equal(advance(world, h).substep_count, 1);
        const fm_vec3 *x = fm_cloth_positions(cloth, NULL);
        for (int i = 0; i < COUNT; i++) {
            double d =
                fabs(x[i].x - p->x[i][0]) + fabs(x[i].y - p->x[i][1]) + fabs(x[i].z - p->x[i][2]);
            worst = fmax(worst, d);
            travelled = fmax(travelled, fabs(x[i].z));
        }
        if (n % 100 == 0)
            printf("  after %d steps: off by %.1e m, moved by %.3f m\n", n, worst, travelled);
        if (n == 10)
            assert_at_most(worst, 1e-14);
    }
    assert_at_most(worst, 1e-11);
    assert_true(travelled > 0.02);
    free(p);
    fm_world_destroy(world);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "cloth_euler");
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_writings_of_one_model_agree)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
