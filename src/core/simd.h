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

// Eight floats at once, for kernels whose inner loop is a few vectors long: there a plain loop
// spends its time in what is left over. Both compilers make two of four where there is no AVX.
#include <math.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef float fm_floats __attribute__((vector_size(32)));
typedef int fm_ints __attribute__((vector_size(32)));
typedef float fm_floats_anywhere __attribute__((vector_size(32), aligned(4), may_alias));

#define FM_INLINE static inline __attribute__((always_inline))

FM_INLINE fm_floats fm_floats_load(const float *from)
{
    return *(const fm_floats_anywhere *)from;
}

FM_INLINE fm_floats fm_floats_sqrt(fm_floats a)
{
    fm_floats root;
    for (int i = 0; i < 8; i++)
        root[i] = sqrtf(a[i]);
    return root;
}

// a where the mask is -1, 0 where it is 0.
FM_INLINE fm_floats fm_floats_where(fm_ints mask, fm_floats a)
{
    return (fm_floats)((fm_ints)a & mask);
}

// Of the lanes below `count`.
FM_INLINE fm_ints fm_lanes_below(int count)
{
    return (fm_ints){0, 1, 2, 3, 4, 5, 6, 7} < count;
}

// Bit i for lane i of a mask.
FM_INLINE int fm_ints_bits(fm_ints mask)
{
#ifdef __SSE2__
    __m128 half[2];
    memcpy(half, &mask, sizeof mask);
    return _mm_movemask_ps(half[0]) | _mm_movemask_ps(half[1]) << 4;
#else
    int bits = 0;
    for (int i = 0; i < 8; i++)
        bits |= mask[i] & 1 << i;
    return bits;
#endif
}

// Row i becomes lane i of each.
FM_INLINE void fm_floats_transpose(fm_floats r[8])
{
    fm_floats a[8], b[8];
    for (int i = 0; i < 4; i++) {
        a[2 * i] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        a[2 * i + 1] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) {
            fm_floats low = a[4 * i + k], high = a[4 * i + k + 2];
            b[4 * i + 2 * k] = __builtin_shufflevector(low, high, 0, 1, 8, 9, 4, 5, 12, 13);
            b[4 * i + 2 * k + 1] = __builtin_shufflevector(low, high, 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
    for (int k = 0; k < 4; k++) {
        r[k] = __builtin_shufflevector(b[k], b[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        r[k + 4] = __builtin_shufflevector(b[k], b[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

FM_INLINE float fm_floats_sum(fm_floats a)
{
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

#endif
