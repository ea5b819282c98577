// SPDX-License-Identifier: MIT
// feature_distance.c: closest points and distance of a pair of features: a vertex and a triangle,
// or two edges. Batches of pairs are computed in SIMD lanes.
#include "collide/contact.h"
#include "core/simd.h"

#include <assert.h>
#include <float.h>

// squared sine of the angle between two edges; below it they count as parallel, and the closest
// points are sought at their ends
static const double PARALLEL = 1e-12;

// The value limited to [0, 1].
static double clamp_unit(double t)
{
    return t < 0 ? 0 : t > 1 ? 1 : t;
}

// Parameter of the closest point on an edge, clamped to [0, 1]; 0 on an edge of zero length. along:
// dot product of the edge and the vector to the point; square: squared length of the edge.
static double find_parameter(double along, double square)
{
    return square > 0 ? clamp_unit(along / square) : 0;
}

// The closest points of two features found so far: the vector between them is gap = r + s a + t b,
// its squared length `square`.
typedef struct nearest {
    fm_vec3 r, a, b, gap; // m
    double s, t, square;
} nearest;

// Takes over the parameters s and t if their points are closer than the best so far.
static void try_parameters(nearest *best, double s, double t)
{
    fm_vec3 gap = fm_add_scaled(fm_add_scaled(best->r, best->a, s), best->b, t);
    double square = fm_dot(gap, gap);
    if (square >= best->square)
        return;
    best->gap = gap;
    best->s = s, best->t = t, best->square = square;
}

// Closest points of the vertex p[0] and the triangle p[1] p[2] p[3]: the foot of the perpendicular
// if it falls inside the triangle, otherwise the nearest point of the three sides. aa, ab, bb, ra,
// rb: dot products a.a, a.b, b.b, -r.a, -r.b; det: their determinant aa bb - ab^2; s, t: parameters
// of the foot, times det.
static fm_closest find_closest_vertex_triangle(const fm_vec3 p[4])
{
    fm_vec3 r = fm_sub(p[0], p[1]), a = fm_sub(p[1], p[2]), b = fm_sub(p[1], p[3]);
    nearest best = {.r = r, .a = a, .b = b, .square = INFINITY};
    double aa = fm_dot(a, a), ab = fm_dot(a, b), bb = fm_dot(b, b);
    double ra = -fm_dot(r, a), rb = -fm_dot(r, b), det = aa * bb - ab * ab;
    double s = bb * ra - ab * rb, t = aa * rb - ab * ra;
    if (det > DBL_EPSILON * aa * bb && s >= 0 && t >= 0 && s + t <= det) {
        try_parameters(&best, s / det, t / det);
    } else {
        try_parameters(&best, find_parameter(ra, aa), 0);
        try_parameters(&best, 0, find_parameter(rb, bb));
        double u = find_parameter(aa - ab - ra + rb, aa - 2 * ab + bb);
        try_parameters(&best, 1 - u, u);
    }
    s = best.s, t = best.t;
    return (fm_closest){{1, s + t - 1, -s, -t}, best.gap, sqrt(best.square)};
}

// Closest points of the edges p[0] p[1] and p[2] p[3]: the feet of the common perpendicular if they
// fall inside both edges, otherwise the nearest of the four ends and its closest point on the other
// edge. aa, ab, bb, ra, rb, det, s, t: as in find_closest_vertex_triangle.
static fm_closest find_closest_edge_edge(const fm_vec3 p[4])
{
    fm_vec3 r = fm_sub(p[0], p[2]), a = fm_sub(p[1], p[0]), b = fm_sub(p[2], p[3]);
    nearest best = {.r = r, .a = a, .b = b, .square = INFINITY};
    double aa = fm_dot(a, a), ab = fm_dot(a, b), bb = fm_dot(b, b);
    double ra = -fm_dot(r, a), rb = -fm_dot(r, b), det = aa * bb - ab * ab;
    double s = bb * ra - ab * rb, t = aa * rb - ab * ra;
    if (det > PARALLEL * aa * bb && s >= 0 && s <= det && t >= 0 && t <= det) {
        try_parameters(&best, s / det, t / det);
    } else {
        try_parameters(&best, 0, find_parameter(rb, bb));
        try_parameters(&best, 1, find_parameter(rb - ab, bb));
        try_parameters(&best, find_parameter(ra, aa), 0);
        try_parameters(&best, find_parameter(ra - ab, aa), 1);
    }
    s = best.s, t = best.t;
    return (fm_closest){{1 - s, s, t - 1, -t}, best.gap, sqrt(best.square)};
}

// Closest points of a vertex and a triangle, or of two edges, with the corners p.
fm_closest fm_feature_find_closest(fm_feature_kind kind, const fm_vec3 p[4])
{
    return kind == FM_VERTEX_TRIANGLE ? find_closest_vertex_triangle(p) : find_closest_edge_edge(p);
}

// As find_parameter, without branches, for SIMD code that evaluates all cases in every lane and
// selects the valid one.
static inline double clamp_quotient(double along, double square)
{
    double parameter = along / square;
    parameter = parameter > 0 ? parameter : 0; // also maps NaN, from an edge of zero length, to 0
    return parameter < 1 ? parameter : 1;
}

// Vectors of the feature pair in one SIMD lane: the vector between points is r + s a + t b.
typedef struct batch_lane {
    double rx, ry, rz, ax, ay, az, bx, by, bz;
} batch_lane;

// Dot products of the vectors of a feature pair: a.a, a.b, b.b, -r.a, -r.b.
typedef struct products {
    double aa, ab, bb, ra, rb;
} products;

