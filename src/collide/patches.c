// SPDX-License-Identifier: MIT
// patches.c: surfaces in patches of some dozens of triangles, and which of them may meet.
//
// The broad phase of a step. A patch has a box around all its vertices at both ends of the straight
// way of a step, and so around all of it in between. Two patches whose boxes are further apart than
// their thickness do not meet on that way, nor do two of one grid that lie in a smooth region
// (smooth.c). For cloth that touches nothing that is all there is to do; pairs of features are
// looked for between the patches that are left (candidates.c).
//
// A grid is cut into rectangles, any other surface into runs of the leaves of its tree.
#include "collide/contact.h"
#include "core/simd.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { MESH_TRIANGLES = FM_PATCH_TRIANGLES, PATCHES_AT_ONCE = 32, RESERVED_PAIRS = 4 };

// The cell that a triangle lies in, as its first vertex's column and row; false when in none.
static bool find_cell(const fm_contact_surface *s, const int v[3], int *column, int *row)
{
    int left = s->columns, right = 0, top = s->rows, low = 0;
    for (int i = 0; i < 3; i++) {
        int c = v[i] % s->columns, r = v[i] / s->columns;
        left = c < left ? c : left, right = c > right ? c : right;
        top = r < top ? r : top, low = r > low ? r : low;
    }
    bool across = s->round && s->columns > 2 && left == 0 && right == s->columns - 1;
    for (int i = 0; across && i < 3; i++)
        across = v[i] % s->columns == left || v[i] % s->columns == right;
    *column = across ? right : left;
    *row = top;
    return low == top + 1 && (across || right == left + 1);
}

static bool check_grid(const fm_contact_surface *s, fm_error *err)
{
    int column, row, cells = (s->round ? s->columns : s->columns - 1) * (s->rows - 1);
    bool good = s->columns > 1 && s->rows > 1 && s->vertex_count == s->columns * s->rows &&
                s->triangle_count == 2 * cells;
    for (int t = 0; good && t < s->triangle_count; t++)
        good = find_cell(s, s->triangles[t], &column, &row);
    return good || fm_fail_number(err, s->name ? s->name : "surface", "columns", s->columns,
                                  "those of a grid of vertices with two triangles in each cell");
}

static int count_patches(const fm_contact_surface *s, fm_contact_body *body)
{
    if (s->columns == 0)
        return fm_block_count(s->triangle_count, MESH_TRIANGLES);
    int cells = s->round ? s->columns : s->columns - 1;
    body->round = s->round;
    body->patch_columns = fm_block_count(cells, FM_PATCH_CELLS);
    body->patch_rows = fm_block_count(s->rows - 1, FM_PATCH_CELLS);
    return body->patch_columns * body->patch_rows;
}

// Cell at which patch number i of `count` begins.
static int first_cell(int cells, int count, int i)
{
    return (int)((int64_t)cells * i / count);
}

static int patch_of_cell(int cells, int count, int cell)
{
    int i = (int)((int64_t)cell * count / cells);
    while (i + 1 < count && first_cell(cells, count, i + 1) <= cell)
        i++;
    return i;
}

static void sort_grid_triangles(fm_contact_set *set, const fm_contact_body *body,
                                const fm_contact_surface *s)
{
    int cells = s->round ? s->columns : s->columns - 1, column, row;
    fm_patch *patches = set->patches + body->first_patch;
    for (int pass = 0; pass < 2; pass++) { // counts, then fills
        for (int p = 0, next = body->first_triangle; pass == 1 && p < body->patch_count; p++) {
            patches[p].first = next;
            next += patches[p].last;
            patches[p].last = patches[p].first;
        }
        for (int t = 0; t < s->triangle_count; t++) {
            find_cell(s, s->triangles[t], &column, &row);
            int p = patch_of_cell(s->rows - 1, body->patch_rows, row) * body->patch_columns +
                    patch_of_cell(cells, body->patch_columns, column);
            if (pass == 1)
                set->patch_triangle[patches[p].last] = body->first_triangle + t;
            patches[p].last++;
        }
    }
}

