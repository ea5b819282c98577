// SPDX-License-Identifier: MIT
// features.c: closest points of a vertex and a triangle or of two edges, and their time of impact.
//
// Time of impact by additive conservative advancement [LKJ21]: with p(t) = from + t (to - from)
//
//     t <- t + s (d(t) - least) / L        until d(t) - least < (1 - s) (d(0) - least)
//
// L bounds how fast the distance can shrink: the largest speed of a point of the first feature plus
// that of the second, after a common translation is taken away. No step passes a contact, whatever
// the geometry: parallel edges and coplanar motion need no case of their own.
//
//   d  distance, m    least  separation to keep, m    s = 0.9 share of the safe way taken at once
//
// [LKJ21] Li, Kaufman, Jiang: Codimensional incremental potential contact. TOG 40(4), 2021, sec. 5.
#include "collide/contact.h"

#include <assert.h>
#include <float.h>

static const double SAFE_SHARE = 0.9;
enum { MAX_ADVANCES = 1000 }; // the way halves at least every few; beyond, it counts as a contact

static double clamp_unit(double t)
{
    return t < 0 ? 0 : t > 1 ? 1 : t;
}

// Where on p0 p1 the point closest to q lies, 0 to 1.
static double find_on_segment(fm_vec3 q, fm_vec3 p0, fm_vec3 p1)
{
    fm_vec3 d = fm_sub(p1, p0);
    double dd = fm_dot(d, d);
    return dd > 0 ? clamp_unit(fm_dot(fm_sub(q, p0), d) / dd) : 0;
}

static void measure(fm_closest *c, const fm_vec3 p[4])
{
    c->gap = fm_scale(p[0], c->weight[0]);
    for (int i = 1; i < 4; i++)
        c->gap = fm_add_scaled(c->gap, p[i], c->weight[i]);
    c->distance = fm_length(c->gap);
}

static void keep_nearer(fm_closest *best, const fm_vec3 p[4], double w0, double w1, double w2,
                        double w3)
{
    fm_closest c = {.weight = {w0, w1, w2, w3}};
    measure(&c, p);
    if (!(c.distance >= best->distance))
        *best = c;
}

// The foot of the perpendicular when it falls inside the triangle; else the nearest of its sides.
static fm_closest find_vertex_triangle(const fm_vec3 p[4])
{
    fm_closest best = {.distance = INFINITY};
    fm_vec3 a = fm_sub(p[2], p[1]), b = fm_sub(p[3], p[1]), r = fm_sub(p[0], p[1]);
    double aa = fm_dot(a, a), ab = fm_dot(a, b), bb = fm_dot(b, b);
    double ra = fm_dot(r, a), rb = fm_dot(r, b), area = aa * bb - ab * ab;
    if (area > DBL_EPSILON * aa * bb) {
        double u = (bb * ra - ab * rb) / area, v = (aa * rb - ab * ra) / area;
        if (u >= 0 && v >= 0 && u + v <= 1) {
            keep_nearer(&best, p, 1, u + v - 1, -u, -v);
            return best;
        }
    }
    double s = find_on_segment(p[0], p[1], p[2]);
    keep_nearer(&best, p, 1, s - 1, -s, 0);
    s = find_on_segment(p[0], p[2], p[3]);
    keep_nearer(&best, p, 1, 0, s - 1, -s);
    s = find_on_segment(p[0], p[3], p[1]);
    keep_nearer(&best, p, 1, -s, 0, s - 1);
    return best;
}

// The common perpendicular when it falls inside both edges; else the nearest of the four ends.
static fm_closest find_edge_edge(const fm_vec3 p[4])
{
    fm_closest best = {.distance = INFINITY};
    fm_vec3 a = fm_sub(p[1], p[0]), b = fm_sub(p[3], p[2]), r = fm_sub(p[0], p[2]);
    double aa = fm_dot(a, a), ab = fm_dot(a, b), bb = fm_dot(b, b);
    double ra = fm_dot(r, a), rb = fm_dot(r, b), area = aa * bb - ab * ab;
    if (area > 1e-12 * aa * bb) { // nearer to parallel, an end is as near
        double s = (ab * rb - bb * ra) / area, t = (aa * rb - ab * ra) / area;
        if (s >= 0 && s <= 1 && t >= 0 && t <= 1) {
            keep_nearer(&best, p, 1 - s, s, t - 1, -t);
            return best;
        }
    }
    double s = find_on_segment(p[0], p[2], p[3]);
    keep_nearer(&best, p, 1, 0, s - 1, -s);
    s = find_on_segment(p[1], p[2], p[3]);
    keep_nearer(&best, p, 0, 1, s - 1, -s);
    s = find_on_segment(p[2], p[0], p[1]);
    keep_nearer(&best, p, 1 - s, s, -1, 0);
    s = find_on_segment(p[3], p[0], p[1]);
    keep_nearer(&best, p, 1 - s, s, 0, -1);
    return best;
}

fm_closest fm_closest_points(fm_feature_kind kind, const fm_vec3 p[4])
{
    return kind == FM_VERTEX_TRIANGLE ? find_vertex_triangle(p) : find_edge_edge(p);
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
    double enough = (1 - SAFE_SHARE) * room, t = 0;
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
