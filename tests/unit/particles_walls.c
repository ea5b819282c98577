// SPDX-License-Identifier: MIT
// What walls cost and hold: points of walls are handled where fluid is near and nowhere else,
// whatever the tank; cans of sheet thinner than the spacing hold all of a violent fluid while they
// are thrown about; a shell between two pools keeps each on its side and at its level; in two
// dimensions too, where meshes must stand across the plane.
#include "fluids.h"
#include "particles/particles.h"
#include "world/world.h"

static const double DX = 0.1; // m, spacing

// Points that a substep handles, for a weightless pool of 1 m^3 in a corner of a cube.
static int count_wet(double size, bool moved)
{
    fm_error err = {0};
    fm_world *world = make_world(0, 0, (fm_vec3){0, 0, 0});
    fm_particles_def def = fm_default_particles_def();
    def.spacing = DX;
    def.domain.high = (fm_vec3){size, size, size};
    if (moved)
        def.domain.motion = fm_motion_sine(world, (fm_vec3){1, 0, 0}, 1e-4, 1, &err);
    fm_particles *fluid = make_fluid(world, &def);
    add_box(fluid, &(fm_fluid_box){.high = {1, 1, 1}});
    advance(world, 1e-3);
    fm_particles_stats stats = fm_particles_read_stats(fluid);
    printf("  tank of %g m^3: %d of %d points\n", size * size * size, stats.wet_count,
           stats.boundary_count);
    fm_world_destroy(world);
    return stats.wet_count;
}

static void dry_walls_cost_nothing(void **state)
{
    (void)state;
    for (int moved = 0; moved < 2; moved++) {
        int full = count_wet(1, moved), large = count_wet(2, moved), huge = count_wet(4, moved);
        assert_in_range(large, 1, full); // three walls are wet instead of six
        assert_int_equal(huge, large);
    }
}

typedef struct mesh {
    fm_vec3 x[16];
    int triangles[24][3];
    int vertex_count, triangle_count;
} mesh;

// A box, faces outwards or inwards.
static void add_hull(mesh *m, fm_vec3 half, bool inwards)
{
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    int first = m->vertex_count;
    for (int k = 0; k < 8; k++)
        m->x[m->vertex_count++] =
            (fm_vec3){k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z};
    for (int f = 0; f < 6; f++) {
        for (int k = 1; k < 3; k++) {
            int *t = m->triangles[m->triangle_count++];
            t[0] = first + faces[f][0];
            t[1] = first + faces[f][inwards ? k + 1 : k];
            t[2] = first + faces[f][inwards ? k : k + 1];
        }
    }
}

static fm_collider *add_mesh(fm_world *world, const mesh *m, double thickness,
                             const fm_motion *motion)
{
    fm_error err = {0};
    fm_collider_def def = fm_default_collider_def();
    fm_collider_mesh shape = {.vertices = m->x,
                              .vertex_count = m->vertex_count,
                              .triangles = m->triangles[0],
                              .triangle_count = m->triangle_count,
                              .thickness = thickness};
    def.motion = motion;
    fm_collider *collider = fm_collider_create_mesh(world, &def, &shape, &err);
    assert_non_null(collider);
    return collider;
}

// Those beyond the middle of the wall of a can, in its frame.
static int count_lost(fm_particles *fluid, const fm_motion *motion, double t, fm_vec3 half)
{
    double *x = read_fluid(fluid, "position", 3);
    fm_pose pose = fm_motion_pose(motion, t);
    int lost = 0;
    for (int i = 0; i < fm_particles_count(fluid); i++) {
        fm_vec3 at = fm_pose_apply_inverse(&pose, (fm_vec3){x[3 * i], x[3 * i + 1], x[3 * i + 2]});
        lost += fabs(at.x) > half.x || fabs(at.y) > half.y || fabs(at.z) > half.z;
    }
    free(x);
    return lost;
}

static fm_motion *throw_about(fm_world *world, double amplitude)
{
    fm_error err = {0};
    fm_turn turn = {.axis = {1, 2, 3}, .amplitude = 0.8, .period = 0.9};
    fm_motion *tumble = fm_motion_turn(world, &turn, &err);
    fm_motion *shake = fm_motion_sine(world, (fm_vec3){1, 1, -1}, amplitude, 0.5, &err);
    return fm_motion_compose(world, shake, tumble, &err);
}

