// SPDX-License-Identifier: MIT
// line.c: creates lines and loads: checks their definitions and places points and edges.
//
// A line is a spring mesh without triangles. Each edge is a spring of stiffness EA / l, with half
// of its mass at each end:
//
//     k = EA / l,   c = damping / l,   m_i = lambda (l_before + l_after) / 2
//
//   EA  N, axial stiffness    l  m, rest length of an edge    lambda  kg/m, linear density
//   k  N/m, stiffness of the edge    c  N s^order / m, its damping coefficient
//
// The material of a cloth is per area. The area of a point of a line is the surface of its piece of
// cylinder, A = pi d l, and the thickness is d/4, so that A times the thickness is the volume. A
// load is one point without edges, with the surface A = pi d^2 of a sphere and the thickness d/6.
// Mass, weight, buoyancy and drag then follow as for cloth. Bending is in line_bending.c, drag in
// line_drag.c.
#include "cloth/cloth.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 1 << 24 };

// A number of a definition and its allowed range.
typedef struct limit {
    const char *field;
    double value, low, high;
    bool low_open; // low itself is not allowed
    const char *allowed;
} limit;

// Checks numbers of a definition against their ranges. object: name in errors.
static bool check_limits(const char *object, const limit *limits, size_t count, fm_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const limit *l = &limits[i];
        bool above = l->low_open ? l->value > l->low : l->value >= l->low;
        if (!above || !(l->value <= l->high))
            return fm_fail_number(err, object, l->field, l->value, l->allowed);
    }
    return true;
}

static bool check_drag(const char *object, const fm_line_drag *drag, fm_error *err)
{
    const limit limits[] = {
        {"drag.across", drag->across, 0, 1e3, false, "0 to 1e3"},
        {"drag.along", drag->along, 0, 1e3, false, "0 to 1e3"},
        {"drag.viscous", drag->viscous, 0, 1e3, false, "0 to 1e3"},
        {"drag.added_mass", drag->added_mass, 0, 1e3, false, "0 to 1e3"},
    };
    return check_limits(object, limits, sizeof limits / sizeof *limits, err);
}

static bool check_line(const char *object, const fm_line_def *def, fm_error *err)
{
    const limit limits[] = {
        {"diameter", def->diameter, 0, 1, true, "> 0 and at most 1 m"},
        {"linear_density", def->linear_density, 0, 1e4, true, "> 0 and at most 1e4 kg/m"},
        {"stiffness", def->stiffness, 0, 1e7, true, "> 0 and at most 1e7 N"},
        {"bending", def->bending, 0, 1e6, false, "0 to 1e6 N m^2"},
        {"kappa", def->kappa, 0, 1e6, false, "0 to 1e6 1/s"},
    };
    return check_limits(object, limits, sizeof limits / sizeof *limits, err) &&
           check_drag(object, &def->drag, err);
}

static bool check_load(const char *object, const fm_load_def *def, fm_error *err)
{
    const limit limits[] = {
        {"mass", def->mass, 0, 1e6, true, "> 0 and at most 1e6 kg"},
        {"radius", def->radius, 0, 0.5, true, "> 0 and at most 0.5 m"},
    };
    return check_limits(object, limits, sizeof limits / sizeof *limits, err) &&
           fm_cloth_check_placement(object, def->position, def->velocity, (fm_quat){0}, err) &&
           check_drag(object, &def->drag, err);
}

// Reports a bad element of an array: "list[index]" and its value.
static bool fail_at(fm_error *err, const char *object, const char *list, int index, double value,
                    const char *allowed)
{
    char field[48];
    snprintf(field, sizeof field, "%s[%d]", list, index);
    return fm_fail_number(err, object, field, value, allowed);
}

