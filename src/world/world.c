// SPDX-License-Identifier: MIT
// world.c: advances a world: the order of the stages of a step.
//
// An advance is divided into the smallest number of equal intervals that the coupling of objects
// allows; without coupling one is enough. One interval:
//
//     1 move       rigid objects predict their paths; pins, colliders and sources have motions
//     2 sample     bodies read the surrounding medium
//     3 bodies     each body takes its own substeps: forces, fractional derivatives, integration,
//                  constraint projection (enforcement);
//                  bodies with contact or ties take them together (contact.c, ties.c)
//     4 exchange   bodies pass their impulses on to the media
//     5 fluids     each medium takes its own substeps
//     6 free       rigid objects move
//     7 check      NaN, stretch, energy, penetration go into the report
//
// Motions and the prescribed flow of the medium are functions of time, so bodies evaluate them at
// the times of their substeps. A body coupled to a medium takes the medium's impulses in stage 2
// and gives its own to the medium in stage 4 (coupling.c). Media push rigid objects and coupled
// bodies once in an interval; an interval is then as long as the medium's largest stable substep.
// Bodies do not push rigid objects, but collide with them.
#include "world/world.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

// s, longest interval of worlds with balls and without fluids. Within it gravity changes the path
// of a ball by 0.02 mm, and a ball that has fallen for a second moves by 4 cm.
static const double RIGID_INTERVAL = 1.0 / 240;
// Steps of a ball in an interval of a world without fluids. The position in free fall has the error
// g h t / 2 with steps of h, which is below 1.3 mm after one second.
enum { RIGID_STEPS = 16 };
// shortest interval, relative to the time that is left of an advance; an advance ends when less
// than this fraction of it is left
static const double SHORTEST = 1e-9;
// factor on a quotient before it is rounded up, so that rounding errors do not add an interval
static const double ROUNDING_GUARD = 1 - 1e-12;

// Name of a stage of a step, for reports and errors.
const char *fm_stage_name(fm_stage stage)
{
    static const char *const names[FM_STAGE_COUNT] = {"move",   "sample", "bodies", "exchange",
                                                      "fluids", "free",   "check"};
    return stage >= 0 && stage < FM_STAGE_COUNT ? names[stage] : "unknown";
}

// Adds the time since `since`, ms on the clock, to report->stage_ms[stage], and sets `since` to
// now.
static void add_stage_time(fm_report *report, fm_stage stage, double *since)
{
    double now = fm_clock_now_ms();
    report->stage_ms[stage] += now - *since;
    *since = now;
}

// Advances all bodies by `interval` s. most_substeps: raised to the largest number of substeps that
// a body took.
static bool advance_bodies(fm_world *world, double interval, int *most_substeps, fm_report *report,
                           fm_error *err)
{
    if ((fm_world_has_contact(world) || world->ties) &&
        !fm_world_advance_contact(world, interval, most_substeps, report, err))
        return false;
    for (int i = 0; i < world->object_count; i++) {
        fm_object *object = world->objects[i];
        if (!object->type->body || fm_object_steps_together(object))
            continue;
        int substeps = 0;
        fm_surroundings around = fm_object_surroundings(object);
        if (!object->type->body->advance(object, &around, interval, &substeps, err))
            return false;
        *most_substeps = substeps > *most_substeps ? substeps : *most_substeps;
    }
    return true;
}

// Advances all media (fluids) by `interval` s. most_substeps: raised to the largest number of
// substeps that a medium took.
static bool advance_media(fm_world *world, double interval, int *most_substeps, fm_error *err)
{
    fm_surroundings around = fm_world_surroundings(world);
    for (int i = 0; i < world->object_count; i++) {
        fm_object *object = world->objects[i];
        int substeps = 0;
        if (object->type->medium &&
            !object->type->medium->advance(object, &around, interval, &substeps, err))
            return false;
        *most_substeps = substeps > *most_substeps ? substeps : *most_substeps;
    }
    return true;
}

// Moves all balls with a mass by h seconds. They avoid each other, the other colliders and the
// walls of media at time t.
static void move_rigid_once(fm_world *world, double h, double t)
{
    int count = 0;
    for (int i = 0; i < world->object_count; i++) {
        const fm_medium_type *medium = world->objects[i]->type->medium;
        if (medium && medium->walls)
            count += medium->walls(world->objects[i], t, world->solids + count);
    }
    fm_placed_collider *placed = world->solids + count;
    count += world->collider_count;
    for (int i = 0; i < world->collider_count; i++)
        placed[i] = fm_collider_place(world->colliders[i], t);
    fm_surroundings around = fm_world_surroundings(world);
    for (int i = 0; i < world->object_count; i++) {
        fm_object *object = world->objects[i];
        const fm_rigid_type *rigid = object->type->rigid;
        if (!rigid)
            continue;
        int k = 0;
        while (world->colliders[k] != rigid->collider(object))
            k++;
        placed[k].low.x = INFINITY; // an empty box, so that the ball does not collide with itself
        rigid->move(object, &around, h, world->solids, count);
        placed[k] = fm_collider_place(world->colliders[k], t);
    }
}

