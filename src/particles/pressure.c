// SPDX-License-Identifier: MIT
// pressure.c: a pressure that keeps the density, for steps as long as the flow allows.
//
// Velocities v are to be changed so that one step on nothing is denser than at rest, after [BK15]:
//
//     v_i <- v_i - h sum_j V_j (P_i + P_j) F_ij r_ij
//     ahead_i = 1 + RETURN (sum_j V_j W_ij - 1) + h sum_j V_j F_ij (v_i - v_j) . r_ij <= 1
//
// with P_i >= 0, by Jacobi's iteration from the pressures of the step before,
//
//     P_i <- max(0, P_i + OMEGA (ahead_i - 1) / (h^2 D_i))
//     D_i = (sum_j m_j V_j F_ij r_ij) . (sum_j V_j F_ij r_ij) + sum_j |V_j F_ij r_ij|^2
//
// D_i being what ahead_i answers to P_i alone, over h^2. Points of walls and colliders have the
// pressure of who looks at them: they count twice, m = 2 instead of 1, and not in the last sum.
// Only compression is taken away, so surfaces need not be told apart.
//
// Free colliders are pushed with the fluid, in every iteration by the opposite of what their points
// do to it, and their points move as they will: if they moved by the pressure of the step before,
// what weighs less than half of the fluid it displaces would be thrown about. Their answer to P_i,
//
//     D_i += |G_i| rho A / m,     G_i = sum of V_j F_ij r_ij over points
//
// is that of all particles around them, each pushing as hard: sum m_k |G_k| = rho A / 2.
//
//   P  pressure / rho0, m^2/s^2, kept as s = P / c^2 from step to step      h  step, s
//   A, m  surface and mass of a free collider, m^2, kg      rho  density at rest, kg/m^3
//
// [BK15] Bender, Koschier: Divergence-free smoothed particle hydrodynamics. SCA 2015.
#include "particles/particles.h"

#include <string.h>

// Found with a column of water at rest: all of the excess returned at once, or all of the pressure
// kept, make it jump; none kept takes 90 iterations instead of 30 to 40.
static const float OMEGA = 0.5f;
static const float RETURN = 0.5f; // share of the excess of density that a step takes away
static const float KEEP = 0.8f;   // share of the last step's pressure that a step begins with

static const float POINT = -1; // in the place of a change of pressure: that of who looks

typedef enum quantity { STIFFNESS, AHEAD, IMPULSE } quantity;

typedef struct sums {
    fm_floats x, y, z, more, mx, my, mz;
} sums;

// i: the row of the particle, with its velocity as it is now and the change of its pressure in the
// place of P.
FM_INLINE void add_octet(sums *sum, quantity what, const float *i, const fm_octet *j, float inverse,
                         bool others)
{
    fm_floats dx = i[FM_X] - j->x, dy = i[FM_Y] - j->y, dz = i[FM_Z] - j->z;
    fm_floats r2 = dx * dx + dy * dy + dz * dz;
    fm_floats slope = j->V * fm_wendland_slope(fm_floats_sqrt(r2) * inverse);
    if (what == AHEAD) {
        sum->more +=
            slope * ((i[FM_VX] - j->vx) * dx + (i[FM_VY] - j->vy) * dy + (i[FM_VZ] - j->vz) * dz);
        return;
    }
    fm_ints point = others ? j->s == POINT : (fm_ints){0};
    if (what == STIFFNESS) {
        fm_floats twice = slope + fm_floats_where(point, slope);
        sum->more += fm_floats_where(~point, slope * slope * r2);
        sum->mx += twice * dx;
        sum->my += twice * dy;
        sum->mz += twice * dz;
    } else {
        fm_floats own = i[FM_P] + 0 * j->s;
        slope *= own + fm_floats_where(~point, j->s) + fm_floats_where(point, own);
    }
    sum->x += slope * dx;
    sum->y += slope * dy;
    sum->z += slope * dz;
}

FM_INLINE void add_all(sums *sum, quantity what, const fm_particles *p, int i, int *room)
{
    const float *fluid = what == AHEAD ? p->fluid.density : p->fluid.force;
    const float *others = what == AHEAD ? p->others.density : p->others.force;
    const float *at = fluid + FM_ROW * (size_t)i, inverse = (float)(1 / p->R);
    int count, extra;
    const int *list = fm_list_of(p, i, room, &count, &extra);
    for (int b = 0; b < count; b += 8) {
        fm_octet j = fm_load_octet(fluid, list + b);
        add_octet(sum, what, at, &j, inverse, false);
    }
    list = fm_others_of(p, i, room, &count, &extra);
    for (int b = 0; b < count; b += 8) {
        fm_octet j = fm_load_last_octet(others, list + b, b + 8 == count, extra);
        add_octet(sum, what, at, &j, inverse, true);
    }
}

// What free colliders near a particle add to D for |G| = 1.
static float find_answer(const fm_particles_step *step, int i)
{
    const fm_particles *p = step->p;
    double answer = 0;
    for (int k = 0; k < step->around->collider_count; k++) {
        const fm_collider *c = step->around->colliders[k];
        if (!(c->mass > 0))
            continue;
        fm_vec3 r = fm_sub((fm_vec3){p->now.x[i], p->now.y[i], p->now.z[i]}, c->centre);
        double a = c->shape.radius;
        if (fm_length(r) < a + p->R)
            answer += p->def.density * 4 * FM_PI * a * a / c->mass;
    }
    return (float)answer;
}

