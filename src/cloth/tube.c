// SPDX-License-Identifier: MIT
// tube.c: creates a tube or cone, such as a skirt or sleeve: a sheet whose last column is joined to
// its first.
//
// Particles, springs and moduli are those of a sheet (springs.c). In a cone the cells of different
// rows differ, so the stiffness depends on the areas A of the cells beside a spring:
//
//     stretch  k = E (A1 + A2) / (2 l^2), with one cell at the border
//     shear    k = G L^2 / (2 A) along both diagonals of a cell
//     mass     a quarter of the mass of each cell at each of its corners
//
//   E, G  N/m, surface moduli of stretch and shear     l, L  m, rest lengths of spring and diagonal
//
// For equal cells these are the values of a sheet, including the factor 1/2 at the border.
// Bending acts about hinges of the cells, cut along alternating diagonals (hinge_bending.c); at
// small angles its energy equals that of a sheet, and it can have rest angles. With an odd
// number of columns, one column of cells has the same diagonals as its neighbour.
#include "cloth/cloth.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static const double LENGTH_MAX = 1e4; // m, of radii and height

// Checks the size and the placement of a tube. object: name of the cloth.
static bool check_tube(const char *object, const fm_tube *t, fm_error *err)
{
    if (t->columns < 3 || t->columns > FM_SHEET_COLUMNS_MAX)
        return fm_fail_number(err, object, "columns", t->columns, "3 to 4096");
    if (t->rows < 2 || t->rows > FM_SHEET_COLUMNS_MAX)
        return fm_fail_number(err, object, "rows", t->rows, "2 to 4096");
    if (!(t->radius_top > 0 && t->radius_top <= LENGTH_MAX))
        return fm_fail_number(err, object, "radius_top", t->radius_top, "> 0 and at most 1e4 m");
    if (!(t->radius_bottom > 0 && t->radius_bottom <= LENGTH_MAX))
        return fm_fail_number(err, object, "radius_bottom", t->radius_bottom,
                              "> 0 and at most 1e4 m");
    if (!(t->height > 0 && t->height <= LENGTH_MAX))
        return fm_fail_number(err, object, "height", t->height, "> 0 and at most 1e4 m");
    return fm_cloth_check_placement(object, t->origin, t->velocity, t->rotation, err);
}

// m, rest length between neighbouring particles of the ring of a row.
static double ring_spacing(const fm_tube *t, int row)
{
    double down = (double)row / (t->rows - 1);
    double radius = t->radius_top + down * (t->radius_bottom - t->radius_top);
    return 2 * radius * sin(FM_PI / t->columns);
}

// m, rest length between rings.
static double row_spacing(const fm_tube *t)
{
    return hypot(t->height, t->radius_bottom - t->radius_top) / (t->rows - 1);
}

// m^2, area of a cell, a trapezoid, between rings `row` and `row + 1`; 0 beyond the ends of the
// tube.
static double cell_area(const fm_tube *t, int row)
{
    if (row < 0 || row >= t->rows - 1)
        return 0;
    double top = ring_spacing(t, row), bottom = ring_spacing(t, row + 1), side = row_spacing(t);
    double shift = (bottom - top) / 2;
    return (top + bottom) / 2 * sqrt(side * side - shift * shift);
}

// Adds a spring between particles a and b. rest: rest length, m; share: stiffness over the surface
// modulus of its kind. Damping is proportional to stiffness.
static void add_edge(fm_cloth *c, fm_edge_kind kind, int a, int b, double rest, double share)
{
    fm_spring_mesh *mesh = &c->mesh;
    const fm_cloth_def *def = &c->def;
    int e = mesh->edge_count++;
    bool stretch = kind == FM_EDGE_STRETCH;
    double modulus = stretch ? def->stretch.stiffness : def->shear.stiffness;
    mesh->edge_a[e] = a, mesh->edge_b[e] = b;
    mesh->edge_kind[e] = (unsigned char)kind;
    mesh->edge_rest[e] = rest;
    mesh->edge_stiffness[e] = modulus * share;
    mesh->edge_damping[e] = def->damping.coefficient * modulus / def->stretch.stiffness * share;
}

