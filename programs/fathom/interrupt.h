// SPDX-License-Identifier: MIT
// interrupt.h: Ctrl-C, or SIGTERM, while frames are made.
#ifndef FATHOM_PROGRAM_INTERRUPT_H
#define FATHOM_PROGRAM_INTERRUPT_H

#include <stdbool.h>

enum { PATIENCE_MS = 500 }; // how long a frame may go on after Ctrl-C

void catch_signals(void);
bool stopped(void); // no more frames
// For fm_world_set_stop: not even the rest of this one, for it takes long, or Ctrl-C came twice.
bool must_stop_now(void *context);

#endif