// Vertices row by row; the grid's spacing and the slope that keeps features apart.
static int make_grid(fm_contact_set *set, fm_contact_body *body, const fm_contact_surface *s,
                     int next)
{
    int cells = s->round ? s->columns : s->columns - 1;
    sort_grid_triangles(set, body, s);
    for (int p = 0; p < body->patch_count; p++) {
        fm_patch *patch = &set->patches[body->first_patch + p];
        patch->column = p % body->patch_columns, patch->row = p / body->patch_columns;
        int left = first_cell(cells, body->patch_columns, patch->column);
        int right = first_cell(cells, body->patch_columns, patch->column + 1);
        int top = first_cell(s->rows - 1, body->patch_rows, patch->row);
        int low = first_cell(s->rows - 1, body->patch_rows, patch->row + 1);
        patch->width = right - left + 1;
        patch->first_vertex = next;
        for (int r = top; r <= low; r++) {
            for (int c = left; c <= right; c++)
                set->patch_vertex[next++] = body->first_vertex + r * s->columns + c % s->columns;
        }
        patch->vertex_count = next - patch->first_vertex;
    }
    return next;
}

static double find_mean_edge(const fm_contact_set *set, int first, int count, int step, int skip)
{
    double sum = 0;
    int edges = 0;
    for (int i = 0; i + step < count; i++) {
        if (skip > 0 && (i + 1) % skip == 0)
            continue;
        sum += fm_length(
            fm_sub(fm_contact_at(set->x0, first + i + step), fm_contact_at(set->x0, first + i)));
        edges++;
    }
    return sum / edges;
}

// Features without a common vertex are at least a height of a cell's triangles apart in the plane
// of the grid.
static void choose_slope(const fm_contact_set *set, fm_contact_body *body, int columns)
{
    double *spacing = body->spacing, thickest = 0;
    spacing[0] = find_mean_edge(set, body->first_vertex, body->vertex_count, 1, columns);
    spacing[1] = find_mean_edge(set, body->first_vertex, body->vertex_count, columns, 0);
    double height = spacing[0] * spacing[1] / hypot(spacing[0], spacing[1]);
    for (int v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++)
        thickest = fm_larger(thickest, set->height[v] / 2);
    double enough = (1 + 1e-6) * fm_smaller(body->thickness, thickest) / height;
    body->least_slope = height > 0 ? fm_larger(enough, 0.05) : INFINITY; // rounding is far below
}

// stamp[vertex]: the last patch that has it.
static int make_mesh(fm_contact_set *set, const fm_contact_body *body, int *stamp, int next)
{
    for (int p = 0; p < body->patch_count; p++) {
        int number = body->first_patch + p, first = p * MESH_TRIANGLES;
        int last = first + MESH_TRIANGLES;
        fm_patch *patch = &set->patches[number];
        patch->first = body->first_triangle + first;
        patch->last =
            body->first_triangle + (last < body->triangle_count ? last : body->triangle_count);
        patch->first_vertex = next;
        for (int i = patch->first; i < patch->last; i++) {
            int t = body->first_triangle + body->tree.items[i - body->first_triangle];
            set->patch_triangle[i] = t;
            for (int k = 0; k < 3; k++) {
                int v = set->triangle[t][k];
                if (stamp[v] != number)
                    set->patch_vertex[next++] = v;
                stamp[v] = number;
            }
        }
        patch->vertex_count = next - patch->first_vertex;
    }
    return next;
}

static FM_SIMD_CLONES void find_bounds(const double *x, int count, double *low, double *high)
{
    double least = x[0], most = x[0];
#pragma omp simd reduction(min : least) reduction(max : most)
    for (int i = 0; i < count; i++) {
        least = x[i] < least ? x[i] : least;
        most = x[i] > most ? x[i] : most;
    }
    *low = least < *low ? least : *low;
    *high = most > *high ? most : *high;
}

static fm_box find_box(int count, fm_patch_way x)
{
    fm_box box = fm_box_empty();
    for (int end = 0; end < 2; end++) {
        find_bounds(x[end][0], count, &box.low.x, &box.high.x);
        find_bounds(x[end][1], count, &box.low.y, &box.high.y);
        find_bounds(x[end][2], count, &box.low.z, &box.high.z);
    }
    return box;
}

typedef struct way_job {
    fm_contact_set *set;
    fm_contact_axes a, b;
} way_job;

