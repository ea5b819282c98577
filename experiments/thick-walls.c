// SPDX-License-Identifier: MIT
// thick-walls.c: sticky walls. [OZG13] section 5.3 slows particles at walls by the mean history
// stiffness of their springs, because walls help the fluid to carry a load.
//
// A glass ball of 5 cm radius is dropped from 10 cm onto a pool of 20 x 12 x 20 cm with the
// published model, with and without sticky walls. Measured: how deep its centre goes within 1 s.
#include "starch.h"

static const double FPS = 60; // 1/s

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "thick-walls",
                                    "A ball on a fluid with and without sticky walls.", &status);
    if (!e)
        return status;
    fm_error *err = experiment_error(e);
    experiment_table *table = experiment_table_open(e, "walls.csv", "sticky,time_s,height_m");
    for (int sticky = 1; sticky >= 0; sticky--) {
        starch_def def = starch_default();
        def.size = (fm_vec3){0.2, 0.4, 0.2};
        def.depth = 0.12;
        def.time_step = 1 / 600.0;
        def.sticky = sticky;
        def.fluid.published = true;
        fm_collider_def ball = starch_ball((fm_vec3){0.1, def.depth + 0.15, 0.1}, 0.05, 2500);
        def.solid = &ball;
        starch pool = starch_create(&def, err);
        double lowest = INFINITY, last = NAN;
        for (int k = 1; k <= (experiment_quick(e) ? 4 : 72) && err->status == FM_OK; k++) {
            fm_world_advance(pool.world, 1 / FPS, err);
            last = fm_collider_position(pool.solid).y;
            lowest = fmin(lowest, last);
            experiment_write_row(table, "%d,%.5g,%.6g", sticky, k / FPS, last);
        }
        fm_world_destroy(pool.world);
        const char *name = sticky ? "sticky walls" : "walls that do not stick";
        experiment_add_named_result(e, NAN, 100 * (def.depth - lowest), "cm",
                                    "%s, largest depth of the centre", name);
        experiment_add_named_result(e, NAN, 100 * (def.depth - last), "cm",
                                    "%s, depth of the centre at the end", name);
    }
    experiment_plot(e, "walls", "Height of a ball dropped onto a pool",
                    "set xlabel 'time [s]'\nset ylabel 'height of its centre [m]'\n"
                    "plot 'walls.csv' using ($1==1?$2:1/0):3 with lines ls 1 title 'sticky', '' "
                    "using ($1==0?$2:1/0):3 with lines ls 2 title 'not sticky'\n");
    return experiment_close(e);
}
