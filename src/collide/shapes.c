// SPDX-License-Identifier: MIT
// shapes.c: what each shape needs to be a collider: its checks, how a pose carries it, the box
// around it, and the signed distance of a point.
//
//   plane    n . (p - c)
//   sphere   |p - c| - r
//   capsule  |p - a| - r,  a the point of the axis whose ball is nearest: with radii r and s at the
//            ends of an axis of length l, the foot of p moved by |p - foot| tan, sin = (r - s) / l
//   box      outside |q - clamp(q)|, inside minus the way to the nearest face;  q = R^-1 (p - c)
//
//   p  the point    c  centre    n  normal    r  radius    R  rotation
//
// Cylinder, cone and ellipsoid are in solids.c.
#include "collide/collide.h"

#include <assert.h>
#include <float.h>

static const double TINY = 1e-140; // m; shorter vectors have squares that vanish

typedef struct shape_methods {
    bool (*check)(fm_shape *shape, const char *object, fm_error *err);
    void (*bound)(const fm_shape *shape, fm_vec3 *low, fm_vec3 *high);
    fm_contact (*contact)(const fm_shape *shape, fm_vec3 point);
} shape_methods;

static bool check_finite(const char *object, const char *field, fm_vec3 value, fm_error *err)
{
    return fm_is_finite(value) || fm_fail_vector(err, object, field, value, "finite numbers");
}

static bool check_radius(const fm_shape *shape, const char *object, fm_error *err)
{
    return (shape->radius > 0 && isfinite(shape->radius)) ||
           fm_fail_number(err, object, "shape.radius", shape->radius, "> 0 metres");
}

// Across the coordinate that matters least.
fm_vec3 fm_find_perpendicular(fm_vec3 a)
{
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    fm_vec3 least = x <= y && x <= z ? (fm_vec3){1, 0, 0}
                    : y <= z         ? (fm_vec3){0, 1, 0}
                                     : (fm_vec3){0, 0, 1};
    fm_vec3 across = fm_cross(a, least);
    return fm_make_unit(&across) ? across : (fm_vec3){0, 1, 0};
}

// From the nearest point of the axis of a capsule; a sphere's axis is zero. Within `least` of it
// the direction is not to be trusted, and one across the axis is taken, which always leads out.
static fm_contact contact_round(fm_vec3 centre, double radius, fm_vec3 point, double least,
                                fm_vec3 axis)
{
    fm_vec3 away = fm_sub(point, centre);
    double length = fm_length(away);
    fm_vec3 normal = length > least ? fm_scale(away, 1 / length) : fm_find_perpendicular(axis);
    return (fm_contact){
        .distance = length - radius,
        .point = fm_add_scaled(centre, normal, radius),
        .normal = normal,
    };
}

static bool check_plane(fm_shape *shape, const char *object, fm_error *err)
{
    return check_finite(object, "shape.centre", shape->centre, err) &&
           (fm_make_unit(&shape->normal) ||
            fm_fail_vector(err, object, "shape.normal", shape->normal,
                           "a finite vector other than zero"));
}

static void bound_plane(const fm_shape *shape, fm_vec3 *low, fm_vec3 *high)
{
    fm_vec3 n = shape->normal, c = shape->centre;
    *low = (fm_vec3){n.x == -1 ? c.x : -INFINITY, n.y == -1 ? c.y : -INFINITY,
                     n.z == -1 ? c.z : -INFINITY};
    *high =
        (fm_vec3){n.x == 1 ? c.x : INFINITY, n.y == 1 ? c.y : INFINITY, n.z == 1 ? c.z : INFINITY};
}

static fm_contact contact_plane(const fm_shape *shape, fm_vec3 point)
{
    double distance = fm_dot(shape->normal, fm_sub(point, shape->centre));
    return (fm_contact){
        .distance = distance,
        .point = fm_add_scaled(point, shape->normal, -distance),
        .normal = shape->normal,
    };
}

static bool check_sphere(fm_shape *shape, const char *object, fm_error *err)
{
    return check_finite(object, "shape.centre", shape->centre, err) &&
           check_radius(shape, object, err);
}

