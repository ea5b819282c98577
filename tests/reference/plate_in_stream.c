// SPDX-License-Identifier: MIT
// plate_in_stream.c: computes plate_in_stream.csv, the drag of a thin plate across a flow, without
// using the library. It takes some minutes; the numbers are cells across the box, multiples of 4:
//
//     cmake --build build --target reference_plate_in_stream
//     build/tests/reference/plate_in_stream across 32 48 64 96 > plate_in_stream.csv
//
// Incompressible flow from rest, driven by a body force g through a periodic box of length L, with
// a square plate of side L/2 and zero thickness at rest in the middle:
//
//     du/dt = -div(u u) - grad p + nu lap u + g,    div u = 0,    u = 0 on the plate
//
// on a staggered (marker-and-cell) grid of n^3 cells of size h [HW65]: velocities on the faces of
// cells, pressure in their centres, central differences, Euler steps of at most h^2 / (8 nu), so
// that the error in time is as small as that in space; pressure by conjugate gradients. The plate
// consists of faces: u = 0 there, no pressure gradient acts through them, and the tangential
// velocities h/2 away are mirrored, by half at the rim. The domain in y and z extends from the
// centre of the plate to the centre of the gap, with symmetry planes at both.
//
// `along 16 32` computes the flow along a plate that fills its plane, where the start-up flow
// between two plates is known exactly. That converges with second order: errors of 0.6 and 0.15 %
// at 1.5 s. Around rims the error is O(h), and the limit n -> infinity is extrapolated from each
// two successive n.
//
// Full reference: docs/references.md.
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double L = 0.1;               // m, length of the box
static const double NU = 1e-3;             // m^2/s, kinematic viscosity
static const double G = 0.02;              // m/s^2, body force per mass
static const double RHO = 1000;            // kg/m^3
static const double PRINT_INTERVAL = 0.05; // s; drags are printed at multiples of it
// largest rms of h div(u) after the pressure acted, in units of the velocity G h^2 / NU
static const double MAX_DIVERGENCE = 1e-7;

// The domain and the state of the flow. Arrays have one element per cell, ghost cells included.
typedef struct flow {
    int n[3];           // cells along x, y, z, without ghost cells
    size_t stride[3];   // distance in the arrays of neighbours along x, y, z; one layer of ghost
                        // cells on all sides
    size_t size;        // elements of an array
    size_t first, last; // cells from first to last - 1 have all neighbours
    bool mirror[3];     // both ends of the axis are symmetry planes; else the axis is periodic
    int drive;          // axis of the body force; 0: across the plate, 1: along it
    double h, dt;       // m, size of a cell; s, step
    double *u[3], *rate[3]; // m/s, m/s^2, on the low faces of cells
    double *p, *before;     // m/s, pressure / density times dt / h; now and one step before
    double *r, *d, *q;      // vectors of the conjugate gradient method
    double *cell;           // 1 in cells, 0 in ghost cells
    double *open;           // 0 if the low x face of a cell is on the plate, else 1
    double *held[3];        // 1 for velocities h/2 above the plate, 1/2 at its rim, else 0
} flow;

// Fills the ghost cells of a. normal: the axis of a velocity component, which is on faces; -1: a
// quantity in cell centres.
static void fill_ghosts(const flow *f, double *a, int normal)
{
    for (int axis = 0; axis < 3; axis++) {
        int b = (axis + 1) % 3, c = (axis + 2) % 3, rows = (f->n[b] + 2) * (f->n[c] + 2);
        ptrdiff_t step = (ptrdiff_t)f->stride[axis];
        for (int i = 0; i < rows; i++) {
            int across = i % (f->n[b] + 2), along = i / (f->n[b] + 2);
            double *low = a + (size_t)across * f->stride[b] + (size_t)along * f->stride[c];
            double *high = low + (f->n[axis] + 1) * step;
            bool mirror = f->mirror[axis];
            if (mirror && axis == normal)
                low[step] = *high = 0;
            *low = !mirror ? high[-step] : axis == normal ? -low[2 * step] : low[step];
            *high = !mirror ? low[step] : axis == normal ? 0 : high[-step];
        }
    }
}

