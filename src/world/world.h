// SPDX-License-Identifier: MIT
// world.h: the inside of a world.
#ifndef FATHOM_WORLD_WORLD_H
#define FATHOM_WORLD_WORLD_H

#include "cloth/cloth.h"
#include "particles/particles.h"

#include <fathom/world.h>

enum { FM_WORLD_OBJECTS_MAX = 1024 }; // cloths, fluids, colliders, each

struct fm_world {
    fm_world_def def;
    fm_arena arena; // motions and colliders
    fm_pool *pool;
    double time; // s

    fm_cloth *cloths[FM_WORLD_OBJECTS_MAX];
    int cloth_count;
    fm_particles *fluids[FM_WORLD_OBJECTS_MAX];
    int fluid_count;
    fm_collider *colliders[FM_WORLD_OBJECTS_MAX];
    fm_placed_collider placed[FM_WORLD_OBJECTS_MAX];
    int collider_count;
};

fm_surroundings fm_world_surroundings(fm_world *world);

#endif
