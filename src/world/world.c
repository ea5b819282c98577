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
// or coupled cloths push each other once in an interval, so that with both it is
// as long as a substep of the fluid may be then.
#include "world/world.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

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

// Away from the other colliders and from the walls of fluids.
static void move_free_colliders(fm_world *world, double interval)
{
    fm_placed_collider solids[64];
    for (int i = 0; i < world->collider_count; i++) {
        fm_collider *collider = world->colliders[i];
        int count = 0;
        if (!(collider->mass > 0))
            continue;
        for (int k = 0; k < world->fluid_count && count + 6 <= 64; k++)
            count += fm_particles_walls(world->fluids[k], world->time, solids + count);
        for (int k = 0; k < world->collider_count && count < 64; k++)
            if (k != i)
                solids[count++] = fm_collider_place(world->colliders[k], world->time);
        fm_collider_move(collider, world->def.gravity, interval, solids, count);
    }
}

// What is left of the advance, or less where fluids and free colliders or cloths push each other.
static double choose_interval(fm_world *world, double left, fm_error *err)
{
    bool mutual = fm_couple_is_mutual(world);
    for (int i = 0; i < world->collider_count; i++)
        mutual |= world->colliders[i]->mass > 0;
    double limit = fmin(left, fm_couple_limit(world));
    if (!mutual)
        return left / ceil(left / limit * (1 - 1e-12));
    if (world->fluid_count == 0)
        limit = left / 16; // a ball alone: smooth enough
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
    report->max_stretch = fmax(report->max_stretch, m.max_stretch);
    report->mean_stretch += m.mean_stretch / world->cloth_count;
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
    report.damping_share = report.stiffness_share = 1;
    double end = world->time + duration;
    double left = duration;
    while (left > 1e-9 * duration) {
        double interval = choose_interval(world, left, err);
        int substeps = 0;
        report.interval_count++;
        clock_stage(&report, FM_STAGE_MOVE, &since);
        fm_couple_take(world, world->time + interval);
        clock_stage(&report, FM_STAGE_SAMPLE, &since);
        if (!advance_bodies(world, interval, &substeps, &report, err))
            return report;
        clock_stage(&report, FM_STAGE_BODIES, &since);
        fm_couple_give(world, world->time, world->time + interval);
        clock_stage(&report, FM_STAGE_EXCHANGE, &since);
        if (!advance_fluids(world, interval, &substeps, &report, err))
            return report;
        clock_stage(&report, FM_STAGE_FLUIDS, &since);
        world->time = interval == left ? end : world->time + interval;
        move_free_colliders(world, interval);
        clock_stage(&report, FM_STAGE_FREE, &since);
        report.substep_count += substeps;
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
