// SPDX-License-Identifier: MIT
// features.c: closest points of a vertex and a triangle or of two edges, and their time of impact.
//
// Time of impact by additive conservative advancement [LKJ21]: with p(t) = from + t (to - from)
//
//     t <- t + s (d(t) - least) / L      until d(t) - least < (least or d(0) - least) / 10
//
// L bounds how fast the distance can shrink: the largest speed of a point of the first feature plus
// that of the second, after a common translation is taken away. No step passes a contact, whatever
// the geometry: parallel edges and coplanar motion need no case of their own.
//
//   d  distance, m    least  separation to keep, m    s = 0.9 share of the safe way taken at once
//
// [LKJ21] Li, Kaufman, Jiang: Codimensional incremental potential contact. TOG 40(4), 2021, sec. 5.
#include "collide/contact.h"
#include "core/simd.h"

#include <assert.h>
#include <float.h>

static const double SAFE_SHARE = 0.9;
static const double MET = 0.1; // of the separation to keep: nearer than that above it counts as met
static const double PARALLEL = 1e-12; // squared sine of edges' angle: below, an end is as near
enum { MAX_ADVANCES = 1000 }; // the way halves at least every few; beyond, it counts as a contact

static double clamp_unit(double t)
{
    return t < 0 ? 0 : t > 1 ? 1 : t;
}

// Share of the way to the closest point, clamped; 0 on an edge without length.
static double find_share(double along, double square)
{
    return square > 0 ? clamp_unit(along / square) : 0;
}

// A closest pair under search: gap = r + s a + t b.
typedef struct nearest {
    fm_vec3 r, a, b, gap;
    double s, t, square;
} nearest;

static void try_shares(nearest *best, double s, double t)
{
    fm_vec3 gap = fm_add_scaled(fm_add_scaled(best->r, best->a, s), best->b, t);
    double square = fm_dot(gap, gap);
    if (square >= best->square)
        return;
    best->gap = gap;
    best->s = s, best->t = t, best->square = square;
}

// The foot of the perpendicular when it falls inside the triangle; else the nearest of its sides.
static fm_closest find_vertex_triangle(const fm_vec3 p[4])
{
    fm_vec3 r = fm_sub(p[0], p[1]), a = fm_sub(p[1], p[2]), b = fm_sub(p[1], p[3]);
    nearest best = {.r = r, .a = a, .b = b, .square = INFINITY};
    double aa = fm_dot(a, a), ab = fm_dot(a, b), bb = fm_dot(b, b);
    double ra = -fm_dot(r, a), rb = -fm_dot(r, b), area = aa * bb - ab * ab;
    double s = bb * ra - ab * rb, t = aa * rb - ab * ra;
    if (area > DBL_EPSILON * aa * bb && s >= 0 && t >= 0 && s + t <= area) {
        try_shares(&best, s / area, t / area);
    } else {
        try_shares(&best, find_share(ra, aa), 0);
        try_shares(&best, 0, find_share(rb, bb));
        double u = find_share(aa - ab - ra + rb, aa - 2 * ab + bb);
        try_shares(&best, 1 - u, u);
    }
    s = best.s, t = best.t;
    return (fm_closest){{1, s + t - 1, -s, -t}, best.gap, sqrt(best.square)};
}

// The common perpendicular when it falls inside both edges; else the nearest of the four ends.
static fm_closest find_edge_edge(const fm_vec3 p[4])
{
    fm_vec3 r = fm_sub(p[0], p[2]), a = fm_sub(p[1], p[0]), b = fm_sub(p[2], p[3]);
    nearest best = {.r = r, .a = a, .b = b, .square = INFINITY};
    double aa = fm_dot(a, a), ab = fm_dot(a, b), bb = fm_dot(b, b);
    double ra = -fm_dot(r, a), rb = -fm_dot(r, b), area = aa * bb - ab * ab;
    double s = bb * ra - ab * rb, t = aa * rb - ab * ra;
    if (area > PARALLEL * aa * bb && s >= 0 && s <= area && t >= 0 && t <= area) {
        try_shares(&best, s / area, t / area);
    } else {
        try_shares(&best, 0, find_share(rb, bb));
        try_shares(&best, 1, find_share(rb - ab, bb));
        try_shares(&best, find_share(ra, aa), 0);
        try_shares(&best, find_share(ra - ab, aa), 1);
    }
    s = best.s, t = best.t;
    return (fm_closest){{1 - s, s, t - 1, -t}, best.gap, sqrt(best.square)};
}

