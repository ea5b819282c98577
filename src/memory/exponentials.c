// SPDX-License-Identifier: MIT
// exponentials.c: approximates the power-law kernel of a fractional derivative by a sum of
// exponentials, and advances these by one-term recurrences.
//
//   q  order, 0 < q < 1         u  rate dx/dt               D    derivative of order q of x
//   h  step, s                  t  time, s                  tau  fading time, s
//   lambda_k, w_k  rate (1/s) and weight (s^-q) of exponential k
//
// The kernel of the derivative is written as a Laplace integral over s = log(lambda):
//
//     k(t) = t^-q / Gamma(1-q) = (sin(pi q) / pi) integral e^(-t e^s) e^(q s) ds
//
// The trapezoidal rule with spacing delta turns the integral into a sum of exponentials with rates
// e^s and positive weights; its error falls like e^(-pi^2 / delta). Rates that are too fast to
// matter at the shortest time are left out. The slow nodes are infinitely many, but they form a
// geometric sequence whose moments have closed forms. All nodes below some s are therefore replaced
// by the two-point Gauss rule with the same moments m0 .. m3: the two "lumped" nodes. Finally the
// error is measured on a fine grid of times.
//
// Each exponential keeps one number per lane, s_k = integral e^(-lambda_k (t-s)) u(s) ds, called a
// mode. With u linear between pushes, one step h is, exactly and for any h,
//
//     s_k <- e^-z s_k + h (A u_old + B u_new),   z = lambda_k h
//     A = (1 - e^-z - z e^-z) / z^2,   B = (z - 1 + e^-z) / z^2
//
// The newest interval, where the kernel is singular, is integrated exactly (product trapezoid):
//
//     D = w0 u_new + w1 u_old + sum_k g_k s_k(before),   g_k = w_k e^(-lambda_k h)
//     w0 = 1/Gamma(1-q) integral_0^h t^-q e^(-t/tau) (1 - t/h) dt
//     w1 = 1/Gamma(1-q) integral_0^h t^-q e^(-t/tau) (t/h) dt
//
// Without fading (tau = infinity) these are w0 = h^(1-q) / Gamma(3-q) and w1 = (1-q) w0.
// A fading memory differs only in that it has lambda_k + 1/tau in place of lambda_k.
#include "memory/memory.h"

#include <math.h>
#include <string.h>

enum {
    COARSE_POINTS = 400, // times at which the error is measured while sums are searched for
    FINE_POINTS = 4000,  // times at which the error of the resulting sum is measured
};

// Trapezoidal rule in s = log(lambda), lambda: decay rate, for times in units of the shortest one.
// Node j is at s = top - (j + 1/2) delta.
typedef struct quadrature {
    double q;     // order of the derivative
    double delta; // distance of the nodes
    double top;   // upper end of the interval of s that the nodes cover
} quadrature;

// Largest relative error of the sum of exponentials as an approximation of the kernel
// t^-q / Gamma(1-q), measured at `points` times t from 1 to `ratio`, evenly spaced in log t. Times
// are in units of the shortest fitted time.
static double largest_error(const fm_exponentials *sum, double q, double ratio, int points)
{
    double gamma = tgamma(1 - q);
    double worst = 0;
    for (int i = 0; i < points; i++) {
        double t = pow(ratio, (double)i / (points - 1));
        double value = 0;
        for (int k = 0; k < sum->count; k++)
            value += sum->weight[k] * exp(-sum->decay_rate[k] * t);
        worst = fmax(worst, fabs(value * gamma * pow(t, q) - 1));
    }
    return worst;
}

// Weight of the exponential with decay rate e^s in the trapezoidal rule for the kernel.
static double node_weight(const quadrature *rule, double s)
{
    return sin(FM_PI * rule->q) / FM_PI * rule->delta * exp(rule->q * s);
}

