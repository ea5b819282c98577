// SPDX-License-Identifier: MIT
// frame.c: copies the points, lines, faces and fields of an object into a surface in float.
#include "io/io.h"

#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\n,"; // separate field names

// The field of the object with the given name, of `length` characters; NULL: none.
static const fm_field *find_field(const fm_object *object, const char *name, size_t length)
{
    int count;
    const fm_field *fields = fm_object_fields(object, &count);
    for (int i = 0; i < count; i++)
        if (strlen(fields[i].name) == length && strncmp(fields[i].name, name, length) == 0)
            return fm_object_has_field(object, fields[i].name) ? &fields[i] : NULL;
    return NULL;
}

// Appends to `fields` the fields in `names` that the object has and that are not yet listed, and
// returns the new count. "position" is left out, because a surface stores positions as points.
static int add_fields(const fm_object *object, const char *names, fm_surface_field *fields,
                      int count, fm_error *err)
{
    for (const char *at = names; at && *at;) {
        at += strspn(at, blanks);
        size_t length = strcspn(at, blanks);
        const fm_field *field = find_field(object, at, length);
        bool wanted = field && strcmp(field->name, "position") != 0;
        for (int i = 0; i < count && wanted; i++)
            wanted = strcmp(fields[i].name, field->name) != 0;
        if (wanted && count == FM_SURFACE_FIELDS_MAX) {
            fm_fail(err, FM_BAD_VALUE, fm_object_name(object), "fields", field->name,
                    "at most 16 of them");
            return count;
        }
        if (wanted) {
            snprintf(fields[count].name, sizeof fields->name, "%s", field->name);
            fields[count++].components = field->components;
        }
        at += length;
    }
    return count;
}

// Fails if one of the names, separated by blanks, is a field of no object in the world.
bool fm_frame_check_fields(fm_world *world, const char *names, fm_error *err)
{
    for (const char *at = names; at && *at && err->status == FM_OK;) {
        at += strspn(at, blanks);
        size_t length = strcspn(at, blanks);
        bool exists = length == 0;
        for (int i = 0; i < fm_world_object_count(world) && !exists; i++)
            exists = find_field(fm_world_object(world, i), at, length) != NULL;
        if (!exists) {
            char name[48];
            snprintf(name, sizeof name, "%.*s", (int)(length < 47 ? length : 47), at);
            fm_fail(err, FM_BAD_VALUE, "run", "fields", name, "fields of the world's objects");
        }
        at += length;
    }
    return err->status == FM_OK;
}

// Copies the values of the surface's fields from the object, converted to float.
static void read_field_values(fm_surface *surface, fm_object *object, fm_error *err)
{
    size_t count = (size_t)surface->point_count;
    double *values = malloc((3 * count + 1) * sizeof *values);
    if (!values)
        fm_fail_no_memory(err, surface->name, 3 * count * sizeof *values);
    for (int f = 0; values && f < surface->field_count && err->status == FM_OK; f++) {
        fm_surface_field *field = &surface->fields[f];
        fm_object_read_field(object, field->name, values, err);
        for (size_t i = 0; i < count * (size_t)field->components; i++)
            field->values[i] = (float)values[i];
    }
    free(values);
}

// Copies the current state of an object into a surface. fields: names to include besides those that
// its kind (cloth, particles, ball) needs; NULL: the usual ones.
fm_surface *fm_frame_create(fm_object *object, const char *fields, fm_error *err)
{
    fm_mesh_view mesh;
    if (!fm_object_mesh(object, &mesh, err))
        return NULL;
    fm_surface_field list[FM_SURFACE_FIELDS_MAX] = {0};
    const char *requested = fields ? fields : fm_object_usual_fields(object);
    int count = add_fields(object, fm_object_needed_fields(object), list, 0, err);
    count = add_fields(object, requested, list, count, err);
    fm_surface *surface =
        fm_surface_create_from_mesh(fm_object_name(object), &mesh, list, count, err);
    if (!surface)
        return NULL;
    snprintf(surface->kind, sizeof surface->kind, "%s", fm_object_kind(object));
    surface->time = fm_world_time(fm_object_world(object));
    read_field_values(surface, object, err);
    if (err->status == FM_OK)
        return surface;
    fm_surface_destroy(surface);
    return NULL;
}
