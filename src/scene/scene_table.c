// SPDX-License-Identifier: MIT
// scene_table.c: the keys of a scene, except those of cloths, fluids, couplings, figures and
// fractional derivatives, which have files of their own.
//
// Each key is declared once. Decoding, checks, settings, `fathom describe`, the JSON Schema and
// docs/scenes.md all use the same tables.
#include "scene/scene.h"

#include <string.h>

// Offset of a member in the decoded scene.
#define SCENE(member) offsetof(fm_scene, member)

static const char *const interpolations[] = {"linear", "smooth", "spline", NULL};
static const char *const styles[] = {"underwater", "studio", "sky", NULL};

// The struct that the keys of a rotation are decoded into, before it becomes a quaternion.
typedef struct axis_and_angle {
    fm_vec3 axis;
    double angle;
} axis_and_angle;

static const fm_entry rotation_entries[] = {
    {"axis", FM_KEY_VECTOR, offsetof(axis_and_angle, axis), .range = WITHIN(-1e6, 1e6),
     .needed = true, .nonzero = true,
     .about = "axis of the rotation, any length; seen from its tip it turns counterclockwise"},
    {"angle", FM_KEY_NUMBER, offsetof(axis_and_angle, angle), "degrees", WITHIN(-1e6, 1e6),
     .needed = true, .scale = FM_DEGREE, .about = "angle of the rotation"},
};

const fm_table fm_rotation_table = {
    .name = "rotation",
    .about = "A rotation: `{ axis: [0, 1, 0], angle: 90 }`.",
    .entries = rotation_entries,
    .count = COUNT(rotation_entries),
};

static const fm_entry uniform_entries[] = {
    {"velocity", FM_KEY_VECTOR, offsetof(fm_flow, velocity), "m/s", WITHIN(-1e4, 1e4),
     .needed = true, .about = "velocity of the medium"},
};
static const fm_table uniform_table = {.name = "uniform",
                                       .about = "A uniform steady current.",
                                       .entries = uniform_entries,
                                       .count = COUNT(uniform_entries)};

