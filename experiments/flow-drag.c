// SPDX-License-Identifier: MIT
// flow-drag.c: drag of a disc, of a cup and of a flexible strip across a stream, two-way.
//
// A disc, and a hollow hemisphere with its open side to the stream, of the diameter D = 1 m, both
// of held cloth without `resistance`, in a tank of 8 D x 6 D x 6 D with slip walls. Water enters at
// U = 10 m/s 2.5 D before the body and leaves 5.5 D behind it. Re = U D / nu = 1e4. The first
// stream is oblique, so that the wake does not stay symmetric; a wake that is forced to, by slip
// walls in the planes of symmetry, has 0.6 of the drag. That of the disc becomes asymmetric after
// 10 D / U; the drag then rises to 2.1, and settles at about 20 D / U.
//
// The coefficient is the mean force from 20 to 60 D / U over 1/2 rho U^2 A, A the area across the
// stream. The body fills 2.2 % of the section; Maskell's estimate of the coefficient in an infinite
// stream is C / (1 + e C S/A), with e = 2.77 and S/A that share. "paper" is the value of
// measurements at Re above 1e3 [HOE65]. The disc also at Re 100, where its wake is steady, from 10
// to 20 D / U.
//
// Then a flexible strip of the length 2 L held at its middle across a plane stream, 10 cells along
// L, tank 10 L x 8 L: its mean drag over that of the rigid strip. "paper" is the ratio with
// pressure drag alone (reference/flow_reconfiguration.csv) for the same Ca = 1/2 rho C U^2 L^3 / B,
// with the coefficient C of the rigid strip.
//
// [HOE65] in docs/references.md
#include "experiment.h"
#include "fixtures.h"

#include <fathom/couple.h>
#include <stdlib.h>

enum { LENGTH = 8, WIDTH = 6, SECTORS = 48 }; // of the tank, diameters; of the body
static const double SPEED =
    10; // m/s, so that the intervals of the coupling do not limit the substep
static const double REYNOLDS[] = {1e4, 100};
static const double pi = 3.14159265358979323846;

// A disc or a hemisphere of the radius R about the axis through `rim`, the centre of its rim, along
// x.
static fixture_mesh create_shape(bool cup, double R, fm_vec3 rim, int rings)
{
    fixture_mesh m = fixture_create_mesh(rings * SECTORS + 1, 2 * rings * SECTORS);
    int centre = rings * SECTORS;
    m.vertex_count = centre + 1;
    m.positions[centre] = (fm_vec3){rim.x + (cup ? R : 0), rim.y, rim.z};
    for (int r = 0; r < rings; r++) {
        double part = (r + 1.0) / rings, out = cup ? R * sin(pi / 2 * part) : R * part;
        for (int s = 0; s < SECTORS; s++) {
            double angle = 2 * pi * s / SECTORS;
            int a = r * SECTORS + s, b = r * SECTORS + (s + 1) % SECTORS;
            m.positions[a] = (fm_vec3){rim.x + (cup ? R * cos(pi / 2 * part) : 0),
                                       rim.y + out * cos(angle), rim.z + out * sin(angle)};
            fixture_add_triangle(&m, a, b, r ? a - SECTORS : centre);
            if (r)
                fixture_add_triangle(&m, b, b - SECTORS, a - SECTORS);
        }
    }
    return m;
}

// Creates the held body and couples it to the water.
static fm_cloth *create_body(fm_world *world, fm_grid *grid, bool cup, double R, fm_vec3 rim,
                             fm_error *err)
{
    fixture_mesh mesh = create_shape(cup, R, rim, cup ? 16 : 12);
    fm_cloth_mesh view = fixture_cloth_mesh(&mesh);
    fm_cloth_def def = fixture_perfect_cloth();
    def.drag.model = FM_DRAG_NONE;
    fm_cloth *cloth = fm_cloth_create_mesh(world, &def, &view, err);
    int *all = calloc((size_t)mesh.vertex_count, sizeof *all);
    for (int i = 0; i < mesh.vertex_count && all; i++)
        all[i] = i;
    fm_coupling_def coupling = fm_default_coupling_def();
    if (cloth && all && fm_cloth_pin_list(cloth, all, mesh.vertex_count, NULL, err))
        fm_world_couple_with(world, fm_cloth_object(cloth), fm_grid_object(grid), &coupling, err);
    free(all);
    fixture_destroy_mesh(&mesh);
    return cloth;
}

