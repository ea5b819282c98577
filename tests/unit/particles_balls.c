// SPDX-License-Identifier: MIT
// particles_balls.c: buoyancy of balls with a mass, momentum exchange with a ball, and density and
// energy in shaken tanks. The tests have thousands of particles and some hundred steps.
#include "fluids.h"
#include "particles/particles.h"
#include "world/world.h"

// Vertical displacement, m, of a submerged ball in a quarter of a second from rest.
// relative_density: density of the ball / density of water.
static double move_ball(double relative_density, fm_sph_method method)
{
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
    fm_collider_def ball = fixture_ball_def((fm_vec3){0.25, 0.3, 0.25}, 0.1);
    ball.mass = relative_density * 1000 * 4.0 / 3 * FM_PI * 1e-3;
    fm_collider *collider = add_collider(world, ball);
    fm_particles_def def = fixture_tank_def(3, 1.0 / 30, (fm_vec3){0.5, 0.9, 0.5});
    def.method = method;
    create_pool(world, &def, &(fm_fluid_box){.high = {0.5, 0.6, 0.5}, .settled = true});
    advance(world, 0.25);
    double y = fm_collider_position(collider).y;
    fm_world_destroy(world);
    return y - 0.3;
}

// Without drag and with the added mass of half the displaced water, the ball moves by
// (1 - s)/(s + 1/2) g t^2/2, s: density of the ball / density of water. With CONSTANT_DENSITY the
// buoyancy is too large, as if the ball were larger by a part of a spacing: a neutral ball rises by
// 0.03 m, with 50 particles per metre by 0.01 m.
static void light_balls_rise_and_heavy_ones_sink(void **state)
{
    (void)state;
    for (int method = FM_SPH_WEAKLY_COMPRESSIBLE; method <= FM_SPH_CONSTANT_DENSITY; method++) {
        double light = move_ball(0.5, (fm_sph_method)method);
        double neutral = move_ball(1, (fm_sph_method)method);
        double heavy = move_ball(2, (fm_sph_method)method);
        printf("  a ball of density 0.5, 1, 2 moves by %.3f, %.3f, %.3f m\n", light, neutral,
               heavy);
        // drag slows the balls down, to no less than 0.3 of the distances without drag
        assert_in_interval(light, 0.3 * 0.153, 1.1 * 0.153);
        assert_in_interval(heavy, -1.1 * 0.123, -0.3 * 0.123);
        assert_close(neutral, 0, method == FM_SPH_CONSTANT_DENSITY ? 0.04 : 0.02);
    }
}

// A ball lighter than its added mass: coupling that pushes the ball after the fluid would be
// unstable. It rises slower than without drag.
static void a_ball_lighter_than_its_added_mass_rises(void **state)
{
    (void)state;
    for (int method = FM_SPH_WEAKLY_COMPRESSIBLE; method <= FM_SPH_CONSTANT_DENSITY; method++) {
        double y = move_ball(0.1, (fm_sph_method)method);
        printf("  a ball of density 0.1 moves by %.3f m\n", y);
        assert_in_interval(y, 0.3 * 0.46, 0.46); // 0.46 m without drag
    }
}

// Momentum of the fluid and of a ball with this mass, kg m/s.
static fm_vec3 read_momentum(const fm_particles *fluid, const fm_collider *ball, double mass)
{
    fm_vec3 sum = fm_scale(fm_collider_velocity(ball), mass);
    for (int i = 0; i < fluid->count; i++)
        sum = fm_add_scaled(sum, (fm_vec3){fluid->now.vx[i], fluid->now.vy[i], fluid->now.vz[i]},
                            fm_particles_mass(fluid));
    return sum;
}

// A stream meets a ball in a periodic box.
static void a_ball_gains_the_momentum_that_the_fluid_loses(void **state)
{
    (void)state;
    for (int method = FM_SPH_WEAKLY_COMPRESSIBLE; method <= FM_SPH_CONSTANT_DENSITY; method++) {
        fm_world *world = create_world(1000, 1e-3, no_gravity);
        fm_collider_def def = fixture_ball_def((fm_vec3){0.5, 0.5, 0.5}, 0.2);
        def.mass = 20;
        fm_collider *ball = add_collider(world, def);
        fm_particles_def fluid_def = fm_default_particles_def();
        fluid_def.method = (fm_sph_method)method;
        fluid_def.spacing = 0.1;
        fluid_def.viscosity = 10;
        for (int axis = 0; axis < 3; axis++)
            set_periodic(&fluid_def, axis);
        fm_fluid_box box = {.high = {1, 1, 1}, .jitter = 0.05, .seed = 1, .velocity = {0.1, 0, 0}};
        fm_particles *fluid = create_pool(world, &fluid_def, &box);
        fm_vec3 before = read_momentum(fluid, ball, def.mass);
        advance(world, 0.1);
        fm_vec3 after = read_momentum(fluid, ball, def.mass);
        double gained = def.mass * fm_collider_velocity(ball).x; // kg m/s
        printf("  a ball got %.3g N s of %.3g; %.2g are lost\n", gained, before.x,
               fm_length(fm_sub(after, before)));
        assert_true(gained > 0.2);
        assert_at_most(fm_length(fm_sub(after, before)), 1e-5 * before.x);
        fm_world_destroy(world);
    }
}

