// SPDX-License-Identifier: MIT
// bumps.c: finds bumps (turning points) on a line, tracks them in time, and measures the wave.
#include "bumps.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
// Largest move of a bump between two frames, as a share of the cloth length.
static const double LONGEST_JUMP = 0.08;
// Shares of the cloth length at which the downward wave is measured, and half the length over which
// it is averaged.
static const double UPPER_SHARE = 0.2, LOWER_SHARE = 0.9, AVERAGED_SHARE = 0.05;
// Share of the cloth length at which a bump counts as arrived.
static const double ARRIVAL_SHARE = 0.8;
// s before the end; bumps born later are not counted, because they cannot arrive in time
static const double LAST_BIRTH = 0.5;
static const double TEST_AMPLITUDE = 0.05; // m, of the waves that bumps_check measures
enum { SPEED_POINTS_MAX = 200 };           // points of a track that its speed is estimated from
enum { LONGEST_GAP = 2 };                  // frames in which a tracked bump may be missing
enum { SHORTEST_TRACK = 6 };               // frames; bumps seen for a shorter time are ignored

// Refines an extremum of the deflection z at point i: the vertex of the parabola through z[i - 1]
// to z[i + 1]. *place: in points, fractional; *value: the deflection there.
static void refine_turning_point(const double *z, int i, double *place, double *value)
{
    double left = z[i - 1], right = z[i + 1], second_difference = left - 2 * z[i] + right;
    double shift = second_difference != 0 ? 0.5 * (left - right) / second_difference : 0;
    shift = fmax(-0.5, fmin(0.5, shift));
    *place = i + shift;
    *value = z[i] - 0.25 * (left - right) * shift;
}

// Finds the extrema of the deflections z[n] from which z falls or rises by at least `threshold` on
// both sides, without the two ends. at: their indices; kind: 1 for maxima, -1 for minima. Returns
// their number.
static int find_turning_points(const double *z, int n, double threshold, int *at, int *kind)
{
    int found = 0, high = 0, low = 0, direction = 0; // direction: sign of the last monotone part
    for (int i = 1; i < n; i++) {
        if (z[i] > z[high])
            high = i;
        if (z[i] < z[low])
            low = i;
        bool fell = direction >= 0 && z[high] - z[i] >= threshold;
        bool rose = direction <= 0 && z[i] - z[low] >= threshold;
        if (!fell && !rose)
            continue;
        int turn = fell ? high : low;
        // before the first turn, z must also differ by the threshold from its value at the top edge
        bool far_from_edge = direction != 0 || fabs(z[turn] - z[0]) >= threshold;
        if (turn > 0 && far_from_edge && found < BUMPS_MAX) {
            at[found] = turn;
            kind[found++] = fell ? 1 : -1;
        }
        direction = fell ? -1 : 1;
        high = low = i;
    }
    return found;
}

// The largest |z - value| from point i to the edge, in the direction of step (1 or -1).
static double drop_to_edge(const double *z, int i, int step, int n, double value)
{
    double largest = 0;
    for (; i >= 0 && i < n; i += step)
        largest = fmax(largest, fabs(z[i] - value));
    return largest;
}

// Finds the crests and troughs of the deflection in one frame. Returns their number.
int bumps_find(const deflection *d, int frame, double threshold, bump found[BUMPS_MAX])
{
    const double *z = d->z + (size_t)frame * d->points;
    double spacing = d->length / (d->points - 1), value[BUMPS_MAX];
    int at[BUMPS_MAX], kind[BUMPS_MAX];
    int count = find_turning_points(z, d->points, threshold, at, kind);
    for (int b = 0; b < count; b++) {
        double place;
        refine_turning_point(z, at[b], &place, &value[b]);
        found[b] = (bump){.place = place * spacing, .kind = kind[b]};
    }
    for (int b = 0; b < count; b++) {
        double above =
            b > 0 ? fabs(value[b] - value[b - 1]) : drop_to_edge(z, at[b], -1, d->points, value[b]);
        double below = b + 1 < count ? fabs(value[b] - value[b + 1])
                                     : drop_to_edge(z, at[b], 1, d->points, value[b]);
        found[b].height = 0.25 * (above + below);
    }
    return count;
}

// One position of a tracked bump.
typedef struct track_point {
    double t; // s, time
    double s; // m, distance along the cloth from the top edge
} track_point;

