// SPDX-License-Identifier: MIT
// enforce.c: edges that do not stretch, whatever the springs can do at the substep taken.
//
// After the drift, positions are corrected edge by edge. For an edge of length l and rest length r
// between particles a and b of mobility m (1/mass, 0 for what pins hold), past the threshold s,
//
//     e = (l - r') / l / (m_a + m_b),   x_a += m_a e (x_b - x_a),   x_b -= m_b e (x_b - x_a)
//
// with r' = r, or (1 + s) r when the target is the threshold. Then v += (x - x_before) / h, which
// is what Verlet's positions would do by themselves.
//
// iterative [PRO95]: every stretch and shear edge, several passes.
// published [OZG13]: the list of order.c in one pass, with m_a = 0: only the second end moves.
// directional: the idea of [OZG13], from what is fixed outwards, in a form that holds.
//   1 Reach. A particle is never farther from a fixed one than along the cloth (order.c): if it is,
//     it is moved onto that sphere. All at once, no propagation [KCMF12].
//   2 Coarse to fine. Particles 2^n cells apart are no farther apart than 2^n edges are long, free
//     or not. One pass over n = strides - 1, ..., 1, 0 carries a correction across the sheet, where
//     the edges alone need as many passes as there are cells.
//   Both only shorten: cloth that is slack or folded is left alone.
//
// Tubes and meshes have pairs at 1, 2, 4 and 8 edges instead (ladder.c).
//
// Edges are taken in groups that share no particle: on a sheet along a row, runs of 2^n particles
// with the 2^n that follow; between rows, row r with row r + 2^n. Within a group they may be done
// in any order, so the result does not depend on threads.
//
// Substeps are then longer than stiff springs allow, so springs are softened to what is stable
// (choose_step in cloth.c) and enforcement does the rest.
//
// [PRO95]  Provot: Deformation constraints in a mass-spring model. Graphics Interface 1995.
// [OZG13]  Özgen: Physics-based animation models using fractional calculus. Thesis, 2013, ch. 6.
// [KCMF12] Kim, Chentanez, Müller-Fischer: Long range attachments. SCA 2012.
#include "cloth/cloth.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    LOOK_AGAIN = 8,    // substeps between looks at what is fixed
    COARSEST = 6,      // strides up to 32 cells
    PAIR_BLOCK = 4096, // pairs that one task does
};

// A list is made anew when the force has turned by more than this.
static const double TURNED = 0.87; // cosine of 30 degrees

// Where corrections begin and where they end, in rest lengths.
typedef struct limits {
    double longest, long_target, shortest, short_target;
} limits;

static limits find_limits(const fm_enforcement *def, bool compression)
{
    double s = def->threshold;
    bool clamp = def->target == FM_TARGET_THRESHOLD;
    return (limits){1 + s, clamp ? 1 + s : 1, compression ? 1 - s : 0, clamp ? 1 - s : 1};
}

// Particles and their mobilities from one on.
typedef struct run {
    double *x, *y, *z;
    const double *m;
} run;

static run run_at(const fm_cloth *c, int i)
{
    return (run){c->x.x + i, c->x.y + i, c->x.z + i, c->enforcer->mobility + i};
}

// n edges of one rest length, from the particles of one run to those of another.
FM_SIMD_CLONES
static void correct_runs(int n, double *restrict ax, double *restrict ay, double *restrict az,
                         const double *restrict am, double *restrict bx, double *restrict by,
                         double *restrict bz, const double *restrict bm, double rest,
                         const limits *restrict limit)
{
    double longest = rest * limit->longest, long_target = rest * limit->long_target;
    double shortest = rest * limit->shortest, short_target = rest * limit->short_target;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double dx = bx[i] - ax[i], dy = by[i] - ay[i], dz = bz[i] - az[i];
        double l = sqrt(dx * dx + dy * dy + dz * dz);
        double lack = l > longest ? l - long_target : 0;
        lack = l < shortest ? l - short_target : lack;
        double e = lack / ((l + 1e-200) * (am[i] + bm[i] + 1e-200));
        double a = e * am[i], b = e * bm[i];
        ax[i] += a * dx, ay[i] += a * dy, az[i] += a * dz;
        bx[i] -= b * dx, by[i] -= b * dy, bz[i] -= b * dz;
    }
}

static void correct(int n, run a, run b, double rest, const limits *limit)
{
    correct_runs(n, a.x, a.y, a.z, a.m, b.x, b.y, b.z, b.m, rest, limit);
}

