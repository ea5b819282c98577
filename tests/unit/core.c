// SPDX-License-Identifier: MIT
// core.c: tests of error structs, arena, hash and random numbers.
#include "core/core.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

static void an_error_keeps_the_first_failure(void **state)
{
    (void)state;
    fm_error err = {0};
    assert_false(fm_fail_number(&err, "cloth towel", "density", -3, "> 0"));
    assert_int_equal(err.status, FM_BAD_VALUE);
    assert_string_equal(err.text, "cloth towel: density is -3, allowed is > 0");
    assert_false(fm_fail(&err, FM_INPUT_OUTPUT, "file", "path", "x", "y"));
    assert_int_equal(err.status, FM_BAD_VALUE);
    assert_string_equal(err.object, "cloth towel");
    assert_string_equal(err.field, "density");
    assert_string_equal(err.value, "-3");
    assert_string_equal(err.allowed, "> 0");
}

static void error_texts_that_are_too_long_are_cut(void **state)
{
    (void)state;
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    fm_error err = {0};
    fm_fail(&err, FM_BAD_VALUE, text, text, text, text);
    assert_int_equal(strlen(err.object), sizeof err.object - 1);
    assert_true(strlen(err.text) < sizeof err.text);
}

static void every_status_has_a_name(void **state)
{
    (void)state;
    assert_string_equal(fm_status_name(FM_OK), "ok");
    assert_string_equal(fm_status_name(FM_BAD_VALUE), "bad value");
    assert_string_equal(fm_status_name(FM_DIVERGED), "diverged");
    assert_string_equal(fm_status_name(FM_INPUT_OUTPUT), "input/output");
    assert_string_equal(fm_status_name(FM_NO_MEMORY), "out of memory");
    assert_string_equal(fm_status_name((fm_status)77), "unknown");
}

static void arena_allocations_are_aligned_zeroed_and_do_not_overlap(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_error err = {0};
    unsigned char *blocks[300];
    for (int i = 0; i < 300; i++) {
        size_t size = (size_t)(i * 97 % 20000); // bytes; some are larger than a block of the arena
        blocks[i] = fm_arena_alloc(&arena, size, 1, "test", &err);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % 64, 0);
        for (size_t b = 0; b < size; b++)
            assert_int_equal(blocks[i][b], 0);
        memset(blocks[i], i + 1, size);
    }
    for (int i = 0; i < 300; i++) {
        for (int b = 0; b < i * 97 % 20000; b++)
            assert_int_equal(blocks[i][b], (unsigned char)(i + 1));
    }
    double *large = fm_arena_alloc(&arena, 1000000, sizeof *large, "test", &err);
    assert_non_null(large);
    assert_true(arena.held >= arena.used);
    fm_arena_destroy(&arena);
    assert_int_equal(arena.held, 0);
}

static void allocations_that_overflow_or_are_too_large_are_refused(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_error err = {0};
    assert_null(fm_arena_alloc(&arena, SIZE_MAX / 2, 8, "cloth", &err));
    assert_int_equal(err.status, FM_NO_MEMORY);
    assert_null(fm_arena_alloc(&arena, 1, 1, "cloth", &err)); // err still holds the first failure
    err = (fm_error){0};
    assert_null(fm_arena_alloc(&arena, SIZE_MAX / 16, 8, "cloth", &err));
    assert_int_equal(err.status, FM_NO_MEMORY);
    assert_null(fm_aligned_calloc(SIZE_MAX / 2, 8));
    fm_arena_destroy(&arena);
}

static void the_hash_depends_on_every_bit_the_length_and_the_order(void **state)
{
    (void)state;
    unsigned char bytes[40] = {0};
    uint64_t base = fm_hash(bytes, sizeof bytes, 0);
    for (int bit = 0; bit < 320; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        uint64_t hash = fm_hash(bytes, sizeof bytes, 0);
        assert_true(hash != base);
        assert_true(__builtin_popcountll(hash ^ base) > 8); // many bits of the hash change
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    assert_true(fm_hash(bytes, 39, 0) != base);
    assert_true(fm_hash(bytes, 40, 1) != base);
    assert_true(fm_hash("ab", 2, fm_hash("cd", 2, 0)) != fm_hash("cd", 2, fm_hash("ab", 2, 0)));
}

static void random_numbers_are_uniform_and_repeatable(void **state)
{
    (void)state;
    fm_rng a = {42}, b = {42};
    double mean = 0, square = 0;
    enum { COUNT = 100000 };
    for (int i = 0; i < COUNT; i++) {
        double u = fm_rng_uniform(&a);
        assert_true(u >= 0 && u < 1);
        assert_true(u == fm_rng_uniform(&b));
        mean += u / COUNT;
        square += u * u / COUNT;
    }
    assert_close(mean, 0.5, 0.005);
    assert_close(square, 1.0 / 3, 0.005);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_keeps_the_first_failure),
        cmocka_unit_test(error_texts_that_are_too_long_are_cut),
        cmocka_unit_test(every_status_has_a_name),
        cmocka_unit_test(arena_allocations_are_aligned_zeroed_and_do_not_overlap),
        cmocka_unit_test(allocations_that_overflow_or_are_too_large_are_refused),
        cmocka_unit_test(the_hash_depends_on_every_bit_the_length_and_the_order),
        cmocka_unit_test(random_numbers_are_uniform_and_repeatable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
