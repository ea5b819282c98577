// SPDX-License-Identifier: MIT
// line_strands.c: the points of the strands of a line: polylines, fans and hair.
#include "scene/line_kind.h"

#include "collide/collide.h"
#include "geometry/geometry.h"

#include <fathom/cloth.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Writes the points of a group of a sheet or tube to `list`, which has room for all of its points.
// Returns their number; 0: no such group.
static int list_grid_group(const fm_cloth *cloth, const char *group, int *list)
{
    bool round = fm_cloth_topology(cloth) == FM_CLOTH_TUBE;
    int columns = round ? fm_cloth_tube(cloth).columns : fm_cloth_sheet(cloth).columns;
    int rows = round ? fm_cloth_tube(cloth).rows : fm_cloth_sheet(cloth).rows;
    int last = (rows - 1) * columns;
    bool bottom = strcmp(group, "bottom") == 0, right = strcmp(group, "right") == 0;
    if (strcmp(group, "top") == 0 || bottom) {
        for (int i = 0; i < columns; i++)
            list[i] = (bottom ? last : 0) + i;
        return columns;
    }
    if (!round && (strcmp(group, "left") == 0 || right)) {
        for (int i = 0; i < rows; i++)
            list[i] = i * columns + (right ? columns - 1 : 0);
        return rows;
    }
    if (round || strcmp(group, "corners") != 0)
        return 0;
    list[0] = 0, list[1] = columns - 1, list[2] = last, list[3] = last + columns - 1;
    return 4;
}

// Writes the points of a group of any body to `list`. Returns their number; 0: no such group.
static int list_group(fm_object *object, const char *group, int *list)
{
    int count = 0;
    const int *points = fm_object_point_group(object, group, &count);
    fm_cloth *cloth = fm_object_cloth(object);
    if (points) {
        memcpy(list, points, (size_t)count * sizeof *list);
        return count;
    }
    bool grid = cloth && (fm_cloth_topology(cloth) == FM_CLOTH_SHEET ||
                          fm_cloth_topology(cloth) == FM_CLOTH_TUBE);
    return grid ? list_grid_group(cloth, group, list) : 0;
}

// Keeps every n-th number of a list after the first `skip`. Returns how many are left.
static int thin_list(int *list, int count, int skip, int every)
{
    int kept = 0;
    for (int i = skip; i < count; i += every)
        list[kept++] = list[i];
    return kept;
}

// Lists the points of a group or a list of vertices of a body, every n-th of them.
int *fm_scene_list_body_points(fm_world *world, const fm_scene_body_points *from, int *count,
                               fm_error *err)
{
    fm_object *object = fm_world_find_object(world, from->body);
    fm_mesh_view mesh;
    *count = 0;
    if (!object) {
        fm_fail(err, FM_BAD_VALUE, "line", "body", from->body,
                "a body that stands before the line");
        return NULL;
    }
    if (!fm_object_mesh(object, &mesh, err))
        return NULL;
    size_t room = (size_t)mesh.point_count + (size_t)from->vertices.count + 1;
    int *list = malloc(room * sizeof *list);
    if (!list) {
        fm_fail_no_memory(err, "scene", room * sizeof *list);
        return NULL;
    }
    const int *vertices = from->vertices.data;
    for (int i = 0; i < from->vertices.count; i++)
        list[i] = vertices[i];
    *count = from->vertices.count;
    if (from->group) {
        *count = list_group(object, from->group, list);
        if (*count == 0)
            fm_fail(err, FM_BAD_VALUE, from->body, "group", from->group,
                    "a group of its mesh, or top, bottom, left, right, corners of a sheet");
    } else if (*count == 0 && mesh.point_count == 1) {
        list[0] = 0;
        *count = 1;
    } else if (*count == 0) {
        fm_fail(err, FM_BAD_VALUE, from->body, "group", "missing", "a group or vertices");
    }
    for (int i = 0; i < *count && err->status == FM_OK; i++) {
        char allowed[48];
        snprintf(allowed, sizeof allowed, "0 to %d, its points", mesh.point_count - 1);
        if (list[i] >= mesh.point_count)
            fm_fail_number(err, from->body, "vertices", list[i], allowed);
    }
    if (from->skip >= *count && err->status == FM_OK)
        fm_fail_number(err, from->body, "skip", from->skip, "less than the number of points");
    *count = thin_list(list, *count, from->skip, from->every);
    if (err->status == FM_OK)
        return list;
    free(list);
    return NULL;
}

