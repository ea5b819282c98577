// SPDX-License-Identifier: MIT
// contact.c: self-contact and contact with colliders under severe conditions.
//
// Not from a paper. A sheet of canvas, 31 x 31 particles over 0.6 m, in still air, advanced by
// 1/120 s at a time for 20,000 steps (--quick: 60), colliders at up to 5 m/s:
//
//   sphere    a ball moves up and down under a sheet that is pinned at four corners
//   edge      a sheet falls on the edge of a box that rocks
//   tip       the sharp tip of a cone stabs at a sheet pinned at four corners
//   figure    a sheet on the shoulders of a walking figure
//   fold      one edge is drawn over the opposite edge and back, on a floor
//   twist     pinned at the middle of two opposite edges, one of which turns twice and back
//   wring     the same while the two edges approach and separate
//   sheets    two sheets pinned at their corners, shaken against each other
//
// After every step a test that shares no code with the solver counts edges that pass through
// triangles (exact signs). The count must be 0 unless cloth is pinched, that is, colliders leave no
// room for a pair of features; such steps are counted separately. Also reported: the smallest
// distance of surfaces, the number of impacts (paths cut short at a time of impact), and the number
// of particles in impact zones.
#include "experiment.h"
#include "fixtures.h"

#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 31, LONG_RUN = 20000, SHORT_RUN = 60 }; // particles along a side; steps
static const double SIDE = 0.6, STEP = 1.0 / 120;        // side of a sheet, m; time step, s

// One of the cases listed at the top of this file.
typedef struct scenario {
    const char *name;
    void (*build)(fm_world *world, fm_error *err);
} scenario;

// Adds a sheet of canvas. origin: its upper left corner, m; tilt: about the x axis, rad.
static fm_cloth *add_sheet(fm_world *world, fm_vec3 origin, double tilt, fm_error *err)
{
    fm_cloth_def def = fixture_canvas_def(FM_ENFORCE_DIRECTIONAL, true);
    def.enforcement.compression = false; // the sheet crumples more, which gives more contacts
    fm_sheet sheet = {.columns = COLUMNS, .rows = COLUMNS, .width = SIDE, .height = SIDE};
    sheet.origin = origin;
    sheet.rotation = fixture_rotation_about_x(tilt);
    return fm_cloth_create_sheet(world, &def, &sheet, err);
}

// Adds a horizontal sheet with its centre above the origin.
static fm_cloth *add_horizontal_sheet(fm_world *world, double height, fm_error *err)
{
    return add_sheet(world, (fm_vec3){-SIDE / 2, height, -SIDE / 2}, -acos(0), err);
}

// Pins the four corners of a sheet, at rest or moved by the motion.
static void pin_corners(fm_cloth *cloth, const fm_motion *motion, fm_error *err)
{
    for (int corner = 0; corner < 4; corner++)
        fm_cloth_pin_corner(cloth, (fm_corner)corner, motion, err);
}

// Creates a sinusoidal motion along an axis with the given peak speed (m/s) and period (s).
static fm_motion *create_shaking(fm_world *world, fm_vec3 axis, double speed, double period,
                                 fm_error *err)
{
    return fm_motion_sine(world, axis, speed * period / (4 * acos(0)), period, err);
}

// Adds the half-space below y = height (m).
static void add_floor(fm_world *world, double height, fm_error *err)
{
    fm_collider_def def = fixture_floor_def(height);
    def.name = "floor";
    fm_collider_create(world, &def, err);
}

// A ball moves up and down under a sheet that is pinned at four corners.
static void build_sphere(fm_world *world, fm_error *err)
{
    fm_collider_def ball = fixture_ball_def((fm_vec3){0.03, -0.3, 0.02}, 0.12);
    ball.motion = create_shaking(world, (fm_vec3){0, 1, 0}, 5, 0.4, err);
    fm_collider_create(world, &ball, err);
    add_floor(world, -0.9, err);
    pin_corners(add_horizontal_sheet(world, 0.1, err), NULL, err);
}

// A sheet falls on the edge of a box that rocks.
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
    add_horizontal_sheet(world, 0.1, err);
}

// The sharp tip of a cone stabs at a sheet that is pinned at four corners.
static void build_tip(fm_world *world, fm_error *err)
{
    fm_collider_def cone = fm_default_collider_def();
    cone.shape = (fm_shape){.kind = FM_SHAPE_CONE,
                            .start = {0.02, -0.53, 0.01},
                            .end = {0.02, -0.13, 0.01},
                            .radius = 0.1};
    cone.motion = create_shaking(world, (fm_vec3){0, 1, 0}, 5, 0.35, err);
    fm_collider_create(world, &cone, err);
    pin_corners(add_horizontal_sheet(world, 0.1, err), NULL, err);
}

// A sheet on the shoulders of a walking figure.
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

// One edge of a sheet is drawn over the opposite edge and back, on a floor.
static void build_fold(fm_world *world, fm_error *err)
{
    add_floor(world, 0, err);
    fm_cloth *cloth = add_horizontal_sheet(world, 0.02, err);
    // the lower edge turns by 0 to 2.6 rad about the middle of the sheet
    fm_turn over = {.axis = {-1, 0, 0},
                    .pivot = {0, 0.02, 0},
                    .angle = 1.3,
                    .amplitude = 1.3,
                    .period = 3,
                    .phase = -acos(0)};
    fm_cloth_pin_edge(cloth, FM_EDGE_TOP, NULL, err);
    fm_cloth_pin_edge(cloth, FM_EDGE_BOTTOM, fm_motion_turn(world, &over, err), err);
}

