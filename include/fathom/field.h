// SPDX-License-Identifier: MIT
// field.h: what exporters, probes and pictures read of an object, by name.
#ifndef FATHOM_FIELD_H
#define FATHOM_FIELD_H

typedef struct fm_field {
    const char *name; // "velocity"
    const char *unit; // "m/s"
    const char *about;
    int components; // 1 or 3
} fm_field;

#endif
