// SPDX-License-Identifier: MIT
// cloth_published_model.c: the library follows a second, literal implementation of the published
// underwater cloth model [OKRC10] step by step.
//
// The implementation in this file works particle by particle and spring by spring, and keeps the
// velocities of all steps. It has [OKRC10] eq. (2) to (7): weight and buoyancy, viscous drag,
// history drag along the velocity, the springs of Choi and Ko with a half derivative in their
// damping, the half derivative by eq. (6) truncated to the last u = 3 intervals, and explicit Euler
// steps. The library must compute the same path up to rounding. The springs amplify rounding errors
// from step to step, as they amplify any disturbance, so only 400 steps are compared.
//
// Spring constants follow from the surface moduli as in cloth/springs.c: E dy/dx and E dx/dy, half
// of that along the border; G L^2/(2 dx dy) for diagonals; the same for bending springs over two
// cells.
//
//   E, G  stretch and shear modulus, N/m      dx, dy  distances between columns and rows, m
//   L     rest length of a diagonal, m
#include "bodies.h"
#include "exact.h"

#include <string.h>

// U: number of past intervals in the half derivative.
enum { COLUMNS = 7, ROWS = 6, COUNT = COLUMNS * ROWS, STEPS = 400, U = 3 };
static const double width = 0.3, height = 0.3, h = 2e-4; // m, m, of the sheet; s, time step
static const double PI = 3.14159265358979323846;
static const double stretch = 60, shear = 15, bend = 4; // N/m, moduli of the springs
static const double damping = 0.3;                      // N s^(1/2)/m, of the springs
static const double viscous = 1.5, history = 6;         // N s / m^3, N s^(1/2) / m^3, drag
static const double density = 1200, thickness = 2e-3;   // of the cloth, kg/m^3, m
static const double medium = 1000, g = 9.81;            // density of the fluid; gravity, m/s^2
static const fm_vec3 current = {0.05, 0, 0.1};          // m/s, of the fluid
static const double amplitude = 0.05, period = 0.4;     // m, s, of the swung top row

// The literal implementation of [OKRC10]: state of all particles, and their past velocities.
typedef struct literal_model {
    double x[COUNT][3], v[COUNT][3]; // m, m/s
    double D[COUNT][3];              // half derivative of the displacement, m s^-1/2
    double f[COUNT][3];              // N, forces
    double u[STEPS + 1][COUNT][3];   // m/s, velocities relative to the medium at every step
    double mass[COUNT], area[COUNT]; // kg, m^2, of the cloth that a particle represents
    int n;                           // current step
} literal_model;

// 1/2 for the first and last of `count` rows or columns, else 1.
static double half_at_border(int i, int count)
{
    return i == 0 || i == count - 1 ? 0.5 : 1;
}

// The half derivative D^(1/2) x of one coordinate of a particle at the present step n, by eq. (6)
// of [OKRC10], with i from n + 1 - u. Zero at the first step, which has no past.
static double half_derivative(const literal_model *p, int particle, int axis)
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

// Eq. (5) of [OKRC10]: adds the force of a spring of stiffness k (N/m), half-derivative damping c
// (N s^(1/2)/m) and rest length `rest` (m) between the particles i and j.
static void add_spring(literal_model *p, int i, int j, double rest, double k, double c)
{
    double l[3], length = 0, half_rate = 0; // half_rate: half derivative along the spring
    for (int a = 0; a < 3; a++) {
        l[a] = p->x[i][a] - p->x[j][a];
        length += l[a] * l[a];
    }
    length = sqrt(length);
    for (int a = 0; a < 3; a++)
        half_rate += (p->D[i][a] - p->D[j][a]) * l[a] / length;
    for (int a = 0; a < 3; a++) {
        double force = -(k * (length - rest) + c * half_rate) * l[a] / length;
        p->f[i][a] += force;
        p->f[j][a] -= force;
    }
}

