// SPDX-License-Identifier: MIT
// cloth_crease.c: friction between the yarns of a bent cloth (bend_friction.c).
//
// - Pure bending, Kawabata's test: a strip is bent to circular arcs of the curvature
//   0, +100, -100, +100 1/m. Its moment per width is that of Prandtl's element: the branches of the
//   loop are 2HB = 2 H apart, the slope is B + K after a turning point and B when the yarns slide.
// - A strip that begins as an arc of 150 1/m unbends until the moment of its bending equals the
//   friction, to H/B; from 30 1/m, where the yarns stick, to K/(B + K) times that.
// - The state belongs to the cloth: a restored world continues with the same bits.
#include "bodies.h"

#include "cloth/cloth.h"

static const double B = 1e-5, H = 5e-4, YIELD = 20; // N m, N, 1/m

enum { COLUMNS = 21, ROWS = 4 };
static const double SPACING = 0.0025; // m

static fm_cloth_def creased(void)
{
    fm_cloth_def def = bare_cloth();
    def.density = 500;
    def.thickness = 3e-4;
    def.stretch.stiffness = 500;
    def.bend.stiffness = B;
    def.bend.friction.moment = H;
    def.bend.friction.curvature = YIELD;
    return def;
}

static fm_sheet strip(void)
{
    return (fm_sheet){.columns = COLUMNS,
                      .rows = ROWS,
                      .width = (COLUMNS - 1) * SPACING,
                      .height = (ROWS - 1) * SPACING};
}

// Writes the particles on an arc of this curvature along the columns; the chords have the rest
// length. turned: rad, half of the angle between two chords.
static void place_on_arc(double curvature, fm_vec3 *x)
{
    double turned = asin(curvature * SPACING / 2);
    for (int row = 0; row < ROWS; row++) {
        fm_vec3 at = {0, -row * SPACING, 0};
        for (int i = 0; i < COLUMNS; i++) {
            x[row * COLUMNS + i] = at;
            double angle = 2 * turned * (i - (COLUMNS - 2) / 2.0);
            at.x += SPACING * cos(angle), at.z += SPACING * sin(angle);
        }
    }
}

// N, moment per width of a strip on an arc: the couple of the forces on the last two columns over
// the cosine of half the angle between two chords, by which the lever is shorter.
static double find_moment(fm_cloth *c, double curvature)
{
    fm_vec3 x[ROWS * COLUMNS];
    place_on_arc(curvature, x);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        c->x.x[i] = x[i].x, c->x.y[i] = x[i].y, c->x.z[i] = x[i].z;
    fm_evaluation at = {.x = &c->x, .v = &c->v};
    fm_terms_add_forces(c, &at, &c->next_normal);
    double moment = 0;
    for (int row = 0; row < ROWS; row++) {
        int last = row * COLUMNS + COLUMNS - 1;
        fm_vec3 chord = fm_sub(x[last], x[last - 1]);
        moment += fm_cross(chord, fm_vec3_array_at(c->force, last)).y;
    }
    fm_term *friction = (fm_term *)(uintptr_t)fm_cloth_find_term(c, &fm_bend_friction_term);
    friction->type->end_stage(c, friction, NULL);
    return moment / ((ROWS - 1) * SPACING * cos(asin(curvature * SPACING / 2)));
}

// Bends a strip and compares its moments with those of Prandtl's element. tolerance: of H.
static void follow_loop(fm_cloth *c, double tolerance)
{
    const double turns[] = {0, 100, -100, 100}, step = 1;
    double p = 0, worst = 0, at_zero[2] = {0};
    int zeros = 0;
    find_moment(c, 0);
    c->started = true;
    for (int leg = 0; leg < 3; leg++) {
        double way = turns[leg + 1] > turns[leg] ? step : -step;
        for (double kappa = turns[leg]; (kappa - turns[leg + 1]) * way <= 0; kappa += way) {
            double moment = find_moment(c, kappa);
            p = fmin(fmax(p, kappa - YIELD), kappa + YIELD);
            worst = fmax(worst, fabs(moment - (B * kappa + H / YIELD * (kappa - p))));
            if (leg > 0 && kappa == 0)
                at_zero[zeros++] = moment;
        }
    }
    printf("  2HB %.6f N at curvature 0 (put in %.6f), off by at most %.2f %% of H\n",
           at_zero[1] - at_zero[0], 2 * H, 100 * worst / H);
    assert_int_equal(zeros, 2);
    assert_close(at_zero[1] - at_zero[0], 2 * H, tolerance * H);
    assert_true(worst < tolerance * H);
}

static void pure_bending_follows_the_hysteresis_loop(void **state)
{
    (void)state;
    fm_cloth_def def = creased();
    fm_sheet sheet = strip();
    fm_world *world = create_world(0, 0, no_gravity);
    follow_loop(create_sheet(world, &def, &sheet), 1e-9);
    fm_world_destroy(world);
}

