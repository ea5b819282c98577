// SPDX-License-Identifier: MIT
// contact_set.c: creation of a contact set: validation, topology, memory; and its save and restore.
#include "collide/contact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RESERVED_PAIRS = 24, // candidate pairs per triangle for which memory is reserved
    // slots of a block's hash table of vertices: a power of two, twice the number of vertices
    RESERVED_SLOTS = 512,
    LIST_STEPS = 8, // number of steps that a candidate list should last, unless the caller sets it
    // parts that a step may shorten before it is halted. A pinch needs 3 at least, 32 were seen;
    // crumpled cloth needs none
    MAX_SHORTENED = 256,
};
// skin of the candidate list, relative to the mean edge of dynamic surfaces; a larger one would
// take in neighbours within a cloth
static const double SKIN_PER_EDGE = 0.3;
// smallest skin of the candidate list, relative to the smallest thickness
static const double MIN_SKIN = 0.5;

// Checks the definition of a surface. Returns false and fills err on a bad value.
static bool check_surface(const fm_contact_surface *s, fm_error *err)
{
    char object[48];
    snprintf(object, sizeof object, "surface %.30s", s->name ? s->name : "");
    const fm_mesh_view *mesh = &s->mesh;
    if (mesh->point_count < 1)
        return fm_fail_number(err, object, "points", mesh->point_count, "at least 1");
    if (!fm_mesh_check(mesh, object, err))
        return false;
    if (mesh->face_count + mesh->line_count < 1 && !s->inverse_mass && !s->dynamic)
        return fm_fail_number(err, object, "faces", mesh->face_count,
                              "at least 1, or lines, or points with a mass");
    if (!(s->thickness > 0) || !isfinite(s->thickness))
        return fm_fail_number(err, object, "thickness", s->thickness, "> 0, in m");
    if (!(s->friction >= 0) || !isfinite(s->friction))
        return fm_fail_number(err, object, "friction", s->friction, ">= 0");
    for (int t = 0; t < mesh->face_count; t++) {
        int corners;
        const int *v = fm_mesh_face(mesh, t, &corners);
        if (corners != 3)
            return fm_fail_number(err, object, "corners of a face", corners, "3");
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0])
            return fm_fail_number(err, object, "triangles", v[0] == v[1] ? v[0] : v[2],
                                  "three different vertices");
    }
    for (int i = 0; i < mesh->line_count; i++) {
        const int *v = mesh->lines + 2 * (size_t)i;
        if (v[0] == v[1])
            return fm_fail_number(err, object, "lines", v[0], "two different vertices");
    }
    for (int i = 0; i < mesh->point_count; i++) {
        if (!fm_is_finite(mesh->points[i]))
            return fm_fail_number(err, object, "position", i, "finite");
        if (s->inverse_mass && (!(s->inverse_mass[i] >= 0) || !isfinite(s->inverse_mass[i])))
            return fm_fail_number(err, object, "inverse_mass", s->inverse_mass[i], ">= 0");
    }
    return true;
}

// Allocates a zeroed array of `count` elements of `size` bytes in the arena of the set.
static void *create_array(fm_contact_set *set, int count, size_t size, fm_error *err)
{
    return fm_arena_alloc(&set->arena, (size_t)count, size, "contact", err);
}

