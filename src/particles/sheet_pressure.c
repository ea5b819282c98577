// SPDX-License-Identifier: MIT
// sheet_pressure.c: two-way coupling of thin sheets, such as cloth, with the constant-density
// method.
#include "particles/sheet_pressure.h"
#include <stdio.h>
#include <stdlib.h>

static double LAYER = 1, CAP = 1, DIAG = 4, DIAG2 = 0.6;

// One fluid particle beside a sample.
typedef struct pair {
    fm_vec3 r;            // m, from the sample to the particle
    double along, slope;  // m, distance along the normal; 1/m^2, V_s F_is, negative
} pair;

static inline pair find_pair(const fm_particles *p, int i, int b)
{
    const fm_density_record *a = &p->fluid.density[i], *s = &p->boundary.density[b];
    fm_vec3 r = {(double)a->x - (double)s->x, (double)a->y - (double)s->y,
                 (double)a->z - (double)s->z};
    double u = 1 - fm_length(r) / p->R;
    u = u > 0 ? u : 0;
    return (pair){r, fm_dot(r, p->sheet[b].normal), -20 * u * u * u * (double)p->F * (double)s->V};
}

static inline double find_normal_speed(const fm_particles *p, int i, fm_vec3 n)
{
    const fm_density_record *a = &p->fluid.density[i];
    return (double)a->vx * n.x + (double)a->vy * n.y + (double)a->vz * n.z;
}

static inline bool is_sheet(const fm_particles *p, int b)
{
    return p->sheet[b].active;
}

// Sets up the samples that have fluid nearby.
void fm_sheets_begin(const fm_particles_step *step)
{
    if (getenv("LAYER"))
        LAYER = atof(getenv("LAYER"));
    if (getenv("CAP"))
        CAP = atof(getenv("CAP"));
    if (getenv("DIAG"))
        DIAG = atof(getenv("DIAG"));
    if (getenv("DIAG2"))
        DIAG2 = atof(getenv("DIAG2"));
    fm_particles *p = step->p;
    if (!p->sheet)
        return;
    for (int w = 0; w < p->wet_count; w++) {
        int k, b = p->wet[w];
        fm_samples *s = fm_boundary_surface(p, b, &k);
        fm_sheet_sample *sheet = &p->sheet[b];
        *sheet = (fm_sheet_sample){0};
        if (!s || s->passive || !(p->sample_sums[b].sum > 0))
            continue;
        sheet->active = true;
        sheet->normal = s->normal[k];
        bool held = !(s->inverse_mass[k] > 0);
        sheet->mass = held ? 0 : 1 / s->inverse_mass[k] + s->clinging_mass[k];
        sheet->inverse_mass = held ? 0 : 1 / (sheet->mass + s->borrowed_mass[k]);
        sheet->soft = fm_scale(p->force[b], step->h);
        sheet->returned = fm_scale(s->load[k], -step->h);
        sheet->passed = fm_add(s->tangential_impulse[k],
                               fm_sub(s->impulse_to_fluid[k], sheet->returned));
        sheet->given = fm_add_scaled(sheet->returned, step->around->gravity,
                                     s->excess_mass[k] * step->h);
        p->stats.clinging = fm_add_scaled(p->stats.clinging, step->around->gravity,
                                          s->excess_mass[k] * step->h);
    }
}

// Sums over the fluid beside sample b: K and sum of k u, with the pressures sum of C P.
typedef struct sums {
    double K, ku, q;
} sums;

static sums sum_fluid(const fm_particles *p, int w, const float *P)
{
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding, b = p->wet[w];
    const int *list = fm_neighbours_of_wet(p, w, buffer, &count, &padding);
    const double mass = p->def.density * p->volume;
    sums sum = {0};
    for (int n = 0; n < count - padding; n++) {
        pair at = find_pair(p, list[n], b);
        double k = -(double)p->sheet_share[list[n]] * mass * at.slope * at.along * at.along;
        sum.K += k;
        sum.ku += k * find_normal_speed(p, list[n], p->sheet[b].normal);
        if (P)
            sum.q += 2 * at.slope * at.along * (double)P[list[n]];
    }
    return sum;
}

