// SPDX-License-Identifier: MIT
// cloth.c: invalid definitions, sheets and pins are refused with the name of the field; pins hold
// and release particles; written values are read back; sheets of extreme sizes run.
#include "bodies.h"

#include <string.h>

// A sheet of 5 x 4 = 20 particles.
static const fm_sheet small = {.columns = 5, .rows = 4, .width = 0.4, .height = 0.3};

// Asserts that err reports this field and value as bad.
static void expect_error(const fm_error *err, const char *field, const char *value)
{
    assert_int_equal(err->status, FM_BAD_VALUE);
    assert_string_equal(err->field, field);
    assert_string_equal(err->value, value);
    assert_true(strlen(err->object) > 0 && strlen(err->allowed) > 0);
    assert_non_null(strstr(err->text, err->allowed));
}

// Asserts that a sheet of this definition is refused because of this field and value.
static void expect_refusal(const fm_cloth_def *def, const fm_sheet *sheet, const char *field,
                           const char *value)
{
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_cloth *cloth = fm_cloth_create_sheet(world, def, sheet, &err);
    if (cloth)
        print_error("%s = %s was taken\n", field, value);
    assert_null(cloth);
    expect_error(&err, field, value);
    assert_string_equal(err.object, def->name);
    fm_world_destroy(world);
}

// A number of the definition, given by its offset in fm_cloth_def.
typedef struct number {
    const char *field;
    size_t offset;
    double low, high; // values at or below low, and above high, are refused
} number;

#define NUMBER(member) #member, offsetof(fm_cloth_def, member) // name and offset of a field

static void numbers_of_a_cloth_definition_out_of_range_are_refused(void **state)
{
    (void)state;
    static const number numbers[] = {
        {NUMBER(density), 0, 1e5},
        {NUMBER(thickness), 0, 1},
        {NUMBER(stretch.stiffness), 0, 1e7},
        {NUMBER(shear.stiffness), -1e-9, 1e7},
        {NUMBER(bend.stiffness), -1e-9, 1e7},
        {NUMBER(bend.damping.coefficient), -1e-9, 1e6},
        {NUMBER(bend.damping.order), 0, 1},
        {NUMBER(bend.damping.memory.tolerance), 1e-12, 0.09},
        {NUMBER(bend.damping.memory.horizon), 0, 1e300},
        {NUMBER(imperfection.amount), -1e-9, 0.1},
        {NUMBER(damping.coefficient), -1e-9, 1e6},
        {NUMBER(damping.order), 0, 1},
        {NUMBER(drag.viscous), -1e-9, 1e6},
        {NUMBER(drag.normal), -1e-9, 1e6},
        {NUMBER(drag.history.coefficient), -1e-9, 1e6},
        {NUMBER(drag.history.order), 0, 0.9999},
        {NUMBER(drag.pressure), -1e-9, 1e3},
        {NUMBER(drag.friction), -1e-9, 1e3},
        {NUMBER(drag.normal_history), -2, 1e6},
        {NUMBER(drag.added_mass), -2, 1e3},
        {NUMBER(repulsion.distance), -1e-9, 10},
        {NUMBER(repulsion.stiffness), 0, 1},
        {NUMBER(repulsion.friction), -1e-9, 1},
        {NUMBER(time_step), -1e-9, 10},
        {NUMBER(margin), -2, 1},
        {NUMBER(drag.history.memory.tolerance), 1e-12, 0.09},
        {NUMBER(drag.history.memory.horizon), 0, 1e300},
        {NUMBER(damping.memory.tolerance), 1e-12, 0.09},
        {NUMBER(damping.memory.horizon), 0, 1e300},
    };
    // each number is set to five bad values: its lower limit, one above the upper limit, and three
    // that are not finite
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const double bad[] = {numbers[i].low, 1.01 * numbers[i].high + 1, NAN, INFINITY, -INFINITY};
        for (int k = 0; k < 5; k++) {
            fm_cloth_def def = fm_default_cloth_def();
            char text[32];
            if (numbers[i].high > 1e100 && k == 1)
                continue; // has no upper limit
            memcpy((char *)&def + numbers[i].offset, &bad[k], sizeof bad[k]);
            snprintf(text, sizeof text, "%.9g", bad[k]);
            expect_refusal(&def, &small, numbers[i].field, text);
        }
    }
}

