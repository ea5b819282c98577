// SPDX-License-Identifier: MIT
// scene.c: scenes without mistakes: parsing, extending, settings, writing, building, documentation.
// Scenes with mistakes are in scene_mistakes.c.
#include "check.h"
#include "comma_locale.h"
#include "fixtures.h"
#include "scene/cloth_kind.h"
#include "scene/fluid_kind.h"
#include "scene_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A section of a scene: a body c, a sheet of 3 x 4 particles.
#define SHEET "bodies: {c: {cloth: {sheet: {columns: 3, rows: 4, width: 1, height: 1}}}}\n"

// A scene with a towel that is swung under water. It uses most sections of the file format.
static const char example[] =
    "about: A towel swung back and forth under water\n"
    "source: Özgen et al. 2010, figure 5\n"
    "world:   { frames: 240, fps: 24 }\n"
    "medium:  { density: 1000, viscosity: 1.0e-3 }\n"
    "motions:\n"
    "  swing: { sine: { axis: [0, 0, 1], amplitude: 0.1, period: 1.2 } }\n"
    "bodies:\n"
    "  towel:\n"
    "    cloth:\n"
    "      sheet:   { columns: 21, rows: 31, width: 0.4, height: 0.6 }\n"
    "      density: 1100          # kg/m^3, wet\n"
    "      thickness: 0.002       # m\n"
    "      stretch: { stiffness: 150 }        # N/m, surface modulus\n"
    "      shear:   { stiffness: 30 }         # N/m\n"
    "      bend:    { stiffness: 2.0e-5 }     # N m, bending rigidity\n"
    "      damping: { coefficient: 0.5, order: 0.5 }   # N s^order / m\n"
    "      drag:    { model: published, viscous: 0.5, history: { coefficient: 5, order: 0.5, "
    "memory: full } }   # per m^2 of cloth; `model: physical` is the default\n"
    "      pins:    [ { edge: top, motion: swing } ]\n"
    "probes:\n"
    "  tip: { body: towel, at: [0.5, 1.0] }    # fractions of width and height: survives "
    "refinement\n";

// The definition of the first body of a scene, which must be a cloth.
static const fm_scene_cloth *first_cloth(const fm_scene *scene)
{
    const fm_scene_object *bodies = scene->bodies.data;
    assert_ptr_equal(bodies[0].kind, &fm_scene_cloth_kind);
    return bodies[0].def;
}

// Checks that parsing the text that a scene writes gives the same text and the same hash.
static void check_round_trip(const fm_scene *scene)
{
    fm_scene *again = parse(fm_scene_text(scene));
    assert_string_equal(fm_scene_text(again), fm_scene_text(scene));
    assert_true(fm_scene_hash(again) == fm_scene_hash(scene));
    fm_scene_destroy(again);
}

static void the_example_scene_is_parsed_and_built_with_its_values(void **state)
{
    (void)state;
    fm_scene *scene = parse(example);
    assert_string_equal(fm_scene_about(scene), "A towel swung back and forth under water");
    assert_string_equal(fm_scene_source(scene), "Özgen et al. 2010, figure 5");
    assert_int_equal(fm_scene_cloth_count(scene), 1);
    assert_string_equal(fm_scene_cloth_name(scene, 0), "towel");
    assert_null(fm_scene_cloth_name(scene, 1));
    assert_int_equal(fm_scene_probe_column_count(scene), 3);
    assert_string_equal(fm_scene_probe_column(scene, 2), "tip.z");
    fm_world *world = build(scene);
    fm_cloth_def def = fm_cloth_definition(fm_world_cloth(world, 0));
    assert_string_equal(def.name, "towel");
    assert_close(def.density, 1100, 0);
    assert_close(def.bend.stiffness, 2e-5, 0);
    assert_close(def.damping.order, 0.5, 0);
    assert_int_equal(def.drag.model, FM_DRAG_PUBLISHED);
    assert_close(def.drag.history.coefficient, 5, 0);
    assert_int_equal(def.drag.history.memory.kind, FM_RECALL_FULL);
    check_round_trip(scene);
    fm_world_destroy(world);
    fm_scene_destroy(scene);
}

