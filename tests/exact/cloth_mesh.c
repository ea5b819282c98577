// SPDX-License-Identifier: MIT
// Cloth on triangles.
//
// Modulus: Van Gelder's springs on equilateral triangles make an isotropic sheet of the surface
// modulus Y and Poisson's ratio 1/3: a strain e along x has the energy Y/(1 - 1/9) e^2/2 per area
// when its width is held, Y e^2/2 when it is free (narrowed by e/3), and a shear g has 3/8 Y g^2/2.
// A strip that hangs by its end under a weight must lengthen by Y.
//
// Bending: a cylinder of radius R in any direction has B/(2 R^2) per area; hinges along the border
// are missing, so the inside is compared. In other shapes equilateral hinges are a plate with
// Poisson's ratio -1/3 (the energy is B/2 (T^2 - 8/3 D) with T trace and D determinant of the
// curvature), so a narrow strip, free to curl across, is a beam of (1 - 1/9) B: as a cantilever it
// vibrates at (1.8751/L)^2 sqrt(8/9 B/sigma).
//
// Tubes: rolled out flat, a tube has the spring forces of a sheet, to rounding, and the bending
// energy of a sheet's second differences in a smooth bump.
#include "exact.h"
#include "meshes.h"

#include "cloth/cloth.h"

static const double PI = 3.14159265358979323846, Y = 100, B = 1e-3;

static fm_cloth_def springs_only(void)
{
    fm_cloth_def def = bare_cloth();
    def.stretch.stiffness = Y;
    return def;
}

static fm_cloth_def hinges_only(void)
{
    fm_cloth_def def = bare_cloth();
    def.stretch.stiffness = 1e-9;
    def.shear.stiffness = 0;
    def.bend.stiffness = B;
    return def;
}

typedef fm_vec3 mapping(fm_vec3 x, double size);

static fm_vec3 stretched(fm_vec3 x, double e)
{
    return (fm_vec3){(1 + e) * x.x, x.y, x.z};
}

static fm_vec3 narrowed(fm_vec3 x, double e)
{
    return (fm_vec3){(1 + e) * x.x, (1 - e / 3) * x.y, x.z};
}

static fm_vec3 lengthened(fm_vec3 x, double e)
{
    return (fm_vec3){(1 - e / 3) * x.x, (1 + e) * x.y, x.z};
}

static fm_vec3 sheared(fm_vec3 x, double g)
{
    return (fm_vec3){x.x + g * x.y, x.y, x.z};
}

static void move(fm_cloth *cloth, mapping *f, double size)
{
    fm_error err = {0};
    int n;
    const fm_vec3 *at = fm_cloth_positions(cloth, &n);
    fm_vec3 *x = malloc((size_t)n * sizeof *x);
    for (int i = 0; i < n; i++)
        x[i] = f(at[i], size);
    assert_true(fm_cloth_set_positions(cloth, x, &err));
    free(x);
}

static double area_of(fm_cloth *cloth)
{
    double area = 0;
    for (int i = 0; i < cloth->count; i++)
        area += cloth->area[i];
    return area;
}

// Twice the energy per area and square of the strain.
static double modulus(const test_mesh *mesh, mapping *f)
{
    const double e = 1e-6;
    fm_world *world = make_world(0, 0, no_gravity);
    fm_cloth_def def = springs_only();
    fm_cloth *cloth = make_mesh(world, &def, mesh);
    move(cloth, f, e);
    double energy = fm_world_report(world).potential_energy, area = area_of(cloth);
    fm_world_destroy(world);
    return 2 * energy / (e * e * area);
}

static void moduli_of_equilateral_triangles(void **state)
{
    (void)state;
    // Springs at the border have one triangle each, and with it their share: no border effect.
    test_mesh mesh = make_grid(20, 21, 0.01, 0.01 * sqrt(0.75), CUT_SHIFTED);
    static const struct {
        const char *name;
        mapping *f;
        double expected;
    } cases[] = {{"held in width", stretched, 9.0 / 8},
                 {"free along x", narrowed, 1},
                 {"free along y", lengthened, 1},
                 {"shear", sheared, 3.0 / 8}};
    for (int i = 0; i < 4; i++) {
        double measured = modulus(&mesh, cases[i].f);
        printf("  %-14s %.5f Y, expected %.5f\n", cases[i].name, measured / Y, cases[i].expected);
        assert_close(measured / Y, cases[i].expected, 1e-5);
    }
    free_mesh(&mesh);
    // legs of right triangles: Y + Y/4 along the legs when held, as the header of mesh.c warns
    mesh = make_grid(21, 21, 0.01, 0.01, CUT_ALTERNATING);
    assert_close(modulus(&mesh, stretched) / Y, 1.25, 1e-5);
    free_mesh(&mesh);
}

