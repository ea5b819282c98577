// SPDX-License-Identifier: MIT
// lines.c: lines that are tied to a sheet and to a load end in the same bits on 1, 2 and 3 threads
// and on the task system of a host, whether or not their world is saved and restored into a new one
// half-way; with and without contact.
#include "lines.h"

#ifdef __SANITIZE_THREAD__             // slow; a few substeps are enough for a data race
static const double FRAME = 1.0 / 960; // s
#else
static const double FRAME = 1.0 / 240; // s
#endif
enum { FRAMES = 6, STRANDS = 60, SEGMENTS = 30, COLUMNS = 60, ROWS = 30 };

static fm_cloth *create_fan(fm_world *world, fm_cloth *sheet, fm_vec3 to, bool contact)
{
    fm_error err = {0};
    const fm_vec3 *from = fm_cloth_positions(sheet, NULL) + (ROWS - 1) * COLUMNS;
    static fm_vec3 x[STRANDS * SEGMENTS + 1];
    static int points[STRANDS * (SEGMENTS + 1)], starts[STRANDS + 1];
    for (int s = 0; s < STRANDS; s++) {
        for (int k = 0; k < SEGMENTS; k++) {
            double f = (double)k / SEGMENTS;
            x[s * SEGMENTS + k] =
                (fm_vec3){from[s].x + f * (to.x - from[s].x), from[s].y + f * (to.y - from[s].y),
                          from[s].z + f * (to.z - from[s].z)};
            points[s * (SEGMENTS + 1) + k] = s * SEGMENTS + k;
        }
        points[s * (SEGMENTS + 1) + SEGMENTS] = STRANDS * SEGMENTS;
        starts[s + 1] = (s + 1) * (SEGMENTS + 1);
    }
    x[STRANDS * SEGMENTS] = to;
    fm_line_def def = fm_default_line_def();
    def.stiffness = 50, def.diameter = 2e-3, def.linear_density = 4e-3;
    def.damping.order = 0.5;
    def.contact.enabled = contact;
    fm_strands strands = {.positions = x,
                          .point_count = STRANDS * SEGMENTS + 1,
                          .points = points,
                          .starts = starts,
                          .strand_count = STRANDS};
    fm_cloth *lines = fm_line_create(world, &def, &strands, &err);
    assert_good(lines, &err);
    for (int s = 0; s < STRANDS; s++)
        tie(world, lines, s * SEGMENTS, sheet, (ROWS - 1) * COLUMNS + s);
    return lines;
}

static fm_world *create_tied_world(int threads, bool contact)
{
    fm_error err = {0};
    fm_world_def world_def = threaded_world_def(threads);
    world_def.medium.flow = eddies;
    fm_world *world = open_world(world_def);
    fm_cloth_def def = fm_default_cloth_def();
    def.contact.enabled = contact;
    fm_cloth *sheet = create_sheet(
        world, &def, &(fm_sheet){.columns = COLUMNS, .rows = ROWS, .width = 0.6, .height = 0.3});
    assert_true(fm_cloth_pin_edge(sheet, FM_EDGE_TOP, NULL, &err));
    fm_load_def load = fm_default_load_def();
    load.position = (fm_vec3){0.3, -0.8, 0.02};
    load.contact.enabled = contact;
    fm_cloth *ball = create_load(world, &load);
    fm_cloth *lines = create_fan(world, sheet, load.position, contact);
    tie(world, lines, STRANDS * SEGMENTS, ball, 0);
    return world;
}

static uint64_t run(int threads, bool contact, bool resumed)
{
    fm_world *world = create_tied_world(threads, contact);
    for (int i = 0; i < FRAMES; i++) {
        if (resumed && i == FRAMES / 2)
            world = move_state_into(world, create_tied_world(threads, contact));
        advance(world, FRAME);
    }
    uint64_t hash = fm_world_hash(world);
    fm_world_destroy(world);
    return hash;
}

static void tied_lines_have_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    for (int contact = 0; contact < 2; contact++) {
        uint64_t two = run(2, contact, true);
        printf("  %s contact %016llx\n", contact ? "with" : "without", (unsigned long long)two);
#ifndef __SANITIZE_THREAD__ // two threads are enough for a data race; more would be slow
        for (int threads = 0; threads <= 3; threads++)
            assert_int_equal(run(threads, contact, false), two);
#endif
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tied_lines_have_the_same_bits_on_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
