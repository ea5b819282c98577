// SPDX-License-Identifier: MIT
// scene_mistakes.c: scenes with mistakes: each is reported at its line and column, with a message
// that says what is allowed.
#include "check.h"

#include <fathom/scene.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A scene with one mistake, and the report that it must produce.
typedef struct mistake {
    const char *name;     // of the case, for messages
    const char *text;     // text of the scene
    int line, column;     // at which the mistake must be reported
    const char *expected; // part of the message
} mistake;

// Parts of scenes, to which a case adds its mistake: the keys that every scene needs, a cloth with
// more keys to follow, a whole cloth, a whole fluid, a tube and a mesh with more keys to follow.
#define START "about: a\nsource: b\n"
#define CLOTH                                                                                      \
    START "bodies:\n  towel:\n    cloth:\n      sheet: {columns: 3, rows: 4, width: 1, height: "   \
          "1}\n"
#define SHEET "bodies: {c: {cloth: {sheet: {columns: 3, rows: 4, width: 1, height: 1}}}}\n"
#define WATER "fluids: {w: {sph: {spacing: 0.1}}}\n"

#define TUBE                                                                                       \
    START "bodies: {c: {cloth: {tube: {columns: 4, rows: 3, radius_top: 1, radius_bottom: 1, "     \
          "height: 1},\n "
#define MESH START "bodies: {c: {cloth: {mesh: {file: a.obj},\n "

#define SOFT START "bodies: {c: {soft: {mesh: {ball: {radius: 0.5, level: 1}},\n "
#define FABRIC START "bodies: {c: {fabric: {mesh: {disc: {radius: 0.5}}, edge: 0.2,\n "

