// SPDX-License-Identifier: MIT
// neighbours.c: sorting of particles by cell, and neighbour lists.
//
// The grid (cells.c) has rows of cells along x. Rows are as wide as the support R, cells a quarter
// as long. The neighbours of particle i are in its own row and in the 2 (2D) or 8 (3D) rows around
// it. In a row at the distance d in the yz plane, they satisfy
//
//     |x - x_i| <= sqrt(R^2 - d^2)
//
// Rounded to cells, that is one run of consecutive particles per row. With a support of two
// spacings the runs hold about 120 candidates, of which 33 are within the support; 27 cubic cells
// would hold 216. A few consecutive particles of a row share the runs of their bounding box.
// Candidates are tested eight at a time. Each substep builds the lists once, and every pass over
// pairs reads them.
#include "particles/particles.h"

#include <string.h>

// Relative margin of the squared support radius, larger than the rounding error of float.
static const float SQUARE_MARGIN = 1.00001f;
// Margin of the own row's run of candidates at both ends, in cells, for rounding.
static const float CELL_MARGIN = 0.01f;
// Particles that share candidates are at most this far apart along x, in supports.
static const float GROUP_LENGTH = 0.7f;
enum { GROUP_MAX = 8 }; // particles that share candidates

// Converts all runs of candidate neighbours to one list of groups of eight, with one bit per
// candidate: all eight bits are set, except in the last group of a run. Each pass of the inner loop
// writes eight groups, of which those beyond the end of the run are overwritten later. A loop over
// the groups of each run would have two or three iterations, and processors mispredict such short
// loops.
FM_INLINE void split_runs(const fm_neighbour_runs *runs, fm_neighbour_search *to)
{
    const fm_ints eights = {0, 8, 16, 24, 32, 40, 48, 56};
    int count = 0;
    for (int r = 0; r < FM_CELL_ROWS_AROUND; r++) {
        int next = runs->first[r], remaining = runs->last[r] - next;
        do {
            fm_ints first = next + eights, candidates = remaining - eights;
            fm_ints incomplete = candidates < 8;
            fm_ints bits = (1 << (candidates & incomplete & (candidates > 0))) - 1;
            bits = (bits & incomplete) | (255 & ~incomplete);
            memcpy(to->first + count, &first, sizeof first);
            memcpy(to->bits + count, &bits, sizeof bits);
            count += remaining < 64 ? (remaining + 7) >> 3 : 8;
            next += 64;
            remaining -= 64;
        } while (remaining > 0 && count < FM_OCTETS_MAX - 8 * FM_CELL_ROWS_AROUND);
    }
    to->count = count;
}

// Writes the candidates of a search (`from`) that are within the support of the point `at` to a
// list and returns their number. Two loops: in a single loop the stores to the list would delay the
// loads of positions.
FM_INLINE int list_within_support(const fm_particles *p, const fm_particle_set *set,
                                  const float at[3], const fm_neighbour_search *from, int *list)
{
    const float *x = set->x, *y = set->y, *z = set->z, R2 = (float)(p->R * p->R);
    unsigned char near[FM_OCTETS_MAX];
    for (int o = 0; o < from->count; o++) {
        size_t j = (size_t)from->first[o];
        fm_floats dx = at[0] - fm_floats_load(x + j), dy = at[1] - fm_floats_load(y + j);
        fm_floats dz = at[2] - fm_floats_load(z + j);
        fm_floats r2 = dx * dx + dy * dy + dz * dz;
        near[o] = (unsigned char)(fm_ints_mask_bits(r2 < R2) & from->bits[o]);
    }
    int count = 0;
    for (int o = 0; o < from->count && count <= FM_NEIGHBOURS_MAX - 8; o++) {
        fm_ints found = p->packing[near[o]] + from->first[o];
        memcpy(list + count, &found, sizeof found);
        count += __builtin_popcount(near[o]);
    }
    return count;
}

// Pads a neighbour list with the entry `with` to a multiple of eight, for SIMD loops. Returns the
// padded length; *padding: number of padding entries.
FM_INLINE int pad_list(int *list, int count, int with, int *padding)
{
    *padding = -count & 7;
    for (int k = 0; k < 8; k++)
        list[count + k] = with;
    return count + *padding;
}

