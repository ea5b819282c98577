// SPDX-License-Identifier: MIT
// cloth.h: cloth in air, in vacuum or under water: sheets, tubes and triangle meshes.
//
// Parameters belong to the material, not to the mesh: refining a sheet does not change its
// properties. docs/cloth.md has the equations and explains how to choose the numbers.
#ifndef FATHOM_CLOTH_H
#define FATHOM_CLOTH_H

#include <fathom/api.h>
#include <fathom/collide.h>
#include <fathom/error.h>
#include <fathom/field.h>
#include <fathom/memory.h>
#include <fathom/motion.h>
#include <fathom/object.h>
#include <fathom/vec.h>
#include <fathom/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fm_cloth fm_cloth;

// How the force of the surrounding medium on a cloth is computed.
typedef enum fm_drag_model {
    FM_DRAG_NONE,
    // pressure, friction, history and added mass, from the medium's density and viscosity
    FM_DRAG_PHYSICAL,
    // viscous drag and a fractional derivative of the displacement [OKRC10]
    FM_DRAG_PUBLISHED,
    // models of [OKRC10] for comparison, which depend on the present velocity only
    FM_DRAG_VISCOUS, // proportional to the velocity
    FM_DRAG_NORMAL,  // proportional to the velocity along the normal
    FM_DRAG_BOTH,    // viscous and normal
} fm_drag_model;

// Force of the surrounding medium on a cloth.
typedef struct fm_drag {
    fm_drag_model model;
    // for FM_DRAG_PUBLISHED, _VISCOUS, _NORMAL and _BOTH; all per m^2 of cloth
    double viscous; // N s/m per m^2, times the velocity relative to the medium
    double normal;  // N s/m per m^2, times its component along the normal
    // history force of FM_DRAG_PUBLISHED: coefficient times a fractional derivative of the
    // displacement relative to the medium
    struct {
        double coefficient; // N s^order / m per m^2
        double order; // of the fractional derivative, in (0, 1): near 0 a spring, near 1 a dashpot
        // how far back the derivative looks; FM_DRAG_PHYSICAL uses only its tolerance and horizon
        fm_recall memory;
    } history;
    // for FM_DRAG_PHYSICAL; u_n, u_t: relative velocity along the normal and in the cloth's plane
    double pressure;        // C_n in the pressure drag 1/2 rho C_n |u_n| u_n
    double ripple_pressure; // with added mass by wavelength, C_n of motions much shorter than the
                            // cloth; at most `pressure` counts
    double friction;        // C_t in the skin friction 1/2 rho C_t |u_t| u_t
    bool skin_history;      // exact history force of a sheet that slides in its own plane
    double normal_history; // N s^(3/2) / m per m^2, times the half derivative D^(1/2) u_n; -1: that
                           // of waves, 2 sqrt(density viscosity) of the medium
    double added_mass;     // m, thickness of the layer of medium that moves along the normal with
                           // the cloth; 0: none; -1: by wavelength, 2/k for the wavenumber k
} fm_drag;

// How a sheet or mesh resists stretch and shear in its plane.
typedef enum fm_stretch_model {
    FM_STRETCH_SPRINGS, // springs along edges, and on sheets and tubes along diagonals
    // triangles of constant strain: shear by the angle of warp and weft, Poisson's ratio
    FM_STRETCH_TRIANGLES,
} fm_stretch_model;

// Direction of the warp yarns of a sheet, or of a mesh by its texture coordinates u, v.
typedef enum fm_warp {
    FM_WARP_DOWN,   // along its columns, as a curtain is cut; along v
    FM_WARP_ACROSS, // along its rows; along u
} fm_warp;

// How the bending force of a cloth is computed.
typedef enum fm_bend_model {
    FM_BEND_RIGIDITY, // second differences of positions; converges under refinement
    FM_BEND_SPRINGS,  // springs over two cells as in [OKRC10]; no stiffness when flat
} fm_bend_model;

// The shape of a tube or mesh in which bending has no energy; a sheet is always flat at rest.
typedef enum fm_rest_angle {
    FM_REST_FLAT,  // flat, as cloth is woven, whatever its initial shape
    FM_REST_SHAPE, // its initial shape
} fm_rest_angle;

