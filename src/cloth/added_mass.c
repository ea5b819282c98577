// SPDX-License-Identifier: MIT
// added_mass.c: the inertia of the medium that moves with a cloth, for each wavelength.
//
// A sheet that moves along its normal at u_n = cos(k x) moves the ideal fluid on both sides to a
// depth of about 1/k: the kinetic energy per area is that of a layer of the thickness L = 2/k. So
// the energy of the water and its momentum along the normals are
//
//     T = 1/2 u^T R u,   P = R u,   R = rho W (L_0 A + A Phi diag(L_j - L_0) Phi^T A) W
//
//   u    m/s, normal velocities of the particles relative to the medium     A  m^2, their areas
//   Phi  modes of the cloth (surface_modes.c), Phi^T A Phi = 1    L_j = 2/k_j  m, of each mode
//   L_0  m, of all waves shorter than the modes     rho  kg/m^3, density of the medium
//   W    square roots of the shares of its water that a particle has, below 1 where other layers
//        are close (shared_water.c)
//
// R is symmetric and positive, and the mass of the cloth for its normal velocities is m + R. The
// modes diagonalise it where W = 1: with the mass per area sigma of the cloth,
//
//     (sigma A + R)^-1 = A^-1/M_0 + Phi diag(1/M_j - 1/M_0) Phi^T,   M = sigma + rho L
//
// Other diagonals are handled by iteration (kick.c). Where pins hold particles (p), whose velocity
// is given, the forces f that hold them are unknown:
//
//     u = (sigma A + R)^-1 (load + E f),   S f = u_p - E^T (sigma A + R)^-1 load
//     S = E^T (sigma A + R)^-1 E,          E: columns of the unit matrix for the particles p
//
// S has one row for each of them, and its Cholesky factor is kept as long as sigma stays the same.
// Along edges of a sheet that are held from end to end, and at held particles of meshes, the modes
// vanish: there the held particles move no water but their own layer L_0.
//
// For a long tube of the radius a that moves sideways, u = cos(angle), k = 1/a and L = 2 a: the
// mass is 2 rho pi a^2 per length, that of the water inside and of the added mass outside, which is
// exact. Where k tends to 0, a finite sheet has less water than 2/k. L is limited to that of a
// rigid rectangular plate, of the sides a <= b, that moves broadside,
//
//     L = pi/4 a C(b/a),   C(s) = s / sqrt(1 + s^2) (1 - 0.425 s / (1 + s^2))
//
// (exact for a long strip; C after Pabst [PAB30], 4 % below the accepted value for a square), or to
// b/pi, that of a wave of the length b, if that is more. b is the longest extent of the cloth and a
// its area over b. For tubes and other cloth that is not a piece with one border, the limit is the
// middle one of the three extents, for a long tube its diameter.
//
// The pressure drag acts on the smooth part of the motion, Phi G Phi^T A u, with one coefficient,
// and on the rest with a smaller one. G_j = exp(-ln 2 (k_j/k_s)^4), where k_s is that of waves as
// long as the square root of the cloth's area.
#include "cloth/added_mass.h"

#include <math.h>
#include <string.h>

enum { HELD_MAX = 512 }; // particles that pins can hold; with more, the added mass is a layer

// Share G of a wave of wavenumber k in the smooth motion. ratio: k/k_s.
static double kept_filter(double ratio)
{
    return exp(-0.6931471805599453 * ratio * ratio * ratio * ratio);
}

// m, L of a rigid rectangular plate that moves broadside.
static double find_plate_length(double one, double other)
{
    double a = fmin(one, other), s = fmax(one, other) / a;
    return FM_PI / 4 * a * s / sqrt(1 + s * s) * (1 - 0.425 * s / (1 + s * s));
}

// m, the largest L: that of a rigid plate as large as the cloth, and not below that of a wave as
// long as the cloth. For a cloth that is not a piece with one border but a tube, or closed: its
// diameter.
static double find_longest(const fm_cloth *c, double area, bool *is_disc)
{
    double side[3] = {c->sheet.width, c->sheet.height, 0};
    bool disc = true;
    if (c->kind != FM_CLOTH_SHEET) {
        fm_vec3 low = c->initial_x[0], high = low;
        for (int i = 1; i < c->count; i++) {
            fm_vec3 x = c->initial_x[i];
            low = (fm_vec3){fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z)};
            high = (fm_vec3){fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z)};
        }
        side[0] = high.x - low.x, side[1] = high.y - low.y, side[2] = high.z - low.z;
        disc =
            c->kind == FM_CLOTH_MESH && c->count - c->mesh.edge_count + c->mesh.triangle_count == 1;
    }
    double longest = fmax(side[0], fmax(side[1], side[2]));
    double middle = fmax(fmin(side[0], side[1]), fmin(fmax(side[0], side[1]), side[2]));
    *is_disc = disc;
    if (!disc)
        return middle;
    longest = fmax(longest, sqrt(area));
    return fmax(find_plate_length(longest, area / longest), longest / FM_PI);
}

