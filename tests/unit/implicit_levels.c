// SPDX-License-Identifier: MIT
// implicit_levels.c: the coarser levels of tubes and meshes in the linear solver of the implicit
// integrators. The preconditioner is symmetric and positive definite, the interpolation reproduces
// linear functions, the number of iterations hardly grows when the mesh is refined, soft cloth does
// without levels, and a solve whose levels do not help ends without them.
#include "bodies.h"

#include "cloth/implicit.h"

typedef enum body { TUBE, MESH, SEWN_MESH, BODIES } body;
static const char *const names[BODIES] = {"tube", "irregular mesh", "sewn mesh"};

// A rectangle of 0.6 m x 0.4 m, whose inner vertices are moved by up to a quarter of the spacing.
static fixture_mesh create_irregular(int columns, int rows)
{
    double dx = 0.6 / (columns - 1), dy = 0.4 / (rows - 1);
    fixture_mesh m = fixture_create_grid(columns, rows, dx, dy, CUT_ALTERNATING);
    for (int i = 0; i < m.vertex_count; i++) {
        int row = i / columns, column = i % columns;
        if (row > 0 && row < rows - 1)
            m.positions[i].y += 0.25 * dy * scatter(2 * (unsigned)i);
        if (column > 0 && column < columns - 1)
            m.positions[i].x += 0.25 * dx * scatter(2 * (unsigned)i + 1);
    }
    return m;
}

// Shirting that hangs from its upper edge; a sewn mesh, from two corners.
static fm_cloth *hang(fm_world *world, body kind, const fm_cloth_def *def, int columns, int rows)
{
    fm_error err = {0};
    if (kind == TUBE) {
        fm_cloth *tube = create_tube(world, def, define_tube(columns, rows, 0.127, 0.127, 0.4));
        assert_true(fm_cloth_pin_row(tube, 0, NULL, &err));
        return tube;
    }
    fixture_mesh m = create_irregular(columns, rows);
    fm_cloth *mesh = create_mesh(world, def, &m);
    fixture_destroy_mesh(&m);
    const int corners[2] = {0, columns - 1};
    assert_true(fm_cloth_pin_list(mesh, corners, 2, NULL, &err));
    for (int r = rows / 2; r < rows && kind == SEWN_MESH; r++) {
        const int left = r * columns, right = left + columns - 1;
        assert_true(fm_cloth_sew(mesh, &left, &right, 1, 0, 2, &err));
    }
    return mesh;
}

static fm_world *create_air(void)
{
    return create_world(1.2, 1.8e-5, (fm_vec3){0, -9.81, 0});
}

// Products of random vectors with each other's preconditioned vector.
static void check_symmetry(fm_cloth *c, fm_pool *pool)
{
    const double ROUNDING = 1e-4; // single precision, sums of a few ten thousand products
    fm_implicit *m = c->implicit;
    for (int trial = 0; trial < 5; trial++) {
        double xx = 0, yy = 0, xy = 0, yx = 0;
        float *x = calloc(3 * (size_t)c->lanes, sizeof *x),
              *y = calloc(3 * (size_t)c->lanes, sizeof *y);
        for (int k = 0; k < 3 * c->lanes; k++)
            if (k % c->lanes < c->count && m->level[0].moves[k % c->lanes] > 0) {
                x[k] = (float)scatter(1000u * (unsigned)trial + 7u * (unsigned)k);
                // a smooth vector, on which the coarsest levels act
                y[k] = (float)(1 + 0.1 * scatter(1000u * (unsigned)trial + 7u * (unsigned)k + 3));
            }
        memcpy(m->residual.x, x, 3 * (size_t)c->lanes * sizeof *x);
        fm_mesh_levels_apply(m, pool, &m->residual, &m->correction);
        for (int k = 0; k < 3 * c->lanes; k++) {
            xx += (double)(x[k] * m->correction.x[k]);
            yx += (double)(y[k] * m->correction.x[k]);
        }
        memcpy(m->residual.x, y, 3 * (size_t)c->lanes * sizeof *y);
        fm_mesh_levels_apply(m, pool, &m->residual, &m->correction);
        for (int k = 0; k < 3 * c->lanes; k++) {
            yy += (double)(y[k] * m->correction.x[k]);
            xy += (double)(x[k] * m->correction.x[k]);
        }
        assert_true(xx > 0 && yy > 0);
        assert_close(xy, yx, ROUNDING * sqrt(xx * yy));
        free(x), free(y);
    }
}

static void the_preconditioner_is_symmetric_and_positive(void **state)
{
    (void)state;
    for (int k = 0; k < BODIES; k++) {
        fm_world *world = create_air();
        fm_cloth_def def = fixture_shirting_def();
        fm_cloth *cloth = hang(world, (body)k, &def, 41, 27);
        advance(world, 1.0 / 24);
        assert_true(cloth->implicit->mesh->active);
        assert_true(cloth->implicit->mesh->count >= 3);
        check_symmetry(cloth, cloth->implicit->task.s->around.pool);
        cloth->implicit->mesh->active = false; // the inverse diagonal alone
        check_symmetry(cloth, cloth->implicit->task.s->around.pool);
        fm_world_destroy(world);
    }
}

