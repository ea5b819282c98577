// SPDX-License-Identifier: MIT
// skin.c: a figure as one smooth body.
//
// The surface is where a blend of the distances d_i to the bones' shapes is zero. Two of them are
// blended by
//
//     min(a, b) - k h^2 / 4,      h = max(0, 1 - |a - b| / k)
//
// which is the smaller one where they differ by more than k, and fills the crease between them.
// Bones of a limb are blended with each other and then with the trunk; limbs meet each other with
// hardly any blending, so that thighs do not grow together. The whole is drawn in a little, to lie
// under the cloth that the shapes hold off; where blending has filled a crease that cloth lies in,
// it is pressed in below the cloths that were drawn before it.
//
// Triangles are made on a grid: each cell that the surface passes gets one point, the mean of
// where its edges are cut, moved onto the surface along the gradient; each edge that is cut joins
// the four cells around it. Blocks of cells that are far from the surface are passed over.
//
// [GIB98] Gibson: Constrained elastic surface nets. MICCAI, 1998.
#include "collide/collide.h"
#include "draw/draw.h"
#include "motion/figure.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    CELLS_HIGH = 150,              // cells for the height of the figure
    BLOCK = 8,                     // cells of a block along each side
    LIMBS = 5,                     // arms, legs, and the head
    PRESS = 3,                     // cells around a point of a cloth that it presses in
    PARTS_MAX = FM_BONE_COUNT + 5, // some bones have a second shape that is seen only
};

static const double WITHDRAWN = 0.0018; // of the height: 3 mm

// A shape of the body, and what it belongs to: -1 the trunk, else a limb.
typedef struct part {
    fm_shape shape;
    int limb;
} part;

typedef struct body {
    part parts[PARTS_MAX];
    int count;
    double height;
} body;

// A distance and its gradient.
typedef struct sample {
    double d;
    fm_vec3 g;
} sample;

static sample blend(sample a, sample b, double k)
{
    if (b.d < a.d) {
        sample other = a;
        a = b, b = other;
    }
    double h = fmax(0, 1 - (b.d - a.d) / k);
    return (sample){a.d - k * h * h / 4, fm_add_scaled(fm_scale(a.g, 1 - h / 2), b.g, h / 2)};
}

static int limb_of(fm_bone bone)
{
    if (bone < FM_BONE_LEFT_UPPER_ARM)
        return bone == FM_BONE_HEAD ? LIMBS - 1 : -1;
    return ((int)bone - FM_BONE_LEFT_UPPER_ARM) / 3;
}

static void add_part(body *b, const fm_pose *poses, fm_bone bone, fm_shape shape)
{
    b->parts[b->count++] = (part){fm_shape_carry(&shape, &poses[bone]), limb_of(bone)};
}

// What makes a row of bones a person: a jaw, calves, the balls of the shoulders.
static void add_features(body *b, const fm_figure *figure, const fm_pose *poses)
{
    const fm_measures *m = &figure->measures;
    double h = m->height, girth = figure->def.limbs * h;
    fm_shape jaw = {.kind = FM_SHAPE_ELLIPSOID,
                    .centre = {0, 0.902 * h, 0.024 * h},
                    .half_size = {0.030 * h, 0.034 * h, 0.035 * h},
                    .rotation = {0, 0, 0, 1}};
    add_part(b, poses, FM_BONE_HEAD, jaw);
    for (int side = -1; side <= 1; side += 2) {
        double x = side * m->hip_side, knee = m->hip - m->thigh;
        fm_shape calf = {.kind = FM_SHAPE_CAPSULE,
                         .start = {x, knee - 0.045 * h, -0.007 * h},
                         .end = {x, knee - 0.105 * h, -0.006 * h},
                         .radius = 0.0275 * girth,
                         .end_radius = 0.023 * girth,
                         .rotation = {0, 0, 0, 1}};
        add_part(b, poses, side > 0 ? FM_BONE_LEFT_SHIN : FM_BONE_RIGHT_SHIN, calf);
        fm_shape seat = {.kind = FM_SHAPE_SPHERE,
                         .centre = {side * 0.036 * h, 0.528 * h, -0.026 * h},
                         .radius = 0.043 * h * figure->def.hips,
                         .rotation = {0, 0, 0, 1}};
        add_part(b, poses, FM_BONE_PELVIS, seat);
    }
}

