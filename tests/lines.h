// SPDX-License-Identifier: MIT
// lines.h: lines and loads used by several tests.
#ifndef FATHOM_TESTS_LINES_H
#define FATHOM_TESTS_LINES_H

#include "bodies.h"

// A line without damping, bending and drag, which resists compression.
static inline fm_line_def bare_line(void)
{
    fm_line_def def = fm_default_line_def();
    def.tension_only = false;
    def.bending = def.damping.coefficient = 0;
    def.drag.enabled = false;
    return def;
}

// A single strand through these points. length: at rest, m; 0: as placed.
static inline fm_cloth *create_strand(fm_world *world, const fm_line_def *def, const fm_vec3 *x,
                                      int count, double length, fm_error *err)
{
    int *points = malloc((size_t)count * sizeof *points), starts[2] = {0, count};
    for (int i = 0; i < count; i++)
        points[i] = i;
    fm_strands strands = {.positions = x,
                          .point_count = count,
                          .points = points,
                          .starts = starts,
                          .strand_count = 1,
                          .lengths = length > 0 ? &length : NULL};
    fm_cloth *line = fm_line_create(world, def, &strands, err);
    free(points);
    return line;
}

// A straight strand from one point to another.
static inline fm_cloth *create_straight(fm_world *world, const fm_line_def *def, fm_vec3 from,
                                        fm_vec3 to, int segments, double length)
{
    fm_error err = {0};
    fm_vec3 *x = malloc((size_t)(segments + 1) * sizeof *x);
    for (int i = 0; i <= segments; i++) {
        double s = (double)i / segments;
        x[i] = (fm_vec3){from.x + s * (to.x - from.x), from.y + s * (to.y - from.y),
                         from.z + s * (to.z - from.z)};
    }
    fm_cloth *line = create_strand(world, def, x, segments + 1, length, &err);
    assert_good(line, &err);
    free(x);
    return line;
}

static inline fm_cloth *create_load(fm_world *world, const fm_load_def *def)
{
    fm_error err = {0};
    fm_cloth *load = fm_load_create(world, def, &err);
    assert_good(load, &err);
    return load;
}

// Holds a point of a line or load where it is.
static inline void pin_point(fm_cloth *line, int point)
{
    fm_error err = {0};
    bool good = fm_cloth_pin_list(line, &point, 1, NULL, &err);
    assert_good(good, &err);
}

static inline void tie(fm_world *world, fm_cloth *one, int point, fm_cloth *other, int other_point)
{
    fm_error err = {0};
    bool good =
        fm_world_tie(world, fm_cloth_object(one), point, fm_cloth_object(other), other_point, &err);
    assert_good(good, &err);
}

#endif
