// SPDX-License-Identifier: MIT
// pressure_solver.c: pressure of the constant-density method, by projection [CR99].
//
// Finds pressures P that make the velocities v, to which gravity and viscosity were added, free of
// divergence, and then changes the velocities by -h grad P (forces.c, with the same corrections as
// in the weakly compressible method). The pressures solve
//
//     sum_j w_ij (P_i - P_j) + B_i P_i = sum_j m_j V_j F_ij (v_i - v_j) . r_ij / h
//     w_ij = -2 V_j F_ij
//
// by conjugate gradients, preconditioned with the diagonal, from the pressures of the last substep.
// A second solve with the same matrix keeps the density, by displacements x_i -= grad q_i that
// change the volume by the share b of the excess density s, not by velocities:
//
//     sum_j w_ij (q_i - q_j) + B_i q_i = b s_i,    s_i = sum_j V_j W_ij - 1,
//     b = min(RECOVERY h c / R, RECOVERY_MAX)
//
// s < 0 counts inside the fluid only.
//
// Walls and colliders: m = 2, w = 0. The velocity of a boundary particle is that of the wall, and
// half-way to it is the face of the wall; 2 (v_i - v_wall) is the difference to the mirror image.
// No pressure difference acts across the face.
//
// Free surfaces: P = 0 at the distance d_i from the particle (find_surface_part). Neighbours that are
// missing beyond the surface have linear pressures:
//
//     B_i = 2 |sum_j V_j F_ij r_ij| / d_i
//
// and the divergence is that of the velocity gradient by least squares (local_gradients.h), if no
// wall is near. P < 0 is set to 0 there.
//
// Closed fluids, without a free surface: P is known up to a constant, and the matrix is singular.
// The mean is taken out of the right side, the least P is 0, and pressure acts by differences on all
// particles (forces.c): in sums over P_i + P_j the constant would push particles wherever the sum
// of kernel gradients is not 0, as beside a ball. A fluid that fills its domain (full_count) is
// closed even if gaps open: P = 0 at a few particles would make all of the mean divergence flow
// there.
//
// Moving domain: u is its displacement in the substep / h, and its acceleration is part of the
// pressure gradient at the walls (boundary_particles.c). Otherwise the fluid lags behind the walls
// and leaves gaps there.
//
// Colliders with a mass take part in the solve. Pressure gives a collider of mass M the velocity
// h/M sum_i P_i C_i, C_i = 2 rho V sum_j V_j F_ij r_ij over its boundary particles, and that
// velocity changes the divergence at i by -C_i/(rho V) times it: a symmetric matrix of rank 3. The
// forces between fluid and collider are these, and their boundary particles mirror the pressure of
// the fluid: with extrapolated pressures a light ball would be unstable.
//
//   P  pressure / rho0, m^2/s^2; the warm start stores P / c^2      h  step, s
//   rho  density at rest, kg/m^3    F_ij r_ij  kernel gradient      V  volume at rest, m^d
//
// [CR99] in docs/references.md
#include "particles/local_gradients.h"

#include <string.h>

static const double RECOVERY = 0.1; // rate of density recovery, in units of c / R
// Largest share of the excess density that a substep removes, and accuracy of that solve.
static const double RECOVERY_MAX = 0.25, RECOVERY_REDUCTION = 0.1;
static const float DISPLACEMENT_MAX = 0.1f; // by which it moves particles at most, in spacings
// Particles have missing neighbours beyond a free surface if |sum of kernel gradients| is more than
// this share of that in the outermost row of a lattice, or near a surface, and the fill below FULL.
static const float SURFACE_SLOPE = 0.5f, FULL = 0.99f;
// A particle whose diagonal times R^2 is below this has no neighbours.
static const float DIAGONAL_MIN = 1e-2f;
// The iteration ends when the residual is this share of the right side, or when the mean relative
// compression in a substep is below these shares of the tolerance of the definition.
static const double REDUCTION = 1e-2, PRESSURE_SHARE = 1e-3, RECOVERY_SHARE = 1e-2;

