// SPDX-License-Identifier: MIT
// A cloth and a fluid that push each other keep their momentum together, in a periodic box without
// walls and weight; in a tank with weight the momentum of both, less what the weight gave, is what
// the walls took:
//
//     P(t) - P(0) = (m_fluid + m_cloth) g t + weight of what clings - load
//
// The fluid is in single precision, and what it does to the cloth and the walls is computed apart
// from what they do to it: roundings are left, 6e-8 of the impulses that went back and forth, as in
// particles_conservation. The cloth is light cotton, a hundredth of the layer of water it stands
// in; sheets, tubes and meshes, with contact and with enforcement.
#include "couplings.h"
#include "meshes.h"

typedef enum body { SHEET, TUBE, MESH, CONTACT, ENFORCED, BODIES } body;
static const char *const names[BODIES] = {"sheet", "tube", "mesh", "contact", "enforced"};

static fm_cloth *make_body(fm_world *world, body kind)
{
    fm_error err = {0};
    fm_cloth_def def = light_cotton();
    def.contact.enabled = kind == CONTACT;
    def.enforcement.method = kind == ENFORCED ? FM_ENFORCE_ITERATIVE : FM_ENFORCE_NONE;
    fm_sheet sheet = flat_sheet(9, 0.4, 0.3, 0.5, 0.3);
    fm_tube tube = {.columns = 12,
                    .rows = 8,
                    .radius_top = 0.15,
                    .radius_bottom = 0.15,
                    .height = 0.4,
                    .origin = {0.5, 0.7, 0.5},
                    .rotation = {0, 0, 0, 1}};
    if (kind == TUBE)
        return fm_cloth_create_tube(world, &def, &tube, &err);
    if (kind != MESH)
        return make_sheet(world, &def, &sheet);
    test_mesh mesh = make_grid(9, 9, 0.05, 0.045, CUT_SHIFTED);
    for (int i = 0; i < mesh.vertex_count; i++)
        mesh.positions[i] = fm_add(mesh.positions[i], (fm_vec3){0.3, 0.7, 0.5});
    fm_cloth *cloth = try_mesh(world, &def, &mesh, &err);
    free_mesh(&mesh);
    return cloth;
}

// Random velocities up to 1 m/s each way; gives them.
static fm_vec3 *stir(fm_particles *fluid)
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

// A periodic box that is full, or a tank that is not, with a ball on its ground.
static fm_particles *make_water(fm_world *world, bool tank)
{
    fm_error err = {0};
    fm_particles_def def = viscous_fluid(3, 0.05, 1e-3, tank ? 4 : 1);
    def.artificial_viscosity = 0.1;
    def.loads = tank;
    for (int axis = 0; axis < 3 && !tank; axis++)
        make_periodic(&def, axis);
    fm_collider_def ball = fm_default_collider_def();
    ball.shape.centre = (fm_vec3){0.6, 0, 0.5};
    ball.shape.radius = 0.2;
    if (tank)
        assert_non_null(fm_collider_create(world, &ball, &err));
    fm_particles *fluid = make_fluid(world, &def);
    fm_fluid_box box = {.high = {1, tank ? 0.8 : 1, 1}, .jitter = 0.2, .seed = 1};
    add_box(fluid, &box);
    return fluid;
}

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

static void expect_balance(body kind, bool tank)
{
    const fm_vec3 g = tank ? (fm_vec3){0.5, -9.81, 0} : no_gravity;
    fm_world *world = make_world(1000, 1e-3, g);
    fm_cloth *cloth = make_body(world, kind);
    assert_non_null(cloth);
    set_random_velocities(cloth, 0.3);
    fm_particles *fluid = make_water(world, tank);
    couple(world, cloth, fluid, FM_COUPLING_TWO_WAY);
    int n = fm_particles_count(fluid);
    fm_vec3 *v = stir(fluid);
    fm_vec3 before = fm_add(fluid_momentum(fluid), cloth_momentum(cloth));
    double impulses = 0, given = 0, largest = 0;
    double mass = n * fm_particles_mass(fluid) + cloth_mass(cloth);
    for (int step = 1; step <= 100; step++) {
        assert_int_equal(advance(world, 2e-3).contact_count, 0); // that would be for the ball
        const fm_vec3 *now = fm_particles_velocities(fluid, NULL);
        for (int i = 0; i < n; i++) {
            impulses += fm_particles_mass(fluid) * fm_length(fm_sub(now[i], v[i]));
            v[i] = now[i];
        }
        for (int i = 0; i < fluid->surfaces[0]->count; i++)
            given += fm_length(fluid->surfaces[0]->impulse[i]);
        fm_vec3 all = fm_add(fluid_momentum(fluid), cloth_momentum(cloth));
        all = fm_add(all, pending_momentum(fluid));
        fm_particles_stats stats = fm_particles_read_stats(fluid);
        fm_vec3 outside = fm_sub(stats.clinging, stats.load);
        outside = fm_add_scaled(outside, g, mass * 2e-3 * step);
        largest = fmax(largest, fm_length(fm_sub(fm_sub(all, before), outside)));
        assert_true(tank || (stats.load.y == 0 && stats.clinging.y == 0));
    }
    printf("  %-8s %-4s off by %.2g of impulses of %.3g kg m/s; the cloth got at least %.3g\n",
           names[kind], tank ? "tank" : "", largest / impulses, impulses, given);
    assert_true(given > 1e3 * largest); // they do push each other
    assert_at_most(largest / impulses, 5 * 6e-8);
    free(v);
    fm_world_destroy(world);
}

static void momentum_stays_in_a_periodic_box(void **state)
{
    (void)state;
    for (body kind = 0; kind < BODIES; kind++)
        expect_balance(kind, false);
}

static void walls_take_what_is_missing_in_a_tank(void **state)
{
    (void)state;
    for (body kind = 0; kind < BODIES; kind++)
        expect_balance(kind, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(momentum_stays_in_a_periodic_box),
                                       cmocka_unit_test(walls_take_what_is_missing_in_a_tank)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