// A hanging strip whose lower row pulls with gravity; drag settles it. Strain in its middle against
// the load below over the width.
static void a_strip_under_load_lengthens_by_its_modulus(void **state)
{
    (void)state;
    enum { COLUMNS = 9, ROWS = 61 };
    const double dx = 0.01, g = 0.5;
    test_mesh mesh = make_grid(COLUMNS, ROWS, dx, dx * sqrt(0.75), CUT_SHIFTED);
    fm_error err = {0};
    fm_world *world = make_world(0, 0, (fm_vec3){0, -g, 0});
    fm_cloth_def def = springs_only();
    def.drag.model = FM_DRAG_VISCOUS;
    def.drag.viscous = 100;
    fm_cloth *cloth = make_mesh(world, &def, &mesh);
    int top[COLUMNS];
    for (int c = 0; c < COLUMNS; c++)
        top[c] = c;
    assert_true(fm_cloth_pin_list(cloth, top, COLUMNS, NULL, &err));
    for (int frame = 0; frame < 120; frame++)
        advance(world, 1.0 / 24);
    const fm_vec3 *x = fm_cloth_positions(cloth, NULL);
    int r = 28, c = COLUMNS / 2; // rows r and r + 4: the load is that of the middle between them
    double strain = (x[r * COLUMNS + c].y - x[(r + 4) * COLUMNS + c].y) / (4 * dx * sqrt(0.75)) - 1;
    int mid = (r + 2) * COLUMNS;
    double narrow = (x[mid + 6].x - x[mid + 2].x) / (4 * dx) - 1, load = 0;
    for (int i = 0; i < cloth->count; i++)
        load += i / COLUMNS > r + 2 ? cloth->mass[i] * g : 0;
    for (int k = 0; k < COLUMNS; k++)
        load += cloth->mass[(r + 2) * COLUMNS + k] * g / 2;
    double width = (COLUMNS - 1) * dx; // of every row
    printf("  strain %.5f, load/width/Y %.5f, narrowing %.5f\n", strain, load / width / Y, narrow);
    assert_close(strain / (load / width / Y), 1, 0.01); // at a strain of a percent springs turn
    assert_close(narrow / strain, -1.0 / 3, 0.01);
    fm_world_destroy(world);
    free_mesh(&mesh);
}

// A cylinder about an axis in the plane, at an angle to x.
static double axis_angle;
static fm_vec3 rolled(fm_vec3 x, double radius)
{
    double c = cos(axis_angle), s = sin(axis_angle), u = c * x.x + s * x.y, v = c * x.y - s * x.x;
    double a = radius * sin(u / radius), z = radius * (1 - cos(u / radius));
    return (fm_vec3){c * a - s * v, s * a + c * v, z};
}

// Energy of the hinges of a bent mesh over B/(2 R^2) times the area they stand for: an edge stands
// for a third of its two triangles.
static double bent_energy(const test_mesh *mesh, fm_rest_angle rest, double angle)
{
    const double R = 0.3;
    fm_world *world = make_world(0, 0, no_gravity);
    fm_cloth_def def = hinges_only();
    def.bend.rest_angle = rest;
    fm_cloth *cloth = make_mesh(world, &def, mesh);
    axis_angle = angle;
    move(cloth, rolled, R);
    double area = 0;
    for (int h = 0; h < cloth->mesh.hinge_count; h++)
        area += (cloth->mesh.hinge_area[0][h] + cloth->mesh.hinge_area[1][h]) / 3;
    double energy = fm_net_bending_energy(cloth);
    fm_world_destroy(world);
    return energy / (B / (2 * R * R) * area);
}

