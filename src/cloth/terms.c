// SPDX-License-Identifier: MIT
// terms.c: the table of force terms, the sum of their forces, and the choice of the substep.
//
// A term is a constant fm_term_type in a file of its own and one row of the table below. The
// integrator loops over the table from its first row to its last. The order of summation affects
// rounding, so rows must keep their order; new rows are added at the end.
//
// Terms whose forces depend on neighbours only (springs, bending) are evaluated together: on a
// sheet, a task computes all of them and the normals for a block of rows while the block is in the
// cache. On a tube or mesh, a task computes the elements of all of these terms for one part of the
// cloth.
#include "cloth/cloth.h"

#include <math.h>
#include <string.h>

// All force terms. Damping of bending applies its impulses before damping of the springs: strong
// spring damping of low order must be computed from the velocities that its memory will store, or
// it inflates the cloth (tests/exact/cloth_stability.c).
static const fm_term_type *const table[] = {
    &fm_springs_term,       &fm_bending_term,   &fm_seams_term,     &fm_bend_damping_term,
    &fm_damping_term,       &fm_repulsion_term, &fm_weight_term,    &fm_drag_term,
    &fm_line_bending_term,  &fm_impulse_term,   &fm_pressure_term,  &fm_fluidity_term,
    &fm_struts_term,        &fm_gas_term,       &fm_triangles_term, &fm_mesh_triangles_term,
    &fm_bend_friction_term,
};

// Largest omega h, with omega from the sum of the terms' bounds; the linear scheme is stable below
// 2. Found by a parameter sweep (tests/exact/cloth_stability.c): the margin is for rotating springs
// and for their damping.
static const double COURANT = 1.5;
// [LCKL13] section 5 advises RK4 with omega h <= 0.1, for the accuracy of the highest modes.
static const double PUBLISHED_COURANT = 0.1;
static const double LONGEST_STEP = 1.0 / 120; // s, to resolve the motion even of soft cloth
// s, default substep of the implicit integrators: a quarter of a frame at 24 frames/s
static const double IMPLICIT_STEP = 1.0 / 96;
// s, default substep with enforcement; keeps a sheet of 61 x 41 particles within 3 % stretch
static const double ENFORCED_STEP = 1.0 / 240;

// Adds a term to the cloth: sets it up, and allocates `known` if it may have a memory.
static bool add_term(fm_cloth *c, const fm_term_type *type, fm_error *err)
{
    fm_term *term = &c->terms[c->term_count];
    *term = (fm_term){.type = type, .lanes = c->lanes};
    if (type->setup && !type->setup(c, term, err))
        return false;
    if (type->define_memory) {
        term->known = fm_vec3_array_create(&c->arena, term->lanes, err);
        if (!term->known.x)
            return false;
    }
    c->term_count++;
    return true;
}

// Adds the terms of the table that act on this cloth.
bool fm_terms_create(fm_cloth *c, fm_error *err)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if ((!table[i]->applies || table[i]->applies(c)) && !add_term(c, table[i], err))
            return false;
    }
    return true;
}

// Adds another term after those of the table, before the first advance, and chooses the substep
// again.
bool fm_cloth_add_term(fm_cloth *c, const fm_term_type *type, fm_error *err)
{
    if (err->status != FM_OK)
        return false;
    if (c->started)
        return fm_fail_number(err, c->object.name, type->name, c->time,
                              "added before the first advance");
    if (c->term_count == FM_TERMS_MAX)
        return fm_fail_number(err, c->object.name, "terms", c->term_count + 1, "at most 18");
    if (!add_term(c, type, err))
        return false;
    const char *missing = fm_implicit_find_unsupported(c);
    if (missing)
        fm_cloth_prefer_explicit(c, missing);
    fm_cloth_choose_step(c);
    return true;
}

// The term of that type; NULL if the cloth does not have it.
const fm_term *fm_cloth_find_term(const fm_cloth *c, const fm_term_type *type)
{
    for (int i = 0; i < c->term_count; i++) {
        if (c->terms[i].type == type)
            return &c->terms[i];
    }
    return NULL;
}

double fm_cloth_particle_distance(const fm_cloth *c, int a, int b)
{
    return fm_length(fm_sub(fm_vec3_array_at(c->x, b), fm_vec3_array_at(c->x, a)));
}

