// SPDX-License-Identifier: MIT
// contact.c: the contact step: conservation of momentum, invalid definitions, surfaces that
// intersect at the start, cloth pinched between colliders, diverging numbers, and the exact
// intersection count.
#include "contact_fixture.h"

// A scene without surfaces, with mass (kg), stiffness (N/m) and damping (1/s) of its sheets.
static contact_scene default_scene(void)
{
    return (contact_scene){.mass = 1e-4, .stiffness = 5, .damping = 0.5};
}

// Momentum of all vertices, kg m/s.
static fm_vec3 sum_momentum(const contact_scene *s)
{
    fm_vec3 sum = {0, 0, 0};
    for (int i = 0; i < s->vertex_count; i++)
        sum = fm_add_scaled(sum, fm_vec3_array_at(s->v, i), 1 / s->inverse_masses[i]);
    return sum;
}

// Centre of mass of all vertices at the positions x, m.
static fm_vec3 find_centre(const contact_scene *s, fm_vec3_array x)
{
    fm_vec3 sum = {0, 0, 0};
    double mass = 0;
    for (int i = 0; i < s->vertex_count; i++) {
        sum = fm_add_scaled(sum, fm_vec3_array_at(x, i), 1 / s->inverse_masses[i]);
        mass += 1 / s->inverse_masses[i];
    }
    return fm_scale(sum, 1 / mass);
}

// Two sheets of different masses collide at 2 m/s, without springs.
static void contact_conserves_momentum(void **state)
{
    (void)state;
    for (int thin = 0; thin < 2; thin++) {
        contact_scene s = default_scene();
        double h = 1e-3, thickness = thin ? 2e-5 : 2e-3;
        add_surface(&s, create_sheet_mesh(9, 9, 0.01, (fm_vec3){0, 0, 0}), false, thickness, 0);
        add_surface(&s, create_sheet_mesh(8, 7, 0.011, (fm_vec3){0.003, 0.004, 0.002}), false,
                    thickness, 0);
        open_scene(&s);
        fm_rng rng = {4};
        for (int i = 0; i < s.vertex_count; i++) {
            s.inverse_masses[i] *= 1 + fm_rng_uniform(&rng);
            s.v.y[i] = i < 81 ? 1 : -1; // m/s; the first sheet has 9 x 9 vertices
            s.v.x[i] = 0.3 * fm_rng_uniform(&rng);
        }
        fm_vec3 before = sum_momentum(&s);
        int impulses = 0, hits = 0;
        for (int step = 0; step < 30; step++) {
            set_spring_targets(&s, h);
            for (int i = 0; i < s.vertex_count; i++) // undo the damping of set_spring_targets
                s.v.x[i] /= exp(-0.5 * h), s.v.y[i] /= exp(-0.5 * h), s.v.z[i] /= exp(-0.5 * h);
            fm_vec3 target = find_centre(&s, s.x1), start = sum_momentum(&s);
            fm_contact_step(s.set, h, NULL, &s.report);
            fm_vec3 now = sum_momentum(&s);
            assert_close(fm_length(fm_sub(find_centre(&s, s.x1), target)), 0, 1e-14);
            assert_close(fm_length(fm_sub(now, start)), 0, 1e-14 * fm_length(before));
            impulses += s.report.impulse_count, hits += s.report.hit_count;
            end_step(&s);
        }
        fm_vec3 after = sum_momentum(&s);
        assert_close(fm_length(fm_sub(after, before)), 0, 1e-12 * fm_length(before));
        assert_true(impulses > 100);
        print_message("thickness %g: %d impulses, %d hits\n", thickness, impulses, hits);
        assert_int_equal(fm_contact_count_intersections(s.set, s.x, NULL), 0);
        close_scene(&s);
    }
}

