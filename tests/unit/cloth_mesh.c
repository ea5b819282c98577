// SPDX-License-Identifier: MIT
// Cloth on triangles: bad meshes refused by name, what is made of good ones, forces that are the
// gradient of the energy, tubes, welds, seams, pins.
#include "meshes.h"

#include "cloth/cloth.h"

#include <string.h>

static void refuse(const fm_cloth_mesh *mesh, const char *field, const char *value,
                   const char *allowed)
{
    fm_error err = {0};
    fm_world *world = make_world(1000, 1e-3, no_gravity);
    fm_cloth_def def = fm_default_cloth_def();
    def.name = "shirt";
    assert_null(fm_cloth_create_mesh(world, &def, mesh, &err));
    if (strcmp(err.field, field) != 0 || strcmp(err.value, value) != 0)
        print_error("%s\n", err.text);
    assert_int_equal(err.status, FM_BAD_VALUE);
    assert_string_equal(err.object, "shirt");
    assert_string_equal(err.field, field);
    assert_string_equal(err.value, value);
    assert_non_null(strstr(err.allowed, allowed));
    assert_int_equal(fm_world_cloth_count(world), 0);
    fm_world_destroy(world);
}

static void bad_meshes(void **state)
{
    (void)state;
    const fm_vec3 x[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 0, 0}};
    const int square[] = {0, 1, 2, 0, 2, 3};
    fm_cloth_mesh mesh = {
        .positions = x, .vertex_count = 4, .triangles = square, .triangle_count = 2};
    fm_cloth_mesh bad = mesh;
    bad.vertex_count = 2;
    refuse(&bad, "vertex_count", "2", "3 to");
    bad = mesh, bad.triangle_count = 0;
    refuse(&bad, "triangle_count", "0", "1 to");
    bad = mesh, bad.weld = -1;
    refuse(&bad, "weld", "-1", "0 to");
    bad = mesh, bad.velocity.y = NAN;
    refuse(&bad, "velocity", "nan", "finite");
    fm_vec3 y[4];
    memcpy(y, x, sizeof y);
    y[2].z = NAN;
    bad = mesh, bad.positions = y;
    refuse(&bad, "positions[2]", "1", "numbers up to");
    bad = mesh, bad.rest_positions = y;
    refuse(&bad, "rest_positions[2]", "1", "numbers up to");
    static const struct {
        int triangles[9];
        const char *field, *value, *allowed;
    } cases[] = {
        {{0, 1, 2, 0, 4, 3}, "triangles[1]", "4", "0 to vertex_count - 1"},
        {{0, 1, 2, 0, -1, 3}, "triangles[1]", "-1", "0 to vertex_count - 1"},
        {{0, 1, 2, 0, 2, 2}, "triangles[1]", "2", "three different"},
        {{0, 1, 2, 0, 3, 2}, "triangles[1]", "0", "same sense"},
        {{0, 1, 2, 1, 2, 0}, "triangles[1]", "0", "same sense"},
        {{0, 1, 2, 0, 1, 2}, "triangles[1]", "0", "same sense"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bad = mesh, bad.triangles = cases[i].triangles;
        refuse(&bad, cases[i].field, cases[i].value, cases[i].allowed);
    }
    const int one[] = {0, 1, 2}, three[] = {0, 1, 2, 1, 0, 3, 0, 1, 4}, flat[] = {0, 1, 4};
    bad = mesh, bad.triangles = one, bad.triangle_count = 1;
    refuse(&bad, "positions[3]", "3", "vertices that triangles use");
    bad = mesh, bad.triangles = three, bad.triangle_count = 3, bad.vertex_count = 5;
    bad.rest_positions = (const fm_vec3[]){{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}};
    refuse(&bad, "triangles[2]", "3", "at most two triangles");
    bad = mesh, bad.triangles = flat, bad.triangle_count = 1, bad.vertex_count = 5;
    refuse(&bad, "triangles[0]", "0", "an area above 0");
    const int pairs[] = {0, 9};
    bad = mesh, bad.welds = pairs, bad.weld_count = 1;
    refuse(&bad, "welds[0]", "9", "0 to vertex_count - 1");
    bad = mesh, bad.weld = 1.2; // all four become one
    refuse(&bad, "triangles[0]", "0", "welded ones counted once");
}

