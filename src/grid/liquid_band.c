// SPDX-License-Identifier: MIT
// liquid_band.c: a liquid that has particles only in a band below its surface [FFT16].
//
// With def.band = B > 0, cells deeper than B + HYSTERESIS become core: they have no particles, and
// become part of the band again when they are less than B deep. Cells near colliders, bodies,
// sources, sinks and sides through which liquid flows always have particles. The velocity of the
// core stays on the grid,
//
//     u(x, t + dt) = u(x - dt u(x - dt/2 u), t)                         semi-Lagrangian
//
// with cubic interpolation: of third order in space, where the particles are of second order. The
// velocity that moves it and its time step are those with which the particles have moved. Where
// particles are missing around a face beside the core, so that the sum m of their weights is below
// 1,
//
//     u = m u_particles + (1 - m) u_core
//
// Particles that flow into the core are removed. Cells of the band beside it, up to one cell
// farther than the fastest particle moves, and all cells that leave the core, get particles where
// these are less than LOW of their volume, and lose some where they are more than HIGH. A new
// particle has the velocity, and the derivatives, of the place from which the flow has carried it.
//
// Volume: `volume` is that of the liquid without particles. A particle that is removed adds its
// volume to it, a new one takes its volume from it, so that the sum does not change.
// Where `volume` exceeds that of the core cells, the band has too few particles: cells beside the
// core are then filled up to DENSER more, or as much less. Else the density of the band drifts, by
// the chance of single particles, and waves with it. In the UNEVEN layers beside the core particles
// are not moved to even out their density (liquid_density.c), which would shift the surface.
//
//   m  1, relative to a full cell    u  velocity, m/s    B  spacings
//
// [FFT16] Ferstl, Ando, Wojtan, Westermann, Thuerey: Narrow band FLIP for liquid simulations.
//         Computer Graphics Forum 35(2), 2016.
#include "grid/liquid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CORE = 1, BESIDE = 2 }; // layers of cells
// Marks of cells: always with particles, for a source or the like, or for a body; no longer core.
enum { KEEP = 1, BODY = 2, LEFT = 4 };
static const double HYSTERESIS = 0.5;      // spacings
static const double SOLID = 1.9;           // spacings, from a collider up to which there are some
static const double BODY_REACH = 2;        // spacings, the same for samples of bodies
static const double LOW = 0.6, HIGH = 1.4; // volumes of a cell
static const double DENSER = 0.1;          // density of new particles, less 1, at most
static const double SHALLOWEST = 1;        // spacings, depth of cells that get particles
static const double JITTER = 0.9; // range of random places, relative to the pitch of the lattice
enum {
    RIM_MAX = 4, // layers of cells beside the core that get particles
    UNEVEN = 2   // layers in which the density is not evened out
};

// Whether the liquid has a core.
static bool has_band(const fm_liquid *l)
{
    return l->band.layer != NULL;
}

// Allocates the arrays of a liquid with a band.
void fm_liquid_allocate_band(fm_liquid *l, fm_error *err)
{
    if (l->def.band == 0)
        return;
    size_t count = l->grid->count;
    l->band.layer = fm_arena_alloc(&l->arena, count, 1, l->object.name, err);
    l->band.next = fm_arena_alloc(&l->arena, count, 1, l->object.name, err);
    l->band.marks = fm_arena_alloc(&l->arena, count, 1, l->object.name, err);
}

// Particles per cell at the start.
static int find_sites(const fm_liquid *l)
{
    int n = l->def.sampling;
    return l->grid->active[2] ? n * n * n : n * n;
}

int fm_liquid_find_core_points(const fm_liquid *l)
{
    return l->band.cells * find_sites(l);
}

// Indices of the first cell of a row.
static void find_row(const fm_grid *g, ptrdiff_t q, int at[3])
{
    ptrdiff_t from = q - g->start;
    at[0] = 0;
    at[2] = (int)(from / g->stride[2]);
    at[1] = (int)((from - at[2] * g->stride[2]) / g->stride[1]);
}

