// SPDX-License-Identifier: MIT
// fabric.c: fabric: forces of the models, impulse method, pressure, reflection, groups, snapshots.
#include "bodies.h"

#include "cloth/cloth.h"

static fm_cloth *create_disc(fm_world *world, const fm_cloth_def *def, const fm_fabric_def *fabric,
                             double edge, fm_fabric_place place)
{
    fm_error err = {0};
    fm_mesh_shape shape = fm_default_mesh_shape();
    shape.edge = edge;
    fm_cloth *cloth = fm_cloth_create_fabric_shape(world, def, fabric, &shape, &place, &err);
    assert_good(cloth, &err);
    return cloth;
}

static fm_fabric_def define_fabric(void)
{
    fm_fabric_def fabric = fm_default_fabric_def();
    fabric.point_mass = 0.01;
    return fabric;
}

// Forces are minus the gradient of the energy, by central differences at random positions.
static void forces_are_the_gradient_of_the_energy_in_all_models(void **state)
{
    (void)state;
    for (int model = FM_FABRIC_MODEL_I; model <= FM_FABRIC_TENSION; model++) {
        fm_error err = {0};
        fm_world *world = create_world(0, 0, no_gravity);
        fm_cloth_def def = fm_default_fabric_cloth_def();
        fm_fabric_def fabric = define_fabric();
        fabric.model = (fm_fabric_model)model;
        fm_cloth *c = create_disc(world, &def, &fabric, 0.2, (fm_fabric_place){0});
        fm_vec3 x[100];
        fm_rng rng = {3};
        for (int i = 0; i < c->count; i++)
            x[i] = fm_add(fm_vec3_array_at(c->x, i),
                          (fm_vec3){0.1 * fm_rng_uniform(&rng), 0.1 * fm_rng_uniform(&rng),
                                    0.1 * fm_rng_uniform(&rng)});
        fm_cloth_set_positions(c, x, &err);
        fm_evaluation at = {&c->x, &c->v, 0, false, NULL, NULL};
        fm_terms_add_forces(c, &at, &c->next_normal);
        double f = c->force.y[7], h = 1e-6, energy[2];
        for (int k = 0; k < 2; k++) {
            fm_vec3 moved = x[7];
            moved.y += k ? h : -h;
            c->x.y[7] = moved.y;
            energy[k] = fm_world_report(world).potential_energy;
        }
        assert_close(-(energy[1] - energy[0]) / (2 * h), f, 1e-5 * fabs(f) + 1e-6);
        fm_world_destroy(world);
    }
}

// Creating a cloth checks that each edge has one or two triangles of the same orientation. Many
// sizes, as points on straight borders are a delicate case of the triangulation.
static void built_meshes_are_good_cloth(void **state)
{
    (void)state;
    for (int i = 0; i < 120; i++) {
        fm_error err = {0};
        fm_world *world = create_world(0, 0, no_gravity);
        fm_cloth_def def = fm_default_fabric_cloth_def();
        fm_fabric_def fabric = define_fabric();
        fm_mesh_shape shape = fm_default_mesh_shape();
        shape.kind = (fm_mesh_shape_kind)(i % 5);
        shape.triangulation = shape.kind < FM_MESH_HEMISPHERE && i / 5 % 2 ? FM_TRIANGLES_IRREGULAR
                                                                           : FM_TRIANGLES_REGULAR;
        shape.rim = i / 10 % 3 == 0 ? FM_RIM_LATTICE : FM_RIM_FITTED;
        shape.edge = 0.025 + 0.0013 * (i / 10);
        shape.width = 0.6, shape.length = 1, shape.arm = 0.2, shape.seed = i;
        shape.jitter = 0.1 * (i % 4 + 1);
        fm_cloth *cloth =
            fm_cloth_create_fabric_shape(world, &def, &fabric, &shape, &(fm_fabric_place){0}, &err);
        assert_good(cloth, &err);
        fm_world_destroy(world);
    }
}

