// SPDX-License-Identifier: MIT
// constraint-skirt.c: a skirt and a dress on a walking figure, with orders of correction that the
// knees switch.
//
// [OZG13] §6.4.1 and figure 6.4: a long skirt has three correction maps, for no knee, the right
// and the left knee touching it, switched by contact, which gave "improved results". Figure 6.6:
// the map of a garment held at shoulders and belt, and how it changes when a few particles are
// added to the fixed ones. Figure 6.7: without enforcement the skirt overstretches significantly.
// No numbers are given.
//
// The scenes are cloth/skirt and cloth/garment, walking after half a second, four seconds in frames
// of 1/60 s, eight substeps each; after every frame:
//
//   maps       as in the scene: directional, orders of free cloth and of either knee
//   remade     without maps; what is fixed is looked for and the order made anew when it changes
//   pins       without maps; pins alone count as fixed
//   iterative  20 passes over all springs that are too long, as Provot
//   springs    no enforcement; as stiff as the same substeps bear
//
// The dress has the first three. Stretch is the largest l/l0 - 1 of a frame; its median and maximum
// are over the frames after the first second. Times are per substep, what a tenth of the frames
// stays below; contestants take turns frame by frame. A map is "used" in a frame if it is the one
// of its last substep.
//
// [OZG13] Özgen: Physics-based animation models using fractional calculus. PhD thesis, UC Merced,
//         2013.
#include "hanging.h"
#include "tiles.h"

#include <fathom/scene.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 240, SETTLING = 60, QUICK_FRAMES = 3, MAPS = 3, SETTINGS = 4, WAYS = 5 };
static const double FPS = 60;

// One way to keep a garment from stretching: settings of the scene, % stands for its cloth.
typedef struct way {
    const char *name;
    const char *settings[SETTINGS];
} way;

