// SPDX-License-Identifier: MIT
// Lanes keep their past when they are permuted, when others come and go, and over save and restore.
#include "core/core.h"
#include "memory_fixture.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 19, BEFORE = 130, AFTER = 90 };

// Pushes step n with lane i standing for id[i].
static void push_ids(fm_memory *memory, const int *id, int n)
{
    double rate[64];
    for (int i = 0; i < fm_memory_lane_count(memory); i++)
        rate[i] = rate_of(id[i], n);
    assert_true(fm_memory_push(memory, rate, n ? 1e-3 : 0));
}

static void assert_same_values(fm_memory *memory, const int *id, fm_memory *reference)
{
    double value[64], expected[64];
    fm_memory_value(memory, value);
    fm_memory_value(reference, expected);
    for (int i = 0; i < fm_memory_lane_count(memory); i++)
        assert_true(value[i] == expected[id[i]]);
}

static void lanes_keep_their_past(void **state)
{
    (void)state;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        fm_error err = {0};
        fm_memory *memory = make_kind(kind, LANES), *reference = make_kind(kind, LANES);
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

        const int removed[] = {18, 0, 5};
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

// A lane added or reset now is as one that was at rest so far.
static void new_and_reset_lanes_were_at_rest(void **state)
{
    (void)state;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        fm_error err = {0};
        fm_memory *memory = make_kind(kind, 6), *reference = make_kind(kind, 9);
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

static void wrong_lanes_are_refused(void **state)
{
    (void)state;
    fm_memory *memory = make_kind(0, 4);
    push_step(memory, 0);
    push_step(memory, 1);
    uint64_t before = fm_memory_hash(memory);
    const int twice[] = {0, 1, 1, 3}, outside[] = {0, 1, 2, 4}, negative[] = {-1};
    fm_error err = {0};
    assert_false(fm_memory_permute_lanes(memory, twice, &err));
    assert_string_equal(err.field, "source");
    assert_false(fm_memory_permute_lanes(memory, twice, &err)); // sticks
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

static void restored_memories_go_on_with_the_same_bits(void **state)
{
    (void)state;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        for (int pause = 0; pause < 200; pause += 33) {
            fm_error err = {0};
            fm_memory *memory = make_kind(kind, LANES), *other = make_kind(kind, LANES);
            for (int n = 0; n < pause; n++)
                push_step(memory, n);
            for (int n = 0; n < 77; n++) // what it held before must not matter
                push_step(other, n);
            size_t size = fm_memory_save(memory, NULL, 0);
            char *bytes = malloc(size);
            assert_non_null(bytes);
            assert_int_equal(fm_memory_save(memory, bytes, size), size);
            assert_true(fm_memory_restore(other, bytes, size, &err));
            assert_int_equal(fm_memory_hash(memory), fm_memory_hash(other));
            for (int n = pause; n < pause + 100; n++) {
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

static void refuse_restore(fm_memory *memory, const char *bytes, size_t size)
{
    fm_error err = {0};
    uint64_t before = fm_memory_hash(memory);
    assert_false(fm_memory_restore(memory, bytes, size, &err));
    assert_int_equal(err.status, FM_BAD_VALUE);
    assert_string_equal(err.object, "memory snapshot");
    assert_int_equal(fm_memory_hash(memory), before);
}

static void damaged_or_foreign_states_are_refused(void **state)
{
    (void)state;
    fm_memory *memory = make_kind(0, LANES);
    for (int n = 0; n < 20; n++)
        push_step(memory, n);
    size_t size = fm_memory_save(memory, NULL, 0);
    char *bytes = malloc(size);
    fm_memory_save(memory, bytes, size);
    for (size_t cut = 0; cut < size; cut += 61)
        refuse_restore(memory, bytes, cut);
    for (size_t i = 0; i < size; i += 7) {
        bytes[i] = (char)(bytes[i] ^ 0x10);
        refuse_restore(memory, bytes, size);
        bytes[i] = (char)(bytes[i] ^ 0x10);
    }
    fm_memory_def def = kind_def(0);
    for (int change = 0; change < 5; change++) {
        def = kind_def(change == 4 ? 1 : 0);
        def.order = change == 0 ? 0.4 : 0.5;
        def.tolerance = change == 1 ? 1e-4 : 1e-6;
        def.time_step = change == 2 ? 2e-3 : 1e-3;
        fm_error err = {0};
        fm_memory *other = fm_memory_create(&def, change == 3 ? LANES + 1 : LANES, &err);
        refuse_restore(other, bytes, size);
        fm_memory_destroy(other);
    }
    fm_error err = {0};
    assert_true(fm_memory_restore(memory, bytes, size, &err));
    err.status = FM_DIVERGED;
    assert_false(fm_memory_restore(memory, bytes, size, &err));
    free(bytes);
    fm_memory_destroy(memory);
}

// A state whose counts do not fit its rows is refused even when its checksum is right.
static void impossible_counts_are_refused(void **state)
{
    (void)state;
    for (int kind = 2; kind < 4; kind++) { // a window, and no window
        fm_memory *memory = make_kind(kind, LANES);
        for (int n = 0; n < 20; n++)
            push_step(memory, n);
        size_t size = fm_memory_save(memory, NULL, 0);
        char *bytes = malloc(size);
        fm_memory_save(memory, bytes, size);
        int64_t count = 20, found = 0;
        for (size_t i = 0; i + 8 <= 256; i += 8) { // the push count, wherever the header has it
            if (memcmp(bytes + i, &count, 8) == 0) {
                int64_t wrong = 100000000;
                memcpy(bytes + i, &wrong, 8);
                found++;
            }
        }
        assert_int_equal(found, 1);
        uint64_t hash = fm_hash(bytes, size - 8, 0);
        memcpy(bytes + size - 8, &hash, 8);
        refuse_restore(memory, bytes, size);
        free(bytes);
        fm_memory_destroy(memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_keep_their_past),
        cmocka_unit_test(new_and_reset_lanes_were_at_rest),
        cmocka_unit_test(wrong_lanes_are_refused),
        cmocka_unit_test(restored_memories_go_on_with_the_same_bits),
        cmocka_unit_test(damaged_or_foreign_states_are_refused),
        cmocka_unit_test(impossible_counts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