static void model_I_is_the_sum_of_II_and_III(void **state)
{
    (void)state;
    fm_vec3 force[3];
    for (int model = 0; model < 3; model++) {
        fm_world *world = create_world(0, 0, no_gravity);
        fm_cloth_def def = fm_default_fabric_cloth_def();
        fm_fabric_def fabric = define_fabric();
        fabric.model = (fm_fabric_model)model;
        fm_cloth *c = create_disc(world, &def, &fabric, 0.2, (fm_fabric_place){0});
        c->x.y[5] += 0.05, c->x.x[5] += 0.02;
        fm_evaluation at = {&c->x, &c->v, 0, false, NULL, NULL};
        fm_terms_add_forces(c, &at, &c->next_normal);
        force[model] = fm_vec3_array_at(c->force, 5);
        fm_world_destroy(world);
    }
    fm_vec3 rest = fm_sub(force[FM_FABRIC_MODEL_I],
                          fm_add(force[FM_FABRIC_MODEL_II], force[FM_FABRIC_MODEL_III]));
    assert_at_most(fm_length(rest), 1e-12 * fm_length(force[0]));
}

// A free fabric falls as g t^2 / 2 whatever its kappa: only the internal impulse is damped.
static void damping_of_the_internal_impulse_does_not_slow_a_fall(void **state)
{
    (void)state;
    static const fm_integrator integrators[] = {FM_KICK_DRIFT_KICK, FM_RK4, FM_HEUN};
    for (int k = 0; k < 3; k++) {
        fm_world *world = create_world(0, 0, (fm_vec3){0, -9.81, 0});
        fm_cloth_def def = fm_default_fabric_cloth_def();
        fm_fabric_def fabric = define_fabric();
        fabric.kappa = 5;
        def.integrator = integrators[k];
        fm_cloth *c =
            create_disc(world, &def, &fabric, 0.2, (fm_fabric_place){.velocity = {1, 0, 0}});
        advance(world, 0.5);
        fm_vec3 x = fm_vec3_array_at(c->x, 3), from = c->initial_x[3];
        assert_close(x.y - from.y, -9.81 / 8, 1e-9);
        assert_close(x.x - from.x, 0.5, 1e-9);
        fm_world_destroy(world);
    }
}

// Stretched and released, the internal oscillation decays as exp(-kappa t / 2), alike for all
// integrators.
static void kappa_damps_internal_oscillations(void **state)
{
    (void)state;
    static const fm_integrator integrators[] = {FM_KICK_DRIFT_KICK, FM_RK4};
    double energy[2][2];
    for (int k = 0; k < 2; k++) {
        for (int damped = 0; damped < 2; damped++) {
            fm_world *world = create_world(0, 0, no_gravity);
            fm_cloth_def def = fm_default_fabric_cloth_def();
            fm_fabric_def fabric = define_fabric();
            fabric.model = FM_FABRIC_MODEL_I;
            fabric.kappa = damped ? 3 : 0;
            fabric.courant = 0.1;
            def.integrator = integrators[k];
            fm_cloth *c = create_disc(world, &def, &fabric, 0.2, (fm_fabric_place){0});
            fm_error err = {0};
            fm_vec3 v[100];
            fm_rng rng = {3};
            for (int i = 0; i < c->count; i++)
                v[i] = (fm_vec3){0, fm_rng_uniform(&rng) - 0.5, 0};
            fm_vec3 mean = {0, 0, 0};
            for (int i = 0; i < c->count; i++)
                mean.y += v[i].y / c->count;
            for (int i = 0; i < c->count; i++)
                v[i].y -= mean.y;
            // displacements are internal; initial velocities would be external
            fm_vec3 x[100];
            for (int i = 0; i < c->count; i++)
                x[i] = fm_add_scaled(c->initial_x[i], v[i], 0.1);
            fm_cloth_set_positions(c, x, &err);
            double first = fm_world_report(world).potential_energy;
            fm_report r = advance(world, 1);
            energy[k][damped] = (r.kinetic_energy + r.potential_energy) / first;
            fm_world_destroy(world);
        }
    }
    assert_close(energy[0][0], 1, 2e-3);
    assert_close(energy[1][0], 1, 1e-4);
    assert_close(energy[0][1], exp(-3), 0.02 * exp(-3));
    assert_close(energy[1][1], energy[0][1], 0.01 * energy[0][1]);
}

