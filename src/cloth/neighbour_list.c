// SPDX-License-Identifier: MIT
// neighbour_list.c: a list of the particles near each particle.
//
// Pairs are found with a hash grid of cells of size reach + skin. The list is valid until a
// particle has moved by half the skin relative to the mean of all. The partners of a particle are
// sorted by index: a sum over those within reach does not depend on when the list was built. The
// cells are built by one thread.
#include "cloth/cloth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Allocates an empty list for pairs within `reach`.
bool fm_neighbour_list_create(fm_cloth *c, fm_neighbour_list *list, double reach, double skin,
                              fm_error *err)
{
    list->reach = reach, list->skin = skin;
    size_t count = (size_t)c->count;
    list->counts = fm_arena_alloc(&c->arena, count, sizeof(int), c->object.name, err);
    list->at = fm_vec3_array_create(&c->arena, c->lanes, err);
    return fm_cell_list_create(&list->cells, &c->arena, c->count, err);
}

// Arguments of the loop over particles.
typedef struct search {
    const fm_cloth *cloth;
    fm_neighbour_list *list;
    const fm_vec3_array *x;
    fm_pair_excluded *excluded;
} search;

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

// Lists the particles within reach + skin of the particles [first, last), as many as there is room
// for, and counts them all. They are in the 27 cells around a particle's cell. A bucket of the hash
// table may hold particles of other cells.
static void find_partners(void *context, int first, int last)
{
    const search *s = context;
    const fm_cell_list *cells = &s->list->cells;
    double reach = cells->size * cells->size;
    for (int i = first; i < last; i++) {
        int found = 0, room = s->list->room, *partner = fm_neighbour_list_partners(s->list, i);
        for (int n = 0; n < 27; n++) {
            fm_cell cell = cells->cell[i];
            cell.x += n % 3 - 1, cell.y += n / 3 % 3 - 1, cell.z += n / 9 - 1;
            int bucket = fm_cell_list_find_bucket(cells, cell);
            for (int e = cells->start[bucket]; e < cells->start[bucket + 1]; e++) {
                int j = cells->order[e];
                const fm_cell *other = &cells->cell[j];
                if (j == i || other->x != cell.x || other->y != cell.y || other->z != cell.z ||
                    fm_distance_squared(s->x, i, j) >= reach ||
                    (s->excluded && s->excluded(s->cloth, i, j)))
                    continue;
                if (found < room)
                    partner[found] = j;
                found++;
            }
        }
        s->list->counts[i] = found;
        if (found > 1 && found <= room)
            qsort(partner, (size_t)found, sizeof(int), compare);
    }
}

// Lists the partners of all particles. Returns the largest number of them that a particle has.
static int list_partners(search *s, fm_pool *pool)
{
    int most = 0;
    fm_parallel_for(pool, s->cloth->count, FM_PARTICLE_BLOCK, find_partners, s);
    for (int i = 0; i < s->cloth->count; i++)
        most = s->list->counts[i] > most ? s->list->counts[i] : most;
    return most;
}

// Makes room for `most` partners of each particle and half as many again, so that this rarely
// happens twice.
static bool reserve(fm_cloth *c, fm_neighbour_list *list, int most)
{
    fm_error ignored = {0};
    size_t room = (size_t)most + (size_t)most / 2 + 1;
    int *more = fm_arena_alloc(&c->arena, (size_t)c->count * room, sizeof *more, "cloth", &ignored);
    if (!more)
        return false;
    list->partner = more;
    list->room = (int)room;
    return true;
}

// Builds the list at the present positions, again if some particle has more partners than there is
// room for.
static void build(search *s, fm_cloth *c, fm_pool *pool)
{
    fm_neighbour_list *list = s->list;
    fm_cell_list_build(&list->cells, list->reach + list->skin, c->count, s->x->x, s->x->y, s->x->z);
    int most = list_partners(s, pool);
    if (most > list->room) {
        if (!reserve(c, list, most)) {
            memset(list->counts, 0, (size_t)c->count * sizeof(int));
            return;
        }
        list_partners(s, pool);
    }
    memcpy(list->at.x, s->x->x, 3 * (size_t)c->lanes * sizeof(double));
    list->valid = true;
}

// Whether no particle has moved by half the skin relative to the mean since the list was built. Two
// particles have then approached by less than the skin.
static bool is_valid(const fm_cloth *c, const fm_neighbour_list *list, const fm_vec3_array *x)
{
    double half = list->skin / 2, farthest = 0;
    fm_vec3 sum = {0, 0, 0};
    for (int i = 0; i < c->count && list->valid; i++) {
        sum.x += x->x[i] - list->at.x[i], sum.y += x->y[i] - list->at.y[i];
        sum.z += x->z[i] - list->at.z[i];
    }
    fm_vec3 mean = fm_scale(sum, 1.0 / c->count);
    for (int i = 0; i < c->count && list->valid; i++) {
        double dx = x->x[i] - list->at.x[i] - mean.x, dy = x->y[i] - list->at.y[i] - mean.y;
        double dz = x->z[i] - list->at.z[i] - mean.z;
        farthest = fmax(farthest, dx * dx + dy * dy + dz * dz);
    }
    return list->valid && farthest < half * half;
}

// Builds the list again if particles have moved too far.
void fm_neighbour_list_update(fm_cloth *c, fm_neighbour_list *list, const fm_vec3_array *x,
                              fm_pair_excluded *excluded, fm_pool *pool)
{
    search s = {.cloth = c, .list = list, .x = x, .excluded = excluded};
    if (!is_valid(c, list, x))
        build(&s, c, pool);
}