static void bound_sphere(const fm_shape *shape, fm_vec3 *low, fm_vec3 *high)
{
    fm_vec3 half = {shape->radius, shape->radius, shape->radius};
    *low = fm_sub(shape->centre, half);
    *high = fm_add(shape->centre, half);
}

static fm_contact contact_sphere(const fm_shape *shape, fm_vec3 point)
{
    return contact_round(shape->centre, shape->radius, point, TINY, (fm_vec3){0});
}

static bool check_end_radius(const fm_shape *shape, const char *object, fm_error *err)
{
    return (shape->end_radius >= 0 && isfinite(shape->end_radius)) ||
           fm_fail_number(err, object, "shape.end_radius", shape->end_radius, ">= 0 metres");
}

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

static void bound_capsule(const fm_shape *shape, fm_vec3 *low, fm_vec3 *high)
{
    double r = shape->radius, s = shape->end_radius;
    fm_box box = fm_box_empty();
    fm_box_add(&box, fm_sub(shape->start, (fm_vec3){r, r, r}));
    fm_box_add(&box, fm_add(shape->start, (fm_vec3){r, r, r}));
    fm_box_add(&box, fm_sub(shape->end, (fm_vec3){s, s, s}));
    fm_box_add(&box, fm_add(shape->end, (fm_vec3){s, s, s}));
    *low = box.low;
    *high = box.high;
}

// Where on the axis the ball is whose surface is nearest, from 0 to 1; sine of the taper.
static double find_share(const fm_shape *shape, fm_vec3 point, fm_vec3 axis, double *sine)
{
    double square = fm_dot(axis, axis), narrowing = shape->radius - shape->end_radius;
    fm_vec3 from = fm_sub(point, shape->start);
    double along = fm_dot(from, axis);
    *sine = 0;
    if (narrowing != 0) {
        if (narrowing * narrowing >= square) // one ball holds the other
            return narrowing > 0 ? 0 : 1;
        double length = sqrt(square);
        *sine = narrowing / length;
        fm_vec3 across = fm_add_scaled(from, axis, -along / square);
        along -= length * fm_length(across) * *sine / sqrt(1 - *sine * *sine);
    }
    return along <= 0 ? 0 : along >= square ? 1 : along / square;
}

static fm_contact contact_capsule(const fm_shape *shape, fm_vec3 point)
{
    fm_vec3 axis = fm_sub(shape->end, shape->start);
    double sine, share = find_share(shape, point, axis, &sine);
    double radius = shape->radius + share * (shape->end_radius - shape->radius);
    fm_vec3 centre = fm_add_scaled(shape->start, axis, share);
    // what rounding leaves of a point on the axis may point along it
    double rounding = 16 * DBL_EPSILON * (fm_largest(point) + fm_largest(centre));
    fm_contact contact = contact_round(centre, radius, point, rounding + TINY, axis);
    if (sine != 0 && fm_length(fm_sub(point, centre)) <= rounding + TINY) { // lean with the side
        fm_vec3 leaning = fm_add_scaled(fm_scale(contact.normal, sqrt(1 - sine * sine)), axis,
                                        sine / fm_length(axis));
        contact.normal = leaning;
        contact.point = fm_add_scaled(centre, leaning, radius);
    }
    return contact;
}

static bool check_cone(fm_shape *shape, const char *object, fm_error *err)
{
    if (!check_finite(object, "shape.start", shape->start, err) ||
        !check_finite(object, "shape.end", shape->end, err) || !check_radius(shape, object, err) ||
        !check_end_radius(shape, object, err))
        return false;
    // squares of it must not vanish
    return fm_length(fm_sub(shape->end, shape->start)) > TINY ||
           fm_fail_vector(err, object, "shape.end", shape->end, "another point than start");
}

static void bound_cylinder(const fm_shape *shape, fm_vec3 *low, fm_vec3 *high)
{
    fm_cone_bound(shape, shape->radius, low, high);
}

static fm_contact contact_cylinder(const fm_shape *shape, fm_vec3 point)
{
    return fm_cone_contact(shape, shape->radius, point);
}

static void bound_cone(const fm_shape *shape, fm_vec3 *low, fm_vec3 *high)
{
    fm_cone_bound(shape, shape->end_radius, low, high);
}