// Checks the points of one strand.
static bool check_strand(const char *object, const fm_strands *s, int strand, fm_error *err)
{
    int first = s->starts[strand], last = s->starts[strand + 1];
    if (last - first < 2 || last - first > POINTS_MAX)
        return fail_at(err, object, "strands", strand, last - first, "2 points or more");
    for (int k = first; k < last; k++) {
        if (s->points[k] < 0 || s->points[k] >= s->point_count)
            return fail_at(err, object, "points", k, s->points[k], "0 to point_count - 1");
        if (k == first)
            continue;
        double length =
            fm_length(fm_sub(s->positions[s->points[k]], s->positions[s->points[k - 1]]));
        if (!(length > 1e-9))
            return fail_at(err, object, "points", k, length,
                           "at least 1e-9 m from the point before it");
    }
    double length = s->lengths ? s->lengths[strand] : 1;
    return (length > 0 && length <= 1e6) ||
           fail_at(err, object, "lengths", strand, length, "> 0 and at most 1e6 m");
}

// Checks points and strands of a line.
static bool check_strands(const char *object, const fm_strands *s, fm_error *err)
{
    if (s->point_count < 2 || s->point_count > POINTS_MAX)
        return fm_fail_number(err, object, "point_count", s->point_count, "2 to 16777216");
    if (s->strand_count < 1 || s->strand_count > POINTS_MAX)
        return fm_fail_number(err, object, "strand_count", s->strand_count, "1 to 16777216");
    for (int i = 0; i < s->point_count; i++) {
        if (!fm_is_finite(s->positions[i]) || fm_max_norm(s->positions[i]) > 1e9)
            return fail_at(err, object, "positions", i, fm_max_norm(s->positions[i]),
                           "numbers up to 1e9");
    }
    for (int k = 0; k < s->strand_count; k++) {
        if (!check_strand(object, s, k, err))
            return false;
    }
    fm_vec3 none = {0, 0, 0};
    return fm_cloth_check_placement(object, none, s->velocity, (fm_quat){0}, err);
}

// The drag of a line or load as coefficients per surface area; see line_drag.c.
static void set_drag(fm_line *line, const fm_line_drag *drag)
{
    double d = line->diameter;
    line->added_mass = drag->enabled ? drag->added_mass : 0;
    if (line->is_load) {
        line->across = (fm_line_coefficients){drag->across / 4, drag->viscous / (8 * d), 1.5};
        line->along = line->across;
        return;
    }
    line->across = (fm_line_coefficients){drag->across / FM_PI, drag->viscous / (2 * FM_PI * d), 2};
    line->along = (fm_line_coefficients){drag->along, drag->viscous / (4 * FM_PI * d), 1};
}

// The definition of a cloth for a line or load of this diameter. density: kg/m^3.
static fm_cloth_def convert_def(const char *name, double diameter, double thickness, double density,
                                const fm_line_drag *drag, const fm_line_contact *contact)
{
    fm_cloth_def def = fm_default_cloth_def();
    def.integrator = FM_KICK_DRIFT_KICK;
    def.name = name;
    def.thickness = thickness;
    def.density = density;
    def.shear.stiffness = 0;
    def.bend.stiffness = def.bend.damping.coefficient = 0;
    def.damping.coefficient = 0;
    def.imperfection.amount = 0;
    def.drag.model = drag->enabled ? FM_DRAG_PHYSICAL : FM_DRAG_NONE;
    def.drag.skin_history = drag->history;
    def.drag.added_mass = 0; // line_drag.c adds it
    def.contact.enabled = contact->enabled;
    def.contact.thickness = contact->thickness > 0 ? contact->thickness : diameter;
    def.contact.friction = contact->friction;
    def.contact.start = contact->start;
    return def;
}

// m, length of a strand as it is placed.
static double strand_length(const fm_strands *s, int strand)
{
    double length = 0;
    for (int k = s->starts[strand] + 1; k < s->starts[strand + 1]; k++)
        length += fm_length(fm_sub(s->positions[s->points[k]], s->positions[s->points[k - 1]]));
    return length;
}

