// SPDX-License-Identifier: MIT
// enforce.c: edges that do not stretch, whatever the springs can do at the substep taken.
//
// After the drift, positions are corrected edge by edge. For an edge of length l and rest length r
// between particles a and b of mobility m (1/mass, 0 for what pins hold), past the threshold s,
//
//     e = (l - r') / l / (m_a + m_b),   x_a += m_a e (x_b - x_a),   x_b -= m_b e (x_b - x_a)
//
// with r' = r, or (1 + s) r when the target is the threshold. In a medium that lends mass along the
// normal n, m is a matrix, M^-1 = m (1 - n n^T) + m_n n n^T of the effective mass (drag.c), and the
// edge is corrected in its metric, x_a += M_a^-1 e (x_b - x_a): with the cloth's mass alone, what
// turns the sheet would move the water for nothing and feed energy in. Then v += (x - x_before) / h,
// which is what Verlet's positions would do by themselves.
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
// Compression. Cloth buckles long before its yarns give way, and a grid cannot buckle within a
// cell: the softened springs would let edges collapse and the cloth would lose its area. Edges that
// are too short are therefore lengthened along with those that are too long, by no more than
// MOST_LONGER of their rest length a pass: what has collapsed in a crumple opens in a few substeps
// instead of bursting open in one. Reaches and a last pass over the edges then only shorten.
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

#include <math.h>
#include <string.h>

enum {
    LOOK_AGAIN = 8,    // substeps between looks at what is fixed
    COARSEST = 6,      // strides up to 32 cells
    PAIR_BLOCK = 4096, // pairs that one task does
};

// Times its mobility across the normal that a particle's along it is less, at most. An edge along
// the normals of its ends is corrected by moving the ends sideways, half the root of this times as
// far as the edge is too long. Tried 3, 10, 30, 100 and no limit on crumpling sheets, tubes and
// meshes of all materials: below 30 energy still grows, above it stretch does.
static const double MOST_CHANGE = 30;

// Most that a compressed edge is lengthened by a pass, in rest lengths. Tried 0.02, 0.03, 0.05, 0.1
// and no limit on the same sheets, tubes and meshes: from 0.03 on energy grows, and stretch with it.
static const double MOST_LONGER = 0.02;

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

// Particles as the corrections see them: positions, and mobilities as M^-1 in the file's head.
typedef struct points {
    double *x, *y, *z;
    const double *m;            // 1/kg, across the normal
    const double *d;            // 1/kg, along the normal less across it: 0 or less
    const double *nx, *ny, *nz; // normals
} points;

static points points_of(const fm_cloth *c)
{
    return (points){
        c->x.x,      c->x.y,      c->x.z,     c->enforcer->mobility, c->enforcer->mobility_change,
        c->normal.x, c->normal.y, c->normal.z};
}

// One edge between particles i and j. oriented is known when this is compiled in.
FM_INLINE void correct_edge(const points *p, int i, int j, double rest, const limits *limit,
                            bool oriented)
{
    double *x = p->x, *y = p->y, *z = p->z;
    double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
    double l = sqrt(dx * dx + dy * dy + dz * dz), mi = p->m[i], mj = p->m[j];
    double lack = l > rest * limit->longest ? l - rest * limit->long_target : 0;
    double less = l - rest * limit->short_target, least = -MOST_LONGER * rest;
    lack = l < rest * limit->shortest ? (less < least ? least : less) : lack;
    if (!oriented) {
        double e = lack / ((l + 1e-200) * (mi + mj + 1e-200));
        double a = e * mi, b = e * mj;
        x[i] += a * dx, y[i] += a * dy, z[i] += a * dz;
        x[j] -= b * dx, y[j] -= b * dy, z[j] -= b * dz;
        return;
    }
    double nix = p->nx[i], niy = p->ny[i], niz = p->nz[i];
    double njx = p->nx[j], njy = p->ny[j], njz = p->nz[j];
    double qi = nix * dx + niy * dy + niz * dz, qj = njx * dx + njy * dy + njz * dz;
    double si = p->d[i] * qi, sj = p->d[j] * qj;
    double mobility = mi + mj + (si * qi + sj * qj) / (l * l + 1e-200);
    double e = lack / ((l + 1e-200) * (mobility + 1e-200));
    x[i] += e * (mi * dx + si * nix), y[i] += e * (mi * dy + si * niy);
    z[i] += e * (mi * dz + si * niz);
    x[j] -= e * (mj * dx + sj * njx), y[j] -= e * (mj * dy + sj * njy);
    z[j] -= e * (mj * dz + sj * njz);
}

// `blocks` blocks of two runs of k particles, from particle `first` on: each particle of the first
// run with the one k further. k is known when this is compiled in.
FM_INLINE void correct_blocks(const points *p, int first, int blocks, int k, double rest,
                              const limits *limit, bool oriented)
{
    limits local = *limit;
    points q = *p;
#pragma omp simd
    for (int b = 0; b < blocks; b++) {
        for (int i = 0; i < k; i++)
            correct_edge(&q, first + 2 * k * b + i, first + 2 * k * b + i + k, rest, &local,
                         oriented);
    }
}

