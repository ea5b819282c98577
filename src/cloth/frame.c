// SPDX-License-Identifier: MIT
// frame.c: the coordinate frame, turning with the cloth, in which the memory of the physical drag
// stores vectors.
//
// The skin history of the physical drag is the half derivative of the sliding speed u . t along a
// tangent t that turns with the cloth, and the normal history is that of u . n:
//
//     D^(1/2)[u . e](t),   e = t1, t2, n,   u = v - w
//
// So each particle carries an orthonormal frame R = (t1, t2, n): n is the cloth's normal, t1 the
// direction between two neighbours that are chosen once, without its part along n, and t2 = n x t1.
// The three lanes of the memory are the components in this frame, and the rates of the components
// are pushed into them,
//
//     d(u . e)/dt = s . e + u . de/dt,   s = du/dt.
//
// s is known at the end of a substep. The second part, the turn rate, is measured over the substep,
// from e to e',
//
//     c = (e' . p' - e . p) / h,   p = v_half - w,
//
// and extrapolated from the middle of the substep to its end, 3/2 c - 1/2 c_before, where c_before
// is c of the previous substep: second order for equal substeps. p' is p after the layer of added
// mass has turned with the normal (drag.h).
//
// Projecting accelerations or remembered vectors on the present tangents is not enough: a sheet
// that turns while it moves at constant velocity has no acceleration, but it begins to slide.
//
// A cloth that spins about its own normal turns its frame too. This is exact for a disc that spins
// in place, and wrong for a disc that is towed along its plane while it spins.
#include "cloth/added_mass.h"
#include "cloth/drag.h"

#include <math.h>
#include <string.h>

enum { STATE_NUMBERS = 6 }; // numbers of state per particle: two vectors

// Data of the drag term that the memory does not hold: the frames of the particles and their rates.
typedef struct frame_data {
    fm_vec3_array tangent; // state: t1 at the beginning of the substep
    fm_vec3_array turn;    // state: turn rates c of the previous substep, m/s^2
    fm_vec3_array next;    // scratch: t1 at the end of the substep
    fm_vec3_array rate;    // scratch: rates of the components of u in the frame, m/s^2
    int *from, *to;        // the neighbours that t1 points between
    double *moves;         // scratch: 1; 0 for pinned particles, whose velocity is prescribed
} frame_data;

// Finds the two neighbours of particle i, of a tube or mesh, that lie most nearly opposite to each
// other: the pair with the smallest cosine between the edges to them.
static void find_opposite(const fm_cloth *c, int i, int *from, int *to)
{
    const fm_spring_mesh *mesh = &c->mesh;
    double best = INFINITY;
    fm_vec3 here = fm_vec3_array_at(c->x, i);
    int first = mesh->edges.start[i], last = mesh->edges.start[i + 1];
    for (int k = first; k < last; k++) {
        for (int l = first; l < k; l++) {
            int a = mesh->edges.entry[k], b = mesh->edges.entry[l];
            a = a % 2 ? mesh->edge_a[a / 2] : mesh->edge_b[a / 2];
            b = b % 2 ? mesh->edge_a[b / 2] : mesh->edge_b[b / 2];
            fm_vec3 p = fm_sub(fm_vec3_array_at(c->x, a), here),
                    q = fm_sub(fm_vec3_array_at(c->x, b), here);
            double cosine = fm_dot(p, q) / sqrt(fm_dot(p, p) * fm_dot(q, q) + 1e-200);
            if (cosine < best)
                best = cosine, *from = b, *to = a;
        }
    }
}

// Finds the neighbours between which the tangent t1 of particle i points. In a sheet: the left and
// the right neighbour, or the particle itself at the border.
static void find_neighbours(const fm_cloth *c, int i, int *from, int *to)
{
    *from = *to = i;
    if (c->kind != FM_CLOTH_SHEET) {
        find_opposite(c, i, from, to);
    } else {
        int column = i % c->columns;
        *from = column > 0 ? i - 1 : i;
        *to = column < c->columns - 1 ? i + 1 : i;
    }
}

// Allocates the frames of the drag term. Only the physical model has frames.
bool fm_frame_setup(fm_cloth *c, fm_term *term, fm_error *err)
{
    if (c->def.drag.model != FM_DRAG_PHYSICAL)
        return true;
    const char *name = c->object.name;
    size_t lanes = (size_t)c->lanes;
    frame_data *f = fm_arena_alloc(&c->arena, 1, sizeof *f, name, err);
    double *state = fm_arena_alloc(&c->arena, STATE_NUMBERS * lanes, sizeof *state, name, err);
    if (!f || !state)
        return false;
    f->tangent = (fm_vec3_array){state, state + lanes, state + 2 * lanes};
    f->turn = (fm_vec3_array){state + 3 * lanes, state + 4 * lanes, state + 5 * lanes};
    f->next = fm_vec3_array_create(&c->arena, c->lanes, err);
    f->rate = fm_vec3_array_create(&c->arena, c->lanes, err);
    f->from = fm_arena_alloc(&c->arena, lanes, sizeof(int), name, err);
    f->to = fm_arena_alloc(&c->arena, lanes, sizeof(int), name, err);
    f->moves = fm_arena_alloc(&c->arena, lanes, sizeof(double), name, err);
    if (!f->next.x || !f->rate.x || !f->from || !f->to || !f->moves)
        return false;
    for (int i = 0; i < c->lanes; i++) {
        f->from[i] = f->to[i] = i;
        f->moves[i] = 1;
    }
    for (int i = 0; i < c->count; i++)
        find_neighbours(c, i, &f->from[i], &f->to[i]);
    term->data = f;
    term->state = state;
    term->state_count = STATE_NUMBERS * c->lanes;
    return true;
}

