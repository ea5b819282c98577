// SPDX-License-Identifier: MIT
// tables.c: every key of a scene; those of cloth are in cloth_table.c, of fluids in
// fluid_table.c.
//
// A key is written down here once: reading, checking, settings, descriptions, the schema and
// docs/scenes.md all come from it.
#include "scene/scene.h"

#include <string.h>

#define SCENE(member) offsetof(fm_scene, member)

#define DEGREE (FM_PI / 180)

static const char *const interpolations[] = {"linear", "smooth", "spline", NULL};
static const char *const styles[] = {"underwater", "studio", NULL};

typedef struct axis_and_angle {
    fm_vec3 axis;
    double angle;
} axis_and_angle;

static const fm_entry rotation_entries[] = {
    {"axis", FM_KEY_VECTOR, offsetof(axis_and_angle, axis), .range = WITHIN(-1e6, 1e6),
     .needed = true, .direction = true,
     .about = "any length; it turns counterclockwise seen from its tip"},
    {"angle", FM_KEY_NUMBER, offsetof(axis_and_angle, angle), "degrees", WITHIN(-1e6, 1e6),
     .needed = true, .scale = DEGREE, .about = "how far"},
};

const fm_table fm_rotation_table = {
    .name = "rotation",
    .about = "A rotation: `{ axis: [0, 1, 0], angle: 90 }`.",
    .entries = rotation_entries,
    .count = COUNT(rotation_entries),
};

static const fm_entry uniform_entries[] = {
    {"velocity", FM_KEY_VECTOR, offsetof(fm_flow, velocity), "m/s", WITHIN(-1e4, 1e4),
     .needed = true, .about = "everywhere, always"},
};
static const fm_table uniform_table = {.name = "uniform",
                                       .about = "A steady current.",
                                       .entries = uniform_entries,
                                       .count = COUNT(uniform_entries)};

