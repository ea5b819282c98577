// SPDX-License-Identifier: MIT
// bend_damping.c: the force term of bending damping, of fractional order.
//
// A bent cloth resists with the moment per width
//
//     M = B kappa + C D^q kappa
//
//   kappa  1/m, curvature     B  N m, bending rigidity (sheet_bending.c, hinge_bending.c)
//   C  N m s^q, coefficient   q  order in (0, 1]     D^q  fractional derivative in time
//
// so that a wave of wavenumber k on a sheet of sigma kg/m^2 decays at the rate C k^4 / (2 sigma),
// 1/s, if q = 1. The elements are those of the bending energy: second differences and twists of a
// sheet, hinges of a tube or mesh. Each measures a vector S that is 0 when flat and whose part
// along the normal n is the bending b:
//
//     S = sum_i a_i x_i,   b = n . S,   n = P x Q / |P x Q|
//     a = (1, -2, 1), (1, -1, -1, 1), or the shares of a hinge
//     P, Q: from neighbour to neighbour across and down, or the diagonals of a cell or hinge
//
// The normal turns with the particles it is made of, so that a rotation of the whole cloth does not
// change b. The gradient of b at every particle points along n:
//
//     db/dt = n . sum_i alpha_i v_i,   alpha_i = a_i + e_i
//     e = +-(Q x S) . n / |P x Q| at the ends of P,   +-(S x P) . n / |P x Q| at those of Q
//     force on particle i: -c alpha_i n D^q b     c: C times the stiffness of the element over B
//
// Hence momentum and angular momentum are conserved and a rigid rotation is not damped, because the
// memory stores the number b and not vectors. e is the part of the gradient that comes from the
// turning normal; it is 0 unless the cloth stretches unevenly. Where it is above TURN_LIMIT, in
// crumpled cells, the damping of the element is reduced.
//
// As in damping.c the derivative at the new time is w0 db/dt + known: the rate at the new time
// times the newest weight of the memory, plus a part that follows from past rates. The elements
// give the impulses
//
//     J = -(h/2n) c s (w0 db/dt + known),   s = min(1, MARGIN / ((h/2n) w0 G)) at each particle,
//     G = sum_e c_e |alpha_ie| (sum_j |alpha_je|) / m_i     over the elements e at particle i
//
//   h  s, substep     m_i  kg, mass of a particle     n  number of sweeps over the elements
//
// All elements of a sweep use the same velocities. The smallest s of an element's particles
// applies. Since (sum alpha_i u_i)^2 <= sum |alpha_i| sum |alpha_i| u_i^2, a sweep takes less
// kinetic energy than there is, for any C and h. n is 1 unless that makes s < 1, and at most
// MAX_SWEEPS. Where s is still below 1, less than C acts, and the report contains s
// (damping_share). The order in h is 2 - q, as with damped springs.
#include "cloth/cloth.h"

#include <math.h>

enum { MAX_SWEEPS = 4 };              // a sweep costs about a third of a substep
static const double TURN_LIMIT = 0.1; // largest |e| of a sheet at full damping; there |a| is 1 or 2
static const double MARGIN = 0.95;    // largest share of the kinetic energy that a sweep may take

// The elements of a sheet are grouped by particle i: a "cross" is the pair of second differences
// (across and down) of particle i and its four neighbours; a "cell" is the twist of the cell to the
// lower right of it. The elements of a tube or mesh are its hinges, which use the arrays of cells.
// P, Q, e and J are defined at the head of this file.
typedef struct bend_damping {
    double *load;        // s^(q-2), G of each particle
    double largest_load; // s^(q-2), largest G of all particles

    // scratch: recomputed in every sweep
    fm_vec3_array cross_normal, cell_normal; // n of crosses and of cells or hinges
    double *across, *down;                   // J of the two second differences of a cross
    double *cross_p, *cross_q;               // sums of e J over both, at the ends of P and of Q
    double *cell;                            // J of the twist or hinge
    double *cell_p, *cell_q;                 // e J of the twist or hinge, at the ends of P and of Q
    double *rate; // db/dt: three arrays (across, down, twist), or one number for each hinge
} bend_damping;

