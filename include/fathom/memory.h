// SPDX-License-Identifier: MIT
// memory.h: fractional derivatives of sampled signals, at a cost per step that does not grow with
// time.
//
// A memory is the operator that computes fractional derivatives in time of `lane_count` independent
// scalar signals x, called lanes. At successive times the caller pushes (passes in) their rates
// dx/dt, and the memory computes the Caputo derivative of order q in (0, 1)
//
//     D^q x(t) = 1/Gamma(1-q) integral_0^t (t-s)^(-q) dx/ds ds,     in units of x times s^-q.
//
// All rates are 0 before the first push. When velocities are pushed, the result is D^q of the
// position. When accelerations are pushed, it is D^q of the velocity (the Basset force is the half
// derivative of a velocity).
//
//     fm_memory_push(m, rate, 0);        the rate at t = 0
//     fm_memory_push(m, rate, h);        the rate h later ...
//     fm_memory_value(m, derivative);    ... and D^q x there
//
// For implicit time stepping the next value is an affine function of the next rate,
//
//     D^q x(t + h) = w0 rate(t + h) + past_part,
//
// with w0 from fm_memory_newest_weight and past_part, which follows from past rates, from
// fm_memory_predict.
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

// How a memory computes the integral over past rates. The kernel is t^-q / Gamma(1-q).
typedef enum fm_memory_method {
    // Integrates over the whole past. The kernel is approximated by a sum of decaying exponentials,
    // each advanced by a one-term recurrence. Second order in the step; the step may change from
    // push to push. Cost and storage are constant up to half the horizon. Then they grow with the
    // logarithm of time, because slow exponentials are added. The default.
    FM_MEMORY_FULL,
    // Like FULL, with the kernel multiplied by e^(-t/fading_time), for materials in which the
    // influence of the past decays faster.
    FM_MEMORY_FADING,
    // The product trapezoidal rule over the rates of the last n steps (a window), or over all of
    // them. Second order if it covers the whole past. Fixed step.
    FM_MEMORY_TRAPEZOID,
    // The rule of [OKRC10] eq. (6), to reproduce that paper. Only for q = 1/2, with a fixed step.
    // It converges with order 1/2, not 1 as printed (see docs/memory.md).
    FM_MEMORY_COIMBRA,
} fm_memory_method;

// Value of window_steps for an integral over the whole past: storage grows by one rate per lane and
// step.
#define FM_MEMORY_UNLIMITED (-1)

// Definition of a memory, the operator that computes fractional derivatives.
typedef struct fm_memory_def {
    fm_memory_method method;
    double order; // q, order of the derivative, in (0, 1)
    // s, > 0, time between two pushes of rates. FULL, FADING: the smallest step; steps may be
    // longer. TRAPEZOID, COIMBRA: the only step.
    double time_step;
    // s, >= time_step. FULL, FADING: age of the past for which the kernel is fitted at first;
    // exponentials are added when the past becomes longer.
    double horizon;
    double tolerance; // relative error of the kernel on [time_step, horizon], in (1e-12, 0.1)
    // TRAPEZOID, COIMBRA: number of past steps that the integral covers, >= 1 (n steps are n + 1
    // rates), or FM_MEMORY_UNLIMITED, the default.
    int window_steps;
    // s, > 0. TRAPEZOID, COIMBRA: duration of the past that the integral covers, rounded to whole
    // steps. INFINITY, the default: window_steps is used.
    double window_seconds;
    double fading_time; // s, > 0. FADING: time constant tau of e^(-t/tau)
} fm_memory_def;

// The part of the past that a fractional force of a body or fluid integrates over.
typedef enum fm_recall_kind {
    FM_RECALL_FULL, // the whole past
    // the last `steps` substeps, as in the papers; the force then depends on the substep's length
    FM_RECALL_STEPS,
    FM_RECALL_SECONDS, // the last `seconds`
    FM_RECALL_FADING,  // the whole past, with the kernel multiplied by e^(-t/fading)
} fm_recall_kind;

// The quadrature rule of a fractional derivative over the last `steps` substeps: product
// trapezoidal rule, or that of [OKRC10] eq. (6).
typedef enum fm_recall_rule { FM_RULE_TRAPEZOID, FM_RULE_COIMBRA } fm_recall_rule;

// How far back the fractional derivative in a force of a body or fluid looks.
typedef struct fm_recall {
    fm_recall_kind kind;
    int steps;           // STEPS: number of past substeps that the integral covers, >= 1
    fm_recall_rule rule; // STEPS: quadrature rule
    double seconds;      // SECONDS: past time that the integral covers, s, > 0
    double fading;       // FADING: time constant of the decaying weight, s, > 0
    double tolerance;    // FULL, FADING: relative error of the approximated kernel t^-order
    double horizon;      // FULL: age of the past for which the kernel is fitted at first, s
    // STEPS, SECONDS: allow derivatives of orders below 0.31, for which truncating the past can
    // feed energy into oscillations instead of damping them.
    bool unsafe;
} fm_recall;

