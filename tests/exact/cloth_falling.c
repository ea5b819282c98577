// SPDX-License-Identifier: MIT
// cloth_falling.c: a free sheet that falls without deforming follows the exact solution for one
// particle with fractional drag.
//
// With the drag of [OKRC10], its fractional derivative over the whole past (full memory), and a
// constant force, per m^2 of cloth,
//
//     m v' + k1 v + k2 D^q x = f,     D^q x = I^(1-q) v
//
//   m   mass, kg/m^2               k1  viscous drag, N s / m^3         f  force, N/m^2
//   v   velocity, m/s              k2  history drag, N s^q / m^3       q  order
//
// The Laplace transform of v is V = f / (s (m s + k1 + k2 s^(q-1))). Expanded in powers of 1/s,
//
//     v(t) = f/m sum_n (-1)^n sum_j binomial(n, j) (k1/m)^j (k2/m)^(n-j) t^p / Gamma(p + 1)
//     p = 1 + j + (2 - q) (n - j)
//
// and x(t) is the same with p + 1 in place of p. Kick-drift-kick with the product trapezoid
// converges with second order, because at the start v is linear in t up to t^(3-q). Gravity is
// oblique, so that the projection of the history drag on the direction of motion is tested in all
// three components. Buoyancy reduces the weight.
#include "bodies.h"
#include "exact.h"

static const double viscous = 3, history = 4;           // drag k1, N s / m^3; k2, N s^q / m^3
static const double density = 1300, thickness = 1.5e-3; // of the cloth, kg/m^3, m
static const double medium = 400;                       // density of the fluid, kg/m^3
static const fm_vec3 gravity = {2, -9, 3};              // m/s^2

enum { PARTICLE = 7 }; // the observed one; all particles move alike

// The series in the head of this file for f = m = 1: v(t) with extra = 0, x(t) with extra = 1.
// 120 terms: for the values of this test the others are below rounding.
static double sum_falling_series(double q, double k1, double k2, double t, int extra)
{
    double total = 0;
    for (int n = 0; n < 120; n++) {
        double binomial = 1;
        for (int j = 0; j <= n; j++) {
            double p = 1 + j + (2 - q) * (n - j) + extra;
            double log_size = (n - j) * log(k2) + j * log(k1) + p * log(t) - lgamma(p + 1);
            total += (n % 2 ? -1 : 1) * binomial * exp(log_size);
            binomial *= (double)(n - j) / (j + 1);
        }
    }
    return total;
}

// The larger of the relative errors of velocity and displacement after `end` seconds. q: order of
// the derivative in the drag; h: time step, s.
static double relative_error(double q, double h, double end, fm_integrator integrator)
{
    fm_cloth_def def = bare_cloth();
    def.density = density;
    def.thickness = thickness;
    def.stretch.stiffness = def.shear.stiffness = 1;
    def.drag.model = FM_DRAG_PUBLISHED;
    def.drag.viscous = viscous;
    def.drag.history.coefficient = history;
    def.drag.history.order = q;
    def.drag.history.memory.kind = FM_RECALL_FULL;
    def.drag.history.memory.tolerance = 1e-9;
    def.integrator = integrator;
    def.time_step = h;
    fm_world *world = create_world(medium, 1e-3, gravity);
    fm_cloth *cloth = create_sheet(
        world, &def, &(fm_sheet){.columns = 5, .rows = 4, .width = 0.5, .height = 0.4});
    fm_vec3 start = fm_cloth_positions(cloth, NULL)[PARTICLE];
    advance(world, end);
    fm_vec3 x = fm_cloth_positions(cloth, NULL)[PARTICLE];
    fm_vec3 v = fm_cloth_velocities(cloth, NULL)[PARTICLE];
    // share: of the weight that buoyancy leaves
    double m = density * thickness, share = (density - medium) / density;
    double exact_v = share * sum_falling_series(q, viscous / m, history / m, end, 0);
    double exact_x = share * sum_falling_series(q, viscous / m, history / m, end, 1);
    double dv = hypot(hypot(v.x - gravity.x * exact_v, v.y - gravity.y * exact_v),
                      v.z - gravity.z * exact_v);
    double dx =
        hypot(hypot(x.x - start.x - gravity.x * exact_x, x.y - start.y - gravity.y * exact_x),
              x.z - start.z - gravity.z * exact_x);
    double g = hypot(hypot(gravity.x, gravity.y), gravity.z);
    fm_world_destroy(world);
    return fmax(dv / fabs(g * exact_v), dx / fabs(g * exact_x));
}

static void a_falling_sheet_converges_to_the_exact_path_with_order_2(void **state)
{
    (void)state;
    static const double orders[] = {0.3, 0.5, 0.8};
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "order %.1f", orders[i]);
        double error[5];
        for (int level = 0; level < 5; level++) {
            double h = 8e-3 / (1 << level);
            error[level] = relative_error(orders[i], h, 1, FM_KICK_DRIFT_KICK);
            exact_report(name, h, error[level]);
        }
        assert_close(exact_order(error, 5), 2, 0.15);
        assert_at_most(error[4], 1e-5);
    }
}

// Explicit Euler is the integrator of [OKRC10].
static void with_euler_a_falling_sheet_converges_with_order_1(void **state)
{
    (void)state;
    double error[4];
    for (int level = 0; level < 4; level++) {
        double h = 2e-3 / (1 << level);
        error[level] = relative_error(0.5, h, 1, FM_EULER);
        exact_report("order 0.5, euler", h, error[level]);
    }
    assert_close(exact_order(error, 4), 1, 0.1);
}

// The steps that [OKRC10] section 4.3 names: explicit predictors with implicit correctors, and an
// improved explicit one.
static void the_steps_that_the_paper_names_converge_with_their_orders(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        fm_integrator integrator;
        double order, slack, finest; // finest: largest error with the shortest step
    } cases[] = {{"order 0.5, predictor-corrector", FM_HEUN, 2, 0.15, 2e-6},
                 {"order 0.5, iterated corrector", FM_ITERATED_CORRECTOR, 2, 0.15, 2e-6},
                 {"order 0.5, semi-implicit euler", FM_SEMI_IMPLICIT_EULER, 1, 0.15, 1e-3}};
    for (int i = 0; i < 3; i++) {
        double error[4];
        for (int level = 0; level < 4; level++) {
            double h = 4e-3 / (1 << level);
            error[level] = relative_error(0.5, h, 1, cases[i].integrator);
            exact_report(cases[i].name, h, error[level]);
        }
        assert_close(exact_order(error, 4), cases[i].order, cases[i].slack);
        assert_at_most(error[3], cases[i].finest);
    }
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "cloth_falling");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_falling_sheet_converges_to_the_exact_path_with_order_2),
        cmocka_unit_test(with_euler_a_falling_sheet_converges_with_order_1),
        cmocka_unit_test(the_steps_that_the_paper_names_converge_with_their_orders),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
