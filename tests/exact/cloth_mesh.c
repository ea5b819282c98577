// SPDX-License-Identifier: MIT
// cloth_mesh.c: moduli, bending, vibration and stability of cloth on triangles.
//
// Moduli: Van Gelder's springs on equilateral triangles give an isotropic sheet with the surface
// modulus Y (N/m) and Poisson's ratio 1/3. A strain e along x has the energy Y/(1 - 1/9) e^2/2 per
// area when the width is kept, and Y e^2/2 when the sheet is free to narrow by e/3. A shear g has
// the energy 3/8 Y g^2/2. A strip that hangs by its end lengthens under load with the modulus Y.
//
// Bending: a cylinder of radius R in any direction has the energy B/(2 R^2) per area. The border
// has no hinges, so only the inside is compared. For other shapes, hinges on equilateral triangles
// act as a plate with Poisson's ratio -1/3: the energy per area is B/2 (T^2 - 8/3 D), with T the
// trace and D the determinant of the curvature. A narrow strip that is free to curl across is
// therefore a beam of rigidity (1 - 1/9) B. As a cantilever it vibrates at (1.8751/L)^2 sqrt(8/9
// B/sigma), with L its length and sigma its mass per area.
//
// Tubes: rolled out flat, a tube has the spring forces of a sheet, up to rounding. In a smooth bump
// it has the bending energy that the second differences of a sheet give.
#include "bodies.h"
#include "exact.h"

#include "cloth/cloth.h"

static const double Y = 100;  // N/m, surface modulus
static const double B = 1e-3; // N m, bending rigidity
// b L of the first mode of a cantilever: the smallest positive root of cos(b L) cosh(b L) = -1
static const double FIRST_ROOT = 1.87510406871;
static const double PI = 3.14159265358979323846;

// A cloth with springs of modulus Y, without bending.
static fm_cloth_def cloth_with_springs_only(void)
{
    fm_cloth_def def = bare_cloth();
    def.stretch.stiffness = Y;
    return def;
}

// A cloth with bending at its hinges (edges of two triangles) only.
static fm_cloth_def cloth_with_hinges_only(void)
{
    fm_cloth_def def = bare_cloth();
    def.stretch.stiffness = 1e-9;
    def.shear.stiffness = 0;
    def.bend.stiffness = B;
    return def;
}

typedef fm_vec3 mapping(fm_vec3 x, double size); // deformation of magnitude `size`

// A strain e along x; the width is kept.
static fm_vec3 stretched(fm_vec3 x, double e)
{
    return (fm_vec3){(1 + e) * x.x, x.y, x.z};
}

// A strain e along x; the sheet narrows by e/3, Poisson's ratio.
static fm_vec3 narrowed(fm_vec3 x, double e)
{
    return (fm_vec3){(1 + e) * x.x, (1 - e / 3) * x.y, x.z};
}

// A strain e along y; the sheet narrows by e/3, Poisson's ratio.
static fm_vec3 lengthened(fm_vec3 x, double e)
{
    return (fm_vec3){(1 - e / 3) * x.x, (1 + e) * x.y, x.z};
}

// A shear that moves a point along x by g times its y.
static fm_vec3 sheared(fm_vec3 x, double g)
{
    return (fm_vec3){x.x + g * x.y, x.y, x.z};
}

// Applies a deformation to the positions of all particles.
static void deform(fm_cloth *cloth, mapping *f, double size)
{
    fm_error err = {0};
    int n;
    const fm_vec3 *old = fm_cloth_positions(cloth, &n);
    fm_vec3 *x = malloc((size_t)n * sizeof *x);
    for (int i = 0; i < n; i++)
        x[i] = f(old[i], size);
    assert_true(fm_cloth_set_positions(cloth, x, &err));
    free(x);
}

// Area of the cloth at rest, m^2.
static double total_area(fm_cloth *cloth)
{
    double area = 0;
    for (int i = 0; i < cloth->count; i++)
        area += cloth->area[i];
    return area;
}

// Modulus of a mesh under the strain f: twice the energy per area and squared strain.
static double measure_modulus(const fixture_mesh *mesh, mapping *f)
{
    const double e = 1e-6; // strain; small, because deviations are proportional to it
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth_def def = cloth_with_springs_only();
    fm_cloth *cloth = create_mesh(world, &def, mesh);
    deform(cloth, f, e);
    double energy = fm_world_report(world).potential_energy, area = total_area(cloth);
    fm_world_destroy(world);
    return 2 * energy / (e * e * area);
}