static const mistake mistakes[] = {
    // soft bodies: gas, shapes
    {"gas in a sheet",
     START "bodies: {c: {soft: {mesh: {disc: {radius: 1}}, edge: 0.2, gas: {kind: sealed}}}}\n", 3,
     59, "bodies.c.soft.gas needs a closed mesh"},
    {"leak without sealed gas", SOFT "gas: {kind: constant, leak: 1}}}}\n", 4, 2,
     "pump and leak need kind sealed"},
    {"pump that ends before it starts",
     SOFT "gas: {kind: sealed, pump: {flow: 1, start: 2, end: 1}}}}}\n", 4, 53,
     "pump.end is 1, allowed is at least its start, 2 s"},
    {"less than a vacuum", SOFT "gas: {kind: sealed, pressure: -2e5}}}}\n", 4, 32,
     "allowed is at least minus the ambient pressure"},
    {"broken cells",
     START "bodies: {c: {soft: {mesh: {slab: {width: 1, height: 1, length: 1, cells: [1, 1, "
           "1.5]}}}}}\n",
     3, 67, "cells is [1, 1, 1.5], allowed are whole numbers"},
    {"alpha 0", SOFT "alpha: 0}}}\n", 4, 9, "alpha is 0, allowed is 1e-9 to 1e9"},
    {"thick torus",
     START "bodies: {c: {soft: {mesh: {torus: {radius: 1, tube_radius: 1}}, edge: 0.1}}}\n", 3, 27,
     "tube_radius is 1, allowed is above 0 and at most 0.95 m"},
    {"soft body from a missing file", START "bodies: {c: {soft: {mesh: {obj: {file: no.obj}}}}}\n",
     3, 40, "no.obj: cannot read"},
    // fabrics: their keys, shapes and groups of vertices
    {"spring and modulus", FABRIC "spring: 10, modulus: 20}}}\n", 4, 23,
     "bodies.c.fabric has \"spring\" and \"modulus\": only one of them is allowed"},
    {"negative kappa", FABRIC "kappa: -1}}}\n", 4, 9, "kappa is -1, allowed is 0 to 1e6 1/s"},
    {"field and drag", FABRIC "external_velocity: true, drag: {model: physical}}}}\n", 4, 21,
     "external_velocity needs drag.model none"},
    {"kappa, drag and rk4", FABRIC "kappa: 1, integrator: rk4, drag: {model: viscous}}}}\n", 4, 9,
     "kappa with drag needs integrator kick-drift-kick"},
    {"reflection and contact", FABRIC "reflection: true, contact: {enabled: true}}}}\n", 4, 14,
     "only one of them is allowed"},
    {"row of a fabric", FABRIC "pins: [{row: 1}]}}}\n", 4, 15, "a mesh has no row"},
    {"unknown group", FABRIC "pins: [{group: rin}]}}}\n", 4, 17,
     "bodies.c.fabric.pins[0].group is \"rin\", allowed are rim"},
    {"group of a sheet", CLOTH "      pins: [{group: rim}]\n", 7, 22,
     "but the cloth has no groups of vertices"},
    {"vertex of a fabric", FABRIC "pins: [{particles: [99]}]}}}\n", 4, 10,
     "particles has 99, allowed is 0 to"},
    {"long edge", START "bodies: {c: {fabric: {mesh: {disc: {radius: 0.5}}, edge: 0.7}}}\n", 3, 58,
     "edge is 0.7, allowed is above 0 and at most 0.5 m"},
    {"wide vent",
     START "bodies: {c: {fabric: {mesh: {hemisphere: {radius: 1, vent: 0.95}}, edge: 0.1}}}\n", 3,
     29, "vent is 0.95, allowed is 0 (none) to 0.9 of the radius of the rim, 0.9 m"},
    {"point of a fabric", FABRIC "kappa: 1}}}\nprobes: {p: {body: c, at: [0, 0]}}\n", 5, 23,
     "on a fabric use `particle`"},
    // texts that are not YAML, or not a scene
    {"empty", "", 1, 1, "the file is empty"},
    {"only a comment", "# nothing\n", 1, 1, "the file is empty"},
    {"binary junk",
     "about: a\n\x7f"
     "ELF\x02\x01",
     2, 1, "this is not text: the character 0x7f"},
    {"bad UTF-8", "about: a\nsource: \xc3\x28\n", 2, 9, "the byte 0xc3 is not UTF-8"},
    {"a list", "- about: a\n", 1, 1, "a scene must be a mapping of keys"},
    {"a word", "towel\n", 1, 1, "a scene must be a mapping of keys"},
    {"no colon", START "world\n", 4, 1, "not YAML: could not find expected ':'"},
    {"open bracket", START "world: {frames: 3\n" SHEET, 4, 7, "not YAML"},
    {"a tab", START "world:\n\tframes: 3\n", 4, 1, "indent with blanks"},
    {"two documents", START SHEET "---\nabout: c\n", 4, 1, "a second document begins here"},
    {"an anchor", START "world: &w {frames: 3}\n" SHEET, 3, 8, "anchors (&name)"},
    {"an alias", START "world: *w\n" SHEET, 3, 8, "aliases (*name)"},
    {"a tag", START "world: !!map {frames: 3}\n" SHEET, 3, 8, "tags (!name)"},
    {"a key that is a list", START "[a, b]: 3\n" SHEET, 3, 1, "a key must be a word"},
    {"an escaped zero", START "world: {threads: \"\\0\"}\n" SHEET, 3, 18, "zero byte"},
    // wrong keys
    {"unknown section", START "wrld: {frames: 3}\n" SHEET, 3, 1, "did you mean \"world\"?"},
    {"unknown key", CLOTH "      densty: 1100\n", 7, 7,
     "bodies.towel.cloth has no key \"densty\"; did you mean \"density\"?"},
    {"unknown key, nothing near", START "world: {colour: 3}\n" SHEET, 3, 9,
     "allowed are frames, fps, gravity, threads"},
    {"duplicate key", CLOTH "      density: 1100\n      margin: 0\n      density: 1200\n", 9, 7,
     "\"density\" is given twice, first on line 7"},
    {"duplicate section", START SHEET "source: c\n", 4, 1, "\"source\" is given twice"},
    {"no about", "source: b\n" SHEET, 1, 1, "the scene needs \"about\""},
    {"no sheet", START "bodies:\n  towel:\n    cloth:\n      density: 1100\n", 5, 5,
     "bodies.towel.cloth needs one of sheet, tube, mesh"},
    {"two of sheet, tube, mesh", CLOTH "      mesh: {file: a.obj}\n", 7, 7,
     "has \"sheet\" and \"mesh\": only one of sheet, tube, mesh is allowed"},
    {"a tube without a key",
     START "bodies: {c: {cloth: {tube: {columns: 3, rows: 3, radius_top: 1, height: 1}}}}\n", 3, 22,
     "bodies.c.cloth.tube needs \"radius_bottom\""},
    {"a mesh without file", START "bodies: {c: {cloth: {mesh: {scale: 2}}}}\n", 3, 22,
     "mesh needs \"file\""},
    {"a sheet without a key",
     START "bodies: {c: {cloth: {sheet: {columns: 3, rows: 3, width: 1}}}}\n", 3, 22,
     "bodies.c.cloth.sheet needs \"height\""},
    {"no bodies", START "bodies: {}\n", 3, 1, "nothing to simulate"},
    {"a fluid with the name of a body", START SHEET "fluids: {c: {sph: {spacing: 0.1}}}\n", 4, 10,
     "\"c\" is also a name in bodies"},
    {"unknown side", START "fluids: {w: {sph: {domain: {sides: {lid: open}}}}}\n", 3, 37,
     "has no key \"lid\""},
    {"kind of side", START "fluids: {w: {sph: {domain: {sides: {top: shut}}}}}\n", 3, 42, "wall"},
    {"viscosity below 0", START "fluids: {w: {sph: {viscosity: -1}}}\n", 3, 31,
     "allowed is 0 to 1e6 Pa s"},
    {"memory of springs", START "fluids: {w: {thickening: {memory: {steps: 3}}}}\n", 3, 27,
     "fluids.w.thickening.memory is steps, allowed with rate length is fading or full"},
    {"past velocities without a time step",
     START "fluids: {w: {thickening: {rate: speed, memory: {steps: 3}}}}\n", 3, 40,
     "fluids.w.thickening.memory is steps, which needs a time_step above 0"},
    {"fading memory of a displacement", START "fluids: {w: {thickening: {rate: displacement}}}\n",
     3, 14,
     "fluids.w.thickening.memory is fading, allowed with rate displacement is steps or seconds"},
    {"a material that does not exist", START "fluids: {w: {thickening: {material: ketchup}}}\n", 3,
     37, "cornstarch"},
    {"a yield ratio above 0.9", START "fluids: {w: {thickening: {yield: 2}}}\n", 3, 34,
     "allowed is 0 to 0.9"},
    {"a box of thickening fluid outside the domain",
     START "fluids: {w: {thickening: {boxes: [{high: [0.5, 2, 0.5]}]}}}\n", 3, 36,
     "fluids.w.thickening.boxes[0] goes from (0, 0, 0) to (0.5, 2, 0.5)"},
    {"push without radius",
     START "fluids: {w: {sph: {pushes: [{centre: [0, 0, 0], acceleration: [1, 0, 0]}]}}}\n", 3, 29,
     "needs"},
    {"a name with a dot",
     START "bodies: {a.b: {cloth: {sheet: {columns: 3, rows: 4, width: 1, "
           "height: 1}}}}\n",
     3, 10, "\"a.b\" is not a valid name"},
    {"a name that is too long",
     START SHEET "motions:\n  mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm: none\n", 5, 3,
     "too long"},
    // numbers
    {"negative mass", CLOTH "      density: -1100\n", 7, 16,
     "bodies.towel.cloth.density is -1100, allowed is above 0 and at most 1e5 kg/m^3"},
    {"a number with a unit", CLOTH "      density: 1100 kg/m^3\n", 7, 16, "without its unit"},
    {"a comma", CLOTH "      thickness: 0,002\n", 7, 18, "with a point, not a comma"},
    {"a word for a number", CLOTH "      density: heavy\n", 7, 16,
     "is \"heavy\", it must be a number"},
    {"a quoted number", CLOTH "      density: \"1100\"\n", 7, 16, "without quotes"},
    {"a list for a number", CLOTH "      density: [1, 2]\n", 7, 16,
     "is a list, it must be a number"},
    {"nothing for a number", CLOTH "      density:\n      margin: 0\n", 7, 15, "is empty"},
    {"not a number", CLOTH "      density: .nan\n", 7, 16, "it must be a number"},
    {"infinite", CLOTH "      density: inf\n", 7, 16, "it must be a number"},
    {"overflow", CLOTH "      density: 1e999\n", 7, 16, "is 1e999, allowed is"},
    {"hexadecimal", CLOTH "      density: 0x44c\n", 7, 16, "it must be a number"},
    {"a vector out of range", START "world: {gravity: [0, -1e30, 0]}\n" SHEET, 3, 22,
     "world.gravity[1] is -1e30, allowed is -10000 to 10000 m/s^2"},
    {"a fraction for a whole number", START "world: {frames: 2.5}\n" SHEET, 3, 17,
     "a whole number"},
    {"whole number too large", START "world: {frames: 99999999999}\n" SHEET, 3, 17,
     "allowed is 0 to 1e7"},
    {"a history order of 1", CLOTH "      drag: {history: {order: 1}}\n", 7, 31,
     "above 0 and below 1"},
    // values of the wrong type
    {"yes for a boolean", CLOTH "      repulsion: {enabled: yes}\n", 7, 28,
     "is \"yes\", it must be true or false"},
    {"unknown word", CLOTH "      drag: {model: phisical}\n", 7, 21, "did you mean \"physical\"?"},
    {"unknown material", CLOTH "      material: tweed\n", 7, 17,
     "allowed is cotton-towel, silk, canvas, gauze"},
    {"a vector with two numbers", START "world: {gravity: [0, -9.81]}\n" SHEET, 3, 18,
     "it must be [x, y, z]"},
    {"an axis of length 0",
     START "motions: {m: {sine: {axis: [0, 0, 0], amplitude: 1, period: 1}}}\n" SHEET, 3, 28,
     "which has no direction"},
    {"a rotation without axis",
     START SHEET "colliders: {b: {box: {half_size: [1, 1, 1], rotation: {angle: 3}}}}\n", 4, 45,
     "rotation needs \"axis\""},
    {"a box with size 0", START SHEET "colliders: {b: {box: {half_size: [1, 0, 1]}}}\n", 4, 38,
     "half_size[1] is 0, allowed is above 0"},
    {"a mapping for a list", CLOTH "      pins: {edge: top}\n", 7, 13, "must be a list"},
    {"a word for a mapping", CLOTH "      stretch: stiff\n", 7, 16, "it must be a mapping"},
    // references to names, choices, keys that depend on each other
    {"missing motion",
     CLOTH "      pins: [{edge: top, motion: swng}]\n"
           "motions: {swing: none}\n",
     7, 34, "is \"swng\", which is not in motions; did you mean \"swing\"?"},
    {"missing body", START SHEET "probes: {p: {body: towel}}\n", 4, 20, "which is not in bodies"},
    {"two choices",
     START SHEET "motions: {m: {sine: {axis: [1, 0, 0], amplitude: 1, period: 1}, "
                 "turn: {axis: [1, 0, 0]}}}\n",
     4, 65, "motions.m has \"sine\" and \"turn\": only one of sine, turn"},
    {"no choice", START SHEET "colliders:\n  c: {friction: 1}\n", 5, 3,
     "colliders.c needs one of plane, sphere, capsule, box, cylinder, cone, ellipsoid, mesh"},
    {"an axis without length",
     START SHEET "colliders: {c: {cylinder: {start: [1, 0, 0], end: [1, 0, 0], radius: 1}}}\n", 4,
     46, "colliders.c.cylinder.end equals start: the axis has no direction"},
    {"an ellipsoid with a negative size",
     START SHEET "colliders: {c: {ellipsoid: {half_size: [1, 1, -1]}}}\n", 4, 47,
     "half_size[2] is -1, allowed is above 0"},
    {"a mesh without file", START SHEET "colliders: {c: {mesh: {scale: 2}}}\n", 4, 17,
     "colliders.c.mesh needs \"file\""},
    {"two animations",
     START SHEET "colliders: {c: {mesh: {file: a.obj}, animation: {pc2: a.pc2, mdd: a.mdd}}}\n", 4,
     62, "has \"pc2\" and \"mdd\": only one of files, pc2, mdd"},
    {"a ball with an animation",
     START SHEET "colliders: {c: {sphere: {radius: 1}, animation: {pc2: a.pc2}}}\n", 4, 38,
     "colliders.c.animation is only allowed with mesh"},
    {"a list for a file", START SHEET "colliders: {c: {mesh: {file: [a.obj]}}}\n", 4, 30,
     "it must be the name of a file"},
    {"an unknown bone",
     CLOTH "      pins: [{edge: top, motion: woman.tail}]\n"
           "figures: {woman: {}}\n",
     7, 34, "is \"woman.tail\", which is not in motions"},
    {"a bone of an unknown figure",
     CLOTH "      pins: [{edge: top, motion: man.pelvis}]\n"
           "figures: {woman: {}}\n",
     7, 34, "is \"man.pelvis\", which is not in motions"},
    {"a figure that is too tall", START SHEET "figures: {woman: {height: 5}}\n", 4, 27,
     "figures.woman.height is 5, allowed is 0.5 to 3 m"},
    {"a stride longer than the figure is tall",
     START SHEET "figures: {woman: {height: 1.5, motion: {walk: {stride: 2}}}}\n", 4, 56,
     "figures.woman.motion.walk.stride is 2, at this height allowed is 0.3 to 1.5 m"},
    {"an unknown motion of a figure", START SHEET "figures: {woman: {motion: swim}}\n", 4, 27,
     "it must be a mapping or the word stand"},
    {"an unknown memory", CLOTH "      damping: {memory: fll}\n", 7, 25,
     "it must be a mapping or the word full"},
    {"a rule without steps", CLOTH "      damping: {memory: {seconds: 1, rule: coimbra}}\n", 7, 38,
     "rule is only allowed with steps"},
    {"coimbra at another order",
     CLOTH "      damping: {order: 0.4, memory: {steps: 3, rule: coimbra}}\n", 7, 54,
     "is only allowed with order 0.5"},
    {"a window of low order",
     CLOTH "      drag: {model: published, history: {coefficient: 1, order: 0.2, memory: {steps: "
           "3}}}\n",
     7, 70, "adds energy at orders below 0.31"},
    {"damping stronger than springs", CLOTH "      damping: {coefficient: 9000, order: 0.2}\n", 7,
     30, "at most 10 times"},
    {"an integrator without memory",
     CLOTH "      drag: {model: published, history: {coefficient: 1}}\n      integrator: rk4\n", 8,
     19, "drag.history has a memory"},
    {"a corrector with memory of bending",
     CLOTH "      drag: {model: none}\n      bend: {damping: {order: 0.5}}\n      integrator: "
           "predictor-corrector\n",
     9, 19, "bend.damping has a memory, which needs kick-drift-kick or euler"},
    {"euler with physical drag", CLOTH "      integrator: euler\n", 7, 19,
     "drag.model physical needs kick-drift-kick"},
    {"implicit with enforcement",
     CLOTH "      integrator: implicit\n      enforcement: {method: directional}\n", 7, 19,
     "enforcement needs kick-drift-kick"},
    {"implicit with repulsion",
     CLOTH "      integrator: implicit\n      repulsion: {enabled: true}\n", 7, 19,
     "repulsion needs kick-drift-kick"},
    {"a row that does not exist", CLOTH "      pins: [{row: 4}]\n", 7, 20, "0 to rows - 1 = 3"},
    {"a particle that does not exist", CLOTH "      pins: [{particles: [0, 12]}]\n", 7, 15,
     "has 12, allowed is 0 to 11"},
    {"the left edge of a tube", TUBE "pins: [{edge: left}]}}}\n", 4, 16,
     "a tube has only a top and a bottom edge"},
    {"the corner of a tube", TUBE "pins: [{corner: top-left}]}}}\n", 4, 18,
     "bodies.c.cloth.pins[0].corner: a tube has"},
    {"a row of a tube that does not exist", TUBE "pins: [{row: 3}]}}}\n", 4, 15,
     "0 to rows - 1 = 2"},
    {"bending springs on a tube", TUBE "bend: {model: springs}}}}\n", 4, 16,
     "bend.model is springs, which is only allowed on sheets"},
    {"the edge of a mesh", MESH "pins: [{edge: top}]}}}\n", 4, 16,
     "pins[0].edge: a mesh has no edge; use particles"},
    {"a pin with two places", CLOTH "      pins: [{above: 0, row: 1}]\n", 7, 25,
     "only one of edge, row"},
    {"within without a shape", CLOTH "      pins: [{within: {}}]\n", 7, 15,
     "pins[0].within needs one of plane, sphere, capsule, box"},
    {"a map without particles",
     CLOTH "      enforcement: {method: directional, maps: [{colliders: woman.left_shin}]}\n"
           "figures: {woman: {}}\n",
     7, 49, "maps[0] needs one of particles, within"},
    {"a map with a particle that does not exist",
     CLOTH "      enforcement: {maps: [{colliders: woman.left_shin, particles: [12]}]}\n"
           "figures: {woman: {}}\n",
     7, 57, "enforcement.maps[0].particles has 12, allowed is 0 to 11"},
    {"a map with an unknown bone",
     CLOTH "      enforcement: {maps: [{colliders: woman.tail, particles: [1]}]}\n"
           "figures: {woman: {}}\n",
     7, 40, "is \"woman.tail\", which is not in colliders"},
    {"a seam with one side", CLOTH "      seams: [{from: {edge: left}}]\n", 7, 15, "needs \"to\""},
    {"a seam with sides of different lengths",
     CLOTH "      seams: [{from: {edge: left}, to: {edge: top}}]\n", 7, 36,
     "seams[0].to has 3 particles, it must have as many as from: 4"},
    {"a seam with a row that does not exist",
     CLOTH "      seams: [{from: {row: 0}, to: {row: 9}}]\n", 7, 42,
     "seams[0].to.row is 9, allowed is 0 to rows - 1 = 3"},
    {"a seam without particles",
     CLOTH "      seams: [{from: {particles: []}, to: {particles: [1]}}]\n", 7, 23,
     "seams[0].from.particles is an empty list"},
    {"a seam with a particle that does not exist",
     CLOTH "      seams: [{from: {particles: [12]}, to: {particles: [1]}}]\n", 7, 23,
     "from.particles has 12, allowed is 0 to 11"},
    {"a welded seam on a sheet",
     CLOTH "      seams: [{from: {edge: left}, to: {edge: right}, weld: true}]\n", 7, 61,
     "weld is only allowed on meshes"},
    {"a seam on the edge of a mesh", MESH "seams: [{from: {edge: top}, to: {particles: 0}}]}}}\n",
     4, 24, "seams[0].from.edge: a mesh has no edge"},
    {"a mesh file that does not exist", MESH "density: 1100}}}\n", 3, 35,
     "a.obj: cannot read: No such file"},
    {"a mesh that is a folder", START "bodies: {c: {cloth: {mesh: {file: /}}}}\n", 3, 35,
     "/: file: it is not a regular file"},
    {"a box outside the domain", START "fluids: {w: {sph: {boxes: [{high: [0.5, 2, 0.5]}]}}}\n", 3,
     29,
     "fluids.w.sph.boxes[0] goes from (0, 0, 0) to (0.5, 2, 0.5), allowed is within `domain`: "
     "(0, 0, 0) to (1, 1, 1)"},
    // coupling of cloth and fluids
    {"a coupling without a fluid", START SHEET WATER "coupling: [{body: c}]\n", 5, 12,
     "coupling[0] needs \"fluid\""},
    {"coupling of an unknown body", START SHEET WATER "coupling: [{body: sheet, fluid: w}]\n", 5,
     19, "coupling[0].body is \"sheet\", which is not in bodies; there are c"},
    {"coupling to an unknown fluid", START SHEET WATER "coupling: [{body: c, fluid: ocean}]\n", 5,
     29, "coupling[0].fluid is \"ocean\", which is not in fluids; there are w"},
    {"coupling of a fluid to a fluid", START SHEET WATER "coupling: [{body: w, fluid: w}]\n", 5, 19,
     "coupling[0].body is \"w\", which is not in bodies"},
    {"an unknown way", START SHEET WATER "coupling: [{body: c, fluid: w, way: both}]\n", 5, 37,
     "coupling[0].way is \"both\", allowed is two-way, one-way"},
    {"cloth in a 2D fluid",
     START SHEET "fluids: {w: {sph: {dimensions: 2}}}\n"
                 "coupling: [{body: c, fluid: w, way: one-way}]\n",
     5, 29, "coupling[0].fluid is \"w\", which has dimensions: 2, allowed is 3"},
    {"coupling with an explicit integrator",
     CLOTH "      drag: {model: none}\n      integrator: verlet\n" WATER
           "coupling: [{body: towel, fluid: w}]\n",
     10, 12,
     "coupling[0].way is two-way, which needs bodies.towel.cloth.integrator: kick-drift-kick"},
    {"two-way with the standard method",
     START SHEET "fluids: {w: {sph: {method: standard}}}\n"
                 "coupling: [{body: c, fluid: w, way: two-way}]\n",
     5, 37,
     "coupling[0].way is two-way, which needs fluids.w.sph.method: constant-density, "
     "weakly-compressible or automatic; this one allows one-way"},
    {"two-way by default",
     START SHEET "fluids: {w: {sph: {method: standard}}}\ncoupling: [{body: c, fluid: w}]\n", 5, 12,
     "coupling[0].way is two-way, which needs fluids.w.sph.method"},
    {"two-way coupling with a viscous drag model",
     CLOTH "      drag: {model: viscous}\n" WATER "coupling: [{body: towel, fluid: w}]\n", 9, 12,
     "which needs bodies.towel.cloth.drag.model: physical or none"},
    {"two-way coupling with a window memory",
     CLOTH "      damping: {coefficient: 1, order: 0.5, memory: {steps: 5}}\n" WATER
           "coupling: [{body: towel, fluid: w}]\n",
     9, 12, "which needs bodies.towel.cloth.damping.memory: full or fading"},
    {"a permeable cloth in a particle fluid",
     START SHEET "fluids: {w: {sph: {spacing: 0.1}}}\n"
                 "coupling: [{body: c, fluid: w, resistance: 3}]\n",
     5, 44,
     "coupling[0].resistance is 3, allowed with `way: two-way` of a surface in a grid fluid only"},
    {"quadratic resistance alone",
     START SHEET "fluids: {w: {grid: {cells: [8, 8, 8], spacing: 0.1}}}\n"
                 "coupling: [{body: c, fluid: w, quadratic: 3}]\n",
     5, 43, "coupling[0].quadratic is 3, allowed is 0 without `resistance`"},
    {"a body in two fluids",
     START SHEET "fluids: {w: {sph: {spacing: 0.1}}, v: {sph: {spacing: 0.1}}}\n"
                 "coupling:\n  - {body: c, fluid: w}\n  - {body: c, fluid: v, way: one-way}\n",
     7, 12, "coupling[1].body is \"c\", as in coupling[0]: allowed is one fluid for each body"},
    {"a line that is tied to a body below it",
     START "bodies:\n  r: {line: {strands: [{to: [0, 1, 0]}], ties: [{body: b}]}}\n"
           "  b: {load: {mass: 1}}\n",
     4, 56, "bodies.r.line.ties.body is \"b\", which must stand before \"r\" in the scene"},
    {"a fan with a group and vertices",
     START "bodies:\n"
           "  c: {cloth: {sheet: {columns: 3, rows: 4, width: 1, height: 1}}}\n"
           "  r: {line: {fan: {body: c, group: top, vertices: 2}}}\n",
     5, 51, "bodies.r.line.fan has group and vertices: only one of them is allowed"},
    {"a line of two shapes",
     START "bodies: {r: {line: {strands: [{to: [0, 1, 0]}], fan: {body: r}}}}\n", 3, 49,
     "only one of strands, fan, hair is allowed"},
    {"a load that is too large", START "bodies: {r: {load: {radius: 2}}}\n", 3, 29,
     "bodies.r.load.radius is 2, allowed is above 0 and at most 0.5 m"},
    {"a probe with at and particle",
     START SHEET "probes: {p: {body: c, at: [0, 0], particle: 3}}\n", 4, 45,
     "has \"at\" and \"particle\""},
    {"a probe of a particle that does not exist",
     START SHEET "probes: {p: {body: c, particle: 12}}\n", 4, 33,
     "probes.p.particle is 12, allowed is 0 to 11"},
    {"a probe without an object", START SHEET "probes: {p: {at: [0, 0]}}\n", 4, 10,
     "probes.p needs one of body, object"},
    {"a probe with body and object", START SHEET WATER "probes: {p: {body: c, object: w}}\n", 5, 23,
     "only one of body, object is allowed"},
    {"a probe of an unknown object", START SHEET WATER "probes: {p: {object: towels}}\n", 5, 22,
     "probes.p.object is \"towels\", which is not in bodies, fluids, colliders; there are c, w"},
    {"a probe of a collider without a mass",
     START SHEET "colliders: {floor: {plane: {}}}\nprobes: {p: {object: floor}}\n", 5, 22,
     "probes.p.object is \"floor\", a collider without a mass; allowed are bodies, fluids"},
    {"a field of another kind",
     START SHEET WATER "probes: {p: {object: w, measure: [velocity, stretch]}}\n", 5, 45,
     "probes.p.measure has stretch, which \"w\" does not have; allowed are position, "
     "velocity, radius, density, pressure, fill, id"},
    {"a field of a fluid on cloth", START SHEET "probes: {p: {body: c, measure: pressure}}\n", 4,
     32,
     "probes.p.measure has pressure, which \"c\" does not have; allowed are position, "
     "velocity, normal"},
    {"a field of particles at a place",
     START WATER "probes: {p: {object: w, at: [0, 0, 0], measure: density}}\n", 4, 49,
     "probes.p.measure has density, which \"w\" does not have at a point in space; allowed "
     "are velocity"},
    {"a misspelled field", START SHEET "probes: {p: {body: c, measure: velocty}}\n", 4, 32,
     "did you mean \"velocity\"? allowed is position, velocity, normal"},
    {"[x, y, z] on cloth", START SHEET "probes: {p: {body: c, at: [0, 0, 0]}}\n", 4, 23,
     "probes.p.at is [x, y, z], allowed is [u, v] for the kind cloth"},
    {"[u, v] in a fluid", START WATER "probes: {p: {object: w, at: [0, 0]}}\n", 4, 25,
     "probes.p.at is [u, v], allowed is [x, y, z] for the kind particles"},
    {"[u, v] on a ball",
     START SHEET "colliders: {b: {sphere: {radius: 1}, mass: 1}}\n"
                 "probes: {p: {object: b, at: [0, 0]}}\n",
     5, 25, "probes.p.at is not allowed, only the whole object can be probed, for the kind ball"},
    {"a probe point with four numbers", START SHEET "probes: {p: {body: c, at: [0, 0, 0, 0]}}\n", 4,
     27, "probes.p.at is a list, it must be [u, v] or [x, y, z]"},
    {"a probe point out of range", START WATER "probes: {p: {object: w, at: [0, 0, 1e7]}}\n", 4, 36,
     "probes.p.at[2] is 1e7, allowed is -1e6 to 1e6 m"},
    {"a particle of a fluid", START WATER "probes: {p: {object: w, particle: 3}}\n", 4, 35,
     "probes.p.particle is not allowed, only the whole object can be probed, for the kind "
     "particles"},
    {"fields that nothing has", START SHEET "output: {fields: [drag, spin]}\n", 4, 25,
     "output.fields has spin, which no object of the scene has; allowed are position, velocity"},
    {"a field that nothing has", START WATER "output: {fields: stretch}\n", 4, 18,
     "output.fields has stretch, which no object of the scene has; allowed are position, "
     "velocity, radius, density, pressure, fill, id"},
    {"a swing without period",
     START SHEET "motions: {m: {turn: {axis: [0, 1, 0], amplitude: 9}}}\n", 4, 50,
     "needs a period"},
    {"keys out of order",
     START SHEET
     "motions:\n  m:\n    keyframes:\n      keys:\n        - {time: 1}\n        - {time: 0.5}\n",
     9, 18, "it must be later than 1"},
    {"a composition that contains itself",
     START SHEET "motions:\n  a: {compose: [b]}\n  b: {compose: [a]}\n", 6, 17,
     "contains itself through \"a\""},
    {"extended file is missing", START "extend: nowhere.yaml\n", 3, 9, "cannot extend"},
    {"extend of a list", START "extend: [a]\n", 3, 9, "must be the name of a file"},
};