static void keys_left_out_have_the_defaults_of_the_library(void **state)
{
    (void)state;
    fm_scene *scene = parse(START SHEET "colliders:\nmotions:\n");
    fm_scene_run run = fm_scene_run_settings(scene);
    assert_int_equal(run.frames, 240);
    assert_close(run.fps, 24, 0);
    assert_close(run.checkpoint_seconds, 1, 0);
    assert_int_equal(run.checkpoints_kept, 10);
    assert_null(run.fields); // not given
    const fm_cloth_def *def = &first_cloth(scene)->def, expected = fm_default_cloth_def();
    assert_close(def->density, expected.density, 0);
    assert_close(def->drag.added_mass, expected.drag.added_mass, 0);
    assert_int_equal(def->drag.history.memory.kind, expected.drag.history.memory.kind);
    assert_close(def->margin, expected.margin, 0);
    assert_close(scene->world.medium.density, 1000, 0);
    assert_close(scene->world.gravity.y, -9.81, 0);
    assert_int_equal(scene->motions.count, 0);
    assert_null(strstr(fm_scene_text(scene), "motions"));
    check_round_trip(scene);
    fm_scene_destroy(scene);
}

static void a_fluid_is_built_with_the_keys_of_the_scene(void **state)
{
    (void)state;
    fm_scene *scene = parse(
        START
        "motions: {shake: {sine: {axis: [1, 0, 0], amplitude: 0.1, period: 1}}}\n"
        "fluids:\n"
        "  pool:\n"
        "    sph:\n"
        "      dimensions: 2\n"
        "      spacing: 0.1\n"
        "      viscosity: 0.5\n"
        "      capacity: 200000\n" // written as 2e5
        "      method: constant-density\n"
        "      domain: {high: [2, 1, 0], motion: shake, slip: true, sides: {top: open},\n"
        "               slide: {bottom: [0.5, 0, 0]}}\n"
        "      boxes: [{high: [1, 0.5, 0], settled: true, jitter: 0.1, seed: 3}]\n"
        "      sources: [{centre: [1, 0.8, 0], direction: [0, -1, 0], radius: 0.1, speed: 1}]\n"
        "      sinks: [{low: [1.8, 0, 0], high: [2, 0.2, 0]}]\n"
        "      pushes: [{centre: [1, 0.2, 0], radius: 0.2, acceleration: [3, 0, 0], end: 2}]\n"
        "colliders: {ball: {sphere: {centre: [1.5, 0.5, 0], radius: 0.1}, mass: 3}}\n");
    const fm_scene_fluid *fluid = ((const fm_scene_object *)scene->fluids.data)->def;
    const fm_scene_fluid_push *push = fluid->pushes.data;
    assert_int_equal(scene->fluids.count, 1);
    assert_close(push->push.acceleration.x, 3, 0);
    assert_close(push->push.end, 2, 0);
    fm_world *world = build(scene);
    assert_int_equal(fm_world_particle_fluid_count(world), 1);
    fm_particles *pool = fm_world_particle_fluid(world, 0);
    fm_particles_def def = fm_particles_definition(pool);
    assert_string_equal(fm_particles_name(pool), "pool");
    assert_int_equal(def.dimensions, 2);
    assert_int_equal(def.method, FM_SPH_CONSTANT_DENSITY);
    assert_int_equal(def.capacity, 200000);
    assert_close(def.viscosity, 0.5, 0);
    assert_int_equal(def.domain.sides[FM_SIDE_TOP], FM_SIDE_OPEN);
    assert_int_equal(def.domain.sides[FM_SIDE_LEFT], FM_SIDE_WALL);
    assert_close(def.domain.slide[FM_SIDE_BOTTOM].x, 0.5, 0);
    assert_true(def.domain.slip && def.domain.motion);
    assert_int_equal(fm_particles_count(pool), 50);
    check_round_trip(scene);
    fm_error err = {0};
    fm_report report = fm_world_advance(world, 0.05, &err);
    assert_int_equal(report.particle_count, fm_particles_count(pool));
    assert_int_equal(err.status, FM_OK);
    fm_world_destroy(world);
    fm_scene_destroy(scene);
}

static void keys_override_the_material_in_any_order(void **state)
{
    (void)state;
    fm_scene *scene = parse(START "bodies: {c: {cloth: {density: 1234, material: silk, "
                                  "sheet: {columns: 3, rows: 4, width: 1, height: 1}}}}");
    const fm_cloth_def *def = &first_cloth(scene)->def;
    fm_cloth_def silk = fm_default_cloth_def();
    fm_cloth_set_material(&silk, FM_SILK);
    assert_close(def->density, 1234, 0);
    assert_close(def->thickness, silk.thickness, 0);
    fm_scene_destroy(scene);
}

// A section of a scene: a motion s.
#define MOTION "motions: {s: {sine: {axis: [1, 0, 0], amplitude: 0.01, period: 3}}}\n"

// Asserts that a scene with a setting PATH=VALUE can be built and advanced.
static void try_setting(const char *text, const char *setting)
{
    fm_scene *scene = parse_with_settings(text, &setting, 1);
    fm_world *world = build(scene);
    fm_error err = {0};
    fm_world_advance(world, 0.02, &err);
    if (err.status != FM_OK)
        print_error("%s: %s\n", setting, err.text);
    assert_int_equal(err.status, FM_OK);
    check_round_trip(scene);
    fm_world_destroy(world);
    fm_scene_destroy(scene);
}

