// SPDX-License-Identifier: MIT
// forecast.c: how much an advance will take, from the steps that bodies and fluids may take now.
//
// A cloth's substep is known when it is made, h = 1.5 / omega (cloth/step.c). A fluid's follows its
// fastest particle and its sound, and is that of the beginning here. What moves within a substep by
// more than the whole of a cloth with contact is beyond what contact can follow at any cost.
#include "world/world.h"

#include <math.h>
#include <stdio.h>

static double find_size(const fm_cloth *c)
{
    fm_box box = fm_box_empty();
    for (int i = 0; i < c->count; i++)
        fm_box_add(&box, (fm_vec3){c->x.x[i], c->x.y[i], c->x.z[i]});
    return fm_length(fm_sub(box.high, box.low));
}

// True when it takes most, and too many.
static bool take_count(fm_forecast *f, double count)
{
    if (!(count > f->substep_count))
        return false;
    f->substep_count = count;
    f->endless |= count > FM_MANY_SUBSTEPS;
    return count > FM_MANY_SUBSTEPS;
}

static void foresee_cloth(const fm_cloth *c, double duration, fm_forecast *f)
{
    double count = ceil(duration / c->stable_step);
    if (!take_count(f, count))
        return;
    if (c->def.time_step > 0 && c->stable_step >= c->def.time_step) {
        snprintf(f->text, sizeof f->text,
                 "%s: %.3g substeps, for its time_step is %.3g s. Give a longer one, or 0, which "
                 "chooses it",
                 c->name, count, c->stable_step);
        return;
    }
    double lightest = INFINITY;
    for (int i = 0; i < c->count; i++)
        lightest = fmin(lightest, c->mass[i]);
    snprintf(f->text, sizeof f->text,
             "%s: %.3g substeps of %.3g s, for its stretch stiffness is %.3g N/m and its lightest "
             "of %d particles has %.3g kg. Fewer particles, a larger sheet, a smaller "
             "stretch.stiffness, shear or bend, more density or thickness, or enforcement help",
             c->name, count, c->stable_step, c->def.stretch.stiffness, c->count, lightest);
}

static void foresee_fluid(fm_world *world, fm_particles *p, double duration, fm_forecast *f,
                          fm_error *err)
{
    fm_surroundings around = fm_world_surroundings(world);
    if (!fm_particles_prepare(p, &around, err))
        return;
    fm_particles now = *p; // begun, without beginning
    if (!fm_particles_has_begun(p)) {
        for (int i = 0; i < p->count; i++) {
            fm_vec3 v = {p->now.vx[i], p->now.vy[i], p->now.vz[i]};
            now.max_speed = fmax(now.max_speed, fm_length(v));
        }
        now.max_acceleration = fm_length(world->def.gravity);
    }
    double step = fm_particles_stable_step(&now), count = ceil(duration / step);
    if (!take_count(f, count))
        return;
    snprintf(f->text, sizeof f->text,
             "%s: %.3g substeps of %.3g s, for its spacing is %.3g m, its fastest particle has "
             "%.3g m/s, sound %.3g m/s, and the viscosity is %.3g Pa s. Slower particles, a larger "
             "spacing, or a smaller speed or viscosity help",
             p->name, count, step, p->def.spacing, now.max_speed, p->c, p->def.viscosity);
}

// The fastest that a motion carries a point, over the advance.
static double find_speed(const fm_motion *motion, fm_vec3 at, double begin, double duration)
{
    enum { LOOKS = 16 };
    double fastest = 0;
    for (int n = 0; n <= LOOKS && motion; n++) {
        fm_pose pose = fm_motion_pose(motion, begin + duration * n / LOOKS);
        fm_vec3 v = fm_pose_velocity_at(&pose, fm_pose_apply(&pose, at));
        fastest = fmax(fastest, fm_length(v));
    }
    return fastest;
}

static void foresee_contact(const fm_world *world, const fm_cloth *c, double duration,
                            fm_forecast *f)
{
    double fastest = 0;
    const char *what = "its fastest pin or particle";
    for (int i = 0; i < c->count; i++)
        fastest = fmax(fastest, fm_length((fm_vec3){c->v.x[i], c->v.y[i], c->v.z[i]}));
    for (int p = 0; p < c->pinned_count; p++) {
        int i = c->pinned[p];
        fm_vec3 at = {c->anchor.x[i], c->anchor.y[i], c->anchor.z[i]};
        if (p == 0 || c->pin[i] != c->pin[c->pinned[p - 1]])
            fastest =
                fmax(fastest, find_speed(c->groups[c->pin[i]].motion, at, world->time, duration));
    }
    for (int k = 0; k < world->collider_count; k++) {
        const fm_collider *collider = world->colliders[k];
        fm_vec3 at = fm_add(collider->shape.centre, collider->shape.start); // one of them is zero
        double speed = collider->mass > 0 ? fm_length(collider->velocity)
                                          : find_speed(collider->motion, at, world->time, duration);
        if (speed > fastest)
            fastest = speed, what = collider->name;
    }
    double way = fastest * fmin(duration, c->stable_step), size = find_size(c);
    if (!(way > size) || f->endless)
        return;
    f->endless = true;
    snprintf(
        f->text, sizeof f->text,
        "%s: contact cannot follow %s, which moves at %.3g m/s: %.3g m in a substep of %.3g s, "
        "and the cloth is %.3g m long. A slower motion, or a smaller time_step, helps",
        c->name, *what ? what : "a collider", fastest, way, c->stable_step, size);
}

fm_forecast fm_world_forecast(fm_world *world, double duration, fm_error *err)
{
    fm_forecast f = {0};
    for (int i = 0; i < world->cloth_count; i++)
        foresee_cloth(world->cloths[i], duration, &f);
    for (int i = 0; i < world->fluid_count; i++)
        foresee_fluid(world, world->fluids[i], duration, &f, err);
    for (int i = 0; i < world->cloth_count; i++)
        if (world->cloths[i]->def.contact.enabled)
            foresee_contact(world, world->cloths[i], duration, &f);
    return f;
}