// The first reported mistake, and the number of all.
typedef struct first_mistake {
    int count;                   // reported mistakes
    int line, column;            // of the first
    char text[600], source[512]; // its message, and the line of the scene
} first_mistake;

// Callback for diagnostics. context: a first_mistake.
static void keep_first(void *context, const fm_diagnostic *diagnostic)
{
    first_mistake *kept = context;
    if (kept->count++ > 0)
        return;
    kept->line = diagnostic->line;
    kept->column = diagnostic->column;
    snprintf(kept->text, sizeof kept->text, "%s", diagnostic->text);
    snprintf(kept->source, sizeof kept->source, "%s", diagnostic->source ? diagnostic->source : "");
}

static void each_mistake_is_reported_once_at_its_line_and_column(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        const mistake *m = &mistakes[i];
        fm_error err = {0};
        first_mistake found = {0};
        fm_scene *scene = fm_scene_parse(m->text, strlen(m->text), "file", "/nowhere", NULL, 0,
                                         keep_first, &found, &err);
        if (scene || err.status != FM_BAD_VALUE || found.count != 1 || found.line != m->line ||
            found.column != m->column || !strstr(found.text, m->expected)) {
            print_error("%s: %d:%d: %s (%d mistakes), expected %d:%d: %s\n", m->name, found.line,
                        found.column, found.text, found.count, m->line, m->column, m->expected);
            wrong++;
        }
        fm_scene_destroy(scene);
    }
    assert_int_equal(wrong, 0);
}

