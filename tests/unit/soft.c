// SPDX-License-Identifier: MIT
// soft.c: soft bodies: closed meshes, gas, fluidity, struts, weights, measures, bad definitions.
#include "softs.h"

#include "cloth/cloth.h"

#include <string.h>

static const fm_mesh_shape_kind closed_kinds[] = {FM_MESH_BALL, FM_MESH_SLAB, FM_MESH_CUSHION,
                                                  FM_MESH_TORUS, FM_MESH_TUBE};
enum { CLOSED = sizeof closed_kinds / sizeof *closed_kinds };

// A skin without springs' damping; no gravity, no medium.
static fm_world *create_empty_world(void)
{
    return create_world(0, 0, no_gravity);
}

// Forces of one term at the present positions and velocities.
static void evaluate_term(fm_cloth *c, const fm_term_type *type)
{
    const fm_vec3_array *normal = &c->next_normal;
    fm_evaluation at = {.x = &c->x, .v = &c->v, .t = c->time};
    fm_terms_add_forces(c, &at, normal); // computes the area vectors
    memset(c->force.x, 0, 3 * (size_t)c->lanes * sizeof(double));
    for (int i = 0; i < c->term_count; i++) {
        if (c->terms[i].type == type && type->add_forces)
            type->add_forces(c, &c->terms[i], &at);
    }
}

static fm_vec3 sum_forces(const fm_cloth *c)
{
    fm_vec3 sum = {0, 0, 0};
    for (int i = 0; i < c->count; i++)
        sum = fm_add(sum, fm_vec3_array_at(c->force, i));
    return sum;
}

static double sum_magnitudes(const fm_cloth *c)
{
    double sum = 0;
    for (int i = 0; i < c->count; i++)
        sum += fm_length(fm_vec3_array_at(c->force, i));
    return sum;
}

// Vertices minus edges plus triangles: 2 for a ball, 0 for a torus.
static void closed_meshes_have_no_border_and_a_positive_volume(void **state)
{
    (void)state;
    const double PI = 3.14159265358979323846;
    const double volumes[CLOSED] = {4 * PI / 3 * 1e-3, 0.2 * 0.05 * 0.2, 0.2 * 0.05 * 0.2 * 4 / 9,
                                    2 * PI * PI * 0.15 * 0.0025, PI * 0.01 * 0.2};
    for (int k = 0; k < CLOSED; k++) {
        fm_world *world = create_empty_world();
        fm_cloth_def def = fm_default_soft_cloth_def();
        fm_soft_def soft = fm_default_soft_def();
        fm_mesh_shape shape = small_shape(closed_kinds[k]);
        fm_cloth *body = create_soft(world, &def, &soft, &shape);
        int euler = body->count - body->mesh.edge_count + body->mesh.triangle_count;
        assert_true(body->soft->closed);
        assert_int_equal(euler, closed_kinds[k] == FM_MESH_TORUS ? 0 : 2);
        assert_in_interval(measure_soft(body).volume, 0.9 * volumes[k], 1.001 * volumes[k]);
        fm_world_destroy(world);
    }
}

