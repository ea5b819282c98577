// SPDX-License-Identifier: MIT
// ties.c: ties between bodies exchange equal and opposite impulses: lines, a canopy and a load keep
// their momentum to rounding, and their energy; a tied pair of lines swings like a single one.
#include "exact.h"
#include "lines.h"

#include <fathom/mesh_shape.h>

typedef struct motion {
    fm_vec3 momentum, angular; // kg m/s, kg m^2/s
    double size;               // sum of m |v|, kg m/s
} motion;

// Adds momentum and angular momentum of a body.
static void add_motion(fm_cloth *body, motion *sum)
{
    int n;
    const fm_vec3 *x = fm_cloth_positions(body, &n), *v = fm_cloth_velocities(body, NULL);
    double *m = malloc((size_t)n * sizeof *m);
    read_field(body, "mass", m);
    for (int i = 0; i < n; i++) {
        sum->momentum.x += m[i] * v[i].x, sum->momentum.y += m[i] * v[i].y;
        sum->momentum.z += m[i] * v[i].z;
        sum->angular.x += m[i] * (x[i].y * v[i].z - x[i].z * v[i].y);
        sum->angular.y += m[i] * (x[i].z * v[i].x - x[i].x * v[i].z);
        sum->angular.z += m[i] * (x[i].x * v[i].y - x[i].y * v[i].x);
        sum->size += m[i] * sqrt(v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z);
    }
    free(m);
}

enum { GORES = 8, SEGMENTS = 10 };

// A canopy, a line from each seam at its rim to a confluence point, and a load there.
typedef struct parachute {
    fm_world *world;
    fm_cloth *canopy, *lines, *load;
} parachute;

// A canopy without damping and drag from a built mesh. rim: the points where its lines are tied.
static fm_cloth *create_canopy(fm_world *world, const fm_vertex_group *rim, fm_built_mesh *built)
{
    fm_error err = {0};
    fm_cloth_def def = bare_cloth();
    def.stretch.stiffness = 500, def.thickness = 1e-3, def.density = 300;
    fm_cloth *canopy =
        fm_cloth_create_mesh(world, &def,
                             &(fm_cloth_mesh){.positions = built->mesh.points,
                                              .vertex_count = built->mesh.point_count,
                                              .triangles = built->mesh.face_points,
                                              .triangle_count = built->mesh.face_count},
                             &err);
    assert_good(canopy, &err);
    assert_non_null(rim);
    assert_int_equal(rim->count, GORES);
    return canopy;
}

static parachute create_parachute(double time_step)
{
    fm_error err = {0};
    parachute p = {.world = create_world(0, 0, no_gravity)};
    fm_mesh_shape shape = fm_default_mesh_shape();
    shape.kind = FM_MESH_HEMISPHERE, shape.radius = 0.5, shape.edge = 0.08, shape.gores = GORES;
    shape.vent = 0.06;
    fm_built_mesh built;
    bool good = fm_mesh_shape_build(&shape, &built, &err);
    assert_good(good, &err);
    const fm_vertex_group *rim = fm_built_mesh_group(&built, "rim-seams");
    p.canopy = create_canopy(p.world, rim, &built);
    fm_load_def load = fm_default_load_def();
    load.mass = 0.7, load.position = (fm_vec3){0, -1, 0}, load.drag.enabled = false;
    p.load = create_load(p.world, &load);
    fm_vec3 x[GORES * SEGMENTS + 1];
    int points[GORES * (SEGMENTS + 1)], starts[GORES + 1] = {0};
    for (int s = 0; s < GORES; s++) {
        fm_vec3 from = built.mesh.points[rim->vertices[s]];
        for (int k = 0; k < SEGMENTS; k++) {
            double f = (double)k / SEGMENTS;
            x[s * SEGMENTS + k] =
                (fm_vec3){from.x * (1 - f), from.y * (1 - f) - f, from.z * (1 - f)};
            points[s * (SEGMENTS + 1) + k] = s * SEGMENTS + k;
        }
        points[s * (SEGMENTS + 1) + SEGMENTS] = GORES * SEGMENTS;
        starts[s + 1] = (s + 1) * (SEGMENTS + 1);
    }
    x[GORES * SEGMENTS] = load.position;
    fm_line_def def = bare_line();
    def.stiffness = 200, def.bending = 1e-4, def.time_step = time_step;
    fm_strands strands = {.positions = x,
                          .point_count = GORES * SEGMENTS + 1,
                          .points = points,
                          .starts = starts,
                          .strand_count = GORES};
    p.lines = fm_line_create(p.world, &def, &strands, &err);
    assert_good(p.lines, &err);
    for (int s = 0; s < GORES; s++)
        tie(p.world, p.lines, s * SEGMENTS, p.canopy, rim->vertices[s]);
    tie(p.world, p.lines, GORES * SEGMENTS, p.load, 0);
    fm_built_mesh_destroy(&built);
    return p;
}

// Relative changes of momentum and energy.
typedef struct drift {
    double momentum, angular, energy, substeps;
} drift;

