// SPDX-License-Identifier: MIT
// figures.c: the keys of figures, and the names of their bones where motions are named.
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

static const char *const looks[] = {"skin", "bones", NULL};

#define DEF(member) offsetof(fm_figure_def, member)
#define DEGREE (FM_PI / 180)

static const fm_entry walk_entries[] = {
    {"speed", FM_KEY_NUMBER, DEF(walk.speed), "m/s", WITHIN(0.05, 2.5),
     .about = "once it is going; people take 0.8 to 1.6"},
    {"stride", FM_KEY_NUMBER, DEF(walk.stride), "m", ABOVE(0, 3),
     .about = "from a footprint to the next of the same foot, 0.2 to 1 of the height; without it "
              "what suits the speed"},
    {"ramp", FM_KEY_NUMBER, DEF(ramp), "s", WITHIN(0.1, 1e3),
     .about = "from standing to the full speed"},
    {"start", FM_KEY_NUMBER, DEF(start), "s", WITHIN(0, 1e6), .about = "until then it stands"},
};
static const fm_table walk_table = {.name = "walk",
                                    .about = "Straight on, where it faces, for ever.",
                                    .entries = walk_entries,
                                    .count = COUNT(walk_entries)};

static const fm_entry dance_entries[] = {
    {"tempo", FM_KEY_NUMBER, DEF(dance.tempo), .range = WITHIN(0.1, 4),
     .about = "at 1 a phrase takes 6 s and a turn 24 s"},
    {"energy", FM_KEY_NUMBER, DEF(dance.energy), .range = WITHIN(0, 1.5),
     .about = "size of every gesture"},
    {"ramp", FM_KEY_NUMBER, DEF(ramp), "s", WITHIN(0.1, 1e3), .about = "from standing to dancing"},
    {"start", FM_KEY_NUMBER, DEF(start), "s", WITHIN(0, 1e6), .about = "until then it stands"},
};
static const fm_table dance_table = {
    .name = "dance",
    .about = "Slowly, as under water: it rises from the floor, turns, bends, lets its arms sweep.",
    .entries = dance_entries,
    .count = COUNT(dance_entries)};

static const fm_entry motion_entries[] = {
    {"walk", FM_KEY_MAPPING, .table = &walk_table, .choice = true, .kind = FM_FIGURE_WALK,
     .about = "straight on"},
    {"dance", FM_KEY_MAPPING, .table = &dance_table, .choice = true, .kind = FM_FIGURE_DANCE,
     .about = "slowly, as under water"},
};
static const fm_table motion_table = {
    .name = "figure motion",
    .about = "What it does: the word `stand`, or one of the keys below. It begins at rest.",
    .entries = motion_entries,
    .count = COUNT(motion_entries),
    .word = "stand",
    .has_kind = true,
    .kind_offset = DEF(motion),
};

static const fm_entry figure_entries[] = {
    {"height", FM_KEY_NUMBER, offsetof(fm_scene_figure, def.height), "m", WITHIN(0.5, 3),
     .about = "from the floor to the top of its head"},
    {"origin", FM_KEY_VECTOR, offsetof(fm_scene_figure, def.origin), "m", WITHIN(-1e6, 1e6),
     .about = "the floor between its feet"},
    {"facing", FM_KEY_NUMBER, offsetof(fm_scene_figure, def.facing), "degrees", WITHIN(-1e6, 1e6),
     .scale = DEGREE, .about = "0 looks along z, 90 along x"},
    {"motion", FM_KEY_MAPPING, offsetof(fm_scene_figure, def), .table = &motion_table,
     .about = "what it does"},
    {"hips", FM_KEY_NUMBER, offsetof(fm_scene_figure, def.hips), .range = WITHIN(0.5, 2),
     .about = "their girth; 1 is an adult's"},
    {"waist", FM_KEY_NUMBER, offsetof(fm_scene_figure, def.waist), .range = WITHIN(0.5, 2),
     .about = "its girth"},
    {"chest", FM_KEY_NUMBER, offsetof(fm_scene_figure, def.chest), .range = WITHIN(0.5, 2),
     .about = "its girth"},
    {"limbs", FM_KEY_NUMBER, offsetof(fm_scene_figure, def.limbs), .range = WITHIN(0.5, 2),
     .about = "girth of arms and legs"},
    {"friction", FM_KEY_NUMBER, offsetof(fm_scene_figure, friction), .range = WITHIN(0, 1e3),
     .about = "Coulomb's coefficient"},
    {"look", FM_KEY_WORD, offsetof(fm_scene_figure, look), .words = looks, .aside = true,
     .about = "in pictures: a smooth body, or the shapes that cloth meets"},
};

static void set_figure_defaults(void *object)
{
    fm_scene_figure *figure = object;
    figure->def = fm_default_figure_def();
    figure->friction = 0.3;
}

static void check_figure(fm_decoder *d, const fm_node *node, const void *object)
{
    const fm_figure_def *def = &((const fm_scene_figure *)object)->def;
    double stride = def->walk.stride;
    const fm_node *motion = fm_node_find(node, "motion");
    const fm_node *walk = motion ? fm_node_find(motion, "walk") : NULL;
    const fm_node *given = walk ? fm_node_find(walk, "stride") : NULL;
    if (given && (stride < 0.2 * def->height || stride > def->height))
        fm_complain(d->loader, given->place,
                    "%s.motion.walk.stride is %g, allowed at this height is %g to %g m", d->path,
                    stride, 0.2 * def->height, def->height);
}

const fm_table fm_figure_table = {
    .name = "figure",
    .about =
        "A person that cloth can be put on. Its bones are colliders, and motions that pins can "
        "follow: NAME.pelvis, .spine, .chest, .shoulders, .neck, .head, .left_upper_arm, "
        ".left_forearm, .left_hand, .left_thigh, .left_shin, .left_foot, and the right ones. "
        "Garments are made around it as it stands at time 0.",
    .size = sizeof(fm_scene_figure),
    .set_defaults = set_figure_defaults,
    .entries = figure_entries,
    .count = COUNT(figure_entries),
    .check = check_figure,
};

bool fm_split_bone_name(const char *text, char figure[FM_SCENE_NAME_MAX + 1], fm_bone *bone)
{
    const char *dot = strchr(text, '.');
    if (!dot || dot - text > FM_SCENE_NAME_MAX)
        return false;
    snprintf(figure, FM_SCENE_NAME_MAX + 1, "%.*s", (int)(dot - text), text);
    *bone = fm_bone_find(dot + 1);
    return *bone < FM_BONE_COUNT;
}
