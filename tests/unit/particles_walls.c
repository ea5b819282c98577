// SPDX-License-Identifier: MIT
// particles_walls.c: walls of fluids. Only boundary particles near fluid are computed, however
// large the tank. Cans with walls thinner than the spacing hold a violent fluid while they are
// shaken. A shell between two pools keeps each on its side and at its level, also in 2D. In 2D,
// flat meshes are refused.
#include "fluids.h"
#include "particles/particles.h"
#include "world/world.h"

static const double DX = 0.1; // m, spacing

// Boundary particles that a substep computes, for a weightless pool of 1 m^3 in a corner of a cubic
// tank. size: edge of the tank, m.
static int count_wet(double size, bool moved)
{
    fm_error err = {0};
    fm_world *world = create_world(0, 0, (fm_vec3){0, 0, 0});
    fm_particles_def def = fixture_tank_def(3, DX, (fm_vec3){size, size, size});
    if (moved)
        def.domain.motion = fm_motion_sine(world, (fm_vec3){1, 0, 0}, 1e-4, 1, &err);
    fm_particles *fluid = create_pool(world, &def, &(fm_fluid_box){.high = {1, 1, 1}});
    advance(world, 1e-3);
    fm_particles_stats stats = fm_particles_read_stats(fluid);
    printf("  tank of %g m^3: %d of %d points\n", size * size * size, stats.wet_count,
           stats.boundary_count);
    fm_world_destroy(world);
    return stats.wet_count;
}

static void boundary_particles_far_from_fluid_are_not_computed(void **state)
{
    (void)state;
    for (int moved = 0; moved < 2; moved++) {
        int full = count_wet(1, moved), large = count_wet(2, moved), huge = count_wet(4, moved);
        assert_in_range(large, 1, full); // three walls are wet instead of six
        assert_int_equal(huge, large);
    }
}

// Adds a mesh collider and destroys the mesh m.
static void add_mesh(fm_world *world, fixture_mesh m, double thickness, const fm_motion *motion)
{
    fm_error err = {0};
    fm_collider_def def = fm_default_collider_def();
    fm_collider_mesh shape = fixture_collider_mesh(&m, thickness);
    def.motion = motion;
    assert_non_null(fm_collider_create_mesh(world, &def, &shape, &err));
    fixture_destroy_mesh(&m);
}

// Particles outside the box of half size `half`, m, in the frame of the moving can.
static int count_lost(fm_particles *fluid, const fm_motion *motion, double t, fm_vec3 half)
{
    double *x = read_fluid(fluid, "position", 3);
    fm_pose pose = fm_motion_pose(motion, t);
    int lost = 0;
    for (int i = 0; i < fm_particles_count(fluid); i++) {
        fm_vec3 p = fm_pose_apply_inverse(&pose, (fm_vec3){x[3 * i], x[3 * i + 1], x[3 * i + 2]});
        lost += fabs(p.x) > half.x || fabs(p.y) > half.y || fabs(p.z) > half.z;
    }
    free(x);
    return lost;
}

// A motion that tumbles and shakes; amplitude of the displacement in m.
static fm_motion *create_shaking_motion(fm_world *world, double amplitude)
{
    fm_error err = {0};
    fm_turn turn = {.axis = {1, 2, 3}, .amplitude = 0.8, .period = 0.9};
    fm_motion *tumble = fm_motion_turn(world, &turn, &err);
    fm_motion *shake = fm_motion_sine(world, (fm_vec3){1, 1, -1}, amplitude, 0.5, &err);
    return fm_motion_compose(world, shake, tumble, &err);
}

// Checks that a closed can with walls a fifth of a spacing thick holds every particle. The fluid in
// it starts with several m/s towards the walls. moved: the can is shaken.
static void check_can(fm_sph_method method, bool moved)
{
    const fm_vec3 inside = {0.4, 0.35, 0.3}, wall = {0.01, 0.01, 0.01};
    fm_world *world = create_world(0, 0, (fm_vec3){0, -9.81, 0});
    fm_motion *motion = moved ? create_shaking_motion(world, 0.1) : NULL;
    fixture_mesh can = fixture_create_mesh(16, 24);
    fixture_add_box(&can, fm_add_scaled(inside, wall, 2), false);
    fixture_add_box(&can, inside, true);
    add_mesh(world, can, 0, motion);
    fm_particles_def def = fm_default_particles_def();
    def.spacing = DX;
    def.method = method;
    def.domain.low = (fm_vec3){-1.5, -1.5, -1.5};
    def.domain.high = (fm_vec3){1.5, 1.5, 1.5};
    def.integrator = FM_SPH_EULER; // gains energy, which makes the test of the walls harder
    fm_particles *fluid = create_fluid(world, &def);
    add_box(fluid, &(fm_fluid_box){.low = {-0.4, -0.35, -0.3},
                                   .high = {0.4, 0.15, 0.3},
                                   .jitter = 0.2,
                                   .velocity = {5, 3, -2}});
    int count = fm_particles_count(fluid);
    assert_in_range(count, 100, 300);
    for (int frame = 1; frame <= 10; frame++) {
        advance(world, 0.05);
        assert_int_equal(count_lost(fluid, motion, 0.05 * frame, fm_add(inside, wall)), 0);
    }
    assert_int_equal(fm_particles_count(fluid), count);
    fm_world_destroy(world);
}