static void share_range(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    for (int i = first; i < last; i++) {
        const int *list = fm_neighbours_in_boundary(p, i, buffer, &count, &padding);
        double sum = 0;
        for (int n = 0; n < count - padding; n++) {
            if (!is_sheet(p, list[n]))
                continue;
            pair at = find_pair(p, i, list[n]);
            sum -= at.slope * at.along * at.along;
        }
        p->sheet_share[i] = (float)(sum > CAP ? CAP / sum : 1);
        p->sheet_part[i] = (float)(sum > CAP ? CAP : sum);
    }
}

static void predict_range(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    for (int w = first; w < last; w++) {
        int k, b = p->wet[w];
        fm_samples *s = fm_boundary_surface(p, b, &k);
        fm_sheet_sample *sheet = &p->sheet[b];
        if (!sheet->active)
            continue;
        const double i = sheet->inverse_mass;
        fm_vec3 v = fm_add_scaled(s->body_velocity[k], sheet->given, i);
        sums sum = sum_fluid(p, w, NULL);
        sheet->speed = fm_dot(v, sheet->normal);
        double speed = (sheet->speed + i * sum.ku) / (1 + i * sum.K);
        sheet->hold = 1 / (1 + i * sum.K);
        sheet->response = p->def.density * p->volume * i / (1 + i * sum.K);
        v = fm_add_scaled(v, sheet->normal, speed - sheet->speed);
        fm_density_record *record = &p->boundary.density[b];
        record->vx = (float)v.x, record->vy = (float)v.y, record->vz = (float)v.z;
    }
}

// Before the pressure solve: velocities of the samples without pressure.
void fm_sheets_predict(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    if (!p->sheet)
        return;
    fm_parallel_for(step->around->pool, p->count, FM_PARTICLES_BLOCK, share_range, (void *)step);
    fm_parallel_for(step->around->pool, p->wet_count, FM_PARTICLES_BLOCK, predict_range,
                    (void *)step);
}

static void store_links(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    for (int i = first; i < last; i++) {
        int start = p->near_boundary_start[i];
        if (start < 0)
            continue;
        size_t block = (size_t)(i / FM_PARTICLES_BLOCK) * (size_t)p->list_capacity;
        const int *list = p->lists + block + start;
        float *weight = p->pair_weight + block + start;
        int count = p->near_boundary_count[i] - p->near_boundary_padding[i];
        fm_vec3 C = {0};
        double part = 0;
        for (int n = 0; n < count; n++) {
            if (!is_sheet(p, list[n]))
                continue;
            pair at = find_pair(p, i, list[n]);
            weight[n] = (float)(2 * at.slope * at.along);
            C = fm_add_scaled(C, at.r, 2 * p->sheet[list[n]].hold * at.slope);
            part -= p->sheet[list[n]].hold * at.slope * at.along * at.along;
        }
        double least = 0, f = fmin(1, fmax(0, (part - DIAG2) / (1 - DIAG2)));
        least = (0.7 + DIAG * f * f * (3 - 2 * f)) * fm_dot(C, C);
        if (p->diagonal[i] > 0 && p->diagonal[i] < least)
            p->diagonal[i] = (float)least;
    }
}

// After the rows of the matrix are computed: stores C of the pairs of particles and samples.
void fm_sheets_store_links(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    if (p->sheet)
        fm_parallel_for(step->around->pool, p->count, FM_PARTICLES_BLOCK, store_links,
                        (void *)step);
}

static void respond_range(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    for (int w = first; w < last; w++) {
        int b = p->wet[w];
        if (!is_sheet(p, b))
            continue;
        const double response = p->sheet[b].response;
        p->boundary.force[b].P =
            response > 0 ? (float)(-response * sum_fluid(p, w, p->pressure_change).q) : 0;
    }
}

// Before a product with the matrix: writes what the samples contribute to the boundary records.
void fm_sheets_respond(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    fm_parallel_for(step->around->pool, p->wet_count, FM_PARTICLES_BLOCK, respond_range,
                    (void *)step);
}

