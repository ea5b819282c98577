// SPDX-License-Identifier: MIT
// turbulence.c: a medium that is never quite still: random eddies of many sizes.
//
// The velocity is a sum of Fourier modes, as in kinematic simulation [KRA70], [FHMP92]:
//
//     w(x, t) = sum_m A_m e_m cos(k_m . (x - X(t)) + omega_m t + phi_m),   e_m . k_m = 0
//
//   k_m  1/m, wave vector     e_m  unit vector     A_m  m/s, amplitude     phi_m  random phase
//   X(t)  m, how far the current has carried the eddies since t = 0 (medium_flow.c)
//   omega_m  1/s, how fast a mode changes while it is carried
//
// Every mode is perpendicular to its k, so the divergence is exactly 0. The magnitudes |k| are
// those of 24 equal steps of log k from k_p/4 to 8 k_p, one at random in each step, k_p = 2 pi /
// length. Each has three modes along the axes of a randomly turned frame, e to the second axis
// for k along the first and so on, so that the mean square over space is the same for all three
// components of the velocity, for every seed. The energy of a step is that of von Karman's
// spectrum in it,
//
//     E(k) = c (k/k_0)^4 / (1 + (k/k_0)^2)^(17/6),   k_0 = k_p / sqrt(12/5)
//
// which is highest at k_p and falls as Kolmogorov's k^(-5/3) above. c makes the sum 3/2
// intensity^2: intensity is the rms of each component. A mode changes at the rate of its eddies'
// turnover, omega = +-1/2 sqrt(k^3 E(k)).
//
// The modes are summed in eight lanes, which are added in a fixed order: the same number for any
// thread and any width of vector.
#include "core/simd.h"
#include "motion/motion.h"

#include <math.h>

enum { STEPS = 24, MODES = 3 * STEPS };         // a multiple of FM_LANES
static const double LOWEST = 0.25, HIGHEST = 8; // of k/k_p
static const double TURNOVER = 0.5;

struct fm_eddies {
    // k/(2 pi), 1/m; omega/(2 pi), 1/s; phi/(2 pi); A e, m/s
    double kx[MODES], ky[MODES], kz[MODES], rate[MODES], phase[MODES];
    double ax[MODES], ay[MODES], az[MODES];
};

// von Karman's spectrum without its factor; k in units of k_p.
static double spectrum(double k)
{
    double r2 = k * k * (12.0 / 5);
    return r2 * r2 / pow(1 + r2, 17.0 / 6);
}

// Its integral from a to b, by Simpson's rule in log k.
static double integrate_spectrum(double a, double b)
{
    enum { PARTS = 32 };
    double step = log(b / a) / PARTS, sum = 0;
    for (int i = 0; i <= PARTS; i++) {
        double k = a * exp(step * i);
        sum += (i == 0 || i == PARTS ? 1 : i % 2 ? 4 : 2) * k * spectrum(k);
    }
    return sum * step / 3;
}

// A rotation that is equally likely to be any [SHO92].
static fm_quat choose_rotation(fm_rng *rng)
{
    double u = fm_rng_uniform(rng), a = 2 * FM_PI * fm_rng_uniform(rng);
    double b = 2 * FM_PI * fm_rng_uniform(rng), s = sqrt(1 - u), c = sqrt(u);
    return (fm_quat){s * sin(a), s * cos(a), c * sin(b), c * cos(b)};
}

// The three modes of step i.
static void add_modes(fm_eddies *eddies, const fm_turbulence *def, int i, fm_rng *rng)
{
    static const fm_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double ratio = pow(HIGHEST / LOWEST, 1.0 / STEPS), low = LOWEST * pow(ratio, i);
    double k = low * pow(ratio, fm_rng_uniform(rng)), peak = 2 * FM_PI / def->length;
    double u = def->intensity, all = integrate_spectrum(LOWEST, HIGHEST);
    double energy = integrate_spectrum(low, low * ratio) / all; // of 3/2 u^2
    double amplitude = u * sqrt(2 * energy);
    // k^3 E(k), 1/s^2, with E = 3/2 u^2 spectrum / (all k_p)
    double turnover = TURNOVER * sqrt(1.5 * k * k * k * spectrum(k) / all) * u * peak;
    fm_quat frame = choose_rotation(rng);
    for (int n = 0; n < 3; n++) {
        int m = 3 * i + n;
        fm_vec3 along = fm_quat_rotate(frame, axes[n]);
        fm_vec3 e = fm_quat_rotate(frame, axes[(n + 1) % 3]);
        double wave = k / def->length;
        eddies->kx[m] = wave * along.x, eddies->ky[m] = wave * along.y;
        eddies->kz[m] = wave * along.z;
        eddies->ax[m] = amplitude * e.x, eddies->ay[m] = amplitude * e.y;
        eddies->az[m] = amplitude * e.z;
        eddies->rate[m] = (fm_rng_uniform(rng) < 0.5 ? -1 : 1) * turnover / (2 * FM_PI);
        eddies->phase[m] = fm_rng_uniform(rng);
    }
}

fm_eddies *fm_eddies_create(fm_arena *arena, const fm_turbulence *def, fm_error *err)
{
    fm_eddies *eddies = fm_arena_alloc(arena, 1, sizeof *eddies, "turbulence", err);
    fm_rng rng = {(uint64_t)def->seed};
    for (int i = 0; i < STEPS && eddies; i++)
        add_modes(eddies, def, i, &rng);
    return eddies;
}

// cos(2 pi p), to 3e-16: sin(2 pi y) for y = 1/4 - |p| within a quarter turn, by its power series.
FM_INLINE double cosine_of_turns(double p)
{
    const double whole = 0x1.8p52; // adding and subtracting it rounds to an integer
    p -= (p + whole) - whole;
    double y = 2 * FM_PI * (0.25 - fabs(p)), q = y * y;
    double sum = 1 / 121645100408832000.0;
    sum = 1 / 355687428096000.0 - q * sum;
    sum = 1 / 1307674368000.0 - q * sum;
    sum = 1 / 6227020800.0 - q * sum;
    sum = 1 / 39916800.0 - q * sum;
    sum = 1 / 362880.0 - q * sum;
    sum = 1 / 5040.0 - q * sum;
    sum = 1 / 120.0 - q * sum;
    sum = 1 / 6.0 - q * sum;
    return y * (1 - q * sum);
}

FM_SIMD_CLONES
static void sum_modes(const fm_eddies *restrict d, fm_vec3 x, double t, double *restrict wx,
                      double *restrict wy, double *restrict wz)
{
    for (int m = 0; m < MODES; m += FM_LANES) {
#pragma omp simd
        for (int i = 0; i < FM_LANES; i++) {
            double p = d->kx[m + i] * x.x + d->ky[m + i] * x.y + d->kz[m + i] * x.z;
            double c = cosine_of_turns(p + d->rate[m + i] * t + d->phase[m + i]);
            wx[i] += d->ax[m + i] * c;
            wy[i] += d->ay[m + i] * c;
            wz[i] += d->az[m + i] * c;
        }
    }
}

fm_vec3 fm_eddies_velocity(const fm_eddies *eddies, fm_vec3 x, double t)
{
    double w[3][FM_LANES] = {{0}};
    sum_modes(eddies, x, t, w[0], w[1], w[2]);
    fm_vec3 sum = {0, 0, 0};
    for (int i = 0; i < FM_LANES; i++)
        sum = fm_add(sum, (fm_vec3){w[0][i], w[1][i], w[2][i]});
    return sum;
}