// Time integrator of a cloth. Verlet, RK2 and RK4 cannot be used with fractional derivatives in
// forces; Heun, the iterated corrector and semi-implicit Euler not with those in bending.
typedef enum fm_integrator {
    FM_KICK_DRIFT_KICK, // second order; drag and fractional derivatives implicit in closed form
    FM_EULER,           // explicit Euler, as in [OKRC10]
    FM_VERLET,          // Stoermer-Verlet
    FM_RK2,             // second-order Runge-Kutta
    FM_RK4,             // fourth-order Runge-Kutta
    FM_HEUN,            // second-order predictor-corrector, as in [LCKL13], named by [OKRC10]
    // Implicit, for stiff cloth and large steps; docs/implicit.md says which forces they support.
    FM_IMPLICIT,       // second order: TR-BDF2
    FM_IMPLICIT_EULER, // first order: backward Euler
    FM_AUTOMATIC,      // the default: FM_KICK_DRIFT_KICK or FM_IMPLICIT, by estimated cost
    // Further steps that [OKRC10] section 4.3 names for half derivatives, for comparisons.
    FM_ITERATED_CORRECTOR,  // FM_HEUN with three correctors
    FM_SEMI_IMPLICIT_EULER, // first order: new velocities first, positions by these
} fm_integrator;

// Enforcement is constraint projection of edge lengths (strain limiting): after each substep,
// particles are moved until the edges have their rest length. See docs/stiff.md.
typedef enum fm_enforcement_method {
    FM_ENFORCE_NONE,
    FM_ENFORCE_ITERATIVE, // [PRO95]: every edge in turn, both ends move
    // [OZG13]: a list of edges ordered outwards from fixed particles; only the second end of each
    // edge moves
    FM_ENFORCE_PUBLISHED,
    // limits distances from fixed particles (tethers), then distances between particles, first of
    // distant pairs, last of edges
    FM_ENFORCE_DIRECTIONAL,
} fm_enforcement_method;

// The length to which strain limiting (enforcement) corrects an edge that is longer than
// (1 + threshold) times its rest length.
typedef enum fm_enforcement_target {
    FM_TARGET_REST,      // its rest length
    FM_TARGET_THRESHOLD, // (1 + threshold) times its rest length
} fm_enforcement_target;

// The order in which FM_ENFORCE_PUBLISHED, the strain limiting of [OZG13], corrects the three
// classes of springs at a particle: horizontal (along rows), vertical (along columns) and shear
// (diagonal).
typedef enum fm_spring_order {
    FM_HORIZONTAL_VERTICAL_SHEAR,
    FM_HORIZONTAL_SHEAR_VERTICAL,
    FM_VERTICAL_HORIZONTAL_SHEAR,
    FM_VERTICAL_SHEAR_HORIZONTAL,
    FM_SHEAR_HORIZONTAL_VERTICAL,
    FM_SHEAR_VERTICAL_HORIZONTAL,
} fm_spring_order;

// FM_ENFORCE_PUBLISHED, the strain limiting of [OZG13], corrects a list of edges that starts at
// fixed particles. This is the direction in which the list follows edges; edges that point against
// it are left out.
typedef enum fm_enforcement_direction {
    FM_ALONG_ROWS,    // from row 0 to the last row, as in [OZG13]; a mesh uses gravity
    FM_ALONG_GRAVITY, // by the angle between the initial edge and gravity
    FM_ALONG_FORCE,   // by the angle with the sum of weight, buoyancy and drag, updated as it turns
} fm_enforcement_direction;

// Strain limiting (enforcement): constraint projection of edge lengths after each substep.
typedef struct fm_enforcement {
    fm_enforcement_method method;
    int iterations;               // passes per substep
    double threshold;             // largest l/l0 - 1 of an edge that is not corrected
    fm_enforcement_target target; // corrected length of an edge beyond the threshold
    bool compression;             // also lengthen edges with l/l0 < 1 - threshold
    bool shear;                   // also correct shear edges
    fm_spring_order order;        // for FM_ENFORCE_PUBLISHED: order of the classes of springs
    int visits; // for FM_ENFORCE_PUBLISHED: most edges in the list that end at one particle
    fm_enforcement_direction direction; // for FM_ENFORCE_PUBLISHED: direction of the list of edges
    bool contacts; // particles that rest on colliders count as fixed, like pinned ones
    // share of the fixed particles that must have changed before the tethers, or the list of edges,
    // are computed again; 0: never
    double recompute;
} fm_enforcement;