// Sums over the neighbours j of a particle, without the gradient scale F: of weights w_ij, of
// kernel gradients, also those of boundary particles alone, and of the rate of approach with the
// factors m_j.
typedef struct row_sums {
    fm_floats weight, x, y, z, approach, solid_x, solid_y, solid_z;
} row_sums;

// Adds eight neighbours j of particle i and returns their weights w_ij / (2 F). Boundary particles
// have s = NaN.
FM_INLINE fm_floats add_octet(row_sums *sum, const fm_density_record *i, const fm_density_octet *j,
                              float inverse, bool boundary)
{
    fm_floats dx = i->x - j->x, dy = i->y - j->y, dz = i->z - j->z;
    fm_floats r2 = dx * dx + dy * dy + dz * dz;
    fm_floats slope = j->V * fm_kernel_wendland_slope(fm_floats_sqrt(r2) * inverse);
    fm_floats approach =
        slope * ((i->vx - j->vx) * dx + (i->vy - j->vy) * dy + (i->vz - j->vz) * dz);
    fm_floats weight = fm_floats_select(r2 > 0, -slope);
    if (boundary) {
        fm_ints solid = j->s != j->s; // NOLINT: true for NaN
        approach += fm_floats_select(solid, approach);
        weight = fm_floats_select(~solid, weight);
        fm_floats of_solid = fm_floats_select(solid, slope);
        sum->solid_x += of_solid * dx;
        sum->solid_y += of_solid * dy;
        sum->solid_z += of_solid * dz;
    }
    sum->weight += weight;
    sum->x += slope * dx;
    sum->y += slope * dy;
    sum->z += slope * dz;
    sum->approach += approach;
    return weight;
}

// Adds to the diagonal of particle i what a free surface does: B_i. S: sum of kernel gradients over
// its neighbours, 1/m; solid: that over boundary particles alone. A gap towards boundary particles
// is no free surface. The distance from the surface is 1/2 spacing in the outermost row, 3/2 in the
// next. Near these it hardly depends on |S|: crowded particles at the surface would otherwise have
// more pressure, and waves periods that are 1 % too short.
static float find_surface_part(const fm_particles *p, int i, bool beside, const float S[3],
                               const float solid[3])
{
    const float *rows = p->row_slope;
    float length = sqrtf(S[0] * S[0] + S[1] * S[1] + S[2] * S[2]);
    float towards = S[0] * solid[0] + S[1] * solid[1] + S[2] * solid[2];
    float solid2 = solid[0] * solid[0] + solid[1] * solid[1] + solid[2] * solid[2];
    bool open = p->fill[i] < FULL && (beside || length > SURFACE_SLOPE * rows[0]);
    if (!open || (towards < 0 && towards * towards > length * length * solid2 / 4))
        return 0;
    float u = fminf(fmaxf((rows[0] - length) / (rows[0] - rows[1]), 0), 1);
    return 2 * length / ((float)p->def.spacing * (0.5f + u * u * (3 - 2 * u)));
}

// The weights of a stored neighbour list, which begins at `start` of the block of particle i.
static float *find_weights(const fm_particles *p, int i, int start)
{
    return p->pair_weight + (size_t)(i / FM_PARTICLES_BLOCK) * (size_t)p->list_capacity + start;
}

// Adds the fluid neighbours, or the boundary and ghost neighbours, of particle i and stores their
// weights. Returns the number of neighbours.
FM_INLINE int add_neighbours(row_sums *sum, fm_particles *p, int i, bool boundary)
{
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    const float inverse = (float)(1 / p->R), scale = 2 * p->F;
    const fm_density_record *at = &p->fluid.density[i];
    const fm_density_record *records = boundary ? p->boundary.density : p->fluid.density;
    const int *list = boundary ? fm_neighbours_in_boundary(p, i, buffer, &count, &padding)
                               : fm_neighbours_in_fluid(p, i, buffer, &count, &padding);
    int start = boundary ? p->near_boundary_start[i] : p->list_start[i];
    float *weights = start >= 0 ? find_weights(p, i, start) : NULL;
    for (int b = 0; b < count; b += 8) {
        int repeated = boundary && b + 8 == count ? padding : 0;
        fm_density_octet j = fm_records_load_density(records, list + b, repeated);
        fm_floats weight = scale * add_octet(sum, at, &j, inverse, boundary);
        if (weights)
            memcpy(weights + b, &weight, sizeof weight);
    }
    return count;
}

