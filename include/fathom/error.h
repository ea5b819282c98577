// SPDX-License-Identifier: MIT
// error.h: how a call says that it failed.
//
// Start with `fm_error err = {0};` and hand the same struct to call after call: it keeps the first
// failure, and the calls after it do nothing and return NULL, false or 0. Look at it once, at the
// end. The library never prints, exits or jumps.
//
// An object or a struct that a call needs must be there: NULL for it is a bug of the caller, which
// builds with assertions stop at (`make debug`) and others do not look for. It is none after a
// failure, when calls do nothing, and none where a header says what NULL means; functions that
// destroy, free or close take it. Calls without an fm_error always need their object.
#ifndef FATHOM_ERROR_H
#define FATHOM_ERROR_H

#include <fathom/api.h>

#ifdef __cplusplus
extern "C" {
#endif

// The values up to FM_INPUT_OUTPUT are also the exit codes of the `fathom` program.
typedef enum fm_status {
    FM_OK = 0,
    FM_BAD_VALUE = 1,    // a value the caller gave is outside what is allowed
    FM_DIVERGED = 2,     // the numbers stopped being finite
    FM_INPUT_OUTPUT = 3, // a file could not be read or written
    FM_NO_MEMORY = 4,
    FM_CANCELLED = 5, // the host asked to stop: see fm_world_set_stop
} fm_status;

typedef struct fm_error {
    fm_status status;
    char object[48];  // what was being made or changed: "memory", "cloth towel"
    char field[48];   // the member at fault: "order", "drag.history.order"
    char value[128];  // what it held, as text
    char allowed[96]; // what it may hold
    char text[448];   // one sentence for people, made of all of the above
} fm_error;

// "ok", "bad value", "diverged", "input/output", "out of memory", "cancelled".
FM_API const char *fm_status_name(fm_status status);

#ifdef __cplusplus
}
#endif

#endif