static void cylinders_on_equilateral_triangles(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        fm_rest_angle rest = k < 4 ? FM_REST_FLAT : FM_REST_SHAPE; // which is flat too
        double error[4], angle = k % 4 * PI / 12;
        char name[32];
        snprintf(name, sizeof name, "cylinder, %d degrees%s", 15 * (k % 4), k < 4 ? "" : ", shape");
        for (int level = 0; level < 4; level++) {
            int n = (12 << level) + 1;
            double dx = 0.4 / (n - 1);
            test_mesh mesh = make_grid(n, n, dx, dx * sqrt(0.75), CUT_SHIFTED);
            error[level] = fabs(bent_energy(&mesh, rest, angle) - 1);
            exact_report(name, dx, error[level]);
            free_mesh(&mesh);
        }
        assert_at_most(error[3], 0.02);
        assert_true(exact_order(error, 4) > 0.9);
    }
}

static void cylinders_on_right_triangles(void **state)
{
    (void)state;
    test_mesh one_way = make_grid(49, 49, 0.01, 0.01, CUT_ONE_WAY);
    test_mesh both = make_grid(49, 49, 0.01, 0.01, CUT_ALTERNATING);
    double legs = bent_energy(&one_way, FM_REST_FLAT, 0),
           along = bent_energy(&one_way, FM_REST_FLAT, PI / 4);
    double across = bent_energy(&one_way, FM_REST_FLAT, -PI / 4),
           mixed = bent_energy(&both, FM_REST_FLAT, PI / 4);
    printf("  legs %.3f, diagonals %.3f %.3f, alternating %.3f\n", legs, along, across, mixed);
    // as hinges.c says: right along the legs, between 1 and 3 along diagonals
    assert_close(legs, 1, 0.02);
    assert_close(fmin(along, across), 1, 0.05);
    assert_close(fmax(along, across), 3, 0.1);
    assert_close(mixed, 1.5, 0.05);
    free_mesh(&one_way);
    free_mesh(&both);
}

// Slowest vibration of a strip of equilateral triangles held by its first rows.
static double frequency(int rows, double length, double *clamped_length)
{
    enum { COLUMNS = 7 };
    fm_error err = {0};
    fm_cloth_def def = hinges_only();
    fm_world *world = make_world(0, 0, no_gravity);
    double dy = length / (rows - 1), L = length - dy / 2, b = 1.87510406871 / L;
    test_mesh mesh = make_grid(COLUMNS, rows, dy / sqrt(0.75), dy, CUT_SHIFTED);
    fm_cloth *cloth = make_mesh(world, &def, &mesh);
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
    double dt = 2e-3, t = 0, z = x[tip].z, first = 0, last = 0;
    free(x);
    for (int crossings = 0; crossings < 3;) {
        advance(world, dt);
        t += dt;
        double now = fm_cloth_positions(cloth, NULL)[tip].z;
        if (z * now < 0) {
            last = t - dt * now / (now - z);
            first = crossings++ ? first : last;
        }
        z = now;
        assert_true(t < 60);
    }
    fm_world_destroy(world);
    free_mesh(&mesh);
    return 2 * PI / (last - first);
}

static void cantilever(void **state)
{
    (void)state;
    fm_cloth_def def = hinges_only();
    double error[3], L;
    for (int level = 0; level < 3; level++) {
        int rows = (8 << level) + 1;
        double measured = frequency(rows, 0.4, &L);
        double sigma = def.density * def.thickness;
        double expected = pow(1.87510406871 / L, 2) * sqrt(8.0 / 9 * B / sigma);
        printf("  %2d rows: %.5f rad/s, expected %.5f\n", rows, measured, expected);
        error[level] = fabs(measured / expected - 1);
        exact_report("cantilever", 0.4 / (rows - 1), error[level]);
    }
    assert_at_most(error[2], 0.01);
    assert_true(exact_order(error, 3) > 0.8);
}

// A tube of N columns, and a sheet of as many as its front: with the same places and displacements
// dx, dy, dz of particle (row, column), the tube lies flat from column 0 of the sheet on.
typedef fm_vec3 displacement(int row, int column, double size);

typedef struct flat_pair {
    fm_world *world;
    fm_cloth *tube, *sheet;
} flat_pair;

