// SPDX-License-Identifier: MIT
// pressure_matrix.c: matrix and right side of the pressure of the constant-density method, and the
// conjugate gradients that solve for it.
//
//     sum_j w_ij (P_i - P_j) + B_i P_i + (rho V / M) C_i . sum_k C_k P_k = right side_i
//
// w_ij, B_i, C_i, the two right sides and all other symbols are those of pressure_solver.c. Weights
// are stored with the neighbour lists. The iteration is preconditioned with the diagonal of w and
// B. In closed fluids, without a free surface, the matrix is singular, and the mean is taken out of
// the right side. Sums are in blocks of particles, so that they have the same bits for any number
// of threads.
#include "particles/pressure_matrix.h"

#include "particles/local_gradients.h"
#include "particles/sheet_pressure.h"

#include <string.h>

static const double RECOVERY = 0.1;      // rate of density recovery, in units of c / R
static const double RECOVERY_MAX = 0.25; // largest share of the excess that a substep removes
// Particles have missing neighbours beyond a free surface if |sum of kernel gradients| is more than
// this share of that in the outermost row of a lattice, or near a surface, and the fill below FULL.
static const float SURFACE_SLOPE = 0.5f, FULL = 0.99f;
// Largest relative change of the depth below a free surface by a strained lattice; rows whose fill
// changes less than this with the strain do not show it.
static const float STRETCH_MAX = 0.3f, STRETCH_RATE_MIN = 0.05f;
// Fast fluid: |v|^2 above this, in units of gravity times spacing.
static const double FAST = 4;
// Excess of the kernel sum over the density on a lattice that is strained 4 : 1, relative to the
// unevenness of its second moments (local_gradients.h). In 2D only: with a support of two spacings
// the two are no longer in proportion, and columns of water would be compressed.
static const float UNEVEN_EXCESS = 0.6f;
// A particle whose diagonal times R^2 is below this has no neighbours.
static const float DIAGONAL_MIN = 1e-2f;

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

// Row below a free surface of a particle with this |sum of kernel gradients|, 1/m: 0 is the
// outermost, 1 the next.
static float find_row(const fm_particles *p, float slope)
{
    const float *rows = p->row_slope;
    float u = fminf(fmaxf((rows[0] - slope) / (rows[0] - rows[1]), 0), 1);
    return u * u * (3 - 2 * u);
}

// Depth of a particle below the free surface, m: 1/2 spacing in the outermost row, 3/2 in the next,
// longer where the lattice is stretched across the surface, which raises the fill. Without that,
// the top of a wave of height a and wave number k would be low by k a / 2 spacings, and its period
// 1 to 2 % too long at 2 cm. slope: |sum of kernel gradients|, 1/m.
static float find_depth(const fm_particles *p, float slope, float fill)
{
    const float u = find_row(p, slope);
    float expected = p->row_fill[0] + u * (p->row_fill[1] - p->row_fill[0]);
    float rate = p->row_stretch[0] + u * (p->row_stretch[1] - p->row_stretch[0]);
    float stretch = rate > STRETCH_RATE_MIN ? (fill - expected) / rate : 0;
    return (float)p->def.spacing * (0.5f + u) *
           (1 + fminf(fmaxf(stretch, -STRETCH_MAX), STRETCH_MAX));
}

// Depth of particle i below the free surface beside a wall, m. Boundary particles above the surface
// count as missing, those below it as fluid. T: sum of kernel gradients over the fluid without its
// part towards the wall, 1/m, into the fluid.
static float find_depth_beside_wall(const fm_particles *p, int i, const float T[3], float slope)
{
    const fm_density_record *at = &p->fluid.density[i];
    const float spacing = (float)p->def.spacing;
    float fill = p->fill[i], full = slope, depth = 0; // full: as if mirrored at the wall
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    const int *list = fm_neighbours_in_boundary(p, i, buffer, &count, &padding);
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < count - padding; k++) {
            const fm_density_record *j = &p->boundary.density[list[k]];
            if (j->s == j->s) // not NaN: a ghost particle
                continue;
            const float dx = at->x - j->x, dy = at->y - j->y, dz = at->z - j->z;
            const fm_floats q = {sqrtf(dx * dx + dy * dy + dz * dz) / (float)p->R};
            const float above = (dx * T[0] + dy * T[1] + dz * T[2]) / slope; // m, j above i
            if (pass == 0) // half of the wall is below
                full -= 0.5f * p->F * j->V * fm_kernel_wendland_slope(q)[0] * fabsf(above);
            else
                fill -= p->W * j->V * fm_kernel_wendland(q)[0] *
                        fminf(fmaxf(0.5f + (above - depth) / spacing, 0), 1);
        }
        depth = spacing * (0.5f + find_row(p, full));
    }
    return find_depth(p, full, fill);
}

