// SPDX-License-Identifier: MIT
// world.c: the order of the step.
//
// An advance is cut into the fewest equal intervals that the coupling of modules allows; bodies
// alone need one. One interval:
//
//     1 move       pins, colliders and sources follow their motions
//     2 sample     bodies read the surrounding medium
//     3 bodies     each body takes its own substeps: forces, memory, integration, enforcement;
//                  those that touch take them together (contact.c)
//     4 exchange   impulses that bodies and free colliders gave and took go to the fluids
//     5 fluids     each fluid takes its own substeps
//     6 free       colliders with a mass move
//     7 check      NaN, stretch, energy, penetration go into the report
//
// Motions and the medium's own flow are functions of time, so bodies evaluate them at the times of
// their substeps; stages 1 and 2 set them up. Cloths that are coupled to a fluid take in stage 2
// what it gave them and hand on in stage 4 what is for it (couple.c). Fluids and free colliders
// or coupled cloths push each other once in an interval, so that with both it is as long as a
// substep of the fluid may be then. Bodies do not push free colliders, but meet them on their way.
#include "world/world.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

// s, without fluids: gravity bends the way of a ball within it by 0.02 mm, and one that falls for a
// second moves by 4 cm.
static const double BALL_INTERVAL = 1.0 / 240;

const char *fm_stage_name(fm_stage stage)
{
    static const char *const names[FM_STAGE_COUNT] = {"move",   "sample", "bodies", "exchange",
                                                      "fluids", "free",   "check"};
    return stage >= 0 && stage < FM_STAGE_COUNT ? names[stage] : "unknown";
}

// Adds to report.stage_ms[stage] the time since the last call.
static void clock_stage(fm_report *report, fm_stage stage, double *since)
{
    double now = fm_now_ms();
    report->stage_ms[stage] += now - *since;
    *since = now;
}

// Of the body that took most in this interval.
static bool advance_bodies(fm_world *world, double interval, int *most, fm_report *report,
                           fm_error *err)
{
    if (fm_world_has_contact(world) && !fm_touch_advance(world, interval, most, report, err))
        return false;
    for (int i = 0; i < world->cloth_count; i++) {
        fm_cloth *cloth = world->cloths[i];
        fm_surroundings around = fm_cloth_surroundings(world, cloth);
        int substeps = cloth->def.contact.enabled ? 0 : fm_cloth_substeps(cloth, interval);
        if (substeps > 0 && !fm_cloth_advance(cloth, &around, interval, substeps, err))
            return false;
        fm_enforcer_take_times(cloth, &report->enforce_ms, &report->order_ms);
        report->damping_share = fmin(report->damping_share, fm_cloth_damping_share(cloth));
        report->stiffness_share = fmin(report->stiffness_share, cloth->stiffness_share);
        *most = substeps > *most ? substeps : *most;
    }
    return true;
}

static bool advance_fluids(fm_world *world, double interval, int *most, fm_report *report,
                           fm_error *err)
{
    fm_surroundings around = fm_world_surroundings(world);
    for (int i = 0; i < world->fluid_count; i++) {
        fm_particles *fluid = world->fluids[i];
        fm_particles_stats before = fluid->stats;
        int substeps = 0;
        if (!fm_particles_advance(fluid, &around, interval, &substeps, err))
            return false;
        *most = substeps > *most ? substeps : *most;
        report->stopped_count += (int)(fluid->stats.stopped_count - before.stopped_count);
        report->load = fm_add(report->load, fm_sub(fluid->stats.load, before.load)); // N s yet
    }
    return true;
}

static bool has_balls(const fm_world *world)
{
    bool found = false;
    for (int i = 0; i < world->collider_count; i++)
        found |= world->colliders[i]->mass > 0;
    return found;
}

