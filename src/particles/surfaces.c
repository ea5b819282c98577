// SPDX-License-Identifier: MIT
// surfaces.c: thin surfaces in a fluid, by their samples.
//
// A sample is a point like those of walls (boundary.c), with the volume V = area x spacing: a layer
// of them takes the place of a layer of particles, and forces between them and the fluid are those
// of forces.c, pair by pair. What is different from a wall:
//
//     buoyancy    the layer is thicker than the surface. Where there is fluid on both sides, what
//                 it displaces too much is fluid that clings to it, and has its weight:
//                     F = rho (V - area thickness) g both
//     pressure    a sample has none, each side of the surface sees that of its own fluid:
//                     P_side = sum_j [ P_j + g . (x_s - x_j) ] W_sj / sum_j W_sj,   j on that side
//                 One for both would be their mean: a stream that presses on the one and draws at
//                 the other would meet half of the push it needs
//     edgewise    pressure acts across a thin surface; the layer has edges that it would press
//                 together. What it does along the surface is given to all of its wet part evenly
//     layer       the mass M by which the surface answers (cloth/samples.c): half of that of the
//                 particles beside it, each shared out among the samples s around it,
//                     M_s = 1/2 A_s sum_i c_i w_is,     c_i = m / max(sum_s A_s w_is, S)
//                 S being the sum a spacing away from a plane: further out the share fades
//     handed on   an impulse that the surface has for the fluid goes back along the same shares,
//                     m dv_i = c_i sum_s w_is A_s J_s / (2 M_s)
//                 so that a particle takes half of the change of velocity around it and no more
//     stopped     particles that still cross it in a substep are put back on the side they came
//                 from and lose what goes into it; the surface gets that. In a fold that may be
//                 behind the other side: they are put back from there too, and where that has no
//                 end, stay where they were on the surface
//
//     wet = (up + down) / half,   both = min(up, down) / half,   at most 1
//
// with up and down the sums V_j W_j over the fluid on either side and half that of a lattice that
// fills one side, beginning a spacing away. Passive samples have no volume: they only look.
//
//   rho  density at rest, kg/m^3    W  kernel, scaled as in density.c    g  gravity, m/s^2
#include "particles/particles.h"

#include <stdlib.h>

static const double LENT = 0.5;  // of the mass beside it, to the surface
static const double APART = 0.1; // spacings: where those are put back to that crossed
static const double FEW = 1e-6;  // of kernels: less is nobody
static const double ASIDE = 0.1; // spacings: samples there are a rim; 0.2 misses some of it
static const double COVER = 1.1; // parts are larger, for what turns and stretches on the way

enum { FOLDS = 4 }; // times that a particle is put back before it is left where it was

bool fm_particles_attach(fm_particles *p, fm_samples *samples, fm_error *err)
{
    if (p->prepared)
        return fm_fail(err, FM_BAD_VALUE, p->name, "coupling", "added later",
                       "before the first advance");
    if (p->surface_count == FM_SURFACES_MAX)
        return fm_fail_number(err, p->name, "coupled bodies", p->surface_count + 1, "at most 64");
    p->surfaces[p->surface_count++] = samples;
    return true;
}

float fm_surfaces_volume(const fm_particles *p, int surface, int point)
{
    const fm_samples *s = p->surfaces[surface];
    int k = point - p->surface_start[surface];
    return s->passive ? 0 : (float)(s->area[k] * p->def.spacing);
}

// In the layer around a surface that its samples stand for: as much fluid as they have volume.
static bool is_inside(const fm_cells *cells, const fm_samples *s, fm_vec3 x, double spacing)
{
    const double half = spacing / 2, slack = 1e-9 * spacing; // of two at the rims, one
    fm_cell centre = fm_cells_at(cells, x.x, x.y, x.z);
    for (int k = 0; k < 27; k++) {
        fm_cell cell = {centre.x + k % 3 - 1, centre.y + k / 3 % 3 - 1, centre.z + k / 9 - 1};
        int bucket = fm_cells_bucket(cells, cell);
        for (int at = cells->start[bucket]; at < cells->start[bucket + 1]; at++) {
            int i = cells->order[at];
            fm_vec3 r = fm_sub(x, s->before[i]);
            double d = fm_dot(r, s->turned[i]), reach = COVER * s->reach[i];
            if (d >= -half - slack && d < half - slack && fm_dot(r, r) - d * d < reach * reach)
                return true;
        }
    }
    return false;
}