// Allocates the arrays over vertices and triangles. Each coordinate array starts on a cache line.
static bool create_arrays(fm_contact_set *set, fm_error *err)
{
    int n = set->vertex_count, t = set->triangle_count;
    fm_vec3_array *axes[] = {&set->x0,           &set->x1,         &set->v,
                             &set->from,         &set->to,         &set->rate,
                             &set->saved_v,      &set->saved_rate, &set->list_positions,
                             &set->list_targets, &set->checked_to, &set->mass_axis,
                             &set->solver_force};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        *axes[i] = fm_vec3_array_create(&set->arena, (n + 7) / 8 * 8, err); // 8 doubles a line
    set->body_of = create_array(set, n, sizeof(int), err);
    set->inverse_mass = create_array(set, n, sizeof(double), err);
    set->axis_inverse_mass = create_array(set, n, sizeof(double), err);
    set->height = create_array(set, n, sizeof(double), err);
    set->some_triangle = create_array(set, n, sizeof(int), err);
    set->joint = create_array(set, n, sizeof(int), err);
    set->pinched = create_array(set, n, sizeof(bool), err);
    set->tangled = create_array(set, n, sizeof(bool), err);
    set->zones.parent = create_array(set, n, sizeof(int), err);
    set->zones.carrier = create_array(set, n, sizeof(int), err);
    set->zones.member = create_array(set, n, sizeof(int), err);
    set->zones.sorted = create_array(set, n, fm_impact_zones_member_size(), err);
    set->triangle = create_array(set, t, sizeof *set->triangle, err);
    set->owned_edge = create_array(set, t, sizeof *set->owned_edge, err);
    set->owned_vertex = create_array(set, t, sizeof *set->owned_vertex, err);
    set->boxes = create_array(set, t, sizeof *set->boxes, err);
    set->edge = create_array(set, 3 * t, sizeof *set->edge, err);
    set->colours = create_array(set, n, sizeof *set->colours, err);
    set->solver_stiffness = create_array(set, n, sizeof(double), err);
    set->solver_held = create_array(set, n, sizeof(double), err);
    set->solver_passed = create_array(set, n, sizeof(bool), err);
    for (int m = 0; m < 6; m++)
        set->solver_diagonal[m] = create_array(set, n, sizeof(float), err);
    set->solver_in = create_array(set, n, 4 * sizeof(float), err);
    set->solver_out = create_array(set, n, 4 * sizeof(float), err);
    return err->status == FM_OK;
}

// Copies the triangles and lines of a mesh into the set, and its isolated points if the surface is
// dynamic. Isolated points of a kinematic surface are left out: mesh files contain some by mistake.
static bool copy_elements(fm_contact_set *set, fm_contact_body *body, const fm_mesh_view *mesh,
                          fm_error *err)
{
    int(*out)[3] = set->triangle + body->first_triangle, first = body->first_vertex, count;
    int *isolated = fm_mesh_find_isolated_points(mesh, &count, err);
    if (!isolated)
        return false;
    for (int t = 0; t < mesh->face_count; t++, out++)
        for (int i = 0; i < 3; i++)
            (*out)[i] = first + mesh->face_points[3 * (size_t)t + (size_t)i];
    for (int i = 0; i < mesh->line_count; i++, out++) {
        (*out)[0] = first + mesh->lines[2 * (size_t)i];
        (*out)[1] = (*out)[2] = first + mesh->lines[2 * (size_t)i + 1];
    }
    for (int i = 0; i < count && !body->kinematic; i++, out++)
        (*out)[0] = (*out)[1] = (*out)[2] = first + isolated[i];
    free(isolated);
    return true;
}

// Copies positions, inverse masses and elements of a surface into the set.
static bool copy_surface(fm_contact_set *set, fm_contact_body *body, const fm_contact_surface *s,
                         fm_error *err)
{
    for (int i = 0; i < body->vertex_count; i++) {
        int v = body->first_vertex + i;
        fm_vec3 x = s->mesh.points[i];
        set->body_of[v] = (int)(body - set->bodies);
        set->joint[v] = v;
        set->inverse_mass[v] = s->inverse_mass ? s->inverse_mass[i] : 0;
        set->x0.x[v] = set->x1.x[v] = set->from.x[v] = x.x;
        set->x0.y[v] = set->x1.y[v] = set->from.y[v] = x.y;
        set->x0.z[v] = set->x1.z[v] = set->from.z[v] = x.z;
    }
    return copy_elements(set, body, &s->mesh, err);
}

// An edge of one triangle, for sorting; low and high are its vertices.
typedef struct half_edge {
    int low, high, triangle;
} half_edge;