static void bad_definitions(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = make_world(1000, 1e-3, no_gravity);
    fm_cloth_def def = fm_default_cloth_def();
    fm_tube tube = {.columns = 8, .rows = 4, .radius_top = 1, .radius_bottom = 1, .height = 1};
    def.bend.model = FM_BEND_SPRINGS;
    assert_null(fm_cloth_create_tube(world, &def, &tube, &err));
    assert_string_equal(err.field, "bend.model");
    def = fm_default_cloth_def();
    def.bend.rest_angle = (fm_rest_angle)2;
    err = (fm_error){0};
    assert_null(fm_cloth_create_tube(world, &def, &tube, &err));
    assert_string_equal(err.field, "bend.rest_angle");
    def = fm_default_cloth_def();
    def.density = -1;
    err = (fm_error){0};
    assert_null(fm_cloth_create_tube(world, &def, &tube, &err));
    assert_string_equal(err.field, "density");
    def.density = 1100;
    const fm_tube bad[] = {tube_of(2, 4, 1, 1, 1), tube_of(8, 1, 1, 1, 1), tube_of(8, 4, 0, 1, 1),
                           tube_of(8, 4, 1, NAN, 1), tube_of(8, 4, 1, 1, 0)};
    static const char *const fields[] = {"columns", "rows", "radius_top", "radius_bottom",
                                         "height"};
    for (int i = 0; i < 5; i++) {
        err = (fm_error){0};
        assert_null(fm_cloth_create_tube(world, &def, &bad[i], &err));
        assert_string_equal(err.field, fields[i]);
    }
    err = (fm_error){0}, tube.origin.x = NAN;
    assert_null(fm_cloth_create_tube(world, &def, &tube, &err));
    assert_string_equal(err.field, "origin");
    fm_world_destroy(world);
}

// V - E + F, with every edge in one or two triangles.
static int euler(fm_cloth *cloth)
{
    fm_error err = {0};
    fm_cloth_parts parts;
    assert_true(fm_cloth_find_parts(cloth, &parts, &err));
    for (int i = 0; i < parts.edge_count; i++) {
        int uses = 0;
        for (int t = 0; t < 3 * parts.triangle_count; t++) {
            int a = parts.triangle[t], b = parts.triangle[t % 3 == 2 ? t - 2 : t + 1];
            int low = a < b ? a : b, high = a < b ? b : a;
            uses += low == parts.edge[2 * i] && high == parts.edge[2 * i + 1];
        }
        assert_in_range(uses, 1, 2);
    }
    int count;
    assert_ptr_equal(fm_cloth_triangles(cloth, &count, &err), parts.triangle);
    assert_int_equal(count, parts.triangle_count);
    return cloth->count - parts.edge_count + parts.triangle_count;
}

