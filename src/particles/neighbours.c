// SPDX-License-Identifier: MIT
// neighbours.c: particles in the order of their cells, and where the neighbours of each are.
//
// Space is cut into rows along x, as wide as the support R across, and each row into cells a
// quarter as long. The neighbours of a particle are in its own row and the 2 (2D) or 8 (3D) around
// it; in a row whose nearest point is at the distance d across, they are within
//
//     |x - x_i| <= sqrt(R^2 - d^2)
//
// which, rounded to cells, is one run of consecutive particles: about 120 instead of the 216 of 27
// cubic cells, of which 33 are within the support when that is two spacings. Runs are found once
// for a few particles that follow each other in a row, for the box around them. Those within the
// support are picked out eight at a time and put down once in a substep, for every pass to use.
//
// Cells and tables of them are in cells.c.
#include "particles/particles.h"

#include <string.h>

// All runs as one list: a loop over each would be two or three long, and how long is what
// processors guess wrong.
FM_INLINE void cut_runs(const fm_runs *runs, fm_search *to)
{
    const fm_ints eights = {0, 8, 16, 24, 32, 40, 48, 56};
    int count = 0;
    for (int r = 0; r < FM_ROWS_AROUND; r++) {
        int at = runs->first[r], left = runs->last[r] - at;
        do {
            fm_ints first = at + eights, after = left - eights, some = after < 8;
            fm_ints bits = (1 << (after & some & (after > 0))) - 1;
            bits = (bits & some) | (255 & ~some);
            memcpy(to->first + count, &first, sizeof first);
            memcpy(to->bits + count, &bits, sizeof bits);
            count += left < 64 ? (left + 7) >> 3 : 8;
            at += 64;
            left -= 64;
        } while (left > 0 && count < FM_OCTETS_MAX - 8 * FM_ROWS_AROUND);
    }
    to->count = count;
}

// Those of the candidates that are within the support. In two loops: in one, what it writes keeps
// the reading of positions waiting.
FM_INLINE int pick_near(const fm_particles *p, const fm_swarm *swarm, const float at[3],
                        const fm_search *from, int *list)
{
    const float *x = swarm->x, *y = swarm->y, *z = swarm->z, R2 = (float)(p->R * p->R);
    unsigned char near[FM_OCTETS_MAX];
    for (int o = 0; o < from->count; o++) {
        size_t j = (size_t)from->first[o];
        fm_floats dx = at[0] - fm_floats_load(x + j), dy = at[1] - fm_floats_load(y + j);
        fm_floats dz = at[2] - fm_floats_load(z + j);
        fm_floats r2 = dx * dx + dy * dy + dz * dz;
        near[o] = (unsigned char)(fm_ints_bits(r2 < R2) & from->bits[o]);
    }
    int count = 0;
    for (int o = 0; o < from->count && count <= FM_NEIGHBOURS_MAX - 8; o++) {
        fm_ints found = p->packing[near[o]] + from->first[o];
        memcpy(list + count, &found, sizeof found);
        count += __builtin_popcount(near[o]);
    }
    return count;
}

FM_INLINE int fill_up(int *list, int count, int with, int *extra)
{
    *extra = -count & 7;
    for (int k = 0; k < 8; k++)
        list[count + k] = with;
    return count + *extra;
}

FM_INLINE fm_ints cell_along(fm_floats x, float along, float top)
{
    fm_floats c = x * along;
    c = fm_floats_where(c > 0, c);
    c -= fm_floats_where(c > top, c - top);
    return __builtin_convertvector(c, fm_ints);
}

FM_INLINE fm_ints clamp(fm_ints x, int low, int high)
{
    x += (low - x) & (x < low);
    return x + ((high - x) & (x > high));
}

FM_INLINE int clamp_one(int x, int low, int high)
{
    return x < low ? low : x > high ? high : x;
}

