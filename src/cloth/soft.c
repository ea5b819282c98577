// SPDX-License-Identifier: MIT
// soft.c: creates soft bodies: definition, checks, measures.
//
//     F = alpha F_body + beta F_fluidity + gamma F_volume + delta F_gravity    [MES] eq. (1)
//
// F_body are springs, bending and their damping, whose coefficients are multiplied by alpha, and
// struts (struts.c). The other forces are in fluidity.c, enclosed_gas.c and weight.c.
#include "cloth/cloth.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

// Weights alpha, gamma and delta of 1; without fluidity (beta 0), gas and struts.
fm_soft_def fm_default_soft_def(void)
{
    return (fm_soft_def){
        .alpha = 1,
        .beta = 0,
        .gamma = 1,
        .delta = 1,
        .fluidity = {.stiffness = 1, .form = FM_FLUIDITY_SYMMETRIC, .dimensions = 2},
        .gas = {.ambient = 101325, .density = 1.2, .pump = {.end = INFINITY, .limit = 1000}},
        .struts = {.friction = 0.1},
    };
}

// A skin of 1 mm with the density of water, without drag; bending keeps the shape at the start.
fm_cloth_def fm_default_soft_cloth_def(void)
{
    fm_cloth_def def = fm_default_cloth_def();
    def.integrator = FM_KICK_DRIFT_KICK;
    def.density = 1000;
    def.thickness = 1e-3;
    def.stretch.stiffness = 100;
    def.bend.stiffness = 1e-5;
    def.bend.rest_angle = FM_REST_SHAPE;
    def.bend.damping.coefficient = 0;
    def.damping.coefficient = 0.1;
    def.damping.order = 1;
    def.drag.model = FM_DRAG_NONE;
    def.imperfection.amount = 0;
    return def;
}

// The allowed range of one number.
typedef struct range {
    const char *field;
    double value, low, high;
    const char *allowed;
} range;

// Fills err and returns false at the first number outside its range.
bool fm_soft_check(const fm_soft_def *s, const char *object, fm_error *err)
{
    const range ranges[] = {
        {"spring", s->spring, 0, 1e9, "0 (by area) to 1e9 N/m"},
        {"alpha", s->alpha, 1e-9, 1e9, "1e-9 to 1e9"},
        {"beta", s->beta, 0, 1e9, "0 to 1e9"},
        {"gamma", s->gamma, 0, 1e9, "0 to 1e9"},
        {"delta", s->delta, 0, 1e9, "0 to 1e9"},
        {"fluidity.radius", s->fluidity.radius, 0, 1e3, "0 (chosen) to 1e3 m"},
        {"fluidity.stiffness", s->fluidity.stiffness, 0, 1e9, "0 to 1e9 m^2/s^2"},
        {"fluidity.viscosity", s->fluidity.viscosity, 0, 1e9, "0 to 1e9"},
        {"fluidity.form", s->fluidity.form, 0, FM_FLUIDITY_PRINTED, "an fm_fluidity_form"},
        {"fluidity.dimensions", s->fluidity.dimensions, 2, 3, "2 or 3"},
        {"gas.kind", s->gas.kind, 0, FM_GAS_CONSTANT, "an fm_gas_kind"},
        {"gas.pressure", s->gas.pressure, -1e7, 1e7, "-1e7 to 1e7 Pa"},
        {"gas.ambient", s->gas.ambient, 0, 1e8, "0 to 1e8 Pa"},
        {"gas.density", s->gas.density, 0, 1e4, "0 to 1e4 kg/m^3"},
        {"gas.pump.flow", s->gas.pump.flow, 0, 1e9, "0 to 1e9 Pa m^3/s"},
        {"gas.pump.start", s->gas.pump.start, -1e9, 1e9, "-1e9 to 1e9 s"},
        {"gas.pump.end", s->gas.pump.end, -1e9, INFINITY, "-1e9 s or more"},
        {"gas.pump.limit", s->gas.pump.limit, 0, 1e7, "0 to 1e7 Pa"},
        {"gas.leak", s->gas.leak, 0, 1e6, "0 to 1e6 m^3/s"},
        {"struts.modulus", s->struts.modulus, 0, 1e12, "0 (none) to 1e12 Pa"},
        {"struts.friction", s->struts.friction, 0, 1, "0 to 1"},
        {"smoothing", s->smoothing, 0, 1e3, "0 (chosen) to 1e3 m"},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const range *r = &ranges[i];
        if (!(r->value >= r->low && r->value <= r->high))
            return fm_fail_number(err, object, r->field, r->value, r->allowed);
    }
    if (s->gas.pump.end < s->gas.pump.start)
        return fm_fail_number(err, object, "gas.pump.end", s->gas.pump.end,
                              "at least gas.pump.start");
    if (s->gas.kind == FM_GAS_SEALED && s->gas.ambient + s->gas.pressure < 0)
        return fm_fail_number(err, object, "gas.pressure", s->gas.pressure,
                              "at least minus the ambient pressure");
    return true;
}