static flat_pair lay_flat(const fm_cloth_def *def, int side, double spacing, displacement *f)
{
    fm_error err = {0};
    int n = 3 * side + side % 2; // even, for alternating diagonals
    double dx = spacing, dy = 1.5 * spacing, R = dx / 2 / sin(PI / n);
    fm_tube round = {.columns = n, .rows = side, .radius_top = R, .radius_bottom = R};
    fm_sheet flat = {.columns = side, .rows = side, .width = dx * (side - 1)};
    flat.height = round.height = dy * (side - 1);
    flat_pair p = {.world = make_world(0, 0, no_gravity)};
    p.tube = make_tube(p.world, def, round);
    p.sheet = make_sheet(p.world, def, &flat);
    fm_vec3 *x = malloc((size_t)(n * side) * sizeof *x);
    fm_vec3 *y = malloc((size_t)(side * side) * sizeof *y);
    for (int i = 0; i < n * side; i++) {
        int r = i / n, c = i % n;
        fm_vec3 d = c < side ? f(r, c, spacing) : (fm_vec3){0, 0, 0};
        x[i] = (fm_vec3){c * dx + d.x, -r * dy + d.y, d.z};
        if (c < side)
            y[r * side + c] = x[i];
    }
    assert_true(fm_cloth_set_positions(p.tube, x, &err));
    assert_true(fm_cloth_set_positions(p.sheet, y, &err));
    free(x);
    free(y);
    return p;
}

static fm_vec3 at_random(int row, int column, double size)
{
    unsigned k = 3u * (unsigned)(97 * row + column);
    return (fm_vec3){0.1 * size * scatter(k), 0.1 * size * scatter(k + 1),
                     0.1 * size * scatter(k + 2)};
}

static void a_tube_rolled_out_has_the_springs_of_a_sheet(void **state)
{
    (void)state;
    enum { SIDE = 9, N = 3 * SIDE + SIDE % 2 };
    fm_cloth_def def = fm_default_cloth_def();
    def.bend.stiffness = 0;
    flat_pair p = lay_flat(&def, SIDE, 0.02, at_random);
    fm_cloth *tube = p.tube, *sheet = p.sheet;
    fm_cloth_inner_forces(tube, &tube->x, &tube->v, 0, &tube->normal, NULL);
    fm_cloth_inner_forces(sheet, &sheet->x, &sheet->v, 0, &sheet->normal, NULL);
    set_random_velocities(sheet, 1);
    for (int i = 0; i < SIDE * SIDE; i++) {
        int k = i / SIDE * N + i % SIDE;
        tube->v.x[k] = sheet->v.x[i], tube->v.y[k] = sheet->v.y[i], tube->v.z[k] = sheet->v.z[i];
    }
    fm_cloth_damping_impulses(tube, 1e-3, 1, NULL);
    fm_cloth_damping_impulses(sheet, 1e-3, 1, NULL);
    for (int i = 0; i < SIDE * SIDE; i++) {
        int r = i / SIDE, c = i % SIDE, k = r * N + c;
        if (c == 0 || c == SIDE - 1)
            continue; // the sheet ends there
        assert_close(tube->mass[k], sheet->mass[i], 1e-12 * sheet->mass[i]);
        assert_close(tube->force.x[k], sheet->force.x[i], 1e-9);
        assert_close(tube->force.y[k], sheet->force.y[i], 1e-9);
        assert_close(tube->force.z[k], sheet->force.z[i], 1e-9);
        if (c == 1 || c == SIDE - 2)
            continue; // their neighbours' number of springs limits the damping
        assert_close(tube->pair.x[k], sheet->pair.x[i], 1e-12);
        assert_close(tube->pair.z[k], sheet->pair.z[i], 1e-12);
    }
    assert_true(fabs(sheet->force.x[SIDE + 2]) > 0.1);
    assert_true(fabs(sheet->pair.x[SIDE + 2]) > 1e-6);
    fm_world_destroy(p.world);
}

// A bump in the middle, turned: its curvature has every direction.
static fm_vec3 bump(int row, int column, double size)
{
    double u = size * column - 0.24, v = 1.5 * size * row - 0.36;
    double a = (u + 0.5 * v) / 0.08, b = (v - 0.7 * u) / 0.1;
    return (fm_vec3){0, 0, 1e-4 * exp(-a * a - b * b)};
}

