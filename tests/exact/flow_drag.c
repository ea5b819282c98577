// SPDX-License-Identifier: MIT
// flow_drag.c: bodies and a grid fluid that act on each other by the drag of the body: lines,
// loads, and cloth with coupling by drag.
//
// Their total momentum in a periodic box is constant. A thin line that is held across a uniform
// stream has the drag 1/2 rho C d L U^2, and a free one that is thrown into still fluid comes to
// rest with it. No strength of drag is unstable.
#include "flows.h"
#include "lines.h"

#include "cloth/cloth.h"

// A periodic box of n^3 cells and 1 m, with a flow.
static fm_grid *create_box(fm_world *world, int n, double rho, fm_grid_start start)
{
    fm_error err = {0};
    fm_grid_def def = fm_default_grid_def();
    def.cells[0] = def.cells[1] = def.cells[2] = n;
    def.spacing = 1.0 / n;
    def.density = rho, def.viscosity = 1e-3 * rho;
    for (int a = 0; a < 3; a++)
        set_grid_periodic(&def, a);
    fm_grid *grid = create_grid(world, &def);
    assert_true(fm_grid_set_start(grid, &start, &err));
    return grid;
}

static void couple(fm_world *world, fm_cloth *body, fm_grid *grid, fm_coupling_way way)
{
    fm_error err = {0};
    bool good =
        fm_world_couple_objects(world, fm_cloth_object(body), fm_grid_object(grid), way, &err);
    assert_good(good, &err);
}

static fm_line_def thin_line(double diameter, double density)
{
    fm_line_def def = bare_line();
    def.diameter = diameter;
    def.linear_density = density * FM_PI / 4 * diameter * diameter;
    def.stiffness = 50;
    def.drag.enabled = true;
    return def;
}

static const fm_grid_start vortices = {
    .kind = FM_GRID_START_TAYLOR_GREEN, .radius = 0.5, .speed = 1};

// A line with a load tied to its end, another load, a sheet by drag and a two-way sheet: all free,
// with random velocities, in one box.
static void momentum_is_kept(void **state)
{
    (void)state;
    for (int light = 0; light < 2; light++) {
        fm_error err = {0};
        fm_world *world = create_grid_world();
        fm_grid *grid = create_box(world, 16, 10, vortices);
        fm_line_def line = thin_line(0.02, light ? 1 : 1000);
        fm_cloth *rope = create_straight(world, &line, (fm_vec3){0.2, 0.3, 0.2},
                                         (fm_vec3){0.8, 0.35, 0.7}, 12, 0);
        fm_load_def ball = fm_default_load_def();
        ball.mass = light ? 1e-4 : 0.1, ball.radius = 0.03;
        ball.position = (fm_vec3){0.8, 0.35, 0.7};
        fm_cloth *end = create_load(world, &ball);
        ball.position = (fm_vec3){0.1, 0.8, 0.4};
        fm_cloth *other = create_load(world, &ball);
        assert_true(fm_world_tie(world, fm_cloth_object(rope), 12, fm_cloth_object(end), 0, &err));
        fm_cloth_def def = plain_sheet(light ? 0.01 : 1, 50);
        def.drag.model = FM_DRAG_NORMAL, def.drag.normal = 20;
        fm_sheet shape = fixture_level_sheet(9, 9, 0.4, 0.4, (fm_vec3){0.3, 0.71, 0.3});
        fm_cloth *veil = create_sheet(world, &def, &shape);
        def.drag.model = FM_DRAG_NONE;
        shape = fixture_level_sheet(9, 9, 0.4, 0.4, (fm_vec3){0.3, 0.51, 0.3});
        fm_cloth *sail = create_sheet(world, &def, &shape);
        fm_cloth *bodies[] = {rope, end, other, veil, sail};
        for (int i = 0; i < 5; i++) {
            if (i != 1)
                set_random_velocities(bodies[i], 0.5);
            couple(world, bodies[i], grid,
                   bodies[i] == veil ? FM_COUPLING_BY_DRAG : FM_COUPLING_TWO_WAY);
        }
        fm_report report = fm_world_report(world);
        fm_vec3 before = report.momentum;
        double largest = 0, exchanged = 0;
        for (int k = 0; k < 30; k++) {
            report = fm_world_advance(world, 0.01, &err);
            assert_good(err.status == FM_OK, &err);
            for (int i = 0; i < 5; i++)
                exchanged += 0.01 * fm_length(fm_cloth_find_load(bodies[i]));
            largest = fmax(largest, fm_length(fm_sub(report.momentum, before)));
        }
        print_message("%s: momentum kept to %.1e of the impulses exchanged, %.2g N s\n",
                      light ? "light" : "heavy", largest / exchanged, exchanged);
        assert_true(exchanged > 1e-3);
        assert_true(largest < 1e-11 * fmax(1, exchanged));
        fm_world_destroy(world);
    }
}