static const fm_entry oscillating_entries[] = {
    {"velocity", FM_KEY_VECTOR, offsetof(fm_flow, velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "the mean"},
    {"amplitude", FM_KEY_VECTOR, offsetof(fm_flow, amplitude), "m/s", WITHIN(-1e4, 1e4),
     .needed = true, .about = "of the velocity"},
    {"period", FM_KEY_NUMBER, offsetof(fm_flow, period), "s", ABOVE(0, 1e6), .needed = true,
     .about = "of one swing"},
    {"phase", FM_KEY_NUMBER, offsetof(fm_flow, phase), "rad", WITHIN(-1e6, 1e6),
     .about = "added in the sine"},
};
static const fm_table oscillating_table = {
    .name = "oscillating",
    .about =
        "A current to and fro, as under waves: velocity + amplitude sin(2 pi t / period + phase).",
    .entries = oscillating_entries,
    .count = COUNT(oscillating_entries),
};

static const fm_entry shear_entries[] = {
    {"velocity", FM_KEY_VECTOR, offsetof(fm_flow, velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "at the centre"},
    {"amplitude", FM_KEY_VECTOR, offsetof(fm_flow, amplitude), "m/s", WITHIN(-1e4, 1e4),
     .needed = true, .about = "what is added at the distance radius along the axis"},
    {"axis", FM_KEY_VECTOR, offsetof(fm_flow, axis), .range = WITHIN(-1e6, 1e6), .needed = true,
     .direction = true, .about = "along which it changes"},
    {"centre", FM_KEY_VECTOR, offsetof(fm_flow, centre), "m", WITHIN(-1e6, 1e6),
     .about = "where nothing is added"},
    {"radius", FM_KEY_NUMBER, offsetof(fm_flow, radius), "m", ABOVE(0, 1e6), .needed = true,
     .about = "where the amplitude is reached"},
};
static const fm_table shear_table = {
    .name = "shear",
    .entries = shear_entries,
    .count = COUNT(shear_entries),
    .about = "A current that changes along an axis: velocity + amplitude (axis . (x - centre)) / "
             "radius."};

static const fm_entry vortex_entries[] = {
    {"velocity", FM_KEY_VECTOR, offsetof(fm_flow, velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "added everywhere"},
    {"speed", FM_KEY_NUMBER, offsetof(fm_flow, amplitude.x), "m/s", WITHIN(0, 1e4), .needed = true,
     .about = "the largest, at the radius"},
    {"axis", FM_KEY_VECTOR, offsetof(fm_flow, axis), .range = WITHIN(-1e6, 1e6), .needed = true,
     .direction = true, .about = "about which it turns, counterclockwise seen from its tip"},
    {"centre", FM_KEY_VECTOR, offsetof(fm_flow, centre), "m", WITHIN(-1e6, 1e6),
     .about = "a point of the axis"},
    {"radius", FM_KEY_NUMBER, offsetof(fm_flow, radius), "m", ABOVE(0, 1e6), .needed = true,
     .about = "solid within, 1/r outside"},
};
static const fm_table vortex_table = {.name = "vortex",
                                      .about = "One whirl about an axis.",
                                      .entries = vortex_entries,
                                      .count = COUNT(vortex_entries)};

static const fm_entry cells_entries[] = {
    {"velocity", FM_KEY_VECTOR, offsetof(fm_flow, velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "added everywhere"},
    {"speed", FM_KEY_NUMBER, offsetof(fm_flow, amplitude.x), "m/s", WITHIN(0, 1e4), .needed = true,
     .about = "the largest"},
    {"axis", FM_KEY_VECTOR, offsetof(fm_flow, axis), .range = WITHIN(-1e6, 1e6), .needed = true,
     .direction = true, .about = "about which they turn"},
    {"centre", FM_KEY_VECTOR, offsetof(fm_flow, centre), "m", WITHIN(-1e6, 1e6),
     .about = "a corner between cells"},
    {"radius", FM_KEY_NUMBER, offsetof(fm_flow, radius), "m", ABOVE(0, 1e6), .needed = true,
     .about = "the size of a cell"},
};
static const fm_table cells_table = {.name = "cells",
                                     .entries = cells_entries,
                                     .about = "Steady rows of whirls that turn against each other.",
                                     .count = COUNT(cells_entries)};

static const fm_entry flow_entries[] = {
    {"uniform", FM_KEY_MAPPING, .table = &uniform_table, .choice = true, .kind = FM_FLOW_UNIFORM,
     .about = "a steady current"},
    {"oscillating", FM_KEY_MAPPING, .table = &oscillating_table, .choice = true,
     .kind = FM_FLOW_OSCILLATING, .about = "to and fro, as under waves"},
    {"shear", FM_KEY_MAPPING, .table = &shear_table, .choice = true, .kind = FM_FLOW_SHEAR,
     .about = "changes along an axis"},
    {"vortex", FM_KEY_MAPPING, .table = &vortex_table, .choice = true, .kind = FM_FLOW_VORTEX,
     .about = "one whirl"},
    {"cells", FM_KEY_MAPPING, .table = &cells_table, .choice = true, .kind = FM_FLOW_CELLS,
     .about = "rows of whirls"},
};
static const fm_table flow_table = {
    .name = "flow",
    .about =
        "How the medium moves by itself: the word `still`, or one of the keys below. Cloth does "
        "not disturb it.",
    .entries = flow_entries,
    .count = COUNT(flow_entries),
    .word = "still",
    .has_kind = true,
    .kind_offset = offsetof(fm_flow, kind),
};

static const fm_entry medium_entries[] = {
    {"density", FM_KEY_NUMBER, SCENE(world.medium.density), "kg/m^3", WITHIN(0, 1e5),
     .about = "0 is a vacuum, air 1.2, water 1000"},
    {"viscosity", FM_KEY_NUMBER, SCENE(world.medium.viscosity), "Pa s", WITHIN(0, 1e6),
     .about = "dynamic; water 1e-3"},
    {"flow", FM_KEY_MAPPING, SCENE(world.medium.flow), .table = &flow_table,
     .about = "how it moves by itself"},
};
static const fm_table medium_table = {.name = "medium",
                                      .about = "What everything is immersed in.",
                                      .entries = medium_entries,
                                      .count = COUNT(medium_entries)};

static const fm_entry world_entries[] = {
    {"frames", FM_KEY_INTEGER, SCENE(frames), .range = WITHIN(0, 10000000), .aside = true,
     .about = "how many are simulated after the first, which is the beginning"},
    {"fps", FM_KEY_NUMBER, SCENE(fps), "1/s", ABOVE(0, 1e5), .about = "frames per second"},
    {"gravity", FM_KEY_VECTOR, SCENE(world.gravity), "m/s^2", WITHIN(-1e4, 1e4),
     .about = "y is up"},
    {"threads", FM_KEY_INTEGER, SCENE(world.threads), .range = WITHIN(0, 256), .aside = true,
     .about = "0: one per processor; results do not depend on it"},
};
static const fm_table world_table = {.name = "world",
                                     .about = "Time, gravity, and how it is run.",
                                     .entries = world_entries,
                                     .count = COUNT(world_entries)};

static const fm_entry sine_entries[] = {
    {"axis", FM_KEY_VECTOR, offsetof(fm_scene_motion, sine.axis), .range = WITHIN(-1e6, 1e6),
     .needed = true, .direction = true, .about = "along which it goes; any length"},
    {"amplitude", FM_KEY_NUMBER, offsetof(fm_scene_motion, sine.amplitude), "m", WITHIN(-1e4, 1e4),
     .needed = true, .about = "to one side"},
    {"period", FM_KEY_NUMBER, offsetof(fm_scene_motion, sine.period), "s", ABOVE(0, 1e6),
     .needed = true, .about = "of there and back"},
    {"phase", FM_KEY_NUMBER, offsetof(fm_scene_motion, sine.phase), "rad", WITHIN(-1e6, 1e6),
     .about = "added in the sine; other than 0 it begins displaced"},
};
static const fm_table sine_table = {
    .name = "sine",
    .about = "There and back along an axis: amplitude sin(2 pi t / period + phase).",
    .entries = sine_entries,
    .count = COUNT(sine_entries),
};

static const fm_entry turn_entries[] = {
    {"axis", FM_KEY_VECTOR, offsetof(fm_turn, axis), .range = WITHIN(-1e6, 1e6), .needed = true,
     .direction = true, .about = "turns counterclockwise seen from its tip"},
    {"pivot", FM_KEY_VECTOR, offsetof(fm_turn, pivot), "m", WITHIN(-1e6, 1e6),
     .about = "a point of the axis"},
    {"angle", FM_KEY_NUMBER, offsetof(fm_turn, angle), "degrees", WITHIN(-1e6, 1e6),
     .scale = DEGREE, .about = "at the beginning"},
    {"rate", FM_KEY_NUMBER, offsetof(fm_turn, rate), "degrees/s", WITHIN(-1e6, 1e6),
     .scale = DEGREE, .about = "of a steady turn"},
    {"amplitude", FM_KEY_NUMBER, offsetof(fm_turn, amplitude), "degrees", WITHIN(-1e6, 1e6),
     .scale = DEGREE, .about = "of a swing to and fro"},
    {"period", FM_KEY_NUMBER, offsetof(fm_turn, period), "s", ABOVE(0, 1e6),
     .about = "of that swing; needed when there is an amplitude"},
    {"phase", FM_KEY_NUMBER, offsetof(fm_turn, phase), "rad", WITHIN(-1e6, 1e6),
     .about = "added in the sine"},
};
static const fm_table turn_table = {
    .name = "turn",
    .about = "About an axis by angle + rate t + amplitude sin(2 pi t / period + phase).",
    .entries = turn_entries,
    .count = COUNT(turn_entries),
    .check = fm_check_turn,
};

static const fm_entry key_entries[] = {
    {"time", FM_KEY_NUMBER, offsetof(fm_scene_key, key.time), "s", WITHIN(-1e6, 1e6),
     .needed = true, .about = "later than that of the key before"},
    {"position", FM_KEY_VECTOR, offsetof(fm_scene_key, key.position), "m", WITHIN(-1e6, 1e6),
     .about = "displacement from where things are made"},
    {"rotation", FM_KEY_ROTATION, offsetof(fm_scene_key, key.rotation),
     .about = "about the pivot; the shorter way from key to key"},
};
static const fm_table key_table = {.name = "key",
                                   .about = "Where it is at a time.",
                                   .size = sizeof(fm_scene_key),
                                   .entries = key_entries,
                                   .count = COUNT(key_entries)};

static const fm_entry keyframes_entries[] = {
    {"interpolation", FM_KEY_WORD, offsetof(fm_scene_motion, interpolation),
     .words = interpolations,
     .about = "straight from key to key; resting at each key; smooth through the keys"},
    {"pivot", FM_KEY_VECTOR, offsetof(fm_scene_motion, pivot), "m", WITHIN(-1e6, 1e6),
     .about = "about which rotations turn"},
    {"keys", FM_KEY_LIST, offsetof(fm_scene_motion, keys), .range = WITHIN(0, 100000),
     .table = &key_table, .needed = true, .about = "one or more, in the order of their times"},
};
static const fm_table keyframes_table = {
    .name = "keyframes",
    .about =
        "Through given places at given times; at rest before the first key and after the last.",
    .entries = keyframes_entries,
    .count = COUNT(keyframes_entries),
};

static const fm_entry motion_entries[] = {
    {"sine", FM_KEY_MAPPING, .table = &sine_table, .choice = true, .kind = FM_SCENE_SINE,
     .about = "there and back"},
    {"turn", FM_KEY_MAPPING, offsetof(fm_scene_motion, turn), .table = &turn_table, .choice = true,
     .kind = FM_SCENE_TURN, .about = "about an axis"},
    {"keyframes", FM_KEY_MAPPING, .table = &keyframes_table, .choice = true,
     .kind = FM_SCENE_KEYFRAMES, .about = "through given places"},
    {"compose", FM_KEY_NAMES, offsetof(fm_scene_motion, parts), .section = "motions",
     .choice = true, .kind = FM_SCENE_COMPOSE,
     .about = "names of other motions, done one after the other: the first innermost"},
};

static void set_motion_defaults(void *object)
{
    fm_scene_motion *motion = object;
    motion->interpolation = FM_INTERPOLATE_SPLINE;
}

static const fm_table motion_table = {
    .name = "motion",
    .about = "How pins and colliders move: the word `none`, or one of the keys below.",
    .size = sizeof(fm_scene_motion),
    .set_defaults = set_motion_defaults,
    .entries = motion_entries,
    .count = COUNT(motion_entries),
    .word = "none",
    .has_kind = true,
    .kind_offset = offsetof(fm_scene_motion, kind),
    .check = fm_check_motion,
};

static const fm_entry body_entries[] = {
    {"cloth", FM_KEY_MAPPING, offsetof(fm_scene_body, cloth), .table = &fm_cloth_table,
     .choice = true, .kind = FM_SCENE_CLOTH, .about = "cloth"},
};

static void set_body_defaults(void *object)
{
    fm_scene_body *body = object;
    fm_cloth_table.set_defaults(&body->cloth);
}

static const fm_table body_table = {
    .name = "body",
    .about = "What is simulated. The name is that of its files.",
    .size = sizeof(fm_scene_body),
    .set_defaults = set_body_defaults,
    .entries = body_entries,
    .count = COUNT(body_entries),
    .has_kind = true,
    .kind_offset = offsetof(fm_scene_body, kind),
};

static const fm_entry plane_entries[] = {
    {"centre", FM_KEY_VECTOR, offsetof(fm_shape, centre), "m", WITHIN(-1e6, 1e6),
     .about = "a point of the plane"},
    {"normal", FM_KEY_VECTOR, offsetof(fm_shape, normal), .range = WITHIN(-1e6, 1e6),
     .direction = true, .about = "out of the solid; any length"},
};
static const fm_table plane_table = {.name = "plane",
                                     .about = "All that is below a plane.",
                                     .entries = plane_entries,
                                     .count = COUNT(plane_entries)};

static const fm_entry sphere_entries[] = {
    {"centre", FM_KEY_VECTOR, offsetof(fm_shape, centre), "m", WITHIN(-1e6, 1e6),
     .about = "its middle"},
    {"radius", FM_KEY_NUMBER, offsetof(fm_shape, radius), "m", ABOVE(0, 1e6), .needed = true,
     .about = "its size"},
};
static const fm_table sphere_table = {.name = "sphere",
                                      .about = "A ball.",
                                      .entries = sphere_entries,
                                      .count = COUNT(sphere_entries)};

static const fm_entry capsule_entries[] = {
    {"start", FM_KEY_VECTOR, offsetof(fm_shape, start), "m", WITHIN(-1e6, 1e6), .needed = true,
     .about = "one end of its axis"},
    {"end", FM_KEY_VECTOR, offsetof(fm_shape, end), "m", WITHIN(-1e6, 1e6), .needed = true,
     .about = "the other"},
    {"radius", FM_KEY_NUMBER, offsetof(fm_shape, radius), "m", ABOVE(0, 1e6), .needed = true,
     .about = "about the axis"},
    {"end_radius", FM_KEY_NUMBER, offsetof(fm_shape, end_radius), "m", ABOVE(0, 1e6),
     .about = "at the end; without it the same as radius"},
};
static const fm_table capsule_table = {.name = "capsule",
                                       .about = "A rod with round ends.",
                                       .entries = capsule_entries,
                                       .count = COUNT(capsule_entries)};

static const fm_entry box_entries[] = {
    {"centre", FM_KEY_VECTOR, offsetof(fm_shape, centre), "m", WITHIN(-1e6, 1e6),
     .about = "its middle"},
    {"half_size", FM_KEY_VECTOR, offsetof(fm_shape, half_size), "m", ABOVE(0, 1e6), .needed = true,
     .about = "half its size along x, y, z"},
    {"rotation", FM_KEY_ROTATION, offsetof(fm_shape, rotation), .about = "about its centre"},
};
static const fm_table box_table = {
    .name = "box", .about = "A block.", .entries = box_entries, .count = COUNT(box_entries)};

static const fm_entry shape_entries[] = {
    {"plane", FM_KEY_MAPPING, .table = &plane_table, .choice = true, .kind = FM_SHAPE_PLANE,
     .about = "all that is below a plane"},
    {"sphere", FM_KEY_MAPPING, .table = &sphere_table, .choice = true, .kind = FM_SHAPE_SPHERE,
     .about = "a ball"},
    {"capsule", FM_KEY_MAPPING, .table = &capsule_table, .choice = true, .kind = FM_SHAPE_CAPSULE,
     .about = "a rod with round ends"},
    {"box", FM_KEY_MAPPING, .table = &box_table, .choice = true, .kind = FM_SHAPE_BOX,
     .about = "a block"},
};

const fm_table fm_shape_table = {
    .name = "region",
    .about = "A region of space: one of plane, sphere, capsule, box, written as colliders are.",
    .entries = shape_entries,
    .count = COUNT(shape_entries),
    .has_kind = true,
    .kind_offset = offsetof(fm_shape, kind),
    .borrows = true,
};

static const fm_entry cylinder_entries[] = {
    {"start", FM_KEY_VECTOR, offsetof(fm_shape, start), "m", WITHIN(-1e6, 1e6), .needed = true,
     .about = "middle of one end"},
    {"end", FM_KEY_VECTOR, offsetof(fm_shape, end), "m", WITHIN(-1e6, 1e6), .needed = true,
     .about = "middle of the other"},
    {"radius", FM_KEY_NUMBER, offsetof(fm_shape, radius), "m", ABOVE(0, 1e6), .needed = true,
     .about = "about the axis"},
};
static const fm_table cylinder_table = {.name = "cylinder",
                                        .about = "A rod with flat ends.",
                                        .entries = cylinder_entries,
                                        .count = COUNT(cylinder_entries),
                                        .check = fm_check_axis};

static const fm_entry cone_entries[] = {
    {"start", FM_KEY_VECTOR, offsetof(fm_shape, start), "m", WITHIN(-1e6, 1e6), .needed = true,
     .about = "middle of its foot"},
    {"end", FM_KEY_VECTOR, offsetof(fm_shape, end), "m", WITHIN(-1e6, 1e6), .needed = true,
     .about = "its tip, or the middle of its top"},
    {"radius", FM_KEY_NUMBER, offsetof(fm_shape, radius), "m", ABOVE(0, 1e6), .needed = true,
     .about = "of its foot"},
    {"end_radius", FM_KEY_NUMBER, offsetof(fm_shape, end_radius), "m", WITHIN(0, 1e6),
     .about = "of its top; 0: a tip"},
};
static const fm_table cone_table = {.name = "cone",
                                    .about = "A cone, with a tip or cut off.",
                                    .entries = cone_entries,
                                    .count = COUNT(cone_entries),
                                    .check = fm_check_axis};

static const fm_entry ellipsoid_entries[] = {
    {"centre", FM_KEY_VECTOR, offsetof(fm_shape, centre), "m", WITHIN(-1e6, 1e6),
     .about = "its middle"},
    {"half_size", FM_KEY_VECTOR, offsetof(fm_shape, half_size), "m", ABOVE(0, 1e6), .needed = true,
     .about = "half its size along x, y, z"},
    {"rotation", FM_KEY_ROTATION, offsetof(fm_shape, rotation), .about = "about its centre"},
};
static const fm_table ellipsoid_table = {.name = "ellipsoid",
                                         .about = "A ball drawn out along three axes.",
                                         .entries = ellipsoid_entries,
                                         .count = COUNT(ellipsoid_entries)};

static const fm_entry mesh_entries[] = {
    {"file", FM_KEY_FILE, offsetof(fm_scene_solid, file), .needed = true,
     .about = "an OBJ file; closed it is solid, open a shell"},
    {"scale", FM_KEY_NUMBER, offsetof(fm_scene_solid, scale), .range = ABOVE(0, 1e6),
     .about = "m for each unit of the file"},
    {"origin", FM_KEY_VECTOR, offsetof(fm_scene_solid, origin), "m", WITHIN(-1e6, 1e6),
     .about = "where the file's origin goes"},
    {"rotation", FM_KEY_ROTATION, offsetof(fm_scene_solid, rotation),
     .about = "about the file's origin"},
    {"thickness", FM_KEY_NUMBER, offsetof(fm_scene_solid, thickness), "m", ABOVE(0, 1e3),
     .about = "of a mesh that is not closed; more than what moves in a substep"},
};
static const fm_table mesh_table = {.name = "mesh",
                                    .about = "Triangles from a file. Scale, rotation and origin "
                                             "are for its animation too.",
                                    .entries = mesh_entries,
                                    .count = COUNT(mesh_entries)};

static const fm_entry animation_entries[] = {
    {"files", FM_KEY_FILE, offsetof(fm_scene_animation, file), .choice = true,
     .kind = FM_FRAMES_SEQUENCE + 1,
     .about = "an OBJ file for each frame, with %d or %04d for its number: walk.%04d.obj"},
    {"pc2", FM_KEY_FILE, offsetof(fm_scene_animation, file), .choice = true,
     .kind = FM_FRAMES_PC2 + 1, .about = "a point cache, as fathom and Blender export it"},
    {"mdd", FM_KEY_FILE, offsetof(fm_scene_animation, file), .choice = true,
     .kind = FM_FRAMES_MDD + 1, .about = "the same in LightWave's format, with times"},
    {"fps", FM_KEY_NUMBER, offsetof(fm_scene_animation, fps), "1/s", ABOVE(0, 1e5),
     .about = "frames per second; without it what an mdd file says, else 24"},
    {"start", FM_KEY_NUMBER, offsetof(fm_scene_animation, start), "s", WITHIN(-1e6, 1e6),
     .about = "when frame 0 is; before its first frame and after its last the mesh rests"},
    {"interpolation", FM_KEY_WORD, offsetof(fm_scene_animation, interpolation),
     .words = interpolations,
     .about = "straight from frame to frame; resting at each; smooth through them"},
};
static const fm_table animation_table = {
    .name = "animation",
    .about = "Where the vertices of a mesh are, frame by frame.",
    .entries = animation_entries,
    .count = COUNT(animation_entries),
    .has_kind = true,
    .kind_offset = offsetof(fm_scene_animation, kind),
};

static const fm_entry collider_entries[] = {
    {"plane", FM_KEY_MAPPING, offsetof(fm_scene_collider, def.shape), .table = &plane_table,
     .choice = true, .kind = FM_SHAPE_PLANE, .about = "all that is below a plane"},
    {"sphere", FM_KEY_MAPPING, offsetof(fm_scene_collider, def.shape), .table = &sphere_table,
     .choice = true, .kind = FM_SHAPE_SPHERE, .about = "a ball"},
    {"capsule", FM_KEY_MAPPING, offsetof(fm_scene_collider, def.shape), .table = &capsule_table,
     .choice = true, .kind = FM_SHAPE_CAPSULE, .about = "a rod with round ends"},
    {"box", FM_KEY_MAPPING, offsetof(fm_scene_collider, def.shape), .table = &box_table,
     .choice = true, .kind = FM_SHAPE_BOX, .about = "a block"},
    {"cylinder", FM_KEY_MAPPING, offsetof(fm_scene_collider, def.shape), .table = &cylinder_table,
     .choice = true, .kind = FM_SHAPE_CYLINDER, .about = "a rod with flat ends"},
    {"cone", FM_KEY_MAPPING, offsetof(fm_scene_collider, def.shape), .table = &cone_table,
     .choice = true, .kind = FM_SHAPE_CONE, .about = "with a tip, or cut off"},
    {"ellipsoid", FM_KEY_MAPPING, offsetof(fm_scene_collider, def.shape), .table = &ellipsoid_table,
     .choice = true, .kind = FM_SHAPE_ELLIPSOID, .about = "a ball drawn out along three axes"},
    {"mesh", FM_KEY_MAPPING, offsetof(fm_scene_collider, mesh), .table = &mesh_table,
     .choice = true, .kind = FM_SHAPE_MESH, .about = "triangles from a file"},
    {"animation", FM_KEY_MAPPING, offsetof(fm_scene_collider, animation), .table = &animation_table,
     .about = "of a mesh: its vertices frame by frame"},
    {"motion", FM_KEY_NAME, offsetof(fm_scene_collider, motion), .section = "motions",
     .about = "what it follows; without it it stays"},
    {"friction", FM_KEY_NUMBER, offsetof(fm_scene_collider, def.friction), .range = WITHIN(0, 1e3),
     .about = "Coulomb's coefficient"},
    {"mass", FM_KEY_NUMBER, offsetof(fm_scene_collider, def.mass), "kg", WITHIN(0, 1e9),
     .about =
         "above 0: it moves freely, pushed by fluids and its weight; cloth meets it but does not "
         "push it. Spheres only. In 2D per metre of depth"},
    {"velocity", FM_KEY_VECTOR, offsetof(fm_scene_collider, def.velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "of a free one at the beginning"},
    {"clear", FM_KEY_BOOLEAN, offsetof(fm_scene_collider, def.clear),
     .about = "pictures show it as glass; for what is closed"},
};

static void set_collider_defaults(void *object)
{
    fm_scene_collider *collider = object;
    collider->def = fm_default_collider_def();
    collider->mesh = (fm_scene_solid){.scale = 1, .rotation = {0, 0, 0, 1}, .thickness = 0.01};
    collider->animation.interpolation = FM_INTERPOLATE_SPLINE;
}

static const fm_table collider_table = {
    .name = "collider",
    .about = "What bodies and fluids may not enter: one of the shapes below.",
    .size = sizeof(fm_scene_collider),
    .set_defaults = set_collider_defaults,
    .entries = collider_entries,
    .count = COUNT(collider_entries),
    .has_kind = true,
    .kind_offset = offsetof(fm_scene_collider, def.shape.kind),
    .check = fm_check_collider,
};

static const char *field_at(int index)
{
    int count;
    const fm_field *fields = fm_cloth_fields(&count);
    return index >= 0 && index < count ? fields[index].name : NULL;
}

static int field_index(const char *name)
{
    int i = 0;
    while (field_at(i) && strcmp(field_at(i), name) != 0)
        i++;
    return i;
}

static const fm_entry probe_entries[] = {
    {"body", FM_KEY_NAME, offsetof(fm_scene_probe, body), .section = "bodies", .needed = true,
     .about = "whose numbers are written"},
    {"at", FM_KEY_PAIR, offsetof(fm_scene_probe, at), .range = WITHIN(0, 1),
     .about = "fractions of width and height of a sheet, of the way around and down of a tube: "
              "survives refinement; without it the mean over the body, by mass"},
    {"particle", FM_KEY_INTEGER, offsetof(fm_scene_probe, particle), .range = WITHIN(0, 16777215),
     .about = "one particle instead; of a mesh, a vertex of its file, from 0"},
    {"measure", FM_KEY_WORDS, offsetof(fm_scene_probe, measures), .word_at = field_at,
     .about = "position gives NAME.x NAME.y NAME.z, others NAME.velocity.x..., NAME.stretch"},
};

static void set_probe_defaults(void *object)
{
    fm_scene_probe *probe = object;
    probe->at[0] = probe->at[1] = -1;
    probe->particle = -1;
    probe->default_measure = field_index("position");
    probe->measures = (fm_items){&probe->default_measure, 1};
}

static const fm_table probe_table = {
    .name = "probe",
    .about = "Columns of `probes.csv` that follow a point of a body.",
    .size = sizeof(fm_scene_probe),
    .set_defaults = set_probe_defaults,
    .entries = probe_entries,
    .count = COUNT(probe_entries),
    .check = fm_check_probe,
};

static const char *const checks[] = {"none", "intersections", NULL};

static void apply_check(void *object)
{
    fm_scene *scene = object;
    scene->world.check_intersections = scene->check != 0;
}

static const fm_entry output_entries[] = {
    {"checkpoint", FM_KEY_NUMBER, SCENE(checkpoint_seconds), "s", WITHIN(0, 1e6), .aside = true,
     .about = "of animation from one checkpoint to the next; 0: none"},
    {"keep", FM_KEY_INTEGER, SCENE(checkpoints_kept), .range = WITHIN(1, 1000000), .aside = true,
     .about = "how many of the newest checkpoints stay"},
    {"fields", FM_KEY_WORDS, SCENE(fields), .word_at = field_at,
     .about = "what is written with each particle; positions always are"},
    {"check", FM_KEY_WORD, SCENE(check), .words = checks, .after = apply_check,
     .about = "what is counted besides, in stats.csv: intersections of surfaces with contact, "
              "pinched pairs and the least distance"},
};
static const fm_table output_table = {.name = "output",
                                      .about = "What a run leaves behind.",
                                      .entries = output_entries,
                                      .count = COUNT(output_entries)};

static const fm_entry camera_entries[] = {
    {"position", FM_KEY_VECTOR, SCENE(camera.position), "m", WITHIN(-1e6, 1e6),
     .about = "where it is"},
    {"target", FM_KEY_VECTOR, SCENE(camera.target), "m", WITHIN(-1e6, 1e6),
     .about = "what it looks at"},
    {"up", FM_KEY_VECTOR, SCENE(camera.up), .range = WITHIN(-1e6, 1e6), .direction = true,
     .about = "what is up in the picture"},
    {"field_of_view", FM_KEY_NUMBER, SCENE(camera.field_of_view), "degrees", BETWEEN(0, 180),
     .scale = DEGREE, .about = "from the lower edge of the picture to the upper"},
    {"follow", FM_KEY_NAME, SCENE(camera.follow), .section = "colliders",
     .about = "a collider, or a bone of a figure, along with which it goes"},
};
static const fm_table camera_table = {.name = "camera",
                                      .about = "From where pictures are taken.",
                                      .entries = camera_entries,
                                      .count = COUNT(camera_entries)};

static const fm_entry look_entries[] = {
    {"style", FM_KEY_WORD, SCENE(look.style), .words = styles,
     .about = "light through water, or a plain studio"},
    {"background", FM_KEY_VECTOR, SCENE(look.background), "red, green, blue", WITHIN(0, 1),
     .about = "the colour far away: of the water, or of the room; without it the style's own"},
    {"cloth", FM_KEY_VECTOR, SCENE(look.cloth), "red, green, blue", WITHIN(0, 1),
     .about = "the colour of cloth"},
    {"particles", FM_KEY_NUMBER, SCENE(look.particles), .range = ABOVE(0, 4),
     .about = "how large particles of fluids are drawn: 1 touch each other, 0.3 show what is "
              "between them"},
    {"water", FM_KEY_VECTOR, SCENE(look.water), "red, green, blue", WITHIN(0, 1),
     .about = "what one metre of a fluid leaves of the light that goes through it; without it, it "
              "is chosen from the size of the scene"},
};
static const fm_table look_table = {.name = "look",
                                    .about = "How pictures look.",
                                    .entries = look_entries,
                                    .count = COUNT(look_entries)};

static const fm_entry scene_entries[] = {
    {"about", FM_KEY_TEXT, SCENE(about), .needed = true, .aside = true,
     .about = "what is to be seen, in one line"},
    {"source", FM_KEY_TEXT, SCENE(source), .needed = true, .aside = true,
     .about = "where it comes from: a paper and figure, or who made it"},
    {"extend", FM_KEY_TEXT, SCENE(extend), .aside = true,
     .about =
         "another file, relative to this one; what is written here is laid over it, key by key"},
    {"world", FM_KEY_MAPPING, .table = &world_table, .about = "time, gravity, and how it is run"},
    {"medium", FM_KEY_MAPPING, .table = &medium_table, .about = "what everything is immersed in"},
    {"motions", FM_KEY_NAMED, SCENE(motions), .table = &motion_table, .range = WITHIN(0, 1024),
     .about = "how pins, colliders and tanks move, by name"},
    {"bodies", FM_KEY_NAMED, SCENE(bodies), .table = &body_table, .range = WITHIN(0, 1024),
     .about = "what is simulated, by name"},
    {"fluids", FM_KEY_NAMED, SCENE(fluids), .table = &fm_fluid_table, .range = WITHIN(0, 1024),
     .about = "fluids that are simulated, by name"},
    {"coupling", FM_KEY_LIST, SCENE(coupling), .table = &fm_coupling_table,
     .range = WITHIN(0, 1024), .about = "which bodies are in which fluids"},
    {"colliders", FM_KEY_NAMED, SCENE(colliders), .table = &collider_table,
     .range = WITHIN(0, 1024), .about = "what bodies and fluids may not enter, by name"},
    {"figures", FM_KEY_NAMED, SCENE(figures), .table = &fm_figure_table, .range = WITHIN(0, 50),
     .about = "people that cloth can be put on, by name"},
    {"probes", FM_KEY_NAMED, SCENE(probes), .table = &probe_table, .range = WITHIN(0, 1024),
     .about = "numbers written at every frame, by name"},
    {"output", FM_KEY_MAPPING, .table = &output_table, .about = "what a run leaves behind"},
    {"camera", FM_KEY_MAPPING, .table = &camera_table, .aside = true,
     .about = "from where pictures are taken"},
    {"look", FM_KEY_MAPPING, .table = &look_table, .aside = true, .about = "how pictures look"},
};

static void set_scene_defaults(void *object)
{
    fm_scene *scene = object;
    scene->default_fields[0] = field_index("velocity");
    scene->default_fields[1] = field_index("stretch");
    scene->fields = (fm_items){scene->default_fields, 2};
    scene->world = fm_default_world_def();
    scene->frames = 240;
    scene->fps = 24;
    scene->checkpoint_seconds = 1;
    scene->checkpoints_kept = 10;
    scene->camera =
        (fm_scene_camera){{0.9, -0.1, 1.6}, {0.2, -0.3, 0}, {0, 1, 0}, 35 * DEGREE, NULL};
    scene->look = (fm_scene_look){0, {0, 0, 0}, {0.85, 0.8, 0.7}, 1, {0, 0, 0}};
}

const fm_table fm_scene_table = {
    .name = "scene",
    .about = "A scene file.",
    .size = sizeof(fm_scene),
    .set_defaults = set_scene_defaults,
    .entries = scene_entries,
    .count = COUNT(scene_entries),
    .check = fm_check_scene,
};
