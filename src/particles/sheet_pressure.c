// SPDX-License-Identifier: MIT
// sheet_pressure.c: thin sheets, such as cloth, in the pressure solve of the constant-density
// method: two-way coupling.
//
// The samples s of a sheet (immersed_surfaces.c) have unknown velocities v_s along their normals n.
// Before the fluid, the sheet has moved through the interval of h seconds (cloth/fluid_coupling.c)
// with the predicted load F of the fluid and the added mass M, which it borrows from the fluid:
//
//     (m + M) dv = F h + springs, weight, ...
//
// The solve replaces F h by the impulse J of the pressures that it finds:
//
//     v_s = v* + w J_s,    w = 1 / (m + M),    v* = velocity of the sheet - w F h
//     J_s = sum_i [ h rho V P_i C_is + k_is (u_i - v_s) ]
//     C_is = 2 V_s F_is r_is . n,    k_is = -c_i rho V V_s F_is (r_is . n)^2
//
// The second term is the difference between the pressure at a particle and that half-way to the
// sample: it increases towards the sheet by as much as gives the particle the velocity of the
// sheet. It bounds the response of light sheets to the pressures by 1 / K_s. c_i is at most 1, such
// that all samples together do not more than stop a particle. With K_s = sum_i k_is,
//
//     v_s = [v* + w sum_i (h rho V P_i C_is + k_is u_i)] / (1 + w K_s)
//
// so the matrix of the pressures (pressure_solver.c), whose right side has v_s for P = 0, gets
//
//     sum_s C_is rho V w / (1 + w K_s) sum_k C_ks P_k,    symmetric and not negative
//
// The forces of pairs leave out the reference pressure of surface_reference.c, 2 P_s + G_s . r_is,
// from 2 P_i. Its part of J_s is in v*.
//
// The pairs give the opposite impulses to the fluid, along r_is. The part across n, which would
// compress a sheet at its edges, is distributed evenly over its wet area. It acts, like friction
// and the momentum of particles that are stopped at the sheet, on m + M. The sheet gets m dv of all
// changes, and the fluid beside it M dv: momentum is conserved to rounding. The next load is J / h,
// in short steps the mean over the longest stable one, without which jumps in the length of the
// steps would be jumps of the load.
//
// Beside a held sheet, w = 0, a particle with few neighbours has a diagonal of the matrix that is
// smaller than that of the divergence of the forces, |sum_s C_is|^2. In a narrow fold it would be
// thrown back faster than it came. The diagonal is therefore at least (find_least)
//
//     [0.7 + 4 S(a)] |C_i|^2,    a = (sum_s k_is / (rho V c_i) - 0.6) / 0.4 in 0..1
//
// without the samples of light sheets, which give way. a is 0 beside a flat sheet, where the sum is
// at most 0.58, and 1 in a fold that is filled with samples.
//
//   P  pressure / rho, m^2/s^2    V  volume of a particle, m^3    V_s  of a sample, m^3
//   rho  density, kg/m^3          F_is r_is  kernel gradient      r_is  from s to i, m
//   u  velocity of a particle along n before the pressures act, m/s
//   S  smooth step, 3 a^2 - 2 a^3
#include "particles/sheet_pressure.h"
#include "particles/surface_reference.h"

static const double LEAST = 0.7, LEAST_IN_FOLD = 4, FLAT = 0.6; // find_least

// A fluid particle beside a sample.
typedef struct pair {
    fm_vec3 r;    // m, from the sample to the particle
    double along; // m, r . n
    double slope; // 1/m^2, V_s F_is, negative
} pair;

// Fluid particle i beside the sample that is boundary particle b.
static inline pair find_pair(const fm_particles *p, int i, int b)
{
    const fm_density_record *a = &p->fluid.density[i], *s = &p->boundary.density[b];
    fm_vec3 r = {(double)a->x - (double)s->x, (double)a->y - (double)s->y,
                 (double)a->z - (double)s->z};
    double u = fmax(0, 1 - fm_length(r) / p->R);
    return (pair){r, fm_dot(r, p->sheet[b].normal), -20 * u * u * u * (double)p->F * (double)s->V};
}

