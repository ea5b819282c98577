// SPDX-License-Identifier: MIT
// particles_terms.c: the interface of fluid terms, the extensions of a fluid (particles/terms.h),
// with a term that exists only here: springs between pairs of particles. The fluid notifies it of
// sorting, sources, sinks and snapshots, and applies its forces and its bound on the step.
#include "fluids.h"
#include "particles/particles.h"
#include "world/world.h"

#include <string.h>

enum { SPRINGS_MAX = 400 };
static const double STIFFNESS = 2000;   // 1/s^2, acceleration per extension
static const double MAX_SUBSTEP = 2e-3; // s, bound of the springs on the substep

// A spring between the particles at indices a and b. The ids verify that these are the right ones.
typedef struct spring {
    int a, b, id_a, id_b;
    double rest; // m
} spring;

// State of the term: all springs, and counts of what the fluid has notified it of.
typedef struct springs {
    spring all[SPRINGS_MAX];
    int count, created; // springs now, and ever created
    int emitted;        // particles that sources emitted
    int removed;        // springs that were removed with one of their particles
    int wrong;          // springs whose ids do not match their particles
    int *new_index;     // [capacity] of each particle after sorting
} springs;

// Creates the state of the term: no springs yet.
static void *create_springs(fm_particles *p, const fm_surroundings *around, fm_error *err)
{
    (void)around;
    springs *s = fm_arena_alloc(&p->arena, 1, sizeof *s, "springs", err);
    int *new_index =
        fm_arena_alloc(&p->arena, (size_t)p->capacity, sizeof *new_index, "springs", err);
    if (!new_index)
        return NULL;
    s->new_index = new_index;
    return s;
}

// Bounds the substep of the fluid.
static void bound_springs(const fm_particles *p, const void *state, fm_step_bounds *bounds)
{
    (void)p;
    (void)state;
    bounds->terms = fmin(bounds->terms, MAX_SUBSTEP);
}

// Called after sources have emitted the particles from index `first` on.
static void count_emitted(fm_particles *p, void *state, int first)
{
    ((springs *)state)->emitted += p->count - first;
}

// Updates the particle indices of all springs after sorting, and removes springs of removed
// particles, which the order puts behind all others.
static void reorder_springs(fm_particles *p, void *state, const fm_particle_order *order)
{
    springs *s = state;
    int kept = 0;
    assert_int_equal(order->count, p->count);
    for (int i = 0; i < order->before; i++)
        s->new_index[order->from[i]] = i;
    for (int k = 0; k < s->count; k++) {
        spring now = s->all[k];
        now.a = s->new_index[now.a];
        now.b = s->new_index[now.b];
        if (now.a >= order->count || now.b >= order->count)
            continue;
        s->wrong += p->now.id[now.a] != now.id_a || p->now.id[now.b] != now.id_b;
        s->all[kept++] = now;
    }
    s->removed += s->count - kept;
    s->count = kept;
}

// Vector from particle a to particle b, m.
static fm_vec3 find_offset(const fm_particles *p, int a, int b)
{
    return (fm_vec3){p->now.x[b] - p->now.x[a], p->now.y[b] - p->now.y[a],
                     p->now.z[b] - p->now.z[a]};
}

// Creates springs between some neighbours, in the first substep.
static void connect(const fm_particles *p, springs *s)
{
    int room[FM_NEIGHBOURS_CAPACITY], count, padding;
    for (int i = 0; i < p->count && s->created < SPRINGS_MAX; i += 13) {
        const int *list = fm_neighbours_in_fluid(p, i, room, &count, &padding);
        for (int k = 0; k < count - padding && s->created < SPRINGS_MAX; k++) {
            int j = list[k];
            if (j > i)
                s->all[s->created++] = (spring){i, j, p->now.id[i], p->now.id[j], p->def.spacing};
        }
    }
    s->count = s->created;
}