static void equilateral_triangles_have_modulus_Y_and_poisson_ratio_one_third(void **state)
{
    (void)state;
    // springs at the border have the stiffness that their one triangle gives: no border effect
    fixture_mesh mesh = fixture_create_grid(20, 21, 0.01, 0.01 * sqrt(0.75), CUT_SHIFTED);
    static const struct {
        const char *name;
        mapping *f;
        double expected; // modulus, in units of Y
    } cases[] = {{"held in width", stretched, 9.0 / 8},
                 {"free along x", narrowed, 1},
                 {"free along y", lengthened, 1},
                 {"shear", sheared, 3.0 / 8}};
    for (int i = 0; i < 4; i++) {
        double measured = measure_modulus(&mesh, cases[i].f);
        printf("  %-14s %.5f Y, expected %.5f\n", cases[i].name, measured / Y, cases[i].expected);
        assert_close(measured / Y, cases[i].expected, 1e-5);
    }
    fixture_destroy_mesh(&mesh);
    // right triangles, width kept: Y + Y/4 along the legs, as explained in cloth/mesh.c
    mesh = fixture_create_grid(21, 21, 0.01, 0.01, CUT_ALTERNATING);
    assert_close(measure_modulus(&mesh, stretched) / Y, 1.25, 1e-5);
    fixture_destroy_mesh(&mesh);
}

// A strip hangs under its own weight until drag has brought it to rest. The strain in its middle is
// compared with the load below divided by width and modulus.
static void a_strip_under_load_lengthens_by_its_modulus(void **state)
{
    (void)state;
    enum { COLUMNS = 9, ROWS = 61 };
    const double dx = 0.01, g = 0.5;
    fixture_mesh mesh = fixture_create_grid(COLUMNS, ROWS, dx, dx * sqrt(0.75), CUT_SHIFTED);
    fm_error err = {0};
    fm_world *world = create_world(0, 0, (fm_vec3){0, -g, 0});
    fm_cloth_def def = cloth_with_springs_only();
    def.drag.model = FM_DRAG_VISCOUS;
    def.drag.viscous = 100;
    fm_cloth *cloth = create_mesh(world, &def, &mesh);
    int top[COLUMNS];
    for (int c = 0; c < COLUMNS; c++)
        top[c] = c;
    assert_true(fm_cloth_pin_list(cloth, top, COLUMNS, NULL, &err));
    for (int frame = 0; frame < 120; frame++)
        advance(world, 1.0 / 24);
    const fm_vec3 *x = fm_cloth_positions(cloth, NULL);
    int r = 28, c = COLUMNS / 2; // strain between the rows r and r + 4, load at the row r + 2
    double strain = (x[r * COLUMNS + c].y - x[(r + 4) * COLUMNS + c].y) / (4 * dx * sqrt(0.75)) - 1;
    int mid = (r + 2) * COLUMNS;
    double narrow = (x[mid + 6].x - x[mid + 2].x) / (4 * dx) - 1; // strain across the strip
    double load = 0; // N, weight of the rows below the row r + 2 and of half that row
    for (int i = 0; i < cloth->count; i++)
        load += i / COLUMNS > r + 2 ? cloth->mass[i] * g : 0;
    for (int k = 0; k < COLUMNS; k++)
        load += cloth->mass[(r + 2) * COLUMNS + k] * g / 2;
    double width = (COLUMNS - 1) * dx; // same for every row
    printf("  strain %.5f, load/width/Y %.5f, narrowing %.5f\n", strain, load / width / Y, narrow);
    // tolerance: at a strain of 1 % the rotation of springs is no longer negligible
    assert_close(strain / (load / width / Y), 1, 0.01);
    assert_close(narrow / strain, -1.0 / 3, 0.01);
    fm_world_destroy(world);
    fixture_destroy_mesh(&mesh);
}

static double curved_direction; // rad, angle between x and the direction in which `rolled` curves

// Rolls a flat sheet to a cylinder of the given radius (m). u, v: coordinates around and along it.
static fm_vec3 rolled(fm_vec3 x, double radius)
{
    double c = cos(curved_direction), s = sin(curved_direction);
    double u = c * x.x + s * x.y, v = c * x.y - s * x.x;
    double a = radius * sin(u / radius), z = radius * (1 - cos(u / radius));
    return (fm_vec3){c * a - s * v, s * a + c * v, z};
}