double fm_cloth_cell_mass(const fm_cloth *c)
{
    return c->kind == FM_CLOTH_SHEET ? c->def.density * c->def.thickness * c->dx * c->dy
                                     : c->mesh.smallest_mass;
}

// Arguments of the parallel loops over rows, elements and particles.
typedef struct sweep {
    fm_cloth *cloth;
    const fm_vec3_array *x, *normal; // m, positions; normals to be computed
    int parts; // number of parts into which the elements of a tube or mesh are divided
} sweep;

// Sets the vectors of the particles [first, last) to 0.
void fm_axes_clear(const fm_vec3_array *axes, int first, int last)
{
    size_t size = (size_t)(last - first) * sizeof(double);
    memset(axes->x + first, 0, size);
    memset(axes->y + first, 0, size);
    memset(axes->z + first, 0, size);
}

// Computes forces, normals and tangents at the particles in rows [first, last) of a sheet.
static void add_row_forces(void *context, int first, int last)
{
    const sweep *s = context;
    fm_cloth *c = s->cloth;
    fm_axes_clear(&c->force, first * c->columns, last * c->columns);
    for (int i = 0; i < c->term_count; i++) {
        if (c->terms[i].type->add_rows)
            c->terms[i].type->add_rows(c, &c->terms[i], s->x, first, last);
    }
    fm_sheet_compute_normals(c, s->x, s->normal, first, last);
    fm_frame_compute_tangents(c, s->x, s->normal, first * c->columns, last * c->columns);
}

// Computes the forces of edges and hinges and the area vectors of triangles in the parts
// [first, last) of a tube or mesh.
static void compute_element_forces(void *context, int first, int last)
{
    const sweep *s = context;
    fm_cloth *c = s->cloth;
    fm_element_parts part = {first, last, s->parts};
    for (int i = 0; i < c->term_count; i++) {
        if (c->terms[i].type->compute_elements)
            c->terms[i].type->compute_elements(c, &c->terms[i], s->x, part);
    }
    fm_spring_mesh_compute_areas(c, s->x, part);
}

// Sums forces and area vectors of the elements at the particles [first, last) of a tube or mesh,
// and computes normals and tangents.
static void gather_particle_forces(void *context, int first, int last)
{
    const sweep *s = context;
    fm_cloth *c = s->cloth;
    fm_axes_clear(&c->force, first, last);
    for (int i = 0; i < c->term_count; i++) {
        if (c->terms[i].type->gather_elements)
            c->terms[i].type->gather_elements(c, &c->terms[i], first, last);
    }
    fm_spring_mesh_gather_normals(c, s->x, s->normal, first, last);
    fm_frame_compute_tangents(c, s->x, s->normal, first, last);
}

// Computes cloth->force, the sum of the forces of all terms, and the normals at positions at->x.
void fm_terms_add_forces(fm_cloth *c, const fm_evaluation *at, const fm_vec3_array *normal)
{
    const fm_spring_mesh *mesh = &c->mesh;
    sweep s = {.cloth = c, .x = at->x, .normal = normal};
    if (c->kind == FM_CLOTH_SHEET) {
        fm_parallel_for(at->pool, c->rows, c->row_block, add_row_forces, &s);
    } else {
        int elements = mesh->edge_count + mesh->hinge_count + mesh->triangle_count;
        s.parts = fm_parallel_block_count(elements, FM_ELEMENT_BLOCK);
        fm_parallel_for(at->pool, s.parts, 1, compute_element_forces, &s);
        fm_parallel_for(at->pool, c->count, FM_PARTICLE_BLOCK, gather_particle_forces, &s);
    }
    for (int i = 0; i < c->term_count; i++) {
        if (c->terms[i].type->add_forces)
            c->terms[i].type->add_forces(c, &c->terms[i], at);
    }
}

// Sums the energies of all terms.
fm_energies fm_terms_energy(const fm_cloth *c, const fm_surroundings *around)
{
    fm_energies sum = {0};
    for (int i = 0; i < c->term_count; i++) {
        const fm_term *term = &c->terms[i];
        fm_energies part = {0};
        if (term->type->energy)
            part = term->type->energy(c, term, around);
        sum.kinetic += part.kinetic;
        sum.potential += part.potential;
    }
    return sum;
}

// Scales the stiffness of all terms that enforcement may soften.
static void scale_stiffness(fm_cloth *c, double factor)
{
    for (int i = 0; i < c->term_count; i++) {
        if (c->terms[i].type->scale_stiffness)
            c->terms[i].type->scale_stiffness(c, &c->terms[i], factor);
    }
}

