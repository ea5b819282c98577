// SPDX-License-Identifier: MIT
// medium_flow.c: velocity w of the medium at position x and time t, for prescribed flows.
//
//   uniform       w = U
//   oscillating   w = U + V sin(2 pi t / T + phase)
//   shear         w = U + V (e . (x - c)) / R
//   vortex        w = U + S e x d min(1/R, R/d^2), S = |V|, d the part of x - c perpendicular to e:
//                 a Rankine vortex
//   parabolic     w = U + V |d|^2 / R^2, d as above
//   cells         w = U + S (sin(k a) cos(k b) p - cos(k a) sin(k b) q),   k = pi / R, a = p . d,
//                 b = q . d, with unit vectors p and q perpendicular to e: Taylor-Green vortices
//
//   U  velocity, m/s      V  amplitude, m/s      T  period, s      e  axis, unit vector
//   c  centre, m          R  radius, m
//
// Turbulence (turbulence.c) is added to each of them. The spatially uniform part of the flow
// carries it: until time t by X(t) = U t, and in an oscillating flow by X(t) = U t + V T/(2 pi)
// (cos(phase) - cos(2 pi t / T + phase)), m.
#include "motion/motion.h"

#include <math.h>

// A unit vector perpendicular to the unit vector e.
static fm_vec3 find_perpendicular(fm_vec3 e)
{
    fm_vec3 other = fabs(e.y) < 0.9 ? (fm_vec3){0, 1, 0} : (fm_vec3){1, 0, 0};
    fm_vec3 p = fm_cross(other, e);
    return fm_scale(p, 1 / sqrt(fm_dot(p, p)));
}

// Checks intensity, length scale and seed of the turbulence.
static bool check_turbulence(const fm_turbulence *turbulence, fm_error *err)
{
    static const char *const object = "medium turbulence";
    if (!(turbulence->intensity >= 0 && turbulence->intensity <= 1e3))
        return fm_fail_number(err, object, "intensity", turbulence->intensity, "0 to 1e3 m/s");
    if (turbulence->intensity > 0 && !(turbulence->length > 0 && turbulence->length <= 1e4))
        return fm_fail_number(err, object, "length", turbulence->length, "> 0 and at most 1e4 m");
    if (turbulence->seed < 0 || turbulence->seed > 1000000000)
        return fm_fail_number(err, object, "seed", turbulence->seed, "0 to 1e9");
    return true;
}

// Checks the values that this kind of flow uses and normalizes its axis.
bool fm_flow_check(fm_flow *flow, fm_error *err)
{
    static const char *const object = "medium flow";
    flow->eddies = NULL;
    if (!check_turbulence(&flow->turbulence, err))
        return false;
    if (flow->kind > FM_FLOW_FUNCTION)
        return fm_fail_number(err, object, "kind", flow->kind, "an fm_flow_kind");
    const double numbers[] = {
        flow->velocity.x,  flow->velocity.y, flow->velocity.z, flow->amplitude.x, flow->amplitude.y,
        flow->amplitude.z, flow->phase,      flow->centre.x,   flow->centre.y,    flow->centre.z};
    for (int i = 0; i < 10; i++) {
        if (!isfinite(numbers[i]))
            return fm_fail_number(err, object, "velocity", numbers[i], "finite numbers");
    }
    if (flow->kind == FM_FLOW_OSCILLATING && !(flow->period > 0 && isfinite(flow->period)))
        return fm_fail_number(err, object, "period", flow->period, "> 0 seconds");
    if (flow->kind == FM_FLOW_FUNCTION && !flow->function)
        return fm_fail(err, FM_BAD_VALUE, object, "function", "NULL", "a function");
    if (flow->kind < FM_FLOW_SHEAR || flow->kind == FM_FLOW_FUNCTION)
        return true;
    if (!(flow->radius > 0 && isfinite(flow->radius)))
        return fm_fail_number(err, object, "radius", flow->radius, "> 0 metres");
    double length = sqrt(fm_dot(flow->axis, flow->axis));
    if (!(length > 0 && isfinite(length)))
        return fm_fail_number(err, object, "axis", length, "a vector with a direction");
    flow->axis = fm_scale(flow->axis, 1 / length);
    return true;
}

