// SPDX-License-Identifier: MIT
// exponentials.c: the power-law kernel as a sum of exponentials, and the recurrences that follow.
//
// The kernel of the derivative of order q, by its Laplace integral in s = log(lambda):
//
//     k(t) = t^-q / Gamma(1-q) = (sin(pi q) / pi) integral e^(-t e^s) e^(q s) ds
//
// The trapezoidal rule with spacing delta turns it into exponentials with rates e^s and positive
// weights; its error falls like e^(-pi^2 / delta). Rates too fast to matter at the shortest time
// are left out. The slow ones are infinitely many but form a geometric sequence whose moments are
// closed expressions, so all nodes below some s are replaced by the two-point Gauss rule with the
// same moments m0 .. m3. The result is measured on a fine grid of times, and that measurement is
// its certificate.
//
// Each exponential is one number per lane, s_k = integral e^(-lambda_k (t-s)) u(s) ds, and with u
// linear between pushes one step h is, exactly and for any h,
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
// A fading memory has lambda_k + 1/tau in place of lambda_k, nothing else.
#include "memory/memory.h"

#include <math.h>
#include <string.h>

enum {
    SEARCH_POINTS = 400,       // times at which candidates are measured while the table is searched
    CERTIFICATE_POINTS = 4000, // times at which the chosen one is
};

// Trapezoid in log(lambda) on times [1, R]: node j sits at top - (j + 1/2) delta.
typedef struct quadrature {
    double q, delta, top;
} quadrature;

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

// The nodes at s, s - delta, s - 2 delta ... as two: the Gauss rule with the same moments, in units
// of e^s.
static void lump_tail(const quadrature *rule, double s, double rate[2], double weight[2])
{
    double m[4];
    for (int i = 0; i < 4; i++)
        m[i] = 1 / -expm1(-(rule->q + i) * rule->delta);
    double determinant = m[0] * m[2] - m[1] * m[1];
    double c0 = (m[1] * m[3] - m[2] * m[2]) / determinant;
    double c1 = (m[1] * m[2] - m[0] * m[3]) / determinant;
    double half = -c1 / 2, root = sqrt(half * half - c0);
    double fast = half + root, slow = c0 / fast;
    double scale = sin(FM_PI * rule->q) / FM_PI * rule->delta * exp(rule->q * s);
    rate[0] = fast * exp(s);
    rate[1] = slow * exp(s);
    weight[0] = scale * (m[1] - m[0] * slow) / (fast - slow);
    weight[1] = scale * (m[0] * fast - m[1]) / (fast - slow);
}

// How much larger, relative to the value, the error of the derivative of an oscillation is than
// that of the kernel. The kernel's error is a ripple cos(y log t), y = 2 pi / delta; its response
// to e^(i w t) is |Gamma(1-q+iy)| e^(pi y/2) / (2 Gamma(1-q)) of the kernel's own, and Stirling's
// formula gives the rest. Above 1 for small orders: what cancels in the derivative of an
// oscillation does not cancel in the ripple.
static double amplification(const quadrature *rule)
{
    double y = 2 * FM_PI / rule->delta;
    return sqrt(2 * FM_PI) / 2 * pow(y, 0.5 - rule->q) / tgamma(1 - rule->q);
}

// The times at which candidates are measured, and what nodes give there.
typedef struct search {
    double ratio;
    double t[SEARCH_POINTS], kernel[SEARCH_POINTS];
    double value[SEARCH_POINTS]; // of the first `added` nodes
    int added[SEARCH_POINTS];
    int worst; // where the last candidate that failed was seen to
} search;

static void open_search(search *f, double q, double ratio)
{
    double gamma = tgamma(1 - q);
    f->ratio = ratio;
    for (int i = 0; i < SEARCH_POINTS; i++) {
        f->t[i] = pow(ratio, (double)i / (SEARCH_POINTS - 1));
        f->kernel[i] = pow(f->t[i], -q) / gamma;
    }
}

// Whether the first `nodes` nodes of the sum and the two behind them are within the tolerance. Most
// candidates are not, and fail where the one before has: nodes are added up only where somebody
// looks.
static bool meets(search *f, const fm_exponentials *sum, int nodes, double tolerance)
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