// Velocity of fluid particle i along n before the pressures act, m/s.
static inline double find_speed(const fm_particles *p, int i, fm_vec3 n)
{
    const fm_density_record *a = &p->fluid.density[i];
    return fm_dot((fm_vec3){(double)a->vx, (double)a->vy, (double)a->vz}, n);
}

// Calls `body` for ranges of all fluid particles, or of all wet boundary particles.
static void for_fluid(const fm_particles_step *step, fm_range_body *body)
{
    fm_parallel_for(step->around->pool, step->p->count, FM_PARTICLES_BLOCK, body, (void *)step);
}

static void for_samples(const fm_particles_step *step, fm_range_body *body)
{
    fm_parallel_for(step->around->pool, step->p->wet_count, FM_PARTICLES_BLOCK, body, (void *)step);
}

// Reads one sample, which is boundary particle b, and counts the weight of its excess volume.
static fm_sheet_sample read_sample(const fm_particles_step *step, const fm_samples *s, int k, int b)
{
    fm_particles *p = step->p;
    const bool held = !(s->inverse_mass[k] > 0);
    const double mass = held ? 0 : 1 / s->inverse_mass[k] + s->clinging_mass[k];
    fm_vec3 returned = fm_scale(s->load[k], -step->h);
    fm_vec3 weight = fm_surface_reference_find_weight(step, s, k, &p->sample_sums[b]);
    p->stats.clinging = fm_add_scaled(p->stats.clinging, weight, step->h);
    return (fm_sheet_sample){
        .active = true,
        .normal = s->normal[k],
        .mass = mass,
        .inverse_mass = held ? 0 : 1 / (mass + s->borrowed_mass[k]),
        .soft = fm_scale(p->force[b], step->h),
        .returned = returned,
        .given = fm_add_scaled(returned, weight, step->h),
        .passed = fm_add(s->tangential_impulse[k], fm_sub(s->impulse_to_fluid[k], returned)),
    };
}

void fm_sheet_pressure_begin(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    if (!p->sheet)
        return;
    p->sheet_interval = fmax(step->h, fm_particles_stable_step(p));
    for (int w = 0; w < p->wet_count; w++) {
        int k, b = p->wet[w];
        const fm_samples *s = fm_boundary_surface(p, b, &k);
        p->sheet[b] = (fm_sheet_sample){0};
        if (!s || s->passive || !(p->sample_sums[b].sum > 0))
            continue;
        p->sheet[b] = read_sample(step, s, k, b);
    }
}

// Computes c of fluid particles.
static void limit_range(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    for (int i = first; i < last; i++) {
        const int *list = fm_neighbours_in_boundary(p, i, buffer, &count, &padding);
        double sum = 0;
        for (int n = 0; n < count - padding; n++) {
            if (!p->sheet[list[n]].active)
                continue;
            pair at = find_pair(p, i, list[n]);
            sum -= at.slope * at.along * at.along;
        }
        p->sheet_share[i] = (float)(sum > 1 ? 1 / sum : 1);
    }
}

// The reference pressure of a pair with sample b, twice, m^2/s^2 (surface_reference.c).
static inline double find_reference(const fm_particles *p, int b, fm_vec3 r)
{
    const fm_sample_sums *v = &p->sample_sums[b];
    return 2 * v->reference + fm_dot(v->reference_slope, r);
}

// Sums over the fluid beside a sample: of k, of k u, and of P C.
typedef struct fluid_sums {
    double k, ku, PC, reference;
} fluid_sums;