// A line of diameter h/200 across a stream, held: its load is that of a cylinder with its drag
// coefficients. What the fluid loses is what the line gets (the test above).
static void held_line_has_its_drag(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_grid_world();
    double U = 2, d = 1.0 / (200 * 16), rho = 10, length = 0.6;
    fm_grid *grid = create_box(
        world, 16, rho, (fm_grid_start){.kind = FM_GRID_START_UNIFORM, .velocity = {U, 0, 0}});
    fm_line_def def = thin_line(d, 1000);
    def.drag.viscous = 0;
    fm_cloth *line = create_straight(world, &def, (fm_vec3){0.51, 0.2, 0.47},
                                     (fm_vec3){0.51, 0.2 + length, 0.47}, 8, 0);
    hold_sheet(line);
    couple(world, line, grid, FM_COUPLING_TWO_WAY);
    fm_world_advance(world, 0.02, &err);
    double load = fm_cloth_find_load(line).x;
    double exact = 0.5 * rho * def.drag.across * d * length * U * U;
    print_message("held line: load %.6g N, cylinder %.6g N\n", load, exact);
    assert_close(load, exact, 0.005);
    fm_world_destroy(world);
}

// A hundred times the drag that would stop the fluid in a cell in one substep, on bodies of all
// masses, held and free: velocities stay below those at the start.
static void strong_drag_is_stable(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        fm_error err = {0};
        fm_world *world = create_grid_world();
        fm_grid *grid = create_box(world, 8, 1, vortices);
        fm_cloth_def def = plain_sheet((double[]){1e-3, 1, 1e3}[i % 3], 10);
        def.drag.model = FM_DRAG_BOTH, def.drag.normal = def.drag.viscous = 3000;
        fm_sheet shape = fixture_level_sheet(17, 17, 0.6, 0.6, (fm_vec3){0.2, 0.31, 0.2});
        fm_cloth *veil = create_sheet(world, &def, &shape);
        if (i / 3)
            hold_sheet(veil);
        couple(world, veil, grid, FM_COUPLING_BY_DRAG);
        for (int k = 0; k < 20; k++)
            fm_world_advance(world, 0.02, &err);
        assert_good(err.status == FM_OK, &err);
        int n;
        const fm_vec3 *v = fm_cloth_velocities(veil, &n);
        double fastest = 0, fluid = fm_grid_read_stats(grid).max_speed;
        for (int k = 0; k < n; k++)
            fastest = fmax(fastest, fm_length(v[k]));
        print_message("sigma %g, %s: fastest fluid %.2f, sheet %.2f m/s\n",
                      (double[]){1e-3, 1, 1e3}[i % 3], i / 3 ? "held" : "free", fluid, fastest);
        assert_true(fluid < 1.6 && fastest < 1.6);
        fm_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(held_line_has_its_drag),
        cmocka_unit_test(strong_drag_is_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