// Writes a text file.
static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

// A mesh file that cannot be a cloth, or is used wrongly, and the report that it must produce.
typedef struct mesh_mistake {
    const char *obj;      // text of the mesh file
    const char *rest;     // text of the scene after the key `mesh`
    const char *expected; // part of the message
    int line, column;     // in the scene
} mesh_mistake;

// Four vertices of an OBJ file, on its lines 1 to 4.
#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

static const mesh_mistake mesh_mistakes[] = {
    {"v 0 0\n", "}}}\n", "a.obj:1:6: v: a point needs three numbers", 3, 35},
    {SQUARE, "}}}\n", "a.obj: the file has no faces", 3, 35},
    {SQUARE "f 1 2 3 4\n", "pins: [{particles: [0, 4]}]}}}\n",
     "bodies.c.cloth.pins[0].particles has 4, allowed is 0 to 3", 4, 10},
    {SQUARE "f 1 2 3 4\n", "seams: [{from: {particles: 4}, to: {particles: 0}}]}}}\n",
     "seams[0].from.particles has 4, allowed is 0 to 3", 4, 29},
    {SQUARE "f 1 2 3 4\n", "}}}\nprobes: {p: {body: c, at: [0, 0]}}\n",
     "probes.p.at is only allowed on sheets and tubes", 5, 23},
    {SQUARE "f 1 2 3 4\n", "}}}\nprobes: {p: {body: c, particle: 4}}\n",
     "probes.p.particle is 4, allowed is 0 to 3", 5, 33},
    {SQUARE "\nf 1 2 3\n", "}}}\n", "a.obj:4: v: no face uses this vertex", 3, 35},
    {SQUARE "v 2 2 2\nf 1 2 3\nf 2 1 4\nf 1 \\\n2 5\n", "}}}\n",
     "a.obj:8: f: the edge between the vertices of lines 1 and 2 has 3 faces, allowed are one or "
     "two; others are on lines 6 and 7",
     3, 35},
    {SQUARE "f 1 2 3\n# flipped\nf 1 4 3\n", "}}}\n",
     "a.obj:7: f: this face and the face of line 5 share the edge between the vertices of lines 3 "
     "and 1",
     3, 35},
    {SQUARE "f 1 2 3\nf 1 3 4\nf 1 2 2\n", "}}}\n",
     "a.obj:7: f: two corners of the face are the vertex of line 2", 3, 35},
    {SQUARE "v 2 0 0\nf 1 2 3 4\nf 2 1 5\n", "}}}\n",
     "a.obj:7: f: the face has a triangle with an area", 3, 35},
    // the flipped face has its own vertices, which are welded to those of the other face
    {SQUARE "v 0 0 0\nv 1 1 0\nf 1 2 3\nf 5 4 6\n", "}}}\n",
     "a.obj:8: f: this face and the face of line 7 share the edge between the vertices of lines 6 "
     "and 5",
     3, 35},
    // found when the world is built; vertices 0 and 4 are welded
    {SQUARE "v 0 0 0\nv 0 1 0\nv -1 1 0\nf 1 2 3 4\nf 5 6 7\n",
     "pins: [{within: {sphere: {radius: 0.5, centre: [-2.5, 1, 0]}}}]}}}\n",
     "within is a region without particles of this cloth, allowed is one with some: the nearest, "
     "vertex 6, is 1 m away",
     4, 10},
    {SQUARE "f 1 2 3 4\n", "pins: [{above: 3}]}}}\n", "the nearest, vertex 2, is 2 m away", 4, 9},
};

