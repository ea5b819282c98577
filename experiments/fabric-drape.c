// SPDX-License-Identifier: MIT
// fabric-drape.c: Cusick's drape test: a disc of fabric of 30 cm lies on a support of 18 cm and
// hangs down around it.
//
//     drape coefficient = (shadow - support) / (specimen - support)        areas
//
// The fabric is a disc of springs and hinges of one modulus and one bending rigidity, held within
// the support, without self-contact, as in fabric_drape.csv. One of its rings of vertices is the
// border of the support. Its weight is 2 N/m^2 there; the bending length c = (B/w)^(1/3) of the
// bending rigidity B over the weight w per area is varied. The number of folds is that of the
// strongest Fourier component of the outline of the shadow.
//
// In a second way the disc lies on a plate that is lowered within 4 s, as in Cusick's instrument,
// instead of falling; so drape the measured fabrics (materials.c), as woven triangles with their
// own moduli of warp, weft and shear, the warp along x.
#include "fabric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PIXELS = 320, ANGLES = 360, MOST_FOLDS = 14, RINGS = 15, FABRIC_RINGS = 10 };
static const double SECONDS = 2.5; // of each run; the disc rests then
static const double LOWERED = 4;   // s, in which the plate is lowered
static const double RADIUS = 0.15, SUPPORT = 0.09, PIXEL = 1e-3, G = 9.81; // m, m, m, m/s^2

// A fabric to be draped.
typedef struct specimen {
    double weight;  // N/m^2
    double bend;    // N m
    double modulus; // N/m
    int material;   // fm_material of a woven disc; -1: the numbers above
    double lower;   // s, in which a plate under the disc is lowered; 0: the disc falls
} specimen;

typedef struct drape {
    double coefficient;
    int folds;
    double speed; // m/s, rms at the end
} drape;

// Marks the pixels of the plane x-z whose centres are in a triangle.
static void fill_triangle(unsigned char *shadow, fm_vec3 a, fm_vec3 b, fm_vec3 c)
{
    double area = (b.x - a.x) * (c.z - a.z) - (b.z - a.z) * (c.x - a.x);
    double low_x = fmin(a.x, fmin(b.x, c.x)), high_x = fmax(a.x, fmax(b.x, c.x));
    double low_z = fmin(a.z, fmin(b.z, c.z)), high_z = fmax(a.z, fmax(b.z, c.z));
    int half = PIXELS / 2;
    for (int i = (int)floor(low_x / PIXEL) + half; i <= (int)ceil(high_x / PIXEL) + half; i++)
        for (int k = (int)floor(low_z / PIXEL) + half; k <= (int)ceil(high_z / PIXEL) + half; k++) {
            double x = (i - half + 0.5) * PIXEL, z = (k - half + 0.5) * PIXEL;
            double u = ((b.x - x) * (c.z - z) - (b.z - z) * (c.x - x)) / area;
            double v = ((c.x - x) * (a.z - z) - (c.z - z) * (a.x - x)) / area;
            if (i >= 0 && k >= 0 && i < PIXELS && k < PIXELS && u >= 0 && v >= 0 && u + v <= 1)
                shadow[i * PIXELS + k] = 1;
        }
}

// The strongest component of the outline r(angle) of the shadow.
static int count_folds(const unsigned char *shadow)
{
    double r[ANGLES];
    for (int i = 0; i < ANGLES; i++) {
        double angle = 2 * FABRIC_PI * i / ANGLES, c = cos(angle), s = sin(angle);
        for (r[i] = RADIUS; r[i] > SUPPORT; r[i] -= PIXEL / 2) {
            int x = (int)floor(r[i] * c / PIXEL) + PIXELS / 2;
            int z = (int)floor(r[i] * s / PIXEL) + PIXELS / 2;
            if (shadow[x * PIXELS + z])
                break;
        }
    }
    int best = 0;
    double most = 0;
    for (int n = 2; n <= MOST_FOLDS; n++) {
        double re = 0, im = 0;
        for (int i = 0; i < ANGLES; i++) {
            double phase = 2 * FABRIC_PI * n * i / ANGLES;
            re += r[i] * cos(phase), im += r[i] * sin(phase);
        }
        if (re * re + im * im > most)
            most = re * re + im * im, best = n;
    }
    return best;
}