// The step does not change surfaces that are far enough apart, bit by bit.
static void motion_without_contact_is_unchanged_bit_by_bit(void **state)
{
    (void)state;
    contact_scene s = default_scene();
    add_surface(&s, create_sheet_mesh(9, 9, 0.01, (fm_vec3){0, 0, 0}), false, 0.002, 0.3);
    add_surface(&s, create_sphere_mesh(0.02, 5, 8), true, 0.002, 0.3);
    open_scene(&s);
    place_mesh(&s, 1, (fm_vec3){0}, (fm_vec3){0, -1, 0}, s.x);
    double target[81];
    for (int step = 0; step < 50; step++) {
        s.gravity = (fm_vec3){0.1 * step, 3, -1};
        set_spring_targets(&s, 1e-3);
        memcpy(target, s.x1.y, sizeof target);
        fm_contact_step(s.set, 1e-3, NULL, &s.report);
        assert_memory_equal(target, s.x1.y, sizeof target);
        assert_int_equal(s.report.impulse_count, 0);
        end_step(&s);
    }
    close_scene(&s);
}

// A vertical triangle whose lowest edge starts at the height y, above, on or below a horizontal
// one.
static void intersections_are_counted_exactly(void **state)
{
    (void)state;
    static const struct {
        double y;
        int count; // of edges through a triangle
    } cases[] = {{0.5, 0}, {1e-300, 0}, {0, 1}, {-1e-300, 1}, {-0.5, 1}, {-1, 1}, {-1.5, 0}};
    const double mass[3] = {1, 1, 1};
    const fm_vec3 plane[3] = {{-1, 0, -1}, {1, 0, -1}, {0, 0, 1}}; // in the plane y = 0
    const int one[3] = {0, 1, 2};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double y = cases[k].y;
        const fm_vec3 blade[3] = {{0, y, 0}, {0, y + 1, 0}, {5, y + 1, 0.1}}; // vertical at x = 0
        fm_contact_surface flat = {
            .name = "flat",
            .mesh = {.points = plane, .point_count = 3, .face_points = one, .face_count = 1},
            .inverse_mass = mass,
            .thickness = 0.1};
        fm_contact_surface surfaces[2] = {flat, flat};
        surfaces[1].mesh.points = blade;
        fm_error err = {0};
        fm_contact_set *set = fm_contact_create(surfaces, 2, &err);
        assert_non_null(set);
        bool marked[6] = {false};
        int count = fm_contact_count_intersections(set, fm_contact_starts(set), marked);
        // the other edges cross y = 0 outside the triangle, or at the end of the vertical edge
        assert_int_equal(count > 0, cases[k].count);
        assert_int_equal(marked[0], cases[k].count);
        fm_contact_destroy(set);
    }
}

static void bad_surfaces_are_refused(void **state)
{
    (void)state;
    const fm_vec3 x[3] = {{0, 0, 0}, {1, 0, 1}, {0, 1, 0}},
                  bad_x[3] = {{0}, {1, 0, 0}, {0, 1, NAN}};
    const double w[3] = {1, 1, -1};
    const int good[3] = {0, 1, 2}, far[3] = {0, 1, 3}, twice[3] = {0, 1, 1}, four[2] = {0, 4};
    const fm_contact_surface base = {
        .name = "s",
        .mesh = {.points = x, .point_count = 3, .face_points = good, .face_count = 1},
        .thickness = 0.1,
        .friction = 0.3};
    enum { CASES = 10 };
    fm_contact_surface bad[CASES];
    for (int i = 0; i < CASES; i++)
        bad[i] = base;
    static const char *const fields[CASES] = {
        "thickness",    "friction", "face_points", "triangles",         "position",
        "inverse_mass", "points",   "lines",       "corners of a face", "faces"};
    bad[0].thickness = 0, bad[1].friction = NAN;
    bad[2].mesh.face_points = far, bad[3].mesh.face_points = twice;
    bad[4].mesh.points = bad_x, bad[5].inverse_mass = w, bad[6].mesh.point_count = 0;
    bad[7].mesh.lines = twice + 1, bad[7].mesh.line_count = 1; // a line from vertex 1 to vertex 1
    bad[8].mesh.point_count = 3, bad[8].mesh.face_start = four;
    bad[8].mesh.face_points = (const int[4]){0, 1, 2, 1};
    bad[9].mesh.face_count = 0; // isolated points without a mass
    for (int i = 0; i < CASES; i++) {
        fm_error err = {0};
        assert_null(fm_contact_create(&bad[i], 1, &err));
        assert_int_equal(err.status, FM_BAD_VALUE);
        assert_string_equal(err.field, fields[i]);
        assert_null(fm_contact_create(&base, 1, &err)); // the first error is kept
    }
    fm_error err = {0};
    assert_null(fm_contact_create(&base, 0, &err));
    fm_contact_destroy(NULL);
}

