// SPDX-License-Identifier: MIT
// cloth-float.c: free sheets that float and sink.
//
// [OKRC10] section 4.1: the density of a cloth decides whether it floats or sinks, slowly or
// quickly. The towel of towel.h, level and free in still water of 1000 kg/m^3, has 900 to 1200
// kg/m^3 in the models of cloth-swing. Measured: the mean vertical velocity between 2 and 4 s,
// positive upwards, m/s.
#include "towel.h"

static const towel_model shown[] = {TOWEL_VISCOUS, TOWEL_NORMAL, TOWEL_3_STEPS, TOWEL_WHOLE_PAST,
                                    TOWEL_DEFAULT};
enum { SHOWN = sizeof shown / sizeof *shown, DENSITIES = 6 };
static const double densities[DENSITIES] = {900, 980, 1000, 1020, 1080, 1200}; // kg/m^3

// Mean height of all particles, m.
static double mean_height(fm_cloth *cloth)
{
    int count;
    double mean = 0;
    const fm_vec3 *x = fm_cloth_positions(cloth, &count);
    for (int i = 0; i < count; i++)
        mean += x[i].y / count;
    return mean;
}

// Mean vertical velocity of a free sheet in the second half of the run, m/s.
static double measure_velocity(experiment *e, towel_model model, double density)
{
    bool quick = experiment_quick(e);
    fm_error *err = experiment_error(e);
    double half = quick ? 0.1 : 2, velocity = NAN; // s
    fm_world *world = fixture_create_world(fixture_water_def(1), err);
    fm_cloth_def def = towel_tuned_cloth_def(model);
    def.density = density;
    fm_sheet sheet = fixture_tilted_sheet(21, 31, 0.4, -90);
    fm_cloth *cloth = fm_cloth_create_sheet(world, &def, &sheet, err);
    if (cloth) {
        fm_world_advance(world, half, err);
        double before = mean_height(cloth);
        fm_world_advance(world, half, err);
        velocity = (mean_height(cloth) - before) / half;
    }
    fm_world_destroy(world);
    return velocity;
}

int main(int argc, char **argv)
{
    int status;
    experiment *e =
        experiment_open(argc, argv, "cloth-float", "Free sheets that float and sink.", &status);
    if (!e)
        return status;
    experiment_table *table =
        experiment_table_open(e, "velocity.csv", "model,density_kg_per_m3,velocity_m_per_s");
    for (int i = 0; i < SHOWN * DENSITIES && !experiment_failed(e); i++) {
        const char *name = towel_model_name(shown[i / DENSITIES]);
        double density = densities[i % DENSITIES];
        double velocity = measure_velocity(e, shown[i / DENSITIES], density);
        experiment_write_row(table, "\"%s\",%g,%.4g", name, density, velocity);
        experiment_add_named_result(e, NAN, velocity, "m/s", "%s, %g kg/m^3: velocity upwards",
                                    name, density);
    }
    return experiment_close(e);
}