// Replaces the infinitely many nodes at s, s - delta, s - 2 delta ... by two ("lumped") nodes: the
// Gauss rule with the same moments m[i] = sum of weights times lambda^i, i = 0 to 3. In units of
// the first weight and of e^s the moments are geometric series with closed sums. The two new rates
// `fast` and `slow` are the roots of x^2 + c1 x + c0.
static void lump_slow_nodes(const quadrature *rule, double s, double rate[2], double weight[2])
{
    double m[4];
    for (int i = 0; i < 4; i++)
        m[i] = 1 / -expm1(-(rule->q + i) * rule->delta);
    double determinant = m[0] * m[2] - m[1] * m[1];
    double c0 = (m[1] * m[3] - m[2] * m[2]) / determinant;
    double c1 = (m[1] * m[2] - m[0] * m[3]) / determinant;
    double half = -c1 / 2, root = sqrt(half * half - c0);
    double fast = half + root, slow = c0 / fast;
    double scale = node_weight(rule, s);
    rate[0] = fast * exp(s);
    rate[1] = slow * exp(s);
    weight[0] = scale * (m[1] - m[0] * slow) / (fast - slow);
    weight[1] = scale * (m[0] * fast - m[1]) / (fast - slow);
}

// Ratio of two relative errors: that of the derivative of an oscillation e^(i w t) to that of the
// kernel. The error of the kernel is a ripple cos(y log t), y = 2 pi / delta. The response of the
// ripple to e^(i w t) is |Gamma(1-q+iy)| e^(pi y/2) / (2 Gamma(1-q)) times that of the kernel, and
// Stirling's formula gives the expression below. For small orders the ratio exceeds 1: the
// contributions of past rates to the derivative of an oscillation cancel, but in the ripple they do
// not.
static double error_amplification(const quadrature *rule)
{
    double y = 2 * FM_PI / rule->delta;
    return sqrt(2 * FM_PI) / 2 * pow(y, 0.5 - rule->q) / tgamma(1 - rule->q);
}

// The times at which candidate sums of exponentials are compared with the kernel, in units of the
// shortest fitted time.
typedef struct kernel_samples {
    double ratio;                 // longest time / shortest time
    double t[COARSE_POINTS];      // the times
    double kernel[COARSE_POINTS]; // the kernel at the times
    double value[COARSE_POINTS];  // sum of the first `added` exponentials of a candidate
    int added[COARSE_POINTS];
    int worst; // index of the time at which the last candidate failed
} kernel_samples;

// Computes the times, from 1 to `ratio`, and the kernel of order q at them.
static void fill_kernel_samples(kernel_samples *samples, double q, double ratio)
{
    double gamma = tgamma(1 - q);
    samples->ratio = ratio;
    for (int i = 0; i < COARSE_POINTS; i++) {
        samples->t[i] = pow(ratio, (double)i / (COARSE_POINTS - 1));
        samples->kernel[i] = pow(samples->t[i], -q) / gamma;
    }
}

// Whether the first `nodes` exponentials of `sum` and the two lumped nodes after them approximate
// the kernel with a relative error of at most `tolerance` at all sample times. Most candidates fail
// at the same time as the previous candidate, so this time is tried first. Exponentials are
// evaluated at a time only when that time is tried.
static bool meets_tolerance(kernel_samples *samples, const fm_exponentials *sum, int nodes,
                            double tolerance)
{
    const double *rate = sum->decay_rate, *weight = sum->weight;
    int i = samples->worst;
    for (int n = 0; n < COARSE_POINTS; n++, i = i + 1 < COARSE_POINTS ? i + 1 : 0) {
        double t = samples->t[i];
        for (; samples->added[i] < nodes; samples->added[i]++) {
            int k = samples->added[i];
            samples->value[i] += weight[k] * exp(-rate[k] * t);
        }
        double lumped =
            weight[nodes] * exp(-rate[nodes] * t) + weight[nodes + 1] * exp(-rate[nodes + 1] * t);
        if (fabs((samples->value[i] + lumped) / samples->kernel[i] - 1) > tolerance) {
            samples->worst = i;
            return false;
        }
    }
    return true;
}

// Adds nodes of the quadrature to `sum`, from the fastest down, until they and the two lumped nodes
// meet the tolerance at the sample times. fine_grid: they must meet it at FINE_POINTS times too.
// False if more than `limit` exponentials are needed.
static bool add_nodes(fm_exponentials *sum, const quadrature *rule, kernel_samples *samples,
                      double tolerance, int limit, bool fine_grid)
{
    memset(samples->value, 0, sizeof samples->value);
    memset(samples->added, 0, sizeof samples->added);
    for (int j = 0; j + 2 <= limit; j++) {
        double s = rule->top - (j + 0.5) * rule->delta;
        lump_slow_nodes(rule, s, sum->decay_rate + j, sum->weight + j);
        sum->count = j + 2;
        sum->spacing = rule->delta;
        sum->slow_node = s;
        if (meets_tolerance(samples, sum, j, tolerance) &&
            (!fine_grid || largest_error(sum, rule->q, samples->ratio, FINE_POINTS) <= tolerance))
            return true;
        sum->decay_rate[j] = exp(s);
        sum->weight[j] = node_weight(rule, s);
    }
    return false;
}