static void invalid_or_contradictory_models_are_refused(void **state)
{
    (void)state;
    fm_cloth_def def = fm_default_cloth_def();
    def.drag.model = (fm_drag_model)17;
    expect_refusal(&def, &small, "drag.model", "17");
    def = fm_default_cloth_def();
    def.bend.model = (fm_bend_model)9;
    expect_refusal(&def, &small, "bend.model", "9");
    def = fm_default_cloth_def();
    def.integrator = (fm_integrator)11;
    expect_refusal(&def, &small, "integrator", "11");
    def = fm_default_cloth_def();
    def.damping.memory.kind = (fm_recall_kind)4;
    expect_refusal(&def, &small, "damping.memory", "4");
    def = fm_default_cloth_def();
    def.integrator = FM_RK4; // physical drag has a history force
    expect_refusal(&def, &small, "integrator", "without memory");
    def.drag.skin_history = false, def.drag.normal_history = 0;
    expect_refusal(&def, &small, "integrator", "explicit");
    def.drag.model = FM_DRAG_NONE;
    def.bend.damping.order = 0.5;
    expect_refusal(&def, &small, "integrator", "without memory");
    def.integrator = FM_HEUN;
    expect_refusal(&def, &small, "integrator", "without memory of bending");
}

// Forces that are known when a cloth is created are refused then, the others at the first advance.
static void the_implicit_integrators_refuse_forces_that_they_do_not_support(void **state)
{
    (void)state;
    fm_cloth_def def = fm_default_cloth_def();
    def.integrator = FM_IMPLICIT;
    def.enforcement.method = FM_ENFORCE_DIRECTIONAL;
    expect_refusal(&def, &small, "integrator", "implicit");
    fm_error err = {0};
    def = fm_default_cloth_def();
    def.integrator = FM_IMPLICIT;
    def.repulsion.enabled = true;
    fm_world *world = create_world(1.2, 0, no_gravity);
    create_sheet(world, &def, &small);
    fm_world_advance(world, 0.01, &err);
    assert_int_equal(err.status, FM_BAD_VALUE);
    assert_non_null(strstr(err.text, "does not support repulsion"));
    fm_world_destroy(world);
}

// Shirting: 0.15 kg/m^2, 2000 N/m; the integrator is the default one, automatic.
static fm_cloth_def define_shirting(void)
{
    fm_cloth_def def = fm_default_cloth_def();
    def.density = 500;
    def.thickness = 3e-4;
    def.stretch.stiffness = 2000;
    return def;
}

// Asserts that an automatic choice took this integrator, and that the reason contains `why`.
static void expect_choice(const fm_cloth *cloth, fm_integrator integrator, const char *why)
{
    assert_int_equal(fm_cloth_definition(cloth).integrator, integrator);
    assert_non_null(strstr(fm_cloth_integrator_reason(cloth), why));
}

static void the_cheaper_integrator_is_chosen_automatically(void **state)
{
    (void)state;
    const fm_sheet sheet = {.columns = 31, .rows = 21, .width = 0.3, .height = 0.2};
    fm_cloth_def stiff = define_shirting(), soft = fm_default_cloth_def(), other = stiff;
    soft.stretch.stiffness = 2;
    soft.bend.stiffness = 1e-7;
    fm_world *air = create_world(1.2, 1.8e-5, no_gravity),
             *water = create_world(1000, 1e-3, no_gravity);
    expect_choice(create_sheet(air, &stiff, &sheet), FM_IMPLICIT,
                  "implicit: kick-drift-kick needs");
    expect_choice(create_sheet(air, &soft, &sheet), FM_KICK_DRIFT_KICK, "implicit costs as much");
    expect_choice(create_sheet(water, &stiff, &sheet), FM_KICK_DRIFT_KICK, "added mass");
    other.time_step = 1e-4; // implicit steps of that length would cost more
    expect_choice(create_sheet(air, &other, &sheet), FM_KICK_DRIFT_KICK, "implicit costs as much");
    other = stiff, other.repulsion.enabled = true;
    expect_choice(create_sheet(air, &other, &sheet), FM_KICK_DRIFT_KICK, "repulsion");
    other = stiff, other.enforcement.method = FM_ENFORCE_DIRECTIONAL;
    expect_choice(create_sheet(air, &other, &sheet), FM_KICK_DRIFT_KICK, "enforcement");
    other = stiff, other.integrator = FM_IMPLICIT;
    expect_choice(create_sheet(air, &other, &sheet), FM_IMPLICIT, "");
    fm_world_destroy(air);
    fm_world_destroy(water);
}