FM_SIMD_CLONES static void find_stiffness(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    int room[FM_NEIGHBOURS_ROOM];
    for (int i = first; i < last; i++) {
        sums sum = {0};
        add_all(&sum, STIFFNESS, p, i, room);
        float x = fm_floats_sum(sum.x), mx = fm_floats_sum(sum.mx);
        float y = fm_floats_sum(sum.y), my = fm_floats_sum(sum.my);
        float z = fm_floats_sum(sum.z), mz = fm_floats_sum(sum.mz);
        float D = p->F * p->F * (x * mx + y * my + z * mz + fm_floats_sum(sum.more));
        float G2 = (mx - x) * (mx - x) + (my - y) * (my - y) + (mz - z) * (mz - z);
        if (G2 > 0)
            D += find_answer(step, i) * p->F * sqrtf(G2);
        // one without neighbours cannot be compressed: no matter what
        bool lonely = D * (float)(p->R * p->R) < 1e-2f;
        p->alpha[i] = lonely ? 0 : 1 / D;
        p->kappa[i] = lonely ? 0 : KEEP * (float)(p->c * p->c) * p->now.s[i];
        p->pressed[i] = 0;
    }
}

// Gives the sum of what is too dense.
FM_SIMD_CLONES static double look_ahead(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    const float h = (float)step->h, scale = OMEGA / (h * h);
    double excess = 0;
    int room[FM_NEIGHBOURS_ROOM];
    for (int i = first; i < last; i++) {
        sums sum = {0};
        add_all(&sum, AHEAD, p, i, room);
        float dense = p->fill[i] - 1;
        float over = (dense > 0 ? RETURN * dense : dense) + h * p->F * fm_floats_sum(sum.more);
        float change = over * scale * p->alpha[i];
        p->kappa[i] = change > -p->pressed[i] ? change : -p->pressed[i];
        excess += over > 0 ? over : 0;
    }
    return excess;
}

FM_SIMD_CLONES static void push_apart(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    const float scale = -(float)step->h * p->F;
    int room[FM_NEIGHBOURS_ROOM];
    for (int i = first; i < last; i++) {
        sums sum = {0};
        add_all(&sum, IMPULSE, p, i, room);
        p->pressed[i] += p->kappa[i];
        p->now.vx[i] += scale * fm_floats_sum(sum.x);
        p->now.vy[i] += scale * fm_floats_sum(sum.y);
        p->now.vz[i] += scale * fm_floats_sum(sum.z);
    }
}

// The rows as the next pass reads them: velocities after a push, kappa after a look.
static void show_velocities(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    for (int i = first; i < last; i++) {
        float *row = p->fluid.force + FM_ROW * (size_t)i;
        row[FM_VX] = p->now.vx[i];
        row[FM_VY] = p->now.vy[i];
        row[FM_VZ] = p->now.vz[i];
    }
}

static void show_changes(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    for (int i = first; i < last; i++)
        p->fluid.force[FM_ROW * (size_t)i + FM_P] = p->kappa[i];
}

static void show_others(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    for (int k = first; k < last; k++) {
        int i = p->wet[k], from = -1 - p->other_from[i];
        p->others.force[FM_ROW * (size_t)i + FM_P] = from >= 0 ? p->kappa[from] : POINT;
        if (from >= 0)
            memcpy(p->others.density + FM_ROW * (size_t)i + FM_VX,
                   p->fluid.density + FM_ROW * (size_t)from + FM_VX, 3 * sizeof(float));
    }
}

static void keep_pressure(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    const float soft = (float)(1 / (p->c * p->c));
    for (int i = first; i < last; i++) {
        p->P[i] = p->pressed[i];
        p->now.s[i] = soft * p->pressed[i];
        p->fluid.force[FM_ROW * (size_t)i + FM_P] = p->pressed[i];
    }
}

// Changes of pressure into changes of velocity, and what follows for the rows.
static void push_all(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    fm_pool *pool = step->around->pool;
    void *context = (void *)step;
    fm_parallel_for(pool, p->count, 4 * FM_PARTICLES_BLOCK, show_changes, context);
    fm_parallel_for(pool, p->wet_count, 4 * FM_PARTICLES_BLOCK, show_others, context);
    fm_parallel_for(pool, p->count, FM_PARTICLES_BLOCK, push_apart, context);
    fm_others_push_colliders(step);
    fm_others_carry(step);
    fm_parallel_for(pool, p->count, 4 * FM_PARTICLES_BLOCK, show_velocities, context);
    fm_parallel_for(pool, p->wet_count, 4 * FM_PARTICLES_BLOCK, show_others, context);
}

void fm_solve_pressure(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    fm_pool *pool = step->around->pool;
    void *context = (void *)step;
    int n = p->count;
    fm_parallel_for(pool, p->wet_count, FM_PARTICLES_BLOCK, show_others, context);
    fm_parallel_for(pool, n, FM_PARTICLES_BLOCK, find_stiffness, context);
    fm_parallel_for(pool, n, 4 * FM_PARTICLES_BLOCK, show_velocities, context);
    push_all(step);
    for (int k = 0; k < p->def.iterations && n > 0; k++) {
        double excess =
            fm_parallel_sum(pool, n, FM_PARTICLES_BLOCK, look_ahead, context, p->partial);
        p->stats.compression = excess / n;
        p->stats.iteration_count++;
        if (p->stats.compression < p->def.tolerance && k > 0)
            break;
        push_all(step);
    }
    fm_parallel_for(pool, n, FM_PARTICLES_BLOCK, keep_pressure, context);
}