// Control points of the strands: strand s has those from starts[s] to starts[s + 1] - 1.
typedef struct polylines {
    fm_vec3 *points;
    int *starts;
    int strand_count;
} polylines;

// Allocates control points for all strands.
static bool create_polylines(polylines *p, int strands, int points, fm_error *err)
{
    p->points = malloc(((size_t)points + 1) * sizeof *p->points);
    p->starts = calloc((size_t)strands + 1, sizeof *p->starts);
    p->strand_count = strands;
    return (p->points && p->starts) ||
           fm_fail_no_memory(err, "scene", (size_t)points * sizeof *p->points);
}

// Control points of strands that are given as polylines.
static bool place_strands(const fm_scene_line *line, polylines *p, fm_error *err)
{
    const fm_scene_strand *strands = line->strands.data;
    int points = 0;
    for (int s = 0; s < line->strands.count; s++)
        points += 2 + strands[s].via.count;
    if (!create_polylines(p, line->strands.count, points, err))
        return false;
    int next = 0;
    for (int s = 0; s < line->strands.count; s++) {
        const fm_scene_via *via = strands[s].via.data;
        p->points[next++] = strands[s].from;
        for (int i = 0; i < strands[s].via.count; i++)
            p->points[next++] = via[i].at;
        p->points[next++] = strands[s].to;
        p->starts[s + 1] = next;
    }
    return true;
}

// Position of a point of a body.
static fm_vec3 find_position(fm_world *world, const char *body, int point, fm_error *err)
{
    fm_mesh_view mesh;
    fm_object *object = fm_world_find_object(world, body);
    return fm_object_mesh(object, &mesh, err) ? mesh.points[point] : (fm_vec3){0};
}

// Control points of a fan: each strand runs from a point of a body to the common point.
static bool place_fan(const fm_scene_line *line, fm_world *world, polylines *p, fm_error *err)
{
    int count, *list = fm_scene_list_body_points(world, &line->fan.from, &count, err);
    bool good = list && create_polylines(p, count, 2 * count, err);
    for (int s = 0; s < count && good; s++) {
        p->points[2 * s] = find_position(world, line->fan.from.body, list[s], err);
        p->points[2 * s + 1] = line->fan.to;
        p->starts[s + 1] = 2 * s + 2;
    }
    free(list);
    return good;
}

// A random vector in the unit ball.
static fm_vec3 choose_vector(fm_rng *rng)
{
    for (;;) {
        double x = 2 * fm_rng_uniform(rng) - 1, y = 2 * fm_rng_uniform(rng) - 1;
        fm_vec3 v = {x, y, 2 * fm_rng_uniform(rng) - 1};
        if (fm_dot(v, v) <= 1)
            return v;
    }
}

// A vector scaled to the length 1.
static fm_vec3 unit(fm_vec3 v)
{
    return fm_scale(v, 1 / fmax(fm_length(v), 1e-100));
}

// The point of the unit ball that the map to the ellipsoid takes to x.
static fm_vec3 map_to_ball(const fm_scene_hair *hair, fm_vec3 x)
{
    fm_vec3 d = fm_sub(x, hair->centre), half = hair->half_size;
    return (fm_vec3){d.x / half.x, d.y / half.y, d.z / half.z};
}

// The unit normal of the ellipsoid through x with the same shape.
static fm_vec3 find_normal(const fm_scene_hair *hair, fm_vec3 x)
{
    fm_vec3 d = map_to_ball(hair, x), half = hair->half_size;
    return unit((fm_vec3){d.x / half.x, d.y / half.y, d.z / half.z});
}

