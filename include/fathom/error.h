// SPDX-License-Identifier: MIT
// error.h: how functions report failures.
//
// Start with `fm_error err = {0};` and pass the same struct to every call. It keeps the first
// failure; calls after it do nothing and return NULL, false or 0. Check it once, at the end. The
// library never prints, exits or jumps.
//
// Passing NULL for an object or struct that a function needs is a bug of the caller. Builds with
// assertions (`make debug`) stop there, other builds do not check. NULL is allowed in three cases:
// when err already holds a failure, so that the call does nothing; where a header says what NULL
// means; and in functions that destroy or close an object. Functions without an fm_error parameter
// always need their object.
#ifndef FATHOM_ERROR_H
#define FATHOM_ERROR_H

#include <fathom/api.h>

#ifdef __cplusplus
extern "C" {
#endif

// The values up to FM_INPUT_OUTPUT are also the exit codes of the `fathom` program.
typedef enum fm_status {
    FM_OK = 0,
    FM_BAD_VALUE = 1,    // a value of the caller is outside its allowed range
    FM_DIVERGED = 2,     // the simulation produced NaN or infinity
    FM_INPUT_OUTPUT = 3, // a file could not be read or written
    FM_NO_MEMORY = 4,
    FM_CANCELLED = 5, // the host asked to stop: see fm_world_set_stop
} fm_status;

// The first failure of a sequence of calls.
typedef struct fm_error {
    fm_status status;
    char object[48];  // object that was being created or changed: "world", "cloth towel"
    char field[48];   // field with the wrong value: "order", "drag.history.order"
    char value[128];  // its value, as text
    char allowed[96]; // its allowed values
    char text[448];   // message for the user, composed of the fields above
} fm_error;

// The name of a status: "ok", "bad value", "diverged", "input/output", "out of memory",
// "cancelled".
FM_API const char *fm_status_name(fm_status status);

#ifdef __cplusplus
}
#endif

#endif