// Marks the cells whose centres are less than `reach` spacings outside a box, m.
static void mark_box(fm_liquid *l, fm_vec3 low, fm_vec3 high, double reach, unsigned char mark)
{
    const fm_grid *g = l->grid;
    const double from[3] = {low.x - g->def.low.x, low.y - g->def.low.y, low.z - g->def.low.z};
    const double to[3] = {high.x - g->def.low.x, high.y - g->def.low.y, high.z - g->def.low.z};
    int first[3], last[3];
    for (int a = 0; a < 3; a++) {
        double least = from[a] / g->h - reach - 0.5, most = to[a] / g->h + reach - 0.5;
        first[a] = g->active[a] ? (int)fm_double_max(0, fm_double_min(g->n[a], ceil(least))) : 0;
        last[a] =
            g->active[a] ? (int)fm_double_max(-1, fm_double_min(g->n[a] - 1, floor(most))) : 0;
    }
    for (int k = first[2]; k <= last[2]; k++)
        for (int j = first[1]; j <= last[1]; j++)
            for (int i = first[0]; i <= last[0]; i++)
                l->band.marks[fm_grid_index(g, i, j, k)] |= mark;
}

// Marks the cells within `reach` cells of the faces of a side through which liquid may flow.
static void mark_side(fm_liquid *l, int side, double reach)
{
    const fm_grid *g = l->grid;
    int axis = side / 2, at[3];
    if (!g->active[axis])
        return;
    int end[3] = {g->n[0], g->n[1], g->n[2]};
    end[axis] = 1;
    for (at[2] = 0; at[2] < end[2]; at[2]++)
        for (at[1] = 0; at[1] < end[1]; at[1]++)
            for (at[0] = 0; at[0] < end[0]; at[0]++) {
                int cell[3] = {at[0], at[1], at[2]};
                cell[axis] = side % 2 ? g->n[axis] - 1 : 0;
                fm_grid_side_kind kind = fm_grid_find_condition(g, side, cell)->kind;
                fm_vec3 centre = fm_grid_centre(g, cell[0], cell[1], cell[2], 3);
                if (kind == FM_GRID_OPEN || kind == FM_GRID_INFLOW)
                    mark_box(l, centre, centre, reach + 0.01, KEEP);
            }
}

// Marks the cells that always have particles for other reasons than colliders and bodies.
void fm_liquid_prepare_band(fm_liquid *l)
{
    double reach = l->def.band;
    if (!has_band(l))
        return;
    memset(l->band.marks, 0, l->grid->count);
    for (int side = 0; side < FM_SIDE_COUNT; side++)
        mark_side(l, side, reach);
    for (int i = 0; i < l->source_count; i++) {
        const fm_fluid_source *s = &l->sources[i].def;
        fm_vec3 size = {s->radius, s->radius, s->radius};
        mark_box(l, fm_sub(s->centre, size), fm_add(s->centre, size), reach, KEEP);
    }
    for (int i = 0; i < l->sink_count; i++)
        mark_box(l, l->sinks[i].low, l->sinks[i].high, reach, KEEP);
}

// Marks the cells near the samples of bodies.
static void mark_bodies(fm_liquid *l)
{
    const fm_grid *g = l->grid;
    for (size_t i = 0; i < g->count; i++)
        l->band.marks[i] &= (unsigned char)~BODY;
    for (int b = 0; b < g->samples_count; b++)
        for (int i = 0; i < g->samples[b]->count; i++) {
            fm_vec3 at = fm_sample_position(g->samples[b], i, l->samples.end);
            mark_box(l, at, at, BODY_REACH + l->samples.reach, BODY);
        }
}

// Whether a collider is less than SOLID spacings from a corner of cell q.
static bool is_near_solid(const fm_grid *g, ptrdiff_t q)
{
    for (int corner = 0; corner < 8; corner++)
        if (g->distance[q + (corner & 1 ? g->stride[0] : 0) + (corner & 2 ? g->stride[1] : 0) +
                        (corner & 4 ? g->stride[2] : 0)] < SOLID * g->h)
            return true;
    return false;
}

// A loop over all cells.
typedef struct cells {
    fm_liquid *l;
    bool solids;         // the world has colliders
    unsigned char layer; // that is marked
} cells;

// Finds the core cells of a row. Returns their number.
static double classify_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const cells *job = context;
    const fm_liquid *l = job->l;
    int count = 0;
    for (ptrdiff_t i = q; i < q + length; i++) {
        bool before = l->band.layer[i] == CORE;
        double depth = l->def.band + (before ? 0 : HYSTERESIS);
        bool keep = (l->band.marks[i] & (KEEP | BODY)) != 0 || l->open_volume[i] == 0;
        bool core = -l->phi[i] > depth && !keep && !(job->solids && is_near_solid(g, i));
        l->band.layer[i] = core ? CORE : 0;
        l->band.marks[i] &= KEEP | BODY;
        l->band.marks[i] |= before && !core ? LEFT : 0;
        count += core;
    }
    return count;
}