// The root of strand s: on a Fibonacci spiral around the axis, displaced at random by a fraction of
// the distance between roots.
static fm_vec3 choose_root(const fm_scene_hair *hair, int s, fm_rng *rng)
{
    fm_vec3 axis = unit(hair->axis), side = fm_vec3_find_perpendicular(axis);
    double share = (s + 0.2 + 0.6 * fm_rng_uniform(rng)) / hair->count;
    double height = 1 - share * (1 - cos(hair->angle));
    double around = s * 2.399963229728653 + 0.2 * (fm_rng_uniform(rng) - 0.5);
    double wide = sqrt(fmax(0, 1 - height * height));
    fm_vec3 way = fm_add_scaled(fm_scale(axis, height), side, wide * cos(around));
    way = fm_add_scaled(way, fm_cross(axis, side), wide * sin(around));
    return fm_add(hair->centre, (fm_vec3){way.x * hair->half_size.x, way.y * hair->half_size.y,
                                          way.z * hair->half_size.z});
}

// Writes the points of strand s. It leaves the ellipsoid along its normal and turns to the combing
// direction; where that direction leads into the ellipsoid, it follows the surface.
static void place_hair_strand(const fm_scene_hair *hair, int segments, int s, fm_rng *rng,
                              fm_vec3 *points)
{
    fm_vec3 at = choose_root(hair, s, rng), normal = find_normal(hair, at);
    double length = hair->length * (1 + hair->scatter * (2 * fm_rng_uniform(rng) - 1));
    bool combed = fm_dot(hair->comb, hair->comb) > 0;
    fm_vec3 tip = combed ? unit(hair->comb) : normal;
    tip = unit(fm_add_scaled(tip, choose_vector(rng), 2 * hair->scatter));
    double step = length / segments;
    points[0] = at;
    for (int k = 1; k <= segments; k++) {
        double far = fmin(1, (k - 1) * step / hair->turn), turned = far * far * (3 - 2 * far);
        fm_vec3 out = find_normal(hair, at);
        fm_vec3 way = unit(fm_add_scaled(fm_scale(out, 1 - turned), tip, turned + 1e-6));
        double inward = -fm_dot(way, out), near = fm_length(map_to_ball(hair, at)) - 1;
        if (inward > 0 && near < 0.25)
            way = unit(fm_add_scaled(way, out, inward * (1.1 - near / 0.25)));
        at = fm_add_scaled(at, way, step);
        points[k] = at;
    }
}

// Control points of hair: all points of each strand.
static bool place_hair(const fm_scene_line *line, polylines *p, fm_error *err)
{
    const fm_scene_hair *hair = &line->hair;
    int n = line->segments + 1;
    fm_rng rng = {(uint64_t)hair->seed};
    if (!create_polylines(p, hair->count, hair->count * n, err))
        return false;
    for (int s = 0; s < hair->count; s++) {
        place_hair_strand(hair, line->segments, s, &rng, p->points + (size_t)s * (size_t)n);
        p->starts[s + 1] = (s + 1) * n;
    }
    return true;
}

// Moves the tied ends of strands to the points that they are tied to.
static void move_tied_ends(const fm_scene_line *line, fm_world *world, polylines *p, fm_error *err)
{
    const fm_scene_tie *ties = line->ties.data;
    for (int t = 0; t < line->ties.count && err->status == FM_OK; t++) {
        int count, *list = fm_scene_list_body_points(world, &ties[t].to, &count, err), next = 0;
        for (int k = 0; k < 2 * p->strand_count && list && count > 0; k++) {
            int s = k / 2, last = k % 2;
            if (ties[t].end != FM_SCENE_END_BOTH && ties[t].end != last)
                continue;
            int point = list[count == 1 ? 0 : next++ % count];
            p->points[last ? p->starts[s + 1] - 1 : p->starts[s]] =
                find_position(world, ties[t].to.body, point, err);
        }
        free(list);
    }
}

