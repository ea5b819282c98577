// SPDX-License-Identifier: MIT
// Nothing passes through a cloth: water stands and sloshes on light cotton that spans a tank and
// gives way by a third of its length, with triangles three times as long as particles are apart and
// with triangles half as long. Particles below it are counted, by the height of the cloth beside
// them. Nor does it pass where it falls into a fold. Enforced cloth holds water as one with stiff
// springs does, and shakes no more. A cloth that gives no way carries the weight of the water.
#include "couplings.h"

static const double SIZE = 0.2, HEIGHT = 0.15, DEPTH = 0.08; // m

static fm_cloth *make_floor(fm_world *world, fm_cloth_def def, int columns, bool rigid)
{
    fm_error err = {0};
    fm_sheet sheet = flat_sheet(columns, SIZE, 0, HEIGHT, 0);
    fm_cloth *cloth = make_sheet(world, &def, &sheet);
    for (int row = 0; row < columns && rigid; row++)
        assert_true(fm_cloth_pin_row(cloth, row, NULL, &err));
    for (fm_edge edge = FM_EDGE_TOP; edge <= FM_EDGE_RIGHT && !rigid; edge++)
        assert_true(fm_cloth_pin_edge(cloth, edge, NULL, &err));
    return cloth;
}

static fm_particles *make_water(fm_world *world, double spacing, fm_vec3 velocity)
{
    fm_particles_def def = fm_default_particles_def();
    def.spacing = spacing;
    def.domain.high = (fm_vec3){SIZE, 0.5, SIZE};
    fm_particles *fluid = make_fluid(world, &def);
    fm_fluid_box box = {.low = {0, HEIGHT + spacing / 2, 0},
                        .high = {SIZE, HEIGHT + spacing / 2 + DEPTH, SIZE},
                        .velocity = velocity,
                        .settled = true};
    add_box(fluid, &box);
    return fluid;
}

// Below the lowest of the particles of the cloth within a cell of it.
static int count_leaked(fm_cloth *cloth, fm_particles *fluid)
{
    int n, m, leaked = 0;
    const fm_vec3 *x = fm_particles_positions(fluid, &n), *y = fm_cloth_positions(cloth, &m);
    double cell = 1.5 * SIZE / (fm_cloth_sheet(cloth).columns - 1);
    for (int i = 0; i < n; i++) {
        double lowest = INFINITY;
        for (int k = 0; k < m; k++) {
            if (fabs(y[k].x - x[i].x) < cell && fabs(y[k].z - x[i].z) < cell)
                lowest = fmin(lowest, y[k].y);
        }
        leaked += x[i].y < lowest;
    }
    return leaked;
}

static void expect_tight(double spacing, int columns)
{
    fm_world *world = make_world(0, 0, (fm_vec3){0, -9.81, 0});
    fm_cloth *cloth = make_floor(world, light_cotton(), columns, false);
    fm_particles *fluid = make_water(world, spacing, (fm_vec3){0.3, 0, 0.2});
    couple(world, cloth, fluid, FM_COUPLING_TWO_WAY);
    double stretch = 0;
    int leaked = 0;
    for (int frame = 0; frame < 10; frame++) {
        fm_report report = advance(world, 0.05);
        stretch = fmax(stretch, report.max_stretch);
        leaked += count_leaked(cloth, fluid);
    }
    printf("  %d columns, %.2f spacings apart: stretched by %.2f, %lld stopped, %d leaked of %d\n",
           columns, SIZE / (columns - 1) / spacing, stretch,
           (long long)fm_particles_read_stats(fluid).stopped_count, leaked,
           fm_particles_count(fluid));
    assert_true(stretch > 0.1);
    assert_int_equal(leaked, 0);
    fm_world_destroy(world);
}

static void nothing_leaks(void **state)
{
    (void)state;
    expect_tight(0.0167, 5);
    expect_tight(0.0167, 13);
    expect_tight(0.0167, 25);
}

