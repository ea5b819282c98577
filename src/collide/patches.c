// SPDX-License-Identifier: MIT
// patches.c: broad phase: surfaces cut into patches of some dozens of triangles, and the pairs of
// patches that may meet.
//
// The box of a patch encloses all its vertices at the start and at the end of a step, and so
// encloses the patch during the whole step, because vertices move on straight paths. Two patches
// whose boxes are further apart than their thickness do not meet in this step; nor do two patches
// of one grid in a common smooth region (smooth_regions.c). For cloth that touches nothing, this is
// all the work. Between the remaining patches, candidate_pairs.c looks for pairs of features.
//
// A grid is cut into rectangles; any other surface into runs of leaves of its bounding volume tree.
#include "collide/contact.h"
#include "core/simd.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATCHES_AT_ONCE = 32, // patches in one task of a thread
    RESERVED_PAIRS = 4,   // patch pairs per patch for which memory is reserved
};
// smallest limit of the distance ratio of a region, far above rounding errors
static const double MIN_SMOOTH_RATIO = 0.05;
static const double ROUNDED_UP = 1 + 1e-6; // factor on distances, above all rounding errors

// Column and row of the grid cell that the triangle with vertices v lies in; false if it lies in
// none. On a tube, a cell may join the last column to the first.
static bool find_cell(const fm_contact_surface *s, const int v[3], int *column, int *row)
{
    int left = s->columns, right = 0, top = s->rows, bottom = 0;
    for (int i = 0; i < 3; i++) {
        int c = v[i] % s->columns, r = v[i] / s->columns;
        left = c < left ? c : left, right = c > right ? c : right;
        top = r < top ? r : top, bottom = r > bottom ? r : bottom;
    }
    bool wraps = s->is_tube && s->columns > 2 && left == 0 && right == s->columns - 1;
    for (int i = 0; wraps && i < 3; i++)
        wraps = v[i] % s->columns == left || v[i] % s->columns == right;
    *column = wraps ? right : left;
    *row = top;
    return bottom == top + 1 && (wraps || right == left + 1);
}

// Checks that a surface with columns > 0 is a vertex grid with two triangles in each cell.
static bool check_grid(const fm_contact_surface *s, fm_error *err)
{
    int column, row, cells = (s->is_tube ? s->columns : s->columns - 1) * (s->rows - 1);
    bool good = s->columns > 1 && s->rows > 1 && s->mesh.point_count == s->columns * s->rows &&
                s->mesh.face_count == 2 * cells && s->mesh.line_count == 0;
    for (int t = 0; good && t < s->mesh.face_count; t++)
        good = find_cell(s, s->mesh.face_points + 3 * (size_t)t, &column, &row);
    return good || fm_fail_number(err, s->name ? s->name : "surface", "columns", s->columns,
                                  "those of a grid of vertices with two triangles in each cell");
}

// Number of patches of a surface. For a grid, also sets the size of its grid of patches.
static int count_patches(const fm_contact_surface *s, fm_contact_body *body)
{
    if (s->columns == 0)
        return fm_parallel_block_count(body->triangle_count, FM_PATCH_TRIANGLES);
    int cells_per_row = s->is_tube ? s->columns : s->columns - 1;
    body->is_tube = s->is_tube;
    body->patch_columns = fm_parallel_block_count(cells_per_row, FM_PATCH_CELLS);
    body->patch_rows = fm_parallel_block_count(s->rows - 1, FM_PATCH_CELLS);
    return body->patch_columns * body->patch_rows;
}

// First cell of patch number i when `cells` cells are divided among `count` patches.
static int first_cell(int cells, int count, int i)
{
    return (int)((int64_t)cells * i / count);
}

// Number of the patch that contains a cell when `cells` cells are divided among `count` patches.
static int patch_of_cell(int cells, int count, int cell)
{
    int i = (int)((int64_t)cell * count / cells);
    while (i + 1 < count && first_cell(cells, count, i + 1) <= cell)
        i++;
    return i;
}

