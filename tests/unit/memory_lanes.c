// SPDX-License-Identifier: MIT
// memory_lanes.c: a memory computes fractional derivatives of many signals, its lanes. Lanes keep
// their past when they are permuted, when other lanes are added or removed, and when the memory is
// saved and restored.
#include "core/core.h"
#include "memory_fixture.h"

#include <stdlib.h>
#include <string.h>

// Differentiated signals (lanes), and steps before and after they are rearranged.
enum { LANES = 19, BEFORE = 130, AFTER = 90 };

// Passes the rates (time derivatives) at step n to a memory, whose lane i computes the fractional
// derivative of test signal id[i].
static void push_ids(fm_memory *memory, const int *id, int n)
{
    double rate[64];
    for (int i = 0; i < fm_memory_lane_count(memory); i++)
        rate[i] = rate_of(id[i], n);
    assert_true(fm_memory_push(memory, rate, n ? 1e-3 : 0));
}

// Asserts that lane i of `memory` has the same fractional derivative as lane id[i] of `reference`.
static void assert_same_values(fm_memory *memory, const int *id, fm_memory *reference)
{
    double value[64], expected[64];
    fm_memory_value(memory, value);
    fm_memory_value(reference, expected);
    for (int i = 0; i < fm_memory_lane_count(memory); i++)
        assert_true(value[i] == expected[id[i]]);
}

static void lanes_keep_their_past_when_permuted_and_when_others_are_removed(void **state)
{
    (void)state;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        fm_error err = {0};
        fm_memory *memory = create_memory(kind, LANES), *reference = create_memory(kind, LANES);
        int id[LANES], source[LANES];
        for (int i = 0; i < LANES; i++)
            id[i] = i;
        for (int n = 0; n < BEFORE; n++) {
            push_ids(memory, id, n);
            push_step(reference, n);
        }
        for (int i = 0; i < LANES; i++)
            source[i] = (7 * i + 3) % LANES;
        assert_true(fm_memory_permute_lanes(memory, source, &err));
        memcpy(id, source, sizeof id);
        assert_same_values(memory, id, reference);

        const int removed[] = {18, 0, 5}; // the last, the first and an inner lane
        assert_true(fm_memory_remove_lanes(memory, removed, 3, &err));
        int kept = 0;
        for (int i = 0; i < LANES; i++) {
            if (i != 18 && i != 0 && i != 5)
                id[kept++] = source[i];
        }
        assert_int_equal(fm_memory_lane_count(memory), LANES - 3);
        assert_same_values(memory, id, reference);
        for (int n = BEFORE; n < BEFORE + AFTER; n++) {
            push_ids(memory, id, n);
            push_step(reference, n);
            assert_same_values(memory, id, reference);
        }
        assert_int_equal(err.status, FM_OK);
        fm_memory_destroy(memory);
        fm_memory_destroy(reference);
    }
}

// A lane (differentiated signal) that is added or reset has the same fractional derivatives as one
// whose rate was 0 until then.
static void new_and_reset_lanes_have_a_past_at_rest(void **state)
{
    (void)state;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        fm_error err = {0};
        fm_memory *memory = create_memory(kind, 6), *reference = create_memory(kind, 9);
        for (int n = 0; n < BEFORE; n++) {
            double rate[9] = {0};
            for (int i = 0; i < 5; i++)
                rate[i] = rate_of(i, n);
            assert_true(fm_memory_push(reference, rate, n ? 1e-3 : 0));
            push_step(memory, n);
        }
        assert_true(fm_memory_add_lanes(memory, 3, &err));
        assert_true(fm_memory_reset_lanes(memory, 5, 1, &err));
        assert_int_equal(fm_memory_lane_count(memory), 9);
        for (int n = BEFORE; n < BEFORE + AFTER; n++) {
            double value[9], expected[9];
            push_step(memory, n);
            push_step(reference, n);
            fm_memory_value(memory, value);
            fm_memory_value(reference, expected);
            assert_memory_equal(value, expected, sizeof value);
        }
        fm_memory_destroy(memory);
        fm_memory_destroy(reference);
    }
}

// Functions that permute, remove, add or reset lanes (the signals that a memory differentiates).
static void lanes_that_do_not_exist_or_repeat_are_refused(void **state)
{
    (void)state;
    fm_memory *memory = create_memory(FULL, 4);
    push_step(memory, 0);
    push_step(memory, 1);
    uint64_t before = fm_memory_hash(memory);
    const int twice[] = {0, 1, 1, 3}, outside[] = {0, 1, 2, 4}, negative[] = {-1};
    fm_error err = {0};
    assert_false(fm_memory_permute_lanes(memory, twice, &err));
    assert_string_equal(err.field, "source");
    assert_false(fm_memory_permute_lanes(memory, twice, &err)); // err still holds the first failure
    err = (fm_error){0};
    assert_false(fm_memory_permute_lanes(memory, outside, &err));
    err = (fm_error){0};
    assert_false(fm_memory_remove_lanes(memory, negative, 1, &err));
    err = (fm_error){0};
    assert_false(fm_memory_remove_lanes(memory, twice + 1, 2, &err));
    err = (fm_error){0};
    assert_false(fm_memory_remove_lanes(memory, twice, 4, &err));
    assert_false(fm_memory_remove_lanes(memory, twice, 1, &err));
    err = (fm_error){0};
    assert_false(fm_memory_add_lanes(memory, 0, &err));
    assert_false(fm_memory_add_lanes(memory, 1, &err));
    err = (fm_error){0};
    assert_false(fm_memory_add_lanes(memory, INT32_MAX, &err));
    err = (fm_error){0};
    assert_false(fm_memory_reset_lanes(memory, 4, 0, &err));
    assert_false(fm_memory_reset_lanes(memory, 0, 1, &err));
    err = (fm_error){0};
    assert_false(fm_memory_reset_lanes(memory, 2, 3, &err));
    assert_int_equal(fm_memory_hash(memory), before);
    fm_memory_destroy(memory);
}

