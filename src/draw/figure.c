// SPDX-License-Identifier: MIT
// figure.c: adds a figure to a drawing as one smooth skin over its bones' shapes.
//
// The skin is the zero level set of a blend of the signed distances to the bones' shapes. Two
// distances a and b are combined by the polynomial smooth minimum
//
//     min(a, b) - k h^2 / 4,      h = max(0, 1 - |a - b| / k)
//
// It equals the smaller distance where the two differ by more than the blend width k (m), and fills
// the crease between the shapes elsewhere. The bones of a limb are blended with each other and then
// with the trunk; different limbs are blended over a very small width, so that the thighs do not
// merge. The level set is shrunk by SHRINK, so that the skin lies below the cloth that rests on the
// collision shapes. Where a filled crease would still rise above cloth drawn before, the skin is
// pushed inwards below it.
//
// Triangles come from surface nets [GIB98] on a grid: each cell that the surface crosses gets one
// vertex, the mean of the crossings on its edges, projected onto the level set along the gradient;
// each grid edge that is crossed connects the vertices of the four cells around it. Blocks of cells
// far from the surface are skipped.
#include "motion/figure.h"
#include "collide/collide.h"
#include "draw/draw.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    CELLS_PER_HEIGHT = 150,        // grid cells over the height of the figure
    BLOCK = 8,                     // cells along the side of a block
    LIMB_COUNT = 5,                // two arms, two legs, the head
    PUSH_CELLS = 3,                // cells: radius within which a cloth point pushes the skin in
    PARTS_MAX = FM_BONE_COUNT + 5, // the bones' shapes and five more, see add_features
};

static const double SHRINK = 0.0018; // inward offset of the skin per height: 3 mm at 1.7 m
// A part farther than this from a point does not change the blended distance there, per height:
// more than the sum of the blend widths and SHRINK.
static const double INFLUENCE = 0.06;
// A block of cells is skipped if its centre is farther from the skin than this times half its
// diagonal.
static const double SKIP_MARGIN = 1.2;
// Points are projected along the gradient only if its square exceeds this, because the step divides
// by it.
static const double GRADIENT_MIN = 0.05;
static const double GAP = 0.1; // cells, distance of skin pushed inwards from the cloth above it

// A shape of the body, and the number of the limb it belongs to; -1: the trunk.
typedef struct part {
    fm_shape shape;
    int limb;
} part;

// All shapes of a figure in its pose.
typedef struct body {
    part parts[PARTS_MAX];
    int count;     // number of parts
    double height; // m, of the figure
} body;

// A signed distance (m) and its gradient.
typedef struct distance_sample {
    double d;
    fm_vec3 g;
} distance_sample;

// Blends two distances over the width k (m).
static distance_sample smooth_minimum(distance_sample a, distance_sample b, double k)
{
    if (b.d < a.d) {
        distance_sample other = a;
        a = b, b = other;
    }
    double h = fmax(0, 1 - (b.d - a.d) / k);
    return (distance_sample){a.d - k * h * h / 4,
                             fm_add_scaled(fm_scale(a.g, 1 - h / 2), b.g, h / 2)};
}

// Number of the limb that a bone belongs to: 0, 1 arms, 2, 3 legs, 4 head; -1: the trunk.
static int limb_of(fm_bone bone)
{
    if (bone < FM_BONE_LEFT_UPPER_ARM)
        return bone == FM_BONE_HEAD ? LIMB_COUNT - 1 : -1;
    return ((int)bone - FM_BONE_LEFT_UPPER_ARM) / 3;
}

// Adds a shape given in the bind pose, moved with its bone. poses: of all bones.
static void add_part(body *b, const fm_pose *poses, fm_bone bone, fm_shape shape)
{
    b->parts[b->count++] = (part){fm_shape_transform(&shape, &poses[bone]), limb_of(bone)};
}

