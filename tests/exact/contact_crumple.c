// SPDX-License-Identifier: MIT
// contact_crumple.c: sheets that are crumpled, wrung, pierced and thrown at each other stay free of
// intersections after every single step. An exact count, independent of the solver, checks it. Thin
// sheets (10 um) leave hardly any room between contact and penetration, so times of impact and
// impact zones do the work there. The environment variables SEEDS and STEPS make the test longer;
// the long version wrings a second sheet and takes more than twice the steps elsewhere.
#include "contact_fixture.h"

// Counts of the contact solver, summed over all steps of a run.
typedef struct counts {
    int steps;
    int impulses;         // pairs of features that got a repulsion impulse
    int hits;             // pairs that would still collide after that, found by time of impact
    int zones;            // vertices that moved with a rigid impact zone
    int pinched;          // pairs that still collide after impact zones
    int parts;            // parts that steps were cut into
    int lists;            // times that the candidate list was rebuilt
    int intersections;    // edges through triangles, by an independent exact count
    int worst_step;       // first step with an intersection; 0: none
    int candidates, near; // largest numbers of candidate pairs, and of those that come close
    double closest;       // m, smallest distance of surfaces, sampled every 50 steps
} counts;

// Takes a contact step of h seconds and adds its counts to t.
static void step_and_count(contact_scene *s, counts *t, double h)
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
        t->closest = fmin(t->closest, fm_contact_find_least_distance(s->set, s->x, 0.01));
}

// Prints the counts of a run. thickness: of the sheets, m.
static void print_counts(const char *name, double thickness, const counts *t)
{
    print_message("%-8s %g mm: %d steps, %d parts, %d lists, %d candidates, %d near, %d impulses, "
                  "%d hits, %d in zones, %d pinched, "
                  "%d intersections (first at %d), closest %.3g mm\n",
                  name, 1e3 * thickness, t->steps, t->parts, t->lists, t->candidates, t->near,
                  t->impulses, t->hits, t->zones, t->pinched, t->intersections, t->worst_step,
                  1e3 * t->closest);
}

// A random number in [-1, 1).
static double random_coordinate(fm_rng *rng)
{
    return 2 * fm_rng_uniform(rng) - 1;
}

static const double thicknesses[] = {2e-3, 1e-4, 1e-5}; // m
enum { THICKNESSES = 3 };

// A scene without surfaces: mass of a vertex (kg), stiffness of the springs (N/m), damping (1/s),
// thickness of the sheets (m).
static contact_scene default_scene(double thickness)
{
    return (contact_scene){.mass = 3e-5, .stiffness = 5, .damping = 0.5, .thickness = thickness};
}

static const double H = 1e-3;       // s, step of the crumpled, pierced and wrung sheets
static const double SPACING = 0.01; // m, distance of the vertices of a sheet
static const double FRICTION = 0.3; // coefficient

// Sets smooth random velocities: along each axis, a plane wave of up to `speed` (m/s) plus a
// velocity of up to `speed` towards the centre.
static void set_smooth_velocities(contact_scene *s, fm_rng *rng, double speed)
{
    double k[3][3], phase[3]; // 1/m, rad, wave vectors and phases of the three waves
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++)
            k[a][b] = 40 * random_coordinate(rng);
        phase[a] = 2 * FM_PI * fm_rng_uniform(rng);
    }
    for (int i = 0; i < s->vertex_count; i++) {
        fm_vec3 p = fm_vec3_array_at(s->x, i);
        double *v[3] = {&s->v.x[i], &s->v.y[i], &s->v.z[i]};
        double coordinate[3] = {p.x, p.y, p.z};
        for (int a = 0; a < 3 && s->inverse_masses[i] > 0; a++)
            *v[a] = speed * (sin(k[a][0] * p.x + k[a][1] * p.y + k[a][2] * p.z + phase[a]) -
                             fmax(-1, fmin(1, coordinate[a] / 0.05)));
    }
}

