// SPDX-License-Identifier: MIT
// wrinkle-cost.c: what fluidity costs. [MES] calls its wrinkles fast and gives no times.
//
// CPU time and substeps of the slab of 12290 vertices (4 divisions) and of a smaller one, falling
// freely, for several weights and radii; and of the cloth without fluidity on a mesh of half the
// edge, which is the other way to get finer wrinkles.
#include "soft.h"

#include <stdio.h>

typedef struct slab_cost {
    double seconds;  // CPU time per simulated second
    double substeps; // per simulated second
} slab_cost;

// Costs of a slab, without its first substep.
static slab_cost measure(experiment *e, int level, double beta, double radius)
{
    slab_cost cost = {NAN, NAN};
    fm_world *world = soft_create_world(e, -9.81);
    fm_cloth_def def = soft_skin(20, 2e-7);
    fm_soft_def soft = fm_default_soft_def();
    soft.beta = beta;
    soft.fluidity.radius = radius, soft.fluidity.stiffness = 20;
    soft.gas.kind = FM_GAS_SEALED, soft.gas.pressure = 5, soft.gas.ambient = 0;
    fm_mesh_shape shape = soft_slab_or_sheet(level, 0);
    fm_cloth *cloth = soft_create(e, world, &def, &soft, &shape);
    if (cloth) {
        double duration = (experiment_quick(e) ? 4 : 40) * fm_cloth_stable_step(cloth);
        fm_world_advance(world, fm_cloth_stable_step(cloth), experiment_error(e));
        double before = experiment_read_clock(true);
        fm_report report = fm_world_advance(world, duration, experiment_error(e));
        cost.seconds = (experiment_read_clock(true) - before) / duration;
        cost.substeps = report.substep_count / duration;
    }
    fm_world_destroy(world);
    return cost;
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "wrinkle-cost",
                                    "CPU time of fluidity on slabs of cloth.", &status);
    if (!e)
        return status;
    experiment_table *table = experiment_table_open(
        e, "cost.csv", "level,beta,radius_m,substeps_per_s,cpu_s_per_s,cpu_ms_per_substep");
    int finest = experiment_quick(e) ? 2 : 4;
    double plain[6] = {0};
    for (int level = finest - 1; level <= finest; level++) {
        double edge = 0.11 / (1 << level); // m, about the mean edge
        for (int i = 0; i < 5 && !experiment_failed(e); i++) {
            double beta = i == 0   ? 0
                          : i == 2 ? 2
                                   : 1,
                   radius = (i < 3    ? 1.6
                             : i == 3 ? 2.4
                                      : 3.2) *
                            edge;
            slab_cost c = measure(e, level, beta, radius);
            plain[level] = i == 0 ? c.seconds : plain[level];
            experiment_write_row(table, "%d,%g,%g,%.5g,%.5g,%.5g", level, beta, radius, c.substeps,
                                 c.seconds, 1e3 * c.seconds / c.substeps);
            experiment_add_named_result(e, NAN, c.seconds / plain[level], "",
                                        "level %d, beta %g, radius %.2g m: CPU time over that "
                                        "without fluidity",
                                        level, beta, radius);
        }
    }
    experiment_add_result(e,
                          "half the edge, without fluidity: CPU time over that of the coarse mesh",
                          NAN, plain[finest] / plain[finest - 1], "");
    experiment_add_result(e, "slab of the finest level: CPU time per simulated second", NAN,
                          plain[finest], "s");
    return experiment_close(e);
}