// A drawback of the published damping: in equilibrium v_s = -g t, and its damping pulls as if
// gravity were (1 + kappa t) g.
static void a_hanging_fabric_sags_with_kappa_and_time(void **state)
{
    (void)state;
    double sag[2];
    for (int damped = 0; damped < 2; damped++) {
        fm_error err = {0};
        fm_world *world = create_world(0, 0, (fm_vec3){0, -9.81, 0});
        fm_cloth_def def = fm_default_fabric_cloth_def();
        fm_fabric_def fabric = define_fabric();
        fabric.model = FM_FABRIC_MODEL_I; // linear
        fabric.kappa = damped;
        def.damping.kept = 0.99;
        fm_cloth *c = create_disc(world, &def, &fabric, 0.2, (fm_fabric_place){0});
        assert_true(fm_cloth_pin_group(c, "rim", NULL, &err));
        advance(world, 2);
        sag[damped] = 0;
        for (int i = 0; i < c->count; i++)
            sag[damped] = fmax(sag[damped], -c->x.y[i]);
        fm_world_destroy(world);
    }
    printf("  sag %.4f and %.4f m, ratio %.3f, expected 3\n", sag[0], sag[1], sag[1] / sag[0]);
    assert_close(sag[1] / sag[0], 3, 0.05);
}

// In a uniform field the whole fabric moves with the field; in a shear it is carried and resists.
static void the_external_velocity_is_added_to_the_points(void **state)
{
    (void)state;
    static const fm_integrator integrators[] = {FM_KICK_DRIFT_KICK, FM_RK4, FM_EULER};
    for (int k = 0; k < 3; k++) {
        fm_world_def air = fixture_water_def(1);
        air.medium.density = 0, air.gravity = no_gravity;
        air.medium.flow =
            (fm_flow){.kind = FM_FLOW_OSCILLATING, .amplitude = {0, 0.3, 0}, .period = 1};
        fm_world *world = open_world(air);
        fm_cloth_def def = fm_default_fabric_cloth_def();
        fm_fabric_def fabric = define_fabric();
        fabric.external_velocity = true;
        fabric.kappa = 1;
        def.integrator = integrators[k];
        def.time_step = 1e-3;
        fm_cloth *c = create_disc(world, &def, &fabric, 0.2, (fm_fabric_place){0});
        advance(world, 0.5);
        double moved = c->x.y[4] - c->initial_x[4].y;
        assert_close(moved, 0.3 / FM_PI, k == 0 ? 5e-6 : 1e-3); // integral of the sine
        assert_at_most(fm_cloth_measure_stretches(c).mean_strain, 1e-9);
        fm_world_destroy(world);
    }
}

