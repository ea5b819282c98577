// SPDX-License-Identifier: MIT
// cloth_implicit_statics.c: equilibrium of stiff fabrics, found with the implicit integrators.
//
// - A strip that is clamped horizontally bends under its own weight like the heavy elastica
//   (reference/fabric_cantilever.csv): G = w L^3/B with the weight per area w, the free length L
//   and the bending rigidity B. Two columns are pinned. The first second difference spans a whole
//   spacing, half of which lies before the second pinned column, so that L begins between the two.
//   The rigidity is that of the yarns along the strip.
// - Shirting of 2000 N/m that hangs from its upper edge, at four steps a frame of 1/24 s, is
//   stretched by sigma g H/(2 E) in the mean. Shear springs G add E G/(E + G) to the modulus E,
//   because the sheet is free to contract sideways (springs.c).
// - So are strips of the ten measured fabrics, 0.1 m x 0.6 m, within 10 %. The modulus of a strip
//   is E (1 - nu^2) (sheet_triangles.c). FATHOM_LONG=1 hangs them with 201x201 particles too.
#include "bodies.h"

static const double g = 9.81; // m/s^2

enum { CELLS = 80 }; // along the strip

// Drop and reach of the tip of a cantilever over its free length. weft: the strip is cut along the
// weft of a fabric whose warp is ten times as stiff.
static void bend_cantilever(double G, bool weft, double *drop, double *reach)
{
    fm_error err = {0};
    fm_cloth_def def = bare_cloth();
    double dx = 0.2 / CELLS, L = 0.2 + dx / 2, w = 0.15 * g;
    def.density = 500;
    def.thickness = 3e-4;
    def.stretch.stiffness = 2e4;
    def.shear.stiffness = 100;
    def.bend.stiffness = (weft ? 10 : 1) * w * L * L * L / G;
    def.bend.weft = weft ? w * L * L * L / G : 0;
    def.integrator = FM_IMPLICIT_EULER;
    def.time_step = 0.02;
    def.damping.kept = 0.8; // of the velocity, per step: overdamped
    fm_world *world = create_world(0, 0, (fm_vec3){0, 0, -g});
    fm_cloth *cloth = create_sheet(
        world, &def,
        &(fm_sheet){.columns = CELLS + 2, .rows = 3, .width = 0.2 + dx, .height = 2 * dx});
    assert_true(fm_cloth_pin_column(cloth, 0, NULL, &err));
    assert_true(fm_cloth_pin_column(cloth, 1, NULL, &err));
    fm_report report = {0};
    for (int i = 0; i < 22; i++)
        report = advance(world, 0.1);
    assert_at_most(report.kinetic_energy, 1e-9); // J: at rest
    fm_vec3 tip = fm_cloth_positions(cloth, NULL)[2 * (CELLS + 2) - 1];
    *drop = -tip.z / L;
    *reach = (tip.x - dx / 2) / L;
    fm_world_destroy(world);
}

static void a_cantilever_bends_like_the_heavy_elastica(void **state)
{
    (void)state;
    static const double exact[4][3] = {// G, drop/L, reach/L: fabric_cantilever.csv
                                       {1, 0.1234714, 0.9912464},
                                       {10, 0.7001997, 0.6563538},
                                       {100, 0.9375239, 0.1592234},
                                       {10, 0.7001997, 0.6563538}}; // along the weft
    for (int i = 0; i < 4; i++) {
        double drop, reach;
        bend_cantilever(exact[i][0], i == 3, &drop, &reach);
        printf("  G = %g: drop %.5f (%+.2f %%), reach %.5f (%+.2f %%)\n", exact[i][0], drop,
               100 * (drop / exact[i][1] - 1), reach, 100 * (reach / exact[i][2] - 1));
        assert_close(drop, exact[i][1], 0.01 * exact[i][1]);
        assert_close(reach, exact[i][2], 0.01 * exact[i][2]);
    }
}