// Of all in a box that is inside one row.
FM_INLINE void find_runs(const fm_particles *p, const fm_swarm *in, const float low[3],
                         const float high[3], fm_runs *runs)
{
    const fm_rows *rows = &p->rows;
    const fm_cell_table *table = &in->table;
    const float size = rows->size, along = rows->along, top = (float)(rows->nx - 1);
    const float wide = (float)(p->R * p->R) * 1.00001f; // rounding must not lose any
    int cy, cz;
    fm_rows_find(rows, low[1], low[2], &cy, &cz);
    // distances across to the rows before and behind
    float y0 = low[1] - (float)cy * size, y1 = (float)(cy + 1) * size - high[1];
    float z0 = low[2] - (float)cz * size, z1 = (float)(cz + 1) * size - high[2];
    y0 = y0 > 0 ? y0 * y0 : 0;
    y1 = y1 > 0 ? y1 * y1 : 0;
    z0 = z0 > 0 ? z0 * z0 : 0;
    z1 = z1 > 0 ? z1 * z1 : 0;
    const fm_floats across =
        (fm_floats){y0, 0, y1, y0, y1, y0, 0, y1} + (fm_floats){z0, z0, z0, 0, 0, z1, z1, z1};
    fm_floats square = wide - across;
    fm_ints reached = square > 0;
    fm_floats half = fm_floats_sqrt(fm_floats_where(reached, square));
    const int number = rows->number[cz * rows->ny + cy];
    const fm_ints around = rows->around[number];
    fm_ints begin = cell_along(low[0] - half, along, top);
    fm_ints end = cell_along(high[0] + half, along, top) + 1;
    end = begin + (reached & (end - begin)); // not reached: up to where it begins
    begin = clamp(begin, table->low, table->high);
    end = clamp(end, table->low, table->high);
    for (int lane = 0; lane < 8; lane++) {
        const int *start = table->start + fm_table_cell(rows, table->slot[around[lane]], 0);
        runs->first[lane] = start[begin[lane]];
        runs->last[lane] = start[end[lane]];
    }
    const int *start = table->start + fm_table_cell(rows, table->slot[number], 0);
    int from = fm_clamp_cell((low[0] - size) * along - 0.01f, 0, rows->nx - 1);
    int to = fm_clamp_cell((high[0] + size) * along + 0.01f, 0, rows->nx - 1) + 1;
    runs->first[8] = start[clamp_one(from, table->low, table->high)];
    runs->last[8] = start[clamp_one(to, table->low, table->high)];
}

FM_SIMD_CLONES void fm_find_runs(const fm_particles *p, const fm_swarm *in, float x, float y,
                                 float z, fm_runs *runs)
{
    const float at[3] = {x, y, z};
    find_runs(p, in, at, at, runs);
}

// For those from `first` to `last` of the set `from`, which are in one row.
FM_INLINE void find_candidates(const fm_particles *p, const fm_swarm *from, int first, int last,
                               const fm_swarm *in, fm_search *search)
{
    const float *const x[3] = {from->x, from->y, from->z};
    float low[3], high[3];
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = high[axis] = x[axis][first];
        for (int i = first + 1; i < last; i++) {
            low[axis] = x[axis][i] < low[axis] ? x[axis][i] : low[axis];
            high[axis] = x[axis][i] > high[axis] ? x[axis][i] : high[axis];
        }
    }
    fm_runs runs;
    find_runs(p, in, low, high, &runs);
    cut_runs(&runs, search);
    search->end = last;
}

// The end of those that share their candidates: at most eight, close to each other in a row.
FM_INLINE int end_group(const fm_particles *p, const fm_swarm *from, int first, int last)
{
    const float *x = from->x, *y = from->y, *z = from->z, size = p->rows.size;
    int cy, cz, end = first + 1, most = first + 8 < last ? first + 8 : last;
    fm_rows_find(&p->rows, y[first], z[first], &cy, &cz);
    const float y0 = (float)cy * size, z0 = (float)cz * size, far = x[first] + 0.7f * size;
    while (end < most && x[end] < far && y[end] >= y0 && y[end] < y0 + size && z[end] >= z0 &&
           z[end] < z0 + size)
        end++;
    return end;
}

FM_INLINE int find_list(const fm_particles *p, fm_search *search, const fm_swarm *from, int i,
                        int last, const fm_swarm *in, int *list)
{
    const float at[3] = {from->x[i], from->y[i], from->z[i]};
    if (i >= search->end)
        find_candidates(p, from, i, end_group(p, from, i, last), in, search);
    return pick_near(p, in, at, search, list);
}

FM_SIMD_CLONES static int find_alone(const fm_particles *p, const fm_swarm *from, int i,
                                     const fm_swarm *in, int *list)
{
    fm_search search;
    fm_search_begin(&search);
    return find_list(p, &search, from, i, i + 1, in, list);
}

int fm_find_list(const fm_particles *p, const fm_swarm *from, int i, const fm_swarm *in, int fill,
                 int *list, int *extra)
{
    int count = find_alone(p, from, i, in, list);
    *extra = 0;
    return count == 0 ? 0 : fill_up(list, count, fill < 0 ? list[0] : fill, extra);
}

int fm_find_fluid(const fm_particles *p, int i, int *list, int *extra)
{
    int count = find_alone(p, &p->fluid, i, &p->fluid, list);
    return fill_up(list, p->thin ? fm_meshes_cut(p, i, list, count) : count, i, extra);
}

int fm_find_others(const fm_particles *p, int i, int *list, int *extra)
{
    int count = find_alone(p, &p->fluid, i, &p->others, list);
    count = p->thin ? fm_meshes_hide_others(p, i, list, count) : count;
    *extra = 0;
    return count == 0 ? 0 : fill_up(list, count, list[0], extra);
}

FM_SIMD_CLONES int fm_find_next_seen(const fm_particles *p, fm_search *search, int other, int last,
                                     int *list, int *extra)
{
    int count = find_list(p, search, &p->others, other, last, &p->fluid, list);
    count = p->thin ? fm_meshes_hide_fluid(p, other, list, count) : count;
    *extra = 0;
    return count == 0 ? 0 : fill_up(list, count, list[0], extra);
}