// Moves all balls with a mass over `interval` s, to the time `end`. Without media they take
// RIGID_STEPS shorter steps of their own.
static void move_rigid(fm_world *world, double interval, double end)
{
    int steps = world->medium_count == 0 ? RIGID_STEPS : 1;
    for (int n = 1; n <= steps && world->rigid_count > 0; n++)
        move_rigid_once(world, interval / steps, end - interval * (steps - n) / steps);
}

// Predicts the paths of balls with a mass, with which bodies collide in this interval: straight
// from their present position to where gravity and the solids will have taken them. Media change
// that path in this interval, and bodies notice it in the next one.
static void begin_rigid_paths(fm_world *world, double interval, double end)
{
    if (world->body_count == 0 || world->rigid_count == 0)
        return;
    for (int i = 0; i < world->object_count; i++)
        if (world->objects[i]->type->rigid)
            world->objects[i]->type->rigid->save_start(world->objects[i]);
    move_rigid(world, interval, end);
    for (int i = 0; i < world->object_count; i++)
        if (world->objects[i]->type->rigid)
            world->objects[i]->type->rigid->begin_path(world->objects[i], world->time, interval);
}

// Ends the predicted paths of balls.
static void end_rigid_paths(fm_world *world)
{
    for (int i = 0; i < world->object_count; i++)
        if (world->objects[i]->type->rigid)
            world->objects[i]->type->rigid->end_path(world->objects[i]);
}

// True if media act on balls or bodies and back: intervals then follow the largest stable substep
// of the media.
bool fm_world_has_variable_intervals(const fm_world *world)
{
    return world->medium_count > 0 && (fm_coupling_is_two_way(world) || world->rigid_count > 0);
}

// Number of equal intervals in an advance, the same for every advance of this duration: fractional
// derivatives (memories) rely on equal steps.
static double count_equal_intervals(const fm_world *world, double duration)
{
    double limit = fm_coupling_longest_interval(world);
    if (world->rigid_count > 0)
        limit = fmin(limit, RIGID_INTERVAL);
    return fmax(1, ceil(duration / limit * ROUNDING_GUARD));
}

// s, next interval of an advance that has `left` seconds to go, where media and balls or bodies
// push each other: at most the largest stable substep of every medium.
static double choose_interval(fm_world *world, double left, fm_error *err)
{
    double limit = fmin(left, fm_coupling_longest_interval(world));
    fm_surroundings around = fm_world_surroundings(world);
    for (int i = 0; i < world->object_count; i++) {
        fm_object *object = world->objects[i];
        if (object->type->medium)
            limit = fmin(limit, object->type->medium->longest_step(object, &around, err));
    }
    return left / ceil(left / fmax(limit, SHORTEST * left) * ROUNDING_GUARD);
}

// Counts the points of a body inside colliders; points that pins put there count, too.
static void count_penetrations(fm_world *world, fm_object *body, fm_report *report, fm_error *err)
{
    fm_mesh_view mesh;
    if (world->collider_count == 0 || !body->type->mesh(body, &mesh, err))
        return;
    for (int k = 0; k < world->collider_count; k++) {
        fm_placed_collider placed = fm_collider_place(world->colliders[k], world->time);
        for (int i = 0; i < mesh.point_count; i++) {
            if (fm_placed_is_far(&placed, mesh.points[i], 0))
                continue;
            double depth = -fm_placed_find_contact(&placed, mesh.points[i]).distance;
            if (depth > 0) {
                report->penetration_count++;
                report->deepest_penetration = fmax(report->deepest_penetration, depth);
            }
        }
    }
}

// Fails if a point of the object is not finite.
static bool check_finite(const fm_object *object, const fm_measure *m, fm_error *err)
{
    if (m->bad_point < 0)
        return true;
    char value[48], field[64];
    bool body = object->type->body != NULL;
    snprintf(value, sizeof value, "not finite at particle %d", m->bad_point);
    snprintf(field, sizeof field, "position or velocity in stage %s",
             fm_stage_name(body ? FM_STAGE_BODIES : FM_STAGE_FLUIDS));
    return fm_fail(err, FM_DIVERGED, object->name, field, value,
                   body ? "finite numbers: a smaller time_step or softer springs may help"
                        : "finite numbers: a smaller time_step may help");
}

// Adds the stretches of the cloth number `count` to maximum, minimum and means in the report.
static void add_stretch(const fm_measure *m, int count, fm_report *report)
{
    bool first = count == 1;
    report->max_stretch = first ? m->max_stretch : fmax(report->max_stretch, m->max_stretch);
    report->min_stretch = first ? m->min_stretch : fmin(report->min_stretch, m->min_stretch);
    report->mean_stretch += (m->mean_stretch - report->mean_stretch) / count;
    report->mean_strain += (m->mean_strain - report->mean_strain) / count;
}