// On a flat mesh, the coordinates of the coarse particles interpolate to those of the fine ones.
static void interpolation_reproduces_linear_functions(void **state)
{
    (void)state;
    enum { COLUMNS = 41, ROWS = 27, COUNT = COLUMNS * ROWS };
    fm_world *world = create_air();
    fm_cloth_def def = fixture_shirting_def();
    fm_cloth *cloth = hang(world, MESH, &def, COLUMNS, ROWS);
    const fm_rows *spread = &cloth->implicit->mesh->level[1].spread;
    fm_vec3 coarse[COUNT];
    int coarse_count = 0, few = 0;
    for (int i = 0; i < COUNT; i++) // a coarse particle is interpolated from itself alone
        if (spread->start[i + 1] - spread->start[i] == 1)
            coarse[spread->column[spread->start[i]]] = cloth->initial_x[i], coarse_count++;
    assert_int_equal(coarse_count, cloth->implicit->mesh->level[1].count);
    for (int i = 0; i < COUNT; i++) {
        double sum = 0;
        fm_vec3 x = {0, 0, 0};
        for (int k = spread->start[i]; k < spread->start[i + 1]; k++) {
            sum += (double)spread->weight[k];
            x = fm_add_scaled(x, coarse[spread->column[k]], (double)spread->weight[k]);
        }
        assert_close(sum, 1, 1e-6);
        // 2 % of the spacing of 15 mm, but for the few particles between coarse ones on a line
        few += fm_length(fm_sub(x, cloth->initial_x[i])) > 0.02 * 0.015;
    }
    printf("  %d of %d particles are interpolated with an error above 2 %%\n", few, COUNT);
    assert_true(few < COUNT / 50);
    fm_world_destroy(world);
}

// Iterations of conjugate gradients in each of Newton's during half a frame. levels: 1, without
// coarser ones.
static double count_iterations(body kind, int columns, int rows, bool levels)
{
    fm_world *world = create_air();
    fm_cloth_def def = fixture_shirting_def();
    fm_cloth *cloth = hang(world, kind, &def, columns, rows);
    cloth->implicit->mesh->count = levels ? cloth->implicit->mesh->count : 1;
    advance(world, 1.0 / 48);
    fm_newton_report report = fm_cloth_newton_report(cloth);
    assert_int_equal(report.failures, 0);
    fm_world_destroy(world);
    return (double)report.linear_iterations / report.iterations;
}

static void iterations_hardly_grow_when_the_mesh_is_refined(void **state)
{
    (void)state;
    for (int k = 0; k < BODIES; k++) {
        double coarse = count_iterations((body)k, 26, 17, true);
        double fine = count_iterations((body)k, 101, 65, true);
        double plain =
            count_iterations((body)k, 101, 65, false) / count_iterations((body)k, 26, 17, false);
        printf("  %-14s %.1f iterations, with 16 times the particles %.1f; without levels %.1f x\n",
               names[k], coarse, fine, plain);
        assert_at_most(fine, 1.7 * coarse);
        assert_true(plain > 2.5); // as the particles across: 4
    }
}

static void soft_cloth_does_without_levels(void **state)
{
    (void)state;
    fm_world *world = create_air();
    fm_cloth_def def = fixture_shirting_def();
    def.stretch.stiffness = def.shear.stiffness = 1;
    fm_cloth *cloth = hang(world, MESH, &def, 41, 27);
    advance(world, 1.0 / 24);
    assert_false(cloth->implicit->mesh->active);
    assert_int_equal(fm_cloth_newton_report(cloth).failures, 0);
    fm_world_destroy(world);
}

// Positions after half a frame, with interpolation to the wrong particles if `wrong`.
static fm_world *run_with_levels(bool wrong, int *linear)
{
    fm_world *world = create_air();
    fm_cloth_def def = fixture_shirting_def();
    fm_cloth *cloth = hang(world, MESH, &def, 41, 27);
    const fm_mesh_level *coarse = &cloth->implicit->mesh->level[1];
    for (int k = 0; k < coarse->spread.start[cloth->count] && wrong; k++)
        coarse->spread.column[k] = (coarse->spread.column[k] * 31 + k) % coarse->count;
    advance(world, 1.0 / 48);
    assert_int_equal(fm_cloth_newton_report(cloth).failures, 0);
    *linear = fm_cloth_newton_report(cloth).linear_iterations;
    return world;
}

static void a_solve_whose_levels_do_not_help_ends_without_them(void **state)
{
    (void)state;
    int good, bad, n;
    fm_world *one = run_with_levels(false, &good), *other = run_with_levels(true, &bad);
    const fm_vec3 *x = fm_cloth_positions(fm_world_cloth(one, 0), &n);
    const fm_vec3 *y = fm_cloth_positions(fm_world_cloth(other, 0), NULL);
    double square = 0;
    for (int i = 0; i < n; i++)
        square += fm_dot(fm_sub(x[i], y[i]), fm_sub(x[i], y[i]));
    printf("  %d and %d iterations, %.2g mm apart\n", good, bad, 1e3 * sqrt(square / n));
    assert_true(bad > 4 * good);
    assert_at_most(sqrt(square / n), 1e-3 * 0.015); // of an edge, as Newton's method stops
    fm_world_destroy(one);
    fm_world_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_preconditioner_is_symmetric_and_positive),
        cmocka_unit_test(interpolation_reproduces_linear_functions),
        cmocka_unit_test(iterations_hardly_grow_when_the_mesh_is_refined),
        cmocka_unit_test(soft_cloth_does_without_levels),
        cmocka_unit_test(a_solve_whose_levels_do_not_help_ends_without_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