static sample find_sample(const body *b, const int *near, int count, fm_vec3 p)
{
    double h = b->height;
    sample trunk = {.d = INFINITY}, limbs[LIMBS];
    for (int i = 0; i < LIMBS; i++)
        limbs[i] = (sample){.d = INFINITY};
    for (int i = 0; i < count; i++) {
        const part *each = &b->parts[near[i]];
        fm_contact contact = fm_shape_contact(&each->shape, p);
        sample s = {contact.distance, contact.normal};
        sample *to = each->limb < 0 ? &trunk : &limbs[each->limb];
        *to = isinf(to->d) ? s : blend(*to, s, (each->limb < 0 ? 0.034 : 0.007) * h);
    }
    sample all = trunk;
    for (int i = 0; i < LIMBS; i++) {
        if (isinf(limbs[i].d))
            continue;
        double k = (i < 2 ? 0.024 : i < 4 ? 0.034 : 0.014) * h;
        sample joined = isinf(trunk.d) ? limbs[i] : blend(trunk, limbs[i], k);
        all = isinf(all.d) ? joined : blend(all, joined, 0.006 * h);
    }
    all.d += WITHDRAWN * h;
    return all;
}

// The grid, and what is known on it.
typedef struct grid {
    fm_vec3 low;
    double size;
    int n[3];      // cells; points are one more
    float *values; // at points
    int *points;   // [cells] number of the cell's point, or -1
} grid;

static size_t value_at(const grid *g, int x, int y, int z)
{
    return ((size_t)z * (size_t)(g->n[1] + 1) + (size_t)y) * (size_t)(g->n[0] + 1) + (size_t)x;
}

static size_t cell_at(const grid *g, int x, int y, int z)
{
    return ((size_t)z * (size_t)g->n[1] + (size_t)y) * (size_t)g->n[0] + (size_t)x;
}

static fm_vec3 corner(const grid *g, double x, double y, double z)
{
    return fm_add_scaled(g->low, (fm_vec3){x, y, z}, g->size);
}

