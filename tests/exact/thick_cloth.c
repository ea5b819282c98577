// SPDX-License-Identifier: MIT
// thick_cloth.c: a strip of cloth is pulled out of cornstarch in water. Hardened fluid sticks to
// it: it is stretched more than without history, and more if it is pulled faster.
#include "couplings.h"

// Pulls a strip up by 10 cm within `duration` s; returns its largest relative stretch.
static double pull(bool history, double duration)
{
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
    fm_particles_def def = fm_default_particles_def();
    def.spacing = 0.02;
    def.domain.high = (fm_vec3){0.24, 0.6, 0.2};
    def.domain.sides[FM_SIDE_TOP] = FM_SIDE_OPEN;
    fm_thickening starch = fm_default_thickening();
    starch.history = history;
    fm_thickening_convert(&starch, &def);
    fm_particles *fluid =
        create_pool(world, &def, &(fm_fluid_box){.high = {0.24, 0.16, 0.2}, .settled = true});
    fm_cloth_def cloth_def = light_cotton();
    cloth_def.stretch.stiffness = 600; // N/m
    fm_sheet sheet = {.columns = 5, .rows = 13, .width = 0.12, .height = 0.2};
    sheet.origin = (fm_vec3){0.06, 0.22, 0.1};
    fm_cloth *cloth = create_sheet(world, &cloth_def, &sheet);
    const fm_key keys[] = {{.time = 0.1}, {.time = 0.1 + duration, .position = {0, 0.1, 0}}};
    const fm_motion *up =
        fm_motion_keyframes(world, keys, 2, FM_INTERPOLATE_SMOOTH, (fm_vec3){0}, &err);
    bool pinned = fm_cloth_pin_row(cloth, 0, up, &err);
    assert_good(pinned, &err);
    couple(world, cloth, fluid, FM_COUPLING_TWO_WAY);
    double most = 0;
    for (int k = 0; k * 0.02 < 0.1 + duration; k++)
        most = fmax(most, advance(world, 0.02).max_stretch);
    printf("  %s history, within %g s: stretched by %.1f %%\n", history ? "with" : "without",
           duration, 100 * most);
    fm_world_destroy(world);
    return most;
}

static void hardened_fluid_holds_cloth(void **state)
{
    (void)state;
    const double fast = pull(true, 0.2), slow = pull(true, 0.6);
    assert_true(fast > 1.2 * slow);
    assert_true(fast > 1.2 * pull(false, 0.2));
    assert_true(slow > 1.2 * pull(false, 0.6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hardened_fluid_holds_cloth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
