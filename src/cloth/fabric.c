// SPDX-License-Identifier: MIT
// fabric.c: creates a fabric: a mesh with one spring constant and one mass for all points.
#include "cloth/cloth.h"

#include <assert.h>
#include <math.h>

fm_fabric_def fm_default_fabric_def(void)
{
    return (fm_fabric_def){.model = FM_FABRIC_MODEL_II, .spring = 1000, .rim_share = 1};
}

// Nylon of 40 um: without bending, damping, drag and imperfections.
fm_cloth_def fm_default_fabric_cloth_def(void)
{
    fm_cloth_def def = fm_default_cloth_def();
    def.density = 1150;
    def.thickness = 4e-5;
    def.bend.stiffness = def.bend.damping.coefficient = 0;
    def.damping.coefficient = 0;
    def.drag.model = FM_DRAG_NONE;
    def.imperfection.amount = 0;
    def.integrator = FM_KICK_DRIFT_KICK;
    return def;
}

// E_s / k of a lattice whose vertices are displaced by up to `jitter` edges along each axis:
// measured on periodic lattices of 40 x 40 vertices, mean of 6 (tests/reference/fabric_modulus.csv)
static double find_modulus_per_spring(double jitter)
{
    static const double measured[] = {1.15470054, 1.1434, 1.1097, 1.0749, 1.0595};
    double at = fmin(fmax(jitter, 0), 0.4) * 10;
    int i = (int)fmin(floor(at), 3);
    return measured[i] + (at - i) * (measured[i + 1] - measured[i]);
}

double fm_fabric_spring_of_modulus(const fm_mesh_shape *shape, double modulus)
{
    assert(shape);
    bool irregular = shape->triangulation == FM_TRIANGLES_IRREGULAR;
    return modulus / find_modulus_per_spring(irregular ? shape->jitter : 0);
}

static bool check_number(const char *object, const char *field, double value, double low,
                         double high, const char *allowed, fm_error *err)
{
    return (value >= low && value <= high) || fm_fail_number(err, object, field, value, allowed);
}

// Checks a fabric's definition, and its keys against those of the cloth. object: name in errors.
bool fm_fabric_check(const fm_fabric_def *f, const fm_cloth_def *def, const char *object,
                     fm_error *err)
{
    if (f->model > FM_FABRIC_TENSION)
        return fm_fail_number(err, object, "model", f->model, "an fm_fabric_model");
    if (!check_number(object, "spring", f->spring, 1e-9, 1e9, "1e-9 to 1e9 N/m", err) ||
        !check_number(object, "rim_share", f->rim_share, 0.01, 100, "0.01 to 100", err) ||
        !check_number(object, "point_mass", f->point_mass, 0, 1e6, "0 (by area) to 1e6 kg", err) ||
        !check_number(object, "kappa", f->kappa, 0, 1e6, "0 to 1e6 1/s", err) ||
        !check_number(object, "pressure", f->pressure, -1e7, 1e7, "-1e7 to 1e7 Pa", err) ||
        !check_number(object, "courant", f->courant, 0, 4, "0 (chosen) to 4", err) ||
        !check_number(object, "reflection_distance", f->reflection_distance, 0, 1,
                      "0 (from the mesh) to 1 m", err))
        return false;
    bool drag = def->drag.model != FM_DRAG_NONE;
    if (drag && f->external_velocity)
        return fm_fail(err, FM_BAD_VALUE, object, "external_velocity", "with drag",
                       "drag.model none: the medium would move the fabric twice");
    if (drag && f->kappa > 0 && def->integrator != FM_KICK_DRIFT_KICK)
        return fm_fail(err, FM_BAD_VALUE, object, "kappa", "with drag and an explicit integrator",
                       "kick-drift-kick, or drag.model none");
    if (f->reflection && def->contact.enabled)
        return fm_fail(err, FM_BAD_VALUE, object, "reflection", "with contact",
                       "one of reflection and contact");
    return true;
}

// Adds a fabric to a cloth that is being created, and gives all particles its mass per point.
bool fm_fabric_create(fm_cloth *c, const fm_fabric_def *def, fm_error *err)
{
    c->fabric = fm_arena_alloc(&c->arena, 1, sizeof *c->fabric, c->object.name, err);
    if (!c->fabric)
        return false;
    c->fabric->def = *def;
    c->def.stretch.stiffness = 2 / sqrt(3) * def->spring; // for messages: of a regular mesh
    for (int i = 0; i < c->count && def->point_mass > 0; i++)
        c->mass[i] = def->point_mass;
    return true;
}

// N/m, constant of the spring on an edge. border: the edge has one triangle.
double fm_fabric_edge_constant(const fm_fabric_def *def, bool border)
{
    return def->spring * (border ? def->rim_share : 1);
}

// Computes the rest vectors of the edges, which have the direction of the initial edges and their
// rest lengths, and what depends on all of them: reflection and the bound on the substep.
bool fm_fabric_finish(fm_cloth *c, fm_error *err)
{
    const fm_spring_mesh *mesh = &c->mesh;
    fm_fabric *fabric = c->fabric;
    fabric->rest_vector = fm_vec3_array_create(
        &c->arena, fm_parallel_block_count(mesh->edge_count, FM_LANES) * FM_LANES, err);
    if (!fabric->rest_vector.x)
        return false;
    for (int e = 0; e < mesh->edge_count; e++) {
        fm_vec3 d = fm_sub(fm_vec3_array_at(c->x, mesh->edge_b[e]),
                           fm_vec3_array_at(c->x, mesh->edge_a[e]));
        d = fm_scale(d, mesh->edge_rest[e] / fm_length(d));
        fabric->rest_vector.x[e] = d.x, fabric->rest_vector.y[e] = d.y;
        fabric->rest_vector.z[e] = d.z;
    }
    return fm_reflection_create(c, err) && fm_fabric_find_bound(c, err);
}
