// SPDX-License-Identifier: MIT
// flow_soft.c: soft bodies in a grid fluid and in a liquid, with two-way coupling.
//
// Without gravity, a soft ball is thrown through fluid at rest in a periodic box, and through a
// liquid drop. The momentum of ball and fluid is constant: to rounding in the fluid, and to the
// accuracy of the pressure at its surface in the drop (its limit is that of the present method).
// The ball slows down and keeps its volume.
#include "flows.h"
#include "liquids.h"
#include "softs.h"

static const double SPEED = 0.5; // m/s, along y

// A skin of rubber with struts, of the radius 0.1 m about the origin.
static fm_cloth *throw_ball(fm_world *world)
{
    fm_error err = {0};
    fm_cloth_def def = fm_default_soft_cloth_def();
    fm_soft_def soft = fm_default_soft_def();
    soft.struts.modulus = 2e4;
    fm_mesh_shape shape = small_shape(FM_MESH_BALL);
    fm_cloth *ball = create_soft(world, &def, &soft, &shape);
    fm_vec3 *v = calloc((size_t)fm_cloth_particle_count(ball), sizeof *v);
    for (int k = 0; k < fm_cloth_particle_count(ball); k++)
        v[k].y = SPEED;
    assert_true(fm_cloth_set_velocities(ball, v, &err));
    free(v);
    return ball;
}

// Couples ball and fluid, advances by `steps` intervals of 1/240 s, and returns the largest change
// of the momentum along y relative to that of the start.
static double find_loss(fm_world *world, fm_cloth *ball, fm_object *fluid, int steps)
{
    fm_error err = {0};
    bool good =
        fm_world_couple_objects(world, fm_cloth_object(ball), fluid, FM_COUPLING_TWO_WAY, &err);
    assert_good(good, &err);
    double before = fm_world_report(world).momentum.y, volume = measure_soft(ball).volume,
           worst = 0;
    for (int k = 0; k < steps; k++) {
        fm_report r = fm_world_advance(world, 1.0 / 240, &err);
        assert_good(err.status == FM_OK, &err);
        worst = fmax(worst, fabs(r.momentum.y - before));
    }
    int count;
    const fm_vec3 *v = fm_cloth_velocities(ball, &count);
    double mean = 0;
    for (int i = 0; i < count; i++)
        mean += v[i].y / count;
    print_message("speed %.3f of the start, volume %.4f, momentum kept to %.1e\n", mean / SPEED,
                  measure_soft(ball).volume / volume, worst / before);
    assert_at_most(fabs(mean), 0.5 * SPEED); // the water in the ball is heavier than its skin
    assert_close(measure_soft(ball).volume / volume, 1, 0.1);
    return worst / before;
}

static void ball_and_fluid_keep_their_momentum(void **state)
{
    (void)state;
    fm_world *world = create_grid_world();
    fm_grid_def def = fm_default_grid_def();
    def.cells[0] = def.cells[1] = def.cells[2] = 16;
    def.spacing = 0.6 / 16;
    def.low = (fm_vec3){-0.3, -0.3, -0.3};
    def.density = 1000, def.viscosity = 1e-3;
    for (int a = 0; a < 3; a++)
        set_grid_periodic(&def, a);
    fm_grid *grid = create_grid(world, &def);
    fm_cloth *ball = throw_ball(world);
    assert_at_most(find_loss(world, ball, fm_grid_object(grid), 40), 1e-12);
    fm_world_destroy(world);
}

static void ball_and_liquid_keep_their_momentum(void **state)
{
    (void)state;
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_liquid_def def = liquid_tank_def(20, 20, 20, 0.035);
    def.grid.low = (fm_vec3){-0.35, -0.35, -0.35};
    fm_liquid_box box = {.low = {-0.25, -0.25, -0.25}, .high = {0.25, 0.25, 0.25}};
    fm_liquid *liquid = create_liquid(world, &def, &box);
    fm_cloth *ball = throw_ball(world);
    assert_at_most(find_loss(world, ball, fm_liquid_object(liquid), 12), 0.03);
    fm_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_and_fluid_keep_their_momentum),
        cmocka_unit_test(ball_and_liquid_keep_their_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
