// SPDX-License-Identifier: MIT
// constraint-maps.c: the order in which strain limiting corrects springs, drawn on the cloth as
// colours.
//
// [OZG13] figures 6.3 and 6.5: correction maps (drawings of that order) for cloths held at one
// corner, two corners, an edge (flag), a circle (table) and a ball. "Although the order of the
// corrections change, the number of springs to be corrected stays practically the same. The only
// exception is the table", where it is much smaller.
//
// The six scenes of hanging.h with 41 x 41 particles hang for three seconds with the directional
// method. The list of corrections of [OZG13] (published) is then computed for the particles that
// are fixed at that time (pins, and particles held by the ball), by creating a flat sheet with
// these particles pinned. Drawn are the order of that list and the order in which the directional
// method (this library) reaches the particles, which is their distance along the cloth from the
// fixed ones, on the flat sheet and on the hanging cloth.
//
// The list starts at the fixed particles because the springs near them are said to be the most
// stretched (§6.4). Tested without enforcement, after 1.5 s, in the scenes with pins: the mean
// distance from the nearest fixed particle, along the flat cloth, of the 1 % most stretched springs
// over that of all springs. 0: all at fixed particles; 1: anywhere.
#include "hanging.h"
#include "tiles.h"

#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 41, QUICK_SIDE = 15 }; // particles along a side

// Two orders of correction of the cloth of one scene.
typedef struct correction_map {
    hanging *run;
    int fixed;                              // number of fixed particles
    int published_count, directional_count; // numbers of corrections in the two orders
    // per particle, when the order first corrects it: 0 first, 1 last
    double published[SIDE * SIDE], directional[SIDE * SIDE];
} correction_map;

// Lists the particles that are pinned or in contact. Returns their number.
static int list_fixed_particles(experiment *e, fm_cloth *cloth, int *particles)
{
    int count = fm_cloth_particle_count(cloth), fixed = 0;
    double *pinned = experiment_alloc(e, 2 * (size_t)count, sizeof *pinned);
    if (!pinned || !particles)
        return 0;
    fm_cloth_read_field(cloth, "pinned", pinned, experiment_error(e));
    fm_cloth_read_field(cloth, "contact", pinned + count, experiment_error(e));
    for (int i = 0; i < count; i++) {
        if (pinned[i] > 0 || pinned[count + i] > 0)
            particles[fixed++] = i;
    }
    return fixed;
}

// Computes the order of [OZG13] for a set of fixed particles: advances a flat sheet with these
// pinned by a negligible time and reads its field "correction".
static void compute_published_order(experiment *e, correction_map *m, const int *fixed)
{
    fm_error *err = experiment_error(e);
    fm_world *world = fixture_create_world(fixture_water_def(1), err);
    fm_cloth_def def = hanging_published_cloth_def(3, 1, 1 / 240.0);
    def.enforcement.direction = m->run->run.cloth.enforcement.direction;
    fm_sheet sheet = fm_cloth_sheet(m->run->cloth);
    fm_cloth *cloth = fm_cloth_create_sheet(world, &def, &sheet, err);
    if (err->status == FM_OK)
        fm_cloth_pin_list(cloth, fixed, m->fixed, NULL, err);
    fm_world_advance(world, 1e-6, err); // s; the first substep computes the order
    if (err->status == FM_OK) {
        m->published_count = fm_cloth_correction_count(cloth);
        fm_cloth_read_field(cloth, "correction", m->published, err);
    }
    fm_world_destroy(world);
}

