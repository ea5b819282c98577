// SPDX-License-Identifier: MIT
// cells.c: the grid of cells over the domain, and tables of the particles in each cell.
//
// The grid consists of rows along x. A row is one support wide in y and z, and its cells are a
// quarter of the support long in x. Rows are numbered tile by tile, so that neighbouring rows are
// close in memory even with millions of particles. A table stores cells only for rows that contain
// particles, in the order of their numbers, and only from the first to the last filled column: its
// cost follows the number of particles, not the size of the domain, except for one bit per row.
//
// Sorting is a stable counting sort, so the order depends on positions and on the previous order
// but not on the number of threads. A position outside the grid belongs to the nearest cell.
#include "particles/particles.h"

#include <string.h>

enum {
    TILE = 8,  // rows along an edge of a tile of rows with consecutive numbers
    WORD = 64, // bits in a word of a bit set
};

// Largest distance along x, in cells, of two particles within the support of each other.
enum { REACH = FM_CELLS_PER_SUPPORT + 1 };

static const double CELLS_MAX = 2e8;                // cells of a grid
static const double CELLS_ALONG_AXIS_MAX = 1000000; // keeps their number in the range of int

// Offsets in y and z of the eight rows around a row, in the order of the SIMD lanes of find_runs in
// neighbours.c.
static const int STEP_Y[8] = {-1, 0, 1, -1, 1, -1, 0, 1}, STEP_Z[8] = {-1, -1, -1, 0, 0, 1, 1, 1};

// Numbers the rows tile by tile and lists the eight rows around each row.
static void number_rows(fm_cell_rows *rows)
{
    int next = 0;
    for (int tz = 0; tz < rows->nz; tz += TILE)
        for (int ty = 0; ty < rows->ny; ty += TILE)
            for (int z = tz; z < tz + TILE && z < rows->nz; z++)
                for (int y = ty; y < ty + TILE && y < rows->ny; y++)
                    rows->number[z * rows->ny + y] = next++;
    for (int k = 0; k < rows->ny * rows->nz; k++) {
        for (int lane = 0; lane < 8; lane++) {
            int y = k % rows->ny + STEP_Y[lane], z = k / rows->ny + STEP_Z[lane];
            bool inside = y >= 0 && y < rows->ny && z >= 0 && z < rows->nz;
            // outside the grid: row 0, which stays empty
            rows->around[rows->number[k]][lane] = inside ? rows->number[z * rows->ny + y] : 0;
        }
    }
}

// Creates the grid of cells over the domain: rows of cells along x.
bool fm_cell_rows_create(fm_particles *p, fm_error *err)
{
    fm_cell_rows *rows = &p->rows;
    double R = p->R, cells = 1;
    const fm_domain *d = &p->def.domain;
    bool flat = p->def.dimensions == 2;
    const double low[3] = {d->low.x, d->low.y, d->low.z};
    const double size[3] = {d->high.x - d->low.x, d->high.y - d->low.y, d->high.z - d->low.z};
    int n[3];
    rows->size = (float)R;
    rows->across = (float)(1 / R);
    rows->along = (float)(FM_CELLS_PER_SUPPORT / R);
    for (int axis = 0; axis < 3; axis++) {
        // beyond each side, one support for boundary and ghost particles and one that stays empty
        rows->origin[axis] = flat && axis == 2 ? 0 : low[axis] - 2 * R;
        double supports = flat && axis == 2 ? 1 : ceil(size[axis] / R) + 4;
        cells *= axis == 0 ? FM_CELLS_PER_SUPPORT * supports : supports;
        n[axis] = (int)fmin(supports, CELLS_ALONG_AXIS_MAX);
    }
    if (!(cells <= CELLS_MAX))
        return fm_fail_number(err, p->object.name, "domain", cells,
                              "at most 2e8 cells: a smaller domain or a larger spacing");
    rows->nx = FM_CELLS_PER_SUPPORT * n[0];
    rows->ny = n[1];
    rows->nz = n[2];
    rows->count = rows->ny * rows->nz;
    size_t count = (size_t)rows->count;
    rows->number = fm_arena_alloc(&p->arena, count, sizeof *rows->number, p->object.name, err);
    rows->around = fm_arena_alloc(&p->arena, count, sizeof *rows->around, p->object.name, err);
    rows->marked =
        fm_arena_alloc(&p->arena, count / WORD + 1, sizeof *rows->marked, p->object.name, err);
    rows->marked_rows =
        fm_arena_alloc(&p->arena, count, sizeof *rows->marked_rows, p->object.name, err);
    rows->marked_columns = fm_arena_alloc(&p->arena, (size_t)rows->nx, 1, p->object.name, err);
    if (err->status == FM_OK)
        number_rows(rows);
    return err->status == FM_OK;
}

