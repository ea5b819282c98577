// SPDX-License-Identifier: MIT
// surface_modes.c: smooth functions on a cloth, and transforms to and from their coefficients.
//
// On a sheet of the width W and the height H they are products of waves along both directions,
//
//     phi = f(x) g(y),   k^2 = k_x^2 + k_y^2,   the wavenumber
//     f = sqrt(2/W) cos(k_x x), k_x = pi a / W (1/sqrt(W) for a = 0)    both edges are free
//     f = sqrt(2/W) sin(k_x x), k_x = pi (a + 1) / W                    both edges are held
//     f = sqrt(2/W) sin or cos, k_x = pi (a + 1/2) / W                  x = 0 is held, or x = W
//
// and g likewise. At free edges they have no slope, as if the sheet were continued by its mirror
// image; at edges that pins hold from end to end they are 0, as in the waves of a sheet that is
// clamped there. They are orthonormal with the areas of the particles, which are halved along the
// edges (discrete cosine and sine transforms). Transforms go along the rows first and along the
// columns then: N (across + down) products instead of N across down. Waves shorter than four cells
// are left out, and all beyond MODES_MAX in one direction. Tubes and meshes have the eigenvectors
// of mesh_modes.c instead.
#include "cloth/added_mass.h"

#include <math.h>
#include <string.h>

enum {
    MODES_MAX = 64, // waves in one direction
    PADDING = 4,    // doubles in a vector
};

// The smallest multiple of `to` that is at least n.
static int round_up(int n, int to)
{
    return (n + to - 1) / to * to;
}

// to[0..n) = sum over k of weight[k * weight_step] * from[k * from_step + 0..n).
FM_SIMD_CLONES
static void combine_rows(int n, int count, const double *restrict weight, int weight_step,
                         const double *restrict from, int from_step, double *restrict to)
{
    for (int i = 0; i < n; i++)
        to[i] = 0;
    int k = 0;
    for (; k + 4 <= count; k += 4) {
        double a = weight[k * weight_step], b = weight[(k + 1) * weight_step];
        double c = weight[(k + 2) * weight_step], d = weight[(k + 3) * weight_step];
        const double *p = from + (size_t)k * (size_t)from_step, *q = p + from_step;
        const double *r = q + from_step, *s = r + from_step;
#pragma omp simd
        for (int i = 0; i < n; i++)
            to[i] += a * p[i] + b * q[i] + c * r[i] + d * s[i];
    }
    for (; k < count; k++) {
        double a = weight[k * weight_step];
        const double *p = from + (size_t)k * (size_t)from_step;
#pragma omp simd
        for (int i = 0; i < n; i++)
            to[i] += a * p[i];
    }
}

typedef struct transform {
    const fm_cloth *cloth;
    const fm_surface_modes *modes;
    const double *in;
    double *out;
} transform;

// First step of the analysis of a sheet: sums along the rows [first, last), for all waves across.
static void analyse_rows(void *context, int first, int last)
{
    const transform *t = context;
    const fm_surface_modes *m = t->modes;
    int columns = t->cloth->columns;
    for (int r = first; r < last; r++)
        combine_rows(m->across, columns, t->in + (size_t)r * (size_t)columns, 1, m->wave_across,
                     m->across, m->row + (size_t)r * (size_t)m->across);
}

// Second step of the analysis of a sheet: sums along the columns, for the waves down [first, last).
static void analyse_columns(void *context, int first, int last)
{
    const transform *t = context;
    const fm_surface_modes *m = t->modes;
    for (int b = first; b < last; b++)
        combine_rows(m->across, t->cloth->rows, m->wave_down + b, m->down, m->row, m->across,
                     t->out + (size_t)b * (size_t)m->across);
}