// Inputs of a pass over the elements.
typedef struct pass {
    fm_cloth *cloth;
    bend_damping *own;
    const fm_vec3_array *x, *v; // m, m/s, positions and velocities
    // part of D^q b at the new time that follows from past rates, laid out as `rate`; NULL: 0
    const double *known;
    double scale; // h/2n for impulses, 1 for forces, 0: only rates are wanted
    double w0;    // weight of the newest rate in D^q b
    bool limited; // reduces impulses by s; false: s = 1
} pass;

// n rounded up to a multiple of FM_LANES.
static int count_lanes(int n)
{
    return fm_parallel_block_count(n, FM_LANES) * FM_LANES;
}

// The unit normal n of an element, and inverse = 1/|P x Q|.
typedef struct plane {
    double x, y, z, inverse;
} plane;
// The normal of the plane through P and Q; 0 if they are parallel.
FM_INLINE plane find_plane(fm_vec3 p, fm_vec3 q)
{
    double x = p.y * q.z - p.z * q.y, y = p.z * q.x - p.x * q.z, z = p.x * q.y - p.y * q.x;
    double inverse = 1 / sqrt(x * x + y * y + z * z + 1e-300); // never divides by 0
    return (plane){x * inverse, y * inverse, z * inverse, inverse};
}
// Component of v along the normal.
FM_INLINE double project(plane n, fm_vec3 v)
{
    return n.x * v.x + n.y * v.y + n.z * v.z;
}
// (a x b) . n / |P x Q|: with (a, b) = (Q, S) or (S, P) the coefficient e at the ends of P or Q, by
// which the turning of the normal changes the bending b.
FM_INLINE double find_normal_turn(plane n, fm_vec3 a, fm_vec3 b)
{
    return n.inverse * (n.x * (a.y * b.z - a.z * b.y) + n.y * (a.z * b.x - a.x * b.z) +
                        n.z * (a.x * b.y - a.y * b.x));
}
// Factor on the damping of an element whose coefficients e at the ends of P and Q are ep and eq: 1
// if both are at most `limit`, else (limit / larger one)^2. Without branches, for vector code.
FM_INLINE double weaken(double ep, double eq, double limit)
{
    double a = ep * ep, b = eq * eq;
    double share = limit * limit / ((a > b ? a : b) + FM_TINY);
    return share < 1 ? share : 1;
}

