// SPDX-License-Identifier: MIT
// world.h: everything that is simulated together, and its time.
//
//     fm_world *world = fm_world_create(&def, &err);
//     ... make motions, colliders, cloths in it ...
//     fm_report report = fm_world_advance(world, 1.0 / 24.0, &err);
//     fm_world_destroy(world);
//
// The world owns what is made in it. SI units, y up.
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

// A host's own threads: runs task(context, block) for every block below block_count, in any order,
// and returns when all are done.
typedef struct fm_task_system {
    void (*run)(void *host, int block_count, void (*task)(void *context, int block), void *context);
    void *host;
    int thread_count;
} fm_task_system;

typedef struct fm_world_def {
    fm_medium medium;
    fm_vec3 gravity;          // m/s^2
    int threads;              // 0: one per processor
    bool check_intersections; // count them in every report, for cloths with contact
    fm_task_system tasks;     // run = NULL: the library's own threads
} fm_world_def;

// The steps of an interval, in their order.
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

// What an advance did, over all bodies and fluids.
typedef struct fm_report {
    double time; // s, after the advance
    int interval_count;
    int substep_count;       // of the body or fluid that took most
    double substep;          // s, its mean one
    double kinetic_energy;   // J; with what the added mass of water carries
    double potential_energy; // J; springs, bending, weight and buoyancy (zero at y = 0)
    double max_stretch;      // l/l0 - 1 of the longest stretch edge; fm_stretches has it by cloth
    double min_stretch;      // of the shortest
    double mean_stretch;     // mean over cloths and edges, those shorter than at rest as 0
    double mean_strain;      // the same of |l/l0 - 1|
    int contact_count;       // particles held by colliders at the end
    int penetration_count;   // particles inside colliders at the end: pinned there, or pinched
    double deepest_penetration; // m
    double damping_share;       // of the springs' damping asked for that acts; 1: all of it
    double stiffness_share;     // of the springs' stiffness that acts, enforcement does the rest
    int intersection_count;     // edges through triangles at the end, when check_intersections
    int pinched_count;          // pairs that colliders left no free place for
    int impact_count;           // pairs that met on their way and were stopped
    int zone_count;             // particles that had to move as one with what they touched
    double closest_distance;    // m, least between surfaces at the end, up to 0.01; same condition
    int repelled_count;         // particles pushed by their own cloth at the end
    int particle_count;         // of fluids
    int outside_count;          // of them, outside the domain of their fluid
    int stopped_count;          // of them, put back on their side of a coupled cloth on the way
    fm_vec3 load; // N, mean: what fluids with `loads` did to walls and colliders without a mass
    double stage_ms[FM_STAGE_COUNT];
    double enforce_ms; // of the bodies' stage, in enforcement
    double order_ms;   // of the bodies' stage, in making orders of correction
} fm_report;

FM_API fm_world_def
fm_default_world_def(void); // still water, gravity 9.81 m/s^2 down, all processors
FM_API fm_world *fm_world_create(const fm_world_def *def, fm_error *err);
FM_API void fm_world_destroy(fm_world *world);

// Whether what has not moved yet may begin: cloths with contact that start inside a collider, or
// through themselves or another, are refused here as in their first advance.
FM_API bool fm_world_check_start(fm_world *world, fm_error *err);
// Moves the world on by `duration` seconds. Bodies choose their own substeps.
FM_API fm_report fm_world_advance(fm_world *world, double duration, fm_error *err);
// Asked between substeps, by the thread that advances, whether to stop: then the advance ends with
// FM_CANCELLED, in the middle of its way, and the world is for fm_world_restore and
// fm_world_destroy only. NULL: never, as at the beginning.
FM_API void fm_world_set_stop(fm_world *world, bool (*asked)(void *context), void *context);

// What an advance of `duration` seconds from now would take: for telling that before it does not
// end. For a world in which all is made: fluids take no more boxes afterwards.
typedef struct fm_forecast {
    double substep_count; // of the body or fluid that takes most
    bool endless;         // more than FM_MANY_SUBSTEPS, or contact could not follow the motions
    char text[400];       // then: which object, how many, why, and what to change; else ""
} fm_forecast;
enum { FM_MANY_SUBSTEPS = 100000 }; // a hundred times what scenes that ship take for a frame

FM_API fm_forecast fm_world_forecast(fm_world *world, double duration, fm_error *err);
FM_API fm_report fm_world_report(fm_world *world); // energies and stretches now, without moving

FM_API double fm_world_time(const fm_world *world);
FM_API int fm_world_cloth_count(const fm_world *world);
FM_API struct fm_cloth *fm_world_cloth(fm_world *world, int index); // in the order they were made
FM_API int fm_world_particles_count(const fm_world *world);
FM_API struct fm_particles *fm_world_particles(fm_world *world, int index);
FM_API fm_vec3 fm_world_medium_velocity(const fm_world *world, fm_vec3 position, double time);

// The whole state, memories included, as bytes for this machine's byte order. Save returns the size
// needed and writes only if `size` is enough. Restore takes it back into a world built from the
// same definitions; on failure the world is as it was.
FM_API size_t fm_world_save(const fm_world *world, void *buffer, size_t size);
FM_API bool fm_world_restore(fm_world *world, const void *buffer, size_t size, fm_error *err);
FM_API uint64_t fm_world_hash(const fm_world *world);

#ifdef __cplusplus
}
#endif

#endif
