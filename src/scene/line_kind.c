// SPDX-License-Identifier: MIT
// line_kind.c: the kinds bodies.NAME.line and bodies.NAME.load: checks their keys and builds them.
#include "scene/line_kind.h"

#include "cloth/cloth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Pins the chosen ends of strands.
static void add_pin(fm_builder *b, fm_cloth *cloth, const fm_scene_strands *strands,
                    const fm_scene_line_pin *pin, fm_error *err)
{
    const int *chosen = pin->strands.data;
    int count = 0, picked = pin->strands.count > 0 ? pin->strands.count : strands->strand_count;
    size_t room = (size_t)strands->starts[strands->strand_count] + 1;
    int *list = malloc(2 * room * (size_t)(pin->strands.count + 1) * sizeof *list);
    fm_motion *motion = fm_builder_find_motion(b, pin->motion, err);
    if (!list)
        fm_fail_no_memory(err, "scene", room * sizeof *list);
    for (int i = 0; i < picked && list && err->status == FM_OK; i++) {
        int s = pin->strands.count > 0 ? chosen[i] : i;
        if (s >= strands->strand_count) {
            char allowed[48];
            snprintf(allowed, sizeof allowed, "0 to %d, the strands of the line",
                     strands->strand_count - 1);
            fm_fail_number(err, fm_cloth_name(cloth), "strands", s, allowed);
            break;
        }
        int first = strands->starts[s], last = strands->starts[s + 1];
        for (int k = first; k < last; k++) {
            bool at_first = k - first < pin->points && pin->end != FM_SCENE_END_LAST;
            bool at_last = last - 1 - k < pin->points && pin->end != FM_SCENE_END_FIRST;
            if (at_first || at_last)
                list[count++] = strands->points[k];
        }
    }
    if (list && err->status == FM_OK)
        fm_cloth_pin_list(cloth, list, count, motion, err);
    if (isfinite(pin->release))
        fm_cloth_release_at(cloth, pin->release, err);
    free(list);
    fm_scene_locate_error(err, pin->item.node);
}

// The particle of a point of a body's mesh; welded vertices share one.
static int find_particle(fm_object *object, int point)
{
    int count;
    fm_cloth *cloth = fm_object_cloth(object);
    const int *particles = cloth ? fm_cloth_vertices(cloth, &count) : NULL;
    return particles ? particles[point] : point;
}

// Ties end points of the strands to points of a body. ends: FM_SCENE_END_FIRST, _LAST or _BOTH.
static void tie_ends(fm_builder *b, fm_cloth *cloth, int ends, const fm_scene_body_points *to,
                     fm_error *err)
{
    int count, *list = fm_scene_list_body_points(b->world, to, &count, err);
    int strands = fm_line_strand_count(cloth), next = 0, before = -1;
    int wanted = ends == FM_SCENE_END_BOTH ? 2 * strands : strands;
    fm_object *body = list ? fm_world_find_object(b->world, to->body) : NULL;
    if (list && count != 1 && count != wanted) {
        char allowed[48];
        snprintf(allowed, sizeof allowed, "1 point, or %d, one for each end", wanted);
        fm_fail_number(err, fm_cloth_name(cloth), "ties", count, allowed);
        free(list);
        return;
    }
    for (int k = 0; k < 2 * strands && list && err->status == FM_OK; k++) {
        int pair[2];
        fm_line_ends(cloth, k / 2, pair);
        if (ends != FM_SCENE_END_BOTH && ends != k % 2)
            continue;
        int own = pair[k % 2], point = list[count == 1 ? 0 : next++];
        if (own != before) // the strands of a fan share their last point
            fm_world_tie(b->world, fm_cloth_object(cloth), own, body, find_particle(body, point),
                         err);
        before = own;
    }
    free(list);
}

// Creates a line with its pins and ties.
static void build_line(fm_builder *b, const fm_scene_object *object, fm_error *err)
{
    const fm_scene_line *line = object->def;
    const fm_node *node = fm_node_find(object->item.node, "line");
    fm_line_def def = line->def;
    fm_scene_strands made;
    def.name = object->item.name;
    fm_cloth *cloth = NULL;
    if (fm_scene_strands_create(line, b->world, &made, err)) {
        fm_strands strands = {.positions = made.positions,
                              .point_count = made.point_count,
                              .points = made.points,
                              .starts = made.starts,
                              .strand_count = made.strand_count,
                              .lengths = made.lengths,
                              .velocity = line->velocity};
        cloth = fm_line_create(b->world, &def, &strands, err);
    }
    fm_scene_locate_error(err, node);
    const fm_scene_line_pin *pins = line->pins.data;
    for (int i = 0; i < line->pins.count && cloth && err->status == FM_OK; i++)
        add_pin(b, cloth, &made, &pins[i], err);
    fm_scene_strands_destroy(&made);
    if (cloth && err->status == FM_OK && line->shape == FM_SCENE_LINE_FAN) {
        tie_ends(b, cloth, FM_SCENE_END_FIRST, &line->fan.from, err);
        fm_scene_locate_error(err, fm_node_find(node, "fan"));
    }
    const fm_scene_tie *ties = line->ties.data;
    for (int i = 0; i < line->ties.count && cloth && err->status == FM_OK; i++) {
        tie_ends(b, cloth, ties[i].end, &ties[i].to, err);
        fm_scene_locate_error(err, ties[i].item.node);
    }
}