// Whether any cell around q, or q itself, is in the layer before.
static bool is_beside(const fm_grid *g, const unsigned char *layer, ptrdiff_t q, unsigned char mark)
{
    int depth = g->active[2] ? 1 : 0;
    for (int k = -depth; k <= depth; k++)
        for (int j = -1; j <= 1; j++) {
            const unsigned char *row = layer + q + j * g->stride[1] + k * g->stride[2];
            if (row[-1] == mark || row[0] == mark || row[1] == mark)
                return true;
        }
    return false;
}

// Marks the cells of a row beside those of the layer before. Cells that have a mark keep it.
// Returns the number of new ones.
static double mark_layer_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const cells *job = context;
    const unsigned char *layer = job->l->band.layer;
    unsigned char before = (unsigned char)(job->layer - 1);
    int count = 0;
    for (ptrdiff_t i = q; i < q + length; i++) {
        bool marked = layer[i] == 0 && is_beside(g, layer, i, before);
        job->l->band.next[i] = marked ? job->layer : layer[i];
        count += marked;
    }
    return count;
}

// Marks the layers of cells beside the core. Returns the number of cells in the first `count`.
static double mark_layers(fm_liquid *l, int count, fm_pool *pool)
{
    double marked = 0;
    for (int n = 0; n < count || n < UNEVEN; n++) {
        double found = fm_grid_sum_rows(l->grid, pool, 5, mark_layer_row,
                                        &(cells){.l = l, .layer = (unsigned char)(BESIDE + n)});
        marked += n < count ? found : 0;
        unsigned char *layer = l->band.layer;
        l->band.layer = l->band.next;
        l->band.next = layer;
    }
    return marked;
}

// Whether the velocity of the low face of cell q along axis a needs that of the core: there may be
// too few particles around it.
static bool needs_core(const fm_liquid *l, int a, ptrdiff_t q)
{
    const unsigned char *layer = l->band.layer;
    unsigned char high = layer[q], low = layer[q - l->grid->stride[a]];
    return (high == CORE || high == BESIDE) && (low == CORE || low == BESIDE);
}

// Moves the velocities on the faces of a row, from grid->u to grid->old.
FM_SIMD_CLONES static void carry_row(fm_grid *g, void *context, int d, ptrdiff_t q, int length)
{
    const fm_liquid *l = context;
    int at[3];
    find_row(g, q, at);
    for (int i = 0; i < length; i++) {
        if (!needs_core(l, d, q + i))
            continue;
        double x[3] = {i + 0.5, at[1] + 0.5, at[2] + 0.5};
        x[d] -= 0.5;
        fm_liquid_follow_back(g, x, l->band.time);
        g->old[d][q + i] = fm_liquid_interpolate_cubic(g, g->u[d], x, d);
    }
}

void fm_liquid_carry_core(fm_liquid *l, fm_pool *pool)
{
    if (has_band(l) && l->band.cells > 0)
        fm_grid_for_faces(l->grid, pool, 60, carry_row, l);
}

// Adds the core to the velocities that the particles have given the faces of a row.
static void add_core_row(fm_grid *g, void *context, int d, ptrdiff_t q, int length)
{
    const fm_liquid *l = context;
    for (ptrdiff_t i = q; i < q + length; i++) {
        double m = g->rate[d][i];
        if (m >= 1 || !needs_core(l, d, i))
            continue;
        g->u[d][i] = m * g->u[d][i] + (1 - m) * g->old[d][i];
        g->rate[d][i] = 1;
    }
}

void fm_liquid_add_core(fm_liquid *l, fm_pool *pool)
{
    if (has_band(l) && l->band.cells > 0)
        fm_grid_for_faces(l->grid, pool, 5, add_core_row, l);
}

// The particles of the rim in a substep of dt seconds.
typedef struct rim {
    fm_liquid *l;
    double dt;
    double volume; // m^3, of a new particle
    double full;   // m^3, of the particles in a cell
    int layers;    // of the rim
    int before;    // particles that were listed; new ones follow
} rim;