// Two sheets that intersect at the start: the intersections are counted, and velocities stay
// bounded.
static void intersecting_sheets_are_counted_and_stay_slow(void **state)
{
    (void)state;
    contact_scene s = default_scene();
    mesh upright = create_sheet_mesh(12, 12, 0.01, (fm_vec3){0.002, 0, 0.003});
    for (int i = 0; i < upright.vertex_count; i++) {
        fm_vec3 *p = &upright.vertices[i];
        *p = (fm_vec3){p->x, p->z, 0.3 * p->x};
    }
    add_surface(&s, create_sheet_mesh(12, 12, 0.01, (fm_vec3){0}), false, 0.002, 0.3);
    add_surface(&s, upright, false, 0.002, 0.3);
    open_scene(&s);
    add_sheet_springs(&s, 0, 12, 12);
    add_sheet_springs(&s, 1, 12, 12);
    int start = fm_contact_count_intersections(s.set, s.x, NULL);
    assert_true(start > 10);
    double fastest = 0;
    for (int i = 144; i < s.vertex_count; i++)
        s.v.y[i] = 0.3, s.v.x[i] = 0.1 * sin(i);
    for (int step = 0; step < 500; step++) {
        set_spring_targets(&s, 1e-3);
        fm_contact_step(s.set, 1e-3, NULL, &s.report);
        if (step == 0)
            assert_int_equal(s.report.intersection_count, start);
        end_step(&s);
        for (int i = 0; i < s.vertex_count; i++)
            fastest = fmax(fastest, fm_length(fm_vec3_array_at(s.v, i)));
    }
    print_message("tangled: %d at first, %d after 500 steps, fastest %g m/s\n", start,
                  s.report.intersection_count, fastest);
    assert_at_most(fastest, 1);
    close_scene(&s);
}

// Results of a sheet that is pinched between two spheres.
typedef struct pinch {
    int pinched;            // steps with pinched pairs
    int halted;             // steps in which the solver gave up
    int shortened;          // largest number of shortened parts in one step
    int most_intersections; // after any step
    int last_intersections; // after the last step
    int early;              // steps with pinched pairs while the gap was wide enough
    double fastest;         // m/s, largest speed at the end
} pinch;

