// SPDX-License-Identifier: MIT
// cloth_mesh.c: tubes and meshes: invalid input is refused with the name of the field; forces are
// the gradient of the energy; welds, seams and pins work.
#include "bodies.h"

#include "cloth/cloth.h"

#include <string.h>

// Asserts that the mesh is refused because of this field and value; allowed: part of the message.
static void expect_refusal(const fm_cloth_mesh *mesh, const char *field, const char *value,
                           const char *allowed)
{
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, no_gravity);
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

static void invalid_meshes_are_refused(void **state)
{
    (void)state;
    const fm_vec3 x[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 0, 0}};
    const int square[] = {0, 1, 2, 0, 2, 3};
    fm_cloth_mesh mesh = {
        .positions = x, .vertex_count = 4, .triangles = square, .triangle_count = 2};
    fm_cloth_mesh bad = mesh;
    bad.vertex_count = 2;
    expect_refusal(&bad, "vertex_count", "2", "3 to");
    bad = mesh, bad.triangle_count = 0;
    expect_refusal(&bad, "triangle_count", "0", "1 to");
    bad = mesh, bad.weld = -1;
    expect_refusal(&bad, "weld", "-1", "0 to");
    bad = mesh, bad.velocity.y = NAN;
    expect_refusal(&bad, "velocity", "nan", "finite");
    fm_vec3 y[4];
    memcpy(y, x, sizeof y);
    y[2].z = NAN;
    bad = mesh, bad.positions = y;
    expect_refusal(&bad, "positions[2]", "1", "numbers up to");
    bad = mesh, bad.rest_positions = y;
    expect_refusal(&bad, "rest_positions[2]", "1", "numbers up to");
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
        expect_refusal(&bad, cases[i].field, cases[i].value, cases[i].allowed);
    }
    const int one[] = {0, 1, 2}, three[] = {0, 1, 2, 1, 0, 3, 0, 1, 4}, flat[] = {0, 1, 4};
    bad = mesh, bad.triangles = one, bad.triangle_count = 1;
    expect_refusal(&bad, "positions[3]", "3", "vertices that triangles use");
    bad = mesh, bad.triangles = three, bad.triangle_count = 3, bad.vertex_count = 5;
    bad.rest_positions = (const fm_vec3[]){{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}};
    expect_refusal(&bad, "triangles[2]", "3", "at most two triangles");
    bad = mesh, bad.triangles = flat, bad.triangle_count = 1, bad.vertex_count = 5;
    expect_refusal(&bad, "triangles[0]", "0", "an area above 0");
    const int pairs[] = {0, 9};
    bad = mesh, bad.welds = pairs, bad.weld_count = 1;
    expect_refusal(&bad, "welds[0]", "9", "0 to vertex_count - 1");
    bad = mesh, bad.weld = 1.2; // welds all four vertices to one
    expect_refusal(&bad, "triangles[0]", "0", "welded ones counted once");
}

static void invalid_definitions_of_tubes_are_refused(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, no_gravity);
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
    const fm_tube bad[] = {define_tube(2, 4, 1, 1, 1), define_tube(8, 1, 1, 1, 1),
                           define_tube(8, 4, 0, 1, 1), define_tube(8, 4, 1, NAN, 1),
                           define_tube(8, 4, 1, 1, 0)};
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

// Euler characteristic V - E + F; also checks that every edge has one or two triangles.
static int compute_euler_characteristic(fm_cloth *cloth)
{
    fm_error err = {0};
    fm_mesh_view mesh;
    assert_true(fm_cloth_find_mesh(cloth, &mesh, &err));
    assert_int_equal(mesh.point_count, cloth->count);
    int edge_count, count;
    fm_mesh_edge *edges = fm_mesh_find_edges(mesh.face_points, mesh.face_count, &edge_count);
    assert_non_null(edges);
    for (int i = 0; i < edge_count; i++) {
        int uses = 0;
        for (int t = 0; t < 3 * mesh.face_count; t++) {
            int a = mesh.face_points[t], b = mesh.face_points[t % 3 == 2 ? t - 2 : t + 1];
            uses += (a == edges[i].a && b == edges[i].b) || (a == edges[i].b && b == edges[i].a);
        }
        assert_in_range(uses, 1, 2);
    }
    free(edges);
    assert_ptr_equal(fm_cloth_triangles(cloth, &count, &err), mesh.face_points);
    assert_int_equal(count, mesh.face_count);
    return cloth->count - edge_count + mesh.face_count;
}