// Cells of eight x coordinates, m, limited to 0 .. top. along: cells per metre.
FM_INLINE fm_ints find_cells_along_x(fm_floats x, float along, float top)
{
    fm_floats c = x * along;
    c = fm_floats_select(c > 0, c);
    c -= fm_floats_select(c > top, c - top);
    return __builtin_convertvector(c, fm_ints);
}

// Limits each of eight integers to low .. high.
FM_INLINE fm_ints clamp_each(fm_ints x, int low, int high)
{
    x += (low - x) & (x < low);
    return x + ((high - x) & (x > high));
}

// Limits x to low .. high.
FM_INLINE int clamp_one(int x, int low, int high)
{
    return x < low ? low : x > high ? high : x;
}

// Finds the runs of consecutive particles in set `in` that contain the neighbours of all points of
// a box inside one row of cells. low, high: corners of the box, m.
FM_INLINE void find_runs(const fm_particles *p, const fm_particle_set *in, const float low[3],
                         const float high[3], fm_neighbour_runs *runs)
{
    const fm_cell_rows *rows = &p->rows;
    const fm_cell_table *table = &in->table;
    const float size = rows->size, along = rows->along, top = (float)(rows->nx - 1);
    const float R2 = (float)(p->R * p->R) * SQUARE_MARGIN;
    int cy, cz;
    fm_cell_rows_find_row(rows, low[1], low[2], &cy, &cz);
    // squared distances in y and z to the rows before and behind
    float y0 = low[1] - (float)cy * size, y1 = (float)(cy + 1) * size - high[1];
    float z0 = low[2] - (float)cz * size, z1 = (float)(cz + 1) * size - high[2];
    y0 = y0 > 0 ? y0 * y0 : 0;
    y1 = y1 > 0 ? y1 * y1 : 0;
    z0 = z0 > 0 ? z0 * z0 : 0;
    z1 = z1 > 0 ? z1 * z1 : 0;
    const fm_floats across =
        (fm_floats){y0, 0, y1, y0, y1, y0, 0, y1} + (fm_floats){z0, z0, z0, 0, 0, z1, z1, z1};
    // half the length along x of the part of each row within the support: sqrt(R^2 - d^2)
    fm_floats square = R2 - across;
    fm_ints reached = square > 0;
    fm_floats half = fm_floats_sqrt(fm_floats_select(reached, square));
    const int number = rows->number[cz * rows->ny + cy];
    const fm_ints around = rows->around[number];
    fm_ints begin = find_cells_along_x(low[0] - half, along, top);
    fm_ints end = find_cells_along_x(high[0] + half, along, top) + 1;
    end = begin + (reached & (end - begin)); // rows out of reach get an empty run
    begin = clamp_each(begin, table->low, table->high);
    end = clamp_each(end, table->low, table->high);
    for (int lane = 0; lane < 8; lane++) {
        const int *start = table->start + fm_cell_table_offset(rows, table->slot[around[lane]], 0);
        runs->first[lane] = start[begin[lane]];
        runs->last[lane] = start[end[lane]];
    }
    const int *start = table->start + fm_cell_table_offset(rows, table->slot[number], 0);
    int from = fm_cell_rows_clamp((low[0] - size) * along - CELL_MARGIN, 0, rows->nx - 1);
    int to = fm_cell_rows_clamp((high[0] + size) * along + CELL_MARGIN, 0, rows->nx - 1) + 1;
    runs->first[8] = start[clamp_one(from, table->low, table->high)];
    runs->last[8] = start[clamp_one(to, table->low, table->high)];
}

// Finds the runs of consecutive particles in set `in` that contain all neighbours of a point.
FM_SIMD_CLONES void fm_neighbours_find_runs(const fm_particles *p, const fm_particle_set *in,
                                            float x, float y, float z, fm_neighbour_runs *runs)
{
    const float at[3] = {x, y, z};
    find_runs(p, in, at, at, runs);
}

// Finds the candidates in set `in` of the particles first to below last of set `from`. These must
// be in one row.
FM_INLINE void find_candidates(const fm_particles *p, const fm_particle_set *from, int first,
                               int last, const fm_particle_set *in, fm_neighbour_search *search)
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
    fm_neighbour_runs runs;
    find_runs(p, in, low, high, &runs);
    split_runs(&runs, search);
    search->end = last;
}