// Values of a sheet from the coefficients, in the rows [first, last).
static void synthesise_rows(void *context, int first, int last)
{
    const transform *t = context;
    const fm_surface_modes *m = t->modes;
    int columns = t->cloth->columns;
    for (int r = first; r < last; r++) {
        double *row = m->row + (size_t)r * (size_t)m->across;
        combine_rows(m->across, m->down, m->wave_down + (size_t)r * (size_t)m->down, 1, t->in,
                     m->across, row);
        combine_rows(columns, m->across, row, 1, m->wave_across_t, columns,
                     t->out + (size_t)r * (size_t)columns);
    }
}

// Sums phi_j(i) in[i] over one block of particles i, for every mode j.
FM_SIMD_CLONES
static void analyse_block(int count, const float *restrict shape, const double *restrict in,
                          double *restrict out)
{
    for (int j = 0; j < count; j++) {
        const float *phi = shape + (size_t)j * FM_MODE_BLOCK;
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int i = 0; i < FM_MODE_BLOCK; i++)
            sum += (double)phi[i] * in[i];
        out[j] = sum;
    }
}

// Values of one block of particles, from the coefficients of all modes.
FM_SIMD_CLONES
static void synthesise_block(int count, const float *restrict shape, const double *restrict in,
                             double *restrict out)
{
    double sum[FM_MODE_BLOCK] = {0};
    for (int j = 0; j < count; j++) {
        const float *phi = shape + (size_t)j * FM_MODE_BLOCK;
#pragma omp simd
        for (int i = 0; i < FM_MODE_BLOCK; i++)
            sum[i] += (double)phi[i] * in[j];
    }
    for (int i = 0; i < FM_MODE_BLOCK; i++)
        out[i] = sum[i];
}

// Copies the values of one block of particles; the last block is filled up with zeros. Returns the
// number of particles in the block.
static int load_block(const fm_cloth *c, int block, const double *in, double *out)
{
    int first = block * FM_MODE_BLOCK, n = c->count - first;
    n = n < FM_MODE_BLOCK ? n : FM_MODE_BLOCK;
    for (int i = 0; i < FM_MODE_BLOCK; i++)
        out[i] = i < n ? in[first + i] : 0;
    return n;
}

// Sums of the blocks [first, last) of particles of a mesh, into m->partial.
static void analyse_blocks(void *context, int first, int last)
{
    const transform *t = context;
    const fm_surface_modes *m = t->modes;
    double in[FM_MODE_BLOCK];
    for (int b = first; b < last; b++) {
        load_block(t->cloth, b, t->in, in);
        analyse_block(m->count, m->shape + (size_t)b * (size_t)m->count * FM_MODE_BLOCK, in,
                      m->partial + (size_t)b * (size_t)m->count);
    }
}

// Values of the blocks [first, last) of particles of a mesh.
static void synthesise_blocks(void *context, int first, int last)
{
    const transform *t = context;
    const fm_surface_modes *m = t->modes;
    double out[FM_MODE_BLOCK];
    for (int b = first; b < last; b++) {
        synthesise_block(m->count, m->shape + (size_t)b * (size_t)m->count * FM_MODE_BLOCK, t->in,
                         out);
        for (int i = 0; i < FM_MODE_BLOCK && b * FM_MODE_BLOCK + i < t->cloth->count; i++)
            t->out[b * FM_MODE_BLOCK + i] = out[i];
    }
}

// coefficient[j] = sum_i phi_j(i) field[i].
void fm_surface_modes_analyse(const fm_cloth *c, const fm_surface_modes *m, fm_pool *pool,
                              const double *field, double *coefficient)
{
    transform t = {.cloth = c, .modes = m, .in = field, .out = coefficient};
    int blocks = fm_parallel_block_count(c->count, FM_MODE_BLOCK);
    if (c->kind == FM_CLOTH_SHEET) {
        fm_parallel_for(pool, c->rows, c->row_block, analyse_rows, &t);
        fm_parallel_for(pool, m->down, fm_parallel_block_count(m->down, 4), analyse_columns, &t);
        return;
    }
    fm_parallel_for(pool, blocks, FM_PARTICLE_BLOCK / FM_MODE_BLOCK, analyse_blocks, &t);
    memset(coefficient, 0, (size_t)m->count * sizeof *coefficient);
    for (int b = 0; b < blocks; b++) {
        for (int j = 0; j < m->count; j++)
            coefficient[j] += m->partial[(size_t)b * (size_t)m->count + (size_t)j];
    }
}