// 1/m, mean curvature of the middle row.
static double measure_curvature(fm_cloth *c)
{
    const fm_vec3 *x = fm_cloth_positions(c, NULL) + COLUMNS;
    double sum = 0;
    for (int i = 1; i < COLUMNS - 1; i++) {
        fm_vec3 s = fm_add_scaled(fm_add(x[i - 1], x[i + 1]), x[i], -2);
        sum += fm_length(s) / (SPACING * SPACING);
    }
    return sum / (COLUMNS - 2);
}

// Creates a strip on an arc: a sheet, or a mesh of the same particles.
static fm_cloth *create_arc(fm_world *world, const fm_cloth_def *def, bool mesh, double curvature)
{
    fm_error err = {0};
    fm_vec3 x[ROWS * COLUMNS];
    fm_sheet sheet = strip();
    fixture_mesh grid = fixture_create_grid(COLUMNS, ROWS, SPACING, SPACING, CUT_ALTERNATING);
    fm_cloth *c = mesh ? create_mesh(world, def, &grid) : create_sheet(world, def, &sheet);
    fixture_destroy_mesh(&grid);
    place_on_arc(curvature, x);
    assert_true(fm_cloth_set_positions(c, x, &err));
    return c;
}

static void a_crease_stays_as_deep_as_friction_holds_it(void **state)
{
    (void)state;
    const double begin[] = {150, 30}, end[] = {H / B, 30 * (H / YIELD) / (B + H / YIELD)};
    for (int i = 0; i < 4; i++) {
        fm_cloth_def def = creased();
        def.integrator = i < 2 ? FM_IMPLICIT_EULER : FM_KICK_DRIFT_KICK;
        def.time_step = i < 2 ? 1e-3 : 0;
        def.damping.kept = i < 2 ? 0.7 : 0.99; // overdamped: the strip does not swing past its rest
        fm_world *world = create_world(0, 0, no_gravity);
        fm_cloth *c = create_arc(world, &def, false, begin[i % 2]);
        advance(world, i < 2 ? 0.5 : 1.2);
        double kappa = measure_curvature(c);
        printf("  %s from %g 1/m: %.2f, expected %.2f 1/m\n",
               i < 2 ? "implicit" : "kick-drift-kick", begin[i % 2], kappa, end[i % 2]);
        // the borders of a free strip bend less than its middle: no end moment
        assert_close(kappa, end[i % 2], 0.02 * end[i % 2]);
        fm_world_destroy(world);
    }
}

// The hinges of a mesh of right triangles, bent about its legs, hold like the elements of a sheet.
static void a_crease_in_a_mesh_stays(void **state)
{
    (void)state;
    const double begin[] = {150, 30}, end[] = {H / B, 30 * (H / YIELD) / (B + H / YIELD)};
    for (int i = 0; i < 2; i++) {
        fm_cloth_def def = creased();
        def.integrator = FM_IMPLICIT_EULER;
        def.time_step = 1e-3;
        def.damping.kept = 0.7;
        fm_world *world = create_world(0, 0, no_gravity);
        fm_cloth *c = create_arc(world, &def, true, begin[i]);
        advance(world, 0.5);
        double kappa = measure_curvature(c);
        printf("  mesh from %g 1/m: %.2f, sheet %.2f 1/m\n", begin[i], kappa, end[i]);
        assert_true(kappa > 0.98 * end[i] && kappa < 1.02 * end[i]);
        fm_world_destroy(world);
    }
}

static void a_restored_crease_continues_with_the_same_bits(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_cloth_def def = creased();
    def.integrator = FM_IMPLICIT;
    fm_world *worlds[2];
    for (int i = 0; i < 2; i++) {
        worlds[i] = create_world(0, 0, no_gravity);
        create_arc(worlds[i], &def, false, i == 0 ? 150 : 10);
    }
    advance(worlds[0], 0.05);
    size_t size = fm_world_save(worlds[0], NULL, 0);
    void *saved = malloc(size);
    assert_non_null(saved);
    fm_world_save(worlds[0], saved, size);
    assert_good(fm_world_restore(worlds[1], saved, size, &err), &err);
    for (int i = 0; i < 2; i++)
        advance(worlds[i], 0.05);
    assert_true(fm_world_hash(worlds[0]) == fm_world_hash(worlds[1]));
    free(saved);
    for (int i = 0; i < 2; i++)
        fm_world_destroy(worlds[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pure_bending_follows_the_hysteresis_loop),
        cmocka_unit_test(a_crease_stays_as_deep_as_friction_holds_it),
        cmocka_unit_test(a_crease_in_a_mesh_stays),
        cmocka_unit_test(a_restored_crease_continues_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