// A bump while it is being tracked.
typedef struct open_track {
    int kind, count, last; // crest (1) or trough (-1), number of points, frame of the last one
    bool closed;           // the bump was missing for LONGEST_GAP frames
    track_point *points;
} open_track;

enum { TRACKS_MAX = 1024 }; // largest number of tracked bumps

// Order of two doubles, for qsort; also of pairs by their first number.
static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Speed of a tracked bump, m/s: the Theil-Sen slope of place over time, from at most
// SPEED_POINTS_MAX of its points.
static double estimate_track_speed(experiment *e, const open_track *track)
{
    int stride = 1 + track->count / SPEED_POINTS_MAX, n = 0;
    int used = (track->count + stride - 1) / stride;
    double *slopes = experiment_alloc(e, (size_t)used * used / 2 + 1, sizeof *slopes);
    if (!slopes || track->count < 2)
        return 0;
    for (int i = 0; i < track->count; i += stride)
        for (int j = i + stride; j < track->count; j += stride)
            slopes[n++] = (track->points[j].s - track->points[i].s) /
                          (track->points[j].t - track->points[i].t);
    qsort(slopes, n, sizeof *slopes, compare_numbers);
    return n > 0 ? slopes[n / 2] : 0;
}

// The index of the open track (crest or trough, as the bump is) nearest to a bump, at most `reach`
// (m) per frame away, or -1.
static int nearest_track(const open_track *tracks, int count, int frame, const bump *b,
                         double reach)
{
    int best = -1;
    for (int i = 0; i < count; i++) {
        const open_track *track = &tracks[i];
        if (track->closed || track->kind != b->kind || track->last == frame)
            continue;
        double distance = fabs(track->points[track->count - 1].s - b->place);
        if (distance <= reach * (frame - track->last)) {
            reach = distance / (frame - track->last);
            best = i;
        }
    }
    return best;
}

// Links the bumps of frames [first, frames) to tracks. Returns the number of tracks.
static int link_bumps(experiment *e, const deflection *d, int first, double threshold,
                      open_track *tracks)
{
    int count = 0;
    for (int f = first; f < d->frames; f++) {
        bump found[BUMPS_MAX];
        int n = bumps_find(d, f, threshold, found);
        for (int b = 0; b < n; b++) {
            int i = nearest_track(tracks, count, f, &found[b], LONGEST_JUMP * d->length);
            if (i < 0) {
                track_point *points = experiment_alloc(e, d->frames - f, sizeof *points);
                if (count == TRACKS_MAX || !points)
                    return count;
                i = count++;
                tracks[i] = (open_track){.kind = found[b].kind, .points = points};
            }
            tracks[i].points[tracks[i].count++] = (track_point){f * d->dt, found[b].place};
            tracks[i].last = f;
        }
        for (int i = 0; i < count; i++)
            tracks[i].closed |= f - tracks[i].last >= LONGEST_GAP;
    }
    return count;
}

// Tracks bumps (crests and troughs of the deflection) over the frames from `first` on.
int bumps_track(experiment *e, const deflection *d, int first, double threshold,
                bump_track **tracks)
{
    open_track *found = experiment_alloc(e, TRACKS_MAX, sizeof *found);
    *tracks = experiment_alloc(e, TRACKS_MAX, sizeof **tracks);
    if (!found || !*tracks)
        return 0;
    int all = link_bumps(e, d, first, threshold, found), count = 0;
    for (int i = 0; i < all; i++) {
        const open_track *track = &found[i];
        if (track->count < SHORTEST_TRACK)
            continue;
        bump_track *out = &(*tracks)[count++];
        *out = (bump_track){.kind = track->kind,
                            .count = track->count,
                            .start = track->points[0].t,
                            .end = track->points[track->count - 1].t,
                            .from = track->points[0].s,
                            .to = track->points[0].s,
                            .speed = estimate_track_speed(e, track)};
        for (int p = 0; p < track->count; p++)
            out->to = fmax(out->to, track->points[p].s);
    }
    return count;
}

// Median speed of the tracks, weighted with their numbers of frames.
static double median_speed(experiment *e, const bump_track *tracks, int count)
{
    double total = 0, sum = 0, *pairs = experiment_alloc(e, 2 * (size_t)count + 2, sizeof *pairs);
    if (!pairs || count == 0)
        return 0;
    for (int i = 0; i < count; i++) {
        pairs[2 * i] = tracks[i].speed;
        pairs[2 * i + 1] = tracks[i].count;
        total += tracks[i].count;
    }
    qsort(pairs, count, 2 * sizeof *pairs, compare_numbers);
    for (int i = 0; i < count; i++) {
        sum += pairs[2 * i + 1];
        if (2 * sum >= total)
            return pairs[2 * i];
    }
    return 0;
}

