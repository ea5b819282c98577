// SPDX-License-Identifier: MIT
// vertex_groups.c: named groups of vertices of a mesh, such as its rim.
#include "cloth/cloth.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Checks name and vertices of a new group.
static bool check_group(const fm_cloth *c, const char *name, const int *vertices, int count,
                        fm_error *err)
{
    int vertex_count;
    fm_cloth_vertices(c, &vertex_count);
    if (c->vertex_group_count == FM_VERTEX_GROUPS_MAX)
        return fm_fail_number(err, c->object.name, "groups", c->vertex_group_count + 1,
                              "at most 64");
    if (strlen(name) >= FM_VERTEX_GROUP_NAME_SIZE)
        return fm_fail(err, FM_BAD_VALUE, c->object.name, "group", name, "at most 47 bytes");
    for (int i = 0; i < count; i++) {
        if (vertices[i] < 0 || vertices[i] >= vertex_count)
            return fm_fail_number(err, c->object.name, name, vertices[i],
                                  "0 to the number of vertices - 1");
    }
    return true;
}

// Adds a named group of vertices, which are copied.
bool fm_cloth_add_group(fm_cloth *c, const char *name, const int *vertices, int count,
                        fm_error *err)
{
    assert(err->status != FM_OK || (c && name && vertices));
    if (err->status != FM_OK || !check_group(c, name, vertices, count, err))
        return false;
    fm_vertex_group *group = &c->vertex_groups[c->vertex_group_count];
    size_t size = (size_t)count * sizeof *vertices;
    group->vertices =
        fm_arena_alloc(&c->arena, (size_t)count + 1, sizeof *vertices, c->object.name, err);
    if (!group->vertices)
        return false;
    memcpy(group->vertices, vertices, size);
    snprintf(group->name, sizeof group->name, "%s", name);
    group->count = count;
    c->vertex_group_count++;
    return true;
}

// The vertices of a group and their number; NULL: no such group.
const int *fm_cloth_group(const fm_cloth *c, const char *name, int *count)
{
    assert(c && name && count);
    *count = 0;
    for (int i = 0; i < c->vertex_group_count; i++) {
        if (strcmp(c->vertex_groups[i].name, name) == 0) {
            *count = c->vertex_groups[i].count;
            return c->vertex_groups[i].vertices;
        }
    }
    return NULL;
}

// Appends the names of the groups to a text.
static void list_groups(const fm_cloth *c, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s",
                                   c->vertex_group_count ? "one of" : "none: it has no groups");
    for (int i = 0; i < c->vertex_group_count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s %s", i ? "," : "",
                                 c->vertex_groups[i].name);
}

// Pins the particles of a group of vertices to a motion.
bool fm_cloth_pin_group(fm_cloth *c, const char *name, const fm_motion *motion, fm_error *err)
{
    assert(err->status != FM_OK || (c && name));
    if (err->status != FM_OK)
        return false;
    char allowed[200];
    int count, vertex_count;
    const int *group = fm_cloth_group(c, name, &count);
    const int *particle = fm_cloth_vertices(c, &vertex_count);
    list_groups(c, allowed, sizeof allowed);
    if (!group)
        return fm_fail(err, FM_BAD_VALUE, c->object.name, "pin group", name, allowed);
    int *list = malloc((size_t)count * sizeof *list + 1);
    if (!list)
        return fm_fail_no_memory(err, c->object.name, (size_t)count * sizeof *list);
    for (int i = 0; i < count; i++)
        list[i] = particle ? particle[group[i]] : group[i];
    fm_cloth_pin_list(c, list, count, motion, err);
    free(list);
    return err->status == FM_OK;
}