// tests/reference/soft_sphere.csv
static void balls_have_the_volumes_and_areas_of_the_table(void **state)
{
    (void)state;
    static const struct {
        int vertices, triangles;
        double volume, area, squares, shortest, longest;
    } rows[] = {
        {12, 20, 2.5361507101, 9.5745413833, 33.16718427, 1.051462, 1.051462},
        {42, 80, 3.6587122085, 11.6659313917, 40.83986367, 0.546533, 0.618034},
        {162, 320, 4.04704468, 12.3298485952, 43.18684423, 0.275904, 0.32492},
        {642, 1280, 4.1527408171, 12.506492734, 43.80519805, 0.138283, 0.164647},
        {2562, 5120, 4.179738948, 12.5513538801, 43.96184477, 0.069183, 0.082604},
    };
    for (int level = 0; level < 5; level++) {
        fm_world *world = create_empty_world();
        fm_error err = {0};
        fm_cloth_def def = fm_default_soft_cloth_def();
        fm_soft_def soft = fm_default_soft_def();
        fm_mesh_shape shape = small_shape(FM_MESH_BALL);
        shape.radius = 1, shape.level = level;
        fm_cloth *ball = create_soft(world, &def, &soft, &shape);
        double squares = 0, shortest = INFINITY, longest = 0;
        for (int e = 0; e < ball->mesh.edge_count; e++) {
            double l = ball->mesh.edge_rest[e];
            squares += l * l, shortest = fmin(shortest, l), longest = fmax(longest, l);
        }
        assert_int_equal(ball->count, rows[level].vertices);
        assert_int_equal(ball->mesh.triangle_count, rows[level].triangles);
        assert_close(measure_soft(ball).volume, rows[level].volume, 1e-9);
        assert_close(fm_cloth_area(ball, &err), rows[level].area, 1e-9);
        assert_close(squares, rows[level].squares, 1e-7);
        assert_close(shortest, rows[level].shortest, 1e-6);
        assert_close(longest, rows[level].longest, 1e-6);
        fm_world_destroy(world);
    }
}

static void the_published_slab_has_12290_vertices(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_built_mesh built;
    fm_mesh_shape shape = fm_default_mesh_shape();
    shape.kind = FM_MESH_SLAB;
    assert_good(fm_mesh_shape_build(&shape, &built, &err), &err);
    assert_int_equal(built.mesh.point_count, 12290);
    fm_built_mesh_destroy(&built);
}

// The work of the gas in a small displacement d of the points, p dV, by central differences of the
// volume, equals F . d to 1e-6. The sums of the gradient are exact: 0, and 3 V with the positions.
static void gas_pushes_along_the_gradient_of_the_volume(void **state)
{
    (void)state;
    for (int k = 0; k < CLOSED; k++) {
        fm_world *world = create_empty_world();
        fm_cloth_def def = fm_default_soft_cloth_def();
        fm_soft_def soft = fm_default_soft_def();
        soft.gas.kind = FM_GAS_CONSTANT, soft.gas.pressure = 300, soft.gas.density = 0;
        fm_mesh_shape shape = small_shape(closed_kinds[k]);
        fm_cloth *body = create_soft(world, &def, &soft, &shape);
        scatter_points(body, 2e-3);
        evaluate_term(body, &fm_gas_term);
        double power = 0, virial = 0, V = fm_mesh_volume(body), change[2];
        for (int i = 0; i < body->count; i++) {
            fm_vec3 d = {scatter(7 * (unsigned)i), scatter(7 * (unsigned)i + 1),
                         scatter(7 * (unsigned)i + 2)};
            fm_vec3 f = fm_vec3_array_at(body->force, i);
            power += fm_dot(f, d), virial += fm_dot(f, fm_vec3_array_at(body->x, i));
        }
        assert_at_most(fm_length(sum_forces(body)), 1e-13 * sum_magnitudes(body));
        assert_close(virial / (3 * V * 300), 1, 1e-12);
        const double STEP = 1e-5;
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < body->count; i++) {
                double h = side ? -2 * STEP : STEP;
                body->x.x[i] += h * scatter(7 * (unsigned)i);
                body->x.y[i] += h * scatter(7 * (unsigned)i + 1);
                body->x.z[i] += h * scatter(7 * (unsigned)i + 2);
            }
            change[side] = fm_mesh_volume(body);
        }
        assert_close(300 * (change[0] - change[1]) / (2 * STEP) / power, 1, 1e-6);
        fm_world_destroy(world);
    }
}