static void parts_of_every_kind(void **state)
{
    (void)state;
    fm_world *world = make_world(1000, 1e-3, no_gravity);
    fm_cloth_def def = fm_default_cloth_def();
    fm_cloth *sheet =
        make_sheet(world, &def, &(fm_sheet){.columns = 5, .rows = 4, .width = 0.4, .height = 0.3});
    assert_int_equal(euler(sheet), 1);
    assert_int_equal(sheet->parts.triangle_count, 24);
    fm_tube cone = tube_of(8, 4, 0.1, 0.2, 0.3);
    cone.origin = (fm_vec3){1, 2, 3};
    fm_cloth *tube = make_tube(world, &def, cone);
    assert_int_equal(euler(tube), 0);
    assert_int_equal(tube->mesh.edge_count, 8 * 4 + 3 * 8 * 3);
    assert_int_equal(tube->mesh.hinge_count, 2 * 8 + 3 * 8 + 3 * 8);
    test_mesh grid = make_grid(6, 5, 0.1, 0.1, CUT_SHIFTED);
    fm_cloth *mesh = make_mesh(world, &def, &grid);
    assert_int_equal(euler(mesh), 1);
    assert_int_equal(mesh->mesh.edge_count, mesh->parts.edge_count);
    // triangles turn the way the normals point: +z for sheet and mesh, outwards for the tube
    assert_true(sheet->normal.z[7] > 0.99 && mesh->normal.z[7] > 0.99);
    for (int i = 0; i < tube->count; i++) {
        double x = tube->x.x[i] - 1, z = tube->x.z[i] - 3, r = hypot(x, z);
        assert_true((tube->normal.x[i] * x + tube->normal.z[i] * z) / r > 0.8);
    }
    // all of the mass, once
    double sheet_mass = 0, tube_mass = 0, mesh_mass = 0, sigma = def.density * def.thickness;
    for (int i = 0; i < sheet->count; i++)
        sheet_mass += sheet->mass[i];
    for (int i = 0; i < tube->count; i++)
        tube_mass += tube->mass[i];
    for (int i = 0; i < mesh->count; i++)
        mesh_mass += mesh->mass[i];
    double pi = acos(-1), slant = hypot(0.3, 0.1 * cos(pi / 8)); // of the flat sides
    assert_close(sheet_mass, sigma * 0.12, 1e-12);
    assert_close(tube_mass, sigma * 8 * 2 * sin(pi / 8) * 0.15 * slant, 1e-12);
    assert_close(mesh_mass, sigma * 0.1 * 5 * 0.4, 1e-12);
    // what was asked for is what is told
    assert_int_equal(fm_cloth_topology(tube), FM_CLOTH_TUBE);
    assert_int_equal(fm_cloth_tube(tube).columns, 8);
    assert_int_equal(fm_cloth_sheet(tube).columns, 0);
    int count;
    assert_null(fm_cloth_vertices(mesh, &count));
    assert_int_equal(count, 30);
    fm_world_destroy(world);
    free_mesh(&grid);
}

static double energy_of(fm_world *world)
{
    return fm_world_report(world).potential_energy;
}

// Forces against differences of the energy, at a crumpled state with folds beyond a right angle.
static void forces_are_the_gradient_of_the_energy(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        fm_error err = {0};
        fm_world *world = make_world(0, 0, no_gravity);
        fm_cloth_def def = bare_cloth();
        def.stretch.stiffness = 20;
        def.bend.stiffness = 0.01;
        def.bend.rest_angle = kind == 1 ? FM_REST_SHAPE : FM_REST_FLAT;
        test_mesh grid = make_grid(6, 5, 0.1, 0.09, CUT_SHIFTED);
        fm_cloth *c = kind == 2 ? make_mesh(world, &def, &grid)
                                : make_tube(world, &def, tube_of(7, 5, 0.1, 0.15, 0.3));
        if (kind == 2) {
            int one[] = {0, 7}, other[] = {5, 20};
            assert_true(fm_cloth_sew(c, one, other, 2, -1, 2, &err)); // half closed
        }
        for (int i = 0; i < c->count; i++) {
            double up = 0.06 + 0.06 * scatter(4u * (unsigned)i); // no triangle collapses
            c->x.x[i] += up * c->normal.x[i] + 0.005 * scatter(4u * (unsigned)i + 1);
            c->x.y[i] += up * c->normal.y[i] + 0.005 * scatter(4u * (unsigned)i + 2);
            c->x.z[i] += up * c->normal.z[i] + 0.005 * scatter(4u * (unsigned)i + 3);
        }
        fm_cloth_inner_forces(c, &c->x, &c->v, c->time, &c->normal, NULL);
        fm_vec3 total = {0, 0, 0}, turn = {0, 0, 0};
        double largest = 0;
        for (int i = 0; i < c->count; i++) {
            double *axis[3] = {&c->x.x[i], &c->x.y[i], &c->x.z[i]}, e = 1e-6;
            double force[3] = {c->force.x[i], c->force.y[i], c->force.z[i]};
            fm_vec3 f = {force[0], force[1], force[2]}, x = {*axis[0], *axis[1], *axis[2]};
            total = fm_add(total, f);
            turn = fm_add(turn, fm_cross(x, f));
            for (int k = 0; k < 3; k++) {
                double here = *axis[k];
                *axis[k] = here + e;
                double more = energy_of(world);
                *axis[k] = here - e;
                double less = energy_of(world);
                *axis[k] = here;
                assert_close(force[k], (less - more) / (2 * e), 2e-6);
                largest = fmax(largest, fabs(force[k]));
            }
        }
        assert_true(largest > 0.1);
        assert_at_most(fm_length(total), 1e-12);
        assert_at_most(fm_length(turn), 1e-12);
        fm_world_destroy(world);
        free_mesh(&grid);
    }
}

