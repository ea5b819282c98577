// SPDX-License-Identifier: MIT
// cloth-sphere.c: a sphere pushed into a hanging towel and pulled back.
//
// [OKRC10] figure 3 left, [OZG13] figures 3.4 left and 3.10: a solid sphere moves through a hanging
// cloth under water, once with half derivatives in drag and damping (fractional cloth) and once
// with the best regular cloth, which has normal drag. The waves of the fractional cloth are said to
// propagate more consistently and to last longer.
//
// The towel of towel.h hangs at rest, its top edge fixed. A sphere of radius 0.08 m comes from
// behind at mid-height, pushes 0.3 m beyond the cloth's plane in 1.5 s, so that the cloth lies on
// it, and is pulled back in 0.5 s. Two further ways stand for those of figure 3.10: the sphere
// passes below the middle and on upwards under the cloth ("under"), and along the cloth from one
// side to the other while it presses ("across"). The models are those with the best scores in
// cloth-swing ("u = 3", half derivatives over three steps, with tuned parameters; with the paper's
// protocol its half-derivative drag would almost vanish) and a control for u = 3: the same cloth
// with the dashpots that half derivatives over three steps amount to at constant velocity. Measured
// on the deflection z(s,t) of the centre line:
//
//   contact    time from the first to the last substep in which a particle is in contact, s
//   waves      number of bumps at one instant (bumps.h) in the two seconds after the last contact
//   travel     the largest distance that one of these bumps travels downwards, m
//   duration   time after the last contact until the RMS speed of the line stays below 5 % of its
//              value in the half second before
//   inside     particles inside the sphere by its signed distance function, counted after every
//              frame of all runs and, pushed in, after every substep of another run (which advances
//              one substep at a time); both must be 0
//
// Every cloth is simulated three times, the path of the sphere 1 % longer each time, and the median
// is reported.
#include "tiles.h"
#include "towel.h"

#include <stdio.h>

static const towel_model shown[] = {TOWEL_VISCOUS,    TOWEL_NORMAL,   TOWEL_3_STEPS, TOWEL_DASHPOTS,
                                    TOWEL_WHOLE_PAST, TOWEL_PHYSICAL, TOWEL_DEFAULT};
enum { SHOWN = sizeof shown / sizeof *shown };
// The ways of the sphere: keys from 0.2 s on, m from its initial place. All end so far behind the
// cloth that it does not swing back to the sphere.
enum { WAYS = 3, WAY_KEYS = 5 };
static const char *const way_names[WAYS] = {"push", "under", "across"};
static const fm_key ways[WAYS][WAY_KEYS] = {{{.time = 0.2, .position = {0, 0, -0.2}},
                                             {.time = 1.7, .position = {0, 0, 0.22}},
                                             {.time = 2.2, .position = {0, 0, -0.2}},
                                             {.time = 2.3, .position = {0, 0, -0.2}},
                                             {.time = 3, .position = {0, 0, -0.7}}},
                                            {{.time = 0.2, .position = {0, -0.25, -0.2}},
                                             {.time = 1.2, .position = {0, -0.25, 0.1}},
                                             {.time = 1.7, .position = {0, 0, 0.22}},
                                             {.time = 2.2, .position = {0, -0.5, -0.2}},
                                             {.time = 3, .position = {0, -0.5, -0.7}}},
                                            {{.time = 0.2, .position = {-0.25, 0, -0.2}},
                                             {.time = 0.9, .position = {-0.12, 0, 0.05}},
                                             {.time = 1.7, .position = {0.12, 0, 0.05}},
                                             {.time = 2.2, .position = {0.25, 0, -0.2}},
                                             {.time = 3, .position = {0.25, 0, -0.7}}}};
static const double threshold = 0.003;  // m, smallest height of a bump
static const double radius = 0.08;      // m, of the sphere
static const double DECAY_SHARE = 0.05; // of the speed before, at which the motion has ended

