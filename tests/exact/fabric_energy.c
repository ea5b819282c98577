// SPDX-License-Identifier: MIT
// fabric_energy.c: energy drift of the published integrators in the highest mode of a mesh.
//
// Table 1 of [LCKL13]: an oscillation y' = i omega y with omega h = 0.1 changes its energy after N
// steps by chi^(2N) - 1, with chi^2 = 1 + x^2 (Euler), 1 + x^4/4 (predictor-corrector) and
// 1 - x^6/72 + x^8/576 (RK4), x = omega h. Model I is linear, so its highest mode on a mesh must
// drift by the same share. tests/reference/fabric_energy_drift.csv has the exact values.
//
// Tension-only springs have a potential, so they conserve energy, contrary to a remark of [LCKL13];
// that they let a surface shrink is true.
#include "bodies.h"

#include "cloth/cloth.h"

static const double K = 1000, M = 0.625; // N/m, kg

// The eigenvector of the largest frequency of model I, by power iterations; omega^2 in *square.
static void find_highest_mode(const fm_cloth *c, double *mode, double *square)
{
    double *next = malloc((size_t)c->count * sizeof *next);
    fm_rng rng = {7};
    for (int i = 0; i < c->count; i++)
        mode[i] = fm_rng_uniform(&rng) - 0.5;
    for (int n = 0; n < 40000; n++) {
        double length = 0;
        memset(next, 0, (size_t)c->count * sizeof *next);
        for (int e = 0; e < c->mesh.edge_count; e++) {
            int a = c->mesh.edge_a[e], b = c->mesh.edge_b[e];
            double f = c->mesh.edge_stiffness[e] / M * (mode[a] - mode[b]);
            next[a] += f, next[b] -= f;
        }
        for (int i = 0; i < c->count; i++)
            length += next[i] * next[i];
        *square = sqrt(length);
        for (int i = 0; i < c->count; i++)
            mode[i] = next[i] / *square;
    }
    free(next);
}

typedef struct drift_case {
    const char *name;
    fm_integrator integrator;
    int steps;
    double exact, paper;
} drift_case;

// Relative change of the energy of the highest mode of a lattice of 21 x 21 points after `steps`
// steps with omega h = 0.1. across: the mode moves the points out of the plane.
static double measure_drift(fm_integrator integrator, int steps, bool across)
{
    fm_error err = {0};
    fixture_mesh grid = fixture_create_grid(21, 21, 0.05, 0.05 * sqrt(0.75), CUT_SHIFTED);
    fm_cloth_mesh mesh = fixture_cloth_mesh(&grid);
    fm_cloth_def def = fm_default_fabric_cloth_def();
    fm_fabric_def fabric = fm_default_fabric_def();
    fabric.model = FM_FABRIC_MODEL_I;
    fabric.spring = K, fabric.point_mass = M;
    fabric.courant = 1; // time_step decides
    double *mode = malloc((size_t)grid.vertex_count * sizeof *mode), square = 0;
    fm_vec3 *v = malloc((size_t)grid.vertex_count * sizeof *v);
    for (int pass = 0; pass < 2; pass++) { // the first pass finds the mode and its frequency
        fm_world *world = create_world(0, 0, no_gravity);
        fm_cloth *cloth = fm_cloth_create_fabric(world, &def, &fabric, &mesh, &err);
        assert_good(cloth, &err);
        if (pass == 0) {
            find_highest_mode(cloth, mode, &square);
            def.integrator = integrator;
            def.time_step = 0.1 / sqrt(square);
            fm_world_destroy(world);
            continue;
        }
        for (int i = 0; i < grid.vertex_count; i++)
            v[i] = across ? (fm_vec3){0, 0, mode[i]} : (fm_vec3){mode[i], 0, 0};
        fm_cloth_set_velocities(cloth, v, &err);
        fm_report before = fm_world_report(world);
        double first = before.kinetic_energy + before.potential_energy;
        for (int n = 0; n < steps; n++)
            assert_int_equal(advance(world, def.time_step).substep_count, 1);
        fm_report after = fm_world_report(world);
        double last = after.kinetic_energy + after.potential_energy;
        fm_world_destroy(world);
        free(mode);
        free(v);
        fixture_destroy_mesh(&grid);
        return last / first - 1;
    }
    return NAN;
}

