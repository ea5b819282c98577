// SPDX-License-Identifier: MIT
// mesh_shape.c: meshes that Fathom builds: areas, edges, topology, groups and bad definitions.
#include "check.h"

#include <fathom/mesh_shape.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static fm_vec3 subtract(fm_vec3 a, fm_vec3 b)
{
    return (fm_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double length(fm_vec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

typedef struct facts {
    double area, level_area;  // m^2, of the triangles and of their projection along y
    double shortest, longest; // edges over the given edge
    int jump;                 // mean distance of the numbers of neighbours
} facts;

// Measures a mesh and checks that its triangles are connected with one orientation.
static facts measure(const fm_mesh_shape *shape, const fm_built_mesh *built)
{
    const fm_mesh_data *mesh = &built->mesh;
    facts f = {.shortest = INFINITY};
    double jump = 0;
    for (int t = 0; t < mesh->face_count; t++) {
        const int *c = mesh->face_points + 3 * t;
        fm_vec3 p[3] = {mesh->points[c[0]], mesh->points[c[1]], mesh->points[c[2]]};
        fm_vec3 a = subtract(p[1], p[0]), b = subtract(p[2], p[0]);
        fm_vec3 n = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
        f.area += length(n) / 2, f.level_area += n.y / 2;
        for (int k = 0; k < 3; k++) {
            double edge = length(subtract(p[(k + 1) % 3], p[k])) / shape->edge;
            f.shortest = fmin(f.shortest, edge), f.longest = fmax(f.longest, edge);
            jump += abs(c[k] - c[(k + 1) % 3]) / (3.0 * mesh->face_count);
        }
    }
    f.jump = (int)jump;
    return f;
}

// Vertices minus edges plus triangles: 1 for a disc, 0 for a ring.
static int find_euler_number(const fm_built_mesh *built)
{
    const fm_vertex_group *rim = fm_built_mesh_group(built, "rim");
    const fm_vertex_group *vent = fm_built_mesh_group(built, "vent");
    int border = rim->count + (vent ? vent->count : 0);
    return built->mesh.point_count - (3 * built->mesh.face_count + border) / 2 +
           built->mesh.face_count;
}

static fm_built_mesh build(const fm_mesh_shape *shape)
{
    fm_error err = {0};
    fm_built_mesh built;
    bool good = fm_mesh_shape_build(shape, &built, &err);
    assert_good(good, &err);
    return built;
}

static void flat_shapes_have_their_area_and_one_border(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        fm_mesh_shape shape = fm_default_mesh_shape();
        shape.kind = (fm_mesh_shape_kind)(i % 3);
        shape.triangulation = (fm_triangulation)(i / 3 % 2);
        shape.jitter = 0.4, shape.seed = i;
        shape.edge = i < 6 ? 0.07 : 0.02;
        shape.width = 1, shape.length = 0.6, shape.radius = 0.5, shape.arm = 1.0 / 3;
        fm_built_mesh built = build(&shape);
        facts f = measure(&shape, &built);
        int n = fm_built_mesh_group(&built, "rim")->count;
        double area = shape.kind == FM_MESH_DISC        ? PI / 4 // its rim is a polygon
                      : shape.kind == FM_MESH_RECTANGLE ? 0.6
                                                        : 5.0 / 9;
        double allowed = shape.kind == FM_MESH_DISC ? 1.5 * PI / 4 * 2 * PI * PI / (3.0 * n * n) *
                                                          (shape.triangulation ? 2 : 1)
                                                    : 1e-12;
        assert_close(f.area, area, allowed);
        assert_close(f.level_area, f.area, 1e-12); // all triangles face +y
        assert_int_equal(find_euler_number(&built), 1);
        assert_true(f.longest < (shape.triangulation ? 3 : 1.75));
        assert_true(f.shortest > (shape.triangulation ? 0.04 : 0.45));
        if (shape.kind == FM_MESH_RECTANGLE) {
            assert_int_equal(fm_built_mesh_group(&built, "corners")->count, 4);
            int sides = 0;
            static const char *const names[] = {"front", "right", "back", "left"};
            for (int k = 0; k < 4; k++)
                sides += fm_built_mesh_group(&built, names[k])->count;
            assert_int_equal(sides, n + 4); // corners belong to two sides
        }
        fm_built_mesh_destroy(&built);
    }
}

static void a_lattice_rim_keeps_all_edges_equal(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        fm_mesh_shape shape = fm_default_mesh_shape();
        shape.kind = (fm_mesh_shape_kind)i;
        shape.rim = FM_RIM_LATTICE;
        shape.edge = 0.05;
        shape.width = 20.5 * 0.05, shape.length = 20 * 0.05 * sqrt(0.75);
        fm_built_mesh built = build(&shape);
        facts f = measure(&shape, &built);
        assert_close(f.shortest, 1, 1e-9);
        assert_close(f.longest, 1, 1e-9);
        assert_int_equal(find_euler_number(&built), 1);
        if (i == FM_MESH_RECTANGLE) {
            assert_int_equal(built.mesh.point_count, 21 * 21);
            assert_int_equal(fm_built_mesh_group(&built, "left")->count, 21); // one of each row
        }
        fm_built_mesh_destroy(&built);
    }
}

static void canopies_have_seams_from_vent_to_rim(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        fm_mesh_shape shape = fm_default_mesh_shape();
        shape.kind = i / 2 ? FM_MESH_POLYCONICAL : FM_MESH_HEMISPHERE;
        shape.edge = 0.04, shape.gores = 12;
        shape.vent = i % 2 ? 0.08 : 0;
        shape.cone_count = 2;
        shape.cones[0] = (fm_mesh_cone){0.4, PI / 9}, shape.cones[1] = (fm_mesh_cone){0.3, PI / 3};
        fm_built_mesh built = build(&shape);
        facts f = measure(&shape, &built);
        assert_int_equal(find_euler_number(&built), i % 2 ? 0 : 1);
        assert_true(f.longest < 1.8 && f.shortest > 0.3);
        assert_true(f.level_area > 0);
        double rim = i / 2 ? 0.4 * cos(PI / 9) + 0.3 * cos(PI / 3) : 0.5;
        const fm_vertex_group *ends = fm_built_mesh_group(&built, "rim-seams");
        assert_int_equal(ends->count, 12);
        for (int g = 0; g < 12; g++) { // counter-clockwise seen from above
            fm_vec3 p = built.mesh.points[ends->vertices[g]];
            assert_close(p.x, rim * cos(2 * PI * g / 12), 1e-9);
            assert_close(p.z, -rim * sin(2 * PI * g / 12), 1e-9);
            assert_close(p.y, 0, 1e-9);
        }
        const fm_vertex_group *seams = fm_built_mesh_group(&built, "seams");
        assert_int_equal(seams->count % 12, 0);
        int per_seam = seams->count / 12;
        for (int k = 0; k + 1 < per_seam; k++) { // the first seam runs down along z = 0
            fm_vec3 a = built.mesh.points[seams->vertices[k]];
            fm_vec3 b = built.mesh.points[seams->vertices[k + 1]];
            assert_true(fabs(a.z) < 1e-9 && b.x > a.x && b.y < a.y);
        }
        assert_int_equal(seams->vertices[per_seam - 1], ends->vertices[0]);
        assert_int_equal(fm_built_mesh_group(&built, "vent") != NULL, i % 2);
        fm_built_mesh_destroy(&built);
    }
}

