// SPDX-License-Identifier: MIT
// field.h: description of a field that exporters, probes and pictures can read from an object.
#ifndef FATHOM_FIELD_H
#define FATHOM_FIELD_H

// Description of a field: a scalar or vector at every point of an object, or of a quantity: one
// number for a whole object.
typedef struct fm_field {
    const char *name;  // such as "velocity"
    const char *unit;  // such as "m/s"; "": none
    const char *about; // meaning, one line
    int components;    // 1 or 3
} fm_field;

#endif