static void scenes_with_each_alternative_key_and_word_build_and_advance(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "motions.m=none",
        "motions.m={sine: {axis: [0, 0, 1], amplitude: 0.1, period: 2, phase: 1}}",
        "motions.m={turn: {axis: [0, 1, 0], rate: 90}}",
        "motions.m={turn: {axis: [0, 1, 0], amplitude: 9, period: 2}}",
        "motions.m={keyframes: {keys: [{time: 0}, {time: 1, position: [1, 0, 0]}]}}",
        "motions.m={compose: [s, s]}",
        "motions.m={compose: s}",
        "medium.flow=still",
        "medium.flow={uniform: {velocity: [1, 0, 0]}}",
        "medium.turbulence={intensity: 0.1, length: 0.5, seed: 3}",
        "medium.flow={oscillating: {amplitude: [1, 0, 0], period: 2}}",
        "medium.flow={shear: {amplitude: [1, 0, 0], axis: [0, 1, 0], radius: 1}}",
        "medium.flow={vortex: {speed: 1, axis: [0, 1, 0], radius: 1}}",
        "medium.flow={cells: {speed: 1, axis: [0, 1, 0], radius: 1}}",
        "colliders.k={plane: {}}",
        "colliders.k={sphere: {radius: 1}, motion: s, friction: 0}",
        "colliders.k={capsule: {start: [0, 0, 0], end: [1, 0, 0], radius: 1}}",
        "colliders.k={box: {half_size: [1, 1, 1], rotation: {axis: [0, 1, 0], angle: 30}}}",
        "colliders.k={capsule: {start: [0, 0, 0], end: [1, 0, 0], radius: 1, end_radius: 2}}",
        "colliders.k={cylinder: {start: [0, 0, 0], end: [1, 0, 0], radius: 1}}",
        "colliders.k={cone: {start: [0, 0, 0], end: [1, 0, 0], radius: 1}}",
        "colliders.k={cone: {start: [0, 0, 0], end: [1, 0, 0], radius: 1, end_radius: 0.5}}",
        "colliders.k={ellipsoid: {half_size: [1, 2, 1], rotation: {axis: [0, 1, 0], angle: 30}}}",
        "figures.f={}",
        "figures.f={motion: stand, look: bones, hips: 1.1, waist: 0.9, chest: 1, limbs: 1}",
        "figures.f={motion: stand, arms: 40}",
        "figures.f={height: 1.8, origin: [1, 0, 0], facing: 90, motion: {walk: {speed: 1}}}",
        "figures.f={motion: {walk: {stride: 1.2, ramp: 3, start: 1}}, friction: 0}",
        "figures.f={motion: {dance: {tempo: 0.5, energy: 1.2, ramp: 3}}}",
        "bodies.c.cloth.imperfection={amount: 0.01, seed: 5}",
        "bodies.c.cloth.bend.damping={coefficient: 1e-6, order: 0.5, memory: {fading: 2}}",
        "bodies.c.cloth.pins=[{edge: top}, {edge: left, motion: s, release: 1}]",
        "bodies.c.cloth.pins=[{row: 3}]",
        "bodies.c.cloth.pins=[{column: 2}]",
        "bodies.c.cloth.pins=[{corner: bottom-right}]",
        "bodies.c.cloth.pins=[{particles: [0, 5, 11]}, {particles: 3}]",
        "bodies.c.cloth.pins=[{above: -0.1}, {above: -2, motion: s}]",
        "bodies.c.cloth.pins=[{within: {sphere: {radius: 0.1}}}, {within: {plane: {}}}]",
        "bodies.c.cloth.pins=[{within: {box: {half_size: [1, 0.1, 0.1]}}, release: 1}]",
        "bodies.c.cloth.seams=[{from: {edge: left}, to: {edge: right}, start: 1, time: 2}]",
        "bodies.c.cloth.seams=[{from: {row: 0}, to: {row: 3}, reverse: true}]",
        "bodies.c.cloth.seams=[{from: {column: 0}, to: {particles: [2, 5, 8, 11]}, time: 0}]",
        "bodies.c.cloth.tube={columns: 8, rows: 3, radius_top: 1, radius_bottom: 2, height: 3}",
        "bodies.c.cloth.damping={order: 0.5, memory: full}",
        "bodies.c.cloth.damping={order: 0.5, memory: {full: true, tolerance: 1e-3}}",
        "bodies.c.cloth.damping={order: 0.5, memory: {steps: 3, rule: coimbra}}",
        "bodies.c.cloth.damping={order: 0.5, memory: {steps: 3}}",
        "bodies.c.cloth.damping={order: 0.2, memory: {steps: 3, unsafe: true}}",
        "bodies.c.cloth.damping={order: 0.5, memory: {seconds: 0.2}}",
        "bodies.c.cloth.damping={order: 0.5, memory: {fading: 0.2, horizon: 3}}",
        "bodies.c.cloth.drag.model=none",
        "bodies.c.cloth.drag={model: published, history: {coefficient: 1}}",
        "bodies.c.cloth.drag={model: viscous, viscous: 1}",
        "bodies.c.cloth.drag={model: normal, normal: 1}",
        "bodies.c.cloth.drag={model: both, viscous: 1, normal: 1}",
        "bodies.c.cloth={integrator: euler, drag: {model: viscous}}",
        "bodies.c.cloth={integrator: rk4, drag: {model: none}}",
        "bodies.c.cloth.bend={model: springs, stiffness: 1}",
        "bodies.c.cloth.repulsion={enabled: true, distance: 0.01, friction: 0.5}",
        "bodies.c.cloth={material: gauze, time_step: 1e-3, margin: 0}",
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        try_setting(START SHEET MOTION, settings[i]);
}