static void neighbours_have_close_numbers_and_seeds_matter(void **state)
{
    (void)state;
    fm_mesh_shape shape = fm_default_mesh_shape();
    shape.edge = 0.005, shape.triangulation = FM_TRIANGLES_IRREGULAR;
    fm_built_mesh one = build(&shape), same = build(&shape);
    assert_true(one.mesh.point_count > 30000);
    assert_true(measure(&shape, &one).jump < 200); // a row has 200 points at most
    assert_memory_equal(one.mesh.points, same.mesh.points,
                        (size_t)one.mesh.point_count * sizeof(fm_vec3));
    shape.seed = 2;
    fm_built_mesh other = build(&shape);
    assert_true(other.mesh.point_count != one.mesh.point_count ||
                memcmp(one.mesh.points, other.mesh.points,
                       (size_t)one.mesh.point_count * sizeof(fm_vec3)) != 0);
    fm_built_mesh_destroy(&one);
    fm_built_mesh_destroy(&same);
    fm_built_mesh_destroy(&other);
}

static void bad_shapes_are_refused_by_name(void **state)
{
    (void)state;
    const fm_mesh_shape good = fm_default_mesh_shape();
    fm_mesh_shape bad[12];
    static const char *const fields[12] = {"kind", "radius", "edge", "edge",
                                           "edge", "jitter", "seed", "width",
                                           "arm",  "gores",  "vent", "triangulation"};
    for (int i = 0; i < 12; i++)
        bad[i] = good;
    bad[0].kind = (fm_mesh_shape_kind)99;
    bad[1].radius = -1;
    bad[2].edge = 0;
    bad[3].edge = 2;
    bad[4].edge = 1e-5;
    bad[5].jitter = 0.5;
    bad[6].seed = -1;
    bad[7].kind = FM_MESH_RECTANGLE, bad[7].width = NAN;
    bad[8].kind = FM_MESH_CROSS, bad[8].arm = 2;
    bad[9].kind = FM_MESH_HEMISPHERE, bad[9].gores = 2;
    bad[10].kind = FM_MESH_HEMISPHERE, bad[10].vent = 0.49;
    bad[11].kind = FM_MESH_POLYCONICAL, bad[11].triangulation = FM_TRIANGLES_IRREGULAR;
    for (int i = 0; i < 12; i++) {
        fm_error err = {0};
        fm_built_mesh built;
        assert_false(fm_mesh_shape_build(&bad[i], &built, &err));
        assert_string_equal(err.field, fields[i]);
        fm_built_mesh_destroy(&built);
    }
}