static void sheets_tubes_and_meshes_have_the_right_topology_normals_and_mass(void **state)
{
    (void)state;
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_cloth_def def = fm_default_cloth_def();
    fm_cloth *sheet = create_sheet(
        world, &def, &(fm_sheet){.columns = 5, .rows = 4, .width = 0.4, .height = 0.3});
    assert_int_equal(compute_euler_characteristic(sheet), 1);
    fm_tube cone = define_tube(8, 4, 0.1, 0.2, 0.3);
    cone.origin = (fm_vec3){1, 2, 3};
    fm_cloth *tube = create_tube(world, &def, cone);
    assert_int_equal(compute_euler_characteristic(tube), 0);
    // springs: 8 around in each of 4 rows; one down and two diagonals in each of 3 x 8 cells
    // hinges: 8 around in each of 2 inner rows; one down and one diagonal for each cell
    assert_int_equal(tube->mesh.edge_count, 8 * 4 + 3 * 8 * 3);
    assert_int_equal(tube->mesh.hinge_count, 2 * 8 + 3 * 8 + 3 * 8);
    fixture_mesh grid = fixture_create_grid(6, 5, 0.1, 0.1, CUT_SHIFTED);
    fm_cloth *mesh = create_mesh(world, &def, &grid);
    assert_int_equal(compute_euler_characteristic(mesh), 1);
    assert_int_equal(mesh->mesh.edge_count, 6 * 5 - 1 + mesh->mesh.triangle_count);
    // the normals follow from the triangles: +z for sheet and mesh, outwards for the tube
    assert_true(sheet->normal.z[7] > 0.99 && mesh->normal.z[7] > 0.99);
    for (int i = 0; i < tube->count; i++) {
        double x = tube->x.x[i] - 1, z = tube->x.z[i] - 3, r = hypot(x, z);
        assert_true((tube->normal.x[i] * x + tube->normal.z[i] * z) / r > 0.8);
    }
    // the particles have the mass of the whole cloth
    double sheet_mass = 0, tube_mass = 0, mesh_mass = 0, sigma = def.density * def.thickness;
    for (int i = 0; i < sheet->count; i++)
        sheet_mass += sheet->mass[i];
    for (int i = 0; i < tube->count; i++)
        tube_mass += tube->mass[i];
    for (int i = 0; i < mesh->count; i++)
        mesh_mass += mesh->mass[i];
    double pi = acos(-1), slant = hypot(0.3, 0.1 * cos(pi / 8)); // m, height of the flat cells
    assert_close(sheet_mass, sigma * 0.12, 1e-12);
    assert_close(tube_mass, sigma * 8 * 2 * sin(pi / 8) * 0.15 * slant, 1e-12);
    assert_close(mesh_mass, sigma * 0.1 * 5 * 0.4, 1e-12);
    // the readers return the definition
    assert_int_equal(fm_cloth_topology(tube), FM_CLOTH_TUBE);
    assert_int_equal(fm_cloth_tube(tube).columns, 8);
    assert_int_equal(fm_cloth_sheet(tube).columns, 0);
    int count;
    assert_null(fm_cloth_vertices(mesh, &count));
    assert_int_equal(count, 30);
    fm_world_destroy(world);
    fixture_destroy_mesh(&grid);
}

// Potential energy, J.
static double measure_energy(fm_world *world)
{
    return fm_world_report(world).potential_energy;
}