// Away from each other, the other colliders and the walls of fluids, as they are at time t.
static void move_balls(fm_world *world, double h, double t)
{
    int count = 0;
    for (int k = 0; k < world->fluid_count; k++)
        count += fm_particles_walls(world->fluids[k], t, world->solids + count);
    fm_placed_collider *placed = world->solids + count;
    count += world->collider_count;
    for (int i = 0; i < world->collider_count; i++)
        placed[i] = fm_collider_place(world->colliders[i], t);
    for (int i = 0; i < world->collider_count; i++) {
        if (!(world->colliders[i]->mass > 0))
            continue;
        placed[i].low.x = INFINITY; // far from itself
        fm_collider_move(world->colliders[i], world->def.gravity, h, world->solids, count);
        placed[i] = fm_collider_place(world->colliders[i], t);
    }
}

// To the time `end`. Where no fluid pushes them, in steps of their own, so short that the place in
// a free fall, off by g h t / 2, is right within 1.3 mm after its first second.
static void move_free_colliders(fm_world *world, double interval, double end)
{
    int steps = world->fluid_count == 0 ? 16 : 1;
    for (int n = 1; n <= steps && has_balls(world); n++)
        move_balls(world, interval / steps, end - interval * (steps - n) / steps);
}

// Bodies meet balls on their way: from where they are to where their weight and the solids will
// have taken them. Fluids change that in this interval, and bodies see it in the next.
static void launch_free_colliders(fm_world *world, double interval, double end)
{
    if (world->cloth_count == 0 || !has_balls(world))
        return;
    for (int i = 0; i < world->collider_count; i++)
        if (world->colliders[i]->mass > 0)
            fm_collider_save(world->colliders[i], world->colliders[i]->before);
    move_free_colliders(world, interval, end);
    for (int i = 0; i < world->collider_count; i++)
        if (world->colliders[i]->mass > 0)
            fm_collider_launch(world->colliders[i], world->time, interval);
}

bool fm_world_follows_fluids(const fm_world *world)
{
    return world->fluid_count > 0 && (fm_couple_is_mutual(world) || has_balls(world));
}

// Equal ones, the same for every advance of this duration: memories rely on it.
static double count_even_intervals(const fm_world *world, double duration)
{
    double limit = fm_couple_limit(world);
    if (has_balls(world))
        limit = fmin(limit, BALL_INTERVAL);
    return fmax(1, ceil(duration / limit * (1 - 1e-12)));
}

// Of what is left of the advance, where fluids and balls or cloths push each other.
static double choose_interval(fm_world *world, double left, fm_error *err)
{
    double limit = fmin(left, fm_couple_limit(world));
    fm_surroundings around = fm_world_surroundings(world);
    for (int i = 0; i < world->fluid_count; i++) {
        if (!fm_particles_prepare(world->fluids[i], &around, err))
            continue;
        fm_particles_begin(world->fluids[i], &around);
        limit = fmin(limit, fm_particles_stable_step(world->fluids[i]));
    }
    return left / ceil(left / fmax(limit, 1e-9 * left) * (1 - 1e-12));
}

// Particles inside colliders; those that pins put there count too.
static void count_penetrations(fm_world *world, const fm_cloth *cloth, fm_report *report)
{
    for (int k = 0; k < world->collider_count; k++) {
        fm_placed_collider placed = fm_collider_place(world->colliders[k], world->time);
        for (int i = 0; i < cloth->count; i++) {
            fm_vec3 x = {cloth->x.x[i], cloth->x.y[i], cloth->x.z[i]};
            if (fm_placed_is_far(&placed, x, 0))
                continue;
            double depth = -fm_collider_contact(&placed, x).distance;
            if (depth > 0) {
                report->penetration_count++;
                report->deepest_penetration = fmax(report->deepest_penetration, depth);
            }
        }
    }
}