static void measure_patches(void *context, int first, int last)
{
    const way_job *job = context;
    fm_contact_axes a = job->a, b = job->b;
    fm_patch_way x;
    for (int p = first; p < last; p++) {
        fm_patch *patch = &job->set->patches[p];
        const int *vertex = job->set->patch_vertex + patch->first_vertex;
        for (int i = 0; i < patch->vertex_count; i++) {
            int v = vertex[i];
            x[0][0][i] = a.x[v], x[0][1][i] = a.y[v], x[0][2][i] = a.z[v];
            x[1][0][i] = b.x[v], x[1][1][i] = b.y[v], x[1][2][i] = b.z[v];
        }
        job->set->patch_boxes[p] = find_box(patch->vertex_count, x);
        if (patch->width > 0)
            fm_smooth_measure(job->set, patch, x);
    }
}

void fm_patches_measure(fm_contact_set *set, fm_contact_axes a, fm_contact_axes b, fm_pool *pool)
{
    way_job job = {set, a, b};
    fm_parallel_for(pool, set->block_count, PATCHES_AT_ONCE, measure_patches, &job);
    for (int s = 0; s < set->body_count; s++) {
        fm_contact_body *body = &set->bodies[s];
        fm_tree_refit(&body->patch_tree, set->patch_boxes + body->first_patch);
        if (body->patch_columns > 0)
            fm_smooth_measure_windows(set, body);
    }
}

static bool alloc_patches(fm_contact_set *set, const fm_contact_surface *surfaces, fm_error *err)
{
    for (int s = 0; s < set->body_count; s++) {
        fm_contact_body *body = &set->bodies[s];
        if (surfaces[s].columns != 0 && !check_grid(&surfaces[s], err))
            return false;
        body->first_patch = set->block_count;
        body->patch_count = count_patches(&surfaces[s], body);
        set->block_count += body->patch_count;
    }
    size_t count = (size_t)set->block_count, triangles = (size_t)set->triangle_count;
    set->patches = fm_arena_alloc(&set->arena, count, sizeof *set->patches, "contact", err);
    set->patch_boxes = fm_arena_alloc(&set->arena, count, sizeof *set->patch_boxes, "contact", err);
    set->patch_triangle = fm_arena_alloc(&set->arena, triangles, sizeof(int), "contact", err);
    set->patch_vertex = fm_arena_alloc(&set->arena, 3 * triangles, sizeof(int), "contact", err);
    return err->status == FM_OK;
}

static bool reserve_pairs(fm_patch_pairs *list, int room, fm_error *err)
{
    list->room = room;
    list->pairs = malloc((size_t)room * sizeof *list->pairs);
    return list->pairs || fm_fail_no_memory(err, "contact", (size_t)room * sizeof *list->pairs);
}

bool fm_patches_make(fm_contact_set *set, const fm_contact_surface *surfaces, fm_error *err)
{
    if (!alloc_patches(set, surfaces, err) ||
        !reserve_pairs(&set->met, RESERVED_PAIRS * set->block_count, err) ||
        !reserve_pairs(&set->listed, RESERVED_PAIRS * set->block_count, err))
        return false;
    int *stamp = malloc((size_t)set->vertex_count * sizeof *stamp), next = 0;
    if (!stamp)
        return fm_fail_no_memory(err, "contact", (size_t)set->vertex_count * sizeof *stamp);
    memset(stamp, -1, (size_t)set->vertex_count * sizeof *stamp);
    for (int s = 0; s < set->body_count; s++) {
        fm_contact_body *body = &set->bodies[s];
        for (int p = 0; p < body->patch_count; p++)
            set->patches[body->first_patch + p].body = s;
        if (body->patch_columns > 0)
            choose_slope(set, body, surfaces[s].columns);
        next = surfaces[s].columns > 0 ? make_grid(set, body, &surfaces[s], next)
                                       : make_mesh(set, body, stamp, next);
    }
    free(stamp);
    measure_patches(&(way_job){set, set->x0, set->x0}, 0, set->block_count);
    for (int s = 0; s < set->body_count; s++) {
        fm_contact_body *body = &set->bodies[s];
        if (!fm_tree_build(&body->patch_tree, &set->arena, set->patch_boxes + body->first_patch,
                           body->patch_count, err))
            return false;
    }
    return true;
}