static void mesh_files_that_cannot_be_cloth_are_refused_with_the_line(void **state)
{
    (void)state;
    char folder[] = "/tmp/fathom-scene-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.obj", folder);
    for (size_t i = 0; i < sizeof mesh_mistakes / sizeof *mesh_mistakes; i++) {
        const mesh_mistake *m = &mesh_mistakes[i];
        write_file(path, m->obj);
        char text[400], place[32];
        snprintf(text, sizeof text, "%s%s", MESH, m->rest);
        snprintf(place, sizeof place, "file:%d:%d: ", m->line, m->column);
        fm_error err = {0};
        fm_scene *scene =
            fm_scene_parse(text, strlen(text), "file", folder, NULL, 0, NULL, NULL, &err);
        fm_world *world = scene ? fm_scene_build(scene, 1, &err) : NULL;
        if (world || !strstr(err.text, m->expected) || !strstr(err.text, place))
            print_error("%s, expected %s%s\n", err.text, place, m->expected);
        assert_null(world);
        assert_non_null(strstr(err.text, m->expected));
        assert_non_null(strstr(err.text, place));
        fm_scene_destroy(scene);
    }
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

// Messages of all reported mistakes.
typedef struct diagnostic_list {
    char text[16][200];
    int count;
} diagnostic_list;

