// SPDX-License-Identifier: MIT
// world.h: the inside of a world.
#ifndef FATHOM_WORLD_WORLD_H
#define FATHOM_WORLD_WORLD_H

#include "cloth/cloth.h"
#include "particles/particles.h"

#include <fathom/world.h>

enum { FM_WORLD_OBJECTS_MAX = 1024 }; // cloths, fluids, colliders, figures, each

typedef struct fm_touch fm_touch;
typedef struct fm_coupling fm_coupling;

struct fm_world {
    fm_world_def def;
    fm_arena arena; // motions, colliders, figures
    fm_pool *pool;
    fm_stop stop;
    double time; // s

    fm_cloth *cloths[FM_WORLD_OBJECTS_MAX];
    int cloth_count;
    fm_particles *fluids[FM_WORLD_OBJECTS_MAX];
    int fluid_count;
    fm_collider *colliders[FM_WORLD_OBJECTS_MAX];
    fm_placed_collider placed[FM_WORLD_OBJECTS_MAX];
    int collider_count;
    fm_placed_collider *solids; // room for all that a free collider may meet
    int solid_room;
    fm_touch *touch; // NULL until a cloth with contact moves
    fm_coupling *couplings[FM_WORLD_OBJECTS_MAX];
    int coupling_count;
    fm_figure *figures[FM_WORLD_OBJECTS_MAX];
    int figure_count;
};

fm_surroundings fm_world_surroundings(fm_world *world);
// As a cloth finds them: the medium of one that is coupled is its fluid.
fm_surroundings fm_cloth_surroundings(fm_world *world, const fm_cloth *cloth);

// Intervals are as long as fluids allow then and change from one to the next.
bool fm_world_follows_fluids(const fm_world *world);
void fm_world_note_pace(fm_world *world); // for the memories of its cloths, when that may change

// contact.c: cloths that keep apart.
bool fm_world_has_contact(const fm_world *world);
// From the definitions of what is in the world, wherever it is now.
bool fm_touch_make(fm_world *world, fm_error *err);
// What is in the world has changed, or contact has not begun: the next advance makes it anew.
void fm_touch_drop(fm_world *world);
bool fm_touch_advance(fm_world *world, double interval, int *most, fm_report *report,
                      fm_error *err); // most: substeps taken, if they are more
bool fm_touch_check(fm_world *world, fm_report *report, fm_error *err);
size_t fm_touch_save(const fm_touch *touch, void *buffer, size_t size);
bool fm_touch_restore(fm_touch *touch, const void *buffer, size_t size, fm_error *err);

// couple.c: cloths in fluids.
double fm_couple_limit(const fm_world *world);   // s, an interval is no longer
bool fm_couple_is_mutual(const fm_world *world); // some fluid is pushed
fm_medium fm_couple_medium(const fm_world *world, const fm_cloth *cloth);
void fm_couple_take(fm_world *world, double end);               // before bodies move
void fm_couple_give(fm_world *world, double start, double end); // after
size_t fm_couple_save(const fm_world *world, void *buffer);     // NULL: the size only
bool fm_couple_restore(fm_world *world, const void *buffer, size_t size, fm_error *err);
uint64_t fm_couple_hash(const fm_world *world, uint64_t seed);
void fm_couple_free(fm_world *world);

#endif