// A disc held at its rim bulges under pressure: the forces on it sum up to p A along its axis, and
// the height of a stretched membrane is p R^2 / (4 T).
static void pressure_bulges_a_membrane(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth_def def = fm_default_fabric_cloth_def();
    fm_fabric_def fabric = define_fabric();
    fabric.pressure = 1;
    def.damping.coefficient = 5;
    fm_cloth *c = create_disc(world, &def, &fabric, 0.05, (fm_fabric_place){.prestretch = 1.1});
    def.drag.model = FM_DRAG_VISCOUS;
    assert_true(fm_cloth_pin_group(c, "rim", NULL, &err));
    double top = 0, lowest = INFINITY, highest = 0;
    for (int i = 0; i < 40; i++) {
        advance(world, 0.1);
        top = 0;
        for (int k = 0; k < c->count; k++)
            top = fmax(top, c->x.y[k]);
        if (i >= 20)
            lowest = fmin(lowest, top), highest = fmax(highest, top);
    }
    double tension = sqrt(3) * 1000 * (1 - 1 / 1.1);
    double expected = 0.25 / (4 * tension);
    assert_close((lowest + highest) / 2, expected, 0.6 * expected); // it still oscillates about it
    fm_vec3 sum = {0, 0, 0};
    for (int i = 0; i < c->count; i++)
        sum = fm_add(sum, fm_pressure_force(c, i));
    assert_close(sum.y, FM_PI / 4, 0.01);
    assert_at_most(hypot(sum.x, sum.z), 1e-9);
    fm_world_destroy(world);
}

// Two halves of a folded strip fly at each other: with reflection they part again.
static void reflection_turns_approaching_points_round(void **state)
{
    (void)state;
    double crossed[2];
    for (int on = 0; on < 2; on++) {
        fm_error err = {0};
        fm_world *world = create_world(0, 0, no_gravity);
        fm_cloth_def def = fm_default_fabric_cloth_def();
        fm_fabric_def fabric = define_fabric();
        fabric.spring = 1;
        fabric.reflection = on;
        fabric.reflection_distance = 0.02;
        fm_mesh_shape shape = fm_default_mesh_shape();
        shape.kind = FM_MESH_RECTANGLE, shape.width = 1, shape.length = 0.4, shape.edge = 0.05;
        shape.triangulation = FM_TRIANGLES_IRREGULAR; // no point is above a point
        fm_cloth *c =
            fm_cloth_create_fabric_shape(world, &def, &fabric, &shape, &(fm_fabric_place){0}, &err);
        assert_good(c, &err);
        fm_vec3 x[400], v[400];
        assert_true(c->count <= 400);
        for (int i = 0; i < c->count; i++) { // half a turn of radius 0.05 m joins two flat halves
            fm_vec3 p = c->initial_x[i];
            double side = p.x > 0 ? 1 : -1, reach = fabs(p.x),
                   angle = fmin(reach / 0.05, FM_PI / 2);
            x[i] = (fm_vec3){0.05 * cos(angle) - fmax(0, reach - 0.05 * FM_PI / 2),
                             side * 0.05 * sin(angle), p.z};
            v[i] = (fm_vec3){0, reach > 0.15 ? -0.5 * side : 0, 0};
        }
        fm_cloth_set_positions(c, x, &err);
        fm_cloth_set_velocities(c, v, &err);
        advance(world, 0.15);
        int wrong = 0, all = 0;
        for (int i = 0; i < c->count; i++) {
            if (fabs(c->initial_x[i].x) < 0.2 || fabs(c->initial_x[i].z) > 0.15)
                continue;
            all++;
            wrong += (c->x.y[i] > 0) != (c->initial_x[i].x > 0);
        }
        crossed[on] = (double)wrong / all;
        fm_world_destroy(world);
    }
    printf("  crossed: %.2f without, %.2f with reflection\n", crossed[0], crossed[1]);
    assert_true(crossed[0] > 0.9 && crossed[1] < 0.1);
}

// A fabric falls on a floor and bounces.
static void reflection_bounces_from_colliders(void **state)
{
    (void)state;
    for (int on = 0; on < 2; on++) {
        fm_world *world = create_world(0, 0, (fm_vec3){0, -9.81, 0});
        add_collider(world, fixture_floor_def(0));
        fm_cloth_def def = fm_default_fabric_cloth_def();
        fm_fabric_def fabric = define_fabric();
        fabric.reflection = on;
        fm_cloth *c =
            create_disc(world, &def, &fabric, 0.2, (fm_fabric_place){.origin = {0, 0.1, 0}});
        advance(world, 0.2); // it arrives after 0.143 s
        double speed = fm_vec3_array_at(c->v, 0).y,
               expected = 2 * sqrt(2 * 9.81 * 0.1) - 9.81 * 0.2;
        assert_close(speed, on ? expected : 0, on ? 0.05 : 1e-6);
        fm_world_destroy(world);
    }
}