// Which part of its cell, one for each site, contains particle i.
static int find_site(const fm_liquid *l, int i, const int at[3])
{
    int n = l->def.sampling, site = 0;
    for (int a = 2; a >= 0; a--) {
        if (!l->grid->active[a])
            continue;
        int part = (int)floor(n * (l->now.x[a][i] - at[a]));
        site = site * n + (part < 0 ? 0 : part >= n ? n - 1 : part);
    }
    return site;
}

// Marks particle i as removed: its volume becomes that of the core.
static void take(const rim *job, int i)
{
    fm_liquid *l = job->l;
    l->band.volume += l->now.volume[i];
    l->cell[i] = -1;
    if (l->band.spare_count < l->now.room)
        l->band.spare[l->band.spare_count++] = l->now.id[i];
}

// Adds a particle at a site of the cell `at`. False if the arrays are full.
static bool give(const rim *job, const int at[3], int site)
{
    fm_liquid *l = job->l;
    fm_grid *g = l->grid;
    int n = l->def.sampling, spare = -1, i = l->now.count;
    double x[3] = {0.5, 0.5, 0.5}, from[3];
    for (int a = 0; a < 3; a++) {
        if (g->active[a]) {
            double place = 0.5 + JITTER * (fm_rng_uniform(&l->band.rng) - 0.5);
            x[a] = at[a] + (site % n + place) / n;
            site /= n;
        }
        from[a] = x[a];
    }
    fm_liquid_follow_back(g, from, job->dt);
    if (l->band.spare_count > 0)
        spare = l->band.spare[l->band.spare_count - 1];
    int next = l->next_id;
    if (!fm_liquid_add_particle(l, x, (fm_vec3){0}, job->volume))
        return false;
    if (spare >= 0) {
        l->now.id[i] = spare;
        l->next_id = next;
        l->band.spare_count--;
    }
    fm_vec3 v = fm_liquid_read_velocity(l, i, from);
    l->now.v[0][i] = v.x, l->now.v[1][i] = v.y, l->now.v[2][i] = v.z;
    l->band.volume -= job->volume;
    return true;
}

// Gives particles to a cell, or takes some, until their volume is that of a full cell, rounded to
// particles at random: new ones in the emptiest parts, the last ones of the fullest.
static void resample(const rim *job, const int at[3], int cell, double volume)
{
    fm_liquid *l = job->l;
    int filled[64] = {0}, sites = find_sites(l), first = l->start[cell], last = l->start[cell + 1];
    for (int i = first; i < last; i++)
        filled[find_site(l, l->from[i], at)]++;
    double least = job->full - fm_rng_uniform(&l->band.rng) * job->volume;
    while (volume < least) {
        int best = (int)(fm_rng_uniform(&l->band.rng) * sites) % sites;
        for (int n = 0, site = best; n < sites; n++, site = (site + 1) % sites)
            best = filled[site] < filled[best] ? site : best;
        if (!give(job, at, best))
            return;
        filled[best]++;
        volume += job->volume;
    }
    for (int i = last - 1; i >= first && volume >= least + job->volume; i--) {
        int p = l->from[i], most = 0;
        for (int site = 0; site < sites; site++)
            most = filled[site] > most ? filled[site] : most;
        if (filled[find_site(l, p, at)] < most)
            continue;
        filled[find_site(l, p, at)]--;
        volume -= l->now.volume[p];
        take(job, p);
    }
}

// Volume of the listed particles in a cell, m^3.
static double find_volume(const fm_liquid *l, int cell)
{
    double volume = 0;
    for (int i = l->start[cell]; i < l->start[cell + 1]; i++)
        volume += l->now.volume[l->from[i]];
    return volume;
}

// Gives particles to a cell, or takes them from it. at: its indices.
static void update_cell(const rim *job, const int at[3], ptrdiff_t q)
{
    fm_liquid *l = job->l;
    int cell = at[0] + l->grid->n[0] * (at[1] + l->grid->n[1] * at[2]);
    bool left = (l->band.marks[q] & LEFT) != 0;
    if (l->band.layer[q] == CORE) {
        for (int i = l->start[cell]; i < l->start[cell + 1]; i++)
            take(job, l->from[i]);
        return;
    }
    bool near = l->band.layer[q] != 0 && l->band.layer[q] <= CORE + job->layers;
    if (!left && (!near || l->phi[q] > -SHALLOWEST || l->open_volume[q] < 1))
        return;
    double volume = find_volume(l, cell);
    if (left || volume < LOW * job->full || volume > HIGH * job->full)
        resample(job, at, cell, volume);
}