// Sets the length L, m, of each mode, and the share of each smooth mode in the smooth motion.
static void set_lengths(const fm_cloth *c, fm_added_mass *w)
{
    fm_surface_modes *m = &w->modes;
    double area = fm_cloth_rest_area(c);
    double smooth = 2 * FM_PI / sqrt(area), longest = find_longest(c, area, &w->is_disc);
    w->local = fmin(2 / m->local_wave, longest);
    w->smooth = 1 / smooth;
    for (int j = 0; j < m->count; j++)
        w->length[j] = fmin(2 / fmax(m->wave[j], 1e-9 * smooth), longest);
    for (int j = 0; j < w->smooth_modes.count; j++) {
        double k = w->smooth_modes.wave[j];
        w->filter[j] = isfinite(k) ? kept_filter(k / smooth) : 0;
    }
}

// Whether the particles have the cloth's mass per area; those of published fabric may not.
static bool is_mass_uniform(const fm_cloth *c)
{
    double sigma = c->def.density * c->def.thickness;
    for (int i = 0; i < c->count; i++) {
        if (fabs(c->mass[i] - sigma * c->area[i]) > 1e-9 * c->mass[i])
            return false;
    }
    return true;
}

// Allocates the added mass by wavelength, if the definition and the medium ask for it. False: out
// of memory.
bool fm_added_mass_create(fm_cloth *c, const fm_medium *medium, fm_error *err)
{
    const fm_drag *drag = &c->def.drag;
    if (drag->model != FM_DRAG_PHYSICAL || drag->added_mass >= 0 || !(medium->density > 0) ||
        c->line || !is_mass_uniform(c))
        return true;
    const char *name = c->object.name;
    size_t lanes = (size_t)c->lanes, size = sizeof(double);
    fm_arena *arena = &c->arena;
    fm_added_mass *w = fm_arena_alloc(arena, 1, sizeof *w, name, err);
    double shortest = sqrt(fm_cloth_rest_area(c)) / 2; // of the smooth motion
    if (!w || !fm_surface_modes_create(c, &w->modes, 0, err) ||
        !fm_surface_modes_create(c, &w->smooth_modes, shortest, err))
        return false;
    size_t count = (size_t)w->modes.count;
    w->length = fm_arena_alloc(arena, count, size, name, err);
    w->filter = fm_arena_alloc(arena, (size_t)w->smooth_modes.count, size, name, err);
    w->coefficient = fm_arena_alloc(arena, count, size, name, err);
    w->other = fm_arena_alloc(arena, count, size, name, err);
    w->smooth_coefficient = fm_arena_alloc(arena, (size_t)w->smooth_modes.count, size, name, err);
    w->root = fm_arena_alloc(arena, lanes, size, name, err);
    w->next_root = fm_arena_alloc(arena, lanes, size, name, err);
    w->share = fm_arena_alloc(arena, lanes, size, name, err);
    w->given = fm_arena_alloc(arena, lanes, size, name, err);
    w->area_now = fm_arena_alloc(arena, lanes, size, name, err);
    w->field = fm_arena_alloc(arena, lanes, size, name, err);
    w->smooth_field = fm_arena_alloc(arena, lanes, size, name, err);
    w->along = fm_arena_alloc(arena, lanes, size, name, err);
    w->change = fm_arena_alloc(arena, lanes, size, name, err);
    w->load = fm_arena_alloc(arena, lanes, size, name, err);
    w->force = fm_arena_alloc(arena, lanes, size, name, err);
    w->start = fm_arena_alloc(arena, lanes, size, name, err);
    w->is_held = fm_arena_alloc(arena, lanes, 1, name, err);
    w->next_held = fm_arena_alloc(arena, lanes, 1, name, err);
    w->vanishes = fm_arena_alloc(arena, lanes, 1, name, err);
    w->turned = fm_vec3_array_create(arena, c->lanes, err);
    if (err->status != FM_OK)
        return false;
    for (int i = 0; i < c->lanes; i++)
        w->root[i] = 1;
    double longest = find_longest(c, fm_cloth_rest_area(c), &w->is_disc);
    w->matters = medium->density * longest > c->def.density * c->def.thickness;
    c->added = w;
    fm_shared_water_create(c, err);
    return err->status == FM_OK;
}