// Computes the row of particle i: weights, diagonal and right side.
FM_INLINE void compute_row(const fm_particles_step *step, int i, float recovery)
{
    fm_particles *p = step->p;
    const bool beside = atomic_load_explicit(&p->beside_surface[i], memory_order_relaxed);
    row_sums sum = {0};
    add_neighbours(&sum, p, i, false);
    int near_count = add_neighbours(&sum, p, i, true);
    float diagonal = 2 * p->F * fm_floats_sum(sum.weight);
    float rate = p->F * fm_floats_sum(sum.approach), s = p->fill[i] - 1;
    const float S[3] = {p->F * fm_floats_sum(sum.x), p->F * fm_floats_sum(sum.y),
                        p->F * fm_floats_sum(sum.z)};
    const float solid[3] = {p->F * fm_floats_sum(sum.solid_x), p->F * fm_floats_sum(sum.solid_y),
                            p->F * fm_floats_sum(sum.solid_z)};
    float open = p->count >= p->full_count ? 0 : find_surface_part(p, i, beside, S, solid);
    p->is_surface[i] = open > 0;
    diagonal += open;
    if (beside && near_count == 0) {
        int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
        const int *list = fm_neighbours_in_fluid(p, i, buffer, &count, &padding);
        fm_gradients found = p->def.dimensions == 2 ? fm_gradients_find(p, i, list, count, true)
                                                    : fm_gradients_find(p, i, list, count, false);
        if (found.known)
            rate = -(found.strain.xx + found.strain.yy +
                     (p->def.dimensions == 3 ? found.strain.zz : 0));
    }
    bool isolated = diagonal * (float)(p->R * p->R) < DIAGONAL_MIN ||
                    p->fill[i] < p->self_fill + FM_SPRAY_FILL; // spray has no pressure
    p->diagonal[i] = isolated ? 0 : diagonal;
    p->residual[i] = isolated ? 0 : rate / (float)step->h;
    p->excess[i] = isolated ? 0 : recovery * (s > 0 || !beside ? s : 0);
    p->pressure_sum[i] = isolated ? 0 : (float)(p->c * p->c) * p->warm_start->now[i];
}

// Computes the rows of the particles first to below last.
FM_SIMD_CLONES static void compute_rows(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    const fm_particles *p = step->p;
    const float recovery = (float)fmin(RECOVERY * p->c / p->R * step->h, RECOVERY_MAX);
    for (int i = first; i < last; i++)
        compute_row(step, i, recovery);
}

// Sum of w_ij x_j over a list with stored weights; x: one number every `stride` floats.
FM_INLINE float sum_weighted(const float *weights, const int *list, int count, const float *x,
                             int stride)
{
    fm_floats sum = {0};
    for (int b = 0; b < count; b += 8) {
        fm_floats value;
        for (int k = 0; k < 8; k++)
            value[k] = x[(size_t)list[b + k] * (size_t)stride];
        sum += fm_floats_load(weights + b) * value;
    }
    return fm_floats_sum(sum);
}

// As sum_weighted, for a particle whose list is not stored.
FM_INLINE float sum_searched(const fm_particles *p, int i, const float *x)
{
    int buffer[FM_NEIGHBOURS_CAPACITY], padding;
    int count = fm_neighbours_find_fluid(p, i, buffer, &padding);
    float total = 0;
    for (int b = 0; b < count; b += 8) {
        row_sums sum = {0};
        fm_density_octet j = fm_records_load_density(p->fluid.density, buffer + b, 0);
        fm_floats weight =
            2 * p->F * add_octet(&sum, &p->fluid.density[i], &j, (float)(1 / p->R), false);
        total += sum_weighted((const float *)&weight, buffer + b, 8, x, 1);
    }
    return total;
}

