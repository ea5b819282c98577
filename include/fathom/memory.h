// SPDX-License-Identifier: MIT
// memory.h: fractional derivatives of sampled signals, at a cost that does not grow with time.
//
// A memory holds the past of `lane_count` independent scalars ("lanes"). It is fed rates dx/dt and
// gives the Caputo derivative of order q in (0, 1)
//
//     D^q x(t) = 1/Gamma(1-q) integral_0^t (t-s)^(-q) dx/ds ds,     in units of x times s^-q.
//
// Before the first push everything was at rest. Fed velocities it gives D^q of the position; fed
// accelerations, D^q of the velocity (the Basset force is the half derivative of a velocity).
//
//     fm_memory_push(m, rate, 0);        the rate at t = 0
//     fm_memory_push(m, rate, h);        the rate h later ...
//     fm_memory_value(m, derivative);    ... and D^q x there
//
// For implicit time stepping the next value is an affine function of the next rate,
//
//     D^q x(t + h) = w0 rate(t + h) + known,
//
// with w0 from fm_memory_newest_weight and known from fm_memory_predict.
//
// A memory is used from one thread at a time; different memories are independent.
#ifndef FATHOM_MEMORY_H
#define FATHOM_MEMORY_H

#include <fathom/api.h>
#include <fathom/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fm_memory_method {
    // The whole past: the kernel as a sum of decaying exponentials, each a one-term recurrence.
    // Second order in the step, constant cost and storage, steps may change. The default.
    FM_MEMORY_FULL,
    // The same for materials that forget: the kernel times e^(-t/fading_time).
    FM_MEMORY_FADING,
    // The product trapezoidal rule over a window of past rates, or over all of them. Second order
    // when it sees the whole past. Fixed step.
    FM_MEMORY_TRAPEZOID,
    // The rule of Ozgen et al. 2010, eq. (6), for reproducing that paper: order 1/2 only, fixed
    // step, and converging with order 1/2 only, not 1 as printed (see docs/memory.md).
    FM_MEMORY_COIMBRA,
} fm_memory_method;

// window_steps: see the whole past, which grows by one rate per lane and step.
#define FM_MEMORY_UNLIMITED (-1)

typedef struct fm_memory_def {
    fm_memory_method method;
    double order;          // q, in (0, 1)
    double time_step;      // s, > 0. FULL, FADING: the smallest step that will be pushed; steps may
                           // vary above it. TRAPEZOID, COIMBRA: the step, the same for every push
    double horizon;        // s, >= time_step: how far back FULL and FADING hold their tolerance
    double tolerance;      // relative error of the kernel on [time_step, horizon], in (1e-12, 0.1)
    int window_steps;      // TRAPEZOID, COIMBRA: intervals remembered, >= 1 (n intervals are n + 1
                           // rates), or FM_MEMORY_UNLIMITED, the default
    double window_seconds; // s, > 0: the window as a duration instead, rounded to whole steps.
                           // INFINITY, the default, leaves it to window_steps
    double fading_time;    // s, > 0. FADING: tau of e^(-t/tau)
} fm_memory_def;

// How far back a fractional force looks.
typedef enum fm_recall_kind {
    FM_RECALL_FULL,    // the whole past
    FM_RECALL_STEPS,   // the last `steps` substeps, as the papers did: results change with the
                       // substep
    FM_RECALL_SECONDS, // the last `seconds`
    FM_RECALL_FADING,  // the past times e^(-t/fading)
} fm_recall_kind;

typedef enum fm_recall_rule { FM_RULE_TRAPEZOID, FM_RULE_COIMBRA } fm_recall_rule;

typedef struct fm_recall {
    fm_recall_kind kind;
    int steps;           // STEPS: >= 1
    fm_recall_rule rule; // STEPS
    double seconds;      // s, SECONDS: > 0
    double fading;       // s, FADING: > 0
    double tolerance;    // FULL, FADING: of the kernel, relative
    double horizon;      // s, FULL: how far back the tolerance holds
    bool unsafe; // STEPS, SECONDS: allow orders below 0.31, which can drive what they should damp
} fm_recall;