// Creates a load.
static void build_load(fm_builder *b, const fm_scene_object *object, fm_error *err)
{
    fm_load_def def = *(const fm_load_def *)object->def;
    def.name = object->item.name;
    fm_load_create(b->world, &def, err);
    fm_scene_locate_error(err, object->item.node);
}

// Checks the points of another body that a fan or tie refers to. key: of the fan or tie in `node`.
static void check_body_points(fm_decoder *d, const fm_node *node, const char *key,
                              const fm_scene_body_points *from)
{
    if (from->group && from->vertices.count > 0)
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "vertices", NULL, NULL),
                              "%s.%s has group and vertices: only one of them is allowed", d->path,
                              key);
}

// Checks keys of a line against each other. object: an fm_scene_line.
void fm_scene_check_line_keys(fm_decoder *d, const fm_node *node, const void *object)
{
    const fm_scene_line *line = object;
    const fm_scene_tie *ties = line->ties.data;
    const fm_line_def *def = &line->def;
    if (line->shape == FM_SCENE_LINE_FAN)
        check_body_points(d, fm_node_find(node, "fan"), "fan", &line->fan.from);
    for (int i = 0; i < line->ties.count; i++)
        check_body_points(d, ties[i].item.node, "ties", &ties[i].to);
    if (def->damping.coefficient > 0 && def->damping.order < 1)
        fm_scene_check_memory_window(d, "damping.memory", &def->damping.memory, def->damping.order,
                                     fm_node_find_place(node, "damping", "memory", NULL));
}

// True if body `name` stands before `object` in the scene.
static bool stands_before(const fm_decoder *d, const fm_scene_object *object, const char *name)
{
    const fm_node *bodies = fm_node_find(d->root, "bodies");
    for (const fm_node *each = bodies ? bodies->first : NULL; each; each = each->next) {
        if (strcmp(each->key, object->item.name) == 0)
            return false;
        if (strcmp(each->key, name) == 0)
            return true;
    }
    return false;
}

// Reports a body that a line refers to and that does not stand before it in the scene.
static void check_order(fm_decoder *d, const fm_scene_object *object, const char *key,
                        const fm_node *node, const char *body)
{
    if (body && !stands_before(d, object, body))
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "body", NULL, NULL),
                              "bodies.%s.line.%s.body is \"%s\", which must stand before \"%s\" in "
                              "the scene",
                              object->item.name, key, body, object->item.name);
}

// A line is built from the points of the bodies that it is tied to, so these must stand before it.
static void check_line(fm_decoder *d, const fm_scene_object *object)
{
    const fm_scene_line *line = object->def;
    const fm_scene_tie *ties = line->ties.data;
    const fm_node *node = fm_node_find(object->item.node, "line");
    if (line->shape == FM_SCENE_LINE_FAN)
        check_order(d, object, "fan", fm_node_find(node, "fan"), line->fan.from.body);
    for (int i = 0; i < line->ties.count; i++)
        check_order(d, object, "ties", ties[i].item.node, ties[i].to.body);
}

// Number of points of a line that is known without building it, for checks of probes.
static int count_line_points(const void *def)
{
    const fm_scene_line *line = def;
    int strands = line->shape == FM_SCENE_LINE_STRANDS ? line->strands.count
                  : line->shape == FM_SCENE_LINE_HAIR  ? line->hair.count
                                                       : 1; // of a fan, the first strand at least
    return strands * (line->segments + 1);
}

static int count_load_points(const void *def)
{
    (void)def;
    return 1;
}

static const char *refuse_uv(const void *def)
{
    (void)def;
    return "is not allowed: lines and loads have no width and height; use `particle`";
}

// Lists the settings of a line that do not allow this way of coupling with a fluid.
static int find_line_faults(const void *def, fm_coupling_way way, fm_coupling_fault *faults)
{
    const fm_line_def *line = &((const fm_scene_line *)def)->def;
    fm_cloth_def cloth = fm_default_cloth_def();
    cloth.damping.coefficient = line->damping.coefficient;
    cloth.damping.order = line->damping.order;
    cloth.damping.memory = line->damping.memory;
    return fm_cloth_find_coupling_faults(&cloth, way, faults);
}

const fm_scene_kind fm_scene_line_kind = {
    .type = &fm_line_type,
    .section = "bodies",
    .key = "line",
    .build = build_line,
    .find_coupling_faults = find_line_faults,
    .check = check_line,
    .count_points = count_line_points,
    .refuse_uv = refuse_uv,
};

const fm_scene_kind fm_scene_load_kind = {
    .type = &fm_load_type,
    .section = "bodies",
    .key = "load",
    .build = build_load,
    .count_points = count_load_points,
    .refuse_uv = refuse_uv,
};