// product = matrix times pressure_change, for the particles first to below last, without colliders
// with a mass. Returns the sum of pressure_change times product.
FM_SIMD_CLONES static double multiply_range(void *context, int first, int last)
{
    const fm_particles *p = ((const fm_particles_step *)context)->p;
    const float *x = p->pressure_change;
    double sum = 0;
    for (int i = first; i < last; i++) {
        float others = 0;
        size_t block = (size_t)(i / FM_PARTICLES_BLOCK) * (size_t)p->list_capacity;
        if (p->list_start[i] >= 0)
            others = sum_weighted(find_weights(p, i, p->list_start[i]),
                                  p->lists + block + p->list_start[i], p->list_count[i], x, 1);
        else
            others = sum_searched(p, i, x);
        if (p->has_ghosts && p->near_boundary_start[i] >= 0)
            others += sum_weighted(find_weights(p, i, p->near_boundary_start[i]),
                                   p->lists + block + p->near_boundary_start[i],
                                   p->near_boundary_count[i], &p->boundary.force[0].P,
                                   (int)(sizeof(fm_force_record) / sizeof(float)));
        p->product[i] = p->diagonal[i] > 0 ? p->diagonal[i] * x[i] - others : 0;
        sum += (double)x[i] * (double)p->product[i];
    }
    return sum;
}

// Copies pressure_change to the ghost particles, and 0 to boundary particles.
static void update_ghosts(const fm_particles *p)
{
    for (int k = 0; k < p->wet_count && p->has_ghosts; k++) {
        int i = p->wet[k];
        p->boundary.force[i].P =
            fm_boundary_is_ghost(p, i) ? p->pressure_change[p->identity[i].owner.index] : 0;
    }
}

// Lists C_i of all particles beside colliders with a mass.
static void find_body_links(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    p->body_link_count = 0;
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    for (int k = 0; k < step->around->collider_count; k++) {
        const fm_collider *body = step->around->colliders[k];
        if (!body->rigid)
            continue;
        for (int i = 0; i < p->count && p->body_link_count < p->capacity; i++) {
            if (p->near_boundary_start[i] >= 0 && p->near_boundary_count[i] == 0)
                continue;
            const fm_density_record *at = &p->fluid.density[i];
            const int *list = fm_neighbours_in_boundary(p, i, buffer, &count, &padding);
            fm_vec3 C = {0}, H = {0};
            for (int b = 0; b < count - padding; b++) {
                const fm_density_record *j = &p->boundary.density[list[b]];
                if (p->identity[list[b]].owner.kind != FM_OWNER_COLLIDER ||
                    p->identity[list[b]].owner.index != k)
                    continue;
                fm_vec3 r = {at->x - j->x, at->y - j->y, at->z - j->z};
                fm_floats q = {(float)(fm_length(r) / p->R)};
                double slope = (double)(p->F * j->V * fm_kernel_wendland_slope(q)[0]);
                C = fm_add_scaled(C, r, 2 * slope);
                H = fm_add_scaled(H, r, -slope * fm_dot(r, step->around->gravity));
            }
            if (fm_dot(C, C) > 0)
                p->body_links[p->body_link_count++] = (fm_body_link){i, k, C, C, H};
        }
    }
}

// Changes C_i in proportion to its length, so that its sum over the particles beside a body is 0: in
// closed fluids a constant pressure, which is not known, must not push the body.
static void balance_body_links(fm_particles *p)
{
    for (int first = 0; first < p->body_link_count;) {
        int body = p->body_links[first].body, last = first;
        fm_vec3 sum = {0};
        double lengths = 0; // 1/m
        for (; last < p->body_link_count && p->body_links[last].body == body; last++) {
            sum = fm_add(sum, p->body_links[last].C);
            lengths += fm_length(p->body_links[last].C);
        }
        for (; first < last; first++) {
            fm_body_link *link = &p->body_links[first];
            link->C = fm_add_scaled(link->C, sum, -fm_length(link->C) / lengths);
        }
    }
}

// Adds the part of colliders with a mass to `product`. Returns what it adds to the sum of
// pressure_change times product.
static double multiply_bodies(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    double sum = 0;
    for (int first = 0; first < p->body_link_count;) {
        int body = p->body_links[first].body, last = first;
        fm_vec3 force = {0}; // divided by rho V
        for (; last < p->body_link_count && p->body_links[last].body == body; last++)
            force = fm_add_scaled(force, p->body_links[last].C,
                                  (double)p->pressure_change[p->body_links[last].particle]);
        double ratio = fm_particles_mass(p) / step->around->colliders[body]->rigid->mass;
        for (; first < last; first++)
            p->product[p->body_links[first].particle] +=
                (float)(ratio * fm_dot(p->body_links[first].C, force));
        sum += ratio * fm_dot(force, force);
    }
    return sum;
}

