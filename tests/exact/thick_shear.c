// SPDX-License-Identifier: MIT
// thick_shear.c: stress of the springs of a thickening fluid in steady shear, in a 2D cell that is
// periodic along x with walls that slide in opposite directions. Averaging over the directions of
// springs gives (docs/thickening.md)
//
//     eta = tau_y / g + n <L^2> / (8 alpha) (k_min + k_hist tau^(1-q) c g <L^3> / <L^2>)
//
// with c = 0.424 for the rate of length, as long as g tau < 0.2. n, <L^2> and <L^3> are those of
// the springs in the middle of the cell, where the rate g is measured.
#include "fluids.h"

#include <float.h>

static const double SPACING = 0.01, HEIGHT = 0.2, WIDTH = 0.12; // m
static const double RELAXATION = 0.02, FADING = 0.1;            // s, 1 / alpha and tau
static const double ORDER = 0.5, SHEAR_FACTOR = 0.424;

// A sheared cell.
typedef struct shear {
    double rate;              // 1/s, nominal
    double onset;             // 1/s; 0: no history
    double time_step;         // s; 0: chosen
    fm_hardening_rate harden; // what hardens the springs
} shear;

// What is measured in the middle of the cell, as means over time.
typedef struct measured {
    double rate, stress, viscosity; // 1/s, Pa, Pa s
    double share;                   // stiffness / k_min
    double expected;                // Pa s, viscosity of the formula at this rate
} measured;

// Linear velocity profile.
static void set_profile(fm_particles *fluid, double rate)
{
    fm_error err = {0};
    int count;
    const fm_vec3 *x = fm_particles_positions(fluid, &count);
    fm_vec3 *v = calloc((size_t)count, sizeof *v);
    assert_non_null(v);
    for (int i = 0; i < count; i++)
        v[i].x = rate * (x[i].y - HEIGHT / 2);
    assert_true(fm_particles_set_velocities(fluid, v, &err));
    free(v);
}

// Slope dv_x/dy of the least-squares line through the particles of the middle half, 1/s.
static double find_rate(fm_particles *fluid)
{
    int count;
    const fm_vec3 *x = fm_particles_positions(fluid, &count);
    const fm_vec3 *v = fm_particles_velocities(fluid, NULL);
    double yy = 0, yv = 0;
    for (int i = 0; i < count; i++) {
        double y = x[i].y - HEIGHT / 2;
        if (fabs(y) > HEIGHT / 4)
            continue;
        yy += y * y;
        yv += y * v[i].x;
    }
    return yv / yy;
}

// Adds one moment to the sums of m.
static void add_moment(fm_particles *fluid, const shear *s, measured *m)
{
    fm_spring_stats net = fm_particles_read_springs(fluid, (fm_vec3){-1, HEIGHT / 4, -1},
                                                    (fm_vec3){1, 3 * HEIGHT / 4, 1});
    double n = (double)net.spring_count / (net.particle_count * SPACING * SPACING);
    double rate = find_rate(fluid), k_hist = net.least_stiffness / net.onset_memory;
    double M = pow(FADING, 1 - ORDER) * SHEAR_FACTOR * rate * net.mean_cube / net.mean_square;
    double k = net.least_stiffness + (s->onset > 0 ? k_hist * M : 0);
    m->rate += rate;
    m->stress += net.stress[0];
    m->share += net.mean_stiffness / net.least_stiffness;
    m->expected += n * net.mean_square * RELAXATION / 8 * k;
}

// Shears the fluid by 2 and takes means over the second half of that.
static measured measure(shear s)
{
    const int moments = 40;
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_particles_def def = viscous_fluid_def(2, SPACING, 2e-3, s.rate * HEIGHT / 2);
    def.domain.high = (fm_vec3){WIDTH, HEIGHT, 0};
    def.time_step = s.time_step;
    def.network = (fm_spring_network){.viscosity = 2,
                                      .relaxation = RELAXATION,
                                      .onset = s.onset,
                                      .stiffening = 1000,
                                      .order = ORDER,
                                      .memory = def.network.memory,
                                      .rate = s.harden};
    def.network.memory.fading = FADING;
    set_periodic(&def, 0);
    def.domain.slide[FM_SIDE_BOTTOM].x = -s.rate * HEIGHT / 2;
    def.domain.slide[FM_SIDE_TOP].x = s.rate * HEIGHT / 2;
    fm_particles *fluid = create_fluid(world, &def);
    fill_domain(fluid, 0.1);
    set_profile(fluid, s.rate);
    measured m = {0};
    for (int k = 0; k < 2 * moments; k++) {
        advance(world, 2 / s.rate / (2 * moments));
        if (k >= moments)
            add_moment(fluid, &s, &m);
    }
    m.rate /= moments, m.stress /= moments, m.share /= moments, m.expected /= moments;
    m.viscosity = m.stress / m.rate;
    fm_world_destroy(world);
    return m;
}

static void print(const char *what, shear s, measured m)
{
    printf("  %s, nominal rate %g 1/s, step %g s: rate %.4f 1/s, stress %.4f Pa, viscosity %.4f "
           "Pa s, formula %.4f, stiffness / k_min %.4f\n",
           what, s.rate, s.time_step, m.rate, m.stress, m.viscosity, m.expected, m.share);
}

static void viscosity_follows_the_formula(void **state)
{
    (void)state;
    const double rates[] = {0.25, 0.5, 1, 2}; // 1/s, g tau up to 0.2
    for (int k = 0; k < 4; k++) {
        shear off = {.rate = rates[k]}, on = {.rate = rates[k], .onset = 0.5};
        print("without history", off, measure(off));
        print("with history", on, measure(on));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(viscosity_follows_the_formula)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
