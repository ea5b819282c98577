// SPDX-License-Identifier: MIT
// constraint-skirt.c: strain limiting of a skirt and a dress on a walking figure, in an order that
// changes when a knee touches the garment.
//
// Enforcement (strain limiting) corrects springs outwards from the fixed particles; a map is an
// order of correction that is computed in advance. [OZG13] §6.4.1 and figure 6.4: a long skirt has
// three maps, for no knee, the right and the left knee in contact with it, switched by contact,
// which gave "improved results". Figure 6.6: the map of a garment held at shoulders and belt, and
// its change when a few particles are added to the fixed ones. Figure 6.7: without enforcement the
// skirt overstretches significantly. No numbers are given.
//
// The scenes are cloth/skirt-maps and cloth/garment-maps, walking after half a second, four seconds
// in frames of 1/60 s with eight substeps each. Measured after every frame, for
//
//   maps       as in the scene: three maps, for free cloth and for either knee
//   remade     without maps; the order is recomputed when the set of fixed particles changes
//   pins       without maps; only pins count as fixed
//   iterative  no order: 20 passes over all springs that are too long, as in Provot's method
//   springs    no enforcement; as stiff as is stable with the same substeps
//
// The dress is run with the first three. Stretch is the largest l/l0 - 1 of a frame; its median and
// maximum are over the frames after the first second. Times are the 10th percentile over the
// frames, per substep; the runs advance in turns, frame by frame. A map counts as used in a frame
// if the frame's last substep used it.
#include "hanging.h"
#include "tiles.h"

#include <fathom/scene.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// SETTLING: frames before the measurement; MAPS: orders of correction; SETTINGS: of one method.
enum { FRAMES = 240, SETTLING = 60, QUICK_FRAMES = 3, MAPS = 3, SETTINGS = 4, METHODS = 5 };
static const double FPS = 60;
static const double AZIMUTH = 15, ELEVATION = 8; // degrees, of the camera

// A method to keep a garment from stretching, as settings of the scene file; % stands for the path
// of the cloth in the scene.
typedef struct method {
    const char *name;
    const char *settings[SETTINGS];
} method;

static const method methods[METHODS] = {
    {"maps", {"%enforcement.contacts=true"}},
    {"remade", {"%enforcement.maps=[]"}},
    {"pins", {"%enforcement.maps=[]", "%enforcement.contacts=false"}},
    {"iterative",
     {"%enforcement.maps=[]", "%enforcement.method=iterative", "%enforcement.iterations=20",
      "%enforcement.compression=false"}},
    {"springs",
     {"%enforcement.maps=[]", "%enforcement.method=none", "%stretch.stiffness=20",
      "%shear.stiffness=5.5"}},
};

// A garment of a scene that ships.
typedef struct garment {
    const char *scene, *body; // scene file, and name of the cloth in it
    int methods;              // number of methods[] that it is simulated with
} garment;

static const garment garments[] = {{"skirt", "skirt", METHODS}, {"garment", "dress", 3}};
enum { GARMENTS = sizeof garments / sizeof *garments };

// A garment simulated with one method, and its measurements.
typedef struct garment_run {
    fm_world *world;
    double stretch[FRAMES], mean[FRAMES]; // largest l/l0 - 1 and mean |l/l0 - 1| of each frame
    double enforce_us[FRAMES];            // us per substep, of the enforcement (strain limiting)
    double bodies_us[FRAMES];             // us per substep, of the whole cloth step
    double order_ms;                      // ms, to compute orders of correction, in all frames
    int map[FRAMES];                      // order of correction in use: 0 no knee, 1 left, 2 right
    int intersections;                    // edges that pass through triangles, all frames
    int pinched;                          // pairs that colliders press together, all frames
} garment_run;

// The state of the world when a map (order of correction) was last used, and its number of
// corrections.
typedef struct map_snapshot {
    void *state; // of the world
    size_t size; // bytes
    int corrections;
} map_snapshot;