// Ties, and contact with a cloth of another integrator, are known later.
static void an_automatic_choice_gives_way_to_what_needs_kick_drift_kick(void **state)
{
    (void)state;
    fm_error err = {0};
    const fm_sheet sheet = {.columns = 21, .rows = 21, .width = 0.2, .height = 0.2};
    fm_sheet beside = sheet;
    beside.origin.z = 1;
    fm_cloth_def def = define_shirting();
    fm_world *world = create_world(1.2, 1.8e-5, no_gravity);
    fm_cloth *a = create_sheet(world, &def, &sheet), *b = create_sheet(world, &def, &sheet);
    expect_choice(a, FM_IMPLICIT, "");
    assert_true(fm_world_tie(world, fm_cloth_object(a), 0, fm_cloth_object(b), 0, &err));
    expect_choice(a, FM_KICK_DRIFT_KICK, "ties");
    advance(world, 1e-3);
    fm_world_destroy(world);
    world = create_world(1.2, 1.8e-5, no_gravity);
    def.contact.enabled = true;
    a = create_sheet(world, &def, &sheet);
    def.integrator = FM_KICK_DRIFT_KICK;
    b = create_sheet(world, &def, &beside);
    expect_choice(a, FM_IMPLICIT, "");
    advance(world, 1e-3);
    expect_choice(a, FM_KICK_DRIFT_KICK, "contact");
    expect_choice(b, FM_KICK_DRIFT_KICK, "");
    fm_world_destroy(world);
}

static void woven_triangles_are_refused_on_tubes(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_cloth_def def = fm_default_cloth_def();
    def.stretch.model = FM_STRETCH_TRIANGLES;
    fm_world *world = create_world(1.2, 0, no_gravity);
    fm_tube tube = define_tube(12, 6, 0.1, 0.1, 0.2);
    assert_null(fm_cloth_create_tube(world, &def, &tube, &err));
    assert_non_null(strstr(err.text, "stretch"));
    fm_world_destroy(world);
}

// The `memory` keys of drag and damping say how far back a fractional derivative looks.
static void invalid_settings_of_fractional_derivatives_are_refused(void **state)
{
    (void)state;
    fm_cloth_def def = fm_default_cloth_def();
    def.drag.history.memory.kind = FM_RECALL_STEPS;
    def.drag.history.memory.steps = 0;
    expect_refusal(&def, &small, "drag.history.memory.steps", "0");
    def.drag.history.memory.steps = 3;
    def.drag.history.memory.rule = FM_RULE_COIMBRA;
    def.drag.history.order = 0.4;
    def.drag.model = FM_DRAG_PUBLISHED; // the only model that uses the order
    def.drag.history.coefficient = 1;
    expect_refusal(&def, &small, "drag.history.memory.rule", "coimbra");
    def.drag.history.memory.rule = FM_RULE_TRAPEZOID;
    def.drag.history.order = 0.3;
    expect_refusal(&def, &small, "drag.history.memory", "a window of an order below 0.31");
    def.drag.history.order = 0.5;
    def.bend.damping.order = 0.3;
    def.bend.damping.memory.kind = FM_RECALL_SECONDS;
    expect_refusal(&def, &small, "bend.damping.memory", "a window of an order below 0.31");
    def.bend.damping.memory.kind = FM_RECALL_FULL;
    def.bend.damping.order = 1;
    def.damping.order = 0.2;
    def.damping.coefficient = 1501;
    expect_refusal(&def, &small, "damping.coefficient", "1501");
    def.damping.order = 1;
    def.damping.coefficient = 0.03;
    def.drag.model = FM_DRAG_PHYSICAL;
    def = fm_default_cloth_def();
    def.damping.memory.kind = FM_RECALL_SECONDS;
    def.damping.memory.seconds = 0;
    expect_refusal(&def, &small, "damping.memory.seconds", "0");
    def.damping.memory.seconds = NAN;
    expect_refusal(&def, &small, "damping.memory.seconds", "nan");
    def.damping.memory.kind = FM_RECALL_FADING;
    def.damping.memory.fading = -1;
    expect_refusal(&def, &small, "damping.memory.fading", "-1");
}

