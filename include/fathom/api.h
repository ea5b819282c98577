// SPDX-License-Identifier: MIT
// api.h: FM_API marks the functions that the shared library exports. All others are hidden.
#ifndef FATHOM_API_H
#define FATHOM_API_H

#if defined(__GNUC__)
#define FM_API __attribute__((visibility("default")))
#else
#define FM_API
#endif

#endif