// Builds the world of a garment's scene with the settings of one method.
static fm_world *create_world(experiment *e, const garment *g, const method *w)
{
    fm_error *err = experiment_error(e);
    char path[512], text[SETTINGS][160];
    const char *settings[SETTINGS + 3] = {"figures.woman.motion.walk.start=0.5"};
    int count = 1;
    if (experiment_quick(e) && g->methods == METHODS) {
        settings[count++] = "bodies.skirt.cloth.tube.columns=24";
        settings[count++] = "bodies.skirt.cloth.tube.rows=13";
    }
    snprintf(path, sizeof path, "%s/cloth/%s-maps.yaml", EXPERIMENT_SCENES, g->scene);
    for (int i = 0; i < SETTINGS && w->settings[i]; i++, count++) {
        snprintf(text[i], sizeof text[i], "bodies.%s.cloth.%s", g->body, w->settings[i] + 1);
        settings[count] = text[i];
    }
    fm_scene *scene = fm_scene_load(path, settings, count, NULL, NULL, err);
    fm_world *world = scene ? fm_scene_build(scene, 1, err) : NULL;
    fm_scene_destroy(scene);
    return world;
}

// Saves the world in the state in which the present map (order of correction) is used.
static void save_snapshot(experiment *e, const garment_run *w, map_snapshot *p)
{
    size_t size = fm_world_save(w->world, NULL, 0);
    if (!p->state)
        p->state = experiment_alloc(e, size, 1);
    p->size = p->state ? fm_world_save(w->world, p->state, size) : 0;
    p->corrections = fm_cloth_correction_count(fm_world_cloth(w->world, 0));
}

// Advances one run by a frame and records stretch, times and map (order of correction).
static void advance_frame(experiment *e, garment_run *w, int frame)
{
    fm_report report = fm_world_advance(w->world, 1 / FPS, experiment_error(e));
    double substeps = report.substep_count > 0 ? report.substep_count : 1;
    w->stretch[frame] = report.max_stretch;
    w->mean[frame] = report.mean_strain;
    w->enforce_us[frame] = 1e3 * report.enforce_ms / substeps;
    w->bodies_us[frame] = 1e3 * (report.stage_ms[FM_STAGE_BODIES] - report.order_ms) / substeps;
    w->order_ms += report.order_ms;
    w->map[frame] = fm_cloth_current_map(fm_world_cloth(w->world, 0));
    w->intersections += report.intersection_count;
    w->pinched += report.pinched_count;
}

// Writes map, stretch and times of every frame, for all methods.
static void write_frames(experiment *e, const garment *g, const garment_run *all, int frames)
{
    char file[64];
    snprintf(file, sizeof file, "%s-frames.csv", g->scene);
    experiment_table *table = experiment_table_open(
        e, file,
        "time_s,map,stretch_maps,stretch_remade,stretch_pins,stretch_iterative,stretch_springs,"
        "enforce_us_maps,enforce_us_remade,enforce_us_pins,enforce_us_iterative,bodies_us_maps,"
        "bodies_us_remade,bodies_us_pins,bodies_us_iterative,bodies_us_springs");
    for (int f = 0; f < frames; f++) {
        double row[2 + METHODS + (METHODS - 1) + METHODS] = {(f + 1) / FPS, all[0].map[f]};
        for (int w = 0; w < METHODS; w++) {
            bool simulated = w < g->methods;
            row[2 + w] = simulated ? all[w].stretch[f] : NAN;
            if (w < METHODS - 1)
                row[2 + METHODS + w] = simulated ? all[w].enforce_us[f] : NAN;
            row[2 + 2 * METHODS - 1 + w] = simulated ? all[w].bodies_us[f] : NAN;
        }
        experiment_write_numbers(table, row);
    }
}

