// SPDX-License-Identifier: MIT
// flow-sheet.c: waves and flutter of a stretched sheet along a stream, two-way and one-way, against
// theory.
//
// One wave, 1 m long, on a sheet of 1 or 0.2 kg/m^2 under 1 N/m, in a fluid of 1 kg/m^3 and 1e-3
// m^2/s between slip walls 0.5 m above and below. The fluid acts along the normal (fixtures/
// streams.c has the relation). Without viscosity waves grow above the critical speed U_c, with any
// viscosity above the speed of waves in vacuum, sqrt(T / sigma), slowly at first. Measured: growth
// and frequency of the faster-growing wave at 1.25, 1.5 and 2 U_c, and of both waves at 0.5, 0.9
// and 1.5 m/s, with 32 and 64 cells per wave. "paper" is the theory.
//
// One-way: the same sheet with the drag C n (n . (u - v)) of [SJ], C = 1 N s/m^3, in the stream
// that it does not affect: sigma s^2 + C (s + i k U) + T k^2 = 0.
#include "experiment.h"
#include "fixtures.h"

static fixture_stream default_stream(double sigma, int cells)
{
    return (fixture_stream){.sigma = sigma,
                            .T = 1,
                            .rho = 1,
                            .nu = 1e-3,
                            .length = 1,
                            .H = 0.5,
                            .amplitude = 1e-5,
                            .cells = cells,
                            .way = FM_COUPLING_TWO_WAY};
}

// Simulates a stream and finds both waves; the first is the one nearer to the first of theory.
static void simulate(experiment *e, const fixture_stream *f, const double theory[2],
                     const double frequency[2], double growth[2], double omega[2])
{
    fm_error *err = experiment_error(e);
    double duration = theory[0] > 0.5 ? 3.5 / theory[0] : 4;
    fm_world_def def = fixture_weightless_water_def(1);
    def.medium.density = f->rho;
    def.medium.viscosity = f->rho * f->nu;
    fm_world *world = fixture_create_world(def, err);
    fm_cloth *cloth = world ? fixture_create_stream(f, world, err) : NULL;
    growth[0] = growth[1] = omega[0] = omega[1] = NAN;
    if (cloth)
        fixture_measure_stream(f, world, cloth, experiment_quick(e) ? 0.05 : duration, 0.1, growth,
                               omega, err);
    bool swapped = hypot(growth[1] - theory[0], omega[1] - frequency[0]) <
                   hypot(growth[0] - theory[0], omega[0] - frequency[0]);
    double g = growth[0], w = omega[0];
    if (swapped)
        growth[0] = growth[1], omega[0] = omega[1], growth[1] = g, omega[1] = w;
    fm_world_destroy(world);
}

// Reports the waves at the speed U, m/s; both: of the slower one too.
static void measure(experiment *e, fixture_stream f, double U, bool both, experiment_table *table)
{
    double growth[2], omega[2], theory[2], frequency[2];
    f.U = U;
    fixture_stream_theory(&f, theory, frequency);
    simulate(e, &f, theory, frequency, growth, omega);
    for (int i = 0; i <= both; i++) {
        experiment_add_named_result(e, theory[i], growth[i], "1/s",
                                    "%g kg/m^2, %.4g m/s, %d cells: growth of wave %d", f.sigma, U,
                                    f.cells, i + 1);
        experiment_add_named_result(e, frequency[i], omega[i], "rad/s",
                                    "%g kg/m^2, %.4g m/s, %d cells: frequency of wave %d", f.sigma,
                                    U, f.cells, i + 1);
        experiment_write_numbers(table,
                                 (double[]){f.sigma, U / fixture_stream_critical(&f), U, f.cells,
                                            theory[i], growth[i], frequency[i], omega[i]});
    }
}

// Reports the growing wave of the sheet with one-way drag.
static void measure_one_way(experiment *e, fixture_stream f, double U, experiment_table *table)
{
    double growth[2], omega[2], theory[2], frequency[2], two_way[2], other[2];
    f.U = U;
    f.way = FM_COUPLING_ONE_WAY;
    fixture_drag_theory(&f, theory, frequency);
    fixture_stream_theory(&f, two_way, other);
    simulate(e, &f, theory, frequency, growth, omega);
    experiment_add_named_result(e, theory[0], growth[0], "1/s", "one-way, %.4g m/s: growth", U);
    experiment_write_numbers(table, (double[]){U, theory[0], growth[0], two_way[0]});
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "flow-sheet",
                                    "Waves and flutter of a sheet in a stream.", &status);
    if (!e)
        return status;
    static const double above[] = {1.25, 1.5, 2}, below[] = {0.5, 0.9, 1.5};
    experiment_table *table = experiment_table_open(
        e, "stream.csv",
        "sigma_kg_m2,U_over_Uc,U_m_s,cells,theory_1_s,growth_1_s,theory_rad_s,omega_rad_s");
    experiment_table *drag =
        experiment_table_open(e, "one-way.csv", "U_m_s,theory_1_s,growth_1_s,two_way_theory_1_s");
    for (int cells = 32; cells <= (experiment_quick(e) ? 32 : 64); cells *= 2) {
        fixture_stream heavy = default_stream(1, cells), light = default_stream(0.2, cells);
        for (int i = 0; i < 3; i++)
            measure(e, heavy, above[i] * fixture_stream_critical(&heavy), false, table);
        for (int i = 0; i < 3; i++)
            measure(e, heavy, below[i], true, table);
        for (int i = 0; i < 3; i++)
            measure(e, light, above[i] * fixture_stream_critical(&light), false, table);
    }
    fixture_stream sheet = default_stream(1, 32);
    for (int i = 0; i < 3; i++)
        measure_one_way(e, sheet, below[i], drag);
    for (int i = 0; i < 3; i++)
        measure_one_way(e, sheet, above[i] * fixture_stream_critical(&sheet), drag);
    experiment_plot(e, "growth", "A sheet of 1 kg/m^2 under 1 N/m along a stream: growth of waves",
                    "set xlabel 'speed of the stream, m/s'\nset ylabel 'growth, 1/s'\n"
                    "set key left top\nplot "
                    "'stream.csv' using ($1==1 && $4==32 ? $3 : 1/0):6 with points pt 7 title "
                    "'two-way, 32 cells', '' using ($1==1 && $4==64 ? $3 : 1/0):6 with points pt 6 "
                    "title '64 cells', '' using ($1==1 && $4==32 ? $3 : 1/0):5 with points pt 2 "
                    "title 'theory', 'one-way.csv' using 1:3 with linespoints title 'one-way', '' "
                    "using 1:2 with points pt 2 title 'theory of one-way drag'\n");
    return experiment_close(e);
}