// End of the group of consecutive particles, starting at `first`, that share candidates: at most
// GROUP_MAX, in one row and within GROUP_LENGTH supports along x.
FM_INLINE int find_group_end(const fm_particles *p, const fm_particle_set *from, int first,
                             int last)
{
    const float *x = from->x, *y = from->y, *z = from->z, size = p->rows.size;
    int cy, cz, end = first + 1, limit = first + GROUP_MAX < last ? first + GROUP_MAX : last;
    fm_cell_rows_find_row(&p->rows, y[first], z[first], &cy, &cz);
    const float y0 = (float)cy * size, z0 = (float)cz * size, far = x[first] + GROUP_LENGTH * size;
    while (end < limit && x[end] < far && y[end] >= y0 && y[end] < y0 + size && z[end] >= z0 &&
           z[end] < z0 + size)
        end++;
    return end;
}

// Lists the neighbours in set `in` of particle i of set `from` and returns their number. last: end
// of the particles that may share candidates with it through `search`.
FM_INLINE int find_neighbours(const fm_particles *p, fm_neighbour_search *search,
                              const fm_particle_set *from, int i, int last,
                              const fm_particle_set *in, int *list)
{
    const float at[3] = {from->x[i], from->y[i], from->z[i]};
    if (i >= search->end)
        find_candidates(p, from, i, find_group_end(p, from, i, last), in, search);
    return list_within_support(p, in, at, search, list);
}

// Neighbours of one particle, without sharing candidates.
FM_SIMD_CLONES static int find_of_one(const fm_particles *p, const fm_particle_set *from, int i,
                                      const fm_particle_set *in, int *list)
{
    fm_neighbour_search search;
    fm_neighbour_search_begin(&search);
    return find_neighbours(p, &search, from, i, i + 1, in, list);
}

// Lists the neighbours in set `in` of particle i of set `from`, ignoring thin walls, padded with
// the entry `fill` (-1: with the first neighbour). Returns the padded length.
int fm_neighbours_find_in_set(const fm_particles *p, const fm_particle_set *from, int i,
                              const fm_particle_set *in, int fill, int *list, int *padding)
{
    int count = find_of_one(p, from, i, in, list);
    *padding = 0;
    return count == 0 ? 0 : pad_list(list, count, fill < 0 ? list[0] : fill, padding);
}

// Lists the fluid neighbours of fluid particle i, without those behind a thin wall.
int fm_neighbours_find_fluid(const fm_particles *p, int i, int *list, int *padding)
{
    int count = find_of_one(p, &p->fluid, i, &p->fluid, list);
    return pad_list(
        list, p->has_thin_walls ? fm_mesh_boundary_drop_separated_fluid(p, i, list, count) : count,
        i, padding);
}

// Lists the boundary and ghost neighbours of fluid particle i, without those behind a thin wall.
int fm_neighbours_find_boundary(const fm_particles *p, int i, int *list, int *padding)
{
    int count = find_of_one(p, &p->fluid, i, &p->boundary, list);
    count = p->has_thin_walls ? fm_mesh_boundary_drop_hidden_boundary(p, i, list, count) : count;
    *padding = 0;
    return count == 0 ? 0 : pad_list(list, count, list[0], padding);
}

// Lists the fluid neighbours of a boundary particle. Successive calls with ascending indices below
// `last` share candidates through `search`.
FM_SIMD_CLONES int fm_neighbours_find_next_of_boundary(const fm_particles *p,
                                                       fm_neighbour_search *search, int boundary,
                                                       int last, int *list, int *padding)
{
    int count = find_neighbours(p, search, &p->boundary, boundary, last, &p->fluid, list);
    count =
        p->has_thin_walls ? fm_mesh_boundary_drop_hidden_fluid(p, boundary, list, count) : count;
    *padding = 0;
    return count == 0 ? 0 : pad_list(list, count, list[0], padding);
}