// Complex amplitude (m) of the deflection of one point at the frequency 1/period, over the last
// whole periods after frame `first`.
static double complex fundamental_amplitude(const deflection *d, int point, int first,
                                            double period)
{
    int period_frames = (int)round(period / d->dt);
    int periods = (d->frames - first) / period_frames;
    int from = d->frames - periods * period_frames;
    double complex sum = 0;
    for (int f = from; f < d->frames; f++)
        sum += d->z[(size_t)f * d->points + point] * cexp(-I * 2 * pi * f * d->dt / period);
    return periods > 0 ? 2 * sum / (periods * period_frames) : 0;
}

// Amplitude |A| (m) of the downward wave of the given speed, averaged over share * L +-
// AVERAGED_SHARE * L, by the formula in bumps.h.
static double downward_amplitude(const deflection *d, double share, int first, double period,
                                 double speed)
{
    double spacing = d->length / (d->points - 1), k = 2 * pi / (period * speed), sum = 0;
    const double rounding = 1e-9; // points; keeps those exactly at the limits
    int low = (int)ceil((share - AVERAGED_SHARE) * (d->points - 1) - rounding);
    int high = (int)floor((share + AVERAGED_SHARE) * (d->points - 1) + rounding);
    low = low < 1 ? 1 : low;
    high = high > d->points - 2 ? d->points - 2 : high;
    for (int p = low; p <= high; p++) {
        double complex derivative = (fundamental_amplitude(d, p + 1, first, period) -
                                     fundamental_amplitude(d, p - 1, first, period)) /
                                    (2 * spacing);
        sum += cabs(fundamental_amplitude(d, p, first, period) + I * derivative / k) / 2;
    }
    return sum / (high - low + 1);
}

// Counts the tracks that begin in the upper half of the cloth and the share of them that reach
// ARRIVAL_SHARE of its length.
static void count_born_tracks(const deflection *d, const bump_track *tracks, int count, int first,
                              bump_stats *stats)
{
    int arrived = 0;
    for (int i = 0; i < count; i++) {
        bool complete = tracks[i].start > (first + 0.5) * d->dt; // born after the first frame
        if (!complete || tracks[i].from > 0.5 * d->length ||
            tracks[i].start > d->dt * d->frames - LAST_BIRTH)
            continue;
        stats->born++;
        // tracks that are still travelling in the last frame are not counted
        bool unfinished = tracks[i].end > d->dt * (d->frames - 1.5);
        if (unfinished)
            stats->born--;
        else
            arrived += tracks[i].to >= ARRIVAL_SHARE * d->length;
    }
    stats->arriving = stats->born > 0 ? (double)arrived / stats->born : 0;
}

// Measures number, speed and survival of the bumps over the frames from `first` on.
bump_stats bumps_measure(experiment *e, const deflection *d, int first, double threshold,
                         double period)
{
    bump_stats stats = {0};
    int bumps = 0;
    for (int f = first; f < d->frames; f++) {
        bump found[BUMPS_MAX];
        int n = bumps_find(d, f, threshold, found);
        for (int b = 0; b < n; b++)
            stats.height += found[b].height;
        bumps += n;
        double part = n > 1 ? (found[n - 1].place - found[0].place) / (n - 1) : d->length;
        stats.length += part / (d->frames - first);
    }
    stats.count = d->frames > first ? (double)bumps / (d->frames - first) : 0;
    stats.height = bumps > 0 ? stats.height / bumps : 0;
    bump_track *tracks;
    int count = bumps_track(e, d, first, threshold, &tracks);
    stats.speed = median_speed(e, tracks, count);
    count_born_tracks(d, tracks, count, first, &stats);
    if (period > 0 && stats.speed > 0) {
        double top = downward_amplitude(d, UPPER_SHARE, first, period, stats.speed);
        double low = downward_amplitude(d, LOWER_SHARE, first, period, stats.speed);
        stats.survival = top > 0 ? low / top : 0;
    }
    stats.score = stats.count * stats.arriving * fmin(1, stats.survival);
    return stats;
}

