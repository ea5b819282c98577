// SPDX-License-Identifier: MIT
// fields.c: the fields of a cloth that can be read by name, and its area.
#include "cloth/cloth.h"

#include <math.h>
#include <string.h>

const fm_field fm_cloth_field_list[FM_SOFT_FIELD_COUNT] = {
    {"position", "m", "position of a particle", 3},
    {"velocity", "m/s", "velocity of a particle", 3},
    {"normal", "", "unit normal of the cloth", 3},
    {"medium", "m/s", "velocity of the medium at the particle", 3},
    {"drag", "N/m^2", "force of the medium per area of cloth", 3},
    {"memory", "", "fractional derivative in the drag: m s^-q, or m s^-3/2 for physical drag", 3},
    {"stretch", "", "largest l/l0 - 1 of the stretch edges at a particle", 1},
    {"mass", "kg", "mass of a particle", 1},
    {"pinned", "", "1 for a pinned particle, else 0", 1},
    {"contact", "", "1 for a particle in contact, else 0", 1},
    {"correction", "", "order in which enforcement corrects a particle, from 0 to 1", 1},
    // of soft bodies only
    {"curvature", "1/m", "mean curvature, positive where the surface bulges outwards", 1},
    {"density", "", "of fluidity: kg/m^2 or kg/m^3; 0 without fluidity", 1},
};

const fm_field fm_line_field_list[FM_LINE_FIELD_COUNT] = {
    {"position", "m", "position of a point", 3},
    {"velocity", "m/s", "velocity of a point", 3},
    {"tangent", "", "unit tangent of the line", 3},
    {"medium", "m/s", "velocity of the medium at the point", 3},
    {"drag", "N/m^2", "force of the medium per surface of the line", 3},
    {"memory", "m s^-3/2", "half derivative of the velocity in the drag", 3},
    {"stretch", "", "largest l/l0 - 1 of the edges at a point", 1},
    {"tension", "N", "largest tension of the edges at a point", 1},
    {"mass", "kg", "mass of a point", 1},
    {"pinned", "", "1 for a pinned point, else 0", 1},
    {"contact", "", "1 for a point in contact, else 0", 1},
    {"radius", "m", "radius of the line", 1},
};

const fm_field *fm_cloth_fields(int *count)
{
    if (count)
        *count = FM_CLOTH_FIELD_COUNT;
    return fm_cloth_field_list;
}

// m^2, present area of all triangles; 0 with err filled if memory runs out.
double fm_cloth_area(fm_cloth *c, fm_error *err)
{
    int count = 0;
    const int *t = fm_cloth_triangles(c, &count, err);
    double area = 0;
    for (int k = 0; t && k < count; k++, t += 3) {
        fm_vec3 a = {c->x.x[t[0]], c->x.y[t[0]], c->x.z[t[0]]};
        fm_vec3 b = {c->x.x[t[1]], c->x.y[t[1]], c->x.z[t[1]]};
        fm_vec3 d = {c->x.x[t[2]], c->x.y[t[2]], c->x.z[t[2]]};
        area += 0.5 * fm_length(fm_cross(fm_sub(b, a), fm_sub(d, a)));
    }
    return area;
}

// m^2, area at rest.
double fm_cloth_rest_area(const fm_cloth *c)
{
    double area = 0;
    for (int i = 0; i < c->count; i++)
        area += c->area[i];
    return area;
}

// Copies three component arrays to values[3 * particle + component].
static void interleave(const fm_cloth *c, const fm_vec3_array *from, double *values)
{
    for (int i = 0; i < c->count; i++) {
        values[3 * i] = from->x[i];
        values[3 * i + 1] = from->y[i];
        values[3 * i + 2] = from->z[i];
    }
}

static void read_memory(fm_cloth *c, double *values)
{
    fm_drag_read_memory(c, &c->pair);
    interleave(c, &c->pair, values);
}

// Writes the field of that name at all particles, one or three numbers each. An unknown name is an
// error.
bool fm_cloth_read_values(fm_cloth *c, const fm_surroundings *around, const char *name,
                          double *values, fm_error *err)
{
    if (err->status != FM_OK)
        return false;
    if (strcmp(name, "position") == 0) {
        interleave(c, &c->x, values);
    } else if (strcmp(name, "velocity") == 0) {
        interleave(c, &c->v, values);
    } else if (strcmp(name, "normal") == 0) {
        interleave(c, &c->normal, values);
    } else if (strcmp(name, "medium") == 0) {
        interleave(c, &c->w, values);
    } else if (strcmp(name, "drag") == 0) {
        fm_drag_force_per_area(c, around, values);
    } else if (strcmp(name, "memory") == 0) {
        read_memory(c, values);
    } else if (strcmp(name, "stretch") == 0) {
        fm_cloth_compute_stretch(c, values);
    } else if (strcmp(name, "mass") == 0) {
        memcpy(values, c->mass, (size_t)c->count * sizeof *values);
    } else if (strcmp(name, "pinned") == 0) {
        for (int i = 0; i < c->count; i++)
            values[i] = fm_cloth_is_pinned(c, i, c->time);
    } else if (strcmp(name, "contact") == 0) {
        for (int i = 0; i < c->count; i++)
            values[i] = c->touch[i];
    } else if (strcmp(name, "correction") == 0) {
        const fm_enforcer *e = c->enforcer;
        for (int i = 0; i < c->count; i++)
            values[i] = e ? e->maps[e->current].rank[i] : 0;
    } else {
        return fm_fail(err, FM_BAD_VALUE, c->object.name, "field", name,
                       "position velocity normal medium drag memory stretch mass pinned contact "
                       "correction");
    }
    return true;
}

static void read_tension(const fm_cloth *c, double *values)
{
    for (int i = 0; i < c->count; i++) {
        values[i] = 0;
        for (int k = c->mesh.edges.start[i]; k < c->mesh.edges.start[i + 1]; k++)
            values[i] = fmax(values[i], fm_line_edge_tension(c, c->mesh.edges.entry[k] / 2));
    }
}

bool fm_line_read_values(fm_cloth *c, const fm_surroundings *around, const char *name,
                         double *values, fm_error *err)
{
    if (err->status != FM_OK)
        return false;
    if (strcmp(name, "tangent") == 0) {
        interleave(c, &c->normal, values);
    } else if (strcmp(name, "tension") == 0) {
        read_tension(c, values);
    } else if (strcmp(name, "radius") == 0) {
        for (int i = 0; i < c->count; i++)
            values[i] = c->line->diameter / 2;
    } else if (strcmp(name, "normal") == 0 || strcmp(name, "correction") == 0) {
        return fm_fail(err, FM_BAD_VALUE, c->object.name, "field", name, "the fields of lines");
    } else {
        return fm_cloth_read_values(c, around, name, values, err);
    }
    return true;
}

// The fields of a cloth, and those of soft bodies only.
bool fm_soft_read_values(fm_cloth *c, const fm_surroundings *around, const char *name,
                         double *values, fm_error *err)
{
    if (err->status != FM_OK)
        return false;
    if (strcmp(name, "curvature") == 0)
        return fm_mesh_compute_curvature(c, values, err);
    if (strcmp(name, "density") != 0)
        return fm_cloth_read_values(c, around, name, values, err);
    fm_fluidity_read_density(c, values);
    return true;
}
