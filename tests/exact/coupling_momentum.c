// SPDX-License-Identifier: MIT
// coupling_momentum.c: a cloth and a fluid with two-way coupling conserve their total momentum in a
// periodic box without walls and gravity. In a tank with gravity, the change of momentum minus that
// by gravity is what the walls took:
//
//     P(t) - P(0) = (m_fluid + m_cloth) g t + clinging - load
//
//   P         momentum of cloth and fluid, with what is in transit between them, kg m/s
//   load      impulse of the fluid on walls and colliders, N s
//   clinging  impulse of the weight of the fluid by which the boundary particles at the samples of
//             the cloth exceed its volume (fm_samples), N s
//
// The fluid is computed in single precision, and the forces on cloth and walls separately from
// their reactions on the fluid. So rounding errors remain, 6e-8 of the impulses exchanged, as in
// particles_conservation. The cloth is light cotton, with a hundredth of the mass of the water
// layer that its samples (quadrature points of the coupling) represent: sheets, tubes and
// meshes, with contact and with enforcement (strain limiting).
#include "couplings.h"

// The tested cloths: three topologies, and sheets with contact and with enforcement.
typedef enum tested_cloth { SHEET, TUBE, MESH, CONTACT, ENFORCED, CLOTHS } tested_cloth;
static const char *const names[CLOTHS] = {"sheet", "tube", "mesh", "contact", "enforced"};

// Creates one of the tested cloths in the middle of the fluid.
static fm_cloth *create_body(fm_world *world, tested_cloth tested)
{
    fm_error err = {0};
    fm_cloth_def def = light_cotton();
    def.contact.enabled = tested == CONTACT;
    def.enforcement.method = tested == ENFORCED ? FM_ENFORCE_ITERATIVE : FM_ENFORCE_NONE;
    fm_sheet sheet = flat_sheet(9, 0.4, 0.3, 0.5, 0.3);
    fm_tube tube = {.columns = 12,
                    .rows = 8,
                    .radius_top = 0.15,
                    .radius_bottom = 0.15,
                    .height = 0.4,
                    .origin = {0.5, 0.7, 0.5},
                    .rotation = {0, 0, 0, 1}};
    if (tested == TUBE)
        return fm_cloth_create_tube(world, &def, &tube, &err);
    if (tested != MESH)
        return create_sheet(world, &def, &sheet);
    fixture_mesh mesh = fixture_create_grid(9, 9, 0.05, 0.045, CUT_SHIFTED);
    for (int i = 0; i < mesh.vertex_count; i++)
        mesh.positions[i] = fm_add(mesh.positions[i], (fm_vec3){0.3, 0.7, 0.5});
    fm_cloth *cloth = try_create_mesh(world, &def, &mesh, &err);
    fixture_destroy_mesh(&mesh);
    return cloth;
}

// Sets random velocities of up to 1 m/s along each axis, and returns them.
static fm_vec3 *set_random_fluid_velocities(fm_particles *fluid)
{
    fm_error err = {0};
    int n = fm_particles_count(fluid);
    fm_vec3 *v = malloc((size_t)n * sizeof *v);
    for (int i = 0; i < n; i++)
        v[i] = (fm_vec3){scatter(3u * (unsigned)i), scatter(3u * (unsigned)i + 1),
                         scatter(3u * (unsigned)i + 2)};
    assert_true(fm_particles_set_velocities(fluid, v, &err));
    return v;
}

// A full periodic box, or a partly filled tank with a ball on its floor.
static fm_particles *create_water(fm_world *world, fm_sph_method method, bool tank)
{
    fm_particles_def def = viscous_fluid_def(3, 0.05, 1e-3, tank ? 4 : 1);
    def.method = method;
    def.artificial_viscosity = 0.1;
    def.loads = tank;
    for (int axis = 0; axis < 3 && !tank; axis++)
        set_periodic(&def, axis);
    if (tank)
        add_collider(world, fixture_ball_def((fm_vec3){0.6, 0, 0.5}, 0.2));
    fm_particles *fluid = create_fluid(world, &def);
    fm_fluid_box box = {.high = {1, tank ? 0.8 : 1, 1}, .jitter = 0.2, .seed = 1};
    add_box(fluid, &box);
    return fluid;
}