// Orders half edges by their vertices, then by their triangle.
static int compare_half_edges(const void *a, const void *b)
{
    const half_edge *p = a, *q = b;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    if (p->high != q->high)
        return p->high < q->high ? -1 : 1;
    return (p->triangle > q->triangle) - (p->triangle < q->triangle);
}

// Puts `value` into the first entry of `list` that is negative.
static void append(int list[3], int value)
{
    for (int i = 0; i < 3; i++) {
        if (list[i] < 0) {
            list[i] = value;
            return;
        }
    }
}

// Finds the edges of all triangles and lines. Each edge is owned by the triangle of lowest index
// that has it.
static bool create_edges(fm_contact_set *set, fm_error *err)
{
    int capacity = 3 * set->triangle_count, count = 0;
    half_edge *halves = malloc((size_t)capacity * sizeof *halves);
    if (!halves)
        return fm_fail_no_memory(err, "contact", (size_t)capacity * sizeof *halves);
    for (int k = 0; k < capacity; k++) {
        const int *v = set->triangle[k / 3];
        int a = v[k % 3], b = v[(k + 1) % 3];
        if (a != b && (fm_contact_is_triangle(v) || k % 3 == 0))
            halves[count++] = (half_edge){a < b ? a : b, a < b ? b : a, k / 3};
    }
    qsort(halves, (size_t)count, sizeof *halves, compare_half_edges);
    for (int k = 0; k < count; k++) {
        const half_edge *h = &halves[k];
        if (k > 0 && h->low == halves[k - 1].low && h->high == halves[k - 1].high)
            continue;
        set->edge[set->edge_count][0] = h->low;
        set->edge[set->edge_count][1] = h->high;
        append(set->owned_edge[h->triangle], set->edge_count++);
    }
    free(halves);
    return true;
}

// m, least height of a triangle, length of a line; infinite for a point. v: its vertices.
static double least_height(const fm_contact_set *set, const int v[3])
{
    fm_vec3 p[3];
    for (int i = 0; i < 3; i++)
        p[i] = fm_vec3_array_at(set->x0, v[i]);
    fm_vec3 a = fm_sub(p[1], p[0]), b = fm_sub(p[2], p[0]), c = fm_sub(p[2], p[1]);
    if (!fm_contact_is_triangle(v))
        return fm_contact_is_point(v) ? INFINITY : fm_length(a);
    double longest = fm_double_max(fm_length(a), fm_double_max(fm_length(b), fm_length(c)));
    return longest > 0 ? fm_length(fm_cross(a, b)) / longest : 0;
}

// Sets one triangle and the least triangle height of each vertex, and the triangle that owns it.
static void find_topology(fm_contact_set *set)
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
            set->height[v] = fm_double_min(set->height[v], height);
            if (set->some_triangle[v] >= 0)
                continue;
            set->some_triangle[v] = t;
            append(set->owned_vertex[t], v);
        }
    }
}

// Sets the smallest and largest thickness, and the skin of the candidate list, which is the
// distance beyond the thickness at which a pair enters the list.
static void choose_skin(fm_contact_set *set)
{
    double length_sum = 0, thinnest = INFINITY, thickest = 0; // m
    int count = 0;                                            // number of edges of dynamic surfaces
    for (int e = 0; e < set->edge_count; e++) {
        const int *v = set->edge[e];
        if (set->bodies[set->body_of[v[0]]].kinematic)
            continue;
        length_sum +=
            fm_length(fm_sub(fm_vec3_array_at(set->x0, v[0]), fm_vec3_array_at(set->x0, v[1])));
        count++;
    }
    for (int a = 0; a < set->body_count; a++) {
        thinnest = fm_double_min(thinnest, set->bodies[a].thickness);
        thickest = fm_double_max(thickest, set->bodies[a].thickness);
    }
    set->min_thickness = thinnest;
    set->max_thickness = thickest;
    set->skin =
        fm_double_max(MIN_SKIN * thinnest, count > 0 ? SKIN_PER_EDGE * length_sum / count : 0);
}

