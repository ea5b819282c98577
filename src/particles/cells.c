// SPDX-License-Identifier: MIT
// cells.c: rows of cells over the domain, and where in a sorted set those of each cell begin.
//
// Rows along x are as wide as the support across, and cut into cells a quarter as long. Rows are
// numbered tile by tile, so that neighbours are near in memory also when there are millions. A
// table has cells for the rows that hold somebody, in the order of their numbers, and along x from
// the first to the last that is filled: what a table costs follows what is in it, not the domain,
// but for one bit a row.
//
// Sorting counts: stable, so the order depends on positions and on the order before it, not on
// threads. Positions outside the cells are in the nearest one.
#include "particles/particles.h"

#include <string.h>

enum { TILE = 8, WORD = 64 };

// How far along x somebody within the support may be, in cells.
enum { REACH = FM_CELLS_PER_SUPPORT + 1 };

// The eight rows around one, in the order the lanes of find_runs have them.
static const int STEP_Y[8] = {-1, 0, 1, -1, 1, -1, 0, 1}, STEP_Z[8] = {-1, -1, -1, 0, 0, 1, 1, 1};

static void number_rows(fm_rows *rows)
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
            bool there = y >= 0 && y < rows->ny && z >= 0 && z < rows->nz;
            // where there is none, the first, which stays empty
            rows->around[rows->number[k]][lane] = there ? rows->number[z * rows->ny + y] : 0;
        }
    }
}

bool fm_rows_make(fm_particles *p, fm_error *err)
{
    fm_rows *rows = &p->rows;
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
        // one support beyond each side, for walls and copies, and one more that stays empty
        rows->origin[axis] = flat && axis == 2 ? 0 : low[axis] - 2 * R;
        double across = flat && axis == 2 ? 1 : ceil(size[axis] / R) + 4;
        cells *= axis == 0 ? FM_CELLS_PER_SUPPORT * across : across;
        n[axis] = across < 1e6 ? (int)across : 1000000;
    }
    if (!(cells <= 2e8))
        return fm_fail_number(err, p->name, "domain", cells,
                              "at most 2e8 cells: a smaller domain or a larger spacing");
    rows->nx = FM_CELLS_PER_SUPPORT * n[0];
    rows->ny = n[1];
    rows->nz = n[2];
    rows->count = rows->ny * rows->nz;
    size_t count = (size_t)rows->count;
    rows->number = fm_arena_alloc(&p->arena, count, sizeof *rows->number, p->name, err);
    rows->around = fm_arena_alloc(&p->arena, count, sizeof *rows->around, p->name, err);
    rows->met = fm_arena_alloc(&p->arena, count / WORD + 1, sizeof *rows->met, p->name, err);
    rows->met_rows = fm_arena_alloc(&p->arena, count, sizeof *rows->met_rows, p->name, err);
    rows->columns = fm_arena_alloc(&p->arena, (size_t)rows->nx, 1, p->name, err);
    if (err->status == FM_OK)
        number_rows(rows);
    return err->status == FM_OK;
}

fm_cell_place fm_rows_place(const fm_rows *rows, float x, float y, float z)
{
    int cy, cz;
    fm_rows_find(rows, y, z, &cy, &cz);
    return (fm_cell_place){rows->number[cz * rows->ny + cy],
                           fm_clamp_cell(x * rows->along, 0, rows->nx - 1)};
}

bool fm_table_make(fm_cell_table *table, fm_particles *p, int room, fm_error *err)
{
    const fm_rows *rows = &p->rows;
    size_t count = (size_t)rows->count,
           slots = 1 + (size_t)(room < rows->count ? room : rows->count);
    size_t cells = table->cell_count = slots * ((size_t)rows->nx + 1);
    table->slot = fm_arena_alloc(&p->arena, count, sizeof *table->slot, p->name, err);
    table->filled =
        fm_arena_alloc(&p->arena, count / WORD + 1, sizeof *table->filled, p->name, err);
    table->row = fm_arena_alloc(&p->arena, slots, sizeof *table->row, p->name, err);
    table->start = fm_arena_alloc(&p->arena, cells, sizeof *table->start, p->name, err);
    table->along = fm_arena_alloc(&p->arena, cells, 1, p->name, err);
    return err->status == FM_OK;
}

static inline void add_bit(uint64_t *bits, int row)
{
    bits[row / WORD] |= (uint64_t)1 << row % WORD;
}

// Takes the rows out of a set, in their order, and leaves it empty. Gives how many.
static int take_rows(uint64_t *bits, int row_count, int *rows)
{
    int count = 0;
    for (int word = 0; word <= row_count / WORD; word++) {
        for (uint64_t left = bits[word]; left; left &= left - 1)
            rows[count++] = word * WORD + __builtin_ctzll(left);
        bits[word] = 0;
    }
    return count;
}

static void find_slots(const fm_rows *rows, fm_cell_table *table, const fm_cell_place *place,
                       int count)
{
    int low = rows->nx, high = 0;
    for (int s = 1; s <= table->slot_count; s++)
        table->slot[table->row[s]] = 0;
    for (int i = 0; i < count; i++) {
        if (place[i].row < 0)
            continue;
        add_bit(table->filled, place[i].row);
        low = place[i].column < low ? place[i].column : low;
        high = place[i].column >= high ? place[i].column + 1 : high;
    }
    table->low = low < high ? low : 0;
    table->high = high;
    table->slot_count = take_rows(table->filled, rows->count, table->row + 1);
    for (int s = 1; s <= table->slot_count; s++)
        table->slot[table->row[s]] = s;
}