// The disc contracts slowly, so that it stays near its rest lengths: at the middle of the period,
// when the activation is 1, all edges are shorter by the contraction, and after it as long as
// before.
static void a_muscle_shortens_all_edges_and_lets_them_go(void **state)
{
    (void)state;
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth_def def = fm_default_fabric_cloth_def();
    fm_fabric_def fabric = define_fabric();
    def.muscle = (fm_muscle){.contraction = 0.2, .period = 20, .active = 0.5};
    fm_cloth *cloth = create_disc(world, &def, &fabric, 0.3, (fm_fabric_place){0});
    fm_error err = {0};
    double area = fm_cloth_area(cloth, &err);
    for (int i = 0; i < 100; i++)
        advance(world, 0.1);
    assert_close(fm_cloth_area(cloth, &err) / area, 0.8 * 0.8, 0.01);
    for (int i = 0; i < 100; i++)
        advance(world, 0.1);
    assert_close(fm_cloth_area(cloth, &err) / area, 1, 0.01);
    fm_world_destroy(world);
}

static void a_muscle_is_refused_with_enforcement_and_in_sheets(void **state)
{
    (void)state;
    fm_error err = {0}, second = {0};
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth_def def = fm_default_fabric_cloth_def();
    fm_fabric_def fabric = define_fabric();
    fm_mesh_shape shape = fm_default_mesh_shape();
    def.muscle = (fm_muscle){.contraction = 0.2, .period = 1, .active = 0.5};
    def.enforcement.method = FM_ENFORCE_ITERATIVE;
    assert_null(
        fm_cloth_create_fabric_shape(world, &def, &fabric, &shape, &(fm_fabric_place){0}, &err));
    assert_string_equal(err.field, "enforcement.method");
    fm_cloth_def sheet_def = fm_default_cloth_def();
    sheet_def.muscle = def.muscle;
    fm_sheet sheet = {.columns = 4, .rows = 4, .width = 0.3, .height = 0.3};
    assert_null(fm_cloth_create_sheet(world, &sheet_def, &sheet, &second));
    assert_string_equal(second.field, "muscle");
    fm_world_destroy(world);
}

static void groups_can_be_pinned_and_read(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_world(0, 0, (fm_vec3){0, -9.81, 0});
    fm_cloth_def def = fm_default_fabric_cloth_def();
    fm_fabric_def fabric = define_fabric();
    fm_cloth *c = create_disc(world, &def, &fabric, 0.1, (fm_fabric_place){0});
    int count, other;
    const int *rim = fm_cloth_group(c, "rim", &count);
    assert_ptr_equal(rim, fm_object_point_group(fm_cloth_object(c), "rim", &other));
    assert_int_equal(count, other);
    assert_null(fm_cloth_group(c, "corners", &other));
    assert_false(fm_cloth_pin_group(c, "rin", NULL, &err));
    assert_string_equal(err.allowed, "one of rim");
    err = (fm_error){0};
    assert_true(fm_cloth_pin_group(c, "rim", NULL, &err));
    advance(world, 0.1);
    assert_close(c->x.y[rim[2]], 0, 0);
    fm_world_destroy(world);
}

