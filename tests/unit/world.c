// SPDX-License-Identifier: MIT
// world.c: worlds: flows of the medium, motions and colliders through the public interface,
// advances that are refused or diverge, reports, and states that are saved, damaged and restored.
#include "bodies.h"

#include <string.h>

static const double PI = 3.14159265358979323846;
// A sheet of 7 x 6 = 42 particles.
static const fm_sheet small = {.columns = 7, .rows = 6, .width = 0.3, .height = 0.25};

// Asserts the velocity (m/s) of a prescribed flow at a point (m) and time (s).
static void expect_flow(fm_flow flow, fm_vec3 x, double t, fm_vec3 expected)
{
    fm_world *world = create_flowing_world(flow);
    fm_vec3 w = fm_world_medium_velocity(world, x, t);
    assert_at_most(largest_distance(&w, &expected, 1), 1e-14);
    fm_world_destroy(world);
}

// A flow given by a function of the caller. context: angular velocity, 1/s.
static fm_vec3 swirl(void *context, fm_vec3 x, double t)
{
    double s = *(double *)context;
    return (fm_vec3){s * x.y, -s * x.x, t};
}

static void flows_have_known_velocities(void **state)
{
    (void)state;
    fm_vec3 at = {1, 2, 3}, U = {0.1, 0.2, 0.3}, V = {1, 0, 2};
    expect_flow((fm_flow){.kind = FM_FLOW_STILL, .velocity = U}, at, 1, no_gravity);
    expect_flow((fm_flow){.kind = FM_FLOW_UNIFORM, .velocity = U}, at, 1, U);
    fm_flow flow = {.kind = FM_FLOW_OSCILLATING, .velocity = U, .amplitude = V, .period = 2};
    expect_flow(flow, at, 0.5, (fm_vec3){1.1, 0.2, 2.3});
    flow.phase = PI / 2;
    expect_flow(flow, at, 0, (fm_vec3){1.1, 0.2, 2.3});
    flow = (fm_flow){.kind = FM_FLOW_SHEAR,
                     .velocity = U,
                     .amplitude = V,
                     .axis = {0, 5, 0},
                     .centre = {9, 1, 9},
                     .radius = 0.5};
    expect_flow(flow, at, 7, (fm_vec3){2.1, 0.2, 4.3});
    flow =
        (fm_flow){.kind = FM_FLOW_VORTEX, .amplitude = {0, 0, 3}, .axis = {0, 0, 2}, .radius = 0.5};
    // rigid rotation inside the radius
    expect_flow(flow, (fm_vec3){0.25, 0, 9}, 0, (fm_vec3){0, 1.5, 0});
    expect_flow(flow, (fm_vec3){0, 1, -4}, 0, (fm_vec3){-1.5, 0, 0}); // 1/r outside
    expect_flow(flow, (fm_vec3){0.5, 0, 0}, 0, (fm_vec3){0, 3, 0});   // the speed at the radius
    double s = 2;
    expect_flow((fm_flow){.kind = FM_FLOW_FUNCTION, .function = swirl, .context = &s}, at, 4,
                (fm_vec3){4, -2, 4});
}

// Vortex cells: free of divergence, and no flow along the axis.
static void vortex_cells_are_free_of_divergence(void **state)
{
    (void)state;
    fm_world *world = create_flowing_world((fm_flow){
        .kind = FM_FLOW_CELLS, .amplitude = {0.4, 0, 0}, .axis = {0, 0, 1}, .radius = 0.5});
    double d = 1e-4, fastest = 0;
    for (unsigned i = 0; i < 300; i += 3) {
        // velocities at d metres from x along each axis, in both directions
        fm_vec3 x = {scatter(i), scatter(i + 1), scatter(i + 2)}, around[6],
                e[3] = {{d, 0, 0}, {0, d, 0}, {0, 0, d}};
        for (int k = 0; k < 6; k++) {
            double sign = k % 2 ? -1 : 1;
            fm_vec3 y = {x.x + sign * e[k / 2].x, x.y + sign * e[k / 2].y, x.z + sign * e[k / 2].z};
            around[k] = fm_world_medium_velocity(world, y, 0);
        }
        double divergence =
            around[0].x - around[1].x + around[2].y - around[3].y + around[4].z - around[5].z;
        assert_close(divergence / (2 * d), 0, 1e-6);
        fm_vec3 w = fm_world_medium_velocity(world, x, 0);
        assert_close(w.z, 0, 1e-15);
        fastest = fmax(fastest, hypot(w.x, w.y));
    }
    assert_in_interval(fastest, 0.3, 0.4 + 1e-12);
    fm_world_destroy(world);
}