// Whether the added mass depends on the wavelength (the modes are used). Otherwise it is a layer of
// constant thickness, or there is none. Cloth in a simulated fluid, or with more than HELD_MAX
// pinned particles, does not use the modes.
bool fm_added_mass_is_used(const fm_cloth *c)
{
    return c->added && !c->implicit && !c->samples && c->pinned_count <= HELD_MAX;
}

// Whether the modes are those for the particles held at time t. Lists these in next_held.
static bool are_modes_current(const fm_cloth *c, double t)
{
    fm_added_mass *w = c->added;
    memset(w->next_held, 0, (size_t)c->count);
    for (int p = 0; p < c->pinned_count; p++)
        w->next_held[c->pinned[p]] = fm_cloth_is_pinned(c, c->pinned[p], t);
    return w->computed && memcmp(w->next_held, w->is_held, (size_t)c->count) == 0;
}

// Computes modes and lengths for next_held, and which held particles the water couples to others.
static void compute_modes(const fm_cloth *c)
{
    fm_added_mass *w = c->added;
    memcpy(w->is_held, w->next_held, (size_t)c->count);
    if (!w->smooth_computed) // once, without pins
        w->smooth_computed = fm_surface_modes_compute(c, &w->smooth_modes, NULL, w->vanishes);
    w->computed = fm_surface_modes_compute(c, &w->modes, w->is_held, w->vanishes);
    set_lengths(c, w);
    w->coupled_count = 0;
    for (int p = 0; p < c->pinned_count && p < w->held_room; p++) {
        int i = c->pinned[p];
        if (!w->is_held[i] || w->vanishes[i])
            continue;
        fm_surface_modes_read(c, &w->modes, i,
                              w->coupled_shape + (size_t)w->coupled_count * (size_t)w->modes.count);
        w->coupled[w->coupled_count++] = i;
    }
    for (int k = 0; k < FM_MASS_SYSTEMS; k++)
        w->coupled_factor[k].count = -1;
}

// Computes modes and lengths again if the particles that pins hold at time t, s, are others.
void fm_added_mass_update(const fm_cloth *c, double t)
{
    if (!are_modes_current(c, t))
        compute_modes(c);
}

// Arrays for the particles of a sheet that pins may hold.
static bool make_room(fm_cloth *c, fm_error *err)
{
    fm_added_mass *w = c->added;
    const char *name = c->object.name;
    size_t n = (size_t)c->pinned_count, count = (size_t)w->modes.count;
    w->held_room = c->pinned_count;
    w->coupled = fm_arena_alloc(&c->arena, n, sizeof(int), name, err);
    w->coupled_value = fm_arena_alloc(&c->arena, n, sizeof(double), name, err);
    w->coupled_shape = fm_arena_alloc(&c->arena, n * count, sizeof(double), name, err);
    for (int k = 0; k < FM_MASS_SYSTEMS; k++)
        w->coupled_factor[k].factor = fm_arena_alloc(&c->arena, n * n, sizeof(double), name, err);
    w->computed = false;
    return err->status == FM_OK;
}

// Before substeps: makes room for the pins and computes the modes. False: out of memory.
bool fm_added_mass_begin(fm_cloth *c, fm_error *err)
{
    if (!fm_added_mass_is_used(c))
        return true;
    if (c->kind == FM_CLOTH_SHEET && c->pinned_count > c->added->held_room && !make_room(c, err))
        return false;
    fm_added_mass_update(c, c->time);
    return true;
}

// Normal velocities relative to the medium, into out.
void fm_added_mass_read_velocities(const fm_cloth *c, double *out)
{
    for (int i = 0; i < c->count; i++) {
        fm_vec3 u = fm_sub(fm_vec3_array_at(c->v, i), fm_vec3_array_at(c->w, i));
        out[i] = fm_dot(u, fm_vec3_array_at(c->normal, i));
    }
}