static void invalid_sheets_are_refused(void **state)
{
    (void)state;
    fm_cloth_def def = fm_default_cloth_def();
    fm_sheet sheet = small;
    sheet.columns = 1;
    expect_refusal(&def, &sheet, "columns", "1");
    sheet.columns = 5000;
    expect_refusal(&def, &sheet, "columns", "5000");
    sheet = small;
    sheet.rows = -3;
    expect_refusal(&def, &sheet, "rows", "-3");
    sheet = small;
    sheet.width = 0;
    expect_refusal(&def, &sheet, "width", "0");
    sheet.width = NAN;
    expect_refusal(&def, &sheet, "width", "nan");
    sheet = small;
    sheet.height = INFINITY;
    expect_refusal(&def, &sheet, "height", "inf");
    sheet = small;
    sheet.origin.y = NAN;
    expect_refusal(&def, &sheet, "origin", "nan");
    sheet = small;
    sheet.velocity.z = INFINITY;
    expect_refusal(&def, &sheet, "velocity", "inf");
    sheet = small;
    sheet.rotation.w = NAN;
    expect_refusal(&def, &sheet, "rotation", "nan");
}

static void a_sheet_has_the_requested_placement_velocity_and_mass(void **state)
{
    (void)state;
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth_def def = bare_cloth();
    def.name = "flag";
    fm_sheet sheet = small;
    sheet.origin = (fm_vec3){1, 2, 3};
    sheet.velocity = (fm_vec3){4, 5, 6};
    sheet.rotation = (fm_quat){0, 2 * sqrt(0.5), 0, 2 * sqrt(0.5)}; // is normalized; turns x to -z
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    int n, m;
    const fm_vec3 *x = fm_cloth_positions(cloth, &n), *v = fm_cloth_velocities(cloth, &m);
    assert_int_equal(n, 20);
    assert_int_equal(m, 20);
    assert_int_equal(fm_cloth_particle_count(cloth), 20);
    assert_string_equal(fm_cloth_name(cloth), "flag");
    assert_int_equal(fm_cloth_sheet(cloth).columns, 5);
    // x is still valid after v was read
    fm_vec3 end = {1, 2 - 0.3, 3 - 0.4}; // position of the last particle
    assert_at_most(largest_distance(&x[19], &end, 1), 1e-15);
    assert_at_most(largest_distance(&v[19], &sheet.velocity, 1), 0);
    double mass[20], total = 0;
    read_field(cloth, "mass", mass);
    for (int i = 0; i < 20; i++)
        total += mass[i];
    assert_close(total, def.density * def.thickness * 0.4 * 0.3, 1e-15);
    fm_world_destroy(world);
}

// Advances the world and checks which particles are pinned ('o' in `expected`): the field `pinned`
// says so, and they do not move, while the others fall. Destroys the world.
static void expect_pinned(fm_world *world, fm_cloth *cloth, const char *expected)
{
    double pinned[64];
    int n = (int)strlen(expected);
    fm_vec3 before[64];
    memcpy(before, fm_cloth_positions(cloth, NULL), (size_t)n * sizeof *before);
    advance(world, 0.02);
    read_field(cloth, "pinned", pinned);
    const fm_vec3 *x = fm_cloth_positions(cloth, NULL);
    for (int i = 0; i < n; i++) {
        assert_int_equal((int)pinned[i], expected[i] == 'o');
        assert_int_equal(largest_distance(&x[i], &before[i], 1) == 0, expected[i] == 'o');
    }
    fm_world_destroy(world);
}

// Creates a world without a medium, and in it a sheet of 5 x 4 particles.
static fm_cloth *create_small_sheet(fm_world **world)
{
    *world = create_world(0, 0, (fm_vec3){0, -9.81, 0});
    fm_cloth_def def = bare_cloth();
    return create_sheet(*world, &def, &small);
}

