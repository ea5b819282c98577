// SPDX-License-Identifier: MIT
// fabric-field.c: a square cloth in a velocity field: figure 7 of [LCKL13].
//
// sqrt(k/m) = 100 1/s, no damping; the field acts by the impulse method. The text says that the
// velocity is larger at the centre, the caption v = v0 (x^2 + y^2), larger at the rim. Both are
// run, along the normal, with a difference of 0.5 m/s between the centre and the middle of a side.
// The paper gives no numbers; it says that the area is conserved approximately and that the rim
// wrinkles. Measured over 2.5 s:
//
//   area       largest change
//   height     of the centre over the rim
//   wrinkles   rms distance of the points of the rim from the curve smoothed over nine points
#include "fabric.h"

#include <stdio.h>

// Runs one reading. centre: the field is faster at the centre.
static void run_field(experiment *e, bool centre, fm_integrator integrator, experiment_table *table)
{
    const char *name = centre ? "faster at the centre" : "faster at the rim";
    fm_world_def world_def = fm_default_world_def();
    world_def.medium = (fm_medium){.flow = {.kind = FM_FLOW_PARABOLIC,
                                            .velocity = {0, centre ? 0.5 : 0, 0},
                                            .amplitude = {0, centre ? -0.5 : 0.5, 0},
                                            .axis = {0, 1, 0},
                                            .radius = 0.5}};
    world_def.gravity = (fm_vec3){0, 0, 0};
    fm_world *world = fm_world_create(&world_def, experiment_error(e));
    fm_cloth_def def = fm_default_fabric_cloth_def();
    fm_fabric_def fabric = fabric_def(100, 0.01);
    fm_mesh_shape shape = fabric_shape(FM_MESH_RECTANGLE, experiment_quick(e) ? 0.08 : 0.025);
    shape.triangulation = FM_TRIANGLES_IRREGULAR;
    fabric.external_velocity = true;
    def.integrator = integrator;
    fm_cloth *cloth = fabric_create(e, world, &def, &fabric, &shape, 1);
    double area = 0, height = 0, wrinkles = 0, stretch = 0;
    int count = 0, middle = 0;
    const int *rim = cloth ? fm_cloth_group(cloth, "rim", &count) : NULL;
    for (int n = 0; n < (experiment_quick(e) ? 20 : 120) && rim && !experiment_failed(e); n++) {
        fm_world_advance(world, 1.0 / 48, experiment_error(e));
        int points;
        const fm_vec3 *x = fm_cloth_positions(cloth, &points);
        for (int i = 0; i < points && n == 0; i++)
            if (hypot(x[i].x, x[i].z) < hypot(x[middle].x, x[middle].z))
                middle = i;
        double mean = 0, rough = 0;
        for (int i = 0; i < count; i++) {
            double smooth = 0;
            for (int k = -4; k <= 4; k++)
                smooth += x[rim[(i + k + count) % count]].y / 9;
            mean += x[rim[i]].y / count;
            rough += (x[rim[i]].y - smooth) * (x[rim[i]].y - smooth) / count;
        }
        double ratio = fabric_area_ratio(e, cloth);
        area = fmax(area, fabs(ratio - 1));
        height = x[middle].y - mean;
        wrinkles = fmax(wrinkles, sqrt(rough));
        stretch = fmax(stretch, fm_cloth_measure_stretches(cloth).max);
        experiment_write_row(table, "%s,%.4f,%.6g,%.6g,%.6g", name, (n + 1) / 48.0, ratio, height,
                             sqrt(rough));
    }
    const char *scheme = integrator == FM_RK4 ? "RK4" : "kick-drift-kick";
    experiment_add_named_result(e, NAN, area, "", "%s, %s: largest change of the area", name,
                                scheme);
    experiment_add_named_result(e, NAN, height, "m", "%s, %s: centre over the rim at the end", name,
                                scheme);
    experiment_add_named_result(e, NAN, 1e3 * wrinkles, "mm", "%s, %s: wrinkles of the rim, rms",
                                name, scheme);
    experiment_add_named_result(e, NAN, stretch, "", "%s, %s: largest stretch of an edge", name,
                                scheme);
    fm_world_destroy(world);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "fabric-field",
                                    "A square of springs in a velocity field.", &status);
    if (!e)
        return status;
    experiment_table *table =
        experiment_table_open(e, "field.csv", "reading,time_s,area_ratio,height_m,wrinkles_m");
    for (int i = 0; i < 4; i++)
        run_field(e, i % 2 == 0, i < 2 ? FM_KICK_DRIFT_KICK : FM_RK4, i < 2 ? table : NULL);
    experiment_plot(
        e, "field", "Area of a square cloth in a velocity field",
        "set xlabel 'time [s]'\n"
        "set ylabel 'area over area at rest'\n"
        "plot '< grep centre field.csv' using 2:3 with lines ls 1 lw 3 title 'faster at "
        "the centre', \\\n"
        "     '< grep rim field.csv' using 2:3 with lines ls 2 lw 3 title 'faster at "
        "the rim'\n");
    return experiment_close(e);
}
