// SPDX-License-Identifier: MIT
// kin.c: particles that are near each other along the cloth, and so do not repel each other.
//
// From each particle a search along springs and closed seams (length 0) finds all that can be
// reached within 1.5 d0 + one spacing, the measure repulsion.c has for sheets. Lists are sorted.
#include "cloth/cloth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
    const fm_cloth *cloth;
    double reach;   // m
    double *length; // m, to each particle; INFINITY: not found
    int *queue;     // found, the start first
    int found;
    int *first_stitch, *next_stitch; // chains of 2 * stitch + end
} search;

static void reach_out(search *s, int to, double length)
{
    if (length > s->reach || length >= s->length[to])
        return;
    if (isinf(s->length[to]))
        s->queue[s->found++] = to;
    s->length[to] = length;
}

static void visit(search *s, int i)
{
    const fm_cloth *c = s->cloth;
    const fm_net *net = &c->mesh;
    double so_far = s->length[i];
    if (c->kind == FM_CLOTH_SHEET) {
        int row = i / c->columns, column = i % c->columns;
        for (int k = 0; k < 9; k++) {
            int down = k / 3 - 1, across = k % 3 - 1, r = row + down, q = column + across;
            if (r >= 0 && r < c->rows && q >= 0 && q < c->columns)
                reach_out(s, r * c->columns + q, so_far + hypot(down * c->dy, across * c->dx));
        }
    } else {
        for (int k = net->edges.start[i]; k < net->edges.start[i + 1]; k++) {
            int e = net->edges.entry[k] / 2;
            int to = net->edges.entry[k] % 2 ? net->edge_a[e] : net->edge_b[e];
            reach_out(s, to, so_far + net->edge_rest[e]);
        }
    }
    for (int k = s->first_stitch[i]; k >= 0; k = s->next_stitch[k])
        reach_out(s, k % 2 ? c->stitches.a[k / 2] : c->stitches.b[k / 2], so_far);
}

// Those within reach of i, in the queue. Lengths may still shrink after a visit, so the queue is
// walked until nothing changes: twice or three times, being short.
static void find_around(search *s, int i)
{
    s->found = 0;
    reach_out(s, i, 0);
    for (bool changed = true; changed;) {
        double before = 0, after = 0;
        int count = s->found;
        for (int k = 0; k < s->found; k++)
            before += s->length[s->queue[k]];
        for (int k = 0; k < s->found; k++)
            visit(s, s->queue[k]);
        for (int k = 0; k < s->found; k++)
            after += s->length[s->queue[k]];
        changed = s->found != count || after != before;
    }
    for (int k = 0; k < s->found; k++)
        s->length[s->queue[k]] = INFINITY;
}

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// kin == NULL counts only. False when there are more than can be numbered.
static bool list_kin(search *s, int *start, int *kin)
{
    long long total = 0;
    for (int i = 0; i < s->cloth->count; i++) {
        start[i] = (int)total;
        find_around(s, i);
        if (total + s->found > 1000000000)
            return false;
        if (kin) {
            memcpy(kin + total, s->queue, (size_t)s->found * sizeof *kin);
            qsort(kin + total, (size_t)s->found, sizeof *kin, compare);
        }
        total += s->found;
    }
    start[s->cloth->count] = (int)total;
    return true;
}

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

static bool make_kin(fm_cloth *c, search *s)
{
    for (int i = 0; i < c->count; i++)
        s->length[i] = INFINITY;
    chain_stitches(s);
    c->near.kin_start = malloc(((size_t)c->count + 1) * sizeof(int));
    if (!c->near.kin_start || !list_kin(s, c->near.kin_start, NULL))
        return false;
    c->near.kin = malloc(((size_t)c->near.kin_start[c->count] + 1) * sizeof(int));
    return c->near.kin && list_kin(s, c->near.kin_start, c->near.kin);
}

bool fm_repulsion_find_kin(fm_cloth *c, fm_error *err)
{
    free(c->near.kin_start);
    free(c->near.kin);
    c->near.kin_start = c->near.kin = NULL;
    c->near.made = false;
    if (c->kind == FM_CLOTH_SHEET && c->stitches.count == 0)
        return true;
    double spacing = c->kind == FM_CLOTH_SHEET ? fmax(c->dx, c->dy) : c->mesh.mean_rest;
    size_t count = (size_t)c->count;
    search s = {.cloth = c,
                .reach = 1.5 * c->repulsion_distance + spacing,
                .length = malloc(count * sizeof *s.length),
                .queue = malloc(count * sizeof *s.queue),
                .first_stitch = malloc(count * sizeof *s.first_stitch),
                .next_stitch = malloc((2 * (size_t)c->stitches.count + 1) * sizeof *s.next_stitch)};
    bool good = s.length && s.queue && s.first_stitch && s.next_stitch && make_kin(c, &s);
    free(s.length);
    free(s.queue);
    free(s.first_stitch);
    free(s.next_stitch);
    return good || fm_fail_no_memory(err, c->name, count * sizeof(int));
}

bool fm_repulsion_are_kin(const fm_cloth *c, int i, int j)
{
    const int *first = c->near.kin + c->near.kin_start[i];
    size_t count = (size_t)(c->near.kin_start[i + 1] - c->near.kin_start[i]);
    return bsearch(&j, first, count, sizeof *first, compare) != NULL;
}
