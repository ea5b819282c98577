// SPDX-License-Identifier: MIT
// bend_friction.c: the force term of friction between the yarns of a bent cloth (bend.friction), so
// that bending has a hysteresis and creases stay.
//
// The moment per width of a cloth that bends to the curvature kappa is B kappa + M. The friction
// moment M is that of a spring in series with a slider, for each direction of bending (Prandtl's
// element):
//
//     M = K (kappa - p),   |M| <= H,   K = H/kappa_y
//
//   H  N, moment per width at which the yarns slide; the hysteresis 2HB of Kawabata's bending test
//      [KAW80] is the distance 2 H of the branches of the loop
//   kappa_y  1/m, change of the curvature from rest to sliding
//   p  1/m, curvature at which the spring is relaxed: the state of the element
//
// Within a stage M follows from p at its start, cut off at H; that is the gradient of a convex
// function of kappa (quadratic, then linear), so that the implicit integrators minimise it with the
// energies. At the end of the stage p moves until |M| <= H.
//
// Discrete form. Sheets have an element for the second difference S of each row and column
// (sheet_bending.c), tubes and meshes one for each hinge with its vector L (hinge_bending.c):
//
//     sheet   kappa = S . n / d^2,     f_i = -A M s_i n / d^2      s = 1, -2, 1   d  m, spacing
//     hinge   kappa = L . n l/A,       f_i = -l M s_i n            s_i of L       l  m, of the edge
//
//   A  m^2, area of the element: that of a cell, halved at borders, or of both triangles
//   n  unit normal: of the middle particle, or half-way between those of the two triangles
//
// S and L are parallel to n where the cloth is bent and not stretched, so that the forces have no
// torque; in general it is the force times the part of S across n.
//
// Second derivatives for the implicit integrators: those of bending times K/B, as if all elements
// stuck. Bound on omega^2: that of bending times K/B.
//
// [KAW80] Kawabata: The standardization and analysis of hand evaluation. Osaka, 1980.
#include "cloth/cloth.h"

#include <math.h>

// Parameters and scratch of the term.
typedef struct elements {
    int count;          // of a sheet: the rows' element of each particle, then the columns'
    double *area;       // m^2; 0: no element
    double *scale;      // 1/m^2 or 1/m: kappa = scale times S . n or L . n
    double *limit;      // N, H
    double curvature;   // 1/m, kappa_y
    fm_vec3_array pull; // scratch: force on a particle over its s_i, N or N m
} elements;

static bool applies(const fm_cloth *c)
{
    return c->def.bend.friction.moment > 0 && c->def.bend.stiffness > 0 &&
           c->def.bend.model != FM_BEND_SPRINGS && !c->line;
}

// Areas and scales of the elements of a sheet. Warp yarns run along the rows or down the columns.
static void fill_sheet(const fm_cloth *c, elements *own)
{
    double warp = c->def.bend.friction.moment, weft = c->def.bend.friction.weft;
    bool across = c->def.warp == FM_WARP_ACROSS;
    weft = weft > 0 ? weft : warp;
    for (int i = 0; i < c->count; i++) {
        int row = i / c->columns, column = i % c->columns, j = c->count + i;
        bool first_or_last_row = row == 0 || row == c->rows - 1;
        bool first_or_last_column = column == 0 || column == c->columns - 1;
        double cell = c->dx * c->dy;
        own->area[i] = first_or_last_column ? 0 : first_or_last_row ? cell / 2 : cell;
        own->area[j] = first_or_last_row ? 0 : first_or_last_column ? cell / 2 : cell;
        own->scale[i] = 1 / (c->dx * c->dx), own->scale[j] = 1 / (c->dy * c->dy);
        own->limit[i] = across ? warp : weft, own->limit[j] = across ? weft : warp;
    }
}

// Areas and scales of the hinges. The height of the first triangle is -1 over the coefficient of
// its corner in L, and the length of the edge is 2 A1 over that height.
static void fill_hinges(const fm_cloth *c, elements *own)
{
    const fm_spring_mesh *mesh = &c->mesh;
    for (int h = 0; h < own->count; h++) {
        double length = -2 * mesh->hinge_area[0][h] * mesh->hinge_share[2][h];
        own->area[h] = mesh->hinge_area[0][h] + mesh->hinge_area[1][h];
        own->scale[h] = length / own->area[h];
        own->limit[h] =
            fm_hinge_directional(c, h, c->def.bend.friction.moment, c->def.bend.friction.weft);
    }
}