// Callback for diagnostics. context: a diagnostic_list.
static void keep_text(void *context, const fm_diagnostic *diagnostic)
{
    diagnostic_list *all = context;
    assert_in_range(all->count, 0, 15);
    snprintf(all->text[all->count++], sizeof all->text[0], "%s", diagnostic->text);
}

static void the_first_three_mesh_faults_of_each_kind_and_their_number_are_reported(void **state)
{
    (void)state;
    char folder[] = "/tmp/fathom-scene-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.obj", folder);
    write_file(path, SQUARE "v 5 5 5\nv 6 5 5\nv 7 5 5\nv 8 5 5\nf 1 2 3\nf 1 4 3\n");
    fm_error err = {0};
    diagnostic_list all = {0};
    const char *text = MESH "}}}\n";
    assert_null(fm_scene_parse(text, strlen(text), "file", folder, NULL, 0, keep_text, &all, &err));
    assert_int_equal(all.count, 5);
    static const char *const begin[] = {"a.obj:10: f: this face and the face of line 9",
                                        "a.obj:5: v: ", "a.obj:6: v: ", "a.obj:7: v: ",
                                        "a.obj: there are 4 vertices that no face uses in all"};
    for (int i = 0; i < 5; i++)
        assert_true(strncmp(all.text[i], begin[i], strlen(begin[i])) == 0);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

