// SPDX-License-Identifier: MIT
// The scene pour-into-glass: in its first second no particle passes the glass, in any substep.
#include "liquids.h"

#include <fathom/loader.h>
#include <fathom/scene.h>

enum { INTERVALS = 240 };                         // in a second: each is one substep
static const double RIM = 0.1175, BOTTOM = 0.007; // m: rim and bottom of the glass, inside

// Inner radius, m, of the glass at the height y, m: that of thick-glass.obj at the corners of its
// mesh. Its faces are nearer to the axis.
static double find_radius(double y)
{
    return y < 0.01 ? 0.026 : 0.026 + (y - 0.01) * 0.009 / 0.1075;
}

// Number of particles below the rim that are in the glass itself or outside of it.
static int count_beyond(fm_liquid *liquid)
{
    double *x = read_liquid(liquid, "position", 3);
    int count = 0;
    for (int i = 0; i < fm_liquid_particle_count(liquid); i++) {
        double r = hypot(x[3 * i], x[3 * i + 2]), y = x[3 * i + 1];
        count += y < RIM && (y < BOTTOM - 1e-6 || r > find_radius(y) + 1e-6);
    }
    free(x);
    return count;
}

static void no_particle_passes_the_glass_in_any_substep(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_scene *scene =
        fm_scene_load(SOURCE_DIR "/scenes/liquid/pour-into-glass.yaml", NULL, 0, NULL, NULL, &err);
    assert_good(scene, &err);
    fm_world *world = fm_scene_build_with_loader(scene, 1, fm_file_loader(), &err);
    assert_good(world, &err);
    fm_liquid *liquid = fm_object_liquid(fm_world_find_object(world, "water"));
    int most = 0;
    for (int i = 0; i < INTERVALS; i++) {
        advance(world, 1.0 / INTERVALS);
        int beyond = count_beyond(liquid);
        most = beyond > most ? beyond : most;
    }
    printf("  %d particles, %d substeps in %d intervals, at most %d in or behind the glass\n",
           fm_liquid_particle_count(liquid), (int)fm_liquid_read_stats(liquid).substep_count,
           INTERVALS, most);
    assert_int_equal(most, 0);
    assert_int_equal(fm_liquid_read_stats(liquid).substep_count, INTERVALS);
    assert_true(fm_liquid_particle_count(liquid) > 10000);
    fm_world_destroy(world);
    fm_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_particle_passes_the_glass_in_any_substep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