typedef struct sweep {
    fm_cloth *cloth;
    limits limit;
    int stride, parity;
} sweep;

// One edge between particles i and j of a row.
static inline void correct_edge(double *x, double *y, double *z, const double *m, int i, int j,
                                double rest, const limits *limit)
{
    double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
    double l = sqrt(dx * dx + dy * dy + dz * dz);
    double lack = l > rest * limit->longest ? l - rest * limit->long_target : 0;
    lack = l < rest * limit->shortest ? l - rest * limit->short_target : lack;
    double e = lack / ((l + 1e-200) * (m[i] + m[j] + 1e-200));
    double a = e * m[i], b = e * m[j];
    x[i] += a * dx, y[i] += a * dy, z[i] += a * dz;
    x[j] -= b * dx, y[j] -= b * dy, z[j] -= b * dz;
}

// Blocks of two runs of 1, 2 or 4 particles: too short to be worth a call each.
FM_SIMD_CLONES
static void correct_ones(int blocks, double *restrict x, double *restrict y, double *restrict z,
                         const double *restrict m, double rest, const limits *restrict limit)
{
    limits local = *limit;
#pragma omp simd
    for (int b = 0; b < blocks; b++)
        correct_edge(x, y, z, m, 2 * b, 2 * b + 1, rest, &local);
}

FM_SIMD_CLONES
static void correct_twos(int blocks, double *restrict x, double *restrict y, double *restrict z,
                         const double *restrict m, double rest, const limits *restrict limit)
{
    limits local = *limit;
#pragma omp simd
    for (int b = 0; b < blocks; b++) {
        correct_edge(x, y, z, m, 4 * b, 4 * b + 2, rest, &local);
        correct_edge(x, y, z, m, 4 * b + 1, 4 * b + 3, rest, &local);
    }
}

FM_SIMD_CLONES
static void correct_fours(int blocks, double *restrict x, double *restrict y, double *restrict z,
                          const double *restrict m, double rest, const limits *restrict limit)
{
    limits local = *limit;
    for (int b = 0; b < blocks; b++) {
#pragma omp simd
        for (int i = 0; i < 4; i++)
            correct_edge(x, y, z, m, 8 * b + i, 8 * b + i + 4, rest, &local);
    }
}

static void correct_row(const sweep *s, int row, int columns, double rest)
{
    const fm_cloth *c = s->cloth;
    int k = s->stride, first = s->parity * k, blocks = (columns - first) / (2 * k);
    run r = run_at(c, row + first);
    if (blocks < 0)
        return;
    if (k == 1)
        correct_ones(blocks, r.x, r.y, r.z, r.m, rest, &s->limit);
    else if (k == 2)
        correct_twos(blocks, r.x, r.y, r.z, r.m, rest, &s->limit);
    else if (k == 4)
        correct_fours(blocks, r.x, r.y, r.z, r.m, rest, &s->limit);
    for (int b = k < 8 ? blocks : 0; b <= blocks; b++) { // the last one may be cut short
        int at = first + 2 * k * b, left = columns - k - at, n = left < k ? left : k;
        if (n > 0)
            correct(n, run_at(c, row + at), run_at(c, row + at + k), rest, &s->limit);
    }
}

static void correct_along_rows(void *context, int first, int last)
{
    const sweep *s = context;
    const fm_cloth *c = s->cloth;
    for (int r = first; r < last; r++)
        correct_row(s, r * c->columns, c->columns, s->stride * c->dx);
}

static void correct_between_rows(void *context, int first, int last)
{
    const sweep *s = context;
    const fm_cloth *c = s->cloth;
    int k = s->stride, n = c->columns;
    double rest = k * c->dy, diagonal = k * hypot(c->dx, c->dy);
    for (int r = first; r < last && r + k < c->rows; r++) {
        if (r / k % 2 != s->parity)
            continue;
        int a = r * n, b = (r + k) * n;
        correct(n, run_at(c, a), run_at(c, b), rest, &s->limit);
        if (!c->def.enforcement.shear || k >= n)
            continue;
        correct(n - k, run_at(c, a), run_at(c, b + k), diagonal, &s->limit);
        correct(n - k, run_at(c, a + k), run_at(c, b), diagonal, &s->limit);
    }
}