static void welds_make_one_of_several(void **state)
{
    (void)state;
    // two triangles 1e-5 apart along an edge, the second with its own rest shape elsewhere
    const fm_vec3 x[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 1e-5}, {1, 1, 0}, {0, 1, 1e-5}};
    const fm_vec3 rest[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {6, 0, 0}, {6, 1, 0}, {5, 1, 0}};
    const int triangles[] = {0, 1, 2, 3, 4, 5};
    fm_cloth_mesh mesh = {.positions = x,
                          .vertex_count = 6,
                          .rest_positions = rest,
                          .triangles = triangles,
                          .triangle_count = 2,
                          .velocity = {0, 3, 0}};
    fm_error err = {0};
    fm_world *world = make_world(1000, 1e-3, no_gravity);
    fm_cloth_def def = fm_default_cloth_def();
    fm_cloth *apart = fm_cloth_create_mesh(world, &def, &mesh, &err);
    assert_int_equal(apart->count, 6);
    assert_int_equal(apart->mesh.hinge_count, 0);
    mesh.weld = 1e-4;
    fm_cloth *near = fm_cloth_create_mesh(world, &def, &mesh, &err);
    mesh.weld = 0;
    const int pairs[] = {3, 1, 5, 2};
    mesh.welds = pairs, mesh.weld_count = 2;
    fm_cloth *joined = fm_cloth_create_mesh(world, &def, &mesh, &err);
    assert_int_equal(err.status, FM_OK);
    fm_cloth *both[] = {near, joined};
    for (int k = 0; k < 2; k++) {
        fm_cloth *c = both[k];
        const int expected[] = {0, 1, 2, 1, 3, 2};
        int count;
        assert_int_equal(c->count, 4);
        assert_memory_equal(fm_cloth_vertices(c, &count), expected, sizeof expected);
        assert_int_equal(count, 6);
        assert_memory_equal(fm_cloth_faces(c, &count, &err), triangles, sizeof triangles);
        assert_memory_equal(fm_cloth_triangles(c, &count, &err), expected, sizeof expected);
        assert_int_equal(c->mesh.hinge_count, 1);
        assert_close(c->x.z[1], 5e-6, 1e-18); // half-way
        assert_close(c->v.y[3], 3, 0);
        assert_close(c->area[1], 1.0 / 3, 1e-15);
        for (int e = 0; e < c->mesh.edge_count; e++) {
            bool shared = c->mesh.edge_a[e] == 1 && c->mesh.edge_b[e] == 2;
            assert_close(c->mesh.edge_rest[e], shared ? sqrt(2) : 1, 1e-15);
        }
    }
    fm_world_destroy(world);
}

static void a_sheet_is_sewn_to_a_ring(void **state)
{
    (void)state;
    enum { COLUMNS = 25, ROWS = 4 };
    fm_error err = {0};
    fm_world *world = make_world(0, 0, no_gravity);
    fm_cloth_def def = fm_default_cloth_def();
    def.drag.model = FM_DRAG_VISCOUS;
    def.drag.viscous = 20;
    def.bend.stiffness = 1e-3;
    def.repulsion.enabled = true; // sewn particles do not repel each other
    fm_sheet flat = {.columns = COLUMNS, .rows = ROWS, .width = 0.48, .height = 0.06};
    fm_cloth *cloth = make_sheet(world, &def, &flat);
    double before = fm_cloth_stable_step(cloth);
    fm_vec3 bent[COLUMNS * ROWS];
    for (int i = 0; i < COLUMNS * ROWS; i++) { // a little: it must know where to go
        double u = 0.02 * (i % COLUMNS) - 0.24;
        bent[i] = (fm_vec3){u, -0.02 * (i / COLUMNS), 0.5 * u * u};
    }
    assert_true(fm_cloth_set_positions(cloth, bent, &err));
    int left[ROWS], right[ROWS];
    for (int r = 0; r < ROWS; r++)
        left[r] = r * COLUMNS, right[r] = r * COLUMNS + COLUMNS - 1;
    assert_true(fm_cloth_sew(cloth, left, right, ROWS, 0.5, 2, &err));
    assert_true(fm_cloth_stable_step(cloth) < before && fm_cloth_stable_step(cloth) > 0.7 * before);
    advance(world, 0.5);
    const fm_vec3 *x = fm_cloth_positions(cloth, NULL);
    assert_close(x[COLUMNS - 1].x - x[0].x, 0.48, 1e-3); // not before its time
    for (int i = 0; i < 60; i++)
        advance(world, 0.1);
    x = fm_cloth_positions(cloth, NULL);
    double low = 1, high = -1;
    for (int i = 0; i < COLUMNS; i++)
        low = fmin(low, x[i].z), high = fmax(high, x[i].z);
    for (int r = 0; r < ROWS; r++)
        assert_at_most(fm_length(fm_sub(x[left[r]], x[right[r]])), 0.002);
    printf("  as deep as %.3f m; a circle of 0.48 m is %.3f\n", high - low, 0.48 / acos(-1));
    assert_in_interval(high - low, 0.15, 0.2); // like a drop: a seam carries no moment
    assert_int_equal(fm_world_report(world).repelled_count, 0);
    fm_world_destroy(world);
}

