// SPDX-License-Identifier: MIT
// surfaces.c: a contact set is made: checks, topology, storage.
#include "collide/contact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RESERVED_PAIRS = 24,  // a triangle
    RESERVED_SLOTS = 512, // a block: twice the vertices; a power of two
    LIST_STEPS = 8,       // that a list is to last, unless the caller says how many
};

static bool check_surface(const fm_contact_surface *s, fm_error *err)
{
    char object[48];
    snprintf(object, sizeof object, "surface %.30s", s->name ? s->name : "");
    if (s->vertex_count < 3)
        return fm_fail_number(err, object, "vertex_count", s->vertex_count, "at least 3");
    if (s->triangle_count < 1)
        return fm_fail_number(err, object, "triangle_count", s->triangle_count, "at least 1");
    if (!(s->thickness > 0) || !isfinite(s->thickness))
        return fm_fail_number(err, object, "thickness", s->thickness, "> 0, in m");
    if (!(s->friction >= 0) || !isfinite(s->friction))
        return fm_fail_number(err, object, "friction", s->friction, ">= 0");
    for (int t = 0; t < s->triangle_count; t++) {
        const int *v = s->triangles[t];
        for (int i = 0; i < 3; i++) {
            if (v[i] < 0 || v[i] >= s->vertex_count)
                return fm_fail_number(err, object, "triangles", v[i], "indices of its vertices");
            if (v[i] == v[(i + 1) % 3])
                return fm_fail_number(err, object, "triangles", v[i], "three different vertices");
        }
    }
    for (int i = 0; i < s->vertex_count; i++) {
        if (!fm_is_finite((fm_vec3){s->x[i], s->y[i], s->z[i]}))
            return fm_fail_number(err, object, "position", i, "finite");
        if (s->inverse_mass && (!(s->inverse_mass[i] >= 0) || !isfinite(s->inverse_mass[i])))
            return fm_fail_number(err, object, "inverse_mass", s->inverse_mass[i], ">= 0");
    }
    return true;
}

static fm_contact_axes alloc_axes(fm_contact_set *set, fm_error *err)
{
    fm_contact_axes a;
    size_t count = (size_t)set->vertex_count;
    a.x = fm_arena_alloc(&set->arena, count, sizeof(double), "contact", err);
    a.y = fm_arena_alloc(&set->arena, count, sizeof(double), "contact", err);
    a.z = fm_arena_alloc(&set->arena, count, sizeof(double), "contact", err);
    return a;
}

static void *alloc(fm_contact_set *set, int count, size_t size, fm_error *err)
{
    return fm_arena_alloc(&set->arena, (size_t)count, size, "contact", err);
}

static bool alloc_set(fm_contact_set *set, fm_error *err)
{
    int n = set->vertex_count, t = set->triangle_count;
    fm_contact_axes *axes[] = {&set->x0,    &set->x1,    &set->v,       &set->from,
                               &set->to,    &set->rate,  &set->saved_v, &set->saved_rate,
                               &set->built, &set->ahead, &set->seen,    &set->mass_axis};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        *axes[i] = alloc_axes(set, err);
    set->body_of = alloc(set, n, sizeof(int), err);
    set->inverse_mass = alloc(set, n, sizeof(double), err);
    set->axis_inverse_mass = alloc(set, n, sizeof(double), err);
    set->height = alloc(set, n, sizeof(double), err);
    set->some_triangle = alloc(set, n, sizeof(int), err);
    set->pinched = alloc(set, n, sizeof(bool), err);
    set->tangled = alloc(set, n, sizeof(bool), err);
    set->zones.parent = alloc(set, n, sizeof(int), err);
    set->zones.carrier = alloc(set, n, sizeof(int), err);
    set->zones.member = alloc(set, n, sizeof(int), err);
    set->zones.sorted = alloc(set, n, fm_zones_member_size(), err);
    set->triangle = alloc(set, t, sizeof *set->triangle, err);
    set->owned_edge = alloc(set, t, sizeof *set->owned_edge, err);
    set->owned_vertex = alloc(set, t, sizeof *set->owned_vertex, err);
    set->boxes = alloc(set, t, sizeof *set->boxes, err);
    set->edge = alloc(set, 3 * t, sizeof *set->edge, err);
    set->colours = alloc(set, n, sizeof *set->colours, err);
    return err->status == FM_OK;
}