// Adds all springs of a tube: for each particle to the right and down, and for each cell both
// diagonals. dx, dy: m, spacing of the columns in this ring and of the rings; above, below: m^2,
// areas of the cells beside the ring; shift: m, by which a cell is wider below, on either side.
static void add_edges(fm_cloth *c)
{
    const fm_tube *t = &c->tube;
    double dy = row_spacing(t);
    int columns = t->columns;
    c->mesh.edge_count = 0;
    for (int i = 0; i < c->count; i++) {
        int row = i / columns, column = i % columns;
        int right = column + 1 < columns ? i + 1 : i + 1 - columns;
        double dx = ring_spacing(t, row), above = cell_area(t, row - 1), below = cell_area(t, row);
        add_edge(c, FM_EDGE_STRETCH, i, right, dx, (above + below) / (2 * dx * dx));
        if (row + 1 == t->rows)
            continue;
        double shift = (ring_spacing(t, row + 1) - dx) / 2;
        double across = dx + shift, down = sqrt(dy * dy - shift * shift);
        double diagonal = hypot(across, down), share = diagonal * diagonal / (2 * below);
        add_edge(c, FM_EDGE_STRETCH, i, i + columns, dy, below / (dy * dy));
        if (c->def.shear.stiffness > 0) {
            add_edge(c, FM_EDGE_SHEAR, i, right + columns, diagonal, share);
            add_edge(c, FM_EDGE_SHEAR, right, i + columns, diagonal, share);
        }
    }
}

// Places the particles on the rings of the tube. Without a given added mass, the layer of medium
// that moves with the cloth is 1/(2 pi) of its mean diameter or height.
static void place_particles(fm_cloth *c)
{
    const fm_tube *t = &c->tube;
    fm_pose pose = fm_pose_identity();
    pose.rotation = t->rotation;
    pose.position = t->origin;
    for (int i = 0; i < c->count; i++) {
        int row = i / t->columns, column = i % t->columns;
        double down = (double)row / (t->rows - 1), angle = 2 * FM_PI * column / t->columns;
        double radius = t->radius_top + down * (t->radius_bottom - t->radius_top);
        fm_vec3 x = {radius * sin(angle), -down * t->height, radius * cos(angle)};
        fm_cloth_place_particle(c, i, fm_pose_apply(&pose, x), t->velocity,
                                (cell_area(t, row - 1) + cell_area(t, row)) / 2);
    }
    double width = t->radius_top + t->radius_bottom; // m, mean diameter
    c->added_mass =
        c->def.drag.added_mass >= 0 ? c->def.drag.added_mass : fmin(width, t->height) / (2 * FM_PI);
}

// Adds a hinge for each edge between two triangles. False if memory runs out.
static bool add_hinges(fm_cloth *c, fm_error *err)
{
    fm_spring_mesh *mesh = &c->mesh;
    size_t corners = 3 * (size_t)mesh->triangle_count;
    int edge_count;
    fm_mesh_edge *edges = fm_mesh_find_edges(mesh->triangle, mesh->triangle_count, &edge_count);
    fm_vec3 *corner = malloc(corners * sizeof *corner);
    bool good = edges && corner;
    for (size_t i = 0; i < corners && good; i++) {
        int p = mesh->triangle[i];
        corner[i] = (fm_vec3){c->x.x[p], c->x.y[p], c->x.z[p]};
    }
    if (!good)
        fm_fail_no_memory(err, c->object.name, corners * sizeof *corner);
    good = good && fm_spring_mesh_add_hinges(c, edges, edge_count, corner, c->columns, err);
    free(edges);
    free(corner);
    return good;
}

// Creates a tube that is not yet in a world; NULL with err filled on failure.
fm_cloth *fm_cloth_create_detached_tube(const fm_cloth_def *def, const fm_tube *tube,
                                        const fm_medium *medium, fm_error *err)
{
    assert(def && tube);
    const char *object = def->name ? def->name : "cloth";
    if (err->status != FM_OK || !fm_spring_mesh_check_def(def, object, err) ||
        !check_tube(object, tube, err))
        return NULL;
    fm_cloth *c = fm_cloth_create_empty(def, medium, tube->columns, tube->rows, err);
    if (!c)
        return NULL;
    c->kind = FM_CLOTH_TUBE;
    c->tube = *tube;
    fm_quat_normalize(&c->tube.rotation);
    int triangles = fm_grid_write_triangles(tube->columns, tube->rows, true, NULL);
    int most_edges = 4 * c->count; // right, down and two diagonals
    bool good = fm_spring_mesh_create(c, most_edges, triangles, err);
    if (good) {
        fm_grid_write_triangles(tube->columns, tube->rows, true, c->mesh.triangle);
        place_particles(c);
        add_edges(c);
        good = add_hinges(c, err) && fm_spring_mesh_link_particles(c, err) &&
               fm_cloth_finish_creation(c, medium, err);
    }
    if (good)
        return c;
    fm_cloth_destroy(c);
    return NULL;
}
