// SPDX-License-Identifier: MIT
// turbulence.c: turbulence of the medium, as a random velocity field of eddies of many sizes.
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
// random, one in each of 24 bands, which divide log k equally from k_p/4 to 8 k_p, k_p = 2 pi /
// length. Each band has three modes. Their k point along the three axes of a randomly rotated
// frame; e points along the second axis for k along the first, and so on cyclically. The mean
// square over space is therefore the same for all three components of the velocity, for every seed.
// The energy of a band is the integral over it of von Karman's spectrum,
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

enum { BANDS = 24, MODES = 3 * BANDS };         // MODES is a multiple of FM_LANES
static const double LOWEST = 0.25, HIGHEST = 8; // range of k/k_p
static const double TURNOVER = 0.5;             // omega / sqrt(k^3 E(k))

// The modes. Phases are in turns, not in rad.
struct fm_eddies {
    double kx[MODES], ky[MODES], kz[MODES]; // 1/m, wave vector k / (2 pi)
    double rate[MODES];                     // 1/s, omega / (2 pi)
    double phase[MODES];                    // phi / (2 pi), 0 to 1
    double ax[MODES], ay[MODES], az[MODES]; // m/s, amplitude A e
};

// von Karman's spectrum without its factor c; k in units of k_p.
static double spectrum(double k)
{
    double r2 = k * k * (12.0 / 5);
    return r2 * r2 / pow(1 + r2, 17.0 / 6);
}

// Integral of `spectrum` from a to b, by Simpson's rule in log k; a, b in units of k_p.
static double integrate_spectrum(double a, double b)
{
    enum { PARTS = 32 }; // intervals of Simpson's rule, even
    double step = log(b / a) / PARTS, sum = 0;
    for (int i = 0; i <= PARTS; i++) {
        double k = a * exp(step * i);
        sum += (i == 0 || i == PARTS ? 1 : i % 2 ? 4 : 2) * k * spectrum(k);
    }
    return sum * step / 3;
}

// A rotation drawn uniformly from all rotations [SHO92].
static fm_quat choose_rotation(fm_rng *rng)
{
    double u = fm_rng_uniform(rng), a = 2 * FM_PI * fm_rng_uniform(rng);
    double b = 2 * FM_PI * fm_rng_uniform(rng), s = sqrt(1 - u), c = sqrt(u);
    return (fm_quat){s * sin(a), s * cos(a), c * sin(b), c * cos(b)};
}

// Computes the three modes of a band.
static void add_modes(fm_eddies *eddies, const fm_turbulence *def, int band, fm_rng *rng)
{
    static const fm_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    // the band reaches from low to ratio low, in units of k_p
    double ratio = pow(HIGHEST / LOWEST, 1.0 / BANDS), low = LOWEST * pow(ratio, band);
    double k = low * pow(ratio, fm_rng_uniform(rng)), peak = 2 * FM_PI / def->length;
    double u = def->intensity, all = integrate_spectrum(LOWEST, HIGHEST);
    double energy = integrate_spectrum(low, low * ratio) / all; // share of the energy 3/2 u^2
    double amplitude = u * sqrt(2 * energy);
    // rad/s; k^3 E(k), 1/s^2, with E = 3/2 u^2 spectrum / (all k_p)
    double turnover = TURNOVER * sqrt(1.5 * k * k * k * spectrum(k) / all) * u * peak;
    fm_quat frame = choose_rotation(rng);
    for (int n = 0; n < 3; n++) {
        int m = 3 * band + n;
        fm_vec3 along = fm_quat_rotate(frame, axes[n]); // direction of the wave vector
        fm_vec3 e = fm_quat_rotate(frame, axes[(n + 1) % 3]);
        double wave = k / def->length; // 1/m, |k| / (2 pi)
        eddies->kx[m] = wave * along.x, eddies->ky[m] = wave * along.y;
        eddies->kz[m] = wave * along.z;
        eddies->ax[m] = amplitude * e.x, eddies->ay[m] = amplitude * e.y;
        eddies->az[m] = amplitude * e.z;
        eddies->rate[m] = (fm_rng_uniform(rng) < 0.5 ? -1 : 1) * turnover / (2 * FM_PI);
        eddies->phase[m] = fm_rng_uniform(rng);
    }
}

// Creates the modes of a turbulent flow from its seed.
fm_eddies *fm_eddies_create(fm_arena *arena, const fm_turbulence *def, fm_error *err)
{
    fm_eddies *eddies = fm_arena_alloc(arena, 1, sizeof *eddies, "turbulence", err);
    fm_rng rng = {(uint64_t)def->seed};
    for (int band = 0; band < BANDS && eddies; band++)
        add_modes(eddies, def, band, &rng);
    return eddies;
}

// cos(2 pi p) to 3e-16, for any p. After p is reduced to [-1/2, 1/2] this is sin(y) with
// y = 2 pi (1/4 - |p|) in [-pi/2, pi/2], computed by its power series up to y^19.
FM_INLINE double cosine_of_turns(double p)
{
    const double rounder = 0x1.8p52; // adding and subtracting it rounds to an integer
    p -= (p + rounder) - rounder;
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

// Sums the velocities of all modes at position x, m, and time t, s. Lane i of wx, wy, wz receives
// the sum of every eighth mode, beginning with mode i.
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

// Velocity of the eddies, m/s, at x in the frame that moves with the mean flow.
fm_vec3 fm_eddies_velocity(const fm_eddies *eddies, fm_vec3 x, double t)
{
    double w[3][FM_LANES] = {{0}};
    sum_modes(eddies, x, t, w[0], w[1], w[2]);
    fm_vec3 sum = {0, 0, 0};
    for (int i = 0; i < FM_LANES; i++)
        sum = fm_add(sum, (fm_vec3){w[0][i], w[1][i], w[2][i]});
    return sum;
}
