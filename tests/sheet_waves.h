// SPDX-License-Identifier: MIT
// sheet_waves.h: standing waves on a stretched sheet between two viscous fluids at rest.
//
// The sheet is as long as one wave and held at two of its nodes, in a plane box that is periodic
// along it, with slip walls above and below. reference/flow_sheet_wave.csv has the frequency and
// the decay of small waves from the linearised Navier-Stokes equations.
#ifndef FATHOM_TESTS_SHEET_WAVES_H
#define FATHOM_TESTS_SHEET_WAVES_H

#include "flows.h"

#include <string.h>

typedef struct wave {
    double sigma, rho, nu, T, n, omega, decay; // a row of the reference; n: waves per metre
    int cells;                                 // along the wave
    double step;                               // s, largest substep of the fluid; 0: its own
    double tall, amplitude; // height of the box, height of the wave, over its length
} wave;

// Least-squares slope of y over x.
static inline double fit_slope(const double *x, const double *y, int count)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < count; i++)
        sx += x[i], sy += y[i], sxx += x[i] * x[i], sxy += x[i] * y[i];
    return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

// Creates the box and the sheet with a wave of amplitude a0 about the height y0, m.
static inline fm_world *create_wave(const wave *w, double y0, double a0, fm_cloth **cloth)
{
    fm_error err = {0};
    const double strain = 0.02;
    double L = 1 / w->n, h = L / w->cells;
    int columns = w->cells + 1, edges[2 * STRIP_ROWS], count;
    fm_world *world = create_grid_world();
    fm_grid_def def = fm_default_grid_def();
    def.cells[0] = w->cells, def.cells[1] = (int)lround(w->tall * w->cells), def.cells[2] = 1;
    def.spacing = h;
    def.density = w->rho, def.viscosity = w->rho * w->nu;
    def.time_step = w->step;
    for (int side = 0; side < FM_SIDE_COUNT; side++)
        def.sides[side].kind = side < FM_SIDE_BOTTOM ? FM_GRID_PERIODIC : FM_GRID_SLIP;
    fm_grid *grid = create_grid(world, &def);
    fm_cloth_def sheet = plain_sheet(w->sigma * (1 + strain), w->T / strain);
    *cloth = create_strip(world, &sheet, FM_CLOTH_SHEET, columns, (fm_vec3){0, y0, 0},
                          (fm_vec3){L, y0, 0}, h, strain);
    fm_vec3 *x = malloc((size_t)columns * STRIP_ROWS * sizeof *x);
    const fm_vec3 *flat = fm_cloth_positions(*cloth, &count);
    memcpy(x, flat, (size_t)count * sizeof *x);
    for (int i = 0; i < count; i++)
        x[i].y += a0 * sin(2 * PI * x[i].x / L);
    assert_true(fm_cloth_set_positions(*cloth, x, &err));
    free(x);
    for (int j = 0; j < STRIP_ROWS; j++)
        edges[2 * j] = j * columns, edges[2 * j + 1] = (j + 1) * columns - 1;
    assert_true(fm_cloth_pin_list(*cloth, edges, 2 * STRIP_ROWS, NULL, &err));
    couple_sheet(world, *cloth, grid, INFINITY, 0);
    return world;
}

// Measures angular frequency, rad/s, and decay, 1/s, over five periods: from the times of the zeros
// of the wave's amplitude, and from its extrema without the first two.
static inline void measure_wave(const wave *w, double *omega, double *decay)
{
    double L = 1 / w->n, h = L / w->cells, y0 = 0.5 * w->tall * L + 0.2 * h, a0 = w->amplitude * L;
    double period = 2 * PI / w->omega, dt = period / 80, last = a0, largest = 0, when = 0;
    double zero[16], peak[16], peak_time[16], number[16];
    int zeros = 0, count;
    fm_cloth *cloth;
    fm_world *world = create_wave(w, y0, a0, &cloth);
    for (int t = 1; t <= 400 && zeros < 16; t++) {
        advance(world, dt);
        const fm_vec3 *at = fm_cloth_positions(cloth, &count);
        double a = 0;
        for (int i = 0; i < count; i++)
            a += 2 * (at[i].y - y0) * sin(2 * PI * at[i].x / L) / (count - STRIP_ROWS);
        if (fabs(a) > largest)
            largest = fabs(a), when = t * dt;
        if (a * last < 0) {
            number[zeros] = zeros;
            peak[zeros] = log(largest), peak_time[zeros] = when;
            zero[zeros++] = (t - 1 + last / (last - a)) * dt;
            largest = 0;
        }
        last = a;
    }
    assert_true(zeros >= 8);
    *omega = PI / fit_slope(number, zero, zeros);
    *decay = -fit_slope(peak_time + 3, peak + 3, zeros - 3);
    fm_world_destroy(world);
}

// Compares a wave with the reference: frequency within 2 %, decay within 10 %.
static inline void check_wave(const wave *w)
{
    double omega, decay;
    measure_wave(w, &omega, &decay);
    print_message("sigma %g, rho %g, nu %g, %d cells: frequency %+.2f %%, decay %+.1f %%\n",
                  w->sigma, w->rho, w->nu, w->cells, 100 * (omega / w->omega - 1),
                  100 * (decay / w->decay - 1));
    assert_close(omega / w->omega, 1, 0.02);
    assert_close(decay / w->decay, 1, 0.1);
}

#endif
