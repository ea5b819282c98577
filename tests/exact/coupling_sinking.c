// SPDX-License-Identifier: MIT
// coupling_sinking.c: a free sheet sinks in still water, with two-way coupling of particles; one
// as dense as water hovers. The sheet of 0.2 m x 0.2 m lies level in a tank of 0.4 m x 0.4 m. Its
// weight in water is given in layers: weights of a layer of water one spacing thick, the volume
// of its samples. Without a reference pressure (particles/surface_reference.c), the disorder of
// the particles beside it holds half a layer at a depth of 0.1 m, and more in deeper water.
//
// A plate of the mass m falls with v = V tanh(F t / ((m + M) V)), V = sqrt(2 F / (rho C A)), in
// unbounded water, where C = 1.17 is the drag coefficient of a square plate, M = 0.455 rho a^3 its
// added mass, F its weight in water, A = a^2. The tank, four times as wide as the sheet in area,
// makes it slower.
#include "couplings.h"

static const double SIZE = 0.2, WIDE = 0.4, DEPTH = 0.4; // m: sheet, tank, water
static const double rho = 1000, g = 9.81;                // kg/m^3, m/s^2

// How far and how fast a sheet has sunk.
typedef struct descent {
    double fall, speed; // m, m/s
} descent;

// Lets a sheet with the weight of `layers` sink for some seconds. It starts `below` the surface, m,
// where it replaces one layer of the particles. alpha: artificial viscosity; negative: the default.
static descent sink(fm_sph_method method, double layers, double spacing, double below,
                    double seconds, double alpha)
{
    fm_world *world = create_world(0, 0, (fm_vec3){0, -g, 0});
    fm_cloth_def def = light_cotton();
    def.thickness = 1e-3;
    def.density = rho * (1 + layers * spacing / def.thickness);
    double start = (floor((DEPTH - below) / spacing) + 0.5) * spacing, aside = (WIDE - SIZE) / 2;
    fm_sheet sheet = flat_sheet(9, SIZE, aside, start, aside);
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    fm_particles_def fluid = fixture_tank_def(3, spacing, (fm_vec3){WIDE, DEPTH + 0.1, WIDE});
    fluid.method = method;
    if (alpha >= 0)
        fluid.artificial_viscosity = alpha;
    fm_particles *water = create_fluid(world, &fluid);
    add_box(water, &(fm_fluid_box){.high = {WIDE, DEPTH, WIDE}, .settled = true});
    couple(world, cloth, water, FM_COUPLING_TWO_WAY);
    advance(world, seconds);
    int n;
    const fm_vec3 *x = fm_cloth_positions(cloth, &n), *v = fm_cloth_velocities(cloth, &n);
    descent d = {0};
    for (int i = 0; i < n; i++) {
        d.fall += (start - x[i].y) / n;
        d.speed -= v[i].y / n;
    }
    double F = layers * rho * spacing * g, mass = rho * (1e-3 + layers * spacing);
    double V = sqrt(2 * F / (rho * 1.17)), free = 0;
    if (layers > 0)
        free = V * tanh(F * seconds / ((mass + 0.455 * rho * SIZE) * V));
    printf("  %g layers of %g m: fell by %.4f m, goes at %.3f m/s; a plate in unbounded water at "
           "%.3f m/s\n",
           layers, spacing, d.fall, d.speed, free);
    fm_world_destroy(world);
    return d;
}

static void a_light_sheet_sinks_at_any_depth(void **state)
{
    (void)state;
    for (int deep = 0; deep < 2; deep++) {
        double below = deep ? 0.2 : 0.1;
        printf("  automatic:\n");
        assert_true(sink(FM_SPH_AUTOMATIC, 0.25, 0.02, below, 0.5, -1).speed > 0.05);
        printf("  constant density:\n");
        assert_true(sink(FM_SPH_CONSTANT_DENSITY, 0.5, 0.02, below, 0.9, -1).speed > 0.05);
    }
}

static void a_sheet_as_dense_as_water_hovers(void **state)
{
    (void)state;
    for (int constant = 0; constant < 2; constant++) {
        fm_sph_method method = constant ? FM_SPH_CONSTANT_DENSITY : FM_SPH_WEAKLY_COMPRESSIBLE;
        descent d = sink(method, 0, 0.02, 0.1, 0.4, -1);
        assert_at_most(fabs(d.fall), 0.003); // m
        assert_at_most(fabs(d.speed), 0.005);
    }
}

int main(int argc, char **argv)
{
    if (argc > 3) { // an entry of a table in docs/coupling.md: method, layers, spacing, alpha
        fm_sph_method method =
            argv[1][0] == 'c' ? FM_SPH_CONSTANT_DENSITY : FM_SPH_WEAKLY_COMPRESSIBLE;
        sink(method, strtod(argv[2], NULL), strtod(argv[3], NULL), 0.1, 0.9,
             argc > 4 ? strtod(argv[4], NULL) : -1);
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_light_sheet_sinks_at_any_depth),
                                       cmocka_unit_test(a_sheet_as_dense_as_water_hovers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