// How the edges of a mesh change when it is folded: largest share by which they get longer, mean
// change more than 0.3 m from the axis, where edges are shorter than folds are wide, and the radius
// of the folded mesh about its axis over that of the unfolded one.
typedef struct changes {
    double longer, mean, width;
} changes;

static changes fold(const fm_mesh_shape *shape, int pleats, double opening)
{
    fm_error err = {0};
    fm_built_mesh built;
    assert_true(fm_mesh_shape_build(shape, &built, &err));
    int count = built.mesh.point_count, edges = 0;
    fm_vec3 *points = malloc((size_t)count * sizeof *points);
    assert_non_null(points);
    memcpy(points, built.mesh.points, (size_t)count * sizeof *points);
    assert_true(fm_mesh_fold(shape, pleats, opening, points, count, &err));
    changes c = {0};
    for (int t = 0; t < 3 * built.mesh.face_count; t++) {
        const int *f = built.mesh.face_points + t / 3 * 3;
        int i = f[t % 3], j = f[(t + 1) % 3];
        double before = length(subtract(built.mesh.points[i], built.mesh.points[j]));
        double change = length(subtract(points[i], points[j])) / before - 1;
        c.longer = fmax(c.longer, change);
        if (hypot(built.mesh.points[i].x, built.mesh.points[i].z) > 0.3)
            c.mean += fabs(change), edges++;
    }
    c.mean /= edges;
    double narrow = 0, wide = 0;
    for (int i = 0; i < count; i++) {
        narrow = fmax(narrow, hypot(points[i].x, points[i].z));
        wide = fmax(wide, hypot(built.mesh.points[i].x, built.mesh.points[i].z));
    }
    c.width = narrow / wide;
    free(points);
    fm_built_mesh_destroy(&built);
    return c;
}

// Flat shapes become cones, which no edge is too short for; what an edge cuts off at a fold falls
// with the square of its length.
static void folding_keeps_edges(void **state)
{
    (void)state;
    fm_mesh_shape disc = fm_default_mesh_shape(), cross = disc, canopy = disc;
    cross.kind = FM_MESH_CROSS, cross.width = 1.27, cross.arm = 0.42;
    canopy.kind = FM_MESH_HEMISPHERE, canopy.gores = 20;
    for (int i = 0; i < 2; i++) {
        fm_mesh_shape shape = i ? cross : disc;
        for (int half = 0; half < 3; half++) {
            double opening = 0.5 * half;
            shape.edge = 0.02;
            changes coarse = fold(&shape, 8, opening);
            shape.edge = 0.01;
            changes fine = fold(&shape, 8, opening);
            assert_true(coarse.longer < 1e-3 && fine.longer < 1e-3); // table of the curve's length
            if (half == 1)
                assert_in_range((int)(100 * log2(coarse.mean / fine.mean)), 180, 210);
            assert_true(opening > 0 || (fine.width < 0.5 && fine.mean < 0.02));
            assert_true(opening < 1 || fabs(fine.width - 1) < 1e-6);
        }
    }
    canopy.edge = 0.01;
    changes folded = fold(&canopy, 10, 0);
    assert_true(folded.longer < 0.05 && folded.mean < 0.01 && folded.width < 0.6);
}

static void bad_folds_are_refused(void **state)
{
    (void)state;
    fm_mesh_shape shape = fm_default_mesh_shape(), ball = shape;
    ball.kind = FM_MESH_BALL;
    fm_vec3 point = {0.1, 0, 0};
    const struct {
        const fm_mesh_shape *shape;
        int pleats;
        double opening;
        const char *field;
    } cases[] = {{&ball, 8, 0.5, "fold"},
                 {&shape, 1, 0.5, "fold.pleats"},
                 {&shape, 8, NAN, "fold.opening"},
                 {&shape, 8, 1.1, "fold.opening"}};
    for (int i = 0; i < 4; i++) {
        fm_error err = {0};
        assert_false(
            fm_mesh_fold(cases[i].shape, cases[i].pleats, cases[i].opening, &point, 1, &err));
        assert_string_equal(err.field, cases[i].field);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_shapes_have_their_area_and_one_border),
        cmocka_unit_test(a_lattice_rim_keeps_all_edges_equal),
        cmocka_unit_test(canopies_have_seams_from_vent_to_rim),
        cmocka_unit_test(neighbours_have_close_numbers_and_seeds_matter),
        cmocka_unit_test(bad_shapes_are_refused_by_name),
        cmocka_unit_test(folding_keeps_edges),
        cmocka_unit_test(bad_folds_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