// Groups the triangles of a grid by patch: a counting sort into patch_triangle.
static void sort_grid_triangles(fm_contact_set *set, const fm_contact_body *body,
                                const fm_contact_surface *s)
{
    int cells_per_row = s->is_tube ? s->columns : s->columns - 1, column, row;
    fm_patch *patches = set->patches + body->first_patch;
    // the first pass counts the triangles of each patch in its `last`, the second fills
    for (int pass = 0; pass < 2; pass++) {
        for (int p = 0, next = body->first_triangle; pass == 1 && p < body->patch_count; p++) {
            patches[p].first = next;
            next += patches[p].last;
            patches[p].last = patches[p].first;
        }
        for (int t = 0; t < s->mesh.face_count; t++) {
            find_cell(s, s->mesh.face_points + 3 * (size_t)t, &column, &row);
            int p = patch_of_cell(s->rows - 1, body->patch_rows, row) * body->patch_columns +
                    patch_of_cell(cells_per_row, body->patch_columns, column);
            if (pass == 1)
                set->patch_triangle[patches[p].last] = body->first_triangle + t;
            patches[p].last++;
        }
    }
}

// Creates the patches of a grid, with vertices in row-major order. next: first free index in
// patch_vertex; returns the new one.
static int create_grid_patches(fm_contact_set *set, fm_contact_body *body,
                               const fm_contact_surface *s, int next)
{
    int cells_per_row = s->is_tube ? s->columns : s->columns - 1;
    sort_grid_triangles(set, body, s);
    for (int p = 0; p < body->patch_count; p++) {
        fm_patch *patch = &set->patches[body->first_patch + p];
        patch->column = p % body->patch_columns, patch->row = p / body->patch_columns;
        int left = first_cell(cells_per_row, body->patch_columns, patch->column);
        int right = first_cell(cells_per_row, body->patch_columns, patch->column + 1);
        int top = first_cell(s->rows - 1, body->patch_rows, patch->row);
        int bottom = first_cell(s->rows - 1, body->patch_rows, patch->row + 1);
        patch->width = right - left + 1;
        patch->first_vertex = next;
        for (int r = top; r <= bottom; r++) {
            for (int c = left; c <= right; c++)
                set->patch_vertex[next++] = body->first_vertex + r * s->columns + c % s->columns;
        }
        patch->vertex_count = next - patch->first_vertex;
    }
    return next;
}

// Mean length of the edges from vertex i to vertex i + step, m, i from `first` on. With skip > 0,
// the last vertex of each row of `skip` vertices has no such edge.
static double find_mean_edge(const fm_contact_set *set, int first, int count, int step, int skip)
{
    double sum = 0;
    int edges = 0;
    for (int i = 0; i + step < count; i++) {
        if (skip > 0 && (i + 1) % skip == 0)
            continue;
        sum += fm_length(fm_sub(fm_vec3_array_at(set->x0, first + i + step),
                                fm_vec3_array_at(set->x0, first + i)));
        edges++;
    }
    return sum / edges;
}

// Sets the distance ratio (distance in space / distance in the flat grid) from which a region of
// the grid is free of self-contact. In the flat grid, features without a common vertex are at least
// a triangle's height apart, so a region with ratio >= thickness / height is.
static void choose_smooth_ratio(const fm_contact_set *set, fm_contact_body *body, int columns)
{
    double *spacing = body->spacing, thickest = 0;
    spacing[0] = find_mean_edge(set, body->first_vertex, body->vertex_count, 1, columns);
    spacing[1] = find_mean_edge(set, body->first_vertex, body->vertex_count, columns, 0);
    double height = spacing[0] * spacing[1] / hypot(spacing[0], spacing[1]);
    for (int v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++)
        thickest = fm_double_max(thickest, set->height[v] / 2);
    double enough = ROUNDED_UP * fm_double_min(body->thickness, thickest) / height;
    body->smooth_ratio = height > 0 ? fm_double_max(enough, MIN_SMOOTH_RATIO) : INFINITY;
}

