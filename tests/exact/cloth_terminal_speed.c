// SPDX-License-Identifier: MIT
// cloth_terminal_speed.c: a free sheet with physical drag sinks, rises and drifts as the equation
// of motion predicts, in water that is at rest or moves uniformly.
//
// Per m^2 of cloth,
//
//     (sigma + M) u' + c |u| u + K D^(1/2) u = (rho_c - rho) T g
//
//   u      velocity relative to the water, m/s       rho, rho_c  density of water, cloth, kg/m^3
//   sigma  mass of the cloth, kg/m^2                 T           thickness of the cloth, m
//   M      added mass, kg/m^2                        L           thickness of the added layer, m
//   c      quadratic drag, kg/m^3                    C_n, C_t    drag coefficients
//   K      history drag, kg m^-2 s^-1/2              mu          viscosity of water, Pa s
//
// broadside  c = rho C_n / 2, M = rho L, K = 0: the terminal speed is
//            sqrt(2 (rho_c - rho) T g / (rho C_n))
// edge-on    c = rho C_t / 2, M = 0, K = 2 sqrt(rho mu): the same with C_t once the half
//            derivative D^(1/2) u of the start has decayed; until then D^(1/2) u = u / sqrt(pi t),
//            as the speed hardly changes
//
// A sheet of the density of water stays at rest, a lighter one rises. A uniform current of speed u0
// carries a sheet along, u = u0 / (1 + c u0 t / (sigma + M)). An accelerating current carries it
// along even without drag.
#include "bodies.h"
#include "exact.h"

// The sheets lie in a horizontal plane (broadside to the fall) and in a vertical plane (edge-on).
static const fm_sheet broadside = {.columns = 6,
                                   .rows = 5,
                                   .width = 0.2,
                                   .height = 0.2,
                                   .rotation = {0.70710678118654752, 0, 0, 0.70710678118654752}};
static const fm_sheet edge_on = {.columns = 6, .rows = 5, .width = 0.2, .height = 0.2};
static const double rho = 1000, g = 9.81; // density of water, kg/m^3; gravity, m/s^2

// Velocity (m/s) of a free sheet after `seconds` in water at rest.
static fm_vec3 compute_velocity_after(const fm_cloth_def *def, const fm_sheet *sheet,
                                      fm_vec3 gravity, double seconds)
{
    fm_world *world = create_world(rho, 1e-3, gravity);
    fm_cloth *cloth = create_sheet(world, def, sheet);
    advance(world, seconds);
    const fm_vec3 *v = fm_cloth_velocities(cloth, NULL);
    fm_vec3 first = v[0];
    for (int i = 1; i < fm_cloth_particle_count(cloth); i++) // the sheet must not deform
        assert_at_most(fabs(v[i].x - first.x) + fabs(v[i].y - first.y) + fabs(v[i].z - first.z),
                       1e-9);
    fm_world_destroy(world);
    return first;
}

static void a_sheet_sinks_or_rises_broadside_at_the_terminal_speed(void **state)
{
    (void)state;
    fm_cloth_def def = fixture_perfect_cloth();
    def.drag.normal_history = 0;
    double speed = sqrt(2 * (def.density - rho) * g * def.thickness / (rho * def.drag.pressure));
    fm_vec3 v = compute_velocity_after(&def, &broadside, (fm_vec3){0, -g, 0}, 15);
    printf("  broadside %.5f m/s, expected %.5f\n", -v.y, speed);
    assert_close(-v.y, speed, 1e-4 * speed); // tanh(15 s / 1.1 s) is 1 to 1e-11
    assert_close(v.x, 0, 1e-12);
    assert_close(v.z, 0, 1e-12);
    def.density = 2 * rho - def.density; // lighter than water by as much: rises as fast
    v = compute_velocity_after(&def, &broadside, (fm_vec3){0, -g, 0}, 15);
    assert_close(v.y, speed, 1e-4 * speed);
    // a vertical sheet is broadside to gravity along z
    v = compute_velocity_after(&def, &edge_on, (fm_vec3){0, 0, g}, 15);
    assert_close(-v.z, speed, 1e-4 * speed);
}

