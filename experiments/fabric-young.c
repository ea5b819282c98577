// SPDX-License-Identifier: MIT
// fabric-young.c: surface Young's modulus of fabric: section 4.1 and figure 2 of [LCKL13].
//
// The paper hangs a weight on a sheet and finds the surface modulus E_s = 1.1 k, without describing
// the mesh. Here a sheet is held at one end and pulled at the opposite one until it is longer by
// 0.2 %, and rests; velocities are damped strongly meanwhile. The energy U of the springs gives the
// force, 2 U / dL.
//
//   modulus    force per width over the strain in the middle half of sheets twice as long as wide,
//              pulled along the lines of the lattice. Regular mesh: 2/sqrt(3) = 1.1547 k in theory.
//              Vertices displaced by up to 0.1 to 0.4 edges: six seeds each. Springs along the free
//              sides have k/2, as each belongs to one triangle only. With k there, n lines carry
//              the force of n - 1 cells, so that the modulus is n/(n - 1) times as large
//   apparent   force per width over dL/L of a square. Ends that keep their width make it stiffer,
//              by the factor 1.03159 (finite elements, fabric_strip.csv). The sides become concave
#include "fabric.h"

#include <stdio.h>

static const double K = 1000;       // N/m, constant of the springs
static const double STRAIN = 0.002; // elongation over length

// A sheet to be pulled.
typedef struct sheet_case {
    bool square;   // pulled across the lattice lines
    double jitter; // 0: regular
    int seed;
    double rim_share; // constant of springs along the sides over k
} sheet_case;

typedef struct sheet_result {
    double modulus, apparent; // over k
    double poisson;           // narrowing over strain in the middle half
    double area;              // over the area at rest
} sheet_result;

// Moves by a distance, m, along z (across) or x within half a second.
static fm_motion *create_pull(experiment *e, fm_world *world, double distance, bool across)
{
    const fm_vec3 to = {across ? 0 : distance, 0, across ? distance : 0};
    const fm_key keys[2] = {{.time = 0}, {.time = 0.5, .position = to}};
    return fm_motion_keyframes(world, keys, 2, FM_INTERPOLATE_LINEAR, (fm_vec3){0, 0, 0},
                               experiment_error(e));
}

// The coordinate z or x of a point.
static double read_axis(fm_vec3 x, bool z)
{
    return z ? x.z : x.x;
}

// Strain along an axis of the points within `reach` of the middle along `pulled`: slope of the
// displacement over the first coordinate, least squares.
static double fit_strain(const fm_vec3 *first, const fm_vec3 *now, int count, bool z, bool pulled,
                         double reach)
{
    double n = 0, sx = 0, su = 0, sxx = 0, sxu = 0;
    for (int i = 0; i < count; i++) {
        double x = read_axis(first[i], z), u = read_axis(now[i], z) - x;
        if (fabs(read_axis(first[i], pulled)) > reach)
            continue;
        n++, sx += x, su += u, sxx += x * x, sxu += x * u;
    }
    return (n * sxu - sx * su) / (n * sxx - sx * sx);
}

// A sheet of `across` cells in width, and its width and length along the pull, m.
static fm_mesh_shape define_sheet(sheet_case s, int across, double *width, double *length)
{
    fm_mesh_shape shape = fabric_shape(FM_MESH_RECTANGLE, 0.01);
    double row = sqrt(0.75) * shape.edge;
    if (s.square) { // the ends are lattice lines; the sides have teeth
        shape.rim = FM_RIM_LATTICE;
        *width = across * shape.edge, *length = shape.length = round(across / sqrt(0.75)) * row;
        shape.width = *width + 0.5 * shape.edge;
    } else {
        *width = shape.length = across * row;
        *length = shape.width = round(2 * across * sqrt(0.75)) * shape.edge;
    }
    shape.triangulation = s.jitter > 0 ? FM_TRIANGLES_IRREGULAR : FM_TRIANGLES_REGULAR;
    shape.jitter = s.jitter, shape.seed = s.seed;
    return shape;
}