// Asserts that the definition of a world is refused because of this field.
static void expect_world_refused(fm_world_def def, const char *field)
{
    fm_error err = {0};
    assert_null(fm_world_create(&def, &err));
    assert_int_equal(err.status, FM_BAD_VALUE);
    assert_string_equal(err.field, field);
    assert_true(strlen(err.value) > 0 && strlen(err.allowed) > 0 && strlen(err.object) > 0);
    fm_world_destroy(NULL);
}

static void bad_worlds_are_refused(void **state)
{
    (void)state;
    fm_world_def def = fm_default_world_def(), bad = def;
    bad.medium.density = -1;
    expect_world_refused(bad, "medium.density");
    bad = def, bad.medium.viscosity = NAN;
    expect_world_refused(bad, "medium.viscosity");
    bad = def, bad.gravity.x = INFINITY;
    expect_world_refused(bad, "gravity");
    bad = def, bad.threads = -1;
    expect_world_refused(bad, "threads");
    bad = def, bad.medium.flow.kind = (fm_flow_kind)42;
    expect_world_refused(bad, "kind");
    bad = def, bad.medium.flow.velocity.y = NAN;
    expect_world_refused(bad, "velocity");
    bad = def, bad.medium.flow.kind = FM_FLOW_OSCILLATING;
    expect_world_refused(bad, "period");
    bad = def, bad.medium.flow.kind = FM_FLOW_VORTEX, bad.medium.flow.radius = 1;
    expect_world_refused(bad, "axis");
    bad.medium.flow.axis.x = 1, bad.medium.flow.radius = 0;
    expect_world_refused(bad, "radius");
    bad = def, bad.medium.flow.kind = FM_FLOW_FUNCTION;
    expect_world_refused(bad, "function");
    bad = def, bad.medium.flow.turbulence.intensity = -1;
    expect_world_refused(bad, "intensity");
    bad.medium.flow.turbulence.intensity = 1, bad.medium.flow.turbulence.length = 0;
    expect_world_refused(bad, "length");
    bad = def, bad.medium.flow.turbulence.seed = -1;
    expect_world_refused(bad, "seed");
}

static void a_world_creates_and_composes_motions(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_world(0, 0, no_gravity);
    fm_motion *sine = fm_motion_sine_phase(world, (fm_vec3){0, 3, 0}, 0.5, 2, PI / 2, &err);
    fm_turn turn = {.axis = {0, 0, 1}, .rate = PI};
    fm_motion *both = fm_motion_compose(world, sine, fm_motion_turn(world, &turn, &err), &err);
    fm_key keys[2] = {{.time = 0}, {.time = 1, .position = {1, 0, 0}}};
    fm_motion *line = fm_motion_keyframes(world, keys, 2, FM_INTERPOLATE_LINEAR, no_gravity, &err);
    assert_int_equal(err.status, FM_OK);
    fm_vec3 x = fm_motion_position(both, (fm_vec3){1, 0, 0}, 0.5), expected = {0, 1, 0};
    assert_at_most(largest_distance(&x, &expected, 1), 1e-14);
    assert_close(fm_motion_velocity(line, (fm_vec3){5, 5, 5}, 0.3).x, 1, 1e-15);
    assert_null(fm_motion_sine(world, (fm_vec3){0, 0, 0}, 1, 1, &err));
    assert_int_equal(err.status, FM_BAD_VALUE);
    assert_null(fm_motion_sine(world, (fm_vec3){1, 0, 0}, 1, 1, &err)); // after an error: no effect
    assert_null(fm_collider_create(world, &(fm_collider_def){0}, &err));
    fm_world_destroy(world);
}