// A test wave with known measures: TEST_AMPLITUDE at the top, decaying like e^(-decay s); a share
// `back` of it is reflected at the lower edge.
typedef struct known_wave {
    const char *name;
    double wavelength, period; // m, s
    double decay;              // 1/m, decay of the amplitude along s
    double back;               // amplitude of the reflected wave over that of the incoming wave
    double noise;              // m, full width of uniform random noise
} known_wave;

// Fills d with the deflections of a known wave.
static void fill_wave(deflection *d, const known_wave *w)
{
    double k = 2 * pi / w->wavelength, omega = 2 * pi / w->period;
    unsigned seed = 1;
    for (int f = 0; f < d->frames; f++)
        for (int p = 0; p < d->points; p++) {
            double s = p * d->length / (d->points - 1), t = f * d->dt;
            double reflected = 2 * d->length - s; // m, path of the reflected wave
            seed = seed * 1664525u + 1013904223u; // linear congruential generator
            d->z[(size_t)f * d->points + p] =
                TEST_AMPLITUDE * exp(-w->decay * s) * cos(k * s - omega * t) +
                TEST_AMPLITUDE * w->back * exp(-w->decay * reflected) *
                    cos(k * reflected - omega * t) +
                w->noise * ((double)(seed >> 8) / (1 << 24) - 0.5);
        }
}

// Fails the experiment if a measure of a test wave is not within the tolerance.
static void expect(experiment *e, const char *wave, const char *measure, double measured,
                   double known, double tolerance)
{
    if (!(fabs(measured - known) <= tolerance))
        experiment_fail(e, FM_BAD_VALUE, "self-check: %s of %s is %g, should be %g +- %g", measure,
                        wave, measured, known, tolerance);
}

// A rigid board that swings has no bumps: one shape over the whole length.
static void expect_board(experiment *e, bump_stats got, double length)
{
    expect(e, "a swinging board", "count", got.count, 0, 0);
    expect(e, "a swinging board", "length", got.length, length, 1e-9);
}

// Checks the measures on synthetic waves with known bump count, speed and survival.
void bumps_check(experiment *e)
{
    const known_wave waves[] = {
        {"a short wave", 0.2, 0.8, 0, 0, 0},
        {"a decaying wave", 0.25, 1.2, 1.5, 0, 0},
        {"a noisy wave", 0.3, 1.0, 0.5, 0, 0.002},
        {"a half reflected wave", 0.2, 0.8, 0, 0.4, 0},
    };
    const double threshold = 0.005; // m, smallest height of a bump
    const int first = 60;           // frames before it are not measured
    deflection d = {.points = 61, .frames = 480, .length = 0.6, .dt = 1 / 60.0};
    d.z = experiment_alloc(e, (size_t)d.points * d.frames, sizeof *d.z);
    for (int i = 0; d.z && i < (int)(sizeof waves / sizeof *waves); i++) {
        const known_wave *w = &waves[i];
        fill_wave(&d, w);
        bump_stats got = bumps_measure(e, &d, first, threshold, w->period);
        double k = 2 * pi / w->wavelength, speed = w->wavelength / w->period;
        // m: a bump nearer than this to an edge of the cloth stays below the threshold
        double hidden_length = acos(1 - threshold / TEST_AMPLITUDE) / k;
        expect(e, w->name, "count", got.count, 2 * (d.length - 2 * hidden_length) / w->wavelength,
               0.35);
        expect(e, w->name, "speed", got.speed, speed, (w->back > 0 ? 0.15 : 0.03) * speed);
        double survival = exp(-w->decay * (LOWER_SHARE - UPPER_SHARE) * d.length);
        expect(e, w->name, "survival", got.survival, survival, (w->back > 0 ? 0.12 : 0.05));
        expect(e, w->name, "arriving", got.arriving, 1, 0.1);
        expect(e, w->name, "length", got.length, w->wavelength / 2, 0.1 * w->wavelength);
    }
    for (int f = 0; d.z && f < d.frames; f++) // a rigid board that swings: no bumps
        for (int p = 0; p < d.points; p++)
            d.z[(size_t)f * d.points + p] = 0.3 * p / (d.points - 1) * sin(2 * pi * f * d.dt / 1.2);
    if (d.z)
        expect_board(e, bumps_measure(e, &d, first, threshold, 1.2), d.length);
}
