// SPDX-License-Identifier: MIT
// parachute-g11.c: the G-11 cargo parachute opens from half folded, with its load, in free fall.
//
// [LCKL13] figure 9: springs of 5000 N/m and masses of 0.1 kg, kappa 0.001; shapes and speeds are
// not given. Here a flat circle of 30.5 m (100 ft) with 40 gores and lines, a load of 1500 kg, 6
// m/s at the start, in a box of air that follows the canopy. Published of flat circular canopies:
// drag coefficient on S0 0.75 to 0.80, filling distance 8 D0 from line stretch, opening force 1.7
// times the steady one (reference/flow_drag.csv).
//
// Cases: as published, in cells of 1.5 and 2.25 m; one-way, where the cloth has the drag of its
// pieces and the air does not know of it; and nylon of 50 g/m^2 and 50 kN/m. The last case is the
// nylon canopy for 30 s in a box of ten diameters, 84 m x 306 m x 84 m, in cells of 3 m.
//
// [LCKL13] in docs/references.md
#include "parachute.h"

static const parachute_case base = {.scene = "g11",
                                    .density = 1.2,
                                    .area = 3.14159265358979323846 * 15.25 * 15.25,
                                    .fps = 24,
                                    .duration = 8};

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "parachute-g11",
                                    "The G-11 cargo parachute opens in free fall.", &status);
    if (!e)
        return status;
    parachute_case cases[5] = {base, base, base, base};
    cases[0].name = "two-way", cases[1].name = "two-way, cells of 2.25 m";
    cases[1].settings[0] = "fluids.air.grid.cells=[27, 58, 27]";
    cases[1].settings[1] = "fluids.air.grid.spacing=2.25";
    cases[2].name = "one-way";
    cases[2].settings[0] = "coupling.0.way=one-way";
    cases[2].settings[1] = "bodies.canopy.fabric.drag={model: physical}";
    cases[3].name = "nylon";
    cases[3].settings[0] = "bodies.canopy.fabric.model=tension-only";
    cases[3].settings[1] = "bodies.canopy.fabric.spring=50000";
    cases[3].settings[2] = "bodies.canopy.fabric.point_mass=0";
    cases[3].settings[3] = "bodies.canopy.fabric.density=500";
    cases[3].settings[4] = "bodies.canopy.fabric.thickness=1.0e-4";
    cases[3].settings[5] = "bodies.canopy.fabric.kappa=0";
    cases[3].settings[6] = "bodies.canopy.fabric.damping={coefficient: 0.5}";
    cases[4] = cases[3];
    cases[4].name = "nylon, 30 s, ten diameters", cases[4].duration = 30;
    cases[4].settings[7] = "fluids.air.grid.cells=[28, 102, 28]";
    cases[4].settings[8] = "fluids.air.grid.spacing=3";
    cases[4].settings[9] = "fluids.air.grid.low=[-42, -120, -42]";
    parachute_run_all(e, cases, 5);
    experiment_plot(e, "opening", "Projected area and speed of the opening G-11",
                    "set xlabel 't, s'\nset ylabel 'projected area / S0'\n"
                    "set y2label 'speed, m/s'\nset y2tics\nset datafile separator ','\n"
                    "plot 'frames.csv' using (strcol(1) eq 'two-way' ? $2 : NaN):6 with lines "
                    "title 'projected area', '' using (strcol(1) eq 'two-way' ? $2 : NaN):3 axes "
                    "x1y2 with lines title 'speed'\n");
    return experiment_close(e);
}