static bool setup(fm_cloth *c, fm_term *term, fm_error *err)
{
    const char *name = c->object.name;
    elements *own = fm_arena_alloc(&c->arena, 1, sizeof *own, name, err);
    if (!own)
        return false;
    own->count = c->kind == FM_CLOTH_SHEET ? 2 * c->count : c->mesh.hinge_count;
    size_t n = (size_t)own->count + 1;
    own->curvature = c->def.bend.friction.curvature;
    own->area = fm_arena_alloc(&c->arena, n, sizeof(double), name, err);
    own->scale = fm_arena_alloc(&c->arena, n, sizeof(double), name, err);
    own->limit = fm_arena_alloc(&c->arena, n, sizeof(double), name, err);
    own->pull = fm_vec3_array_create(&c->arena, (int)n, err);
    term->state = fm_arena_alloc(&c->arena, n, sizeof(double), name, err);
    if (err->status != FM_OK)
        return false;
    term->state_count = own->count;
    term->data = own;
    if (c->kind == FM_CLOTH_SHEET)
        fill_sheet(c, own);
    else
        fill_hinges(c, own);
    return true;
}

static fm_vec3 normalize(fm_vec3 a)
{
    return fm_scale(a, 1 / (fm_length(a) + FM_TINY));
}

// Curvature of element e of a sheet at positions x, and its normal.
static double measure_sheet(const fm_cloth *c, const elements *own, const fm_vec3_array *x, int e,
                            fm_vec3 *n)
{
    int columns = c->columns, i = e % c->count, row = i / columns, column = i % columns;
    int step = e < c->count ? 1 : columns;
    int left = column > 0 ? i - 1 : i, right = column < columns - 1 ? i + 1 : i;
    int up = row > 0 ? i - columns : i, down = row < c->rows - 1 ? i + columns : i;
    fm_vec3 along = fm_sub(fm_vec3_array_at(*x, right), fm_vec3_array_at(*x, left));
    fm_vec3 across = fm_sub(fm_vec3_array_at(*x, up), fm_vec3_array_at(*x, down));
    *n = normalize(fm_cross(along, across));
    fm_vec3 s = fm_add(fm_vec3_array_at(*x, i - step), fm_vec3_array_at(*x, i + step));
    return own->scale[e] * fm_dot(fm_add_scaled(s, fm_vec3_array_at(*x, i), -2), *n);
}

// Curvature of hinge h at positions x, and its normal.
static double measure_hinge(const fm_cloth *c, const elements *own, const fm_vec3_array *x, int h,
                            fm_vec3 *n)
{
    const fm_spring_mesh *mesh = &c->mesh;
    fm_vec3 p[4], L = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        p[k] = fm_vec3_array_at(*x, mesh->hinge[k][h]);
        L = fm_add_scaled(L, p[k], mesh->hinge_share[k][h]);
    }
    fm_vec3 e = fm_sub(p[1], p[0]);
    fm_vec3 n1 = fm_cross(e, fm_sub(p[2], p[0])), n2 = fm_cross(fm_sub(p[3], p[0]), e);
    *n = normalize(fm_add(normalize(n1), normalize(n2)));
    return own->scale[h] * fm_dot(L, *n);
}

static double measure(const fm_cloth *c, const elements *own, const fm_vec3_array *x, int e,
                      fm_vec3 *n)
{
    return c->kind == FM_CLOTH_SHEET ? measure_sheet(c, own, x, e, n)
                                     : measure_hinge(c, own, x, e, n);
}

// Arguments of the parallel loops.
typedef struct loop {
    fm_cloth *cloth;
    elements *own;
    const fm_vec3_array *x;
    double *relaxed; // p of each element
} loop;

// Forces of the elements [first, last).
static void pull_range(void *context, int first, int last)
{
    const loop *l = context;
    const elements *own = l->own;
    for (int e = first; e < last; e++) {
        fm_vec3 n = {0, 0, 0};
        double kappa = own->area[e] > 0 ? measure(l->cloth, own, l->x, e, &n) : 0;
        if (!l->cloth->started)
            l->relaxed[e] = kappa;
        double slip = (kappa - l->relaxed[e]) / own->curvature;
        double moment = own->limit[e] * fmin(fmax(slip, -1), 1);
        fm_vec3 f = fm_scale(n, -own->area[e] * own->scale[e] * moment);
        own->pull.x[e] = f.x, own->pull.y[e] = f.y, own->pull.z[e] = f.z;
    }
}

// N, force on particle i of a sheet. Elements beyond the border have no pull.
static fm_vec3 gather_sheet(const fm_cloth *c, const fm_vec3_array *pull, int i)
{
    int columns = c->columns, row = i / columns, column = i % columns, j = c->count + i;
    fm_vec3 f = fm_scale(fm_add(fm_vec3_array_at(*pull, i), fm_vec3_array_at(*pull, j)), -2);
    if (column > 0)
        f = fm_add(f, fm_vec3_array_at(*pull, i - 1));
    if (column < columns - 1)
        f = fm_add(f, fm_vec3_array_at(*pull, i + 1));
    if (row > 0)
        f = fm_add(f, fm_vec3_array_at(*pull, j - columns));
    if (row < c->rows - 1)
        f = fm_add(f, fm_vec3_array_at(*pull, j + columns));
    return f;
}