// Adds to the diagonal of particle i what a free surface does: B_i. S: sum of kernel gradients over
// its neighbours, 1/m; solid: that over boundary particles alone. A gap towards boundary particles
// is no free surface. In fast fluid, with |v|^2 > fast2 > 0, the depth is that of the rows alone:
// splashes. Beside walls, which continue above the surface, the neighbours that are missing are
// those that the fluid lacks along the wall.
static float find_surface_part(const fm_particles *p, int i, bool beside, const float S[3],
                               const float solid[3], float fast2)
{
    float slope = sqrtf(S[0] * S[0] + S[1] * S[1] + S[2] * S[2]);
    float towards = S[0] * solid[0] + S[1] * solid[1] + S[2] * solid[2];
    float solid2 = solid[0] * solid[0] + solid[1] * solid[1] + solid[2] * solid[2];
    bool open = p->fill[i] < FULL && (beside || slope > SURFACE_SLOPE * p->row_slope[0]);
    if (!open || (towards < 0 && towards * towards > slope * slope * solid2 / 4))
        return 0;
    const fm_density_record *at = &p->fluid.density[i];
    if (fast2 > 0 && at->vx * at->vx + at->vy * at->vy + at->vz * at->vz > fast2)
        return 2 * slope / ((float)p->def.spacing * (0.5f + find_row(p, slope)));
    float T[3], along = solid2 > 0 ? towards / solid2 : 0, T2 = 0;
    for (int axis = 0; axis < 3; axis++) {
        T[axis] = S[axis] - along * solid[axis];
        T2 += T[axis] * T[axis];
    }
    if (solid2 == 0 || 2 * T2 < slope * slope) // no wall, or a surface along the wall
        return 2 * slope / find_depth(p, slope, p->fill[i]);
    return 2 * sqrtf(T2) / find_depth_beside_wall(p, i, T, sqrtf(T2));
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

// True when the pressure of the last substep at particle i is mainly that of the weight, inside the
// fluid. S: sum of kernel gradients, 1/m.
FM_INLINE bool is_under_weight(const fm_particles_step *step, int i, const float S[3])
{
    const fm_particles *p = step->p;
    const fm_density_record *at = &p->fluid.density[i]; // s: that pressure / c^2
    const float least = SURFACE_SLOPE * p->row_slope[0];
    return (float)(p->c * p->c) * at->s > at->vx * at->vx + at->vy * at->vy + at->vz * at->vz &&
           S[0] * S[0] + S[1] * S[1] + S[2] * S[2] < least * least && p->fill[i] < FM_CLUMP_FILL;
}

// What a linear pressure adds to the row of a particle among unevenly placed neighbours:
// sum_j w_ij G . r_ij = -2 G . S, times h. slope: gradient G of the last substep, divided by c^2; 0
// is used if it is more than twice gravity, as in impacts. S: sum of kernel gradients, 1/m. Returns
// 1/s.
FM_INLINE float find_excess_flow(const fm_particles_step *step, const float slope[3],
                                 const float S[3])
{
    const double c2 = step->p->c * step->p->c, most = 2 * fm_length(step->around->gravity) / c2;
    const float G2 = slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2];
    if (!(G2 < (float)(most * most)))
        return 0;
    return 2 * (float)(step->h * c2) * (slope[0] * S[0] + slope[1] * S[1] + slope[2] * S[2]);
}

