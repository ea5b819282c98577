// SPDX-License-Identifier: MIT
// contact.c: sheets in every kind of trouble, and what got through.
//
// Ours. A sheet of canvas, 31 x 31 over 0.6 m, in still air, advanced by 1/120 s at a time for
// 20,000 steps (--quick: 60), colliders at up to 5 m/s:
//
//   sphere    a ball jumps up and down under a sheet that falls on it and off it
//   edge      the edge of a box that rocks
//   tip       the sharp tip of a cone that stabs at a sheet hung by four corners
//   figure    a sheet on the shoulders of somebody who walks
//   fold      one edge is drawn over the other and back, on a floor
//   twist     held by the middle of two opposite edges, one of which turns twice and back
//   wring     the same while they come nearer and part
//   sheets    two of them hung by corners, shaken against each other
//
// After every step a test that shares no code with the solver counts edges that go through
// triangles (exact signs). It must be 0 wherever nothing is pinched: a pair that colliders left no
// room for is counted as such. Beside it: the least distance of surfaces, how often the path of a
// pair had to be cut (impacts) and how many particles had to move as one (zones).
#include "experiment.h"

#include <fathom/fathom.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 31, LONG_RUN = 20000, SHORT_RUN = 60 };
static const double SIDE = 0.6, STEP = 1.0 / 120; // m, s

typedef struct trouble {
    const char *name;
    void (*build)(fm_world *world, fm_error *err);
} trouble;

static fm_cloth *add_sheet(fm_world *world, fm_vec3 origin, double tilt, fm_error *err)
{
    fm_cloth_def def = fm_default_cloth_def();
    fm_cloth_set_material(&def, FM_CANVAS);
    def.enforcement.method = FM_ENFORCE_DIRECTIONAL;
    def.enforcement.compression = false; // crumples more, and keeps contact busier
    def.contact.enabled = true;
    fm_sheet sheet = {.columns = COLUMNS, .rows = COLUMNS, .width = SIDE, .height = SIDE};
    sheet.origin = origin;
    sheet.rotation = (fm_quat){sin(tilt / 2), 0, 0, cos(tilt / 2)};
    return fm_cloth_create_sheet(world, &def, &sheet, err);
}

// Lying, its middle over the origin.
static fm_cloth *add_lying(fm_world *world, double height, fm_error *err)
{
    return add_sheet(world, (fm_vec3){-SIDE / 2, height, -SIDE / 2}, -acos(0), err);
}

static void pin_corners(fm_cloth *cloth, const fm_motion *motion, fm_error *err)
{
    for (int corner = 0; corner < 4; corner++)
        fm_cloth_pin_corner(cloth, (fm_corner)corner, motion, err);
}

static fm_motion *shake(fm_world *world, fm_vec3 axis, double speed, double period, fm_error *err)
{
    return fm_motion_sine(world, axis, speed * period / (4 * acos(0)), period, err);
}

static void add_floor(fm_world *world, double height, fm_error *err)
{
    fm_collider_def def = fm_default_collider_def();
    def.name = "floor";
    def.shape = (fm_shape){.kind = FM_SHAPE_PLANE, .centre = {0, height, 0}, .normal = {0, 1, 0}};
    fm_collider_create(world, &def, err);
}

static void build_sphere(fm_world *world, fm_error *err)
{
    fm_collider_def ball = fm_default_collider_def();
    ball.shape = (fm_shape){.kind = FM_SHAPE_SPHERE, .centre = {0.03, -0.3, 0.02}, .radius = 0.12};
    ball.motion = shake(world, (fm_vec3){0, 1, 0}, 5, 0.4, err);
    fm_collider_create(world, &ball, err);
    add_floor(world, -0.9, err);
    pin_corners(add_lying(world, 0.1, err), NULL, err);
}

