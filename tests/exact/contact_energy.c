// SPDX-License-Identifier: MIT
// contact_energy.c: contact, enforcement (strain limiting), seams and repulsion in water add no
// energy.
//
// A cloth in water carries a layer of water along its normal, the added mass: tens of times its own
// mass for silk. Every change of velocity has to account for that mass, and for the part of the
// history forces (half derivatives of the velocity) that depends on the newest velocity.
//
// 1 As long as nothing touches, contact changes nothing: the result is the same, bit by bit.
//
// 2 A free cloth that crumples in water at rest, without gravity, may only lose energy (including
// that of the added mass): over every frame, for all materials, sheets, tubes and meshes.
//
// 3 A cloth that is swung, or worn by a body that moves at speed V, never has more kinetic energy
// than cloth and added mass moving at V as a whole, M V^2 / 2.
//
// The long version tests all combinations. The short one tests every material with every topology,
// and varies the rest between them: half of the cases of 2, a third of those of 3.
#include "bodies.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 11, ROWS = 11, FRAMES = 36 }; // particles of the sheet; frames of a run
static const double SIDE = 0.3;                // m, of the sheet

static const char *const topology_names[] = {"sheet", "tube", "mesh"};

// A sheet, a tube, or the sheet's triangles as a mesh, displaced by a small wave so that it is not
// flat.
static fm_cloth *create_cloth(fm_world *world, const fm_cloth_def *def, int topology,
                              fm_vec3 origin)
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
    if (topology == FM_CLOTH_SHEET) {
        cloth = fm_cloth_create_sheet(world, def, &sheet, &err);
    } else if (topology == FM_CLOTH_TUBE) {
        cloth = fm_cloth_create_tube(world, def, &tube, &err);
    } else {
        fixture_mesh grid = fixture_create_grid(COLUMNS, ROWS, SIDE / (COLUMNS - 1),
                                                SIDE / (ROWS - 1), CUT_ONE_WAY);
        for (int i = 0; i < COLUMNS * ROWS; i++) {
            fm_vec3 *x = &grid.positions[i];
            *x = (fm_vec3){origin.x + x->x, origin.y + x->y, 0.004 * sin(3 * i)};
        }
        fm_cloth_mesh mesh = fixture_cloth_mesh(&grid);
        cloth = fm_cloth_create_mesh(world, def, &mesh, &err);
        fixture_destroy_mesh(&grid);
    }
    assert_good(cloth, &err);
    return cloth;
}

// Features that a cloth has in addition to springs, drag and added mass.
typedef struct extras {
    const char *name;
    bool contact, repulsion, seam;
    bool half_derivative;              // in the damping of the springs, instead of dashpots
    fm_enforcement_method enforcement; // strain limiting
} extras;

// The default cloth of a material (fm_material) with extras.
static fm_cloth_def define_cloth(int material, const extras *e)
{
    fm_cloth_def def = fixture_perfect_cloth();
    fm_cloth_set_material(&def, (fm_material)material);
    def.contact.enabled = e->contact;
    def.repulsion.enabled = e->repulsion;
    def.enforcement.method = e->enforcement;
    if (e->half_derivative)
        def.damping.order = 0.5, def.damping.coefficient = 0.3;
    return def;
}

// Sets velocities of about `speed` (m/s) towards the centre of the cloth, modulated by waves.
static void set_crumpling_velocities(fm_cloth *cloth, double speed)
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

// Kinetic and potential energy, J.
static double total_energy(const fm_report *report)
{
    return report->kinetic_energy + report->potential_energy;
}

// The largest rise of a crumpling cloth's energy above its earlier minimum, relative to the energy
// at the start, seams included.
static double largest_energy_rise(int topology, int material, const extras *e)
{
    fm_error err = {0};
    fm_cloth_def def = define_cloth(material, e);
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_cloth *cloth = create_cloth(world, &def, topology, (fm_vec3){0, 0, 0});
    set_crumpling_velocities(cloth, 1);
    if (e->seam) {
        enum { STITCHES = 5 }; // from the first to the last particles
        int count = fm_cloth_particle_count(cloth), one[STITCHES], other[STITCHES];
        for (int i = 0; i < STITCHES; i++)
            one[i] = i, other[i] = count - 1 - i;
        // the seam pulls from the start
        assert_true(fm_cloth_sew(cloth, one, other, STITCHES, 0, 0, &err));
    }
    fm_report report = fm_world_report(world);
    double start = total_energy(&report), least = start, rise = 0;
    for (int f = 0; f < FRAMES; f++) {
        report = advance(world, 1.0 / 48);
        rise = fmax(rise, total_energy(&report) - least);
        least = fmin(least, total_energy(&report));
    }
    fm_world_destroy(world);
    return rise / start;
}

// Position corrections of contact and strain limiting change the energy stored in springs, and
// history forces, half derivatives of the velocity, act on after a motion has stopped: the
// tolerance of a thousandth of the initial energy allows for both.
static void crumpling_cloth_gains_no_energy(void **state)
{
    (void)state;
    static const extras cases[] = {
        {"contact", .contact = true},
        {"contact, damping with memory", .contact = true, .half_derivative = true},
        {"contact, seam", .contact = true, .seam = true},
        {"repulsion", .repulsion = true},
        {"seam", .seam = true},
        {"iterative", .enforcement = FM_ENFORCE_ITERATIVE},
        {"directional", .enforcement = FM_ENFORCE_DIRECTIONAL},
        {"directional, contact", .contact = true, .enforcement = FM_ENFORCE_DIRECTIONAL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int topology = 0; topology < 3; topology++) {
            double worst = 0;
            for (int material = 0; material <= FM_GAUZE; material++) {
                if (is_long_version() || ((int)i + topology + material) % 2 == 0)
                    worst = fmax(worst, largest_energy_rise(topology, material, &cases[i]));
            }
            printf("  %s, %s: energy rises by %.2g of what it was\n", cases[i].name,
                   topology_names[topology], worst);
            assert_at_most(worst, 1e-3);
        }
    }
}

