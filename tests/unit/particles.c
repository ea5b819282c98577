// SPDX-License-Identifier: MIT
// Particle fluids: kernels, neighbours against all pairs, what is refused, sources and sinks, open
// sides, balls that float and sink, points of colliders, states saved and damaged.
#include "particles/particles.h"
#include "fluids.h"
#include "world/world.h"

#include <string.h>

// n / R^d w(q) of the table in kernels.h, by Simpson's rule over the disc or ball, R = 1.
static double integrate(double (*w)(double q, int dimensions), int dimensions)
{
    enum { STEPS = 20000 };
    double sum = 0, h = 1.0 / STEPS;
    for (int i = 0; i <= STEPS; i++) {
        double q = fmax(i * h, 1e-9), shell = dimensions == 2 ? 2 * FM_PI * q : 4 * FM_PI * q * q;
        sum += (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2) * h / 3 * shell * w(q, dimensions);
    }
    return sum;
}

static fm_floats wide(double q)
{
    return (fm_floats){(float)q};
}

static double poly6(double q, int d)
{
    return fm_kernel_norm(FM_POLY6, d) * fm_poly6(wide(q))[0];
}

static double spiky(double q, int d)
{
    return fm_kernel_norm(FM_SPIKY, d) * pow(1 - q, 3);
}

// As kernels.h has it beside its Laplacian.
static double viscosity(double q, int d)
{
    return d == 3 ? 15 / (2 * FM_PI) * (-q * q * q / 2 + q * q + 1 / (2 * q) - 1)
                  : 40 / FM_PI * (q * q / 4 - q * q * q / 9 - log(q) / 6 - 5.0 / 36);
}

static double wendland(double q, int d)
{
    return fm_kernel_norm(FM_WENDLAND, d) * fm_wendland(wide(q))[0];
}

static void kernels_integrate_to_one(void **state)
{
    (void)state;
    double (*const kernels[4])(double, int) = {poly6, spiky, viscosity, wendland};
    for (int d = 2; d <= 3; d++)
        for (int k = 0; k < 4; k++)
            assert_close(integrate(kernels[k], d), 1, 1e-5); // single precision
}

static void slopes_are_derivatives(void **state)
{
    (void)state;
    double h = 1e-4;
    for (int d = 2; d <= 3; d++) {
        for (int k = 1; k < 20; k++) {
            double q = 0.05 * k;
            // exact functions, so that differences are not of roundings
            double w = fm_kernel_norm(FM_WENDLAND, d), s = fm_kernel_norm(FM_SPIKY, d);
            double slope = w *
                           (pow(1 - q - h, 4) * (5 - 4 * (1 - q - h)) -
                            pow(1 - q + h, 4) * (5 - 4 * (1 - q + h))) /
                           (2 * h);
            assert_close(w * fm_wendland_slope(wide(q))[0] * q, slope, 1e-4 * w);
            slope = (spiky(q + h, d) - spiky(q - h, d)) / (2 * h);
            assert_close(s * fm_spiky_slope(wide(q))[0] * q, slope, 1e-4 * s);
            double laplacian =
                (viscosity(q + h, d) - 2 * viscosity(q, d) + viscosity(q - h, d)) / (h * h) +
                (d - 1) / q * (viscosity(q + h, d) - viscosity(q - h, d)) / (2 * h);
            double given = fm_kernel_norm(FM_VISCOSITY, d) * fm_viscosity_laplacian(wide(q))[0];
            assert_close(given, laplacian, 1e-2);
            // the shapes used in the loops are those tested above
            assert_close(fm_wendland(wide(q))[0], pow(1 - q, 4) * (1 + 4 * q), 1e-6);
        }
    }
    // and they vanish with their slopes at the end
    assert_close(fm_wendland(wide(1))[0] + fm_poly6(wide(1))[0], 0, 0);
    assert_close(fm_wendland_slope(wide(1))[0] + fm_spiky_slope(wide(1))[0], 0, 0);
}