// Compares the forces on all particles with central differences of the energy, in a crumpled state
// with folds of more than 90 degrees. Cases: a tube that is flat at rest, a tube with its own shape
// at rest, and a mesh with a seam.
static void forces_are_the_gradient_of_the_energy(void **state)
{
    (void)state;
    for (int tested = 0; tested < 3; tested++) {
        fm_error err = {0};
        fm_world *world = create_world(0, 0, no_gravity);
        fm_cloth_def def = bare_cloth();
        def.stretch.stiffness = 20;
        def.bend.stiffness = 0.01;
        def.bend.rest_angle = tested == 1 ? FM_REST_SHAPE : FM_REST_FLAT;
        fixture_mesh grid = fixture_create_grid(6, 5, 0.1, 0.09, CUT_SHIFTED);
        fm_cloth *c = tested == 2 ? create_mesh(world, &def, &grid)
                                  : create_tube(world, &def, define_tube(7, 5, 0.1, 0.15, 0.3));
        if (tested == 2) {
            int one[] = {0, 7}, other[] = {5, 20};
            assert_true(fm_cloth_sew(c, one, other, 2, -1, 2, &err)); // half closed at t = 0
        }
        for (int i = 0; i < c->count; i++) {
            double up = 0.06 + 0.06 * scatter(4u * (unsigned)i); // m; no triangle collapses
            c->x.x[i] += up * c->normal.x[i] + 0.005 * scatter(4u * (unsigned)i + 1);
            c->x.y[i] += up * c->normal.y[i] + 0.005 * scatter(4u * (unsigned)i + 2);
            c->x.z[i] += up * c->normal.z[i] + 0.005 * scatter(4u * (unsigned)i + 3);
        }
        fm_evaluation evaluation = {.x = &c->x, .v = &c->v, .t = c->time};
        fm_terms_add_forces(c, &evaluation, &c->normal);
        fm_vec3 total = {0, 0, 0}, torque = {0, 0, 0}; // N, N m, of all forces
        double largest = 0;                            // N
        for (int i = 0; i < c->count; i++) {
            double *axis[3] = {&c->x.x[i], &c->x.y[i], &c->x.z[i]}, e = 1e-6;
            double force[3] = {c->force.x[i], c->force.y[i], c->force.z[i]};
            fm_vec3 f = {force[0], force[1], force[2]}, x = {*axis[0], *axis[1], *axis[2]};
            total = fm_add(total, f);
            torque = fm_add(torque, fm_cross(x, f));
            for (int k = 0; k < 3; k++) {
                double here = *axis[k];
                *axis[k] = here + e;
                double more = measure_energy(world);
                *axis[k] = here - e;
                double less = measure_energy(world);
                *axis[k] = here;
                assert_close(force[k], (less - more) / (2 * e), 2e-6);
                largest = fmax(largest, fabs(force[k]));
            }
        }
        assert_true(largest > 0.1);
        assert_at_most(fm_length(total), 1e-12);
        assert_at_most(fm_length(torque), 1e-12);
        fm_world_destroy(world);
        fixture_destroy_mesh(&grid);
    }
}

static void welded_vertices_become_one_particle_and_keep_their_rest_lengths(void **state)
{
    (void)state;
    // two triangles 1e-5 m apart along an edge; at rest the second one is somewhere else
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
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_cloth_def def = fixture_perfect_cloth();
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
        assert_close(c->x.z[1], 5e-6, 1e-18); // the mean of both vertices
        assert_close(c->v.y[3], 3, 0);
        assert_close(c->area[1], 1.0 / 3, 1e-15);
        for (int e = 0; e < c->mesh.edge_count; e++) {
            bool shared = c->mesh.edge_a[e] == 1 && c->mesh.edge_b[e] == 2;
            assert_close(c->mesh.edge_rest[e], shared ? sqrt(2) : 1, 1e-15);
        }
    }
    fm_world_destroy(world);
}

static void a_seam_closes_a_sheet_to_a_ring(void **state)
{
    (void)state;
    enum { COLUMNS = 25, ROWS = 4 };
    fm_error err = {0};
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth_def def = fm_default_cloth_def();
    def.drag.model = FM_DRAG_VISCOUS;
    def.drag.viscous = 20;
    def.bend.stiffness = 1e-3;
    def.repulsion.enabled = true; // sewn particles do not repel each other
    fm_sheet flat = {.columns = COLUMNS, .rows = ROWS, .width = 0.48, .height = 0.06};
    fm_cloth *cloth = create_sheet(world, &def, &flat);
    double before = fm_cloth_stable_step(cloth);
    fm_vec3 bent[COLUMNS * ROWS];
    for (int i = 0; i < COLUMNS * ROWS; i++) { // slightly bent, to determine the side to bend to
        double u = 0.02 * (i % COLUMNS) - 0.24;
        bent[i] = (fm_vec3){u, -0.02 * (i / COLUMNS), 0.5 * u * u};
    }
    assert_true(fm_cloth_set_positions(cloth, bent, &err));
    int left[ROWS], right[ROWS];
    for (int r = 0; r < ROWS; r++)
        left[r] = r * COLUMNS, right[r] = r * COLUMNS + COLUMNS - 1;
    assert_true(fm_cloth_sew(cloth, left, right, ROWS, 0.5, 2, &err));
    // the seam makes the cloth stiffer, which shortens the stable step a little
    assert_true(fm_cloth_stable_step(cloth) < before && fm_cloth_stable_step(cloth) > 0.7 * before);
    advance(world, 0.5);
    const fm_vec3 *x = fm_cloth_positions(cloth, NULL);
    assert_close(x[COLUMNS - 1].x - x[0].x, 0.48, 1e-3); // no change before the seam's start
    for (int i = 0; i < 60; i++)
        assert_int_equal(advance(world, 0.1).pierced_count, 0);
    x = fm_cloth_positions(cloth, NULL);
    double low = 1, high = -1;
    for (int i = 0; i < COLUMNS; i++)
        low = fmin(low, x[i].z), high = fmax(high, x[i].z);
    for (int r = 0; r < ROWS; r++)
        assert_at_most(fm_length(fm_sub(x[left[r]], x[right[r]])), 0.002);
    printf("  as deep as %.3f m; a circle of 0.48 m is %.3f\n", high - low, 0.48 / acos(-1));
    assert_in_interval(high - low, 0.15, 0.2); // drop-shaped: a seam carries no bending moment
    assert_int_equal(fm_world_report(world).repelled_count, 0);
    fm_world_destroy(world);
}

