// SPDX-License-Identifier: MIT
// fabric-drum.c: spectra of a drum: figures 3 to 5 of [LCKL13].
//
// A disc with a fixed rim, k = 1000 N/m and 10, 2.5 or 0.625 kg per point, starts with a bump. The
// paper records a sample point: its tangential motion oscillates with frequencies up to sqrt(7
// k/m)/(2 pi) = 4.21, 8.42 and 16.84 Hz, whatever the number of points, and its normal motion is
// slow. It does not say how the mesh is made or stretched. Here the mesh is irregular and at rest
// but for the bump. Measured:
//
//   cut-off      frequency below which all but 1e-4 of the power of x lies, beside the largest
//                frequency of the linearised springs and its bounds
//   points       the same for three numbers of points
//   normal       frequency below which 90 % of the power of the normal motion lies, against that of
//                the tangential motion
//   area         drift over the run
#include "fabric.h"

#include <stdio.h>

enum { SAMPLES = 4096 };
static const double K = 1000; // N/m

typedef struct drum_result {
    int points;
    double cutoff, linear, bound, gershgorin; // Hz
    double normal, tangential;                // Hz, 90 % of the power
    double area;                              // largest change of the area
} drum_result;

// Runs one drum and measures it. mass: kg per point; edge: m. spectrum, motion: tables for the
// curves, or NULL.
static drum_result run_drum(experiment *e, double mass, double edge, int samples,
                            experiment_table *spectrum, experiment_table *motion)
{
    drum_result result = {0};
    fm_world *world = fabric_create_world(e, 0);
    fm_cloth_def def = fm_default_fabric_cloth_def();
    fm_fabric_def fabric = fabric_def(K, mass);
    fm_mesh_shape shape = fabric_shape(FM_MESH_DISC, edge);
    shape.triangulation = FM_TRIANGLES_IRREGULAR;
    fm_fabric_place place = {.prestretch = 1, .bump = {0.06, 0.3, 0.1, 0.05}};
    fabric.courant = 0.5; // the highest modes with 1 % accuracy
    fm_cloth *cloth =
        fm_cloth_create_fabric_shape(world, &def, &fabric, &shape, &place, experiment_error(e));
    double *x = experiment_alloc(e, (size_t)samples, sizeof *x);
    double *y = experiment_alloc(e, (size_t)samples, sizeof *y);
    double *power = experiment_alloc(e, (size_t)samples, sizeof *power);
    if (cloth && x && y && power) {
        fm_cloth_pin_group(cloth, "rim", NULL, experiment_error(e));
        fm_eigenfrequencies f = fm_cloth_find_eigenfrequencies(cloth, 400, experiment_error(e));
        result.linear = f.linear / (2 * FABRIC_PI), result.bound = f.bound / (2 * FABRIC_PI);
        result.gershgorin = f.gershgorin / (2 * FABRIC_PI);
        int sample = 0; // the point nearest to (0.15, 0.1)
        const fm_vec3 *at = fm_cloth_positions(cloth, &result.points);
        for (int i = 0; i < result.points; i++)
            if (hypot(at[i].x - 0.15, at[i].z - 0.1) <
                hypot(at[sample].x - 0.15, at[sample].z - 0.1))
                sample = i;
        double dt = 0.25 / result.bound, area = fabric_area_ratio(e, cloth);
        for (int n = 0; n < samples && !experiment_failed(e); n++) {
            fm_world_advance(world, dt, experiment_error(e));
            fm_vec3 p = fm_cloth_positions(cloth, NULL)[sample];
            x[n] = p.x, y[n] = p.y;
            experiment_write_row(motion, "%g,%.6g,%.9g,%.9g", mass, n * dt, x[n], y[n]);
            if (n % 16 == 0)
                result.area = fmax(result.area, fabs(fabric_area_ratio(e, cloth) / area - 1));
        }
        // positions weigh slow motion more: the spectrum of the velocity has the modes alike
        for (int k = 0; k < 2; k++) {
            double *record = k ? y : x;
            fabric_find_spectrum(e, record, samples, power);
            (k ? (result.normal = fabric_find_cutoff(power, samples, dt, 0.9))
               : (result.tangential = fabric_find_cutoff(power, samples, dt, 0.9)));
            if (k)
                continue;
            for (int n = samples - 1; n > 0; n--)
                record[n] = (record[n] - record[n - 1]) / dt;
            record[0] = record[1];
            fabric_find_spectrum(e, record, samples, power);
            result.cutoff = fabric_find_cutoff(power, samples, dt, 1 - 1e-4);
            for (int i = 0; i < samples / 2; i++)
                experiment_write_row(spectrum, "%g,%.6g,%.6g", mass, i / (samples * dt), power[i]);
        }
    }
    fm_world_destroy(world);
    return result;
}

