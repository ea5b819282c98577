// SPDX-License-Identifier: MIT
// A free sheet in water that is still, or moves as a whole, by the physical drag; per m^2 of cloth
//
//     (sigma + M) u' + c |u| u + K D^(1/2) u = (rho_c - rho) T g
//
// broadside  c = rho C_n / 2, M = rho L, K = 0: the terminal speed is
//            sqrt(2 (rho_c - rho) T g / (rho C_n))
// edge-on    c = rho C_t / 2, M = 0, K = 2 sqrt(rho mu): the same with C_t, once the history of the
//            start is spent; until then D^(1/2) u = u / sqrt(pi t), the speed hardly changing
//
// A sheet of the water's density stays where it is, a lighter one rises, a current carries a sheet
// along: u = u0 / (1 + c u0 t / (sigma + M)), and an accelerating current does so without any drag.
#include "bodies.h"
#include "exact.h"

static const fm_sheet broadside = {.columns = 6,
                                   .rows = 5,
                                   .width = 0.2,
                                   .height = 0.2,
                                   .rotation = {0.70710678118654752, 0, 0, 0.70710678118654752}};
static const fm_sheet edge_on = {.columns = 6, .rows = 5, .width = 0.2, .height = 0.2};
static const double rho = 1000, g = 9.81;

static fm_vec3 velocity_after(const fm_cloth_def *def, const fm_sheet *sheet, fm_vec3 gravity,
                              double seconds)
{
    fm_world *world = make_world(rho, 1e-3, gravity);
    fm_cloth *cloth = make_sheet(world, def, sheet);
    advance(world, seconds);
    const fm_vec3 *v = fm_cloth_velocities(cloth, NULL);
    fm_vec3 first = v[0];
    for (int i = 1; i < fm_cloth_particle_count(cloth); i++) // as a whole
        assert_at_most(fabs(v[i].x - first.x) + fabs(v[i].y - first.y) + fabs(v[i].z - first.z),
                       1e-9);
    fm_world_destroy(world);
    return first;
}

static void terminal_speed_broadside(void **state)
{
    (void)state;
    fm_cloth_def def = fm_default_cloth_def();
    double speed = sqrt(2 * (def.density - rho) * g * def.thickness / (rho * def.drag.pressure));
    fm_vec3 v = velocity_after(&def, &broadside, (fm_vec3){0, -g, 0}, 15);
    printf("  broadside %.5f m/s, expected %.5f\n", -v.y, speed);
    assert_close(-v.y, speed, 1e-4 * speed); // tanh(15 s / 1.1 s) is 1 to 1e-11
    assert_close(v.x, 0, 1e-12);
    assert_close(v.z, 0, 1e-12);
    def.density = 2 * rho - def.density; // as much lighter: rises as fast
    v = velocity_after(&def, &broadside, (fm_vec3){0, -g, 0}, 15);
    assert_close(v.y, speed, 1e-4 * speed);
    fm_sheet upright = edge_on; // down is where gravity says
    v = velocity_after(&def, &upright, (fm_vec3){0, 0, g}, 15);
    assert_close(-v.z, speed, 1e-4 * speed);
}

static void terminal_speed_edge_on(void **state)
{
    (void)state;
    fm_cloth_def def = fm_default_cloth_def();
    double f = (def.density - rho) * g * def.thickness, c = rho * def.drag.friction / 2, t = 60;
    double speed = sqrt(f / c), k = 2 * sqrt(rho * 1e-3) / sqrt(3.14159265358979 * t);
    double with_history = (sqrt(k * k + 4 * c * f) - k) / (2 * c);
    fm_vec3 v = velocity_after(&def, &edge_on, (fm_vec3){0, -g, 0}, t);
    printf("  edge-on %.5f m/s, expected %.5f with what is left of its history, %.5f at last\n",
           -v.y, with_history, speed);
    // the speed was reached after tau = sigma speed / f = 0.5 s: t - tau against t in 1/sqrt(t), of
    // k
    assert_close(-v.y, with_history, 5e-4 * speed);
    assert_true(speed - with_history > 0.01 * speed); // the history is seen
    def.drag.skin_history = false;
    v = velocity_after(&def, &edge_on, (fm_vec3){0, -g, 0}, 20);
    assert_close(-v.y, speed, 1e-4 * speed);
}

