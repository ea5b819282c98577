// SPDX-License-Identifier: MIT
// particles.c: particle fluids: kernels, neighbour lists against all pairs, refused definitions,
// sources and sinks, open sides, lone particles, volume of boundary particles, damaged snapshots.
#include "particles/particles.h"
#include "fluids.h"
#include "world/world.h"

#include <string.h>

// Integral of a smoothing kernel w with the support radius 1 over the disc or ball, by Simpson's
// rule. q: distance from the centre.
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

// A SIMD vector whose first element is q, as the argument of a kernel.
static fm_floats wide(double q)
{
    return (fm_floats){(float)q};
}

// Normalised smoothing kernels of the library at the distance q, in d dimensions.
static double poly6(double q, int d)
{
    return fm_kernel_norm(FM_KERNEL_POLY6, d) * fm_kernel_poly6(wide(q))[0];
}

static double spiky(double q, int d)
{
    return fm_kernel_norm(FM_KERNEL_SPIKY, d) * pow(1 - q, 3);
}

// The kernel whose Laplacian is fm_kernel_viscosity_laplacian (core/smoothing_kernels.h).
static double viscosity(double q, int d)
{
    return d == 3 ? 15 / (2 * FM_PI) * (-q * q * q / 2 + q * q + 1 / (2 * q) - 1)
                  : 40 / FM_PI * (q * q / 4 - q * q * q / 9 - log(q) / 6 - 5.0 / 36);
}

static double wendland(double q, int d)
{
    return fm_kernel_norm(FM_KERNEL_WENDLAND, d) * fm_kernel_wendland(wide(q))[0];
}

static void kernels_integrate_to_one(void **state)
{
    (void)state;
    double (*const kernels[4])(double, int) = {poly6, spiky, viscosity, wendland};
    for (int d = 2; d <= 3; d++)
        for (int k = 0; k < 4; k++)
            assert_close(integrate(kernels[k], d), 1, 1e-5); // kernels are in single precision
}

static void kernel_slopes_are_derivatives_of_the_kernels(void **state)
{
    (void)state;
    double h = 1e-4; // for central differences
    for (int d = 2; d <= 3; d++) {
        for (int k = 1; k < 20; k++) {
            double q = 0.05 * k;
            // double-precision kernels, so that rounding does not spoil the differences
            double w = fm_kernel_norm(FM_KERNEL_WENDLAND, d),
                   s = fm_kernel_norm(FM_KERNEL_SPIKY, d);
            double slope = w *
                           (pow(1 - q - h, 4) * (5 - 4 * (1 - q - h)) -
                            pow(1 - q + h, 4) * (5 - 4 * (1 - q + h))) /
                           (2 * h);
            assert_close(w * fm_kernel_wendland_slope(wide(q))[0] * q, slope, 1e-4 * w);
            slope = (spiky(q + h, d) - spiky(q - h, d)) / (2 * h);
            assert_close(s * fm_kernel_spiky_slope(wide(q))[0] * q, slope, 1e-4 * s);
            double laplacian =
                (viscosity(q + h, d) - 2 * viscosity(q, d) + viscosity(q - h, d)) / (h * h) +
                (d - 1) / q * (viscosity(q + h, d) - viscosity(q - h, d)) / (2 * h);
            double given =
                fm_kernel_norm(FM_KERNEL_VISCOSITY, d) * fm_kernel_viscosity_laplacian(wide(q))[0];
            assert_close(given, laplacian, 1e-2);
            // the single-precision kernel of the loops equals the double-precision one above
            assert_close(fm_kernel_wendland(wide(q))[0], pow(1 - q, 4) * (1 + 4 * q), 1e-6);
        }
    }
    // kernels and slopes vanish at the support radius
    assert_close(fm_kernel_wendland(wide(1))[0] + fm_kernel_poly6(wide(1))[0], 0, 0);
    assert_close(fm_kernel_wendland_slope(wide(1))[0] + fm_kernel_spiky_slope(wide(1))[0], 0, 0);
}