// Parts that may matter within `reach` of p: blending reaches 5 % of the height further.
static int find_near(const body *b, fm_vec3 p, double reach, int *near)
{
    int count = 0;
    for (int i = 0; i < b->count; i++) {
        if (fm_shape_contact(&b->parts[i].shape, p).distance < reach + 0.06 * b->height)
            near[count++] = i;
    }
    return count;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static void fill_block(grid *g, const body *b, const int from[3])
{
    int to[3], near[PARTS_MAX];
    for (int k = 0; k < 3; k++)
        to[k] = smaller(from[k] + BLOCK, g->n[k] + 1);
    double half = BLOCK / 2.0, reach = half * sqrt(3) * g->size;
    fm_vec3 middle = corner(g, from[0] + half, from[1] + half, from[2] + half);
    int count = find_near(b, middle, reach, near);
    double there = count ? find_sample(b, near, count, middle).d : 1;
    bool far = count == 0 || fabs(there) > 1.2 * reach;
    for (int z = from[2]; z < to[2]; z++) {
        for (int y = from[1]; y < to[1]; y++) {
            for (int x = from[0]; x < to[0]; x++) {
                double d = far ? there : find_sample(b, near, count, corner(g, x, y, z)).d;
                g->values[value_at(g, x, y, z)] = (float)d;
            }
        }
    }
}

static bool make_grid(grid *g, const body *b, fm_error *err)
{
    fm_box box = fm_box_empty();
    for (int i = 0; i < b->count; i++) {
        fm_vec3 low, high;
        fm_shape_bound(&b->parts[i].shape, &low, &high);
        fm_box_add(&box, low);
        fm_box_add(&box, high);
    }
    g->size = b->height / CELLS_HIGH;
    fm_vec3 pad = {2 * g->size, 2 * g->size, 2 * g->size}, span;
    g->low = fm_sub(box.low, pad);
    span = fm_scale(fm_sub(fm_add(box.high, pad), g->low), 1 / g->size);
    g->n[0] = (int)span.x + 1, g->n[1] = (int)span.y + 1, g->n[2] = (int)span.z + 1;
    size_t values = value_at(g, g->n[0], g->n[1], g->n[2]) + 1;
    g->values = malloc(values * sizeof *g->values);
    g->points = malloc(values * sizeof *g->points);
    if (!g->values || !g->points)
        return fm_fail_no_memory(err, "drawing", values * sizeof *g->values);
    int from[3];
    for (from[2] = 0; from[2] <= g->n[2]; from[2] += BLOCK)
        for (from[1] = 0; from[1] <= g->n[1]; from[1] += BLOCK)
            for (from[0] = 0; from[0] <= g->n[0]; from[0] += BLOCK)
                fill_block(g, b, from);
    return true;
}

static bool inside(const grid *g, int x, int y, int z)
{
    return g->values[value_at(g, x, y, z)] < 0;
}

// The mean of where the twelve edges of a cell are cut; false when none is.
static bool find_cut(const grid *g, int x, int y, int z, fm_vec3 *point)
{
    fm_vec3 sum = {0};
    int cuts = 0;
    for (int edge = 0; edge < 12; edge++) {
        int axis = edge / 4, a[3] = {x, y, z}, b[3];
        a[(axis + 1) % 3] += edge & 1;
        a[(axis + 2) % 3] += edge >> 1 & 1;
        memcpy(b, a, sizeof b);
        b[axis]++;
        double one = g->values[value_at(g, a[0], a[1], a[2])];
        double other = g->values[value_at(g, b[0], b[1], b[2])];
        if ((one < 0) == (other < 0))
            continue;
        double share = one / (one - other);
        fm_vec3 p = {a[0], a[1], a[2]};
        if (axis == 0)
            p.x += share;
        else if (axis == 1)
            p.y += share;
        else
            p.z += share;
        sum = fm_add(sum, p);
        cuts++;
    }
    if (cuts == 0)
        return false;
    sum = fm_scale(sum, 1.0 / cuts);
    *point = corner(g, sum.x, sum.y, sum.z);
    return true;
}

// A point onto the surface, and the normal there.
static void settle_point(const body *b, double size, fm_vec3 *p, fm_vec3 *normal)
{
    int near[PARTS_MAX], count = find_near(b, *p, size, near);
    sample s = find_sample(b, near, count, *p);
    for (int step = 0; step < 2; step++) {
        double square = fm_dot(s.g, s.g);
        double move = square > 0.05 ? -s.d / square : 0;
        *p = fm_add_scaled(*p, s.g, fmin(fmax(move, -size / 2), size / 2));
        s = find_sample(b, near, count, *p);
    }
    *normal = s.g;
    if (!fm_make_unit(normal))
        *normal = (fm_vec3){0, 1, 0};
}

// Numbers the points of the cells that are cut.
static int number_points(grid *g)
{
    int count = 0;
    fm_vec3 point;
    for (int z = 0; z < g->n[2]; z++)
        for (int y = 0; y < g->n[1]; y++)
            for (int x = 0; x < g->n[0]; x++)
                g->points[cell_at(g, x, y, z)] = find_cut(g, x, y, z, &point) ? count++ : -1;
    return count;
}

// Two triangles for each edge along an axis that is cut, seen from outside; only counts them
// without room.
static int join_points(const grid *g, int *triangles)
{
    int count = 0;
    for (int z = 1; z < g->n[2]; z++) {
        for (int y = 1; y < g->n[1]; y++) {
            for (int x = 1; x < g->n[0]; x++) {
                bool here = inside(g, x, y, z);
                for (int axis = 0; axis < 3; axis++) {
                    int step[3] = {0, 0, 0}, u[3] = {0, 0, 0}, v[3] = {0, 0, 0};
                    step[axis] = 1, u[(axis + 1) % 3] = 1, v[(axis + 2) % 3] = 1;
                    if (here == inside(g, x + step[0], y + step[1], z + step[2]))
                        continue;
                    int *t = triangles ? triangles + 3 * (size_t)count : NULL;
                    count += 2;
                    if (!t)
                        continue;
                    int a =
                        g->points[cell_at(g, x - u[0] - v[0], y - u[1] - v[1], z - u[2] - v[2])];
                    int b = g->points[cell_at(g, x - v[0], y - v[1], z - v[2])];
                    int c = g->points[cell_at(g, x, y, z)];
                    int d = g->points[cell_at(g, x - u[0], y - u[1], z - u[2])];
                    const int out[6] = {a, b, c, a, c, d}, in[6] = {a, c, b, a, d, c};
                    memcpy(t, here ? out : in, sizeof out);
                }
            }
        }
    }
    return count;
}

static void fill_points(const grid *g, const body *b, fm_mesh *mesh)
{
    for (int z = 0; z < g->n[2]; z++) {
        for (int y = 0; y < g->n[1]; y++) {
            for (int x = 0; x < g->n[0]; x++) {
                int number = g->points[cell_at(g, x, y, z)];
                fm_vec3 p, normal;
                if (number < 0 || !find_cut(g, x, y, z, &p))
                    continue;
                settle_point(b, g->size, &p, &normal);
                fm_f3_store(mesh->points + 3 * (size_t)number, fm_f3_from(p));
                fm_f3_store(mesh->normals + 3 * (size_t)number, fm_f3_from(normal));
            }
        }
    }
}

// Presses points of the skin in below a point of a cloth: those that lie within a few cells across
// the normal, all the way near it and less farther out.
static void press_in(const grid *g, fm_vec3 cloth, const fm_mesh *skin, float *depth)
{
    fm_vec3 at = fm_scale(fm_sub(cloth, g->low), 1 / g->size);
    int middle[3] = {(int)floor(at.x), (int)floor(at.y), (int)floor(at.z)}, low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = middle[k] > PRESS ? middle[k] - PRESS : 0;
        high[k] = smaller(middle[k] + PRESS + 1, g->n[k]);
    }
    for (int z = low[2]; z < high[2]; z++) {
        for (int y = low[1]; y < high[1]; y++) {
            for (int x = low[0]; x < high[0]; x++) {
                int i = g->points[cell_at(g, x, y, z)];
                if (i < 0)
                    continue;
                fm_float3 normal = fm_f3_load(skin->normals + 3 * (size_t)i);
                fm_float3 way =
                    fm_f3_sub(fm_f3_from(cloth), fm_f3_load(skin->points + 3 * (size_t)i));
                float above = fm_f3_dot(way, normal), cell = (float)g->size;
                float aside = sqrtf(fm_max(0, fm_f3_dot(way, way) - above * above));
                float share = 1 - fm_smoothstep(1.5f * cell, (float)PRESS * cell, aside);
                depth[i] = fm_max(depth[i], share * (0.1f * cell - above));
            }
        }
    }
}

