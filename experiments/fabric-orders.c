// SPDX-License-Identifier: MIT
// fabric-orders.c: energy drift of the published integrators: table 1 and figure 6 of [LCKL13].
//
// The paper integrates y' = i omega y with omega h = 0.1 by Euler's method, a second-order
// predictor-corrector method and the fourth-order Runge-Kutta method, and lists the relative change
// of the energy after 400, 4000 and 40,000 steps. Here:
//
//   closed form    chi^(2 N) - 1 with chi^2 = 1 + x^2, 1 + x^4/4, 1 - x^6/72 + x^8/576, x = omega h
//   scalar         the equation itself, integrated
//   mesh           model I on a hexagon with a hub, in its highest mode: hub 6, rim -1, omega^2 =
//                  7 k/m. The library's integrators at omega h = 0.1
//   models         a disc of some hundred points, models I, II, III and tension only, thrown into
//                  random motion: the energy after the time of 4000 steps
//
// The paper says that tension-only springs (Choi and Ko) do not conserve energy and let a surface
// shrink to a point. They have a potential, so their energy must return as the step goes to 0; the
// area of a disc whose points fly towards its centre shows the second.
#include "fabric.h"

#include <complex.h>
#include <stdio.h>

enum { SCHEMES = 3, LENGTHS = 3 };
static const char *const names[SCHEMES] = {"Euler", "predictor-corrector", "RK4"};
static const fm_integrator integrators[SCHEMES] = {FM_EULER, FM_HEUN, FM_RK4};
static const int lengths[LENGTHS] = {400, 4000, 40000};
static const double published[SCHEMES][LENGTHS] = {
    {52.5, 9.6e16, INFINITY}, {0.01, 0.105, 1.7}, {-6.0e-6, -5.6e-5, -5.5e-4}};

// Relative change of the energy in closed form, x = omega h = 0.1.
static double find_exact_drift(int scheme, int steps)
{
    const double x = 0.1;
    const double growth[SCHEMES] = {x * x, pow(x, 4) / 4, -pow(x, 6) / 72 + pow(x, 8) / 576};
    return expm1(steps * log1p(growth[scheme]));
}

// Integrates y' = i omega y from y = 1.
static double integrate_scalar(int scheme, int steps)
{
    double complex z = 0.1 * I, y = 1;
    for (int n = 0; n < steps; n++) {
        double complex k1 = z * y, k2, k3, k4;
        if (scheme == 0) {
            y += k1;
        } else if (scheme == 1) {
            y += 0.5 * (k1 + z * (y + k1));
        } else {
            k2 = z * (y + k1 / 2), k3 = z * (y + k2 / 2), k4 = z * (y + k3);
            y += (k1 + 2 * k2 + 2 * k3 + k4) / 6;
        }
    }
    return creal(y) * creal(y) + cimag(y) * cimag(y) - 1;
}

// A hexagon with a hub; the disc of radius 1 with edge 1 and a lattice rim.
static fm_cloth *create_hexagon(experiment *e, fm_world *world, fm_integrator integrator)
{
    fm_cloth_def def = fm_default_fabric_cloth_def();
    fm_fabric_def fabric = fabric_def(1000, 1);
    fm_mesh_shape shape = fabric_shape(FM_MESH_DISC, 0.5);
    shape.rim = FM_RIM_LATTICE;
    fabric.model = FM_FABRIC_MODEL_I;
    fabric.courant = 1; // the time step decides
    def.integrator = integrator;
    def.time_step = 0.1 / sqrt(7000);
    fm_cloth *cloth = fabric_create(e, world, &def, &fabric, &shape, 1);
    int count = 0;
    const fm_vec3 *x = cloth ? fm_cloth_positions(cloth, &count) : NULL;
    fm_vec3 v[7];
    if (count != 7) {
        experiment_fail(e, FM_BAD_VALUE, "the hexagon has %d points", count);
        return NULL;
    }
    for (int i = 0; i < 7; i++)
        v[i] = (fm_vec3){0, hypot(x[i].x, x[i].z) < 0.1 ? 6e-3 : -1e-3, 0};
    fm_cloth_set_velocities(cloth, v, experiment_error(e));
    return cloth;
}

