// SPDX-License-Identifier: MIT
// The contact step: momentum, what it refuses, scenes that start tangled, pinches that are counted
// and left again, numbers that blow up, and the exact judge itself.
#include "contact_fixture.h"

static stage new_stage(void)
{
    return (stage){.mass = 1e-4, .stiffness = 5, .damping = 0.5};
}

static fm_vec3 sum_momentum(const stage *s, fm_vec3 *angular)
{
    fm_vec3 sum = {0, 0, 0};
    *angular = sum;
    for (int i = 0; i < s->vertex_count; i++) {
        fm_vec3 p = fm_scale(fm_contact_at(s->v, i), 1 / s->masses[i]);
        sum = fm_add(sum, p);
        *angular = fm_add(*angular, fm_cross(fm_contact_at(s->x1, i), p));
    }
    return sum;
}

static fm_vec3 find_centre(const stage *s, fm_contact_axes x)
{
    fm_vec3 sum = {0, 0, 0};
    double mass = 0;
    for (int i = 0; i < s->vertex_count; i++) {
        sum = fm_add_scaled(sum, fm_contact_at(x, i), 1 / s->masses[i]);
        mass += 1 / s->masses[i];
    }
    return fm_scale(sum, 1 / mass);
}

// Two sheets of different masses fly into each other at 2 m/s, without springs.
static void momentum_is_kept(void **state)
{
    (void)state;
    for (int thin = 0; thin < 2; thin++) {
        stage s = new_stage();
        double h = 1e-3, thickness = thin ? 2e-5 : 2e-3;
        add_surface(&s, make_sheet(9, 9, 0.01, (fm_vec3){0, 0, 0}), false, thickness, 0);
        add_surface(&s, make_sheet(8, 7, 0.011, (fm_vec3){0.003, 0.004, 0.002}), false, thickness,
                    0);
        open_stage(&s);
        fm_rng rng = {4};
        for (int i = 0; i < s.vertex_count; i++) {
            s.masses[i] *= 1 + fm_rng_uniform(&rng);
            s.v.y[i] = i < 81 ? 1 : -1;
            s.v.x[i] = 0.3 * fm_rng_uniform(&rng);
        }
        fm_vec3 turning, turned;
        fm_vec3 before = sum_momentum(&s, &turning);
        int impulses = 0, hits = 0;
        for (int step = 0; step < 30; step++) {
            aim_by_springs(&s, h);
            for (int i = 0; i < s.vertex_count; i++) // undo its damping
                s.v.x[i] /= exp(-0.5 * h), s.v.y[i] /= exp(-0.5 * h), s.v.z[i] /= exp(-0.5 * h);
            fm_vec3 wished = find_centre(&s, s.x1), start = sum_momentum(&s, &turning);
            fm_contact_step(s.set, h, NULL, &s.report);
            fm_vec3 now = sum_momentum(&s, &turned);
            assert_close(fm_length(fm_sub(find_centre(&s, s.x1), wished)), 0, 1e-14);
            assert_close(fm_length(fm_sub(now, start)), 0, 1e-14 * fm_length(before));
            impulses += s.report.impulse_count, hits += s.report.hit_count;
            end_step(&s);
        }
        fm_vec3 after = sum_momentum(&s, &turned);
        assert_close(fm_length(fm_sub(after, before)), 0, 1e-12 * fm_length(before));
        assert_true(impulses > 100);
        print_message("thickness %g: %d impulses, %d hits\n", thickness, impulses, hits);
        assert_int_equal(fm_contact_count_intersections(s.set, s.x, NULL), 0);
        close_stage(&s);
    }
}

// Pairs far enough apart are left alone, to the bit.
static void free_motion_is_not_touched(void **state)
{
    (void)state;
    stage s = new_stage();
    add_surface(&s, make_sheet(9, 9, 0.01, (fm_vec3){0, 0, 0}), false, 0.002, 0.3);
    add_surface(&s, make_sphere(0.02, 5, 8), true, 0.002, 0.3);
    open_stage(&s);
    place_mesh(&s, 1, (fm_vec3){0}, (fm_vec3){0, -1, 0}, s.x);
    double wished[81];
    for (int step = 0; step < 50; step++) {
        s.gravity = (fm_vec3){0.1 * step, 3, -1};
        aim_by_springs(&s, 1e-3);
        memcpy(wished, s.x1.y, sizeof wished);
        fm_contact_step(s.set, 1e-3, NULL, &s.report);
        assert_memory_equal(wished, s.x1.y, sizeof wished);
        assert_int_equal(s.report.impulse_count, 0);
        end_step(&s);
    }
    close_stage(&s);
}