// All of the lists that the loops read, against all pairs, in a splash with copies and walls.
static void expect_all_neighbours(int dimensions, double support)
{
    fm_world *world = make_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
    fm_particles_def def = fm_default_particles_def();
    def.dimensions = dimensions;
    def.spacing = dimensions == 2 ? 0.025 : 0.06;
    def.support = support;
    make_periodic(&def, 0);
    def.domain.sides[FM_SIDE_TOP] = FM_SIDE_OPEN;
    fm_particles *p = make_fluid(world, &def);
    add_box(p, &(fm_fluid_box){.high = {0.5, 0.7, 1}, .velocity = {2, 3, 0}, .jitter = 0.4});
    advance(world, 0.2);
    int room[FM_NEIGHBOURS_ROOM], count, extra;
    for (int i = 0; i < p->count; i++) {
        for (int set = 0; set < 2; set++) {
            const fm_swarm *in = set ? &p->others : &p->fluid;
            const int *list = set ? fm_others_of(p, i, room, &count, &extra)
                                  : fm_list_of(p, i, room, &count, &extra);
            int expected = 0;
            for (int j = 0; j < in->count; j++) {
                double dx = (double)p->fluid.x[i] - in->x[j], dy = (double)p->fluid.y[i] - in->y[j];
                double dz = (double)p->fluid.z[i] - in->z[j];
                expected += dx * dx + dy * dy + dz * dz < p->R * p->R * (1 - 1e-6);
            }
            assert_true(count - extra >= expected && count % 8 == 0);
            for (int k = 0; k < count - extra; k++)
                for (int m = 0; m < k; m++)
                    assert_int_not_equal(list[k], list[m]);
            for (int k = 0; k < count; k++) {
                int j = list[k];
                double dx = (double)p->fluid.x[i] - in->x[j], dy = (double)p->fluid.y[i] - in->y[j];
                double dz = (double)p->fluid.z[i] - in->z[j];
                assert_true(dx * dx + dy * dy + dz * dz < p->R * p->R * (1 + 1e-6));
            }
        }
    }
    fm_world_destroy(world);
}

static void neighbours_are_those_of_all_pairs(void **state)
{
    (void)state;
    expect_all_neighbours(2, 3);
    expect_all_neighbours(3, 2);
    expect_all_neighbours(3, 2.7);
}

static void expect_refused(const fm_particles_def *def, const char *field)
{
    fm_error err = {0};
    fm_world *world = make_world(1000, 1e-3, no_gravity);
    assert_null(fm_particles_create(world, def, &err));
    assert_int_equal(err.status, FM_BAD_VALUE);
    assert_string_equal(err.field, field);
    fm_world_destroy(world);
}

static void bad_values_are_refused(void **state)
{
    (void)state;
    const fm_particles_def good = fm_default_particles_def();
    fm_particles_def def = good;
    def.dimensions = 4, expect_refused(&def, "dimensions"), def = good;
    def.spacing = 0, expect_refused(&def, "spacing"), def = good;
    def.support = 1, expect_refused(&def, "support"), def = good;
    def.density = NAN, expect_refused(&def, "density"), def = good;
    def.viscosity = -1, expect_refused(&def, "viscosity"), def = good;
    def.method = (fm_sph_method)7, expect_refused(&def, "method"), def = good;
    def.domain.high.y = 0, expect_refused(&def, "domain.high"), def = good;
    def.domain.sides[0] = FM_SIDE_PERIODIC, expect_refused(&def, "domain.sides"), def = good;
    def.courant = 2, expect_refused(&def, "courant"), def = good;
    fm_error err = {0};
    fm_world *world = make_world(1000, 1e-3, no_gravity);
    fm_particles *fluid = make_fluid(world, &good);
    assert_false(fm_particles_add_box(fluid, &(fm_fluid_box){.high = {2, 1, 1}}, &err));
    assert_string_equal(err.field, "box.high");
    err = (fm_error){0};
    assert_false(fm_particles_add_source(fluid, &(fm_fluid_source){.direction = {0}}, &err));
    err = (fm_error){0};
    assert_false(fm_particles_add_push(fluid, &(fm_fluid_push){.radius = -1}, &err));
    err = (fm_error){0};
    fm_collider_def box = fm_default_collider_def();
    box.shape.kind = FM_SHAPE_BOX;
    box.mass = 1; // only balls float
    assert_null(fm_collider_create(world, &box, &err));
    assert_string_equal(err.field, "mass");
    fm_world_destroy(world);
}