// A sheet dropped on a sphere and a floor rests on both and penetrates neither.
static void a_sheet_rests_on_colliders_without_penetration(void **state)
{
    (void)state;
    fm_world *world = open_world(fixture_air_def(1));
    fm_collider *sphere = add_collider(world, fixture_ball_def((fm_vec3){0.15, -0.1, 0.12}, 0.08));
    fm_collider_def floor = fixture_floor_def(-0.2);
    floor.shape.normal.y = 2; // will be normalized
    add_collider(world, floor);
    fm_cloth_def def = fm_default_cloth_def();
    fm_sheet flat = fixture_level_sheet(21, 21, 0.5, 0.5, (fm_vec3){-0.1, 0, -0.13});
    fm_cloth *cloth = create_sheet(world, &def, &flat);
    fm_report report = {0};
    for (int i = 0; i < 60; i++) {
        report = advance(world, 0.025);
        assert_int_equal(report.penetration_count, 0);
        assert_close(report.deepest_penetration, 0, 0);
    }
    assert_true(report.contact_count > 20);
    double contact[441];
    read_field(cloth, "contact", contact);
    const fm_vec3 *x = fm_cloth_positions(cloth, NULL);
    int touching = 0;
    for (int i = 0; i < 441; i++) {
        touching += contact[i] == 1;
        assert_true(fm_collider_distance(sphere, x[i], 0, NULL, NULL, NULL) >=
                    def.thickness / 2 - 1e-12);
        assert_true(x[i].y >= -0.2 + def.thickness / 2 - 1e-12);
    }
    assert_int_equal(touching, report.contact_count);
    fm_world_destroy(world);
}

static void bad_durations_are_refused(void **state)
{
    (void)state;
    static const double bad[] = {0, -1, NAN, INFINITY};
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
    fm_cloth_def def = fm_default_cloth_def();
    create_sheet(world, &def, &small);
    uint64_t hash = fm_world_hash(world);
    for (int i = 0; i < 4; i++) {
        fm_error err = {0};
        fm_world_advance(world, bad[i], &err);
        assert_int_equal(err.status, FM_BAD_VALUE);
        assert_string_equal(err.field, "duration");
        fm_error first = err;
        fm_world_advance(world, 0.1, &err); // the first error is kept
        assert_memory_equal(&err, &first, sizeof err);
    }
    assert_int_equal(fm_world_hash(world), hash);
    assert_close(fm_world_time(world), 0, 0);
    fm_world_destroy(world);
}

static void a_diverging_cloth_is_named_in_the_error(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
    fm_cloth_def def = fm_default_cloth_def();
    create_sheet(world, &def, &small);
    def = bare_cloth(); // drag would stop it
    def.name = "sail";
    fm_cloth *cloth = create_sheet(world, &def, &small);
    fm_vec3 v[42] = {{0, 0, 0}};
    v[17].x = 1e200;
    assert_true(fm_cloth_set_velocities(cloth, v, &err));
    fm_world_advance(world, 0.1, &err);
    assert_int_equal(err.status, FM_DIVERGED);
    assert_string_equal(err.object, "sail");
    assert_non_null(strstr(err.field, "bodies"));
    assert_non_null(strstr(err.value, "particle"));
    fm_world_destroy(world);
}

static void reports_have_energies_times_and_substeps(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
    fm_cloth_def def = fixture_perfect_cloth();
    fm_sheet sheet = small;
    sheet.velocity = (fm_vec3){0.3, 0, 0};
    sheet.origin.y = 1;
    create_sheet(world, &def, &sheet);
    sheet.origin.z = 0.2;
    def.stretch.stiffness = 1500;
    fm_cloth *stiff = create_sheet(world, &def, &sheet);
    double area = 0.3 * 0.25, m = def.density * def.thickness * area;
    fm_report now = fm_world_report(world);
    assert_close(now.kinetic_energy, 2 * 0.5 * m * 0.09, 1e-12);
    double net = (def.density - 1000) * def.thickness * area * 9.81; // N, weight less buoyancy
    assert_close(now.potential_energy, 2 * net * (1 - 0.125), 1e-12);
    assert_close(now.max_stretch, 0, 1e-12);
    fm_report report = fm_world_advance(world, 1.0 / 24, &err);
    assert_close(report.time, 1.0 / 24, 0);
    assert_close(fm_world_time(world), 1.0 / 24, 0);
    assert_int_equal(report.interval_count, 1);
    double step = fm_cloth_stable_step(stiff); // the stiffer cloth has the most substeps
    assert_int_equal(report.substep_count, (int)ceil(1.0 / 24 / step));
    assert_close(report.substep, 1.0 / 24 / report.substep_count, 1e-15);
    assert_true(report.substep <= step * (1 + 1e-9));
    now = fm_world_report(world);
    assert_close(now.kinetic_energy, report.kinetic_energy, 0);
    assert_close(now.potential_energy, report.potential_energy, 0);
    for (int s = 0; s < FM_STAGE_COUNT; s++)
        assert_true(report.stage_ms[s] >= 0 && strlen(fm_stage_name((fm_stage)s)) > 0);
    assert_string_equal(fm_stage_name(FM_STAGE_BODIES), "bodies");
    assert_string_equal(fm_stage_name(FM_STAGE_COUNT), "unknown");
    fm_world_destroy(world);
}

