// SPDX-License-Identifier: MIT
// garments.c: garments with enforcement (strain limiting by constraint projection of edge lengths)
// preserve their area and edge lengths.
#include "bodies.h"
#include "motion/motion.h"

#include <fathom/scene.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Measures of a garment over a run.
typedef struct garment_measures {
    double mean_area, least_area; // over all frames: area / area at rest
    double longest, shortest;     // of all edges and frames: length / initial length
} garment_measures;

// A garment that is simulated.
typedef struct garment_run {
    fm_world *world;
    fm_cloth *cloth;
    const int *triangles;
    int triangle_count;
    double *rest; // m, initial lengths of the three edges of each triangle
} garment_run;

// Present length of a triangle edge, m. edge: 3 * triangle + corner.
static double edge_length(const garment_run *run, int edge)
{
    const fm_vec3 *x = fm_cloth_positions(run->cloth, NULL);
    int next = edge % 3 == 2 ? edge - 2 : edge + 1;
    return fm_length(fm_sub(x[run->triangles[edge]], x[run->triangles[next]]));
}

// Builds the world of a scene with one garment, and destroys the scene.
static garment_run start_run(fm_scene *scene)
{
    fm_error err = {0};
    garment_run run = {.world = fm_scene_build(scene, 1, &err)};
    assert_non_null(run.world);
    fm_scene_destroy(scene);
    run.cloth = fm_world_cloth(run.world, 0);
    run.triangles = fm_cloth_triangles(run.cloth, &run.triangle_count, &err);
    assert_non_null(run.triangles);
    run.rest = malloc(3 * (size_t)run.triangle_count * sizeof *run.rest);
    for (int edge = 0; edge < 3 * run.triangle_count; edge++)
        run.rest[edge] = edge_length(&run, edge);
    return run;
}

// Simulates a scene with one garment and measures the garment at every frame.
static garment_measures run_scene(fm_scene *scene, int frames, double fps)
{
    fm_error err = {0};
    garment_run run = start_run(scene);
    garment_measures result = {0, INFINITY, 0, INFINITY};
    for (int frame = 0; frame < frames; frame++) {
        advance(run.world, 1 / fps);
        double area = fm_cloth_area(run.cloth, &err) / fm_cloth_rest_area(run.cloth);
        result.mean_area += area / frames;
        result.least_area = fmin(result.least_area, area);
        for (int edge = 0; edge < 3 * run.triangle_count; edge++) {
            double length = edge_length(&run, edge) / run.rest[edge];
            result.longest = fmax(result.longest, length);
            result.shortest = fmin(result.shortest, length);
        }
    }
    assert_int_equal(err.status, FM_OK);
    free(run.rest);
    fm_world_destroy(run.world);
    return result;
}

static void the_area_is_the_sum_of_the_triangles(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_cloth_def def = bare_cloth();
    fm_world *world = create_world(0, 0, no_gravity);
    fm_sheet sheet = {.columns = 7, .rows = 5, .width = 0.6, .height = 0.4};
    fixture_mesh grid = fixture_create_grid(6, 4, 0.1, 0.05, CUT_ALTERNATING);
    fm_cloth *cloths[] = {create_sheet(world, &def, &sheet),
                          create_tube(world, &def, define_tube(24, 7, 0.1, 0.2, 0.5)),
                          create_mesh(world, &def, &grid)};
    assert_close(fm_cloth_rest_area(cloths[0]), 0.24, 1e-12);
    assert_close(fm_cloth_rest_area(cloths[2]), 0.5 * 0.15, 1e-12);
    for (int k = 0; k < 3; k++) {
        int n = 0;
        const fm_vec3 *x = fm_cloth_positions(cloths[k], &n);
        double rest = fm_cloth_rest_area(cloths[k]);
        assert_close(fm_cloth_area(cloths[k], &err), rest, 1e-12);
        fm_vec3 *larger = malloc((size_t)n * sizeof *larger);
        for (int i = 0; i < n; i++)
            larger[i] = fm_scale(x[i], 1.1);
        assert_true(fm_cloth_set_positions(cloths[k], larger, &err));
        assert_close(fm_cloth_area(cloths[k], &err), 1.21 * rest, 1e-12);
        free(larger);
    }
    fixture_destroy_mesh(&grid);
    fm_world_destroy(world);
}

// Sets velocities of about 1 m/s that compress the cloth towards its centre and crumple it.
static void crumple(fm_cloth *cloth)
{
    fm_error err = {0};
    int n = 0;
    const fm_vec3 *x = fm_cloth_positions(cloth, &n);
    fm_vec3 middle = {0}, *v = malloc((size_t)n * sizeof *v);
    for (int i = 0; i < n; i++)
        middle = fm_add_scaled(middle, x[i], 1.0 / n);
    for (int i = 0; i < n; i++) {
        fm_vec3 d = fm_sub(x[i], middle);
        v[i] =
            (fm_vec3){-5 * d.x * (0.6 + 0.4 * sin(9 * d.y)), -5 * d.y * (0.5 + 0.5 * cos(7 * d.x)),
                      sin(17 * d.x + 5 * d.y) + 0.5 * cos(23 * d.y) - 9 * d.x - 10 * d.z};
    }
    assert_true(fm_cloth_set_velocities(cloth, v, &err));
    free(v);
}

