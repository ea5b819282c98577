// SPDX-License-Identifier: MIT
// figures.c: the keys of figures (people that wear cloth), and names of bones such as
// "woman.pelvis".
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

static const char *const looks[] = {"skin", "bones", NULL};

// Offset of a member in the definition of a figure.
#define DEF(member) offsetof(fm_figure_def, member)

static const fm_entry walk_entries[] = {
    {"speed", FM_KEY_NUMBER, DEF(walk.speed), "m/s", WITHIN(0.05, 2.5),
     .about = "walking speed after the ramp; people walk at 0.8 to 1.6 m/s"},
    {"stride", FM_KEY_NUMBER, DEF(walk.stride), "m", ABOVE(0, 3),
     .about =
         "distance between two footprints of the same foot, 0.2 to 1 times the height; without "
         "it chosen from the speed"},
    {"ramp", FM_KEY_NUMBER, DEF(ramp), "s", WITHIN(0.1, 1e3),
     .about = "time from standing to full speed"},
    {"start", FM_KEY_NUMBER, DEF(start), "s", WITHIN(0, 1e6), .about = "when walking begins"},
};
static const fm_table walk_table = {.name = "walk",
                                    .about = "Walks straight ahead without end.",
                                    .entries = walk_entries,
                                    .count = COUNT(walk_entries)};

static const fm_entry dance_entries[] = {
    {"tempo", FM_KEY_NUMBER, DEF(dance.tempo), .range = WITHIN(0.1, 4),
     .about = "speed of the dance; at 1 a phrase takes 6 s and a full turn 24 s"},
    {"energy", FM_KEY_NUMBER, DEF(dance.energy), .range = WITHIN(0, 1.5),
     .about = "size of all gestures; 1 is normal"},
    {"ramp", FM_KEY_NUMBER, DEF(ramp), "s", WITHIN(0.1, 1e3),
     .about = "time from standing to dancing"},
    {"start", FM_KEY_NUMBER, DEF(start), "s", WITHIN(0, 1e6), .about = "when dancing begins"},
};
static const fm_table dance_table = {
    .name = "dance",
    .about =
        "Dances slowly, as under water: the figure rises from the floor, turns, bends and sweeps "
        "its arms.",
    .entries = dance_entries,
    .count = COUNT(dance_entries)};

static const fm_entry motion_entries[] = {
    {"walk", FM_KEY_MAPPING, .table = &walk_table, .choice = true, .kind = FM_FIGURE_WALK,
     .about = "walks straight ahead"},
    {"dance", FM_KEY_MAPPING, .table = &dance_table, .choice = true, .kind = FM_FIGURE_DANCE,
     .about = "dances slowly, as under water"},
};
static const fm_table motion_table = {
    .name = "figure motion",
    .about = "Motion of the figure: the word `stand`, or one of the keys below. It starts at rest.",
    .entries = motion_entries,
    .count = COUNT(motion_entries),
    .word = "stand",
    .has_kind = true,
    .kind_offset = DEF(motion),
};

static const fm_entry figure_entries[] = {
    {"height", FM_KEY_NUMBER, offsetof(fm_scene_figure, def.height), "m", WITHIN(0.5, 3),
     .about = "from the floor to the top of the head"},
    {"origin", FM_KEY_VECTOR, offsetof(fm_scene_figure, def.origin), "m", WITHIN(-1e6, 1e6),
     .about = "point on the floor between the feet"},
    {"facing", FM_KEY_NUMBER, offsetof(fm_scene_figure, def.facing), "degrees", WITHIN(-1e6, 1e6),
     .scale = FM_DEGREE, .about = "direction of view about the y axis; 0 is along z, 90 along x"},
    {"motion", FM_KEY_MAPPING, offsetof(fm_scene_figure, def), .table = &motion_table,
     .about = "how the figure moves"},
    {"hips", FM_KEY_NUMBER, offsetof(fm_scene_figure, def.hips), .range = WITHIN(0.5, 2),
     .about = "girth of the hips, relative to an adult"},
    {"waist", FM_KEY_NUMBER, offsetof(fm_scene_figure, def.waist), .range = WITHIN(0.5, 2),
     .about = "girth of the waist, relative to an adult"},
    {"chest", FM_KEY_NUMBER, offsetof(fm_scene_figure, def.chest), .range = WITHIN(0.5, 2),
     .about = "girth of the chest, relative to an adult"},
    {"limbs", FM_KEY_NUMBER, offsetof(fm_scene_figure, def.limbs), .range = WITHIN(0.5, 2),
     .about = "girth of arms and legs, relative to an adult"},
    {"arms", FM_KEY_NUMBER, offsetof(fm_scene_figure, def.arms), "degrees", WITHIN(0, 90),
     .scale = FM_DEGREE,
     .about = "angle between arms and body at time 0; raised arms give room to sew a garment, and "
              "the motion lowers them to 14 degrees within its ramp"},
    {"friction", FM_KEY_NUMBER, offsetof(fm_scene_figure, friction), .range = WITHIN(0, 1e3),
     .about = "Coulomb friction coefficient of the skin"},
    {"look", FM_KEY_WORD, offsetof(fm_scene_figure, look), .words = looks, .not_hashed = true,
     .about = "how pictures show it: as a smooth body, or as the collider shapes of its bones"},
};

// Default values of the keys of a figure.
static void set_figure_defaults(void *object)
{
    fm_scene_figure *figure = object;
    figure->def = fm_default_figure_def();
    figure->friction = 0.3;
}

// Refuses strides that do not suit the height of the figure; motion/figure.c has the same limits.
static void check_figure(fm_decoder *d, const fm_node *node, const void *object)
{
    const fm_figure_def *def = &((const fm_scene_figure *)object)->def;
    double stride = def->walk.stride;
    const fm_node *motion = fm_node_find(node, "motion");
    const fm_node *walk = motion ? fm_node_find(motion, "walk") : NULL;
    const fm_node *given = walk ? fm_node_find(walk, "stride") : NULL;
    if (given && (stride < 0.2 * def->height || stride > def->height))
        fm_loader_add_mistake(d->loader, given->place,
                              "%s.motion.walk.stride is %g, at this height allowed is %g to %g m",
                              d->path, stride, 0.2 * def->height, def->height);
}

const fm_table fm_figure_table = {
    .name = "figure",
    .about =
        "A person that wears cloth. Its bones are colliders, and motions that pins can follow: "
        "NAME.pelvis, .spine, .chest, .shoulders, .neck, .head, .left_upper_arm, "
        ".left_forearm, .left_hand, .left_thigh, .left_shin, .left_foot, and the right ones. "
        "At time 0 it stands; place garments around that pose.",
    .size = sizeof(fm_scene_figure),
    .set_defaults = set_figure_defaults,
    .entries = figure_entries,
    .count = COUNT(figure_entries),
    .check = check_figure,
};

// Splits "woman.left_thigh" into the name of a figure and a bone; false for any other text.
bool fm_scene_split_bone_name(const char *text, char figure[FM_SCENE_NAME_MAX + 1], fm_bone *bone)
{
    const char *dot = strchr(text, '.');
    if (!dot || dot - text > FM_SCENE_NAME_MAX)
        return false;
    snprintf(figure, FM_SCENE_NAME_MAX + 1, "%.*s", (int)(dot - text), text);
    *bone = fm_bone_find(dot + 1);
    return *bone < FM_BONE_COUNT;
}