static void a_restored_memory_continues_with_the_same_bits(void **state)
{
    (void)state;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        for (int saved_step = 0; saved_step < 200; saved_step += 33) {
            fm_error err = {0};
            fm_memory *memory = create_memory(kind, LANES), *other = create_memory(kind, LANES);
            for (int n = 0; n < saved_step; n++)
                push_step(memory, n);
            for (int n = 0; n < 77; n++) // the state before the restore must not matter
                push_step(other, n);
            size_t size = fm_memory_save(memory, NULL, 0);
            char *bytes = malloc(size);
            assert_non_null(bytes);
            assert_int_equal(fm_memory_save(memory, bytes, size), size);
            assert_true(fm_memory_restore(other, bytes, size, &err));
            assert_int_equal(fm_memory_hash(memory), fm_memory_hash(other));
            for (int n = saved_step; n < saved_step + 100; n++) {
                push_step(memory, n);
                push_step(other, n);
            }
            assert_int_equal(fm_memory_hash(memory), fm_memory_hash(other));
            free(bytes);
            fm_memory_destroy(memory);
            fm_memory_destroy(other);
        }
    }
}

// Asserts that these saved bytes cannot be restored into a memory (operator that computes
// fractional derivatives) and do not change it.
static void assert_restore_refused(fm_memory *memory, const char *bytes, size_t size)
{
    fm_error err = {0};
    uint64_t before = fm_memory_hash(memory);
    assert_false(fm_memory_restore(memory, bytes, size, &err));
    assert_int_equal(err.status, FM_BAD_VALUE);
    assert_string_equal(err.object, "memory snapshot");
    assert_int_equal(fm_memory_hash(memory), before);
}

static void damaged_states_and_states_of_other_definitions_are_refused(void **state)
{
    (void)state;
    fm_memory *memory = create_memory(FULL, LANES);
    for (int n = 0; n < 20; n++)
        push_step(memory, n);
    size_t size = fm_memory_save(memory, NULL, 0);
    char *bytes = malloc(size);
    fm_memory_save(memory, bytes, size);
    for (size_t cut = 0; cut < size; cut += 61)
        assert_restore_refused(memory, bytes, cut);
    for (size_t i = 0; i < size; i += 7) {
        bytes[i] = (char)(bytes[i] ^ 0x10);
        assert_restore_refused(memory, bytes, size);
        bytes[i] = (char)(bytes[i] ^ 0x10);
    }
    fm_memory_def def = define_memory(FULL);
    // other order, tolerance, time step, lane count and method, in turn
    for (int change = 0; change < 5; change++) {
        def = define_memory(change == 4 ? FADING : FULL);
        def.order = change == 0 ? 0.4 : 0.5;
        def.tolerance = change == 1 ? 1e-4 : 1e-6;
        def.time_step = change == 2 ? 2e-3 : 1e-3;
        fm_error err = {0};
        fm_memory *other = fm_memory_create(&def, change == 3 ? LANES + 1 : LANES, &err);
        assert_restore_refused(other, bytes, size);
        fm_memory_destroy(other);
    }
    fm_error err = {0};
    assert_true(fm_memory_restore(memory, bytes, size, &err));
    err.status = FM_DIVERGED;
    assert_false(fm_memory_restore(memory, bytes, size, &err));
    free(bytes);
    fm_memory_destroy(memory);
}

// A memory (operator that computes fractional derivatives) refuses a saved state if the number of
// steps in its header does not fit the number of stored rates, even with a correct checksum.
static void states_with_inconsistent_counts_are_refused(void **state)
{
    (void)state;
    for (int kind = TRAPEZOID_10; kind <= TRAPEZOID_ALL; kind++) { // these store past rates
        fm_memory *memory = create_memory(kind, LANES);
        for (int n = 0; n < 20; n++)
            push_step(memory, n);
        size_t size = fm_memory_save(memory, NULL, 0);
        char *bytes = malloc(size);
        fm_memory_save(memory, bytes, size);
        int64_t count = 20, found = 0;
        // find the number of steps in the header and change it
        for (size_t i = 0; i + 8 <= 256; i += 8) { // the header has less than 256 bytes
            if (memcmp(bytes + i, &count, 8) == 0) {
                int64_t wrong = 100000000;
                memcpy(bytes + i, &wrong, 8);
                found++;
            }
        }
        assert_int_equal(found, 1);
        uint64_t hash = fm_hash(bytes, size - 8, 0);
        memcpy(bytes + size - 8, &hash, 8);
        assert_restore_refused(memory, bytes, size);
        free(bytes);
        fm_memory_destroy(memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_keep_their_past_when_permuted_and_when_others_are_removed),
        cmocka_unit_test(new_and_reset_lanes_have_a_past_at_rest),
        cmocka_unit_test(lanes_that_do_not_exist_or_repeat_are_refused),
        cmocka_unit_test(a_restored_memory_continues_with_the_same_bits),
        cmocka_unit_test(damaged_states_and_states_of_other_definitions_are_refused),
        cmocka_unit_test(states_with_inconsistent_counts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
