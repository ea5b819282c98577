// SPDX-License-Identifier: MIT
// parachute-round.c: the drag of a flat circular parachute in free flight, and what it depends on.
//
// scenes/parachute/round-drop: D0 = 1.2 m, a vent of 4 cm radius, 20 lines as long as D0, 0.59 kg
// in all, in a box of air that follows the canopy. Published: drag coefficient on S0 0.75 to 0.80
// ([KNA91]), and 0.85 in a wind tunnel ([VLT21]).
//
// Cases: cells of 7.5 and 10 cm; canopy nylon that lets 0.5 m/s pass at 125 Pa; boxes that differ
// from a short one in one length (2 s, means from 1 to 2 s, before the canopy swings); and a canopy
// that is thrown in a periodic box without gravity, where lines and load are in the fluid too, so
// that the momentum of the world must stay.
//
// [KNA91], [VLT21] in docs/references.md
#include "parachute.h"

#define CELLS "fluids.air.grid.cells="
#define LOW "fluids.air.grid.low="

static const char SPACING[] = "fluids.air.grid.spacing=0.1";
static const char MESH[] = "bodies.canopy.fabric.edge=0.06";
static const char PERIODIC[] =
    "fluids.air.grid.sides={left: {kind: periodic}, right: {kind: periodic}, "
    "bottom: {kind: periodic}, top: {kind: periodic}, back: {kind: periodic}, "
    "front: {kind: periodic}}";
static const char EVERYTHING[] = "coupling=[{body: canopy, fluid: air}, {body: lines, fluid: air}, "
                                 "{body: load, fluid: air}]";

// A box of cells of 10 cm.
typedef struct box {
    const char *name, *cells, *low;
} box;

static const box boxes[] = {
    {"1.5 m ahead", CELLS "[30, 42, 30]", LOW "[-1.5, -1.5, -1.5]"},
    {"2.2 m ahead", CELLS "[30, 49, 30]", LOW "[-1.5, -2.2, -1.5]"},
    {"3 m ahead", CELLS "[30, 57, 30]", LOW "[-1.5, -3, -1.5]"},
    {"4.5 m ahead", CELLS "[30, 72, 30]", LOW "[-1.5, -4.5, -1.5]"},
    {"1.5 m ahead, 4.5 m wide", CELLS "[45, 42, 45]", LOW "[-2.25, -1.5, -2.25]"},
    {"1.5 m ahead, 6 m wide", CELLS "[60, 42, 60]", LOW "[-3, -1.5, -3]"},
    {"1.5 m ahead, 7.2 m behind", CELLS "[30, 87, 30]", LOW "[-1.5, -1.5, -1.5]"},
    {"all of these", CELLS "[60, 117, 60]", LOW "[-3, -4.5, -3]"},
};
enum { BOXES = sizeof boxes / sizeof *boxes, FLIGHTS = 3, CASES = FLIGHTS + BOXES + 1 };

static const parachute_case base = {.scene = "round-drop",
                                    .density = 1.2,
                                    .mass = 0.59,
                                    .area = 3.14159265358979323846 * 0.6 * 0.6,
                                    .fps = 24,
                                    .duration = 6};

static parachute_case make_case(const char *name, double duration, const char *cells,
                                const char *low)
{
    parachute_case c = base;
    c.name = name, c.duration = duration;
    c.settings[0] = cells, c.settings[1] = low, c.settings[2] = SPACING, c.settings[3] = MESH;
    return c;
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "parachute-round",
                                    "The drag of a flat circular parachute.", &status);
    if (!e)
        return status;
    parachute_case cases[CASES] = {base};
    cases[0].name = "cells of 7.5 cm", cases[0].settings[0] = MESH;
    cases[1] = make_case("cells of 10 cm", 6, boxes[2].cells, boxes[2].low);
    cases[2] = make_case("permeable, cells of 10 cm", 6, boxes[2].cells, boxes[2].low);
    cases[2].settings[4] = "coupling.0.resistance=245";
    for (int i = 0; i < BOXES; i++)
        cases[FLIGHTS + i] = make_case(boxes[i].name, 2, boxes[i].cells, boxes[i].low);
    parachute_case *thrown = &cases[FLIGHTS + BOXES];
    *thrown = make_case("thrown in a periodic box", 1, boxes[0].cells, boxes[0].low);
    thrown->settings[4] = PERIODIC, thrown->settings[5] = EVERYTHING;
    thrown->settings[6] = "world.gravity=[0, 0, 0]";
    thrown->mass = 0, thrown->closed = true;
    parachute_run_all(e, cases, CASES);
    experiment_plot(e, "flight", "Drag of a round parachute",
                    "set xlabel 't, s'\nset ylabel 'drag coefficient on S0'\nset yrange [0:2]\n"
                    "plot for [c in '\"cells of 7.5 cm\" \"cells of 10 cm\" \"1.5 m ahead\"'] "
                    "'frames.csv' using (strcol(1) eq c ? $2 : NaN):5 with lines title c\n");
    return experiment_close(e);
}