// Bending energy of a mesh rolled to a cylinder, divided by B/(2 R^2) and the area of its hinges
// (the edges between two triangles). angle: of the direction of curvature with x, rad. The area of
// a hinge is a third of its two triangles.
static double relative_bending_energy(const fixture_mesh *mesh, fm_rest_angle rest, double angle)
{
    const double R = 0.3;
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth_def def = cloth_with_hinges_only();
    def.bend.rest_angle = rest;
    fm_cloth *cloth = create_mesh(world, &def, mesh);
    curved_direction = angle;
    deform(cloth, rolled, R);
    double area = 0;
    for (int h = 0; h < cloth->mesh.hinge_count; h++)
        area += (cloth->mesh.hinge_area[0][h] + cloth->mesh.hinge_area[1][h]) / 3;
    double energy = fm_spring_mesh_bending_energy(cloth);
    fm_world_destroy(world);
    return energy / (B / (2 * R * R) * area);
}

// Cylinders curved at 0, 15, 30 and 45 degrees to an edge of the triangles, with both kinds of rest
// angles.
static void a_cylinder_of_equilateral_triangles_has_the_bending_energy_of_a_plate(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        fm_rest_angle rest = k < 4 ? FM_REST_FLAT : FM_REST_SHAPE; // the rest shape is flat too
        double error[4], angle = k % 4 * PI / 12;
        char name[32];
        snprintf(name, sizeof name, "cylinder, %d degrees%s", 15 * (k % 4), k < 4 ? "" : ", shape");
        for (int level = 0; level < 4; level++) {
            int n = (12 << level) + 1;
            double dx = 0.4 / (n - 1);
            fixture_mesh mesh = fixture_create_grid(n, n, dx, dx * sqrt(0.75), CUT_SHIFTED);
            error[level] = fabs(relative_bending_energy(&mesh, rest, angle) - 1);
            exact_report(name, dx, error[level]);
            fixture_destroy_mesh(&mesh);
        }
        assert_at_most(error[3], 0.02);
        assert_true(exact_order(error, 4) > 0.9);
    }
}

static void on_right_triangles_bending_energy_depends_on_the_direction(void **state)
{
    (void)state;
    fixture_mesh one_way = fixture_create_grid(49, 49, 0.01, 0.01, CUT_ONE_WAY);
    fixture_mesh both = fixture_create_grid(49, 49, 0.01, 0.01, CUT_ALTERNATING);
    // curved along the legs of the triangles, along and across the parallel diagonals, and along
    // one of the two directions of alternating diagonals
    double legs = relative_bending_energy(&one_way, FM_REST_FLAT, 0),
           along = relative_bending_energy(&one_way, FM_REST_FLAT, PI / 4);
    double across = relative_bending_energy(&one_way, FM_REST_FLAT, -PI / 4),
           mixed = relative_bending_energy(&both, FM_REST_FLAT, PI / 4);
    printf("  legs %.3f, diagonals %.3f %.3f, alternating %.3f\n", legs, along, across, mixed);
    // cloth/hinge_bending.c explains why: exact along the legs, a factor of 1 to 3 along the
    // diagonals
    assert_close(legs, 1, 0.02);
    assert_close(fmin(along, across), 1, 0.05);
    assert_close(fmax(along, across), 3, 0.1);
    assert_close(mixed, 1.5, 0.05);
    fixture_destroy_mesh(&one_way);
    fixture_destroy_mesh(&both);
}

