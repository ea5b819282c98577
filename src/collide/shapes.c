// SPDX-License-Identifier: MIT
// shapes.c: the collider shapes: validation, transformation by a pose, bounding box, and signed
// distance of a point.
//
//   plane    n . (p - c)
//   sphere   |p - c| - r
//   capsule  |p - a| - r(a),  a the point of the axis whose sphere is nearest: the foot of p on the
//            axis, moved along it by |p - foot| tan(b), sin(b) = (r - s) / l
//   box      outside |q - clamp(q)|, inside minus the distance to the nearest face;
//            q = R^-1 (p - c)
//
//   p  the point    c  centre    n  normal    R  rotation    r  radius; r and s at the ends of a
//   capsule of length l, all in m
//
// Cylinder, cone and ellipsoid are in cone_ellipsoid.c.
#include "collide/collide.h"

#include <assert.h>
#include <float.h>

static const double TINY = 1e-140; // m; squares of shorter vectors underflow to zero

// The functions of one kind of shape: validation, bounding box, closest point.
typedef struct shape_methods {
    bool (*check)(fm_shape *shape, const char *object, fm_error *err);
    void (*bound)(const fm_shape *shape, fm_vec3 *low, fm_vec3 *high);
    fm_contact (*contact)(const fm_shape *shape, fm_vec3 point);
} shape_methods;

// Fails unless all three components are finite.
static bool check_finite(const char *object, const char *field, fm_vec3 value, fm_error *err)
{
    return fm_is_finite(value) || fm_fail_vector(err, object, field, value, "finite numbers");
}

// Fails unless the radius is positive.
static bool check_radius(const fm_shape *shape, const char *object, fm_error *err)
{
    return (shape->radius > 0 && isfinite(shape->radius)) ||
           fm_fail_number(err, object, "shape.radius", shape->radius, "> 0 metres");
}

// A unit vector perpendicular to a: the cross product of a and the coordinate axis of its smallest
// component. (0, 1, 0) for a zero vector.
fm_vec3 fm_vec3_find_perpendicular(fm_vec3 a)
{
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    fm_vec3 least = x <= y && x <= z ? (fm_vec3){1, 0, 0}
                    : y <= z         ? (fm_vec3){0, 1, 0}
                                     : (fm_vec3){0, 0, 1};
    fm_vec3 across = fm_cross(a, least);
    return fm_normalize(&across) ? across : (fm_vec3){0, 1, 0};
}

// Closest point of a sphere around `centre`. Within `least` m of the centre, rounding makes the
// direction to the point unreliable, and a direction across `axis` is used instead: the axis of the
// capsule that the sphere belongs to, or zero.
static fm_contact find_round_contact(fm_vec3 centre, double radius, fm_vec3 point, double least,
                                     fm_vec3 axis)
{
    fm_vec3 away = fm_sub(point, centre);
    double length = fm_length(away);
    fm_vec3 normal = length > least ? fm_scale(away, 1 / length) : fm_vec3_find_perpendicular(axis);
    return (fm_contact){
        .distance = length - radius,
        .point = fm_add_scaled(centre, normal, radius),
        .normal = normal,
    };
}

// Checks a plane and normalizes its normal.
static bool check_plane(fm_shape *shape, const char *object, fm_error *err)
{
    return check_finite(object, "shape.centre", shape->centre, err) &&
           (fm_normalize(&shape->normal) ||
            fm_fail_vector(err, object, "shape.normal", shape->normal,
                           "a finite vector other than zero"));
}

// Bounding box of the half-space below a plane: infinite, except above an axis-aligned plane.
static void find_plane_bounds(const fm_shape *shape, fm_vec3 *low, fm_vec3 *high)
{
    fm_vec3 n = shape->normal, c = shape->centre;
    *low = (fm_vec3){n.x == -1 ? c.x : -INFINITY, n.y == -1 ? c.y : -INFINITY,
                     n.z == -1 ? c.z : -INFINITY};
    *high =
        (fm_vec3){n.x == 1 ? c.x : INFINITY, n.y == 1 ? c.y : INFINITY, n.z == 1 ? c.z : INFINITY};
}

