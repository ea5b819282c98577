// SPDX-License-Identifier: MIT
// correction_map_selection.c: determines which particles enforcement treats as fixed, and switches
// between the correction maps that depend on them when contacts change.
//
// Enforcement is constraint projection of edge lengths (strain_limiting.c). Pinned particles are
// fixed, and so are particles that rest on a collider. A correction map (correction_map.c)
// contains everything that follows from a set of fixed particles: tethers for the directional
// method, the ordered list of edges for the published method [OZG13]. Computing a map costs as much
// as a few substeps. Map 0 belongs to the present pins and contacts; it is computed again only when
// enough of them have changed. Other maps are given by the user (fm_cloth_add_map), each with its
// colliders and the particles that these fix, such as the knees below a skirt. Such a map is used
// while each of its colliders touches some of its particles.
//
// [OZG13] in docs/references.md
#include "cloth/cloth.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    CHECK_INTERVAL = 8, // substeps after which the set of fixed particles is determined again
};

// The published list is computed again when the force direction has turned by more than 30 degrees.
static const double MIN_COSINE = 0.87; // cosine of 30 degrees

// A particle counts as touching a collider below this distance, in margins (the distance that
// colliders keep). Above 1, because particles are moved out to the margin itself.
static const double CONTACT_REACH = 1.5;
static const double CONTACT_SLACK = 1e-9; // m, for a margin of 0

// A particle rests on a collider if the contact normal is within 60 degrees of upwards.
static const double SUPPORT_COSINE = 0.5; // cosine of 60 degrees

// Share of all particles that may become fixed or free before map 0 is computed again, in addition
// to the share `recompute` of the fixed ones.
static const double FEW_CHANGES = 0.002;

// m, signed distance of particle i from a collider, with the contact normal.
static double measure_distance(const fm_placed_collider *placed, const fm_cloth *c, int i,
                               fm_vec3 *normal)
{
    fm_contact contact = fm_placed_find_contact(placed, (fm_vec3){c->x.x[i], c->x.y[i], c->x.z[i]});
    *normal = contact.normal;
    return contact.distance;
}

// Whether particle i, which is in contact, rests on a collider. Cloth that leans against a wall
// slides down and is not fixed. margin: distance kept from colliders, m.
static bool is_supported(const fm_surroundings *around, const fm_cloth *c, int i, double margin)
{
    double gravity = fm_length(around->gravity);
    double reach = CONTACT_REACH * margin + CONTACT_SLACK;
    for (int k = 0; k < around->collider_count; k++) {
        fm_vec3 normal;
        if (measure_distance(&around->placed[k], c, i, &normal) < reach &&
            fm_dot(normal, around->gravity) <= -SUPPORT_COSINE * gravity)
            return true;
    }
    return false;
}

// Determines which particles are fixed at time t (pinned, or resting on a collider), into
// enforcer->fixed. margin: distance kept from colliders, m.
static void find_fixed_particles(fm_cloth *c, const fm_surroundings *around, double t,
                                 double margin)
{
    for (int i = 0; i < c->count; i++) {
        bool contact = c->def.enforcement.contacts && c->touch[i];
        c->enforcer->fixed[i] =
            fm_cloth_is_pinned(c, i, t) || (contact && is_supported(around, c, i, margin));
    }
}

// Whether the map must be computed again, because the fixed particles have changed: at once when a
// pin was released, otherwise when enough particles have changed, since contacts fluctuate.
static bool needs_update(const fm_cloth *c, const fm_correction_map *map)
{
    int changed = 0;
    const unsigned char *now = c->enforcer->fixed;
    for (int p = 0; p < c->pinned_count; p++) {
        if (!now[c->pinned[p]] && map->fixed[c->pinned[p]])
            return true;
    }
    for (int i = 0; i < c->count; i++)
        changed += now[i] != map->fixed[i];
    return changed > c->def.enforcement.recompute * map->fixed_count + FEW_CHANGES * c->count;
}

// Unit vector along the sum of weight, buoyancy and drag of the whole cloth (with FM_ALONG_FORCE),
// or along gravity; zero if there is no such force.
static fm_vec3 find_force_direction(fm_cloth *c, const fm_surroundings *around)
{
    fm_vec3 sum = {0};
    fm_weight buoyancy = fm_weight_compute(c, around);
    double *drag = c->enforcer->before.x; // scratch that is not in use between corrections
    bool all_forces = c->def.enforcement.direction == FM_ALONG_FORCE;
    if (all_forces)
        fm_drag_force_per_area(c, around, drag);
    for (int i = 0; i < c->count; i++) {
        double mass = all_forces ? c->mass[i] - c->area[i] * buoyancy.displaced : c->mass[i];
        sum = fm_add_scaled(sum, around->gravity, mass);
        if (all_forces)
            sum = fm_add_scaled(sum, (fm_vec3){drag[3 * i], drag[3 * i + 1], drag[3 * i + 2]},
                                c->area[i]);
    }
    double length = fm_length(sum);
    return length > 0 ? fm_scale(sum, 1 / length) : (fm_vec3){0};
}

// Computes tethers or the edge list of a map from its fixed particles, and measures the time.
static void compute_map(fm_cloth *c, fm_correction_map *map)
{
    double begin = fm_clock_now_ms();
    fm_correction_map_compute(c, map, c->enforcer->direction);
    c->enforcer->order_ms += fm_clock_now_ms() - begin;
}

