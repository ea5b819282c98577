// SPDX-License-Identifier: MIT
// fathom.h: everything the library offers. SI units throughout.
#ifndef FATHOM_FATHOM_H
#define FATHOM_FATHOM_H

#include <fathom/api.h>
#include <fathom/cloth.h>
#include <fathom/collide.h>
#include <fathom/couple.h>
#include <fathom/error.h>
#include <fathom/fabric.h>
#include <fathom/figure.h>
#include <fathom/grid.h>
#include <fathom/line.h>
#include <fathom/liquid.h>
#include <fathom/medium.h>
#include <fathom/memory.h>
#include <fathom/mesh.h>
#include <fathom/mesh_shape.h>
#include <fathom/motion.h>
#include <fathom/object.h>
#include <fathom/particles.h>
#include <fathom/soft.h>
#include <fathom/vec.h>
#include <fathom/world.h>

#ifdef __cplusplus
extern "C" {
#endif

// The version of the library at run time, such as "0.1.0".
FM_API const char *fm_version(void);

#ifdef __cplusplus
}
#endif

#endif