// Pulls a sheet of `across` cells in width and measures it at rest.
static sheet_result measure_sheet(experiment *e, sheet_case s, int across)
{
    sheet_result result = {NAN, NAN, NAN, NAN};
    double width, length;
    fm_world *world = fabric_create_world(e, 0);
    fm_mesh_shape shape = define_sheet(s, across, &width, &length);
    fm_cloth_def def = fm_default_fabric_cloth_def();
    fm_fabric_def fabric = fabric_def(K, K / 1e5); // k/m = 1e5 1/s^2, as in figure 2
    fabric.rim_share = s.rim_share;
    def.damping.kept = 0.97; // of the velocities in each substep
    fm_cloth *cloth = fabric_create(e, world, &def, &fabric, &shape, 1);
    int count = cloth ? fm_cloth_particle_count(cloth) : 0;
    fm_vec3 *first = experiment_alloc(e, (size_t)count + 1, sizeof *first);
    fm_motion *pull = cloth ? create_pull(e, world, STRAIN * length, s.square) : NULL;
    if (pull && first) {
        const fm_vec3 *x = fm_cloth_positions(cloth, NULL);
        for (int i = 0; i < count; i++)
            first[i] = x[i];
        fm_cloth_pin_group(cloth, s.square ? "back" : "left", NULL, experiment_error(e));
        fm_cloth_pin_group(cloth, s.square ? "front" : "right", pull, experiment_error(e));
        fm_world_advance(world, 0.5, experiment_error(e));
        fm_world_advance(world, experiment_quick(e) ? 0.5 : 1.5, experiment_error(e));
        double force = 2 * fm_world_report(world).potential_energy / (STRAIN * length);
        x = fm_cloth_positions(cloth, NULL);
        double along = fit_strain(first, x, count, s.square, s.square, length / 4);
        result.modulus = force / width / along / K;
        result.apparent = force / width / STRAIN / K;
        result.poisson = -fit_strain(first, x, count, !s.square, s.square, length / 4) / along;
        result.area = fabric_area_ratio(e, cloth);
    }
    fm_world_destroy(world);
    return result;
}

// Reports regular meshes: modulus and Poisson's ratio with springs of k/2 along the sides, modulus
// with springs of k there, and the apparent modulus of a square. The paper gives 1.1.
static void report_regular(experiment *e, int across)
{
    sheet_result r = measure_sheet(e, (sheet_case){.rim_share = 0.5}, across);
    experiment_add_result(e, "regular: E_s/k, theory 1.1547", 1.1, r.modulus, "");
    experiment_add_result(e, "regular: Poisson's ratio, theory 0.3333", NAN, r.poisson, "");
    experiment_add_result(e, "regular: area over area at rest", NAN, r.area, "");
    r = measure_sheet(e, (sheet_case){.rim_share = 1}, across);
    experiment_add_named_result(e, 1.1, r.modulus, "",
                                "regular, full springs along the sides: E_s/k, theory %.4f",
                                2 / sqrt(3) * (across + 1) / across);
    r = measure_sheet(e, (sheet_case){.square = true, .rim_share = 0.5}, across);
    experiment_add_result(e, "regular square: apparent modulus over E_s, finite elements 1.0316",
                          NAN, r.apparent * sqrt(3) / 2, "");
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
        experiment_table_open(e, "modulus.csv", "jitter,seed,modulus_over_k,poisson,area_ratio");
    static const double expected[] = {1.15470054, 1.1434, 1.1097, 1.0749, 1.0595};
    report_regular(e, across);
    for (int i = 1; i <= (quick ? 2 : 4); i++) {
        double sum = 0, square = 0;
        for (int seed = 1; seed <= seeds; seed++) {
            sheet_result r = measure_sheet(e, (sheet_case){false, 0.1 * i, seed, 0.5}, across);
            experiment_write_row(table, "%g,%d,%.6g,%.6g,%.6g", 0.1 * i, seed, r.modulus, r.poisson,
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
