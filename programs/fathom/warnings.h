// SPDX-License-Identifier: MIT
// warnings.h: what a run is told to stderr while it goes on.
#ifndef FATHOM_PROGRAM_WARNINGS_H
#define FATHOM_PROGRAM_WARNINGS_H

#include <fathom/fathom.h>

// Frames that would not end, told before they begin.
void warn_of_endless_frames(fm_world *world, double frame_seconds);

// Cloths that are stretched beyond what any cloth bears: each told once, all of them at the end.
typedef struct stretch_watch stretch_watch;
stretch_watch *watch_stretch(fm_world *world); // NULL without memory: then nothing is watched
void note_stretch(stretch_watch *watch, fm_world *world, int frame, const fm_report *report);
void sum_up_stretch(const stretch_watch *watch, fm_world *world);

#endif