// What happens if a cloth with contact starts inside a collider or intersects itself or another
// cloth.
typedef enum fm_contact_start {
    FM_START_REFUSE, // the first advance fails and reports where
    // the cloth is moved out of colliders; parts that intersect do not collide with each other
    // until they have separated
    FM_START_SEPARATE,
} fm_contact_start;

// Periodic contraction of a fabric or soft body: its edges become shorter, in each period during
// the active part, and longer again in the rest of it.
typedef struct fm_muscle {
    double contraction; // largest relative change of the rest lengths, 0 to 0.9; 0: none
    double period;      // s
    double active;      // part of the period in which it contracts, 0.05 to 0.95
    double start;       // s, of the first contraction
    fm_vec3 axis;       // edges around this axis contract; (0, 0, 0): all edges
} fm_muscle;

// Definition of a cloth: its material, the forces on it, and how it is simulated.
typedef struct fm_cloth_def {
    const char *name; // for messages and files; copied
    double density;   // kg/m^3, wet
    double thickness; // m
    fm_warp warp;     // of a sheet, or a mesh with texture coordinates: direction of the warp yarns
    fm_vec3 warp_axis; // of a mesh: the warp is its projection on the cloth at rest; 0: as `warp`
    struct {
        fm_stretch_model model;
        double stiffness; // N/m, surface modulus, along the warp
        double weft;      // N/m, across the warp, of a sheet or of triangles; 0: as along it
        double poisson;   // Poisson's ratio of triangles, 0 to 0.5
        // strain at which the force is twice that of the linear law, for a sheet or triangles:
        // T = stiffness e (1 + (e/stiffening)^2); 0: linear
        double stiffening;
    } stretch;
    struct {
        double stiffness; // N/m
    } shear;
    struct {
        fm_bend_model model;
        double stiffness; // N m (RIGIDITY), N/m (SPRINGS: surface modulus of the springs)
        double weft;      // N m, bending of the weft yarns, where the warp is known; 0: as the warp
        fm_rest_angle rest_angle;
        // Resists the rate of bending, for RIGIDITY with a stiffness above 0; springs over two
        // cells are damped as the other springs are.
        struct {
            double coefficient; // N m s^order
            double order;       // of the time derivative of the curvature, in (0, 1]; 1: a dashpot
            fm_recall memory;   // how far back the derivative looks, if the order is below 1
        } damping;
        // Friction between the yarns, for RIGIDITY with a stiffness above 0: bending has a
        // hysteresis, and creases stay.
        struct {
            double moment; // N, per width, of the warp yarns when they slide: half of 2HB; 0: none
            double weft;   // N, of the weft yarns; 0: as the warp
            double curvature; // 1/m, change of the curvature from rest to sliding
        } friction;
    } bend;
    struct {
        double coefficient; // N s^order / m, surface modulus of the springs' damping
        double order;       // of the time derivative of the elongation, in (0, 1]; 1 is a dashpot
        fm_recall memory;   // how far back the derivative looks, if the order is below 1
        // factor on all velocities per substep, in [0, 1]; 1: no such damping. With FM_VERLET it is
        // d in x' = x + d (x - x_prev) + h^2 a
        double kept;
    } damping;
    fm_drag drag;
    // Irregularities of real cloth, without which symmetric motion stays symmetric: random fields
    // over the cloth with wavelengths from 1/8 of the square root of its area to the whole of it.
    // Finer meshes of the same cloth have the same fields.
    struct {
        // rms of the relative change of rest lengths; initial positions are displaced along the
        // normal, rms amount times a quarter of the square root of the area. 0: a perfect cloth
        double amount;
        int seed; // of the random fields, 0 to 1e9
    } imperfection;
    fm_muscle muscle; // of fabrics and soft bodies without enforcement
    // Spring forces between particles of this cloth that come close. They do not prevent
    // intersections.
    struct {
        bool enabled;
        double distance;  // m, at which repulsion begins; 0: chosen from the mesh
        double stiffness; // as a share of the largest stable stiffness, in (0, 1]
        double friction;  // damping of approaching particles, as a share of critical, in [0, 1]
    } repulsion;
    // Robust collision handling: the cloth cannot pass through colliders, itself, or other cloths
    // with contact.
    struct {
        bool enabled;
        // m, distance kept between surfaces; 0: the larger of the cloth's thickness and a tenth of
        // an edge
        double thickness;
        double friction;        // Coulomb's coefficient; two surfaces use the root of their product
        fm_contact_start start; // what to do if the cloth starts in contact
    } contact;
    fm_enforcement enforcement;
    fm_integrator integrator;
    // s, largest substep allowed; 0: from the stability bound, and 1/96 s for the implicit
    // integrators. With strain limiting (enforcement) it is the substep itself (0: 1/240 s), and
    // springs are softened to be stable
    double time_step;
    double margin; // m, distance kept from colliders without contact; -1: half the thickness
} fm_cloth_def;