static void move_parcel(fm_parcels *q, int to, int from)
{
    q->x[to] = q->x[from], q->y[to] = q->y[from], q->z[to] = q->z[from];
    q->vx[to] = q->vx[from], q->vy[to] = q->vy[from], q->vz[to] = q->vz[from];
    q->s[to] = q->s[from];
    q->id[to] = to;
}

bool fm_particles_make_room(fm_particles *p, const fm_samples *s, fm_error *err)
{
    fm_arena arena = {0};
    fm_cells cells;
    size_t n = (size_t)s->count + 1;
    double *x = fm_arena_alloc(&arena, 3 * n, sizeof *x, p->name, err), *y = x + n, *z = y + n;
    if (x && fm_cells_alloc(&cells, &arena, s->count + 1, err)) {
        for (int i = 0; i < s->count; i++)
            x[i] = s->before[i].x, y[i] = s->before[i].y, z[i] = s->before[i].z;
        fm_cells_build(&cells, p->def.spacing, s->count, x, y, z);
        int kept = 0;
        for (int i = 0; i < p->count; i++) {
            fm_vec3 at = {p->now.x[i], p->now.y[i], p->now.z[i]};
            if (!is_inside(&cells, s, at, p->def.spacing))
                move_parcel(&p->now, kept++, i);
        }
        p->count = p->next_id = kept;
    }
    fm_arena_free(&arena);
    return err->status == FM_OK;
}

// The sum of V W over a lattice that fills one side of a plane through one of its points.
static double find_half(const fm_particles *p)
{
    int reach = (int)ceil(p->def.support);
    double plane = 0;
    for (int j = -reach; j <= reach; j++) {
        for (int i = -reach; i <= reach; i++) {
            double q = sqrt((double)(i * i + j * j)) / p->def.support;
            plane += q < 1 ? fm_kernel_shape(FM_WENDLAND, q) : 0;
        }
    }
    return (1 - plane * p->volume * (double)p->W) / 2;
}

// From one row to another, m.
static inline fm_vec3 find_way(const float *from, const float *to)
{
    return (fm_vec3){(double)to[FM_X] - (double)from[FM_X], (double)to[FM_Y] - (double)from[FM_Y],
                     (double)to[FM_Z] - (double)from[FM_Z]};
}

// 1 - q, at least 0. inverse: of the support.
static inline double find_nearness(fm_vec3 way, double inverse)
{
    double q = fm_length(way) * inverse;
    return q < 1 ? 1 - q : 0;
}

static inline double weigh(double u)
{
    double u2 = u * u;
    return u2 * u2 * (5 - 4 * u);
}

// Beside a rim the samples around a particle are all to one side of it, along the surface.
bool fm_surfaces_has_rim(const fm_particles *p, int i)
{
    int room[FM_NEIGHBOURS_ROOM], count, extra;
    const int *list = fm_others_of(p, i, room, &count, &extra);
    const float *own = p->fluid.density + FM_ROW * (size_t)i;
    const double inverse = 1 / p->R;
    fm_vec3 aside = {0};
    double sum = 0;
    for (int n = 0; n < count - extra; n++) {
        int k, surface = fm_others_surface(p, list[n], &k);
        if (surface < 0)
            continue;
        const float *row = p->others.density + FM_ROW * (size_t)list[n];
        fm_vec3 r = find_way(own, row), normal = p->surfaces[surface]->normal[k];
        double u = find_nearness(r, inverse), w = u * u * (double)row[FM_V];
        sum += w; // 0 for passive ones
        aside = fm_add_scaled(aside, fm_add_scaled(r, normal, -fm_dot(r, normal)), w);
    }
    return fm_length(aside) > ASIDE * p->def.spacing * sum;
}

typedef struct view {
    double sum, side[2]; // of kernels: all, below and above
    double mass;         // kg/m^2, of the particles' shares
    fm_vec3 velocity;    // times them
    double P[2];         // m^2/s^2, of either side
    fm_vec3 push;        // m/s^2 over p->F: what those do to the sample
    fm_vec3 pressure;    // the same with that of the particles
} view;

// What the kernel's slope makes of a pressure, over p->F and the way to the one with that row.
static inline double press(const float *row, double u)
{
    return -20 * u * u * u * (double)row[FM_V];
}

