// SPDX-License-Identifier: MIT
// cloth.h: the inside of a cloth, for the files of this folder and for the world.
//
// Parameters (def and what follows from it), state (what a snapshot holds) and scratch (what every
// substep makes anew) are kept apart. Vectors are three arrays of `lanes` numbers each, lanes being
// the particle count rounded up to whole blocks of FM_LANES; the three follow each other, so that
// component c of particle i is lane c * lanes + i of a memory.
#ifndef FATHOM_CLOTH_CLOTH_H
#define FATHOM_CLOTH_CLOTH_H

#include "collide/collide.h"
#include "core/core.h"
#include "core/simd.h"
#include "memory/memory.h"
#include "motion/motion.h"

#include <fathom/cloth.h>

typedef struct fm_axes {
    double *x, *y, *z;
} fm_axes;

// Springs between particle (row, column) and (row + down, column + across).
typedef struct fm_springs {
    int down, across;
    double rest;      // m
    double stiffness; // N/m, of one inside the sheet
    double damping;   // N s^order / m
    bool by_row;      // half as strong in the first and last row: they carry half a strip
    bool by_column;   // the same for columns
} fm_springs;

enum { FM_SPRINGS_MAX = 8 };

// Row buffers live on the stack.
enum { FM_SHEET_COLUMNS_MAX = 4096 };

typedef struct fm_pin_group {
    const fm_motion *motion; // NULL: stays
    double release;          // s; INFINITY: never
} fm_pin_group;

enum { FM_PIN_GROUPS_MAX = 256, FM_FREE = -1 };

struct fm_cloth {
    fm_world *world; // whose it is, for those who read it through the public interface
    char name[48];
    fm_cloth_def def;
    fm_sheet sheet;
    fm_arena arena;
    int columns, rows, count, lanes;
    int row_block;         // rows that one task of a stencil loop does
    double dx, dy;         // m, spacing of columns and of rows
    double *column_weight; // 1, and 1/2 in the first and last column
    double *ones;          // as many 1
    double *area;          // m^2 of cloth a particle stands for
    double *mass;          // kg
    double *pair_load;     // 1/kg: damped springs at a particle over its mass, see damping.c
    fm_springs springs[FM_SPRINGS_MAX];
    int springs_count;
    double bend_across, bend_down, bend_twist;      // N/m: see sheet.c
    double stable_step;                             // s
    double added_mass;                              // m, thickness of the layer of medium
    double repulsion_distance, repulsion_stiffness; // m, N/m

    fm_pin_group groups[FM_PIN_GROUPS_MAX];
    int group_count;
    int *pin;    // group of each particle, or FM_FREE
    int *pinned; // particles with a group, in order
    int pinned_count;
    fm_axes anchor; // m, where pins were made

    // state
    bool started;       // a and the memories are valid
    bool verlet_moving; // v is half a substep behind
    double time;        // s
    double step;        // s, the substep the memories were made for; 0: none yet
    fm_axes x, v;       // m, m/s
    fm_axes a;          // m/s^2, of v - w, for the next opening kick
    fm_axes carried;    // m/s^2, by which the medium carries particles along while they drift
    fm_axes w;          // m/s, velocity of the medium at the particles
    fm_axes rate;       // what the drag memory was fed last
    fm_axes normal;     // unit vectors
    fm_memory *drag_memory, *damping_memory; // NULL when the model has none

    // scratch
    fm_axes force;                          // N: springs, bending, repulsion
    fm_axes next_normal;                    // those at the end of the substep
    fm_axes flow;                           // m/s, velocity of the medium at the end of the substep
    fm_axes pair;                           // N s: impulses of the springs' damping
    fm_axes known;                          // what the damping memory knows of its next value
    fm_axes drag_known;                     // the same of the drag memory
    fm_axes nothing;                        // zeros
    fm_axes trial_x, trial_v, sum_x, sum_v; // stages of Runge-Kutta; NULL without
    fm_axes jump;           // m/s, what colliders took from velocities in this substep
    fm_vec3 *pinned_u;      // m/s, relative velocity of pinned particles before it
    unsigned char *touch;   // 1 where a collider holds a particle in this substep
    fm_vec3 *out_x, *out_v; // what readers are given
    fm_cells cells;         // for repulsion
    struct {
        bool made;
        fm_axes at;   // positions it was made for
        int *start;   // [count + 1] into partner
        int *partner; // those near each particle, rising
        int room;
    } near;
    int *repelled; // partners that push each particle
};

// cloth.c
fm_cloth *fm_cloth_new_sheet(const fm_cloth_def *def, const fm_sheet *sheet,
                             const fm_medium *medium, fm_error *err);
void fm_cloth_free(fm_cloth *cloth);
fm_axes fm_axes_alloc(fm_arena *arena, int lanes, fm_error *err);
bool fm_cloth_is_held(const fm_cloth *cloth, int particle, double t); // by a pin
bool fm_cloth_needs_drag_memory(const fm_cloth_def *def, const fm_medium *medium);
bool fm_cloth_needs_damping_memory(const fm_cloth_def *def);

// Drag over one substep, all coefficients per m^2 of cloth.
typedef struct fm_drag_step {
    double h;         // s
    double w0;        // newest weight of the drag memory
    fm_vec3 gravity;  // m/s^2
    double displaced; // kg/m^2 of medium that the cloth takes the place of
    bool physical;
    double viscous, normal, history;                 // the published set
    double pressure, friction, skin, normal_history; // the physical one
    double layer;                                    // kg/m^2 of medium moving with the cloth
} fm_drag_step;

