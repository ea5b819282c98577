// SPDX-License-Identifier: MIT
// vec.h: vectors in 3D, and rotations.
#ifndef FATHOM_VEC_H
#define FATHOM_VEC_H

#define FM_DEGREE 0.017453292519943295 // radians in one degree

typedef struct fm_vec3 {
    double x, y, z;
} fm_vec3;

// Rotation as a unit quaternion with scalar part w; {0, 0, 0, 1} is the identity.
typedef struct fm_quat {
    double x, y, z, w;
} fm_quat;

#endif
