// SPDX-License-Identifier: MIT
// Contact, enforcement, seams and repulsion in water feed no energy in.
//
// A cloth in water carries a layer of it along its normal: tens of times its own mass for silk.
// Whatever changes velocities must count that mass, and the newest part of the history forces.
//
// 1 While nothing touches, contact changes nothing: the same path, to the last bit, as without.
// 2 A free cloth that crumples in still water, no weight, may only lose energy (its own and its
//   layer's): over every frame, for all materials, sheets, tubes and meshes.
// 3 A cloth that is swung, or worn by something that moves at speed V, never has more kinetic
//   energy than cloth and layer moving at V as a whole, M V^2 / 2.
#include "bodies.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 11, ROWS = 11, FRAMES = 36 };
static const double SIDE = 0.3; // m

static const char *const kind_names[] = {"sheet", "tube", "mesh"};

// A sheet, a tube, or the sheet's triangles as a mesh, with a wave that keeps it off the plane.
static fm_cloth *make_cloth(fm_world *world, const fm_cloth_def *def, int kind, fm_vec3 origin)
{
    fm_error err = {0};
    fm_cloth *cloth = NULL;
    fm_sheet sheet = {
        .columns = COLUMNS, .rows = ROWS, .width = SIDE, .height = SIDE, .origin = origin};
    fm_tube tube = {.columns = 16,
                    .rows = 9,
                    .radius_top = 0.07,
                    .radius_bottom = 0.09,
                    .height = 0.22,
                    .origin = origin};
    if (kind == FM_CLOTH_SHEET) {
        cloth = fm_cloth_create_sheet(world, def, &sheet, &err);
    } else if (kind == FM_CLOTH_TUBE) {
        cloth = fm_cloth_create_tube(world, def, &tube, &err);
    } else {
        fm_vec3 x[COLUMNS * ROWS];
        int triangles[6 * (COLUMNS - 1) * (ROWS - 1)], count = 0;
        for (int i = 0; i < COLUMNS * ROWS; i++)
            x[i] = (fm_vec3){origin.x + SIDE * (i % COLUMNS) / (COLUMNS - 1),
                             origin.y - SIDE * (i / COLUMNS) / (ROWS - 1), 0.004 * sin(3 * i)};
        for (int i = 0; i < COLUMNS * (ROWS - 1); i++) {
            if (i % COLUMNS == COLUMNS - 1)
                continue;
            int cell[6] = {i, i + COLUMNS, i + COLUMNS + 1, i, i + COLUMNS + 1, i + 1};
            memcpy(triangles + count, cell, sizeof cell);
            count += 6;
        }
        fm_cloth_mesh mesh = {.positions = x,
                              .vertex_count = COLUMNS * ROWS,
                              .triangles = triangles,
                              .triangle_count = count / 3};
        cloth = fm_cloth_create_mesh(world, def, &mesh, &err);
    }
    if (!cloth)
        print_error("%s\n", err.text);
    assert_non_null(cloth);
    return cloth;
}

// What a cloth has beside springs, drag and added mass.
typedef struct extras {
    const char *name;
    bool contact, repulsion, seam, memory;
    fm_enforcement_method enforcement;
} extras;

static fm_cloth_def define(int material, const extras *e)
{
    fm_cloth_def def = fm_default_cloth_def();
    fm_cloth_set_material(&def, (fm_material)material);
    def.contact.enabled = e->contact;
    def.repulsion.enabled = e->repulsion;
    def.enforcement.method = e->enforcement;
    if (e->memory)
        def.damping.order = 0.5, def.damping.coefficient = 0.3;
    return def;
}

