// SPDX-License-Identifier: MIT
// pins.c: pinned particles, which follow prescribed motions.
#include "cloth/cloth.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool fm_cloth_is_pinned(const fm_cloth *cloth, int particle, double t)
{
    int group = cloth->pin[particle];
    return group != FM_UNPINNED && t < cloth->groups[group].release;
}

int fm_cloth_pinned_count(const fm_cloth *cloth)
{
    return cloth->pinned_count;
}

// Starts a new pin group, which the following pin_particle calls add to.
static bool add_group(fm_cloth *c, const fm_motion *motion, fm_error *err)
{
    if (err->status != FM_OK)
        return false;
    if (c->started)
        return fm_fail_number(err, c->object.name, "pins", c->time,
                              "made before the first advance");
    if (c->group_count == FM_PIN_GROUPS_MAX)
        return fm_fail_number(err, c->object.name, "pins", c->group_count + 1,
                              "at most 256 groups");
    c->groups[c->group_count++] = (fm_pin_group){.motion = motion, .release = INFINITY};
    return true;
}

// Adds a particle to the newest pin group, anchored at its present position.
static void pin_particle(fm_cloth *c, int particle)
{
    c->pin[particle] = c->group_count - 1;
    c->anchor.x[particle] = c->x.x[particle];
    c->anchor.y[particle] = c->x.y[particle];
    c->anchor.z[particle] = c->x.z[particle];
}

// Lists all pinned particles by rising index in c->pinned.
static void list_pins(fm_cloth *c)
{
    c->pinned_count = 0;
    for (int i = 0; i < c->count; i++) {
        if (c->pin[i] != FM_UNPINNED)
            c->pinned[c->pinned_count++] = i;
    }
}

// Checks that the cloth has the row, column, edge or corner that is to be pinned: a mesh has none
// of them. what: name of the feature for the error message; on_tube: whether a tube has it. Returns
// false, with the alternatives in err, if the cloth does not have it.
static bool check_grid_feature(const fm_cloth *c, const char *what, bool on_tube, fm_error *err)
{
    if (err->status != FM_OK) // after an earlier error the cloth may be NULL
        return false;
    if (c->kind == FM_CLOTH_MESH || c->kind == FM_CLOTH_LINE)
        return fm_fail(err, FM_BAD_VALUE, c->object.name, what, c->line ? "of a line" : "of a mesh",
                       "lists of particles, shapes");
    return on_tube || fm_fail(err, FM_BAD_VALUE, c->object.name, what, "of a tube",
                              "its top, bottom, rows and columns");
}

// Pins the particles of a row of a sheet or tube.
bool fm_cloth_pin_row(fm_cloth *cloth, int row, const fm_motion *motion, fm_error *err)
{
    assert(err->status != FM_OK || cloth);
    if (!check_grid_feature(cloth, "pin row", true, err))
        return false;
    if (row < 0 || row >= cloth->rows)
        return fm_fail_number(err, cloth->object.name, "pin row", row, "0 to rows - 1");
    if (!add_group(cloth, motion, err))
        return false;
    for (int c = 0; c < cloth->columns; c++)
        pin_particle(cloth, row * cloth->columns + c);
    list_pins(cloth);
    return true;
}

// Pins the particles of a column of a sheet or tube.
bool fm_cloth_pin_column(fm_cloth *cloth, int column, const fm_motion *motion, fm_error *err)
{
    assert(err->status != FM_OK || cloth);
    if (!check_grid_feature(cloth, "pin column", true, err))
        return false;
    if (column < 0 || column >= cloth->columns)
        return fm_fail_number(err, cloth->object.name, "pin column", column, "0 to columns - 1");
    if (!add_group(cloth, motion, err))
        return false;
    for (int r = 0; r < cloth->rows; r++)
        pin_particle(cloth, r * cloth->columns + column);
    list_pins(cloth);
    return true;
}

// Pins the particles of an edge of a sheet, or of the top or bottom edge of a tube.
bool fm_cloth_pin_edge(fm_cloth *cloth, fm_edge edge, const fm_motion *motion, fm_error *err)
{
    assert(err->status != FM_OK || cloth);
    bool tube = err->status == FM_OK && cloth->kind == FM_CLOTH_TUBE;
    if (!check_grid_feature(cloth, "pin edge",
                            !tube || edge == FM_EDGE_TOP || edge == FM_EDGE_BOTTOM, err))
        return false;
    switch (edge) {
    case FM_EDGE_TOP:
        return fm_cloth_pin_row(cloth, 0, motion, err);
    case FM_EDGE_BOTTOM:
        return fm_cloth_pin_row(cloth, cloth->rows - 1, motion, err);
    case FM_EDGE_LEFT:
        return fm_cloth_pin_column(cloth, 0, motion, err);
    case FM_EDGE_RIGHT:
        return fm_cloth_pin_column(cloth, cloth->columns - 1, motion, err);
    }
    return fm_fail_number(err, cloth->object.name, "pin edge", edge, "an fm_edge");
}