// Closest point of a plane.
static fm_contact find_plane_contact(const fm_shape *shape, fm_vec3 point)
{
    double distance = fm_dot(shape->normal, fm_sub(point, shape->centre));
    return (fm_contact){
        .distance = distance,
        .point = fm_add_scaled(point, shape->normal, -distance),
        .normal = shape->normal,
    };
}

// Checks a sphere.
static bool check_sphere(fm_shape *shape, const char *object, fm_error *err)
{
    return check_finite(object, "shape.centre", shape->centre, err) &&
           check_radius(shape, object, err);
}

// Bounding box of a sphere.
static void find_sphere_bounds(const fm_shape *shape, fm_vec3 *low, fm_vec3 *high)
{
    fm_vec3 half = {shape->radius, shape->radius, shape->radius};
    *low = fm_sub(shape->centre, half);
    *high = fm_add(shape->centre, half);
}

// Closest point of a sphere.
static fm_contact find_sphere_contact(const fm_shape *shape, fm_vec3 point)
{
    return find_round_contact(shape->centre, shape->radius, point, TINY, (fm_vec3){0});
}

// Fails unless the radius at the end is 0 or more.
static bool check_end_radius(const fm_shape *shape, const char *object, fm_error *err)
{
    return (shape->end_radius >= 0 && isfinite(shape->end_radius)) ||
           fm_fail_number(err, object, "shape.end_radius", shape->end_radius, ">= 0 metres");
}

// Checks a capsule; end_radius 0 becomes the radius of the start.
static bool check_capsule(fm_shape *shape, const char *object, fm_error *err)
{
    if (!check_finite(object, "shape.start", shape->start, err) ||
        !check_finite(object, "shape.end", shape->end, err) || !check_radius(shape, object, err) ||
        !check_end_radius(shape, object, err))
        return false;
    if (shape->end_radius == 0)
        shape->end_radius = shape->radius;
    return true;
}

// Bounding box of a tapered capsule: of the spheres at its ends.
static void find_capsule_bounds(const fm_shape *shape, fm_vec3 *low, fm_vec3 *high)
{
    double r = shape->radius, s = shape->end_radius;
    fm_bounds box = fm_bounds_empty();
    fm_bounds_add_point(&box, fm_sub(shape->start, (fm_vec3){r, r, r}));
    fm_bounds_add_point(&box, fm_add(shape->start, (fm_vec3){r, r, r}));
    fm_bounds_add_point(&box, fm_sub(shape->end, (fm_vec3){s, s, s}));
    fm_bounds_add_point(&box, fm_add(shape->end, (fm_vec3){s, s, s}));
    *low = box.low;
    *high = box.high;
}

// Position on a capsule's axis, 0 to 1, of the sphere whose surface is nearest to the point. sine:
// receives the sine of the angle between the cone's side and the axis.
static double find_axis_position(const fm_shape *shape, fm_vec3 point, fm_vec3 axis, double *sine)
{
    double square = fm_dot(axis, axis), narrowing = shape->radius - shape->end_radius;
    fm_vec3 from = fm_sub(point, shape->start);
    double along = fm_dot(from, axis);
    *sine = 0;
    if (narrowing != 0) {
        if (narrowing * narrowing >= square) // one sphere contains the other
            return narrowing > 0 ? 0 : 1;
        double length = sqrt(square);
        *sine = narrowing / length;
        fm_vec3 across = fm_add_scaled(from, axis, -along / square);
        along -= length * fm_length(across) * *sine / sqrt(1 - *sine * *sine);
    }
    return along <= 0 ? 0 : along >= square ? 1 : along / square;
}

