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
// by the two-point Gauss rule with the same moments m0 .. m3. Finally the error is measured on a
// fine grid of times ("certified" below).
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
    SEARCH_POINTS = 400,       // times at which the error is measured during the search
    CERTIFICATE_POINTS = 4000, // times at which the error of the result is measured
};

// Trapezoidal rule in s = log(lambda), for times in units of the shortest one: node j is at
// s = top - (j + 1/2) delta.
typedef struct quadrature {
    double q, delta, top;
} quadrature;

// Largest relative error of the sum of exponentials on the times 1 to `ratio`.
static double largest_error(const fm_exponentials *sum, double q, double ratio, int points)
{
    double gamma = tgamma(1 - q);
    double worst = 0;
    for (int i = 0; i < points; i++) {
        double t = pow(ratio, (double)i / (points - 1));
        double value = 0;
        for (int k = 0; k < sum->count; k++)
            value += sum->weight[k] * exp(-sum->rate[k] * t);
        worst = fmax(worst, fabs(value * gamma * pow(t, q) - 1));
    }
    return worst;
}

static double node_weight(const quadrature *rule, double s)
{
    return sin(FM_PI * rule->q) / FM_PI * rule->delta * exp(rule->q * s);
}

// Replaces the infinitely many nodes at s, s - delta, s - 2 delta ... by two, with the Gauss rule
// that has the same moments. Moments m are those of lambda in units of e^s.
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

// The times at which candidate sums are compared with the kernel.
typedef struct search {
    double ratio; // longest time / shortest time
    double t[SEARCH_POINTS], kernel[SEARCH_POINTS];
    double value[SEARCH_POINTS]; // sum of the first `added` nodes at each time
    int added[SEARCH_POINTS];
    int worst; // time at which the last candidate was found to fail
} search;

static void begin_search(search *f, double q, double ratio)
{
    double gamma = tgamma(1 - q);
    f->ratio = ratio;
    for (int i = 0; i < SEARCH_POINTS; i++) {
        f->t[i] = pow(ratio, (double)i / (SEARCH_POINTS - 1));
        f->kernel[i] = pow(f->t[i], -q) / gamma;
    }
}

// Whether the first `nodes` nodes and the two lumped nodes after them meet the tolerance at all
// times of the search. Most candidates fail, and fail at the time where the candidate before them
// did, so this time is tried first. Nodes are summed at a time only when that time is tried.
static bool meets_tolerance(search *f, const fm_exponentials *sum, int nodes, double tolerance)
{
    const double *rate = sum->rate, *weight = sum->weight;
    for (int n = 0, i = f->worst; n < SEARCH_POINTS; n++, i = i + 1 < SEARCH_POINTS ? i + 1 : 0) {
        double t = f->t[i];
        for (; f->added[i] < nodes; f->added[i]++)
            f->value[i] += weight[f->added[i]] * exp(-rate[f->added[i]] * t);
        double tail =
            weight[nodes] * exp(-rate[nodes] * t) + weight[nodes + 1] * exp(-rate[nodes + 1] * t);
        if (fabs((f->value[i] + tail) / f->kernel[i] - 1) > tolerance) {
            f->worst = i;
            return false;
        }
    }
    return true;
}

// Adds nodes from the fastest down until they and the two lumped nodes meet the tolerance; with
// `certified`, on the fine grid of times too. False if more than `limit` exponentials are needed.
static bool add_nodes(fm_exponentials *sum, const quadrature *rule, search *f, double tolerance,
                      int limit, bool certified)
{
    memset(f->value, 0, sizeof f->value);
    memset(f->added, 0, sizeof f->added);
    for (int j = 0; j + 2 <= limit; j++) {
        double s = rule->top - (j + 0.5) * rule->delta;
        lump_slow_nodes(rule, s, sum->rate + j, sum->weight + j);
        sum->count = j + 2;
        sum->spacing = rule->delta;
        sum->slow_node = s;
        if (meets_tolerance(f, sum, j, tolerance) &&
            (!certified || largest_error(sum, rule->q, f->ratio, CERTIFICATE_POINTS) <= tolerance))
            return true;
        sum->rate[j] = exp(s);
        sum->weight[j] = node_weight(rule, s);
    }
    return false;
}