// A towel and a moving sphere under water.
typedef struct scene {
    fm_world *world;
    fm_cloth *cloth;
    fm_collider *sphere;
    int columns, rows; // particles of the cloth
} scene;

// Contact of the cloth with the sphere in one run.
typedef struct contact_record {
    int inside;        // number of particles inside the sphere, summed over all samples
    double deepest;    // m, smallest signed distance of a particle from the sphere
    double begin, end; // s, first and last contact; end < begin: none
} contact_record;

// Creates water, the moving sphere and the towel. stretch: factor on the path of the sphere.
static scene create_scene(experiment *e, const fm_cloth_def *def, int way, double stretch,
                          fm_error *err)
{
    bool quick = experiment_quick(e);
    scene s = {.columns = quick ? 11 : 21, .rows = quick ? 16 : 31};
    s.world = fixture_create_world(fixture_water_def(1), err);
    fm_collider_def ball = fixture_ball_def((fm_vec3){0, -0.3, 0}, radius);
    fm_key keys[WAY_KEYS];
    for (int k = 0; k < WAY_KEYS; k++) {
        keys[k] = ways[way][k];
        keys[k].position.x *= stretch;
        keys[k].position.y *= stretch;
        keys[k].position.z *= stretch;
    }
    ball.motion = fm_motion_keyframes(s.world, keys, WAY_KEYS, FM_INTERPOLATE_SMOOTH,
                                      (fm_vec3){0, 0, 0}, err);
    s.sphere = fm_collider_create(s.world, &ball, err);
    fixture_towel towel = fixture_default_towel(s.columns, s.rows);
    towel.cloth = *def;
    towel.sheet.origin = (fm_vec3){-0.2, 0, 0};
    towel.amplitude = 0;
    s.cloth = fixture_create_hanging_cloth(s.world, &towel, err);
    return s;
}

// Adds the particles inside the sphere and the contact at the present time to c. margin: distance
// at which a particle counts as in contact, m.
static void measure_contact(const scene *s, double margin, contact_record *c)
{
    int count;
    double t = fm_world_time(s->world);
    const fm_vec3 *x = fm_cloth_positions(s->cloth, &count);
    bool touching = false;
    for (int i = 0; i < count; i++) {
        double distance = fm_collider_distance(s->sphere, x[i], t, NULL, NULL, NULL);
        c->inside += distance < 0;
        c->deepest = fmin(c->deepest, distance);
        touching |= distance < 1.01 * margin + 1e-9; // 1 % and rounding more than the margin
    }
    if (!touching)
        return;
    c->begin = fmin(c->begin, t);
    c->end = t;
}

// Simulates `total` seconds in advances of `duration` (s; 0: the stable step) and measures the
// contact after each advance. way, stretch: of the sphere; record: receives the centre line, or
// NULL.
static contact_record simulate_contact(experiment *e, const fm_cloth_def *def, int way,
                                       double stretch, double total, double duration,
                                       towel_record *record)
{
    fm_error err = {0};
    scene s = create_scene(e, def, way, stretch, &err);
    contact_record c = {.deepest = INFINITY, .begin = INFINITY};
    if (err.status == FM_OK && duration <= 0)
        duration = fm_cloth_stable_step(s.cloth);
    int steps = err.status == FM_OK ? (int)round(total / duration) : -1;
    for (int n = 0; n <= steps && err.status == FM_OK; n++) {
        if (n > 0) {
            fm_report report = fm_world_advance(s.world, duration, &err);
            towel_check_damping(e, &report);
        }
        measure_contact(&s, def->thickness / 2, &c);
        if (!record)
            continue;
        const fm_vec3 *x = fm_cloth_positions(s.cloth, &(int){0});
        for (int r = 0; r < s.rows; r++)
            record->line.z[(size_t)n * s.rows + r] = x[r * s.columns + s.columns / 2].z;
        record->line.frames = n + 1;
    }
    if (err.status != FM_OK)
        experiment_fail(e, err.status, "%s", err.text);
    fm_world_destroy(s.world);
    return c;
}