// A sheet with edges longer and shorter than at rest, a mesh with an edge of three times its rest
// length, and the report of both.
static void stretches_are_measured_along_edges(void **state)
{
    (void)state;
    fm_error err = {0};
    const fm_vec3 flat[6] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, -1, 0}, {1, -1, 0}, {2, -1, 0}};
    const fm_vec3 pulled[6] = {{0, 0, 0},  {1, 0, 0},    {1.5, 0, 0},
                               {0, -1, 0}, {1, -0.5, 0}, {1.5, -1, 0}};
    const int triangles[6] = {0, 3, 1, 1, 4, 2};
    fm_cloth_def def = bare_cloth();
    fm_sheet sheet = {.columns = 3, .rows = 2, .width = 2, .height = 1};
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    assert_true(fm_cloth_set_positions(cloth, pulled, &err));
    fm_stretches s = fm_cloth_measure_stretches(cloth);
    double slanted = hypot(1, 0.5) - 1, short_slant = hypot(0.5, 0.5) - 1;
    assert_close(s.max, slanted, 1e-15);
    assert_close(s.min, -0.5, 1e-15);
    assert_close(s.mean, slanted / 7, 1e-15); // one of 4 + 3 edges is longer
    assert_close(s.mean_strain, (slanted - short_slant + 0.5 + 0.5) / 7, 1e-15);
    assert_int_equal(s.longest[0] + s.longest[1], 3 + 4);
    assert_true(s.shortest[0] + s.shortest[1] == 1 + 2 || s.shortest[0] + s.shortest[1] == 1 + 4);
    fm_cloth_mesh mesh = {
        .positions = flat, .vertex_count = 5, .triangles = triangles, .triangle_count = 2};
    fm_cloth *net = fm_cloth_create_mesh(world, &def, &mesh, &err);
    assert_non_null(net);
    fm_vec3 along[5] = {{0, 0, 0}, {3, 0, 0}, {4, 0, 0}, {0, -1, 0}, {3, -1, 0}};
    assert_true(fm_cloth_set_positions(net, along, &err));
    s = fm_cloth_measure_stretches(net);
    assert_close(s.max, 2, 1e-15);
    assert_close(s.min, 0, 1e-15);
    assert_int_equal(s.longest[0] + s.longest[1], 0 + 1);
    fm_report report = fm_world_report(world);
    assert_close(report.max_stretch, 2, 1e-15);
    assert_close(report.min_stretch, -0.5, 1e-15);
    assert_in_interval(report.mean_stretch, 0, report.max_stretch);
    fm_world_destroy(world);
}

// All edges are shorter than at rest: the mean does not count them as stretched.
static void compressed_cloth_does_not_count_as_stretched(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth_def def = bare_cloth();
    fm_cloth *cloth = create_sheet(world, &def, &small);
    int count;
    const fm_vec3 *x = fm_cloth_positions(cloth, &count);
    fm_vec3 *pressed = malloc((size_t)count * sizeof *pressed);
    for (int i = 0; i < count; i++)
        pressed[i] = (fm_vec3){0.5 * x[i].x, 0.8 * x[i].y, 0};
    assert_true(fm_cloth_set_positions(cloth, pressed, &err));
    free(pressed);
    fm_report report = fm_world_report(world);
    assert_close(report.max_stretch, -0.2, 1e-12);
    assert_close(report.min_stretch, -0.5, 1e-12);
    assert_close(report.mean_stretch, 0, 0);
    assert_in_interval(report.mean_strain, 0.2, 0.5);
    fm_world_destroy(world);
}