// Computes all maps: map 0 from its fixed particles, the maps that colliders switch on with the
// pinned particles added to theirs.
void fm_enforcer_compute_maps(fm_cloth *c)
{
    fm_enforcer *e = c->enforcer;
    compute_map(c, &e->maps[0]);
    for (int m = 1; m < e->map_count; m++) {
        for (int i = 0; i < c->count; i++)
            e->maps[m].fixed[i] |= fm_cloth_is_pinned(c, i, 0);
        compute_map(c, &e->maps[m]);
    }
}

// Computes map 0 for the present set of fixed particles and force direction. The maps that
// colliders switch on depend on pins and direction, so they are computed again only if the
// direction has changed.
static void compute_first_map(fm_cloth *c, fm_vec3 direction)
{
    fm_enforcer *e = c->enforcer;
    bool same = direction.x == e->direction.x && direction.y == e->direction.y &&
                direction.z == e->direction.z;
    memcpy(e->maps[0].fixed, e->fixed, (size_t)c->count);
    e->direction = direction;
    e->map_update_count++;
    if (same)
        compute_map(c, &e->maps[0]);
    else
        fm_enforcer_compute_maps(c);
}

// Every CHECK_INTERVAL substeps: determines the fixed particles and the force direction, and
// computes map 0 again if they have changed enough.
static void update_first_map(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    fm_enforcer *e = c->enforcer;
    const fm_enforcement *def = &c->def.enforcement;
    if (def->recompute <= 0 || --e->substeps_to_check > 0)
        return;
    e->substeps_to_check = CHECK_INTERVAL;
    fm_vec3 direction = e->direction;
    if (def->method == FM_ENFORCE_PUBLISHED && def->direction == FM_ALONG_FORCE)
        direction = find_force_direction(c, &s->around);
    find_fixed_particles(c, &s->around, s->end, s->margin);
    if (needs_update(c, &e->maps[0]) || fm_dot(direction, e->direction) < MIN_COSINE)
        compute_first_map(c, direction);
}

// Whether the collider touches a particle that the map treats as fixed. Contact elsewhere does not
// count: a thigh always touches a skirt at the hip, but in front of the knee only once in a stride.
static bool touches_map(const fm_substep *s, const fm_collider *collider,
                        const fm_correction_map *map)
{
    const fm_cloth *c = s->cloth;
    double reach = CONTACT_REACH * s->margin + CONTACT_SLACK;
    for (int k = 0; k < s->around.collider_count; k++) {
        const fm_placed_collider *placed = &s->around.placed[k];
        if (placed->collider != collider)
            continue;
        for (int i = 0; i < c->count; i++) {
            fm_vec3 normal;
            if (map->fixed[i] && c->touch[i] && measure_distance(placed, c, i, &normal) < reach)
                return true;
        }
    }
    return false;
}

// Selects the first map whose colliders all touch its particles, or map 0 of pins and contacts.
static void choose_map(fm_substep *s)
{
    fm_enforcer *e = s->cloth->enforcer;
    e->current = 0;
    for (int m = 1; m < e->map_count && e->current == 0; m++) {
        bool all = true;
        for (int k = 0; k < e->maps[m].collider_count && all; k++)
            all = touches_map(s, e->maps[m].colliders[k], &e->maps[m]);
        if (all)
            e->current = m;
    }
}

void fm_enforcer_update_maps(fm_substep *s)
{
    update_first_map(s);
    choose_map(s);
}

// Computes all maps before the first substep, with the particles pinned at that time.
void fm_enforcer_initialize_maps(fm_cloth *c, const fm_surroundings *around)
{
    fm_enforcer *e = c->enforcer;
    for (int i = 0; i < c->count; i++)
        e->maps[0].fixed[i] = e->fixed[i] = fm_cloth_is_pinned(c, i, c->time);
    e->direction = find_force_direction(c, around);
    e->map_update_count++;
    fm_enforcer_compute_maps(c);
    e->substeps_to_check = CHECK_INTERVAL;
}

// Adds a map that is used while all of the colliders touch some of these particles: it treats the
// particles as fixed. Only before the first advance, and with directional or published enforcement.
bool fm_cloth_add_map(fm_cloth *c, const fm_collider *const *colliders, int collider_count,
                      const int *particles, int particle_count, fm_error *err)
{
    assert(err->status != FM_OK || c);
    if (err->status != FM_OK)
        return false;
    fm_enforcer *e = c->enforcer;
    if (!e || c->def.enforcement.method == FM_ENFORCE_ITERATIVE)
        return fm_fail_number(err, c->object.name, "map", c->def.enforcement.method,
                              "directional or published enforcement");
    if (c->started)
        return fm_fail_number(err, c->object.name, "map", c->time, "made before the first advance");
    if (e->map_count == FM_MAPS_MAX)
        return fm_fail_number(err, c->object.name, "maps", e->map_count, "at most 8");
    if (collider_count < 1 || collider_count > FM_MAP_COLLIDERS_MAX)
        return fm_fail_number(err, c->object.name, "map colliders", collider_count, "1 to 8");
    fm_correction_map *map = &e->maps[e->map_count];
    if (!fm_correction_map_create(c, map, err))
        return false;
    for (int i = 0; i < particle_count; i++) {
        if (particles[i] < 0 || particles[i] >= c->count)
            return fm_fail_number(err, c->object.name, "map particle", particles[i],
                                  "0 to the number of particles - 1");
        map->fixed[particles[i]] = 1;
    }
    for (int k = 0; k < collider_count; k++)
        map->colliders[k] = colliders[k];
    map->collider_count = collider_count;
    e->map_count++;
    return true;
}

int fm_cloth_current_map(const fm_cloth *c)
{
    assert(c);
    return c->enforcer ? c->enforcer->current : 0;
}