// The solve that keeps the density does not move the sheets.
void fm_sheets_hold(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    for (int w = 0; w < p->wet_count && p->sheet; w++)
        p->sheet[p->wet[w]].response = 0;
}

static void push_samples(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    const double mass = p->def.density * p->volume;
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    for (int w = first; w < last; w++) {
        int b = p->wet[w];
        fm_sheet_sample *sheet = &p->sheet[b];
        if (!sheet->active)
            continue;
        sums sum = sum_fluid(p, w, p->P);
        const double i = sheet->inverse_mass;
        sheet->speed = (sheet->speed + i * (step->h * mass * sum.q + sum.ku)) / (1 + i * sum.K);
        const int *list = fm_neighbours_of_wet(p, w, buffer, &count, &padding);
        fm_vec3 J = {0};
        for (int n = 0; n < count - padding; n++) {
            pair at = find_pair(p, list[n], b);
            double u = find_normal_speed(p, list[n], sheet->normal) - sheet->speed;
            if (getenv("HG") && i == 0)
                u = fm_dot(step->around->gravity, sheet->normal) * step->h;
            J = fm_add_scaled(J, at.r,
                              mass * at.slope *
                                  (2 * step->h * (double)p->P[list[n]] -
                                   (double)p->sheet_share[list[n]] * u * at.along));
        }
        sheet->pressure = fm_scale(sheet->normal, fm_dot(J, sheet->normal));
        sheet->tangential = fm_sub(J, sheet->pressure);
    }
}

static void push_fluid(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    for (int i = first; i < last; i++) {
        const int *list = fm_neighbours_in_boundary(p, i, buffer, &count, &padding);
        fm_vec3 a = {0};
        for (int n = 0; n < count - padding; n++) {
            int b = list[n];
            if (!is_sheet(p, b))
                continue;
            pair at = find_pair(p, i, b);
            double u = find_normal_speed(p, i, p->sheet[b].normal) - p->sheet[b].speed;
            if (getenv("HG") && p->sheet[b].inverse_mass == 0)
                u = fm_dot(step->around->gravity, p->sheet[b].normal) * step->h;
            a = fm_add_scaled(a, at.r, -at.slope * ((double)p->P[i] - (double)p->sheet_share[i] * u * at.along / step->h));
        }
        p->ax[i] += (float)a.x;
        p->ay[i] += (float)a.y;
        p->az[i] += (float)a.z;
    }
}

// After the pressure solve: forces of the pressure between samples and fluid.
void fm_sheets_push(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    if (!p->sheet)
        return;
    fm_parallel_for(step->around->pool, p->wet_count, FM_PARTICLES_BLOCK, push_samples,
                    (void *)step);
    fm_parallel_for(step->around->pool, p->count, FM_PARTICLES_BLOCK, push_fluid, (void *)step);
}

// Adds the impulse that a stopped particle gives to sample b.
void fm_sheets_add_impulse(fm_particles *p, int b, fm_vec3 impulse)
{
    p->sheet[b].soft = fm_add(p->sheet[b].soft, impulse);
}

// Distributes the tangential impulses of the pressure over the wet area of each surface.
static void spread_tangential(fm_particles *p)
{
    for (int m = 0; m < p->surface_count; m++) {
        fm_vec3 sum = {0};
        double wet = 0;
        for (int w = 0; w < p->wet_count; w++) {
            int k, b = p->wet[w];
            fm_samples *s = fm_boundary_surface(p, b, &k);
            if (s != p->surfaces[m] || !p->sheet[b].active)
                continue;
            sum = fm_add(sum, p->sheet[b].tangential);
            wet += s->area[k] * s->wet[k];
        }
        for (int w = 0; w < p->wet_count && wet > 0; w++) {
            int k, b = p->wet[w];
            fm_samples *s = fm_boundary_surface(p, b, &k);
            if (s == p->surfaces[m] && p->sheet[b].active)
                p->sheet[b].soft =
                    fm_add_scaled(p->sheet[b].soft, sum, s->area[k] * s->wet[k] / wet);
        }
    }
}

