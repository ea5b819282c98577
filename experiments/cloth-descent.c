// SPDX-License-Identifier: MIT
// cloth-descent.c: vertex block descent [CLYK24] against Newton's method with multigrid, for one
// step of backward Euler of hanging shirting.
//
// Both minimise, over the positions x of all particles,
//
//     sum m/(2 h^2) |x - y|^2 + sum k/2 (l - l0)^2,   y = x0 + h v + h^2 g
//
//   m  kg, mass    h  s, step    k  N/m    l, l0  m, length of a spring and its rest length
//
// Vertex block descent moves one particle at a time to the minimum of its own quadratic model,
// dx = -H^-1 grad with the 3 x 3 block H; particles of one of four colours do not share springs.
// Sweeps are accelerated by Chebyshev's recursion with the spectral radius that is best of those
// tried. Its error is the rms distance from the minimum, which many sweeps find, over that of the
// first guess x0 + h v. Newton's method (src/cloth/implicit_newton.c) stops when about 3 % of its
// first step remain, so 3 % is the accuracy at which both are compared. The state x0, v is that of
// shirting after a quarter of a second of falling, held by two corners. Bending is left out: it is
// harder for descent, which knows one particle at a time.
//
// [CLYK24] Chen, Liu, Yang, Yuksel: Vertex block descent. ACM Trans. Graph. 43(4), 2024.
#include "experiment.h"
#include "fixtures.h"

#include <string.h>
#include <time.h>

static const double STEP = 1.0 / 96, E = 2000, SHEAR = 40, AREAL = 0.15, GRAVITY = 9.81;
static const double GOAL = 0.03; // error over that of the first guess
enum { MOST_SWEEPS = 30000 };

// One time step of a sheet.
typedef struct problem {
    int columns, rows, count;
    double dx;                         // m, spacing
    fm_vec3 *x, *y, *guess, *best;     // present, without springs, first guess, minimum
    fm_vec3 *last, *before, *velocity; // for Chebyshev's recursion; at the start
} problem;

static fm_vec3 add_scaled(fm_vec3 a, fm_vec3 b, double scale)
{
    return (fm_vec3){a.x + scale * b.x, a.y + scale * b.y, a.z + scale * b.z};
}