typedef struct fm_memory fm_memory;

// FULL, order 1/2, time_step 1e-3 s, horizon 100 s, tolerance 1e-4, no window, fading_time 1 s.
FM_API fm_memory_def fm_default_memory_def(void);

// NULL with err filled when a field of def is out of range, lane_count < 1, or memory runs out.
FM_API fm_memory *fm_memory_create(const fm_memory_def *def, int lane_count, fm_error *err);
FM_API void fm_memory_destroy(fm_memory *memory); // NULL is fine

// Takes rate[lane_count], the rates h seconds after the last push; the first push has h = 0 and
// gives the rates at t = 0. False, with nothing changed, when h is not allowed: below def.time_step
// for FULL and FADING, different from it for TRAPEZOID and COIMBRA (both up to rounding), zero or
// not zero at the wrong time, not finite; or when an unlimited window finds no more memory.
FM_API bool fm_memory_push(fm_memory *memory, const double *rate, double h);

// derivative[lane_count]: D^q x at the time of the last push. Zero before the second push.
FM_API void fm_memory_value(fm_memory *memory, double *derivative);

// known[lane_count]: the part of the value h seconds on that does not depend on the rate there.
// False when a push with this h would be refused.
FM_API bool fm_memory_predict(fm_memory *memory, double h, double *known);

// d value / d rate of a push with step h: s^(1-q).
FM_API double fm_memory_newest_weight(const fm_memory *memory, double h);

// Predict, solve and push in one pass over the lanes, in blocks that fit the cache: for each block
// `solve` reads known[count] of lanes first .. first + count - 1 and writes their new rates.
// The same as fm_memory_predict, the solve, fm_memory_push; false when the push would be refused.
typedef void fm_memory_solve(void *context, int first, int count, const double *known,
                             double *rate);
FM_API bool fm_memory_step(fm_memory *memory, double h, fm_memory_solve *solve, void *context);

// Lanes move with what they stand for: particles are sorted, springs come and go.
// Lane i becomes what lane source[i] was; source holds every lane once.
FM_API bool fm_memory_permute_lanes(fm_memory *memory, const int *source, fm_error *err);
// New lanes behind the others, at rest so far.
FM_API bool fm_memory_add_lanes(fm_memory *memory, int count, fm_error *err);
// Removes lanes[count], in any order; the others close ranks and keep their order.
FM_API bool fm_memory_remove_lanes(fm_memory *memory, const int *lanes, int count, fm_error *err);
// Lanes first .. first + count - 1 forget their past.
FM_API bool fm_memory_reset_lanes(fm_memory *memory, int first, int count, fm_error *err);

// The whole state as bytes, for this machine's byte order. Save returns the size needed and writes
// only if `size` is enough. Restore takes it back into a memory of the same definition and checks
// it: on failure the memory is as it was.
FM_API size_t fm_memory_save(const fm_memory *memory, void *buffer, size_t size);
FM_API bool fm_memory_restore(fm_memory *memory, const void *buffer, size_t size, fm_error *err);
FM_API uint64_t fm_memory_hash(const fm_memory *memory);

FM_API int fm_memory_lane_count(const fm_memory *memory);
FM_API int64_t fm_memory_push_count(const fm_memory *memory);
FM_API size_t fm_memory_bytes_per_lane(const fm_memory *memory); // of state
// FULL, FADING: exponentials in the kernel, and the largest relative error measured between it and
// t^-q / Gamma(1-q) on [time_step, horizon] (FADING: as far as anything is left of it). 0 for the
// others.
FM_API int fm_memory_exponential_count(const fm_memory *memory);
FM_API double fm_memory_kernel_error(const fm_memory *memory);
// TRAPEZOID, COIMBRA: intervals remembered, FM_MEMORY_UNLIMITED when all are. 0 for the others.
FM_API int fm_memory_window_steps(const fm_memory *memory);

#ifdef __cplusplus
}
#endif

#endif