// A closed can: two hulls a fifth of a spacing apart. The fluid in it is shot at its walls.
static void check_can(fm_sph_method method, bool moved)
{
    const fm_vec3 inside = {0.4, 0.35, 0.3}, wall = {0.01, 0.01, 0.01};
    fm_world *world = make_world(0, 0, (fm_vec3){0, -9.81, 0});
    fm_motion *motion = moved ? throw_about(world, 0.1) : NULL;
    mesh can = {0};
    add_hull(&can, fm_add_scaled(inside, wall, 2), false);
    add_hull(&can, inside, true);
    add_mesh(world, &can, 0, motion);
    fm_particles_def def = fm_default_particles_def();
    def.spacing = DX;
    def.method = method;
    def.domain.low = (fm_vec3){-1.5, -1.5, -1.5};
    def.domain.high = (fm_vec3){1.5, 1.5, 1.5};
    def.integrator = FM_SPH_EULER; // gains energy, as a trial for walls should
    fm_particles *fluid = make_fluid(world, &def);
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

static void a_thin_can_holds_all(void **state)
{
    (void)state;
    for (int method = 0; method < 3; method++)
        for (int moved = 0; moved < 2; moved++)
            check_can((fm_sph_method)method, moved);
}

// A sheet across x = 0, from below the floor to above the fluid.
static mesh make_partition(void)
{
    return (mesh){.x = {{0, -0.5, -2}, {0, -0.5, 2}, {0, 1.5, 2}, {0, 1.5, -2}},
                  .vertex_count = 4,
                  .triangles = {{0, 1, 2}, {0, 2, 3}},
                  .triangle_count = 2};
}

typedef struct pool {
    int count;
    double height; // m, mean
} pool;

static pool look_at(fm_particles *fluid, bool right)
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

// Deep water on the left, shallow on the right. Each keeps its mean height: to a tenth of a
// spacing, by which a lattice settles.
static void check_partition(int dimensions, fm_sph_method method)
{
    fm_world *world = make_world(0, 0, (fm_vec3){0, -9.81, 0});
    mesh sheet = make_partition();
    add_mesh(world, &sheet, 0.02, NULL);
    fm_particles_def def = fm_default_particles_def();
    def.dimensions = dimensions;
    def.spacing = dimensions == 2 ? DX / 2 : DX;
    def.method = method;
    def.viscosity = 10;
    def.domain.low = (fm_vec3){-0.51, 0, -0.25};
    def.domain.high = (fm_vec3){0.51, 1, 0.25};
    fm_particles *fluid = make_fluid(world, &def);
    add_box(fluid, &(fm_fluid_box){
                       .low = {-0.51, 0, -0.25}, .high = {-0.0101, 0.8, 0.25}, .settled = true});
    add_box(fluid,
            &(fm_fluid_box){.low = {0.0101, 0, -0.25}, .high = {0.51, 0.3, 0.25}, .settled = true});
    pool left = look_at(fluid, false), right = look_at(fluid, true);
    advance(world, 0.4);
    pool later_left = look_at(fluid, false), later_right = look_at(fluid, true);
    printf("  %dD: %d and %d, mean heights %.4f and %.4f\n", dimensions, left.count, right.count,
           later_left.height - left.height, later_right.height - right.height);
    assert_int_equal(later_left.count, left.count);
    assert_int_equal(later_right.count, right.count);
    assert_close(later_left.height, left.height, 0.1 * def.spacing);
    assert_close(later_right.height, right.height, 0.1 * def.spacing);
    fm_world_destroy(world);
}

static void a_sheet_keeps_pools_apart(void **state)
{
    (void)state;
    check_partition(2, FM_SPH_WEAKLY_COMPRESSIBLE);
    check_partition(2, FM_SPH_CONSTANT_DENSITY);
    check_partition(3, FM_SPH_WEAKLY_COMPRESSIBLE);
}

static void a_flat_mesh_is_refused_in_the_plane(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = make_world(0, 0, (fm_vec3){0, -9.81, 0});
    mesh slab = {0};
    add_hull(&slab, (fm_vec3){0.2, 0.2, 0.05}, false);
    add_mesh(world, &slab, 0, NULL);
    fm_particles_def def = fm_default_particles_def();
    def.dimensions = 2;
    def.spacing = DX;
    assert_null(fm_particles_create(world, &def, &err)); // already when a scene is checked
    assert_int_equal(err.status, FM_BAD_VALUE);
    assert_non_null(strstr(err.text, "plane z = 0"));
    fm_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dry_walls_cost_nothing),
        cmocka_unit_test(a_thin_can_holds_all),
        cmocka_unit_test(a_sheet_keeps_pools_apart),
        cmocka_unit_test(a_flat_mesh_is_refused_in_the_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