// Multiplies the coefficients of springs, bending and damping by alpha.
static void scale_body(fm_cloth *c, double alpha)
{
    c->def.stretch.stiffness *= alpha;
    c->def.shear.stiffness *= alpha;
    c->def.bend.stiffness *= alpha;
    c->def.bend.damping.coefficient *= alpha;
    c->def.damping.coefficient *= alpha;
}

// Makes a cloth a soft body, before its springs exist.
bool fm_soft_create(fm_cloth *c, const fm_soft_def *def, fm_error *err)
{
    c->soft = fm_arena_alloc(&c->arena, 1, sizeof *c->soft, c->object.name, err);
    if (!c->soft)
        return false;
    c->soft->def = *def;
    scale_body(c, def->alpha);
    return true;
}

// Measures the volume, once the triangles exist; gas needs a closed mesh with a positive volume.
bool fm_soft_finish(fm_cloth *c, fm_error *err)
{
    fm_soft *soft = c->soft;
    const fm_spring_mesh *mesh = &c->mesh;
    bool gas = soft->def.gas.kind != FM_GAS_NONE;
    int blocks = fm_parallel_block_count(mesh->triangle_count, FM_ELEMENT_BLOCK);
    soft->closed = 2 * mesh->edge_count == 3 * mesh->triangle_count;
    soft->partial = fm_arena_alloc(&c->arena, (size_t)blocks, sizeof(double), c->object.name, err);
    if (!soft->partial)
        return false;
    if (gas && !soft->closed)
        return fm_fail(err, FM_BAD_VALUE, c->object.name, "gas", "in an open mesh",
                       "a closed mesh, in which every edge has two triangles");
    fm_spring_mesh_compute_areas(c, &c->x, (fm_element_parts){0, 1, 1});
    soft->volume = soft->closed ? fm_soft_compute_volume(c, &c->x, NULL) : 0;
    if (gas && !(soft->volume > 0))
        return fm_fail_number(err, c->object.name, "volume", soft->volume,
                              "above 0 m^3: triangles counter-clockwise seen from outside");
    return true;
}

// The definition of a soft body; all 0 for other cloth.
fm_soft_def fm_cloth_soft_definition(const fm_cloth *cloth)
{
    assert(cloth);
    return cloth->soft ? cloth->soft->def : (fm_soft_def){0};
}

// Volume, gas, curvature and roughness now.
fm_soft_measure fm_cloth_measure_soft(const fm_cloth *c, fm_error *err)
{
    assert(err->status != FM_OK || c);
    fm_soft_measure m = {0};
    if (err->status != FM_OK)
        return m;
    if (!c->soft) {
        fm_fail(err, FM_BAD_VALUE, c->object.name, "kind", "cloth", "a soft body");
        return m;
    }
    const double SMOOTHING = 3; // default smoothing length, in mean edges
    double length =
        c->soft->def.smoothing > 0 ? c->soft->def.smoothing : SMOOTHING * c->mesh.mean_rest;
    m.volume = c->soft->closed ? fm_mesh_volume(c) : 0;
    m.pressure = fm_soft_over_pressure(c, m.volume);
    m.amount = fm_soft_gas_amount(c);
    m.curvature = fm_mesh_rms_curvature(c, err);
    m.roughness = fm_mesh_roughness(c, length, err);
    return m;
}