static void bad_seams(void **state)
{
    (void)state;
    fm_world *world = make_world(0, 0, no_gravity);
    fm_cloth_def def = fm_default_cloth_def();
    fm_cloth *c = make_tube(world, &def, tube_of(8, 4, 0.1, 0.1, 0.3));
    const int one[] = {0, 1}, other[] = {24, 25}, far[] = {24, 32}, same[] = {24, 1};
    static const char *const fields[] = {"seam count",    "seam start",    "seam time", "seam time",
                                         "seam particle", "seam particle", "seam"};
    for (int i = 0; i < 7; i++) {
        fm_error err = {0};
        if (i == 6)
            advance(world, 0.01);
        bool taken = fm_cloth_sew(c, one,
                                  i == 4   ? far
                                  : i == 5 ? same
                                           : other,
                                  i == 0 ? 0 : 2, i == 1 ? NAN : 0,
                                  i == 2   ? -1
                                  : i == 3 ? INFINITY
                                           : 1,
                                  &err);
        assert_false(taken);
        assert_string_equal(err.field, fields[i]);
    }
    assert_int_equal(c->stitches.count, 0);
    fm_world_destroy(world);
}

static void pins_of_tubes_and_meshes(void **state)
{
    (void)state;
    fm_world *world = make_world(0, 0, no_gravity);
    fm_cloth_def def = fm_default_cloth_def();
    fm_cloth *tube = make_tube(world, &def, tube_of(8, 4, 0.1, 0.1, 0.3));
    test_mesh grid = make_grid(6, 5, 0.1, 0.1, CUT_SHIFTED);
    fm_cloth *mesh = make_mesh(world, &def, &grid);
    fm_error err = {0};
    assert_true(fm_cloth_pin_edge(tube, FM_EDGE_TOP, NULL, &err));
    assert_true(fm_cloth_pin_row(tube, 2, NULL, &err));
    assert_true(fm_cloth_pin_column(tube, 7, NULL, &err));
    assert_int_equal(tube->pinned_count, 18);
    fm_shape ball = {.kind = FM_SHAPE_SPHERE, .centre = {0, 0, 0}, .radius = 0.12};
    assert_true(fm_cloth_pin_within(mesh, &ball, NULL, &err));
    assert_int_equal(mesh->pinned_count, 3); // (0, 0), (1, 0) and (0.5, -1) spacings
    fm_shape above = {.kind = FM_SHAPE_PLANE, .centre = {0, -0.35, 0}, .normal = {0, 1, 0}};
    assert_true(fm_cloth_pin_within(mesh, &above, NULL, &err));
    assert_int_equal(mesh->pinned_count, 9);
    ball.centre.z = 5;
    assert_false(fm_cloth_pin_within(mesh, &ball, NULL, &err));
    assert_string_equal(err.field, "within");
    assert_int_equal(mesh->group_count, 2);
    err = (fm_error){0}, ball.radius = -1;
    assert_false(fm_cloth_pin_within(mesh, &ball, NULL, &err));
    err = (fm_error){0};
    assert_false(fm_cloth_pin_edge(tube, FM_EDGE_LEFT, NULL, &err));
    assert_string_equal(err.value, "of a tube");
    err = (fm_error){0};
    assert_false(fm_cloth_pin_corner(tube, FM_CORNER_TOP_LEFT, NULL, &err));
    assert_string_equal(err.field, "pin corner");
    for (int i = 0; i < 4; i++) {
        err = (fm_error){0};
        assert_false(i == 0   ? fm_cloth_pin_row(mesh, 0, NULL, &err)
                     : i == 1 ? fm_cloth_pin_column(mesh, 0, NULL, &err)
                     : i == 2 ? fm_cloth_pin_edge(mesh, FM_EDGE_TOP, NULL, &err)
                              : fm_cloth_pin_corner(mesh, FM_CORNER_TOP_LEFT, NULL, &err));
        assert_string_equal(err.value, "of a mesh");
    }
    fm_world_destroy(world);
    free_mesh(&grid);
}