static void tubes_accept_pins_seams_and_materials(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "bodies.c.cloth.pins=[{edge: top}, {row: 2, motion: s}, {column: 1}, {particles: 23}]",
        "bodies.c.cloth.pins=[{above: -0.1, motion: s}, {within: {sphere: {radius: 0.3}}}]",
        "bodies.c.cloth.seams=[{from: {row: 0}, to: {edge: bottom}}]",
        "bodies.c.cloth.bend.rest_angle=shape",
        "bodies.c.cloth.tube={velocity: [0, 0, 1], rotation: {axis: [1, 0, 0], angle: 90}}",
        "bodies.c.cloth.sheet={columns: 3, rows: 4, width: 1, height: 1}", // replaces the tube
        "bodies.c.cloth={repulsion: {enabled: true}, damping: {order: 0.5}}",
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        try_setting(START "bodies: {c: {cloth: {tube: {columns: 8, rows: 3, radius_top: 0.1, "
                          "radius_bottom: 0.2, height: 0.3}}}}\n" MOTION,
                    settings[i]);
}

static void a_setting_changes_one_value(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "world.frames=48",
        "bodies.towel.cloth.density=1200",
        "bodies.towel.cloth.pins.0.release=2",
        "bodies.towel.cloth.drag.history.memory.seconds=3", // replaces `full`
        "bodies.towel.cloth.sheet.rotation.axis=[0, 1, 0]",
        "bodies.towel.cloth.sheet.rotation.angle=90",
        "motions.swing.turn={axis: [0, 0, 1], rate: 10}", // replaces the sine
        "colliders.ball={sphere: {radius: 0.1}}",
        "probes.tip.measure=velocity",
        "about=something: else",
    };
    fm_scene *scene = parse_with_settings(example, settings, 9);
    const fm_scene_cloth *cloth = first_cloth(scene);
    const fm_scene_pin *pin = cloth->pins.data;
    const fm_scene_motion *motion = scene->motions.data;
    assert_int_equal(scene->frames, 48);
    assert_close(cloth->def.density, 1200, 0);
    assert_close(pin->release, 2, 0);
    assert_int_equal(cloth->def.drag.history.memory.kind, FM_RECALL_SECONDS);
    assert_close(cloth->sheet.rotation.y, sqrt(0.5), 1e-15);
    assert_int_equal(motion->kind, FM_SCENE_MOTION_TURN);
    assert_close(motion->turn.rate, 10 * FM_PI / 180, 1e-15);
    assert_int_equal(scene->colliders.count, 1);
    assert_string_equal(fm_scene_probe_column(scene, 0), "tip.velocity.x");
    check_round_trip(scene);
    fm_scene_destroy(scene);
    fm_error err = {0};
    assert_null(
        fm_scene_parse(example, strlen(example), "test", NULL, settings, 10, NULL, NULL, &err));
    assert_non_null(strstr(err.text, "about is a mapping, it must be a text"));
}