// The cell of a position, in m from the origin of the grid.
fm_cell_index fm_cell_rows_find_cell(const fm_cell_rows *rows, float x, float y, float z)
{
    int cy, cz;
    fm_cell_rows_find_row(rows, y, z, &cy, &cz);
    return (fm_cell_index){rows->number[cz * rows->ny + cy],
                           fm_cell_rows_clamp(x * rows->along, 0, rows->nx - 1)};
}

// Allocates a table that finds the particles in each cell. capacity: largest number of particles
// that the table must hold.
bool fm_cell_table_create(fm_cell_table *table, fm_particles *p, int capacity, fm_error *err)
{
    const fm_cell_rows *rows = &p->rows;
    size_t count = (size_t)rows->count,
           slots = 1 + (size_t)(capacity < rows->count ? capacity : rows->count);
    size_t cells = table->cell_count = slots * ((size_t)rows->nx + 1);
    table->slot = fm_arena_alloc(&p->arena, count, sizeof *table->slot, p->object.name, err);
    table->filled =
        fm_arena_alloc(&p->arena, count / WORD + 1, sizeof *table->filled, p->object.name, err);
    table->row = fm_arena_alloc(&p->arena, slots, sizeof *table->row, p->object.name, err);
    table->start = fm_arena_alloc(&p->arena, cells, sizeof *table->start, p->object.name, err);
    table->near_along_x = fm_arena_alloc(&p->arena, cells, 1, p->object.name, err);
    return err->status == FM_OK;
}

// Sets the bit of a row in a set of rows.
static inline void set_row_bit(uint64_t *bits, int row)
{
    bits[row / WORD] |= (uint64_t)1 << row % WORD;
}

// Lists the rows whose bits are set, in ascending order, and clears the bits. Returns their number.
static int list_and_clear_rows(uint64_t *bits, int row_count, int *rows)
{
    int count = 0;
    for (int word = 0; word <= row_count / WORD; word++) {
        for (uint64_t rest = bits[word]; rest; rest &= rest - 1) // clears the lowest set bit
            rows[count++] = word * WORD + __builtin_ctzll(rest);
        bits[word] = 0;
    }
    return count;
}

// Gives every row that contains particles a slot (a place in the table's arrays of cells), and
// finds the range of filled columns.
static void assign_slots(const fm_cell_rows *rows, fm_cell_table *table, const fm_cell_index *index,
                         int count)
{
    int low = rows->nx, high = 0;
    for (int s = 1; s <= table->slot_count; s++)
        table->slot[table->row[s]] = 0;
    for (int i = 0; i < count; i++) {
        if (index[i].row < 0)
            continue;
        set_row_bit(table->filled, index[i].row);
        low = index[i].column < low ? index[i].column : low;
        high = index[i].column >= high ? index[i].column + 1 : high;
    }
    table->low = low < high ? low : 0;
    table->high = high;
    table->slot_count = list_and_clear_rows(table->filled, rows->count, table->row + 1);
    for (int s = 1; s <= table->slot_count; s++)
        table->slot[table->row[s]] = s;
}

// A range of columns (cells along x): from low to below high.
typedef struct columns {
    int low, high;
} columns;

// Columns within REACH of the particles of a table.
static columns find_reach(const fm_cell_rows *rows, const fm_cell_table *table)
{
    int low = table->low - REACH, high = table->high + REACH;
    return (columns){low > 0 ? low : 0, high < rows->nx ? high : rows->nx};
}

// Columns of table `of` within REACH of the particles of table `in`.
static columns find_common_reach(const fm_cell_rows *rows, const fm_cell_table *of,
                                 const fm_cell_table *in)
{
    columns c = find_reach(rows, in);
    return (columns){c.low > of->low ? c.low : of->low, c.high < of->high ? c.high : of->high};
}

// Sets near_along_x of the cells that have a particle of the same row within REACH.
static void mark_near_along_x(const fm_cell_rows *rows, fm_cell_table *table)
{
    int low = table->low, high = table->high;
    columns c = find_reach(rows, table);
    for (int s = 1; s <= table->slot_count; s++) {
        const int *start = table->start + fm_cell_table_offset(rows, s, 0);
        unsigned char *along = table->near_along_x + fm_cell_table_offset(rows, s, 0);
        for (int x = c.low; x < c.high; x++) {
            int from = x - REACH > low ? x - REACH : low, to = x + REACH + 1;
            along[x] = start[to < high ? to : high] > start[from];
        }
    }
}