// Below all cloths of the drawing: the meshes that have two sides.
static bool press_below_cloths(const grid *g, const body *b, const fm_drawing *drawing,
                               fm_mesh *skin, fm_error *err)
{
    float *depth = calloc((size_t)skin->point_count + 1, sizeof *depth);
    if (!depth)
        return fm_fail_no_memory(err, "drawing", (size_t)skin->point_count * sizeof *depth);
    for (int m = 0; m < drawing->mesh_count; m++) {
        const fm_mesh *cloth = &drawing->meshes[m];
        for (int i = 0; i < cloth->point_count && cloth->front_count > 0; i++) {
            int near[PARTS_MAX];
            fm_float3 at = fm_f3_load(cloth->points + 3 * (size_t)i);
            fm_vec3 p = {at.x, at.y, at.z};
            int count = fm_point_is_finite(&at.x) ? find_near(b, p, 0, near) : 0;
            double d = count ? find_sample(b, near, count, p).d : 1;
            if (d < 0.1 * g->size && d > -(double)PRESS * g->size)
                press_in(g, p, skin, depth);
        }
    }
    for (int i = 0; i < skin->point_count; i++) {
        float *point = skin->points + 3 * (size_t)i;
        fm_f3_store(point, fm_f3_along(fm_f3_load(point), -depth[i],
                                       fm_f3_load(skin->normals + 3 * (size_t)i)));
    }
    free(depth);
    return true;
}

bool fm_drawing_add_figure(fm_drawing *drawing, const fm_figure *figure, double time,
                           const fm_paint *paint, fm_error *err)
{
    assert(err->status != FM_OK || (drawing && figure));
    if (err->status != FM_OK)
        return false;
    fm_pose poses[FM_BONE_COUNT];
    body b = {.height = figure->def.height};
    fm_figure_place(figure, time, poses);
    for (int bone = 0; bone < FM_BONE_COUNT; bone++)
        add_part(&b, poses, (fm_bone)bone, fm_figure_bind_shape(figure, (fm_bone)bone));
    add_features(&b, figure, poses);
    grid g = {0};
    if (make_grid(&g, &b, err)) {
        int point_count = number_points(&g), triangle_count = join_points(&g, NULL);
        fm_mesh *mesh = fm_drawing_add_mesh(drawing, paint, point_count, triangle_count, err);
        if (mesh) {
            fill_points(&g, &b, mesh);
            join_points(&g, mesh->triangles);
            press_below_cloths(&g, &b, drawing, mesh, err);
        }
    }
    free(g.values);
    free(g.points);
    return err->status == FM_OK;
}
