// SPDX-License-Identifier: MIT
// fabric-young.c: surface Young's modulus of fabric: section 4.1 and figure 2 of [LCKL13].
//
// The paper hangs a weight on a sheet and finds the surface modulus E_s = 1.1 k, without describing
// the mesh. Here a sheet is held along one side and pulled at the opposite one until its strain is
// 1 %, and rests; velocities are damped strongly meanwhile. The energy U of the springs gives the
// apparent modulus, 2 U / (strain^2 area). Ends that keep their width make a sheet seem stiffer, by
// the factors of fabric_strip.csv (finite elements): 1.03159 for a square, 1.01517 for L/W = 2.
// Springs along the free sides have k/2, as each belongs to one triangle only, unless said.
//
//   regular mesh        2/sqrt(3) = 1.1547 k in theory
//   displaced vertices  by up to 0.1 to 0.4 edges, six seeds each
#include "fabric.h"

#include <stdio.h>

static const double K = 1000, STRAIN = 0.01; // N/m

typedef struct sheet_case {
    double aspect; // length over width
    double jitter; // 0: regular
    int seed;
    double rim_share;
} sheet_case;

typedef struct sheet_result {
    double modulus; // E_s / k, corrected for the grips
    double neck;    // narrowing of the width in the middle over the strain
    double area;    // over the area at rest
} sheet_result;

// Pulls the right side along x by a share of the length.
static fm_motion *create_pull(experiment *e, fm_world *world, double distance)
{
    const fm_key keys[2] = {{.time = 0}, {.time = 0.5, .position = {distance, 0, 0}}};
    return fm_motion_keyframes(world, keys, 2, FM_INTERPOLATE_LINEAR, (fm_vec3){0, 0, 0},
                               experiment_error(e));
}

// Largest distance of points along z near x = 0, m.
static double find_width(fm_cloth *cloth, double reach)
{
    int count;
    const fm_vec3 *x = fm_cloth_positions(cloth, &count);
    double low = 0, high = 0;
    for (int i = 0; i < count; i++) {
        if (fabs(x[i].x) > reach)
            continue;
        low = fmin(low, x[i].z), high = fmax(high, x[i].z);
    }
    return high - low;
}

static sheet_result measure_sheet(experiment *e, sheet_case s, int across)
{
    double grip = s.aspect == 1 ? 1.03159 : 1.01517;
    sheet_result result = {NAN, NAN, NAN};
    fm_world *world = fabric_create_world(e, 0);
    fm_mesh_shape shape = fabric_shape(FM_MESH_RECTANGLE, 0.01);
    shape.length = across * sqrt(0.75) * shape.edge;
    int columns = (int)round(s.aspect * across * sqrt(0.75));
    shape.rim = s.jitter > 0 ? FM_RIM_FITTED : FM_RIM_LATTICE;
    shape.width = (columns + (s.jitter > 0 ? 0 : 0.5)) * shape.edge;
    shape.triangulation = s.jitter > 0 ? FM_TRIANGLES_IRREGULAR : FM_TRIANGLES_REGULAR;
    shape.jitter = s.jitter, shape.seed = s.seed;
    fm_cloth_def def = fm_default_fabric_cloth_def();
    fm_fabric_def fabric = fabric_def(K, K / 1e5); // k/m = 1e5 1/s^2, as in figure 2
    fabric.rim_share = s.rim_share;
    def.damping.kept = 0.97; // of the velocities in each substep
    fm_cloth *cloth = fabric_create(e, world, &def, &fabric, &shape, 1);
    double length = columns * shape.edge;
    fm_motion *pull = cloth ? create_pull(e, world, STRAIN * length) : NULL;
    if (pull) {
        fm_cloth_pin_group(cloth, "left", NULL, experiment_error(e));
        fm_cloth_pin_group(cloth, "right", pull, experiment_error(e));
        double width = find_width(cloth, shape.edge);
        fm_world_advance(world, 0.5, experiment_error(e));
        fm_world_advance(world, experiment_quick(e) ? 0.5 : 1.5, experiment_error(e));
        double energy = fm_world_report(world).potential_energy;
        result.modulus = 2 * energy / (STRAIN * STRAIN * length * shape.length) / K / grip;
        result.neck = (1 - find_width(cloth, shape.edge) / width) / STRAIN;
        result.area = fabric_area_ratio(e, cloth);
    }
    fm_world_destroy(world);
    return result;
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "fabric-young",
                                    "Surface modulus of springs on triangles.", &status);
    if (!e)
        return status;
    bool quick = experiment_quick(e);
    int across = quick ? 12 : 40, seeds = quick ? 1 : 6;
    experiment_table *table =
        experiment_table_open(e, "modulus.csv", "jitter,seed,modulus_over_k,neck,area_ratio");
    static const double expected[] = {1.15470054, 1.1434, 1.1097, 1.0749, 1.0595};
    sheet_result r = measure_sheet(e, (sheet_case){1, 0, 0, 0.5}, across);
    experiment_add_result(e, "regular square: E_s/k, theory 1.1547", 1.1, r.modulus, "");
    experiment_add_result(e, "regular square: narrowing over strain, finite elements 0.3297", NAN,
                          r.neck, "");
    experiment_add_result(e, "regular square: area over area at rest", NAN, r.area, "");
    r = measure_sheet(e, (sheet_case){1, 0, 0, 1}, across);
    experiment_add_named_result(e, 1.1, r.modulus, "",
                                "regular square, full springs along the sides: E_s/k");
    r = measure_sheet(e, (sheet_case){2, 0, 0, 0.5}, across);
    experiment_add_result(e, "regular sheet twice as long: E_s/k, theory 1.1547", 1.1, r.modulus,
                          "");
    for (int i = 1; i <= (quick ? 2 : 4); i++) {
        double sum = 0, square = 0;
        for (int seed = 1; seed <= seeds; seed++) {
            r = measure_sheet(e, (sheet_case){2, 0.1 * i, seed, 0.5}, across);
            experiment_write_row(table, "%g,%d,%.6g,%.6g,%.6g", 0.1 * i, seed, r.modulus, r.neck,
                                 r.area);
            sum += r.modulus / seeds, square += r.modulus * r.modulus / seeds;
        }
        experiment_add_named_result(e, 1.1, sum, "",
                                    "vertices displaced by up to %.1f edges: E_s/k, table %.4f",
                                    0.1 * i, expected[i]);
        experiment_add_named_result(e, NAN, sqrt(fmax(0, square - sum * sum)), "",
                                    "vertices displaced by up to %.1f edges: spread over %d seeds",
                                    0.1 * i, seeds);
    }
    return experiment_close(e);
}