// Changes the normal velocities of particles that no pin holds from w->along to u, m/s, and records
// the change in w->start.
void fm_added_mass_change_velocities(fm_cloth *c, const double *u)
{
    fm_added_mass *w = c->added;
    for (int i = 0; i < c->count; i++) {
        double change = w->is_held[i] ? 0 : u[i] - w->along[i];
        fm_vec3 n = fm_vec3_array_at(c->normal, i);
        w->start[i] += change;
        c->v.x[i] += change * n.x, c->v.y[i] += change * n.y, c->v.z[i] += change * n.z;
    }
    w->jumped = true;
}

// Computes the modes for the particles that pins hold at the end of the substep. If there were
// modes before, changes the normal velocities so that the momentum along the normals stays:
// (m + R_new) u_new = (m + R_old) u_old. Here w->force holds this momentum, N s, and w->change the
// new velocities, m/s.
static void change_modes(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    fm_added_mass *w = c->added;
    double sigma = c->def.density * c->def.thickness;
    bool known = w->computed;
    fm_added_mass_read_velocities(c, w->along);
    if (known)
        fm_added_mass_apply(c, s->drag.density, w->along, w->force);
    compute_modes(c);
    if (!known)
        return;
    for (int i = 0; i < c->count; i++) {
        w->force[i] += sigma * c->area[i] * w->along[i];
        w->change[i] = w->along[i];
    }
    fm_shared_water_solve(s, w->force, w->change);
    fm_added_mass_change_velocities(c, w->change);
}

// At the end of a substep: computes new modes if pins let go of particles, with velocities that
// conserve the momentum along the normals, and applies new shares of water (shared_water.c).
void fm_added_mass_release(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    fm_added_mass *w = c->added;
    if (w->jumped)
        memset(w->start, 0, (size_t)c->lanes * sizeof *w->start);
    w->jumped = false;
    if (!are_modes_current(c, s->end))
        change_modes(s);
    if (w->shares_changed)
        fm_shared_water_change(s);
}

// Dot product of two vectors of n numbers.
FM_SIMD_CLONES
static double multiply(int n, const double *restrict a, const double *restrict b)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

// to += factor from, for vectors of n numbers.
FM_SIMD_CLONES
static void add_multiple(int n, double factor, const double *restrict from, double *restrict to)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        to[i] += factor * from[i];
}

// 1/M_j - 1/M_0, m^2/kg.
static double find_difference(const fm_added_mass *w, double sigma, double density, int j)
{
    return 1 / (sigma + density * w->length[j]) - 1 / (sigma + density * w->local);
}

// Cholesky's factor of S.
static void factorise_held(fm_cloth *c, fm_held_factor *f, double sigma, double density)
{
    fm_added_mass *w = c->added;
    int n = w->coupled_count, count = w->modes.count;
    f->sigma = sigma, f->density = density, f->count = n;
    for (int p = 0; p < n; p++) {
        for (int j = 0; j < count; j++)
            w->other[j] = w->coupled_shape[(size_t)p * (size_t)count + (size_t)j] *
                          find_difference(w, sigma, density, j);
        double *row = f->factor + (size_t)p * (size_t)n;
        for (int q = 0; q <= p; q++)
            row[q] = multiply(count, w->other, w->coupled_shape + (size_t)q * (size_t)count);
        row[p] += 1 / (c->area[w->coupled[p]] * (sigma + density * w->local));
    }
    for (int p = 0; p < n; p++) {
        double *row = f->factor + (size_t)p * (size_t)n;
        for (int q = 0; q <= p; q++) {
            const double *other = f->factor + (size_t)q * (size_t)n;
            double sum = row[q] - multiply(q, row, other);
            row[q] = q < p ? sum / other[q] : sqrt(sum);
        }
    }
}

// Solves S x = b by forward and back substitution. x: receives the solution, and is b before.
static void solve_held(const fm_held_factor *f, double *x)
{
    int n = f->count;
    for (int p = 0; p < n; p++) {
        const double *row = f->factor + (size_t)p * (size_t)n;
        x[p] = (x[p] - multiply(p, row, x)) / row[p];
    }
    for (int p = n - 1; p >= 0; p--) {
        const double *row = f->factor + (size_t)p * (size_t)n;
        x[p] /= row[p];
        add_multiple(p, -x[p], row, x);
    }
}