// Vector at index i + o of the component arrays fx, fy, fz.
#define AT(f, o) ((fm_vec3){f##x[i + (o)], f##y[i + (o)], f##z[i + (o)]})
FM_INLINE fm_vec3 subtract(fm_vec3 a, fm_vec3 b)
{
    return (fm_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
// a - 2 b + c
FM_INLINE fm_vec3 second_difference(fm_vec3 a, fm_vec3 b, fm_vec3 c)
{
    return (fm_vec3){a.x - 2 * b.x + c.x, a.y - 2 * b.y + c.y, a.z - 2 * b.z + c.z};
}

// A run of elements in a row of a sheet; all arrays begin at its first element. "one" is the second
// difference across or the twist, "other" the second difference down.
typedef struct run {
    const double *x, *y, *z, *u, *v, *w;    // m, m/s, positions and velocities
    const double *load;                     // G of the particles
    const double *one_known, *other_known;  // parts of D^q b that follow from past rates
    const double *weight;                   // 1/2 in the first and last column, else 1
    int left, right, up, down;              // offsets of the neighbours; 0 beyond the border
    double one, other;                      // (h/2n) c of the two elements; 0: there is none
    double w0, limit;                       // limit: MARGIN / ((h/2n) w0)
    double *nx, *ny, *nz, *j_one, *j_other; // output: normals, and J of the two elements
    double *p, *q;                          // output: sums of e J at the ends of P and of Q
    double *one_rate, *other_rate;          // output: db/dt of the two elements
} run;

// Damping impulses J and bending rates db/dt of the second differences across and down at n
// particles (symbols at the head of this file). P, Q: vectors from the left to the right and from
// the upper to the lower neighbour, which span the plane k; S, T: second differences of the
// positions; (sp, sq), (tp, tq): their coefficients e at the ends of P and of Q; s, t: their rates;
// g: largest load G of the neighbours; share: minus the share of J that is stable; js, jt: J.
FM_SIMD_CLONES
static void compute_second_differences(int n, const run *restrict l)
{
    const double *xx = l->x, *xy = l->y, *xz = l->z, *vx = l->u, *vy = l->v, *vz = l->w;
    int left = l->left, right = l->right, up = l->up, down = l->down;
    double w0 = l->w0, limit = l->limit;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        fm_vec3 P = subtract(AT(x, right), AT(x, left)), Q = subtract(AT(x, down), AT(x, up));
        fm_vec3 S = second_difference(AT(x, left), AT(x, 0), AT(x, right));
        fm_vec3 T = second_difference(AT(x, up), AT(x, 0), AT(x, down));
        plane k = find_plane(P, Q);
        double p = project(k, subtract(AT(v, right), AT(v, left)));
        double q = project(k, subtract(AT(v, down), AT(v, up)));
        double sp = find_normal_turn(k, Q, S), sq = find_normal_turn(k, S, P);
        double tp = find_normal_turn(k, Q, T), tq = find_normal_turn(k, T, P);
        double s = project(k, second_difference(AT(v, left), AT(v, 0), AT(v, right)));
        double t = project(k, second_difference(AT(v, up), AT(v, 0), AT(v, down)));
        s += sp * p + sq * q;
        t += tp * p + tq * q;
        double ga = l->load[i + left] > l->load[i + right] ? l->load[i + left] : l->load[i + right];
        double gb = l->load[i + up] > l->load[i + down] ? l->load[i + up] : l->load[i + down];
        double g = ga > gb ? ga : gb, most = limit / ((g > l->load[i] ? g : l->load[i]) + FM_TINY);
        double share = -(most < 1 ? most : 1);
        double js = share * l->one * weaken(sp, sq, TURN_LIMIT) * (w0 * s + l->one_known[i]);
        double jt = share * l->other * l->weight[i] * weaken(tp, tq, TURN_LIMIT) *
                    (w0 * t + l->other_known[i]);
        l->nx[i] = k.x, l->ny[i] = k.y, l->nz[i] = k.z;
        l->j_one[i] = js, l->j_other[i] = jt;
        l->p[i] = js * sp + jt * tp, l->q[i] = js * sq + jt * tq;
        l->one_rate[i] = s, l->other_rate[i] = t;
    }
}

// Damping impulses J and bending rates db/dt of the twists of n cells (symbols at the head of this
// file). P, Q: diagonals of a cell, which span the plane k; S, R: twist of the positions and of the
// velocities; ep, eq: coefficients e at the ends of P and of Q; ga, gb: largest load G of two
// corners; most: share of J that is stable.
FM_SIMD_CLONES
static void compute_twists(int n, const run *restrict l)
{
    const double *xx = l->x, *xy = l->y, *xz = l->z, *vx = l->u, *vy = l->v, *vz = l->w;
    int right = l->right, down = l->down, far = right + down;
    double w0 = l->w0, limit = l->limit;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        fm_vec3 P = subtract(AT(x, far), AT(x, 0)), Q = subtract(AT(x, down), AT(x, right));
        fm_vec3 S = subtract(subtract(AT(x, 0), AT(x, right)), subtract(AT(x, down), AT(x, far)));
        fm_vec3 R = subtract(subtract(AT(v, 0), AT(v, right)), subtract(AT(v, down), AT(v, far)));
        plane k = find_plane(P, Q);
        double ep = find_normal_turn(k, Q, S), eq = find_normal_turn(k, S, P);
        double rate = project(k, R) + ep * project(k, subtract(AT(v, far), AT(v, 0))) +
                      eq * project(k, subtract(AT(v, down), AT(v, right)));
        double ga = l->load[i] > l->load[i + right] ? l->load[i] : l->load[i + right];
        double gb = l->load[i + down] > l->load[i + far] ? l->load[i + down] : l->load[i + far];
        double most = limit / ((ga > gb ? ga : gb) + FM_TINY);
        double j = -(most < 1 ? most : 1) * l->one * weaken(ep, eq, TURN_LIMIT) *
                   (w0 * rate + l->one_known[i]);
        l->nx[i] = k.x, l->ny[i] = k.y, l->nz[i] = k.z;
        l->j_one[i] = j, l->p[i] = j * ep, l->q[i] = j * eq;
        l->one_rate[i] = rate;
    }
}