// The plate consists of the low x faces of cells in the middle of the box; its centre is in the
// corner of the domain.
static void place_plate(flow *f)
{
    const double half_side = f->drive == 1 ? 1e9 : f->n[1] / 2; // of the plate, in cells
    for (int x = 1; x <= f->n[0]; x++) {
        for (int y = 1; y <= f->n[1]; y++) {
            for (int z = 1; z <= f->n[2]; z++) {
                size_t i = (size_t)x * f->stride[0] + (size_t)y * f->stride[1] + (size_t)z;
                bool in = x == f->n[0] / 2 + 1, in_y = in && y <= half_side,
                     in_z = in && z <= half_side;
                f->cell[i] = 1;
                f->open[i] = !(in_y && in_z);
                f->held[1][i] = !in_z ? 0 : in_y ? 1 : y == half_side + 1 ? 0.5 : 0;
                f->held[2][i] = !in_y ? 0 : in_z ? 1 : z == half_side + 1 ? 0.5 : 0;
            }
        }
    }
    fill_ghosts(f, f->open, -1);
}

// A flow at rest. n: cells along the box; along: the body force acts along the plate.
static flow create_flow(int n, bool along)
{
    flow f = {.n = {n, n / 2, n / 2}, .drive = along, .mirror = {false, !along, true}, .h = L / n};
    f.dt = PRINT_INTERVAL / ceil(PRINT_INTERVAL / (f.h * f.h / (8 * NU)));
    f.stride[2] = 1;
    f.stride[1] = (size_t)f.n[2] + 2;
    f.stride[0] = f.stride[1] * ((size_t)f.n[1] + 2);
    f.size = f.stride[0] * ((size_t)n + 2);
    f.first = f.stride[0] + f.stride[1] + 1;
    f.last = f.size - f.first;
    double **arrays[] = {&f.u[0],    &f.u[1],    &f.u[2],    &f.rate[0], &f.rate[1], &f.rate[2],
                         &f.held[0], &f.held[1], &f.held[2], &f.p,       &f.before,  &f.r,
                         &f.d,       &f.q,       &f.cell,    &f.open};
    enum { COUNT = sizeof arrays / sizeof *arrays };
    double *all = calloc(COUNT * f.size, sizeof *all);
    if (!all)
        exit(1);
    for (size_t i = 0; i < COUNT; i++)
        *arrays[i] = all + i * f.size;
    place_plate(&f);
    return f;
}

// Adds convection and viscosity along one axis to the rate of velocity component k. w: the velocity
// that carries momentum along the axis; s, t: strides to neighbours along the axis and along k.
static void add_fluxes(flow *f, int k, int axis)
{
    const double *u = f->u[k], *w = f->u[axis], *held = f->held[k];
    const double viscous = NU / (f->h * f->h), convective = 1 / (4 * f->h);
    const size_t s = f->stride[axis], t = f->stride[k];
    double *rate = f->rate[k];
    for (size_t i = f->first; i < f->last; i++) {
        // momentum through the low and the high face of the control volume around the velocity
        double low = (axis == k ? w[i - s] + w[i] : w[i] + w[i - t]) * (u[i - s] + u[i]);
        double high = (axis == k ? w[i] + w[i + s] : w[i + s] + w[i + s - t]) * (u[i] + u[i + s]);
        double laplacian = u[i - s] - 2 * u[i] + u[i + s];
        if (axis == 0 && k > 0) // no slip: the velocity beyond the plate is mirrored
            laplacian -= held[i] * (u[i] + u[i - s]) + held[i + s] * (u[i] + u[i + s]);
        rate[i] += convective * (low - high) + viscous * laplacian;
    }
}

// Euler step of the velocities by body force, convection and viscosity; 0 on the plate.
static void advance_without_pressure(flow *f)
{
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < f->size; i++)
            f->rate[k][i] = k == f->drive ? G : 0;
        for (int axis = 0; axis < 3; axis++)
            add_fluxes(f, k, axis);
    }
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < f->size; i++)
            f->u[k][i] = (k == 0 ? f->open[i] : 1) * (f->u[k][i] + f->dt * f->rate[k][i]);
        fill_ghosts(f, f->u[k], k);
    }
}

// Negative Laplacian q = A a, times h^2: in each cell, the sum over its faces that are not on the
// plate of a minus a in the neighbour cell. Returns a . q.
static double apply_laplacian(const flow *f, double *a, double *q)
{
    const size_t x = f->stride[0], y = f->stride[1];
    double sum = 0;
    fill_ghosts(f, a, -1);
    for (size_t i = f->first; i < f->last; i++)
        q[i] = f->cell[i] * (f->open[i] * (a[i] - a[i - x]) + f->open[i + x] * (a[i] - a[i + x]) +
                             4 * a[i] - a[i - y] - a[i + y] - a[i - 1] - a[i + 1]);
    for (size_t i = f->first; i < f->last; i++)
        sum += a[i] * q[i];
    return sum;
}