static void bad_definitions_are_refused_by_name(void **state)
{
    (void)state;
    static const char *const fields[] = {
        "model",    "spring",  "rim_share",           "point_mass",        "kappa",
        "pressure", "courant", "reflection_distance", "external_velocity", "reflection",
        "kappa"};
    for (int i = 0; i < 11; i++) {
        fm_error err = {0};
        fm_world *world = create_world(0, 0, no_gravity);
        fm_cloth_def def = fm_default_fabric_cloth_def();
        fm_fabric_def f = define_fabric();
        if (i == 0)
            f.model = (fm_fabric_model)7;
        double *const numbers[] = {&f.spring,   &f.rim_share, &f.point_mass,         &f.kappa,
                                   &f.pressure, &f.courant,   &f.reflection_distance};
        if (i >= 1 && i <= 7)
            *numbers[i - 1] = i == 5 + 0 ? NAN : -1;
        if (i == 5)
            f.pressure = NAN;
        if (i >= 8)
            def.drag.model = FM_DRAG_VISCOUS;
        f.external_velocity = i == 8;
        f.reflection = def.contact.enabled = i == 9;
        if (i == 10)
            f.kappa = 1, def.integrator = FM_RK4;
        fm_mesh_shape shape = fm_default_mesh_shape();
        shape.edge = 0.2;
        assert_null(
            fm_cloth_create_fabric_shape(world, &def, &f, &shape, &(fm_fabric_place){0}, &err));
        assert_string_equal(err.field, fields[i]);
        fm_world_destroy(world);
    }
}

// A restored world continues with the same bits, the velocities due to springs included.
static void snapshots_hold_the_whole_state(void **state)
{
    (void)state;
    static const fm_integrator integrators[] = {FM_KICK_DRIFT_KICK, FM_RK4};
    for (int k = 0; k < 2; k++) {
        fm_world *worlds[2];
        uint64_t hash[2];
        for (int w = 0; w < 2; w++) {
            worlds[w] = create_world(0, 0, (fm_vec3){0, -9.81, 0});
            add_collider(worlds[w], fixture_ball_def((fm_vec3){0, -0.3, 0}, 0.25));
            fm_cloth_def def = fm_default_fabric_cloth_def();
            fm_fabric_def fabric = define_fabric();
            fabric.kappa = 2, fabric.pressure = 0.5, fabric.reflection = true;
            def.integrator = integrators[k];
            create_disc(worlds[w], &def, &fabric, 0.1, (fm_fabric_place){0});
        }
        fm_error err = {0};
        advance(worlds[0], 0.2);
        size_t size = fm_world_save(worlds[0], NULL, 0);
        void *bytes = malloc(size);
        fm_world_save(worlds[0], bytes, size);
        assert_true(fm_world_restore(worlds[1], bytes, size, &err));
        free(bytes);
        for (int w = 0; w < 2; w++) {
            advance(worlds[w], 0.1);
            hash[w] = fm_world_hash(worlds[w]);
            fm_world_destroy(worlds[w]);
        }
        assert_true(hash[0] == hash[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_the_gradient_of_the_energy_in_all_models),
        cmocka_unit_test(built_meshes_are_good_cloth),
        cmocka_unit_test(model_I_is_the_sum_of_II_and_III),
        cmocka_unit_test(damping_of_the_internal_impulse_does_not_slow_a_fall),
        cmocka_unit_test(kappa_damps_internal_oscillations),
        cmocka_unit_test(a_hanging_fabric_sags_with_kappa_and_time),
        cmocka_unit_test(the_external_velocity_is_added_to_the_points),
        cmocka_unit_test(pressure_bulges_a_membrane),
        cmocka_unit_test(reflection_turns_approaching_points_round),
        cmocka_unit_test(reflection_bounces_from_colliders),
        cmocka_unit_test(a_muscle_shortens_all_edges_and_lets_them_go),
        cmocka_unit_test(a_muscle_is_refused_with_enforcement_and_in_sheets),
        cmocka_unit_test(groups_can_be_pinned_and_read),
        cmocka_unit_test(bad_definitions_are_refused_by_name),
        cmocka_unit_test(snapshots_hold_the_whole_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