// A rectangular grid of columns x rows particles. Before rotation, column indices increase along x
// and row indices along -y; the top left corner (row 0, column 0) is at `origin`.
typedef struct fm_sheet {
    int columns, rows;    // 2 or more
    double width, height; // m
    fm_vec3 origin;       // m
    fm_quat rotation;     // about origin; all zero means none
    fm_vec3 velocity;     // m/s, of every particle at t = 0
} fm_sheet;

// A tube or cone, such as a skirt: a sheet whose left and right edges are joined. Particles are
// numbered row by row. Before rotation the axis points along -y, `origin` is the centre of the top
// ring (row 0), and on the side facing +z column indices increase along x.
typedef struct fm_tube {
    int columns;                      // around, 3 or more
    int rows;                         // 2 or more
    double radius_top, radius_bottom; // m, of the circles through the particles
    double height;                    // m, along the axis
    fm_vec3 origin;                   // m
    fm_quat rotation;                 // about origin; all zero means none
    fm_vec3 velocity;                 // m/s, of every particle at t = 0
} fm_tube;

// A triangle mesh. All arrays are copied. Each vertex becomes a particle, in the order of the
// vertices, except for vertices that are welded to an earlier one.
typedef struct fm_cloth_mesh {
    const fm_vec3 *positions; // m
    int vertex_count;
    const fm_vec3 *rest_positions; // m, define rest lengths, areas and angles; NULL: positions
    const int *triangles;          // three vertices each, counter-clockwise seen from the front
    int triangle_count;
    const float *corner_uv; // [6 * triangle_count] texture coordinates of the corners; NULL: none
    // [vertex_count] factors on the stiffness (stretch, shear, bending) and on the thickness, which
    // multiplies the mass and the stiffness, bending by its cube; NULL: 1
    const double *stiffness, *thickness;
    const double *friction; // [vertex_count] factors on contact.friction; NULL: 1
    double weld;            // m, vertices up to this distance apart are welded; 0: none
    const int *welds;       // pairs of vertices to be welded, at any distance
    int weld_count;         // number of pairs
    fm_vec3 velocity;       // m/s, of every particle at t = 0
} fm_cloth_mesh;

// The form of a cloth: a rectangular grid, a grid closed to a ring, a triangle mesh, or strands
// (line.h).
typedef enum fm_cloth_kind {
    FM_CLOTH_SHEET,
    FM_CLOTH_TUBE,
    FM_CLOTH_MESH,
    FM_CLOTH_LINE
} fm_cloth_kind;

// Real fabrics whose measured properties fm_cloth_set_material sets.
typedef enum fm_material {
    FM_COTTON_TOWEL,
    FM_SILK,
    FM_CANVAS,
    FM_GAUZE,
    // measured by [WOR11]: areal density, moduli of warp and weft, shear and bending
    FM_DENIM,         // 11 oz, jeans
    FM_POLYESTER,     // woven, tablecloth
    FM_TWILL,         // cotton and polyester, trousers
    FM_SPORTS_FABRIC, // polyester, jacket
    FM_FLEECE,        // polyester, blanket
    FM_PONTE_ROMA,    // double knit, jacket
    FM_INTERLOCK,     // knit, T-shirt
    FM_RIB_KNIT,      // underwear
    FM_SWEATER_KNIT,  // sweater
    FM_SWIM_KNIT,     // nylon and spandex, swimsuit
    FM_MATERIAL_COUNT
} fm_material;

// Work of an implicit integrator in the last advance; all 0 for other integrators.
typedef struct fm_newton_report {
    int solves;            // systems of equations, one per stage: two per substep of FM_IMPLICIT
    int iterations;        // of Newton's method in all solves
    int linear_iterations; // of conjugate gradients in all iterations
    int failures;          // solves that did not converge; the run continues with what they reached
    int retries;           // solves that did not converge and were replaced by shorter ones
    const char *reason;    // of the last failure; "" without
} fm_newton_report;
FM_API fm_newton_report fm_cloth_newton_report(const fm_cloth *cloth);