// Stores the boundary neighbour lists of a block behind its fluid neighbour lists, as far as they
// fit. lists: the block's part of p->lists; used: how many of its list_capacity ints are taken.
FM_INLINE void list_boundary_neighbours(fm_particles *p, int first, int last, int *lists, int used)
{
    int buffer[FM_NEIGHBOURS_CAPACITY];
    fm_neighbour_search search;
    fm_neighbour_search_begin(&search);
    for (int i = first; i < last; i++) {
        int padding = 0, count = 0;
        if (p->boundary.count && p->is_near_boundary[p->cell[i]])
            count = find_neighbours(p, &search, &p->fluid, i, last, &p->boundary, buffer);
        if (p->has_thin_walls)
            count = fm_mesh_boundary_drop_hidden_boundary(p, i, buffer, count);
        if (count > 0)
            count = pad_list(buffer, count, buffer[0], &padding);
        bool fits = used + count <= p->list_capacity;
        p->near_boundary_start[i] = fits ? used : -1;
        p->near_boundary_count[i] = count;
        p->near_boundary_padding[i] = (unsigned char)padding;
        if (fits) {
            memcpy(lists + used, buffer, (size_t)count * sizeof *buffer);
            used += count;
        }
    }
}

// Builds the neighbour lists of one block of particles.
FM_SIMD_CLONES static void list_neighbours_range(void *context, int first, int last)
{
    fm_particles *p = context;
    const fm_particle_set *fluid = &p->fluid;
    int *lists = p->lists + (size_t)(first / FM_PARTICLES_BLOCK) * (size_t)p->list_capacity,
        used = 0;
    int buffer[FM_NEIGHBOURS_CAPACITY];
    fm_neighbour_search search;
    fm_neighbour_search_begin(&search);
    for (int i = first; i < last; i++) {
        // write directly into the block's lists if the longest list fits, else copy from `buffer`
        bool fits_longest = used <= p->list_capacity - FM_NEIGHBOURS_CAPACITY;
        int *list = fits_longest ? lists + used : buffer, padding;
        int count = find_neighbours(p, &search, fluid, i, last, fluid, list);
        if (p->has_thin_walls)
            count = fm_mesh_boundary_drop_separated_fluid(p, i, list, count);
        count = pad_list(list, count, i, &padding);
        bool fits = used + count <= p->list_capacity;
        p->list_start[i] = fits ? used : -1;
        p->list_count[i] = count;
        p->list_padding[i] = (unsigned char)padding;
        if (fits && !fits_longest)
            memcpy(lists + used, buffer, (size_t)count * sizeof *buffer);
        used += fits ? count : 0;
    }
    list_boundary_neighbours(p, first, last, lists, used);
}

// Builds the neighbour lists of all fluid particles.
void fm_particles_list_neighbours(fm_particles *p, fm_pool *pool)
{
    fm_parallel_for(pool, p->count, FM_PARTICLES_BLOCK, list_neighbours_range, p);
}

// End of the run of consecutive indices of wet boundary particles that starts at wet[k]; at most
// eight long. Particles of a run share the search for neighbours.
static int find_wet_run_end(const fm_particles *p, int k, int last)
{
    int i = p->wet[k], end = i + 1;
    for (int n = 1; n < GROUP_MAX && k + n < last && p->wet[k + n] == end; n++)
        end++;
    return end;
}

// Builds the lists of one block of wet boundary particles. Ghost particles have none.
static void list_wet_range(void *context, int first, int last)
{
    fm_particles *p = context;
    int *lists = p->wet_lists + (size_t)(first / FM_PARTICLES_BLOCK) * (size_t)p->wet_list_capacity;
    int buffer[FM_NEIGHBOURS_CAPACITY], used = 0;
    fm_neighbour_search search;
    fm_neighbour_search_begin(&search);
    for (int k = first; k < last; k++) {
        int padding = 0, count = 0;
        if (!fm_boundary_is_ghost(p, p->wet[k]))
            count = fm_neighbours_find_next_of_boundary(
                p, &search, p->wet[k], find_wet_run_end(p, k, last), buffer, &padding);
        bool fits = used + count <= p->wet_list_capacity;
        p->wet_start[k] = fits ? used : -1;
        p->wet_neighbours[k] = count;
        p->wet_padding[k] = (unsigned char)padding;
        if (fits) {
            memcpy(lists + used, buffer, (size_t)count * sizeof *buffer);
            used += count;
        }
    }
}