// Computes the row of particle i: weights, diagonal and right side.
FM_INLINE void compute_row(const fm_particles_step *step, int i, float recovery)
{
    fm_particles *p = step->p;
    const bool beside = atomic_load_explicit(&p->beside_surface[i], memory_order_relaxed);
    const bool flat = p->def.dimensions == 2;
    const float fast2 = (float)(FAST * fm_length(step->around->gravity) * p->def.spacing);
    row_sums sum = {0};
    add_neighbours(&sum, p, i, false);
    int near_count = add_neighbours(&sum, p, i, true);
    float diagonal = 2 * p->F * fm_floats_sum(sum.weight);
    float rate = p->F * fm_floats_sum(sum.approach), s = p->fill[i] - 1;
    const float S[3] = {p->F * fm_floats_sum(sum.x), p->F * fm_floats_sum(sum.y),
                        p->F * fm_floats_sum(sum.z)};
    const float solid[3] = {p->F * fm_floats_sum(sum.solid_x), p->F * fm_floats_sum(sum.solid_y),
                            p->F * fm_floats_sum(sum.solid_z)};
    float open = p->count >= p->full_count ? 0 : find_surface_part(p, i, beside, S, solid, fast2);
    p->is_surface[i] = open > 0;
    diagonal += open;
    const bool free = p->count < p->full_count;
    const bool balanced = flat && free && open == 0 && is_under_weight(step, i, S);
    if (near_count == 0 ? p->fill[i] >= p->self_fill + FM_SPRAY_FILL : balanced) {
        int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
        const int *list = fm_neighbours_in_fluid(p, i, buffer, &count, &padding);
        float unevenness = 0;
        fm_gradients found = flat ? fm_gradients_measure(p, i, list, count, true, &unevenness)
                                  : fm_gradients_find(p, i, list, count, false);
        if (found.known && near_count == 0)
            rate = -(found.strain.xx + found.strain.yy + (flat ? 0 : found.strain.zz));
        if (found.known && near_count == 0 && flat && free && s > 0)
            s = fmaxf(s - UNEVEN_EXCESS * unevenness, 0);
        if (balanced)
            rate -= find_excess_flow(step, found.s, S);
    }
    bool isolated = diagonal * (float)(p->R * p->R) < DIAGONAL_MIN ||
                    p->fill[i] < p->self_fill + FM_SPRAY_FILL; // spray has no pressure
    p->diagonal[i] = isolated ? 0 : diagonal;
    const float below = p->tension ? open * p->tension[i].P : 0;
    p->residual[i] = isolated ? 0 : rate / (float)step->h + below;
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

// Computes the rows of all particles.
void fm_pressure_compute_rows(const fm_particles_step *step)
{
    fm_parallel_for(step->around->pool, step->p->count, FM_PARTICLES_BLOCK, compute_rows,
                    (void *)step);
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
        if ((p->has_ghosts || p->sheet) && p->near_boundary_start[i] >= 0)
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
    for (int k = 0; k < p->wet_count && (p->has_ghosts || p->sheet); k++) {
        int i = p->wet[k];
        p->boundary.force[i].P =
            fm_boundary_is_ghost(p, i) ? p->pressure_change[p->identity[i].owner.index] : 0;
    }
}

// Lists C_i of all particles beside colliders with a mass.
static void list_body_links(const fm_particles_step *step)
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

// Changes C_i in proportion to its length, so that its sum over the particles beside a body is 0:
// in closed fluids a constant pressure, which is not known, must not push the body.
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

// Lists C_i of all particles beside colliders with a mass, balanced in closed fluids.
void fm_pressure_find_body_links(const fm_particles_step *step)
{
    list_body_links(step);
    if (step->closed)
        balance_body_links(step->p);
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
    fm_sheet_pressure_respond(step);
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
bool fm_pressure_has_surface(const fm_particles *p)
{
    for (int i = 0; i < p->count; i++)
        if (p->is_surface[i])
            return true;
    return false;
}

// Takes the mean out of the residual in fluids without a free surface: their matrix is singular,
// and the volume of all particles together cannot change.
static void balance_residual(fm_pool *pool, gradient_step *g)
{
    fm_particles *p = g->p;
    if (fm_pressure_has_surface(p))
        return;
    g->mean =
        fm_parallel_sum(pool, p->count, FM_PARTICLES_BLOCK, sum_residual, g, p->partial) / p->count;
    fm_parallel_for(pool, p->count, FM_PARTICLES_LARGE_BLOCK, subtract_mean, g);
}

// Solves for p->pressure_sum, from its present value. p->residual: the right side. reduction: of
// the residual relative to the right side. Ends earlier when the mean residual is below `least`.
// Returns the mean residual.
double fm_pressure_iterate(const fm_particles_step *step, double reduction, double least)
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