static void a_can_with_thin_walls_holds_every_particle(void **state)
{
    (void)state;
    for (int method = 0; method < 3; method++)
        for (int moved = 0; moved < 2; moved++)
            check_can((fm_sph_method)method, moved);
}

// A sheet across x = 0, from below the floor to above the fluid.
static fixture_mesh create_partition(void)
{
    fixture_mesh m = fixture_create_grid(2, 2, 4, 2, CUT_ONE_WAY);
    for (int i = 0; i < 4; i++)
        m.positions[i] = (fm_vec3){0, 1.5 + m.positions[i].y, m.positions[i].x - 2};
    return m;
}

// The fluid on one side of a partition.
typedef struct pool {
    int count;     // particles
    double height; // m, mean over the particles
} pool;

// Measures the particles with x > 0 (right) or x <= 0.
static pool measure_pool(fm_particles *fluid, bool right)
{
    double *x = read_fluid(fluid, "position", 3);
    pool p = {0};
    for (int i = 0; i < fm_particles_count(fluid); i++) {
        if ((x[3 * i] > 0) == right)
            p.count++, p.height += x[3 * i + 1];
    }
    free(x);
    p.height /= p.count;
    return p;
}

// A thin shell separates deep water on the left from shallow water on the right. Each pool keeps
// its mean height within a tenth of a spacing, by which the initial lattice settles.
static void check_partition(int dimensions, fm_sph_method method)
{
    fm_world *world = create_world(0, 0, (fm_vec3){0, -9.81, 0});
    add_mesh(world, create_partition(), 0.02, NULL);
    fm_particles_def def = fm_default_particles_def();
    def.dimensions = dimensions;
    def.spacing = dimensions == 2 ? DX / 2 : DX;
    def.method = method;
    def.viscosity = 10;
    def.domain.low = (fm_vec3){-0.51, 0, -0.25};
    def.domain.high = (fm_vec3){0.51, 1, 0.25};
    fm_particles *fluid = create_fluid(world, &def);
    add_box(fluid, &(fm_fluid_box){
                       .low = {-0.51, 0, -0.25}, .high = {-0.0101, 0.8, 0.25}, .settled = true});
    add_box(fluid,
            &(fm_fluid_box){.low = {0.0101, 0, -0.25}, .high = {0.51, 0.3, 0.25}, .settled = true});
    pool left = measure_pool(fluid, false), right = measure_pool(fluid, true);
    advance(world, 0.4);
    pool later_left = measure_pool(fluid, false), later_right = measure_pool(fluid, true);
    printf("  %dD: %d and %d, mean heights %.4f and %.4f\n", dimensions, left.count, right.count,
           later_left.height - left.height, later_right.height - right.height);
    assert_int_equal(later_left.count, left.count);
    assert_int_equal(later_right.count, right.count);
    assert_close(later_left.height, left.height, 0.1 * def.spacing);
    assert_close(later_right.height, right.height, 0.1 * def.spacing);
    fm_world_destroy(world);
}

static void a_shell_keeps_two_pools_at_different_levels(void **state)
{
    (void)state;
    check_partition(2, FM_SPH_WEAKLY_COMPRESSIBLE);
    check_partition(2, FM_SPH_CONSTANT_DENSITY);
    check_partition(3, FM_SPH_WEAKLY_COMPRESSIBLE);
}

static void a_mesh_that_ends_near_the_plane_is_refused_in_2d(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_world(0, 0, (fm_vec3){0, -9.81, 0});
    fixture_mesh slab = fixture_create_mesh(8, 12);
    fixture_add_box(&slab, (fm_vec3){0.2, 0.2, 0.05}, false);
    add_mesh(world, slab, 0, NULL);
    fm_particles_def def = fm_default_particles_def();
    def.dimensions = 2;
    def.spacing = DX;
    // refused at creation, so that `fathom check` finds it
    assert_null(fm_particles_create(world, &def, &err));
    assert_int_equal(err.status, FM_BAD_VALUE);
    assert_non_null(strstr(err.text, "plane z = 0"));
    fm_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boundary_particles_far_from_fluid_are_not_computed),
        cmocka_unit_test(a_can_with_thin_walls_holds_every_particle),
        cmocka_unit_test(a_shell_keeps_two_pools_at_different_levels),
        cmocka_unit_test(a_mesh_that_ends_near_the_plane_is_refused_in_2d),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