static void a_second_cloth_does_not_change_the_first(void **state)
{
    (void)state;
    fm_vec3 alone[42];
    for (int with_second = 0; with_second < 2; with_second++) {
        fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
        fm_cloth_def def = fm_default_cloth_def();
        if (with_second) {
            def.stretch.stiffness = 3000;
            fm_sheet distant = small; // close layers of cloth share the water that moves with them
            distant.origin.x += 10;
            set_random_velocities(create_sheet(world, &def, &distant), 1);
            def = fm_default_cloth_def();
        }
        fm_cloth *cloth = create_sheet(world, &def, &small);
        set_random_velocities(cloth, 0.2);
        advance(world, 0.2);
        if (with_second)
            assert_memory_equal(fm_cloth_positions(cloth, NULL), alone, sizeof alone);
        else
            memcpy(alone, fm_cloth_positions(cloth, NULL), sizeof alone);
        fm_world_destroy(world);
    }
}

// A world with two cloths in motion; the second has `columns` columns and fractional derivatives.
static fm_world *create_two_cloths(int columns)
{
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
    fm_cloth_def def = fm_default_cloth_def();
    set_random_velocities(create_sheet(world, &def, &small), 0.3);
    fm_sheet sheet = small;
    sheet.columns = columns;
    def.drag.model = FM_DRAG_PUBLISHED;
    def.drag.history.coefficient = 5;
    def.damping.order = 0.6;
    set_random_velocities(create_sheet(world, &def, &sheet), 0.3);
    return world;
}

// Asserts that these saved bytes cannot be restored into the world and do not change it.
static void expect_state_refused(fm_world *world, const void *bytes, size_t size)
{
    fm_error err = {0};
    uint64_t hash = fm_world_hash(world);
    double time = fm_world_time(world);
    assert_false(fm_world_restore(world, bytes, size, &err));
    assert_int_equal(err.status, FM_BAD_VALUE);
    assert_int_equal(fm_world_hash(world), hash);
    assert_close(fm_world_time(world), time, 0);
}

static void damaged_states_of_a_world_are_refused(void **state)
{
    (void)state;
    fm_world *world = create_two_cloths(7);
    advance(world, 0.05);
    size_t size = fm_world_save(world, NULL, 0);
    unsigned char *bytes = malloc(size), *copy = malloc(size + 8);
    assert_int_equal(fm_world_save(world, bytes, size - 1), size); // too small: nothing is written
    assert_int_equal(fm_world_save(world, bytes, size), size);
    advance(world, 0.05);
    // flips one bit: anywhere in the header, and at some places in the rest
    for (size_t i = 0; i < 600; i++) {
        size_t offset = i < 200 ? i : (i * 7919 * 104729) % size; // primes scatter the places
        memcpy(copy, bytes, size);
        copy[offset] ^= (unsigned char)(1 << i % 8);
        expect_state_refused(world, copy, size);
    }
    memcpy(copy, bytes, size);
    for (size_t cut = 0; cut < 60; cut++)
        expect_state_refused(world, copy, cut < 50 ? cut : size - 1 - (cut - 50) * size / 12);
    expect_state_refused(world, copy, size + 8);
    advance(world, 0.02); // the world can still advance
    fm_error err = {0};
    assert_true(fm_world_restore(world, bytes, size, &err)); // the undamaged state is accepted
    assert_close(fm_world_time(world), 0.05, 0);
    free(bytes);
    free(copy);
    fm_world_destroy(world);
}

static void states_of_other_worlds_are_refused(void **state)
{
    (void)state;
    fm_world *world = create_two_cloths(7), *other = create_two_cloths(9),
             *one = create_world(0, 0, no_gravity);
    fm_cloth_def def = fm_default_cloth_def();
    create_sheet(one, &def, &small);
    advance(world, 0.05);
    advance(other, 0.03);
    advance(one, 0.03);
    size_t size = fm_world_save(world, NULL, 0);
    void *bytes = malloc(size);
    fm_world_save(world, bytes, size);
    expect_state_refused(other, bytes, size); // its second cloth has another size
    expect_state_refused(one, bytes, size);
    fm_error err = {.status = FM_BAD_VALUE};
    assert_false(fm_world_restore(world, bytes, size, &err)); // after an error: no effect
    advance(other, 0.02);
    free(bytes);
    fm_world_destroy(world);
    fm_world_destroy(other);
    fm_world_destroy(one);
}

