// SPDX-License-Identifier: MIT
// parachute-round.c: the drag of a flat circular parachute in steady flight.
//
// scenes/parachute/round-drop: D0 = 1.2 m, a vent of 4 cm radius, 20 lines as long as D0, 0.59 kg
// in all, in a box of air of 3 m x 4.2 m x 3 m that follows the canopy: S0 is 13 % of its section,
// the open canopy 6 %, and its sides are open. It flies 15 D0 in 6 s. Published: drag coefficient
// on S0 0.75 to 0.80 ([KNA91]), and 0.85 in a wind tunnel ([VLT21]).
//
// Cases: cells of 7.5, 10 and 5 cm, because the edge of cloth is known to the fluid to a cell; and
// cells of 7.5 cm for 12 s.
//
// [KNA91], [VLT21] in docs/references.md
#include "parachute.h"

static const parachute_case base = {.scene = "round-drop",
                                    .density = 1.2,
                                    .area = 3.14159265358979323846 * 0.6 * 0.6,
                                    .fps = 24,
                                    .duration = 6};

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "parachute-round",
                                    "The drag of a flat circular parachute.", &status);
    if (!e)
        return status;
    parachute_case cases[4] = {base, base, base, base};
    cases[0].name = "cells of 7.5 cm", cases[1].name = "cells of 10 cm";
    cases[1].settings[0] = "fluids.air.grid.cells=[30, 42, 30]";
    cases[1].settings[1] = "fluids.air.grid.spacing=0.1";
    cases[2].name = "cells of 5 cm";
    cases[2].settings[0] = "fluids.air.grid.cells=[60, 84, 60]";
    cases[2].settings[1] = "fluids.air.grid.spacing=0.05";
    cases[3].name = "cells of 7.5 cm, 12 s", cases[3].duration = 12;
    parachute_run_all(e, cases, 4);
    experiment_plot(e, "flight", "Drag of a round parachute, three sizes of cells",
                    "set xlabel 't, s'\nset ylabel 'drag coefficient on S0'\nset yrange [0:2]\n"
                    "plot for [c in '\"cells of 10 cm\" \"cells of 7.5 cm\" \"cells of 5 cm\"'] "
                    "'frames.csv' using (strcol(1) eq c ? $2 : NaN):5 with lines title c\n");
    return experiment_close(e);
}
