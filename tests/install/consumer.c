// SPDX-License-Identifier: MIT
// consumer.c: a program that uses the installed library.
#include <fathom/fathom.h>
#include <stdio.h>

int main(void)
{
    fm_error err = {0};
    fm_memory_def def = fm_default_memory_def();
    fm_memory *memory = fm_memory_create(&def, 1, &err);
    double rate = 1, value = 0;
    if (!memory || !fm_memory_push(memory, &rate, 0) || !fm_memory_push(memory, &rate, 1e-3))
        return 1;
    fm_memory_value(memory, &value);
    printf("fathom %s: D^(1/2) t at 1 ms is %.6f\n", fm_version(), value);
    fm_memory_destroy(memory);
    return value > 0.0356 && value < 0.0357 ? 0 : 1; // exact: 2 sqrt(t/pi) = 0.03568
}
