// SPDX-License-Identifier: MIT
// couple.c: cloths in fluids: the only file that sees both.
//
// It carries the arrays of core/samples.h. One interval, from t to t + dt:
//
//     take     the cloth takes what the fluid gave in the interval before   cloth/samples.c
//     bodies   moves
//     give     says where its samples went, and hands back what it only borrowed
//     fluids   moves, with the samples in it; puts down what it gives       particles/surfaces.c
//
// Two-way, an interval is one substep of the fluid, and the cloth takes as many of its own in it as
// it needs. Light cloth in heavy water is where such exchanges blow up: the fluid pushes with a
// pressure rho c per velocity, which within a substep dt = C R / c of the fluid would throw
// anything lighter than a layer of fluid, rho c dt = C R rho, back faster than it came. So the
// force is taken implicitly in the velocity of the cloth: while it moves it has, besides its own,
// half of the mass of the fluid beside it, and what that took of the force it hands back to that
// fluid in the same interval. Momentum is conserved to rounding at every step, and a cloth without
// mass goes along with the water instead of being shaken by it.
//
// One-way, the fluid's velocity at the samples is the medium's in cloth/drag.c, and the wet share
// of the cloth what drag and buoyancy act on. Intervals have one length, which the memories of drag
// rely on.
#include "world/world.h"

#include <assert.h>
#include <fathom/couple.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Edges of the parts that samples are the middles of, in spacings of the fluid. Found with water on
// a cloth: up to 1 the pressure alone keeps it out, at 1.5 some particles have to be stopped; and
// with a sheet across a stream, whose drag is 4 % less at 1.
static const double LONGEST = 0.75;
static const double ONE_WAY_INTERVAL = 1.0 / 240; // s: waves and jets are seen as they pass

struct fm_coupling {
    fm_cloth *cloth;
    fm_particles *fluid;
    fm_coupling_way way;
    fm_arena arena;
    fm_cloth_samples samples;
};

static fm_coupling *find(const fm_world *world, const fm_cloth *cloth)
{
    for (int i = 0; i < world->coupling_count; i++)
        if (world->couplings[i]->cloth == cloth)
            return world->couplings[i];
    return NULL;
}

static bool check(const fm_world *world, const fm_cloth *cloth, const fm_particles *fluid,
                  fm_coupling_way way, fm_error *err)
{
    const char *field = "coupling";
    if ((unsigned)way > FM_COUPLING_ONE_WAY)
        return fm_fail_number(err, cloth->name, field, way, "two-way or one-way");
    if (cloth->world != world || fluid->world != world)
        return fm_fail(err, FM_BAD_VALUE, cloth->name, field, "of another world",
                       "cloth and fluid of one world");
    if (find(world, cloth))
        return fm_fail(err, FM_BAD_VALUE, cloth->name, field, "a second one",
                       "one fluid for each cloth");
    if (cloth->started || fluid->prepared)
        return fm_fail(err, FM_BAD_VALUE, cloth->name, field, "added later",
                       "before the first advance");
    if (fluid->def.dimensions != 3)
        return fm_fail(err, FM_BAD_VALUE, cloth->name, field, fluid->name,
                       "a fluid with `dimensions: 3`: cloth is in space");
    if (cloth->def.integrator != FM_KICK_DRIFT_KICK)
        return fm_fail(err, FM_BAD_VALUE, cloth->name, "integrator", "explicit",
                       "kick-drift-kick for cloth in a fluid");
    if (way == FM_COUPLING_ONE_WAY)
        return true;
    if (fluid->def.method != FM_SPH_WEAKLY_COMPRESSIBLE)
        return fm_fail(err, FM_BAD_VALUE, cloth->name, field, "two-way",
                       "one-way, or a fluid with `method: weakly-compressible`");
    fm_recall_kind memory = cloth->def.damping.memory.kind;
    if (fm_cloth_needs_damping_memory(&cloth->def) &&
        (memory == FM_RECALL_STEPS || memory == FM_RECALL_SECONDS))
        return fm_fail(err, FM_BAD_VALUE, cloth->name, "damping.memory", "a window",
                       "full or fading with two-way coupling: substeps change with the fluid's");
    fm_drag_model model = cloth->def.drag.model;
    return model == FM_DRAG_PHYSICAL || model == FM_DRAG_NONE ||
           fm_fail(err, FM_BAD_VALUE, cloth->name, "drag.model", "a model of a medium",
                   "physical or none with two-way coupling: the fluid itself is the drag");
}