// Strain limiting must not lengthen collapsed edges to their rest length within one substep: that
// would add energy and stretch neighbouring edges.
static void crumpled_cloth_unfolds_without_gaining_energy(void **state)
{
    (void)state;
    fm_sheet sheet = {.columns = 17, .rows = 17, .width = 0.4, .height = 0.4};
    fixture_mesh grid = fixture_create_grid(17, 17, 0.025, 0.025, CUT_ONE_WAY);
    for (int k = 0; k < 12; k++) { // four materials; sheet, tube and mesh
        fm_cloth_def def = fm_default_cloth_def();
        fm_cloth_set_material(&def, (fm_material)(k % 4));
        def.enforcement.method = FM_ENFORCE_DIRECTIONAL;
        fm_world *world = create_world(1000, 1e-3, no_gravity);
        crumple(k < 4   ? create_sheet(world, &def, &sheet)
                : k < 8 ? create_tube(world, &def, define_tube(24, 13, 0.1, 0.12, 0.3))
                        : create_mesh(world, &def, &grid));
        fm_report report = fm_world_report(world);
        double first = report.kinetic_energy + report.potential_energy, least = first; // J
        for (int frame = 0; frame < 72; frame++) {
            report = advance(world, 1.0 / 48);
            double energy = report.kinetic_energy + report.potential_energy;
            assert_at_most(energy, least + 5e-4 * first);
            assert_at_most(report.max_stretch, 0.5);
            least = fmin(least, energy);
        }
        fm_world_destroy(world);
    }
    fixture_destroy_mesh(&grid);
}

// A cape, pinned to the shoulders of a figure that walks under water.
static const char cape[] =
    "about: a\n"
    "source: b\n"
    "figures: { hero: { height: 1.8, motion: { walk: { speed: 0.5, start: 0.3 } } } }\n"
    "bodies:\n"
    "  cape:\n"
    "    cloth:\n"
    "      material: silk\n"
    "      sheet: { columns: 21, rows: 31, width: 0.76, height: 1.15, origin: [-0.38, 1.5, -0.1],\n"
    "               rotation: { axis: [1, 0, 0], angle: 18 } }\n"
    "      contact: { enabled: true, friction: 0.1 }\n"
    "      enforcement: { method: directional, iterations: 2 }\n"
    "      pins: [{ motion: hero.shoulders, within: { box: { centre: [0, 1.5, -0.1],\n"
    "               half_size: [0.205, 0.01, 0.01] } } }]\n";

static void a_cape_under_water_preserves_its_area(void **state)
{
    (void)state;
    static const char *const materials[] = {"silk", "canvas"};
    for (int m = 0; m < 2; m++) {
        fm_error err = {0};
        char setting[64];
        const char *settings[] = {setting};
        snprintf(setting, sizeof setting, "bodies.cape.cloth.material=%s", materials[m]);
        fm_scene *scene =
            fm_scene_parse(cape, strlen(cape), "cape", NULL, settings, 1, NULL, NULL, &err);
        assert_non_null(scene);
        garment_measures result = run_scene(scene, 96, 24);
        print_message("%s: area %.4f, least %.4f; edges %.3f to %.3f\n", materials[m],
                      result.mean_area, result.least_area, result.shortest, result.longest);
        assert_in_interval(result.mean_area, 0.99, 1.01);
        assert_at_most(0.98, result.least_area);
        assert_at_most(result.longest, 1.2);
        assert_at_most(0.5, result.shortest);
    }
}

// A scene of the folder scenes/ with one garment.
typedef struct shipped_scene {
    const char *file; // without folder and extension
    int frames;
    double fps;
    const char *settings[3]; // a coarser mesh, to keep the test short
} shipped_scene;

static const shipped_scene shipped_garments[] = {
    {"cloth/cape",
     45,
     60,
     {"bodies.cape.cloth.sheet.columns=21", "bodies.cape.cloth.sheet.rows=31"}},
    {"cloth/skirt",
     60,
     60,
     {"bodies.skirt.cloth.tube.columns=40", "bodies.skirt.cloth.tube.rows=21"}},
    {"cloth/garment", 8, 60, {0}},
    {"underwater/dance",
     72,
     24,
     {"bodies.dress.cloth.tube.columns=36", "bodies.dress.cloth.tube.rows=23"}},
    {"underwater/turning-skirt",
     24,
     24,
     {"bodies.skirt.cloth.tube.columns=32", "bodies.skirt.cloth.tube.rows=11"}},
    {"underwater/tunic", 48, 24, {0}},
};

static void shipped_garments_preserve_their_area(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof shipped_garments / sizeof *shipped_garments; k++) {
        fm_error err = {0};
        const shipped_scene *s = &shipped_garments[k];
        char path[512];
        int count = 0;
        while (count < 3 && s->settings[count])
            count++;
        snprintf(path, sizeof path, SOURCE_DIR "/scenes/%s.yaml", s->file);
        fm_scene *scene = fm_scene_load(path, s->settings, count, NULL, NULL, &err);
        assert_non_null(scene);
        garment_measures result = run_scene(scene, s->frames, s->fps);
        print_message("%s: area %.4f, least %.4f; edges %.3f to %.3f\n", s->file, result.mean_area,
                      result.least_area, result.shortest, result.longest);
        assert_in_interval(result.least_area, 0.98, 1.02);
        assert_at_most(result.longest, 1.2);
        assert_at_most(0.5, result.shortest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_area_is_the_sum_of_the_triangles),
        cmocka_unit_test(crumpled_cloth_unfolds_without_gaining_energy),
        cmocka_unit_test(a_cape_under_water_preserves_its_area),
        cmocka_unit_test(shipped_garments_preserve_their_area),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