// Simulates one scene and computes both orders of correction.
static void compute_map(experiment *e, hanging_scene scene, correction_map *m)
{
    int n = experiment_quick(e) ? QUICK_SIDE : SIDE;
    int *fixed = experiment_alloc(e, SIDE * SIDE, sizeof *fixed);
    fm_cloth_def def = hanging_cloth_def(FM_ENFORCE_DIRECTIONAL, 1);
    hanging_run run = {scene, def, n, n, 1, experiment_quick(e) ? 0.3 : 3, 0.1};
    m->run = hanging_create(e, &run);
    if (!m->run || !fixed)
        return;
    hanging_simulate(e, &m->run, 1);
    m->fixed = list_fixed_particles(e, m->run->cloth, fixed);
    m->directional_count = fm_cloth_correction_count(m->run->cloth);
    fm_cloth_read_field(m->run->cloth, "correction", m->directional, experiment_error(e));
    if (m->fixed == 0)
        experiment_fail(e, FM_BAD_VALUE, "%s: nothing is fixed", hanging_scene_name(scene));
    else
        compute_published_order(e, m, fixed);
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

// Writes both orders of correction of all scenes, one row per particle.
static void write_maps(experiment *e, const correction_map *maps)
{
    experiment_table *table = experiment_table_open(
        e, "maps.csv",
        "column,row,list_corner,list_corners,list_top,list_flag,list_table,list_ball,reach_corner,"
        "reach_corners,reach_top,reach_flag,reach_table,reach_ball");
    int n = experiment_quick(e) ? QUICK_SIDE : SIDE;
    for (int i = 0; i < n * n; i++) {
        double row[2 + 2 * HANGING_SCENES] = {i % n, i / n};
        for (int s = 0; s < HANGING_SCENES; s++) {
            row[2 + s] = maps[s].published[i];
            row[2 + HANGING_SCENES + s] = maps[s].directional[i];
        }
        experiment_write_numbers(table, row);
    }
}

// Reports the numbers of fixed particles and of corrections in every scene.
static void report_counts(experiment *e, const correction_map *maps)
{
    experiment_table *table = experiment_table_open(
        e, "counts.csv", "scene,fixed,list_edges,over_two_corners,directional_corrections");
    for (int s = 0; s < HANGING_SCENES; s++) {
        const char *scene = hanging_scene_name((hanging_scene)s);
        double share = (double)maps[s].published_count / maps[HANGING_CORNERS].published_count;
        experiment_write_row(table, "%s,%d,%d,%.4g,%d", scene, maps[s].fixed,
                             maps[s].published_count, share, maps[s].directional_count);
        experiment_add_named_result(e, NAN, maps[s].fixed, "", "%s: particles fixed", scene);
        experiment_add_named_result(e, NAN, maps[s].published_count, "", "%s: springs in the list",
                                    scene);
        experiment_add_named_result(e, s == HANGING_TABLE ? NAN : 1, share, "",
                                    "%s: springs over those of two corners", scene);
    }
}

// Draws both orders of correction on the cloths as colours.
static void draw_maps(experiment *e, const correction_map *maps)
{
    tile tiles[2][HANGING_SCENES];
    for (int s = 0; s < HANGING_SCENES; s++) {
        const char *scene = hanging_scene_name((hanging_scene)s);
        tiles[0][s] = (tile){maps[s].run->cloth, maps[s].published, scene};
        tiles[1][s] = (tile){maps[s].run->cloth, maps[s].directional, scene};
    }
    const int columns = 3;
    const double high = 1, azimuth = 25, elevation = 20; // largest value; degrees
    tiles_draw(e, "list.png", tiles[0], HANGING_SCENES, columns, high, azimuth, elevation);
    tiles_draw(e, "reach.png", tiles[1], HANGING_SCENES, columns, high, azimuth, elevation);
    experiment_plot(e, "maps", "Order of correction: first dark blue, last yellow", map_script);
}

// A stretch spring: its elongation l/l0 - 1, and its distance from the nearest fixed particle in
// cells.
typedef struct stretched_spring {
    double stretch, distance;
} stretched_spring;

static int compare_stretch(const void *a, const void *b)
{
    double x = ((const stretched_spring *)a)->stretch, y = ((const stretched_spring *)b)->stretch;
    return (x < y) - (x > y);
}

// The distance (cells, on the flat sheet of n x n particles) of a particle from the nearest fixed.
static double distance_from_fixed(int i, int n, const int *fixed, int count)
{
    double least = INFINITY;
    for (int k = 0; k < count; k++)
        least = fmin(least, hypot(i % n - fixed[k] % n, i / n - fixed[k] / n));
    return least;
}

// Finds all stretch springs of a sheet of n x n particles. Returns their number.
static int find_springs(fm_cloth *cloth, int n, const int *fixed, int count, stretched_spring *out)
{
    int springs = 0;
    const fm_vec3 *x = fm_cloth_positions(cloth, NULL);
    for (int i = 0; i < n * n; i++)
        for (int down = 0; down < 2; down++) {
            if (down ? i / n == n - 1 : i % n == n - 1)
                continue;
            fm_vec3 a = x[i], b = x[i + (down ? n : 1)];
            double length =
                sqrt(pow(a.x - b.x, 2) + pow(a.y - b.y, 2) + pow(a.z - b.z, 2)) * (n - 1);
            out[springs++] =
                (stretched_spring){length - 1, distance_from_fixed(i, n, fixed, count)};
        }
    return springs;
}

// Reports how near to the fixed particles the most stretched springs of a scene are.
static void report_stretched(experiment *e, hanging_scene scene)
{
    int n = experiment_quick(e) ? QUICK_SIDE : SIDE;
    int *fixed = experiment_alloc(e, SIDE * SIDE, sizeof *fixed);
    stretched_spring *springs = experiment_alloc(e, 2 * SIDE * SIDE, sizeof *springs);
    fm_cloth_def def = hanging_cloth_def(FM_ENFORCE_NONE, 1);
    hanging_run run = {scene, def, n, n, 1, experiment_quick(e) ? 0.1 : 1.5, 0.1};
    hanging *h = hanging_create(e, &run);
    if (!h || !fixed || !springs)
        return;
    hanging_simulate(e, &h, 1);
    int held = list_fixed_particles(e, h->cloth, fixed);
    int count = find_springs(h->cloth, n, fixed, held, springs), most = count / 100;
    qsort(springs, (size_t)count, sizeof *springs, compare_stretch);
    double near = 0, all = 0;
    for (int k = 0; k < count; k++) {
        near += k < most ? springs[k].distance / most : 0;
        all += springs[k].distance / count;
    }
    experiment_add_named_result(e, NAN, near / all, "",
                                "%s: distance of the most stretched springs from the fixed "
                                "particles over that of all",
                                hanging_scene_name(scene));
    hanging_destroy_world(h);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e =
        experiment_open(argc, argv, "constraint-maps",
                        "The order of correction for six ways to hold a cloth.", &status);
    if (!e)
        return status;
    static correction_map maps[HANGING_SCENES];
    for (int s = 0; s < HANGING_SCENES && !experiment_failed(e); s++)
        compute_map(e, (hanging_scene)s, &maps[s]);
    if (!experiment_failed(e)) {
        write_maps(e, maps);
        report_counts(e, maps);
        draw_maps(e, maps);
    }
    for (int s = 0; s < HANGING_SCENES; s++)
        hanging_destroy_world(maps[s].run);
    for (int s = 0; s < HANGING_BALL && !experiment_failed(e); s++)
        report_stretched(e, (hanging_scene)s);
    return experiment_close(e);
}
