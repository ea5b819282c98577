// SPDX-License-Identifier: MIT
// coupling.c: two-way and one-way coupling of bodies with media (fluids).
//
// Body and medium exchange the sample arrays of core/surface_samples.h. One interval, from t to
// t + dt:
//
//     take     the body takes the impulses of the medium's last interval (take_impulses)
//     bodies   the body moves
//     give     the body writes the new positions of its samples, and returns the momentum of the
//              fluid mass that it borrowed (give_samples)
//     fluids   the medium moves with the samples in it, and writes the impulses on them
//
// With two-way coupling an interval is one substep of the fluid, and the cloth takes as many
// substeps of its own in it as it needs. Light cloth in heavy water makes explicit schemes unstable
// (the added mass instability): the fluid responds to a velocity with the acoustic pressure rho c.
// Within a fluid substep dt = C R / c this pressure throws anything lighter than a fluid layer of
// rho c dt = C R rho back faster than it came. Therefore the force is implicit in the velocity of
// the cloth: while the cloth moves, it borrows half of the mass of the fluid beside it. It returns
// the momentum that this mass took up to the same fluid in the same interval. Momentum is conserved
// to rounding in every step, and a cloth without mass follows the water instead of being shaken by
// it.
//
// With one-way coupling, the fluid's velocity at the samples replaces that of the medium in
// cloth/drag.c, and drag and buoyancy act on the wet fraction of the cloth. All intervals have the
// same length, because the fractional derivatives of drag rely on it.
//
// With coupling by drag, the body computes its drag in the same way in its own substeps, and gives
// the opposite impulse to the fluid (cloth/drag_exchange.c). Intervals are those of two-way
// coupling.
//
//   rho  density, kg/m^3    c  speed of sound, m/s    C  Courant number    R  kernel support, m
#include "world/world.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Longest edge of the parts of a triangle whose centres are the samples, relative to the particle
// spacing. Measured with water on a cloth: up to 1, the pressure alone keeps the water out; at 1.5
// some particles have to be stopped. The drag of a sheet across a stream is 4 % lower at 1.
static const double LONGEST_EDGE = 0.75;
static const double ONE_WAY_INTERVAL = 1.0 / 240; // s, short enough for passing waves and jets

// The coupling of a body with a medium; NULL: none.
static const fm_coupling *find_coupling(const fm_object *body)
{
    const fm_world *world = body->world;
    for (int i = 0; i < world->coupling_count; i++)
        if (world->couplings[i].body == body)
            return &world->couplings[i];
    return NULL;
}

// Fills err: coupling does not allow a setting of the object. Returns false.
bool fm_coupling_fail(fm_error *err, const fm_object *object, const fm_coupling_fault *fault)
{
    char allowed[160];
    snprintf(allowed, sizeof allowed, "%s%s", fault->two_way ? "with two-way coupling " : "",
             fault->allowed);
    return fm_fail(err, FM_BAD_VALUE, object->name, fault->field, fault->value, allowed);
}

// Checks that a body can be coupled to a medium in this way (two-way or one-way).
static bool check_coupling_of(const fm_world *world, const fm_object *body, const fm_object *medium,
                              fm_coupling_way way, fm_error *err)
{
    const char *field = "coupling";
    if ((unsigned)way > FM_COUPLING_BY_DRAG)
        return fm_fail_number(err, body->name, field, way, "two-way, one-way or by-drag");
    if (body->world != world || medium->world != world)
        return fm_fail(err, FM_BAD_VALUE, body->name, field, "of another world",
                       "a body and a medium of one world");
    if (!body->type->body || !body->type->body->sample)
        return fm_fail(err, FM_BAD_VALUE, body->name, field, body->type->kind,
                       "a body that can be in a medium");
    if (!medium->type->medium || !medium->type->medium->attach)
        return fm_fail(err, FM_BAD_VALUE, body->name, field, medium->type->kind,
                       "a medium that bodies can be in");
    if (find_coupling(body))
        return fm_fail(err, FM_BAD_VALUE, body->name, field, "a second one",
                       "one medium for each body");
    if (fm_coupling_is_by_drag(body->type, way) && !medium->type->medium->takes_drag)
        return fm_fail(err, FM_BAD_VALUE, body->name, field,
                       way == FM_COUPLING_BY_DRAG ? "by-drag" : "two-way",
                       "given for this body in a grid fluid or its liquid only");
    if (world->coupling_count == FM_WORLD_OBJECTS_MAX)
        return fm_fail_number(err, body->name, field, world->coupling_count + 1, "at most 1024");
    return body->type->body->check_coupling(body, way, err) &&
           medium->type->medium->check_coupling(medium, way, body->name, err);
}

// Whether body and medium act on each other by the body's drag: lines always do.
bool fm_coupling_is_by_drag(const fm_object_type *body, fm_coupling_way way)
{
    return way == FM_COUPLING_BY_DRAG || (way == FM_COUPLING_TWO_WAY && body->body->thin);
}

fm_coupling_def fm_default_coupling_def(void)
{
    return (fm_coupling_def){.way = FM_COUPLING_TWO_WAY, .resistance = INFINITY};
}

// Checks the permeability of a body: numbers in their range, and a medium that can pass.
static bool check_permeability(const fm_object *body, const fm_object *medium,
                               const fm_coupling_def *def, fm_error *err)
{
    bool permeable = def->resistance < INFINITY;
    if (!(def->resistance >= 0))
        return fm_fail_number(err, body->name, "resistance", def->resistance, "at least 0 Pa s/m");
    if (!(def->quadratic >= 0 && def->quadratic < INFINITY))
        return fm_fail_number(err, body->name, "quadratic", def->quadratic,
                              "at least 0 Pa s^2/m^2, and finite");
    if (def->quadratic > 0 && !permeable)
        return fm_fail_number(err, body->name, "quadratic", def->quadratic,
                              "0 unless a resistance is given: nothing passes without one");
    if (permeable && (def->way != FM_COUPLING_TWO_WAY || body->type->body->thin ||
                      !medium->type->medium->permeates))
        return fm_fail_number(err, body->name, "resistance", def->resistance,
                              "given with two-way coupling of a surface to a grid fluid only");
    return true;
}

