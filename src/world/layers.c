// SPDX-License-Identifier: MIT
// layers.c: layers of cloth that lie on each other share the water that moves with them.
//
// Two parallel sheets at the distance g that move alike as cos(k x) have less water than two single
// ones: the potential flow between them is that of a layer of the thickness tanh(k g/2)/k. Each has
// 1/k on its outer side and this on its inner side, instead of 2/k, which is the share
//
//     s = (1 + tanh(k g/2))/2 = 1/(1 + exp(-k g))
//
// So a layer at the distance g counts as exp(-k g) of a layer, and s is one over their number N.
// At every point i it is found from the area around it, projected on its plane and weighted:
//
//     S_i = sum_j A_j |n_i . n_j| K(t_ij) f(g_ij)
//     s_i = 1/N_i,   N_i = 1 + E_i,   E_i = (S_i - C_i)/sqrt(C_i)
//
//   A_j  m^2, area that point j stands for    n  unit normals
//   g    m, distance of j from the plane of i, |n_i . (x_j - x_i)|     t  m, its distance in it
//   K    kernel (fm_layer_kernel), whose integral is 1
//   f    exp(-k g)
//   C_i  the same sum over the surface of i at rest: 1, less at borders
//
// A single smooth layer has S <= C up to the error of the sum. Therefore E below 0.1 counts as 0,
// and from there to 0.2 it rises to its full value. The sum needs no knowledge of which points
// belong to which layer: folds of one cloth, stacked cloths and fabric that is crumpled as finely
// as its mesh are all counted. At a border, C is about 1/2; there S - C is 1/2 if another border
// lies on it and 1 if the middle of another cloth does, and its division by sqrt(C) is a
// compromise. k is that of waves of 1/8 of the root of the cloth's area. Longer waves share more,
// shorter ones less.
#include "world/world.h"

#include <math.h>
#include <stdlib.h>

static const double REACH = 2.4;   // k g beyond which layers do not share: f is below RESERVE
static const double RESERVE = 0.1; // E that counts as 0
static const double UPRIGHT = 0.1; // least cosine between normals of a plain sheet and their mean
enum { BLOCK = 256 };              // points in a block of a parallel loop

// A body that moves water with it.
typedef struct layer_body {
    fm_object *object;
    fm_layer_view view;
    fm_bounds box;
    bool is_plain; // nothing overlaps: all shares are 1
} layer_body;

// A point of a body that is not plain.
typedef struct layer_point {
    fm_vec3 x, n;
    double area, coverage;
    int body;
    double *share; // the result
} layer_point;

struct fm_layers {
    fm_arena arena;
    layer_body *bodies;
    int body_count;
    layer_point *points;
    double *x, *y, *z; // positions of the points, for the cell list
    int point_count;
    fm_cell_list cells;
};

// Frees the lists of bodies and points.
void fm_world_destroy_layers(fm_world *world)
{
    if (!world->layers)
        return;
    fm_arena_destroy(&world->layers->arena);
    free(world->layers);
    world->layers = NULL;
}

// Lists the bodies that can move water, with room for all their points.
static bool fill_layers(const fm_world *world, fm_layers *l, fm_error *err)
{
    size_t bodies = (size_t)world->body_count, points = 0;
    l->bodies = fm_arena_alloc(&l->arena, bodies, sizeof *l->bodies, "layers", err);
    for (int i = 0; i < world->object_count && err->status == FM_OK; i++) {
        fm_object *object = world->objects[i];
        const fm_body_type *body = object->type->body;
        fm_layer_view view;
        if (!body || !body->view_layers || !body->view_layers(object, &view))
            continue;
        l->bodies[l->body_count++].object = object;
        points += (size_t)view.count;
    }
    l->points = fm_arena_alloc(&l->arena, points, sizeof *l->points, "layers", err);
    l->x = fm_arena_alloc(&l->arena, points, sizeof(double), "layers", err);
    l->y = fm_arena_alloc(&l->arena, points, sizeof(double), "layers", err);
    l->z = fm_arena_alloc(&l->arena, points, sizeof(double), "layers", err);
    return fm_cell_list_create(&l->cells, &l->arena, (int)points, err);
}

// Allocates the lists of bodies and points. False: out of memory.
static bool create_layers(fm_world *world, fm_error *err)
{
    world->layers = calloc(1, sizeof *world->layers);
    if (!world->layers)
        return fm_fail_no_memory(err, "layers", sizeof *world->layers);
    if (fill_layers(world, world->layers, err))
        return true;
    fm_world_destroy_layers(world);
    return false;
}

// Whether all normals are within 84 degrees of their mean. Then a piece of cloth with one border
// covers no place twice, unless it winds up like a spiral staircase.
static bool is_upright(const fm_layer_view *v)
{
    fm_vec3 sum = {0, 0, 0};
    for (int i = 0; i < v->count; i++)
        sum = fm_add_scaled(sum, fm_vec3_array_at(v->normal, i), v->area[i]);
    double least = UPRIGHT * sqrt(fm_dot(sum, sum));
    for (int i = 0; i < v->count; i++) {
        if (!(fm_dot(sum, fm_vec3_array_at(v->normal, i)) > least))
            return false;
    }
    return true;
}

