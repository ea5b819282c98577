// SPDX-License-Identifier: MIT
// fabric-step.c: the largest time step over the size of the mesh.
//
// [LCKL13] concludes that the time step is linear in the mesh size. That holds for a material: with
// a mass per area, m ~ edge^2 and k is constant, so omega ~ 1/edge. With one mass for all points,
// as in its experiments, omega and the step do not depend on the mesh at all. Measured for a disc:
//
//   bound     omega and the step from the eigenfrequency bound (Gershgorin, sharpened)
//   limit     the step at which kick-drift-kick and RK4 become unstable, by bisection over short
//             runs; in theory omega h = 2 and 2.828 with the largest frequency
#include "fabric.h"

#include <stdio.h>

// True if a disc in small random motion keeps its energy below ten times the first.
static bool is_stable(experiment *e, double edge, fm_integrator integrator, double h)
{
    fm_world *world = fabric_create_world(e, 0);
    fm_cloth_def def = fm_default_fabric_cloth_def();
    fm_fabric_def fabric = fabric_def(1000, 0);
    fm_mesh_shape shape = fabric_shape(FM_MESH_DISC, edge);
    fabric.model = FM_FABRIC_MODEL_I; // linear: the limit does not depend on the amplitude
    fabric.courant = 4;
    def.integrator = integrator;
    fm_cloth *cloth = fabric_create(e, world, &def, &fabric, &shape, 1);
    bool stable = false;
    if (cloth) {
        int count = fm_cloth_particle_count(cloth);
        fm_vec3 *v = experiment_alloc(e, (size_t)count, sizeof *v);
        unsigned random = 1;
        for (int i = 0; i < count && v; i++) {
            random = random * 1664525u + 1013904223u;
            v[i].y = 1e-6 * (random / 4294967296.0 - 0.5);
        }
        fm_cloth_set_velocities(cloth, v, experiment_error(e));
        double first = fabric_energy(world);
        stable = true;
        fm_error diverged = {0};
        for (int n = 0; n < 400 && stable; n++) {
            fm_world_advance(world, h, &diverged); // shorter than courant / bound: one substep
            stable = diverged.status == FM_OK && fabric_energy(world) < 10 * first;
        }
    }
    fm_world_destroy(world);
    return stable;
}

// s, the step at which a disc becomes unstable, by bisection between 0.5 and 1.05 times `guess`.
static double find_limit(experiment *e, double edge, fm_integrator integrator, double guess)
{
    double low = 0.5 * guess, high = 1.05 * guess;
    for (int k = 0; k < 8 && !experiment_failed(e); k++) {
        double middle = (low + high) / 2;
        *(is_stable(e, edge, integrator, middle) ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "fabric-step",
                                    "The time step over the size of the mesh.", &status);
    if (!e)
        return status;
    enum { MOST = 5 };
    static const double edges[MOST] = {0.08, 0.04, 0.02, 0.01, 0.005};
    int count = experiment_quick(e) ? 2 : MOST;
    experiment_table *table = experiment_table_open(
        e, "steps.csv",
        "edge_m,points,gershgorin_rad_s,bound_rad_s,largest_rad_s,step_by_area_s,limit_kdk_s,"
        "limit_rk4_s,bound_equal_masses_rad_s");
    double steps[MOST] = {0}, equal[MOST] = {0};
    for (int i = 0; i < count && !experiment_failed(e); i++) {
        double row[9] = {edges[i]};
        for (int by_area = 0; by_area < 2; by_area++) {
            fm_world *world = fabric_create_world(e, 0);
            fm_cloth_def def = fm_default_fabric_cloth_def();
            fm_fabric_def fabric = fabric_def(1000, by_area ? 0 : 0.625);
            fm_mesh_shape shape = fabric_shape(FM_MESH_DISC, edges[i]);
            fabric.model = FM_FABRIC_MODEL_I;
            fm_cloth *cloth = fabric_create(e, world, &def, &fabric, &shape, 1);
            if (cloth) {
                fm_eigenfrequencies f =
                    fm_cloth_find_eigenfrequencies(cloth, 300, experiment_error(e));
                row[1] = fm_cloth_particle_count(cloth);
                if (by_area) {
                    row[2] = f.gershgorin, row[3] = f.bound, row[4] = f.linear;
                    row[5] = steps[i] = 1.5 / f.bound;
                } else {
                    row[8] = equal[i] = f.bound;
                }
            }
            fm_world_destroy(world);
        }
        bool small = row[1] < 3000; // limits by running on meshes that are quick
        row[6] = small ? find_limit(e, edges[i], FM_KICK_DRIFT_KICK, 2 / row[4]) : NAN;
        row[7] = small ? find_limit(e, edges[i], FM_RK4, 2.828 / row[4]) : NAN;
        experiment_write_numbers(table, row);
        if (small) {
            experiment_add_named_result(e, NAN, row[6] * row[4], "",
                                        "edge %g m: omega h at which kick-drift-kick fails (2)",
                                        edges[i]);
            experiment_add_named_result(e, NAN, row[7] * row[4], "",
                                        "edge %g m: omega h at which RK4 fails (2.828)", edges[i]);
        }
    }
    experiment_add_result(e, "exponent of the step over the edge, mass per area", 1,
                          log(steps[0] / steps[count - 1]) / log(edges[0] / edges[count - 1]), "");
    experiment_add_result(e,
                          "change of the bound from the coarsest to the finest mesh, equal masses",
                          NAN, equal[count - 1] / equal[0] - 1, "");
    experiment_plot(
        e, "steps", "Largest time step over the edge of the mesh",
        "set logscale xy\n"
        "set xlabel 'edge [m]'\n"
        "set ylabel 'step [s]'\n"
        "set key left top\n"
        "plot 'steps.csv' using 1:6 with linespoints ls 1 lw 3 title '1.5 / bound', \\\n"
        "     '' using 1:7 with points ls 2 ps 2 title 'kick-drift-kick fails', \\\n"
        "     '' using 1:8 with points ls 3 ps 2 title 'RK4 fails'\n");
    return experiment_close(e);
}
