// SPDX-License-Identifier: MIT
// Sheets crumpled, twisted, pierced and thrown at each other stay free of intersections, by a count
// that is exact and shares nothing with the solver, after every single step.
#include "contact_fixture.h"

typedef struct tally {
    int steps, impulses, hits, zones, pinched, parts, lists, intersections, worst_step;
    int candidates, near;
    double closest;
} tally;

static void count_step(stage *s, tally *t, double h)
{
    fm_contact_step(s->set, h, NULL, &s->report);
    const fm_contact_report *r = &s->report;
    t->steps++;
    t->impulses += r->impulse_count, t->hits += r->hit_count, t->zones += r->zone_vertex_count;
    t->pinched += r->pinched_count, t->parts += r->part_count;
    t->lists += r->list_count;
    t->candidates = r->candidate_count > t->candidates ? r->candidate_count : t->candidates;
    t->near = r->near_count > t->near ? r->near_count : t->near;
    int found = fm_contact_count_intersections(s->set, s->x1, NULL);
    if (found && !t->intersections)
        t->worst_step = t->steps;
    t->intersections += found;
    end_step(s);
    if (t->steps % 50 == 0)
        t->closest = fmin(t->closest, fm_contact_find_closest(s->set, s->x, 0.01));
}

static void report(const char *name, uint64_t seed, const tally *t)
{
    print_message("%-10s seed %llu: %d steps, %d parts, %d lists, %d candidates, %d near, %d impulses, %d hits, %d in zones, %d pinched, "
                  "%d intersections (first at %d), closest %.3g mm\n",
                  name, (unsigned long long)seed, t->steps, t->parts, t->lists, t->candidates, t->near, t->impulses, t->hits, t->zones,
                  t->pinched, t->intersections, t->worst_step, 1e3 * t->closest);
}

static double spread(fm_rng *rng)
{
    return 2 * fm_rng_uniform(rng) - 1;
}

static stage new_stage(void)
{
    return (stage){.mass = 3e-5, .stiffness = 5, .damping = 0.5, .thickness = 0.002};
}

// Smooth random velocities of up to 5 m/s, anew every 40 steps, and a pull to the middle.
static void throw_around(stage *s, fm_rng *rng, double speed)
{
    double k[3][3], phase[3];
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++)
            k[a][b] = 40 * spread(rng);
        phase[a] = 2 * FM_PI * fm_rng_uniform(rng);
    }
    for (int i = 0; i < s->vertex_count; i++) {
        fm_vec3 p = fm_contact_at(s->x, i);
        double *v[3] = {&s->v.x[i], &s->v.y[i], &s->v.z[i]};
        double at[3] = {p.x, p.y, p.z};
        for (int a = 0; a < 3 && s->masses[i] > 0; a++)
            *v[a] = speed * (sin(k[a][0] * p.x + k[a][1] * p.y + k[a][2] * p.z + phase[a]) -
                             fmax(-1, fmin(1, at[a] / 0.05)));
    }
}

static tally crumple(uint64_t seed, int steps, int sheets)
{
    stage s = new_stage();
    fm_rng rng = {seed};
    tally t = {.closest = 1};
    for (int i = 0; i < sheets; i++)
        add_surface(&s, make_sheet(16, 12, 0.01, (fm_vec3){0, 0.02 * i, 0}), false, s.thickness, 0.3);
    open_stage(&s);
    for (int i = 0; i < sheets; i++)
        add_sheet_springs(&s, i, 16, 12);
    for (int step = 0; step < steps; step++) {
        if (step % 40 == 0)
            throw_around(&s, &rng, 5);
        aim_by_springs(&s, 1e-3);
        count_step(&s, &t, 1e-3);
    }
    close_stage(&s);
    return t;
}

static int seeds(void)
{
    const char *text = getenv("SEEDS");
    return text ? atoi(text) : 3;
}

static int scale_steps(int steps)
{
    const char *text = getenv("STEPS");
    return text ? atoi(text) : steps;
}

static void crumpled_sheet(void **state)
{
    (void)state;
    for (int seed = 1; seed <= seeds(); seed++) {
        tally t = crumple((uint64_t)seed, scale_steps(1000), 1);
        report("crumple", (uint64_t)seed, &t);
        assert_int_equal(t.intersections, 0);
        assert_int_equal(t.pinched, 0);
        assert_true(t.impulses > 0);
    }
}

static void two_sheets(void **state)
{
    (void)state;
    for (int seed = 1; seed <= seeds(); seed++) {
        tally t = crumple((uint64_t)seed, scale_steps(1000), 2);
        report("two", (uint64_t)seed, &t);
        assert_int_equal(t.intersections, 0);
        assert_int_equal(t.pinched, 0);
    }
}

