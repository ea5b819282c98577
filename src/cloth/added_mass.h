// SPDX-License-Identifier: MIT
// added_mass.h: the inertia of the medium that moves with a cloth, as an operator on the normal
// velocities of all particles; added_mass.c has the equations.
#ifndef FATHOM_CLOTH_ADDED_MASS_H
#define FATHOM_CLOTH_ADDED_MASS_H

#include "cloth/cloth.h"

// Eigenfunctions phi_j of the Laplacian on the cloth at rest, from the longest waves on,
// orthonormal with the particles' areas: sum_i A_i phi_j(i) phi_l(i) = 1 for j = l, else 0. They
// are 0 where pins hold the cloth and have no slope at free edges.
typedef struct fm_surface_modes {
    int count;         // coefficients; some of a sheet are padding, and their functions are 0
    double *wave;      // [count] 1/m, wavenumber of each mode; INFINITY for padding
    double local_wave; // 1/m, of the shortest modes; stands for all shorter waves
    // of a sheet: products of a wave along the rows and one along the columns; coefficient
    // b * across + a belongs to the a-th wave along a row and the b-th along a column
    int across, down;
    int waves_across;      // without padding
    double *wave_across;   // [columns][across]
    double *wave_across_t; // [across][columns]
    double *wave_down;     // [rows][down]
    double *row;           // scratch: [rows][across]
    // of a tube or mesh
    float *shape;    // [blocks][count][FM_MODE_BLOCK] values of the modes at the particles
    double *partial; // scratch: [blocks][count]
} fm_surface_modes;

enum { FM_MODE_BLOCK = 32 }; // particles in a block of `shape`

// surface_modes.c
// shortest: m, no shorter waves are wanted; 0: all that the particles resolve.
bool fm_surface_modes_create(fm_cloth *cloth, fm_surface_modes *modes, double shortest,
                             fm_error *err);
// Computes the modes for the particles that pins hold (held[i] != 0; NULL: none). A sheet's are 0
// along its edges that are held from end to end; a mesh's at every held particle. Sets vanishes[i]
// to 1 where the modes are 0, else 0. Returns false if memory runs out; then the modes are
// unchanged.
bool fm_surface_modes_compute(const fm_cloth *cloth, fm_surface_modes *modes,
                              const unsigned char *held, unsigned char *vanishes);
// coefficient[j] = sum_i phi_j(i) field[i].
void fm_surface_modes_analyse(const fm_cloth *cloth, const fm_surface_modes *modes, fm_pool *pool,
                              const double *field, double *coefficient);
// field[i] = sum_j phi_j(i) coefficient[j].
void fm_surface_modes_synthesise(const fm_cloth *cloth, const fm_surface_modes *modes,
                                 fm_pool *pool, const double *coefficient, double *field);
// phi_j(particle) for all j.
void fm_surface_modes_read(const fm_cloth *cloth, const fm_surface_modes *modes, int particle,
                           double *values);

// mesh_modes.c: creates and computes the modes of a tube or mesh.
bool fm_mesh_modes_create(fm_cloth *cloth, fm_surface_modes *modes, double shortest, fm_error *err);
bool fm_mesh_modes_compute(const fm_cloth *cloth, fm_surface_modes *modes,
                           const unsigned char *held);

// The factor of the Schur complement for the particles that pins hold; see added_mass.c.
typedef struct fm_held_factor {
    double sigma, density; // for which it was computed
    int count;
    double *factor; // [count][count] lower triangle of Cholesky's factor
} fm_held_factor;

// The two systems of a substep, which differ in sigma.
typedef enum fm_mass_system { FM_MASS_TURN, FM_MASS_KICK, FM_MASS_SYSTEMS } fm_mass_system;