static void judge_knows_intersections(void **state)
{
    (void)state;
    static const struct {
        double y;
        int count;
    } cases[] = {{0.5, 0}, {1e-300, 0}, {0, 1}, {-1e-300, 1}, {-0.5, 1}, {-1, 1}, {-1.5, 0}};
    const double low[3] = {0, 0, 0}, mass[3] = {1, 1, 1};
    const double tx[3] = {-1, 1, 0}, tz[3] = {-1, -1, 1}; // in the plane y = 0
    const double ux[3] = {0, 0, 5}, uz[3] = {0, 0, 0.1};  // a blade: one edge is upright at x = 0
    const int one[1][3] = {{0, 1, 2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double uy[3] = {cases[k].y, cases[k].y + 1, cases[k].y + 1};
        fm_contact_surface flat = {.name = "flat",
                                   .vertex_count = 3,
                                   .triangle_count = 1,
                                   .triangles = one,
                                   .x = tx,
                                   .y = low,
                                   .z = tz,
                                   .inverse_mass = mass,
                                   .thickness = 0.1};
        fm_contact_surface surfaces[2] = {flat, flat};
        surfaces[1].x = ux, surfaces[1].y = uy, surfaces[1].z = uz;
        fm_error err = {0};
        fm_contact_set *set = fm_contact_create(surfaces, 2, &err);
        assert_non_null(set);
        bool marked[6] = {false};
        int count = fm_contact_count_intersections(set, fm_contact_starts(set), marked);
        // the other edges cross y = 0 beyond the triangle, or where the upright one ends
        assert_int_equal(count > 0, cases[k].count);
        assert_int_equal(marked[0], cases[k].count);
        fm_contact_destroy(set);
    }
}

static void refuses(void **state)
{
    (void)state;
    const double x[3] = {0, 1, 0}, y[3] = {0, 0, 1}, z[3] = {0, 0, NAN}, w[3] = {1, 1, -1};
    const int good[1][3] = {{0, 1, 2}}, far[1][3] = {{0, 1, 3}}, twice[1][3] = {{0, 1, 1}};
    const fm_contact_surface base = {.name = "s",
                                     .vertex_count = 3,
                                     .triangle_count = 1,
                                     .triangles = good,
                                     .x = x,
                                     .y = y,
                                     .z = x,
                                     .thickness = 0.1,
                                     .friction = 0.3};
    fm_contact_surface bad[7] = {base, base, base, base, base, base, base};
    static const char *const fields[7] = {"thickness", "friction",     "triangles",   "triangles",
                                          "position",  "inverse_mass", "vertex_count"};
    bad[0].thickness = 0, bad[1].friction = NAN, bad[2].triangles = far, bad[3].triangles = twice;
    bad[4].z = z, bad[5].inverse_mass = w, bad[6].vertex_count = 2;
    for (int i = 0; i < 7; i++) {
        fm_error err = {0};
        assert_null(fm_contact_create(&bad[i], 1, &err));
        assert_int_equal(err.status, FM_BAD_VALUE);
        assert_string_equal(err.field, fields[i]);
        assert_null(fm_contact_create(&base, 1, &err)); // keeps the first failure
    }
    fm_error err = {0};
    assert_null(fm_contact_create(&base, 0, &err));
    fm_contact_destroy(NULL);
}

// Two sheets that start through each other: counted, and nothing blows up.
static void tangled_start(void **state)
{
    (void)state;
    stage s = new_stage();
    mesh upright = make_sheet(12, 12, 0.01, (fm_vec3){0.002, 0, 0.003});
    for (int i = 0; i < upright.vertex_count; i++) {
        fm_vec3 *p = &upright.vertices[i];
        *p = (fm_vec3){p->x, p->z, 0.3 * p->x};
    }
    add_surface(&s, make_sheet(12, 12, 0.01, (fm_vec3){0}), false, 0.002, 0.3);
    add_surface(&s, upright, false, 0.002, 0.3);
    open_stage(&s);
    add_sheet_springs(&s, 0, 12, 12);
    add_sheet_springs(&s, 1, 12, 12);
    int start = fm_contact_count_intersections(s.set, s.x, NULL);
    assert_true(start > 10);
    double fastest = 0;
    for (int i = 144; i < s.vertex_count; i++)
        s.v.y[i] = 0.3, s.v.x[i] = 0.1 * sin(i);
    for (int step = 0; step < 500; step++) {
        aim_by_springs(&s, 1e-3);
        fm_contact_step(s.set, 1e-3, NULL, &s.report);
        if (step == 0)
            assert_int_equal(s.report.intersection_count, start);
        end_step(&s);
        for (int i = 0; i < s.vertex_count; i++)
            fastest = fmax(fastest, fm_length(fm_contact_at(s.v, i)));
    }
    print_message("tangled: %d at first, %d after 500 steps, fastest %g m/s\n", start,
                  s.report.intersection_count, fastest);
    assert_at_most(fastest, 1);
    close_stage(&s);
}

// Two spheres close on a sheet until they overlap, and open again: pinched is counted, only there,
// and afterwards the sheet comes free.
static void pinch_is_counted_and_left(void **state)
{
    (void)state;
    stage s = new_stage();
    s.damping = 5;
    add_surface(&s, make_sheet(15, 15, 0.01, (fm_vec3){0}), false, 0.002, 0.1);
    add_surface(&s, make_sphere(0.03, 7, 12), true, 0.001, 0.1);
    add_surface(&s, make_sphere(0.03, 7, 12), true, 0.001, 0.1);
    open_stage(&s);
    add_sheet_springs(&s, 0, 15, 15);
    int pinched = 0, most = 0, left = 0;
    double h = 1e-3;
    for (int step = 0; step < 1200; step++) {
        double apart = 0.035 + 0.007 * cos(2 * FM_PI * step / 600); // closest 0.028 < radius
        aim_by_springs(&s, h);
        for (int side = 0; side < 2; side++) {
            fm_vec3 at = {0.003, side ? -apart : apart, 0.002};
            place_mesh(&s, 1 + side, (fm_vec3){0}, at, s.x1);
            if (step == 0)
                place_mesh(&s, 1 + side, (fm_vec3){0}, at, s.x);
        }
        fm_contact_step(s.set, h, NULL, &s.report);
        pinched += s.report.pinched_count > 0;
        end_step(&s);
        left = fm_contact_count_intersections(s.set, s.x, NULL);
        most = left > most ? left : most;
        if (apart > 0.034 && step < 300)
            assert_int_equal(s.report.pinched_count, 0);
    }
    print_message("pinch: %d steps with pinched pairs, at most %d intersections, %d at the end\n",
                  pinched, most, left);
    assert_true(pinched > 0);
    assert_int_equal(left, 0);
    for (int i = 0; i < s.vertex_count; i++)
        assert_true(fm_length(fm_contact_at(s.v, i)) < 5);
    close_stage(&s);
}

static void numbers_that_blow_up(void **state)
{
    (void)state;
    stage s = new_stage();
    add_surface(&s, make_sheet(9, 9, 0.01, (fm_vec3){0}), false, 0.002, 0.3);
    open_stage(&s);
    for (int i = 0; i < s.vertex_count; i++)
        s.x1.x[i] = s.x.x[i], s.x1.y[i] = s.x.y[i], s.x1.z[i] = s.x.z[i];
    s.x1.x[3] = NAN, s.x1.y[7] = INFINITY, s.x1.z[40] = 1e30;
    fm_contact_step(s.set, 1e-3, NULL, &s.report);
    assert_int_equal(s.report.cut_count, 3);
    for (int i = 0; i < s.vertex_count; i++)
        assert_true(fm_length(fm_contact_at(s.x1, i)) < 10);
    assert_int_equal(fm_contact_count_intersections(s.set, s.x1, NULL), 0);
    close_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(free_motion_is_not_touched),
        cmocka_unit_test(judge_knows_intersections),
        cmocka_unit_test(refuses),
        cmocka_unit_test(tangled_start),
        cmocka_unit_test(pinch_is_counted_and_left),
        cmocka_unit_test(numbers_that_blow_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