// The acceleration of a tank causes a pressure difference; the speed of sound is chosen for it.
static void shaken_fluid_keeps_its_density(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_particles_def def = fixture_tank_def(2, 0.015, (fm_vec3){0.3, 0.2, 0});
    def.viscosity = 1;
    def.domain.motion = fm_motion_sine(world, (fm_vec3){1, 0, 0}, 0.03, 0.5, &err);
    fm_particles *fluid = create_fluid(world, &def);
    fill_domain(fluid, 0);
    advance(world, 0.75);
    double most = 0; // largest relative change of the density
    for (int k = 0; k < 10; k++) {
        advance(world, 0.025);
        for (int i = 0; i < fluid->count; i++)
            most = fmax(most, fabs((double)fluid->now.s[i]));
    }
    printf("  denser by %.3f at most\n", most);
    assert_at_most(most, 0.04); // 0.03 of it come from the sudden start with 0.38 m/s
    fm_world_destroy(world);
}

// Largest kinetic energy of the fluid in a full box that is shaken for a second, in units of that
// of fluid that moves like the box; *density: largest relative change of the density after the
// sudden start. relative_density: that of a ball in the middle; 0: no ball.
static double shake_full_box(double relative_density, double viscosity, double *density)
{
    const double amplitude = 0.03, period = 0.5, fastest = 2 * FM_PI * amplitude / period;
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    if (relative_density > 0) {
        fm_collider_def ball = fixture_ball_def((fm_vec3){0.08, 0.06, 0.06}, 0.03);
        ball.mass = relative_density * 1000 * 4.0 / 3 * FM_PI * 2.7e-5;
        add_collider(world, ball);
    }
    fm_particles_def def = fixture_tank_def(3, 0.01, (fm_vec3){0.16, 0.12, 0.12});
    def.method = FM_SPH_CONSTANT_DENSITY;
    def.viscosity = viscosity;
    def.domain.motion = fm_motion_sine(world, (fm_vec3){1, 0, 0}, amplitude, period, &err);
    fm_particles *fluid = create_fluid(world, &def);
    fill_domain(fluid, 0);
    double most = 0, mass = fm_particles_mass(fluid) * fluid->count;
    *density = 0;
    for (int k = 0; k < 40; k++) {
        advance(world, 0.025);
        double energy = 0;
        for (int i = 0; i < fluid->count; i++) {
            fm_vec3 v = {fluid->now.vx[i], fluid->now.vy[i], fluid->now.vz[i]};
            energy += fm_particles_mass(fluid) * fm_dot(v, v) / 2;
            if (k >= 10)
                *density = fmax(*density, fabs((double)fluid->fill[i] - 1));
        }
        assert_true(isfinite(energy));
        most = fmax(most, energy / (mass * fastest * fastest / 2));
    }
    fm_world_destroy(world);
    return most;
}

// A full box has no free surface: its pressure is known up to a constant, gaps that open beside the
// ball are no surfaces, and the walls accelerate the fluid. Each of these has made it diverge.
static void fluid_of_constant_density_follows_a_shaken_full_box(void **state)
{
    (void)state;
    const double balls[] = {0, 1.5, 1.5, 0.5}, viscosities[] = {1, 1, 1e-3, 1};
    const double limits[] = {0.05, 0.06, 0.15, 0.15}; // of the density
    for (int k = 0; k < 4; k++) {
        double density, energy = shake_full_box(balls[k], viscosities[k], &density);
        printf("  ball of density %g, %g Pa s: energy %.3f of that of the box, density %.3f\n",
               balls[k], viscosities[k], energy, density);
        assert_in_interval(energy, 0.9, 1.1);
        assert_at_most(density, limits[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(light_balls_rise_and_heavy_ones_sink),
        cmocka_unit_test(a_ball_lighter_than_its_added_mass_rises),
        cmocka_unit_test(a_ball_gains_the_momentum_that_the_fluid_loses),
        cmocka_unit_test(shaken_fluid_keeps_its_density),
        cmocka_unit_test(fluid_of_constant_density_follows_a_shaken_full_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
