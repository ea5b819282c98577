// SPDX-License-Identifier: MIT
// flows.h: sheets in grid fluids with two-way coupling, used by the tests of cloth in flow.
#ifndef FATHOM_TESTS_FLOWS_H
#define FATHOM_TESTS_FLOWS_H

#include "grid/grid.h"
#include "grids.h"

enum { STRIP_ROWS = 3 };

// A sheet of mass sigma, kg/m^2, without forces of its own but springs of stiffness T, N/m.
static inline fm_cloth_def plain_sheet(double sigma, double stiffness)
{
    fm_cloth_def def = bare_cloth();
    def.thickness = fmax(1e-6, sigma / 1e4);
    def.density = sigma / def.thickness;
    def.stretch.stiffness = stiffness;
    def.shear.stiffness = 0;
    return def;
}

// Creates a straight strip across a plane flow in the cells 0 < z < depth, from point `a` to point
// `b`. Its springs are strained by `strain`. In a mesh the mass of a particle is a third of its
// triangles, as are its loads, so that a free strip in a uniform flow stays straight.
static inline fm_cloth *create_strip(fm_world *world, const fm_cloth_def *def, fm_cloth_kind kind,
                                     int columns, fm_vec3 a, fm_vec3 b, double depth, double strain)
{
    fm_error err = {0};
    fm_cloth *cloth;
    double length = fm_length(fm_sub(b, a)) / (1 + strain);
    if (kind == FM_CLOTH_MESH) {
        fixture_mesh mesh = fixture_create_grid(columns, STRIP_ROWS, length / (columns - 1),
                                                depth / (STRIP_ROWS - 1), CUT_ALTERNATING);
        cloth = create_mesh(world, def, &mesh);
        fixture_destroy_mesh(&mesh);
    } else {
        fm_sheet sheet = {.columns = columns, .rows = STRIP_ROWS, .width = length, .height = depth};
        cloth = create_sheet(world, def, &sheet);
    }
    fm_vec3 *x = malloc((size_t)columns * STRIP_ROWS * sizeof *x);
    for (int j = 0; j < STRIP_ROWS; j++)
        for (int i = 0; i < columns; i++) {
            fm_vec3 at = fm_add_scaled(a, fm_sub(b, a), (double)i / (columns - 1));
            at.z = depth * j / (STRIP_ROWS - 1);
            x[j * columns + i] = at;
        }
    assert_true(fm_cloth_set_positions(cloth, x, &err));
    free(x);
    return cloth;
}

// Holds all particles of a sheet where they are.
static inline void hold_sheet(fm_cloth *cloth)
{
    fm_error err = {0};
    int n = fm_cloth_particle_count(cloth), *all = malloc((size_t)n * sizeof *all);
    for (int i = 0; i < n; i++)
        all[i] = i;
    assert_true(fm_cloth_pin_list(cloth, all, n, NULL, &err));
    free(all);
}

// Couples a sheet to a grid fluid, two-way.
static inline void couple_sheet(fm_world *world, fm_cloth *cloth, fm_grid *grid, double resistance,
                                double quadratic)
{
    fm_error err = {0};
    fm_coupling_def def = {
        .way = FM_COUPLING_TWO_WAY, .resistance = resistance, .quadratic = quadratic};
    bool good =
        fm_world_couple_with(world, fm_cloth_object(cloth), fm_grid_object(grid), &def, &err);
    assert_good(good, &err);
}

// Momentum of a fluid, kg m/s; the faces on the high sides of a periodic grid are copies.
static inline fm_vec3 grid_momentum(const fm_grid *g)
{
    double sum[3] = {0}, mass = g->def.density * g->h * g->h * g->h;
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < g->n[2]; k++)
            for (int j = 0; j < g->n[1]; j++)
                for (int i = 0; i < g->n[0]; i++)
                    sum[a] += g->u[a][fm_grid_index(g, i, j, k)];
    return (fm_vec3){mass * sum[0], mass * sum[1], mass * sum[2]};
}

// Momentum of a cloth with the impulses that it has not received yet, kg m/s.
static inline fm_vec3 sheet_momentum(fm_cloth *cloth, const fm_grid *g)
{
    int n;
    const fm_vec3 *v = fm_cloth_velocities(cloth, &n);
    double *m = malloc((size_t)n * sizeof *m);
    fm_vec3 sum = {0, 0, 0};
    read_field(cloth, "mass", m);
    for (int i = 0; i < n; i++)
        sum = fm_add_scaled(sum, v[i], m[i]);
    free(m);
    for (int i = 0; i < g->samples[0]->count; i++)
        sum = fm_add(sum, g->samples[0]->impulse_to_body[i]);
    return sum;
}

// Mean velocity of the fluid along axis a, m/s.
static inline double mean_velocity(const fm_grid *g, int a)
{
    double mass = g->def.density * pow(g->h, 3) * g->n[0] * g->n[1] * g->n[2];
    fm_vec3 p = grid_momentum(g);
    return (a == 0 ? p.x : a == 1 ? p.y : p.z) / mass;
}

#endif