static void a_tube_rolled_out_bends_as_a_sheet(void **state)
{
    (void)state;
    for (int level = 0; level < 3; level++) {
        int side = (24 << level) + 1;
        fm_cloth_def def = hinges_only();
        def.stretch.stiffness = 1e-20; // the way back is long too
        flat_pair p = lay_flat(&def, side, 0.48 / (side - 1), bump);
        fm_net *net = &p.tube->mesh;
        for (int h = 0; h < net->hinge_count; h++) { // the way back is folded
            for (int k = 0; k < 4; k++)
                net->hinge_stiffness[h] *= net->hinge[k][h] % p.tube->columns < side;
        }
        fm_report both = fm_world_report(p.world);
        double tube = fm_net_bending_energy(p.tube), sheet = both.potential_energy - tube;
        exact_report("bump on a tube", 0.48 / (side - 1), fabs(tube / sheet - 1));
        assert_close(tube / sheet, 1, 1e-5); // its slopes are 1e-3
        fm_world_destroy(p.world);
    }
}

static double tube_energy(fm_rest_angle rest, int columns, double radius)
{
    fm_cloth_def def = hinges_only();
    def.bend.rest_angle = rest;
    fm_world *world = make_world(0, 0, no_gravity);
    fm_tube tube = {.columns = columns, .rows = 11, .height = 0.2};
    tube.radius_top = tube.radius_bottom = radius;
    make_tube(world, &def, tube);
    double energy = fm_world_report(world).potential_energy;
    fm_world_destroy(world);
    return energy;
}

static void a_tube_at_rest_is_bent_or_not(void **state)
{
    (void)state;
    const double R = 0.1;
    double error[3];
    assert_close(tube_energy(FM_REST_SHAPE, 32, R), 0, 1e-20);
    for (int level = 0; level < 3; level++) {
        int columns = 16 << level;
        double expected = B / (2 * R * R) * (2 * PI * R * 0.2);
        error[level] = fabs(tube_energy(FM_REST_FLAT, columns, R) / expected - 1);
        exact_report("tube", 2 * PI * R / columns, error[level]);
    }
    assert_close(exact_order(error, 3), 2, 0.1);
}

// At the substep it chooses, without any damping, a mesh of uneven triangles that is shaken hard
// does not gain energy, whatever is stiffest: the mean over the last half against that of the
// first.
static void shaken_meshes_stay_as_they_are(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double stretch, bend, speed;
        fm_rest_angle rest;
    } cases[] = {{"springs", 100, 0, 2, FM_REST_FLAT},
                 {"both", 100, 1e-2, 2, FM_REST_FLAT},
                 {"hinges", 1, 1e-1, 0.5, FM_REST_FLAT},
                 {"angles", 100, 1e-2, 0.5, FM_REST_SHAPE}};
    for (int k = 0; k < 8; k++) {
        fm_world *world = make_world(0, 0, no_gravity);
        fm_cloth_def def = bare_cloth();
        def.stretch.stiffness = cases[k / 2].stretch;
        def.bend.stiffness = cases[k / 2].bend;
        def.bend.rest_angle = cases[k / 2].rest;
        test_mesh mesh = make_grid(16, 16, 0.02, 0.02, CUT_ALTERNATING);
        for (int i = 0; i < mesh.vertex_count; i++) {
            mesh.positions[i].x += 0.006 * scatter(2u * (unsigned)i);
            mesh.positions[i].y += 0.006 * scatter(2u * (unsigned)i + 1);
        }
        fm_cloth *cloth = k % 2 ? make_tube(world, &def, tube_of(16, 16, 0.05, 0.1, 0.3))
                                : make_mesh(world, &def, &mesh);
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
        free_mesh(&mesh);
    }
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "cloth_mesh");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moduli_of_equilateral_triangles),
        cmocka_unit_test(a_strip_under_load_lengthens_by_its_modulus),
        cmocka_unit_test(cylinders_on_equilateral_triangles),
        cmocka_unit_test(cylinders_on_right_triangles),
        cmocka_unit_test(cantilever),
        cmocka_unit_test(a_tube_rolled_out_has_the_springs_of_a_sheet),
        cmocka_unit_test(a_tube_rolled_out_bends_as_a_sheet),
        cmocka_unit_test(a_tube_at_rest_is_bent_or_not),
        cmocka_unit_test(shaken_meshes_stay_as_they_are),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