// Energy drift of the highest mode after each of `lengths`; writes the curve to the table.
static void run_hexagon(experiment *e, int scheme, int longest, double drift[LENGTHS],
                        experiment_table *curve)
{
    fm_world *world = fabric_create_world(e, 0);
    fm_cloth *cloth = create_hexagon(e, world, integrators[scheme]);
    double h = 0.1 / sqrt(7000), first = cloth ? fabric_energy(world) : 1;
    for (int k = 0; k < LENGTHS; k++)
        drift[k] = NAN;
    for (int n = 1; n <= longest && !experiment_failed(e); n++) {
        fm_world_advance(world, h, experiment_error(e));
        double now = fabric_energy(world) / first - 1;
        for (int k = 0; k < LENGTHS; k++)
            if (n == lengths[k])
                drift[k] = now;
        if (n % 100 == 0 && now < 1e3)
            experiment_write_row(curve, "%s,%d,%.9g", names[scheme], n, now);
    }
    fm_world_destroy(world);
}

// Writes table 1 of the paper beside the closed form, the scalar equation and the mesh.
static void report_table(experiment *e)
{
    experiment_table *table = experiment_table_open(
        e, "table.csv", "scheme,steps,paper,closed_form,scalar,mesh_of_model_I");
    experiment_table *curve = experiment_table_open(e, "curve.csv", "scheme,step,energy_change");
    for (int s = 0; s < SCHEMES; s++) {
        double mesh[LENGTHS];
        int longest = experiment_quick(e) ? 4000 : s == 0 ? 4000 : 40000;
        run_hexagon(e, s, s == 0 ? 400 : longest, mesh, curve);
        for (int k = 0; k < LENGTHS; k++) {
            double exact = find_exact_drift(s, lengths[k]),
                   scalar = integrate_scalar(s, lengths[k]);
            experiment_write_row(table, "%s,%d,%g,%.7g,%.7g,%.7g", names[s], lengths[k],
                                 published[s][k], exact, scalar, mesh[k]);
            experiment_add_named_result(e, published[s][k], exact, "",
                                        "%s, %d steps: change of energy, closed form", names[s],
                                        lengths[k]);
            if (!isnan(mesh[k]))
                experiment_add_named_result(e, published[s][k], mesh[k], "",
                                            "%s, %d steps: change of energy, mesh of model I",
                                            names[s], lengths[k]);
        }
    }
}

// Energy drift of a disc of one model over 4000 steps of 0.1 / omega.
static double run_model(experiment *e, fm_fabric_model model, int scheme, int steps)
{
    fm_world *world = fabric_create_world(e, 0);
    fm_cloth_def def = fm_default_fabric_cloth_def();
    fm_fabric_def fabric = fabric_def(1000, 1);
    fm_mesh_shape shape = fabric_shape(FM_MESH_DISC, 0.08);
    fabric.model = model;
    def.integrator = integrators[scheme];
    fm_cloth *cloth = fabric_create(e, world, &def, &fabric, &shape, 1);
    double drift = NAN;
    if (cloth) {
        int count = fm_cloth_particle_count(cloth);
        fm_vec3 *v = experiment_alloc(e, (size_t)count, sizeof *v);
        unsigned random = 1;
        for (int i = 0; i < count && v; i++) {
            double u[3];
            for (int k = 0; k < 3; k++) {
                random = random * 1664525u + 1013904223u;
                u[k] = random / 4294967296.0 - 0.5;
            }
            v[i] = (fm_vec3){0.3 * u[0], 0.3 * u[1], 0.3 * u[2]};
        }
        fm_cloth_set_velocities(cloth, v, experiment_error(e));
        double first = fabric_energy(world), h = fm_cloth_stable_step(cloth);
        fm_world_advance(world, steps * h, experiment_error(e));
        drift = fabric_energy(world) / first - 1;
    }
    fm_world_destroy(world);
    return drift;
}