// Estimates spacing and fastest node of the quadrature for a tolerance. The spacing is 2 pi / y,
// where y follows from |Gamma(q + iy)| ~ sqrt(2 pi) y^(q-1/2) e^(-pi y/2). The decay rate x of the
// fastest node, per shortest time, follows from the tail of the incomplete gamma function. Both
// equations are solved by fixed-point iteration.
static quadrature choose_quadrature(double q, double tolerance)
{
    enum { ITERATIONS = 60 };
    double y = 4, x = 5; // initial guesses
    for (int i = 0; i < ITERATIONS; i++) {
        y = 2 / FM_PI * log(2 * sqrt(2 * FM_PI) * pow(y, q - 0.5) / (tgamma(q) * tolerance / 2));
        y = fmax(y, 1); // small orders with coarse tolerances leave the asymptotic range
        x = fmax(0.5, log(4 / (tolerance * tgamma(q))) - (1 - q) * log(x));
    }
    return (quadrature){.q = q, .delta = 2 * FM_PI / y, .top = log(x)};
}

// Finds the fewest exponentials that meet the tolerance at the sample times and, with `fine_grid`,
// at FINE_POINTS times too. The result must meet *allowed_error, which is below `tolerance` if the
// quadrature amplifies errors. If no sum is found, the count of the result is above
// FM_MEMORY_MAX_EXPONENTIALS.
//
// The estimates of choose_quadrature are conservative in most cases: a wider spacing often meets
// the tolerance with fewer exponentials. In some cases a narrower spacing is needed. So a range of
// spacings and of upper ends `top` is searched; the range was found by trying orders 0.01 to 0.99
// and tolerances 1e-1 to 1e-12.
static fm_exponentials find_fewest(kernel_samples *samples, double order, double tolerance,
                                   bool fine_grid, double *allowed_error)
{
    enum { SPACINGS = 34, SPACINGS_IF_FOUND = 14 }; // tried in all, and tried if one of them works
    enum { SHIFTS = 3 };                            // shifts of `top`: -SHIFTS to SHIFTS - 1
    const double WIDEST = 1.4;                      // first spacing tried / estimated spacing
    const double NARROWING = 0.97;                  // ratio of a spacing to the one tried before it
    const double SHIFT = 0.2;                       // of `top`
    // largest relative error of the derivative of an oscillation, in tolerances
    const double OSCILLATION_ERROR = 1.6;
    quadrature estimate = choose_quadrature(order, tolerance);
    fm_exponentials best = {.count = FM_MEMORY_MAX_EXPONENTIALS + 1};
    for (int narrowing = 0; narrowing < SPACINGS; narrowing++) {
        for (int shift = -SHIFTS; shift < SHIFTS; shift++) {
            quadrature rule = estimate;
            rule.delta *= WIDEST * pow(NARROWING, narrowing);
            rule.top += SHIFT * shift;
            fm_exponentials trial = {0};
            double allowed = tolerance * fmin(1, OSCILLATION_ERROR / error_amplification(&rule));
            if (add_nodes(&trial, &rule, samples, allowed, best.count - 1, fine_grid)) {
                best = trial;
                *allowed_error = allowed;
            }
        }
        if (best.count <= FM_MEMORY_MAX_EXPONENTIALS && narrowing + 1 >= SPACINGS_IF_FOUND)
            break;
    }
    return best;
}