// The arrays of a run of elements that begins at particle i. cells: twists of cells, instead of
// second differences. The memory stores the three kinds of elements one after another, `lanes`
// apart.
static run view_run(const pass *p, int i, bool cells)
{
    fm_cloth *c = p->cloth;
    bend_damping *own = p->own;
    size_t lanes = (size_t)c->lanes;
    const fm_vec3_array *n = cells ? &own->cell_normal : &own->cross_normal;
    const double *known = p->known ? p->known + i + (cells ? 2 * lanes : 0) : c->zeros.x + i;
    return (run){.x = p->x->x + i,
                 .y = p->x->y + i,
                 .z = p->x->z + i,
                 .u = p->v->x + i,
                 .v = p->v->y + i,
                 .w = p->v->z + i,
                 .load = own->load + i,
                 .one_known = known,
                 .other_known = p->known ? known + lanes : known,
                 .weight = c->column_weight + i % c->columns,
                 .w0 = p->w0,
                 .limit = p->limited ? MARGIN / (p->scale * p->w0) : INFINITY,
                 .nx = n->x + i,
                 .ny = n->y + i,
                 .nz = n->z + i,
                 .j_one = (cells ? own->cell : own->across) + i,
                 .j_other = own->down + i,
                 .p = (cells ? own->cell_p : own->cross_p) + i,
                 .q = (cells ? own->cell_q : own->cross_q) + i,
                 .one_rate = own->rate + i + (cells ? 2 * lanes : 0),
                 .other_rate = own->rate + lanes + i};
}

// Second differences of the columns [first, last) of row r. Their neighbours must all exist, unless
// it is a single column at the border; that column then stands for its missing neighbour.
static void compute_second_difference_run(const pass *p, int r, int first, int last)
{
    fm_cloth *c = p->cloth;
    double ratio = c->def.bend.damping.coefficient / c->def.bend.stiffness * p->scale;
    bool top = r == 0, bottom = r == c->rows - 1;
    run l = view_run(p, r * c->columns + first, false);
    l.left = first > 0 ? -1 : 0, l.right = last < c->columns ? 1 : 0;
    l.up = top ? 0 : -c->columns, l.down = bottom ? 0 : c->columns;
    l.one = l.left && l.right ? ratio * c->bend_across * (top || bottom ? 0.5 : 1) : 0;
    l.other = l.up && l.down ? ratio * c->bend_down : 0;
    compute_second_differences(last - first, &l);
}

// Impulses and rates of the elements of rows [first, last) of a sheet. The first and the last
// column are runs of their own, because they have no neighbour on one side.
static void compute_rows(void *context, int first, int last)
{
    const pass *p = context;
    fm_cloth *c = p->cloth;
    double ratio = c->def.bend.damping.coefficient / c->def.bend.stiffness * p->scale;
    int n = c->columns;
    for (int r = first; r < last; r++) {
        compute_second_difference_run(p, r, 0, 1);
        if (n > 2)
            compute_second_difference_run(p, r, 1, n - 1);
        compute_second_difference_run(p, r, n - 1, n);
        if (r == c->rows - 1)
            continue;
        run l = view_run(p, r * n, true);
        l.right = 1, l.down = n, l.one = ratio * c->bend_twist;
        compute_twists(n - 1, &l);
    }
}

// out += normal (a u + b w), element by element, for n elements.
FM_SIMD_CLONES
static void add_products(int n, const double *restrict normal, double a, const double *restrict u,
                         double b, const double *restrict w, double *restrict out)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        out[i] += normal[i] * (a * u[i] + b * w[i]);
}

