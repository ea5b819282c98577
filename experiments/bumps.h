// SPDX-License-Identifier: MIT
// bumps.h: counts and measures the bumps that travel down a hanging cloth.
//
// The input is the deflection z(s,t) of the vertical centre line: s runs from the top edge (0) to
// the lower edge (L) along the cloth at rest; z is the coordinate of that point along the direction
// of the motion, in the inertial frame.
//
//   bump      an interior extremum of z(s) at one instant: a crest (trough) from which z falls
//             (rises) by at least `threshold` on both sides before it turns again or the line ends.
//             Because of this hysteresis crests and troughs alternate. The two edges do not count.
//             A cloth that swings like a rigid board, or is bent once, has no bumps.
//   count     number of bumps at one instant, mean over the evaluated frames. A wave a cos(k s - w
//             t) has 2 (L - 2 d) / wavelength bumps, with a (1 - cos k d) = threshold.
//   track     the same bump from frame to frame: both crests or both troughs, nearest to each
//             other, at most 0.08 L apart per frame; it may be missing for two frames.
//   speed     of a track, the median of ds/dt between all pairs of its points (estimator of Theil
//             and Sen); of a cloth, the median over all tracks, weighted with their numbers
//             of frames. Downwards is positive.
//   born      number of tracks that begin in the upper half, over the evaluated frames without the
//             last half second.
//   arriving  share of the born tracks that reach 0.8 L.
//   survival  ratio of the amplitudes of the downward wave at 0.9 L and at 0.2 L. With Z(s) the
//             complex amplitude at the swing's frequency w over whole periods and k = w / speed,
//                 Z = A e^(-iks) + B e^(iks),    |A| = |Z + i Z'/k| / 2, averaged over +-0.05 L.
//             The wave B reflected at the lower edge does not count. 0 if no bump travels down.
//   height    half the difference of z between neighbouring turning points, m: the amplitude of a
//             wave. Mean over bumps and frames.
//   length    distance of neighbouring bumps of a frame, m: half a wavelength. The length L of the
//             cloth in frames with fewer than two bumps: then one bump covers all of it. Mean over
//             the frames.
//   score     count x arriving x min(1, survival), which is large for many long-lived bumps. The
//             parameter sweeps maximise it.
#ifndef FATHOM_BUMPS_H
#define FATHOM_BUMPS_H

#include "experiment.h"

// The recorded deflection of the centre line.
typedef struct deflection {
    int points;    // number of points along the centre line, the first at the top edge
    int frames;    // number of recorded instants
    double length; // m, of the centre line at rest
    double dt;     // s, from frame to frame
    double *z;     // m, deflection normal to the cloth at rest, [frame][point]
} deflection;

// Measures of all bumps of one run, defined at the top of this file.
typedef struct bump_stats {
    double count;    // mean number of bumps at one instant
    int born;        // number of tracked bumps that begin in the upper half of the cloth
    double arriving; // share of these that reach 0.8 of the length
    double speed;    // m/s, median, downwards positive; 0: no bump was tracked
    double survival; // amplitude of the downward wave near the lower edge over that near the top
    double height;   // m, mean amplitude of the bumps
    double length;   // m, mean distance of neighbouring bumps
    double score;    // count x arriving x min(1, survival)
} bump_stats;

// One bump at one instant.
typedef struct bump {
    double place;  // m, distance along the cloth from the top edge
    double height; // m, half the mean drop of z on its two sides
    int kind;      // 1 crest, -1 trough
} bump;

enum { BUMPS_MAX = 64 }; // largest number of bumps found in one frame

// Finds the bumps of one frame, from the top down: extrema of the deflection that stand out by at
// least `threshold` (m). Returns their number.
int bumps_find(const deflection *d, int frame, double threshold, bump found[BUMPS_MAX]);

// Measures the bumps over the frames from `first` on, for a swing of the given period (s). With
// period 0 survival is not computed.
bump_stats bumps_measure(experiment *e, const deflection *d, int first, double threshold,
                         double period);

// One bump tracked in time. Times in s since the first frame, places in m from the top edge.
typedef struct bump_track {
    int kind;          // 1 crest, -1 trough
    int count;         // number of frames in which the bump was found
    double start, end; // s, of the first and the last frame with the bump
    double from, to;   // m, first place and lowest place
    double speed;      // m/s, downwards positive
} bump_track;

// Tracks the bumps of frames [first, frames), in the order of their start. Returns the number of
// tracks; *tracks is valid until the experiment is closed.
int bumps_track(experiment *e, const deflection *d, int first, double threshold,
                bump_track **tracks);

// Measures synthetic waves with known bump count, speed and survival. The experiment fails if the
// results are wrong.
void bumps_check(experiment *e);

#endif
