// SPDX-License-Identifier: MIT
// A free sheet that falls as a whole is one particle. Under the published drag with full memory and
// a constant force, all per m^2 of cloth,
//
//     m v' + k1 v + k2 D^q x = f,     D^q x = I^(1-q) v,
//
// the transform is V = f / (s (m s + k1 + k2 s^(q-1))), and expanded in powers of 1/s
//
//     v(t) = f/m sum_n (-1)^n sum_j binomial(n, j) (k1/m)^j (k2/m)^(n-j) t^p / Gamma(p + 1)
//     p = 1 + j + (2 - q) (n - j)
//
// x(t) the same with p + 1. Kick-drift-kick with the product trapezoid is of second order: v is
// linear at the start up to t^(3-q), so the derivative's rule meets nothing it cannot resolve.
// Weight is reduced by buoyancy and pulls askew, so that the projection on the direction of motion
// is tested in all three components.
#include "bodies.h"
#include "exact.h"

static const double viscous = 3, history = 4, density = 1300, thickness = 1.5e-3, medium = 400;
static const fm_vec3 gravity = {2, -9, 3};

// v (extra = 0) or x (extra = 1) along the force, for f = m = 1.
static double series(double q, double k1, double k2, double t, int extra)
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

// Largest error of speed and distance along the force, relative, after `end` s.
static double error_of(double q, double h, double end, fm_integrator integrator)
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
    fm_world *world = make_world(medium, 1e-3, gravity);
    fm_cloth *cloth =
        make_sheet(world, &def, &(fm_sheet){.columns = 5, .rows = 4, .width = 0.5, .height = 0.4});
    fm_vec3 start = fm_cloth_positions(cloth, NULL)[7];
    advance(world, end);
    fm_vec3 x = fm_cloth_positions(cloth, NULL)[7], v = fm_cloth_velocities(cloth, NULL)[7];
    double m = density * thickness, share = (density - medium) / density;
    double exact_v = share * series(q, viscous / m, history / m, end, 0);
    double exact_x = share * series(q, viscous / m, history / m, end, 1);
    double dv = hypot(hypot(v.x - gravity.x * exact_v, v.y - gravity.y * exact_v),
                      v.z - gravity.z * exact_v);
    double dx =
        hypot(hypot(x.x - start.x - gravity.x * exact_x, x.y - start.y - gravity.y * exact_x),
              x.z - start.z - gravity.z * exact_x);
    double g = hypot(hypot(gravity.x, gravity.y), gravity.z);
    fm_world_destroy(world);
    return fmax(dv / fabs(g * exact_v), dx / fabs(g * exact_x));
}

static void falls_like_one_particle(void **state)
{
    (void)state;
    static const double orders[] = {0.3, 0.5, 0.8};
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "order %.1f", orders[i]);
        double error[5];
        for (int level = 0; level < 5; level++) {
            double h = 8e-3 / (1 << level);
            error[level] = error_of(orders[i], h, 1, FM_KICK_DRIFT_KICK);
            exact_report(name, h, error[level]);
        }
        assert_close(exact_order(error, 5), 2, 0.15);
        assert_at_most(error[4], 1e-5);
    }
}

// As published: explicit, first order.
static void euler_is_first_order(void **state)
{
    (void)state;
    double error[4];
    for (int level = 0; level < 4; level++) {
        double h = 2e-3 / (1 << level);
        error[level] = error_of(0.5, h, 1, FM_EULER);
        exact_report("order 0.5, euler", h, error[level]);
    }
    assert_close(exact_order(error, 4), 1, 0.1);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "cloth_particle");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falls_like_one_particle),
        cmocka_unit_test(euler_is_first_order),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
