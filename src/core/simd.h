// SPDX-License-Identifier: MIT
// simd.h: vectorised inner loops: run-time dispatch to AVX2, and vectors of eight floats.
//
// Inner loops over doubles are plain loops over FM_LANES elements with `#pragma omp simd`. gcc and
// clang turn these into vector instructions without branches or calls (measured as fast as
// hand-written vector types). FM_SIMD_CLONES before a function compiles it twice, once for any
// x86-64 and once for machines with AVX2 and FMA; the program picks one of the two when it starts.
// Results are the same for any number of threads on one machine. A machine without FMA rounds
// differently.
#ifndef FATHOM_CORE_SIMD_H
#define FATHOM_CORE_SIMD_H

enum { FM_LANES = 8 }; // doubles that an inner loop works on at once: one cache line

// Clones are disabled under ThreadSanitizer, because the run-time choice happens before
// ThreadSanitizer has initialised itself. They are disabled for clang, because clang 14 cannot
// clone for an x86-64 level and exports the resolver symbols. With clang, use the native preset.
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__) &&                 \
    !defined(FM_NO_CLONES)
#define FM_SIMD_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define FM_SIMD_CLONES
#endif

// Vectors of eight floats, for inner loops that are only a few vectors long. There a plain loop
// would spend most of its time in the scalar remainder. Without AVX, gcc and clang split each
// operation into two of four floats.
#include <math.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

// Eight floats, eight ints, four floats, and eight floats at any address.
typedef float fm_floats __attribute__((vector_size(32)));
typedef int fm_ints __attribute__((vector_size(32)));
typedef float fm_four_floats __attribute__((vector_size(16), may_alias));
typedef float fm_floats_unaligned __attribute__((vector_size(32), aligned(4), may_alias));
typedef float fm_four_floats_unaligned __attribute__((vector_size(16), aligned(4), may_alias));

// A function that is always inlined, so that SIMD clones of its caller include it.
#define FM_INLINE static inline __attribute__((always_inline))

// Loads eight floats from an address with any alignment.
FM_INLINE fm_floats fm_floats_load(const float *from)
{
    return *(const fm_floats_unaligned *)from;
}

// Loads four floats from an address with any alignment.
FM_INLINE fm_four_floats fm_four_floats_load(const float *from)
{
    return *(const fm_four_floats_unaligned *)from;
}

// Square root of each lane.
FM_INLINE fm_floats fm_floats_sqrt(fm_floats a)
{
    fm_floats root;
    for (int i = 0; i < 8; i++)
        root[i] = sqrtf(a[i]);
    return root;
}

// Lanes of a where the mask is -1, and 0 where the mask is 0.
FM_INLINE fm_floats fm_floats_select(fm_ints mask, fm_floats a)
{
    return (fm_floats)((fm_ints)a & mask);
}

// Mask that is -1 in lanes 0 to count - 1, and 0 in the others.
FM_INLINE fm_ints fm_ints_mask_below(int count)
{
    return (fm_ints){0, 1, 2, 3, 4, 5, 6, 7} < count;
}

// A mask of lanes as bits: bit i is set where lane i of the mask is -1.
FM_INLINE int fm_ints_mask_bits(fm_ints mask)
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

// Transposes two 4 x 4 blocks of the rows r: the one in lanes 0 to 3 and the one in lanes 4 to 7.
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

// Loads four floats from each of eight rows: row[i][offset + k] becomes lane i of column[k]. Each
// row begins at a 16-byte boundary, and offset is a multiple of four.
FM_INLINE void fm_floats_load_columns(const float *const row[8], int offset, fm_floats column[4])
{
    for (int k = 0; k < 4; k++) {
        fm_four_floats low = *(const fm_four_floats *)(row[k] + offset);
        fm_four_floats high = *(const fm_four_floats *)(row[k + 4] + offset);
        column[k] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    }
    fm_floats_transpose(column);
}

// Sum of the eight lanes, added in the same order as in fm_floats_sum_eight.
FM_INLINE float fm_floats_sum(fm_floats a)
{
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

// Sums eight vectors over their lanes. Lane k of the result is the sum of a[k] for k < 4 and that
// of b[k - 4] for the others.
FM_INLINE fm_floats fm_floats_sum_eight(const fm_floats a[4], const fm_floats b[4])
{
    fm_floats r[4];
    for (int k = 0; k < 4; k++)
        r[k] = __builtin_shufflevector(a[k], b[k], 0, 1, 2, 3, 8, 9, 10, 11) +
               __builtin_shufflevector(a[k], b[k], 4, 5, 6, 7, 12, 13, 14, 15);
    fm_floats_transpose(r);
    return (r[0] + r[2]) + (r[1] + r[3]);
}

#endif