// Estimates spacing and fastest node for a tolerance. The spacing follows from
// |Gamma(q + iy)| ~ sqrt(2 pi) y^(q-1/2) e^(-pi y/2), the fastest node from the tail of the
// incomplete gamma function. Both equations are solved by fixed-point iteration.
static quadrature choose_quadrature(double q, double tolerance)
{
    double y = 4, x = 5;
    for (int i = 0; i < 60; i++) {
        y = 2 / FM_PI * log(2 * sqrt(2 * FM_PI) * pow(y, q - 0.5) / (tgamma(q) * tolerance / 2));
        y = fmax(y, 1); // small orders with coarse tolerances leave the asymptotic range
        x = fmax(0.5, log(4 / (tolerance * tgamma(q))) - (1 - q) * log(x));
    }
    return (quadrature){.q = q, .delta = 2 * FM_PI / y, .top = log(x)};
}

// Finds the fewest exponentials that meet the tolerance on the times of the search and, with
// `certified`, on the fine grid too. *limit receives the tolerance they were held to. If none are
// found, the count of the result is above FM_MEMORY_MAX_EXPONENTIALS.
static fm_exponentials find_fewest(search *f, double order, double tolerance, bool certified,
                                   double *limit)
{
    quadrature start = choose_quadrature(order, tolerance);
    fm_exponentials best = {.count = FM_MEMORY_MAX_EXPONENTIALS + 1};
    // The estimates are conservative in most cases: a wider spacing often meets the tolerance with
    // fewer exponentials. In some cases a narrower spacing is needed. The ranges searched here were
    // found by trying orders 0.01 to 0.99 and tolerances 1e-1 to 1e-12.
    for (int narrow = 0; narrow < 34; narrow++) {
        for (int raise = -3; raise < 3; raise++) {
            quadrature rule = start;
            rule.delta *= 1.4 * pow(0.97, narrow);
            rule.top += 0.2 * raise;
            fm_exponentials trial = {0};
            // keep the relative error of derivatives of oscillations below 1.6 tolerances
            double most = tolerance * fmin(1, 1.6 / error_amplification(&rule));
            if (add_nodes(&trial, &rule, f, most, best.count - 1, certified)) {
                best = trial;
                *limit = most;
            }
        }
        if (best.count <= FM_MEMORY_MAX_EXPONENTIALS && narrow > 12)
            break;
    }
    return best;
}

bool fm_exponentials_build(fm_exponentials *sum, double order, double shortest, double longest,
                           double tolerance)
{
    search f = {0};
    double ratio = longest / shortest, limit = 0;
    begin_search(&f, order, ratio);
    // Measuring on the fine grid costs more than the search, and the result of the coarse search
    // nearly always passes. A search on the fine grid would then have found the same result,
    // because it only rejects more candidates. So search on the fine grid only if the result fails.
    for (int certified = 0; certified < 2; certified++) {
        *sum = find_fewest(&f, order, tolerance, certified, &limit);
        if (sum->count > FM_MEMORY_MAX_EXPONENTIALS)
            return false;
        sum->error = largest_error(sum, order, ratio, CERTIFICATE_POINTS);
        if (sum->error <= limit)
            break;
    }
    for (int k = 0; k < sum->count; k++) { // from units of the shortest time to seconds
        sum->rate[k] /= shortest;
        sum->weight[k] *= pow(shortest, -order);
    }
    sum->slow_node -= log(shortest);
    return true;
}

// The quadrature is invariant under a change of the unit of time by a factor e^spacing. The error
// of the lumped nodes therefore moves to longer times without growing when they move by one node,
// and the error of the missing fast nodes moves to shorter times.
void fm_exponentials_add_slow_node(fm_exponentials *sum, double order)
{
    quadrature rule = {.q = order, .delta = sum->spacing};
    int last = sum->count - 2;
    sum->rate[last] = exp(sum->slow_node);
    sum->weight[last] = node_weight(&rule, sum->slow_node);
    sum->slow_node -= sum->spacing;
    lump_slow_nodes(&rule, sum->slow_node, sum->rate + last + 1, sum->weight + last + 1);
    sum->count++;
}