// Sums over the fluid beside sample wet[w]. P: of the fluid particles, or NULL.
static fluid_sums sum_fluid(const fm_particles *p, int w, const float *P)
{
    const double mass = p->def.density * p->volume;
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding, b = p->wet[w];
    const int *list = fm_neighbours_of_wet(p, w, buffer, &count, &padding);
    fluid_sums sum = {0};
    for (int n = 0; n < count - padding; n++) {
        const int i = list[n];
        pair at = find_pair(p, i, b);
        double k = -(double)p->sheet_share[i] * mass * at.slope * at.along * at.along;
        sum.k += k;
        sum.ku += k * find_speed(p, i, p->sheet[b].normal);
        sum.reference += at.slope * at.along * find_reference(p, b, at.r);
        sum.PC += P ? 2 * at.slope * at.along * (double)P[i] : 0;
    }
    return sum;
}

// Predicts the velocities of samples: v* in `speed`, and with the forces k u in the records.
static void predict_range(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    for (int w = first; w < last; w++) {
        int k, b = p->wet[w];
        const fm_samples *s = fm_boundary_surface(p, b, &k);
        fm_sheet_sample *sheet = &p->sheet[b];
        if (!sheet->active)
            continue;
        const double inverse = sheet->inverse_mass;
        fluid_sums sum = sum_fluid(p, w, NULL);
        fm_vec3 v = fm_add_scaled(s->body_velocity[k], sheet->given, inverse);
        v = fm_add_scaled(v, sheet->normal,
                          -inverse * step->h * p->def.density * p->volume * sum.reference);
        sheet->speed = fm_dot(v, sheet->normal);
        sheet->hold = 1 / (1 + inverse * sum.k);
        sheet->response = p->def.density * p->volume * inverse * sheet->hold;
        double speed = (sheet->speed + inverse * sum.ku) * sheet->hold;
        v = fm_add_scaled(v, sheet->normal, speed - sheet->speed);
        fm_density_record *record = &p->boundary.density[b];
        record->vx = (float)v.x, record->vy = (float)v.y, record->vz = (float)v.z;
    }
}

void fm_sheet_pressure_predict(const fm_particles_step *step)
{
    if (!step->p->sheet)
        return;
    for_fluid(step, limit_range);
    for_samples(step, predict_range);
}

// The least diagonal of a particle beside held samples. C: sum of their C_is r_is / |r_is|, 1/m;
// part: sum of their k_is / (rho V c_i).
static float find_least(fm_vec3 C, double part)
{
    double a = fmin(1, fmax(0, (part - FLAT) / (1 - FLAT)));
    return (float)((LEAST + LEAST_IN_FOLD * a * a * (3 - 2 * a)) * fm_dot(C, C));
}

// Stores C_is as the weights of samples in the neighbour lists, and raises diagonals.
static void add_rows(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    for (int i = first; i < last; i++) {
        if (p->near_boundary_start[i] < 0)
            continue;
        size_t start = (size_t)(i / FM_PARTICLES_BLOCK) * (size_t)p->list_capacity +
                       (size_t)p->near_boundary_start[i];
        int count = p->near_boundary_count[i] - p->near_boundary_padding[i];
        fm_vec3 C = {0};
        double part = 0;
        for (int n = 0; n < count; n++) {
            const int b = p->lists[start + (size_t)n];
            if (!p->sheet[b].active)
                continue;
            pair at = find_pair(p, i, b);
            p->pair_weight[start + (size_t)n] = (float)(2 * at.slope * at.along);
            C = fm_add_scaled(C, at.r, 2 * p->sheet[b].hold * at.slope);
            part -= p->sheet[b].hold * at.slope * at.along * at.along;
        }
        if (p->diagonal[i] > 0)
            p->diagonal[i] = fmaxf(p->diagonal[i], find_least(C, part));
    }
}

void fm_sheet_pressure_add_rows(const fm_particles_step *step)
{
    if (step->p->sheet)
        for_fluid(step, add_rows);
}

// Writes -rho V w / (1 + w K) sum_k C_ks P_k to the boundary records.
static void respond_range(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    for (int w = first; w < last; w++) {
        const fm_sheet_sample *sheet = &p->sheet[p->wet[w]];
        if (sheet->active && sheet->response > 0)
            p->boundary.force[p->wet[w]].P =
                (float)(-sheet->response * sum_fluid(p, w, p->pressure_change).PC);
    }
}