// N, force on particle i of a tube or mesh.
static fm_vec3 gather_hinges(const fm_cloth *c, const fm_vec3_array *pull, int i)
{
    const fm_spring_mesh *mesh = &c->mesh;
    fm_vec3 f = {0, 0, 0};
    for (int k = mesh->hinges.start[i]; k < mesh->hinges.start[i + 1]; k++) {
        int h = mesh->hinges.entry[k] / 4, corner = mesh->hinges.entry[k] % 4;
        f = fm_add_scaled(f, fm_vec3_array_at(*pull, h), mesh->hinge_share[corner][h]);
    }
    return f;
}

static void gather_range(void *context, int first, int last)
{
    const loop *l = context;
    const fm_cloth *c = l->cloth;
    const fm_vec3_array *pull = &l->own->pull, *force = &c->force;
    for (int i = first; i < last; i++) {
        fm_vec3 f =
            c->kind == FM_CLOTH_SHEET ? gather_sheet(c, pull, i) : gather_hinges(c, pull, i);
        force->x[i] += f.x, force->y[i] += f.y, force->z[i] += f.z;
    }
}

static void add_forces(fm_cloth *c, fm_term *term, const fm_evaluation *at)
{
    loop l = {.cloth = c, .own = term->data, .x = at->x, .relaxed = term->state};
    if (l.own->count == 0)
        return;
    fm_parallel_for(at->pool, l.own->count, FM_ELEMENT_BLOCK, pull_range, &l);
    fm_parallel_for(at->pool, c->count, FM_PARTICLE_BLOCK, gather_range, &l);
}

// Moves p of the elements [first, last) until the friction moment is at most H.
static void slide_range(void *context, int first, int last)
{
    const loop *l = context;
    const elements *own = l->own;
    for (int e = first; e < last; e++) {
        fm_vec3 n;
        if (own->area[e] <= 0)
            continue;
        double kappa = measure(l->cloth, own, l->x, e, &n), y = own->curvature;
        l->relaxed[e] = fmin(fmax(l->relaxed[e], kappa - y), kappa + y);
    }
}

static void end_stage(fm_cloth *c, fm_term *term, fm_pool *pool)
{
    loop l = {.cloth = c, .own = term->data, .x = &c->x, .relaxed = term->state};
    fm_parallel_for(pool, l.own->count, FM_ELEMENT_BLOCK, slide_range, &l);
}

// K/B, the larger one of warp and weft.
static double compare_with_bending(const fm_cloth *c)
{
    double warp = c->def.bend.friction.moment, weft = c->def.bend.friction.weft;
    double bend_weft = c->def.bend.weft > 0 ? c->def.bend.weft : c->def.bend.stiffness;
    double ratio = fmax(warp / c->def.bend.stiffness, (weft > 0 ? weft : warp) / bend_weft);
    return ratio / c->def.bend.friction.curvature;
}

static void add_hessian(const fm_cloth *c, const fm_term *term, const fm_implicit_stage *stage,
                        fm_hessian_factors *factors)
{
    (void)term, (void)stage;
    factors->bending += compare_with_bending(c);
}

static fm_term_bound bound(const fm_cloth *c, const fm_term *term)
{
    (void)term;
    const fm_term *bending = fm_cloth_find_term(c, &fm_bending_term);
    return (fm_term_bound){.fixed =
                               compare_with_bending(c) * fm_bending_term.bound(c, bending).fixed};
}

// Elastic energy of the springs in series with the sliders.
static fm_energies energy(const fm_cloth *c, const fm_term *term, const fm_surroundings *around)
{
    (void)around;
    const elements *own = term->data;
    double sum = 0;
    for (int e = 0; e < own->count; e++) {
        fm_vec3 n;
        if (own->area[e] <= 0)
            continue;
        double bent = measure(c, own, &c->x, e, &n) - term->state[e];
        sum += own->area[e] * own->limit[e] / own->curvature * bent * bent / 2;
    }
    return (fm_energies){.potential = c->started ? sum : 0};
}

const fm_term_type fm_bend_friction_term = {
    .name = "bend_friction",
    .applies = applies,
    .setup = setup,
    .add_forces = add_forces,
    .end_stage = end_stage,
    .add_hessian = add_hessian,
    .bound = bound,
    .energy = energy,
};