static void a_file_is_merged_over_the_file_it_extends(void **state)
{
    (void)state;
    char folder[] = "/tmp/fathom-scene-XXXXXX", path[256];
    assert_non_null(mkdtemp(folder));
    write_file(folder, "base.yaml", example);
    write_file(folder, "middle.yaml",
               "extend: base.yaml\nabout: middle\n"
               "motions: {swing: {turn: {axis: [0, 0, 1], rate: 10}}, other: none}\n");
    write_file(folder, "top.yaml",
               "extend: middle.yaml\nbodies:\n  second:\n    cloth: {sheet: {columns: 3, rows: 3, "
               "width: 1, height: 1}}\n  towel: {cloth: {density: 1300, pins: [{corner: top-left}, "
               "{row: 4}]}}\n");
    snprintf(path, sizeof path, "%s/top.yaml", folder);
    fm_error err = {0};
    fm_scene *scene = fm_scene_load(path, NULL, 0, print_diagnostic, NULL, &err);
    assert_non_null(scene);
    const fm_scene_cloth *cloth = first_cloth(scene);
    const fm_scene_motion *motions = scene->motions.data;
    assert_string_equal(scene->about, "middle");
    assert_string_equal(fm_scene_cloth_name(scene, 1), "second"); // after those of the base
    assert_close(cloth->def.density, 1300, 0);
    assert_close(cloth->def.thickness, 0.002, 0);
    assert_int_equal(cloth->pins.count, 2);
    assert_int_equal(motions[0].kind, FM_SCENE_MOTION_TURN);
    assert_int_equal(scene->motions.count, 2);
    assert_null(strstr(fm_scene_text(scene), "extend"));
    check_round_trip(scene);
    fm_scene_destroy(scene);
    const char *text = "extend: top.yaml\nabout: from memory\n";
    scene =
        fm_scene_parse(text, strlen(text), "memory", folder, NULL, 0, print_diagnostic, NULL, &err);
    assert_non_null(scene);
    fm_scene_destroy(scene);
    const char *const names[] = {"base.yaml", "middle.yaml", "top.yaml"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    assert_int_equal(rmdir(folder), 0);
}

// An OBJ file: two adjacent squares that do not share vertices, the first as two triangles, the
// second as one quadrilateral.
static const char two_squares[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 1 0\nv 2 0 0\nv 1 0 0\n"
                                  "v 1 1 0\nf 1 2 3\nf 1 3 4\nf 7 6 5 8\n";

// Parses a scene whose files are in a folder.
static fm_scene *load_text(const char *folder, const char *text)
{
    fm_error err = {0};
    fm_scene *scene =
        fm_scene_parse(text, strlen(text), "test", folder, NULL, 0, print_diagnostic, NULL, &err);
    assert_non_null(scene);
    return scene;
}

static void a_cloth_is_built_from_a_mesh_file(void **state)
{
    (void)state;
    char folder[] = "/tmp/fathom-scene-XXXXXX", below[64], path[256];
    assert_non_null(mkdtemp(folder));
    snprintf(below, sizeof below, "%s/meshes", folder);
    assert_int_equal(mkdir(below, 0777), 0);
    write_file(below, "squares.obj", two_squares);
    write_file(below, "base.yaml",
               START
               "bodies: {c: {cloth: {mesh: {file: squares.obj, scale: 0.1, origin: [5, 0, 0], "
               "rotation: {axis: [0, 0, 1], angle: 90}, velocity: [0, 0, 2]}, imperfection: "
               "{amount: 0}, pins: [{particles: [7, 0]}]}}}\nprobes: {p: {body: c, particle: 4}, "
               "q: {body: c, "
               "particle: 7, measure: [velocity, pinned]}}\n");
    // the path of the mesh is relative to base.yaml
    fm_scene *scene = load_text(folder, "extend: meshes/base.yaml\n");
    fm_world *world = build(scene);
    fm_cloth *cloth = fm_world_cloth(world, 0);
    fm_error err = {0};
    int vertices, faces;
    assert_int_equal(fm_cloth_particle_count(cloth), 6);
    assert_int_equal(fm_cloth_topology(cloth), FM_CLOTH_MESH);
    const int *particle = fm_cloth_vertices(cloth, &vertices);
    assert_int_equal(vertices, 8);
    assert_int_equal(particle[6], 1);
    assert_int_equal(particle[7], 2);
    const int *face = fm_cloth_faces(cloth, &faces, &err);
    assert_int_equal(faces, 4);
    assert_int_equal(face[0] + face[1] + face[2], 0 + 1 + 2);
    double values[7];
    assert_true(fm_scene_read_probes(scene, world, values, &err));
    const double expected[] = {5 - 0.1, 0.2, 0, 0, 0, 2, 1}; // vertex 5 of the file is (2, 1, 0)
    for (int i = 0; i < 7; i++)
        assert_close(values[i], expected[i], 1e-14);
    check_round_trip(scene); // the written text contains the absolute path of the mesh
    uint64_t hash = fm_scene_hash(scene);
    fm_world_destroy(world);
    fm_scene_destroy(scene);
    snprintf(path, sizeof path, "%s\n# changed\n", two_squares);
    write_file(below, "squares.obj", path);
    scene = load_text(folder, "extend: meshes/base.yaml\n");
    assert_true(fm_scene_hash(scene) != hash);
    fm_scene_destroy(scene);
    const char *const names[] = {"meshes/squares.obj", "meshes/base.yaml"};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    assert_int_equal(rmdir(below), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void seams_weld_or_sew_the_vertices_of_a_mesh(void **state)
{
    (void)state;
    char folder[] = "/tmp/fathom-scene-XXXXXX", path[256];
    assert_non_null(mkdtemp(folder));
    // two squares with a gap of 0.2 m between them
    write_file(folder, "apart.obj",
               "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 1.2 0 0\nv 2.2 0 0\nv 2.2 1 0\nv 1.2 1 0\n"
               "f 1 2 3 4\nf 5 6 7 8\n");
    // the beginning of a scene with a seam between the facing edges of the squares
#define APART                                                                                      \
    START "bodies: {c: {cloth: {mesh: {file: apart.obj}, seams: [{from: {particles: [1, 2]}, "
    fm_scene *scene = load_text(folder, APART "to: {particles: [4, 7]}, weld: true}]}}}\n");
    fm_world *world = build(scene);
    int count;
    const fm_vec3 *x = fm_cloth_positions(fm_world_cloth(world, 0), &count);
    assert_int_equal(count, 6);
    assert_close(x[1].x, 1.1, 1e-15); // half-way
    fm_world_destroy(world);
    fm_scene_destroy(scene);
    scene = load_text(folder, APART "to: {particles: [7, 4]}, reverse: true, time: 0.5}]}}}\n"
                                    "world: {gravity: [0, 0, 0]}\n");
    world = build(scene);
    fm_error err = {0};
    for (int i = 0; i < 48; i++)
        fm_world_advance(world, 1.0 / 24, &err);
    assert_int_equal(err.status, FM_OK);
    x = fm_cloth_positions(fm_world_cloth(world, 0), &count);
    assert_int_equal(count, 8);
    assert_close(x[1].x, x[4].x, 0.02);
    assert_close(x[2].y, x[7].y, 0.02);
    fm_world_destroy(world);
    fm_scene_destroy(scene);
    snprintf(path, sizeof path, "%s/apart.obj", folder);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

// Hash of the example scene with a setting PATH=VALUE; NULL: without.
static uint64_t hash_with(const char *setting)
{
    const char *const settings[] = {setting};
    fm_scene *scene = parse_with_settings(example, settings, setting != NULL);
    uint64_t hash = fm_scene_hash(scene);
    fm_scene_destroy(scene);
    return hash;
}

static void the_hash_depends_only_on_keys_that_change_results(void **state)
{
    (void)state;
    uint64_t plain = hash_with(NULL);
    static const char *const not_hashed[] = {
        "about=other",   "source=x",          "world.frames=1",          "world.threads=2",
        "output.keep=3", "look.style=studio", "camera.target=[0, 0, 0]", "output={}"};
    for (size_t i = 0; i < sizeof not_hashed / sizeof *not_hashed; i++)
        assert_true(hash_with(not_hashed[i]) == plain);
    assert_true(hash_with("world.fps=25") != plain);
    assert_true(hash_with("bodies.towel.cloth.density=1101") != plain);
    assert_true(hash_with("probes.tip.at=[0, 0]") != plain);
    assert_true(hash_with("output.fields=drag") != plain);
    assert_true(hash_with("bodies.towel.cloth.density=1.1e3") == plain);
}

// A scene builds the same world, bit for bit, as the corresponding calls in C.
static void a_scene_builds_the_same_world_as_calls_in_c(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_scene *scene = parse(example);
    fm_world *world = build(scene);
    fm_world_def world_def = fm_default_world_def();
    fm_world *other = fm_world_create(&world_def, &err);
    fm_cloth_def def = fm_default_cloth_def();
    def.density = 1100;
    def.damping.coefficient = 0.5;
    def.damping.order = 0.5;
    def.drag.model = FM_DRAG_PUBLISHED;
    def.drag.viscous = 0.5;
    def.drag.history.coefficient = 5;
    def.drag.history.memory.kind = FM_RECALL_FULL;
    fm_sheet sheet = {.columns = 21, .rows = 31, .width = 0.4, .height = 0.6};
    fm_cloth *cloth = fm_cloth_create_sheet(other, &def, &sheet, &err);
    fm_motion *swing = fm_motion_sine(other, (fm_vec3){0, 0, 1}, 0.1, 1.2, &err);
    fm_cloth_pin_row(cloth, 0, swing, &err);
    for (int i = 0; i < 5; i++) {
        fm_world_advance(world, 1.0 / 24, &err);
        fm_world_advance(other, 1.0 / 24, &err);
    }
    assert_int_equal(err.status, FM_OK);
    assert_true(fm_world_hash(world) == fm_world_hash(other));
    fm_world_destroy(other);
    fm_world_destroy(world);
    fm_scene_destroy(scene);
}

// True when the library accepts a cloth with `value` at `offset` of an fm_scene_cloth.
static bool is_accepted(size_t offset, double value)
{
    fm_error err = {0};
    fm_world *world = fixture_create_world(fixture_water_def(1), &err);
    fm_scene_cloth cloth = {
        .sheet = {.columns = 2, .rows = 2, .width = 1, .height = 1},
        .tube = {.columns = 3, .rows = 2, .radius_top = 1, .radius_bottom = 1, .height = 1}};
    cloth.def = fm_default_cloth_def();
    cloth.def.drag.model = FM_DRAG_NONE;
    memcpy((char *)&cloth + offset, &value, sizeof value);
    fm_cloth_create_sheet(world, &cloth.def, &cloth.sheet, &err);
    if (cloth.def.stretch.stiffening == 0) // tubes have none
        fm_cloth_create_tube(world, &cloth.def, &cloth.tube, &err);
    fm_world_destroy(world);
    return err.status == FM_OK;
}

// Checks, for every number in a key table of cloth and in the tables below it, that the library
// accepts exactly the range in the table. base: offset of the table's struct in fm_scene_cloth.
// Returns the number of keys.
static int check_ranges(const fm_table *table, size_t base)
{
    int checked = 0;
    for (int i = 0; i < table->count; i++) {
        const fm_entry *entry = &table->entries[i];
        // the library checks the keys `memory` (of fractional derivatives) when they are used, and
        // mesh files when they are read
        if (entry->type == FM_KEY_MAPPING && strcmp(entry->key, "memory") != 0 &&
            strcmp(entry->key, "mesh") != 0)
            checked += check_ranges(entry->table, base + entry->offset);
        if (entry->type != FM_KEY_NUMBER)
            continue;
        size_t offset = base + entry->offset;
        double low = entry->range.low, high = entry->range.high;
        bool good = is_accepted(offset, low) == !entry->range.low_open &&
                    is_accepted(offset, high) == !entry->range.high_open &&
                    !is_accepted(offset, low - 1e-6) && !is_accepted(offset, high * (1 + 1e-9)) &&
                    is_accepted(offset, low + 1e-6) && is_accepted(offset, high * (1 - 1e-9)) &&
                    !is_accepted(offset, NAN);
        if (!good)
            print_error("%s.%s\n", table->name, entry->key);
        assert_true(good);
        checked++;
    }
    return checked;
}

static void ranges_in_the_cloth_table_equal_those_of_the_library(void **state)
{
    (void)state;
    // a new number of cloth changes this count: it must be in the table
    assert_int_equal(check_ranges(&fm_cloth_table, 0), 41);
}

// Checks that every key of a table, and of the tables below it, is described and occurs once.
static void check_table(const fm_table *table)
{
    assert_non_null(table->about);
    for (int i = 0; i < table->count; i++) {
        const fm_entry *entry = &table->entries[i];
        assert_non_null(entry->about);
        assert_ptr_equal(fm_table_find(table, entry->key), entry); // no key occurs twice
        assert_true(entry->choice <= table->has_kind);
        if (entry->type == FM_KEY_NAMED || entry->type == FM_KEY_LIST)
            assert_true(entry->table->size > 0);
        if (entry->type == FM_KEY_WORD)
            assert_non_null(fm_entry_word(entry, 0));
        if (entry->object)
            assert_true(entry->table->size > 0);
        if (entry->table)
            check_table(entry->table);
    }
}

static void every_table_entry_is_complete_and_unique(void **state)
{
    (void)state;
    check_table(&fm_scene_table);
    check_table(&fm_rotation_table);
}

// The contents of a file of less than 1 MB; the caller frees them.
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        print_error("%s cannot be read\n", path);
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

static void shipped_scenes_load_build_and_advance(void **state)
{
    (void)state;
    static const char *const names[] = {
        "underwater/swing",   "underwater/pull",          "underwater/sideways",
        "underwater/sphere",  "underwater/models",        "underwater/sinking",
        "underwater/current", "underwater/turning-skirt", "underwater/tunic"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[512];
        snprintf(path, sizeof path, SOURCE_DIR "/scenes/%s.yaml", names[i]);
        fm_error err = {0};
        fm_scene *scene = fm_scene_load(path, NULL, 0, print_diagnostic, NULL, &err);
        assert_non_null(scene);
        fm_world *world = build(scene);
        fm_world_advance(world, 1 / fm_scene_run_settings(scene).fps, &err);
        assert_int_equal(err.status, FM_OK);
        check_round_trip(scene);
        fm_world_destroy(world);
        fm_scene_destroy(scene);
    }
}

static void docs_scenes_md_equals_the_generated_page(void **state)
{
    (void)state;
    char *generated = fm_scene_reference(), *stored = read_file(SOURCE_DIR "/docs/scenes.md");
    if (strcmp(generated, stored) != 0)
        print_error("docs/scenes.md is out of date: fathom describe --markdown > docs/scenes.md\n");
    assert_string_equal(generated, stored);
    free(generated);
    free(stored);
}

// Asserts that `fathom describe KEY` prints a text that contains `expected`.
static void check_description(const char *key, const char *expected)
{
    fm_error err = {0};
    char *text = fm_scene_describe(key, &err);
    assert_non_null(text);
    if (!strstr(text, expected))
        print_error("%s: %s\n", key, text);
    assert_non_null(strstr(text, expected));
    free(text);
}

static void the_description_of_a_key_has_its_type_range_and_default(void **state)
{
    (void)state;
    check_description(NULL, "medium     the medium that surrounds all bodies");
    check_description("bodies.towel.cloth.density", "number: above 0 and at most 1e5 kg/m^3");
    check_description("bodies.cloth.density", "default  1080");
    check_description("drag.model", "word: none, physical, published, viscous, normal, both");
    check_description("history.memory", "default  { fading: 1 }");
    check_description("flow", "default  still");
    check_description("release", "default  never");
    check_description("camera.field_of_view", "default  35");
    fm_error err = {0};
    assert_null(fm_scene_describe("denisty", &err));
    assert_non_null(strstr(err.text, "did you mean \"density\"?"));
}

// Checks only that braces and brackets outside strings are balanced.
static void the_schema_has_balanced_braces(void **state)
{
    (void)state;
    char *schema = fm_scene_schema();
    int depth = 0;
    bool quoted = false;
    for (const char *p = schema; *p; p++) {
        if (*p == '\\' && quoted)
            p++;
        else if (*p == '"')
            quoted = !quoted;
        else if (!quoted)
            depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
        assert_true(depth > 0 || p[1] == '\n' || p[1] == 0);
    }
    assert_int_equal(depth, 0);
    assert_non_null(strstr(schema, "draft/2020-12"));
    free(schema);
}

static void numbers_use_a_decimal_point_in_a_comma_locale(void **state)
{
    (void)state;
    use_comma_locale();
    fm_scene *scene = parse(example);
    assert_non_null(strstr(fm_scene_text(scene), "amplitude: 0.1"));
    assert_close(((const fm_scene_motion *)scene->motions.data)->sine.amplitude, 0.1, 0);
    fm_scene_destroy(scene);
    check_description("thickness", "default  0.002");
    fm_error err = {0};
    const char *settings[] = {"motions.swing.sine.amplitude=0.25"};
    scene =
        fm_scene_parse(example, strlen(example), "test.yaml", ".", settings, 1, NULL, NULL, &err);
    assert_non_null(scene);
    assert_close(((const fm_scene_motion *)scene->motions.data)->sine.amplitude, 0.25, 0);
    fm_scene_destroy(scene);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_scene_is_parsed_and_built_with_its_values),
        cmocka_unit_test(keys_left_out_have_the_defaults_of_the_library),
        cmocka_unit_test(keys_override_the_material_in_any_order),
        cmocka_unit_test(scenes_with_each_alternative_key_and_word_build_and_advance),
        cmocka_unit_test(tubes_accept_pins_seams_and_materials),
        cmocka_unit_test(a_setting_changes_one_value),
        cmocka_unit_test(a_file_is_merged_over_the_file_it_extends),
        cmocka_unit_test(the_hash_depends_only_on_keys_that_change_results),
        cmocka_unit_test(a_cloth_is_built_from_a_mesh_file),
        cmocka_unit_test(seams_weld_or_sew_the_vertices_of_a_mesh),
        cmocka_unit_test(a_scene_builds_the_same_world_as_calls_in_c),
        cmocka_unit_test(ranges_in_the_cloth_table_equal_those_of_the_library),
        cmocka_unit_test(every_table_entry_is_complete_and_unique),
        cmocka_unit_test(shipped_scenes_load_build_and_advance),
        cmocka_unit_test(docs_scenes_md_equals_the_generated_page),
        cmocka_unit_test(a_fluid_is_built_with_the_keys_of_the_scene),
        cmocka_unit_test(the_description_of_a_key_has_its_type_range_and_default),
        cmocka_unit_test(the_schema_has_balanced_braces),
        cmocka_unit_test(numbers_use_a_decimal_point_in_a_comma_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