// Force of the water along x in the last advance, N.
static double read_load(fm_cloth *cloth, fm_error *err)
{
    double values[32] = {0};
    fm_object_measure(fm_cloth_object(cloth), values, err);
    return values[8]; // load_x
}

// Measures the drag of a body with `across` cells per diameter of 1 m. slow: at the smaller
// Reynolds number.
static void measure(experiment *e, bool cup, int across, bool slow, experiment_table *table)
{
    const char *name = cup ? "cup" : "disc";
    fm_error *err = experiment_error(e);
    double h = 1.0 / across;
    fm_world *world = fixture_create_world(fixture_weightless_water_def(1), err);
    fm_grid_def def = fm_default_grid_def();
    def.cells[0] = LENGTH * across, def.cells[1] = def.cells[2] = WIDTH * across;
    def.spacing = h;
    def.density = 1000, def.viscosity = 1000 * SPEED / REYNOLDS[slow];
    for (int side = 0; side < FM_SIDE_COUNT; side++)
        def.sides[side].kind = FM_GRID_SLIP;
    def.sides[FM_SIDE_LEFT] = (fm_grid_side){.kind = FM_GRID_INFLOW, .velocity = {SPEED, 0, 0}};
    def.sides[FM_SIDE_RIGHT].kind = FM_GRID_OPEN;
    fm_grid *grid = fm_grid_create(world, &def, err);
    fm_grid_start start = {.kind = FM_GRID_START_UNIFORM,
                           .velocity = {SPEED, 0.2 * SPEED, 0.1 * SPEED}};
    fm_cloth *body = NULL;
    if (grid && fm_grid_set_start(grid, &start, err))
        body = create_body(
            world, grid, cup, 0.5,
            (fm_vec3){(2.5 * across + 0.2) * h, WIDTH * across * h / 2, WIDTH * across * h / 2},
            err);
    double mean = 0, step = (experiment_quick(e) ? 0.0025 : 0.5) / SPEED; // s
    int steps = experiment_quick(e) ? 6
                : slow              ? 40
                                    : 120,
        counted = 0, first = steps / (slow ? 2 : 3);
    for (int i = 0; body && i < steps && !experiment_failed(e); i++) {
        fm_world_advance(world, step, err);
        double C = read_load(body, err) / (0.5 * 1000 * SPEED * SPEED * pi / 4);
        mean += i >= first ? C : 0;
        counted += i >= first;
        experiment_write_row(table, "%s,%d,%g,%g,%g", name, across, REYNOLDS[slow], (i + 1) * step,
                             C);
    }
    mean /= counted > 0 ? counted : 1;
    double share = pi / 4 / (WIDTH * WIDTH), published = cup ? 1.42 : 1.17;
    experiment_add_named_result(e, NAN, mean, "", "%s, Re %g, %d cells: drag in the tank", name,
                                REYNOLDS[slow], across);
    if (!slow)
        experiment_add_named_result(e, published, mean / (1 + 2.77 * mean * share), "",
                                    "%s, %d cells: drag, corrected for %.1f %% blockage", name,
                                    across, 100 * share);
    fm_world_destroy(world);
}

