// SPDX-License-Identifier: MIT
// A grid fluid of several parallel blocks gives the same bits on 1, 2 and 3 threads and on the
// host's own task system, also when it is saved and restored into a new world half-way. The cases:
// a closed tank under gravity, explicit and implicit viscosity, periodic sides one cell thick, a
// channel with a nozzle and a fixed ball, and a ball that moves, both with dye, marks and, in the
// channel, a cloth with one-way coupling; a channel with a permeable cloth, two-way; and a box with
// dye and marks that follows a falling cloth.
#include "grids.h"

enum { FRAMES = 4 };
static const double FRAME = 1.0 / 50;

typedef enum ingredient { TANK, VISCOUS, PLANE, CHANNEL, MOVING, SHEET, FOLLOW, CASES } ingredient;
static const char *const names[CASES] = {"tank",   "viscous", "plane", "channel",
                                         "moving", "sheet",   "follow"};

static fm_grid_def tank_def(int n)
{
    fm_grid_def def = fm_default_grid_def();
    def.cells[0] = n, def.cells[1] = n - 6, def.cells[2] = n + 4;
    def.spacing = 1.0 / n;
    def.sides[FM_SIDE_TOP].velocity.x = 1;
    return def;
}

static fm_grid_def channel_def(void)
{
    fm_grid_def def = tank_def(30);
    def.sides[FM_SIDE_RIGHT].kind = FM_GRID_OPEN;
    def.patch_count = 1;
    def.patches[0] = (fm_grid_patch){.side = FM_SIDE_LEFT,
                                     .low = {0, 0.2, 0.2},
                                     .high = {0, 0.6, 0.7},
                                     .condition = {.kind = FM_GRID_INFLOW,
                                                   .velocity = {2, 0, 0},
                                                   .dye = 1,
                                                   .profile = FM_GRID_PARABOLIC,
                                                   .ramp = 0.05}};
    return def;
}

// A box that follows a body: still fluid below, the other sides open.
static fm_grid_def following_def(void)
{
    fm_grid_def def = tank_def(30);
    for (int side = 0; side < FM_SIDE_COUNT; side++)
        def.sides[side].kind = side == FM_SIDE_BOTTOM ? FM_GRID_INFLOW : FM_GRID_OPEN;
    return def;
}

// A world with the fluid of one case, and what belongs to it.
static fm_world *build(ingredient kind, int threads)
{
    fm_error err = {0};
    fm_world *world = open_world(threaded_world_def(threads));
    fm_grid_def def = kind == CHANNEL || kind == SHEET ? channel_def()
                      : kind == FOLLOW                 ? following_def()
                                                       : tank_def(30);
    if (kind == CHANNEL || kind == MOVING) {
        fm_collider_def ball = fixture_ball_def((fm_vec3){0.52, 0.41, 0.47}, 0.17);
        if (kind == MOVING)
            ball.motion = fm_motion_sine(world, (fm_vec3){1, 0.3, 0}, 0.1, 0.2, &err);
        add_collider(world, ball);
    }
    def.loads = kind == MOVING;
    if (kind == CHANNEL || kind == MOVING || kind == FOLLOW) {
        def.dye = (fm_grid_dye){.on = true, .diffusivity = 1e-4, .buoyancy = 0.2, .fading = 2};
        def.sides[FM_SIDE_RIGHT].dye = 0.5;
        def.marks.density = 0.7;
    }
    if (kind == VISCOUS)
        def.diffusion = FM_GRID_IMPLICIT, def.viscosity = 1;
    if (kind == PLANE) {
        def = fixture_plane_grid_def(150, 130, 0.01, 1e-3);
        set_grid_periodic(&def, 0);
        set_grid_periodic(&def, 1);
    }
    fm_grid *grid = create_grid(world, &def);
    fm_grid_start vortex = {
        .kind = FM_GRID_START_VORTEX, .centre = {0.5, 0.4, 0.5}, .radius = 0.2, .speed = 1};
    if (kind == PLANE)
        assert_true(fm_grid_set_start(grid, &vortex, &err));
    if (kind == CHANNEL || kind == SHEET || kind == FOLLOW) {
        fm_cloth_def cloth_def = fm_default_cloth_def();
        fm_sheet sheet = {
            .columns = 9, .rows = 7, .width = 0.4, .height = 0.3, .origin = {0.3, 0.7, 0.3}};
        if (kind == FOLLOW)
            sheet.velocity = (fm_vec3){0.6, -2, 0.3};
        fm_cloth *cloth = fm_cloth_create_sheet(world, &cloth_def, &sheet, &err);
        fm_coupling_def coupling = fm_default_coupling_def();
        coupling.way = kind == CHANNEL ? FM_COUPLING_ONE_WAY : FM_COUPLING_TWO_WAY;
        coupling.follow = kind == FOLLOW;
        if (kind == SHEET)
            coupling.resistance = 3000, coupling.quadratic = 100;
        bool good = fm_world_couple_with(world, fm_cloth_object(cloth), fm_grid_object(grid),
                                         &coupling, &err);
        assert_good(good, &err);
    }
    return world;
}

// Hash after FRAMES frames of a case. pause: the frame before which the state moves to a new world.
static uint64_t run(int which, int threads, int pause)
{
    fm_world *world = build((ingredient)which, threads);
    for (int frame = 0; frame < FRAMES; frame++) {
        if (frame == pause)
            world = move_state_into(world, build((ingredient)which, threads));
        advance(world, FRAME);
    }
    uint64_t hash = fm_world_hash(world);
    fm_world_destroy(world);
    return hash;
}

static void results_do_not_depend_on_threads_or_restarts(void **state)
{
    (void)state;
    uint64_t seen[CASES];
    check_same_bits(run, names, CASES, FRAMES, seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_do_not_depend_on_threads_or_restarts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