// After those in the fluid, while there is room.
FM_INLINE void list_others(fm_particles *p, int first, int last, int *lists, int used)
{
    int room[FM_NEIGHBOURS_ROOM];
    fm_search search;
    fm_search_begin(&search);
    for (int i = first; i < last; i++) {
        int extra = 0, count = 0;
        if (p->others.count && p->near[p->in_cell[i]])
            count = find_list(p, &search, &p->fluid, i, last, &p->others, room);
        if (p->thin)
            count = fm_meshes_hide_others(p, i, room, count);
        if (count > 0)
            count = fill_up(room, count, room[0], &extra);
        bool fits = used + count <= p->list_room;
        p->other_start[i] = fits ? used : -1;
        p->other_count[i] = count;
        p->other_extra[i] = (unsigned char)extra;
        if (fits) {
            memcpy(lists + used, room, (size_t)count * sizeof *room);
            used += count;
        }
    }
}

FM_SIMD_CLONES static void list_range(void *context, int first, int last)
{
    fm_particles *p = context;
    const fm_swarm *fluid = &p->fluid;
    int *lists = p->lists + (size_t)(first / FM_PARTICLES_BLOCK) * (size_t)p->list_room, used = 0;
    int room[FM_NEIGHBOURS_ROOM];
    fm_search search;
    fm_search_begin(&search);
    for (int i = first; i < last; i++) {
        // straight into its place where the longest fits, or else from beside
        bool ample = used <= p->list_room - FM_NEIGHBOURS_ROOM;
        int *list = ample ? lists + used : room, extra;
        int count = find_list(p, &search, fluid, i, last, fluid, list);
        if (p->thin)
            count = fm_meshes_cut(p, i, list, count);
        count = fill_up(list, count, i, &extra);
        bool fits = used + count <= p->list_room;
        p->list_start[i] = fits ? used : -1;
        p->list_count[i] = count;
        p->list_extra[i] = (unsigned char)extra;
        if (fits && !ample)
            memcpy(lists + used, room, (size_t)count * sizeof *room);
        used += fits ? count : 0;
    }
    list_others(p, first, last, lists, used);
}

void fm_particles_find_neighbours(fm_particles *p, fm_pool *pool)
{
    fm_parallel_for(pool, p->count, FM_PARTICLES_BLOCK, list_range, p);
}

static void assign_range(void *context, int first, int last)
{
    fm_particles *p = context;
    const fm_rows *rows = &p->rows;
    for (int i = first; i < last; i++) {
        float x = (float)(p->now.x[i] - rows->origin[0]);
        float y = (float)(p->now.y[i] - rows->origin[1]);
        float z = (float)(p->now.z[i] - rows->origin[2]);
        p->place[i] = p->gone[i] ? (fm_cell_place){-1, 0} : fm_rows_place(rows, x, y, z);
    }
}

static void gather_range(void *context, int first, int last)
{
    fm_particles *p = context;
    const fm_parcels from = p->now, to = p->spare;
    const double *origin = p->rows.origin;
    const float V = (float)p->volume;
    for (int i = first; i < last; i++) {
        int k = p->order[i];
        to.x[i] = from.x[k];
        to.y[i] = from.y[k];
        to.z[i] = from.z[k];
        to.vx[i] = from.vx[k];
        to.vy[i] = from.vy[k];
        to.vz[i] = from.vz[k];
        to.s[i] = from.s[k];
        to.id[i] = from.id[k];
        p->fluid.x[i] = (float)(from.x[k] - origin[0]);
        p->fluid.y[i] = (float)(from.y[k] - origin[1]);
        p->fluid.z[i] = (float)(from.z[k] - origin[2]);
        const float row[FM_ROW] = {p->fluid.x[i], p->fluid.y[i], p->fluid.z[i], from.s[k],
                                   from.vx[k],    from.vy[k],    from.vz[k],    V};
        memcpy(p->fluid.density + FM_ROW * (size_t)i, row, sizeof row);
        const fm_cell_place at = p->place[k];
        p->in_cell[i] = (int)fm_table_cell(&p->rows, p->fluid.table.slot[at.row], at.column);
        atomic_store_explicit(&p->beside_surface[i], 0, memory_order_relaxed);
    }
}

// What a sink took goes behind the end. order is kept: whoever has something for each particle can
// follow.
void fm_particles_sort(fm_particles *p, fm_pool *pool)
{
    fm_parallel_for(pool, p->count, 4 * FM_PARTICLES_BLOCK, assign_range, p);
    int kept = fm_table_sort(&p->rows, &p->fluid.table, p->place, p->count, p->order);
    p->removed += p->count - kept;
    int before = p->count;
    p->count = kept;
    fm_parallel_for(pool, kept, 4 * FM_PARTICLES_BLOCK, gather_range, p);
    memset(p->gone, 0, (size_t)before);
    fm_parcels swap = p->now;
    p->now = p->spare;
    p->spare = swap;
    p->fluid.count = kept;
}