// Adds shapes that are drawn but do not collide: the jaw, the calves and the buttocks. Numbers are
// fractions of the height.
static void add_features(body *b, const fm_figure *figure, const fm_pose *poses)
{
    const fm_measures *m = &figure->measures; // lengths of the body in its bind pose, m
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

// Signed distance of p to the skin, m, and its gradient, from the parts listed in near[count].
// Blend widths, as fractions of the height: 0.034 in the trunk, 0.007 within a limb, 0.024, 0.034
// and 0.014 where arms, legs and head join the trunk, 0.006 between limbs.
static distance_sample blended_distance(const body *b, const int *near, int count, fm_vec3 p)
{
    double h = b->height;
    distance_sample trunk = {.d = INFINITY}, limbs[LIMB_COUNT];
    for (int i = 0; i < LIMB_COUNT; i++)
        limbs[i] = (distance_sample){.d = INFINITY};
    for (int i = 0; i < count; i++) {
        const part *near_part = &b->parts[near[i]];
        fm_contact contact = fm_shape_find_contact(&near_part->shape, p);
        distance_sample s = {contact.distance, contact.normal};
        distance_sample *to = near_part->limb < 0 ? &trunk : &limbs[near_part->limb];
        *to = isinf(to->d) ? s : smooth_minimum(*to, s, (near_part->limb < 0 ? 0.034 : 0.007) * h);
    }
    distance_sample all = trunk;
    for (int i = 0; i < LIMB_COUNT; i++) {
        if (isinf(limbs[i].d))
            continue;
        double k = (i < 2 ? 0.024 : i < 4 ? 0.034 : 0.014) * h;
        distance_sample joined = isinf(trunk.d) ? limbs[i] : smooth_minimum(trunk, limbs[i], k);
        all = isinf(all.d) ? joined : smooth_minimum(all, joined, 0.006 * h);
    }
    all.d += SHRINK * h;
    return all;
}

// The grid and its data.
typedef struct grid {
    fm_vec3 low;   // m, corner of the grid with the smallest coordinates
    double size;   // m, side of a cell
    int n[3];      // cells along each axis; there is one node more
    float *values; // [nodes], m, signed distance from the skin
    int *points;   // [cells], index of the cell's vertex, or -1
} grid;

// Index of node (x, y, z) in grid->values.
static size_t value_at(const grid *g, int x, int y, int z)
{
    return ((size_t)z * (size_t)(g->n[1] + 1) + (size_t)y) * (size_t)(g->n[0] + 1) + (size_t)x;
}

// Index of cell (x, y, z) in grid->points.
static size_t cell_at(const grid *g, int x, int y, int z)
{
    return ((size_t)z * (size_t)g->n[1] + (size_t)y) * (size_t)g->n[0] + (size_t)x;
}

// Position (m) of a point given in cells from the corner of the grid.
static fm_vec3 grid_position(const grid *g, double x, double y, double z)
{
    return fm_add_scaled(g->low, (fm_vec3){x, y, z}, g->size);
}

// Lists the parts that can affect the blended distance within `reach` (m) of p. Returns their
// number.
static int find_near(const body *b, fm_vec3 p, double reach, int *near)
{
    int count = 0;
    for (int i = 0; i < b->count; i++) {
        if (fm_shape_find_contact(&b->parts[i].shape, p).distance < reach + INFLUENCE * b->height)
            near[count++] = i;
    }
    return count;
}

// The smaller of two integers.
static int smaller(int a, int b)
{
    return a < b ? a : b;
}

// Computes the signed distances at the nodes of the block that begins at node `from`. A block far
// from the skin gets the distance of its middle everywhere.
static void fill_block(grid *g, const body *b, const int from[3])
{
    int to[3], near[PARTS_MAX];
    for (int k = 0; k < 3; k++)
        to[k] = smaller(from[k] + BLOCK, g->n[k] + 1);
    double half = BLOCK / 2.0, reach = half * sqrt(3) * g->size;
    fm_vec3 middle = grid_position(g, from[0] + half, from[1] + half, from[2] + half);
    int count = find_near(b, middle, reach, near);
    double centre = count ? blended_distance(b, near, count, middle).d : 1;
    bool far = count == 0 || fabs(centre) > SKIP_MARGIN * reach;
    for (int z = from[2]; z < to[2]; z++) {
        for (int y = from[1]; y < to[1]; y++) {
            for (int x = from[0]; x < to[0]; x++) {
                double d =
                    far ? centre : blended_distance(b, near, count, grid_position(g, x, y, z)).d;
                g->values[value_at(g, x, y, z)] = (float)d;
            }
        }
    }
}

// Creates a grid around the body and computes the distances at its nodes.
static bool create_grid(grid *g, const body *b, fm_error *err)
{
    fm_bounds box = fm_bounds_empty();
    for (int i = 0; i < b->count; i++) {
        fm_vec3 low, high;
        fm_shape_find_bounds(&b->parts[i].shape, &low, &high);
        fm_bounds_add_point(&box, low);
        fm_bounds_add_point(&box, high);
    }
    g->size = b->height / CELLS_PER_HEIGHT;
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

// True if node (x, y, z) of the grid is inside the skin.
static bool is_inside_skin(const grid *g, int x, int y, int z)
{
    return g->values[value_at(g, x, y, z)] < 0;
}

// The vertex of cell (x, y, z): the mean of the surface crossings on its twelve edges; false if
// there is none.
static bool find_cell_point(const grid *g, int x, int y, int z, fm_vec3 *point)
{
    fm_vec3 sum = {0};
    int crossings = 0;
    for (int edge = 0; edge < 12; edge++) {
        int axis = edge / 4, a[3] = {x, y, z}, b[3];
        a[(axis + 1) % 3] += edge & 1;
        a[(axis + 2) % 3] += edge >> 1 & 1;
        memcpy(b, a, sizeof b);
        b[axis]++;
        double start = g->values[value_at(g, a[0], a[1], a[2])];
        double end = g->values[value_at(g, b[0], b[1], b[2])];
        if ((start < 0) == (end < 0))
            continue;
        double share = start / (start - end); // of the edge, where the distance is 0
        fm_vec3 p = {a[0], a[1], a[2]};
        if (axis == 0)
            p.x += share;
        else if (axis == 1)
            p.y += share;
        else
            p.z += share;
        sum = fm_add(sum, p);
        crossings++;
    }
    if (crossings == 0)
        return false;
    sum = fm_scale(sum, 1.0 / crossings);
    *point = grid_position(g, sum.x, sum.y, sum.z);
    return true;
}

// Moves p onto the skin by two Newton steps along the gradient of the distance, each at most half a
// cell, and computes the normal. size: side of a cell, m.
static void project_point(const body *b, double size, fm_vec3 *p, fm_vec3 *normal)
{
    int near[PARTS_MAX], count = find_near(b, *p, size, near);
    distance_sample s = blended_distance(b, near, count, *p);
    for (int step = 0; step < 2; step++) {
        double square = fm_dot(s.g, s.g);
        double move = square > GRADIENT_MIN ? -s.d / square : 0;
        *p = fm_add_scaled(*p, s.g, fmin(fmax(move, -size / 2), size / 2));
        s = blended_distance(b, near, count, *p);
    }
    *normal = s.g;
    if (!fm_normalize(normal))
        *normal = (fm_vec3){0, 1, 0};
}

// Assigns indices to the vertices of the cells that the surface crosses. Returns their number.
static int number_points(grid *g)
{
    int count = 0;
    fm_vec3 point;
    for (int z = 0; z < g->n[2]; z++)
        for (int y = 0; y < g->n[1]; y++)
            for (int x = 0; x < g->n[0]; x++)
                g->points[cell_at(g, x, y, z)] = find_cell_point(g, x, y, z, &point) ? count++ : -1;
    return count;
}

// Writes two outward-facing triangles for each grid edge that crosses the surface. Returns their
// number; triangles NULL: only counts.
static int connect_points(const grid *g, int *triangles)
{
    int count = 0;
    for (int z = 1; z < g->n[2]; z++) {
        for (int y = 1; y < g->n[1]; y++) {
            for (int x = 1; x < g->n[0]; x++) {
                bool here = is_inside_skin(g, x, y, z);
                for (int axis = 0; axis < 3; axis++) {
                    int step[3] = {0, 0, 0}, u[3] = {0, 0, 0}, v[3] = {0, 0, 0};
                    step[axis] = 1, u[(axis + 1) % 3] = 1, v[(axis + 2) % 3] = 1;
                    if (here == is_inside_skin(g, x + step[0], y + step[1], z + step[2]))
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

// Computes the positions and normals of the vertices of the skin.
static void fill_points(const grid *g, const body *b, fm_triangle_mesh *mesh)
{
    for (int z = 0; z < g->n[2]; z++) {
        for (int y = 0; y < g->n[1]; y++) {
            for (int x = 0; x < g->n[0]; x++) {
                int number = g->points[cell_at(g, x, y, z)];
                fm_vec3 p, normal;
                if (number < 0 || !find_cell_point(g, x, y, z, &p))
                    continue;
                project_point(b, g->size, &p, &normal);
                fm_f3_store(mesh->points + 3 * (size_t)number, fm_f3_from_vec3(p));
                fm_f3_store(mesh->normals + 3 * (size_t)number, fm_f3_from_vec3(normal));
            }
        }
    }
}

// Raises the depth, m, by which skin vertices near one cloth point are moved inwards, so that they
// end up GAP cells below it. The effect fades out between 1.5 and PUSH_CELLS cells of distance
// along the skin. depth: [skin vertex].
static void push_skin_below(const grid *g, fm_vec3 cloth, const fm_triangle_mesh *skin,
                            float *depth)
{
    fm_vec3 at = fm_scale(fm_sub(cloth, g->low), 1 / g->size);
    int middle[3] = {(int)floor(at.x), (int)floor(at.y), (int)floor(at.z)}, low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = middle[k] > PUSH_CELLS ? middle[k] - PUSH_CELLS : 0;
        high[k] = smaller(middle[k] + PUSH_CELLS + 1, g->n[k]);
    }
    for (int z = low[2]; z < high[2]; z++) {
        for (int y = low[1]; y < high[1]; y++) {
            for (int x = low[0]; x < high[0]; x++) {
                int i = g->points[cell_at(g, x, y, z)];
                if (i < 0)
                    continue;
                fm_float3 normal = fm_f3_load(skin->normals + 3 * (size_t)i);
                fm_float3 offset =
                    fm_f3_sub(fm_f3_from_vec3(cloth), fm_f3_load(skin->points + 3 * (size_t)i));
                float height = fm_f3_dot(offset, normal), cell = (float)g->size;
                float aside = sqrtf(fm_float_max(0, fm_f3_dot(offset, offset) - height * height));
                float weight =
                    1 - fm_float_smoothstep(1.5f * cell, (float)PUSH_CELLS * cell, aside);
                depth[i] = fm_float_max(depth[i], weight * ((float)GAP * cell - height));
            }
        }
    }
}

// Pushes the skin inwards where it would rise above a cloth of the drawing. Cloths are the meshes
// with two sides.
static bool push_skin_below_cloths(const grid *g, const body *b, const fm_drawing *drawing,
                                   fm_triangle_mesh *skin, fm_error *err)
{
    float *depth = calloc((size_t)skin->point_count + 1, sizeof *depth);
    if (!depth)
        return fm_fail_no_memory(err, "drawing", (size_t)skin->point_count * sizeof *depth);
    for (int m = 0; m < drawing->mesh_count; m++) {
        const fm_triangle_mesh *cloth = &drawing->meshes[m];
        for (int i = 0; i < cloth->point_count && cloth->front_count > 0; i++) {
            int near[PARTS_MAX];
            fm_float3 at = fm_f3_load(cloth->points + 3 * (size_t)i);
            fm_vec3 p = {at.x, at.y, at.z};
            int count = fm_drawing_point_is_finite(&at.x) ? find_near(b, p, 0, near) : 0;
            double d = count ? blended_distance(b, near, count, p).d : 1;
            if (d < GAP * g->size && d > -(double)PUSH_CELLS * g->size)
                push_skin_below(g, p, skin, depth);
        }
    }
    for (int i = 0; i < skin->point_count; i++) {
        float *point = skin->points + 3 * (size_t)i;
        fm_f3_store(point, fm_f3_add_scaled(fm_f3_load(point), -depth[i],
                                            fm_f3_load(skin->normals + 3 * (size_t)i)));
    }
    free(depth);
    return true;
}

// Adds the skin of a figure in its pose at `time`, s. Cloths must be added before it, so that the
// skin stays below them.
bool fm_drawing_add_figure(fm_drawing *drawing, const fm_figure *figure, double time,
                           const fm_paint *paint, fm_error *err)
{
    assert(err->status != FM_OK || (drawing && figure));
    if (err->status != FM_OK)
        return false;
    fm_pose poses[FM_BONE_COUNT];
    body b = {.height = figure->def.height};
    fm_figure_compute_world_poses(figure, time, poses);
    for (int bone = 0; bone < FM_BONE_COUNT; bone++)
        add_part(&b, poses, (fm_bone)bone, fm_figure_bind_shape(figure, (fm_bone)bone));
    add_features(&b, figure, poses);
    grid g = {0};
    if (create_grid(&g, &b, err)) {
        int point_count = number_points(&g), triangle_count = connect_points(&g, NULL);
        fm_triangle_mesh *mesh =
            fm_drawing_create_mesh(drawing, paint, point_count, triangle_count, err);
        if (mesh) {
            fill_points(&g, &b, mesh);
            connect_points(&g, mesh->triangles);
            push_skin_below_cloths(&g, &b, drawing, mesh, err);
        }
    }
    free(g.values);
    free(g.points);
    return err->status == FM_OK;
}