// Adds the forces that hold pinned particles: to `load`, and to the modes' velocities g.
static void add_holding_forces(fm_cloth *c, const fm_drag_step *step, fm_mass_system which,
                               double sigma, const double *u, double *load, double *g)
{
    fm_added_mass *w = c->added;
    fm_held_factor *f = &w->coupled_factor[which];
    int count = w->modes.count;
    if (f->count != w->coupled_count || f->sigma != sigma || f->density != step->density)
        factorise_held(c, f, sigma, step->density);
    for (int p = 0; p < w->coupled_count; p++) {
        const double *shape = w->coupled_shape + (size_t)p * (size_t)count;
        w->coupled_value[p] = u[w->coupled[p]] * w->root[w->coupled[p]] - multiply(count, shape, g);
    }
    solve_held(f, w->coupled_value);
    memset(w->other, 0, (size_t)count * sizeof *w->other);
    for (int p = 0; p < w->coupled_count; p++) {
        load[w->coupled[p]] = w->coupled_value[p];
        add_multiple(count, w->coupled_value[p], w->coupled_shape + (size_t)p * (size_t)count,
                     w->other);
    }
    for (int j = 0; j < count; j++)
        g[j] += w->other[j] * find_difference(w, sigma, step->density, j);
}

// Solves W (sigma A + R_1) W u = load for the free particles, R_1 being R without shares. u: m/s,
// given at the particles that pins hold. load: N s, overwritten. sigma: kg/m^2.
void fm_added_mass_solve(fm_cloth *c, fm_pool *pool, const fm_drag_step *step, fm_mass_system which,
                         double sigma, double *load, double *u)
{
    fm_added_mass *w = c->added;
    double density = step->density, local = 1 / (sigma + density * w->local), *g = w->coefficient;
    for (int i = 0; i < c->count && w->shared; i++)
        load[i] /= w->root[i];
    for (int p = 0; p < c->pinned_count; p++)
        load[c->pinned[p]] = w->is_held[c->pinned[p]] ? 0 : load[c->pinned[p]];
    fm_surface_modes_analyse(c, &w->modes, pool, load, g);
    for (int j = 0; j < w->modes.count; j++)
        g[j] *= 1 / (sigma + density * w->length[j]) - local;
    if (w->coupled_count > 0)
        add_holding_forces(c, step, which, sigma, u, load, g);
    fm_surface_modes_synthesise(c, &w->modes, pool, g, u);
    for (int i = 0; i < c->count; i++)
        u[i] = (u[i] + load[i] * local / c->area[i]) / w->root[i];
}

// out = A W u, m^3/s.
static void weigh_by_area(const fm_cloth *c, const double *u, double *out)
{
    for (int i = 0; i < c->count; i++)
        out[i] = c->area[i] * c->added->root[i] * u[i];
}

// out = Phi diag(filter) Phi^T field.
static void filter_field(const fm_cloth *c, fm_pool *pool, const double *field, double *out)
{
    const fm_added_mass *w = c->added;
    fm_surface_modes_analyse(c, &w->smooth_modes, pool, field, w->smooth_coefficient);
    for (int j = 0; j < w->smooth_modes.count; j++)
        w->smooth_coefficient[j] *= w->filter[j];
    fm_surface_modes_synthesise(c, &w->smooth_modes, pool, w->smooth_coefficient, out);
}

// out = Phi diag(G) Phi^T A u: the smooth part of the normal velocities u, m/s.
void fm_added_mass_smooth(const fm_cloth *c, fm_pool *pool, const double *u, double *out)
{
    for (int i = 0; i < c->count; i++)
        c->added->field[i] = c->area[i] * u[i];
    filter_field(c, pool, c->added->field, out);
}

// out = A Phi diag(G) Phi^T u: the transpose of fm_added_mass_smooth.
void fm_added_mass_smooth_transposed(const fm_cloth *c, fm_pool *pool, const double *u, double *out)
{
    filter_field(c, pool, u, out);
    for (int i = 0; i < c->count; i++)
        out[i] *= c->area[i];
}

// out = R u: momentum of the medium, N s, for normal velocities u, m/s. density: kg/m^3.
void fm_added_mass_apply(const fm_cloth *c, double density, const double *u, double *out)
{
    const fm_added_mass *w = c->added;
    weigh_by_area(c, u, w->field);
    fm_surface_modes_analyse(c, &w->modes, NULL, w->field, w->other);
    for (int j = 0; j < w->modes.count; j++)
        w->other[j] *= w->length[j] - w->local;
    fm_surface_modes_synthesise(c, &w->modes, NULL, w->other, out);
    for (int i = 0; i < c->count; i++)
        out[i] = density * w->root[i] * (w->local * w->field[i] + c->area[i] * out[i]);
}