// Every edge over `stride` cells once.
static void correct_sheet(fm_cloth *c, fm_pool *pool, int stride)
{
    sweep s = {c, find_limits(&c->def.enforcement, c->def.enforcement.compression && stride == 1),
               stride, 0};
    for (s.parity = 0; s.parity < 2; s.parity++)
        fm_parallel_for(pool, c->rows, c->row_block, correct_along_rows, &s);
    for (s.parity = 0; s.parity < 2; s.parity++)
        fm_parallel_for(pool, c->rows, c->row_block, correct_between_rows, &s);
}

// The second ends of n edges that have no particle in common.
FM_SIMD_CLONES
static void correct_second_ends(int n, const int *restrict a, const int *restrict b,
                                const double *restrict rest, const limits *restrict limit,
                                double *restrict x, double *restrict y, double *restrict z)
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double dx = x[b[i]] - x[a[i]], dy = y[b[i]] - y[a[i]], dz = z[b[i]] - z[a[i]];
        double l = sqrt(dx * dx + dy * dy + dz * dz), r = rest[i];
        double lack = l > r * limit->longest ? l - r * limit->long_target : 0;
        lack = l < r * limit->shortest ? l - r * limit->short_target : lack;
        double e = lack / (l + 1e-200);
        x[b[i]] -= e * dx, y[b[i]] -= e * dy, z[b[i]] -= e * dz;
    }
}

// Both ends of n edges that have no particle in common.
FM_SIMD_CLONES
static void correct_pairs(int n, const int *restrict a, const int *restrict b,
                          const double *restrict rest, const double *restrict m,
                          const limits *restrict limit, double *restrict x, double *restrict y,
                          double *restrict z)
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
        int p = a[i], q = b[i];
        double dx = x[q] - x[p], dy = y[q] - y[p], dz = z[q] - z[p];
        double l = sqrt(dx * dx + dy * dy + dz * dz), r = rest[i];
        double lack = l > r * limit->longest ? l - r * limit->long_target : 0;
        lack = l < r * limit->shortest ? l - r * limit->short_target : lack;
        double e = lack / ((l + 1e-200) * (m[p] + m[q] + 1e-200));
        x[p] += m[p] * e * dx, y[p] += m[p] * e * dy, z[p] += m[p] * e * dz;
        x[q] -= m[q] * e * dx, y[q] -= m[q] * e * dy, z[q] -= m[q] * e * dz;
    }
}

typedef struct rung {
    fm_cloth *cloth;
    const fm_pairs *pairs;
    limits limit;
    int start; // of the group
} rung;

static void correct_pair_range(void *context, int first, int last)
{
    const rung *r = context;
    const fm_cloth *c = r->cloth;
    int at = r->start + first;
    correct_pairs(last - first, r->pairs->a + at, r->pairs->b + at, r->pairs->rest + at,
                  c->enforcer->mobility, &r->limit, c->x.x, c->x.y, c->x.z);
}

static void correct_rung(fm_cloth *c, fm_pool *pool, int n)
{
    rung r = {c, &c->enforcer->rungs[n],
              find_limits(&c->def.enforcement, c->def.enforcement.compression && n == 0), 0};
    for (int g = 0; g < r.pairs->group_count; g++) {
        r.start = r.pairs->group[g];
        fm_parallel_for(pool, r.pairs->group[g + 1] - r.start, PAIR_BLOCK, correct_pair_range, &r);
    }
}

// Every edge over 2^n cells once.
static void correct_edges(fm_cloth *c, fm_pool *pool, int n)
{
    if (c->kind == FM_CLOTH_SHEET)
        correct_sheet(c, pool, 1 << n);
    else
        correct_rung(c, pool, n);
}

static void correct_list(fm_cloth *c, const fm_pairs *list)
{
    limits limit = find_limits(&c->def.enforcement, c->def.enforcement.compression);
    for (int g = 0; g < list->group_count; g++) {
        int first = list->group[g], n = list->group[g + 1] - first;
        correct_second_ends(n, list->a + first, list->b + first, list->rest + first, &limit, c->x.x,
                            c->x.y, c->x.z);
    }
}

// Onto the sphere around the anchor, for what is outside of it.
FM_SIMD_CLONES
static void pull_within_reach(int n, const int *restrict anchor, const double *restrict reach,
                              double longest, const double *restrict m, const double *restrict ax,
                              const double *restrict ay, const double *restrict az,
                              double *restrict x, double *restrict y, double *restrict z)
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
        int j = anchor[i];
        double dx = x[i] - ax[j], dy = y[i] - ay[j], dz = z[i] - az[j];
        double l = sqrt(dx * dx + dy * dy + dz * dz), r = longest * reach[i];
        double e = l > r && m[i] > 0 ? (l - r) / l : 0;
        x[i] -= e * dx, y[i] -= e * dy, z[i] -= e * dz;
    }
}