// Checks that the box of the medium can follow the body.
static bool check_follow(const fm_object *body, const fm_object *medium, const fm_coupling_def *def,
                         fm_error *err)
{
    return !def->follow || medium->type->medium->follows ||
           fm_fail(err, FM_BAD_VALUE, body->name, "follow", "true", "false, or a grid fluid");
}

// Couples a body to a medium: creates quadrature points on the body and puts them into the medium.
bool fm_world_couple_with(fm_world *world, fm_object *body, fm_object *medium,
                          const fm_coupling_def *def, fm_error *err)
{
    assert(err->status != FM_OK || (world && body && medium && def));
    if (err->status != FM_OK) // body and medium may not exist then
        return false;
    fm_coupling_way way = def->way;
    if (!check_coupling_of(world, body, medium, way, err) ||
        !check_permeability(body, medium, def, err) || !check_follow(body, medium, def, err))
        return false;
    double longest = LONGEST_EDGE * medium->type->medium->resolution(medium);
    fm_medium properties = medium->type->medium->properties(medium);
    fm_samples *samples = body->type->body->sample(body, longest, way, &properties, err);
    if (!samples)
        return false;
    samples->resistance = def->resistance;
    samples->quadratic = def->quadratic;
    samples->followed = def->follow;
    if (!medium->type->medium->attach(medium, samples, err))
        return false;
    world->couplings[world->coupling_count++] = (fm_coupling){body, medium, way, samples};
    fm_world_announce_variable_intervals(world);
    return true;
}

// Couples a body to a medium; nothing passes through the body.
bool fm_world_couple_objects(fm_world *world, fm_object *body, fm_object *medium,
                             fm_coupling_way way, fm_error *err)
{
    fm_coupling_def def = fm_default_coupling_def();
    def.way = way;
    return fm_world_couple_with(world, body, medium, &def, err);
}

// Couples a cloth to a particle fluid; the same as fm_world_couple_objects.
bool fm_world_couple(fm_world *world, struct fm_cloth *cloth, struct fm_particles *fluid,
                     fm_coupling_way way, fm_error *err)
{
    return fm_world_couple_objects(world, (fm_object *)cloth, (fm_object *)fluid, way, err);
}

// The medium that a body is coupled with two-way; NULL: none.
fm_object *fm_world_find_two_way_medium(const fm_object *body)
{
    const fm_coupling *c = find_coupling(body);
    return c && c->way == FM_COUPLING_TWO_WAY ? c->medium : NULL;
}

// True if any body and medium of the world act on each other.
bool fm_coupling_is_two_way(const fm_world *world)
{
    bool two_way = false;
    for (int i = 0; i < world->coupling_count; i++)
        two_way |= world->couplings[i].way != FM_COUPLING_ONE_WAY;
    return two_way;
}

// s, longest interval that coupling allows.
double fm_coupling_longest_interval(const fm_world *world)
{
    return world->coupling_count > 0 ? ONE_WAY_INTERVAL : INFINITY;
}

// The medium whose drag and buoyancy act on a body: that of the world, or the fluid of a one-way
// coupling. Otherwise none, because all forces act through the quadrature points.
fm_medium fm_coupling_find_medium(const fm_object *body)
{
    const fm_coupling *c = find_coupling(body);
    if (!c)
        return body->world->def.medium;
    if (c->way != FM_COUPLING_ONE_WAY)
        return (fm_medium){0};
    return c->medium->type->medium->properties(c->medium);
}

// Bodies take the impulses that media gave their samples, before they move to time `end`.
void fm_coupling_take_impulses(fm_world *world, double end)
{
    for (int i = 0; i < world->coupling_count; i++)
        world->couplings[i].body->type->body->take_impulses(world->couplings[i].body, end);
}

// Bodies write positions and impulses of their samples for the media, after they moved from `start`
// to `end`.
void fm_coupling_give_samples(fm_world *world, double start, double end)
{
    for (int i = 0; i < world->coupling_count; i++)
        world->couplings[i].body->type->body->give_samples(world->couplings[i].body, start, end);
}

// Writes the samples of all coupled bodies; buffer NULL: writes nothing. Returns their size, bytes.
size_t fm_coupling_save(const fm_world *world, void *buffer)
{
    unsigned char *out = buffer;
    size_t size = 0;
    for (int i = 0; i < world->coupling_count; i++)
        size += fm_samples_save(world->couplings[i].samples, out ? out + size : NULL);
    return size;
}

// Reads what fm_coupling_save wrote; false and err filled if it does not fit.
bool fm_coupling_restore(fm_world *world, const void *buffer, size_t size, fm_error *err)
{
    const unsigned char *in = buffer;
    if (size != fm_coupling_save(world, NULL))
        return fm_fail_number(err, "world state", "coupling size", (double)size, "what was saved");
    for (int i = 0; i < world->coupling_count; i++) {
        fm_coupling *c = &world->couplings[i];
        size_t sample_size = fm_samples_save(c->samples, NULL); // bytes
        if (!fm_samples_restore(c->samples, in, sample_size))
            return fm_fail(err, FM_BAD_VALUE, c->body->name, "samples of the saved state",
                           "not finite", "what was saved");
        in += sample_size;
    }
    return true;
}
