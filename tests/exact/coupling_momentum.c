// SPDX-License-Identifier: MIT
// A cloth and a fluid that push each other keep their momentum together, in a periodic box without
// walls and weight. The fluid is in single precision, and what it does to the cloth is computed
// apart from what the cloth does to it: roundings are left, 6e-8 of the impulses that went back and
// forth, as in particles_conservation. The cloth is light cotton, a
// hundredth of the layer of water it stands in; sheets, tubes and meshes, with contact and with
// enforcement.
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

static void expect_kept(body kind)
{
    fm_error err = {0};
    fm_world *world = make_world(1000, 1e-3, no_gravity);
    fm_cloth *cloth = make_body(world, kind);
    assert_non_null(cloth);
    set_random_velocities(cloth, 0.3);
    fm_particles_def def = viscous_fluid(3, 0.05, 1e-3, 1);
    def.artificial_viscosity = 0.1;
    for (int axis = 0; axis < 3; axis++)
        make_periodic(&def, axis);
    fm_particles *fluid = make_fluid(world, &def);
    fill_domain(fluid, 0.2);
    couple(world, cloth, fluid, FM_COUPLING_TWO_WAY);
    int n = fm_particles_count(fluid);
    fm_vec3 *v = malloc((size_t)n * sizeof *v);
    for (int i = 0; i < n; i++)
        v[i] = (fm_vec3){scatter(3u * (unsigned)i), scatter(3u * (unsigned)i + 1),
                         scatter(3u * (unsigned)i + 2)};
    assert_true(fm_particles_set_velocities(fluid, v, &err));
    fm_vec3 before = fm_add(fluid_momentum(fluid), cloth_momentum(cloth));
    double impulses = 0, given = 0, largest = 0;
    for (int step = 0; step < 100; step++) {
        fm_vec3 last = fluid_momentum(fluid);
        advance(world, 2e-3);
        const fm_vec3 *now = fm_particles_velocities(fluid, NULL);
        for (int i = 0; i < n; i++) {
            impulses += fm_particles_mass(fluid) * fm_length(fm_sub(now[i], v[i]));
            v[i] = now[i];
        }
        given += fm_length(fm_sub(fluid_momentum(fluid), last));
        fm_vec3 now_all =
            fm_add(fm_add(fluid_momentum(fluid), cloth_momentum(cloth)), pending_momentum(fluid));
        largest = fmax(largest, fm_length(fm_sub(now_all, before)));
    }
    printf("  %-8s off by %.2g of impulses of %.3g kg m/s; the cloth gave %.3g\n", names[kind],
           largest / impulses, impulses, given);
    assert_true(given > 1e4 * largest); // they do push each other
    assert_at_most(largest / impulses, 5 * 6e-8);
    free(v);
    fm_world_destroy(world);
}

static void momentum_stays(void **state)
{
    (void)state;
    for (body kind = 0; kind < BODIES; kind++)
        expect_kept(kind);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(momentum_stays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