// Writes segments + 1 points at equal distances along the polyline of strand s.
static void sample_polyline(const polylines *p, int s, int segments, fm_vec3 *out)
{
    const fm_vec3 *points = p->points + p->starts[s];
    int count = p->starts[s + 1] - p->starts[s], corner = 0;
    double total = 0, before = 0;
    for (int i = 1; i < count; i++)
        total += fm_length(fm_sub(points[i], points[i - 1]));
    for (int k = 0; k < segments; k++) {
        double at = total * k / segments;
        double edge = fm_length(fm_sub(points[corner + 1], points[corner]));
        while (corner < count - 2 && before + edge <= at) {
            before += edge;
            corner++;
            edge = fm_length(fm_sub(points[corner + 1], points[corner]));
        }
        fm_vec3 way = fm_sub(points[corner + 1], points[corner]);
        out[k] = fm_add_scaled(points[corner], way, (at - before) / fmax(edge, 1e-100));
    }
    out[segments] = points[count - 1];
}

// Allocates the points of all strands.
static bool create_arrays(fm_scene_strands *out, int strands, int points, fm_error *err)
{
    size_t n = (size_t)points + 1;
    out->positions = malloc(n * sizeof *out->positions);
    out->points = malloc(n * sizeof *out->points);
    out->starts = malloc(((size_t)strands + 1) * sizeof *out->starts);
    out->lengths = malloc(((size_t)strands + 1) * sizeof *out->lengths);
    out->strand_count = strands;
    return (out->positions && out->points && out->starts && out->lengths) ||
           fm_fail_no_memory(err, "scene", n * sizeof *out->positions);
}

// Numbers the points of all strands; the strands of a fan share their last point.
static bool sample_strands(const fm_scene_line *line, const polylines *p, fm_scene_strands *out,
                           fm_error *err)
{
    int n = line->segments + 1, strands = p->strand_count;
    bool fan = line->shape == FM_SCENE_LINE_FAN, hair = line->shape == FM_SCENE_LINE_HAIR;
    if ((double)strands * n > 16777216)
        return fm_fail_number(err, "line", "segments", line->segments,
                              "at most 16777216 points in all strands");
    if (!create_arrays(out, strands, strands * n, err))
        return false;
    for (int s = 0; s < strands; s++) {
        fm_vec3 *at = out->positions + out->point_count;
        if (hair)
            memcpy(at, p->points + p->starts[s], (size_t)n * sizeof *at);
        else
            sample_polyline(p, s, line->segments, at);
        double length = 0;
        for (int k = 1; k < n; k++)
            length += fm_length(fm_sub(at[k], at[k - 1]));
        bool given = fan && line->fan.length > 0;
        out->lengths[s] = given ? line->fan.length : length * line->slack;
        out->starts[s] = s * n;
        for (int k = 0; k < n; k++)
            out->points[s * n + k] = out->point_count + k;
        out->point_count += n;
        if (fan && s > 0) { // ends in the last point of strand 0
            out->points[s * n + n - 1] = line->segments;
            out->point_count--;
        }
    }
    out->starts[strands] = strands * n;
    return true;
}

// Creates the points of all strands of a line.
bool fm_scene_strands_create(const fm_scene_line *line, fm_world *world, fm_scene_strands *out,
                             fm_error *err)
{
    polylines p = {0};
    bool good = false;
    *out = (fm_scene_strands){0};
    switch ((fm_scene_line_shape)line->shape) {
    case FM_SCENE_LINE_STRANDS:
        good = place_strands(line, &p, err);
        break;
    case FM_SCENE_LINE_FAN:
        good = place_fan(line, world, &p, err);
        break;
    case FM_SCENE_LINE_HAIR:
        good = place_hair(line, &p, err);
        break;
    }
    if (good)
        move_tied_ends(line, world, &p, err);
    good = good && err->status == FM_OK && sample_strands(line, &p, out, err);
    free(p.points);
    free(p.starts);
    return good;
}

void fm_scene_strands_destroy(fm_scene_strands *strands)
{
    free(strands->positions);
    free(strands->points);
    free(strands->starts);
    free(strands->lengths);
}