// Fits exponentials to the kernel of the given order on the times from `shortest` to `longest`, s,
// with a relative error of at most `tolerance`. False when FM_MEMORY_MAX_EXPONENTIALS are not
// enough.
bool fm_exponentials_build(fm_exponentials *sum, double order, double shortest, double longest,
                           double tolerance)
{
    kernel_samples samples = {0};
    double ratio = longest / shortest, allowed_error = 0;
    fill_kernel_samples(&samples, order, ratio);
    // Measuring on the fine grid costs more than the search, and the result of the coarse search
    // nearly always passes. A search on the fine grid would then have found the same result,
    // because it only rejects more candidates. So search on the fine grid only if the result fails.
    for (int fine_grid = 0; fine_grid < 2; fine_grid++) {
        *sum = find_fewest(&samples, order, tolerance, fine_grid, &allowed_error);
        if (sum->count > FM_MEMORY_MAX_EXPONENTIALS)
            return false;
        sum->error = largest_error(sum, order, ratio, FINE_POINTS);
        if (sum->error <= allowed_error)
            break;
    }
    for (int k = 0; k < sum->count; k++) { // from units of the shortest time to seconds
        sum->decay_rate[k] /= shortest;
        sum->weight[k] *= pow(shortest, -order);
    }
    sum->slow_node -= log(shortest);
    return true;
}

// Turns the first of the two lumped nodes into a node of its own and lumps the slower nodes again.
// The quadrature is invariant under a change of the unit of time by a factor e^spacing. The error
// of the lumped nodes therefore moves to longer times by that factor and does not grow.
void fm_exponentials_add_slow_node(fm_exponentials *sum, double order)
{
    quadrature rule = {.q = order, .delta = sum->spacing};
    int split = sum->count - 2;
    sum->decay_rate[split] = exp(sum->slow_node);
    sum->weight[split] = node_weight(&rule, sum->slow_node);
    sum->slow_node -= sum->spacing;
    lump_slow_nodes(&rule, sum->slow_node, sum->decay_rate + split + 1, sum->weight + split + 1);
    sum->count++;
}

// Inserts a node before the fastest one. The error that missing fast nodes cause at short times
// moves to times shorter by the factor e^-spacing.
void fm_exponentials_add_fast_node(fm_exponentials *sum, double order)
{
    quadrature rule = {.q = order, .delta = sum->spacing};
    double s = sum->slow_node + (sum->count - 1) * sum->spacing;
    memmove(sum->decay_rate + 1, sum->decay_rate, (size_t)sum->count * sizeof *sum->decay_rate);
    memmove(sum->weight + 1, sum->weight, (size_t)sum->count * sizeof *sum->weight);
    sum->decay_rate[0] = exp(s);
    sum->weight[0] = node_weight(&rule, s);
    sum->count++;
}

// Weights a, b of the old and the new rate in the integral of e^(-z (1-x)) u(x) over one step, x
// from 0 to 1, where u is linear: A and B at the head of this file. Both are 1/2 at z = 0, where
// their closed forms lose all digits by cancellation, so small z use the power series.
static void interval_weights(double z, double *a, double *b)
{
    const double SMALL_Z = 0.5;
    enum { SERIES_TERMS = 16 }; // 0.5^16 / 16! is below rounding
    if (z > SMALL_Z) {
        double e = exp(-z);
        *a = (1 - e - z * e) / (z * z);
        *b = (z - 1 + e) / (z * z);
        return;
    }
    double power = 1; // (-z)^j / j!
    *a = *b = 0;
    for (int j = 0; j < SERIES_TERMS; j++) {
        *a += power / (j + 2);
        *b += power / ((j + 1) * (j + 2));
        power *= -z / (j + 1);
    }
}

// integral_0^1 x^(a-1) e^(-z x) dx, which is the lower incomplete gamma function divided by z^a,
// computed by a series of positive terms. For large z the integral from 1 to infinity is below
// rounding, and the complete gamma function is used.
static double tempered_power(double a, double z)
{
    const double LARGE_Z = 60, ROUNDING = 1e-17; // relative
    if (z > LARGE_Z)
        return tgamma(a) * pow(z, -a);
    double term = 1 / a, total = term;
    for (int n = 1; term > ROUNDING * total; n++) {
        term *= z / (a + n);
        total += term;
    }
    return total * exp(-z);
}