static const char map_script[] =
    "set multiplot layout 2,4 margins 0.07,0.985,0.09,0.87 spacing 0.03,0.13 title heading "
    "font ',18'\n"
    "unset title\n"
    "unset key\n"
    "set palette defined (-1 '#2166ac', -0.5 '#92c5de', 0 '#f7f7f7', 0.5 '#f4a582', 1 '#b2182b')\n"
    "set cbrange [-0.15:0.15]\n"
    "unset colorbox\n"
    "unset grid\n"
    "set yrange [0.6:0]\n"
    "set ytics 0.2\n"
    "set xrange [0:8]\n"
    "array titles[7] = ['viscous', 'normal', 'u = 3', 'its dashpots', 'full', "
    "'physical, one layer', 'physical, as it is']\n"
    "do for [i = 1:7] {\n"
    "    set title titles[i] font ',15' offset 0,-0.5\n"
    "    set xlabel (i > 4 ? 'time [s]' : '') offset 0,0.5\n"
    "    set ylabel (i % 4 == 1 ? 'down the cloth [m]' : '')\n"
    "    set format y (i % 4 == 1 ? '%g' : '')\n"
    "    plot 'map-'.(i - 1).'.csv' skip 1 using 1:2:3 with image notitle\n"
    "}\n"
    "unset multiplot\n";

// What is measured in each run, as listed at the top of this file.
enum { CONTACT, WAVES, TRAVEL, DURATION, INSIDE, MEASURES };
static const char *const measure_names[MEASURES] = {
    "contact", "waves at once in the 2 s after", "furthest travel of a wave after",
    "duration after the contact", "particles inside, after every frame"};
static const char *const units[MEASURES] = {"s", "", "m", "s", ""};
enum { RUNS = 3 }; // runs per model and way, with paths of the sphere 1 % apart

// Simulates run `run` of the model shown[i] and measures it. Writes the deflection of the first run
// of the first way for the picture.
static void measure_run(experiment *e, int way, int i, int run, double m[MEASURES])
{
    double total = experiment_quick(e) ? 5 : 12;
    towel_record r = {.line = {.points = experiment_quick(e) ? 16 : 31,
                               .length = TOWEL_HEIGHT,
                               .dt = TOWEL_FRAME}};
    r.line.z =
        experiment_alloc(e, (size_t)(total / TOWEL_FRAME + 2) * r.line.points, sizeof *r.line.z);
    if (!r.line.z)
        return;
    fm_cloth_def def = towel_tuned_cloth_def(shown[i]);
    contact_record c = simulate_contact(e, &def, way, 1 + 0.01 * run, total, TOWEL_FRAME, &r);
    if (experiment_failed(e))
        return;
    int end = (int)round(c.end / TOWEL_FRAME), later = end + (int)round(2 / TOWEL_FRAME);
    deflection after = r.line;
    after.frames = later < r.line.frames ? later : r.line.frames;
    m[CONTACT] = c.end - c.begin;
    m[WAVES] = bumps_measure(e, &after, end, threshold, 0).count;
    m[TRAVEL] = towel_longest_bump_travel(e, &r, c.end, threshold);
    m[DURATION] = towel_decay_time(&r, c.end, DECAY_SHARE);
    m[INSIDE] = c.inside;
    char file[32];
    snprintf(file, sizeof file, "map-%d.csv", i);
    if (way == 0 && run == 0)
        towel_write_deflection(e, &r, file, 0);
}

