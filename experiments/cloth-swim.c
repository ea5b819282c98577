// SPDX-License-Identifier: MIT
// cloth-swim.c: does a change of shape drive a free sheet through water?
//
// [OKRC10] section 2: fish have been made to swim by drag along the normal of their skin (Tu and
// Terzopoulos 1994), and the half derivatives "could also be used to achieve locomotion patterns".
// Not tried there. A body swims if forces between its parts, which add up to zero, move its centre
// of mass X. Viscous drag against the velocity with one coefficient k on a body of mass m gives
//
//     m X'' = -k X'
//
// whatever the parts do: from rest X stays where it is. Drag must depend on the direction of the
// surface, or not be linear. Equation 4 of the paper has the direction of the velocity, and over
// three substeps (u = 3) it is nearly a multiple of the velocity.
//
// Here: one stroke of a bell. A sheet of the towel's size (towel.h), as heavy as water, without
// gravity and with a bending rigidity of 2e-3 N m, is bent into an arch by its two short edges,
// which come 16, 24 or 32 cm nearer to each other, held until it is at rest, and let go. It springs
// back flat and its edges beat the water. Measured, for the tuned models of cloth-swing (not for
// the physical drag, with which the sheet is not at rest after 20 s):
//
//   stroke   distance that the centre of mass moves after the release along the axis of the arch,
//            over the height of the arch; positive towards the top of the arch
//   at rest  speed of the centre of mass at the release, mm/s
//
// A stroke is not yet a swimmer: it shows whether a drag turns motion of parts into motion of the
// whole. [OKRC10] in docs/references.md
#include "towel.h"

static const towel_model shown[] = {TOWEL_VISCOUS, TOWEL_DASHPOTS,   TOWEL_3_STEPS, TOWEL_FADING,
                                    TOWEL_BOTH,    TOWEL_WHOLE_PAST, TOWEL_NORMAL};
enum { SHOWN = sizeof shown / sizeof *shown, ARCHES = 3, COLUMNS = 21, ROWS = 31 };
static const double shifts[ARCHES] = {0.08, 0.12, 0.16}; // m, of each edge
static const double RIGIDITY = 2e-3;                     // N m
static const double BENT = 4, RELEASE = 24, END = 44;    // s
static const double FRAME = 0.02;                        // s, of which the times are multiples

// Centre of mass along z, m, and how far the sheet reaches along z. Particles at an edge have half
// the mass of the others, those at a corner a quarter.
static double centre_z(fm_cloth *cloth, double *height)
{
    int count;
    double sum = 0, mass = 0, low = INFINITY, high = -INFINITY;
    const fm_vec3 *x = fm_cloth_positions(cloth, &count);
    for (int i = 0; i < count; i++) {
        int column = i % COLUMNS, row = i / COLUMNS;
        double share = (column == 0 || column == COLUMNS - 1 ? 0.5 : 1) *
                       (row == 0 || row == ROWS - 1 ? 0.5 : 1);
        sum += share * x[i].z;
        mass += share;
        low = fmin(low, x[i].z);
        high = fmax(high, x[i].z);
    }
    *height = high - low;
    return sum / mass;
}

// Pins an edge, moves it along y by `shift`, m, with a detour along z that makes the sheet an arch,
// and lets it go.
static void pin_edge(fm_world *world, fm_cloth *cloth, fm_edge edge, double shift, double speed_up,
                     fm_error *err)
{
    fm_key keys[3] = {{.time = 0},
                      {.time = speed_up * BENT / 2, .position = {0, shift / 2, -0.1}},
                      {.time = speed_up * BENT, .position = {0, shift, 0}}};
    fm_motion *motion =
        fm_motion_keyframes(world, keys, 3, FM_INTERPOLATE_SMOOTH, (fm_vec3){0}, err);
    fm_cloth_pin_edge(cloth, edge, motion, err);
    fm_cloth_release_at(cloth, speed_up * RELEASE, err);
}

// Advances by `frames` of equal length, which memories of a number of substeps need.
static void advance(fm_world *world, double frames, fm_error *err)
{
    for (int i = (int)round(frames); i > 0 && err->status == FM_OK; i--)
        fm_world_advance(world, FRAME, err);
}

// One stroke: its length over the height of the arch. speed: of the centre of mass when it is let
// go, m/s.
static double measure_stroke(experiment *e, towel_model model, double shift, double *speed)
{
    double speed_up = experiment_quick(e) ? 0.02 : 1, height, flat;
    fm_error *err = experiment_error(e);
    fm_world *world = fixture_create_world(fixture_weightless_water_def(1), err);
    fm_cloth_def def = towel_tuned_cloth_def(model);
    def.density = 1000; // kg/m^3, of water
    def.bend.stiffness = RIGIDITY;
    fm_sheet sheet = fixture_tilted_sheet(COLUMNS, ROWS, 0.4, 0);
    fm_cloth *cloth = fm_cloth_create_sheet(world, &def, &sheet, err);
    double stroke = NAN;
    if (cloth) {
        pin_edge(world, cloth, FM_EDGE_TOP, -shift, speed_up, err);
        pin_edge(world, cloth, FM_EDGE_BOTTOM, shift, speed_up, err);
        advance(world, speed_up * RELEASE / FRAME - 1, err);
        double z = centre_z(cloth, &height);
        advance(world, 1, err);
        double start = centre_z(cloth, &height);
        *speed = fabs(start - z) / FRAME;
        advance(world, speed_up * (END - RELEASE) / FRAME, err);
        stroke = (centre_z(cloth, &flat) - start) / height;
    }
    fm_world_destroy(world);
    return stroke;
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "cloth-swim",
                                    "A bent sheet springs back in water: does it move?", &status);
    if (!e)
        return status;
    experiment_table *table =
        experiment_table_open(e, "stroke.csv", "model,shift_m,stroke,speed_at_release_m_per_s");
    int arches = experiment_quick(e) ? 1 : ARCHES;
    for (int i = 0; i < SHOWN * arches && !experiment_failed(e); i++) {
        const char *name = towel_model_name(shown[i / arches]);
        double shift = shifts[i % arches], speed = NAN;
        double stroke = measure_stroke(e, shown[i / arches], shift, &speed);
        experiment_write_row(table, "\"%s\",%g,%.4g,%.3g", name, shift, stroke, speed);
        experiment_add_named_result(e, NAN, 1e3 * speed, "mm/s", "%s, %g cm: speed at the release",
                                    name, 200 * shift);
        experiment_add_named_result(e, NAN, 100 * stroke, "%",
                                    "%s, edges %g cm nearer: stroke over the height of the arch",
                                    name, 200 * shift);
    }
    return experiment_close(e);
}