bool fm_world_couple(fm_world *world, fm_cloth *cloth, fm_particles *fluid, fm_coupling_way way,
                     fm_error *err)
{
    assert(err->status != FM_OK || (world && cloth && fluid));
    if (err->status != FM_OK) // they may not exist
        return false;
    if (!check(world, cloth, fluid, way, err))
        return false;
    fm_coupling *coupling = calloc(1, sizeof *coupling);
    if (!coupling)
        return fm_fail_no_memory(err, "coupling", sizeof *coupling);
    coupling->cloth = cloth;
    coupling->fluid = fluid;
    coupling->way = way;
    world->couplings[world->coupling_count++] = coupling; // one for each cloth: there is room
    fm_world_note_pace(world);
    bool passive = way == FM_COUPLING_ONE_WAY;
    fm_samples *points = &coupling->samples.points;
    return fm_cloth_samples_make(&coupling->samples, cloth, LONGEST * fluid->def.spacing, passive,
                                 &coupling->arena, err) &&
           fm_particles_attach(fluid, points, err) &&
           (passive || fm_particles_make_room(fluid, points, err));
}

void fm_couple_free(fm_world *world)
{
    for (int i = 0; i < world->coupling_count; i++) {
        fm_arena_free(&world->couplings[i]->arena);
        free(world->couplings[i]);
    }
}

bool fm_couple_is_mutual(const fm_world *world)
{
    bool mutual = false;
    for (int i = 0; i < world->coupling_count; i++)
        mutual |= world->couplings[i]->way == FM_COUPLING_TWO_WAY;
    return mutual;
}

double fm_couple_limit(const fm_world *world)
{
    return world->coupling_count > 0 ? ONE_WAY_INTERVAL : INFINITY;
}

fm_medium fm_couple_medium(const fm_world *world, const fm_cloth *cloth)
{
    const fm_coupling *c = find(world, cloth);
    if (!c)
        return world->def.medium;
    if (c->way == FM_COUPLING_TWO_WAY) // all of it comes from the samples
        return (fm_medium){0};
    return (fm_medium){.density = c->fluid->def.density, .viscosity = c->fluid->def.viscosity};
}

void fm_couple_take(fm_world *world, double end)
{
    for (int i = 0; i < world->coupling_count; i++)
        fm_cloth_samples_take(&world->couplings[i]->samples, end);
}

void fm_couple_give(fm_world *world, double start, double end)
{
    for (int i = 0; i < world->coupling_count; i++)
        fm_cloth_samples_give(&world->couplings[i]->samples, start, end);
}

// For each: the samples, then the inertia its cloth had in the last interval.
size_t fm_couple_save(const fm_world *world, void *buffer)
{
    unsigned char *out = buffer;
    size_t size = 0;
    for (int i = 0; i < world->coupling_count; i++) {
        const fm_coupling *c = world->couplings[i];
        size_t inertia = (size_t)c->cloth->count * sizeof(double);
        size += fm_samples_save(&c->samples.points, out ? out + size : NULL);
        if (out)
            memcpy(out + size, c->cloth->inertia, inertia);
        size += inertia;
    }
    return size;
}

bool fm_couple_restore(fm_world *world, const void *buffer, size_t size, fm_error *err)
{
    const unsigned char *in = buffer;
    if (size != fm_couple_save(world, NULL))
        return fm_fail_number(err, "world state", "coupling size", (double)size, "what was saved");
    for (int i = 0; i < world->coupling_count; i++) {
        fm_coupling *c = world->couplings[i];
        size_t own = fm_samples_save(&c->samples.points, NULL);
        size_t inertia = (size_t)c->cloth->count * sizeof(double);
        if (!fm_samples_restore(&c->samples.points, in, own))
            return fm_fail(err, FM_BAD_VALUE, c->cloth->name, "samples of the saved state",
                           "not numbers", "what was saved");
        if (c->way == FM_COUPLING_TWO_WAY)
            memcpy(c->cloth->inertia, in + own, inertia);
        in += own + inertia;
    }
    return true;
}

uint64_t fm_couple_hash(const fm_world *world, uint64_t seed)
{
    for (int i = 0; i < world->coupling_count; i++) {
        const fm_samples *s = &world->couplings[i]->samples.points;
        size_t n = (size_t)s->count;
        seed = fm_hash(s->impulse, n * sizeof *s->impulse, seed);
        seed = fm_hash(s->handed, n * sizeof *s->handed, seed);
        seed = fm_hash(s->velocity, n * sizeof *s->velocity, seed);
        seed = fm_hash(s->wet, n * sizeof *s->wet, seed);
    }
    return seed;
}