// Reports the model shown[i] in one way of the sphere: medians of its runs.
static void study_model(experiment *e, int way, int i, experiment_table *table)
{
    double m[RUNS][MEASURES] = {{0}};
    const char *name = towel_model_name(shown[i]);
    int runs = experiment_quick(e) ? 1 : RUNS;
    for (int k = 0; k < runs && !experiment_failed(e); k++) {
        measure_run(e, way, i, k, m[k]);
        experiment_write_row(table, "%s,\"%s\",%d,%.4g,%.4g,%.4g,%.4g,%.0f", way_names[way], name,
                             k, m[k][CONTACT], m[k][WAVES], m[k][TRAVEL], m[k][DURATION],
                             m[k][INSIDE]);
    }
    for (int q = 0; q < MEASURES; q++) {
        double values[RUNS] = {m[0][q], m[1][q], m[2][q]};
        double value = experiment_median(values, runs);
        if (q == INSIDE)
            value = values[0] + values[1] + values[2];
        experiment_add_named_result(e, NAN, value, units[q], "%s, %s: %s", way_names[way], name,
                                    measure_names[q]);
    }
}

// Counts particles inside the sphere after every substep of a run in which it is pushed in.
static void count_inside(experiment *e, int i)
{
    fm_cloth_def def = towel_tuned_cloth_def(shown[i]);
    contact_record c = simulate_contact(e, &def, 0, 1, 3, 0, NULL);
    if (experiment_failed(e))
        return;
    const char *name = towel_model_name(shown[i]);
    experiment_add_named_result(e, NAN, c.inside, "", "%s: particles inside, after every substep",
                                name);
    experiment_add_named_result(e, NAN, 1e3 * c.deepest, "mm",
                                "%s: smallest distance from the sphere, margin 1 mm", name);
}

// Draws the three ways with normal drag and u = 3, while the sphere is in the cloth and a second
// after it has left, coloured by the deflection.
static void draw_ways(experiment *e)
{
    enum { COLUMNS = 4, TILES = WAYS * COLUMNS };
    static const double times[] = {1.7, 3.2}; // s
    static const towel_model models[] = {TOWEL_NORMAL, TOWEL_3_STEPS};
    static double values[TILES][21 * 31];
    static char labels[TILES][40];
    scene scenes[TILES] = {{0}};
    tile tiles[TILES];
    fm_error *err = experiment_error(e);
    for (int k = 0; k < TILES; k++) {
        int way = k / COLUMNS, when = k % COLUMNS / 2, count = 0;
        towel_model model = models[k % 2];
        fm_cloth_def def = towel_tuned_cloth_def(model);
        scene *s = &scenes[k];
        *s = create_scene(e, &def, way, 1, err);
        fm_world_advance(s->world, experiment_quick(e) ? 0.1 : times[when], err);
        if (experiment_failed(e))
            break;
        const fm_vec3 *x = fm_cloth_positions(s->cloth, &count);
        for (int i = 0; i < count; i++)
            values[k][i] = fabs(x[i].z);
        snprintf(labels[k], sizeof labels[k], "%s, %s, %.1f s", way_names[way],
                 towel_model_name(model), times[when]);
        tiles[k] = (tile){s->cloth, values[k], labels[k]};
    }
    if (!experiment_failed(e))
        tiles_draw(e, "ways.png", tiles, TILES, COLUMNS, 0.25, 40, 5);
    for (int k = 0; k < TILES; k++)
        fm_world_destroy(scenes[k].world);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "cloth-sphere",
                                    "A sphere pushed into a hanging towel.", &status);
    if (!e)
        return status;
    bumps_check(e);
    experiment_table *table = experiment_table_open(
        e, "models.csv", "way,model,run,contact_s,waves_after,travel_m,duration_s,inside_frames");
    for (int k = 0; k < WAYS * SHOWN && !experiment_failed(e); k++)
        if (k <= SHOWN || !experiment_quick(e))
            study_model(e, k / SHOWN, k % SHOWN, table);
    for (int i = 0; i < SHOWN && !experiment_failed(e); i++)
        count_inside(e, i);
    experiment_plot(e, "map", "A sphere pushed into the towel and pulled back: deflection",
                    map_script);
    draw_ways(e);
    return experiment_close(e);
}
