// SPDX-License-Identifier: MIT
// parachute-cross.c: a cross parachute opens in a wind tunnel, from fully folded.
//
// [LCKL13] figure 10: a flat cross of 1.27 m with 20 lines of 1.27 m. Neither the width of the arms
// nor the speed of the wind is given; here a third of 1.27 m, and 8 m/s. S0 = 0.896 m^2, in a
// tunnel of 2.4 m x 2.4 m: 16 % of its section. Published of real cross parachutes: drag
// coefficient on S0 0.60 to 0.85, filling distance 11.7 D0, opening force 1.1 to 1.2 times the
// steady one (reference/flow_drag.csv).
//
// Cases: two-way in cells of 6, 9 and 4.5 cm, 7, 4.7 and 9.4 across an arm; one-way, where the
// cloth has the drag of its pieces and the air does not know of it; and the published springs and
// masses instead of nylon.
//
// [LCKL13] in docs/references.md
#include "parachute.h"

enum { CASES = 5 };

static const parachute_case base = {.scene = "cross",
                                    .wind = {8, 0, 0},
                                    .density = 1.2,
                                    .area = 2 * 1.27 * 0.4234 - 0.4234 * 0.4234,
                                    .fps = 48,
                                    .duration = 2.5};

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "parachute-cross",
                                    "A cross parachute opens in a wind tunnel.", &status);
    if (!e)
        return status;
    parachute_case cases[CASES] = {base, base, base, base, base};
    cases[0].name = "two-way", cases[1].name = "two-way, cells of 9 cm";
    cases[1].settings[0] = "fluids.air.grid.cells=[38, 27, 27]";
    cases[1].settings[1] = "fluids.air.grid.spacing=0.09";
    cases[2].name = "two-way, cells of 4.5 cm";
    cases[2].settings[0] = "fluids.air.grid.cells=[75, 53, 53]";
    cases[2].settings[1] = "fluids.air.grid.spacing=0.045";
    cases[3].name = "one-way";
    cases[3].settings[0] = "coupling.0.way=one-way";
    cases[3].settings[1] = "bodies.canopy.fabric.drag={model: physical}";
    cases[4].name = "published springs";
    cases[4].settings[0] = "bodies.canopy.fabric.model=II";
    cases[4].settings[1] = "bodies.canopy.fabric.modulus=0";
    cases[4].settings[2] = "bodies.canopy.fabric.spring=5000";
    cases[4].settings[3] = "bodies.canopy.fabric.point_mass=0.1";
    cases[4].settings[4] = "bodies.canopy.fabric.kappa=0.001";
    parachute_run_all(e, cases, CASES);
    experiment_plot(e, "opening", "Projected area and drag of the opening cross",
                    "set xlabel 't, s'\nset ylabel 'projected area / S0, drag coefficient'\n"
                    "set yrange [0:3]\nset datafile separator ','\n"
                    "plot 'frames.csv' using (strcol(1) eq 'two-way' ? $2 : NaN):6 with lines "
                    "title 'projected area', '' using (strcol(1) eq 'two-way' ? $2 : NaN):5 with "
                    "lines title 'drag'\n");
    return experiment_close(e);
}