// Creates a strip across the stream at x = at, from y = low to low + 2 m, held at its middle, or
// all of it if B is infinite. depth: m, of the cells.
static fm_cloth *create_strip(fm_world *world, double B, double at, double low, double depth,
                              fm_error *err)
{
    enum { COLUMNS = 41, STRIP_ROWS = 3, COUNT = COLUMNS * STRIP_ROWS };
    fm_cloth_def def = fixture_perfect_cloth();
    def.thickness = 1e-3;
    def.density = 500;
    def.stretch.stiffness = 400;
    def.shear.stiffness = 10;
    def.bend.model = FM_BEND_RIGIDITY;
    def.bend.stiffness = isinf(B) ? 1 : B;
    def.damping.coefficient = def.bend.damping.coefficient = 0;
    def.drag.model = FM_DRAG_NONE;
    fm_sheet sheet = {.columns = COLUMNS, .rows = STRIP_ROWS, .width = 2, .height = depth};
    fm_cloth *cloth = fm_cloth_create_sheet(world, &def, &sheet, err);
    fm_vec3 x[COUNT];
    int held[COUNT], count = 0;
    for (int i = 0; i < COUNT; i++) {
        x[i] = (fm_vec3){at, low + 2.0 * (i % COLUMNS) / (COLUMNS - 1),
                         depth * (i / COLUMNS) / (STRIP_ROWS - 1)};
        if (isinf(B) || abs(i % COLUMNS - COLUMNS / 2) <= 1)
            held[count++] = i;
    }
    if (cloth && fm_cloth_set_positions(cloth, x, err))
        fm_cloth_pin_list(cloth, held, count, NULL, err);
    return cloth;
}

// Mean drag of a strip of the rigidity B, N m, in fluid of 1 kg/m^3 and 1 m/s over 1/2 rho U^2 2 L.
static double measure_strip(experiment *e, double B, const char *name, experiment_table *table)
{
    fm_error *err = experiment_error(e);
    const double h = 0.1;
    fm_world *world = fixture_create_world(fixture_weightless_water_def(1), err);
    fm_grid_def def = fixture_plane_grid_def(100, 80, h, 2e-3);
    def.sides[FM_SIDE_LEFT] = (fm_grid_side){.kind = FM_GRID_INFLOW, .velocity = {1, 0, 0}};
    def.sides[FM_SIDE_RIGHT].kind = FM_GRID_OPEN;
    def.sides[FM_SIDE_BOTTOM].kind = def.sides[FM_SIDE_TOP].kind = FM_GRID_SLIP;
    fm_grid *grid = fm_grid_create(world, &def, err);
    fm_grid_start start = {.kind = FM_GRID_START_UNIFORM, .velocity = {1, 0, 0}};
    fm_cloth *strip = NULL;
    fm_coupling_def coupling = fm_default_coupling_def();
    if (grid && fm_grid_set_start(grid, &start, err))
        strip = create_strip(world, B, 3.02, 3.03, h, err);
    if (strip)
        fm_world_couple_with(world, fm_cloth_object(strip), fm_grid_object(grid), &coupling, err);
    double mean = 0, dt = experiment_quick(e) ? 0.01 : 1;
    for (int i = 0; strip && i < 40 && !experiment_failed(e); i++) {
        fm_world_advance(world, dt, err);
        double C = read_load(strip, err) / h;
        mean += i >= 20 ? C / 20 : 0;
        experiment_write_row(table, "%s,10,1000,%g,%g", name, (i + 1) * dt, C);
    }
    fm_world_destroy(world);
    return mean;
}

// Reports the drag of flexible strips over that of the rigid one.
static void measure_strips(experiment *e, experiment_table *table)
{
    static const double Ca[] = {1, 10, 100}, ratio[] = {0.974833, 0.523612, 0.191790};
    double rigid = measure_strip(e, INFINITY, "rigid strip", table);
    experiment_add_result(e, "rigid strip: drag in the tank", NAN, rigid, "");
    for (int i = 0; i < 3; i++) {
        double drag = measure_strip(e, 0.5 * rigid / Ca[i], "strip", table);
        experiment_add_named_result(e, ratio[i], drag / rigid, "",
                                    "strip, Ca %g: drag over that of the rigid one", Ca[i]);
    }
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "flow-drag",
                                    "Drag of a disc, a cup and a strip in a stream.", &status);
    if (!e)
        return status;
    experiment_table *table =
        experiment_table_open(e, "drag.csv", "body,cells,reynolds,time_s,drag");
    measure_strips(e, table);
    for (int across = 8; across <= (experiment_quick(e) ? 8 : 12); across += 4) {
        measure(e, false, across, true, table);
        measure(e, false, across, false, table);
        measure(e, true, across, false, table);
    }
    return experiment_close(e);
}