static void zero_bytes_and_utf_16_are_refused(void **state)
{
    (void)state;
    static const char text[] = "about: a\nso\0urce: b\n", wide[] = "\xff\xfe"
                                                                   "a\0";
    fm_error err = {0};
    first_mistake found = {0};
    assert_null(
        fm_scene_parse(text, sizeof text - 1, "file", NULL, NULL, 0, keep_first, &found, &err));
    assert_non_null(strstr(found.text, "the character 0x00 is not allowed"));
    assert_int_equal(found.line, 2);
    assert_int_equal(found.column, 3);
    found = (first_mistake){0}, err = (fm_error){0};
    assert_null(
        fm_scene_parse(wide, sizeof wide - 1, "file", NULL, NULL, 0, keep_first, &found, &err));
    assert_non_null(strstr(found.text, "the byte 0xff is not UTF-8"));
}

// Callback for diagnostics: appends "LINE:COLUMN " to the text `context` of 200 bytes.
static void list_places(void *context, const fm_diagnostic *diagnostic)
{
    char *places = context;
    size_t length = strlen(places);
    snprintf(places + length, 200 - length, "%d:%d ", diagnostic->line, diagnostic->column);
}

static void all_mistakes_are_reported_in_the_order_of_the_file(void **state)
{
    (void)state;
    const char *text = "about: a\nworld: {frames: x, fps: 0}\nmedium: {densty: 3}\n" SHEET
                       "probes: {p: {body: d, at: [0, 2]}, q: {}}\nlook: studio\n";
    char places[200] = "";
    fm_error err = {0};
    assert_null(
        fm_scene_parse(text, strlen(text), "file", NULL, NULL, 0, list_places, places, &err));
    assert_string_equal(places, "1:1 2:17 2:25 3:10 5:20 5:31 5:36 6:7 ");
    assert_non_null(strstr(err.text, "(and 7 more)"));
}

static void the_error_has_file_line_column_and_source_line(void **state)
{
    (void)state;
    const char *text = START SHEET "wrld: {}\nsorce: {}\n";
    fm_error err = {0};
    first_mistake found = {0};
    assert_null(
        fm_scene_parse(text, strlen(text), "my.yaml", NULL, NULL, 0, keep_first, &found, &err));
    assert_string_equal(found.source, "wrld: {}");
    assert_non_null(strstr(err.text, "my.yaml:4:1: the scene has no key \"wrld\""));
    assert_non_null(strstr(err.text, "(and 1 more)"));
    assert_null(fm_scene_parse(text, strlen(text), "my.yaml", NULL, NULL, 0, NULL, NULL, &err));
}

// A setting PATH=VALUE with a mistake, and a part of the message.
typedef struct bad_setting {
    const char *setting, *expected;
} bad_setting;

static const bad_setting bad_settings[] = {
    {"world", "PATH=VALUE"},
    {"=3", "PATH=VALUE"},
    {"world.frames=", "a value is missing"},
    {"world.frmes=3", "world has no key \"frmes\"; did you mean \"frames\"?"},
    {"wrld.frames=3", "the scene has no key \"wrld\"; did you mean \"world\"?"},
    {"world.frames.x=3", "world.frames has no keys"},
    {"world.frames=-1", "world.frames is -1, allowed is 0 to 1e7"},
    {"world.frames=[1", "not YAML"},
    {"bodies.d.cloth.density=3", "bodies has no \"d\"; there are c"},
    {"bodies.c.cloth.pins.0.edge=top", "has no element \"0\""},
    {"extend=x.yaml", "has no key \"extend\""},
    {"motions.m={sine: {}}", "motions.m.sine needs \"axis\""},
    {"world.frames=\xff", "not UTF-8"},
};

