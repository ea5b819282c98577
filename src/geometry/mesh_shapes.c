// SPDX-License-Identifier: MIT
// mesh_shapes.c: checks the definition of a mesh that Fathom builds, and its groups of vertices.
#include "geometry/mesh_shape.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

fm_mesh_shape fm_default_mesh_shape(void)
{
    return (fm_mesh_shape){
        .kind = FM_MESH_DISC,
        .edge = 0.02,
        .triangulation = FM_TRIANGLES_REGULAR,
        .jitter = 0.2,
        .seed = 1,
        .rim = FM_RIM_FITTED,
        .radius = 0.5,
        .width = 1,
        .length = 1,
        .arm = 1.0 / 3,
        .gores = 16,
        .vent = 0,
        .cones = {{0.5, 0}},
        .cone_count = 1,
        .height = 0.1,
        .tube_radius = 0.1,
        .cells = {4, 1, 4},
        .level = 4,
    };
}

// Checks a length, m: above `low`, at most `high`.
static bool check_size(const char *field, double value, double low, double high, fm_error *err)
{
    char allowed[64];
    if (value > low && value <= high)
        return true;
    snprintf(allowed, sizeof allowed, "above %g and at most %g m", low, high);
    return fm_fail_number(err, "mesh", field, value, allowed);
}

// Checks the cones of a polyconical canopy.
static bool check_cones(const fm_mesh_shape *s, fm_error *err)
{
    char field[32];
    if (s->cone_count < 1 || s->cone_count > FM_CONES_MAX)
        return fm_fail_number(err, "mesh", "cones", s->cone_count, "1 to 8 cones");
    for (int i = 0; i < s->cone_count; i++) {
        snprintf(field, sizeof field, "cones[%d].length", i);
        if (!check_size(field, s->cones[i].length, 0, 1e3, err))
            return false;
        snprintf(field, sizeof field, "cones[%d].angle", i);
        if (!(s->cones[i].angle >= 0 && s->cones[i].angle < FM_PI / 2))
            return fm_fail_number(err, "mesh", field, s->cones[i].angle, "0 to less than pi/2 rad");
    }
    return true;
}

// m, radius of a canopy's rim.
static double find_rim_radius(const fm_mesh_shape *s)
{
    double radius = 0;
    if (s->kind == FM_MESH_HEMISPHERE)
        return s->radius;
    for (int i = 0; i < s->cone_count; i++)
        radius += s->cones[i].length * cos(s->cones[i].angle);
    return radius;
}

// Checks what only canopies have: gores, vent and cones.
static bool check_canopy(const fm_mesh_shape *s, fm_error *err)
{
    if (s->triangulation == FM_TRIANGLES_IRREGULAR)
        return fm_fail(err, FM_BAD_VALUE, "mesh", "triangulation", "irregular",
                       "regular: canopies have rings of vertices");
    if (s->kind == FM_MESH_POLYCONICAL && !check_cones(s, err))
        return false;
    if (s->gores < 3 || s->gores > 1000)
        return fm_fail_number(err, "mesh", "gores", s->gores, "3 to 1000");
    double rim = find_rim_radius(s);
    char allowed[64];
    snprintf(allowed, sizeof allowed, "0 (none) to 0.9 of the radius of the rim, %g m", 0.9 * rim);
    if (!(s->vent >= 0 && s->vent <= 0.9 * rim))
        return fm_fail_number(err, "mesh", "vent", s->vent, allowed);
    return true;
}

static bool check_slab(const fm_mesh_shape *s, fm_error *err)
{
    for (int k = 0; k < 3; k++) {
        if (s->cells[k] < 1 || s->cells[k] > 1000)
            return fm_fail_number(err, "mesh", "cells", s->cells[k], "1 to 1000");
    }
    return true;
}

static bool check_closed(const fm_mesh_shape *s, fm_error *err)
{
    bool flat = s->kind == FM_MESH_SLAB || s->kind == FM_MESH_CUSHION;
    if ((s->kind == FM_MESH_BALL || s->kind == FM_MESH_SLAB) && (s->level < 0 || s->level > 9))
        return fm_fail_number(err, "mesh", "level", s->level, "0 to 9");
    if (s->kind == FM_MESH_SLAB && !check_slab(s, err))
        return false;
    if (flat && (!check_size("width", s->width, 0, 1e3, err) ||
                 !check_size("height", s->height, 0, 1e3, err)))
        return false;
    if ((flat || s->kind == FM_MESH_TUBE) && !check_size("length", s->length, 0, 1e3, err))
        return false;
    if (!flat && !check_size("radius", s->radius, 0, 1e3, err))
        return false;
    if (s->kind == FM_MESH_TORUS &&
        !check_size("tube_radius", s->tube_radius, 0, 0.95 * s->radius, err))
        return false;
    double size = s->kind == FM_MESH_CUSHION ? fmin(s->width, s->length)
                  : s->kind == FM_MESH_TORUS ? s->tube_radius
                                             : s->radius;
    bool by_edge = s->kind >= FM_MESH_CUSHION;
    return !by_edge || (check_size("edge", s->edge, 0, size, err) &&
                        check_size("edge", s->edge, size / 2000, size, err));
}