// n edges of one rest length, from the particles a, a + 1, ... to b, b + 1, ...
FM_INLINE void correct_run(const points *p, int n, int a, int b, double rest, const limits *limit,
                           bool oriented)
{
    limits local = *limit;
    points q = *p;
#pragma omp simd
    for (int i = 0; i < n; i++)
        correct_edge(&q, a + i, b + i, rest, &local, oriented);
}

// n edges that have no particle in common.
FM_INLINE void correct_list_of_pairs(const points *p, int n, const int *a, const int *b,
                                     const double *rest, const limits *limit, bool oriented)
{
    limits local = *limit;
    points q = *p;
#pragma omp simd
    for (int i = 0; i < n; i++)
        correct_edge(&q, a[i], b[i], rest[i], &local, oriented);
}

FM_SIMD_CLONES
static void correct_short_runs(const points *p, int first, int blocks, int k, double rest,
                               const limits *limit, bool oriented)
{
    if (oriented) {
        if (k == 1)
            correct_blocks(p, first, blocks, 1, rest, limit, true);
        else if (k == 2)
            correct_blocks(p, first, blocks, 2, rest, limit, true);
        else
            correct_blocks(p, first, blocks, 4, rest, limit, true);
    } else if (k == 1) {
        correct_blocks(p, first, blocks, 1, rest, limit, false);
    } else if (k == 2) {
        correct_blocks(p, first, blocks, 2, rest, limit, false);
    } else {
        correct_blocks(p, first, blocks, 4, rest, limit, false);
    }
}

FM_SIMD_CLONES
static void correct_runs(const points *p, int n, int a, int b, double rest, const limits *limit,
                         bool oriented)
{
    if (oriented)
        correct_run(p, n, a, b, rest, limit, true);
    else
        correct_run(p, n, a, b, rest, limit, false);
}

FM_SIMD_CLONES
static void correct_pairs(const points *p, int n, const int *a, const int *b, const double *rest,
                          const limits *limit, bool oriented)
{
    if (oriented)
        correct_list_of_pairs(p, n, a, b, rest, limit, true);
    else
        correct_list_of_pairs(p, n, a, b, rest, limit, false);
}

static void correct(const fm_cloth *c, int n, int a, int b, double rest, const limits *limit)
{
    points p = points_of(c);
    correct_runs(&p, n, a, b, rest, limit, c->enforcer->oriented);
}

typedef struct sweep {
    fm_cloth *cloth;
    limits limit;
    int stride, parity;
} sweep;

static void correct_row(const sweep *s, int row, int columns, double rest)
{
    const fm_cloth *c = s->cloth;
    int k = s->stride, first = s->parity * k, blocks = (columns - first) / (2 * k);
    points p = points_of(c);
    if (blocks < 0)
        return;
    if (k < 8) // runs too short to be worth a call each
        correct_short_runs(&p, row + first, blocks, k, rest, &s->limit, c->enforcer->oriented);
    for (int b = k < 8 ? blocks : 0; b <= blocks; b++) { // the last one may be cut short
        int at = first + 2 * k * b, left = columns - k - at, n = left < k ? left : k;
        if (n > 0)
            correct(c, n, row + at, row + at + k, rest, &s->limit);
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
        correct(c, n, a, b, rest, &s->limit);
        if (!c->def.enforcement.shear || k >= n)
            continue;
        correct(c, n - k, a, b + k, diagonal, &s->limit);
        correct(c, n - k, a + k, b, diagonal, &s->limit);
    }
}

// Every edge over `stride` cells once.
static void correct_sheet(fm_cloth *c, fm_pool *pool, int stride, const limits *limit)
{
    sweep s = {c, *limit, stride, 0};
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
    points p = points_of(c);
    correct_pairs(&p, last - first, r->pairs->a + at, r->pairs->b + at, r->pairs->rest + at,
                  &r->limit, c->enforcer->oriented);
}

static void correct_rung(fm_cloth *c, fm_pool *pool, int n, const limits *limit)
{
    rung r = {c, &c->enforcer->rungs[n], *limit, 0};
    for (int g = 0; g < r.pairs->group_count; g++) {
        r.start = r.pairs->group[g];
        fm_parallel_for(pool, r.pairs->group[g + 1] - r.start, PAIR_BLOCK, correct_pair_range, &r);
    }
}