// step.c: moves a cloth on by `duration` in `substeps` equal parts.
int fm_cloth_substeps(const fm_cloth *cloth, double duration);
double fm_cloth_damping_share(const fm_cloth *cloth); // in the substeps the memories were made for
bool fm_cloth_advance(fm_cloth *cloth, const fm_surroundings *around, double duration, int substeps,
                      fm_error *err);

// One substep, as the integrators see it. The parts work on particles [first, last).
typedef struct fm_substep {
    fm_cloth *cloth;
    const fm_surroundings *around;
    double h, end; // s: length, and the time at its end
    double margin; // m, kept from colliders
    fm_drag_step drag;
    bool damped;       // springs are
    double damping_w0; // newest weight of the damping memory; 1 for a dashpot
    fm_pose poses[FM_PIN_GROUPS_MAX];
} fm_substep;

enum { FM_FLAT_BLOCK = 1024 }; // particles that one task of a loop without neighbours does

void fm_substep_place(fm_substep *s, double t); // motions of pins and colliders, at t
void fm_substep_pin_positions(fm_substep *s, const fm_axes *x, int first, int last);
void fm_substep_pin_velocities(fm_substep *s, const fm_axes *x, const fm_axes *v, int first,
                               int last);
void fm_substep_pin_zero(fm_substep *s, const fm_axes *a, int first, int last);
void fm_substep_collide(fm_substep *s, double margin, bool again, int first, int last);
void fm_substep_sample_medium(fm_substep *s, const fm_axes *x, double t, int first, int last);
void fm_substep_forces(fm_substep *s); // at x, v
void fm_lanes_predict(fm_memory *memory, const fm_axes *known, int lanes, int first, int last);
void fm_lanes_push(fm_memory *memory, const fm_axes *rate, int lanes, int first, int last);

// explicit.c
void fm_substep_explicit(fm_substep *s);

// sheet.c: stencils over rows [first, last).
void fm_sheet_setup(fm_cloth *cloth);
// What n springs in a row carry, towards their far end: spring c joins particles a + c and b + c
// and is border * weight[c] times as strong as one inside the sheet.
typedef void fm_spring_kernel(const void *context, const fm_springs *springs, int n, int a, int b,
                              double border, const double *weight, double *sx, double *sy,
                              double *sz);
// target = sum over the springs of each particle, those of other tasks' rows computed again.
void fm_sheet_gather(const fm_cloth *cloth, fm_spring_kernel *kernel, const void *context,
                     const fm_axes *target, int first, int last);
void fm_sheet_forces(const fm_cloth *cloth, const fm_axes *x, const fm_axes *force, int first,
                     int last);
void fm_sheet_normals(const fm_cloth *cloth, const fm_axes *x, const fm_axes *out, int first,
                      int last);

// damping.c
void fm_sheet_pair_impulses(fm_cloth *cloth, double h, double w0, int first, int last);
// Share of the springs' damping that acts with this substep, of the spring that has least; 1: all.
double fm_sheet_damping_share(const fm_cloth *cloth, double h, double w0);
void fm_sheet_pair_forces(fm_cloth *cloth, const fm_axes *x, const fm_axes *derivative, int first,
                          int last);

// measure.c
typedef struct fm_cloth_measure {
    double kinetic_energy, potential_energy; // J
    double max_stretch, mean_stretch;
    int first_bad; // a particle that is not finite, or -1
} fm_cloth_measure;
fm_cloth_measure fm_cloth_measure_now(const fm_cloth *cloth, const fm_surroundings *around);
void fm_sheet_stretch(const fm_cloth *cloth,
                      double *stretch); // per particle, the largest around it

// drag.c
fm_drag_step fm_drag_prepare(const fm_cloth *cloth, const fm_surroundings *around, double h,
                             double w0);
// For particles [first, last): velocity and acceleration at the end of the step from the velocity
// at its middle, the force at its end, the new velocity of the medium and what the memory knows;
// then w and rate.
void fm_drag_close(fm_cloth *cloth, const fm_drag_step *step, const fm_axes *medium,
                   const fm_axes *known, int first, int last);
void fm_drag_explicit(fm_cloth *cloth, const fm_drag_step *step, const fm_axes *v,
                      const fm_axes *medium, const fm_axes *derivative, const fm_axes *a, int first,
                      int last);
void fm_drag_apply_impulse(fm_cloth *cloth, const fm_drag_step *step, const fm_axes *impulse,
                           int first, int last);
void fm_drag_force_per_area(fm_cloth *cloth, const fm_surroundings *around, double *force);

// repulsion.c
bool fm_repulsion_setup(fm_cloth *cloth, fm_error *err);
void fm_repulsion_add_forces(fm_cloth *cloth, const fm_axes *x, const fm_axes *v, fm_pool *pool);

// fields.c
bool fm_cloth_read(fm_cloth *cloth, const fm_surroundings *around, const char *name, double *values,
                   fm_error *err);

// snapshot.c
bool fm_cloth_make_memories(fm_cloth *cloth, const fm_medium *medium, double h, fm_error *err);
size_t fm_cloth_save(const fm_cloth *cloth, void *buffer, size_t size);
bool fm_cloth_restore(fm_cloth *cloth, const fm_medium *medium, const void *buffer, size_t size,
                      fm_error *err); // on failure the cloth is as it was
uint64_t fm_cloth_hash(const fm_cloth *cloth, uint64_t seed);

#endif
