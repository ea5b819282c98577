// SPDX-License-Identifier: MIT
// folding.c: folds a flat sheet or a canopy into pleats about its axis, as a parachute is packed.
//
// A point at the distance s from the apex, measured along the meridian, and at the azimuth theta
// moves to
//
//     apex + s c(q),      q = theta r / s
//
// c is a closed curve on the unit sphere with N waves, given by the angle alpha from the axis at
// the azimuth psi,
//
//     alpha = alpha_m + beta cos(N psi)
//
// and parametrised by its length q. Of a flat shape r = s, and any c of length 2 pi gives a cone
// that is isometric to it: no edge changes its length. Of a curved canopy the ring at s has the
// length 2 pi r with r < s, and beta follows from it ring by ring; lengths along meridians change,
// those of a hemisphere by at most 4 %. alpha is a function of psi, so the folded surface does not
// intersect itself.
//
//   r, s   m, radius of the ring of a point, and its distance from the apex along the meridian
//   alpha_m, beta   rad, mean angle and amplitude of the pleats      N  pleats
#include "geometry/mesh_shape.h"

#include <math.h>

enum { PARTS = 96 };                 // of half a wave, for its length
static const double STEEPEST = 0.85; // largest beta / alpha_m: pleats do not touch on the axis

// Half a wave of the curve: its length from psi = 0 to each of PARTS + 1 azimuths.
typedef struct wave {
    double alpha_m, beta;
    int pleats;
    double length[PARTS + 1];
} wave;

static double find_angle(const wave *w, double psi)
{
    return w->alpha_m + w->beta * cos(w->pleats * psi);
}

// Measures the wave: half of its length, rad.
static double measure(wave *w)
{
    double step = FM_PI / w->pleats / PARTS;
    w->length[0] = 0;
    for (int i = 0; i < PARTS; i++) {
        double psi = (i + 0.5) * step, along = w->pleats * w->beta * sin(w->pleats * psi);
        w->length[i + 1] = w->length[i] + step * hypot(sin(find_angle(w, psi)), along);
    }
    return w->length[PARTS];
}

// The wave with mean angle alpha_m whose whole curve has the length 2 pi ratio. beta is limited to
// STEEPEST alpha_m.
static wave find_wave(int pleats, double alpha_m, double ratio)
{
    double low = 0, high = STEEPEST * alpha_m, target = FM_PI / pleats * ratio;
    wave w = {.alpha_m = alpha_m, .pleats = pleats};
    for (int i = 0; i < 50; i++) {
        w.beta = 0.5 * (low + high);
        *(measure(&w) < target ? &low : &high) = w.beta;
    }
    return w;
}

// The smallest mean angle whose curve can be 2 pi ratio long.
static double find_least_angle(int pleats, double ratio)
{
    double low = 0, high = FM_PI / 2;
    for (int i = 0; i < 50; i++) {
        wave w = {.alpha_m = 0.5 * (low + high), .pleats = pleats};
        w.beta = STEEPEST * w.alpha_m;
        *(measure(&w) < FM_PI / pleats * ratio ? &low : &high) = w.alpha_m;
    }
    return high;
}

// The point of the curve, of the length that the wave has, at the share `turn` of its length.
static fm_vec3 find_direction(const wave *w, double turn)
{
    double half = turn * 2 * w->pleats, first = floor(half), part = half - first;
    bool back = fmod(fabs(first), 2) > 0.5; // the second half of a wave mirrors the first
    double along = (back ? 1 - part : part) * w->length[PARTS];
    int i = 0;
    while (i < PARTS - 1 && w->length[i + 1] < along)
        i++;
    double inside = (along - w->length[i]) / (w->length[i + 1] - w->length[i]);
    double psi = FM_PI / w->pleats * (i + inside) / PARTS; // in the half wave
    double alpha = find_angle(w, psi), azimuth = FM_PI / w->pleats * first;
    azimuth += back ? FM_PI / w->pleats - psi : psi;
    return (fm_vec3){sin(alpha) * cos(azimuth), -cos(alpha), -sin(alpha) * sin(azimuth)};
}

// Checks what a mesh is folded into.
static bool check(const fm_mesh_shape *shape, int pleats, double opening, fm_error *err)
{
    if (shape->kind > FM_MESH_POLYCONICAL)
        return fm_fail(err, FM_BAD_VALUE, "mesh", "fold", "of a closed shape",
                       "only for flat shapes and canopies");
    if (pleats < 2 || pleats > 1000)
        return fm_fail_number(err, "mesh", "fold.pleats", pleats, "2 to 1000");
    return (opening >= 0 && opening <= 1) ||
           fm_fail_number(err, "mesh", "fold.opening", opening, "0 to 1");
}

bool fm_mesh_fold(const fm_mesh_shape *shape, int pleats, double opening, fm_vec3 *points,
                  int count, fm_error *err)
{
    if (err->status != FM_OK || !check(shape, pleats, opening, err))
        return false;
    double height = fm_mesh_shape_height(shape);
    double least = find_least_angle(pleats, 1);
    double alpha_m = least + opening * (FM_PI / 2 - least), last = -1;
    wave w = {0};
    for (int i = 0; i < count; i++) {
        double r = hypot(points[i].x, points[i].z), s = fm_mesh_shape_distance(shape, r);
        if (r < 1e-9 * shape->edge)
            continue; // the apex
        if (fabs(r / s - last) > 1e-12) {
            last = r / s;
            // a ring that is shorter than a circle at alpha_m stands steeper
            w = find_wave(pleats, fmin(alpha_m, asin(fmin(1, last))), last);
        }
        double turn = atan2(-points[i].z, points[i].x) / (2 * FM_PI);
        fm_vec3 apex = {0, height, 0};
        points[i] = fm_add_scaled(apex, find_direction(&w, turn), s);
    }
    return true;
}
