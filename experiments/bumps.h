// SPDX-License-Identifier: MIT
// bumps.h: bumps that travel down a hanging cloth, counted, timed and weighed.
//
// What is looked at is the deflection z(s,t) along the vertical centre line: s runs from the top
// edge (0) to the lower edge (L) along the cloth at rest, z is where that point is along the
// direction of the motion, in the frame of the room.
//
//   bump      at one instant, a place inside the line where z turns: a crest or a trough from which
//             z falls (or rises) by at least `threshold` on both sides before it turns again or the
//             line ends. The hysteresis makes crests and troughs alternate; the two edges are no
//             bumps. A cloth that swings like a board, or is bent once, has none.
//   count     bumps on the cloth at once, mean over the frames looked at. A wave a cos(k s - w t)
//             has 2 (L - 2 d) / wavelength of them, with a (1 - cos k d) = threshold.
//   track     the same bump from frame to frame: same kind, nearest place, at most LONGEST_JUMP of
//             the length away, missing for at most two frames.
//   speed     of a track, the median of the slopes between its points (Theil and Sen); of a cloth,
//             the median over all tracks, each with the weight of its frames, downwards positive.
//   born      tracks that begin in the upper half, counted over the frames looked at but for the
//             last half second.
//   arriving  share of those that come down to 0.8 L.
//   survival  amplitude of the part that travels down at 0.9 L over that at 0.2 L. With Z(s) the
//             complex amplitude at the swing's frequency w over whole periods and k = w / speed,
//                 Z = A e^(-iks) + B e^(iks),    |A| = |Z + i Z'/k| / 2,
//             each averaged over +-0.05 L, so that what was reflected at the lower edge does not
//             count. 0 when no bump travels down.
//   height    half the drop between neighbouring turning points, m: a wave's amplitude. Mean over
//             bumps and frames.
//   score     count x arriving x min(1, survival): as many bumps as there are, as far as they last.
//             This is what the parameter sweeps maximise.
#ifndef FATHOM_BUMPS_H
#define FATHOM_BUMPS_H

#include "experiment.h"

typedef struct deflection {
    int points;    // along the line, the first at the top edge
    int frames;    // in time
    double length; // m
    double dt;     // s, from frame to frame
    double *z;     // m, [frame][point]
} deflection;

typedef struct bump_stats {
    double count;
    int born;
    double arriving;
    double speed; // m/s; 0 when there is no track
    double survival;
    double height; // m
    double score;
} bump_stats;

typedef struct bump {
    double place;  // m from the top edge
    double height; // m, half the mean drop on its two sides
    int kind;      // 1 crest, -1 trough
} bump;

enum { BUMPS_MAX = 64 };

// The bumps of one frame, from the top down.
int find_bumps(const deflection *d, int frame, double threshold, bump found[BUMPS_MAX]);

// Over frames from `first` on, for a swing of that period, s. A period of 0 leaves survival out.
bump_stats measure_bumps(experiment *e, const deflection *d, int first, double threshold,
                         double period);

// One bump followed through time, in seconds since the first frame and m from the top edge.
typedef struct bump_track {
    int kind, count;
    double start, end; // s
    double from, to;   // m, where it began and the furthest it came down
    double speed;      // m/s
} bump_track;

// Tracks of frames [first, frames) in their order of birth. Returns how many; *tracks lives as long
// as the experiment.
int track_bumps(experiment *e, const deflection *d, int first, double threshold,
                bump_track **tracks);

// The measures above on waves whose numbers are known. The experiment fails when they are wrong.
void check_bumps(experiment *e);

#endif