// Pins the middle of the upper and of the lower edge. The lower one turns twice around while it is
// raised by `lift` (m) and oscillates vertically with the peak speed `speed` (m/s).
static void pin_and_twist(fm_world *world, double lift, double speed, fm_error *err)
{
    // particles that are pinned in a row, and the column of the first of them
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
    fm_motion *pump = fm_motion_compose(
        world, create_shaking(world, (fm_vec3){0, 1, 0}, speed, 0.7, err), raise, err);
    fm_cloth_pin_list(cloth, top, HELD, NULL, err);
    fm_cloth_pin_list(cloth, bottom, HELD,
                      fm_motion_compose(world, pump, fm_motion_turn(world, &turn, err), err), err);
}

// A sheet pinned at the middle of two opposite edges, one of which turns twice and back.
static void build_twist(fm_world *world, fm_error *err)
{
    pin_and_twist(world, 0.25, 0.01, err);
}

// A sheet is twisted while the two pinned edges approach and separate.
static void build_wring(fm_world *world, fm_error *err)
{
    pin_and_twist(world, 0.3, 0.5, err);
}

// Two sheets pinned at their corners are shaken against each other.
static void build_sheets(fm_world *world, fm_error *err)
{
    pin_corners(add_horizontal_sheet(world, 0, err),
                create_shaking(world, (fm_vec3){0, 1, 0.3}, 2, 0.8, err), err);
    pin_corners(add_horizontal_sheet(world, 0.35, err),
                create_shaking(world, (fm_vec3){0.4, 1, 0}, 2, 0.53, err), err);
}

static const scenario scenarios[] = {
    {"sphere", build_sphere}, {"edge", build_edge},     {"tip", build_tip},
    {"figure", build_figure}, {"fold", build_fold},     {"twist", build_twist},
    {"wring", build_wring},   {"sheets", build_sheets},
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

// Counts over all steps of one scenario.
typedef struct contact_counts {
    int steps;              // all steps
    int intersecting_steps; // steps after which edges pass through triangles
    int unpinched_steps;    // intersecting steps that do not follow a pinch
    int pinched_steps;      // steps in which colliders leave no room for a pair of features
    long impacts;           // paths cut short at a time of impact
    long zones;             // particles in impact zones, summed over the steps
    double closest;         // m, smallest distance of surfaces
    double max_stretch;     // largest l/l0 - 1
} contact_counts;

// Simulates a scenario and counts intersections after every step.
static contact_counts run_scenario(experiment *e, const scenario *s, int steps)
{
    fm_error err = {0};
    fm_world_def def = fixture_air_def(1);
    def.check_intersections = true;
    fm_world *world = fm_world_create(&def, &err);
    contact_counts sum = {.closest = INFINITY};
    bool tangled = false; // intersections that remain after a pinch are attributed to it
    if (err.status == FM_OK)
        s->build(world, &err);
    for (; sum.steps < steps && err.status == FM_OK; sum.steps++) {
        fm_report r = fm_world_advance(world, STEP, &err);
        tangled = r.pinched_count > 0 || (tangled && r.intersection_count > 0);
        sum.intersecting_steps += r.intersection_count > 0;
        sum.unpinched_steps += r.intersection_count > 0 && !tangled;
        sum.pinched_steps += r.pinched_count > 0;
        sum.impacts += r.impact_count;
        sum.zones += r.zone_count;
        sum.closest = fmin(sum.closest, r.closest_distance);
        sum.max_stretch = fmax(sum.max_stretch, r.max_stretch);
    }
    if (err.status != FM_OK)
        experiment_fail(e, err.status, "%s, step %d: %s", s->name, sum.steps, err.text);
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
    const char *step_setting = getenv("FATHOM_STEPS"); // overrides the number of steps
    if (step_setting && atoi(step_setting) > 0)
        steps = atoi(step_setting);
    experiment_table *table = experiment_table_open(
        e, "troubles.csv",
        "trouble,steps,steps_with_intersections,of_them_unpinched,steps_with_pinches,"
        "impacts_a_step,zone_particles_a_step,least_distance_m,max_stretch");
    for (int i = 0; i < SCENARIOS && !experiment_failed(e); i++) {
        const char *name = scenarios[i].name;
        contact_counts t = run_scenario(e, &scenarios[i], steps);
        double n = t.steps > 0 ? t.steps : 1;
        experiment_write_row(table, "%s,%d,%d,%d,%d,%.4g,%.4g,%.4g,%.4g", name, t.steps,
                             t.intersecting_steps, t.unpinched_steps, t.pinched_steps,
                             (double)t.impacts / n, (double)t.zones / n, t.closest, t.max_stretch);
        experiment_add_named_result(e, NAN, t.unpinched_steps, "",
                                    "%s: steps of %d with intersections and nothing pinched", name,
                                    t.steps);
        experiment_add_named_result(e, NAN, t.pinched_steps, "", "%s: steps with a pinch", name);
        experiment_add_named_result(e, NAN, 1e3 * t.closest, "mm", "%s: least distance", name);
        if (t.unpinched_steps > 0)
            experiment_fail(e, FM_DIVERGED, "%s: something got through in %d steps", name,
                            t.unpinched_steps);
    }
    return experiment_close(e);
}
