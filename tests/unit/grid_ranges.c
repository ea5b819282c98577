// SPDX-License-Identifier: MIT
// No NaN over the documented ranges: a cavity with a ball, an inflow and an open side, dye and
// marks, for the smallest and largest values of every number, alone and in random combinations.
// Lengths and speeds are scaled with the spacing so that a substep is a sensible part of the run.
#include "geometry/geometry.h"
#include "grids.h"
#include "random.h"

typedef struct setting {
    double spacing, density, viscosity, courant, tolerance, buoyancy, diffusivity, fading;
    double speed; // spacings per second
    fm_grid_advection advection;
    fm_grid_diffusion diffusion;
    bool moving;
} setting;

static const setting usual = {0.1, 1000, 1e-3, 0.8, 1e-6, 0.1, 1e-4, 1, 3, 0, 0, false};

static void run(setting s, const char *name)
{
    fm_error err = {0};
    fm_world *world = create_world(1, 1e-3, (fm_vec3){0, -10 * s.spacing, 0});
    double h = s.spacing;
    fm_collider_def ball = fixture_ball_def((fm_vec3){5.3 * h, 4.2 * h, 4.1 * h}, 2.1 * h);
    if (s.moving)
        ball.motion = fm_motion_sine(world, (fm_vec3){1, 0, 0}, h, 1, &err);
    add_collider(world, ball);
    fm_grid_def def = fm_default_grid_def();
    def.cells[0] = 11, def.cells[1] = def.cells[2] = 8;
    def.spacing = h;
    def.density = s.density;
    def.viscosity = s.viscosity;
    def.courant = s.courant;
    def.tolerance = s.tolerance;
    def.advection = s.advection;
    def.diffusion = s.diffusion;
    def.sides[FM_SIDE_LEFT] =
        (fm_grid_side){.kind = FM_GRID_INFLOW, .velocity = {s.speed * h, 0, 0}, .dye = 1};
    def.sides[FM_SIDE_RIGHT].kind = FM_GRID_OPEN;
    def.dye = (fm_grid_dye){true, s.diffusivity, s.buoyancy, s.fading};
    def.marks.density = 1;
    def.loads = true;
    fm_grid *grid = create_grid(world, &def);
    // some substeps of whatever length; explicit viscosity may need very short ones
    double step = h, nu = s.viscosity / s.density;
    if (s.diffusion == FM_GRID_EXPLICIT && nu > 0)
        step = fmin(1, h * h / (6 * nu));
    step = fmin(step, s.diffusivity > 0 ? h * h / (6 * s.diffusivity) : 1);
    step = fmin(step, s.courant / (s.speed + 1));
    fm_world_advance(world, 6 * step, &err);
    if (err.status != FM_OK)
        fail_msg("%s: %s", name, err.text);
    double *u = read_grid(grid, "velocity", 3), *dye = read_grid(grid, "dye", 1);
    for (int i = 0; i < 3 * 11 * 64; i++)
        if (!isfinite(u[i]) || fabs(u[i]) > 1e4 * (s.speed + 10) * h || !isfinite(dye[i / 3]))
            fail_msg("%s: velocity %g, dye %g", name, u[i], dye[i / 3]);
    free(u);
    free(dye);
    fm_world_destroy(world);
}

static void single_values_at_the_ends_of_their_ranges_give_no_nan(void **state)
{
    (void)state;
    setting s = usual;
    run(s, "usual");
    static const double spacings[3] = {1e-6, 1e-3, 1e3};
    for (int i = 0; i < 3; i++)
        s = usual, s.spacing = spacings[i], s.diffusivity = 0, s.viscosity = 0, run(s, "spacing");
    s = usual, s.density = 1e-6, s.viscosity = 0, run(s, "density 1e-6");
    s = usual, s.density = 1e6, run(s, "density 1e6");
    s = usual, s.viscosity = 0, run(s, "viscosity 0");
    s = usual, s.viscosity = 1e6, run(s, "viscosity 1e6");
    s = usual, s.viscosity = 1e6, s.diffusion = FM_GRID_IMPLICIT, run(s, "viscosity 1e6, implicit");
    s = usual, s.courant = 1e-3, run(s, "courant 1e-3");
    s = usual, s.courant = 1, run(s, "courant 1");
    s = usual, s.tolerance = 1e-12, run(s, "tolerance 1e-12");
    s = usual, s.tolerance = 0.1, run(s, "tolerance 0.1");
    s = usual, s.buoyancy = 1e3, run(s, "buoyancy 1e3");
    s = usual, s.buoyancy = -1e3, run(s, "buoyancy -1e3");
    s = usual, s.diffusivity = 1e6, run(s, "diffusivity 1e6");
    s = usual, s.fading = 1e-6, run(s, "fading 1e-6");
    s = usual, s.speed = 0, run(s, "at rest");
    s = usual, s.speed = 1e5, run(s, "fast");
    s = usual, s.moving = true, run(s, "moving");
    s = usual, s.advection = FM_GRID_FIRST_ORDER, run(s, "first order");
}

static double draw_power(fm_rng *rng, double low, double high)
{
    return pow(10, log10(low) + (log10(high) - log10(low)) * fm_rng_uniform(rng));
}

static void random_combinations_give_no_nan(void **state)
{
    (void)state;
    fm_rng rng = {7};
    for (int i = 0; i < 60; i++) {
        char name[32];
        setting s = {.spacing = draw_power(&rng, 1e-4, 1e2),
                     .density = draw_power(&rng, 1e-3, 1e5),
                     .viscosity = i % 5 == 0 ? 0 : draw_power(&rng, 1e-6, 1e4),
                     .courant = draw_power(&rng, 0.05, 1),
                     .tolerance = draw_power(&rng, 1e-10, 1e-2),
                     .buoyancy = between(&rng, -1, 1),
                     .diffusivity = i % 3 == 0 ? 0 : draw_power(&rng, 1e-8, 1),
                     .fading = i % 2 == 0 ? 0 : draw_power(&rng, 1e-2, 1e2),
                     .speed = draw_power(&rng, 0.1, 100),
                     .advection = i % 7 == 0 ? FM_GRID_FIRST_ORDER : FM_GRID_FIFTH_ORDER,
                     .diffusion = i % 2 ? FM_GRID_IMPLICIT : FM_GRID_EXPLICIT,
                     .moving = i % 4 == 0};
        snprintf(name, sizeof name, "combination %d", i);
        run(s, name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_values_at_the_ends_of_their_ranges_give_no_nan),
        cmocka_unit_test(random_combinations_give_no_nan)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