// A sealed gas keeps (ambient + p) V; its energy is the negative of its work.
static void sealed_gas_follows_the_gas_law(void **state)
{
    (void)state;
    fm_world *world = create_empty_world();
    fm_cloth_def def = fm_default_soft_cloth_def();
    fm_soft_def soft = fm_default_soft_def();
    soft.gas.kind = FM_GAS_SEALED, soft.gas.pressure = 5000;
    fm_mesh_shape shape = small_shape(FM_MESH_BALL);
    fm_cloth *ball = create_soft(world, &def, &soft, &shape);
    double V = measure_soft(ball).volume;
    assert_close(measure_soft(ball).pressure, 5000, 1e-6);
    for (int i = 0; i < ball->count; i++)
        ball->x.x[i] *= 1.1;
    fm_surroundings around = fm_object_surroundings(&ball->object);
    const fm_term *gas = fm_cloth_find_term(ball, &fm_gas_term);
    double expected = (101325 + 5000) / 1.1 - 101325;
    assert_close(measure_soft(ball).pressure, expected, 1e-6);
    double work = (101325 + 5000) * V * log(1.1) - 101325 * 0.1 * V;
    assert_close(gas->type->energy(ball, gas, &around).potential, -work, 1e-9);
    fm_world_destroy(world);
}

// In a ball that keeps its volume (very stiff skin), in a vacuum, the amount of gas decays as
// exp(-leak t / V); a pump adds flow t, and stops at the pressure limit.
static void gas_leaks_and_is_pumped_at_the_given_rates(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        fm_world *world = create_empty_world();
        fm_cloth_def def = fm_default_soft_cloth_def();
        def.stretch.stiffness = 5e4;
        def.damping.coefficient = 5;
        fm_soft_def soft = fm_default_soft_def();
        bool pump = i > 0;
        soft.gas.kind = FM_GAS_SEALED, soft.gas.ambient = 0, soft.gas.density = 0;
        soft.gas.pressure = pump ? 0 : 1000;
        soft.gas.leak = pump ? 0 : 0.01;
        soft.gas.pump.flow = pump ? 20 : 0, soft.gas.pump.start = 0.1;
        soft.gas.pump.limit = i == 2 ? 600 : 1200;
        fm_mesh_shape shape = small_shape(FM_MESH_BALL);
        fm_cloth *ball = create_soft(world, &def, &soft, &shape);
        double V = measure_soft(ball).volume;
        for (int k = 0; k < 30; k++)
            advance(world, 0.01);
        fm_soft_measure now = measure_soft(ball);
        if (i == 2)
            assert_close(now.pressure, 600, 1);
        else
            assert_close(now.amount, pump ? 20 * 0.2 : 1000 * V * exp(-0.01 * 0.3 / V),
                         0.005 * now.amount);
        fm_world_destroy(world);
    }
}

// Weight of the gas and buoyancy: the forces sum up to (rho_gas - rho_medium) V g.
static void a_closed_body_in_a_medium_is_lifted_by_its_volume(void **state)
{
    (void)state;
    fm_world *world = create_world(1000, 0, (fm_vec3){0, -9.81, 0});
    fm_error err = {0};
    fm_cloth_def def = fm_default_soft_cloth_def();
    fm_soft_def soft = fm_default_soft_def();
    soft.gas.kind = FM_GAS_SEALED;
    fm_mesh_shape shape = small_shape(FM_MESH_TORUS);
    fm_cloth *ring = create_soft(world, &def, &soft, &shape);
    double V = measure_soft(ring).volume, before = 0, after = 0, mass = 0;
    for (int i = 0; i < ring->count; i++)
        mass += ring->mass[i];
    advance(world, 1e-3);
    for (int i = 0; i < ring->count; i++)
        before += ring->mass[i] * ring->v.y[i];
    fm_report report = advance(world, 1e-3);
    assert_true(report.substep_count > 0);
    for (int i = 0; i < ring->count; i++)
        after += ring->mass[i] * ring->v.y[i];
    double skin = mass - 1000 * fm_cloth_rest_area(ring) * def.thickness;
    assert_close((after - before) / 1e-3, (1000 - 1.2) * V * 9.81 - skin * 9.81, 0.02);
    assert_true(err.status == FM_OK);
    fm_world_destroy(world);
}

