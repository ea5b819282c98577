// SPDX-License-Identifier: MIT
// camera.c: boxes around things, and a camera that sees them.
#include "draw/draw.h"

static const double DEGREE = FM_PI / 180;

fm_bounds fm_empty_bounds(void)
{
    return (fm_bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

void fm_bounds_add(fm_bounds *bounds, const float *points, int count)
{
    for (int i = 0; i < count; i++) {
        const float *p = points + 3 * (size_t)i;
        if (!fm_point_is_finite(p))
            continue;
        bounds->low.x = fmin(bounds->low.x, p[0]);
        bounds->low.y = fmin(bounds->low.y, p[1]);
        bounds->low.z = fmin(bounds->low.z, p[2]);
        bounds->high.x = fmax(bounds->high.x, p[0]);
        bounds->high.y = fmax(bounds->high.y, p[1]);
        bounds->high.z = fmax(bounds->high.z, p[2]);
    }
}

typedef struct axes {
    fm_vec3 right, up, back;
} axes;

static double dot(fm_vec3 a, fm_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// How far back along `back` the camera must stand for a corner to be inside the picture.
static double distance_for(const axes *view, fm_vec3 corner, double tan_x, double tan_y)
{
    double x = fabs(dot(view->right, corner)) / tan_x, y = fabs(dot(view->up, corner)) / tan_y;
    return dot(view->back, corner) + fmax(x, y);
}

fm_camera fm_camera_frame(const fm_bounds *bounds, double azimuth, double elevation, double aspect)
{
    static const double margin = 1.12; // room around what moves
    double a = azimuth * DEGREE, e = elevation * DEGREE;
    fm_camera camera = {.up = {0, 1, 0}, .field_of_view = 30 * DEGREE};
    fm_bounds box = *bounds;
    if (!(box.low.x <= box.high.x))
        box = (fm_bounds){{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
    fm_vec3 half = {(box.high.x - box.low.x) / 2, (box.high.y - box.low.y) / 2,
                    (box.high.z - box.low.z) / 2};
    camera.target = (fm_vec3){box.low.x + half.x, box.low.y + half.y, box.low.z + half.z};
    axes view = {{cos(a), 0, -sin(a)},
                 {-sin(e) * sin(a), cos(e), -sin(e) * cos(a)},
                 {cos(e) * sin(a), sin(e), cos(e) * cos(a)}};
    double tan_y = tan(camera.field_of_view / 2) / margin, tan_x = tan_y * aspect, distance = 0;
    for (int i = 0; i < 8; i++) {
        fm_vec3 corner = {i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y,
                          i & 4 ? half.z : -half.z};
        distance = fmax(distance, distance_for(&view, corner, tan_x, tan_y));
    }
    distance = fmax(distance, 1e-3);
    if (fmax(half.x, fmax(half.y, half.z)) <= 0)
        distance = 0.15; // a point: something to see of it
    camera.position = (fm_vec3){camera.target.x + distance * view.back.x,
                                camera.target.y + distance * view.back.y,
                                camera.target.z + distance * view.back.z};
    return camera;
}
