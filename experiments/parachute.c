// SPDX-License-Identifier: MIT
// parachute.c: the opening of a parachute of scenes/parachute, measured frame by frame.
//
// The projected area is the length of the sum of the area vectors of all triangles: that of the
// loop of the rim, whatever the folds in it. The force on the canopy is that of the air, along the
// velocity of the air far away relative to the canopy. The tilt is the angle between that sum of
// area vectors and the vertical, or the wind: it shows how far the canopy swings.
#include "parachute.h"

#include <fathom/scene.h>
#include <stdio.h>

enum { FRAMES_MAX = 2000 };

// What is known of it at the end. D0 = sqrt(4 S0 / pi).
typedef struct result {
    double drag;                // force along the wind / (rho V^2 S0 / 2), second half
    double drag_spread;         // standard deviation of the same
    double late_drag;           // mean force / mean of rho V^2 S0 / 2, last third
    double flight_drag;         // weight / (rho V^2 S0 / 2), V: mean rate of descent, second half
    double speed;               // m/s, of the canopy through the air, second half
    double tilt;                // degrees, root mean square, second half
    double filling_time;        // s, until the projected area is 90 % of that in the second half
    double filling_distance;    // way through the air until then, D0
    double peak;                // N, largest force on the canopy, mean over a frame
    double tension;             // N, largest of a line
    double overshoot;           // largest projected area / that in the second half
    double projected;           // projected area / S0, second half
    double area_low, area_high; // smallest and largest area of the cloth / S0
    double stretch;             // largest l/l0 - 1 of an edge after the first tenth
    double momentum;            // largest change of the world's / impulse of air on the canopy
    int intersections;          // edges through triangles, over all frames
} result;

// The state after a frame.
typedef struct frame {
    double t, speed, descent, force, projected, area;
    double tilt; // degrees
} frame;

