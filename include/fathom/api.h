// SPDX-License-Identifier: MIT
// api.h: what a symbol needs to be seen outside the shared library. Everything else stays hidden.
#ifndef FATHOM_API_H
#define FATHOM_API_H

#if defined(__GNUC__)
#define FM_API __attribute__((visibility("default")))
#else
#define FM_API
#endif

#endif