// A cone of 20 degrees comes up through a pinned sheet, down and up again, at up to 5 m/s.
static void sharp_cone(void **state)
{
    (void)state;
    for (int seed = 1; seed <= seeds(); seed++) {
        stage s = new_stage();
        fm_rng rng = {(uint64_t)seed};
        tally t = {.closest = 1};
        fm_vec3 at = {0.02 * spread(&rng), 0, 0.02 * spread(&rng)};
        s.gravity = (fm_vec3){0, -9.81, 0};
        add_surface(&s, make_sheet(17, 17, 0.01, (fm_vec3){0, 0.02, 0}), false, s.thickness, 0.3);
        add_surface(&s, make_cone(0.035, 0.1, 12), true, 0.001, 0.3);
        open_stage(&s);
        add_sheet_springs(&s, 0, 17, 17);
        for (int i = 0; i < 17; i++) {
            int pins[4] = {i, 16 * 17 + i, i * 17, i * 17 + 16};
            for (int k = 0; k < 4; k++)
                s.masses[pins[k]] = 0;
        }
        double h = 1e-3;
        place_mesh(&s, 1, (fm_vec3){0}, at, s.x);
        for (int step = 0; step < scale_steps(1000); step++) {
            aim_by_springs(&s, h);
            double time = (step + 1) * h;
            at.y = 0.05 * (1 - cos(100 * time)); // fastest at 5 m/s
            place_mesh(&s, 1, (fm_vec3){0, 30 * time, 0}, at, s.x1);
            count_step(&s, &t, h);
        }
        report("cone", (uint64_t)seed, &t);
        assert_int_equal(t.intersections, 0);
        assert_int_equal(t.pinched, 0);
        close_stage(&s);
    }
}

// Both short edges held and turned against each other, several times round.
static void twisted_sheet(void **state)
{
    (void)state;
    stage s = new_stage();
    tally t = {.closest = 1};
    enum { COLUMNS = 31, ROWS = 13 };
    s.damping = 5;
    add_surface(&s, make_sheet(COLUMNS, ROWS, 0.01, (fm_vec3){0}), false, s.thickness, 0.3);
    open_stage(&s);
    add_sheet_springs(&s, 0, COLUMNS, ROWS);
    for (int r = 0; r < ROWS; r++)
        s.masses[r * COLUMNS] = s.masses[r * COLUMNS + COLUMNS - 1] = 0;
    double h = 1e-3;
    int steps = scale_steps(3000);
    for (int step = 0; step < steps; step++) {
        aim_by_springs(&s, h);
        for (int r = 0; r < ROWS; r++) {
            for (int side = -1; side <= 1; side += 2) {
                int i = r * COLUMNS + (side > 0 ? COLUMNS - 1 : 0);
                double radius = (r - 0.5 * (ROWS - 1)) * 0.01;
                double turn = side * 4 * FM_PI * (step + 1) / steps;
                s.x1.x[i] = side * (0.15 - 0.05 * (step + 1) / steps);
                s.x1.y[i] = radius * sin(turn), s.x1.z[i] = radius * cos(turn);
            }
        }
        count_step(&s, &t, h);
    }
    report("twist", 0, &t);
    assert_int_equal(t.intersections, 0);
    close_stage(&s);
}

// A sphere runs through a hanging sheet to and fro at up to 5 m/s, in steps of 1/120 s.
static void fast_sphere(void **state)
{
    (void)state;
    stage s = new_stage();
    tally t = {.closest = 1};
    s.gravity = (fm_vec3){0, -9.81, 0};
    s.stiffness = 0.04;
    add_surface(&s, make_sheet(16, 16, 0.01, (fm_vec3){0, 0.08, 0}), false, s.thickness, 0.3);
    add_surface(&s, make_sphere(0.05, 11, 20), true, 0.001, 0.3);
    open_stage(&s);
    add_sheet_springs(&s, 0, 16, 16);
    s.masses[0] = s.masses[15] = 0;
    double h = 1.0 / 120, time = 0;
    for (int step = 0; step < scale_steps(1200); step++, time += h) {
        aim_by_springs(&s, h);
        fm_vec3 at = {0.01 * sin(7 * time), -0.1 + 0.2 * (1 - cos(25 * time)), 0};
        place_mesh(&s, 1, (fm_vec3){3 * time, 0, 0}, at, s.x1);
        if (step == 0)
            place_mesh(&s, 1, (fm_vec3){0}, (fm_vec3){0, -0.1, 0}, s.x);
        count_step(&s, &t, h);
    }
    report("sphere", 0, &t);
    assert_int_equal(t.intersections, 0);
    close_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crumpled_sheet), cmocka_unit_test(two_sheets),
        cmocka_unit_test(sharp_cone),     cmocka_unit_test(twisted_sheet),
        cmocka_unit_test(fast_sphere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