// Adds the measures of one object to the report. The load is an impulse here, N s; fm_world_advance
// divides it by the duration.
static void add_measure(const fm_measure *m, fm_report *report)
{
    report->kinetic_energy += m->kinetic_energy;
    report->potential_energy += m->potential_energy;
    report->contact_count += m->contact_count;
    report->repelled_count += m->repelled_count;
    report->pierced_count += m->pierced_count;
    report->particle_count += m->particle_count;
    report->outside_count += m->outside_count;
    report->stopped_count += m->stopped_count;
    report->load = fm_add(report->load, m->load);
    report->momentum = fm_add(report->momentum, m->momentum);
    report->enforce_ms += m->enforce_ms;
    report->order_ms += m->order_ms;
    report->damping_share = fmin(report->damping_share, m->damping_share);
    report->stiffness_share = fmin(report->stiffness_share, m->stiffness_share);
}

// Measures all objects and fills the report.
static void fill_report(fm_world *world, fm_report *report, fm_error *err)
{
    int stretched = 0;
    report->time = world->time;
    report->damping_share = report->stiffness_share = 1;
    for (int i = 0; i < world->object_count; i++) {
        fm_object *object = world->objects[i];
        fm_measure m = {.bad_point = -1, .damping_share = 1, .stiffness_share = 1};
        fm_surroundings around = fm_object_surroundings(object);
        object->type->measure(object, &around, &m, object->quantities);
        object->measured = true;
        if (!check_finite(object, &m, err))
            continue;
        add_measure(&m, report);
        if (m.has_stretch)
            add_stretch(&m, ++stretched, report);
        if (object->type->body)
            count_penetrations(world, object, report, err);
    }
    if (world->def.check_intersections && fm_world_has_contact(world) && err->status == FM_OK)
        fm_world_check_contact(world, report, err);
}

// Advances all objects by one interval, to the time `end`, stage by stage. since: clock at the last
// stage, ms.
static bool advance_interval(fm_world *world, double interval, double end, double *since,
                             fm_report *report, fm_error *err)
{
    int substeps = 0;
    report->interval_count++;
    begin_rigid_paths(world, interval, end);
    add_stage_time(report, FM_STAGE_MOVE, since);
    fm_coupling_take_impulses(world, world->time + interval);
    add_stage_time(report, FM_STAGE_SAMPLE, since);
    bool good = advance_bodies(world, interval, &substeps, report, err);
    end_rigid_paths(world);
    if (!good)
        return false;
    add_stage_time(report, FM_STAGE_BODIES, since);
    fm_coupling_give_samples(world, world->time, world->time + interval);
    add_stage_time(report, FM_STAGE_EXCHANGE, since);
    if (!advance_media(world, interval, &substeps, err))
        return false;
    add_stage_time(report, FM_STAGE_FLUIDS, since);
    move_rigid(world, interval, end);
    world->time = end;
    add_stage_time(report, FM_STAGE_FREE, since);
    report->substep_count += substeps;
    return true;
}

// Advances the world by `duration` s, in equal intervals or in intervals that follow the media.
fm_report fm_world_advance(fm_world *world, double duration, fm_error *err)
{
    assert(err->status != FM_OK || world);
    fm_report report = {0};
    if (err->status != FM_OK)
        return report;
    if (!(duration > 0 && isfinite(duration))) {
        fm_fail_number(err, "world", "duration", duration, "> 0 seconds");
        return report;
    }
    double since = fm_clock_now_ms();
    world->stop.stopping = false;
    for (int i = 0; i < world->object_count; i++)
        if (world->objects[i]->type->reset)
            world->objects[i]->type->reset(world->objects[i]);
    if (!fm_world_share_layers(world, err))
        return report;
    double end = world->time + duration;
    bool variable = fm_world_has_variable_intervals(world);
    double count = count_equal_intervals(world, duration), interval = duration / count;
    for (double left = duration;
         variable ? left > SHORTEST * duration : report.interval_count < count;) {
        if (variable)
            interval = choose_interval(world, left, err);
        bool last = variable ? interval == left : report.interval_count + 1 == count;
        double next = last ? end : world->time + interval;
        if (!fm_stop_request_check(&world->stop, err) ||
            !advance_interval(world, interval, next, &since, &report, err))
            return report;
        left = end - world->time;
    }
    report.substep = report.substep_count ? duration / report.substep_count : 0;
    fill_report(world, &report, err);
    report.load = fm_scale(report.load, 1 / duration);
    add_stage_time(&report, FM_STAGE_CHECK, &since);
    return report;
}

// Report on the current state, without an advance; the mean load is zero.
fm_report fm_world_report(fm_world *world)
{
    assert(world);
    fm_report report = {0};
    fm_error err = {0};
    fill_report(world, &report, &err);
    report.load = (fm_vec3){0}; // there was no advance to average over
    return report;
}