// From low to below high.
typedef struct columns {
    int low, high;
} columns;

// Columns that members of a table are within reach of.
static columns find_reach(const fm_rows *rows, const fm_cell_table *table)
{
    int low = table->low - REACH, high = table->high + REACH;
    return (columns){low > 0 ? low : 0, high < rows->nx ? high : rows->nx};
}

// Those of them that have cells in the table `of`.
static columns find_common(const fm_rows *rows, const fm_cell_table *of, const fm_cell_table *in)
{
    columns c = find_reach(rows, in);
    return (columns){c.low > of->low ? c.low : of->low, c.high < of->high ? c.high : of->high};
}

// Somebody is within the support along x, and not more than a cell further.
static void mark_along(const fm_rows *rows, fm_cell_table *table)
{
    int low = table->low, high = table->high;
    columns c = find_reach(rows, table);
    for (int s = 1; s <= table->slot_count; s++) {
        const int *start = table->start + fm_table_cell(rows, s, 0);
        unsigned char *along = table->along + fm_table_cell(rows, s, 0);
        for (int x = c.low; x < c.high; x++) {
            int from = x - REACH > low ? x - REACH : low, to = x + REACH + 1;
            along[x] = start[to < high ? to : high] > start[from];
        }
    }
}

int fm_table_sort(const fm_rows *rows, fm_cell_table *table, const fm_cell_place *place, int count,
                  int *order)
{
    find_slots(rows, table, place, count);
    const int low = table->low, high = table->high;
    for (int s = 1; s <= table->slot_count; s++)
        memset(table->start + fm_table_cell(rows, s, low), 0,
               (size_t)(high - low) * sizeof *table->start);
    for (int i = 0; i < count; i++)
        if (place[i].row >= 0)
            table->start[fm_table_cell(rows, table->slot[place[i].row], place[i].column)]++;
    int next = 0;
    for (int s = 1; s <= table->slot_count; s++) {
        int *start = table->start + fm_table_cell(rows, s, 0);
        for (int x = low; x < high; x++) // where each ends
            start[x] = next += start[x];
        start[high] = next;
    }
    for (int i = count - 1, out = count; i >= 0; i--) { // backwards to where each begins
        int *start =
            table->start +
            fm_table_cell(rows, table->slot[place[i].row < 0 ? 0 : place[i].row], place[i].column);
        order[place[i].row < 0 ? --out : --*start] = i;
    }
    mark_along(rows, table);
    return next;
}

// Columns of a row that members of `in` are within reach of, or of rows around it.
static void mark_row(const fm_rows *rows, const fm_cell_table *in, int row, columns c,
                     unsigned char *out)
{
    for (int k = 0; k < FM_ROWS_AROUND; k++) {
        int slot = in->slot[k < 8 ? rows->around[row][k] : row];
        const unsigned char *along = in->along + fm_table_cell(rows, slot, 0);
        for (int x = c.low; x < c.high && slot > 0; x++)
            out[x] |= along[x];
    }
}

void fm_table_mark(const fm_rows *rows, const fm_cell_table *of, const fm_cell_table *in, int first,
                   int last, unsigned char *near)
{
    columns c = find_common(rows, of, in);
    for (int s = first + 1; s <= last; s++) {
        unsigned char *out = near + fm_table_cell(rows, s, 0);
        memset(out + of->low, 0, (size_t)(of->high - of->low));
        mark_row(rows, in, of->row[s], c, out);
    }
}

bool fm_table_is_near(const fm_rows *rows, const fm_cell_table *in, fm_cell_place place)
{
    columns c = find_reach(rows, in);
    bool near = false;
    for (int k = 0; k < FM_ROWS_AROUND && place.column >= c.low && place.column < c.high; k++) {
        int slot = in->slot[k < 8 ? rows->around[place.row][k] : place.row];
        near |= slot > 0 && in->along[fm_table_cell(rows, slot, place.column)];
    }
    return near;
}

int fm_table_list_near(fm_rows *rows, const fm_cell_table *of, const fm_cell_table *in, int *list)
{
    int count = 0;
    for (int slot = 1; slot <= in->slot_count; slot++) {
        for (int k = 0; k < FM_ROWS_AROUND; k++) {
            int row = k < 8 ? rows->around[in->row[slot]][k] : in->row[slot];
            if (of->slot[row] > 0)
                add_bit(rows->met, row);
        }
    }
    columns c = find_common(rows, of, in);
    int met = take_rows(rows->met, rows->count, rows->met_rows);
    for (int k = 0; k < met && c.low < c.high; k++) {
        int row = rows->met_rows[k];
        const int *start = of->start + fm_table_cell(rows, of->slot[row], 0);
        memset(rows->columns + c.low, 0, (size_t)(c.high - c.low));
        mark_row(rows, in, row, c, rows->columns);
        for (int x = c.low; x < c.high; x++)
            for (int i = start[x]; rows->columns[x] && i < start[x + 1]; i++)
                list[count++] = i;
    }
    return count;
}