static const way ways[WAYS] = {
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

typedef struct garment {
    const char *scene, *body; // its file and what it calls the cloth
    int ways;
} garment;

static const garment garments[] = {{"skirt", "skirt", WAYS}, {"garment", "dress", 3}};
enum { GARMENTS = sizeof garments / sizeof *garments };

typedef struct wearing {
    fm_world *world;
    double stretch[FRAMES], mean[FRAMES], enforce_us[FRAMES], bodies_us[FRAMES], order_ms;
    int map[FRAMES];
    int intersections, pinched;
} wearing;

// The state in which a map was last used, with its place in the order and its corrections.
typedef struct portrait {
    void *state;
    size_t size;
    int corrections;
} portrait;

static fm_world *build(experiment *e, const garment *g, const way *w)
{
    fm_error *err = experiment_error(e);
    char path[512], text[SETTINGS][160];
    const char *settings[SETTINGS + 3] = {"figures.woman.motion.walk.start=0.5"};
    int count = 1;
    if (experiment_quick(e) && g->ways == WAYS) {
        settings[count++] = "bodies.skirt.cloth.tube.columns=24";
        settings[count++] = "bodies.skirt.cloth.tube.rows=13";
    }
    snprintf(path, sizeof path, "%s/cloth/%s.yaml", EXPERIMENT_SCENES, g->scene);
    for (int i = 0; i < SETTINGS && w->settings[i]; i++, count++) {
        snprintf(text[i], sizeof text[i], "bodies.%s.cloth.%s", g->body, w->settings[i] + 1);
        settings[count] = text[i];
    }
    fm_scene *scene = fm_scene_load(path, settings, count, NULL, NULL, err);
    fm_world *world = scene ? fm_scene_build(scene, 1, err) : NULL;
    fm_scene_destroy(scene);
    return world;
}

static void keep_portrait(experiment *e, const wearing *w, portrait *p)
{
    size_t size = fm_world_save(w->world, NULL, 0);
    if (!p->state)
        p->state = experiment_alloc(e, size, 1);
    p->size = p->state ? fm_world_save(w->world, p->state, size) : 0;
    p->corrections = fm_cloth_correction_count(fm_world_cloth(w->world, 0));
}

static void advance(experiment *e, wearing *w, int frame)
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

static void write_frames(experiment *e, const garment *g, const wearing *all, int frames)
{
    char file[64];
    snprintf(file, sizeof file, "%s-frames.csv", g->scene);
    experiment_table *table = experiment_table_open(
        e, file,
        "time_s,map,stretch_maps,stretch_remade,stretch_pins,stretch_iterative,stretch_springs,"
        "enforce_us_maps,enforce_us_remade,enforce_us_pins,enforce_us_iterative,bodies_us_maps,"
        "bodies_us_remade,bodies_us_pins,bodies_us_iterative,bodies_us_springs");
    for (int f = 0; f < frames; f++) {
        double row[2 + WAYS + (WAYS - 1) + WAYS] = {(f + 1) / FPS, all[0].map[f]};
        for (int w = 0; w < WAYS; w++) {
            bool there = w < g->ways;
            row[2 + w] = there ? all[w].stretch[f] : NAN;
            if (w < WAYS - 1)
                row[2 + WAYS + w] = there ? all[w].enforce_us[f] : NAN;
            row[2 + 2 * WAYS - 1 + w] = there ? all[w].bodies_us[f] : NAN;
        }
        experiment_numbers(table, row);
    }
}

static int compare_numbers(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void report_way(experiment *e, const garment *g, int index, const wearing *w, int frames,
                       experiment_table *table)
{
    const char *name = ways[index].name;
    int first = frames > SETTLING ? SETTLING : 0, count = frames - first;
    double sorted[FRAMES], mean = 0;
    memcpy(sorted, w->stretch + first, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_numbers);
    for (int f = first; f < frames; f++)
        mean += w->mean[f] / count;
    double enforce = hanging_time(e, w->enforce_us + first, count);
    double bodies = hanging_time(e, w->bodies_us + first, count);
    experiment_row(table, "%s,%s,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,%d,%d", g->scene, name,
                   sorted[count / 2], sorted[count - 1], mean, enforce, bodies,
                   w->order_ms / (frames / FPS), w->intersections, w->pinched);
    experiment_result_of(e, NAN, sorted[count / 2], "", "%s, %s: stretch, median of frames",
                         g->scene, name);
    experiment_result_of(e, NAN, sorted[count - 1], "", "%s, %s: stretch, largest", g->scene, name);
    experiment_result_of(e, NAN, enforce, "us", "%s, %s: enforcement, a substep", g->scene, name);
    experiment_result_of(e, NAN, bodies, "us", "%s, %s: all of a substep", g->scene, name);
    experiment_result_of(e, NAN, w->order_ms / (frames / FPS), "ms",
                         "%s, %s: making orders, a simulated second", g->scene, name);
    experiment_result_of(e, 0, w->intersections, "", "%s, %s: intersections, all frames", g->scene,
                         name);
}

static void report_maps(experiment *e, const garment *g, const wearing *w, int frames,
                        const portrait *portraits, experiment_table *table)
{
    static const char *const names[MAPS] = {"free", "left knee", "right knee"};
    int used[MAPS] = {0}, switches = 0;
    for (int f = 0; f < frames; f++) {
        used[w->map[f]]++;
        switches += f > 0 && w->map[f] != w->map[f - 1];
    }
    for (int m = 0; m < MAPS; m++) {
        experiment_row(table, "%s,%s,%.4g,%d", g->scene, names[m], (double)used[m] / frames,
                       portraits[m].corrections);
        experiment_result_of(e, NAN, (double)used[m] / frames, "", "%s: share of frames, map %s",
                             g->scene, names[m]);
    }
    experiment_result_of(e, NAN, switches / (frames / FPS), "1/s", "%s: switches of maps",
                         g->scene);
}

static void simulate(experiment *e, const garment *g, wearing *all, portrait *portraits, int frames)
{
    for (int w = 0; w < g->ways && !experiment_failed(e); w++)
        all[w].world = build(e, g, &ways[w]);
    for (int f = 0; f < frames; f++) {
        for (int w = 0; w < g->ways && !experiment_failed(e); w++)
            advance(e, &all[w], f);
        if (experiment_failed(e))
            return;
        int map = all[0].map[f];
        bool settled = f >= SETTLING || f >= frames - 2;
        if (!portraits[map].state || settled)
            keep_portrait(e, &all[0], &portraits[map]);
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
    "set xlabel 'time s'\n"
    "set ylabel 'largest stretch'\n"
    "set ytics auto\n"
    "set yrange [0.005:1]\n"
    "set logscale y\n"
    "set key top left horizontal\n"
    "plot for [k = ways:1:-1] name.'.csv' using 1:(column(2 + k)) with lines ls k title "
    "word('maps remade pins iterative springs', k)\n"
    "unset multiplot\n";

static void plot(experiment *e, const garment *g)
{
    char name[64], script[sizeof frames_script + 32];
    snprintf(name, sizeof name, "%s-frames", g->scene);
    snprintf(script, sizeof script, "ways = %d\n%s", g->ways, frames_script);
    experiment_plot(e, name,
                    g->ways == WAYS ? "A skirt on a walking figure" : "A dress on a walking figure",
                    script);
}

// Figures 6.4 and 6.6: each map on the cloth as it was when it was last used.
static void draw_maps(experiment *e, portrait portraits[GARMENTS][MAPS])
{
    static const char *const labels[GARMENTS][MAPS] = {
        {"skirt, no knee", "skirt, left knee", "skirt, right knee"},
        {"dress, no knee", "dress, left knee", "dress, right knee"}};
    fm_world *worlds[GARMENTS * MAPS] = {0};
    tile tiles[GARMENTS * MAPS];
    int count = 0;
    for (int k = 0; k < GARMENTS * MAPS && !experiment_failed(e); k++) {
        const portrait *p = &portraits[k / MAPS][k % MAPS];
        if (!p->state)
            continue;
        fm_world *world = worlds[k] = build(e, &garments[k / MAPS], &ways[0]);
        if (!world || !fm_world_restore(world, p->state, p->size, experiment_error(e)))
            break;
        fm_cloth *cloth = fm_world_cloth(world, 0);
        double *place = experiment_alloc(e, (size_t)fm_cloth_particle_count(cloth), sizeof *place);
        if (place)
            fm_cloth_read_field(cloth, "correction", place, experiment_error(e));
        tiles[count++] = (tile){cloth, place, labels[k / MAPS][k % MAPS]};
    }
    tiles_draw(e, "maps.png", tiles, count, MAPS, 1, 15, 8);
    for (int k = 0; k < GARMENTS * MAPS; k++)
        fm_world_destroy(worlds[k]);
}

// Figure 6.7: stretch in colours, with and without enforcement, at the end.
static void draw_stretch(experiment *e, const wearing *all)
{
    static const int shown[] = {0, 3, 4};
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
    tiles_draw(e, "stretch.png", tiles, 3, 3, 0.3, 15, 8);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(
        argc, argv, "constraint-skirt",
        "A skirt and a dress on a walking figure, with orders that the knees switch.", &status);
    if (!e)
        return status;
    static wearing all[WAYS];
    static portrait portraits[GARMENTS][MAPS];
    int frames = experiment_quick(e) ? QUICK_FRAMES : FRAMES;
    experiment_table *stretches = experiment_table_open(
        e, "ways.csv",
        "garment,way,median_stretch,largest_stretch,mean_strain,enforce_us,substep_us,"
        "order_ms_per_s,intersections,pinched");
    experiment_table *maps =
        experiment_table_open(e, "maps.csv", "garment,map,share_of_frames,corrections");
    for (int g = 0; g < GARMENTS && !experiment_failed(e); g++) {
        memset(all, 0, sizeof all);
        simulate(e, &garments[g], all, portraits[g], frames);
        if (!experiment_failed(e)) {
            write_frames(e, &garments[g], all, frames);
            for (int w = 0; w < garments[g].ways; w++)
                report_way(e, &garments[g], w, &all[w], frames, stretches);
            report_maps(e, &garments[g], &all[0], frames, portraits[g], maps);
            plot(e, &garments[g]);
            if (garments[g].ways == WAYS)
                draw_stretch(e, all);
        }
        for (int w = 0; w < WAYS; w++)
            fm_world_destroy(all[w].world);
    }
    draw_maps(e, portraits);
    return experiment_close(e);
}