// Adds the edges of all strands, and half of the surface of each to the areas of its ends.
static void add_edges(fm_cloth *c, const fm_line_def *def, const fm_strands *s, double *area)
{
    fm_spring_mesh *mesh = &c->mesh;
    int e = 0;
    for (int strand = 0; strand < s->strand_count; strand++) {
        double ratio = s->lengths ? s->lengths[strand] / strand_length(s, strand) : 1;
        for (int k = s->starts[strand] + 1; k < s->starts[strand + 1]; k++, e++) {
            int a = s->points[k - 1], b = s->points[k];
            double rest = ratio * fm_length(fm_sub(s->positions[b], s->positions[a]));
            mesh->edge_a[e] = c->line->edge[2 * e] = a;
            mesh->edge_b[e] = c->line->edge[2 * e + 1] = b;
            mesh->edge_kind[e] = FM_EDGE_STRETCH;
            mesh->edge_rest[e] = rest;
            mesh->edge_stiffness[e] = def->stiffness / rest;
            mesh->edge_damping[e] = def->damping.coefficient / rest;
            area[a] += FM_PI * def->diameter * rest / 2;
            area[b] += FM_PI * def->diameter * rest / 2;
        }
    }
}

// Copies the strands, adds their edges and places the points.
static bool place_strands(fm_cloth *c, const fm_line_def *def, const fm_strands *s, fm_error *err)
{
    fm_line *line = c->line;
    const char *name = c->object.name;
    int points = s->starts[s->strand_count], edges = points - s->strand_count;
    size_t strands = (size_t)s->strand_count + 1;
    line->strand_count = s->strand_count;
    line->starts = fm_arena_alloc(&c->arena, strands, sizeof(int), name, err);
    line->points = fm_arena_alloc(&c->arena, (size_t)points, sizeof(int), name, err);
    line->edge = fm_arena_alloc(&c->arena, 2 * (size_t)edges, sizeof(int), name, err);
    if (err->status != FM_OK || !fm_spring_mesh_create(c, edges, 0, err))
        return false;
    memcpy(line->starts, s->starts, strands * sizeof(int));
    memcpy(line->points, s->points, (size_t)points * sizeof(int));
    add_edges(c, def, s, c->area);
    for (int i = 0; i < c->count; i++) {
        if (c->area[i] <= 0)
            return fail_at(err, name, "positions", i, i, "points that strands use");
        fm_cloth_place_particle(c, i, s->positions[i], s->velocity, c->area[i]);
    }
    return true;
}

// Allocates a cloth that is a line or a load.
static fm_cloth *create_empty(const fm_cloth_def *def, const fm_line *line, int count,
                              const fm_medium *medium, fm_error *err)
{
    fm_cloth *c = fm_cloth_create_empty(def, medium, count, 1, err);
    if (!c)
        return NULL;
    c->kind = FM_CLOTH_LINE;
    c->line = fm_arena_alloc(&c->arena, 1, sizeof *c->line, def->name, err);
    c->inertia = fm_arena_alloc(&c->arena, (size_t)c->lanes, sizeof(double), def->name, err);
    if (c->line && c->inertia) {
        *c->line = *line;
        for (int i = 0; i < c->lanes; i++)
            c->inertia[i] = c->mass[i];
        return c;
    }
    c->inertia = c->mass;
    fm_cloth_destroy(c);
    return NULL;
}

// Finishes a line or load; destroys it if something failed.
static fm_cloth *finish(fm_cloth *c, const fm_medium *medium, bool good, fm_error *err)
{
    if (good && fm_spring_mesh_link_particles(c, err) && fm_cloth_finish_creation(c, medium, err))
        return c;
    fm_cloth_destroy(c);
    return NULL;
}

// Creates a line that belongs to no world yet.
fm_cloth *fm_line_create_detached(const fm_line_def *def, const fm_strands *strands,
                                  const fm_medium *medium, fm_error *err)
{
    assert(def && strands);
    const char *object = def->name ? def->name : "line";
    if (err->status != FM_OK || !check_line(object, def, err) ||
        !check_strands(object, strands, err))
        return NULL;
    double d = def->diameter, section = FM_PI * d * d / 4;
    fm_line line = {.diameter = d,
                    .bending = def->bending,
                    .kappa = def->kappa,
                    .tension_only = def->tension_only};
    set_drag(&line, &def->drag);
    fm_cloth_def own =
        convert_def(object, d, d / 4, def->linear_density / section, &def->drag, &def->contact);
    own.stretch.stiffness = def->stiffness;
    own.damping.coefficient = def->damping.coefficient;
    own.damping.order = def->damping.order;
    own.damping.memory = def->damping.memory;
    own.enforcement = def->enforcement;
    own.time_step = def->time_step;
    own.margin = def->margin < 0 ? d / 2 : def->margin;
    if (own.density > 1e5) {
        fm_fail_number(err, object, "linear_density", def->linear_density,
                       "at most 1e5 kg/m^3 times the cross-section");
        return NULL;
    }
    fm_cloth *c = create_empty(&own, &line, strands->point_count, medium, err);
    return c ? finish(c, medium, place_strands(c, def, strands, err), err) : NULL;
}

