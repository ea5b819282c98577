// SPDX-License-Identifier: MIT
// world.h: the world: all objects that are simulated together, and their time.
//
//     fm_world *world = fm_world_create(&def, &err);
//     ... create motions, colliders, cloths in it ...
//     fm_report report = fm_world_advance(world, 1.0 / 24.0, &err);
//     fm_world_destroy(world);
//
// The world owns all objects created in it. SI units, y up.
#ifndef FATHOM_WORLD_H
#define FATHOM_WORLD_H

#include <fathom/api.h>
#include <fathom/error.h>
#include <fathom/medium.h>
#include <fathom/vec.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fm_world fm_world;

// Threads of the host application. run calls task(context, block) for every block from 0 to
// block_count - 1, in any order, and returns when all are done.
typedef struct fm_task_system {
    void (*run)(void *host, int block_count, void (*task)(void *context, int block), void *context);
    void *host;       // first argument of run
    int thread_count; // number of threads that run uses
} fm_task_system;

// Definition of a world.
typedef struct fm_world_def {
    fm_medium medium;         // fluid around all bodies that are not coupled to a particle fluid
    fm_vec3 gravity;          // m/s^2
    int threads;              // 0: one per processor
    bool check_intersections; // count intersections in every report, for cloths with contact
    fm_task_system tasks;     // run = NULL: the library creates its own threads
} fm_world_def;

// The stages of an interval (the time between two exchanges of forces between objects), in order.
typedef enum fm_stage {
    FM_STAGE_MOVE,     // pins, colliders and sources follow their motions
    FM_STAGE_SAMPLE,   // bodies read the surrounding medium
    FM_STAGE_BODIES,   // each body takes its own substeps
    FM_STAGE_EXCHANGE, // impulses are handed to the fluids
    FM_STAGE_FLUIDS,   // each fluid takes its own substeps
    FM_STAGE_FREE,     // colliders with a mass move
    FM_STAGE_CHECK,    // NaN, stretch, energy, penetration
    FM_STAGE_COUNT,
} fm_stage;

FM_API const char *fm_stage_name(fm_stage stage); // "move", "sample", ...

// What an advance did, for all bodies and fluids together.
typedef struct fm_report {
    double time;             // s, after the advance
    int interval_count;      // intervals: times between two exchanges of forces between objects
    int substep_count;       // largest number of substeps of any body or fluid
    double substep;          // s, mean substep of that body or fluid
    double kinetic_energy;   // J; includes the added mass of water
    double potential_energy; // J; elasticity, enclosed gas, weight and buoyancy (zero at y = 0)
    // l/l0 - 1 of the longest stretch edge; fm_stretches gives it for each cloth
    double max_stretch;
    double min_stretch;  // l/l0 - 1 of the shortest stretch edge
    double mean_stretch; // mean of max(0, l/l0 - 1) over all cloths and edges
    double mean_strain;  // mean of |l/l0 - 1| over all cloths and edges
    int contact_count;   // particles in contact with colliders at the end
    // particles inside colliders at the end: pinned there, or pinched between colliders
    int penetration_count;
    double deepest_penetration; // m, largest penetration depth
    double damping_share;       // fraction of the springs' requested damping that acts; 1: all
    // fraction of the springs' stiffness that acts; strain limiting (enforcement) does the rest
    double stiffness_share;
    int intersection_count; // edges through triangles at the end; only with check_intersections
    // A feature is a vertex, edge or triangle of a surface in contact.
    int pinched_count; // feature pairs that collided because colliders left no free space
    int impact_count;  // feature pairs whose collision was found by time of impact and prevented
    int zone_count;    // particles that moved in a rigid impact zone
    // parts of substeps that contact repeated in steps of a quarter of their length; at most 256 in
    // a substep
    int shortened_count;
    // substeps in which shorter steps did not prevent a collision. Their particles stopped within
    // the substep, and only pinned particles and colliders moved to its end
    int halted_count;
    // m, least distance of two surfaces at the end, at most 0.01; only with check_intersections
    double closest_distance;
    int repelled_count; // particles repelled by their own cloth at the end
    // stitches that pull along a line through a cloth at the end; fm_piercings tells where
    int pierced_count;
    int particle_count; // particles of all fluids
    int outside_count;  // fluid particles outside the domain of their fluid
    int stopped_count;  // fluid particles moved back to their side of a coupled cloth
    fm_vec3 momentum;   // kg m/s, of all bodies, fluids and balls with a mass
    fm_vec3 load; // N, mean force of the fluids with `loads` on walls and colliders without a mass
    double stage_ms[FM_STAGE_COUNT]; // ms, wall-clock time of each stage
    double enforce_ms;               // ms, time of stage bodies for strain limiting (enforcement)
    // ms, time of stage bodies for computing the order in which strain limiting corrects edges
    double order_ms;
} fm_report;

