// SPDX-License-Identifier: MIT
// flow_screen.c: a permeable sheet across a duct, against the exact flow through it.
//
// A periodic duct of length l without friction holds fluid of density rho that a force of a per
// mass drives along x. A screen spans it; its normal makes the angle b with the duct. The flow is
// uniform,
//
//     rho l du/dt = rho a l - jump,    jump = R u_n + Q u_n^2,    u_n = u cos b
//
// so that the pressure drop across the screen is rho a l when the flow is steady. With Q = 0 and
// b = 0 the flow starts as u = (rho a l / R) (1 - exp(-R t / (rho l))). A free sheet of mass sigma
// in a duct without a driving force takes over the momentum of the fluid: the difference of their
// velocities decays at the rate R (1/(rho l) + 1/sigma), and their momentum stays.
#include "flows.h"

#include <string.h>

static const double l = 1; // m, length of the duct

static fm_grid_def duct_def(int n, double width, double a)
{
    fm_grid_def def = fm_default_grid_def();
    def.cells[0] = n, def.cells[1] = (int)lround(width * n), def.cells[2] = 1;
    def.spacing = l / n;
    def.density = 1.2, def.viscosity = 0;
    for (int side = 0; side < FM_SIDE_COUNT; side++)
        def.sides[side].kind = side < FM_SIDE_BOTTOM ? FM_GRID_PERIODIC : FM_GRID_SLIP;
    def.acceleration.x = a;
    return def;
}

// A screen in a duct of n cells along x, at the angle b.
typedef struct screen {
    int n;
    double R, Q, angle, U; // Pa s/m, Pa s^2/m^2, rad, m/s: the steady velocity
    double step;           // s; 0: the fluid's own
} screen;

// Creates the duct and its screen; the driving force is that of the steady velocity U.
static fm_world *create_duct(const screen *s, fm_grid **grid, fm_cloth **cloth)
{
    double un = s->U * cos(s->angle), width = 0.25;
    fm_world *world = create_grid_world();
    fm_grid_def def = duct_def(s->n, width, (s->R * un + s->Q * un * un) / (1.2 * l));
    def.time_step = s->step;
    *grid = create_grid(world, &def);
    double lean = width * tan(s->angle), x = 0.5137 * l;
    fm_cloth_def sheet = plain_sheet(0.1, 100);
    *cloth = create_strip(world, &sheet, FM_CLOTH_MESH, 25, (fm_vec3){x - lean / 2, 0, 0},
                          (fm_vec3){x + lean / 2, width, 0}, def.spacing, 0);
    hold_sheet(*cloth);
    couple_sheet(world, *cloth, *grid, s->R, s->Q);
    return world;
}

// Pressure drop across the screen, from probes near the ends of the duct, relative to the exact
// one.
static double measure_drop(fm_grid *grid, const screen *s)
{
    fm_error err = {0};
    double low[3], high[3], y = 0.125, z = 0.5 * l / s->n;
    fm_object *object = fm_grid_object(grid);
    assert_true(fm_object_probe(object, "pressure", (fm_vec3){0.15, y, z}, low, &err));
    assert_true(fm_object_probe(object, "pressure", (fm_vec3){0.85, y, z}, high, &err));
    double a = fm_grid_definition(grid).acceleration.x;
    double un = mean_velocity(grid, 0) * cos(s->angle);
    double drop = low[0] - high[0] + 1.2 * a * 0.7; // without the gradient that drives the duct
    return drop / (s->R * un + s->Q * un * un);
}

// Force of the fluid on the screen along x in the last advance, N.
static double measure_load(fm_cloth *cloth)
{
    fm_error err = {0};
    int count;
    double values[16];
    const fm_field *list = fm_object_quantities(fm_cloth_object(cloth), &count);
    assert_true(fm_object_measure(fm_cloth_object(cloth), values, &err));
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].name, "load_x") == 0)
            return values[i];
    fail_msg("no load_x");
    return 0;
}

// Momentum of fluid and screen along x, kg m/s.
static double total_momentum(fm_cloth *cloth, const fm_grid *grid)
{
    return grid_momentum(grid).x + sheet_momentum(cloth, grid).x;
}