static view look_around(const fm_particles *p, int i, fm_vec3 normal, fm_vec3 g)
{
    int list[FM_NEIGHBOURS_ROOM], extra;
    int count = fm_find_list(p, &p->others, i, &p->fluid, -1, list, &extra) - extra;
    const float *own = p->others.force + FM_ROW * (size_t)i;
    const double inverse = 1 / p->R;
    fm_vec3 slope[2] = {{0}};
    view v = {0};
    for (int k = 0; k < count; k++) {
        const float *row = p->fluid.force + FM_ROW * (size_t)list[k];
        fm_vec3 r = find_way(own, row);
        double u = find_nearness(r, inverse), w = weigh(u), a = press(row, u), P = row[FM_P];
        int side = fm_dot(r, normal) > 0;
        v.side[side] += w;
        v.P[side] += w * (P - fm_dot(g, r));
        v.mass += p->share[list[k]] * w;
        slope[side] = fm_add_scaled(slope[side], r, a);
        v.pressure = fm_add_scaled(v.pressure, r, a * P);
        v.velocity = fm_add_scaled(v.velocity, (fm_vec3){row[FM_VX], row[FM_VY], row[FM_VZ]}, w);
    }
    for (int side = 0; side < 2; side++) {
        v.P[side] = v.side[side] > FEW ? v.P[side] / v.side[side] : 0;
        v.push = fm_add_scaled(v.push, slope[side], v.P[side]);
    }
    v.sum = v.side[0] + v.side[1];
    v.pressure = fm_add(v.pressure, v.push);
    return v;
}

typedef struct share_out {
    const fm_particles_step *step;
    double plane;
} share_out;

// The integral of the kernel over a plane a spacing away, m^2.
static double find_plane(const fm_particles *p)
{
    enum { PARTS = 200 };
    double q0 = p->def.spacing / p->R, dq = (1 - q0) / PARTS, sum = 0;
    for (int i = 0; i < PARTS; i++) {
        double q = q0 + (i + 0.5) * dq;
        sum += fm_kernel_shape(FM_WENDLAND, q) * q * dq;
    }
    return 2 * FM_PI * p->R * p->R * sum;
}

// What of a particle each sample near it gets, per area and kernel.
static void share_range(void *context, int first, int last)
{
    const share_out *s = context;
    fm_particles *p = s->step->p;
    const double inverse = 1 / p->R;
    int room[FM_NEIGHBOURS_ROOM], count, extra;
    for (int i = first; i < last; i++) {
        const int *list = fm_others_of(p, i, room, &count, &extra);
        const float *own = p->fluid.force + FM_ROW * (size_t)i;
        double sum = 0;
        for (int n = 0; n < count - extra; n++) {
            int k, surface = fm_others_surface(p, list[n], &k);
            if (surface < 0 || p->surfaces[surface]->passive)
                continue;
            fm_vec3 r = find_way(own, p->others.force + FM_ROW * (size_t)list[n]);
            sum += p->surfaces[surface]->area[k] * weigh(find_nearness(r, inverse));
        }
        p->share[i] = p->def.density * p->volume / fmax(sum, s->plane);
    }
}

typedef struct look {
    const fm_particles_step *step;
    double half;
} look;

// What a sample sees; what it gives to the fluid in this step, and takes from it besides forces.
static void look_range(void *context, int first, int last)
{
    const look *l = context;
    fm_particles *p = l->step->p;
    double full = p->volume * (double)p->W / l->half;
    for (int w = first; w < last; w++) {
        int k, i = p->wet[w];
        p->spread[i] = (fm_vec3){0};
        p->sides[i] = (fm_sides){0};
        int surface = fm_others_surface(p, i, &k);
        if (surface < 0)
            continue;
        fm_samples *s = p->surfaces[surface];
        view v = look_around(p, i, s->normal[k], l->step->around->gravity);
        if (!(v.sum > 0))
            continue;
        s->wet[k] = fmin(1, full * v.sum);
        s->velocity[k] = fm_scale(v.velocity, 1 / v.sum);
        if (s->passive)
            continue;
        double V = s->area[k] * p->def.spacing, both = fmin(1, full * fmin(v.side[0], v.side[1]));
        double much = p->def.density * (V - s->area[k] * s->thickness);
        double along = fm_dot(v.pressure, s->normal[k]);
        s->layer[k] = LENT * s->area[k] * v.mass;
        s->clinging[k] = much * both;
        double scale = p->def.density * V * (double)p->F * l->step->h;
        s->impulse[k] = fm_add_scaled(s->impulse[k], v.push, scale);
        s->edgewise[k] = fm_scale(fm_sub(v.pressure, fm_scale(s->normal[k], along)), scale);
        p->sides[i] = (fm_sides){{v.P[0], v.P[1]}};
        p->spread[i] = fm_scale(s->handed[k], 1 / v.mass);
        s->handed[k] = (fm_vec3){0};
    }
}