// field[i] = sum_j phi_j(i) coefficient[j].
void fm_surface_modes_synthesise(const fm_cloth *c, const fm_surface_modes *m, fm_pool *pool,
                                 const double *coefficient, double *field)
{
    transform t = {.cloth = c, .modes = m, .in = coefficient, .out = field};
    if (c->kind == FM_CLOTH_SHEET)
        fm_parallel_for(pool, c->rows, c->row_block, synthesise_rows, &t);
    else
        fm_parallel_for(pool, fm_parallel_block_count(c->count, FM_MODE_BLOCK),
                        FM_PARTICLE_BLOCK / FM_MODE_BLOCK, synthesise_blocks, &t);
}

// values[j] = phi_j(particle), 1/m.
void fm_surface_modes_read(const fm_cloth *c, const fm_surface_modes *m, int particle,
                           double *values)
{
    int block = particle / FM_MODE_BLOCK, row = particle / c->columns;
    for (int j = 0; j < m->count; j++) {
        if (c->kind == FM_CLOTH_SHEET)
            values[j] = m->wave_across[(particle % c->columns) * m->across + j % m->across] *
                        m->wave_down[row * m->down + j / m->across];
        else
            values[j] =
                (double)m->shape[((size_t)block * (size_t)m->count + (size_t)j) * FM_MODE_BLOCK +
                                 (size_t)(particle % FM_MODE_BLOCK)];
    }
}

// Number of waves of at least four cells and `shortest`, over `points` points and the length
// `side`.
static int count_waves(int points, double side, double shortest)
{
    int n = (points - 1) / 2 + 1, wanted = (int)fmin(2 * side / fmax(shortest, 1e-9 * side), 1e6);
    n = n < MODES_MAX ? n : MODES_MAX;
    return wanted + 1 < n ? wanted + 1 : n;
}

// Waves along one direction of a sheet: number, points, length in m, and which ends are held.
typedef struct direction {
    int waves, points;
    double side;
    bool first_held, last_held;
} direction;

// 1/m, wavenumber of wave a.
static double find_wave_number(const direction *d, int a)
{
    double halves = a + 0.5 * (d->first_held + d->last_held);
    return FM_PI * halves / d->side;
}

// Value of wave a at a point of the direction, 1/sqrt(m).
static double find_wave_value(const direction *d, int a, int point)
{
    double k = find_wave_number(d, a), x = d->side * point / (d->points - 1);
    double norm = sqrt((k > 0 ? 2 : 1) / d->side);
    if (d->last_held && point == d->points - 1)
        return 0;
    return norm * (d->first_held ? sin(k * x) : cos(k * x));
}

// 1/m, wavenumber of the shortest wave if both edges are free; held edges would add pi / (2 side)
// each, which is neglected. With a single wave: wavenumber of a wave that is two cells long.
static double find_local_wave(const direction *d)
{
    return FM_PI / d->side * (d->waves > 1 ? d->waves - 1 : d->points - 1);
}

// Whether all `count` particles of an edge are held: first, first + step, and so on.
static bool is_edge_held(const unsigned char *held, int first, int step, int count)
{
    for (int i = 0; i < count; i++) {
        if (!held[first + i * step])
            return false;
    }
    return true;
}

