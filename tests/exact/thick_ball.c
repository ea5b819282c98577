// SPDX-License-Identifier: MIT
// thick_ball.c: what a thickening fluid must do to a ball, with the material as users get it.
//
// A glass ball (2500 kg/m^3, 5 cm radius) is thrown flat onto cornstarch in water (1200 kg/m^3).
// With history it bounces or rolls at least 3 radii, rests while the fluid remembers, then sinks by
// more than its radius; without history it sinks at once. The time that a dropped ball is carried
// grows with the memory and does not depend on the step. A fluid six times as viscous, which
// hardens six times as much, comes to rest after a throw.
#include "fluids.h"

static const double RADIUS = 0.05, DEPTH = 0.16, FRAME = 1.0 / 60; // m, m, s

// A pool and its ball.
typedef struct pool {
    fm_world *world;
    fm_particles *fluid;
    fm_collider *ball;
} pool;

// A pool of cornstarch.
typedef struct starch {
    double length, fading; // m, s
    bool history;
    double share;  // of the default step
    uint64_t seed; // of the particles' random offsets; 0: a regular lattice
} starch;

// Creates a pool with a ball at x that moves with v.
static pool create_starch(starch s, fm_vec3 x, fm_vec3 v)
{
    pool p = {.world = create_world(1000, 1e-3, (fm_vec3){0, -9.81, 0})};
    fm_collider_def ball = fixture_ball_def(x, RADIUS);
    ball.mass = 1.309; // kg, 2500 kg/m^3 x 4/3 pi r^3
    ball.velocity = v;
    p.ball = add_collider(p.world, ball);
    fm_particles_def def = fm_default_particles_def();
    def.spacing = 0.02;
    def.courant *= s.share;
    def.domain.high = (fm_vec3){s.length, 0.5, 0.3};
    def.domain.sides[FM_SIDE_TOP] = FM_SIDE_OPEN;
    def.network.memory.fading = s.fading;
    fm_thickening fluid = fm_default_thickening();
    fluid.history = s.history;
    fm_thickening_convert(&fluid, &def);
    p.fluid = create_pool(p.world, &def,
                          &(fm_fluid_box){.high = {s.length, DEPTH, 0.3},
                                          .settled = true,
                                          .jitter = s.seed ? 0.1 : 0,
                                          .seed = s.seed});
    return p;
}

// Time from the first contact until the centre is half a radius below the surface, s, at most
// `duration`. travel: receives how far it went meanwhile, in radii; depth: that of its centre below
// the surface at the end, in radii.
static double follow(pool *p, double duration, double *travel, double *depth)
{
    double touched = -1, from = 0, carried = -1, before = INFINITY;
    const double level = DEPTH - RADIUS / 2;
    *travel = 0;
    for (int k = 1; k * FRAME <= duration; k++) {
        advance(p->world, FRAME);
        fm_vec3 x = fm_collider_position(p->ball);
        assert_true(isfinite(x.y));
        if (touched < 0 && x.y < DEPTH + RADIUS) {
            touched = k * FRAME;
            from = x.x;
        }
        if (touched >= 0 && carried < 0) {
            *travel = fmax(*travel, (x.x - from) / RADIUS);
            if (x.y < level) // between two frames
                carried = (k - (level - x.y) / (before - x.y)) * FRAME - touched;
        }
        before = x.y;
        *depth = (DEPTH - x.y) / RADIUS;
    }
    fm_world_destroy(p->world);
    assert_true(touched >= 0);
    return carried < 0 ? duration : carried;
}

static void a_thrown_ball_rolls_rests_and_sinks(void **state)
{
    (void)state;
    double travel, depth;
    pool p = create_starch((starch){0.9, 0.25, true, 1, 0}, (fm_vec3){0.1, 0.24, 0.15},
                           (fm_vec3){1.5, 0, 0});
    double carried = follow(&p, 3, &travel, &depth);
    printf("  with history: %.2f radii along, carried %.2f s, then %.2f radii deep\n", travel,
           carried, depth);
    assert_true(travel >= 3);
    assert_true(carried >= 0.5);
    assert_true(depth >= 1);
    p = create_starch((starch){0.9, 0.25, false, 1, 0}, (fm_vec3){0.1, 0.24, 0.15},
                      (fm_vec3){1.5, 0, 0});
    carried = follow(&p, 0.6, &travel, &depth);
    printf("  without: carried %.2f s, %.2f radii deep\n", carried, depth);
    assert_at_most(carried, 0.2);
    assert_true(depth >= 1);
}

static void a_ball_is_carried_as_long_as_the_fluid_remembers(void **state)
{
    (void)state;
    double carried[2], travel, depth;
    for (int k = 0; k < 2; k++) {
        pool p = create_starch((starch){0.36, k ? 0.3 : 0.1, true, 1, 0},
                               (fm_vec3){0.18, 0.26, 0.15}, (fm_vec3){0, 0, 0});
        carried[k] = follow(&p, k ? 2.5 : 1.5, &travel, &depth);
        printf("  memory of %g s: carried %.2f s\n", k ? 0.3 : 0.1, carried[k]);
    }
    assert_true(carried[1] / carried[0] >= 1.5);
}

// Mean over three random starts: single ones differ by 3 %.
static void the_time_carried_does_not_depend_on_the_step(void **state)
{
    (void)state;
    double mean[2] = {0}, travel, depth;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        for (int k = 0; k < 2; k++) {
            pool p = create_starch((starch){0.5, 0.1, true, k ? 0.5 : 1, seed},
                                   (fm_vec3){0.25, 0.31, 0.15}, (fm_vec3){0, 0, 0});
            mean[k] += follow(&p, 1.2, &travel, &depth) / 3;
        }
    }
    printf("  carried %.3f s, with half the step %.3f s\n", mean[0], mean[1]);
    assert_at_most(fabs(mean[1] / mean[0] - 1), 0.05);
}

// Pressure must not resonate with hardened springs: with substeps twice as long, this pool has 18 J
// after 0.6 s.
static void a_stiff_pool_comes_to_rest(void **state)
{
    (void)state;
    pool p = {.world = create_world(1000, 1e-3, (fm_vec3){0, -9.81, 0})};
    fm_collider_def ball = fixture_ball_def((fm_vec3){0.18, 0.45, 0.18}, 0.07);
    ball.mass = 2.59; // kg, 1800 kg/m^3 x 4/3 pi r^3
    ball.velocity.y = -1.5;
    add_collider(p.world, ball);
    fm_particles_def def = fm_default_particles_def();
    def.spacing = 0.03;
    def.domain.high = (fm_vec3){0.36, 0.7, 0.36};
    def.domain.sides[FM_SIDE_TOP] = FM_SIDE_OPEN;
    fm_thickening sand = fm_default_thickening();
    sand.density = 1500;
    sand.viscosity = 30;
    fm_thickening_convert(&sand, &def);
    create_pool(p.world, &def, &(fm_fluid_box){.high = {0.36, 0.18, 0.36}, .settled = true});
    advance(p.world, 0.6);
    fm_report report = advance(p.world, 0.2);
    printf("  kinetic energy %.2g J\n", report.kinetic_energy);
    assert_at_most(report.kinetic_energy, 0.05);
    fm_world_destroy(p.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thrown_ball_rolls_rests_and_sinks),
        cmocka_unit_test(a_ball_is_carried_as_long_as_the_fluid_remembers),
        cmocka_unit_test(the_time_carried_does_not_depend_on_the_step),
        cmocka_unit_test(a_stiff_pool_comes_to_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
