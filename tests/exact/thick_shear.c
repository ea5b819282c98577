// SPDX-License-Identifier: MIT
// thick_shear.c: stress of the springs of a thickening fluid in steady shear, in a cell that is
// periodic along x and z with walls that slide in opposite directions. Averaging over the
// directions of springs gives (docs/thickening.md)
//
//     eta = tau_y / g + n <L^2> / (d alpha) (k_min + k_hist tau^(1-q) c g <L^3> / <L^2>)
//
// with d = 8, c = 0.424 in 2D and d = 15, c = 0.364 in 3D for the rate of length, as long as
// g tau < 0.2. n, <L^2> and <L^3> are those of the springs in the middle of the cell, where the
// rate g is measured.
#include "fluids.h"

#include <float.h>

static const double SPACING = 0.01, HEIGHT = 0.2, WIDTH = 0.08; // m
static const double RELAXATION = 0.02, FADING = 0.1;            // s, 1 / alpha and tau
static const double ORDER = 0.5, VISCOSITY = 2;                 // Pa s, of the springs

// A sheared cell.
typedef struct shear {
    int dimensions;
    double rate;      // 1/s, nominal
    double onset;     // 1/s; 0: no history
    double time_step; // s; 0: chosen
    double yield;     // yield ratio of the springs
} shear;

// What is measured in the middle of the cell, as means over time.
typedef struct measured {
    double rate, stress, viscosity; // 1/s, Pa, Pa s
    double share;                   // stiffness / k_min
    double expected;                // Pa s, viscosity of the formula at this rate
    double square, length; // springs per particle times <L^2>, and <L^3> / <L^2>, in spacings
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
    bool flat = s->dimensions == 2;
    double volume = pow(SPACING, s->dimensions);
    double n = (double)net.spring_count / (net.particle_count * volume);
    double rate = find_rate(fluid), k_hist = net.least_stiffness / net.onset_memory;
    double M =
        pow(FADING, 1 - ORDER) * (flat ? 0.424 : 0.364) * rate * net.mean_cube / net.mean_square;
    double k = net.least_stiffness + (s->onset > 0 ? k_hist * M : 0);
    assert_int_equal(net.limited_count, 0);
    assert_int_equal(net.refused_count, 0);
    m->rate += rate;
    m->stress += net.stress[0];
    m->share += net.mean_stiffness / net.least_stiffness;
    m->expected += n * net.mean_square * RELAXATION / (flat ? 8 : 15) * k;
    m->square += n * volume * net.mean_square / (SPACING * SPACING);
    m->length += net.mean_cube / net.mean_square / SPACING;
}

// Shears the fluid by 2 and takes means over the second half of that.
static measured measure(shear s)
{
    const int moments = 40;
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_particles_def def = viscous_fluid_def(s.dimensions, SPACING, 2e-3, s.rate * HEIGHT / 2);
    def.domain.high = (fm_vec3){WIDTH, HEIGHT, WIDTH};
    def.time_step = s.time_step;
    def.network = (fm_spring_network){.viscosity = VISCOSITY,
                                      .relaxation = RELAXATION,
                                      .onset = s.onset,
                                      .stiffening = 1000,
                                      .order = ORDER,
                                      .memory = def.network.memory,
                                      .yield = s.yield};
    def.network.memory.fading = FADING;
    set_periodic(&def, 0), set_periodic(&def, 2);
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
    m.square /= moments, m.length /= moments;
    m.viscosity = m.stress / m.rate;
    fm_world_destroy(world);
    return m;
}

static void print(const char *what, shear s, measured m)
{
    printf(
        "  %dD %s, nominal rate %g 1/s, step %g s: rate %.4f 1/s, stress %.4f Pa, viscosity %.4f "
        "Pa s, formula %.4f, stiffness / k_min %.4f, L2 %.3f, L3/L2 %.3f\n",
        s.dimensions, what, s.rate, s.time_step, m.rate, m.stress, m.viscosity, m.expected, m.share,
        m.square, m.length);
}

static measured run(const char *what, shear s)
{
    measured m = measure(s);
    print(what, s, m);
    return m;
}

// The slope of the viscosity over the rate, for g tau up to 0.2, is that of the formula; without
// history the viscosity is constant and that of the definition. slope, viscosity: largest relative
// differences.
static void expect_formula(int dimensions, double slope, double viscosity)
{
    shear slow = {dimensions, .rate = 0.5, .onset = 0.5}, fast = slow, off = slow;
    fast.rate = 2;
    off.onset = 0;
    measured a = run("with history", slow), b = run("with history", fast),
             c = run("without history", off);
    double expected = (b.expected - a.expected) / (b.rate - a.rate);
    double found = (b.viscosity - a.viscosity) / (b.rate - a.rate);
    printf("  slope %.3f, formula %.3f Pa s^2\n", found, expected);
    assert_at_most(fabs(found / expected - 1), slope);
    assert_at_most(fabs(c.viscosity / VISCOSITY - 1), viscosity);
    // at the onset the viscosity of the network is twice that without history
    double at_onset = c.viscosity + (a.viscosity - c.viscosity) * slow.onset / a.rate;
    printf("  at the onset %.3f times that without history\n", at_onset / c.viscosity);
    assert_at_most(fabs(at_onset / c.viscosity / 2 - 1), 0.15);
}

static void viscosity_in_the_plane_follows_the_formula(void **state)
{
    (void)state;
    expect_formula(2, 0.15, 0.15);
}

static void viscosity_in_space_follows_the_formula(void **state)
{
    (void)state;
    expect_formula(3, 0.15, 0.15);
}

// Without history a fluid with a yield ratio thins.
static void viscosity_without_history_falls(void **state)
{
    (void)state;
    shear s = {2, .rate = 0.5, .yield = 0.005}, faster = s;
    faster.rate = 2;
    measured a = run("yield", s), b = run("yield", faster);
    assert_true(b.rate > 2 * a.rate);
    assert_at_most(b.viscosity / a.viscosity, 0.8);
}

// Fading memory does not depend on the step.
static void stress_does_not_depend_on_the_step(void **state)
{
    (void)state;
    double stress[3];
    for (int k = 0; k < 3; k++) {
        shear s = {2, .rate = 1, .onset = 0.5, .time_step = 2e-3 / (1 << k)};
        stress[k] = run("with history", s).viscosity;
    }
    assert_at_most(fabs(stress[0] / stress[2] - 1), 0.05);
    assert_at_most(fabs(stress[1] / stress[2] - 1), 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(viscosity_in_the_plane_follows_the_formula),
        cmocka_unit_test(viscosity_in_space_follows_the_formula),
        cmocka_unit_test(viscosity_without_history_falls),
        cmocka_unit_test(stress_does_not_depend_on_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