static void the_highest_mode_drifts_as_the_table_says(void **state)
{
    (void)state;
    static const drift_case cases[] = {
        {"euler", FM_EULER, 400, 52.52411721, 52.5},
        {"predictor-corrector", FM_HEUN, 400, 0.01005004083, 0.01},
        {"predictor-corrector", FM_HEUN, 4000, 0.1051695366, 0.105},
        {"rk4", FM_RK4, 400, -5.548595756e-6, -6.0e-6},
        {"rk4", FM_RK4, 4000, -5.548457217e-5, -5.6e-5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const drift_case *c = &cases[i];
        double found = measure_drift(c->integrator, c->steps, i % 2 == 0);
        printf("  %-20s %5d steps: %.6g, exact %.6g, paper %.3g\n", c->name, c->steps, found,
               c->exact, c->paper);
        assert_close(found, c->exact, 0.01 * fabs(c->exact));
    }
}

// v^2 + omega^2 (1 - x^2/4) y^2 is conserved by kick-drift-kick: the energy returns.
static void kick_drift_kick_keeps_the_energy_of_the_highest_mode(void **state)
{
    (void)state;
    double found = measure_drift(FM_KICK_DRIFT_KICK, 4000, true);
    printf("  kick-drift-kick 4000 steps: %.3g\n", found);
    assert_true(fabs(found) < 0.0026);
}

// Total energy of a disc that is thrown into folds: relative drift over some hundred substeps.
static double drift_when_crumpling(fm_fabric_model model, double h, double *area)
{
    fm_error err = {0};
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth_def def = fm_default_fabric_cloth_def();
    fm_fabric_def fabric = fm_default_fabric_def();
    fm_mesh_shape shape = fm_default_mesh_shape();
    shape.edge = 0.08;
    fabric.model = model;
    fabric.spring = K, fabric.point_mass = M;
    fabric.courant = 1; // time_step decides
    def.integrator = FM_RK4;
    def.time_step = h;
    fm_cloth *cloth = fm_cloth_create_fabric_shape(world, &def, &fabric, &shape,
                                                   &(fm_fabric_place){.prestretch = 1}, &err);
    assert_good(cloth, &err);
    int count;
    const fm_vec3 *x = fm_cloth_positions(cloth, &count);
    fm_vec3 v[400];
    assert_true(count <= 400);
    for (int i = 0; i < count; i++) // towards the centre, and a little out of the plane
        v[i] = (fm_vec3){-2 * x[i].x, 0.3 * x[i].x * x[i].z, -2 * x[i].z};
    fm_cloth_set_velocities(cloth, v, &err);
    fm_report before = fm_world_report(world);
    advance(world, 0.4);
    *area = fm_cloth_area(cloth, &err) / fm_cloth_rest_area(cloth);
    fm_report after = advance(world, 1.2); // through the centre, and taut again
    fm_world_destroy(world);
    double first = before.kinetic_energy + before.potential_energy;
    return (after.kinetic_energy + after.potential_energy) / first - 1;
}

static void tension_only_springs_conserve_energy_and_let_the_surface_shrink(void **state)
{
    (void)state;
    double area[2];
    for (int k = 0; k < 3; k++) {
        double drift = drift_when_crumpling(FM_FABRIC_TENSION, 8e-3 / (1 << 2 * k), &area[0]);
        printf("  tension only, h = %g: energy %+.3e, area %.3f\n", 8e-3 / (1 << 2 * k), drift,
               area[0]);
        assert_true(fabs(drift) < (k == 0 ? 1e-3 : 1e-5)); // vanishes with the step
    }
    double drift = drift_when_crumpling(FM_FABRIC_MODEL_II, 5e-4, &area[1]);
    printf("  model II, h = 0.0005: energy %+.3e, area %.3f\n", drift, area[1]);
    assert_true(area[0] < 0.2 && area[1] > 2 * area[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_highest_mode_drifts_as_the_table_says),
        cmocka_unit_test(kick_drift_kick_keeps_the_energy_of_the_highest_mode),
        cmocka_unit_test(tension_only_springs_conserve_energy_and_let_the_surface_shrink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