// A disc of tension-only springs or of model II whose points fly towards its centre.
static void run_shrinking(experiment *e, fm_fabric_model model, double step, double *drift,
                          double *smallest)
{
    fm_world *world = fabric_create_world(e, 0);
    fm_cloth_def def = fm_default_fabric_cloth_def();
    fm_fabric_def fabric = fabric_def(1000, 1);
    fm_mesh_shape shape = fabric_shape(FM_MESH_DISC, 0.08);
    fabric.model = model;
    def.integrator = FM_RK4;
    def.time_step = step;
    fm_cloth *cloth = fabric_create(e, world, &def, &fabric, &shape, 1);
    *drift = *smallest = NAN;
    if (cloth) {
        int count;
        const fm_vec3 *x = fm_cloth_positions(cloth, &count);
        fm_vec3 *v = experiment_alloc(e, (size_t)count, sizeof *v);
        for (int i = 0; i < count && v; i++)
            v[i] = (fm_vec3){-x[i].x, 1e-3 * x[i].x, -x[i].z}; // at the centre after 1 s
        fm_cloth_set_velocities(cloth, v, experiment_error(e));
        double first = fabric_energy(world);
        *smallest = 1;
        for (int n = 0; n < 300 && !experiment_failed(e); n++) {
            fm_world_advance(world, 0.01, experiment_error(e));
            *smallest = fmin(*smallest, fabric_area_ratio(e, cloth));
        }
        *drift = fabric_energy(world) / first - 1;
    }
    fm_world_destroy(world);
}

// Reports the energy drift of the four spring models, and what tension-only springs do.
static void report_models(experiment *e)
{
    static const char *const models[] = {"I", "II", "III", "tension only"};
    experiment_table *table =
        experiment_table_open(e, "models.csv", "model,scheme,steps,energy_change");
    int steps = experiment_quick(e) ? 400 : 4000;
    for (int model = 0; model < 4; model++)
        for (int s = 1; s < SCHEMES; s++) {
            double drift = run_model(e, (fm_fabric_model)model, s, steps);
            experiment_write_row(table, "%s,%s,%d,%.6g", models[model], names[s], steps, drift);
            experiment_add_named_result(e, NAN, drift, "",
                                        "disc in random motion, model %s, %s, %d steps: change of "
                                        "energy",
                                        models[model], names[s], steps);
        }
    for (int k = 0; k < 2; k++) {
        double drift, smallest;
        run_shrinking(e, FM_FABRIC_TENSION, 1e-3 / (1 << k), &drift, &smallest);
        experiment_add_named_result(e, NAN, drift, "",
                                    "tension only, points that fly to the centre, step %g ms: "
                                    "change of energy",
                                    1.0 / (1 << k));
        if (k == 1)
            experiment_add_result(e, "tension only: smallest area over area at rest", 0, smallest,
                                  "");
    }
    double drift, smallest;
    run_shrinking(e, FM_FABRIC_MODEL_II, 5e-4, &drift, &smallest);
    experiment_add_result(e, "model II: smallest area over area at rest", NAN, smallest, "");
}

static const char curve_script[] =
    "set logscale x\n"
    "set xlabel 'steps'\n"
    "set ylabel 'change of energy'\n"
    "set yrange [-0.1:2]\n"
    "set key left top\n"
    "plot '< grep predictor curve.csv' using 2:3 with lines ls 2 lw 3 title "
    "'predictor-corrector, mesh', \\\n"
    "     '< grep RK4 curve.csv' using 2:3 with lines ls 1 lw 3 title 'RK4, mesh', \\\n"
    "     exp(x*0.000025)-1 with lines ls 8 title 'closed form'\n";

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "fabric-orders",
                                    "Energy drift of three integrators, table 1.", &status);
    if (!e)
        return status;
    report_table(e);
    report_models(e);
    experiment_plot(e, "curve", "Energy of the highest mode of a mesh, omega h = 0.1",
                    curve_script);
    return experiment_close(e);
}
