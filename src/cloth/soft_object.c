// SPDX-License-Identifier: MIT
// soft_object.c: the object type `soft`: cloth with more fields and quantities.
#include "cloth/cloth.h"

static const fm_field soft_quantities[] = {
    {"volume", "m^3", "enclosed; 0 for an open mesh", 1},
    {"pressure", "Pa", "of the gas, above the ambient pressure", 1},
    {"curvature", "1/m", "root mean square of the mean curvature", 1},
    {"roughness", "m", "root mean square of the distance from the smoothed surface", 1},
    {"area", "m^2", "total area of the triangles", 1},
    {"kinetic_energy", "J", "including that of the added mass", 1},
    {"potential_energy", "J", "of springs, bending, struts, gas, weight and buoyancy", 1},
    {"max_stretch", "", "l/l0 - 1 of the longest edge", 1},
    {"min_stretch", "", "l/l0 - 1 of the shortest edge", 1},
    {"contact_count", "", "number of particles in contact", 1},
    {"height", "m", "mean of the y coordinates, weighted by mass", 1},
    {"load_x", "N", "force of a two-way fluid along x, mean since the last row", 1},
    {"load_y", "N", "the same along y", 1},
    {"load_z", "N", "the same along z", 1},
};

// kg-weighted mean of the y coordinates.
static double find_mean_height(const fm_cloth *c)
{
    double sum = 0, mass = 0;
    for (int i = 0; i < c->count; i++)
        sum += c->mass[i] * c->x.y[i], mass += c->mass[i];
    return sum / mass;
}

// Fills the measures m and, unless q is NULL, the quantities q in the order of soft_quantities.
static void measure_soft(fm_object *object, const fm_surroundings *around, fm_measure *m, double *q)
{
    fm_cloth *c = fm_cloth_cast(object);
    fm_cloth_object_measure(object, around, m, NULL);
    if (!q)
        return;
    fm_error ignored = {0}; // if memory runs out, the measures are 0
    fm_soft_measure now = fm_cloth_measure_soft(c, &ignored);
    q[0] = now.volume, q[1] = now.pressure, q[2] = now.curvature, q[3] = now.roughness;
    q[4] = fm_cloth_area(c, &ignored);
    q[5] = m->kinetic_energy, q[6] = m->potential_energy;
    q[7] = m->max_stretch, q[8] = m->min_stretch, q[9] = m->contact_count;
    q[10] = find_mean_height(c);
    fm_vec3 load = fm_cloth_find_load(c);
    q[11] = load.x, q[12] = load.y, q[13] = load.z;
}

static bool read_soft_field(fm_object *object, const fm_surroundings *around, const char *name,
                            double *values, fm_error *err)
{
    fm_cloth *c = fm_cloth_cast(object);
    if (!fm_soft_read_values(c, around, name, values, err))
        return false;
    fm_cloth_copy_to_vertices(c, name, values);
    return true;
}

const fm_object_type fm_soft_type = {
    .kind = "soft",
    .fields = fm_cloth_field_list,
    .field_count = FM_SOFT_FIELD_COUNT,
    .needed_fields = "",
    .usual_fields = "velocity stretch",
    .quantities = soft_quantities,
    .quantity_count = sizeof soft_quantities / sizeof *soft_quantities,
    .body = &fm_cloth_body,
    .destroy = fm_cloth_object_destroy,
    .save = fm_cloth_object_save,
    .hash = fm_cloth_object_hash,
    .restore = fm_cloth_object_restore,
    .reset = fm_cloth_object_reset,
    .forecast = fm_cloth_object_forecast,
    .mesh = fm_cloth_object_view_mesh,
    .point_group = fm_cloth_object_find_group,
    .read = read_soft_field,
    .measure = measure_soft,
};