// Why FM_AUTOMATIC chose the integrator that it names first; "" for other definitions.
FM_API const char *fm_cloth_integrator_reason(const fm_cloth *cloth);

FM_API fm_cloth_def fm_default_cloth_def(void); // a cotton towel under water, physical drag

// Sets density, thickness, stiffnesses and damping of a real fabric; docs/cloth.md gives the
// sources.
FM_API void fm_cloth_set_material(fm_cloth_def *def, fm_material material);
FM_API const char *fm_material_name(fm_material material); // "cotton-towel", ...

FM_API fm_cloth *fm_cloth_create_sheet(fm_world *world, const fm_cloth_def *def,
                                       const fm_sheet *sheet, fm_error *err);
FM_API fm_cloth *fm_cloth_create_tube(fm_world *world, const fm_cloth_def *def, const fm_tube *tube,
                                      fm_error *err);
FM_API fm_cloth *fm_cloth_create_mesh(fm_world *world, const fm_cloth_def *def,
                                      const fm_cloth_mesh *mesh, fm_error *err);

// Sews a seam: stitches pull particles one[i] and other[i] together. Their rest length shrinks from
// the initial distance to 0 within `time` seconds from the time `start` on; time 0: at once.
FM_API bool fm_cloth_sew(fm_cloth *cloth, const int *one, const int *other, int count, double start,
                         double time, fm_error *err);

// Pins. Pinned particles follow `motion`, starting at their initial positions; motion NULL keeps
// them there.
typedef enum fm_edge { FM_EDGE_TOP, FM_EDGE_BOTTOM, FM_EDGE_LEFT, FM_EDGE_RIGHT } fm_edge;
typedef enum fm_corner {
    FM_CORNER_TOP_LEFT,
    FM_CORNER_TOP_RIGHT,
    FM_CORNER_BOTTOM_LEFT,
    FM_CORNER_BOTTOM_RIGHT,
} fm_corner;
FM_API bool fm_cloth_pin_row(fm_cloth *cloth, int row, const fm_motion *motion, fm_error *err);
FM_API bool fm_cloth_pin_column(fm_cloth *cloth, int column, const fm_motion *motion,
                                fm_error *err);
FM_API bool fm_cloth_pin_edge(fm_cloth *cloth, fm_edge edge, const fm_motion *motion,
                              fm_error *err);
FM_API bool fm_cloth_pin_corner(fm_cloth *cloth, fm_corner corner, const fm_motion *motion,
                                fm_error *err);
FM_API bool fm_cloth_pin_list(fm_cloth *cloth, const int *particles, int count,
                              const fm_motion *motion, fm_error *err);
// Lists the particles inside a shape now (for a plane: below it) and returns how many. `list` needs
// fm_cloth_particle_count entries. An empty region is an error.
FM_API int fm_cloth_find_within(const fm_cloth *cloth, const fm_shape *shape, int *list,
                                fm_error *err);
FM_API bool fm_cloth_pin_within(fm_cloth *cloth, const fm_shape *shape, const fm_motion *motion,
                                fm_error *err);
// Releases all pins of the last pin call at `time`, s.
FM_API bool fm_cloth_release_at(fm_cloth *cloth, double time, fm_error *err);

// Names a group of vertices of a mesh, for pins and for lines that are tied to them; the list is
// copied. At most 8 groups; the name has at most 15 bytes.
FM_API bool fm_cloth_add_group(fm_cloth *cloth, const char *name, const int *vertices, int count,
                               fm_error *err);
// The vertices of a group, in their order; NULL: the cloth has no such group.
FM_API const int *fm_cloth_group(const fm_cloth *cloth, const char *name, int *count);
// Pins the vertices of a group; an unknown name is an error that lists the groups.
FM_API bool fm_cloth_pin_group(fm_cloth *cloth, const char *name, const fm_motion *motion,
                               fm_error *err);
FM_API int fm_cloth_pinned_count(const fm_cloth *cloth); // particles with pins, released or not

// Adds a map to the strain limiting (enforcement) of a cloth, for a contact that recurs, such as a
// knee under a skirt. While each of the colliders touches some of these particles, strain limiting
// treats all of the particles as fixed, in addition to the pinned ones. The tethers, or the list of
// edges, for this set of fixed particles are computed in advance. If several maps apply, the first
// one is used.
FM_API bool fm_cloth_add_map(fm_cloth *cloth, const fm_collider *const *colliders,
                             int collider_count, const int *particles, int particle_count,
                             fm_error *err);
