// SPDX-License-Identifier: MIT
// couple.h: coupling of a cloth with a simulated fluid.
//
//     fm_world_couple(world, towel, water, FM_COUPLING_TWO_WAY, &err);
//
// Call it before the first advance, when the cloth is in its place and the fluid has its boxes:
// fluid particles that would overlap the cloth are removed. The fluid then replaces the world's
// medium for that cloth. See docs/coupling.md.
#ifndef FATHOM_COUPLE_H
#define FATHOM_COUPLE_H

#include <fathom/api.h>
#include <fathom/error.h>
#include <fathom/object.h>
#include <fathom/world.h>

#ifdef __cplusplus
extern "C" {
#endif

// Which of the two, cloth and fluid, acts on the other.
typedef enum fm_coupling_way {
    // cloth and fluid push each other; the fluid does not pass through the cloth
    FM_COUPLING_TWO_WAY,
    FM_COUPLING_ONE_WAY, // the fluid moves the cloth by drag; the cloth does not affect the fluid
    // the fluid moves the cloth by drag, and the opposite force acts on the fluid around it, which
    // passes through the cloth. Lines and loads do this with FM_COUPLING_TWO_WAY, too
    FM_COUPLING_BY_DRAG,
} fm_coupling_way;

// How a body and a medium act on each other. The permeability of the body counts in two-way
// coupling with a grid fluid: fluid that passes with the speed u relative to the body loses the
// pressure resistance u + quadratic u^2.
typedef struct fm_coupling_def {
    fm_coupling_way way;
    double resistance; // Pa s/m; 0: the fluid passes freely, INFINITY: it does not pass
    double quadratic;  // Pa s^2/m^2; needs a finite resistance
    // the box of a grid fluid moves with the body, along axes whose sides are open or inflows
    bool follow;
} fm_coupling_def;
FM_API fm_coupling_def fm_default_coupling_def(void); // two-way, nothing passes

FM_API bool fm_world_couple(fm_world *world, struct fm_cloth *cloth, struct fm_particles *fluid,
                            fm_coupling_way way, fm_error *err);
// Couples any body with any medium of the world.
FM_API bool fm_world_couple_objects(fm_world *world, fm_object *body, fm_object *medium,
                                    fm_coupling_way way, fm_error *err);
// The same with a permeability.
FM_API bool fm_world_couple_with(fm_world *world, fm_object *body, fm_object *medium,
                                 const fm_coupling_def *def, fm_error *err);
// The medium that a body is coupled with two-way; NULL: none.
FM_API fm_object *fm_world_find_two_way_medium(const fm_object *body);

#ifdef __cplusplus
}
#endif

#endif
