// SPDX-License-Identifier: MIT
// particles_rotation.c: drops of water without gravity, walls or surface tension, with the default
// settings of both methods.
//
// Elliptical drop (Monaghan 1994, J. Comput. Phys. 110): a disc of the radius 1 m with the velocity
// A (-x, y), A = 1/s, stays an ellipse. Its semi-axes a, b along x and y and its strain rate A
// follow
//
//     a' = -A a,   b' = A b,   A' = A^2 (a^2 - b^2) / (a^2 + b^2)
//
// They are measured from the second moments, which are a^2/4 and b^2/4 in an ellipse.
//
// Rotating square patch: a square of 1 m with the velocity w (y, -x), w = 1/s. Pressure is negative
// inside and the corners become arms. There is no exact solution; angular momentum is constant.
//
// Limits, set before the figures were seen: semi-axes within 2 %, angular momentum within 1 %
// (after wt = 1 and 2).
#include "fluids.h"

// Velocities at the start.
static fm_vec3 find_strain_flow(fm_vec3 x)
{
    return (fm_vec3){-x.x, x.y, 0};
}

static fm_vec3 find_rotation(fm_vec3 x)
{
    return (fm_vec3){x.y, -x.x, 0};
}

// Creates a drop with `across` spacings in a metre: a disc of 1 m radius, or a square of 1 m.
static fm_particles *create_drop(fm_world *world, int method, int across, bool square)
{
    fm_particles_def def = fm_default_particles_def();
    def.dimensions = 2;
    def.method = (fm_sph_method)method;
    def.spacing = 1.0 / across;
    def.domain.low = (fm_vec3){-3, -3, 0};
    def.domain.high = (fm_vec3){3, 3, 0};
    fm_particles *drop = create_fluid(world, &def);
    const double s = def.spacing;
    for (int i = -across; i < across; i++)
        for (int j = -across; j < across; j++) {
            double x = (i + 0.5) * s, y = (j + 0.5) * s;
            if (square ? fabs(x) > 0.5 || fabs(y) > 0.5 : x * x + y * y > 1)
                continue;
            fm_vec3 velocity =
                square ? find_rotation((fm_vec3){x, y, 0}) : find_strain_flow((fm_vec3){x, y, 0});
            add_box(drop, &(fm_fluid_box){.low = {x - s / 2, y - s / 2, 0},
                                          .high = {x + s / 2, y + s / 2, 0},
                                          .velocity = velocity});
        }
    return drop;
}

// Semi-axes from the second moments, m.
static void measure_axes(fm_particles *drop, double axes[2])
{
    int n;
    const fm_vec3 *x = fm_particles_positions(drop, &n);
    double xx = 0, yy = 0;
    for (int i = 0; i < n; i++) {
        xx += x[i].x * x[i].x / n;
        yy += x[i].y * x[i].y / n;
    }
    axes[0] = 2 * sqrt(xx);
    axes[1] = 2 * sqrt(yy);
}

// Exact semi-axes after t seconds, by small steps of the midpoint rule.
static void find_exact_axes(double t, double axes[2])
{
    const int steps = 20000;
    const double h = t / steps;
    double a = 1, b = 1, A = 1;
    for (int k = 0; k < steps; k++) {
        double am = a - h / 2 * A * a, bm = b + h / 2 * A * b;
        double Am = A + h / 2 * A * A * (a * a - b * b) / (a * a + b * b);
        a -= h * Am * am;
        b += h * Am * bm;
        A += h * Am * Am * (am * am - bm * bm) / (am * am + bm * bm);
    }
    axes[0] = a;
    axes[1] = b;
}

static void a_drop_becomes_the_exact_ellipse(void **state)
{
    (void)state;
    for (int method = FM_SPH_WEAKLY_COMPRESSIBLE; method <= FM_SPH_CONSTANT_DENSITY; method++) {
        fm_world *world = create_world(1000, 1e-3, no_gravity);
        fm_particles *drop = create_drop(world, method, 20, false);
        for (int k = 1; k <= 2; k++) {
            double axes[2], exact[2], t = 0.4 * k;
            advance(world, 0.4);
            measure_axes(drop, axes);
            find_exact_axes(t, exact);
            printf("  method %d, t = %.1f s: a %.4f (exact %.4f, %+.2f %%), b %.4f (%.4f, %+.2f "
                   "%%)\n",
                   method, t, axes[0], exact[0], 100 * (axes[0] / exact[0] - 1), axes[1], exact[1],
                   100 * (axes[1] / exact[1] - 1));
            assert_close(axes[0], exact[0], 0.02 * exact[0]);
            assert_close(axes[1], exact[1], 0.02 * exact[1]);
        }
        printf("  angular momentum %.1e m^2/s\n", find_angular_momentum(drop));
        fm_world_destroy(world);
    }
}

static void a_rotating_square_keeps_its_angular_momentum(void **state)
{
    (void)state;
    for (int method = FM_SPH_WEAKLY_COMPRESSIBLE; method <= FM_SPH_CONSTANT_DENSITY; method++) {
        fm_world *world = create_world(1000, 1e-3, no_gravity);
        fm_particles *patch = create_drop(world, method, 40, true);
        const double start = find_angular_momentum(patch);
        for (int k = 1; k <= 2; k++) {
            double now = advance(world, 1).kinetic_energy;
            double L = find_angular_momentum(patch), axes[2];
            measure_axes(patch, axes);
            printf("  method %d, wt = %d: angular momentum %+.3f %%, kinetic energy %.2f J, "
                   "spread %.3f m\n",
                   method, k, 100 * (L / start - 1), now, axes[0]);
            assert_close(L, start, 0.01 * fabs(start));
        }
        fm_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drop_becomes_the_exact_ellipse),
        cmocka_unit_test(a_rotating_square_keeps_its_angular_momentum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