static void fluid_comes_and_goes(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = make_world(1000, 1e-3, no_gravity);
    fm_particles_def def = fm_default_particles_def();
    def.spacing = 0.05;
    def.speed = 2;
    def.capacity = 400;
    fm_particles *fluid = make_fluid(world, &def);
    fm_fluid_source source = {
        .centre = {0.2, 0.5, 0.5}, .direction = {5, 0, 0}, .radius = 0.11, .speed = 1, .end = 0.5};
    assert_true(fm_particles_add_source(fluid, &source, &err));
    fm_fluid_sink sink = {.low = {0.8, 0, 0}, .high = {1, 1, 1}};
    assert_true(fm_particles_add_sink(fluid, &sink, &err));
    advance(world, 0.4999);
    // 13 sites in a disc of 2.2 spacings; a layer every 0.05 s from 0 on
    assert_int_equal(fm_particles_count(fluid), 13 * 10);
    const fm_vec3 *v = fm_particles_velocities(fluid, NULL);
    assert_close(v[0].x, 1, 0.2);
    advance(world, 1);
    fm_particles_stats stats = fm_particles_read_stats(fluid);
    assert_true(stats.removed_count > 50);
    assert_int_equal(stats.removed_count + fm_particles_count(fluid), 130);
    assert_int_equal(stats.refused_count, 0);
    // what is left is still in the order it was made
    double *id = read_fluid(fluid, "id", 1);
    for (int i = 1; i < fm_particles_count(fluid); i++)
        assert_true(id[i] > id[i - 1]);
    free(id);
    fm_world_destroy(world);
}

static void a_full_fluid_says_so(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = make_world(1000, 1e-3, no_gravity);
    fm_particles_def def = fm_default_particles_def();
    def.spacing = 0.05;
    def.capacity = 30;
    fm_particles *fluid = make_fluid(world, &def);
    fm_fluid_source source = {.centre = {0.2, 0.5, 0.5},
                              .direction = {1, 0, 0},
                              .radius = 0.11,
                              .speed = 1,
                              .end = INFINITY};
    assert_true(fm_particles_add_source(fluid, &source, &err));
    advance(world, 0.3);
    assert_int_equal(fm_particles_count(fluid), 30);
    assert_true(fm_particles_read_stats(fluid).refused_count > 0);
    fm_world_destroy(world);
}

static void what_leaves_is_counted(void **state)
{
    (void)state;
    fm_world *world = make_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
    fm_particles_def def = fm_default_particles_def();
    def.spacing = 0.1;
    def.domain.sides[FM_SIDE_BOTTOM] = FM_SIDE_OPEN;
    fm_particles *fluid = make_fluid(world, &def);
    add_box(fluid, &(fm_fluid_box){.low = {0.3, 0.1, 0.3}, .high = {0.7, 0.5, 0.7}});
    int n = fm_particles_count(fluid);
    assert_int_equal(fm_world_report(world).outside_count, 0);
    fm_report report = advance(world, 0.5);
    assert_int_equal(report.outside_count, n);
    assert_int_equal(report.particle_count, n);
    const fm_vec3 *v = fm_particles_velocities(fluid, NULL);
    for (int i = 0; i < n; i++)
        assert_close(v[i].y, -9.81 * 0.5, 0.5); // they fell
    fm_world_destroy(world);
}

// A half of the box is denser, by s, than the other: what its front does to those before it, m/s^2:
// half of the difference in pressure, over a spacing.
static double push_of(double s)
{
    fm_world *world = make_world(1000, 1e-3, no_gravity);
    fm_particles_def def = fm_default_particles_def();
    def.dimensions = 2;
    def.spacing = 0.05;
    def.speed = 1; // c = 10 m/s
    for (int side = 0; side < FM_SIDE_COUNT; side++)
        def.domain.sides[side] = FM_SIDE_PERIODIC;
    fm_particles *p = make_fluid(world, &def);
    fill_domain(p, 0);
    for (int i = 0; i < p->count; i++) // P = c^2 s until it begins
        p->now.s[i] = p->now.x[i] < 0.5 ? (float)(100 * s) : 0;
    advance(world, 1e-6);
    double push = 0;
    for (int i = 0; i < p->count; i++)
        if (p->now.x[i] > 0.5 && p->now.x[i] < 0.75)
            push += (double)p->now.vx[i] / 1e-6 / 20; // rows
    fm_world_destroy(world);
    return push;
}