// Creates a load that belongs to no world yet.
fm_cloth *fm_load_create_detached(const fm_load_def *def, const fm_medium *medium, fm_error *err)
{
    assert(def);
    const char *object = def->name ? def->name : "load";
    if (err->status != FM_OK || !check_load(object, def, err))
        return NULL;
    double d = 2 * def->radius, volume = FM_PI * d * d * d / 6;
    fm_line line = {.diameter = d, .is_load = true};
    set_drag(&line, &def->drag);
    fm_cloth_def own = convert_def(object, d, d / 6, def->mass / volume, &def->drag, &def->contact);
    own.margin = def->margin < 0 ? def->radius : def->margin;
    if (own.density > 1e5) {
        fm_fail_number(err, object, "mass", def->mass, "at most 1e5 kg/m^3 times the volume");
        return NULL;
    }
    fm_cloth *c = create_empty(&own, &line, 1, medium, err);
    if (!c)
        return NULL;
    fm_cloth_place_particle(c, 0, def->position, def->velocity, FM_PI * d * d);
    return finish(c, medium, fm_spring_mesh_create(c, 0, 0, err), err);
}

int fm_line_strand_count(const fm_cloth *line)
{
    assert(line);
    return line->line ? line->line->strand_count : 0;
}

// The first and last point of a strand; false if there is no such strand.
bool fm_line_ends(const fm_cloth *c, int strand, int ends[2])
{
    assert(c);
    if (strand < 0 || strand >= fm_line_strand_count(c))
        return false;
    ends[0] = c->line->points[c->line->starts[strand]];
    ends[1] = c->line->points[c->line->starts[strand + 1] - 1];
    return true;
}

// N, force of edge e, positive when it is stretched.
double fm_line_edge_tension(const fm_cloth *c, int e)
{
    double length = fm_cloth_particle_distance(c, c->mesh.edge_a[e], c->mesh.edge_b[e]);
    double force = c->mesh.edge_stiffness[e] * (length - c->mesh.edge_rest[e]);
    return c->line->tension_only ? fmax(force, 0) : force;
}

int fm_line_tensions(const fm_cloth *c, double *tensions)
{
    assert(c);
    for (int e = 0; e < c->mesh.edge_count && c->line; e++)
        tensions[e] = fm_line_edge_tension(c, e);
    return c->line ? c->mesh.edge_count : 0;
}

// Polyester: 1380 kg/m^3 and an apparent modulus of about 1 GPa for a braided cord, whose strands
// slide, so that its bending rigidity is far below that of a solid rod (docs/lines.md).
fm_line_def fm_default_line_def(void)
{
    fm_cloth_def cloth = fm_default_cloth_def();
    fm_line_def def = {
        .name = "line",
        .diameter = 4e-3,
        .linear_density = 0.0125,
        .stiffness = 1e4,
        .tension_only = true,
        .bending = 1e-5,
        .damping = {.coefficient = 0.5, .order = 1, .memory = cloth.damping.memory},
        .drag = {.enabled = true,
                 .across = 1.2,
                 .along = 0.02,
                 .viscous = 9,
                 .history = true,
                 .added_mass = 1},
        .contact = {.friction = 0.3},
        .enforcement = cloth.enforcement,
        .margin = -1,
    };
    return def;
}

// A ball of 1 kg with the drag of a sphere.
fm_load_def fm_default_load_def(void)
{
    return (fm_load_def){
        .name = "load",
        .mass = 1,
        .radius = 0.05,
        .drag = {.enabled = true, .across = 0.4, .viscous = 24, .history = true, .added_mass = 0.5},
        .contact = {.friction = 0.3},
        .margin = -1,
    };
}
