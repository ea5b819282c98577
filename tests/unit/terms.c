// SPDX-License-Identifier: MIT
// terms.c: force terms of cloth (extensions that add a force) that are defined in this test act on
// sheets, tubes and meshes, bound the substep, and are saved and restored.
#include "bodies.h"

#include "cloth/cloth.h"

#include <string.h>

// A force field that pulls every particle to its initial position x0, plus a uniform acceleration
// a:
//     F = m (a - k (x - x0)),   E = m (k |x - x0|^2 / 2 - a . x),   omega^2 = k
// Its state is a sum over all force evaluations, so that a snapshot has something to save.
static const fm_vec3 A = {0.3, -0.2, 0.5}; // m/s^2, the uniform acceleration a
// 1/s^2, k of the two tested fields; the stiff one bounds the substep
static const double SOFT = 40, STIFF = 1e8;
static const double MAX_PHASE = 1.5; // the library bounds omega h by this, below the limit 2

// Data of the force field.
typedef struct field {
    double k; // 1/s^2, acceleration per distance from the initial position
} field;

// Creates the force field with this k.
static bool setup_field(fm_cloth *c, fm_term *term, fm_error *err, double k)
{
    field *data = fm_arena_alloc(&c->arena, 1, sizeof *data, "field", err);
    term->state = fm_arena_alloc(&c->arena, 1, sizeof *term->state, "field", err);
    term->state_count = 1;
    term->data = data;
    if (data)
        data->k = k;
    return data && term->state;
}

static bool setup_soft(fm_cloth *c, fm_term *term, fm_error *err)
{
    return setup_field(c, term, err, SOFT);
}

static bool setup_stiff(fm_cloth *c, fm_term *term, fm_error *err)
{
    return setup_field(c, term, err, STIFF);
}

// Adds the force field F = m (a - k (x - x0)) to the forces on all particles.
static void add_field(fm_cloth *c, fm_term *term, const fm_evaluation *at)
{
    const field *data = term->data;
    for (int i = 0; i < c->count; i++) {
        fm_vec3 d = fm_sub(fm_vec3_array_at(*at->x, i), c->initial_x[i]);
        fm_vec3 f = fm_scale(fm_add_scaled(A, d, -data->k), c->mass[i]);
        c->force.x[i] += f.x, c->force.y[i] += f.y, c->force.z[i] += f.z;
        term->state[0] += fm_dot(f, d);
    }
}

// Bound of the force field on the squared angular frequency of the cloth: omega^2 = k.
static fm_term_bound bound_field(const fm_cloth *c, const fm_term *term)
{
    (void)c;
    return (fm_term_bound){.fixed = ((const field *)term->data)->k};
}

// Potential energy of the force field, J.
static fm_energies field_energy(const fm_cloth *c, const fm_term *term,
                                const fm_surroundings *around)
{
    (void)around;
    double k = ((const field *)term->data)->k, sum = 0;
    for (int i = 0; i < c->count; i++) {
        fm_vec3 x = fm_vec3_array_at(c->x, i), d = fm_sub(x, c->initial_x[i]);
        sum += c->mass[i] * (0.5 * k * fm_dot(d, d) - fm_dot(A, x));
    }
    return (fm_energies){.potential = sum};
}

static const fm_term_type soft_field = {.name = "soft field",
                                        .setup = setup_soft,
                                        .add_forces = add_field,
                                        .bound = bound_field,
                                        .energy = field_energy};
static const fm_term_type stiff_field = {.name = "stiff field",
                                         .setup = setup_stiff,
                                         .add_forces = add_field,
                                         .bound = bound_field,
                                         .energy = field_energy};

// A damping force with a fractional derivative, F = -c m D^(1/2) x, applied as an impulse in the
// second half kick of a substep: J = -(h/2) c m (w0 v + known). D^(1/2) x = w0 v + known, where v
// is the velocity after the impulse and `known` follows from the past.
static const double BRAKE = 7; // 1/s^(3/2), c

// Tells the cloth that the brake needs a fractional derivative of order 1/2, and how far back it
// looks.
static bool define_brake_memory(const fm_cloth *c, const fm_medium *medium, fm_recall *memory,
                                double *order)
{
    (void)medium;
    *memory = c->def.damping.memory;
    *order = 0.5;
    return true;
}

// The rates whose past the fractional derivative integrates: the velocities.
static const fm_vec3_array *brake_rates(fm_cloth *c, fm_term *term, int first, int last)
{
    (void)term, (void)first, (void)last;
    return &c->v;
}

// Impulses of the brake, N s, which solve for the velocity after the impulse.
static void find_brake_impulses(fm_cloth *c, fm_term *term, const fm_substep *s)
{
    double w0 = fm_memory_newest_weight(term->memory, s->h), k = s->h / 2 * BRAKE;
    for (int i = 0; i < c->count; i++) {
        double factor = -k * c->mass[i] / (1 + k * w0);
        fm_vec3 v = fm_vec3_array_at(c->v, i), known = fm_vec3_array_at(term->known, i);
        c->pair.x[i] = factor * (w0 * v.x + known.x);
        c->pair.y[i] = factor * (w0 * v.y + known.y);
        c->pair.z[i] = factor * (w0 * v.z + known.z);
    }
}