void fm_surfaces_look(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    if (p->surface_count == 0)
        return;
    for (int m = 0; m < p->surface_count; m++) {
        fm_samples *s = p->surfaces[m];
        for (int k = 0; k < s->count; k++) { // far from the domain they see nothing
            s->wet[k] = s->layer[k] = s->clinging[k] = 0;
            s->edgewise[k] = (fm_vec3){0};
        }
    }
    share_out share = {step, find_plane(p)};
    fm_parallel_for(step->around->pool, p->count, FM_PARTICLES_BLOCK, share_range, &share);
    look l = {step, find_half(p)};
    fm_parallel_for(step->around->pool, p->wet_count, FM_PARTICLES_BLOCK, look_range, &l);
}

// What samples hand to a particle, and what the pressures of its side of them do.
static fm_vec3 find_hand(const fm_particles_step *step, int i)
{
    const fm_particles *p = step->p;
    const double inverse = 1 / p->R;
    const float *own = p->fluid.force + FM_ROW * (size_t)i;
    int room[FM_NEIGHBOURS_ROOM], count, extra;
    const int *list = fm_others_of(p, i, room, &count, &extra);
    fm_vec3 handed = {0}, push = {0};
    for (int n = 0; n < count - extra; n++) {
        int k, o = list[n], surface = fm_others_surface(p, o, &k);
        if (surface < 0)
            continue;
        const float *row = p->others.force + FM_ROW * (size_t)o;
        fm_vec3 r = find_way(row, own);
        double u = find_nearness(r, inverse);
        double P = p->sides[o].P[fm_dot(r, p->surfaces[surface]->normal[k]) > 0];
        handed = fm_add_scaled(handed, p->spread[o], weigh(u));
        push = fm_add_scaled(push, r, -press(row, u) * P);
    }
    push = fm_scale(push, (double)(p->F * fm_volume_at(p, own[FM_P])));
    return fm_add_scaled(push, handed, p->share[i] / (p->def.density * p->volume * step->h));
}

static void hand_range(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    for (int i = first; i < last; i++) {
        if (p->other_count[i] == 0)
            continue;
        fm_vec3 a = find_hand(step, i);
        p->ax[i] += (float)a.x;
        p->ay[i] += (float)a.y;
        p->az[i] += (float)a.z;
    }
}

void fm_surfaces_hand_on(const fm_particles_step *step)
{
    if (step->p->surface_count > 0)
        fm_parallel_for(step->around->pool, step->p->count, FM_PARTICLES_BLOCK, hand_range,
                        (void *)step);
}

// Takes back what pressure does along the surface, and gives the sum of it to all that is wet.
static void even_out(fm_samples *s)
{
    fm_vec3 sum = {0};
    double wet = 0;
    for (int k = 0; k < s->count; k++) {
        sum = fm_add(sum, s->edgewise[k]);
        wet += s->area[k] * s->wet[k];
    }
    for (int k = 0; k < s->count && wet > 0; k++) {
        fm_vec3 change = fm_scale(sum, s->area[k] * s->wet[k] / wet);
        s->impulse[k] = fm_add(s->impulse[k], fm_sub(change, s->edgewise[k]));
    }
}

void fm_surfaces_push(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    for (int w = 0; w < p->wet_count && p->surface_count > 0; w++) {
        int k, i = p->wet[w], surface = fm_others_surface(p, i, &k);
        if (surface < 0 || p->surfaces[surface]->passive)
            continue;
        fm_samples *s = p->surfaces[surface];
        fm_vec3 sink = fm_scale(step->around->gravity, s->clinging[k] * step->h);
        s->impulse[k] = fm_add_scaled(fm_add(s->impulse[k], sink), p->force[i], step->h);
        p->stats.clinging = fm_add(p->stats.clinging, sink);
    }
    for (int m = 0; m < p->surface_count; m++)
        if (!p->surfaces[m]->passive)
            even_out(p->surfaces[m]);
}

// A particle's way past one sample: distances from its plane before and behind, m, and how far from
// the sample it crossed: 1 is at the border of the sample's part of the surface.
typedef struct passage {
    double from, to, aside;
} passage;