// Adds the accelerations of all springs to their particles.
static void add_springs(const fm_particles_step *step, void *state)
{
    fm_particles *p = step->p;
    springs *s = state;
    if (s->created == 0)
        connect(p, s);
    for (int k = 0; k < s->count; k++) {
        const spring *now = &s->all[k];
        fm_vec3 offset = find_offset(p, now->a, now->b);
        double length = fm_length(offset);
        fm_vec3 pull = fm_scale(offset, STIFFNESS * (length - now->rest) / length); // m/s^2
        p->ax[now->a] += (float)pull.x, p->ax[now->b] -= (float)pull.x;
        p->ay[now->a] += (float)pull.y, p->ay[now->b] -= (float)pull.y;
        p->az[now->a] += (float)pull.z, p->az[now->b] -= (float)pull.z;
    }
}

// Writes the springs to `out` and returns the number of bytes; out NULL: the number only.
static size_t save_springs(const fm_particles *p, const void *state, unsigned char *out)
{
    (void)p;
    const springs *s = state;
    size_t size = (size_t)s->count * sizeof(spring);
    if (out) {
        memcpy(out, &s->created, sizeof s->created);
        memcpy(out + sizeof s->created, s->all, size);
    }
    return sizeof s->created + size;
}

// Reads the springs from the bytes of a snapshot.
static bool restore_springs(fm_particles *p, void *state, int count, const unsigned char *in,
                            size_t size, fm_error *err)
{
    (void)count;
    springs *s = state;
    s->created = s->count = 0;
    if (size == 0)
        return true;
    if (size < sizeof s->created || size > sizeof s->created + sizeof s->all)
        return fm_fail_number(err, p->object.name, "state of springs", (double)size, "whole");
    memcpy(&s->created, in, sizeof s->created);
    s->count = (int)((size - sizeof s->created) / sizeof(spring));
    memcpy(s->all, in + sizeof s->created, (size_t)s->count * sizeof(spring));
    return true;
}

static uint64_t hash_springs(const fm_particles *p, const void *state, uint64_t seed)
{
    (void)p;
    const springs *s = state;
    return fm_hash(s->all, (size_t)s->count * sizeof(spring), seed);
}

static const fm_fluid_term_type springs_term = {
    .name = "springs",
    .create = create_springs,
    .bound_step = bound_springs,
    .emit = count_emitted,
    .reorder = reorder_springs,
    .add_forces = add_springs,
    .save = save_springs,
    .restore = restore_springs,
    .hash = hash_springs,
};

// A box of fluid that flows towards a sink and mixes on its way, below a source. with_springs: the
// fluid has the term.
static fm_world *build_flow(fm_sph_method method, bool with_springs)
{
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_particles_def def = fm_default_particles_def();
    def.spacing = 0.06;
    def.method = method;
    def.viscosity = 1;
    def.stiffness = 500;
    def.integrator = FM_SPH_LEAPFROG;
    def.speed = 2;
    def.capacity = 2000;
    fm_particles *p = create_fluid(world, &def);
    add_box(p, &(fm_fluid_box){.high = {0.5, 0.4, 0.6}, .jitter = 0.4, .velocity = {2, 0.3, 0.1}});
    fm_fluid_source source = {
        .centre = {0.2, 0.8, 0.5}, .direction = {1, 0, 0}, .radius = 0.13, .speed = 2, .end = 9};
    assert_true(fm_particles_add_source(p, &source, &err));
    fm_fluid_sink sink = {.low = {0.55, 0, 0}, .high = {1, 1, 1}};
    assert_true(fm_particles_add_sink(p, &sink, &err));
    if (with_springs)
        assert_true(fm_particles_add_term(p, &springs_term, &err));
    return world;
}

// The state of the term.
static springs *springs_of(fm_world *world)
{
    return fm_fluid_terms_find(fm_world_particle_fluid(world, 0), &springs_term);
}