// The dot products a.a, a.b, b.b, -r.a and -r.b of a feature pair.
static inline products find_products(const batch_lane *l)
{
    return (products){.aa = l->ax * l->ax + l->ay * l->ay + l->az * l->az,
                      .ab = l->ax * l->bx + l->ay * l->by + l->az * l->bz,
                      .bb = l->bx * l->bx + l->by * l->by + l->bz * l->bz,
                      .ra = -(l->rx * l->ax + l->ry * l->ay + l->rz * l->az),
                      .rb = -(l->rx * l->bx + l->ry * l->by + l->rz * l->bz)};
}

// Squared length of the vector r + s a + t b between two points of the features.
static inline double find_squared_gap(const batch_lane *l, double s, double t)
{
    double x = l->rx + s * l->ax + t * l->bx;
    double y = l->ry + s * l->ay + t * l->by;
    double z = l->rz + s * l->az + t * l->bz;
    return x * x + y * y + z * z;
}

// Stores parameters, vector and distance of the closest points of lane i.
static inline void store_lane(fm_closest_batch *batch, int i, const batch_lane *l, double s,
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

// As find_closest_vertex_triangle, and with its symbols, for the pairs in all lanes of a batch.
static FM_SIMD_CLONES void find_batch_vertex_triangle(fm_closest_batch *batch, int lanes)
{
    double(*p)[3][FM_CLOSEST_BATCH] = batch->p;
#pragma omp simd
    for (int i = 0; i < lanes; i++) {
        batch_lane l = {p[0][0][i] - p[1][0][i], p[0][1][i] - p[1][1][i], p[0][2][i] - p[1][2][i],
                        p[1][0][i] - p[2][0][i], p[1][1][i] - p[2][1][i], p[1][2][i] - p[2][2][i],
                        p[1][0][i] - p[3][0][i], p[1][1][i] - p[3][1][i], p[1][2][i] - p[3][2][i]};
        products m = find_products(&l);
        double aa = m.aa, ab = m.ab, bb = m.bb, ra = m.ra, rb = m.rb;
        double det = aa * bb - ab * ab, s = bb * ra - ab * rb, t = aa * rb - ab * ra;
        bool inside = (det > DBL_EPSILON * aa * bb) & (s >= 0) & (t >= 0) & (s + t <= det);
        double s1 = clamp_quotient(ra, aa), t2 = clamp_quotient(rb, bb);
        double u = clamp_quotient(aa - ab - ra + rb, aa - 2 * ab + bb);
        double d1 = find_squared_gap(&l, s1, 0), d2 = find_squared_gap(&l, 0, t2);
        double d3 = find_squared_gap(&l, 1 - u, u);
        // d1, d2, d3: squared distances from the three sides; (bs, bt): parameters of the nearest
        bool second = d2 < d1;
        double best = second ? d2 : d1, bs = second ? 0 : s1, bt = second ? t2 : 0;
        bool third = d3 < best;
        bs = third ? 1 - u : bs;
        bt = third ? u : bt;
        bs = inside ? s / det : bs;
        bt = inside ? t / det : bt;
        store_lane(batch, i, &l, bs, bt);
    }
}

// As find_closest_edge_edge, and with its symbols, for the pairs in all lanes of a batch.
static FM_SIMD_CLONES void find_batch_edge_edge(fm_closest_batch *batch, int lanes)
{
    double(*p)[3][FM_CLOSEST_BATCH] = batch->p;
#pragma omp simd
    for (int i = 0; i < lanes; i++) {
        batch_lane l = {p[0][0][i] - p[2][0][i], p[0][1][i] - p[2][1][i], p[0][2][i] - p[2][2][i],
                        p[1][0][i] - p[0][0][i], p[1][1][i] - p[0][1][i], p[1][2][i] - p[0][2][i],
                        p[2][0][i] - p[3][0][i], p[2][1][i] - p[3][1][i], p[2][2][i] - p[3][2][i]};
        products m = find_products(&l);
        double aa = m.aa, ab = m.ab, bb = m.bb, ra = m.ra, rb = m.rb;
        double det = aa * bb - ab * ab, s = bb * ra - ab * rb, t = aa * rb - ab * ra;
        bool inside = (det > PARALLEL * aa * bb) & (s >= 0) & (s <= det) & (t >= 0) & (t <= det);
        double t0 = clamp_quotient(rb, bb), t1 = clamp_quotient(rb - ab, bb);
        double s0 = clamp_quotient(ra, aa), s1 = clamp_quotient(ra - ab, aa);
        double d0 = find_squared_gap(&l, 0, t0), d1 = find_squared_gap(&l, 1, t1);
        double d2 = find_squared_gap(&l, s0, 0), d3 = find_squared_gap(&l, s1, 1);
        // the nearer end of the first edge (s = 0 or 1), then of the second (t = 0 or 1)
        bool at_s1 = d1 < d0, at_t1 = d3 < d2;
        double bs = at_s1 ? 1 : 0, bt = at_s1 ? t1 : t0, best = at_s1 ? d1 : d0;
        bool second = (at_t1 ? d3 : d2) < best;
        bs = second ? (at_t1 ? s1 : s0) : bs;
        bt = second ? (at_t1 ? 1 : 0) : bt;
        bs = inside ? s / det : bs;
        bt = inside ? t / det : bt;
        store_lane(batch, i, &l, bs, bt);
    }
}

// Closest points of the feature pairs in the first `count` lanes, rounded up to whole SIMD vectors.
void fm_feature_find_closest_batch(fm_feature_kind kind, fm_closest_batch *batch, int count)
{
    int lanes = fm_parallel_block_count(count, FM_LANES) * FM_LANES; // whole SIMD vectors
    if (kind == FM_VERTEX_TRIANGLE)
        find_batch_vertex_triangle(batch, lanes);
    else
        find_batch_edge_edge(batch, lanes);
}