// Water at rest, gravity 9.81 m/s^2 down, one thread per processor.
FM_API fm_world_def fm_default_world_def(void);
FM_API fm_world *fm_world_create(const fm_world_def *def, fm_error *err);
FM_API void fm_world_destroy(fm_world *world);

// Checks objects that have not moved yet. Cloths with contact that start inside a collider, or
// intersect themselves or another cloth, are errors here as in their first advance.
FM_API bool fm_world_check_start(fm_world *world, fm_error *err);
// Advances the world by `duration` seconds. Bodies choose their own substeps.
FM_API fm_report fm_world_advance(fm_world *world, double duration, fm_error *err);
// The advancing thread calls wants_stop(context) between substeps. If it returns true, the advance
// ends with FM_CANCELLED, in the middle of a step, and only fm_world_restore and fm_world_destroy
// may be called after that. wants_stop = NULL, the initial value: never stop.
FM_API void fm_world_set_stop(fm_world *world, bool (*wants_stop)(void *context), void *context);

// Predicted cost of an advance of `duration` seconds from now, to warn before a run that would not
// end. Call it when all objects exist: fluids accept no more boxes afterwards.
typedef struct fm_forecast {
    double substep_count; // largest number of substeps of any body or fluid
    bool endless;         // more than FM_MANY_SUBSTEPS, or motions too fast for contact
    char text[400]; // if endless: which object, how many substeps, why, and what to change; else ""
} fm_forecast;
// An advance that would need more substeps is reported as endless: a hundred times as many as a
// frame of the example scenes takes.
enum { FM_MANY_SUBSTEPS = 100000 };

FM_API fm_forecast fm_world_forecast(fm_world *world, double duration, fm_error *err);
FM_API fm_report fm_world_report(fm_world *world); // energies and stretches now, without an advance

FM_API double fm_world_time(const fm_world *world); // s
FM_API int fm_world_cloth_count(const fm_world *world);
FM_API struct fm_cloth *fm_world_cloth(fm_world *world, int index); // in the order of creation
FM_API int fm_world_particle_fluid_count(const fm_world *world);
FM_API struct fm_particles *fm_world_particle_fluid(fm_world *world, int index);
// Velocity of the world's medium at a position and time, m/s.
FM_API fm_vec3 fm_world_medium_velocity(const fm_world *world, fm_vec3 position, double time);

// The whole state, histories of fractional derivatives included, as bytes in the byte order of this
// machine. fm_world_save returns the size needed, in bytes, and writes only if `size` is
// sufficient. fm_world_restore needs a world built from the same definitions; on failure the world
// keeps its old state.
FM_API size_t fm_world_save(const fm_world *world, void *buffer, size_t size);
FM_API bool fm_world_restore(fm_world *world, const void *buffer, size_t size, fm_error *err);
FM_API uint64_t fm_world_hash(const fm_world *world);

#ifdef __cplusplus
}
#endif

#endif