// Towards its middle, in waves.
static void crumple(fm_cloth *cloth, double speed)
{
    fm_error err = {0};
    int count;
    const fm_vec3 *x = fm_cloth_positions(cloth, &count);
    fm_vec3 *v = malloc((size_t)count * sizeof *v), middle = {0, 0, 0};
    for (int i = 0; i < count; i++) {
        middle.x += x[i].x / count, middle.y += x[i].y / count, middle.z += x[i].z / count;
    }
    for (int i = 0; i < count; i++) {
        double a = (x[i].x - middle.x) / SIDE, b = (x[i].y - middle.y) / SIDE;
        double c = (x[i].z - middle.z) / SIDE;
        v[i] = (fm_vec3){-2 * speed * a, -2 * speed * b * (0.5 + 0.5 * cos(2 * a)),
                         speed * (sin(5 * a + 2 * b) + 0.5 * cos(7 * b) - 3 * a - 4 * c)};
    }
    assert_true(fm_cloth_set_velocities(cloth, v, &err));
    free(v);
}

static double energy(const fm_report *report)
{
    return report->kinetic_energy + report->potential_energy;
}

// The most that the energy of a crumpling cloth rises above what it was before, over what it had at
// the start, stitches included.
static double largest_rise(int kind, int material, const extras *e)
{
    fm_error err = {0};
    fm_cloth_def def = define(material, e);
    fm_world *world = make_world(1000, 1e-3, no_gravity);
    fm_cloth *cloth = make_cloth(world, &def, kind, (fm_vec3){0, 0, 0});
    crumple(cloth, 1);
    if (e->seam) {
        int count = fm_cloth_particle_count(cloth), one[5], other[5];
        for (int i = 0; i < 5; i++)
            one[i] = i, other[i] = count - 1 - i;
        assert_true(fm_cloth_sew(cloth, one, other, 5, 0, 0, &err)); // springs from the start
    }
    fm_report report = fm_world_report(world);
    double start = energy(&report), least = start, rise = 0;
    for (int f = 0; f < FRAMES; f++) {
        report = advance(world, 1.0 / 48);
        rise = fmax(rise, energy(&report) - least);
        least = fmin(least, energy(&report));
    }
    fm_world_destroy(world);
    return rise / start;
}

// Positions change what springs store when they are corrected, and history forces push for a while:
// a thousandth of the energy at the start is room for both.
static void crumpling_cloth_gains_no_energy(void **state)
{
    (void)state;
    static const extras cases[] = {
        {"contact", .contact = true},
        {"contact, damping with memory", .contact = true, .memory = true},
        {"contact, seam", .contact = true, .seam = true},
        {"repulsion", .repulsion = true},
        {"seam", .seam = true},
        {"iterative", .enforcement = FM_ENFORCE_ITERATIVE},
        {"directional", .enforcement = FM_ENFORCE_DIRECTIONAL},
        {"directional, contact", .contact = true, .enforcement = FM_ENFORCE_DIRECTIONAL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int kind = 0; kind < 3; kind++) {
            double worst = 0;
            for (int material = 0; material < FM_MATERIAL_COUNT; material++)
                worst = fmax(worst, largest_rise(kind, material, &cases[i]));
            printf("  %s, %s: energy rises by %.2g of what it was\n", cases[i].name,
                   kind_names[kind], worst);
            assert_at_most(worst, 1e-3);
        }
    }
}

static void contact_changes_nothing_while_nothing_touches(void **state)
{
    (void)state;
    static const extras with = {"contact", .contact = true}, without = {.name = "none"};
    for (int kind = 0; kind < 3; kind++) {
        for (int material = 0; material < FM_MATERIAL_COUNT; material++) {
            fm_vec3 *x[2];
            int count = 0;
            for (int on = 0; on < 2; on++) {
                fm_error err = {0};
                fm_cloth_def def = define(material, on ? &with : &without);
                fm_world *world = make_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
                fm_cloth *cloth = make_cloth(world, &def, kind, (fm_vec3){0, 0, 0});
                fm_motion *swing = fm_motion_sine(world, (fm_vec3){0, 0, 1}, 0.02, 1.5, &err);
                int row[16];
                for (int i = 0; i < 16; i++)
                    row[i] = i;
                assert_true(fm_cloth_pin_list(cloth, row, kind == FM_CLOTH_TUBE ? 16 : COLUMNS,
                                              swing, &err));
                for (int f = 0; f < 12; f++)
                    assert_int_equal(advance(world, 1.0 / 24).contact_count, 0);
                const fm_vec3 *end = fm_cloth_positions(cloth, &count);
                x[on] = malloc((size_t)count * sizeof **x);
                memcpy(x[on], end, (size_t)count * sizeof **x);
                fm_world_destroy(world);
            }
            assert_memory_equal(x[0], x[1], (size_t)count * sizeof **x);
            free(x[0]);
            free(x[1]);
        }
    }
}