// Each integrator, on the same small swinging mesh in no medium, ends in the same place.
static void every_integrator_moves_a_mesh(void **state)
{
    (void)state;
    static const fm_integrator integrators[] = {FM_KICK_DRIFT_KICK, FM_EULER, FM_VERLET, FM_RK2,
                                                FM_RK4};
    test_mesh grid = make_grid(6, 5, 0.1, 0.09, CUT_SHIFTED);
    fm_vec3 reference[30];
    for (int k = 0; k < 5; k++) {
        fm_error err = {0};
        fm_world *world = make_world(0, 0, (fm_vec3){0, -1, 0.5});
        fm_cloth_def def = fm_default_cloth_def();
        def.drag.model = FM_DRAG_NONE;
        def.bend.stiffness = 1e-3;
        def.integrator = integrators[k];
        def.time_step = k == 1 ? 2e-5 : 2e-4;
        fm_cloth *mesh = make_mesh(world, &def, &grid);
        assert_true(fm_cloth_pin_list(mesh, (const int[]){0, 5}, 2, NULL, &err));
        for (int i = 0; i < 5; i++)
            advance(world, 0.1);
        const fm_vec3 *x = fm_cloth_positions(mesh, NULL);
        if (k == 0)
            memcpy(reference, x, sizeof reference);
        assert_at_most(largest_distance(x, reference, 30), k == 1 ? 1e-3 : 2e-4);
        assert_true(x[29].z > 0.02);
        fm_world_destroy(world);
    }
    free_mesh(&grid);
}

static void states_of_others_are_refused(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_cloth_def def = fm_default_cloth_def();
    test_mesh one = make_grid(6, 5, 0.1, 0.1, CUT_SHIFTED), other = one;
    // without a triangle, its vertices still in others
    other.triangles = one.triangles + 3, other.triangle_count = one.triangle_count - 1;
    fm_world *a = make_world(0, 0, no_gravity), *b = make_world(0, 0, no_gravity);
    make_mesh(a, &def, &one);
    size_t size = fm_world_save(a, NULL, 0);
    void *bytes = malloc(size);
    fm_world_save(a, bytes, size);
    make_tube(b, &def, tube_of(6, 5, 0.1, 0.1, 0.3)); // as many particles
    assert_false(fm_world_restore(b, bytes, size, &err));
    assert_non_null(strstr(err.field, "columns"));
    fm_world_destroy(b);
    b = make_world(0, 0, no_gravity);
    make_mesh(b, &def, &other);
    err = (fm_error){0};
    assert_false(fm_world_restore(b, bytes, size, &err));
    assert_string_equal(err.field, "triangles of the saved state");
    fm_world_destroy(a);
    fm_world_destroy(b);
    free(bytes);
    free_mesh(&one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_meshes),
        cmocka_unit_test(bad_definitions),
        cmocka_unit_test(parts_of_every_kind),
        cmocka_unit_test(forces_are_the_gradient_of_the_energy),
        cmocka_unit_test(welds_make_one_of_several),
        cmocka_unit_test(a_sheet_is_sewn_to_a_ring),
        cmocka_unit_test(bad_seams),
        cmocka_unit_test(pins_of_tubes_and_meshes),
        cmocka_unit_test(every_integrator_moves_a_mesh),
        cmocka_unit_test(states_of_others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