// Adds the forces of all springs from a particle (row r, column q) to the one `down` rows below and
// `across` columns beside it. modulus: N/m.
static void add_springs(literal_model *p, int down, int across, double modulus)
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

// Computes all forces at the present step, by the equations of [OKRC10].
static void compute_forces(literal_model *p)
{
    memset(p->f, 0, sizeof p->f);
    for (int i = 0; i < COUNT; i++) {
        const double *u = p->u[p->n][i];
        double speed = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]), along = 0;
        for (int a = 0; a < 3; a++) {
            p->D[i][a] = half_derivative(p, i, a);
            along += speed > 0 ? p->D[i][a] * u[a] / speed : 0;
        }
        p->f[i][1] -= (density - medium) * thickness * p->area[i] * g; // eq. (2)
        for (int a = 0; a < 3; a++) {
            p->f[i][a] -= viscous * p->area[i] * u[a];                                 // eq. (3)
            p->f[i][a] -= speed > 0 ? history * p->area[i] * along * u[a] / speed : 0; // eq. (4)
        }
    }
    static const int direction[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
    for (int s = 0; s < 4; s++) {
        add_springs(p, direction[s][0], direction[s][1], s < 2 ? stretch : shear);
        add_springs(p, 2 * direction[s][0], 2 * direction[s][1], bend);
    }
}

// Stores the velocities relative to the medium, which the half derivative needs later.
static void store_velocities(literal_model *p)
{
    for (int i = 0; i < COUNT; i++) {
        p->u[p->n][i][0] = p->v[i][0] - current.x;
        p->u[p->n][i][1] = p->v[i][1] - current.y;
        p->u[p->n][i][2] = p->v[i][2] - current.z;
    }
}

// Moves the top row, which swings along z, to its place at time t (s).
static void place_top_row(literal_model *p, double t)
{
    for (int q = 0; q < COLUMNS; q++) {
        p->x[q][2] = amplitude * sin(2 * PI * t / period);
        p->v[q][2] = amplitude * 2 * PI / period * cos(2 * PI * t / period);
        p->v[q][0] = p->v[q][1] = 0;
    }
}

// Sets masses, areas and the initial state.
static void place_particles(literal_model *p)
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
    store_velocities(p);
}

// One explicit Euler step, eq. (7) of [OKRC10]. The top row is pinned.
static void step_model(literal_model *p)
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
    store_velocities(p);
}

// The same cloth as an object of the library.
static fm_world *create_library_model(fm_cloth **cloth)
{
    fm_error err = {0};
    fm_world_def world_def = fixture_water_def(1);
    world_def.medium.density = medium;
    world_def.gravity = (fm_vec3){0, -g, 0};
    world_def.medium.flow = (fm_flow){.kind = FM_FLOW_UNIFORM, .velocity = current};
    fm_world *world = open_world(world_def);
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
    *cloth = create_sheet(
        world, &def,
        &(fm_sheet){.columns = COLUMNS, .rows = ROWS, .width = width, .height = height});
    fm_motion *swing = fm_motion_sine(world, (fm_vec3){0, 0, 1}, amplitude, period, &err);
    assert_true(fm_cloth_pin_row(*cloth, 0, swing, &err));
    return world;
}

static void the_library_follows_a_literal_implementation_of_the_paper(void **state)
{
    (void)state;
    fm_cloth *cloth;
    fm_world *world = create_library_model(&cloth);
    literal_model *p = calloc(1, sizeof *p);
    place_particles(p);
    double worst = 0, travelled = 0;
    for (int n = 1; n <= STEPS; n++) {
        step_model(p);
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
        if (n == 10) // before rounding errors have grown
            assert_at_most(worst, 1e-14);
    }
    assert_at_most(worst, 1e-11);
    assert_true(travelled > 0.02); // m; otherwise the comparison would mean little
    free(p);
    fm_world_destroy(world);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "cloth_published_model");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_library_follows_a_literal_implementation_of_the_paper)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