// Builds the bounding volume tree of each surface from the initial positions.
static bool create_trees(fm_contact_set *set, fm_error *err)
{
    fm_contact_bound_triangles(set, set->x0);
    for (int s = 0; s < set->body_count; s++) {
        fm_contact_body *body = &set->bodies[s];
        if (!fm_bvh_build(&body->tree, &set->arena, set->boxes + body->first_triangle,
                          body->triangle_count, err))
            return false;
    }
    return true;
}

// Allocates a list of candidate pairs.
static bool reserve_list(fm_pair_list *list, int capacity, fm_error *err)
{
    size_t count = (size_t)capacity;
    bool good = true;
    for (int i = 0; i < 4; i++) {
        list->v[i] = malloc(count * sizeof(int));
        good = good && list->v[i];
    }
    list->recheck_at = malloc(count * sizeof(double));
    list->thickness = malloc(count * sizeof(double));
    list->start = malloc(count * sizeof(float));
    list->capacity = capacity;
    return (good && list->recheck_at && list->thickness && list->start) ||
           fm_fail_no_memory(err, "contact", count * 36); // 36 bytes per pair
}

// Allocates a list of near pairs.
static bool reserve_near(fm_near_list *near, int capacity, fm_error *err)
{
    near->capacity = capacity;
    near->pairs = malloc((size_t)capacity * sizeof *near->pairs);
    near->touching = malloc((size_t)capacity * sizeof *near->touching);
    return (near->pairs && near->touching) ||
           fm_fail_no_memory(err, "contact", (size_t)capacity * sizeof *near->pairs);
}

// Allocates the list and the hash table of a block's vertices.
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

// Allocates one block of pair lists per patch. A third of the reserved candidates are
// vertex-triangle pairs, the others edge-edge pairs. The near lists are reserved for half as many.
static bool create_blocks(fm_contact_set *set, fm_error *err)
{
    set->blocks = create_array(set, set->block_count, sizeof *set->blocks, err);
    set->by_colour = create_array(set, set->block_count, sizeof *set->by_colour, err);
    if (!set->blocks || !set->by_colour)
        return false;
    for (int b = 0; b < set->block_count; b++) {
        fm_pair_block *block = &set->blocks[b];
        int capacity = (set->patches[b].last - set->patches[b].first) * RESERVED_PAIRS;
        if (!reserve_list(&block->pairs[0], capacity / 3, err) ||
            !reserve_list(&block->pairs[1], capacity - capacity / 3, err))
            return false;
        if (!reserve_near(&block->near[0], capacity / 6, err) ||
            !reserve_near(&block->near[1], capacity / 3, err))
            return false;
        if (!reserve_members(block, err))
            return false;
        block->first_pair = -1;
    }
    return true;
}

// Checks a surface and fills `body`, its record in the set: names, material, and its ranges of
// vertices and triangles.
static bool add_body(fm_contact_set *set, fm_contact_body *body, const fm_contact_surface *s,
                     fm_error *err)
{
    int isolated_count;
    if (!check_surface(s, err))
        return false;
    int *isolated = fm_mesh_find_isolated_points(&s->mesh, &isolated_count, err);
    free(isolated);
    snprintf(body->name, sizeof body->name, "%s", s->name ? s->name : "");
    body->kinematic = !s->inverse_mass && !s->dynamic;
    body->solid = s->solid && body->kinematic;
    body->thickness = s->thickness;
    body->guard = s->guard > 0 ? s->guard : s->thickness;
    body->solved = s->solved;
    body->friction = s->friction;
    body->friction_weight = s->friction_weight;
    body->first_vertex = set->vertex_count;
    body->first_triangle = set->triangle_count;
    body->vertex_count = s->mesh.point_count;
    body->triangle_count =
        s->mesh.face_count + s->mesh.line_count + (body->kinematic ? 0 : isolated_count);
    set->vertex_count += body->vertex_count;
    set->triangle_count += body->triangle_count;
    return isolated != NULL;
}