static void build_edge(fm_world *world, fm_error *err)
{
    fm_collider_def box = fm_default_collider_def();
    fm_turn rock = {.axis = {0, 0, 1}, .amplitude = 0.6, .period = 0.9};
    box.shape = (fm_shape){.kind = FM_SHAPE_BOX,
                           .centre = {0, -0.25, 0},
                           .half_size = {0.15, 0.15, 0.4},
                           .rotation = {0, 0, sin(acos(0) / 4), cos(acos(0) / 4)}};
    box.motion = fm_motion_turn(world, &rock, err);
    fm_collider_create(world, &box, err);
    add_floor(world, -0.7, err);
    add_lying(world, 0.1, err);
}

static void build_tip(fm_world *world, fm_error *err)
{
    fm_collider_def cone = fm_default_collider_def();
    cone.shape = (fm_shape){.kind = FM_SHAPE_CONE,
                            .start = {0.02, -0.53, 0.01},
                            .end = {0.02, -0.13, 0.01},
                            .radius = 0.1};
    cone.motion = shake(world, (fm_vec3){0, 1, 0}, 5, 0.35, err);
    fm_collider_create(world, &cone, err);
    pin_corners(add_lying(world, 0.1, err), NULL, err);
}

static void build_figure(fm_world *world, fm_error *err)
{
    fm_figure_def def = fm_default_figure_def();
    def.name = "walker";
    def.motion = FM_FIGURE_WALK;
    def.walk.speed = 1.4;
    fm_figure *figure = fm_figure_create(world, &def, err);
    fm_figure_add_colliders(world, figure, 0.3, err);
    fm_cloth *cape = add_sheet(world, (fm_vec3){-SIDE / 2, 1.44, -0.09}, 0.25, err);
    fm_cloth_pin_row(cape, 0, fm_motion_figure(world, figure, FM_BONE_SHOULDERS, err), err);
}

static void build_fold(fm_world *world, fm_error *err)
{
    add_floor(world, 0, err);
    fm_cloth *cloth = add_lying(world, 0.02, err);
    fm_turn over = {.axis = {-1, 0, 0},
                    .pivot = {0, 0.02, 0},
                    .angle = 1.3,
                    .amplitude = 1.3,
                    .period = 3,
                    .phase = -acos(0)};
    fm_cloth_pin_edge(cloth, FM_EDGE_TOP, NULL, err);
    fm_cloth_pin_edge(cloth, FM_EDGE_BOTTOM, fm_motion_turn(world, &over, err), err);
}

// The middle of the upper and of the lower edge, the latter turned twice around while it is lifted
// by `lift` and moved up and down.
static void hold_and_turn(fm_world *world, double lift, double speed, fm_error *err)
{
    enum { HELD = 5, FIRST = COLUMNS / 2 - HELD / 2 };
    int top[HELD], bottom[HELD];
    for (int i = 0; i < HELD; i++) {
        top[i] = FIRST + i;
        bottom[i] = (COLUMNS - 1) * COLUMNS + FIRST + i;
    }
    fm_cloth *cloth = add_sheet(world, (fm_vec3){-SIDE / 2, 0, 0}, 0, err);
    fm_turn turn = {.axis = {0, 1, 0}, .amplitude = 8 * acos(0), .period = 12};
    fm_key keys[] = {{.time = 0}, {.time = 2, .position = {0, lift, 0}}};
    fm_motion *raise =
        fm_motion_keyframes(world, keys, 2, FM_INTERPOLATE_SMOOTH, (fm_vec3){0}, err);
    fm_motion *pump =
        fm_motion_compose(world, shake(world, (fm_vec3){0, 1, 0}, speed, 0.7, err), raise, err);
    fm_cloth_pin_list(cloth, top, HELD, NULL, err);
    fm_cloth_pin_list(cloth, bottom, HELD,
                      fm_motion_compose(world, pump, fm_motion_turn(world, &turn, err), err), err);
}

static void build_twist(fm_world *world, fm_error *err)
{
    hold_and_turn(world, 0.25, 0.01, err);
}

static void build_wring(fm_world *world, fm_error *err)
{
    hold_and_turn(world, 0.3, 0.5, err);
}