// Angular frequency (rad/s) of the slowest vibration of a strip of equilateral triangles, whose
// first two rows are pinned. It starts in the shape of the first mode: b is the wave number, s the
// ratio of its sine to its cosine parts. *clamped_length: from the clamp, half-way between the
// pinned rows, to the free end, m.
static double cantilever_frequency(int rows, double length, double *clamped_length)
{
    enum { COLUMNS = 7 };
    fm_error err = {0};
    fm_cloth_def def = cloth_with_hinges_only();
    fm_world *world = create_world(0, 0, no_gravity);
    double dy = length / (rows - 1), L = length - dy / 2, b = FIRST_ROOT / L;
    fixture_mesh mesh = fixture_create_grid(COLUMNS, rows, dy / sqrt(0.75), dy, CUT_SHIFTED);
    fm_cloth *cloth = create_mesh(world, &def, &mesh);
    double s = (cos(b * L) + cosh(b * L)) / (sin(b * L) + sinh(b * L));
    fm_vec3 *x = malloc((size_t)mesh.vertex_count * sizeof *x);
    int held[2 * COLUMNS], tip = (rows - 1) * COLUMNS + COLUMNS / 2;
    for (int i = 0; i < 2 * COLUMNS; i++)
        held[i] = i;
    for (int i = 0; i < mesh.vertex_count; i++) {
        double u = fmax(0, -mesh.positions[i].y - dy / 2);
        x[i] = mesh.positions[i];
        x[i].z = i < 2 * COLUMNS
                     ? 0
                     : 1e-4 * (cosh(b * u) - cos(b * u) - s * (sinh(b * u) - sin(b * u)));
    }
    assert_true(fm_cloth_set_positions(cloth, x, &err));
    assert_true(fm_cloth_pin_list(cloth, held, 2 * COLUMNS, NULL, &err));
    *clamped_length = L;
    free(x);
    double frequency = swing_frequency(world, cloth, tip, 3, 2e-3, 60);
    fm_world_destroy(world);
    fixture_destroy_mesh(&mesh);
    return frequency;
}

static void a_clamped_strip_vibrates_like_a_cantilever(void **state)
{
    (void)state;
    fm_cloth_def def = cloth_with_hinges_only();
    double error[3], L;
    for (int level = 0; level < 3; level++) {
        int rows = (8 << level) + 1;
        double measured = cantilever_frequency(rows, 0.4, &L);
        double sigma = def.density * def.thickness;
        double expected = pow(FIRST_ROOT / L, 2) * sqrt(8.0 / 9 * B / sigma);
        printf("  %2d rows: %.5f rad/s, expected %.5f\n", rows, measured, expected);
        error[level] = fabs(measured / expected - 1);
        exact_report("cantilever", 0.4 / (rows - 1), error[level]);
    }
    assert_at_most(error[2], 0.01);
    assert_true(exact_order(error, 3) > 0.8);
}

// Displacement (m) of the particle (row, column) of a grid with the spacing `size` (m).
typedef fm_vec3 displacement(int row, int column, double size);

// A tube and a sheet in one world. The front of the tube lies flat, and its particles have the same
// positions as those of the sheet.
typedef struct flat_pair {
    fm_world *world;
    fm_cloth *tube, *sheet;
} flat_pair;

// Creates a sheet of side x side particles with distances of `spacing` (m) along rows and 1.5 times
// that along columns, and the tube, all displaced by f.
static flat_pair create_flat_pair(const fm_cloth_def *def, int side, double spacing,
                                  displacement *f)
{
    fm_error err = {0};
    int n = 3 * side + side % 2; // columns of the tube; even, for alternating diagonals
    double dx = spacing, dy = 1.5 * spacing, R = dx / 2 / sin(PI / n);
    fm_tube round = {.columns = n, .rows = side, .radius_top = R, .radius_bottom = R};
    fm_sheet flat = {.columns = side, .rows = side, .width = dx * (side - 1)};
    flat.height = round.height = dy * (side - 1);
    flat_pair p = {.world = create_world(0, 0, no_gravity)};
    p.tube = create_tube(p.world, def, round);
    p.sheet = create_sheet(p.world, def, &flat);
    fm_vec3 *on_tube = malloc((size_t)(n * side) * sizeof *on_tube);
    fm_vec3 *on_sheet = malloc((size_t)(side * side) * sizeof *on_sheet);
    for (int i = 0; i < n * side; i++) {
        int r = i / n, c = i % n;
        fm_vec3 d = c < side ? f(r, c, spacing) : (fm_vec3){0, 0, 0};
        on_tube[i] = (fm_vec3){c * dx + d.x, -r * dy + d.y, d.z};
        if (c < side)
            on_sheet[r * side + c] = on_tube[i];
    }
    assert_true(fm_cloth_set_positions(p.tube, on_tube, &err));
    assert_true(fm_cloth_set_positions(p.sheet, on_sheet, &err));
    free(on_tube);
    free(on_sheet);
    return p;
}

