// SPDX-License-Identifier: MIT
// camera.c: bounding boxes, and a camera that frames one.
#include "draw/draw.h"

// Extends the bounds by `count` points (x y z each). Points that are not finite are ignored.
void fm_bounds_add(fm_bounds *bounds, const float *points, int count)
{
    for (int i = 0; i < count; i++) {
        const float *p = points + 3 * (size_t)i;
        if (!fm_drawing_point_is_finite(p))
            continue;
        bounds->low.x = fmin(bounds->low.x, p[0]);
        bounds->low.y = fmin(bounds->low.y, p[1]);
        bounds->low.z = fmin(bounds->low.z, p[2]);
        bounds->high.x = fmax(bounds->high.x, p[0]);
        bounds->high.y = fmax(bounds->high.y, p[1]);
        bounds->high.z = fmax(bounds->high.z, p[2]);
    }
}

// Unit axes of a camera: to the right, up, and from the target towards the camera.
typedef struct view_axes {
    fm_vec3 right, up, back;
} view_axes;

static double dot(fm_vec3 a, fm_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Distance from the target along view->back at which a corner is just inside the picture. corner:
// relative to the target; tan_x, tan_y: tangents of half the fields of view.
static double compute_distance(const view_axes *view, fm_vec3 corner, double tan_x, double tan_y)
{
    double x = fabs(dot(view->right, corner)) / tan_x, y = fabs(dot(view->up, corner)) / tan_y;
    return dot(view->back, corner) + fmax(x, y);
}

// A camera that shows all of `bounds` from the given azimuth and elevation, in degrees. aspect:
// width / height of the picture. Empty bounds count as a cube of 1 m.
fm_camera fm_camera_frame(const fm_bounds *bounds, double azimuth, double elevation, double aspect)
{
    static const double margin = 1.12; // empty border around the bounds, as a factor
    double a = azimuth * FM_DEGREE, e = elevation * FM_DEGREE;
    fm_camera camera = {.up = {0, 1, 0}, .field_of_view = 30 * FM_DEGREE};
    fm_bounds box = *bounds;
    if (!(box.low.x <= box.high.x))
        box = (fm_bounds){{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
    fm_vec3 half = {(box.high.x - box.low.x) / 2, (box.high.y - box.low.y) / 2,
                    (box.high.z - box.low.z) / 2};
    camera.target = (fm_vec3){box.low.x + half.x, box.low.y + half.y, box.low.z + half.z};
    view_axes view = {{cos(a), 0, -sin(a)},
                      {-sin(e) * sin(a), cos(e), -sin(e) * cos(a)},
                      {cos(e) * sin(a), sin(e), cos(e) * cos(a)}};
    double tan_y = tan(camera.field_of_view / 2) / margin, tan_x = tan_y * aspect, distance = 0;
    for (int i = 0; i < 8; i++) {
        fm_vec3 corner = {i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y,
                          i & 4 ? half.z : -half.z};
        distance = fmax(distance, compute_distance(&view, corner, tan_x, tan_y));
    }
    distance = fmax(distance, 1e-3); // m, so that the camera is not at its target
    if (fmax(half.x, fmax(half.y, half.z)) <= 0)
        distance = 0.15; // m, for a single point, which is drawn as a small sphere
    camera.position = (fm_vec3){camera.target.x + distance * view.back.x,
                                camera.target.y + distance * view.back.y,
                                camera.target.z + distance * view.back.z};
    return camera;
}