static fm_contact contact_cone(const fm_shape *shape, fm_vec3 point)
{
    return fm_cone_contact(shape, shape->end_radius, point);
}

static bool check_box(fm_shape *shape, const char *object, fm_error *err)
{
    fm_vec3 half = shape->half_size;
    if (!check_finite(object, "shape.centre", shape->centre, err))
        return false;
    if (!(half.x > 0 && half.y > 0 && half.z > 0) || !fm_is_finite(half))
        return fm_fail_vector(err, object, "shape.half_size", half, "> 0 metres each");
    return fm_quat_make_unit(&shape->rotation) ||
           fm_fail_number(err, object, "shape.rotation", NAN, "finite numbers");
}

static void bound_box(const fm_shape *shape, fm_vec3 *low, fm_vec3 *high)
{
    fm_vec3 x = fm_quat_rotate(shape->rotation, (fm_vec3){shape->half_size.x, 0, 0});
    fm_vec3 y = fm_quat_rotate(shape->rotation, (fm_vec3){0, shape->half_size.y, 0});
    fm_vec3 z = fm_quat_rotate(shape->rotation, (fm_vec3){0, 0, shape->half_size.z});
    fm_vec3 half = {fabs(x.x) + fabs(y.x) + fabs(z.x), fabs(x.y) + fabs(y.y) + fabs(z.y),
                    fabs(x.z) + fabs(y.z) + fabs(z.z)};
    *low = fm_sub(shape->centre, half);
    *high = fm_add(shape->centre, half);
}

// To the nearest face, in the frame of the box, from inside.
static fm_contact contact_face(fm_vec3 half, fm_vec3 q)
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

static fm_contact contact_box(const fm_shape *shape, fm_vec3 point)
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
        contact = contact_face(half, q);
    contact.point = fm_add(shape->centre, fm_quat_rotate(shape->rotation, contact.point));
    contact.normal = fm_quat_rotate(shape->rotation, contact.normal);
    return contact;
}

static const shape_methods methods[] = {
    [FM_SHAPE_PLANE] = {check_plane, bound_plane, contact_plane},
    [FM_SHAPE_SPHERE] = {check_sphere, bound_sphere, contact_sphere},
    [FM_SHAPE_CAPSULE] = {check_capsule, bound_capsule, contact_capsule},
    [FM_SHAPE_BOX] = {check_box, bound_box, contact_box},
    [FM_SHAPE_CYLINDER] = {check_cone, bound_cylinder, contact_cylinder},
    [FM_SHAPE_CONE] = {check_cone, bound_cone, contact_cone},
    [FM_SHAPE_ELLIPSOID] = {check_box, fm_ellipsoid_bound, fm_ellipsoid_contact},
};

bool fm_shape_check(fm_shape *shape, const char *object, fm_error *err)
{
    if ((unsigned)shape->kind >= sizeof methods / sizeof *methods)
        return fm_fail_number(err, object, "shape.kind", shape->kind,
                              "plane, sphere, capsule, box, cylinder, cone or ellipsoid");
    return methods[shape->kind].check(shape, object, err);
}

fm_shape fm_shape_carry(const fm_shape *shape, const fm_pose *pose)
{
    // every shape is made of points and directions: those it does not have move along unseen
    fm_shape carried = *shape;
    carried.centre = fm_pose_apply(pose, shape->centre);
    carried.start = fm_pose_apply(pose, shape->start);
    carried.end = fm_pose_apply(pose, shape->end);
    carried.normal = fm_quat_rotate(pose->rotation, shape->normal);
    carried.rotation = fm_quat_multiply(pose->rotation, shape->rotation);
    return carried;
}

void fm_shape_bound(const fm_shape *shape, fm_vec3 *low, fm_vec3 *high)
{
    assert((unsigned)shape->kind < sizeof methods / sizeof *methods);
    methods[shape->kind].bound(shape, low, high);
}

fm_contact fm_shape_contact(const fm_shape *shape, fm_vec3 point)
{
    assert((unsigned)shape->kind < sizeof methods / sizeof *methods);
    return methods[shape->kind].contact(shape, point);
}
