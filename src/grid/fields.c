// SPDX-License-Identifier: MIT
// fields.c: what can be read of a grid fluid: values at cell centres, and values at points.
//
// Velocities at points are interpolated between the places where they are stored, linearly for
// marks and cloth, with cubic polynomials for probes; pressure and dye linearly. Near a collider,
// some of the places around a point are inside it. The pressure is then extrapolated along the
// normal by a parabola through three points one spacing apart. The first of them is as near to the
// surface as possible without a value from inside the collider.
#include "grid/grid.h"

#include <string.h>

const fm_field fm_grid_field_list[FM_GRID_FIELD_COUNT] = {
    {"position", "m", "centre of the cell", 3},
    {"velocity", "m/s", "velocity of the fluid", 3},
    {"pressure", "Pa", "pressure; its mean is zero unless a side is open", 1},
    {"vorticity", "1/s", "curl of the velocity", 3},
    {"dye", "", "concentration of the dye", 1},
};

// The eight values of an array around a point, for linear interpolation.
typedef struct place {
    ptrdiff_t q;     // index of the lowest of them
    double share[3]; // 0 to 1, weight of the higher values along each axis
} place;

// Finds the eight values around a point, m. A point outside the grid's box is first moved to the
// nearest point of the box. offset: position of a value in its cell along each axis, in spacings: 0
// on the low face, 0.5 at the centre.
static place find_place(const fm_grid *g, fm_vec3 at, const double offset[3])
{
    double x[3] = {at.x - g->def.low.x, at.y - g->def.low.y, at.z - g->def.low.z};
    place p = {.q = g->start};
    for (int a = 0; a < 3; a++) {
        double inside = fm_double_min(g->n[a], fm_double_max(0, x[a] / g->h));
        double cells = g->active[a] ? inside - offset[a] : 0;
        int cell = (int)floor(cells);
        cell = cell > g->n[a] - (offset[a] == 0) ? g->n[a] - (offset[a] == 0) : cell;
        p.share[a] = cells - cell;
        p.q += cell * g->stride[a];
    }
    return p;
}

// Weight of one of the eight values around a point in linear interpolation, and its index *q.
// corner: bit a is set for the higher of the two values along axis a.
static double corner_weight(const fm_grid *g, const place *p, int corner, ptrdiff_t *q)
{
    double weight = 1;
    *q = p->q;
    for (int a = 0; a < 3; a++) {
        bool high = corner >> a & 1;
        *q += high ? g->stride[a] : 0;
        weight *= high ? p->share[a] : 1 - p->share[a];
    }
    return weight;
}

// Component of the velocity at a point, m/s, linearly interpolated.
static double interpolate(const fm_grid *g, const double *values, fm_vec3 at, int component)
{
    double offset[3] = {0.5, 0.5, 0.5}, total = 0;
    offset[component] = 0;
    place p = find_place(g, at, offset);
    for (int corner = 0; corner < 8; corner++) {
        ptrdiff_t q;
        double weight = corner_weight(g, &p, corner, &q);
        total += weight > 0 ? weight * values[q] : 0;
    }
    return total;
}

fm_vec3 fm_grid_velocity_at(const fm_grid *g, fm_vec3 at)
{
    return (fm_vec3){interpolate(g, g->u[0], at, 0), interpolate(g, g->u[1], at, 1),
                     interpolate(g, g->u[2], at, 2)};
}

// Weights of the cubic polynomial through four values at -1, 0, 1 and 2 (Catmull-Rom), at t.
void fm_grid_find_cubic_weights(double t, double weight[4])
{
    weight[0] = 0.5 * t * (-1 + t * (2 - t));
    weight[1] = 1 + 0.5 * t * t * (-5 + 3 * t);
    weight[2] = 0.5 * t * (1 + t * (4 - 3 * t));
    weight[3] = 0.5 * t * t * (-1 + t);
}

// Component a at a point, interpolated with cubic polynomials along the active axes.
static double interpolate_cubic(const fm_grid *g, int component, fm_vec3 at)
{
    double offset[3] = {0.5, 0.5, 0.5}, weight[3][4], total = 0;
    offset[component] = 0;
    place p = find_place(g, at, offset);
    for (int a = 0; a < 3; a++)
        fm_grid_find_cubic_weights(p.share[a], weight[a]);
    int first = g->active[2] ? -1 : 0, last = g->active[2] ? 2 : 0;
    for (int k = first; k <= last; k++)
        for (int j = -1; j <= 2; j++) {
            const double *u = g->u[component] + p.q + j * g->stride[1] + k * g->stride[2];
            const double *w = weight[0];
            double row = w[0] * u[-1] + w[1] * u[0] + w[2] * u[1] + w[3] * u[2];
            total += (g->active[2] ? weight[2][k + 1] : 1) * weight[1][j + 1] * row;
        }
    return total;
}

fm_vec3 fm_grid_probe_velocity(const fm_grid *g, fm_vec3 at)
{
    return (fm_vec3){interpolate_cubic(g, 0, at), interpolate_cubic(g, 1, at),
                     interpolate_cubic(g, 2, at)};
}

// Whether q is the index of a cell inside the grid.
static bool is_cell(const fm_grid *g, ptrdiff_t q)
{
    ptrdiff_t left = q;
    for (int a = 2; a >= 0; a--) {
        ptrdiff_t i = left / g->stride[a];
        left -= i * g->stride[a];
        if (i < g->layers[a] || i >= g->layers[a] + g->n[a])
            return false;
    }
    return true;
}