// The steady drop, speed and load, on the grid's axis within 1 % and at angles within 3 %; the
// momentum in the report is that of fluid and screen.
static void steady_drop(void **state)
{
    (void)state;
    static const screen tested[] = {
        {.n = 32, .R = 3, .U = 1},
        {.n = 32, .R = 300, .U = 1},
        {.n = 32, .R = 3, .Q = 2, .U = 1},
        {.n = 24, .R = 3, .Q = 2, .angle = 0.2, .U = 1},
        {.n = 24, .R = 3, .Q = 2, .angle = 0.45, .U = 1},
        {.n = 24, .R = 3, .Q = 2, .angle = 0.7853981634, .U = 1},
        {.n = 24, .R = 3, .Q = 2, .angle = -1, .U = 1},
        {.n = 24, .R = 300, .angle = 0.45, .U = 1},
        {.n = 24, .R = 2, .angle = 0.7853981634, .U = 0.5},
    };
    for (size_t i = 0; i < sizeof tested / sizeof *tested; i++) {
        const screen *s = &tested[i];
        fm_grid *grid;
        fm_cloth *cloth;
        fm_world *world = create_duct(s, &grid, &cloth);
        advance_grid(world, grid, fmax(2, 10 * 1.2 * l / s->R));
        fm_report report = advance(world, 0.05);
        double speed = mean_velocity(grid, 0) / s->U, drop = measure_drop(grid, s);
        double un = s->U * cos(s->angle), h = l / s->n;
        double load = measure_load(cloth) / ((s->R * un + s->Q * un * un) * 0.25 * h);
        print_message("R %g, Q %g, angle %.2f: speed %.5f, drop %.5f of the exact ones\n", s->R,
                      s->Q, s->angle, speed, drop);
        assert_close(speed, 1, s->angle == 0 ? 0.01 : 0.03);
        assert_close(drop, 1, s->angle == 0 ? 0.01 : 0.03);
        assert_close(load, 1, s->angle == 0 ? 0.01 : 0.03);
        assert_close(report.momentum.x / total_momentum(cloth, grid), 1, 1e-12);
        fm_world_destroy(world);
    }
}

// A resistance of 0 does not change the flow: the fluid accelerates as without the screen.
static void nothing_resists(void **state)
{
    (void)state;
    screen s = {.n = 32, .angle = 0.3};
    fm_grid *grid;
    fm_cloth *cloth;
    fm_world *world = create_duct(&s, &grid, &cloth);
    fm_error err = {0};
    fm_grid_start start = {.kind = FM_GRID_START_UNIFORM, .velocity = {1, 0, 0}};
    assert_true(fm_grid_set_start(grid, &start, &err));
    advance_grid(world, grid, 1);
    assert_close(mean_velocity(grid, 0), 1, 1e-9);
    assert_close(grid_velocity(grid, 0.5, 0.1, 0.5 / 32).x, 1, 1e-9);
    fm_world_destroy(world);
}

// The start of the flow, with the fluid's own substeps: within 1 % of the steady velocity.
static void start_of_flow(void **state)
{
    (void)state;
    screen s = {.n = 32, .R = 3, .U = 1};
    fm_grid *grid;
    fm_cloth *cloth;
    fm_world *world = create_duct(&s, &grid, &cloth);
    double largest = 0;
    for (int k = 1; k <= 20; k++) {
        advance_grid(world, grid, 0.05);
        double exact = s.U * (1 - exp(-s.R * 0.05 * k / (1.2 * l)));
        largest = fmax(largest, fabs(mean_velocity(grid, 0) - exact));
    }
    print_message("start of the flow: error %.5f of the steady velocity\n", largest / s.U);
    assert_true(largest < 0.01 * s.U);
    fm_world_destroy(world);
}

// A free sheet in a moving fluid: the difference of the velocities within 1 % of that at the start,
// momentum to rounding. Light and heavy sheets.
static void free_sheet(void **state)
{
    (void)state;
    static const double sigmas[] = {0.01, 0.6, 12}, R = 3, rho = 1.2;
    for (int i = 0; i < 3; i++) {
        double sigma = sigmas[i], rate = R * (1 / (rho * l) + 1 / sigma);
        fm_error err = {0};
        fm_world *world = create_grid_world();
        fm_grid_def def = duct_def(32, 0.25, 0);
        def.time_step = 0.01 / rate;
        fm_grid *grid = create_grid(world, &def);
        fm_grid_start start = {.kind = FM_GRID_START_UNIFORM, .velocity = {1, 0, 0}};
        assert_true(fm_grid_set_start(grid, &start, &err));
        fm_cloth_def sheet = plain_sheet(sigma, 100);
        fm_cloth *cloth = create_strip(world, &sheet, FM_CLOTH_MESH, 25, (fm_vec3){0.5137, 0, 0},
                                       (fm_vec3){0.5137, 0.25, 0}, def.spacing, 0);
        couple_sheet(world, cloth, grid, R, 0);
        double mass = sigma * 0.25 * def.spacing, largest = 0, before = grid_momentum(grid).x;
        for (int k = 1; k <= 10; k++) {
            advance_grid(world, grid, 0.3 / rate);
            double p = sheet_momentum(cloth, grid).x;
            double slip = mean_velocity(grid, 0) - p / mass;
            largest = fmax(largest, fabs(slip - exp(-0.3 * k)));
            assert_close((grid_momentum(grid).x + p) / before, 1, 1e-12);
        }
        print_message("free sheet of %g kg/m^2: error %.5f of the first difference\n", sigma,
                      largest);
        assert_true(largest < 0.01);
        fm_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steady_drop),
        cmocka_unit_test(nothing_resists),
        cmocka_unit_test(start_of_flow),
        cmocka_unit_test(free_sheet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