static void a_sheet_sinks_edge_on_at_the_speed_that_friction_and_skin_history_give(void **state)
{
    (void)state;
    fm_cloth_def def = fixture_perfect_cloth();
    double f = (def.density - rho) * g * def.thickness, c = rho * def.drag.friction / 2, t = 60;
    double speed = sqrt(f / c), k = 2 * sqrt(rho * 1e-3) / sqrt(3.14159265358979 * t);
    double with_history = (sqrt(k * k + 4 * c * f) - k) / (2 * c);
    fm_vec3 v = compute_velocity_after(&def, &edge_on, (fm_vec3){0, -g, 0}, t);
    printf("  edge-on %.5f m/s, expected %.5f with what is left of its history, %.5f at last\n",
           -v.y, with_history, speed);
    // tolerance: the history formula counts time from the start, but the speed is reached only
    // after tau = sigma speed / f = 0.5 s
    assert_close(-v.y, with_history, 5e-4 * speed);
    assert_true(speed - with_history > 0.01 * speed); // the effect of the history is not negligible
    def.drag.skin_history = false;
    v = compute_velocity_after(&def, &edge_on, (fm_vec3){0, -g, 0}, 20);
    assert_close(-v.y, speed, 1e-4 * speed);
}

static void a_sheet_of_the_density_of_water_stays_at_rest(void **state)
{
    (void)state;
    fm_cloth_def def = fixture_perfect_cloth();
    def.density = rho;
    fm_vec3 v = compute_velocity_after(&def, &broadside, (fm_vec3){0, -g, 0}, 5);
    // tolerance: rounding error of weight - buoyancy
    assert_close(fabs(v.x) + fabs(v.y) + fabs(v.z), 0, 1e-12);
}

// Velocity (m/s) of a free sheet after `seconds` in a flowing medium.
static fm_vec3 compute_velocity_in_flow(const fm_flow *flow, const fm_cloth_def *def,
                                        const fm_sheet *sheet, double seconds)
{
    fm_world *world = create_flowing_world(*flow);
    fm_cloth *cloth = create_sheet(world, def, sheet);
    advance(world, seconds);
    fm_vec3 v = fm_cloth_velocities(cloth, NULL)[8];
    fm_world_destroy(world);
    return v;
}

static void a_uniform_current_accelerates_a_sheet_to_its_own_speed(void **state)
{
    (void)state;
    fm_cloth_def def = fixture_perfect_cloth();
    def.density = rho;
    def.drag.added_mass = 0.03, def.drag.normal_history = 0;
    // the sheet does not deform, and soft springs allow longer steps
    def.stretch.stiffness = def.shear.stiffness = 1;
    def.damping.coefficient = 0;
    fm_flow flow = {.kind = FM_FLOW_UNIFORM, .velocity = {0, 0.4, 0}};
    double c = rho * def.drag.pressure / 2, M = rho * (def.thickness + 0.03), error[4];
    for (int level = 0; level < 4; level++) {
        double h = 4e-3 / (1 << level), t = 0.5;
        def.time_step = h;
        fm_vec3 v = compute_velocity_in_flow(&flow, &def, &broadside, t);
        error[level] = fabs(0.4 - v.y - 0.4 / (1 + c * 0.4 * t / M)) / 0.4;
        exact_report("carried broadside", h, error[level]);
    }
    assert_close(exact_order(error, 4), 2, 0.1);
    def.time_step = 0;
    fm_vec3 v = compute_velocity_in_flow(&flow, &def, &broadside, 60);
    assert_close(0.4 - v.y, 0.4 / (1 + c * 0.4 * 60 / M), 1e-4);
}

// The pressure gradient that accelerates the water also accelerates a body that displaces it.
static void an_oscillating_current_moves_a_sheet_along_even_without_drag(void **state)
{
    (void)state;
    fm_cloth_def def = fixture_perfect_cloth();
    def.density = rho;
    def.stretch.stiffness = def.shear.stiffness = 1;
    fm_flow flow = {.kind = FM_FLOW_OSCILLATING, .amplitude = {0.3, 0.2, 0.1}, .period = 0.7};
    double now = sin(2 * 3.14159265358979 * 0.33 / 0.7);
    for (int drag = 0; drag < 2; drag++) {
        def.drag.model = drag ? FM_DRAG_PHYSICAL : FM_DRAG_NONE;
        fm_vec3 v = compute_velocity_in_flow(&flow, &def, &edge_on, 0.33);
        assert_close(v.x, 0.3 * now, 1e-12);
        assert_close(v.y, 0.2 * now, 1e-12);
        assert_close(v.z, 0.1 * now, 1e-12);
    }
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "cloth_terminal_speed");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sheet_sinks_or_rises_broadside_at_the_terminal_speed),
        cmocka_unit_test(a_sheet_sinks_edge_on_at_the_speed_that_friction_and_skin_history_give),
        cmocka_unit_test(a_sheet_of_the_density_of_water_stays_at_rest),
        cmocka_unit_test(a_uniform_current_accelerates_a_sheet_to_its_own_speed),
        cmocka_unit_test(an_oscillating_current_moves_a_sheet_along_even_without_drag),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