// product = matrix times pressure_change. Returns the product of both.
static double multiply(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    update_ghosts(p);
    double sum = fm_parallel_sum(step->around->pool, p->count, FM_PARTICLES_BLOCK, multiply_range,
                                 (void *)step, p->partial);
    return sum + multiply_bodies(step);
}

// One update of the conjugate gradients.
typedef struct gradient_step {
    fm_particles *p;
    float along; // step along the search direction
    float reuse; // share of the last direction in the next
    double mean; // of the residual
} gradient_step;

// Sum of the residuals of the particles first to below last.
static double sum_residual(void *context, int first, int last)
{
    const fm_particles *p = ((const gradient_step *)context)->p;
    double sum = 0;
    for (int i = first; i < last; i++)
        sum += (double)p->residual[i];
    return sum;
}

// Sum of r^2 / diagonal.
static double sum_scaled_squares(void *context, int first, int last)
{
    const fm_particles *p = ((const gradient_step *)context)->p;
    double sum = 0;
    for (int i = first; i < last; i++)
        if (p->diagonal[i] > 0)
            sum += (double)p->residual[i] * (double)p->residual[i] / (double)p->diagonal[i];
    return sum;
}

// Adds the residuals of the particles first to below last, without signs.
static double sum_compression(void *context, int first, int last)
{
    const fm_particles *p = ((const gradient_step *)context)->p;
    double sum = 0;
    for (int i = first; i < last; i++)
        sum += fabs((double)p->residual[i]);
    return sum;
}

// residual -= along product, pressure_sum += along pressure_change.
static void advance_range(void *context, int first, int last)
{
    const gradient_step *g = context;
    fm_particles *p = g->p;
    for (int i = first; i < last; i++) {
        p->pressure_sum[i] += g->along * p->pressure_change[i];
        p->residual[i] -= g->along * p->product[i];
    }
}

// The next search direction.
static void turn_range(void *context, int first, int last)
{
    const gradient_step *g = context;
    fm_particles *p = g->p;
    for (int i = first; i < last; i++)
        p->pressure_change[i] = (p->diagonal[i] > 0 ? p->residual[i] / p->diagonal[i] : 0) +
                                g->reuse * p->pressure_change[i];
}

// residual -= mean.
static void subtract_mean(void *context, int first, int last)
{
    const gradient_step *g = context;
    for (int i = first; i < last; i++)
        if (g->p->diagonal[i] > 0)
            g->p->residual[i] -= (float)g->mean;
}

// True when the fluid has a free surface, where the pressure is known.
static bool has_surface(const fm_particles *p)
{
    for (int i = 0; i < p->count; i++)
        if (p->is_surface[i])
            return true;
    return false;
}

// Makes the least pressure 0 in fluids without a free surface, whose pressure is known up to a
// constant.
static void raise_pressures(fm_particles *p)
{
    float least = INFINITY;
    if (has_surface(p))
        return;
    for (int i = 0; i < p->count; i++)
        least = fminf(least, p->pressure_sum[i]);
    for (int i = 0; i < p->count; i++)
        p->pressure_sum[i] -= least;
}

// Takes the mean out of the residual in fluids without a free surface: their matrix is singular,
// and the volume of all particles together cannot change.
static void balance_residual(fm_pool *pool, gradient_step *g)
{
    fm_particles *p = g->p;
    if (has_surface(p))
        return;
    g->mean =
        fm_parallel_sum(pool, p->count, FM_PARTICLES_BLOCK, sum_residual, g, p->partial) / p->count;
    fm_parallel_for(pool, p->count, FM_PARTICLES_LARGE_BLOCK, subtract_mean, g);
}