// A random displacement of up to a tenth of the spacing.
static fm_vec3 random_displacement(int row, int column, double size)
{
    unsigned k = 3u * (unsigned)(97 * row + column);
    return (fm_vec3){0.1 * size * scatter(k), 0.1 * size * scatter(k + 1),
                     0.1 * size * scatter(k + 2)};
}

static void a_tube_rolled_out_has_the_spring_forces_of_a_sheet(void **state)
{
    (void)state;
    enum { SIDE = 9, N = 3 * SIDE + SIDE % 2 };
    fm_cloth_def def = fixture_perfect_cloth();
    def.bend.stiffness = 0;
    flat_pair p = create_flat_pair(&def, SIDE, 0.02, random_displacement);
    fm_cloth *tube = p.tube, *sheet = p.sheet;
    fm_terms_add_forces(tube, &(fm_evaluation){.x = &tube->x, .v = &tube->v}, &tube->normal);
    fm_terms_add_forces(sheet, &(fm_evaluation){.x = &sheet->x, .v = &sheet->v}, &sheet->normal);
    set_random_velocities(sheet, 1);
    for (int i = 0; i < SIDE * SIDE; i++) {
        int k = i / SIDE * N + i % SIDE;
        tube->v.x[k] = sheet->v.x[i], tube->v.y[k] = sheet->v.y[i], tube->v.z[k] = sheet->v.z[i];
    }
    fm_cloth_compute_damping_impulses(tube, 1e-3, 1, NULL);
    fm_cloth_compute_damping_impulses(sheet, 1e-3, 1, NULL);
    for (int i = 0; i < SIDE * SIDE; i++) {
        int r = i / SIDE, c = i % SIDE, k = r * N + c;
        if (c == 0 || c == SIDE - 1)
            continue; // border of the sheet
        assert_close(tube->mass[k], sheet->mass[i], 1e-12 * sheet->mass[i]);
        assert_close(tube->force.x[k], sheet->force.x[i], 1e-9);
        assert_close(tube->force.y[k], sheet->force.y[i], 1e-9);
        assert_close(tube->force.z[k], sheet->force.z[i], 1e-9);
        if (c == 1 || c == SIDE - 2)
            continue; // damping also depends on the number of springs of the neighbours
        assert_close(tube->pair.x[k], sheet->pair.x[i], 1e-12);
        assert_close(tube->pair.z[k], sheet->pair.z[i], 1e-12);
    }
    assert_true(fabs(sheet->force.x[SIDE + 2]) > 0.1);
    assert_true(fabs(sheet->pair.x[SIDE + 2]) > 1e-6);
    fm_world_destroy(p.world);
}

// A bump in the middle of the sheet, rotated, so that it is curved in all directions.
static fm_vec3 bump_displacement(int row, int column, double size)
{
    double u = size * column - 0.24, v = 1.5 * size * row - 0.36;
    double a = (u + 0.5 * v) / 0.08, b = (v - 0.7 * u) / 0.1;
    return (fm_vec3){0, 0, 1e-4 * exp(-a * a - b * b)};
}

static void a_tube_rolled_out_has_the_bending_energy_of_a_sheet(void **state)
{
    (void)state;
    for (int level = 0; level < 3; level++) {
        int side = (24 << level) + 1;
        fm_cloth_def def = cloth_with_hinges_only();
        def.stretch.stiffness = 1e-20; // the back of the tube is stretched: keep its energy small
        flat_pair p = create_flat_pair(&def, side, 0.48 / (side - 1), bump_displacement);
        fm_spring_mesh *mesh = &p.tube->mesh;
        for (int h = 0; h < mesh->hinge_count; h++) { // no bending at the folded back
            for (int k = 0; k < 4; k++)
                mesh->hinge_stiffness[h] *= mesh->hinge[k][h] % p.tube->columns < side;
        }
        fm_report both = fm_world_report(p.world);
        double tube = fm_spring_mesh_bending_energy(p.tube), sheet = both.potential_energy - tube;
        exact_report("bump on a tube", 0.48 / (side - 1), fabs(tube / sheet - 1));
        assert_close(tube / sheet, 1, 1e-5); // differences of the order of (dz/dx)^2 = 1e-6
        fm_world_destroy(p.world);
    }
}

