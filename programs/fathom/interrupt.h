// SPDX-License-Identifier: MIT
// interrupt.h: stops a run after Ctrl-C (SIGINT) or SIGTERM.
#ifndef FATHOM_PROGRAM_INTERRUPT_H
#define FATHOM_PROGRAM_INTERRUPT_H

#include <stdbool.h>

enum { STOP_DELAY_MS = 500 }; // how long the current frame may continue after the signal

void install_signal_handlers(void);
bool stop_requested(void); // true after a signal: no further frame is started
// Callback of fm_world_set_stop: true when the current frame must be cancelled, because it took
// longer than STOP_DELAY_MS after the signal or a second signal came.
bool must_stop_now(void *context);

#endif