static void pull_range(void *context, int first, int last)
{
    fm_cloth *c = context;
    const fm_correction_map *map = &c->enforcer->maps[c->enforcer->current];
    double longest = 1 + c->def.enforcement.threshold;
    for (int k = 0; k < FM_TETHERS; k++) {
        size_t at = (size_t)k * c->lanes + first;
        pull_within_reach(last - first, map->anchor + at, map->reach + at, longest,
                          c->enforcer->mobility + first, c->drag_known.x, c->drag_known.y,
                          c->drag_known.z, c->x.x + first, c->x.y + first, c->x.z + first);
    }
}

static void correct_all(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    fm_enforcer *e = c->enforcer;
    fm_pool *pool = s->around->pool;
    for (int n = 0; n < c->def.enforcement.iterations; n++) {
        switch (c->def.enforcement.method) {
        case FM_ENFORCE_NONE:
            break;
        case FM_ENFORCE_ITERATIVE:
            correct_edges(c, pool, 0);
            break;
        case FM_ENFORCE_PUBLISHED:
            correct_list(c, &e->maps[e->current].list);
            break;
        case FM_ENFORCE_DIRECTIONAL: // anchors where they are now; that scratch is free here
            memcpy(c->drag_known.x, c->x.x, 3 * (size_t)c->lanes * sizeof(double));
            fm_parallel_for(pool, c->lanes, FM_FLAT_BLOCK, pull_range, c);
            for (int k = e->strides - 1; k >= 0; k--)
                correct_edges(c, pool, k);
            break;
        }
    }
}

static void set_mobilities(fm_substep *s)
{
    const fm_cloth *c = s->cloth;
    for (int i = 0; i < c->count && c->inertia != c->mass; i++) // a medium changes it all the time
        c->enforcer->mobility[i] = 1 / c->inertia[i];
    for (int p = 0; p < c->pinned_count; p++) {
        int i = c->pinned[p];
        c->enforcer->mobility[i] = fm_cloth_is_held(c, i, s->end) ? 0 : 1 / c->inertia[i];
    }
}

static double distance_to(const fm_placed_collider *placed, const fm_cloth *c, int i,
                          fm_vec3 *normal)
{
    fm_contact contact = fm_collider_contact(placed, (fm_vec3){c->x.x[i], c->x.y[i], c->x.z[i]});
    *normal = contact.normal;
    return contact.distance;
}

// Whether a particle that touches lies on something: what leans against a wall slides down it, and
// nothing hangs on it.
static bool is_borne(const fm_surroundings *around, const fm_cloth *c, int i, double margin)
{
    double gravity = fm_length(around->gravity);
    for (int k = 0; k < around->collider_count; k++) {
        fm_vec3 normal;
        // a little more than the margin: those that were moved out to it
        if (distance_to(&around->placed[k], c, i, &normal) < 1.5 * margin + 1e-9 &&
            fm_dot(normal, around->gravity) <= -0.5 * gravity)
            return true;
    }
    return false;
}

// Which particles count as fixed at time t.
static void find_fixed(fm_cloth *c, const fm_surroundings *around, double t, double margin)
{
    for (int i = 0; i < c->count; i++) {
        bool contact = c->def.enforcement.contacts && c->touch[i];
        c->enforcer->fixed[i] =
            fm_cloth_is_held(c, i, t) || (contact && is_borne(around, c, i, margin));
    }
}

// A pin that lets go counts at once, contacts when enough of them have changed: they come and go.
static bool has_changed(const fm_cloth *c, const fm_correction_map *map)
{
    int changed = 0;
    const unsigned char *now = c->enforcer->fixed;
    for (int p = 0; p < c->pinned_count; p++) {
        if (!now[c->pinned[p]] && map->fixed[c->pinned[p]])
            return true;
    }
    for (int i = 0; i < c->count; i++)
        changed += now[i] != map->fixed[i];
    return changed > c->def.enforcement.recompute * map->fixed_count + 0.002 * c->count;
}