// The direction of d without its part along n, as a unit vector. Where d is within about 1/1000 rad
// of n, or 0, `other` is used in its place.
FM_INLINE fm_vec3 make_tangent(fm_vec3 d, fm_vec3 n, fm_vec3 other)
{
    double dn = d.x * n.x + d.y * n.y + d.z * n.z, dd = d.x * d.x + d.y * d.y + d.z * d.z;
    bool flat = dd - dn * dn > 1e-6 * dd;
    d.x = flat ? d.x : other.x, d.y = flat ? d.y : other.y, d.z = flat ? d.z : other.z;
    dn = d.x * n.x + d.y * n.y + d.z * n.z;
    d.x -= dn * n.x, d.y -= dn * n.y, d.z -= dn * n.z;
    double is = 1 / sqrt(d.x * d.x + d.y * d.y + d.z * d.z + 1e-200);
    return (fm_vec3){d.x * is, d.y * is, d.z * is};
}

FM_INLINE fm_vec3 cross(fm_vec3 a, fm_vec3 b)
{
    return (fm_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

FM_INLINE double dot(fm_vec3 a, fm_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

FM_INLINE fm_vec3 at(const fm_vec3_array *a, int i)
{
    return (fm_vec3){a->x[i], a->y[i], a->z[i]};
}

// Computes tangents t1 of the particles [first, last) at positions x, into f->next. normal: unit
// normals at x.
FM_SIMD_CLONES
static void compute_tangents(int first, int last, const frame_data *restrict f,
                             const fm_vec3_array *restrict x, const fm_vec3_array *restrict normal)
{
    const int *from = f->from, *to = f->to;
#pragma omp simd
    for (int i = first; i < last; i++) {
        fm_vec3 d = {x->x[to[i]] - x->x[from[i]], x->y[to[i]] - x->y[from[i]],
                     x->z[to[i]] - x->z[from[i]]};
        fm_vec3 s = make_tangent(d, at(normal, i), at(&f->tangent, i));
        f->next.x[i] = s.x, f->next.y[i] = s.y, f->next.z[i] = s.z;
    }
}

void fm_frame_compute_tangents(const fm_cloth *c, const fm_vec3_array *x,
                               const fm_vec3_array *normal, int first, int last)
{
    const fm_term *term = fm_cloth_find_term(c, &fm_drag_term);
    if (term->data)
        compute_tangents(first, last, term->data, x, normal);
}

// Turns the frames of the particles [first, last) to the end of the substep: (s0, t0, n0) are the
// tangents t1, t2 and the normal at its beginning, (s1, t1, n1) at its end. Measures the turn rates
// (ca, cb, cc) of the components of the relative velocity p, which becomes q when the layer of
// added mass turns with the normal, and extrapolates them to the end of the substep: (ra, rb, rc).
// Turns `known`, the part of the memory's next value that follows from past rates, from components
// in the frame into world vectors, with w0 times the extrapolated turn rates added.
FM_SIMD_CLONES
static void advance_frames(int first, int last, const fm_cloth *restrict c,
                           const frame_data *restrict f, const fm_drag_step *restrict step,
                           const fm_vec3_array *restrict known,
                           const fm_vec3_array *restrict turned)
{
    // Change of velocity by the turning normal: with added mass by wavelength it is in `turned`
    // already (kick.c); with a uniform layer of added mass it is computed here.
    double ih = 1 / step->h, w0 = step->w0, layer = step->modes ? 0 : step->layer;
#pragma omp simd
    for (int i = first; i < last; i++) {
        fm_vec3 n0 = at(&c->normal, i), n1 = at(&c->next_normal, i), s0 = at(&f->tangent, i);
        fm_vec3 s1 = at(&f->next, i), t0 = cross(n0, s0), t1 = cross(n1, s1);
        fm_vec3 p = {c->v.x[i] - c->w.x[i], c->v.y[i] - c->w.y[i], c->v.z[i] - c->w.z[i]};
        fm_drag_particle particle = {.A = c->wet_area[i], .m = c->inertia[i], .n = n1, .p = p};
        fm_layer_turn turn = fm_drag_turn_layer(particle, n0, layer * f->moves[i]);
        fm_vec3 q = {p.x - turn.g * turn.e.x + turned->x[i], p.y - turn.g * turn.e.y + turned->y[i],
                     p.z - turn.g * turn.e.z + turned->z[i]};
        double ca = (dot(s1, q) - dot(s0, p)) * ih, cb = (dot(t1, q) - dot(t0, p)) * ih;
        double cc = (dot(n1, q) - dot(n0, p)) * ih;
        double ra = 1.5 * ca - 0.5 * f->turn.x[i], rb = 1.5 * cb - 0.5 * f->turn.y[i];
        double rc = 1.5 * cc - 0.5 * f->turn.z[i];
        double ka = known->x[i] + w0 * ra, kb = known->y[i] + w0 * rb, kc = known->z[i] + w0 * rc;
        f->tangent.x[i] = s1.x, f->tangent.y[i] = s1.y, f->tangent.z[i] = s1.z;
        f->turn.x[i] = ca, f->turn.y[i] = cb, f->turn.z[i] = cc;
        f->rate.x[i] = ra, f->rate.y[i] = rb, f->rate.z[i] = rc;
        known->x[i] = ka * s1.x + kb * t1.x + kc * n1.x;
        known->y[i] = ka * s1.y + kb * t1.y + kc * n1.y;
        known->z[i] = ka * s1.z + kb * t1.z + kc * n1.z;
    }
}

// Before the closing kick: turns the frames of the particles [first, last) to the end of the
// substep, and the known part of the memory's next value into world vectors.
void fm_frame_advance(fm_substep *s, int first, int last)
{
    fm_cloth *c = s->cloth;
    const fm_term *term = fm_cloth_find_term(c, &fm_drag_term);
    const frame_data *f = term->data;
    if (!f || !term->memory)
        return;
    for (int p = fm_cloth_find_first_pin(c, first); p < c->pinned_count && c->pinned[p] < last; p++)
        f->moves[c->pinned[p]] = !fm_substep_is_pinned(s, c->pinned[p]);
    const fm_vec3_array *turned = s->drag.modes ? &c->added->turned : &c->zeros;
    advance_frames(first, last, c, f, &s->drag, &term->known, turned);
}

fm_frame_view fm_frame_view_arrays(const fm_cloth *c)
{
    const frame_data *f = fm_cloth_find_term(c, &fm_drag_term)->data;
    return f ? (fm_frame_view){f->tangent, f->next, f->rate} : (fm_frame_view){0};
}

// Sets all frames at the present positions and normals, with turn rates of 0.
void fm_frame_initialize(fm_cloth *c)
{
    const fm_term *term = fm_cloth_find_term(c, &fm_drag_term);
    const frame_data *f = term->data;
    for (int i = 0; i < c->count && f; i++) {
        fm_vec3 n = fm_vec3_array_at(c->normal, i);
        fm_vec3 d = fm_sub(fm_vec3_array_at(c->x, f->to[i]), fm_vec3_array_at(c->x, f->from[i]));
        fm_vec3 t = make_tangent(d, n, fm_vec3_find_perpendicular(n));
        f->tangent.x[i] = t.x, f->tangent.y[i] = t.y, f->tangent.z[i] = t.z;
    }
    if (f) {
        memset(f->turn.x, 0, 3 * (size_t)c->lanes * sizeof(double));
        memset(f->rate.x, 0, 3 * (size_t)c->lanes * sizeof(double));
    }
}

// Adds the components of the acceleration du/dt in the frame to the rates.
FM_SIMD_CLONES
static void add_acceleration_lanes(int first, int last, const fm_cloth *restrict c,
                                   const frame_data *restrict f)
{
#pragma omp simd
    for (int i = first; i < last; i++) {
        fm_vec3 n = at(&c->normal, i), s = at(&f->tangent, i), t = cross(n, s);
        fm_vec3 r = at(&c->rate, i);
        f->rate.x[i] += dot(s, r), f->rate.y[i] += dot(t, r), f->rate.z[i] += dot(n, r);
    }
}

// The rates that are pushed into the memory: the turn rates, plus the components of the
// acceleration s = du/dt in the frame.
const fm_vec3_array *fm_frame_compute_rates(fm_cloth *c, fm_term *term, int first, int last)
{
    const frame_data *f = term->data;
    add_acceleration_lanes(first, last, c, f);
    return &f->rate;
}

// Turns vectors given by their components in the frames into world vectors, in place.
void fm_frame_rotate_to_world(const fm_cloth *c, const fm_term *term, const fm_vec3_array *vectors)
{
    const frame_data *f = term->data;
    for (int i = 0; i < c->count; i++) {
        fm_vec3 n = at(&c->normal, i), s = at(&f->tangent, i), t = cross(n, s);
        fm_vec3 k = at(vectors, i);
        vectors->x[i] = k.x * s.x + k.y * t.x + k.z * n.x;
        vectors->y[i] = k.x * s.y + k.y * t.y + k.z * n.y;
        vectors->z[i] = k.x * s.z + k.y * t.z + k.z * n.z;
    }
}