// Pins the particle at a corner of a sheet.
bool fm_cloth_pin_corner(fm_cloth *cloth, fm_corner corner, const fm_motion *motion, fm_error *err)
{
    assert(err->status != FM_OK || cloth);
    bool tube = err->status == FM_OK && cloth->kind == FM_CLOTH_TUBE;
    if (!check_grid_feature(cloth, "pin corner", !tube, err))
        return false;
    int last = cloth->count - 1, right = cloth->columns - 1;
    int particle[] = {0, right, last - right, last}; // in the order of fm_corner
    if (corner > FM_CORNER_BOTTOM_RIGHT)
        return fm_fail_number(err, cloth->object.name, "pin corner", corner, "an fm_corner");
    return fm_cloth_pin_list(cloth, &particle[corner], 1, motion, err);
}

// Pins the listed particles as one group.
bool fm_cloth_pin_list(fm_cloth *cloth, const int *particles, int count, const fm_motion *motion,
                       fm_error *err)
{
    assert(err->status != FM_OK || cloth);
    if (err->status == FM_OK && count < 1)
        return fm_fail_number(err, cloth->object.name, "pin count", count, "1 or more");
    for (int i = 0; i < count && err->status == FM_OK; i++) {
        if (particles[i] < 0 || particles[i] >= cloth->count)
            return fm_fail_number(err, cloth->object.name, "pin particle", particles[i],
                                  "0 to the number of particles - 1");
    }
    if (!add_group(cloth, motion, err))
        return false;
    for (int i = 0; i < count; i++)
        pin_particle(cloth, particles[i]);
    list_pins(cloth);
    return true;
}

// The lowest input vertex of a particle, for messages.
static int find_vertex(const fm_cloth *c, int particle)
{
    int count, vertex = 0;
    const int *particles = fm_cloth_vertices(c, &count);
    if (!particles)
        return particle;
    while (particles[vertex] != particle)
        vertex++;
    return vertex;
}

// Fills err for a region without particles. nearest: the particle nearest to the region; distance:
// its distance, m.
static void fail_empty_region(const fm_cloth *c, int nearest, double distance, fm_error *err)
{
    char allowed[sizeof err->allowed];
    snprintf(allowed, sizeof allowed, "one with some: the nearest, %s %d, is %.4g m away",
             c->kind == FM_CLOTH_MESH ? "vertex" : "particle", find_vertex(c, nearest), distance);
    fm_fail(err, FM_BAD_VALUE, c->object.name, "within", "a region without particles of this cloth",
            allowed);
}

// Lists the particles inside a shape now and returns how many. An empty region is an error that
// names the nearest particle.
int fm_cloth_find_within(const fm_cloth *cloth, const fm_shape *shape, int *list, fm_error *err)
{
    assert(err->status != FM_OK || (cloth && shape));
    fm_shape checked = *shape;
    int count = 0, nearest = 0;
    double least = INFINITY; // m
    if (err->status != FM_OK || !fm_shape_check(&checked, cloth->object.name, err))
        return 0;
    for (int i = 0; i < cloth->count; i++) {
        fm_vec3 x = {cloth->x.x[i], cloth->x.y[i], cloth->x.z[i]};
        double distance = fm_shape_find_contact(&checked, x).distance;
        if (distance <= 0)
            list[count++] = i;
        if (distance < least)
            nearest = i, least = distance;
    }
    if (count == 0)
        fail_empty_region(cloth, nearest, least, err);
    return count;
}

// Pins the particles inside a shape now. An empty region is an error.
bool fm_cloth_pin_within(fm_cloth *cloth, const fm_shape *shape, const fm_motion *motion,
                         fm_error *err)
{
    assert(err->status != FM_OK || (cloth && shape));
    if (err->status != FM_OK)
        return false;
    int *list = malloc((size_t)cloth->count * sizeof *list);
    if (!list)
        return fm_fail_no_memory(err, cloth->object.name, (size_t)cloth->count * sizeof *list);
    int count = fm_cloth_find_within(cloth, shape, list, err);
    if (err->status == FM_OK)
        fm_cloth_pin_list(cloth, list, count, motion, err);
    free(list);
    return err->status == FM_OK;
}