// Closest point of the surface of a tapered capsule. The surface is the envelope of spheres whose
// centres are on the axis; the closest point is on the sphere whose surface is nearest.
static fm_contact find_capsule_contact(const fm_shape *shape, fm_vec3 point)
{
    fm_vec3 axis = fm_sub(shape->end, shape->start);
    double sine, share = find_axis_position(shape, point, axis, &sine);
    double radius = shape->radius + share * (shape->end_radius - shape->radius);
    fm_vec3 centre = fm_add_scaled(shape->start, axis, share);
    // for a point on the axis, the rounding error of the difference may point along the axis
    double rounding = 16 * DBL_EPSILON * (fm_max_norm(point) + fm_max_norm(centre));
    fm_contact contact = find_round_contact(centre, radius, point, rounding + TINY, axis);
    // for such a point, tilt the normal by the angle between the side and the axis
    if (sine != 0 && fm_length(fm_sub(point, centre)) <= rounding + TINY) {
        fm_vec3 tilted = fm_add_scaled(fm_scale(contact.normal, sqrt(1 - sine * sine)), axis,
                                       sine / fm_length(axis));
        contact.normal = tilted;
        contact.point = fm_add_scaled(centre, tilted, radius);
    }
    return contact;
}

// Checks a cylinder or cone. The square of its length must not underflow.
static bool check_cone(fm_shape *shape, const char *object, fm_error *err)
{
    if (!check_finite(object, "shape.start", shape->start, err) ||
        !check_finite(object, "shape.end", shape->end, err) || !check_radius(shape, object, err) ||
        !check_end_radius(shape, object, err))
        return false;
    return fm_length(fm_sub(shape->end, shape->start)) > TINY ||
           fm_fail_vector(err, object, "shape.end", shape->end, "another point than start");
}

// Bounding box of a cylinder, a cone with equal radii.
static void find_cylinder_bounds(const fm_shape *shape, fm_vec3 *low, fm_vec3 *high)
{
    fm_cone_find_bounds(shape, shape->radius, low, high);
}

// Closest point of a cylinder, a cone with equal radii.
static fm_contact find_cylinder_contact(const fm_shape *shape, fm_vec3 point)
{
    return fm_cone_find_contact(shape, shape->radius, point);
}

// Bounding box of a cone.
static void find_cone_bounds(const fm_shape *shape, fm_vec3 *low, fm_vec3 *high)
{
    fm_cone_find_bounds(shape, shape->end_radius, low, high);
}

// Closest point of a cone.
static fm_contact find_cone_contact(const fm_shape *shape, fm_vec3 point)
{
    return fm_cone_find_contact(shape, shape->end_radius, point);
}

// Checks a box or ellipsoid and normalizes its rotation.
static bool check_box(fm_shape *shape, const char *object, fm_error *err)
{
    fm_vec3 half = shape->half_size;
    if (!check_finite(object, "shape.centre", shape->centre, err))
        return false;
    if (!(half.x > 0 && half.y > 0 && half.z > 0) || !fm_is_finite(half))
        return fm_fail_vector(err, object, "shape.half_size", half, "> 0 metres each");
    return fm_quat_normalize(&shape->rotation) ||
           fm_fail_number(err, object, "shape.rotation", NAN, "finite numbers");
}

// Bounding box of a rotated box.
static void find_box_bounds(const fm_shape *shape, fm_vec3 *low, fm_vec3 *high)
{
    fm_vec3 x = fm_quat_rotate(shape->rotation, (fm_vec3){shape->half_size.x, 0, 0});
    fm_vec3 y = fm_quat_rotate(shape->rotation, (fm_vec3){0, shape->half_size.y, 0});
    fm_vec3 z = fm_quat_rotate(shape->rotation, (fm_vec3){0, 0, shape->half_size.z});
    fm_vec3 half = {fabs(x.x) + fabs(y.x) + fabs(z.x), fabs(x.y) + fabs(y.y) + fabs(z.y),
                    fabs(x.z) + fabs(y.z) + fabs(z.z)};
    *low = fm_sub(shape->centre, half);
    *high = fm_add(shape->centre, half);
}

