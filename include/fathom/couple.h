// SPDX-License-Identifier: MIT
// couple.h: cloth in a fluid that is simulated.
//
//     fm_world_couple(world, towel, water, FM_COUPLING_TWO_WAY, &err);
//
// Before the first advance, once the cloth is in its place and the fluid has its boxes: what of
// them would be in the cloth is left out. The fluid is then the medium of that cloth, instead of
// the world's. See docs/coupling.md.
#ifndef FATHOM_COUPLE_H
#define FATHOM_COUPLE_H

#include <fathom/api.h>
#include <fathom/cloth.h>
#include <fathom/error.h>
#include <fathom/particles.h>
#include <fathom/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fm_coupling_way {
    FM_COUPLING_TWO_WAY, // they push each other; the fluid does not pass through the cloth
    FM_COUPLING_ONE_WAY, // the fluid carries the cloth by its drag and does not feel it
} fm_coupling_way;

FM_API bool fm_world_couple(fm_world *world, fm_cloth *cloth, fm_particles *fluid,
                            fm_coupling_way way, fm_error *err);

#ifdef __cplusplus
}
#endif

#endif