// A world restores its own state from before its first advance, and repeats that advance bit by
// bit.
static void a_restored_state_repeats_the_advance(void **state)
{
    (void)state;
    fm_world *world = create_two_cloths(7);
    fm_error err = {0};
    size_t size = fm_world_save(world, NULL, 0);
    void *bytes = malloc(size);
    fm_world_save(world, bytes, size);
    uint64_t start = fm_world_hash(world);
    advance(world, 0.05);
    uint64_t end = fm_world_hash(world);
    assert_int_not_equal(start, end);
    assert_true(fm_world_restore(world, bytes, size, &err));
    assert_int_equal(fm_world_hash(world), start);
    advance(world, 0.05);
    assert_int_equal(fm_world_hash(world), end);
    free(bytes);
    fm_world_destroy(world);
}

// Callback of fm_world_set_stop: asks to stop after *context calls.
static bool stop_after_countdown(void *context)
{
    int *left = context;
    return --*left < 0;
}

enum { HANGING_CLOTH, CLOTH_WITH_CONTACT, PARTICLE_FLUID, SMALL_WORLDS };

// Creates one of the small worlds.
static fm_world *create_small_world(int contents)
{
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
    if (contents == PARTICLE_FLUID) {
        fm_particles_def def = fixture_tank_def(3, 0.1, (fm_vec3){1, 1, 1});
        fm_fluid_box box = {.high = {1, 0.4, 1}};
        assert_non_null(fixture_create_fluid(world, &def, &box, &err));
        return world;
    }
    fm_cloth_def def = fm_default_cloth_def();
    def.contact.enabled = contents == CLOTH_WITH_CONTACT;
    fm_cloth_pin_row(create_sheet(world, &def, &small), 0, NULL, &err);
    return world;
}

// An advance that the host stops returns FM_CANCELLED. From a saved state the world continues as if
// it had not been stopped.
static void an_advance_stops_when_the_host_asks(void **state)
{
    (void)state;
    for (int contents = 0; contents < SMALL_WORLDS; contents++) {
        fm_error err = {0};
        fm_world *whole = create_small_world(contents), *world = create_small_world(contents);
        advance(whole, 0.1), advance(world, 0.1);
        size_t size = fm_world_save(world, NULL, 0);
        void *bytes = malloc(size);
        fm_world_save(world, bytes, size);
        int left = 5;
        fm_world_set_stop(world, stop_after_countdown, &left);
        fm_world_advance(world, 0.1, &err);
        assert_int_equal(err.status, FM_CANCELLED);
        assert_string_equal(fm_status_name(err.status), "cancelled");
        assert_int_equal(left, -1); // the callback is not called again after it asked to stop
        fm_world_set_stop(world, NULL, NULL);
        err = (fm_error){0};
        assert_true(fm_world_restore(world, bytes, size, &err));
        free(bytes);
        advance(whole, 0.1), advance(world, 0.1);
        assert_int_equal(fm_world_hash(whole), fm_world_hash(world));
        fm_world_destroy(whole);
        fm_world_destroy(world);
    }
}

// Asserts that the predicted number of substeps of a frame is right within 25 %, or that the frame
// is predicted to be endless (too many substeps), with a text that contains `word`. Destroys the
// world.
static void expect_forecast(fm_world *world, bool endless, const char *word)
{
    fm_error err = {0};
    uint64_t before = fm_world_hash(world);
    fm_forecast forecast = fm_world_forecast(world, 1.0 / 24, &err);
    assert_int_equal(err.status, FM_OK);
    assert_int_equal(forecast.endless, endless);
    assert_non_null(strstr(forecast.text, word));
    assert_int_equal(fm_world_hash(world), before);
    // the step of a fluid changes within a frame
    double count = endless ? 0 : advance(world, 1.0 / 24).substep_count;
    if (!endless)
        assert_in_interval(count, 0.8 * forecast.substep_count, 1.25 * forecast.substep_count);
    fm_world_destroy(world);
}