static passage find_passage(const fm_samples *s, int k, double t0, double t1, fm_vec3 x0,
                            fm_vec3 x1)
{
    fm_vec3 r0 = fm_sub(x0, fm_sample_at(s, k, t0)), r1 = fm_sub(x1, fm_sample_at(s, k, t1));
    double a = fm_dot(r0, s->turned[k]), b = fm_dot(r1, s->normal[k]);
    if ((a > 0) == (b > 0))
        return (passage){a, b, INFINITY};
    double part = a / (a - b);
    fm_vec3 r = fm_add_scaled(r0, fm_sub(r1, r0), part);
    double along = fm_dot(r, s->along[k]), across = fm_dot(r, s->across[k]);
    return (passage){a, b, 3 * fmax(along + across, -fmin(along, across))};
}

// The sample whose part the way from x0 to x1 crosses nearest to its middle; -1 for none.
static int find_crossed(const fm_particles_step *step, int i, fm_vec3 x0, fm_vec3 x1,
                        passage *nearest)
{
    const fm_particles *p = step->p;
    int room[FM_NEIGHBOURS_ROOM], count, extra, crossed = -1;
    const int *list = fm_others_of(p, i, room, &count, &extra);
    nearest->aside = INFINITY;
    for (int n = 0; n < count - extra; n++) {
        int k, surface = fm_others_surface(p, list[n], &k);
        if (surface < 0 || p->surfaces[surface]->passive)
            continue;
        const fm_samples *s = p->surfaces[surface];
        passage way = find_passage(s, k, step->t - step->h, step->t, x0, x1);
        if (way.aside < COVER && way.aside < nearest->aside) {
            *nearest = way;
            crossed = list[n];
        }
    }
    return crossed;
}

// From the part that the way of a particle crosses, and again until it crosses none.
// Gives the last sample, or -1 for none; x and v are then where the particle is put and how fast it
// goes on.
static int put_back(const fm_particles_step *step, int i, fm_vec3 x0, fm_vec3 *x, fm_vec3 *v)
{
    const fm_particles *p = step->p;
    int last = -1;
    for (int n = 0; n <= FOLDS; n++) {
        passage way;
        int k, crossed = find_crossed(step, i, x0, *x, &way);
        if (crossed < 0)
            break;
        const fm_samples *s = p->surfaces[fm_others_surface(p, crossed, &k)];
        if (n == FOLDS) { // too narrow a fold: it goes along with the surface
            *x = fm_add_scaled(x0, fm_sample_velocity(s, k), step->h);
            *v = fm_sample_velocity(s, k);
            break;
        }
        double side = way.from > 0 ? 1 : -1;
        fm_vec3 normal = fm_scale(s->normal[k], side);
        double into = fm_dot(fm_sub(*v, fm_sample_velocity(s, k)), normal);
        *x = fm_add_scaled(*x, normal, APART * p->def.spacing - side * way.to);
        *v = fm_add_scaled(*v, normal, -fmin(into, 0));
        last = crossed;
    }
    return last;
}

void fm_surfaces_stop(const fm_particles_step *step, int first, int last)
{
    fm_particles *p = step->p;
    fm_parcels *now = &p->now;
    const double h2 = step->h / 2;
    for (int i = first; i < last; i++) {
        p->stopped_by[i] = -1;
        if (p->other_count[i] == 0)
            continue;
        const float *row = p->fluid.force + FM_ROW * (size_t)i; // in the middle of the substep
        fm_vec3 x0 = {p->rows.origin[0] + (double)row[FM_X] - h2 * (double)row[FM_VX],
                      p->rows.origin[1] + (double)row[FM_Y] - h2 * (double)row[FM_VY],
                      p->rows.origin[2] + (double)row[FM_Z] - h2 * (double)row[FM_VZ]};
        fm_vec3 x = {now->x[i], now->y[i], now->z[i]}, v = {now->vx[i], now->vy[i], now->vz[i]};
        const fm_vec3 before = v;
        p->stopped_by[i] = put_back(step, i, x0, &x, &v);
        if (p->stopped_by[i] < 0)
            continue;
        p->stopped[i] = fm_sub(v, before);
        now->x[i] = x.x, now->y[i] = x.y, now->z[i] = x.z;
        now->vx[i] = (float)v.x, now->vy[i] = (float)v.y, now->vz[i] = (float)v.z;
    }
}

void fm_surfaces_settle(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    for (int i = 0; i < p->count && p->surface_count > 0; i++) {
        if (p->stopped_by[i] < 0)
            continue;
        int k, surface = fm_others_surface(p, p->stopped_by[i], &k);
        fm_samples *s = p->surfaces[surface];
        s->impulse[k] = fm_add_scaled(s->impulse[k], p->stopped[i], -p->def.density * p->volume);
        p->stats.stopped_count++;
    }
}
