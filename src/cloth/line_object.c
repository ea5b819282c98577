// SPDX-License-Identifier: MIT
// line_object.c: the object types `line` and `load`: cloth with other fields and quantities, in no
// simulated fluid.
#include "cloth/cloth.h"

#include <math.h>

static const fm_field line_quantities[] = {
    {"length", "m", "of all edges", 1},
    {"kinetic_energy", "J", "including that of the added mass", 1},
    {"potential_energy", "J", "of edges, bending, weight and buoyancy", 1},
    {"max_stretch", "", "l/l0 - 1 of the longest edge", 1},
    {"max_tension", "N", "of the most loaded edge", 1},
    {"contact_count", "", "number of points in contact", 1},
};

static const fm_field load_quantities[] = {
    {"x", "m", "its centre", 1},
    {"y", "m", "its centre", 1},
    {"z", "m", "its centre", 1},
    {"speed", "m/s", "of its centre", 1},
    {"kinetic_energy", "J", "including that of the added mass", 1},
};

static void measure_line(fm_object *object, const fm_surroundings *around, fm_measure *m, double *q)
{
    fm_cloth *c = fm_cloth_cast(object);
    fm_cloth_object_measure(object, around, m, NULL);
    if (!q)
        return;
    q[0] = q[4] = 0;
    q[1] = m->kinetic_energy, q[2] = m->potential_energy;
    q[3] = m->max_stretch, q[5] = m->contact_count;
    for (int e = 0; e < c->mesh.edge_count; e++) {
        q[0] += fm_cloth_particle_distance(c, c->mesh.edge_a[e], c->mesh.edge_b[e]);
        q[4] = fmax(q[4], fm_line_edge_tension(c, e));
    }
}

static void measure_load(fm_object *object, const fm_surroundings *around, fm_measure *m, double *q)
{
    fm_cloth *c = fm_cloth_cast(object);
    fm_cloth_object_measure(object, around, m, NULL);
    m->has_stretch = false;
    if (!q)
        return;
    fm_vec3 x = fm_vec3_array_at(c->x, 0);
    q[0] = x.x, q[1] = x.y, q[2] = x.z;
    q[3] = fm_length(fm_vec3_array_at(c->v, 0)), q[4] = m->kinetic_energy;
}

static bool read_line_field(fm_object *object, const fm_surroundings *around, const char *name,
                            double *values, fm_error *err)
{
    return fm_line_read_values(fm_cloth_cast(object), around, name, values, err);
}

const fm_object_type fm_line_type = {
    .kind = "line",
    .fields = fm_line_field_list,
    .field_count = FM_LINE_FIELD_COUNT,
    .needed_fields = "radius",
    .usual_fields = "velocity tension",
    .quantities = line_quantities,
    .quantity_count = sizeof line_quantities / sizeof *line_quantities,
    .body = &fm_line_body,
    .destroy = fm_cloth_object_destroy,
    .save = fm_cloth_object_save,
    .hash = fm_cloth_object_hash,
    .restore = fm_cloth_object_restore,
    .reset = fm_cloth_object_reset,
    .forecast = fm_cloth_object_forecast,
    .mesh = fm_cloth_object_view_mesh,
    .read = read_line_field,
    .measure = measure_line,
};

const fm_object_type fm_load_type = {
    .kind = "load",
    .fields = fm_line_field_list,
    .field_count = FM_LINE_FIELD_COUNT,
    .needed_fields = "radius",
    .usual_fields = "velocity",
    .quantities = load_quantities,
    .quantity_count = sizeof load_quantities / sizeof *load_quantities,
    .body = &fm_line_body,
    .destroy = fm_cloth_object_destroy,
    .save = fm_cloth_object_save,
    .hash = fm_cloth_object_hash,
    .restore = fm_cloth_object_restore,
    .reset = fm_cloth_object_reset,
    .forecast = fm_cloth_object_forecast,
    .mesh = fm_cloth_object_view_mesh,
    .read = read_line_field,
    .measure = measure_load,
};