// Solves for p->pressure_sum, from its present value. p->residual: the right side. reduction: of the
// residual relative to the right side. Ends earlier when the mean residual is below `least`.
// Returns the mean residual.
static double iterate(const fm_particles_step *step, double reduction, double least)
{
    fm_particles *p = step->p;
    fm_pool *pool = step->around->pool;
    gradient_step g = {.p = p};
    const int n = p->count, block = FM_PARTICLES_BLOCK, large = FM_PARTICLES_LARGE_BLOCK;
    balance_residual(pool, &g);
    double start = fm_parallel_sum(pool, n, block, sum_scaled_squares, &g, p->partial);
    // residual of the warm start: subtract its product
    memcpy(p->pressure_change, p->pressure_sum, (size_t)n * sizeof(float));
    multiply(step);
    for (int i = 0; i < n; i++)
        p->residual[i] -= p->product[i];
    double squares = fm_parallel_sum(pool, n, block, sum_scaled_squares, &g, p->partial);
    double mean = 0;
    for (int k = 0; k < p->def.iterations; k++) {
        mean = fm_parallel_sum(pool, n, block, sum_compression, &g, p->partial) / n;
        if (squares <= reduction * reduction * start || mean < least)
            break;
        fm_parallel_for(pool, n, large, turn_range, &g);
        double curvature = multiply(step);
        p->stats.iteration_count++;
        if (!(curvature > 0))
            break;
        g.along = (float)(squares / curvature);
        fm_parallel_for(pool, n, large, advance_range, &g);
        double next = fm_parallel_sum(pool, n, block, sum_scaled_squares, &g, p->partial);
        g.reuse = (float)(next / squares);
        squares = next;
    }
    return mean;
}

// Makes the excess density that a substep removes the right side of a solve.
static void begin_recovery(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    for (int i = first; i < last; i++) {
        p->residual[i] = p->excess[i];
        p->pressure_sum[i] = 0;
    }
}

// Adds the displacements that restore the density: dx -= grad q.
FM_SIMD_CLONES static void add_recovery(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    const float largest = DISPLACEMENT_MAX * (float)p->def.spacing;
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    for (int i = first; i < last; i++) {
        const int *list = fm_neighbours_in_fluid(p, i, buffer, &count, &padding);
        fm_gradients found = p->def.dimensions == 2 ? fm_gradients_find(p, i, list, count, true)
                                                    : fm_gradients_find(p, i, list, count, false);
        float length =
            sqrtf(found.s[0] * found.s[0] + found.s[1] * found.s[1] + found.s[2] * found.s[2]);
        float scale = length > largest ? largest / length : 1;
        p->dx[i] -= scale * found.s[0];
        p->dy[i] -= scale * found.s[1];
        p->dz[i] -= scale * found.s[2];
    }
}

// Copies q to the records.
static void update_recovery_records(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    for (int i = first; i < last; i++)
        p->fluid.density[i].s = p->pressure_sum[i];
}

// Copies velocities and densities to the records, which the rows read.
static void update_velocity_records(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    for (int i = first; i < last; i++) {
        fm_density_record *record = &p->fluid.density[i];
        record->vx = p->now.vx[i];
        record->vy = p->now.vy[i];
        record->vz = p->now.vz[i];
    }
}

// Stores the pressures as the result, as the next warm start and in the records.
static void store_pressure(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    const float inverse_c2 = (float)(1 / (p->c * p->c));
    for (int i = first; i < last; i++) {
        const bool beside = atomic_load_explicit(&p->beside_surface[i], memory_order_relaxed);
        float P = p->pressure_sum[i];
        if (P < 0 && (beside || p->fill[i] > FM_CLUMP_FILL))
            P = 0;
        p->P[i] = P;
        p->warm_start->now[i] = inverse_c2 * P;
        p->fluid.force[i].P = P;
        p->fluid.density[i].s = inverse_c2 * P;
    }
}

// Gradients of the pressures by least squares.
FM_SIMD_CLONES static void find_gradients(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    const float c2 = (float)(p->c * p->c);
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    for (int i = first; i < last; i++) {
        const int *list = fm_neighbours_in_fluid(p, i, buffer, &count, &padding);
        fm_gradients found = p->def.dimensions == 2 ? fm_gradients_find(p, i, list, count, true)
                                                    : fm_gradients_find(p, i, list, count, false);
        p->pressure_gradient[i] =
            (fm_pressure_slope){c2 * found.s[0], c2 * found.s[1], c2 * found.s[2]};
    }
}