static void copy_surface(fm_contact_set *set, fm_contact_body *body, const fm_contact_surface *s)
{
    snprintf(body->name, sizeof body->name, "%s", s->name ? s->name : "");
    body->kinematic = !s->inverse_mass;
    body->solid = s->solid && body->kinematic;
    body->thickness = s->thickness;
    body->friction = s->friction;
    for (int i = 0; i < s->vertex_count; i++) {
        int v = body->first_vertex + i;
        set->body_of[v] = (int)(body - set->bodies);
        set->inverse_mass[v] = s->inverse_mass ? s->inverse_mass[i] : 0;
        set->x0.x[v] = set->x1.x[v] = set->from.x[v] = s->x[i];
        set->x0.y[v] = set->x1.y[v] = set->from.y[v] = s->y[i];
        set->x0.z[v] = set->x1.z[v] = set->from.z[v] = s->z[i];
    }
    for (int t = 0; t < s->triangle_count; t++) {
        for (int i = 0; i < 3; i++)
            set->triangle[body->first_triangle + t][i] = body->first_vertex + s->triangles[t][i];
    }
}

// Edge as seen from a triangle, for sorting.
typedef struct half_edge {
    int low, high, triangle;
} half_edge;

static int compare_half_edges(const void *a, const void *b)
{
    const half_edge *p = a, *q = b;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    if (p->high != q->high)
        return p->high < q->high ? -1 : 1;
    return (p->triangle > q->triangle) - (p->triangle < q->triangle);
}

static void push(int list[3], int value)
{
    for (int i = 0; i < 3; i++) {
        if (list[i] < 0) {
            list[i] = value;
            return;
        }
    }
}

static bool make_edges(fm_contact_set *set, fm_error *err)
{
    int count = 3 * set->triangle_count;
    half_edge *halves = malloc((size_t)count * sizeof *halves);
    if (!halves)
        return fm_fail_no_memory(err, "contact", (size_t)count * sizeof *halves);
    for (int k = 0; k < count; k++) {
        const int *v = set->triangle[k / 3];
        int a = v[k % 3], b = v[(k + 1) % 3];
        halves[k] = (half_edge){a < b ? a : b, a < b ? b : a, k / 3};
    }
    qsort(halves, (size_t)count, sizeof *halves, compare_half_edges);
    for (int k = 0; k < count; k++) {
        const half_edge *h = &halves[k];
        if (k > 0 && h->low == halves[k - 1].low && h->high == halves[k - 1].high)
            continue;
        set->edge[set->edge_count][0] = h->low;
        set->edge[set->edge_count][1] = h->high;
        push(set->owned_edge[h->triangle], set->edge_count++);
    }
    free(halves);
    return true;
}

static double least_height(const fm_contact_set *set, const int v[3])
{
    fm_vec3 p[3];
    for (int i = 0; i < 3; i++)
        p[i] = fm_contact_at(set->x0, v[i]);
    fm_vec3 a = fm_sub(p[1], p[0]), b = fm_sub(p[2], p[0]), c = fm_sub(p[2], p[1]);
    double longest = fm_larger(fm_length(a), fm_larger(fm_length(b), fm_length(c)));
    return longest > 0 ? fm_length(fm_cross(a, b)) / longest : 0;
}

static void make_topology(fm_contact_set *set)
{
    memset(set->owned_vertex, -1, (size_t)set->triangle_count * sizeof *set->owned_vertex);
    memset(set->owned_edge, -1, (size_t)set->triangle_count * sizeof *set->owned_edge);
    for (int i = 0; i < set->vertex_count; i++) {
        set->some_triangle[i] = -1;
        set->height[i] = INFINITY;
        set->zones.parent[i] = set->zones.carrier[i] = -1;
    }
    for (int t = 0; t < set->triangle_count; t++) {
        double height = least_height(set, set->triangle[t]);
        for (int i = 0; i < 3; i++) {
            int v = set->triangle[t][i];
            set->height[v] = fm_smaller(set->height[v], height);
            if (set->some_triangle[v] >= 0)
                continue;
            set->some_triangle[v] = t;
            push(set->owned_vertex[t], v);
        }
    }
}

// The list looks as far as is worth it: a third of an edge keeps neighbours in the sheet out of it.
static void choose_reach(fm_contact_set *set)
{
    double length = 0, least = INFINITY, most = 0;
    int count = 0;
    for (int e = 0; e < set->edge_count; e++) {
        const int *v = set->edge[e];
        if (set->bodies[set->body_of[v[0]]].kinematic)
            continue;
        length += fm_length(fm_sub(fm_contact_at(set->x0, v[0]), fm_contact_at(set->x0, v[1])));
        count++;
    }
    for (int a = 0; a < set->body_count; a++) {
        least = fm_smaller(least, set->bodies[a].thickness);
        most = fm_larger(most, set->bodies[a].thickness);
    }
    set->shortest_reach = least;
    set->largest_reach = most;
    set->skin = fm_larger(0.5 * least, count > 0 ? 0.3 * length / count : 0);
}