// Every edge over 2^n cells once.
static void correct_edges(fm_cloth *c, fm_pool *pool, int n, bool compression)
{
    limits limit = find_limits(&c->def.enforcement, compression);
    if (c->kind == FM_CLOTH_SHEET)
        correct_sheet(c, pool, 1 << n, &limit);
    else
        correct_rung(c, pool, n, &limit);
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

// Onto the sphere around the anchor, which is at (ax, ay, az), for what is outside of it. The move
// is along M^-1 of the way there, as in correct_edge: d = 0 without axes.
FM_SIMD_CLONES
static void pull_within_reach(int n, const int *restrict anchor, const double *restrict reach,
                              double longest, const points *restrict p, const double *restrict ax,
                              const double *restrict ay, const double *restrict az)
{
    double *x = p->x, *y = p->y, *z = p->z;
    const double *m = p->m, *d = p->d, *nx = p->nx, *ny = p->ny, *nz = p->nz;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        int j = anchor[i];
        double dx = x[i] - ax[j], dy = y[i] - ay[j], dz = z[i] - az[j];
        double l = sqrt(dx * dx + dy * dy + dz * dz), r = longest * reach[i];
        double q = nx[i] * dx + ny[i] * dy + nz[i] * dz, s = d[i] * q;
        double e = l > r && m[i] > 0 ? (l - r) / (l * (m[i] + s * q / (l * l))) : 0;
        x[i] -= e * (m[i] * dx + s * nx[i]), y[i] -= e * (m[i] * dy + s * ny[i]);
        z[i] -= e * (m[i] * dz + s * nz[i]);
    }
}

static void pull_range(void *context, int first, int last)
{
    fm_cloth *c = context;
    const fm_correction_map *map = &c->enforcer->maps[c->enforcer->current];
    double longest = 1 + c->def.enforcement.threshold;
    points all = points_of(c);
    points p = {all.x + first, all.y + first,  all.z + first,  all.m + first,
                all.d + first, all.nx + first, all.ny + first, all.nz + first};
    for (int k = 0; k < FM_TETHERS; k++) {
        size_t at = (size_t)k * c->lanes + first;
        pull_within_reach(last - first, map->anchor + at, map->reach + at, longest, &p,
                          c->drag_known.x, c->drag_known.y, c->drag_known.z);
    }
}

// Anchors are where they are now; that scratch is free here.
static void pull_all_within_reach(fm_cloth *c, fm_pool *pool)
{
    memcpy(c->drag_known.x, c->x.x, 3 * (size_t)c->lanes * sizeof(double));
    fm_parallel_for(pool, c->lanes, FM_FLAT_BLOCK, pull_range, c);
}

// Stretch has the last word.
static void correct_stretch_again(fm_cloth *c, fm_pool *pool)
{
    if (c->def.enforcement.method == FM_ENFORCE_DIRECTIONAL)
        pull_all_within_reach(c, pool);
    correct_edges(c, pool, 0, false);
}

static void correct_all(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    fm_enforcer *e = c->enforcer;
    fm_pool *pool = s->around->pool;
    const fm_enforcement *def = &c->def.enforcement;
    for (int n = 0; n < def->iterations; n++) {
        switch (def->method) {
        case FM_ENFORCE_NONE:
            break;
        case FM_ENFORCE_ITERATIVE:
            correct_edges(c, pool, 0, def->compression);
            break;
        case FM_ENFORCE_PUBLISHED:
            correct_list(c, &e->maps[e->current].list);
            break;
        case FM_ENFORCE_DIRECTIONAL:
            pull_all_within_reach(c, pool);
            for (int k = e->strides - 1; k >= 0; k--)
                correct_edges(c, pool, k, def->compression && k == 0);
            break;
        }
    }
    if (def->compression && def->method != FM_ENFORCE_PUBLISHED)
        correct_stretch_again(c, pool);
}

static void set_mobility(const fm_cloth *c, const fm_drag_step *drag, int i)
{
    fm_effective_mass m = fm_drag_effective_mass(c, drag, i);
    double across = 1 / m.across;
    c->enforcer->mobility[i] = across;
    c->enforcer->mobility_change[i] = fmax(1 / m.along, across / MOST_CHANGE) - across;
}

// From the masses of this substep: a medium changes them all the time.
static void set_mobilities(fm_substep *s)
{
    const fm_cloth *c = s->cloth;
    fm_enforcer *e = c->enforcer;
    bool lent = fm_drag_lends_mass(&s->drag);
    for (int i = 0; i < c->count && (lent || e->oriented || c->inertia != c->mass); i++)
        set_mobility(c, &s->drag, i);
    e->oriented = lent;
    for (int p = 0; p < c->pinned_count; p++) {
        int i = c->pinned[p];
        if (fm_cloth_is_held(c, i, s->end))
            e->mobility[i] = e->mobility_change[i] = 0;
        else
            set_mobility(c, &s->drag, i);
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
    e->mobility_change = fm_arena_alloc(&c->arena, (size_t)c->lanes, sizeof(double), c->name, err);
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
    return c->enforcer ? c->enforcer->current : 0;
}

int fm_cloth_correction_count(const fm_cloth *c)
{
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