// v += h a
static void kick_range(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    const float h = (float)step->h;
    for (int i = first; i < last; i++) {
        p->now.vx[i] += h * p->ax[i];
        p->now.vy[i] += h * p->ay[i];
        p->now.vz[i] += h * p->az[i];
    }
}

// Subtracts the same acceleration from all particles, so that the fluid loses the momentum that
// colliders with a mass gain. force: on these, divided by the mass of a particle, m/s^2.
static void balance_bodies(fm_particles *p, fm_vec3 force)
{
    fm_vec3 sum = force;
    for (int i = 0; i < p->count; i++)
        sum = fm_add(sum, (fm_vec3){p->ax[i], p->ay[i], p->az[i]});
    for (int i = 0; i < p->count; i++) {
        p->ax[i] -= (float)(sum.x / p->count);
        p->ay[i] -= (float)(sum.y / p->count);
        p->az[i] -= (float)(sum.z / p->count);
    }
}

// Adds to the forces between fluid and colliders with a mass the part of the pressure of their
// boundary particles, which mirror that of the fluid: P_j = P_i + g . (x_j - x_i). The force records
// of these have P = 0. In closed fluids the particles beside them feel -grad P instead.
static void push_bodies(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    fm_vec3 sum = {0};
    for (int k = 0; k < p->body_link_count; k++) {
        const fm_body_link *link = &p->body_links[k];
        const int i = link->particle;
        fm_vec3 pairs = fm_scale(link->pairs, (double)p->P[i] / 2); // in the forces of pairs
        fm_vec3 a = fm_sub(fm_add_scaled(link->H, link->C, (double)p->P[i]), pairs);
        p->ax[i] = step->closed ? -p->pressure_gradient[i].x : p->ax[i] - (float)a.x;
        p->ay[i] = step->closed ? -p->pressure_gradient[i].y : p->ay[i] - (float)a.y;
        p->az[i] = step->closed ? -p->pressure_gradient[i].z : p->az[i] - (float)a.z;
        sum = fm_add(sum, fm_add(a, pairs));
        fm_collider *body = step->around->colliders[link->body];
        fm_collider_add_impulse(body, body->rigid->centre,
                                fm_scale(a, step->h * fm_particles_mass(p)));
    }
    if (step->closed && p->body_link_count > 0 && !p->has_walls)
        balance_bodies(p, sum);
}

// Sets the pressures in all force records to 0, so that forces have no pressure part.
void fm_pressure_clear(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    for (int i = 0; i < p->count; i++)
        p->fluid.force[i].P = 0;
    for (int k = 0; k < p->wet_count; k++)
        p->boundary.force[p->wet[k]].P = 0;
}

// Moves particles so that the density returns to that at rest.
static void restore_density(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    fm_pool *pool = step->around->pool;
    void *context = (void *)step;
    fm_parallel_for(pool, p->count, FM_PARTICLES_LARGE_BLOCK, begin_recovery, context);
    iterate(step, RECOVERY_REDUCTION, RECOVERY_SHARE * p->def.tolerance);
    fm_parallel_for(pool, p->count, FM_PARTICLES_LARGE_BLOCK, update_recovery_records, context);
    fm_parallel_for(pool, p->count, FM_PARTICLES_BLOCK, add_recovery, context);
}

// Velocity and acceleration of a moving domain. The velocity is that of its displacement in this
// substep, so that fluid that moves with the walls keeps its distance from them.
static void find_wall_motion(fm_particles_step *step)
{
    const double t = step->t, h = step->h;
    if (!step->p->def.domain.motion)
        return;
    fm_vec3 before = fm_particles_domain_offset(step->p, fmax(t - h, 0), NULL);
    fm_vec3 after = fm_particles_domain_offset(step->p, t + h, NULL);
    fm_vec3 old = fm_scale(fm_sub(step->offset, before), 1 / h);
    step->domain_velocity = fm_scale(fm_sub(after, step->offset), 1 / h);
    step->domain_acceleration = fm_scale(fm_sub(step->domain_velocity, old), 1 / h);
}