// A term is an extension of a fluid (particles/terms.h); here it consists of springs.
static void a_term_is_notified_of_sorting_sources_and_sinks(void **state)
{
    (void)state;
    for (int method = FM_SPH_WEAKLY_COMPRESSIBLE; method <= FM_SPH_STANDARD; method++) {
        fm_world *world = build_flow((fm_sph_method)method, true);
        fm_particles *p = fm_world_particle_fluid(world, 0);
        int first = fm_particles_count(p);
        for (int k = 0; k < 50; k++)
            advance(world, 2e-3);
        const springs *s = springs_of(world);
        assert_true(s->created > 200);
        assert_int_equal(s->wrong, 0);
        printf("  %d springs went with their particles, %d particles came\n", s->removed,
               s->emitted);
        assert_true(s->removed > 20 && s->count > 20);
        assert_int_equal(s->count + s->removed, s->created);
        assert_true(s->emitted > 20);
        assert_int_equal(first + s->emitted, p->next_id);
        fm_world_destroy(world);
    }
}

// Hash of the world after twelve frames. Its state moves into a new world before frame
// `restore_frame`; -1: never.
static uint64_t run_flow(int restore_frame)
{
    fm_world *world = build_flow(FM_SPH_CONSTANT_DENSITY, true);
    for (int k = 0; k < 12; k++) {
        if (k == restore_frame)
            world = move_state_into(world, build_flow(FM_SPH_CONSTANT_DENSITY, true));
        advance(world, 4e-3);
    }
    uint64_t hash = fm_world_hash(world);
    assert_int_equal(springs_of(world)->wrong, 0);
    fm_world_destroy(world);
    return hash;
}

static void snapshots_contain_the_state_of_a_term(void **state)
{
    (void)state;
    uint64_t whole = run_flow(-1);
    assert_int_equal(run_flow(0), whole); // saved before the first substep
    assert_int_equal(run_flow(7), whole);

    fm_error err = {0};
    fm_world *with = build_flow(FM_SPH_CONSTANT_DENSITY, true);
    fm_world *without = build_flow(FM_SPH_CONSTANT_DENSITY, false);
    advance(with, 4e-3);
    advance(without, 4e-3);
    uint64_t hash = fm_world_hash(with);
    size_t size = fm_world_save(without, NULL, 0);
    void *bytes = malloc(size);
    fm_world_save(without, bytes, size);
    assert_false(fm_world_restore(with, bytes, size, &err));
    assert_int_equal(fm_world_hash(with), hash);
    free(bytes);
    fm_world_destroy(without);
    fm_world_destroy(with);
}

// Two particles so far apart that there is no pressure, connected by a spring of an extension
// (term) of the fluid.
static void a_term_adds_forces_and_bounds_the_step(void **state)
{
    (void)state;
    for (int method = FM_SPH_WEAKLY_COMPRESSIBLE; method <= FM_SPH_STANDARD; method++) {
        fm_error err = {0};
        fm_world *world = create_world(1000, 1e-3, no_gravity);
        fm_particles_def def = fm_default_particles_def();
        def.spacing = 0.1;
        def.support = 2;
        def.viscosity = 0;
        def.speed = 0.01; // the CFL bound of sound is 0.4 s or more
        def.stiffness = 1e-2;
        def.method = (fm_sph_method)method;
        fm_particles *p = create_fluid(world, &def);
        add_box(p, &(fm_fluid_box){.low = {0.3, 0.45, 0.45}, .high = {0.4, 0.55, 0.55}});
        add_box(p, &(fm_fluid_box){.low = {0.45, 0.45, 0.45}, .high = {0.55, 0.55, 0.55}});
        assert_int_equal(fm_particles_count(p), 2);
        assert_true(fm_particles_add_term(p, &springs_term, &err));
        assert_int_equal(advance(world, 2 * MAX_SUBSTEP).substep_count, 2);
        assert_int_equal(springs_of(world)->count, 1);
        const fm_vec3 *v = fm_particles_velocities(p, NULL);
        double expected = STIFFNESS * 0.05 * 2 * MAX_SUBSTEP; // m/s; the spring is 0.05 m too long
        assert_close(v[0].x / expected, 1, 0.05);
        assert_close(v[1].x / expected, -1, 0.05);
        fm_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_term_is_notified_of_sorting_sources_and_sinks),
        cmocka_unit_test(snapshots_contain_the_state_of_a_term),
        cmocka_unit_test(a_term_adds_forces_and_bounds_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