// Sets impulse and load of one sample, and what it passes on to the fluid.
static void finish_sample(const fm_particles_step *step, fm_samples *s, int k, int b)
{
    fm_particles *p = step->p;
    fm_sheet_sample *sheet = &p->sheet[b];
    const bool held = !(sheet->inverse_mass > 0);
    const double M = s->added_mass[k];
    fm_vec3 J = fm_add(sheet->given, sheet->pressure);
    fm_vec3 hit = fm_scale(sheet->soft, held ? 0 : 1 / (sheet->mass + M));
    fm_vec3 dv = fm_scale(J, sheet->inverse_mass);
    fm_vec3 received = held ? fm_add(J, sheet->soft) : fm_scale(fm_add(dv, hit), sheet->mass);
    s->impulse_to_body[k] = fm_add(s->impulse_to_body[k], received);
    fm_vec3 passed = fm_add_scaled(sheet->passed, dv, held ? 0 : s->borrowed_mass[k]);
    passed = fm_add_scaled(passed, hit, held ? 0 : M);
    s->added_mass[k] = LAYER * M;
    fm_vec3 F = fm_scale(fm_sub(J, sheet->returned), 1 / step->h);
    F = fm_add_scaled(s->load[k], fm_sub(F, s->load[k]), fmin(1, step->h / step->p->longest));
    s->load[k] = held ? (fm_vec3){0} : fm_scale(s->normal[k], fm_dot(F, s->normal[k]));
    p->spread_impulse[b] = fm_scale(passed, 1 / p->sample_sums[b].mass);
}

static void receive_range(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    const double inverse = 1 / p->R;
    for (int i = first; i < last; i++) {
        const int *list = fm_neighbours_in_boundary(p, i, buffer, &count, &padding);
        fm_vec3 sum = {0};
        for (int n = 0; n < count - padding; n++) {
            if (!is_sheet(p, list[n]))
                continue;
            pair at = find_pair(p, i, list[n]);
            double u = fmax(0, 1 - fm_length(at.r) * inverse), u2 = u * u;
            sum = fm_add_scaled(sum, p->spread_impulse[list[n]], u2 * u2 * (5 - 4 * u));
        }
        double scale = p->mass_share[i] / (p->def.density * p->volume);
        p->now.vx[i] += (float)(scale * sum.x);
        p->now.vy[i] += (float)(scale * sum.y);
        p->now.vz[i] += (float)(scale * sum.z);
    }
}