// A sheet bent to an open ring is sewn along its opening, which reaches from y = -0.068 to y =
// 0.068 m. A second sheet is in the plane y = height. Checks that the stitches pull through it if
// `expected`, and that the library says where.
static void check_piercings(double height, bool expected)
{
    enum { COLUMNS = 25, ROWS = 4 };
    fm_error err = {0};
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth_def def = fm_default_cloth_def();
    def.drag.model = FM_DRAG_NONE;
    fm_sheet flat = {.columns = COLUMNS, .rows = ROWS, .width = 1.117, .height = 0.06};
    fm_cloth *ring = create_sheet(world, &def, &flat);
    fm_vec3 bent[COLUMNS * ROWS];
    for (int i = 0; i < COLUMNS * ROWS; i++) {
        double angle = 0.349 + (i % COLUMNS) * (2 * 3.1416 - 0.698) / (COLUMNS - 1);
        bent[i] = (fm_vec3){0.2 * cos(angle), 0.2 * sin(angle), -0.02 * (i / COLUMNS)};
    }
    assert_true(fm_cloth_set_positions(ring, bent, &err));
    // x from 0.1 to 0.3 m, z from -0.1 to 0.1 m
    fm_sheet plate = fixture_level_sheet(9, 9, 0.2, 0.2, (fm_vec3){0.1, height, -0.1});
    fm_cloth *other = create_sheet(world, &def, &plate);
    int upper[ROWS], lower[ROWS];
    for (int r = 0; r < ROWS; r++)
        upper[r] = r * COLUMNS, lower[r] = r * COLUMNS + COLUMNS - 1;
    assert_true(fm_cloth_sew(ring, upper, lower, ROWS, 0.0015, 2, &err));
    assert_int_equal(advance(world, 0.001).pierced_count, 0); // the seam does not pull yet
    assert_int_equal(advance(world, 0.001).pierced_count, expected ? ROWS : 0);
    fm_piercings found = fm_cloth_find_piercings(ring);
    assert_int_equal(found.count, expected ? ROWS : 0);
    if (expected) {
        assert_true(found.through == other);
        assert_int_equal(found.ends[1] - found.ends[0], COLUMNS - 1); // particles of the stitch
        assert_close(found.at.y, height, 1e-4);
        assert_close(found.at.x, 0.188, 1e-3); // 0.2 m cos(20 degrees), where the stitches are
    }
    fm_world_destroy(world);
}

static void stitches_that_pull_through_a_cloth_are_counted(void **state)
{
    (void)state;
    check_piercings(0, true);
    check_piercings(0.05, true);
    check_piercings(0.1, false);
    check_piercings(-0.5, false);
}

static void invalid_seams_are_refused(void **state)
{
    (void)state;
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth_def def = fm_default_cloth_def();
    fm_cloth *c = create_tube(world, &def, define_tube(8, 4, 0.1, 0.1, 0.3));
    const int one[] = {0, 1}, other[] = {24, 25}, far[] = {24, 32}, same[] = {24, 1};
    static const char *const fields[] = {"seam count",    "seam start",    "seam time", "seam time",
                                         "seam particle", "seam particle", "seam"};
    // in turn: no stitches, NaN as start, a negative and an infinite time, a particle that does not
    // exist, a particle sewn to itself, a seam after the first advance
    for (int i = 0; i < 7; i++) {
        fm_error err = {0};
        if (i == 6)
            advance(world, 0.01);
        bool accepted = fm_cloth_sew(c, one,
                                     i == 4   ? far
                                     : i == 5 ? same
                                              : other,
                                     i == 0 ? 0 : 2, i == 1 ? NAN : 0,
                                     i == 2   ? -1
                                     : i == 3 ? INFINITY
                                              : 1,
                                     &err);
        assert_false(accepted);
        assert_string_equal(err.field, fields[i]);
    }
    assert_int_equal(c->stitches.count, 0);
    fm_world_destroy(world);
}