static void check_cloth(fm_world *world, fm_cloth *cloth, fm_report *report, fm_error *err)
{
    fm_surroundings around = fm_cloth_surroundings(world, cloth);
    fm_cloth_measure m = fm_cloth_measure_now(cloth, &around);
    if (m.first_bad >= 0) {
        char value[48];
        snprintf(value, sizeof value, "not finite at particle %d", m.first_bad);
        fm_fail(err, FM_DIVERGED, cloth->name, "position or velocity in stage bodies", value,
                "finite numbers: a smaller time_step or softer springs may help");
        return;
    }
    report->kinetic_energy += m.kinetic_energy;
    report->potential_energy += m.potential_energy;
    bool first = cloth == world->cloths[0];
    report->max_stretch = first ? m.stretch.max : fmax(report->max_stretch, m.stretch.max);
    report->min_stretch = first ? m.stretch.min : fmin(report->min_stretch, m.stretch.min);
    report->mean_stretch += m.stretch.mean / world->cloth_count;
    report->mean_strain += m.stretch.mean_strain / world->cloth_count;
    for (int i = 0; i < cloth->count; i++) {
        report->contact_count += cloth->touch[i];
        report->repelled_count += cloth->repelled && cloth->repelled[i] > 0;
    }
    count_penetrations(world, cloth, report);
}

static void check_fluid(fm_world *world, const fm_particles *fluid, fm_report *report,
                        fm_error *err)
{
    fm_surroundings around = fm_world_surroundings(world);
    fm_particles_measure m = fm_particles_measure_now(fluid, &around);
    if (m.first_bad >= 0) {
        char value[48];
        snprintf(value, sizeof value, "not finite at particle %d", m.first_bad);
        fm_fail(err, FM_DIVERGED, fluid->name, "position or velocity in stage fluids", value,
                "finite numbers: a smaller time_step may help");
        return;
    }
    report->kinetic_energy += m.kinetic_energy;
    report->potential_energy += m.potential_energy;
    report->particle_count += fluid->count;
    report->outside_count += m.outside_count;
}

static void check(fm_world *world, fm_report *report, fm_error *err)
{
    report->time = world->time;
    for (int i = 0; i < world->fluid_count; i++)
        check_fluid(world, world->fluids[i], report, err);
    for (int i = 0; i < world->cloth_count; i++)
        check_cloth(world, world->cloths[i], report, err);
    if (world->def.check_intersections && fm_world_has_contact(world) && err->status == FM_OK)
        fm_touch_check(world, report, err);
}

// `end`: the time after it.
static bool advance_interval(fm_world *world, double interval, double end, double *since,
                             fm_report *report, fm_error *err)
{
    int substeps = 0;
    report->interval_count++;
    launch_free_colliders(world, interval, end);
    clock_stage(report, FM_STAGE_MOVE, since);
    fm_couple_take(world, world->time + interval);
    clock_stage(report, FM_STAGE_SAMPLE, since);
    bool good = advance_bodies(world, interval, &substeps, report, err);
    for (int i = 0; i < world->collider_count; i++)
        world->colliders[i]->launched = false;
    if (!good)
        return false;
    clock_stage(report, FM_STAGE_BODIES, since);
    fm_couple_give(world, world->time, world->time + interval);
    clock_stage(report, FM_STAGE_EXCHANGE, since);
    if (!advance_fluids(world, interval, &substeps, report, err))
        return false;
    clock_stage(report, FM_STAGE_FLUIDS, since);
    move_free_colliders(world, interval, end);
    world->time = end;
    clock_stage(report, FM_STAGE_FREE, since);
    report->substep_count += substeps;
    return true;
}

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
    double since = fm_now_ms();
    world->stop.said = false;
    report.damping_share = report.stiffness_share = 1;
    double end = world->time + duration;
    bool uneven = fm_world_follows_fluids(world);
    double count = count_even_intervals(world, duration), interval = duration / count;
    for (double left = duration; uneven ? left > 1e-9 * duration : report.interval_count < count;) {
        if (uneven)
            interval = choose_interval(world, left, err);
        bool last = uneven ? interval == left : report.interval_count + 1 == count;
        double next = last ? end : world->time + interval;
        if (!fm_stop_check(&world->stop, err) ||
            !advance_interval(world, interval, next, &since, &report, err))
            return report;
        left = end - world->time;
    }
    report.load = fm_scale(report.load, 1 / duration);
    report.substep = report.substep_count ? duration / report.substep_count : 0;
    check(world, &report, err);
    clock_stage(&report, FM_STAGE_CHECK, &since);
    return report;
}

fm_report fm_world_report(fm_world *world)
{
    assert(world);
    fm_report report = {0};
    fm_error err = {0};
    check(world, &report, &err);
    return report;
}