// Removes the particles that are marked; others move to their places.
static void remove_taken(const rim *job)
{
    fm_liquid *l = job->l;
    for (int i = job->before - 1; i >= 0; i--)
        if (l->cell[i] < 0)
            fm_liquid_copy_particle(&l->now, i, --l->now.count);
}

// Gives and takes particles in all cells of the core and beside it.
static void update_cells(rim *job)
{
    const fm_liquid *l = job->l;
    const fm_grid *g = l->grid;
    int at[3];
    for (at[2] = 0; at[2] < g->n[2]; at[2]++)
        for (at[1] = 0; at[1] < g->n[1]; at[1]++) {
            ptrdiff_t q = fm_grid_index(g, 0, at[1], at[2]);
            for (at[0] = 0; at[0] < g->n[0]; at[0]++)
                if (l->band.layer[q + at[0]] != 0 || (l->band.marks[q + at[0]] & LEFT) != 0)
                    update_cell(job, at, q + at[0]);
        }
    remove_taken(job);
}

// Updates core and band after the particles and the surface have moved for dt seconds.
void fm_liquid_update_band(fm_liquid *l, const fm_surroundings *around, double dt)
{
    fm_grid *g = l->grid;
    fm_pool *pool = around->pool;
    cells job = {.l = l, .solids = around->collider_count > 0};
    if (!has_band(l))
        return;
    if (fm_liquid_has_bodies(l))
        mark_bodies(l);
    l->band.time = dt;
    int before = l->band.cells;
    double cell = l->spacing_volume, excess = l->band.volume / cell - before;
    l->band.cells = (int)fm_grid_sum_rows(g, pool, 5, classify_row, &job);
    if (before == 0 && l->band.cells == 0)
        return;
    int layers = 1 + (int)fm_double_min(l->way, RIM_MAX - 1);
    double count = mark_layers(l, layers, pool);
    double denser = fm_double_max(-DENSER, fm_double_min(DENSER, excess / fm_double_max(1, count)));
    fm_liquid_list_cells(l, pool);
    rim particles = {l, dt, cell / find_sites(l), (1 + denser) * cell, layers, l->now.count};
    update_cells(&particles);
}

// Largest speed of the core cells of a row, m/s; NaN if any is.
static double find_fastest_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const fm_liquid *l = context;
    double fastest = 0;
    for (ptrdiff_t i = q; i < q + length; i++) {
        double square = 0;
        for (int a = 0; a < 3 && l->band.layer[i] == CORE; a++) {
            double u = 0.5 * (g->u[a][i] + g->u[a][i + g->stride[a]]);
            square += g->active[a] ? u * u : 0;
        }
        if (isnan(square))
            return square;
        fastest = fm_double_max(fastest, square);
    }
    return sqrt(fastest);
}

double fm_liquid_fastest_core(fm_liquid *l, fm_pool *pool)
{
    if (!has_band(l) || l->band.cells == 0)
        return 0;
    return fm_grid_max_rows(l->grid, pool, 3, find_fastest_row, l);
}

void fm_liquid_measure_core(const fm_liquid *l, fm_liquid_core *core)
{
    const fm_grid *g = l->grid;
    *core = (fm_liquid_core){0};
    for (int k = 0; k < g->n[2] && has_band(l) && l->band.cells > 0; k++)
        for (int j = 0; j < g->n[1]; j++)
            for (int i = 0; i < g->n[0]; i++) {
                ptrdiff_t q = fm_grid_index(g, i, j, k);
                double v[3] = {0};
                for (int a = 0; a < 3 && l->band.layer[q] == CORE; a++) {
                    double low = g->u[a][q], high = g->u[a][q + g->stride[a]];
                    v[a] = g->active[a] ? 0.5 * (low + high) : 0;
                    core->square += g->active[a] ? (low * low + low * high + high * high) / 3 : 0;
                }
                if (l->band.layer[q] != CORE)
                    continue;
                core->velocity = fm_add(core->velocity, (fm_vec3){v[0], v[1], v[2]});
                core->centre = fm_add(core->centre, fm_grid_centre(g, i, j, k, 3));
            }
    if (l->band.cells == 0)
        return;
    core->volume = l->band.volume;
    core->room = l->band.cells * l->spacing_volume;
    core->square /= l->band.cells;
    core->velocity = fm_scale(core->velocity, 1.0 / l->band.cells);
    core->centre = fm_scale(core->centre, 1.0 / l->band.cells);
}

