// SPDX-License-Identifier: MIT
// probes.c: numbers that follow points of bodies: fields interpolated between four particles, or
// averaged over a body by mass.
#include "scene/scene.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_columns(fm_scene *scene, fm_loader *loader, const fm_scene_probe *probe,
                        const fm_field *field)
{
    static const char *const axes[] = {".x", ".y", ".z"};
    bool position = strcmp(field->name, "position") == 0;
    for (int i = 0; i < field->components; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s%s%s%s", probe->thing.name, position ? "" : ".",
                 position ? "" : field->name, field->components == 3 ? axes[i] : "");
        if (scene->columns)
            scene->columns[scene->column_count] = fm_loader_copy(loader, name, strlen(name));
        scene->column_count++;
    }
}

static void walk_columns(fm_scene *scene, fm_loader *loader)
{
    int count;
    const fm_field *fields = fm_cloth_fields(&count);
    const fm_scene_probe *probes = scene->probes.data;
    scene->column_count = 0;
    for (int i = 0; i < scene->probes.count; i++) {
        const int *measures = probes[i].measures.data;
        for (int m = 0; m < probes[i].measures.count; m++)
            add_columns(scene, loader, &probes[i], &fields[measures[m]]);
    }
}

void fm_scene_name_columns(fm_scene *scene, fm_loader *loader)
{
    walk_columns(scene, loader); // counts
    size_t count = (size_t)scene->column_count + 1;
    scene->columns = fm_loader_alloc(loader, count, sizeof *scene->columns);
    walk_columns(scene, loader);
}

int fm_scene_probe_column_count(const fm_scene *scene)
{
    assert(scene);
    return scene->column_count;
}

const char *fm_scene_probe_column(const fm_scene *scene, int index)
{
    assert(scene);
    return index >= 0 && index < scene->column_count ? scene->columns[index] : NULL;
}

// Fractions of a sheet, or of the way around a tube and down: four particles.
static void weigh_four(const double at[2], fm_cloth *cloth, double *weights)
{
    fm_sheet sheet = fm_cloth_sheet(cloth);
    fm_tube tube = fm_cloth_tube(cloth);
    bool round = fm_cloth_topology(cloth) == FM_CLOTH_TUBE;
    int columns = round ? tube.columns : sheet.columns, rows = round ? tube.rows : sheet.rows;
    int across = round ? columns : columns - 1;
    double u = at[0] * across, v = at[1] * (rows - 1);
    int column = (int)fmin(floor(u), across - 1), row = (int)fmin(floor(v), rows - 2);
    int right = column + 1 < columns ? 1 : 1 - columns;
    double a = u - column, b = v - row;
    int first = row * columns + column, below = first + columns;
    weights[first] = (1 - a) * (1 - b);
    weights[first + right] = a * (1 - b);
    weights[below] = (1 - a) * b;
    weights[below + right] = a * b;
}

// The weights of particles in a probe.
static void compute_weights(const fm_scene_probe *probe, fm_cloth *cloth, double *weights,
                            fm_error *err)
{
    int count = fm_cloth_particle_count(cloth);
    if (probe->at[0] < 0 && probe->particle < 0) {
        double mass = 0;
        fm_cloth_read_field(cloth, "mass", weights, err);
        for (int i = 0; i < count; i++)
            mass += weights[i];
        for (int i = 0; i < count; i++)
            weights[i] /= mass;
        return;
    }
    memset(weights, 0, (size_t)count * sizeof *weights);
    int vertex_count;
    const int *vertices = fm_cloth_vertices(cloth, &vertex_count);
    if (probe->particle >= 0)
        weights[vertices ? vertices[probe->particle] : probe->particle] = 1;
    else
        weigh_four(probe->at, cloth, weights);
}

// scratch has room for four values of each particle.
static double *read_probe(const fm_scene_probe *probe, fm_cloth *cloth, double *scratch,
                          double *values, fm_error *err)
{
    int field_count, count = fm_cloth_particle_count(cloth);
    const fm_field *fields = fm_cloth_fields(&field_count);
    const int *measures = probe->measures.data;
    double *weights = scratch, *field = scratch + count;
    compute_weights(probe, cloth, weights, err);
    for (int m = 0; m < probe->measures.count; m++) {
        int components = fields[measures[m]].components;
        if (!fm_cloth_read_field(cloth, fields[measures[m]].name, field, err))
            return values;
        for (int k = 0; k < components; k++) {
            double sum = 0;
            for (int i = 0; i < count; i++) {
                if (weights[i] != 0)
                    sum += weights[i] * field[components * i + k];
            }
            *values++ = sum;
        }
    }
    return values;
}

static int find_body(const fm_scene *scene, const char *name)
{
    int i = 0;
    while (i < scene->bodies.count && strcmp(fm_scene_cloth_name(scene, i), name) != 0)
        i++;
    return i;
}

bool fm_scene_read_probes(const fm_scene *scene, fm_world *world, double *values, fm_error *err)
{
    assert(err->status != FM_OK || (scene && world));
    if (err->status != FM_OK)
        return false;
    const fm_scene_probe *probes = scene->probes.data;
    for (int i = 0; i < scene->probes.count && err->status == FM_OK; i++) {
        fm_cloth *cloth = fm_world_cloth(world, find_body(scene, probes[i].body));
        if (!cloth)
            return fm_fail(err, FM_BAD_VALUE, "scene", "probe", probes[i].thing.name,
                           "a world built from this scene");
        size_t count = (size_t)fm_cloth_particle_count(cloth);
        double *scratch = malloc(4 * count * sizeof *scratch);
        if (!scratch)
            return fm_fail_no_memory(err, "scene", 4 * count * sizeof *scratch);
        values = read_probe(&probes[i], cloth, scratch, values, err);
        free(scratch);
    }
    return err->status == FM_OK;
}