// One component (x, y or z) of the impulses at the particles of row r: sums alpha_i n J over the
// elements that a particle belongs to. N, M: this component of the normals of crosses and of cells.
// A, D: J of second differences across and down; P, Q: e J of crosses; J: J of cells; X, Y: e J of
// cells.
static void gather_row(const fm_cloth *c, const bend_damping *own, int r, const double *N,
                       const double *M, double *out)
{
    int n = c->columns, row = r * n;
    const double *A = own->across + row, *D = own->down + row, *P = own->cross_p + row;
    const double *Q = own->cross_q + row, *J = own->cell + row;
    const double *X = own->cell_p + row, *Y = own->cell_q + row;
    bool above = r > 0, below = r < c->rows - 1;
    N += row, M += row, out += row;
    for (int i = 0; i < n; i++)
        out[i] = 0;
    add_products(n, N, -2, A, -2, D, out);
    add_products(n - 1, N, 1, A, 1, P, out + 1);
    add_products(n - 1, N + 1, 1, A + 1, -1, P + 1, out);
    out[0] -= N[0] * P[0];
    out[n - 1] += N[n - 1] * P[n - 1];
    add_products(n, above ? N - n : N, above, above ? D - n : D, 1, above ? Q - n : c->zeros.x,
                 out);
    add_products(n, below ? N + n : N, below, below ? D + n : D, -1, below ? Q + n : c->zeros.x,
                 out);
    if (!above)
        add_products(n, N, 0, D, -1, Q, out);
    if (!below)
        add_products(n, N, 0, D, 1, Q, out);
    if (below) {
        add_products(n - 1, M, 1, J, -1, X, out);
        add_products(n - 1, M, -1, J, -1, Y, out + 1);
    }
    if (above) {
        add_products(n - 1, M - n, -1, J - n, 1, Y - n, out);
        add_products(n - 1, M - n, 1, J - n, 1, X - n, out + 1);
    }
}

// Sums the impulses at the particles of rows [first, last) of a sheet, into cloth->pair.
static void gather_rows(void *context, int first, int last)
{
    const pass *p = context;
    fm_cloth *c = p->cloth;
    const bend_damping *own = p->own;
    for (int r = first; r < last; r++) {
        gather_row(c, own, r, own->cross_normal.x, own->cell_normal.x, c->pair.x);
        gather_row(c, own, r, own->cross_normal.y, own->cell_normal.y, c->pair.y);
        gather_row(c, own, r, own->cross_normal.z, own->cell_normal.z, c->pair.z);
    }
}

// The largest |e| of hinge h at full damping, 1/m: TURN_LIMIT times the larger share of its
// opposite corners.
static double find_turn_limit(const fm_spring_mesh *mesh, int h)
{
    return TURN_LIMIT * fmax(fabs(mesh->hinge_share[2][h]), fabs(mesh->hinge_share[3][h]));
}

// sum_k share_k f_k: the vector S of hinge h for the positions f of its four particles, or dS/dt
// for their velocities.
static fm_vec3 sum_shares(const fm_spring_mesh *mesh, int h, const fm_vec3 f[4])
{
    fm_vec3 sum = {0, 0, 0};
    for (int k = 0; k < 4; k++)
        sum = fm_add_scaled(sum, f[k], mesh->hinge_share[k][h]);
    return sum;
}

// Damping impulses J and bending rates db/dt of the hinges [first, last) of a tube or mesh (symbols
// at the head of this file). P: the shared edge; Q: the line between the opposite corners; ep, eq:
// coefficients e at their ends; load: largest load G of the four particles, which limits the share
// of J that is stable; known: part of the derivative that follows from past rates.
static void compute_hinges(void *context, int first, int last)
{
    const pass *p = context;
    const fm_cloth_def *def = &p->cloth->def;
    const fm_spring_mesh *mesh = &p->cloth->mesh;
    bend_damping *own = p->own;
    double ratio = def->bend.damping.coefficient / def->bend.stiffness * p->scale;
    double limit = p->limited ? MARGIN / (p->scale * p->w0) : INFINITY;
    for (int h = first; h < last; h++) {
        fm_vec3 x[4], v[4];
        double load = FM_TINY;
        for (int k = 0; k < 4; k++) {
            int i = mesh->hinge[k][h];
            x[k] = fm_vec3_array_at(*p->x, i), v[k] = fm_vec3_array_at(*p->v, i);
            load = fmax(load, own->load[i]);
        }
        fm_vec3 P = fm_sub(x[1], x[0]), Q = fm_sub(x[2], x[3]), S = sum_shares(mesh, h, x);
        plane n = find_plane(P, Q);
        double ep = find_normal_turn(n, Q, S), eq = find_normal_turn(n, S, P);
        double rate = project(n, sum_shares(mesh, h, v)) + ep * project(n, fm_sub(v[1], v[0])) +
                      eq * project(n, fm_sub(v[2], v[3]));
        double share = fmin(1, limit / load) * weaken(ep, eq, find_turn_limit(mesh, h));
        double known = p->known ? p->known[h] : 0;
        double j = -share * ratio * mesh->hinge_stiffness[h] * (p->w0 * rate + known);
        own->cell_normal.x[h] = n.x, own->cell_normal.y[h] = n.y, own->cell_normal.z[h] = n.z;
        own->cell[h] = j, own->cell_p[h] = j * ep, own->cell_q[h] = j * eq;
        own->rate[h] = rate;
    }
}