static void tubes_and_meshes_accept_only_pins_that_they_have(void **state)
{
    (void)state;
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth_def def = fm_default_cloth_def();
    fm_cloth *tube = create_tube(world, &def, define_tube(8, 4, 0.1, 0.1, 0.3));
    fixture_mesh grid = fixture_create_grid(6, 5, 0.1, 0.1, CUT_SHIFTED);
    fm_cloth *mesh = create_mesh(world, &def, &grid);
    fm_error err = {0};
    assert_true(fm_cloth_pin_edge(tube, FM_EDGE_TOP, NULL, &err));
    assert_true(fm_cloth_pin_row(tube, 2, NULL, &err));
    assert_true(fm_cloth_pin_column(tube, 7, NULL, &err));
    assert_int_equal(tube->pinned_count, 18);
    fm_shape ball = {.kind = FM_SHAPE_SPHERE, .centre = {0, 0, 0}, .radius = 0.12};
    assert_true(fm_cloth_pin_within(mesh, &ball, NULL, &err));
    assert_int_equal(mesh->pinned_count, 3); // at (0, 0), (1, 0) and (0.5, -1) spacings
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
    fixture_destroy_mesh(&grid);
}

// With each integrator, the same small mesh swings in vacuum and ends in the same place.
static void all_integrators_agree_on_a_mesh(void **state)
{
    (void)state;
    static const fm_integrator integrators[] = {FM_KICK_DRIFT_KICK, FM_EULER, FM_VERLET, FM_RK2,
                                                FM_RK4};
    fixture_mesh grid = fixture_create_grid(6, 5, 0.1, 0.09, CUT_SHIFTED);
    fm_vec3 reference[30];
    for (int k = 0; k < 5; k++) {
        fm_error err = {0};
        fm_world *world = create_world(0, 0, (fm_vec3){0, -1, 0.5});
        fm_cloth_def def = fm_default_cloth_def();
        def.drag.model = FM_DRAG_NONE;
        def.bend.stiffness = 1e-3;
        def.integrator = integrators[k];
        def.time_step = k == 1 ? 2e-5 : 2e-4;
        fm_cloth *mesh = create_mesh(world, &def, &grid);
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
    fixture_destroy_mesh(&grid);
}

static void the_saved_state_of_another_cloth_is_refused(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_cloth_def def = fm_default_cloth_def();
    fixture_mesh one = fixture_create_grid(6, 5, 0.1, 0.1, CUT_SHIFTED), other = one;
    // one triangle less; its vertices are still used by others
    other.triangles = one.triangles + 3, other.triangle_count = one.triangle_count - 1;
    fm_world *a = create_world(0, 0, no_gravity), *b = create_world(0, 0, no_gravity);
    create_mesh(a, &def, &one);
    size_t size = fm_world_save(a, NULL, 0);
    void *bytes = malloc(size);
    fm_world_save(a, bytes, size);
    create_tube(b, &def, define_tube(6, 5, 0.1, 0.1, 0.3)); // the same number of particles
    assert_false(fm_world_restore(b, bytes, size, &err));
    assert_non_null(strstr(err.field, "columns"));
    fm_world_destroy(b);
    b = create_world(0, 0, no_gravity);
    create_mesh(b, &def, &other);
    err = (fm_error){0};
    assert_false(fm_world_restore(b, bytes, size, &err));
    assert_string_equal(err.field, "triangles of the saved state");
    fm_world_destroy(a);
    fm_world_destroy(b);
    free(bytes);
    fixture_destroy_mesh(&one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invalid_meshes_are_refused),
        cmocka_unit_test(invalid_definitions_of_tubes_are_refused),
        cmocka_unit_test(sheets_tubes_and_meshes_have_the_right_topology_normals_and_mass),
        cmocka_unit_test(forces_are_the_gradient_of_the_energy),
        cmocka_unit_test(welded_vertices_become_one_particle_and_keep_their_rest_lengths),
        cmocka_unit_test(a_seam_closes_a_sheet_to_a_ring),
        cmocka_unit_test(stitches_that_pull_through_a_cloth_are_counted),
        cmocka_unit_test(invalid_seams_are_refused),
        cmocka_unit_test(tubes_and_meshes_accept_only_pins_that_they_have),
        cmocka_unit_test(all_integrators_agree_on_a_mesh),
        cmocka_unit_test(the_saved_state_of_another_cloth_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