// Crumples one or two sheets by new random velocities every 40 steps.
static counts crumple(uint64_t seed, int steps, int sheets, double thickness)
{
    enum { COLUMNS = 16, ROWS = 12 };
    contact_scene s = default_scene(thickness);
    fm_rng rng = {seed};
    counts t = {.closest = 1};
    for (int i = 0; i < sheets; i++)
        add_surface(&s, create_sheet_mesh(COLUMNS, ROWS, SPACING, (fm_vec3){0, 0.02 * i, 0}), false,
                    s.thickness, FRICTION);
    open_scene(&s);
    for (int i = 0; i < sheets; i++)
        add_sheet_springs(&s, i, COLUMNS, ROWS);
    for (int step = 0; step < steps; step++) {
        if (step % 40 == 0)
            set_smooth_velocities(&s, &rng, 5);
        set_spring_targets(&s, H);
        step_and_count(&s, &t, H);
    }
    close_scene(&s);
    return t;
}

// The number in an environment variable, or default_value if it is not set.
static int read_environment(const char *name, int default_value)
{
    const char *text = getenv(name);
    return text ? atoi(text) : default_value;
}

// Crumples sheets of every thickness and checks that they stay free of intersections.
static void check_crumpling(const char *name, int sheets, int steps)
{
    int seeds = read_environment("SEEDS", 1);
    for (int k = 0; k < THICKNESSES * seeds; k++) {
        double thickness = thicknesses[k % THICKNESSES];
        int some = is_long_version() ? steps : 2 * steps / 5;
        counts t = crumple((uint64_t)k + 1, read_environment("STEPS", some), sheets, thickness);
        print_counts(name, thickness, &t);
        assert_int_equal(t.intersections, 0);
        assert_int_equal(t.pinched, 0);
        // otherwise the test would not exercise contact; for thick sheets impulses may be enough
        assert_true(t.impulses > 0);
        assert_true(t.hits > 0 || thickness > 1e-3);
    }
}

static void a_crumpled_sheet_stays_free_of_intersections(void **state)
{
    (void)state;
    check_crumpling("crumple", 1, 300);
}

static void two_colliding_sheets_stay_free_of_intersections(void **state)
{
    (void)state;
    check_crumpling("two", 2, 100);
}

// A rotating cone, whose side is inclined by 20 degrees to its axis, moves up and down below a
// sheet that is held at its border and pushes into it, at up to 5 m/s.
static counts pierce(uint64_t seed, int steps, double thickness)
{
    enum { SIDE = 17, LAST = SIDE - 1 }; // vertices along an edge of the sheet
    contact_scene s = default_scene(thickness);
    fm_rng rng = {seed};
    counts t = {.closest = 1};
    fm_vec3 tip = {0.02 * random_coordinate(&rng), 0, 0.02 * random_coordinate(&rng)};
    s.gravity = (fm_vec3){0, -9.81, 0};
    add_surface(&s, create_sheet_mesh(SIDE, SIDE, SPACING, (fm_vec3){0, 0.02, 0}), false, thickness,
                FRICTION);
    add_surface(&s, create_cone_mesh(0.035, 0.1, 12), true, thickness, FRICTION);
    open_scene(&s);
    add_sheet_springs(&s, 0, SIDE, SIDE);
    for (int i = 0; i < SIDE; i++) {
        s.inverse_masses[i] = s.inverse_masses[LAST * SIDE + i] = 0;
        s.inverse_masses[i * SIDE] = s.inverse_masses[i * SIDE + LAST] = 0;
    }
    place_mesh(&s, 1, (fm_vec3){0}, tip, s.x);
    for (int step = 0; step < steps; step++) {
        double time = (step + 1) * H;
        set_spring_targets(&s, H);
        tip.y = 0.05 * (1 - cos(100 * time)); // largest speed 5 m/s
        place_mesh(&s, 1, (fm_vec3){0, 30 * time, 0}, tip, s.x1);
        step_and_count(&s, &t, H);
    }
    close_scene(&s);
    return t;
}

static void a_sharp_cone_does_not_pierce_a_sheet(void **state)
{
    (void)state;
    for (int k = 0; k < THICKNESSES * read_environment("SEEDS", 1); k++) {
        double thickness = thicknesses[k % THICKNESSES];
        counts t = pierce((uint64_t)k + 1, read_environment("STEPS", is_long_version() ? 300 : 130),
                          thickness);
        print_counts("cone", thickness, &t);
        assert_int_equal(t.intersections, 0);
        assert_int_equal(t.pinched, 0);
    }
}