static void mistakes_in_settings_are_reported_with_the_setting(void **state)
{
    (void)state;
    const char *text = START SHEET;
    for (size_t i = 0; i < sizeof bad_settings / sizeof *bad_settings; i++) {
        fm_error err = {0};
        first_mistake found = {0};
        const char *settings[] = {bad_settings[i].setting};
        fm_scene *scene =
            fm_scene_parse(text, strlen(text), "file", NULL, settings, 1, keep_first, &found, &err);
        if (scene || !strstr(found.text, bad_settings[i].expected) || found.line != 0)
            print_error("%s: %d: %s\n", bad_settings[i].setting, found.line, found.text);
        assert_null(scene);
        assert_non_null(strstr(found.text, bad_settings[i].expected));
        char place[80];
        snprintf(place, sizeof place, "--set %s: ", bad_settings[i].setting);
        assert_true(strncmp(err.text, place, strlen(place)) == 0);
    }
}

// Asserts that a scene file is refused with this status and message, at this line.
static void refuse_file(const char *path, fm_status status, const char *expected, int line)
{
    fm_error err = {0};
    first_mistake found = {0};
    fm_scene *scene = fm_scene_load(path, NULL, 0, keep_first, &found, &err);
    if (scene || err.status != status || !strstr(found.text, expected) || found.line != line)
        print_error("%s: status %d, %d: %s\n", path, err.status, found.line, found.text);
    assert_null(scene);
    assert_int_equal(err.status, status);
    assert_non_null(strstr(found.text, expected));
    assert_int_equal(found.line, line);
}

static void unreadable_oversized_and_cyclic_files_are_refused(void **state)
{
    (void)state;
    char folder[] = "/tmp/fathom-scene-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    refuse_file("missing.yaml", FM_INPUT_OUTPUT, "No such file", 0);
    refuse_file(".", FM_BAD_VALUE, "directory", 0);
    refuse_file("/dev/zero", FM_BAD_VALUE, "larger than 16 MB", 0);
    write_file("large.yaml", "about: a\n");
    assert_int_equal(truncate("large.yaml", 100 << 20), 0); // sparse: takes no disk space
    refuse_file("large.yaml", FM_BAD_VALUE, "larger than 16 MB", 0);
    write_file("self.yaml", "about: a\nextend: self.yaml\n");
    refuse_file("self.yaml", FM_BAD_VALUE, "it extends itself", 2);
    write_file("one.yaml", "extend: two.yaml\n");
    write_file("two.yaml", "about: a\nsource: b\nextend: ./one.yaml\n");
    refuse_file("one.yaml", FM_BAD_VALUE, "it extends itself", 3);
    write_file("zero.yaml", "about: a\nextend: /dev/zero\n");
    refuse_file("zero.yaml", FM_BAD_VALUE, "not a regular file", 2);
    char name[32], text[64];
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "chain%d.yaml", i);
        snprintf(text, sizeof text, "about: a\nextend: chain%d.yaml\n", i + 1);
        write_file(name, text);
    }
    refuse_file("chain0.yaml", FM_BAD_VALUE, "more than 16 files", 2);
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "chain%d.yaml", i);
        unlink(name);
    }
    const char *const others[] = {"large.yaml", "self.yaml", "one.yaml", "two.yaml", "zero.yaml"};
    for (int i = 0; i < 5; i++)
        unlink(others[i]);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

// The text `before`, then `count` times `piece`, then `after`. The caller frees it.
static char *repeat(const char *before, const char *piece, int count, const char *after)
{
    size_t size = strlen(piece), start = strlen(before);
    size_t end = start + size * (size_t)count;
    char *text = malloc(end + strlen(after) + 1);
    assert_non_null(text);
    snprintf(text, end + strlen(after) + 1, "%s", before);
    for (int i = 0; i < count; i++)
        snprintf(text + start + size * (size_t)i, size + 1, "%s", piece);
    snprintf(text + end, strlen(after) + 1, "%s", after);
    return text;
}

// Asserts that the text of a scene is refused with this message at this place. Frees the text.
static void refuse_text(char *text, const char *expected, int line, int column)
{
    fm_error err = {0};
    first_mistake found = {0};
    fm_scene *scene =
        fm_scene_parse(text, strlen(text), "file", NULL, NULL, 0, keep_first, &found, &err);
    assert_null(scene);
    if (!strstr(found.text, expected))
        print_error("%s, expected %s\n", found.text, expected);
    assert_non_null(strstr(found.text, expected));
    assert_int_equal(found.line, line);
    assert_int_equal(found.column, column);
    free(text);
}

static void scenes_beyond_the_limits_are_refused(void **state)
{
    (void)state;
    refuse_text(repeat(START "world: ", "[", 100000, ""), "nested more than 64 deep", 3, 71);
    refuse_text(repeat(START "world: ", "{a: ", 1000, ""), "nested more than 64 deep", 3, 260);
    refuse_text(repeat(START "world:\n  ", "- ", 1000, ""), "nested more than 64 deep", 4, 129);
    refuse_text(repeat(START "world: [", "1,", 1100000, "]\n"), "more than 1000000 values", 3,
                2000001);
    refuse_text(repeat(START "world: [", "1,", 9000000, "]\n"), "at most 16777216", 0, 0);
    refuse_text(repeat(START "world: {", "a: b, ", 3000, "}\n"), "is given twice", 3, 15);
    refuse_text(repeat(START "about: \"", "x", 100000, "\"\n"), "\"about\" is given twice", 3, 1);
}

static void reporting_stops_after_a_thousand_mistakes(void **state)
{
    (void)state;
    char *text =
        repeat(START SHEET "motions: {m: {keyframes: {keys: [", "{time: x}, ", 5000, "]}}}\n");
    fm_error err = {0};
    first_mistake found = {0};
    assert_null(
        fm_scene_parse(text, strlen(text), "file", NULL, NULL, 0, keep_first, &found, &err));
    assert_int_equal(found.count, 1001);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mistake_is_reported_once_at_its_line_and_column),
        cmocka_unit_test(mesh_files_that_cannot_be_cloth_are_refused_with_the_line),
        cmocka_unit_test(the_first_three_mesh_faults_of_each_kind_and_their_number_are_reported),
        cmocka_unit_test(zero_bytes_and_utf_16_are_refused),
        cmocka_unit_test(all_mistakes_are_reported_in_the_order_of_the_file),
        cmocka_unit_test(the_error_has_file_line_column_and_source_line),
        cmocka_unit_test(mistakes_in_settings_are_reported_with_the_setting),
        cmocka_unit_test(unreadable_oversized_and_cyclic_files_are_refused),
        cmocka_unit_test(scenes_beyond_the_limits_are_refused),
        cmocka_unit_test(reporting_stops_after_a_thousand_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
