// SPDX-License-Identifier: MIT
// points.c: fluids and free colliders as points with fields. The field `radius` says how large a
// point is drawn.
#include "io/io.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

static fm_collider *find_free(fm_world *world, int index)
{
    for (int i = 0; i < world->collider_count; i++)
        if (world->colliders[i]->mass > 0 && index-- == 0)
            return world->colliders[i];
    return NULL;
}

int fm_points_count(const fm_world *world)
{
    int count = world->fluid_count;
    for (int i = 0; i < world->collider_count; i++)
        count += world->colliders[i]->mass > 0;
    return count;
}

const char *fm_points_name(fm_world *world, int index)
{
    if (index < world->fluid_count)
        return fm_particles_name(world->fluids[index]);
    const fm_collider *collider = find_free(world, index - world->fluid_count);
    return collider && collider->name[0] ? collider->name : "ball";
}

static void set_vector(float *to, fm_vec3 v)
{
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
}

static fm_surface *frame_collider(const char *name, const fm_collider *c, fm_error *err)
{
    static const fm_surface_field fields[3] = {
        {"velocity", 3, NULL}, {"spin", 3, NULL}, {"radius", 1, NULL}};
    fm_surface *surface = fm_surface_create(name, 1, 0, 0, fields, 3, err);
    if (!surface)
        return NULL;
    set_vector(surface->points, c->centre);
    set_vector(surface->fields[0].values, c->velocity);
    set_vector(surface->fields[1].values, c->spin);
    surface->fields[2].values[0] = (float)c->shape.radius;
    return surface;
}

static fm_surface *frame_fluid(fm_particles *fluid, fm_error *err)
{
    static const fm_surface_field fields[5] = {{"velocity", 3, NULL},
                                               {"density", 1, NULL},
                                               {"pressure", 1, NULL},
                                               {"id", 1, NULL},
                                               {"radius", 1, NULL}};
    size_t count = (size_t)fm_particles_count(fluid);
    fm_surface *surface =
        fm_surface_create(fm_particles_name(fluid), (int)count, 0, 0, fields, 5, err);
    double *values = malloc((3 * count + 1) * sizeof *values);
    if (!values)
        fm_fail_no_memory(err, "frame", 3 * count * sizeof *values);
    if (surface && values && fm_particles_read_field(fluid, "position", values, err))
        for (size_t i = 0; i < 3 * count; i++)
            surface->points[i] = (float)values[i];
    for (int f = 0; surface && values && f < 4 && err->status == FM_OK; f++) {
        fm_surface_field *field = &surface->fields[f];
        fm_particles_read_field(fluid, field->name, values, err);
        for (size_t i = 0; i < count * (size_t)field->components; i++)
            field->values[i] = (float)values[i];
    }
    float radius = (float)(fm_particles_definition(fluid).spacing / 2);
    for (size_t i = 0; surface && i < count; i++)
        surface->fields[4].values[i] = radius;
    free(values);
    if (err->status == FM_OK)
        return surface;
    fm_surface_destroy(surface);
    return NULL;
}

fm_surface *fm_points_frame(fm_world *world, int index, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    const char *name = fm_points_name(world, index);
    fm_surface *surface =
        index < world->fluid_count
            ? frame_fluid(world->fluids[index], err)
            : frame_collider(name, find_free(world, index - world->fluid_count), err);
    if (surface)
        surface->time = fm_world_time(world);
    return surface;
}