// True if the velocity is the same at all positions.
bool fm_flow_is_uniform(const fm_flow *flow)
{
    return !flow->eddies && (flow->kind == FM_FLOW_STILL || flow->kind == FM_FLOW_UNIFORM ||
                             flow->kind == FM_FLOW_OSCILLATING);
}

// Velocity of a Rankine vortex at d, relative to its centre: rigid rotation inside its radius,
// falling with the distance outside.
static fm_vec3 vortex_velocity(const fm_flow *flow, fm_vec3 d)
{
    fm_vec3 across = fm_sub(d, fm_scale(flow->axis, fm_dot(flow->axis, d)));
    double d2 = fm_dot(across, across), R = flow->radius;
    double speed = sqrt(fm_dot(flow->amplitude, flow->amplitude));
    return fm_scale(fm_cross(flow->axis, across), d2 < R * R ? speed / R : speed * R / d2);
}

// Velocity that grows with the square of the distance from the axis, at d, relative to the centre.
static fm_vec3 parabolic_velocity(const fm_flow *flow, fm_vec3 d)
{
    double along = fm_dot(flow->axis, d), square = fm_dot(d, d) - along * along;
    return fm_scale(flow->amplitude, square / (flow->radius * flow->radius));
}

// Velocity of Taylor-Green vortices at d, relative to their centre.
static fm_vec3 cells_velocity(const fm_flow *flow, fm_vec3 d)
{
    fm_vec3 p = find_perpendicular(flow->axis), q = fm_cross(flow->axis, p);
    double k = FM_PI / flow->radius, a = k * fm_dot(p, d), b = k * fm_dot(q, d);
    double speed = sqrt(fm_dot(flow->amplitude, flow->amplitude));
    return fm_add(fm_scale(p, speed * sin(a) * cos(b)), fm_scale(q, -speed * cos(a) * sin(b)));
}

// Distance X(t), m, by which the mean flow has carried the eddies since t = 0.
static fm_vec3 find_carried_distance(const fm_flow *flow, double t)
{
    fm_vec3 carried =
        flow->kind == FM_FLOW_STILL ? (fm_vec3){0, 0, 0} : fm_scale(flow->velocity, t);
    if (flow->kind != FM_FLOW_OSCILLATING)
        return carried;
    double omega = 2 * FM_PI / flow->period;
    double swing = (cos(flow->phase) - cos(omega * t + flow->phase)) / omega;
    return fm_add_scaled(carried, flow->amplitude, swing);
}

// Velocity of the flow without turbulence, m/s.
static fm_vec3 find_mean_velocity(const fm_flow *flow, fm_vec3 x, double t)
{
    fm_vec3 w = flow->kind == FM_FLOW_STILL ? (fm_vec3){0, 0, 0} : flow->velocity;
    fm_vec3 d = fm_sub(x, flow->centre);
    switch (flow->kind) {
    case FM_FLOW_STILL:
    case FM_FLOW_UNIFORM:
        return w;
    case FM_FLOW_OSCILLATING:
        return fm_add(w,
                      fm_scale(flow->amplitude, sin(2 * FM_PI * t / flow->period + flow->phase)));
    case FM_FLOW_SHEAR:
        return fm_add(w, fm_scale(flow->amplitude, fm_dot(flow->axis, d) / flow->radius));
    case FM_FLOW_VORTEX:
        return fm_add(w, vortex_velocity(flow, d));
    case FM_FLOW_CELLS:
        return fm_add(w, cells_velocity(flow, d));
    case FM_FLOW_PARABOLIC:
        return fm_add(w, parabolic_velocity(flow, d));
    case FM_FLOW_FUNCTION:
        return flow->function(flow->context, x, t);
    }
    return w;
}

// Velocity of the medium at position x and time t, m/s, with turbulence.
fm_vec3 fm_flow_velocity(const fm_flow *flow, fm_vec3 x, double t)
{
    fm_vec3 w = find_mean_velocity(flow, x, t);
    if (!flow->eddies)
        return w;
    return fm_add(w,
                  fm_eddies_velocity(flow->eddies, fm_sub(x, find_carried_distance(flow, t)), t));
}
