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
typedef float fm_four __attribute__((vector_size(16), may_alias));
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

// Transposes two blocks of four by four, the lower and the upper lanes, each in its place.
FM_INLINE void fm_floats_transpose(fm_floats r[4])
{
    fm_floats a = __builtin_shufflevector(r[0], r[1], 0, 8, 1, 9, 4, 12, 5, 13);
    fm_floats b = __builtin_shufflevector(r[0], r[1], 2, 10, 3, 11, 6, 14, 7, 15);
    fm_floats c = __builtin_shufflevector(r[2], r[3], 0, 8, 1, 9, 4, 12, 5, 13);
    fm_floats d = __builtin_shufflevector(r[2], r[3], 2, 10, 3, 11, 6, 14, 7, 15);
    r[0] = __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13);
    r[1] = __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15);
    r[2] = __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
    r[3] = __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
}

// Four numbers from each of eight rows: number k of row i becomes lane i of column[k]. Rows and
// offset are multiples of four numbers.
FM_INLINE void fm_floats_columns(const float *const row[8], int offset, fm_floats column[4])
{
    for (int k = 0; k < 4; k++) {
        fm_four low = *(const fm_four *)(row[k] + offset);
        fm_four high = *(const fm_four *)(row[k + 4] + offset);
        column[k] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    }
    fm_floats_transpose(column);
}

// In the order of fm_floats_sums.
FM_INLINE float fm_floats_sum(fm_floats a)
{
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

// Of four vectors into the lower lanes, of four more into the upper ones.
FM_INLINE fm_floats fm_floats_sums(const fm_floats a[4], const fm_floats b[4])
{
    fm_floats r[4];
    for (int k = 0; k < 4; k++)
        r[k] = __builtin_shufflevector(a[k], b[k], 0, 1, 2, 3, 8, 9, 10, 11) +
               __builtin_shufflevector(a[k], b[k], 4, 5, 6, 7, 12, 13, 14, 15);
    fm_floats_transpose(r);
    return (r[0] + r[2]) + (r[1] + r[3]);
}

#endif