static void each_kind_of_pin_holds_exactly_its_particles(void **state)
{
    (void)state;
    fm_world *world;
    fm_error err = {0};
    fm_cloth *cloth = create_small_sheet(&world);
    assert_true(fm_cloth_pin_row(cloth, 2, NULL, &err));
    expect_pinned(world, cloth, "..........ooooo.....");
    cloth = create_small_sheet(&world);
    assert_true(fm_cloth_pin_column(cloth, 1, NULL, &err));
    expect_pinned(world, cloth, ".o....o....o....o...");
    static const char *const edges[] = {"ooooo...............", "...............ooooo",
                                        "o....o....o....o....", "....o....o....o....o"};
    for (int e = 0; e < 4; e++) {
        cloth = create_small_sheet(&world);
        assert_true(fm_cloth_pin_edge(cloth, (fm_edge)e, NULL, &err));
        expect_pinned(world, cloth, edges[e]);
    }
    static const char *const corners[] = {"o...................", "....o...............",
                                          "...............o....", "...................o"};
    for (int k = 0; k < 4; k++) {
        cloth = create_small_sheet(&world);
        assert_true(fm_cloth_pin_corner(cloth, (fm_corner)k, NULL, &err));
        expect_pinned(world, cloth, corners[k]);
    }
    const int list[] = {7, 3, 12, 3};
    cloth = create_small_sheet(&world);
    assert_true(fm_cloth_pin_list(cloth, list, 4, NULL, &err));
    expect_pinned(world, cloth, "...o...o....o.......");
}

static void pins_follow_their_motion_until_released(void **state)
{
    (void)state;
    fm_world *world;
    fm_error err = {0};
    fm_cloth *cloth = create_small_sheet(&world);
    fm_motion *swing = fm_motion_sine(world, (fm_vec3){0, 0, 2}, 0.1, 1, &err);
    assert_true(fm_cloth_pin_row(cloth, 0, swing, &err));
    assert_true(fm_cloth_pin_corner(cloth, FM_CORNER_BOTTOM_LEFT, NULL, &err));
    assert_true(fm_cloth_release_at(cloth, 0.1, &err)); // releases the corner only
    double pinned[20];
    advance(world, 0.05);
    read_field(cloth, "pinned", pinned);
    assert_int_equal((int)pinned[15], 1);
    const fm_vec3 *x = fm_cloth_positions(cloth, NULL), *v = fm_cloth_velocities(cloth, NULL);
    assert_close(x[2].z, 0.1 * sin(2 * 3.14159265358979 * 0.05), 1e-12);
    assert_close(v[2].z, 0.2 * 3.14159265358979 * cos(2 * 3.14159265358979 * 0.05), 1e-12);
    assert_close(x[15].y, -0.3, 0);
    advance(world, 0.05); // at the time of release itself the particle is free
    read_field(cloth, "pinned", pinned);
    assert_int_equal((int)pinned[15], 0);
    assert_int_equal((int)pinned[2], 1);
    advance(world, 0.2);
    fm_vec3 held = {0, -0.3, 0};
    assert_true(largest_distance(&fm_cloth_positions(cloth, NULL)[15], &held, 1) > 1e-3);
    fm_world_destroy(world);
}

static void invalid_pins_are_refused(void **state)
{
    (void)state;
    fm_world *world;
    fm_cloth *cloth = create_small_sheet(&world);
    fm_error err = {0};
    assert_false(fm_cloth_pin_row(cloth, 4, NULL, &err));
    expect_error(&err, "pin row", "4");
    err = (fm_error){0};
    assert_false(fm_cloth_pin_column(cloth, -1, NULL, &err));
    expect_error(&err, "pin column", "-1");
    err = (fm_error){0};
    assert_false(fm_cloth_pin_edge(cloth, (fm_edge)7, NULL, &err));
    expect_error(&err, "pin edge", "7");
    err = (fm_error){0};
    assert_false(fm_cloth_pin_corner(cloth, (fm_corner)4, NULL, &err));
    expect_error(&err, "pin corner", "4");
    err = (fm_error){0};
    assert_false(fm_cloth_pin_list(cloth, (int[]){0, 20}, 2, NULL, &err));
    expect_error(&err, "pin particle", "20");
    err = (fm_error){0};
    assert_false(fm_cloth_pin_list(cloth, NULL, 0, NULL, &err));
    expect_error(&err, "pin count", "0");
    err = (fm_error){0};
    assert_false(fm_cloth_release_at(cloth, 1, &err)); // there is no pin yet
    expect_error(&err, "release", "1");
    err = (fm_error){0};
    assert_true(fm_cloth_pin_row(cloth, 0, NULL, &err));
    assert_false(fm_cloth_release_at(cloth, NAN, &err));
    expect_error(&err, "release", "nan");
    err = (fm_error){0};
    advance(world, 0.01);
    assert_false(fm_cloth_pin_row(cloth, 0, NULL, &err)); // after the first advance
    assert_string_equal(err.field, "pins");
    fm_world_destroy(world);
}