// Concentration at a point, m, linearly interpolated.
double fm_grid_dye_at(const fm_grid *g, fm_vec3 at)
{
    place p = find_place(g, at, (double[3]){0.5, 0.5, 0.5});
    double total = 0, weights = 0;
    for (int corner = 0; corner < 8; corner++) {
        ptrdiff_t q;
        double weight = corner_weight(g, &p, corner, &q);
        if (weight > 0 && is_cell(g, q)) { // beyond a side, the nearest cell counts
            total += weight * g->dye.c[q];
            weights += weight;
        }
    }
    return weights > 0 ? total / weights : 0;
}

// Whether the centre of a cell is outside all colliders. The pressure of a cell that a collider
// cuts is right for the flux through its faces, but not at a centre inside the collider.
static bool holds_fluid(const fm_grid *g, ptrdiff_t q)
{
    double sum = 0;
    for (int corner = 0; corner < 8; corner++)
        sum += g->distance[q + (corner & 1 ? g->stride[0] : 0) + (corner & 2 ? g->stride[1] : 0) +
                           (corner & 4 ? g->stride[2] : 0)];
    return sum > 0;
}

// Interpolates the pressure between the cells around a point that hold fluid. Returns the weight of
// these cells, 1 if all eight do.
static double interpolate_pressure(const fm_grid *g, fm_vec3 at, double *pressure)
{
    place p = find_place(g, at, (double[3]){0.5, 0.5, 0.5});
    double total = 0, weights = 0;
    for (int corner = 0; corner < 8; corner++) {
        ptrdiff_t q;
        double weight = corner_weight(g, &p, corner, &q);
        if (weight > 0 && holds_fluid(g, q)) {
            total += weight * g->p[q];
            weights += weight;
        }
    }
    *pressure = weights > 0 ? total / weights : 0;
    return weights;
}

// Direction out of the colliders near a point: the gradient of the distance at the corners of its
// cell. False if it is not known.
static bool find_normal(const fm_grid *g, fm_vec3 at, fm_vec3 *normal)
{
    place p = find_place(g, at, (double[3]){0, 0, 0});
    double slope[3] = {0};
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        const double *d = g->distance + p.q;
        ptrdiff_t sa = g->stride[a], sb = g->stride[b], sc = g->stride[c];
        slope[a] =
            d[sa] - d[0] + d[sa + sb] - d[sb] + d[sa + sc] - d[sc] + d[sa + sb + sc] - d[sb + sc];
    }
    *normal = (fm_vec3){slope[0], slope[1], slope[2]};
    return fm_normalize(normal);
}

// Pressure at a point, Pa, extrapolated at the surface of a collider.
double fm_grid_pressure_at(const fm_grid *g, fm_vec3 at)
{
    enum { TRIALS = 8 };
    static const double STEP = 0.25; // spacings between trials
    double near, p[3];
    fm_vec3 normal;
    if (interpolate_pressure(g, at, &near) > 1 - 1e-9 || !find_normal(g, at, &normal))
        return near;
    for (int trial = 1; trial <= TRIALS; trial++) {
        double s = trial * STEP; // spacings to the first point; the others are at s + 1 and s + 2
        bool known = true;
        for (int i = 0; i < 3 && known; i++)
            known = interpolate_pressure(g, fm_add_scaled(at, normal, (s + i) * g->h), &p[i]) >
                    1 - 1e-9;
        if (known)
            return 0.5 * (s + 1) * (s + 2) * p[0] - s * (s + 2) * p[1] + 0.5 * s * (s + 1) * p[2];
    }
    return near;
}

// The derivative of component a along axis b at the centre of cell q.
static double find_slope(const fm_grid *g, int a, int b, ptrdiff_t q)
{
    const double *u = g->u[a];
    ptrdiff_t sa = g->stride[a], sb = g->stride[b];
    if (!g->active[b])
        return 0;
    if (a == b)
        return (u[q + sa] - u[q]) / g->h;
    return (u[q + sb] + u[q + sa + sb] - u[q - sb] - u[q + sa - sb]) / (4 * g->h);
}

// Writes the value of a field at cell q. field: its index in fm_grid_field_list.
static void read_cell(const fm_grid *g, int field, ptrdiff_t q, fm_vec3 centre, double *values)
{
    switch (field) {
    case 0:
        values[0] = centre.x, values[1] = centre.y, values[2] = centre.z;
        break;
    case 1:
        for (int a = 0; a < 3; a++)
            values[a] = 0.5 * (g->u[a][q] + g->u[a][q + g->stride[a]]);
        break;
    case 2:
        values[0] = g->p[q];
        break;
    case 4:
        values[0] = g->dye.c[q];
        break;
    default:
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            values[a] = find_slope(g, c, b, q) - find_slope(g, b, c, q);
        }
    }
}

// Reads a field of all cells, x fastest.
bool fm_grid_read_field(fm_grid *g, const char *name, double *values, fm_error *err)
{
    int field = 0;
    while (field < FM_GRID_FIELD_COUNT && strcmp(fm_grid_field_list[field].name, name) != 0)
        field++;
    if (field == FM_GRID_FIELD_COUNT || (field == 4 && !g->def.dye.on))
        return fm_fail(err, FM_BAD_VALUE, g->object.name, "field", name,
                       "position, velocity, pressure, vorticity, or dye if the fluid has any");
    int components = fm_grid_field_list[field].components;
    for (int k = 0; k < g->n[2]; k++)
        for (int j = 0; j < g->n[1]; j++)
            for (int i = 0; i < g->n[0]; i++, values += components)
                read_cell(g, field, fm_grid_index(g, i, j, k), fm_grid_centre(g, i, j, k, 3),
                          values);
    return true;
}

const fm_field *fm_grid_fields(int *count)
{
    *count = FM_GRID_FIELD_COUNT;
    return fm_grid_field_list;
}