static const fm_entry oscillating_entries[] = {
    {"velocity", FM_KEY_VECTOR, offsetof(fm_flow, velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "mean velocity"},
    {"amplitude", FM_KEY_VECTOR, offsetof(fm_flow, amplitude), "m/s", WITHIN(-1e4, 1e4),
     .needed = true, .about = "amplitude of the velocity"},
    {"period", FM_KEY_NUMBER, offsetof(fm_flow, period), "s", ABOVE(0, 1e6), .needed = true,
     .about = "period of the oscillation"},
    {"phase", FM_KEY_NUMBER, offsetof(fm_flow, phase), "rad", WITHIN(-1e6, 1e6),
     .about = "phase of the sine"},
};
static const fm_table oscillating_table = {
    .name = "oscillating",
    .about = "An oscillating current, as under waves: velocity + amplitude sin(2 pi t / period + "
             "phase).",
    .entries = oscillating_entries,
    .count = COUNT(oscillating_entries),
};

static const fm_entry shear_entries[] = {
    {"velocity", FM_KEY_VECTOR, offsetof(fm_flow, velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "velocity at the centre"},
    {"amplitude", FM_KEY_VECTOR, offsetof(fm_flow, amplitude), "m/s", WITHIN(-1e4, 1e4),
     .needed = true, .about = "velocity added at the distance `radius` along the axis"},
    {"axis", FM_KEY_VECTOR, offsetof(fm_flow, axis), .range = WITHIN(-1e6, 1e6), .needed = true,
     .nonzero = true, .about = "direction along which the velocity changes"},
    {"centre", FM_KEY_VECTOR, offsetof(fm_flow, centre), "m", WITHIN(-1e6, 1e6),
     .about = "point at which nothing is added"},
    {"radius", FM_KEY_NUMBER, offsetof(fm_flow, radius), "m", ABOVE(0, 1e6), .needed = true,
     .about = "distance at which the amplitude is reached"},
};
static const fm_table shear_table = {
    .name = "shear",
    .entries = shear_entries,
    .count = COUNT(shear_entries),
    .about = "A current that changes linearly along an axis: velocity + amplitude (axis . (x - "
             "centre)) / "
             "radius."};

static const fm_entry vortex_entries[] = {
    {"velocity", FM_KEY_VECTOR, offsetof(fm_flow, velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "velocity added everywhere"},
    {"speed", FM_KEY_NUMBER, offsetof(fm_flow, amplitude.x), "m/s", WITHIN(0, 1e4), .needed = true,
     .about = "largest speed, reached at the radius"},
    {"axis", FM_KEY_VECTOR, offsetof(fm_flow, axis), .range = WITHIN(-1e6, 1e6), .needed = true,
     .nonzero = true, .about = "axis of the vortex; seen from its tip it turns counterclockwise"},
    {"centre", FM_KEY_VECTOR, offsetof(fm_flow, centre), "m", WITHIN(-1e6, 1e6),
     .about = "a point on the axis"},
    {"radius", FM_KEY_NUMBER, offsetof(fm_flow, radius), "m", ABOVE(0, 1e6), .needed = true,
     .about = "radius of the core: rigid rotation inside, speed proportional to 1/r outside"},
};
static const fm_table vortex_table = {.name = "vortex",
                                      .about = "A single vortex (Rankine vortex).",
                                      .entries = vortex_entries,
                                      .count = COUNT(vortex_entries)};

static const fm_entry cells_entries[] = {
    {"velocity", FM_KEY_VECTOR, offsetof(fm_flow, velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "velocity added everywhere"},
    {"speed", FM_KEY_NUMBER, offsetof(fm_flow, amplitude.x), "m/s", WITHIN(0, 1e4), .needed = true,
     .about = "largest speed"},
    {"axis", FM_KEY_VECTOR, offsetof(fm_flow, axis), .range = WITHIN(-1e6, 1e6), .needed = true,
     .nonzero = true, .about = "axis of the vortices"},
    {"centre", FM_KEY_VECTOR, offsetof(fm_flow, centre), "m", WITHIN(-1e6, 1e6),
     .about = "a corner of a cell"},
    {"radius", FM_KEY_NUMBER, offsetof(fm_flow, radius), "m", ABOVE(0, 1e6), .needed = true,
     .about = "size of a cell"},
};
static const fm_table cells_table = {
    .name = "cells",
    .entries = cells_entries,
    .about = "A steady lattice of vortices; neighbours rotate in opposite directions.",
    .count = COUNT(cells_entries)};

static const fm_entry parabolic_entries[] = {
    {"velocity", FM_KEY_VECTOR, offsetof(fm_flow, velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "velocity on the axis"},
    {"amplitude", FM_KEY_VECTOR, offsetof(fm_flow, amplitude), "m/s", WITHIN(-1e4, 1e4),
     .needed = true, .about = "what is added to it at the radius"},
    {"axis", FM_KEY_VECTOR, offsetof(fm_flow, axis), .range = WITHIN(-1e6, 1e6), .needed = true,
     .nonzero = true, .about = "direction of the axis"},
    {"centre", FM_KEY_VECTOR, offsetof(fm_flow, centre), "m", WITHIN(-1e6, 1e6),
     .about = "a point on the axis"},
    {"radius", FM_KEY_NUMBER, offsetof(fm_flow, radius), "m", ABOVE(0, 1e6), .needed = true,
     .about = "distance from the axis at which the amplitude is added"},
};
static const fm_table parabolic_table = {
    .name = "parabolic",
    .entries = parabolic_entries,
    .about = "A current that changes with the square of the distance d from an axis: velocity + "
             "amplitude (d / radius)^2.",
    .count = COUNT(parabolic_entries)};

static const fm_entry flow_entries[] = {
    {"uniform", FM_KEY_MAPPING, .table = &uniform_table, .choice = true, .kind = FM_FLOW_UNIFORM,
     .about = "a uniform steady current"},
    {"oscillating", FM_KEY_MAPPING, .table = &oscillating_table, .choice = true,
     .kind = FM_FLOW_OSCILLATING, .about = "an oscillating current, as under waves"},
    {"shear", FM_KEY_MAPPING, .table = &shear_table, .choice = true, .kind = FM_FLOW_SHEAR,
     .about = "a current that changes linearly along an axis"},
    {"vortex", FM_KEY_MAPPING, .table = &vortex_table, .choice = true, .kind = FM_FLOW_VORTEX,
     .about = "a single vortex"},
    {"cells", FM_KEY_MAPPING, .table = &cells_table, .choice = true, .kind = FM_FLOW_CELLS,
     .about = "a lattice of vortices"},
    {"parabolic", FM_KEY_MAPPING, .table = &parabolic_table, .choice = true,
     .kind = FM_FLOW_PARABOLIC, .about = "a current that changes with the distance from an axis"},
};
static const fm_table flow_table = {
    .name = "flow",
    .about =
        "Flow of the medium: the word `still`, or one of the keys below. Cloth does not change "
        "it.",
    .entries = flow_entries,
    .count = COUNT(flow_entries),
    .word = "still",
    .has_kind = true,
    .kind_offset = offsetof(fm_flow, kind),
};

static const fm_entry turbulence_entries[] = {
    {"intensity", FM_KEY_NUMBER, offsetof(fm_turbulence, intensity), "m/s", WITHIN(0, 1e3),
     .about = "rms of each component of its velocity; 0: none"},
    {"length", FM_KEY_NUMBER, offsetof(fm_turbulence, length), "m", ABOVE(0, 1e4),
     .about = "size of the strongest eddies; there are some from 4 times as large to 8 times as "
              "small"},
    {"seed", FM_KEY_INTEGER, offsetof(fm_turbulence, seed), .range = WITHIN(0, 1e9),
     .about = "other eddies of the same strength for another number"},
};
static const fm_table turbulence_table = {
    .name = "turbulence",
    .about = "Random eddies on top of the flow, carried by its mean velocity. Cloth does not "
             "disturb them; a simulated fluid has its own instead.",
    .entries = turbulence_entries,
    .count = COUNT(turbulence_entries),
};

static const fm_entry medium_entries[] = {
    {"density", FM_KEY_NUMBER, SCENE(world.medium.density), "kg/m^3", WITHIN(0, 1e5),
     .about = "density; 0 is a vacuum, air 1.2, water 1000"},
    {"viscosity", FM_KEY_NUMBER, SCENE(world.medium.viscosity), "Pa s", WITHIN(0, 1e6),
     .about = "dynamic viscosity; water 1e-3"},
    {"flow", FM_KEY_MAPPING, SCENE(world.medium.flow), .table = &flow_table,
     .about = "flow of the medium"},
    {"turbulence", FM_KEY_MAPPING, SCENE(world.medium.flow.turbulence), .table = &turbulence_table,
     .about = "random eddies on top of the flow; none unless intensity is given"},
};
static const fm_table medium_table = {.name = "medium",
                                      .about = "The medium that surrounds all bodies.",
                                      .entries = medium_entries,
                                      .count = COUNT(medium_entries)};

static const fm_entry world_entries[] = {
    {"frames", FM_KEY_INTEGER, SCENE(frames), .range = WITHIN(0, 10000000), .not_hashed = true,
     .about = "number of frames to simulate after frame 0, the initial state"},
    {"fps", FM_KEY_NUMBER, SCENE(fps), "1/s", ABOVE(0, 1e5), .about = "frames per second"},
    {"gravity", FM_KEY_VECTOR, SCENE(world.gravity), "m/s^2", WITHIN(-1e4, 1e4),
     .about = "gravitational acceleration; y is up"},
    {"threads", FM_KEY_INTEGER, SCENE(world.threads), .range = WITHIN(0, 256), .not_hashed = true,
     .about = "number of threads, 0: one per processor; results do not depend on it"},
};
static const fm_table world_table = {.name = "world",
                                     .about = "Frames, gravity and threads.",
                                     .entries = world_entries,
                                     .count = COUNT(world_entries)};

static const fm_entry sine_entries[] = {
    {"axis", FM_KEY_VECTOR, offsetof(fm_scene_motion, sine.axis), .range = WITHIN(-1e6, 1e6),
     .needed = true, .nonzero = true, .about = "direction of the motion, any length"},
    {"amplitude", FM_KEY_NUMBER, offsetof(fm_scene_motion, sine.amplitude), "m", WITHIN(-1e4, 1e4),
     .needed = true, .about = "largest displacement"},
    {"period", FM_KEY_NUMBER, offsetof(fm_scene_motion, sine.period), "s", ABOVE(0, 1e6),
     .needed = true, .about = "period of the oscillation"},
    {"phase", FM_KEY_NUMBER, offsetof(fm_scene_motion, sine.phase), "rad", WITHIN(-1e6, 1e6),
     .about = "phase of the sine; unless it is 0 the motion starts displaced"},
};
static const fm_table sine_table = {
    .name = "sine",
    .about = "An oscillation along an axis: amplitude sin(2 pi t / period + phase).",
    .entries = sine_entries,
    .count = COUNT(sine_entries),
};

static const fm_entry turn_entries[] = {
    {"axis", FM_KEY_VECTOR, offsetof(fm_turn, axis), .range = WITHIN(-1e6, 1e6), .needed = true,
     .nonzero = true, .about = "axis of rotation; seen from its tip it turns counterclockwise"},
    {"pivot", FM_KEY_VECTOR, offsetof(fm_turn, pivot), "m", WITHIN(-1e6, 1e6),
     .about = "a point on the axis"},
    {"angle", FM_KEY_NUMBER, offsetof(fm_turn, angle), "degrees", WITHIN(-1e6, 1e6),
     .scale = FM_DEGREE, .about = "constant angle"},
    {"rate", FM_KEY_NUMBER, offsetof(fm_turn, rate), "degrees/s", WITHIN(-1e6, 1e6),
     .scale = FM_DEGREE, .about = "constant angular velocity"},
    {"amplitude", FM_KEY_NUMBER, offsetof(fm_turn, amplitude), "degrees", WITHIN(-1e6, 1e6),
     .scale = FM_DEGREE, .about = "amplitude of an oscillation"},
    {"period", FM_KEY_NUMBER, offsetof(fm_turn, period), "s", ABOVE(0, 1e6),
     .about = "period of the oscillation; required with an amplitude"},
    {"phase", FM_KEY_NUMBER, offsetof(fm_turn, phase), "rad", WITHIN(-1e6, 1e6),
     .about = "phase of the sine"},
};
static const fm_table turn_table = {
    .name = "turn",
    .about = "A rotation about an axis by angle + rate t + amplitude sin(2 pi t / period + phase).",
    .entries = turn_entries,
    .count = COUNT(turn_entries),
    .check = fm_scene_check_turn_keys,
};

static const fm_entry key_entries[] = {
    {"time", FM_KEY_NUMBER, offsetof(fm_scene_keyframe, key.time), "s", WITHIN(-1e6, 1e6),
     .needed = true, .about = "time of the key, later than that of the key before"},
    {"position", FM_KEY_VECTOR, offsetof(fm_scene_keyframe, key.position), "m", WITHIN(-1e6, 1e6),
     .about = "displacement from the initial position"},
    {"rotation", FM_KEY_ROTATION, offsetof(fm_scene_keyframe, key.rotation),
     .about = "rotation about the pivot; between keys it takes the shorter way"},
};
static const fm_table key_table = {.name = "key",
                                   .about = "Position and rotation at one time.",
                                   .size = sizeof(fm_scene_keyframe),
                                   .entries = key_entries,
                                   .count = COUNT(key_entries)};

static const fm_entry keyframes_entries[] = {
    {"interpolation", FM_KEY_WORD, offsetof(fm_scene_motion, interpolation),
     .words = interpolations,
     .about = "linear: straight between keys; smooth: at rest at each key; spline: a smooth curve "
              "through the keys"},
    {"pivot", FM_KEY_VECTOR, offsetof(fm_scene_motion, pivot), "m", WITHIN(-1e6, 1e6),
     .about = "centre of the rotations"},
    {"keys", FM_KEY_LIST, offsetof(fm_scene_motion, keys), .range = WITHIN(0, 100000),
     .table = &key_table, .needed = true, .about = "one or more keys, in the order of their times"},
};
static const fm_table keyframes_table = {
    .name = "keyframes",
    .about = "Moves through given positions at given times; at rest before the first key and after "
             "the last.",
    .entries = keyframes_entries,
    .count = COUNT(keyframes_entries),
};

static const fm_entry motion_entries[] = {
    {"sine", FM_KEY_MAPPING, .table = &sine_table, .choice = true, .kind = FM_SCENE_MOTION_SINE,
     .about = "an oscillation along an axis"},
    {"turn", FM_KEY_MAPPING, offsetof(fm_scene_motion, turn), .table = &turn_table, .choice = true,
     .kind = FM_SCENE_MOTION_TURN, .about = "a rotation about an axis"},
    {"keyframes", FM_KEY_MAPPING, .table = &keyframes_table, .choice = true,
     .kind = FM_SCENE_MOTION_KEYFRAMES, .about = "positions and rotations at given times"},
    {"compose", FM_KEY_NAMES, offsetof(fm_scene_motion, parts), .section = "motions",
     .choice = true, .kind = FM_SCENE_MOTION_COMPOSE,
     .about = "names of other motions that are combined; the first is applied first"},
};

// Default values of the keys of a motion.
static void set_motion_defaults(void *object)
{
    fm_scene_motion *motion = object;
    motion->interpolation = FM_INTERPOLATE_SPLINE;
}

static const fm_table motion_table = {
    .name = "motion",
    .about = "A motion of pins, colliders or tanks: the word `none`, or one of the keys below.",
    .size = sizeof(fm_scene_motion),
    .set_defaults = set_motion_defaults,
    .entries = motion_entries,
    .count = COUNT(motion_entries),
    .word = "none",
    .has_kind = true,
    .kind_offset = offsetof(fm_scene_motion, kind),
    .check = fm_scene_check_motion_keys,
};

static const fm_entry plane_entries[] = {
    {"centre", FM_KEY_VECTOR, offsetof(fm_shape, centre), "m", WITHIN(-1e6, 1e6),
     .about = "a point on the plane"},
    {"normal", FM_KEY_VECTOR, offsetof(fm_shape, normal), .range = WITHIN(-1e6, 1e6),
     .nonzero = true, .about = "direction out of the solid, any length"},
};
static const fm_table plane_table = {.name = "plane",
                                     .about = "The half-space below a plane.",
                                     .entries = plane_entries,
                                     .count = COUNT(plane_entries)};

static const fm_entry sphere_entries[] = {
    {"centre", FM_KEY_VECTOR, offsetof(fm_shape, centre), "m", WITHIN(-1e6, 1e6),
     .about = "position of the centre"},
    {"radius", FM_KEY_NUMBER, offsetof(fm_shape, radius), "m", ABOVE(0, 1e6), .needed = true,
     .about = "radius of the sphere"},
};
static const fm_table sphere_table = {.name = "sphere",
                                      .about = "A sphere.",
                                      .entries = sphere_entries,
                                      .count = COUNT(sphere_entries)};

static const fm_entry capsule_entries[] = {
    {"start", FM_KEY_VECTOR, offsetof(fm_shape, start), "m", WITHIN(-1e6, 1e6), .needed = true,
     .about = "one end of the axis"},
    {"end", FM_KEY_VECTOR, offsetof(fm_shape, end), "m", WITHIN(-1e6, 1e6), .needed = true,
     .about = "the other end of the axis"},
    {"radius", FM_KEY_NUMBER, offsetof(fm_shape, radius), "m", ABOVE(0, 1e6), .needed = true,
     .about = "radius"},
    {"end_radius", FM_KEY_NUMBER, offsetof(fm_shape, end_radius), "m", ABOVE(0, 1e6),
     .about = "radius at `end`; without it the same as `radius`"},
};
static const fm_table capsule_table = {.name = "capsule",
                                       .about = "A cylinder with round ends.",
                                       .entries = capsule_entries,
                                       .count = COUNT(capsule_entries)};

static const fm_entry box_entries[] = {
    {"centre", FM_KEY_VECTOR, offsetof(fm_shape, centre), "m", WITHIN(-1e6, 1e6),
     .about = "position of the centre"},
    {"half_size", FM_KEY_VECTOR, offsetof(fm_shape, half_size), "m", ABOVE(0, 1e6), .needed = true,
     .about = "half the size along x, y, z, before rotation"},
    {"rotation", FM_KEY_ROTATION, offsetof(fm_shape, rotation),
     .about = "rotation about the centre"},
};
static const fm_table box_table = {
    .name = "box", .about = "A box.", .entries = box_entries, .count = COUNT(box_entries)};

static const fm_entry shape_entries[] = {
    {"plane", FM_KEY_MAPPING, .table = &plane_table, .choice = true, .kind = FM_SHAPE_PLANE,
     .about = "the half-space below a plane"},
    {"sphere", FM_KEY_MAPPING, .table = &sphere_table, .choice = true, .kind = FM_SHAPE_SPHERE,
     .about = "a sphere"},
    {"capsule", FM_KEY_MAPPING, .table = &capsule_table, .choice = true, .kind = FM_SHAPE_CAPSULE,
     .about = "a cylinder with round ends"},
    {"box", FM_KEY_MAPPING, .table = &box_table, .choice = true, .kind = FM_SHAPE_BOX,
     .about = "a box"},
};

const fm_table fm_shape_table = {
    .name = "region",
    .about = "A region of space: one of plane, sphere, capsule, box, with the keys of colliders.",
    .entries = shape_entries,
    .count = COUNT(shape_entries),
    .has_kind = true,
    .kind_offset = offsetof(fm_shape, kind),
    .documented_elsewhere = true,
};

static const fm_entry cylinder_entries[] = {
    {"start", FM_KEY_VECTOR, offsetof(fm_shape, start), "m", WITHIN(-1e6, 1e6), .needed = true,
     .about = "centre of one end"},
    {"end", FM_KEY_VECTOR, offsetof(fm_shape, end), "m", WITHIN(-1e6, 1e6), .needed = true,
     .about = "centre of the other end"},
    {"radius", FM_KEY_NUMBER, offsetof(fm_shape, radius), "m", ABOVE(0, 1e6), .needed = true,
     .about = "radius"},
};
static const fm_table cylinder_table = {.name = "cylinder",
                                        .about = "A cylinder with flat ends.",
                                        .entries = cylinder_entries,
                                        .count = COUNT(cylinder_entries),
                                        .check = fm_scene_check_shape_axis};

static const fm_entry cone_entries[] = {
    {"start", FM_KEY_VECTOR, offsetof(fm_shape, start), "m", WITHIN(-1e6, 1e6), .needed = true,
     .about = "centre of the base"},
    {"end", FM_KEY_VECTOR, offsetof(fm_shape, end), "m", WITHIN(-1e6, 1e6), .needed = true,
     .about = "the tip, or the centre of the top of a truncated cone"},
    {"radius", FM_KEY_NUMBER, offsetof(fm_shape, radius), "m", ABOVE(0, 1e6), .needed = true,
     .about = "radius of the base"},
    {"end_radius", FM_KEY_NUMBER, offsetof(fm_shape, end_radius), "m", WITHIN(0, 1e6),
     .about = "radius of the top; 0: a tip"},
};
static const fm_table cone_table = {.name = "cone",
                                    .about = "A cone or a truncated cone.",
                                    .entries = cone_entries,
                                    .count = COUNT(cone_entries),
                                    .check = fm_scene_check_shape_axis};

static const fm_entry ellipsoid_entries[] = {
    {"centre", FM_KEY_VECTOR, offsetof(fm_shape, centre), "m", WITHIN(-1e6, 1e6),
     .about = "position of the centre"},
    {"half_size", FM_KEY_VECTOR, offsetof(fm_shape, half_size), "m", ABOVE(0, 1e6), .needed = true,
     .about = "half the size along x, y, z, before rotation"},
    {"rotation", FM_KEY_ROTATION, offsetof(fm_shape, rotation),
     .about = "rotation about the centre"},
};
static const fm_table ellipsoid_table = {.name = "ellipsoid",
                                         .about = "An ellipsoid.",
                                         .entries = ellipsoid_entries,
                                         .count = COUNT(ellipsoid_entries)};

static const fm_entry mesh_entries[] = {
    {"file", FM_KEY_FILE, offsetof(fm_scene_collider_mesh, file), .needed = true,
     .about = "an OBJ file; a closed mesh is solid, an open one a shell"},
    {"scale", FM_KEY_NUMBER, offsetof(fm_scene_collider_mesh, scale), .range = ABOVE(0, 1e6),
     .about = "m per unit of the file"},
    {"origin", FM_KEY_VECTOR, offsetof(fm_scene_collider_mesh, origin), "m", WITHIN(-1e6, 1e6),
     .about = "position of the origin of the file"},
    {"rotation", FM_KEY_ROTATION, offsetof(fm_scene_collider_mesh, rotation),
     .about = "rotation about the origin of the file"},
    {"thickness", FM_KEY_NUMBER, offsetof(fm_scene_collider_mesh, thickness), "m", ABOVE(0, 1e3),
     .about =
         "thickness of an open mesh; must exceed the distance that anything moves in a substep"},
};
static const fm_table mesh_table = {.name = "mesh",
                                    .about = "A triangle mesh from a file. Scale, rotation and "
                                             "origin also apply to its animation.",
                                    .entries = mesh_entries,
                                    .count = COUNT(mesh_entries)};

static const fm_entry animation_entries[] = {
    {"files", FM_KEY_FILE, offsetof(fm_scene_animation, file), .choice = true,
     .kind = FM_FRAMES_SEQUENCE + 1,
     .about = "an OBJ file for each frame; %d or %04d stands for its number: walk.%04d.obj"},
    {"pc2", FM_KEY_FILE, offsetof(fm_scene_animation, file), .choice = true,
     .kind = FM_FRAMES_PC2 + 1,
     .about = "a point cache in the format PC2, as exported by fathom and Blender"},
    {"mdd", FM_KEY_FILE, offsetof(fm_scene_animation, file), .choice = true,
     .kind = FM_FRAMES_MDD + 1,
     .about = "a point cache in the format MDD of LightWave, which contains times"},
    {"fps", FM_KEY_NUMBER, offsetof(fm_scene_animation, fps), "1/s", ABOVE(0, 1e5),
     .about = "frames per second; without it the rate in the mdd file, else 24"},
    {"start", FM_KEY_NUMBER, offsetof(fm_scene_animation, start), "s", WITHIN(-1e6, 1e6),
     .about = "time of frame 0; the mesh rests before its first and after its last frame"},
    {"interpolation", FM_KEY_WORD, offsetof(fm_scene_animation, interpolation),
     .words = interpolations,
     .about = "linear: straight between frames; smooth: at rest at each frame; spline: a smooth "
              "curve through the frames"},
};
static const fm_table animation_table = {
    .name = "animation",
    .about = "Positions of the vertices of a mesh for each frame.",
    .entries = animation_entries,
    .count = COUNT(animation_entries),
    .has_kind = true,
    .kind_offset = offsetof(fm_scene_animation, kind),
};

static const fm_entry collider_entries[] = {
    {"plane", FM_KEY_MAPPING, offsetof(fm_scene_collider, def.shape), .table = &plane_table,
     .choice = true, .kind = FM_SHAPE_PLANE, .about = "the half-space below a plane"},
    {"sphere", FM_KEY_MAPPING, offsetof(fm_scene_collider, def.shape), .table = &sphere_table,
     .choice = true, .kind = FM_SHAPE_SPHERE, .about = "a sphere"},
    {"capsule", FM_KEY_MAPPING, offsetof(fm_scene_collider, def.shape), .table = &capsule_table,
     .choice = true, .kind = FM_SHAPE_CAPSULE, .about = "a cylinder with round ends"},
    {"box", FM_KEY_MAPPING, offsetof(fm_scene_collider, def.shape), .table = &box_table,
     .choice = true, .kind = FM_SHAPE_BOX, .about = "a box"},
    {"cylinder", FM_KEY_MAPPING, offsetof(fm_scene_collider, def.shape), .table = &cylinder_table,
     .choice = true, .kind = FM_SHAPE_CYLINDER, .about = "a cylinder with flat ends"},
    {"cone", FM_KEY_MAPPING, offsetof(fm_scene_collider, def.shape), .table = &cone_table,
     .choice = true, .kind = FM_SHAPE_CONE, .about = "a cone or a truncated cone"},
    {"ellipsoid", FM_KEY_MAPPING, offsetof(fm_scene_collider, def.shape), .table = &ellipsoid_table,
     .choice = true, .kind = FM_SHAPE_ELLIPSOID, .about = "an ellipsoid"},
    {"mesh", FM_KEY_MAPPING, offsetof(fm_scene_collider, mesh), .table = &mesh_table,
     .choice = true, .kind = FM_SHAPE_MESH, .about = "a triangle mesh from a file"},
    {"animation", FM_KEY_MAPPING, offsetof(fm_scene_collider, animation), .table = &animation_table,
     .about = "positions of the vertices of a mesh for each frame"},
    {"motion", FM_KEY_NAME, offsetof(fm_scene_collider, motion), .section = "motions",
     .about = "motion or bone that the collider follows; without it the collider is at rest"},
    {"friction", FM_KEY_NUMBER, offsetof(fm_scene_collider, def.friction), .range = WITHIN(0, 1e3),
     .about = "Coulomb friction coefficient"},
    {"mass", FM_KEY_NUMBER, offsetof(fm_scene_collider, def.mass), "kg", WITHIN(0, 1e9),
     .about = "above 0: the collider moves freely under its weight and the force of fluids; cloth "
              "collides with it but does not push it; in 2D per metre of depth. Spheres without a "
              "motion are free balls; a shape with a motion is free in height only"},
    {"rides_on", FM_KEY_TEXT, offsetof(fm_scene_collider, rides_on),
     .about = "name of a collider above with a mass and a motion, whose height this one shares, as "
              "the other foot of a body"},
    {"velocity", FM_KEY_VECTOR, offsetof(fm_scene_collider, def.velocity), "m/s", WITHIN(-1e4, 1e4),
     .about = "initial velocity of a collider with a mass"},
    {"clear", FM_KEY_BOOLEAN, offsetof(fm_scene_collider, def.clear),
     .about = "pictures show the collider as glass; only for closed shapes"},
    {"color", FM_KEY_VECTOR, offsetof(fm_scene_collider, def.color), "red, green, blue",
     WITHIN(0, 1),
     .about = "colour in pictures; all 0: light grey; balls with a mass and a colour have dots "
              "that show "
              "how they roll"},
    {"shown_only", FM_KEY_BOOLEAN, offsetof(fm_scene_collider, def.shown_only),
     .about = "true: only drawn, nothing touches it; as the dish around a fluid, or legs"},
};

// Default values of the keys of a collider.
static void set_collider_defaults(void *object)
{
    fm_scene_collider *collider = object;
    collider->def = fm_default_collider_def();
    collider->mesh =
        (fm_scene_collider_mesh){.scale = 1, .rotation = {0, 0, 0, 1}, .thickness = 0.01};
    collider->animation.interpolation = FM_INTERPOLATE_SPLINE;
}

static const fm_table collider_table = {
    .name = "collider",
    .about = "A solid that bodies and fluids do not enter: one of the shapes below.",
    .size = sizeof(fm_scene_collider),
    .set_defaults = set_collider_defaults,
    .entries = collider_entries,
    .count = COUNT(collider_entries),
    .has_kind = true,
    .kind_offset = offsetof(fm_scene_collider, def.shape.kind),
    .check = fm_scene_check_collider_keys,
};

// Index of a field in the list of the fields of all objects, see fm_scene_field_name.
static int find_field(const char *name)
{
    int i = 0;
    while (fm_scene_field_name(i) && strcmp(fm_scene_field_name(i), name) != 0)
        i++;
    return i;
}

static const fm_entry probe_entries[] = {
    {"body", FM_KEY_NAME, offsetof(fm_scene_probe, object), .section = "bodies", .choice = true,
     .kind = 1, .about = "the body to measure"},
    {"object", FM_KEY_NAME, offsetof(fm_scene_probe, object),
     .section = "bodies, fluids, colliders", .choice = true, .kind = 2,
     .about = "the object to measure: a body, a fluid or a collider with a mass"},
    {"at", FM_KEY_PROBE_POINT, offsetof(fm_scene_probe, at), .range = WITHIN(0, 1),
     .about = "on a sheet [u, v] as fractions of width and height, on a tube of circumference and "
              "height, which do not depend on the number of particles; in a fluid [x, y, z]; "
              "without it the mean over the object, for cloth weighted by mass"},
    {"particle", FM_KEY_INTEGER, offsetof(fm_scene_probe, particle), .range = WITHIN(0, 16777215),
     .about =
         "number of a particle of a body instead of `at`; for a mesh, of a vertex of its file; "
         "from 0"},
    {"measure", FM_KEY_WORDS, offsetof(fm_scene_probe, measures), .word_at = fm_scene_field_name,
     .explain = fm_scene_describe_fields,
     .about = "fields to measure; position gives the columns NAME.x, NAME.y, NAME.z, other fields "
              "NAME.velocity.x..., NAME.stretch; at a point in a fluid only velocity"},
};

// Default values of the keys of a probe: the mean position of an object.
static void set_probe_defaults(void *object)
{
    fm_scene_probe *probe = object;
    probe->particle = -1;
    probe->default_measure = find_field("position");
    probe->measures = (fm_items){&probe->default_measure, 1};
}

static const fm_table probe_table = {
    .name = "probe",
    .about =
        "Columns of `probes.csv`, measured at a point of a body, at a point in a fluid, or over "
        "a whole object.",
    .size = sizeof(fm_scene_probe),
    .has_kind = true,
    .kind_offset = offsetof(fm_scene_probe, choice),
    .set_defaults = set_probe_defaults,
    .entries = probe_entries,
    .count = COUNT(probe_entries),
    .check = fm_scene_check_probe_keys,
};

static const char *const checks[] = {"none", "intersections", NULL};

// Sets the world's check_intersections as the key output.check says.
static void apply_check(void *object)
{
    fm_scene *scene = object;
    scene->world.check_intersections = scene->check != 0;
}

static const fm_entry output_entries[] = {
    {"checkpoint", FM_KEY_NUMBER, SCENE(checkpoint_seconds), "s", WITHIN(0, 1e6),
     .not_hashed = true, .about = "simulated time between checkpoints; 0: no checkpoints"},
    {"keep", FM_KEY_INTEGER, SCENE(checkpoints_kept), .range = WITHIN(1, 1000000),
     .not_hashed = true, .about = "number of checkpoints to keep, the newest ones"},
    {"fields", FM_KEY_WORDS, SCENE(fields), .word_at = fm_scene_field_name,
     .explain = fm_scene_describe_fields,
     .about = "fields to write for each point of the objects that have them, besides positions; "
              "without it velocity and stretch for cloth, the usual fields for fluids"},
    {"check", FM_KEY_WORD, SCENE(check), .words = checks, .apply = apply_check,
     .about =
         "additional columns of stats.csv: intersections counts intersections of surfaces with "
         "contact and pinched pairs, and gives the smallest distance"},
};
static const fm_table output_table = {.name = "output",
                                      .about = "Files that a run writes.",
                                      .entries = output_entries,
                                      .count = COUNT(output_entries)};

static const fm_entry camera_entries[] = {
    {"position", FM_KEY_VECTOR, SCENE(camera.position), "m", WITHIN(-1e6, 1e6),
     .about = "position of the camera"},
    {"target", FM_KEY_VECTOR, SCENE(camera.target), "m", WITHIN(-1e6, 1e6),
     .about = "point that the camera looks at"},
    {"up", FM_KEY_VECTOR, SCENE(camera.up), .range = WITHIN(-1e6, 1e6), .nonzero = true,
     .about = "direction that is up in the picture"},
    {"field_of_view", FM_KEY_NUMBER, SCENE(camera.field_of_view), "degrees", BETWEEN(0, 180),
     .scale = FM_DEGREE, .about = "vertical angle of view"},
    {"follow", FM_KEY_NAME, SCENE(camera.follow), .section = "colliders, bodies",
     .about = "a collider or a bone of a figure, with which the camera moves horizontally, or a "
              "body, with whose centre it moves in all directions"},
};
static const fm_table camera_table = {.name = "camera",
                                      .about = "Camera for pictures.",
                                      .entries = camera_entries,
                                      .count = COUNT(camera_entries)};

static const fm_entry look_entries[] = {
    {"liquid", FM_KEY_WORD, SCENE(look.liquid), .word_at = fm_scene_liquid_name,
     .about =
         "what fluids look like, `water`, `fluid` and `foam` in one word; none: the `liquid` of "
         "the first fluid that has one"},
    {"style", FM_KEY_WORD, SCENE(look.style), .words = styles,
     .about = "underwater: light through water; studio: a plain studio; sky: sunlight in open air, "
              "without a floor; grid fluids without dye and marks are clear"},
    {"background", FM_KEY_VECTOR, SCENE(look.background), "red, green, blue", WITHIN(0, 1),
     .about = "colour of the distance, that is of the water, the room or the sky; without it that "
              "of the "
              "style"},
    {"floor", FM_KEY_VECTOR, SCENE(look.floor), "red, green, blue", WITHIN(0, 1),
     .about = "colour of the studio's floor; without it light grey"},
    {"cloth", FM_KEY_VECTOR, SCENE(look.cloth), "red, green, blue", WITHIN(0, 1),
     .about = "colour of cloth"},
    {"stripes", FM_KEY_NUMBER, SCENE(look.stripes), "m", WITHIN(0, 1000),
     .about = "period of stripes of the colour `pattern` along v of the texture coordinates, the "
              "usual warp; in metres of a sheet, in units of the texture coordinates of a mesh; 0: "
              "none"},
    {"checks", FM_KEY_NUMBER, SCENE(look.checks), "m", WITHIN(0, 1000),
     .about = "the same of checks, along u and v"},
    {"pattern", FM_KEY_VECTOR, SCENE(look.pattern), "red, green, blue", WITHIN(0, 1),
     .about = "colour of stripes and checks"},
    {"lines", FM_KEY_VECTOR, SCENE(look.lines), "red, green, blue", WITHIN(0, 1),
     .about = "colour of lines; without it each line has its own"},
    {"particles", FM_KEY_NUMBER, SCENE(look.particles), .range = ABOVE(0, 4),
     .about =
         "drawn size of fluid particles; at 1 they touch each other, smaller ones show what is "
         "between them"},
    {"water", FM_KEY_VECTOR, SCENE(look.water), "red, green, blue", WITHIN(0, 1),
     .about = "fraction of the light that remains after `depth` metres of fluid; without it chosen "
              "from the size of the scene"},
    {"depth", FM_KEY_NUMBER, SCENE(look.depth), "m", ABOVE(0, 1000),
     .about = "thickness of fluid to which `water`, or the colour of `liquid`, refers: larger is "
              "clearer; "
              "0.01 suits honey in a spoon"},
    {"fluid", FM_KEY_VECTOR, SCENE(look.fluid), "red, green, blue", WITHIN(0, 1),
     .about = "colour of an opaque fluid, such as cream, with light scattered below its surface; "
              "without it fluids are clear"},
    {"foam", FM_KEY_NUMBER, SCENE(look.foam), .range = WITHIN(0, 10),
     .about = "amount of foam and spray on fluids in 3D: white points where they break and splash; "
              "0: none, 1 suits water"},
    {"mirror", FM_KEY_NUMBER, SCENE(look.mirror), .range = WITHIN(0, 0.99),
     .about = "share of the light that a metallic fluid reflects, such as 0.75 for mercury; 0: not "
              "metallic"},
};
static const fm_table look_table = {.name = "look",
                                    .about = "Style and colours of pictures.",
                                    .entries = look_entries,
                                    .count = COUNT(look_entries)};

static const fm_entry scene_entries[] = {
    {"about", FM_KEY_TEXT, SCENE(about), .needed = true, .not_hashed = true,
     .about = "description of the scene in one line"},
    {"source", FM_KEY_TEXT, SCENE(source), .needed = true, .not_hashed = true,
     .about = "origin of the scene: a paper and figure, or its author"},
    {"extend", FM_KEY_TEXT, SCENE(extend), .not_hashed = true,
     .about = "another scene file, relative to this one; the keys of this file are merged into it"},
    {"world", FM_KEY_MAPPING, .table = &world_table, .about = "frames, gravity and threads"},
    {"medium", FM_KEY_MAPPING, .table = &medium_table,
     .about = "the medium that surrounds all bodies"},
    {"motions", FM_KEY_NAMED, SCENE(motions), .table = &motion_table, .range = WITHIN(0, 1024),
     .about = "motions of pins, colliders and tanks, by name"},
    {"bodies", FM_KEY_NAMED, SCENE(bodies), .table = &fm_body_table, .range = WITHIN(0, 1024),
     .about = "bodies that are simulated, by name"},
    {"fluids", FM_KEY_NAMED, SCENE(fluids), .table = &fm_fluid_table, .range = WITHIN(0, 1024),
     .about = "fluids that are simulated, by name"},
    {"coupling", FM_KEY_LIST, SCENE(coupling), .table = &fm_coupling_table,
     .range = WITHIN(0, 1024), .about = "which body is in which fluid"},
    {"colliders", FM_KEY_NAMED, SCENE(colliders), .table = &collider_table,
     .range = WITHIN(0, 1024), .about = "solids that bodies and fluids do not enter, by name"},
    {"figures", FM_KEY_NAMED, SCENE(figures), .table = &fm_figure_table, .range = WITHIN(0, 50),
     .about = "people that wear cloth, by name"},
    {"probes", FM_KEY_NAMED, SCENE(probes), .table = &probe_table, .range = WITHIN(0, 1024),
     .about = "quantities that are measured at every frame, by name"},
    {"output", FM_KEY_MAPPING, .table = &output_table, .about = "files that a run writes"},
    {"camera", FM_KEY_MAPPING, .table = &camera_table, .not_hashed = true,
     .about = "camera for pictures"},
    {"look", FM_KEY_MAPPING, .table = &look_table, .not_hashed = true,
     .about = "style and colours of pictures"},
};

// Default values of the keys of a scene.
static void set_scene_defaults(void *object)
{
    fm_scene *scene = object;
    scene->world = fm_default_world_def();
    scene->frames = 240;
    scene->fps = 24;
    scene->checkpoint_seconds = 1;
    scene->checkpoints_kept = 10;
    scene->camera =
        (fm_scene_camera){{0.9, -0.1, 1.6}, {0.2, -0.3, 0}, {0, 1, 0}, 35 * FM_DEGREE, NULL};
    scene->look = (fm_scene_look){
        .cloth = {0.85, 0.8, 0.7}, .pattern = {0.95, 0.94, 0.9}, .particles = 1, .depth = 1};
}

const fm_table fm_scene_table = {
    .name = "scene",
    .about = "A scene file.",
    .size = sizeof(fm_scene),
    .set_defaults = set_scene_defaults,
    .entries = scene_entries,
    .count = COUNT(scene_entries),
    .check = fm_scene_check_all_keys,
};
