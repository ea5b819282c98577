// SPDX-License-Identifier: MIT
// constraint-maps.c: the order of correction, drawn on the cloth as colours.
//
// [OZG13] figures 6.3 and 6.5: correction maps for cloths held at one corner, two corners, an edge
// (flag), a circle (table) and a ball. "Although the order of the corrections change, the number of
// springs to be corrected stays practically the same. The only exception is the table", where it is
// much less.
//
// The six scenes of hanging.h with 41 x 41 particles hang for three seconds, held by the
// directional method. What is fixed then (pins, and what the ball holds) is what the published list
// is made for: a flat sheet with those particles pinned is made and its list read. Drawn: the
// list's order, and the order in which the directional method reaches particles (distance along the
// cloth to what is fixed), on the flat sheet and on the cloth as it hangs.
//
// [OZG13] Özgen: Physics-based animation models using fractional calculus. PhD thesis, UC Merced,
//         2013.
#include "hanging.h"
#include "tiles.h"

#include <stdio.h>

enum { SIDE = 41, QUICK_SIDE = 15 }; // particles

typedef struct map {
    hanging *run;
    int fixed, edges, reaches;
    double list[SIDE * SIDE], reach[SIDE * SIDE]; // places, 0 to 1
} map;

static int gather_fixed(experiment *e, fm_cloth *cloth, int *list)
{
    int count = fm_cloth_particle_count(cloth), fixed = 0;
    double *pinned = experiment_alloc(e, 2 * (size_t)count, sizeof *pinned);
    if (!pinned || !list)
        return 0;
    fm_cloth_read_field(cloth, "pinned", pinned, experiment_error(e));
    fm_cloth_read_field(cloth, "contact", pinned + count, experiment_error(e));
    for (int i = 0; i < count; i++) {
        if (pinned[i] > 0 || pinned[count + i] > 0)
            list[fixed++] = i;
    }
    return fixed;
}

// The published list for a set of fixed particles, by a sheet that is moved on by next to nothing.
static void make_list(experiment *e, map *m, const int *fixed)
{
    fm_error *err = experiment_error(e);
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = 1;
    fm_world *world = fm_world_create(&world_def, err);
    fm_cloth_def def = hanging_published(3, 1, 1 / 240.0);
    def.enforcement.direction = m->run->run.cloth.enforcement.direction;
    fm_sheet sheet = fm_cloth_sheet(m->run->cloth);
    fm_cloth *cloth = fm_cloth_create_sheet(world, &def, &sheet, err);
    if (err->status == FM_OK)
        fm_cloth_pin_list(cloth, fixed, m->fixed, NULL, err);
    fm_world_advance(world, 1e-6, err);
    if (err->status == FM_OK) {
        m->edges = fm_cloth_correction_count(cloth);
        fm_cloth_read_field(cloth, "correction", m->list, err);
    }
    fm_world_destroy(world);
}

static void make_map(experiment *e, hanging_scene scene, map *m)
{
    int n = experiment_quick(e) ? QUICK_SIDE : SIDE;
    int *fixed = experiment_alloc(e, SIDE * SIDE, sizeof *fixed);
    fm_cloth_def def = hanging_cloth(FM_ENFORCE_DIRECTIONAL, 1);
    hanging_run run = {scene, def, n, n, 1, experiment_quick(e) ? 0.3 : 3, 0.1};
    m->run = hanging_open(e, &run);
    if (!m->run || !fixed)
        return;
    hanging_simulate(e, &m->run, 1);
    m->fixed = gather_fixed(e, m->run->cloth, fixed);
    m->reaches = fm_cloth_correction_count(m->run->cloth);
    fm_cloth_read_field(m->run->cloth, "correction", m->reach, experiment_error(e));
    if (m->fixed == 0)
        experiment_fail(e, FM_BAD_VALUE, "%s: nothing is fixed", hanging_scene_name(scene));
    else
        make_list(e, m, fixed);
}