typedef struct tray {
    double stretch, sag, shaking; // largest; m, of the water's middle; m^2/s^2
    int leaked;
} tray;

// Water sloshes on a cloth that hardly stretches. Shaking is half the mean square of the velocity
// of the cloth, less that of its mean over 0.1 s, from the end of the run.
static tray run_tray(fm_enforcement_method method, double stiffness)
{
    enum { COLUMNS = 13, LOOKS = 24 };
    const double spacing = SIZE / 12;
    tray t = {0};
    fm_vec3 last[COLUMNS * COLUMNS], mean[COLUMNS * COLUMNS] = {{0}};
    double squares = 0;
    fm_cloth_def def = light_cotton();
    def.stretch.stiffness = stiffness;
    def.shear.stiffness = stiffness / 6;
    def.enforcement.method = method;
    def.enforcement.iterations = method == FM_ENFORCE_ITERATIVE ? 20 : 1;
    fm_world *world = make_world(0, 0, (fm_vec3){0, -9.81, 0});
    fm_cloth *cloth = make_floor(world, def, COLUMNS, false);
    fm_particles *fluid = make_water(world, spacing, (fm_vec3){0.3, 0, 0.2});
    couple(world, cloth, fluid, FM_COUPLING_TWO_WAY);
    int n;
    for (int look = 0; look < 6 * LOOKS; look++) {
        memcpy(last, fm_cloth_positions(cloth, &n), sizeof last);
        t.stretch = fmax(t.stretch, advance(world, 0.1 / LOOKS).max_stretch);
        const fm_vec3 *x = fm_cloth_positions(cloth, &n);
        for (int i = 0; i < n && look >= 5 * LOOKS; i++) {
            fm_vec3 u = fm_scale(fm_sub(x[i], last[i]), LOOKS / 0.1);
            squares += fm_dot(u, u) / (2.0 * n * LOOKS);
            mean[i] = fm_add_scaled(mean[i], u, 1.0 / LOOKS);
        }
        t.leaked += look % LOOKS == 0 ? count_leaked(cloth, fluid) : 0;
    }
    for (int i = 0; i < n; i++)
        squares -= fm_dot(mean[i], mean[i]) / (2.0 * n);
    const fm_vec3 *x = fm_particles_positions(fluid, &n);
    for (int i = 0; i < n; i++)
        t.sag += (HEIGHT + spacing / 2 + DEPTH / 2 - x[i].y) / n;
    t.shaking = squares;
    fm_world_destroy(world);
    return t;
}

static void enforced_cloth_holds_water(void **state)
{
    (void)state;
    const tray springs = run_tray(FM_ENFORCE_NONE, 2e4);
    const tray iterative = run_tray(FM_ENFORCE_ITERATIVE, 300);
    const tray directional = run_tray(FM_ENFORCE_DIRECTIONAL, 300);
    const tray *const all[] = {&springs, &iterative, &directional};
    static const char *const names[] = {"springs", "iterative", "directional"};
    for (int k = 0; k < 3; k++)
        printf("  %-11s stretched by %.3f, water sank by %.4f m, shakes with %.2g m^2/s^2, %d "
               "leaked\n",
               names[k], all[k]->stretch, all[k]->sag, all[k]->shaking, all[k]->leaked);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(all[k]->leaked, 0);
        assert_at_most(all[k]->stretch, 0.05);
        assert_at_most(fabs(all[k]->sag - springs.sag), 0.2 * SIZE / 12);
        assert_at_most(all[k]->shaking, 0.01);
    }
}