// Wrings a sheet: both short edges are held, rotated in opposite directions, two turns each, and
// moved from 0.15 to 0.1 m from the middle.
static counts wring(int steps, double thickness)
{
    enum { COLUMNS = 31, ROWS = 13 };
    contact_scene s = default_scene(thickness);
    counts t = {.closest = 1};
    s.damping = 5;
    add_surface(&s, create_sheet_mesh(COLUMNS, ROWS, SPACING, (fm_vec3){0}), false, thickness,
                FRICTION);
    open_scene(&s);
    add_sheet_springs(&s, 0, COLUMNS, ROWS);
    for (int r = 0; r < ROWS; r++)
        s.inverse_masses[r * COLUMNS] = s.inverse_masses[r * COLUMNS + COLUMNS - 1] = 0;
    for (int step = 0; step < steps; step++) {
        set_spring_targets(&s, H);
        double done = (step + 1.0) / steps; // share of the motion
        for (int k = 0; k < 2 * ROWS; k++) {
            int side = k % 2 ? 1 : -1, i = k / 2 * COLUMNS + (side > 0 ? COLUMNS - 1 : 0);
            double radius = (k / 2 - 0.5 * (ROWS - 1)) * SPACING, turn = side * 4 * FM_PI * done;
            s.x1.x[i] = side * (0.15 - 0.05 * done);
            s.x1.y[i] = radius * sin(turn), s.x1.z[i] = radius * cos(turn);
        }
        step_and_count(&s, &t, H);
    }
    close_scene(&s);
    return t;
}

static void a_wrung_sheet_stays_free_of_intersections(void **state)
{
    (void)state;
    for (int k = is_long_version() ? 0 : 1; k < 2; k++) {
        counts t = wring(read_environment("STEPS", 1000), thicknesses[k]);
        print_counts("wring", thicknesses[k], &t);
        assert_int_equal(t.intersections, 0);
    }
}

// A sphere moves up and down at up to 5 m/s, in steps of 1/120 s, and meets a soft sheet that hangs
// from two corners.
static void a_fast_sphere_does_not_pass_through_a_sheet(void **state)
{
    (void)state;
    enum { SIDE = 16 };
    for (int k = 0; k < 2; k++) {
        contact_scene s = default_scene(thicknesses[k]);
        counts t = {.closest = 1};
        s.gravity = (fm_vec3){0, -9.81, 0};
        s.stiffness = 0.04;
        add_surface(&s, create_sheet_mesh(SIDE, SIDE, SPACING, (fm_vec3){0, 0.08, 0}), false,
                    s.thickness, FRICTION);
        add_surface(&s, create_sphere_mesh(0.05, 11, 20), true, 0.001, FRICTION);
        open_scene(&s);
        add_sheet_springs(&s, 0, SIDE, SIDE);
        s.inverse_masses[0] = s.inverse_masses[SIDE - 1] = 0;
        place_mesh(&s, 1, (fm_vec3){0}, (fm_vec3){0, -0.1, 0}, s.x);
        double h = 1.0 / 120;
        for (int step = 0; step < read_environment("STEPS", 60); step++) {
            double time = (step + 1) * h;
            set_spring_targets(&s, h);
            fm_vec3 centre = {0.01 * sin(7 * time), -0.1 + 0.2 * (1 - cos(25 * time)), 0};
            place_mesh(&s, 1, (fm_vec3){3 * time, 0, 0}, centre, s.x1);
            step_and_count(&s, &t, h);
        }
        print_counts("sphere", s.thickness, &t);
        assert_int_equal(t.intersections, 0);
        close_scene(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crumpled_sheet_stays_free_of_intersections),
        cmocka_unit_test(two_colliding_sheets_stay_free_of_intersections),
        cmocka_unit_test(a_sharp_cone_does_not_pierce_a_sheet),
        cmocka_unit_test(a_wrung_sheet_stays_free_of_intersections),
        cmocka_unit_test(a_fast_sphere_does_not_pass_through_a_sheet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