void fm_sheet_pressure_respond(const fm_particles_step *step)
{
    if (step->p->sheet)
        for_samples(step, respond_range);
}

void fm_sheet_pressure_hold(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    for (int w = 0; w < p->wet_count && p->sheet; w++)
        p->sheet[p->wet[w]].response = 0;
}

// Computes v_s and the impulses of the pressures on samples.
static void push_samples(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    const double mass = p->def.density * p->volume;
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    for (int w = first; w < last; w++) {
        fm_sheet_sample *sheet = &p->sheet[p->wet[w]];
        if (!sheet->active)
            continue;
        fluid_sums sum = sum_fluid(p, w, p->P);
        sheet->speed += sheet->inverse_mass * (step->h * mass * sum.PC + sum.ku);
        sheet->speed *= sheet->hold;
        const int *list = fm_neighbours_of_wet(p, w, buffer, &count, &padding);
        fm_vec3 J = {0};
        for (int n = 0; n < count - padding; n++) {
            pair at = find_pair(p, list[n], p->wet[w]);
            double u = find_speed(p, list[n], sheet->normal) - sheet->speed;
            double P = step->h * (2 * (double)p->P[list[n]] - find_reference(p, p->wet[w], at.r)) -
                       (double)p->sheet_share[list[n]] * u * at.along;
            J = fm_add_scaled(J, at.r, mass * at.slope * P);
        }
        sheet->pressure = fm_scale(sheet->normal, fm_dot(J, sheet->normal));
        sheet->tangential = fm_sub(J, sheet->pressure);
    }
}

// Adds the accelerations of fluid particles by the samples. The forces of pairs (forces.c) contain
// the part of P_i already.
static void push_fluid(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    for (int i = first; i < last; i++) {
        const int *list = fm_neighbours_in_boundary(p, i, buffer, &count, &padding);
        fm_vec3 a = {0};
        for (int n = 0; n < count - padding; n++) {
            const fm_sheet_sample *sheet = &p->sheet[list[n]];
            if (!sheet->active)
                continue;
            pair at = find_pair(p, i, list[n]);
            double u = find_speed(p, i, sheet->normal) - sheet->speed;
            double P = (double)p->P[i] - find_reference(p, list[n], at.r) -
                       (double)p->sheet_share[i] * u * at.along / step->h;
            a = fm_add_scaled(a, at.r, -at.slope * P);
        }
        p->ax[i] += (float)a.x;
        p->ay[i] += (float)a.y;
        p->az[i] += (float)a.z;
    }
}

void fm_sheet_pressure_push(const fm_particles_step *step)
{
    if (!step->p->sheet)
        return;
    for_samples(step, push_samples);
    for_fluid(step, push_fluid);
}

void fm_sheet_pressure_add_impulse(fm_particles *p, int b, fm_vec3 impulse)
{
    p->sheet[b].soft = fm_add(p->sheet[b].soft, impulse);
}

// Distributes the impulses across the normals evenly over the wet area of surface s.
static void spread_tangential_impulse(fm_particles *p, const fm_samples *s)
{
    fm_vec3 sum = {0};
    double wet = 0; // m^2
    int k;
    for (int w = 0; w < p->wet_count; w++) {
        const fm_sheet_sample *sheet = &p->sheet[p->wet[w]];
        if (!sheet->active || fm_boundary_surface(p, p->wet[w], &k) != s)
            continue;
        sum = fm_add(sum, sheet->tangential);
        wet += s->area[k] * s->wet[k];
    }
    for (int w = 0; w < p->wet_count && wet > 0; w++) {
        fm_sheet_sample *sheet = &p->sheet[p->wet[w]];
        if (sheet->active && fm_boundary_surface(p, p->wet[w], &k) == s)
            sheet->soft = fm_add_scaled(sheet->soft, sum, s->area[k] * s->wet[k] / wet);
    }
}