// Unit vector along weight, buoyancy and drag of the whole cloth; zero if there is none.
static fm_vec3 find_direction(fm_cloth *c, const fm_surroundings *around)
{
    fm_vec3 sum = {0};
    fm_drag_step drag = fm_drag_prepare(c, around, 0, 0);
    double *force = c->known.x; // free between substeps
    bool follow = c->def.enforcement.direction == FM_ALONG_FORCE;
    if (follow)
        fm_drag_force_per_area(c, around, force);
    for (int i = 0; i < c->count; i++) {
        double weight = follow ? c->mass[i] - c->area[i] * drag.displaced : c->mass[i];
        sum = fm_add_scaled(sum, around->gravity, weight);
        if (follow)
            sum = fm_add_scaled(sum, (fm_vec3){force[3 * i], force[3 * i + 1], force[3 * i + 2]},
                                c->area[i]);
    }
    double length = fm_length(sum);
    return length > 0 ? fm_scale(sum, 1 / length) : (fm_vec3){0};
}

static void make_map(fm_cloth *c, fm_correction_map *map)
{
    double begin = fm_now_ms();
    fm_correction_map_make(c, map, c->enforcer->direction);
    c->enforcer->order_ms += fm_now_ms() - begin;
}

void fm_enforcer_make_maps(fm_cloth *c)
{
    fm_enforcer *e = c->enforcer;
    make_map(c, &e->maps[0]);
    for (int m = 1; m < e->map_count; m++) {
        for (int i = 0; i < c->count; i++)
            e->maps[m].fixed[i] |= fm_cloth_is_held(c, i, 0);
        make_map(c, &e->maps[m]);
    }
}

// Those that contacts switch are made for pins and a direction, which seldom changes.
static void make_first_map(fm_cloth *c, fm_vec3 direction)
{
    fm_enforcer *e = c->enforcer;
    bool same = direction.x == e->direction.x && direction.y == e->direction.y &&
                direction.z == e->direction.z;
    memcpy(e->maps[0].fixed, e->fixed, (size_t)c->count);
    e->direction = direction;
    e->remade_count++;
    if (same)
        make_map(c, &e->maps[0]);
    else
        fm_enforcer_make_maps(c);
}

static void look_again(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    fm_enforcer *e = c->enforcer;
    const fm_enforcement *def = &c->def.enforcement;
    if (def->recompute <= 0 || --e->wait > 0)
        return;
    e->wait = LOOK_AGAIN;
    fm_vec3 direction = e->direction;
    if (def->method == FM_ENFORCE_PUBLISHED && def->direction == FM_ALONG_FORCE)
        direction = find_direction(c, s->around);
    find_fixed(c, s->around, s->end, s->margin);
    if (has_changed(c, &e->maps[0]) || fm_dot(direction, e->direction) < TURNED)
        make_first_map(c, direction);
}

// Whether a collider touches what the map takes for fixed: a thigh touches a skirt at the hip all
// the time, in front of the knee once in a stride.
static bool touches(const fm_substep *s, const fm_collider *collider, const fm_correction_map *map)
{
    const fm_cloth *c = s->cloth;
    for (int k = 0; k < s->around->collider_count; k++) {
        const fm_placed_collider *placed = &s->around->placed[k];
        if (placed->collider != collider)
            continue;
        for (int i = 0; i < c->count; i++) {
            fm_vec3 normal;
            if (map->fixed[i] && c->touch[i] &&
                distance_to(placed, c, i, &normal) < 1.5 * s->margin + 1e-9)
                return true;
        }
    }
    return false;
}

// The first map whose colliders all touch, or the one of pins and contacts.
static void choose_map(fm_substep *s)
{
    fm_enforcer *e = s->cloth->enforcer;
    e->current = 0;
    for (int m = 1; m < e->map_count && e->current == 0; m++) {
        bool all = true;
        for (int k = 0; k < e->maps[m].collider_count && all; k++)
            all = touches(s, e->maps[m].colliders[k], &e->maps[m]);
        if (all)
            e->current = m;
    }
}

// v as the positions went; what the drag memory is told of it is in jump.
static void follow_range(void *context, int first, int last)
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

void fm_substep_enforce(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    double begin = fm_now_ms();
    set_mobilities(s);
    if (c->def.enforcement.method != FM_ENFORCE_ITERATIVE) {
        look_again(s);
        choose_map(s);
    }
    memcpy(c->pair.x, c->x.x, 3 * (size_t)c->lanes * sizeof(double));
    correct_all(s);
    fm_parallel_for(s->around->pool, c->lanes, FM_FLAT_BLOCK, follow_range, s);
    c->enforcer->enforce_ms += fm_now_ms() - begin;
}

