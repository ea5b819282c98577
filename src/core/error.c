// SPDX-License-Identifier: MIT
// error.c: fills fm_error. The first failure is kept, later ones are ignored.
#include "core/core.h"

#include <assert.h>
#include <stdio.h>

// The name of a status, for messages.
const char *fm_status_name(fm_status status)
{
    switch (status) {
    case FM_OK:
        return "ok";
    case FM_BAD_VALUE:
        return "bad value";
    case FM_DIVERGED:
        return "diverged";
    case FM_INPUT_OUTPUT:
        return "input/output";
    case FM_NO_MEMORY:
        return "out of memory";
    case FM_CANCELLED:
        return "cancelled";
    }
    return "unknown";
}

// Fills err with a failure and the message "OBJECT: FIELD is VALUE, allowed is ALLOWED", unless it
// holds one already. Returns false.
bool fm_fail(fm_error *err, fm_status status, const char *object, const char *field,
             const char *value, const char *allowed)
{
    assert(err && status != FM_OK);
    if (err->status != FM_OK)
        return false;
    err->status = status;
    snprintf(err->object, sizeof err->object, "%s", object);
    snprintf(err->field, sizeof err->field, "%s", field);
    snprintf(err->value, sizeof err->value, "%s", value);
    snprintf(err->allowed, sizeof err->allowed, "%s", allowed);
    snprintf(err->text, sizeof err->text, "%s: %s is %s, allowed is %s", err->object, err->field,
             err->value, err->allowed);
    return false;
}

// Fills err for a number that is not allowed, as fm_fail does. Returns false.
bool fm_fail_number(fm_error *err, const char *object, const char *field, double value,
                    const char *allowed)
{
    char text[32];
    fm_text_format(text, sizeof text, "%.10g", value);
    return fm_fail(err, FM_BAD_VALUE, object, field, text, allowed);
}

// True if the host program wants the simulation to stop. The callback is not called again once it
// has returned true.
bool fm_stop_request_poll(fm_stop_request *stop)
{
    if (stop && stop->wants_stop && !stop->stopping)
        stop->stopping = stop->wants_stop(stop->context);
    return stop && stop->stopping;
}

// Returns true to go on. If the host wants to stop, fills err with FM_CANCELLED and returns false.
bool fm_stop_request_check(fm_stop_request *stop, fm_error *err)
{
    return !fm_stop_request_poll(stop) || fm_fail(err, FM_CANCELLED, "world", "advance",
                                                  "stopped by the host", "restoring a saved state");
}

// Fills err for an allocation of `bytes` bytes that failed. Returns false.
bool fm_fail_no_memory(fm_error *err, const char *object, size_t bytes)
{
    char text[32];
    snprintf(text, sizeof text, "%zu bytes", bytes);
    return fm_fail(err, FM_NO_MEMORY, object, "size", text, "what the system has left");
}
