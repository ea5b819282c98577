// SPDX-License-Identifier: MIT
// Fractional viscosity: what a particle remembers is its own past, through sorting, sources and
// sinks, whatever the steps; walls and colliders have a past too; memory that is switched off
// changes nothing.
#include "fluids.h"
#include "particles/particles.h"
#include "world/world.h"

#include <string.h>

enum { STEPS = 70, IDS = 2000 };

// The velocities that were pushed, by step and id; steps before a particle came hold its first.
typedef struct record {
    double time[STEPS];
    fm_vec3 velocity[STEPS][IDS];
    bool known[IDS];
    int count;
} record;

static double at(fm_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// 1/Gamma(1-q) integral of a^-q e^(-a/f) u(a) over ages from a to b, u linear from `new` to `old`:
// Simpson's rule in a^(1-q).
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

static double expect(const record *r, const fm_fractional *def, int id, int axis)
{
    int n = r->count - 1, oldest = 0;
    if (def->memory.kind == FM_RECALL_STEPS && n > def->memory.steps)
        oldest = n - def->memory.steps;
    double f = def->memory.kind == FM_RECALL_FADING ? def->memory.fading : INFINITY, sum = 0;
    for (int k = n; k > oldest; k--)
        sum += integrate(def->order, f, r->time[n] - r->time[k], r->time[n] - r->time[k - 1],
                         at(r->velocity[k][id], axis), at(r->velocity[k - 1][id], axis));
    return sum * pow(def->time, def->order - 1);
}

// After one substep, particles are in the order it sorted them in, and rows hold what it pushed
// (there is artificial viscosity: otherwise they would hold what it remembers).
static void note(record *r, const fm_particles *p, double t)
{
    int n = r->count++;
    r->time[n] = t;
    for (int i = 0; i < p->count; i++) {
        const float *row = p->fluid.density + FM_ROW * (size_t)i;
        fm_vec3 v = {row[FM_VX], row[FM_VY], row[FM_VZ]};
        int id = p->now.id[i];
        assert_true(id < IDS);
        for (int k = 0; k < n && !r->known[id]; k++)
            r->velocity[k][id] = v;
        r->known[id] = true;
        r->velocity[n][id] = v;
    }
}

static fm_particles *make_flow(fm_world *world, const fm_fractional *fractional)
{
    fm_error err = {0};
    fm_particles_def def = fm_default_particles_def();
    def.spacing = 0.05;
    def.speed = 3;
    def.viscosity = 20;
    def.capacity = 1700;
    def.fractional = *fractional;
    fm_particles *fluid = make_fluid(world, &def);
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

static void expect_own_past(fm_fractional def, double tolerance)
{
    fm_world *world = make_world(1000, 1e-3, no_gravity);
    fm_particles *p = make_flow(world, &def);
    record *r = calloc(1, sizeof *r);
    double t = 0, largest = 0;
    for (int k = 0; k < STEPS; k++) {
        double h = k % 7 < 4 ? 6e-4 : 4e-4; // shorter than what is stable
        assert_int_equal(advance(world, h).substep_count, 1);
        note(r, p, t);
        t += h;
        for (int i = 0; i < p->count && k % 9 == 3; i += 5) {
            for (int axis = 0; axis < 3; axis++) {
                double expected = expect(r, &def, p->now.id[i], axis);
                assert_close(p->past->rows[FM_QUAD * i + axis], expected, tolerance);
                largest = fmax(largest, fabs(expected));
            }
        }
    }
    fm_particles_stats stats = fm_particles_read_stats(p);
    assert_true(stats.removed_count > 100 && p->next_id > 700); // lanes were given away again
    assert_true(p->past->used < p->next_id);
    assert_true(largest > 100 * tolerance);
    free(r);
    fm_world_destroy(world);
}

static fm_fractional remember(fm_recall_kind kind, double order)
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

static void particles_remember_their_own_past(void **state)
{
    (void)state;
    expect_own_past(remember(FM_RECALL_STEPS, 0.5), 2e-5);
    expect_own_past(remember(FM_RECALL_FADING, 0.5), 2e-5);
    expect_own_past(remember(FM_RECALL_FULL, 0.5), 2e-5);
    expect_own_past(remember(FM_RECALL_FULL, 0.8), 2e-5);
}

// What point i of a wall is to show when its own past is `own`: mirrored at that of the fluid that
// it sees, as velocities are.
static double mirror_past(const fm_particles *p, int i, int axis, double own)
{
    int list[FM_NEIGHBOURS_ROOM], extra;
    fm_search search;
    fm_search_begin(&search);
    int count = fm_find_next_seen(p, &search, i, i + 1, list, &extra);
    double sum = 0, mean = 0;
    for (int k = 0; k < count - extra; k++) {
        int j = list[k];
        double x = p->others.x[i] - p->fluid.x[j], y = p->others.y[i] - p->fluid.y[j];
        double q = sqrt(x * x + y * y + pow(p->others.z[i] - p->fluid.z[j], 2)) / p->R;
        double w = p->fluid.density[FM_ROW * j + FM_V] * pow(1 - q, 4) * (1 + 4 * q);
        sum += w;
        mean += w * p->past->rows[FM_QUAD * j + axis];
    }
    return sum > 1e-6 * p->volume ? 2 * own - mean / sum : own;
}

// A ball turns about an axis beside it: its points show their own past.
static void colliders_have_a_past(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = make_world(1000, 1e-3, no_gravity);
    const double speed = 50, h = 1e-3;
    fm_collider_def ball = fm_default_collider_def();
    ball.shape = (fm_shape){.kind = FM_SHAPE_SPHERE, .centre = {0.7, 0.7, 0.5}, .radius = 0.1};
    fm_turn turn = {.pivot = {0.6, 0.6, 0.5}, .axis = {0, 0, 1}, .rate = speed};
    ball.motion = fm_motion_turn(world, &turn, &err);
    assert_non_null(fm_collider_create(world, &ball, &err));
    fm_fractional fractional = remember(FM_RECALL_FULL, 0.5);
    fm_particles_def def = fm_default_particles_def();
    def.spacing = 0.05;
    def.method = FM_SPH_STANDARD;
    def.time_step = h;
    def.fractional = fractional;
    fm_particles *p = make_fluid(world, &def);
    add_box(p, &(fm_fluid_box){.high = {1, 0.6, 1}});
    record *r = calloc(1, sizeof *r);
    for (int k = 0; k < 40; k++)
        advance(world, h);
    int seen = 0;
    for (int i = 0; i < p->others.count; i++) {
        if (fm_others_owner(p, i) != 0)
            continue;
        fm_vec3 x = p->points[p->other_from[i]].x, arm = {x.x - 0.6, x.y - 0.6, 0};
        r->count = 40;
        for (int k = 0; k < 40; k++) {
            double angle = speed * h * k, c = cos(angle), s = sin(angle);
            r->time[k] = h * k;
            r->velocity[k][0] =
                (fm_vec3){-speed * (s * arm.x + c * arm.y), speed * (c * arm.x - s * arm.y), 0};
        }
        for (int axis = 0; axis < 3; axis++) {
            double own = expect(r, &fractional, 0, axis);
            assert_close(p->past->other_rows[FM_QUAD * i + axis], mirror_past(p, i, axis, own),
                         1e-5);
        }
        seen++;
    }
    assert_true(seen > 20);
    free(r);
    fm_world_destroy(world);
}

static fm_world *stir(const fm_fractional *fractional, fm_sph_method method)
{
    fm_error err = {0};
    fm_world *world = make_world(1000, 1e-3, no_gravity);
    fm_particles_def def = fm_default_particles_def();
    def.dimensions = 2;
    def.spacing = 0.05;
    def.viscosity = 5;
    def.method = method;
    def.integrator = FM_SPH_LEAPFROG;
    def.time_step = 1e-3;
    def.fractional = *fractional;
    make_periodic(&def, 0);
    make_periodic(&def, 1);
    fm_particles *p = make_fluid(world, &def);
    fill_domain(p, 0.2);
    fm_fluid_push push = {
        .centre = {0.3, 0.5, 0}, .radius = 0.2, .acceleration = {20, 5, 0}, .end = 0.05};
    assert_true(fm_particles_add_push(p, &push, &err));
    advance(world, 0.1);
    return world;
}

static double difference(fm_world *a, fm_world *b)
{
    int n;
    const fm_vec3 *x = fm_particles_positions(fm_world_particles(a, 0), &n);
    return largest_distance(x, fm_particles_positions(fm_world_particles(b, 0), NULL), n);
}

static void memory_where_flows_collide(void **state)
{
    (void)state;
    for (int method = 0; method <= FM_SPH_STANDARD; method++) {
        fm_fractional plain = fm_default_particles_def().fractional;
        fm_fractional whole = remember(FM_RECALL_FULL, 0.5), never = whole, nearly = whole;
        never.above = 1e9;
        nearly.above = 1e-9;
        whole.time = never.time = nearly.time = 0.01;
        fm_world *newton = stir(&plain, (fm_sph_method)method);
        fm_world *everywhere = stir(&whole, (fm_sph_method)method);
        fm_world *nowhere = stir(&never, (fm_sph_method)method);
        fm_world *almost = stir(&nearly, (fm_sph_method)method);
        assert_true(difference(newton, nowhere) == 0);
        assert_true(difference(everywhere, newton) > 1e-4);
        assert_true(difference(everywhere, almost) < 1e-5); // rounding
        fm_world_destroy(newton);
        fm_world_destroy(everywhere);
        fm_world_destroy(nowhere);
        fm_world_destroy(almost);
    }
}

// Inside a periodic box nothing but the pushes changes the momentum.
static void momentum_is_conserved(void **state)
{
    (void)state;
    fm_fractional def = remember(FM_RECALL_STEPS, 0.5);
    def.above = 3;
    def.time = 0.01;
    for (int method = 0; method <= FM_SPH_STANDARD; method++) {
        fm_world *world = stir(&def, (fm_sph_method)method);
        fm_particles *p = fm_world_particles(world, 0);
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

static double steady(const fm_fractional *def, double step, double duration)
{
    fm_world *world = make_world(1000, 1e-3, no_gravity);
    fm_particles_def fluid = fm_default_particles_def();
    fluid.spacing = 0.2;
    fluid.viscosity = 3;
    fluid.method = FM_SPH_STANDARD;
    fluid.time_step = step;
    fluid.fractional = *def;
    fm_particles *p = make_fluid(world, &fluid);
    fill_domain(p, 0);
    advance(world, duration);
    double mu = fm_particles_steady_viscosity(p);
    fm_world_destroy(world);
    return mu;
}

static void steady_shear_feels_what_is_said(void **state)
{
    (void)state;
    fm_fractional def = remember(FM_RECALL_FADING, 0.5);
    def.time = 0;
    assert_close(steady(&def, 1e-3, 0.2), 3, 1e-3);
    def.memory.kind = FM_RECALL_STEPS;
    assert_close(steady(&def, 1e-3, 0.2), 3, 1e-5);
    assert_close(steady(&def, 2e-3, 0.2), 3, 1e-5);
    def.time = 1; // as published: 2 sqrt(10 h / pi) of the viscosity
    assert_close(steady(&def, 1e-3, 0.2), 3 * 2 * sqrt(0.01 / FM_PI), 1e-5);
    assert_close(steady(&def, 2e-3, 0.2), 3 * 2 * sqrt(0.02 / FM_PI), 1e-5);
    def.memory.kind = FM_RECALL_FULL; // grows with the square root of time; pushed until t - h
    assert_close(steady(&def, 1e-3, 0.201), 3 * 2 * sqrt(0.2 / FM_PI), 1e-4);
    def.order = 1;
    assert_close(steady(&def, 1e-3, 0.1), 3, 0);
}

static void expect_refused(fm_fractional def, const char *field)
{
    fm_error err = {0};
    fm_world *world = make_world(1000, 1e-3, no_gravity);
    fm_particles_def fluid = fm_default_particles_def();
    fluid.fractional = def;
    assert_null(fm_particles_create(world, &fluid, &err));
    assert_non_null(strstr(err.text, field));
    fm_world_destroy(world);
}

static void bad_memories_are_refused(void **state)
{
    (void)state;
    fm_fractional good = remember(FM_RECALL_STEPS, 0.5), def;
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

static void damaged_states_are_refused(void **state)
{
    (void)state;
    for (int kind = FM_RECALL_FULL; kind <= FM_RECALL_STEPS; kind++) {
        fm_error err = {0};
        fm_fractional def = remember((fm_recall_kind)kind, 0.5);
        fm_world *world = make_world(1000, 1e-3, no_gravity);
        fm_particles *p = make_flow(world, &def);
        advance(world, 2e-3);
        size_t size = fm_particles_save(p, NULL, 0), past = fm_past_save(p, NULL);
        unsigned char *bytes = malloc(size);
        fm_particles_save(p, bytes, size);
        assert_true(fm_particles_restore(p, bytes, size, &err));
        uint64_t hash = fm_particles_hash(p, 0);
        int wrong[] = {-1, 3, 1 << 30, p->past->lane[1]}; // no lane; a wall's; beyond; twice
        for (int k = 0; k < 4; k++) {
            memcpy(bytes + size - past, &wrong[k], sizeof(int));
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
        cmocka_unit_test(particles_remember_their_own_past),
        cmocka_unit_test(colliders_have_a_past),
        cmocka_unit_test(memory_where_flows_collide),
        cmocka_unit_test(momentum_is_conserved),
        cmocka_unit_test(steady_shear_feels_what_is_said),
        cmocka_unit_test(bad_memories_are_refused),
        cmocka_unit_test(damaged_states_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
