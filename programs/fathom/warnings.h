// SPDX-License-Identifier: MIT
// warnings.h: warnings on stderr about slow frames, light, overstretched or pierced cloth, and
// halted contact.
#ifndef FATHOM_PROGRAM_WARNINGS_H
#define FATHOM_PROGRAM_WARNINGS_H

#include <fathom/fathom.h>

// Warns before the simulation when a frame of this length would need an extreme number of substeps.
void warn_of_slow_frames(fm_world *world, double frame_seconds);

// Warns before the simulation of cloths without pins that are coupled two-way with a particle fluid
// and weigh too little in it for its spacing.
void warn_of_light_cloths(fm_world *world);

// Warns before the simulation of colliders that are thinner than a cell of a liquid: the liquid
// sees only a part of them, or nothing.
void warn_of_thin_colliders(fm_world *world);

// Watches cloths for edges longer than twice their rest length and for stitches that pull through a
// cloth, and the world for halted contact. Each is reported once when it happens, and again in a
// summary at the end.
typedef struct frame_watch frame_watch;
// Release it with free(). NULL when out of memory; the functions below then do nothing.
frame_watch *create_frame_watch(fm_world *world);
// Call after each frame.
void update_frame_watch(frame_watch *watch, fm_world *world, int frame, const fm_report *report);
// Call after the last frame: reports cloths that had trouble in more than one frame.
void print_watch_summary(const frame_watch *watch, fm_world *world);
// Prints which integrators and methods of fluids were chosen automatically, and why.
void print_integrators(fm_world *world);

#endif