// Reads the bodies, and finds those that no layers can overlap. Returns the radius of the search
// for layers around a point, m.
static double read_bodies(fm_layers *l)
{
    double radius = 0, reach = 0;
    for (int b = 0; b < l->body_count; b++) {
        layer_body *body = &l->bodies[b];
        if (!body->object->type->body->view_layers(body->object, &body->view))
            body->view.count = 0;
        body->box = (fm_bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        for (int i = 0; i < body->view.count; i++)
            fm_bounds_add_point(&body->box, fm_vec3_array_at(body->view.x, i));
        radius = fmax(radius, body->view.radius);
        reach = fmax(reach, REACH / body->view.wave);
    }
    radius = sqrt(radius * radius + reach * reach);
    for (int b = 0; b < l->body_count; b++) {
        layer_body *body = &l->bodies[b];
        body->is_plain = body->view.is_disc && is_upright(&body->view);
        for (int o = 0; o < l->body_count && body->is_plain; o++)
            body->is_plain = o == b || !fm_bounds_overlap(&body->box, &l->bodies[o].box, radius);
    }
    return radius;
}

// Collects the points of bodies that are not plain; sets the shares of the others to 1.
static void collect_points(fm_layers *l)
{
    l->point_count = 0;
    for (int b = 0; b < l->body_count; b++) {
        const fm_layer_view *v = &l->bodies[b].view;
        for (int i = 0; i < v->count; i++) {
            v->share[i] = 1;
            if (l->bodies[b].is_plain)
                continue;
            fm_vec3 x = fm_vec3_array_at(v->x, i);
            int p = l->point_count++;
            l->points[p] = (layer_point){
                x, fm_vec3_array_at(v->normal, i), v->area[i], v->coverage[i], b, &v->share[i]};
            l->x[p] = x.x, l->y[p] = x.y, l->z[p] = x.z;
        }
    }
}

// The summand of S for point q near p.
static double weigh_neighbour(const fm_layers *l, const layer_point *p, const layer_point *q)
{
    const fm_layer_view *own = &l->bodies[p->body].view, *other = &l->bodies[q->body].view;
    fm_vec3 r = fm_sub(q->x, p->x);
    double along = fm_dot(r, p->n), g = own->wave * fabs(along);
    double kernel =
        fm_layer_kernel(fm_dot(r, r) - along * along, fm_double_max(own->radius, other->radius));
    if (kernel == 0 || g >= REACH)
        return 0;
    return q->area * fabs(fm_dot(p->n, q->n)) * kernel * exp(-g);
}

// S at point p.
static double sum_neighbours(const fm_layers *l, const layer_point *p)
{
    fm_cell at = fm_cell_list_find_cell(&l->cells, p->x.x, p->x.y, p->x.z);
    double sum = 0;
    for (int k = 0; k < 27; k++) {
        fm_cell cell = {at.x + k % 3 - 1, at.y + k / 3 % 3 - 1, at.z + k / 9 - 1};
        int b = fm_cell_list_find_bucket(&l->cells, cell);
        for (int j = l->cells.start[b]; j < l->cells.start[b + 1]; j++) {
            int q = l->cells.order[j];
            fm_cell own = l->cells.cell[q];
            if (own.x == cell.x && own.y == cell.y && own.z == cell.z)
                sum += weigh_neighbour(l, p, &l->points[q]);
        }
    }
    return sum;
}

// Computes the shares s of the points [first, last).
static void find_shares_range(void *context, int first, int last)
{
    const fm_layers *l = context;
    for (int i = first; i < last; i++) {
        const layer_point *p = &l->points[i];
        double extra = (sum_neighbours(l, p) - p->coverage) / sqrt(p->coverage);
        double counted = fm_double_min(extra, 2 * (extra - RESERVE));
        *p->share = 1 / (1 + fm_double_max(counted, 0));
    }
}

// Computes the shares of water of all bodies, and gives them to the bodies. False: out of memory.
bool fm_world_share_layers(fm_world *world, fm_error *err)
{
    if (world->body_count == 0)
        return true;
    if (!world->layers && !create_layers(world, err))
        return false;
    fm_layers *l = world->layers;
    double radius = read_bodies(l);
    collect_points(l);
    if (l->point_count > 0) {
        fm_cell_list_build(&l->cells, radius, l->point_count, l->x, l->y, l->z);
        fm_parallel_for(world->pool, l->point_count, BLOCK, find_shares_range, l);
    }
    for (int b = 0; b < l->body_count; b++)
        l->bodies[b].object->type->body->take_shares(l->bodies[b].object);
    return true;
}
