// SPDX-License-Identifier: MIT
// flow-jet.c: a jet of water on a cloth that is held by its four corners, without gravity.
//
// [SJ] section 7, second scene, and figure 3: "Note how the bottom part is not puffed out". Section
// 5 claims that with the velocity of the fluid instead of a uniform one "the results were similar
// to a uniform velocity with the same viscosity". Neither sizes nor numbers are published. Here:
// the tank of scenes/flow/jet-four-corners.yaml, a jet of 0.2 m and 0.6 m/s that is aimed at the
// upper half of a cloth of 0.6 m and 0.5 kg/m^2, C_n = 300 N s/m per m^2, which gives the pressure
// rho U^2 / 2 at the speed of the jet. Four ways: a uniform velocity, one-way, the opposite force
// on the cells around the cloth (section 6.1), and two-way.
//
// Measured at the end: deflection in the jet, means over the upper half and the lowest quarter, the
// correlation of the deflection with that in a uniform velocity, and the speed on the axis of the
// jet behind the cloth over that before it. And one-way without the clamp of the lengths.
//
// [SJ] in docs/references.md
#include "flowing.h"

enum { N = 25 };
static const double U = 0.6, plane = 0.6; // m/s; m, x of the cloth
static const fm_vec3 jet = {0, 0.65, 0.5};

// What is measured of one way.
typedef struct result {
    double deflection[N * N]; // m
    double centre, upper, lower, passed;
    double stretch; // largest of an edge in the run
} result;

static flowing create(experiment *e, flowing_way way, bool clamped)
{
    fm_error *err = experiment_error(e);
    fm_world_def world = fixture_weightless_water_def(1);
    if (way == FLOWING_UNIFORM) {
        world.medium.flow.kind = FM_FLOW_UNIFORM;
        world.medium.flow.velocity = (fm_vec3){U, 0, 0};
    }
    flowing f = {.world = fixture_create_world(world, err)};
    fm_cloth_def def = flowing_cloth_def(way, 0.5, 100, 300);
    if (!clamped)
        def.enforcement.method = FM_ENFORCE_NONE;
    fm_sheet sheet = {.columns = N, .rows = N, .width = 0.6, .height = 0.6};
    sheet.origin = (fm_vec3){plane, 0.8, 0.8};
    sheet.rotation = (fm_quat){.w = sqrt(0.5), .y = sqrt(0.5)};
    f.cloth = fm_cloth_create_sheet(f.world, &def, &sheet, err);
    fm_cloth_pin_list(f.cloth, (int[]){0, N - 1, N * (N - 1), N * N - 1}, 4, NULL, err);
    if (way == FLOWING_UNIFORM)
        return f;
    int cells = experiment_quick(e) ? 10 : 16;
    fm_grid_def grid = fm_default_grid_def();
    grid.cells[0] = cells * 3 / 2, grid.cells[1] = grid.cells[2] = cells;
    grid.spacing = 1.0 / cells;
    grid.sides[FM_SIDE_RIGHT].kind = FM_GRID_OPEN;
    grid.patch_count = 1;
    grid.patches[0] = (fm_grid_patch){.side = FM_SIDE_LEFT,
                                      .low = {0, jet.y - 0.1, jet.z - 0.1},
                                      .high = {0, jet.y + 0.1, jet.z + 0.1}};
    grid.patches[0].condition.kind = FM_GRID_INFLOW;
    grid.patches[0].condition.velocity = (fm_vec3){U, 0, 0};
    grid.patches[0].condition.ramp = 0.5;
    f.grid = fm_grid_create(f.world, &grid, err);
    flowing_couple(&f, way, err);
    return f;
}

// Deflections and speeds now.
static void measure(experiment *e, const flowing *f, result *r)
{
    fm_error *err = experiment_error(e);
    int n, upper = 0, lower = 0;
    const fm_vec3 *x = fm_cloth_positions(f->cloth, &n);
    double nearest = 1;
    *r = (result){.passed = NAN};
    for (int i = 0; i < n; i++) {
        double d = x[i].x - plane, away = hypot(x[i].y - jet.y, x[i].z - jet.z);
        r->deflection[i] = d;
        r->centre = away < nearest ? d : r->centre;
        nearest = fmin(nearest, away);
        r->upper += i / N < N / 2 ? d : 0, upper += i / N < N / 2;
        r->lower += i / N >= 3 * N / 4 ? d : 0, lower += i / N >= 3 * N / 4;
    }
    r->upper /= upper, r->lower /= lower;
    if (!f->grid)
        return;
    double before = flowing_velocity(f, (fm_vec3){0.3, jet.y, jet.z}, err).x;
    double behind = flowing_velocity(f, (fm_vec3){plane + r->centre + 0.15, jet.y, jet.z}, err).x;
    r->passed = behind / before;
}

