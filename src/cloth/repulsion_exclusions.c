// SPDX-License-Identifier: MIT
// repulsion_exclusions.c: lists pairs of particles that are close along the cloth, so that they do
// not repel each other.
//
// For each particle, a search along springs and seams (which have length 0) finds all particles
// within EXCLUSION d0 + one spacing, d0 being the distance of repulsion; repulsion.c uses the same
// limit on sheets. The lists are sorted.
#include "cloth/cloth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double EXCLUSION = 1.5;           // in d0; the same as in repulsion.c
static const long long PAIRS_MAX = 1000000000; // keeps the indices of pairs within an int

// A search for the particles within reach of one particle.
typedef struct search {
    const fm_cloth *cloth;
    double reach;   // m, largest path length
    double *length; // m, length of the path to each particle; INFINITY: not found
    int *queue;     // particles found, the start particle first
    int found;      // length of the queue
    // linked lists of the stitches at each particle; an entry is 2 * stitch + end
    int *first_stitch, *next_stitch;
} search;

// Sets the path length to particle `to` if the new path is shorter and within reach. A particle
// that is reached for the first time enters the queue.
static void relax(search *s, int to, double length)
{
    if (length > s->reach || length >= s->length[to])
        return;
    if (isinf(s->length[to]))
        s->queue[s->found++] = to;
    s->length[to] = length;
}

// Updates the path lengths to the neighbours of particle i: along springs, and along stitches,
// which have length 0.
static void relax_links(search *s, int i)
{
    const fm_cloth *c = s->cloth;
    const fm_spring_mesh *mesh = &c->mesh;
    double so_far = s->length[i];
    if (c->kind == FM_CLOTH_SHEET) {
        int row = i / c->columns, column = i % c->columns;
        for (int k = 0; k < 9; k++) {
            int down = k / 3 - 1, across = k % 3 - 1, r = row + down, q = column + across;
            if (r >= 0 && r < c->rows && q >= 0 && q < c->columns)
                relax(s, r * c->columns + q, so_far + hypot(down * c->dy, across * c->dx));
        }
    } else {
        for (int k = mesh->edges.start[i]; k < mesh->edges.start[i + 1]; k++) {
            int e = mesh->edges.entry[k] / 2;
            int to = mesh->edges.entry[k] % 2 ? mesh->edge_a[e] : mesh->edge_b[e];
            relax(s, to, so_far + mesh->edge_rest[e]);
        }
    }
    for (int k = s->first_stitch[i]; k >= 0; k = s->next_stitch[k])
        relax(s, k % 2 ? c->stitches.a[k / 2] : c->stitches.b[k / 2], so_far);
}

// Fills the queue with all particles within reach of particle i. A path length may decrease after
// its particle was processed, so the queue is processed until nothing changes: two or three times,
// since it is short. Then clears the path lengths for the next search.
static void find_within_reach(search *s, int i)
{
    s->found = 0;
    relax(s, i, 0);
    for (bool changed = true; changed;) {
        double before = 0, after = 0;
        int count = s->found;
        for (int k = 0; k < s->found; k++)
            before += s->length[s->queue[k]];
        for (int k = 0; k < s->found; k++)
            relax_links(s, s->queue[k]);
        for (int k = 0; k < s->found; k++)
            after += s->length[s->queue[k]];
        changed = s->found != count || after != before;
    }
    for (int k = 0; k < s->found; k++)
        s->length[s->queue[k]] = INFINITY;
}

// Order of ints for qsort and bsearch.
static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// Lists the particles close to each particle along the cloth in excluded, particle by particle,
// with the first index of each list in start. excluded == NULL: only fills start. False if there
// are more than PAIRS_MAX pairs.
static bool list_excluded(search *s, int *start, int *excluded)
{
    long long total = 0;
    for (int i = 0; i < s->cloth->count; i++) {
        start[i] = (int)total;
        find_within_reach(s, i);
        if (total + s->found > PAIRS_MAX)
            return false;
        if (excluded) {
            memcpy(excluded + total, s->queue, (size_t)s->found * sizeof *excluded);
            qsort(excluded + total, (size_t)s->found, sizeof *excluded, compare);
        }
        total += s->found;
    }
    start[s->cloth->count] = (int)total;
    return true;
}

// Builds the linked lists of the stitches at each particle.
static void chain_stitches(const search *s)
{
    const fm_stitches *stitches = &s->cloth->stitches;
    for (int i = 0; i < s->cloth->count; i++)
        s->first_stitch[i] = -1;
    for (int k = 0; k < 2 * stitches->count; k++) {
        int at = k % 2 ? stitches->b[k / 2] : stitches->a[k / 2];
        s->next_stitch[k] = s->first_stitch[at];
        s->first_stitch[at] = k;
    }
}

// Counts, allocates and fills the lists of excluded particles. False if memory runs out.
static bool create_lists(fm_cloth *c, search *s)
{
    for (int i = 0; i < c->count; i++)
        s->length[i] = INFINITY;
    chain_stitches(s);
    c->near.excluded_start = malloc(((size_t)c->count + 1) * sizeof(int));
    if (!c->near.excluded_start || !list_excluded(s, c->near.excluded_start, NULL))
        return false;
    c->near.excluded = malloc(((size_t)c->near.excluded_start[c->count] + 1) * sizeof(int));
    return c->near.excluded && list_excluded(s, c->near.excluded_start, c->near.excluded);
}

// Lists the pairs of particles that are close along the cloth, again if springs or seams have
// changed. A sheet without seams needs no lists: repulsion.c uses the distance on its grid.
bool fm_repulsion_find_exclusions(fm_cloth *c, fm_error *err)
{
    free(c->near.excluded_start);
    free(c->near.excluded);
    c->near.excluded_start = c->near.excluded = NULL;
    c->near.list.valid = false;
    if (c->kind == FM_CLOTH_SHEET && c->stitches.count == 0)
        return true;
    double spacing = c->kind == FM_CLOTH_SHEET ? fmax(c->dx, c->dy) : c->mesh.mean_rest;
    size_t count = (size_t)c->count;
    search s = {.cloth = c,
                .reach = EXCLUSION * c->repulsion_distance + spacing,
                .length = malloc(count * sizeof *s.length),
                .queue = malloc(count * sizeof *s.queue),
                .first_stitch = malloc(count * sizeof *s.first_stitch),
                .next_stitch = malloc((2 * (size_t)c->stitches.count + 1) * sizeof *s.next_stitch)};
    bool good = s.length && s.queue && s.first_stitch && s.next_stitch && create_lists(c, &s);
    free(s.length);
    free(s.queue);
    free(s.first_stitch);
    free(s.next_stitch);
    return good || fm_fail_no_memory(err, c->object.name, count * sizeof(int));
}

bool fm_repulsion_is_excluded(const fm_cloth *c, int i, int j)
{
    const int *first = c->near.excluded + c->near.excluded_start[i];
    size_t count = (size_t)(c->near.excluded_start[i + 1] - c->near.excluded_start[i]);
    return bsearch(&j, first, count, sizeof *first, compare) != NULL;
}