static fm_cloth *create_flat(fm_world *world, const fm_soft_def *soft)
{
    fm_cloth_def def = fm_default_soft_cloth_def();
    fm_mesh_shape shape = small_shape(FM_MESH_RECTANGLE);
    shape.edge = 0.01;
    return create_soft(world, &def, soft, &shape);
}

// The symmetric form conserves momentum to rounding, the printed one does not. Neither has a force
// in the initial state.
static void symmetric_fluidity_conserves_momentum_and_the_printed_form_does_not(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        fm_world *world = create_empty_world();
        fm_soft_def soft = fm_default_soft_def();
        soft.beta = 1, soft.fluidity.viscosity = 0.1;
        soft.fluidity.form = (fm_fluidity_form)(i % 2);
        soft.fluidity.dimensions = 2 + i / 2;
        fm_cloth *sheet = create_flat(world, &soft);
        evaluate_term(sheet, &fm_fluidity_term);
        assert_at_most(sum_magnitudes(sheet), 1e-12);
        sheet->started = true; // the rest densities are those of the initial state
        for (int k = 0; k < sheet->count; k++) {
            sheet->x.x[k] += 1e-3 * scatter(3 * (unsigned)k) - sheet->x.x[k] * sheet->x.x[k];
            sheet->x.y[k] += 2e-3 * scatter(3 * (unsigned)k + 1);
            sheet->v.z[k] = scatter(3 * (unsigned)k + 2);
        }
        evaluate_term(sheet, &fm_fluidity_term);
        double drift = fm_length(sum_forces(sheet)) / sum_magnitudes(sheet);
        if (soft.fluidity.form == FM_FLUIDITY_SYMMETRIC)
            assert_at_most(drift, 1e-14);
        else
            assert_in_interval(drift, 1e-4, 1);
        fm_world_destroy(world);
    }
}

// On a flat sheet the density in the plane is the mass per area; when it shrinks evenly to s of its
// size, the points inside are pushed by nothing, those at the border outwards.
static void fluidity_measures_mass_per_area_and_resists_compression(void **state)
{
    (void)state;
    fm_world *world = create_empty_world();
    fm_soft_def soft = fm_default_soft_def();
    soft.beta = 1;
    fm_cloth *sheet = create_flat(world, &soft);
    double density[2000];
    assert_true(sheet->count < 2000);
    evaluate_term(sheet, &fm_fluidity_term);
    fm_fluidity_read_density(sheet, density);
    int inner = -1, border = -1;
    for (int i = 0; i < sheet->count; i++) {
        fm_vec3 x = fm_vec3_array_at(sheet->x, i);
        if (hypot(x.x, x.z) < 0.01)
            inner = i;
        if (x.x > 0.0999 && fabs(x.z) < 0.01)
            border = i;
    }
    assert_true(inner >= 0 && border >= 0);
    assert_close(density[inner], 1.0, 0.03); // 1000 kg/m^3 times 1 mm
    sheet->started = true;
    for (int i = 0; i < sheet->count; i++)
        sheet->x.x[i] *= 0.95, sheet->x.z[i] *= 0.95;
    evaluate_term(sheet, &fm_fluidity_term);
    fm_fluidity_read_density(sheet, density);
    assert_in_interval(density[inner], 1.08, 1.14); // 1/0.95^2 = 1.108
    assert_true(sheet->force.x[border] > 0);
    assert_at_most(hypot(sheet->force.x[inner], sheet->force.z[inner]),
                   0.02 * sheet->force.x[border]);
    fm_world_destroy(world);
}

