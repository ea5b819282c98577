// SPDX-License-Identifier: MIT
// memory_keys.c: the keys `memory` of cloths and fluids, which say how far back a fractional
// derivative looks.
#include "scene/scene.h"

// Lowest order of a derivative over a window of the past; at lower orders the truncation adds
// energy. The library has the same limit.
static const double LOWEST_WINDOW_ORDER = 0.31;

static const char *const rules[] = {"trapezoid", "coimbra", NULL};

// The key `rule` (quadrature rule) only applies to a derivative over the last `steps` substeps.
static void check_memory_keys(fm_decoder *d, const fm_node *node, const void *object)
{
    const fm_recall *memory = object;
    const fm_node *rule = fm_node_find(node, "rule");
    if (rule && memory->kind != FM_RECALL_STEPS)
        fm_loader_add_mistake(d->loader, rule->key_place, "%s.rule is only allowed with steps",
                              d->path);
}

// Refuses a fractional derivative of this order that is truncated to the last `steps` or `seconds`,
// if the order is so low that the truncation adds energy.
void fm_scene_check_memory_window(fm_decoder *d, const char *key, const fm_recall *memory,
                                  double order, fm_place place)
{
    bool window = memory->kind == FM_RECALL_STEPS || memory->kind == FM_RECALL_SECONDS;
    if (window && order < LOWEST_WINDOW_ORDER && !memory->unsafe)
        fm_loader_add_mistake(
            d->loader, place,
            "%s.%s is a window (steps or seconds), which adds energy at orders below 0.31; "
            "allowed are full and fading (or `unsafe: true`, for study)",
            d->path, key);
}

static const fm_entry memory_entries[] = {
    {"full", FM_KEY_BOOLEAN, .choice = true, .kind = FM_RECALL_FULL, .not_stored = true,
     .about = "the whole past; this form is for use with tolerance or horizon"},
    {"steps", FM_KEY_INTEGER, offsetof(fm_recall, steps), .range = WITHIN(1, 1000000),
     .choice = true, .kind = FM_RECALL_STEPS,
     .about = "only this many substeps back, as in the papers; results depend on the substep"},
    {"seconds", FM_KEY_NUMBER, offsetof(fm_recall, seconds), "s", ABOVE(0, 1000), .choice = true,
     .kind = FM_RECALL_SECONDS, .about = "only this many seconds back"},
    {"fading", FM_KEY_NUMBER, offsetof(fm_recall, fading), "s", ABOVE(0, 1e6), .choice = true,
     .kind = FM_RECALL_FADING, .about = "the whole past, weighted with e^(-t/fading)"},
    {"rule", FM_KEY_WORD, offsetof(fm_recall, rule), .words = rules,
     .about = "quadrature for steps; coimbra is the published one and needs order 0.5"},
    {"tolerance", FM_KEY_NUMBER, offsetof(fm_recall, tolerance), .range = BETWEEN(1e-12, 0.1),
     .about = "relative error of the kernel; for full and fading"},
    {"horizon", FM_KEY_NUMBER, offsetof(fm_recall, horizon), "s", ABOVE(0, 1e9),
     .about = "time span fitted at first; longer pasts cost more exponentials; for full"},
    {"unsafe", FM_KEY_BOOLEAN, offsetof(fm_recall, unsafe),
     .about = "allow steps and seconds at orders below 0.31, where they add energy; for study"},
};

const fm_table fm_memory_keys_table = {
    .name = "memory",
    .about =
        "How far back a fractional derivative looks: the word `full`, or one of the keys below.",
    .entries = memory_entries,
    .count = COUNT(memory_entries),
    .word = "full",
    .has_kind = true,
    .kind_offset = offsetof(fm_recall, kind),
    .check = check_memory_keys,
};