// Bending energy (J) of a tube in its initial shape.
static double tube_bending_energy(fm_rest_angle rest, int columns, double radius)
{
    fm_cloth_def def = cloth_with_hinges_only();
    def.bend.rest_angle = rest;
    fm_world *world = create_world(0, 0, no_gravity);
    fm_tube tube = {.columns = columns, .rows = 11, .height = 0.2};
    tube.radius_top = tube.radius_bottom = radius;
    create_tube(world, &def, tube);
    double energy = fm_world_report(world).potential_energy;
    fm_world_destroy(world);
    return energy;
}

static void the_rest_angle_decides_whether_a_tube_at_rest_has_bending_energy(void **state)
{
    (void)state;
    const double R = 0.1;
    double error[3];
    assert_close(tube_bending_energy(FM_REST_SHAPE, 32, R), 0, 1e-20);
    for (int level = 0; level < 3; level++) {
        int columns = 16 << level;
        double expected = B / (2 * R * R) * (2 * PI * R * 0.2);
        error[level] = fabs(tube_bending_energy(FM_REST_FLAT, columns, R) / expected - 1);
        exact_report("tube", 2 * PI * R / columns, error[level]);
    }
    assert_close(exact_order(error, 3), 2, 0.1);
}

// A mesh of irregular triangles that starts with large random velocities does not gain energy at
// the substep it chooses, without any damping, whether springs or hinges are stiffest. The mean
// energy of the second half of the run is compared with that of the first half.
static void shaken_meshes_do_not_gain_energy(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double stretch, bend, speed; // moduli, N/m and N m; initial velocities, m/s
        fm_rest_angle rest;
    } cases[] = {{"springs", 100, 0, 2, FM_REST_FLAT},
                 {"both", 100, 1e-2, 2, FM_REST_FLAT},
                 {"hinges", 1, 1e-1, 0.5, FM_REST_FLAT},
                 {"angles", 100, 1e-2, 0.5, FM_REST_SHAPE}};
    for (int k = 0; k < 8; k++) {
        fm_world *world = create_world(0, 0, no_gravity);
        fm_cloth_def def = bare_cloth();
        def.stretch.stiffness = cases[k / 2].stretch;
        def.bend.stiffness = cases[k / 2].bend;
        def.bend.rest_angle = cases[k / 2].rest;
        fixture_mesh mesh = fixture_create_grid(16, 16, 0.02, 0.02, CUT_ALTERNATING);
        for (int i = 0; i < mesh.vertex_count; i++) {
            mesh.positions[i].x += 0.006 * scatter(2u * (unsigned)i);
            mesh.positions[i].y += 0.006 * scatter(2u * (unsigned)i + 1);
        }
        fm_cloth *cloth = k % 2 ? create_tube(world, &def, define_tube(16, 16, 0.05, 0.1, 0.3))
                                : create_mesh(world, &def, &mesh);
        set_random_velocities(cloth, cases[k / 2].speed);
        double mean[2] = {0, 0}, largest = 0;
        for (int frame = 0; frame < 400; frame++) {
            fm_report report = advance(world, 0.01);
            double energy = report.kinetic_energy + report.potential_energy;
            mean[frame / 200] += energy / 200;
            largest = fmax(largest, report.max_stretch);
        }
        printf("  %s of %s: %.4f J, then %.4f J; stretched by %.2f\n", cases[k / 2].name,
               k % 2 ? "a tube" : "a mesh", mean[0], mean[1], largest);
        assert_close(mean[1] / mean[0], 1, 0.05);
        fm_world_destroy(world);
        fixture_destroy_mesh(&mesh);
    }
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "cloth_mesh");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equilateral_triangles_have_modulus_Y_and_poisson_ratio_one_third),
        cmocka_unit_test(a_strip_under_load_lengthens_by_its_modulus),
        cmocka_unit_test(a_cylinder_of_equilateral_triangles_has_the_bending_energy_of_a_plate),
        cmocka_unit_test(on_right_triangles_bending_energy_depends_on_the_direction),
        cmocka_unit_test(a_clamped_strip_vibrates_like_a_cantilever),
        cmocka_unit_test(a_tube_rolled_out_has_the_spring_forces_of_a_sheet),
        cmocka_unit_test(a_tube_rolled_out_has_the_bending_energy_of_a_sheet),
        cmocka_unit_test(the_rest_angle_decides_whether_a_tube_at_rest_has_bending_energy),
        cmocka_unit_test(shaken_meshes_do_not_gain_energy),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
