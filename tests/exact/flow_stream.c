// SPDX-License-Identifier: MIT
// flow_stream.c: growth and decay of waves on a stretched sheet along a stream, two-way.
//
// One period of an endless sheet of 1 kg/m^2 under 1 N/m in a fluid of 1 kg/m^3, 32 cells per wave.
// fixtures/streams.c has the relation with viscosity and walls, of which
// reference/flow_sheet_stream.csv is the limit without viscosity. Waves decay below the speed of
// waves in vacuum, 1 m/s, grow slowly up to the critical speed, 2.03 m/s, and then fast. The
// experiment flow-sheet has finer grids and other sheets. One-way drag has the first of the two
// thresholds, and its own rate.
#include "bodies.h"

#include <math.h>

static fixture_stream create_case(double U, fm_coupling_way way)
{
    return (fixture_stream){.sigma = 1,
                            .T = 1,
                            .rho = 1,
                            .nu = 1e-3,
                            .U = U,
                            .length = 1,
                            .H = 0.5,
                            .amplitude = 1e-5,
                            .cells = 32,
                            .way = way};
}

// Growth of the wave nearest to that of theory, 1/s.
static double measure(const fixture_stream *f, double theory, double frequency)
{
    fm_error err = {0};
    double growth[2], omega[2], best = 0, nearest = INFINITY;
    fm_world_def around = fixture_weightless_water_def(1);
    around.medium.density = f->rho;
    fm_world *world = fixture_create_world(around, &err);
    fm_cloth *cloth = fixture_create_stream(f, world, &err);
    assert_good(cloth, &err);
    fixture_measure_stream(f, world, cloth, theory > 0.5 ? 3.5 / theory : 4, 0.1, growth, omega,
                           &err);
    assert_good(err.status == FM_OK, &err);
    for (int i = 0; i < 2; i++) {
        double away = hypot(growth[i] - theory, omega[i] - frequency);
        best = away < nearest ? growth[i] : best;
        nearest = fmin(nearest, away);
    }
    fm_world_destroy(world);
    return best;
}

// The inviscid limit of the relation: rows of reference/flow_sheet_stream.csv.
static void theory_without_viscosity(void **state)
{
    (void)state;
    double growth[2], omega[2];
    fixture_stream f = create_case(2.5, FM_COUPLING_TWO_WAY);
    f.nu = 1e-12;
    fixture_stream_theory(&f, growth, omega);
    assert_true(fabs(fixture_stream_critical(&f) - 2.032211) < 1e-6);
    assert_true(fabs(growth[0] - 3.919100) < 1e-3 && fabs(omega[0] - 3.803490) < 1e-3);
    f.U = 1;
    fixture_stream_theory(&f, growth, omega);
    assert_true(fabs(fmax(omega[0], omega[1]) - 6.283185) < 1e-3);
    assert_true(fabs(fmin(omega[0], omega[1]) + 3.240393) < 1e-3);
}

static void waves_grow_in_a_stream(void **state)
{
    (void)state;
    static const double speeds[] = {1.25, 1.5, 2};
    for (int i = 0; i < 3; i++) {
        double growth[2], omega[2];
        fixture_stream f = create_case(0, FM_COUPLING_TWO_WAY);
        f.U = speeds[i] * fixture_stream_critical(&f);
        fixture_stream_theory(&f, growth, omega);
        double measured = measure(&f, growth[0], omega[0]);
        print_message("%g U_c: growth %.4f 1/s (%+.1f %%)\n", speeds[i], measured,
                      100 * (measured / growth[0] - 1));
        assert_true(fabs(measured / growth[0] - 1) < 0.05);
    }
}

// Both waves decay below the speed of waves in vacuum; one of them grows above it.
static void threshold(void **state)
{
    (void)state;
    static const double speeds[] = {0.5, 0.9, 1.5};
    for (int i = 0; i < 3; i++)
        for (int way = 0; way < 2; way++) {
            double growth[2], omega[2];
            fixture_stream f =
                create_case(speeds[i], way ? FM_COUPLING_ONE_WAY : FM_COUPLING_TWO_WAY);
            if (way)
                fixture_drag_theory(&f, growth, omega);
            else
                fixture_stream_theory(&f, growth, omega);
            double measured = measure(&f, growth[0], omega[0]);
            print_message("%s, %g m/s: growth %+.4f 1/s, theory %+.4f\n",
                          way ? "one-way" : "two-way", f.U, measured, growth[0]);
            assert_true(f.U < 1 ? measured < 0 : measured > 0);
            assert_true(fabs(measured - growth[0]) < (way ? 0.02 : 0.003));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theory_without_viscosity),
        cmocka_unit_test(waves_grow_in_a_stream),
        cmocka_unit_test(threshold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