// Kinetic energy of the medium that moves with the cloth, J, with that of the water between layers.
double fm_added_mass_energy(const fm_cloth *c, double density)
{
    const fm_added_mass *w = c->added;
    double sum = 0;
    fm_added_mass_update(c, c->time);
    fm_added_mass_read_velocities(c, w->along);
    fm_added_mass_apply(c, density, w->along, w->load);
    for (int i = 0; i < c->count; i++)
        sum += 0.5 * w->along[i] * w->load[i];
    return sum + fm_shared_water_energy(c, c->time);
}

// Computes the forces of the medium per area at each particle, N/m^2, against the normal: inertia,
// and pressure drag. The arrays are scratch of the added mass.
void fm_added_mass_find_forces(const fm_cloth *c, const fm_drag_step *step, const double **inertia,
                               const double **pressure)
{
    const fm_added_mass *w = c->added;
    fm_added_mass_update(c, c->time);
    fm_added_mass_read_velocities(c, w->along);
    for (int i = 0; i < c->count; i++)
        w->change[i] = fm_dot(fm_vec3_array_at(c->rate, i), fm_vec3_array_at(c->normal, i));
    fm_added_mass_apply(c, step->density, w->change, w->load);
    fm_added_mass_smooth(c, NULL, w->along, w->smooth_field);
    for (int i = 0; i < c->count; i++)
        w->smooth_field[i] *= c->area[i] * (1 - w->given[i]) * (step->pressure - step->ripple) *
                              fabs(w->smooth_field[i]);
    fm_added_mass_smooth_transposed(c, NULL, w->smooth_field, w->force);
    for (int i = 0; i < c->count; i++) {
        w->load[i] /= c->area[i];
        w->force[i] = w->force[i] / c->area[i] +
                      (1 - w->given[i]) * step->ripple * fabs(w->along[i]) * w->along[i];
    }
    *inertia = w->load;
    *pressure = w->force;
}

// The change of a mode's velocity a that an impulse can cause which changes it by d where no water
// beyond the local layer takes part. What slows the mode down counts fully until it is at rest, or
// taut cloth in a stream would keep a velocity without moving; the rest has to move the water, too.
static double limit_change(double a, double d, double ratio)
{
    double slowing = a * d < 0 ? (fabs(d) < fabs(a) ? d : -a) : 0;
    return slowing + ratio * (d - slowing);
}

// Reduces the velocity changes by contact and enforcement (c->jump, m/s), which were computed with
// the added mass of the shortest waves, to those with the added mass of each mode. Changes that
// slow a mode down stay (limit_change).
void fm_added_mass_limit_jumps(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    fm_added_mass *w = c->added;
    double sigma = c->def.density * c->def.thickness + s->drag.normal_history * s->drag.w0;
    double density = s->drag.density, *jump = w->load, *before = w->field, sum = 0;
    for (int i = 0; i < c->count; i++) {
        fm_vec3 n = fm_vec3_array_at(c->normal, i), d = fm_vec3_array_at(c->jump, i);
        double weight = c->area[i] * w->root[i], change = fm_dot(n, d);
        jump[i] = weight * change;
        before[i] = weight * (fm_dot(n, fm_vec3_array_at(c->v, i)) - change);
        sum += fabs(change);
    }
    if (sum == 0)
        return;
    fm_surface_modes_analyse(c, &w->modes, s->around.pool, before, w->other);
    fm_surface_modes_analyse(c, &w->modes, s->around.pool, jump, w->coefficient);
    for (int j = 0; j < w->modes.count; j++) {
        double d = w->coefficient[j];
        double ratio = (sigma + density * w->local) / (sigma + density * w->length[j]);
        w->coefficient[j] = (ratio < 1 ? limit_change(w->other[j], d, ratio) : d) - d;
    }
    fm_surface_modes_synthesise(c, &w->modes, s->around.pool, w->coefficient, w->field);
    for (int i = 0; i < c->count; i++) {
        if (fm_substep_is_pinned(s, i))
            continue;
        double change = w->field[i] / w->root[i];
        fm_vec3 n = fm_vec3_array_at(c->normal, i);
        c->v.x[i] += change * n.x, c->jump.x[i] += change * n.x;
        c->v.y[i] += change * n.y, c->jump.y[i] += change * n.y;
        c->v.z[i] += change * n.z, c->jump.z[i] += change * n.z;
    }
}
