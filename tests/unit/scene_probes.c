// SPDX-License-Identifier: MIT
// scene_probes.c: probes at points of bodies, at points in fluids and over whole objects.
#include "scene_fixture.h"

#include <fathom/particles.h>
#include <stdlib.h>
#include <unistd.h>

// A block of water with uniform velocity, and a ball with a mass above it, without gravity.
#define MOVING                                                                                     \
    START "world: {gravity: [0, 0, 0]}\n"                                                          \
          "fluids: {water: {sph: {spacing: 0.125, domain: {sides: {left: periodic, right: "        \
          "periodic}, slip: true}, boxes: [{high: [1, 0.5, 1], velocity: [0.25, 0, 0]}]}}}\n"      \
          "colliders: {ball: {sphere: {centre: [0.5, 2, 3], radius: 0.25}, mass: 2, velocity: "    \
          "[1, 2, 3]}}\n"

// Compares the columns and values of all probes of a scene in the initial state. count: of columns.
static void check_probes(const char *text, int count, const char *const *names,
                         const double *expected, double tolerance)
{
    fm_scene *scene = parse(text);
    fm_world *world = build(scene);
    fm_error err = {0};
    double values[32];
    assert_int_equal(fm_scene_probe_column_count(scene), count);
    assert_good(fm_scene_read_probes(scene, world, values, &err), &err);
    for (int i = 0; i < count; i++) {
        assert_string_equal(fm_scene_probe_column(scene, i), names[i]);
        assert_close(values[i], expected[i], tolerance);
    }
    fm_world_destroy(world);
    fm_scene_destroy(scene);
}

static void probes_on_a_sheet_interpolate_between_particles(void **state)
{
    (void)state;
    fm_scene *scene = parse(
        START "bodies:\n  c:\n    cloth:\n      sheet: {columns: 3, rows: 5, width: 1, height: 2, "
              "origin: [1, 2, 3], velocity: [4, 5, 6]}\n      imperfection: {amount: 0}\n"
              "probes:\n  a: {body: c, at: [0, 0]}\n  b: {body: c, at: [0.25, 0.9]}\n"
              "  d: {body: c, at: [1, 1], measure: [velocity, pinned]}\n  e: {body: c}\n");
    fm_world *world = build(scene);
    const double expected[] = {1, 2, 3, 1.25, 0.2, 3, 4, 5, 6, 0, 1.5, 1, 3};
    const char *const names[] = {"a.x", "a.y",          "a.z",          "b.x",          "b.y",
                                 "b.z", "d.velocity.x", "d.velocity.y", "d.velocity.z", "d.pinned",
                                 "e.x", "e.y",          "e.z"};
    double values[13];
    fm_error err = {0};
    assert_int_equal(fm_scene_probe_column_count(scene), 13);
    assert_true(fm_scene_read_probes(scene, world, values, &err));
    for (int i = 0; i < 13; i++) {
        assert_string_equal(fm_scene_probe_column(scene, i), names[i]);
        assert_close(values[i], expected[i], 1e-14);
    }
    fm_world_destroy(world);
    fm_scene_destroy(scene);
}

static void probes_on_a_tube_interpolate_around_its_circumference(void **state)
{
    (void)state;
    fm_scene *scene =
        parse(START "bodies: {c: {cloth: {tube: {columns: 4, rows: 3, radius_top: 1, "
                    "radius_bottom: 3, height: 2}, imperfection: {amount: 0}}}}\nprobes:\n  a: "
                    "{body: c, at: [0.25, 0.5]}\n"
                    "  b: {body: c, at: [0.875, 1]}\n  d: {body: c, at: [1, 0]}\n  e: {body: c, "
                    "particle: 11}\n");
    fm_world *world = build(scene);
    // column 0 is at +z, column 1 at +x; u = 0.875 is half-way between columns 3 and 0
    const double expected[] = {2, -1, 0, -1.5, -2, 1.5, 0, 0, 1, -3, -2, 0};
    double values[12];
    fm_error err = {0};
    assert_true(fm_scene_read_probes(scene, world, values, &err));
    for (int i = 0; i < 12; i++)
        assert_close(values[i], expected[i], 1e-14);
    fm_world_destroy(world);
    fm_scene_destroy(scene);
}

// All particles have the same velocity, so it is also the velocity at any point inside the fluid.
static void a_probe_reads_the_velocity_at_a_point_in_a_fluid(void **state)
{
    (void)state;
    static const char *const names[] = {"p.velocity.x", "p.velocity.y", "p.velocity.z",
                                        "q.velocity.x", "q.velocity.y", "q.velocity.z"};
    check_probes(MOVING "probes: {p: {object: water, at: [0.5, 0.25, 0.5], measure: [velocity]}, "
                        "q: {object: water, at: [0.45, 0.2, 0.5]}}\n",
                 6, names, (double[]){0.25, 0, 0, 0.25, 0, 0}, 1e-12);
}

static void a_probe_without_a_point_reads_the_mean_over_the_object(void **state)
{
    (void)state;
    static const char *const names[] = {
        "b.x", "b.y", "b.z", "b.spin.x",     "b.spin.y",     "b.spin.z",     "b.radius",
        "w.x", "w.y", "w.z", "w.velocity.x", "w.velocity.y", "w.velocity.z", "w.radius"};
    const double expected[] = {0.5, 2, 3, 0, 0, 0, 0.25, 0.5, 0.25, 0.5, 0.25, 0, 0, 0.0625};
    check_probes(MOVING "probes: {b: {object: ball, measure: [position, spin, radius]}, "
                        "w: {object: water, measure: [position, velocity, radius]}}\n",
                 14, names, expected, 1e-12);
}