// The force of struts is the negative gradient of their energy.
static void struts_pull_along_the_gradient_of_their_energy(void **state)
{
    (void)state;
    fm_world *world = create_empty_world();
    fm_cloth_def def = fm_default_soft_cloth_def();
    fm_soft_def soft = fm_default_soft_def();
    soft.struts.modulus = 2e4;
    fm_mesh_shape shape = small_shape(FM_MESH_SLAB);
    shape.cells[1] = 2;
    fm_cloth *slab = create_soft(world, &def, &soft, &shape);
    const fm_term *struts = fm_cloth_find_term(slab, &fm_struts_term);
    fm_surroundings around = fm_object_surroundings(&slab->object);
    assert_true(slab->soft->struts.count >= 2 * slab->count);
    assert_at_most(struts->type->energy(slab, struts, &around).potential, 1e-20);
    scatter_points(slab, 2e-3);
    evaluate_term(slab, &fm_struts_term);
    assert_at_most(fm_length(sum_forces(slab)), 1e-13 * sum_magnitudes(slab));
    for (int i = 0; i < slab->count; i += 37) {
        double energy[2], h = 1e-6, x = slab->x.y[i];
        for (int side = 0; side < 2; side++) {
            slab->x.y[i] = side ? x - h : x + h;
            energy[side] = struts->type->energy(slab, struts, &around).potential;
        }
        slab->x.y[i] = x;
        assert_close(slab->force.y[i], -(energy[0] - energy[1]) / (2 * h),
                     1e-6 * (1 + fabs(slab->force.y[i])));
    }
    fm_world_destroy(world);
}

// On the floor, a ball with a limp skin and struts keeps its height; without struts it collapses.
static void struts_keep_the_form_of_a_body(void **state)
{
    (void)state;
    double height[2];
    for (int with = 0; with < 2; with++) {
        fm_world *world = create_world(0, 0, (fm_vec3){0, -9.81, 0});
        fm_collider_def floor_def = fm_default_collider_def();
        floor_def.shape =
            (fm_shape){.kind = FM_SHAPE_PLANE, .centre = {0, -0.101, 0}, .normal = {0, 1, 0}};
        add_collider(world, floor_def);
        fm_cloth_def def = fm_default_soft_cloth_def();
        def.stretch.stiffness = 5;
        fm_soft_def soft = fm_default_soft_def();
        soft.struts.modulus = with ? 2e4 : 0, soft.struts.friction = 0.3;
        fm_mesh_shape shape = small_shape(FM_MESH_BALL);
        fm_cloth *ball = create_soft(world, &def, &soft, &shape);
        for (int i = 0; i < 50; i++)
            advance(world, 0.02);
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < ball->count; i++)
            low = fmin(low, ball->x.y[i]), high = fmax(high, ball->x.y[i]);
        height[with] = high - low;
        fm_world_destroy(world);
    }
    assert_in_interval(height[1], 0.17, 0.2);
    assert_at_most(height[0], 0.12);
}

// delta scales the weight, alpha the springs.
static void weights_scale_their_forces(void **state)
{
    (void)state;
    fm_world *world = create_world(0, 0, (fm_vec3){0, -10, 0});
    fm_cloth_def def = fm_default_soft_cloth_def();
    fm_soft_def soft = fm_default_soft_def();
    soft.alpha = 2, soft.delta = 0.25;
    fm_mesh_shape shape = small_shape(FM_MESH_BALL);
    fm_cloth *ball = create_soft(world, &def, &soft, &shape);
    soft.alpha = soft.delta = 1;
    fm_cloth *plain = create_soft(world, &def, &soft, &shape);
    for (int e = 0; e < ball->mesh.edge_count; e++)
        assert_close(ball->mesh.edge_stiffness[e], 2 * plain->mesh.edge_stiffness[e], 1e-9);
    advance(world, 0.01);
    assert_close(ball->v.y[0], -0.025, 1e-9);
    assert_close(plain->v.y[0], -0.1, 1e-9);
    fm_world_destroy(world);
}