// After a failure, further calls with the same error do nothing, even with a NULL cloth.
static void calls_after_the_first_error_do_nothing(void **state)
{
    (void)state;
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_error err = {0};
    fm_cloth_def def = fm_default_cloth_def();
    def.density = -1;
    double values[60];
    fm_cloth *cloth = fm_cloth_create_sheet(world, &def, &small, &err);
    fm_error first = err;
    assert_null(cloth);
    assert_false(fm_cloth_pin_row(cloth, 0, NULL, &err));
    assert_false(fm_cloth_pin_column(cloth, 0, NULL, &err));
    assert_false(fm_cloth_pin_edge(cloth, FM_EDGE_BOTTOM, NULL, &err));
    assert_false(fm_cloth_pin_corner(cloth, FM_CORNER_BOTTOM_RIGHT, NULL, &err));
    assert_false(fm_cloth_pin_list(cloth, (int[]){0}, 1, NULL, &err));
    assert_false(fm_cloth_release_at(cloth, 1, &err));
    assert_false(fm_cloth_set_positions(cloth, NULL, &err));
    assert_false(fm_cloth_set_velocities(cloth, NULL, &err));
    assert_false(fm_cloth_read_field(cloth, "drag", values, &err));
    assert_int_equal(fm_world_advance(world, 1, &err).substep_count, 0);
    assert_memory_equal(&err, &first, sizeof err);
    fm_world_destroy(world);
}

static void written_positions_and_velocities_are_read_back(void **state)
{
    (void)state;
    fm_world *world;
    fm_error err = {0};
    fm_cloth *cloth = create_small_sheet(&world);
    assert_true(fm_cloth_pin_row(cloth, 0, NULL, &err));
    fm_vec3 x[20], v[20];
    for (int i = 0; i < 20; i++) {
        x[i] = (fm_vec3){0.1 * (i % 5), -0.1 * (i / 5), 1};
        v[i] = (fm_vec3){i, -i, 2 * i};
    }
    assert_true(fm_cloth_set_positions(cloth, x, &err));
    assert_true(fm_cloth_set_velocities(cloth, v, &err));
    assert_memory_equal(fm_cloth_positions(cloth, NULL), x, sizeof x);
    assert_memory_equal(fm_cloth_velocities(cloth, NULL), v, sizeof v);
    fm_vec3 bad[20];
    memcpy(bad, x, sizeof x);
    bad[13].y = NAN;
    assert_false(fm_cloth_set_positions(cloth, bad, &err));
    expect_error(&err, "positions", "nan");
    assert_memory_equal(fm_cloth_positions(cloth, NULL), x, sizeof x);
    err = (fm_error){0};
    advance(world, 0.001); // pinned particles stay at the positions that were set
    assert_at_most(largest_distance(fm_cloth_positions(cloth, NULL), x, 5), 0);
    assert_false(fm_cloth_set_velocities(cloth, v, &err)); // after the first advance
    assert_string_equal(err.field, "velocities");
    fm_world_destroy(world);
}

static void every_field_can_be_read_and_has_finite_values(void **state)
{
    (void)state;
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
    fm_cloth_def def = fm_default_cloth_def();
    fm_cloth *cloth = create_sheet(world, &def, &small);
    int count;
    const fm_field *fields = fm_cloth_fields(&count);
    assert_true(count >= 10);
    for (int when = 0; when < 2; when++) { // before and after the first advance
        uint64_t hash = fm_world_hash(world);
        for (int i = 0; i < count; i++) {
            double values[61]; // one more than needed; values that are not written stay NaN
            assert_true(fields[i].components == 1 || fields[i].components == 3);
            assert_true(strlen(fields[i].about) > 0 && fields[i].unit);
            int n = 20 * fields[i].components;
            for (int k = 0; k < 61; k++)
                values[k] = NAN;
            read_field(cloth, fields[i].name, values);
            for (int k = 0; k < 61; k++)
                assert_int_equal(isnan(values[k]) != 0, k >= n);
        }
        assert_int_equal(fm_world_hash(world), hash); // reading does not change the state
        advance(world, 0.1);
    }
    fm_error err = {0};
    double value;
    assert_false(fm_cloth_read_field(cloth, "colour", &value, &err));
    expect_error(&err, "field", "colour");
    fm_world_destroy(world);
}

