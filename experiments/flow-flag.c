// SPDX-License-Identifier: MIT
// flow-flag.c: a flag in a stream of air, one-way and two-way.
//
// [SJ] section 7, third scene, and figure 4: one wall is a source, the opposite one a sink, a cloth
// is aligned with the stream and held by the two corners next to the source; it "began to behave as
// a flag would", with "palpable" ripples. No numbers are published. Here: a flag of 0.5 x 0.3 m and
// 60 g/m^2 in a stream of 5 m/s in a box of 1.2 x 0.6 x 0.6 m.
//
// Measured in the second half of the run: rms of the distance of the middle of the free edge from
// the plane of the flag, its frequency from zero crossings, the Strouhal number f L / U, and
// ripples: the mean number of extrema of the deflection along the middle row that exceed 1 % of the
// length.
//
// [SJ] in docs/references.md
#include "flowing.h"

enum { COLUMNS = 31, ROWS = 19 };
static const double U = 5, length = 0.5, height = 0.3, middle = 0.301; // m/s; m

static flowing create(experiment *e, flowing_way way)
{
    fm_error *err = experiment_error(e);
    flowing f = {.world = fixture_create_world(fixture_air_def(1), err)};
    fm_cloth_def def = flowing_cloth_def(way, 0.06, 50, 3);
    fm_sheet sheet = {.columns = COLUMNS, .rows = ROWS, .width = length, .height = height};
    sheet.origin = (fm_vec3){0.25, 0.45, middle};
    f.cloth = fm_cloth_create_sheet(f.world, &def, &sheet, err);
    fm_cloth_pin_list(f.cloth, (int[]){0, COLUMNS * (ROWS - 1)}, 2, NULL, err);
    int cells = experiment_quick(e) ? 12 : 20;
    fm_grid_def grid = fm_default_grid_def();
    grid.cells[0] = 2 * cells, grid.cells[1] = grid.cells[2] = cells;
    grid.spacing = 0.6 / cells;
    grid.density = 1.2, grid.viscosity = 1.8e-5;
    for (int side = 0; side < FM_SIDE_COUNT; side++)
        grid.sides[side].kind = FM_GRID_SLIP;
    grid.sides[FM_SIDE_LEFT].kind = FM_GRID_INFLOW;
    grid.sides[FM_SIDE_LEFT].velocity = (fm_vec3){U, 0, 0};
    grid.sides[FM_SIDE_RIGHT].kind = FM_GRID_OPEN;
    f.grid = fm_grid_create(f.world, &grid, err);
    fm_grid_start start = {.kind = FM_GRID_START_UNIFORM, .velocity = {U, 0, 0}};
    if (f.grid)
        fm_grid_set_start(f.grid, &start, err);
    flowing_couple(&f, way, err);
    return f;
}

// Number of extrema of the deflection along the middle row that exceed 1 % of the length.
static int count_ripples(const fm_vec3 *x)
{
    const fm_vec3 *row = x + COLUMNS * (ROWS / 2);
    int count = 0;
    double turn = row[0].z, sign = 0;
    for (int i = 1; i < COLUMNS; i++) {
        double step = row[i].z - turn;
        if (sign == 0 ? fabs(step) > 0.01 * length : step * sign > 0) {
            sign = step > 0 ? 1 : -1;
            turn = row[i].z;
        } else if (step * sign < -0.01 * length) {
            count++;
            sign = -sign, turn = row[i].z;
        }
    }
    return count;
}

// Simulates one way and reports it.
static void run(experiment *e, flowing_way way, experiment_table *table)
{
    fm_error *err = experiment_error(e);
    flowing f = create(e, way);
    double end = experiment_quick(e) ? 0.2 : 2.4, dt = 1.0 / 96, square = 0, first = 0, last = 0;
    double before = 0, ripples = 0, most = 0;
    int count = 0, zeros = 0, n;
    for (int k = 1; k * dt <= end && err->status == FM_OK; k++) {
        fm_report r = fm_world_advance(f.world, dt, err);
        const fm_vec3 *x = fm_cloth_positions(f.cloth, &n);
        double z = x[COLUMNS * (ROWS / 2) + COLUMNS - 1].z - middle;
        experiment_write_row(table, "%s,%g,%g,%g", flowing_names[way], k * dt, z, r.max_stretch);
        if (k * dt > end / 2) {
            square += z * z, count++, most = fmax(most, fabs(z));
            ripples += count_ripples(x);
            if (z * before < 0) {
                last = (k - z / (z - before)) * dt;
                first = zeros++ == 0 ? last : first;
            }
        }
        before = z;
    }
    double frequency = zeros > 2 ? 0.5 * (zeros - 1) / (last - first) : NAN;
    const char *name = flowing_names[way];
    experiment_add_named_result(e, NAN, 100 * sqrt(square / count), "cm",
                                "%s: rms of the free edge", name);
    experiment_add_named_result(e, NAN, 100 * most, "cm", "%s: largest deflection", name);
    experiment_add_named_result(e, NAN, frequency, "Hz", "%s: frequency", name);
    experiment_add_named_result(e, NAN, frequency * length / U, "", "%s: Strouhal number", name);
    experiment_add_named_result(e, NAN, ripples / count, "", "%s: ripples along the flag", name);
    fm_world_destroy(f.world);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "flow-flag",
                                    "A flag in a stream: one-way, by drag, two-way.", &status);
    if (!e)
        return status;
    experiment_table *table = experiment_table_open(e, "tip.csv", "way,t_s,z_m,max_stretch");
    for (int way = FLOWING_ONE_WAY; way < FLOWING_WAYS && !experiment_failed(e); way++)
        run(e, (flowing_way)way, table);
    experiment_plot(e, "tip", "The middle of the flag's free edge",
                    "set xlabel 't, s'\nset ylabel 'z, m'\nplot for [w in 'one-way by-drag "
                    "two-way'] 'tip.csv' using (strcol(1) eq w ? $2 : NaN):3 with lines title w\n");
    return experiment_close(e);
}