static void the_key_object_of_a_probe_also_accepts_bodies(void **state)
{
    (void)state;
    static const char *const names[] = {"p.x", "p.y", "p.z", "q.mass"};
    check_probes(START "bodies: {c: {cloth: {sheet: {columns: 3, rows: 3, width: 2, height: 2}, "
                       "density: 1000, thickness: 0.001, imperfection: {amount: 0}}}}\n"
                       "probes: {p: {object: c, at: [0.5, 0.25]}, q: {object: c, particle: 4, "
                       "measure: mass}}\n",
                 4, names, (double[]){1, -0.5, 0, 1}, 1e-14);
}

static void objects_have_the_same_indices_in_scene_and_world(void **state)
{
    (void)state;
    fm_scene *scene =
        parse(MOVING "bodies: {c: {cloth: {sheet: {columns: 3, rows: 3, width: 2, height: 2}}}}\n");
    fm_world *world = build(scene);
    assert_int_equal(fm_scene_object_count(scene), 3);
    assert_int_equal(fm_scene_object_count(scene), fm_world_object_count(world));
    for (int i = 0; i < 3; i++) {
        fm_object *object = fm_world_object(world, i);
        assert_string_equal(fm_scene_object_name(scene, i), fm_object_name(object));
        assert_string_equal(fm_scene_object_kind(scene, i), fm_object_kind(object));
    }
    assert_null(fm_scene_object_name(scene, 3));
    assert_null(fm_scene_object_kind(scene, -1));
    assert_int_equal(fm_scene_cloth_count(scene), 1);
    assert_string_equal(fm_scene_cloth_name(scene, 0), "c");
    fm_world_destroy(world);
    fm_scene_destroy(scene);
}

static void the_mean_over_a_cloth_counts_welded_vertices_once(void **state)
{
    (void)state;
    char folder[] = "/tmp/fathom-scene-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.obj", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 1 0 0\nv 4 0 0\nv 4 1 0\nv 1 1 0\n"
          "f 1 2 3 4\nf 5 6 7 8\n",
          file);
    fclose(file);
    const char *text = START "bodies: {c: {cloth: {mesh: {file: a.obj}, density: 1000, "
                             "thickness: 0.001}}}\nprobes: {p: {body: c}}\n";
    fm_error err = {0};
    fm_scene *scene =
        fm_scene_parse(text, strlen(text), "test", folder, NULL, 0, print_diagnostic, NULL, &err);
    assert_non_null(scene);
    fm_world *world = build(scene);
    double values[3];
    assert_true(fm_scene_read_probes(scene, world, values, &err));
    // each particle has a third of the mass of its triangles; the faces are 1 m x 1 m and 3 m x 1 m
    fm_cloth *cloth = fm_world_cloth(world, 0);
    double mass[6], sum = 0, total = 0;
    int count;
    const fm_vec3 *x = fm_cloth_positions(cloth, &count);
    assert_int_equal(count, 6);
    assert_true(fm_cloth_read_field(cloth, "mass", mass, &err));
    for (int i = 0; i < 6; i++)
        total += mass[i], sum += mass[i] * x[i].x;
    assert_close(total, 4, 1e-12);
    assert_close(values[0], sum / total, 1e-14);
    assert_close(values[0], 2, 1e-12);
    fm_world_destroy(world);
    fm_scene_destroy(scene);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

static void reading_probes_does_not_change_the_simulation(void **state)
{
    (void)state;
    const char *text = MOVING "probes: {p: {object: water, at: [0.5, 0.25, 0.5]}, q: {object: "
                              "water, measure: [position, density, pressure]}}\n";
    uint64_t hashes[2];
    for (int probed = 0; probed < 2; probed++) {
        fm_scene *scene = parse(text);
        fm_world *world = build(scene);
        fm_error err = {0};
        double values[8];
        for (int i = 0; i < 3; i++) {
            if (probed)
                assert_true(fm_scene_read_probes(scene, world, values, &err));
            fm_world_advance(world, 0.005, &err);
        }
        assert_good(err.status == FM_OK, &err);
        hashes[probed] = fm_world_hash(world);
        fm_world_destroy(world);
        fm_scene_destroy(scene);
    }
    assert_true(hashes[0] == hashes[1]);
}

static void the_description_of_the_key_measure_lists_fields_with_units(void **state)
{
    (void)state;
    fm_error err = {0};
    char *text = fm_scene_describe("probes.measure", &err);
    assert_non_null(text);
    static const char *const expected[] = {"fields of the kind cloth",     "drag         N/m^2",
                                           "fields of the kind particles", "pressure     Pa",
                                           "fields of the kind ball",      "spin         rad/s"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_non_null(strstr(text, expected[i]));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probes_on_a_sheet_interpolate_between_particles),
        cmocka_unit_test(probes_on_a_tube_interpolate_around_its_circumference),
        cmocka_unit_test(a_probe_reads_the_velocity_at_a_point_in_a_fluid),
        cmocka_unit_test(a_probe_without_a_point_reads_the_mean_over_the_object),
        cmocka_unit_test(the_key_object_of_a_probe_also_accepts_bodies),
        cmocka_unit_test(objects_have_the_same_indices_in_scene_and_world),
        cmocka_unit_test(the_mean_over_a_cloth_counts_welded_vertices_once),
        cmocka_unit_test(reading_probes_does_not_change_the_simulation),
        cmocka_unit_test(the_description_of_the_key_measure_lists_fields_with_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