// Shadow and folds of a draped disc.
static drape measure(experiment *e, fm_cloth *cloth)
{
    drape d = {NAN, 0, NAN};
    int triangles, count, dark = 0;
    const int *t = fm_cloth_triangles(cloth, &triangles, experiment_error(e));
    const fm_vec3 *x = fm_cloth_positions(cloth, &count), *v = fm_cloth_velocities(cloth, NULL);
    unsigned char *shadow = experiment_alloc(e, (size_t)PIXELS * PIXELS, 1);
    if (!t || !shadow)
        return d;
    for (int i = 0; i < triangles; i++)
        fill_triangle(shadow, x[t[3 * i]], x[t[3 * i + 1]], x[t[3 * i + 2]]);
    for (int i = 0; i < PIXELS * PIXELS; i++)
        dark += shadow[i];
    double speed = 0, support = FABRIC_PI * SUPPORT * SUPPORT;
    for (int i = 0; i < count; i++)
        speed += (v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z) / count;
    d.coefficient = (dark * PIXEL * PIXEL - support) / (FABRIC_PI * RADIUS * RADIUS - support);
    d.folds = count_folds(shadow);
    d.speed = sqrt(speed);
    return d;
}

// Vertex j of ring i, which has 6 i vertices.
static int ring_vertex(int i, int j)
{
    return i == 0 ? 0 : 1 + 3 * i * (i - 1) + j % (6 * i);
}

// Creates a disc of rings of vertices with the distance RADIUS/rings.
static fm_cloth *create_disc(experiment *e, fm_world *world, const fm_cloth_def *def, int rings)
{
    int count = 1 + 3 * rings * (rings + 1), triangles = 6 * rings * rings, n = 0;
    fm_vec3 *x = experiment_alloc(e, (size_t)count, sizeof *x);
    int *t = experiment_alloc(e, 3 * (size_t)triangles, sizeof *t);
    if (!x || !t)
        return NULL;
    for (int i = 1; i <= rings; i++)
        for (int j = 0; j < 6 * i; j++) {
            double r = RADIUS * i / rings, angle = 2 * FABRIC_PI * j / (6 * i);
            x[ring_vertex(i, j)] = (fm_vec3){r * cos(angle), 0, r * sin(angle)};
        }
    for (int i = 1; i <= rings; i++)
        for (int k = 0; k < 6 * i; k++) {
            int sector = k / i, j = k % i, inner = sector * (i - 1) + j;
            int c = ring_vertex(i - 1, inner), a = ring_vertex(i, k), b = ring_vertex(i, k + 1);
            t[n++] = c, t[n++] = b, t[n++] = a;
            if (j < i - 1)
                t[n++] = c, t[n++] = ring_vertex(i - 1, inner + 1), t[n++] = b;
        }
    fm_cloth_mesh mesh = {
        .positions = x, .vertex_count = count, .triangles = t, .triangle_count = n / 3};
    return fm_cloth_create_mesh(world, def, &mesh, experiment_error(e));
}

// Adds a plate without friction under the disc that moves down by 12 cm in `seconds`.
static void lower_plate(experiment *e, fm_world *world, double seconds)
{
    const fm_key keys[2] = {{.time = 0}, {.time = seconds, .position = {0, -0.12, 0}}};
    fm_collider_def plate = fm_default_collider_def();
    plate.shape = (fm_shape){.kind = FM_SHAPE_PLANE, .centre = {0, -1e-3, 0}, .normal = {0, 1, 0}};
    plate.friction = 0;
    plate.motion = fm_motion_keyframes(world, keys, 2, FM_INTERPOLATE_LINEAR, (fm_vec3){0, 0, 0},
                                       experiment_error(e));
    fm_collider_create(world, &plate, experiment_error(e));
}

// Drapes a disc of `rings` rings for `seconds`.
static drape drape_disc(experiment *e, specimen s, int rings, double seconds)
{
    drape d = {NAN, 0, NAN};
    fm_world *world = fabric_create_world(e, G);
    fm_cloth_def def = fm_default_cloth_def();
    def.drag.model = FM_DRAG_NONE;
    if (s.material >= 0) {
        fm_cloth_set_material(&def, (fm_material)s.material);
        def.stretch.model = FM_STRETCH_TRIANGLES;
        def.warp_axis = (fm_vec3){1, 0, 0};
    } else {
        def.thickness = 5e-4;
        def.density = s.weight / G / def.thickness;
        def.stretch.stiffness = s.modulus;
        def.bend.stiffness = s.bend;
    }
    def.bend.damping.coefficient = def.damping.coefficient = 0;
    def.imperfection.amount = 1e-3;
    def.margin = 2e-4;
    if (s.lower > 0)
        lower_plate(e, world, s.lower);
    def.integrator = FM_IMPLICIT_EULER;
    def.time_step = 1.0 / 96;
    def.damping.kept = 0.97;
    fm_cloth *cloth = create_disc(e, world, &def, rings);
    int held = 0;
    int *pins = experiment_alloc(e, 1 + 3 * (size_t)rings * (size_t)(rings + 1), sizeof *pins);
    for (int i = 0; pins && i <= (int)(rings * SUPPORT / RADIUS + 0.5); i++)
        for (int j = 0; j < (i == 0 ? 1 : 6 * i); j++)
            pins[held++] = ring_vertex(i, j);
    if (cloth && pins) {
        fm_cloth_pin_list(cloth, pins, held, NULL, experiment_error(e));
        for (int i = 0; i < (int)(4 * seconds + 0.5); i++)
            fm_world_advance(world, 0.25, experiment_error(e));
        d = measure(e, cloth);
    }
    fm_world_destroy(world);
    return d;
}