// A sheet that is held folded: two sides that meet in a crease along z, each `steep` from the
// horizontal, higher than water can splash.
static fm_cloth *make_fold(fm_world *world, double steep)
{
    enum { COLUMNS = 25, ROWS = 13 };
    fm_error err = {0};
    fm_cloth_def def = light_cotton();
    double half = sqrt(0.5), cell = 2 * SIZE / (COLUMNS - 1);
    fm_sheet sheet = {.columns = COLUMNS,
                      .rows = ROWS,
                      .width = 2 * SIZE,
                      .height = SIZE,
                      .rotation = {-half, 0, 0, half}};
    fm_cloth *cloth = make_sheet(world, &def, &sheet);
    fm_vec3 x[COLUMNS * ROWS];
    for (int i = 0; i < COLUMNS * ROWS; i++) {
        double s = (i % COLUMNS - COLUMNS / 2) * cell;
        x[i] = (fm_vec3){SIZE / 2 + s * cos(steep), HEIGHT + fabs(s) * sin(steep),
                         SIZE * (i / COLUMNS) / (ROWS - 1)};
    }
    assert_true(fm_cloth_set_positions(cloth, x, &err));
    for (int row = 0; row < ROWS; row++)
        assert_true(fm_cloth_pin_row(cloth, row, NULL, &err));
    return cloth;
}

// Water falls into the crease, where the planes of both sides are near each other: what is put back
// in front of one may not end up behind the other.
static void folds_are_tight(void **state)
{
    (void)state;
    const double spacing = 0.0125;
    int all = 0;
    for (int degrees = 30; degrees <= 75; degrees += 15) {
        double steep = degrees * FM_PI / 180;
        fm_world *world = make_world(0, 0, (fm_vec3){0, -9.81, 0});
        fm_cloth *cloth = make_fold(world, steep);
        fm_particles_def def = fm_default_particles_def();
        def.spacing = spacing;
        def.domain.high = (fm_vec3){SIZE, 0.5, SIZE};
        fm_particles *fluid = make_fluid(world, &def);
        add_box(fluid, &(fm_fluid_box){.low = {SIZE / 2 - 2 * spacing, HEIGHT + 0.12, 0},
                                       .high = {SIZE / 2 + 2 * spacing, HEIGHT + 0.18, SIZE},
                                       .velocity = {0.1, -2, 0}});
        couple(world, cloth, fluid, FM_COUPLING_TWO_WAY);
        int n, leaked = 0;
        advance(world, 0.25);
        const fm_vec3 *x = fm_particles_positions(fluid, &n);
        for (int i = 0; i < n; i++)
            leaked += x[i].y - HEIGHT < fabs(x[i].x - SIZE / 2) * tan(steep);
        printf("  sides at %d degrees: %lld stopped, %d leaked of %d\n", degrees,
               (long long)fm_particles_read_stats(fluid).stopped_count, leaked, n);
        all += leaked;
        fm_world_destroy(world);
    }
    assert_int_equal(all, 0);
}

static void weight_is_carried(void **state)
{
    (void)state;
    fm_world *world = make_world(0, 0, (fm_vec3){0, -9.81, 0});
    fm_cloth *cloth = make_floor(world, light_cotton(), 9, true);
    fm_particles *fluid = make_water(world, 0.0125, (fm_vec3){0, 0, 0});
    couple(world, cloth, fluid, FM_COUPLING_TWO_WAY);
    const fm_samples *s = fluid->surfaces[0];
    double force = 0, seconds = 0;
    advance(world, 0.2);
    for (int step = 0; step < 200; step++) {
        advance(world, 1e-3);
        for (int i = 0; i < s->count; i++)
            force -= s->impulse[i].y;
        seconds += s->end - s->start; // the last of its intervals
    }
    double weight = fm_particles_count(fluid) * fm_particles_mass(fluid) * 9.81;
    printf("  carries %.4f of the weight\n", force / seconds / weight);
    assert_at_most(fabs(force / seconds / weight - 1), 0.05);
    fm_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_leaks), cmocka_unit_test(folds_are_tight),
        cmocka_unit_test(enforced_cloth_holds_water), cmocka_unit_test(weight_is_carried)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
