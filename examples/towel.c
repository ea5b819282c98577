// SPDX-License-Identifier: MIT
// towel.c: a towel swung back and forth under water.
//
// The medium is still water. The drag model is the physical one, which needs no tuning. Bumps form
// at the top edge and travel down the towel. The last column of the output is the height of the
// lower edge.
#include <fathom/fathom.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
    fm_error err = {0}; // keeps the first failure; calls after it do nothing

    fm_world_def world_def = fm_default_world_def(); // still water, SI units, y up
    fm_world *world = fm_world_create(&world_def, &err);

    fm_cloth_def cloth_def = fm_default_cloth_def();                           // a cotton towel
    cloth_def.density = 1250.0;                                                // kg/m^3, wet
    fm_sheet sheet = {.columns = 21, .rows = 31, .width = 0.4, .height = 0.6}; // row 0 on top
    fm_cloth *towel = fm_cloth_create_sheet(world, &cloth_def, &sheet, &err);
    // axis, amplitude m, period s
    fm_motion *swing = fm_motion_sine(world, (fm_vec3){0, 0, 1}, 0.04, 2.0, &err);
    if (err.status == FM_OK)
        fm_cloth_pin_row(towel, 0, swing, &err);

    double deepest = 0, largest_swing = 0;
    for (int frame = 0; frame < 240 && err.status == FM_OK; frame++) {
        fm_report report = fm_world_advance(world, 1.0 / 24.0, &err);
        int count;
        const fm_vec3 *x = fm_cloth_positions(towel, &count);
        deepest = fmin(deepest, x[count - 1].y);
        largest_swing = fmax(largest_swing, fabs(x[count / 2].z));
        if (frame % 24 == 23)
            printf("%3.0f s  %d substeps a frame  %.4f J  stretch %4.1f %%  lower edge at %.3f m\n",
                   report.time, report.substep_count, report.kinetic_energy,
                   100 * report.max_stretch, x[count - 1].y);
    }
    fm_world_destroy(world);
    if (err.status != FM_OK)
        fprintf(stderr, "towel: %s\n", err.text);
    // the towel hangs down, is not overstretched, and the bumps reach its middle
    bool good = deepest < -0.59 && deepest > -0.66 && largest_swing > 0.03;
    return err.status != FM_OK ? (int)err.status : !good;
}