static fm_term_bound find_term_bound(const fm_cloth *c, int i)
{
    const fm_term *term = &c->terms[i];
    return term->type->bound ? term->type->bound(c, term) : (fm_term_bound){0};
}

// 1/s^2, bound on omega^2 from the stiffness of all springs: the largest 2 sum k / m of a particle.
// Computes spring_sum, the sum of k at each particle.
static double find_spring_bound(fm_cloth *c)
{
    memset(c->spring_sum, 0, (size_t)c->count * sizeof *c->spring_sum);
    for (int i = 0; i < c->term_count; i++) {
        if (c->terms[i].type->add_stiffness)
            c->terms[i].type->add_stiffness(c, &c->terms[i]);
    }
    double largest = 0;
    for (int i = 0; i < c->count; i++)
        largest = fmax(largest, c->spring_sum[i] / c->mass[i]);
    return 2 * largest;
}

// Bound on omega^2 of the springs, 1/s^2. For a fabric without stitches this is the sharper bound
// of eigenfrequency.c, as long as other terms do not raise the largest 2 sum k / m (`springs`)
// above that of the edges alone.
static double sharpen_spring_bound(const fm_cloth *c, double springs)
{
    bool alone =
        c->fabric && c->stitches.count == 0 && springs <= c->fabric->gershgorin * (1 + 1e-12);
    return alone ? c->fabric->bound : springs;
}

// Largest omega h of the substep.
static double find_courant(const fm_cloth *c)
{
    if (!c->fabric)
        return COURANT;
    if (c->fabric->def.courant > 0)
        return c->fabric->def.courant;
    return c->def.integrator == FM_KICK_DRIFT_KICK ? COURANT : PUBLISHED_COURANT;
}

// With enforcement (constraint projection of edge lengths) the substep is given, and springs are
// softened to the part of the bound that the other terms leave. Returns the factor on their
// stiffness. springs: 1/s^2, the bound of the full stiffness.
static double find_stiffness_share(const fm_cloth *c, double springs)
{
    fm_term_bound sum = {0};
    for (int i = 0; i < c->term_count; i++) {
        fm_term_bound part = find_term_bound(c, i);
        sum.fixed += part.fixed;
        sum.of_springs += part.of_springs;
    }
    if (c->def.enforcement.method == FM_ENFORCE_NONE)
        return 1;
    double h = c->def.time_step > 0 ? c->def.time_step : ENFORCED_STEP;
    h = fmin(h, COURANT / sqrt(2 * sum.fixed + FM_TINY)); // other terms get at most half the bound
    double left_for_springs = COURANT * COURANT / (h * h) - sum.fixed; // 1/s^2
    return fmin(1, left_for_springs / (springs * sum.of_springs));
}

// Chooses the substep from the terms' bounds on omega^2, and with enforcement the stiffness of the
// springs from the substep. Terms act on the same particles, so their bounds add up.
void fm_cloth_choose_step(fm_cloth *c)
{
    scale_stiffness(c, 1 / c->stiffness_share); // undoes the scaling of an earlier call
    double gershgorin = find_spring_bound(c), springs = sharpen_spring_bound(c, gershgorin);
    c->stiffness_share = find_stiffness_share(c, springs);
    scale_stiffness(c, c->stiffness_share);
    c->spring_bound = springs * c->stiffness_share;
    double square = 0; // 1/s^2, bound on omega^2
    for (int i = 0; i < c->term_count; i++) {
        fm_term_bound part = find_term_bound(c, i);
        square += part.fixed + part.of_springs * c->spring_bound;
    }
    c->frequency_bound = sqrt(square);
    c->gershgorin_bound = sqrt(square * (springs > 0 ? gershgorin / springs : 1));
    c->stable_step = c->implicit ? (c->def.time_step > 0 ? c->def.time_step : IMPLICIT_STEP)
                                 : fmin(find_courant(c) / c->frequency_bound, LONGEST_STEP);
    if (c->def.enforcement.method != FM_ENFORCE_NONE && c->def.time_step == 0)
        c->stable_step = fmin(c->stable_step, ENFORCED_STEP);
    if (c->def.time_step > 0)
        c->stable_step = fmin(c->stable_step, c->def.time_step);
}