// The waves along the rows (down false) or along the columns of a sheet.
static direction find_direction(const fm_cloth *c, const fm_surface_modes *m,
                                const unsigned char *held, bool down)
{
    int points = down ? c->rows : c->columns, others = down ? c->columns : c->rows;
    int step = down ? 1 : c->columns, last = (points - 1) * (down ? c->columns : 1);
    return (direction){.waves = down ? m->down : m->waves_across,
                       .points = points,
                       .side = down ? c->sheet.height : c->sheet.width,
                       .first_held = held && is_edge_held(held, 0, step, others),
                       .last_held = held && is_edge_held(held, last, step, others)};
}

// Chooses the number of waves of a sheet and allocates their arrays. False: out of memory.
static bool create_sheet_modes(fm_cloth *c, fm_surface_modes *m, double shortest, fm_error *err)
{
    const char *name = c->object.name;
    fm_arena *arena = &c->arena;
    m->waves_across = count_waves(c->columns, c->sheet.width, shortest);
    m->across = round_up(m->waves_across, PADDING);
    m->down = count_waves(c->rows, c->sheet.height, shortest);
    m->count = m->across * m->down;
    size_t n = (size_t)m->across, columns = (size_t)c->columns, rows = (size_t)c->rows;
    m->wave = fm_arena_alloc(arena, (size_t)m->count, sizeof(double), name, err);
    m->wave_across = fm_arena_alloc(arena, n * columns, sizeof(double), name, err);
    m->wave_across_t = fm_arena_alloc(arena, n * columns, sizeof(double), name, err);
    m->wave_down = fm_arena_alloc(arena, (size_t)m->down * rows, sizeof(double), name, err);
    m->row = fm_arena_alloc(arena, n * rows, sizeof(double), name, err);
    return err->status == FM_OK;
}

// Computes the waves of a sheet, which are 0 along edges that are held from end to end, and where
// they vanish.
static void compute_sheet_modes(const fm_cloth *c, fm_surface_modes *m, const unsigned char *held,
                                unsigned char *vanishes)
{
    direction x = find_direction(c, m, held, false), y = find_direction(c, m, held, true);
    for (int a = 0; a < x.waves; a++) {
        for (int i = 0; i < c->columns; i++)
            m->wave_across[i * m->across + a] = m->wave_across_t[a * c->columns + i] =
                find_wave_value(&x, a, i);
    }
    for (int b = 0; b < y.waves; b++) {
        for (int i = 0; i < c->rows; i++)
            m->wave_down[i * m->down + b] = find_wave_value(&y, b, i);
    }
    for (int j = 0; j < m->count; j++) {
        int a = j % m->across, b = j / m->across;
        m->wave[j] =
            a < x.waves ? hypot(find_wave_number(&x, a), find_wave_number(&y, b)) : INFINITY;
    }
    for (int i = 0; i < c->count; i++) {
        int column = i % c->columns, row = i / c->columns;
        vanishes[i] = (column == 0 && x.first_held) || (column == c->columns - 1 && x.last_held) ||
                      (row == 0 && y.first_held) || (row == c->rows - 1 && y.last_held);
    }
    m->local_wave = sqrt(find_local_wave(&x) * find_local_wave(&y));
}

// Allocates the modes. shortest: m, no shorter waves are wanted; 0: all that the particles resolve.
bool fm_surface_modes_create(fm_cloth *c, fm_surface_modes *m, double shortest, fm_error *err)
{
    return c->kind == FM_CLOTH_SHEET ? create_sheet_modes(c, m, shortest, err)
                                     : fm_mesh_modes_create(c, m, shortest, err);
}

// Computes the modes for the particles that pins hold (held[i] != 0; NULL: none). vanishes[i]: 1
// where all modes are 0. False: out of memory.
bool fm_surface_modes_compute(const fm_cloth *c, fm_surface_modes *m, const unsigned char *held,
                              unsigned char *vanishes)
{
    if (c->kind == FM_CLOTH_SHEET) {
        compute_sheet_modes(c, m, held, vanishes);
        return true;
    }
    for (int i = 0; i < c->count; i++)
        vanishes[i] = held ? held[i] : 0;
    return fm_mesh_modes_compute(c, m, vanishes);
}