static void neutral_sheet_stays(void **state)
{
    (void)state;
    fm_cloth_def def = fm_default_cloth_def();
    def.density = rho;
    fm_vec3 v = velocity_after(&def, &broadside, (fm_vec3){0, -g, 0}, 5);
    assert_close(fabs(v.x) + fabs(v.y) + fabs(v.z), 0, 1e-12); // rounding of weight less buoyancy
}

// Velocity of a neutral sheet in a medium that flows, after `seconds`.
static fm_vec3 carried(const fm_flow *flow, const fm_cloth_def *def, const fm_sheet *sheet,
                       double seconds)
{
    fm_error err = {0};
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = 1;
    world_def.medium.flow = *flow;
    fm_world *world = fm_world_create(&world_def, &err);
    fm_cloth *cloth = make_sheet(world, def, sheet);
    advance(world, seconds);
    fm_vec3 v = fm_cloth_velocities(cloth, NULL)[8];
    fm_world_destroy(world);
    return v;
}

static void a_current_carries_it_along(void **state)
{
    (void)state;
    fm_cloth_def def = fm_default_cloth_def();
    def.density = rho;
    def.drag.added_mass = 0.03;
    def.stretch.stiffness = def.shear.stiffness = 1; // nothing pulls at it; longer steps
    def.damping.coefficient = 0;
    fm_flow flow = {.kind = FM_FLOW_UNIFORM, .velocity = {0, 0.4, 0}};
    double c = rho * def.drag.pressure / 2, M = rho * (def.thickness + 0.03), error[4];
    for (int level = 0; level < 4; level++) {
        double h = 4e-3 / (1 << level), t = 0.5;
        def.time_step = h;
        fm_vec3 v = carried(&flow, &def, &broadside, t);
        error[level] = fabs(0.4 - v.y - 0.4 / (1 + c * 0.4 * t / M)) / 0.4;
        exact_report("carried broadside", h, error[level]);
    }
    assert_close(exact_order(error, 4), 2, 0.1);
    def.time_step = 0;
    fm_vec3 v = carried(&flow, &def, &broadside, 60);
    assert_close(0.4 - v.y, 0.4 / (1 + c * 0.4 * 60 / M), 1e-4);
}

// The pressure gradient that accelerates the water accelerates what displaces it.
static void an_accelerating_current_does_so_without_drag(void **state)
{
    (void)state;
    fm_cloth_def def = fm_default_cloth_def();
    def.density = rho;
    def.stretch.stiffness = def.shear.stiffness = 1;
    fm_flow flow = {.kind = FM_FLOW_OSCILLATING, .amplitude = {0.3, 0.2, 0.1}, .period = 0.7};
    double now = sin(2 * 3.14159265358979 * 0.33 / 0.7);
    for (int drag = 0; drag < 2; drag++) {
        def.drag.model = drag ? FM_DRAG_PHYSICAL : FM_DRAG_NONE;
        fm_vec3 v = carried(&flow, &def, &edge_on, 0.33);
        assert_close(v.x, 0.3 * now, 1e-12);
        assert_close(v.y, 0.2 * now, 1e-12);
        assert_close(v.z, 0.1 * now, 1e-12);
    }
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "cloth_sinking");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terminal_speed_broadside),
        cmocka_unit_test(terminal_speed_edge_on),
        cmocka_unit_test(neutral_sheet_stays),
        cmocka_unit_test(a_current_carries_it_along),
        cmocka_unit_test(an_accelerating_current_does_so_without_drag),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
