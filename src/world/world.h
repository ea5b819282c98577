// SPDX-License-Identifier: MIT
// world.h: internal data of a world.
#ifndef FATHOM_WORLD_WORLD_H
#define FATHOM_WORLD_WORLD_H

#include "collide/collide.h"
#include "object/object.h"

#include <fathom/world.h>

enum {
    FM_WORLD_OBJECTS_MAX = 1024, // objects of one kind; also colliders, figures and couplings
    FM_WORLD_ALL_OBJECTS_MAX = 4 * FM_WORLD_OBJECTS_MAX, // objects of all kinds
};

typedef struct fm_world_contact fm_world_contact;
typedef struct fm_ties fm_ties;
typedef struct fm_layers fm_layers;

// A body immersed in a medium.
typedef struct fm_coupling {
    fm_object *body, *medium;
    fm_coupling_way way; // two-way, or the medium acts on the body only
    fm_samples *samples; // quadrature points on the body, which owns them
} fm_coupling;

struct fm_world {
    fm_world_def def;     // checked; gravity, medium and settings
    fm_arena arena;       // memory of motions, colliders, figures
    fm_pool *pool;        // threads
    fm_stop_request stop; // callback by which the host program can stop an advance
    double time;          // s, simulated time

    fm_object *objects[FM_WORLD_ALL_OBJECTS_MAX]; // all objects, in the order of creation
    int object_count, body_count, medium_count, rigid_count; // all objects, and those of each role
    fm_collider *colliders[FM_WORLD_OBJECTS_MAX];
    fm_placed_collider placed[FM_WORLD_OBJECTS_MAX]; // scratch data of objects: colliders at a time
    int collider_count;
    fm_collider *shown[FM_WORLD_OBJECTS_MAX]; // shapes that are only drawn
    int shown_count;
    // walls and colliders that a rigid object may collide with; scratch data
    fm_placed_collider *solids;
    int solid_capacity; // elements allocated for it
    // Buffer of fm_world_hash, kept because allocating megabytes in each frame takes long.
    unsigned char *hash_bytes;
    size_t hash_capacity;      // size of hash_bytes, bytes
    fm_world_contact *contact; // NULL until a body with contact moves
    fm_ties *ties;             // NULL: no bodies are tied
    fm_layers *layers;         // scratch data of layers.c; NULL until the first advance
    fm_coupling couplings[FM_WORLD_OBJECTS_MAX];
    int coupling_count;
    fm_figure *figures[FM_WORLD_OBJECTS_MAX];
    int figure_count;
};

// True if media push balls or bodies: intervals are then limited by the media and vary in length.
bool fm_world_has_variable_intervals(const fm_world *world);
// Tells all bodies whether intervals vary.
void fm_world_announce_variable_intervals(fm_world *world);

// contact.c: contact between bodies.
bool fm_world_has_contact(const fm_world *world);     // true if any body takes part in contact
bool fm_object_uses_contact(const fm_object *object); // true if it takes part in contact
// True if the body takes its substeps together with others: it has contact or is tied.
bool fm_object_steps_together(const fm_object *object);
// Creates the contact set from the definitions of all objects, not from their present positions.
bool fm_world_create_contact(fm_world *world, fm_error *err);
// Frees the contact set; the next advance creates it again. Called when an object, a collider or a
// tie was added, when a state from before the first contact is restored, and at the end.
void fm_world_destroy_contact(fm_world *world);
// Advances all bodies with contact or ties by `interval` s. most_substeps: raised to the number
// of substeps taken.
bool fm_world_advance_contact(fm_world *world, double interval, int *most_substeps,
                              fm_report *report, fm_error *err);
// Adds intersections and the least distance between surfaces to the report.
bool fm_world_check_contact(fm_world *world, fm_report *report, fm_error *err);
// State of contact between advances, for snapshots. Returns the size, bytes; 0 if contact is NULL.
size_t fm_world_save_contact(const fm_world_contact *contact, void *buffer, size_t size);
bool fm_world_restore_contact(fm_world_contact *contact, const void *buffer, size_t size,
                              fm_error *err);

// ties.c: ties between points of bodies.
bool fm_object_is_tied(const fm_object *object);
void fm_world_destroy_ties(fm_world *world);
// The three parts of ties in a substep of h seconds that ends at time `end`: after all bodies have
// opened it, after contact, and after all bodies have evaluated their forces.
void fm_ties_constrain(fm_world *world, double h, double end);
void fm_ties_merge_contact(fm_world *world);
void fm_ties_share_forces(fm_world *world, double end);
// A tied point: its body, its number, the index of the first tied point of its knot (the points
// that are tied together), and the mass of the knot, kg; 0: held.
typedef struct fm_tied_point {
    fm_object *body;
    int point, first;
    double knot_mass;
} fm_tied_point;
int fm_ties_point_count(const fm_world *world);
fm_tied_point fm_ties_point(const fm_world *world, int index);

// layers.c: layers that lie on each other share the medium that moves with them.
bool fm_world_share_layers(fm_world *world, fm_error *err); // at the start of an advance
void fm_world_destroy_layers(fm_world *world);              // also when an object was added

// coupling.c: bodies in media.
double fm_coupling_longest_interval(const fm_world *world); // s, that coupling allows
bool fm_coupling_is_two_way(const fm_world *world);         // true if a body acts on its medium
// The medium whose drag and buoyancy act on a body.
fm_medium fm_coupling_find_medium(const fm_object *body);
// Before bodies move to time `end`: they take the impulses that media gave their samples. After
// they moved: they write positions and impulses of their samples for the media.
void fm_coupling_take_impulses(fm_world *world, double end);
void fm_coupling_give_samples(fm_world *world, double start, double end);
size_t fm_coupling_save(const fm_world *world, void *buffer); // buffer NULL: returns the size only
bool fm_coupling_restore(fm_world *world, const void *buffer, size_t size, fm_error *err);

#endif