// Two spheres close on a sheet until they overlap, and open again, twice. max_shortened: how many
// parts of a step the solver may shorten before it gives up; -1: its default.
static pinch close_spheres(int max_shortened)
{
    contact_scene s = default_scene();
    s.damping = 5;
    add_surface(&s, create_sheet_mesh(15, 15, 0.01, (fm_vec3){0}), false, 0.002, 0.1);
    add_surface(&s, create_sphere_mesh(0.03, 7, 12), true, 0.001, 0.1);
    add_surface(&s, create_sphere_mesh(0.03, 7, 12), true, 0.001, 0.1);
    open_scene(&s);
    add_sheet_springs(&s, 0, 15, 15);
    if (max_shortened >= 0)
        s.set->max_shortened = max_shortened;
    pinch p = {0};
    double h = 1e-3;
    int sphere = fm_contact_first_vertex(s.set, 1), last = s.vertex_count - 1;
    for (int step = 0; step < 1200; step++) {
        // m, distance of each centre from the sheet; smallest 0.028, less than the radius
        double apart = 0.035 + 0.007 * cos(2 * FM_PI * step / 600);
        set_spring_targets(&s, h);
        for (int side = 0; side < 2; side++) {
            fm_vec3 centre = {0.003, side ? -apart : apart, 0.002};
            place_mesh(&s, 1 + side, (fm_vec3){0}, centre, s.x1);
            if (step == 0)
                place_mesh(&s, 1 + side, (fm_vec3){0}, centre, s.x);
        }
        double ends[2] = {s.x1.y[sphere], s.x1.y[last]};
        fm_contact_step(s.set, h, NULL, &s.report);
        // the spheres reach their prescribed positions
        assert_true(s.x1.y[sphere] == ends[0] && s.x1.y[last] == ends[1]);
        p.pinched += s.report.pinched_count > 0;
        p.halted += s.report.is_halted;
        p.shortened =
            s.report.shortened_count > p.shortened ? s.report.shortened_count : p.shortened;
        end_step(&s);
        p.last_intersections = fm_contact_count_intersections(s.set, s.x, NULL);
        p.most_intersections = p.last_intersections > p.most_intersections ? p.last_intersections
                                                                           : p.most_intersections;
        p.early += apart > 0.034 && step < 300 && s.report.pinched_count > 0;
    }
    for (int i = 0; i < s.vertex_count; i++)
        p.fastest = fmax(p.fastest, fm_length(fm_vec3_array_at(s.v, i)));
    close_scene(&s);
    print_message("pinch: %d steps with pinched pairs, %d halted, at most %d shortened parts, at "
                  "most %d intersections, %d at the end, fastest %g m/s\n",
                  p.pinched, p.halted, p.shortened, p.most_intersections, p.last_intersections,
                  p.fastest);
    return p;
}

// Pinched pairs are counted only while the gap between the spheres is too narrow for the sheet, and
// afterwards the sheet is free of intersections.
static void a_pinch_is_counted_and_ends_without_intersections(void **state)
{
    (void)state;
    pinch p = close_spheres(-1);
    assert_true(p.pinched > 0);
    assert_int_equal(p.halted, 0);
    assert_int_equal(p.early, 0);
    assert_int_equal(p.last_intersections, 0);
    assert_true(p.fastest < 5);
}

// With a bound of one shortened part, a pinch reaches the bound. Steps are then halted and counted,
// the spheres get to their ends all the same, and afterwards the sheet is free again.
static void a_step_that_shortens_too_many_parts_is_halted(void **state)
{
    (void)state;
    pinch p = close_spheres(1);
    assert_true(p.halted > 0);
    assert_int_equal(p.shortened, 1);
    assert_int_equal(p.last_intersections, 0);
    assert_true(p.fastest < 5);
}

// Target positions that are NaN, infinite or very far are replaced by near ones and counted.
static void diverging_displacements_are_shortened(void **state)
{
    (void)state;
    contact_scene s = default_scene();
    add_surface(&s, create_sheet_mesh(9, 9, 0.01, (fm_vec3){0}), false, 0.002, 0.3);
    open_scene(&s);
    fm_vec3_array from = fm_contact_starts(s.set), to = fm_contact_ends(s.set);
    for (int i = 0; i < s.vertex_count; i++)
        to.x[i] = from.x[i], to.y[i] = from.y[i], to.z[i] = from.z[i];
    to.x[3] = NAN, to.y[7] = INFINITY, to.z[40] = 1e30;
    fm_contact_step(s.set, 1e-3, NULL, &s.report);
    assert_int_equal(s.report.cut_count, 3);
    for (int i = 0; i < s.vertex_count; i++)
        assert_true(fm_length(fm_vec3_array_at(s.x1, i)) < 10);
    assert_int_equal(fm_contact_count_intersections(s.set, s.x1, NULL), 0);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contact_conserves_momentum),
        cmocka_unit_test(motion_without_contact_is_unchanged_bit_by_bit),
        cmocka_unit_test(intersections_are_counted_exactly),
        cmocka_unit_test(bad_surfaces_are_refused),
        cmocka_unit_test(intersecting_sheets_are_counted_and_stay_slow),
        cmocka_unit_test(a_pinch_is_counted_and_ends_without_intersections),
        cmocka_unit_test(a_step_that_shortens_too_many_parts_is_halted),
        cmocka_unit_test(diverging_displacements_are_shortened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