// Solves A p = -div(u) h for the pressure by conjugate gradients: residual r, direction d, q = A d,
// r2 = r.r. The initial guess is the extrapolation from the last two steps.
static void find_pressure(flow *f)
{
    const double cells = (double)f->n[0] * f->n[1] * f->n[2],
                 tolerance = MAX_DIVERGENCE * G * f->h * f->h / NU; // m/s, rms of the residual
    double r2 = 0;
    for (size_t i = 0; i < f->size; i++) {
        double now = f->p[i];
        f->p[i] += now - f->before[i];
        f->before[i] = now;
    }
    apply_laplacian(f, f->p, f->q);
    for (size_t i = f->first; i < f->last; i++) {
        double divergence = 0; // m/s, times h
        for (int k = 0; k < 3; k++)
            divergence += f->u[k][i + f->stride[k]] - f->u[k][i];
        f->d[i] = f->r[i] = f->cell[i] * (-divergence - f->q[i]);
        r2 += f->r[i] * f->r[i];
    }
    while (r2 > cells * tolerance * tolerance) {
        double a = r2 / apply_laplacian(f, f->d, f->q), next = 0;
        for (size_t i = f->first; i < f->last; i++) {
            f->p[i] += a * f->d[i];
            f->r[i] -= a * f->q[i];
            next += f->r[i] * f->r[i];
        }
        for (size_t i = f->first; i < f->last; i++)
            f->d[i] = f->r[i] + next / r2 * f->d[i];
        r2 = next;
    }
}

// One time step: forces, then the pressure that makes the velocities free of divergence.
static void step(flow *f)
{
    advance_without_pressure(f);
    find_pressure(f);
    fill_ghosts(f, f->p, -1);
    for (int k = 0; k < 3; k++) {
        for (size_t i = f->first; i < f->last; i++)
            f->u[k][i] -= (k == 0 ? f->open[i] : 1) * (f->p[i] - f->p[i - f->stride[k]]);
        fill_ghosts(f, f->u[k], k);
    }
}

// Mean drag of the plate, N, from the start until each of m times, marks[] in units of
// PRINT_INTERVAL: the body force on the fluid minus the mean rate at which its momentum grew. The
// domain is a quarter of the box; its mean velocity is that of the whole box, of volume L^3.
static void run(int n, bool along, const int *marks, int m, double *drag)
{
    flow f = create_flow(n, along);
    double t = 0, cells = (double)f.n[0] * f.n[1] * f.n[2];
    for (int mark = 0; mark < m; mark++) {
        while (t < marks[mark] * PRINT_INTERVAL - f.dt / 2) {
            step(&f);
            t += f.dt;
        }
        double sum = 0;
        for (size_t i = f.first; i < f.last; i++)
            sum += f.cell[i] * f.u[f.drive][i];
        drag[mark] = RHO * L * L * L * (G - sum / cells / t);
    }
    free(f.u[0]); // all arrays are one allocation
}

// Mean drag, N, until time t, s, in the exact start-up flow between two plates at distance L: the
// series for the mean velocity. 200 terms are enough for all digits that are printed.
static double find_exact_drag(double t)
{
    double mean = G * L * L / (12 * NU);
    for (int i = 1; i < 400; i += 2) {
        double k = i * acos(-1) / L;
        mean -= 8 * G / (NU * L * L * k * k * k * k) * exp(-k * k * NU * t);
    }
    return RHO * L * L * L * (G - mean / t);
}

int main(int argc, char **argv)
{
    static const int marks[] = {1, 2, 4, 6, 10, 15, 20, 25, 30};
    enum { M = sizeof marks / sizeof *marks, MAX_RUNS = 16 };
    double drag[MAX_RUNS][M];
    int n[MAX_RUNS], count = argc - 2 < MAX_RUNS ? argc - 2 : MAX_RUNS;
    bool along = argc > 1 && strcmp(argv[1], "along") == 0;
    printf("t");
    for (int i = 0; i < count; i++) {
        n[i] = (int)strtol(argv[2 + i], NULL, 10);
        run(n[i], along, marks, M, drag[i]);
        printf(",N@n=%d%s", n[i], i > 0 ? ",extrapolated" : "");
    }
    printf(along ? ",known\n" : "\n");
    for (int m = 0; m < M; m++) {
        printf("%g", marks[m] * PRINT_INTERVAL);
        for (int i = 0; i < count; i++) {
            printf(",%.7f", drag[i][m]);
            if (i > 0) // the error is proportional to 1 / n
                printf(",%.7f",
                       (n[i] * drag[i][m] - n[i - 1] * drag[i - 1][m]) / (n[i] - n[i - 1]));
        }
        if (along)
            printf(",%.7f", find_exact_drag(marks[m] * PRINT_INTERVAL));
        printf("\n");
    }
    return 0;
}