fm_closest fm_closest_points(fm_feature_kind kind, const fm_vec3 p[4])
{
    return kind == FM_VERTEX_TRIANGLE ? find_vertex_triangle(p) : find_edge_edge(p);
}

// The same for many pairs, lane by lane and without branches: every candidate is tried, and counts
// where it is one.
static inline double take_share(double along, double square)
{
    double share = along / square;
    share = share > 0 ? share : 0; // no number, too
    return share < 1 ? share : 1;
}

typedef struct batch_lane {
    double rx, ry, rz, ax, ay, az, bx, by, bz;
} batch_lane;

typedef struct products {
    double aa, ab, bb, ra, rb;
} products;

static inline products multiply(const batch_lane *l)
{
    return (products){.aa = l->ax * l->ax + l->ay * l->ay + l->az * l->az,
                      .ab = l->ax * l->bx + l->ay * l->by + l->az * l->bz,
                      .bb = l->bx * l->bx + l->by * l->by + l->bz * l->bz,
                      .ra = -(l->rx * l->ax + l->ry * l->ay + l->rz * l->az),
                      .rb = -(l->rx * l->bx + l->ry * l->by + l->rz * l->bz)};
}

// Squared length of r + s a + t b.
static inline double find_square(const batch_lane *l, double s, double t)
{
    double x = l->rx + s * l->ax + t * l->bx;
    double y = l->ry + s * l->ay + t * l->by;
    double z = l->rz + s * l->az + t * l->bz;
    return x * x + y * y + z * z;
}

static inline void give_lane(fm_closest_batch *batch, int i, const batch_lane *l, double s,
                             double t)
{
    double x = l->rx + s * l->ax + t * l->bx;
    double y = l->ry + s * l->ay + t * l->by;
    double z = l->rz + s * l->az + t * l->bz;
    batch->s[i] = s;
    batch->t[i] = t;
    batch->gap[0][i] = x;
    batch->gap[1][i] = y;
    batch->gap[2][i] = z;
    batch->distance[i] = sqrt(x * x + y * y + z * z);
}

static FM_SIMD_CLONES void close_vertices(fm_closest_batch *batch, int lanes)
{
    double(*p)[3][FM_CLOSEST_BATCH] = batch->p;
#pragma omp simd
    for (int i = 0; i < lanes; i++) {
        batch_lane l = {p[0][0][i] - p[1][0][i], p[0][1][i] - p[1][1][i], p[0][2][i] - p[1][2][i],
                        p[1][0][i] - p[2][0][i], p[1][1][i] - p[2][1][i], p[1][2][i] - p[2][2][i],
                        p[1][0][i] - p[3][0][i], p[1][1][i] - p[3][1][i], p[1][2][i] - p[3][2][i]};
        products m = multiply(&l);
        double aa = m.aa, ab = m.ab, bb = m.bb, ra = m.ra, rb = m.rb;
        double area = aa * bb - ab * ab, s = bb * ra - ab * rb, t = aa * rb - ab * ra;
        bool inside = (area > DBL_EPSILON * aa * bb) & (s >= 0) & (t >= 0) & (s + t <= area);
        double s1 = take_share(ra, aa), t2 = take_share(rb, bb);
        double u = take_share(aa - ab - ra + rb, aa - 2 * ab + bb);
        double d1 = find_square(&l, s1, 0), d2 = find_square(&l, 0, t2);
        double d3 = find_square(&l, 1 - u, u);
        bool second = d2 < d1;
        double best = second ? d2 : d1, bs = second ? 0 : s1, bt = second ? t2 : 0;
        bool third = d3 < best;
        bs = third ? 1 - u : bs;
        bt = third ? u : bt;
        bs = inside ? s / area : bs;
        bt = inside ? t / area : bt;
        give_lane(batch, i, &l, bs, bt);
    }
}