// A ball of radius R has the mean curvature 1/R and a smooth surface; dents make it rough.
static void curvature_and_roughness_are_those_of_the_surface(void **state)
{
    (void)state;
    fm_world *world = create_empty_world();
    fm_cloth_def def = fm_default_soft_cloth_def();
    fm_soft_def soft = fm_default_soft_def();
    soft.smoothing = 0.012;
    fm_mesh_shape shape = small_shape(FM_MESH_BALL);
    shape.level = 4;
    fm_cloth *ball = create_soft(world, &def, &soft, &shape);
    fm_soft_measure smooth = measure_soft(ball);
    assert_close(smooth.curvature, 1 / 0.1, 0.02 / 0.1);
    double values[2562];
    assert_int_equal(ball->count, 2562);
    read_field(ball, "curvature", values);
    for (int i = 0; i < ball->count; i++)
        assert_close(values[i], 10, 1.0);
    for (int i = 0; i < ball->count; i++) { // ripples of 0.5 mm with 16 waves around the axis
        double f = 1 + 0.005 * cos(16 * atan2(ball->x.z[i], ball->x.x[i]));
        ball->x.x[i] *= f, ball->x.z[i] *= f;
    }
    fm_cloth_compute_normals(ball, &ball->x, &ball->normal);
    fm_soft_measure rough = measure_soft(ball);
    assert_at_most(1.5 * smooth.roughness, rough.roughness);
    assert_at_most(1.05 * smooth.curvature, rough.curvature);
    fm_world_destroy(world);
}

static void bad_definitions_name_the_field(void **state)
{
    (void)state;
    for (int i = 0; i < 7; i++) {
        fm_world *world = create_empty_world();
        fm_error err = {0};
        fm_cloth_def def = fm_default_soft_cloth_def();
        fm_soft_def soft = fm_default_soft_def();
        fm_mesh_shape shape = small_shape(i == 0 ? FM_MESH_RECTANGLE : FM_MESH_BALL);
        const char *fields[] = {
            "gas", "alpha", "beta", "gas.pressure", "level", "gas.pump.end", "fluidity.dimensions"};
        soft.gas.kind = FM_GAS_SEALED;
        soft.alpha = i == 1 ? 0 : 1;
        soft.beta = i == 2 ? NAN : 0;
        soft.gas.pressure = i == 3 ? -2e5 : 0;
        shape.level = i == 4 ? 12 : 1;
        soft.gas.pump.end = i == 5 ? NAN : 1;
        soft.fluidity.dimensions = i == 6 ? 4 : 3;
        assert_null(
            fm_cloth_create_soft_shape(world, &def, &soft, &shape, &(fm_fabric_place){0}, &err));
        assert_int_equal(err.status, FM_BAD_VALUE);
        assert_string_equal(err.field, fields[i]);
        fm_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_meshes_have_no_border_and_a_positive_volume),
        cmocka_unit_test(balls_have_the_volumes_and_areas_of_the_table),
        cmocka_unit_test(the_published_slab_has_12290_vertices),
        cmocka_unit_test(gas_pushes_along_the_gradient_of_the_volume),
        cmocka_unit_test(sealed_gas_follows_the_gas_law),
        cmocka_unit_test(gas_leaks_and_is_pumped_at_the_given_rates),
        cmocka_unit_test(a_closed_body_in_a_medium_is_lifted_by_its_volume),
        cmocka_unit_test(symmetric_fluidity_conserves_momentum_and_the_printed_form_does_not),
        cmocka_unit_test(fluidity_measures_mass_per_area_and_resists_compression),
        cmocka_unit_test(struts_pull_along_the_gradient_of_their_energy),
        cmocka_unit_test(struts_keep_the_form_of_a_body),
        cmocka_unit_test(weights_scale_their_forces),
        cmocka_unit_test(curvature_and_roughness_are_those_of_the_surface),
        cmocka_unit_test(bad_definitions_name_the_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