// Releases the pins of the newest group at `time`, s.
bool fm_cloth_release_at(fm_cloth *cloth, double time, fm_error *err)
{
    assert(err->status != FM_OK || cloth);
    if (err->status != FM_OK)
        return false;
    if (cloth->group_count == 0)
        return fm_fail_number(err, cloth->object.name, "release", time, "after a pin was made");
    if (!(time >= 0))
        return fm_fail_number(err, cloth->object.name, "release", time, "0 seconds or later");
    cloth->groups[cloth->group_count - 1].release = time;
    return true;
}

// Index in the sorted list `pinned` of the first particle that is not below `particle`, by binary
// search.
int fm_cloth_find_first_pin(const fm_cloth *cloth, int particle)
{
    int low = 0, high = cloth->pinned_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (cloth->pinned[middle] < particle)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool fm_substep_is_pinned(const fm_substep *s, int particle)
{
    return fm_cloth_is_pinned(s->cloth, particle, s->end);
}

// Moves the pinned particles in [first, last) to their positions at the end of the substep.
void fm_substep_set_pinned_positions(fm_substep *s, const fm_vec3_array *x, int first, int last)
{
    const fm_cloth *c = s->cloth;
    for (int p = fm_cloth_find_first_pin(c, first); p < c->pinned_count && c->pinned[p] < last;
         p++) {
        int i = c->pinned[p];
        if (!fm_substep_is_pinned(s, i))
            continue;
        fm_vec3 at = fm_pose_apply(&s->poses[c->pin[i]],
                                   (fm_vec3){c->anchor.x[i], c->anchor.y[i], c->anchor.z[i]});
        x->x[i] = at.x, x->y[i] = at.y, x->z[i] = at.z;
    }
}

// Gives the pinned particles in [first, last), at positions x, the velocities of their motions at
// the end of the substep.
void fm_substep_set_pinned_velocities(fm_substep *s, const fm_vec3_array *x, const fm_vec3_array *v,
                                      int first, int last)
{
    const fm_cloth *c = s->cloth;
    for (int p = fm_cloth_find_first_pin(c, first); p < c->pinned_count && c->pinned[p] < last;
         p++) {
        int i = c->pinned[p];
        if (!fm_substep_is_pinned(s, i))
            continue;
        fm_vec3 u = fm_pose_velocity_at(&s->poses[c->pin[i]], (fm_vec3){x->x[i], x->y[i], x->z[i]});
        v->x[i] = u.x, v->y[i] = u.y, v->z[i] = u.z;
    }
}

// Sets the accelerations a of the pinned particles in [first, last) to 0.
void fm_substep_zero_pinned(fm_substep *s, const fm_vec3_array *a, int first, int last)
{
    const fm_cloth *c = s->cloth;
    for (int p = fm_cloth_find_first_pin(c, first); p < c->pinned_count && c->pinned[p] < last;
         p++) {
        int i = c->pinned[p];
        if (fm_substep_is_pinned(s, i))
            a->x[i] = a->y[i] = a->z[i] = 0;
    }
}

// Stores the relative velocities v - w of the pinned particles in [first, last) in pinned_u, so
// that their change in the substep can be computed afterwards.
void fm_substep_store_pinned_velocities(fm_substep *s, int first, int last)
{
    const fm_cloth *c = s->cloth;
    for (int p = fm_cloth_find_first_pin(c, first); p < c->pinned_count && c->pinned[p] < last;
         p++) {
        int i = c->pinned[p];
        c->pinned_u[p] =
            (fm_vec3){c->v.x[i] - c->w.x[i], c->v.y[i] - c->w.y[i], c->v.z[i] - c->w.z[i]};
    }
}

// Writes the positions of the pinned particles at time t into x, outside of any substep.
void fm_cloth_place_pins(const fm_cloth *c, double t, const fm_vec3_array *x)
{
    for (int p = 0; p < c->pinned_count; p++) {
        int i = c->pinned[p];
        if (!fm_cloth_is_pinned(c, i, t))
            continue;
        fm_pose pose = fm_motion_pose(c->groups[c->pin[i]].motion, t);
        fm_vec3 at =
            fm_pose_apply(&pose, (fm_vec3){c->anchor.x[i], c->anchor.y[i], c->anchor.z[i]});
        x->x[i] = at.x, x->y[i] = at.y, x->z[i] = at.z;
    }
}
