// SPDX-License-Identifier: MIT
// flowing.c: the cloth of [SJ] in a grid fluid, coupled in several ways.
#include "flowing.h"

const char *const flowing_names[FLOWING_WAYS] = {"uniform", "one-way", "by-drag", "two-way"};

fm_cloth_def flowing_cloth_def(flowing_way way, double sigma, double stiffness, double drag)
{
    fm_cloth_def def = fm_default_cloth_def();
    def.thickness = 5e-4;
    def.density = sigma / def.thickness;
    def.stretch.stiffness = stiffness;
    def.shear.stiffness = 0.5 * stiffness;
    def.bend.model = FM_BEND_SPRINGS;
    def.bend.stiffness = 0.02 * stiffness;
    def.bend.damping.coefficient = 0;
    def.damping.coefficient = 0;
    def.imperfection.amount = 1e-3;
    def.enforcement.method = FM_ENFORCE_ITERATIVE;
    def.enforcement.iterations = 3;
    def.enforcement.threshold = 0.1;
    def.enforcement.target = FM_TARGET_THRESHOLD;
    def.enforcement.compression = def.enforcement.shear = true;
    def.drag.model = FM_DRAG_NORMAL;
    def.drag.normal = drag;
    def.integrator = FM_EULER;
    def.time_step = 5e-4;
    if (way == FLOWING_TWO_WAY) {
        def.drag.model = FM_DRAG_NONE;
        def.integrator = FM_KICK_DRIFT_KICK;
        def.time_step = 0;
    }
    return def;
}

void flowing_couple(const flowing *f, flowing_way way, fm_error *err)
{
    static const fm_coupling_way ways[FLOWING_WAYS] = {FM_COUPLING_ONE_WAY, FM_COUPLING_ONE_WAY,
                                                       FM_COUPLING_BY_DRAG, FM_COUPLING_TWO_WAY};
    if (err->status == FM_OK && way != FLOWING_UNIFORM)
        fm_world_couple_objects(f->world, fm_cloth_object(f->cloth), fm_grid_object(f->grid),
                                ways[way], err);
}

fm_vec3 flowing_velocity(const flowing *f, fm_vec3 at, fm_error *err)
{
    fm_vec3 u = {0, 0, 0};
    if (f->grid && err->status == FM_OK)
        fm_grid_sample(f->grid, &at, 1, &u, err);
    return u;
}