// Gives impulse and load to sample k of a surface, boundary particle b, and what the sample passes
// on to the fluid to spread_impulse.
static void finish_sample(const fm_particles_step *step, fm_samples *s, int k, int b)
{
    fm_particles *p = step->p;
    const fm_sheet_sample *sheet = &p->sheet[b];
    const bool held = !(sheet->inverse_mass > 0);
    const double part = step->h / p->sheet_interval;
    fm_vec3 J = fm_add(sheet->given, sheet->pressure), received = fm_add(J, sheet->soft);
    fm_vec3 passed = sheet->passed;
    if (!held) {
        fm_vec3 dv = fm_scale(J, sheet->inverse_mass);
        fm_vec3 soft = fm_scale(sheet->soft, 1 / (sheet->mass + s->added_mass[k]));
        received = fm_scale(fm_add(dv, soft), sheet->mass);
        passed = fm_add_scaled(passed, dv, s->borrowed_mass[k]);
        passed = fm_add_scaled(passed, soft, s->added_mass[k]);
    }
    fm_vec3 F = fm_scale(fm_sub(J, sheet->returned), 1 / step->h);
    F = fm_add_scaled(s->load[k], fm_sub(F, s->load[k]), part);
    s->load[k] = fm_scale(s->normal[k], held ? 0 : fm_dot(F, s->normal[k]));
    s->impulse_to_body[k] = fm_add(s->impulse_to_body[k], received);
    s->impulse_to_fluid[k] = (fm_vec3){0};
    p->spread_impulse[b] = fm_scale(passed, 1 / p->sample_sums[b].mass);
}

// A sample that became dry returns its load. What the fluid should get waits for fluid.
static void finish_dry_sample(fm_samples *s, int k, double h)
{
    double mass = s->inverse_mass[k] > 0 ? 1 / s->inverse_mass[k] : 0;
    double inertia = mass + s->borrowed_mass[k];
    fm_vec3 received = fm_scale(s->load[k], inertia > 0 ? -h * mass / inertia : 0);
    s->impulse_to_body[k] = fm_add(s->impulse_to_body[k], received);
    s->impulse_to_fluid[k] =
        fm_sub(fm_add(s->impulse_to_fluid[k], s->tangential_impulse[k]), received);
    s->load[k] = (fm_vec3){0};
}

// Adds the impulses that samples pass on to fluid particles, with the shares of
// immersed_surfaces.c.
static void receive_range(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    for (int i = first; i < last; i++) {
        const int *list = fm_neighbours_in_boundary(p, i, buffer, &count, &padding);
        fm_vec3 sum = {0};
        for (int n = 0; n < count - padding; n++) {
            if (!p->sheet[list[n]].active)
                continue;
            double u = fmax(0, 1 - fm_length(find_pair(p, i, list[n]).r) / p->R), u2 = u * u;
            sum = fm_add_scaled(sum, p->spread_impulse[list[n]], u2 * u2 * (5 - 4 * u));
        }
        double scale = p->mass_share[i] / (p->def.density * p->volume);
        p->now.vx[i] += (float)(scale * sum.x);
        p->now.vy[i] += (float)(scale * sum.y);
        p->now.vz[i] += (float)(scale * sum.z);
    }
}

void fm_sheet_pressure_finish(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    if (!p->sheet)
        return;
    for (int m = 0; m < p->surface_count; m++)
        if (!p->surfaces[m]->passive)
            spread_tangential_impulse(p, p->surfaces[m]);
    for (int w = 0; w < p->wet_count; w++) {
        int k;
        fm_samples *s = fm_boundary_surface(p, p->wet[w], &k);
        if (p->sheet[p->wet[w]].active)
            finish_sample(step, s, k, p->wet[w]);
    }
    for (int m = 0; m < p->surface_count; m++)
        for (int k = 0; k < p->surfaces[m]->count && !p->surfaces[m]->passive; k++)
            if (!(p->surfaces[m]->wet[k] > 0))
                finish_dry_sample(p->surfaces[m], k, step->h);
    for_fluid(step, receive_range);
}