// Order of two doubles, for qsort.
static int compare_numbers(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// Reports the garment simulated with methods[index].
static void report_method(experiment *e, const garment *g, int index, const garment_run *w,
                          int frames, experiment_table *table)
{
    const char *name = methods[index].name;
    int first = frames > SETTLING ? SETTLING : 0, count = frames - first;
    double sorted[FRAMES], mean = 0;
    memcpy(sorted, w->stretch + first, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_numbers);
    for (int f = first; f < frames; f++)
        mean += w->mean[f] / count;
    double enforce = hanging_tenth_percentile(e, w->enforce_us + first, count);
    double bodies = hanging_tenth_percentile(e, w->bodies_us + first, count);
    experiment_write_row(table, "%s,%s,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,%d,%d", g->scene, name,
                         sorted[count / 2], sorted[count - 1], mean, enforce, bodies,
                         w->order_ms / (frames / FPS), w->intersections, w->pinched);
    experiment_add_named_result(e, NAN, sorted[count / 2], "", "%s, %s: stretch, median of frames",
                                g->scene, name);
    experiment_add_named_result(e, NAN, sorted[count - 1], "", "%s, %s: stretch, largest", g->scene,
                                name);
    experiment_add_named_result(e, NAN, enforce, "us", "%s, %s: enforcement, a substep", g->scene,
                                name);
    experiment_add_named_result(e, NAN, bodies, "us", "%s, %s: all of a substep", g->scene, name);
    experiment_add_named_result(e, NAN, w->order_ms / (frames / FPS), "ms",
                                "%s, %s: making orders, a simulated second", g->scene, name);
    experiment_add_named_result(e, 0, w->intersections, "", "%s, %s: intersections, all frames",
                                g->scene, name);
}

// Reports how often each map (order of correction) was used, and how often maps were switched.
static void report_maps(experiment *e, const garment *g, const garment_run *w, int frames,
                        const map_snapshot *snapshots, experiment_table *table)
{
    static const char *const names[MAPS] = {"free", "left knee", "right knee"};
    int used[MAPS] = {0}, switches = 0;
    for (int f = 0; f < frames; f++) {
        used[w->map[f]]++;
        switches += f > 0 && w->map[f] != w->map[f - 1];
    }
    for (int m = 0; m < MAPS; m++) {
        experiment_write_row(table, "%s,%s,%.4g,%d", g->scene, names[m], (double)used[m] / frames,
                             snapshots[m].corrections);
        experiment_add_named_result(e, NAN, (double)used[m] / frames, "",
                                    "%s: share of frames, map %s", g->scene, names[m]);
    }
    experiment_add_named_result(e, NAN, switches / (frames / FPS), "1/s", "%s: switches of maps",
                                g->scene);
}

// Simulates a garment with all its methods in turns, and saves a state for each map (order of
// correction).
static void simulate_garment(experiment *e, const garment *g, garment_run *all,
                             map_snapshot *snapshots, int frames)
{
    for (int w = 0; w < g->methods && !experiment_failed(e); w++)
        all[w].world = create_world(e, g, &methods[w]);
    for (int f = 0; f < frames; f++) {
        for (int w = 0; w < g->methods && !experiment_failed(e); w++)
            advance_frame(e, &all[w], f);
        if (experiment_failed(e))
            return;
        int map = all[0].map[f];
        bool settled = f >= SETTLING || f >= frames - 2;
        if (!snapshots[map].state || settled)
            save_snapshot(e, &all[0], &snapshots[map]);
    }
}

static const char frames_script[] =
    "unset title\n"
    "set multiplot layout 2,1 title heading font ',18'\n"
    "set lmargin at screen 0.1\n"
    "set rmargin at screen 0.97\n"
    "set ylabel 'map'\n"
    "set yrange [-0.3:2.3]\n"
    "set ytics ('no knee' 0, 'left' 1, 'right' 2)\n"
    "plot name.'.csv' using 1:2 with steps ls 1 notitle\n"
    "set xlabel 'time [s]'\n"
    "set ylabel 'largest stretch'\n"
    "set ytics auto\n"
    "set yrange [0.005:1]\n"
    "set logscale y\n"
    "set key top left horizontal\n"
    "plot for [k = ways:1:-1] name.'.csv' using 1:(column(2 + k)) with lines ls k title "
    "word('maps remade pins iterative springs', k)\n"
    "unset multiplot\n";

// Plots the map (order of correction) in use and the stretch over time.
static void plot_frames(experiment *e, const garment *g)
{
    char name[64], script[sizeof frames_script + 32];
    snprintf(name, sizeof name, "%s-frames", g->scene);
    snprintf(script, sizeof script, "ways = %d\n%s", g->methods, frames_script);
    experiment_plot(e, name,
                    g->methods == METHODS ? "A skirt on a walking figure"
                                          : "A dress on a walking figure",
                    script);
}

// Figures 6.4 and 6.6 of [OZG13]: draws each order of correction on the cloth in the state in which
// it was last used.
static void draw_maps(experiment *e, map_snapshot snapshots[GARMENTS][MAPS])
{
    static const char *const labels[GARMENTS][MAPS] = {
        {"skirt, no knee", "skirt, left knee", "skirt, right knee"},
        {"dress, no knee", "dress, left knee", "dress, right knee"}};
    fm_world *worlds[GARMENTS * MAPS] = {0};
    tile tiles[GARMENTS * MAPS];
    int count = 0;
    for (int k = 0; k < GARMENTS * MAPS && !experiment_failed(e); k++) {
        const map_snapshot *p = &snapshots[k / MAPS][k % MAPS];
        if (!p->state)
            continue;
        fm_world *world = worlds[k] = create_world(e, &garments[k / MAPS], &methods[0]);
        if (!world || !fm_world_restore(world, p->state, p->size, experiment_error(e)))
            break;
        fm_cloth *cloth = fm_world_cloth(world, 0);
        double *order = experiment_alloc(e, (size_t)fm_cloth_particle_count(cloth), sizeof *order);
        if (order)
            fm_cloth_read_field(cloth, "correction", order, experiment_error(e));
        tiles[count++] = (tile){cloth, order, labels[k / MAPS][k % MAPS]};
    }
    const double high = 1; // largest value of the field "correction"
    tiles_draw(e, "maps.png", tiles, count, MAPS, high, AZIMUTH, ELEVATION);
    for (int k = 0; k < GARMENTS * MAPS; k++)
        fm_world_destroy(worlds[k]);
}

// Figure 6.7 of [OZG13]: draws the stretch in the last frame as colours, with and without
// enforcement.
static void draw_stretch(experiment *e, const garment_run *all)
{
    static const int shown[] = {0, 3, 4}; // indices of methods[]
    static const char *const labels[] = {"maps", "iterative, 20 passes", "springs alone"};
    tile tiles[3];
    for (int k = 0; k < 3 && !experiment_failed(e); k++) {
        fm_cloth *cloth = fm_world_cloth(all[shown[k]].world, 0);
        double *stretch =
            experiment_alloc(e, (size_t)fm_cloth_particle_count(cloth), sizeof *stretch);
        if (stretch)
            fm_cloth_read_field(cloth, "stretch", stretch, experiment_error(e));
        tiles[k] = (tile){cloth, stretch, labels[k]};
    }
    const double high = 0.3; // stretch drawn in yellow
    tiles_draw(e, "stretch.png", tiles, 3, 3, high, AZIMUTH, ELEVATION);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(
        argc, argv, "constraint-skirt",
        "A skirt and a dress on a walking figure, with orders that the knees switch.", &status);
    if (!e)
        return status;
    static garment_run all[METHODS];
    static map_snapshot snapshots[GARMENTS][MAPS];
    int frames = experiment_quick(e) ? QUICK_FRAMES : FRAMES;
    experiment_table *stretches = experiment_table_open(
        e, "ways.csv",
        "garment,way,median_stretch,largest_stretch,mean_strain,enforce_us,substep_us,"
        "order_ms_per_s,intersections,pinched");
    experiment_table *maps =
        experiment_table_open(e, "maps.csv", "garment,map,share_of_frames,corrections");
    for (int g = 0; g < GARMENTS && !experiment_failed(e); g++) {
        memset(all, 0, sizeof all);
        simulate_garment(e, &garments[g], all, snapshots[g], frames);
        if (!experiment_failed(e)) {
            write_frames(e, &garments[g], all, frames);
            for (int w = 0; w < garments[g].methods; w++)
                report_method(e, &garments[g], w, &all[w], frames, stretches);
            report_maps(e, &garments[g], &all[0], frames, snapshots[g], maps);
            plot_frames(e, &garments[g]);
            if (garments[g].methods == METHODS)
                draw_stretch(e, all);
        }
        for (int w = 0; w < METHODS; w++)
            fm_world_destroy(all[w].world);
    }
    draw_maps(e, snapshots);
    return experiment_close(e);
}