// Finds the pressures, and changes velocities of fluid and colliders with a mass by them.
void fm_pressure_solve(const fm_particles_step *substep)
{
    fm_particles_step pressure_step = *substep, *step = &pressure_step;
    fm_particles *p = step->p;
    fm_pool *pool = step->around->pool;
    void *context = step;
    step->pressure_only = true;
    int n = p->count;
    if (n == 0)
        return;
    fm_parallel_for(pool, n, FM_PARTICLES_LARGE_BLOCK, update_velocity_records, context);
    find_wall_motion(step);
    fm_boundary_update_ghosts(step);
    fm_boundary_predict_velocities(step);
    fm_parallel_for(pool, n, FM_PARTICLES_BLOCK, compute_rows, context);
    step->closed = !has_surface(p);
    find_body_links(step);
    if (step->closed)
        balance_body_links(p);
    const double h2 = step->h * step->h;
    p->stats.compression = h2 * iterate(step, REDUCTION, PRESSURE_SHARE * p->def.tolerance / h2);
    raise_pressures(p);
    fm_parallel_for(pool, n, FM_PARTICLES_BLOCK, store_pressure, context);
    fm_parallel_for(pool, n, FM_PARTICLES_BLOCK, find_gradients, context);
    fm_boundary_extrapolate(step);
    fm_forces_compute_shifted(step);
    fm_boundary_push_colliders(step);
    push_bodies(step);
    fm_parallel_for(pool, n, FM_PARTICLES_LARGE_BLOCK, kick_range, context);
    restore_density(step);
}

// Creates the array of the warm start: P / c^2 of each particle, with which the next pressure
// iteration begins. It is a term (extension of the fluid, terms.h), so it is sorted and saved with
// the particles.
static void *create_warm_start(fm_particles *p, const fm_surroundings *around, fm_error *err)
{
    (void)around;
    if (p->def.method != FM_SPH_CONSTANT_DENSITY)
        return NULL;
    return p->warm_start = fm_particle_scalar_create(p, err);
}

// Takes the initial pressures as the first warm start.
static void begin_warm_start(fm_particles *p, void *state)
{
    fm_particle_scalar *warm = state;
    for (int i = 0; i < p->count; i++)
        warm->now[i] = (float)(p->P[i] / (p->c * p->c));
}

// Emitted particles, from index `first` on, start with pressure 0.
static void clear_warm_start(fm_particles *p, void *state, int first)
{
    fm_particle_scalar_clear(state, first, p->count);
}

// Sorts the warm start (pressures of the last substep) with the particles.
static void reorder_warm_start(fm_particles *p, void *state, const fm_particle_order *order)
{
    (void)p;
    fm_particle_scalar_reorder(state, order);
}

// Writes the warm start (pressures of the last substep) to `out`; NULL: the size only.
static size_t save_warm_start(const fm_particles *p, const void *state, unsigned char *out)
{
    const fm_particle_scalar *warm = state;
    size_t size = (size_t)p->count * sizeof *warm->now;
    if (out && size)
        memcpy(out, warm->now, size);
    return size;
}

// Reads the warm start (pressures of the last substep) from the bytes of a snapshot.
static bool restore_warm_start(fm_particles *p, void *state, int count, const unsigned char *in,
                               size_t size, fm_error *err)
{
    fm_particle_scalar *warm = state;
    if (size != 0 && size != (size_t)count * sizeof *warm->now)
        return fm_fail_number(err, p->object.name, "state of the pressure", (double)size,
                              "as many pressures as particles");
    if (size > 0)
        memcpy(warm->now, in, size);
    return true;
}

// Hash of the warm start (pressures of the last substep).
static uint64_t hash_warm_start(const fm_particles *p, const void *state, uint64_t seed)
{
    const fm_particle_scalar *warm = state;
    return fm_hash(warm->now, (size_t)p->count * sizeof *warm->now, seed);
}

const fm_fluid_term_type fm_warm_start_term = {
    .name = "warm start",
    .create = create_warm_start,
    .begin = begin_warm_start,
    .emit = clear_warm_start,
    .reorder = reorder_warm_start,
    .save = save_warm_start,
    .restore = restore_warm_start,
    .hash = hash_warm_start,
};