// Mass of a cloth, kg.
static double cloth_mass(fm_cloth *cloth)
{
    int n = fm_cloth_particle_count(cloth);
    double sum = 0, *m = malloc((size_t)n * sizeof *m);
    read_field(cloth, "mass", m);
    for (int i = 0; i < n; i++)
        sum += m[i];
    free(m);
    return sum;
}

// Checks the momentum balance over 100 advances of 2 ms. tank: with walls and gravity, else
// periodic. The error is compared with the sum of m |dv| over all particles and advances.
static void expect_balance(tested_cloth tested, fm_sph_method method, bool tank)
{
    const fm_vec3 g = tank ? (fm_vec3){0.5, -9.81, 0} : no_gravity;
    fm_world *world = create_world(1000, 1e-3, g);
    fm_cloth *cloth = create_body(world, tested);
    assert_non_null(cloth);
    set_random_velocities(cloth, 0.3);
    fm_particles *fluid = create_water(world, method, tank);
    couple(world, cloth, fluid, FM_COUPLING_TWO_WAY);
    int n = fm_particles_count(fluid);
    fm_vec3 *v = set_random_fluid_velocities(fluid);
    fm_vec3 before = fm_add(fluid_momentum(fluid), cloth_momentum(cloth));
    double impulses = 0, given = 0; // kg m/s, of the fluid particles; on the cloth, at least
    double largest = 0;             // kg m/s, error of the balance
    double mass = n * fm_particles_mass(fluid) + cloth_mass(cloth);
    for (int step = 1; step <= 100; step++) {
        // contact with the ball would change the momentum
        assert_int_equal(advance(world, 2e-3).contact_count, 0);
        const fm_vec3 *now = fm_particles_velocities(fluid, NULL);
        for (int i = 0; i < n; i++) {
            impulses += fm_particles_mass(fluid) * fm_length(fm_sub(now[i], v[i]));
            v[i] = now[i];
        }
        for (int i = 0; i < fluid->surfaces[0]->count; i++)
            given += fm_length(fluid->surfaces[0]->impulse_to_body[i]);
        fm_vec3 momentum = fm_add(fluid_momentum(fluid), cloth_momentum(cloth));
        momentum = fm_add(momentum, pending_momentum(fluid));
        fm_particles_stats stats = fm_particles_read_stats(fluid);
        fm_vec3 external = fm_sub(stats.clinging, stats.load); // impulse of gravity and walls
        external = fm_add_scaled(external, g, mass * 2e-3 * step);
        largest = fmax(largest, fm_length(fm_sub(fm_sub(momentum, before), external)));
        assert_true(tank || (stats.load.y == 0 && stats.clinging.y == 0));
    }
    printf("  %-8s %-4s off by %.2g of impulses of %.3g kg m/s; the cloth got at least %.3g\n",
           names[tested], tank ? "tank" : "", largest / impulses, impulses, given);
    assert_true(given > 1e3 * largest);           // cloth and fluid do push each other
    assert_at_most(largest / impulses, 5 * 6e-8); // five times the rounding error of a float
    free(v);
    fm_world_destroy(world);
}

static void momentum_is_conserved_in_a_periodic_box(void **state)
{
    (void)state;
    for (int k = 0; k < COUPLED_METHODS; k++) {
        printf("  %s\n", method_names[k]);
        for (tested_cloth tested = 0; tested < CLOTHS; tested++)
            expect_balance(tested, coupled_methods[k], false);
    }
}

static void gravity_and_walls_account_for_all_momentum_in_a_tank(void **state)
{
    (void)state;
    for (int k = 0; k < COUPLED_METHODS; k++) {
        printf("  %s\n", method_names[k]);
        for (tested_cloth tested = 0; tested < CLOTHS; tested++)
            expect_balance(tested, coupled_methods[k], true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_is_conserved_in_a_periodic_box),
        cmocka_unit_test(gravity_and_walls_account_for_all_momentum_in_a_tank)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