static drift fly(double time_step)
{
    fm_error err = {0};
    parachute p = create_parachute(time_step);
    set_random_velocities(p.canopy, 1);
    set_random_velocities(p.lines, 2);
    assert_true(fm_cloth_set_velocities(p.load, &(fm_vec3){0.3, -0.8, 0.2}, &err));
    motion before = {0};
    add_motion(p.canopy, &before), add_motion(p.lines, &before), add_motion(p.load, &before);
    drift found = {0};
    double energy = 0;
    for (int i = 0; i < 40; i++) {
        fm_report report = advance(p.world, 0.02);
        found.substeps += report.substep_count;
        motion now = {0};
        add_motion(p.canopy, &now), add_motion(p.lines, &now), add_motion(p.load, &now);
        fm_vec3 d = {now.momentum.x - before.momentum.x, now.momentum.y - before.momentum.y,
                     now.momentum.z - before.momentum.z};
        fm_vec3 a = {now.angular.x - before.angular.x, now.angular.y - before.angular.y,
                     now.angular.z - before.angular.z};
        found.momentum = fmax(found.momentum, sqrt(d.x * d.x + d.y * d.y + d.z * d.z));
        found.angular = fmax(found.angular, sqrt(a.x * a.x + a.y * a.y + a.z * a.z));
        double e = report.kinetic_energy + report.potential_energy;
        energy = i == 0 ? e : energy; // the first constraint takes out what does not fit
        found.energy = fmax(found.energy, fabs(e / energy - 1));
    }
    found.momentum /= before.size, found.angular /= before.size;
    fm_world_destroy(p.world);
    return found;
}

static void canopy_lines_and_load_keep_momentum_and_energy(void **state)
{
    (void)state;
    drift coarse = fly(0), fine = fly(2e-4);
    printf("  momentum off by %.1e, angular momentum by %.1e after %.0f substeps; energy by %.1e, "
           "%.1e in %.0f substeps\n",
           coarse.momentum, coarse.angular, coarse.substeps, coarse.energy, fine.energy,
           fine.substeps);
    assert_at_most(coarse.momentum, 1e-16 * coarse.substeps);
    assert_at_most(coarse.angular, 1e-16 * coarse.substeps);
    // the energy of kick-drift-kick oscillates by (omega h)^2 and does not drift
    assert_at_most(coarse.energy, 0.03);
    double steps = fine.substeps / coarse.substeps;
    assert_at_most(fine.energy, 1.3 * coarse.energy / (steps * steps));
}

// rad/s, of a hanging line of 1 m with a load, in one piece or of two lines that are tied.
static double swing(bool in_two)
{
    enum { N = 20 };
    fm_world *world = create_world(0, 0, (fm_vec3){0, -9.81, 0});
    fm_line_def def = bare_line();
    def.stiffness = 2000;
    fm_vec3 top = {0, 0, 0}, middle = {0, -0.5, 5e-3}, bottom = {0, -1, 1e-2};
    fm_load_def load = fm_default_load_def();
    load.mass = 0.05, load.position = bottom, load.drag.enabled = false;
    fm_cloth *ball = create_load(world, &load);
    fm_cloth *line =
        create_straight(world, &def, top, in_two ? middle : bottom, in_two ? N / 2 : N, 0);
    pin_point(line, 0);
    if (in_two) {
        fm_cloth *second = create_straight(world, &def, middle, bottom, N / 2, 0);
        tie(world, line, N / 2, second, 0);
        tie(world, second, N / 2, ball, 0);
    } else {
        tie(world, line, N, ball, 0);
    }
    double omega = swing_frequency(world, ball, 0, 7, 0.01, 20);
    fm_world_destroy(world);
    return omega;
}

static void a_tied_line_swings_like_a_single_one(void **state)
{
    (void)state;
    double one = swing(false), two = swing(true);
    printf("  one line %.7f rad/s, two lines %.7f, a simple pendulum of 1 m %.4f\n", one, two,
           sqrt(9.81));
    assert_close(two, one, 1e-6 * one);
    assert_in_interval(one, 3.13, 3.3); // the mass of the line shortens the pendulum
}

// Points that are tied apart keep their displacement, and the body its momentum.
static void points_tied_apart_move_alike(void **state)
{
    (void)state;
    fm_error err = {0};
    enum { N = 7 };
    fm_world *world = create_world(0, 1e-3, (fm_vec3){0, 0, 0});
    fm_cloth_def def = bare_cloth();
    fm_sheet shape = {.columns = N, .rows = N, .width = 0.3, .height = 0.3};
    fm_cloth *sheet = create_sheet(world, &def, &shape);
    for (int j = 0; j < N; j++)
        assert_true(fm_world_tie_apart(world, fm_cloth_object(sheet), j * N, fm_cloth_object(sheet),
                                       j * N + N - 1, &err));
    set_random_velocities(sheet, 1);
    motion before = {0}, after = {0};
    add_motion(sheet, &before);
    advance(world, 0.2);
    add_motion(sheet, &after);
    const fm_vec3 *x = fm_cloth_positions(sheet, NULL);
    for (int j = 0; j < N; j++) {
        const fm_vec3 *a = &x[j * N], *b = &x[j * N + N - 1];
        assert_close(b->x - a->x, 0.3, 1e-9);
        assert_close(b->y - a->y, 0, 1e-9);
        assert_close(b->z - a->z, 0, 1e-9);
    }
    assert_close(after.momentum.x, before.momentum.x, 1e-12 * before.size);
    assert_close(after.momentum.y, before.momentum.y, 1e-12 * before.size);
    assert_close(after.momentum.z, before.momentum.z, 1e-12 * before.size);
    fm_world_destroy(world);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "ties");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(canopy_lines_and_load_keep_momentum_and_energy),
        cmocka_unit_test(a_tied_line_swings_like_a_single_one),
        cmocka_unit_test(points_tied_apart_move_alike),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