// The disc of fabric_drape.csv: bending length, modulus, coefficient.
static void drape_reference(experiment *e, experiment_table *table, bool quick)
{
    static const double rows[][3] = {{0.015, 500, 0.43}, {0.02, 500, 0.68}, {0.025, 500, 0.80},
                                     {0.03, 500, 0.88},  {0.04, 500, 0.95}, {0.015, 50, 0.35},
                                     {0.02, 50, 0.55},   {0.03, 50, 0.80}};
    int count = quick ? 1 : (int)(sizeof rows / sizeof *rows);
    for (int i = 0; i < count; i++) {
        double c = rows[i][0];
        specimen s = {2, 2 * c * c * c, rows[i][1], -1, 0};
        drape d = drape_disc(e, s, quick ? 10 : RINGS, quick ? 0.25 : SECONDS);
        experiment_write_row(table, "%g,%g,%d,%g,%d,%g", c, rows[i][1], quick ? 10 : RINGS,
                             d.coefficient, d.folds, d.speed);
        experiment_add_named_result(e, rows[i][2], d.coefficient, "",
                                    "bending length %g cm, %g N/m: drape coefficient", 100 * c,
                                    rows[i][1]);
        experiment_add_named_result(e, NAN, d.folds, "", "bending length %g cm, %g N/m: folds",
                                    100 * c, rows[i][1]);
    }
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "fabric-drape", "Cusick's drape test.", &status);
    if (!e)
        return status;
    bool quick = experiment_quick(e);
    experiment_table *table = experiment_table_open(
        e, "drape.csv", "bending_length_m,modulus,rings,coefficient,folds,speed");
    drape_reference(e, table, quick);
    for (int rings = 10; rings <= 20 && !quick; rings += 10) { // folds on coarser and finer meshes
        specimen s = {2, 2 * 0.02 * 0.02 * 0.02, 500, -1, 0};
        drape d = drape_disc(e, s, rings, SECONDS);
        experiment_write_row(table, "0.02,500,%d,%g,%d,%g", rings, d.coefficient, d.folds, d.speed);
        experiment_add_named_result(e, 0.68, d.coefficient, "",
                                    "bending length 2 cm, 500 N/m, %d rings: coefficient", rings);
        experiment_add_named_result(e, NAN, d.folds, "",
                                    "bending length 2 cm, 500 N/m, %d rings: folds", rings);
    }
    for (int rings = 10; rings <= 25 && !quick; rings += 5) {
        specimen s = {2, 2 * 0.02 * 0.02 * 0.02, 500, -1, LOWERED};
        drape d = drape_disc(e, s, rings, SECONDS + LOWERED);
        experiment_add_named_result(e, 0.68, d.coefficient, "",
                                    "lowered, 2 cm, 500 N/m, %d rings: coefficient", rings);
        experiment_add_named_result(e, NAN, d.folds, "", "lowered, 2 cm, 500 N/m, %d rings: folds",
                                    rings);
    }
    for (int m = FM_DENIM; m < FM_MATERIAL_COUNT && !quick; m++) {
        drape d = drape_disc(e, (specimen){.material = m, .lower = LOWERED}, FABRIC_RINGS,
                             SECONDS + LOWERED);
        experiment_add_named_result(e, NAN, d.coefficient, "", "%s: drape coefficient",
                                    fm_material_name((fm_material)m));
        experiment_add_named_result(e, NAN, d.folds, "", "%s: folds",
                                    fm_material_name((fm_material)m));
    }
    experiment_plot(e, "drape", "Drape coefficient of a disc",
                    "set xlabel 'bending length [m]'\nset ylabel 'drape coefficient'\n"
                    "plot 'drape.csv' using 1:4 with points ls 1 title 'measured here'\n");
    return experiment_close(e);
}