// Contact of a point q inside a box with the nearest face, in the frame of the box.
static fm_contact find_face_contact(fm_vec3 half, fm_vec3 q)
{
    fm_vec3 gap = {half.x - fabs(q.x), half.y - fabs(q.y), half.z - fabs(q.z)};
    fm_contact contact = {.point = q};
    if (gap.x <= gap.y && gap.x <= gap.z) {
        contact.distance = -gap.x;
        contact.normal.x = copysign(1, q.x);
        contact.point.x = copysign(half.x, q.x);
    } else if (gap.y <= gap.z) {
        contact.distance = -gap.y;
        contact.normal.y = copysign(1, q.y);
        contact.point.y = copysign(half.y, q.y);
    } else {
        contact.distance = -gap.z;
        contact.normal.z = copysign(1, q.z);
        contact.point.z = copysign(half.z, q.z);
    }
    return contact;
}

// Closest point of a rotated box. Outside, it is the point clamped to the box; inside, that of the
// nearest face.
static fm_contact find_box_contact(const fm_shape *shape, fm_vec3 point)
{
    fm_vec3 half = shape->half_size;
    fm_quat to_box = fm_quat_inverse(shape->rotation);
    fm_vec3 q = fm_quat_rotate(to_box, fm_sub(point, shape->centre));
    fm_vec3 clamped = {fmin(fmax(q.x, -half.x), half.x), fmin(fmax(q.y, -half.y), half.y),
                       fmin(fmax(q.z, -half.z), half.z)};
    fm_vec3 away = fm_sub(q, clamped);
    double length = fm_length(away);
    fm_contact contact;
    if (length > TINY)
        contact = (fm_contact){
            .distance = length, .point = clamped, .normal = fm_scale(away, 1 / length)};
    else
        contact = find_face_contact(half, q);
    contact.point = fm_add(shape->centre, fm_quat_rotate(shape->rotation, contact.point));
    contact.normal = fm_quat_rotate(shape->rotation, contact.normal);
    return contact;
}

// The functions of each kind of shape, indexed by fm_shape_kind.
static const shape_methods methods[] = {
    [FM_SHAPE_PLANE] = {check_plane, find_plane_bounds, find_plane_contact},
    [FM_SHAPE_SPHERE] = {check_sphere, find_sphere_bounds, find_sphere_contact},
    [FM_SHAPE_CAPSULE] = {check_capsule, find_capsule_bounds, find_capsule_contact},
    [FM_SHAPE_BOX] = {check_box, find_box_bounds, find_box_contact},
    [FM_SHAPE_CYLINDER] = {check_cone, find_cylinder_bounds, find_cylinder_contact},
    [FM_SHAPE_CONE] = {check_cone, find_cone_bounds, find_cone_contact},
    [FM_SHAPE_ELLIPSOID] = {check_box, fm_ellipsoid_find_bounds, fm_ellipsoid_find_contact},
};

// Checks a shape and normalizes its directions. Returns false and fills err on bad values.
bool fm_shape_check(fm_shape *shape, const char *object, fm_error *err)
{
    if ((unsigned)shape->kind >= sizeof methods / sizeof *methods)
        return fm_fail_number(err, object, "shape.kind", shape->kind,
                              "plane, sphere, capsule, box, cylinder, cone or ellipsoid");
    return methods[shape->kind].check(shape, object, err);
}

// The shape after a pose has rotated and translated it. Transforms all points and directions, used
// by this kind of shape or not.
fm_shape fm_shape_transform(const fm_shape *shape, const fm_pose *pose)
{
    fm_shape result = *shape;
    result.centre = fm_pose_apply(pose, shape->centre);
    result.start = fm_pose_apply(pose, shape->start);
    result.end = fm_pose_apply(pose, shape->end);
    result.normal = fm_quat_rotate(pose->rotation, shape->normal);
    result.rotation = fm_quat_multiply(pose->rotation, shape->rotation);
    return result;
}

// Bounding box of a shape; infinite for most planes.
void fm_shape_find_bounds(const fm_shape *shape, fm_vec3 *low, fm_vec3 *high)
{
    assert((unsigned)shape->kind < sizeof methods / sizeof *methods);
    methods[shape->kind].bound(shape, low, high);
}

// Closest surface point of a shape, with the signed distance of the point and the normal.
fm_contact fm_shape_find_contact(const fm_shape *shape, fm_vec3 point)
{
    assert((unsigned)shape->kind < sizeof methods / sizeof *methods);
    return methods[shape->kind].contact(shape, point);
}
