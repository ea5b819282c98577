// SPDX-License-Identifier: MIT
// flow.c: media that move by themselves.
//
//   uniform       w = U
//   oscillating   w = U + V sin(2 pi t / T + phase)
//   shear         w = U + V (e . (x - c)) / R
//   vortex        w = U + S e x d min(1/R, R/d^2)     d = x - c across the axis e, S = |V|
//   cells         w = U + S (sin(k a) cos(k b), -cos(k a) sin(k b)) across e, k = pi / R
//
//   U velocity, V amplitude, e axis, c centre, R radius
#include "motion/motion.h"

#include <math.h>

static fm_vec3 any_perpendicular(fm_vec3 e)
{
    fm_vec3 other = fabs(e.y) < 0.9 ? (fm_vec3){0, 1, 0} : (fm_vec3){1, 0, 0};
    fm_vec3 p = fm_cross(other, e);
    return fm_scale(p, 1 / sqrt(fm_dot(p, p)));
}

bool fm_flow_check(fm_flow *flow, fm_error *err)
{
    static const char *const object = "medium flow";
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

bool fm_flow_is_uniform(const fm_flow *flow)
{
    return flow->kind == FM_FLOW_STILL || flow->kind == FM_FLOW_UNIFORM ||
           flow->kind == FM_FLOW_OSCILLATING;
}

static fm_vec3 vortex(const fm_flow *flow, fm_vec3 d)
{
    fm_vec3 across = fm_sub(d, fm_scale(flow->axis, fm_dot(flow->axis, d)));
    double dd = fm_dot(across, across), R = flow->radius;
    double speed = sqrt(fm_dot(flow->amplitude, flow->amplitude));
    return fm_scale(fm_cross(flow->axis, across), dd < R * R ? speed / R : speed * R / dd);
}

static fm_vec3 cells(const fm_flow *flow, fm_vec3 d)
{
    fm_vec3 p = any_perpendicular(flow->axis), q = fm_cross(flow->axis, p);
    double k = FM_PI / flow->radius, a = k * fm_dot(p, d), b = k * fm_dot(q, d);
    double speed = sqrt(fm_dot(flow->amplitude, flow->amplitude));
    return fm_add(fm_scale(p, speed * sin(a) * cos(b)), fm_scale(q, -speed * cos(a) * sin(b)));
}

fm_vec3 fm_flow_velocity(const fm_flow *flow, fm_vec3 x, double t)
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
        return fm_add(w, vortex(flow, d));
    case FM_FLOW_CELLS:
        return fm_add(w, cells(flow, d));
    case FM_FLOW_FUNCTION:
        return flow->function(flow->context, x, t);
    }
    return w;
}