// Sums the impulses of the hinges at the particles [first, last), into cloth->pair.
static void gather_hinges(void *context, int first, int last)
{
    // signs of e at the four particles of a hinge, which are the ends of P and of Q
    static const double p_sign[4] = {-1, 1, 0, 0}, q_sign[4] = {0, 0, 1, -1};
    const pass *p = context;
    fm_cloth *c = p->cloth;
    const fm_spring_mesh *mesh = &c->mesh;
    const bend_damping *own = p->own;
    for (int i = first; i < last; i++) {
        fm_vec3 sum = {0, 0, 0};
        for (int k = mesh->hinges.start[i]; k < mesh->hinges.start[i + 1]; k++) {
            int h = mesh->hinges.entry[k] / 4, corner = mesh->hinges.entry[k] % 4;
            double j = mesh->hinge_share[corner][h] * own->cell[h] +
                       p_sign[corner] * own->cell_p[h] + q_sign[corner] * own->cell_q[h];
            sum = fm_add_scaled(sum, fm_vec3_array_at(own->cell_normal, h), j);
        }
        c->pair.x[i] = sum.x, c->pair.y[i] = sum.y, c->pair.z[i] = sum.z;
    }
}

// Computes impulses and rates of all elements of the cloth.
static void compute_elements(pass *p, fm_pool *pool)
{
    fm_cloth *c = p->cloth;
    if (c->kind == FM_CLOTH_SHEET)
        fm_parallel_for(pool, c->rows, c->row_block, compute_rows, p);
    else
        fm_parallel_for(pool, c->mesh.hinge_count, FM_ELEMENT_BLOCK, compute_hinges, p);
}

// Computes the impulses of all elements and sums them at each particle, into cloth->pair.
static void sum_impulses(pass *p, fm_pool *pool)
{
    fm_cloth *c = p->cloth;
    compute_elements(p, pool);
    if (c->kind == FM_CLOTH_SHEET)
        fm_parallel_for(pool, c->rows, c->row_block, gather_rows, p);
    else
        fm_parallel_for(pool, c->count, FM_PARTICLE_BLOCK, gather_hinges, p);
}

// Applies the impulses in cloth->pair to the velocities of the particles [first, last).
static void apply_range(void *context, int first, int last)
{
    fm_substep *s = context;
    fm_cloth *c = s->cloth;
    fm_kick_apply_impulses(c, &s->drag, &c->pair, first, last);
    fm_substep_set_pinned_velocities(s, &c->x, &c->v, first, last);
}

// Computes the damping impulses of a substep in as many sweeps as the load needs, at most
// MAX_SWEEPS. Applies the impulses of all sweeps but the last, which the caller applies. Without a
// memory the order is 1 and w0 = 1.
static void find_impulses(fm_cloth *c, fm_term *term, const fm_substep *s)
{
    bend_damping *own = term->data;
    pass p = {.cloth = c, .own = own, .x = &c->x, .v = &c->v, .w0 = 1, .limited = true};
    if (term->memory) {
        p.w0 = fm_memory_newest_weight(term->memory, s->h);
        fm_terms_predict_elements(term, s->around.pool);
        p.known = term->known.x;
    }
    double wanted = ceil(s->h / 2 * p.w0 * own->largest_load / MARGIN);
    int sweeps = (int)fmax(1, fmin(wanted, MAX_SWEEPS));
    p.scale = s->h / (2 * sweeps);
    for (int n = 1; n < sweeps; n++) {
        sum_impulses(&p, s->around.pool);
        fm_parallel_for(s->around.pool, c->count, FM_PARTICLE_BLOCK, apply_range, c->substep);
    }
    sum_impulses(&p, s->around.pool);
}