void fm_exponentials_add_fast_node(fm_exponentials *sum, double order)
{
    quadrature rule = {.q = order, .delta = sum->spacing};
    double s = sum->slow_node + (sum->count - 1) * sum->spacing;
    memmove(sum->rate + 1, sum->rate, (size_t)sum->count * sizeof *sum->rate);
    memmove(sum->weight + 1, sum->weight, (size_t)sum->count * sizeof *sum->weight);
    sum->rate[0] = exp(s);
    sum->weight[0] = node_weight(&rule, s);
    sum->count++;
}

// A and B of the recurrence. Both are 1/2 at z = 0, where their closed forms lose all digits by
// cancellation; small z use the power series.
static void interval_weights(double z, double *a, double *b)
{
    if (z > 0.5) {
        double e = exp(-z);
        *a = (1 - e - z * e) / (z * z);
        *b = (z - 1 + e) / (z * z);
        return;
    }
    double power = 1; // (-z)^j / j!
    *a = *b = 0;
    for (int j = 0; j < 16; j++) {
        *a += power / (j + 2);
        *b += power / ((j + 1) * (j + 2));
        power *= -z / (j + 1);
    }
}

// integral_0^1 x^(a-1) e^(-z x) dx, which is the lower incomplete gamma function divided by z^a,
// computed by a series of positive terms.
static double tempered_power(double a, double z)
{
    if (z > 60) // the rest of the integral, beyond x = 1, is below rounding
        return tgamma(a) * pow(z, -a);
    double term = 1 / a, total = term;
    for (int n = 1; term > 1e-17 * total; n++) {
        term *= z / (a + n);
        total += term;
    }
    return total * exp(-z);
}

void fm_recurrence_build(fm_recurrence *recurrence, const fm_exponentials *sum, double order,
                         double fading_rate, double h)
{
    double scale = pow(h, 1 - order) / tgamma(1 - order);
    double z = fading_rate * h;
    recurrence->step = h;
    recurrence->before = scale * tempered_power(2 - order, z);
    recurrence->newest = scale * tempered_power(1 - order, z) - recurrence->before;
    for (int k = 0; k < sum->count; k++) {
        double a, b;
        z = (sum->rate[k] + fading_rate) * h;
        interval_weights(z, &a, &b);
        recurrence->decay[k] = exp(-z);
        recurrence->from_old[k] = h * a;
        recurrence->from_new[k] = h * b;
        recurrence->gain[k] = sum->weight[k] * exp(-z);
    }
}

// ROW_SUM of each block: sum over the modes, with the gains of a new step length.
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

void fm_exponentials_predict(fm_memory *memory, int block, int block_count, double *known)
{
    // before the first push there is no earlier rate
    double before = memory->push_count ? memory->recurrence->before : 0;
    const double *rows = fm_memory_row(memory, block, 0);
    for (int b = 0; b < block_count; b++, known += FM_LANES) {
        for (int l = 0; l < FM_LANES; l++)
            known[l] = before * rows[ROW_NEWEST * FM_LANES + l] + rows[ROW_SUM * FM_LANES + l];
        rows += (size_t)memory->row_count * FM_LANES;
    }
}

// One step in one pass over the blocks: computes the derivative at the new time, advances the
// modes, and computes ROW_SUM for the next step.
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
                r->newest * new[l] + (r->before * old[l] + block[ROW_SUM * FM_LANES + l]);
            total[l] = 0;
        }
        double *mode = block + ROW_MODES * FM_LANES;
        for (int k = 0; k < modes; k++, mode += FM_LANES) {
            double decay = r->decay[k], from_old = r->from_old[k], from_new = r->from_new[k];
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

void fm_exponentials_push(fm_memory *memory, int block, int block_count, const double *rate)
{
    push_blocks(fm_memory_row(memory, block, 0), block_count, memory->sum.count, memory->recurrence,
                rate);
}