// Number of the map that strain limiting uses now, in the order in which they were added; 1: the
// first, 0: none.
FM_API int fm_cloth_current_map(const fm_cloth *cloth);
// Number of distances that a pass of strain limiting (enforcement) corrects. FM_ENFORCE_PUBLISHED:
// edges in its list; other methods: edges, pairs of particles that are farther apart, and tethers.
FM_API int fm_cloth_correction_count(const fm_cloth *cloth);

// Read access. Arrays are row by row, or in the order of the mesh, and valid until the next
// advance.
FM_API const char *fm_cloth_name(const fm_cloth *cloth);
FM_API int fm_cloth_particle_count(const fm_cloth *cloth);
FM_API fm_cloth_kind fm_cloth_topology(const fm_cloth *cloth); // sheet, tube or mesh
FM_API fm_sheet fm_cloth_sheet(const fm_cloth *cloth);         // all zero if the cloth is no sheet
FM_API fm_tube fm_cloth_tube(const fm_cloth *cloth);           // all zero if the cloth is no tube

// The triangles as indices of three particles each, counter-clockwise seen from the side that the
// normal points to. Each cell of a sheet or tube is cut into two triangles, along alternating
// diagonals. Returns NULL and fills err if memory runs out.
FM_API const int *fm_cloth_triangles(fm_cloth *cloth, int *count, fm_error *err);
// The particle of each input vertex of a mesh; NULL if no vertices were welded and the indices are
// the same. count: the number of vertices.
FM_API const int *fm_cloth_vertices(const fm_cloth *cloth, int *count);
// The triangles as indices of the input vertices, for files and pictures.
FM_API const int *fm_cloth_faces(fm_cloth *cloth, int *count, fm_error *err);
FM_API fm_cloth_def fm_cloth_definition(const fm_cloth *cloth);
FM_API const fm_vec3 *fm_cloth_positions(fm_cloth *cloth, int *count);
FM_API const fm_vec3 *fm_cloth_velocities(fm_cloth *cloth, int *count);

// Strain l/l0 - 1 of the stretch edges now (rows and columns of a sheet or tube, edges of a mesh):
// 1 is twice the rest length, -0.5 half of it.
typedef struct fm_stretches {
    double max;                  // of the most stretched edge
    double min;                  // of the most compressed edge
    double mean;                 // over all edges, with compressed edges counted as 0
    double mean_strain;          // mean of |l/l0 - 1| over all edges
    int longest[2], shortest[2]; // particles at the ends of the edges of max and min
} fm_stretches;
FM_API fm_stretches fm_cloth_measure_stretches(const fm_cloth *cloth);

// Stitches of a cloth whose straight lines pass through this cloth or another one now.
typedef struct fm_piercings {
    int count;                      // number of such stitches
    int ends[2];                    // particles at the ends of the longest such stitch, if any
    const struct fm_cloth *through; // the cloth that the longest one passes through; NULL: none
    fm_vec3 at;                     // m, where the longest one passes through it
} fm_piercings;
FM_API fm_piercings fm_cloth_find_piercings(const fm_cloth *cloth);

// m^2, present total area of the triangles; if memory runs out, fills err and returns 0.
FM_API double fm_cloth_area(fm_cloth *cloth, fm_error *err);
FM_API double fm_cloth_rest_area(const fm_cloth *cloth);   // m^2
FM_API double fm_cloth_stable_step(const fm_cloth *cloth); // s, upper bound of the substep in use

// Write access, before the first advance only. One value for every particle, row by row.
FM_API bool fm_cloth_set_positions(fm_cloth *cloth, const fm_vec3 *positions, fm_error *err);
FM_API bool fm_cloth_set_velocities(fm_cloth *cloth, const fm_vec3 *velocities, fm_error *err);

// Casts a cloth to an object of its world, and an object to a cloth; NULL if it is no cloth.
FM_API fm_object *fm_cloth_object(fm_cloth *cloth);
FM_API fm_cloth *fm_object_cloth(fm_object *object);

// Fields that exporters, probes and pictures read by name.
FM_API const fm_field *fm_cloth_fields(int *count);
// Reads the field of that name at all particles into values[particle_count * components].
FM_API bool fm_cloth_read_field(fm_cloth *cloth, const char *name, double *values, fm_error *err);

#ifdef __cplusplus
}
#endif

#endif
