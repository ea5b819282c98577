// SPDX-License-Identifier: MIT
// strain_limiting.c: enforcement, that is, constraint projection of edge lengths (strain limiting).
//
// Real cloth hardly stretches, and springs that stiff would need very small substeps. With
// enforcement the substep is given, the springs are softened until they are stable with it
// (fm_cloth_choose_step in terms.c), and after the drift of each substep the positions x are
// projected until the edges have their rest length (constraint_projection.c has the correction of
// one edge). Then v += (x - x_before) / h, as position-based dynamics and Verlet's scheme do.
//
// The correction acts once in a substep, before the closing half kick. That kick gives taut cloth
// the velocity h/2 a, where a is its acceleration without enforcement; the next correction takes it
// away again. A cloth that hangs at rest would keep the kinetic energy m (h g)^2 / 8 for ever. At
// the end of a substep v therefore contains the half of the next correction that belongs to it.
// It is expected to be half of the last one, as far as that slows the particle down. The next
// substep begins by removing it, so that the motion does not depend on it.
//
// In a medium that adds mass along the normal n, edges are corrected twice:
//   1 With the effective mass M (drag.c), x_a += M_a^-1 e (x_b - x_a). With the cloth's mass alone,
//     corrections that turn the sheet would move water without any force and feed energy in. But
//     M is so large along the normal that a cloth stretched by a jolt would stay stretched.
//   2 Once more with the cloth's own mass m, and then changing the velocity less than the position.
//     The impulse m dx / h must accelerate the water, too, so that the normal velocity changes by
//     m_n / m times dx_n / h, where m_n and m are the mobilities (1/kg) along and across the
//     normal. If dx_n / h slows a particle down it counts fully, at most until the particle is at
//     rest. Otherwise taut cloth in a stream would keep a velocity without moving, and its drag
//     would be too small.
//
// Methods:
// iterative [PRO95]: projects every stretch and shear edge, in several passes.
// published [OZG13]: projects the ordered list of correction_list.c in one pass; only the second
//   end of each edge moves.
// directional: starts from fixed particles like [OZG13], but with stable corrections:
//   1 Tethers (long-range attachments [KCMF12]). The distance between a particle and a fixed
//     particle cannot exceed their distance along the cloth at rest. A particle outside of that
//     sphere is moved onto it. All particles are treated at once, without propagation along edges.
//   2 Coarse to fine. The distance of particles 2^n cells apart cannot exceed 2^n rest lengths. One
//     pass over n = level_count - 1, ..., 1, 0 carries a correction across the whole sheet;
//     projecting the edges alone would need as many passes as there are cells.
//   Tethers and coarse pairs only shorten: slack or folded cloth is not affected.
//
// Compression. Real cloth buckles before it is compressed, but a grid cannot buckle within a cell:
// the softened springs would let edges collapse, and the cloth would lose area. Therefore edges
// that are too short are lengthened, by at most MAX_LENGTHENING of their rest length per pass, so
// that collapsed edges open within a few substeps. Opening them in one substep would add energy.
// After that, tethers and edges are projected once more, shortening only.
//
// Tubes and meshes use pairs of particles at distances of 1, 2, 4 and 8 edges (pair_levels.c).
#include "cloth/cloth.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    SHEET_LEVELS_MAX = 6, // levels of a sheet: distances over 1, 2, 4, ... 32 cells
};

// Largest ratio of a particle's mobility across the normal to that along it. Tested with 3, 10, 30,
// 100 and no limit on crumpling sheets, tubes and meshes of all materials: below 30 the energy
// still grows, above 30 the stretch grows.
static const double MAX_MOBILITY_RATIO = 30;

// Removes the stretch that lengthening compressed edges has caused in other edges.
static void correct_stretch_last(fm_cloth *c, fm_pool *pool)
{
    if (c->def.enforcement.method == FM_ENFORCE_DIRECTIONAL)
        fm_enforcer_project_tethers(c, pool);
    fm_enforcer_project_edges(c, pool, 0, false);
}

// Projects edges, tethers and distance pairs by the method of the definition, in `iterations`
// passes. compression: also lengthens edges that are too short.
static void correct_all(fm_substep *s, int iterations, bool compression)
{
    fm_cloth *c = s->cloth;
    fm_enforcer *e = c->enforcer;
    fm_pool *pool = s->around.pool;
    const fm_enforcement *def = &c->def.enforcement;
    for (int n = 0; n < iterations; n++) {
        switch (def->method) {
        case FM_ENFORCE_NONE:
            break;
        case FM_ENFORCE_ITERATIVE:
            fm_enforcer_project_edges(c, pool, 0, compression);
            break;
        case FM_ENFORCE_PUBLISHED:
            fm_enforcer_project_list(c, &e->maps[e->current].list);
            break;
        case FM_ENFORCE_DIRECTIONAL:
            fm_enforcer_project_tethers(c, pool);
            for (int k = e->level_count - 1; k >= 0; k--)
                fm_enforcer_project_edges(c, pool, k, compression && k == 0);
            break;
        }
    }
    if (compression && def->method != FM_ENFORCE_PUBLISHED)
        correct_stretch_last(c, pool);
}

