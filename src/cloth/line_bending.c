// SPDX-License-Identifier: MIT
// line_bending.c: the force term of the bending of lines.
//
// At every inner point of a strand, with the rest lengths l0 before it and l1 after it,
//
//     D = (x2 - x1) / l1 - (x1 - x0) / l0
//     E = B |D|^2 / (l0 + l1),    F_k = -g a_k,   g = 2 B D / (l0 + l1),   a = dD/dx_k
//     a_0 = 1/l0,  a_1 = -1/l0 - 1/l1,  a_2 = 1/l1
//
//   B  N m^2, bending rigidity    D  change of the unit tangent; |D| / ((l0 + l1)/2) is the
//   curvature of a line that is not stretched    E  J    F_k  N, force on the point k
//
// The line is straight at rest. The energy is quadratic in the positions, so the forces conserve
// momentum and angular momentum. There is no twist.
//
// Bound on omega^2 (Gershgorin): the largest sum over the elements at a point of
// 2 B/(l0 + l1) |a_k| sum_j |a_j| / m; on equal edges 16 B / (l^3 m).
#include "cloth/cloth.h"

#include <math.h>

// One bending element for each inner point of a strand.
typedef struct elements {
    int count;
    int *point[3];
    double *share[3];   // 1/m, a_k, the share of x_k in D
    double *stiffness;  // N m, 2 B / (l0 + l1)
    fm_incidence of;    // elements at each particle
    fm_vec3_array pull; // scratch: g, N m
} elements;

// Lines with a bending rigidity and at least one inner point have this term.
static bool applies(const fm_cloth *c)
{
    return c->line && c->line->bending > 0 && c->mesh.edge_count > c->line->strand_count;
}

// Allocates the bending elements.
static bool create_arrays(fm_cloth *c, elements *own, fm_error *err)
{
    const char *name = c->object.name;
    size_t n = (size_t)own->count;
    for (int k = 0; k < 3; k++) {
        own->point[k] = fm_arena_alloc(&c->arena, n, sizeof(int), name, err);
        own->share[k] = fm_arena_alloc(&c->arena, n, sizeof(double), name, err);
    }
    own->stiffness = fm_arena_alloc(&c->arena, n, sizeof(double), name, err);
    own->pull = fm_vec3_array_create(&c->arena,
                                     fm_parallel_block_count(own->count, FM_LANES) * FM_LANES, err);
    return err->status == FM_OK;
}

// Creates the bending elements: the points, a_k and 2 B / (l0 + l1) of each.
static bool setup(fm_cloth *c, fm_term *term, fm_error *err)
{
    const fm_line *line = c->line;
    elements *own = fm_arena_alloc(&c->arena, 1, sizeof *own, c->object.name, err);
    if (!own)
        return false;
    term->data = own;
    own->count = c->mesh.edge_count - line->strand_count;
    if (!create_arrays(c, own, err))
        return false;
    int i = 0, edge = 0; // edges are in the order of the strands
    for (int s = 0; s < line->strand_count; s++, edge++) {
        for (int k = line->starts[s] + 1; k < line->starts[s + 1] - 1; k++, i++, edge++) {
            double l0 = c->mesh.edge_rest[edge], l1 = c->mesh.edge_rest[edge + 1];
            for (int corner = 0; corner < 3; corner++)
                own->point[corner][i] = line->points[k - 1 + corner];
            own->share[0][i] = 1 / l0;
            own->share[1][i] = -1 / l0 - 1 / l1;
            own->share[2][i] = 1 / l1;
            own->stiffness[i] = 2 * line->bending / (l0 + l1);
        }
    }
    const int *const column[4] = {own->point[0], own->point[1], own->point[2]};
    return fm_incidence_create(c, 3, own->count, column, 1, &own->of, err);
}

// Change D of the unit tangent at the inner point of element i, at positions x.
static fm_vec3 find_turn(const elements *own, const fm_vec3_array *x, int i)
{
    fm_vec3 turn = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        turn = fm_add_scaled(turn, fm_vec3_array_at(*x, own->point[k][i]), own->share[k][i]);
    return turn;
}

// Computes g of a part of the elements at positions x.
static void compute_elements(fm_cloth *c, fm_term *term, const fm_vec3_array *x,
                             fm_element_parts part)
{
    (void)c;
    elements *own = term->data;
    int last = fm_element_parts_last(part, own->count);
    for (int i = fm_element_parts_first(part, own->count); i < last; i++) {
        fm_vec3 pull = fm_scale(find_turn(own, x, i), own->stiffness[i]);
        own->pull.x[i] = pull.x, own->pull.y[i] = pull.y, own->pull.z[i] = pull.z;
    }
}

// Adds the forces -g a_k to the particles [first, last).
static void gather_elements(fm_cloth *c, fm_term *term, int first, int last)
{
    const elements *own = term->data;
    const fm_vec3_array *f = &c->force;
    for (int i = first; i < last; i++) {
        fm_vec3 sum = fm_vec3_array_at(*f, i);
        for (int k = own->of.start[i]; k < own->of.start[i + 1]; k++) {
            int e = own->of.entry[k] / 3, corner = own->of.entry[k] % 3;
            sum = fm_add_scaled(sum, fm_vec3_array_at(own->pull, e), -own->share[corner][e]);
        }
        f->x[i] = sum.x, f->y[i] = sum.y, f->z[i] = sum.z;
    }
}

// 1/s^2, bound on omega^2 as at the head of this file.
static fm_term_bound bound(const fm_cloth *c, const fm_term *term)
{
    const elements *own = term->data;
    double largest = 0;
    for (int i = 0; i < c->count; i++) {
        double sum = 0;
        for (int k = own->of.start[i]; k < own->of.start[i + 1]; k++) {
            int e = own->of.entry[k] / 3, corner = own->of.entry[k] % 3;
            double all = 2 * fabs(own->share[1][e]); // a_0 and a_2 add up to -a_1
            sum += own->stiffness[e] * fabs(own->share[corner][e]) * all;
        }
        largest = fmax(largest, sum / c->mass[i]);
    }
    return (fm_term_bound){.fixed = largest};
}

// J, bending energy.
static fm_energies energy(const fm_cloth *c, const fm_term *term, const fm_surroundings *around)
{
    (void)around;
    const elements *own = term->data;
    double sum = 0;
    for (int i = 0; i < own->count; i++) {
        fm_vec3 turn = find_turn(own, &c->x, i);
        sum += 0.5 * own->stiffness[i] * fm_dot(turn, turn);
    }
    return (fm_energies){.potential = sum};
}

const fm_term_type fm_line_bending_term = {
    .name = "line bending",
    .applies = applies,
    .setup = setup,
    .compute_elements = compute_elements,
    .gather_elements = gather_elements,
    .bound = bound,
    .energy = energy,
};