static const char spectrum_script[] =
    "set multiplot layout 3,1 title heading font ',18'\n"
    "set logscale y\n"
    "set format y '%g'\n"
    "set xlabel 'frequency [Hz]'\n"
    "unset key\n"
    "masses = '10 2.5 0.625'\n"
    "do for [k = 1:3] {\n"
    "  m = word(masses, k) + 0\n"
    "  set title sprintf('m = %g kg', m)\n"
    "  c = sqrt(7000.0 / m) / (2 * pi)\n"
    "  set xrange [0 : 1.5 * c]\n"
    "  set arrow 1 from c, graph 0 to c, graph 1 nohead ls 8\n"
    "  plot 'spectrum.csv' using ($1 == m ? $2 : NaN):3 with lines ls 1\n"
    "}\n"
    "unset multiplot\n";

int main(int argc, char **argv)
{
    int status;
    experiment *e =
        experiment_open(argc, argv, "fabric-drum", "Spectra of a drum of springs.", &status);
    if (!e)
        return status;
    bool quick = experiment_quick(e);
    static const double masses[] = {10, 2.5, 0.625}, cutoffs[] = {4.21, 8.42, 16.84};
    static const double edges[] = {0.05, 0.025, 0.0125};
    int samples = quick ? 512 : SAMPLES;
    experiment_table *spectrum =
        experiment_table_open(e, "spectrum.csv", "mass_kg,frequency_hz,power");
    experiment_table *motion = experiment_table_open(e, "motion.csv", "mass_kg,time_s,x_m,y_m");
    for (int i = 0; i < 3; i++) {
        drum_result r = run_drum(e, masses[i], quick ? 0.08 : 0.025, samples, spectrum, motion);
        experiment_add_named_result(e, cutoffs[i], r.cutoff, "Hz",
                                    "m = %g kg: end of the tangential spectrum", masses[i]);
        experiment_add_named_result(e, NAN, r.linear, "Hz",
                                    "m = %g kg: largest frequency of the linearised springs",
                                    masses[i]);
        experiment_add_named_result(e, NAN, r.bound, "Hz", "m = %g kg: bound (model I)", masses[i]);
        experiment_add_named_result(e, NAN, r.gershgorin, "Hz", "m = %g kg: Gershgorin's bound",
                                    masses[i]);
        experiment_add_named_result(e, NAN, r.normal / r.tangential, "",
                                    "m = %g kg: normal over tangential frequency, 90 %% of the "
                                    "power",
                                    masses[i]);
        experiment_add_named_result(e, NAN, r.area, "", "m = %g kg: largest change of the area",
                                    masses[i]);
    }
    for (int i = 0; i < (quick ? 2 : 3); i++) {
        drum_result r = run_drum(e, 0.625, quick ? 2 * edges[i] : edges[i], samples, NULL, NULL);
        experiment_add_named_result(e, 16.84, r.cutoff, "Hz",
                                    "m = 0.625 kg, %d points: end of the tangential spectrum",
                                    r.points);
    }
    experiment_plot(e, "spectrum", "Tangential motion of a point; dashed: sqrt(7 k/m)",
                    spectrum_script);
    experiment_plot(e, "motion", "A point of the drum, m = 0.625 kg",
                    "set multiplot layout 2,1 title heading font ',18'\n"
                    "set xlabel 'time [s]'\n"
                    "unset key\n"
                    "set ylabel 'x [m]'\n"
                    "plot 'motion.csv' using ($1 == 0.625 ? $2 : NaN):3 with lines ls 1\n"
                    "set ylabel 'y [m]'\n"
                    "plot 'motion.csv' using ($1 == 0.625 ? $2 : NaN):4 with lines ls 2\n"
                    "unset multiplot\n");
    return experiment_close(e);
}
