// SPDX-License-Identifier: MIT
// fabric-tablecloth.c: a square cloth falls on an oval table: figure 8 of [LCKL13].
//
// sqrt(k/m) = 1000 1/s and kappa = 0.1 1/s, as in the figure. The paper reflects points that
// collide along the normal and shows pictures only. Here the same fall with
//
//   reflection   the published collision handling: hashing and reflection
//   contact      the library's contact with friction
//
// The table is an ellipse of 1.5 m x 1 m, a mesh. Measured after 1.5 s: change of the area, deepest
// point under the table's surface and kinetic energy.
#include "fabric.h"

#include <stdio.h>

enum { SIDES = 64 };

// Adds the table top: an elliptic plate of 1.5 m x 1 m, 4 cm thick, with its upper side at y = 0.
static void add_table(experiment *e, fm_world *world)
{
    static fm_vec3 points[2 * SIDES + 2];
    static int triangles[4 * SIDES * 3];
    int count = 0;
    for (int i = 0; i < SIDES; i++) {
        double angle = 2 * FABRIC_PI * i / SIDES;
        points[i] = (fm_vec3){0.75 * cos(angle), -0.04, -0.5 * sin(angle)};
        points[SIDES + i] = (fm_vec3){0.75 * cos(angle), 0, -0.5 * sin(angle)};
        int next = (i + 1) % SIDES, bottom = 2 * SIDES, top = bottom + 1;
        const int four[12] = {i,    next, SIDES + next, i,         SIDES + next, SIDES + i, bottom,
                              next, i,    top,          SIDES + i, SIDES + next};
        for (int k = 0; k < 12; k++)
            triangles[count++] = four[k];
    }
    points[2 * SIDES] = (fm_vec3){0, -0.04, 0};
    points[2 * SIDES + 1] = (fm_vec3){0, 0, 0};
    fm_collider_def def = fm_default_collider_def();
    fm_collider_mesh mesh = {.vertices = points,
                             .vertex_count = 2 * SIDES + 2,
                             .triangles = triangles,
                             .triangle_count = 4 * SIDES};
    def.name = "table";
    def.friction = 0.5;
    fm_collider_create_mesh(world, &def, &mesh, experiment_error(e));
}

// m, depth of the deepest point in the table.
static double find_depth(fm_cloth *cloth)
{
    int count;
    const fm_vec3 *x = fm_cloth_positions(cloth, &count);
    double deepest = 0;
    for (int i = 0; i < count; i++) {
        double r = hypot(x[i].x / 0.75, x[i].z / 0.5);
        double inside = fmin((1 - r) * 0.5, fmin(-x[i].y, x[i].y + 0.04));
        deepest = fmax(deepest, inside);
    }
    return deepest;
}

// Drops the cloth on the table with one kind of collision handling and reports the result.
static void run_fall(experiment *e, bool contact, experiment_table *table)
{
    const char *name = contact ? "contact" : "reflection";
    fm_world *world = fabric_create_world(e, 9.81);
    fm_cloth_def def = fm_default_fabric_cloth_def();
    fm_mesh_shape shape = fabric_shape(FM_MESH_RECTANGLE, experiment_quick(e) ? 0.12 : 0.05);
    double m = 0.2 * sqrt(0.75) * shape.edge * shape.edge; // 0.2 kg/m^2
    fm_fabric_def fabric = fabric_def(1e6 * m, m);
    shape.width = shape.length = 1.7;
    shape.triangulation = FM_TRIANGLES_IRREGULAR;
    fabric.kappa = 0.1;
    fabric.reflection = !contact;
    def.thickness = 1e-3, def.density = 200;
    def.contact.enabled = contact;
    def.contact.friction = 0.4;
    add_table(e, world);
    fm_fabric_place place = {.origin = {0, 0.05, 0}};
    fm_cloth *cloth =
        fm_cloth_create_fabric_shape(world, &def, &fabric, &shape, &place, experiment_error(e));
    double area = 0, depth = 0;
    int frames = experiment_quick(e) ? 12 : 72;
    for (int n = 0; n < frames && cloth && !experiment_failed(e); n++) {
        fm_world_advance(world, 1.0 / 48, experiment_error(e));
        double ratio = fabric_area_ratio(e, cloth);
        area = fmax(area, fabs(ratio - 1));
        depth = fmax(depth, find_depth(cloth));
        fm_report r = fm_world_report(world);
        experiment_write_row(table, "%s,%.4f,%.6g,%.6g,%.6g", name, (n + 1) / 48.0, ratio,
                             r.kinetic_energy, find_depth(cloth));
    }
    if (cloth) {
        experiment_add_named_result(e, NAN, area, "", "%s: largest change of the area", name);
        experiment_add_named_result(e, NAN, 1e3 * depth, "mm", "%s: deepest point in the table",
                                    name);
        experiment_add_named_result(e, NAN, fm_world_report(world).kinetic_energy, "J",
                                    "%s: kinetic energy at the end", name);
    }
    fm_world_destroy(world);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "fabric-tablecloth",
                                    "A tablecloth of springs on an oval table.", &status);
    if (!e)
        return status;
    experiment_table *table = experiment_table_open(
        e, "fall.csv", "collision,time_s,area_ratio,kinetic_energy_J,depth_m");
    run_fall(e, false, table);
    run_fall(e, true, table);
    experiment_plot(e, "fall", "Area of the tablecloth",
                    "set xlabel 'time [s]'\n"
                    "set ylabel 'area over area at rest'\n"
                    "plot '< grep reflection fall.csv' using 2:3 with lines ls 2 lw 3 title "
                    "'reflection', \\\n"
                    "     '< grep contact fall.csv' using 2:3 with lines ls 1 lw 3 title "
                    "'contact'\n");
    return experiment_close(e);
}