static void hanging_shirting_stretches_by_its_modulus(void **state)
{
    (void)state;
    const double E = 2000, G = 40, H = 0.4, modulus = E + E * G / (E + G);
    fm_error err = {0};
    fm_cloth_def def = bare_cloth();
    def.density = 500;
    def.thickness = 3e-4;
    def.stretch.stiffness = E;
    def.shear.stiffness = G;
    def.bend.stiffness = 1e-5;
    def.damping.coefficient = 0.3;
    def.integrator = FM_IMPLICIT;
    fm_world *world = create_world(0, 0, (fm_vec3){0, -g, 0});
    fm_cloth *cloth = create_sheet(
        world, &def, &(fm_sheet){.columns = 61, .rows = 41, .width = 0.6, .height = H});
    assert_true(fm_cloth_pin_edge(cloth, FM_EDGE_TOP, NULL, &err));
    fm_report report = {0};
    for (int frame = 0; frame < 24; frame++)
        report = advance(world, 1.0 / 24);
    assert_int_equal(report.substep_count, 4);
    double stretch = 0, expected = 0.15 * g * H / (2 * modulus);
    for (int column = 0; column < 61; column++)
        stretch += (-fm_cloth_positions(cloth, NULL)[40 * 61 + column].y / H - 1) / 61;
    printf("  mean stretch %.4e, expected %.4e (%+.2f %%)\n", stretch, expected,
           100 * (stretch / expected - 1));
    assert_close(stretch, expected, 0.1 * expected);
    fm_world_destroy(world);
}

// Mean stretch of a hanging strip of that material over what its modulus says.
static double hang_strip(fm_material material, int columns, int rows)
{
    const double H = 0.6;
    fm_error err = {0};
    fm_cloth_def def = fm_default_cloth_def();
    fm_cloth_set_material(&def, material);
    def.stretch.model = FM_STRETCH_TRIANGLES;
    def.imperfection.amount = 0;
    def.drag.model = FM_DRAG_NONE;
    def.integrator = FM_IMPLICIT;
    def.damping.kept = 0.8; // of the velocity, per step
    double poisson = def.stretch.poisson, modulus = def.stretch.stiffness * (1 - poisson * poisson);
    fm_world *world = create_world(0, 0, (fm_vec3){0, -g, 0});
    fm_cloth *cloth = create_sheet(
        world, &def, &(fm_sheet){.columns = columns, .rows = rows, .width = 0.1, .height = H});
    assert_true(fm_cloth_pin_edge(cloth, FM_EDGE_TOP, NULL, &err));
    fm_report report = {0};
    for (int frame = 0; frame < 16; frame++)
        report = advance(world, 1.0 / 24);
    assert_int_equal(report.substep_count, 4);
    double stretch = 0;
    for (int column = 0; column < columns; column++)
        stretch -= fm_cloth_positions(cloth, NULL)[(rows - 1) * columns + column].y / columns / H;
    fm_world_destroy(world);
    return (stretch - 1) / (def.density * def.thickness * g * H / (2 * modulus));
}

static void measured_fabrics_stretch_by_their_moduli(void **state)
{
    (void)state;
    for (int m = FM_DENIM; m <= FM_SWIM_KNIT; m++) {
        double coarse = hang_strip((fm_material)m, 41, 61);
        printf("  material %d, 41x61: %+.2f %%\n", m, 100 * (coarse - 1));
        assert_close(coarse, 1, 0.1);
        if (!is_long_version())
            continue;
        double fine = hang_strip((fm_material)m, 201, 201);
        printf("  material %d, 201x201: %+.2f %%\n", m, 100 * (fine - 1));
        assert_close(fine, 1, 0.1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_fabrics_stretch_by_their_moduli),
        cmocka_unit_test(a_cantilever_bends_like_the_heavy_elastica),
        cmocka_unit_test(hanging_shirting_stretches_by_its_modulus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
