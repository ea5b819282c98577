// SPDX-License-Identifier: MIT
// contact.c: contact has the same result, bit by bit, on 1, 2 and 3 threads and on a host's task
// system that runs the blocks in reverse order.
#include "contact_fixture.h"

// A host's task system that runs the blocks in reverse order: results must not depend on the order.
static void run_backwards(void *host, int block_count, void (*task)(void *context, int block),
                          void *context)
{
    (void)host;
    for (int block = block_count - 1; block >= 0; block--)
        task(context, block);
}

// Crushes two thin sheets and a sphere together, so that the contact solver has to use repulsive
// impulses, impacts and impact zones. pool: the threads; NULL: none.
// Returns a hash of all positions and velocities, and adds the counts of all steps to *sum.
static uint64_t crush_and_hash(fm_pool *pool, fm_contact_report *sum)
{
    enum { COLUMNS = 20, ROWS = 16, STEPS = 30, SPHERE = 2 }; // SPHERE: its surface number
    static const double H = 1e-3;                             // s, step
    contact_scene s = {.mass = 1e-4, .stiffness = 5, .damping = 1};
    for (int i = 0; i < 2; i++)
        add_surface(&s, create_sheet_mesh(COLUMNS, ROWS, 0.01, (fm_vec3){0, 0.005 * i, 0}), false,
                    3e-4, 0.3);
    add_surface(&s, create_sphere_mesh(0.03, 7, 12), true, 1e-3, 0.3);
    open_scene(&s);
    place_mesh(&s, SPHERE, (fm_vec3){0}, (fm_vec3){0, -0.035, 0}, s.x);
    add_sheet_springs(&s, 0, COLUMNS, ROWS);
    add_sheet_springs(&s, 1, COLUMNS, ROWS);
    for (int step = 0; step < STEPS; step++) {
        // every tenth step gives both sheets an uneven velocity towards their centre, m/s
        for (int i = 0; step % 10 == 0 && i < 2 * COLUMNS * ROWS; i++) {
            fm_vec3 p = fm_vec3_array_at(s.x, i);
            s.v.x[i] = -30 * p.x + sin(90 * p.z + step), s.v.z[i] = -30 * p.z + cos(80 * p.x);
            s.v.y[i] = -20 * p.y + sin(70 * p.x * (1 + step));
        }
        set_spring_targets(&s, H);
        place_mesh(&s, SPHERE, (fm_vec3){0, 0.02 * step, 0},
                   (fm_vec3){0, -0.035 + 0.02 * (1 - cos(0.05 * (step + 1))), 0}, s.x1);
        fm_contact_step(s.set, H, pool, &s.report);
        sum->impulse_count += s.report.impulse_count;
        sum->hit_count += s.report.hit_count;
        sum->zone_vertex_count += s.report.zone_vertex_count;
        end_step(&s);
    }
    assert_int_equal(fm_contact_count_intersections(s.set, s.x, NULL), 0);
    size_t bytes = (size_t)s.vertex_count * sizeof(double);
    uint64_t hash = fm_hash(s.x.x, bytes, fm_hash(s.x.y, bytes, fm_hash(s.x.z, bytes, 0)));
    hash = fm_hash(s.v.x, bytes, fm_hash(s.v.y, bytes, fm_hash(s.v.z, bytes, hash)));
    close_scene(&s);
    return hash;
}

static void contact_has_the_same_bits_on_any_threads(void **state)
{
    (void)state;
    fm_contact_report sum = {0};
    fm_error err = {0};
    fm_pool *two = fm_pool_create(2, &err);
    uint64_t expected = crush_and_hash(two, &sum);
    fm_pool_destroy(two);
    print_message("%d impulses, %d hits, %d in zones\n", sum.impulse_count, sum.hit_count,
                  sum.zone_vertex_count);
    // without many impulses and impacts the test would not exercise the contact solver
    assert_true(sum.impulse_count > 1000);
    assert_true(sum.hit_count > 100);
#ifdef __SANITIZE_THREAD__ // two threads suffice to find races; more would be too slow
    return;
#endif
    assert_int_equal(crush_and_hash(NULL, &sum), expected);
    for (int threads = 1; threads <= 3; threads += 2) {
        fm_pool *pool = fm_pool_create(threads, &err);
        assert_int_equal(crush_and_hash(pool, &sum), expected);
        fm_pool_destroy(pool);
    }
    fm_pool *hosted = fm_pool_create_hosted(run_backwards, NULL, 4, &err);
    assert_int_equal(crush_and_hash(hosted, &sum), expected);
    fm_pool_destroy(hosted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contact_has_the_same_bits_on_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