// Adds the damping force; none is limited. The explicit integrators use the derivative at the
// beginning of the substep: all of D^q b is in term->known. The implicit ones use the derivative at
// the end of the stage.
static void add_forces(fm_cloth *c, fm_term *term, const fm_evaluation *at)
{
    if (!at->is_explicit && !at->stage)
        return;
    pass p = {.cloth = c, .own = term->data, .x = at->x, .v = at->v, .scale = 1, .w0 = 1};
    if (term->memory)
        p.known = term->known.x, p.w0 = 0;
    if (term->memory && at->stage) {
        fm_terms_predict_elements(term, at->pool);
        p.w0 = fm_memory_newest_weight(term->memory, at->stage->interval);
    }
    sum_impulses(&p, at->pool);
    for (int i = 0; i < c->count; i++) {
        c->force.x[i] += c->pair.x[i];
        c->force.y[i] += c->pair.y[i];
        c->force.z[i] += c->pair.z[i];
    }
}

// Whether the cloth has bending damping.
static bool applies(const fm_cloth *c)
{
    const fm_cloth_def *def = &c->def;
    bool has_elements = c->kind == FM_CLOTH_SHEET || c->mesh.hinge_count > 0;
    return def->bend.damping.coefficient > 0 && def->bend.stiffness > 0 &&
           def->bend.model == FM_BEND_RIGIDITY && has_elements;
}

// Adds coefficient |alpha_i| sum |alpha| / m_i of one element to the loads G of its particles, with
// |alpha| at most |a| + e_max. coefficient: c of the element; particle[count]: its particles, with
// the weights a; ends: the ends of P and Q, which may be among the particles.
static void add_load(const fm_cloth *c, double *load, double coefficient, const int *particle,
                     const double *a, int count, const int ends[4], double e_max)
{
    double sum = 4 * e_max;
    for (int k = 0; k < count; k++)
        sum += fabs(a[k]);
    for (int k = 0; k < count; k++)
        load[particle[k]] += coefficient * fabs(a[k]) * sum / c->mass[particle[k]];
    for (int k = 0; k < 4; k++)
        load[ends[k]] += coefficient * e_max * sum / c->mass[ends[k]];
}

// Computes the loads G of the particles of a sheet. ratio: damping coefficient C over the bending
// rigidity B, s^q.
static void add_sheet_loads(const fm_cloth *c, double ratio, double *load)
{
    static const double second[3] = {1, -2, 1}, twist[4] = {1, -1, -1, 1}; // a of the elements
    int n = c->columns;
    for (int i = 0; i < c->count; i++) {
        int row = i / n, column = i % n;
        bool edge_row = row == 0 || row == c->rows - 1,
             edge_column = column == 0 || column == n - 1;
        int ends[4] = {column > 0 ? i - 1 : i, column < n - 1 ? i + 1 : i, row > 0 ? i - n : i,
                       row < c->rows - 1 ? i + n : i};
        int across[3] = {ends[0], i, ends[1]}, down[3] = {ends[2], i, ends[3]};
        if (!edge_column)
            add_load(c, load, ratio * c->bend_across * (edge_row ? 0.5 : 1), across, second, 3,
                     ends, TURN_LIMIT);
        if (!edge_row)
            add_load(c, load, ratio * c->bend_down * c->column_weight[column], down, second, 3,
                     ends, TURN_LIMIT);
        int cell[4] = {i, i + 1, i + n, i + n + 1};
        if (row < c->rows - 1 && column < n - 1)
            add_load(c, load, ratio * c->bend_twist, cell, twist, 4, cell, TURN_LIMIT);
    }
}

// Computes the loads G of the particles of a tube or mesh. ratio: damping coefficient C over the
// bending rigidity B, s^q.
static void add_hinge_loads(const fm_cloth *c, double ratio, double *load)
{
    const fm_spring_mesh *mesh = &c->mesh;
    for (int h = 0; h < mesh->hinge_count; h++) {
        int particle[4];
        double a[4];
        for (int k = 0; k < 4; k++)
            particle[k] = mesh->hinge[k][h], a[k] = mesh->hinge_share[k][h];
        add_load(c, load, ratio * mesh->hinge_stiffness[h], particle, a, 4, particle,
                 find_turn_limit(mesh, h));
    }
}