static const fm_term_type brake = {.name = "brake",
                                   .find_impulses = find_brake_impulses,
                                   .define_memory = define_brake_memory,
                                   .find_rates = brake_rates};

enum { SHEET, TUBE, MESH, TOPOLOGIES }; // forms of cloth

// Creates a sheet, tube or mesh.
static fm_cloth *create_cloth(fm_world *world, const fm_cloth_def *def, int topology)
{
    if (topology == SHEET)
        return create_sheet(world, def,
                            &(fm_sheet){.columns = 7, .rows = 9, .width = 0.3, .height = 0.4});
    if (topology == TUBE)
        return create_tube(world, def, define_tube(8, 5, 0.1, 0.15, 0.3));
    fixture_mesh m = fixture_create_grid(6, 7, 0.05, 0.04, CUT_SHIFTED);
    fm_cloth *cloth = create_mesh(world, def, &m);
    fixture_destroy_mesh(&m);
    return cloth;
}

// Creates a sheet, tube or mesh with one more force term.
static fm_cloth *create_with_term(fm_world *world, const fm_cloth_def *def, int topology,
                                  const fm_term_type *type)
{
    fm_error err = {0};
    fm_cloth *cloth = create_cloth(world, def, topology);
    assert_true(fm_cloth_add_term(cloth, type, &err));
    return cloth;
}

// All particles move as x0 + a/k (1 - cos(sqrt(k) t)), without deforming the cloth.
static void a_force_field_moves_every_kind_of_cloth_exactly_and_conserves_energy(void **state)
{
    (void)state;
    for (int topology = 0; topology < TOPOLOGIES; topology++) {
        fm_world *world = create_world(0, 0, no_gravity);
        fm_cloth_def def = bare_cloth();
        def.bend.stiffness = 1e-5;
        def.bend.rest_angle = FM_REST_SHAPE; // so that a tube has no bending force initially
        fm_cloth *c = create_with_term(world, &def, topology, &soft_field);
        fm_report before = advance(world, 0.01), after = {0};
        for (int i = 0; i < 25; i++)
            after = advance(world, 0.01);
        const double t = 0.26;                                          // s, after 26 advances
        double amplitude = (1 - cos(sqrt(SOFT) * t)) / SOFT, total = 0; // s^2, kg
        for (int i = 0; i < c->count; i++) {
            fm_vec3 d = fm_sub(fm_vec3_array_at(c->x, i), c->initial_x[i]);
            assert_close(d.x, amplitude * A.x, 1e-5);
            assert_close(d.y, amplitude * A.y, 1e-5);
            assert_close(d.z, amplitude * A.z, 1e-5);
            total += c->mass[i];
        }
        double largest = 0.5 * total * fm_dot(A, A) / SOFT; // J, the largest kinetic energy
        double sine = sin(sqrt(SOFT) * t);
        assert_close(after.kinetic_energy, largest * sine * sine, 1e-3 * largest);
        assert_close(after.kinetic_energy + after.potential_energy,
                     before.kinetic_energy + before.potential_energy, 1e-3 * largest);
        fm_world_destroy(world);
    }
}

// The substep is chosen from a bound on the largest squared angular frequency omega^2. The bounds
// of the cloth alone and of an added force field sum up.
static void bounds_of_terms_add_up_in_the_choice_of_the_substep(void **state)
{
    (void)state;
    for (int topology = 0; topology < TOPOLOGIES; topology++) {
        fm_world *world = create_world(0, 0, no_gravity);
        fm_cloth_def def = bare_cloth();
        fm_error err = {0};
        fm_cloth *c = create_cloth(world, &def, topology);
        double alone = fm_cloth_stable_step(c);
        assert_at_most(alone, 1.0 / 121); // below the limit of 1/120 s for soft cloth
        assert_true(fm_cloth_add_term(c, &stiff_field, &err));
        double both = fm_cloth_stable_step(c);
        assert_close(both, 1 / sqrt(1 / (alone * alone) + STIFF / (MAX_PHASE * MAX_PHASE)),
                     1e-12 * alone);
        set_random_velocities(c, 1e-3);
        fm_report report = advance(world, 0.02);
        assert_at_most(report.substep, both);
        double largest = 0;
        for (int i = 0; i < c->count; i++)
            largest = fmax(largest, fm_length(fm_vec3_array_at(c->v, i)));
        assert_at_most(largest, 1); // m/s: the run is stable
        fm_world_destroy(world);
    }
}