// Adds nodes from the top until nodes and lumped tail meet the tolerance; `certified`, on the fine
// grid too. False beyond `limit` exponentials.
static bool fill(fm_exponentials *sum, const quadrature *rule, search *f, double tolerance,
                 int limit, bool certified)
{
    memset(f->value, 0, sizeof f->value);
    memset(f->added, 0, sizeof f->added);
    for (int j = 0; j + 2 <= limit; j++) {
        double s = rule->top - (j + 0.5) * rule->delta;
        lump_tail(rule, s, sum->rate + j, sum->weight + j);
        sum->count = j + 2;
        if (meets(f, sum, j, tolerance) &&
            (!certified || largest_error(sum, rule->q, f->ratio, CERTIFICATE_POINTS) <= tolerance))
            return true;
        sum->rate[j] = exp(s);
        sum->weight[j] = sin(FM_PI * rule->q) / FM_PI * rule->delta * exp(rule->q * s);
    }
    return false;
}

// Spacing and upper end for a tolerance, from |Gamma(q + iy)| ~ sqrt(2 pi) y^(q-1/2) e^(-pi y/2)
// and from the incomplete gamma function's tail, both solved by iteration.
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

// The fewest exponentials that meet the tolerance on the search's grid, or `certified` on the fine
// one too; the tolerance of the best in `limit`. More than the most when there are none.
static fm_exponentials find_fewest(search *f, double order, double tolerance, bool certified,
                                   double *limit)
{
    quadrature start = choose_quadrature(order, tolerance);
    fm_exponentials best = {.count = FM_MEMORY_MAX_EXPONENTIALS + 1};
    // The estimates are on the safe side: a wider spacing often still meets the tolerance with
    // fewer exponentials, and where they are not safe a narrower one is needed. The range was found
    // by trying orders 0.01 to 0.99, tolerances 1e-1 to 1e-12.
    for (int narrow = 0; narrow < 34; narrow++) {
        for (int raise = -3; raise < 3; raise++) {
            quadrature rule = start;
            rule.delta *= 1.4 * pow(0.97, narrow);
            rule.top += 0.2 * raise;
            fm_exponentials trial = {0};
            // derivatives of oscillations stay within 1.6 tolerances
            double most = tolerance * fmin(1, 1.6 / amplification(&rule));
            if (fill(&trial, &rule, f, most, best.count - 1, certified)) {
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
    open_search(&f, order, ratio);
    // The certificate costs more than the search, and what the search finds nearly always has it.
    // If so, asking for it on the way would have found the same: it could only have refused others.
    for (int certified = 0; certified < 2; certified++) {
        *sum = find_fewest(&f, order, tolerance, certified, &limit);
        if (sum->count > FM_MEMORY_MAX_EXPONENTIALS)
            return false;
        sum->error = largest_error(sum, order, ratio, CERTIFICATE_POINTS);
        if (sum->error <= limit)
            break;
    }
    for (int k = 0; k < sum->count; k++) { // from times in units of the shortest to seconds
        sum->rate[k] /= shortest;
        sum->weight[k] *= pow(shortest, -order);
    }
    return true;
}

// A and B above; both are 1/2 at z = 0, where the closed forms cancel.
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

// integral_0^1 x^(a-1) e^(-z x) dx, the lower incomplete gamma function over z^a: a series of
// positive terms.
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

void fm_modes_refresh_sums(fm_memory *memory, int block, int block_count)
{
    refresh_sums(fm_memory_row(memory, block, 0), block_count, memory->sum.count,
                 memory->recurrence->gain);
}

void fm_modes_known(fm_memory *memory, int block, int block_count, double *known)
{
    // before the first push there is no step yet, and nothing to weigh
    double before = memory->push_count ? memory->recurrence->before : 0;
    const double *rows = fm_memory_row(memory, block, 0);
    for (int b = 0; b < block_count; b++, known += FM_LANES) {
        for (int l = 0; l < FM_LANES; l++)
            known[l] = before * rows[ROW_NEWEST * FM_LANES + l] + rows[ROW_SUM * FM_LANES + l];
        rows += (size_t)memory->row_count * FM_LANES;
    }
}

// One pass: the value at the new time, the modes moved on, and the sum that the next value will
// need.
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

void fm_modes_push(fm_memory *memory, int block, int block_count, const double *rate)
{
    push_blocks(fm_memory_row(memory, block, 0), block_count, memory->sum.count, memory->recurrence,
                rate);
}