// Allocates the arrays of the elements and computes the loads G. The memory has three lanes per
// particle of a sheet, or one per hinge of a mesh: term->lanes is a third of the lanes, rounded up.
static bool setup(fm_cloth *c, fm_term *term, fm_error *err)
{
    bool sheet = c->kind == FM_CLOTH_SHEET;
    const char *name = c->object.name;
    int lanes = sheet ? c->lanes : count_lanes(c->mesh.hinge_count);
    bend_damping *own = fm_arena_alloc(&c->arena, 1, sizeof *own, name, err);
    if (!own)
        return false;
    term->data = own;
    term->lanes = sheet ? lanes : count_lanes((lanes + 2) / 3);
    double **arrays[] = {&own->cell, &own->cell_p,  &own->cell_q, &own->across,
                         &own->down, &own->cross_p, &own->cross_q};
    for (int k = 0; k < (sheet ? 7 : 3); k++)
        *arrays[k] = fm_arena_alloc(&c->arena, (size_t)lanes, sizeof(double), name, err);
    own->load = fm_arena_alloc(&c->arena, (size_t)c->lanes, sizeof(double), name, err);
    own->rate = fm_arena_alloc(&c->arena, 3 * (size_t)term->lanes, sizeof(double), name, err);
    own->cell_normal = fm_vec3_array_create(&c->arena, lanes, err);
    if (sheet)
        own->cross_normal = fm_vec3_array_create(&c->arena, lanes, err);
    if (err->status != FM_OK)
        return false;
    double ratio = c->def.bend.damping.coefficient / c->def.bend.stiffness;
    if (sheet)
        add_sheet_loads(c, ratio, own->load);
    else
        add_hinge_loads(c, ratio, own->load);
    for (int i = 0; i < c->count; i++)
        own->largest_load = fmax(own->largest_load, own->load[i]);
    return true;
}

bool fm_cloth_needs_bend_memory(const fm_cloth_def *def)
{
    return def->bend.damping.coefficient > 0 && def->bend.damping.order < 1 &&
           def->bend.stiffness > 0 && def->bend.model == FM_BEND_RIGIDITY;
}

// Whether bending damping has a memory, and its settings.
static bool define_memory(const fm_cloth *c, const fm_medium *medium, fm_recall *memory,
                          double *order)
{
    (void)medium;
    *memory = c->def.bend.damping.memory;
    *order = c->def.bend.damping.order;
    return fm_cloth_needs_bend_memory(&c->def);
}

// The rates db/dt of all elements at the final velocities, to be pushed into the memory. With the
// scale 0 the pass computes no impulses.
static const double *find_element_rates(fm_cloth *c, fm_term *term, fm_pool *pool)
{
    bend_damping *own = term->data;
    pass p = {.cloth = c, .own = own, .x = &c->x, .v = &c->v};
    compute_elements(&p, pool);
    return own->rate;
}

// The smallest share s of the damping coefficient that acts at the current substep; 1: all of it.
// Only kick-drift-kick limits the impulses.
double fm_cloth_bend_damping_share(const fm_cloth *c)
{
    const fm_term *term = fm_cloth_find_term(c, &fm_bend_damping_term);
    if (!term || c->def.integrator != FM_KICK_DRIFT_KICK)
        return 1;
    const bend_damping *own = term->data;
    double w0 = term->memory ? fm_memory_newest_weight(term->memory, c->step) : 1;
    return fmin(1, MARGIN * MAX_SWEEPS / (c->step / 2 * w0 * own->largest_load + FM_TINY));
}

// The damping acts along the normals of the elements only; the second derivatives are those of
// damping in all directions, an upper bound.
static void add_hessian(const fm_cloth *c, const fm_term *term, const fm_implicit_stage *stage,
                        fm_hessian_factors *factors)
{
    double w0 = term->memory ? fm_memory_newest_weight(term->memory, stage->interval) : 1;
    factors->bending += c->def.bend.damping.coefficient / c->def.bend.stiffness * w0 / stage->tau;
}

const fm_term_type fm_bend_damping_term = {
    .name = "bend damping",
    .add_hessian = add_hessian,
    .applies = applies,
    .setup = setup,
    .add_forces = add_forces,
    .find_impulses = find_impulses,
    .define_memory = define_memory,
    .find_element_rates = find_element_rates,
};