// Creates the patches of a mesh from runs of leaves of its tree. stamp[vertex]: the last patch that
// contains it. next: first free index in patch_vertex; returns the new one.
static int create_mesh_patches(fm_contact_set *set, const fm_contact_body *body, int *stamp,
                               int next)
{
    for (int p = 0; p < body->patch_count; p++) {
        int number = body->first_patch + p, first = p * FM_PATCH_TRIANGLES;
        int last = first + FM_PATCH_TRIANGLES;
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

// Extends the interval [*low, *high] so that it contains x[0] to x[count - 1].
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

// Box around `count` vertices of a patch at the start and at the end of a step.
static fm_bounds find_box(int count, fm_patch_ends x)
{
    fm_bounds box = fm_bounds_empty();
    for (int end = 0; end < 2; end++) {
        find_bounds(x[end][0], count, &box.low.x, &box.high.x);
        find_bounds(x[end][1], count, &box.low.y, &box.high.y);
        find_bounds(x[end][2], count, &box.low.z, &box.high.z);
    }
    return box;
}

// Vertices move from positions a to positions b.
typedef struct motion_job {
    fm_contact_set *set;
    fm_vec3_array a, b;
} motion_job;

// Task of a thread: computes the boxes of patches first to last - 1 over the motion, and the edge
// statistics of grid patches.
static void measure_patches(void *context, int first, int last)
{
    const motion_job *job = context;
    fm_vec3_array a = job->a, b = job->b;
    fm_patch_ends x = {0};
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
            fm_smooth_measure_patch(job->set, patch, x);
    }
}

// Computes the boxes of all patches over the straight paths from a to b, and the data that prove
// smooth regions free of self-contact.
void fm_patches_update_bounds(fm_contact_set *set, fm_vec3_array a, fm_vec3_array b, fm_pool *pool)
{
    motion_job job = {set, a, b};
    fm_parallel_for(pool, set->block_count, PATCHES_AT_ONCE, measure_patches, &job);
    for (int s = 0; s < set->body_count; s++) {
        fm_contact_body *body = &set->bodies[s];
        fm_bvh_refit(&body->patch_tree, set->patch_boxes + body->first_patch);
        if (body->patch_columns > 0)
            fm_smooth_bound_window_ratios(set, body);
    }
}

// Counts the patches of all surfaces and allocates their arrays.
static bool create_arrays(fm_contact_set *set, const fm_contact_surface *surfaces, fm_error *err)
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

// Allocates a list of patch pairs.
static bool reserve_pairs(fm_patch_pairs *list, int capacity, fm_error *err)
{
    list->capacity = capacity;
    list->pairs = malloc((size_t)capacity * sizeof *list->pairs);
    return list->pairs || fm_fail_no_memory(err, "contact", (size_t)capacity * sizeof *list->pairs);
}

// Cuts all surfaces into patches and builds a tree over the patches of each surface.
bool fm_patches_create(fm_contact_set *set, const fm_contact_surface *surfaces, fm_error *err)
{
    if (!create_arrays(set, surfaces, err) ||
        !reserve_pairs(&set->near_patches, RESERVED_PAIRS * set->block_count, err) ||
        !reserve_pairs(&set->listed_patches, RESERVED_PAIRS * set->block_count, err))
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
            choose_smooth_ratio(set, body, surfaces[s].columns);
        next = surfaces[s].columns > 0 ? create_grid_patches(set, body, &surfaces[s], next)
                                       : create_mesh_patches(set, body, stamp, next);
    }
    free(stamp);
    measure_patches(&(motion_job){set, set->x0, set->x0}, 0, set->block_count);
    for (int s = 0; s < set->body_count; s++) {
        fm_contact_body *body = &set->bodies[s];
        if (!fm_bvh_build(&body->patch_tree, &set->arena, set->patch_boxes + body->first_patch,
                          body->patch_count, err))
            return false;
    }
    return true;
}

// Search for pairs of near patches of two surfaces.
typedef struct pair_search {
    fm_contact_set *set;
    const fm_contact_body *a, *b;
    double reach;       // m, patches whose boxes are further apart do not meet
    double extra_ratio; // excess of the distance ratio that proves patches apart (smooth_regions.c)
    fm_patch_pairs *found;
} pair_search;

// Appends a pair of patches to the list, the smaller index first.
static void add_patch_pair(fm_patch_pairs *list, int a, int b)
{
    if (list->count == list->capacity) {
        int capacity = list->capacity < 64 ? 128 : 2 * list->capacity;
        fm_patch_pair *pairs = realloc(list->pairs, (size_t)capacity * sizeof *pairs);
        list->out_of_memory = list->out_of_memory || !pairs;
        if (!pairs)
            return;
        list->pairs = pairs;
        list->capacity = capacity;
    }
    list->pairs[list->count++] = (fm_patch_pair){a < b ? a : b, a < b ? b : a, -1, 0};
}