typedef struct meeting {
    fm_contact_set *set;
    const fm_contact_body *a, *b;
    double reach; // m
    double slope;
    fm_patch_pairs *met;
} meeting;

static void add_pair(fm_patch_pairs *list, int a, int b)
{
    if (list->count == list->room) {
        int room = list->room < 64 ? 128 : 2 * list->room;
        fm_patch_pair *pairs = realloc(list->pairs, (size_t)room * sizeof *pairs);
        list->out_of_memory = list->out_of_memory || !pairs;
        if (!pairs)
            return;
        list->pairs = pairs;
        list->room = room;
    }
    list->pairs[list->count++] = (fm_patch_pair){a < b ? a : b, a < b ? b : a, -1, 0};
}

static void visit(void *context, int first, int count, int other_first, int other_count)
{
    const meeting *job = context;
    const fm_contact_set *set = job->set;
    bool same = job->a == job->b && first == other_first;
    for (int i = first; i < first + count; i++) {
        int a = job->a->first_patch + job->a->patch_tree.items[i];
        for (int k = same ? i : other_first; k < other_first + other_count; k++) {
            int b = job->b->first_patch + job->b->patch_tree.items[k];
            if (a != b && !fm_box_meets(&set->patch_boxes[a], &set->patch_boxes[b], job->reach))
                continue;
            if (job->a == job->b &&
                fm_smooth_covers(set, &set->patches[a], &set->patches[b], job->slope))
                continue;
            add_pair(job->met, a, b);
        }
    }
}

void fm_patches_meet(fm_contact_set *set, double further, double slope, fm_patch_pairs *met)
{
    met->count = 0;
    for (int s = 0; s < set->body_count; s++) {
        for (int t = s; t < set->body_count; t++) {
            const fm_contact_body *a = &set->bodies[s], *b = &set->bodies[t];
            double reach = (1 + 1e-6) * (a->thickness + b->thickness) / 2 + further;
            meeting job = {set, a, b, reach, slope, met};
            if (!a->kinematic || !b->kinematic)
                fm_tree_visit_pairs(&a->patch_tree, &b->patch_tree, reach, visit, &job);
        }
    }
}

static void follow(const fm_contact_set *set, fm_patch *patch, fm_contact_axes a, fm_contact_axes b)
{
    const int *vertex = set->patch_vertex + patch->first_vertex;
    fm_vec3 sum = {0, 0, 0};
    double most = 0;
    for (int i = 0; i < patch->vertex_count; i++) {
        int v = vertex[i];
        sum = fm_add(sum, fm_sub(fm_contact_at(b, v), fm_contact_at(a, v)));
    }
    patch->drift = fm_scale(sum, 1.0 / patch->vertex_count);
    for (int i = 0; i < patch->vertex_count; i++) {
        int v = vertex[i];
        fm_vec3 way = fm_sub(fm_contact_at(b, v), fm_contact_at(a, v));
        fm_vec3 own = fm_sub(way, patch->drift);
        most = fm_larger(most, fm_dot(own, own));
    }
    patch->spread = sqrt(most) * (1 + 8 * DBL_EPSILON);
}

void fm_patches_follow(fm_contact_set *set, const fm_patch_pairs *pairs, fm_contact_axes a,
                       fm_contact_axes b)
{
    for (int i = 0; i < pairs->count; i++) {
        set->patches[pairs->pairs[i].a].spread = -1;
        set->patches[pairs->pairs[i].b].spread = -1;
    }
    for (int i = 0; i < pairs->count; i++) {
        fm_patch *one = &set->patches[pairs->pairs[i].a], *other = &set->patches[pairs->pairs[i].b];
        if (one->spread < 0)
            follow(set, one, a, b);
        if (other->spread < 0)
            follow(set, other, a, b);
    }
}

double fm_patches_approach(const fm_contact_set *set, const fm_patch_pair *pair)
{
    const fm_patch *a = &set->patches[pair->a], *b = &set->patches[pair->b];
    return fm_length(fm_sub(a->drift, b->drift)) + a->spread + b->spread;
}