// Stable counting sort of `count` particles by cell. index: cell of each particle. Fills `order`
// with particle indices, particles without a cell last, and the table with the first particle of
// each cell. Returns how many particles have a cell.
int fm_cell_table_sort(const fm_cell_rows *rows, fm_cell_table *table, const fm_cell_index *index,
                       int count, int *order)
{
    assign_slots(rows, table, index, count);
    const int low = table->low, high = table->high;
    for (int s = 1; s <= table->slot_count; s++)
        memset(table->start + fm_cell_table_offset(rows, s, low), 0,
               (size_t)(high - low) * sizeof *table->start);
    for (int i = 0; i < count; i++)
        if (index[i].row >= 0)
            table->start[fm_cell_table_offset(rows, table->slot[index[i].row], index[i].column)]++;
    int next = 0;
    for (int s = 1; s <= table->slot_count; s++) {
        int *start = table->start + fm_cell_table_offset(rows, s, 0);
        for (int x = low; x < high; x++) // end of each cell
            start[x] = next += start[x];
        start[high] = next;
    }
    for (int i = count - 1, out = count; i >= 0;
         i--) { // backwards, from the end of each cell to its start
        int *start = table->start +
                     fm_cell_table_offset(rows, table->slot[index[i].row < 0 ? 0 : index[i].row],
                                          index[i].column);
        order[index[i].row < 0 ? --out : --*start] = i;
    }
    mark_near_along_x(rows, table);
    return next;
}

// Sets out[x] for the columns x of a row that are within REACH of particles of table `in`, in that
// row or in one of the eight rows around it.
static void mark_columns_of_row(const fm_cell_rows *rows, const fm_cell_table *in, int row,
                                columns c, unsigned char *out)
{
    for (int k = 0; k < FM_CELL_ROWS_AROUND; k++) {
        int slot = in->slot[k < 8 ? rows->around[row][k] : row];
        const unsigned char *along = in->near_along_x + fm_cell_table_offset(rows, slot, 0);
        for (int x = c.low; x < c.high && slot > 0; x++)
            out[x] |= along[x];
    }
}

// Sets near[cell] = 1 for the cells of table `of`, in its rows with slots first + 1 to last, that
// may contain a particle within the support of a particle of table `in`; 0 for the other cells of
// these rows. The test is by whole cells and rows, so it may mark too many cells.
void fm_cell_table_mark_near(const fm_cell_rows *rows, const fm_cell_table *of,
                             const fm_cell_table *in, int first, int last, unsigned char *near)
{
    columns c = find_common_reach(rows, of, in);
    for (int s = first + 1; s <= last; s++) {
        unsigned char *out = near + fm_cell_table_offset(rows, s, 0);
        memset(out + of->low, 0, (size_t)(of->high - of->low));
        mark_columns_of_row(rows, in, of->row[s], c, out);
    }
}

// True when a particle of table `in` may be within the support of a particle in the cell `index`.
bool fm_cell_table_is_near(const fm_cell_rows *rows, const fm_cell_table *in, fm_cell_index index)
{
    columns c = find_reach(rows, in);
    bool near = false;
    for (int k = 0; k < FM_CELL_ROWS_AROUND && index.column >= c.low && index.column < c.high;
         k++) {
        int slot = in->slot[k < 8 ? rows->around[index.row][k] : index.row];
        near |= slot > 0 && in->near_along_x[fm_cell_table_offset(rows, slot, index.column)];
    }
    return near;
}

// Lists the particles of table `of` that are in cells within the support of particles of table
// `in`. Returns their number.
int fm_cell_table_list_near(fm_cell_rows *rows, const fm_cell_table *of, const fm_cell_table *in,
                            int *list)
{
    int count = 0;
    for (int slot = 1; slot <= in->slot_count; slot++) {
        for (int k = 0; k < FM_CELL_ROWS_AROUND; k++) {
            int row = k < 8 ? rows->around[in->row[slot]][k] : in->row[slot];
            if (of->slot[row] > 0)
                set_row_bit(rows->marked, row);
        }
    }
    columns c = find_common_reach(rows, of, in);
    int marked = list_and_clear_rows(rows->marked, rows->count, rows->marked_rows);
    for (int k = 0; k < marked && c.low < c.high; k++) {
        int row = rows->marked_rows[k];
        const int *start = of->start + fm_cell_table_offset(rows, of->slot[row], 0);
        memset(rows->marked_columns + c.low, 0, (size_t)(c.high - c.low));
        mark_columns_of_row(rows, in, row, c, rows->marked_columns);
        for (int x = c.low; x < c.high; x++)
            for (int i = start[x]; rows->marked_columns[x] && i < start[x + 1]; i++)
                list[count++] = i;
    }
    return count;
}
