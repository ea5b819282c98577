// SPDX-License-Identifier: MIT
// simd.h: how kernels become vector code.
//
// Kernels are plain loops over FM_LANES doubles with `#pragma omp simd`, which gcc and clang turn
// into vector instructions without branches or calls inside (measured as fast as hand-written
// vector types). FM_SIMD_CLONES before such a function compiles it twice, for any x86-64
// and for machines with AVX2 and FMA, and picks one when the program starts. Results are the
// same for any number of threads on one machine; a machine without FMA rounds differently.
#ifndef FATHOM_CORE_SIMD_H
#define FATHOM_CORE_SIMD_H

enum { FM_LANES = 8 }; // doubles that kernels work on at once: one cache line

// The run-time choice calls into code that ThreadSanitizer has not set up yet, so it is left out
// there; and clang 14 has no clone for a whole level of x86-64 and exports its resolvers. With
// clang, use the native preset.
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__) &&                 \
    !defined(FM_NO_CLONES)
#define FM_SIMD_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define FM_SIMD_CLONES
#endif

#endif