static void forecasts_name_the_object_that_needs_too_many_substeps(void **state)
{
    (void)state;
    fm_error err = {0};
    for (int contents = 0; contents < SMALL_WORLDS; contents++)
        expect_forecast(create_small_world(contents), false, "");
    fm_cloth_def def = fm_default_cloth_def();
    fm_world *world = create_small_world(HANGING_CLOTH);
    fm_sheet sheet = small;
    sheet.width = 1e-5;
    create_sheet(world, &def, &sheet);
    expect_forecast(world, true, "stretch stiffness is 150");
    world = create_small_world(HANGING_CLOTH);
    def.time_step = 1e-9;
    create_sheet(world, &def, &small);
    expect_forecast(world, true, "time_step is 1e-09");
    world = create_small_world(CLOTH_WITH_CONTACT);
    fm_collider_def ball = fm_default_collider_def();
    ball.name = "fist";
    ball.shape.centre = (fm_vec3){0, 0, -5};
    ball.motion = fm_motion_sine(world, (fm_vec3){0, 0, 1}, 1e4, 1, &err);
    assert_non_null(fm_collider_create(world, &ball, &err));
    expect_forecast(world, true, "contact cannot follow fist");
    world = create_small_world(PARTICLE_FLUID);
    assert_true(fm_particles_add_box(
        fm_world_particle_fluid(world, 0),
        &(fm_fluid_box){.low = {0, 0.5, 0}, .high = {0.2, 0.7, 0.2}, .velocity = {0, -9e3, 1.2e4}},
        &err));
    expect_forecast(world, true, "fastest particle has 1.5e+04 m/s");
}

// Enforcement is strain limiting, a part of the stage in which bodies take their substeps.
static void reports_contain_the_time_of_enforcement_within_stage_bodies(void **state)
{
    (void)state;
    for (int enforced = 0; enforced < 2; enforced++) {
        fm_error err = {0};
        fm_world *world = create_flowing_world((fm_flow){.kind = FM_FLOW_STILL});
        fm_cloth_def def = fm_default_cloth_def();
        if (enforced)
            def.enforcement.method = FM_ENFORCE_DIRECTIONAL;
        fm_cloth *cloth = fm_cloth_create_sheet(world, &def, &small, &err);
        assert_non_null(cloth);
        fm_cloth_pin_row(cloth, 0, NULL, &err);
        fm_report first = fm_world_advance(world, 0.05, &err);
        fm_report second = fm_world_advance(world, 0.05, &err);
        assert_int_equal(err.status, FM_OK);
        assert_true((first.enforce_ms > 0) == enforced);
        assert_true((first.order_ms > 0) == enforced);
        assert_true((second.enforce_ms > 0) == enforced);
        assert_true(second.order_ms == 0); // the order of correction is computed once
        assert_true(first.enforce_ms + first.order_ms <= first.stage_ms[FM_STAGE_BODIES]);
        fm_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flows_have_known_velocities),
        cmocka_unit_test(vortex_cells_are_free_of_divergence),
        cmocka_unit_test(bad_worlds_are_refused),
        cmocka_unit_test(a_world_creates_and_composes_motions),
        cmocka_unit_test(a_sheet_rests_on_colliders_without_penetration),
        cmocka_unit_test(bad_durations_are_refused),
        cmocka_unit_test(a_diverging_cloth_is_named_in_the_error),
        cmocka_unit_test(reports_have_energies_times_and_substeps),
        cmocka_unit_test(stretches_are_measured_along_edges),
        cmocka_unit_test(compressed_cloth_does_not_count_as_stretched),
        cmocka_unit_test(an_advance_stops_when_the_host_asks),
        cmocka_unit_test(forecasts_name_the_object_that_needs_too_many_substeps),
        cmocka_unit_test(reports_contain_the_time_of_enforcement_within_stage_bodies),
        cmocka_unit_test(a_second_cloth_does_not_change_the_first),
        cmocka_unit_test(damaged_states_of_a_world_are_refused),
        cmocka_unit_test(states_of_other_worlds_are_refused),
        cmocka_unit_test(a_restored_state_repeats_the_advance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