static double square(fm_vec3 a)
{
    return a.x * a.x + a.y * a.y + a.z * a.z;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Adds the gradient and the block of the spring from particle i to a neighbour.
static void add_spring(const problem *p, int i, int down, int across, fm_vec3 *f, double block[6])
{
    int row = i / p->columns + down, column = i % p->columns + across;
    if (row < 0 || row >= p->rows || column < 0 || column >= p->columns)
        return;
    bool border = (!down && (row == 0 || row == p->rows - 1)) ||
                  (!across && (column == 0 || column == p->columns - 1));
    double k = (down && across ? SHEAR : E) * (border ? 0.5 : 1);
    double rest = p->dx * (down && across ? sqrt(2) : 1);
    fm_vec3 d = add_scaled(p->x[row * p->columns + column], p->x[i], -1);
    double l = sqrt(square(d)), share = 1 - rest / l, side = k * fmax(share, 0);
    double along = (k - side) / (l * l);
    *f = add_scaled(*f, d, k * share);
    block[0] += side + along * d.x * d.x, block[1] += along * d.x * d.y;
    block[2] += along * d.x * d.z, block[3] += side + along * d.y * d.y;
    block[4] += along * d.y * d.z, block[5] += side + along * d.z * d.z;
}

// Moves particle i to the minimum of its quadratic model.
static void move_particle(const problem *p, int i)
{
    int row = i / p->columns, column = i % p->columns;
    double mass = AREAL * p->dx * p->dx * (row == 0 || row == p->rows - 1 ? 0.5 : 1) *
                  (column == 0 || column == p->columns - 1 ? 0.5 : 1);
    double inertia = mass / (STEP * STEP), b[6] = {inertia, 0, 0, inertia, 0, inertia};
    fm_vec3 f = add_scaled((fm_vec3){0, 0, 0}, add_scaled(p->y[i], p->x[i], -1), inertia);
    for (int k = 0; k < 9; k++)
        if (k != 4)
            add_spring(p, i, k / 3 - 1, k % 3 - 1, &f, b);
    double m0 = b[3] * b[5] - b[4] * b[4], m1 = b[2] * b[4] - b[1] * b[5],
           m2 = b[1] * b[4] - b[2] * b[3], scale = 1 / (b[0] * m0 + b[1] * m1 + b[2] * m2);
    double m3 = b[0] * b[5] - b[2] * b[2], m4 = b[1] * b[2] - b[0] * b[4],
           m5 = b[0] * b[3] - b[1] * b[1];
    fm_vec3 step = {m0 * f.x + m1 * f.y + m2 * f.z, m1 * f.x + m3 * f.y + m4 * f.z,
                    m2 * f.x + m4 * f.y + m5 * f.z};
    p->x[i] = add_scaled(p->x[i], step, scale);
}

// One sweep over all particles but the two corners that are held, colour by colour.
static void sweep(const problem *p)
{
    for (int colour = 0; colour < 4; colour++)
        for (int row = colour / 2; row < p->rows; row += 2)
            for (int column = colour % 2; column < p->columns; column += 2) {
                if (row > 0 || (column > 0 && column < p->columns - 1))
                    move_particle(p, row * p->columns + column);
            }
}

// m, rms distance of two sets of positions.
static double find_distance(const problem *p, const fm_vec3 *a, const fm_vec3 *b)
{
    double sum = 0;
    for (int i = 0; i < p->count; i++)
        sum += square(add_scaled(a[i], b[i], -1));
    return sqrt(sum / p->count);
}

// Sweeps until the error is GOAL times that of the first guess, with Chebyshev's recursion for the
// spectral radius rho; 0: plain sweeps. Returns their number, `most` if it is not reached.
static int descend(const problem *p, double rho, int most)
{
    size_t bytes = (size_t)p->count * sizeof *p->x;
    double goal = GOAL * find_distance(p, p->guess, p->best), omega = 1;
    memcpy(p->x, p->guess, bytes);
    for (int n = 0; n < most; n++) {
        memcpy(p->before, p->last, bytes);
        memcpy(p->last, p->x, bytes);
        sweep(p);
        omega = n == 0 ? 1 : n == 1 ? 2 / (2 - rho * rho) : 4 / (4 - rho * rho * omega);
        for (int i = 0; i < p->count && n > 0 && rho > 0; i++)
            p->x[i] = add_scaled(p->before[i], add_scaled(p->x[i], p->before[i], -1), omega);
        double distance = find_distance(p, p->x, p->best);
        if (distance < goal || !isfinite(distance))
            return isfinite(distance) ? n + 1 : most;
    }
    return most;
}

// Lets shirting fall for a quarter of a second with the library; fills x and velocity. Returns the
// processor time of a step, s.
static double fall(experiment *e, problem *p)
{
    fm_error *err = experiment_error(e);
    fm_cloth_def def = fixture_perfect_cloth();
    def.density = 500, def.thickness = 3e-4;
    def.stretch.stiffness = E, def.shear.stiffness = SHEAR;
    def.bend.stiffness = def.bend.damping.coefficient = def.damping.coefficient = 0;
    def.drag.model = FM_DRAG_NONE;
    def.integrator = FM_IMPLICIT_EULER;
    def.time_step = STEP;
    fm_sheet sheet = fixture_tilted_sheet(p->columns, p->rows, p->dx * (p->columns - 1), 80);
    fm_world_def world_def = fixture_water_def(1);
    world_def.medium.density = world_def.medium.viscosity = 0;
    fm_world *world = fixture_create_world(world_def, err);
    fm_cloth *cloth = fm_cloth_create_sheet(world, &def, &sheet, err);
    double start = 0;
    if (cloth) {
        fm_cloth_pin_corner(cloth, FM_CORNER_TOP_LEFT, NULL, err);
        fm_cloth_pin_corner(cloth, FM_CORNER_TOP_RIGHT, NULL, err);
        fm_world_advance(world, STEP, err);
        start = now();
        fm_world_advance(world, 23 * STEP, err);
        memcpy(p->x, fm_cloth_positions(cloth, NULL), (size_t)p->count * sizeof *p->x);
        memcpy(p->velocity, fm_cloth_velocities(cloth, NULL), (size_t)p->count * sizeof *p->x);
    }
    fm_world_destroy(world);
    return (now() - start) / 23;
}

// Compares both on one mesh.
static void compare(experiment *e, experiment_table *table, int columns, int rows, int most)
{
    static const double radii[] = {0, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998};
    problem p = {.columns = columns, .rows = rows, .count = columns * rows};
    p.dx = 0.6 / (columns - 1);
    fm_vec3 **arrays[] = {&p.x, &p.y, &p.guess, &p.best, &p.last, &p.before, &p.velocity};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = experiment_alloc(e, (size_t)p.count, sizeof(fm_vec3));
    if (experiment_failed(e))
        return;
    double newton = fall(e, &p);
    for (int i = 0; i < p.count; i++) {
        bool held = i == 0 || i == columns - 1;
        p.guess[i] = add_scaled(p.x[i], p.velocity[i], held ? 0 : STEP);
        p.y[i] = p.guess[i];
        p.y[i].y -= GRAVITY * STEP * STEP;
    }
    memcpy(p.x, p.guess, (size_t)p.count * sizeof *p.x);
    double start = now();
    for (int n = 0; n < most; n++)
        sweep(&p);
    double each = (now() - start) / most;
    memcpy(p.best, p.x, (size_t)p.count * sizeof *p.x);
    int fewest = most, plain = most;
    for (size_t i = 0; i < sizeof radii / sizeof *radii; i++) {
        int sweeps = descend(&p, radii[i], most / 5);
        plain = i == 0 ? sweeps : plain;
        fewest = sweeps < fewest ? sweeps : fewest;
        experiment_write_row(table, "%d,%d,%g,%d,%g,%g", columns, rows, radii[i], sweeps,
                             sweeps * each, newton);
    }
    experiment_add_named_result(e, NAN, 1e3 * newton, "ms", "%dx%d: step of Newton", columns, rows);
    experiment_add_named_result(e, NAN, 1e3 * each, "ms", "%dx%d: sweep", columns, rows);
    experiment_add_named_result(e, NAN, plain, "", "%dx%d: plain sweeps", columns, rows);
    experiment_add_named_result(e, NAN, fewest, "", "%dx%d: accelerated sweeps", columns, rows);
    experiment_add_named_result(e, NAN, fewest * each / newton, "",
                                "%dx%d: time of descent over that of Newton", columns, rows);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "cloth-descent",
                                    "Vertex block descent against Newton's method.", &status);
    if (!e)
        return status;
    bool quick = experiment_quick(e);
    experiment_table *table =
        experiment_table_open(e, "descent.csv", "columns,rows,radius,sweeps,descent_s,newton_s");
    compare(e, table, 16, 11, quick ? 500 : MOST_SWEEPS);
    if (!quick) {
        compare(e, table, 31, 21, MOST_SWEEPS);
        compare(e, table, 61, 41, MOST_SWEEPS);
    }
    return experiment_close(e);
}
