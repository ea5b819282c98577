// SPDX-License-Identifier: MIT
// fields.c: what can be read of a cloth by name.
#include "cloth/cloth.h"

#include <string.h>

static const fm_field fields[] = {
    {"position", "m", "where a particle is", 3},
    {"velocity", "m/s", "how fast", 3},
    {"normal", "", "unit normal of the cloth", 3},
    {"medium", "m/s", "velocity of the medium there", 3},
    {"drag", "N/m^2", "what the medium does to a square metre", 3},
    {"memory", "", "fractional derivative in the drag: m s^-q, or m s^-3/2 for the physical set",
     3},
    {"stretch", "", "largest l/l0 - 1 of the stretch edges around", 1},
    {"mass", "kg", "mass of a particle", 1},
    {"pinned", "", "1 where a pin holds", 1},
    {"contact", "", "1 where a collider holds", 1},
    {"correction", "", "place in the order of enforcement, 0 where it begins to 1", 1},
};

enum { FIELD_COUNT = sizeof fields / sizeof *fields };

const fm_field *fm_cloth_fields(int *count)
{
    if (count)
        *count = FIELD_COUNT;
    return fields;
}

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

double fm_cloth_rest_area(const fm_cloth *c)
{
    double area = 0;
    for (int i = 0; i < c->count; i++)
        area += c->area[i];
    return area;
}

static void interleave(const fm_cloth *c, const fm_axes *from, double *values)
{
    for (int i = 0; i < c->count; i++) {
        values[3 * i] = from->x[i];
        values[3 * i + 1] = from->y[i];
        values[3 * i + 2] = from->z[i];
    }
}

static void read_memory(fm_cloth *c, double *values)
{
    memset(c->pair.x, 0, 3 * (size_t)c->lanes * sizeof(double));
    if (c->drag_memory)
        fm_memory_value(c->drag_memory, c->pair.x);
    interleave(c, &c->pair, values);
}

bool fm_cloth_read(fm_cloth *c, const fm_surroundings *around, const char *name, double *values,
                   fm_error *err)
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
        fm_cloth_stretch(c, values);
    } else if (strcmp(name, "mass") == 0) {
        memcpy(values, c->mass, (size_t)c->count * sizeof *values);
    } else if (strcmp(name, "pinned") == 0) {
        for (int i = 0; i < c->count; i++)
            values[i] = fm_cloth_is_held(c, i, c->time);
    } else if (strcmp(name, "contact") == 0) {
        for (int i = 0; i < c->count; i++)
            values[i] = c->touch[i];
    } else if (strcmp(name, "correction") == 0) {
        const fm_enforcer *e = c->enforcer;
        for (int i = 0; i < c->count; i++)
            values[i] = e ? e->maps[e->current].place[i] : 0;
    } else {
        return fm_fail(err, FM_BAD_VALUE, c->name, "field", name,
                       "position velocity normal medium drag memory stretch mass pinned contact "
                       "correction");
    }
    return true;
}