static const char map_script[] =
    "set terminal pngcairo size 1500,640 font 'DejaVu Sans,13' enhanced\n"
    "set output name.'.png'\n"
    "set multiplot layout 2,6 title heading font ',18'\n"
    "unset grid\n"
    "unset key\n"
    "unset tics\n"
    "unset colorbox\n"
    "set size ratio -1\n"
    "set yrange [*:*] reverse\n"
    "set palette defined (0 '#1b1d5c', 0.25 '#27608e', 0.5 '#2c9a8c', 0.75 '#8cc95c', 1 "
    "'#f7e225')\n"
    "set cbrange [0:1]\n"
    "do for [k = 1:12] {\n"
    "  set title (k <= 6 ? 'list, ' : 'reach, ').word('corner corners top flag table ball', (k - "
    "1) % 6 + 1)\n"
    "  plot name.'.csv' using 1:2:(column(2 + k)) with image\n"
    "}\n"
    "unset multiplot\n";

static void write_maps(experiment *e, const map *maps)
{
    experiment_table *table = experiment_table_open(
        e, "maps.csv",
        "column,row,list_corner,list_corners,list_top,list_flag,list_table,list_ball,reach_corner,"
        "reach_corners,reach_top,reach_flag,reach_table,reach_ball");
    int n = experiment_quick(e) ? QUICK_SIDE : SIDE;
    for (int i = 0; i < n * n; i++) {
        double row[2 + 2 * HANGING_SCENES] = {i % n, i / n};
        for (int s = 0; s < HANGING_SCENES; s++) {
            row[2 + s] = maps[s].list[i];
            row[2 + HANGING_SCENES + s] = maps[s].reach[i];
        }
        experiment_numbers(table, row);
    }
}

static void report(experiment *e, const map *maps)
{
    experiment_table *table = experiment_table_open(
        e, "counts.csv", "scene,fixed,list_edges,over_two_corners,directional_corrections");
    for (int s = 0; s < HANGING_SCENES; s++) {
        const char *scene = hanging_scene_name((hanging_scene)s);
        double share = (double)maps[s].edges / maps[HANGING_CORNERS].edges;
        experiment_row(table, "%s,%d,%d,%.4g,%d", scene, maps[s].fixed, maps[s].edges, share,
                       maps[s].reaches);
        experiment_result_of(e, NAN, maps[s].fixed, "", "%s: particles fixed", scene);
        experiment_result_of(e, NAN, maps[s].edges, "", "%s: springs in the list", scene);
        experiment_result_of(e, s == HANGING_TABLE ? NAN : 1, share, "",
                             "%s: springs over those of two corners", scene);
    }
}

static void draw(experiment *e, const map *maps)
{
    tile tiles[2][HANGING_SCENES];
    for (int s = 0; s < HANGING_SCENES; s++) {
        const char *scene = hanging_scene_name((hanging_scene)s);
        tiles[0][s] = (tile){maps[s].run->cloth, maps[s].list, scene};
        tiles[1][s] = (tile){maps[s].run->cloth, maps[s].reach, scene};
    }
    tiles_draw(e, "list.png", tiles[0], HANGING_SCENES, 3, 1, 25, 20);
    tiles_draw(e, "reach.png", tiles[1], HANGING_SCENES, 3, 1, 25, 20);
    experiment_plot(e, "maps", "Order of correction: first dark blue, last yellow", map_script);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e =
        experiment_open(argc, argv, "constraint-maps",
                        "The order of correction for six ways to hold a cloth.", &status);
    if (!e)
        return status;
    static map maps[HANGING_SCENES];
    for (int s = 0; s < HANGING_SCENES && !experiment_failed(e); s++)
        make_map(e, (hanging_scene)s, &maps[s]);
    if (!experiment_failed(e)) {
        write_maps(e, maps);
        report(e, maps);
        draw(e, maps);
    }
    for (int s = 0; s < HANGING_SCENES; s++)
        hanging_close(maps[s].run);
    return experiment_close(e);
}