// At the end of the substep: gives impulses and loads to the surfaces.
void fm_sheets_finish(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    if (!p->sheet)
        return;
    spread_tangential(p);
    p->longest = fm_particles_stable_step(p);
    for (int w = 0; w < p->wet_count; w++) {
        int k, b = p->wet[w];
        fm_samples *s = fm_boundary_surface(p, b, &k);
        if (!s || !p->sheet[b].active)
            continue;
        finish_sample(step, s, k, b);
        s->impulse_to_fluid[k] = s->tangential_impulse[k] = (fm_vec3){0};
    }
    for (int m = 0; m < p->surface_count; m++) { // dry samples give back their load
        fm_samples *s = p->surfaces[m];
        for (int k = 0; k < s->count && !s->passive; k++) {
            if (s->wet[k] > 0)
                continue;
            double mass = s->inverse_mass[k] > 0 ? 1 / s->inverse_mass[k] : 0;
            double inertia = mass + s->borrowed_mass[k];
            fm_vec3 back = fm_scale(s->load[k], -step->h);
            fm_vec3 received = inertia > 0 ? fm_scale(back, mass / inertia) : back;
            s->impulse_to_body[k] = fm_add(s->impulse_to_body[k], received);
            s->impulse_to_fluid[k] = fm_add(s->impulse_to_fluid[k], s->tangential_impulse[k]);
            s->impulse_to_fluid[k] = fm_sub(s->impulse_to_fluid[k], received);
            s->load[k] = (fm_vec3){0};
        }
    }
    fm_parallel_for(step->around->pool, p->count, FM_PARTICLES_BLOCK, receive_range, (void *)step);
    if (getenv("DBF")) {
        int b = 0; double vb = 0, ke = 0, big = 0; int bp = 0;
        for (int i = 0; i < p->count; i++) {
            double v = p->now.vx[i]*p->now.vx[i]+p->now.vy[i]*p->now.vy[i]+p->now.vz[i]*p->now.vz[i];
            ke += v / 2 / p->count;
            if (v > vb) vb = v, b = i;
            if (p->P[i] > big) big = p->P[i], bp = i;
        }
        fprintf(stderr, "t %.4f h %.3g ke %.3f vmax %.2f i %d at %.4f %.4f %.4f v %.2f %.2f %.2f pre %.2f %.2f %.2f P %.3g diag %.3g fill %.2f near %d surf %d | Pmax %.3g at %.3f %.3f %.3f diag %.3g fill %.2f it %lld\n", step->t, step->h, ke, sqrt(vb), b, p->now.x[b], p->now.y[b], p->now.z[b], p->now.vx[b], p->now.vy[b], p->now.vz[b], p->fluid.density[b].vx, p->fluid.density[b].vy, p->fluid.density[b].vz, p->P[b], p->diagonal[b]*p->R*p->R, p->fill[b], p->near_boundary_count[b], p->is_surface[b], big, p->now.x[bp], p->now.y[bp], p->now.z[bp], p->diagonal[bp]*p->R*p->R, p->fill[bp], (long long)p->stats.iteration_count);
    }
    if (getenv("DBG")) {
        double vs = 0, vp = 0, v0 = 0, sf = 0, vsoft = 0, sp = 0, stg = 0, ld = 0;
        for (int w = 0; w < p->wet_count; w++) {
            int k, b = p->wet[w];
            fm_samples *s = fm_boundary_surface(p, b, &k);
            if (!s || !p->sheet[b].active || p->sheet[b].inverse_mass <= 0)
                continue;
            vs = fmax(vs, fabs(p->sheet[b].speed));
            vp = fmax(vp, fm_length(s->body_velocity[k]));
            v0 = fmax(v0, fm_length(s->start_velocity[k]));
            sf = fmax(sf, fm_length(p->sheet[b].soft));
            sp = fmax(sp, fm_length(p->sheet[b].pressure)*p->sheet[b].inverse_mass);
            stg = fmax(stg, fm_length(p->sheet[b].given)*p->sheet[b].inverse_mass);
            double i = p->sheet[b].inverse_mass;
            vsoft = fmax(vsoft, fm_length(p->sheet[b].soft) / (p->sheet[b].mass + s->added_mass[k] / LAYER)); (void)i;
            ld = fmax(ld, fm_length(s->load[k]) / s->area[k]);
        }
        int worst = -1;
        for (int w = 0; w < p->wet_count; w++) {
            int b = p->wet[w];
            if (p->sheet[b].active && p->sheet[b].inverse_mass > 0 && (worst < 0 || fabs(p->sheet[b].speed) > fabs(p->sheet[p->wet[worst]].speed)))
                worst = w;
        }
        if (worst >= 0) {
            int k, b = p->wet[worst];
            fm_samples *s = fm_boundary_surface(p, b, &k);
            sums sum = sum_fluid(p, worst, p->P);
            fprintf(stderr, "  worst at %g %g %g n %g %g %g: w %g K %g area %g m/A %g K/A %g ku/K %g hq/K %g wK %g sides %g %g wet %g\n", s->start_position[k].x, s->start_position[k].y, s->start_position[k].z, s->normal[k].x, s->normal[k].y, s->normal[k].z, p->sheet[b].inverse_mass, sum.K, s->area[k], 1/p->sheet[b].inverse_mass/s->area[k], sum.K/s->area[k], sum.ku/sum.K, step->h*p->def.density*p->volume*sum.q/sum.K, p->sheet[b].inverse_mass*sum.K, p->sample_sums[b].side[0], p->sample_sums[b].side[1], s->wet[k]);
        }
        fprintf(stderr, "h %.3g vs %.3g vp %.3g v0 %.3g soft-dv %.3g press-dv %.3g given-dv %.3g load %.3g Pa vmax %.3g it %lld\n", step->h, vs, vp, v0, vsoft, sp, stg, ld, p->max_speed, (long long)p->stats.iteration_count);
    }
}