// With enforcement (strain limiting: constraint projection of edge lengths) the substep is given.
// The springs are softened so that the cloth with the added force field is stable.
static void enforcement_softens_springs_for_a_stiff_term(void **state)
{
    (void)state;
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth_def def = bare_cloth();
    def.enforcement.method = FM_ENFORCE_ITERATIVE;
    def.time_step = 1e-4;
    def.stretch.stiffness = 1e6;
    fm_error err = {0};
    fm_cloth *c = create_cloth(world, &def, SHEET);
    double share = c->stiffness_share; // by which enforcement softens the springs
    assert_at_most(share, 0.99);
    assert_true(fm_cloth_add_term(c, &stiff_field, &err));
    double max_omega2 = MAX_PHASE * MAX_PHASE / (1e-4 * 1e-4); // 1/s^2, that the substep allows
    assert_close(c->stiffness_share, share * (max_omega2 - STIFF) / max_omega2, 1e-12);
    assert_close(fm_cloth_stable_step(c), 1e-4, 1e-16);
    fm_world_destroy(world);
}

// A world with a cloth on which the force field, fractional damping and, if asked for, the brake
// act.
static fm_world *create_world_with_memory(int topology, bool with_brake, fm_cloth **cloth)
{
    fm_error err = {0};
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth_def def = bare_cloth();
    def.damping.coefficient = 0.01; // the damping of springs gives impulses, too
    def.damping.order = 0.5;
    *cloth = create_with_term(world, &def, topology, &soft_field);
    if (with_brake)
        assert_true(fm_cloth_add_term(*cloth, &brake, &err));
    set_random_velocities(*cloth, 0.1);
    return world;
}

static void a_restored_term_continues_bit_for_bit(void **state)
{
    (void)state;
    for (int topology = 0; topology < TOPOLOGIES; topology++) {
        fm_error err = {0};
        fm_cloth *one, *other;
        fm_world *world = create_world_with_memory(topology, true, &one);
        advance(world, 0.02);
        size_t size = fm_world_save(world, NULL, 0);
        void *buffer = malloc(size);
        assert_int_equal(fm_world_save(world, buffer, size), size);
        double saved = fm_cloth_find_term(one, &soft_field)->state[0];
        assert_true(saved != 0);
        advance(world, 0.02);

        fm_world *again = create_world_with_memory(topology, true, &other);
        assert_true(fm_world_restore(again, buffer, size, &err));
        assert_true(fm_cloth_find_term(other, &soft_field)->state[0] == saved);
        advance(again, 0.02);
        assert_true(fm_world_hash(again) == fm_world_hash(world));
        assert_memory_equal(other->x.x, one->x.x, 3 * (size_t)one->lanes * sizeof(double));
        fm_world_destroy(again);

        again = create_world_with_memory(topology, false, &other);
        assert_false(fm_world_restore(again, buffer, size, &err));
        assert_non_null(strstr(err.field, "forces"));
        fm_world_destroy(again);
        free(buffer);
        fm_world_destroy(world);
    }
}

// Velocity (m/s) at time t (s) of the solution of x'' = -c D^(1/2) x, x(0) = 0, x'(0) = 1: the
// Mittag-Leffler function E(-c t^(3/2)) of order 3/2. All particles move alike, so springs and
// damping have no effect.
static double braked_speed(double t)
{
    double sum = 0;
    for (int n = 0; n < 20; n++)
        sum += pow(-BRAKE * pow(t, 1.5), n) / tgamma(1.5 * n + 1);
    return sum;
}

static void impulses_with_a_fractional_derivative_follow_the_exact_solution(void **state)
{
    (void)state;
    for (int topology = 0; topology < TOPOLOGIES; topology++) {
        fm_error err = {0};
        fm_world *world = create_world(0, 0, no_gravity);
        fm_cloth_def def = bare_cloth();
        def.damping.coefficient = 0.01; // damping gives impulses, too
        def.damping.order = 1;
        fm_cloth *c = create_with_term(world, &def, topology, &brake);
        fm_vec3 *v = malloc((size_t)c->count * sizeof *v);
        for (int i = 0; i < c->count; i++)
            v[i] = (fm_vec3){1, 0, 0};
        assert_true(fm_cloth_set_velocities(c, v, &err));
        free(v);
        advance(world, 0.3);
        assert_close(c->v.x[0], braked_speed(0.3), 2e-3);
        assert_close(c->v.x[c->count - 1], braked_speed(0.3), 2e-3);
        fm_world_destroy(world);
    }
}

static void adding_a_force_term_after_the_first_advance_is_refused(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth_def def = bare_cloth();
    fm_cloth *c = create_cloth(world, &def, SHEET);
    advance(world, 0.01);
    assert_false(fm_cloth_add_term(c, &soft_field, &err));
    assert_string_equal(err.field, "soft field");
    fm_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_force_field_moves_every_kind_of_cloth_exactly_and_conserves_energy),
        cmocka_unit_test(bounds_of_terms_add_up_in_the_choice_of_the_substep),
        cmocka_unit_test(enforcement_softens_springs_for_a_stiff_term),
        cmocka_unit_test(a_restored_term_continues_bit_for_bit),
        cmocka_unit_test(impulses_with_a_fractional_derivative_follow_the_exact_solution),
        cmocka_unit_test(adding_a_force_term_after_the_first_advance_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