typedef struct fm_added_mass {
    fm_surface_modes modes;
    fm_surface_modes smooth_modes; // long waves, with all edges free, for the pressure drag
    double *length;                // [count] m, L of each mode
    double *filter; // [smooth_modes.count] 0 to 1, share of the mode in the smooth motion
    double local;   // m, L of all waves shorter than those of the modes
    double smooth;  // m, least L of a mode that belongs to the smooth motion
    double *root;   // [lanes] square root of the share of its water that each particle has
    double *given;  // [lanes] 1 - share: how much of its water other layers move
    bool shared;    // some shares are below 1
    bool is_disc;   // one piece with one border
    bool matters;   // the water weighs more than the cloth in some mode
    double *share, *next_root;    // [lanes] for the next substep: shares, and their roots
    bool shares_changed;          // next_root differs from root
    double between, between_time; // J, energy of the water between layers at a time, s
    double *area_now;             // [lanes] m^2, scratch
    double *coverage;             // [lanes] and the radius of its kernel, m: see world/layers.c
    double kernel_radius;
    // particles that pins hold now
    bool smooth_computed;               // smooth_modes are valid
    bool computed;                      // the modes are those for is_held
    unsigned char *is_held, *next_held; // [lanes] 1 for a held particle; next: scratch
    unsigned char *vanishes;            // [lanes] 1 where the modes are 0
    int coupled_count, held_room;
    int *coupled; // held particles where the modes are not 0: they move the water around them
    double *coupled_shape; // [coupled_count][count] phi_j at these particles
    fm_held_factor coupled_factor[FM_MASS_SYSTEMS];
    // scratch
    double *coefficient, *other;  // [count]
    double *smooth_coefficient;   // [smooth_modes.count]
    double *coupled_value;        // [coupled_count]
    double *field, *smooth_field; // [lanes]
    double *along;                // [lanes] m/s, u_n after the turn and before the kick
    double *change;               // [lanes] m/s, change of u_n in the turn, then in the kick
    double *load;                 // [lanes] N s, right-hand side
    double *force;                // [lanes] N, normal force without drag
    double *start; // [lanes] m/s, jump of u_n when pins start or let go, or shares change, in this
                   // substep
    bool jumped;   // start is not 0
    fm_vec3_array turned; // m/s, change of v by the turning normals
} fm_added_mass;

// NULL in cloth->added if the definition asks for a layer, or for no added mass.
bool fm_added_mass_create(fm_cloth *cloth, const fm_medium *medium, fm_error *err);
// Before substeps, when all pins are known. A cloth in a simulated fluid, or with very many pinned
// particles, has a layer instead.
bool fm_added_mass_begin(fm_cloth *cloth, fm_error *err);
bool fm_added_mass_is_used(const fm_cloth *cloth);                  // else it is a layer, or 0
double fm_added_mass_energy(const fm_cloth *cloth, double density); // J, kinetic, of the medium
// N/m^2 at each particle, against the normal: inertia of the medium, and pressure drag.
void fm_added_mass_find_forces(const fm_cloth *cloth, const fm_drag_step *step,
                               const double **inertia, const double **pressure);
// Computes modes and lengths for the particles that pins hold at time t, s.
void fm_added_mass_update(const fm_cloth *cloth, double t);
// Computes modes and lengths at the end of a substep. If the modes change because pins let go, so
// do the velocities: the momentum of cloth and water along the normals is conserved. New shares of
// water (shared_water.c) are applied here, too.
void fm_added_mass_release(fm_substep *s);
// Reads the normal velocities relative to the medium; and changes them to u where no pin holds the
// cloth, which the memory takes as a jump in this substep. `along` has their values before.
void fm_added_mass_read_velocities(const fm_cloth *cloth, double *out);
void fm_added_mass_change_velocities(fm_cloth *cloth, const double *u);
// Solves (W (sigma A + R_1) W) u = load, N s, for the particles that are free, with u, m/s, given
// at those that pins hold; W: roots of the shares; R_1: the added mass without shares. sigma:
// kg/m^2. load is overwritten.
void fm_added_mass_solve(fm_cloth *cloth, fm_pool *pool, const fm_drag_step *step,
                         fm_mass_system which, double sigma, double *load, double *u);
// The smooth part of u, out = Phi diag(G) Phi^T A u, and the transposed operator on u. u and out
// must be different arrays.
void fm_added_mass_smooth(const fm_cloth *cloth, fm_pool *pool, const double *u, double *out);
void fm_added_mass_smooth_transposed(const fm_cloth *cloth, fm_pool *pool, const double *u,
                                     double *out);
// out = R u, N s. density: of the medium, kg/m^3.
void fm_added_mass_apply(const fm_cloth *cloth, double density, const double *u, double *out);
// Water takes part in the velocity changes by contact and enforcement, in `jump`.
void fm_added_mass_limit_jumps(fm_substep *s);

// shared_water.c
// Allocates the arrays for shared water, and computes the coverage of the particles at rest.
void fm_shared_water_create(fm_cloth *cloth, fm_error *err);
// The surface for world/layers.c; false: the cloth moves no water that could be shared.
bool fm_shared_water_view(fm_cloth *cloth, fm_layer_view *view);
// Takes over the shares that layers.c has written, for the next substep.
void fm_shared_water_take(fm_cloth *cloth);
// Sets the square roots of the shares at once, without any change of velocities.
void fm_shared_water_set(fm_cloth *cloth, const double *root);
// J, energy of the water between layers at time t, s.
double fm_shared_water_energy(const fm_cloth *cloth, double t);
// Applies new shares in this substep, and adapts the velocities.
void fm_shared_water_change(fm_substep *s);
// Solves (m + R) u = momentum, N s, where no pin holds the cloth. u: first guess, and result.
void fm_shared_water_solve(fm_substep *s, const double *momentum, double *u);

#endif