// Builds the lists of the fluid neighbours of all wet boundary particles.
void fm_particles_list_wet_neighbours(fm_particles *p, fm_pool *pool)
{
    fm_parallel_for(pool, p->wet_count, FM_PARTICLES_BLOCK, list_wet_range, p);
}

// Fluid neighbours of the boundary particle wet[k]: the stored list, or a new search.
const int *fm_neighbours_of_wet(const fm_particles *p, int k, int *buffer, int *count, int *padding)
{
    if (p->wet_start[k] >= 0) {
        *count = p->wet_neighbours[k];
        *padding = p->wet_padding[k];
        return p->wet_lists + (size_t)(k / FM_PARTICLES_BLOCK) * (size_t)p->wet_list_capacity +
               p->wet_start[k];
    }
    fm_neighbour_search search;
    fm_neighbour_search_begin(&search);
    const int i = p->wet[k];
    *count = fm_neighbours_find_next_of_boundary(p, &search, i, i + 1, buffer, padding);
    return buffer;
}

// Finds the cells of the fluid particles first to below last. Particles in sinks get none.
static void find_cell_range(void *context, int first, int last)
{
    fm_particles *p = context;
    const fm_cell_rows *rows = &p->rows;
    for (int i = first; i < last; i++) {
        float x = (float)(p->now.x[i] - rows->origin[0]);
        float y = (float)(p->now.y[i] - rows->origin[1]);
        float z = (float)(p->now.z[i] - rows->origin[2]);
        p->cell_index[i] =
            p->in_sink[i] ? (fm_cell_index){-1, 0} : fm_cell_rows_find_cell(rows, x, y, z);
    }
}

// Fills the density record of particle i from a state.
static void set_record(fm_particles *p, const fm_particle_state *now, int i)
{
    const double *origin = p->rows.origin;
    p->fluid.x[i] = (float)(now->x[i] - origin[0]);
    p->fluid.y[i] = (float)(now->y[i] - origin[1]);
    p->fluid.z[i] = (float)(now->z[i] - origin[2]);
    p->fluid.density[i] =
        (fm_density_record){p->fluid.x[i], p->fluid.y[i], p->fluid.z[i], now->s[i],
                            now->vx[i],    now->vy[i],    now->vz[i],    (float)p->volume};
    atomic_store_explicit(&p->beside_surface[i], 0, memory_order_relaxed);
}

// Fills the density records of the particles first to below last.
static void set_record_range(void *context, int first, int last)
{
    fm_particles *p = context;
    for (int i = first; i < last; i++)
        set_record(p, &p->now, i);
}

// Copies positions and velocities to the records of all fluid particles, without sorting.
void fm_particles_update_records(fm_particles *p, fm_pool *pool)
{
    fm_parallel_for(pool, p->count, FM_PARTICLES_LARGE_BLOCK, set_record_range, p);
}

// Copies the state of particles into sorted order and fills their density records.
static void gather_sorted_range(void *context, int first, int last)
{
    fm_particles *p = context;
    const fm_particle_state from = p->now, to = p->spare;
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
        set_record(p, &to, i);
        const fm_cell_index at = p->cell_index[k];
        p->cell[i] = (int)fm_cell_table_offset(&p->rows, p->fluid.table.slot[at.row], at.column);
    }
}

// Sorts the fluid particles by cell. Particles in sinks are sorted behind the end of the remaining
// ones and are no longer counted.
fm_particle_order fm_particles_sort(fm_particles *p, fm_pool *pool)
{
    fm_parallel_for(pool, p->count, FM_PARTICLES_LARGE_BLOCK, find_cell_range, p);
    int kept = fm_cell_table_sort(&p->rows, &p->fluid.table, p->cell_index, p->count, p->order);
    p->removed += p->count - kept;
    int before = p->count;
    p->count = kept;
    fm_parallel_for(pool, kept, FM_PARTICLES_LARGE_BLOCK, gather_sorted_range, p);
    memset(p->in_sink, 0, (size_t)before);
    fm_particle_state unsorted = p->now;
    p->now = p->spare;
    p->spare = unsorted;
    p->fluid.count = kept;
    return (fm_particle_order){p->order, kept, before};
}