// However dense: fluid that a shock has crushed must not hold together.
static void what_is_denser_pushes_harder(void **state)
{
    (void)state;
    static const double s[] = {0.01, 0.1, 0.3, 0.5, 0.9, 1.1, 1.5, 3};
    double before = 0;
    for (int k = 0; k < 8; k++) {
        double push = push_of(s[k]);
        printf("  denser by %g: %.3g m/s^2\n", s[k], push);
        assert_true(push > before);
        before = push;
    }
    assert_close(push_of(0.01), 100 * 0.01 / 2 / 0.05, 0.1);
}

// Points of a ball fill it: the share of cells makes up for the lattice.
static void points_have_the_volume_of_the_solid(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = make_world(1000, 1e-3, no_gravity);
    fm_collider_def ball = fm_default_collider_def();
    ball.shape.centre = (fm_vec3){0.5, 0.5, 0.5};
    ball.shape.radius = 0.123;
    assert_non_null(fm_collider_create(world, &ball, &err));
    fm_particles_def def = fm_default_particles_def();
    def.spacing = 0.05;
    def.support = 4; // deep enough for all of it
    fm_particles *p = make_fluid(world, &def);
    add_box(p, &(fm_fluid_box){.high = {1, 1, 1}});
    // those inside the ball were left out
    int n;
    const fm_vec3 *x = fm_particles_positions(p, &n);
    for (int i = 0; i < n; i++)
        assert_true(hypot(hypot(x[i].x - 0.5, x[i].y - 0.5), x[i].z - 0.5) > 0.123);
    advance(world, 1e-5);
    double volume = 0, all = 0;
    for (int i = 0; i < p->point_count; i++) {
        volume += p->points[i].owner == 0 ? p->points[i].volume : 0;
        all += p->points[i].owner < 0 ? p->points[i].volume : 0;
    }
    assert_close(volume / (4.0 / 3 * FM_PI * pow(0.123, 3)), 1, 0.05);
    assert_close(all, pow(1.4, 3) - 1, 1e-4); // walls four layers deep
    fm_world_destroy(world);
}

static void damaged_states_are_refused(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = make_world(1000, 1e-3, no_gravity);
    fm_particles_def def = fm_default_particles_def();
    def.spacing = 0.2;
    fm_particles *fluid = make_fluid(world, &def);
    fill_domain(fluid, 0.1);
    advance(world, 1e-3);
    size_t size = fm_world_save(world, NULL, 0);
    unsigned char *bytes = malloc(size);
    assert_int_equal(fm_world_save(world, bytes, size), size);
    uint64_t hash = fm_world_hash(world);
    size_t part = fm_particles_save(fluid, NULL, 0);
    unsigned char *own = malloc(part);
    fm_particles_save(fluid, own, part);
    for (size_t cut = 0; cut < part; cut += 37) {
        err = (fm_error){0};
        assert_false(fm_particles_restore(fluid, own, cut, &err));
    }
    int32_t many = 1 << 30;
    memcpy(own + 12, &many, sizeof many); // the count
    err = (fm_error){0};
    assert_false(fm_particles_restore(fluid, own, part, &err));
    assert_int_equal(fm_world_hash(world), hash);
    err = (fm_error){0};
    assert_true(fm_world_restore(world, bytes, size, &err));
    assert_int_equal(fm_world_hash(world), hash);
    free(own);
    free(bytes);
    fm_world_destroy(world);
}

static void nan_is_found(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = make_world(1000, 1e-3, no_gravity);
    fm_particles_def def = fm_default_particles_def();
    def.spacing = 0.2;
    fm_particles *fluid = make_fluid(world, &def);
    fill_domain(fluid, 0);
    fluid->now.vx[7] = NAN;
    fm_world_advance(world, 1e-3, &err);
    assert_int_equal(err.status, FM_DIVERGED);
    fm_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_integrate_to_one),
        cmocka_unit_test(slopes_are_derivatives),
        cmocka_unit_test(neighbours_are_those_of_all_pairs),
        cmocka_unit_test(bad_values_are_refused),
        cmocka_unit_test(fluid_comes_and_goes),
        cmocka_unit_test(a_full_fluid_says_so),
        cmocka_unit_test(what_leaves_is_counted),
        cmocka_unit_test(what_is_denser_pushes_harder),
        cmocka_unit_test(points_have_the_volume_of_the_solid),
        cmocka_unit_test(damaged_states_are_refused),
        cmocka_unit_test(nan_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