// Creates everything in the set except the set itself: records of surfaces, topology, trees,
// patches and pair lists.
static bool fill_set(fm_contact_set *set, const fm_contact_surface *surfaces, fm_error *err)
{
    set->bodies = create_array(set, set->body_count, sizeof *set->bodies, err);
    for (int s = 0; s < set->body_count && err->status == FM_OK; s++)
        if (!add_body(set, &set->bodies[s], &surfaces[s], err))
            return false;
    if (!create_arrays(set, err))
        return false;
    for (int s = 0; s < set->body_count; s++)
        if (!copy_surface(set, &set->bodies[s], &surfaces[s], err))
            return false;
    find_topology(set);
    if (!create_edges(set, err))
        return false;
    choose_skin(set);
    return create_trees(set, err) && fm_patches_create(set, surfaces, err) &&
           create_blocks(set, err);
}

// Creates a contact set from the definitions of its surfaces. NULL and err filled on bad values.
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
    set->list_safety = 1;
    set->max_shortened = MAX_SHORTENED;
    if (!fill_set(set, surfaces, err)) {
        fm_contact_destroy(set);
        return NULL;
    }
    return set;
}

// Frees a contact set with its lists.
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
            free(list->recheck_at);
            free(list->thickness);
            free(list->start);
            free(block->near[kind].pairs);
            free(block->near[kind].touching);
        }
        free(block->slot);
        free(block->member);
        free(block->solver);
    }
    free(set->near_patches.pairs);
    free(set->listed_patches.pairs);
    fm_arena_destroy(&set->arena);
    free(set);
}

// Number of vertices of all surfaces.
int fm_contact_vertex_count(const fm_contact_set *set)
{
    return set->vertex_count;
}

// Number of the first vertex of a surface.
int fm_contact_first_vertex(const fm_contact_set *set, int surface)
{
    return set->bodies[surface].first_vertex;
}

// Positions at the start of a step, m, which the caller fills.
fm_vec3_array fm_contact_starts(fm_contact_set *set)
{
    return set->x0;
}

// Target positions at the end of a step, m, which the caller fills and the step corrects.
fm_vec3_array fm_contact_ends(fm_contact_set *set)
{
    return set->x1;
}

// Velocities, m/s, which the caller fills and the step corrects.
fm_vec3_array fm_contact_velocities(fm_contact_set *set)
{
    return set->v;
}

// Inverse masses, 1/kg, which the caller fills; 0: the motion of the vertex is prescribed.
double *fm_contact_inverse_masses(fm_contact_set *set)
{
    return set->inverse_mass;
}

// Sets whether vertices have a larger mass along an axis.
void fm_contact_use_mass_axes(fm_contact_set *set, bool use)
{
    set->has_mass_axes = use;
}

// Unit vectors along which vertices have added mass, which the caller fills.
fm_vec3_array fm_contact_mass_axes(fm_contact_set *set)
{
    return set->mass_axis;
}

// Inverse masses along the axes of added mass, 1/kg, which the caller fills.
double *fm_contact_axis_inverse_masses(fm_contact_set *set)
{
    return set->axis_inverse_mass;
}

// Discards cached data before the next step, so that it depends only on positions and saved state.
// steps: number of steps that a candidate list should last.
void fm_contact_restart(fm_contact_set *set, int steps)
{
    set->restarted = true;
    set->step_measured = false;
    set->list_steps = steps;
}

// The numbers that fm_contact_save writes before the arrays.
typedef struct saved_state {
    double safety, horizon, min_slack, max_slack; // list_safety ... max_slack of the contact set
    int32_t age;                                  // steps since the candidate list was built
    unsigned char list_made, is_tangled, started, unused; // flags of the contact set; padding
} saved_state;

enum { LIST_SOURCES = 6 }; // arrays: x, y, z of list_positions and of list_targets

// The coordinate arrays of the positions and target positions from which the candidate list was
// built.
static void find_list_sources(const fm_contact_set *set, double *axes[LIST_SOURCES])
{
    fm_vec3_array a = set->list_positions, b = set->list_targets;
    axes[0] = a.x, axes[1] = a.y, axes[2] = a.z;
    axes[3] = b.x, axes[4] = b.y, axes[5] = b.z;
}

