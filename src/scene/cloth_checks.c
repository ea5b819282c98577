// SPDX-License-Identifier: MIT
// cloth_checks.c: checks of the keys of a cloth against each other.
#include "scene/cloth_kind.h"

// Limit of damping by a derivative of low order, which acts like a spring. The library has the same
// limit: at orders below LOW_ORDER the coefficient is at most this multiple of the stretch
// stiffness.
static const double LOW_ORDER = 0.3, LARGEST_LOW_ORDER_DAMPING = 10;

// Checks the order of a fractional derivative in a force against its `memory` keys, which say how
// far back it looks. `place` is the position of these keys in the scene file.
static void check_memory_order(fm_decoder *d, const char *key, const fm_recall *memory,
                               double order, fm_place place)
{
    bool steps = memory->kind == FM_RECALL_STEPS;
    if (steps && memory->rule == FM_RULE_COIMBRA && order != 0.5)
        fm_loader_add_mistake(d->loader, place,
                              "%s.%s.rule is coimbra, which is only allowed with order 0.5",
                              d->path, key);
    fm_scene_check_memory_window(d, key, memory, order, place);
}

// True if bending is damped by a fractional derivative.
static bool has_bending_memory(const fm_cloth_def *def)
{
    return def->bend.damping.coefficient > 0 && def->bend.damping.order < 1 &&
           def->bend.stiffness > 0 && def->bend.model == FM_BEND_RIGIDITY;
}

// Checks the fractional derivatives in the damping and in the drag of a cloth.
static void check_memories(fm_decoder *d, const fm_node *node, const fm_cloth_def *def)
{
    const fm_node *drag = fm_node_find(node, "drag");
    bool damping = def->damping.coefficient > 0 && def->damping.order < 1;
    if (damping)
        check_memory_order(d, "damping.memory", &def->damping.memory, def->damping.order,
                           fm_node_find_place(node, "damping", "memory", "rule"));
    const fm_node *bend = fm_node_find(node, "bend");
    if (bend && has_bending_memory(def))
        check_memory_order(d, "bend.damping.memory", &def->bend.damping.memory,
                           def->bend.damping.order,
                           fm_node_find_place(bend, "damping", "memory", "rule"));
    if (drag && def->drag.model == FM_DRAG_PUBLISHED && def->drag.history.coefficient > 0)
        check_memory_order(d, "drag.history.memory", &def->drag.history.memory,
                           def->drag.history.order,
                           fm_node_find_place(drag, "history", "memory", "rule"));
    if (damping && def->damping.order < LOW_ORDER &&
        def->damping.coefficient > LARGEST_LOW_ORDER_DAMPING * def->stretch.stiffness)
        fm_loader_add_mistake(
            d->loader, fm_node_find_place(node, "damping", "coefficient", NULL),
            "%s.damping.coefficient is %g, at orders below 0.3 allowed is at most 10 times "
            "stretch.stiffness",
            d->path, def->damping.coefficient);
}

// Refuses integrators that do not support physical drag or forces with a fractional derivative.
static void check_integrator(fm_decoder *d, const fm_node *node, const fm_cloth_def *def)
{
    bool damping = def->damping.coefficient > 0 && def->damping.order < 1;
    bool drag = def->drag.model == FM_DRAG_PUBLISHED && def->drag.history.coefficient > 0;
    bool bend = has_bending_memory(def);
    bool inner = def->integrator == FM_VERLET || def->integrator == FM_RK2 ||
                 def->integrator == FM_RK4; // stages within a step
    fm_place place = fm_node_find_place(node, "integrator", NULL, NULL);
    if (def->integrator == FM_AUTOMATIC)
        return;
    if (def->integrator == FM_IMPLICIT || def->integrator == FM_IMPLICIT_EULER) {
        if (def->enforcement.method != FM_ENFORCE_NONE)
            fm_loader_add_mistake(d->loader, place,
                                  "%s.integrator: enforcement needs kick-drift-kick", d->path);
        if (def->repulsion.enabled)
            fm_loader_add_mistake(d->loader, place,
                                  "%s.integrator: repulsion needs kick-drift-kick", d->path);
        return;
    }
    if (def->integrator != FM_KICK_DRIFT_KICK && def->drag.model == FM_DRAG_PHYSICAL)
        fm_loader_add_mistake(
            d->loader, place,
            "%s.integrator: drag.model physical needs kick-drift-kick or implicit", d->path);
    else if (inner && (damping || drag))
        fm_loader_add_mistake(d->loader, place,
                              "%s.integrator: %s has a memory, which verlet, rk2 and rk4 do not "
                              "support",
                              d->path, drag ? "drag.history" : "damping");
    else if (def->integrator > FM_EULER && bend)
        fm_loader_add_mistake(
            d->loader, place,
            "%s.integrator: bend.damping has a memory, which needs kick-drift-kick or euler",
            d->path);
}

// Checks the keys of a cloth against each other. object: an fm_scene_cloth.
void fm_scene_check_cloth_keys(fm_decoder *d, const fm_node *node, const void *object)
{
    const fm_scene_cloth *cloth = object;
    check_memories(d, node, &cloth->def);
    check_integrator(d, node, &cloth->def);
    fm_scene_check_cloth_places(d, node, cloth);
}