// Computes the coefficients of a step of h seconds (equations at the head of this file).
// fading_rate: 1/tau, 1/s.
void fm_recurrence_build(fm_recurrence *recurrence, const fm_exponentials *sum, double order,
                         double fading_rate, double h)
{
    double scale = pow(h, 1 - order) / tgamma(1 - order);
    double z = fading_rate * h;
    recurrence->step = h;
    recurrence->previous_weight = scale * tempered_power(2 - order, z);
    recurrence->newest_weight = scale * tempered_power(1 - order, z) - recurrence->previous_weight;
    for (int k = 0; k < sum->count; k++) {
        double a, b;
        z = (sum->decay_rate[k] + fading_rate) * h;
        interval_weights(z, &a, &b);
        recurrence->decay_factor[k] = exp(-z);
        recurrence->from_old[k] = h * a;
        recurrence->from_new[k] = h * b;
        recurrence->gain[k] = sum->weight[k] * exp(-z);
    }
}

// Recomputes ROW_SUM of each block, the part of the next derivative that comes from the modes, with
// the gains of a new step length. modes: number of exponentials.
FM_SIMD_CLONES
static void refresh_sums(double *restrict block, int block_count, int modes,
                         const double *restrict gain)
{
    for (int b = 0; b < block_count; b++) {
        double total[FM_LANES] = {0};
        double *mode = block + ROW_MODES * FM_LANES;
        for (int k = 0; k < modes; k++, mode += FM_LANES) {
#pragma omp simd
            for (int l = 0; l < FM_LANES; l++)
                total[l] += gain[k] * mode[l];
        }
        memcpy(block + ROW_SUM * FM_LANES, total, sizeof total);
        block = mode;
    }
}

void fm_exponentials_refresh_sums(fm_memory *memory, int block, int block_count)
{
    refresh_sums(fm_memory_row(memory, block, 0), block_count, memory->sum.count,
                 memory->recurrence->gain);
}

// Writes the part of the next derivative that does not depend on the next rate, w1 u_old +
// sum_k g_k s_k. Before the first push there is no old rate.
void fm_exponentials_predict(fm_memory *memory, int block, int block_count, double *past_part)
{
    double w1 = memory->push_count ? memory->recurrence->previous_weight : 0;
    const double *rows = fm_memory_row(memory, block, 0);
    for (int b = 0; b < block_count; b++, past_part += FM_LANES) {
        for (int l = 0; l < FM_LANES; l++)
            past_part[l] = w1 * rows[ROW_NEWEST * FM_LANES + l] + rows[ROW_SUM * FM_LANES + l];
        rows += (size_t)memory->row_count * FM_LANES;
    }
}

// One step in one pass over the blocks: computes the derivative at the new time, advances the
// modes, and computes ROW_SUM for the next step. modes: number of exponentials; r: coefficients of
// the step; rate: new rates of the lanes.
FM_SIMD_CLONES
static void push_blocks(double *restrict block, int block_count, int modes,
                        const fm_recurrence *restrict r, const double *restrict rate)
{
    for (int b = 0; b < block_count; b++, rate += FM_LANES) {
        double old[FM_LANES], new[FM_LANES], total[FM_LANES];
        for (int l = 0; l < FM_LANES; l++) {
            old[l] = block[ROW_NEWEST * FM_LANES + l];
            new[l] = rate[l];
            block[ROW_NEWEST * FM_LANES + l] = new[l];
            block[ROW_VALUE * FM_LANES + l] =
                r->newest_weight * new[l] +
                (r->previous_weight * old[l] + block[ROW_SUM * FM_LANES + l]);
            total[l] = 0;
        }
        double *mode = block + ROW_MODES * FM_LANES;
        for (int k = 0; k < modes; k++, mode += FM_LANES) {
            double decay = r->decay_factor[k], from_old = r->from_old[k], from_new = r->from_new[k];
            double gain = r->gain[k];
#pragma omp simd
            for (int l = 0; l < FM_LANES; l++) {
                double s = decay * mode[l] + (from_old * old[l] + from_new * new[l]);
                mode[l] = s;
                total[l] += gain * s;
            }
        }
        for (int l = 0; l < FM_LANES; l++)
            block[ROW_SUM * FM_LANES + l] = total[l];
        block = mode;
    }
}

// Takes one step with new rates: computes the derivative at the new time, advances the modes.
void fm_exponentials_push(fm_memory *memory, int block, int block_count, const double *rate)
{
    push_blocks(fm_memory_row(memory, block, 0), block_count, memory->sum.count, memory->recurrence,
                rate);
}