// Called by the tree search with two ranges of patches: adds the pairs that can be proven apart
// neither by their boxes nor as parts of one smooth region.
static void visit_patches(void *context, int first, int count, int other_first, int other_count)
{
    const pair_search *job = context;
    const fm_contact_set *set = job->set;
    bool same = job->a == job->b && first == other_first;
    for (int i = first; i < first + count; i++) {
        int a = job->a->first_patch + job->a->patch_tree.items[i];
        for (int k = same ? i : other_first; k < other_first + other_count; k++) {
            int b = job->b->first_patch + job->b->patch_tree.items[k];
            const fm_bounds *box = &set->patch_boxes[a], *other = &set->patch_boxes[b];
            // the distance, as for the candidate list, which must contain all of these pairs
            if (a != b && (!fm_bounds_overlap(box, other, job->reach) ||
                           fm_bounds_distance(box, other) > job->reach))
                continue;
            if (job->a == job->b &&
                fm_smooth_proves_apart(set, &set->patches[a], &set->patches[b], job->extra_ratio))
                continue;
            add_patch_pair(job->found, a, b);
        }
    }
}

// Finds the pairs of patches that cannot be proven further apart than their thickness + margin, m.
// extra_ratio: see fm_smooth_proves_apart.
void fm_patches_find_pairs(fm_contact_set *set, double margin, double extra_ratio,
                           fm_patch_pairs *found)
{
    found->count = 0;
    for (int s = 0; s < set->body_count; s++) {
        for (int t = s; t < set->body_count; t++) {
            const fm_contact_body *a = &set->bodies[s], *b = &set->bodies[t];
            double reach = ROUNDED_UP * (a->thickness + b->thickness) / 2 + margin;
            pair_search job = {set, a, b, reach, extra_ratio, found};
            if (!a->kinematic || !b->kinematic)
                fm_bvh_visit_pairs(&a->patch_tree, &b->patch_tree, reach, visit_patches, &job);
        }
    }
}

// Sets the mean displacement (drift) of a patch from positions a to b, and the largest deviation of
// a vertex from it (spread), m.
static void measure_motion(const fm_contact_set *set, fm_patch *patch, fm_vec3_array a,
                           fm_vec3_array b)
{
    const int *vertex = set->patch_vertex + patch->first_vertex;
    fm_vec3 sum = {0, 0, 0};
    double most = 0;
    for (int i = 0; i < patch->vertex_count; i++) {
        int v = vertex[i];
        sum = fm_add(sum, fm_sub(fm_vec3_array_at(b, v), fm_vec3_array_at(a, v)));
    }
    patch->drift = fm_scale(sum, 1.0 / patch->vertex_count);
    for (int i = 0; i < patch->vertex_count; i++) {
        int v = vertex[i];
        fm_vec3 displacement = fm_sub(fm_vec3_array_at(b, v), fm_vec3_array_at(a, v));
        fm_vec3 deviation = fm_sub(displacement, patch->drift);
        most = fm_double_max(most, fm_dot(deviation, deviation));
    }
    patch->spread = sqrt(most) * (1 + 8 * DBL_EPSILON); // rounded up
}

static const double WANTED = -2; // spread of a patch whose motion has to be measured

// Task of a thread: computes drift and spread of those of the patches first to last - 1 that are
// WANTED.
static void measure_wanted(void *context, int first, int last)
{
    const motion_job *job = context;
    for (int p = first; p < last; p++) {
        if (job->set->patches[p].spread == WANTED)
            measure_motion(job->set, &job->set->patches[p], job->a, job->b);
    }
}

// Computes drift and spread, from positions a to b, of all patches in `pairs`, each once.
void fm_patches_measure_motion(fm_contact_set *set, const fm_patch_pairs *pairs, fm_vec3_array a,
                               fm_vec3_array b, fm_pool *pool)
{
    for (int i = 0; i < pairs->count; i++) {
        set->patches[pairs->pairs[i].a].spread = WANTED;
        set->patches[pairs->pairs[i].b].spread = WANTED;
    }
    motion_job job = {set, a, b};
    fm_parallel_for(pool, set->block_count, PATCHES_AT_ONCE, measure_wanted, &job);
}

// Upper bound of how much two patches approached in the motion measured last, m.
double fm_patches_bound_approach(const fm_contact_set *set, const fm_patch_pair *pair)
{
    const fm_patch *a = &set->patches[pair->a], *b = &set->patches[pair->b];
    return fm_length(fm_sub(a->drift, b->drift)) + a->spread + b->spread;
}