// Checks the definition of a mesh.
static bool check_shape(const fm_mesh_shape *s, fm_error *err)
{
    if (s->kind > FM_MESH_TUBE)
        return fm_fail_number(err, "mesh", "kind", s->kind, "an fm_mesh_shape_kind");
    if (s->kind >= FM_MESH_BALL)
        return check_closed(s, err);
    double size = s->kind == FM_MESH_RECTANGLE ? fmin(s->width, s->length)
                  : s->kind == FM_MESH_CROSS   ? s->arm
                                               : s->radius;
    bool round = s->kind == FM_MESH_DISC || s->kind == FM_MESH_HEMISPHERE;
    if (round && !check_size("radius", s->radius, 0, 1e3, err))
        return false;
    if (s->kind == FM_MESH_RECTANGLE && (!check_size("width", s->width, 0, 1e3, err) ||
                                         !check_size("length", s->length, 0, 1e3, err)))
        return false;
    if (s->kind == FM_MESH_CROSS && (!check_size("width", s->width, 0, 1e3, err) ||
                                     !check_size("arm", s->arm, 0, s->width, err)))
        return false;
    if (s->kind >= FM_MESH_HEMISPHERE && !check_canopy(s, err))
        return false;
    if (s->kind == FM_MESH_POLYCONICAL)
        size = find_rim_radius(s);
    if (!check_size("edge", s->edge, 0, size, err))
        return false;
    double widest = fmax(fmax(s->width, s->length), s->radius) / s->edge;
    if (s->kind < FM_MESH_HEMISPHERE && widest * size / s->edge > FM_BUILT_VERTICES_MAX / 4.0)
        return fm_fail_number(err, "mesh", "edge", s->edge, "an edge for at most 1e6 vertices");
    if (!(s->jitter >= 0 && s->jitter <= 0.4))
        return fm_fail_number(err, "mesh", "jitter", s->jitter, "0 to 0.4 edges");
    if (s->seed < 0 || s->seed > 1000000000)
        return fm_fail_number(err, "mesh", "seed", s->seed, "0 to 1e9");
    return true;
}

// Checks a shape and builds its mesh.
bool fm_mesh_shape_build(const fm_mesh_shape *shape, fm_built_mesh *built, fm_error *err)
{
    assert(shape && built);
    *built = (fm_built_mesh){0};
    if (err->status != FM_OK || !check_shape(shape, err))
        return false;
    return shape->kind >= FM_MESH_BALL         ? fm_closed_mesh_build(shape, built, err)
           : shape->kind >= FM_MESH_HEMISPHERE ? fm_canopy_mesh_build(shape, built, err)
                                               : fm_planar_mesh_build(shape, built, err);
}

void fm_built_mesh_destroy(fm_built_mesh *built)
{
    for (int i = 0; i < built->group_count; i++)
        free(built->groups[i].vertices);
    built->group_count = 0;
    fm_mesh_data_destroy(&built->mesh);
}

// Finds a group by its name; NULL: none.
const fm_vertex_group *fm_built_mesh_group(const fm_built_mesh *built, const char *name)
{
    for (int i = 0; i < built->group_count; i++) {
        if (strcmp(built->groups[i].name, name) == 0)
            return &built->groups[i];
    }
    return NULL;
}

int *fm_built_mesh_add_group(fm_built_mesh *built, const char *name, int count, fm_error *err)
{
    assert(built->group_count < FM_VERTEX_GROUPS_MAX);
    fm_vertex_group *group = &built->groups[built->group_count];
    group->vertices = malloc(((size_t)count + 1) * sizeof *group->vertices);
    if (!group->vertices) {
        fm_fail_no_memory(err, "mesh", (size_t)count * sizeof *group->vertices);
        return NULL;
    }
    snprintf(group->name, sizeof group->name, "%s", name);
    group->count = count;
    built->group_count++;
    return group->vertices;
}