static void build_sheets(fm_world *world, fm_error *err)
{
    pin_corners(add_lying(world, 0, err), shake(world, (fm_vec3){0, 1, 0.3}, 2, 0.8, err), err);
    pin_corners(add_lying(world, 0.35, err), shake(world, (fm_vec3){0.4, 1, 0}, 2, 0.53, err), err);
}

static const trouble troubles[] = {
    {"sphere", build_sphere}, {"edge", build_edge},     {"tip", build_tip},
    {"figure", build_figure}, {"fold", build_fold},     {"twist", build_twist},
    {"wring", build_wring},   {"sheets", build_sheets},
};
enum { TROUBLES = sizeof troubles / sizeof *troubles };

typedef struct tally {
    int steps, through, through_unpinched; // steps with intersections; of those, nothing pinched
    int pinched_steps;
    long impacts, zones;
    double closest, max_stretch;
} tally;

static tally run(experiment *e, const trouble *t, int steps)
{
    fm_error err = {0};
    fm_world_def def = fm_default_world_def();
    def.medium = (fm_medium){.density = 1.2, .viscosity = 1.8e-5};
    def.threads = 1;
    def.check_intersections = true;
    fm_world *world = fm_world_create(&def, &err);
    tally sum = {.closest = INFINITY};
    bool tangled = false; // what a pinch left behind is that pinch's
    if (err.status == FM_OK)
        t->build(world, &err);
    for (; sum.steps < steps && err.status == FM_OK; sum.steps++) {
        fm_report r = fm_world_advance(world, STEP, &err);
        tangled = r.pinched_count > 0 || (tangled && r.intersection_count > 0);
        sum.through += r.intersection_count > 0;
        sum.through_unpinched += r.intersection_count > 0 && !tangled;
        sum.pinched_steps += r.pinched_count > 0;
        sum.impacts += r.impact_count;
        sum.zones += r.zone_count;
        sum.closest = fmin(sum.closest, r.closest_distance);
        sum.max_stretch = fmax(sum.max_stretch, r.max_stretch);
    }
    if (err.status != FM_OK)
        experiment_fail(e, err.status, "%s, step %d: %s", t->name, sum.steps, err.text);
    fm_world_destroy(world);
    return sum;
}

int main(int argc, char **argv)
{
    int status;
    experiment *e =
        experiment_open(argc, argv, "contact", "Sheets in every kind of trouble.", &status);
    if (!e)
        return status;
    int steps = experiment_quick(e) ? SHORT_RUN : LONG_RUN;
    const char *asked = getenv("FATHOM_STEPS"); // a run of any length in between
    if (asked && atoi(asked) > 0)
        steps = atoi(asked);
    experiment_table *table = experiment_table_open(
        e, "troubles.csv",
        "trouble,steps,steps_with_intersections,of_them_unpinched,steps_with_pinches,"
        "impacts_a_step,zone_particles_a_step,least_distance_m,max_stretch");
    for (int i = 0; i < TROUBLES && !experiment_failed(e); i++) {
        const char *name = troubles[i].name;
        tally t = run(e, &troubles[i], steps);
        double n = t.steps > 0 ? t.steps : 1;
        experiment_row(table, "%s,%d,%d,%d,%d,%.4g,%.4g,%.4g,%.4g", name, t.steps, t.through,
                       t.through_unpinched, t.pinched_steps, (double)t.impacts / n,
                       (double)t.zones / n, t.closest, t.max_stretch);
        experiment_result_of(e, NAN, t.through_unpinched, "",
                             "%s: steps of %d with intersections and nothing pinched", name,
                             t.steps);
        experiment_result_of(e, NAN, t.pinched_steps, "", "%s: steps with a pinch", name);
        experiment_result_of(e, NAN, 1e3 * t.closest, "mm", "%s: least distance", name);
        if (t.through_unpinched > 0)
            experiment_fail(e, FM_DIVERGED, "%s: something got through in %d steps", name,
                            t.through_unpinched);
    }
    return experiment_close(e);
}