// Correlation of two fields of deflections.
static double correlate(const double *a, const double *b)
{
    double ma = 0, mb = 0, ab = 0, aa = 0, bb = 0;
    for (int i = 0; i < N * N; i++)
        ma += a[i] / (N * N), mb += b[i] / (N * N);
    for (int i = 0; i < N * N; i++) {
        ab += (a[i] - ma) * (b[i] - mb);
        aa += (a[i] - ma) * (a[i] - ma), bb += (b[i] - mb) * (b[i] - mb);
    }
    return ab / sqrt(aa * bb);
}

static void report(experiment *e, flowing_way way, const result *r, const result *uniform)
{
    const char *name = flowing_names[way];
    experiment_add_named_result(e, NAN, 100 * r->centre, "cm", "%s: deflection in the jet", name);
    experiment_add_named_result(e, NAN, 100 * r->upper, "cm", "%s: mean of the upper half", name);
    experiment_add_named_result(e, NAN, 100 * r->lower, "cm", "%s: mean of the lowest quarter",
                                name);
    experiment_add_named_result(e, NAN, r->lower / r->upper, "", "%s: lowest quarter / upper half",
                                name);
    experiment_add_named_result(e, NAN, r->stretch, "", "%s: largest stretch of an edge", name);
    if (way == FLOWING_UNIFORM)
        return;
    experiment_add_named_result(e, 1, correlate(r->deflection, uniform->deflection), "",
                                "%s: correlation with the uniform velocity", name);
    experiment_add_named_result(e, NAN, r->passed, "", "%s: speed behind the cloth / before it",
                                name);
}

// One-way without the clamp of the lengths ([SJ] section 3.1): the largest stretch, and when the
// numbers diverge.
static void run_unclamped(experiment *e, double end)
{
    fm_error own = {0};
    flowing f = create(e, FLOWING_ONE_WAY, false);
    double most = 0, time = 0;
    for (int n = 1; n <= end * 24 && own.status == FM_OK && !experiment_failed(e); n++) {
        fm_report r = fm_world_advance(f.world, 1.0 / 24, &own);
        most = own.status == FM_OK ? fmax(most, r.max_stretch) : most;
        time = own.status == FM_OK ? n / 24.0 : time;
    }
    experiment_add_result(e, "one-way without the clamp: largest stretch", NAN, most, "");
    experiment_add_result(e, "one-way without the clamp: finite until", NAN, time, "s");
    fm_world_destroy(f.world);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(
        argc, argv, "flow-jet", "A jet on a cloth: uniform, one-way, by drag, two-way.", &status);
    if (!e)
        return status;
    fm_error *err = experiment_error(e);
    experiment_table *rows = experiment_table_open(e, "deflection.csv", "way,y_m,z_m,deflection_m");
    experiment_table *history = experiment_table_open(e, "history.csv", "way,t_s,upper_m,lower_m");
    result *results = experiment_alloc(e, FLOWING_WAYS, sizeof *results);
    double end = experiment_quick(e) ? 0.5 : 3;
    for (int way = 0; way < FLOWING_WAYS && !experiment_failed(e); way++) {
        flowing f = create(e, (flowing_way)way, true);
        for (int n = 1; n <= end * 24 && !experiment_failed(e); n++) {
            fm_report r = fm_world_advance(f.world, 1.0 / 24, err);
            double stretch = fmax(results[way].stretch, r.max_stretch);
            if (err->status == FM_OK)
                measure(e, &f, &results[way]);
            results[way].stretch = stretch;
            experiment_write_row(history, "%s,%g,%g,%g", flowing_names[way], n / 24.0,
                                 results[way].upper, results[way].lower);
        }
        if (err->status == FM_OK)
            report(e, (flowing_way)way, &results[way], &results[FLOWING_UNIFORM]);
        for (int i = 0; i < N * N; i++)
            experiment_write_row(rows, "%s,%g,%g,%g", flowing_names[way], 0.8 - 0.025 * (i / N),
                                 0.8 - 0.025 * (i % N), results[way].deflection[i]);
        fm_world_destroy(f.world);
    }
    run_unclamped(e, end);
    experiment_plot(e, "profile", "Deflection along the middle of the cloth, at the end",
                    "set xlabel 'deflection, m'\nset ylabel 'y, m'\n"
                    "plot for [w in 'uniform one-way by-drag two-way'] 'deflection.csv' using "
                    "(strcol(1) eq w && abs($3-0.5)<0.001 ? $4 : NaN):2 with lines title w\n");
    return experiment_close(e);
}
