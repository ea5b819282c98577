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
// their substeps; stages 1 and 2 set them up. There are no fluids and no free colliders yet: stages
// 4, 5, 6 have nothing to do.
#include "world/world.h"

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

static bool advance_bodies(fm_world *world, double interval, fm_report *report, fm_error *err)
{
    fm_surroundings around = fm_world_surroundings(world);
    if (fm_world_has_contact(world) && !fm_touch_advance(world, interval, report, err))
        return false;
    for (int i = 0; i < world->cloth_count; i++) {
        fm_cloth *cloth = world->cloths[i];
        int substeps = cloth->def.contact.enabled ? 0 : fm_cloth_substeps(cloth, interval);
        if (substeps > 0 && !fm_cloth_advance(cloth, &around, interval, substeps, err))
            return false;
        fm_enforcer_take_times(cloth, &report->enforce_ms, &report->order_ms);
        report->damping_share = fmin(report->damping_share, fm_cloth_damping_share(cloth));
        report->stiffness_share = fmin(report->stiffness_share, cloth->stiffness_share);
        if (substeps > report->substep_count) {
            report->substep_count = substeps;
            report->substep = interval / substeps;
        }
    }
    return true;
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
    fm_surroundings around = fm_world_surroundings(world);
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

static void check(fm_world *world, fm_report *report, fm_error *err)
{
    report->time = world->time;
    for (int i = 0; i < world->cloth_count; i++)
        check_cloth(world, world->cloths[i], report, err);
    if (world->def.check_intersections && fm_world_has_contact(world) && err->status == FM_OK)
        fm_touch_check(world, report, err);
}

fm_report fm_world_advance(fm_world *world, double duration, fm_error *err)
{
    fm_report report = {0};
    if (err->status != FM_OK)
        return report;
    if (!(duration > 0 && isfinite(duration))) {
        fm_fail_number(err, "world", "duration", duration, "> 0 seconds");
        return report;
    }
    double since = fm_now_ms();
    report.damping_share = report.stiffness_share = 1;
    report.interval_count = 1;
    clock_stage(&report, FM_STAGE_MOVE, &since);
    clock_stage(&report, FM_STAGE_SAMPLE, &since);
    if (!advance_bodies(world, duration, &report, err))
        return report;
    clock_stage(&report, FM_STAGE_BODIES, &since);
    world->time += duration;
    check(world, &report, err);
    clock_stage(&report, FM_STAGE_CHECK, &since);
    return report;
}

fm_report fm_world_report(fm_world *world)
{
    fm_report report = {0};
    fm_error err = {0};
    check(world, &report, &err);
    return report;
}