// Saves the flags of the vertices, and the positions and limits that the candidate list was built
// from, so that it can be built again. Returns the size needed, bytes.
size_t fm_contact_save(const fm_contact_set *set, void *buffer, size_t size)
{
    size_t n = (size_t)set->vertex_count;
    size_t need = sizeof(saved_state) + LIST_SOURCES * n * sizeof(double) + 2 * n;
    if (!buffer || size < need)
        return need;
    saved_state state = {.safety = set->list_safety,
                         .horizon = set->list_horizon,
                         .min_slack = set->min_slack,
                         .max_slack = set->max_slack,
                         .age = set->list_age,
                         .list_made = set->list_made,
                         .is_tangled = set->is_tangled,
                         .started = set->started};
    double *sources[LIST_SOURCES];
    unsigned char *out = buffer;
    find_list_sources(set, sources);
    memcpy(out, &state, sizeof state);
    out += sizeof state;
    for (int i = 0; i < LIST_SOURCES; i++, out += n * sizeof(double))
        memcpy(out, sources[i], n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        out[i] = set->pinched[i];
        out[n + i] = set->tangled[i];
    }
    return need;
}

// True if `count` doubles at unaligned addresses are finite.
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

// True if the numbers of a saved state are in their ranges.
static bool is_valid(const saved_state *s)
{
    return s->safety >= 1 && isfinite(s->safety) && s->horizon >= 0 && isfinite(s->horizon) &&
           s->min_slack >= 0 && s->min_slack <= s->max_slack && isfinite(s->max_slack) &&
           s->age >= 0;
}

// Restores what fm_contact_save wrote, and builds the candidate list again. Returns false and fills
// err if size or numbers are wrong.
bool fm_contact_restore(fm_contact_set *set, const void *buffer, size_t size, fm_error *err)
{
    size_t n = (size_t)set->vertex_count;
    const unsigned char *in = buffer;
    saved_state state;
    if (size != fm_contact_save(set, NULL, 0))
        return fm_fail_number(err, "contact", "state size", (double)size, "what was saved");
    memcpy(&state, in, sizeof state);
    in += sizeof state;
    if (!is_valid(&state) || !are_finite(in, LIST_SOURCES * n))
        return fm_fail(err, FM_BAD_VALUE, "contact", "state", "not finite", "what was saved");
    double *sources[LIST_SOURCES];
    find_list_sources(set, sources);
    for (int i = 0; i < LIST_SOURCES; i++, in += n * sizeof(double))
        memcpy(sources[i], in, n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        set->pinched[i] = in[i] != 0;
        set->tangled[i] = in[n + i] != 0;
    }
    set->list_safety = state.safety;
    set->list_horizon = state.horizon;
    set->min_slack = state.min_slack;
    set->max_slack = state.max_slack;
    set->list_age = state.age;
    set->list_made = state.list_made != 0;
    set->is_tangled = state.is_tangled != 0;
    set->started = state.started != 0;
    if (set->list_made)
        fm_candidates_rebuild(set, NULL);
    fm_contact_restart(set, set->list_steps);
    return true;
}

void fm_contact_join_vertices(fm_contact_set *set, int a, int b)
{
    int from = set->joint[b], to = set->joint[a];
    for (int v = 0; v < set->vertex_count; v++) {
        if (set->joint[v] == from)
            set->joint[v] = to;
    }
}

bool fm_contact_ignore_pair(fm_contact_set *set, int surface, int other, fm_error *err)
{
    int n = set->ignored_count, (*longer)[2] = create_array(set, n + 1, sizeof *longer, err);
    if (!longer)
        return false;
    if (n > 0)
        memcpy(longer, set->ignored, (size_t)n * sizeof *longer);
    longer[n][0] = surface, longer[n][1] = other;
    set->ignored = longer;
    set->ignored_count = n + 1;
    return true;
}
