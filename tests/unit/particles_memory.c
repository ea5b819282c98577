// SPDX-License-Identifier: MIT
// particles_memory.c: fractional viscosity: each particle keeps its own velocity history through
// sorting, sources, sinks and changing steps; colliders have histories; a threshold that no pair
// reaches gives Newtonian viscosity; momentum; steady viscosity; refused definitions and snapshots.
#include "fluids.h"
#include "particles/fractional_viscosity.h"
#include "world/world.h"

#include <string.h>

enum { STEPS = 70, IDS = 2000 }; // largest numbers of recorded steps and particles

// The velocities of all particles at the steps of a run, by step and particle id. Steps before a
// particle was emitted hold its first velocity.
typedef struct record {
    double time[STEPS];           // s
    fm_vec3 velocity[STEPS][IDS]; // m/s
    bool emitted[IDS];            // the particle exists or has existed
    int count;                    // recorded steps
} record;

static double component(fm_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// 1/Gamma(1-q) times the integral of s^-q e^(-s/f) u(s) over ages s from a to b seconds. u is the
// velocity (m/s), linear from `new` at a to `old` at b; f: fading time, s. Simpson's rule in
// s^(1-q), which removes the singularity at s = 0.
static double integrate(double q, double f, double a, double b, double new, double old)
{
    enum { PIECES = 40 };
    double low = pow(a, 1 - q), high = pow(b, 1 - q), sum = 0;
    for (int k = 0; k <= PIECES; k++) {
        double s = low + (high - low) * k / PIECES, age = pow(s, 1 / (1 - q));
        double u = new + (old - new) * (age - a) / (b - a);
        sum += (k == 0 || k == PIECES ? 1 : k % 2 ? 4 : 2) * u * exp(-age / f);
    }
    return sum * (high - low) / (3 * PIECES) / tgamma(2 - q);
}

// Expected viscous velocity T^(q-1) D^q x (m/s), which fractional viscosity uses in place of the
// velocity, of one particle and axis: from its recorded velocities by numerical quadrature.
static double compute_expected(const record *r, const fm_fractional *def, int id, int axis)
{
    int n = r->count - 1, oldest = 0;
    if (def->memory.kind == FM_RECALL_STEPS && n > def->memory.steps)
        oldest = n - def->memory.steps;
    double f = def->memory.kind == FM_RECALL_FADING ? def->memory.fading : INFINITY, sum = 0;
    for (int k = n; k > oldest; k--)
        sum +=
            integrate(def->order, f, r->time[n] - r->time[k], r->time[n] - r->time[k - 1],
                      component(r->velocity[k][id], axis), component(r->velocity[k - 1][id], axis));
    return sum * pow(def->time, def->order - 1);
}

// Records the velocities at which the last substep evaluated forces. After a substep the density
// records still hold them, in the order of the particles.
static void record_velocities(record *r, const fm_particles *p, double t)
{
    int n = r->count++;
    r->time[n] = t;
    for (int i = 0; i < p->count; i++) {
        const fm_density_record *row = &p->fluid.density[i];
        fm_vec3 v = {row->vx, row->vy, row->vz};
        int id = p->now.id[i];
        assert_true(id < IDS);
        for (int k = 0; k < n && !r->emitted[id]; k++)
            r->velocity[k][id] = v;
        r->emitted[id] = true;
        r->velocity[n][id] = v;
    }
}

// A fluid with a source and a sink, so that particles appear and disappear.
static fm_particles *create_flow(fm_world *world, const fm_fractional *fractional)
{
    fm_error err = {0};
    fm_particles_def def = fm_default_particles_def();
    def.spacing = 0.05;
    def.speed = 3;
    def.viscosity = 20;
    def.capacity = 1700;
    def.fractional = *fractional;
    fm_particles *fluid = create_fluid(world, &def);
    add_box(fluid, &(fm_fluid_box){.high = {0.5, 0.4, 1}, .jitter = 0.3, .velocity = {3, 0, 0}});
    fm_fluid_source source = {.centre = {0.2, 0.7, 0.5},
                              .direction = {1, 0.2, 0},
                              .radius = 0.16,
                              .speed = 3,
                              .end = INFINITY};
    assert_true(fm_particles_add_source(fluid, &source, &err));
    fm_fluid_sink sink = {.low = {0.55, 0, 0}, .high = {1, 1, 1}};
    assert_true(fm_particles_add_sink(fluid, &sink, &err));
    return fluid;
}

// Asserts that the viscous velocity of each particle is that of its own past velocities. Compares
// every fifth particle in every ninth step. tolerance: m/s.
static void expect_own_history(fm_fractional def, double tolerance)
{
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_particles *p = create_flow(world, &def);
    record *r = calloc(1, sizeof *r);
    double t = 0, largest = 0;
    for (int k = 0; k < STEPS; k++) {
        double h = k % 7 < 4 ? 6e-4 : 4e-4; // s, below the stability bound: one substep each
        assert_int_equal(advance(world, h).substep_count, 1);
        record_velocities(r, p, t);
        t += h;
        for (int i = 0; i < p->count && k % 9 == 3; i += 5) {
            for (int axis = 0; axis < 3; axis++) {
                double expected = compute_expected(r, &def, p->now.id[i], axis);
                assert_close(fm_fractional_find_state(p)->velocities[i].u[axis], expected,
                             tolerance);
                largest = fmax(largest, fabs(expected));
            }
        }
    }
    fm_particles_stats stats = fm_particles_read_stats(p);
    // emitted particles reuse the lanes of the memory (differentiated signals) of removed ones
    assert_true(stats.removed_count > 100 && p->next_id > 700);
    assert_true(fm_fractional_find_state(p)->used_lanes < p->next_id);
    assert_true(largest > 100 * tolerance);
    free(r);
    fm_world_destroy(world);
}

// Fractional viscosity of this order. kind: how far back the fractional derivative looks.
static fm_fractional fractional_def(fm_recall_kind kind, double order)
{
    fm_fractional def = fm_default_particles_def().fractional;
    def.order = order;
    def.time = 0.5;
    def.memory.kind = kind;
    def.memory.steps = 10;
    def.memory.fading = 0.01;
    def.memory.tolerance = 1e-6;
    return def;
}

static void each_particle_keeps_its_own_velocity_history(void **state)
{
    (void)state;
    expect_own_history(fractional_def(FM_RECALL_STEPS, 0.5), 2e-5);
    expect_own_history(fractional_def(FM_RECALL_FADING, 0.5), 2e-5);
    expect_own_history(fractional_def(FM_RECALL_FULL, 0.5), 2e-5);
    expect_own_history(fractional_def(FM_RECALL_FULL, 0.8), 2e-5);
}

// Expected viscous velocity of boundary particle i with no slip, whose own T^(q-1) D^q x is `own`:
// twice that minus the kernel-weighted mean over its fluid neighbours, as for ordinary velocities.
// Without fluid neighbours it is `own`.
static double mirror_viscous_velocity(const fm_particles *p, int i, int axis, double own)
{
    int list[FM_NEIGHBOURS_CAPACITY], padding;
    fm_neighbour_search search;
    fm_neighbour_search_begin(&search);
    int count = fm_neighbours_find_next_of_boundary(p, &search, i, i + 1, list, &padding);
    double sum = 0, mean = 0;
    for (int k = 0; k < count - padding; k++) {
        int j = list[k];
        double x = p->boundary.x[i] - p->fluid.x[j], y = p->boundary.y[i] - p->fluid.y[j];
        double q = sqrt(x * x + y * y + pow(p->boundary.z[i] - p->fluid.z[j], 2)) / p->R;
        double w = p->fluid.force[j].V * pow(1 - q, 4) * (1 + 4 * q);
        sum += w;
        mean += w * fm_fractional_find_state(p)->velocities[j].u[axis];
    }
    return sum > 1e-6 * p->volume ? 2 * own - mean / sum : own;
}

// A ball rotates about an axis beside it. Fractional viscosity uses the past velocities of each of
// its boundary particles.
static void boundary_particles_of_a_moving_collider_keep_their_velocity_history(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    const double speed = 50, h = 1e-3; // rad/s, s
    fm_collider_def ball = fixture_ball_def((fm_vec3){0.7, 0.7, 0.5}, 0.1);
    fm_turn turn = {.pivot = {0.6, 0.6, 0.5}, .axis = {0, 0, 1}, .rate = speed};
    ball.motion = fm_motion_turn(world, &turn, &err);
    assert_non_null(fm_collider_create(world, &ball, &err));
    fm_fractional fractional = fractional_def(FM_RECALL_FULL, 0.5);
    fm_particles_def def = fm_default_particles_def();
    def.spacing = 0.05;
    def.method = FM_SPH_STANDARD;
    def.time_step = h;
    def.fractional = fractional;
    fm_particles *p = create_fluid(world, &def);
    add_box(p, &(fm_fluid_box){.high = {1, 0.6, 1}});
    record *r = calloc(1, sizeof *r);
    for (int k = 0; k < 40; k++)
        advance(world, h);
    int compared = 0;
    for (int i = 0; i < p->boundary.count; i++) {
        if (p->identity[i].owner.kind != FM_OWNER_COLLIDER)
            continue;
        fm_vec3 x = p->points[p->identity[i].point].x, arm = {x.x - 0.6, x.y - 0.6, 0};
        r->count = 40;
        for (int k = 0; k < 40; k++) {
            double angle = speed * h * k, c = cos(angle), s = sin(angle);
            r->time[k] = h * k;
            r->velocity[k][0] =
                (fm_vec3){-speed * (s * arm.x + c * arm.y), speed * (c * arm.x - s * arm.y), 0};
        }
        for (int axis = 0; axis < 3; axis++) {
            double own = compute_expected(r, &fractional, 0, axis);
            assert_close(fm_fractional_find_state(p)->boundary_velocities[i].u[axis],
                         mirror_viscous_velocity(p, i, axis, own), 1e-5);
        }
        compared++;
    }
    assert_true(compared > 20);
    free(r);
    fm_world_destroy(world);
}

// A world with a periodic fluid, run for 0.1 s. A body-force region accelerates a part of the fluid
// for the first 0.05 s.
static fm_world *run_stirred_fluid(const fm_fractional *fractional, fm_sph_method method)
{
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_particles_def def = fm_default_particles_def();
    def.dimensions = 2;
    def.spacing = 0.05;
    def.viscosity = 5;
    def.method = method;
    def.integrator = FM_SPH_LEAPFROG;
    def.time_step = 1e-3;
    def.fractional = *fractional;
    set_periodic(&def, 0);
    set_periodic(&def, 1);
    fm_particles *p = create_fluid(world, &def);
    fill_domain(p, 0.2);
    fm_fluid_push push = {
        .centre = {0.3, 0.5, 0}, .radius = 0.2, .acceleration = {20, 5, 0}, .end = 0.05};
    assert_true(fm_particles_add_push(p, &push, &err));
    advance(world, 0.1);
    return world;
}

// Largest distance between corresponding fluid particles of two worlds, m.
static double largest_difference(fm_world *a, fm_world *b)
{
    int n;
    const fm_vec3 *x = fm_particles_positions(fm_world_particle_fluid(a, 0), &n);
    return largest_distance(x, fm_particles_positions(fm_world_particle_fluid(b, 0), NULL), n);
}

// Fractional viscosity acts on pairs of particles whose relative velocity / distance exceeds the
// threshold `above`. One that no pair reaches gives the Newtonian fluid; one that every pair
// exceeds gives fractional viscosity everywhere.
static void fractional_viscosity_acts_only_on_pairs_above_the_threshold(void **state)
{
    (void)state;
    for (int method = 0; method <= FM_SPH_STANDARD; method++) {
        fm_fractional plain = fm_default_particles_def().fractional;
        // no threshold; one that no pair reaches; one that nearly every pair exceeds; 1/s
        fm_fractional none = fractional_def(FM_RECALL_FULL, 0.5), high = none, low = none;
        high.above = 1e9;
        low.above = 1e-9;
        none.time = high.time = low.time = 0.01;
        fm_world *newtonian = run_stirred_fluid(&plain, (fm_sph_method)method);
        fm_world *fractional = run_stirred_fluid(&none, (fm_sph_method)method);
        fm_world *with_high = run_stirred_fluid(&high, (fm_sph_method)method);
        fm_world *with_low = run_stirred_fluid(&low, (fm_sph_method)method);
        assert_true(largest_difference(newtonian, with_high) == 0);
        assert_true(largest_difference(fractional, newtonian) > 1e-4);
        // they differ by rounding only
        assert_true(largest_difference(fractional, with_low) < 1e-5);
        fm_world_destroy(newtonian);
        fm_world_destroy(fractional);
        fm_world_destroy(with_high);
        fm_world_destroy(with_low);
    }
}

// In a periodic box the momentum stays the same after the body force has ended.
static void fractional_viscosity_conserves_momentum(void **state)
{
    (void)state;
    fm_fractional def = fractional_def(FM_RECALL_STEPS, 0.5);
    def.above = 3;
    def.time = 0.01;
    for (int method = 0; method <= FM_SPH_STANDARD; method++) {
        fm_world *world = run_stirred_fluid(&def, (fm_sph_method)method);
        fm_particles *p = fm_world_particle_fluid(world, 0);
        double before = 0, after = 0;
        for (int i = 0; i < p->count; i++)
            before += (double)p->now.vx[i];
        advance(world, 0.2);
        for (int i = 0; i < p->count; i++)
            after += (double)p->now.vx[i];
        assert_true(before > 5);
        assert_close(after / before, 1, 1e-5);
        fm_world_destroy(world);
    }
}

// Viscosity (Pa s) that steady shear would feel after `duration` (s), with substeps of `step` (s);
// the nominal viscosity is 3 Pa s.
static double find_steady_viscosity(const fm_fractional *def, double step, double duration)
{
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_particles_def fluid = fm_default_particles_def();
    fluid.spacing = 0.2;
    fluid.viscosity = 3;
    fluid.method = FM_SPH_STANDARD;
    fluid.time_step = step;
    fluid.fractional = *def;
    fm_particles *p = create_fluid(world, &fluid);
    fill_domain(p, 0);
    advance(world, duration);
    double mu = fm_particles_steady_viscosity(p);
    fm_world_destroy(world);
    return mu;
}

static void steady_shear_feels_the_documented_viscosity(void **state)
{
    (void)state;
    fm_fractional def = fractional_def(FM_RECALL_FADING, 0.5);
    def.time = 0;
    assert_close(find_steady_viscosity(&def, 1e-3, 0.2), 3, 1e-3);
    def.memory.kind = FM_RECALL_STEPS;
    assert_close(find_steady_viscosity(&def, 1e-3, 0.2), 3, 1e-5);
    assert_close(find_steady_viscosity(&def, 2e-3, 0.2), 3, 1e-5);
    def.time = 1; // as published: 2 sqrt(10 h / pi) times the viscosity
    assert_close(find_steady_viscosity(&def, 1e-3, 0.2), 3 * 2 * sqrt(0.01 / FM_PI), 1e-5);
    assert_close(find_steady_viscosity(&def, 2e-3, 0.2), 3 * 2 * sqrt(0.02 / FM_PI), 1e-5);
    // grows like sqrt(t); the last recorded velocity is one step old
    def.memory.kind = FM_RECALL_FULL;
    assert_close(find_steady_viscosity(&def, 1e-3, 0.201), 3 * 2 * sqrt(0.2 / FM_PI), 1e-4);
    def.order = 1;
    assert_close(find_steady_viscosity(&def, 1e-3, 0.1), 3, 0);
}

// Asserts that a fluid with this fractional viscosity is refused because of this field.
static void expect_refused(fm_fractional def, const char *field)
{
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_particles_def fluid = fm_default_particles_def();
    fluid.fractional = def;
    assert_null(fm_particles_create(world, &fluid, &err));
    assert_non_null(strstr(err.text, field));
    fm_world_destroy(world);
}

static void settings_of_fractional_viscosity_out_of_range_are_refused(void **state)
{
    (void)state;
    fm_fractional good = fractional_def(FM_RECALL_STEPS, 0.5), def;
    def = good, def.order = 0, expect_refused(def, "fractional.order");
    def = good, def.order = 1.5, expect_refused(def, "fractional.order");
    def = good, def.order = NAN, expect_refused(def, "fractional.order");
    def = good, def.order = 0.2, expect_refused(def, "fractional.memory");
    def = good, def.time = -1, expect_refused(def, "fractional.time");
    def = good, def.above = -1, expect_refused(def, "fractional.above");
    def = good, def.memory.steps = 0, expect_refused(def, "fractional.memory.steps");
    def = good, def.memory.rule = FM_RULE_COIMBRA, expect_refused(def, "fractional.memory.rule");
    def = good, def.memory.kind = FM_RECALL_SECONDS, expect_refused(def, "fractional.memory");
    def = good, def.memory.fading = 0, expect_refused(def, "fractional.memory.fading");
    def = good, def.memory.tolerance = 1, expect_refused(def, "fractional.memory.tolerance");
}

// Offset of the lane numbers (which recorded signal belongs to which particle) in the saved state
// of fractional viscosity: they follow five numbers of 8 bytes.
enum { LANES_OFFSET = 40 };

// Snapshots in which the first particle has a wrong lane number, and truncated snapshots.
static void damaged_snapshots_of_fractional_viscosity_are_refused(void **state)
{
    (void)state;
    for (int kind = FM_RECALL_FULL; kind <= FM_RECALL_STEPS; kind++) {
        fm_error err = {0};
        fm_fractional def = fractional_def((fm_recall_kind)kind, 0.5);
        fm_world *world = create_world(1000, 1e-3, no_gravity);
        fm_particles *p = create_flow(world, &def);
        advance(world, 2e-3);
        size_t size = fm_particles_save(p, NULL, 0);
        // bytes of the state of fractional viscosity, which is at the end of the snapshot
        size_t term_size = fm_fractional_term.save(p, fm_fractional_find_state(p), NULL);
        unsigned char *bytes = malloc(size);
        fm_particles_save(p, bytes, size);
        assert_true(fm_particles_restore(p, bytes, size, &err));
        uint64_t hash = fm_particles_hash(p, 0);
        // negative; of a wall; too large; used twice
        int wrong[] = {-1, 3, 1 << 30, fm_fractional_find_state(p)->lane[1]};
        for (int k = 0; k < 4; k++) {
            memcpy(bytes + size - term_size + LANES_OFFSET, &wrong[k], sizeof(int));
            err = (fm_error){0};
            assert_false(fm_particles_restore(p, bytes, size, &err));
            assert_int_equal(fm_particles_hash(p, 0), hash);
        }
        err = (fm_error){0};
        assert_false(fm_particles_restore(p, bytes, size - 8, &err));
        free(bytes);
        fm_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_particle_keeps_its_own_velocity_history),
        cmocka_unit_test(boundary_particles_of_a_moving_collider_keep_their_velocity_history),
        cmocka_unit_test(fractional_viscosity_acts_only_on_pairs_above_the_threshold),
        cmocka_unit_test(fractional_viscosity_conserves_momentum),
        cmocka_unit_test(steady_shear_feels_the_documented_viscosity),
        cmocka_unit_test(settings_of_fractional_viscosity_out_of_range_are_refused),
        cmocka_unit_test(damaged_snapshots_of_fractional_viscosity_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
