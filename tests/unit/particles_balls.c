// SPDX-License-Identifier: MIT
// Balls that fluids push, and a tank that is shaken: with thousands of particles over some hundred
// steps.
#include "fluids.h"
#include "particles/particles.h"
#include "world/world.h"

// A ball of a share of the density of water, under it, let go for a quarter of a second.
static double move_ball(double share, fm_sph_method method)
{
    fm_error err = {0};
    fm_world *world = make_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
    fm_collider_def ball = fm_default_collider_def();
    ball.shape.centre = (fm_vec3){0.25, 0.3, 0.25};
    ball.shape.radius = 0.1;
    ball.mass = share * 1000 * 4.0 / 3 * FM_PI * 1e-3;
    fm_collider *collider = fm_collider_create(world, &ball, &err);
    assert_non_null(collider);
    fm_particles_def def = fm_default_particles_def();
    def.method = method;
    def.spacing = 1.0 / 30;
    def.domain.high = (fm_vec3){0.5, 0.9, 0.5};
    fm_particles *fluid = make_fluid(world, &def);
    add_box(fluid, &(fm_fluid_box){.high = {0.5, 0.6, 0.5}, .settled = true});
    advance(world, 0.25);
    double y = fm_collider_position(collider).y;
    fm_world_destroy(world);
    return y - 0.3;
}

// With half of its water as added mass, no drag: (1 - s)/(s + 1/2) g t^2/2. In the mean over the
// ball's surface, a constant density has its pressure a particle too far out: 0.03 m, and 0.01 m
// with 50 particles a metre.
static void light_balls_rise_and_heavy_ones_sink(void **state)
{
    (void)state;
    for (int method = FM_SPH_WEAKLY_COMPRESSIBLE; method <= FM_SPH_CONSTANT_DENSITY; method++) {
        double light = move_ball(0.5, (fm_sph_method)method);
        double even = move_ball(1, (fm_sph_method)method);
        double heavy = move_ball(2, (fm_sph_method)method);
        printf("  a ball of density 0.5, 1, 2 moves by %.3f, %.3f, %.3f m\n", light, even, heavy);
        assert_in_interval(light, 0.3 * 0.153, 1.1 * 0.153);
        assert_in_interval(heavy, -1.1 * 0.123, -0.3 * 0.123);
        assert_close(even, 0, method == FM_SPH_CONSTANT_DENSITY ? 0.04 : 0.02);
    }
}

// One that weighs less than the water that moves with it: were it pushed after the fluid was, it
// would be thrown back harder in every step. Not faster than without drag.
static void a_ball_as_light_as_foam_rises(void **state)
{
    (void)state;
    for (int method = FM_SPH_WEAKLY_COMPRESSIBLE; method <= FM_SPH_CONSTANT_DENSITY; method++) {
        double y = move_ball(0.1, (fm_sph_method)method);
        printf("  a ball of density 0.1 moves by %.3f m\n", y);
        assert_in_interval(y, 0.3 * 0.46, 0.46);
    }
}

static fm_vec3 read_momentum(const fm_particles *fluid, const fm_collider *ball, double mass)
{
    fm_vec3 sum = fm_scale(fm_collider_velocity(ball), mass);
    for (int i = 0; i < fluid->count; i++)
        sum = fm_add_scaled(sum, (fm_vec3){fluid->now.vx[i], fluid->now.vy[i], fluid->now.vz[i]},
                            fm_particles_mass(fluid));
    return sum;
}

// A stream meets a ball in a periodic box: what the fluid loses the ball has.
static void balls_get_what_fluids_lose(void **state)
{
    (void)state;
    for (int method = FM_SPH_WEAKLY_COMPRESSIBLE; method <= FM_SPH_CONSTANT_DENSITY; method++) {
        fm_error err = {0};
        fm_world *world = make_world(1000, 1e-3, no_gravity);
        fm_collider_def def = fm_default_collider_def();
        def.shape.centre = (fm_vec3){0.5, 0.5, 0.5};
        def.shape.radius = 0.2;
        def.mass = 20;
        fm_collider *ball = fm_collider_create(world, &def, &err);
        fm_particles_def fluid_def = fm_default_particles_def();
        fluid_def.method = (fm_sph_method)method;
        fluid_def.spacing = 0.1;
        fluid_def.viscosity = 10;
        for (int axis = 0; axis < 3; axis++)
            make_periodic(&fluid_def, axis);
        fm_particles *fluid = make_fluid(world, &fluid_def);
        add_box(fluid, &(fm_fluid_box){
                           .high = {1, 1, 1}, .jitter = 0.05, .seed = 1, .velocity = {0.1, 0, 0}});
        fm_vec3 before = read_momentum(fluid, ball, def.mass);
        advance(world, 0.1);
        fm_vec3 after = read_momentum(fluid, ball, def.mass);
        double got = def.mass * fm_collider_velocity(ball).x;
        printf("  a ball got %.3g N s of %.3g; %.2g are lost\n", got, before.x,
               fm_length(fm_sub(after, before)));
        assert_true(got > 0.2);
        assert_at_most(fm_length(fm_sub(after, before)), 1e-5 * before.x);
        fm_world_destroy(world);
    }
}

// A tank that is shaken has a pressure across it, for which it is stiff enough.
static void shaken_fluid_keeps_its_density(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = make_world(1000, 1e-3, no_gravity);
    fm_particles_def def = fm_default_particles_def();
    def.dimensions = 2;
    def.spacing = 0.015;
    def.viscosity = 1;
    def.domain.high = (fm_vec3){0.3, 0.2, 0};
    def.domain.motion = fm_motion_sine(world, (fm_vec3){1, 0, 0}, 0.03, 0.5, &err);
    fm_particles *fluid = make_fluid(world, &def);
    fill_domain(fluid, 0);
    advance(world, 0.75);
    double most = 0;
    for (int k = 0; k < 10; k++) {
        advance(world, 0.025);
        for (int i = 0; i < fluid->count; i++)
            most = fmax(most, fabs((double)fluid->now.s[i]));
    }
    printf("  denser by %.3f at most\n", most);
    assert_at_most(most, 0.04); // 0.03 of it are the jerk of the start, 0.38 m/s at once
    fm_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(light_balls_rise_and_heavy_ones_sink),
        cmocka_unit_test(a_ball_as_light_as_foam_rises),
        cmocka_unit_test(balls_get_what_fluids_lose),
        cmocka_unit_test(shaken_fluid_keeps_its_density),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