static fm_vec3 add_scaled(fm_vec3 a, fm_vec3 b, double s)
{
    return (fm_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static double dot(fm_vec3 a, fm_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Sum of the area vectors of the canopy, m^2.
static fm_vec3 find_area_vector(experiment *e, fm_object *canopy)
{
    fm_mesh_view mesh;
    fm_vec3 sum = {0};
    if (experiment_failed(e) || !fm_object_mesh(canopy, &mesh, experiment_error(e)))
        return (fm_vec3){NAN, NAN, NAN};
    for (int t = 0; t < mesh.face_count; t++) {
        const int *f = mesh.face_points + 3 * t;
        fm_vec3 p = mesh.points[f[0]], a = add_scaled(mesh.points[f[1]], p, -1),
                b = add_scaled(mesh.points[f[2]], p, -1);
        fm_vec3 n = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
        sum = add_scaled(sum, n, 0.5);
    }
    return sum;
}

// Measures the canopy after a frame.
static frame measure(experiment *e, const parachute_case *c, fm_object *canopy, double t)
{
    int n = 0;
    const fm_vec3 *v = fm_cloth_velocities(fm_object_cloth(canopy), &n);
    fm_vec3 mean = {0}, load = {experiment_find_quantity(e, canopy, "load_x"),
                                experiment_find_quantity(e, canopy, "load_y"),
                                experiment_find_quantity(e, canopy, "load_z")};
    for (int i = 0; i < n; i++)
        mean = add_scaled(mean, v[i], 1.0 / n);
    fm_vec3 wind = add_scaled(c->wind, mean, -1);
    frame f = {.t = t, .speed = sqrt(dot(wind, wind)), .descent = -mean.y};
    f.force = dot(load, wind) / f.speed;
    fm_vec3 area = find_area_vector(e, canopy);
    bool blown = dot(c->wind, c->wind) > 0;
    fm_vec3 along = blown ? c->wind : (fm_vec3){0, 1, 0};
    f.projected = sqrt(dot(area, area));
    f.tilt = acos(fmin(1, fabs(dot(area, along)) / (f.projected * sqrt(dot(along, along))))) * 180 /
             3.14159265358979323846;
    f.area = experiment_find_quantity(e, canopy, "area");
    return f;
}

// Means over the second half, and what is measured against them.
static void summarise(const parachute_case *c, const frame *frames, int count, double S0, result *r)
{
    double squares = 0, way = 0, force = 0, pressure = 0, descent = 0, tilts = 0;
    int half = count / 2, used = count - half;
    for (int i = 2 * count / 3; i < count; i++) {
        force += frames[i].force;
        pressure += 0.5 * c->density * frames[i].speed * frames[i].speed;
    }
    r->late_drag = force / (pressure * S0);
    for (int i = half; i < count; i++) {
        double C = frames[i].force / (0.5 * c->density * frames[i].speed * frames[i].speed * S0);
        r->drag += C / used, squares += C * C / used;
        r->speed += frames[i].speed / used;
        r->projected += frames[i].projected / S0 / used;
        descent += frames[i].descent / used;
        tilts += frames[i].tilt * frames[i].tilt / used;
    }
    r->flight_drag = c->mass > 0 ? 2 * 9.81 * c->mass / (c->density * descent * descent * S0) : NAN;
    r->tilt = sqrt(tilts);
    r->drag_spread = sqrt(fmax(0, squares - r->drag * r->drag));
    r->filling_time = r->filling_distance = NAN;
    r->area_low = INFINITY;
    for (int i = 0; i < count; i++) {
        way += frames[i].speed / c->fps;
        r->peak = fmax(r->peak, frames[i].force);
        r->overshoot = fmax(r->overshoot, frames[i].projected / S0 / r->projected);
        r->area_low = fmin(r->area_low, frames[i].area / S0);
        r->area_high = fmax(r->area_high, frames[i].area / S0);
        if (isnan(r->filling_time) && frames[i].projected > 0.9 * r->projected * S0) {
            r->filling_time = frames[i].t;
            r->filling_distance = way / sqrt(4 * S0 / 3.14159265358979323846);
        }
    }
}

static void add_results(experiment *e, const parachute_case *c, const result *r)
{
    const struct {
        const char *name;
        double value;
        const char *unit;
    } rows[] = {
        {"area of all cloth, S0", c->area, "m^2"},
        {"drag coefficient on S0, second half", r->drag, ""},
        {"its standard deviation", r->drag_spread, ""},
        {"drag coefficient on S0, last third", r->late_drag, ""},
        {"weight / (rho V^2 S0 / 2), second half", r->flight_drag, ""},
        {"projected area / S0", r->projected, ""},
        {"tilt, root mean square", r->tilt, "degrees"},
        {"speed through the air, second half", r->speed, "m/s"},
        {"filling time", r->filling_time, "s"},
        {"filling distance", r->filling_distance, "D0"},
        {"largest force on the canopy", r->peak, "N"},
        {"largest tension of a line", r->tension, "N"},
        {"overshoot of the projected area", r->overshoot, ""},
        {"smallest area / S0", r->area_low, ""},
        {"largest area / S0", r->area_high, ""},
        {"largest stretch of an edge", r->stretch, ""},
        {"intersections, all frames", r->intersections, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        experiment_add_named_result(e, NAN, rows[i].value, rows[i].unit, "%s: %s", c->name,
                                    rows[i].name);
    if (c->closed)
        experiment_add_named_result(e, NAN, r->momentum, "", "%s: %s", c->name,
                                    "change of momentum / impulse on the canopy");
}

// The world of a case, with counts of intersections.
static fm_world *build(experiment *e, const parachute_case *c)
{
    fm_error *err = experiment_error(e);
    const char *settings[PARACHUTE_SETTINGS_MAX + 1] = {"output.check=intersections"};
    char path[512];
    int count = 1;
    snprintf(path, sizeof path, "%s/parachute/%s.yaml", EXPERIMENT_SCENES, c->scene);
    for (int i = 0; i < PARACHUTE_SETTINGS_MAX && c->settings[i]; i++)
        settings[count++] = c->settings[i];
    fm_scene *scene = fm_scene_load(path, settings, count, NULL, NULL, err);
    fm_world *world = scene ? fm_scene_build(scene, 1, err) : NULL;
    fm_scene_destroy(scene);
    return world;
}

// Runs a case, writes its frames and adds its results.
static void run(experiment *e, const parachute_case *c, experiment_table *table)
{
    fm_error *err = experiment_error(e);
    fm_world *world = build(e, c);
    fm_object *canopy = world ? fm_world_find_object(world, "canopy") : NULL;
    fm_object *lines = world ? fm_world_find_object(world, "lines") : NULL;
    double duration = experiment_quick(e) ? 2 / c->fps : c->duration;
    int count = (int)lround(duration * c->fps);
    frame *frames = experiment_alloc(e, FRAMES_MAX, sizeof *frames);
    result r = {0};
    double S0 = c->area, impulse = 0;
    fm_vec3 start = world ? fm_world_report(world).momentum : (fm_vec3){0};
    for (int i = 0; i < count && i < FRAMES_MAX && !experiment_failed(e); i++) {
        fm_report report = fm_world_advance(world, 1 / c->fps, err);
        if (experiment_failed(e))
            break;
        frames[i] = measure(e, c, canopy, (i + 1) / c->fps);
        fm_vec3 change = add_scaled(report.momentum, start, -1);
        impulse += fabs(frames[i].force) / c->fps;
        r.momentum = fmax(r.momentum, sqrt(dot(change, change)) / impulse);
        r.intersections += report.intersection_count;
        r.tension = fmax(r.tension, experiment_find_quantity(e, lines, "max_tension"));
        if (i >= count / 10)
            r.stretch = fmax(r.stretch, experiment_find_quantity(e, canopy, "max_stretch"));
        double q = 0.5 * c->density * frames[i].speed * frames[i].speed;
        experiment_write_row(table, "%s,%g,%g,%g,%g,%g,%g,%g,%g", c->name, frames[i].t,
                             frames[i].speed, frames[i].force, frames[i].force / (q * S0),
                             frames[i].projected / S0, frames[i].area / S0, frames[i].descent,
                             frames[i].tilt);
    }
    if (!experiment_failed(e)) {
        summarise(c, frames, count, S0, &r);
        if (r.peak == 0) // one-way: the force of the air is that of drag, which is not measured
            r.drag = r.drag_spread = r.late_drag = r.peak = NAN;
        add_results(e, c, &r);
    }
    fm_world_destroy(world);
}

void parachute_run_all(experiment *e, const parachute_case *cases, int count)
{
    experiment_table *table = experiment_table_open(
        e, "frames.csv", "case,t_s,speed_m_s,force_N,drag,projected,area,descent_m_s,tilt_deg");
    int used = experiment_quick(e) ? 1 : count;
    for (int i = 0; i < used && !experiment_failed(e); i++)
        run(e, &cases[i], table);
}