static void contact_changes_nothing_while_nothing_touches(void **state)
{
    (void)state;
    static const extras with = {"contact", .contact = true}, without = {.name = "none"};
    // x: final positions without and with contact
    for (int topology = 0; topology < 3; topology++) {
        for (int material = 0; material <= FM_GAUZE; material++) {
            fm_vec3 *x[2];
            int count = 0;
            for (int on = 0; on < 2; on++) {
                fm_error err = {0};
                fm_cloth_def def = define_cloth(material, on ? &with : &without);
                fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
                fm_cloth *cloth = create_cloth(world, &def, topology, (fm_vec3){0, 0, 0});
                fm_motion *swing = fm_motion_sine(world, (fm_vec3){0, 0, 1}, 0.02, 1.5, &err);
                int row[16];
                for (int i = 0; i < 16; i++)
                    row[i] = i;
                assert_true(fm_cloth_pin_list(cloth, row, topology == FM_CLOTH_TUBE ? 16 : COLUMNS,
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

// Mass of the cloth plus added mass, kg, if every particle moves along its normal: from the kinetic
// energy at 1 m/s.
static double total_mass(const fm_cloth_def *def, int topology)
{
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_cloth *cloth = create_cloth(world, def, topology, (fm_vec3){0, 0, 0});
    int count = fm_cloth_particle_count(cloth);
    fm_vec3 *v = malloc((size_t)count * sizeof *v);
    double *normal = malloc(3 * (size_t)count * sizeof *normal);
    read_field(cloth, "normal", normal);
    for (int i = 0; i < count; i++)
        v[i] = (fm_vec3){normal[3 * i], normal[3 * i + 1], normal[3 * i + 2]};
    assert_true(fm_cloth_set_velocities(cloth, v, &err));
    double mass = 2 * fm_world_report(world).kinetic_energy;
    free(v);
    free(normal);
    fm_world_destroy(world);
    return mass;
}

// The largest kinetic energy of a cloth whose upper edge is swung with amplitude (m) and period
// (s), relative to M V^2: M is the mass of cloth and added mass, V the largest speed. worn: a
// capsule inside the tube or behind the sheet moves with the edge.
static double relative_peak_energy(int topology, int material, double amplitude, double period,
                                   bool worn)
{
    static const extras with = {"contact", .contact = true};
    fm_error err = {0};
    fm_cloth_def def = define_cloth(material, &with);
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
    fm_cloth *cloth = create_cloth(world, &def, topology, (fm_vec3){0, 0, 0});
    fm_motion *motion = fm_motion_sine(world, (fm_vec3){0, 0, 1}, amplitude, period, &err);
    int row[16];
    for (int i = 0; i < 16; i++)
        row[i] = i;
    assert_true(
        fm_cloth_pin_list(cloth, row, topology == FM_CLOTH_TUBE ? 16 : COLUMNS, motion, &err));
    if (worn) {
        fm_collider_def body = fm_default_collider_def();
        double x = topology == FM_CLOTH_TUBE ? 0 : SIDE / 2,
               z = topology == FM_CLOTH_TUBE ? 0 : 0.075;
        body.shape = (fm_shape){
            .kind = FM_SHAPE_CAPSULE, .start = {x, -0.05, z}, .end = {x, -0.3, z}, .radius = 0.05};
        body.friction = 0.3;
        body.motion = motion;
        fm_collider_create(world, &body, &err);
    }
    double speed = amplitude * 2 * acos(-1) / period, peak = 0;
    for (int f = 0; f < 48; f++)
        peak = fmax(peak, advance(world, 1.0 / 24).kinetic_energy);
    double scale = total_mass(&def, topology) * speed * speed;
    fm_world_destroy(world);
    return peak / scale;
}

static void swung_and_worn_cloth_has_bounded_kinetic_energy(void **state)
{
    (void)state;
    static const double swings[3][2] = {{0.06, 2.4}, {0.1, 1.2}, {0.05, 0.5}}; // m, s
    for (int topology = 0; topology < 3; topology++) {
        for (int worn = 0; worn < 2; worn++) {
            double worst = 0;
            for (int material = 0; material <= FM_GAUZE; material++) {
                for (int i = 0; i < 3; i++) {
                    if (is_long_version() || (topology + material + worn) % 3 == i)
                        worst = fmax(worst, relative_peak_energy(topology, material, swings[i][0],
                                                                 swings[i][1], worn));
                }
            }
            printf("  %s, %s: kinetic energy up to %.2f M V^2\n", topology_names[topology],
                   worn ? "worn" : "swung", worst);
            assert_at_most(worst, 0.5); // M V^2 / 2: all mass moves at the largest speed
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contact_changes_nothing_while_nothing_touches),
        cmocka_unit_test(crumpling_cloth_gains_no_energy),
        cmocka_unit_test(swung_and_worn_cloth_has_bounded_kinetic_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