// Sets the mobility of particle i, the inverse of its effective mass, across the normal and along
// it.
static void set_mobility(const fm_cloth *c, const fm_drag_step *drag, int i)
{
    fm_effective_mass m = fm_drag_effective_mass(c, drag, i);
    double across = 1 / m.across;
    c->enforcer->mobility[i] = across;
    c->enforcer->mobility_difference[i] = fmax(1 / m.along, across / MAX_MOBILITY_RATIO) - across;
}

// Updates the mobilities of all particles, since the added mass differs from substep to substep.
// Pinned particles do not move.
static void set_mobilities(fm_substep *s)
{
    const fm_cloth *c = s->cloth;
    fm_enforcer *e = c->enforcer;
    bool added_mass = fm_drag_has_added_mass(&s->drag);
    for (int i = 0; i < c->count && (added_mass || e->anisotropic || c->inertia != c->mass); i++)
        set_mobility(c, &s->drag, i);
    e->anisotropic = added_mass;
    for (int p = 0; p < c->pinned_count; p++) {
        int i = c->pinned[p];
        if (fm_cloth_is_pinned(c, i, s->end))
            e->mobility[i] = e->mobility_difference[i] = 0;
        else
            set_mobility(c, &s->drag, i);
    }
}

// Changes the velocities of the particles [first, last) by their displacements, v += (x - x_before)
// / h, where cloth->pair holds x_before. `jump` keeps the change for the drag memory.
static void update_velocities(void *context, int first, int last)
{
    fm_substep *s = context;
    fm_cloth *c = s->cloth;
    double *const x[3] = {c->x.x, c->x.y, c->x.z}, *const v[3] = {c->v.x, c->v.y, c->v.z};
    double *const before[3] = {c->pair.x, c->pair.y, c->pair.z};
    double *const jump[3] = {c->jump.x, c->jump.y, c->jump.z};
    double ih = 1 / s->h;
    for (int k = 0; k < 3; k++) {
#pragma omp simd
        for (int i = first; i < last; i++) {
            jump[k][i] = (x[k][i] - before[k][i]) * ih;
            v[k][i] += jump[k][i];
        }
    }
}

// Reduces the normal velocity changes of correct_with_own_mass according to the added mass (step 2
// in the head of this file). change: normal velocity change by that correction; before, now: normal
// velocity before and after it. A change that slows the particle down counts fully; one that
// reverses its velocity counts fully until the particle is at rest.
static void limit_normal_velocity(void *context, int first, int last)
{
    fm_substep *s = context;
    fm_cloth *c = s->cloth;
    const fm_enforcer *e = c->enforcer;
    const fm_vec3_array *n = &c->normal, *from = &e->before, *x = &c->x, *v = &c->v,
                        *jump = &c->jump;
    for (int i = first; i < last && i < c->count; i++) {
        double dx = x->x[i] - from->x[i], dy = x->y[i] - from->y[i], dz = x->z[i] - from->z[i];
        double change = (dx * n->x[i] + dy * n->y[i] + dz * n->z[i]) / s->h;
        double now = v->x[i] * n->x[i] + v->y[i] * n->y[i] + v->z[i] * n->z[i];
        double before = now - change;
        bool reversed = now * before < 0, slower = !reversed && fabs(now) <= fabs(before);
        if (slower || !(e->mobility[i] > 0))
            continue;
        double lost = e->mobility_difference[i] / e->mobility[i] * (reversed ? now : change);
        v->x[i] += lost * n->x[i], jump->x[i] += lost * n->x[i];
        v->y[i] += lost * n->y[i], jump->y[i] += lost * n->y[i];
        v->z[i] += lost * n->z[i], jump->z[i] += lost * n->z[i];
    }
}

// Corrects edges once more, with the cloth's own mass instead of the effective mass (step 2 in the
// head of this file): water makes the effective mass so large along the normal that stretched cloth
// would stay stretched. enforcer->before keeps the positions before this correction.
static void correct_with_own_mass(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    memcpy(c->enforcer->before.x, c->x.x, 3 * (size_t)c->lanes * sizeof(double));
    c->enforcer->anisotropic = false;
    correct_all(s, 1, c->def.enforcement.compression);
    c->enforcer->anisotropic = true;
}

// Projects the edge lengths after the drift of a substep and changes the velocities accordingly. In
// a medium that adds mass, a second correction with the cloth's own mass follows.
void fm_substep_enforce_lengths(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    const fm_enforcement *def = &c->def.enforcement;
    double begin = fm_clock_now_ms();
    set_mobilities(s);
    if (def->method != FM_ENFORCE_ITERATIVE)
        fm_enforcer_update_maps(s);
    memcpy(c->pair.x, c->x.x, 3 * (size_t)c->lanes * sizeof(double));
    correct_all(s, def->iterations, def->compression);
    bool again = c->enforcer->anisotropic && def->method != FM_ENFORCE_PUBLISHED;
    if (again)
        correct_with_own_mass(s);
    fm_parallel_for(s->around.pool, c->lanes, FM_PARTICLE_BLOCK, update_velocities, s);
    if (again)
        fm_parallel_for(s->around.pool, c->lanes, FM_PARTICLE_BLOCK, limit_normal_velocity, s);
    memcpy(c->enforcer->correction.x, c->jump.x, 3 * (size_t)c->lanes * sizeof(double));
    c->enforcer->enforce_ms += fm_clock_now_ms() - begin;
}