static bool make_trees(fm_contact_set *set, fm_error *err)
{
    fm_contact_box_triangles(set, set->x0);
    for (int s = 0; s < set->body_count; s++) {
        fm_contact_body *body = &set->bodies[s];
        if (!fm_tree_build(&body->tree, &set->arena, set->boxes + body->first_triangle,
                           body->triangle_count, err))
            return false;
    }
    return true;
}

static bool reserve_list(fm_pair_list *list, int room, fm_error *err)
{
    size_t count = (size_t)room;
    bool made = true;
    for (int i = 0; i < 4; i++) {
        list->v[i] = malloc(count * sizeof(int));
        made = made && list->v[i];
    }
    list->due = malloc(count * sizeof(double));
    list->thickness = malloc(count * sizeof(double));
    list->room = room;
    return (made && list->due && list->thickness) || fm_fail_no_memory(err, "contact", count * 32);
}

static bool reserve_near(fm_near_list *near, int room, fm_error *err)
{
    near->room = room;
    near->pairs = malloc((size_t)room * sizeof *near->pairs);
    near->touching = malloc((size_t)room * sizeof *near->touching);
    return (near->pairs && near->touching) ||
           fm_fail_no_memory(err, "contact", (size_t)room * sizeof *near->pairs);
}

static bool reserve_members(fm_pair_block *block, fm_error *err)
{
    block->slot_count = RESERVED_SLOTS;
    block->slot = malloc(RESERVED_SLOTS * sizeof *block->slot);
    block->member = malloc(RESERVED_SLOTS / 2 * sizeof *block->member);
    if (block->slot)
        memset(block->slot, -1, RESERVED_SLOTS * sizeof *block->slot);
    return (block->slot && block->member) ||
           fm_fail_no_memory(err, "contact", RESERVED_SLOTS * sizeof *block->slot);
}

static bool make_blocks(fm_contact_set *set, fm_error *err)
{
    set->blocks = alloc(set, set->block_count, sizeof *set->blocks, err);
    set->by_colour = alloc(set, set->block_count, sizeof *set->by_colour, err);
    if (!set->blocks || !set->by_colour)
        return false;
    for (int b = 0; b < set->block_count; b++) {
        fm_pair_block *block = &set->blocks[b];
        int room = (set->patches[b].last - set->patches[b].first) * RESERVED_PAIRS;
        if (!reserve_list(&block->pairs[0], room / 3, err) ||
            !reserve_list(&block->pairs[1], room - room / 3, err))
            return false;
        if (!reserve_near(&block->near[0], room / 6, err) ||
            !reserve_near(&block->near[1], room / 3, err))
            return false;
        if (!reserve_members(block, err))
            return false;
        block->first_pair = -1;
    }
    return true;
}

static bool fill_set(fm_contact_set *set, const fm_contact_surface *surfaces, fm_error *err)
{
    set->bodies = alloc(set, set->body_count, sizeof *set->bodies, err);
    for (int s = 0; s < set->body_count && err->status == FM_OK; s++) {
        if (!check_surface(&surfaces[s], err))
            return false;
        fm_contact_body *body = &set->bodies[s];
        body->first_vertex = set->vertex_count;
        body->first_triangle = set->triangle_count;
        set->vertex_count += body->vertex_count = surfaces[s].vertex_count;
        set->triangle_count += body->triangle_count = surfaces[s].triangle_count;
    }
    if (!alloc_set(set, err))
        return false;
    for (int s = 0; s < set->body_count; s++)
        copy_surface(set, &set->bodies[s], &surfaces[s]);
    make_topology(set);
    if (!make_edges(set, err))
        return false;
    choose_reach(set);
    return make_trees(set, err) && fm_patches_make(set, surfaces, err) && make_blocks(set, err);
}

fm_contact_set *fm_contact_create(const fm_contact_surface *surfaces, int surface_count,
                                  fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    if (surface_count < 1) {
        fm_fail_number(err, "contact", "surface_count", surface_count, "at least 1");
        return NULL;
    }
    fm_contact_set *set = calloc(1, sizeof *set);
    if (!set) {
        fm_fail_no_memory(err, "contact", sizeof *set);
        return NULL;
    }
    set->body_count = surface_count;
    set->list_steps = LIST_STEPS;
    set->list_care = 1;
    if (!fill_set(set, surfaces, err)) {
        fm_contact_destroy(set);
        return NULL;
    }
    return set;
}

void fm_contact_destroy(fm_contact_set *set)
{
    if (!set)
        return;
    for (int b = 0; b < set->block_count && set->blocks; b++) {
        fm_pair_block *block = &set->blocks[b];
        for (int kind = 0; kind < 2; kind++) {
            fm_pair_list *list = &block->pairs[kind];
            for (int i = 0; i < 4; i++)
                free(list->v[i]);
            free(list->due);
            free(list->thickness);
            free(block->near[kind].pairs);
            free(block->near[kind].touching);
        }
        free(block->slot);
        free(block->member);
    }
    free(set->met.pairs);
    free(set->listed.pairs);
    fm_arena_free(&set->arena);
    free(set);
}