// Reads fields and reports between advances in one of two runs. The 25 particles are no multiple of
// the SIMD width.
static void reading_fields_does_not_change_the_run(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int reads = 0; reads < 2; reads++) {
        fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
        fm_cloth_def def = fm_default_cloth_def();
        fm_sheet sheet = small;
        sheet.rows = 5;
        fm_cloth *cloth = create_sheet(world, &def, &sheet);
        set_random_velocities(cloth, 0.5);
        for (int i = 0; i < 5; i++) {
            double values[75];
            advance(world, 0.01);
            if (reads) {
                read_field(cloth, "drag", values);
                read_field(cloth, "memory", values);
                fm_world_report(world);
            }
        }
        hash[reads] = fm_world_hash(world);
        fm_world_destroy(world);
    }
    assert_int_equal(hash[0], hash[1]);
}

static void every_material_hangs_with_little_stretch(void **state)
{
    (void)state;
    for (int m = 0; m < FM_MATERIAL_COUNT; m++) {
        fm_cloth_def def = fm_default_cloth_def();
        fm_cloth_set_material(&def, (fm_material)m);
        assert_true(strlen(fm_material_name((fm_material)m)) > 3);
        fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
        fm_cloth *cloth = create_sheet(world, &def, &small);
        fm_error err = {0};
        assert_true(fm_cloth_pin_row(cloth, 0, NULL, &err));
        assert_at_most(advance(world, 1).max_stretch, 0.1);
        fm_world_destroy(world);
    }
    assert_string_equal(fm_material_name(FM_MATERIAL_COUNT), "unknown");
}

static void sheets_of_extreme_sizes_stay_stable(void **state)
{
    (void)state;
    static const int sizes[][2] = {{2, 2}, {2, 100}, {100, 2}, {3, 2}, {2, 3}, {3, 3}, {4, 4}};
    for (int i = 0; i < 7 * 2; i++) {
        fm_error err = {0};
        fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -9.81, 0});
        fm_cloth_def def = fm_default_cloth_def();
        def.repulsion.enabled = true;
        def.bend.model = i / 7 ? FM_BEND_SPRINGS : FM_BEND_RIGIDITY;
        def.damping.order = i / 7 ? 0.5 : 1;
        int columns = sizes[i % 7][0], rows = sizes[i % 7][1];
        fm_cloth *cloth = create_sheet(world, &def,
                                       &(fm_sheet){.columns = columns,
                                                   .rows = rows,
                                                   .width = 0.02 * (columns - 1),
                                                   .height = 0.02 * (rows - 1)});
        fm_motion *swing = fm_motion_sine(world, (fm_vec3){0, 0, 1}, 0.05, 0.5, &err);
        assert_true(fm_cloth_pin_corner(cloth, FM_CORNER_TOP_LEFT, swing, &err));
        fm_report report = advance(world, 0.3);
        assert_at_most(report.max_stretch, 0.5);
        assert_true(report.kinetic_energy > 0);
        fm_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_a_cloth_definition_out_of_range_are_refused),
        cmocka_unit_test(invalid_or_contradictory_models_are_refused),
        cmocka_unit_test(the_implicit_integrators_refuse_forces_that_they_do_not_support),
        cmocka_unit_test(the_cheaper_integrator_is_chosen_automatically),
        cmocka_unit_test(an_automatic_choice_gives_way_to_what_needs_kick_drift_kick),
        cmocka_unit_test(woven_triangles_are_refused_on_tubes),
        cmocka_unit_test(invalid_settings_of_fractional_derivatives_are_refused),
        cmocka_unit_test(invalid_sheets_are_refused),
        cmocka_unit_test(a_sheet_has_the_requested_placement_velocity_and_mass),
        cmocka_unit_test(each_kind_of_pin_holds_exactly_its_particles),
        cmocka_unit_test(pins_follow_their_motion_until_released),
        cmocka_unit_test(invalid_pins_are_refused),
        cmocka_unit_test(calls_after_the_first_error_do_nothing),
        cmocka_unit_test(written_positions_and_velocities_are_read_back),
        cmocka_unit_test(every_field_can_be_read_and_has_finite_values),
        cmocka_unit_test(reading_fields_does_not_change_the_run),
        cmocka_unit_test(every_material_hangs_with_little_stretch),
        cmocka_unit_test(sheets_of_extreme_sizes_stay_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