static FM_SIMD_CLONES void close_edges(fm_closest_batch *batch, int lanes)
{
    double(*p)[3][FM_CLOSEST_BATCH] = batch->p;
#pragma omp simd
    for (int i = 0; i < lanes; i++) {
        batch_lane l = {p[0][0][i] - p[2][0][i], p[0][1][i] - p[2][1][i], p[0][2][i] - p[2][2][i],
                        p[1][0][i] - p[0][0][i], p[1][1][i] - p[0][1][i], p[1][2][i] - p[0][2][i],
                        p[2][0][i] - p[3][0][i], p[2][1][i] - p[3][1][i], p[2][2][i] - p[3][2][i]};
        products m = multiply(&l);
        double aa = m.aa, ab = m.ab, bb = m.bb, ra = m.ra, rb = m.rb;
        double area = aa * bb - ab * ab, s = bb * ra - ab * rb, t = aa * rb - ab * ra;
        bool inside = (area > PARALLEL * aa * bb) & (s >= 0) & (s <= area) & (t >= 0) & (t <= area);
        double t0 = take_share(rb, bb), t1 = take_share(rb - ab, bb);
        double s0 = take_share(ra, aa), s1 = take_share(ra - ab, aa);
        double d0 = find_square(&l, 0, t0), d1 = find_square(&l, 1, t1);
        double d2 = find_square(&l, s0, 0), d3 = find_square(&l, s1, 1);
        bool end = d1 < d0, other = d3 < d2;
        double bs = end ? 1 : 0, bt = end ? t1 : t0, best = end ? d1 : d0;
        bool second = (other ? d3 : d2) < best;
        bs = second ? (other ? s1 : s0) : bs;
        bt = second ? (other ? 1 : 0) : bt;
        bs = inside ? s / area : bs;
        bt = inside ? t / area : bt;
        give_lane(batch, i, &l, bs, bt);
    }
}

void fm_closest_points_batch(fm_feature_kind kind, fm_closest_batch *batch, int count)
{
    int lanes = fm_block_count(count, FM_LANES) * FM_LANES; // whole vectors
    if (kind == FM_VERTEX_TRIANGLE)
        close_vertices(batch, lanes);
    else
        close_edges(batch, lanes);
}

// The fastest that the features approach: way per unit time, without what all points share.
static double find_closing_speed(fm_feature_kind kind, const fm_vec3 from[4], const fm_vec3 to[4],
                                 fm_vec3 way[4])
{
    fm_vec3 mean = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        way[i] = fm_sub(to[i], from[i]);
        mean = fm_add_scaled(mean, way[i], 0.25);
    }
    double fastest[2] = {0, 0};
    int first_count = kind == FM_VERTEX_TRIANGLE ? 1 : 2;
    for (int i = 0; i < 4; i++) {
        double speed = fm_length(fm_sub(way[i], mean));
        fastest[i >= first_count] = fm_larger(fastest[i >= first_count], speed);
    }
    return fastest[0] + fastest[1];
}

double fm_time_of_impact(fm_feature_kind kind, const fm_vec3 from[4], const fm_vec3 to[4],
                         double least)
{
    fm_vec3 way[4], p[4];
    double speed = find_closing_speed(kind, from, to, way);
    double room = fm_closest_points(kind, from).distance - least;
    if (room > speed)
        return 2;
    if (!(room > 0))
        return 0;
    double enough = fm_smaller((1 - SAFE_SHARE) * room, MET * least), t = 0;
    for (int advance = 0; advance < MAX_ADVANCES; advance++) {
        t += SAFE_SHARE * room / speed;
        if (t >= 1)
            return 2;
        for (int i = 0; i < 4; i++)
            p[i] = fm_add_scaled(from[i], way[i], t);
        room = fm_closest_points(kind, p).distance - least;
        if (room <= enough)
            break;
    }
    return t;
}