void fm_enforcer_take_times(fm_cloth *c, double *enforce_ms, double *order_ms)
{
    fm_enforcer *e = c->enforcer;
    if (!e)
        return;
    *enforce_ms += e->enforce_ms;
    *order_ms += e->order_ms;
    e->enforce_ms = e->order_ms = 0;
}

bool fm_enforcer_setup(fm_cloth *c, fm_error *err)
{
    fm_enforcer *e = fm_arena_alloc(&c->arena, 1, sizeof *e, c->name, err);
    if (!e)
        return false;
    c->enforcer = e;
    e->map_count = 1;
    e->mobility = fm_arena_alloc(&c->arena, (size_t)c->lanes, sizeof(double), c->name, err);
    e->fixed = fm_arena_alloc(&c->arena, (size_t)c->lanes, 1, c->name, err);
    if (!fm_graph_make(c, &e->graph, err) || !fm_front_alloc(c, err) ||
        !fm_correction_map_alloc(c, &e->maps[0], err))
        return false;
    for (int i = 0; i < c->count; i++)
        e->mobility[i] = 1 / c->mass[i];
    if (c->kind != FM_CLOTH_SHEET)
        return fm_ladder_make(c, e, err);
    int span = c->columns > c->rows ? c->columns : c->rows;
    e->strides = 1;
    while (e->strides < COARSEST && 1 << (e->strides + 1) < span)
        e->strides++;
    return true;
}

void fm_enforcer_start(fm_cloth *c, const fm_surroundings *around)
{
    fm_enforcer *e = c->enforcer;
    for (int i = 0; i < c->count; i++)
        e->maps[0].fixed[i] = e->fixed[i] = fm_cloth_is_held(c, i, c->time);
    e->direction = find_direction(c, around);
    e->remade_count++;
    fm_enforcer_make_maps(c);
    e->wait = LOOK_AGAIN;
}

bool fm_cloth_add_map(fm_cloth *c, const fm_collider *const *colliders, int collider_count,
                      const int *particles, int particle_count, fm_error *err)
{
    assert(err->status != FM_OK || c);
    if (err->status != FM_OK)
        return false;
    fm_enforcer *e = c->enforcer;
    if (!e || c->def.enforcement.method == FM_ENFORCE_ITERATIVE)
        return fm_fail_number(err, c->name, "map", c->def.enforcement.method,
                              "directional or published enforcement");
    if (c->started)
        return fm_fail_number(err, c->name, "map", c->time, "made before the first advance");
    if (e->map_count == FM_MAPS_MAX)
        return fm_fail_number(err, c->name, "maps", e->map_count, "at most 8");
    if (collider_count < 1 || collider_count > FM_MAP_COLLIDERS)
        return fm_fail_number(err, c->name, "map colliders", collider_count, "1 to 8");
    fm_correction_map *map = &e->maps[e->map_count];
    if (!fm_correction_map_alloc(c, map, err))
        return false;
    for (int i = 0; i < particle_count; i++) {
        if (particles[i] < 0 || particles[i] >= c->count)
            return fm_fail_number(err, c->name, "map particle", particles[i],
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

int fm_cloth_correction_count(const fm_cloth *c)
{
    assert(c);
    const fm_enforcer *e = c->enforcer;
    if (!e)
        return 0;
    if (c->def.enforcement.method == FM_ENFORCE_PUBLISHED)
        return e->maps[e->current].list.count;
    int count = 0;
    for (int n = 0; n < (c->def.enforcement.method == FM_ENFORCE_ITERATIVE ? 1 : e->strides); n++) {
        if (c->kind != FM_CLOTH_SHEET) {
            count += e->rungs[n].count;
            continue;
        }
        int k = 1 << n, across = c->columns > k ? c->columns - k : 0;
        int down = c->rows > k ? c->rows - k : 0;
        count += across * c->rows + down * c->columns +
                 (c->def.enforcement.shear ? 2 * across * down : 0);
    }
    for (int i = 0; i < FM_TETHERS * c->lanes; i++)
        count += c->def.enforcement.method == FM_ENFORCE_DIRECTIONAL &&
                 isfinite(e->maps[e->current].reach[i]);
    return count;
}
