// SPDX-License-Identifier: MIT
// fluid_kind.c: the kind fluids.NAME.sph: checks the keys of a particle fluid and builds it.
#include "scene/fluid_kind.h"

#include "particles/particles.h"

// Adds boxes of particles, sources, sinks and body-force regions (pushes) to the fluid.
static void fill_fluid(const fm_scene_fluid *fluid, fm_particles *particles, fm_error *err)
{
    const fm_scene_fluid_box *boxes = fluid->boxes.data;
    const fm_scene_fluid_source *sources = fluid->sources.data;
    const fm_scene_fluid_sink *sinks = fluid->sinks.data;
    const fm_scene_fluid_push *pushes = fluid->pushes.data;
    for (int i = 0; i < fluid->boxes.count && err->status == FM_OK; i++) {
        fm_fluid_box box = boxes[i].box;
        box.seed = (uint64_t)boxes[i].seed;
        fm_particles_add_box(particles, &box, err);
        fm_scene_locate_error(err, boxes[i].item.node);
    }
    for (int i = 0; i < fluid->sources.count && err->status == FM_OK; i++) {
        fm_particles_add_source(particles, &sources[i].source, err);
        fm_scene_locate_error(err, sources[i].item.node);
    }
    for (int i = 0; i < fluid->sinks.count && err->status == FM_OK; i++)
        fm_particles_add_sink(particles, &sinks[i].sink, err);
    for (int i = 0; i < fluid->pushes.count && err->status == FM_OK; i++)
        fm_particles_add_push(particles, &pushes[i].push, err);
}

// Creates a particle fluid with its boxes, sources, sinks and body-force regions.
void fm_scene_build_particles(fm_builder *b, const fm_scene_object *object,
                              const fm_scene_fluid *fluid, const fm_particles_def *from,
                              fm_error *err)
{
    fm_particles_def def = *from;
    def.name = object->item.name;
    def.domain.motion = fm_builder_find_motion(b, fluid->motion, err);
    fm_particles *particles = fm_particles_create(b->world, &def, err);
    fm_scene_locate_error(err, object->item.node);
    if (particles)
        fill_fluid(fluid, particles, err);
}

// Creates a particle fluid with the definition of its keys.
static void build_fluid(fm_builder *b, const fm_scene_object *object, fm_error *err)
{
    const fm_scene_fluid *fluid = object->def;
    fm_scene_build_particles(b, object, fluid, &fluid->def, err);
}

// Checks the mapping `fractional` of a fluid (viscosity on a fractional derivative), which is
// `node`. A fluid allows only some of the ways in which a derivative can look back.
void fm_scene_check_fractional_keys(fm_decoder *d, const fm_node *node, const void *object)
{
    const fm_fractional *f = &((const fm_scene_fluid *)object)->def.fractional;
    fm_place place = fm_node_find_place(node, "memory", NULL, NULL);
    bool steps = f->memory.kind == FM_RECALL_STEPS;
    if (f->memory.kind == FM_RECALL_SECONDS)
        fm_loader_add_mistake(d->loader, place,
                              "%s.memory is seconds, allowed in a fluid is steps, fading or full",
                              d->path);
    if (steps && f->memory.rule != FM_RULE_TRAPEZOID)
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "memory", "rule", NULL),
                              "%s.memory.rule is coimbra, allowed in a fluid is trapezoid",
                              d->path);
    if (steps && f->memory.steps > 1000) // the library has the same limit
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "memory", "steps", NULL),
                              "%s.memory.steps is %d, allowed in a fluid is 1 to 1000", d->path,
                              f->memory.steps);
    if (steps)
        fm_scene_check_memory_window(d, "memory", &f->memory, f->order, place);
}

// True when the interval from low to high is inside limit[0] to limit[1].
static bool is_within(double low, double high, const double limit[2])
{
    return low >= limit[0] && high <= limit[1];
}

// Boxes of fluid must lie within the domain; a scene may leave it at its default. kind: key of the
// fluid.
void fm_scene_check_fluid_boxes(fm_decoder *d, const fm_scene_object *object, const char *kind)
{
    const fm_scene_fluid *fluid = object->def;
    const fm_domain *in = &fluid->def.domain;
    const double x[2] = {in->low.x, in->high.x}, y[2] = {in->low.y, in->high.y},
                 z[2] = {in->low.z, in->high.z};
    const fm_scene_fluid_box *boxes = fluid->boxes.data;
    for (int i = 0; i < fluid->boxes.count; i++) {
        fm_vec3 low = boxes[i].box.low, high = boxes[i].box.high;
        bool good = is_within(low.x, high.x, x) && is_within(low.y, high.y, y) &&
                    (fluid->def.dimensions == 2 || is_within(low.z, high.z, z));
        if (!good)
            fm_loader_add_mistake(
                d->loader, fm_node_find_place(boxes[i].item.node, "high", NULL, NULL),
                "fluids.%s.%s.boxes[%d] goes from (%g, %g, %g) to (%g, %g, %g), allowed "
                "is within `domain`: (%g, %g, %g) to (%g, %g, %g)",
                object->item.name, kind, i, low.x, low.y, low.z, high.x, high.y, high.z, x[0], y[0],
                z[0], x[1], y[1], z[1]);
    }
}

// Boxes of fluid must lie within the domain.
static void check_boxes(fm_decoder *d, const fm_scene_object *object)
{
    fm_scene_check_fluid_boxes(d, object, "sph");
}

// Lists the settings of a fluid that do not allow this way of coupling with a body.
static int find_coupling_faults(const void *def, fm_coupling_way way, fm_coupling_fault *faults)
{
    return fm_particles_find_coupling_faults(&((const fm_scene_fluid *)def)->def, way, faults);
}

// True when the fluid measures its force on walls and colliders.
static bool has_loads(const void *def)
{
    return ((const fm_scene_fluid *)def)->def.loads;
}

const fm_scene_kind fm_scene_sph_kind = {
    .type = &fm_particles_type,
    .section = "fluids",
    .key = "sph",
    .build = build_fluid,
    .check = check_boxes,
    .find_coupling_faults = find_coupling_faults,
    .has_loads = has_loads,
};