// The fraction of the velocity change d, 0 to 1, that makes |v + fraction d| smallest.
static double find_slowing_fraction(fm_vec3 v, fm_vec3 d)
{
    double square = fm_dot(d, d);
    return square > 0 ? fmax(0, fmin(1, -fm_dot(v, d) / square)) : 0;
}

// At the end of a substep: adds to v the half of the next correction that belongs to this substep.
// It is expected to be half of the last correction, as far as that slows the particle down. Contact
// between surfaces corrects velocities before the closing half kick, too, and belongs to the
// correction. Left out are particles whose velocity at the end colliders or pins have set, and
// cloth in a simulated fluid, where v is the momentum that cloth and fluid have exchanged.
void fm_enforcer_add_expected(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    bool contact = c->def.contact.enabled; // jump contains the changes by enforcement and contact
    const fm_vec3_array *expected = &c->enforcer->expected;
    const fm_vec3_array *correction = contact ? &c->jump : &c->enforcer->correction;
    for (int i = 0; i < c->count; i++) {
        fm_vec3 d = fm_scale(fm_vec3_array_at(*correction, i), 0.5);
        bool free = !c->samples && (contact || !c->touch[i]) && c->enforcer->mobility[i] > 0;
        d = fm_scale(d, free ? find_slowing_fraction(fm_vec3_array_at(c->v, i), d) : 0);
        expected->x[i] = d.x, expected->y[i] = d.y, expected->z[i] = d.z;
        c->v.x[i] += d.x, c->v.y[i] += d.y, c->v.z[i] += d.z;
    }
}

// Subtracts the expected corrections from the velocities; x, y and z follow each other in memory.
void fm_enforcer_remove_expected(fm_cloth *c)
{
    for (int i = 0; i < 3 * c->lanes; i++)
        c->v.x[i] -= c->enforcer->expected.x[i];
}

// Creates the data of enforcement. On a sheet, a level of distances over 2^n cells is added while
// 2^(n+1) cells are less than its longer side.
bool fm_enforcer_create(fm_cloth *c, fm_error *err)
{
    fm_enforcer *e = fm_arena_alloc(&c->arena, 1, sizeof *e, c->object.name, err);
    if (!e)
        return false;
    c->enforcer = e;
    e->map_count = 1;
    e->mobility = fm_arena_alloc(&c->arena, (size_t)c->lanes, sizeof(double), c->object.name, err);
    e->mobility_difference =
        fm_arena_alloc(&c->arena, (size_t)c->lanes, sizeof(double), c->object.name, err);
    e->before = fm_vec3_array_create(&c->arena, c->lanes, err);
    e->correction = fm_vec3_array_create(&c->arena, c->lanes, err);
    e->expected = fm_vec3_array_create(&c->arena, c->lanes, err);
    e->anchor_x = fm_vec3_array_create(&c->arena, c->lanes, err);
    e->fixed = fm_arena_alloc(&c->arena, (size_t)c->lanes, 1, c->object.name, err);
    if (!fm_particle_graph_create(c, &e->graph, err) || !fm_map_scratch_create(c, err) ||
        !fm_correction_map_create(c, &e->maps[0], err))
        return false;
    for (int i = 0; i < c->count; i++)
        e->mobility[i] = 1 / c->mass[i];
    if (c->kind != FM_CLOTH_SHEET)
        return fm_enforcer_create_pair_levels(c, e, err);
    int span = c->columns > c->rows ? c->columns : c->rows;
    e->level_count = 1;
    while (e->level_count < SHEET_LEVELS_MAX && 1 << (e->level_count + 1) < span)
        e->level_count++;
    return true;
}

// Number of distances that a pass of enforcement corrects: the springs of the published list; else
// edges, distances over several cells or edges, and tethers.
int fm_cloth_correction_count(const fm_cloth *c)
{
    assert(c);
    const fm_enforcer *e = c->enforcer;
    if (!e)
        return 0;
    if (c->def.enforcement.method == FM_ENFORCE_PUBLISHED)
        return e->maps[e->current].list.count;
    int count = 0;
    for (int n = 0; n < (c->def.enforcement.method == FM_ENFORCE_ITERATIVE ? 1 : e->level_count);
         n++) {
        if (c->kind != FM_CLOTH_SHEET) {
            count += e->pair_levels[n].count;
            continue;
        }
        int k = 1 << n, across = c->columns > k ? c->columns - k : 0;
        int down = c->rows > k ? c->rows - k : 0;
        count += across * c->rows + down * c->columns +
                 (c->def.enforcement.shear ? 2 * across * down : 0);
    }
    for (int i = 0; i < FM_TETHERS_MAX * c->lanes; i++)
        count += c->def.enforcement.method == FM_ENFORCE_DIRECTIONAL &&
                 isfinite(e->maps[e->current].tether_length[i]);
    return count;
}