int fm_contact_vertex_count(const fm_contact_set *set)
{
    return set->vertex_count;
}

int fm_contact_first_vertex(const fm_contact_set *set, int surface)
{
    return set->bodies[surface].first_vertex;
}

fm_contact_axes fm_contact_starts(fm_contact_set *set)
{
    return set->x0;
}

fm_contact_axes fm_contact_ends(fm_contact_set *set)
{
    return set->x1;
}

fm_contact_axes fm_contact_velocities(fm_contact_set *set)
{
    return set->v;
}

double *fm_contact_inverse_masses(fm_contact_set *set)
{
    return set->inverse_mass;
}

void fm_contact_use_mass_axes(fm_contact_set *set, bool use)
{
    set->has_mass_axes = use;
}

fm_contact_axes fm_contact_mass_axes(fm_contact_set *set)
{
    return set->mass_axis;
}

double *fm_contact_axis_inverse_masses(fm_contact_set *set)
{
    return set->axis_inverse_mass;
}

const bool *fm_contact_pinched(const fm_contact_set *set)
{
    return set->pinched;
}

void fm_contact_restart(fm_contact_set *set, int steps)
{
    set->restarted = true;
    set->way_measured = false;
    set->list_steps = steps;
}

typedef struct saved_state {
    double care, ahead, least, most; // of the list
    int32_t age;
    unsigned char list_made, is_tangled, started, unused;
} saved_state;

enum { MADE_OF = 6 }; // positions at which the list was made, and where they were to go

static void find_made_of(const fm_contact_set *set, double *axes[MADE_OF])
{
    fm_contact_axes a = set->built, b = set->ahead;
    axes[0] = a.x, axes[1] = a.y, axes[2] = a.z;
    axes[3] = b.x, axes[4] = b.y, axes[5] = b.z;
}

// Flags of vertices, and what the list was made of.
size_t fm_contact_save(const fm_contact_set *set, void *buffer, size_t size)
{
    size_t n = (size_t)set->vertex_count;
    size_t need = sizeof(saved_state) + MADE_OF * n * sizeof(double) + 2 * n;
    if (!buffer || size < need)
        return need;
    saved_state state = {.care = set->list_care,
                         .ahead = set->list_ahead,
                         .least = set->list_least,
                         .most = set->list_most,
                         .age = set->list_age,
                         .list_made = set->list_made,
                         .is_tangled = set->is_tangled,
                         .started = set->started};
    double *made_of[MADE_OF];
    unsigned char *out = buffer;
    find_made_of(set, made_of);
    memcpy(out, &state, sizeof state);
    out += sizeof state;
    for (int i = 0; i < MADE_OF; i++, out += n * sizeof(double))
        memcpy(out, made_of[i], n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        out[i] = set->pinched[i];
        out[n + i] = set->tangled[i];
    }
    return need;
}

static bool are_finite(const unsigned char *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double a;
        memcpy(&a, numbers + i * sizeof a, sizeof a);
        if (!isfinite(a))
            return false;
    }
    return true;
}

static bool is_good(const saved_state *s)
{
    return s->care >= 1 && isfinite(s->care) && s->ahead >= 0 && isfinite(s->ahead) &&
           s->least >= 0 && s->least <= s->most && isfinite(s->most) && s->age >= 0;
}

bool fm_contact_restore(fm_contact_set *set, const void *buffer, size_t size, fm_error *err)
{
    size_t n = (size_t)set->vertex_count;
    const unsigned char *in = buffer;
    saved_state state;
    if (size != fm_contact_save(set, NULL, 0))
        return fm_fail_number(err, "contact", "state size", (double)size, "what was saved");
    memcpy(&state, in, sizeof state);
    in += sizeof state;
    if (!is_good(&state) || !are_finite(in, MADE_OF * n))
        return fm_fail(err, FM_BAD_VALUE, "contact", "state", "no numbers", "what was saved");
    double *made_of[MADE_OF];
    find_made_of(set, made_of);
    for (int i = 0; i < MADE_OF; i++, in += n * sizeof(double))
        memcpy(made_of[i], in, n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        set->pinched[i] = in[i] != 0;
        set->tangled[i] = in[n + i] != 0;
    }
    set->list_care = state.care;
    set->list_ahead = state.ahead;
    set->list_least = state.least;
    set->list_most = state.most;
    set->list_age = state.age;
    set->list_made = state.list_made != 0;
    set->is_tangled = state.is_tangled != 0;
    set->started = state.started != 0;
    if (set->list_made)
        fm_candidates_fill(set, NULL);
    fm_contact_restart(set, set->list_steps);
    return true;
}