// Compares all neighbour lists with a test of all pairs, in a splash with ghost and wall particles.
// The margins of 1e-6 allow for rounding in single precision. Lists are padded to multiples of 8
// with repeated entries. support: radius of the kernel, in spacings.
static void expect_all_neighbours(int dimensions, double support)
{
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
    fm_particles_def def = fm_default_particles_def();
    def.dimensions = dimensions;
    def.spacing = dimensions == 2 ? 0.025 : 0.06;
    def.support = support;
    set_periodic(&def, 0);
    def.domain.sides[FM_SIDE_TOP] = FM_SIDE_OPEN;
    fm_particles *p = create_fluid(world, &def);
    add_box(p, &(fm_fluid_box){.high = {0.5, 0.7, 1}, .velocity = {2, 3, 0}, .jitter = 0.4});
    advance(world, 0.2);
    int room[FM_NEIGHBOURS_CAPACITY], count, padding;
    for (int i = 0; i < p->count; i++) {
        for (int set = 0; set < 2; set++) {
            const fm_particle_set *in = set ? &p->boundary : &p->fluid;
            const int *list = set ? fm_neighbours_in_boundary(p, i, room, &count, &padding)
                                  : fm_neighbours_in_fluid(p, i, room, &count, &padding);
            int expected = 0;
            for (int j = 0; j < in->count; j++) {
                double dx = (double)p->fluid.x[i] - in->x[j], dy = (double)p->fluid.y[i] - in->y[j];
                double dz = (double)p->fluid.z[i] - in->z[j];
                expected += dx * dx + dy * dy + dz * dz < p->R * p->R * (1 - 1e-6);
            }
            assert_true(count - padding >= expected && count % 8 == 0);
            for (int k = 0; k < count - padding; k++)
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

static void neighbour_lists_equal_a_search_over_all_pairs(void **state)
{
    (void)state;
    expect_all_neighbours(2, 3);
    expect_all_neighbours(3, 2);
    expect_all_neighbours(3, 2.7);
}

// Asserts that the definition of a fluid is refused because of this field.
static void expect_refused(const fm_particles_def *def, const char *field)
{
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    assert_null(fm_particles_create(world, def, &err));
    assert_int_equal(err.status, FM_BAD_VALUE);
    assert_string_equal(err.field, field);
    fm_world_destroy(world);
}

static void fluid_definitions_out_of_range_are_refused(void **state)
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
    def.network.viscosity = -1, expect_refused(&def, "network.viscosity"), def = good;
    fm_particles_def springs = good;
    springs.network.viscosity = 1;
    def = springs, def.network.relaxation = 0, expect_refused(&def, "network.relaxation");
    def = springs, def.network.yield = 1, expect_refused(&def, "network.yield");
    def = springs, def.network.stiffening = 0.5, expect_refused(&def, "network.stiffening");
    def = springs, def.network.order = 1, expect_refused(&def, "network.order");
    def = springs, def.network.rate = (fm_hardening_rate)3, expect_refused(&def, "network.rate");
    def = springs, def.network.memory.kind = FM_RECALL_STEPS,
    expect_refused(&def, "network.memory");
    def = springs, def.network.rate = FM_HARDENING_DISPLACEMENT,
    expect_refused(&def, "network.memory");
    def = springs, def.network.threshold = -1, expect_refused(&def, "network.threshold");
    def = good, def.method = FM_SPH_RELAXATION, set_periodic(&def, 0);
    expect_refused(&def, "domain.sides");
    def = good, def.list_time = -1, expect_refused(&def, "list_time");
    def = good, def.sound_ratio = 0, expect_refused(&def, "sound_ratio");
    def = springs, def.support = 1.5, expect_refused(&def, "support");
    def = good;
    def.domain.high.y = 0, expect_refused(&def, "domain.high"), def = good;
    def.domain.sides[0] = FM_SIDE_PERIODIC, expect_refused(&def, "domain.sides"), def = good;
    def.courant = 2, expect_refused(&def, "courant"), def = good;
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_particles *fluid = create_fluid(world, &good);
    assert_false(fm_particles_add_box(fluid, &(fm_fluid_box){.high = {2, 1, 1}}, &err));
    assert_string_equal(err.field, "box.high");
    err = (fm_error){0};
    assert_false(fm_particles_add_source(fluid, &(fm_fluid_source){.direction = {0}}, &err));
    err = (fm_error){0};
    assert_false(fm_particles_add_push(fluid, &(fm_fluid_push){.radius = -1}, &err));
    err = (fm_error){0};
    fm_collider_def box = fm_default_collider_def();
    box.shape.kind = FM_SHAPE_BOX;
    box.mass = 1; // only balls may have a mass
    assert_null(fm_collider_create(world, &box, &err));
    assert_string_equal(err.field, "mass");
    fm_world_destroy(world);
}

static void sources_emit_and_sinks_remove_particles(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_particles_def def = fm_default_particles_def();
    def.spacing = 0.05;
    def.speed = 2;
    def.capacity = 400;
    fm_particles *fluid = create_fluid(world, &def);
    fm_fluid_source source = {
        .centre = {0.2, 0.5, 0.5}, .direction = {5, 0, 0}, .radius = 0.11, .speed = 1, .end = 0.5};
    assert_true(fm_particles_add_source(fluid, &source, &err));
    fm_fluid_sink sink = {.low = {0.8, 0, 0}, .high = {1, 1, 1}};
    assert_true(fm_particles_add_sink(fluid, &sink, &err));
    advance(world, 0.4999);
    // the disc of 2.2 spacings has 13 lattice sites, and a layer is emitted every 0.05 s from t = 0
    assert_int_equal(fm_particles_count(fluid), 13 * 10);
    const fm_vec3 *v = fm_particles_velocities(fluid, NULL);
    assert_close(v[0].x, 1, 0.2);
    advance(world, 1);
    fm_particles_stats stats = fm_particles_read_stats(fluid);
    assert_true(stats.removed_count > 50);
    assert_int_equal(stats.removed_count + fm_particles_count(fluid), 130);
    assert_int_equal(stats.refused_count, 0);
    // the remaining particles are read in order of creation
    double *id = read_fluid(fluid, "id", 1);
    for (int i = 1; i < fm_particles_count(fluid); i++)
        assert_true(id[i] > id[i - 1]);
    free(id);
    fm_world_destroy(world);
}

static void particles_beyond_the_capacity_are_counted_as_refused(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_particles_def def = fm_default_particles_def();
    def.spacing = 0.05;
    def.capacity = 30;
    fm_particles *fluid = create_fluid(world, &def);
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

static void particles_beyond_an_open_side_fall_and_are_counted(void **state)
{
    (void)state;
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
    fm_particles_def def = fm_default_particles_def();
    def.spacing = 0.1;
    def.domain.sides[FM_SIDE_BOTTOM] = FM_SIDE_OPEN;
    fm_particles *fluid = create_fluid(world, &def);
    add_box(fluid, &(fm_fluid_box){.low = {0.3, 0.1, 0.3}, .high = {0.7, 0.5, 0.7}});
    int n = fm_particles_count(fluid);
    assert_int_equal(fm_world_report(world).outside_count, 0);
    fm_report report = advance(world, 0.5);
    assert_int_equal(report.outside_count, n);
    assert_int_equal(report.particle_count, n);
    const fm_vec3 *v = fm_particles_velocities(fluid, NULL);
    for (int i = 0; i < n; i++)
        assert_close(v[i].y, -9.81 * 0.5, 0.5); // free fall
    fm_world_destroy(world);
}

// Acceleration of the particles at the interface, m/s^2, when one half of the box is denser by the
// relative excess s: half of the pressure difference over a spacing.
static double find_interface_acceleration(double s)
{
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_particles_def def = fm_default_particles_def();
    def.dimensions = 2;
    def.spacing = 0.05;
    def.speed = 1; // c = 10 m/s
    for (int side = 0; side < FM_SIDE_COUNT; side++)
        def.domain.sides[side] = FM_SIDE_PERIODIC;
    fm_particles *p = create_fluid(world, &def);
    fill_domain(p, 0);
    for (int i = 0; i < p->count; i++) // initial pressure P = c^2 s
        p->P[i] = p->now.x[i] < 0.5 ? (float)(100 * s) : 0;
    advance(world, 1e-6);
    double acceleration = 0;
    for (int i = 0; i < p->count; i++)
        if (p->now.x[i] > 0.5 && p->now.x[i] < 0.75)
            acceleration += (double)p->now.vx[i] / 1e-6 / 20; // 20 rows of particles
    fm_world_destroy(world);
    return acceleration;
}

// The pressure force grows with the density, for any density: fluid compressed by a shock must
// expand again.
static void denser_fluid_pushes_harder(void **state)
{
    (void)state;
    static const double s[] = {0.01, 0.1, 0.3, 0.5, 0.9, 1.1, 1.5, 3};
    double before = 0;
    for (int k = 0; k < 8; k++) {
        double acceleration = find_interface_acceleration(s[k]);
        printf("  denser by %g: %.3g m/s^2\n", s[k], acceleration);
        assert_true(acceleration > before);
        before = acceleration;
    }
    assert_close(find_interface_acceleration(0.01), 100 * 0.01 / 2 / 0.05, 0.1);
}

// Creates a fluid of one particle with open sides, on which no force acts.
static fm_particles *create_lone_particle(fm_world *world, fm_sph_method method, double speed)
{
    fm_particles_def def = fm_default_particles_def();
    def.spacing = 0.1;
    def.method = method;
    def.viscosity = 0;
    for (int side = 0; side < FM_SIDE_COUNT; side++)
        def.domain.sides[side] = FM_SIDE_OPEN;
    fm_particles *p = create_fluid(world, &def);
    add_box(p, &(fm_fluid_box){
                   .low = {0.4, 0.4, 0.4}, .high = {0.5, 0.5, 0.5}, .velocity = {speed, 0, 0}});
    assert_int_equal(fm_particles_count(p), 1);
    return p;
}

// Fields such as the fill (kernel sum) have default values before the first substep and computed
// ones after it, also if the substep has no acceleration.
static void fields_are_computed_even_without_forces(void **state)
{
    (void)state;
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_particles *p = create_lone_particle(world, FM_SPH_WEAKLY_COMPRESSIBLE, 0.1);
    double *before = read_fluid(p, "fill", 1);
    assert_close(*before, 1, 0);
    advance(world, 0.1);
    double *after = read_fluid(p, "fill", 1);
    assert_close(*after, p->self_fill, 1e-6);
    assert_true(*after < 0.5);
    free(before);
    free(after);
    fm_world_destroy(world);
}

// The first substep is bounded by the estimated speed; the second has no bound and takes the rest.
static void a_fluid_at_rest_without_forces_takes_two_substeps(void **state)
{
    (void)state;
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_particles *p = create_lone_particle(world, FM_SPH_CONSTANT_DENSITY, 0);
    double x = fm_particles_positions(p, NULL)->x;
    assert_int_equal(advance(world, 1000).substep_count, 2);
    assert_close(fm_particles_positions(p, NULL)->x, x, 0);
    fm_world_destroy(world);
}

// The volume of a boundary particle is the solid share of its lattice cell, so that all boundary
// particles of a ball together have its volume.
static void boundary_particles_have_the_volume_of_the_solid(void **state)
{
    (void)state;
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    add_collider(world, fixture_ball_def((fm_vec3){0.5, 0.5, 0.5}, 0.123));
    fm_particles_def def = fm_default_particles_def();
    def.spacing = 0.05;
    def.support = 4; // so deep that boundary particles fill the whole ball
    fm_particles *p = create_fluid(world, &def);
    add_box(p, &(fm_fluid_box){.high = {1, 1, 1}});
    // no fluid particles were created inside the ball
    int n;
    const fm_vec3 *x = fm_particles_positions(p, &n);
    for (int i = 0; i < n; i++)
        assert_true(hypot(hypot(x[i].x - 0.5, x[i].y - 0.5), x[i].z - 0.5) > 0.123);
    advance(world, 1e-5);
    double volume = 0, wall_volume = 0; // m^3, of the boundary particles of the ball and the walls
    for (int i = 0; i < p->point_count; i++) {
        volume += p->points[i].owner.kind == FM_OWNER_COLLIDER ? p->points[i].volume : 0;
        wall_volume += p->points[i].owner.kind == FM_OWNER_WALL ? p->points[i].volume : 0;
    }
    assert_close(volume / (4.0 / 3 * FM_PI * pow(0.123, 3)), 1, 0.05);
    // the walls are four layers deep, around 1 m^3
    assert_close(wall_volume, pow(1.4, 3) - 1, 1e-4);
    fm_world_destroy(world);
}

// A weightless cube of 125 particles.
static fm_world *create_cube(double jitter, fm_particles **fluid)
{
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_particles_def def = fixture_tank_def(3, 0.2, (fm_vec3){1, 1, 1});
    *fluid = create_fluid(world, &def);
    fill_domain(*fluid, jitter);
    return world;
}

static void damaged_snapshots_of_a_fluid_are_refused(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_particles *fluid;
    fm_world *world = create_cube(0.1, &fluid);
    advance(world, 1e-3);
    size_t size = fm_world_save(world, NULL, 0);
    unsigned char *bytes = malloc(size);
    assert_int_equal(fm_world_save(world, bytes, size), size);
    uint64_t hash = fm_world_hash(world);
    size_t fluid_size = fm_particles_save(fluid, NULL, 0);
    unsigned char *fluid_bytes = malloc(fluid_size);
    fm_particles_save(fluid, fluid_bytes, fluid_size);
    for (size_t cut = 0; cut < fluid_size; cut += 37) {
        err = (fm_error){0};
        assert_false(fm_particles_restore(fluid, fluid_bytes, cut, &err));
    }
    int32_t too_many = 1 << 30;
    memcpy(fluid_bytes + 12, &too_many, sizeof too_many); // the particle count in the header
    err = (fm_error){0};
    assert_false(fm_particles_restore(fluid, fluid_bytes, fluid_size, &err));
    assert_int_equal(fm_world_hash(world), hash);
    err = (fm_error){0};
    assert_true(fm_world_restore(world, bytes, size, &err));
    assert_int_equal(fm_world_hash(world), hash);
    free(fluid_bytes);
    free(bytes);
    fm_world_destroy(world);
}

static void a_nan_velocity_is_reported_as_divergence(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_particles *fluid;
    fm_world *world = create_cube(0, &fluid);
    fluid->now.vx[7] = NAN;
    fm_world_advance(world, 1e-3, &err);
    assert_int_equal(err.status, FM_DIVERGED);
    fm_world_destroy(world);
}

// The method that FM_SPH_AUTOMATIC chooses for a box of fluid of the height `depth`, m, in a domain
// of 0.4 m.
static fm_sph_method choose_method(fm_vec3 gravity, double depth, double viscosity, double tension)
{
    fm_world *world = create_world(1000, 1e-3, gravity);
    fm_particles_def def = fm_default_particles_def();
    def.dimensions = 2;
    def.spacing = 0.02;
    def.method = FM_SPH_AUTOMATIC;
    def.viscosity = viscosity;
    def.surface_tension = tension;
    def.domain.high = (fm_vec3){0.4, 0.4, 0};
    fm_particles *fluid =
        create_pool(world, &def, &(fm_fluid_box){.high = {0.4, depth, 0}, .settled = true});
    assert_string_equal(fm_particles_method_reason(fluid), "");
    advance(world, 1e-3);
    fm_sph_method method = fm_particles_definition(fluid).method;
    bool solved = method == FM_SPH_CONSTANT_DENSITY;
    assert_non_null(strstr(fm_particles_method_reason(fluid),
                           solved ? "constant-density" : "weakly-compressible"));
    fm_world_destroy(world);
    return method;
}

static void the_automatic_method_is_constant_density_for_free_surfaces(void **state)
{
    (void)state;
    const fm_vec3 down = {0, -9.81, 0};
    assert_int_equal(choose_method(down, 0.2, 1e-3, 0), FM_SPH_CONSTANT_DENSITY);
    assert_int_equal(choose_method(down, 0.4, 1e-3, 0), FM_SPH_WEAKLY_COMPRESSIBLE);
    assert_int_equal(choose_method(down, 0.2, 1000, 0), FM_SPH_WEAKLY_COMPRESSIBLE);
    assert_int_equal(choose_method(down, 0.2, 1e-3, 0.07), FM_SPH_WEAKLY_COMPRESSIBLE);
    assert_int_equal(choose_method(no_gravity, 0.2, 1e-3, 0), FM_SPH_WEAKLY_COMPRESSIBLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_integrate_to_one),
        cmocka_unit_test(kernel_slopes_are_derivatives_of_the_kernels),
        cmocka_unit_test(neighbour_lists_equal_a_search_over_all_pairs),
        cmocka_unit_test(fluid_definitions_out_of_range_are_refused),
        cmocka_unit_test(sources_emit_and_sinks_remove_particles),
        cmocka_unit_test(particles_beyond_the_capacity_are_counted_as_refused),
        cmocka_unit_test(particles_beyond_an_open_side_fall_and_are_counted),
        cmocka_unit_test(denser_fluid_pushes_harder),
        cmocka_unit_test(fields_are_computed_even_without_forces),
        cmocka_unit_test(a_fluid_at_rest_without_forces_takes_two_substeps),
        cmocka_unit_test(boundary_particles_have_the_volume_of_the_solid),
        cmocka_unit_test(damaged_snapshots_of_a_fluid_are_refused),
        cmocka_unit_test(the_automatic_method_is_constant_density_for_free_surfaces),
        cmocka_unit_test(a_nan_velocity_is_reported_as_divergence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