bool fm_liquid_is_beside_core(const fm_liquid *l, ptrdiff_t q)
{
    return has_band(l) && l->band.layer[q] != 0 && l->band.layer[q] <= CORE + UNEVEN;
}

// Calls `visit` for all points of a lattice that stands for the core, with x in spacings.
void fm_liquid_visit_core(const fm_liquid *l, fm_liquid_visit *visit, void *context)
{
    const fm_grid *g = l->grid;
    int sites = find_sites(l), n = l->def.sampling, number = 0;
    for (int k = 0; k < g->n[2] && l->band.cells > 0; k++)
        for (int j = 0; j < g->n[1]; j++)
            for (int i = 0; i < g->n[0]; i++) {
                int at[3] = {i, j, k};
                if (l->band.layer[fm_grid_index(g, i, j, k)] != CORE)
                    continue;
                for (int site = 0; site < sites; site++) {
                    double x[3] = {0.5, 0.5, 0.5};
                    for (int a = 0, left = site; a < 3; a++, left /= n)
                        x[a] = g->active[a] ? at[a] + (left % n + 0.5) / n : x[a];
                    visit(l, x, number++, context);
                }
            }
}

typedef struct band_header {
    double time, volume; // s, m^3
    uint64_t rng;
    int32_t spare_count, room;
} band_header;

// Bytes of a saved band: header, layers of the cells, numbers of removed particles.
static size_t find_size(const fm_liquid *l, int spare_count)
{
    const fm_grid *g = l->grid;
    size_t count = (size_t)g->n[0] * (size_t)g->n[1] * (size_t)g->n[2];
    return sizeof(band_header) + count + (size_t)spare_count * sizeof(int);
}

size_t fm_liquid_save_band(const fm_liquid *l, unsigned char *out)
{
    const fm_grid *g = l->grid;
    if (!has_band(l))
        return 0;
    if (!out)
        return find_size(l, l->band.spare_count);
    band_header h;
    memset(&h, 0, sizeof h);
    h.time = l->band.time, h.volume = l->band.volume, h.rng = l->band.rng.state;
    h.spare_count = l->band.spare_count, h.room = l->now.room;
    memcpy(out, &h, sizeof h);
    out += sizeof h;
    for (int k = 0; k < g->n[2]; k++)
        for (int j = 0; j < g->n[1]; j++, out += g->n[0])
            memcpy(out, l->band.layer + fm_grid_index(g, 0, j, k), (size_t)g->n[0]);
    if (l->band.spare_count > 0)
        memcpy(out, l->band.spare, (size_t)l->band.spare_count * sizeof(int));
    return find_size(l, l->band.spare_count);
}

bool fm_liquid_restore_band(fm_liquid *l, const unsigned char *in, size_t size, fm_error *err)
{
    const fm_grid *g = l->grid;
    band_header h;
    if (!has_band(l) && size == 0)
        return true;
    memset(&h, 0, sizeof h);
    memcpy(&h, in, size < sizeof h ? size : sizeof h);
    if (!has_band(l) || h.spare_count < 0 || h.spare_count > h.room ||
        size != find_size(l, h.spare_count))
        return fm_fail_number(err, l->object.name, "state size", (double)size, "what was saved");
    if (!fm_liquid_reserve(l, h.room, err))
        return false;
    l->band.time = h.time, l->band.volume = h.volume, l->band.rng.state = h.rng;
    l->band.spare_count = h.spare_count;
    in += sizeof h;
    l->band.cells = 0;
    for (int k = 0; k < g->n[2]; k++)
        for (int j = 0; j < g->n[1]; j++)
            for (int i = 0; i < g->n[0]; i++, in++) {
                l->band.layer[fm_grid_index(g, i, j, k)] = *in;
                l->band.cells += *in == CORE;
            }
    if (h.spare_count > 0)
        memcpy(l->band.spare, in, (size_t)h.spare_count * sizeof(int));
    return true;
}
