// SPDX-License-Identifier: MIT
// vec.h: three numbers, and a rotation.
#ifndef FATHOM_VEC_H
#define FATHOM_VEC_H

typedef struct fm_vec3 {
    double x, y, z;
} fm_vec3;

// Unit quaternion, w the scalar part; {0, 0, 0, 1} turns nothing.
typedef struct fm_quat {
    double x, y, z, w;
} fm_quat;

#endif