// kg, of the cloth and of the layer of water with it.
static double total_mass(fm_cloth *cloth, const fm_cloth_def *def)
{
    int count = fm_cloth_particle_count(cloth);
    double *mass = malloc((size_t)count * sizeof *mass), sum = 0;
    read_field(cloth, "mass", mass);
    for (int i = 0; i < count; i++)
        sum += mass[i];
    free(mass);
    double area = sum / (def->density * def->thickness);
    double layer = def->drag.added_mass >= 0 ? def->drag.added_mass : SIDE / (2 * acos(-1));
    return sum + 1000 * layer * area;
}

// Peak of the kinetic energy over M V^2.
static double swing(int kind, int material, double amplitude, double period, bool worn)
{
    static const extras with = {"contact", .contact = true};
    fm_error err = {0};
    fm_cloth_def def = define(material, &with);
    fm_world *world = make_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
    fm_cloth *cloth = make_cloth(world, &def, kind, (fm_vec3){0, 0, 0});
    fm_motion *motion = fm_motion_sine(world, (fm_vec3){0, 0, 1}, amplitude, period, &err);
    int row[16];
    for (int i = 0; i < 16; i++)
        row[i] = i;
    assert_true(fm_cloth_pin_list(cloth, row, kind == FM_CLOTH_TUBE ? 16 : COLUMNS, motion, &err));
    if (worn) {
        fm_collider_def body = fm_default_collider_def();
        double x = kind == FM_CLOTH_TUBE ? 0 : SIDE / 2, z = kind == FM_CLOTH_TUBE ? 0 : 0.075;
        body.shape = (fm_shape){
            .kind = FM_SHAPE_CAPSULE, .start = {x, -0.05, z}, .end = {x, -0.3, z}, .radius = 0.05};
        body.friction = 0.3;
        body.motion = motion;
        fm_collider_create(world, &body, &err);
    }
    double speed = amplitude * 2 * acos(-1) / period, peak = 0;
    for (int f = 0; f < 48; f++)
        peak = fmax(peak, advance(world, 1.0 / 24).kinetic_energy);
    double scale = total_mass(cloth, &def) * speed * speed;
    fm_world_destroy(world);
    return peak / scale;
}

static void swung_and_worn_cloth_stays_calm(void **state)
{
    (void)state;
    static const double swings[3][2] = {{0.06, 2.4}, {0.1, 1.2}, {0.05, 0.5}};
    for (int kind = 0; kind < 3; kind++) {
        for (int worn = 0; worn < 2; worn++) {
            double worst = 0;
            for (int material = 0; material < FM_MATERIAL_COUNT; material++) {
                for (int i = 0; i < 3; i++)
                    worst = fmax(worst, swing(kind, material, swings[i][0], swings[i][1], worn));
            }
            printf("  %s, %s: kinetic energy up to %.2f M V^2\n", kind_names[kind],
                   worn ? "worn" : "swung", worst);
            assert_at_most(worst, 0.5);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contact_changes_nothing_while_nothing_touches),
        cmocka_unit_test(crumpling_cloth_gains_no_energy),
        cmocka_unit_test(swung_and_worn_cloth_stays_calm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