typedef struct fm_memory fm_memory;

// The default definition of a memory: FULL, order 1/2, time_step 1e-3 s, horizon 100 s, tolerance
// 1e-4, whole past, fading_time 1 s.
FM_API fm_memory_def fm_default_memory_def(void);

// Creates the operator for lane_count signals (lanes). Fills err and returns NULL when a field of
// def is out of range, lane_count < 1, or no storage is left.
FM_API fm_memory *fm_memory_create(const fm_memory_def *def, int lane_count, fm_error *err);
FM_API void fm_memory_destroy(fm_memory *memory); // does nothing for NULL

// Appends rate[lane_count], the time derivatives of all signals (lanes) h seconds after the last
// push. The first push must have h = 0 and gives the rates at t = 0. Returns false and changes
// nothing when h is not allowed, or when an integral over the whole past (FM_MEMORY_UNLIMITED)
// finds no more storage. Not allowed are: h below def.time_step for FULL and FADING, h different
// from def.time_step for TRAPEZOID and COIMBRA (both up to rounding), h = 0 after the first push,
// and h that is not finite.
FM_API bool fm_memory_push(fm_memory *memory, const double *rate, double h);

// Writes the fractional derivatives D^q x of all signals (lanes), at the time of the last pushed
// rates, to derivative[lane_count]. Zero before the second push.
FM_API void fm_memory_value(fm_memory *memory, double *derivative);

// Writes to past_part[lane_count] the part of the derivative D^q x at the next push, h seconds from
// now, that follows from past rates and not from the rates of that push: D^q x = newest weight *
// rate + past_part. False when a push with this h would be refused.
FM_API bool fm_memory_predict(fm_memory *memory, double h, double *past_part);

// Weight w0 of the newest rate in the derivative D^q x, in s^(1-q), for a push with step h (s).
FM_API double fm_memory_newest_weight(const fm_memory *memory, double h);

// One implicit time step of h seconds in one pass over the signals (lanes), in blocks that fit the
// cache. For each block, `solve` reads past_part[count], the part of D^q x that follows from past
// rates, of the lanes first to first + count - 1, and writes their new rates to rate[count]. These
// are then pushed. The result is the same as that of fm_memory_predict, solve for all lanes and
// fm_memory_push. False when the push would be refused.
typedef void fm_memory_solve(void *context, int first, int count, const double *past_part,
                             double *rate);
FM_API bool fm_memory_step(fm_memory *memory, double h, fm_memory_solve *solve, void *context);

// The next functions rearrange the lanes (differentiated signals) of a memory together with the
// particles or springs that they belong to.
//
// Reorders the lanes: lane i takes over the past rates of lane source[i]. source holds every lane
// once.
FM_API bool fm_memory_permute_lanes(fm_memory *memory, const int *source, fm_error *err);
// Appends new lanes (signals), whose past rates are 0.
FM_API bool fm_memory_add_lanes(fm_memory *memory, int count, fm_error *err);
// Removes the lanes (signals) listed in lanes[count], in any order. The remaining lanes are
// renumbered and keep their order.
FM_API bool fm_memory_remove_lanes(fm_memory *memory, const int *lanes, int count, fm_error *err);
// Sets all past rates of the lanes (signals) first to first + count - 1 to 0.
FM_API bool fm_memory_reset_lanes(fm_memory *memory, int first, int count, fm_error *err);

// Saves all past rates as bytes in this machine's byte order. fm_memory_save returns the size
// needed in bytes and writes only if `size` is at least that. fm_memory_restore checks the bytes
// and restores them into a memory with the same definition; on failure the memory is unchanged.
FM_API size_t fm_memory_save(const fm_memory *memory, void *buffer, size_t size);
FM_API bool fm_memory_restore(fm_memory *memory, const void *buffer, size_t size, fm_error *err);
FM_API uint64_t fm_memory_hash(const fm_memory *memory);

FM_API int fm_memory_lane_count(const fm_memory *memory);        // differentiated signals
FM_API int64_t fm_memory_push_count(const fm_memory *memory);    // times at which rates were pushed
FM_API size_t fm_memory_bytes_per_lane(const fm_memory *memory); // storage of one signal, bytes

// FM_MEMORY_FULL and FM_MEMORY_FADING approximate the kernel t^-q / Gamma(1-q) by a sum of
// decaying exponentials. Number of exponentials now, and largest relative error measured between
// their sum at the beginning and the kernel on [time_step, horizon] (FADING: up to the age at
// which the faded kernel is below the tolerance). Both are 0 for the other methods.
FM_API int fm_memory_exponential_count(const fm_memory *memory);
FM_API double fm_memory_kernel_error(const fm_memory *memory);
// FM_MEMORY_TRAPEZOID, FM_MEMORY_COIMBRA: number of past steps that the integral covers, or
// FM_MEMORY_UNLIMITED. 0 for the other methods.
FM_API int fm_memory_window_steps(const fm_memory *memory);

#ifdef __cplusplus
}
#endif

#endif
